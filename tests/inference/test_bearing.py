"""Whether data bear a verdict: how far another prior moves the answer, and how far the ROPE is away."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.models import draw_psi
from support import without_warnings


@pytest.mark.parametrize("n", [1_000, 20_000])
def test_a_classifier_that_is_always_right_is_found_good_enough(n, silent):
    """Of n items, all right, a class has Beta(n/2 + a, a): twice the prior mass moves it by √a deviations, of any n."""
    y = np.arange(n) % 2
    told = rw.evaluate(y, y, metric="accuracy", at_least=0.9, rope=0.01, rng=0, draws=20_000)
    r = told["accuracy"]
    assert r.drawing.shift.moved > 0.5
    assert not r.no_verdict
    assert r.decision.symbol == "≫"
    assert not told.warnings


@pytest.mark.parametrize("n", [1_000, 20_000])
def test_right_against_wrong_is_settled(n, silent):
    y = np.arange(n) % 2
    r = rw.compare(y, y, 1 - y, metric="f1", rope=0.05, rng=0, draws=20_000)
    assert r.drawing.shift.moved > 0.5
    assert r.decision.symbol == "≫"


def test_how_far_twice_the_prior_mass_moves_is_a_closed_form(silent):
    """One class alone counts, and all 30 of its items are right: Beta(30 + 1, 1), or Beta(30 + 2, 2)."""
    y = np.array([1] * 30 + [0] * 30)
    r = rw.evaluate(y, y, metric="recall", pos_label=1, at_least=0.9, rope=0.01, rng=0, draws=50_000)["recall"]
    once, half, twice = (stats.beta(30 + mass / 2, mass / 2) for mass in (2, 1, 4))
    expected = max(abs(other.mean() - once.mean()) for other in (half, twice)) / once.std()
    assert r.drawing.shift.moved == pytest.approx(expected, abs=4.5 / np.sqrt(2_000) * twice.std() / once.std() + 0.02)


def test_where_the_rope_is_near_such_an_answer_leaves_too_much_to_the_prior(silent):
    y = np.arange(30) % 2
    r = rw.evaluate(y, y, metric="accuracy", at_least=0.95, rope=0.01, rng=0, draws=20_000)["accuracy"]
    assert r.decision is None
    assert "leave too much to the prior" in r.no_verdict
    assert r.regions is not None


@pytest.mark.parametrize("n", [4, 8])
def test_hardly_any_items_leave_too_much_to_the_prior(n, silent):
    y = np.arange(n) % 2
    r = rw.compare(y, y, 1 - y, metric="accuracy", rope=0.05, rng=0, draws=20_000)
    assert r.decision is None
    assert "leave too much to the prior" in r.no_verdict


@pytest.mark.parametrize(("draws", "expected"), [(399, []), (700, [400, 400]), (20_000, [400, 400])])
def test_a_glance_at_other_priors_is_enough_where_they_hardly_matter(draws, expected, table, asked):
    r = rw.compare(table, rope=0.2, rng=0, draws=draws)
    assert asked == expected
    assert (r.drawing.shift is None) == (not expected)


@pytest.mark.parametrize(("draws", "expected"), [(700, [400, 400, 700, 700]), (20_000, [400, 400, 2_000, 2_000])])
def test_where_they_matter_other_priors_take_more_but_no_more_draws_than_the_answer(draws, expected, asked, silent):
    y = np.arange(8) % 2
    r = rw.compare(y, y, 1 - y, metric="accuracy", rope=0.05, rng=0, draws=draws)
    assert asked == expected
    assert r.drawing.shift.moved > 0.5


@pytest.fixture
def asked(monkeypatch):
    """Return how many draws each other prior was asked for, where all are dear."""
    monkeypatch.setattr("ropewalk.inference.bearing.GLANCE_WORK", 0)
    asked = []

    def draw(*arguments, stop, **options):
        asked.append(stop)
        return draw_psi(*arguments, stop=stop, **options)

    monkeypatch.setattr("ropewalk.inference.bearing.draw_psi", draw)
    return asked


def test_a_small_class_whose_doubt_is_learned_away_has_no_verdict():
    """On two large classes the two are right throughout; that says little of 40 items on which they hardly differ."""
    y = np.repeat([0, 1, 2], [300, 100, 40])
    a = b = y
    with without_warnings():
        alike = rw.compare(y, a, b, metric="macro_recall", rope=0.01, rng=0, draws=2_000)
        far = rw.compare(y, a, b, metric="macro_recall", rope=0.4, rng=0, draws=2_000)
        b = np.where(np.arange(y.size) % 10 < 2, (y + 1) % 3, y)  # errors everywhere
        err = rw.compare(y, a, b, metric="macro_recall", rope=0.01, rng=0, draws=2_000)
    assert alike.drawing.shift.widened > 1.2
    assert alike.decision is None
    assert "makes the interval" in alike.drawing.no_verdict
    assert far.decision.code == "equivalent"  # no prior reaches the ends of that ROPE
    assert err.drawing.shift.widened < 1.2
    assert err.decision.conclusive


def test_a_tail_that_is_all_learned_has_no_verdict():
    """Of two items each, 42 classes say little but for what is learned from all: with a fixed centre Δ is smaller."""
    y = np.repeat(np.arange(50), [60, 40, 30, 20, 15, 12, 10, 8] + [2] * 42)
    right = y < 8
    a, b = np.where(right | (np.arange(y.size) % 8 > 0), y, 0), np.where(right | (np.arange(y.size) % 8 == 0), y, 0)
    o = rw.Outcomes.from_arrays(y, a, b, labels=list(range(50)))
    with without_warnings():
        learned = rw.compare(o, metric="macro_f1", rope=0.01, rng=0, draws=1_000)
        large = [x[right].repeat(4) for x in (y, a, b)]
        head = rw.compare(*large, metric="macro_f1", rope=0.01, rng=0, draws=1_000)
    assert learned.drawing.shift.unlearned > 2
    assert learned.decision is None
    assert "learns nothing from other classes" in learned.drawing.no_verdict
    assert head.drawing.shift is None or head.drawing.shift.unlearned < 2
