"""Priors that only chains can take, sampled at length, against quadrature, simulation and the exact engine.

What the chains are run on is compared with closed forms in models/test_own_priors.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_expit, logit

import ropewalk as rw
from agreement import ONE, PAIR, THREE, assert_moments, moments, noisy_pair
from ropewalk.models import LogitNormal, NoisyLabels, OwnPriors, PowerPrior, Sigir2016Unpaired
from support import need

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.PriorDominanceWarning")]
LONG = {"engine": rw.Sampler(backend="pymc"), "draws": 8_000}


def test_two_shapes_of_a_recall_against_quadrature():
    pm = need("pymc")
    own = OwnPriors(rho=(pm.Kumaraswamy.dist(2, 3), pm.LogitNormal.dist(-1, 0.7)))
    assert not own.exact
    found = rw.evaluate(ONE, metric=["recall", "specificity"], model=own, **LONG, rng=1)

    def kumaraswamy(x):
        return np.log(6 * x * (1 - x**2) ** 2)

    def logit_normal(x):
        return stats.norm.logpdf(logit(x), -1, 0.7) - np.log(x * (1 - x))

    for metric, hits, misses, prior, flip in (
        ("recall", 33, 9, kumaraswamy, False),
        ("specificity", 8, 70, logit_normal, True),
    ):
        mean, std = moments(lambda x, h=hits, m=misses, p=prior: h * np.log(x) + m * np.log1p(-x) + p(x))
        assert_moments(found[metric].estimate, 1 - mean if flip else mean, std)


def test_partial_pooling_of_logits_against_quadrature():
    model = LogitNormal(location=0.5, scale=1.0, pooled=True, spread=0.8)
    found = rw.evaluate(THREE, metric="macro_recall", model=model, **LONG, rng=2)
    right, wrong = np.array([40, 25, 12]), np.array([8, 10, 5])
    centres, spreads = np.linspace(-3, 4, 141), np.linspace(0.005, 4, 160)
    nodes, weights = np.polynomial.hermite_e.hermegauss(101)
    logits = centres[:, None, None, None] + spreads[None, :, None, None] * nodes
    rho = expit(logits)
    like = np.exp(right[:, None] * log_expit(logits) + wrong[:, None] * log_expit(-logits) + 50)
    each = (like * weights).sum(-1)  # centre × spread × class
    first, second = ((like * rho**k * weights).sum(-1) / each for k in (1, 2))
    mass = np.prod(each / each.max(), axis=-1) * stats.norm.pdf(centres, 0.5, 1)[:, None]
    mass *= stats.halfnorm.pdf(spreads, scale=0.8)
    mass /= mass.sum()
    mean = (mass * first.mean(-1)).sum()
    inner = (second - first**2).sum(-1) / 9
    var = (mass * (inner + first.mean(-1) ** 2)).sum() - mean**2
    assert_moments(found["macro_recall"].estimate, mean, np.sqrt(var))


def test_a_correlated_classifier_tells_of_the_other():
    # A's recalls are known for certain; B has no items: its logits are normal around what A's say.
    many = rw.Outcomes.from_confusion([[800_000, 200_000], [100_000, 900_000]], labels=[0, 1], name="A")
    none = rw.Outcomes.empty([0, 1], ["B"])
    model = LogitNormal(location=0, scale=1.5, correlation=0.8)
    with pytest.warns(rw.errors.RopewalkWarning):
        found = rw.compare(many, none, metric="recall", model=model, **LONG, rng=3)
    logits = logit(found.draws.psi[1])
    ess = found.chains.ess(logits)
    std = 1.5 * np.sqrt(1 - 0.8**2)
    assert abs(logits.mean() - 0.8 * logit(0.9)) < 4 * std / np.sqrt(ess)
    assert abs(logits.std() - std) < 8 * std / np.sqrt(2 * ess)


def test_earlier_items_count_alike_in_both_engines():
    model = PowerPrior(
        Sigir2016Unpaired(), rw.Outcomes.from_confusion([[50, 50], [20, 80]], labels=[0, 1], name="A"), discount=0.3
    )
    chain = rw.evaluate(ONE, metric="f1", model=model, **LONG, rng=4)["f1"].estimate
    exact = rw.evaluate(ONE, metric="f1", model=model, draws=200_000, rng=4)["f1"].estimate
    assert_moments(chain, exact.mean, exact.std)


def test_without_errors_it_is_the_plain_model():
    found = rw.compare(PAIR, a="A", b="B", model=NoisyLabels(error=0.0), **LONG, rng=5)
    exact = rw.compare(PAIR, a="A", b="B", draws=200_000, rng=5)
    assert_moments(found.delta, exact.mean, exact.std)


def test_recovers_the_truth_where_the_plain_model_is_biased():
    table, delta, (f1, _) = noisy_pair(8_000, 0.15, np.random.default_rng(6))
    plain = rw.compare(table, a="A", b="B", rng=6)
    noisy = rw.compare(table, a="A", b="B", model=NoisyLabels(error=0.15), **LONG, rng=6)
    assert abs(plain.mean - delta) > 4 * plain.std
    assert abs(plain.estimate_a.mean - f1) > 20 * plain.estimate_a.std
    assert abs(noisy.mean - delta) < 3 * noisy.std
    assert abs(noisy.estimate_a.mean - f1) < 3 * noisy.estimate_a.std
    assert any("as annotated" in note for note in noisy.notes)


def test_three_labels_against_the_inverse_of_the_errors():
    # Given the true class, annotators' errors are independent of the classifier's; so the matrix of counts is
    # errors' transpose times the true one, and for many items its inverse gives the truth.
    true = np.array([[0.30, 0.05, 0.05], [0.02, 0.25, 0.03], [0.06, 0.04, 0.20]])
    errors = np.array([[0.9, 0.06, 0.04], [0.05, 0.85, 0.1], [0.1, 0.1, 0.8]])
    counts = np.rint(20_000 * errors.T @ true).astype(int)
    table = rw.Outcomes.from_confusion(counts, name="A")
    model = NoisyLabels(error=errors, paired=False)
    found = rw.evaluate(table, metric="accuracy", model=model, **LONG, rng=7)["accuracy"]
    assert found.estimate.std < 0.02
    assert abs(found.estimate.mean - np.trace(true)) < 0.75 * found.estimate.std  # the data are the expected ones
