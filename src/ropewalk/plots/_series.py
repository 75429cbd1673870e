"""Curves that share axes: the next colour and line, bands around them, and a legend of what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ropewalk._colours import INK, QUIET
from ropewalk.plots._style import SMALL, short
from ropewalk.results.curves import Band
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, those that stand out on white first; the line differs too, for those who see no colours.
_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
_LINES: Final[tuple[Any, ...]] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
_POINTS: Final = ("o", "s", "^", "D", "v")
_EACH: Final = 0.30  # how opaque a band is at each point, and at all points at once
_ALL: Final = 0.14
_NARROW: Final = 3.0  # points: the bars of a band that has one point only
_WIDE: Final = 7.0


class Style(NamedTuple):
    """How a curve looks; `place` counts the curves before it."""

    place: int
    colour: str
    line: Any
    point: str


def next_style(ax: Axes) -> Style:
    """Return the look of the next curve: axes remember their curves as the lines that have a name."""
    place = sum(not str(line.get_label()).startswith("_") for line in ax.lines)
    return Style(
        place, _COLOURS[place % len(_COLOURS)], _LINES[place % len(_LINES)], _POINTS[place % len(_POINTS)]
    )


def label_of(name: str, rest: str = "") -> str:
    """Return a name for the legend; one that starts with "_" would vanish from it.

    Examples
    --------
    >>> label_of("svm", ", AUC 0.9"), label_of("_mine")
    ('svm, AUC 0.9', ' _mine')
    """
    shown = short(name, 24)
    return f"{' ' if shown.startswith('_') else ''}{shown}{rest}"


def draw_band(ax: Axes, band: Band, style: Style, *, step: str | None = None) -> None:
    """Draw both bands, the one at all points at once paler; the legend names each kind once."""
    mass, known = f"{100 * band.prob:g}%", ax.get_legend_handles_labels()[1]
    shown = np.isfinite(band.x)
    kinds = (
        (band.all_low, band.all_high, _ALL, _WIDE, f"{mass} at all points at once"),
        (band.low, band.high, _EACH, _NARROW, f"{mass} at each point"),
    )
    for low, high, opacity, width, name in kinds:
        how = {"color": style.colour, "alpha": opacity, "label": name if name not in known else "_band", "zorder": 1.5}
        if shown.sum() == 1:
            ax.vlines(band.x[shown], low[shown], high[shown], linewidth=width, **how)  # type: ignore[arg-type]
        else:
            ax.fill_between(band.x[shown], low[shown], high[shown], linewidth=0, step=step, **how)  # type: ignore[arg-type]


def reference(ax: Axes, points: FloatArray, name: str) -> None:
    """Draw a dotted line to hold curves against, once; it is no curve."""
    if name in ax.get_legend_handles_labels()[1]:
        return
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection([points], colors=QUIET, linewidths=0.8, linestyles=":", label=name, zorder=1))


def key(ax: Axes, where: str) -> None:
    """Draw the legend anew: curves first, then references and bands, which are of all colours and so shown grey."""
    handles, labels = ax.get_legend_handles_labels()
    legend = ax.legend(
        handles, labels, loc=where, fontsize=SMALL, frameon=True, framealpha=0.85, edgecolor="none", handlelength=2.2,
        labelspacing=0.3, borderpad=0.3, borderaxespad=0.3,
    )  # fmt: skip
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        text.set_color(INK)
        if " point" in text.get_text() and handle is not None and handle.get_alpha() is not None:
            handle.set(color=QUIET)
