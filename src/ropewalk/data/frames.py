"""Count the rows of any dataframe through narwhals: pandas, polars, pyarrow, DuckDB and more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ropewalk.data.counting import Rows, count_columns
from ropewalk.data.labels import clean
from ropewalk.errors import ColumnNotFoundError, DataError, InvalidInputError, MissingDependencyError
from ropewalk.text.names import nearest, shorten

_CHUNK = 1 << 19  # rows grouped at a time in an eager frame, so that memory does not follow the input


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
    if any(schema[name] == nw.Object for name in keys):  # grouping would merge 1, 1.0 and True
        return count_columns(frame_columns(frame, columns), columns)
    if isinstance(wrapped, nw.LazyFrame):
        parts = [wrapped]
    else:
        wrapped = wrapped.select(*keys)
        parts = [wrapped[i : i + _CHUNK].lazy() for i in range(0, len(wrapped), _CHUNK)]
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


def is_frame(data: Any) -> bool:
    """Whether narwhals knows `data` as a dataframe; strings, arrays and lists never are."""
    if isinstance(data, str | bytes | list | tuple | dict) or type(data).__module__.split(".")[0] == "numpy":
        return False
    import narwhals as nw

    try:
        return isinstance(nw.from_native(data, pass_through=True), nw.DataFrame | nw.LazyFrame)
    except nw.exceptions.NarwhalsError:  # it is one, and `as_frame` says what is wrong with it
        return True


def as_frame(data: Any) -> Any:
    """Wrap a dataframe of any kind, or say what would be one."""
    import narwhals as nw

    try:
        wrapped = nw.from_native(data)
        wrapped.collect_schema()
    except nw.exceptions.NarwhalsError as error:
        raise DataError(f"This dataframe cannot be used: {error}.", hint="column names must differ.") from error
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


def require_columns(present: Sequence[str], wanted: Sequence[str], where: str = "the table") -> None:
    """Raise for the first column that is not there, naming the nearest one."""
    for name in wanted:
        if name not in present:
            guess = nearest(name, present)
            raise ColumnNotFoundError(
                f"Column {name!r} was not found in {where}.",
                hint=(f"did you mean {guess!r}? " if guess else "") + f"The columns are: {shorten(present)}.",
            )
