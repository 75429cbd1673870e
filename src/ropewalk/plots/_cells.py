"""Tables of coloured cells: ramps of colour, letters that can be read on them, and names that fit beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ropewalk.plots._canvas import SMALL, Axes, QuadMesh, mpl, note, settle, short, size_of, words
from ropewalk.report.pictures import ABOVE, INK, LINE, QUIET
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.colors import Colormap, Normalize

WHITE: Final = "#ffffff"
BLACK: Final = "#000000"
DEEP: Final = "#003a5c"  # beyond blue, so that white letters stand out
PALE_BELOW: Final = "#f3ddcf"
PALE_INSIDE: Final = "#e4e4e4"
PALE_ABOVE: Final = "#cfe4f1"
MIN_LETTER_SIZE: Final = 5.0  # points: smaller ones are not read, and left out
MIN_CONTRAST: Final = 4.5  # that WCAG asks for at level AA
DIGIT_WIDTH: Final = 0.64  # in units of its size
LINE_HEIGHT: Final = 1.25
KEY_INCHES: Final = 0.09
MAX_VECTOR_CELLS: Final = 2_500  # more cells than these are one image in a vector file
MAX_RULED_CELLS: Final = 900  # up to so many are kept apart by white lines
MAX_CLASSES_EVEN: Final = 8  # of more classes the errors are rare, and a scale of square roots shows them
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100)
SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_LOW_SHARES: Final = (0.0, 0.05, 0.25, 0.5, 1.0)


def ramp(*colours: str) -> Colormap:
    """Return the colours from the first to the last of these, evenly spaced."""
    # An odd number of steps has one in the middle: 0 is exactly white.
    return mpl("colors").LinearSegmentedColormap.from_list("ropewalk", colours, N=257)  # type: ignore[no-any-return]


def _luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    rgb = np.array(mpl("colors").to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)  # noqa: PLR2004
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def contrast(first: Any, second: Any) -> float:
    """Return the contrast of two colours, from 1 to 21.

    Examples
    --------
    >>> round(contrast("white", "black")), round(contrast("white", "white"))
    (21, 1)
    """
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink_on(ground: Any) -> str:
    """Return a colour of letters that can be read on this ground; black or white can on any.

    Examples
    --------
    >>> ink_on("white"), ink_on("#0072b2")
    ('#1b1b1b', '#ffffff')
    """
    return next((ink for ink in (INK, WHITE) if contrast(ink, ground) >= MIN_CONTRAST), BLACK)


def paint(ax: Axes, values: FloatArray, colours: Colormap, norm: Normalize, *, first: int = 0) -> QuadMesh:
    """Paint a cell per value, the first row on top, and nothing where it is NaN; columns count from `first`."""
    rows, columns = values.shape
    lines: dict[str, Any] = {"edgecolors": WHITE, "linewidth": 0.4} if values.size <= MAX_RULED_CELLS else {}
    return ax.pcolormesh(
        np.arange(columns + 1) - 0.5 + first,
        np.arange(rows + 1) - 0.5,
        np.ma.masked_invalid(values),
        cmap=colours,
        norm=norm,
        rasterized=values.size > MAX_VECTOR_CELLS,
        **lines,
    )


def frame(ax: Axes, rows: int, columns: float, *, first: int = 0) -> None:
    """Let the axes end where the cells do, with the first row on top."""
    ax.set_xlim(first - 0.5, first + columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_facecolor("none")
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(LINE)
    ax.spines[:].set_linewidth(0.6)
    ax.tick_params(length=0, pad=2)


def hatch(ax: Axes, row: int, columns: int, *, column: int = 0) -> None:
    """Hatch cells that have nothing to show."""
    empty = mpl("patches").Rectangle((column - 0.5, row - 0.5), columns, 1, hatch="////", linewidth=0, zorder=1)
    empty.set_facecolor(WHITE)
    empty.set_edgecolor(LINE)
    ax.add_patch(empty)


def room(ax: Axes) -> tuple[float, float]:
    """Return width and height of a unit of the axes, which is a cell, in points."""
    width, height = size_of(ax)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    return width / abs(right - left), height / abs(high - low)


def size_in(cell: tuple[float, float], letters: int, *, lines: float = 1.0, largest: float = SMALL) -> float:
    """Return the size of so many letters in a cell, or 0 where they would be too small to read.

    Examples
    --------
    >>> size_in((60, 20), 4), size_in((60, 20), 30)
    (7.0, 0.0)
    """
    size = min(largest, 0.92 * cell[0] / (DIGIT_WIDTH * max(letters, 1)), 0.95 * cell[1] / (LINE_HEIGHT * lines))
    return size if size >= MIN_LETTER_SIZE else 0.0


def write(ax: Axes, row: int, column: float, text: str, size: float, **how: Any) -> None:
    """Write in a cell; `up` points above its middle."""
    note(ax, text, (column, row), (0, how.pop("up", 0.0)), ha="center", va="center_baseline", fontsize=size, **how)


def ink_of(mesh: QuadMesh, value: float) -> str:
    """Return a colour of letters that can be read on the ground that a value has."""
    return ink_on(mesh.to_rgba(np.array([float(value)]))[0, :3])


def distinct(names: Sequence[str], longest: int) -> list[str]:
    """Make names short and safe, and keep them apart if that would make them alike.

    Examples
    --------
    >>> distinct(["a long name, number 1, of K", "a long name, number 2, of K", "B"], 15)
    ['a long …1, of K', 'a long …2, of K', 'B']
    >>> distinct(["svm with a long name, seed 1", "svm with a long wait, seed 1"], 15)
    ['svm…name, seed…', 'svm…wait, seed…']
    """
    shown, head = [short(name, longest) for name in names], longest // 4
    for text in {text for text in shown if shown.count(text) > 1}:
        places = [i for i, other in enumerate(shown) if other == text]
        alike = sorted(names[i] for i in places)
        # What they have in common at the start is what can be left out.
        start = next((i for i, (a, b) in enumerate(zip(alike[0], alike[-1], strict=False)) if a != b), 0)
        for i in places if start > head else ():
            shown[i] = words(f"{names[i][:head]}…{names[i][start:]}", longest)
    return shown


def name_cells(
    panels: Sequence[Axes],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    longest: int,
    first: int = 0,
    rows_at: Sequence[Axes] | None = None,
) -> None:
    """Write as many names under columns and beside rows, of all panels or some, as there is room for."""
    for _ in range(2):  # names and cells make room for each other
        for ax in panels:
            width, height = room(ax)
            names = distinct(columns, longest)
            step, size = _thinned(width)
            flat = max(map(len, names)) * DIGIT_WIDTH * size <= 0.95 * width * step
            at = range(0, len(names), step)
            turned: dict[str, Any] = {} if flat else {"rotation": 90, "va": "top"}
            ax.set_xticks([i + first for i in at], [names[i] for i in at], fontsize=size, **turned)
            names = distinct(rows, longest) if rows_at is None or ax in rows_at else []
            step, size = _thinned(height)
            at = range(0, len(names), step)
            ax.set_yticks(list(at), [names[i] for i in at], fontsize=size)
            ax.tick_params(length=0, pad=2)
        for ax in {id(ax.figure.figure): ax for ax in panels}.values():
            settle(ax)


def _thinned(spacing: float) -> tuple[int, float]:
    """Return which names are shown, every so many, and in which size."""
    least = 1.1 * MIN_LETTER_SIZE / spacing
    step = next((step for step in _STEPS if step >= least), math.ceil(least))
    return step, min(SMALL, max(MIN_LETTER_SIZE, 0.9 * spacing * step))


def colour_key(ax: Axes, mesh: QuadMesh, ticks: Sequence[float], names: Sequence[str], *, over: float = 0.0) -> Axes:
    """Draw what the colours mean as an inset: at the right, or lying on top, over this share of the width."""
    extent, dpi = ax.get_window_extent(), ax.figure.dpi
    lying, across, up = over > 0, KEY_INCHES * dpi / extent.width, KEY_INCHES * dpi / extent.height
    inset = ax.inset_axes((0, 1 + up / 2, over, up) if lying else (1 + across / 2, 0, across, 1))
    ax.figure.colorbar(mesh, cax=inset, orientation="horizontal" if lying else "vertical")
    (inset.set_xticks if lying else inset.set_yticks)(list(ticks), list(names))
    if lying:
        inset.xaxis.tick_top()
        inset.xaxis.set_label_position("top")
    inset.minorticks_off()
    inset.tick_params(labelsize=SMALL - 1, color=QUIET, labelcolor=INK, length=2, width=0.6, pad=1.5)
    inset.spines[:].set_color(LINE)
    return inset


def paint_rates(ax: Axes, rates: FloatArray) -> QuadMesh:
    """Paint the share of each row, and hatch rows without items."""
    norm = mpl("colors").PowerNorm(shade_power(rates.shape[1]), vmin=0, vmax=1)
    mesh = paint(ax, rates, ramp(WHITE, ABOVE, DEEP), norm)
    hatch_empty(ax, rates)
    return mesh


def shade_power(n_classes: int) -> float:
    """Return the power of the colours' scale."""
    return 1.0 if n_classes <= MAX_CLASSES_EVEN else 0.5


def hatch_empty(ax: Axes, values: FloatArray) -> None:
    """Hatch rows that have nothing to show."""
    for row in np.flatnonzero(np.isnan(values).all(axis=1)):
        hatch(ax, int(row), values.shape[1])


def rate_key(ax: Axes, mesh: QuadMesh, n_classes: int) -> None:
    """Draw which colour is which share of a row."""
    shares = SHARES if n_classes <= MAX_CLASSES_EVEN else _LOW_SHARES
    key = colour_key(ax, mesh, shares, [f"{100 * share:g}%" for share in shares])
    key.set_ylabel("share of the row", fontsize=SMALL, color=INK, labelpad=2)
