"""Several classifiers on several data sets: Friedman with Iman and Davenport, Nemenyi, repeated-measures ANOVA."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any, Final, Literal, TypedDict, Unpack

import numpy as np

from ropewalk._checks import check_prob, checked_keywords, choose
from ropewalk.classical._inputs import Rows, Scores, as_scores, caution
from ropewalk.classical.pairs import INDEPENDENT, RELATIVE_ROUNDING
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.results.classical import ClassicalTest, Nemenyi, Reference
from ropewalk.results.options import Option
from ropewalk.text.remarks import Remark
from ropewalk.typing import FloatArray

_SAME_ROWS: Final = "row i is the same data set, fold or topic for all"
_ALIKE: Final = "all classifiers rank alike"
_MORE_ROWS: Final = "give one row per data set or topic, with the scores of all classifiers."


class Table(TypedDict, total=False):
    """Options about a table of scores."""

    columns: Annotated[Sequence[str] | None, Option(help="Which columns to take.")]
    names: Annotated[Sequence[str] | None, Option(help="What to call columns without a name.")]
    of: Annotated[Rows, Option(help="What a row is.", default="datasets")]


@checked_keywords
def friedman(*scores: Any, **options: Unpack[Table]) -> ClassicalTest:
    """Test whether K classifiers rank alike over several data sets: Friedman's chi-squared, ties allowed for.

    Parameters
    ----------
    *scores
        A table with classifiers as columns (a mapping, any dataframe, an array of rows × classifiers), or one sequence
        of scores per classifier.
    columns, names
        Which columns of a table to take; names for those that have none.
    of
        What a row is: "datasets" or "topics"; "folds" and "splits" of one data set bring a warning.

    Examples
    --------
    >>> a, b, c = [0.81, 0.79, 0.84, 0.90], [0.78, 0.77, 0.80, 0.89], [0.75, 0.78, 0.79, 0.85]
    >>> test = friedman(a, b, c)
    >>> print(f"chi2 = {test.statistic:.2f}, p = {test.p_value:.3f}")
    chi2 = 6.50, p = 0.039
    """
    table, statistic = _friedman(scores, options)
    n, k = table.values.shape
    reference = Reference("chi2", (float(k - 1),))
    return ClassicalTest(
        name="Friedman test", names=table.names, statistic=statistic, p_value=reference.above(statistic), n=n,
        reference=reference, null=_ALIKE, method="ranks within rows, chi-squared with tie correction",
        assumptions=(_SAME_ROWS, INDEPENDENT, "the chi-squared form is rough below about 10 rows or 5 classifiers"),
        remarks=_remarks(options),
    )  # fmt: skip


@checked_keywords
def iman_davenport(*scores: Any, **options: Unpack[Table]) -> ClassicalTest:
    """Test whether K classifiers rank alike over several data sets: Iman and Davenport's F.

    Takes what `friedman` takes, and is less conservative. It is the analysis of variance of the ranks. Where all
    rows rank alike F is infinite, and the p-value is the exact probability of that, k!^(1 − n) without ties.

    Examples
    --------
    >>> a, b, c = [0.81, 0.79, 0.84, 0.90], [0.78, 0.77, 0.80, 0.89], [0.75, 0.78, 0.79, 0.85]
    >>> test = iman_davenport(a, b, c)
    >>> print(f"F = {test.statistic:.2f}, p = {test.p_value:.4f}")
    F = 13.00, p = 0.0066
    """
    table, chi2 = _friedman(scores, options)
    n, k = table.values.shape
    left = n * (k - 1) - chi2
    reference = Reference("f", (float(k - 1), float((k - 1) * (n - 1))))
    if left > 1e-9 * n * (k - 1):
        statistic = (n - 1) * chi2 / left
        p_value = reference.above(statistic)
    else:
        # The probability that another row ranks as the first does, ties and all, by chance.
        _, ties = np.unique(table.rounded[0], return_counts=True)
        alike = math.prod(math.factorial(int(tie)) for tie in ties) / math.factorial(k)
        statistic, p_value = math.inf, alike ** (n - 1)
    return ClassicalTest(
        name="Iman-Davenport test", names=table.names, statistic=statistic, p_value=p_value, n=n, reference=reference,
        null=_ALIKE, method="(n − 1) χ² / (n (k − 1) − χ²) of Friedman's χ²", assumptions=(_SAME_ROWS, INDEPENDENT),
        remarks=_remarks(options),
    )  # fmt: skip


@checked_keywords
def nemenyi(*scores: Any, alpha: float = 0.05, higher_is_better: bool = True, **options: Unpack[Table]) -> Nemenyi:
    """Compare all pairs of K classifiers by their average ranks, after a Friedman test: Nemenyi's critical difference.

    Takes what `friedman` takes. Rank 1 is the best: the highest score, or the lowest error with
    ``higher_is_better=False``.

    Examples
    --------
    >>> table = {"A": [0.81, 0.79, 0.84, 0.90], "B": [0.78, 0.77, 0.80, 0.89], "C": [0.75, 0.78, 0.79, 0.85]}
    >>> pairs = nemenyi(table)
    >>> pairs.ranks, round(pairs.critical_difference, 3)
    ({'A': 1.0, 'B': 2.25, 'C': 2.75}, 1.657)
    >>> pairs.groups
    (('A', 'B'), ('B', 'C'))
    """
    from scipy import stats

    table, level = _table(scores, options, "Nemenyi's test"), check_prob(alpha, "alpha")
    n, k = table.values.shape
    average = stats.rankdata(-table.rounded if higher_is_better else table.rounded, axis=1).mean(axis=0)
    unit = math.sqrt(k * (k + 1) / (6 * n)) / math.sqrt(2)  # of a studentised range
    ranges = stats.studentized_range
    p_values = {
        (a, b): float(np.clip(ranges.sf(abs(rank_a - rank_b) / unit, k, np.inf), 0.0, 1.0))
        for (a, rank_a), (b, rank_b) in combinations(zip(table.names, average, strict=True), 2)
    }
    return Nemenyi(
        ranks=dict(zip(table.names, average.tolist(), strict=True)),
        critical_difference=unit * float(ranges.ppf(1 - level, k, np.inf)),
        alpha=level,
        n=n,
        p_values=p_values,
        remarks=_remarks(options),
    )


@checked_keywords
def anova(
    *scores: Any, correction: Literal["none", "greenhouse-geisser"] = "none", **options: Unpack[Table]
) -> ClassicalTest:
    """Test whether K classifiers have the same mean score over several data sets: repeated-measures ANOVA.

    Takes what `friedman` takes. It assumes that all differences between two classifiers vary alike over the data sets
    (sphericity), which scores on data sets seldom do: ``correction="greenhouse-geisser"`` allows for that, and the
    Friedman test does without.

    Examples
    --------
    >>> a, b, c = [0.81, 0.79, 0.84, 0.90], [0.78, 0.77, 0.80, 0.89], [0.75, 0.78, 0.79, 0.85]
    >>> test = anova(a, b, c)
    >>> print(f"F = {test.statistic:.2f}, p = {test.p_value:.4f}")
    F = 9.52, p = 0.0138
    """
    corrected = choose(correction, {"none": False, "greenhouse-geisser": True}, "correction")
    table = _table(scores, options, "ANOVA")
    n, k = table.values.shape
    centred = table.values - table.values.mean(axis=1, keepdims=True)  # some data sets are harder than others
    effects = centred.mean(axis=0)
    residuals = centred - effects
    between, within = n * float((effects**2).sum()) / (k - 1), float((residuals**2).sum()) / ((k - 1) * (n - 1))
    epsilon = _epsilon(residuals) if corrected else 1.0
    reference = Reference("f", (epsilon * (k - 1), epsilon * (k - 1) * (n - 1)))
    statistic = 0.0
    if not _all_tied(table.rounded):
        if within <= (RELATIVE_ROUNDING * table.largest) ** 2:
            raise DataError(
                "There is no spread to divide by: the classifiers differ by the same amounts in every row.",
                hint="the Friedman test goes by ranks alone.",
            )
        statistic = between / within
    return ClassicalTest(
        name="repeated-measures ANOVA", names=table.names, statistic=statistic, n=n,
        p_value=reference.above(statistic), reference=reference, null="all classifiers have the same mean score",
        method="variance between classifiers over residual variance"
        + (f", degrees of freedom times {epsilon:.3f} (Greenhouse-Geisser)" if corrected else ""),
        assumptions=(
            _SAME_ROWS, INDEPENDENT, "residuals are normally distributed",
            *(() if corrected else ("all differences between two classifiers vary alike (sphericity)",)),
        ),
        remarks=_remarks(options),
    )  # fmt: skip


def _epsilon(residuals: FloatArray) -> float:
    """Return Greenhouse and Geisser's epsilon: 1 under sphericity, 1/(k − 1) at worst."""
    k = residuals.shape[1]
    covariance = np.atleast_2d(np.cov(residuals, rowvar=False))
    squares = float((covariance**2).sum())
    return 1.0 if squares == 0 else float(np.trace(covariance)) ** 2 / ((k - 1) * squares)


def _table(scores: Sequence[Any], options: Table, test: str, least: Literal["two", "three"] = "two") -> Scores:
    """Return a table of scores with columns and rows enough for a test."""
    table = as_scores(scores, names=options.get("names"), columns=options.get("columns"))
    n, k = table.values.shape
    if k < {"two": 2, "three": 3}[least]:
        hint = _MORE_ROWS if least == "two" else "for two use wilcoxon or sign."
        raise InvalidInputError(f"{test} compares at least {least} classifiers; got {k}.", hint=hint)
    if n < 2:  # noqa: PLR2004
        raise DataError("There is a single row of scores, and a test takes at least two.", hint=_MORE_ROWS)
    return table


def _remarks(options: Table) -> tuple[Remark, ...]:
    remedy = "Average the folds of a data set first, and let a row be a data set."
    return caution(options.get("of"), remedy)


def _friedman(scores: Sequence[Any], options: Table) -> tuple[Scores, float]:
    """Return a table of at least three classifiers and two rows, and Friedman's statistic of it."""
    from scipy import stats

    table = _table(scores, options, "Friedman's test", "three")
    tied = _all_tied(table.rounded)
    return table, 0.0 if tied else float(stats.friedmanchisquare(*table.rounded.T).statistic)


def _all_tied(values: FloatArray) -> bool:
    """Whether every row is one tie, so that nothing supports a difference."""
    return bool((values == values[:, :1]).all())
