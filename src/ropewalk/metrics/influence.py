"""Influence values: how far a metric of scores moves as an item comes to count more, for all items in one pass.

A metric that ranks sorts the scores once; its value and its gradient are then cumulative sums over blocks of equal
scores, whatever the items weigh. A mean needs no sorting. Masses are what items weigh; no metric sees their scale.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np

from ropewalk.metrics.items import Plan, View, average_precision, pr_auc, roc_auc
from ropewalk.typing import BoolArray, FloatArray, IntArray


class Smooth(Protocol):
    """A metric of one system as a smooth function of the masses of its items."""

    def value(self, mass: FloatArray) -> float:
        """Return the metric of items that weigh so much."""

    def gradient(self, mass: FloatArray) -> FloatArray:
        """Return its derivative by the mass of each item."""

    @property
    def rest(self) -> float:
        """How much, at most, the value varies beside its first order where items stand alone and count alike.

        It is a standard deviation, beside a first order that is divided by the masses of the classes.
        """


@dataclass(frozen=True)
class SmoothMean:
    """The mean of `values`.

    Examples
    --------
    >>> SmoothMean(np.array([1.0, 2.0, 6.0])).gradient(np.ones(3)).round(3).tolist()
    [-0.667, -0.333, 1.0]
    """

    values: FloatArray
    rest = 0.0

    def value(self, mass: FloatArray) -> float:
        """Return the weighted mean."""
        return float((mass * self.values).sum() / mass.sum())

    def gradient(self, mass: FloatArray) -> FloatArray:
        """Return how far each value lies from the mean, by the mass of all."""
        return np.asarray((self.values - self.value(mass)) / mass.sum())


@dataclass(frozen=True)
class SmoothAverage:
    """The mean of metrics of each class against the rest: by the masses of the classes where `truth` is given."""

    parts: tuple[Smooth, ...]
    truth: IntArray | None
    rest = 1.0

    def _shares(self, mass: FloatArray) -> FloatArray:
        if self.truth is None:
            return np.full(len(self.parts), 1 / len(self.parts))
        return np.asarray(np.bincount(self.truth, weights=mass, minlength=len(self.parts)) / mass.sum())

    def value(self, mass: FloatArray) -> float:
        """Return the average over the classes."""
        return float(self._shares(mass) @ [part.value(mass) for part in self.parts])

    def gradient(self, mass: FloatArray) -> FloatArray:
        """Return the average of the gradients, and what an item adds to the share of its own class."""
        shares, whole = self._shares(mass), np.zeros(mass.size)
        for share, part in zip(shares, self.parts, strict=True):
            whole += share * part.gradient(mass)
        if self.truth is not None:
            values = np.array([part.value(mass) for part in self.parts])
            whole += (values - shares @ values)[self.truth] / mass.sum()
        return whole


@dataclass(frozen=True)
class Ranked(ABC):
    """A metric of the order of scores: `truth` is 1 for what should come first."""

    truth: IntArray
    scores: FloatArray

    @property
    def rest(self) -> float:
        """How much, at most, the value varies beside its first order: it lies between 0 and 1."""
        return 1.0

    @cached_property
    def _sorted(self) -> tuple[IntArray, BoolArray, IntArray, IntArray]:
        """The items from the highest score down, and whether each is a positive.

        Then the places of items that are equal to the one before, and of the first of their blocks.
        """
        order = np.argsort(self.scores)[::-1]
        ordered = self.scores[order]
        again = 1 + np.flatnonzero(ordered[1:] == ordered[:-1])
        fresh = np.diff(again, prepend=-1) != 1
        first = (again[fresh] - 1)[np.cumsum(fresh) - 1]
        return order, self.truth[order] == 1, again, first

    def _blocks(self, mass: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the masses of positives and of negatives: those of a block its first item has, the others none."""
        order, positive, again, first = self._sorted
        misses = mass[order]
        hits = misses * positive
        misses -= hits
        for masses in (hits, misses):
            np.add.at(masses, first, masses[again])
            masses[again] = 0.0
        return hits, misses

    def value(self, mass: FloatArray) -> float:
        """Return the metric of items that weigh so much."""
        return self._value(*self._blocks(mass))

    def gradient(self, mass: FloatArray) -> FloatArray:
        """Return the derivative by the mass of each item: that of its block, as a positive or as a negative."""
        order, positive, again, first = self._sorted
        gradient = np.empty(order.size)
        ups, downs = self._slopes(*self._blocks(mass))
        for slopes in (ups, downs):
            slopes[again] = slopes[first]
        gradient[order] = np.where(positive, ups, downs)
        return gradient

    @abstractmethod
    def _value(self, hits: FloatArray, misses: FloatArray) -> float:
        """Return the metric, given the masses of positives and of negatives in each block from the top down."""

    @abstractmethod
    def _slopes(self, hits: FloatArray, misses: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives by the mass of a positive and of a negative in each block."""


class SmoothRoc(Ranked):
    """The area under the ROC curve; equal scores share their credit."""

    @property
    def rest(self) -> float:
        """How much the value varies at most beside its first order: as the mean of what pairs of items add.

        A pair adds 0, 1/2 or 1, so by its first order no more than 1/2 is left of its standard deviation.
        """
        positives = int((self.truth == 1).sum())
        return 0.5 / math.sqrt(max(positives, 1) * max(self.truth.size - positives, 1))

    def _value(self, hits: FloatArray, misses: FloatArray) -> float:
        above = _midway(hits)
        above *= misses
        return float(above.sum() / (hits.sum() * misses.sum()))

    def _slopes(self, hits: FloatArray, misses: FloatArray) -> tuple[FloatArray, FloatArray]:
        area, positives, negatives = self._value(hits, misses), hits.sum(), misses.sum()
        beaten, above = _midway(misses), _midway(hits)
        beaten /= -negatives
        beaten += 1 - area
        beaten /= positives
        above /= positives
        above -= area
        above /= negatives
        return beaten, above


class SmoothPrecision(Ranked):
    """The average precision: the mean over positives of the precision where each is found."""

    def _value(self, hits: FloatArray, misses: FloatArray) -> float:
        found = np.cumsum(hits)
        return float((hits * found / (found + np.cumsum(misses))).sum() / found[-1])

    def _slopes(self, hits: FloatArray, misses: FloatArray) -> tuple[FloatArray, FloatArray]:
        found = np.cumsum(hits)
        called = found + np.cumsum(misses)
        precision, step, whole = found / called, hits / called, found[-1]
        area = (hits * precision).sum() / whole
        downs = _from_here(step * precision)
        step -= step * precision
        return (precision + _from_here(step) - area) / whole, downs / -whole


class SmoothPrArea(Ranked):
    """The area under the PR curve, its points joined by lines."""

    def _value(self, hits: FloatArray, misses: FloatArray) -> float:
        here, there, *_ = self._ends(hits, misses)
        return float((hits * (here + there)).sum() / (2 * hits.sum()))

    def _slopes(self, hits: FloatArray, misses: FloatArray) -> tuple[FloatArray, FloatArray]:
        here, there, step, step_before = self._ends(hits, misses)
        whole = hits.sum()
        area = (hits * (here + there)).sum() / (2 * whole)
        ups = here + there + _from_here(step * (1 - here)) + _below(step_before * (1 - there))
        downs = _from_here(step * here) + _below(step_before * there)
        return (ups / 2 - area) / whole, downs / (-2 * whole)

    @staticmethod
    def _ends(hits: FloatArray, misses: FloatArray) -> tuple[FloatArray, ...]:
        """Return the precision after and before the positives of a block, and these by all items found till then."""
        found, wrong = np.cumsum(hits), np.cumsum(misses)
        called = found + wrong
        before = np.append(0.0, called[:-1])
        none = before == 0  # the curve begins at precision 1, if the first block has no negatives above it
        before[none] = 1.0
        there = np.append(0.0, found[:-1]) / before + none
        return found / called, there, hits / called, hits / before * ~none


RANKED: Final[dict[Any, type[Ranked]]] = {
    roc_auc: SmoothRoc,
    average_precision: SmoothPrecision,
    pr_auc: SmoothPrArea,
}
"""The smooth metrics of the order of scores, by what prepares their plans."""


def smooth(prepare: Callable[[View], Plan], view: View) -> Smooth | None:
    """Return a metric of one system as a smooth function of masses; None where it is none.

    Examples
    --------
    >>> view = View(np.array([0, 1, 1]), np.array([0.2, 0.9, 0.2]), np.arange(3), 3, None)
    >>> smooth(roc_auc, view).value(np.ones(3))
    0.75
    """
    if prepare in RANKED:
        return RANKED[prepare](view.truth, view.scores)
    values = getattr(prepare, "values", None)
    return None if values is None else SmoothMean(np.asarray(values(view), dtype=np.float64))


def _midway(steps: FloatArray) -> FloatArray:
    """Return the sums of what is above, and of half of what is here."""
    sums = np.cumsum(steps)
    sums -= steps / 2
    return sums


def _from_here(steps: FloatArray) -> FloatArray:
    """Return the sums of what is here and below."""
    return np.cumsum(steps[::-1])[::-1]


def _below(steps: FloatArray) -> FloatArray:
    """Return the sums of what is below."""
    return _from_here(steps) - steps
