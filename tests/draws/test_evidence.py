"""Bayes factors against SciPy's kernel density and exact masses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.draws.evidence import BayesFactor, bayes_factor, rope_factor, savage_dickey
from ropewalk.draws.intervals import Interval

ROPE = Interval(-0.5, 0.5)


def test_savage_dickey_is_scipys_kernel_density_ratio(rng):
    posterior, prior = rng.normal(0.3, 0.2, 5_000), rng.normal(0, 1, 5_000)
    found = savage_dickey(posterior, prior)
    value, reliable = found.sd, found.sd_reliable
    expected = stats.gaussian_kde(posterior)(0)[0] / stats.gaussian_kde(prior)(0)[0]
    assert value == pytest.approx(expected, rel=1e-9)
    assert reliable


def test_savage_dickey_far_from_zero_is_noise(rng):
    found = savage_dickey(rng.normal(2, 0.2, 5_000), rng.normal(0, 1, 5_000))
    value, reliable = found.sd, found.sd_reliable
    assert value < 0.01
    assert not reliable


def test_a_difference_without_spread_has_no_density():
    assert savage_dickey(np.zeros(100), np.arange(100.0)) == BayesFactor()


def test_rope_factor_is_the_ratio_of_odds(rng):
    n = 400_000
    posterior, prior = rng.normal(0.4, 0.3, n), rng.normal(0, 1, n)
    value, bound = rope_factor(posterior, prior, ROPE)
    p = stats.norm(0.4, 0.3).cdf(0.5) - stats.norm(0.4, 0.3).cdf(-0.5)
    q = stats.norm.cdf(0.5) - stats.norm.cdf(-0.5)
    error = np.sqrt(1 / (n * p * (1 - p)) + 1 / (n * q * (1 - q)))  # of the log ratio of odds
    assert abs(np.log(value / (p / (1 - p) / (q / (1 - q))))) <= 5 * error
    assert bound is None


def test_with_few_draws_on_a_side_the_factor_is_a_bound(rng):
    prior = rng.normal(0, 1, 50_000)
    value, bound = rope_factor(np.full(50_000, 3.0), prior, ROPE)
    assert bound == "upper"
    assert 0 < value < 0.01
    value, bound = rope_factor(np.zeros(50_000), prior, ROPE)
    assert bound == "lower"
    assert value > 100
    assert rope_factor(np.zeros(50_000), np.zeros(50_000), ROPE) == (None, None)
    assert rope_factor(np.zeros(50), prior, ROPE) == (None, None)


def test_no_rope_no_rope_factor(rng):
    draws = rng.normal(size=1_000)
    found = bayes_factor(draws, draws, sd_draws=draws, rope=None)
    assert found.rope is None
    assert found.sd == pytest.approx(1)


def test_the_papers_recipe_uses_50_000_draws_whatever_was_asked_for(table):
    few = rw.compare(table, rope=0.05, rng=0, draws=1_000).bayes_factor
    many = rw.compare(table, rope=0.05, rng=0, draws=120_000).bayes_factor
    assert few.sd == many.sd


def test_json_never_holds_infinity(silent):
    sure = rw.Outcomes.from_pairs(positive=(0, 9_000, 0, 0), negative=(0, 0, 9_000, 0))
    for rope in (0.05, (-0.02, float("inf"))):
        told = rw.compare(sure, rope=rope, rng=0, draws=20_000)
        assert "Infinity" not in told.to_json()
        assert "NaN" not in told.to_json()
    assert told.to_dict()["rope"] == [-0.02, None]


@pytest.mark.parametrize("rope", [None, 0.05])
def test_what_a_bayes_factor_takes_is_drawn_when_it_is_asked_for(rope):
    r = rw.compare([0, 1, 2] * 20, [0, 1, 2, 1, 0, 2] * 10, [0, 2, 2, 1, 1, 0] * 10, rope=rope, rng=0, draws=500)
    shown = str(r)
    assert not {"prior_draws", "sd_draws"} & set(vars(r.evidence))
    again = pickle.loads(pickle.dumps(r))
    factor = r.to_dict()["bayes_factor"]
    assert np.array_equal(again.prior_draws, r.prior_draws)
    assert np.array_equal(again.sd_draws[:500], r.draws.delta())
    assert (again.to_dict()["bayes_factor"], str(again)) == (factor, shown)
