"""Text that keeps to its room: measured with the font it is drawn in, cut or folded where it is too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ropewalk._optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS: Final = 72.0  # an inch
_EDGE: Final = 12.0  # points that a layout leaves free around a single picture
_LEADING: Final = 1.2
_TICKS: Final = 8.0  # points below the axes, before their label
BESIDE: Final = 36.0
"""Points that the ticks and the label of a vertical axis take."""

_CUT: Final = "…"


def width_of(text: str, size: float) -> float:
    """Return how wide a line of text is, in points.

    Examples
    --------
    >>> width_of("wide", 14.0) / width_of("wide", 7.0)
    2.0
    """
    paths = require("matplotlib.textpath", extra="plot", caller="a picture")
    manager = require("matplotlib.font_manager", extra="plot", caller="a picture")
    plain = text.replace(r"\$", "$")
    width, _, _ = paths.text_to_path.get_text_width_height_descent(
        plain, manager.FontProperties(size=1.0), ismath=False
    )
    return float(width) * size


def fitted(text: str, room: float, size: float) -> str:
    """Cut a line to so many points.

    Examples
    --------
    >>> fitted("multinomial", 500.0, 7.0), len(fitted("multinomial", 20.0, 7.0)) < 6
    ('multinomial', True)
    """
    shown = text
    while len(text) > 1 and width_of(shown, size) > room:
        text = text[:-1]
        shown = f"{text.rstrip()}{_CUT}"
    return shown


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


def room_of(ax: Axes, *, above: float = 0.0, beside: float = 0.0) -> tuple[float, float]:
    """Return the width and height of axes in points, as they will be once their text is set.

    A layout gives axes that are alone in a figure all the room that their text leaves; others are as they are. `above`
    is what stands between the axes and their title, `beside` what stands to their left and right.
    """
    figure: Any = ax.figure
    width, height = (float(side) * _POINTS / figure.dpi for side in (ax.bbox.width, ax.bbox.height))
    if len(figure.axes) != 1 or figure.get_layout_engine() is None:
        return width, height
    whole = [float(side) * _POINTS / figure.dpi - _EDGE for side in (figure.bbox.width, figure.bbox.height)]
    texts = (ax.title, ax.xaxis.label)
    lines = sum(_LEADING * text.get_fontsize() * len(text.get_text().splitlines()) for text in texts)
    return max(whole[0] - beside, 0.0), max(whole[1] - lines - above - _TICKS, 0.0)


def plain_ticks(ax: Axes, size: float, which: str = "x") -> None:
    """Write ticks as they are: 0.9991 and not 1 + −9e-4; where a power of ten must stand aside, in small letters."""
    axis: Any = getattr(ax, f"{which}axis")
    formatter = axis.get_major_formatter()
    if hasattr(formatter, "set_useOffset"):
        formatter.set_useOffset(False)
    axis.get_offset_text().set_size(size)
