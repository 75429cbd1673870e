"""Calibration of importance weights: does the 95% HDI hold the weighted metric of the whole population?

Weights go with how hard an item is, as they do where easy items were sampled more often: without them every score is
off. 300 test sets of 200 items each.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ropewalk as rw
from support import without_warnings

pytestmark = pytest.mark.slow

REPEATS, N_ITEMS = 300, 200
WEIGHTS = {
    "lognormal .7": lambda hardness: np.exp(0.7 * hardness),
    "1 or 0.1": lambda hardness: np.where(hardness > 0, 1.0, 0.1),
    "lognormal 1.5": lambda hardness: np.exp(1.5 * hardness),  # 200 items tell as much as 21
}


def population(rng, n_items, weights):
    """Draw items of two classes, what two classifiers say of them, and their weights."""
    hardness = rng.normal(size=n_items)
    y = (rng.random(n_items) < 0.25).astype(int)
    luck = rng.random(n_items)
    other = np.where(rng.random(n_items) < 0.5, luck, rng.random(n_items))  # they often err on the same items
    a = np.where(luck < 1 / (1 + np.exp(0.5 * hardness - 1.6)), y, 1 - y)
    b = np.where(other < 1 / (1 + np.exp(0.8 * hardness - 1.3)), y, 1 - y)
    return y, a, b, WEIGHTS[weights](hardness)


def metric_of(metric, y, predicted, weight):
    if metric == "accuracy":
        return np.average(predicted == y, weights=weight)
    both = weight[(predicted == 1) & (y == 1)].sum()
    return 2 * both / (weight[predicted == 1].sum() + weight[y == 1].sum())


@cache
def coverage(weights, metric):
    """Return how often the interval holds the truth: of the difference, with the weights and without them."""
    y, a, b, weight = population(np.random.default_rng(99), 2_000_000, weights)
    truth = [metric_of(metric, y, predicted, weight) for predicted in (a, b)]
    hits = np.zeros(3)
    for seed in range(REPEATS):
        *data, weight = population(np.random.default_rng([7, seed]), N_ITEMS, weights)
        with without_warnings():
            r = rw.compare(*data, sample_weight=weight, metric=metric, draws=1_500, rng=seed)
            plain = rw.compare(*data, metric=metric, draws=1_500, rng=seed)
        pairs = (
            (r.hdi, truth[0] - truth[1]), (r.estimate_a.hdi, truth[0]), (plain.estimate_a.hdi, truth[0]),
        )  # fmt: skip
        hits += [interval.low <= value <= interval.high for interval, value in pairs]
    return hits / REPEATS


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
@pytest.mark.parametrize("weights", ["lognormal .7", "1 or 0.1"])
def test_intervals_of_weighted_items_hold_the_truth(weights, metric):
    difference, single, plain = coverage(weights, metric)
    assert min(difference, single) >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / REPEATS)
    assert plain < single - 0.05  # what is measured without weights is something else


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_very_uneven_weights_cost_some_coverage_and_no_more(metric):
    difference, single, _ = coverage("lognormal 1.5", metric)
    assert min(difference, single) > 0.8
