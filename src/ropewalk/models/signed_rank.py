"""The Bayesian signed-rank test: where the average of two further data sets lies (Benavoli et al. 2014, 2017).

Data sets have weights w ~ Dir(s, 1, …, 1), s for a pseudo data set without a difference. The shares of interest are of
pairs of data sets: theta_above = Σ_ij w_i w_j [z_i + z_j > 2 r], and so on, a pair on an edge half inside and half out.
Sorted once, the sum over j is a cumulative sum up to a place that depends on i alone, so a draw takes O(q).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Interval, Regions
from ropewalk.models.unfitted import Unfitted
from ropewalk.typing import FloatArray, IntArray

PSEUDO_WEIGHT: Final = 0.5
"""What the pseudo data set without a difference weighs."""

MIN_DATASETS: Final = 5
"""Of fewer data sets the pairs are so few that the prior decides."""

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRank(Unfitted):
    """Differences of data sets, re-weighted, with a pseudo data set of weight `pseudo` that has none."""

    pseudo: float = PSEUDO_WEIGHT

    name = "signed_rank"
    fitted_to = "scores of data sets"
    fitted_by = "rw.compare_datasets"
    no_factor = "re-weighted data sets have no prior of a difference"

    @property
    def prior(self) -> str:
        """The prior in one line of formulas."""
        return f"w ~ Dir({self.pseudo:g}, 1, …, 1), the first for a pseudo data set without a difference"

    @property
    def title(self) -> str:
        """The name as people say it."""
        return "signed-rank"

    @property
    def description(self) -> str:
        """Who thought of it, and what it takes as unknown."""
        return (
            "The distribution of data sets is unknown: a Dirichlet process re-weights those that were seen, with a "
            "pseudo data set without a difference. What is asked is where the average difference of two data sets "
            "lies, the statistic of the signed-rank test (Benavoli, Corani, Demšar and Zaffalon 2017)."
        )


@dataclass(frozen=True, slots=True, eq=False)
class SignedRankPairs:
    """Which pairs of data sets, the pseudo one first, lie above a ROPE and which below: places in the sorted order.

    Data set i makes pairs above with all from place `above[0][i]` on, and half of one between it and `above[1][i]`;
    pairs below with all up to `below[0][i]`, likewise.
    """

    order: IntArray
    above: tuple[IntArray, IntArray]
    below: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, differences: FloatArray, rope: Interval) -> SignedRankPairs:
        """Return the pairs of one difference A − B a data set."""
        z = np.concatenate([[0.0], differences])
        order = np.argsort(z, kind="stable")
        ordered = z[order]
        near = _ROUNDING * max(float(np.abs(z).max()), *(abs(end) for end in rope if np.isfinite(end)), 0.0)

        def places(edge: float) -> tuple[IntArray, IntArray]:
            rest = 2 * edge - ordered
            return np.searchsorted(ordered, rest - near, "left"), np.searchsorted(ordered, rest + near, "right")

        return cls(order, places(rope.high), places(rope.low))

    def shares(self, weights: FloatArray) -> FloatArray:
        """Return the shares of pairs below, inside and above, (3, D), for weights (1 + q, D) that sum to 1."""
        ordered = weights[self.order]
        upto = np.zeros((len(weights) + 1, weights.shape[1]))
        np.cumsum(ordered, axis=0, out=upto[1:])
        total = upto[-1]
        above = total**2 - _both(ordered, upto, self.above)
        below = _both(ordered, upto, self.below)
        return np.stack([below, np.maximum(total**2 - below - above, 0.0), above])

    def expected(self, pseudo: float = PSEUDO_WEIGHT) -> Regions:
        """Return the expected shares: the probabilities for the average of two further data sets, in closed form.

        Examples
        --------
        >>> z = np.array([-0.008, -0.018, 0.003, 0.016, 0.031, 0.01, -0.003, -0.008, 0.023, 0.041, 0.013, -0.017])
        >>> found = SignedRankPairs.of(z, Interval(-0.01, 0.01)).expected()
        >>> print(f"{found.below:.4f} {found.inside:.4f} {found.above:.4f}")
        0.1007 0.5022 0.3970
        """
        shapes = np.ones((self.order.size, 1))
        shapes[0] = pseudo
        total = float(shapes.sum())
        # E w_i w_j = a_i a_j / (A (A + 1)), and a_i more on the diagonal: a pair of a data set with itself.
        rows = np.arange(self.order.size)
        own = shapes[self.order, 0]
        alone_above, alone_below = ((_at(rows, places) * own).sum() for places in (self.above, self.below))
        below, _, above = self.shares(shapes)[:, 0]
        scale = total * (total + 1)
        below, above = (below + alone_below) / scale, (above + own.sum() - alone_above) / scale
        return Regions(float(below), float(max(1 - below - above, 0.0)), float(above))


def _both(ordered: FloatArray, upto: FloatArray, places: tuple[IntArray, IntArray]) -> FloatArray:
    """Return the weight of pairs that lie below an edge, those on it half."""
    low, high = places
    tied = np.flatnonzero(low < high)
    below = np.einsum("qd,qd->d", ordered, upto[low], optimize=False)
    return np.asarray(below + np.einsum("qd,qd->d", ordered[tied], upto[high[tied]] - upto[low[tied]]) / 2)


def _at(rows: IntArray, places: tuple[IntArray, IntArray]) -> FloatArray:
    """Return 1 where a data set itself lies below an edge, ½ where it lies on it."""
    low, high = places
    return np.asarray(((rows < low).astype(float) + (rows < high)) / 2)
