"""Losses of probabilities and means of any number an item has, as plans (see `areas`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk.metrics.areas import Plan, View
from ropewalk.typing import FloatArray, IntArray

BINS: Final = 15
"""How many bins of equal mass the expected calibration error has."""

SURE: Final = float(np.finfo(np.float64).eps)
"""A probability below this counts as this in the log loss, as in scikit-learn."""

_PLANE: Final = 2


def mean_of(view: View, values: FloatArray) -> Plan:
    """Return the plan of a weighted mean of the items' values."""
    matrix = _rows(view, values)

    def mean(weights: FloatArray) -> FloatArray:
        total, whole = matrix @ weights
        return np.asarray(total / whole)

    return mean


def _rows(view: View, values: FloatArray) -> Any:
    from scipy.sparse import vstack

    return vstack([view.sums(0, 1, values), view.sums(0, 1)], format="csr")


def mean(view: View) -> Plan:
    """Return the plan of the mean of what each item has."""
    return mean_of(view, view.scores)


def chance_of_truth(scores: FloatArray, truth: IntArray) -> FloatArray:
    """Return the probability that was given to what is true, item by item."""
    if scores.ndim == _PLANE:
        return np.asarray(scores[np.arange(truth.size), truth])
    return np.where(truth == 1, scores, 1.0 - scores)


def log_loss(view: View) -> Plan:
    """Return the plan of the mean of −log P(truth); a probability of 0 counts as 2e-16."""
    return mean_of(view, -np.log(np.clip(chance_of_truth(view.scores, view.truth), SURE, 1.0 - SURE)))


def brier(view: View) -> Plan:
    """Return the plan of the mean squared error of the probabilities, summed over the classes if there are many."""
    if view.scores.ndim == _PLANE:
        hit = view.truth[:, np.newaxis] == np.arange(view.scores.shape[1])
        return mean_of(view, ((view.scores - hit) ** 2).sum(axis=1))
    return mean_of(view, (view.scores - view.truth) ** 2)


@dataclass(frozen=True, slots=True)
class DecisionCost:
    """The plan of the mean cost of decisions: positive from a `threshold` on, or else those of minimum risk."""

    matrix: tuple[tuple[float, ...], ...]
    threshold: float | None = None

    def __call__(self, view: View) -> Plan:
        """Return the plan of one system."""
        matrix = np.array(self.matrix)
        if self.threshold is not None:
            decision = (view.scores >= self.threshold).astype(np.int64)
        else:
            decision = risks(view.scores, matrix).argmin(axis=1)
        return mean_of(view, matrix[view.truth, decision])


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
    if chances.ndim < _PLANE:
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
    if scores.ndim == _PLANE:
        hit = (scores.argmax(axis=1) == view.truth).astype(np.float64)
        scores = scores.max(axis=1)
    bins = equal_mass_bins(scores)
    gaps, whole = view.sums(bins, BINS, scores - hit), view.sums(0, 1)

    def error(weights: FloatArray) -> FloatArray:
        return np.asarray(np.abs(gaps @ weights).sum(axis=0) / (whole @ weights)[0])

    return error
