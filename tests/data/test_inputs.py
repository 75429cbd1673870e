"""Arrays, dataframes and files become the same table."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import warnings

import numpy as np
import pytest

import ropewalk as rw
from ropewalk import Outcomes, read_outcomes
from ropewalk.data.columns import count_columns
from ropewalk.data.files import column_names
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    DroppedItemsWarning,
    FileFormatError,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    LookalikeLabelsWarning,
    MissingDependencyError,
    MissingLabelsError,
    PairingError,
    UnreadableFileError,
)
from ropewalk.models import observed_psi
from support import need

COLUMNS = {"y": [1, 0, 1, 1, 0], "a": [1, 0, 0, 1, 1], "b": [1, 1, 1, 1, 0]}
TEXT = {name: [str(v) for v in values] for name, values in COLUMNS.items()}
INTS = Outcomes.from_arrays(*COLUMNS.values(), names=["a", "b"])
TEXTS = Outcomes.from_arrays(*TEXT.values(), names=["a", "b"])


# -- arrays -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64", "float64", "object"])
def test_arrays_of_any_integer_type_count_alike(dtype):
    o = Outcomes.from_arrays(*(np.array(c, dtype=dtype) for c in COLUMNS.values()), names=["a", "b"])
    assert o == INTS


def test_lists_tuples_and_series_count_alike():
    pandas, polars = need("pandas"), need("polars")
    for make in (list, tuple, pandas.Series, polars.Series, lambda c: np.array(c).reshape(-1, 1)):
        assert Outcomes.from_arrays(*(make(c) for c in COLUMNS.values()), names=["a", "b"]) == INTS


def test_booleans_stay_booleans():
    o = Outcomes.from_arrays([True, False], np.array([True, True]))
    assert o.labels == (False, True)
    assert all(type(label) is bool for label in o.labels)


@pytest.mark.parametrize("spread", [1, 1_000, 10**6, 10**12])
def test_counting_by_chunks_equals_counting_one_by_one(rng, spread):
    """More rows than a chunk, with small, wide and very wide labels."""
    columns = [rng.integers(-2, 5, 300_001) * spread for _ in range(3)]
    counted = count_columns(columns, ["y", "a", "b"])
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    assert counted == dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))


def test_many_distinct_labels_are_counted_without_a_dense_table(rng):
    columns = [rng.integers(0, 3_000, 5_000) for _ in range(3)]
    counted = count_columns(columns, ["y", "a", "b"])
    assert sum(counted.values()) == 5_000
    assert all(type(v) is int for row in counted for v in row)


def test_lengths_must_agree():
    with pytest.raises(LengthMismatchError, match=r"y_true 3.*'A' 2"):
        Outcomes.from_arrays([1, 0, 1], [1, 0])


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (([1, 0], ["1", "0"]), r"int\).*text|text\).*int"),
        (([1, "1"], [1, 1]), "mixes"),
        (([1, 0], [True, False]), "bool"),
        (([1, 0], [1.0, 0.0]), "float"),
        (([1, True], [1, 0]), "mixes"),
        (([0.5, 1.0], [1.0, 0.0]), "fraction"),
        (([float("inf"), 1.0], [1.0, 0.0]), "inf"),
        (([b"a"], [b"b"]), "bytes"),
        (([(1, 2)], [(1, 2)]), "lists or structures"),
    ],
)
def test_labels_of_different_types_are_refused(columns, told):
    with pytest.raises(LabelTypeError, match=told):
        Outcomes.from_arrays(*columns)


@pytest.mark.parametrize("bad", ["abc", 3, {"a": 1}, None])
def test_what_is_no_column_is_refused(bad):
    with pytest.raises(InvalidInputError, match="sequence of labels"):
        Outcomes.from_arrays([1], bad)


def test_indicator_matrices_are_not_taken_for_labels():
    with pytest.raises(InvalidInputError, match="one-dimensional"):
        Outcomes.from_arrays(np.eye(3, dtype=int), np.eye(3, dtype=int))


def test_all_float_columns_of_whole_numbers_are_integers():
    assert Outcomes.from_arrays([1.0, 0.0], [1.0, 1.0]).labels == (0, 1)


def test_empty_columns_need_declared_labels():
    with pytest.raises(LengthMismatchError, match="empty"):
        Outcomes.from_arrays([], [])
    assert Outcomes.from_arrays([], [], labels=[0, 1]).n_items == 0


# -- missing labels -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hole", [None, float("nan"), np.nan])
def test_missing_labels_are_counted_and_refused(hole):
    with pytest.raises(MissingLabelsError, match=r"2 items with a null or NaN label \(1 in y_true, 1 in"):
        Outcomes.from_arrays([1, hole, 0], [1, 1, hole])


def test_missing_items_can_be_dropped():
    with pytest.warns(DroppedItemsWarning, match="2 of 4 items"):
        o = Outcomes.from_arrays([1, None, 0, 1], [1, 1, None, 0], missing="drop")
    assert o == Outcomes.from_arrays([1, 1], [1, 0])
    with pytest.raises(DataError, match="no items"), pytest.warns(DroppedItemsWarning):
        Outcomes.from_arrays([1, None], [None, 1], missing="drop")


def test_a_missing_prediction_can_count_as_the_other_label():
    o = Outcomes.from_arrays([1, 0, 1], [None, None, 1], missing="wrong")
    assert o == Outcomes.from_arrays([1, 0, 1], [0, 1, 1])


def test_a_missing_prediction_among_many_labels_is_no_label():
    o = Outcomes.from_arrays(["x", "y", "z"], ["x", None, "z"], missing="wrong")
    assert o.labels == ("x", "y", "z", "(no answer)")
    assert o.collapse("y").confusion().tolist() == [[2, 0], [1, 0]]


def test_a_missing_truth_is_not_a_wrong_answer():
    with pytest.raises(MissingLabelsError, match="cannot fill the truth"):
        Outcomes.from_arrays([1, None, 0], [1, 1, 0], missing="wrong")
    with pytest.raises(MissingLabelsError, match="second label"):
        Outcomes.from_arrays([1, 1], [1, None], missing="wrong")


def test_pandas_holes_do_not_turn_integers_into_another_type():
    pandas = need("pandas")
    frame = pandas.DataFrame({"y": [1, 0, 1], "a": [1, None, 0], "b": pandas.array([1, 0, None], dtype="Int64")})
    with pytest.warns(DroppedItemsWarning, match="2 of 3 items"):
        o = read_outcomes(frame, truth="y", predictions=["a", "b"], missing="drop")
    assert o == Outcomes.from_arrays([1], [1], [1], names=["a", "b"])


# -- dataframes -----------------------------------------------------------------------------------------------


def test_every_dataframe_counts_alike(frame):
    assert read_outcomes(frame(COLUMNS), truth="y", predictions=["a", "b"]) == INTS
    assert read_outcomes(frame(TEXT), truth="y", predictions=["a", "b"]) == TEXTS


def test_every_dataframe_sees_missing_labels(frame):
    columns = {"y": ["p", "q", "p"], "a": ["p", None, "q"], "b": ["p", "q", "q"]}
    with pytest.raises(MissingLabelsError, match="1 in a"):
        read_outcomes(frame(columns), truth="y", predictions=["a", "b"])
    numbers = {"y": [1.0, 0.0, 1.0], "a": [1.0, float("nan"), 0.0]}
    with pytest.raises(MissingLabelsError, match="1 in a"):
        read_outcomes(frame(numbers), truth="y", predictions="a")


def test_every_dataframe_refuses_mixed_types(frame):
    with pytest.raises(LabelTypeError, match="text"):
        read_outcomes(frame({"y": [1, 0], "a": ["1", "0"]}), truth="y", predictions="a")


def test_every_dataframe_names_the_nearest_column(frame):
    with pytest.raises(ColumnNotFoundError, match="did you mean 'a'"):
        read_outcomes(frame(COLUMNS), truth="y", predictions="aa")


def test_every_dataframe_knows_booleans_and_categories(frame):
    o = read_outcomes(frame({"y": [True, False], "a": [True, True]}), truth="y", predictions="a")
    assert o.labels == (False, True)
    assert all(type(label) is bool for label in o.labels)
    pandas = need("pandas")
    categories = pandas.DataFrame({k: pandas.Categorical(v, categories=["0", "1", "9"]) for k, v in TEXT.items()})
    assert read_outcomes(categories, truth="y", predictions=["a", "b"]) == TEXTS


def test_a_pandas_index_does_not_leak_in():
    pandas = need("pandas")
    shuffled = pandas.DataFrame(COLUMNS, index=[9, 7, 5, 3, 1]).query("y >= 0")
    assert read_outcomes(shuffled, truth="y", predictions=["a", "b"]) == INTS


def test_pandas_objects_of_mixed_types_are_seen():
    pandas = need("pandas")
    frame = pandas.DataFrame({"y": [1, True, 0], "a": [1, 1, 1]}, dtype=object)
    with pytest.raises(LabelTypeError, match="mixes"):
        read_outcomes(frame, truth="y", predictions="a")


def test_an_eager_frame_longer_than_a_chunk(monkeypatch, frame, rng):
    monkeypatch.setattr("ropewalk.data.frames.ROWS_PER_GROUPING", 7)
    columns = {name: rng.integers(0, 3, 50).tolist() for name in "yab"}
    expected = Outcomes.from_arrays(*columns.values(), names=["a", "b"])
    assert read_outcomes(frame(columns), truth="y", predictions=["a", "b"]) == expected


# -- files ----------------------------------------------------------------------------------------------------


def csv_text(columns, separator=","):
    rows = [columns.keys(), *zip(*columns.values(), strict=True)]
    return "\n".join(separator.join(map(str, row)) for row in rows) + "\n"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_delimited_text_is_read_whatever_its_name(tmp_path, separator, packed):
    data = csv_text(COLUMNS, separator).encode()
    path = tmp_path / "predictions.whatever"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert read_outcomes(path, truth="y", predictions=["a", "b"]) == TEXTS


@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_keep_their_types(tmp_path, packed):
    lines = [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in zip(*COLUMNS.values(), strict=True)]
    data = "\n".join([*lines, ""]).encode()
    path = tmp_path / "p.jsonl"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert read_outcomes(str(path), truth="y", predictions=["a", "b"]) == INTS


@pytest.mark.parametrize("packed", [False, True])
def test_parquet_is_read(tmp_path, packed):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table({**COLUMNS, "unused": [[1], [2], [3], [4], [5]]}), sink)
    path = tmp_path / "p.parquet"
    path.write_bytes(gzip.compress(sink.getvalue()) if packed else sink.getvalue())
    assert read_outcomes(path, truth="y", predictions=["a", "b"]) == INTS


def test_byte_order_marks_utf16_quotes_and_blank_lines(tmp_path):
    text = 'y,a,"b","note"\n1,1,1,"two\nlines, one cell"\n\n0,"1",0,\n'
    expected = Outcomes.from_arrays(["1", "0"], ["1", "1"], ["1", "0"], names=["a", "b"])
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "p.csv").write_text(text, encoding=encoding)
        assert read_outcomes(tmp_path / "p.csv", truth="y", predictions=["a", "b"]) == expected


def test_empty_cells_are_null_and_na_is_text(tmp_path):
    (tmp_path / "p.csv").write_text("y,a\nNA,nan\nx,\n")
    with pytest.raises(MissingLabelsError, match="1 in a"):
        read_outcomes(tmp_path / "p.csv", truth="y", predictions="a")
    with pytest.warns(DroppedItemsWarning):
        o = read_outcomes(tmp_path / "p.csv", truth="y", predictions="a", missing="drop")
    assert o.labels == ("NA", "nan")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"  \n\n", "empty"),
        (b"y,a\n", "no rows"),
        (b"\x00\x01\x02binary", "binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"y,a\n1,\xff\xfe\xfd\n", "UTF-8"),
        (b"y,a\n1,1\n1,1,1\n", "line 3: 3 fields"),
        (b'y,a\n1,"1\n', "line"),
        (b"y,y,a\n1,1,1\n", "2 columns named 'y'"),
        (b"[1, 2]", "item 1: not a JSON object"),
        (b'[{"y": 1, "a": 1}, {"y": 1', "not valid JSON"),
        (b'[{"y": 1, "a": 1}] {"y": 1}', "something follows"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"y": 1, "a": 1}\n{"y": 1,\n', "line 2"),
        (b'{"y": 1, "a": 1}\n[1]\n', "line 2"),
        (b'{"y": 1, "a": [1]}\n', "line 1"),
        (b"\x1f\x8b\x08\x00broken", "gzip"),
        (gzip.compress(b"y,a\n1,1\n", mtime=0)[:-6], "gzip"),
        (gzip.compress(b"", mtime=0), "empty"),
        (b"y,a\n1," + b"x" * 2_000_000 + b"\n", "line 2: a field is longer than 1,048,576"),
        (b"y,a\n1," + "é".encode() * 1_000_000 + b"\n", "line 2: a field is longer than 1,048,576"),
        (b'y,a\n1,"' + b"x\n" * 1_000_000, "longer than|unexpected end"),
        (b'{"y": 1, "a": "' + b"x" * 2_000_000 + b'"}', "line 1: a field is longer than 1,048,576"),
        (b'{"y": 1, "a": 1}\n{"y": true, "a": 1}\n', "line 2: y is bool here and a number before"),
        (b'{"y": 1e999, "a": 1}\n', "fractions such as inf"),
        (b"PAR1 but not really", "Parquet"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_refused(tmp_path, content, told):
    path = tmp_path / "p.csv"
    path.write_bytes(content)
    with pytest.raises((FileFormatError, LabelTypeError), match=told):
        read_outcomes(path, truth="y", predictions="a")


def test_a_parquet_label_has_the_same_cap(tmp_path):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"y": ["x"], "a": ["x" * 2_000_000]}), tmp_path / "p.parquet")
    with pytest.raises(FileFormatError, match="longer than 1,048,576 bytes"):
        read_outcomes(tmp_path / "p.parquet", truth="y", predictions="a")


def test_long_fields_pass_up_to_the_cap_and_the_csv_limit_is_restored(tmp_path):
    import csv

    before = csv.field_size_limit()
    (tmp_path / "p.csv").write_text("y,a,text\n1,1," + "x" * 900_000 + "\n")
    assert read_outcomes(tmp_path / "p.csv", truth="y", predictions="a").n_items == 1
    assert csv.field_size_limit() == before


def test_an_absent_json_key_is_null_but_an_unknown_column_is_an_error(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"y": 1, "a": 1}\n{"y": 1}\n')
    with pytest.raises(MissingLabelsError, match="1 in a"):
        read_outcomes(path, truth="y", predictions="a")
    with pytest.raises(ColumnNotFoundError, match="'c'"):
        read_outcomes(path, truth="y", predictions="c")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UnreadableFileError, match="No such file"):
        read_outcomes(tmp_path / "nothing.csv", truth="y", predictions="a")
    with pytest.raises(UnreadableFileError, match="directory"):
        read_outcomes(tmp_path, truth="y", predictions="a")


def test_a_missing_extra_is_asked_for_by_name(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "p.parquet").write_bytes(b"PAR1xxxxPAR1")
    with pytest.raises(MissingDependencyError, match=r"pip install 'ropewalk\[files\]'"):
        read_outcomes(tmp_path / "p.parquet", truth="y", predictions="a")


def test_a_parquet_file_without_rows_is_bad_data_with_and_without_ids(tmp_path):
    pyarrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    empty = {name: pyarrow.array([], pyarrow.int64()) for name in ("id", "y", "a")}
    parquet.write_table(pyarrow.table(empty), tmp_path / "p.parquet")
    for column in (None, "id"):
        with pytest.raises(FileFormatError, match="no rows"):
            read_outcomes(tmp_path / "p.parquet", truth="y", predictions="a", id=column, labels=[0, 1])


RECORDS = [{"meta": {"y": str(i % 3), "z.a": str(i % 3)}, "a.b": i % 2} for i in range(40)]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_array_and_json_lines_are_the_same_table(tmp_path, indent):
    array, lines = tmp_path / "array.json", tmp_path / "lines.jsonl"
    array.write_text("\ufeff" + json.dumps([{"y": "x", "a": "z", "more": "é" * 70_000}] * 5, indent=indent))
    lines.write_text('{"y": "x", "a": "z"}\n' * 5)
    tables = [read_outcomes(path, truth="y", predictions="a") for path in (array, lines)]
    assert tables[0].data_hash == tables[1].data_hash


def test_dotted_names_are_paths_where_no_column_is_called_so(tmp_path):
    path = tmp_path / "nested.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)))
    table = read_outcomes(path, truth="meta.y", predictions="meta.z.a")
    assert table.confusion().tolist() == np.diag([14, 13, 13]).tolist()
    assert column_names(path) == ["meta.y", "meta.z.a", "a.b"]
    with pytest.raises(ColumnNotFoundError, match=r"meta\.z"):
        read_outcomes(path, truth="meta.z", predictions="a.b")
    with pytest.raises(LabelTypeError, match=r"a\.b uses"):
        read_outcomes(path, truth="meta.y", predictions="a.b")


WRITTEN = {
    "csv": "y,a\n1,1.0\n0,0.0\n1,\n",
    "jsonl": '{"y": 1, "a": 1.0}\n{"y": 0, "a": 0.0}\n{"y": 1, "a": null}\n',
    "json": '[{"y": 1, "a": 1}, {"y": 0, "a": 0.0}, {"y": 1}]',
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_whole_numbers_with_a_hole_are_integers_and_the_hole_is_the_error(tmp_path, kind):
    path = tmp_path / f"holes.{kind}"
    path.write_text(WRITTEN[kind])
    with pytest.raises(MissingLabelsError, match="1 item with a null"), noted():
        read_outcomes(path, truth="y", predictions="a")
    with noted(), pytest.warns(DroppedItemsWarning):
        table = read_outcomes(path, truth="y", predictions="a", missing="drop")
    assert table.labels == (("0", "1") if kind == "csv" else (0, 1))
    assert table.confusion().tolist() == [[1, 0], [0, 1]]


def noted():
    """Labels that are written as 1.0 are read as 1, and that is said; of JSON numbers there is nothing to say."""
    context = contextlib.ExitStack()
    context.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore", LookalikeLabelsWarning)
    return context


def test_whole_numbers_written_as_such_are_said_to_be_read_so(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a\n1,1.0\n0,0.0\n")
    with pytest.warns(LookalikeLabelsWarning, match="'a' are written as 1.0 and read as 1"):
        assert read_outcomes(path, truth="y", predictions="a").labels == ("0", "1")


@pytest.mark.parametrize("cell", ["1.5", "x", "1e0"])
def test_one_value_that_is_not_whole_leaves_all_as_they_are(tmp_path, cell):
    path = tmp_path / "p.csv"
    path.write_text(f"y,a\n1,1.0\n0,{cell}\n")
    with pytest.raises(LabelTypeError, match=r"1\.0"):
        read_outcomes(path, truth="y", predictions="a")


@pytest.mark.parametrize(("true", "predicted"), [("1", "1.0"), ("-3.0", "-3"), ("2.00", "2")])
def test_whole_numbers_written_in_two_ways_are_not_two_classes(true, predicted):
    with pytest.raises(LabelTypeError, match="where y_true has"):
        Outcomes.from_arrays([true, "n"], [predicted, "n"])
    assert Outcomes.from_arrays([true, "n"], [predicted, "n"], labels=["n", true, predicted]).n_labels == 3


@pytest.mark.parametrize(("true", "predicted"), [("yes", "Yes"), ("yes", "yes "), ("1", " 1")])
def test_labels_that_look_alike_are_two_classes_with_a_warning(true, predicted):
    with pytest.warns(LookalikeLabelsWarning, match="where y_true has"):
        assert Outcomes.from_arrays([true, "n"], [predicted, "n"]).n_labels == 3


def test_spellings_that_the_truth_has_are_classes():
    assert Outcomes.from_arrays(["US", "us", "1", "1.0"], ["us", "US", "1.0", "1"]).n_labels == 4


def test_pandas_columns_in_another_order_are_refused():
    pandas = need("pandas")
    frame = pandas.DataFrame(COLUMNS)
    with pytest.raises(PairingError, match="another order"):
        Outcomes.from_arrays(frame["y"], frame["a"].iloc[::-1])
    assert Outcomes.from_arrays(frame["y"], frame["a"].set_axis(list("vwxyz"))).n_items == 5


def test_odd_column_names_are_only_names(frame):
    columns = {"count": COLUMNS["y"], "count_": COLUMNS["a"], "len": COLUMNS["b"]}
    assert read_outcomes(frame(columns), truth="count", predictions=["count_", "len"]).rename(["a", "b"]) == INTS


def test_repeated_column_names_are_refused():
    pandas = need("pandas")
    frame = pandas.DataFrame([[1, 1, 0]], columns=["y", "a", "a"])
    with pytest.raises(DataError, match="cannot be used"):
        read_outcomes(frame, truth="y", predictions="a")


# -- ids ------------------------------------------------------------------------------------------------------


def test_two_files_join_on_their_ids(tmp_path, write):
    left = write(tmp_path / "a.csv", [("id", "y", "p"), (1, 1, 1), (2, 0, 1), (3, 1, 0)])
    right = write(tmp_path / "b.tsv", [("p", "id", "y"), (0, 3, 1), (1, 1, 1), (0, 2, 0)], "\t")
    o = rw.join_outcomes(left, right, id="id", truth="y", prediction="p", names=["old", "new"])
    expected = Outcomes.from_arrays(["1", "0", "1"], ["1", "1", "0"], ["1", "0", "0"], names=["old", "new"])
    assert o == expected


def test_two_dataframes_join_on_their_ids(frame):
    left = frame({"id": ["u", "v"], "y": [1, 0], "p": [1, 1]})
    right = frame({"id": ["v", "u"], "y": [0, 1], "p": [0, 1]})
    o = rw.join_outcomes(left, right, id="id", truth="y", prediction="p")
    assert o == Outcomes.from_arrays([1, 0], [1, 1], [1, 0])


@pytest.mark.parametrize(
    ("right", "told"),
    [
        ([(1, 1, 1), (1, 1, 1)], "more than once"),
        ([(1, 1, 1)], r"1 of 2 ids of 'A' have no match in 'B' \(first: '2'\)"),
        ([(1, 1, 1), (2, 0, 1), (3, 0, 0)], "1 of 3 ids of 'B'"),
        ([(1, 0, 1), (2, 0, 1)], "disagree about the truth of 1 item"),
        ([(1, 1, 1), ("", 0, 1)], "without an id"),
        ([(8, 1, 1), (9, 0, 1)], "no match"),
    ],
)
def test_ids_that_do_not_pair_are_refused(tmp_path, write, right, told):
    left = write(tmp_path / "a.csv", [("id", "y", "p"), (1, 1, 1), (2, 0, 1)])
    other = write(tmp_path / "b.csv", [("id", "y", "p"), *right])
    with pytest.raises(PairingError, match=told):
        rw.join_outcomes(left, other, id="id", truth="y", prediction="p")


def test_a_hole_in_one_truth_column_does_not_make_the_others_differ():
    pandas = need("pandas")
    left = pandas.DataFrame({"id": [1, 2], "y": [1, 0], "p": [1, 1]})
    right = pandas.DataFrame({"id": [1, 2, 3], "y": [1, 0, None], "p": [0, 0, 1]})
    with pytest.warns(DroppedItemsWarning):
        o = rw.join_outcomes(left, right, id="id", truth="y", prediction="p", unmatched="drop")
    assert o == Outcomes.from_arrays([1, 0], [1, 1], [0, 0])


def test_unmatched_ids_can_be_dropped(tmp_path, write):
    left = write(tmp_path / "a.csv", [("id", "y", "p"), (1, 1, 1), (2, 0, 1)])
    right = write(tmp_path / "b.csv", [("id", "y", "p"), (2, 0, 0), (3, 1, 1)])
    with pytest.warns(DroppedItemsWarning, match="2 ids without a match left out"):
        o = rw.join_outcomes(left, right, id="id", truth="y", prediction="p", unmatched="drop")
    assert o == Outcomes.from_arrays(["0"], ["1"], ["0"])


def test_repeated_ids_in_one_table_are_refused(tmp_path, write):
    path = write(tmp_path / "a.csv", [("id", "y", "p"), (1, 1, 1), (1, 0, 1)])
    with pytest.raises(PairingError, match=r"1 id in column 'id' of .* occur more than once \(first: '1'\)") as caught:
        read_outcomes(path, truth="y", predictions="p", id="id")
    assert caught.value.hint.endswith("Several runs of a system go by run= and runs=.")


# -- the bundled example ----------------------------------------------------------------------------------------


# ICDM 2015, Table II: F1 of categories 0 … 19, then micro and macro F1; the classifiers without a random solver.
TABLE_II = {
    "nb_bern": (
        0.398, 0.551, 0.170, 0.545, 0.431, 0.666, 0.645, 0.634, 0.596, 0.770, 0.840,
        0.632, 0.533, 0.681, 0.647, 0.655, 0.535, 0.694, 0.398, 0.207, 0.581, 0.561,
    ),
    "nb_mult": (
        0.480, 0.666, 0.577, 0.641, 0.682, 0.768, 0.781, 0.725, 0.741, 0.850, 0.731,
        0.725, 0.631, 0.796, 0.756, 0.682, 0.641, 0.797, 0.487, 0.248, 0.689, 0.670,
    ),
    "svm_l2": (
        0.480, 0.638, 0.605, 0.611, 0.676, 0.717, 0.768, 0.695, 0.735, 0.634, 0.846,
        0.742, 0.557, 0.736, 0.706, 0.691, 0.600, 0.743, 0.472, 0.311, 0.660, 0.648,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE_II)
def test_the_bundled_predictions_are_those_of_the_paper(news, name):
    one = news.outcomes.project([name])
    f1, micro, macro = (rw.metrics.parse_metric(m) for m in ("f1", "micro_f1", "macro_f1"))
    ours = [observed_psi([one.collapse(j)], f1.at(1))[0] for j in range(20)]
    ours += [observed_psi([one], micro)[0], observed_psi([one], macro)[0]]
    assert ours == pytest.approx(TABLE_II[name], abs=0.0005 + 1e-12)


def test_the_example_has_names_and_scores(news):
    assert len(news.class_names) == 20
    assert news.scores_class8["nb_mult"].shape == news.y_true.shape == (7_532,)
    assert np.array_equal(news.scores_class8["y_true"], news.y_true == 8)
