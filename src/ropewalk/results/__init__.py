"""The answers: frozen values, with what is needed to trust them and to get them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ropewalk._checks import publish_late

if TYPE_CHECKING:
    from ropewalk.results.base import Recipe, Rendered
    from ropewalk.results.budget import BudgetPlan, RunsPower
    from ropewalk.results.checks import Confusion, PredictiveCheck
    from ropewalk.results.classical import Battery, ClassicalTest, Nemenyi
    from ropewalk.results.comparison import ClassComparisons, Companion, Comparison, PriorSensitivity
    from ropewalk.results.datasets import DatasetsComparison, DatasetsRanking
    from ropewalk.results.evaluation import Evaluation, MetricPosterior, Pair, Ranked, Ranking, Validated
    from ropewalk.results.flips import Flip, Flips
    from ropewalk.results.folds import FoldsComparison
    from ropewalk.results.gates import Check, Gate, Requirement
    from ropewalk.results.items import Items
    from ropewalk.results.judges import JudgedComparison
    from ropewalk.results.looks import Look
    from ropewalk.results.planning import Design, LabelPlan, MoreData, Plan, PowerResult, PowerRow, StoppingResult
    from ropewalk.results.pooled import PooledEstimates, PopulationComparison
    from ropewalk.results.resampled import CrossComparison
    from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsPosterior, RunsRanking
    from ropewalk.results.slices import Slice, Slices
    from ropewalk.results.suites import SuiteComparison, SuiteEvaluation, SuiteRanking
    from ropewalk.results.tasks import TaskComparisons

_HOMES = {
    "base": ("Recipe", "Rendered"),
    "budget": ("BudgetPlan", "RunsPower"),
    "checks": ("Confusion", "PredictiveCheck"),
    "classical": ("Battery", "ClassicalTest", "Nemenyi"),
    "comparison": ("ClassComparisons", "Companion", "Comparison", "PriorSensitivity"),
    "datasets": ("DatasetsComparison", "DatasetsRanking"),
    "evaluation": ("Evaluation", "MetricPosterior", "Pair", "Ranked", "Ranking", "Validated"),
    "flips": ("Flip", "Flips"),
    "folds": ("FoldsComparison",),
    "gates": ("Check", "Gate", "Requirement"),
    "items": ("Items",),
    "judges": ("JudgedComparison",),
    "looks": ("Look",),
    "planning": ("Design", "LabelPlan", "MoreData", "Plan", "PowerResult", "PowerRow", "StoppingResult"),
    "pooled": ("PooledEstimates", "PopulationComparison"),
    "resampled": ("CrossComparison",),
    "runs": ("RunsComparison", "RunsEvaluation", "RunsPosterior", "RunsRanking"),
    "slices": ("Slice", "Slices"),
    "suites": ("SuiteComparison", "SuiteEvaluation", "SuiteRanking"),
    "tasks": ("TaskComparisons",),
}

__all__ = [
    "Battery",
    "BudgetPlan",
    "Check",
    "ClassComparisons",
    "ClassicalTest",
    "Companion",
    "Comparison",
    "Confusion",
    "CrossComparison",
    "DatasetsComparison",
    "DatasetsRanking",
    "Design",
    "Evaluation",
    "Flip",
    "Flips",
    "FoldsComparison",
    "Gate",
    "Items",
    "JudgedComparison",
    "LabelPlan",
    "Look",
    "MetricPosterior",
    "MoreData",
    "Nemenyi",
    "Pair",
    "Plan",
    "PooledEstimates",
    "PopulationComparison",
    "PowerResult",
    "PowerRow",
    "PredictiveCheck",
    "PriorSensitivity",
    "Ranked",
    "Ranking",
    "Recipe",
    "Rendered",
    "Requirement",
    "RunsComparison",
    "RunsEvaluation",
    "RunsPosterior",
    "RunsPower",
    "RunsRanking",
    "Slice",
    "Slices",
    "StoppingResult",
    "SuiteComparison",
    "SuiteEvaluation",
    "SuiteRanking",
    "TaskComparisons",
    "Validated",
]


def __getattr__(name: str) -> Any:
    """Import a name when it is used first: an answer needs few of them."""
    return publish_late(globals(), _HOMES, name)


def __dir__() -> list[str]:
    """List what is public."""
    return __all__
