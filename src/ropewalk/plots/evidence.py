"""Evidence as a picture: what every reader's own ROPE would say, and the Savage-Dickey Bayes factor."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.draws.decision import path_text
from ropewalk.draws.density import kernel, scott
from ropewalk.draws.intervals import Interval, rope_masses
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes
from ropewalk.plots._subject import better_names, delta_words
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE, LINE, QUIET, bulk, hull, settled_colour, view
from ropewalk.report.posterior import verdict_stretches
from ropewalk.results import Comparison
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import decimals, factor, savage_dickey
from ropewalk.typing import FloatArray

ROPE_POINTS: Final = 301
BEYOND_LAST: Final = 1.25  # how far the axis goes on after the last change of the verdict
MAX_PRESET: Final = 3.0  # times the last change: a stated ROPE that is farther away is not on the axis
STRIP: Final = (1.03, 1.15)  # where the verdicts stand, in units of the probability
STRIP_TOP: Final = 1.18
MIN_NAME_WIDTH: Final = 20.0  # points
LEGEND_HANDLES: Final = 68.0  # points that the lines and gaps of the legend take
DENSITY_POINTS: Final = 400
DENSITY_MARGIN: Final = 0.15
MIN_DENSITY_NAMED: Final = 0.02  # of the highest
HEADROOM: Final = 1.1


@checked_keywords
def plot_rope_curve(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of the three regions, and the verdict, against the half-width of a symmetric ROPE.

    The ROPE that was preset is marked: it is the one that counts. Without one there are the probabilities alone, and no
    verdict. Under ``rule="probability"`` the dotted line is the mass that a region needs to decide.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_rope_curve
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> print(plot_rope_curve(r).get_title())
    ≈ holds from ±0.041 on
    """
    c = canvas.of_kind(result, Comparison, "plot_rope_curve", "compare")
    ax = canvas.axes(ax, "plot_rope_curve", height=2.8)
    preset = c.rope.high if c.rope is not None and c.rope.low == -c.rope.high else None
    top = _axis_end(c, preset)
    width, _ = canvas.room_of(ax, beside=canvas.BESIDE)
    rows = _curves(ax, c, top, width)
    if c.rope_path is not None:
        _strip(ax, c, top, width)
    if c.recipe.rule == "probability" and c.rope_path is not None:
        canvas.rule(ax, c.recipe.prob, across=True)
    remark = _mark(ax, c, preset, top)
    ax.set_xlim(0.0, top)
    ax.set_ylim(-0.02, STRIP_TOP if c.rope_path is not None else 1.02)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_ylabel("probability")
    label = f"half-width of the ROPE, {delta_words(c)}{remark}"
    canvas.name_axes(ax, width, x=label, title=_rope_headline(c), pad=7.0 + rows * canvas.LINE_HEIGHT)
    canvas.with_signs(ax)
    return ax


def _rope_headline(c: Comparison) -> str:
    if c.rope_path is None:
        return "No verdict: " + (c.no_verdict.removeprefix("no verdict, since ") or "no ROPE was stated")
    return path_text(c.rope_path, decimals(c.delta))


def _axis_end(c: Comparison, preset: float | None) -> float:
    """Return where the axis ends: after the last change of the verdict, and after the stated ROPE if that is near."""
    last = max(abs(end) for end in c.hdi)
    if c.rope_path:
        last = max(last, c.rope_path[-1].start)
    if last <= 0:
        return BEYOND_LAST * (preset or 0.01)
    if preset is not None and preset <= MAX_PRESET * last:
        last = max(last, preset)
    return BEYOND_LAST * last


def _curves(ax: Axes, c: Comparison, top: float, width: float) -> int:
    """Draw the probabilities with a legend above, and return how many rows that has."""
    widths, below, inside, above = rope_masses(np.sort(c.draws.delta()), top, ROPE_POINTS)
    # The legend may be as wide as the picture: what handles, gaps and fixed words leave is for the two names.
    room = (width + canvas.BESIDE - LEGEND_HANDLES - canvas.width_of("too close better better", SMALL)) / 2
    rows = 1 if room >= MIN_NAME_WIDTH else 3
    low, high = (f"{canvas.fitted(name, room if rows == 1 else width / 2, SMALL)} better" for name in better_names(c))
    lines: tuple[tuple[FloatArray, str, str, str], ...] = (
        (below, low, BELOW, "--"),
        (inside, "too close", INSIDE, "-"),
        (above, high, ABOVE, "-."),
    )
    handles = [
        ax.plot(widths, mass, color=colour, linestyle=line, linewidth=1.3, zorder=2)[0]
        for mass, _, colour, line in lines
    ]
    # Handles come with their names, so that one that starts with an underscore is not left out.
    ax.legend(
        handles, [name for _, name, _, _ in lines], ncols=3 // rows, loc="lower right", bbox_to_anchor=(1.0, 1.0),
        frameon=False, fontsize=SMALL, labelcolor=INK, handlelength=1.8, columnspacing=0.8, borderpad=0.0,
        borderaxespad=0.3, handletextpad=0.5, labelspacing=0.2,
    )  # fmt: skip
    return rows


def _strip(ax: Axes, c: Comparison, top: float, width: float) -> None:
    """Draw the verdicts along the top, each over the half-widths it holds for."""
    (low, high), up = STRIP, c.recipe.metric.higher_is_better
    for start, stop, verdict in verdict_stretches(c.rope_path, top):
        colour = settled_colour(verdict, higher_is_better=up) if verdict.conclusive else "white"
        ax.fill_between([start, stop], low, high, facecolor=colour, edgecolor=QUIET, linewidth=0.4, zorder=2)
        if (stop - start) / top * width > canvas.width_of(verdict.value, TEXT):
            ax.text(
                (start + stop) / 2, (low + high) / 2, verdict.value, ha="center", va="center_baseline", fontsize=TEXT,
                color=INK if colour == "white" else "white", zorder=3,
            )  # fmt: skip
    ax.axhline(1.0, color=LINE, linewidth=0.4, zorder=0)


def _mark(ax: Axes, c: Comparison, preset: float | None, top: float) -> str:
    """Mark the stated ROPE; return what to say of one that has no place on this axis."""
    if c.rope is None:
        return ""
    if preset is None:
        return f" (pre-set: {canvas.minus(rope_text(c.rope))}, not symmetric)"
    if preset > top:
        return f" (pre-set: ±{preset:g}, beyond this axis)"
    ax.vlines(preset, 0.0, 1.0, color=INK, linewidth=1.0, zorder=2.5, label="pre-set")
    shift, side = (-3.0, "right") if preset > top / 2 else (3.0, "left")
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
    canvas.note(ax, f"pre-set: ±{preset:g}", (preset, 0.5), (shift, 0.0), rotation=90, ha=side, zorder=3, bbox=ground)
    return ""


@checked_keywords
def plot_factor(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the prior and the posterior of A − B, and their densities at 0, whose ratio is the Bayes factor BF01.

    Both curves are Gaussian kernels with Scott's bandwidth, as the ratio itself is measured. Where the data raise the
    density at 0 they support equal classifiers, and where they lower it different ones.

    Parameters
    ----------
    result
        What `compare` returns, or `items` of what `cross_compare` does, under a model with a prior.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_factor
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> ax = plot_factor(r)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['posterior', 'prior']
    """
    c = canvas.of_kind(result, Comparison, "plot_factor", "compare")
    bf, prior, delta = _factor_of(c)
    ax = canvas.axes(ax, "plot_factor")
    shown = view(hull([bulk(np.sort(delta), c.hdi)], [0.0]), margin=DENSITY_MARGIN)
    posterior_top = _curve(ax, delta, shown, name="posterior", colour=INK, line="-")
    prior_top = _curve(ax, prior, shown, name="prior", colour=QUIET, line="--")
    top = max(posterior_top, prior_top, bf.density, bf.prior_density)
    canvas.rule(ax, 0.0)
    _dots(ax, bf, top, leftwards=float(np.median(delta)) > 0)
    ax.set_xlim(shown.low, shown.high)
    ax.set_ylim(0.0, HEADROOM * top)
    width, _ = canvas.room_of(ax, beside=canvas.BESIDE)
    ax.set_ylabel("density")
    ax.legend(fontsize=SMALL, frameon=False, handlelength=1.6, labelcolor=INK, loc=_free_place(delta, shown))
    canvas.name_axes(ax, width, x=delta_words(c), title=_factor_headline(bf))
    canvas.with_signs(ax)
    return ax


def _factor_of(c: Comparison) -> tuple[Any, FloatArray, FloatArray]:
    """Return the Bayes factor and the draws that it is made of, prior and posterior, or say why there are none."""
    bf = c.bayes_factor
    if bf is None or None in (bf.sd, bf.density, bf.prior_density) or c.prior_draws is None or c.sd_draws is None:
        reason = "" if bf is None else bf.reason
        raise InvalidInputError(
            f"There is no Savage-Dickey ratio to draw{f': {reason}' if reason else ''}.",
            hint="the papers' models have one: of two labels, or model='icdm2015', unless all draws are alike.",
        )
    return bf, c.prior_draws, c.sd_draws


def _curve(ax: Axes, draws: FloatArray, shown: Interval, *, name: str, colour: str, line: str) -> float:
    """Draw a density and return how high it rises."""
    width = scott(draws)
    if not width:
        return 0.0
    grid = np.union1d(np.linspace(shown.low, shown.high, DENSITY_POINTS), [0.0])
    heights = kernel(draws, grid, width)
    ax.plot(grid, heights, color=colour, linewidth=1.2, linestyle=line, zorder=2, label=name)
    return float(heights.max())


def _factor_headline(bf: Any) -> str:
    """Write the ratio, and what it means."""
    text, equal, different = savage_dickey(bf), "Δ = 0", "Δ ≠ 0"
    likelier, other = (equal, different) if bf.sd >= 1 else (different, equal)
    headline = f"BF01 {text}: the data are over 100 times as likely if {different} as if {equal}"
    if not text.startswith("<"):
        times = factor(max(bf.sd, 1 / bf.sd))
        headline = f"BF01 = {text}: the data are {times} times as likely if {likelier} as if {other}"
    return headline if bf.sd_reliable else f"{headline} (rough: few draws near 0)"


def _dots(ax: Axes, bf: Any, top: float, *, leftwards: bool) -> None:
    """Mark the densities at 0, and write how large they are.

    At the height of the posterior's dot the side away from its heap is free; the prior is flat, and free above.
    """
    away = -5.0 if leftwards else 5.0
    for height, colour, shift in ((bf.density, INK, (away, 0.0)), (bf.prior_density, QUIET, (-away, 6.0))):
        ax.plot([0.0], [height], "o", color=colour, markersize=4.5, markeredgecolor="white", zorder=4)
        if colour == INK and height < MIN_DENSITY_NAMED * top:  # a dot on the axis says it
            continue
        canvas.note(
            ax, f"{height:.3g}", (0.0, height), shift, ha="right" if shift[0] < 0 else "left", color=colour, zorder=3
        )


def _free_place(delta: FloatArray, shown: Interval) -> Literal["upper left", "upper center", "upper right"]:
    """Return where at the top neither the posterior nor the line at 0 is."""
    middle, width = float(np.median(delta)), shown.high - shown.low
    if abs(middle) > width / 2:
        return "upper center"
    return "upper left" if middle > shown.middle else "upper right"
