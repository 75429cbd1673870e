"""Posteriors of one number: their regions and bins, as pages and plots draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Final

import numpy as np

from ropewalk.draws.decision import Piece
from ropewalk.draws.density import Bars, bars
from ropewalk.draws.intervals import Estimate, Interval, Regions, count_below, region_masses
from ropewalk.report import pictures
from ropewalk.report.pictures import Axis, Span, Tick, rope_span
from ropewalk.results import Comparison, MetricPosterior
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import decimals, number, percent
from ropewalk.typing import FloatArray

MIN_SHARE_SAID: Final = 0.002  # more than this beyond the ends of the picture is worth saying
NEEDLE: Final = 0.01  # width of a bar that stands for one value, as a share of the axis


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One posterior, ready to be drawn."""

    key: str
    label: str
    ticks: tuple[Tick, ...]
    outline: str
    zero: float | None
    zero_text: str
    hdi: Span
    rope: Span | None
    split: float | None
    outside: str
    mass: str


# -- the numbers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Region:
    """The sorted draws of one region, its colour, and its ends, which may be infinite."""

    colour: str
    ends: Interval
    draws: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posterior:
    """Draws of one number of an `answer`, in the order in which they were made and sorted.

    `origin` is what the number is compared with: 0, a bar, or nothing. The ROPE of the question lies around it.
    `signed` numbers are differences. `regions` go from left to right.
    """

    answer: Comparison | MetricPosterior
    values: FloatArray
    ordered: FloatArray
    estimate: Estimate
    origin: float | None
    signed: bool
    regions: tuple[Region, ...]

    @property
    def rope(self) -> Interval | None:
        """The ROPE on the axis of the draws."""
        rope = self.answer.question.rope
        return None if rope is None or self.origin is None else _moved(rope, self.origin)

    @property
    def mass(self) -> str:
        """The mass of the intervals."""
        return f"{100 * self.answer.recipe.prob:g}%"

    @property
    def shown(self) -> Interval:
        """The range of the draws that a picture shows: all but long tails."""
        return pictures.bulk(self.ordered, self.estimate.hdi)

    def view(self, rope: Interval | None) -> Axis:
        """Return an axis that shows the draws, and a ROPE and the origin if they are near."""
        return pictures.view(self.shown, [*(rope or ()), *([] if self.origin is None else [self.origin])])

    def histogram(self, axis: Axis) -> list[Bars]:
        """Return the bars of each region; where all draws are equal, a needle as thin as the axis demands."""
        shown = self.shown
        if shown.low < shown.high:
            return [bars(region.draws, self.ordered, region=region.ends, shown=shown) for region in self.regions]
        half = NEEDLE * (axis.high - axis.low) / 2
        return [Bars(np.array([shown.low - half, shown.low + half]), np.ones(1))]

    def share_beyond(self, axis: Interval) -> float:
        """Return the share of the draws that lie beyond the ends of an axis; 0 where that is not worth saying."""
        n = self.ordered.size
        out = count_below(self.ordered, axis.low) + n - count_below(self.ordered, axis.high, inclusive=True)
        return out / n if out >= MIN_SHARE_SAID * n else 0.0


@singledispatch
def posterior_of(result: Any) -> Posterior:
    """Return the numbers behind the picture of a difference or of a single score."""
    raise TypeError(type(result).__name__)


@posterior_of.register(Comparison)
def _(c: Comparison) -> Posterior:
    values = c.draws.delta()
    ordered, edges = np.sort(values), c.rope if c.rope is not None and c.regions is not None else Interval(0.0, 0.0)
    # The draws of an exact answer have other shares than its regions, by as much as they err.
    known = None if c.delta.is_exact else c.regions
    parts = _three(ordered, edges, known or region_masses(ordered, edges))
    return Posterior(answer=c, values=values, ordered=ordered, estimate=c.delta, origin=0.0, signed=True, regions=parts)


@posterior_of.register(MetricPosterior)
def _(m: MetricPosterior) -> Posterior:
    values, rope, bar = m.draws.psi[0], m.question.rope, m.bar
    ordered = np.sort(values)
    parts: tuple[Region, ...] = (Region(colour=pictures.LINE, ends=Interval(-math.inf, math.inf), draws=ordered),)
    if m.regions is not None and rope is not None and bar is not None:
        parts = _three(ordered, _moved(rope, bar), m.regions)
    elif m.prob_at_least is not None and bar is not None:
        parts = _three(ordered, Interval(bar, bar), Regions(1.0 - m.prob_at_least, 0.0, m.prob_at_least))
    return Posterior(
        answer=m, values=values, ordered=ordered, estimate=m.estimate, origin=bar, signed=False, regions=parts
    )


def _moved(rope: Interval, origin: float) -> Interval:
    return Interval(rope.low + origin, rope.high + origin)


def _three(ordered: FloatArray, edges: Interval, masses: Regions) -> tuple[Region, ...]:
    """Share sorted draws out among three regions, by the masses that the result holds; leave out those without any."""
    first = round(masses.below * ordered.size)
    second = ordered.size - round(masses.above * ordered.size)
    regions = (
        Region(colour=pictures.BELOW, ends=Interval(-math.inf, edges.low), draws=ordered[:first]),
        Region(colour=pictures.INSIDE, ends=edges, draws=ordered[first:second]),
        Region(colour=pictures.ABOVE, ends=Interval(edges.high, math.inf), draws=ordered[second:]),
    )
    return tuple(region for region in regions if region.draws.size)


def verdict_stretches(path: Sequence[Piece] | None, top: float) -> list[tuple[float, float, Verdict]]:
    """Return from where to where each verdict holds, for half-widths of the ROPE up to `top`."""
    stretches = [
        (piece.start, top if piece.stop is None else min(piece.stop, top), piece.verdict) for piece in path or ()
    ]
    return [(start, stop, verdict) for start, stop, verdict in stretches if start < stop]


# -- the page ----------------------------------------------------------------------------------------------


def panel(key: str, posterior: Posterior, *, label: str) -> Panel:
    """Lay out a posterior as a histogram."""
    estimate, rope, origin = posterior.estimate, posterior.rope, posterior.origin
    axis = posterior.view(rope)
    places, worth = decimals(estimate), estimate.worth(posterior.ordered.size)
    (low, high), ends = estimate.hdi, [number(end, places, sign=posterior.signed) for end in estimate.hdi]
    beyond = posterior.share_beyond(axis)
    return Panel(
        key=key,
        label=label,
        ticks=axis.ticks(sign=posterior.signed),
        outline=pictures.outline(posterior.histogram(axis), axis),
        zero=axis.at(origin) if origin is not None and axis.holds(origin) else None,
        zero_text=f"{origin or 0.0:g}",
        hdi=Span(low=axis.at(low), high=axis.at(high), low_text=ends[0], high_text=ends[1]),
        rope=None if rope is None else rope_span(rope, axis),
        split=axis.at(origin) if origin is not None and rope is None else None,
        outside=f"{percent(beyond, worth)} of the draws lie beyond the picture." if beyond else "",
        mass=posterior.mass,
    )
