"""Clusters of items: labels of one kind or many, the table as a sum over clusters, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.data.clusters import Clusters
from ropewalk.draws.blocks import generator
from ropewalk.metrics.registry import METRICS, parse_metric
from ropewalk.models import Bootstrap, observed_psi
from support import need

pytestmark = pytest.mark.usefixtures("frugal_throughout")


@pytest.fixture
def data(rng):
    """300 items in 60 clusters of unequal size, four classes, two classifiers."""
    cluster = np.concatenate([np.arange(60), rng.integers(0, 60, 240)])
    y = rng.integers(0, 4, 300)
    a, b = (np.where(rng.random(300) < share, y, rng.integers(0, 4, 300)) for share in (0.8, 0.7))
    return y, a, b, cluster


def by_hand(metric, y, predicted, weights):
    """The metric under weights of items, by scikit-learn."""
    m = need("sklearn.metrics")
    call = {
        "accuracy": lambda: m.accuracy_score(y, predicted, sample_weight=weights),
        "macro_f1": lambda: m.f1_score(y, predicted, average="macro", sample_weight=weights),
        "weighted_precision": lambda: m.precision_score(
            y, predicted, average="weighted", sample_weight=weights, zero_division=0
        ),
        "micro_jaccard": lambda: m.jaccard_score(y, predicted, average="micro", sample_weight=weights),
        "mcc": lambda: m.matthews_corrcoef(y, predicted, sample_weight=weights),
        "kappa": lambda: m.cohen_kappa_score(y, predicted, sample_weight=weights),
        "balanced_accuracy": lambda: m.balanced_accuracy_score(y, predicted, sample_weight=weights),
    }
    return call[metric]()


@pytest.mark.parametrize(
    "metric", ["accuracy", "macro_f1", "weighted_precision", "micro_jaccard", "mcc", "kappa", "balanced_accuracy"]
)
def test_a_draw_is_the_metric_with_every_item_at_its_clusters_weight(data, metric):
    y, a, b, cluster = data
    table = rw.Outcomes.from_arrays(y, a, b, cluster=cluster)
    posterior = Bootstrap(over="clusters").fit(table)
    found = parse_metric(metric)(posterior.block(generator(5, 0, 0), 8))
    weights = generator(5, 0, 0).standard_exponential((60, 8))
    for d in range(8):
        for k, predicted in enumerate((a, b)):
            assert found[k, d] == pytest.approx(by_hand(metric, y, predicted, weights[cluster, d]), abs=1e-12)


@pytest.mark.parametrize("metric", [*METRICS, "fbeta(2)", "cost"])
def test_every_metric_of_two_labels_takes_clusters(rng, metric, silent):
    y, a, b = rng.integers(0, 2, (3, 200))
    costs = [[0, 1], [3, 0]] if metric == "cost" else None
    said = {"metric": metric, "cost_matrix": costs, "pos_label": 1, "draws": 200, "rng": 0}
    r = rw.compare(y, a, b, cluster=np.arange(200) // 4, **said)
    assert r.to_dict()["n_clusters"] == 50
    assert r.to_dict()["model"] == "items"
    assert r.delta.observed == pytest.approx(rw.compare(y, a, b, **said).delta.observed, abs=1e-12)
    assert math.isfinite(r.std)


def test_clusters_of_one_are_items(rng):
    """With every item alone, the clustered answer is the bootstrap of items: Beta(k, n − k) for an accuracy."""
    y, a, b = rng.integers(0, 2, (3, 120))
    how = {"metric": "accuracy", "cluster": np.arange(120), "draws": 20_000}
    r = rw.compare(y, a, b, **how, model="bootstrap", rng=0)
    k = int((a == y).sum())
    spread = math.sqrt(k * (120 - k) / 120**2 / 121)
    assert r.estimate_a.mean == pytest.approx(k / 120, abs=5 * spread / math.sqrt(20_000))
    assert r.estimate_a.std == pytest.approx(spread, rel=5 / math.sqrt(40_000))
    plain = rw.compare(y, a, b, metric="accuracy", model="bootstrap", draws=20_000, rng=1)
    assert plain.std == pytest.approx(r.std, rel=5 / math.sqrt(20_000))
    assert plain.to_dict()["prior"] == "weights ~ Dir(1, …, 1) over items"
    # One imagined item is right in either class, and one wrong: Beta(k + 2, n − k + 2).
    beside = rw.compare(y, a, b, **how, rng=0).estimate_a
    spread = math.sqrt((k + 2) * (122 - k) / 124**2 / 125)
    assert beside.mean == pytest.approx((k + 2) / 124, abs=5 * spread / math.sqrt(20_000))
    assert beside.std == pytest.approx(spread, rel=5 / math.sqrt(40_000))


def test_repeating_every_item_changes_nothing_when_it_is_the_cluster(data):
    """Copies of items in their own cluster carry no news; taken as items they would."""
    y, a, b, _ = data
    ids = np.arange(300)
    once = rw.compare(y, a, b, metric="accuracy", cluster=ids, draws=2_000, rng=0)
    thrice = rw.compare(
        *(np.tile(array, 3) for array in (y, a, b)), metric="accuracy", cluster=np.tile(ids, 3), draws=2_000, rng=0
    )
    assert thrice.draws.psi == pytest.approx(once.draws.psi, abs=1e-12)
    naive = rw.compare(*(np.tile(array, 3) for array in (y, a, b)), metric="accuracy", draws=2_000, rng=0)
    assert naive.std < 0.7 * once.std


def test_one_against_the_rest_and_projection_keep_the_clusters(data):
    y, a, b, cluster = data
    table = rw.Outcomes.from_arrays(y, a, b, names=["a", "b"], cluster=cluster)
    assert table.n_clusters == 60
    one = table.collapse(2).project(["b"])
    again = rw.Outcomes.from_arrays(np.where(y == 2, 2, 0), np.where(b == 2, 2, 0), names=["b"], cluster=cluster)
    drawn = [Bootstrap().fit(t).block(generator(0, 0, 0), 5).margins().tp for t in (one, again)]
    assert drawn[0] == pytest.approx(drawn[1], abs=1e-12)
    r = rw.compare(table, a="b", b="a", pos_label=2, draws=300, rng=0)
    s = rw.compare(y, b, a, names=["b", "a"], pos_label=2, cluster=cluster, draws=300, rng=0)
    assert r.draws.psi == pytest.approx(s.draws.psi, abs=1e-12)


def test_tables_with_clusters_add_up_and_come_back_from_json(data, tmp_path):
    y, a, b, cluster = data
    whole = rw.Outcomes.from_arrays(y, a, b, cluster=cluster)
    here = cluster < 30
    parts = [rw.Outcomes.from_arrays(y[h], a[h], b[h], cluster=cluster[h], labels=range(4)) for h in (here, ~here)]
    assert parts[0] + parts[1] == whole
    odd = np.arange(300) % 2 == 1  # clusters that occur in both parts are one
    halves = [rw.Outcomes.from_arrays(y[h], a[h], b[h], cluster=cluster[h], labels=range(4)) for h in (odd, ~odd)]
    assert halves[0] + halves[1] == whole
    assert rw.Outcomes.from_json(whole.to_json()) == whole
    whole.save(tmp_path / "o.json")
    assert rw.Outcomes.load(tmp_path / "o.json").data_hash == whole.data_hash
    assert whole.data_hash != rw.Outcomes.from_arrays(y, a, b).data_hash
    with pytest.raises(rw.errors.DataError, match="clusters and the other has none"):
        _ = whole + rw.Outcomes.from_arrays(y, a, b)
    broken = whole.to_json().replace('"clusters":[[0,', '"clusters":[[1,')
    with pytest.raises(rw.errors.FileFormatError, match="add up"):
        rw.Outcomes.from_json(broken)


def test_the_order_of_items_and_the_names_of_clusters_leave_no_trace(data, rng):
    y, a, b, cluster = data
    order = rng.permutation(300)
    one = rw.compare(y, a, b, cluster=cluster, draws=200, rng=0)
    two = rw.compare(y[order], a[order], b[order], cluster=cluster[order].astype(float), draws=200, rng=0)
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize("ids", ["int", "str", "object", "float"])
def test_ids_of_any_kind(data, ids, frame):
    y, a, b, cluster = data
    kinds = {"int": cluster.tolist(), "str": [f"c{c:02}" for c in cluster], "object": [f"c{c:02}" for c in cluster],
             "float": cluster.astype(float).tolist()}  # fmt: skip
    table = frame({"y": y.tolist(), "a": a.tolist(), "b": b.tolist(), "c": kinds[ids]})
    r = rw.compare(table, truth="y", a="a", b="b", cluster="c", metric="accuracy", draws=100, rng=0)
    expected = rw.compare(y, a, b, cluster=cluster, metric="accuracy", draws=100, rng=0)
    assert r.draws.psi == pytest.approx(expected.draws.psi, abs=1e-12)


def test_evaluating_and_ranking_with_clusters(data):
    y, a, b, cluster = data
    e = rw.evaluate(y, a, metric=["accuracy", "macro_f1"], cluster=cluster, draws=500, rng=0)
    assert e.to_dict()["n_clusters"] == 60
    assert e["accuracy"].estimate.observed == pytest.approx((y == a).mean())
    k = rw.rank(y, {"a": a, "b": b}, metric="accuracy", cluster=cluster, rope=0.05, draws=500, rng=0)
    r = rw.compare(y, a, b, names=["a", "b"], metric="accuracy", cluster=cluster, rope=0.05, draws=500, rng=0)
    assert k.pair("a", "b").delta == r.delta
    assert "in 60 clusters" in str(k)
    assert rw.compare_classes(y, a, b, cluster=cluster, draws=100, rng=0)[0].recipe.n_clusters == 60


def test_multilabel_items_in_clusters(rng, silent):
    truth, a, b = rng.integers(0, 2, (3, 200, 3))
    cluster = rng.integers(0, 55, 200)
    table = rw.MultilabelOutcomes.from_arrays(truth, a, b, cluster=cluster)
    drawn = parse_metric("micro_f1")(Bootstrap().fit(table).block(generator(2, 0, 0), 4))
    weights = generator(2, 0, 0).standard_exponential((table.n_clusters, 4))
    m = need("sklearn.metrics")
    for d in range(4):
        expected = m.f1_score(
            truth, a, average="micro", sample_weight=weights[np.unique(cluster, return_inverse=True)[1], d]
        )
        assert drawn[0, d] == pytest.approx(expected, abs=1e-12)
    how = {"metric": "f1", "pos_label": 1, "draws": 300, "rng": 0}
    one = rw.compare(table, **how)
    direct = rw.compare(truth[:, 1], a[:, 1], b[:, 1], cluster=cluster, **how)
    assert one.draws.psi == pytest.approx(direct.draws.psi, abs=1e-12)
    assert rw.compare(truth, a, b, metric="macro_f1", cluster=cluster, draws=100, rng=0).recipe.model.over == "clusters"
    assert table.project(["B", "A"]).n_clusters == table.n_clusters
    assert (table + table).n_clusters == table.n_clusters


def test_separate_test_sets_have_clusters_of_their_own(data, silent):
    y, a, b, cluster = data
    one = rw.Outcomes.from_arrays(y, a, names=["a"], cluster=cluster)
    other = rw.Outcomes.from_arrays(y[:200], b[:200], names=["b"], cluster=cluster[:200])
    r = rw.compare(one, other, metric="accuracy", draws=4_000, rng=0)
    assert abs(np.corrcoef(r.draws.psi)[0, 1]) < 5 / math.sqrt(4_000)
    with pytest.raises(rw.errors.DataError, match="others have none"):
        rw.compare(one, rw.Outcomes.from_arrays(y, b, names=["b"]))


def test_missing_labels_and_missing_clusters(data, silent):
    y, a, b, cluster = data
    holes = a.astype(object)
    holes[:5] = None
    dropped = rw.compare(y, holes, b, metric="accuracy", cluster=cluster, missing="drop", draws=50, rng=0)
    assert dropped.recipe.n_items == 295
    kept = [array[5:] for array in (y, a, b, cluster)]
    assert dropped.delta.observed == pytest.approx((kept[0] == kept[1]).mean() - (kept[0] == kept[2]).mean())
    wrong = rw.compare(y, holes, b, metric="accuracy", cluster=cluster, missing="wrong", draws=50, rng=0)
    assert wrong.estimate_a.observed == pytest.approx((kept[0] == kept[1]).sum() / 300)
    for hole in ("", "nan"):
        with pytest.raises(rw.errors.PairingError, match="1 item without"):
            rw.compare(y, a, b, cluster=np.array([hole, *map(str, cluster[1:])]))
    ids = cluster.astype(object)
    ids[3] = None
    with pytest.raises(rw.errors.PairingError, match="1 item without"):
        rw.compare(y, a, b, cluster=ids)
    frame = need("pandas").DataFrame({"y": y, "a": a, "b": b, "c": cluster.astype(float)})
    frame.loc[:2, "c"] = math.nan
    with pytest.raises(rw.errors.PairingError, match="3 items without a cluster"):
        rw.compare(frame, truth="y", a="a", b="b", cluster="c")


def test_what_does_not_go_with_clusters(data):
    y, a, b, cluster = data
    with pytest.raises(rw.errors.InvalidInputError, match="takes items as independent"):
        rw.compare(y, a, b, cluster=cluster, model="paired")
    with pytest.raises(rw.errors.InvalidInputError, match="`cluster` must be an array"):
        rw.compare(y, a, b, cluster="c")
    with pytest.raises(rw.errors.LengthMismatchError, match="same length"):
        rw.compare(y, a, b, cluster=cluster[:-1])
    table = rw.Outcomes.from_arrays(y, a, b)
    with pytest.raises(rw.errors.InvalidInputError, match="clusters already"):
        rw.compare(table, cluster=cluster)
    frame = need("pandas").DataFrame({"y": y, "a": a, "b": b, "who": cluster})
    with pytest.raises(rw.errors.ColumnNotFoundError, match="did you mean 'who'"):
        rw.compare(frame, truth="y", a="a", b="b", cluster="whoo")
    with pytest.raises(rw.errors.InvalidInputError, match="name of a column"):
        rw.compare(frame, truth="y", a="a", b="b", cluster=cluster)


def test_ids_as_text_and_as_numbers_give_the_same_draws(data):
    """A CSV file has text where Parquet has numbers; 10 comes after 9 in both."""
    y, a, b, cluster = data
    one, two = (
        rw.compare(y, a, b, cluster=ids, draws=100, rng=0).draws.psi for ids in (cluster, [str(c) for c in cluster])
    )
    assert np.array_equal(one, two)


def test_clusters_in_another_order_of_the_index_are_refused(data, rng):
    pandas = need("pandas")
    y, a, b, cluster = map(pandas.Series, data)
    turned = cluster.sample(frac=1, random_state=0)
    with pytest.raises(rw.errors.PairingError, match="another order"):
        rw.compare(y, a, b, cluster=turned)
    with pytest.raises(rw.errors.PairingError, match="another order"):
        rw.compare(a == y, b == y, metric="mean", cluster=turned)
    with pytest.raises(rw.errors.PairingError, match="another order"):
        rw.compare(a == y, b == y, metric="mean", sample_weight=pandas.Series(rng.random(300)).sample(frac=1))


def test_repeated_ids_need_a_cluster():
    table = need("pandas").DataFrame(
        {"id": [1, 1, 2, 2], "group": ["x", "x", "y", "y"], "y": [0, 1, 0, 1], "a": [0, 1, 1, 1], "b": [0, 0, 0, 1]}
    )
    columns = {"truth": "y", "predictions": ["a", "b"], "id": "id"}
    with pytest.raises(rw.errors.PairingError, match="cluster=") as caught:
        rw.read_outcomes(table, **columns)
    assert "cluster" in caught.value.hint
    assert rw.read_outcomes(table, **columns, cluster="id").n_clusters == 2
    assert rw.read_outcomes(table, **columns, cluster="group").n_clusters == 2
    torn = table.assign(group=["x", "y", "y", "y"])
    with pytest.raises(rw.errors.PairingError, match="more than one cluster"):
        rw.read_outcomes(torn, **columns, cluster="group")


def test_ids_are_checked_wherever_data_come_in(data):
    y, a, b, cluster = data
    frame = need("pandas").DataFrame({"y": y, "a": a, "b": b, "id": cluster, "n": np.arange(300)})
    said = {"metric": "accuracy", "draws": 20, "rng": 0}
    calls = (
        lambda **more: rw.compare(frame, truth="y", a="a", b="b", **said, **more),
        lambda **more: rw.evaluate(frame, "a", truth="y", **said, **more),
        lambda **more: rw.rank(frame, truth="y", predictions=["a", "b"], **said, **more),
    )
    for call in calls:
        with pytest.raises(rw.errors.PairingError, match="cluster="):
            call(id="id")
        assert call(id="id", cluster="id").to_dict()["n_clusters"] == 60
        assert call(id="n").to_dict()["n_clusters"] is None
    with pytest.raises(rw.errors.PairingError, match="more than once"):
        rw.compare(y, a, b, id=cluster, **said)
    assert rw.compare(y, a, b, id=cluster, cluster=cluster, **said).recipe.n_clusters == 60
    with pytest.raises(rw.errors.InvalidInputError, match="clusters already"):
        rw.compare(rw.Outcomes.from_arrays(y, a, b), id=cluster)


def test_joined_files_take_the_clusters_of_the_first(tmp_path, write):
    left = write(tmp_path / "a.csv", [("id", "y", "p", "g"), (1, 0, 0, "x"), (2, 1, 1, "x"), (3, 1, 0, "z")])
    right = write(tmp_path / "b.csv", [("id", "y", "p"), (3, 1, 1), (2, 1, 1), (1, 0, 1)])
    table = rw.join_outcomes(left, right, id="id", truth="y", prediction="p", cluster="g")
    assert table.n_clusters == 2


def test_few_clusters_are_warned_about(data):
    y, a, b, cluster = data
    with pytest.warns(rw.errors.DegenerateDataWarning, match="only 10 clusters"):
        rw.compare(y, a, b, metric="accuracy", cluster=cluster % 10, draws=50, rng=0)


def test_classical_tests_of_clustered_items_are_warned_about(data):
    y, a, b, cluster = data
    table = rw.Outcomes.from_arrays(y, a, b, names=["a", "b"], cluster=cluster)
    for test in (rw.classical.mcnemar, rw.classical.sign_items, rw.classical.battery):
        with pytest.warns(rw.errors.DependentItemsWarning, match="too small") as told:
            test(table, a="a", b="b")
        assert len(told) == 1


def test_a_confusion_matrix_of_clusters(data, silent):
    """Ten copies of every item in clusters of their own are as sure as one of each."""
    y, a, _, _ = data
    once = rw.analysis.confusion(y, a)
    tens = rw.analysis.confusion(np.tile(y, 10), np.tile(a, 10), cluster=np.tile(np.arange(300), 10), rng=0)
    assert tens.low == pytest.approx(once.low, abs=0.015)
    assert tens.high == pytest.approx(once.high, abs=0.015)
    naive = rw.analysis.confusion(np.tile(y, 10), np.tile(a, 10))
    assert (naive.high - naive.low).sum() < 0.5 * (tens.high - tens.low).sum()


def test_classical_tests_beside_clusters_are_doubted(data):
    y, a, b, cluster = data
    r = rw.compare(y, a, b, metric="accuracy", cluster=cluster, tests=True, draws=50, rng=0)
    assert any("mistrust" in note for note in r.notes)


def test_a_table_of_a_million_cells_is_summed_sparsely(rng):
    """The table of rows by clusters has as many entries as there are distinct pairs, not rows × clusters."""
    y = rng.integers(0, 50, 20_000)
    a = np.where(rng.random(20_000) < 0.8, y, rng.integers(0, 50, 20_000))
    table = rw.Outcomes.from_arrays(y, a, cluster=rng.integers(0, 5_000, 20_000))
    assert table.clusters.counts.sum() == 20_000
    assert table.clusters.matrix(len(table.codes)).nnz <= 20_000
    assert observed_psi([table], parse_metric("accuracy"))[0] == pytest.approx((y == a).mean())


def test_clusters_are_numbered_without_gaps():
    found = Clusters.of([0, 1, 1, 0], [9, 4, 4, 4], [1, 2, 3, 1], "abcdefghijk")
    assert found.ids == ("e", "j")
    assert (found.row.tolist(), found.cluster.tolist(), found.counts.tolist(), found.n) == (
        [0, 0, 1],
        [0, 1, 0],
        [1, 1, 5],
        2,
    )
