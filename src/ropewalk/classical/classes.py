"""Tests over classes: per-class F1 scores as paired observations, as the papers' S-test and T-test have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.classical._parts import NORMAL, by_ranks, by_sign, by_t, mean_and_spread
from ropewalk.classical._scores import Scores
from ropewalk.classical._source import Source, f1_by_class, tables_of
from ropewalk.errors import InvalidInputError
from ropewalk.results.classical import TITLES, Alternative, ClassicalTest
from ropewalk.text.options import wording
from ropewalk.text.remarks import warning

_EXCHANGEABLE: Final = "classes are independent draws from a population of classes, whatever their sizes"
_SHARED: Final = (
    "classes share no items; where an item has one label they do, since what one loses another gains, and the test "
    "rejects too often"
)
_TWO: Final = warning(
    "two_classes",
    "There are two classes: their F1 scores come from the same items and are one observation rather than two. Test "
    "items, or permute.",
)


@checked_keywords
def sign_classes(
    *data: Any, alternative: Alternative = "two-sided", prob: float = 0.95, **source: Unpack[Source]
) -> ClassicalTest:
    """Test whether each classifier has the higher F1 in half of the classes: the papers' S-test.

    Takes the data as `compare` does, multi-label ones too. F1 is not rounded; equal ones are left out.

    Examples
    --------
    >>> import ropewalk as rw
    >>> print(f"p = {sign_classes(rw.examples.news20().outcomes, a='nb_mult', b='svm_l2').p_value:.3f}")
    p = 0.115
    """
    return sign_over(_scores(data, source), alternative=alternative, prob=prob)


@checked_keywords
def t_classes(
    *data: Any, alternative: Alternative = "two-sided", prob: float = 0.95, **source: Unpack[Source]
) -> ClassicalTest:
    """Test whether the mean difference of the per-class F1 scores is 0, by a paired t: the papers' T-test.

    Takes the data as `compare` does, multi-label ones too.

    Examples
    --------
    >>> import ropewalk as rw
    >>> print(f"p = {t_classes(rw.examples.news20().outcomes, a='nb_mult', b='svm_l2').p_value:.3f}")
    p = 0.138
    """
    return t_over(_scores(data, source), alternative=alternative, prob=prob)


@checked_keywords
def wilcoxon_classes(
    *data: Any, alternative: Alternative = "two-sided", zero_method: str = "wilcox", **source: Unpack[Source]
) -> ClassicalTest:
    """Test whether the differences of the per-class F1 scores lie symmetrically around 0, by Wilcoxon's signed ranks.

    Takes the data as `compare` does, multi-label ones too; `zero_method` is that of `wilcoxon`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> print(f"p = {wilcoxon_classes(rw.examples.news20().outcomes, a='nb_mult', b='svm_l2').p_value:.3f}")
    p = 0.076
    """
    return wilcoxon_over(_scores(data, source), alternative=alternative, zero_method=zero_method)


def _scores(data: Sequence[Any], source: Source) -> Scores:
    if source.get("pos_label") is not None:
        raise InvalidInputError(
            wording("A test over classes takes all of them; `pos_label` picks one."),
            hint=wording("leave pos_label= out."),
        )
    return f1_by_class(tables_of(data, source))


def _words(scores: Scores) -> dict[str, Any]:
    """Return whom a test over classes is about, and what is wrong with it where there are two."""
    return {"names": scores.names, "remarks": (_TWO,) if len(scores.values) == 2 else ()}  # noqa: PLR2004


def sign_over(scores: Scores, *, alternative: str = "two-sided", prob: float = 0.95) -> ClassicalTest:
    """Return the S-test of per-class scores."""
    values = scores.rounded_differences
    return by_sign(
        int(np.sum(values > 0)), int(np.sum(values < 0)), alternative=alternative, prob=prob,
        name=TITLES["sign_classes"],
        null="each classifier has the higher F1 in half of the classes",
        method="exact binomial on the classes whose F1 scores differ (S-test)", assumptions=(_EXCHANGEABLE, _SHARED),
        **_words(scores),
    )  # fmt: skip


def t_over(scores: Scores, *, alternative: str = "two-sided", prob: float = 0.95) -> ClassicalTest:
    """Return the T-test of per-class scores."""
    values = scores.differences
    mean, spread = mean_and_spread(values, "class", scores.largest)
    return by_t(
        mean, spread / math.sqrt(values.size), values.size - 1, alternative=alternative, prob=prob,
        name=TITLES["t_classes"], what="mean F1, A − B", n=values.size,
        null="the mean difference of per-class F1 is 0", method="paired t on per-class F1 (T-test)",
        assumptions=(_EXCHANGEABLE, _SHARED, NORMAL), **_words(scores),
    )  # fmt: skip


def wilcoxon_over(scores: Scores, *, alternative: str = "two-sided", zero_method: str = "wilcox") -> ClassicalTest:
    """Return Wilcoxon's test of per-class scores."""
    return by_ranks(
        scores.rounded_differences, alternative=alternative, zero_method=zero_method,
        name=TITLES["wilcoxon"], of="differences of per-class F1",
        what="median F1, A − B", null="differences of per-class F1 lie symmetrically around 0",
        assumptions=(_EXCHANGEABLE, _SHARED, "differences are comparable in size from class to class"),
        **_words(scores),
    )  # fmt: skip
