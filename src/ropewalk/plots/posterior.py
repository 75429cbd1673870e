"""Posteriors: of one difference or score, and of the scores of two classifiers at once."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from ropewalk._checks import checked_keywords, choose
from ropewalk.draws.density import smooth
from ropewalk.draws.intervals import Interval
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes
from ropewalk.plots._subject import NAME, Share, Subject, better_names, metric_words, subject_of
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE, LINE, QUIET, Axis, bulk, clipped, hull, view
from ropewalk.results import Comparison, MetricPosterior
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import decimals, number, percent

Kind = Literal["histogram", "density"]

_CALLER: Final = "plot_posterior"
CURVE_POINTS: Final = 400
FOOT: Final = 12.0  # points below the base line, for the HDI
HEAD: Final = 11.0  # points above the highest bar, for the name of the ROPE
GAP: Final = 3.0  # points
MAX_DRAWS: Final = 2_000  # more make a large file and no better picture
MAX_VIEW: Final = 5.0  # how many times as wide as the draws the picture may be, to show where both are equal
MIN_DRAWS: Final = 3  # that have a correlation
JOINT_HEAD: Final = 16.0  # points above the axes, for a line of words
MIN_NAME_WIDTH: Final = 20.0  # points


@checked_keywords
def plot_posterior(result: Comparison | MetricPosterior, *, ax: Axes | None = None, kind: Kind = "histogram") -> Axes:
    """Draw the posterior of a difference A − B, or of one metric, coloured by region.

    Orange lies below the ROPE, grey inside and blue above it; without a ROPE the colours change at 0, and there is
    no verdict. The thick line is the HDI. Of an evaluation, draw one metric: ``plot_posterior(evaluation["f1"])``; it
    has regions where it was held against a bar.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns, or one metric of what `evaluate` returns.
    ax
        The axes to draw on; a new figure of one column's width by default.
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
    draw = choose(kind, {"histogram": _bars, "density": _curves}, "kind of picture")
    made_by = 'compare or evaluate(…)["f1"]'
    subject = subject_of(canvas.of_kind(result, (Comparison, MetricPosterior), _CALLER, made_by))
    ax = canvas.axes(ax, _CALLER)
    width, _ = canvas.room_of(ax)
    view = _view(subject, width)
    ax.set_xlim(view.low, view.high)
    above = 6.0 + canvas.LINE_HEIGHT * _write_shares(ax, subject.shares, width)
    canvas.name_axes(ax, width, x=subject.label + _beyond(subject, view), title=subject.title, pad=above)
    canvas.quieten(ax, bare=True)
    _, height = canvas.room_of(ax, above=above)
    peak = draw(ax, subject, view)
    tall = max(height - FOOT - HEAD, FOOT)
    foot, head = -peak * FOOT / tall, peak * (1 + HEAD / tall)
    ax.set_ylim(foot, head)
    base, top = foot / (foot - head), (peak - foot) / (head - foot)
    ax.axhline(0.0, color=LINE, linewidth=0.6, zorder=0.9)
    _landmarks(ax, subject, view, height=(base, top), width=width)
    _hdi_bar(ax, subject, foot / 2, view)
    canvas.with_signs(ax)
    return ax


def _landmarks(ax: Axes, subject: Subject, view: Axis, *, height: tuple[float, float], width: float) -> None:
    """Draw the ROPE, and 0 or the bar, from the base line up to a share of the height; their names stand above."""
    (base, top), rope = height, subject.rope
    at, signed = subject.posterior.origin, subject.posterior.signed
    if rope is not None:
        canvas.rope_band(ax, rope, view, foot=base, head=top)
        canvas.name_above(ax, canvas.rope_words(rope, view) if signed else "ROPE around the bar", rope, view, width)
    if at is not None and view.holds(at):
        ax.axvline(at, 0.0, top, color=QUIET, linewidth=0.8, linestyle=":", zorder=1)
        if rope is None and not signed:
            canvas.name_above(ax, "bar", Interval(at, at), view, width)


def _view(subject: Subject, width: float) -> Axis:
    """Return what to show: the draws, 0 and the ROPE if they are near, and room for the ends of the HDI in words."""
    view, hdi = subject.posterior.view(subject.rope), subject.posterior.estimate.hdi
    left, right = (canvas.width_of(text, SMALL) + 2 * GAP for text in _end_texts(subject, view))
    for _ in range(3):  # a wider axis makes words wider too; three rounds come close enough
        unit = (view.high - view.low) / width
        view = Axis(min(view.low, hdi.low - left * unit), max(view.high, hdi.high + right * unit))
    return view


def _beyond(subject: Subject, view: Interval) -> str:
    """Write how many draws are out of sight, if that is worth saying."""
    posterior = subject.posterior
    share = posterior.share_beyond(view)
    n_draws = posterior.estimate.worth(posterior.ordered.size)
    return f" ({percent(share, n_draws)} of the draws lie beyond)" if share else ""


def _end_texts(subject: Subject, view: Interval) -> tuple[str, str]:
    """Write the ends of the HDI, and on the roomier side what they are."""
    posterior = subject.posterior
    low, high = posterior.estimate.hdi
    places = decimals(posterior.estimate)
    left, right = (canvas.minus(number(end, places, sign=posterior.signed)) for end in (low, high))
    what = f"{posterior.mass} HDI"
    return (f"{what}  {left}", right) if low - view.low > view.high - high else (left, f"{right}  {what}")


def _bars(ax: Axes, subject: Subject, view: Axis) -> float:
    """Draw the histogram and return how high it rises; the areas are the regions' shares of the draws."""
    posterior = subject.posterior
    histogram = posterior.histogram(view)
    for region, (edges, heights) in zip(posterior.regions, histogram, strict=True):
        outline = QUIET if region.colour == LINE else None
        ax.stairs(heights, edges, fill=True, facecolor=region.colour, edgecolor=outline, linewidth=0.6, zorder=0.8)
    return max(float(heights.max()) for _, heights in histogram)


def _curves(ax: Axes, subject: Subject, view: Axis) -> float:
    """Draw the smooth density between the ends of each region, and return how high it rises."""
    posterior, peak = subject.posterior, 0.0
    if posterior.shown.low == posterior.shown.high:
        return _bars(ax, subject, view)
    for region in posterior.regions:
        part = clipped(region.ends, posterior.shown)
        if part is not None:
            grid = np.linspace(part.low, part.high, CURVE_POINTS)
            heights = smooth(posterior.ordered, grid)
            ax.fill_between(grid, heights, color=region.colour, linewidth=0.0, zorder=0.8)
            ax.plot(grid, heights, color=INK, linewidth=0.6, solid_capstyle="butt", zorder=0.85)
            peak = max(peak, float(heights.max()))
    return peak


def _hdi_bar(ax: Axes, subject: Subject, y: float, view: Interval) -> None:
    hdi = subject.posterior.estimate.hdi
    ax.plot([hdi.low, hdi.high], [y, y], color=INK, linewidth=2.5, solid_capstyle="butt", zorder=3, label="HDI")
    ax.plot([hdi.low, hdi.high], [y, y], "|", color=INK, markersize=5.0, markeredgewidth=1.0, zorder=3)
    sides = zip((hdi.low, hdi.high), _end_texts(subject, view), (-GAP, GAP), ("right", "left"), strict=True)
    for end, text, shift, side in sides:
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        canvas.note(ax, text, (end, y), (shift, 0.0), ha=side, va="center_baseline", bbox=ground, zorder=2)


def _write_shares(ax: Axes, shares: tuple[Share, ...], width: float) -> int:
    """Write the shares above the picture, in the order of the axis, and return how many lines that takes."""
    if not shares:
        return 0
    room = even = width / len(shares) - 2 * GAP
    if len(shares) == 3:  # noqa: PLR2004 - the middle one is short, and leaves room to the names on both sides
        room = max((width - canvas.width_of(shares[1].meaning, SMALL)) / 2 - 3 * GAP, even)
    for place, share in enumerate(shares):
        x = place / (len(shares) - 1)
        side = "left" if x == 0 else "right" if x == 1 else "center"
        meaning = canvas.fitted(share.meaning, room, SMALL)
        if share.name:
            meaning = f"{canvas.fitted(share.name, room - canvas.width_of(f' {meaning}', SMALL), SMALL)} {meaning}"
        for line, (text, weight) in enumerate(((meaning, "normal"), (share.text, "bold"))):
            look = {"ha": side, "va": "bottom", "color": share.colour, "fontweight": weight}
            shift = (GAP * (1 - 2 * x), 3.0 + line * canvas.LINE_HEIGHT)
            canvas.note(ax, text, (x, 1.0), shift, xycoords="axes fraction", **look)
    return 2


# -- two scores at once -----------------------------------------------------------------------------------


@checked_keywords
def plot_joint(result: Comparison, *, ax: Axes | None = None) -> Axes:
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
    c = canvas.of_kind(result, Comparison, "plot_joint", "compare")
    ax = canvas.axes(ax, "plot_joint", height=canvas.WIDTH)
    across, up = _views(c)
    _strip(ax, c, across)
    _dots(ax, c)
    ax.set_xlim(across.low, across.high)
    ax.set_ylim(up.low, up.high)
    ax.set_aspect("equal", adjustable="box")
    width, height = canvas.room_of(ax, beside=canvas.BESIDE)
    metric = metric_words(c.recipe)
    ax.set_ylabel(canvas.folded(f"{metric}: {canvas.short(c.b, NAME)}", height, TEXT))
    crossed = across.low < up.high and up.low < across.high
    canvas.name_axes(ax, width, x=f"{metric}: {canvas.short(c.a, NAME)}", title=_headline(c, crossed=crossed))
    side = min(canvas.room_of(ax, above=JOINT_HEAD, beside=canvas.BESIDE))
    canvas.plain_ticks(ax, "x", side)
    canvas.plain_ticks(ax, "y", side / 2)  # about as few as across
    lines = _name_sides(ax, c, side)
    ax.set_title(ax.get_title(), fontsize=TEXT, pad=JOINT_HEAD + (lines - 1) * canvas.LINE_HEIGHT)
    canvas.with_signs(ax)
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
        ends, ends - high, ends - low, color=INSIDE, alpha=canvas.ROPE_ALPHA, linewidth=0.0, zorder=0, label="ROPE"
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
    together = "–" if fixed else canvas.minus(number(float(np.corrcoef(a, b)[0, 1]), 2, sign=True))
    headline = (
        f"correlation {together}; std of the difference {number(c.std, places)}, {number(apart, places)} if independent"
    )
    if not crossed:
        return f"{headline}; equal scores are far off"
    if c.decision is None or c.rope is None:
        return headline
    return f"{headline}; grey: ROPE {canvas.minus(rope_text(c.rope))}"


def _name_sides(ax: Axes, c: Comparison, side: float) -> int:
    """Write above the axes who is better on which side of the diagonal, and return how many lines that takes."""
    room = side / 2 - canvas.width_of(" better ◢ ", SMALL)
    lines = 1 if room >= MIN_NAME_WIDTH else 2
    low, high = (canvas.fitted(name, room if lines == 1 else side, SMALL) for name in better_names(c))
    texts = ((0.0, "left", f"◤ {low} better", BELOW, lines - 1), (1.0, "right", f"{high} better ◢", ABOVE, 0))
    for x, edge, text, colour, line in texts:
        shift = (0.0, 3.0 + line * canvas.LINE_HEIGHT)
        canvas.note(ax, text, (x, 1.0), shift, xycoords="axes fraction", ha=edge, va="bottom", color=colour)
    return lines
