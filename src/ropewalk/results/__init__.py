"""The answers: frozen values, with what is needed to trust them and to get them again."""

from __future__ import annotations

from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.classical import Battery, ClassicalTest, Nemenyi
from ropewalk.results.comparison import ClassComparisons, Comparison, PriorSensitivity
from ropewalk.results.evaluation import Evaluation, MetricPosterior
from ropewalk.results.ranking import Pair, Ranked, Ranking

__all__ = [
    "Battery",
    "ClassComparisons",
    "ClassicalTest",
    "Comparison",
    "Evaluation",
    "MetricPosterior",
    "Nemenyi",
    "Pair",
    "PriorSensitivity",
    "Ranked",
    "Ranking",
    "Recipe",
    "Rendered",
]
