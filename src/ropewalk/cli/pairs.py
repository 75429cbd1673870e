"""Two systems that the shell names, in any form: logs, counts, columns of one file, two files, confusion matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias, TypedDict

import click

import ropewalk as rw
from ropewalk.cli.counts import read_counted
from ropewalk.cli.forms import form_of, refuse_idle, require_options
from ropewalk.cli.logs import OTHER, questions_on, read_all
from ropewalk.cli.output import DATA, INPUT_FILE
from ropewalk.cli.reading import (
    TABLE,
    DatabaseOptions,
    questions,
    read_both_kinds,
    read_joined,
    read_matrix_of,
    require_columns_of,
    truth_of,
    with_accuracy,
)
from ropewalk.cli.runs import runs_of
from ropewalk.errors import CountsError, InvalidInputError
from ropewalk.inference.question import check_taken_wrong, kind_of_data
from ropewalk.results.forms import COUNTS, FILE, JOINED, LOGS, LONG, MATRICES, OF_LOGS
from ropewalk.results.options import JudgeOptions, SeveralRunsOptions, asks_about
from ropewalk.text.writing import count_of, shorten

Options = Mapping[str, Any]

Data: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""Tables, and what stands beside them."""


class PairColumns(DatabaseOptions, total=False):
    """A table, and its columns of predictions; or evaluation logs, and their systems."""

    file: Annotated[str, TABLE()]
    other: Annotated[str, OTHER(help="that of the other system; FILE is then A's.")]
    a: Annotated[str, DATA(help="Column of classifier A; of several systems in a log, or with --system, its name.")]
    b: Annotated[str, DATA(help="Column of classifier B.")]


class PairFiles(TypedDict, total=False):
    """A file for each of the two."""

    file_a: Annotated[str, INPUT_FILE(help="A's own file, joined by --id.")]
    file_b: Annotated[str, INPUT_FILE(help="B's own file, joined by --id.")]
    prediction: Annotated[str, DATA(help="column of predictions.", forms=(JOINED, LONG))]
    confusion_a: Annotated[str, INPUT_FILE(help="A's confusion matrix: integers, rows = truth, no header.")]
    confusion_b: Annotated[str, INPUT_FILE(help="B's confusion matrix.")]


def check_pair(options: Options) -> tuple[str, Options]:
    """Return the form of the data that a line names, and its options, with the columns that it needs."""
    form = form_of(options)
    refuse_idle(options, form)
    if form == FILE and asks_about(JudgeOptions, options):
        require_columns_of(options, ("truth", "a", "b") if "human" in options else ("a", "b"))
    elif form == FILE:
        options = with_accuracy(options, [options.get("a"), options.get("b")])
        require_columns_of(options, (*truth_of(options), "a", "b"))
    elif form == JOINED:
        options = with_accuracy(options, [options.get("prediction")], options["file_a"], options["file_b"])
        require_options(options, ("id", *truth_of(options), "prediction"))
    return form, options


def read_pair(form: str, options: Options) -> Data:
    """Read the data of two systems, in one of the forms."""
    return _READERS[form](options)


def check_direction(form: str, options: Options, tables: Sequence[Any]) -> None:
    """Refuse counts of two systems that name none: which of them is the candidate must be said."""
    if form == COUNTS and len(tables) == 1 and not {"a", "b"} & options.keys():
        raise InvalidInputError(
            f"The counts are of {shorten(tables[0].names)}, and do not say which of them is the candidate.",
            hint="name it as --a, and the base line as --b.",
        )


def asked_of(form: str, options: Options, kind: type, tables: Sequence[Any], beside: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a function that takes `kind`, about data that have been read."""
    if asks_about(SeveralRunsOptions, options) or (form == FILE and asks_about(JudgeOptions, options)):
        return questions(options, kind, beside.pop("known", ()))
    return questions_on(tables, options, kind) if form in OF_LOGS else questions(options, kind, tables[0].labels)


def _one_file(options: Options) -> Data:
    if asks_about(SeveralRunsOptions, options) or asks_about(
        JudgeOptions, options
    ):  # columns that `compare` reads by itself
        return runs_of(options, ("a", "b"))
    table, scores = read_both_kinds(options, [options["a"], options["b"]])
    return (table,), {} if scores is None else {"scores": scores}


def _counts(options: Options) -> Data:
    return read_counted(options, [options.get("a"), options.get("b")]), {}


def _two_files(options: Options) -> Data:
    if kind_of_data(options) != "scores":
        if "threshold" in options:
            raise InvalidInputError("--threshold does not go with two files of labels.", hint="leave it out.")
        return (read_joined(options, rw.join_outcomes),), {}
    check_taken_wrong(options)
    return (read_joined(options, rw.join_scores),), {}


def _two_matrices(options: Options) -> Data:
    matrices = [read_matrix_of(options["confusion_a"]), read_matrix_of(options["confusion_b"])]
    if len(matrices[0]) != len(matrices[1]):
        raise CountsError(
            f"The two confusion matrices have {len(matrices[0])} and {len(matrices[1])} rows.",
            hint="both classifiers are judged on the same classes; an absent one has a row of zeros.",
        )
    names = options.get("a", "A"), options.get("b", "B")
    tables = tuple(
        rw.Outcomes.from_confusion(matrix, labels=options.get("labels"), name=name)
        for matrix, name in zip(matrices, names, strict=True)
    )
    return tables, {}


def _logs(options: Options) -> Data:
    """Open the logs; what they are asked for is read when they are compared."""
    logs = read_all(options)
    chosen: dict[str, Any] = {name: options[name] for name in ("a", "b") if name in options}
    if len(logs) == 1 and len(chosen) < 2 and len(logs[0].systems) != 2:  # noqa: PLR2004
        command = click.get_current_context().info_name
        raise InvalidInputError(
            f"{options['file']} holds {count_of(len(logs[0].systems), 'system')}: {shorten(logs[0].systems, 12)}.",
            hint=f"choose two by --a and --b; or give two logs: ropewalk {command} NEW OLD. ropewalk rank takes all.",
        )
    return logs, chosen


_READERS: Final[dict[str, Callable[[Options], Data]]] = {
    FILE: _one_file,
    JOINED: _two_files,
    MATRICES: _two_matrices,
    LOGS: _logs,
    LONG: _logs,
    COUNTS: _counts,
}
