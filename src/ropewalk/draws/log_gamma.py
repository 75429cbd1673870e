"""The logarithm of the gamma function, to the last bit as SciPy has it: for few numbers, SciPy's import takes longer.

The method and its coefficients are those of Cephes (Moshier 1989), which SciPy uses too: Stirling's series for large
numbers; others are brought between 2 and 3, by Γ(x + 1) = xΓ(x), where a ratio of polynomials is close.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ropewalk.typing import FloatArray

_FEW: Final = 50_000
_SERIES_FROM: Final = 13.0
_SHORT_SERIES_FROM: Final = 1000.0
_SERIES: Final = (
    8.11614167470508450300e-4, -5.95061904284301438324e-4, 7.93650340457716943945e-4, -2.77777777730099687205e-3,
    8.33333333333331927722e-2,
)  # fmt: skip
_SHORT_SERIES: Final = (7.9365079365079365079365e-4, -2.7777777777777777777778e-3, 0.0833333333333333333333)
_OVER: Final = (
    -1.37825152569120859100e3, -3.88016315134637840924e4, -3.31612992738871184744e5, -1.16237097492762307383e6,
    -1.72173700820839662146e6, -8.53555664245765465627e5,
)  # fmt: skip
_UNDER: Final = (
    1.0, -3.51815701436523470549e2, -1.70642106651881159223e4, -2.20528590553854454839e5, -1.13933444367982507207e6,
    -2.53252307177582951285e6, -2.01889141433532773231e6,
)  # fmt: skip
_HALF_LOG_2PI: Final = 0.91893853320467274178


def log_gamma(numbers: FloatArray) -> FloatArray:
    """Return log Γ of positive numbers.

    Examples
    --------
    >>> log_gamma(np.array([0.5, 1.0, 5.0, 20.0])).round(6).tolist()
    [0.572365, 0.0, 3.178054, 39.339884]
    """
    if numbers.size > _FEW:
        from scipy.special import gammaln

        return np.asarray(gammaln(numbers))
    flat = np.asarray(numbers, dtype=np.float64).reshape(-1)
    large = flat >= _SERIES_FROM
    result = np.empty_like(flat)
    result[large], result[~large] = _of_large(flat[large]), _of_small(flat[~large])
    return result.reshape(numbers.shape)


def _of_large(x: FloatArray) -> FloatArray:
    inverse = 1.0 / (x * x)
    rest = np.where(x >= _SHORT_SERIES_FROM, _polynomial(_SHORT_SERIES, inverse), _polynomial(_SERIES, inverse)) / x
    return np.asarray((x - 0.5) * _log(x) - x + _HALF_LOG_2PI + rest)


def _of_small(x: FloatArray) -> FloatArray:
    factor, steps, here = np.ones_like(x), np.zeros_like(x), x.copy()
    while (high := np.flatnonzero(here >= 3.0)).size:  # noqa: PLR2004
        steps[high] -= 1.0
        here[high] = x[high] + steps[high]
        factor[high] *= here[high]
    while (low := np.flatnonzero(here < 2.0)).size:  # noqa: PLR2004
        factor[low] /= here[low]
        steps[low] += 1.0
        here[low] = x[low] + steps[low]
    beyond = x + (steps - 2.0)
    between = beyond * _polynomial(_OVER, beyond) / _polynomial(_UNDER, beyond)
    return np.asarray(_log(factor) + np.where(here == 2.0, 0.0, between))  # noqa: PLR2004


def _polynomial(coefficients: Sequence[float], x: FloatArray) -> FloatArray:
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value


def _log(x: FloatArray) -> FloatArray:
    """Take logarithms as C does; NumPy's own differ in the last bit, by the machine."""
    return np.fromiter(map(math.log, x.tolist()), dtype=np.float64, count=x.size)
