"""Beta distributions: the shortest interval that holds a given probability, exactly."""

from __future__ import annotations

from typing import Final

import numpy as np

from ropewalk.typing import FloatArray

_HALVINGS: Final = 60
_HALF: Final = 0.5


def beta_hdi(a: FloatArray, b: FloatArray, prob: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the shortest intervals that hold `prob` of Beta(a, b), element by element.

    With one peak inside, the densities at both ends are equal. A density that falls or rises throughout has its
    interval at that end of [0, 1]; one that rises towards both ends has it at the steeper one, and in the middle
    where the ends are alike. b = 0 is the certainty of 1, a = 0 that of 0.

    Examples
    --------
    >>> low, high = beta_hdi(np.array([1.0, 1.0]), np.array([1.0, 3.0]), 0.9)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.05, 0.0], [0.95, 0.536])
    """
    pairs, places = np.unique(np.stack([a.reshape(-1), b.reshape(-1)], axis=1), axis=0, return_inverse=True)
    low, high = _distinct(pairs[:, 0], pairs[:, 1], prob)
    places = places.reshape(-1)
    return low[places].reshape(a.shape), high[places].reshape(a.shape)


def _distinct(a: FloatArray, b: FloatArray, prob: float) -> tuple[FloatArray, FloatArray]:
    from scipy import special

    sure = (a == 0) | (b == 0)
    alpha, beta = np.where(sure, 1.0, a), np.where(sure, 1.0, b)
    rest = 1 - prob
    # `below` is the probability to the left of the interval: none, all the rest, or what evens out the ends.
    below = np.full(a.shape, rest / 2)
    falling, rising = (alpha <= 1) & (beta >= 1) & (alpha < beta), (alpha >= 1) & (beta <= 1) & (alpha > beta)
    both = (alpha < 1) & (beta < 1)
    left = special.betaincinv(alpha, beta, prob) < special.betaincinv(beta, alpha, prob)
    below[falling | (both & left)] = 0.0
    below[rising | (both & ~left)] = rest
    below[both & (alpha == beta)] = rest / 2
    inside = (alpha > 1) & (beta > 1)
    if inside.any():
        below[inside] = _evened(alpha[inside], beta[inside], prob)
    low = special.betaincinv(alpha, beta, below)
    high = special.betaincinv(alpha, beta, np.minimum(below + prob, 1.0))
    # close to 1 the distance from 1 has the digits
    high = np.where(high < _HALF, high, 1 - special.betaincinv(beta, alpha, np.maximum(rest - below, 0.0)))
    return np.where(sure, np.where(b == 0, 1.0, 0.0), low), np.where(sure, np.where(b == 0, 1.0, 0.0), high)


def _evened(a: FloatArray, b: FloatArray, prob: float) -> FloatArray:
    """Return the probability below the interval whose ends are equally dense, by halving."""
    from scipy import special

    start, stop = np.zeros_like(a), np.full(a.shape, 1 - prob)
    for _ in range(_HALVINGS):
        below = (start + stop) / 2
        low, high = special.betaincinv(a, b, below), special.betaincinv(a, b, below + prob)
        beyond_low, beyond_high = special.betaincinv(b, a, 1 - below), special.betaincinv(b, a, 1 - prob - below)
        # log density at the upper end minus that at the lower end; it falls as the interval moves right
        with np.errstate(divide="ignore", invalid="ignore"):
            lean = (a - 1) * (np.log(high) - np.log(low)) + (b - 1) * (np.log(beyond_high) - np.log(beyond_low))
        right = lean > 0
        start, stop = np.where(right, below, start), np.where(right, stop, below)
    middle: FloatArray = (start + stop) / 2
    return middle
