"""Runs one by one beside the interval of their method, and where the doubt comes from: items, runs or noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk.draws.intervals import Estimate
from ropewalk.models.runs import Components
from ropewalk.report.document import Share, name
from ropewalk.report.pictures import Axis, Entry, hull, view
from ropewalk.report.rows import Forest, forest
from ropewalk.results.runs import RunsComparison
from ropewalk.text.units import metric_title
from ropewalk.text.writing import percent

PLENTY: Final = 1_000
"""Draws that shares of a variance are worth: they are known to about a hundredth."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method by its runs: what each scored, and what the next one is expected to score."""

    name: str
    runs: tuple[float, ...]
    estimate: Estimate


def methods_of(c: Any) -> tuple[Method, ...]:
    """Return the methods of an answer by runs, in its order."""
    return tuple(map(Method, c.runs.names, c.runs.observed, c.expected))


def differences_of(c: Any) -> tuple[float, ...]:
    """Return A − B run by run, where two methods share their runs; else nothing."""
    observed = c.runs.observed
    if c.runs.design != "shared" or len(observed) != len("AB"):
        return ()
    return tuple(a - b for a, b in zip(*observed, strict=True))


def axis_of(estimates: list[Estimate], runs: list[float], *wanted: float) -> Axis:
    """Return an axis that holds intervals, and all runs."""
    return view(hull([estimate.hdi for estimate in estimates], runs), wanted)


def run_forest(c: Any) -> Forest:
    """Lay out the runs of each method beside its interval."""
    methods, unit = methods_of(c), c.recipe.unit
    axis = axis_of([m.estimate for m in methods], [run for m in methods for run in m.runs])
    drawn = forest(
        [Entry(label=name(m.name), estimate=replace(m.estimate, observed=None)) for m in methods], c.question,
        head="method", what=f"{metric_title(c.recipe.metric.name)} of each run", unit=unit, is_difference=False,
        axis=axis,
    )  # fmt: skip
    rows = tuple(
        replace(row, dots=tuple(drawn.axis.at(unit.scale * run) for run in m.runs))
        for row, m in zip(drawn.rows, methods, strict=True)
    )
    mass = f"{100 * c.recipe.prob:g}%"
    return replace(drawn, rows=rows, note=f"○ one run; ● what a run is expected to score, with its {mass} interval.")


def difference_forest(c: RunsComparison) -> tuple[Forest, ...]:
    """Lay out the differences of runs that two methods share; nothing where they share none."""
    found = differences_of(c)
    if not found:
        return ()
    axis = axis_of([c.delta], list(found), 0.0, *(c.question.rope or ()))
    drawn = forest(
        [Entry(label="difference", estimate=c.delta, decision=c.decision)], c.question, head="shared runs",
        what="difference of each run", unit=c.recipe.unit, names=(name(c.a), name(c.b)), axis=axis,
    )  # fmt: skip
    scale = c.recipe.unit.scale * (1 if c.question.higher_is_better else -1)
    dots = tuple(drawn.axis.at(scale * value) for value in found)
    return (replace(drawn, rows=(replace(drawn.rows[0], dots=dots),), note="○ the difference of one shared run."),)


def doubt_bar(parts: Components) -> tuple[Share, ...]:
    """Return which share of the variance comes from items, runs and noise."""
    return tuple(Share(source, share, percent(share, PLENTY)) for source, share in parts.shares.items())
