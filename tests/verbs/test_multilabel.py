"""Items with any number of labels: ways in, per-label models in closed form, the bootstrap by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import metrics as sk

import ropewalk as rw
from laws import assert_same_law
from ropewalk.errors import (
    DataError,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    MissingLabelsError,
    UndeclaredLabelError,
)
from ropewalk.models import Bootstrap, Items, Multilabel
from support import method_rows


@pytest.fixture
def arrays(rng):
    """Truth and two predictions, 120 items × 5 labels of falling prevalence."""
    truth = (rng.random((120, 5)) < [0.5, 0.4, 0.3, 0.2, 0.1]).astype(int)
    flips = [rng.random((120, 5)) < p for p in (0.1, 0.2)]
    return truth, *(np.where(flip, 1 - truth, truth) for flip in flips)


def test_every_way_in_gives_the_same_table(arrays, tmp_path, write):
    truth, a, b = arrays
    labels = [f"l{j}" for j in range(5)]
    pairs = [(i, j) for i in range(120) for j in range(5)]
    rows = [[f"d{i}", labels[j], truth[i, j], a[i, j], b[i, j]] for i, j in pairs]
    path = write(tmp_path / "long.csv", [["doc", "label", "y", "A", "B"], *rows])
    listed = [row for row in rows if any(row[2:])]
    sparser = write(tmp_path / "sparse.csv", [["doc", "label", "y", "A", "B"], *listed])
    columns = {"item": "doc", "label": "label", "truth": "y", "predictions": ["A", "B"]}
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(x, columns=labels) for x in arrays]
    tables = [
        rw.MultilabelOutcomes.from_arrays(*arrays, labels=labels),
        rw.MultilabelOutcomes.from_arrays(*(x.tolist() for x in arrays), labels=labels),
        rw.MultilabelOutcomes.from_arrays(*(x.astype(bool) for x in arrays), labels=labels),
        rw.MultilabelOutcomes.from_arrays(*(x.astype(float) for x in arrays), labels=labels),
        rw.MultilabelOutcomes.from_arrays(*map(sparse.csr_matrix, arrays), labels=labels),
        rw.MultilabelOutcomes.from_arrays(*map(sparse.coo_array, arrays), labels=labels),
        rw.MultilabelOutcomes.from_arrays(*frames),
        rw.read_multilabel(path, **columns),
        rw.read_multilabel(sparser, **columns, n_items=120),
        rw.MultilabelOutcomes.from_arrays(*(x[::-1] for x in arrays), labels=labels),
        rw.MultilabelOutcomes.from_arrays(*(x[:50] for x in arrays), labels=labels)
        + rw.MultilabelOutcomes.from_arrays(*(x[50:] for x in arrays), labels=labels),
    ]
    assert len({table.data_hash for table in tables}) == 1
    assert tables[0].project(["B"]) == rw.MultilabelOutcomes.from_arrays(truth, b, labels=labels, names=["B"])


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@pytest.mark.parametrize(("name", "theirs"), [("f1", sk.f1_score), ("precision", sk.precision_score),
                                              ("recall", sk.recall_score), ("jaccard", sk.jaccard_score)])  # fmt: skip
@pytest.mark.parametrize("classes", [None, [0, 2]])
def test_observed_values_are_those_of_scikit_learn(arrays, average, name, theirs, classes, silent):
    truth, a, b = arrays
    r = rw.compare(truth, a, b, metric=f"{average}_{name}", classes=classes, rng=0, draws=100)
    for estimate, predicted in ((r.estimate_a, a), (r.estimate_b, b)):
        assert estimate.observed == pytest.approx(theirs(truth, predicted, average=average, labels=classes), abs=1e-12)


def test_a_table_of_one_label_is_its_confusion_matrix(arrays):
    truth, a, b = arrays
    o = rw.MultilabelOutcomes.from_arrays(truth, a, b)
    for j in range(5):
        for name, predicted in (("A", a), ("B", b)):
            expected = sk.confusion_matrix(truth[:, j], predicted[:, j], labels=[0, 1])
            assert o.table(j).confusion(name).tolist() == expected.tolist()
            assert o.tables()[j].confusion(name).tolist() == expected.tolist()


@pytest.mark.parametrize(("model", "shape"), [(Multilabel(), 0.5), (Multilabel(kappa=4.0), 2.0)])
def test_a_recall_under_the_model_of_a_label_is_a_beta(arrays, model, shape):
    """Dir(kappa/4, …) on the outcome pairs adds up to Beta(kappa/2, kappa/2) for each classifier."""
    truth, a, b = arrays
    o = rw.MultilabelOutcomes.from_arrays(truth, a, b)
    m = model.fit(o).block(np.random.default_rng(0), 20_000).margins()
    for j in range(5):
        right, n = int((truth[:, j] & a[:, j]).sum()), int(truth[:, j].sum())
        recall = m.tp[0, :, j] / m.row[:, j]
        assert stats.kstest(recall, stats.beta(shape + right, shape + n - right).cdf).pvalue > 1e-4
        share = stats.beta(1 + n, 1 + 120 - n)
        assert stats.kstest(m.row[:, j], share.cdf).pvalue > 1e-4


def test_one_label_of_the_paired_model_is_the_binary_one(arrays, silent):
    """The papers' prior on request: kappa = 4 is Dir(1, 1, 1, 1) on the pairs of every label."""
    truth, a, b = arrays
    o = rw.MultilabelOutcomes.from_arrays(truth, a, b)
    m = Multilabel(kappa=4.0).fit(o).block(np.random.default_rng(0), 50_000).margins()
    f1 = 2 * m.tp[..., 2] / (m.row[:, 2] + m.col[..., 2])
    binary = rw.compare(truth[:, 2], a[:, 2], b[:, 2], model="sigir2016", rng=0, draws=50_000)
    assert_same_law(f1[0] - f1[1], binary.draws.delta())


def test_the_bootstrap_is_dirichlet_weights_on_the_items(arrays):
    truth, a, b = arrays
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.ones(120), 50_000)
    brute = []
    for predicted in (a, b):
        tp, col, row = (weights @ x.sum(axis=1) for x in (truth & predicted, predicted, truth))
        brute.append(2 * tp / (row + col))
    r = rw.compare(truth, a, b, metric="micro_f1", model="bootstrap", rng=0, draws=50_000)
    assert r.recipe.model == Bootstrap()
    assert r.bayes_factor.reason == "the bootstrap has no prior"
    assert_same_law(r.draws.delta(), brute[0] - brute[1])
    assert_same_law(r.draws.psi[0], brute[0])


def test_macro_averages_by_the_bootstrap_too(arrays, silent):
    truth, a, b = arrays
    weights = np.random.default_rng(2).dirichlet(np.ones(120), 20_000)
    per_label = [2 * (weights @ (truth & p)) / (weights @ truth + weights @ p) for p in (a, b)]
    brute = per_label[0].mean(axis=1) - per_label[1].mean(axis=1)
    r = rw.compare(truth, a, b, metric="macro_f1", model="bootstrap", rng=0, draws=20_000)
    assert_same_law(r.draws.delta(), brute)


def test_defaults_follow_the_average(arrays, silent):
    how = {"rng": 0, "draws": 200}
    assert rw.compare(*arrays, metric="micro_f1", **how).recipe.model == Items()
    assert rw.compare(*arrays, **how).metric == "macro_f1"
    assert rw.compare(*arrays, **how).recipe.model == Items(mass=1.0, imagined="classes")
    assert rw.compare(*arrays, model="multilabel", **how).recipe.model == Multilabel()
    assert rw.compare(*arrays, metric="micro_f1", model="paired", **how).recipe.model == Multilabel()
    assert rw.compare(*arrays, model="unpaired", **how).recipe.model == Multilabel(paired=False)
    assert rw.evaluate(arrays[0], arrays[1], metric="micro_f1", **how).metrics[0].recipe.model == Items(paired=False)


@pytest.mark.parametrize("metric", ["micro_f1", "macro_f1", "weighted_f1"])
def test_the_name_of_the_default_gives_the_default(arrays, metric, silent):
    how = {"metric": metric, "rng": 0, "draws": 200}
    usual, named = rw.compare(*arrays, **how), rw.compare(*arrays, model="items", **how)
    assert named.recipe.model == usual.recipe.model
    assert (named.draws.psi == usual.draws.psi).all()


@pytest.mark.parametrize(
    ("metric", "model", "written"),
    [
        ("micro_f1", Items(), "model='items'"),
        ("micro_f1", Items(mass=1.0, imagined="classes"), "model=rw.models.Items(mass=1.0, imagined='classes')"),
        ("macro_f1", Items(mass=1.0, imagined="classes"), "model='items'"),
        ("macro_f1", Items(), "model=rw.models.Items()"),
    ],
)
def test_a_name_is_written_only_where_it_makes_the_model(arrays, metric, model, written, silent):
    c = rw.compare(*arrays, metric=metric, model=model, rng=0, draws=200)
    assert written in dict(method_rows(c))["Call"]


def test_pairing_helps(arrays, silent):
    """Both classifiers see the same items, so the paired difference is the better known one."""
    truth, a, _ = arrays
    b = a.copy()
    b[:10] = truth[:10]
    how = {"metric": "macro_f1", "rng": 0, "draws": 4_000}
    assert rw.compare(truth, a, b, **how).std < 0.8 * rw.compare(truth, a, b, model="unpaired", **how).std


def test_one_label_is_an_ordinary_comparison(arrays, silent):
    truth, a, b = arrays
    o = rw.MultilabelOutcomes.from_arrays(truth, a, b, labels=["v", "w", "x", "y", "z"])
    one = rw.compare(o, pos_label="x", rope=0.05, rng=0)
    other = rw.compare(truth[:, 2], a[:, 2], b[:, 2], rope=0.05, rng=0)
    assert one.delta == other.delta
    assert one.pos_label == "x"
    table = rw.compare_classes(o, rope=0.05, rng=0, draws=1_000)
    assert [c.pos_label for c in table] == ["v", "w", "x", "y", "z"]


def test_two_test_sets_are_unpaired(arrays, silent):
    truth, a, b = arrays
    one, other = rw.MultilabelOutcomes.from_arrays(truth, a), rw.MultilabelOutcomes.from_arrays(truth, b)
    how = {"metric": "macro_f1", "rng": 0, "draws": 500}
    apart = rw.compare(one, other, model="unpaired", **how)
    assert (apart.draws.psi == rw.compare(truth, a, b, model="unpaired", **how).draws.psi).all()
    assert not rw.compare(one, other, **how).recipe.model.paired
    with pytest.raises(DataError, match="different labels"):
        rw.compare(one, rw.MultilabelOutcomes.from_arrays(truth[:, :4], b[:, :4]), **how)
    with pytest.raises(InvalidInputError, match="single label"):
        rw.compare(one, rw.Outcomes.from_arrays([0, 1], [0, 1]), **how)


def test_rare_labels_are_warned_about(rng):
    truth = np.zeros((200, 3), dtype=int)
    truth[:100, 0] = truth[100:, 1] = truth[:4, 2] = 1
    a = np.where(rng.random((200, 3)) < 0.05, 1 - truth, truth)
    with pytest.warns(rw.errors.RopewalkWarning, match=r"1 of 3 labels have fewer than 10 positive items \('2'\)"):
        r = rw.compare(truth, a, truth, metric="macro_f1", rng=0, draws=1_000)
    assert any("Most of it comes from '2' (4 items)" in one for one in (*r.notes, *r.warnings))


def test_ranking_labels(arrays, silent):
    truth, a, b = arrays
    r = rw.rank(truth, {"good": a, "bad": b}, metric="micro_f1", rope=0.01, rng=0, draws=2_000)
    assert r.by_rank[0].name == "good"
    assert (
        rw.rank(truth, {"good": a, "bad": b, "same": b}, metric="macro_f1", rng=0, draws=1_000).by_rank[0].name
        == "good"
    )


def test_reuters_of_the_papers_kind(silent):
    o = rw.examples.reuters90()
    r = rw.compare(o, a="nb_mult", b="svm_l2", metric="micro_f1", rope=0.01, rng=0, draws=2_000)
    assert r.decision.symbol == "≪"
    assert r.estimate_a.mean == pytest.approx(r.estimate_a.observed, abs=0.1 * r.estimate_a.std)


@pytest.mark.parametrize(
    ("y", "a", "error", "told"),
    [
        ([[0, 1], [1, 2]], [[0, 1], [1, 0]], LabelTypeError, r"got 2 at \(1, 1\)"),
        ([[0, 1], [1, 0.5]], [[0, 1], [1, 0]], LabelTypeError, "threshold"),
        ([[0, 1], [1, float("nan")]], [[0, 1], [1, 0]], MissingLabelsError, "NaN"),
        ([[0, 1], [1, 0]], [[0, 1, 1], [1, 0, 1]], LengthMismatchError, "differ in shape"),
        ([[0, 1], [1, 0]], [[0, 1]], LengthMismatchError, "differ in shape"),
        ([[0, 1], [1]], [[0, 1], [1, 0]], LengthMismatchError, "differ in length"),
        ([0, 1], [[0, 1], [1, 0]], LengthMismatchError, r"1 dimension;.*\n.*argmax"),
        ([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], LabelTypeError, "0 and 1"),
        (sparse.csr_array(np.array([[0, 3], [1, 0]])), [[0, 1], [1, 0]], LabelTypeError, r"got 3 at \(0, 1\)"),
    ],
)
def test_bad_indicators_are_refused(y, a, error, told):
    with pytest.raises(error, match=told):
        rw.compare(y, a, a)


@pytest.mark.parametrize(
    ("rows", "options", "error", "told"),
    [
        ([("d", "x", 1, 1), ("d", "x", 1, 0)], {}, DataError, "twice"),
        ([("d", "x", 1, 2)], {}, LabelTypeError, "row 1"),
        ([("d", "x", 1, None)], {}, MissingLabelsError, "row 1"),
        ([("d", None, 1, 1)], {}, MissingLabelsError, "no label"),
        ([(None, "x", 1, 1)], {}, MissingLabelsError, "no item"),
        ([("d", "x", 1, 1), ("e", "x", 1, 1)], {"n_items": 1}, DataError, "at least the 2 items"),
        ([("d", "x", 1, 1)], {"labels": ["y"]}, UndeclaredLabelError, "declared"),
    ],
)
def test_bad_long_tables_are_refused(rows, options, error, told):
    columns = list(zip(*rows, strict=True))
    with pytest.raises(error, match=told):
        rw.MultilabelOutcomes.from_long(*columns, **options)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"metric": "accuracy"}, "items with one label"),
        ({"metric": "f1"}, "items with one label"),
        ({"metric": "kappa"}, "items with one label"),
        ({"metric": "cost", "cost_matrix": np.eye(5)}, "items with one label"),
        ({"prevalence": [0.2] * 5}, "one label per item"),
        ({"model": "icdm2015"}, "needs one label"),
        ({"model": rw.models.Tree()}, "one label"),
        ({"missing": "drop"}, "indicator"),
    ],
)
def test_questions_that_need_one_label_are_refused(arrays, options, told):
    with pytest.raises(InvalidInputError, match=told):
        rw.compare(*arrays, **options)


def test_no_items(silent):
    o = rw.MultilabelOutcomes.empty(["x", "y"], ["a", "b"])
    with pytest.raises(DataError, match="there are none"):
        rw.compare(o, metric="micro_f1", model="bootstrap")
    r = rw.compare(o, metric="macro_f1", rng=0, draws=5_000)
    assert abs(r.mean) < 5 * r.delta.mc_error
    assert r.delta.observed is None


def test_few_items_are_warned_about(silent):
    y = np.array([[1, 0], [0, 1]] * 5)
    r = rw.compare(y, y, 1 - y, metric="micro_f1", model="bootstrap", rope=0.01, rng=0, draws=500)
    assert any("re-weights 10 items" in told for told in r.warnings)
    assert any("has no width" in told for told in r.warnings)


def test_separate_test_sets_have_bootstraps_of_their_own(arrays, silent):
    truth, a, b = arrays
    one, other = rw.MultilabelOutcomes.from_arrays(truth, a), rw.MultilabelOutcomes.from_arrays(truth, b)
    r = rw.compare(one, other, metric="micro_f1", model=Bootstrap(paired=False), rng=0, draws=20_000)
    assert r.recipe.model == Bootstrap(paired=False)
    assert abs(np.corrcoef(r.draws.psi)[0, 1]) < 4.5 / np.sqrt(20_000)
    assert rw.rank(one, other, metric="micro_f1", rng=0, draws=500).by_rank[0].name == "A"


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_dataframes_are_matched_by_the_names_of_their_columns(arrays, kind, silent):
    library = pytest.importorskip(kind)
    names = ["v", "w", "x", "y", "z"]
    truth, a, b = (library.DataFrame({name: x[:, j] for j, name in enumerate(names)}) for x in arrays)
    how = {"metric": "macro_f1", "rng": 0, "draws": 200}
    straight = rw.compare(truth, a, b, **how)
    turned = rw.compare(truth, a[names[::-1]], b, **how)
    assert (straight.draws.psi == turned.draws.psi).all()
    assert straight.recipe.tables[0].labels == tuple(names)
    with pytest.raises(DataError, match="columns of predictions of 'A'"):
        rw.compare(truth, a.rename(columns={"v": "u"}) if kind == "pandas" else a.rename({"v": "u"}), b, **how)


def test_rows_in_another_order_are_refused(arrays):
    pandas = pytest.importorskip("pandas")
    truth, a, b = map(pandas.DataFrame, arrays)
    with pytest.raises(rw.errors.PairingError, match="another order"):
        rw.compare(truth, a.iloc[::-1], b, metric="micro_f1")


def test_objects_and_lists_of_labels():
    y = np.array([[1, 0], [True, False], [0, 1]], dtype=object)
    assert rw.MultilabelOutcomes.from_arrays(y, y) == rw.MultilabelOutcomes.from_arrays(y.astype(int), y.astype(int))
    with pytest.raises(LengthMismatchError, match="MultiLabelBinarizer"):
        rw.compare([["tea", "trade"], ["tea"]], [["tea", "trade"], ["tea"]], [["tea", "trade"], ["tea"]])


@pytest.mark.parametrize("model", [rw.models.Tree(label_mass=1e9), rw.models.Icdm2015(kappa=1e9)])
def test_a_prior_that_would_never_end_is_refused(model):
    with pytest.raises(InvalidInputError, match="at most 50"):
        rw.compare([0, 1, 2], [0, 1, 1], [0, 2, 2], model=model, metric="accuracy")
