"""Influence values against differences of the metric itself, and smooth metrics against what draws are measured by."""

from __future__ import annotations

import numpy as np
import pytest

from ropewalk.data.scores import ItemScores
from ropewalk.metrics.influence import SmoothAverage, SmoothRoc
from ropewalk.metrics.scores import SCORE_METRICS, WeightedItems, decision_cost, parse_score_metric

N = 40
STEP = 1e-5
OF_TWO = ["roc_auc", "average_precision", "pr_auc", "log_loss", "brier", "mean"]


def binary(seed, digits, *, ends=False):
    """Return scores of two systems, rounded so that some are equal, perhaps with items above and below all others."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(N) % 3 == 0).astype(int)
    scores = [np.clip(rng.normal(0.4 + 0.2 * truth, 0.2), 0.01, 0.99).round(digits) for _ in range(2)]
    if ends:
        scores = [np.concatenate([s[:-4], [np.inf, np.inf, -np.inf, -np.inf]]) for s in scores]
    return ItemScores(values=tuple(scores), names=("A", "B"), labels=(0, 1), truth=truth)


def many(seed):
    """Return probabilities of four classes."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.ones(4), N)
    return ItemScores.from_arrays(rng.permutation(np.arange(N) % 4), scores)


def by_differences(smooth, mass):
    """Return the derivative of a metric by each mass, from values on either side."""
    steps = STEP * np.eye(mass.size)
    return np.array([(smooth.value(mass + step) - smooth.value(mass - step)) / (2 * STEP) for step in steps])


def check(metric, items, seed):
    mass = np.random.default_rng(seed).gamma(1.0, size=items.n_items)
    exact = metric(WeightedItems(items, mass[:, np.newaxis]))[:, 0]
    for smooth, value in zip(metric.smooth(items), exact, strict=True):
        assert smooth.value(mass) == pytest.approx(value, rel=1e-12)
        gradient = smooth.gradient(mass)
        assert gradient == pytest.approx(by_differences(smooth, mass), abs=1e-8)
        assert gradient @ mass == pytest.approx(0, abs=1e-13)  # the scale of the masses does not matter


@pytest.mark.parametrize("digits", [1, 2, 12])
@pytest.mark.parametrize("name", OF_TWO)
def test_influence_values_are_derivatives_of_the_metric(name, digits):
    check(SCORE_METRICS[name], binary(digits, digits), seed=1)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "pr_auc"])
def test_items_above_and_below_all_others_have_influence_values_too(name):
    check(SCORE_METRICS[name], binary(3, 1, ends=True), seed=2)


@pytest.mark.parametrize("name", ["macro_roc_auc", "weighted_average_precision", "log_loss", "brier"])
def test_influence_values_of_many_classes(name):
    check(parse_score_metric(name, n_labels=4), many(5), seed=3)


@pytest.mark.parametrize("threshold", [None, 0.4])
def test_costs_of_decisions_are_means(threshold):
    check(decision_cost([[0, 1], [10, 0]], threshold), binary(6, 2), seed=4)


def test_a_metric_with_kinks_has_no_influence_values():
    assert SCORE_METRICS["ece"].smooth(binary(7, 2)) is None
    assert parse_score_metric(lambda y_true, y_score, sample_weight: 0.5).smooth(binary(7, 2)) is None


def test_the_influence_of_a_mean_is_how_far_a_value_lies_from_it():
    items = ItemScores.from_arrays(None, [1.0, 2.0, 6.0])
    (smooth,) = SCORE_METRICS["mean"].smooth(items)
    assert smooth.gradient(np.ones(3)) == pytest.approx((items.values[0] - 3.0) / 3)


def test_delongs_components_are_the_influence_values_of_roc_auc():
    items = binary(8, 1)
    truth, scores = items.truth, items.values[0]
    (smooth, _) = SCORE_METRICS["roc_auc"].smooth(items)
    wins = (scores[truth == 1][:, None] > scores[truth == 0]) + 0.5 * (
        scores[truth == 1][:, None] == scores[truth == 0]
    )
    area, gradient = wins.mean(), smooth.gradient(np.ones(items.n_items))
    assert gradient[truth == 1] == pytest.approx((wins.mean(axis=1) - area) / len(wins))
    assert gradient[truth == 0] == pytest.approx((wins.mean(axis=0) - area) / wins.shape[1])


def test_an_average_by_class_sizes_counts_what_an_item_adds_to_its_class():
    items = many(9)
    (smooth,) = parse_score_metric("weighted_roc_auc", n_labels=4).smooth(items)
    assert isinstance(smooth, SmoothAverage)
    assert smooth.value(np.ones(N)) == pytest.approx(np.mean([part.value(np.ones(N)) for part in smooth.parts]))


@pytest.mark.parametrize("sizes", [(3, 4), (5, 20)])
def test_what_the_first_order_of_roc_auc_leaves_is_bounded(sizes):
    """By class it leaves what pairs of items add beyond their means: drawn, it never varies more than is said."""
    rng = np.random.default_rng(sum(sizes))
    truth = np.repeat([1, 0], sizes)
    weights = rng.standard_exponential((4_000, truth.size))
    for scores in (rng.random(truth.size), truth + 0.0, rng.permutation(truth) + 0.0):
        smooth = SmoothRoc(truth, scores)
        area, gradient = smooth.value(np.ones(truth.size)), smooth.gradient(np.ones(truth.size))
        left = np.array([smooth.value(w) for w in weights]) - area
        for j, size in enumerate(reversed(sizes)):
            here = truth == j
            left -= size * (weights[:, here] @ gradient[here]) / weights[:, here].sum(axis=1)
        assert left.std() <= smooth.rest
