"""Units drawn towards each other, as page and plots show them: observed, shrunk, their mean, and the next one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.report.document import name
from ropewalk.report.pictures import Axis, Entry, Span, hull, view
from ropewalk.report.rows import Forest, Row, forest
from ropewalk.results.pooled import PooledUnit
from ropewalk.text.units import AS_IT_IS, metric_title
from ropewalk.text.writing import brief

MANY: Final = 12
"""Units, from more of which on a page helps to find one."""

MAX_NAME_LETTERS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrinkage:
    """Units, the one where A does best first, and the mean of all with its interval, in the unit of the scores.

    `next` is the interval of the next unit, None where there is no population; `what` one unit is called, and `where`
    the mean is over. `prob` is the mass of the intervals.
    """

    units: tuple[PooledUnit, ...]
    mean: Estimate
    next: Interval | None
    rope: Interval | None
    what: str
    where: str
    prob: float

    @property
    def is_shrunk(self) -> bool:
        """Whether units are drawn towards each other; else each has its own posterior."""
        return self.next is not None

    @property
    def axis(self) -> Axis:
        """The part of the numbers that is shown: all intervals, and the observed values that are not far from them."""
        intervals = [unit.estimate.hdi for unit in self.units]
        observed = [unit.observed for unit in self.units] if self.is_shrunk else []
        return view(hull([self.mean.hdi, *intervals]), [0.0, *(self.rope or ()), *(self.next or ()), *observed])


def shrinkage_of(answer: Any) -> Shrinkage | None:
    """Return the units of an answer about a population; None where it has none."""
    if not answer.units:
        return None
    question, population = answer.question, answer.population
    sign = -1 if question.higher_is_better else 1
    return Shrinkage(
        units=tuple(sorted(answer.units, key=lambda unit: sign * unit.estimate.mean)),
        mean=answer.delta,
        next=None if population is None else population.next_hdi,
        rope=question.rope,
        what=answer.what,
        where=answer.where,
        prob=question.prob,
    )


def shrinkage_forest(answer: Any) -> Forest | None:
    """Lay out the units of an answer for its page, below their mean and the next one; None where it has none."""
    shown = shrinkage_of(answer)
    if shown is None:
        return None
    unit, question = (answer.recipe.unit if answer.between else AS_IT_IS), answer.question
    a, b = map(name, answer.between or ("A", "B"))
    what = f"{metric_title(answer.metric)} of {a} − {b}" if answer.between else "estimate"
    totals = [Entry(label=f"mean of {shown.where}", estimate=shown.mean)]
    if shown.next is not None:
        totals.append(Entry(label=f"the next {shown.what}", estimate=replace(shown.mean, hdi=shown.next)))
    entries = [
        Entry(label=name(brief(one.name, MAX_NAME_LETTERS)), estimate=replace(one.estimate, observed=one.observed))
        for one in shown.units
    ]
    rows = forest(
        [*totals, *entries], question, head=shown.what, what=what, unit=unit, names=(a, b), axis=shown.axis
    )  # fmt: skip
    scale = unit.scale if question.higher_is_better else -unit.scale
    starts = [None] * len(totals) + [one.observed if shown.is_shrunk else None for one in shown.units]
    placed = (_started(row, start, scale, rows.axis) for row, start in zip(rows.rows, starts, strict=True))
    bands = [("mean", rows.rows[0]), *([("next", rows.rows[1])] if shown.is_shrunk else [])]
    return replace(
        rows,
        rows=tuple(placed),
        totals=len(totals),
        spans=tuple((look, Span(low=row.low, high=row.high)) for look, row in reversed(bands)),
        find=len(entries) > MANY,
        note=_note(shown, one_sided=question.rope is not None and question.rope.one_sided),
        left=rows.left if answer.between else "",
        right=rows.right if answer.between else "",
    )


def _started(row: Row, observed: float | None, scale: float, axis: Axis) -> Row:
    """Return a row with the place where it was observed, or the side on which that is out of sight."""
    if observed is None:
        return row
    value = scale * observed
    beyond = 0 if axis.holds(value) else 1 if value > axis.high else -1
    return replace(row, start=axis.at(value), beyond=beyond)


def _note(shown: Shrinkage, *, one_sided: bool) -> str:
    """Say what is drawn, and what the bands are."""
    mass = f"{100 * shown.prob:g}%"
    if shown.next is None:
        parts = [
            f"● the posterior of each {shown.what}, with its {mass} interval; that of their mean lies between the lines"
        ]
    else:
        parts = [
            f"○ observed, ● drawn towards the others, with its {mass} interval (◁ ▷ observed beyond the picture)",
            f"their mean lies between the solid lines, the next {shown.what} between the dashed ones, each with {mass}",
        ]
    if shown.rope is not None:
        parts.append("the tinted band is worse than allowed" if one_sided else "the grey band is too small to matter")
    return "; ".join(parts).capitalize() + "."
