"""What several tests are made of: a t statistic with its interval, a count of wins, signed ranks."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final, Literal

import numpy as np

from ropewalk._checks import check_prob, choose
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError
from ropewalk.results.classical import Alternative, ClassicalTest, Effect, Reference
from ropewalk.typing import FloatArray

_ALTERNATIVES: Final[dict[str, Alternative]] = {"two-sided": "two-sided", "less": "less", "greater": "greater"}
_ZEROS: Final[dict[str, Literal["wilcox", "pratt", "zsplit"]]] = {
    "wilcox": "wilcox",
    "pratt": "pratt",
    "zsplit": "zsplit",
}
_TABLE: Final = 50  # so many differences without ties have an exact distribution that is quick to make
_LISTED: Final = 13  # and of so many with ties all 2^n signs are listed
FLAT: Final = 1e-12
"""A spread that is rounding, relative to the scores."""

PAIRED: Final = "row i is the same data set, fold or topic for both"
INDEPENDENT: Final = "rows are independent of each other: true of different data sets, not of folds of one"
ITEMS: Final = "items are independent of each other"
ITEMS_PAIRED: Final = "both classifiers saw the same items"
NORMAL: Final = "differences are normally distributed, at least roughly"


def check_alternative(alternative: Any) -> Alternative:
    """Return a known alternative hypothesis."""
    return choose(alternative, _ALTERNATIVES, "alternative")


def by_t(
    value: float, error: float, df: float, *, alternative: str, prob: float, what: str, **words: Any
) -> ClassicalTest:
    """Return the t test of a `value` with standard error `error` against 0; `what` is what the value measures.

    Nothing that varies and nothing that differs is no evidence: p = 1. A difference without spread has no t.
    """
    from scipy import stats

    side, mass = check_alternative(alternative), check_prob(prob)
    reference = Reference("t", (df,))
    words |= {"alternative": side, "reference": reference}
    if value == 0 and error == 0:
        return ClassicalTest(statistic=0.0, p_value=1.0, effect=Effect(name=what, value=0.0, prob=mass), **words)
    if error == 0:
        raise DataError(
            f"There is no spread to divide by: {what}, is {value:g} without any variation.",
            hint="a t test needs differences that vary; a sign test does not.",
        )
    statistic = value / error
    law = stats.t(df)
    tails = {"two-sided": 2 * law.sf(abs(statistic)), "greater": law.sf(statistic), "less": law.cdf(statistic)}
    reach = error * float(law.ppf(0.5 + mass / 2 if side == "two-sided" else mass))
    ends = Interval(
        -math.inf if side == "less" else value - reach,
        math.inf if side == "greater" else value + reach,
    )
    effect = Effect(name=what, value=value, interval=ends, prob=mass)
    return ClassicalTest(statistic=statistic, p_value=float(tails[side]), effect=effect, **words)


def mean_and_spread(values: FloatArray, what: str, largest: float) -> tuple[float, float]:
    """Return the mean and the sample standard deviation, which takes at least two values.

    What is rounding, measured by the `largest` score behind the values, is 0.
    """
    if values.size < 2:  # noqa: PLR2004
        told = f"There is a single {what}" if values.size else f"There is no {what}"
        raise DataError(f"{told}, and a spread takes at least two.", hint="a t test cannot be made of fewer.")
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    noise = FLAT * largest
    return (mean if abs(mean) > noise or spread > noise else 0.0), (spread if spread > noise else 0.0)


def by_sign(
    wins: int, losses: int, *, alternative: str, prob: float, what: str = "A's share of the wins", **words: Any
) -> ClassicalTest:
    """Return the exact sign test of whether each side wins half of the observations that are not tied."""
    from scipy import stats

    side, mass, n = check_alternative(alternative), check_prob(prob), wins + losses
    words |= {"n": n, "alternative": side}
    if not n:
        return ClassicalTest(statistic=0.0, p_value=1.0, **words)
    found = stats.binomtest(wins, n, 0.5, alternative=side)
    ends = found.proportion_ci(mass)
    effect = Effect(name=what, value=wins / n, interval=Interval(float(ends.low), float(ends.high)), prob=mass)
    return ClassicalTest(statistic=float(wins), p_value=float(found.pvalue), effect=effect, **words)


def by_ranks(
    differences: FloatArray, *, alternative: str, zero_method: str, what: str, of: str, **words: Any
) -> ClassicalTest:
    """Return Wilcoxon's signed-rank test of differences `of` something."""
    from scipy import stats

    side, way = check_alternative(alternative), choose(zero_method, _ZEROS, "way to treat zeros")
    # SciPy chooses between exact and normal by how many there are, so those that do not count must not be among them.
    used = differences[differences != 0] if way == "wilcox" else differences
    effect = Effect(name=what, value=float(np.median(differences)) if differences.size else 0.0)
    words |= {"n": used.size, "alternative": side, "effect": effect}
    sizes = np.abs(used)
    plain = np.unique(sizes).size == used.size and bool(used.all())
    exact = used.size <= (_TABLE if plain else _LISTED)
    words["method"] = f"signed ranks of the {of}, {'exact' if exact else 'normal approximation'}"
    if not used.any():
        return ClassicalTest(statistic=0.0, p_value=1.0, **words)
    if exact and not plain:  # SciPy's way with few and tied ones depends on its version
        statistic, p_value = _every_sign(used, way, side)
        return ClassicalTest(statistic=statistic, p_value=p_value, **words)
    with warnings.catch_warnings():  # SciPy before 1.13 warns where it takes the normal approximation for ties
        warnings.simplefilter("ignore", UserWarning)
        found = stats.wilcoxon(used, zero_method=way, alternative=side)
    return ClassicalTest(statistic=float(found.statistic), p_value=float(found.pvalue), **words)


def _every_sign(differences: FloatArray, way: str, side: Alternative) -> tuple[float, float]:
    """Return Wilcoxon's statistic and p-value by listing all signs that the differences could have had."""
    from scipy import stats

    ranks = stats.rankdata(np.abs(differences))
    counted = differences != 0
    tied = float(ranks[~counted].sum()) / 2 if way == "zsplit" else 0.0
    signs = np.indices((2,) * int(counted.sum())).reshape(int(counted.sum()), -1)
    plus = ranks[counted] @ signs + tied
    seen = float(ranks[differences > 0].sum()) + tied
    below, above = float(np.mean(plus <= seen)), float(np.mean(plus >= seen))
    if side == "two-sided":
        total = float(ranks[counted].sum()) + 2 * tied
        return min(seen, total - seen), min(2 * min(below, above), 1.0)
    return seen, below if side == "less" else above
