"""Where two classifiers differ: their difference on every class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ropewalk.data.labels import label_text
from ropewalk.plots._forest import Row, forest, tally
from ropewalk.plots._style import axes, of_kind, short, words
from ropewalk.plots._subject import NAME
from ropewalk.report.shape import metric_title
from ropewalk.results import ClassComparisons

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_per_class"
_NAME: Final = 40
_ROW: Final = 0.16  # inches
_REST: Final = 0.95
_TALLEST: Final = 9.0  # a page


def plot_per_class(result: ClassComparisons, *, ax: Axes | None = None) -> Axes:
    """Draw the difference A − B on every class: mean, HDI and verdict, in label order.

    The band is the ROPE. A full dot is a settled verdict, in the colour of its side of the ROPE; a hollow one is
    undecided; a question mark says that other draws may decide otherwise. The figure grows with the number of classes,
    up to a page; then names stand in two columns, and of very many classes not all are named.

    Parameters
    ----------
    result
        What `compare_classes` returns.
    ax
        The axes to draw on; a new figure of one column's width unless given.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_per_class
    >>> news = rw.examples.news20()
    >>> table = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0)
    >>> ax = plot_per_class(table)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_yticklabels()][:3]
    ('Δ F1: nb_mult − svm_l2', ['0', '1', '2'])
    """
    table = of_kind(result, ClassComparisons, _CALLER, "compare_classes")
    first = table[0]
    ax = axes(ax, _CALLER, height=min(_REST + _ROW * len(table), _TALLEST))
    rows = [Row(short("" if c.pos_label is None else label_text(c.pos_label), _NAME), c) for c in table]
    a, b, metric = short(first.a, NAME), short(first.b, NAME), words(metric_title(first.metric))
    title = tally(rows, a, b)
    if not title:
        why = next((c.recipe.no_verdict for c in table if c.recipe.no_verdict), "whether they matter needs a ROPE")
        title = f"The differences on {len(table):,} classes; {why}"
    forest(ax, rows, title=title, label=f"Δ {metric}: {a} − {b}")
    return ax
