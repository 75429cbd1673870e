"""Metrics: functions of a weighted table that know nothing about models."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.metrics.margins import Cells, Margins, Weighted, ratio
from ropewalk.metrics.registry import METRICS, Metric, cost, fbeta, parse_metric
from ropewalk.metrics.resolve import score
from ropewalk.metrics.scores import SCORE_METRICS, ScoreMetric

__all__ = [
    "METRICS",
    "SCORE_METRICS",
    "Cells",
    "Margins",
    "Metric",
    "ScoreMetric",
    "Weighted",
    "cost",
    "fbeta",
    "parse_metric",
    "ratio",
    "score",
]

publish(globals())
