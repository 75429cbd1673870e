"""A map of budgets: over items and runs, lines of equal standard deviation, and lines of equal cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ropewalk.report.pictures import Axis, Tick, line
from ropewalk.results.budget import BudgetPlan
from ropewalk.text.writing import count_of
from ropewalk.typing import FloatArray

STDS: Final = (0.5, 0.7, 1.0, 1.4, 2.0)
"""Lines of equal standard deviation, as multiples of that of the best split."""

BUDGETS: Final = (0.5, 1.0, 2.0)
"""Lines of equal cost, as multiples of the budget."""

_AROUND: Final = 3.0
_POINTS: Final = 200
_PLAIN: Final = 100.0
_LETTER: Final = 0.022  # of the width
_LINE: Final = 0.08  # of the height
_MARK: Final = 0.1  # of the width, around a point
_TRIED: Final = (0.85, 0.15, 0.5, 0.3, 0.7, 0.95, 0.05, 0.4, 0.6)
_MANY: Final = 6  # ticks, from more of which on narrow screens show every other one
_WIDE: Final = 1_000  # so many times as many: from there on only every power of ten is written


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A line on the map: its value, how many times that of the plan it is, and its points, (2, n): items and runs.

    `named` is the point where there is room for its value, if there is one.
    """

    value: float
    times: float
    points: FloatArray
    named: int | None = None

    @property
    def text(self) -> str:
        """The value in few digits."""
        return f"{self.value:,.0f}" if self.value >= _PLAIN else f"{self.value:.3g}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BudgetMap:
    """What is drawn of a plan: `items` and `runs` are the decimal logarithms that are shown.

    `splits` are the best one and those at the quartiles of the spread between runs, `now` what was observed, if known.
    """

    items: Axis
    runs: Axis
    stds: tuple[Curve, ...]
    costs: tuple[Curve, ...]
    splits: tuple[tuple[int, int], ...]
    now: tuple[float, float] | None

    def place(self, points: FloatArray) -> FloatArray:
        """Return where items and runs are, (2, n), as shares of the width and the height."""
        axes = (self.items, self.runs)
        logs = np.log10(points)
        return np.stack([(log - axis.low) / (axis.high - axis.low) for axis, log in zip(axes, logs, strict=True)])


def budget_map(plan: BudgetPlan) -> BudgetMap:
    """Lay out a plan: the best split is where a line of equal deviation just touches that of the budget."""
    parts, cost = plan.components, plan.cost
    splits = tuple((split.n_items, split.n_runs) for split in (plan.best, plan.low, plan.high))
    now = (float(parts.n_items), parts.n_runs) if parts.n_items > 1 else None  # 1 stands for what nobody said
    points = [*splits, *([] if now is None else [now])]
    items, runs = (_range([point[k] for point in points]) for k in range(2))

    def deviation(value: float) -> FloatArray:
        v = value**2
        return _curve(
            lambda n: (parts.run + parts.noise / n) / (v - parts.item / n),
            lambda r: (parts.item + parts.noise / r) / (v - parts.run / r),
            (items, runs),
        )

    def price(value: float) -> FloatArray:
        return _curve(
            lambda n: (value - cost.item * n) / (cost.run + cost.answer * n),
            lambda r: (value - cost.run * r) / (cost.item + cost.answer * r),
            (items, runs),
        )

    shown = BudgetMap(
        items=items,
        runs=runs,
        stds=_curves(plan.best.std, STDS, deviation),
        costs=_curves(plan.budget, BUDGETS, price),
        splits=splits,
        now=now,
    )
    return _named(shown)


def _named(shown: BudgetMap) -> BudgetMap:
    """Find places for the values of the lines, apart from each other and from the points; those of the plan first."""
    marks = [*shown.splits, *([] if shown.now is None else [shown.now])]
    taken = [(x, y, _MARK) for x, y in shown.place(np.array(marks, dtype=np.float64).T).T]
    named: dict[int, int] = {}
    for curve in sorted((*shown.costs, *shown.stds), key=lambda curve: curve.times != 1):
        at, wide = shown.place(curve.points).T, _LETTER * len(f"costs {curve.text}")
        for share in _TRIED:
            place = int(share * (len(at) - 1))
            x, y = float(min(max(at[place, 0], wide / 2), 1 - wide / 2)), float(at[place, 1])
            if all(abs(x - a) >= (wide + width) / 2 or abs(y - b) >= _LINE for a, b, width in taken):
                taken.append((x, y, wide))
                named[id(curve)] = place
                break
    stds, costs = (
        tuple(replace(curve, named=named.get(id(curve))) for curve in curves) for curves in (shown.stds, shown.costs)
    )
    return replace(shown, stds=stds, costs=costs)


def _range(values: list[float]) -> Axis:
    """Return the logarithms from a third of the least value, but at least 1, to three times the largest."""
    return Axis(math.log10(max(min(values) / _AROUND, 1.0)), math.log10(_AROUND * max(values)))


def _curves(base: float, times: tuple[float, ...], of: Callable[[float], FloatArray]) -> tuple[Curve, ...]:
    if not base > 0:
        return ()
    found = (Curve(factor * base, factor, of(factor * base)) for factor in times)
    return tuple(curve for curve in found if curve.points.shape[1] > 1)


def _curve(
    runs_of: Callable[[FloatArray], FloatArray], items_of: Callable[[FloatArray], FloatArray], seen: tuple[Axis, Axis]
) -> FloatArray:
    """Return the points of a falling line that are seen: along both axes, since it may be steep or flat."""
    items, runs = (np.geomspace(10**axis.low, 10**axis.high, _POINTS) for axis in seen)
    with np.errstate(divide="ignore", invalid="ignore"):
        points = np.concatenate([[items, runs_of(items)], [items_of(runs), runs]], axis=1)
        logs = np.log10(np.where(points > 0, points, np.nan))
    (low, high), (bottom, top) = seen
    near = 1e-9
    inside = (logs[0] >= low - near) & (logs[0] <= high + near) & (logs[1] >= bottom - near) & (logs[1] <= top + near)
    kept = points[:, inside]
    return np.asarray(kept[:, np.lexsort((-kept[1], kept[0]))])


# -- on a page ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A map in per cent: lines as (looks, path), their names as (x, y, words), points as (looks, x, y)."""

    description: str
    lines: tuple[tuple[str, str], ...]
    names: tuple[tuple[float, float, str], ...]
    points: tuple[tuple[str, float, float], ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    caption: str


def drawing(plan: BudgetPlan) -> Drawing:
    """Lay out the map of a plan for its page."""
    shown = budget_map(plan)
    lines, names = [], []
    for looks, curves, what in (("std", shown.stds, "std"), ("cost", shown.costs, "costs")):
        for curve in curves:
            x, y = shown.place(curve.points)
            lines.append((f"{looks}{' main' if curve.times == 1 else ''}", line(x, y)))
            if curve.named is not None:
                at = round(100 * float(x[curve.named]), 1), round(float(y[curve.named]), 3)
                names.append((*at, f"{what} {curve.text}"))
    (best, *others), now = shown.splits, shown.now
    points = [("other", *_at(shown, *other)) for other in others]
    points += [] if now is None else [("now", *_at(shown, *now))]
    points.append(("best", *_at(shown, *best)))
    return Drawing(
        description=f"Standard deviation over items and runs; the best split is {plan.headline}",
        lines=tuple(lines),
        names=tuple(names),
        points=tuple(points),
        across=log_ticks(shown.items),
        up=log_ticks(shown.runs),
        caption=(
            "Along a solid line the difference has the same standard deviation, along a dashed one the cost is the "
            f"same. ● {count_of(plan.n_runs, 'run')} × {count_of(plan.n_items, 'item')}, the best for the budget; "
            f"○ the best at the quartiles of the spread between runs{'' if now is None else '; × the data so far'}."
        ),
    )


def _at(shown: BudgetMap, items: float, runs: float) -> tuple[float, float]:
    return shown.items.at(math.log10(items)), shown.runs.at(math.log10(runs)) / 100


def log_ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return 1, 2 and 5 times powers of ten along logarithms; of a long axis the powers alone.

    Examples
    --------
    >>> [tick.text for tick in log_ticks(Axis(0.0, 1.0))]
    ['1', '2', '5', '10']
    """
    steps = (1,) if 10 ** (axis.high - axis.low) > _WIDE else (1, 2, 5)
    powers = range(math.floor(axis.low), math.floor(axis.high) + 1)
    values = [step * 10**power for power in powers for step in steps]
    seen = [value for value in values if axis.low <= math.log10(value) <= axis.high]
    every = 2 if len(seen) > _MANY else 1
    return tuple(Tick(axis.at(math.log10(value)), f"{value:,}", i % every == 0) for i, value in enumerate(seen))
