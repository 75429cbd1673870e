"""Metrics of scored items, areas and losses, as plans: what does not depend on the weights is done once.

A *plan* takes weights of many draws at a time and returns the value of each draw: sums of weights (a sparse product),
then cumulative sums along the ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

import numpy as np

from ropewalk.metrics.margins import ratio
from ropewalk.typing import BoolArray, FloatArray, IntArray

Plan = Callable[[FloatArray], FloatArray]
"""From weights of units (units, draws) to the value of each draw (draws,)."""


@dataclass(frozen=True, slots=True)
class View:
    """What a plan is made from: one system's scores, the truth as codes, and which unit carries each item."""

    truth: IntArray
    scores: FloatArray
    member: IntArray
    n_units: int
    weight: FloatArray | None

    def sums(self, rows: Any, n_rows: int, values: Any = None, items: Any = None) -> Any:
        """Return the sparse matrix that sums the weights of `items`, times `values`, into rows."""
        from scipy.sparse import csr_array

        chosen = slice(None) if items is None else items
        member = self.member[chosen]
        data = np.ones(member.size) if self.weight is None else self.weight[chosen]
        data = data if values is None else data * values
        rows = np.broadcast_to(rows, member.shape)
        return csr_array((data, (rows, member)), shape=(n_rows, self.n_units))

    def descending(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Return the items from the highest score down, which block of equal scores each is in, and the positives."""
        order = np.argsort(-self.scores, kind="stable")
        ordered = self.scores[order]
        block = np.zeros(order.size, dtype=np.int64)
        np.cumsum(ordered[1:] != ordered[:-1], out=block[1:])
        return order, block, self.truth[order] == 1


def roc_auc(view: View) -> Plan:
    """Return the plan of the area under the ROC curve; equal scores share their credit.

    Only the order of the two classes matters: what lies between two changes of class is one step, in which the
    positives come first, or one block of equal scores.
    """
    order, block, positive = view.descending()
    last = int(block[-1]) + 1
    has = [np.bincount(block[here], minlength=last) > 0 for here in (positive, ~positive)]
    mixed = has[0] & has[1]
    new = mixed.copy()
    new[1:] |= mixed[:-1] | (has[0][1:] & has[1][:-1])
    step_of: IntArray = np.cumsum(new) - int(new[0])
    step: IntArray = step_of[block]
    n_steps = int(step_of[-1]) + 1
    matrix = view.sums(step + n_steps * ~positive, 2 * n_steps, items=order)
    half = np.zeros(n_steps)
    half[step_of[mixed]] = 0.5
    ties = bool(half.any())

    def area(weights: FloatArray) -> FloatArray:
        sums = matrix @ weights
        gained, lost = sums[:n_steps], sums[n_steps:]
        above = np.cumsum(gained, axis=0)
        positives, negatives = above[-1].copy(), lost.sum(axis=0)
        if ties:
            above -= half[:, np.newaxis] * gained
        lost *= above
        return np.asarray(lost.sum(axis=0) / (positives * negatives))

    return area


def _precision_steps(view: View) -> tuple[Any, int]:
    """Return the sums of each block of equal scores that has positives: these, negatives in it, negatives before it."""
    order, block, positive = view.descending()
    last = int(block[-1]) + 1
    has = np.bincount(block[positive], minlength=last) > 0
    step_of: IntArray = np.cumsum(has) - has
    n_steps = int(has.sum())
    step: IntArray = step_of[block]
    # A negative after the last positive changes no precision that counts.
    kept = step < n_steps
    row = np.where(positive, step, np.where(has[block], step + n_steps, step + 2 * n_steps))
    return view.sums(row[kept], 3 * n_steps, items=order[kept]), n_steps


def average_precision(view: View) -> Plan:
    """Return the plan of the average precision: the mean over positives of the precision where each is found."""
    matrix, n = _precision_steps(view)

    def area(weights: FloatArray) -> FloatArray:
        sums = matrix @ weights
        hits, called = sums[:n], sums[n : 2 * n]
        called += sums[2 * n :]
        called += hits
        np.cumsum(called, axis=0, out=called)
        recalled = np.cumsum(hits, axis=0)
        total = recalled[-1].copy()
        recalled *= hits
        recalled /= called
        return np.asarray(recalled.sum(axis=0) / total)

    return area


def pr_auc(view: View) -> Plan:
    """Return the plan of the area under the PR curve, its points joined by lines from (recall 0, precision 1) on."""
    matrix, n = _precision_steps(view)

    def area(weights: FloatArray) -> FloatArray:
        sums = matrix @ weights
        hits, within, before = sums[:n], sums[n : 2 * n], sums[2 * n :]
        recalled = np.cumsum(hits, axis=0)
        wrong = np.cumsum(within + before, axis=0)
        here = recalled / (recalled + wrong)
        earlier = recalled - hits
        there = ratio(earlier, earlier + wrong - within)
        there[0] = np.where(before[0] > 0, 0.0, 1.0)
        return np.asarray((hits * (here + there)).sum(axis=0) / (2 * recalled[-1]))

    return area


BINS: Final = 15
"""How many bins of equal mass the expected calibration error has."""

SURE: Final = float(np.finfo(np.float64).eps)
"""A probability below this counts as this in the log loss, as in scikit-learn."""


def mean_of(view: View, values: FloatArray) -> Plan:
    """Return the plan of a weighted mean of the items' values."""
    sums, whole = view.sums(0, 1, values), view.sums(0, 1)

    def mean(weights: FloatArray) -> FloatArray:
        return np.asarray((sums @ weights)[0] / (whole @ weights)[0])

    return mean


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The plan of the mean of what each item has, as `values` says."""

    values: Callable[[View], FloatArray]

    def __call__(self, view: View) -> Plan:
        """Return the plan of one system."""
        return mean_of(view, self.values(view))


def chance_of_truth(scores: FloatArray, truth: IntArray) -> FloatArray:
    """Return the probability that was given to what is true, item by item."""
    if scores.ndim > 1:
        return np.asarray(scores[np.arange(truth.size), truth])
    return np.where(truth == 1, scores, 1.0 - scores)


def log_losses(view: View) -> FloatArray:
    """Return −log P(truth) of each item; a probability of 0 counts as 2e-16."""
    return -np.log(np.clip(chance_of_truth(view.scores, view.truth), SURE, 1.0 - SURE))


def squared_errors(view: View) -> FloatArray:
    """Return the squared error of each item's probabilities, summed over the classes if there are many."""
    if view.scores.ndim > 1:
        hit = view.truth[:, np.newaxis] == np.arange(view.scores.shape[1])
        return np.asarray(((view.scores - hit) ** 2).sum(axis=1))
    return (view.scores - view.truth) ** 2


mean = MeanOf(attrgetter("scores"))
log_loss = MeanOf(log_losses)
brier = MeanOf(squared_errors)


@dataclass(frozen=True, slots=True)
class DecisionCost:
    """The plan of the mean cost of decisions: positive from a `threshold` on, or else those of minimum risk."""

    matrix: tuple[tuple[float, ...], ...]
    threshold: float | None = None

    def values(self, view: View) -> FloatArray:
        """Return the cost of the decision on each item."""
        matrix = np.array(self.matrix)
        if self.threshold is not None:
            decision = (view.scores >= self.threshold).astype(np.int64)
        else:
            decision = risks(view.scores, matrix).argmin(axis=1)
        return np.asarray(matrix[view.truth, decision])

    def __call__(self, view: View) -> Plan:
        """Return the plan of one system."""
        return mean_of(view, self.values(view))


def turned(matrix: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    """Return a cost matrix with its two classes exchanged.

    Examples
    --------
    >>> turned(((0.0, 1.0), (5.0, 0.0)))
    ((0.0, 5.0), (1.0, 0.0))
    """
    return tuple(row[::-1] for row in matrix[::-1])


def risks(probabilities: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return the expected cost of every decision on every item, (items, decisions).

    `matrix` has costs by truth (rows) and decision (columns); `probabilities` are of the last of two classes or of all.
    """
    chances = probabilities
    if chances.ndim == 1:
        chances = np.stack([1.0 - chances, chances], axis=1)
    return np.asarray((chances[:, :, np.newaxis] * matrix).sum(axis=1))


def equal_mass_bins(scores: FloatArray, n_bins: int = BINS) -> IntArray:
    """Return the bin of each score, bins of equal numbers of items, equal scores together.

    Examples
    --------
    >>> equal_mass_bins(np.array([0.1, 0.2, 0.3, 0.4]), 2).tolist()
    [0, 0, 1, 1]
    """
    edges = np.quantile(scores, np.linspace(0, 1, n_bins + 1)[1:-1])
    return np.asarray(np.searchsorted(edges, scores), dtype=np.int64)


def ece(view: View) -> Plan:
    """Return the plan of the expected calibration error: the mean gap between probability and share, over bins.

    With more than two classes it is that of the most probable class.
    """
    scores, hit = view.scores, view.truth.astype(np.float64)
    if scores.ndim > 1:
        hit = (scores.argmax(axis=1) == view.truth).astype(np.float64)
        scores = scores.max(axis=1)
    bins = equal_mass_bins(scores)
    gaps, whole = view.sums(bins, BINS, scores - hit), view.sums(0, 1)

    def error(weights: FloatArray) -> FloatArray:
        return np.asarray(np.abs(gaps @ weights).sum(axis=0) / (whole @ weights)[0])

    return error
