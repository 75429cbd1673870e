"""The items behind a comparison: the right ones, in the right order, read again from where they are."""

import copy
import csv
import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ropewalk as rw
from ropewalk.errors import DataError, InvalidInputError, UnreadableFileError
from ropewalk.results.items import CHANGES
from ropewalk.text.writing import safe_cell

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

RNG = np.random.default_rng(8)
N = 400
TRUTH = RNG.integers(4, size=N)
A, B = (np.where(RNG.random(N) < 0.7, TRUTH, RNG.integers(4, size=N)) for _ in range(2))
FEW = {"draws": 50, "rng": 0, "model": "bootstrap"}  # which takes no time: the answer is not what is looked at


def compared(*data, **options):
    return rw.compare(*data, **({"metric": "accuracy"} | FEW | options))


def by_hand(truth, a, b, keys=None):
    """Return (key, truth, a, b, change) of the items that differ, by a loop."""
    rows = []
    for i, (right, one, other) in enumerate(zip(truth, a, b, strict=True)):
        if one != other:
            change = "gained" if one == right else "lost" if other == right else "both wrong"
            rows.append((i if keys is None else keys[i], right, one, other, change))
    return sorted(rows, key=lambda row: CHANGES.index(row[-1]))  # stable: the order of the data within a kind


def rows_of(items):
    return [tuple(item[:5]) for item in items]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "predictions.csv"
    pd.DataFrame({"doc": [f"d{i}" for i in range(N)], "y": TRUTH, "new": A, "old": B}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "kind", [np.asarray, list, pd.Series, pl.Series, lambda x: pd.Series(x, index=np.arange(N)[::-1])]
)
def test_items_of_arrays_are_those_of_a_loop(kind):
    items = compared(kind(TRUTH), kind(A), kind(B), names=["new", "old"]).items()
    assert rows_of(items) == by_hand(TRUTH.tolist(), A.tolist(), B.tolist())
    assert len(items) == (A != B).sum() == sum(items.counts.values())
    assert list(items.columns.values()) == ["position", "truth", "new", "old", "change"]


def test_counts_are_those_of_the_table():
    r = compared(TRUTH, A, B)
    agreement = r.recipe.tables[0].agreement("A", "B")
    assert r.items().counts["gained"] == agreement["only_a"]
    assert r.items().counts["lost"] == agreement["only_b"]


def test_a_part_of_them():
    r = compared(TRUTH, A, B)
    whole = r.items()
    assert rows_of(r.items(only="gained")) == [row for row in rows_of(whole) if row[-1] == "gained"]
    assert rows_of(r.items(limit=5)) == rows_of(whole)[:5]
    assert r.items(limit=5).counts == whole.counts
    assert rows_of(r.items(only="both wrong", limit=2)) == rows_of(r.items(only="both wrong"))[:2]
    with pytest.raises(InvalidInputError, match="kind of item"):
        r.items(only="losses")
    with pytest.raises(InvalidInputError, match="`limit`"):
        r.items(limit=0)


@pytest.mark.parametrize(
    "read", [str, pd.read_csv, pl.read_csv, pl.scan_csv, lambda path: pl.read_csv(path).to_arrow()]
)
def test_items_of_tables_have_their_ids(file, read):
    table = read(file)
    r = compared(table, truth="y", a="new", b="old", id="doc")
    ids = [f"d{i}" for i in range(N)]
    texts = [[str(x) for x in column] for column in (TRUTH, A, B)] if read is str else [TRUTH, A, B]
    assert rows_of(r.items()) == by_hand(*(list(column) for column in texts), keys=ids)
    assert r.items().columns["key"] == "doc"


def test_a_table_that_was_read_before_knows_its_items(file):
    table = rw.read_outcomes(file, truth="y", predictions=["old", "new"])
    expected = compared(str(file), truth="y", a="new", b="old").items()
    assert rows_of(compared(table, a="new", b="old").items()) == rows_of(expected)
    renamed = compared(table.project(["new", "old"]).rename(["x", "z"]))
    assert rows_of(renamed.items()) == rows_of(expected)


def test_two_files_are_joined_again(tmp_path):
    order = np.random.default_rng(1).permutation(N)
    for name, column, places in (("a", A, np.arange(N)), ("b", B, order)):
        frame = pd.DataFrame({"id": places, "y": TRUTH[places], "p": column[places]})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    table = rw.join_outcomes(tmp_path / "a.csv", tmp_path / "b.csv", id="id", truth="y", prediction="p")
    texts = [[str(x) for x in column] for column in (TRUTH, A, B, range(N))]
    assert rows_of(compared(table).items()) == by_hand(*texts[:3], keys=texts[3])


def test_one_class_against_the_rest_has_the_labels_of_the_data():
    items = compared(TRUTH, A, B, metric="f1", pos_label=2).items()
    differ = (A == 2) != (B == 2)
    assert sorted(item.key for item in items) == np.flatnonzero(differ).tolist()
    assert all(A[item.key] == item.a and TRUTH[item.key] == item.truth for item in items)
    assert items.counts["both wrong"] == 0
    assert {item.change for item in items if item.truth == 2 and item.a == 2} == {"gained"}
    collapsed = rw.Outcomes.from_arrays(TRUTH, A, B).collapse(2)
    assert rows_of(compared(collapsed, metric="f1", pos_label=2).items()) == rows_of(items)


def test_missing_answers():
    truth, a, b = [1, 1, 0, 2], [1, None, 0, 1], [0, 1, None, 0]
    dropped = compared(truth, a, b, missing="drop").items()
    assert rows_of(dropped) == [(0, 1, 1, 0, "gained"), (3, 2, 1, 0, "both wrong")]
    wrong = compared(truth, a, b, missing="wrong").items()
    assert rows_of(wrong) == [
        (1, 1, None, 1, "lost"),
        (0, 1, 1, 0, "gained"),
        (2, 0, 0, None, "gained"),
        (3, 2, 1, 0, "both wrong"),
    ]


def test_an_item_that_a_third_one_left_open_is_not_listed():
    table = rw.Outcomes.from_arrays([1, 0, 1], [1, 1, 0], [0, 0, 0], [1, None, 1], names=list("abc"), missing="drop")
    assert [item.key for item in compared(table, a="a", b="b").items()] == [0]


def test_a_model_that_does_not_pair_has_items_too():
    items = compared(TRUTH, A, B, model="unpaired").items()
    assert rows_of(items) == by_hand(TRUTH.tolist(), A.tolist(), B.tolist())


def test_clusters_change_nothing():
    cluster = np.arange(N) // 2
    assert rows_of(compared(TRUTH, A, B, cluster=cluster).items()) == rows_of(compared(TRUTH, A, B).items())


# -- scores ------------------------------------------------------------------------------------------------

SCORE_A, SCORE_B = (np.round(RNG.random(N), 1) for _ in range(2))
POSITIVE = (TRUTH > 1).astype(int)


def test_scores_come_by_their_difference():
    items = compared(POSITIVE, SCORE_A, SCORE_B, metric="roc_auc", id=np.arange(N) + 1_000).items()
    difference = SCORE_A - SCORE_B
    order = sorted(np.flatnonzero(difference), key=lambda i: (-abs(difference[i]), i))
    assert [item.key for item in items] == [i + 1_000 for i in order]
    assert [item.difference for item in items] == [difference[i] for i in order]
    towards = np.where(POSITIVE == 1, difference, -difference)
    assert [item.change for item in items] == ["gained" if towards[i] > 0 else "lost" for i in order]
    assert items.counts == {"lost": (towards < 0).sum(), "gained": (towards > 0).sum()}


def test_a_mean_needs_no_truth():
    r = compared(SCORE_A, SCORE_B, metric="mean", higher_is_better=False)
    items = r.items(only="lost")
    assert all(item.a > item.b and item.truth is None for item in items)
    assert len(items) == (SCORE_A > SCORE_B).sum()
    assert list(items.columns.values()) == ["position", "A", "B", "change", "difference"]


def test_scores_of_classes_are_those_of_the_true_class():
    a, b = (RNG.dirichlet(np.ones(4), N) for _ in range(2))
    items = compared(TRUTH, a, b, metric="log_loss").items(limit=10)
    assert all(item.a == a[item.key, item.truth] and item.b == b[item.key, item.truth] for item in items)
    picked = compared(TRUTH, a, b, metric="roc_auc", pos_label=3).items(limit=10)
    assert all(item.a == a[item.key, 3] for item in picked)


@pytest.mark.parametrize("read", ["arrays", "frame", "file"])
def test_labels_without_weight_are_not_listed(file, tmp_path, read):
    weight = np.where(np.arange(N) < 100, 0.0, 1.0 + np.arange(N) % 3)
    if read == "arrays":
        r = compared(TRUTH, A, B, sample_weight=weight)
    else:
        frame = pd.read_csv(file).assign(w=weight)
        frame.to_csv(tmp_path / "weighted.csv", index=False)
        source = frame if read == "frame" else tmp_path / "weighted.csv"
        r = compared(source, truth="y", a="new", b="old", sample_weight="w")
    differ = np.flatnonzero((A != B) & (weight > 0)).tolist()
    assert sorted(item.key for item in r.items()) == differ


def test_what_has_no_weight_is_not_listed():
    weight = np.arange(N) % 2
    items = compared(POSITIVE, SCORE_A, SCORE_B, metric="roc_auc", sample_weight=weight).items()
    assert all(item.key % 2 for item in items)
    assert len(items) == ((SCORE_A != SCORE_B) & (weight > 0)).sum()


# -- where there are none, and where they have changed ------------------------------------------------------


def test_data_without_items_say_so():
    table = rw.Outcomes.from_counts([[[40, 4], [2, 3]], [[4, 3], [6, 30]]])
    for r in (compared(table), compared(rw.Outcomes.from_json(rw.Outcomes.from_arrays(TRUTH, A, B).to_json()))):
        with pytest.raises(DataError, match="Only counts are known"):
            r.items()
    one, other = (rw.Outcomes.from_arrays(TRUTH[part], A[part]) for part in (slice(200), slice(200, 400)))
    with pytest.raises(DataError, match="separate items"):
        compared(one, other, model="unpaired").items()
    with pytest.raises(DataError, match="number of labels"):
        compared(TRUTH[:, None] == [0, 1], A[:, None] == [0, 1], B[:, None] == [0, 1], metric="micro_f1").items()
    with pytest.raises(DataError, match="Only counts"):
        compared(TRUTH, iter(A.tolist()), B).items()


def test_data_that_have_changed_are_refused(file):
    a = A.copy()
    r = compared(TRUTH, a, B)
    assert len(r.items())
    a[:9] = (a[:9] + 1) % 4
    with pytest.raises(DataError, match="have changed"):
        r.items()
    r = compared(str(file), truth="y", a="new", b="old")
    file.write_text(file.read_text(encoding="utf-8").replace("d7,", "d7,1", 1), encoding="utf-8")
    with pytest.raises(DataError, match="have changed"):
        r.items()
    file.unlink()
    with pytest.raises(UnreadableFileError):
        r.items()


def test_files_survive_a_pickle_and_arrays_are_left_behind(file):
    r = compared(TRUTH, A, B)
    assert len(copy.deepcopy(r).items()) == len(r.items())
    sent = pickle.loads(pickle.dumps(r))
    assert np.array_equal(sent.draws.psi, r.draws.psi)
    with pytest.raises(DataError, match="pickled without"):
        sent.items()
    read = compared(str(file), truth="y", a="new", b="old")
    assert rows_of(pickle.loads(pickle.dumps(read)).items()) == rows_of(read.items())
    lazy = compared(pl.scan_csv(file), truth="y", a="new", b="old")
    assert pickle.loads(pickle.dumps(lazy)).mean == lazy.mean


def test_nothing_is_copied():
    table = rw.Outcomes.from_arrays(TRUTH, A, B)
    assert table.source.data[1] is A


def test_the_json_of_a_result_knows_nothing_of_it(file):
    table = rw.read_outcomes(file, truth="y", predictions=["new", "old"])
    plain = rw.Outcomes.from_json(table.to_json())
    assert compared(table, a="new", b="old").to_json() == compared(plain, a="new", b="old").to_json()


# -- as CSV, as a dataframe, as text ------------------------------------------------------------------------


HOSTILE = ["=1+1", "-2", "+a", "@b", "\tc", "a,b", 'q"q', "line\nbreak", "'x", "plain", "-", "1e5"]


def test_csv_escapes_formulas_and_nothing_else(tmp_path):
    truth, a, b = ["=x"] * 12, ["=x"] * 6 + ["-1"] * 6, ["-1"] * 6 + ["=x"] * 6
    r = compared(truth, a, b, id=HOSTILE, names=["=new", "-old"], labels=["=x", "-1"])
    text = r.items().to_csv(tmp_path / "items.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "items.csv").read_text(encoding="utf-8"))))
    assert text == (tmp_path / "items.csv").read_text(encoding="utf-8")
    assert rows[0] == ["id", "truth", "'=new", "'-old", "change"]
    assert {row[0] for row in rows[1:]} == {safe_cell(x) for x in HOSTILE}
    assert {row[2] for row in rows[1:]} == {"'=x", "-1"}
    assert [x for x in HOSTILE if safe_cell(x) != x] == ["=1+1", "+a", "@b", "\tc", "-"]
    bare = list(csv.reader(io.StringIO(r.items().to_csv(escape=False))))
    assert {row[0] for row in bare[1:]} == set(HOSTILE)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["truth", "change"], ["position", "truth", "prediction of truth", "prediction of change", "change"]),
        (["position", "prediction of position"],
         ["position", "truth", "prediction of prediction of position", "prediction of position", "change"]),
    ],
)  # fmt: skip
def test_headings_differ(names, expected):
    columns = compared(TRUTH, A, B, names=names).items().columns
    assert list(columns) == ["key", "truth", "a", "b", "change"]
    assert len(set(columns.values())) == 5
    assert list(columns.values())[:2] == expected[:2]
    assert columns["b"] == expected[3]


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_of_the_kind_of_the_data(library):
    frame = library.DataFrame({"y": TRUTH, "new": A, "old": B})
    items = compared(frame, truth="y", a="new", b="old").items()
    made = items.to_frame()
    assert isinstance(made, library.DataFrame)
    assert list(made.columns) == list(items.columns.values())
    assert made["new"].to_list() == [item.a for item in items]
    assert isinstance(compared(TRUTH, A, B).items().to_frame(), pd.DataFrame)


def test_it_says_what_it_is():
    items = compared(TRUTH, A, B, names=["<b>new", "old"]).items()
    told = str(items)
    assert f"{items.counts['lost']} lost" in told
    assert f"… and {len(items) - 20} more" in told
    assert "<b>" not in items.to_html()
    assert items.to_dict()["items"][0] == dict(zip(items.columns.values(), items[0][:5], strict=True))
    assert "differ on no item" in str(compared(TRUTH, A, A).items())
