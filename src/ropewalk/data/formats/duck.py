"""Count rows in DuckDB, or take columns from it, where its answer is beyond doubt that of the readers here.

Where it is not there, or anything is in doubt or goes wrong, that is None: the readers then give the answer, or say
what is wrong.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import IO, Any, Final, TypeAlias, TypeVar

from ropewalk.data.columns import ROWS_PER_CHUNK, Rows, check_distinct
from ropewalk.data.engines import record_batches
from ropewalk.data.formats.duck_session import DuckSession
from ropewalk.data.formats.form import FIELD_CAP
from ropewalk.data.formats.parquet_keys import parquet_keys
from ropewalk.data.formats.piping import read_through_pipe
from ropewalk.data.formats.well_formed import is_well_formed
from ropewalk.data.gathering import Coded, Gathered
from ropewalk.data.labels import clean
from ropewalk.data.opening import is_wide
from ropewalk.data.unpacking import is_unpacked

T = TypeVar("T")
Layout: TypeAlias = tuple[Sequence[str], str]
"""The header of a text of rows, and what separates its cells."""

MIN_TEXT_BYTES: Final = 1 << 22
"""From so much text on it pays to start DuckDB."""

MAX_WIDTH: Final = 1000
"""How many columns a text may have that DuckDB reads."""

_NUMBER: Final = (  # of which Python thinks alike; DuckDB's own errors are those of `error`
    "CASE WHEN {0} IS NULL OR regexp_full_match({0}, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?') "
    "THEN CAST({0} AS DOUBLE) ELSE error('no number') END"
)
_N_ROWS: Final = "SELECT num_rows FROM parquet_file_metadata(?)"
_PARQUET: Final = "read_parquet({}, hive_partitioning = false)"
_MARK: Final = "\ufeff"
"""What a text may begin with, also one that was put behind another."""

_PATTERN: Final = frozenset("*?[]{}\\")


def count_parquet(stream: IO[bytes], columns: Sequence[str], shown: str, session: DuckSession) -> Rows | None:
    """Count the distinct rows of some columns of a Parquet file."""
    path = _path_of(stream)
    if path is None:
        return None

    def count(connection: Any) -> Rows | None:
        keys = parquet_keys(connection, path, columns)
        if keys is None:
            return None
        rows = _counted(connection, _PARQUET.format(_quoted(path)), [keys[name] for name in columns], shown)
        number = connection.execute(_N_ROWS, [path]).fetchone()[0]
        return rows if sum(rows.values()) == number else None  # it is damaged

    return session.ask(count)


def count_delimited(
    stream: IO[bytes], columns: Sequence[str], layout: Layout, shown: str, session: DuckSession
) -> Rows | None:
    """Count the distinct rows of some columns of a long text of rows below a header of one line."""

    def count(connection: Any, table: str, keys: Sequence[str]) -> Rows | None:
        rows = _counted(connection, table, keys, shown)
        again = tuple(columns), tuple(_MARK + name if name == layout[0][0] else name for name in columns)
        return None if any(row in rows for row in again) else rows  # a row may repeat the header

    return _of_text(stream, columns, layout, session, count)


def delimited_arrays(
    stream: IO[bytes],
    columns: Sequence[str],
    numbers: Collection[str],
    layout: Layout,
    session: DuckSession,
) -> list[Any] | None:
    """Return some columns of a long text of rows: arrays of those that are `numbers`, `Coded` others."""

    def fetch(connection: Any, table: str, keys: Sequence[str]) -> list[Any] | None:
        are_numbers = [name in numbers for name in columns]
        wanted = [_NUMBER.format(key) if is_number else key for key, is_number in zip(keys, are_numbers, strict=True)]
        named = ", ".join(f"{value} AS v{i}" for i, value in enumerate(wanted))
        found = Gathered(columns, numbers)
        asked = connection.sql(f"SELECT {named} FROM {table}")  # noqa: S608 - names are ours
        for batch in record_batches(asked, ROWS_PER_CHUNK):
            cells = [_cells(column) for column in batch.columns]
            if all(map(_may_hold, cells, columns)):
                return None  # a row may repeat the header
            found.add(cells)
        return found.columns()

    return _of_text(stream, columns, layout, session, fetch)


def _may_hold(cells: Any, name: str) -> bool:
    """Whether a column may hold its own name."""
    return isinstance(cells, Coded) and (name in cells.values or _MARK + name in cells.values)


def _cells(column: Any) -> Any:
    """Return numbers with NaN for a hole, and texts by their codes."""
    return column.to_numpy(zero_copy_only=False) if str(column.type) == "double" else Coded.of_arrow(column)


def _of_text(
    stream: IO[bytes],
    columns: Sequence[str],
    layout: Layout,
    session: DuckSession,
    ask: Callable[[Any, str, Sequence[str]], T | None],
) -> T | None:
    """Ask DuckDB about a long text of rows that every reader understands alike."""
    header, separator = layout
    path = _path_of(stream)
    if (path is None and not is_unpacked(stream)) or session.n_bytes < MIN_TEXT_BYTES or is_wide(stream):
        return None
    if len(header) == 1:  # a blank line is a row of nothing to DuckDB, and none to other readers
        return None
    if len(header) > MAX_WIDTH or any(header.count(name) != 1 for name in columns):
        return None
    named = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    options = (
        f"columns = {{{named}}}, auto_detect = false, header = false, skip = 1, delim = '{separator}', "
        f"quote = '\"', escape = '\"', nullstr = '', max_line_size = {FIELD_CAP}, hive_partitioning = false"
    )
    keys = [f"c{header.index(name)}" for name in columns]

    is_fine = partial(is_well_formed, stream, separator, len(header))

    def checked(connection: Any) -> T | None:
        def answer(place: str) -> T | None:
            return ask(connection, f"read_csv({_quoted(place)}, {options})", keys)

        if path is None:
            return read_through_pipe(is_fine, answer)
        return answer(path) if is_fine() else None

    return session.ask(checked)


def _path_of(stream: IO[bytes]) -> str | None:
    """Return the path of a file that is not compressed, if DuckDB takes it for one path."""
    if is_unpacked(stream) or not isinstance(getattr(stream, "name", None), str):
        return None
    path = os.path.abspath(stream.name)  # noqa: PTH100 - as it is written
    return None if _PATTERN & set(path) else path


def _quoted(path: str) -> str:
    """Return a path as SQL takes a text."""
    return "'" + path.replace("'", "''") + "'"


def _counted(connection: Any, table: str, keys: Sequence[str], shown: str) -> Rows:
    """Count the distinct rows of a table, with null and NaN as one; `keys` are how its columns are found."""
    query = f"SELECT {', '.join(keys)}, count(*) FROM {table} GROUP BY ALL ORDER BY ALL"  # noqa: S608 - names are quoted
    counted: Counter[Any] = Counter()
    found = connection.execute(query)
    while part := found.fetchmany(ROWS_PER_CHUNK):
        for *row, number in part:
            counted[tuple(map(clean, row))] += number
        check_distinct(len(counted), shown)
    return dict(counted)
