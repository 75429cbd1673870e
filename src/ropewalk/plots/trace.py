"""Markov chains: do they mix, do they agree, and where did they diverge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ropewalk._optional import require
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.diagnostics import Diagnostics
from ropewalk.plots._chains import Chained, chained_of
from ropewalk.plots._letters import folded, plain_ticks, with_signs
from ropewalk.plots._series import next_style
from ropewalk.plots._style import SMALL, TEXT, axes, quieten
from ropewalk.report.drawn import can_diverge, rhat_text, step_text
from ropewalk.report.pictures.axes import INK, QUIET, bulk
from ropewalk.report.pictures.axes import view as span
from ropewalk.report.pictures.chains import chain_numbers
from ropewalk.results import Comparison, MetricPosterior, Ranking
from ropewalk.text.names import count_of
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Panels: TypeAlias = npt.NDArray[np.object_]

_CALLER: Final = "plot_trace"
_SIZE: Final = (7.0, 1.5, 0.5)  # inches: both columns of a paper, a row, and what titles take
_RATIO: Final = (2.4, 1.0)
_SHOWN: Final = 1_000  # draws of a chain at most: more make a large file and no better picture
_BINS: Final = 20
_TALL: Final = 0.42  # of the room of a chain, that its even bars take
_POINTS: Final = 72.0


def plot_trace(result: Comparison | MetricPosterior | Ranking, *, ax: Any = None) -> Panels:
    """Draw the Markov chains behind an answer: of each number the chains in order, and how their ranks are spread.

    Chains that agree lie on one another, in a band of even width. On the right all draws are ranked together: the
    bars of a chain that explores what the others do are about as high as the dotted line, which is where all would be
    equal. Ticks at the bottom mark draws that diverged. Of many draws 1,000 of a chain are drawn, evenly spread, and of
    more than 12 chains those with the lowest mean to those with the highest.

    Parameters
    ----------
    result
        What `compare` or `rank` returns, or one metric of what `evaluate` returns, by Markov chains. Of a comparison
        the difference comes first, then both scores.
    ax
        Two axes for each number to draw on; a new figure of two columns' width unless given.

    Returns
    -------
    An array of the axes, a row for each number.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_trace
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rng=0)
    >>> plot_trace(r)
    Traceback (most recent call last):
        ...
    ropewalk.errors.InvalidInputError: These draws are independent, so there is no chain to trace.
    Hint: plot_draws shows them in order; engine="pymc" samples by Markov chains.
    """
    numbers, run, diverging = chained_of(result, _CALLER)
    panels = _panels(ax, len(numbers))
    for (left, right), one in zip(panels, numbers, strict=True):
        last = one is numbers[-1]
        shown = chain_numbers(one.values, _SHOWN).chains
        _trace(left, one, shown, diverging)
        _ranks(right, one.values, shown)
        if last:
            step = math.ceil(one.values.shape[1] / _SHOWN)
            left.set_xlabel("draw of a chain" + ("" if step == 1 else f" (one in {step:,} is shown)"))
            right.set_xlabel("rank among all draws")
        for panel in (left, right):
            quieten(panel)
            if not last:
                panel.tick_params(labelbottom=False)
        right.spines["left"].set_visible(False)
        _name(left, one)
        plain_ticks(left, "y", _room(left))
        left.xaxis.set_major_formatter("{x:,.0f}")
    panels[0, 0].set_title(_title(run), fontsize=TEXT, loc="left")
    panels[0, 1].set_title("even: the chains agree", fontsize=TEXT, color=QUIET, loc="left")
    for panel in panels.reshape(-1):
        with_signs(panel)
    return panels


def _panels(ax: Any, rows: int) -> Panels:
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot", caller=_CALLER)
        wide, row, rest = _SIZE
        how = {"figsize": (wide, row * rows + rest), "layout": "constrained", "width_ratios": _RATIO}
        return pyplot.subplots(rows, 2, squeeze=False, **how)[1]  # type: ignore[no-any-return]
    given: Panels = np.asarray(ax, dtype=np.object_).reshape(-1)
    if given.size != 2 * rows:
        raise InvalidInputError(
            f"`ax` must be {2 * rows} axes, two for each number; got {given.size}.",
            hint=f"fig, axes = plt.subplots({rows}, 2) makes them.",
        )
    for one in given:
        axes(one, _CALLER)
    return given.reshape(rows, 2)


def _title(run: Diagnostics) -> str:
    """Say how many chains there are, by what, and the worst of the diagnostics."""
    by = f" by {step_text(run.step)}" if step_text(run.step) else ""
    lost = f", {run.divergences or 'none'} divergent" if can_diverge(run) else ""
    least = min(run.ess_bulk, run.ess_tail)
    state = "" if run.converged else "not converged: "
    told = f"R-hat {rhat_text(run.rhat)}, least ESS {least:,.0f}{lost}"
    return f"{count_of(run.chains, 'chain')}{by}; {state}{told}"


def _trace(ax: Axes, one: Chained, shown: Sequence[int], diverging: Any) -> None:
    """Draw the chains on one another, and ticks where any of them diverged."""
    n_draws = one.values.shape[1]
    at = np.arange(0, n_draws, math.ceil(n_draws / _SHOWN))
    for i in shown:
        style = next_style(ax)
        ax.plot(at + 1, one.values[i, at], color=style.colour, linewidth=0.35, alpha=0.8, label=f"chain {i + 1}")
    seen = bulk(np.sort(one.values, axis=None), one.estimate.hdi)
    view = span(seen)
    ax.set_ylim(view.low, view.high)
    ax.set_xlim(0, n_draws + 1)
    where = np.array([]) if diverging is None else np.flatnonzero(np.asarray(diverging).any(axis=0)) + 1
    if where.size:
        ax.plot(
            where, np.full(where.size, 0.02), "|", transform=ax.get_xaxis_transform(), color=INK, markersize=6,
            markeredgewidth=0.8, label="diverged",
        )  # fmt: skip


def _ranks(ax: Axes, values: FloatArray, shown: Sequence[int]) -> None:
    """Draw how the ranks of each chain's draws among all of them are spread: one chain above the other."""
    n_chains, n_draws = values.shape
    order = np.argsort(values, axis=None, kind="stable")
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)
    edges = np.linspace(0, order.size, min(_BINS, n_draws) + 1)
    even = n_draws / (len(edges) - 1)
    for place, i in enumerate(shown):
        style = next_style(ax)
        counts = np.histogram(ranks.reshape(n_chains, n_draws)[i], edges)[0]
        base = len(shown) - 1 - place
        heights = base + np.minimum(_TALL * counts / even, 0.95)
        ax.stairs(heights, edges, baseline=base, fill=True, color=style.colour, linewidth=0)
        ax.plot([0, order.size], [base + _TALL] * 2, color=INK, linewidth=0.6, linestyle=":", label=f"chain {i + 1}")
    ax.set_xlim(0, order.size)
    ax.set_ylim(0, len(shown))
    ax.set_yticks([base + _TALL for base in range(len(shown))], [f"chain {i + 1}" for i in reversed(shown)])
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([0, order.size], ["1", f"{order.size:,}"])


def _room(ax: Axes) -> float:
    figure: Any = ax.figure
    return float(ax.bbox.height) * _POINTS / float(figure.dpi)


def _name(ax: Axes, one: Chained) -> None:
    ax.set_ylabel(folded(one.label, max(_room(ax), _POINTS), SMALL), fontsize=SMALL)
