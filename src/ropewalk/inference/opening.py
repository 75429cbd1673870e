"""Data of any form as what a question is asked of: logs, counts and answers without a truth are opened here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ropewalk.data.inputs import Names, has_logs, with_counts
from ropewalk.data.logs.systems import shared_tasks
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.probabilities import name_columns
from ropewalk.errors import InvalidInputError
from ropewalk.inference.logs import as_scores, open_logs
from ropewalk.inference.question import metrics_of
from ropewalk.inference.right import ACCURACIES, without_truth
from ropewalk.results.options import TaskOption, asks_about
from ropewalk.text.remarks import Remark, argument
from ropewalk.text.writing import shorten

T = TypeVar("T")


def open_data(
    data: Sequence[Any], systems: Names | None, options: Mapping[str, Any]
) -> tuple[Sequence[Any], Names | None, Mapping[str, Any]]:
    """Return data as arrays or tables, the systems that are still to be chosen, and the options with what data say.

    Logs of one task become arrays, files of counts their tables, and counts of right and wrong the scores of all
    answers; other data stay as they are.
    """
    if has_logs(data):
        data, options = open_logs(data, systems, _by_name(data, options))
        return data, [None] * (len(data) - 1), _of_right(data, systems, options)
    if options.get("unmatched") not in {None, "error"}:
        raise InvalidInputError(
            argument("unmatched") + " is about two evaluation logs, or two files that are joined.",
            hint="leave it out.",
        )
    data, options = _tables(data, _by_name(data, options))
    return data, systems, _of_right(data, systems, options)


def open_one(
    data: Sequence[Any], name: str | None, options: Mapping[str, Any]
) -> tuple[Sequence[Any], str | None, Mapping[str, Any]]:
    """Return the data of one system, as `open_data` does; its name may follow them."""
    logs = [each for each in data if not isinstance(each, str)]
    if has_logs(logs):
        names = [each for each in (*data, name) if isinstance(each, str)]
        if len(names) > 1:
            raise InvalidInputError(f"The system is named twice: {shorten(names)}.", hint="name it once.")
        arrays, _, options = open_data(logs, names or [None], options)
        return arrays, None, options
    first, options = _tables(data[:1], _by_name(data, options))
    data = (*first, *data[1:])
    named = data[1] if len(data) == 2 and isinstance(data[1], str) else name  # noqa: PLR2004
    return data, name, _of_right(data, [named], options)


def are_of_log(options: Mapping[str, Any]) -> bool:
    """Whether options are those of the answers of a log, or of counts of them."""
    return "log_remarks" in options


def remarks_in(options: Mapping[str, Any]) -> tuple[Remark, ...]:
    """Return what was remarked when a log was opened, of which options are."""
    remarks: tuple[Remark, ...] = options.get("log_remarks", ())
    return remarks


def with_remarks(result: T, remarks: Sequence[Remark]) -> T:
    """Return an answer with what was remarked on its log."""
    return replace(result, remarks=(*result.remarks, *remarks)) if remarks else result  # type: ignore[attr-defined,type-var]


def _by_name(data: Sequence[Any], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options in which the columns of matrices have the names of their classes, where these are given."""
    return options if options.get("classes") is None else name_columns(data, options)


def _tables(data: Sequence[Any], options: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    data, options = with_counts(data, options)
    is_scored = any(isinstance(table, Outcomes) and table.score is not None for table in data)
    return as_scores(data, options) if is_scored else (data, options)


def _of_right(data: Sequence[Any], systems: Names | None, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options in which the accuracy is that of answers known to be right or wrong, where data have no truth."""
    asked = any(isinstance(metric, str) and metric in ACCURACIES for metric in metrics_of(options))
    return without_truth(data, systems, options) if asked else options


def are_of_tasks(data: Sequence[Any], systems: Any, options: Mapping[str, Any]) -> bool:
    """Whether a question is about several tasks: options say so, or the logs that it is asked of hold them."""
    if asks_about(TaskOption, options):
        return True
    logs = [each for each in data if not isinstance(each, str)]
    named = [systems] if isinstance(systems, str) else systems
    return has_logs(logs) and len(shared_tasks(logs, named)) > 1
