"""Power against the published table, plans against a dense search, and extrapolation against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.text.verdicts import Verdict

pytestmark = pytest.mark.slow

ROPE = 0.05
SIMULATIONS, DRAWS = 1_000, 2_000
SCENARIOS = {
    "a": rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3)),
    "b": rw.BinaryScenario(positive=(0.3, 0.2, 0.2, 0.3), negative=(0.3, 0.2, 0.2, 0.3)),
}
GOALS = {"a": "A≫B", "b": "A≈B"}


def column(scenario, model):
    """Return the published shares of one column, by the number of items."""
    rows = [row for row in rw.examples.sigir2016_power() if row["scenario"] == scenario]
    assert {f"A{row['goal']}B" for row in rows} == {GOALS[scenario]}
    return {int(row["n"]): float(row[model]) for row in rows}


def rms(found, published):
    return math.sqrt(np.mean([(found[n] - share) ** 2 for n, share in published.items()]))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("published_as", "model"), [("paired", "sigir2016"), ("unpaired", "sigir2016_unpaired")])
@pytest.mark.parametrize("scenario", ["a", "b"])
def test_the_table_of_sigir_2016(scenario, published_as, model, seed):
    published = column(scenario, published_as)
    r = rw.power(
        SCENARIOS[scenario], published, goal=GOALS[scenario], rope=ROPE, metric="f1", model=model,
        simulations=SIMULATIONS, draws=DRAWS, rng=seed,
    )  # fmt: skip
    assert len(r) == 7
    found = {row.n: row.power for row in r}
    assert rms(found, published) <= 0.04
    for n, share in published.items():
        assert found[n] == pytest.approx(share, abs=4 * max(math.sqrt(share * (1 - share) / 100), 0.01)), n


def shared_mu(scenario, n, rng):
    """Return how often the goal is reached by an unpaired model whose two classifiers share one prevalence."""
    s = SCENARIOS[scenario]
    cells = np.concatenate([np.array(s.positive), np.array(s.negative)]) / 2
    hits = 0
    for _ in range(SIMULATIONS):
        counts = rng.multinomial(n, cells)
        positive, negative = counts[:4], counts[4:]
        mu = rng.beta(positive.sum() + 1, negative.sum() + 1, DRAWS)
        f1 = []
        for pair in ([0, 1], [0, 2]):  # where A says 1, where B does
            tpr = rng.beta(positive[pair].sum() + 1, positive.sum() - positive[pair].sum() + 1, DRAWS)
            fpr = rng.beta(negative[pair].sum() + 1, negative.sum() - negative[pair].sum() + 1, DRAWS)
            f1.append(2 * mu * tpr / (mu + mu * tpr + (1 - mu) * fpr))
        delta = np.sort(f1[0] - f1[1])
        span = int(0.95 * DRAWS)
        start = (delta[span:] - delta[:-span]).argmin()
        low, high = delta[start], delta[start + span]
        hits += low >= ROPE if scenario == "a" else (low >= -ROPE and high <= ROPE)
    return hits / SIMULATIONS


def test_a_shared_prevalence_is_found_out():
    """The negative control: were the two sub-models to share mu, the unpaired columns would not come out."""
    rng = np.random.default_rng(0)
    apart = []
    for scenario in ("a", "b"):
        published = column(scenario, "unpaired")
        apart.append(rms({n: shared_mu(scenario, n, rng) for n in published}, published))
    assert max(apart) > 0.055


@pytest.mark.parametrize("scenario", ["a", "b"])
def test_plans_are_as_good_as_a_dense_search(scenario):
    """40 sizes × 1,000 simulations and a straight probit through them, against 4,000 simulations of the plan's own."""
    how = {"goal": GOALS[scenario], "rope": ROPE, "metric": "f1", "draws": 1_000}
    rough = {"a": 2_000, "b": 2_000}[scenario]
    sizes = np.unique(np.round(np.linspace(0.7, 1.4, 40) * rough).astype(int))
    dense = rw.power(SCENARIOS[scenario], sizes, simulations=1_000, rng=99, **how)
    z = stats.norm.ppf([min(max(row.power, 0.001), 0.999) for row in dense])
    slope, start = np.polyfit(np.sqrt(sizes), z, 1)
    answer = ((stats.norm.ppf(0.8) - start) / slope) ** 2
    assert sizes[0] < answer < sizes[-1]
    plans = [rw.plan(SCENARIOS[scenario], simulations=4_000, rng=seed, **how) for seed in range(20)]
    assert all(plan.simulations <= 4_000 for plan in plans)
    close = [abs(plan.n / answer - 1) <= 0.05 for plan in plans]
    assert sum(close) >= 18
    held = [plan.low <= answer <= plan.high for plan in plans]
    assert sum(held) >= 15  # of 95% intervals


@pytest.mark.parametrize("times", [0.5, 2, 8], ids=["half", "twice", "eightfold"])
@pytest.mark.parametrize("metric", ["f1", "accuracy", "mcc"])
@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ((30, 9, 5, 6), (5, 4, 7, 34)),
        ((60, 18, 10, 12), (10, 8, 14, 68)),
        ((300, 60, 50, 90), (50, 40, 45, 365)),
        ((20, 6, 3, 6), (8, 6, 9, 142)),
        ((40, 5, 5, 10), (5, 4, 4, 47)),
    ],
    ids=["hundred", "two-hundred", "thousand", "rare", "alike"],
)
def test_extrapolation_is_within_five_points_of_simulation(silent, positive, negative, metric, times):
    counted = rw.Outcomes.from_pairs(positive=positive, negative=negative)
    r = rw.compare(counted, metric=metric, rope=ROPE, rng=0, draws=50_000)
    n, simulations = int(times * counted.n_items), 6_000
    one, two = (
        r.more_data(n=n, simulations=simulations, draws=1_000, rng=1, method=method).rows[0].decisions
        for method in ("simulation", "extrapolation")
    )
    for verdict in Verdict:
        # 5 points (4 were seen), and 2 standard errors of 6,000 simulations and of 4,000 draws of the posterior.
        errors = 2 * math.sqrt(two[verdict] * (1 - two[verdict]) * (1 / simulations + 1 / 4_000))
        assert one[verdict] == pytest.approx(two[verdict], abs=0.05 + errors), verdict
