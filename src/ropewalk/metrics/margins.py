"""Weighted tables, the common currency: what a model draws, what the data hold, and what a metric sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk.typing import CodeArray, FloatArray


@dataclass(frozen=True, slots=True)
class Margins:
    """What most metrics need of a table, for K classifiers, D draws and M classes.

    `tp` and `col` (K, D, M) are the weights of right predictions and of all predictions of each class, `row`
    (D, M) those of its items, `total` (D, 1) of all items. Draws lie contiguous in memory, so work along them
    runs at memory speed.
    """

    tp: FloatArray
    col: FloatArray
    row: FloatArray
    total: FloatArray

    @property
    def fp(self) -> FloatArray:
        """Weights of items wrongly put into each class."""
        return self.col - self.tp

    @property
    def fn(self) -> FloatArray:
        """Weights of items of each class that were put elsewhere."""
        return self.row - self.tp

    @property
    def tn(self) -> FloatArray:
        """Weights of items that are not of the class and were not put into it."""
        # A difference of sums may come out at -1e-17, and a rate must not be negative.
        return np.maximum(self.total - self.row - self.col + self.tp, 0.0)

    def pooled(self) -> Margins:
        """Return the margins summed over classes, as micro averages use them."""
        tp, col, row = (x.sum(axis=-1, keepdims=True) for x in (self.tp, self.col, self.row))
        return Margins(tp, col, row, self.total * self.row.shape[-1])


@dataclass(frozen=True, slots=True)
class Weighted:
    """D draws of weights on the cells of a table: `codes` (C, 1+K), `weights` (C, D), `n_labels` M.

    The observed table is the same thing with its counts as a single draw.
    """

    codes: CodeArray
    weights: FloatArray
    n_labels: int

    def margins(self) -> Margins:
        """Sum the weights by class and by prediction."""
        n_classifiers, n_draws = self.codes.shape[1] - 1, self.weights.shape[1]
        row = np.zeros((self.n_labels, n_draws))
        col = np.zeros((n_classifiers, self.n_labels, n_draws))
        tp = np.zeros((n_classifiers, self.n_labels, n_draws))
        for (truth, *predicted), weight in zip(self.codes.tolist(), self.weights, strict=True):
            row[truth] += weight
            for k, label in enumerate(predicted):
                col[k, label] += weight
                if label == truth:
                    tp[k, label] += weight
        total = row.sum(axis=0)
        return Margins(tp.swapaxes(1, 2), col.swapaxes(1, 2), row.T, total[:, np.newaxis])

    def linear(self, cost: FloatArray) -> FloatArray:
        """Return the mean of `cost[truth, prediction]` over the items, (K, D)."""
        columns = range(1, self.codes.shape[1])
        sums = [(self.weights * cost[self.codes[:, 0], self.codes[:, k]][:, np.newaxis]).sum(axis=0) for k in columns]
        return ratio(np.stack(sums), self.weights.sum(axis=0))

    def at_prevalence(self, shares: FloatArray) -> Weighted:
        """Return the table with the class mix replaced and all else equal; an empty class stays empty."""
        row = np.zeros((self.n_labels, self.weights.shape[1]))
        for truth, weight in zip(self.codes[:, 0].tolist(), self.weights, strict=True):
            row[truth] += weight
        factors = ratio(np.asarray(shares, dtype=np.float64)[:, np.newaxis], row)
        return Weighted(self.codes, self.weights * factors[self.codes[:, 0]], self.n_labels)


def ratio(numerator: Any, denominator: Any) -> FloatArray:
    """Divide, counting 0/0 as 0.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [0.25, 0.0]
    """
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: FloatArray = np.divide(numerator, denominator)
    empty = denominator == 0
    if empty.any():
        quotient[empty] = 0.0
    return quotient
