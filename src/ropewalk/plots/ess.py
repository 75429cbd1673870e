"""How many independent draws those of Markov chains are worth, as more of them are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ropewalk.mcmc.diagnostics import LEAST_ESS, effective
from ropewalk.plots._chains import chained_of
from ropewalk.plots._letters import BESIDE, folded, plain_ticks, room_of, with_signs
from ropewalk.plots._series import next_style
from ropewalk.plots._style import SMALL, TEXT, axes, quieten
from ropewalk.report.pictures.axes import INK, QUIET
from ropewalk.results import Comparison, MetricPosterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLER: Final = "plot_ess"
_STEPS: Final = 20
_FEWEST: Final = 8  # draws of a chain, from which on something can be measured
_HEADROOM: Final = 1.08


def plot_ess(result: Comparison | MetricPosterior, *, ax: Axes | None = None) -> Axes:
    """Draw how many independent draws those of Markov chains are worth, against how many there are.

    The bulk decides how well a mean is known, the tail how well the ends of an interval are. Both rise in a straight
    line where the chains mix; where they bend down, chains have got stuck, or found a new place late. Below the dotted
    line there is no verdict.

    Parameters
    ----------
    result
        What `compare` returns, or one metric of what `evaluate` returns, by Markov chains; of a comparison, it is the
        difference that is looked at.
    ax
        The axes to draw on; a new figure of one column's width unless given.
    """
    numbers, _, _ = chained_of(result, _CALLER)
    one = numbers[0]
    ax = axes(ax, _CALLER)
    n_chains, n_draws = one.values.shape
    counts = np.unique(np.linspace(min(max(n_draws // _STEPS, _FEWEST), n_draws), n_draws, _STEPS).astype(np.int64))
    total = n_chains * counts
    top = float(total[-1])
    for kind in ("bulk", "tail"):
        style = next_style(ax)
        worth = [effective(one.values[:, :count], kind) for count in counts.tolist()]
        top = max(top, *worth) if kind == "bulk" else top
        ax.plot(
            total, worth, color=style.colour, linestyle=style.line, marker=style.point, markersize=2.5, linewidth=1.2,
            label=f"{kind}, {worth[-1]:,.0f} at last",
        )  # fmt: skip
    ax.plot([0, total[-1]], [0, total[-1]], color=QUIET, linewidth=0.8, linestyle="--", label="independent draws")
    ax.axhline(LEAST_ESS, color=INK, linewidth=0.8, linestyle=":", label=f"least for a verdict, {LEAST_ESS:,}")
    ax.set_xlim(0, total[-1] * 1.02)
    ax.set_ylim(0, _HEADROOM * max(top, LEAST_ESS))
    width, _ = room_of(ax, beside=BESIDE)
    ax.set_xlabel("draws of all chains")
    ax.set_ylabel("effective number of draws")
    ax.set_title(folded(f"{one.label}: the mean is known to ±{one.estimate.mc_error:.1g}", width, TEXT))
    ax.legend(fontsize=SMALL, frameon=False, handlelength=2.2, labelcolor=INK, loc="upper left")
    quieten(ax)
    _, height = room_of(ax)
    plain_ticks(ax, "x", width, whole=True)
    plain_ticks(ax, "y", height, whole=True)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    with_signs(ax)
    return ax
