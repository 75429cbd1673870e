"""Is classifier A really better than classifier B? A posterior, a ROPE and a verdict instead of a p-value.

>>> import ropewalk as rw
>>> news = rw.examples.news20()
>>> rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0).decision.symbol
'≪'
"""

from __future__ import annotations

from importlib import import_module

from ropewalk._version import __version__

TYPE_CHECKING = False  # as in `typing`, which is imported later: until then Ctrl-C would be a traceback of Python's own
if TYPE_CHECKING:
    from typing import Any

    from ropewalk import analysis, classical, curves, errors, metrics, models, planning, plots, resampling
    from ropewalk.curves import costs
    from ropewalk.data import (
        ItemScores,
        MultilabelOutcomes,
        Outcomes,
        Query,
        examples,
        join_outcomes,
        join_scores,
        read_counts,
        read_log,
        read_long,
        read_multilabel,
        read_outcomes,
        read_sql,
    )
    from ropewalk.exchange import from_arviz, from_netcdf
    from ropewalk.gating import gate
    from ropewalk.inference.checks import predictive_check
    from ropewalk.inference.logs import count_logs
    from ropewalk.mcmc import Sampler
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
    from ropewalk.results import ClassComparisons, Comparison, Evaluation, Gate, PriorSensitivity, Ranking
    from ropewalk.verbs.comparison import compare, compare_classes, compare_tasks
    from ropewalk.verbs.datasets import compare_datasets
    from ropewalk.verbs.datasets_ranking import rank_datasets
    from ropewalk.verbs.evaluation import evaluate
    from ropewalk.verbs.folds import compare_folds
    from ropewalk.verbs.pooling import pool
    from ropewalk.verbs.ranking import rank
    from ropewalk.verbs.suites import suite
    from ropewalk.verbs.watching import watch

_MODULES = {"costs": "curves.costs", "examples": "data.examples"}
_HOMES = {
    "data": (
        "ItemScores", "MultilabelOutcomes", "Outcomes", "Query", "join_outcomes", "join_scores", "read_counts",
        "read_log", "read_long", "read_multilabel", "read_outcomes", "read_sql",
    ),
    "exchange": ("from_arviz", "from_netcdf"),
    "gating": ("gate",),
    "inference.checks": ("predictive_check",),
    "inference.logs": ("count_logs",),
    "mcmc": ("Sampler",),
    "planning": (
        "BinaryScenario", "ConfusionScenario", "JointScenario", "MetricScenario", "StopWhen", "plan", "power",
        "stopping",
    ),
    "resampling": ("cross_compare",),
    "results": ("ClassComparisons", "Comparison", "Evaluation", "Gate", "PriorSensitivity", "Ranking"),
    "verbs.comparison": ("compare", "compare_classes", "compare_tasks"),
    "verbs.evaluation": ("evaluate",),
    "verbs.datasets": ("compare_datasets",),
    "verbs.datasets_ranking": ("rank_datasets",),
    "verbs.folds": ("compare_folds",),
    "verbs.pooling": ("pool",),
    "verbs.ranking": ("rank",),
    "verbs.suites": ("suite",),
    "verbs.watching": ("watch",),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a name when it is used first, so that `import ropewalk` and the help of the command take no time."""
    if name not in __all__:
        raise AttributeError(f"module 'ropewalk' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        value: Any = import_module(f"ropewalk.{_MODULES.get(name, name)}")
    else:
        value = getattr(import_module(f"ropewalk.{home}"), name)
    globals()[name] = value
    return value


__all__ = [
    "BinaryScenario",
    "ClassComparisons",
    "Comparison",
    "ConfusionScenario",
    "Evaluation",
    "Gate",
    "ItemScores",
    "JointScenario",
    "MetricScenario",
    "MultilabelOutcomes",
    "Outcomes",
    "PriorSensitivity",
    "Query",
    "Ranking",
    "Sampler",
    "StopWhen",
    "__version__",
    "analysis",
    "classical",
    "compare",
    "compare_classes",
    "compare_datasets",
    "compare_folds",
    "compare_tasks",
    "costs",
    "count_logs",
    "cross_compare",
    "curves",
    "errors",
    "evaluate",
    "examples",
    "from_arviz",
    "from_netcdf",
    "gate",
    "join_outcomes",
    "join_scores",
    "metrics",
    "models",
    "plan",
    "planning",
    "plots",
    "pool",
    "power",
    "predictive_check",
    "rank",
    "rank_datasets",
    "read_counts",
    "read_log",
    "read_long",
    "read_multilabel",
    "read_outcomes",
    "read_sql",
    "resampling",
    "stopping",
    "suite",
    "watch",
]


def __dir__() -> list[str]:
    """List what is public."""
    return __all__
