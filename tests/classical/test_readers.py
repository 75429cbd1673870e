"""The test over readers and items: against the jackknife by hand, and its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.classical import delong, obuchowski_rockette
from ropewalk.errors import DataError, InvalidInputError, RopewalkError
from support import without_warnings

RNG = np.random.default_rng(4)
TRUTH = np.repeat([0, 1], [13, 11])
CASES = RNG.normal(size=24)
A, B = (np.round(level * TRUTH + CASES + RNG.normal(size=(4, 24))) for level in (2.0, 1.2))  # with equal scores


def area(truth, scores):
    positive, negative = scores[truth == 1][:, None], scores[truth == 0]
    return (positive > negative).mean() + (positive == negative).mean() / 2


def by_hand(truth, a, b):
    """Return the difference, its standard error and the degrees of freedom, as Hillis (2007) writes them."""
    readers, n = len(a), truth.size
    systems = np.stack([a, b])
    theta = np.array([[area(truth, scores) for scores in one] for one in systems])
    left_out = [[[area(np.delete(truth, i), np.delete(scores, i)) for i in range(n)] for scores in one]
                for one in systems]  # fmt: skip
    covariance = np.cov(np.reshape(left_out, (2 * readers, n)), ddof=0) * (n - 1)
    covariance = covariance.reshape(2, readers, 2, readers)
    pairs = [(r, s) for r in range(readers) for s in range(readers) if r != s]
    cov2 = np.mean([covariance[i, r, i, s] for i in (0, 1) for r, s in pairs])
    cov3 = np.mean([covariance[0, r, 1, s] for r, s in pairs])
    middle = theta - theta.mean(axis=0) - theta.mean(axis=1, keepdims=True) + theta.mean()
    square = (middle**2).sum() / (readers - 1)
    whole = square + max(readers * (cov2 - cov3), 0)
    return (theta[0] - theta[1]).mean(), math.sqrt(2 * whole / readers), (readers - 1) * (whole / square) ** 2


def test_it_is_the_jackknife_by_hand():
    test, (difference, error, df) = obuchowski_rockette(TRUTH, A, B), by_hand(TRUTH, A, B)
    assert test.effect.value == pytest.approx(difference)
    assert test.statistic == pytest.approx(difference / error)
    assert test.df == pytest.approx((df,))
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(difference / error), df))
    reach = stats.t.ppf(0.975, df) * error
    assert tuple(test.effect.interval) == pytest.approx((difference - reach, difference + reach))
    assert df > len(A) - 1


def test_it_sees_no_names_no_order_and_either_class():
    test = obuchowski_rockette(TRUTH, A, B)
    order, readers = RNG.permutation(24), RNG.permutation(4)
    words = np.where(TRUTH == 1, "ill", "well")[order]
    again = obuchowski_rockette(
        words, A[readers][:, order], B[readers][:, order], pos_label="ill", names=["new", "old"]
    )
    assert (again.p_value, again.df) == (pytest.approx(test.p_value), pytest.approx(test.df))
    assert again.names == ("new", "old")
    mirrored = obuchowski_rockette(TRUTH, B, A)
    assert (mirrored.statistic, mirrored.p_value) == (pytest.approx(-test.statistic), pytest.approx(test.p_value))
    other = obuchowski_rockette(1 - TRUTH, -A, -B, pos_label=1)
    assert other.p_value == pytest.approx(test.p_value)


def test_of_many_readers_that_are_alike_only_items_count():
    """As DeLong's test of the mean has it: the jackknife is a little wider."""
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], 300)
    a, b = (truth + rng.normal(size=600) for _ in range(2))
    noise = 1e-3 * rng.normal(size=(2, 5, 600))
    found, one = obuchowski_rockette(truth, a + noise[0], b + noise[1]), delong(truth, a, b)
    assert found.statistic == pytest.approx(one.statistic, rel=0.02)


def test_readers_that_agree_on_everything_have_no_evidence():
    test = obuchowski_rockette(TRUTH, [A[0]] * 3, [A[0]] * 3)
    assert (test.statistic, test.p_value) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ((TRUTH, A[:1], B[:1]), DataError, "single reader"),
        ((TRUTH, A[:2], B), DataError, "2 readers and 4"),
        ((TRUTH, A[0], B[0]), DataError, "single reader"),
        ((TRUTH[:-1], A, B), RopewalkError, "."),
        ((np.ones(24), A, B), RopewalkError, "."),
        ((TRUTH, A[:, :-1], B), RopewalkError, "differ in their items"),
        ((TRUTH, np.where(A > 2, np.nan, A), B), RopewalkError, "."),
        ((TRUTH, 3, B), InvalidInputError, "."),
    ],
)
def test_what_it_cannot_test_is_refused(given, kind, words):
    with pytest.raises(kind, match=words) as caught:
        obuchowski_rockette(*given)
    assert caught.value.hint


def test_it_stands_beside_shared_runs():
    asked = {"metric": "roc_auc", "draws": 200, "rng": 0, "pos_label": 1}
    expected = obuchowski_rockette(TRUTH, A, B).p_value
    with without_warnings():
        r = rw.compare(TRUTH, A, B, runs="shared", **asked)
        assert r.tests["obuchowski_rockette"].p_value == pytest.approx(expected)
        assert f"p = {expected:.2f}" in r.to_text(details=True)
        for other in ({"tests": False}, {"runs": "independent"}, {"fixed": "runs"}, {"cluster": np.arange(24) // 2}):
            assert rw.compare(TRUTH, A, B, **{"runs": "shared", **asked, **other}).tests is None
        with pytest.raises(InvalidInputError, match="is over shared runs"):
            rw.compare(TRUTH, A, B, runs="independent", tests=True, **asked)
