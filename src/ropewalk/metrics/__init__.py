"""Metrics: functions of a weighted table that know nothing about models."""

from __future__ import annotations

from ropewalk.metrics.margins import Cells, Margins, Weighted, ratio
from ropewalk.metrics.registry import METRICS, Metric, cost, fbeta, parse_metric

__all__ = ["METRICS", "Cells", "Margins", "Metric", "Weighted", "cost", "fbeta", "parse_metric", "ratio"]
