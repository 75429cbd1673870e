"""The answers: frozen values, with what is needed to trust them and to get them again."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.checks import CheckRow, Confusion, PredictiveCheck
from ropewalk.results.classical import Battery, ClassicalTest, Nemenyi
from ropewalk.results.comparison import ClassComparisons, Comparison, PriorSensitivity
from ropewalk.results.curves import Curve
from ropewalk.results.evaluation import Evaluation, MetricPosterior, Pair, Ranked, Ranking, Setting, Validated
from ropewalk.results.planning import Design, MoreData, Plan, PowerResult, PowerRow, StoppingResult
from ropewalk.results.resampled import CrossComparison, CrossPredictions

__all__ = [
    "Battery",
    "CheckRow",
    "ClassComparisons",
    "ClassicalTest",
    "Comparison",
    "Confusion",
    "CrossComparison",
    "CrossPredictions",
    "Curve",
    "Design",
    "Evaluation",
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
    "Setting",
    "StoppingResult",
    "Validated",
]

publish(globals())
