"""What every reader's own ROPE would say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk.draws.decision import Piece, path_text
from ropewalk.plots._letters import BESIDE, fitted, folded, minus, plain_ticks, room_of, width_of, with_signs
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten, rule
from ropewalk.plots._subject import better_names, delta_words
from ropewalk.report.pictures.axes import ABOVE, BELOW, INK, INSIDE, LINE, QUIET
from ropewalk.results import Comparison, CrossComparison
from ropewalk.text.numbers import decimals
from ropewalk.text.verdicts import Verdict, rope_text
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_rope_curve"
_POINTS: Final = 301
_FAR: Final = 1.25  # how far the axis goes on after the last change of the verdict
_REACH: Final = 3.0
_STRIP: Final = (1.03, 1.15)  # where the verdicts stand, in units of the probability
_TOP: Final = 1.18
_HEIGHT: Final = 2.8
_LINE: Final = 9.0  # points from one row of the legend to the next
_NARROW: Final = 20.0  # points: too few for a name
_HANDLES: Final = 68.0  # points that the lines and gaps of the legend take


def plot_rope_curve(result: Comparison | CrossComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the probabilities of the three regions, and the verdict, against the half-width of a symmetric ROPE.

    The ROPE that was preset is marked: it is the one that counts. Without one there are the probabilities alone, and no
    verdict. Under ``rule="probability"`` the dotted line is the mass that a region needs to decide.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns.
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
    preset = c.rope.high if c.rope is not None and c.rope.low == -c.rope.high else None
    top = _top(c, preset)
    width, _ = room_of(ax, beside=BESIDE)
    rows = _curves(ax, c, top, width)
    if c.rope_path is not None:
        _strip(ax, c, top, width)
    if c.recipe.rule == "probability" and c.rope_path is not None:
        rule(ax, c.recipe.prob, across=True)
    note = _mark(ax, c, preset, top)
    ax.set_xlim(0.0, top)
    ax.set_ylim(-0.02, _TOP if c.rope_path is not None else 1.02)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_ylabel("probability")
    ax.set_xlabel(folded(f"half-width of the ROPE, {delta_words(c)}{note}", width, TEXT))
    ax.set_title(folded(_headline(c), width, TEXT), pad=7.0 + rows * _LINE)
    quieten(ax)
    plain_ticks(ax, "x", width)
    with_signs(ax)
    return ax


def _headline(c: Comparison) -> str:
    if c.rope_path is None:
        return "No verdict: " + (c.recipe.no_verdict.removeprefix("no verdict, since ") or "no ROPE was stated")
    return path_text(c.rope_path, decimals(c.delta))


def _top(c: Comparison, preset: float | None) -> float:
    """Return where the axis ends: after the last change of the verdict, and after the stated ROPE if that is near."""
    last = max(abs(end) for end in c.hdi)
    if c.rope_path:
        last = max(last, c.rope_path[-1].start)
    if last <= 0:
        return _FAR * (preset or 0.01)
    if preset is not None and preset <= _REACH * last:
        last = max(last, preset)
    return _FAR * last


def _curves(ax: Axes, c: Comparison, top: float, width: float) -> int:
    """Draw the probabilities with a legend above, and return how many rows that has."""
    ordered = np.sort(c.draws.delta())
    widths = np.linspace(0.0, top, _POINTS)
    below = np.searchsorted(ordered, -widths, side="left") / ordered.size
    above = 1.0 - np.searchsorted(ordered, widths, side="right") / ordered.size
    # The legend may be as wide as the picture: what handles, gaps and fixed words leave is for the two names.
    room = (width + BESIDE - _HANDLES - width_of("too close better better", SMALL)) / 2
    rows = 1 if room >= _NARROW else 3
    low, high = (f"{fitted(name, room if rows == 1 else width / 2, SMALL)} better" for name in better_names(c))
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
        handles, [name for _, name, _, _ in lines], ncols=3 // rows, loc="lower right", bbox_to_anchor=(1.0, 1.0),
        frameon=False, fontsize=SMALL, labelcolor=INK, handlelength=1.8, columnspacing=0.8, borderpad=0.0,
        borderaxespad=0.3, handletextpad=0.5, labelspacing=0.2,
    )  # fmt: skip
    return rows


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


def _mark(ax: Axes, c: Comparison, preset: float | None, top: float) -> str:
    """Mark the stated ROPE; return what to say of one that has no place on this axis."""
    if c.rope is None:
        return ""
    if preset is None:
        return f" (pre-set: {minus(rope_text(c.rope))}, not symmetric)"
    if preset > top:
        return f" (pre-set: ±{preset:g}, beyond this axis)"
    ax.vlines(preset, 0.0, 1.0, color=INK, linewidth=1.0, zorder=2.5, label="pre-set")
    leftwards = preset > top / 2
    ax.annotate(
        f"pre-set: ±{preset:g}", (preset, 0.5), (-3.0 if leftwards else 3.0, 0.0), textcoords="offset points",
        rotation=90, ha="right" if leftwards else "left", va="center", fontsize=SMALL, color=INK, zorder=3,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
    )  # fmt: skip
    return ""
