"""From what users have to a database: a connection, the path of a file, or a URL."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from types import ModuleType
from typing import Any, Final
from urllib.parse import unquote

from ropewalk._files import first_bytes, shorten_path
from ropewalk.data.databases.adbc import adbc_database
from ropewalk.data.databases.base import Database, unreachable
from ropewalk.data.databases.postgres import PostgresDatabase, open_postgres
from ropewalk.data.databases.sessions import Session, open_duckdb
from ropewalk.data.databases.sqlite import SqliteDatabase, open_sqlite
from ropewalk.data.opening import opened
from ropewalk.errors import FileFormatError, InvalidInputError
from ropewalk.text.secrets import IN_URL, masked, without_secrets
from ropewalk.text.writing import brief

KINDS: Final[dict[str, Callable[[Any], Database]]] = {
    "sqlite3": SqliteDatabase,
    "psycopg": PostgresDatabase,
    "adbc_driver_manager": adbc_database,
}
"""Connections that differ from what DB-API 2 says, by the package that their class comes from."""

FILES: Final[dict[str, tuple[Callable[[bytes], bool], Callable[[str], AbstractContextManager[Database]]]]] = {
    "SQLite": (lambda head: head[:16] == b"SQLite format 3\0", open_sqlite),
    "DuckDB": (lambda head: head[8:12] == b"DUCK", open_duckdb),
}
"""Databases in a file: how the first bytes look, and what opens it."""

SERVERS: Final = ("postgresql", "postgres")
_IN_FILES: Final = ("sqlite", "duckdb")
_SCHEMES: Final = "postgresql://USER@HOST/NAME, sqlite:///FILE or duckdb:///FILE"
_PAIRS: Final = re.compile(r"(?i)\s*(host|hostaddr|port|dbname|user|password|service|server|database)\s*=")
_NOT_IN_PASSWORDS: Final = frozenset("/?#@")


def parse_place(place: str) -> str:
    """Return a URL of a server as it is, and that of a file as its path.

    Examples
    --------
    >>> parse_place("sqlite:///preds.db"), parse_place("duckdb:////data/preds.db"), parse_place("preds.db")
    ('preds.db', '/data/preds.db', 'preds.db')
    """
    scheme, found, rest = place.partition("://")
    if not found:
        if _PAIRS.match(place) and kind_of_file(place) is None:
            raise InvalidInputError(
                f"{brief(masked(place))!r} are the settings of a connection, and a URL is taken.",
                hint="write them as postgresql://USER@HOST:PORT/NAME; the password may stand in PGPASSWORD.",
            )
        return place
    kind = scheme.lower().partition("+")[0]  # SQLAlchemy adds the driver
    if kind in SERVERS:
        secret = IN_URL.match(place)
        if secret and not _NOT_IN_PASSWORDS.isdisjoint(secret[2]):
            raise InvalidInputError(
                "The password in the URL holds a sign that ends it there.",
                hint="write %2F for /, %3F for ?, %40 for @.",
            )
        return f"postgresql://{rest}"
    if kind in _IN_FILES:
        if not rest.startswith("/") or not rest.strip("/"):
            raise InvalidInputError(
                f"{brief(masked(place))!r} names no file.", hint=f"write {kind}:///FILE, or {kind}:////absolute/FILE."
            )
        return unquote(rest[1:].partition("?")[0])
    raise InvalidInputError(
        f"Databases at {brief(scheme)}:// are not known here.",
        hint=f"there are {_SCHEMES}; in Python read_sql takes any DB-API or ADBC connection, and ibis knows more.",
    )


def is_server(place: Any) -> bool:
    """Whether a place is that of a server, and no path."""
    return isinstance(place, str) and place.partition("://")[0] in SERVERS and "://" in place


def kind_of_file(path: str | os.PathLike[str]) -> str | None:
    """Return which database a file is, by its first bytes; None where it is none, or cannot be read."""
    try:
        head = first_bytes(path, 32)
    except (OSError, ValueError):
        return None
    return next((title for title, (recognises, _) in FILES.items() if recognises(head)), None)


@contextmanager
def database_of(connection: Any) -> Iterator[Database]:
    """Open what a path or URL names, or take a connection that is open and stays so."""
    if isinstance(connection, str) and is_server(connection):
        with open_postgres(connection, partial(without_secrets, url=connection)) as database:
            yield database
    elif isinstance(connection, str | os.PathLike):
        path = os.fspath(connection)
        kind = kind_of_file(path)
        if kind is None:
            with opened(path):  # where it cannot be read it says why
                raise FileFormatError(
                    f"{shorten_path(path)} is not a database of {' or '.join(FILES)}.",
                    hint="a query asks a database; other files are read without one.",
                )
        with FILES[kind][1](path) as database:
            yield database
    else:
        with _driver_connection(connection) as driver:
            yield _kind_of(driver)(driver)


def _kind_of(connection: Any) -> Callable[[Any], Database]:
    """Return what asks a connection."""
    classes = type(connection).__mro__
    if callable(getattr(connection, "sql", None)) and not isinstance(connection, type | ModuleType):
        return Session
    if not callable(getattr(connection, "cursor", None)) or any("Async" in kind.__name__ for kind in classes):
        raise InvalidInputError(
            f"A query needs a connection; got {type(connection).__name__}.",
            hint=f"give an open DB-API or ADBC connection, the path of a database, or a URL: {_SCHEMES}.",
        )
    packages = [kind.__module__.partition(".")[0] for kind in classes]
    return next((KINDS[package] for package in packages if package in KINDS), Database)


@contextmanager
def _driver_connection(connection: Any) -> Iterator[Any]:
    """Yield the driver's own connection where an engine or a connection of SQLAlchemy wraps one."""
    if type(connection).__module__.partition(".")[0] != "sqlalchemy":
        yield connection
    elif hasattr(connection, "raw_connection"):
        with closing(_raw_connection(connection)) as wrapper:
            yield wrapper.driver_connection
    else:
        yield getattr(getattr(connection, "connection", None), "driver_connection", connection)


def _raw_connection(engine: Any) -> Any:
    """Let an engine of SQLAlchemy connect."""
    try:
        return engine.raw_connection()
    except Exception as error:  # of SQLAlchemy or of the driver below it
        database = Database(engine)
        raise unreachable(database.one_line(database.message(error))) from error
