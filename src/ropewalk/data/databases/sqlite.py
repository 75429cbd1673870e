"""SQLite: cells have types of their own there, whatever their column says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import quote

from ropewalk._files import first_bytes, shorten_path
from ropewalk.data.columns import Rows
from ropewalk.data.databases.base import AROUND, Database
from ropewalk.data.databases.interrupting import interruptible
from ropewalk.errors import FileFormatError, LabelTypeError, RopewalkError, UnreachableDatabaseError
from ropewalk.text.writing import reason

_RENAMED: Final = re.compile(r".*:\d+", re.DOTALL)
_LOST: Final = ("closed", "unable to open", "disk i/o", "locked", "encrypted", "readonly")
_DAMAGED: Final = (11, 26)
"""The codes SQLITE_CORRUPT and SQLITE_NOTADB."""

_WAL: Final = 2
"""What the bytes 18 and 19 of a file say, where changes are kept beside it first."""


class Sqlite(Database):
    """A database of SQLite, whatever connects to it."""

    no_rows: ClassVar[str] = "SELECT * FROM (\n{}\n) LIMIT 0"
    exactly: ClassVar[str] = "{} COLLATE BINARY"
    list_tables: ClassVar[str] = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1"
    )

    def names(self, query: str, parameters: Any) -> list[str]:
        """Return what the columns of a query are called; only where two may be alike does the query run for it."""
        names = super().names(query, parameters)
        if not any(map(_RENAMED.fullmatch, names)):  # a second `a` is called `a:1` around a query
            return names
        with self._cursor(query, parameters) as cursor:
            return [str(column[0]) for column in cursor.description]

    def count(self, query: str, parameters: Any, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns of a query, if each holds cells of one type: 1 and 1.0 are equal."""
        counted = super().count(query, parameters, columns)
        names = self.names(query, parameters)
        asked = [name for i, name in enumerate(columns) if self.may_mix(row[i] for row in counted)]
        if not asked or not counted:
            return counted
        cells = "DISTINCT " + ", ".join(f"typeof(c{names.index(name)})" for name in asked)
        numbered = ", ".join(f"c{i}" for i in range(len(names)))
        found = self.groups(AROUND.format(columns=numbered, query=query, cells=cells), parameters)
        for name, column in zip(asked, zip(*found, strict=True), strict=True):
            kinds = sorted({*column} - {"null"})
            if len(kinds) > 1:
                raise LabelTypeError(
                    f"{name} mixes labels of different types ({', '.join(kinds)}).",
                    hint="1, '1' and 1.0 are different labels; CAST converts them to one type.",
                )
        return counted

    def may_mix(self, cells: Iterable[Any]) -> bool:
        """Whether cells that are equal may be of several types."""
        return any(isinstance(cell, int | float) for cell in cells)


class SqliteDatabase(Sqlite):
    """A connection of the module sqlite3."""

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Say in our words what the driver says; texts come as texts, whatever the user's connection makes of them."""
        with super().asking():
            before = self.connection.text_factory
            self.connection.text_factory = str
            try:
                yield
            finally:
                self.connection.text_factory = before

    def _execute(self, cursor: Any, sql: str, parameters: Any) -> None:
        cursor.row_factory = None
        super()._execute(cursor, sql, parameters)

    def is_lost(self, error: Exception) -> bool:
        """Whether the file cannot be used, and not the query is wrong."""
        return is_damaged(error) or any(word in str(error).lower() for word in _LOST)


class OwnSqlite(SqliteDatabase):
    """A connection to a file that nobody else has: a query in it can be interrupted."""

    def __init__(self, connection: Any, path: str) -> None:
        super().__init__(connection)
        self._path = path

    def described(self, error: Exception) -> RopewalkError:
        """Return what went wrong as an error of ours; of a damaged file it names the file."""
        if not is_damaged(error):
            return super().described(error)
        said = self.one_line(self.message(error))
        return FileFormatError(
            f"{shorten_path(self._path)} is damaged: {said}.", hint="it may be cut off: copy or download it again."
        )

    def _execute(self, cursor: Any, sql: str, parameters: Any) -> None:
        interruptible(lambda: super(OwnSqlite, self)._execute(cursor, sql, parameters), self.connection.interrupt)


def is_damaged(error: Exception) -> bool:
    """Whether an error of the module sqlite3 says that the file itself is damaged, or no database."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


@contextmanager
def open_sqlite(path: str) -> Iterator[SqliteDatabase]:
    """Open a file for reading only."""
    import sqlite3

    uri = f"file:{quote(str(Path(path).absolute()))}?{'immutable=1' if _is_left_alone(path) else 'mode=ro'}"
    try:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    except sqlite3.Error as error:
        raise UnreachableDatabaseError(
            f"Cannot open {shorten_path(path)}: {reason(error)}.", hint="look whether another program holds it."
        ) from error
    with closing(connection):
        database = OwnSqlite(connection, path)
        with database.asking():
            connection.execute("PRAGMA query_only = ON")
        yield database


def _is_left_alone(path: str) -> bool:
    """Whether nobody writes into a file that keeps changes beside it: to open it would leave files there."""
    head = first_bytes(path, 20)
    beside = Path(f"{path}-wal")
    return head[18:19] == bytes([_WAL]) and not (beside.exists() and beside.stat().st_size)
