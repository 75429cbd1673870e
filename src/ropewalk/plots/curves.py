"""Curves with credible bands: ROC, precision and recall, calibration, and any metric against the threshold."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.plots import _series as series
from ropewalk.plots._canvas import TEXT, Axes, axes, minus, of_kind, quieten, words
from ropewalk.plots._series import Style
from ropewalk.report.pictures import INK, LINE
from ropewalk.results.curves import CalibrationCurve, PrCurve, RocCurve, ThresholdCurve
from ropewalk.text.units import metric_title
from ropewalk.text.writing import number
from ropewalk.typing import FloatArray

SIDE: Final = 3.2  # inches: rates against rates are square
HULL_WIDTH: Final = 0.6
_UNIT: Final = (-0.02, 1.02)
_DIAGONAL: Final = np.array([[0.0, 0.0], [1.0, 1.0]])
MAX_MARK_AREA: Final = 14.0  # square points: the mark of the fullest bin
INFINITE_AT: Final = 0.975  # where an infinite threshold stands, as a share of the width
LONG_TAILS: Final = 2.0  # tails are long if they are as long as all the rest
FLAT_SHARE: Final = 0.03  # a tail moves by no more than this share of the range of the metric
BEST_STEP: Final = 0.03  # how far apart the intervals of best thresholds lie, as a share of the height


@checked_keywords
def plot_roc(curve: RocCurve, *, ax: Axes | None = None) -> Axes:
    """Draw a ROC curve with its bands; the thin line is its hull, the dotted one is guessing.

    Parameters
    ----------
    curve
        What `curves.roc` returns.
    ax
        Axes to draw on. On axes with a curve this one is drawn in the next colour and line.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> ax = plot_roc(rw.curves.roc(s["y_true"], s["nb_mult"], name="nb_mult", draws=200, rng=0))
    >>> ax.get_ylabel(), ax.lines[-1].get_label()
    ('true positive rate', 'nb_mult, AUC 0.976')
    """
    curve, drawn, style = _begin(curve, RocCurve, "plot_roc", "rw.curves.roc", ax, height=SIDE)
    series.reference(drawn, _DIAGONAL, "guessing")
    series.draw_band(drawn, curve.band, style)
    series.draw_line(drawn, curve.hull_fpr, curve.hull_tpr, style, "_hull", linewidth=HULL_WIDTH)
    series.draw_line(drawn, curve.fpr, curve.tpr, style, series.label_of(curve.name, f", AUC {number(curve.auc, 3)}"))
    _unit(drawn, "false positive rate", "true positive rate")
    series.key(drawn, "lower right")
    return drawn


@checked_keywords
def plot_pr(curve: PrCurve, *, ax: Axes | None = None) -> Axes:
    """Draw precision against recall with its bands; the dotted line is the precision of calling everything positive.

    Parameters
    ----------
    curve
        What `curves.pr` returns.
    ax
        Axes to draw on. On axes with a curve this one is drawn in the next colour and line.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> ax = plot_pr(rw.curves.pr(s["y_true"], s["nb_mult"], draws=200, rng=0))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('recall', 'precision')
    """
    curve, drawn, style = _begin(curve, PrCurve, "plot_pr", "rw.curves.pr", ax, height=SIDE)
    share = float(curve.precision[-1])  # at the lowest threshold everything is called positive
    series.reference(drawn, np.array([[0.0, share], [1.0, share]]), "all called positive")
    series.draw_band(drawn, curve.band, style)
    # At any recall the precision is that of the threshold where it is first reached, as in the bands.
    recall, first = np.unique(curve.recall, return_index=True)
    precision = np.append(curve.precision[first][1], curve.precision[first][1:])
    series.draw_line(drawn, recall, precision, style, series.label_of(curve.name), drawstyle="steps-pre")
    _unit(drawn, "recall", "precision")
    series.key(drawn, (0.02, 0.05 + share))  # just above the line of the reference
    return drawn


@checked_keywords
def plot_calibration(curve: CalibrationCurve, *, ax: Axes | None = None) -> Axes:
    """Draw how often it happens against how probable it was said to be; the area of a mark is the size of its bin.

    Parameters
    ----------
    curve
        What `curves.calibration` returns.
    ax
        Axes to draw on. On axes with a curve this one is drawn in the next colour and line.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> import ropewalk as rw
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2_000)
    >>> ax = plot_calibration(rw.curves.calibration(rng.random(2_000) < p, p, name="net", draws=200, rng=0))
    >>> ax.lines[-1].get_label()
    'net, 10 bins of 200'
    """
    curve, drawn, style = _begin(curve, CalibrationCurve, "plot_calibration", "rw.curves.calibration", ax, height=SIDE)
    series.reference(drawn, _DIAGONAL, "calibrated")
    series.draw_band(drawn, curve.band, style)
    few, most = int(curve.counts.min()), int(curve.counts.max())
    size = f"{few:,}" if few == most else f"{few:,}–{most:,}"
    bins = f", {curve.counts.size} bins of {size}" if curve.counts.size > 1 else f", 1 bin of {size}"
    series.draw_line(drawn, curve.predicted, curve.happened, style, series.label_of(curve.name, bins))
    areas = MAX_MARK_AREA * curve.counts / most
    drawn.scatter(curve.predicted, curve.happened, s=areas, color=style.colour, marker=style.point, zorder=3)
    _unit(drawn, "predicted probability", "share that happened")
    series.key(drawn, "upper left")
    return drawn


@checked_keywords
def plot_cost(curve: ThresholdCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the cost, or any metric, against the threshold, with its bands, the best threshold and its interval.

    The vertical line is the best threshold and the bar at its foot the interval. What is reached by calling nothing
    positive, the threshold ∞, stands at the right edge. Long tails where the metric hardly moves are out of sight,
    unless the limits of the axes were set.

    Parameters
    ----------
    curve
        What `costs.curve` or `curves.threshold` returns.
    ax
        Axes to draw on. On axes with a curve this one is drawn in the next colour and line.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> curve = rw.costs.curve(s["y_true"], s["svm_l2"], cost_matrix=[[0, 1], [5, 0]], draws=200, rng=0)
    >>> ax = plot_cost(curve)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('threshold', 'cost')
    """
    curve, drawn, style = _begin(curve, ThresholdCurve, "plot_cost", "rw.costs.curve or rw.curves.threshold", ax)
    series.draw_band(drawn, curve.band, style)
    shown = np.isfinite(curve.thresholds)
    ends = ", ".join(_threshold(end) for end in curve.best_interval)
    name = series.label_of(curve.name, f", best at {_threshold(curve.best)} [{ends}]")
    series.draw_line(drawn, curve.thresholds[shown], curve.band.observed[shown], style, name)
    _mark_infinite(drawn, curve, style)
    drawn.margins(x=0.05, y=0.12)  # room for the infinite threshold and the intervals of the best ones
    _mark_best(drawn, curve, style)
    _focus(drawn)
    drawn.set_xlabel("threshold")
    drawn.set_ylabel(words(metric_title(curve.metric)))
    quieten(drawn)
    series.key(drawn, "upper right")
    return drawn


def _begin(curve: Any, kind: type, caller: str, made_by: str, ax: Any, **size: float) -> tuple[Any, Axes, Style]:
    """Return the curve if it is of this kind, axes to draw on, and the look of the next curve there."""
    curve = of_kind(curve, kind, caller, made_by)
    drawn = axes(ax, caller, **size)
    return curve, drawn, series.next_style(drawn)


def _unit(ax: Axes, across: str, up: str) -> None:
    """Let both axes be rates."""
    ax.set_xlim(_UNIT)
    ax.set_ylim(_UNIT)
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    quieten(ax)


def _threshold(value: float) -> str:
    return "∞" if math.isinf(value) else minus(f"{value:.3g}")


def _mark_infinite(ax: Axes, curve: ThresholdCurve, style: Style) -> None:
    """Draw what the infinite threshold reaches at the right edge, whatever the thresholds are."""
    band, at = curve.band, INFINITE_AT - 0.012 * style.place
    how: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "color": style.colour, "label": "_infinite"}
    for i in np.flatnonzero(np.isinf(curve.thresholds)):
        if style.place == 0:
            ax.plot([INFINITE_AT] * 2, [0, 1], transform=ax.transAxes, color=LINE, linewidth=0.6, label="_infinite")
            ax.text(INFINITE_AT, 1.0, "∞", transform=ax.transAxes, ha="center", va="bottom", fontsize=TEXT, color=INK)
        for low, high, width, opacity in (
            (band.all_low[i], band.all_high[i], 5.0, series.PALE),
            (band.low[i], band.high[i], 2.5, series.DARK),
        ):
            ax.plot([at] * 2, [low, high], linewidth=width, alpha=opacity, solid_capstyle="butt", **how)
        ax.plot([at], [band.observed[i]], marker=style.point, markersize=3, **how)


def _mark_best(ax: Axes, curve: ThresholdCurve, style: Style) -> None:
    """Draw a line at the best threshold and a bar over the interval that holds it."""
    height, across = BEST_STEP * (1 + style.place), ax.get_xaxis_transform()
    best, best_in = (INFINITE_AT, ax.transAxes) if math.isinf(curve.best) else (curve.best, across)
    thin: dict[str, Any] = {"color": style.colour, "linestyle": style.line, "linewidth": 0.6, "label": "_best"}
    ax.plot([best, best], [0, 1], transform=best_in, zorder=1.2, **thin)
    ends = [end for end in curve.best_interval if math.isfinite(end)]
    if ends:
        bar: dict[str, Any] = {"color": style.colour, "linewidth": 2.5, "label": "_interval"}
        ax.plot([ends[0], ends[-1]], [height, height], transform=across, **bar)
    if len(ends) < 2:  # noqa: PLR2004 - from the last finite end to the edge, where the infinite one stands
        start, start_in = (ends[0], across) if ends else (2 * INFINITE_AT - 1, ax.transAxes)
        ax.annotate(
            "", (INFINITE_AT, height), (start, height), xycoords=ax.transAxes, textcoords=start_in,
            arrowprops={"arrowstyle": "-", "color": style.colour, "linewidth": 2.5, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


def _focus(ax: Axes) -> None:
    """Leave long flat tails out of sight: scores may reach far beyond where the metric moves."""
    marks = [line for line in ax.lines if line.get_transform() == ax.get_xaxis_transform()]
    data = [np.asarray(line.get_xydata(), dtype=np.float64) for line in series.named_lines(ax)]
    parts = [_moving(points[:, 0], points[:, 1]) for points in data]
    parts += [np.asarray(line.get_xdata(), dtype=np.float64) for line in marks]
    low, high = np.concatenate(parts).min(), np.concatenate(parts).max()
    every = np.concatenate(data)[:, 0]
    if ax.get_autoscalex_on() and LONG_TAILS * (high - low) < every.max() - every.min():
        room = 0.1 * (high - low)
        ax.get_xlim()  # what was asked of the limits before is done now, not later
        ax.set_xlim(low - room, high + room, auto=True)


def _moving(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the ends of the part of a curve that is not flat."""
    still = FLAT_SHARE * (y.max() - y.min())
    from_left, from_right = (np.flatnonzero(np.abs(y - end) > still) for end in (y[0], y[-1]))
    if not from_left.size or not from_right.size:
        return x[[0, -1]]
    return x[[max(from_left[0] - 1, 0), min(from_right[-1] + 1, x.size - 1)]]
