"""Counts as files: they answer as the rows would, add up, hide what they should, and are read with suspicion."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk.data.counts import Counts, hide_labels, merge_counts, write_counts
from ropewalk.data.kinds import COUNTS, TABLE, kind_of
from ropewalk.errors import ColumnNotFoundError, DataError, FileFormatError

LABELS = ["cat", "dog", "10", "9", "é\ud800"]
ITEMS = st.lists(
    st.tuples(*[st.sampled_from(LABELS)] * 3, st.integers(0, 6), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=30,
)
WEIGHTS = st.sampled_from([5.0, 0.9, 1.0, 1e-3])


def table_of(items, *, cluster=False, weight=False):
    y, a, b, ids, weights = zip(*items, strict=True)
    beside = {"cluster": [f"c{i}" for i in ids]} if cluster else {}
    return rw.Outcomes.from_arrays(y, a, b, names=["new", "old"], **beside, sample_weight=weights if weight else None)


def counted(table, path):
    table.save(path)
    return Counts(rw.read_counts(path), {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("counts")


@given(items=ITEMS, cut=st.integers(0, 30), cluster=st.booleans())
def test_counts_merged_are_counts_together(folder, items, cut, cluster):
    """Whatever the order of the items and the place of the cut; clusters whose ids are kept are one."""
    whole = table_of(items[::-1], cluster=cluster)
    parts = [part for part in (items[:cut], items[cut:]) if part]
    written = {str(i): counted(table_of(part, cluster=cluster), folder / f"{i}.json") for i, part in enumerate(parts)}
    merged = merge_counts(written).table
    assert merged == whole
    assert merged.to_json() == whole.to_json()


@given(items=ITEMS, cluster=st.booleans())
def test_weights_come_back_too(folder, items, cluster):
    table = table_of(items, cluster=cluster, weight=True)
    back = counted(table, folder / "w.json").table
    assert back == table
    assert back.is_weighted == table.is_weighted
    assert back.row_weights.tolist() == table.row_weights.tolist()


ANSWERS = {
    "labels": {},
    "clusters": {"cluster": True},
    "weights": {"weight": True},
    "weighted clusters": {"cluster": True, "weight": True},
}


@pytest.mark.parametrize("beside", ANSWERS.values(), ids=ANSWERS)
def test_answers_on_counts_are_those_on_rows_bit_by_bit(beside, folder, rng):
    y = rng.integers(0, 2, 300)
    columns = [np.where(rng.random(300) < right, y, rng.integers(0, 2, 300)) for right in (0.8, 0.7)]
    items = list(zip(y, *columns, rng.integers(0, 90, 300), rng.choice([1.0, 2.0], 300), strict=True))
    rows = table_of(items, **beside)
    table_of([items[i] for i in rng.permutation(300)], **beside).without_ids().save(folder / "c.json")
    for ask in (
        lambda data: rw.compare(data, a="new", b="old", rope=0.02, draws=1_000, rng=1).to_json(),
        lambda data: rw.evaluate(data, "new", metric=["accuracy", "f1"], pos_label=1, draws=1_000, rng=1).to_json(),
        lambda data: rw.rank(data, rope=0.02, draws=1_000, rng=1).to_json(),
        lambda data: rw.compare_classes(data, a="new", b="old", draws=500, rng=1).to_json(),
    ):
        assert ask(str(folder / "c.json")) == ask(rows)
    if beside:  # tests that take items as independent mention clusters, or refuse weights
        return
    here, there = (rw.classical.battery(data, a="new", b="old") for data in (folder / "c.json", rows))
    assert here.to_json() == there.to_json()


def test_items_with_any_number_of_labels(folder, rng):
    truth = rng.integers(0, 2, (80, 4))
    said = [np.where(rng.random((80, 4)) < 0.8, truth, 1 - truth) for _ in range(2)]
    clusters = rng.integers(0, 40, 80)
    for beside in ({}, {"cluster": clusters}, {"sample_weight": rng.choice([1.0, 3.0], 80)}):
        how = {"labels": ["d", "b", "c", "a"], "names": ["new", "old"]}
        whole = rw.MultilabelOutcomes.from_arrays(truth, *said, **how, **beside)
        whole.save(folder / "m.json")
        assert rw.read_counts(folder / "m.json") == whole
        first, other = (
            rw.MultilabelOutcomes.from_arrays(
                truth[h], *(s[h] for s in said), **how, **{name: values[h] for name, values in beside.items()}
            )
            for h in (slice(0, 30), slice(30, 80))
        )
        moved = other.over(["a", "b", "c", "d"])
        assert moved != other
        assert moved.over(["d", "b", "c", "a"]) == other
        assert first + moved.over(["d", "b", "c", "a"]) == whole
    answer = rw.compare(str(folder / "m.json"), a="new", b="old", metric="micro_f1", draws=500, rng=0)
    assert answer.to_json() == rw.compare(whole, metric="micro_f1", draws=500, rng=0).to_json()
    with pytest.raises(FileFormatError, match=r"it is a 'ropewalk\.multilabel'"):
        rw.Outcomes.load(folder / "m.json")


def test_labels_are_united_in_sorted_or_declared_order():
    one, two = (rw.Outcomes.from_arrays([label], ["b"], names=["m"]) for label in ("c", "a"))
    parts = {"one": Counts(one, {"truth": "y"}), "two": Counts(two, {"truth": "gold"})}
    assert merge_counts(parts).table.labels == ("a", "b", "c")
    assert merge_counts(parts).columns == {}
    assert merge_counts(parts, ["d", "c", "b", "a"]).table.labels == ("d", "c", "b", "a")
    with pytest.raises(rw.errors.UndeclaredLabelError, match="does not declare: 'c'"):
        merge_counts(parts, ["a", "b"])
    ints = Counts(rw.Outcomes.from_arrays([1], [0], names=["m"]), {})
    with pytest.raises(rw.errors.LabelTypeError, match=r"^'ints' does not fit the others: .* different types"):
        merge_counts(parts | {"ints": ints})


def test_systems_must_be_the_same_and_may_come_in_any_order():
    table = rw.Outcomes.from_arrays([1, 0], [1, 1], [0, 0], names=["new", "old"])
    parts = {"one": Counts(table, {}), "two": Counts(table.project(["old", "new"]), {})}
    assert merge_counts(parts).table == table + table
    other = Counts(table.rename(["new", "older"]), {})
    with pytest.raises(DataError, match="'one' counts 'new', 'old', and 'two' counts 'new', 'older'"):
        merge_counts({"one": parts["one"], "two": other})


def test_hidden_clusters_of_different_files_are_different(folder):
    table = rw.Outcomes.from_arrays([1, 1, 0], [1, 0, 0], cluster=["Ann", "Bob", "Ann"], names=["m"])
    table.without_ids().save(folder / "hidden.json")
    text = (folder / "hidden.json").read_text()
    assert "Ann" not in text
    hidden = [rw.read_counts(folder / "hidden.json") for _ in range(2)]
    assert [part.data_hash for part in hidden] == [table.data_hash] * 2
    assert sum(hidden).n_clusters == 4
    assert (table + table).n_clusters == 2
    assert sum([*hidden, table]).n_clusters == 6
    again = rw.Outcomes.from_json(sum([*hidden, table]).to_json())
    assert again.n_clusters == 6
    assert again.without_ids().to_json().count("null") == 0


@pytest.mark.parametrize("weight", [False, True])
def test_places_add_up_to_the_same_in_any_order(weight, rng):
    """Clusters without an id are told apart by what they hold, and by nothing else."""
    draw = rng.integers
    many = [[(*rng.choice(LABELS[:3], 3), draw(4), rng.choice([0.5, 2])) for _ in range(draw(1, 12))] for _ in range(6)]
    texts = [table_of(items, cluster=True, weight=weight).without_ids().to_json() for items in many]
    read = [rw.Outcomes.from_json(text) for text in (*texts, texts[0])]  # two places may hold the same
    whole = sum(read)
    for order in (read[::-1], read[3:] + read[:3], [sum(read[5:]), sum(read[:2]), sum(read[2:5])]):
        assert sum(order).to_json() == whole.to_json()
        assert sum(order).n_clusters == sum(table.n_clusters for table in read)
    assert sum(read[::-1]).data_hash == whole.data_hash


def test_class_names_can_be_hidden():
    table = rw.Outcomes.from_arrays(["ill", "well"], ["well", None], labels=["well", "sad", "ill"], missing="wrong")
    assert hide_labels(table).labels == (0, 1, 2, "(no answer)")
    assert hide_labels(table).counts.tolist() == table.counts.tolist()


@settings(max_examples=40)
@given(sites=st.tuples(ITEMS, ITEMS), weights=st.tuples(WEIGHTS, WEIGHTS), cluster=st.booleans())
def test_sites_of_one_weight_each_are_weighted_together(folder, sites, weights, cluster):
    """What every item of a site weighs tells nothing alone, and counts beside those of another."""
    plain = [table_of(items, cluster=cluster) for items in sites]
    rows = [[(*item[:-1], w) for item in items] for items, w in zip(sites, weights, strict=True)]
    whole, *parts = (table_of(items, cluster=cluster, weight=True) for items in ([*rows[0], *rows[1]], *rows))
    written = {str(i): counted(part, folder / f"{i}.json") for i, part in enumerate(parts)}
    for merged in (sum(parts), merge_counts(written).table):
        assert merged.to_json() == whole.to_json()
        assert (merged == sum(plain)) is (weights[0] == weights[1])
    assert parts == plain
    half = parts[0].project(["old"]).over(LABELS) + parts[1].project(["old"]).over(LABELS)
    assert half.row_weights == pytest.approx(whole.project(["old"]).over(LABELS).row_weights)


@pytest.mark.parametrize("cluster", [None, ["a", "b", "a", "c", "c"]])
def test_items_with_any_number_of_labels_of_one_weight_each_are_weighted_together(cluster):
    truth, said = np.eye(3, dtype=int)[[0, 1, 2, 0, 1]], np.eye(3, dtype=int)[[0, 2, 2, 1, 1]]

    def of(some, weight):
        return rw.MultilabelOutcomes.from_arrays(
            truth[some],
            said[some],
            labels=["tea", "corn", "oil"],
            sample_weight=weight,
            cluster=None if cluster is None else cluster[some],
        )

    parts = [of(slice(0, 3), [5] * 3), of(slice(3, 5), [0.9] * 2)]
    whole = of(slice(0, 5), [5, 5, 5, 0.9, 0.9])
    back = [rw.MultilabelOutcomes.from_json(part.to_json()) for part in parts]
    assert sum(parts) == sum(back) == whole
    assert sum(part.project(["A"]).over(["oil", "tea", "corn"]) for part in back) == whole.over(["oil", "tea", "corn"])
    assert sum(part.table("tea") for part in parts) == whole.table("tea")


def test_items_without_a_weight_weigh_one_beside_others():
    y, a = [1, 0, 1, 1], [1, 1, 1, 0]
    plain, heavy = rw.Outcomes.from_arrays(y[:2], a[:2]), rw.Outcomes.from_arrays(y[2:], a[2:], sample_weight=[3, 3])
    whole = rw.Outcomes.from_arrays(y, a, sample_weight=[1, 1, 3, 3])
    assert plain + heavy == heavy + plain == whole
    assert rw.Outcomes.empty([0, 1], ["A"]) + heavy + plain == whole
    assert "weight" not in plain.to_json()


def test_counts_are_known_by_their_content(folder):
    table = rw.Outcomes.from_arrays([1, 0], [1, 1], cluster=[5, 6])
    sorted_keys = json.dumps(json.loads(table.to_json({"truth": "y"})), sort_keys=True, indent=2)
    for name, content, known in (
        ("data.csv", table.to_json().encode(), True),
        ("sorted", sorted_keys.encode(), True),
        ("packed", gzip.compress(b"\xef\xbb\xbf" + table.to_json().encode()), True),
        ("long", json.dumps({"cluster_ids": ["x" * 99] * 2_000, "kind": "ropewalk.outcomes"}).encode(), True),
        ("rows.jsonl", b'{"kind": "x", "rows": 1}\n{"kind": "ropewalk.outcomes"}\n', False),
        ("answer", rw.evaluate([1, 0] * 9, [1, 1] * 9, draws=99).to_json().encode(), False),
        ("a.csv", b'kind,"ropewalk.outcomes"\n', False),
        ("empty", b"", False),
        ("binary", b"\x00\xff{", False),
    ):
        (folder / name).write_bytes(content)
        assert (kind_of(folder / name) is COUNTS) is known, name
    assert rw.read_counts(folder / "sorted") == rw.read_counts(folder / "packed") == table
    assert kind_of(folder) is not COUNTS
    assert kind_of(7) is TABLE


def document(**changes):
    whole = {"schema": 1, "kind": "ropewalk.outcomes", "labels": [0, 1], "names": ["a"], "rows": [[0, 1, 3], [1, 1, 2]]}
    return json.dumps(whole | changes)


WRONG = {
    "newer": (document(schema=2), r"a newer ropewalk wrote it \(schema 2\)"),
    "older": (document(schema=0), "no schema 0"),
    "schema is true": (document(schema=True), "no schema True"),
    "another kind": (document(kind="ropewalk.scores"), "it is no 'ropewalk.outcomes' of schema 1"),
    "twice": ('{"rows": [], ' + document()[1:], "the key 'rows' comes twice"),
    "cut off": (document()[:-9], r"not valid JSON .*\nHint: .* may be cut off"),
    "something after it": (document() + "{}", "something follows"),
    "negative": (document(rows=[[0, 1, -3]]), "must not be negative"),
    "fraction": (document(rows=[[0, 1, 1.5]]), r"whole numbers; got 1\.5"),
    "float": (document(rows=[[0, 1, 2.0]]), "whole numbers; got 2.0"),
    "bool": (document(rows=[[0, 1, True]]), "whole numbers; got True"),
    "NaN": (document(rows=[[0, 1, float("nan")]]), "whole numbers; got nan"),
    "text": (document(rows=[[0, 1, "3"]]), "whole numbers; got '3'"),
    "huge": (document(rows=[[0, 1, 10**400]]), "or more"),
    "many": (document(rows=[[0, 1, 2**52], [1, 1, 2**52]]), "items or more"),
    "short row": (document(rows=[[0, 1, 3], [1, 1]]), "one prediction per classifier"),
    "empty row": (document(rows=[[]]), "a row has no count"),
    "no rows": (document(rows={}), "an array was expected"),
    "row is no array": (document(rows=[3]), "must be arrays of counts"),
    "label out of range": (document(rows=[[0, 2, 3]]), "a label that is not there"),
    "labels alike": (document(labels=[1, "1", True]), "distinct ints, strs or bools"),
    "names alike": (document(names=["a", "a"]), "names must differ"),
    "ids without clusters": (document(cluster_ids=["x"]), "names clusters and has none"),
    "cluster in no row": (document(clusters=[[60_000_000, 0, 3]]), "do not add up"),
    "cluster far out": (document(clusters=[[0, 60_000_000, 3], [1, 0, 2]]), "without a gap"),
    "cluster gap": (document(clusters=[[0, 0, 3], [1, 2, 2]]), "without a gap"),
    "ids alike": (document(clusters=[[0, 0, 3], [1, 1, 2]], cluster_ids=[7, 7]), "distinct ids"),
    "too few ids": (document(clusters=[[0, 0, 3], [1, 1, 2]], cluster_ids=[7]), "distinct ids"),
    "id is NaN": (document(clusters=[[0, 0, 3], [1, 1, 2]], cluster_ids=[1.5, float("nan")]), "an id or a name"),
    "weights cut": (document(weights=[[0, 1], [1.0, 2.0]]), "three arrays"),
    "weights and more": (document(weights=[[0, 1], [1.0, 2.0], [3, 2], []]), "three arrays"),
    "weight below 0": (document(weights=[[0, 1], [1.0, -2.0], [3, 2]]), "must not be negative"),
    "weight NaN": (document(weights=[[0, 1], [1.0, float("nan")], [3, 2]]), "NaN"),
    "weights do not fit": (document(weights=[[0, 1], [1.0, 2.0], [3, 1]]), "do not fit"),
    "common weight of 0": (document(common_weight=0), "nor 0 throughout"),
    "common weight below 0": (document(common_weight=-1), "must not be negative"),
    "common weight NaN": (document(common_weight=float("nan")), "NaN"),
    "common weight endless": (document().replace("{", '{"common_weight": 1e999, ', 1), "must be finite"),
    "common weight huge": (document(common_weight=10**400), "must be finite"),
    "common weight true": (document(common_weight=True), "must be a number; got True"),
    "common weight of none": (document(common_weight=None), "must be a number; got None"),
    "common weight of some": (
        document(common_weight=2, weights=[[0, 1], [1, 2], [3, 2]]),
        "weigh the same, and do not",
    ),
    "columns": (document(columns=["y"]), "columns must have names"),
    "left out": (document(left_out=-1), "must not be negative"),
    "deep": ('{"x": ' + "[" * 100_000, "nested too deeply"),
    "an answer": (json.dumps({"schema": 1, "metric": "f1", "recipe": {}}), "it is an answer of ropewalk"),
    "a list": ("[]", "an object was expected"),
    "multilabel pairs": (document(kind="ropewalk.multilabel", rows=[[0, 1]]), "pairs of a label and bits"),
    "multilabel bits": (document(kind="ropewalk.multilabel", rows=[[0, 4, 1]]), "a classifier that is not there"),
    "multilabel twice": (document(kind="ropewalk.multilabel", rows=[[0, 1, 0, 2, 1]]), "lists a label twice"),
}


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG)
def test_a_file_of_counts_is_read_with_suspicion(folder, text, told):
    (folder / "wrong.json").write_text(text)
    with pytest.raises(FileFormatError, match=told) as caught:
        rw.read_counts(folder / "wrong.json")
    assert "wrong.json' is not a table of outcomes: " in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("part", ["[],", "[0,0,1],", "[0,0,1e9],"])
def test_memory_is_bounded_by_the_numbers_of_a_long_file(folder, part):
    """Python's own lists of these rows would take over 5 MB; none of them is a table."""
    with gzip.open(folder / "long.json", "wt", compresslevel=1) as file:
        file.write(document()[:-2].replace("[[0", "[[0,0],[0") + "," + part * 50_000)
    tracemalloc.start()
    with pytest.raises(FileFormatError):
        rw.read_counts(folder / "long.json")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_500_000


def test_what_a_file_may_hold_is_bounded(folder, monkeypatch):
    (folder / "long.json").write_text(document(labels=[*range(40)], rows=[[0, 1, 1]] * 40))
    assert rw.read_counts(folder / "long.json").n_items == 40
    monkeypatch.setattr("ropewalk.data.table_json.MAX_NUMBERS", 99)
    with pytest.raises(FileFormatError, match="more than 99 numbers"):
        rw.read_counts(folder / "long.json")
    monkeypatch.setattr("ropewalk.data.table_json.MAX_NAMES", 39)
    with pytest.raises(FileFormatError, match="more than 39 labels"):
        rw.read_counts(folder / "long.json")


@pytest.mark.parametrize("cluster", [[1, 2], np.arange(2), "other"])
def test_clusters_that_a_file_does_not_count_are_refused(folder, cluster):
    table = rw.Outcomes.from_arrays([0, 1], [0, 1], [1, 1], cluster=["x", "y"])
    write_counts(folder / "clustered.json", Counts(table, {"cluster": "patient"}))
    with pytest.raises(ColumnNotFoundError, match="holds counts of 'patient' as `cluster`"):
        rw.compare(folder / "clustered.json", cluster=cluster)
