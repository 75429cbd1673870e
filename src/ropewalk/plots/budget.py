"""How a budget is best split between items and runs."""

from __future__ import annotations

from typing import Any, Final

from ropewalk._checks import checked_keywords
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes
from ropewalk.report.budget_map import Curve, budget_map, log_ticks
from ropewalk.report.pictures import ABOVE, INK, QUIET, Axis
from ropewalk.results.budget import BudgetPlan

_DASHES: Final = (0, (5.0, 3.0))
_NEAR: Final = 0.12  # of the width from an edge


@checked_keywords
def plot_budget(result: BudgetPlan, *, ax: Axes | None = None) -> Axes:
    """Draw lines of equal standard deviation over items and runs, and lines of equal cost.

    The full dot is the best split, where the line of the budget just touches one of equal deviation; hollow dots are
    the best at the quartiles of the spread between runs, of which few runs say little. The cross is the data so far.

    Parameters
    ----------
    result
        What `plan` returns with ``components=``.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> parts = {"item": 0.15, "run": 0.0004, "noise": 0.1}
    >>> ax = plot_budget(rw.plan(components=parts, cost={"item": 1, "run": 40}, budget=1000))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('items', 'runs')
    """
    plan: BudgetPlan = canvas.of_kind(result, BudgetPlan, "plot_budget", "rw.plan with components=,")
    shown = budget_map(plan)
    drawn = canvas.axes(ax, "plot_budget", height=2.8)
    drawn.set_xscale("log")
    drawn.set_yscale("log")
    drawn.set_xlim(10**shown.items.low, 10**shown.items.high)
    drawn.set_ylim(10**shown.runs.low, 10**shown.runs.high)
    for curve in shown.stds:
        _line(drawn, curve, f"std {curve.text}", color=ABOVE, style="-")
    for curve in shown.costs:
        _line(drawn, curve, f"costs {curve.text}", color=INK, style=_DASHES)
    best, *others = shown.splits
    drawn.plot(*zip(*others, strict=True), "o", color=INK, markerfacecolor="white", markersize=4.5, label="quartiles")
    drawn.plot(*best, "o", color=INK, markersize=5.0, label="best")
    if shown.now is not None:
        drawn.plot(*shown.now, "x", color=INK, markersize=5.0, label="so far")
    drawn.set_xlabel("items")
    drawn.set_ylabel("runs")
    drawn.set_title(canvas.folded(plan.headline, canvas.room_of(drawn, beside=canvas.BESIDE)[0], TEXT), fontsize=TEXT)
    canvas.quieten(drawn)
    _ticks(drawn, "x", shown.items)
    _ticks(drawn, "y", shown.runs)
    return drawn


def _line(ax: Axes, curve: Curve, name: str, *, color: str, style: Any) -> None:
    """Draw a line, and its value where there is room."""
    items, runs = curve.points
    main = curve.times == 1
    ax.plot(items, runs, color=color, linestyle=style, linewidth=1.4 if main else 0.7, zorder=1, label=f"_{name}")
    if curve.named is None:
        return
    at = (float(items[curve.named]), float(runs[curve.named]))
    side = float(ax.transLimits.transform(ax.transScale.transform(at))[0])
    edge = "left" if side < _NEAR else "right" if side > 1 - _NEAR else "center"
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85}
    ax.text(
        *at, name, fontsize=SMALL - 1, color=color if main else QUIET, ha=edge, va="center", bbox=box, zorder=1.5
    )  # fmt: skip


def _ticks(ax: Axes, which: str, axis: Axis) -> None:
    """Write 1, 2 and 5 times powers of ten, as they are."""
    ticker = canvas.mpl("ticker")
    found = log_ticks(axis)
    along = getattr(ax, f"{which}axis")
    values = [float(tick.text.replace(",", "")) for tick in found]
    room = canvas.size_of(ax)[which == "y"]
    wide = max((canvas.width_of(tick.text, SMALL) for tick in found), default=SMALL) if which == "x" else SMALL
    every = max(int(-(-len(found) * (wide + SMALL) // max(room, 1.0))), 1)
    along.set_major_locator(ticker.FixedLocator(values[::every]))
    along.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    along.set_minor_locator(ticker.NullLocator())
