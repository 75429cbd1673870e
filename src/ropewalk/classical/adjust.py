"""Many p-values at once: adjust them, so that testing much does not find what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, overload

from ropewalk._checks import checked_keywords, choose, is_real
from ropewalk._optional import require
from ropewalk.errors import InvalidInputError
from ropewalk.results.classical import ClassicalTest

_METHODS: Final = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "bonferroni": "bonferroni",
    "benjamini-hochberg": "fdr_bh",
    "bh": "fdr_bh",
}


@overload
def adjust(p_values: Mapping[Any, Any], *, method: str = "holm") -> dict[Any, float]: ...
@overload
def adjust(p_values: Sequence[Any], *, method: str = "holm") -> list[float]: ...


@checked_keywords
def adjust(p_values: Any, *, method: str = "holm") -> Any:
    """Return p-values adjusted for their number, in the form they came in.

    Parameters
    ----------
    p_values
        A sequence, or a mapping from name to p-value; tests may stand for their p-values.
    method
        "holm" (default), "hochberg" or "bonferroni" bound the chance of any false rejection; Hochberg's needs tests
        that are independent or go together. "benjamini-hochberg" bounds the share of false ones among the rejections.

    Examples
    --------
    >>> [round(p, 3) for p in adjust([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    >>> adjust({"a": 0.01, "b": 0.2}, method="bonferroni")
    {'a': 0.02, 'b': 0.4}
    """
    way = choose(method, _METHODS, "adjustment")
    if isinstance(p_values, Mapping):
        return dict(zip(p_values, adjust(list(p_values.values()), method=method), strict=True))
    if isinstance(p_values, str) or not isinstance(p_values, Iterable):
        raise InvalidInputError(
            f"Give a sequence or a mapping of p-values; got {type(p_values).__name__}.",
            hint="a single one stays as it is.",
        )
    numbers = [test.p_value if isinstance(test, ClassicalTest) else test for test in p_values]
    for at, p in enumerate(numbers):
        if not is_real(p) or not 0 <= p <= 1:
            raise InvalidInputError(
                f"A p-value lies between 0 and 1; got {p!r} at place {at + 1}.", hint="leave out tests without one."
            )
    if not numbers:
        return []
    multitest = require("statsmodels.stats.multitest", extra="stats", caller="adjust")
    return [float(p) for p in multitest.multipletests(numbers, method=way)[1]]
