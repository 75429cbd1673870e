"""`Outcomes`: what is counted, what merges, what survives a trip to disk."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk import Outcomes
from ropewalk.errors import (
    ColumnNotFoundError,
    CountsError,
    FileFormatError,
    InvalidInputError,
    LabelTypeError,
    UnreadableFileError,
)
from strategies import confusions, label_lists, pair_counts


def test_counts_every_distinct_row_once():
    o = Outcomes.from_arrays(list("aabb"), list("aaba"), list("abbb"))
    assert o.labels == ("a", "b")
    assert o.codes.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]]
    assert o.counts.tolist() == [1, 1, 1, 1]
    assert o.n_items == 4
    assert o.names == ("A", "B")


@given(st.data(), label_lists)
def test_the_order_of_items_leaves_no_trace(data, truth):
    predicted = data.draw(st.lists(st.sampled_from(["cat", "dog"]), min_size=len(truth), max_size=len(truth)))
    order = data.draw(st.permutations(range(len(truth))))
    one = Outcomes.from_arrays(truth, predicted)
    two = Outcomes.from_arrays([truth[i] for i in order], [predicted[i] for i in order])
    assert one == two
    assert one.data_hash == two.data_hash


@given(pair_counts, pair_counts)
def test_merging_tables_is_counting_together(first, second):
    merged = Outcomes.from_counts(first) + Outcomes.from_counts(second)
    assert merged == Outcomes.from_counts(first + second)


def test_tables_sum_and_remember_what_was_left_out():
    one = Outcomes.from_arrays([1, 0], [1, 1])
    assert sum([one, one, one]) == one + one + one
    with pytest.warns(rw.errors.DroppedItemsWarning):
        two = Outcomes.from_arrays([1, None, None], [1, 1, 1], missing="drop")
    assert (one + two).project(["A"]).collapse(1).rename(["x"]).left_out == 2
    assert two == Outcomes.from_arrays([1], [1])


def test_merging_tables_with_different_labels_takes_them_all():
    one = Outcomes.from_arrays([2, 10], [2, 10])
    two = Outcomes.from_arrays([9], [2])
    assert (one + two) == Outcomes.from_arrays([2, 10, 9], [2, 10, 2])
    assert (one + two).labels == (2, 9, 10)


@given(pair_counts)
def test_a_table_survives_json_and_a_file(counts):
    o = Outcomes.from_counts(counts, labels=["no", "yes"], names=["x", "y"])
    assert Outcomes.from_json(o.to_json()) == o


def test_save_and_load(tmp_path, news):
    news.outcomes.save(tmp_path / "o.json")
    assert Outcomes.load(tmp_path / "o.json") == news.outcomes
    assert [p.name for p in tmp_path.iterdir()] == ["o.json"]


@given(confusions)
def test_a_confusion_matrix_comes_back(matrix):
    assert Outcomes.from_confusion(matrix).confusion().tolist() == matrix.tolist()


def test_projection_keeps_the_classifiers_named_in_their_order(news):
    o = news.outcomes.project(["svm_l2", "nb_mult"])
    expected = Outcomes.from_arrays(
        news.y_true, news.predictions["svm_l2"], news.predictions["nb_mult"], names=["svm_l2", "nb_mult"]
    )
    assert o == expected


def test_one_vs_rest_collapse_is_counting_the_indicator(news):
    mine = news.outcomes.project(["nb_mult"]).collapse(8).confusion()
    truth, predicted = news.y_true == 8, news.predictions["nb_mult"] == 8
    assert mine.tolist() == [
        [int((~truth & ~predicted).sum()), int((~truth & predicted).sum())],
        [int((truth & ~predicted).sum()), int((truth & predicted).sum())],
    ]


def test_pairs_come_in_the_papers_order():
    o = Outcomes.from_pairs(positive=(300, 60, 35, 40), negative=(30, 20, 40, 400), names=["bert", "svm"])
    assert o.confusion("bert").tolist() == [[440, 50], [75, 360]]
    assert o.confusion("svm").tolist() == [[420, 70], [100, 335]]
    assert o.agreement("bert", "svm") == {"both": 700, "only_a": 100, "only_b": 55, "neither": 70}


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_any_number_of_classes_and_classifiers(m, rng):
    columns = rng.integers(m, size=(4, 200))
    o = Outcomes.from_arrays(*columns, labels=range(m))
    assert (o.n_labels, o.n_classifiers, o.n_items) == (m, 3, 200)
    dense = np.zeros((m,) * 4, dtype=int)
    np.add.at(dense, tuple(columns), 1)
    assert o == Outcomes.from_counts(dense)


@pytest.mark.parametrize(("labels", "classifiers"), [(3, 2), (2_000, 7)])
def test_rows_are_sorted_and_distinct_however_many_labels_there_are(labels, classifiers, rng):
    """Few labels are sorted by one integer a row, very many as rows."""
    few = rng.integers(0, labels, (40, 1 + classifiers))
    items = few[rng.integers(0, 40, 500)]
    o = Outcomes.from_arrays(*items.T, labels=range(labels))
    rows, counts = np.unique(items, axis=0, return_counts=True)
    assert o.codes.tolist() == rows.tolist()
    assert o.counts.tolist() == counts.tolist()


def test_declared_labels_keep_their_order_and_may_be_absent():
    o = Outcomes.from_arrays(["low"], ["high"], labels=["low", "mid", "high"])
    assert o.labels == ("low", "mid", "high")


def test_labels_are_ordered_as_numbers_if_all_are_integer_literals():
    assert Outcomes.from_arrays(["10", "9"], ["2", "9"]).labels == ("2", "9", "10")
    assert Outcomes.from_arrays(["10", "9"], ["x", "9"]).labels == ("10", "9", "x")
    assert Outcomes.from_arrays([10, 9], [-2, 9]).labels == (-2, 9, 10)


def test_a_table_does_not_change(table):
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0] = 1
    with pytest.raises(AttributeError):
        table.labels = ()


def test_the_hash_is_the_same_for_text_and_integer_labels():
    ints = Outcomes.from_arrays([1, 0], [1, 1])
    texts = Outcomes.from_arrays(["1", "0"], ["1", "1"])
    assert ints != texts
    assert ints.data_hash == texts.data_hash


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        ([[1, -2], [3, 4]], "negative"),
        ([[1, 0.5], [3, 4]], "whole numbers"),
        ([[1, float("nan")], [3, 4]], "NaN"),
        ([[1, float("inf")], [3, 4]], "NaN or infinity"),
        ([[1, 2, 3], [4, 5, 6]], "square"),
        ([[1, 2], [3]], "ragged"),
        ([["1", "2"], ["3", "4"]], "whole numbers"),
        ([1, 2], "square"),
        (np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]), "masked"),
        ([[True, False], [False, True]], "whole numbers"),
    ],
)
def test_a_bad_confusion_matrix_is_refused(matrix, told):
    with pytest.raises(CountsError, match=told):
        Outcomes.from_confusion(matrix)


@pytest.mark.parametrize("kind", ["i1", ">i4", "u8", "f2", "f8"])
def test_counts_of_any_type_of_number_are_counts(kind):
    matrix = np.array([[9, 1], [2, 8]], dtype=kind)
    assert Outcomes.from_confusion(matrix) == Outcomes.from_confusion([[9, 1], [2, 8]])


@pytest.mark.parametrize("kind", ["i8", "f8", "g"])
def test_more_items_than_floats_can_count_are_refused(kind):
    with pytest.raises(CountsError, match="more than 2"):
        Outcomes.from_confusion(np.full((2, 2), 2**52, dtype=kind))


def test_bad_tables_are_refused():
    with pytest.raises(CountsError, match="same length M"):
        Outcomes.from_counts(np.zeros((2, 3, 2)))
    with pytest.raises(CountsError, match="3 labels"):
        Outcomes.from_counts(np.zeros((2, 2)), labels=[1, 2, 3])
    with pytest.raises(CountsError, match="four counts"):
        Outcomes.from_pairs(positive=(1, 2, 3), negative=(1, 2, 3, 4))
    with pytest.raises(ColumnNotFoundError, match="svm_l2"):
        rw.examples.news20().outcomes.project(["svm_12"])
    with pytest.raises(ColumnNotFoundError, match="same classifiers"):
        Outcomes.from_confusion(np.eye(2), name="a") + Outcomes.from_confusion(np.eye(2), name="b")
    with pytest.raises(LabelTypeError, match="different types"):
        Outcomes.from_arrays(["1"], ["0"]) + Outcomes.from_arrays([1], [0])
    with pytest.raises(InvalidInputError, match="differ"):
        Outcomes.from_arrays([1], [1], [0], names=["a", "a"])
    with pytest.raises(InvalidInputError, match="repeat"):
        Outcomes.from_arrays([1], [1], labels=[1, 1])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: Outcomes.from_rows(5), "`rows` must be rows"),
        (lambda: Outcomes.from_rows([1, 2]), "`rows` must be rows"),
        (lambda: Outcomes.from_rows([(1, 1)], 5), "`counts` numbers"),
        (lambda: Outcomes.from_rows({1: 1}), "`rows` must be rows"),
        (lambda: Outcomes.from_rows([(1, 1), (1, 1, 1)]), "Every row must hold"),
        (lambda: Outcomes.from_rows([(1, 1)], [1, 2]), "1 row and 2 counts"),
        (lambda: Outcomes.from_arrays([1], [1], names=5), "`names` must be"),
        (lambda: Outcomes.from_arrays([1], [1], names={"x"}), "`names` must be"),
        (lambda: rw.read_outcomes("x.csv", truth="y", predictions=5), "must be a list of texts"),
        (lambda: rw.read_outcomes("x.csv", truth="y", predictions=["a"], missing=["drop"]), "treat missing labels"),
        (
            lambda: rw.join_outcomes("x", "y", id="i", truth="t", prediction="p", unmatched=[1]),
            "`unmatched` must be a text",
        ),
        (lambda: Outcomes.from_confusion([[1, 2], [3, 4]]).relabel([1]), "1 labels were given for 2 classes"),
        (
            lambda: Outcomes.from_confusion([[1, 2], [3, 4]]).relabel({0: "no", 1: "yes"}),
            "must be a sequence of labels",
        ),
        (lambda: Outcomes.from_confusion([[1, 2], [3, 4]], labels={"no", "yes"}), "must be a sequence of labels"),
        (lambda: Outcomes.from_confusion([[1, 2], [3, 4]]).project([]), "Name at least one classifier"),
    ],
)
def test_a_wrong_call_is_a_clear_value_error(call, told):
    with pytest.raises(InvalidInputError, match=told):
        call()


def test_results_and_tables_can_be_pickled_and_copied(news):
    r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, metric="fbeta(2)", rope=0.05, rng=0, draws=1000)
    assert pickle.loads(pickle.dumps(r)).to_dict() == copy.deepcopy(r).to_dict() == r.to_dict()
    assert pickle.loads(pickle.dumps(news.outcomes)) == news.outcomes
    assert r == r  # noqa: PLR0124
    assert len({r, r}) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "ropewalk.outcomes", "schema": 1}', "not json",
    '{"kind": "ropewalk.outcomes", "schema": 1, "labels": [0, 1], "names": ["a"], "rows": [[0, 7, 3]]}',
    '{"kind": "ropewalk.outcomes", "schema": 1, "labels": [0, 1], "names": ["a"], "rows": [[0, 1]]}',
    '{"kind": "ropewalk.outcomes", "schema": 1, "labels": [[0]], "names": ["a"], "rows": []}',
    '{"kind": "ropewalk.outcomes", "schema": 1, "labels": [1, 1], "names": ["a"], "rows": []}',
    '{"kind": "ropewalk.outcomes", "schema": 1, "labels": [0, 1], "names": ["a"], "rows": [[0, 1, 1.7]]}',
    "[" * 100_000,
])  # fmt: skip
def test_json_that_is_no_table_is_refused(text):
    with pytest.raises(FileFormatError, match="not a table of outcomes"):
        Outcomes.from_json(text)


def test_a_file_that_holds_no_table_or_is_not_there(tmp_path):
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="not UTF-8 text"):
        Outcomes.load(tmp_path / "b.json")
    with pytest.raises(UnreadableFileError, match="No such file"):
        Outcomes.load(tmp_path / "nothing.json")
    with pytest.raises(UnreadableFileError, match="Cannot write"):
        Outcomes.from_confusion(np.eye(2)).save(tmp_path / "no" / "o.json")
