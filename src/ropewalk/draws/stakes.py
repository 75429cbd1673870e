"""What it is worth to learn more of a difference before one of two classifiers is shipped.

Who ships the one with the better mean is expected to lose what it would be worth to know for certain which is better
(the expected value of perfect information); data that move the mean are worth a part of it (the expected value of
sample information, Raiffa and Schlaifer 1961).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True)
class LabelWorth:
    """What n more items are expected to save, and the expected loss that is left after them, in the metric."""

    n: int
    worth: float
    loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """What shipping A instead of B is expected to gain and to lose, with Monte Carlo errors, and what labels are worth.

    `labels` say what more items are worth, where there are items to extrapolate from.
    """

    gain: float
    loss: float
    gain_mc_error: float
    loss_mc_error: float
    labels: tuple[LabelWorth, ...] = ()

    @property
    def prefers_a(self) -> bool:
        """Whether A has the better mean."""
        return self.gain >= self.loss

    @property
    def certainty(self) -> float:
        """What it is worth to know which is better: the expected loss of shipping the better-looking one."""
        return min(self.gain, self.loss)

    @property
    def certainty_mc_error(self) -> float:
        """The Monte Carlo error of `certainty`."""
        return self.loss_mc_error if self.prefers_a else self.gain_mc_error

    def mirrored(self) -> Stakes:
        """Return what shipping B instead of A is expected to gain and to lose."""
        return replace(
            self, gain=self.loss, loss=self.gain, gain_mc_error=self.loss_mc_error, loss_mc_error=self.gain_mc_error
        )


def stakes_of(delta: FloatArray, *, higher_is_better: bool, worth: int) -> Stakes:
    """Return the stakes from draws of A − B that are worth so many independent ones.

    Examples
    --------
    >>> stakes = stakes_of(np.array([-0.1, 0.1, 0.3]), higher_is_better=True, worth=3)
    >>> round(stakes.gain, 4), round(stakes.loss, 4), round(stakes.certainty, 4)
    (0.1333, 0.0333, 0.0333)
    """
    better = delta if higher_is_better else -delta
    least = float(delta.std()) / worth  # a side without draws is known to about one draw
    gained, lost = np.maximum(better, 0.0), np.maximum(-better, 0.0)
    return Stakes(
        gain=float(gained.mean()),
        loss=float(lost.mean()),
        gain_mc_error=max(float(gained.std()) / math.sqrt(worth), least),
        loss_mc_error=max(float(lost.std()) / math.sqrt(worth), least),
    )


class Learning:
    """What it is worth to learn more of a difference, from draws of it.

    Learning a share of the variance takes the posterior mean a part of the way from where it is towards the truth, and
    the rest of the variance stays: the moment matching of `inference.outlook`.
    """

    def __init__(self, delta: FloatArray) -> None:
        """Turn the draws so that their mean is not above 0: then the worth is a mean, and nothing cancels."""
        mean = float(delta.mean())
        self._mean, self._apart = -abs(mean), delta - mean if mean <= 0 else mean - delta

    @property
    def certainty(self) -> float:
        """What all there is to learn is worth."""
        return self.worth(1.0)

    def worth(self, learned: float) -> float:
        """Return what learning this share of the variance saves on average: E[max(M, 0)], M being the mean to come.

        Examples
        --------
        >>> coin = Learning(np.array([-1.0, 1.0]))
        >>> [coin.worth(share) for share in (0.0, 0.25, 1.0)]
        [0.0, 0.25, 0.5]
        """
        to_come = self._mean + math.sqrt(max(learned, 0.0)) * self._apart
        return float(np.maximum(to_come, 0.0, out=to_come).mean())
