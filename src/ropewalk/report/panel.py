"""The live part of a page: a posterior, its three regions, and what a reader's own ROPE would say.

Numbers that stand on the page before anybody touches it come from Python. For the slider the page carries the HDI, the
rule and some quantiles of the draws, not the draws: spaced like cosines, so that the tails are known best.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

import numpy as np

from ropewalk.draws.decision import Decision, Piece, path_text, region_masses
from ropewalk.draws.intervals import Interval
from ropewalk.draws.judging import Question
from ropewalk.draws.summary import Estimate
from ropewalk.report.geometry import Axis, Tick, area, axis_of, outline, round_step
from ropewalk.text.numbers import decimals, number, percent
from ropewalk.text.verdicts import Leaning, Verdict
from ropewalk.typing import FloatArray

_QUANTILES: Final = 1_600
_DIGITS: Final = 5  # a quantile is written to so many digits of the standard deviation
_STEPS: Final = 200
_MOST_STEPS: Final = 1_000
_BELOW: Final = 4  # steps below the stated half-width
_FAR: Final = 1.25
_POINTS: Final = 81
_SEEN: Final = 0.002  # more than this beyond the ends of the picture is worth saying

Say = Callable[[Verdict, Leaning | None, str], str]
"""How a verdict is put into words, given its leaning and the ROPE as text."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RopeCurve:
    """The masses of the three regions against the half-width of the ROPE, and the stretches of each verdict."""

    below: str
    inside: str
    above: str
    ticks: tuple[Tick, ...]
    strip: tuple[tuple[float, float, str], ...]
    told: str
    preset: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One posterior, ready to be drawn; `data` is what the script of the page reads."""

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
    slider: Slider | None = None
    curve: RopeCurve | None = None
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """What a panel is about: draws of a difference, and how it was judged.

    `origin` is what a difference of 0 stands for: 0 itself, or a bar. `reach` is the largest difference there can be.
    """

    draws: FloatArray
    estimate: Estimate
    question: Question
    decision: Decision | None
    path: tuple[Piece, ...] | None
    say: Say
    label: str
    reach: float = math.inf
    origin: float = 0.0


def panel(key: str, judged: Judged, *, signed: bool = True, zero: bool = True) -> Panel:
    """Lay out a posterior: the picture, and where there was a ROPE the slider too."""
    ordered = np.sort(judged.draws)
    estimate, question, origin = judged.estimate, judged.question, judged.origin
    rope = question.rope
    places = decimals(estimate)
    axis = axis_of(ordered, of_interest=(*([0.0] if zero else []), *(rope or ()), *estimate.hdi))
    ends = [number(end + origin, places, sign=signed) for end in estimate.hdi]
    inside = np.searchsorted(ordered, axis.high, side="right") - np.searchsorted(ordered, axis.low)
    cut, worth = 1 - inside / ordered.size, estimate.worth(ordered.size)
    shown = Panel(
        key=key,
        label=judged.label,
        ticks=axis.ticks(sign=signed, origin=origin),
        outline=outline(ordered, axis),
        zero=axis.at(0.0) if zero and axis.holds(0.0) else None,
        zero_text=f"{origin:g}",
        hdi=Span(low=axis.at(estimate.hdi.low), high=axis.at(estimate.hdi.high), low_text=ends[0], high_text=ends[1]),
        rope=None if rope is None else rope_span(rope, axis),
        split=axis.at(0.0) if zero and rope is None else None,
        outside=f"{percent(cut, worth)} of the draws lie beyond the picture." if cut > _SEEN else "",
        mass=f"{100 * question.prob:g}%",
    )
    if rope is None or judged.decision is None:
        return shown
    slider = slider_of(rope, estimate.hdi, judged.reach)
    return replace(
        shown,
        slider=slider,
        curve=_rope_curve(ordered, judged, rope, float(slider.high)),
        data=json.dumps(_data(ordered, judged, rope, axis), separators=(",", ":")),
    )


def rope_span(rope: Interval, axis: Axis) -> Span:
    """Return where the ROPE lies on an axis."""
    return Span(low=axis.at(rope.low), high=axis.at(rope.high))


def slider_of(rope: Interval, hdi: Interval, reach: float) -> Slider:
    """Return a slider from next to nothing to where all is equivalent, with the stated half-width on one of its steps.

    Decimal arithmetic, as in the browser: 0.01 is then reached exactly.
    """
    symmetric = rope.low == -rope.high
    preset = rope.high if symmetric else _typical(rope)
    top = min(max(2 * preset, _FAR * max(abs(hdi.low), abs(hdi.high))), max(reach, preset))
    fine = max(min(top / _STEPS, preset / _BELOW), top / _MOST_STEPS)
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


def _data(ordered: FloatArray, judged: Judged, rope: Interval, axis: Axis) -> dict[str, Any]:
    """Return what the page needs to judge another ROPE by the same rule."""
    estimate, question = judged.estimate, judged.question
    n = ordered.size
    count = min(n, _QUANTILES + 1)
    places = np.arange(n) if n == count else _cosine_places(n)
    std = estimate.std or 1.0
    digits = max(0, math.ceil(-math.log10(std)) + _DIGITS)
    widths = "\0"  # no name holds it: control characters were made visible
    undecided: tuple[Leaning, ...] = ("a", "b", "equivalent")
    say = {verdict.value: judged.say(verdict, None, widths) for verdict in Verdict if verdict.conclusive}
    say |= {leaning: judged.say(Verdict.UNDECIDED_HIGH, leaning, widths) for leaning in undecided}
    return {
        "x": [round(x, digits) + 0.0 for x in ordered[places].tolist()],
        "n": n,
        "worth": estimate.worth(n),
        "hdi": list(estimate.hdi),
        "err": list(estimate.hdi_mc_error),
        "mean": estimate.mean,
        "up": question.higher_is_better,
        "rule": question.rule,
        "prob": question.prob,
        "rope": [end if math.isfinite(end) else None for end in rope],
        "path": [[piece.start, piece.verdict.value] for piece in judged.path or ()],
        "axis": [axis.low, axis.high],
        "say": say,
    }


def _cosine_places(n: int) -> Any:
    """Return places among n sorted draws, dense at both ends; the script of the page has the same formula."""
    spread = np.arange(_QUANTILES + 1) / _QUANTILES
    return np.floor((n - 1) * (1 - np.cos(np.pi * spread)) / 2 + 0.5).astype(np.int64)


def _rope_curve(ordered: FloatArray, judged: Judged, rope: Interval, top: float) -> RopeCurve:
    widths = np.linspace(0.0, top, _POINTS)
    masses = [region_masses(ordered, Interval(-width, width)) for width in widths.tolist()]
    below = np.array([mass.below for mass in masses])
    inside = below + np.array([mass.inside for mass in masses])
    x = widths / top
    axis = Axis(0.0, top)
    strip = []
    for piece in judged.path or ():
        stop = top if piece.stop is None else min(piece.stop, top)
        if stop > piece.start:
            strip.append((axis.at(piece.start), axis.at(stop) - axis.at(piece.start), piece.verdict.value))
    return RopeCurve(
        below=area(x, np.zeros_like(x), below),
        inside=area(x, below, inside),
        above=area(x, inside, np.ones_like(x)),
        ticks=axis.ticks(),
        strip=tuple(strip),
        told=path_text(judged.path or (), decimals(judged.estimate)),
        preset=axis.at(rope.high) if rope.low == -rope.high else None,
    )
