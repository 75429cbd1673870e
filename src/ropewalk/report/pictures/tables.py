"""Pictures that are tables: intervals under one another, confusion matrices, and pairs of a ranking."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.draws.decision import Decision, Piece
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.draws.judging import Question
from ropewalk.report.pictures.axes import ABOVE, BELOW, INK, INSIDE, Axis, Tick, hull, view
from ropewalk.report.pictures.posterior import Slider, Span, rope_span, slider_of
from ropewalk.report.words import symbol_text
from ropewalk.results import Confusion, Pair, Ranking
from ropewalk.text.names import brief, isolated
from ropewalk.text.numbers import estimate_text, percent
from ropewalk.text.verdicts import Verdict

BARS_PX: Final = 240  # that bars have on a wide screen, at least
MAX_CLASSES_WITH_INTERVALS: Final = 6  # up to so many every cell has its interval
MAX_NAME_LETTERS: Final = 40
SHADES: Final = 9
_KINDS: Final = {"≫": "won", "≪": "lost", "≈": "even"}


# -- intervals ---------------------------------------------------------------------------------------------


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
    axis = forest_axis(entries, rope, signed=signed)
    judged = live and rope is not None and any(entry.decision is not None for entry in entries)
    rows = tuple(_row(entry, axis, signed=signed) for entry in entries)
    ends = hull(entry.estimate.hdi for entry in entries)
    return Forest(
        head=head,
        what=what,
        ticks=axis.ticks(sign=signed, width=BARS_PX),
        zero=axis.at(0.0) if signed and axis.holds(0.0) else None,
        rope=None if rope is None else rope_span(rope, axis),
        rows=rows,
        symbols=any(row.symbol != "–" for row in rows),
        slider=slider_of(rope, ends, reach) if judged and rope is not None else None,
        data=json.dumps(live_data(question, axis)) if judged else "",
    )


def live_data(question: Question, axis: Axis | None = None) -> dict[str, Any]:
    """Return how the page's script judges all parts of a table that share a slider."""
    where = None if axis is None else [axis.low, axis.high]
    return {"rule": question.rule, "up": question.higher_is_better, "axis": where}


def judged_data(estimate: Estimate, path: Sequence[Piece] | None, n_draws: int) -> str:
    """Return what the page's script judges one part by."""
    numbers = {
        "hdi": list(estimate.hdi),
        "err": list(estimate.hdi_mc_error),
        "n": n_draws,
        "mean": estimate.mean,
        "path": [[piece.start, piece.verdict.value] for piece in path or ()],
    }
    return json.dumps(numbers, separators=(",", ":"))


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


# -- confusion matrices ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A count, how dark its ground is, and its rate with the interval in words."""

    text: str
    shade: int
    description: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """A confusion matrix: rows are true classes, the last column how often each was matrix."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...], str], ...]
    mass: str


def confusion_matrix(matrix: Confusion) -> Matrix:
    """Lay out counts on a ground as dark as the rate, and the share found of each class with its interval."""
    names = [isolated(brief(label_text(label), MAX_NAME_LETTERS)) for label in matrix.labels]
    rows = []
    for i, right in enumerate(map(matrix.labels.index, matrix.rows)):
        cells = tuple(_cell(matrix, i, j) for j in range(len(names)))
        rows.append((names[right], cells, rate_text(matrix, i, right)))
    return Matrix(title=isolated(matrix.name), columns=tuple(names), rows=tuple(rows), mass=f"{100 * matrix.prob:g}%")


def rate_text(matrix: Confusion, i: int, j: int) -> str:
    """Write a rate and its interval."""
    rate = matrix.normalised[i, j]
    seen = "–" if np.isnan(rate) else f"{rate:.3f}"
    return f"{seen} [{matrix.low[i, j]:.3f}, {matrix.high[i, j]:.3f}]"


def _cell(matrix: Confusion, i: int, j: int) -> Cell:
    rate = float(np.nan_to_num(matrix.normalised[i, j]))
    shade = round(SHADES * rate)
    small = len(matrix.labels) <= MAX_CLASSES_WITH_INTERVALS
    description = rate_text(matrix, i, j) if small or matrix.counts[i, j] else ""
    return Cell(text=f"{matrix.counts[i, j]:,}", shade=shade, description=description, shown=small)


# -- pairs of a ranking ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCell:
    """What was found of a row against a column: symbol or probability, all of it in words, and how to judge anew."""

    text: str
    description: str
    kind: str
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Every classifier against every other one, best first."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PairCell | None, ...]], ...]
    symbols: bool
    slider: Slider | None
    data: str


class PairNumbers(NamedTuple):
    """A row against a column: their difference, its verdict if any, and how probable it is that each is better."""

    pair: Pair
    decision: Decision | None
    better: float
    worse: float
    n_draws: int

    @property
    def better_text(self) -> str:
        """The probability that the row is better, as text."""
        return percent(self.better, self.n_draws)


def pair_numbers(result: Ranking) -> dict[tuple[str, str], PairNumbers]:
    """Return every pair both ways round: with a ROPE of unequal ends the two are two questions."""
    up = result.recipe.metric.higher_is_better
    judged = {frozenset((pair.a, pair.b)) for pair in result.pairwise if pair.decision is not None}
    numbers = {}
    for row, column in permutations([model.name for model in result.by_rank], 2):
        pair = result.pair(row, column)
        above, below = pair.contrast.prob_above_zero, pair.contrast.prob_below_zero
        decision = pair.decision if frozenset((row, column)) in judged else None
        better, worse = (above, below) if up else (below, above)
        numbers[row, column] = PairNumbers(pair, decision, better, worse, pair.delta.worth(len(result.draws)))
    return numbers


def pair_matrix(result: Ranking) -> Pairs:
    """Lay out the verdicts, or without a ROPE the probability that the row is better than the column."""
    names = [model.name for model in result.by_rank]
    numbers, metric, question = pair_numbers(result), result.recipe.metric, result.question
    rows = [(isolated(a), tuple(None if a == b else _pair_cell(numbers[a, b], question) for b in names)) for a in names]
    symbols = any(pair.decision is not None for pair in result.pairwise)
    slider = None
    if symbols and question.rope is not None:
        far = max(abs(end) for pair in result.pairwise for end in pair.delta.hdi)
        slider = slider_of(question.rope, Interval(-far, far), metric.high - metric.low)
    return Pairs(
        names=tuple(map(isolated, names)),
        rows=tuple(rows),
        symbols=symbols,
        slider=slider,
        data=json.dumps(live_data(question)) if symbols else "",
    )


def _pair_cell(numbers: PairNumbers, question: Question) -> PairCell:
    pair, decision = numbers.pair, numbers.decision
    difference = f"{isolated(pair.a)} − {isolated(pair.b)}: {estimate_text(pair.delta, sign=True)}"
    if decision is None:
        text = numbers.better_text if question.rope is None else "–"
        return PairCell(text=text, description=f"{difference}; better with probability {numbers.better_text}", kind="")
    return PairCell(
        text=symbol_text(decision),
        description=f"{difference}; {isolated(decision.text)}",
        kind=_KINDS.get(decision.symbol, ""),
        data=judged_data(pair.delta, pair.contrast.rope_path, numbers.n_draws),
    )
