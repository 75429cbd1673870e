"""ADBC: Arrow's own drivers, whose columns have one type each, also where those of the database do not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from ropewalk.data.databases.base import Database
from ropewalk.data.databases.sqlite import Sqlite

_STATUS: Final = re.compile(r"^[A-Z_]+: (\[\w+\] )?(Failed to prepare query: |Execution error \[\w+\]: )?(ERROR:\s+)?")


class AdbcDatabase(Database):
    """A connection of ADBC."""

    def fetched(self, cursor: Any) -> list[tuple[Any, ...]]:
        """Return the next rows, with the exact numbers of PostgreSQL as such: they come as texts."""
        rows = super().fetched(cursor)
        exact = [getattr(column[1], "type_name", "") == "numeric" for column in cursor.description]
        if not any(exact):
            return rows
        return [
            tuple(Decimal(x) if is_exact and x is not None else x for x, is_exact in zip(row, exact, strict=True))
            for row in rows
        ]

    def message(self, error: Exception) -> str:
        """Return what the database says, without what the driver adds."""
        return _STATUS.sub("", super().message(error))

    def hint(self, error: Exception) -> str | None:
        """Return what to do after an error that the driver still remembers."""
        return "call connection.rollback() first." if "error state" in str(error) else None


class AdbcSqlite(AdbcDatabase, Sqlite):
    """SQLite by ADBC, which turns a column of 1 and "1" into one of texts."""

    def may_mix(self, cells: Iterable[Any]) -> bool:  # noqa: ARG002
        """Whether cells that look equal may be of several types: they have one by now."""
        return True


def adbc_database(connection: Any) -> AdbcDatabase:
    """Return what asks a connection of ADBC."""
    with AdbcDatabase(connection).asking():
        vendor = connection.adbc_get_info().get("vendor_name")
    return (AdbcSqlite if vendor == "SQLite" else AdbcDatabase)(connection)
