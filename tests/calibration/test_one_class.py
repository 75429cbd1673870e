"""Predictive values, likelihood ratios and Youden's J: their intervals hold what they say, or there is no verdict."""

from __future__ import annotations

import math
from itertools import product

import pytest

from cases import STRICT, Case, run, two_labels

pytestmark = pytest.mark.slow

REPETITIONS = 500
SETTINGS = list(product((200, 1_000), (0.1, 0.5), (0.85, 0.95), (0.3, 0.9)))


@pytest.mark.parametrize("metric", ["ppv", "npv", "lr_plus", "lr_minus", "youden"])
@pytest.mark.parametrize(("n_items", "prevalence", "right", "agreement"), SETTINGS)
def test_a_difference_is_covered_or_has_no_verdict(metric, n_items, prevalence, right, agreement):
    """A is right three points more often than B; the false discovery rate is 1 − PPV, draw for draw."""
    make = two_labels(n_items, prevalence, right, right - 0.03, agreement, metric)
    rope = 0.05 if metric.startswith("lr") else 0.01
    case = Case(f"{metric} {n_items} {prevalence} {right} {agreement}", make, {"metric": metric}, {}, rope=rope)
    missed = run(case, REPETITIONS, case.options).missed_with_verdict
    allowed = 1 - STRICT
    assert missed <= allowed + 2 * math.sqrt(allowed * (1 - allowed) / REPETITIONS)
