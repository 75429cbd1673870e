"""A pattern or a folder is all of its tables, one after the other, as if they were one file."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

import ropewalk as rw
from ropewalk.data import files
from ropewalk.data.formats import duck
from ropewalk.data.records import records_of
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    FileFormatError,
    LabelTypeError,
    LookalikeLabelsWarning,
    UnreadableFileError,
)
from support import need

ROWS = [("1", "1", "0"), ("0", "0", "0"), ("1", "0", "1"), ("0", "1", "0"), ("1", "1", "1"), ("0", "0", "1")]
COLUMNS = {"truth": "y", "predictions": ["a", "b"]}


def csv_of(rows, head="y,a,b"):
    return "\n".join([head, *map(",".join, rows)]) + "\n"


@pytest.fixture
def folder(tmp_path):
    """Two rows in each of three files, of which one is packed and one is JSON; what is about them is no table."""
    place = tmp_path / "preds"
    (place / "more").mkdir(parents=True)
    (place / "1.csv").write_text(csv_of(ROWS[:2]))
    (place / "2.csv.gz").write_bytes(gzip.compress(csv_of(ROWS[2:4]).encode()))
    (place / "more" / "3.jsonl").write_text(
        "\n".join(json.dumps(dict(zip("yab", row, strict=True))) for row in ROWS[4:])
    )
    (place / "_SUCCESS").touch()
    (place / ".hidden").write_text("x")
    (tmp_path / "whole.csv").write_text(csv_of(ROWS))
    return place


def test_a_folder_is_its_tables_in_order(folder):
    parts, whole = records_of(folder), records_of(folder.parent / "whole.csv")
    columns = ["y", "a", "b"]
    assert parts.names() == columns
    assert parts.count(columns) == whole.count(columns)
    assert parts.lists(columns) == whole.lists(columns)
    assert list(parts.rows(columns)) == list(whole.rows(columns)) == ROWS
    assert [list(array) for array in parts.arrays(columns, columns)] == [
        list(array) for array in whole.arrays(columns, columns)
    ]


def test_every_verb_takes_a_pattern_and_finds_the_items_again(folder):
    r = rw.compare(f"{folder}/**/*.*", truth="y", a="a", b="b", metric="accuracy", rope=0.1, rng=0, draws=500)
    same = rw.compare(
        folder.parent / "whole.csv", truth="y", a="a", b="b", metric="accuracy", rope=0.1, rng=0, draws=500
    )
    assert r.to_dict()["delta"] == same.to_dict()["delta"]
    assert r.items().to_dict() == same.items().to_dict()


def test_the_command_takes_both_and_guards_them(run, folder):
    asked = ("--truth", "y", "--a", "a", "--b", "b", "--draws", "300", "--seed", "0", "--json")
    told = [
        json.loads(run("compare", file, *asked)[1])
        for file in (folder, f"{folder}/**/[0-9]*", folder.parent / "whole.csv")
    ]
    assert told[0]["delta"] == told[1]["delta"] == told[2]["delta"]
    for file in (folder, f"{folder}/*.csv"):
        code, out, err = run("compare", file, *asked, "--html", folder / "1.csv")
        assert (code, out) == (2, "")
        assert "would overwrite the data" in err
    code, out, err = run("compare", f"{folder}/*.tsv", *asked)
    assert (code, out) == (5, "")
    assert "No file is called like" in err


@pytest.mark.parametrize(
    ("name", "content", "kind", "match"),
    [
        ("4.csv", "y,a\n1,1\n", ColumnNotFoundError, "Column 'b' was not found in '.*4.csv'"),
        ("4.csv", "y,a,b\n1,1\n", FileFormatError, "4.csv', line 2: 2 fields"),
        ("4.csv", "", FileFormatError, "4.csv' is empty"),
        ("4.jsonl", '{"y": 1, "a": 1, "b": 1}', LabelTypeError, "4.jsonl': y is a number here and str in '.*1.csv'"),
        ("4.jsonl", '{"y": "1", "a": true, "b": "1"}', LabelTypeError, "4.jsonl': a is bool here and str in"),
        ("4.bin", "\0\1\2", FileFormatError, "4.bin' is a binary file"),
    ],
)
def test_an_error_names_the_file(name, content, kind, match, folder):
    (folder / name).write_text(content)
    for read in (records_of(folder).count, records_of(folder).lists):
        with pytest.raises(kind, match=match) as caught:
            read(["y", "a", "b"])
        assert caught.value.exit_code == 4
        assert caught.value.hint


def test_a_score_that_is_no_number_is_found_in_its_file(folder):
    (folder / "4.csv").write_text("y,a,b\n1,low,1\n")
    with pytest.raises(DataError, match=r"4\.csv': Column 'a' must hold numbers; got 'low' in row 1"):
        records_of(folder).arrays(["y", "a"], ["a"])
    (folder / "4.csv").write_text('y,a,b\n1,"0,5",1\n')
    with pytest.raises(DataError, match=r"got '0,5' in row 1\.\nHint: write decimals with a point"):
        records_of(folder).arrays(["y", "a"], ["a"])


def test_a_column_that_parquet_lacks_is_missed_among_those_that_are_there(tmp_path):
    path = tmp_path / "p.parquet"
    need("pyarrow.parquet").write_table(need("pyarrow").table({"y": [1], "a": [1]}), path)
    with pytest.raises(ColumnNotFoundError) as caught:
        records_of(path).count(["y", "b"])
    assert caught.value.hint.endswith("The columns are: 'y', 'a'.")


def test_integers_with_a_hole_in_one_file_are_those_of_another(tmp_path):
    (tmp_path / "1.csv").write_text("y,a\n1,1\n0,0\n")
    (tmp_path / "2.csv").write_text("y,a\n1.0,1\n,0\n0.0,1\n")
    with pytest.warns(LookalikeLabelsWarning, match="written as 1.0"):
        rows = files.count_file(tmp_path, ["y", "a"])
    assert rows == {("1", "1"): 2, ("0", "0"): 1, (None, "0"): 1, ("0", "1"): 1}
    (tmp_path / "3.csv").write_text("y,a\n1.5,1\n")
    assert ("1.0", "1") in files.count_file(tmp_path, ["y", "a"])


def test_a_file_without_items_will_do_beside_others_and_not_alone(tmp_path):
    (tmp_path / "1.csv").write_text("y,a\n")
    with pytest.raises(FileFormatError, match="has no rows"):
        files.count_file(tmp_path, ["y", "a"])
    (tmp_path / "2.csv").write_text("y,a\n1,1\n")
    assert files.count_file(tmp_path, ["y", "a"]) == {("1", "1"): 1}
    assert files.file_columns(tmp_path, ["y", "a"]) == [["1"], ["1"]]
    assert files.file_arrays(tmp_path, ["y", "a"], ["a"])[1].tolist() == [1.0]


def test_a_folder_without_tables_says_so(tmp_path):
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(UnreadableFileError, match="holds no file"):
        rw.read_outcomes(tmp_path, **COLUMNS)


def test_the_name_of_a_file_that_is_there_is_no_pattern(tmp_path):
    (tmp_path / "p[1].csv").write_text(csv_of(ROWS[:2]))
    (tmp_path / "p1.csv").write_text(csv_of(ROWS))
    assert rw.read_outcomes(tmp_path / "p[1].csv", **COLUMNS).n_items == 2
    assert rw.read_outcomes(tmp_path / "p[0-9].csv", **COLUMNS).n_items == 6


def test_parquet_files_are_counted_with_one_connection(tmp_path, monkeypatch):
    arrow, parquet, duckdb = need("pyarrow"), need("pyarrow.parquet"), need("duckdb")
    for i in range(5):
        parquet.write_table(arrow.table({"y": [1, 0], "a": [i % 2, 1]}), tmp_path / f"{i}.parquet")
    made = []
    monkeypatch.setattr(
        duckdb, "connect", lambda *a, connect=duckdb.connect, **k: made.append(connect(*a, **k)) or made[-1]
    )
    assert files.count_file(tmp_path, ["y", "a"]) == {(0, 1): 5, (1, 0): 3, (1, 1): 2}
    assert len(made) == 1
    with pytest.raises(duckdb.Error):
        made[0].execute("SELECT 1")


@pytest.mark.parametrize("by_duckdb", [True, False])
@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet", "folder"])
def test_rows_that_stand_for_several_items_are_counted_in_every_format(form, by_duckdb, tmp_path, monkeypatch):
    monkeypatch.setattr(duck, "MIN_TEXT_BYTES", 0)
    if not by_duckdb:
        monkeypatch.setitem(sys.modules, "duckdb", None)
    groups = [("1", "1", "0", 3), ("0", "0", "0", 40), ("1", "0", "1", 0), ("1", "1", "0", 2)]
    records = [dict(zip(("y", "a", "b", "count"), row, strict=True)) for row in groups]
    path = tmp_path / "t"
    if form == "csv":
        path.write_text(csv_of([(*row[:3], str(row[3])) for row in groups], head="y,a,b,count"))
    elif form == "jsonl":
        path.write_text("\n".join(map(json.dumps, records)))
    elif form == "json":
        path.write_text(json.dumps(records))
    elif form == "parquet":
        arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(records), path)
    else:
        path.mkdir()
        (path / "1.csv").write_text(csv_of([(*row[:3], str(row[3])) for row in groups[:2]], head="y,a,b,count"))
        (path / "2.csv").write_text(csv_of([(*row[:3], str(row[3])) for row in groups[2:]], head="y,a,b,count"))
    o = rw.read_outcomes(path, **COLUMNS, count="count")
    assert o == rw.Outcomes.from_rows({("1", "1", "0"): 5, ("0", "0", "0"): 40}, names=["a", "b"])
