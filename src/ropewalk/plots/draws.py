"""The draws in the order in which they were made, and whether their mean has come to rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk.draws.intervals import Interval
from ropewalk.draws.summary import Estimate
from ropewalk.plots._letters import BESIDE, folded, minus, plain_ticks, room_of, with_signs
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten
from ropewalk.plots._subject import Subject, subject_of
from ropewalk.report.pictures.axes import INK, INSIDE, bulk
from ropewalk.report.pictures.axes import view as span
from ropewalk.results import Comparison, CrossComparison, MetricPosterior
from ropewalk.text.numbers import decimals, number
from ropewalk.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_draws"
_SHOWN: Final = 2_000  # draws at most: more make a large file and no better picture
_FEW: Final = 50  # draws that can be told apart, and so are dots too
_APART: Final = 17.0  # points that a text of two lines needs


def plot_draws(result: Comparison | CrossComparison | MetricPosterior, *, ax: Axes | None = None) -> Axes:
    """Draw the draws in order, their running mean, and the mean and the HDI of all of them.

    Independent draws look like a band of even width from the first one on, and the running mean comes to rest. Those of
    Markov chains stand one chain after the other here; `plot_trace` lays the chains upon each other. Of many draws
    2,000 at most are shown, evenly spread, and the axis says so; the running mean is that of all draws.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns, or one metric of what `evaluate` returns.
    ax
        The axes to draw on; a new figure of one column's width unless given.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_draws
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, draws=6_000, rng=0)
    >>> plot_draws(r).get_xlabel()
    'draw (one in 3 of 6,000 is shown)'
    """
    found = of_kind(result, (Comparison, MetricPosterior), _CALLER, 'compare or evaluate(…)["f1"]')
    values = found.draws.psi[0] if isinstance(found, MetricPosterior) else found.draws.delta()
    subject = subject_of(found)
    ax = axes(ax, _CALLER)
    step = math.ceil(values.size / _SHOWN)
    at = np.arange(step - 1, values.size, step)
    running = np.cumsum(values)[at] / (at + 1)
    _lines(ax, subject.estimate, at + 1, values[at], running)
    seen = bulk(subject.ordered, subject.estimate.hdi)
    view = span(Interval(min(seen.low, float(running.min())), max(seen.high, float(running.max()))))
    ax.set_ylim(view.low, view.high)
    ax.set_xlim(0, values.size + 1)
    thinned = "" if step == 1 else f" (one in {step:,} of {values.size:,} is shown)"
    width, height = room_of(ax, beside=2 * BESIDE)
    ax.set_xlabel(folded(f"draw{thinned}", width, TEXT))
    ax.set_title(folded("Draws in order, and their running mean", width, TEXT))
    ax.set_ylabel(folded(subject.label, height, TEXT))
    quieten(ax)
    _, height = room_of(ax)
    plain_ticks(ax, "y", height)
    plain_ticks(ax, "x", width, whole=True)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    _say(ax, subject, (view.high - view.low) / max(height, 1.0))
    with_signs(ax)
    return ax


def _lines(ax: Axes, estimate: Estimate, order: IntArray, shown: FloatArray, running: FloatArray) -> None:
    dots = "." if order.size <= _FEW else None
    ax.plot(order, shown, color=INSIDE, linewidth=0.35, marker=dots, markersize=3, zorder=1, label="draws")
    for end in estimate.hdi:
        ax.axhline(end, color=INK, linewidth=0.8, linestyle="--", zorder=2, label="HDI")
    ax.axhline(estimate.mean, color=INK, linewidth=0.6, zorder=2, label="mean")
    ax.plot(order, running, color=INK, linewidth=1.3, zorder=3, label="running mean")


def _say(ax: Axes, subject: Subject, unit: float) -> None:
    """Write mean and HDI at the right of their lines; as one text where the lines are too close. `unit` is a point."""
    estimate, mass = subject.estimate, f"{100 * subject.prob:g}% HDI"
    (low, high), mean = estimate.hdi, estimate.mean
    places = decimals(estimate)
    ends = [minus(number(end, places, sign=subject.signed)) for end in (low, high)]
    middle = minus(number(mean, decimals(estimate, estimate.mc_error), sign=subject.signed))
    if min(high - mean, mean - low) < _APART * unit:
        texts = [(mean, f"mean\n{middle}\n{mass}\n{ends[0]}\n{ends[1]}")]
    else:
        texts = [(high, f"{mass}\n{ends[1]}"), (mean, f"mean\n{middle}"), (low, f"{mass}\n{ends[0]}")]
    for y, text in texts:
        ax.annotate(
            text, (1.0, y), (3.0, 0.0), xycoords=ax.get_yaxis_transform(), textcoords="offset points", ha="left",
            va="center", fontsize=SMALL, color=INK, linespacing=1.1,
        )  # fmt: skip
