"""The shortest interval, and how far its ends may be off."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ropewalk.draws.intervals import Interval, hdi, hdi_error


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_no_interval_of_as_many_draws_is_shorter(values, prob):
    ordered = np.sort(np.array(values))
    found = hdi(ordered, prob)
    held = min(int(prob * len(values)) + 1, len(values))
    assert ((ordered >= found.low) & (ordered <= found.high)).sum() >= held
    shortest = min(ordered[i + held - 1] - ordered[i] for i in range(len(values) - held + 1))
    assert found.high - found.low == shortest


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=50), st.floats(0.05, 0.9), st.floats(0, 0.09))
def test_more_mass_is_never_a_shorter_interval(values, prob, more):
    ordered = np.sort(np.array(values))
    narrow, wide = hdi(ordered, prob), hdi(ordered, prob + more)
    assert wide.high - wide.low >= narrow.high - narrow.low


def test_the_interval_of_a_skewed_law_is_the_closed_form(rng):
    """The 90% HDI of an exponential starts at 0 and ends at its 90% quantile."""
    draws = rng.standard_exponential(1_000_000)
    found = hdi(np.sort(draws), 0.9)
    low_error, high_error = hdi_error(draws, 0.9)
    assert found.low == pytest.approx(0, abs=1e-4 + 5 * low_error)
    assert found.high == pytest.approx(-np.log(0.1), abs=5 * high_error)


@pytest.mark.parametrize("n", [20_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (50_000, 200_000))])
def test_the_error_of_an_end_is_its_spread_over_runs(n):
    """100 runs of a normal: the mean reported error against the true standard deviation of the ends."""
    rng = np.random.default_rng(7)
    ends, errors = [], []
    for _ in range(100):
        draws = rng.standard_normal(n)
        found = hdi(np.sort(draws), 0.95)
        ends.append((found.low, found.high))
        errors.append(hdi_error(draws, 0.95))
    spread = np.std(ends, axis=0, ddof=1)
    # A standard deviation of 100 runs is known to 7%; the rate's own approximation adds some.
    assert np.mean(errors, axis=0) == pytest.approx(spread, rel=0.3)


def test_few_draws_fall_back_on_the_normal_rate(rng):
    few = hdi_error(rng.standard_normal(300), 0.95)
    assert few[0] == few[1] == pytest.approx(1.07 * 300 ** (-1 / 3), rel=0.2)
    assert hdi_error(np.array([1.0]), 0.95) == (0.0, 0.0)


def test_the_normal_interval_is_the_quantile(rng):
    draws = rng.standard_normal(400_000)
    found, errors = hdi(np.sort(draws), 0.95), hdi_error(draws, 0.95)
    end = stats.norm.ppf(0.975)
    assert abs(found.low + end) <= 5 * errors[0]
    assert abs(found.high - end) <= 5 * errors[1]


def test_an_interval_knows_its_middle_and_its_mirror():
    assert Interval(-1, 3).middle == 1
    assert Interval(-1, 3).mirrored() == Interval(-3, 1)


@pytest.mark.parametrize(
    ("n", "ess", "by_batches"), [(1_000, None, True), (999, None, False), (4_000, 1_000, True), (4_000, 999, False)]
)
def test_batches_need_fifty_independent_draws_each(n, ess, by_batches, rng):
    draws = rng.standard_exponential(n)
    low, high = hdi_error(draws, 0.9, ess)
    # An exponential's HDI starts at 0, so only batches know that its low end is far better known than its high end.
    assert (low < high / 5) == by_batches
    if not by_batches:
        assert low == high == pytest.approx(1.07 * draws.std() * (ess or n) ** (-1 / 3), rel=1e-12)


def test_the_error_of_an_end_is_its_spread_over_twenty_batches(rng):
    draws = rng.standard_normal(2_007)  # the seven that fill no batch are left out
    ends = [tuple(hdi(np.sort(batch), 0.8)) for batch in draws[:2_000].reshape(20, 100)]
    assert hdi_error(draws, 0.8) == pytest.approx(np.std(ends, axis=0, ddof=1) * 20 ** (-1 / 3), rel=1e-12)


def test_an_interval_may_be_unpacked():
    assert tuple(Interval(-1, 3)) == (-1, 3)
