"""`ropewalk compare`: logs, counts, columns of one file, two files joined by ids, or two confusion matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeAlias

import ropewalk as rw
from ropewalk.cli.counts import read_counted
from ropewalk.cli.forms import form_of, refuse_idle, require_options
from ropewalk.cli.logs import OTHER, LogOptions, LongOptions, TaskColumn, questions_on, read_all
from ropewalk.cli.output import ADVANCED, DATA, INPUT_FILE, OUTPUT, QUESTION, WRITTEN, OutputOptions, answer
from ropewalk.cli.reading import (
    TABLE,
    DatabaseOptions,
    VerbOptions,
    flag_of,
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
from ropewalk.results import Rendered
from ropewalk.results.forms import COUNTS, FILE, JOINED, LOGS, LONG, MATRICES, OF_LABELS, OF_LOGS, OF_ROWS
from ropewalk.results.options import ClassesOptions, CompareOptions, JudgeOptions, SeveralRunsOptions, asks_about
from ropewalk.text.writing import count_of, shorten

Data: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""Tables, and what stands beside them."""


class CompareColumns(DatabaseOptions, total=False):
    """A table, and its columns of predictions; or evaluation logs, and their systems."""

    file: Annotated[str, TABLE()]
    other: Annotated[str, OTHER(help="that of the other system; FILE is then A's.")]
    a: Annotated[str, DATA(help="Column of classifier A; of several systems in a log, or with --system, its name.")]
    b: Annotated[str, DATA(help="Column of classifier B.")]


EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old --rope 1%",
    "p.csv --truth y --a new --b old --goal not-worse --margin 2%",
    "preds.csv --truth y --a new --b old --html report.html",
    "logs/new.eval logs/old.eval --rope 1%",
    "runs.csv --system model --item q --score ok --a new --b old",
)


class Options(
    CompareColumns, LongOptions, LogOptions, CompareOptions, TaskColumn, VerbOptions, OutputOptions, total=False
):
    """What `ropewalk compare` takes."""

    per_class: Annotated[bool, QUESTION(help="Every class against the rest.", parse=bool, forms=OF_LABELS)]
    pool: Annotated[bool | None, ADVANCED(help="With --per-class: draw differences towards their centre.", parse=bool)]
    no_pool: Annotated[bool, ADVANCED(help="With --by: each slice's own posterior.", parse=bool)]
    file_a: Annotated[str, INPUT_FILE(help="A's own file, joined by --id.")]
    file_b: Annotated[str, INPUT_FILE(help="B's own file, joined by --id.")]
    prediction: Annotated[str, DATA(help="column of predictions.", forms=(JOINED, LONG))]
    confusion_a: Annotated[str, INPUT_FILE(help="A's confusion matrix: integers, rows = truth, no header.")]
    confusion_b: Annotated[str, INPUT_FILE(help="B's confusion matrix.")]
    items: Annotated[
        str,
        OUTPUT(
            help="Also write the items on which the two differ, as CSV.",
            metavar=WRITTEN,
            forms=OF_ROWS,
        ),
    ]


def run(options: Options) -> None:
    """Compare two classifiers."""
    if "per_class" in options and "pos_label" in options:
        raise InvalidInputError(
            "--pos-label picks one class and --per-class takes them all; give one of the two.", hint="leave one out."
        )
    if "per_class" in options and ("a_scores" in options or "b_scores" in options):
        raise InvalidInputError("--a-scores and --b-scores do not go with --per-class.", hint="leave them out.")
    if "pool" in options and "per_class" not in options:
        raise InvalidInputError("--pool is about many classes.", hint="give --per-class too.")
    if "no_pool" in options and "by" not in options:
        raise InvalidInputError("--no-pool is about slices.", hint="name their column as --by.")
    for name in ("items", "by", "flips", "task", "over", "weights", "runs"):
        if name in options and "per_class" in options:
            text = f"{flag_of(name)} is about one question, and --per-class asks one per class."
            raise InvalidInputError(text, hint="leave one out.")
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
    _answer(form, options)


def _answer(form: str, options: Options) -> None:
    """Read the data and ask."""
    tables, beside = _READERS[form](options)
    kind: type = ClassesOptions if "per_class" in options else CompareOptions
    verb: Callable[..., Rendered] = rw.compare_classes if "per_class" in options else rw.compare
    of_logs = form in OF_LOGS
    tasks = dict.fromkeys(task for log in tables for task in log.tasks) if of_logs else ()
    is_suite = "over" in options or "weights" in options or ("task" in options and not of_logs)
    if len(tasks) > 1:
        verb = rw.compare if is_suite else rw.compare_tasks
        if "items" in options:
            text = f"--items is about one question, and the logs hold {len(tasks)} tasks: {shorten(tasks, 12)}."
            raise InvalidInputError(text, hint="pick one by --task.")
    elif is_suite and "items" in options:
        raise InvalidInputError("--items is about one question, and not about tasks.", hint="leave it out.")
    if asks_about(SeveralRunsOptions, options) or (form == FILE and asks_about(JudgeOptions, options)):
        asked = questions(options, kind, beside.pop("known", ()))
    else:
        asked = questions_on(tables, options, kind) if of_logs else questions(options, kind, tables[0].labels)
    answer(options, verb, *tables, **beside, **asked, **({"pool": False} if "no_pool" in options else {}))


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
        raise InvalidInputError(
            f"{options['file']} holds {count_of(len(logs[0].systems), 'system')}: {shorten(logs[0].systems, 12)}.",
            hint="choose two by --a and --b, or give another log: ropewalk compare NEW OLD; ropewalk rank takes all.",
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
