"""The Savage-Dickey Bayes factor as a picture: the density at 0 before and after the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from ropewalk.draws.density import kernel, scott
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.plots._letters import BESIDE, folded, plain_ticks, room_of, with_signs
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten, rule
from ropewalk.plots._subject import delta_words
from ropewalk.report.pictures.axes import INK, QUIET, bulk
from ropewalk.report.pictures.axes import view as span
from ropewalk.results import Comparison, CrossComparison
from ropewalk.text.numbers import factor, savage_dickey
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_factor"
_POINTS: Final = 400
_AROUND: Final = 0.15
_LEAST: Final = 0.02
_HEADROOM: Final = 1.1


@dataclass(frozen=True, slots=True)
class _Factor:
    """A Savage-Dickey ratio that is there, as text and as numbers."""

    text: str
    reliable: bool
    value: float
    density: float
    prior_density: float


def plot_factor(result: Comparison | CrossComparison, *, ax: Axes | None = None) -> Axes:
    """Draw the prior and the posterior of A − B, and their densities at 0, whose ratio is the Bayes factor BF01.

    Both curves are Gaussian kernels with Scott's bandwidth, as the ratio itself is measured. Where the data raise the
    density at 0 they speak for equal classifiers, and where they lower it for different ones.

    Parameters
    ----------
    result
        What `compare` or `cross_compare` returns, under a model with a prior.
    ax
        The axes to draw on; a new figure of one column's width unless given.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_factor
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> ax = plot_factor(r)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['posterior', 'prior']
    """
    c = of_kind(result, Comparison, _CALLER, "compare")
    found, prior, delta = _factor_of(c)
    ax = axes(ax, _CALLER)
    seen = bulk(np.sort(delta), c.hdi)
    view = span(Interval(min(seen.low, 0.0), max(seen.high, 0.0)), margin=_AROUND)
    posterior_top = _curve(ax, delta, view, name="posterior", colour=INK, line="-")
    prior_top = _curve(ax, prior, view, name="prior", colour=QUIET, line="--")
    top = max(posterior_top, prior_top, found.density, found.prior_density)
    rule(ax, 0.0)
    _dots(ax, found, top, leftwards=float(np.median(delta)) > 0)
    ax.set_xlim(view.low, view.high)
    ax.set_ylim(0.0, _HEADROOM * top)
    width, _ = room_of(ax, beside=BESIDE)
    ax.set_xlabel(folded(delta_words(c), width, TEXT))
    ax.set_ylabel("density")
    ax.set_title(folded(_headline(found), width, TEXT))
    ax.legend(fontsize=SMALL, frameon=False, handlelength=1.6, labelcolor=INK, loc=_free_place(delta, view))
    quieten(ax)
    plain_ticks(ax, "x", width)
    with_signs(ax)
    return ax


def _factor_of(c: Comparison) -> tuple[_Factor, FloatArray, FloatArray]:
    """Return the densities at 0 and the draws that they are made of, prior and posterior, or say why there are none."""
    found = c.bayes_factor
    ratio = None if found is None else (found.sd, found.density, found.prior_density)
    if found is None or ratio is None or None in ratio or c.prior_draws is None or c.sd_draws is None:
        reason = "" if found is None else found.reason
        raise InvalidInputError(
            f"There is no Savage-Dickey ratio to draw{f': {reason}' if reason else ''}.",
            hint="the papers' models have one: of two labels, or model='icdm2015', unless all draws are alike.",
        )
    return _Factor(savage_dickey(found), found.sd_reliable, *ratio), c.prior_draws, c.sd_draws  # type: ignore[arg-type]


def _curve(ax: Axes, draws: FloatArray, view: Interval, *, name: str, colour: str, line: str) -> float:
    """Draw a density and return how high it rises."""
    width = scott(draws)
    if not width:
        return 0.0
    grid = np.union1d(np.linspace(view.low, view.high, _POINTS), [0.0])
    heights = kernel(draws, grid, width)
    ax.plot(grid, heights, color=colour, linewidth=1.2, linestyle=line, zorder=2, label=name)
    return float(heights.max())


def _headline(found: _Factor) -> str:
    """Say the ratio, and what it says."""
    if found.text.startswith("<"):
        told = f"BF01 {found.text}: the data are over 100 times as likely if Δ ≠ 0 as if Δ = 0"
    elif found.value >= 1:
        told = f"BF01 = {found.text}: the data are {factor(found.value)} times as likely if Δ = 0 as if Δ ≠ 0"
    else:
        told = f"BF01 = {found.text}: the data are {factor(1 / found.value)} times as likely if Δ ≠ 0 as if Δ = 0"
    return told if found.reliable else f"{told} (rough: few draws near 0)"


def _dots(ax: Axes, found: _Factor, top: float, *, leftwards: bool) -> None:
    """Mark the densities at 0, and write how large they are.

    At the height of the posterior's dot the side away from its heap is free; the prior is flat, and free above.
    """
    away = -5.0 if leftwards else 5.0
    for height, colour, shift in ((found.density, INK, (away, 0.0)), (found.prior_density, QUIET, (-away, 6.0))):
        ax.plot([0.0], [height], "o", color=colour, markersize=4.5, markeredgecolor="white", zorder=4)
        if colour == INK and height < _LEAST * top:  # a dot on the axis says it
            continue
        ax.annotate(
            f"{height:.3g}", (0.0, height), shift, textcoords="offset points", ha="right" if shift[0] < 0 else "left",
            va="center", fontsize=SMALL, color=colour, zorder=3,
        )  # fmt: skip


def _free_place(delta: FloatArray, view: Interval) -> Literal["upper left", "upper center", "upper right"]:
    """Return where at the top neither the posterior nor the line at 0 is."""
    middle, width = float(np.median(delta)), view.high - view.low
    if abs(middle) > width / 2:
        return "upper center"
    return "upper left" if middle > view.middle else "upper right"
