"""A posterior as a small picture for a terminal or a card: on every axis the right side is where A is better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.report.document import name
from ropewalk.report.pictures import Axis, bulk, view
from ropewalk.results import Comparison, MetricPosterior, Recipe
from ropewalk.text.units import Shown
from ropewalk.typing import FloatArray

MIN_COLUMNS: Final = 24


@dataclass(frozen=True, slots=False, kw_only=True, eq=False)
class Sketch:
    """The draws of an improvement in the unit that people read, sorted, with what is drawn around them.

    `a` and `b` are what is on the right and the left, and `word` what they are there. `rope` is None without one; an
    end of it may be infinite.
    """

    ordered: FloatArray
    shown: Shown
    a: str
    b: str
    rope: Interval | None = None
    word: str = "better"

    @property
    def left(self) -> str:
        """What the left direction means."""
        return f"{name(self.b)} {self.word}".strip()

    @property
    def right(self) -> str:
        """What the right direction means."""
        return f"{name(self.a)} {self.word}".strip()

    @cached_property
    def axis(self) -> Axis:
        """The part of the numbers that is drawn: the posterior, and 0 and the ROPE where they are near."""
        hdi = Interval(self.shown.low, self.shown.high)
        return view(bulk(self.ordered, hdi), [0.0, *(self.rope or ())])

    def heights(self, columns: int) -> FloatArray:
        """Return the density in so many columns, the highest being 1."""
        edges = np.linspace(self.axis.low, self.axis.high, columns + 1)
        counts = np.diff(np.searchsorted(self.ordered, edges)).astype(float)
        if columns > MIN_COLUMNS:  # neighbours share a draw's place, so that the outline is not ragged
            counts = np.convolve(np.pad(counts, 1, mode="edge"), [0.25, 0.5, 0.25], mode="valid")
        return counts / max(float(counts.max()), 1.0)

    def column(self, value: float, columns: int) -> int | None:
        """Return the column of a value; None for one that is not on the axis."""
        if not self.axis.holds(value):
            return None
        return min(int((value - self.axis.low) / (self.axis.high - self.axis.low) * columns), columns - 1)

    def clipped(self, value: float, columns: int) -> int:
        """Return the column of a value; what lies outside stands at the end."""
        at = self.column(min(max(value, self.axis.low), self.axis.high), columns)
        assert at is not None  # noqa: S101 - it has been moved onto the axis
        return at


def sketch_of(c: Comparison) -> Sketch | None:
    """Return the sketch of a comparison; None where the draws have no spread to show."""
    return _sketch(c.draws.delta(), c.delta, c.recipe, a=c.a, b=c.b)


def sketch_from_bar(m: MetricPosterior) -> Sketch | None:
    """Return the sketch of how far a score lies from its bar; None without one."""
    if m.bar is None:
        return None
    delta = m.estimate.shifted(-m.bar)
    return _sketch(m.draws.psi[0] - m.bar, delta, m.recipe, a="better", b="worse", word="than the bar")


def _sketch(
    values: FloatArray, estimate: Estimate, recipe: Recipe, *, a: str, b: str, word: str = "better"
) -> Sketch | None:
    unit, up = recipe.unit, recipe.metric.higher_is_better
    delta = np.sort(values) * (unit.scale if up else -unit.scale)
    ordered = delta if up else delta[::-1]
    if not ordered.size or not math.isfinite(float(ordered[0] + ordered[-1])):
        return None
    rope = recipe.rope
    if rope is not None:
        rope = rope if up else rope.mirrored()
        rope = Interval(rope.low * unit.scale, rope.high * unit.scale)
    shown = Shown.of(estimate, unit, mirror=not up)
    return Sketch(ordered=ordered, shown=shown, a=a, b=b, word=word, rope=rope)
