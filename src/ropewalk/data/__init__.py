"""Anything → `Outcomes`, the sufficient statistics of every model on labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ropewalk._checks import publish_late
from ropewalk.data import examples

if TYPE_CHECKING:
    from ropewalk.data.counts import read_counts
    from ropewalk.data.databases import Query
    from ropewalk.data.joining import join_outcomes, join_scores
    from ropewalk.data.logs import Log, read_log, read_long
    from ropewalk.data.multilabel import MultilabelOutcomes
    from ropewalk.data.outcomes import Outcomes
    from ropewalk.data.readers import read_multilabel, read_outcomes, read_sql
    from ropewalk.data.scores import ItemScores

_HOMES = {
    "counts": ("read_counts",),
    "databases": ("Query",),
    "joining": ("join_outcomes", "join_scores"),
    "logs": ("Log", "read_log", "read_long"),
    "multilabel": ("MultilabelOutcomes",),
    "outcomes": ("Outcomes",),
    "readers": ("read_multilabel", "read_outcomes", "read_sql"),
    "scores": ("ItemScores",),
}

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


def __getattr__(name: str) -> Any:
    """Import a name when it is used first: an answer needs few of them."""
    return publish_late(globals(), _HOMES, name)


def __dir__() -> list[str]:
    """List what is public."""
    return __all__
