"""Pictures of results, drawn with matplotlib (extra `plot`): results in, axes out."""

from __future__ import annotations

from ropewalk.plots.confusion import plot_confusion
from ropewalk.plots.curves import plot_calibration, plot_cost, plot_pr, plot_roc
from ropewalk.plots.power import plot_power
from ropewalk.plots.ranking import plot_pairwise, plot_ranking

__all__ = [
    "plot_calibration",
    "plot_confusion",
    "plot_cost",
    "plot_pairwise",
    "plot_power",
    "plot_pr",
    "plot_ranking",
    "plot_roc",
]
