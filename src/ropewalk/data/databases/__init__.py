"""Rows of databases: a query is counted where its rows are."""

from ropewalk.data.databases.connecting import parse_place
from ropewalk.data.databases.query import Query, refuse_database, tables_hint
from ropewalk.text.secrets import masked

__all__ = ["Query", "masked", "parse_place", "refuse_database", "tables_hint"]
