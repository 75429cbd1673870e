"""A connection to DuckDB, where it is there, for all files that are read together."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any, Final, Self, TypeVar

T = TypeVar("T")

MAX_THREADS: Final = 4
"""How many threads read at once: memory goes with them."""

_SETTINGS: Final = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "1GB",
    "temp_directory": "",
}


class DuckSession:
    """DuckDB, asked about files of so many bytes together by one connection: to make one takes longer than to count."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        self._connection: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def ask(self, question: Callable[[Any], T | None]) -> T | None:
        """Ask something of a connection; None where there is none, or it refuses."""
        if _is_rationed():
            return None
        try:
            duckdb = importlib.import_module("duckdb")
        except ImportError:
            return None
        try:
            if self._connection is None:
                self._connection = _connected(duckdb)
            return question(self._connection)
        except (duckdb.Error, ImportError):  # of pyarrow
            return None
        except (RuntimeError, OSError) as error:  # the latter where rows come through pyarrow
            if "interrupt" in str(error).lower():  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from error
            return None


def _connected(duckdb: Any) -> Any:
    threads = max(1, min(MAX_THREADS, os.cpu_count() or 1))
    connection = duckdb.connect(config={**_SETTINGS, "threads": threads})
    connection.execute("SET enable_progress_bar = false; SET parquet_metadata_cache = true")
    return connection


def _is_rationed() -> bool:
    """Whether the addresses of this process are limited: DuckDB reserves many, and crashes without them."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:  # as on Windows
        return False
    return bool(resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY)
