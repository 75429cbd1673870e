"""The slider of a page: what another margin would say, while the headline keeps to the one that was set."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk.draws.contrast import Question
from ropewalk.draws.intervals import Interval
from ropewalk.report.pictures import slider_of
from ropewalk.text.units import Unit
from ropewalk.text.verdicts import oriented

TWO_SIDED: Final = "Smallest difference that matters"
ONE_SIDED: Final = "Largest loss you would accept"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginSlider:
    """A range of margins, as texts: a browser counts its steps in decimals.

    `preset` is the one that was set, in words, and `said` what follows it; `sign` and `noun` stand around a number.
    """

    label: str
    low: str
    high: str
    step: str
    value: str
    preset: str
    said: str
    sign: str
    noun: str
    data: str = "{}"


def margin_slider(
    question: Question, reach: Interval, unit: Unit, most: float, *, said: str, data: dict[str, Any] | None = None
) -> MarginSlider | None:
    """Return the slider of a question; None where the ROPE is neither the same on both sides nor a largest loss.

    `reach` is the interval of what is judged, in the unit that people read, and `most` what a difference can be.
    """
    if question.rope is None:
        return None
    low, high = (end * unit.scale for end in oriented(question.rope, higher_is_better=question.higher_is_better))
    loss = math.isinf(high) and low < 0
    if not loss and (math.isinf(low) or low != -high or not high):
        return None
    margin = float(f"{-low:.12g}")
    found = slider_of(Interval(-margin, margin), reach, most * unit.scale)
    sign = "" if loss else "±"
    preset = f"{sign}{unit_text(margin, unit)}"
    shared = {
        "rule": question.rule,
        "prob": question.prob,
        "side": int(loss),
        "sign": sign,
        "noun": unit.noun,
        "preset": preset,
        "margin": margin,
        **(data or {}),
    }
    return MarginSlider(
        label=ONE_SIDED if loss else TWO_SIDED,
        low=found.low,
        high=found.high,
        step=found.step,
        value=found.value,
        preset=preset,
        said=said.format(f"a loss of {preset}" if loss else preset),
        sign=sign,
        noun=unit.noun,
        data=json.dumps(shared, separators=(",", ":"), ensure_ascii=True),
    )


def unit_text(margin: float, unit: Unit) -> str:
    """Write a margin that is in the unit that people read already.

    Examples
    --------
    >>> from ropewalk.text.units import AS_IT_IS, POINTS
    >>> unit_text(1.0, POINTS), unit_text(2.5, POINTS), unit_text(0.25, AS_IT_IS)
    ('1 point', '2.5 points', '0.25')
    """
    return replace(unit, scale=1.0).counted(margin)
