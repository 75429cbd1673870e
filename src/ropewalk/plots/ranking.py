"""Rankings: the probability of every rank beside the intervals, and every pair in a square."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.plots import _canvas as canvas
from ropewalk.plots import _cells as cells
from ropewalk.plots._canvas import SMALL, TEXT, Axes, QuadMesh
from ropewalk.plots._cells import PALE_ABOVE, PALE_BELOW, PALE_INSIDE, WHITE
from ropewalk.plots._subject import metric_words
from ropewalk.report.describe.ranking import PairNumbers, pair_numbers
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE, LINE
from ropewalk.report.words import symbol_text
from ropewalk.results import Ranking
from ropewalk.text.verdicts import Leaning, Verdict, rope_text
from ropewalk.text.writing import decimals, number, percent
from ropewalk.typing import FloatArray

MAX_IN_ONE_COLUMN: Final = 6  # classifiers
MAX_NAME_LETTERS: Final = 18
CELLS_SHARE: Final = 0.6  # of the width; the intervals have the rest
GAP: Final = 0.03
MAX_TITLE_WIDTH: Final = 190.0  # points
_LEANING: Final = "< > undecided, leaning"
# Who wins, as a number of a colour; an undecided pair is pale, by where it leans.
_WINNERS: Final = (BELOW, PALE_BELOW, INSIDE, PALE_INSIDE, WHITE, PALE_ABOVE, ABOVE)
_SURE: Final = {Verdict.B_BETTER: 0, Verdict.EQUIVALENT: 2, Verdict.A_BETTER: 6}
_LEANS: Final[dict[Leaning | None, int]] = {"b": 1, "equivalent": 3, None: 4, "a": 5}
_KEY: Final = (((6,), "≫ row better"), ((0,), "≪ column better"), ((2,), "≈ equivalent"), ((1, 3, 5), _LEANING))
_ONE_SIDED: Final = {
    "≫ row better": "≫ beyond the margin",
    "≪ column better": "≪ beyond the margin",
    "≈ equivalent": "≈ inside the ROPE",
}


class _Cell(NamedTuple):
    """What a pair says: the place of its colour (NaN: none), its words, and the mean difference."""

    value: float
    text: str
    mean: str


@checked_keywords
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
    >>> ax = plot_ranking(rw.rank(news.outcomes, metric="macro_f1", draws=500, rng=0))
    >>> [name.get_text() for name in ax.get_yticklabels()]
    ['nb_mult', 'svm_l2', 'svm_l1', 'nb_bern']
    """
    ranking: Ranking = canvas.of_kind(result, Ranking, "plot_ranking", "rw.rank")
    models = ranking.by_rank
    k = len(models)
    width = canvas.WIDTH if k <= MAX_IN_ONE_COLUMN else canvas.BOTH_COLUMNS
    drawn = canvas.axes(ax, "plot_ranking", width=width, height=0.9 + max(0.16 * k, 0.6))
    shares = np.array([model.rank_probabilities for model in models])
    norm = canvas.mpl("colors").Normalize(0, float(shares.max()))
    mesh = cells.paint(drawn, shares, cells.ramp(WHITE, ABOVE, cells.DEEP), norm, first=1)
    canvas.quieten(drawn)
    cells.frame(drawn, k, k / CELLS_SHARE, first=1)
    drawn.spines[:].set_visible(False)
    _intervals(drawn, ranking)
    names, ranks = [model.name for model in models], [str(rank + 1) for rank in range(k)]
    drawn.set_xlabel("rank", x=CELLS_SHARE / 2, labelpad=2)
    cells.name_cells([drawn], names, ranks, longest=MAX_NAME_LETTERS, first=1)
    if not _write_shares(drawn, mesh, shares, min(model.estimate.worth(len(ranking.draws)) for model in models)):
        ticks = [0.0, float(shares.max()) / 2, float(shares.max())]
        key = cells.colour_key(drawn, mesh, ticks, [f"{100 * tick:.0f}%" for tick in ticks], over=CELLS_SHARE)
        key.set_xlabel("probability of the rank", fontsize=SMALL, color=INK, labelpad=2)
    return drawn


def _write_shares(ax: Axes, mesh: QuadMesh, shares: Any, n_draws: int) -> bool:
    """Write the probabilities if there is room for them; return whether there was."""
    texts = [[percent(float(share), n_draws) for share in row] for row in shares]
    size = cells.size_in(cells.room(ax), max(len(text) for row in texts for text in row))
    if not size:
        return False
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            cells.write(ax, i, j + 1, text, size, color=cells.ink_of(mesh, shares[i, j]))
    return True


def _intervals(ax: Axes, ranking: Ranking) -> None:
    """Draw mean and HDI of each classifier in an inset that shares the rows of the axes."""
    inset = ax.inset_axes((CELLS_SHARE + GAP, 0, 1 - CELLS_SHARE - GAP, 1))
    rows = range(len(ranking.models))
    estimates = [model.estimate for model in ranking.by_rank]
    size = min(3.2, 0.45 * cells.room(ax)[1])
    inset.hlines(rows, [e.hdi.low for e in estimates], [e.hdi.high for e in estimates], color=INK, linewidth=size / 2)
    inset.plot([e.mean for e in estimates], rows, "o", color=INK, markersize=size)
    inset.set_ylim(ax.get_ylim())
    canvas.quieten(inset, bare=True)
    inset.grid(axis="x", color=LINE, linewidth=0.4)
    inset.set_axisbelow(True)
    inset.margins(x=0.08)
    inset.xaxis.set_major_locator(canvas.mpl("ticker").MaxNLocator(3, min_n_ticks=2))
    less = "" if ranking.recipe.metric.higher_is_better else " (less is better)"
    label = f"{metric_words(ranking.recipe)}{less}, mean and {100 * ranking.recipe.prob:g}% HDI"
    wide = canvas.size_of(inset)[0]
    lines = [canvas.fitted(line, wide, SMALL) for line in canvas.folded(label, wide, SMALL).split("\n")]
    inset.set_xlabel("\n".join(lines[:3]), fontsize=SMALL, labelpad=2)


@checked_keywords
def plot_pairwise(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the verdict on every pair of a ranking, row against column, best first.

    ≫ says that the row is better than the column by a margin that matters, whatever the direction of the metric; "?"
    follows a symbol that depends on the draws. Where there is room, the mean of row − column stands below. Without a
    ROPE there is no verdict, and the cells say how probable it is that the row has the better value.

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
    >>> ax = plot_pairwise(rw.rank(news.outcomes, metric="macro_f1", rope=0.005, draws=1_000, rng=0))
    >>> [text.get_text() for text in ax.texts if text.get_text() in "≫≪≈<>"][:3]
    ['≫', '≫', '≫']
    """
    ranking: Ranking = canvas.of_kind(result, Ranking, "plot_pairwise", "rw.rank")
    names = [model.name for model in ranking.by_rank]
    k = len(names)
    width = canvas.WIDTH if k <= MAX_IN_ONE_COLUMN else canvas.BOTH_COLUMNS
    drawn = canvas.axes(ax, "plot_pairwise", width=width, height=min(0.9 + 0.5 * k, 0.85 * width))
    pairs = pair_numbers(ranking)
    judged = any(pair.decision is not None for pair in pairs.values())
    written = {(names.index(a), names.index(b)): _cell(pair, judged=judged) for (a, b), pair in pairs.items()}
    values = np.full((k, k), np.nan)
    for at, cell in written.items():
        values[at] = cell.value
    canvas.quieten(drawn)
    cells.frame(drawn, k, k)
    mesh = _paint_verdicts(drawn, values) if judged else _paint_chances(drawn, ranking, values)
    if judged:
        _verdict_key(drawn, ranking, stable=not any("?" in cell.text for cell in written.values()))
    drawn.set_xlabel("column", labelpad=2)
    drawn.set_ylabel("row", labelpad=2)
    cells.name_cells([drawn], names, names, longest=MAX_NAME_LETTERS)
    _write_pairs(drawn, mesh, written)
    return drawn


def _cell(numbers: PairNumbers, *, judged: bool) -> _Cell:
    """Return the verdict on a pair; where there is none at all, the probability that the row has the better value."""
    delta, decision = numbers.pair.delta, numbers.decision
    mean = canvas.minus(number(delta.mean, decimals(delta, delta.mc_error), sign=True))
    if not judged:
        # Draws that are equal colour neither side, so a pair of twins stays white.
        return _Cell((1 + numbers.better - numbers.worse) / 2, numbers.better_text, mean)
    if decision is None:
        return _Cell(np.nan, symbol_text(None), "")
    value = _SURE[decision.verdict] if decision.conclusive else _LEANS[decision.leaning]
    return _Cell(value, symbol_text(decision), mean)


def _paint_verdicts(ax: Axes, values: FloatArray) -> QuadMesh:
    """Paint who wins."""
    colors, n = canvas.mpl("colors"), len(_WINNERS)
    mesh = cells.paint(ax, values, colors.ListedColormap(_WINNERS), colors.BoundaryNorm(np.arange(n + 1) - 0.5, n))
    for i, j in zip(*np.nonzero(np.isnan(values)), strict=True):
        if i != j:
            cells.hatch(ax, int(i), 1, column=int(j))
    return mesh


def _verdict_key(ax: Axes, ranking: Ranking, *, stable: bool) -> None:
    """Write which colour is whose, and what the question was."""
    patch, swatch = canvas.mpl("patches").Patch, {"edgecolor": LINE, "linewidth": 0.5}
    key: tuple[tuple[tuple[int, ...], str], ...] = _KEY
    if ranking.recipe.rope is not None and ranking.recipe.rope.one_sided:  # nothing is better or equivalent by it
        key = tuple((places, _ONE_SIDED.get(text, text)) for places, text in _KEY)
    handles = [tuple(patch(facecolor=_WINNERS[place], **swatch) for place in places) for places, _ in key]
    rope = "" if ranking.recipe.rope is None else f", ROPE {canvas.minus(rope_text(ranking.recipe.rope))}"
    question = canvas.folded(f"{metric_words(ranking.recipe)}{rope}", MAX_TITLE_WIDTH, TEXT)
    legend = ax.legend(
        handles, [text for _, text in key], handler_map=canvas.side_by_side(),
        title=question + ("" if stable else "\n? depends on the draws"),
        prop={"family": canvas.GLYPHS, "size": SMALL}, title_fontsize=TEXT, ncols=2, loc="lower center",
        bbox_to_anchor=(0.5, 1.0), frameon=False, handlelength=1.8, handleheight=0.9, columnspacing=1.2,
        labelspacing=0.3, borderaxespad=0.3,
    )  # fmt: skip
    legend.get_title().set_multialignment("center")
    legend.get_title().set_color(INK)
    # In small axes a layout would give the legend all the room there is.
    legend.set_in_layout(legend.get_window_extent().width <= 1.5 * ax.get_window_extent().width)


def _paint_chances(ax: Axes, ranking: Ranking, values: FloatArray) -> QuadMesh:
    """Paint probabilities: blue where the row is likely to have the better value, orange where the column is."""
    mesh = cells.paint(ax, values, cells.ramp(BELOW, WHITE, ABOVE), canvas.mpl("colors").Normalize(0, 1))
    key = cells.colour_key(ax, mesh, cells.SHARES, [f"{100 * share:g}%" for share in cells.SHARES], over=1.0)
    sign = ">" if ranking.recipe.metric.higher_is_better else "<"
    question = canvas.folded(f"P({metric_words(ranking.recipe)}: row {sign} column)", MAX_TITLE_WIDTH, SMALL)
    key.set_xlabel(question, fontsize=SMALL, color=INK)
    return mesh


def _write_pairs(ax: Axes, mesh: QuadMesh, written: dict[tuple[int, int], _Cell]) -> None:
    """Write what each pair says and, where there is room, the mean difference below."""
    room = cells.room(ax)
    letters = max(len(cell.text) for cell in written.values())
    size = cells.size_in(room, letters, lines=0.9, largest=TEXT + 1 if letters <= len("≫?") else SMALL)
    small = cells.size_in(room, max(len(cell.mean) for cell in written.values()), lines=2.6, largest=SMALL - 1)
    if not size:
        return
    for (i, j), cell in written.items():
        colour = INK if np.isnan(cell.value) else cells.ink_of(mesh, cell.value)
        cells.write(
            ax, i, j, cell.text, size, color=colour, up=0.55 * small if cell.mean else 0.0, fontfamily=canvas.GLYPHS
        )
        if small and cell.mean:
            cells.write(ax, i, j, cell.mean, small, color=colour, up=-0.75 * size)
