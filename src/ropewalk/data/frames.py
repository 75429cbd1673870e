"""Dataframes of any library, through narwhals: what is asked of them is answered where they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ropewalk.data.columns import Rows, as_floats, count_columns, numbers_in, require_columns
from ropewalk.data.labels import clean
from ropewalk.errors import DataError, InvalidInputError, MissingDependencyError
from ropewalk.text.writing import reason

ROWS_PER_GROUPING: Final = 1 << 19  # of an eager dataframe at a time, so that memory does not follow the input
LIBRARIES: Final = ("pandas", "polars", "pyarrow")
"""Libraries whose dataframes can be given back; narwhals reads more of them."""


def count_frame(frame: Any, columns: Sequence[str]) -> Rows:
    """Count the distinct rows of some columns of a dataframe, lazy ones where the data are."""
    import narwhals as nw

    wrapped = as_frame(frame)
    schema = wrapped.collect_schema()
    require_columns(schema.names(), columns)
    keys = list(dict.fromkeys(columns))
    number = "count"
    while number in schema.names():
        number += "_"
    if any(schema[name] in {nw.Object, nw.Unknown} or schema[name].is_nested() for name in keys):
        # Grouping would merge objects such as 1, 1.0 and True, and cannot tell lists or structures apart.
        return count_columns(frame_columns(frame, columns), columns)
    if isinstance(wrapped, nw.LazyFrame):
        parts = [wrapped]
    else:
        wrapped = wrapped.select(*keys)
        parts = [wrapped[i : i + ROWS_PER_GROUPING].lazy() for i in range(0, len(wrapped), ROWS_PER_GROUPING)]
    counted: Counter[Any] = Counter()
    for part in parts:
        grouped = part.group_by(keys).agg(nw.len().alias(number))
        table = _collect(grouped).select(*keys, nw.col(number).cast(nw.Int64))
        # Null and NaN come back differently from different back-ends: `clean` makes both None.
        lists = {name: [clean(value) for value in table[name].to_list()] for name in keys}
        rows = zip(*(lists[name] for name in columns), strict=True)
        for row, many in zip(rows, table[number].to_list(), strict=True):
            counted[row] += many
    return dict(counted)


def frame_columns(frame: Any, columns: Sequence[str]) -> list[list[Any]]:
    """Return some columns of a dataframe as lists, item by item."""
    wrapped = as_frame(frame)
    require_columns(wrapped.collect_schema().names(), columns)
    table = _collect(wrapped.lazy().select(*dict.fromkeys(columns)))
    return [[clean(value) for value in table[name].to_list()] for name in columns]


def frame_rows(frame: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a dataframe row by row, a part of an eager one at a time."""
    import narwhals as nw

    wrapped = as_frame(frame)
    require_columns(wrapped.collect_schema().names(), columns)
    keys = list(dict.fromkeys(columns))
    table = _collect(wrapped.select(*keys)) if isinstance(wrapped, nw.LazyFrame) else wrapped.select(*keys)
    for start in range(0, len(table), ROWS_PER_GROUPING):
        part = table[start : start + ROWS_PER_GROUPING]
        yield from zip(*(part[name].to_list() for name in columns), strict=True)


def frame_arrays(frame: Any, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
    """Return some columns of a dataframe: arrays of numbers and booleans, and lists of anything else.

    Texts in a column that is among `numbers` are read as such; a hole there is NaN.
    """
    wrapped = as_frame(frame)
    require_columns(wrapped.collect_schema().names(), columns)
    table = _collect(wrapped.lazy().select(*dict.fromkeys(columns)))
    return [_as_array(table[name], is_number=name in numbers) for name in columns]


def _as_array(series: Any, *, is_number: bool) -> Any:
    """Return a column of a dataframe as an array where it holds numbers without holes, else as a list."""
    kind = series.dtype
    if kind.is_float() or (not series.null_count() and (kind.is_integer() or str(kind) == "Boolean")):
        return series.to_numpy()
    values = series.to_list()
    return as_floats(numbers_in(values, series.name)) if is_number else [clean(value) for value in values]


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
    return list(as_frame(data).collect_schema().names()) if is_frame(data) else []


def library_of(data: Iterable[Any]) -> str:
    """Return the library of the first dataframe, or column of one, among data; empty where there is none."""
    for part in data:
        library = type(part).__module__.partition(".")[0]
        if library in LIBRARIES:
            return library
    return ""


def series_name(column: Any) -> str | None:
    """Return the name of a column of a dataframe; None where it has none, and for arrays and lists."""
    if isinstance(column, np.ndarray | list | tuple | str | Mapping) or column is None:
        return None
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    name = series.name if isinstance(series, nw.Series) else None
    return name if isinstance(name, str) and name else None


def series_of(frame: Any) -> dict[str, Any]:
    """Return the columns of a dataframe by name, each as its library has them."""
    wrapped = as_frame(frame)
    table = _collect(wrapped.lazy()) if not hasattr(wrapped, "iter_columns") else wrapped
    return {str(name): table[name].to_native() for name in table.columns}


def as_frame(data: Any) -> Any:
    """Wrap a dataframe of any kind; refuse anything else."""
    import narwhals as nw

    try:
        wrapped = nw.from_native(data)
        wrapped.collect_schema()
    except nw.exceptions.NarwhalsError as error:
        raise DataError(f"This dataframe cannot be used: {reason(error)}.", hint="column names must differ.") from error
    except TypeError as error:
        raise InvalidInputError(
            f"Expected a dataframe; got {type(data).__name__}.",
            hint="pandas, polars (eager or lazy), pyarrow tables and DuckDB relations work.",
        ) from error
    return wrapped


def _collect(lazy: Any) -> Any:
    # Plain collect(): with backend="pyarrow" a pandas or dask index leaks into the result.
    try:
        return lazy.collect()
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"This dataframe needs {error.name} to hand over its rows.", hint="pip install 'ropewalk[files]'"
        ) from error
