"""Metrics against scikit-learn and against their definitions."""

from __future__ import annotations

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ropewalk as rw
from ropewalk.errors import InvalidInputError, PosLabelError, UnknownNameError
from ropewalk.metrics import METRICS, Cells, Weighted, cost, fbeta, margins, parse_metric
from ropewalk.models import observed_psi
from strategies import confusions
from support import need

skm = need("sklearn.metrics")


def likelihood_ratio(y, p, which):
    """Return LR+ or LR− of scikit-learn, which has no value where it divides by nothing: 0/0 counts 0 here."""
    if len(set(y)) < 2:
        return 0.0
    over = {"LR+": (1, 1), "LR-": (1, 0)}[which]  # what is infinite over no false positive, or no true negative
    endless = math.inf if over in set(zip(y, p, strict=True)) else 0.0
    undefined = {"LR+": math.inf, "LR-": 0.0} | {which: math.nan}
    value = skm.class_likelihood_ratios(y, p, labels=[0, 1], replace_undefined_by=undefined)[which == "LR-"]
    return endless if math.isnan(value) else value


SKLEARN = {
    "accuracy": skm.accuracy_score,
    "acc": skm.accuracy_score,
    "error": lambda y, p: 1 - skm.accuracy_score(y, p),
    "precision": lambda y, p: skm.precision_score(y, p, zero_division=0),
    "ppv": lambda y, p: skm.precision_score(y, p, zero_division=0),
    "npv": lambda y, p: skm.precision_score(y, p, pos_label=0, zero_division=0),
    "fdr": lambda y, p: 1 - skm.precision_score(y, p) if 1 in p else 0.0,
    "youden": lambda y, p: (
        skm.balanced_accuracy_score(y, p, adjusted=True) if len(set(y)) == 2 else skm.accuracy_score(y, p) - 1
    ),
    "lr_plus": lambda y, p: likelihood_ratio(y, p, "LR+"),
    "lr_minus": lambda y, p: likelihood_ratio(y, p, "LR-"),
    "recall": lambda y, p: skm.recall_score(y, p, zero_division=0),
    "sensitivity": lambda y, p: skm.recall_score(y, p, zero_division=0),
    "tpr": lambda y, p: skm.recall_score(y, p, zero_division=0),
    "specificity": lambda y, p: skm.recall_score(y, p, pos_label=0, zero_division=0),
    "tnr": lambda y, p: skm.recall_score(y, p, pos_label=0, zero_division=0),
    "fpr": lambda y, p: 1 - skm.recall_score(y, p, pos_label=0) if 0 in y else 0.0,
    "fnr": lambda y, p: 1 - skm.recall_score(y, p) if 1 in y else 0.0,
    "f1": lambda y, p: skm.f1_score(y, p, zero_division=0),
    "fbeta(2)": lambda y, p: skm.fbeta_score(y, p, beta=2, zero_division=0),
    "fbeta(0.5)": lambda y, p: skm.fbeta_score(y, p, beta=0.5, zero_division=0),
    "fbeta(0)": lambda y, p: skm.precision_score(y, p, zero_division=0),
    "balanced_accuracy": lambda y, p: skm.recall_score(y, p, average="macro", labels=[0, 1], zero_division=0),
    "gmean": lambda y, p: np.prod(skm.recall_score(y, p, average=None, labels=[0, 1], zero_division=0)) ** 0.5,
    "jaccard": lambda y, p: skm.jaccard_score(y, p, zero_division=0),
    "mcc": skm.matthews_corrcoef,
    "kappa": lambda y, p: np.nan_to_num(skm.cohen_kappa_score(y, p)),
}


def items(matrix):
    pairs = [(i, j) for i in range(len(matrix)) for j in range(len(matrix)) for _ in range(matrix[i][j])]
    return [i for i, _ in pairs], [j for _, j in pairs]


def observed(matrix, name, **options):
    metric = parse_metric(name, **options)
    return observed_psi([rw.Outcomes.from_confusion(matrix)], metric.at(len(matrix) - 1))[0]


@pytest.mark.parametrize("name", SKLEARN)
@given(matrix=confusions)
def test_binary_metrics_equal_scikit_learn_on_the_observed_counts(name, matrix):
    assume(matrix.sum() > 0)
    truth, predicted = items(matrix.tolist())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = SKLEARN[name](truth, predicted)
    assert observed(matrix, name) == pytest.approx(expected, abs=1e-9)


def test_every_metric_of_the_list_has_been_compared():
    assert set(METRICS) <= set(SKLEARN)


multiclass = hnp.arrays(np.int64, (4, 4), elements=st.integers(0, 30))


@given(matrix=multiclass)
def test_averages_and_table_metrics_of_many_classes_equal_scikit_learn(matrix):
    assume((matrix.sum(axis=1) > 0).all())
    truth, predicted = items(matrix.tolist())
    for average in ("micro", "macro", "weighted"):
        options = {"average": average, "zero_division": 0, "labels": range(4)}
        assert observed(matrix, f"{average}_f1") == pytest.approx(skm.f1_score(truth, predicted, **options))
        assert observed(matrix, f"{average}_precision") == pytest.approx(
            skm.precision_score(truth, predicted, **options)
        )
        assert observed(matrix, f"{average}_jaccard") == pytest.approx(skm.jaccard_score(truth, predicted, **options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert observed(matrix, "balanced_accuracy") == pytest.approx(skm.balanced_accuracy_score(truth, predicted))
        assert observed(matrix, "mcc") == pytest.approx(skm.matthews_corrcoef(truth, predicted), abs=1e-9)
        assert observed(matrix, "kappa") == pytest.approx(skm.cohen_kappa_score(truth, predicted), abs=1e-9)


@given(matrix=multiclass)
def test_cost_is_the_mean_cost_of_an_item(matrix):
    assume(matrix.sum() > 0)
    costs = np.arange(16).reshape(4, 4) - 3
    expected = (matrix * costs).sum() / matrix.sum()
    assert observed(matrix, "cost", cost_matrix=costs) == pytest.approx(expected)


def test_metrics_work_on_many_draws_and_classifiers_at_once(rng):
    o = rw.Outcomes.from_arrays(*rng.integers(0, 3, (4, 500)))
    weights = rng.random((len(o.codes), 7))
    drawn = Weighted(Cells(o.codes, 3), weights)
    for name in ("macro_f1", "accuracy", "mcc", "kappa", "gmean", "weighted_recall", "micro_specificity"):
        whole = parse_metric(name)(drawn)
        assert whole.shape == (3, 7)
        single = [parse_metric(name)(Weighted(Cells(o.codes, 3), weights[:, [d]]))[:, 0] for d in range(7)]
        assert np.allclose(whole.T, single)


def test_prevalence_reweights_the_classes_and_nothing_else():
    matrix = np.array([[80, 20], [3, 7]])
    drawn = Weighted(Cells(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), 2), matrix.reshape(-1, 1).astype(float))
    moved = drawn.at_prevalence(np.array([0.5, 0.5]))
    margins = moved.margins()
    assert margins.row[0].tolist() == pytest.approx([0.5, 0.5])
    assert parse_metric("recall").at(1)(moved)[0, 0] == pytest.approx(0.7)
    assert parse_metric("precision").at(1)(moved)[0, 0] == pytest.approx(0.35 / (0.35 + 0.1))


def test_a_function_is_a_metric(table):
    def youden(margins):
        recalls = margins.tp / margins.row
        return recalls.sum(axis=-1) - 1

    mine = rw.compare(table, metric=youden, draws=500, rng=0)
    theirs = rw.compare(table, metric="balanced_accuracy", draws=500, rng=0)
    assert np.allclose(mine.draws.psi, 2 * theirs.draws.psi - 1)
    assert mine.metric == "youden"


def test_fbeta_objects_equal_their_names(table):
    by_name = rw.compare(table, metric="fbeta(2)", draws=100, rng=0)
    by_object = rw.compare(table, metric=rw.metrics.fbeta(2), draws=100, rng=0)
    assert np.array_equal(by_name.draws.psi, by_object.draws.psi)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("f2", "did you mean 'fbeta(2)'"),
        ("accurcy", "did you mean 'accuracy'"),
        ("macro_accuracy", "no macro average"),
        ("fbeta(-1)", "at least 0"),
        ("fbeta(x)", "Unknown metric"),
        ("fbeta(1e)", "Unknown metric"),
        ("", "Unknown metric"),
        ("cost", "needs a cost matrix"),
        (3, "must be a name"),
    ],
)
def test_an_unknown_metric_lists_the_known_ones(name, told):
    with pytest.raises(InvalidInputError, match=re.escape(told)) as caught:
        parse_metric(name)
    if isinstance(caught.value, UnknownNameError) and "Unknown" in told:
        assert "balanced_accuracy" in caught.value.hint or "fbeta" in caught.value.hint


@pytest.mark.parametrize("matrix", [[[0, 1]], [[0, 1], [1]], [["a", 1], [1, 0]], [[0, float("nan")], [1, 0]], [], 3])
def test_a_bad_cost_matrix_is_refused(matrix):
    with pytest.raises(InvalidInputError, match="cost matrix"):
        cost(matrix)


def test_a_cost_matrix_of_the_wrong_size_and_a_stray_one(table):
    with pytest.raises(InvalidInputError, match="3 × 3"):
        rw.compare(table, metric="cost", cost_matrix=np.eye(3))
    with pytest.raises(InvalidInputError, match="goes with the metric"):
        rw.compare(table, metric="f1", cost_matrix=np.eye(2))


def test_costs_follow_the_order_of_the_labels_whatever_is_positive(silent):
    """Missing spam costs 1, losing ham costs 9: the same matrix, with either label as the positive one."""
    truth, a, b = ["ham", "ham", "spam", "spam"], ["ham", "spam", "spam", "spam"], ["ham", "ham", "ham", "spam"]
    costs = [[0, 9], [1, 0]]
    for positive in ("ham", "spam"):
        for options in ({"metric": "cost", "cost_matrix": costs}, {"metric": rw.metrics.cost(costs)}):
            r = rw.compare(truth, a, b, pos_label=positive, draws=10, rng=0, **options)
            assert r.estimate_a.observed == pytest.approx(9 / 4)
            assert r.estimate_b.observed == pytest.approx(1 / 4)


@pytest.mark.parametrize("beta", [1e3, 1e200])
def test_fbeta_of_a_huge_beta_is_recall(table, beta):
    huge = rw.compare(table, metric=fbeta(beta), draws=2_000, rng=0)
    recall = rw.compare(table, metric="recall", draws=2_000, rng=0)
    assert np.allclose(huge.draws.psi, recall.draws.psi, atol=1e-4)


@pytest.mark.parametrize("name", METRICS)
def test_a_single_label_leaves_nothing_to_get_wrong(name):
    assert observed([[7]], name) == float(METRICS[name].higher_is_better)


def test_metrics_that_go_wrong_say_so(table):
    with pytest.raises(InvalidInputError, match="shape"):
        rw.compare(table, metric=lambda m: m.tp, draws=10)
    with pytest.raises(InvalidInputError, match="NaN or infinity"):
        rw.compare(table, metric=lambda m: m.tp.sum(axis=-1) * np.nan, draws=10)
    with pytest.raises(InvalidInputError, match="must return numbers"):
        rw.compare(table, metric=lambda m: "good", draws=10)
    with pytest.raises(InvalidInputError, match="needs a kernel"):
        rw.metrics.Metric(name="x")
    with pytest.raises(InvalidInputError, match="finite number of at least 0"):
        fbeta(float("inf"))


def test_a_class_metric_needs_its_class(news):
    with pytest.raises(PosLabelError, match="20 labels"):
        rw.compare(news.outcomes, a="nb_mult", b="svm_l2", metric="f1")
    with pytest.raises(InvalidInputError, match="averages over all"):
        rw.compare(news.outcomes, a="nb_mult", b="svm_l2", metric="macro_f1", pos_label=8)


@pytest.mark.parametrize("few", [0, 10**6])
def test_sums_are_the_same_to_the_last_bit_by_numpy_and_by_scipy(monkeypatch, few):
    rng = np.random.default_rng(0)
    codes, weights = rng.integers(0, 5, (200, 3), dtype=np.int32), rng.standard_exponential((200, 50))
    sums = Cells(codes, 5).by_margin
    usual = sums @ weights
    monkeypatch.setattr(margins, "_FEW_ENTRIES", few)
    np.testing.assert_array_equal(sums @ weights, usual)
