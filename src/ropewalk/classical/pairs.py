"""Two classifiers on several data sets or topics: paired t (Wu's Algorithm 2), Wilcoxon, sign test."""

from __future__ import annotations

import math
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.classical._parts import INDEPENDENT, NORMAL, PAIRED, by_ranks, by_sign, by_t, mean_and_spread
from ropewalk.classical._scores import Pick, Rows, as_pair, caution
from ropewalk.results.classical import Alternative, ClassicalTest

_REMEDY: Final = "Use corrected_t, or cv5x2_f on five two-fold splits."


@checked_keywords
def paired_t(
    *scores: Any,
    alternative: Alternative = "two-sided",
    of: Rows = "datasets",
    prob: float = 0.95,
    **pick: Unpack[Pick],
) -> ClassicalTest:
    """Test whether the mean difference of paired scores is 0: Wu's Algorithm 2.

    Parameters
    ----------
    *scores
        Two sequences of scores (or error rates), A's and B's; or one table with classifiers as columns: a mapping from
        name to scores, any dataframe, or an array of rows × classifiers, of which `a` and `b` name two.
    alternative
        "two-sided", "greater" (A's numbers are higher) or "less".
    of
        What a row is: "datasets" or "topics"; "folds" or "splits" of one data set depend on each other, and earn a
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
    table = as_pair(scores, pick)
    n = len(table.values)
    mean, spread = mean_and_spread(table.differences, "pair of scores", table.largest)
    return by_t(
        mean, spread / math.sqrt(n), n - 1, alternative=alternative, prob=prob, name="paired t test",
        what="mean, A − B", n=n, null="the mean difference is 0", method="mean difference over its standard error",
        assumptions=(PAIRED, INDEPENDENT, NORMAL), names=table.names, remarks=caution(of, _REMEDY),
    )  # fmt: skip


@checked_keywords
def wilcoxon(
    *scores: Any,
    alternative: Alternative = "two-sided",
    zero_method: str = "wilcox",
    of: Rows = "datasets",
    **pick: Unpack[Pick],
) -> ClassicalTest:
    """Test whether the differences of paired scores lie symmetrically around 0, by their ranks.

    Takes what `paired_t` takes. `zero_method` is SciPy's: "wilcox" leaves equal scores out, "zsplit" gives half their
    ranks to each side (as Demšar does), "pratt" ranks them and leaves them out. The p-value is
    exact up to 50 differences without ties and up to 13 with ties, else that of the normal distribution.

    Examples
    --------
    >>> wilcoxon([0.81, 0.79, 0.84, 0.90, 0.88], [0.78, 0.77, 0.80, 0.89, 0.83]).p_value
    0.0625
    """
    table = as_pair(scores, pick)
    return by_ranks(
        table.rounded_differences, alternative=alternative, zero_method=zero_method,
        name="Wilcoxon signed-rank test", what="median, A − B", of="differences",
        null="differences lie symmetrically around 0", names=table.names,
        assumptions=(PAIRED, INDEPENDENT, "differences are comparable in size from row to row"),
        remarks=caution(of, _REMEDY),
    )  # fmt: skip


@checked_keywords
def sign(
    *scores: Any,
    alternative: Alternative = "two-sided",
    of: Rows = "datasets",
    prob: float = 0.95,
    **pick: Unpack[Pick],
) -> ClassicalTest:
    """Test whether either classifier wins half of the rows; ties are left out.

    Takes what `paired_t` takes. The least powerful of the three, and the one that assumes least.

    Examples
    --------
    >>> test = sign([0.81, 0.79, 0.84, 0.90], [0.78, 0.77, 0.80, 0.90])
    >>> test.p_value, test.n
    (0.25, 3)
    """
    table = as_pair(scores, pick)
    differences = table.rounded_differences
    return by_sign(
        int(np.sum(differences > 0)), int(np.sum(differences < 0)), alternative=alternative, prob=prob,
        name="sign test", names=table.names, null="each classifier wins half of the rows",
        method="exact binomial; ties are left out", assumptions=(PAIRED, INDEPENDENT),
        remarks=caution(of, _REMEDY),
    )  # fmt: skip
