"""Planning by the expected loss: what more labels are worth, and the smallest test set to choose by."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk._progress import metered
from ropewalk.errors import InvalidInputError
from ropewalk.planning.posing import pose
from ropewalk.planning.simulation import check_workers, simulate
from ropewalk.results import LabelPlan
from support import without_warnings


@pytest.fixture(scope="module")
def undecided(news):
    return rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=18, rope=0.05, rng=0)


def test_the_answer_is_the_fewest_items_that_leave_no_more_loss(undecided):
    plan = undecided.worth_of_labels(max_loss=0.001)
    assert isinstance(plan, LabelPlan)
    assert plan.reachable
    left = {size: undecided.worth_of_labels(n=size).rows[0].loss for size in (plan.n - 1, plan.n)}
    assert left[plan.n] <= 0.001 < left[plan.n - 1]
    assert plan.stakes.certainty == undecided.stakes.certainty


def test_it_needs_no_rope_and_a_rope_changes_nothing(news):
    asked = {"a": "nb_mult", "b": "svm_l2", "pos_label": 18, "draws": 50_000, "rng": 0}  # a verdict may take more draws
    both = [rw.compare(news.outcomes, rope=rope, **asked) for rope in (None, 0.05)]
    one, other = (r.worth_of_labels(max_loss=0.001).to_dict() for r in both)
    assert one == other


def test_the_two_may_be_exchanged(undecided, news):
    back = rw.compare(news.outcomes, a="svm_l2", b="nb_mult", pos_label=18, rng=1)
    one, other = (r.worth_of_labels(max_loss=0.001) for r in (undecided, back))
    assert one.better == other.better == "nb_mult"
    assert one.n == pytest.approx(other.n, rel=0.1)  # other draws: the error of a small loss


@pytest.mark.parametrize("n", [2_000, 15_000])
def test_the_worth_is_what_simulated_items_save(undecided, n):
    """Draw truths from the posterior, new items from each, judge again, and ship what then looks better."""
    posed = pose(
        undecided, more=True, goal="conclusive", draws=1_000, rng=3, metric=None, model=None, pos_label=None,
        classes=None, cost_matrix=None,
    )  # fmt: skip
    with metered(1, "Simulating", False) as steps:  # noqa: FBT003
        batch = simulate(
            posed.study, [n], 2_000, goal="conclusive", workers=check_workers({"threads": 1}), steps=steps
        )[n]
    saved = (
        np.where(batch.judged.mean > 0, batch.truth, 0.0) - max(undecided.mean, 0.0) - (batch.truth - undecided.mean)
    )
    # The truth itself has the mean of the posterior: taking it off leaves less noise.
    error = saved.std() / math.sqrt(saved.size)
    assert undecided.worth_of_labels(n=n).rows[0].worth == pytest.approx(saved.mean(), abs=4 * error)


def test_where_little_is_at_stake_no_items_are_needed_and_a_bound_too_small_is_not_reached(undecided):
    assert undecided.worth_of_labels(max_loss=0.5).n == 0
    beyond = undecided.worth_of_labels(max_loss=1e-5, max_n=1_000)
    assert (beyond.n, beyond.reachable) == (None, False)
    assert "not down to" in str(beyond)


@pytest.mark.parametrize("bound", [0, -0.1, math.inf, math.nan, "0.1", True])
def test_a_bound_that_is_none_is_refused(undecided, bound):
    with pytest.raises(InvalidInputError, match="max_loss"):
        undecided.worth_of_labels(max_loss=bound)
    with pytest.raises(InvalidInputError, match="max_loss"):
        rw.plan("accuracy .9 against .8 at agreement .8", max_loss=bound)


def test_few_items_make_a_rough_extrapolation():
    y, a, b = [0, 1] * 15, [0, 1] * 12 + [1, 0] * 3, [0, 1] * 13 + [1, 1] * 2
    with without_warnings():
        r = rw.compare(y, a, b, metric="accuracy", model="sigir2016", rng=0)
    assert [remark.code for remark in r.worth_of_labels(max_loss=0.01).remarks] == ["rough_extrapolation"]


def test_every_surface_says_it_and_the_json_is_what_python_says(undecided):
    plan = undecided.worth_of_labels(max_loss=0.001)
    told = json.loads(plan.to_json())
    assert told == plan.to_dict()
    assert (told["better"], told["max_loss"], told["n"]) == ("nb_mult", 0.001, plan.n)
    assert [row["n"] for row in told["rows"]] == [row.n for row in plan.rows]
    words = "down to 0.001"
    assert words in " ".join(str(plan).split())
    assert words in plan.sentence()
    assert words in plan.to_html()
    assert "expected loss left" in plan.to_markdown()


# -- the smallest test set to choose by --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "agreement", "max_loss"), [(0.82, 0.80, 0.9, 0.002), (0.80, 0.82, 0.9, 0.004), (0.75, 0.70, 0.8, 0.005)]
)
def test_a_plan_by_the_loss_is_that_of_a_normal_mean(a, b, agreement, max_loss):
    """The loss is Δ Φ(−Δ √n / σ), σ² the variance of one item's difference; solved for n."""
    gap = abs(a - b)
    variance = 1 - agreement - gap**2
    expected = variance * (stats.norm.isf(max_loss / gap) / gap) ** 2
    plan = rw.plan(f"accuracy {a} against {b} at agreement {agreement}", max_loss=max_loss, rng=0, simulations=1_000)
    assert plan.asks == "loss"
    assert plan.low <= plan.n <= plan.high
    half = (plan.high - plan.low) / 2
    assert plan.n == pytest.approx(expected, abs=2.5 * half + 3)  # 5 standard errors, and whole items


def test_where_chance_is_good_enough_no_test_set_is_needed():
    plan = rw.plan("accuracy .82 against .80 at agreement .9", max_loss=0.01, rng=0)
    assert (plan.n, plan.reachable, plan.simulations) == (0, True, 0)
    assert plan.remarks[0].code == "loss_small_already"


def test_a_loss_that_takes_too_many_items_is_not_reached():
    plan = rw.plan("accuracy .82 against .80 at agreement .9", max_loss=1e-4, max_n=100, simulations=500, rng=0)
    assert (plan.n, plan.reachable) == (None, False)
    assert plan.remarks[0].code == "loss_not_reached"


def test_a_loss_does_not_go_with_other_questions_nor_with_a_result(undecided):
    ask = {"max_loss": 0.001, "rng": 0}
    for other in ({"n": 100}, {"cost_per_item": 1, "value": 10}):
        with pytest.raises(InvalidInputError, match="of its own"):
            rw.plan("accuracy .82 against .80 at agreement .9", **ask, **other)
    with pytest.raises(InvalidInputError, match="about a scenario"):
        rw.plan(undecided, **ask)


def test_a_plan_by_the_loss_says_so_without_a_rope():
    plan = rw.plan("accuracy .9 against .8 at agreement .85", max_loss=0.01, simulations=500, rng=0)
    told = plan.to_dict()
    assert (told["asks"], told["max_loss"], told["rope"], told["rows"]) == ("loss", 0.01, None, [])
    for text in (str(plan), plan.to_html(), plan.sentence(), plan.to_markdown()):
        assert "expected" in text
        assert "ROPE ±" not in text
