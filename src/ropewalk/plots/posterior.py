"""The posterior of a difference, coloured by what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ropewalk._checks import choose
from ropewalk.draws.density import bin_width, bins, smooth
from ropewalk.draws.intervals import Interval
from ropewalk.draws.summary import count_below
from ropewalk.plots._band import name_above, rope_band, rope_words
from ropewalk.plots._letters import fitted, folded, minus, plain_ticks, room_of, width_of, with_signs
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten
from ropewalk.plots._subject import Part, Share, Subject, subject_of
from ropewalk.report.pictures.axes import INK, LINE, QUIET, bulk, clipped
from ropewalk.report.pictures.axes import view as span
from ropewalk.results import Comparison, CrossComparison, MetricPosterior
from ropewalk.text.numbers import decimals, number, percent
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["histogram", "density"]

_KINDS: Final[dict[str, Kind]] = {"histogram": "histogram", "density": "density"}
_CALLER: Final = "plot_posterior"
_POINTS: Final = 400  # of a smooth curve
_LINE: Final = 9.0  # points from one line of small text to the next
_FOOT: Final = 12.0  # points below the base line, for the HDI
_HEAD: Final = 11.0  # points above the highest bar, for the name of the ROPE
_NEEDLE: Final = 0.012  # width of a bar that stands for one value, as a share of the axis
_GAP: Final = 3.0
_SEEN: Final = 0.002  # of the draws out of sight is worth a word


def plot_posterior(
    result: Comparison | CrossComparison | MetricPosterior, *, ax: Axes | None = None, kind: Kind = "histogram"
) -> Axes:
    """Draw the posterior of a difference A − B, or of one metric, coloured by region.

    Orange lies below the ROPE, grey inside and blue above it; without a ROPE the colours change at 0, and there is
    no verdict. The thick line is the HDI. Of an evaluation, draw one metric: ``plot_posterior(evaluation["f1"])``; it
    has regions where it was held against a bar.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns, or one metric of what `evaluate` returns.
    ax
        The axes to draw on; a new figure of one column's width unless given.
    kind
        "histogram", whose areas are the probabilities and whose bins end exactly at the edges of the ROPE; or
        "density", a smooth curve.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_posterior
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> plot_posterior(r).get_xlabel()
    'Δ F1 of class 8: nb_mult − svm_l2'
    """
    way = choose(kind, _KINDS, "kind of picture")
    made_by = 'compare or evaluate(…)["f1"]'
    subject = subject_of(of_kind(result, (Comparison, MetricPosterior), _CALLER, made_by))
    ax = axes(ax, _CALLER)
    width, _ = room_of(ax)
    view = _view(subject, width)
    ax.set_xlim(view.low, view.high)
    ax.set_xlabel(folded(subject.label + _beyond(subject, view), width, TEXT))
    lines = _say_shares(ax, subject.shares, width)
    ax.set_title(folded(subject.title, width, TEXT), pad=6.0 + lines * _LINE)
    quieten(ax, bare=True)
    plain_ticks(ax, "x", width)
    _, height = room_of(ax, above=6.0 + lines * _LINE)
    peak = _draw(ax, subject, view, way)
    tall = max(height - _FOOT - _HEAD, _FOOT)
    foot, head = -peak * _FOOT / tall, peak * (1 + _HEAD / tall)
    ax.set_ylim(foot, head)
    base, top = foot / (foot - head), (peak - foot) / (head - foot)
    ax.axhline(0.0, color=LINE, linewidth=0.6, zorder=0.9)
    _landmarks(ax, subject, view, base, top)
    _hdi_bar(ax, subject, foot / 2, view)
    with_signs(ax)
    return ax


def _landmarks(ax: Axes, subject: Subject, view: Interval, base: float, top: float) -> None:
    """Draw the ROPE, and 0 or the bar, from the base line up to a share of the height; their names stand above."""
    if subject.rope is not None:
        rope_band(ax, subject.rope, view, foot=base, head=top)
        name = rope_words(subject.rope, view) if subject.signed else "ROPE around the bar"
        name_above(ax, name, subject.rope, view)
    at = subject.origin
    if at is not None and view.low <= at <= view.high:
        ax.axvline(at, 0.0, top, color=QUIET, linewidth=0.8, linestyle=":", zorder=1)
        if subject.rope is None and not subject.signed:
            name_above(ax, "bar", Interval(at, at), view)


def _view(subject: Subject, width: float) -> Interval:
    """Return what to show: the draws, 0 and the ROPE if they are near, and room for the ends of the HDI in words."""
    wanted = [*(subject.rope or ()), *([] if subject.origin is None else [subject.origin])]
    view = span(bulk(subject.ordered, subject.estimate.hdi), wanted)
    left, right = (width_of(text, SMALL) + 2 * _GAP for text in _end_texts(subject, view))
    hdi = subject.estimate.hdi
    for _ in range(3):  # a wider axis makes words wider too; three rounds come close enough
        unit = (view.high - view.low) / width
        view = Interval(min(view.low, hdi.low - left * unit), max(view.high, hdi.high + right * unit))
    return view


def _beyond(subject: Subject, view: Interval) -> str:
    """Say how many draws are out of sight, if that is worth saying."""
    ordered = subject.ordered
    out = count_below(ordered, view.low) + ordered.size - count_below(ordered, view.high, inclusive=True)
    if out < _SEEN * ordered.size:
        return ""
    return f" ({percent(out / ordered.size, subject.estimate.worth(ordered.size))} of the draws lie beyond)"


def _end_texts(subject: Subject, view: Interval) -> tuple[str, str]:
    """Write the ends of the HDI, and on the roomier side what they are."""
    low, high = subject.estimate.hdi
    places = decimals(subject.estimate)
    left, right = (minus(number(end, places, sign=subject.signed)) for end in (low, high))
    what = f"{100 * subject.prob:g}% HDI"
    return (f"{what}  {left}", right) if low - view.low > view.high - high else (left, f"{right}  {what}")


def _draw(ax: Axes, subject: Subject, view: Interval, kind: Kind) -> float:
    """Draw the parts and return how high they rise."""
    shown = bulk(subject.ordered, subject.estimate.hdi)
    if shown.low == shown.high:
        return _needles(ax, subject, view)
    draw = _curve if kind == "density" else _bars
    return max(draw(ax, part, subject.ordered, shown) for part in subject.parts)


def _needles(ax: Axes, subject: Subject, view: Interval) -> float:
    """Draw a needle where all draws are equal."""
    half = _NEEDLE * (view.high - view.low) / 2
    for part in subject.parts:
        value = float(part.draws[0])
        ax.stairs([1.0], [value - half, value + half], fill=True, color=part.colour, zorder=0.8)
    return 1.0


def _bars(ax: Axes, part: Part, ordered: FloatArray, shown: Interval) -> float:
    """Draw the histogram of one part; its area is the part's share of the draws."""
    width = bin_width(ordered, shown)
    low = min(max(part.low, float(ordered[0])), float(part.draws[0]))
    high = max(min(part.high, float(ordered[-1])), float(part.draws[-1]))
    if low >= high:  # draws at a single value, such as exactly 0
        low, high = float(part.draws[0]) - width / 2, float(part.draws[0]) + width / 2
    # Long tails beyond what is shown are one wide bin each, so that areas stay shares.
    seen = clipped(Interval(low, high), shown)
    inner = [] if seen is None else bins(seen.low, seen.high, width).tolist()
    edges = np.unique([low, *inner, high])
    heights = np.histogram(part.draws, edges)[0] / (ordered.size * np.diff(edges))
    outline = QUIET if part.colour == LINE else None
    ax.stairs(heights, edges, fill=True, facecolor=part.colour, edgecolor=outline, linewidth=0.6, zorder=0.8)
    return float(heights.max())


def _curve(ax: Axes, part: Part, ordered: FloatArray, shown: Interval) -> float:
    """Draw the smooth density between the ends of one part."""
    low, high = max(part.low, shown.low), min(part.high, shown.high)
    if low >= high:
        return 0.0
    grid = np.linspace(low, high, _POINTS)
    heights = smooth(ordered, grid)
    ax.fill_between(grid, heights, color=part.colour, linewidth=0.0, zorder=0.8)
    ax.plot(grid, heights, color=INK, linewidth=0.6, solid_capstyle="butt", zorder=0.85)
    return float(heights.max())


def _hdi_bar(ax: Axes, subject: Subject, y: float, view: Interval) -> None:
    hdi = subject.estimate.hdi
    ax.plot([hdi.low, hdi.high], [y, y], color=INK, linewidth=2.5, solid_capstyle="butt", zorder=3, label="HDI")
    ax.plot([hdi.low, hdi.high], [y, y], "|", color=INK, markersize=5.0, markeredgewidth=1.0, zorder=3)
    sides = zip((hdi.low, hdi.high), _end_texts(subject, view), (-_GAP, _GAP), ("right", "left"), strict=True)
    for end, text, shift, side in sides:
        ax.annotate(
            text, (end, y), (shift, 0.0), textcoords="offset points", ha=side, va="center_baseline", fontsize=SMALL,
            color=INK, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=2,
        )  # fmt: skip


def _say_shares(ax: Axes, shares: tuple[Share, ...], width: float) -> int:
    """Write the shares above the picture, in the order of the axis, and return how many lines that takes."""
    if not shares:
        return 0
    room = even = width / len(shares) - 2 * _GAP
    if len(shares) == 3:  # noqa: PLR2004 - the middle one is short, and leaves room to the names on both sides
        room = max((width - width_of(shares[1].meaning, SMALL)) / 2 - 3 * _GAP, even)
    for place, share in enumerate(shares):
        x = place / (len(shares) - 1)
        side = "left" if x == 0 else "right" if x == 1 else "center"
        said = fitted(share.meaning, room, SMALL)
        if share.name:
            said = f"{fitted(share.name, room - width_of(f' {said}', SMALL), SMALL)} {said}"
        for line, (text, weight) in enumerate(((said, "normal"), (share.text, "bold"))):
            ax.annotate(
                text, (x, 1.0), (_GAP * (1 - 2 * x), 3.0 + line * _LINE), xycoords="axes fraction",
                textcoords="offset points", ha=side, va="bottom", fontsize=SMALL, color=share.colour, fontweight=weight,
            )  # fmt: skip
    return 2
