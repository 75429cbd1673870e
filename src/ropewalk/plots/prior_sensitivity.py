"""How far an answer hangs on the prior, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ropewalk.plots._forest import Row, forest
from ropewalk.plots._style import axes, of_kind, words
from ropewalk.plots._subject import delta_words
from ropewalk.report.league import moved_text
from ropewalk.results import PriorSensitivity
from ropewalk.text.names import count_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_prior_sensitivity"
_ROW: Final = 0.2  # inches
_REST: Final = 1.0


def plot_prior_sensitivity(result: PriorSensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw the same question under several priors: mean, HDI and verdict of each, the one that was asked first.

    Parameters
    ----------
    result
        What the method `prior_sensitivity` of a comparison returns.
    ax
        The axes to draw on; a new figure of one column's width unless given.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_prior_sensitivity
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0)
    >>> ax = plot_prior_sensitivity(r.prior_sensitivity())
    >>> ax.get_yticklabels()[0].get_text()
    'as asked'
    """
    found = of_kind(result, PriorSensitivity, _CALLER, "Comparison.prior_sensitivity")
    ax = axes(ax, _CALLER, height=_REST + _ROW * len(found.rows))
    rows = [Row(words(which), comparison) for which, comparison in found.rows]
    title = f"Under {count_of(len(found.alike), 'prior')} the mean moves by {moved_text(found)} std"
    if found.robust is not None:
        title += "; the verdict stays the same" if found.robust else "; the verdict changes"
    forest(ax, rows, title=title, label=delta_words(rows[0].comparison))
    return ax
