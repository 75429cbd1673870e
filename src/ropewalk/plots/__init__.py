"""Pictures of results, drawn with matplotlib (extra `plot`): results in, axes out."""

from __future__ import annotations

from ropewalk.plots.confusion import plot_confusion
from ropewalk.plots.curves import plot_calibration, plot_cost, plot_pr, plot_roc
from ropewalk.plots.discrepancy import plot_discrepancy
from ropewalk.plots.draws import plot_draws
from ropewalk.plots.ess import plot_ess
from ropewalk.plots.factor import plot_factor
from ropewalk.plots.joint import plot_joint
from ropewalk.plots.per_class import plot_per_class
from ropewalk.plots.posterior import plot_posterior
from ropewalk.plots.power import plot_power
from ropewalk.plots.prior_sensitivity import plot_prior_sensitivity
from ropewalk.plots.ranking import plot_pairwise, plot_ranking
from ropewalk.plots.replicates import plot_replicates
from ropewalk.plots.rope_curve import plot_rope_curve
from ropewalk.plots.trace import plot_trace

__all__ = [
    "plot_calibration",
    "plot_confusion",
    "plot_cost",
    "plot_discrepancy",
    "plot_draws",
    "plot_ess",
    "plot_factor",
    "plot_joint",
    "plot_pairwise",
    "plot_per_class",
    "plot_posterior",
    "plot_power",
    "plot_pr",
    "plot_prior_sensitivity",
    "plot_ranking",
    "plot_replicates",
    "plot_roc",
    "plot_rope_curve",
    "plot_trace",
]
