"""From what the shell names to tables of labels or scores, and the questions about them."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from shlex import join, quote
from typing import Annotated, Any, Final, TypedDict, TypeVar

import click

import ropewalk as rw
from ropewalk._files import is_pipe, shorten_path
from ropewalk._progress import current, metered
from ropewalk.cli.output import ADVANCED, DATA, QUESTION, with_notes
from ropewalk.data.both import BESIDE_LABELS
from ropewalk.data.databases import masked, parse_place, refuse_database, tables_hint
from ropewalk.data.formats import format_names
from ropewalk.data.labels import find_label
from ropewalk.data.matrices import read_matrix
from ropewalk.data.profiles import Column, look_at
from ropewalk.data.records import records_of
from ropewalk.data.roles import find_roles
from ropewalk.errors import (
    DataError,
    DroppedItemsWarning,
    FileFormatError,
    InvalidInputError,
    LabelTypeError,
    RopewalkError,
    UnreadableFileError,
)
from ropewalk.inference.question import (
    Sources,
    kind_of_data,
    kinds_of,
    metrics_of,
    read_sources,
    read_tables,
    select,
)
from ropewalk.inference.right import ACCURACIES, say_right, truth_beside
from ropewalk.mcmc.sampler import parse_engine
from ropewalk.metrics.resolve import needs_truth
from ropewalk.metrics.scores import accuracy_without_truth
from ropewalk.results import forms
from ropewalk.results.options import DataOptions, options_of
from ropewalk.results.parsing import parse_number, parse_numbers, parse_pairs
from ropewalk.text.writing import visible

MAX_COLUMNS_LISTED: Final = 20

STREAM_CAP: Final = 1 << 34
"""How much of standard input or a pipe is read, in bytes."""

_COPIED_AT_ONCE: Final = 1 << 20
_KEEP: Final = "save the data as a file and name that, or let TMPDIR name a folder with room."

T = TypeVar("T")
Options = Mapping[str, Any]

_SELECT: Final = 'say it by --sql "SELECT … FROM …".'
_SAMPLER: Final = ("step", "chains", "tune")
_JOINING: Final = ("id", "truth", "prediction", "missing", "cluster", "unmatched")
_OF_LABELS: Final = ("per_class", *_SAMPLER)
TABLE: Final = partial(DATA, help=f"{format_names('or')}, plain or compressed; - is stdin.", flag="FILE", is_input=True)


def parse_db(place: str, _flag: str) -> str:
    """Return the URL of a server, or the path that another URL names."""
    return parse_place(place)


class DatabaseOptions(TypedDict, total=False):
    """Rows of a database instead of a file."""

    sql: Annotated[str, DATA(help="Rows of the database that FILE or --db is: a SELECT.", metavar="QUERY")]
    db: Annotated[
        str,
        DATA(help="A database instead of FILE, such as postgresql://…", metavar="URL", parse=parse_db, is_input=True),
    ]


class FileOption(DatabaseOptions, total=False):
    """The table."""

    file: Annotated[str, TABLE(required=True)]


class LongTableOptions(TypedDict, total=False):
    """A table of one row per item and label."""

    item: Annotated[
        str,
        DATA(
            help="Column of items: multi-label with --label, one row per system with --system.",
            forms=(forms.FILE, forms.LONG),
        ),
    ]
    label: Annotated[str, DATA(help="Multi-label: column of labels; the others hold 0 and 1.", forms=(forms.FILE,))]
    n_items: Annotated[int, DATA(help="Multi-label: how many items there were in all.", parse=int, forms=(forms.FILE,))]


class VerbOptions(LongTableOptions, total=False):
    """What `compare`, `evaluate` and `rank` say otherwise than in Python."""

    lower_is_better: Annotated[bool, QUESTION(help="With --metric mean: less is better.", parse=bool)]
    step: Annotated[str, ADVANCED(help="With --engine pymc: nuts (default) or metropolis.")]
    chains: Annotated[int, ADVANCED(help="With --engine pymc: how many; 4, or 1 for metropolis.", parse=int)]
    tune: Annotated[int, ADVANCED(help="With --engine pymc: steps to tune and throw away.", parse=int)]


def with_query(options: dict[str, Any]) -> dict[str, Any]:
    """Return options in which FILE is the query of --sql, where there is one."""
    file, place = options.get("file"), options.get("db")
    if file is not None and place is not None:
        raise InvalidInputError("FILE and --db are both given.", hint="name the database once.")
    if "sql" not in options:
        if place is not None:
            raise InvalidInputError("--db needs --sql: which rows are meant?", hint=tables_hint(place, _SELECT))
        if file is not None and not is_stream(file):
            refuse_database(file, _SELECT)
        return options
    if file is None and place is None:
        raise InvalidInputError("--sql needs a database.", hint="name its file as FILE, or give --db URL.")
    if "other" in options or "others" in options:
        raise InvalidInputError("--sql asks one database, and several files are given.", hint="name one.")
    if is_stream(file):
        raise InvalidInputError("--sql needs a database, and a stream is none.", hint="name the file of a database.")
    return {**options, "file": rw.Query(options["sql"], place or file)}


def named_files(options: Options) -> list[Any]:
    """Return the files that a line names: FILE, and the other or others beside it."""
    files = [options[name] for name in ("file", "other") if name in options]
    return [*files, *options.get("others", ())]


def flag_of(name: str) -> str:
    """Return an option as the shell spells it."""
    return f"--{name.replace('_', '-')}"


def truth_of(options: Options) -> tuple[str, ...]:
    """Return the option that names the true labels, where the metric needs them."""
    return ("truth",) if any(map(needs_truth, metrics_of(options))) else ()


_OF_TRUE_LABELS: Final = ("labels", "pos_label", "per_class", "classes", "prevalence", "threshold")
"""What is about true labels: who says it means to compare with them."""


def with_accuracy(options: T, columns: Sequence[Any], *files: str) -> T:
    """Return options about the accuracy of columns that say which answers are right, where no truth is named.

    They are columns of FILE, or of each of these `files`. Where no metric is named either, they must hold nothing else.
    """
    asked: Any = options
    metrics, places = metrics_of(asked), files or (asked["file"],)
    if None in columns or any(metric not in {None, *ACCURACIES} for metric in metrics):
        return options
    if any(name in asked for name in ("truth", *_OF_TRUE_LABELS)):
        return options
    if None in metrics and any(map(is_stream, places)):
        return options
    if any(truth_beside(file, columns) is not None for file in places if not is_stream(file)):
        return options
    if None in metrics and not all(say_right(file, columns) for file in places):
        return options
    known_right = [accuracy_without_truth(metric or "accuracy") for metric in metrics]
    return {**asked, "metric": known_right if len(known_right) > 1 else known_right[0]}  # type: ignore[return-value]


def require_columns_of(options: Options, needed: Sequence[str]) -> None:
    """Refuse a line without the options that name columns: list those of the file, and suggest a line to paste."""
    absent = [flag_of(name) for name in needed if name not in options]
    if not absent:
        return
    message, file = f"Missing option {', '.join(absent)}.", options["file"]
    title = "The query" if isinstance(file, rw.Query) else shorten_path(file)
    records, guess = records_of(file), {}
    columns = records.names()
    with suppress(DataError):  # they are named all the same
        looked_at = look_at(records).columns
        guess = _guessed(looked_at, needed, options)
        if len(absent) == len(needed) and (answers := find_roles(looked_at).of_answers):
            needed, guess = tuple(answers), answers
    line = click.get_current_context().obj["line"]  # what was said already is said again
    missing = [part for name in needed if name not in options for part in (flag_of(name), guess.get(name, "COL"))]
    listed = ", ".join(map(visible, map(quote, columns[:MAX_COLUMNS_LISTED])))
    more = f" and {len(columns) - MAX_COLUMNS_LISTED} more" if len(columns) > MAX_COLUMNS_LISTED else ""
    pasted = join(map(masked, [*line, *missing]))
    raise InvalidInputError(f"{message} {title} has the columns {listed}{more}.", hint=f"ropewalk {pasted}")


def _guessed(columns: Sequence[Column], needed: Sequence[str], options: Options) -> dict[str, str]:
    """Return the columns that options may mean; empty where there are too few."""
    given = {name: str(options[name]) for name in needed if isinstance(options.get(name), str)}
    roles = find_roles(columns, given.get("truth"))
    if "truth" in needed and "truth" not in given:
        if roles.truth is None:
            return {}
        given["truth"] = roles.truth.name
    answers = roles.scores if kinds_of(options) == {"scores"} else roles.predictions
    left = [column.name for column in answers or roles.scores if column.name not in given.values()]
    wanted = [name for name in needed if name not in given]
    if "predictions" in wanted:
        return {**given, "predictions": ",".join(left)} if len(left) > 1 else {}
    if len(left) < len(wanted):
        return {}
    return given | dict(zip(wanted, left, strict=False))


def questions(options: Options, kind: type, labels: Sequence[Any]) -> dict[str, Any]:
    """Return the options of a function that takes `kind`, about data that have been read: texts become labels."""
    read = {*options_of(DataOptions), *BESIDE_LABELS, "unmatched"}
    question = {name: value for name, value in select(options, kind).items() if name not in read}
    kinds = kinds_of(options)
    if "cost" not in metrics_of(options) and ("labels" in kinds or kind_of_data(options) == "labels"):
        question.pop("threshold", None)  # the labels that were read come from it
    if "pos_label" in question:
        question["pos_label"] = find_label(question["pos_label"], labels, by_text=True)
    if "classes" in question:
        question["classes"] = [find_label(name, labels, by_text=True, what="classes") for name in question["classes"]]
    if "prevalence" in question:
        question["prevalence"] = _prevalence(question["prevalence"], labels)
    if "cost_matrix" in question:
        question["cost_matrix"] = read_matrix_of(question["cost_matrix"])
    if "lower_is_better" in options:
        question["higher_is_better"] = False
    if any(name in options for name in _SAMPLER):
        question["engine"] = parse_engine(options.get("engine", "auto"), *map(options.get, _SAMPLER))
    return question


def read_matrix_of(file: str) -> list[list[float]]:
    """Read a matrix from a file, or from standard input."""
    with as_file(file) as path:
        return read_matrix(path)


def _prevalence(text: str, labels: Sequence[Any]) -> Any:
    """Read P(positive), shares in label order, or label=share pairs."""
    if "=" in text:
        return {
            find_label(name, labels, by_text=True, what="prevalence"): parse_number(share, "--prevalence")
            for name, share in parse_pairs(text, "--prevalence").items()
        }
    numbers = parse_numbers(text, "--prevalence")
    return numbers[0] if len(numbers) == 1 else numbers


def read_file(options: Options, columns: Sequence[str]) -> Any:
    """Read columns of FILE: of labels or of scores, as the question says."""
    long = {name: options[name] for name in ("item", "label", "n_items") if name in options}
    if kind_of_data(options) == "scores":
        for name in (*long, *_OF_LABELS):
            if name in options:
                text = f"{flag_of(name)} is about labels, and the metric is of scores."
                raise InvalidInputError(text, hint="leave one out.")
    file = options["file"]
    if not long:
        usage = "--truth names the column of true labels."
        return read_declared(
            options, lambda labels: read_tables((file,), columns, {**options, "labels": labels}, usage=usage)[0]
        )
    if "item" not in long or "label" not in long:
        raise InvalidInputError(
            "--item and --label go together: a long table has one row per item and label.", hint="give both."
        )
    if any(name in options for name in ("id", "missing", "sample_weight", "count")):
        text = "--id, --missing, --weight and --count do not go with --item."
        raise InvalidInputError(text, hint="leave them out.")
    if "truth" not in options:
        raise InvalidInputError("Missing option --truth.", hint="name the column of true labels.")
    long |= {"truth": options["truth"], "predictions": columns, "cluster": options.get("cluster")}
    return read_declared(options, lambda labels: rw.read_multilabel(file, labels=labels, **long))


def read_both_kinds(options: Options, columns: Sequence[str]) -> tuple[Any, Any]:
    """Read columns of FILE, and the scores that stand beside labels, None where there are none."""
    if not any(name in options for name in BESIDE_LABELS) and len(kinds_of(options)) < 2:  # noqa: PLR2004
        return read_file(options, columns), None
    for name in options_of(LongTableOptions):
        if name in options:
            raise InvalidInputError(
                f"Labels and scores together have one row per item, without {flag_of(name)}.",
                hint=f"leave out {flag_of(name)}, or the metrics of scores.",
            )
    usage = "--truth names the column of true labels."

    def read(labels: list[Any] | None) -> Sources:
        return read_sources((options["file"],), columns, {**options, "labels": labels}, usage=usage)

    both = read_declared(options, read)
    return both["labels"][0], both["scores"][0]


def read_joined(options: Options, join: Callable[..., T]) -> T:
    """Join --file-a and --file-b by their ids; what is None is not said."""
    names = options.get("a", Path(options["file_a"]).stem), options.get("b", Path(options["file_b"]).stem)
    how: dict[str, Any] = {name: options[name] for name in _JOINING if options.get(name) is not None}
    how["names"] = names if names[0] != names[1] else ("A", "B")
    with as_file(options["file_a"]) as file_a, as_file(options["file_b"]) as file_b:
        return read_declared(options, lambda labels: join(file_a, file_b, labels=labels, **how))


def read_declared(options: Options, read_with: Callable[[list[Any] | None], T]) -> T:
    """Read with the declared labels, and say on stderr what is to be known of the data.

    A shell knows only text, so labels are taken as the type that the file has.
    """
    texts = options.get("labels")
    try:
        return with_notes(lambda: read_with(texts), said_later=DroppedItemsWarning)
    except LabelTypeError:
        for convert in ({"True": True, "False": False}.__getitem__, int):
            try:
                typed = [convert(text) for text in texts or ()]
            except (KeyError, ValueError):
                continue
            if typed:
                return with_notes(lambda: read_with(typed), said_later=DroppedItemsWarning)  # noqa: B023 - called at once
        raise


@contextmanager
def as_file(file: Any) -> Iterator[Any]:
    """Yield a query, or the path of a file; for - and a pipe that of a copy, since what is read is read twice."""
    if not is_stream(file):
        yield file
        return
    if file == "-" and sys.stdin is None:
        raise UnreadableFileError("There is no standard input to read.", hint="name a file instead of -.")
    with _temporary_folder() as folder:
        copy, shown = os.path.join(folder, "stdin"), "standard input" if file == "-" else shorten_path(file)  # noqa: PTH118 - the message below looks for this very text
        _keep(file, copy, shown)
        try:
            yield copy
        except RopewalkError as error:
            message = error.message.replace(repr(copy), shown)
            raise type(error)(message, hint=error.hint) from error


@contextmanager
def as_files(options: Options) -> Iterator[Options]:
    """Yield the files that a line names, FILE and those beside it, each as `as_file` does."""
    with ExitStack() as stack:
        named: dict[str, Any] = {
            name: stack.enter_context(as_file(options[name])) for name in ("file", "other") if name in options
        }
        if "others" in options:
            named["others"] = tuple([stack.enter_context(as_file(file)) for file in options["others"]])
        yield named


def is_stream(file: Any) -> bool:
    """Whether something can be read only once: standard input, or a pipe."""
    return isinstance(file, str) and (file == "-" or is_pipe(file))


@contextmanager
def _temporary_folder() -> Iterator[str]:
    """Yield a folder that is gone afterwards; its name is known before it is made, whenever a signal comes."""
    folder = ""
    try:
        try:
            folder = os.path.join(tempfile.gettempdir(), f"ropewalk-{secrets.token_hex(8)}")  # noqa: PTH118 - a text
            os.mkdir(folder, 0o700)  # noqa: PTH102 - as above
        except OSError as error:
            problem = error.strerror or error
            raise UnreadableFileError(f"There is no folder for temporary files: {problem}.", hint=_KEEP) from error
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _keep(file: str, copy: str, shown: str) -> None:
    """Copy a stream into a file, up to a bound."""
    try:
        with ExitStack() as stack:
            silent = file == "-" and sys.stdin.isatty()  # who types knows what is waited for
            steps = stack.enter_context(metered(None, f"MiB of {shown}", False if silent else current()))
            source = sys.stdin.buffer if file == "-" else stack.enter_context(open(file, "rb"))  # noqa: PTH123
            target, length = stack.enter_context(open(copy, "wb", buffering=0)), 0  # noqa: PTH123
            while part := source.read1(_COPIED_AT_ONCE):  # type: ignore[union-attr]  # signals are heard in between
                length += len(part)
                if length > STREAM_CAP:
                    raise FileFormatError(f"{shown} is longer than {STREAM_CAP:,} bytes.", hint=_KEEP)
                target.write(part)
                while steps.done < length >> 20:
                    steps.step()
    except OSError as error:
        if isinstance(error, RopewalkError):
            raise
        folder = shorten_path(tempfile.gettempdir())
        raise UnreadableFileError(f"Cannot copy {shown} to {folder}: {error.strerror or error}.", hint=_KEEP) from error
