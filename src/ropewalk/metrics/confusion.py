"""Metrics of a confusion table, for all classifiers and draws at once.

A *class* metric gives a value for every class (K, D, M) and needs a positive class or an average; a *table*
metric gives one value (K, D) for any number of classes. 0/0 counts 0 throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.metrics.margins import Margins, ratio
from ropewalk.typing import FloatArray

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
