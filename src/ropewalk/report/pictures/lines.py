"""Pictures of lines: the draws of Markov chains in order, and what more items would bring."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk.draws.density import kernel, scott
from ropewalk.draws.intervals import hdi
from ropewalk.report.document import name
from ropewalk.report.pictures.axes import LETTER_PX, Axis, Tick, area, bulk, decimals_of, line, round_step, view
from ropewalk.results import MoreData, PowerRow
from ropewalk.text.names import count_of
from ropewalk.text.numbers import number, percent, share_text
from ropewalk.text.verdicts import Verdict
from ropewalk.typing import FloatArray, IntArray

MAX_TRACE_DRAWS: Final = 500  # of a chain, so that a page stays small
MAX_CHAINS: Final = 12  # beyond which nobody tells lines apart
PROB: Final = 0.95  # of the HDI by which long tails are description
TRACE_HEIGHT: Final = 200  # units from the bottom of the picture to its top
DENSITY_WIDTH: Final = 100  # units of the highest density
DENSITY_POINTS: Final = 80
MAX_TRACE_TICKS: Final = 5
LOOKS: Final = 4  # colours, and as many ways to dash a line
MAX_MARKS: Final = 200
SETTLED: Final = (Verdict.A_BETTER, Verdict.EQUIVALENT, Verdict.B_BETTER)
ROUGH_SIMULATIONS: Final = 1_000  # that an extrapolated probability is printed like, however many draws it rests on
TOP_PX: Final = 10  # above the picture
HEIGHT_PX: Final = 160
MIN_FACTOR_OF_LOG_AXIS: Final = 20.0  # from so many times the fewest items on, the axis is one of factors
MARGIN: Final = 0.03
SCREENS_PX: Final = ((300.0, True), (640.0, False))  # across, and whether a narrow screen still shows the tick
TICK_GAP_PX: Final = 10.0
MAX_SIZE_TICKS: Final = 6
_CLASSES: Final = ("high", "mid", "low", "open")


# -- chains -----------------------------------------------------------------------------------------------


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
    description: str
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
    axis, chains, at, step = chain_numbers(values, MAX_TRACE_DRAWS)
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
    means, tick_step = values.mean(axis=1), round_step((axis.high - axis.low) / MAX_TRACE_TICKS)
    places = decimals_of(tick_step)
    low, high = (number(float(end), places + 1, sign=signed) for end in (means.min(), means.max()))
    description = f"Draws of {label} in {count_of(n_chains, 'chain')}, in order, and the density of each."
    description += f" The means of the chains lie between {low} and {high}." if n_chains > 1 else f" Mean {low}."
    return Trace(
        key=key,
        label=label,
        description=description,
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
    whole: list[int] = np.rint(TRACE_HEIGHT * (1 - shares)).astype(np.int64).tolist()
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
    return "".join(f"M{x:g} {TRACE_HEIGHT}v-12" for x in places.tolist())


def _caption(n_chains: int, n_draws: int, step: int, shown: int, diverging: Any) -> str:
    thinned = "" if step == 1 else f", one in {step:,} shown"
    every = "the chain" if n_chains == 1 else "each chain"
    description = f"Left, the {n_draws:,} draws of {every} in order{thinned}; right, the density of {every}."
    if shown < n_chains:
        description += f" {shown} of {n_chains:,} chains are drawn, from the lowest mean to the highest."
    if n_chains > 1:
        description += " Chains that agree lie on one another."
    if diverging is not None and np.asarray(diverging).any():
        description += " Ticks at the bottom mark draws that diverged."
    return description


# -- more items --------------------------------------------------------------------------------------------


def is_wide(sizes: Sequence[float]) -> bool:
    """Whether numbers of items lie so far apart that their axis is one of factors.

    Examples
    --------
    >>> is_wide([100, 500]), is_wide([100, 5_000])
    (False, True)
    """
    return max(sizes) >= MIN_FACTOR_OF_LOG_AXIS * min(sizes)


def stacked(shares: FloatArray) -> FloatArray:
    """Return the edges of shares (rows, kinds) that are stacked upon each other: (kinds + 1, rows), from 0 up to 1.

    Examples
    --------
    >>> stacked(np.array([[0.25, 0.5]])).T.tolist()
    [[0.0, 0.25, 0.75]]
    """
    tops = np.minimum(np.cumsum(shares, axis=1), 1.0)
    return np.concatenate([np.zeros((len(shares), 1)), tops], axis=1).T


@dataclass(frozen=True, slots=True)
class Point:
    """One number of items: where it stands in per cent, and its share and interval in pixels from the top."""

    at: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """One picture; what is empty is left out. `description` is what it shows, for those who do not see it."""

    head: str
    description: str
    caption: str
    axis_name: str
    ticks: tuple[Tick, ...]
    areas: tuple[tuple[str, str], ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    band: str = ""
    line: str = ""
    points: tuple[Point, ...] = ()
    target: float | None = None
    target_text: str = ""
    answer: float | None = None


@dataclass(frozen=True, slots=True)
class _Sizes:
    """An axis of numbers of items; of factors where they are far apart."""

    low: float
    high: float
    factors: bool

    @classmethod
    def of(cls, sizes: Sequence[int], margin: float) -> _Sizes:
        factors = is_wide(sizes)
        ends = [math.log10(size) if factors else float(size) for size in (sizes[0], sizes[-1])]
        room = margin * (ends[1] - ends[0])
        return cls(ends[0] - room, ends[1] + room, factors)

    def at(self, size: float) -> float:
        """Return where a number of items stands, from 0 to 1; outside it may lie beyond."""
        value = math.log10(size) if self.factors else size
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> tuple[Tick, ...]:
        """Return round numbers, as many as have room; first those that a narrow screen has room for."""
        placed: dict[float, tuple[str, bool]] = {}
        for width, major in SCREENS_PX:
            for size in self._round():
                text, at = f"{size:,.0f}", self.at(size)
                # At the ends of the axis a text stands beside its place, so half as much again is kept free.
                if all(
                    abs(at - other) * width >= 0.75 * LETTER_PX * (len(text) + len(taken)) + TICK_GAP_PX
                    for other, (taken, _) in placed.items()
                ):
                    placed[at] = text, major
        return tuple(Tick(round(100 * at, 3), *placed[at]) for at in sorted(placed))

    def _round(self) -> list[float]:
        if self.factors:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            # Powers of ten come first, where there is no room for all.
            rounds = [step * 10.0**power for step in (1, 2, 5) for power in powers]
        else:
            step = max(round_step((self.high - self.low) / MAX_SIZE_TICKS), 1.0)
            rounds = [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        return [size for size in rounds if size > 0 and 0 <= self.at(size) <= 1]


def shown_share(share: float, row: PowerRow, *, rough: bool) -> str:
    """Write a probability of a row, no finer than simulations carry, or than an extrapolation deserves."""
    return percent(share, ROUGH_SIMULATIONS) if rough else share_text(share, row.simulations)


def undecided(row: PowerRow) -> float:
    """Return the share of inconclusive verdicts."""
    return sum(share for verdict, share in row.decisions.items() if not verdict.conclusive)


def power_picture(
    rows: Sequence[PowerRow], kind: str, goal: str, *, target: float | None = None, answer: int | None = None
) -> Prospect | None:
    """Draw how often the goal is reached against the number of items; None where there is but one."""
    rows = sorted(rows, key=lambda row: row.n)
    if len(rows) < 2:  # noqa: PLR2004
        return None
    axis = _Sizes.of([row.n for row in rows], MARGIN)
    what = f"{kind.capitalize()}: how often {goal} is reached"
    x = np.array([axis.at(row.n) for row in rows])
    low, share, high = (np.array([getattr(row, part) for row in rows]) for part in ("low", "power", "high"))
    first, last = (f"{share_text(row.power, row.simulations)} with {row.n:,}" for row in (rows[0], rows[-1]))
    caption = f"{what}. Dots are simulated; the bars, and the band, are their 95% intervals."
    if target is not None:
        caption += " The dotted line is what was asked for"
        caption += "." if answer is None else ", the dashed one the answer."
    elif answer is not None:
        caption += " The dashed line is the answer."
    return Prospect(
        head=f"{kind.capitalize()} against the number of items",
        description=f"{what}, against the number of items: from {first} to {last}",
        caption=caption,
        axis_name="items",
        ticks=axis.ticks(),
        band=area(x, low, high),
        line=line(x, share),
        points=tuple(
            Point(round(100 * axis.at(row.n), 3), _down(row.power), _down(row.low), _down(row.high)) for row in rows
        ),
        target=None if target is None else _down(target),
        target_text="" if target is None else f"{100 * target:g}%",
        answer=_within(axis, answer),
    )


def verdict_picture(more: MoreData, *, head: str = "") -> Prospect | None:
    """Draw the probability of each verdict against the number of new items; None where there is but one number."""
    rows = sorted(more.rows, key=lambda row: row.n)
    if len(rows) < 2:  # noqa: PLR2004
        return None
    axis = _Sizes.of([row.n for row in rows], 0.0)
    x = np.array([axis.at(row.n) for row in rows])
    shares = np.array([[*(row.decisions.get(verdict, 0.0) for verdict in SETTLED), undecided(row)] for row in rows])
    edges = stacked(shares)
    a, b = map(name, more.design.names)
    words = (f"{a} better", "practically equivalent", f"{b} better", "undecided")
    last = rows[-1]
    rough = more.method == "extrapolation"
    ends = ", ".join(
        f"{word} {shown_share(share, last, rough=rough)}" for word, share in zip(words, shares[-1], strict=True)
    )
    caption = f"Probability of each verdict after more {more.unit}, {'extrapolated' if rough else 'simulated'}."
    answer = _within(axis, more.n)
    return Prospect(
        head=head or f"Verdicts against the number of new {more.unit}",
        description=f"Probability of each verdict against the number of new {more.unit}. After {last.n:,}: {ends}",
        caption=caption if answer is None else f"{caption} The dashed line is the answer.",
        axis_name=f"more {more.unit}",
        ticks=axis.ticks(),
        areas=tuple(
            (kind, area(x, below, above)) for kind, below, above in zip(_CLASSES, edges[:-1], edges[1:], strict=True)
        ),
        legend=tuple(zip(_CLASSES, words, strict=True)),
        answer=answer,
    )


def _down(share: float) -> float:
    return round(TOP_PX + HEIGHT_PX * (1 - share), 2)


def _within(axis: _Sizes, size: int | None) -> float | None:
    """Return where an answer stands, in per cent, if it is on the axis."""
    if not size:
        return None
    at = axis.at(size)
    return round(100 * at, 3) if 0 <= at <= 1 else None
