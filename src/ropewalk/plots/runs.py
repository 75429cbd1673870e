"""Methods by several runs: each run beside the interval of its method, and where the doubt comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ropewalk._checks import checked_keywords
from ropewalk.draws.intervals import Estimate
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import LINE_HEIGHT, SMALL, TEXT, Axes
from ropewalk.plots._subject import metric_words
from ropewalk.plots.intervals import MAX_HEIGHT, NAMES_SHARE, lettering, name_rows
from ropewalk.report.doubt import axis_of, differences_of, doubt_bar, methods_of
from ropewalk.report.pictures import INK, INSIDE, LINE, QUIET
from ropewalk.results import Comparison
from ropewalk.results.budget import BudgetPlan
from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsPosterior, RunsRanking

ROW: Final = 0.26  # inches
_MADE_BY: Final = "rw.compare, rw.evaluate or rw.rank with runs=, "
_KINDS: Final = (RunsComparison, RunsEvaluation, RunsPosterior, RunsRanking)
_SHADES: Final = (INK, INSIDE, LINE)
_HATCHES: Final = ("", "", "////")
_INKS: Final = ("white", "white", INK)


def _one(result: Any) -> Any:
    """Return what is drawn of an answer: an evaluation's first metric."""
    return result.metrics[0] if isinstance(result, RunsEvaluation) else result


@checked_keywords
def plot_runs(result: RunsComparison | RunsEvaluation | RunsPosterior | RunsRanking, *, ax: Axes | None = None) -> Axes:
    """Draw what each run scores (hollow), and what a run of the method is expected to score, with its HDI.

    Of two methods that share their runs, thin lines join the two scores of each run.

    Parameters
    ----------
    result
        What `compare`, `evaluate` and `rank` return with ``runs=``; of several metrics the first.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import numpy as np
    >>> import ropewalk as rw
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(0, 2, 200)
    >>> new, old = (np.where(random.random((3, 200)) < right, y, 1 - y) for right in (0.9, 0.7))
    >>> r = rw.compare(y, new, old, runs="independent", metric="accuracy", draws=1_000, rng=0)
    >>> ax = plot_runs(r)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['A', 'B']
    """
    answer = _one(canvas.of_kind(result, _KINDS, "plot_runs", _MADE_BY))
    if not answer.runs.a:
        raise InvalidInputError(
            "Answers that are sampled item by item have no runs to draw.", hint="plots.plot_posterior draws the answer."
        )
    methods = methods_of(answer)
    n = len(methods)
    drawn = canvas.axes(ax, "plot_runs", height=min(1.0 + ROW * n, MAX_HEIGHT))
    view = axis_of([m.estimate for m in methods], [run for m in methods for run in m.runs])
    drawn.set_xlim(view.low, view.high)
    drawn.set_ylim(n - 0.5, -0.5)
    canvas.quieten(drawn)
    drawn.spines["left"].set_visible(False)
    width, height = canvas.room_of(drawn, above=2 * LINE_HEIGHT)
    taken = name_rows(drawn, [canvas.short(m.name, 40) for m in methods], lettering(height / n), NAMES_SHARE * width)
    inner = max(width - taken, width / 3)
    drawn.set_xlabel(canvas.folded(metric_words(answer.recipe), inner, TEXT))
    canvas.plain_ticks(drawn, "x", inner)
    _runs(drawn, [m.runs for m in methods], joined=bool(differences_of(answer)) and isinstance(answer, Comparison))
    _intervals(drawn, [m.estimate for m in methods])
    _key(drawn, f"{100 * answer.recipe.prob:g}%")
    return drawn


def _runs(ax: Axes, runs: Sequence[tuple[float, ...]], *, joined: bool) -> None:
    if joined:
        for k, pair in enumerate(zip(*runs, strict=True)):
            ax.plot(pair, [0, 1], color=QUIET, linewidth=0.5, zorder=1, label=f"_run {k + 1}")
    for k, values in enumerate(runs):
        ax.scatter(
            values, [k] * len(values), s=16, facecolors="none", edgecolors=INK, linewidths=0.8, zorder=4,
            label="_runs" if k else "runs",
        )  # fmt: skip


def _intervals(ax: Axes, estimates: Sequence[Estimate]) -> None:
    """Draw the interval of each method a little below its runs."""
    below = [k + 0.25 for k in range(len(estimates))]
    lows, highs = [e.hdi.low for e in estimates], [e.hdi.high for e in estimates]
    ax.hlines(below, lows, highs, color=INK, linewidth=1.6, zorder=2, label="HDI")
    ax.scatter([e.mean for e in estimates], below, s=13, color=INK, zorder=3, label="mean")


def _key(ax: Axes, mass: str) -> None:
    line = canvas.mpl("lines").Line2D
    handles = [
        line([], [], color=INK, marker="o", linestyle="", markersize=4, markerfacecolor="none", markeredgewidth=0.8),
        line([], [], color=INK, marker="o", markersize=3.6, linewidth=1.6),
    ]
    ax.legend(
        handles, ["one run", f"expected of a run, {mass}"], loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2,
        fontsize=SMALL, frameon=False, handlelength=1.8, borderaxespad=0.2,
    )  # fmt: skip


@checked_keywords
def plot_doubt(
    result: RunsComparison | RunsEvaluation | RunsPosterior | RunsRanking | BudgetPlan, *, ax: Axes | None = None
) -> Axes:
    """Draw which share of the variance comes from items, from runs, and from what a run does by chance on an item.

    Parameters
    ----------
    result
        What `compare`, `evaluate` and `rank` return with ``runs=``, or a plan of items and runs.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import numpy as np
    >>> import ropewalk as rw
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(0, 2, 200)
    >>> new, old = (np.where(random.random((3, 200)) < right, y, 1 - y) for right in (0.9, 0.7))
    >>> r = rw.compare(y, new, old, runs="independent", metric="accuracy", draws=1_000, rng=0)
    >>> ax = plot_doubt(r)
    >>> [bar.get_label() for bar in ax.containers]
    ['items', 'runs', 'noise']
    """
    answer = _one(canvas.of_kind(result, (*_KINDS, BudgetPlan), "plot_doubt", f"{_MADE_BY}or rw.plan,"))
    if answer.components is None:
        raise InvalidInputError(
            "Where the doubt comes from cannot be told here.", hint="it takes two runs or more, random items and runs."
        )
    drawn = canvas.axes(ax, "plot_doubt", height=0.95)
    shares, start = doubt_bar(answer.components), 0.0
    width, _ = canvas.room_of(drawn)
    for k, share in enumerate(shares):
        drawn.barh(
            0, share.share, left=start, height=0.5, color=_SHADES[k], edgecolor="white" if k < 2 else QUIET,  # noqa: PLR2004
            hatch=_HATCHES[k], linewidth=0.6, label=share.words,
        )  # fmt: skip
        if share.share * width > canvas.width_of(share.text, SMALL) + SMALL and not _HATCHES[k]:
            canvas.note(drawn, share.text, (start + share.share / 2, 0), (0, 0), ha="center", color=_INKS[k])
        start += share.share
    drawn.set_xlim(0, 1)
    drawn.set_ylim(-0.4, 0.4)
    drawn.set_axis_off()
    patch = canvas.mpl("patches").Patch
    handles = [
        patch(facecolor=shade, hatch=hatch, edgecolor=QUIET, linewidth=0.6)
        for shade, hatch in zip(_SHADES, _HATCHES, strict=True)
    ]
    drawn.legend(
        handles, [f"{share.words} {share.text}" for share in shares], loc="upper center", bbox_to_anchor=(0.5, 0.0),
        ncols=3, fontsize=SMALL, frameon=False, handlelength=1.2, columnspacing=1.2, borderaxespad=0.2,
    )  # fmt: skip
    drawn.set_title(canvas.folded("Where the variance comes from", width, TEXT), fontsize=TEXT, color=INK)
    return drawn
