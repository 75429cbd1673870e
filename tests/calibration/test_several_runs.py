"""Coverage of runs and items, by simulation: 2 to 10 runs, few items and many, labels and scores.

Two methods that are alike have items that are hard for both, items that are hard for one, noise of a run on an item,
and a level that differs from run to run. The true difference of the methods is 0: so the study says too how often
methods that are alike are called different.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

LEVEL, OWN, NOISE = 1.1, 0.5, 0.6
RUNS, ITEMS, SPREADS = (2, 3, 5, 10), (50, 500), (0.0, 0.15)
METRICS = ("accuracy", "f1", "roc_auc")
STUDIES = 200
CELLS = len(METRICS) * len(RUNS) * len(ITEMS) * len(SPREADS)
ONE_IN_A_HUNDRED = 0.01
"""How often all cells together may fail by chance, where every one of them is exactly what it may be."""


def study(rng, n_items, n_runs, spread, metric):
    """Return a truth, and the predictions of runs of two methods."""
    truth = (rng.random(n_items) < 0.5).astype(int)
    easy = rng.normal(size=n_items)
    methods = []
    for _ in range(2):
        own = easy + OWN * rng.normal(size=n_items)
        levels = LEVEL + spread * rng.normal(size=(n_runs, 1))
        margins = levels + (2 * truth - 1) * own + NOISE * rng.normal(size=(n_runs, n_items))
        scores = (2 * truth - 1) * margins
        methods.append(scores if metric == "roc_auc" else (scores > 0).astype(int))
    return truth, *methods


@cache
def shares(metric, n_items, n_runs, spread, studies=STUDIES, **options):
    """Return how often the interval holds 0, lies above it and below it, and its mean width."""
    rng = np.random.default_rng([n_runs, n_items, METRICS.index(metric), round(100 * spread)])
    found = []
    for seed in range(studies):
        data = study(rng, n_items, n_runs, spread, metric)
        positive = {} if metric == "accuracy" else {"pos_label": 1}
        asked = {"runs": "independent", "metric": metric, "draws": 2_000, "rng": seed, **positive, **options}
        low, high = rw.compare(*data, **asked).hdi
        found.append((low <= 0 <= high, low > 0, high < 0, high - low))
    return np.mean(found, axis=0)


def error_of(share, studies=STUDIES):
    """Two standard errors of a share."""
    return 2 * math.sqrt(share * (1 - share) / studies)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("n_items", ITEMS)
@pytest.mark.parametrize("n_runs", RUNS)
@pytest.mark.parametrize("metric", METRICS)
def test_intervals_hold_what_they_promise(metric, n_runs, n_items, spread):
    held, above, below, _ = shares(metric, n_items, n_runs, spread)
    assert held >= 0.92 - error_of(0.92)
    # Both sides of every cell are looked at, so a single one is given what one in so many takes by chance.
    most = stats.binom.isf(ONE_IN_A_HUNDRED / (2 * CELLS), STUDIES, 0.025)
    assert max(above, below) * STUDIES <= most


@pytest.mark.parametrize("spread", SPREADS)
def test_methods_that_are_alike_are_called_different_no_more_often_than_promised(spread):
    """All cells together, whose studies are independent: per side one in forty, and two standard errors."""
    found = [shares(metric, n_items, n_runs, spread) for metric, n_items, n_runs in product(METRICS, ITEMS, RUNS)]
    _, above, below, _ = np.mean(found, axis=0)
    assert max(above, below) <= 0.025 + error_of(0.025, STUDIES * len(found))


@pytest.mark.parametrize("n_runs", RUNS)
def test_intervals_hold_on_average(n_runs):
    found = [shares(metric, n_items, n_runs, spread) for metric, n_items, spread in product(METRICS, ITEMS, SPREADS)]
    assert np.mean(found, axis=0)[0] >= 0.95 - error_of(0.95, STUDIES * len(found))


def test_ignoring_runs_fails():
    """The negative control: the same study, with these runs taken as all that there are."""
    held, *_ = shares("accuracy", 500, 3, 0.15, fixed="runs")
    assert held < 0.92 - error_of(0.92)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    for metric in METRICS:
        for n_items in ITEMS:
            for n_runs in RUNS:
                for spread in SPREADS:
                    found = shares(metric, n_items, n_runs, spread)
                    line = f"{metric} {n_items} {n_runs} {spread} " + " ".join(f"{share:.3f}" for share in found)
                    sys.stdout.write(f"{line}\n")
                    sys.stdout.flush()
