"""Counts as files: what a question needs of the rows leaves the machine where the rows themselves may not."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from ropewalk._checks import checked_keywords
from ropewalk._files import write_text
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.table_json import KEYS, open_table
from ropewalk.errors import ColumnNotFoundError, DataError, FileFormatError
from ropewalk.text.writing import shorten
from ropewalk.typing import Label

COUNTED: Final = (Outcomes, MultilabelOutcomes)
"""The tables that are written as counts."""


@dataclass(frozen=True, slots=True)
class Counts:
    """A table of counts, and the columns that were counted, as far as they are known: its truth, its clusters."""

    table: AnyOutcomes
    columns: Mapping[str, str]


def says_counts(head: bytes) -> bool:
    """Whether a JSON document that begins so says that it holds counts; where keys were sorted, clusters come first."""
    keys: list[str] = []
    document = JsonStream(io.BytesIO(head), "")
    with suppress(FileFormatError):
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            keys.append(key)
            if key == "kind":
                return str(document.value()).startswith("ropewalk.")
            document.skip()
        return False
    return bool(keys) and set(keys) <= KEYS and keys[0].startswith("cluster")


def open_counts(path: str | os.PathLike[str]) -> Counts:
    """Read a file of counts, with what it says of the columns."""
    table, document = open_table(path, COUNTED)
    assert isinstance(table, COUNTED)  # noqa: S101
    return Counts(table, document.columns)


@checked_keywords
def read_counts(path: str | os.PathLike[str]) -> AnyOutcomes:
    """Read a file of counts, which ``ropewalk count`` or `Outcomes.save` wrote.

    What it holds answers every question about labels as the rows would, bit by bit. Tables add up: ``a + b``, or
    ``sum(map(read_counts, paths))``. Clusters whose ids were left out of a file are not the same as any of another
    file.

    Examples
    --------
    >>> import ropewalk as rw
    >>> rw.Outcomes.from_confusion([[9, 1], [2, 8]], name="svm").save("svm.json")
    >>> rw.read_counts("svm.json")
    Outcomes(20 items, 2 labels, classifiers: 'svm')
    """
    return open_counts(path).table


def write_counts(path: str | os.PathLike[str], counts: Counts) -> None:
    """Write a file of counts, whole or not at all."""
    write_text(path, counts.table.to_json(counts.columns) + "\n")


def merge_counts(parts: Mapping[str, Counts], labels: Iterable[Label] | None = None) -> Counts:
    """Add counts of the same systems, by the names of their files; `labels` are in this order, else united and sorted.

    Systems are those of the first, in its order.
    """
    (first, whole), *others = parts.items()
    table, columns = whole.table, dict(whole.columns)
    for name, part in others:
        if set(part.table.names) != set(table.names):
            raise ColumnNotFoundError(
                f"{first!r} counts {shorten(table.names)}, and {name!r} counts {shorten(part.table.names)}.",
                hint="only counts of the same systems add up: count them again under the same names.",
            )
        if type(part.table) is not type(table):
            raise DataError(
                f"{first!r} holds items with one label each, and {name!r} does not, or the other way.",
                hint="merge those of one kind.",
            )
        try:
            table += part.table.project(table.names)
        except DataError as error:
            raise type(error)(f"{name!r} does not fit the others: {error.message}", hint=error.hint) from error
        columns = {key: column for key, column in columns.items() if part.columns.get(key) == column}
    return Counts(table if labels is None else table.over(labels), columns)


def small_cells(table: AnyOutcomes, fewest: int) -> int:
    """Return how many rows of a table stand for fewer items than these."""
    return int((table.counts < fewest).sum())


def hide_labels(table: AnyOutcomes) -> AnyOutcomes:
    """Return the same table with numbers in place of the labels: 0, 1, … in their order."""
    return replace(table, labels=tuple(x if x == NO_ANSWER else i for i, x in enumerate(table.labels)))
