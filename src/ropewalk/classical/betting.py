"""The mean of bounded numbers by betting: evidence that may be looked at after any item, and bounds that hold at all.

Against "the mean is at most m", each number x in [0, 1] multiplies a stake by 1 + θ (x − m) / m: a fair game or a
losing one where that is true, whatever the share θ < 1 that is put at risk. The average of the stakes over fixed shares
is an e-value at every look, so that by Ville's inequality it ever reaches 1/α with a probability of at most α
(Waudby-Smith and Ramdas 2024, by the method of mixtures). It depends on how often each number came and on nothing else,
and falls as m grows: what it does not reject is an interval, and no state is kept between looks.

This is a guarantee about repeated use, and no posterior.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ropewalk.draws.intervals import Interval
from ropewalk.typing import BoolArray, FloatArray, IntArray

_OCTAVES: Final = 24.0
_STEPS_PER_OCTAVE: Final = 2
_USUAL_OCTAVES: Final = 5.0

SHARES: Final = 0.9 * 2.0 ** -np.arange(0.0, _OCTAVES, 1 / _STEPS_PER_OCTAVE)
"""The shares that are put at risk: .9, and by half octaves down to 8e-8.

The best one after n items is about 3.4 / sqrt(n · variance) of the scale; with steps of half an octave none is off by
more than a fifth, which costs less than .2% of an interval's width.
"""

_WEIGHTS: Final = 1.0 / (1.0 + (np.log2(SHARES[0] / SHARES) / _USUAL_OCTAVES) ** 2)

LOG_WEIGHTS: Final = np.log(_WEIGHTS / _WEIGHTS.sum())
"""What each share has of the first stake: most have the large ones, the best for 50 to 100,000 items."""

MAX_VALUES: Final = 1 << 14
"""More distinct numbers than these are rounded to as many levels, against the bettor: the bound stays one."""

_HALVINGS: Final = 1_000  # of the mean, in search of what is rejected: farther down floats end


def log_e_values(values: FloatArray, counts: FloatArray | IntArray, mean: float) -> FloatArray:
    """Return the log e-values against "the mean is at most `mean`" of many tables of counts (…, values).

    `values` lie in [0, 1], and so does the mean; a row of `counts` says how often each value came.

    Examples
    --------
    >>> heads = log_e_values(np.array([0.0, 1.0]), np.array([[5, 5], [0, 20]]), 0.5)
    >>> heads.round(1).tolist()
    [-0.3, 10.2]
    """
    if mean <= 0.0:  # a number above 0 cannot come of it
        return np.where(counts @ (values > mean), np.inf, 0.0)
    many = np.asarray(counts, dtype=np.float64)  # sums of whole numbers take many times as long
    gains = np.log1p(SHARES[:, np.newaxis] * ((values - mean) / mean))
    logs = many @ gains.T + LOG_WEIGHTS
    most = logs.max(axis=-1, keepdims=True)
    return np.asarray(most[..., 0] + np.log(np.exp(logs - most).sum(axis=-1)))


def bounds(values: FloatArray, counts: FloatArray | IntArray, scale: Interval, error: float) -> Interval:
    """Return between which means of values on a `scale` nothing is rejected, with an error on each side, at any look.

    Over all looks together, the probability that the lower end is ever above the mean is at most `error`, and so is
    that of the upper end to be below it; the items may be looked at after each.

    Examples
    --------
    >>> change, items = np.array([-1.0, 0.0, 1.0]), np.array([20, 930, 50])
    >>> low, high = bounds(change, items, Interval(-1.0, 1.0), 0.025)
    >>> round(low, 3), round(high, 3)
    (0.003, 0.06)
    """
    width = scale.high - scale.low
    share = (values - scale.low) / width
    low = _lower(*_fewer(share, counts), error)
    high = 1.0 - _lower(*_fewer(1.0 - share, counts), error)
    return Interval(scale.low + width * low, scale.low + width * high)


def rejects_at_most(
    values: FloatArray, counts: FloatArray | IntArray, edge: float, scale: Interval, error: float
) -> BoolArray:
    """Return whether tables of counts (…, values) reject "the mean is at most `edge`", with this error at any look.

    Mirror the values, the edge and the scale to ask whether it is at least the edge.
    """
    width = scale.high - scale.low
    share, mean = (values - scale.low) / width, (edge - scale.low) / width
    if mean >= 1.0:  # nothing lies above the scale
        return np.zeros(np.shape(counts)[:-1], dtype=np.bool_)
    if mean < 0.0:  # all of it lies above the edge
        return np.ones(np.shape(counts)[:-1], dtype=np.bool_)
    return np.asarray(log_e_values(share, counts, mean) >= -np.log(error))


def _fewer(values: FloatArray, counts: FloatArray | IntArray) -> tuple[FloatArray, FloatArray | IntArray]:
    """Return values in [0, 1] and their counts, with many of them rounded down to fewer levels."""
    values = np.clip(values, 0.0, 1.0)  # rounding may carry an end of the scale beyond it
    if values.size <= MAX_VALUES:
        return values, counts
    levels = np.floor(values * (MAX_VALUES - 1)).astype(np.int64)
    merged = np.bincount(levels, weights=counts, minlength=MAX_VALUES)
    return np.arange(MAX_VALUES) / (MAX_VALUES - 1), np.asarray(merged, dtype=np.float64)


def _lower(values: FloatArray, counts: FloatArray | IntArray, error: float) -> float:
    """Return the smallest mean that is not rejected: e-values fall as it grows, to 1 or less at the observed one."""
    from scipy.optimize import brentq

    total = counts.sum()
    some = counts > 0
    values, counts = values[some], counts[some]
    observed = float(counts @ values / total) if total else 0.0
    if observed <= 0.0:
        return 0.0

    def excess(mean: float) -> float:
        return float(log_e_values(values, counts, mean)) + float(np.log(error))

    low = observed
    for _ in range(_HALVINGS):
        low /= 2
        if excess(low) > 0:
            return float(brentq(excess, low, min(2 * low, observed), xtol=1e-15, rtol=1e-14))
    return 0.0
