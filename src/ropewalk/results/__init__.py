"""The answers: frozen values, with what is needed to trust them and to get them again."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.checks import Confusion, PredictiveCheck
from ropewalk.results.classical import Battery, ClassicalTest, Nemenyi
from ropewalk.results.comparison import ClassComparisons, Companion, Comparison, PriorSensitivity
from ropewalk.results.evaluation import Evaluation, MetricPosterior, Pair, Ranked, Ranking, Validated
from ropewalk.results.flips import Flip, Flips
from ropewalk.results.items import Items
from ropewalk.results.planning import Design, LabelPlan, MoreData, Plan, PowerResult, PowerRow, StoppingResult
from ropewalk.results.resampled import CrossComparison
from ropewalk.results.slices import Slice, Slices
from ropewalk.results.tasks import TaskComparisons

__all__ = [
    "Battery",
    "ClassComparisons",
    "ClassicalTest",
    "Companion",
    "Comparison",
    "Confusion",
    "CrossComparison",
    "Design",
    "Evaluation",
    "Flip",
    "Flips",
    "Items",
    "LabelPlan",
    "MetricPosterior",
    "MoreData",
    "Nemenyi",
    "Pair",
    "Plan",
    "PowerResult",
    "PowerRow",
    "PredictiveCheck",
    "PriorSensitivity",
    "Ranked",
    "Ranking",
    "Recipe",
    "Rendered",
    "Slice",
    "Slices",
    "StoppingResult",
    "TaskComparisons",
    "Validated",
]

publish(globals())
