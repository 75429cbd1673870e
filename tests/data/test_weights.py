"""Importance weights of labels, and rows that stand for several items."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.data.weights import Weights
from ropewalk.models import observed_psi
from support import need, without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")

OF_CLASSES = rw.models.Items(mass=1.0, imagined="classes")


@pytest.fixture
def data(rng):
    """120 items of three classes, two classifiers, uneven weights of which some are 0."""
    y = rng.integers(0, 3, 120)
    a, b = (np.where(rng.random(120) < share, y, rng.integers(0, 3, 120)) for share in (0.8, 0.7))
    weight = rng.lognormal(0, 0.7, 120)
    weight[[3, 50]] = 0
    return y, a, b, weight


def by_sklearn(metric, y, predicted, weight):
    m = need("sklearn.metrics")
    return {
        "accuracy": lambda: m.accuracy_score(y, predicted, sample_weight=weight),
        "macro_f1": lambda: m.f1_score(y, predicted, average="macro", sample_weight=weight),
        "weighted_recall": lambda: m.recall_score(y, predicted, average="weighted", sample_weight=weight),
        "balanced_accuracy": lambda: m.balanced_accuracy_score(y, predicted, sample_weight=weight),
        "kappa": lambda: m.cohen_kappa_score(y, predicted, sample_weight=weight),
        "mcc": lambda: m.matthews_corrcoef(y, predicted, sample_weight=weight),
    }[metric]()


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "weighted_recall", "balanced_accuracy", "kappa", "mcc"])
def test_what_was_observed_is_what_scikit_learn_computes(data, metric):
    y, a, b, weight = data
    r = rw.compare(y, a, b, sample_weight=weight, metric=metric, draws=100, rng=0)
    for estimate, predicted in ((r.estimate_a, a), (r.estimate_b, b)):
        assert estimate.observed == pytest.approx(by_sklearn(metric, y, predicted, weight), abs=1e-12)
    e = rw.evaluate(y, a, sample_weight=weight, metric=metric, draws=100, rng=0)
    assert e[metric].estimate.observed == pytest.approx(r.estimate_a.observed, abs=1e-12)
    ranking = rw.rank(y, {"a": a, "b": b}, sample_weight=weight, metric=metric, draws=100, rng=0)
    assert ranking["b"].estimate.observed == pytest.approx(r.estimate_b.observed, abs=1e-12)


@pytest.mark.parametrize("metric", ["micro_f1", "macro_f1"])
def test_items_of_any_number_of_labels_have_weights_too(rng, metric):
    m = need("sklearn.metrics")
    y, a = rng.random((150, 4)) < 0.4, rng.random((150, 4)) < 0.4
    weight = rng.lognormal(0, 0.7, 150)
    e = rw.evaluate(y.astype(int), a.astype(int), sample_weight=weight, metric=metric, draws=100, rng=0)
    expected = m.f1_score(y, a, average=metric.partition("_")[0], sample_weight=weight)
    assert e[metric].estimate.observed == pytest.approx(expected, abs=1e-12)


def test_the_classes_of_a_confusion_matrix_are_weighted(data):
    m = need("sklearn.metrics")
    y, a, b, weight = data
    first, _ = rw.compare(y, a, b, sample_weight=weight, draws=100, rng=0).confusions()
    expected = m.confusion_matrix(y, a, sample_weight=weight, normalize="true")
    assert np.allclose(first.normalised, expected, atol=1e-12)
    assert np.abs(first.mean - expected).max() < 0.05


def test_equal_weights_are_none(data):
    y, a, b, _ = data
    plain = rw.Outcomes.from_arrays(y, a, b)
    assert rw.Outcomes.from_arrays(y, a, b, sample_weight=np.full(120, 0.3)) == plain
    weighted = rw.compare(y, a, b, sample_weight=np.ones(120), rope=0.05, draws=500, rng=0)
    assert weighted.to_dict() == rw.compare(plain, rope=0.05, draws=500, rng=0).to_dict()


def test_weights_of_one_are_drawn_as_items_without_weights(data):
    """The same model with and without weights that are all 1, which only a table made by hand has."""
    y, a, b, _ = data
    plain = rw.Outcomes.from_arrays(y, a, b)
    ones = Weights.of(np.arange(plain.counts.size), np.ones(plain.counts.size), plain.counts)
    weighted = rw.Outcomes(plain.codes, plain.counts, plain.labels, plain.names, weights=ones)
    r, s = (rw.compare(t, metric="macro_f1", model=OF_CLASSES, draws=1_000, rng=0) for t in (plain, weighted))
    assert np.allclose(r.draws.psi, s.draws.psi, atol=1e-12)


def test_only_the_ratios_of_weights_matter(data):
    y, a, b, weight = data
    r, s = (
        rw.compare(y, a, b, sample_weight=w, rope=0.05, draws=1_000, rng=0) for w in (weight, 1234.5 * weight)
    )  # fmt: skip
    assert np.allclose(r.draws.psi, s.draws.psi, rtol=0, atol=1e-12)
    assert r.delta.observed == pytest.approx(s.delta.observed, abs=1e-12)


def test_what_weighs_nothing_is_not_there(data):
    y, a, b, weight = data
    here = weight > 0
    whole = rw.Outcomes.from_arrays(y, a, b, sample_weight=weight)
    assert whole == rw.Outcomes.from_arrays(y[here], a[here], b[here], sample_weight=weight[here])
    assert whole.n_items == 118


def test_the_order_of_items_leaves_no_trace(data, rng):
    order = rng.permutation(120)
    r, s = (
        rw.compare(*some[:3], sample_weight=some[3], draws=200, rng=0) for some in (data, [x[order] for x in data])
    )  # fmt: skip
    assert r.to_dict() == s.to_dict()


def test_tables_with_weights_add_up_and_can_be_kept(data, tmp_path):
    y, a, b, weight = data
    whole = rw.Outcomes.from_arrays(y, a, b, sample_weight=weight)
    parts = [
        rw.Outcomes.from_arrays(y[some], a[some], b[some], sample_weight=weight[some])
        for some in (slice(0, 50), slice(50, None))
    ]
    assert sum(parts) == whole
    whole.save(tmp_path / "table.json")
    assert rw.Outcomes.load(tmp_path / "table.json") == whole
    alone = rw.Outcomes.from_arrays(y, a, names=["A"], sample_weight=weight)
    assert whole.project(["A"]) == alone
    one, other = (rw.evaluate(t, metric="f1", pos_label=1, draws=100, rng=0) for t in (alone, alone.collapse(1)))
    assert one["f1"].estimate == other["f1"].estimate


def test_two_weighted_items_have_the_law_of_a_ratio():
    """By the bootstrap: the weight of the right one of two items is w₁g₁ / (w₁g₁ + w₂g₂), and g₁/g₂ has r/(1 + r)."""
    stats = need("scipy.stats")
    table = rw.Outcomes.from_arrays([0, 1], [0, 0], sample_weight=[3.0, 1.0], labels=[0, 1])
    with without_warnings():
        e = rw.evaluate(table, metric="accuracy", model="bootstrap", draws=4_000, rng=1)
    drawn = e["accuracy"].draws.psi[0]
    ratio = drawn / (3.0 * (1.0 - drawn))
    assert stats.kstest(ratio, lambda r: r / (1 + r)).pvalue > 0.001


def test_whole_weights_in_clusters_are_copies_of_an_item(data):
    """An item of weight 3 in a cluster is three items of it: only their sum counts."""
    y, a, b, _ = data
    cluster, weight = np.arange(120) % 60, 1 + np.arange(120) % 3
    place = np.repeat(np.arange(120), weight)
    r = rw.compare(y, a, b, cluster=cluster, sample_weight=weight, draws=500, rng=0)
    s = rw.compare(y[place], a[place], b[place], cluster=cluster[place], draws=500, rng=0)
    assert np.allclose(r.draws.psi, s.draws.psi, atol=1e-12)
    assert (r.recipe.n_items, s.recipe.n_items) == (120, weight.sum())


def test_an_item_that_weighs_as_much_as_a_cluster_varies_as_much(data):
    """Weights 1 to 3 against clusters of 1 to 3 copies, under one prior: the same means and spreads."""
    y, a, b, _ = data
    weight = 1 + np.arange(120) % 3
    place = np.repeat(np.arange(120), weight)
    clusters = rw.models.Items(mass=1.0, imagined="classes", over="clusters")
    r = rw.compare(y, a, b, sample_weight=weight, metric="accuracy", draws=8_000, rng=0)
    s = rw.compare(
        y[place], a[place], b[place], cluster=place, metric="accuracy", model=clusters, draws=8_000, rng=1
    )  # fmt: skip
    error = math.hypot(r.delta.mc_error, s.delta.mc_error)
    assert r.mean == pytest.approx(s.mean, abs=5 * error)
    assert r.std == pytest.approx(s.std, rel=5 / math.sqrt(8_000))


def test_the_effective_number_of_items_is_said(data):
    y, a, b, weight = data
    kish = weight.sum() ** 2 / (weight**2).sum()
    r = rw.compare(y, a, b, sample_weight=weight, draws=100, rng=0)
    (text,) = [remark.text for remark in r.remarks if remark.code == "effective_number"]
    assert f"118 items tell as much as {kish:.0f} that count alike" in text
    few = np.where(np.arange(120) < 20, 1.0, 0.01)
    with pytest.warns(rw.errors.DegenerateDataWarning, match="as much as 22 that count alike"):
        r = rw.compare(y, a, b, sample_weight=few, draws=100, rng=0)
    assert "effective_number" not in {remark.code for remark in r.remarks}


def test_hardly_any_effective_items_allow_no_verdict(data):
    y, a, b, _ = data
    weight = np.where(np.arange(120) < 3, 1.0, 1e-4)
    with without_warnings():
        r = rw.compare(y, a, b, sample_weight=weight, rope=0.05, draws=500, rng=0)
    assert r.decision is None
    assert "tell as much as 3.0 that count alike" in r.no_verdict


@pytest.mark.parametrize(
    ("weight", "match"),
    [
        ([-1.0] * 120, "negative"),
        ([0.0] * 120, "0 throughout"),
        ([math.nan] + [1.0] * 119, "finite"),
        ([1.0] * 119, "same length"),
        (["heavy"] * 120, "turn text into numbers"),
        (np.ones((60, 2)), r"one number per item; got shape \(60, 2\)"),
    ],
)
def test_weights_that_cannot_be(data, weight, match):
    y, a, b, _ = data
    with pytest.raises(rw.errors.DataError, match=match):
        rw.compare(y, a, b, sample_weight=weight)


@pytest.mark.parametrize("option", ["sample_weight", "count"])
@pytest.mark.parametrize("column", ["y", "old"])
def test_labels_are_no_weights(data, option, column):
    pandas = need("pandas")
    y, a, b, _ = data
    frame = pandas.DataFrame({"y": y, "new": a, "old": b})
    with pytest.raises(rw.errors.InvalidInputError, match=f"'{column}' is named both as labels and as `{option}`"):
        rw.compare(frame, truth="y", a="new", b="old", **{option: column})


def test_what_does_not_go_with_weights(data):
    y, a, b, weight = data
    with pytest.raises(rw.errors.InvalidInputError, match="counting alike"):
        rw.compare(y, a, b, sample_weight=weight, model="tree")
    table = rw.Outcomes.from_arrays(y, a, b, sample_weight=weight)
    with pytest.raises(rw.errors.DataError, match="have weights"):
        rw.classical.mcnemar(table)
    r = rw.compare(table, tests=True, draws=100, rng=0)
    assert r.tests is None
    assert "no_weighted_tests" in {remark.code for remark in r.remarks}
    assert r.to_dict()["recipe"] is None
    with pytest.raises(rw.errors.InvalidInputError, match="cannot be replicated"):
        r.predictive_check(draws=100)
    more = rw.compare(table, rope=0.05, draws=500, rng=0).more_data(target=0.5)
    assert more.method == "extrapolation"


# -- rows that stand for several items ---------------------------------------------------------------------


@pytest.fixture
def grouped(rng):
    """Rows, how many items each stands for, and the place of the row of every item."""
    y = rng.integers(0, 3, 50)
    a, b = (np.where(rng.random(50) < share, y, rng.integers(0, 3, 50)) for share in (0.8, 0.7))
    count = rng.integers(0, 5, 50)
    return y, a, b, count, np.repeat(np.arange(50), count)


def test_grouped_rows_are_those_items(grouped):
    y, a, b, count, place = grouped
    expanded = rw.compare(y[place], a[place], b[place], rope=0.05, draws=300, rng=0).to_dict()
    assert rw.compare(y, a, b, count=count, rope=0.05, draws=300, rng=0).to_dict() == expanded
    assert rw.compare(y, a, b, count=count.tolist(), rope=0.05, draws=300, rng=0).to_dict() == expanded


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_column_of_counts(grouped, library):
    y, a, b, count, place = grouped
    make = {"pyarrow": "table"}.get(library, "DataFrame")
    frame = getattr(need(library), make)({"y": y, "a": a, "b": b, "n": count, "w": 1.0 + count})
    table = rw.read_outcomes(frame, truth="y", predictions=["a", "b"], count="n")
    assert table == rw.Outcomes.from_arrays(y[place], a[place], b[place], names=["a", "b"])
    weight = (1.0 + count)[place]
    table = rw.read_outcomes(frame, truth="y", predictions=["a", "b"], count="n", sample_weight="w")
    assert table == rw.Outcomes.from_arrays(y[place], a[place], b[place], names=["a", "b"], sample_weight=weight)


def test_groups_of_other_kinds_of_data(grouped, rng):
    y, _, _, count, place = grouped
    y = np.arange(50) % 2 + (np.arange(50) % 5 == 0)
    p, q, cluster = rng.random(50), rng.random(50), rng.integers(0, 9, 50)
    r = rw.compare(y == 1, p, q, metric="brier", count=count, draws=200, rng=0)
    s = rw.compare((y == 1)[place], p[place], q[place], metric="brier", draws=200, rng=0)
    assert np.array_equal(r.draws.psi, s.draws.psi)
    many = np.stack([y == 1, y == 2], axis=1).astype(int)
    table = rw.MultilabelOutcomes.from_arrays(many, 1 - many, count=count)
    assert table == rw.MultilabelOutcomes.from_arrays(many[place], 1 - many[place])
    table = rw.Outcomes.from_arrays(y, y, cluster=cluster, count=count)
    assert table == rw.Outcomes.from_arrays(y[place], y[place], cluster=cluster[place])


@pytest.mark.parametrize(
    ("count", "match"),
    [
        ([1.5] * 50, "whole numbers"),
        ([-1] * 50, "negative"),
        ([None] * 50, "50 rows without a `count`"),
        ([1] * 49, "same length"),
        ([0] * 50, "columns are empty"),
    ],
)
def test_counts_that_cannot_be(grouped, count, match):
    y, a, b, *_ = grouped
    with pytest.raises(rw.errors.DataError, match=match):
        rw.compare(y, a, b, count=count)


def test_an_item_with_an_id_is_one_item(grouped):
    y, a, b, count, _ = grouped
    with pytest.raises(rw.errors.DataError, match="do not go together"):
        rw.compare(y, a, b, count=count, id=np.arange(50))


def test_too_many_scores_are_not_kept_one_by_one():
    with pytest.raises(rw.errors.DataError, match="not kept one by one"):
        rw.compare([0, 1], [0.2, 0.7], [0.1, 0.9], metric="brier", count=[10**8, 10**8])


# -- columns of ids ----------------------------------------------------------------------------------------


def test_a_truth_of_ids_is_refused():
    ids = [f"item {i}" for i in range(20)]
    with pytest.raises(rw.errors.LabelTypeError, match="20 different labels for 20 items") as caught:
        rw.compare(ids, ["a", "b"] * 10, ["a", "a"] * 10)
    assert "looks like an id" in str(caught.value)
    assert rw.Outcomes.from_arrays(ids[:19], ids[:19]).n_labels == 19
    assert rw.Outcomes.from_arrays(ids, ids, labels=ids).n_labels == 20
    assert rw.compare(np.arange(20.0), np.arange(20.0) + 1, metric="mean", draws=100, rng=0).delta.observed == -1


def test_predictions_of_ids_are_refused(tmp_path):
    ids, y, b = [f"item {i}" for i in range(40)], ["a", "b"] * 20, ["a", "a"] * 20
    file = tmp_path / "p.csv"
    file.write_text("key,y,b\n" + "".join(f"{','.join(row)}\n" for row in zip(ids, y, b, strict=True)))
    for one, two in (("key", "b"), ("b", "key")):
        with pytest.raises(rw.errors.LabelTypeError, match=r"^key holds 40 different labels for 40 items") as caught:
            rw.compare(file, truth="y", a=one, b=two)
        assert "and y holds 2: this looks like an id" in str(caught.value)
        assert "in place of key" in caught.value.hint
    with pytest.raises(rw.errors.LabelTypeError, match="21 different labels"):  # ids that come again are ids still
        rw.evaluate(y, [*ids[:21], *ids[:19]])
    assert rw.Outcomes.from_arrays(y, [*ids[:20], *ids[:20]], b).n_labels == 22
    assert rw.Outcomes.from_arrays([*ids[:20], *ids[:20]], ids).n_labels == 40
    assert rw.Outcomes.from_arrays(y, ids, labels=["a", "b", *ids]).n_labels == 42


def test_classes_that_occur_once_are_pointed_out():
    y = np.r_[np.arange(30), np.repeat(np.arange(30, 40), 2)]
    with without_warnings():
        r = rw.compare(y, y, np.roll(y, 1), metric="accuracy", draws=100, rng=0)
    (text,) = [remark.text for remark in r.remarks if remark.code == "labels_like_ids"]
    assert "30 of 40 true classes occur once" in text


def test_observed_scores_of_no_items_are_none():
    table = rw.Outcomes.from_arrays([], [], labels=[0, 1], sample_weight=[])
    assert observed_psi([table], rw.metrics.METRICS["accuracy"]) == (None,)
