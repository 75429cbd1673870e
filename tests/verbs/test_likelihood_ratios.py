"""Predictive values, likelihood ratios and Youden's J: what they are, and what a ratio without bound cannot say."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.inference.bearing import LEAST_DIVISOR, LEAST_FOR_MEAN, have_means
from ropewalk.metrics import parse_metric
from ropewalk.metrics.resolve import leans_on_one_class

pytestmark = pytest.mark.usefixtures("silent")

DRAWS = {"draws": 2_000, "rng": 0}


def predictions(tp, fn, fp, tn):
    """Return predictions with these counts, whose first tp + fn items are positive."""
    return np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])


def pair(fp_a, fp_b=20, *, tn=100):
    """Return a truth of 50 positives, and two classifiers with so many false positives."""
    y = np.repeat([1, 0], [50, tn])
    return y, predictions(40, 10, fp_a, tn - fp_a), predictions(35, 15, fp_b, tn - fp_b)


def asked(metric, fp_a, fp_b=20, **options):
    return rw.compare(*pair(fp_a, fp_b), metric=metric, **{"rope": 1.0} | DRAWS | options)


# -- what they are -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_odds_after_a_prediction_are_the_odds_before_it_times_the_ratio(share):
    """Bayes' rule, draw for draw, at any class mix."""
    data = pair(10)
    psi = {
        metric: rw.compare(*data, metric=metric, prevalence=share, model="tree", **DRAWS).draws.psi
        for metric in ("lr_plus", "lr_minus", "ppv", "npv")
    }
    odds = share / (1 - share)
    assert np.allclose(psi["ppv"] / (1 - psi["ppv"]), odds * psi["lr_plus"])
    assert np.allclose((1 - psi["npv"]) / psi["npv"], odds * psi["lr_minus"])


@pytest.mark.parametrize("fp", [1, 20])
def test_j_is_balanced_accuracy_on_another_scale(fp):
    """The prior, the model and the verdict are the same: 2 BA − 1."""
    data = pair(fp)
    j = rw.compare(*data, metric="youden", rope=0.1, **DRAWS)
    balanced = rw.compare(*data, metric="balanced_accuracy", rope=0.05, **DRAWS)
    assert np.allclose(j.draws.psi, 2 * balanced.draws.psi - 1)
    assert j.recipe.model == balanced.recipe.model
    assert j.regions == balanced.regions
    assert j.decision.symbol == balanced.decision.symbol


def test_the_false_discovery_rate_is_what_precision_leaves():
    data = pair(10)
    precision, fdr = (rw.compare(*data, metric=metric, rope=0.05, **DRAWS) for metric in ("precision", "fdr"))
    assert np.allclose(precision.draws.psi, 1 - fdr.draws.psi)
    assert precision.decision.symbol == fdr.decision.symbol
    assert not fdr.recipe.metric.higher_is_better


@pytest.mark.parametrize("counts", [(900, 100), (500, 500), (100, 900)])
def test_a_metric_leans_on_a_class_as_its_counterpart_does(counts):
    def leans(name, items):
        return leans_on_one_class(parse_metric(name).at(1), items)

    assert leans("youden", counts) == leans("balanced_accuracy", counts)
    assert leans("ppv", counts) == leans("fdr", counts) == leans("precision", counts)
    assert leans("npv", counts) == leans("precision", counts[::-1])
    assert leans("lr_plus", counts)
    assert leans("lr_minus", counts)


def test_the_mean_of_a_ratio_is_that_of_its_two_betas():
    """Under uniform priors recall and false positive rate are independent Betas, and E[1 / FPR] is a closed form."""
    tp, fn, fp, tn = 40, 10, 12, 88
    table = rw.Outcomes.from_confusion([[tn, fp], [fn, tp]])
    drawn = rw.evaluate(table, metric="lr_plus", model="sigir2016_unpaired", draws=50_000, rng=1)["lr_plus"]
    rate, miss = stats.beta(1 + fp, 1 + tn), stats.beta(1 + tp, 1 + fn)
    mean = miss.mean() * (1 + fp + tn) / fp
    assert abs(drawn.estimate.mean - mean) < 5 * drawn.estimate.mc_error
    grid = (np.arange(2_000) + 0.5) / 2_000
    below = rate.sf(miss.ppf(grid) / 8.0).mean()  # P(recall / FPR < 8)
    assert (drawn.draws.psi < 8).mean() == pytest.approx(below, abs=5 * math.sqrt(below * (1 - below) / 50_000))


# -- what has no mean ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("fp", [0, LEAST_FOR_MEAN - 1, LEAST_FOR_MEAN, LEAST_DIVISOR - 1, LEAST_DIVISOR])
def test_few_false_positives_have_no_verdict_and_fewer_no_mean(fp, swapped):
    r = asked("lr_plus", *((20, fp) if swapped else (fp, 20)))
    finite = fp >= LEAST_FOR_MEAN
    assert have_means(r.recipe, 2) == ((True, finite) if swapped else (finite, True))
    assert math.isnan(r.mean) == (not finite)
    assert r.hdi.low < r.hdi.high < math.inf
    assert (r.decision is None) == (fp < LEAST_DIVISOR) == (f"has {fp} false positive" in r.no_verdict)


def test_an_infinite_ratio_is_written_as_one():
    r = asked("lr_plus", 0)
    assert r.estimate_a.observed == math.inf
    written = json.loads(json.dumps(r.to_dict(), allow_nan=False))
    assert [written["a"][key] for key in ("observed", "mean", "std")] == [None] * 3
    assert written["b"]["mean"] is not None
    assert written["stakes"] is None
    assert "∞" in str(r)
    assert "LR+ is higher with probability >99%: by [" in r.sentence()
    for text in (str(r), repr(r), r.sentence(), r.to_markdown(), r.to_latex(), r.to_html(), r._repr_html_()):
        assert "nan" not in text.replace("dominan", "")


def test_without_a_rope_a_remark_says_that_there_is_no_mean():
    assert [remark.code for remark in asked("lr_plus", 2, rope=None).remarks] == ["no_mean"]
    assert [remark.code for remark in asked("lr_plus", 2).remarks] == ["no_verdict"]
    assert "no_mean" not in [remark.code for remark in asked("lr_plus", 8, rope=None).remarks]


def test_what_is_divided_by_true_negatives_needs_them():
    y = np.repeat([1, 0], [50, 10])
    all_positive = predictions(50, 0, 7, 3)
    r = rw.compare(y, all_positive, predictions(40, 10, 2, 8), metric="lr_minus", rope=0.5, **DRAWS)
    assert "A has 3 true negatives" in r.no_verdict
    none = rw.compare(y, np.ones(60, dtype=int), predictions(40, 10, 2, 8), metric="lr_minus", labels=[0, 1], **DRAWS)
    assert none.estimate_a.observed == 0
    assert any("predicts nothing but '1': its observed lr_minus is 0/0" in text for text in none.warnings)


def test_a_class_that_is_never_predicted_has_no_observed_predictive_value():
    y = np.repeat([1, 0], [20, 30])
    for metric, constant, said in (("ppv", 0, "never predicts '1': its observed ppv"),
                                   ("npv", 1, "predicts nothing but '1': its observed npv"),
                                   ("lr_plus", 0, "never predicts '1': its observed lr_plus")):  # fmt: skip
        r = rw.compare(y, np.full(50, constant), y, metric=metric, **DRAWS)
        assert r.estimate_a.observed == 0
        assert any(f"{said} is 0/0 and counts 0" in text for text in r.warnings)
    for metric in ("youden", "specificity", "recall"):
        warned = rw.compare(y, np.zeros(50, dtype=int), y, metric=metric, labels=[0, 1], **DRAWS).remarks
        assert "class_never_predicted" not in [remark.code for remark in warned]


def test_clusters_count_as_often_as_they_hold_some():
    data = pair(12)
    negative = np.flatnonzero(pair(12)[0] == 0)
    cluster = np.arange(150)
    cluster[negative[:12]] = negative[0]  # all false positives of A are in one
    r = rw.compare(*data, metric="lr_plus", rope=1.0, cluster=cluster, **DRAWS)
    assert have_means(r.recipe, 2) == (False, True)
    assert "A has them in 1 cluster" in r.no_verdict


def test_a_ranking_says_what_it_can():
    y, few, some = pair(0)
    r = rw.rank(y, {"few": few, "some": some, "more": predictions(30, 20, 30, 70)}, metric="lr_plus", rope=0.5, **DRAWS)
    assert [pair.decision is None for pair in r.pairwise] == [True, True, False]
    assert all(model["expected_loss"] is None for model in json.loads(r.to_json())["models"])
    assert "picking few costs – on average" in str(r)
    assert r.by_rank[0].name == "few"
    fine = rw.rank(y, {"a": predictions(40, 10, 10, 90), "b": some, "c": few | some}, metric="lr_plus", **DRAWS)
    assert all(model.expected_loss >= 0 for model in fine.models)
    assert all(model.estimate.hdi.low > 0 for model in fine.models)


def test_against_a_bar():
    y, few, some = pair(1)
    said = [rw.evaluate(y, x, metric="lr_plus", at_least=2, rope=0.5, **DRAWS)["lr_plus"] for x in (few, some)]
    assert [posterior.decision is None for posterior in said] == [True, False]
    assert said[0].prob_at_least > 0.95


@pytest.mark.parametrize("metric", ["npv", "lr_plus", "lr_minus", "youden", "fdr"])
def test_planning_takes_them(metric):
    values = {"npv": (0.9, 0.85), "lr_plus": (8, 5), "lr_minus": (0.2, 0.4), "youden": (0.7, 0.6), "fdr": (0.2, 0.3)}
    a, b = values[metric]
    rope = 1.0 if metric == "lr_plus" else 0.05
    scenario = rw.planning.MetricScenario(metric=metric, a=a, b=b, agreement=0.8)
    power = rw.power(scenario, n=[60, 300], rope=rope, simulations=30, draws=200, rng=0)
    assert power.design.delta == pytest.approx(a - b)
    if metric == "lr_plus":  # 30 negatives of 60 items have fewer than five false positives
        assert power.rows[0].no_verdict > 0.3


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_a_ratio_has_no_average(average):
    with pytest.raises(UnknownNameError, match="may be infinite"):
        parse_metric(f"{average}_lr_plus")
    with pytest.raises(InvalidInputError, match="about one class") as caught:
        rw.compare([0, 1, 2], [0, 1, 1], [0, 2, 2], metric="lr_plus")
    assert "macro" not in caught.value.hint


def test_the_bootstrap_knows_of_no_other_errors():
    with pytest.raises(DataError, match="lr_plus of A is infinite"):
        asked("lr_plus", 0, model="bootstrap")
    assert asked("lr_plus", 9, model="bootstrap").mean < math.inf


def test_what_a_ratio_without_bound_cannot_do():
    y, few, some = pair(0)
    with pytest.raises(InvalidInputError, match="may be infinite"):
        rw.curves.threshold(y, few + np.linspace(0, 0.5, y.size), metric="lr_plus", draws=50)
    with pytest.raises(InvalidInputError, match="may be infinite"):
        rw.classical.permutation(y, few, some, metric="lr_plus", rng=0)
    three = [np.append(x, [2, 2]) for x in (y, few, some)]
    with pytest.raises(InvalidInputError, match="cannot be pooled"):
        rw.compare_classes(*three, metric="lr_plus", pool=True, draws=50, rng=0)
    assert asked("lr_plus", 9).bayes_factor.sd is None
    assert "standard deviation" in asked("lr_plus", 9).bayes_factor.reason
