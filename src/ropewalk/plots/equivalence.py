"""Which classifiers of a ranking are practically equivalent, and which are undecided."""

from __future__ import annotations

from typing import Any, Final

from ropewalk._checks import checked_keywords
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes
from ropewalk.plots._subject import metric_words
from ropewalk.plots.intervals import MAX_HEIGHT, NAMES_SHARE, lettering, name_rows
from ropewalk.report.equivalence import Join, can_join, joins, n_columns
from ropewalk.report.pictures import INK, LINE, QUIET, hull, view
from ropewalk.results import Ranking
from ropewalk.text.verdicts import rope_text

ROW: Final = 0.2  # inches
KEY: Final = 34.0  # points above the axes
BAR: Final = 8.0  # points from one bar to the next
MOST_IN_ONE_COLUMN: Final = 8  # bars
MOST_BARS: Final = 0.4  # of the width
_DOTTED: Final = (0, (1.0, 2.0))


@checked_keywords
def plot_equivalence(result: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the score of each classifier with its HDI, best first, and bars that join those which are alike.

    A thick bar joins classifiers of which every pair is practically equivalent by the verdict, a thin dotted one those
    of which every pair is undecided; a dot is a member. Two that no bar joins are decided: one is better. The classical
    critical-difference diagram joins what is "not significant", which reads as equal.

    Parameters
    ----------
    result
        What `rank` and `rank_datasets` return, with a ROPE of two ends.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> ax = plot_equivalence(rw.rank(news.outcomes, metric="macro_f1", rope=0.03, draws=1_000, rng=0))
    >>> [name.get_text() for name in ax.get_yticklabels()]
    ['nb_mult', 'svm_l2', 'svm_l1', 'nb_bern']
    """
    ranking: Ranking = canvas.of_kind(result, Ranking, "plot_equivalence", "rw.rank")
    if not can_join(ranking):
        rope = ranking.recipe.rope
        raise InvalidInputError(
            "Which classifiers are equivalent takes verdicts, by a ROPE of two ends.",
            hint="rank with rope=0.01." if rope is None or rope.one_sided else "r.no_verdict says why there is none.",
        )
    models, bars = ranking.by_rank, joins(ranking)
    n = len(models)
    wide = canvas.BOTH_COLUMNS if n_columns(bars) > MOST_IN_ONE_COLUMN else canvas.WIDTH
    drawn = canvas.axes(ax, "plot_equivalence", width=wide, height=min(1.2 + ROW * n, MAX_HEIGHT))
    intervals = [model.estimate.hdi for model in models]
    shown = view(hull(intervals))
    drawn.set_xlim(shown.low, shown.high)
    drawn.set_ylim(n - 0.5, -0.5)
    canvas.quieten(drawn)
    drawn.spines["left"].set_visible(False)
    width, height = canvas.room_of(drawn, above=KEY + 2 * TEXT)
    pitch = height / n
    names = [canvas.short(model.name, 40) for model in models]
    taken = name_rows(drawn, names, lettering(pitch), NAMES_SHARE * width)
    beside = min(BAR * n_columns(bars), MOST_BARS * width)
    inner = max(width - taken - beside, width / 4)
    less = "" if ranking.recipe.metric.higher_is_better else " (less is better)"
    label = f"{metric_words(ranking.recipe)}{less}, mean and {100 * ranking.recipe.prob:g}% HDI"
    drawn.set_xlabel(canvas.folded(label, inner, TEXT))
    canvas.plain_ticks(drawn, "x", inner)
    rows, dot = range(n), min(3.6, 0.6 * pitch)
    lows, highs = [low for low, _ in intervals], [high for _, high in intervals]
    drawn.hlines(rows, lows, highs, color=INK, linewidth=min(1.6, pitch / 4), zorder=2, label="HDI")
    drawn.scatter([model.estimate.mean for model in models], rows, s=dot**2, color=INK, zorder=3, label="mean")
    _join(drawn, bars, beside / max(n_columns(bars), 1))
    _key(drawn, ranking)
    return drawn


def _join(ax: Axes, bars: tuple[Join, ...], step: float) -> None:
    """Draw the bars beside the rows that they join, so many points apart."""
    move = canvas.mpl("transforms").ScaledTranslation
    for bar in bars:
        across = (bar.column + 1) * step / canvas.POINTS_PER_INCH
        beside = ax.get_yaxis_transform() + move(across, 0, ax.figure.figure.dpi_scale_trans)
        look: dict[str, Any] = (
            {"color": INK, "linewidth": 3.0, "label": "equivalent", "markerfacecolor": INK, "markersize": 4.0}
            if bar.settled
            else {"color": QUIET, "linewidth": 1.0, "linestyle": _DOTTED, "label": "undecided", "markersize": 3.0,
                  "markerfacecolor": "white"}
        )  # fmt: skip
        ends = {"transform": beside, "clip_on": False, "markeredgecolor": INK, "markeredgewidth": 0.7}
        ax.plot([1.0] * len(bar.members), bar.members, marker="o", solid_capstyle="round", **look, **ends)


def _key(ax: Axes, ranking: Ranking) -> None:
    """Write which bar is which."""
    line = canvas.mpl("lines").Line2D
    rope = "" if ranking.recipe.rope is None else f" ({canvas.minus(rope_text(ranking.recipe.rope))})"
    handles = (
        (line([], [], color=INK, linewidth=3.0, marker="o", markersize=3.6), f"practically equivalent{rope}"),
        (
            line([], [], color=QUIET, linewidth=1.0, linestyle=_DOTTED, marker="o", markersize=3.0,
                 markerfacecolor="white", markeredgecolor=INK, markeredgewidth=0.7),
            "undecided",
        ),
        (line([], [], color=LINE, linewidth=0), "no bar: decided, one is better"),
    )  # fmt: skip
    pictures, words = zip(*handles, strict=True)
    legend = ax.legend(
        pictures, words, loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=SMALL, frameon=False, handlelength=1.8,
        labelspacing=0.3, borderaxespad=0.2,
    )  # fmt: skip
    legend.set_in_layout(legend.get_window_extent().width <= 2 * ax.get_window_extent().width)
