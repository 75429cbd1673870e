"""Flips: on which share of the items one of two systems is right, or better, and the other is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.metrics.influence import SmoothMean
from ropewalk.metrics.items import Plan, View, mean
from ropewalk.metrics.margins import Weighted
from ropewalk.metrics.scores import Measured, WeightedItems
from ropewalk.typing import BoolArray, CodeArray, FloatArray

_RIGHT_OR_WRONG: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class FlipShares:
    """The shares of items that A gained against B, that it lost, and of labels those that both have wrong, differently.

    It measures weighted tables as a metric does, and so the very draws of one. Of many scores, whose means are drawn
    without weights, it draws the two means again and the shares beside them. `higher_is_better` is said of scores, and
    `right_or_wrong` of those that are 1 or 0: then what is gained less what is lost is the difference of the means.
    """

    higher_is_better: bool = True
    right_or_wrong: bool = False

    divisor = None
    ranks = False
    n_beside = 2

    def __call__(self, drawn: Any) -> FloatArray:
        """Return the shares, a row for each kind of flip and a column for each draw."""
        if isinstance(drawn, Measured):
            a, b, gained, lost = drawn.psi
            better = a - b if self.higher_is_better else b - a
            return np.stack([gained, gained - better if self.right_or_wrong else lost])
        if isinstance(drawn, WeightedItems):
            plans = drawn.plans.of(self, lambda: self._plans(drawn.items))  # type: ignore[arg-type]
            return np.stack([plan(drawn.weights) for plan in plans])
        assert isinstance(drawn, Weighted)  # noqa: S101 - what has no cells is not asked
        return drawn.average(_kinds)

    def observed(self, items: ItemScores) -> FloatArray:
        """Return the shares where all items weigh what they do."""
        mass = np.ones(items.n_items) if items.weight is None else items.weight
        return np.array([kind.value(mass) for kind in self.smooth(items)[-self.n_beside :]])

    def smooth(self, items: ItemScores) -> list[SmoothMean]:
        """Return the means of both systems and, beside them, the shares, as smooth functions of the items' masses."""
        return [SmoothMean(x) for x in (*items.values, *(kind.astype(np.float64) for kind in self._better(items)))]

    def count(self, table: Outcomes | ItemScores) -> list[int]:
        """Return how many items there are of each kind of flip."""
        if isinstance(table, ItemScores):
            return [int(kind.sum()) for kind in self._better(table)]
        return [int(table.counts[kind].sum()) for kind in _kinds(table.codes.T)]

    def _better(self, items: ItemScores) -> tuple[BoolArray, BoolArray]:
        a, b = items.values if self.higher_is_better else items.values[::-1]
        return a > b, a < b

    def _plans(self, items: ItemScores) -> list[Plan]:
        truth = np.zeros(items.n_items, dtype=np.int64)
        view = View(truth, items.values[0], items.members, items.n_units, items.weight)
        return [mean(replace(view, scores=kind.astype(np.float64))) for kind in self._better(items)]


def _kinds(codes: CodeArray) -> BoolArray:
    """Return which columns of (truth, A, B) are gained, lost, and wrong in both, differently."""
    truth, a, b = codes
    return np.stack([(a == truth) & (b != truth), (a != truth) & (b == truth), (a != truth) & (b != truth) & (a != b)])


def is_right_or_wrong(items: ItemScores) -> bool:
    """Whether every score says right or wrong: 1 or 0."""
    return all(np.isin(values, _RIGHT_OR_WRONG).all() for values in items.values)
