"""ADBC: Arrow's own drivers, whose columns have one type each, also where those of the database do not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from ropewalk.data.columns import Rows
from ropewalk.data.databases.base import AROUND, Database
from ropewalk.data.databases.sqlite import Sqlite
from ropewalk.errors import LabelTypeError
from ropewalk.text.writing import shorten

_STATUS: Final = re.compile(r"^[A-Z_]+: (\[\w+\] )?(Failed to prepare query: )?(ERROR:\s+)?")


class AdbcDatabase(Database):
    """A connection of ADBC."""

    def message(self, error: Exception) -> str:
        """Return what the database says, without what the driver adds."""
        return _STATUS.sub("", super().message(error))

    def hint(self, error: Exception) -> str | None:
        """Return what to do after an error that the driver still remembers."""
        return "call connection.rollback() first." if "error state" in str(error) else None


class AdbcSqlite(AdbcDatabase, Sqlite):
    """SQLite by ADBC, which turns a column of 1 and "1" into one of texts."""

    def count(self, query: str, parameters: Any, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns of a query, if each holds cells of one type."""
        names = self.names(query, parameters)
        counted = super().count(query, parameters, columns)
        numbered = ", ".join(f"c{i}" for i in range(len(names)))
        for name in dict.fromkeys(columns):
            kind = f"DISTINCT typeof(c{names.index(name)})"
            found = self.groups(AROUND.format(columns=numbered, query=query, cells=kind), parameters)
            kinds = sorted({kind for (kind,) in found} - {"null"})
            if len(kinds) > 1:
                raise LabelTypeError(
                    f"{name} mixes labels of different types ({shorten(kinds)}).",
                    hint="1, '1' and 1.0 are different labels; CAST converts them to one type.",
                )
        return counted


def adbc_database(connection: Any) -> AdbcDatabase:
    """Return what asks a connection of ADBC."""
    with AdbcDatabase(connection).asking():
        vendor = connection.adbc_get_info().get("vendor_name")
    return (AdbcSqlite if vendor == "SQLite" else AdbcDatabase)(connection)
