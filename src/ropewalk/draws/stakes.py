"""What it is worth to learn more of a difference before one of two classifiers is shipped.

Who ships the one with the better mean is expected to lose what it would be worth to know for certain which is better
(the expected value of perfect information); data that move the mean are worth a part of it (the expected value of
sample information, Raiffa and Schlaifer 1961).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True)
class LabelWorth:
    """What n more items are expected to save, and the expected loss that is left after them, in the metric."""

    n: int
    worth: float
    loss: float


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
