"""Curves that share axes: the next colour and line, bands around them, and a legend that covers none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ropewalk.plots._canvas import SMALL, Axes, mpl, settle, short, side_by_side
from ropewalk.report.pictures import INK, QUIET
from ropewalk.results.curves import Band
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

DARK: Final = 0.30  # how opaque a band is at each point,
PALE: Final = 0.14  # and at all points at once
# Okabe and Ito's colours, those that stand out on white first; the line differs too, for those who see no colours.
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
_LINES: Final[tuple[Any, ...]] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
_POINTS: Final = ("o", "s", "^", "D", "v")
_BANDS: Final = " band: each point, all at once"
_NARROW_BAR: Final = 3.0  # points: the bars of a band that has one point only
_WIDE_BAR: Final = 7.0
_PLACES: Final[tuple[Any, ...]] = (
    "lower right", "lower left", "upper left", "upper right", "center left", "center right", "lower center",
    "upper center",
)  # fmt: skip


class Style(NamedTuple):
    """How a curve looks; `place` counts the curves before it."""

    place: int
    colour: str
    line: Any
    point: str


def next_style(ax: Axes) -> Style:
    """Return the look of the next curve: axes remember their curves as the lines that have a name."""
    place = len(named_lines(ax))
    return Style(place, _COLOURS[place % len(_COLOURS)], _LINES[place % len(_LINES)], _POINTS[place % len(_POINTS)])


def named_lines(ax: Axes) -> list[Line2D]:
    """Return the curves of axes: the lines that have a name."""
    return [line for line in ax.lines if not str(line.get_label()).startswith("_")]


def draw_line(ax: Axes, x: Any, y: Any, style: Style, label: str, **how: Any) -> None:
    """Draw a curve; one of a single point is a mark."""
    look: dict[str, Any] = {"linewidth": 1.3, "markersize": 3, "marker": style.point if len(x) == 1 else None}
    ax.plot(x, y, color=style.colour, linestyle=style.line, label=label, zorder=2.5, **{**look, **how})


def fill(ax: Axes, x: FloatArray, low: FloatArray, high: FloatArray, *, width: float, **how: Any) -> None:
    """Fill what lies between two curves; at a single point, with a bar so many points wide."""
    if x.size == 1:
        ax.vlines(x, low, high, linewidth=width, zorder=1.5, **how)
    else:
        ax.fill_between(x, low, high, linewidth=0, zorder=1.5, **how)


def label_of(name: str, rest: str = "") -> str:
    """Return a name for the legend; one that starts with "_" would vanish from it.

    Examples
    --------
    >>> label_of("svm", ", AUC 0.9"), label_of("_mine")
    ('svm, AUC 0.9', ' _mine')
    """
    shown = short(name)
    return f"{' ' if shown.startswith('_') else ''}{shown}{rest}"


def draw_band(ax: Axes, band: Band, style: Style) -> None:
    """Draw both bands, the one at all points at once paler; the legend names bands of one mass once."""
    name = f"{100 * band.prob:g}%{_BANDS}"
    if name in ax.get_legend_handles_labels()[1]:
        name = "_band"
    shown = np.isfinite(band.x)
    x = band.x[shown]
    for low, high, opacity, width, label in (
        (band.all_low[shown], band.all_high[shown], PALE, _WIDE_BAR, "_band"),
        (band.low[shown], band.high[shown], DARK, _NARROW_BAR, name),
    ):
        fill(ax, x, low, high, width=width, color=style.colour, alpha=opacity, label=label)


def reference(ax: Axes, points: FloatArray, name: str) -> None:
    """Draw a dotted line to hold curves against, once; it is no curve."""
    if name in ax.get_legend_handles_labels()[1]:
        return
    look = {"colors": QUIET, "linewidths": 0.8, "linestyles": ":", "label": name, "zorder": 1}
    ax.add_collection(mpl("collections").LineCollection([points], **look))


def key(ax: Axes, first: Any, title: str = "") -> None:
    """Draw the legend anew, at the first place where it covers nothing, else above the axes if that is free."""
    before = ax.get_legend()
    title = title if before is None else before.get_title().get_text()
    if before is not None:
        before.remove()
    settle(ax)
    ax.get_xlim()  # limits that were put off are settled by looking at them
    legend, room = _legend(ax, title), ax.get_window_extent().width
    if legend.get_window_extent().width > room:
        legend = _legend(ax, title, curves_only=True)
        # In small axes a layout would give the legend all the room there is.
        legend.set_in_layout(legend.get_window_extent().width <= room)
    for place in (first, *_PLACES):
        legend.set_loc(place)
        if not _covers(ax, legend):
            return
    if ax.get_title():
        legend.set_loc(first)
        legend.set_frame_on(True)
        return
    legend.set_loc("lower left")
    legend.set_bbox_to_anchor((0.0, 1.0), ax.transAxes)


def _legend(ax: Axes, title: str, *, curves_only: bool = False) -> Legend:
    """Make a legend of the curves, the references and the bands, which come in all colours and so are grey."""
    both = tuple(mpl("patches").Patch(color=QUIET, alpha=opacity, linewidth=0) for opacity in (DARK, PALE))
    named = list(zip(*ax.get_legend_handles_labels(), strict=True))
    kinds: Sequence[list[Any]] = ([], [], [])
    for handle, label in named:
        is_band = str(label).endswith(_BANDS)
        kinds[2 if is_band else 0 if handle in ax.lines else 1].append((both if is_band else handle, label))
    shown = kinds[:1] if curves_only else kinds
    handles, labels = zip(*(entry for kind in shown for entry in kind), strict=True)
    legend: Legend = ax.legend(
        handles, labels, handler_map=side_by_side(), loc="upper right",
        fontsize=SMALL, labelcolor=INK, frameon=False, framealpha=0.8, edgecolor="none", title=title or None,
        title_fontsize=SMALL, alignment="left", handlelength=2.4, labelspacing=0.3, borderpad=0.2,
        borderaxespad=0.4,
    )  # fmt: skip
    return legend


def _covers(ax: Axes, legend: Legend) -> bool:
    """Whether a legend lies on a line or a band."""
    kinds = mpl("collections")
    box = legend.get_window_extent()
    paths = [(line.get_path(), line) for line in ax.lines]
    # Marks lie on their line, and their paths would stand at the origin.
    marks = [drawn for drawn in ax.collections if not isinstance(drawn, kinds.PathCollection)]
    return any(
        path.transformed(drawn.get_transform()).intersects_bbox(box, filled=isinstance(drawn, kinds.PolyCollection))
        for path, drawn in [*paths, *((path, drawn) for drawn in marks for path in drawn.get_paths())]
    )
