"""The numbers behind pictures, computed once: the page turns them into SVG, `ropewalk.plots` into Matplotlib.

Here is what they share: colours, which part of an axis is shown, its ticks, shapes, sliders, and rows of intervals.
Places on a page are per cent of the width, so that letters keep their size on any screen.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from ropewalk.draws.decision import Decision, Piece
from ropewalk.draws.density import Bars
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import number
from ropewalk.typing import FloatArray

# Safe for the colour-blind: orange below, grey inside, blue above the ROPE.
BELOW: Final = "#b34700"
INSIDE: Final = "#767676"
ABOVE: Final = "#0072b2"
INK: Final = "#1b1b1b"
QUIET: Final = "#595959"
LINE: Final = "#d0d0d0"

WIDTH: Final = 1000  # of the inner drawings, stretched to the width of the page
HEIGHT: Final = 100
MAX_TICKS: Final = 8
ROUND_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
NEXT_STEP: Final = 1.5
WIDE_SCREEN_PX: Final = 640  # that a picture has at least
NARROW_SCREEN_SHARE: Final = 0.45  # of them are left on a narrow screen
LETTER_PX: Final = 7.2
TICK_GAP_PX: Final = 8
MAX_TAIL_SHARE: Final = 0.0005  # of the draws may lie beyond each end of a picture
MAX_TAIL_HDIS: Final = 2.0  # lengths of the HDI: what lies farther from it is a tail that would squeeze the rest
MAX_WIDENING: Final = 3.5  # how many times as wide as what must be shown a picture may get
MARGIN: Final = 0.04
SAME: Final = 1e-12
SLIDER_STEPS: Final = 200
MAX_SLIDER_STEPS: Final = 1_000
STEPS_BELOW_PRESET: Final = 4
SLIDER_REACH: Final = 1.25  # how far beyond the HDI the slider goes
BARS_PX: Final = 240  # that bars have on a wide screen, at least
LONE_SCALE: Final = 0.01  # where nothing else sets one


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis, and where it stands; narrow screens show only the `major` ones."""

    at: float
    text: str
    major: bool = True


@dataclass(frozen=True, slots=True)
class Axis(Interval):
    """A stretch of numbers, laid out from left to right."""

    def at(self, value: float) -> float:
        """Return where a value stands, in per cent; what lies outside stands at the end.

        Examples
        --------
        >>> Axis(-1.0, 3.0).at(0.0), Axis(0.0, 1.0).at(math.inf)
        (25.0, 100.0)
        """
        clipped = min(max(value, self.low), self.high)
        return round(100 * (clipped - self.low) / (self.high - self.low), 3)

    def holds(self, value: float) -> bool:
        """Whether a value is on the axis."""
        return self.low <= value <= self.high

    def ticks(self, *, sign: bool = False, width: int = WIDE_SCREEN_PX) -> tuple[Tick, ...]:
        """Return round numbers along an axis of so many pixels.

        As many as have room, and those that are `major` have room on a third of the width too.
        """
        span = self.high - self.low
        step = round_step(span / MAX_TICKS)
        while True:
            places, values = decimals_of(step), self.multiples(step)
            texts = [number(value, places, sign=sign) for value in values]
            room = width * step / span
            needed = LETTER_PX * max(map(len, texts), default=1) + TICK_GAP_PX
            if room >= needed or len(values) <= 2:  # noqa: PLR2004
                break
            step = round_step(step * NEXT_STEP)
        every = max(math.ceil(needed / (room * NARROW_SCREEN_SHARE)), 1)
        zero = next((i for i, value in enumerate(values) if value == 0), 0) % every
        return tuple(
            Tick(self.at(value), text, i % every == zero)
            for i, (value, text) in enumerate(zip(values, texts, strict=True))
        )

    def multiples(self, step: float) -> list[float]:
        """Return the multiples of a step that are on the axis."""
        return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def round_step(about: float) -> float:
    """Return the next round number from `about` on: 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> round_step(0.013), round_step(3.0)
    (0.02, 5.0)
    """
    scale = 10.0 ** math.floor(math.log10(about))
    return float(f"{next(step for step in ROUND_STEPS if step * scale >= about * (1 - 1e-9)) * scale:.6g}")


def decimals_of(step: float) -> int:
    """Return how many decimals the multiples of a round step need.

    Examples
    --------
    >>> decimals_of(0.02), decimals_of(5.0)
    (2, 0)
    """
    return max(0, -math.floor(math.log10(step) + 1e-9))


def bulk(ordered: FloatArray, hdi: Interval) -> Interval:
    """Return the range of sorted draws, without their last ones and without tails that go far beyond their HDI.

    Examples
    --------
    >>> bulk(np.array([-1.0, 0.0, 1.0, 99.0]), Interval(-1.0, 1.0))
    Interval(low=-1.0, high=5.0)
    """
    room = MAX_TAIL_HDIS * (hdi.high - hdi.low)
    if room <= 0:
        return Interval(float(ordered[0]), float(ordered[-1]))
    cut = int(MAX_TAIL_SHARE * ordered.size)
    low, high = min(float(ordered[cut]), hdi.low), max(float(ordered[-1 - cut]), hdi.high)
    return Interval(max(low, hdi.low - room), min(high, hdi.high + room))


def hull(intervals: Iterable[Interval], points: Iterable[float] = ()) -> Interval:
    """Return the shortest interval that holds all intervals and points.

    Examples
    --------
    >>> hull([Interval(0.0, 1.0), Interval(2.0, 3.0)], [-1.0])
    Interval(low=-1.0, high=3.0)
    """
    ends = [end for interval in intervals for end in (interval.low, interval.high)] + list(points)
    return Interval(min(ends), max(ends))


def view(shown: Interval, wanted: Iterable[float] = (), *, margin: float = MARGIN) -> Axis:
    """Widen what must be shown to what is worth seeing, nearest first, as long as the first stays visible.

    Examples
    --------
    >>> view(Interval(1.0, 2.0), [0.0, 100.0], margin=0.0)
    Axis(low=0.0, high=2.0)
    """
    low, high = shown
    values = [value for value in wanted if math.isfinite(value)]
    width = high - low
    if width <= SAME * max(abs(low), abs(high)):  # one value only: what is worth seeing sets the scale
        width = max([abs(value - low) for value in values] + [LONE_SCALE]) / 2
        low, high = low - width / 2, high + width / 2
    for value in sorted(values, key=lambda value: max(low - value, value - high)):
        if max(high, value) - min(low, value) <= MAX_WIDENING * width:
            low, high = min(low, value), max(high, value)
    room = margin * (high - low)
    return Axis(low - room, high + room)


def clipped(part: Interval, shown: Interval) -> Interval | None:
    """Return what is shown of an interval; None where nothing of it is.

    Examples
    --------
    >>> clipped(Interval(-0.02, math.inf), Interval(-1.0, 1.0)), clipped(Interval(2.0, 3.0), Interval(-1.0, 1.0))
    (Interval(low=-0.02, high=1.0), None)
    """
    low, high = max(part.low, shown.low), min(part.high, shown.high)
    return Interval(low, high) if low < high else None


def outline(histogram: Sequence[Bars], axis: Axis) -> str:
    """Return a histogram as an SVG path of 1000 × 100; the highest bin that is seen touches the top.

    Examples
    --------
    >>> outline([Bars(np.array([0.2, 0.5, 0.6]), np.array([1.0, 2.0]))], Axis(0.0, 1.0))
    'M200 100V50H500V0H600V100'
    """
    top = max((float(bars.heights.max()) for bars in histogram), default=1.0)
    paths = []
    for edges, heights in histogram:
        across = np.clip((edges - axis.low) / (axis.high - axis.low), 0.0, 1.0) * WIDTH
        down = HEIGHT * (1 - heights / top)
        steps = "".join(
            f"V{round(y, 1):g}H{round(x, 1):g}" for y, x in zip(down.tolist(), across[1:].tolist(), strict=True)
        )
        paths.append(f"M{round(float(across[0]), 1):g} 100{steps}V100")
    return "".join(paths)


def area(x: FloatArray, low: FloatArray, high: FloatArray) -> str:
    """Return the area between two curves as an SVG path; `x` runs from 0 to 1, heights from 0 to 1 upwards."""
    return f"{line(x, high)}L{line(x[::-1], low[::-1])[1:]}Z"


def line(x: FloatArray, y: FloatArray) -> str:
    """Return a curve as an SVG path; `x` runs from 0 to 1, `y` from 0 to 1 upwards."""
    return "M" + "L".join(f"{WIDTH * a:.0f} {HEIGHT * (1 - b):.1f}" for a, b in zip(x, y, strict=True))


# -- sliders -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of an axis, in per cent, and its ends in words."""

    low: float
    high: float
    low_text: str = ""
    high_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """A range of half-widths, as texts: a browser counts its steps in decimals."""

    low: str
    high: str
    step: str
    value: str
    preset: str


def rope_span(rope: Interval, axis: Axis) -> Span:
    """Return where the ROPE lies on an axis."""
    return Span(low=axis.at(rope.low), high=axis.at(rope.high))


def slider_of(rope: Interval, hdi: Interval, reach: float) -> Slider:
    """Return a slider from next to nothing to where all is equivalent, with the stated half-width on one of its steps.

    Decimal arithmetic, as in the browser: 0.01 is then reached exactly.
    """
    symmetric = rope.low == -rope.high
    preset = rope.high if symmetric else _typical(rope)
    top = min(max(2 * preset, SLIDER_REACH * max(abs(hdi.low), abs(hdi.high))), max(reach, preset))
    fine = max(min(top / SLIDER_STEPS, preset / STEPS_BELOW_PRESET), top / MAX_SLIDER_STEPS)
    step = Decimal(f"{round_step(fine):g}")
    value = Decimal(f"{preset:.12g}")
    low = value % step or step
    steps = int((Decimal(f"{top:.12g}") - low) / step)
    high = max(low + steps * step, value)
    return Slider(
        low=f"{low:f}", high=f"{high:f}", step=f"{step:f}", value=f"{value:f}", preset=f"{value:f}" if symmetric else ""
    )


def _typical(rope: Interval) -> float:
    """Return the half-width that the slider starts from where the stated ROPE has none."""
    finite = [abs(end) for end in rope if math.isfinite(end) and end]
    return float(f"{min(finite):.3g}") if finite else 0.01


# -- rows of intervals -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a row is about: `path` is the verdict at every ROPE, if there was one.

    `asked` says that a row without a decision was asked for one, and has none.
    """

    label: str
    estimate: Estimate
    n_draws: int = 0
    decision: Decision | None = None
    path: tuple[Piece, ...] | None = None
    asked: bool = False


def forest_axis(entries: Sequence[Entry], rope: Interval | None, *, signed: bool = True) -> Axis:
    """Return an axis that holds all intervals and, of differences, 0 and the ROPE if they are near."""
    return view(hull(entry.estimate.hdi for entry in entries), [0.0, *(rope or ())] if signed else [])


def tone(decision: Decision | None, *, higher_is_better: bool) -> str:
    """Return the colour of a decision; ink where nothing is settled."""
    if decision is None or not decision.conclusive:
        return INK
    return settled_colour(decision.verdict, higher_is_better=higher_is_better)


def settled_colour(verdict: Verdict, *, higher_is_better: bool) -> str:
    """Return the colour of a conclusive verdict, by where the difference lies."""
    if verdict is Verdict.EQUIVALENT:
        return INSIDE
    return ABOVE if (verdict is Verdict.A_BETTER) == higher_is_better else BELOW


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is: letters of other scripts may be as wide as high."""
    return sum([size * (1.0 if unicodedata.east_asian_width(char) in "WF" else 0.56) for char in text])
