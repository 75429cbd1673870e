"""Pictures of results, drawn with matplotlib (extra `plot`): results in, axes out."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.plots.budget import plot_budget
from ropewalk.plots.chains import plot_draws, plot_ess, plot_trace
from ropewalk.plots.checks import plot_discrepancy
from ropewalk.plots.confusion import plot_confusion, plot_replicates
from ropewalk.plots.curves import plot_calibration, plot_cost, plot_pr, plot_roc
from ropewalk.plots.equivalence import plot_equivalence
from ropewalk.plots.evidence import plot_factor, plot_rope_curve
from ropewalk.plots.intervals import plot_per_class, plot_prior_sensitivity
from ropewalk.plots.planning import plot_power
from ropewalk.plots.population import plot_shrinkage
from ropewalk.plots.posterior import plot_joint, plot_posterior
from ropewalk.plots.ranking import plot_pairwise, plot_ranking
from ropewalk.plots.runs import plot_doubt, plot_runs
from ropewalk.plots.triangle import plot_triangle

__all__ = [
    "plot_budget",
    "plot_calibration",
    "plot_confusion",
    "plot_cost",
    "plot_discrepancy",
    "plot_doubt",
    "plot_draws",
    "plot_equivalence",
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
    "plot_runs",
    "plot_shrinkage",
    "plot_trace",
    "plot_triangle",
]

publish(globals())
