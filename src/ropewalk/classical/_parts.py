"""What several tests are made of: a t statistic with its interval, and a count of wins."""

from __future__ import annotations

import math
import warnings
from typing import Any, Final, Literal

import numpy as np

from ropewalk._validate import check_prob, choose
from ropewalk.errors import DataError
from ropewalk.intervals import Interval
from ropewalk.results.classical import Alternative, ClassicalTest, Effect, Reference
from ropewalk.typing import FloatArray

_ALTERNATIVES: Final[dict[str, Alternative]] = {"two-sided": "two-sided", "less": "less", "greater": "greater"}
_ZEROS: Final[dict[str, Literal["wilcox", "pratt", "zsplit"]]] = {
    "wilcox": "wilcox",
    "pratt": "pratt",
    "zsplit": "zsplit",
}
FLAT: Final = 1e-12  # a spread that is rounding, relative to the mean

PAIRED: Final = "row i is the same data set, fold or topic for both"
INDEPENDENT: Final = "rows are independent of each other: true of different data sets, not of folds of one"
ITEMS: Final = "items are independent of each other"
ITEMS_PAIRED: Final = "both classifiers saw the same items"


def check_alternative(alternative: Any) -> Alternative:
    """Return a known alternative hypothesis."""
    return choose(alternative, _ALTERNATIVES, "alternative")


def by_t(
    value: float,
    error: float,
    df: float,
    *,
    alternative: str,
    prob: float,
    name: str,
    what: str,
    n: int,
    **words: Any,
) -> ClassicalTest:
    """Return the t test of a `value` with standard error `error` against 0; `what` is what the value measures.

    Nothing that varies and nothing that differs is no evidence: p = 1. A difference without spread has no t.
    """
    from scipy import stats

    side, mass = check_alternative(alternative), check_prob(prob)
    reference = Reference("t", (df,)) if math.isfinite(df) else Reference("normal")
    if value == 0 and error == 0:
        return ClassicalTest(
            name=name, statistic=0.0, p_value=1.0, n=n, alternative=side, reference=reference,
            effect=Effect(name=what, value=0.0, prob=mass), **words,
        )  # fmt: skip
    if error <= FLAT * abs(value):
        raise DataError(
            f"There is no spread to divide by: {what}, is {value:g} without any variation.",
            hint="a t test needs observations that differ; the sign or the permutation test does not.",
        )
    statistic = value / error
    law = stats.norm() if reference.family == "normal" else stats.t(df)
    tails = {"two-sided": 2 * law.sf(abs(statistic)), "greater": law.sf(statistic), "less": law.cdf(statistic)}
    reach = error * float(law.ppf(0.5 + mass / 2 if side == "two-sided" else mass))
    ends = Interval(
        -math.inf if side == "less" else value - reach,
        math.inf if side == "greater" else value + reach,
    )
    return ClassicalTest(
        name=name, statistic=statistic, p_value=float(tails[side]), n=n, alternative=side,
        effect=Effect(name=what, value=value, interval=ends, prob=mass), reference=reference, **words,
    )  # fmt: skip


def mean_and_spread(values: FloatArray, what: str) -> tuple[float, float]:
    """Return the mean and the sample standard deviation, which takes at least two values."""
    if values.size < 2:  # noqa: PLR2004
        raise DataError(
            f"There is a single {what}, and a spread takes at least two.", hint="a t test cannot be made of one number."
        )
    if (values == values[0]).all():  # exactly, where the sum of squares would leave a rounding error
        return float(values[0]), 0.0
    return float(values.mean()), float(values.std(ddof=1))


def by_sign(
    wins: int, losses: int, *, alternative: str, prob: float, name: str, what: str, **words: Any
) -> ClassicalTest:
    """Return the exact sign test of whether each side wins half of the observations that are not tied."""
    from scipy import stats

    side, mass, n = check_alternative(alternative), check_prob(prob), wins + losses
    if not n:
        return ClassicalTest(name=name, statistic=0.0, p_value=1.0, n=0, alternative=side, **words)
    found = stats.binomtest(wins, n, 0.5, alternative=side)
    ends = found.proportion_ci(mass)
    return ClassicalTest(
        name=name, statistic=float(wins), p_value=float(found.pvalue), n=n, alternative=side,
        effect=Effect(name=what, value=wins / n, interval=Interval(float(ends.low), float(ends.high)), prob=mass),
        **words,
    )  # fmt: skip


def by_ranks(
    differences: FloatArray, *, alternative: str, zero_method: str, name: str, what: str, **words: Any
) -> ClassicalTest:
    """Return Wilcoxon's signed-rank test of differences."""
    from scipy import stats

    side = check_alternative(alternative)
    way = choose(zero_method, _ZEROS, "way to treat zeros")
    effect = Effect(name=what, value=float(np.median(differences)))
    used = int(np.count_nonzero(differences)) if way == "wilcox" else differences.size
    if not differences.any():
        return ClassicalTest(name=name, statistic=0.0, p_value=1.0, n=used, alternative=side, effect=effect, **words)
    with warnings.catch_warnings():  # SciPy before 1.13 warns where it takes the normal approximation for ties
        warnings.simplefilter("ignore", UserWarning)
        found = stats.wilcoxon(differences, zero_method=way, alternative=side)
    return ClassicalTest(
        name=name, statistic=float(found.statistic), p_value=float(found.pvalue), n=used, alternative=side,
        effect=effect, **words,
    )  # fmt: skip
