"""The scores of both classifiers together: what pairing buys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.draws.intervals import Interval
from ropewalk.plots import _letters as letters
from ropewalk.plots._letters import BESIDE, SMALL, TEXT, note
from ropewalk.plots._style import ROPE_ALPHA, WIDTH, axes, name_axes, of_kind, short
from ropewalk.plots._subject import NAME, better_names, metric_words
from ropewalk.report.pictures.axes import ABOVE, BELOW, INSIDE, QUIET, bulk, hull, view
from ropewalk.results import Comparison, CrossComparison
from ropewalk.text.numbers import decimals, number
from ropewalk.text.verdicts import rope_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_DRAWS: Final = 2_000  # more make a large file and no better picture
MAX_VIEW: Final = 5.0  # how many times as wide as the draws the picture may be, to show where both are equal
MIN_DRAWS: Final = 3  # that have a correlation
HEAD: Final = 16.0  # points above the axes, for a line of words
MIN_NAME_WIDTH: Final = 20.0  # points


@checked_keywords
def plot_joint(result: Comparison | CrossComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the posterior of both scores, A across and B up.

    On the diagonal both are equal, and in the grey strip around it their difference is inside the ROPE. Each dot is a
    draw; of many, 2,000 are shown, spread evenly over their order. Where classifiers that saw the same items are right
    and wrong together, the dots lie along the diagonal, and the difference is known better than either score.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_joint
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> ax = plot_joint(r)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('F1 of class 8: nb_mult', 'F1 of class 8: svm_l2')
    """
    c = of_kind(result, Comparison, "plot_joint", "compare")
    ax = axes(ax, "plot_joint", height=WIDTH)
    across, up = _views(c)
    _strip(ax, c, across)
    _dots(ax, c)
    ax.set_xlim(across.low, across.high)
    ax.set_ylim(up.low, up.high)
    ax.set_aspect("equal", adjustable="box")
    width, height = letters.room_of(ax, beside=BESIDE)
    metric = metric_words(c.recipe)
    ax.set_ylabel(letters.folded(f"{metric}: {short(c.b, NAME)}", height, TEXT))
    crossed = across.low < up.high and up.low < across.high
    name_axes(ax, width, x=f"{metric}: {short(c.a, NAME)}", title=_headline(c, crossed=crossed))
    side = min(letters.room_of(ax, above=HEAD, beside=BESIDE))
    letters.plain_ticks(ax, "x", side)
    letters.plain_ticks(ax, "y", side / 2)  # about as few as across
    lines = _name_sides(ax, c, side)
    ax.set_title(ax.get_title(), fontsize=TEXT, pad=HEAD + (lines - 1) * letters.LINE_HEIGHT)
    letters.with_signs(ax)
    return ax


def _views(c: Comparison) -> tuple[Interval, Interval]:
    """Return the parts of both axes to show: the same, so that the diagonal is one, unless the dots were a speck."""
    ranges = [
        bulk(np.sort(row), estimate.hdi)
        for row, estimate in zip(c.draws.psi, (c.estimate_a, c.estimate_b), strict=True)
    ]
    both = hull(ranges)
    side = max(r.high - r.low for r in ranges)
    if side == 0 or both.high - both.low <= MAX_VIEW * side:
        shown = view(both, margin=0.05)
        return shown, shown
    half = 0.75 * side
    across, up = (Interval(r.middle - half, r.middle + half) for r in ranges)
    return across, up


def _strip(ax: Axes, c: Comparison, across: Interval) -> None:
    """Draw the diagonal and, where it is the judge, the ROPE along it: B lies between A − high and A − low."""
    ends = np.array([across.low, across.high])
    ax.plot(ends, ends, color=QUIET, linewidth=0.8, linestyle=":", zorder=2, label="equal")
    if c.decision is None or c.rope is None:
        return
    far = 10 * (across.high - across.low)  # an open end lies beyond the picture
    low, high = max(c.rope.low, -far), min(c.rope.high, far)
    ax.fill_between(
        ends, ends - high, ends - low, color=INSIDE, alpha=ROPE_ALPHA, linewidth=0.0, zorder=0, label="ROPE"
    )
    for edge in c.rope:
        if math.isfinite(edge):
            ax.plot(ends, ends - edge, color=QUIET, linewidth=0.6, linestyle="--", zorder=1.1)


def _dots(ax: Axes, c: Comparison) -> None:
    step = math.ceil(len(c.draws) / MAX_DRAWS)
    a, b = c.draws.psi[:, step - 1 :: step]
    rope = c.rope if c.decision is not None and c.rope is not None else Interval(0.0, 0.0)
    colours = np.select([a - b < rope.low, a - b > rope.high], [BELOW, ABOVE], INSIDE)
    ax.scatter(a, b, s=4.0, c=colours.tolist(), linewidths=0.0, alpha=0.5, zorder=1.5, label="draws")


def _headline(c: Comparison, *, crossed: bool) -> str:
    """Write how the scores go together, what that does to their difference, and what the strip is."""
    a, b = c.draws.psi
    places = decimals(c.delta, c.delta.mc_error)
    apart = math.hypot(c.estimate_a.std, c.estimate_b.std)
    fixed = min(c.estimate_a.std, c.estimate_b.std) == 0 or len(c.draws) < MIN_DRAWS
    together = "–" if fixed else letters.minus(number(float(np.corrcoef(a, b)[0, 1]), 2, sign=True))
    headline = (
        f"correlation {together}; std of the difference {number(c.std, places)}, {number(apart, places)} if independent"
    )
    if not crossed:
        return f"{headline}; equal scores are far off"
    if c.decision is None or c.rope is None:
        return headline
    return f"{headline}; grey: ROPE {letters.minus(rope_text(c.rope))}"


def _name_sides(ax: Axes, c: Comparison, side: float) -> int:
    """Write above the axes who is better on which side of the diagonal, and return how many lines that takes."""
    room = side / 2 - letters.width_of(" better ◢ ", SMALL)
    lines = 1 if room >= MIN_NAME_WIDTH else 2
    low, high = (letters.fitted(name, room if lines == 1 else side, SMALL) for name in better_names(c))
    texts = ((0.0, "left", f"◤ {low} better", BELOW, lines - 1), (1.0, "right", f"{high} better ◢", ABOVE, 0))
    for x, edge, text, colour, line in texts:
        shift = (0.0, 3.0 + line * letters.LINE_HEIGHT)
        note(ax, text, (x, 1.0), shift, xycoords="axes fraction", ha=edge, va="bottom", color=colour)
    return lines
