"""DeLong's test and interval of areas under ROC curves (DeLong, DeLong and Clarke-Pearson, 1988).

The placement of an item is the share of the other class that it is rightly ranked against; an AUC is their mean, and
their covariances over items give that of the AUCs. Mid-ranks make all of them at once (Sun and Xu, 2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk._checks import check_prob, checked_keywords
from ropewalk.classical._parts import ITEMS, check_alternative
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError
from ropewalk.metrics.scores import settle_scores
from ropewalk.results.classical import Alternative, ClassicalTest, Effect, Reference
from ropewalk.typing import FloatArray, Label


@checked_keywords
def delong(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    pos_label: Label | None = None,
    names: Sequence[str] | None = None,
    alternative: Alternative = "two-sided",
    prob: float = 0.95,
) -> ClassicalTest:
    """Test whether two systems that scored the same items have the same area under the ROC curve.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> test = delong(s["y_true"], s["nb_mult"], s["svm_l2"])
    >>> print(f"{test.effect.value:.4f}, z = {test.statistic:.2f}")
    0.0218, z = 4.75
    """
    items = ItemScores.from_arrays(y_true, score_a, score_b, names=names)
    settled, _, _ = settle_scores(items, "roc_auc", pos_label)
    return delong_of(settled, alternative=alternative, prob=prob)


@checked_keywords
def delong_interval(y_true: Any, score: Any, *, pos_label: Label | None = None, prob: float = 0.95) -> Effect:
    """Return the area under the ROC curve of one system with DeLong's confidence interval, cut at 0 and 1.

    Examples
    --------
    >>> print(f"{delong_interval([0, 0, 1, 1, 1], [0.1, 0.4, 0.3, 0.6, 0.8]).value:.4f}")
    0.8333
    """
    settled, _, _ = settle_scores(ItemScores.from_arrays(y_true, score), "roc_auc", pos_label)
    mass = check_prob(prob)
    areas, covariance = areas_and_covariance(settled)
    reach = _normal(0.5 + mass / 2) * math.sqrt(covariance[0, 0])
    area = float(areas[0])
    return Effect(
        name="ROC AUC", value=area, interval=Interval(max(area - reach, 0.0), min(area + reach, 1.0)), prob=mass
    )


def delong_of(items: ItemScores, *, alternative: Alternative = "two-sided", prob: float = 0.95) -> ClassicalTest:
    """Return DeLong's test of two systems, the positive class being the last of two labels."""
    from scipy import stats

    side, mass = check_alternative(alternative), check_prob(prob)
    areas, covariance = areas_and_covariance(items)
    difference = float(areas[0] - areas[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    error = math.sqrt(max(variance, 0.0))
    if error <= 1e-12:  # noqa: PLR2004 - rounding, of shares
        if abs(difference) > 1e-12:  # noqa: PLR2004
            raise DataError("The placements of the items do not vary, so DeLong's test has nothing to divide by.")
        difference = error = 0.0
    statistic = difference / error if error else 0.0
    law = stats.norm
    tails = {"two-sided": 2 * law.sf(abs(statistic)), "greater": law.sf(statistic), "less": law.cdf(statistic)}
    reach = error * _normal(0.5 + mass / 2 if side == "two-sided" else mass)
    ends = Interval(
        -math.inf if side == "less" else difference - reach, math.inf if side == "greater" else difference + reach
    )
    return ClassicalTest(
        name="DeLong's test",
        statistic=statistic,
        p_value=float(tails[side]) if error else 1.0,
        n=items.n_items,
        alternative=side,
        names=items.names,
        effect=Effect(name="ROC AUC, A − B", value=difference, interval=ends, prob=mass),
        reference=Reference("normal"),
        null="both systems have the same area under the ROC curve",
        method="DeLong, DeLong and Clarke-Pearson: covariance of the placements of items, normal approximation",
        assumptions=("both systems scored the same items", ITEMS, "enough items of both classes"),
    )


def areas_and_covariance(items: ItemScores) -> tuple[FloatArray, FloatArray]:
    """Return the areas (K,) and their covariance (K, K)."""
    from scipy.stats import rankdata

    assert items.truth is not None  # noqa: S101
    positive = items.truth == 1
    m, n = int(positive.sum()), int((~positive).sum())
    if min(m, n) < 2:  # noqa: PLR2004
        raise DataError(
            f"DeLong's variance takes two items of each class; there are {m:,} positive and {n:,} others.",
            hint="get more items.",
        )
    above, below = [], []
    for values in items.values:
        ranks = rankdata(values)
        above.append((ranks[positive] - rankdata(values[positive])) / n)
        below.append(1 - (ranks[~positive] - rankdata(values[~positive])) / m)
    covariance = np.atleast_2d(np.cov(above)) / m + np.atleast_2d(np.cov(below)) / n
    return np.mean(above, axis=1), covariance


def _normal(mass: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(mass))
