"""`ropewalk compare`: logs, counts, columns of one file, two files joined by ids, or two confusion matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import ropewalk as rw
from ropewalk.cli.logs import LogOptions, LongOptions, TaskColumn
from ropewalk.cli.output import ADVANCED, OUTPUT, QUESTION, WRITTEN, OutputOptions, answer
from ropewalk.cli.pairs import PairColumns, PairFiles, asked_of, check_pair, read_pair
from ropewalk.cli.reading import VerbOptions, flag_of
from ropewalk.errors import InvalidInputError
from ropewalk.results import Rendered
from ropewalk.results.forms import OF_LABELS, OF_LOGS, OF_ROWS
from ropewalk.results.options import ClassesOptions, CompareOptions
from ropewalk.text.writing import shorten

EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old --rope 1%",
    "p.csv --truth y --a new --b old --goal not-worse --margin 2%",
    "preds.csv --truth y --a new --b old --html report.html",
    "logs/new.eval logs/old.eval --rope 1%",
    "runs.csv --system model --item q --score ok --a new --b old",
)


class Options(
    PairColumns,
    PairFiles,
    LongOptions,
    LogOptions,
    CompareOptions,
    TaskColumn,
    VerbOptions,
    OutputOptions,
    total=False,
):
    """What `ropewalk compare` takes."""

    per_class: Annotated[bool, QUESTION(help="Every class against the rest.", parse=bool, forms=OF_LABELS)]
    pool: Annotated[bool | None, ADVANCED(help="With --per-class: draw differences towards their centre.", parse=bool)]
    no_pool: Annotated[bool, ADVANCED(help="With --by: each slice's own posterior.", parse=bool)]
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
    form, checked = check_pair(options)
    _answer(form, checked)


def _answer(form: str, options: Mapping[str, Any]) -> None:
    """Read the data and ask."""
    tables, beside = read_pair(form, options)
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
    asked = asked_of(form, options, kind, tables, beside)
    answer(options, verb, *tables, **beside, **asked, **({"pool": False} if "no_pool" in options else {}))
