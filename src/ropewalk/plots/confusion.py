"""Confusion matrices: one as rates by true class, two and where they differ, or one beside its replicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ropewalk._checks import checked_keywords, is_whole
from ropewalk.data.labels import label_text
from ropewalk.data.tally import place_of
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots import _cells as cells
from ropewalk.plots._canvas import SMALL, TEXT, Axes, Panels, QuadMesh
from ropewalk.report.pictures import ABOVE, BELOW, INK, QUIET
from ropewalk.results import Comparison, Confusion
from ropewalk.results.checks import PredictiveCheck
from ropewalk.text.writing import interval, number, told
from ropewalk.typing import FloatArray, IntArray

Two: TypeAlias = Comparison | tuple[Confusion, Confusion]

_CALLER: Final = "plot_confusion"
MAX_LABEL_LETTERS: Final = 16
MAX_REPLICATE_LABEL_LETTERS: Final = 12
MAX_REPLICATES: Final = 8
REPLICATES_REST: Final = 0.75  # inches that titles and names take
MIN_DIFFERENCE_SHOWN: Final = 0.01  # the colours of a difference reach at least this far


@overload
@checked_keywords
def plot_confusion(result: Confusion, *, ax: Axes | None = None) -> Axes: ...


@overload
@checked_keywords
def plot_confusion(result: Two, *, ax: Sequence[Axes] | Panels | None = None) -> Panels: ...


@checked_keywords
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
    if isinstance(result, tuple) and len(result) == 2 and all(isinstance(table, Confusion) for table in result):  # noqa: PLR2004
        return _two(result[0], result[1], ax)
    table = canvas.of_kind(result, (Confusion, Comparison), _CALLER, "rw.analysis.confusion or rw.compare")
    if isinstance(table, Confusion):
        return _one(table, ax)
    a, b = table.confusions()
    return _two(a, b, ax)


def _one(table: Confusion, ax: Any) -> Axes:
    rows, columns = table.counts.shape
    width = canvas.WIDTH if columns <= cells.MAX_CLASSES_EVEN else canvas.BOTH_COLUMNS
    drawn = canvas.axes(ax, _CALLER, width=width, height=min(max(0.9 * width * rows / columns, 2.2), width))
    mesh = cells.paint_rates(drawn, table.normalised)
    cells.rate_key(drawn, mesh, columns)
    _name_axes(drawn, table.counts, title=canvas.short(table.name, 30), truth="truth")
    cells.name_cells([drawn], *_class_names(table), longest=MAX_LABEL_LETTERS)
    _count(drawn, mesh, table)
    return drawn


def _class_names(table: Confusion) -> tuple[list[str], list[str]]:
    rows, columns = ([label_text(label) for label in labels] for labels in (table.rows, table.labels))
    return rows, columns


def _two(a: Confusion, b: Confusion, ax: Any) -> Panels:
    if (a.rows, a.labels) != (b.rows, b.labels):
        raise InvalidInputError(
            "Two confusion matrices are compared cell by cell, so their classes must be the same, in the same order.",
            hint="give both the same labels=.",
        )
    size, wanted = (canvas.BOTH_COLUMNS, 2.5), "three axes, for A, B and A − B"
    panels: Panels = canvas.panels_of(ax, (1, 3), _CALLER, wanted=wanted, figsize=size)[0]
    first = list(panels[:1] if ax is None else panels)  # those that have room for names of their own
    meshes = [cells.paint_rates(panel, table.normalised) for panel, table in zip(panels, (a, b), strict=False)]
    cells.rate_key(panels[1], meshes[1], len(b.labels))
    difference = _differences(panels[2], a, b)
    mass = f"{100 * a.prob:g}%" if a.prob == b.prob else f"{100 * a.prob:g}% and {100 * b.prob:g}%"
    names = [canvas.short(table.name, MAX_LABEL_LETTERS) for table in (a, b)]
    for panel, title in zip(panels, (*names, f"{names[0]} − {names[1]}\npale: the {mass} HDIs overlap"), strict=True):
        _name_axes(panel, a.counts, title=title, truth="truth" if panel in first else "")
    cells.name_cells(list(panels), *_class_names(a), longest=MAX_LABEL_LETTERS, rows_at=first)
    for panel, mesh, table in zip(panels, meshes, (a, b), strict=False):
        _count(panel, mesh, table)
    _write_differences(panels[2], difference, a, b)
    return panels


def _name_axes(ax: Axes, counts: IntArray, *, title: str, truth: str) -> None:
    """Write what the rows and columns are."""
    canvas.quieten(ax)
    cells.frame(ax, *counts.shape)
    _title(ax, title)
    ax.set_xlabel("predicted", labelpad=2)
    if truth:
        ax.set_ylabel(truth, labelpad=2)


def _title(ax: Axes, text: str) -> None:
    ax.set_title(text, fontsize=SMALL if "\n" in text else TEXT, linespacing=1.3, pad=4)


def _write_counts(ax: Axes, mesh: QuadMesh, counts: IntArray, rates: FloatArray, *, up: float = 0.0) -> float:
    """Write the number of items of each cell, if there is room; return the size of the letters, 0 if there is none."""
    texts = [[f"{n:,}" for n in row] for row in counts.tolist()]
    size = cells.size_in(cells.room(ax), max(len(text) for row in texts for text in row))
    for i, row in enumerate(texts if size else []):
        for j, text in enumerate(row):
            if np.isnan(rates[i]).all():
                cells.write(ax, i, j, "–", size, color=INK)
            else:
                cells.write(ax, i, j, text, size, color=cells.ink_of(mesh, rates[i, j]), up=up)
    return size


def _count(ax: Axes, mesh: QuadMesh, table: Confusion) -> None:
    """Write the number of items of each cell and, where there is room, the HDI of its rate."""
    small, places = 0.0, 2
    for places in (3, 2):
        letters = len(interval(0, 1, places))
        small = cells.size_in(cells.room(ax), letters, lines=2.4, largest=SMALL - 1)
        if small:
            break
    size = _write_counts(ax, mesh, table.counts, table.normalised, up=0.55 * small)
    if not size or not small:
        return
    _title(ax, f"{ax.get_title()}\nitems [{100 * table.prob:g}% HDI of the share]")
    for i, j in np.argwhere(~np.isnan(table.normalised)).tolist():
        ends = interval(table.low[i, j], table.high[i, j], places)
        cells.write(ax, i, j, ends, small, color=cells.ink_of(mesh, table.normalised[i, j]), up=-0.75 * size)


def _clear(a: Confusion, b: Confusion) -> npt.NDArray[np.bool_]:
    """Whether the HDIs of A's and B's rate lie apart."""
    return (a.low > b.high) | (b.low > a.high)


def _differences(ax: Axes, a: Confusion, b: Confusion) -> tuple[QuadMesh, QuadMesh]:
    """Paint A − B: full colours where the HDIs lie apart, pale ones elsewhere."""
    values = a.normalised - b.normalised
    known = np.abs(values[~np.isnan(values)])
    most = max(float(known.max(initial=0.0)), MIN_DIFFERENCE_SHOWN)
    power = cells.shade_power(len(a.labels))
    norm = canvas.mpl("colors").FuncNorm(
        (lambda x: np.sign(x) * np.abs(x) ** power, lambda y: np.sign(y) * np.abs(y) ** (1 / power)),
        vmin=-most, vmax=most,
    )  # fmt: skip
    clear = _clear(a, b)
    pale = cells.paint(
        ax, np.where(clear, np.nan, values), cells.ramp(cells.PALE_BELOW, cells.WHITE, cells.PALE_ABOVE), norm
    )
    full = cells.paint(ax, np.where(clear, values, np.nan), cells.ramp(BELOW, cells.WHITE, ABOVE), norm)
    cells.hatch_empty(ax, values)
    half = most * 0.5 ** (1 / power)  # halfway up in colour
    ticks = [-most, -half, 0.0, half, most]
    places = 2 if most >= 0.1 else 3  # noqa: PLR2004
    names = [canvas.minus(number(tick, places, sign=True)) if tick else "0" for tick in ticks]
    key = cells.colour_key(ax, full, ticks, names)
    key.set_ylabel("difference of the shares", fontsize=SMALL, color=INK, labelpad=2)
    return pale, full


def _write_differences(ax: Axes, meshes: tuple[QuadMesh, QuadMesh], a: Confusion, b: Confusion) -> None:
    """Write each difference with its sign; where that is too long, the signs of those that are clear."""
    cell, values, clear = cells.room(ax), a.normalised - b.normalised, _clear(a, b)
    places = next((n for n in (3, 2) if cells.size_in(cell, n + 3)), 0)
    size = cells.size_in(cell, places + 3) if places else cells.size_in(cell, 1, lines=0.75)
    if not size:
        return
    for i, j in np.ndindex(*values.shape):
        value, apart = float(values[i, j]), bool(clear[i, j])
        if np.isnan(value):
            if places:
                cells.write(ax, i, j, "–", size, color=INK)
            continue
        if not places and not (apart and value):
            continue
        text = canvas.minus(number(value, places, sign=True)) if places else "+" if value > 0 else "−"
        colour = cells.ink_of(meshes[apart], value)
        cells.write(ax, i, j, text, size, color=colour if apart else QUIET, fontweight="bold" if apart else "normal")


@checked_keywords
def plot_replicates(check: PredictiveCheck, *, name: str | None = None, n: int = 3, ax: Any = None) -> Panels:
    """Draw the observed confusion matrix of a classifier, and beside it the first `n` replicated ones.

    The colour of a cell is the share of its row, and the number in it counts items. If you could not tell which of them
    was observed, the model shows data like these.

    Parameters
    ----------
    check
        What `predictive_check` returns.
    name
        The classifier; the first one by default.
    n
        How many replicates, at most 8.
    ax
        1 + `n` axes to draw on; a new figure of two columns' width by default.

    Returns
    -------
    An array of the axes.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_replicates
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rng=0)
    >>> [panel.get_title() for panel in plot_replicates(r.predictive_check(), name="svm_l2", n=2)]
    ['observed', 'replicate 1', 'replicate 2']
    """
    check = canvas.of_kind(check, PredictiveCheck, "plot_replicates", "predictive_check")
    matrices = _matrices(check, name, n)
    columns = len(matrices)
    size = (canvas.BOTH_COLUMNS, canvas.BOTH_COLUMNS / columns + REPLICATES_REST)
    wanted = f"{columns} axes, for the observed matrix and each replicate"
    panels: Panels = canvas.panels_of(ax, (1, columns), "plot_replicates", wanted=wanted, figsize=size)[0]
    whose = canvas.short(check.names[0] if name is None else name, 20)
    rates = [_rates(counts) for counts in matrices]
    meshes = [cells.paint_rates(panel, shares) for panel, shares in zip(panels, rates, strict=True)]
    for i, (panel, counts) in enumerate(zip(panels, matrices, strict=True)):
        title = f"replicate {i}" if i else "observed"
        _name_axes(panel, counts, title=title, truth="" if i else f"{whose}: truth")
    cells.rate_key(panels[-1], meshes[-1], len(check.labels))
    names, first = [label_text(label) for label in check.labels], list(panels[:1] if ax is None else panels)
    cells.name_cells(list(panels), names, names, longest=MAX_REPLICATE_LABEL_LETTERS, rows_at=first)
    for panel, mesh, counts, shares in zip(panels, meshes, matrices, rates, strict=True):
        _write_counts(panel, mesh, counts, shares)
    return panels


def _matrices(check: PredictiveCheck, name: str | None, n: Any) -> list[IntArray]:
    """Return the observed matrix and `n` replicated ones."""
    if not is_whole(n) or not 1 <= n <= MAX_REPLICATES:
        raise InvalidInputError(
            f"`n` must be a whole number from 1 to {MAX_REPLICATES}; got {told(n)}.", hint="n=4 draws four of them."
        )
    if check.observed is None or check.replicates is None:
        raise InvalidInputError(
            "This check keeps no confusion matrices: its items have any number of labels, or it has too many classes.",
            hint="plot_discrepancy draws the statistics.",
        )
    k = 0 if name is None else place_of(name, check.names)
    return [check.observed[k], *check.replicates[:n, k]]


def _rates(counts: IntArray) -> FloatArray:
    """Return the share of its row that each cell holds, NaN where a class has no items."""
    items = counts.sum(axis=1, keepdims=True)
    shares: FloatArray = np.full(counts.shape, np.nan)
    np.divide(counts, items, out=shares, where=np.broadcast_to(items > 0, counts.shape))
    return shares
