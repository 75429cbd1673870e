"""Read prediction files of any format, plain or compressed: count them, or take their columns.

A pattern or a folder is all of its files, one after the other; what is said of a file is true of them together. The
format is taken from the first bytes, not from the name. Text formats need the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import IO, Any

import numpy as np

from ropewalk._files import shorten_path
from ropewalk.data.columns import ROWS_PER_CHUNK, Batches, Rows, check_distinct
from ropewalk.data.formats import format_of
from ropewalk.data.formats.duck_session import DuckSession
from ropewalk.data.formats.form import TOO_LONG, Format, broad_kind, is_too_long
from ropewalk.data.frames import count_frame, frame_columns, frame_parts, frame_rows, is_frame
from ropewalk.data.gathering import Coded, Gathered
from ropewalk.data.label_columns import whole_columns
from ropewalk.data.labels import without_point
from ropewalk.data.opening import opened
from ropewalk.data.patterns import tables_in
from ropewalk.errors import (
    DataError,
    FileFormatError,
    LabelTypeError,
    LookalikeLabelsWarning,
    UnfinishedError,
    warn_caller,
)
from ropewalk.text.writing import shorten


def count_file(path: str | os.PathLike[str], columns: Sequence[str]) -> Rows:
    """Count the distinct rows of some columns of a file, streaming text formats."""
    files = tables_in(path)
    counted: Rows = {}
    kinds = _Kinds(path, files)
    with DuckSession(sum(map(_size, files))) as session:
        for file in files:
            with _opened(file) as (stream, form, shown), kinds.about(shown):
                rows = form.count(stream, columns, shown, session)
                if rows is None:
                    stream.seek(0)
                    rows = _counted(form.read(stream, columns, shown), columns, shown)
                if any(isinstance(label, str) and is_too_long(label) for row in rows for label in row):
                    raise FileFormatError(f"{shown}: {TOO_LONG}.", hint="labels are short.")
                kinds.check(columns, (map(itemgetter(i), rows) for i in range(len(columns))))
                for row, number in rows.items():
                    counted[row] = counted.get(row, 0) + number
                check_distinct(len(counted), shorten_path(path))
    if not counted:
        raise _without_rows(path)
    return _as_integers(counted, columns)


def file_columns(path: str | os.PathLike[str], columns: Sequence[str]) -> list[list[Any]]:
    """Return some columns of a file as lists, item by item."""
    files = tables_in(path)
    kinds = _Kinds(path, files)
    lists: list[list[Any]] = [[] for _ in columns]
    for file in files:
        with _opened(file) as (stream, form, shown), kinds.about(shown):
            table = form.read(stream, columns, shown)
            frames = _frames_of(table)
            parts = _chunks(table) if frames is None else (frame_columns(frame, columns) for frame in frames)
            for part in parts:
                kinds.check(columns, part)
                for values, more in zip(lists, part, strict=True):
                    values.extend(more)
    if not lists[0]:
        raise _without_rows(path)
    return [list(map(without_point, each)) if whole_columns(zip(each), 1)[0] else each for each in lists]


def file_arrays(path: str | os.PathLike[str], columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
    """Return some columns of a file: arrays of numbers, `Coded` labels, and lists of anything else.

    Texts in a column that is among `numbers` are read as such; a hole there is NaN.
    """
    files = tables_in(path)
    kinds = _Kinds(path, files)
    together = Gathered(columns, numbers)
    n_rows = 0
    with DuckSession(sum(map(_size, files))) as session:
        for file in files:
            with _opened(file) as (stream, form, shown), kinds.about(shown):
                found = Gathered(columns, numbers)
                for part in _array_parts(form, stream, columns, numbers, shown, session=session):
                    found.add(part)
                whole = found.columns()
                kinds.check(columns, whole)
                together.add(whole)
                n_rows += len(whole[0])
    if not n_rows:
        raise _without_rows(path)
    return [_whole_numbers(column) for column in together.columns()]


def _whole_numbers(column: Any) -> Any:
    """Return a column of labels that are written as 1.0 as one of integers."""
    labels = column.values if isinstance(column, Coded) else column
    if isinstance(labels, np.ndarray) or not whole_columns(zip(labels), 1)[0]:
        return column
    plain = list(map(without_point, labels))
    return column.mapped(plain) if isinstance(column, Coded) else plain


def _array_parts(
    form: Format,
    stream: IO[bytes],
    columns: Sequence[str],
    numbers: Collection[str],
    shown: str,
    *,
    session: DuckSession,
) -> Iterator[list[Any]]:
    """Yield columns of one file, some rows at a time."""
    whole = form.arrays(stream, columns, numbers, shown, session)
    if whole is not None:
        yield whole
        return
    stream.seek(0)
    table = form.read(stream, columns, shown)
    frames = _frames_of(table)
    if frames is None:
        yield from _chunks(table)
        return
    for frame in frames:
        yield from frame_parts(frame, columns, numbers)


def _chunks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[list[Any]]]:
    """Yield some rows at a time as columns."""
    rows = iter(rows)
    while part := list(islice(rows, ROWS_PER_CHUNK)):
        yield list(map(list, zip(*part, strict=True)))


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """Return what the columns of a file are called; of JSON those of the first object, of several files the first's."""
    with _opened(tables_in(path)[0]) as (stream, form, shown):
        return form.names(stream, shown)


def format_at(path: str | os.PathLike[str]) -> str:
    """Return what the format of a file is called."""
    with _opened(path) as (_, form, _):
        return form.title


def file_rows(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a file row by row, streaming text formats."""
    whole = whole_columns(first_rows(path, columns), len(columns))
    for row in first_rows(path, columns):
        yield tuple([without_point(value) if w else value for value, w in zip(row, whole, strict=True)])


def first_rows(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a file row by row, as they are written: no more is read than is asked for."""
    for file in tables_in(path):
        with _opened(file) as (stream, form, shown):
            table = form.read(stream, columns, shown)
            frames = _frames_of(table)
            yield from table if frames is None else chain.from_iterable(frame_rows(frame, columns) for frame in frames)


def _frames_of(table: Any) -> Iterable[Any] | None:
    """Return the dataframes that a format has read, None where it yields rows."""
    if isinstance(table, Batches):
        return table.frames
    if isinstance(table, Iterator):
        return None
    return [table] if is_frame(table) else None


def _counted(table: Any, columns: Sequence[str], shown: str) -> Rows:
    """Count the distinct rows that a format has read."""
    counted: Counter[Any] = Counter()
    for part in _parts(table, columns, shown):
        counted.update(part)
        check_distinct(len(counted), shown)
    return dict(counted)


def _parts(table: Any, columns: Sequence[str], shown: str) -> Iterator[Rows | list[tuple[Any, ...]]]:
    """Yield what a format has read, a part at a time: frames are counted, rows as they are."""
    frames = _frames_of(table)
    if frames is not None:
        yield from (count_frame(frame, columns, shown) for frame in frames)
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
    """Open a file, look through its compression, and find its format."""
    with opened(path) as stream:
        shown = shorten_path(path)
        yield stream, format_of(stream, shown), shown


def _size(file: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        return os.stat(file).st_size  # noqa: PTH116 - the name is as the user wrote it
    return 0


def _without_rows(path: str | os.PathLike[str]) -> UnfinishedError:
    hint = "a file needs a header line and at least one item."
    return UnfinishedError(f"{shorten_path(path)} has no rows.", hint=hint)


class _Kinds:
    """What the columns of several files hold, which must be the same in all; errors say in which file they are."""

    def __init__(self, path: str | os.PathLike[str], files: Sequence[str]) -> None:
        self._several = list(files) != [os.fspath(path)]
        self._shown = ""
        self._known: dict[str, tuple[str, str]] = {}

    @contextlib.contextmanager
    def about(self, shown: str) -> Iterator[None]:
        """Name the file in errors about it."""
        self._shown = shown
        try:
            yield
        except DataError as error:
            if not self._several or shown in error.message:
                raise
            raise type(error)(f"{shown}: {error.message}", hint=error.hint) from error

    def check(self, columns: Sequence[str], values: Iterable[Any]) -> None:
        """Refuse a column whose values are of another kind than before."""
        for name, column in zip(columns, values, strict=False) if self._several else ():
            for kind in _kinds(column):
                known, first = self._known.setdefault(name, (kind, self._shown))
                if kind != known:
                    raise LabelTypeError(
                        f"{self._shown}: {name} is {kind} here and {known} in {first}.",
                        hint="1, '1' and true are different labels; write them as one type.",
                    )


def _kinds(column: Any) -> set[str]:
    """Return the kinds of the values of a column; whole numbers may be written with and without a point."""
    if isinstance(column, np.ndarray):
        return {"bool" if column.dtype.kind == "b" else "a number"}
    column = column.values if isinstance(column, Coded) else column
    return {broad_kind(value) for value in {type(value): value for value in column}.values() if value is not None}
