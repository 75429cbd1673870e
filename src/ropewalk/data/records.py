"""Rows that are somewhere else: in a file, a dataframe or a database. What is asked of them is the same everywhere."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from ropewalk._files import shorten_path
from ropewalk.data.columns import (
    Rows,
    as_column,
    check_same_length,
    column_rows,
    count_columns,
    require_columns,
)
from ropewalk.data.databases import Query
from ropewalk.data.engines import as_frame, columns_of
from ropewalk.data.files import column_names, count_file, file_arrays, file_columns, file_rows, first_rows
from ropewalk.data.frames import count_frame, frame_arrays, frame_columns, frame_rows
from ropewalk.data.kinds import require_rows

_COLUMNS: Final = "give columns of equal length by their names: {'y': [1, 0], 'a': [1, 1]}."


class Records(Protocol):
    """A table that is looked at by the names of its columns.

    A kind of its own is one class with these methods, and one line of `records_of`, which finds it.
    """

    @property
    def title(self) -> str:
        """What errors call it."""
        ...

    def names(self) -> list[str]:
        """Return what the columns are called."""
        ...

    def count(self, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns, where the data are."""
        ...

    def lists(self, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns as lists of plain values, item by item."""
        ...

    def arrays(self, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
        """Return some columns: arrays where they hold numbers or booleans, else lists of plain values.

        Texts in a column that is among `numbers` are read as such, and a hole there is NaN.
        """
        ...

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns row by row, a part of them in memory at a time."""
        ...

    def first_rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the same as it is written: no more is read than is asked for."""
        ...


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The rows of a file."""

    path: str

    @property
    def title(self) -> str:
        """What errors call it."""
        return shorten_path(self.path)

    def names(self) -> list[str]:
        """Return what the columns are called; of JSON those of the first object."""
        return column_names(self.path)

    def count(self, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns."""
        return count_file(self.path, columns)

    def lists(self, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns as lists of plain values, item by item."""
        return file_columns(self.path, columns)

    def arrays(self, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
        """Return some columns: arrays where they hold numbers, else lists."""
        return file_arrays(self.path, columns, numbers)

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns row by row."""
        return file_rows(self.path, columns)

    def first_rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns row by row, as they are written."""
        return first_rows(self.path, columns)


@dataclass(frozen=True, slots=True)
class FrameRecords:
    """The rows of a dataframe of any library, eager or lazy."""

    frame: Any
    title: str = "the table"

    def names(self) -> list[str]:
        """Return what the columns are called."""
        return columns_of(as_frame(self.frame))

    def count(self, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns, in the engine that holds the data."""
        return count_frame(self.frame, columns, self.title)

    def lists(self, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns as lists of plain values, item by item."""
        return frame_columns(self.frame, columns)

    def arrays(self, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
        """Return some columns: arrays where they hold numbers, else lists."""
        return frame_arrays(self.frame, columns, numbers)

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns row by row."""
        return frame_rows(self.frame, columns)

    first_rows = rows


@dataclass(frozen=True, slots=True)
class ColumnRecords:
    """The rows of a mapping from names to columns.

    Examples
    --------
    >>> table = ColumnRecords({"y": [1, 0, 1], "new": [1, 0, 0]})
    >>> table.names(), table.count(["y", "new"]), list(table.rows(["new"]))
    (['y', 'new'], {(1, 1): 1, (0, 0): 1, (1, 0): 1}, [(1,), (0,), (0,)])
    """

    columns: Mapping[str, Any]
    title: str = "the table"

    def names(self) -> list[str]:
        """Return what the columns are called."""
        return list(self.columns)

    def count(self, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns."""
        picked = self._picked(columns)
        return count_columns([picked[name] for name in columns], columns)

    def lists(self, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns as lists of plain values, item by item."""
        return [c.tolist() if isinstance(c, np.ndarray) else list(c) for c in self.arrays(columns)]

    def arrays(self, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:  # noqa: ARG002 - as they come
        """Return some columns: arrays where they hold whole numbers or booleans, else lists."""
        picked = self._picked(columns)
        return [picked[name] for name in columns]

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns row by row."""
        keys = list(dict.fromkeys(columns))
        for row in column_rows(self._picked(keys)):
            cells = dict(zip(keys, row, strict=True))
            yield tuple(cells[name] for name in columns)

    first_rows = rows

    def _picked(self, columns: Sequence[str]) -> dict[str, Any]:
        """Return some columns by name, all of one length."""
        require_columns(list(self.columns), columns)
        picked = {name: as_column(self.columns[name], name, "values", _COLUMNS) for name in columns}
        check_same_length(picked)
        return picked


def records_of(source: Any) -> Records:
    """Return the rows of a path, a query, a dataframe or a mapping from names to columns."""
    if isinstance(source, Query | ColumnRecords):
        return source
    if isinstance(source, Mapping):
        return ColumnRecords(source)
    if isinstance(source, str | os.PathLike):
        require_rows(source)
        return FileRecords(os.fspath(source))
    return FrameRecords(source)
