"""Pooling: the normal model in closed form, its limits, and that more draws only add to fewer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from ropewalk.draws.pooling import pool, pool_disjoint

NO_RANGE = {"low": -math.inf, "high": math.inf}


def draws_of(rng, centre, error, n=40_000):
    """Draws with exactly these means and, but for sampling, these standard errors."""
    noise = rng.standard_normal((len(centre), n)) * error
    return np.asarray(centre)[:, np.newaxis] + noise - noise[:, :10_000].mean(axis=1, keepdims=True)


def test_it_has_the_moments_of_the_normal_model(rng):
    centre, error = np.array([-1.0, 0.0, 0.5, 2.5]), 1.0
    psi = draws_of(rng, centre, error)
    unit = math.sqrt(np.linalg.eigvalsh(np.cov(psi[:, :10_000])).mean())

    def weight(t):
        """The likelihood of the spread t, the centre integrated out, times its half-Cauchy prior."""
        s2 = error**2 + t**2
        squares = ((centre - centre.mean()) ** 2).sum()
        return s2 ** (-(len(centre) - 1) / 2) * math.exp(-squares / (2 * s2)) * stats.halfcauchy.pdf(t, scale=2 * unit)

    def mean_given(t):
        share = t**2 / (error**2 + t**2)
        return centre.mean() + share * (centre - centre.mean())

    whole = integrate.quad(weight, 0, 100)[0]
    expected = [integrate.quad(lambda t, k=k: weight(t) * mean_given(t)[k], 0, 100)[0] / whole for k in range(4)]
    pooled = pool(psi, **NO_RANGE, seed=0).psi
    assert pooled.mean(axis=1) == pytest.approx(expected, abs=0.02)


def test_scores_far_apart_keep_their_draws(rng):
    psi = draws_of(rng, [0.0, 100.0, 200.0, 300.0], 0.1)
    assert pool(psi, **NO_RANGE, seed=0).psi == pytest.approx(psi, abs=0.01)


def test_scores_that_are_alike_move_together(rng):
    psi = draws_of(rng, [0.5] * 10, 0.1)
    pooled = pool(psi, **NO_RANGE, seed=0)
    assert pooled.psi.mean(axis=1).std() < 0.01
    assert (pooled.psi[0] - pooled.psi[1]).std() < 0.75 * (psi[0] - psi[1]).std()
    assert pooled.spread < 0.1


def test_fewer_draws_are_a_prefix_of_more(rng):
    psi = draws_of(rng, [0.1, 0.2, 0.3], 0.1)
    whole, part = (pool(some, **NO_RANGE, seed=3).psi for some in (psi, psi[:, :20_000]))
    assert (whole[:, :20_000] == part).all()


def test_copies_stay_copies_and_nothing_stays_nothing(rng):
    row = rng.random(5_000)
    pooled = pool(np.stack([row, row, row + 0.1]), **NO_RANGE, seed=0).psi
    assert pooled[0] == pytest.approx(pooled[1], abs=1e-9)
    constant = np.ones((3, 100))
    assert (pool(constant, **NO_RANGE, seed=0).psi == constant).all()


def test_scores_stay_within_their_range(rng):
    psi = np.clip(draws_of(rng, [0.98, 0.99, 0.995], 0.01), 0, 1)
    pooled = pool(psi, low=0.0, high=1.0, seed=0).psi
    assert pooled.min() >= 0
    assert pooled.max() <= 1


def test_disjoint_ones_have_the_moments_of_the_model_with_heavy_tails(rng):
    """Against quadrature: a flat centre, a half-Cauchy spread, a Student-t(3), and one in twenty from a wide Normal."""
    y, error = np.array([-0.5, 0.0, 0.4, 5.0]), np.array([1.0, 0.7, 1.0, 1.2])
    psi = y[:, np.newaxis] + draws_of(rng, np.zeros(4), 1.0) * error[:, np.newaxis]
    theta, unit = np.linspace(-8, 12, 401), math.sqrt((error**2).mean())
    likelihood = stats.norm.pdf(y[:, np.newaxis], theta, error[:, np.newaxis])  # (4, thetas)
    centres, steps = np.linspace(-6, 8, 101), np.linspace(0.01, math.log1p(60), 60)
    moments = np.zeros((4, 2))
    total = 0.0
    for t in unit * np.expm1(steps):
        apart = theta[:, np.newaxis] - centres
        around = 0.95 * stats.t.pdf(apart / t, 3) / t + 0.05 * stats.norm.pdf(apart, scale=4 * unit)
        evidence = likelihood @ around
        weight = stats.halfcauchy.pdf(t, scale=2 * unit) * (unit + t) * evidence.prod(axis=0)
        for k in range(4):
            for power in (1, 2):
                moments[k, power - 1] += (weight * ((likelihood[k] * theta**power) @ around) / evidence[k]).sum()
        total += weight.sum()
    mean, square = (moments / total).T
    pooled = pool_disjoint(psi, **NO_RANGE, seed=0).psi
    assert pooled.mean(axis=1) == pytest.approx(mean, abs=0.04)
    assert pooled.std(axis=1) == pytest.approx(np.sqrt(square - mean**2), rel=0.05)


def test_a_difference_that_stands_apart_is_left_there(rng):
    psi = draws_of(rng, [0.0] * 19 + [-0.6], 0.06)
    apart, together = (law(psi, low=-1.0, high=1.0, seed=0).psi[-1] for law in (pool_disjoint, pool))
    assert apart.mean() < together.mean() - 0.01
    assert apart.mean() < -0.5


@pytest.mark.parametrize("behind", [0.15, 0.3, 0.5])
def test_others_that_are_many_and_alike_do_not_hide_one_that_stands_apart(rng, behind):
    """Nineteen slices that are known well and hardly differ, and one of a few items that is worse: by Bayes' theorem.

    The others are not spread at all, so it has either no difference, or one from a Normal a quarter of the range wide.
    """
    error = 0.1
    errors = np.array([0.0045] * 19 + [error])[:, np.newaxis]
    psi = draws_of(rng, np.zeros(20), 1.0) * errors - behind * (errors == error)
    one = pool_disjoint(psi, low=-1.0, high=1.0, seed=0).psi[-1]
    far, near = 0.05 * stats.norm.pdf(behind, scale=math.hypot(0.25, error)), 0.95 * stats.norm.pdf(behind, scale=error)
    share = 0.25**2 / (0.25**2 + error**2)
    below = stats.norm.cdf(-0.05, loc=-share * behind, scale=error * math.sqrt(share))
    assert (one < -0.05).mean() == pytest.approx(far / (far + near) * below, abs=0.02)


def test_fewer_disjoint_draws_are_a_prefix_of_more(rng):
    psi = draws_of(rng, [0.1, 0.2, 0.3], 0.1)
    whole, part = (pool_disjoint(some, **NO_RANGE, seed=3).psi for some in (psi, psi[:, :20_000]))
    assert (whole[:, :20_000] == part).all()
    assert pool_disjoint(psi * 0, **NO_RANGE, seed=0).spread == 0
