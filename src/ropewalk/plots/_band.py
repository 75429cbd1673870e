"""The ROPE in a picture: a grey band, named, and clipped where it is wider than what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ropewalk.draws.intervals import Interval
from ropewalk.plots._letters import minus, room_of, width_of
from ropewalk.plots._style import SMALL
from ropewalk.report.pictures.axes import INSIDE, QUIET, clipped
from ropewalk.text.verdicts import rope_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALPHA: Final = 0.15


def rope_band(ax: Axes, rope: Interval, view: Interval, *, foot: float = 0.0, head: float = 1.0) -> None:
    """Draw what is seen of a ROPE, between two shares of the height; its edges go down to the foot of the axes."""
    seen = clipped(rope, view)
    if seen is None:
        return
    ax.axvspan(seen.low, seen.high, foot, head, facecolor=INSIDE, edgecolor="none", alpha=ALPHA, zorder=0, label="ROPE")
    for edge in rope:
        if view.low < edge < view.high:
            ax.axvline(edge, 0.0, head, color=QUIET, linewidth=0.6, linestyle="--", zorder=1.1)


def rope_words(rope: Interval, view: Interval) -> str:
    """Name a ROPE, and say where it is if it is out of sight."""
    name = f"ROPE {minus(rope_text(rope))}"
    if rope.high <= view.low:
        return f"← {name}"
    if rope.low >= view.high:
        return f"{name} →"
    return f"{name}, wider than the axis" if rope.low < view.low and rope.high > view.high else name


def name_above(ax: Axes, name: str, part: Interval, view: Interval) -> None:
    """Write a name at the top of the axes, over the middle of what is seen of a part, but never beyond the axes."""
    low, high = (min(max(end, view.low), view.high) for end in part)
    place = ((low + high) / 2 - view.low) / (view.high - view.low)
    half = width_of(name, SMALL) / 2 / room_of(ax)[0]
    place = min(max(place, half), 1 - half) if half < 0.5 else 0.5  # noqa: PLR2004
    ax.text(place, 1.0, name, transform=ax.transAxes, ha="center", va="top", fontsize=SMALL, color=QUIET, zorder=4)
