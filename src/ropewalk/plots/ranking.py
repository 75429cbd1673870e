"""Rankings: the probability of every rank beside the intervals, and every pair in a square."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ropewalk._optional import require
from ropewalk.plots._cells import (
    DEEP,
    GLYPHS,
    PALE_ABOVE,
    PALE_BELOW,
    PALE_INSIDE,
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
from ropewalk.plots._letters import fitted, folded, minus
from ropewalk.plots._style import SMALL, TEXT, WIDTH, axes, grid, of_kind, quieten, settle
from ropewalk.plots._subject import metric_words
from ropewalk.report.pictures.axes import ABOVE, BELOW, INK, INSIDE, LINE
from ropewalk.results import Pair, Ranking
from ropewalk.text.numbers import decimals, number, percent
from ropewalk.text.verdicts import Leaning, Verdict, rope_text
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

_WIDE: Final = 7.0  # inches: both columns of a two-column paper
_FEW: Final = 6  # so many classifiers fit into one column
_LONGEST: Final = 18
_CELLS: Final = 0.6  # of the width; the intervals have the rest
_GAP: Final = 0.03
_TITLE: Final = 190.0  # points that a line of a title may have
_NOTHING: Final = "–"
_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_LEANING: Final = "< > undecided, leaning"
# Who wins, as a number of a colour; an undecided pair is pale, by where it leans.
_WINNERS: Final = (BELOW, PALE_BELOW, INSIDE, PALE_INSIDE, WHITE, PALE_ABOVE, ABOVE)
_SURE: Final = {Verdict.B_BETTER: 0, Verdict.EQUIVALENT: 2, Verdict.A_BETTER: 6}
_LEANS: Final[dict[Leaning | None, int]] = {"b": 1, "equivalent": 3, None: 4, "a": 5}
_KEY: Final = (((6,), "≫ row better"), ((0,), "≪ column better"), ((2,), "≈ equivalent"), ((1, 3, 5), _LEANING))


class _Cell(NamedTuple):
    """What a pair says: the place of its colour (NaN: none), its words, and the mean difference."""

    value: float
    text: str
    mean: str


def plot_ranking(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the probability of every rank for each classifier, best first, and the intervals of the metric beside it.

    Parameters
    ----------
    result
        What `rank` returns.
    ax
        Axes to draw on.

    Returns
    -------
    The axes with the probabilities; ``ax.child_axes[0]`` are those with mean and HDI of each classifier.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> ax = plot_ranking(rw.rank(news.outcomes, metric="macro_f1", draws=2_000, rng=0))
    >>> [name.get_text() for name in ax.get_yticklabels()]
    ['nb_mult', 'svm_l2', 'svm_l1', 'nb_bern']
    """
    found: Ranking = of_kind(result, Ranking, "plot_ranking", "rw.rank")
    models = found.by_rank
    k = len(models)
    drawn = axes(ax, "plot_ranking", width=WIDTH if k <= _FEW else _WIDE, height=0.9 + max(0.16 * k, 0.6))
    colors = require("matplotlib.colors", extra="plot", caller="plot_ranking")
    shares = np.array([model.rank_probabilities for model in models])
    mesh = paint(drawn, shares, ramp(WHITE, ABOVE, DEEP), colors.Normalize(0, float(shares.max())), first=1)
    quieten(drawn)
    frame(drawn, k, k / _CELLS, first=1)
    drawn.spines[:].set_visible(False)
    _intervals(drawn, found)
    names, ranks = [model.name for model in models], [str(rank + 1) for rank in range(k)]
    drawn.set_xlabel("rank", x=_CELLS / 2, labelpad=2)
    for _ in range(2):  # names and cells make room for each other
        name_cells(drawn, names, ranks, longest=_LONGEST, first=1)
        settle(drawn)
    if not _write_shares(drawn, mesh, shares, min(one.estimate.worth(len(found.draws)) for one in found.models)):
        ticks = [0.0, float(shares.max()) / 2, float(shares.max())]
        key = colour_key(drawn, mesh, ticks, [f"{100 * tick:.0f}%" for tick in ticks], over=_CELLS)
        key.set_xlabel("probability of the rank", fontsize=SMALL, color=INK, labelpad=2)
    return drawn


def _write_shares(ax: Axes, mesh: QuadMesh, shares: Any, n_draws: int) -> bool:
    """Write the probabilities if there is room for them; say whether there was."""
    texts = [[percent(float(share), n_draws) for share in row] for row in shares]
    size = size_in(room(ax), max(len(text) for row in texts for text in row))
    if not size:
        return False
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            write(ax, i, j + 1, text, size, color=ink_on(ground_of(mesh, float(shares[i, j]))))
    return True


def _intervals(ax: Axes, found: Ranking) -> None:
    """Draw mean and HDI of each classifier in an inset that shares the rows of the axes."""
    ticker = require("matplotlib.ticker", extra="plot", caller="plot_ranking")
    inset = ax.inset_axes((_CELLS + _GAP, 0, 1 - _CELLS - _GAP, 1))
    rows = range(len(found.models))
    estimates = [model.estimate for model in found.by_rank]
    size = min(3.2, 0.45 * room(ax)[1])
    inset.hlines(rows, [e.hdi.low for e in estimates], [e.hdi.high for e in estimates], color=INK, linewidth=size / 2)
    inset.plot([e.mean for e in estimates], rows, "o", color=INK, markersize=size)
    inset.set_ylim(ax.get_ylim())
    quieten(inset, bare=True)
    grid(inset)
    inset.margins(x=0.08)
    inset.xaxis.set_major_locator(ticker.MaxNLocator(3, min_n_ticks=2))
    less = "" if found.recipe.metric.higher_is_better else " (less is better)"
    said = f"{metric_words(found.recipe)}{less}, mean and {100 * found.recipe.prob:g}% HDI"
    wide = 72 * inset.get_window_extent().width / ax.figure.dpi
    lines = [fitted(line, wide, SMALL) for line in folded(said, wide, SMALL).split("\n")]
    inset.set_xlabel("\n".join(lines[:3]), fontsize=SMALL, labelpad=2)


def plot_pairwise(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the verdict on every pair of a ranking, row against column, best first.

    ≫ says that the row is better than the column by a margin that matters, whatever the direction of the metric; "?"
    follows a symbol that hangs on the draws. Where there is room, the mean of row − column stands below. Without a ROPE
    there is no verdict, and the cells say how probable it is that the row has the better value.

    Parameters
    ----------
    result
        What `rank` returns.
    ax
        Axes to draw on.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> ax = plot_pairwise(rw.rank(news.outcomes, metric="macro_f1", rope=0.005, draws=5_000, rng=0))
    >>> [text.get_text() for text in ax.texts if text.get_text() in "≫≪≈<>"][:3]
    ['≫', '≫', '≫']
    """
    found: Ranking = of_kind(result, Ranking, "plot_pairwise", "rw.rank")
    names = [model.name for model in found.by_rank]
    k = len(names)
    width = WIDTH if k <= _FEW else _WIDE
    drawn = axes(ax, "plot_pairwise", width=width, height=min(0.9 + 0.5 * k, 0.85 * width))
    cells = _verdicts(found, names)
    judged = any(cell.text != _NOTHING for cell in cells.values())
    cells = cells if judged else _chances(found, names)
    values = np.full((k, k), np.nan)
    for at, cell in cells.items():
        values[at] = cell.value
    quieten(drawn)
    frame(drawn, k, k)
    mesh = _paint_verdicts(drawn, values) if judged else _paint_chances(drawn, found, values)
    if judged:
        _verdict_key(drawn, found, stable=not any("?" in cell.text for cell in cells.values()))
    drawn.set_xlabel("column", labelpad=2)
    drawn.set_ylabel("row", labelpad=2)
    for _ in range(2):  # names and cells make room for each other
        name_cells(drawn, names, names, longest=_LONGEST)
        settle(drawn)
    _write_pairs(drawn, mesh, cells)
    return drawn


def _verdicts(found: Ranking, names: Sequence[str]) -> dict[tuple[int, int], _Cell]:
    """Return the verdict on every pair, both ways round: with a ROPE of unequal ends the two are two questions."""
    cells = {}
    given = {frozenset((pair.a, pair.b)): pair.decision is not None for pair in found.pairwise}
    for (i, row), (j, column) in permutations(enumerate(names), 2):
        pair = found.pair(row, column)
        if pair.decision is None or not given[frozenset((row, column))]:
            cells[i, j] = _Cell(np.nan, _NOTHING, "")
            continue
        verdict, leaning = pair.decision.verdict, pair.decision.leaning
        value = _SURE[verdict] if verdict.conclusive else _LEANS[leaning]
        cells[i, j] = _Cell(value, pair.decision.symbol + ("" if pair.decision.stable else "?"), _mean(pair))
    return cells


def _chances(found: Ranking, names: Sequence[str]) -> dict[tuple[int, int], _Cell]:
    """Return the probability that the row has the better value."""
    cells, up = {}, found.recipe.metric.higher_is_better
    for (i, row), (j, column) in permutations(enumerate(names), 2):
        pair = found.pair(row, column)
        above, below = pair.contrast.prob_above_zero, pair.contrast.prob_below_zero
        better, worse = (above, below) if up else (below, above)
        n = pair.delta.worth(len(found.draws))
        # Draws that are equal colour neither side, so a pair of twins stays white.
        cells[i, j] = _Cell((1 + better - worse) / 2, percent(better, n), _mean(pair))
    return cells


def _mean(pair: Pair) -> str:
    return minus(number(pair.delta.mean, decimals(pair.delta, pair.delta.mc_error), sign=True))


def _paint_verdicts(ax: Axes, values: FloatArray) -> QuadMesh:
    """Paint who wins."""
    colors = require("matplotlib.colors", extra="plot", caller="plot_pairwise")
    n = len(_WINNERS)
    mesh = paint(ax, values, colors.ListedColormap(_WINNERS), colors.BoundaryNorm(np.arange(n + 1) - 0.5, n))
    for i, j in zip(*np.nonzero(np.isnan(values)), strict=True):
        if i != j:
            hatch(ax, int(i), 1, column=int(j))
    return mesh


def _verdict_key(ax: Axes, found: Ranking, *, stable: bool) -> None:
    """Say which colour is whose, and what the question was."""
    patches = require("matplotlib.patches", extra="plot", caller="plot_pairwise")
    handlers = require("matplotlib.legend_handler", extra="plot", caller="plot_pairwise")
    swatch = {"edgecolor": LINE, "linewidth": 0.5}
    handles = [tuple(patches.Patch(facecolor=_WINNERS[place], **swatch) for place in places) for places, _ in _KEY]
    rope = "" if found.recipe.rope is None else f", ROPE {minus(rope_text(found.recipe.rope))}"
    asked = folded(f"{metric_words(found.recipe)}{rope}", _TITLE, TEXT)
    legend = ax.legend(
        handles, [text for _, text in _KEY], handler_map={tuple: handlers.HandlerTuple(ndivide=None, pad=0)},
        title=asked + ("" if stable else "\n? hangs on the draws"),
        prop={"family": GLYPHS, "size": SMALL}, title_fontsize=TEXT, ncols=2, loc="lower center",
        bbox_to_anchor=(0.5, 1.0), frameon=False, handlelength=1.8, handleheight=0.9, columnspacing=1.2,
        labelspacing=0.3, borderaxespad=0.3,
    )  # fmt: skip
    legend.get_title().set_multialignment("center")
    legend.get_title().set_color(INK)
    # In small axes a layout would give the legend all the room there is.
    legend.set_in_layout(legend.get_window_extent().width <= 1.5 * ax.get_window_extent().width)


def _paint_chances(ax: Axes, found: Ranking, values: FloatArray) -> QuadMesh:
    """Paint probabilities: blue where the row is likely to have the better value, orange where the column is."""
    colors = require("matplotlib.colors", extra="plot", caller="plot_pairwise")
    mesh = paint(ax, values, ramp(BELOW, WHITE, ABOVE), colors.Normalize(0, 1))
    key = colour_key(ax, mesh, _SHARES, [f"{100 * share:g}%" for share in _SHARES], over=1.0)
    sign = ">" if found.recipe.metric.higher_is_better else "<"
    asked = folded(f"P({metric_words(found.recipe)}: row {sign} column)", _TITLE, SMALL)
    key.set_xlabel(asked, fontsize=SMALL, color=INK)
    return mesh


def _write_pairs(ax: Axes, mesh: QuadMesh, cells: dict[tuple[int, int], _Cell]) -> None:
    """Write what each pair says and, where there is room, the mean difference below."""
    cell = room(ax)
    letters = max(len(one.text) for one in cells.values())
    size = size_in(cell, letters, lines=0.9, most=TEXT + 1 if letters <= len("≫?") else SMALL)
    small = size_in(cell, max(len(one.mean) for one in cells.values()), lines=2.6, most=SMALL - 1)
    if not size:
        return
    for (i, j), one in cells.items():
        colour = INK if np.isnan(one.value) else ink_on(ground_of(mesh, one.value))
        up = 0.55 * small if one.mean else 0.0
        write(ax, i, j, one.text, size, color=colour, up=up, fontfamily=GLYPHS)
        if small and one.mean:
            write(ax, i, j, one.mean, small, color=colour, up=-0.75 * size)
