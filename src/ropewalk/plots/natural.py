"""The natural picture of every kind of result: what its method `plot` draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, Final

from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import Axes
from ropewalk.plots.budget import plot_budget
from ropewalk.plots.checks import plot_discrepancy
from ropewalk.plots.confusion import plot_confusion
from ropewalk.plots.curves import plot_calibration, plot_cost, plot_pr, plot_roc
from ropewalk.plots.intervals import draw_differences, plot_per_class, plot_prior_sensitivity
from ropewalk.plots.planning import plot_power
from ropewalk.plots.population import plot_shrinkage
from ropewalk.plots.posterior import plot_posterior
from ropewalk.plots.ranking import plot_ranking
from ropewalk.plots.triangle import plot_triangle
from ropewalk.report.describe.prospects import is_wide
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE, QUIET
from ropewalk.report.triangle import triangles
from ropewalk.results import (
    Battery,
    Check,
    ClassComparisons,
    ClassicalTest,
    Comparison,
    Confusion,
    Evaluation,
    Gate,
    LabelPlan,
    MetricPosterior,
    Nemenyi,
    PowerRow,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Slices,
    StoppingResult,
    Validated,
)
from ropewalk.results.budget import BudgetPlan
from ropewalk.results.classical import TITLES
from ropewalk.results.curves import CalibrationCurve, Curve, PrCurve, RocCurve
from ropewalk.results.planning import Study
from ropewalk.results.pooled import PooledEstimates, PopulationComparison
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import count_of

ROW: Final = 0.24  # inches
LEAST_P: Final = 1e-6  # smaller p-values stand at the edge
_SHADES: Final = (
    (Verdict.A_BETTER, "A better", ABOVE, 0.8),
    (Verdict.EQUIVALENT, "equivalent", INSIDE, 0.8),
    (Verdict.B_BETTER, "B better", BELOW, 0.8),
)


@singledispatch
def plot(result: Any, ax: Any = None) -> Any:  # noqa: ARG001
    """Draw the natural picture of a result, and return its axes; of an evaluation by several metrics those of each."""
    raise InvalidInputError(
        f"There is no picture of {type(result).__name__}.", hint="to_html() writes a page, and ropewalk.plots has more."
    )


for _kind, _draw in {
    Comparison: plot_posterior,
    MetricPosterior: plot_posterior,
    ClassComparisons: plot_per_class,
    PriorSensitivity: plot_prior_sensitivity,
    Ranking: plot_ranking,
    Confusion: plot_confusion,
    PredictiveCheck: plot_discrepancy,
    RocCurve: plot_roc,
    PrCurve: plot_pr,
    CalibrationCurve: plot_calibration,
    Curve: plot_cost,
    Study: plot_power,
    BudgetPlan: plot_budget,
    PooledEstimates: plot_shrinkage,
}.items():
    plot.register(_kind, lambda result, ax=None, draw=_draw: draw(result, ax=ax))


@plot.register
def _(result: PopulationComparison, ax: Any = None) -> Any:
    """Draw the units where each is known with its error; else where most of them lie, or the difference."""
    if result.units:
        return plot_shrinkage(result, ax=ax)
    return plot_triangle(result, ax=ax) if triangles(result) else plot_posterior(result, ax=ax)


@plot.register
def _(result: Evaluation, ax: Any = None) -> Any:
    metrics = result.metrics
    if len(metrics) == 1:
        return plot_posterior(metrics[0], ax=ax)
    shape, height = (len(metrics), 1), canvas.HEIGHT * len(metrics)
    wanted = f"{len(metrics)} axes, one per metric"
    panels = canvas.panels_of(ax, shape, "plot", wanted=wanted, figsize=(canvas.WIDTH, height)).reshape(-1)
    for metric, panel in zip(metrics, panels, strict=True):
        plot_posterior(metric, ax=panel)
    return panels


@plot.register
def _(result: Gate, ax: Any = None) -> Any:
    """Draw the comparison behind a requirement, or its difference on every task; of several requirements one each."""
    groups = [checks for _, checks in result.by_requirement]
    if len(groups) == 1:
        return _requirement(groups[0], ax)
    wanted = f"{len(groups)} axes, one per requirement"
    figsize = (canvas.WIDTH, canvas.HEIGHT * len(groups))
    panels = canvas.panels_of(ax, (len(groups), 1), "plot", wanted=wanted, figsize=figsize).reshape(-1)
    for checks, panel in zip(groups, panels, strict=True):
        _requirement(checks, panel)
    return panels


def _requirement(checks: Sequence[Check], ax: Any) -> Any:
    if len(checks) == 1:
        return plot(checks[0].comparison, ax)
    ordered = sorted(checks, key=lambda check: -check.comparison.improvement.mean)
    return draw_differences([(str(check.task), check.comparison) for check in ordered], ("task", "tasks"), "plot", ax)


@plot.register
def _(result: Slices, ax: Any = None) -> Any:
    """Draw the difference on every slice, that where A does worst first."""
    rows = [(s.name, s.comparison) for s in result.by_difference]
    return draw_differences(rows, ("slice", "slices"), "plot", ax)


@plot.register
def _(result: Validated, ax: Any = None) -> Any:
    return plot(result.test, ax)


@plot.register
def _(result: StoppingResult, ax: Any = None) -> Any:
    """Stack the conclusive verdicts of studies that stop, and of those that look once."""
    rows: Mapping[str, PowerRow] = {"looking often": result.row, f"all {result.max_n:,} items": result.fixed}
    drawn = canvas.axes(ax, "plot", height=0.9 + 2 * ROW)
    for i, row in enumerate(rows.values()):
        left = 0.0
        for verdict, name, colour, opacity in _SHADES:
            share = float(row.decisions.get(verdict, 0.0))
            drawn.barh(i, share, left=left, color=colour, alpha=opacity, label=name if i == 0 else None)
            left += share
    drawn.set_xlim(0, 1)
    drawn.legend(fontsize=canvas.SMALL, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    title = f"Stops after {result.mean_n:,.0f} of {result.max_n:,} items on average"
    return _named(drawn, list(rows), x="share of studies", title=title)


@plot.register
def _(result: LabelPlan, ax: Any = None) -> Any:
    """Draw which expected loss is left after so many more items."""
    drawn = canvas.axes(ax, "plot")
    rows = result.rows
    drawn.plot([row.n for row in rows], [row.loss for row in rows], color=ABOVE, marker="o", markersize=3)
    if result.max_loss is not None:
        canvas.rule(drawn, result.max_loss, across=True)
    if is_wide(numbers := [row.n for row in rows]):
        drawn.set_xscale("log")
        drawn.xaxis.set_minor_locator(canvas.mpl("ticker").NullLocator())
        drawn.set_xticks(numbers, [f"{n:,}" for n in numbers])
    drawn.set_ylim(0, None)
    drawn.set_ylabel("expected loss")
    width, _ = canvas.room_of(drawn)
    canvas.name_axes(drawn, width, x="more items", title=f"Loss of shipping {canvas.short(result.better)}")
    return drawn


@plot.register
def _(result: ClassicalTest, ax: Any = None) -> Any:
    return _p_values({result.name: result.p_value}, ax, title=f"{result.name}, n = {result.n:,}")


@plot.register
def _(result: Battery, ax: Any = None) -> Any:
    values = {TITLES.get(key, key): test.p_value for key, test in result.tests.items() if test is not None}
    if not values:
        raise InvalidInputError(
            "No test of this battery was carried out: there is nothing to draw.", hint="its text says why."
        )
    title = f"{canvas.short(result.a)} − {canvas.short(result.b)}, {count_of(result.n_items, 'item')}"
    return _p_values(values, ax, title=title)


def _p_values(values: Mapping[str, float], ax: Any, *, title: str) -> Axes:
    """Draw p-values below each other, on a scale of powers of ten."""
    drawn = canvas.axes(ax, "plot", height=0.9 + ROW * len(values))
    drawn.set_xscale("log")
    drawn.set_xlim(min(LEAST_P, 0.1), 2.0)
    drawn.scatter([max(p, LEAST_P) for p in values.values()], range(len(values)), s=14, color=INK, zorder=3)
    canvas.rule(drawn, 0.05)
    return _named(drawn, list(values), x="p-value", title=title)


@plot.register
def _(result: Nemenyi, ax: Any = None) -> Any:
    """Draw Demšar's diagram: average ranks, 1 is best, and bars over those that cannot be told apart."""
    order = sorted(result.ranks, key=result.ranks.__getitem__)
    drawn = canvas.axes(ax, "plot", height=0.9 + ROW * (len(order) + len(result.groups) / 3))
    drawn.scatter([result.ranks[name] for name in order], range(len(order)), s=14, color=INK, zorder=3)
    for i, group in enumerate(result.groups):
        ranks, y = [result.ranks[name] for name in group], len(order) - 0.4 + i / 3
        drawn.plot([min(ranks), max(ranks)], [y, y], color=QUIET, linewidth=2.5, label="not told apart")
    drawn.set_xlim(0.8, len(order) + 0.2)
    title = f"Critical difference {result.critical_difference:.2f} at {result.alpha:g}"
    return _named(drawn, order, x=f"average rank of {result.n:,}", title=title, extra=len(result.groups) / 3)


def _named(ax: Axes, names: list[str], *, x: str, title: str, extra: float = 0.0) -> Axes:
    """Name rows from the top down, the axis across and the picture."""
    ax.set_yticks(range(len(names)), [canvas.short(name, 28) for name in names])
    ax.set_ylim(len(names) - 0.5 + extra, -0.5)
    width, _ = canvas.room_of(ax, beside=canvas.BESIDE)
    ax.set_xlabel(x)
    ax.set_title(canvas.folded(canvas.minus(title), width, canvas.TEXT))
    canvas.quieten(ax)
    canvas.with_signs(ax)
    return ax
