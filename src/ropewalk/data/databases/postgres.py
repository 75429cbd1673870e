"""PostgreSQL by psycopg: a query runs in a transaction that only reads and is rolled back."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

from ropewalk._optional import require
from ropewalk.data.databases.base import Database
from ropewalk.errors import QueryError, UnreachableDatabaseError

_SECONDS_TO_CONNECT: Final = 10
_FAILED: Final = 3
"""The status of a transaction in which a command has failed (libpq's PQTRANS_INERROR)."""


class PostgresDatabase(Database):
    """A connection of psycopg; where the user is within a transaction, ours is a part of it."""

    def names(self, query: str, parameters: Any) -> list[str]:
        """Return what the columns of a query are called: the server knows it before it has any row."""
        with self._cursor(query, parameters) as cursor:
            return [column.name for column in cursor.description]

    def groups(self, sql: str, parameters: Any) -> Generator[tuple[Any, ...]]:
        """Yield the rows of a short answer: several processes of the server may work on it, unlike for a cursor."""
        from psycopg.rows import tuple_row

        with self._reading(), self.asking(), self.connection.cursor(row_factory=tuple_row) as cursor:
            yield from cursor.stream(sql, parameters)

    @contextmanager
    def _cursor(self, sql: str, parameters: Any) -> Iterator[Any]:
        """Open a cursor of the server, which sends rows as they are fetched, and the same order each time."""
        from psycopg.rows import tuple_row

        with self._reading():
            with self.asking():
                self.connection.execute("SET LOCAL synchronize_seqscans = off")
                cursor = self.connection.cursor(f"ropewalk_{secrets.token_hex(4)}", row_factory=tuple_row)
            try:
                with self.asking():
                    cursor.execute(sql, parameters)
                yield cursor
            finally:
                self._close(cursor)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Begin a transaction that only reads, and undo all of it."""
        if self.connection.info.transaction_status == _FAILED:
            raise QueryError("The transaction of the connection has failed.", hint="call connection.rollback() first.")
        transaction = self.connection.transaction(force_rollback=True)
        with self.asking():
            transaction.__enter__()
        try:
            with self.asking():
                self.connection.execute("SET TRANSACTION READ ONLY")
            yield
        finally:
            with self.asking():
                transaction.__exit__(None, None, None)

    def message(self, error: Exception) -> str:
        """Return what the server says."""
        return getattr(getattr(error, "diag", None), "message_primary", None) or super().message(error)

    def hint(self, error: Exception) -> str | None:
        """Return what the server proposes."""
        proposed = getattr(getattr(error, "diag", None), "message_hint", None)
        return None if proposed is None else self.one_line(proposed)

    def is_lost(self, error: Exception) -> bool:  # noqa: ARG002
        """Whether the server went away."""
        return bool(self.connection.closed)


@contextmanager
def open_postgres(url: str, hide: Callable[[str], str]) -> Iterator[PostgresDatabase]:
    """Connect to a server, and leave it in the end."""
    psycopg = require("psycopg", extra="sql", caller="PostgreSQL")
    try:
        patience = psycopg.conninfo.conninfo_to_dict(url).get("connect_timeout") or _SECONDS_TO_CONNECT
        connection = psycopg.connect(url, autocommit=True, connect_timeout=patience)
    except psycopg.Error as error:
        said = Database(None, hide).one_line(str(error))
        raise UnreachableDatabaseError(
            f"The database {hide(url)!r} cannot be reached: {said}.",
            hint="look whether the server runs, and whether name, user and password are right.",
        ) from None  # what caused it may hold the password
    with closing(connection):
        yield PostgresDatabase(connection, hide)
