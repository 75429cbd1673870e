"""Columns that say which answers are right, where there is no truth to tell it by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Final

from ropewalk.data.columns import score_in
from ropewalk.data.inputs import is_table
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.records import records_of
from ropewalk.data.roles import truth_among, words_of
from ropewalk.data.scores import ItemScores
from ropewalk.errors import InvalidInputError
from ropewalk.inference.question import metrics_of
from ropewalk.metrics.resolve import needs_truth
from ropewalk.metrics.scores import accuracy_without_truth
from ropewalk.text.remarks import wording

ACCURACIES: Final = ("accuracy", "acc")
"""What can be asked of answers that are known to be right or wrong."""

_RIGHT: Final = frozenset({"right", "correct", "pass", "passed", "ok", "success", "resolved", "solved"})
_SCORES: Final = (0.0, 1.0)
_ROWS_FIRST: Final = 100


def truth_beside(file: Any, columns: Sequence[str | None]) -> str | None:
    """Return the column that probably holds the truth beside others; None where these are called right, or correct."""
    called = [name for name in columns if name is not None and not _RIGHT.isdisjoint(words_of(name))]
    if columns and len(called) == len(columns):
        return None
    return truth_among([name for name in records_of(file).names() if name not in columns])


def say_right(file: Any, columns: Sequence[str]) -> bool:
    """Whether columns of a file or dataframe hold nothing but right and wrong: its first rows are looked at first."""
    records = records_of(file)
    with closing(records.first_rows(columns)) as rows:  # type: ignore[type-var]
        beginning = set(islice(rows, _ROWS_FIRST))
    return _are_right_or_wrong(beginning) and _are_right_or_wrong(records.count(columns))


def _are_right_or_wrong(rows: Iterable[tuple[Any, ...]]) -> bool:
    return all(value is None or score_in(str(value)) in _SCORES for value in {value for row in rows for value in row})


def without_truth(
    data: Sequence[Any], systems: Sequence[str | None] | None, options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return options in which accuracy is that of answers known to be right or wrong, where data have no truth.

    `systems` are the columns that are meant, None for each array; None where it is not said how many there are.
    """
    metrics = metrics_of(options)
    if not _lack_truth(data, None if systems is None else len(systems), options):
        return options
    named = is_table(data[0]) and not isinstance(data[0], ItemScores)
    if named and (truth := truth_beside(data[0], systems or ())):
        raise InvalidInputError(
            f"Which answers are true? It may be the column {truth!r}.",
            hint=wording('name it as truth=; metric="mean" compares columns of right and wrong.'),
        )
    if others := [metric for metric in metrics if metric not in ACCURACIES and needs_truth(metric)]:
        raise InvalidInputError(
            f"{getattr(others[0], 'name', others[0])!r} compares with the truth, and none is named.",
            hint=wording(
                "name it as truth=; of answers that are known to be right or wrong there is only an accuracy."
            ),
        )
    asked = [accuracy_without_truth(metric) if metric in ACCURACIES else metric for metric in metrics]
    return {**options, "metric": asked[0] if len(asked) == 1 else asked}


def _lack_truth(data: Sequence[Any], n_systems: int | None, options: Mapping[str, Any]) -> bool:
    """Whether data are columns of answers alone."""
    if not data or options.get("truth") is not None or any(isinstance(x, Outcomes | MultilabelOutcomes) for x in data):
        return False
    if isinstance(data[0], ItemScores):
        return data[0].truth is None
    if len(data) == 2 and isinstance(data[1], str):  # noqa: PLR2004 - the name of the one that is meant
        data = data[:1]
    if len(data) == 1 and (isinstance(data[0], Mapping) or is_table(data[0])):
        return True
    return len(data) == n_systems and not any(isinstance(x, Mapping) or is_table(x) for x in data)
