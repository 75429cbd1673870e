"""Many classes: properties that must hold for any data, and the edges."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics as sk

import ropewalk as rw
from laws import assert_same_law
from ropewalk.metrics import parse_metric
from ropewalk.models import Flat, Icdm2015, Tree

pytestmark = pytest.mark.usefixtures("frugal_throughout")

MODELS = ["paired", "unpaired", "icdm2015", "flat"]


def sample(rng, n=200, m=5, skills=(0.8, 0.6)):
    y = rng.integers(0, m, n)
    return y, *(np.where(rng.random(n) < p, y, rng.integers(0, m, n)) for p in skills)


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_items_leaves_no_trace(rng, model, silent):
    y, a, b = sample(rng)
    order = rng.permutation(len(y))
    how = {"metric": "macro_f1", "model": model, "rng": 1, "draws": 1_000}
    one, other = rw.compare(y, a, b, **how), rw.compare(y[order], a[order], b[order], **how)
    assert (one.draws.psi == other.draws.psi).all()


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_classes_and_classifiers_holds_in_law(rng, model, silent):
    y, a, b = sample(rng, n=60)
    how = {"metric": "macro_f1", "model": model, "draws": 10_000}
    one = rw.compare(y, a, b, rng=1, **how)
    new = np.array([3, 0, 4, 1, 2])
    renamed = rw.compare(new[y], new[a], new[b], rng=2, **how)
    assert_same_law(one.draws.delta(), renamed.draws.delta(), errors=4.5)
    swapped = rw.compare(y, b, a, rng=3, **how)
    assert_same_law(one.draws.delta(), -swapped.draws.delta(), errors=4.5)


def test_merging_is_counting_together(rng):
    y, a, b = sample(rng)
    labels = range(5)
    whole = rw.Outcomes.from_arrays(y, a, b, labels=labels)
    parts = rw.Outcomes.from_arrays(y[:70], a[:70], b[:70], labels=labels) + rw.Outcomes.from_arrays(
        y[70:], a[70:], b[70:], labels=labels
    )
    how = {"metric": "macro_f1", "rng": 0, "draws": 1_000}
    assert (rw.compare(whole, **how).draws.psi == rw.compare(parts, **how).draws.psi).all()


@pytest.mark.parametrize("model", MODELS)
def test_more_draws_go_on_from_fewer_and_threads_change_nothing(news, model, silent):
    pair = news.outcomes.project(["nb_mult", "svm_l2"])
    how = {"metric": "macro_f1", "model": model, "rng": 5}
    few = rw.rank(pair, draws=333, **how).draws.psi
    many = rw.rank(pair, draws=1_200, threads=2, **how).draws.psi
    assert (few == many[:, :333]).all()


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@pytest.mark.parametrize(
    ("name", "theirs", "options"),
    [
        ("precision", sk.precision_score, {}),
        ("recall", sk.recall_score, {}),
        ("f1", sk.f1_score, {}),
        ("fbeta(2)", sk.fbeta_score, {"beta": 2}),
        ("jaccard", sk.jaccard_score, {}),
    ],
)
@pytest.mark.parametrize("classes", [None, [0, 3]])
def test_observed_averages_are_those_of_scikit_learn(rng, average, name, theirs, options, classes, silent):
    y, a, _ = sample(rng, n=90)
    e = rw.evaluate(y, a, metric=f"{average}_{name}", classes=classes, rng=0, draws=100)
    expected = theirs(y, a, average=average, labels=classes, zero_division=0, **options)
    assert e.metrics[0].estimate.observed == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("accuracy", sk.accuracy_score),
        ("balanced_accuracy", sk.balanced_accuracy_score),
        ("mcc", sk.matthews_corrcoef),
        ("kappa", sk.cohen_kappa_score),
    ],
)
def test_observed_table_metrics_are_those_of_scikit_learn(rng, name, theirs, silent):
    y, a, _ = sample(rng, n=90)
    assert rw.evaluate(y, a, metric=name, rng=0, draws=100)[name].estimate.observed == pytest.approx(theirs(y, a))


def test_the_cost_of_many_classes_is_the_trace(rng, silent):
    """Total cost = tr(CᵀA), per item."""
    y, a, _ = sample(rng)
    costs = rng.integers(0, 9, (5, 5)).astype(float)
    e = rw.evaluate(y, a, metric="cost", cost_matrix=costs, rng=0, draws=100)
    matrix = sk.confusion_matrix(y, a)
    assert e["cost"].estimate.observed == pytest.approx(np.trace(costs.T @ matrix) / len(y))


def test_the_posterior_of_a_cost_is_linear_in_it(rng, silent):
    """Cost 1 for every mistake is the error; with loose cells too."""
    y, a, b = sample(rng, n=30, m=8)
    costs = 1 - np.eye(8)
    how = {"rng": 0, "draws": 500}
    cost = rw.compare(y, a, b, metric="cost", cost_matrix=costs, **how).draws.psi
    error = rw.compare(y, a, b, metric="error", **how).draws.psi
    assert cost == pytest.approx(error, abs=1e-12)


def test_at_another_prevalence_recalls_stay_and_accuracy_follows(rng, silent):
    y, a, b = sample(rng, n=60)
    shares = [0.7, 0.1, 0.1, 0.05, 0.05]
    how = {"rng": 0, "draws": 500}
    moved = rw.compare(y, a, b, metric="accuracy", prevalence=shares, **how).draws.psi
    recalls = [rw.compare(y, a, b, metric=_recall_of(j), **how).draws.psi for j in range(5)]
    assert moved == pytest.approx(sum(s * r for s, r in zip(shares, recalls, strict=True)), abs=1e-9)


def _recall_of(j):
    def recall(m):
        return m.tp[..., j] / m.row[..., j]

    return recall


EDGES = {
    "all right": ([0, 1, 2, 2], [0, 1, 2, 2], [0, 1, 2, 2], None),
    "all wrong": ([0, 1, 2, 2], [1, 2, 0, 0], [2, 0, 1, 1], None),
    "only predicted": ([0, 1, 1, 0], [0, 1, 2, 0], [0, 1, 1, 1], None),
    "never predicted": ([0, 1, 2, 0], [0, 1, 1, 0], [0, 1, 1, 1], None),
    "empty class": ([0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 1, 1], [0, 1, 2, 3]),
    "one label": ([7, 7, 7], [7, 7, 7], [7, 7, 7], None),
    "no items": ([], [], [], [0, 1, 2]),  # the prior
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "metric",
    [
        *("macro_f1", "gmean", "mcc"),
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("accuracy", "kappa", "weighted_precision", "micro_recall")),
    ],
)
@pytest.mark.parametrize("edge", EDGES)
def test_the_edges_give_finite_answers(edge, model, metric, silent):
    y, a, b, labels = EDGES[edge]
    r = rw.compare(y, a, b, labels=labels, metric=metric, model=model, rope=0.1, rng=0, draws=400)
    parsed = parse_metric(metric)
    assert np.isfinite(r.draws.psi).all()
    assert parsed.low - 1e-12 <= r.draws.psi.min()
    assert r.draws.psi.max() <= parsed.high + 1e-12
    assert json.loads(r.to_json())["a"]["mean"] == r.estimate_a.mean
    if edge == "one label":
        assert (r.draws.psi == 1).all()
    if edge == "no items":
        assert r.delta.observed is None
        assert abs(r.mean) < 5 * r.delta.mc_error  # the prior favours nobody


@pytest.mark.parametrize("model", MODELS)
def test_without_items_the_average_recall_is_that_of_the_prior(model, silent):
    r = rw.compare([], [], [], labels=range(4), metric="balanced_accuracy", model=model, rng=0, draws=20_000)
    expected = {"paired": 1 / 2, "unpaired": 1 / 2, "icdm2015": 1 / 2, "flat": 1 / 4}[model]
    assert r.estimate_a.mean == pytest.approx(expected, abs=4.5 * r.estimate_a.mc_error)


def three_a_class(rng, n_labels):
    """Three items a class on average, and two classifiers far apart."""
    n = 3 * n_labels
    y = rng.integers(0, n_labels, n)
    return y, *(np.where(rng.random(n) < p, y, rng.integers(0, n_labels, n)) for p in (0.9, 0.6))


def test_a_thousand_classes(rng, silent):
    r = rw.compare(*three_a_class(rng, 1_000), metric="accuracy", rope=0.01, rng=0, draws=200)
    assert r.decision.symbol == "≫"
    assert r.mean == pytest.approx(r.delta.observed, abs=2 * r.std)


def test_fixed_masses_of_many_thin_classes_leave_too_much_to_the_prior(rng, silent):
    """Then mu weighs one pseudo-item a class, half of it right for either: 900 of 1,200 items speak."""
    fixed = rw.compare(
        *three_a_class(rng, 300), labels=range(300), metric="accuracy", model="tree", rope=0.01, rng=0, draws=600
    )
    assert fixed.mean == pytest.approx(fixed.delta.observed * 900 / 1_200, abs=0.02)
    assert fixed.decision is None
    assert any("The prior pulls" in told for told in fixed.warnings)


def test_large_tables_are_capped_by_work_and_say_so(monkeypatch, rng, silent):
    monkeypatch.setattr("ropewalk.inference.drawing.MAX_WORK", 1)
    monkeypatch.setattr("ropewalk.inference.drawing.MIN_LOOK", 2_000)
    y, a, b = sample(rng)
    r = rw.compare(y, a, b, metric="accuracy", rng=0)
    assert len(r.draws) == 2_000
    end = r.hdi.high
    shaky = rw.compare(y, a, b, metric="accuracy", rope=(-1, end), rng=0)
    assert not shaky.decision.stable
    assert any("2,000 draws" in note for note in shaky.notes)


def test_the_classes_behind_a_pull_are_named(rng):
    """Class 9 has two items, both right: the prior pulls its F1 down, and nothing else by much."""
    y = np.concatenate([rng.integers(0, 3, 3_000), [9, 9]])
    a = np.where(rng.random(3_002) < 0.97, y, 0)
    b = np.where(rng.random(3_002) < 0.96, y, 1)
    a[-2:] = b[-2:] = 9
    r = rw.compare(y, a, b, metric="macro_f1", model="tree", rng=0, draws=4_000)
    assert any("Most of it comes from '9' (2 items)" in told for told in r.notes)


def test_an_answer_that_is_missing_is_no_class_of_its_own(silent):
    y, a = ["x", "y", "z", "x"], ["x", None, "z", "x"]
    o = rw.Outcomes.from_arrays(y, a, missing="wrong")
    assert len(o.labels) == 4
    expected = sk.f1_score(y, ["x", "(none)", "z", "x"], labels=["x", "y", "z"], average="macro", zero_division=0)
    assert rw.evaluate(o, "A", metric="macro_f1", rng=0, draws=100)["macro_f1"].estimate.observed == pytest.approx(
        expected
    )
    recall = rw.evaluate(o, "A", metric="balanced_accuracy", rng=0, draws=100)["balanced_accuracy"].estimate.observed
    assert recall == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"metric": "accuracy", "classes": [0]}, "is none"),
        ({"metric": "macro_f1", "classes": []}, "empty"),
        ({"metric": "macro_f1", "classes": [77]}, "not a label"),
        ({"metric": "macro_f1", "classes": "0"}, "list of labels"),
        ({"metric": "f1", "pos_label": 0, "classes": [0]}, "is none"),
        ({"metric": "f1"}, "is about one class"),
        ({"metric": "cost", "cost_matrix": [[0, 1], [1, 0]]}, "2 × 2"),
        ({"model": "multilabel"}, "any number of labels"),
        ({"model": rw.models.Multilabel()}, "any number of labels"),
    ],
)
def test_a_wrong_question_is_refused(news, options, told):
    with pytest.raises(rw.errors.InvalidInputError, match=told):
        rw.compare(news.outcomes, a="nb_mult", b="svm_l2", **options)


@pytest.mark.parametrize("model", [Tree(), Tree(centre="pooled"), Icdm2015(), Flat(), rw.models.Sigir2016()])
def test_half_and_twice_the_prior_mass_are_inverse(model):
    assert model.scaled(2.0).scaled(0.5) == model


def test_bayes_factors_are_left_out_with_a_reason(rng, silent):
    y, a, b = sample(rng)
    how = {"metric": "macro_f1", "rope": 0.05, "rng": 0, "draws": 1_000}
    tree = rw.compare(y, a, b, **how).bayes_factor
    assert tree.sd is not None
    assert tree.rope > 0
    other = rw.compare(y, a, b, model="pooled", **how).bayes_factor
    assert other.sd is None
    assert "papers" in other.reason
    pooled = rw.compare(y, a, b, model=Tree(centre="pooled"), **how).bayes_factor
    assert (pooled.sd, pooled.rope) == (None, None)
    assert "seen the data" in pooled.reason
    assert rw.compare(y, a, b, model="icdm2015", **how).bayes_factor.sd is not None


def test_prior_sensitivity_shows_what_moves(rng, silent):
    y, a, b = sample(rng, n=40)
    r = rw.compare(y, a, b, metric="macro_f1", rope=0.05, rng=0, draws=2_000)
    s = r.prior_sensitivity()
    assert [which for which, _ in s.rows] == [
        "as asked", "half the prior mass", "twice the prior mass", "hierarchical, ICDM 2015", "flat",
    ]  # fmt: skip
    assert s.rows[0][1] is r
    gaps = [abs(c.estimate_a.mean - c.estimate_a.observed) for _, c in s.rows[:3]]
    assert gaps[1] < gaps[0] < gaps[2]
    assert s.moved > 0
    assert "prior" in str(s)
    assert s.to_dict()["rows"][1]["prior"].startswith("mu ~ Dir(0.5")
    assert "ICDM" in s.to_markdown()
    assert "ICDM" in s.to_html()


def test_very_many_labels_are_answered_by_the_items_or_refused(silent):
    """What happens in each label is drawn for up to a number of them; which are not drawn costs nothing."""
    y = np.repeat(np.arange(20_001), 2)
    a, b = np.where(y % 5 == 0, 0, y), np.where(y % 3 == 0, 0, y)
    for verb, data in ((rw.compare, (y, a, b)), (rw.evaluate, (y, a)), (rw.rank, (y, {"a": a, "b": b, "c": y}))):
        with pytest.raises(rw.errors.DataError, match="20,001 labels") as caught:
            verb(*data, rng=0)
        assert "bootstrap" in caught.value.hint
    assert rw.compare(y, a, b, metric="f1", pos_label=7, draws=100, rng=0).recipe.n_items == y.size
    r = rw.compare(y, a, b, metric="accuracy", model="bootstrap", draws=100, rng=0)
    assert r.delta.observed == pytest.approx((a == y).mean() - (b == y).mean())
