"""`evaluate`: the posterior of one classifier's metrics against a bar."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.errors import InvalidInputError, PosLabelError
from support import assert_names_one_of

CONFUSION = [[440, 50], [75, 360]]


@pytest.fixture
def one():
    return rw.Outcomes.from_confusion(CONFUSION, name="svm")


def test_recall_against_a_bar_is_a_beta_tail(one):
    e = rw.evaluate(one, metric="recall", at_least=0.80, rng=0, draws=200_000)
    exact = stats.beta(361, 76).sf(0.80)  # Beta(1, 1) and 360 of 435
    assert abs(e["recall"].prob_at_least - exact) <= 5 * np.sqrt(exact * (1 - exact) / 200_000)
    assert e["recall"].decision is None  # no verdict without a ROPE


def test_a_list_of_metrics_shares_the_draws(one):
    both = rw.evaluate(one, metric=["accuracy", "f1"], rng=0, draws=1_000)
    alone = rw.evaluate(one, metric="f1", rng=0, draws=1_000)
    assert np.array_equal(both["f1"].draws.psi, alone["f1"].draws.psi)
    assert [m["metric"] for m in both.to_dict()["metrics"]] == ["accuracy", "f1"]
    with pytest.raises(KeyError, match=r"no 'mcc' here\.\nHint: There are: "):
        both["mcc"]


@pytest.mark.parametrize(("bar", "symbol"), [(0.5, "≫"), (0.95, "≪"), (0.84, "<"), (0.81, ">"), (0.75, "≫")])
def test_the_verdict_against_a_bar(one, bar, symbol):
    """Recall is Beta(361, 76): mean .826, 95% HDI about [.790, .861]."""
    e = rw.evaluate(one, metric="recall", at_least=bar, rope=0.005, rng=0)
    assert e["recall"].decision.symbol == symbol
    assert sum(e.to_dict()["metrics"][0]["regions"].values()) == pytest.approx(1)


def test_practically_at_the_bar():
    many = rw.Outcomes.from_confusion([[80_000, 20_000], [20_000, 80_000]])
    e = rw.evaluate(many, metric="recall", at_least=0.8, rope=0.01, rng=0)
    assert e["recall"].decision.symbol == "≈"
    assert "at the bar of 0.8" in e["recall"].decision.text


def test_less_is_better_against_a_bar(one):
    """An error of 0.135 is better than a bar of 0.5: ≫, although P(error ≥ 0.5) is nil."""
    e = rw.evaluate(one, metric="error", at_least=0.5, rope=0.01, rng=0)
    assert e["error"].decision.symbol == "≫"
    assert e["error"].prob_at_least == 0
    assert e["error"].regions.below == 1


def test_every_form_of_input(frame, one):
    y = [0] * 490 + [1] * 435
    p = [0] * 440 + [1] * 50 + [0] * 75 + [1] * 360
    options = {"metric": "f1", "rng": 0, "draws": 500}
    expected = rw.evaluate(one, "svm", **options).to_dict()
    assert rw.evaluate(y, p, name="svm", **options).to_dict() == expected
    assert rw.evaluate(frame({"y": y, "svm": p}), "svm", truth="y", **options).to_dict() == expected


def test_the_contract_of_the_json(one):
    told = rw.evaluate(one, metric=["f1"], at_least=0.8, rng=0, draws=500).to_dict()
    assert told["schema"] == 1
    assert set(told["metrics"][0]) >= {"metric", "observed", "mean", "std", "hdi", "prob_at_least"}


def test_a_class_that_is_never_predicted_is_reported_wherever_its_metric_stands():
    for metrics in (["precision", "accuracy"], ["accuracy", "precision"]):
        with pytest.warns(rw.errors.RopewalkWarning):
            e = rw.evaluate([1, 0] * 50, [0] * 100, metric=metrics, rng=0, draws=2_000)
        assert any("never predicts '1'" in warning for warning in e.warnings)


def test_the_json_names_the_positive_class_if_any_metric_has_one(one):
    told = rw.evaluate(one, metric=["accuracy", "f1"], rng=0, draws=2_000).to_dict()
    assert told["pos_label"] == "1"


def test_one_of_many_classes(news):
    e = rw.evaluate(news.outcomes, "svm_l2", metric=["f1", "recall"], pos_label=8, rng=0, draws=5_000)
    truth, predicted = news.y_true == 8, news.predictions["svm_l2"] == 8
    assert e["recall"].estimate.observed == (truth & predicted).sum() / truth.sum()
    assert abs(e["recall"].estimate.mean - (1 + (truth & predicted).sum()) / (2 + truth.sum())) < 0.002


@pytest.mark.parametrize(
    "options",
    [
        {"metric": []},
        {"at_least": float("nan")},
        {"at_least": "0.8"},
        {"at_least": 80},
        {"rope": 0.01},
        {"model": "paired"},
        {"metric": "nothing"},
        {"draws": 0},
    ],
)
def test_a_wrong_call_is_refused(one, options):
    with pytest.raises(InvalidInputError) as refused:
        rw.evaluate(one, **options)
    assert_names_one_of(refused.value, options)


def test_many_labels_need_a_class(news):
    with pytest.raises(PosLabelError, match="is about one class"):
        rw.evaluate(news.outcomes, "svm_l2", metric="f1")
    with pytest.raises(InvalidInputError, match="Name 1 of the 4"):
        rw.evaluate(news.outcomes, metric="f1", pos_label=8)


def test_of_two_metrics_with_one_name_the_first_is_found(silent):
    e = rw.evaluate([1, 0] * 40, [1, 0] * 40, metric=["accuracy", "accuracy"], rng=0, draws=50)
    assert e["accuracy"] is e.metrics[0]
    assert e.metrics[0] is not e.metrics[1]
