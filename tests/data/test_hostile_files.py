"""Files that are made to break a reader: each is refused within bounds of memory, with the file and what to do.

The bounds are patched to be small, so that the tests are cheap; one test of each kind runs with the real ones in a
process that may not take more memory.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk.data import files, formats, frames, json_stream, opening
from ropewalk.errors import FileFormatError, LabelTypeError, PairingError
from support import need

ROWS = "y,a,b\n1,1,0\n0,0,0\n"
COLUMNS = {"truth": "y", "predictions": ["a", "b"]}


def read(path):
    return rw.read_outcomes(path, **COLUMNS)


def refused(path, match, kind=FileFormatError):
    with pytest.raises(kind, match=match) as caught:
        read(path)
    assert caught.value.exit_code == 4
    assert caught.value.hint
    return caught.value


# -- bounds of memory --------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
import ropewalk as rw
from ropewalk.data.matrices import read_matrix
from ropewalk.errors import FileFormatError

import pyarrow.parquet, narwhals  # which are not what is measured
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 700_000_000,) * 2)
kind, path = sys.argv[1:]
try:
    if kind == "matrix":
        read_matrix(path)
    else:
        labels = ["0", "1"] if kind == "text" else [0, 1]
        print(rw.read_outcomes(path, truth="y", predictions=["a", "b"], labels=labels))
except FileFormatError as error:
    assert error.hint, error
    print("refused:", error.message)
"""


def bomb(path, head, part, times):
    """Write a gzip file whose content is far larger than itself: it may consist of pieces that are packed alone."""
    path.write_bytes(gzip.compress(head) + gzip.compress(part) * times)
    return path


def run_limited(kind, path):
    done = subprocess.run([sys.executable, "-c", LIMITED, kind, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("kind", "head", "part", "match"),
    [
        ("text", b"y,a,b\n", b"x" * MEGABYTE, "a row of over"),
        ("text", b"", b"x" * MEGABYTE, "a row of over"),
        ("text", b"y,a,b\n", b"," * MEGABYTE, "a row of over"),
        ("text", b"y,a,b\n", b'"",' * (MEGABYTE // 3), "a row of over"),
        ("text", b"y,a,b\n", b'"\n",' * (MEGABYTE // 4), "a row of over"),
        ("text", b"y,a,b\n", b"\n" * MEGABYTE, "a row of over"),
        ("text", b"\xff\xfe" + "y,a,b\n".encode("utf-16-le"), "x".encode("utf-16-le") * MEGABYTE, "a row of over"),
        ("text", b'{"y": "', b"x" * MEGABYTE, "a line of over"),
        ("text", b"[", b" " * MEGABYTE, "nothing but spaces"),
        ("text", b'[{"y": "', b"x" * MEGABYTE, "a single value is longer"),
        ("text", b'[{"y": [', b"{}," * (MEGABYTE // 3), "would take over 512 MiB of memory"),
        ("text", b'{"y": [', b'{"a": [1]},' * (MEGABYTE // 11), "would take over 512 MiB of memory|a line of over"),
        ("text", b"PAR1", b"\0" * MEGABYTE, "a Parquet file of over"),
        ("matrix", b"1", b",1" * (MEGABYTE // 2), "a row of over"),
        ("matrix", b"", b"1,1,1,1\n" * (MEGABYTE // 8), "cells"),
    ],
)
def test_memory_is_bounded_whatever_a_small_file_unpacks_to(tmp_path, kind, head, part, match):
    path = bomb(tmp_path / "bomb.gz", head, part, 1_000)
    assert path.stat().st_size < 10 * MEGABYTE
    told = run_limited(kind, path)
    assert told.startswith("refused: ")
    assert re.search(match, told)


def test_a_long_parquet_file_is_counted_in_parts(tmp_path):
    """Ten million rows are 240 MB as one table, and no more than a batch is held."""
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    n, parts = 1 << 20, 10
    table = arrow.table(
        {name: arrow.array([value]).take(arrow.array([0] * n)) for name, value in zip("yab", (1, 1, 0), strict=True)}
    )
    with parquet.ParquetWriter(tmp_path / "long.parquet", table.schema, compression="zstd") as writer:
        for _ in range(parts):
            writer.write_table(table)
    assert f"Outcomes({parts * n:,} items" in run_limited("numbers", tmp_path / "long.parquet")


def test_long_texts_of_a_parquet_file_are_not_written_out_for_every_row(tmp_path):
    """200,000 rows that repeat one text of half a megabyte would be 100 GB."""
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    n = 200_000
    long = arrow.DictionaryArray.from_arrays(arrow.array([0] * n, arrow.int32()), arrow.array(["x" * (1 << 19)]))
    plain = arrow.array([1] * n)
    parquet.write_table(arrow.table({"y": plain, "a": long, "b": plain}), tmp_path / "p.parquet", store_schema=False)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "numbers", tmp_path / "p.parquet"], capture_output=True, text=True, check=False
    )
    assert "LabelTypeError" in done.stderr.splitlines()[-2] + done.stderr.splitlines()[-1]


@pytest.mark.parametrize("ids", [[1, 2, None], [1.5, None, 2.5], ["a", None, "b"]], ids=["whole", "numbers", "texts"])
def test_an_id_that_is_missing_is_refused_of_whatever_kind_the_others_are(tmp_path, ids):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    parquet.write_table(
        arrow.table({"id": ids, "y": [1, 0, 1], "a": [1, 0, 0], "b": [1, 1, 0]}), tmp_path / "p.parquet"
    )
    with pytest.raises(PairingError, match="1 item without an id"):
        rw.read_outcomes(tmp_path / "p.parquet", **COLUMNS, id="id")


def test_a_wide_parquet_file_is_read_in_smaller_parts(tmp_path, monkeypatch):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    sizes = []
    monkeypatch.setattr(formats.parquet, "BATCH_BYTES", 1 << 12)
    monkeypatch.setattr(
        files, "count_frame", lambda frame, *how: sizes.append(len(frame)) or frames.count_frame(frame, *how)
    )
    monkeypatch.setitem(sys.modules, "duckdb", None)
    texts = [f"{i:0100}" for i in range(300)]
    parquet.write_table(arrow.table({"y": texts, "a": texts, "b": texts}), tmp_path / "p.parquet", use_dictionary=False)
    assert rw.read_outcomes(tmp_path / "p.parquet", **COLUMNS, labels=texts).n_items == 300
    assert sum(sizes) == 300
    assert max(sizes) <= (1 << 12) // 100


def test_batches_give_the_answer_of_the_whole(tmp_path, monkeypatch):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    table = arrow.table({"y": [1, 0, 1, None] * 9, "a": [True, None, False, True] * 9, "s": [0.5, 1.5, None, 2.0] * 9})
    parquet.write_table(table, tmp_path / "p.parquet", row_group_size=5)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    asked = ["y", "a", "s", "y"]
    whole = files.count_file(tmp_path / "p.parquet", asked), files.file_columns(tmp_path / "p.parquet", asked)
    assert whole == (frames.count_frame(table, asked), frames.frame_columns(table, asked))
    monkeypatch.setattr(formats.parquet, "ROWS_PER_GROUPING", 4)
    assert (files.count_file(tmp_path / "p.parquet", asked), files.file_columns(tmp_path / "p.parquet", asked)) == whole
    assert list(files.file_rows(tmp_path / "p.parquet", asked)) == list(frames.frame_rows(table, asked))


def test_bounds_are_of_a_row_and_not_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(formats.delimited, "ROW_CAP", 20_000)
    path = tmp_path / "data.csv"
    path.write_text("y,a,b,text\n" + f"1,1,0,{'x' * 5_000}\n0,0,0,\n" * 20)
    assert read(path).n_items == 40
    path.write_text("y,a,b,text\n1,1,0,\n" + f"1,1,0,{'x' * 5_000}{',x' * 20_000}\n")
    refused(path, "a row of over 20,000 bytes")


def test_what_runs_out_of_memory_is_about_the_file(tmp_path, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    path = tmp_path / "data.csv"
    path.write_text(ROWS)
    monkeypatch.setattr(files, "Counter", exhausted)
    refused(path, "'.*data.csv' needs more memory than there is")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
@pytest.mark.parametrize("line", [("power", "{}", "--n", "9"), ("plan", "--from", "{}"), ("stopping", "{}"),
    ("compare", "--confusion-a", "{}", "--confusion-b", "{}"),
    ("compare", "{}", "--truth", "y", "--a", "a", "--b", "b"),
])  # fmt: skip
def test_a_device_that_never_ends_is_no_file(run, device, line):
    code, out, err = run(*(part.format(device) for part in line))
    assert (code, out) == (4, ""), err
    assert err.startswith(f"Error: '{device}' is a device, and no file of data.\nHint: ")


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="a file that only Linux has")
@pytest.mark.parametrize("line", [("doctor", "{}"), ("merge", "{}", "x"), ("compare", "{}", "--truth", "y")])
def test_what_has_no_length_is_empty_and_not_waited_for(run, line):
    code, out, err = run(*(part.format("/proc/kmsg") for part in line))
    assert (code, out) == (4, ""), err
    assert "\nHint: " in err


def test_documents_have_a_bound(run, tmp_path, monkeypatch):
    monkeypatch.setattr("ropewalk.cli.scenarios.CONTENT_CAP", 100)
    (tmp_path / "s.json").write_text(" " * 101)
    for line in (("power", tmp_path / "s.json", "--n", "9"), ("plan", "--from", tmp_path / "s.json")):
        code, _, err = run(*line)
        assert code == 4
        assert "is longer than 100 bytes.\nHint: " in err
    assert opening.read_text(tmp_path / "s.json", 101) == " " * 101
    with pytest.raises(FileFormatError, match="is not a table of outcomes"):
        rw.Outcomes.load(tmp_path / "s.json")


# -- tables that were written as JSON ------------------------------------------------------------------------


def table_of(**changes):
    whole = {"kind": "ropewalk.outcomes", "schema": 1, "labels": [0, 1], "names": ["a"], "rows": [[0, 1, 3]]}
    return json.dumps(whole | changes)


@pytest.mark.parametrize(
    "text",
    [
        table_of(clusters=[[60_000_000, 0, 3]], cluster_ids=[1]),
        table_of(clusters=[[10**15, 0, 3]], cluster_ids=[1]),
        table_of(clusters=[[0, 10**15, 3]], cluster_ids=[1]),
        table_of(clusters=[[0, 0, 3]], cluster_ids=[[1]]),
        table_of(clusters=[[0, 0, 3]], cluster_ids={"0": 1}),
        table_of(clusters=5),
        table_of(weights=[[10**15], [1.0], [3]]),
        table_of(weights=[[0], [1.0]]),
        table_of(weights=5),
        table_of(labels=[1, "1", True]),
        table_of(labels=[0, 1, 1]),
        table_of(labels=[0, 1.5]),
        table_of(labels=[0, None]),
        table_of(labels=5),
        table_of(names=["a", "a"]),
        table_of(rows=[[0, 10**15, 3]]),
        table_of(rows=[[0, 1, 10**400]]),
        table_of()[:-1] + ', "labels": [0, 1]}',
        '{"a": ' * 10_000,
    ],
)
def test_a_table_in_json_is_read_with_suspicion(text):
    with pytest.raises(FileFormatError, match=r"^This JSON is not a table of outcomes: [^\n]*\.\nHint: write one with"):
        rw.Outcomes.from_json(text)


def test_the_label_of_a_missing_answer_is_the_only_one_of_another_kind():
    table = rw.Outcomes.from_arrays([1, 0, 2], [1, None, 2], missing="wrong")
    assert rw.Outcomes.from_json(table.to_json()) == table


# -- the field limit of the csv module, which is one for the process ------------------------------------------


def test_two_files_are_read_at_once_and_the_limit_is_then_what_it_was(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(ROWS)
    before = csv.field_size_limit()
    with (
        closing(files.file_rows(tmp_path / "one.csv", ["y"])) as one,
        closing(files.file_rows(tmp_path / "two.csv", ["a"])) as two,
    ):
        assert [next(one), next(two), next(one)] == [("1",), ("1",), ("0",)]
        assert csv.field_size_limit() == formats.form.FIELD_CAP
    assert csv.field_size_limit() == before


def test_a_child_process_reads_while_another_thread_reads(tmp_path):
    """The lock that another thread holds at the fork is not held for ever in the child."""
    (tmp_path / "data.csv").write_text(ROWS)
    held, done = threading.Event(), threading.Event()

    def hold():
        with formats.delimited._field_limit._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if read(tmp_path / "data.csv").n_items == 2 else 2
        finally:
            os._exit(code)
    done.set()
    thread.join()
    pid, status = os.waitpid(child, os.WNOHANG)
    while not pid:
        pid, status = os.waitpid(child, os.WNOHANG)
    assert os.waitstatus_to_exitcode(status) == 0


# -- what is in a file ------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\n\n", b"\xff\xfe", b"\xfe\xff"])
def test_a_file_of_nothing_but_the_mark_of_its_encoding_is_empty(content, tmp_path):
    (tmp_path / "t.csv").write_bytes(content)
    refused(tmp_path / "t.csv", "is empty")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_null_character_is_no_part_of_a_label(tmp_path, encoding):
    path = tmp_path / "data.csv"
    path.write_text("y,a,b\n" + "1,1,1\n" * 20_000 + "1,\0x,1\n", encoding=encoding)
    refused(path, "null character")


def test_letters_whose_bytes_hold_two_nulls_are_fine_in_utf_16(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("y,a,b\nxĀ,xĀ,xĀ\ny,y,y\n", encoding="utf-16")
    assert read(path).labels == ("xĀ", "y")


@pytest.mark.parametrize("text", ['{"y":1,"a":1,"a":0,"b":1}', '[{"y":1,"a":1,"a":0,"b":1}]',
    '{"y":1,"a":1,"b":1,"more":{"k":1,"k":2}}'])  # fmt: skip
def test_a_key_that_comes_twice_is_refused_as_a_column_is(tmp_path, text):
    (tmp_path / "data.json").write_text(text)
    refused(tmp_path / "data.json", r"the key '[ak]' comes twice in one object")
    (tmp_path / "data.csv").write_text("y,a,a,b\n1,1,0,1\n")
    refused(tmp_path / "data.csv", "2 columns named 'a'")


@pytest.mark.parametrize("values", ["list", "struct", "map", "fixed"])
@pytest.mark.parametrize("where", ["table", "file", "polars"])
def test_a_column_of_lists_is_no_column_of_labels(tmp_path, values, where):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    column = {
        "list": arrow.array([[1], [2]]),
        "struct": arrow.array([{"k": 1}, {"k": 2}]),
        "map": arrow.array([[("k", 1)], [("k", 2)]], arrow.map_(arrow.string(), arrow.int64())),
        "fixed": arrow.array([[1, 2], [3, 4]], arrow.list_(arrow.int64(), 2)),
    }[values]
    source = arrow.table({"y": [1, 0], "a": column, "b": [1, 1]})
    if where == "file":
        parquet.write_table(source, tmp_path / "p.parquet")
        source = tmp_path / "p.parquet"
    elif where == "polars":
        if values == "map":
            pytest.skip("Polars has no maps")
        source = need("polars").from_arrow(source)
    refused(source, "a holds lists or structures, and must hold text", LabelTypeError)


@pytest.mark.parametrize("values", ["union", "run ends"])
def test_columns_that_cannot_be_grouped_are_read_or_refused(values):
    arrow = need("pyarrow")
    column = {
        "union": lambda: arrow.UnionArray.from_sparse(arrow.array([0, 0], arrow.int8()), [arrow.array([1, 0])]),
        "run ends": lambda: arrow.RunEndEncodedArray.from_arrays(
            arrow.array([1, 2], arrow.int32()), arrow.array([1, 0])
        ),
    }[values]()
    table = arrow.table({"y": [1, 0], "a": column, "b": [1, 1]})
    assert rw.read_outcomes(table, **COLUMNS).confusion("a").tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999", "x", ""])
def test_a_cell_of_a_matrix_that_is_no_number_is_bad_data(run, tmp_path, cell):
    """Text and NaN in a file are both what only the data show."""
    (tmp_path / "m.csv").write_text(f"0,{cell}\n1,0\n")
    (tmp_path / "data.csv").write_text(ROWS)
    asked = ("compare", tmp_path / "data.csv", "--truth", "y", "--a", "a", "--b", "b", "--metric", "cost")
    code, out, err = run(*asked, "--cost-matrix", tmp_path / "m.csv")
    assert (code, out) == (4, "")
    assert "line 1: " in err
    assert "number.\nHint: " in err


def test_damaged_parquet_has_a_hint(tmp_path):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    parquet.write_table(arrow.table({"y": [1, 0], "a": [1, 0], "b": [1, 0]}), tmp_path / "p.parquet")
    whole = (tmp_path / "p.parquet").read_bytes()
    for content in (whole[:-1], whole[:60], b"PAR1" + whole[60:], whole[:-8] + b"\xff\xff\xff\x7fPAR1", b"PAR1"):
        (tmp_path / "p.parquet").write_bytes(content)
        refused(tmp_path / "p.parquet", "is a damaged Parquet file: .*[^.]\\.\n")
    content = bytearray(whole)
    content[4:40] = b"\xff" * 36
    (tmp_path / "p.parquet").write_bytes(bytes(content))
    refused(tmp_path / "p.parquet", "damaged Parquet file|needs more memory")


def test_spaces_before_a_document_are_passed_in_one_step(monkeypatch):
    monkeypatch.setattr(json_stream, "VALUE_CAP", 1 << 17)
    stream = json_stream.JsonStream(io.BytesIO(b" \n\t\r" * (1 << 14) + b"[1]"), "x")
    assert list(stream.items()) == [1]
    with pytest.raises(FileFormatError, match="nothing but spaces"):
        json_stream.JsonStream(io.BytesIO(b" " * (1 << 19)), "x").kind()


@pytest.mark.parametrize("part", ["{},", "[],", '{"a":1},', "[[0]],"])
def test_json_of_many_small_parts_is_refused_before_it_is_read(monkeypatch, part):
    monkeypatch.setattr(opening, "PARSED_CAP", 240 * 10_000)
    with pytest.raises(ValueError, match="would take over 2 MiB of memory"):
        opening.parse_json("[" + part * 20_000 + "0]")
    assert len(opening.parse_json("[" + part * 2_000 + "0]")) == 2_001


def test_signs_inside_of_texts_take_no_memory(monkeypatch):
    monkeypatch.setattr(opening, "PARSED_CAP", 240 * 10_000)
    text = json.dumps({"text": '{[,\\"' * 50_000})
    assert opening.parse_json(text) == json.loads(text)
    whole = io.BytesIO(text.encode())
    assert json_stream.JsonStream(whole, "x").value() == json.loads(text)
