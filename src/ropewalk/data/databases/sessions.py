"""Engines that answer a query with a dataframe: DuckDB, ibis, Spark and sqlframe."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

from ropewalk._files import shorten_path
from ropewalk._optional import require
from ropewalk.data.columns import Rows
from ropewalk.data.databases.base import RESULT, Database, places_of
from ropewalk.data.databases.interrupting import interruptible
from ropewalk.data.engines import as_frame, columns_of, quoted_name, relation_parts
from ropewalk.data.frames import (
    ROWS_PER_GROUPING,
    count_frame,
    frame_arrays,
    frame_columns,
    frame_rows,
    pieces_of,
)
from ropewalk.data.gathering import Gathered
from ropewalk.errors import EngineError, UnreachableDatabaseError

_READ_ONLY: Final = {"enable_external_access": "false", "lock_configuration": "true"}
"""Nothing but the file itself is read, and nothing is written."""

_LOST: Final = ("IOException", "ConnectionException", "FatalException", "ResourceInUseException")


class Session(Database):
    """A connection whose method `sql` returns a dataframe, lazy until it is looked at: rows are counted there."""

    def frame(self, query: str, parameters: Any) -> Any:
        """Return the dataframe of a query."""
        return self.connection.sql(query) if parameters is None else self.connection.sql(query, params=parameters)

    def names(self, query: str, parameters: Any) -> list[str]:
        """Return what the columns of a query are called."""
        with self.asking():
            frame = self.frame(query, parameters)
            return list(getattr(frame, "columns", None) or columns_of(as_frame(frame)))

    def count(self, query: str, parameters: Any, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns of a query."""
        with self._checked(query, parameters, columns) as frame:
            return count_frame(frame, columns, RESULT)

    def lists(self, query: str, parameters: Any, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns of a query as lists of plain values."""
        with self._checked(query, parameters, columns) as frame:
            return frame_columns(frame, columns)

    def arrays(self, query: str, parameters: Any, columns: Sequence[str], numbers: Collection[str]) -> list[Any]:
        """Return some columns of a query: arrays of numbers and booleans, and lists of anything else."""
        with self._checked(query, parameters, columns) as frame:
            return frame_arrays(frame, columns, numbers)

    def rows(self, query: str, parameters: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a query row by row."""
        with self._checked(query, parameters, columns) as frame:
            yield from frame_rows(frame, columns)

    def tables(self) -> list[str]:
        """Return what tables and views there are."""
        with self._checked(self.list_tables, None, ["table_name"]) as frame:
            return list(map(str, frame_columns(frame, ["table_name"])[0]))

    @contextmanager
    def _checked(self, query: str, parameters: Any, columns: Sequence[str]) -> Iterator[Any]:
        places_of(self.names(query, parameters), dict.fromkeys(columns))
        with self.asking():
            frame = self.frame(query, parameters)
        with self._answering():
            yield frame

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Say in our words what the database says."""
        with self._answering(), super().asking():
            yield

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Say in our words what a dataframe of the database fails with; what else goes wrong is not the query's."""
        try:
            yield
        except EngineError as error:
            said = error.__cause__
            raise (self.described(said) if isinstance(said, Exception) else error) from said

    def hint(self, error: Exception) -> str | None:
        """Return what the database proposes, on the second line of what it says."""
        lines = str(error).splitlines()
        return self.one_line(lines[1]) or None if len(lines) > 1 else None

    def is_lost(self, error: Exception) -> bool:
        """Whether the database cannot be used, and not the query is wrong."""
        return type(error).__name__ in _LOST or super().is_lost(error)


class OwnDuckdb(Session):
    """A connection to DuckDB that nobody else has: a query in it can be interrupted."""

    def count(self, query: str, parameters: Any, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns of a query, without a dataframe: few rows come."""
        return Database.count(self, query, parameters, columns)

    def rows(self, query: str, parameters: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a query row by row, without a dataframe: who asks may stop early."""
        return Database.rows(self, query, parameters, columns)

    def tables(self) -> list[str]:
        """Return what tables and views there are."""
        return Database.tables(self)

    def _execute(self, cursor: Any, sql: str, parameters: Any) -> None:
        interruptible(lambda: super(OwnDuckdb, self)._execute(cursor, sql, parameters), cursor.interrupt)

    def lists(self, query: str, parameters: Any, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns of a query as lists of plain values."""
        read = super().lists
        return interruptible(lambda: read(query, parameters, columns), self.connection.interrupt)

    def arrays(self, query: str, parameters: Any, columns: Sequence[str], numbers: Collection[str]) -> list[Any]:
        """Return some columns of a query: arrays of numbers and booleans, `Coded` labels, lists of anything else."""
        return interruptible(lambda: self._arrays(query, parameters, columns, numbers), self.connection.interrupt)

    def _arrays(self, query: str, parameters: Any, columns: Sequence[str], numbers: Collection[str]) -> list[Any]:
        """Take the columns without a dataframe where they have plain names."""
        if not {*columns} <= {*self.names(query, parameters)}:
            return super().arrays(query, parameters, columns, numbers)
        found = Gathered(columns, numbers)
        with self._checked(query, parameters, columns) as relation, self.asking():
            for part in relation_parts(relation.project(", ".join(map(quoted_name, columns))), ROWS_PER_GROUPING):
                found.add(pieces_of(part, columns, numbers))
        return found.columns()


@contextmanager
def open_duckdb(path: str) -> Iterator[Session]:
    """Open a file of DuckDB for reading only."""
    duckdb = require("duckdb", extra="files", caller="DuckDB")
    try:
        connection = duckdb.connect(path, read_only=True, config=_READ_ONLY)
    except duckdb.Error as error:
        said = Database(None).one_line(str(error))
        raise UnreachableDatabaseError(
            f"Cannot open {shorten_path(path)}: {said}.",
            hint="look whether another program writes there, or the file is damaged or of a newer DuckDB.",
        ) from error
    with closing(connection):
        yield OwnDuckdb(connection)
