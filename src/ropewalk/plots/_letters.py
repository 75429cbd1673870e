"""Text that keeps to its room: measured with the font it is drawn in, cut or folded where it is too long."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ropewalk._optional import require
from ropewalk.report.pictures.axes import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TEXT: Final = 8.0  # points
SMALL: Final = 7.0  # points
LINE_HEIGHT: Final = 9.0  # points from one line of small text to the next
POINTS_PER_INCH: Final = 72.0
GLYPHS: Final = "DejaVu Sans"  # comes with matplotlib and has ≫ and ≪, whatever font the user prefers
BESIDE: Final = 36.0
"""Points that the ticks and the label of a vertical axis take."""

_EDGE: Final = 12.0  # points that a layout leaves free around a single picture
_LEADING: Final = 1.2
_TICKS: Final = 8.0  # points below the axes, before their label
_MAX_TICKS: Final = 8
_CUT: Final = "…"


def with_signs(ax: Axes) -> None:
    """Let every text of the axes find ≫, ≪ and Δ, which the fonts of many papers do not have."""
    legend = ax.get_legend()
    texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts, *([] if legend is None else legend.get_texts())]
    for text in texts:
        if GLYPHS not in text.get_fontfamily():
            text.set_fontfamily([*text.get_fontfamily(), GLYPHS])


def width_of(text: str, size: float) -> float:
    """Return how wide a line of text is, in points.

    Examples
    --------
    >>> width_of("wide", 14.0) / width_of("wide", 7.0)
    2.0
    """
    settings = require("matplotlib", extra="plot", caller="a picture").rcParams
    return _width(text.replace(r"\$", "$"), (*settings["font.family"], GLYPHS)) * size


@lru_cache(maxsize=1_000)
def _width(text: str, fonts: tuple[str, ...]) -> float:
    paths = require("matplotlib.textpath", extra="plot", caller="a picture")
    manager = require("matplotlib.font_manager", extra="plot", caller="a picture")
    font = manager.FontProperties(family=list(fonts), size=1.0)
    return float(paths.text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def fitted(text: str, room: float, size: float) -> str:
    """Cut a line to so many points by leaving out its middle: names often differ at their ends only.

    Examples
    --------
    >>> fitted("multinomial", 500.0, 7.0), len(fitted("multinomial", 20.0, 7.0)) < 6
    ('multinomial', True)
    """
    plain = shown = text.replace(r"\$", "$")
    for kept in range(len(plain) - 1, 0, -1):
        if width_of(shown, size) <= room:
            break
        shown = f"{plain[: (kept + 1) // 2]}{_CUT}{plain[len(plain) - kept // 2 :]}"
    return shown.replace("$", r"\$")


def folded(text: str, room: float, size: float) -> str:
    r"""Break a line between its words so that each part keeps to so many points, and no part is much the shortest.

    Examples
    --------
    >>> folded("one two three", 1.0, 7.0)
    'one\ntwo\nthree'
    """
    lines = _filled(text, room, size)
    even = room
    while len(lines) > 1 and even > room / 2:  # as narrow as the same number of lines allows
        even -= size / 2
        narrower = _filled(text, even, size)
        if len(narrower) > len(lines) or any(width_of(line, size) > room for line in narrower):
            break
        lines = narrower
    return "\n".join(lines)


def _filled(text: str, room: float, size: float) -> list[str]:
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def minus(number: str) -> str:
    """Write a number with the minus sign that matplotlib's ticks have.

    Examples
    --------
    >>> minus("[-0.02, +∞]")
    '[−0.02, +∞]'
    """
    return number.replace("-", "−")


def size_of(ax: Axes) -> tuple[float, float]:
    """Return the width and height of axes in points, as they are now."""
    figure: Any = ax.figure
    return ax.bbox.width * POINTS_PER_INCH / figure.dpi, ax.bbox.height * POINTS_PER_INCH / figure.dpi


def room_of(ax: Axes, *, above: float = 0.0, beside: float = 0.0) -> tuple[float, float]:
    """Return the width and height of axes in points, as they will be once their text is set.

    A layout gives axes that are alone in a figure all the room that their text leaves; others are as they are. `above`
    is what stands between the axes and their title, `beside` what stands to their left and right.
    """
    figure: Any = ax.figure
    width, height = size_of(ax)
    if len(figure.axes) != 1 or figure.get_layout_engine() is None:
        return width, height
    whole = [float(side) * POINTS_PER_INCH / figure.dpi - _EDGE for side in (figure.bbox.width, figure.bbox.height)]
    texts = (ax.title, ax.xaxis.label)
    lines = sum(_LEADING * float(text.get_fontsize()) * len(text.get_text().splitlines()) for text in texts)
    return max(whole[0] - beside, 0.0), max(whole[1] - lines - above - _TICKS, 0.0)


def note(ax: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], **how: Any) -> None:
    """Write small letters so many points away from a place."""
    look = {"textcoords": "offset points", "va": "center", "fontsize": SMALL, "color": INK}
    ax.annotate(text, at, shift, **{**look, **how})


def plain_ticks(ax: Axes, which: str, room: float, *, whole: bool = False) -> None:
    """Write ticks as they are, 0.9991 and not 1 + −9e-4, and no more of them than so many points have room for."""
    ticker = require("matplotlib.ticker", extra="plot", caller="a picture")
    axis: Any = getattr(ax, f"{which}axis")
    axis.get_offset_text().set_size(SMALL)  # where a power of ten must stand aside
    formatter, locator = axis.get_major_formatter(), axis.get_major_locator()
    if not isinstance(formatter, ticker.ScalarFormatter) or not isinstance(locator, ticker.MaxNLocator):
        return  # somebody else's ticks
    formatter.set_useOffset(False)
    low, high = axis.get_view_interval()
    for n_ticks in range(_MAX_TICKS, 1, -1):
        locator.set_params(nbins=n_ticks, steps=[1, 2, 5, 10], integer=whole)
        places = locator()
        wide = max(width_of(text, SMALL) for text in formatter.format_ticks(places)) if which == "x" else SMALL
        if len(places) < 2 or room * (places[1] - places[0]) / (high - low) >= wide + SMALL:  # noqa: PLR2004
            return
