"""The Savage-Dickey Bayes factor as a picture: the density at 0 before and after the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk._colours import INK, QUIET
from ropewalk._validate import count_of
from ropewalk.errors import InvalidInputError
from ropewalk.evidence import SD_DRAWS
from ropewalk.intervals import Interval
from ropewalk.plots._density import kernel, scott
from ropewalk.plots._letters import BESIDE, folded, plain_ticks, room_of
from ropewalk.plots._span import bulk
from ropewalk.plots._style import SMALL, TEXT, axes, of_kind, quieten, rule
from ropewalk.plots._subject import delta_words
from ropewalk.report.numbers import factor, savage_dickey
from ropewalk.results import Comparison, CrossComparison
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_factor"
_POINTS: Final = 400
_AROUND: Final = 0.1
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
    found, prior = _factor_of(c)
    delta = c.draws.delta()[:SD_DRAWS]  # the ones that the ratio is made of
    ax = axes(ax, _CALLER)
    seen = bulk(np.sort(delta), c.hdi)
    low, high = min(seen.low, 0.0), max(seen.high, 0.0)
    room = _AROUND * (high - low)
    view = Interval(low - room, high + room)
    held = "" if delta.size == SD_DRAWS else f" (of {count_of(delta.size, 'draw')})"
    tops = [_curve(ax, delta, view, f"posterior{held}", INK, "-"), _curve(ax, prior, view, "prior", QUIET, "--")]
    rule(ax, 0.0)
    for height, colour, shift, side in ((found.density, INK, 5.0, "left"), (found.prior_density, QUIET, -5.0, "right")):
        tops.append(height)
        ax.plot([0.0], [height], "o", color=colour, markersize=4.5, markeredgecolor="white", zorder=4)
        ax.annotate(
            f"{height:.3g}", (0.0, height), (shift, 0.0), textcoords="offset points", ha=side, va="center",
            fontsize=SMALL, color=colour, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=3,
        )  # fmt: skip
    ax.set_xlim(view.low, view.high)
    ax.set_ylim(0.0, _HEADROOM * max(tops))
    width, _ = room_of(ax, beside=BESIDE)
    ax.set_xlabel(folded(delta_words(c), width, TEXT))
    ax.set_ylabel("density")
    ax.set_title(folded(_headline(found), width, TEXT))
    ax.legend(fontsize=SMALL, frameon=False, handlelength=1.6, labelcolor=INK, loc=_free_corner(delta, view))
    quieten(ax)
    plain_ticks(ax, SMALL)
    return ax


def _factor_of(c: Comparison) -> tuple[_Factor, FloatArray]:
    """Return the densities at 0 and the prior draws, or say why there are none."""
    found = c.bayes_factor
    ratio = None if found is None else (found.sd, found.density, found.prior_density)
    if found is None or ratio is None or None in ratio or c.prior_draws is None:
        reason = "" if found is None else found.reason
        raise InvalidInputError(
            f"There is no Savage-Dickey ratio to draw{f': {reason}' if reason else ''}.",
            hint="a comparison under a model with a prior has one, unless its draws are all alike.",
        )
    return _Factor(savage_dickey(found), found.sd_reliable, *ratio), c.prior_draws  # type: ignore[arg-type]


def _curve(ax: Axes, draws: FloatArray, view: Interval, name: str, colour: str, line: str) -> float:
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
    told = f"BF01 {found.text}: the data are"
    if found.text.startswith("<"):
        told += " over 100 times as likely if Δ ≠ 0 as if Δ = 0"
    elif found.value >= 1:
        told += f" {factor(found.value)} times as likely if Δ = 0 as if Δ ≠ 0"
    else:
        told += f" {factor(1 / found.value)} times as likely if Δ ≠ 0 as if Δ = 0"
    return told if found.reliable else f"{told} (rough: few draws near 0)"


def _free_corner(delta: FloatArray, view: Interval) -> str:
    """Return the upper corner that is farther from the posterior."""
    return "upper left" if float(np.median(delta)) > view.middle else "upper right"
