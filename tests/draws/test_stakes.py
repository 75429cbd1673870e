"""Expected gain and loss, and what it is worth to learn more: against closed forms of a normal posterior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import ropewalk as rw
from ropewalk.draws.contrast import Question, contrast, mirrored
from ropewalk.draws.intervals import Interval
from ropewalk.draws.stakes import Learning, stakes_of
from ropewalk.errors import DegenerateDataWarning
from ropewalk.inference.outlook import Labels, remaining
from ropewalk.text.writing import amount

N = 400_000


def excess(mean, std):
    """E[max(d, 0)] of a normal."""
    return std * stats.norm.pdf(mean / std) + mean * stats.norm.cdf(mean / std)


@pytest.mark.parametrize("up", [True, False], ids=["more is better", "less is better"])
@pytest.mark.parametrize(("mean", "std"), [(0.0, 0.02), (0.01, 0.02), (-0.03, 0.02), (0.05, 0.02)])
def test_gain_and_loss_are_those_of_a_normal(rng, mean, std, up):
    stakes = stakes_of(rng.normal(mean, std, N), higher_is_better=up, worth=N)
    towards = mean if up else -mean
    assert stakes.gain == pytest.approx(excess(towards, std), abs=4 * stakes.gain_mc_error)
    assert stakes.loss == pytest.approx(excess(-towards, std), abs=4 * stakes.loss_mc_error)
    assert stakes.prefers_a == (towards > 0 or (towards == 0 and stakes.gain >= stakes.loss))
    assert stakes.certainty == min(stakes.gain, stakes.loss)


def test_the_errors_are_those_of_means_of_so_many_independent_draws():
    rng = np.random.default_rng(3)
    many = [stakes_of(rng.normal(0.01, 0.02, 500), higher_is_better=True, worth=500) for _ in range(2_000)]
    for kind in ("gain", "loss"):
        spread = np.std([getattr(stakes, kind) for stakes in many])
        said = np.mean([getattr(stakes, f"{kind}_mc_error") for stakes in many])
        assert said == pytest.approx(spread, rel=0.08)  # 5 errors of a standard deviation from 2,000
    fewer = stakes_of(rng.normal(0.01, 0.02, 500), higher_is_better=True, worth=125)
    again = stakes_of(rng.normal(0.01, 0.02, 500), higher_is_better=True, worth=500)
    assert fewer.gain_mc_error / again.gain_mc_error == pytest.approx(2.0, rel=0.2)


def test_a_side_without_draws_is_known_to_about_one_draw(rng):
    delta = rng.normal(1.0, 0.1, 200)
    stakes = stakes_of(delta, higher_is_better=True, worth=200)
    assert stakes.loss == 0
    assert stakes.loss_mc_error == pytest.approx(delta.std() / 200)
    assert amount(stakes.loss, stakes.loss_mc_error, float(delta.std())) == "under 0.001"


draws = st.lists(st.floats(-1, 1).map(lambda x: round(x, 6)), min_size=2, max_size=40).map(np.array)


@given(draws, st.booleans())
def test_gain_less_loss_is_the_mean_and_turning_the_two_round_exchanges_them(delta, up):
    stakes = stakes_of(delta, higher_is_better=up, worth=delta.size)
    assert stakes.gain - stakes.loss == pytest.approx(delta.mean() if up else -delta.mean(), abs=1e-12)
    other = stakes_of(-delta, higher_is_better=up, worth=delta.size)
    assert stakes.mirrored() == other
    assert stakes.mirrored().mirrored() == stakes


@given(draws, st.floats(0, 1), st.floats(0, 1))
def test_learning_is_worth_more_the_more_is_learnt_and_never_more_than_certainty(delta, one, other):
    learning = Learning(delta)
    low, high = sorted((learning.worth(one), learning.worth(other)), key=float)
    assert (learning.worth(min(one, other)), learning.worth(max(one, other))) == pytest.approx((low, high), abs=1e-12)
    stakes = stakes_of(delta, higher_is_better=True, worth=delta.size)
    assert learning.certainty == pytest.approx(stakes.certainty, abs=1e-12)
    assert -1e-12 <= low <= high <= stakes.certainty + 1e-12
    assert Learning(-delta).worth(one) == pytest.approx(learning.worth(one), abs=1e-12)


@given(draws, st.floats(0.001, 1))
def test_the_worth_is_what_choosing_after_the_data_gains_over_choosing_before(delta, learned):
    """E[max(M, 0)] − max(E[M], 0), M going a part of the way from the mean to each draw: by definition."""
    mean = delta.mean()
    to_come = mean + math.sqrt(learned) * (delta - mean)
    expected = np.maximum(to_come, 0).mean() - max(mean, 0.0)
    assert Learning(delta).worth(learned) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("mean", [0.0, 0.01, -0.02])
@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0, 100.0])
def test_more_items_are_worth_what_they_are_of_a_normal(rng, mean, factor):
    """Raiffa and Schlaifer: the mean to come is normal, with the variance that is lost."""
    std, counted = 0.02, 1_000
    labels = Labels(Learning(rng.normal(mean, std, N)), (1.0,), (counted,))
    row = labels.after(int(factor * counted))
    lost = std * math.sqrt(factor / (1 + factor))
    error = 4 * std / math.sqrt(N)
    assert row.worth == pytest.approx(excess(-abs(mean), lost), abs=error)
    assert row.loss == pytest.approx(excess(-abs(mean), std) - excess(-abs(mean), lost), abs=2 * error)


def test_separate_items_shrink_the_parts_of_the_variance_each_by_its_own():
    # 1/4 of the variance from 100 items, 3/4 from 300: 100 more for each leave 1/2 and 3/4 of them.
    assert remaining((1.0, 3.0), (100, 300), 100) == pytest.approx(0.25 * 0.5 + 0.75 * 0.75)


@pytest.mark.parametrize("max_loss", [0.004, 0.001, 0.0001])
def test_the_items_needed_are_the_fewest_that_leave_no_more_loss(rng, max_loss):
    labels = Labels(Learning(rng.normal(0.003, 0.02, 50_000)), (1.0,), (800,))
    n = labels.needed(max_loss)
    assert labels.after(n).loss <= max_loss < labels.after(n - 1).loss


def test_no_items_are_needed_where_little_is_at_stake_and_none_reach_nothing(rng):
    labels = Labels(Learning(rng.normal(0.1, 0.02, 10_000)), (1.0,), (800,), 10_000)
    assert labels.needed(0.001) == 0
    open_question = Labels(Learning(rng.normal(0.0, 0.02, 10_000)), (1.0,), (800,), 10_000)
    assert open_question.needed(1e-6) is None


def test_a_mirrored_contrast_exchanges_gain_and_loss(rng):
    question = Question(rope=Interval(-0.01, 0.01), prob=0.9, rule="hdi", higher_is_better=True)
    delta = rng.normal(0.01, 0.02, 1_000)
    there = contrast(delta, question, observed=None, names=("a", "b"))
    assert mirrored(there, question, ("b", "a")).stakes == there.stakes.mirrored()
    assert there.without_verdict().stakes is None


# -- on results --------------------------------------------------------------------------------------------


def test_a_comparison_says_what_depends_on_the_choice_with_or_without_a_rope(table):
    for rope in (None, 0.05):
        r = rw.compare(table, rope=rope, rng=0, draws=20_000)
        delta = r.draws.delta()
        assert r.expected_gain == pytest.approx(np.maximum(delta, 0).mean())
        assert r.expected_loss == pytest.approx(np.maximum(-delta, 0).mean())
        told = r.to_dict()["stakes"]
        assert told["expected_gain"] == r.expected_gain
        assert told["expected_loss"] == r.expected_loss
        assert told["worth_of_certainty"] == min(r.expected_gain, r.expected_loss)
        worth = [row["worth"] for row in told["labels"]]
        assert worth == sorted(worth)
        assert all(row["worth"] + row["loss"] == pytest.approx(told["worth_of_certainty"]) for row in told["labels"])
        text = " ".join(r.to_text(details=True).split())
        assert "on average, in points of F1" in text
        # Where the question is settled, nothing is said of more items.
        assert ("7,500 more items would save" in text) == ("would save" in r.to_html()) == (not r.conclusive)


def test_less_is_better_gains_where_the_difference_is_negative(table):
    right = rw.compare(table, metric="accuracy", rng=0, draws=20_000)
    wrong = rw.compare(table, metric="error", rng=0, draws=20_000)
    assert wrong.expected_gain == pytest.approx(right.expected_gain)
    assert wrong.expected_loss == pytest.approx(right.expected_loss)


def test_costs_are_in_costs_per_item(table):
    r = rw.compare(table, metric="cost", cost_matrix=[[0, 1], [5, 0]], rng=0, draws=5_000)
    assert r.expected_gain - r.expected_loss == pytest.approx(-r.mean)
    assert "in cost per item" in " ".join(str(r).split())


def test_pairs_of_a_ranking_have_stakes_in_both_directions(news):
    ranking = rw.rank(news.outcomes, metric="accuracy", rope=0.01, rng=0, draws=500)
    pair = ranking.pairwise[0]
    back = ranking.pair(pair.b, pair.a)
    assert (pair.stakes.gain, pair.stakes.loss) == (back.stakes.loss, back.stakes.gain)
    told = pair.to_dict()["stakes"]
    assert (told["expected_gain"], told["expected_loss"]) == (pair.stakes.gain, pair.stakes.loss)
    assert "labels" not in told


def test_without_items_labels_have_no_worth_yet():
    empty = rw.Outcomes.empty(["n", "y"], ["a", "b"])
    with pytest.warns(DegenerateDataWarning):
        r = rw.compare(empty, pos_label="y", metric="accuracy", rng=0, draws=2_000)
    assert r.stakes.labels == ()
    assert r.pairing is None


@pytest.mark.parametrize(
    ("value", "error", "std", "text"),
    [
        (0.01234, 1e-6, 0.01, "0.012"),
        (0.01234, 0.0005, 0.01, "0.012"),
        (0.01234, 0.002, 0.01, "0.01"),  # the second digit is within the error
        (0.00123, 0.002, 0.01, "under 0.01"),
        (0.0, 0.0, 0.01, "under 0.0001"),
        (0.5, 0.5, 0.5, "under 1"),
        (1234.0, 1.0, 500.0, "1,234"),
        (0.0, 0.0, 0.0, "0"),
    ],
)
def test_an_amount_has_no_digit_that_the_draws_do_not_carry(value, error, std, text):
    assert amount(value, error, std) == text


# -- pairing -----------------------------------------------------------------------------------------------


def test_pairing_is_worth_the_variance_of_separate_items_over_that_of_the_same(table):
    r = rw.compare(table, rng=0, draws=20_000)
    (va, cov), (_, vb) = np.cov(r.draws.psi, ddof=0)
    assert r.pairing == pytest.approx((va + vb) / (va + vb - 2 * cov))
    assert r.to_dict()["pairing"] == r.pairing
    assert f"Pairing is worth {r.pairing:.1f} times the items here" in r.to_html()


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        # 400 items, accuracies .8 and .8 (then .66 and .66): both right, only a, only b, neither.
        ((256, 64, 64, 16), 1.0),  # independent errors
        ((300, 20, 20, 60), 0.32 / 0.10),  # nine in ten answers alike
        ((240, 80, 80, 0), 0.32 / 0.40),  # never wrong on the same item
        ((128, 136, 136, 0), 0.4488 / 0.68),  # the same at accuracies of .66
        ((244, 20, 20, 116), 0.4488 / 0.10),
    ],
)
def test_pairing_is_worth_what_the_correlation_of_errors_says(pairs, expected):
    """Closed form for accuracy: var A + var B over the variance of the paired difference, of 0/1 answers."""
    counts = np.array(pairs)
    half = counts // 2
    table = rw.Outcomes.from_pairs(positive=counts - half, negative=half[::-1])
    many = 50  # so many times the items, so that the prior has no part
    big = rw.Outcomes.from_pairs(positive=many * (counts - half), negative=many * half[::-1])
    assert table.n_items == 400
    r = rw.compare(big, metric="accuracy", rng=0, draws=100_000)
    assert r.pairing == pytest.approx(expected, rel=0.03)


def test_separate_test_sets_are_not_paired(table):
    r = rw.compare(table, model="unpaired", rng=0, draws=2_000)
    assert r.pairing is None
    assert r.to_dict()["pairing"] is None
    assert "Pairing is worth" not in r.to_html()
