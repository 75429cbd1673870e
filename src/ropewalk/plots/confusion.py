"""Confusion matrices: one as rates by true class, or two and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ropewalk._optional import require
from ropewalk.data.labels import label_text
from ropewalk.errors import InvalidInputError
from ropewalk.plots._cells import (
    DEEP,
    PALE_ABOVE,
    PALE_BELOW,
    WHITE,
    colour_key,
    frame,
    ground_of,
    hatch,
    ink_on,
    name_cells,
    paint,
    ramp,
    room,
    size_in,
    write,
)
from ropewalk.plots._letters import minus
from ropewalk.plots._style import SMALL, TEXT, WIDTH, axes, of_kind, quieten, settle, short
from ropewalk.report.pictures.axes import ABOVE, BELOW, INK, QUIET
from ropewalk.results import Comparison, Confusion, CrossComparison
from ropewalk.text.numbers import interval, number
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

Panels: TypeAlias = npt.NDArray[np.object_]
Two: TypeAlias = Comparison | CrossComparison | tuple[Confusion, Confusion]

_CALLER: Final = "plot_confusion"
_WIDE: Final = 7.0  # inches: both columns of a two-column paper
_FEW: Final = 8  # so many classes fit into one column
_LONGEST: Final = 16
_RATES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_LOW_RATES: Final = (0.0, 0.05, 0.25, 0.5, 1.0)
_LEAST: Final = 0.01  # the colours of a difference reach at least this far


@overload
def plot_confusion(result: Confusion, *, ax: Axes | None = None) -> Axes: ...


@overload
def plot_confusion(result: Two, *, ax: Sequence[Axes] | Panels | None = None) -> Panels: ...


def plot_confusion(result: Confusion | Two, *, ax: Any = None) -> Axes | Panels:
    """Draw a confusion matrix by true class, or those of two classifiers and where they differ.

    The colour of a cell is the share of its row, and the number in it counts items. Where there is room, the HDI of the
    rate stands below. With many classes the scale of the colours is that of square roots, so that rare errors are seen.
    A class without items is hatched.

    Parameters
    ----------
    result
        A `Confusion`; or a `Comparison` or a pair of `Confusion`, for A, B and the difference of the rates A − B.
        There a cell is pale, and its number not bold, where the two HDIs overlap.
    ax
        Axes to draw on; three of them for a comparison.

    Returns
    -------
    The axes; an array of three of them for a comparison.

    Examples
    --------
    >>> import ropewalk as rw
    >>> table = rw.Outcomes.from_confusion([[90, 10], [5, 45]], labels=["ham", "spam"], name="svm")
    >>> ax = plot_confusion(rw.analysis.confusion(table))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    ('predicted', ['90', '10', '5', '45'])
    """
    if isinstance(result, tuple) and len(result) == 2 and all(isinstance(one, Confusion) for one in result):  # noqa: PLR2004
        return _two(result[0], result[1], ax)
    made_by = "rw.analysis.confusion or rw.compare"
    found: Confusion | Comparison = of_kind(result, (Confusion, Comparison), _CALLER, made_by)
    if isinstance(found, Comparison):
        return _two(*found.confusions(), ax)
    return _one(found, ax)


def _one(found: Confusion, ax: Any) -> Axes:
    rows, columns = found.counts.shape
    width = WIDTH if columns <= _FEW else _WIDE
    drawn = axes(ax, _CALLER, width=width, height=min(max(0.9 * width * rows / columns, 2.2), width))
    mesh = _rates(drawn, found)
    _rate_key(drawn, mesh, found)
    _say(drawn, found, title=short(found.name, 30))
    _fit(drawn, found)
    _count(drawn, mesh, found)
    return drawn


def _two(a: Confusion, b: Confusion, ax: Any) -> Panels:
    if (a.rows, a.labels) != (b.rows, b.labels):
        raise InvalidInputError(
            "Two confusion matrices are compared cell by cell, so their classes must be the same, in the same order.",
            hint="give both the same labels=.",
        )
    own = ax is None
    panels = _three(ax)
    meshes = [_rates(panel, found) for panel, found in zip(panels, (a, b), strict=False)]
    _rate_key(panels[1], meshes[1], b)
    difference = _differences(panels[2], a, b)
    mass = f"{100 * a.prob:g}%" if a.prob == b.prob else f"{100 * a.prob:g}% and {100 * b.prob:g}%"
    names = [short(found.name, _LONGEST) for found in (a, b)]
    for panel, title in zip(panels, (*names, f"{names[0]} − {names[1]}\npale: the {mass} HDIs overlap"), strict=True):
        _say(panel, a, title=title, truth=panel is panels[0] or not own)
    for panel in panels:
        _fit(panel, a, truth=panel is panels[0] or not own)
    for panel, mesh, found in zip(panels, meshes, (a, b), strict=False):
        _count(panel, mesh, found)
    _write_differences(panels[2], difference, a, b)
    return panels


def _three(ax: Any) -> Panels:
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot", caller=_CALLER)
        return pyplot.subplots(1, 3, figsize=(_WIDE, 2.5), layout="constrained")[1]  # type: ignore[no-any-return]
    given: Panels = np.asarray(ax, dtype=np.object_).reshape(-1)
    if given.size != 3:  # noqa: PLR2004
        raise InvalidInputError(f"`ax` must be three axes, for A, B and A − B; got {type(ax).__name__}.")
    for one in given:
        axes(one, _CALLER)
    return given


def _rates(ax: Axes, found: Confusion) -> QuadMesh:
    """Paint the share of each row."""
    colors = require("matplotlib.colors", extra="plot", caller=_CALLER)
    norm = colors.PowerNorm(_power(found), vmin=0, vmax=1)
    mesh = paint(ax, found.normalised, ramp(WHITE, ABOVE, DEEP), norm)
    _hatch_empty(ax, found.normalised)
    return mesh


def _power(found: Confusion) -> float:
    """Return the power of the colours' scale: of many classes the errors are rare, and square roots show them."""
    return 1.0 if len(found.labels) <= _FEW else 0.5


def _rate_key(ax: Axes, mesh: QuadMesh, found: Confusion) -> None:
    rates = _RATES if _power(found) == 1 else _LOW_RATES
    key = colour_key(ax, mesh, rates, [f"{100 * rate:g}%" for rate in rates])
    key.set_ylabel("share of the row", fontsize=SMALL, color=INK, labelpad=2)


def _hatch_empty(ax: Axes, values: FloatArray) -> None:
    for row in np.flatnonzero(np.isnan(values).all(axis=1)):
        hatch(ax, int(row), values.shape[1])


def _say(ax: Axes, found: Confusion, *, title: str, truth: bool = True) -> None:
    """Say what the rows and columns are."""
    quieten(ax)
    frame(ax, *found.counts.shape)
    _title(ax, title)
    ax.set_xlabel("predicted", labelpad=2)
    if truth:
        ax.set_ylabel("truth", labelpad=2)


def _title(ax: Axes, text: str) -> None:
    ax.set_title(text, fontsize=SMALL if "\n" in text else TEXT, linespacing=1.3, pad=4)


def _fit(ax: Axes, found: Confusion, *, truth: bool = True) -> None:
    """Name the classes; names and cells make room for each other."""
    rows, columns = ([label_text(label) for label in labels] for labels in (found.rows, found.labels))
    for _ in range(2):
        name_cells(ax, rows if truth else [], columns, longest=_LONGEST)
        settle(ax)


def _count(ax: Axes, mesh: QuadMesh, found: Confusion) -> None:
    """Write the number of items of each cell and, where there is room, the HDI of its rate."""
    cell = room(ax)
    texts = [[f"{n:,}" for n in row] for row in found.counts.tolist()]
    longest = max(len(text) for row in texts for text in row)
    size, small, places = size_in(cell, longest), 0.0, 2
    for tried in (3, 2):
        small = size_in(cell, len(interval(0, 1, tried)), lines=2.4, most=SMALL - 1)
        places = tried
        if small:
            break
    if not size:
        return
    if small:
        _title(ax, f"{ax.get_title()}\nitems [{100 * found.prob:g}% HDI of the share]")
    for i, row in enumerate(texts):
        empty = bool(np.isnan(found.normalised[i]).all())
        for j, text in enumerate(row):
            if empty:
                write(ax, i, j, "–", size, color=INK)
                continue
            colour = ink_on(ground_of(mesh, float(found.normalised[i, j])))
            write(ax, i, j, text, size, color=colour, up=0.55 * small)
            if small:
                ends = interval(found.low[i, j], found.high[i, j], places)
                write(ax, i, j, ends, small, color=colour, up=-0.75 * size)


def _clear(a: Confusion, b: Confusion) -> npt.NDArray[np.bool_]:
    """Whether the HDIs of A's and B's rate lie apart."""
    return (a.low > b.high) | (b.low > a.high)


def _differences(ax: Axes, a: Confusion, b: Confusion) -> tuple[QuadMesh, QuadMesh]:
    """Paint A − B: full colours where the HDIs lie apart, pale ones elsewhere."""
    colors = require("matplotlib.colors", extra="plot", caller=_CALLER)
    values = a.normalised - b.normalised
    known = np.abs(values[~np.isnan(values)])
    most = max(float(known.max(initial=0.0)), _LEAST)
    power = _power(a)
    norm = colors.FuncNorm(
        (lambda x: np.sign(x) * np.abs(x) ** power, lambda y: np.sign(y) * np.abs(y) ** (1 / power)),
        vmin=-most, vmax=most,
    )  # fmt: skip
    clear = _clear(a, b)
    pale = paint(ax, np.where(clear, np.nan, values), ramp(PALE_BELOW, WHITE, PALE_ABOVE), norm)
    full = paint(ax, np.where(clear, values, np.nan), ramp(BELOW, WHITE, ABOVE), norm)
    _hatch_empty(ax, values)
    half = most * 0.5 ** (1 / power)  # halfway up in colour
    ticks = [-most, -half, 0.0, half, most]
    places = 2 if most >= 0.1 else 3  # noqa: PLR2004
    names = [minus(number(tick, places, sign=True)) if tick else "0" for tick in ticks]
    key = colour_key(ax, full, ticks, names)
    key.set_ylabel("difference of the shares", fontsize=SMALL, color=INK, labelpad=2)
    return pale, full


def _write_differences(ax: Axes, meshes: tuple[QuadMesh, QuadMesh], a: Confusion, b: Confusion) -> None:
    """Write each difference with its sign; where that is too long, the signs of those that are clear."""
    cell, values, clear = room(ax), a.normalised - b.normalised, _clear(a, b)
    places = next((tried for tried in (3, 2) if size_in(cell, tried + 3)), 0)
    size = size_in(cell, places + 3) if places else size_in(cell, 1, lines=0.75)
    if not size:
        return
    for i, j in np.ndindex(*values.shape):
        value, apart = float(values[i, j]), bool(clear[i, j])
        if np.isnan(value):
            if places:
                write(ax, i, j, "–", size, color=INK)
            continue
        if not places and not (apart and value):
            continue
        text = minus(number(value, places, sign=True)) if places else "+" if value > 0 else "−"
        colour = ink_on(ground_of(meshes[apart], value))
        write(ax, i, j, text, size, color=colour if apart else QUIET, fontweight="bold" if apart else "normal")
