"""The correlated t against SciPy's Student t, figures of baycomp, and its own properties."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from ropewalk.draws.contrast import Question, contrast
from ropewalk.draws.intervals import Interval
from ropewalk.draws.student import StudentT, contrast_of, correlated_t, paired_correlated_t

QUESTION = Question(rope=Interval(-0.01, 0.01), prob=0.95, rule="hdi", higher_is_better=True)
POSTERIORS = [
    StudentT(location=location, scale=scale, df=df)
    for location in (-0.03, 0.0, 0.02)
    for scale in (0.001, 0.02)
    for df in (1, 2, 4, 99)
]


def same(t):
    return stats.t(t.df, t.location, t.scale)


@pytest.mark.parametrize("t", POSTERIORS)
def test_everything_is_that_of_scipy(t):
    reference = same(t)
    for prob in (0.5, 0.95, 0.999):
        assert tuple(t.hdi(prob)) == pytest.approx(reference.interval(prob), rel=1e-9)
    for value in (-0.05, 0.0, 0.01):
        assert t.below(value) == pytest.approx(reference.cdf(value), rel=1e-9)
        assert t.above(value) == pytest.approx(reference.sf(value), rel=1e-9)
    assert t.std == (pytest.approx(reference.std(), rel=1e-9) if t.df > 2 else math.inf)
    regions = t.regions(Interval(-0.01, math.inf))
    assert regions.below == pytest.approx(reference.cdf(-0.01))
    assert regions.above == 0
    assert regions.below + regions.inside + regions.above == pytest.approx(1)


def test_small_tails_keep_their_digits():
    t = StudentT(location=1.0, scale=0.01, df=30)
    assert t.below(0.0) == pytest.approx(same(t).cdf(0.0), rel=1e-6)
    assert t.below(0.0) < 1e-30


# Two repeats of ten folds; the figures are those of baycomp 1.0.3, CorrelatedTTest(…, runs=2) with a ROPE of 0.01.
TWENTY = [
    0.013, 0.039, 0.036, 0.002, 0.006, 0.001, 0.023, 0.011, 0.027, -0.025, 0.043, 0.01, 0.026, 0.009, 0.004, 0.021,
    0.028, 0.008, 0.009, 0.026,
]  # fmt: skip


def test_the_figures_of_baycomp():
    t = correlated_t(np.array(TWENTY), test_share=1 / 9)
    assert (t.location, t.scale, t.df) == pytest.approx((0.01585, 0.006362857085649313, 19), abs=1e-12)
    regions = t.regions(Interval(-0.01, 0.01))
    expected = (0.00033202503119587483, 0.18437444416149817, 0.8152935308073059)
    assert (regions.below, regions.inside, regions.above) == pytest.approx(expected, abs=1e-9)
    assert tuple(t.hdi(0.95)) == pytest.approx((0.0025323870649736346, 0.029167612935026364), abs=1e-9)
    assert t.above(0.0) == pytest.approx(0.9889221624638398, abs=1e-9)


@pytest.mark.parametrize("values", [[], [0.1], [0.25, 0.25, 0.25]])
def test_without_a_spread_there_is_no_posterior(values):
    with pytest.raises(ValueError, match="spread"):
        correlated_t(np.array(values), 0.25)


@pytest.mark.parametrize("rule", ["hdi", "probability"])
@pytest.mark.parametrize("prob", [0.4, 0.8, 0.95])
@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("t", [t for t in POSTERIORS if t.df > 2])
def test_the_verdict_is_that_of_many_draws(t, rule, prob, up):
    """At exact quantiles in place of draws the verdict, its leaning and the regions come out alike."""
    question = dataclasses.replace(QUESTION, prob=prob, rule=rule, higher_is_better=up)
    exact = contrast_of(t, question, observed=t.location, names=("a", "b"))
    n = 20_001
    quantiles = same(t).ppf((np.arange(n) + 0.5) / n)
    drawn = contrast(quantiles, question, observed=t.location, names=("a", "b"))
    assert exact.regions.below == pytest.approx(drawn.regions.below, abs=2 / n)
    assert exact.regions.above == pytest.approx(drawn.regions.above, abs=2 / n)
    assert exact.decision.verdict == drawn.decision.verdict or t.location == 0
    assert exact.decision.conclusive == drawn.decision.conclusive
    assert exact.decision.leaning == drawn.decision.leaning or t.location == 0
    assert exact.decision.stable
    kinds = [piece.verdict.conclusive for piece in exact.rope_path]
    assert kinds == [piece.verdict.conclusive for piece in drawn.rope_path]
    for ours, theirs in zip(exact.rope_path, drawn.rope_path, strict=True):
        assert ours.start == pytest.approx(theirs.start, abs=0.02 * t.scale)
    assert exact.rope_path[0].start == 0
    assert exact.rope_path[-1].stop is None


def test_the_path_says_what_each_rope_would():
    t = StudentT(location=0.02, scale=0.006, df=9)
    for rule in ("hdi", "probability"):
        path = contrast_of(t, dataclasses.replace(QUESTION, rule=rule), observed=None, names=("a", "b")).rope_path
        for piece in path:
            stop = 1.0 if piece.stop is None else piece.stop
            for width in (piece.start + 1e-9, stop - 1e-9):
                if width <= 0:
                    continue
                asked = dataclasses.replace(QUESTION, rule=rule, rope=Interval(-width, width))
                assert contrast_of(t, asked, observed=None, names=("a", "b")).decision.verdict is piece.verdict


@pytest.mark.parametrize("seed", [0, 1])
def test_draws_of_both_scores_make_the_difference(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal([[0.8], [0.75]], [[0.03], [0.02]], (2, 10)) + rng.normal(0, 0.02, 10)
    joint = paired_correlated_t(scores, 1 / 9, resolution=0.01)
    psi = joint.draw(60_000, seed)
    stretch = 1 / 10 + 1 / 9
    expected = stretch * np.cov(scores) * 9 / 7
    assert np.cov(psi) == pytest.approx(expected, rel=0.06)
    for row, t in ((psi[0], joint.a), (psi[1], joint.b), (psi[0] - psi[1], joint.difference)):
        assert stats.kstest(row, same(t).cdf).pvalue > 1e-4
    assert joint.difference == correlated_t(scores[0] - scores[1], 1 / 9)
    assert np.array_equal(joint.draw(100, seed), psi[:, :100])


def test_what_does_not_vary_has_the_width_of_one_step():
    scores = np.full((2, 5), 0.5)
    joint = paired_correlated_t(scores, 0.25, resolution=0.05)
    assert not joint.spread
    assert joint.difference.location == 0
    assert joint.difference.scale == pytest.approx(0.05 / math.sqrt(12) * math.sqrt(0.2 + 0.25))
    psi = joint.draw(20_000, 0)
    for row, t in ((psi[0] - psi[1], joint.difference),):
        assert stats.kstest(row, same(t).cdf).pvalue > 1e-4
    assert np.isfinite(psi).all()
