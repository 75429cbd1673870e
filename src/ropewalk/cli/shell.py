"""Between a shell, where everything is text, and Python: options in, wording of errors out."""

from __future__ import annotations

import csv
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from ropewalk.data.labels import find_label
from ropewalk.errors import InvalidInputError, LabelTypeError, RopewalkError, UnreadableFileError

T = TypeVar("T")

_SHARED = (
    "missing", "unmatched", "metric", "model", "classes", "pos_label", "labels", "rope", "prob", "draws", "rule",
    "prevalence", "predictions", "permutations", "cost_matrix", "at_least", "n_items", "id", "cluster", "goal",
    "simulations", "n_jobs", "threads", "max_n", "min_n", "width", "conclusive", "batch", "n", "cost_per_item", "value",
    "power", "tune", "step", "chains", "engine",
)  # fmt: skip
"""Options that Python and the command line share, but for the dashes."""

FLAGS: Final = {name: f"--{name.replace('_', '-')}" for name in _SHARED} | {"higher_is_better": "--lower-is-better"}


def parse_texts(text: str, option: str) -> list[str]:
    """Split a list; a part that holds a comma may be quoted, as in CSV."""
    parts = [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
    if not parts or not all(parts):
        raise InvalidInputError(f"{option} holds an empty part: {text!r}.", hint='quote commas: "x,1",y')
    return parts


def read_declared(labels: str | None, read: Callable[[list[Any] | None], T]) -> T:
    """Read with the declared labels; a shell knows only text, so take it as the type that the file has."""
    if labels is None:
        return read(None)
    texts = parse_texts(labels, "--labels")
    try:
        return read(list(texts))
    except LabelTypeError:
        for convert in ({"True": True, "False": False}.__getitem__, int):
            try:
                typed = [convert(text) for text in texts]
            except (KeyError, ValueError):
                continue
            return read(typed)
        raise


def parse_rope(text: str | None) -> float | list[float] | None:
    """Read a half-width or LOW,HIGH."""
    if text is None:
        return None
    numbers = parse_numbers(text, "--rope")
    return numbers[0] if len(numbers) == 1 else numbers


def parse_numbers(text: str, option: str) -> list[float]:
    """Read numbers separated by commas."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInputError(
            f"{option} takes a number, or numbers separated by commas; got {text!r}.",
            hint=f"write {option} {'500,1000' if option == '--n' else '0.05'}",
        ) from None


def parse_draws(text: str) -> Any:
    """Read a number of draws, or auto."""
    if text == "auto":
        return text
    try:
        return int(text.replace("_", ""))
    except ValueError:
        raise InvalidInputError(
            f"--draws takes a positive integer or auto; got {text!r}.", hint="write --draws 200000"
        ) from None


def parse_prevalence(text: str | None, labels: tuple[Any, ...]) -> Any:
    """Read P(positive), shares in label order, or label=share pairs."""
    if text is None:
        return None
    if "=" in text:
        pairs = [part.rpartition("=") for part in parse_texts(text, "--prevalence")]
        return {
            find_label(name, labels, by_text=True, what="prevalence"): parse_numbers(share, "--prevalence")[0]
            for name, _, share in pairs
        }
    numbers = parse_numbers(text, "--prevalence")
    return numbers[0] if len(numbers) == 1 else numbers


@contextmanager
def stdin_as_file(file: str) -> Iterator[str]:
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
