"""Many intervals under one another: classes, priors, classifiers. Rows of a table, each with its own bar."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ropewalk.draws.decision import Decision, Piece
from ropewalk.draws.intervals import Interval
from ropewalk.draws.judging import Question
from ropewalk.draws.summary import Estimate
from ropewalk.report.geometry import Axis, Tick, axis_of_intervals
from ropewalk.report.panel import Slider, Span, rope_span, slider_of
from ropewalk.report.shape import symbol_text
from ropewalk.text.numbers import estimate_text

_PIXELS: Final = 240  # that the bars have on a wide screen, at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a row is about: `path` is the verdict at every ROPE, if there was one."""

    label: str
    estimate: Estimate
    n_draws: int = 0
    decision: Decision | None = None
    path: tuple[Piece, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One interval: places in per cent, the numbers in words, the verdict, and what the page's script judges by."""

    label: str
    mean: float
    low: float
    high: float
    text: str
    symbol: str
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Rows on one axis, the ROPE behind them; `head` says what the first column holds."""

    head: str
    what: str
    ticks: tuple[Tick, ...]
    zero: float | None
    rope: Span | None
    rows: tuple[Row, ...]
    symbols: bool
    slider: Slider | None = None
    data: str = ""


def forest(
    entries: Sequence[Entry],
    question: Question,
    *,
    head: str,
    what: str,
    signed: bool = True,
    live: bool = False,
    reach: float = math.inf,
) -> Forest:
    """Lay out intervals; `live` adds a slider for the ROPE that all of them share."""
    rope = question.rope if signed else None
    hdis = [entry.estimate.hdi for entry in entries]
    axis = axis_of_intervals(hdis, of_interest=(*([0.0] if signed else []), *(rope or ())))
    judged = live and rope is not None and any(entry.decision is not None for entry in entries)
    rows = tuple(_row(entry, axis, signed=signed) for entry in entries)
    return Forest(
        head=head,
        what=what,
        ticks=axis.ticks(sign=signed, width=_PIXELS),
        zero=axis.at(0.0) if signed and axis.holds(0.0) else None,
        rope=None if rope is None else rope_span(rope, axis),
        rows=rows,
        symbols=any(row.symbol != "–" for row in rows),
        slider=slider_of(rope, _widest(hdis), reach) if judged and rope is not None else None,
        data=json.dumps(live_data(question, axis)) if judged else "",
    )


def live_data(question: Question, axis: Axis | None = None) -> dict[str, Any]:
    """Return how the page's script judges all parts of a table that share a slider."""
    where = None if axis is None else [axis.low, axis.high]
    return {"rule": question.rule, "up": question.higher_is_better, "axis": where}


def judged_data(estimate: Estimate, path: Sequence[Piece] | None, n_draws: int) -> str:
    """Return what the page's script judges one part by."""
    told = {
        "hdi": list(estimate.hdi),
        "err": list(estimate.hdi_mc_error),
        "n": n_draws,
        "mean": estimate.mean,
        "path": [[piece.start, piece.verdict.value] for piece in path or ()],
    }
    return json.dumps(told, separators=(",", ":"))


def _widest(hdis: Sequence[Interval]) -> Interval:
    return Interval(min(hdi.low for hdi in hdis), max(hdi.high for hdi in hdis))


def _row(entry: Entry, axis: Axis, *, signed: bool) -> Row:
    estimate = entry.estimate
    return Row(
        label=entry.label,
        mean=axis.at(estimate.mean),
        low=axis.at(estimate.hdi.low),
        high=axis.at(estimate.hdi.high),
        text=estimate_text(estimate, sign=signed),
        symbol=symbol_text(entry.decision),
        data="" if entry.path is None else judged_data(estimate, entry.path, entry.n_draws),
    )
