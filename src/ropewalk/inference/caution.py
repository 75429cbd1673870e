"""What a gate asks beyond the interval: it does not pass by the little that few items tell.

Where only a handful of items tell two systems apart, a posterior is sure too soon that little sets them apart: of 125
items without a difference it rules out a loss of 2 points, and of test sets with that very loss 8% look so. Counted
with half an item more on the other side, it is as sure as the exact bound of a rate is (Clopper and Pearson 1934).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import Interval
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models import measure
from ropewalk.results import Recipe
from ropewalk.text.verdicts import Verdict
from ropewalk.typing import BoolArray, CodeArray, FloatArray

FEW_ITEMS: Final = 30
"""Where fewer tell two systems apart, half an item more is counted."""

HALF_AN_ITEM: Final = 0.5
ERRORS: Final = 4
"""How many Monte Carlo errors the mass beyond a margin must keep from what is allowed."""

_SHARES: Final = 200  # of equal probability, that stand for all shares that half an item may have
_STEP: Final = 1e-6  # of the whole, by which a cell grows to see how the metric moves
_COLUMNS: Final = 500
_MAX_CELLS: Final = 20_000  # of a table in which the one that moves the metric most is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How much tells two systems apart: `n_apart` of `n_units` items or clusters.

    One more that speaks against A moves the difference by `down` times its share of all, and one for A by `up`.
    """

    n_apart: float
    n_units: int
    down: float
    up: float

    @property
    def shares(self) -> FloatArray:
        """Shares of all that half an item may have, equally probable."""
        from scipy.special import betaincinv

        middle = (np.arange(_SHARES) + 0.5) / _SHARES
        return np.asarray(betaincinv(HALF_AN_ITEM, max(self.n_units, 1), middle), dtype=np.float64)


def claimed_by(verdict: Verdict, rope: Interval, *, higher_is_better: bool) -> Interval:
    """Return where a conclusive verdict says that A − B lies.

    Examples
    --------
    >>> claimed_by(Verdict.EQUIVALENT, Interval(-0.02, math.inf), higher_is_better=True)
    Interval(low=-0.02, high=inf)
    >>> claimed_by(Verdict.B_BETTER, Interval(-0.02, math.inf), higher_is_better=True)
    Interval(low=-inf, high=-0.02)
    """
    if verdict is Verdict.EQUIVALENT:
        return rope
    above = (verdict is Verdict.A_BETTER) == higher_is_better
    return Interval(rope.high, math.inf) if above else Interval(-math.inf, rope.low)


def allowed_beyond(recipe: Recipe) -> float | None:
    """Return how much of the posterior may lie beyond a margin; None where the mass of a region decides anyway."""
    return round((1 - recipe.prob) / 2, 12) if recipe.rule == "hdi" else None


def mass_beyond(ordered: FloatArray, claimed: Interval, reach: Reach | None) -> float:
    """Return the largest mass of sorted draws beyond an end of what is claimed, with half an item more where few tell.

    Examples
    --------
    >>> draws = np.linspace(-0.05, 0.05, 1_001)
    >>> round(mass_beyond(draws, Interval(-0.04, math.inf), None), 2)
    0.1
    """
    few = reach if reach is not None and claimed.low < 0 < claimed.high else None  # of what says that little differs
    shares, down, up = (np.zeros(1), 0.0, 0.0) if few is None else (few.shares, few.down, few.up)
    masses = [0.0]
    if math.isfinite(claimed.low):
        masses.append(float(np.searchsorted(ordered, claimed.low + shares * down, side="left").mean()))
    if math.isfinite(claimed.high):
        inside = np.searchsorted(ordered, claimed.high - shares * up, side="right")
        masses.append(float((ordered.size - inside).mean()))
    return max(masses) / ordered.size


def reach_of(recipe: Recipe, tables: Sequence[Any]) -> Reach | None:
    """Return how little tells the two systems of some tables apart; None where it is enough, or no matter of items."""
    first = tables[0]
    if isinstance(first, ItemScores):
        return _of_scores(recipe, first) if len(tables) == 1 else None
    if any(not isinstance(table, Outcomes) or not table.n_items for table in tables):
        return None
    return _of_pairs(recipe, first) if len(tables) == 1 else _of_separate(recipe, tables[0], tables[1])


def _of_scores(recipe: Recipe, items: ItemScores) -> Reach | None:
    """Return the reach of a mean of items or of clusters of them."""
    metric, span = recipe.metric, recipe.model.score_range
    values = metric.item_values(items) if isinstance(metric, ScoreMetric) else None
    if not values or not items.n_items:
        return None
    low, high = span or (metric.low, metric.high)
    if not math.isfinite(high - low):
        return None
    apart = np.asarray(values[0] - values[1], dtype=np.float64)
    if items.weight is not None:
        apart = apart * items.weight
    by_unit = np.bincount(items.members, weights=apart, minlength=items.n_units)
    squares = float((by_unit**2).sum())
    effective = float(np.abs(by_unit).sum() ** 2 / squares) if squares else 0.0
    if effective >= FEW_ITEMS:
        return None
    return Reach(n_apart=effective, n_units=items.n_units, down=high - low, up=high - low)


def _of_pairs(recipe: Recipe, table: Outcomes) -> Reach | None:
    """Return the reach of two systems on the same items with one label each."""
    codes, m = table.codes, table.n_labels
    n_apart, n_units = _counted(table, codes[:, 1] != codes[:, 2])
    if n_apart >= FEW_ITEMS:
        return None
    labels = np.arange(m)
    other = (labels + 1) % m
    alone_b, alone_a = np.stack([labels, other, labels], axis=1), np.stack([labels, labels, other], axis=1)
    slopes = _slopes(recipe, table, np.concatenate([alone_b, alone_a]).astype(np.int32))
    if slopes is None:
        return None
    moves = slopes[0] - slopes[1]
    return Reach(n_apart=n_apart, n_units=n_units, down=max(-moves.min(), 0.0), up=max(moves.max(), 0.0))


def _of_separate(recipe: Recipe, a: Outcomes, b: Outcomes) -> Reach | None:
    """Return the reach of two systems on test sets of their own: errors of either tell them apart."""
    labels = np.arange(a.n_labels)
    wrong = np.stack([labels, (labels + 1) % a.n_labels], axis=1).astype(np.int32)
    counted = [_counted(table, table.codes[:, 0] != table.codes[:, 1]) for table in (a, b)]
    n_apart = sum(number for number, _ in counted)
    moves = [] if n_apart >= FEW_ITEMS else [_slopes(recipe, table, wrong) for table in (a, b)]
    if not moves or any(slopes is None for slopes in moves):
        return None
    worse = [float(np.abs(slopes[0]).max()) for slopes in moves if slopes is not None]
    down, up = worse if recipe.metric.higher_is_better else worse[::-1]
    return Reach(n_apart=n_apart, n_units=min(units for _, units in counted), down=down, up=up)


def _slopes(recipe: Recipe, table: Outcomes, beside: CodeArray) -> FloatArray | None:
    """Return how the metric moves with the share of cells that stand beside those of a table."""
    if len(table.codes) + len(beside) > _MAX_CELLS:
        return None
    counts = np.asarray(table.counts, dtype=np.float64)
    every = np.concatenate([table.codes, beside])
    probs = np.concatenate([counts / counts.sum(), np.zeros(len(beside))])
    slopes = slopes_of(recipe, every, probs, table.n_labels)[:, len(table.codes) :]
    return slopes if np.isfinite(slopes).all() else None


def _counted(table: Outcomes, which: BoolArray) -> tuple[float, int]:
    """Return how many items, or clusters, have some of these rows, and how many there are."""
    if table.clusters is None:
        return float(table.counts[which].sum()), int(table.n_items)
    return float(np.unique(table.clusters.cluster[which[table.clusters.row]]).size), int(table.clusters.n)


def reason_for(mass: float, allowed: float, reach: Reach | None) -> str:
    """Return why so much beyond a margin is too much."""
    told = f"{100 * mass:.1f}% of the posterior lie beyond the margin, and {100 * allowed:g}% may"
    if reach is None:
        return told
    number = math.floor(reach.n_apart)
    apart = (
        "no item tells"
        if not number
        else f"only {number} item{'s' if number > 1 else ''} tell{'' if number > 1 else 's'}"
    )
    return f"{apart} the two apart, and with half an item more {told}"


def slopes_of(recipe: Recipe, codes: CodeArray, probs: FloatArray, n_labels: int) -> FloatArray:
    """Return how each system's metric moves with the probability of every cell, (K, cells)."""
    cells, parts = Cells(codes, n_labels), []
    base = measure(recipe.metric, Weighted(cells, probs[:, np.newaxis]), recipe.prevalence)
    for start in range(0, len(probs), _COLUMNS):
        places = np.arange(start, min(start + _COLUMNS, len(probs)))
        moved = np.repeat(probs[:, np.newaxis], places.size, axis=1)
        moved[places, np.arange(places.size)] += _STEP
        parts.append((measure(recipe.metric, Weighted(cells, moved), recipe.prevalence) - base) / _STEP)
    return np.concatenate(parts, axis=1)
