"""`ropewalk compare`: logs, counts, columns of one file, two files joined by ids, or two confusion matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

import ropewalk as rw
from ropewalk.cli.counts import are_counts, read_counted
from ropewalk.cli.logs import (
    OF_LOGS,
    OF_ROWS,
    LogOptions,
    LongOptions,
    are_logs,
    questions_on,
    read_all,
    refuse,
    refuse_tables,
)
from ropewalk.cli.output import ADVANCED, DATA, INPUT_FILE, OUTPUT, QUESTION, WRITTEN, OutputOptions, answer
from ropewalk.cli.reading import (
    FILE,
    DatabaseOptions,
    VerbOptions,
    as_file,
    flag_of,
    questions,
    read_both_kinds,
    read_joined,
    read_matrix_of,
    require_columns_of,
    truth_of,
    with_accuracy,
)
from ropewalk.errors import CountsError, InvalidInputError
from ropewalk.inference.question import check_taken_wrong, kind_of_data
from ropewalk.results import Rendered
from ropewalk.results.options import ClassesOptions, CompareOptions
from ropewalk.text.writing import count_of, shorten

Data: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
"""Tables, and what stands beside them."""


class CompareColumns(DatabaseOptions, total=False):
    """A table, and its columns of predictions; or evaluation logs, and their systems."""

    file: Annotated[str, FILE()]
    other: Annotated[str, DATA(help="Log of the other system; FILE is then A's.", flag="LOG", is_input=True)]
    a: Annotated[str, DATA(help="Column of classifier A; of several systems in a log, or with --system, its name.")]
    b: Annotated[str, DATA(help="Column of classifier B.")]


EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old --rope 1%",
    "p.csv --truth y --a new --b old --goal not-worse --margin 2%",
    "preds.csv --truth y --a new --b old --html report.html",
    "logs/new.eval logs/old.eval --rope 1%",
    "runs.csv --system model --item q --score ok --a new --b old",
)


class Options(CompareColumns, LongOptions, LogOptions, CompareOptions, VerbOptions, OutputOptions, total=False):
    """What `ropewalk compare` takes."""

    per_class: Annotated[bool, QUESTION(help="Every class against the rest.", parse=bool)]
    pool: Annotated[bool | None, ADVANCED(help="With --per-class: draw differences towards their centre.", parse=bool)]
    no_pool: Annotated[bool, ADVANCED(help="With --by: each slice's own posterior.", parse=bool)]
    file_a: Annotated[str, INPUT_FILE(help="A's own file, joined by --id.")]
    file_b: Annotated[str, INPUT_FILE(help="B's own file, joined by --id.")]
    prediction: Annotated[str, DATA(help="Column of predictions in --file-a and --file-b, and with --system.")]
    confusion_a: Annotated[str, INPUT_FILE(help="A's confusion matrix: integers, rows = truth, no header.")]
    confusion_b: Annotated[str, INPUT_FILE(help="B's confusion matrix.")]
    items: Annotated[str, OUTPUT(help="Also write the items on which the two differ, as CSV.", metavar=WRITTEN)]


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
    for name in ("items", "by", "flips"):
        if name in options and "per_class" in options:
            text = f"{flag_of(name)} is about one question, and --per-class asks one per class."
            raise InvalidInputError(text, hint="leave one out.")
    held = _held(options)
    if held == "FILE":
        options = with_accuracy(options, [options.get("a"), options.get("b")])
    elif "file_a" in options and "file_b" in options:
        options = with_accuracy(options, [options.get("prediction")], options["file_a"], options["file_b"])
    form = _form(options, held)
    with as_file(options.get("file", "")) as file:  # standard input is there until the answer is
        _answer(form, {**options, "file": file} if "file" in options else options)


def _answer(form: str, options: Options) -> None:
    """Read the data and ask."""
    tables, beside = _FORMS[form].read(options)
    kind: type = ClassesOptions if "per_class" in options else CompareOptions
    verb: Callable[..., Rendered] = rw.compare_classes if "per_class" in options else rw.compare
    tasks = dict.fromkeys(task for log in tables for task in log.tasks) if form == "evaluation logs" else ()
    if len(tasks) > 1:
        verb = rw.compare_tasks
        if "items" in options:
            text = f"--items is about one question, and the logs hold {len(tasks)} tasks: {shorten(tasks, 12)}."
            raise InvalidInputError(text, hint="pick one by --task.")
    of_logs = form == "evaluation logs"
    asked = questions_on(tables, options, kind) if of_logs else questions(options, kind, tables[0].labels)
    answer(options, verb, *tables, **beside, **asked, **({"pool": False} if "no_pool" in options else {}))


def _held(options: Options) -> str | None:
    """Return what FILE holds, None where there is none."""
    if "file" not in options:
        return None
    return "counts" if are_counts(options) else "evaluation logs" if are_logs(options) else "FILE"


def _form(options: Options, held: str | None) -> str:
    """Return the form of the data, and refuse what is missing or does not go with it."""
    forms = [name for name, form in _FORMS.items() if any(file in options for file in form.files)]
    forms = [name for name in forms if name == held or "file" not in _FORMS[name].files]
    if len(forms) != 1:
        raise InvalidInputError(
            f"Give exactly one of {', '.join(_FORMS)}; got {', '.join(forms) or 'none'}.",
            hint="ropewalk compare FILE --truth COL --a COL --b COL --rope 0.01",
        )
    form = _FORMS[forms[0]]
    needed = form.needed
    if forms[0] == "FILE":
        require_columns_of(options, (*truth_of(options), *needed))
    elif not truth_of(options):
        needed = tuple(name for name in needed if name != "truth")
    absent = [flag_of(name) for name in (*form.files, *needed) if name not in options]
    if absent:
        raise InvalidInputError(f"Missing option {', '.join(absent)}.", hint="ropewalk compare --help lists them.")
    refuse(options, form.unused, forms[0])
    if forms[0] == "evaluation logs":
        refuse_tables(options)
    return forms[0]


def _one_file(options: Options) -> Data:
    table, scores = read_both_kinds(options, [options["a"], options["b"]])
    return (table,), {} if scores is None else {"scores": scores}


def _counts(options: Options) -> Data:
    return read_counted(options, [options.get("a"), options.get("b")]), {}


def _two_files(options: Options) -> Data:
    if kind_of_data(options) != "scores":
        refuse(options, ("threshold",), "two files of labels")
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


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of the data: its reader, the files that mark it, what else it needs, and what it would pass over."""

    read: Callable[[Options], Data]
    files: tuple[str, ...]
    needed: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


_OF_ITEMS: Final = ("truth", "id", "prediction", "missing", "unmatched", "cluster", "items", "by", *OF_ROWS)
_FORMS: Final = {
    "FILE": _Form(_one_file, ("file",), ("a", "b"), ("prediction", "unmatched", *OF_LOGS)),
    "--file-a and --file-b": _Form(
        _two_files, ("file_a", "file_b"), ("id", "truth", "prediction"), (*OF_ROWS, *OF_LOGS)
    ),
    "--confusion-a and --confusion-b": _Form(_two_matrices, ("confusion_a", "confusion_b"), (), (*_OF_ITEMS, *OF_LOGS)),
    "evaluation logs": _Form(_logs, ("file",)),
    "counts": _Form(_counts, ("file",), (), ("prediction",)),
}
