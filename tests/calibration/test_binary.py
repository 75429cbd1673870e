"""Calibration of the binary models: intervals cover what they say, and ranks of the truth are uniform."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.draws.intervals import hdi
from ropewalk.metrics import parse_metric

pytestmark = pytest.mark.slow

REPEATS = 2_000
DRAWS = 2_000
METRICS = ["f1", "accuracy", "precision", "mcc"]


def simulate(rng, n_items, mu, positive, negative):
    """Draw a test set of outcome pairs."""
    n_positive = rng.binomial(n_items, mu)
    return rw.Outcomes.from_pairs(
        positive=rng.multinomial(n_positive, positive), negative=rng.multinomial(n_items - n_positive, negative)
    )


def true_delta(metric, mu, positive, negative):
    from ropewalk.metrics import Cells, Weighted

    cells = np.concatenate([(1 - mu) * np.array(negative)[::-1], mu * np.array(positive)[::-1]])
    codes = np.array([[t, a, b] for t in (0, 1) for a in (0, 1) for b in (0, 1)], dtype=np.int32)
    psi = metric(Weighted(Cells(codes, 2), cells[:, None]))[:, 0]
    return psi[0] - psi[1]


def posterior_delta(rng, metric, table, model):
    """Draw the difference as `compare` does, in one block."""
    if model.paired:
        psi = metric(model.fit(table).block(rng, DRAWS))
        return psi[0] - psi[1]
    one, two = (metric(model.fit(table.project([name])).block(rng, DRAWS))[0] for name in table.names)
    return one - two


def ranks(name, *, seed, copies=1):
    """Ranks of the true difference among posterior draws, truths drawn from the prior, items counted `copies` times."""
    rng = np.random.default_rng(seed)
    metric, model = parse_metric(name).at(1), rw.models.Sigir2016()
    found = []
    for _ in range(REPEATS):
        mu, positive, negative = rng.beta(1, 1), rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
        table = simulate(rng, 100, mu, positive, negative)
        drawn = posterior_delta(rng, metric, sum([table] * (copies - 1), start=table), model)
        found.append((drawn < true_delta(metric, mu, positive, negative)).mean())
    return np.array(found)


def uniformity(found):
    counts, _ = np.histogram(found, bins=20, range=(0, 1))
    return stats.chisquare(counts).pvalue


@pytest.mark.parametrize("name", METRICS)
def test_ranks_of_the_truth_are_uniform_under_the_paired_model(name):
    assert uniformity(ranks(name, seed=1)) > 1e-4


def test_counting_every_item_twice_fails_the_same_test():
    """The negative control: a posterior that is too sure of itself is found out."""
    assert uniformity(ranks("f1", seed=1, copies=2)) < 1e-6


def test_the_unpaired_model_is_too_wide_for_classifiers_that_err_together():
    """Coverage far above 95%: what pairing would have bought."""
    rng = np.random.default_rng(2)
    metric = parse_metric("accuracy")
    scenario = (0.5, (0.8, 0.02, 0.02, 0.16), (0.16, 0.02, 0.02, 0.8))
    hits = 0
    for _ in range(500):
        found = hdi(
            np.sort(posterior_delta(rng, metric, simulate(rng, 300, *scenario), rw.models.Sigir2016Unpaired())), 0.95
        )
        hits += found.low <= true_delta(metric, *scenario) <= found.high
    assert hits / 500 > 0.99


SCENARIOS = {
    "papers-a": (0.5, (0.3, 0.3, 0.2, 0.2), (0.2, 0.2, 0.3, 0.3)),
    "papers-b": (0.5, (0.3, 0.2, 0.2, 0.3), (0.3, 0.2, 0.2, 0.3)),
    "rare": (0.1, (0.6, 0.1, 0.15, 0.15), (0.02, 0.02, 0.03, 0.93)),
}


@pytest.mark.parametrize("n_items", [300, 2_000])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_95_percent_hdi_covers_the_true_difference_of_f1(scenario, n_items):
    rng = np.random.default_rng(3)
    metric = parse_metric("f1").at(1)
    mu, positive, negative = SCENARIOS[scenario]
    truth = true_delta(metric, mu, positive, negative)
    model = rw.models.Sigir2016()
    hits = 0
    for _ in range(REPEATS):
        found = hdi(np.sort(posterior_delta(rng, metric, simulate(rng, n_items, mu, positive, negative), model)), 0.95)
        hits += found.low <= truth <= found.high
    # 4 binomial standard errors, and half a point for an HDI of 2,000 draws and the prior's pull at N = 300.
    assert abs(hits / REPEATS - 0.95) <= 4 * np.sqrt(0.95 * 0.05 / REPEATS) + 0.005
