"""Count rows in DuckDB, where it is installed and its answer is beyond doubt that of the readers here.

Anything in doubt, and anything that goes wrong, is None: the readers then give the answer, or say what is wrong.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, Final

from ropewalk.data.columns import Rows
from ropewalk.data.formats.form import FIELD_CAP, is_wide
from ropewalk.data.formats.parquet_keys import parquet_keys
from ropewalk.data.formats.well_formed import is_well_formed
from ropewalk.data.labels import clean
from ropewalk.data.unpacking import is_unpacked

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
_PARQUET: Final = "read_parquet(?, hive_partitioning = false)"
_PATTERN: Final = frozenset("*?[]{}\\")


def count_parquet(stream: IO[bytes], columns: Sequence[str]) -> Rows | None:
    """Count the distinct rows of some columns of a Parquet file."""
    path = _path_of(stream)
    if path is None:
        return None

    def count(connection: Any) -> Rows | None:
        keys = parquet_keys(connection, path, columns)
        return None if keys is None else _counted(connection, _PARQUET, path, [keys[name] for name in columns])

    return _in_duckdb(count)


def count_delimited(stream: IO[bytes], columns: Sequence[str], header: Sequence[str], separator: str) -> Rows | None:
    """Count the distinct rows of some columns of a long text of rows below a header of one line."""
    path = _path_of(stream)
    if path is None or _session.n_bytes < MIN_TEXT_BYTES or is_wide(stream):
        return None
    if len(header) > MAX_WIDTH or any(header.count(name) != 1 for name in columns):
        return None
    named = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    table = (
        f"read_csv(?, columns = {{{named}}}, auto_detect = false, header = false, skip = 1, delim = '{separator}', "
        f"quote = '\"', escape = '\"', nullstr = '', max_line_size = {FIELD_CAP}, hive_partitioning = false)"
    )
    keys = [f"c{header.index(name)}" for name in columns]

    def count(connection: Any) -> Rows | None:
        if not is_well_formed(stream, separator, len(header)):
            return None
        return _counted(connection, table, path, keys)

    return _in_duckdb(count)


def _in_duckdb(count: Callable[[Any], Rows | None]) -> Rows | None:
    """Count with a connection to DuckDB; None where there is none, or it refuses."""
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
            return count(_session.connection or stack.enter_context(_connected(duckdb)))
    except duckdb.Error:
        return None
    except RuntimeError as error:  # what DuckDB makes of Ctrl-C
        raise KeyboardInterrupt from error


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
