"""What every reader's own ROPE would say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk._colours import ABOVE, BELOW, INK, INSIDE, LINE, QUIET
from ropewalk.decision import Piece, Verdict
from ropewalk.plots._letters import BESIDE, fitted, folded, minus, plain_ticks, room_of, width_of
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten, rule
from ropewalk.plots._subject import better_names, delta_words
from ropewalk.report.numbers import decimals
from ropewalk.results import Comparison, CrossComparison
from ropewalk.typing import FloatArray
from ropewalk.wording import path_text, rope_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_rope_curve"
_POINTS: Final = 301
_FAR: Final = 1.25  # how far the axis goes on after the last change of the verdict
_REACH: Final = 3.0
_STRIP: Final = (1.03, 1.15)  # where the verdicts stand, in units of the probability
_TOP: Final = 1.18
_HEIGHT: Final = 2.8
_HANDLES: Final = 68.0  # points that the lines and gaps of the legend take


def plot_rope_curve(result: Comparison | CrossComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of the three regions, and the verdict, against the half-width of a symmetric ROPE.

    The ROPE that was stated is marked: it is the one that counts. Without one there are the probabilities alone, and no
    verdict. Under ``rule="probability"`` the dotted line is the mass that a region needs to decide.

    Parameters
    ----------
    result
        What `compare`, `compare_scores` or `cross_compare` returns.
    ax
        The axes to draw on; a new figure of one column's width unless given.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_rope_curve
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> print(plot_rope_curve(r).get_title())
    ≈ holds from ±0.041 on
    """
    c = of_kind(result, Comparison, _CALLER, "compare")
    ax = axes(ax, _CALLER, height=_HEIGHT)
    stated = c.rope.high if c.rope is not None and c.rope.low == -c.rope.high else None
    top = _top(c, stated)
    width, height = room_of(ax, beside=BESIDE)
    _curves(ax, c, top, width)
    if c.rope_path is not None:
        _strip(ax, c, top, width)
    if c.recipe.rule == "probability" and c.rope_path is not None:
        rule(ax, c.recipe.prob, across=True)
    note = _mark(ax, c, stated, top)
    ax.set_xlim(0.0, top)
    ax.set_ylim(-0.02, _TOP if c.rope_path is not None else 1.02)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_ylabel(folded("posterior probability", height, TEXT))
    ax.set_xlabel(folded(f"half-width of the ROPE, {delta_words(c)}{note}", width, TEXT))
    ax.set_title(folded(_headline(c), width, TEXT), pad=16.0)
    quieten(ax)
    plain_ticks(ax, SMALL)
    return ax


def _headline(c: Comparison) -> str:
    if c.rope_path is None:
        return "No verdict: " + (c.recipe.no_verdict.removeprefix("no verdict, since ") or "no ROPE was stated")
    return path_text(c.rope_path, decimals(c.delta))


def _top(c: Comparison, stated: float | None) -> float:
    """Return where the axis ends: after the last change of the verdict, and after the stated ROPE if that is near."""
    last = max(abs(end) for end in c.hdi)
    if c.rope_path:
        last = max(last, c.rope_path[-1].start)
    if last <= 0:
        return _FAR * (stated or 0.01)
    if stated is not None and stated <= _REACH * last:
        last = max(last, stated)
    return _FAR * last


def _curves(ax: Axes, c: Comparison, top: float, width: float) -> None:
    ordered = np.sort(c.draws.delta())
    widths = np.linspace(0.0, top, _POINTS)
    below = np.searchsorted(ordered, -widths, side="left") / ordered.size
    above = 1.0 - np.searchsorted(ordered, widths, side="right") / ordered.size
    # The legend may be as wide as the axes: what handles, gaps and fixed words leave is for the two names.
    room = (width - _HANDLES - width_of("too close better better", SMALL)) / 2
    low, high = (f"{fitted(name, room, SMALL)} better" for name in better_names(c))
    lines: tuple[tuple[FloatArray, str, str, str], ...] = (
        (below, low, BELOW, "--"),
        (1.0 - below - above, "too close", INSIDE, "-"),
        (above, high, ABOVE, "-."),
    )
    handles = [
        ax.plot(widths, mass, color=colour, linestyle=line, linewidth=1.3, zorder=2)[0]
        for mass, _, colour, line in lines
    ]
    # Handles come with their names, so that one that starts with an underscore is not left out.
    ax.legend(
        handles, [name for _, name, _, _ in lines], ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0),
        frameon=False, fontsize=SMALL, labelcolor=INK, handlelength=2.0, columnspacing=1.0, borderpad=0.2,
    )  # fmt: skip


def _strip(ax: Axes, c: Comparison, top: float, width: float) -> None:
    """Draw the verdicts along the top, each over the half-widths it holds for."""
    low, high = _STRIP
    for piece in c.rope_path or ():
        stop = top if piece.stop is None else min(piece.stop, top)
        if piece.start >= stop:
            continue
        colour = _tone(piece, up=c.recipe.metric.higher_is_better)
        ax.fill_between([piece.start, stop], low, high, facecolor=colour, edgecolor=QUIET, linewidth=0.4, zorder=2)
        if (stop - piece.start) / top * width > width_of(piece.verdict.value, TEXT):
            ink = INK if colour == "white" else "white"
            middle = (piece.start + stop) / 2
            ax.text(
                middle, (low + high) / 2, piece.verdict.value, ha="center", va="center_baseline", fontsize=TEXT,
                color=ink, zorder=3,
            )  # fmt: skip
    ax.axhline(1.0, color=LINE, linewidth=0.4, zorder=0)


def _tone(piece: Piece, *, up: bool) -> str:
    if piece.verdict is Verdict.EQUIVALENT:
        return INSIDE
    if not piece.verdict.conclusive:
        return "white"
    return ABOVE if (piece.verdict is Verdict.A_BETTER) == up else BELOW


def _mark(ax: Axes, c: Comparison, stated: float | None, top: float) -> str:
    """Mark the stated ROPE; return what to say of one that has no place on this axis."""
    if c.rope is None:
        return ""
    if stated is None:
        return f" (stated: {minus(rope_text(c.rope))}, not symmetric)"
    if stated > top:
        return f" (stated: ±{stated:g}, beyond this axis)"
    ax.vlines(stated, 0.0, 1.0, color=INK, linewidth=1.0, zorder=2.5, label="stated")
    leftwards = stated > top / 2
    ax.annotate(
        f"stated: ±{stated:g}", (stated, 0.5), (-3.0 if leftwards else 3.0, 0.0), textcoords="offset points",
        rotation=90, ha="right" if leftwards else "left", va="center", fontsize=SMALL, color=INK, zorder=3,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
    )  # fmt: skip
    return ""
