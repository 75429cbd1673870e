"""Costs of decisions: what a threshold costs, which one to take, and what to decide given probabilities.

A cost matrix has the truth in rows and the decision in columns, in label order; negative costs are utilities. The
expected cost of predicted labels, or of what scores decide, is a metric of `compare`: ``metric="cost"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from ropewalk._arguments import listed
from ropewalk._checks import checked_keywords, publish
from ropewalk.curves import threshold
from ropewalk.data.columns import as_array, as_numbers
from ropewalk.data.labels import labels_or_numbers
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.metrics.items import risks
from ropewalk.metrics.registry import cost
from ropewalk.results.curves import ThresholdCurve
from ropewalk.results.options import CurveOptions
from ropewalk.text.remarks import argument
from ropewalk.text.writing import shorten
from ropewalk.typing import FloatArray, IntArray

__all__ = ["MinimumRisk", "curve", "minimum_risk", "optimal_threshold"]


_MAX_ROUNDING_OF_A_SUM = 1e-6


@checked_keywords
def curve(
    *data: Any, cost_matrix: Any, prevalence: Any = None, thresholds: Any = None, **options: Unpack[CurveOptions]
) -> ThresholdCurve:
    """Return the posterior of the cost at each threshold, the threshold to take, and the regret of every other.

    This is `curves.threshold` with ``metric="cost"``, and takes all of its parameters.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> costs = rw.costs.curve(s["y_true"], s["svm_l2"], cost_matrix=[[0, 1], [5, 0]], draws=500, rng=0)
    >>> costs.regret_of(costs.best) < costs.regret_of(0.0)
    True
    """
    return threshold(
        *data, metric="cost", cost_matrix=cost_matrix, prevalence=prevalence, thresholds=thresholds, **options
    )


@checked_keywords
def optimal_threshold(cost_matrix: Any) -> float:
    """Return the probability of the positive class from which calling it positive costs least.

    That is (c01 − c00) / (c01 − c00 + c10 − c11), for probabilities that are calibrated. A threshold from scores that
    are not is found by `curve`.

    Examples
    --------
    >>> optimal_threshold([[0, 1], [1, 0]])
    0.5
    >>> print(f"{optimal_threshold([[0, 10], [1000, 10]]):.4f}")
    0.0100
    """
    matrix = np.array(cost(cost_matrix).cost)
    if matrix.shape != (2, 2):
        raise DataError(
            f"A threshold decides between two classes; the cost matrix is {matrix.shape[0]} × {len(matrix)}.",
            hint="give a matrix of 2 rows and 2 columns.",
        )
    alarm, miss = matrix[0, 1] - matrix[0, 0], matrix[1, 0] - matrix[1, 1]
    if alarm <= 0 or miss <= 0:
        raise DataError(
            "A right decision must cost less than a wrong one, for each class.",
            hint="otherwise one decision is best whatever the probability; rows are the truth, columns the decision.",
        )
    return float(alarm / (alarm + miss))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MinimumRisk:
    """What to decide on each item, and what that costs on average if the probabilities are right."""

    decisions: tuple[Any, ...]
    risk: FloatArray
    risks: FloatArray
    places: IntArray

    def __repr__(self) -> str:
        return f"MinimumRisk({len(self.decisions):,} items, mean risk {self.mean_risk:.4g})"

    @property
    def mean_risk(self) -> float:
        """The expected cost per item."""
        return float(self.risk.mean())


@checked_keywords
def minimum_risk(
    probabilities: Any, cost_matrix: Any, *, labels: Sequence[Any] | None = None, decisions: Sequence[Any] | None = None
) -> MinimumRisk:
    """Decide on each item so that the expected cost under Pr[y | x] is least (Bayes decision theory).

    Parameters
    ----------
    probabilities
        Items × classes, or of the positive class alone where there are two.
    cost_matrix
        Costs by truth (rows) and decision (columns). There may be other decisions than classes, such as to ask a human.
    labels, decisions
        Names of the classes and the decisions; by default 0, 1, …, decisions as the classes.

    Examples
    --------
    >>> minimum_risk([0.01, 0.4, 0.95], [[0, 1, 0.1], [5, 0, 0.1]], decisions=["no", "yes", "ask"]).decisions
    ('no', 'ask', 'yes')
    """
    try:
        matrix = as_numbers(as_array(cost_matrix, "the cost matrix"), "the cost matrix")
    except InvalidInputError as error:
        raise DataError(
            "The cost matrix must hold finite numbers, in rows of equal length.",
            hint="[[0, 1], [5, 0]]: rows are the truth, columns the decision.",
        ) from error
    chances = np.atleast_1d(as_numbers(probabilities, "the probabilities"))
    if chances.ndim > 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"Probabilities are items × classes; got shape {chances.shape}.",
            hint="give one row per item, and one column per class.",
        )
    n_classes = 2 if chances.ndim == 1 else chances.shape[1]
    if matrix.ndim != 2 or len(matrix) != n_classes or not matrix.size:  # noqa: PLR2004
        raise DataError(
            f"The cost matrix must have a row for each of {n_classes} classes; got shape {matrix.shape}.",
            hint="rows are the truth, columns the decision.",
        )
    if (chances < 0).any() or (chances > 1).any():
        raise DataError("Probabilities lie between 0 and 1.", hint="scores that are none must be calibrated first.")
    if chances.ndim > 1 and (np.abs(chances.sum(axis=1) - 1) > _MAX_ROUNDING_OF_A_SUM).any():
        raise DataError("The probabilities of an item must add up to 1.", hint="columns are the classes.")
    labels_or_numbers(labels, n_classes)
    names = decisions if decisions is not None else labels if labels is not None else range(matrix.shape[1])
    named = listed(names, argument("decisions"))
    if len(named) != matrix.shape[1]:
        raise LengthMismatchError(
            f"{len(named)} decisions ({shorten(named, 4)}) were named for {matrix.shape[1]} columns of costs.",
            hint="name one decision per column.",
        )
    expected = risks(chances, matrix)
    places = expected.argmin(axis=1)
    chosen = tuple(named[place] for place in places.tolist())
    return MinimumRisk(decisions=chosen, risk=expected[np.arange(len(expected)), places], risks=expected, places=places)


publish(globals())
