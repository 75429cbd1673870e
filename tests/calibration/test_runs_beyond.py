"""Coverage of runs and items, by simulation: clusters of items, different numbers of runs, and rankings of many.

Methods that are alike in truth, as in `test_several_runs.py`; here items may come in clusters that are hard or easy
together, one method may have fewer runs than the other, or none that differ, and there may be three methods or six.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import ropewalk as rw

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

LEVEL, OWN, NOISE, CLUSTER = 1.1, 0.5, 0.6, 0.8
STUDIES = 100
ITEMS = 300


def study(rng, n_runs, spreads, cluster=None):
    """Return a truth, and the predictions of runs of methods, whose true accuracies are the same."""
    truth = (rng.random(ITEMS) < 0.5).astype(int)
    easy = rng.normal(size=ITEMS)
    if cluster is not None:
        easy = easy * math.sqrt(1 - CLUSTER**2) + CLUSTER * rng.normal(size=cluster.max() + 1)[cluster]
    methods = []
    alone = math.sqrt(1 + OWN**2 + NOISE**2)
    for n, spread in zip(n_runs, spreads, strict=True):
        own = easy + OWN * rng.normal(size=ITEMS)
        levels = LEVEL * math.sqrt(alone**2 + spread**2) / alone + spread * rng.normal(size=(n, 1))
        right = levels + own + NOISE * rng.normal(size=(n, ITEMS)) > 0
        methods.append(np.where(right, truth, 1 - truth))
    return truth, *methods


def counted(intervals):
    """Return how often intervals hold 0, lie above it, and below it, and their mean width."""
    found = [(low <= 0 <= high, low > 0, high < 0, high - low) for low, high in intervals]
    return np.mean(found, axis=0)


def compared(n_runs, spreads, studies=STUDIES, *, clustered=False, **options):
    rng = np.random.default_rng(sum(n_runs))
    asked = {"runs": "independent", "metric": "accuracy", "draws": 1_500, **options}
    if clustered:
        asked["cluster"] = np.arange(ITEMS) // 6
    return counted(
        rw.compare(*study(rng, n_runs, spreads, asked.get("cluster")), rng=seed, **asked).hdi for seed in range(studies)
    )


def ranked(n_runs, spreads, studies=STUDIES, **options):
    """Return the same of every pair in rankings."""
    rng = np.random.default_rng(len(spreads) * n_runs)
    asked = {"metric": "accuracy", "draws": 1_500, "pool": False, **options}
    rankings = (rw.rank(*study(rng, [n_runs] * len(spreads), spreads), rng=seed, **asked) for seed in range(studies))
    return counted(pair.delta.hdi for ranking in rankings for pair in ranking.pairwise)


def error_of(share, times=2):
    return times * math.sqrt(share * (1 - share) / STUDIES)


UNEQUAL = {
    "5 and 3": ((5, 3), (0.15, 0.15), {}),
    "5 and 3, the few three times as noisy": ((5, 3), (0.1, 0.3), {}),
    "5 and 2": ((5, 2), (0.15, 0.15), {}),
    "5 and 1, alike": ((5, 1), (0.15, 0.15), {}),
    "5 and one that never differs": ((5, 1), (0.15, 0.0), {"deterministic": "b"}),
}
CLUSTERS = [(n_runs, spread) for n_runs in (2, 3, 5, 10) for spread in (0.0, 0.15)]
RANKINGS = [
    (design, n_runs, spreads)
    for design in ("independent", "shared")
    for n_runs in (2, 3, 5)
    for spreads in ((0.0,) * 3, (0.15,) * 3, (0.15,) * 6)
] + [("independent", n_runs, (0.3, *[0.05] * 5)) for n_runs in (2, 3, 5)]


@pytest.mark.parametrize(("n_runs", "spread"), CLUSTERS)
def test_clusters_of_items_are_held(n_runs, spread):
    held, above, below, _ = compared((n_runs, n_runs), (spread, spread), clustered=True)
    assert held >= 0.92 - error_of(0.92)
    assert max(above, below) <= 0.025 + error_of(0.025, times=3)


def test_clusters_ignored_are_not_held():
    """The negative control: items of a cluster taken as independent."""
    rng, cluster = np.random.default_rng(0), np.arange(ITEMS) // 50
    asked = {"runs": "independent", "metric": "accuracy", "draws": 1_500}
    studies = (study(rng, (3, 3), (0.0, 0.0), cluster) for _ in range(STUDIES))
    own = [rw.evaluate(truth, a, rng=seed, **asked).metrics[0].estimate for seed, (truth, a, _) in enumerate(studies)]
    truth = 0.5 * (1 + math.erf(LEVEL / math.sqrt(1 + OWN**2 + NOISE**2) / math.sqrt(2)))
    assert np.mean([e.hdi.low <= truth <= e.hdi.high for e in own]) < 0.85


@pytest.mark.parametrize("case", UNEQUAL.values(), ids=UNEQUAL)
def test_different_numbers_of_runs_are_held(case):
    n_runs, spreads, options = case
    held, above, below, _ = compared(n_runs, spreads, **options)
    assert held >= 0.92 - error_of(0.92)
    assert max(above, below) <= 0.025 + error_of(0.025, times=3)


@pytest.mark.parametrize(("design", "n_runs", "spreads"), RANKINGS)
def test_every_pair_of_a_ranking_is_held(design, n_runs, spreads):
    held, above, below, _ = ranked(n_runs, spreads, runs=design)
    assert held >= 0.92 - error_of(0.92)
    assert max(above, below) <= 0.025 + error_of(0.025, times=3)


def test_the_power_over_runs_is_that_of_real_studies():
    """Components of one large study say how wide smaller ones are, and how often they find a difference."""
    rng = np.random.default_rng(4)
    asked = {"runs": "independent", "metric": "accuracy", "draws": 2_000}
    large = rw.compare(*study(rng, (40, 40), (0.15, 0.15)), rng=0, **asked)
    expected = rw.power(
        components=large, n=ITEMS, runs=[3, 6], delta=0.0, rope=0.03, goal="~", rng=0, simulations=4_000
    )
    for n_runs, row in zip((3, 6), expected.rows, strict=True):
        studies = (study(rng, (n_runs, n_runs), (0.15, 0.15)) for _ in range(STUDIES))
        answers = [rw.compare(*one, rng=seed, rope=0.03, **asked) for seed, one in enumerate(studies)]
        widths = [(r.hdi.high - r.hdi.low) / 2 for r in answers]
        assert np.mean(widths) == pytest.approx(row.half_width, rel=0.12)
        found = np.mean([r.decision is not None and r.decision.symbol == "≈" for r in answers])
        assert found == pytest.approx(row.power, abs=error_of(max(row.power, 0.05), times=3) + 0.03)


def lines():
    """Yield the figures of the table in the documentation."""
    for n_runs, spread in CLUSTERS:
        yield f"clusters {n_runs} {spread}", compared((n_runs, n_runs), (spread, spread), clustered=True)
    for name, (n_runs, spreads, options) in UNEQUAL.items():
        yield name, compared(n_runs, spreads, **options)
    for design, n_runs, spreads in RANKINGS:
        yield f"{design} {n_runs} {spreads}", ranked(n_runs, spreads, runs=design)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    for name, found in lines():
        sys.stdout.write(f"{name}: " + " ".join(f"{share:.3f}" for share in found) + "\n")
        sys.stdout.flush()
