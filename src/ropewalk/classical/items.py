"""Tests on one test set, item by item: which classifier is right more often, or ranks items better.

DeLong's test and interval are about areas under ROC curves (DeLong, DeLong and Clarke-Pearson, 1988). The placement of
an item is the share of the other class that it is rightly ranked against; an AUC is their mean, and their covariances
over items give that of the AUCs. Mid-ranks make all of them at once (Sun and Xu, 2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Unpack, get_args

import numpy as np

from ropewalk._checks import check_prob, checked_keywords, choose
from ropewalk._optional import require
from ropewalk.classical._inputs import (
    Sided,
    SidedSource,
    Source,
    about,
    discordant,
    names_of,
    right,
    shared,
    tables_about,
)
from ropewalk.classical.pairs import ITEMS, ITEMS_PAIRED, by_sign, by_t, quotient, side_and_mass
from ropewalk.data.inputs import read_outcomes_of
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.influence import SmoothRoc
from ropewalk.metrics.resolve import settle_scores
from ropewalk.results.classical import TITLES, ClassicalTest, Effect, Reference
from ropewalk.results.options import TableOptions
from ropewalk.typing import FloatArray, Label

McNemar = Literal["exact", "midp", "chi2", "chi2_corrected"]

_NULL: Final = "an item that one classifier gets right and the other wrong is as likely to be either's"
_ACCURACY: Final = "accuracy, A − B"
_MAX_ROUNDING: Final = 1e-12  # of shares
_CHI2: Final = Reference("chi2", (1.0,))
_MCNEMAR_METHODS: Final = {
    "exact": "exact binomial on the items that exactly one classifier gets right",
    "midp": "exact binomial with half the probability of what was observed (mid-p)",
    "chi2": "(b − c)² / (b + c), b and c the items that only one gets right",
    "chi2_corrected": "(|b − c| − 1)² / (b + c), b and c the items that only one gets right",
}


@checked_keywords
def sign_items(*data: Any, **options: Unpack[SidedSource]) -> ClassicalTest:
    """Test whether each classifier wins half of the items that exactly one gets right: the papers' s-test.

    Takes the data as `compare` does; with a `pos_label`, right and wrong are about that class against the rest.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> test = sign_items(news.outcomes, a="nb_mult", b="svm_l2", pos_label=11)
    >>> print(f"p = {test.p_value:.3f}, {test.statistic:.0f} of {test.n}")
    p = 0.024, 84 of 201
    """
    tables = tables_about(data, options)
    only_a, only_b, _ = discordant(tables)
    return by_sign(
        only_a, only_b, options, name=TITLES["sign_items"], names=names_of(tables), null=_NULL,
        method="exact binomial on the items that exactly one classifier gets right (s-test)",
        assumptions=(ITEMS_PAIRED, ITEMS),
    )  # fmt: skip


@checked_keywords
def t_items(*data: Any, method: Literal["t", "z"] = "t", **options: Unpack[SidedSource]) -> ClassicalTest:
    """Test whether two accuracies differ as if they came from different items: the papers' p-test.

    Welch's t on right (1) and wrong (0), or with ``method="z"`` the z test of two proportions (which needs the extra
    `stats`). Pairing is ignored: on one test set the p-value is too large where both classifiers tend to err on the
    same items, as they mostly do, and too small where they err on different ones. It is the only test on items that
    separate test sets or confusion matrices allow.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> print(f"p = {t_items(news.outcomes, a='nb_mult', b='svm_l2', pos_label=11).p_value:.3f}")
    p = 0.102
    """
    way = choose(method, {"t": "t", "z": "z"}, "method")
    tables = tables_about(data, options)
    hits, items = right(tables)
    words: dict[str, Any] = {
        "n": sum(table.n_items for table in tables),
        "names": names_of(tables),
        "null": "both classifiers have the same accuracy",
        "assumptions": (ITEMS, "the two sets of answers are independent: pairing is ignored"),
    }
    if way == "z":
        return _z_items(hits, items, options, words)
    if min(items) < 2:  # noqa: PLR2004
        raise DataError("There is a single item, and a spread takes at least two.", hint="the sign test takes one.")
    # Of whole numbers, so that no digit is lost.
    difference = (hits[0] * items[1] - hits[1] * items[0]) / (items[0] * items[1])
    # The variance of 0 and 1 with a share p of ones is p (1 − p) n / (n − 1), over n for its mean.
    variances = [hit / n * ((n - hit) / n) / (n - 1) for hit, n in zip(hits, items, strict=True)]
    squares = sum(variance**2 / (n - 1) for variance, n in zip(variances, items, strict=True))
    df = sum(variances) ** 2 / squares if squares else float(sum(items) - 2)
    return by_t(
        difference, math.sqrt(sum(variances)), df, options, name=TITLES["t_items"], what=_ACCURACY,
        method="Welch's t on right (1) and wrong (0) (p-test)", **words,
    )  # fmt: skip


def _z_items(hits: tuple[int, int], items: tuple[int, int], options: Sided, words: dict[str, Any]) -> ClassicalTest:
    proportion = require("statsmodels.stats.proportion", extra="stats", caller='method="z"')
    side, mass = side_and_mass(options)
    name = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[side]
    statistic, p_value = 0.0, 1.0
    if 0 < sum(hits) < sum(items):  # all right or all wrong: nothing varies, nothing differs
        statistic, p_value = map(float, proportion.proportions_ztest(hits, items, alternative=name))
    a, b = hits[0] / items[0], hits[1] / items[1]
    tail = 1 - mass if side == "two-sided" else 2 * (1 - mass)
    low, high = proportion.confint_proportions_2indep(
        hits[0], items[0], hits[1], items[1], method="newcomb", compare="diff", alpha=tail
    )
    ends = Interval(-math.inf if side == "less" else float(low), math.inf if side == "greater" else float(high))
    return ClassicalTest(
        name="z test on items", statistic=statistic, p_value=p_value, alternative=side,
        effect=Effect(name=_ACCURACY, value=a - b, interval=ends, prob=mass),
        reference=Reference("normal"), method="z test of two proportions with pooled variance", **words,
    )  # fmt: skip


@checked_keywords
def mcnemar(*data: Any, method: McNemar = "exact", prob: float = 0.95, **source: Unpack[Source]) -> ClassicalTest:
    """Test whether either classifier alone is right equally often: McNemar's test, always two-sided.

    Parameters
    ----------
    *data, **source
        As in `compare`; with a `pos_label`, right and wrong are about that class against the rest.
    method
        "exact" is the sign test on discordant items; "midp" takes half the probability of what was observed, is less
        conservative and is what Fagerland et al. (2013) recommend; "chi2" is the large-sample form, "chi2_corrected"
        that with the continuity correction, as in statsmodels: for equal counts too, so that its p is then below 1.
    prob
        Of the confidence interval of the difference of accuracy (Bonett and Price's).

    Examples
    --------
    >>> import ropewalk as rw
    >>> table = rw.Outcomes.from_pairs(positive=(1, 1, 7, 12), negative=(0, 0, 0, 0))
    >>> for method in ("exact", "midp", "chi2", "chi2_corrected"):
    ...     print(f"{method} {mcnemar(table, method=method).p_value:.4f}")
    exact 0.0703
    midp 0.0391
    chi2 0.0339
    chi2_corrected 0.0771
    """
    way: McNemar = choose(method, {way: way for way in get_args(McNemar)}, "form of McNemar's test")
    tables = tables_about(data, source)
    only_a, only_b, n_items = discordant(tables)
    statistic, p_value = _mcnemar(way, only_a, only_b)
    large = () if way in {"exact", "midp"} else ("at least about 25 items that only one gets right",)
    return ClassicalTest(
        name=TITLES[f"mcnemar_{way}"], statistic=statistic, p_value=p_value, n=only_a + only_b,
        effect=_paired_difference(only_a, only_b, n_items, check_prob(prob)),
        reference=_CHI2 if way.startswith("chi2") else None, null=_NULL,
        method=_MCNEMAR_METHODS[way], assumptions=(ITEMS_PAIRED, ITEMS, *large), names=names_of(tables),
    )  # fmt: skip


def _mcnemar(way: McNemar, only_a: int, only_b: int) -> tuple[float, float]:
    """Return statistic and p-value; without an item that only one gets right there is no evidence, and p is 1."""
    from scipy import stats

    n, fewer = only_a + only_b, min(only_a, only_b)
    if not n:
        return 0.0, 1.0
    if way == "exact":
        return float(fewer), float(stats.binomtest(fewer, n, 0.5).pvalue)
    if way == "midp":
        here = float(stats.binom.pmf(fewer, n, 0.5))
        p_value = 1 - here / 2 if only_a == only_b else 2 * float(stats.binom.cdf(fewer, n, 0.5)) - here
        return float(fewer), p_value
    statistic = (abs(only_a - only_b) - (way == "chi2_corrected")) ** 2 / n
    return statistic, _CHI2.above(statistic)


def _paired_difference(only_a: int, only_b: int, n: int, prob: float) -> Effect:
    """Return the difference of accuracy with Bonett and Price's interval, which adds one item to either side."""
    from scipy import stats

    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    reach = float(stats.norm.ppf(0.5 + prob / 2)) * math.sqrt((a + b - (a - b) ** 2) / (n + 2))
    ends = Interval(max(a - b - reach, -1.0), min(a - b + reach, 1.0))
    return Effect(name=_ACCURACY, value=(only_a - only_b) / n, interval=ends, prob=prob)


@checked_keywords
def cochran_q(
    *data: Any, predictions: Sequence[str] | None = None, pos_label: Any = None, **source: Unpack[TableOptions]
) -> ClassicalTest:
    """Test whether K classifiers are right equally often on the same items: Cochran's Q.

    Takes the data as `rank` does: the truth and one array per classifier, or one `Outcomes`, file or dataframe, of
    which `predictions` names some. For two classifiers it is McNemar's test without correction.

    Examples
    --------
    >>> import ropewalk as rw
    >>> test = cochran_q(rw.examples.news20().outcomes, pos_label=8)
    >>> print(f"Q = {test.statistic:.1f}, p = {test.p_value:.2g}")
    Q = 131.9, p = 2.1e-28
    """
    usage = "cochran_q(y_true, pred_1, pred_2, …), cochran_q(outcomes) or cochran_q(table, truth=…, predictions=[…])."
    table = shared(about(read_outcomes_of(data, predictions, source, usage=usage), pos_label))
    k = table.n_classifiers
    if k < 2:  # noqa: PLR2004
        raise InvalidInputError("Cochran's Q compares at least two classifiers; there is one.", hint=usage)
    hits = (table.codes[:, 1:] == table.codes[:, :1]).astype(np.int64)
    by_item = hits.sum(axis=1)
    unlike = (by_item > 0) & (by_item < k)  # the others add the same to all, and large numbers lose digits
    hits, by_item, counts = hits[unlike], by_item[unlike], table.counts[unlike]
    wins = [int(won) for won in (hits * counts[:, np.newaxis]).sum(axis=0)]  # whole numbers: squares stay exact
    spread = int((counts * by_item * (k - by_item)).sum())
    statistic = (k - 1) * (k * sum(won**2 for won in wins) - sum(wins) ** 2) / spread if spread else 0.0
    reference = Reference("chi2", (float(k - 1),))
    return ClassicalTest(
        name="Cochran's Q", statistic=statistic, p_value=reference.above(statistic), n=int(counts.sum()),
        names=table.names, reference=reference,
        null="all classifiers have the same accuracy", method="chi-squared on the items that not all classify alike",
        assumptions=("all classifiers saw the same items", ITEMS, "enough items that not all classify alike"),
    )  # fmt: skip


@checked_keywords
def delong(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    *,
    pos_label: Label | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Sided],
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
    return delong_of(settle_scores(items, "roc_auc", pos_label)[0], **options)


@checked_keywords
def delong_interval(y_true: Any, score: Any, *, pos_label: Label | None = None, prob: float = 0.95) -> Effect:
    """Return the area under the ROC curve of one system with DeLong's confidence interval, cut at 0 and 1.

    Examples
    --------
    >>> print(f"{delong_interval([0, 0, 1, 1, 1], [0.1, 0.4, 0.3, 0.6, 0.8]).value:.4f}")
    0.8333
    """
    from scipy import stats

    items, _, _ = settle_scores(ItemScores.from_arrays(y_true, score), "roc_auc", pos_label)
    mass = check_prob(prob)
    found = Placements.of(items)
    area, reach = float(found.areas[0]), float(stats.norm.ppf(0.5 + mass / 2)) * math.sqrt(found.covariance()[0, 0])
    ends = Interval(max(area - reach, 0.0), min(area + reach, 1.0))
    return Effect(name="ROC AUC", value=area, interval=ends, prob=mass)


def delong_of(items: ItemScores, **options: Unpack[Sided]) -> ClassicalTest:
    """Return DeLong's test of two systems, the positive class being the last of two labels."""
    side, mass = side_and_mass(options)
    found = Placements.of(items)
    areas, covariance = found.areas, found.covariance()
    difference = float(areas[0] - areas[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    error = math.sqrt(max(variance, 0.0))
    if error <= _MAX_ROUNDING:
        if abs(difference) > _MAX_ROUNDING:
            raise DataError(
                "The placements of the items do not vary, so DeLong's test has nothing to divide by.",
                hint="all items of a class are ranked alike; give more items.",
            )
        difference = error = 0.0
    statistic, p_value, ends = quotient(Reference("normal"), difference, error, side, mass)
    return ClassicalTest(
        name="DeLong's test",
        statistic=statistic,
        p_value=p_value if error else 1.0,
        n=items.n_items,
        alternative=side,
        names=items.names,
        effect=Effect(name="ROC AUC, A − B", value=difference, interval=ends, prob=mass),
        reference=Reference("normal"),
        null="both systems have the same area under the ROC curve",
        method="DeLong, DeLong and Clarke-Pearson: covariance of the placements of items, normal approximation",
        assumptions=("both systems scored the same items", ITEMS, "enough items of both classes"),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placements:
    """What each item says of the areas of K systems: (K, positives) and (K, others), whose means are the areas."""

    above: FloatArray
    below: FloatArray

    @classmethod
    def of(cls, items: ItemScores) -> Placements:
        """Return those of items of two classes, at least two of each."""
        assert items.truth is not None  # noqa: S101
        positive = items.truth == 1
        m, n = int(positive.sum()), int((~positive).sum())
        if min(m, n) < 2:  # noqa: PLR2004
            raise DataError(
                f"The variance of an area takes two items of each class; there are {m:,} positive and {n:,} others.",
                hint="get more items.",
            )
        above, below = [], []
        for values in items.values:  # an item moves the area by its placement among those of the other class
            roc, mass = SmoothRoc(items.truth, values), np.ones(m + n)
            area, moved = roc.value(mass), roc.gradient(mass)
            above.append(area + m * moved[positive])
            below.append(area + n * moved[~positive])
        return cls(above=np.array(above), below=np.array(below))

    @property
    def areas(self) -> FloatArray:
        """The areas (K,)."""
        return np.asarray(self.above.mean(axis=1))

    def covariance(self) -> FloatArray:
        """Return the covariance of the areas (K, K), as DeLong has it."""
        m, n = self.above.shape[1], self.below.shape[1]
        return np.asarray(np.atleast_2d(np.cov(self.above)) / m + np.atleast_2d(np.cov(self.below)) / n)

    def jackknifed(self) -> FloatArray:
        """Return the covariance of the areas (K, K) by leaving out one item at a time."""
        parts = (self.areas[:, None] * each.shape[1] - each for each in (self.above, self.below))
        sizes = (self.above.shape[1] - 1, self.below.shape[1] - 1)
        without = np.concatenate([part / size for part, size in zip(parts, sizes, strict=True)], axis=1)
        number = without.shape[1]
        return np.asarray(np.atleast_2d(np.cov(without)) * (number - 1) ** 2 / number)
