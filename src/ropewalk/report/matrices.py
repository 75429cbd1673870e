"""Matrices for a page: confusions with their uncertainty, and the verdict on every pair of a ranking."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.draws.intervals import Interval
from ropewalk.report.forest import judged_data, live_data
from ropewalk.report.panel import Slider, slider_of
from ropewalk.report.shape import symbol_text
from ropewalk.results import Confusion, Ranking
from ropewalk.text.escape import isolated
from ropewalk.text.names import brief
from ropewalk.text.numbers import estimate_text, percent

_SHADES: Final = 9
_INTERVALS: Final = 6  # up to so many classes every cell has its interval
_NAME: Final = 40
_KINDS: Final = {"≫": "won", "≪": "lost", "≈": "even"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A count, how dark its ground is, and its rate with the interval in words."""

    text: str
    shade: int
    told: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """A confusion matrix: rows are true classes, the last column how often each was found."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...], str], ...]
    mass: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCell:
    """What was found of a row against a column: symbol or probability, all of it in words, and how to judge anew."""

    text: str
    told: str
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


def confusion_matrix(found: Confusion) -> Matrix:
    """Lay out counts on a ground as dark as the rate, and the share found of each class with its interval."""
    names = [isolated(brief(label_text(label), _NAME)) for label in found.labels]
    rows = []
    for i, label in enumerate(found.rows):
        cells = tuple(_cell(found, i, j) for j in range(len(found.labels)))
        right = found.labels.index(label)
        rows.append((isolated(brief(label_text(label), _NAME)), cells, _rate(found, i, right)))
    return Matrix(title=isolated(found.name), columns=tuple(names), rows=tuple(rows), mass=f"{100 * found.prob:g}%")


def _rate(found: Confusion, i: int, j: int) -> str:
    rate = found.normalised[i, j]
    seen = "–" if np.isnan(rate) else f"{rate:.3f}"
    return f"{seen} [{found.low[i, j]:.3f}, {found.high[i, j]:.3f}]"


def _cell(found: Confusion, i: int, j: int) -> Cell:
    rate = float(np.nan_to_num(found.normalised[i, j]))
    small = len(found.labels) <= _INTERVALS
    told = _rate(found, i, j) if small or found.counts[i, j] else ""
    return Cell(text=f"{found.counts[i, j]:,}", shade=round(_SHADES * rate), told=told, shown=small)


def pair_matrix(result: Ranking) -> Pairs:
    """Lay out the verdicts, or without a ROPE the probability that the row is better than the column."""
    names = [model.name for model in result.by_rank]
    recipe, question = result.recipe, result.recipe.question
    rows = [(isolated(a), tuple(None if a == b else _pair_cell(result, a, b) for b in names)) for a in names]
    symbols = any(pair.decision is not None for pair in result.pairwise)
    slider = None
    if symbols and question.rope is not None:
        far = max(max(abs(pair.delta.hdi.low), abs(pair.delta.hdi.high)) for pair in result.pairwise)
        slider = slider_of(question.rope, Interval(-far, far), recipe.metric.high - recipe.metric.low)
    return Pairs(
        names=tuple(map(isolated, names)),
        rows=tuple(rows),
        symbols=symbols,
        slider=slider,
        data=json.dumps(live_data(question)) if symbols else "",
    )


def _pair_cell(result: Ranking, a: str, b: str) -> PairCell:
    pair = result.pair(a, b)
    n = pair.delta.worth(len(result.draws))
    contrast = pair.contrast
    difference = f"{isolated(a)} − {isolated(b)}: {estimate_text(pair.delta, sign=True)}"
    if contrast.decision is None:
        up = result.recipe.metric.higher_is_better
        chance = percent(contrast.prob_above_zero if up else contrast.prob_below_zero, n)
        text = chance if result.recipe.rope is None else "–"
        return PairCell(text=text, told=f"{difference}; better with probability {chance}", kind="")
    return PairCell(
        text=symbol_text(contrast.decision),
        told=f"{difference}; {isolated(contrast.decision.text)}",
        kind=_KINDS.get(contrast.decision.symbol, ""),
        data=judged_data(pair.delta, contrast.rope_path, n),
    )
