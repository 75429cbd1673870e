"""From what the shell names to tables of labels or scores, and the questions about them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, Final, TypedDict, TypeVar

import ropewalk as rw
from ropewalk.cli.output import DATA, MODEL, QUESTION, with_notes
from ropewalk.data.both import BESIDE_LABELS
from ropewalk.data.files import format_names, read_matrix
from ropewalk.data.labels import find_label
from ropewalk.errors import InvalidInputError, LabelTypeError, RopewalkError, UnreadableFileError
from ropewalk.inference.question import Sources, kind_of_data, kinds_of, read_sources, read_tables, select
from ropewalk.mcmc.sampler import parse_engine
from ropewalk.results.options import DataOptions, options_of, parse_numbers, parse_texts

T = TypeVar("T")
Options = Mapping[str, Any]

_SAMPLER: Final = ("step", "chains", "tune")
_OF_LABELS: Final = ("per_class", *_SAMPLER)
FILE: Final = partial(DATA, help=f"{format_names('or')}, plain or gzipped; - is stdin.", flag="FILE", is_input=True)


class FileOption(TypedDict, total=False):
    """The table."""

    file: Annotated[str, FILE(required=True)]


class LongTableOptions(TypedDict, total=False):
    """A table of one row per item and label."""

    item: Annotated[str, DATA(help="Multi-label: column of items, with --label.")]
    label: Annotated[str, DATA(help="Multi-label: column of labels; the others hold 0 and 1.")]
    n_items: Annotated[int, DATA(help="Multi-label: how many items there were in all.", parse=int)]


class VerbOptions(LongTableOptions, total=False):
    """What `compare`, `evaluate` and `rank` say otherwise than in Python."""

    lower_is_better: Annotated[bool, QUESTION(help="With --metric mean: less is better.", parse=bool)]
    step: Annotated[str, MODEL(help="With --engine pymc: nuts (default) or metropolis.")]
    chains: Annotated[int, MODEL(help="With --engine pymc: how many; 4, or 1 for metropolis.", parse=int)]
    tune: Annotated[int, MODEL(help="With --engine pymc: steps to tune and throw away.", parse=int)]


def flag_of(name: str) -> str:
    """Return an option as the shell spells it."""
    return f"--{name.replace('_', '-')}"


def questions(options: Options, kind: type, labels: Sequence[Any]) -> dict[str, Any]:
    """Return the options of a function that takes `kind`, about data that have been read: texts become labels."""
    read = {*options_of(DataOptions), *BESIDE_LABELS}
    question = {name: value for name, value in select(options, kind).items() if name not in read}
    if "pos_label" in question:
        question["pos_label"] = find_label(question["pos_label"], labels, by_text=True)
    if "classes" in question:
        question["classes"] = [find_label(name, labels, by_text=True, what="classes") for name in question["classes"]]
    if "prevalence" in question:
        question["prevalence"] = _prevalence(question["prevalence"], labels)
    if "cost_matrix" in question:
        question["cost_matrix"] = read_matrix(question["cost_matrix"])
    if "lower_is_better" in options:
        question["higher_is_better"] = False
    if any(name in options for name in _SAMPLER):
        question["engine"] = parse_engine(options.get("engine", "auto"), *map(options.get, _SAMPLER))
    return question


def _prevalence(text: str, labels: Sequence[Any]) -> Any:
    """Read P(positive), shares in label order, or label=share pairs."""
    if "=" in text:
        pairs = [part.rpartition("=") for part in parse_texts(text, "--prevalence")]
        return {
            find_label(name, labels, by_text=True, what="prevalence"): parse_numbers(share, "--prevalence")[0]
            for name, _, share in pairs
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
    with as_file(options["file"]) as path:
        if not long:
            usage = "--truth names the column of true labels."
            return read_declared(
                options, lambda labels: read_tables((path,), columns, {**options, "labels": labels}, usage=usage)[0]
            )
        if "item" not in long or "label" not in long:
            raise InvalidInputError(
                "--item and --label go together: a long table has one row per item and label.", hint="give both."
            )
        if "id" in options or "missing" in options:
            raise InvalidInputError("--id and --missing do not go with --item.", hint="leave them out.")
        if "truth" not in options:
            raise InvalidInputError("Missing option --truth.", hint="name the column of true labels.")
        long |= {"truth": options["truth"], "predictions": columns, "cluster": options.get("cluster")}
        return read_declared(options, lambda labels: rw.read_multilabel(path, labels=labels, **long))


def read_both_kinds(options: Options, columns: Sequence[str]) -> tuple[Any, Any]:
    """Read columns of FILE, and the scores that stand beside labels, None where there are none."""
    if not any(name in options for name in BESIDE_LABELS) and len(kinds_of(options)) < 2:  # noqa: PLR2004
        return read_file(options, columns), None
    for name in options_of(LongTableOptions):
        if name in options:
            raise InvalidInputError(f"Labels and scores together have one row per item, without {flag_of(name)}.")
    usage = "--truth names the column of true labels."
    with as_file(options["file"]) as path:

        def read(labels: list[Any] | None) -> Sources:
            return read_sources((path,), columns, {**options, "labels": labels}, usage=usage)

        both = read_declared(options, read)
    return both["labels"][0], both["scores"][0]


def read_declared(options: Options, read_with: Callable[[list[Any] | None], T]) -> T:
    """Read with the declared labels, and say on stderr which items were left out.

    A shell knows only text, so labels are taken as the type that the file has.
    """
    texts = options.get("labels")
    try:
        return with_notes(lambda: read_with(texts))
    except LabelTypeError:
        for convert in ({"True": True, "False": False}.__getitem__, int):
            try:
                typed = [convert(text) for text in texts or ()]
            except (KeyError, ValueError):
                continue
            if typed:
                return with_notes(lambda: read_with(typed))  # noqa: B023 - called at once
        raise


@contextmanager
def as_file(file: str) -> Iterator[str]:
    """Yield the path of FILE; for - that of a temporary copy of standard input, since formats need to be looked at."""
    if file != "-":
        yield file
        return
    if sys.stdin is None:
        raise UnreadableFileError("There is no standard input to read.")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "stdin")  # noqa: PTH118 - the message below looks for this very text
        with open(copy, "wb") as handle:  # noqa: PTH123
            shutil.copyfileobj(sys.stdin.buffer, handle)
        try:
            yield copy
        except RopewalkError as error:
            message = error.message.replace(repr(copy), "standard input")
            raise type(error)(message, hint=error.hint) from error
