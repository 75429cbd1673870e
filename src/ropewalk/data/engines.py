"""Engines that hold dataframes: one way to ask all that narwhals knows, and their errors in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    """Yield the rows of a wrapped dataframe, about `size` at a time where its engine can hand them over so."""
    import narwhals as nw

    native = wanted.to_native()
    if isinstance(wanted, nw.DataFrame):
        yield from (wanted[start : start + size] for start in range(0, max(len(wanted), 1), size))
        return
    if wanted.implementation.is_dask():
        with engine_errors(native):
            for part in native.partitions:
                yield nw.from_native(part.compute(), eager_only=True)
        return
    if not wanted.implementation.is_duckdb():
        yield collected(wanted)
        return
    with engine_errors(native):
        import pyarrow as pa

        for batch in record_batches(native, size):
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)


def record_batches(answer: Any, size: int) -> Iterator[Any]:
    """Yield the rows of a relation of DuckDB, or of what was asked last, as batches of pyarrow."""
    read = getattr(answer, "to_arrow_reader", None) or answer.fetch_record_batch  # the name in older versions
    yield from read(size)
