"""The observed confusion matrix beside some that the model would show again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ropewalk._checks import is_whole
from ropewalk._optional import require
from ropewalk.data.labels import label_text
from ropewalk.data.tally import place_of
from ropewalk.errors import InvalidInputError
from ropewalk.plots._cells import (
    DEEP,
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
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten, settle, short
from ropewalk.report.pictures.axes import ABOVE, INK
from ropewalk.results.checks import PredictiveCheck
from ropewalk.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

Panels: TypeAlias = npt.NDArray[np.object_]

_CALLER: Final = "plot_replicates"
_WIDE: Final = 7.0  # inches: both columns of a two-column paper
_TALL: Final = 0.75  # inches that titles and names take
_MOST: Final = 8
_FEW: Final = 8  # of more classes the errors are rare, and a scale of square roots shows them
_LONGEST: Final = 12
_NAME: Final = 20
_RATES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_LOW_RATES: Final = (0.0, 0.05, 0.25, 0.5, 1.0)


def plot_replicates(check: PredictiveCheck, *, name: str | None = None, n: int = 3, ax: Any = None) -> Panels:
    """Draw the observed confusion matrix of a classifier, and beside it the first `n` replicated ones.

    The colour of a cell is the share of its row, and the number in it counts items. If you could not tell which of them
    was observed, the model shows data like these.

    Parameters
    ----------
    check
        What `predictive_check` returns.
    name
        The classifier; the first one unless said.
    n
        How many replicates, at most 8.
    ax
        1 + `n` axes to draw on; a new figure of two columns' width unless given.

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
    found: PredictiveCheck = of_kind(check, PredictiveCheck, _CALLER, "predictive_check")
    matrices = _matrices(found, name, n)
    own = ax is None
    panels = _panels(ax, len(matrices))
    whose = short(found.names[0] if name is None else name, _NAME)
    meshes = []
    for i, (panel, counts) in enumerate(zip(panels, matrices, strict=True)):
        meshes.append(_paint(panel, counts))
        quieten(panel)
        frame(panel, *counts.shape)
        panel.set_title(f"replicate {i}" if i else "observed", fontsize=TEXT, pad=4)
        panel.set_xlabel("predicted", labelpad=2)
        if panel is panels[0]:
            panel.set_ylabel(f"{whose}: truth", labelpad=2)
    _rate_key(panels[-1], meshes[-1], len(found.labels))
    names = [label_text(label) for label in found.labels]
    for _ in range(2):  # names and cells make room for each other
        for panel in panels:
            name_cells(panel, names if panel is panels[0] or not own else [], names, longest=_LONGEST)
        settle(panels[0])
    for panel, mesh, counts in zip(panels, meshes, matrices, strict=True):
        _count(panel, mesh, counts)
    return panels


def _matrices(check: PredictiveCheck, name: str | None, n: Any) -> list[IntArray]:
    """Return the observed matrix and `n` replicated ones."""
    if not is_whole(n) or not 1 <= n <= _MOST:
        raise InvalidInputError(f"`n` must be a whole number from 1 to {_MOST}; got {n!r}.")
    if check.observed is None or check.replicates is None:
        raise InvalidInputError(
            "This check keeps no confusion matrices: its items have any number of labels, or it has too many classes.",
            hint="plot_discrepancy draws the statistics.",
        )
    k = 0 if name is None else place_of(name, check.names)
    return [check.observed[k], *check.replicates[:n, k]]


def _panels(ax: Any, number: int) -> Panels:
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot", caller=_CALLER)
        size = (_WIDE, _WIDE / number + _TALL)
        return pyplot.subplots(1, number, figsize=size, layout="constrained")[1]  # type: ignore[no-any-return]
    given: Panels = np.asarray(ax, dtype=np.object_).reshape(-1)
    if given.size != number:
        raise InvalidInputError(
            f"`ax` must be {number} axes, for the observed matrix and each replicate; got {given.size}.",
            hint=f"fig, axes = plt.subplots(1, {number}) makes them.",
        )
    for one in given:
        axes(one, _CALLER)
    return given


def _shares(counts: IntArray) -> FloatArray:
    """Return the share of its row that each cell holds, NaN where a class has no items."""
    items = counts.sum(axis=1, keepdims=True)
    shares: FloatArray = np.full(counts.shape, np.nan)
    np.divide(counts, items, out=shares, where=np.broadcast_to(items > 0, counts.shape))
    return shares


def _paint(ax: Axes, counts: IntArray) -> QuadMesh:
    colors = require("matplotlib.colors", extra="plot", caller=_CALLER)
    shares = _shares(counts)
    norm = colors.PowerNorm(1.0 if len(counts) <= _FEW else 0.5, vmin=0, vmax=1)
    mesh = paint(ax, shares, ramp(WHITE, ABOVE, DEEP), norm)
    for row in np.flatnonzero(np.isnan(shares).all(axis=1)):
        hatch(ax, int(row), len(counts))
    return mesh


def _rate_key(ax: Axes, mesh: QuadMesh, n_labels: int) -> None:
    rates = _RATES if n_labels <= _FEW else _LOW_RATES
    key = colour_key(ax, mesh, rates, [f"{100 * rate:g}%" for rate in rates])
    key.set_ylabel("share of the row", fontsize=SMALL, color=INK, labelpad=2)


def _count(ax: Axes, mesh: QuadMesh, counts: IntArray) -> None:
    """Write the number of items of each cell, where there is room."""
    texts = [[f"{count:,}" for count in row] for row in counts.tolist()]
    size = size_in(room(ax), max(len(text) for row in texts for text in row))
    shares = _shares(counts)
    for i, row in enumerate(texts if size else []):
        for j, text in enumerate(row):
            empty = bool(np.isnan(shares[i, j]))
            colour = INK if empty else ink_on(ground_of(mesh, float(shares[i, j])))
            write(ax, i, j, "–" if empty else text, size, color=colour)
