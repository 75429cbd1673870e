"""The draws of Markov chains as a picture: each chain in order, and beside it the density of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk.draws.density import kernel, scott
from ropewalk.draws.intervals import hdi
from ropewalk.report.pictures.axes import Axis, bulk, decimals_of, round_step, view
from ropewalk.text.names import count_of
from ropewalk.text.numbers import number
from ropewalk.typing import FloatArray, IntArray

MAX_DRAWS: Final = 500  # of a chain, so that a page stays small
MAX_CHAINS: Final = 12  # beyond which nobody tells lines apart
PROB: Final = 0.95  # of the HDI by which long tails are told
HEIGHT: Final = 200  # units from the bottom of the picture to its top
DENSITY_WIDTH: Final = 100  # units of the highest density
DENSITY_POINTS: Final = 80
MAX_TICKS: Final = 5
LOOKS: Final = 4  # colours, and as many ways to dash a line
MAX_MARKS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One chain: how it looks, its draws and its density as paths."""

    name: str
    look: str
    path: str
    density: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One number's chains, ready to be drawn in units of (`width`, 200); `ticks` are per cent from the top."""

    key: str
    label: str
    told: str
    width: int
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]
    marks: str
    caption: str


class ChainNumbers(NamedTuple):
    """Which chains, and which of their draws, a picture shows, along which axis."""

    axis: Axis
    chains: list[int]
    at: IntArray
    step: int


def chain_numbers(values: FloatArray, max_draws: int) -> ChainNumbers:
    """Return what to show of chains (chains, draws): of many, those whose means run from the lowest to the highest."""
    n_chains, n_draws = values.shape
    chains = np.arange(n_chains)
    if n_chains > MAX_CHAINS:
        by_mean = np.argsort(values.mean(axis=1), kind="stable")
        chains = np.sort(by_mean[np.linspace(0, n_chains - 1, MAX_CHAINS).round().astype(np.int64)])
    step, ordered = math.ceil(n_draws / max_draws), np.sort(values, axis=None)
    return ChainNumbers(view(bulk(ordered, hdi(ordered, PROB))), chains.tolist(), np.arange(0, n_draws, step), step)


def divergent_draws(diverging: Any) -> IntArray:
    """Return the places of the draws at which any chain diverged."""
    return np.flatnonzero([] if diverging is None else np.asarray(diverging).any(axis=0))


def trace(
    key: str, label: str, values: FloatArray, diverging: Any = None, *, signed: bool = True, note: str = ""
) -> Trace:
    """Lay out chains (chains, draws) of a number; where there are more than 12, from the lowest mean to the highest."""
    n_chains, n_draws = values.shape
    axis, chains, at, step = chain_numbers(values, MAX_DRAWS)
    grid = np.linspace(axis.low, axis.high, 2 * DENSITY_POINTS + 1)[1::2]
    finest = (axis.high - axis.low) / DENSITY_POINTS / 2
    densities = [kernel(values[i], grid, max(scott(values[i]), finest)) for i in chains]
    top = max(float(density.max()) for density in densities) or 1.0
    lines = tuple(
        Line(
            name=f"chain {i + 1}",
            look=f"c{place % LOOKS + 1} d{(place + place // LOOKS) % LOOKS + 1}",
            path=_path(_heights(values[i, at], axis)),
            density=_outline(density / top, _heights(grid, axis)),
        )
        for place, (i, density) in enumerate(zip(chains, densities, strict=True))
    )
    means, tick_step = values.mean(axis=1), round_step((axis.high - axis.low) / MAX_TICKS)
    places = decimals_of(tick_step)
    low, high = (number(float(end), places + 1, sign=signed) for end in (means.min(), means.max()))
    told = f"Draws of {label} in {count_of(n_chains, 'chain')}, in order, and the density of each."
    told += f" The means of the chains lie between {low} and {high}." if n_chains > 1 else f" Mean {low}."
    return Trace(
        key=key,
        label=label,
        told=told,
        width=max(at.size - 1, 1),
        lines=lines,
        ticks=tuple(
            (round(100 - axis.at(value), 3), number(value, places, sign=signed)) for value in axis.multiples(tick_step)
        ),
        marks=_marks(divergent_draws(diverging), n_draws, at.size - 1),
        caption=_caption(n_chains, n_draws, step, len(chains), diverging) + note,
    )


def _heights(values: FloatArray, axis: Axis) -> list[int]:
    """Return how far below the top of the picture values lie; what is out of sight lies at its edge."""
    shares = np.clip((values - axis.low) / (axis.high - axis.low), 0.0, 1.0)
    whole: list[int] = np.rint(HEIGHT * (1 - shares)).astype(np.int64).tolist()
    return whole


def _path(heights: list[int]) -> str:
    """Return a line through heights one unit apart, in steps from one to the next: that takes the fewest letters.

    Examples
    --------
    >>> _path([3, 5, 1, 1])
    'M0 3l1 2 1-4 1 0'
    """
    steps = [after - before for before, after in pairwise(heights)]
    moves = [f"1{step}" if step < 0 else f"1 {step}" for step in steps]
    return f"M0 {heights[0]}" + (f"l{' '.join(moves)}" if moves else "h1")


def _outline(density: FloatArray, heights: list[int]) -> str:
    """Return a density between 0 and 1 as a line that lies on its side."""
    return f"M{' '.join(f'{DENSITY_WIDTH * x:.0f} {y}' for x, y in zip(density.tolist(), heights, strict=True))}"


def _marks(diverged: IntArray, n_draws: int, width: int) -> str:
    """Return ticks at the bottom where any chain diverged; those that would fall on one another are one."""
    places = np.unique(np.rint(diverged / max(n_draws - 1, 1) * MAX_MARKS)) / MAX_MARKS * max(width, 1)
    return "".join(f"M{x:g} {HEIGHT}v-12" for x in places.tolist())


def _caption(n_chains: int, n_draws: int, step: int, shown: int, diverging: Any) -> str:
    thinned = "" if step == 1 else f", one in {step:,} shown"
    every = "the chain" if n_chains == 1 else "each chain"
    told = f"Left, the {n_draws:,} draws of {every} in order{thinned}; right, the density of {every}."
    if shown < n_chains:
        told += f" {shown} of {n_chains:,} chains are drawn, from the lowest mean to the highest."
    if n_chains > 1:
        told += " Chains that agree lie on one another."
    if diverging is not None and np.asarray(diverging).any():
        told += " Ticks at the bottom mark draws that diverged."
    return told
