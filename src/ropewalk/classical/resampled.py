"""Scores of repeated splits of one data set: their mean and interval, and the tests that allow for shared items."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ropewalk._checks import check_prob, checked_keywords, is_real
from ropewalk.classical._inputs import Pick, Rows, SidedPick, as_pair, caution
from ropewalk.classical.pairs import NORMAL, PAIRED, RELATIVE_ROUNDING, by_t, mean_and_spread
from ropewalk.data.columns import as_numbers
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.results.base import pick
from ropewalk.results.classical import Alternative, ClassicalTest, Effect, Reference
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray

_REPEATS, _FOLDS = 5, 2
_MAX_SCORE = 1e100


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(Remarked):
    """Mean, sample standard deviation and t interval of repeated error rates (or scores) of one classifier."""

    n: int
    mean: float
    std: float
    standard_error: float
    interval: Interval
    prob: float
    remarks: tuple[Remark, ...] = ()

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.mean:.4g} ± {self.std:.2g} (n = {self.n}, {100 * self.prob:g}% interval [{low:.4g}, {high:.4g}])"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        return pick(self, "n mean std standard_error interval prob warnings")


@checked_keywords
def repeated(
    values: Any, *, of: Rows = "splits", n_train: float | None = None, n_test: float | None = None, prob: float = 0.95
) -> Repeated:
    """Return the mean, the sample standard deviation and the t interval of repeated error rates (Wu, section 5).

    Parameters
    ----------
    values
        One error rate (or score) per repeat.
    of
        "splits" (default) or "folds" of one data set depend on each other, and bring a warning: the interval is too
        narrow. "datasets" and "topics" are taken as independent.
    n_train, n_test
        How many items each split trained and tested on: widens the interval as `corrected_t` does, without a warning.

    Examples
    --------
    >>> print(repeated([0.08, 0.11, 0.09, 0.12, 0.10], of="datasets"))
    0.1 ± 0.016 (n = 5, 95% interval [0.08037, 0.1196])
    """
    from scipy import stats

    numbers = as_numbers(values, "the classifier").reshape(-1)
    mass, n = check_prob(prob), numbers.size
    mean, spread = mean_and_spread(numbers, "value", float(np.abs(numbers).max(initial=0.0)))
    remarks: tuple[Remark, ...] = ()
    extra = 0.0
    if n_train is None and n_test is None:
        remedy = "Give n_train= and n_test= for a wider interval, and compare two classifiers by corrected_t."
        remarks = caution(of, remedy)
    else:
        extra = _test_share(n_train, n_test)
    error = spread * math.sqrt(1 / n + extra)
    reach = error * float(stats.t.ppf(0.5 + mass / 2, n - 1))
    ends = Interval(mean - reach, mean + reach)
    return Repeated(n=n, mean=mean, std=spread, standard_error=error, interval=ends, prob=mass, remarks=remarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOfThumb:
    """How far two means lie apart, in sums of their standard deviations (Wu, Equation 33)."""

    ratio: float

    @property
    def overlaps(self) -> bool:
        """Whether the intervals of one standard deviation overlap: then there is no telling which is better."""
        return abs(self.ratio) < 1 - 1e-9  # the ratio of decimals is off by rounding

    def __str__(self) -> str:
        where = "overlap, there is no telling which is better" if self.overlaps else "lie apart"
        return f"ratio {self.ratio:.2f}: the ±1 std intervals {where}"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        return pick(self, "ratio overlaps")


@checked_keywords
def rule_of_thumb(mean_a: float, std_a: float, mean_b: float, std_b: float) -> RuleOfThumb:
    """Return (mean_a − mean_b) / (std_a + std_b): a quick look, not a test (Wu, Equation 33).

    Examples
    --------
    >>> print(rule_of_thumb(0.08, 0.002, 0.06, 0.003))
    ratio 4.00: the ±1 std intervals lie apart
    >>> print(rule_of_thumb(0.08, 0.01, 0.06, 0.012))
    ratio 0.91: the ±1 std intervals overlap, there is no telling which is better
    """
    for value in (mean_a, std_a, mean_b, std_b):
        if not is_real(value) or not -_MAX_SCORE < float(value) < _MAX_SCORE:
            raise InvalidInputError(
                f"Means and standard deviations must be finite numbers; got {told(value)}.",
                hint="the order is mean, std, mean, std.",
            )
    if std_a < 0 or std_b < 0:
        raise InvalidInputError("A standard deviation cannot be negative.", hint="the order is mean, std, mean, std.")
    if std_a + std_b == 0:
        raise DataError(
            "Both standard deviations are 0: there is nothing to measure the distance by.", hint="look at the means."
        )
    return RuleOfThumb(ratio=(float(mean_a) - float(mean_b)) / (float(std_a) + float(std_b)))


@checked_keywords
def corrected_t(*scores: Any, n_train: float, n_test: float, **options: Unpack[SidedPick]) -> ClassicalTest:
    """Test the mean difference of scores from repeated splits of one data set: Nadeau and Bengio's corrected t.

    Training sets overlap, so the differences go together; their variance is taken as (1/n + n_test/n_train) s²
    instead of s²/n. For k-fold cross-validation, repeated or not, n_test/n_train is 1/(k − 1).

    Takes what `paired_t` takes, and the sizes of the training and test sets.

    Examples
    --------
    >>> a, b = [0.81, 0.79, 0.84, 0.90, 0.88], [0.78, 0.77, 0.80, 0.89, 0.83]
    >>> test = corrected_t(a, b, n_train=80, n_test=20)
    >>> print(f"t = {test.statistic:.2f}, p = {test.p_value:.3f}")
    t = 2.83, p = 0.047
    """
    table = as_pair(scores, options)
    n = len(table.values)
    mean, spread = mean_and_spread(table.differences, "pair of scores", table.largest)
    share = _test_share(n_train, n_test)
    return by_t(
        mean, spread * math.sqrt(1 / n + share), n - 1, options, name="corrected resampled t test",
        names=table.names, what="mean, A − B", n=n, null="the mean difference is 0",
        method=f"variance (1/{n} + {share:.4g}) s² for overlapping training sets (Nadeau and Bengio 2003)",
        assumptions=(
            PAIRED, "all splits come from one data set, with training and test sets of the sizes given",
            "scores of two splits correlate by n_test / (n_train + n_test)", NORMAL,
        ),
    )  # fmt: skip


def _test_share(n_train: Any, n_test: Any) -> float:
    for name, value in (("n_train", n_train), ("n_test", n_test)):
        if not is_real(value) or not 0 < value < math.inf:
            raise InvalidInputError(
                f"`{name}` must be a positive number of items; got {told(value)}.",
                hint="in k-fold cross-validation of N items: n_train = N (k − 1)/k, n_test = N/k.",
            )
    return float(n_test) / float(n_train)


@checked_keywords
def cv5x2_t(*scores: Any, alternative: Alternative = "two-sided", **columns: Unpack[Pick]) -> ClassicalTest:
    """Test the difference of two classifiers on five repeats of two-fold cross-validation: Dietterich's 5×2cv t.

    Takes two 5 × 2 tables of scores (repeats × folds), or what `paired_t` takes with the ten scores in that order.
    The numerator is the difference of the very first fold, as Dietterich has it; `cv5x2_f` uses all ten.

    Examples
    --------
    >>> a = [[0.80, 0.82], [0.81, 0.79], [0.83, 0.80], [0.82, 0.81], [0.80, 0.83]]
    >>> b = [[0.76, 0.79], [0.78, 0.77], [0.79, 0.78], [0.80, 0.77], [0.77, 0.80]]
    >>> print(f"p = {cv5x2_t(a, b).p_value:.3f}")
    p = 0.010
    """
    names, differences, variances = _five_by_two(scores, columns)
    first, error = float(differences[0, 0]), math.sqrt(float(variances.mean()))
    test = by_t(
        first, error, _REPEATS, {"alternative": alternative}, name="5×2cv t test", names=names,
        what="first fold, A − B", n=differences.size, null="both algorithms score alike",
        method="first difference over the root of the mean variance within repeats (Dietterich 1998)",
        assumptions=(PAIRED, "five repeats of two-fold cross-validation of one data set", NORMAL),
    )  # fmt: skip
    # The first fold decides the test; the ten together say more about the size.
    return replace(test, effect=Effect(name="mean, A − B", value=float(differences.mean())))


@checked_keywords
def cv5x2_f(*scores: Any, **columns: Unpack[Pick]) -> ClassicalTest:
    """Test the difference of two classifiers on five repeats of two-fold cross-validation: Alpaydin's combined F.

    Takes what `cv5x2_t` takes; it does not depend on which fold came first.

    Examples
    --------
    >>> a = [[0.80, 0.82], [0.81, 0.79], [0.83, 0.80], [0.82, 0.81], [0.80, 0.83]]
    >>> b = [[0.76, 0.79], [0.78, 0.77], [0.79, 0.78], [0.80, 0.77], [0.77, 0.80]]
    >>> print(f"p = {cv5x2_f(a, b).p_value:.3f}")
    p = 0.011
    """
    names, differences, variances = _five_by_two(scores, columns)
    reference = Reference("f", (float(differences.size), float(_REPEATS)))
    statistic, p_value = 0.0, 1.0
    if differences.any():
        statistic = float((differences**2).sum() / (2 * variances.sum()))
        p_value = reference.above(statistic)
    return ClassicalTest(
        name="5×2cv F test", names=names, statistic=statistic, p_value=p_value, n=differences.size,
        effect=Effect(name="mean, A − B", value=float(differences.mean())), reference=reference,
        null="both algorithms score alike",
        method="sum of squared differences over twice the variances within repeats (Alpaydin 1999)",
        assumptions=(PAIRED, "five repeats of two-fold cross-validation of one data set", NORMAL),
    )  # fmt: skip


def _five_by_two(scores: Any, columns: Pick) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Return the names, the differences of the folds (5, 2), and Dietterich's s² of each repeat."""
    pair = as_pair(scores, columns)
    shapes = {np.shape(table) for table in scores if hasattr(table, "__len__")} if len(scores) > 1 else set()
    if len(pair.values) != _REPEATS * _FOLDS or not shapes <= {(_REPEATS, _FOLDS), (_REPEATS * _FOLDS,)}:
        sizes = " and ".join(" × ".join(map(str, shape)) for shape in shapes) or str(len(pair.values))
        raise LengthMismatchError(
            f"A 5×2cv test takes ten scores per classifier, five repeats (rows) of two folds; got {sizes}.",
            hint="corrected_t takes any number of folds.",
        )
    differences = pair.differences.reshape(_REPEATS, _FOLDS)
    if not pair.rounded_differences.any():
        differences = np.zeros_like(differences)
    centred = differences - differences.mean(axis=1, keepdims=True)
    variances: FloatArray = (centred**2).sum(axis=1)
    if differences.any() and variances.sum() <= (RELATIVE_ROUNDING * pair.largest) ** 2:
        raise DataError(
            "There is no spread to divide by: in every repeat both folds differ by the same amount.",
            hint="are these the scores of ten different folds?",
        )
    return pair.names, differences, variances
