"""Names of metrics: each is a metric like any other, found in one table, and printed as it was given."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import UnknownNameError
from ropewalk.metrics import METRICS, SCORE_METRICS, parse_metric
from ropewalk.metrics.scores import parse_score_metric

pytestmark = pytest.mark.usefixtures("silent")

SAME = {
    "acc": "accuracy", "ppv": "precision", "sensitivity": "recall", "tpr": "recall", "tnr": "specificity",
    "macro_sensitivity": "macro_recall", "weighted_ppv": "weighted_precision",
}  # fmt: skip
SAME_OF_SCORES = {
    "auc": "roc_auc", "auroc": "roc_auc", "ap": "average_precision", "auprc": "pr_auc", "logloss": "log_loss",
    "brier_score": "brier",
}  # fmt: skip


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_of_labels_has_the_name_that_finds_it(name):
    assert parse_metric(name).name == name


@pytest.mark.parametrize("name", SCORE_METRICS)
def test_a_metric_of_scores_has_the_name_that_finds_it(name):
    assert parse_score_metric(name).name == name


@pytest.mark.parametrize(("name", "usual"), SAME.items())
def test_another_name_gives_the_same_answer_under_that_name(table, name, usual):
    mine, theirs = (rw.compare(table, metric=metric, rope=0.05, draws=500, rng=0) for metric in (name, usual))
    assert np.array_equal(mine.draws.psi, theirs.draws.psi)
    assert mine.decision.symbol == theirs.decision.symbol
    assert mine.metric == mine.to_dict()["metric"] == name
    assert usual.replace("_", " ") not in str(mine)
    assert rw.evaluate(table, "nb_mult", metric=[name, usual], draws=100, rng=0)[name].metric.name == name
    assert rw.rank(table, metric=name, draws=100, rng=0).metric == name


@pytest.mark.parametrize(("name", "usual"), SAME_OF_SCORES.items())
def test_so_it_is_of_scores(rng, name, usual):
    y = rng.integers(0, 2, 60)
    scores = [np.clip(0.3 * y + 0.7 * rng.random(60), 0.01, 0.99) for _ in range(2)]
    mine, theirs = (rw.compare(y, *scores, metric=metric, draws=200, rng=0) for metric in (name, usual))
    assert np.array_equal(mine.draws.psi, theirs.draws.psi)
    assert mine.metric == json.loads(mine.to_json())["metric"] == name
    assert (mine.tests is None) == (theirs.tests is None)


def test_an_average_over_classes_keeps_the_name(rng):
    y = rng.integers(0, 3, 90)
    scores = rng.dirichlet(np.ones(3), 90)
    assert rw.compare(y, scores, scores[::-1], metric="auc", draws=50, rng=0).metric == "macro_auc"
    labels = [rng.integers(0, 3, 90) for _ in range(2)]
    assert rw.compare(y, *labels, metric="macro_tpr", draws=50, rng=0).metric == "macro_tpr"


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("acx", "acc"), ("accurcy", "accuracy"), ("accuracy_score", "accuracy"), ("sens", "sensitivity"),
        ("pvp", "ppv"), ("lrplus", "lr_plus"), ("lr_minis", "lr_minus"), ("youdens", "youden"), ("mc", "mcc"),
        ("fdrr", "fdr"), ("macro_ppvv", "macro_ppv"),
    ],
)  # fmt: skip
def test_a_slip_near_a_short_name_is_found(slip, meant):
    with pytest.raises(UnknownNameError) as caught:
        parse_metric(slip)
    assert f"did you mean {meant!r}?" in caught.value.hint


def test_a_slip_near_auc_is_one_of_scores(rng):
    y, scores = np.arange(40) % 2, rng.random((2, 40))
    with pytest.raises(UnknownNameError, match="did you mean 'auc'"):
        rw.compare(y, *scores, metric="aucc")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("f1_score", "f1"),
        ("accuracy_score", "accuracy"),
        ("f1_macro", "macro_f1"),
        ("recall_weighted", "weighted_recall"),
        ("matthews_corrcoef", "mcc"),
        ("cohen_kappa_score", "kappa"),
        ("true positive rate", "tpr"),
        ("Positive Predictive Value", "ppv"),
    ],
)
def test_names_of_scikit_learn_and_full_words_are_understood(typed, meant):
    with pytest.raises(UnknownNameError, match=f"did you mean '{meant}'"):
        parse_metric(typed)


@pytest.mark.parametrize("typed", ["f1,recall", np.array(["f1", "recall"]), {"f1", "recall"}])
def test_several_metrics_are_a_list(table, typed):
    with pytest.raises(UnknownNameError, match="several metrics are a list"):
        rw.compare(table, metric=typed)
