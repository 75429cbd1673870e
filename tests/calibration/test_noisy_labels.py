"""Does the model of noisy labels find the true difference, again and again, where the plain one does not?

Rates that are given once and for all are among the cases of `cases.py`.
"""

import numpy as np
import pytest

import ropewalk as rw
from agreement import FOUR_ERRORS, LEAST_ESS, of_chains, told, z_scores
from ropewalk.models import NoisyLabels

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]
CHAINS = rw.Sampler(backend="pymc", n_chains=2)
N = 1_500
MU = 0.35
POSITIVE, NEGATIVE = (0.60, 0.22, 0.08, 0.10), (0.03, 0.05, 0.12, 0.80)


def f1(one):
    recall, alarm = POSITIVE[0] + POSITIVE[one], NEGATIVE[0] + NEGATIVE[one]
    return 2 * MU * recall / (MU + MU * recall + (1 - MU) * alarm)


TRUE = f1(1) - f1(2)


def table(n, error, rng):
    """Items whose true class the annotators miss with probability `error`."""
    truth = rng.random(n) < MU
    outcome = np.where(truth, rng.choice(4, n, p=POSITIVE), rng.choice(4, n, p=NEGATIVE))
    annotated = truth ^ (rng.random(n) < error)
    said = [np.isin(outcome, pair).astype(int) for pair in ((0, 1), (0, 2))]
    return rw.Outcomes.from_arrays(annotated.astype(int), *said, names=["A", "B"])


def study(simulations, make):
    """Return errors of the mean and whether the HDI holds the truth, of the noisy and of the plain model."""
    errors, covered = [], []
    for seed in range(simulations):
        data, model = make(np.random.default_rng(seed))
        found = [rw.compare(data, a="A", b="B", model=m, draws=2_000, rng=seed) for m in (model, "paired")]
        assert found[0].recipe.engine == "exact"
        errors.append([one.mean - TRUE for one in found])
        covered.append([one.hdi.low <= TRUE <= one.hdi.high for one in found])
    return np.array(errors).T, np.array(covered).T


def check(errors, covered):
    noisy, plain = errors
    number = len(noisy)
    assert abs(plain.mean()) > 10 * plain.std(ddof=1) / np.sqrt(number)
    assert abs(plain.mean()) > 3 * abs(noisy.mean())  # the prior leans to large rates, where they are not known
    assert covered[0].mean() >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / number)
    assert covered[1].mean() < 0.6


def test_rate_from_a_sample_that_was_annotated_twice():
    def make(rng):
        wrong = rng.binomial(400, 0.15)  # of 400 items whose truth was looked up
        return table(N, 0.15, rng), NoisyLabels(error=(1 + wrong, 401 - wrong))

    check(*study(500, make))


def test_batches_of_annotators_that_get_worse():
    def make(rng):
        batches = [table(N // 2, error, rng) for error in (0.05, 0.25)]
        return batches[0] + batches[1], NoisyLabels(error=[0.05, 0.25], batches=batches)

    check(*study(500, make))


# -- Markov chains ---------------------------------------------------------------------------------------------


HALVES = [table(150, error, np.random.default_rng(seed)) for seed, error in enumerate((0.05, 0.25))]
WHOLE = HALVES[0] + HALVES[1]
MODELS = {
    "known rates": NoisyLabels(error=(0.2, 0.05)),
    "a rate that is not known": NoisyLabels(error=(21, 81)),
    "two that are not": NoisyLabels(error=((11, 61), (6, 61))),
    "batches": NoisyLabels(error=[0.05, (21, 61)], batches=HALVES),
    "tables of their own": NoisyLabels(error=0.15, paired=False),
}


@pytest.mark.parametrize("name", MODELS)
def test_chains_and_the_exact_engine_agree(name):
    pytest.importorskip("pymc")
    how = {"a": "A", "b": "B", "model": MODELS[name], "rng": 1}
    chained = rw.compare(WHOLE, **how, engine=CHAINS, draws=4_000)
    exact = rw.compare(WHOLE, **how, engine="exact", draws=200_000)
    ours = of_chains(chained)
    found = z_scores(ours, told(exact.draws.delta()[np.newaxis], independent=True))
    assert ours.ess >= LEAST_ESS
    assert max(map(abs, found.values())) < FOUR_ERRORS, found


def test_a_drifting_rate_is_followed():
    pytest.importorskip("pymc")
    # The rate of the first batch is known well, the later ones drift away; two classifiers that agree against the
    # annotator give them away.
    rates = (0.03, 0.08, 0.20)
    rng = np.random.default_rng(0)
    batches = [table(20_000, rate, rng) for rate in rates]
    model = NoisyLabels(error=(3_000, 97_000), batches=batches, drift=1.0)
    found = rw.compare(
        batches[0] + batches[1] + batches[2], a="A", b="B", model=model, engine=CHAINS, draws=4_000, rng=0
    )
    for b in (1, 2):
        drawn = found.chains.parameters[f"error_{b}"].reshape(-1)
        low, high = np.quantile(drawn, [0.0005, 0.9995])
        assert low < rates[b] < high
        assert high - low < 0.15
    assert abs(found.mean - TRUE) < 4 * found.std
