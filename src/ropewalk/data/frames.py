"""Dataframes of any library, through narwhals: what is asked of them is answered where they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from typing import Any, Final

from ropewalk.data.columns import (
    DISTINCT_CAP,
    ROWS_PER_CHUNK,
    Rows,
    check_distinct,
    count_columns,
    require_columns,
)
from ropewalk.data.engines import as_frame, collected, columns_of, engine_errors, in_parts, picked
from ropewalk.data.gathering import Coded, Gathered
from ropewalk.data.labels import clean, kind_in_words, not_a_label, plain_labels
from ropewalk.data.nested import Tree, path_in
from ropewalk.errors import EngineError

ROWS_PER_GROUPING: Final = 1 << 19  # of an eager dataframe at a time, so that memory does not follow the input

_ARROW_TEXT: Final = re.compile(r"(large_)?string$|dictionary<values=(large_)?string,")


def count_frame(frame: Any, columns: Sequence[str], title: str = "the table") -> Rows:
    """Count the distinct rows of some columns of a dataframe, lazy ones where the data are; errors say its title."""
    import narwhals as nw

    keys = list(dict.fromkeys(columns))
    wanted = frame_of(frame, keys)
    if _hold_objects(wanted, keys):
        # Grouping would merge objects such as 1, 1.0 and True.
        return count_columns(frame_columns(frame, columns), columns)
    if isinstance(wanted, nw.LazyFrame):
        parts = [wanted]
    else:
        parts = [wanted[i : i + ROWS_PER_GROUPING].lazy() for i in range(0, len(wanted), ROWS_PER_GROUPING)]
    counted: Counter[Any] = Counter()
    try:
        for part in parts:
            counted.update(rows_of(part, [f"c{i}" for i in range(len(keys))], keys, title))
            check_distinct(len(counted), title)
    except EngineError:
        if isinstance(wanted, nw.LazyFrame):
            raise
        # pandas cannot group every type of column that it holds, such as Arrow's views of texts.
        return count_columns(frame_columns(frame, columns), columns)
    places = [keys.index(column) for column in columns]
    return {tuple(row[place] for place in places): number for row, number in counted.items()}


def rows_of(lazy: Any, columns: Sequence[str], names: Sequence[str], title: str = "the table") -> Rows:
    """Count the distinct rows of columns that are safely called; `names` are what errors call them."""
    import narwhals as nw

    with engine_errors(lazy.to_native()):
        grouped = lazy.group_by(*columns).agg(nw.len().alias("n")).select(*columns, "n").head(DISTINCT_CAP + 1)
    *values, numbers = lists_of(collected(grouped))
    check_distinct(len(numbers), title)
    # Null and NaN come back differently from different engines: both become None.
    counted: Counter[Any] = Counter()
    for *row, number in zip(*map(plain_labels, values, names), numbers, strict=True):
        counted[tuple(row)] += int(number)
    return dict(counted)


def frame_of(frame: Any, columns: Sequence[str]) -> Any:
    """Return some columns of a dataframe, or what is inside structures, as c0, c1, …."""
    import narwhals as nw

    wrapped = as_frame(frame)
    names = columns_of(wrapped)
    paths = _paths(wrapped, names, columns)
    require_columns([*names, *(path for path in paths if path not in names)], columns)
    wanted = picked(wrapped, [names.index(paths[column][0]) for column in columns])
    if all(len(path) == 1 for path in paths.values()):
        return wanted
    with engine_errors(frame):
        inside = [
            reduce(lambda whole, key: whole.struct.field(key), paths[column][1:], nw.col(f"c{i}")).alias(f"c{i}")
            for i, column in enumerate(columns)
        ]
        return wanted.select(inside)


def _paths(wrapped: Any, names: Sequence[Any], columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the names that lead to columns, of those that are there."""
    plain: dict[str, tuple[str, ...]] = {column: (column,) for column in columns if column in names}
    if not any("." in column for column in columns if column not in plain):
        return plain
    with engine_errors(wrapped.to_native()):
        tree = dict(zip(names, map(_inside, wrapped.collect_schema().dtypes()), strict=True))
    return {column: path for column in columns if (path := path_in(tree, column)) is not None}


def _inside(kind: Any) -> Tree | None:
    """Return what is inside a structure."""
    return {field.name: _inside(field.dtype) for field in kind.fields} if hasattr(kind, "fields") else None


def _hold_objects(wanted: Any, names: Sequence[str]) -> bool:
    """Whether a column holds objects of Python, which only Python can count; refuse types that are no labels."""
    import narwhals as nw

    with engine_errors(wanted.to_native()):
        kinds = wanted.collect_schema().dtypes()
    for kind, name in zip(kinds, names, strict=True):
        if kind.is_nested() or kind.is_temporal() or kind == nw.Binary:
            raise not_a_label(name, kind_in_words("list" if kind.is_nested() else str(kind).partition("(")[0]))
    held = {nw.Object} if isinstance(wanted, nw.LazyFrame) else {nw.Object, nw.Unknown}
    return any(kind in held for kind in kinds)


def lists_of(table: Any) -> list[list[Any]]:
    """Return the columns of a collected dataframe as lists, by position."""
    return [column.to_list() for column in table.iter_columns()]


def frame_columns(frame: Any, columns: Sequence[str]) -> list[list[Any]]:
    """Return some columns of a dataframe as lists, item by item."""
    keys = list(dict.fromkeys(columns))
    lists = dict(zip(keys, lists_of(collected(frame_of(frame, keys).lazy())), strict=True))
    return [plain_labels(lists[name], name) for name in columns]


def frame_rows(frame: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a dataframe row by row, a part of them at a time."""
    keys = list(dict.fromkeys(columns))
    for part in in_parts(frame_of(frame, keys), ROWS_PER_GROUPING):
        lists = dict(zip(keys, lists_of(part), strict=True))
        yield from zip(*(lists[name] for name in columns), strict=True)


def frame_arrays(frame: Any, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
    """Return some columns of a dataframe: arrays of numbers and booleans, `Coded` labels, and lists of anything else.

    Texts in a column that is among `numbers` are read as such; a hole there is NaN.
    """
    found = Gathered(columns, numbers)
    for part in frame_parts(frame, columns, numbers):
        found.add(part)
    return found.columns()


def frame_parts(frame: Any, columns: Sequence[str], numbers: Collection[str] = ()) -> Iterator[list[Any]]:
    """Yield some columns of a dataframe, a part of the rows at a time; an eager one is one part."""
    import narwhals as nw

    keys = list(dict.fromkeys(columns))
    wanted = frame_of(frame, keys)
    for part in in_parts(wanted, ROWS_PER_GROUPING) if isinstance(wanted, nw.LazyFrame) else (wanted,):
        pieces = dict(zip(keys, pieces_of(part, keys, numbers), strict=True))
        yield [pieces[name] for name in columns]


def pieces_of(part: Any, columns: Sequence[str], numbers: Collection[str]) -> list[Any]:
    """Return the columns of an eager dataframe, whatever it calls them, as `Gathered` takes them."""
    return [
        _piece(series, is_number=name in numbers) for name, series in zip(columns, part.iter_columns(), strict=True)
    ]


def _piece(series: Any, *, is_number: bool) -> Any:
    """Return a column of a dataframe: an array where it holds numbers without holes, else `Coded` or a list."""
    kind = series.dtype
    if kind.is_float() or (not series.null_count() and (kind.is_integer() or str(kind) == "Boolean")):
        return series.to_numpy()
    if is_number:
        return series.to_list()
    column, found = series.to_native(), Gathered([series.name])
    if hasattr(column, "chunks") and _ARROW_TEXT.match(str(column.type)):
        for chunk in column.chunks:
            found.add([Coded.of_arrow(chunk)])
    else:
        for start in range(0, len(series), ROWS_PER_CHUNK):
            found.add([[clean(value) for value in series[start : start + ROWS_PER_CHUNK].to_list()]])
    return found.columns()[0]


def is_frame(data: Any) -> bool:
    """Whether narwhals knows `data` as a dataframe; strings, arrays and lists never are."""
    if isinstance(data, str | bytes | list | tuple | dict) or type(data).__module__.split(".")[0] == "numpy":
        return False
    import narwhals as nw

    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.DataFrame | nw.LazyFrame)
    except nw.exceptions.NarwhalsError:  # it is one, and `as_frame` says what is wrong with it
        return True


def frame_names(data: Any) -> list[Any]:
    """Return what a dataframe calls its columns; nothing for arrays."""
    return columns_of(as_frame(data)) if is_frame(data) else []


def series_of(frame: Any) -> dict[str, Any]:
    """Return the columns of a dataframe by name, each as its library has them."""
    wrapped = as_frame(frame)
    names = columns_of(wrapped)
    table = wrapped if hasattr(wrapped, "iter_columns") else collected(picked(wrapped, range(len(names))))
    return {str(name): series.to_native() for name, series in zip(names, table.iter_columns(), strict=True)}
