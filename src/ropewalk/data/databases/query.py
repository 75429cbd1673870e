"""`Query`: what to ask, and whom; a table like a file or a dataframe, whose rows are counted in the database."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ropewalk._checks import published
from ropewalk._files import shorten_path
from ropewalk.data.columns import Rows
from ropewalk.data.databases.base import RESULT, Database
from ropewalk.data.databases.connecting import database_of, is_server, kind_of_file, parse_place
from ropewalk.data.databases.statements import check_query
from ropewalk.errors import FileFormatError, QueryError, RopewalkError
from ropewalk.text.secrets import masked
from ropewalk.text.writing import brief, shorten

_NO_TABLE: Final = re.compile(r"(?i)no such table|\b(table|relation|view)\b.* (does not exist|doesn't exist|not found)")


@published
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Query:
    """The rows of a database that a query selects, wherever a table is taken.

    Parameters
    ----------
    query
        One SELECT; it is refused if it might write.
    connection
        An open connection by the rules of DB-API 2 (sqlite3, psycopg, …), ADBC or SQLAlchemy; one of DuckDB, ibis or
        Spark; the path of a SQLite or DuckDB database; or a URL: postgresql://, sqlite:/// or duckdb:///. What is open
        stays as it is, and what is opened is only read.
    params
        The values of its placeholders, as the driver takes them.

    Examples
    --------
    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE preds AS SELECT 1 AS y, 1 AS new, 0 AS old UNION ALL SELECT 0, 0, 0")
    >>> Query("SELECT * FROM preds WHERE y = ?", connection, [1]).count(["y", "new"])
    {(1, 1): 1}
    """

    query: str
    connection: Any
    params: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "query", check_query(self.query))
        if isinstance(self.connection, str):
            object.__setattr__(self, "connection", parse_place(self.connection))

    @property
    def title(self) -> str:
        """What errors call it."""
        return RESULT

    @property
    def is_remembered(self) -> bool:
        """Whether it can be asked again elsewhere: of a file, or of a server that wants no password from us."""
        place = self.connection
        return isinstance(place, str | os.PathLike) and masked(str(place)) == str(place)

    def names(self) -> list[str]:
        """Return what the columns are called."""
        with self._database() as database:
            return database.names(self.query, self.params)

    def count(self, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns, in the database."""
        with self._database() as database:
            return database.count(self.query, self.params, columns)

    def lists(self, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns as lists of plain values, item by item."""
        with self._database() as database:
            return database.lists(self.query, self.params, columns)

    def arrays(self, columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
        """Return some columns: arrays where they hold numbers, else lists."""
        with self._database() as database:
            return database.arrays(self.query, self.params, columns, numbers)

    def rows(self, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns row by row."""
        with self._database() as database:
            yield from database.rows(self.query, self.params, columns)

    first_rows = rows

    def absolute(self) -> Query:
        """Return the same query of the same file, wherever the program is later."""
        place = self.connection
        if not isinstance(place, str | os.PathLike) or is_server(place):
            return self
        return replace(self, connection=os.fspath(Path(place).absolute()))

    @contextlib.contextmanager
    def _database(self) -> Iterator[Database]:
        with database_of(self.connection) as database:
            try:
                yield database
            except QueryError as error:
                if not _NO_TABLE.search(error.message):
                    raise
                raise QueryError(error.message, hint=_tables_in(database) or error.hint) from error

    def __repr__(self) -> str:
        place = self.connection
        where = repr(masked(str(place))) if isinstance(place, str | os.PathLike) else type(place).__name__
        return f"Query({brief(self.query)!r}, {where})"


def _tables_in(database: Database) -> str | None:
    """Return a hint that lists the tables of a database; None where they cannot be looked at."""
    try:
        tables = database.tables()
    except RopewalkError:
        return None
    return f"the tables are: {shorten(tables)}." if tables else "the database has no tables."


def tables_hint(place: Any, hint: str = "") -> str:
    """Return a hint that ends with the tables of a database, where it can be looked at."""
    tables = None
    with contextlib.suppress(RopewalkError), database_of(place) as database:
        tables = _tables_in(database)
    return " ".join(filter(None, (hint, tables and tables[0].upper() + tables[1:])))


def refuse_database(path: str | os.PathLike[str], hint: str = "rw.read_sql reads the rows of a query.") -> None:
    """Refuse a file that is a database, where a table is meant."""
    kind = kind_of_file(path)
    if kind is not None:
        raise FileFormatError(
            f"{shorten_path(path)} is a database of {kind}: which of its rows are meant?", hint=tables_hint(path, hint)
        )
