"""Summaries of draws: centre, spread, HDI, and how well the draws pin them down."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Interval, hdi, hdi_error
from ropewalk.typing import FloatArray

NOTE_PULL: Final = 0.25
WARN_PULL: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The posterior of one number: `observed` is its value on the counts, None where there is none."""

    observed: float | None
    mean: float
    std: float
    mc_error: float
    hdi: Interval
    hdi_mc_error: tuple[float, float]

    def shifted(self, by: float) -> Estimate:
        """Return the posterior of the number plus a constant; without an observed value."""
        moved = Interval(self.hdi.low + by, self.hdi.high + by)
        return replace(self, observed=None, mean=self.mean + by, hdi=moved)

    @property
    def pull(self) -> float:
        """How many posterior standard deviations the prior moves the mean away from the observed value."""
        if self.observed is None:
            return 0.0
        gap = self.mean - self.observed
        # With few draws a gap may be Monte Carlo error; without spread there is nothing to measure it by.
        return gap / self.std if self.std > 0 and abs(gap) > 4 * self.mc_error else 0.0

    def worth(self, n_draws: int) -> int:
        """Return how many independent draws the n that this was made of are worth, by the error of their mean.

        Independent ones are worth themselves. Never more than n: what helps a mean may not help an interval.
        """
        if not self.mc_error > 0:
            return n_draws
        return min(max(round((self.std / self.mc_error) ** 2), 1), n_draws)


def summarise(
    draws: FloatArray, ordered: FloatArray, *, prob: float, observed: float | None, ess: float | None = None
) -> Estimate:
    """Summarise draws, given also in sorted order; those of Markov chains are worth `ess` independent ones."""
    # Draws that are all alike have no spread, whatever rounding makes of their mean.
    std = float(draws.std(ddof=1)) if draws.size > 1 and ordered[0] < ordered[-1] else 0.0
    return Estimate(
        observed=observed,
        mean=float(draws.mean()),
        std=std,
        mc_error=std / math.sqrt(draws.size if ess is None else ess),
        hdi=hdi(ordered, prob),
        hdi_mc_error=hdi_error(draws, prob, ess),
    )


def count_below(ordered: FloatArray, bound: float, *, inclusive: bool = False) -> int:
    """Return how many sorted draws lie below `bound` (or at it).

    Examples
    --------
    >>> count_below(np.array([1.0, 2.0, 3.0]), 3.0), count_below(np.array([1.0, 2.0]), 2.0, inclusive=True)
    (2, 2)
    """
    return int(np.searchsorted(ordered, bound, side="right" if inclusive else "left"))
