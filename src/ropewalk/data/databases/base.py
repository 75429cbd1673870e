"""What is asked of a database, and what may go wrong there; the class here serves any DB-API 2 connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any, ClassVar, Final
from uuid import UUID

import numpy as np

from ropewalk.data.columns import (
    DISTINCT_CAP,
    Rows,
    check_distinct,
    one_kind,
    require_columns,
)
from ropewalk.data.databases.statements import is_ordered
from ropewalk.data.gathering import Gathered
from ropewalk.data.labels import clean
from ropewalk.errors import DataError, InvalidInputError, QueryError, RopewalkError, UnreachableDatabaseError
from ropewalk.text.writing import brief, shorten

ROWS_AT_ONCE: Final = 1 << 13
"""So many rows come at a time: memory does not follow their number."""

MAX_MESSAGE: Final = 400
"""How much of what a database says an error repeats, in characters."""

RESULT: Final = "the rows of the query"
"""What errors call them."""

AROUND: Final = "WITH ropewalk_rows({columns}) AS (\n{query}\n) SELECT {cells} FROM ropewalk_rows"
"""A query around another, whose columns get names of ours: none has to be quoted, and two may be alike."""

_TRY: Final = "try it in the database's own shell; ropewalk asks one SELECT."
_AGAIN: Final = "look whether the database is there and the connection to it open, and ask again."


class Database:
    """A connection by the rules of DB-API 2 (PEP 249), which every Python driver follows.

    A query runs as it stands, or rows are counted around it. A kind of database that differs inherits, and gets a line
    in `KINDS` of `connecting`.
    """

    no_rows: ClassVar[str] = "SELECT * FROM (\n{}\n) ropewalk_rows WHERE 1 = 0"
    """A query for the names of the columns alone."""

    exactly: ClassVar[str] = "{}"
    """What rows are grouped by, for each column, so that only equal labels of one type come together."""

    list_tables: ClassVar[str] = (
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY 1"
    )

    def __init__(self, connection: Any, hide: Callable[[str], str] = str) -> None:
        self.connection, self._hide = connection, hide

    # -- what is asked

    def names(self, query: str, parameters: Any) -> list[str]:
        """Return what the columns of a query are called."""
        with self._cursor(self.no_rows.format(query), parameters) as cursor:
            return _names_of(cursor)

    def count(self, query: str, parameters: Any, columns: Sequence[str]) -> Rows:
        """Count the distinct rows of some columns of a query, in the database."""
        keys = list(dict.fromkeys(columns))
        names = self.names(query, parameters)
        numbered = [f"c{i}" for i in range(len(names))]
        wanted = [numbered[place] for place in places_of(names, keys)]
        sql = AROUND.format(columns=", ".join(numbered), query=query, cells=", ".join([*wanted, "count(*)"]))
        sql += f" GROUP BY {', '.join(map(self.exactly.format, wanted))}"
        with closing(self.groups(sql, parameters)) as found:
            groups = list(islice(found, DISTINCT_CAP + 1))
        check_distinct(len(groups), RESULT)
        if not groups:
            return {}
        *cells, numbers = zip(*groups, strict=True)
        lists = {key: one_kind(list(map(plain, column)), key) for key, column in zip(keys, cells, strict=True)}
        counted: Counter[Any] = Counter()
        for row, number in zip(zip(*(lists[name] for name in columns), strict=True), numbers, strict=True):
            counted[row] += int(number)
        return dict(counted)

    def rows(self, query: str, parameters: Any, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of a query row by row."""
        with closing(self._columns(query, parameters, columns)) as parts:  # type: ignore[type-var]
            for cells in parts:
                yield from zip(*cells, strict=True)

    def lists(self, query: str, parameters: Any, columns: Sequence[str]) -> list[list[Any]]:
        """Return some columns of a query as lists of plain values."""
        lists: list[list[Any]] = [[] for _ in columns]
        for cells in self._columns(query, parameters, columns):
            for values, more in zip(lists, cells, strict=True):
                values.extend(map(clean, more))
        return lists

    def arrays(self, query: str, parameters: Any, columns: Sequence[str], numbers: Collection[str]) -> list[Any]:
        """Return some columns of a query: arrays of numbers and booleans, `Coded` labels, lists of anything else."""
        found = Gathered(columns, numbers)
        for cells in self._wanted(query, parameters, columns):
            found.add([_part(column, name in numbers) for column, name in zip(cells, columns, strict=True)])
        return found.columns()

    def tables(self) -> list[str]:
        """Return what tables and views there are."""
        return [str(row[0]) for row in self.groups(self.list_tables, None)]

    # -- how it is asked

    def groups(self, sql: str, parameters: Any) -> Generator[tuple[Any, ...]]:
        """Yield the rows of a short answer."""
        for chunk in self.chunks(sql, parameters):
            yield from chunk

    def chunks(
        self, sql: str, parameters: Any, check: Callable[[list[str]], Any] = id
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a query, some at a time, once `check` has seen what their columns are called."""
        with self._cursor(sql, parameters) as cursor:
            check(_names_of(cursor))
            while True:
                with self.asking():
                    rows = self.fetched(cursor)
                if not rows:
                    return
                yield rows

    def fetched(self, cursor: Any) -> list[tuple[Any, ...]]:
        """Return the next rows of a cursor."""
        return [tuple(row.values() if isinstance(row, Mapping) else row) for row in cursor.fetchmany(ROWS_AT_ONCE)]

    @contextmanager
    def _cursor(self, sql: str, parameters: Any) -> Iterator[Any]:
        """Open a cursor that has been asked, and close it in the end."""
        cursor: Any = None
        try:
            with self.asking():
                cursor = self.connection.cursor()
                self._execute(cursor, sql, parameters)
            yield cursor
        finally:
            if cursor is not None:
                self._close(cursor)

    def _execute(self, cursor: Any, sql: str, parameters: Any) -> None:
        cursor.execute(sql) if parameters is None else cursor.execute(sql, parameters)

    def _close(self, cursor: Any) -> None:
        with self.asking():
            cursor.close()

    def _columns(self, query: str, parameters: Any, columns: Sequence[str]) -> Iterator[list[list[Any]]]:
        """Yield some columns of a query as plain values, a chunk of rows at a time."""
        places: list[int] = []
        # A comment at the end of the query ends with it, also where a driver puts more behind.
        chunks = self.chunks(f"{query}\n", parameters, lambda names: places.extend(places_of(names, columns)))
        with closing(chunks):  # type: ignore[type-var]
            for chunk in chunks:
                yield [[plain(row[place]) for row in chunk] for place in places]

    def _wanted(self, query: str, parameters: Any, columns: Sequence[str]) -> Iterator[list[list[Any]]]:
        """Yield what `_columns` does, without the other columns of the query where no order would be lost by that."""
        keys = list(dict.fromkeys(columns))
        names = self.names(query, parameters)
        places = places_of(names, keys)
        if len(places) == len(names) or is_ordered(query):
            yield from self._columns(query, parameters, columns)
            return
        numbered, cells = (", ".join(f"c{place}" for place in some) for some in (range(len(names)), places))
        for chunk in self.chunks(AROUND.format(columns=numbered, query=query, cells=cells), parameters):
            lists = {name: [plain(row[i]) for row in chunk] for i, name in enumerate(keys)}
            yield [lists[name] for name in columns]

    # -- what goes wrong

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Say in our words what a driver says: nothing but a call to it stands inside."""
        try:
            yield
        except (RopewalkError, MemoryError):
            raise
        except Exception as error:  # drivers need not agree about their classes of errors
            raise self.described(error) from error

    def described(self, error: Exception) -> RopewalkError:
        """Return what went wrong as an error of ours."""
        said = self.one_line(self.message(error))
        if self.is_lost(error):
            return unreachable(said)
        return QueryError(f"The database refuses the query: {said}.", hint=self.hint(error) or _TRY)

    def one_line(self, text: str) -> str:
        """Return what a database says on one line, of bounded length and without secrets."""
        return brief(" ".join(self._hide(text).split()).rstrip(" .:!"), MAX_MESSAGE)

    def message(self, error: Exception) -> str:
        """Return what the database says; an excerpt of the query may stand below it."""
        return (str(error).strip() or type(error).__name__).splitlines()[0]

    def hint(self, error: Exception) -> str | None:  # noqa: ARG002
        """Return what the database proposes."""
        return None

    def is_lost(self, error: Exception) -> bool:
        """Whether the database itself is out of reach, and not the query wrong."""
        return "closed" in str(error).lower()


def unreachable(said: str) -> UnreachableDatabaseError:
    """Return the error of a database that is not there, or went away."""
    return UnreachableDatabaseError(f"The database cannot be reached: {said}.", hint=_AGAIN)


def plain(value: Any) -> Any:
    """Return a cell, a UUID as its text.

    Examples
    --------
    >>> plain(UUID(int=1)), plain("x"), plain(None)
    ('00000000-0000-0000-0000-000000000001', 'x', None)
    """
    return str(value) if isinstance(value, UUID) else value


def _names_of(cursor: Any) -> list[str]:
    if cursor.description is None:
        raise QueryError("The query has no columns.", hint=_TRY)
    return [str(column[0]) for column in cursor.description]


def places_of(names: list[str], columns: Collection[str]) -> list[int]:
    """Return where columns are, each of which must be there once."""
    if not columns:
        raise InvalidInputError("Name at least one column.", hint=f"The columns are: {shorten(names)}.")
    require_columns(names, list(columns), RESULT)
    for name in columns:
        if names.count(name) > 1:
            raise DataError(
                f"The query has {names.count(name)} columns named {name!r}.", hint="give each a name of its own, by AS."
            )
    return [names.index(name) for name in columns]


def _part(cells: list[Any], is_number: bool) -> Any:  # noqa: FBT001
    """Return a part of a column as an array where it holds numbers without holes, else as a list."""
    if is_number:
        return cells
    if {*map(type, cells)} in ({int}, {float}, {bool}):
        array = np.array(cells)
        if array.dtype.kind != "O":
            return array
    return list(map(clean, cells))
