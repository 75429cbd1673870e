"""Count rows in DuckDB, or take columns from it, where its answer is beyond doubt that of the readers here.

Where it is not there, or anything is in doubt or goes wrong, that is None: the readers then give the answer, or say
what is wrong.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import IO, Any, Final, TypeVar

import numpy as np

from ropewalk.data.columns import Rows
from ropewalk.data.formats.form import FIELD_CAP, is_wide
from ropewalk.data.formats.parquet_keys import parquet_keys
from ropewalk.data.formats.well_formed import is_well_formed
from ropewalk.data.labels import clean
from ropewalk.data.unpacking import is_unpacked

T = TypeVar("T")

MIN_TEXT_BYTES: Final = 1 << 22
"""From so much text on it pays to start DuckDB."""

MAX_WIDTH: Final = 1000
"""How many columns a text may have that DuckDB reads."""

MAX_THREADS: Final = 4
"""How many threads read at once: memory goes with them."""

_SETTINGS: Final = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "1GB",
    "temp_directory": "",
}
_NUMBER: Final = (  # of which Python thinks alike; DuckDB's own errors are those of `error`
    "CASE WHEN {0} IS NULL OR regexp_full_match({0}, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?') "
    "THEN CAST({0} AS DOUBLE) ELSE error('no number') END"
)
_N_ROWS: Final = "SELECT num_rows FROM parquet_file_metadata(?)"
_PARQUET: Final = "read_parquet(?, hive_partitioning = false)"
_PATTERN: Final = frozenset("*?[]{}\\")


def count_parquet(stream: IO[bytes], columns: Sequence[str]) -> Rows | None:
    """Count the distinct rows of some columns of a Parquet file."""
    path = _path_of(stream)
    if path is None:
        return None

    def count(connection: Any) -> Rows | None:
        keys = parquet_keys(connection, path, columns)
        if keys is None:
            return None
        rows = _counted(connection, _PARQUET, path, [keys[name] for name in columns])
        number = connection.execute(_N_ROWS, [path]).fetchone()[0]
        return rows if sum(rows.values()) == number else None  # it is damaged

    return _in_duckdb(count)


def count_delimited(stream: IO[bytes], columns: Sequence[str], header: Sequence[str], separator: str) -> Rows | None:
    """Count the distinct rows of some columns of a long text of rows below a header of one line."""
    return _of_text(stream, columns, header, separator, _counted)


def delimited_arrays(
    stream: IO[bytes], columns: Sequence[str], numbers: Collection[str], header: Sequence[str], separator: str
) -> list[Any] | None:
    """Return some columns of a long text of rows: arrays of those that are `numbers`, and lists of the others."""

    def fetch(connection: Any, table: str, path: str, keys: Sequence[str]) -> list[Any]:
        are_numbers = [name in numbers for name in columns]
        wanted = [_NUMBER.format(key) if is_number else key for key, is_number in zip(keys, are_numbers, strict=True)]
        named = ", ".join(f"{value} AS v{i}" for i, value in enumerate(wanted))
        found = connection.execute(f"SELECT {named} FROM {table}", [path]).fetchnumpy()  # noqa: S608 - names are ours
        return [
            np.ma.filled(found[f"v{i}"], np.nan) if is_number else _shared(found[f"v{i}"])
            for i, is_number in enumerate(are_numbers)
        ]

    return _of_text(stream, columns, header, separator, fetch)


def _shared(cells: Any) -> list[Any]:
    """Return texts as a list, of which equal ones are one."""
    known: dict[Any, Any] = {}
    return [known.setdefault(cell, cell) for cell in cells.tolist()]


def _of_text(
    stream: IO[bytes],
    columns: Sequence[str],
    header: Sequence[str],
    separator: str,
    ask: Callable[[Any, str, str, Sequence[str]], T],
) -> T | None:
    """Ask DuckDB about a long text of rows that every reader understands alike."""
    path = _path_of(stream)
    if path is None or _session.n_bytes < MIN_TEXT_BYTES or is_wide(stream):
        return None
    if len(header) == 1:  # a blank line is a row of nothing to DuckDB, and none to other readers
        return None
    if len(header) > MAX_WIDTH or any(header.count(name) != 1 for name in columns):
        return None
    named = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    table = (
        f"read_csv(?, columns = {{{named}}}, auto_detect = false, header = false, skip = 1, delim = '{separator}', "
        f"quote = '\"', escape = '\"', nullstr = '', max_line_size = {FIELD_CAP}, hive_partitioning = false)"
    )
    keys = [f"c{header.index(name)}" for name in columns]

    def checked(connection: Any) -> T | None:
        return ask(connection, table, path, keys) if is_well_formed(stream, separator, len(header)) else None

    return _in_duckdb(checked)


def _in_duckdb(ask: Callable[[Any], T | None]) -> T | None:
    """Ask with a connection to DuckDB; None where there is none, or it refuses."""
    if _is_rationed():
        return None
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        return None
    try:
        with contextlib.ExitStack() as stack:
            if _session.is_open and _session.connection is None:
                _session.connection = _connected(duckdb)
            return ask(_session.connection or stack.enter_context(_connected(duckdb)))
    except duckdb.Error:
        return None
    except RuntimeError as error:
        if "interrupt" in str(error).lower():  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from error
        return None


def _connected(duckdb: Any) -> Any:
    threads = max(1, min(MAX_THREADS, os.cpu_count() or 1))
    connection = duckdb.connect(config={**_SETTINGS, "threads": threads})
    connection.execute("SET enable_progress_bar = false")
    return connection


class _Session(threading.local):
    """The connection that a thread keeps while it counts several files, and how many bytes they have together."""

    def __init__(self) -> None:
        self.is_open, self.n_bytes = False, 0
        self.connection: Any = None


_session: Final = _Session()


@contextlib.contextmanager
def kept_open(n_bytes: int) -> Iterator[None]:
    """Count several files, of so many bytes together, with one connection: to make one takes longer than to count."""
    _session.is_open, _session.n_bytes = True, n_bytes
    try:
        yield
    finally:
        connection, _session.connection = _session.connection, None
        _session.is_open, _session.n_bytes = False, 0
        if connection is not None:
            connection.close()


def _is_rationed() -> bool:
    """Whether the addresses of this process are limited: DuckDB reserves many, and crashes without them."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:  # as on Windows
        return False
    return bool(resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY)


def _path_of(stream: IO[bytes]) -> str | None:
    """Return the path of a file that is not compressed, if DuckDB takes it for one path."""
    if is_unpacked(stream) or not isinstance(getattr(stream, "name", None), str):
        return None
    path = os.path.abspath(stream.name)  # noqa: PTH100 - as it is written
    return None if _PATTERN & set(path) else path


def _counted(connection: Any, table: str, path: str, keys: Sequence[str]) -> Rows:
    """Count the distinct rows of a table, with null and NaN as one; `keys` are how its columns are found."""
    query = f"SELECT {', '.join(keys)}, count(*) FROM {table} GROUP BY ALL ORDER BY ALL"  # noqa: S608 - names are quoted
    counted: Counter[Any] = Counter()
    for *row, number in connection.execute(query, [path]).fetchall():
        counted[tuple(map(clean, row))] += number
    return dict(counted)
