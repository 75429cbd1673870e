"""Sethuraman's sticks: split prior mass over more cells than one would care to list, exactly.

A Dirichlet(a·w) with weights w that sum to 1 is Σ V_i Π_{l<i} (1 − V_l) δ(cell i), V_i ~ Beta(1, a), cells drawn
independently from w, repeats allowed. And Dirichlet(counts + a·w) = B·Dirichlet(counts) + (1 − B)·Dirichlet(a·w) with
B ~ Beta(Σ counts, a). So the observed cells need their counts alone, the prior a few sticks, and the cost does not
grow with the number of cells that nobody ever saw.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ropewalk.draws.blocks import GammaRows
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Sums
from ropewalk.typing import CodeArray, FloatArray, IntArray

UNPLACED: Final = 1e-6
"""Stick-breaking stops when less than this share of the whole draw is left; the last stick takes the rest."""

_UNPLACED_IN_CLASS: Final = 1e-5  # and less than this share of the class, however rare it is


_MOST_MASS: Final = 50.0

SMALLEST_SHARE: Final = 1e-250
"""A share that underflows to 0 would take what happens within its class with it."""


@dataclass(frozen=True)
class CountedCells:
    """Observed cells in groups, each group with a Dirichlet(counts + prior), ordered by count."""

    codes: CodeArray
    group: IntArray
    n_groups: int
    gammas: GammaRows

    @classmethod
    def of(cls, codes: CodeArray, counts: IntArray, group: IntArray, n_groups: int) -> CountedCells:
        """Order the cells by count, so that those of one count are drawn together."""
        order = np.argsort(counts, kind="stable")
        return cls(codes[order], group[order], n_groups, GammaRows.of(counts[order].astype(np.float64)))

    @cached_property
    def _by_group(self) -> Sums:
        return Sums(self.group, np.arange(len(self.group)), (self.n_groups, len(self.group)))

    def draw(self, rng: np.random.Generator, masses: FloatArray, prior: float) -> tuple[FloatArray, FloatArray]:
        """Split each group's mass (G, D) over its cells; return their weights (C, D) and what is beside them (G, D).

        Beside them lies the part of a prior of total mass `prior`, still to be broken into sticks.
        """
        weights = self.gammas.draw(rng, masses.shape[1])
        beside = np.maximum(rng.standard_gamma(prior, masses.shape), SMALLEST_SHARE)
        scale = masses / (self._by_group @ weights + beside)
        weights *= scale.take(self.group, axis=0)  # unlike an index, take lets other threads run
        beside *= scale
        return weights, beside


def check_sticks(mass: float, name: str) -> None:
    """Refuse a prior mass that would break into thousands of sticks: about 14 for every pseudo-item."""
    if mass > _MOST_MASS:
        raise InvalidInputError(
            f"`{name}` must be at most {_MOST_MASS:g} pseudo-items here; got {mass:g}.",
            hint="a prior so heavy would drown the data, and take for ever to draw.",
        )


def break_sticks(
    rng: np.random.Generator, mass: FloatArray, concentration: float | FloatArray, classes: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Break each `mass` into sticks; return which mass every stick is of, and its length.

    Every mass has at least one stick, and the sticks of a mass add up to it. `classes` are the shares of the classes
    that the masses are of: the end of the last stick must be small beside them too.

    Examples
    --------
    >>> mass = np.array([0.3, 0.7])
    >>> of, length = break_sticks(np.random.default_rng(0), mass, 1.0, mass)
    >>> bool(np.allclose(np.bincount(of, length), [0.3, 0.7]))
    True
    """
    active = np.arange(mass.size)
    left, floor = mass, np.minimum(_UNPLACED_IN_CLASS * classes, UNPLACED)
    power = 1.0 / np.asarray(concentration, dtype=np.float64)
    owners, lengths = [], []
    while active.size:
        rest = rng.random(active.size)
        if power.ndim or power != 1.0:
            rest **= power
        rest *= left  # 1 − V ~ U^(1/a) stays, V goes to the stick
        again = rest > floor
        owners.append(active)
        lengths.append(np.subtract(left, rest, out=left.copy(), where=again))  # the last stick takes all
        keep = np.flatnonzero(again)
        active, left, floor = active.take(keep), rest.take(keep), floor.take(keep)
        if power.ndim:
            power = power.take(keep)
    if not owners:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    return np.concatenate(owners), np.concatenate(lengths)
