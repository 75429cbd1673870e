"""Highest density intervals and their Monte Carlo errors, on plain arrays of draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.typing import FloatArray

_BATCHES: Final = 20
_SMALL_BATCH: Final = 50
FEW_DRAWS: Final = _BATCHES * _SMALL_BATCH
"""Below this many draws the errors of HDI ends are a guess, and no verdict counts as stable."""

_RATE: Final = 1.07  # s.d. of an HDI end of a normal, in units of std · n^(-1/3): .029 std at 50,000 draws


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval; its ends may be infinite."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The point halfway between the ends."""
        return (self.low + self.high) / 2

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def mirrored(self) -> Interval:
        """Return the interval seen from the other side of 0."""
        return Interval(-self.high, -self.low)


def hdi(ordered: FloatArray, prob: float) -> Interval:
    """Return the shortest interval that holds `prob` of sorted draws (floor(prob·n) + 1 of them).

    Examples
    --------
    >>> hdi(np.arange(101.0), 0.5)
    Interval(low=0.0, high=50.0)
    """
    low, high = shortest(ordered[np.newaxis, :], prob)
    return Interval(float(low[0]), float(high[0]))


def shortest(ordered: FloatArray, prob: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the shortest intervals of the rows of a sorted (rows, n) array."""
    n = ordered.shape[1]
    span = min(int(prob * n), n - 1)
    starts = (ordered[:, span:] - ordered[:, : n - span]).argmin(axis=1)
    rows = np.arange(len(ordered))
    return ordered[rows, starts], ordered[rows, starts + span]


def hdi_error(draws: FloatArray, prob: float, ess: float | None = None) -> tuple[float, float]:
    """Return the Monte Carlo standard errors of the two ends of the HDI.

    The ends converge like n^(-1/3) only, and the bootstrap is inconsistent for them; so the error is the spread
    of the ends over 20 consecutive batches, times 20^(-1/3). Too few draws for batches: the rate of a normal. Draws
    of a Markov chain are worth `ess` independent ones; what they depend on each other, batches of them show.
    """
    batch, worth = draws.size // _BATCHES, draws.size if ess is None else ess
    if min(batch, worth / _BATCHES) < _SMALL_BATCH:
        error = _RATE * float(draws.std()) * worth ** (-1 / 3)
        return error, error
    ordered = np.sort(draws[: batch * _BATCHES].reshape(_BATCHES, batch), axis=1)
    low, high = shortest(ordered, prob)
    scale = _BATCHES ** (-1 / 3)
    return float(low.std(ddof=1)) * scale, float(high.std(ddof=1)) * scale
