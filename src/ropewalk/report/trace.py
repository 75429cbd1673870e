"""The draws of Markov chains as a picture: each chain in order, and beside it the density of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ropewalk.report.geometry import Axis, axis_of, round_step
from ropewalk.text.names import count_of
from ropewalk.text.numbers import number
from ropewalk.typing import FloatArray, IntArray

_POINTS: Final = 500  # of a chain, so that a page stays small
_DRAWN: Final = 12  # chains, beyond which nobody tells lines apart
_HIGH: Final = 200  # units from the bottom of the picture to its top
_WIDE: Final = 100  # units of the highest density
_BINS: Final = 80
_TICKS: Final = 5
_LOOKS: Final = 4  # colours, and as many ways to dash a line
_MARKS: Final = 200


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


def trace(
    key: str, label: str, values: FloatArray, diverging: Any = None, *, signed: bool = True, note: str = ""
) -> Trace:
    """Lay out chains (chains, draws) of a number; where there are more than 12, from the lowest mean to the highest."""
    n_chains, n_draws = values.shape
    shown = spread_chains(values)
    axis = axis_of(np.sort(values, axis=None), of_interest=())
    step = math.ceil(n_draws / _POINTS)
    at = np.arange(0, n_draws, step)
    densities = [_density(values[i], axis) for i in shown]
    top = max(float(density.max()) for density in densities) or 1.0
    lines = tuple(
        Line(
            name=f"chain {i + 1}",
            look=f"c{place % _LOOKS + 1} d{(place + place // _LOOKS) % _LOOKS + 1}",
            path=_path(_heights(values[i, at], axis)),
            density=_outline(density / top),
        )
        for place, (i, density) in enumerate(zip(shown, densities, strict=True))
    )
    means = values.mean(axis=1)
    places = _places(axis)
    ends = [number(float(end), places + 1, sign=signed) for end in (means.min(), means.max())]
    told = f"Draws of {label} in {count_of(n_chains, 'chain')}, in order, and the density of each."
    told += f" The means of the chains lie between {ends[0]} and {ends[1]}." if n_chains > 1 else f" Mean {ends[0]}."
    return Trace(
        key=key,
        label=label,
        told=told,
        width=max(at.size - 1, 1),
        lines=lines,
        ticks=tuple((round(100 - axis.at(value), 3), number(value, places, sign=signed)) for value in _values(axis)),
        marks=_marks(diverging, n_draws, at.size - 1),
        caption=_caption(n_chains, n_draws, step, len(shown), diverging) + note,
    )


def spread_chains(values: FloatArray) -> list[int]:
    """Return which chains to draw: all, or of many those whose means run from the lowest to the highest."""
    n_chains = len(values)
    if n_chains <= _DRAWN:
        return list(range(n_chains))
    by_mean = np.argsort(values.mean(axis=1), kind="stable")
    picked: IntArray = by_mean[np.linspace(0, n_chains - 1, _DRAWN).round().astype(np.int64)]
    return sorted(picked.tolist())


def _heights(values: FloatArray, axis: Axis) -> list[int]:
    """Return how far below the top of the picture values lie; what is out of sight lies at its edge."""
    shares = np.clip((values - axis.low) / (axis.high - axis.low), 0.0, 1.0)
    whole: list[int] = np.rint(_HIGH * (1 - shares)).astype(np.int64).tolist()
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


def _density(draws: FloatArray, axis: Axis) -> FloatArray:
    """Return a smooth density of draws along the axis: counts in fine bins, smeared by Scott's bandwidth."""
    counts = np.histogram(draws, _BINS, (axis.low, axis.high))[0].astype(np.float64)
    spread = float(draws.std()) * draws.size ** (-1 / 5) / (axis.high - axis.low) * _BINS
    width = max(spread, 0.5)
    reach = min(math.ceil(4 * width), (_BINS - 1) // 2)  # a bell that is no longer than what it smears
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    smooth: FloatArray = np.convolve(counts, bell, mode="same") / bell.sum()
    return smooth


def _outline(density: FloatArray) -> str:
    """Return a density between 0 and 1 as a line that lies on its side."""
    heights = (np.arange(_BINS) + 0.5) * (_HIGH / _BINS)
    points = [f"{_WIDE * x:.0f} {_HIGH - y:.0f}" for x, y in zip(density.tolist(), heights.tolist(), strict=True)]
    return f"M{' '.join(points)}"


def _places(axis: Axis) -> int:
    return max(0, -math.floor(math.log10(round_step((axis.high - axis.low) / _TICKS)) + 1e-9))


def _values(axis: Axis) -> list[float]:
    """Return round numbers along the axis."""
    step = round_step((axis.high - axis.low) / _TICKS)
    first, last = math.ceil(axis.low / step), math.floor(axis.high / step)
    return [k * step for k in range(first, last + 1)]


def _marks(diverging: Any, n_draws: int, width: int) -> str:
    """Return ticks at the bottom where any chain diverged; those that would fall on one another are one."""
    if diverging is None:
        return ""
    where = np.flatnonzero(np.asarray(diverging).any(axis=0)) / max(n_draws - 1, 1)
    places = np.unique(np.rint(where * _MARKS)) / _MARKS * max(width, 1)
    return "".join(f"M{x:g} {_HIGH}v-12" for x in places.tolist())


def _caption(n_chains: int, n_draws: int, step: int, shown: int, diverging: Any) -> str:
    thinned = "" if step == 1 else f", one in {step:,} shown"
    each = "the chain" if n_chains == 1 else "each chain"
    told = f"Left, the {n_draws:,} draws of {each} in order{thinned}; right, the density of {each}."
    if shown < n_chains:
        told += f" {shown} of {n_chains:,} chains are drawn, from the lowest mean to the highest."
    if n_chains > 1:
        told += " Chains that agree lie on one another."
    if diverging is not None and np.asarray(diverging).any():
        told += " Ticks at the bottom mark draws that diverged."
    return told
