"""Two classifiers on several data sets, topics or classes: paired t (Wu's Algorithm 2), Wilcoxon, sign test.

The same three tests over classes take per-class F1 scores as paired observations, as the papers' S-test and T-test do.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Final, Unpack, get_args

import numpy as np

from ropewalk._checks import check_prob, checked_keywords, choose
from ropewalk.classical._inputs import (
    Pairs,
    Ranked,
    RankedSource,
    Scores,
    Sided,
    SidedSource,
    Source,
    as_pair,
    caution,
    f1_by_class,
    tables_of,
)
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.results.classical import TITLES, Alternative, ClassicalTest, Effect, Reference
from ropewalk.results.options import with_defaults
from ropewalk.text.remarks import Remark, warning, wording
from ropewalk.typing import FloatArray

RELATIVE_ROUNDING: Final = 1e-12
"""A spread that is rounding, relative to the scores."""

PAIRED: Final = "row i is the same data set, fold or topic for both"
INDEPENDENT: Final = "rows are independent of each other: true of different data sets, not of folds of one"
ITEMS: Final = "items are independent of each other"
ITEMS_PAIRED: Final = "both classifiers saw the same items"
NORMAL: Final = "differences are normally distributed, at least roughly"

_MAX_EXACT_RANKS: Final = 50  # so many differences without ties have an exact distribution that is quick to make
_MAX_LISTED_RANKS: Final = 13  # and of so many with ties all 2^n signs are listed
_REMEDY: Final = "Use corrected_t, or cv5x2_f on five two-fold splits."
_EXCHANGEABLE: Final = "classes are independent draws from a population of classes, whatever their sizes"
_SHARED: Final = (
    "classes share no items; where an item has one label they do, since what one loses another gains, and the test "
    "rejects too often"
)
_TWO_CLASSES: Final = warning(
    "two_classes",
    "There are two classes: their F1 scores come from the same items and are one observation rather than two. Test "
    "items, or permute.",
)


# -- statistics --------------------------------------------------------------------------------------------


def check_alternative(alternative: Any) -> Alternative:
    """Return a known alternative hypothesis."""
    return choose(alternative, {side: side for side in get_args(Alternative)}, "alternative")


def side_and_mass(options: Sided) -> tuple[Alternative, float]:
    """Return the alternative hypothesis, and the mass of the confidence interval."""
    values = with_defaults(options, Sided)
    return check_alternative(values["alternative"]), check_prob(values["prob"])


def quotient(
    reference: Reference, value: float, error: float, side: Alternative, mass: float
) -> tuple[float, float, Interval]:
    """Return a value over its standard error, the p-value by a symmetric distribution, and the value's interval."""
    law, statistic = reference.law, value / error if error else 0.0
    tails = {"two-sided": 2 * law.sf(abs(statistic)), "greater": law.sf(statistic), "less": law.cdf(statistic)}
    reach = error * float(law.ppf(0.5 + mass / 2 if side == "two-sided" else mass))
    ends = Interval(-math.inf if side == "less" else value - reach, math.inf if side == "greater" else value + reach)
    return statistic, float(tails[side]), ends


def by_t(value: float, error: float, df: float, options: Sided, *, what: str, **words: Any) -> ClassicalTest:
    """Return the t test of a `value` with standard error `error` against 0; `what` is what the value measures.

    Where nothing varies and nothing differs there is no evidence, and p = 1. A difference without spread has no t.
    """
    side, mass = side_and_mass(options)
    words |= {"alternative": side, "reference": Reference("t", (df,))}
    if value == 0 and error == 0:
        return ClassicalTest(statistic=0.0, p_value=1.0, effect=Effect(name=what, value=0.0, prob=mass), **words)
    if error == 0:
        raise DataError(
            f"There is no spread to divide by: {what}, is {value:g} without any variation.",
            hint="a t test needs differences that vary; a sign test does not.",
        )
    statistic, p_value, ends = quotient(words["reference"], value, error, side, mass)
    effect = Effect(name=what, value=value, interval=ends, prob=mass)
    return ClassicalTest(statistic=statistic, p_value=p_value, effect=effect, **words)


def mean_and_spread(values: FloatArray, what: str, largest: float) -> tuple[float, float]:
    """Return the mean and the sample standard deviation, which takes at least two values.

    What is rounding, measured by the `largest` score behind the values, is 0.
    """
    if values.size < 2:  # noqa: PLR2004
        number = f"There is a single {what}" if values.size else f"There is no {what}"
        raise DataError(f"{number}, and a spread takes at least two.", hint="a t test cannot be made of fewer.")
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    noise = RELATIVE_ROUNDING * largest
    return (mean if abs(mean) > noise or spread > noise else 0.0), (spread if spread > noise else 0.0)


def by_sign(wins: int, losses: int, options: Sided, **words: Any) -> ClassicalTest:
    """Return the exact sign test of whether each side wins half of the observations that are not tied."""
    from scipy import stats

    (side, mass), n = side_and_mass(options), wins + losses
    words |= {"n": n, "alternative": side}
    if not n:
        return ClassicalTest(statistic=0.0, p_value=1.0, **words)
    test = stats.binomtest(wins, n, 0.5, alternative=side)
    low, high = map(float, test.proportion_ci(mass))
    effect = Effect(name="A's share of the wins", value=wins / n, interval=Interval(low, high), prob=mass)
    return ClassicalTest(statistic=float(wins), p_value=float(test.pvalue), effect=effect, **words)


def _t_of(scores: Scores, what: str, options: Sided, *, row: str, **words: Any) -> ClassicalTest:
    """Return the paired t test of scores; a `row` of them is called so."""
    n = len(scores.values)
    mean, spread = mean_and_spread(scores.differences, row, scores.largest)
    return by_t(mean, spread / math.sqrt(n), n - 1, options, what=what, n=n, names=scores.names, **words)


def _sign_of(scores: Scores, options: Sided, **words: Any) -> ClassicalTest:
    """Return the sign test of scores."""
    values = scores.rounded_differences
    return by_sign(int(np.sum(values > 0)), int(np.sum(values < 0)), options, names=scores.names, **words)


def _ranks_of(scores: Scores, what: str, options: Ranked, *, of: str, **words: Any) -> ClassicalTest:
    """Return Wilcoxon's signed-rank test of scores, whose differences are those `of` something."""
    from scipy import stats

    differences = scores.rounded_differences
    ways: Any = {way: way for way in ("wilcox", "pratt", "zsplit")}
    values = with_defaults(options, Ranked)
    side = check_alternative(values["alternative"])
    way = choose(values["zero_method"], ways, "way to treat zeros")
    # SciPy chooses between exact and normal by how many there are, so those that do not count must not be among them.
    used = differences[differences != 0] if way == "wilcox" else differences
    effect = Effect(name=what, value=float(np.median(differences)) if differences.size else 0.0)
    plain = np.unique(np.abs(used)).size == used.size and bool(used.all())
    exact = used.size <= (_MAX_EXACT_RANKS if plain else _MAX_LISTED_RANKS)
    method = f"signed ranks of the {of}, {'exact' if exact else 'normal approximation'}"
    statistic, p_value = 0.0, 1.0
    if exact and not plain and used.any():  # SciPy's way with few and tied ones depends on its version
        statistic, p_value = _every_sign(used, way, side)
    elif used.any():
        with warnings.catch_warnings():  # SciPy before 1.13 warns where it takes the normal approximation for ties
            warnings.simplefilter("ignore", UserWarning)
            test = stats.wilcoxon(used, zero_method=way, alternative=side)
        statistic, p_value = float(test.statistic), float(test.pvalue)
    return ClassicalTest(
        statistic=statistic, p_value=p_value, n=used.size, alternative=side, effect=effect, method=method,
        names=scores.names, **words,
    )  # fmt: skip


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


# -- on data sets or topics --------------------------------------------------------------------------------


class SidedPairs(Pairs, Sided, total=False):
    """Options of tests of the difference of two columns of scores."""


class RankedPairs(Pairs, Ranked, total=False):
    """Options of tests by ranks of two columns of scores."""


@checked_keywords
def paired_t(*scores: Any, **options: Unpack[SidedPairs]) -> ClassicalTest:
    """Test whether the mean difference of paired scores is 0: Wu's Algorithm 2.

    Parameters
    ----------
    *scores
        Two sequences of scores (or error rates), A's and B's; or one table with classifiers as columns: a mapping from
        name to scores, any dataframe, or an array of rows × classifiers, of which `a` and `b` name two.
    alternative
        "two-sided", "greater" (A's numbers are higher) or "less".
    of
        What a row is: "datasets" or "topics"; "folds" or "splits" of one data set depend on each other, and bring a
        warning.
    prob
        Of the confidence interval of the mean difference.

    Examples
    --------
    >>> errors_1 = [0.08, 0.11, 0.09, 0.12, 0.10, 0.07, 0.13]
    >>> errors_2 = [0.06, 0.10, 0.09, 0.10, 0.08, 0.07, 0.10]
    >>> test = paired_t(errors_1, errors_2)
    >>> print(f"t = {test.statistic:.2f}, p = {test.p_value:.3f}")
    t = 3.33, p = 0.016
    >>> print(f"critical value {test.critical_value(0.05):.4f} for {test.df[0]:g} degrees of freedom")
    critical value 2.4469 for 6 degrees of freedom
    >>> test.decision(0.05)
    'Rejected at level 0.05: the mean difference is 0.'
    """
    return _t_of(
        as_pair(scores, options), "mean, A − B", options, row="pair of scores", name="paired t test",
        null="the mean difference is 0", method="mean difference over its standard error",
        assumptions=(PAIRED, INDEPENDENT, NORMAL), remarks=caution(options.get("of"), _REMEDY),
    )  # fmt: skip


@checked_keywords
def wilcoxon(*scores: Any, **options: Unpack[RankedPairs]) -> ClassicalTest:
    """Test whether the differences of paired scores lie symmetrically around 0, by their ranks.

    Takes what `paired_t` takes. `zero_method` is SciPy's: "wilcox" leaves equal scores out, "zsplit" gives half their
    ranks to each side (as Demšar does), "pratt" ranks them and leaves them out. The p-value is
    exact up to 50 differences without ties and up to 13 with ties, otherwise that of the normal distribution.

    Examples
    --------
    >>> wilcoxon([0.81, 0.79, 0.84, 0.90, 0.88], [0.78, 0.77, 0.80, 0.89, 0.83]).p_value
    0.0625
    """
    return _ranks_of(
        as_pair(scores, options), "median, A − B", options, of="differences", name="Wilcoxon signed-rank test",
        null="differences lie symmetrically around 0",
        assumptions=(PAIRED, INDEPENDENT, "differences are comparable in size from row to row"),
        remarks=caution(options.get("of"), _REMEDY),
    )  # fmt: skip


@checked_keywords
def sign(*scores: Any, **options: Unpack[SidedPairs]) -> ClassicalTest:
    """Test whether either classifier wins half of the rows; ties are left out.

    Takes what `paired_t` takes. The least powerful of the three, and the one that assumes least.

    Examples
    --------
    >>> test = sign([0.81, 0.79, 0.84, 0.90], [0.78, 0.77, 0.80, 0.90])
    >>> test.p_value, test.n
    (0.25, 3)
    """
    return _sign_of(
        as_pair(scores, options), options, name="sign test", null="each classifier wins half of the rows",
        method="exact binomial; ties are left out", assumptions=(PAIRED, INDEPENDENT),
        remarks=caution(options.get("of"), _REMEDY),
    )  # fmt: skip


# -- over classes ------------------------------------------------------------------------------------------


@checked_keywords
def sign_classes(*data: Any, **options: Unpack[SidedSource]) -> ClassicalTest:
    """Test whether each classifier has the higher F1 in half of the classes: the papers' S-test.

    Takes the data as `compare` does, multi-label ones too. F1 is not rounded; equal ones are left out.

    Examples
    --------
    >>> import ropewalk as rw
    >>> print(f"p = {sign_classes(rw.examples.news20().outcomes, a='nb_mult', b='svm_l2').p_value:.3f}")
    p = 0.115
    """
    return sign_over(_scores(data, options), options)


@checked_keywords
def t_classes(*data: Any, **options: Unpack[SidedSource]) -> ClassicalTest:
    """Test whether the mean difference of the per-class F1 scores is 0, by a paired t: the papers' T-test.

    Takes the data as `compare` does, multi-label ones too.

    Examples
    --------
    >>> import ropewalk as rw
    >>> print(f"p = {t_classes(rw.examples.news20().outcomes, a='nb_mult', b='svm_l2').p_value:.3f}")
    p = 0.138
    """
    return t_over(_scores(data, options), options)


@checked_keywords
def wilcoxon_classes(*data: Any, **options: Unpack[RankedSource]) -> ClassicalTest:
    """Test whether the differences of the per-class F1 scores lie symmetrically around 0, by Wilcoxon's signed ranks.

    Takes the data as `compare` does, multi-label ones too; `zero_method` is that of `wilcoxon`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> print(f"p = {wilcoxon_classes(rw.examples.news20().outcomes, a='nb_mult', b='svm_l2').p_value:.3f}")
    p = 0.076
    """
    return wilcoxon_over(_scores(data, options), options)


def _scores(data: Sequence[Any], source: Source) -> Scores:
    if source.get("pos_label") is not None:
        raise InvalidInputError(
            wording("A test over classes takes all of them; `pos_label` picks one."),
            hint=wording("leave pos_label= out."),
        )
    return f1_by_class(tables_of(data, source))


def _remarks(scores: Scores) -> tuple[Remark, ...]:
    return (_TWO_CLASSES,) if len(scores.values) == 2 else ()  # noqa: PLR2004


def sign_over(scores: Scores, options: Sided) -> ClassicalTest:
    """Return the S-test of per-class scores."""
    return _sign_of(
        scores, options, name=TITLES["sign_classes"], null="each classifier has the higher F1 in half of the classes",
        method="exact binomial on the classes whose F1 scores differ (S-test)", assumptions=(_EXCHANGEABLE, _SHARED),
        remarks=_remarks(scores),
    )  # fmt: skip


def t_over(scores: Scores, options: Sided) -> ClassicalTest:
    """Return the T-test of per-class scores."""
    return _t_of(
        scores, "mean F1, A − B", options, row="class", name=TITLES["t_classes"],
        null="the mean difference of per-class F1 is 0", method="paired t on per-class F1 (T-test)",
        assumptions=(_EXCHANGEABLE, _SHARED, NORMAL), remarks=_remarks(scores),
    )  # fmt: skip


def wilcoxon_over(scores: Scores, options: Ranked) -> ClassicalTest:
    """Return Wilcoxon's test of per-class scores."""
    return _ranks_of(
        scores, "median F1, A − B", options, name=TITLES["wilcoxon"], of="differences of per-class F1",
        null="differences of per-class F1 lie symmetrically around 0",
        assumptions=(_EXCHANGEABLE, _SHARED, "differences are comparable in size from class to class"),
        remarks=_remarks(scores),
    )  # fmt: skip
