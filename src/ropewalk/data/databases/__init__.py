"""Rows of databases: a query is counted where its rows are."""

from ropewalk.data.databases.connecting import masked, parse_place
from ropewalk.data.databases.query import Query, refuse_database, tables_hint

__all__ = ["Query", "masked", "parse_place", "refuse_database", "tables_hint"]
