"""The scores of both classifiers together: what pairing buys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk._colours import ABOVE, BELOW, INSIDE, QUIET
from ropewalk.intervals import Interval
from ropewalk.plots._band import ALPHA
from ropewalk.plots._letters import BESIDE, fitted, folded, minus, plain_ticks, room_of, width_of
from ropewalk.plots._span import bulk, span
from ropewalk.plots._style import SMALL, TEXT, WIDTH, axes, of_kind, quieten, words
from ropewalk.plots._subject import NAME, better_names, metric_words
from ropewalk.report.numbers import decimals, number
from ropewalk.results import Comparison, CrossComparison
from ropewalk.typing import FloatArray
from ropewalk.wording import rope_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_joint"
_SHOWN: Final = 2_000  # draws at most: more make a large file and no better picture
_SMALLEST: Final = 5.0  # how many times as wide as the draws the picture may be, to show where both are equal
_FEW: Final = 3


def plot_joint(result: Comparison | CrossComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the posterior of both scores, A across and B up.

    On the diagonal both are equal, and in the grey strip around it their difference is inside the ROPE. Each dot is a
    draw; of many, 2,000 are shown, spread evenly over their order. Where classifiers that saw the same items are right
    and wrong together, the dots lie along the diagonal, and the difference is known better than either score.

    Parameters
    ----------
    result
        What `compare`, `compare_scores` or `cross_compare` returns.
    ax
        The axes to draw on; a new figure of one column's width unless given.

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
    c = of_kind(result, Comparison, _CALLER, "compare")
    ax = axes(ax, _CALLER, height=WIDTH)
    across, up = _views(c)
    _strip(ax, c, across)
    _dots(ax, c)
    ax.set_xlim(across.low, across.high)
    ax.set_ylim(up.low, up.high)
    ax.set_aspect("equal", adjustable="box")
    width, height = room_of(ax, beside=BESIDE)
    metric = metric_words(c.recipe)
    ax.set_xlabel(folded(f"{metric}: {words(c.a, NAME)}", width, TEXT))
    ax.set_ylabel(folded(f"{metric}: {words(c.b, NAME)}", height, TEXT))
    ax.set_title(folded(_headline(c), width, TEXT), pad=16.0)
    quieten(ax)
    for which in ("x", "y"):
        plain_ticks(ax, SMALL, which)
    ax.locator_params(nbins=5)
    _say(ax, c, width, crossed=across.low < up.high and up.low < across.high)
    return ax


def _views(c: Comparison) -> tuple[Interval, Interval]:
    """Return the parts of both axes to show: the same, so that the diagonal is one, unless the dots were a speck."""
    ranges = [
        bulk(np.sort(row), estimate.hdi)
        for row, estimate in zip(c.draws.psi, (c.estimate_a, c.estimate_b), strict=True)
    ]
    both = Interval(min(r.low for r in ranges), max(r.high for r in ranges))
    side = max(r.high - r.low for r in ranges)
    if side == 0 or both.high - both.low <= _SMALLEST * side:
        view = span(both, margin=0.05)
        return view, view
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
    ax.fill_between(ends, ends - high, ends - low, color=INSIDE, alpha=ALPHA, linewidth=0.0, zorder=0, label="ROPE")
    for edge in c.rope:
        if math.isfinite(edge):
            ax.plot(ends, ends - edge, color=QUIET, linewidth=0.6, linestyle="--", zorder=1.1)


def _dots(ax: Axes, c: Comparison) -> None:
    step = math.ceil(len(c.draws) / _SHOWN)
    a, b = c.draws.psi[:, step - 1 :: step]
    rope = c.rope if c.decision is not None and c.rope is not None else Interval(0.0, 0.0)
    colours = np.select([a - b < rope.low, a - b > rope.high], [BELOW, ABOVE], INSIDE)
    ax.scatter(a, b, s=4.0, c=colours.tolist(), linewidths=0.0, alpha=0.5, zorder=1.5, label="draws")


def _headline(c: Comparison) -> str:
    """Say how the scores go together, and what that does to their difference."""
    a, b = c.draws.psi
    places = decimals(c.delta, c.delta.mc_error)
    apart = math.hypot(c.estimate_a.std, c.estimate_b.std)
    told = f"std of A\u00a0−\u00a0B {number(c.std, places)}, {number(apart, places)} if independent"
    if min(c.estimate_a.std, c.estimate_b.std) == 0 or len(c.draws) < _FEW:
        return f"correlation –; {told}"
    return f"correlation {minus(number(_correlation(a, b), 2, sign=True))}; {told}"


def _correlation(a: FloatArray, b: FloatArray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def _say(ax: Axes, c: Comparison, width: float, *, crossed: bool) -> None:
    """Write above the axes who is better on which side of the diagonal, and name the strip."""
    judged = c.decision is not None and c.rope is not None
    strip = f"ROPE {minus(rope_text(c.rope))}" if judged and c.rope is not None else ""
    if not crossed:
        strip = "equal scores are far off"
    room = (width - width_of(f"{strip}◤ better  ◢ better  ", SMALL)) / 2
    low, high = (fitted(name, room, SMALL) for name in better_names(c))
    texts = ((0.0, "left", f"◤ {low} better", BELOW), (0.5, "center", strip, QUIET), (1.0, "right", f"{high} better ◢", ABOVE))
    for x, side, text, colour in texts:
        ax.annotate(
            text, (x, 1.0), (0.0, 3.0), xycoords="axes fraction", textcoords="offset points", ha=side, va="bottom",
            fontsize=SMALL, color=colour,
        )  # fmt: skip
