"""Rows of databases: a query is counted where its rows are."""

from ropewalk.data.databases.query import Query, refuse_database

__all__ = ["Query", "refuse_database"]
