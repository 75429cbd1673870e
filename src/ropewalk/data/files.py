"""Read prediction files of any format, plain or gzipped: count them, or take their columns.

The format is taken from the first bytes, not from the name. Text formats need the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import IO, Any, Final

from ropewalk._files import shorten_path
from ropewalk.data.columns import (
    ROWS_PER_CHUNK,
    Batches,
    Rows,
    as_floats,
    joined,
    numbers_in,
)
from ropewalk.data.formats import format_of
from ropewalk.data.formats.form import TOO_LONG, Format, is_too_long
from ropewalk.data.frames import count_frame, frame_arrays, frame_columns, frame_rows, is_frame
from ropewalk.data.labels import whole_columns, without_point
from ropewalk.data.opening import opened
from ropewalk.errors import FileFormatError, LookalikeLabelsWarning, warn_caller
from ropewalk.text.writing import shorten

DISTINCT_CAP: Final = 1 << 24
"""How many different rows are counted, of all the columns that are asked for."""


def count_file(path: str | os.PathLike[str], columns: Sequence[str]) -> Rows:
    """Count the distinct rows of some columns of a file, streaming text formats."""
    with _opened(path) as (stream, form, shown):
        rows = form.count(stream, columns, shown)
        if rows is None:
            stream.seek(0)
            rows = _counted(form.read(stream, columns, shown), columns, shown)
        rows = _as_integers(rows, columns)
        if any(isinstance(label, str) and is_too_long(label) for row in rows for label in row):
            raise FileFormatError(f"{shown}: {TOO_LONG}.", hint="labels are short.")
    if not rows:
        raise FileFormatError(f"{shown} has no rows.", hint="a file needs a header line and at least one item.")
    return rows


def file_columns(path: str | os.PathLike[str], columns: Sequence[str]) -> list[list[Any]]:
    """Return some columns of a file as lists, item by item."""
    with _opened(path) as (stream, form, shown):
        table = form.read(stream, columns, shown)
        frames = _frames_of(table)
        if frames is None:
            lists = list(map(list, zip(*table, strict=True)))
        else:
            lists = [[] for _ in columns]
            for frame in frames:
                for values, more in zip(lists, frame_columns(frame, columns), strict=True):
                    values.extend(more)
    lists = [list(map(without_point, each)) if whole_columns(zip(each), 1)[0] else each for each in lists]
    if not lists or not lists[0]:
        raise FileFormatError(f"{shown} has no rows.", hint="a file needs a header line and at least one item.")
    return lists


def file_arrays(path: str | os.PathLike[str], columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
    """Return some columns of a file: arrays of numbers, and lists of anything else; a part at a time is Python's own.

    Texts in a column that is among `numbers` are read as such; a hole there is NaN.
    """
    with _opened(path) as (stream, form, shown):
        table = form.read(stream, columns, shown)
        frames = _frames_of(table)
        if frames is not None:
            parts = [frame_arrays(frame, columns, numbers) for frame in frames]
        else:
            parts = [
                [
                    as_floats(numbers_in(cells, name, before)) if name in numbers else cells
                    for name, cells in zip(columns, lists, strict=True)
                ]
                for before, lists in _chunks(table)
            ]
    if not parts or not len(parts[0][0]):
        raise FileFormatError(f"{shown} has no rows.", hint="a file needs a header line and at least one item.")
    whole = [joined(column) for column in zip(*parts, strict=True)]
    return [
        list(map(without_point, each)) if isinstance(each, list) and whole_columns(zip(each), 1)[0] else each
        for each in whole
    ]


def _chunks(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, list[list[Any]]]]:
    """Yield some rows at a time as columns, and how many rows came before them."""
    rows, before = iter(rows), 0
    while part := list(islice(rows, ROWS_PER_CHUNK)):
        yield before, list(map(list, zip(*part, strict=True)))
        before += len(part)


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """Return what the columns of a file are called; of JSON those of the first object."""
    with _opened(path) as (stream, form, shown):
        return form.names(stream, shown)


def file_rows(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a file row by row, streaming text formats."""
    whole = whole_columns(_plain_rows(path, columns), len(columns))
    for row in _plain_rows(path, columns):
        yield tuple([without_point(value) if w else value for value, w in zip(row, whole, strict=True)])


def _plain_rows(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    with _opened(path) as (stream, form, shown):
        table = form.read(stream, columns, shown)
        frames = _frames_of(table)
        yield from table if frames is None else chain.from_iterable(frame_rows(frame, columns) for frame in frames)


def _frames_of(table: Any) -> Iterable[Any] | None:
    """Return the dataframes that a format has read, None where it yields rows."""
    if isinstance(table, Batches):
        return table.frames
    return [table] if is_frame(table) else None


def _counted(table: Any, columns: Sequence[str], shown: str) -> Rows:
    """Count the distinct rows that a format has read."""
    counted: Counter[Any] = Counter()
    for part in _parts(table, columns):
        counted.update(part)
        if len(counted) > DISTINCT_CAP:
            raise FileFormatError(
                f"{shown} has over {DISTINCT_CAP:,} different rows.", hint="is one of these columns an id?"
            )
    return dict(counted)


def _parts(table: Any, columns: Sequence[str]) -> Iterator[Rows | list[tuple[Any, ...]]]:
    """Yield what a format has read, a part at a time: frames are counted, rows as they are."""
    frames = _frames_of(table)
    if frames is not None:
        yield from (count_frame(frame, columns) for frame in frames)
        return
    rows = iter(table)
    while part := list(islice(rows, ROWS_PER_CHUNK)):
        yield part


def _as_integers(rows: Rows, columns: Sequence[str]) -> Rows:
    """Return rows in which a column of whole numbers that are written as 1.0 is one of integers."""
    whole = whole_columns(rows, len(columns))
    if not any(whole):
        return rows
    counted: Counter[Any] = Counter()
    for row, number in rows.items():
        counted[tuple([without_point(value) if w else value for value, w in zip(row, whole, strict=True)])] += number
    if not all(whole):
        named = shorten(name for name, w in zip(columns, whole, strict=True) if w)
        warn_caller(f"Labels of {named} are written as 1.0 and read as 1.", LookalikeLabelsWarning)
    return dict(counted)


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], Format, str]]:
    """Open a file, look through gzip, and find its format."""
    with opened(path) as stream:
        shown = shorten_path(path)
        yield stream, format_of(stream, shown), shown
