"""Draws in their order: their chains, how many independent draws they are worth, and their running mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.draws.intervals import Estimate
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.chains import LEAST_ESS, Diagnostics, effective
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes, Panels
from ropewalk.plots._series import draw_line, next_style
from ropewalk.plots._subject import NAME, Subject, delta_words, metric_words, subject_of
from ropewalk.report.describe.chains import ChainNumbers, chain_numbers, chain_values, delta_values, divergent
from ropewalk.report.pictures import INK, INSIDE, QUIET, hull, view
from ropewalk.report.words import can_diverge, rhat_text, step_text
from ropewalk.results import Comparison, MetricPosterior, Ranking
from ropewalk.text.writing import count_of, decimals, number
from ropewalk.typing import FloatArray, IntArray

TRACE_ROW: Final = 1.5  # inches
TRACE_REST: Final = 0.5  # inches that titles take
MAX_CHAIN_DRAWS: Final = 1_000  # more make a large file and no better picture
MAX_RANK_BINS: Final = 20
EVEN: Final = 0.42  # of the room of a chain, that its even bars take
ESS_POINTS: Final = 20
MIN_ESS_DRAWS: Final = 8  # of a chain, from which on something can be measured
HEADROOM: Final = 1.08
MAX_DRAWS: Final = 2_000
MAX_DOTS: Final = 50  # draws that can be told apart, and so are dots too
TEXT_APART: Final = 17.0  # points that a text of two lines needs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chained:
    """One number's draws (chains, draws), in words that are safe to draw, and what is known of it."""

    label: str
    values: FloatArray
    estimate: Estimate


def _chained(result: Any, caller: str) -> tuple[list[Chained], Any]:
    """Return the numbers of an answer by Markov chains, and the answer itself."""
    answer = canvas.of_kind(
        result, (Comparison, MetricPosterior, Ranking), caller, 'compare, rank or evaluate(…)["f1"]'
    )
    if answer.diagnostics is None:
        raise InvalidInputError(
            "These draws are independent, so there is no chain to trace.",
            hint='plot_draws shows them in order; engine="pymc" samples by Markov chains.',
        )
    return _numbers_of(answer), answer


def _numbers_of(answer: Comparison | MetricPosterior | Ranking) -> list[Chained]:
    """Return the scores of an answer, if they are known; of a comparison the difference first."""
    numbers: list[Chained] = []
    estimates: list[Any] = [getattr(answer, "estimate", None)]
    if isinstance(answer, Comparison):
        numbers.append(Chained(label=delta_words(answer), values=delta_values(answer)[0], estimate=answer.delta))
        estimates = [answer.estimate_a, answer.estimate_b]
    elif isinstance(answer, Ranking):
        estimates = [model.estimate for model in answer.models]
    if None in estimates:
        return numbers
    metric = metric_words(answer.recipe)
    for name, values, estimate in zip(answer.draws.names, chain_values(answer)[0], estimates, strict=True):
        numbers.append(Chained(label=f"{metric} of {canvas.short(name, NAME)}", values=values, estimate=estimate))
    return numbers


@checked_keywords
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
        Two axes per number to draw on; a new figure of two columns' width by default.

    Returns
    -------
    An array of the axes, one row per number.

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
    numbers, answer = _chained(result, "plot_trace")
    rows = len(numbers)
    size = (canvas.BOTH_COLUMNS, TRACE_ROW * rows + TRACE_REST)
    wanted = f"{2 * rows} axes, two for each number"
    panels = canvas.panels_of(ax, (rows, 2), "plot_trace", wanted=wanted, figsize=size, width_ratios=(2.4, 1.0))
    for (left, right), chained in zip(panels, numbers, strict=True):
        last = chained is numbers[-1]
        shown = chain_numbers(chained.values, MAX_CHAIN_DRAWS)
        _trace(left, chained.values, shown, divergent(answer))
        _ranks(right, chained.values, shown)
        if last:
            left.set_xlabel("draw of a chain" + ("" if shown.step == 1 else f" (one in {shown.step:,} is shown)"))
            right.set_xlabel("rank among all draws")
        for panel in (left, right):
            canvas.quieten(panel)
            if not last:
                panel.tick_params(labelbottom=False)
        right.spines["left"].set_visible(False)
        height = canvas.size_of(left)[1]
        left.set_ylabel(canvas.folded(chained.label, max(height, canvas.POINTS_PER_INCH), SMALL), fontsize=SMALL)
        canvas.plain_ticks(left, "y", height)
        left.xaxis.set_major_formatter("{x:,.0f}")
    panels[0, 0].set_title(_title(answer.diagnostics), fontsize=TEXT, loc="left")
    panels[0, 1].set_title("even: the chains agree", fontsize=TEXT, color=QUIET, loc="left")
    for panel in panels.reshape(-1):
        canvas.with_signs(panel)
    return panels


def _title(run: Diagnostics) -> str:
    """Write how many chains there are, by what, and the worst of the diagnostics."""
    by = f" by {step_text(run.step)}" if step_text(run.step) else ""
    lost = f", {run.divergences or 'none'} divergent" if can_diverge(run) else ""
    least = min(run.ess_bulk, run.ess_tail)
    state = "" if run.converged else "not converged: "
    diagnostics = f"R-hat {rhat_text(run.rhat)}, least ESS {least:,.0f}{lost}"
    return f"{count_of(run.chains, 'chain')}{by}; {state}{diagnostics}"


def _trace(ax: Axes, values: FloatArray, shown: ChainNumbers, diverged: IntArray) -> None:
    """Draw the chains on one another, and ticks where any of them diverged."""
    for i in shown.chains:
        colour = next_style(ax).colour
        ax.plot(shown.at + 1, values[i, shown.at], color=colour, linewidth=0.35, alpha=0.8, label=f"chain {i + 1}")
    ax.set_ylim(shown.axis.low, shown.axis.high)
    ax.set_xlim(0, values.shape[1] + 1)
    if diverged.size:
        ax.plot(
            diverged + 1, np.full(diverged.size, 0.02), "|", transform=ax.get_xaxis_transform(), color=INK,
            markersize=6, markeredgewidth=0.8, label="diverged",
        )  # fmt: skip


def _ranks(ax: Axes, values: FloatArray, shown: ChainNumbers) -> None:
    """Draw how the ranks of each chain's draws among all of them are spread, one chain above the other."""
    n_chains, n_draws = values.shape
    order = np.argsort(values, axis=None, kind="stable")
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)
    edges = np.linspace(0, order.size, min(MAX_RANK_BINS, n_draws) + 1)
    even = n_draws / (len(edges) - 1)
    for place, i in enumerate(shown.chains):
        style = next_style(ax)
        counts = np.histogram(ranks.reshape(n_chains, n_draws)[i], edges)[0]
        base = len(shown.chains) - 1 - place
        heights = base + np.minimum(EVEN * counts / even, 0.95)
        ax.stairs(heights, edges, baseline=base, fill=True, color=style.colour, linewidth=0)
        ax.plot([0, order.size], [base + EVEN] * 2, color=INK, linewidth=0.6, linestyle=":", label=f"chain {i + 1}")
    ax.set_xlim(0, order.size)
    ax.set_ylim(0, len(shown.chains))
    names = [f"chain {i + 1}" for i in reversed(shown.chains)]
    ax.set_yticks([base + EVEN for base in range(len(names))], names)
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([0, order.size], ["1", f"{order.size:,}"])


@checked_keywords
def plot_ess(result: Comparison | MetricPosterior, *, ax: Axes | None = None) -> Axes:
    """Draw how many independent draws those of Markov chains are worth, against how many there are.

    The bulk decides how well a mean is known, the tail how well the ends of an interval are. Both rise in a straight
    line where the chains mix; where they bend down, chains have got stuck, or found a new place late. Below the dotted
    line there is no verdict.

    Parameters
    ----------
    result
        What `compare` returns, or one metric of what `evaluate` returns, by Markov chains; of a comparison, it is the
        difference that is looked at.
    ax
        The axes to draw on; a new figure of one column's width by default.
    """
    numbers, _ = _chained(result, "plot_ess")
    first = numbers[0]
    ax = canvas.axes(ax, "plot_ess")
    n_chains, n_draws = first.values.shape
    fewest = min(max(n_draws // ESS_POINTS, MIN_ESS_DRAWS), n_draws)
    counts = np.unique(np.linspace(fewest, n_draws, ESS_POINTS).astype(np.int64))
    total = n_chains * counts
    top = float(total[-1])
    for kind in ("bulk", "tail"):
        style = next_style(ax)
        worth = [effective(first.values[:, :count], kind) for count in counts.tolist()]
        top = max(top, *worth) if kind == "bulk" else top
        draw_line(ax, total, worth, style, f"{kind}, {worth[-1]:,.0f} at last", marker=style.point, markersize=2.5)
    ax.plot([0, total[-1]], [0, total[-1]], color=QUIET, linewidth=0.8, linestyle="--", label="independent draws")
    ax.axhline(LEAST_ESS, color=INK, linewidth=0.8, linestyle=":", label=f"least for a verdict, {LEAST_ESS:,}")
    ax.set_xlim(0, total[-1] * 1.02)
    ax.set_ylim(0, HEADROOM * max(top, LEAST_ESS))
    width, _ = canvas.room_of(ax, beside=canvas.BESIDE)
    title = f"{first.label}: the mean is known to ±{first.estimate.mc_error:.1g}"
    canvas.name_axes(ax, width, x="draws of all chains", title=title, whole=True)
    ax.set_ylabel("effective number of draws")
    ax.legend(fontsize=SMALL, frameon=False, handlelength=2.2, labelcolor=INK, loc="upper left")
    canvas.plain_ticks(ax, "y", canvas.room_of(ax)[1], whole=True)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    canvas.with_signs(ax)
    return ax


@checked_keywords
def plot_draws(result: Comparison | MetricPosterior, *, ax: Axes | None = None) -> Axes:
    """Draw the draws in order, their running mean, and the mean and the HDI of all of them.

    Independent draws look like a band of even width from the first one on, and the running mean comes to rest. Those of
    Markov chains stand one chain after the other here; `plot_trace` lays the chains upon each other. Of many draws
    2,000 at most are shown, evenly spread, and the axis says so; the running mean is that of all draws.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns, or one metric of what `evaluate` returns.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_draws
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, draws=6_000, rng=0)
    >>> plot_draws(r).get_xlabel()
    'draw (one in 3 of 6,000 is shown)'
    """
    made_by = 'compare or evaluate(…)["f1"]'
    subject = subject_of(canvas.of_kind(result, (Comparison, MetricPosterior), "plot_draws", made_by))
    values, estimate = subject.posterior.values, subject.posterior.estimate
    ax = canvas.axes(ax, "plot_draws")
    step = math.ceil(values.size / MAX_DRAWS)
    at = np.arange(step - 1, values.size, step)
    running = np.cumsum(values)[at] / (at + 1)
    _lines(ax, estimate, at + 1, values[at], running)
    shown = view(hull([subject.posterior.shown], [float(running.min()), float(running.max())]))
    ax.set_ylim(shown.low, shown.high)
    ax.set_xlim(0, values.size + 1)
    thinned = "" if step == 1 else f" (one in {step:,} of {values.size:,} is shown)"
    width, height = canvas.room_of(ax, beside=2 * canvas.BESIDE)
    ax.set_ylabel(canvas.folded(subject.label, height, TEXT))
    canvas.name_axes(ax, width, x=f"draw{thinned}", title="Draws in order, and their running mean", whole=True)
    _, height = canvas.room_of(ax)
    canvas.plain_ticks(ax, "y", height)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    _say(ax, subject, (shown.high - shown.low) / max(height, 1.0))
    canvas.with_signs(ax)
    return ax


def _lines(ax: Axes, estimate: Estimate, order: IntArray, shown: FloatArray, running: FloatArray) -> None:
    dots = "." if order.size <= MAX_DOTS else None
    ax.plot(order, shown, color=INSIDE, linewidth=0.35, marker=dots, markersize=3, zorder=1, label="draws")
    for end in estimate.hdi:
        ax.axhline(end, color=INK, linewidth=0.8, linestyle="--", zorder=2, label="HDI")
    ax.axhline(estimate.mean, color=INK, linewidth=0.6, zorder=2, label="mean")
    ax.plot(order, running, color=INK, linewidth=1.3, zorder=3, label="running mean")


def _say(ax: Axes, subject: Subject, unit: float) -> None:
    """Write mean and HDI at the right of their lines; as one text where the lines are too close. `unit` is a point."""
    posterior = subject.posterior
    estimate, mass, signed = posterior.estimate, f"{posterior.mass} HDI", posterior.signed
    (low, high), mean = estimate.hdi, estimate.mean
    places = decimals(estimate)
    ends = [canvas.minus(number(end, places, sign=signed)) for end in (low, high)]
    middle = canvas.minus(number(mean, decimals(estimate, estimate.mc_error), sign=signed))
    if min(high - mean, mean - low) < TEXT_APART * unit:
        texts = [(mean, f"mean\n{middle}\n{mass}\n{ends[0]}\n{ends[1]}")]
    else:
        texts = [(high, f"{mass}\n{ends[1]}"), (mean, f"mean\n{middle}"), (low, f"{mass}\n{ends[0]}")]
    for y, text in texts:
        canvas.note(ax, text, (1.0, y), (3.0, 0.0), xycoords=ax.get_yaxis_transform(), linespacing=1.1)
