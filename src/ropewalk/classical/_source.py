"""Predictions for a test: any form of data that `compare` takes becomes the tables that a test looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk.classical._scores import Scores
from ropewalk.data.inputs import read_outcomes_of
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import DataError, DependentItemsWarning, warn_caller
from ropewalk.metrics.confusion import FBeta
from ropewalk.metrics.resolve import of_one_label
from ropewalk.models.posterior import observed_tables
from ropewalk.results.options import TableOptions
from ropewalk.text.options import wording
from ropewalk.typing import IntArray

USAGE: Final = (
    "test(y_true, pred_a, pred_b), test(outcomes, a=…, b=…), test(outcomes_a, outcomes_b), or "
    "test(table, truth=…, a=…, b=…)."
)


_NOTHING: Final = "There are no items to test."
_EMPTY: Final = "a posterior of no items is its prior; a test of none says nothing."


class Source(TableOptions, total=False):
    """What can be said about the data, as in `compare`."""

    a: str | None
    b: str | None
    pos_label: Any


def tables_of(data: Sequence[Any], source: Source) -> tuple[AnyOutcomes, ...]:
    """Return one table of both classifiers, or one of each; with a `pos_label` they are about that class alone."""
    tables = read_outcomes_of(data, (source.get("a"), source.get("b")), source, usage=USAGE)
    if any(table.clusters is not None for table in tables):
        told = "These items come in clusters, and a classical test takes them as independent: its p-value is too small."
        warn_caller(told, DependentItemsWarning)
    return about(tables, source.get("pos_label"))


def about(tables: Sequence[AnyOutcomes], pos_label: Any) -> tuple[AnyOutcomes, ...]:
    """Return the tables of one class against the rest, or as they are without a `pos_label`."""
    single, positive = of_one_label(tables, pos_label)
    if positive is None:
        return tuple(single)
    return tuple(table.collapse(positive) for table in single if isinstance(table, Outcomes))


def names_of(tables: Sequence[AnyOutcomes]) -> tuple[str, ...]:
    """Return the names of the classifiers, A first."""
    return tuple(name for table in tables for name in table.names)


@dataclass(frozen=True, slots=True)
class Right:
    """How many of their items the two classifiers got right, each on `n` items."""

    a: int
    b: int
    n_a: int
    n_b: int


def right(tables: Sequence[AnyOutcomes]) -> Right:
    """Count the right answers of each classifier; the items may be the same or not."""
    counts = [(int(hits), table.n_items) for table in map(_one_label, tables) for hits in _hits(table)]
    if not all(n for _, n in counts):
        raise DataError(_NOTHING, hint=_EMPTY)
    (a, n_a), (b, n_b) = counts
    return Right(a, b, n_a, n_b)


def _hits(table: Outcomes) -> IntArray:
    hits: IntArray = ((table.codes[:, 1:] == table.codes[:, :1]) * table.counts[:, np.newaxis]).sum(axis=0)
    return hits


def discordant(tables: Sequence[AnyOutcomes]) -> tuple[int, int, int]:
    """Return how many items only A, and only B, got right, and how many items there are."""
    table = shared(tables)
    agree = table.agreement(*table.names)
    return agree["only_a"], agree["only_b"], table.n_items


def shared(tables: Sequence[AnyOutcomes]) -> Outcomes:
    """Return the one table of both classifiers, which a paired test cannot do without."""
    if len(tables) > 1:
        raise DataError(
            "A paired test needs to know which items the classifiers share; these are separate tables.",
            hint="give the predictions item by item; t_items and the tests over classes do without.",
        )
    table = _one_label(tables[0])
    if not table.n_items:
        raise DataError(_NOTHING, hint=_EMPTY)
    return table


def _one_label(table: AnyOutcomes) -> Outcomes:
    if isinstance(table, MultilabelOutcomes):
        raise DataError(
            "Right or wrong needs one label an item; these items have any number of labels.",
            hint=wording(
                "pick one with pos_label=, test the F1 of all labels over classes, or use the permutation test."
            ),
        )
    return table


def f1_by_class(tables: Sequence[AnyOutcomes], classes: Sequence[int] | None = None) -> Scores:
    """Return both classifiers' F1 of every class, unrounded; classes that nobody ever named are left out.

    `classes` are the places of the classes to look at, all if None.
    """
    labels = tables[0].labels
    if not all(table.n_items for table in tables):
        raise DataError(_NOTHING, hint=_EMPTY)
    margins = [observed_tables(table).margins() for table in tables]
    a, b = (row for found in margins for row in FBeta(1.0)(found)[:, 0])
    seen = sum(found.row[0] + found.col.sum(axis=(0, 1)) for found in margins) > 0
    for j, label in enumerate(labels):
        seen[j] &= label != NO_ANSWER and (classes is None or j in classes)
    return Scores(names_of(tables), np.stack([a[seen], b[seen]], axis=1))
