"""Every pair of five classifiers on 54 data sets: what baycomp computes, by SciPy and by plain sums over pairs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.draws.blocks import dirichlet
from ropewalk.draws.intervals import Interval
from ropewalk.draws.student import paired_correlated_t
from ropewalk.models.sign import sign_posterior
from ropewalk.models.signed_rank import SignedRankPairs

NAMES = ("nbc", "aode", "hnb", "j48", "j48gr")
PAIRS = list(combinations(NAMES, 2))
ROPES = [Interval(-0.01, 0.01), Interval(-0.002, 0.03), Interval(-math.inf, 0.01)]


@pytest.fixture(scope="module")
def scores():
    columns = rw.examples.uci_folds()
    return {name: np.array(columns[name]).reshape(54, 100) for name in NAMES}


@pytest.mark.parametrize("rope", [ROPES[0], *[pytest.param(rope, marks=pytest.mark.slow) for rope in ROPES[1:]]])
def test_every_correlated_t_is_that_of_scipy(scores, rope):
    n_spread = 0
    for a, b in PAIRS:
        for x, y in zip(scores[a], scores[b], strict=True):
            z = x - y
            if np.ptp(z) < 1e-12:
                continue
            n_spread += 1
            law = stats.t(99, z.mean(), math.sqrt(z.var(ddof=1) * (1 / 100 + 0.1 / 0.9)))
            found = paired_correlated_t(np.stack([x, y]), 1 / 9, resolution=0.01).difference
            shares = found.regions(rope)
            expected = (law.cdf(rope.low), law.sf(rope.high))
            assert (shares.below, shares.above) == pytest.approx(expected, rel=1e-9, abs=1e-14)
            assert (found.below(0.0), found.above(0.0)) == pytest.approx((law.cdf(0), law.sf(0)), rel=1e-9, abs=1e-14)
            assert tuple(found.hdi(0.95)) == pytest.approx(law.interval(0.95), abs=1e-12)
    assert n_spread == 516


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_every_signed_rank_is_the_plain_sum_over_pairs(scores, a, b):
    z = np.concatenate([[0.0], (scores[a] - scores[b]).mean(axis=1)])
    middle = (z[:, None] + z) / 2
    shapes = np.array([0.5, *[1.0] * 54])
    moments = (np.outer(shapes, shapes) + np.diag(shapes)) / (shapes.sum() * (shapes.sum() + 1))
    weights = dirichlet(np.random.default_rng(0), shapes, 20)
    for rope in ROPES:
        above = np.where(np.abs(middle - rope.high) < 1e-12, 0.5, middle > rope.high)
        below = np.where(np.abs(middle - rope.low) < 1e-12, 0.5, middle < rope.low)
        pairs = SignedRankPairs.of(z[1:], rope)
        found = pairs.expected()
        assert (found.below, found.above) == pytest.approx(
            ((moments * below).sum(), (moments * above).sum()), abs=1e-12
        )
        drawn = pairs.shares(weights)
        for row, matrix in ((0, below), (2, above)):
            plain = np.einsum("id,ij,jd->d", weights, matrix, weights)
            assert drawn[row] == pytest.approx(plain, abs=1e-12)
        sign = sign_posterior(z[1:], rope)
        counts = np.array([(z[1:] < rope.low).sum(), 0, (z[1:] > rope.high).sum()], dtype=float)
        assert (sign.shapes[0], sign.shapes[2]) == (counts[0], counts[2])
        assert sum(sign.shapes) == 55
