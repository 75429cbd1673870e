"""A posterior as the small picture of a notebook's card: its density, coloured by region, and the interval."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from ropewalk.report.dots import tones_of
from ropewalk.report.sketch import Sketch

WIDTH: Final = 250
HEIGHT: Final = 40
BASE: Final = 44
COLUMNS: Final = 60
NEAR_PX: Final = 22  # within which two numbers below the axis would touch


class Small(NamedTuple):
    """The picture in its pixels: areas as (colour, path), the band as (x, width), numbers as (x, text, anchor)."""

    label: str
    areas: tuple[tuple[str, str], ...]
    band: tuple[float, float] | None
    zero: float | None
    ends: tuple[float, float]
    texts: tuple[tuple[float, str, str], ...]


def small(sketch: Sketch) -> Small:
    """Lay out a sketch for a card."""
    axis, heights = sketch.axis, sketch.heights(COLUMNS).tolist()

    def at(value: float) -> float:
        return round(WIDTH / 100 * axis.at(value), 1)

    step = (axis.high - axis.low) / COLUMNS
    areas: list[tuple[str, str]] = []
    run: list[str] = []
    tones = [*tones_of((axis.low + (i + 0.5) * step for i in range(COLUMNS)), sketch.rope), ""]
    for i, (height, tone) in enumerate(zip([*heights, 0.0], tones, strict=True)):
        x, y = round(WIDTH * i / COLUMNS, 1), round(BASE - HEIGHT * height, 1)
        if areas and areas[-1][0] == tone:
            run.append(f"L{x:g} {y:g}")
        else:
            if areas:
                areas[-1] = (areas[-1][0], f"{''.join(run)}L{x:g} {y:g}V{BASE}Z")
            run = [f"M{x:g} {BASE}V{y:g}"]
            areas.append((tone, ""))
    low, high = at(sketch.shown.low), at(sketch.shown.high)
    first, last = sketch.shown.ends()
    zero = at(0.0) if axis.holds(0.0) else None
    texts = [(low, first, "middle"), (high, last, "middle")]
    if high - low < 2 * NEAR_PX:
        texts = [(low, first, "end"), (high, last, "start")]
    if first == last:  # all of it lies on one value
        texts = [(low, first, "middle")]
    if zero is not None and min(abs(zero - low), abs(zero - high)) > NEAR_PX and not low < zero < high:
        texts.append((zero, "0", "middle"))
    band = None
    if sketch.rope is not None:
        low_end, high_end = sketch.rope
        if sketch.rope.one_sided:  # what is worse than allowed
            low_end, high_end = axis.low, low_end if math.isfinite(low_end) else high_end
        start, stop = at(low_end), at(high_end)
        band = (start, round(stop - start, 1))
    title = f"Posterior of the difference: {sketch.shown.text()}"
    return Small(title, tuple(areas[:-1]), band, zero, (low, high), tuple(texts))
