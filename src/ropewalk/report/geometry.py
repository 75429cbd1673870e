"""Where things go in a picture: axes whose places are per cent of the width, so that letters keep their size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Interval
from ropewalk.text.numbers import number
from ropewalk.typing import FloatArray

WIDTH: Final = 1000  # of the inner drawings, stretched to the width of the page
HEIGHT: Final = 100
_TICKS: Final = 8
_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_NEXT: Final = 1.5
_WIDE: Final = 640  # pixels that a picture has on a wide screen, at least
_NARROW: Final = 0.45  # of them are left on a narrow one
_LETTER: Final = 7.2  # pixels
_BETWEEN: Final = 8
_BINS: Final = (30, 90)
_TAIL: Final = 0.0005  # of the draws may lie beyond each end of the picture
_REACH: Final = 6.0  # how many times as wide as the draws a picture may be, to show 0 and the ROPE too
_MARGIN: Final = 0.04
_ALIKE: Final = 1e-12
_ALONE: Final = 0.01  # of a scale, where nothing else sets one


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on an axis, and where it stands; narrow screens show only the `major` ones."""

    at: float
    text: str
    major: bool = True


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of numbers, laid out from left to right."""

    low: float
    high: float

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

    def ticks(self, *, sign: bool = False, origin: float = 0.0, width: int = _WIDE) -> tuple[Tick, ...]:
        """Return round numbers along an axis of so many pixels; `origin` is what its 0 stands for.

        As many as have room, and those that are `major` have room on a third of the width too.
        """
        span = self.high - self.low
        step = round_step(span / _TICKS)
        while True:
            places = max(0, -math.floor(math.log10(step) + 1e-9))
            first, last = (math.ceil((self.low + origin) / step), math.floor((self.high + origin) / step))
            values = [k * step for k in range(first, last + 1)]
            texts = [number(value, places, sign=sign) for value in values]
            room = width * step / span
            needed = _LETTER * max(map(len, texts), default=1) + _BETWEEN
            if room >= needed or len(values) <= 2:  # noqa: PLR2004
                break
            step = round_step(step * _NEXT)
        every = max(math.ceil(needed / (room * _NARROW)), 1)
        zero = next((i for i, value in enumerate(values) if value == 0), 0) % every
        return tuple(
            Tick(self.at(value - origin), text, i % every == zero)
            for i, (value, text) in enumerate(zip(values, texts, strict=True))
        )


def round_step(about: float) -> float:
    """Return the next round number from `about` on: 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> round_step(0.013), round_step(3.0)
    (0.02, 5.0)
    """
    scale = 10.0 ** math.floor(math.log10(about))
    return float(f"{next(step for step in _STEPS if step * scale >= about * (1 - 1e-9)) * scale:.6g}")


def axis_of(draws: FloatArray, *, of_interest: Iterable[float]) -> Axis:
    """Return an axis for sorted draws, wide enough for what is of interest too if that is not too far away."""
    n = draws.size
    shown = Interval(float(draws[int(_TAIL * n)]), float(draws[n - 1 - int(_TAIL * n)]))
    return Axis(*widened(shown, of_interest, reach=_REACH, margin=_MARGIN))


def widened(shown: Interval, wanted: Iterable[float], *, reach: float, margin: float) -> Interval:
    """Widen what must be shown to what is worth seeing, nearest first, up to `reach` times its width.

    Examples
    --------
    >>> widened(Interval(1.0, 2.0), [0.0, 100.0], reach=3.0, margin=0.0)
    Interval(low=0.0, high=2.0)
    """
    low, high = shown
    values = [value for value in wanted if math.isfinite(value)]
    width = high - low
    if width <= _ALIKE * max(abs(low), abs(high)):  # one value only: what is worth seeing sets the scale
        width = max([abs(value - low) for value in values] + [_ALONE]) / 2
        low, high = low - width / 2, high + width / 2
    for value in sorted(values, key=lambda value: max(low - value, value - high)):
        if max(high, value) - min(low, value) <= reach * width:
            low, high = min(low, value), max(high, value)
    room = margin * (high - low)
    return Interval(low - room, high + room)


def axis_of_intervals(intervals: Iterable[Interval], *, of_interest: Iterable[float] = ()) -> Axis:
    """Return an axis that holds all intervals, and what is of interest if that is not too far away."""
    ends = np.array([end for interval in intervals for end in interval], dtype=np.float64)
    return axis_of(np.sort(ends), of_interest=of_interest)


def outline(draws: FloatArray, axis: Axis) -> str:
    """Return the histogram of sorted draws as an SVG path of 1000 × 100; the highest bin touches the top.

    Examples
    --------
    >>> outline(np.array([0.5, 0.5]), Axis(0.0, 1.0))
    'M495 100V0H505V100'
    """
    shown = draws[np.searchsorted(draws, axis.low) : np.searchsorted(draws, axis.high, side="right")]
    if not shown.size:
        return ""
    low, high = float(shown[0]), float(shown[-1])
    if high - low <= 1e-9 * (axis.high - axis.low):
        middle = 10 * axis.at(low)
        return f"M{middle - 5:g} 100V0H{middle + 5:g}V100"
    quarter, three = shown[shown.size // 4], shown[3 * shown.size // 4]
    width = 2 * (three - quarter) * shown.size ** (-1 / 3)
    wanted = (high - low) / width if width > 0 else _BINS[1]
    counts, edges = np.histogram(shown, bins=int(min(max(wanted, _BINS[0]), _BINS[1])))
    heights = HEIGHT * (1 - counts / counts.max())
    across = (edges - axis.low) / (axis.high - axis.low) * WIDTH
    steps = "".join(f"V{y:.1f}H{x:.1f}" for y, x in zip(heights, across[1:], strict=True))
    return f"M{across[0]:.1f} 100{steps}V100"


def area(x: FloatArray, low: FloatArray, high: FloatArray) -> str:
    """Return the area between two curves as an SVG path; `x` runs from 0 to 1, heights from 0 to 1 upwards."""
    there = [f"{WIDTH * a:.0f} {HEIGHT * (1 - b):.1f}" for a, b in zip(x, high, strict=True)]
    back = [f"{WIDTH * a:.0f} {HEIGHT * (1 - b):.1f}" for a, b in zip(x[::-1], low[::-1], strict=True)]
    return f"M{'L'.join(there)}L{'L'.join(back)}Z"
