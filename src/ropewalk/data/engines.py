"""Engines that hold dataframes: one way to ask all that narwhals knows, and their errors in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from ropewalk.errors import DataError, EngineError, InvalidInputError, MissingDependencyError, RopewalkError
from ropewalk.text.writing import brief, reason, shorten

MAX_LETTERS: Final = 300
"""How much is shown of what an engine says."""

_HINTS: Final = (
    (("memory", "killedworker"), "give the engine more memory, or ask where fewer columns or rows are."),
    (("permission", "denied", "not authorized"), "ask who keeps the data for leave to read them."),
    (
        ("refused", "unavailable", "closed", "lost", "cancelled", "stopped", "timed out", "timeout"),
        "see whether the cluster is still there, start it again and make the dataframe anew.",
    ),
)
"""Words in what an engine says, in small letters, and what to do about it."""

_ELSE: Final = "the dataframe fails without ropewalk too: collect it by itself to see all that the engine says."


@contextmanager
def engine_errors(frame: Any) -> Iterator[None]:
    """Turn what an engine raises while it is asked about a dataframe into an error of one line."""
    try:
        yield
    except (RopewalkError, MemoryError):
        raise
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            f"This dataframe needs {error.name} to hand over its rows.", hint="pip install 'ropewalk[files]'"
        ) from error
    except Exception as error:
        name = type(frame).__module__.partition(".")[0].lstrip("_")
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        what = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
        hint = next((hint for words, hint in _HINTS if any(word in what.lower() for word in words)), _ELSE)
        raise EngineError(f"{name} failed with {brief(what, MAX_LETTERS).rstrip(' .:')}.", hint=hint) from error


def as_frame(data: Any) -> Any:
    """Wrap a dataframe of any kind; refuse anything else."""
    import narwhals as nw

    try:
        wrapped = nw.from_native(data)
    except TypeError as error:
        raise InvalidInputError(
            f"Expected a dataframe; got {type(data).__name__}.",
            hint="pandas, polars (eager or lazy), pyarrow tables, DuckDB relations, ibis, Dask, PySpark and sqlframe "
            "work.",
        ) from error
    except nw.exceptions.NarwhalsError as error:
        _refuse_twins(data)
        raise DataError(
            f"This dataframe cannot be used: {reason(error)}.", hint="make it anew with plain columns."
        ) from error
    return wrapped


def columns_of(wrapped: Any) -> list[Any]:
    """Return what the columns of a wrapped dataframe are called; no two may be called the same."""
    native = wrapped.to_native()
    try:
        with engine_errors(native):
            if wrapped.implementation.is_duckdb():
                names = list(native.columns)
            elif not hasattr(native, "toDF"):
                names = list(wrapped.collect_schema().names())
            elif wrapped.implementation.is_sqlframe():  # it keeps what was quoted in quotes
                names = [_unquoted(name) for name in native.schema.names]
            else:  # a schema by name would lose twins
                names = list(native.schema.names)
    except EngineError:
        _refuse_twins(native)
        raise
    _check_twins(names)
    if wrapped.implementation.is_ibis():  # some of its engines would read one column twice
        _check_twins([name.lower() for name in names], "but for small and large letters ")
    return names


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") and name.endswith("`") else name


def _refuse_twins(native: Any) -> None:
    """Say which columns go by the same name, where pandas, Dask or pyarrow say less."""
    if type(native).__module__.partition(".")[0] in {"pandas", "dask", "pyarrow"}:
        names: Any = getattr(native, "column_names", None) or getattr(native, "columns", ())
        _check_twins(list(names))


def _check_twins(names: Sequence[Any], alike: str = "") -> None:
    twins = [name for name, many in Counter(names).items() if many > 1]
    if twins:
        text = f"This dataframe cannot be used: several columns are {alike}called {shorten(twins, 3)}."
        raise DataError(text, hint="rename all but one of each.")


def picked(wrapped: Any, places: Sequence[int]) -> Any:
    """Return the columns at some places under the names c0, c1, …, into which no engine reads more than a name.

    A dot is a path for Spark, and a star all columns for DuckDB and polars; some do not tell small from large letters.
    """
    import narwhals as nw

    native = wrapped.to_native()
    with engine_errors(native):
        if hasattr(native, "toDF"):
            numbered = native.toDF(*(f"c{i}" for i in range(len(native.schema.names))))
            if wrapped.implementation.is_sqlframe():  # after a filter it would look for c0 beside where it is made
                numbered = numbered.alias("ropewalk")
            return nw.from_native(numbered).select(nw.col(f"c{p}").alias(f"c{i}") for i, p in enumerate(places))
        if wrapped.implementation.is_duckdb():
            quoted = [quoted_name(native.columns[place]) for place in places]
            return nw.from_native(native.project(", ".join(f"{name} AS c{i}" for i, name in enumerate(quoted))))
        return wrapped.select(nw.nth(place).alias(f"c{i}") for i, place in enumerate(places))


def quoted_name(name: str, mark: str = '"') -> str:
    """Return a name as SQL takes any: of a column or table, or as a text where that is the mark.

    Examples
    --------
    >>> print(quoted_name('a "b" c'), quoted_name("it's", "'"))
    "a ""b"" c" 'it''s'
    """
    return mark + name.replace(mark, mark * 2) + mark


def collected(lazy: Any) -> Any:
    """Return the rows of a lazy dataframe."""
    with engine_errors(lazy.to_native()):
        return lazy.collect()  # with backend="pyarrow" the index of pandas or Dask would leak into the result


def in_parts(wanted: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a wrapped dataframe, at most `size` at a time where its engine can hand them over so."""
    import narwhals as nw

    if not isinstance(wanted, nw.DataFrame):
        native = wanted.to_native()
        with engine_errors(native):
            for part in _handed_over(wanted, native, size) or (collected(wanted),):
                yield from in_parts(nw.from_native(part, eager_only=True), size)
        return
    for start in range(0, len(wanted), size):
        yield wanted[start : start + size]


def _handed_over(wanted: Any, native: Any, size: int) -> Iterable[Any] | None:
    """Return eager dataframes that an engine hands over one after the other; None where it gives all at once."""
    kind = wanted.implementation
    if kind.is_dask():
        return (part.compute() for part in native.partitions)
    if kind.is_duckdb():
        return _tables(record_batches(native, size))
    if kind.is_ibis():
        return _tables(_ibis_batches(native, size))
    if kind.is_sqlframe():
        return _tables(native.toArrow(size))
    if kind.is_pyspark() or kind.is_pyspark_connect():
        return _spark_tables(native, size)
    if kind.is_polars() and hasattr(native, "collect_batches"):
        batches: Iterator[Any] = native.collect_batches(chunk_size=size, maintain_order=True)
        return batches
    return None


def _tables(batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches:
        yield pa.Table.from_batches([batch])


def _ibis_batches(table: Any, size: int) -> Iterable[Any]:
    """Return the rows of a table of ibis, which itself cannot stream from DuckDB 2."""
    backend = table.get_backend()
    relation = getattr(backend, "_to_duckdb_relation", None)
    return table.to_pyarrow_batches(chunk_size=size) if relation is None else record_batches(relation(table), size)


def _spark_tables(frame: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a dataframe of Spark, which hands over one partition after the other."""
    import pyarrow as pa

    rows = frame.toLocalIterator()
    while some := list(islice(rows, size)):
        yield pa.table({f"c{i}": pa.array(cells) for i, cells in enumerate(zip(*some, strict=True))})


def relation_parts(relation: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a relation of DuckDB as wrapped tables of pyarrow."""
    import narwhals as nw

    for table in _tables(record_batches(relation, size)):
        yield nw.from_native(table, eager_only=True)


def record_batches(answer: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a relation of DuckDB, or of what was asked last, as batches of pyarrow."""
    read = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch  # the name in older versions
    yield from read(size)
