"""Units of a population, data sets or tasks: each drawn towards the others, with their mean and the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import LINE_HEIGHT, SMALL, TEXT, Axes
from ropewalk.plots._subject import delta_words
from ropewalk.plots.intervals import CLASS_ROW, MAX_HEIGHT, NAMES_SHARE, PAD, lettering, name_rows
from ropewalk.report.pictures import INK, INSIDE, QUIET, Axis
from ropewalk.report.shrinkage import Shrinkage, shrinkage_of
from ropewalk.results.pooled import PooledEstimates, PopulationComparison

MEAN_ALPHA: Final = 0.12
KEY: Final = 46.0  # points above the axes: title and key
_DASHES: Final = (0, (6.0, 2.0, 1.0, 2.0))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where rows stand: points from one to the next, and where those about all units are, above the first one."""

    pitch: float
    totals: tuple[float, ...]

    @classmethod
    def of(cls, n: int, n_totals: int, height: float) -> _Rows:
        pitch = height / (n + n_totals)
        if pitch < LINE_HEIGHT:
            pitch = max(height - n_totals * LINE_HEIGHT, 1.0) / n
        gap = max(LINE_HEIGHT / pitch, 1.0)
        return cls(pitch, tuple(-0.5 - gap * (n_totals - k - 0.5) for k in range(n_totals)))

    @property
    def top(self) -> float:
        """Where the first row begins."""
        return 2 * self.totals[0] + 0.5 if len(self.totals) == 1 else (3 * self.totals[0] - self.totals[1]) / 2


@checked_keywords
def plot_shrinkage(result: PopulationComparison | PooledEstimates, *, ax: Axes | None = None) -> Axes:
    """Draw each unit as it was observed (hollow) and as the others make it (full, with its HDI), the largest on top.

    The upper two rows are the mean of all such units and the next one; their intervals go through all rows, the mean's
    as a band and that of the next unit as dashed lines. The grey band is the ROPE. An arrow says that a unit was
    observed beyond the picture. The figure grows with the number of units, up to a page.

    Parameters
    ----------
    result
        What `pool` returns, `compare_datasets` of folds, or `compare` and `suite` over tasks.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_shrinkage
    >>> effects, errors = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
    >>> ax = plot_shrinkage(rw.pool(effects, errors, rope=2, names=list("ABCDEFGH"), rng=0))
    >>> [text.get_text() for text in ax.get_yticklabels()][:3]
    ['A', 'G', 'H']
    """
    kinds = (PopulationComparison, PooledEstimates)
    answer = canvas.of_kind(result, kinds, "plot_shrinkage", "rw.pool, or rw.compare with task=,")
    shown = shrinkage_of(answer)
    if shown is None:
        raise InvalidInputError(
            "This answer has no units to draw: of one score each nothing is known of their errors.",
            hint="plots.plot_triangle draws where most of them lie.",
        )
    n = len(shown.units)
    drawn = canvas.axes(ax, "plot_shrinkage", height=min(1.3 + CLASS_ROW * (n + 2), MAX_HEIGHT))
    view = shown.axis
    drawn.set_xlim(view.low, view.high)
    width, _ = canvas.room_of(drawn)
    label = delta_words(answer) if answer.between else "estimate"
    drawn.set_xlabel(label)
    canvas.quieten(drawn)
    drawn.spines["left"].set_visible(False)
    rows = _Rows.of(n, 1 + shown.is_shrunk, canvas.room_of(drawn, above=KEY)[1])
    drawn.set_ylim(n - 0.5, rows.top)
    letters = lettering(rows.pitch)
    names = [canvas.short(unit.name, 40) for unit in shown.units]
    taken = max(name_rows(drawn, names, letters, NAMES_SHARE * width), _name_totals(drawn, shown, rows))
    inner = max(width - taken, width / 3)
    thinned = "" if letters.every == 1 else f" (one {shown.what} in {letters.every} is named)"
    drawn.set_xlabel(canvas.folded(label + thinned, inner, TEXT))
    canvas.plain_ticks(drawn, "x", inner)
    _bands(drawn, shown, view)
    _units(drawn, shown, view, rows)
    drawn.axhline(-0.5, color=QUIET, linewidth=0.6)
    _key(drawn, shown)
    canvas.with_signs(drawn)
    return drawn


def _title(shown: Shrinkage) -> str:
    n = f"{len(shown.units):,} {shown.what}s"
    return f"{n}, drawn towards each other" if shown.is_shrunk else f"{n}, each by itself"


def _name_totals(ax: Axes, shown: Shrinkage, rows: _Rows) -> float:
    """Write the names of the rows about all units, and return how many points they take."""
    names = ("mean", f"next {shown.what}")
    for name, place in zip(names, rows.totals, strict=False):
        look: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "ha": "right", "fontweight": "bold"}
        canvas.note(ax, name, (0.0, place), (-2 * PAD, 0.0), **look)
    return max(canvas.width_of(name, SMALL) for name in names) + 2 * PAD


def _bands(ax: Axes, shown: Shrinkage, view: Axis) -> None:
    """Draw what goes through all rows: the ROPE, the mean, the next unit and 0."""
    canvas.rule(ax, 0.0)
    if shown.rope is not None:
        canvas.rope_band(ax, shown.rope, view)
    low, high = shown.mean.hdi
    ax.axvspan(low, high, facecolor=INK, edgecolor="none", alpha=MEAN_ALPHA, zorder=0.5, label="mean")
    for edge in (low, high):
        ax.axvline(edge, color=INK, linewidth=0.6, zorder=1.2)
    for edge in shown.next or ():
        if view.low < edge < view.high:
            ax.axvline(edge, color=INK, linewidth=0.8, linestyle=_DASHES, zorder=1.2, label="next")


def _units(ax: Axes, shown: Shrinkage, view: Axis, rows: _Rows) -> None:
    """Draw the mean and the next unit, and below them each unit: observed, drawn to the others, and its interval."""
    places = np.arange(len(shown.units), dtype=np.float64)
    estimates = [unit.estimate for unit in shown.units]
    thick, dot = min(1.6, rows.pitch / 3), min(3.6, 0.75 * rows.pitch)
    _draw(ax, [estimate.hdi for estimate in estimates], places, thick, "HDI")
    _dots(ax, [estimate.mean for estimate in estimates], places, dot, "drawn")
    totals = [shown.mean.hdi, *([] if shown.next is None else [shown.next])]
    _draw(ax, totals, rows.totals, 2.0, "totals")
    if shown.mean.has_mean:
        _dots(ax, [shown.mean.mean], rows.totals[:1], 4.0, "mean of all")
    if not shown.is_shrunk:
        return
    observed = np.array([unit.observed for unit in shown.units])
    ends = np.clip(observed, view.low, view.high)
    ax.hlines(places, ends, [estimate.mean for estimate in estimates], color=QUIET, linewidth=0.6, zorder=1.9)
    look: dict[str, Any] = {"facecolors": "white", "edgecolors": INK, "linewidths": min(0.7, rows.pitch / 6)}
    for marker, seen, name in (
        ("o", (observed >= view.low) & (observed <= view.high), "observed"),
        ("<", observed < view.low, "_observed on the left"),
        (">", observed > view.high, "_observed on the right"),
    ):
        if seen.any():
            ax.scatter(ends[seen], places[seen], s=dot**2, marker=marker, clip_on=False, zorder=2.5, label=name, **look)


def _draw(ax: Axes, intervals: Sequence[Interval], places: Any, thick: float, label: str) -> None:
    lows, highs = [low for low, _ in intervals], [high for _, high in intervals]
    ax.hlines(places, lows, highs, color=INK, linewidth=thick, zorder=2, label=label)


def _dots(ax: Axes, means: Sequence[float], places: Any, size: float, label: str) -> None:
    ax.scatter(means, places, s=size**2, color=INK, linewidths=0, zorder=3, label=label)


def _key(ax: Axes, shown: Shrinkage) -> None:
    """Write which mark is what."""
    line, patch = canvas.mpl("lines").Line2D, canvas.mpl("patches").Patch
    mass = f"{100 * shown.prob:g}%"
    dot: dict[str, Any] = {"color": INK, "markersize": 3.6, "linewidth": 1.4}
    handles = [
        (patch(facecolor=INK, alpha=MEAN_ALPHA), f"mean, {mass}"),
        (line([], [], marker="o", **dot), f"{'drawn to the others' if shown.is_shrunk else 'posterior'}, {mass}"),
    ]
    if shown.is_shrunk:
        hollow = line([], [], marker="o", linestyle="", color=INK, markersize=3.6, markerfacecolor="white")
        dashed = line([], [], color=INK, linewidth=0.8, linestyle=_DASHES)
        handles = [(hollow, "observed"), handles[1], handles[0], (dashed, f"next {shown.what}, {mass}")]
    if shown.rope is not None:
        handles.append((patch(facecolor=INSIDE, alpha=canvas.ROPE_ALPHA), canvas.rope_words(shown.rope, shown.axis)))
    pictures, words = zip(*handles, strict=True)
    legend = ax.legend(
        pictures, words, title=_title(shown), loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=SMALL,
        title_fontsize=TEXT, frameon=False, handlelength=1.8, columnspacing=1.2, labelspacing=0.3, borderaxespad=0.2,
    )  # fmt: skip
    legend.get_title().set_color(INK)
    legend.set_in_layout(legend.get_window_extent().width <= 2 * ax.get_window_extent().width)
