"""Weighted tables, the common currency: what a model draws, what the data hold, what a metric sees, and the metrics.

A *class* metric gives a value for every class (K, D, M) and needs a positive class or an average; a *table* metric
gives one value (K, D) for any number of classes. 0/0 counts 0 throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np

from ropewalk.typing import CodeArray, FloatArray, IntArray

_FEW_ENTRIES: Final = 512


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

    def only(self, j: int) -> Margins:
        """Return the margins of one class, without copying them."""
        return self.of(slice(j, j + 1))

    def of(self, classes: Sequence[int] | slice) -> Margins:
        """Return the margins of some of the classes; the total stays that of all items."""
        places = classes if isinstance(classes, slice) else list(classes)
        return Margins(self.tp[..., places], self.col[..., places], self.row[..., places], self.total)


class Tables(Protocol):
    """What a metric can be computed from: D tables over the same labels."""

    @property
    def n_labels(self) -> int:
        """How many labels there are."""

    def margins(self) -> Margins:
        """Sum the weights by class and by prediction."""

    def linear(self, cost: FloatArray) -> FloatArray:
        """Return the mean cost of an item, (K, D)."""

    def at_prevalence(self, shares: FloatArray) -> Tables:
        """Return the tables with the class mix replaced and all else equal."""


@dataclass(frozen=True)
class Cells:
    """The cells of a table: `codes` (C, 1+K) over `n_labels` labels, and how sums over them are taken."""

    codes: CodeArray
    n_labels: int

    @cached_property
    def by_truth(self) -> Sums:
        """The sums (M, C) of cells by their true class."""
        return Sums(self.codes[:, 0], np.arange(len(self.codes)), (self.n_labels, len(self.codes)))

    @cached_property
    def by_margin(self) -> Sums:
        """The sums (2·K·M, C) of cells into `tp`, then `col`."""
        columns, n_cells = self.codes.T[1:].astype(np.int64), len(self.codes)
        n_margins = len(columns) * self.n_labels
        col = columns + self.n_labels * np.arange(len(columns))[:, np.newaxis]
        right = columns == self.codes[:, 0]
        cell = np.broadcast_to(np.arange(n_cells), columns.shape)
        to = np.concatenate([col[right], n_margins + col.reshape(-1)])
        return Sums(to, np.concatenate([cell[right], cell.reshape(-1)]), (2 * n_margins, n_cells))


@dataclass(frozen=True)
class Sums:
    """Sums of rows of weights: row `source[i]` goes into row `to[i]` of the result.

    The order of additions depends on the table alone: no threaded BLAS, whose answer may depend on the machine.
    """

    to: IntArray | CodeArray
    source: IntArray
    shape: tuple[int, int]

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csr_array

        return csr_array((np.ones(len(self.to)), (self.to, self.source)), shape=self.shape)

    def __matmul__(self, weights: FloatArray) -> FloatArray:
        if len(self.to) > _FEW_ENTRIES:
            return np.asarray(self._matrix @ weights)
        total = np.zeros((self.shape[0], weights.shape[1]))  # a table of a few labels is done before SciPy is imported
        for to, source in zip(self.to.tolist(), self.source.tolist(), strict=True):
            total[to] += weights[source]
        return total


class LooseWeights(Protocol):
    """Weights on cells that the data lack, a few per draw."""

    @property
    def codes(self) -> CodeArray:
        """The cell of each weight, (1+K, sticks)."""

    @property
    def draw(self) -> IntArray:
        """The draw of each weight."""

    @property
    def weights(self) -> FloatArray:
        """The weights."""

    def by_truth(self, shape: tuple[int, int]) -> FloatArray:
        """Return the weights summed by true class and draw, as `shape`."""

    def add_to(self, tp: FloatArray, col: FloatArray) -> None:
        """Add the weights to those of right predictions and of all predictions, (K, M, D) each."""


@dataclass(frozen=True, slots=True)
class Loose:
    """Weights on cells that the data lack, a few to a draw: stick i lies on `codes[:, i]` of draw `draw[i]`."""

    codes: CodeArray
    draw: IntArray
    weights: FloatArray

    def by_truth(self, shape: tuple[int, int]) -> FloatArray:
        """Return the weights summed by true class and draw, as `shape`."""
        return sum_by(self.codes[0] * np.intp(shape[1]) + self.draw, self.weights, shape)

    def add_to(self, tp: FloatArray, col: FloatArray) -> None:
        """Add the weights to those of right predictions and of all predictions, (K, M, D) each."""
        shape = tp.shape[1:]
        for k, labels in enumerate(self.codes[1:]):
            places = labels * np.intp(shape[1]) + self.draw
            places += (labels != self.codes[0]) * np.intp(shape[0] * shape[1])
            right, wrong = sum_by(places, self.weights, (2, *shape))
            tp[k] += right
            col[k] += right
            col[k] += wrong


def sum_by(places: IntArray, weights: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Sum the weights that have the same place in an array of this shape, given as a number."""
    return np.bincount(places, weights, minlength=math.prod(shape)).astype(np.float64, copy=False).reshape(shape)


@dataclass(frozen=True, slots=True)
class Weighted:
    """D draws of weights (C, D) on the `cells` of a table, and on a few `loose` cells that the data lack.

    `shares` (M, D) are the weights of the classes, where they are known beforehand. The observed table is the same
    thing with its counts as a single draw.
    """

    cells: Cells
    weights: FloatArray
    loose: LooseWeights | None = None
    shares: FloatArray | None = None

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.cells.n_labels

    def _row(self) -> FloatArray:
        if self.shares is not None:
            return self.shares
        row: FloatArray = self.cells.by_truth @ self.weights
        if self.loose is not None:
            row += self.loose.by_truth((self.n_labels, self.weights.shape[1]))
        return row

    def margins(self) -> Margins:
        """Sum the weights by class and by prediction."""
        n_classifiers, n_draws = self.cells.codes.shape[1] - 1, self.weights.shape[1]
        row = self._row()
        sums: FloatArray = self.cells.by_margin @ self.weights
        tp, col = sums.reshape(2, n_classifiers, self.n_labels, n_draws)
        if self.loose is not None:
            self.loose.add_to(tp, col)
        return Margins(tp.swapaxes(1, 2), col.swapaxes(1, 2), row.T, row.sum(axis=0)[:, np.newaxis])

    def linear(self, cost: FloatArray) -> FloatArray:
        """Return the mean of `cost[truth, prediction]` over the items, (K, D)."""
        return self.average(lambda codes: cost[codes[0], codes[1:]])

    def average(self, values: Callable[[CodeArray], Any]) -> FloatArray:
        """Return the means over the items of R numbers that cells have, (R, D); `values` takes codes (1+K, cells)."""
        sums = np.stack([(self.weights * row[:, np.newaxis]).sum(axis=0) for row in values(self.cells.codes.T)])
        if self.loose is not None:
            for k, row in enumerate(values(self.loose.codes)):
                sums[k] += np.bincount(self.loose.draw, row * self.loose.weights, minlength=sums.shape[1])
        return ratio(sums, self._row().sum(axis=0))

    def at_prevalence(self, shares: FloatArray) -> Weighted:
        """Return the table with the class mix replaced and all else equal; an empty class stays empty."""
        factors = ratio(np.asarray(shares, dtype=np.float64)[:, np.newaxis], self._row())
        loose = self.loose
        if loose is not None:
            loose = Loose(loose.codes, loose.draw, loose.weights * factors[loose.codes[0], loose.draw])
        return Weighted(self.cells, self.weights * factors[self.cells.codes[:, 0]], loose)


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


_ROUNDING: Final = 1e-14

# -- class metrics ------------------------------------------------------------------------------------------


def precision(m: Margins) -> FloatArray:
    """Share of the items put into the class that belong there."""
    return ratio(m.tp, m.col)


def recall(m: Margins) -> FloatArray:
    """Share of the class's items that were found: sensitivity, the true positive rate."""
    return ratio(m.tp, m.row)


def specificity(m: Margins) -> FloatArray:
    """Share of the other items that were kept out: the true negative rate."""
    return ratio(m.tn, m.total - m.row)


def fpr(m: Margins) -> FloatArray:
    """Share of the other items that were wrongly put into the class."""
    return ratio(m.fp, m.total - m.row)


def fnr(m: Margins) -> FloatArray:
    """Share of the class's items that were missed."""
    return ratio(m.fn, m.row)


def npv(m: Margins) -> FloatArray:
    """Share of the items kept out of the class that do not belong there: the negative predictive value."""
    return ratio(m.tn, m.tn + m.fn)


def fdr(m: Margins) -> FloatArray:
    """Share of the items put into the class that do not belong there: the false discovery rate."""
    return ratio(m.fp, m.col)


def youden(m: Margins) -> FloatArray:
    """Sensitivity + specificity − 1: Youden's J, of two labels 2 · balanced accuracy − 1."""
    return recall(m) + specificity(m) - 1.0


def lr_plus(m: Margins) -> FloatArray:
    """Recall over the false positive rate: infinite where items of the class alone were put into it."""
    return _unbounded(m.tp * (m.total - m.row), m.row * np.maximum(m.fp, 0.0))


def lr_minus(m: Margins) -> FloatArray:
    """Share of the class's items that were missed over the specificity: infinite where nothing was rightly kept out."""
    return _unbounded(m.fn * (m.total - m.row), m.row * m.tn)


def _unbounded(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, counting 0/0 as 0, and anything more over 0 as infinite."""
    return np.where((denominator == 0) & (numerator > 0), np.inf, ratio(numerator, denominator))


@dataclass(frozen=True, slots=True)
class FBeta:
    """F-beta as (1 + β²) tp / (β² row + col), which needs no precision and no recall."""

    beta: float

    def __call__(self, m: Margins) -> FloatArray:
        """Return F-beta of every class."""
        if self.beta > 1:  # divided by β², which may be too large for a float
            inverse = (1.0 / self.beta) ** 2
            return ratio((1.0 + inverse) * m.tp, m.row + inverse * m.col)
        square = self.beta**2
        return ratio((1.0 + square) * m.tp, square * m.row + m.col)


def jaccard(m: Margins) -> FloatArray:
    """Share of the right ones among the items that are, or were put, in the class."""
    return ratio(m.tp, m.row + m.col - m.tp)


# -- table metrics ------------------------------------------------------------------------------------------


def accuracy(m: Margins) -> FloatArray:
    """Share of items classified right."""
    return ratio(m.tp.sum(axis=-1), m.total[..., 0])


def error(m: Margins) -> FloatArray:
    """Share of items classified wrong."""
    return ratio(m.fn.sum(axis=-1), m.total[..., 0])


def balanced_accuracy(m: Margins) -> FloatArray:
    """Mean of the recalls."""
    return np.asarray(recall(m).mean(axis=-1))


def gmean(m: Margins) -> FloatArray:
    """Geometric mean of the recalls."""
    with np.errstate(divide="ignore"):  # a recall of 0 makes the mean 0
        return np.asarray(np.exp(np.log(recall(m)).mean(axis=-1)))


def mcc(m: Margins) -> FloatArray:
    """Matthews correlation coefficient; for more than two classes Gorodkin's R_K."""
    square = m.total[..., 0] ** 2
    covariance = m.total[..., 0] * m.tp.sum(axis=-1) - (m.row * m.col).sum(axis=-1)
    spread = _beyond(square, (m.row**2).sum(axis=-1)) * _beyond(square, (m.col**2).sum(axis=-1))
    # Where nearly all weight lies on one class, rounding may carry the quotient beyond 1.
    return np.clip(ratio(np.where(spread > 0, covariance, 0.0), np.sqrt(spread)), -1.0, 1.0)


def kappa(m: Margins) -> FloatArray:
    """Cohen's kappa: agreement with the truth beyond chance."""
    total = m.total[..., 0]
    chance = (m.row * m.col).sum(axis=-1)
    spread = _beyond(total**2, chance)
    return ratio(np.where(spread > 0, total * m.tp.sum(axis=-1) - chance, 0.0), spread)


def _beyond(whole: FloatArray, part: FloatArray) -> FloatArray:
    """Return by how much `whole` exceeds `part`; 0 where that is a rounding error of weights that add up to it."""
    rest = whole - part
    return np.where(rest > _ROUNDING * whole, rest, 0.0)
