"""Is classifier A really better than classifier B? A posterior, a ROPE and a verdict instead of a p-value.

>>> import ropewalk as rw
>>> news = rw.examples.news20()
>>> rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0).decision.symbol
'≪'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ropewalk import classical, errors, metrics, models
from ropewalk._version import __version__
from ropewalk.data import (
    ItemScores,
    MultilabelOutcomes,
    Outcomes,
    examples,
    join_outcomes,
    read_multilabel,
    read_outcomes,
)
from ropewalk.mcmc import Sampler
from ropewalk.results import ClassComparisons, Comparison, Evaluation, PriorSensitivity, Ranking
from ropewalk.verbs.comparison import compare, compare_classes
from ropewalk.verbs.evaluation import evaluate
from ropewalk.verbs.ranking import rank

if TYPE_CHECKING:
    from ropewalk import analysis, curves, planning, plots, resampling
    from ropewalk.curves import costs
    from ropewalk.exchange import from_arviz, from_netcdf
    from ropewalk.inference.checks import predictive_check
    from ropewalk.planning import (
        BinaryScenario,
        ConfusionScenario,
        JointScenario,
        MetricScenario,
        StopWhen,
        plan,
        power,
        stopping,
    )
    from ropewalk.resampling import cross_compare

_LATE = ("analysis", "curves", "planning", "plots", "resampling")
_FROM = {
    "cross_compare": "resampling",
    "from_arviz": "exchange",
    "from_netcdf": "exchange",
    "predictive_check": "inference.checks",
    **dict.fromkeys(
        (
            "BinaryScenario",
            "ConfusionScenario",
            "JointScenario",
            "MetricScenario",
            "StopWhen",
            "plan",
            "power",
            "stopping",
        ),
        "planning",
    ),
}


def __getattr__(name: str) -> Any:
    """Import what not everybody needs when somebody asks for it: every import is quicker by a third for it."""
    if name in _LATE:
        return import_module(f"ropewalk.{name}")
    if name == "costs":
        return import_module("ropewalk.curves.costs")
    if name in _FROM:
        return getattr(import_module(f"ropewalk.{_FROM[name]}"), name)
    raise AttributeError(f"module 'ropewalk' has no attribute {name!r}")


__all__ = [
    "BinaryScenario",
    "ClassComparisons",
    "Comparison",
    "ConfusionScenario",
    "Evaluation",
    "ItemScores",
    "JointScenario",
    "MetricScenario",
    "MultilabelOutcomes",
    "Outcomes",
    "PriorSensitivity",
    "Ranking",
    "Sampler",
    "StopWhen",
    "__version__",
    "analysis",
    "classical",
    "compare",
    "compare_classes",
    "costs",
    "cross_compare",
    "curves",
    "errors",
    "evaluate",
    "examples",
    "from_arviz",
    "from_netcdf",
    "join_outcomes",
    "metrics",
    "models",
    "plan",
    "planning",
    "plots",
    "power",
    "predictive_check",
    "rank",
    "read_multilabel",
    "read_outcomes",
    "resampling",
    "stopping",
]
