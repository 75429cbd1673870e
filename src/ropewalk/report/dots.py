"""A posterior as a hundred dots on a page, each of them one chance in a hundred; the right side is where A is better.

It is drawn twice, for wide screens and for narrow ones, so that letters and dots keep their size. Where dots would be
too small to see, thin bars take their place: the posterior is very skewed, or all of it lies on one value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from ropewalk.draws.intervals import Interval
from ropewalk.report.pictures import Axis, bulk, decimals_of, round_step, text_width, view
from ropewalk.report.sketch import Sketch
from ropewalk.text.units import Shown, signed
from ropewalk.text.writing import cut_apart, isolated, visible

DOTS: Final = 100
LEAST_DOT_PX: Final = 5.0  # across; smaller ones nobody counts
BARS: Final = 120
GAP_PX: Final = 10  # between a direction and the line at 0
BOLD: Final = 1.09  # how much wider bold letters are
END_PX: Final = 12  # between the interval, or the mean at its end, and a number


class Screen(NamedTuple):
    """The measures of a picture on one kind of screen, in pixels; `letters` of a name are shown there."""

    key: str
    width: int
    dot: float
    stack: int
    label: float
    tick: float
    small: float
    letters: int
    lines: int


SCREENS: Final = (
    Screen("wide", 864, 20.0, 200, 15, 13, 12.5, 24, 1),
    Screen("narrow", 358, 14.0, 130, 13, 11, 10.5, 14, 2),
)
EDGE_PX: Final = 8


class Mark(NamedTuple):
    """A dot or a bar: the value by which it is coloured, where it stands, and how high a bar is."""

    value: str
    x: float
    y: float
    tone: str
    height: float = 0.0

    @property
    def path(self) -> str:
        """The mark as part of a path: a point with a round end, or a line that is as wide as a bar."""
        return f"M{self.x:g} {self.y + self.height:g}V{self.y:g}" if self.height else f"M{self.x:g} {self.y:g}h0"


class Label(NamedTuple):
    """A text of one line or two, and where it stands."""

    lines: tuple[str, ...]
    x: float
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """The picture on one kind of screen; all places are in its pixels. `axis` is in the unit that people read."""

    screen: Screen
    axis: Axis
    height: float
    top: float
    base: float
    radius: float
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float | None
    left: Label
    right: Label
    band: tuple[float, float] | None
    band_label: Label | None
    hdi: tuple[float, float, float]
    ends: tuple[Label, Label]

    @property
    def crossed(self) -> bool:
        """Whether the line at 0 would run through the name of the band."""
        name, zero = self.band_label, self.zero
        if name is None or zero is None:
            return False
        return abs(zero - name.x) < max(text_width(line, self.screen.small) for line in name.lines) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """A posterior, ready to be drawn on every screen; `side` is where the dots of the caption are counted.

    `bad` is whether the band is what is worse than allowed rather than what is too small to matter.
    """

    key: str
    plots: tuple[Plot, ...]
    shown: Shown
    mass: str
    title: str
    caption: str
    counted: int
    where: str
    side: str
    bad: bool
    are_bars: bool


def _at(value: float, axis: Axis, width: int) -> float:
    share = (min(max(value, axis.low), axis.high) - axis.low) / (axis.high - axis.low)
    return round(EDGE_PX + share * (width - 2 * EDGE_PX), 1)


def quantiles(sketch: Sketch) -> list[float]:
    """Return the middle values of a hundred equal parts of the draws."""
    places = (np.arange(DOTS) + 0.5) / DOTS
    return [float(x) for x in np.quantile(sketch.ordered, places)]


def tones_of(values: Iterable[float], rope: Interval | None) -> list[str]:
    """Return the colour of values: which side of 0, or of what is too small to matter, they lie on."""
    low, high = (0.0, 0.0) if rope is None else (rope.low, rope.high)
    if math.isinf(low) or math.isinf(high):
        edge = low if math.isinf(high) else high
        return ["b" if value < edge else "a" for value in values]
    return ["b" if value < low else "a" if value > high else "e" for value in values]


def dots_of(key: str, sketch: Sketch, *, mass: str, title: str, caption: str, noun: str) -> Dots:
    """Lay out a posterior; `noun` is what follows a number of its unit, as " points"."""
    values = quantiles(sketch)
    plots = [_plot(sketch, values, screen) for screen in SCREENS]
    are_bars = any(plot is None for plot in plots)
    if are_bars:
        plots = [_bars(sketch, screen) for screen in SCREENS]
    tones = Counter(tones_of(values, sketch.rope))
    side = "b" if tones["b"] > tones["a"] else "a"
    bad = sketch.rope is not None and sketch.rope.one_sided
    where = f"lie to the {'left' if side == 'b' else 'right'} of {'0' if sketch.rope is None else 'the grey band'}"
    if bad and sketch.rope is not None:
        edge = sketch.rope.low if math.isfinite(sketch.rope.low) else sketch.rope.high
        side, written = "a", f"{edge:+.6g}".replace("-", "−") if edge else "0"
        where = f"lie to the right of the line at {written}{noun}"
    return Dots(
        key=key,
        plots=tuple(plot for plot in plots if plot is not None),
        shown=sketch.shown,
        mass=mass,
        title=title,
        caption=caption,
        counted=tones[side],
        where=where,
        side=side,
        bad=bad,
        are_bars=are_bars,
    )


# -- one screen --------------------------------------------------------------------------------------------


def _axis(sketch: Sketch, screen: Screen) -> Axis:
    """Return an axis with room for the direction that is written on the left of 0, and for that on the right."""
    hdi = Interval(sketch.shown.low, sketch.shown.high)
    # Every dot is seen, but not the last draws of long tails.
    shown = bulk(sketch.ordered, hdi)
    axis = view(shown, [0.0, *(sketch.rope or ())])
    if not axis.holds(0.0):
        return axis
    left, right = (_width(_direction(*side, screen), screen) + GAP_PX for side in _sides(sketch, screen))
    width = screen.width - 2 * EDGE_PX
    low, high = axis.low, axis.high
    if left + right < width:
        low = min(low, -high * left / (width - left))
        high = max(high, -low * right / (width - right))
    return Axis(low, high)


def _sides(sketch: Sketch, screen: Screen) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Return who is what in each direction, and which one that is."""
    b, a = map(isolated, cut_apart(map(visible, (sketch.b, sketch.a)), screen.letters).values())
    return (b, sketch.word, "left"), (a, sketch.word, "right")


def _width(lines: tuple[str, ...], screen: Screen) -> float:
    return max(text_width(line, screen.label) * BOLD for line in lines)


def _direction(who: str, word: str, side: str, screen: Screen) -> tuple[str, ...]:
    """Write which direction is better for whom, on one line or two."""
    first, last = (f"← {who}", word) if side == "left" else (who, f"{word} →".strip())
    return (first, last) if screen.lines > 1 and last else (f"{first} {last}".rstrip(),)


def _dot_columns(values: list[float], axis: Axis, screen: Screen) -> tuple[float, Counter[int]] | None:
    """Return the width of a dot with which the highest column has room, and how many dots are in each column."""
    inner, dot = screen.width - 2 * EDGE_PX, screen.dot
    while dot >= LEAST_DOT_PX:
        step = dot / inner * (axis.high - axis.low)
        columns = Counter(math.floor(value / step) for value in values)
        if max(columns.values()) * dot <= screen.stack:
            return dot, columns
        dot -= 0.2
    return None


def _plot(sketch: Sketch, values: list[float], screen: Screen) -> Plot | None:
    """Lay out dots in columns from 0 outwards; None where they would be too small."""
    axis = _axis(sketch, screen)
    found = _dot_columns(values, axis, screen)
    if found is None:
        return None
    dot, columns = found
    step = dot / (screen.width - 2 * EDGE_PX) * (axis.high - axis.low)
    base = _top(screen) + max(columns.values()) * dot + dot / 2
    heights: Counter[int] = Counter()
    marks = []
    for value, tone in zip(values, tones_of(values, sketch.rope), strict=True):
        column = math.floor(value / step)
        x, y = _at((column + 0.5) * step, axis, screen.width), base - dot * (heights[column] + 0.55)
        heights[column] += 1
        marks.append(Mark(f"{value:.4g}", x, round(y, 1), tone))
    return _framed(sketch, screen, axis, base, tuple(marks), radius=round(0.45 * dot, 1))


def _bars(sketch: Sketch, screen: Screen) -> Plot:
    """Lay out thin bars instead."""
    axis = _axis(sketch, screen)
    edges = np.linspace(axis.low, axis.high, BARS + 1)
    counts = np.diff(np.searchsorted(sketch.ordered, edges)).astype(float)
    heights, base = counts / max(float(counts.max()), 1.0) * 0.7 * screen.stack, _top(screen) + 0.7 * screen.stack
    width = (screen.width - 2 * EDGE_PX) / BARS
    middles = ((edges[:-1] + edges[1:]) / 2).tolist()
    marks = []
    for i, (height, value, tone) in enumerate(
        zip(heights.tolist(), middles, tones_of(middles, sketch.rope), strict=True)
    ):
        if height > 0:
            tall = round(max(height, 0.5), 1)
            marks.append(Mark(f"{value:.4g}", round(EDGE_PX + (i + 0.5) * width, 1), round(base - tall, 1), tone, tall))
    return _framed(sketch, screen, axis, base, tuple(marks), radius=round(width, 2))


def _top(screen: Screen) -> float:
    """Return where the drawing begins, below the directions and the name of the band."""
    return 66 if screen.lines == 1 else 76


def _framed(  # noqa: PLR0917
    sketch: Sketch, screen: Screen, axis: Axis, base: float, marks: tuple[Mark, ...], radius: float
) -> Plot:
    """Draw what stands around the marks: axis, directions, band, interval."""
    zero = _at(0.0, axis, screen.width) if axis.holds(0.0) else None
    left, right = (_direction(*side, screen) for side in _sides(sketch, screen))
    sides = (Label(left, EDGE_PX, "start"), Label(right, screen.width - EDGE_PX, "end"))
    widths = _width(left, screen), _width(right, screen)
    room = zero is not None and widths[0] + GAP_PX <= zero and widths[1] + GAP_PX <= screen.width - zero
    if room and zero is not None:
        sides = (Label(left, zero - GAP_PX, "end"), Label(right, zero + GAP_PX, "start"))
    shown = sketch.shown
    middle = shown.centre
    places = [_at(end, axis, screen.width) for end in (shown.low, middle, shown.high)]
    texts = sketch.shown.ends()
    band = _band(sketch.rope, axis, screen.width)
    return Plot(
        screen=screen,
        axis=axis,
        height=round(base + 80, 1),
        top=_top(screen) - 38,
        base=round(base, 1),
        radius=radius,
        marks=marks,
        ticks=_ticks(axis, screen),
        zero=zero,
        left=sides[0],
        right=sides[1],
        band=band,
        band_label=None if band is None or sketch.rope is None else _band_label(sketch.rope, band, screen),
        hdi=(places[0], places[1], places[2]),
        ends=_ends(places, texts, screen),
    )


def _ends(places: list[float], texts: tuple[str, str], screen: Screen) -> tuple[Label, Label]:
    """Write the ends of the interval outside it; at the edge of the picture above it."""
    size = screen.tick + 1
    low, high = (text_width(text, size) * BOLD + EDGE_PX for text in texts)
    first = Label((texts[0],), places[0] - END_PX, "end")
    if places[0] - low < 0:
        first = Label((texts[0],), 0, "start")
    last = Label((texts[1],), places[2] + END_PX, "start")
    if places[2] + high > screen.width:
        last = Label((texts[1],), screen.width, "end")
    return first, last


def _band(rope: Interval | None, axis: Axis, width: int) -> tuple[float, float] | None:
    """Return where the band begins and ends: too small to matter, or with one end worse than allowed."""
    if rope is None:
        return None
    if rope.one_sided:
        edge = rope.low if math.isfinite(rope.low) else rope.high
        return EDGE_PX, _at(edge, axis, width)
    return _at(rope.low, axis, width), _at(rope.high, axis, width)


def _band_label(rope: Interval, band: tuple[float, float], screen: Screen) -> Label | None:
    """Name the band in the picture, on two lines; not where hardly anything of it is seen."""
    words = ("too small", "to matter")
    if rope.one_sided:
        edge = rope.low if math.isfinite(rope.low) else rope.high
        words = ("worse than", "allowed") if math.isfinite(rope.low) and edge < 0 else ("less than", "asked for")
    half = max(text_width(word, screen.small) for word in words) / 2
    middle = (band[0] + band[1]) / 2
    if band[1] - band[0] < 1 or (rope.one_sided and band[1] - band[0] < 2 * half):
        return None
    return Label(words, round(min(max(middle, half), screen.width - half), 1), "middle")


def _ticks(axis: Axis, screen: Screen) -> tuple[tuple[float, str], ...]:
    """Return round numbers, as many as have room."""
    span, most = axis.high - axis.low, screen.width // (88 if screen.lines == 1 else 66)
    step = round_step(span / most)
    while True:
        places = decimals_of(step)
        marks = [(_at(value, axis, screen.width), signed(value, places)) for value in axis.multiples(step)]
        needed = max((text_width(text, screen.tick) for _, text in marks), default=0.0) + 14
        if step / span * (screen.width - 2 * EDGE_PX) >= needed or len(marks) <= 2:  # noqa: PLR2004
            return tuple(marks)
        step = round_step(step * 1.5)
