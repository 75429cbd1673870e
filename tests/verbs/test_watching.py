"""One look at an evaluation that grows: what is bounded, what is refused, and that items are only added."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.classical.betting import bounds
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.report.describe.looks import head_line, look_line
from support import without_warnings

PAIRS = {"positive": (300, 24, 20, 6), "negative": (8, 18, 24, 300)}
TABLE = rw.Outcomes.from_pairs(**PAIRS, names=["new", "old"])
FAST = {"draws": 4_000, "rng": 0}


def near(interval):
    return pytest.approx(tuple(interval), abs=1e-9)


def watch(*data, **asked):
    with without_warnings():
        return rw.watch(*data, **{"require": "better", **FAST, **asked})


@pytest.mark.parametrize("metric", ["accuracy", "error", "recall", "sensitivity", "specificity", "fpr", "fnr", "cost"])
def test_bounds_are_about_the_difference_that_compare_measures(metric):
    asked = {"accuracy": {}, "error": {}, "cost": {"cost_matrix": [[0, 1], [5, 0]]}}.get(metric, {"pos_label": 1})
    look = watch(TABLE, metric=metric, **asked)
    low, high = look.interval
    observed = look.comparison.delta.observed
    assert low < observed < high
    n = {"accuracy": 700, "error": 700, "cost": 700}.get(metric, 350)
    assert look.n == n
    items = 5.0 if metric == "cost" else 1.0
    assert high - low < 10 * items / math.sqrt(n)


def test_bounds_of_accuracy_are_those_of_the_three_counts():
    look = watch(TABLE)
    assert look.interval == bounds(np.array([-1.0, 0.0, 1.0]), np.array([38, 614, 48]), Interval(-1.0, 1.0), 0.025)
    assert look.error == 0.025


def test_other_labels_of_many_count_as_the_rest():
    truth, new, old = (np.array(list(text)) for text in ("abcabcabcabc" * 5, "abcabcaacacc" * 5, "abbabcaacabc" * 5))
    look = watch(truth, new, old, metric="recall", pos_label="b")
    assert (look.n, look.comparison.delta.observed) == (20, pytest.approx(-0.25))
    assert tuple(look.interval) == near(bounds(np.array([-1.0, 0.0]), np.array([5, 15]), Interval(-1.0, 1.0), 0.025))


@pytest.mark.parametrize(("require", "margin"), [("better", 0.0), ("not-worse", 0.03), ("equivalent", 0.1)])
def test_less_being_better_turns_the_requirement_and_nothing_else(require, margin):
    share = watch(TABLE, metric="accuracy", require=require, margin=margin)
    wrong = watch(TABLE, metric="error", require=require, margin=margin)
    assert tuple(wrong.interval) == near(share.interval.mirrored())
    assert tuple(wrong.region) == near(share.region.mirrored())
    assert (wrong.outcome, wrong.plain_outcome) == (share.outcome, share.plain_outcome)


def test_requirements_are_met_contradicted_or_undecided():
    def outcomes(*pairs, **asked):
        positive = (500, *pairs, 100)
        look = watch(rw.Outcomes.from_pairs(positive=positive, negative=(0, 0, 0, 300)), **asked)
        return look.outcome, look.decided, look.exit_code

    assert outcomes(120, 30) == ("met", True, 0)
    assert outcomes(30, 120) == ("contradicted", True, 1)
    assert outcomes(50, 45) == ("undecided", False, 3)
    assert outcomes(50, 45, require="not-worse", margin=0.06) == ("met", True, 0)
    assert outcomes(30, 120, require="not-worse", margin=0.02) == ("contradicted", True, 1)
    assert outcomes(50, 50, require="equivalent", margin=0.08) == ("met", True, 0)
    assert outcomes(120, 30, require="equivalent", margin=0.02) == ("contradicted", True, 1)


def test_a_and_b_exchanged_mirror_the_bounds():
    look, other = watch(TABLE, a="new", b="old"), watch(TABLE, a="old", b="new")
    assert tuple(other.interval) == near(look.interval.mirrored())


def test_the_bounded_interval_is_wider_than_the_plain_one():
    look = watch(TABLE)
    assert look.interval.low < look.comparison.hdi.low < look.comparison.hdi.high < look.interval.high


@pytest.mark.parametrize(
    ("metric", "more"),
    [("f1", {"pos_label": 1}), ("macro_recall", {}), ("micro_f1", {}), ("mcc", {}), ("balanced_accuracy", {}),
     ("precision", {"pos_label": 1}), (lambda margins: margins.tp.sum(axis=-1) / margins.total[..., 0], {})],
)  # fmt: skip
def test_what_is_no_mean_over_items_is_refused_with_what_to_ask_instead(metric, more):
    with pytest.raises(InvalidInputError, match="no mean over items") as caught:
        watch(TABLE, metric=metric, **more)
    assert caught.value.exit_code == 2
    assert "accuracy" in caught.value.hint


def test_areas_and_calibration_of_scores_are_refused():
    y, s = [0, 1] * 30, np.linspace(0.1, 0.9, 60)
    for metric in ("roc_auc", "average_precision", "ece"):
        with pytest.raises(InvalidInputError, match="no mean over items"):
            watch(y, s, s[::-1], metric=metric)


def test_brier_scores_are_bounded_by_one_of_two_classes():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 400)
    new, old = (np.clip(y * 0.4 + 0.3 + rng.normal(0, s, 400), 0, 1) for s in (0.05, 0.3))
    look = watch(y, new, old, metric="brier")
    each = (new - y) ** 2 - (old - y) ** 2
    assert look.comparison.delta.observed == pytest.approx(each.mean())
    assert tuple(look.interval) == near(bounds(each, np.ones(400), Interval(-1.0, 1.0), 0.025))
    assert look.outcome == "met"  # less is better


def test_a_mean_needs_its_scale():
    rng = np.random.default_rng(5)
    new, old = rng.uniform(0, 5, (2, 50))
    with pytest.raises(InvalidInputError, match="needs its scale") as caught:
        watch(new, old, metric="mean")
    assert "scale=" in caught.value.hint
    look = watch(new, old, metric="mean", scale=(0, 5))
    assert tuple(look.interval) == near(bounds(new - old, np.ones(50), Interval(-5.0, 5.0), 0.025))
    within = watch(new / 5, old / 5, metric="mean")
    assert tuple(within.interval) == near(Interval(look.interval.low / 5, look.interval.high / 5))


def test_repeats_of_an_item_count_as_its_mean_and_must_be_as_many_for_each():
    truth, ids = np.ones(60, dtype=int), np.repeat(np.arange(20), 3)
    new, old = (np.random.default_rng(seed).integers(0, 2, 60) for seed in (6, 7))
    look = watch(truth, new, old, cluster=ids, metric="accuracy")
    each = (new - old).reshape(20, 3).mean(axis=1)
    assert (look.n, look.n_items) == (20, 60)
    assert tuple(look.interval) == near(bounds(each, np.ones(20), Interval(-1.0, 1.0), 0.025))
    assert tuple(watch(new, old, cluster=ids, metric="mean").interval) == near(look.interval)
    with pytest.raises(DataError, match="2 to 3 items"):
        watch(truth[1:], new[1:], old[1:], cluster=ids[1:], metric="accuracy")


def test_weights_separate_tables_and_any_of_labels_are_refused():
    y, new, old = [0, 1, 1, 0] * 20, [0, 1, 0, 0] * 20, [0, 1, 1, 1] * 20
    with pytest.raises(InvalidInputError, match="have weights"):
        watch(y, new, old, sample_weight=np.arange(1, 81))
    with pytest.raises(InvalidInputError, match="separate test sets"):
        watch(rw.Outcomes.from_confusion([[40, 5], [6, 50]]), rw.Outcomes.from_confusion([[40, 5], [6, 50]]))
    with pytest.raises(InvalidInputError, match="labels"):
        watch([[1, 0], [0, 1]] * 9, [[1, 0], [1, 1]] * 9, [[1, 1], [0, 1]] * 9, metric="accuracy")


def test_items_may_only_be_added():
    look = watch(TABLE)
    later = watch(TABLE + TABLE, before=look)
    assert later.n_items == 2 * look.n_items
    assert watch(TABLE, before=look).interval == look.interval
    with pytest.raises(DataError, match="700 items of the look before are gone or changed: 1,400 then, 700 now"):
        watch(TABLE, before=later)
    changed = rw.Outcomes.from_pairs(positive=(300, 24, 19, 9), negative=PAIRS["negative"], names=["new", "old"])
    with pytest.raises(DataError, match="1 item of the look before is gone or changed"):
        watch(changed, before=look)
    with pytest.raises(InvalidInputError, match="`before` is a look at accuracy, new and old"):
        watch(TABLE, before=look, metric="error")
    with pytest.raises(InvalidInputError, match="`before` must be the look before this one; got 'look'"):
        watch(TABLE, before="look")


def test_a_label_that_comes_later_changes_no_item():
    first = watch(["a", "b"] * 30, ["a", "a"] * 30, ["b", "b"] * 30)
    later = watch([*["a", "b"] * 30, "0"], [*["a", "a"] * 30, "0"], [*["b", "b"] * 30, "0"], before=first)
    assert later.n == 61


def test_scores_may_only_be_added_too():
    new, old = [0.1, 0.5, 0.9, 0.5] * 10, [0.2, 0.4, 0.9, 0.6] * 10
    look = watch(new, old, metric="mean")
    assert watch([*new, 0.3], [*old, 0.3], metric="mean", before=look).n == 41
    with pytest.raises(DataError, match="1 item of the look before"):
        watch([0.2, *new[1:]], old, metric="mean", before=look)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"require": "worse", "margin": 0.1}, "`require` must be one of not-worse, better, equivalent; got 'worse'"),
        ({"require": "not-worse"}, "needs `margin`"),
        ({"require": "equivalent"}, "needs `margin`"),
        ({"require": "equivalent", "margin": 0}, "needs a `margin` above 0"),
        ({"margin": -0.1}, "at least 0; got -0.1"),
        ({"margin": math.nan}, "at least 0; got nan"),
        ({"rope": 0.1}, "no parameter 'rope'"),
        ({"require": 3}, "`require` must be a text; got 3"),
    ],
)
def test_what_is_required_must_be_clear(asked, message):
    with pytest.raises(InvalidInputError, match=message):
        watch(TABLE, **asked)


def test_a_look_says_the_same_in_json_text_and_lines():
    look = watch(TABLE, require="not-worse", margin=0.05)
    data = json.loads(look.to_json())
    assert data == look.to_dict()
    assert data["gate"] == {"require": "not-worse", "margin": 0.05, "region": [-0.05, None], "outcome": "met"}
    assert data["interval"] == [look.interval.low, look.interval.high]
    assert (data["n"], data["n_items"], data["error"]) == (700, 700, 0.025)
    assert data["delta"]["observed"] == pytest.approx(10 / 700)
    text = look.to_text(width=100)
    assert text.startswith("Met: new is not worse by more than 5 points")
    assert "bounded outcome only" in text
    assert head_line(look, str) == "accuracy of new − old in points; required: new not worse by more than 5 points"
    assert look_line(look).startswith("700 items  plain +1.")
    assert look_line(look).endswith("bounded [−3.1, +6.0] MET")
    assert repr(look) == "Look(new not-worse than old: 700 items, [-0.03075, 0.06009], met)"
    assert "contradicted" not in look.to_html()
    assert "[−3.1, +6.0] at every look" in look.sentence()


def test_names_of_a_look_are_hostile_until_escaped():
    name = 'a|b_<script>alert("x")</script>\n{%}\u202e'
    look = watch(TABLE.rename([name, "old"]))
    assert "<script>alert" not in look.to_html()
    assert "\n" not in head_line(look, lambda text: "name")
    assert "\u202e" not in str(look) + repr(look) + look.to_json()
