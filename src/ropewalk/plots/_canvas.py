"""What all pictures share, set on artists and never in matplotlib's settings: size, colours, the ROPE, and letters.

Text keeps to its room: it is measured with the font it is drawn in, and cut or folded where it is too long.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ropewalk._optional import require
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.report.pictures import INK, INSIDE, QUIET, clipped
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import brief, visible

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.collections

Axes: TypeAlias = "matplotlib.axes.Axes"
QuadMesh: TypeAlias = "matplotlib.collections.QuadMesh"
Panels: TypeAlias = npt.NDArray[np.object_]

WIDTH: Final = 3.4  # inches: one column of a two-column paper
BOTH_COLUMNS: Final = 7.0  # inches
HEIGHT: Final = 2.4  # inches
MAX_NAME_LETTERS: Final = 40
ROPE_ALPHA: Final = 0.15
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


def mpl(module: str, caller: str = "a picture") -> Any:
    """Return a module of matplotlib, or say how to install it."""
    return require(f"matplotlib.{module}", extra="plot", caller=caller)


def axes(ax: Any, caller: str, *, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return the axes to draw on: the given ones, or those of a new figure of one column's width."""
    pyplot = mpl("pyplot", caller)
    if ax is None:
        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]  # type: ignore[no-any-return]
    if getattr(ax, "name", "") != "rectilinear" or isinstance(ax, type):
        kind = f"{ax.name} axes" if hasattr(ax, "add_patch") and not isinstance(ax, type) else type(ax).__name__
        raise InvalidInputError(
            f"`ax` must be plain matplotlib axes; got {kind}.", hint="fig, ax = plt.subplots() makes them."
        )
    return ax  # type: ignore[no-any-return]


def panels_of(ax: Any, shape: tuple[int, int], caller: str, *, wanted: str, **figure: Any) -> Panels:
    """Return axes to draw on, in rows and columns: the given ones, if as many as `wanted`, or new ones."""
    rows, columns = shape
    if ax is None:
        return mpl("pyplot", caller).subplots(rows, columns, layout="constrained", squeeze=False, **figure)[1]  # type: ignore[no-any-return]
    panels: Panels = np.asarray(ax, dtype=np.object_).reshape(-1)
    if panels.size != rows * columns:
        raise InvalidInputError(
            f"`ax` must be {wanted}; got {panels.size}.",
            hint=f"fig, axes = plt.subplots({rows}, {columns}) makes them.",
        )
    for panel in panels:
        axes(panel, caller)
    return panels.reshape(shape)


def of_kind(result: Any, kind: type | tuple[type, ...], caller: str, made_by: str) -> Any:
    """Return the result if the picture is about such a one."""
    if isinstance(result, kind):
        return result
    raise InvalidInputError(f"{caller} cannot draw {type(result).__name__}.", hint=f"it draws what {made_by} returns.")


def quieten(ax: Axes, *, bare: bool = False) -> None:
    """Take away what says nothing; `bare` takes the vertical axis too."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["bottom", "left"]].set_color(QUIET)
    ax.tick_params(labelsize=SMALL, color=QUIET, labelcolor=INK, length=2.5, width=0.6)
    for name in ("xaxis", "yaxis"):
        getattr(ax, name).label.set_size(TEXT)
        getattr(ax, name).label.set_color(INK)
    ax.title.set_fontsize(TEXT)
    ax.title.set_color(INK)
    if bare:
        ax.spines["left"].set_visible(False)
        ax.set_yticks([])


def name_axes(ax: Axes, width: float, *, x: str, title: str, pad: float | None = None, whole: bool = False) -> None:
    """Write the name of the axis across, the title and plain ticks, so that they keep to a width in points."""
    ax.set_xlabel(folded(x, width, TEXT))
    ax.set_title(folded(title, width, TEXT), pad=pad)
    quieten(ax)
    plain_ticks(ax, "x", width, whole=whole)


def rule(ax: Axes, at: float, *, across: bool = False) -> None:
    """Draw a thin dotted line at a value worth seeing, such as 0."""
    draw = ax.axhline if across else ax.axvline
    draw(at, color=QUIET, linewidth=0.8, linestyle=":", zorder=1)


@lru_cache(maxsize=4)
def _glyphs(font: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(font).get_charmap())


def words(text: str, longest: int = MAX_NAME_LETTERS) -> str:
    r"""Make a name safe for a picture: short, without formulas, and no letter that the font does not have.

    Examples
    --------
    >>> words("$x_1$ \U0001f9ea")
    '\\$x_1\\$ U+1F9EA'
    """
    manager = mpl("font_manager")
    known = _glyphs(str(manager.findfont(manager.FontProperties())))
    shown = brief(visible(text), longest)
    return "".join(c if ord(c) in known else f"U+{ord(c):04X}" for c in shown).replace("$", r"\$")


def short(text: str, longest: int = 18) -> str:
    """Make a name safe, and short by leaving out its middle: names often differ at their ends only.

    Examples
    --------
    >>> short("resnet50-augmented-seed-1", 15), short("svm")
    ('resnet5…-seed-1', 'svm')
    """
    shown = words(text, 1_000).replace(r"\$", "$")
    if len(shown) > longest:
        head = longest // 2
        shown = f"{shown[:head]}…{shown[head + 1 - longest :]}"
    return shown.replace("$", r"\$")


def side_by_side() -> dict[type, Any]:
    """Return how a legend shows several handles of one name: next to each other."""
    return {tuple: mpl("legend_handler").HandlerTuple(ndivide=None, pad=0)}


def settle(ax: Axes) -> None:
    """Lay the figure out now, so that what is asked next about room is true."""
    engine = ax.figure.get_layout_engine()
    if engine is not None:
        engine.execute(ax.figure.figure)  # the whole figure, also from a part of it


def rope_band(ax: Axes, rope: Interval, view: Interval, *, foot: float = 0.0, head: float = 1.0) -> None:
    """Draw what is seen of a ROPE, between two shares of the height; its edges go down to the foot of the axes."""
    seen = clipped(rope, view)
    if seen is None:
        return
    ax.axvspan(
        seen.low, seen.high, foot, head, facecolor=INSIDE, edgecolor="none", alpha=ROPE_ALPHA, zorder=0, label="ROPE"
    )
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


def name_above(ax: Axes, name: str, part: Interval, view: Interval, width: float, *, va: str = "top") -> None:
    """Write a name at the top of axes of a width, over the middle of what is seen of a part, but never beyond them."""
    low, high = (min(max(end, view.low), view.high) for end in part)
    place = ((low + high) / 2 - view.low) / (view.high - view.low)
    half = width_of(name, SMALL) / 2 / width
    place = min(max(place, half), 1 - half) if half < 0.5 else 0.5  # noqa: PLR2004
    ax.text(place, 1.0, name, transform=ax.transAxes, ha="center", va=va, fontsize=SMALL, color=QUIET, zorder=4)


# -- letters ----------------------------------------------------------------------------------------------


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
    fonts = mpl("pyplot").rcParams["font.family"]
    return _width(text.replace(r"\$", "$"), (*fonts, GLYPHS)) * size


@lru_cache(maxsize=1_000)
def _width(text: str, fonts: tuple[str, ...]) -> float:
    font = mpl("font_manager").FontProperties(family=list(fonts), size=1.0)
    return float(mpl("textpath").text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


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
    ticker = mpl("ticker")
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
