"""Anything → `Outcomes`, the sufficient statistics of every model on labels."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.data import examples
from ropewalk.data.counts import read_counts
from ropewalk.data.databases import Query
from ropewalk.data.joining import join_outcomes, join_scores
from ropewalk.data.logs import Log, read_log, read_long
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.readers import read_multilabel, read_outcomes, read_sql
from ropewalk.data.scores import ItemScores

__all__ = [
    "ItemScores",
    "Log",
    "MultilabelOutcomes",
    "Outcomes",
    "Query",
    "examples",
    "join_outcomes",
    "join_scores",
    "read_counts",
    "read_log",
    "read_long",
    "read_multilabel",
    "read_outcomes",
    "read_sql",
]

publish(globals())
