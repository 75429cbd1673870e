"""The Bayesian sign test: on which share of data sets A is better, too close and worse, and what the next one is.

The shares have a Dirichlet distribution, Dir(counts + prior), the prior a pseudo data set in the ROPE (Benavoli et al.
2017). The next data set has the mean of it, in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.draws.blocks import block_size, dirichlet, draw_blocks
from ropewalk.draws.intervals import Interval, Regions
from ropewalk.draws.streams import UNITS
from ropewalk.typing import FloatArray

PRIOR_IN_ROPE: Final = 1.0
"""What the pseudo data set in the ROPE weighs."""

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True)
class SignPosterior:
    """The Dirichlet distribution of the shares of data sets below, inside and above the ROPE, by its `shapes`."""

    shapes: tuple[float, float, float]

    @property
    def next(self) -> Regions:
        """The probabilities that the next data set lies below, inside and above."""
        below, inside, above = (shape / sum(self.shapes) for shape in self.shapes)
        return Regions(below, inside, above)

    def draw(self, n_draws: int, seed: int) -> FloatArray:
        """Draw shares of data sets below, inside and above, (3, n_draws)."""
        return draw_blocks(
            lambda rng, size: dirichlet(rng, self.shapes, size),
            size=block_size(len(self.shapes)), start=0, stop=n_draws, seed=seed, stream=UNITS,
        )  # fmt: skip


def sign_posterior(differences: FloatArray, rope: Interval, prior: float = PRIOR_IN_ROPE) -> SignPosterior:
    """Return the posterior of one difference A − B a data set; the edges of the ROPE count as inside.

    Examples
    --------
    >>> z = np.array([-0.008, -0.018, 0.003, 0.016, 0.031, 0.01, -0.003, -0.008, 0.023, 0.041, 0.013, -0.017])
    >>> posterior = sign_posterior(z, Interval(-0.01, 0.01))
    >>> posterior.shapes
    (2.0, 6.0, 5.0)
    >>> print(f"the next data set: above {posterior.next.above:.3f}")
    the next data set: above 0.385
    """
    near = _ROUNDING * float(np.abs(differences).max(initial=0.0))
    below, above = int((differences < rope.low - near).sum()), int((differences > rope.high + near).sum())
    return SignPosterior((float(below), differences.size - below - above + prior, float(above)))
