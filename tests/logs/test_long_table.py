"""Long tables: every way to write one, what is easy to get wrong in them, and rows that are written come back."""

from __future__ import annotations

import collections
import json
import math
import resource
import tempfile

import pytest

from logwriters import HOSTILE_TEXTS, promptfoo_document, promptfoo_results, rows_of, seeded_answers
from ropewalk.data.logs import COLUMNS, Row, long_table, read_log, writing
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.data.logs.registry import is_log
from ropewalk.data.logs.writing import write_rows
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, UnreadableFileError

FORMATS = ["csv", "parquet"]


def written(folder, text, name="table.csv"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def seeded_rows():
    return [
        Row(
            task=task,
            item=one.item,
            repeat=one.repeat,
            system=system,
            truth=one.truth,
            prediction=one.answer,
            score=None if one.score is None else one.score / 3 + place,
            cluster=f"c{len(one.item)}",
            error=one.error,
        )
        for place, (task, system) in enumerate([("t1", "a"), ("t1", "b"), ("", "a"), ("", "b")])
        for one in seeded_answers(place, n_items=8, n_repeats=2)
    ]


# -- rows are written, and come back -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
def test_rows_come_back_as_they_were(kind, tmp_path):
    rows = seeded_rows()
    path = tmp_path / f"items.{kind}"
    assert write_rows(path, iter(rows)) == len(rows)
    assert rows_of(path) == rows
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", FORMATS)
def test_scores_come_back_to_the_last_bit(kind, tmp_path):
    scores = [0.1, 1 / 3, 1e-300, -2.5e17, 5e-324, 1.0, -0.0, 123456789.0, math.pi]
    rows = [Row("", str(n), 1, "a", score=score) for n, score in enumerate(scores)]
    write_rows(tmp_path / f"x.{kind}", rows)
    assert [row.score for row in rows_of(tmp_path / f"x.{kind}")] == scores


@pytest.mark.parametrize("kind", FORMATS)
def test_texts_that_no_table_may_hold_come_back_shorter_and_still_differ(kind, tmp_path):
    long = "ü" * 3_000_000
    rows = [Row("", "1", 1, "a", long, long, 1.0), Row("", "2", 1, "a", long, f"{long}!", 0.0)]
    write_rows(tmp_path / f"x.{kind}", rows)
    same, other = rows_of(tmp_path / f"x.{kind}")
    assert same.truth == same.prediction == other.truth != other.prediction
    assert other.prediction.startswith("ü" * 1000)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: ascii(text[:12]))
def test_hostile_texts_come_back(kind, text, tmp_path):
    path = tmp_path / f"x.{kind}"
    write_rows(path, [Row(text, text, 1, text, text, text, 1.0, text, None)])
    (row,) = rows_of(path)
    safe = text.replace("\0", "\ufffd").replace("\ud800", "\\ud800")
    assert row == Row(safe, safe, 1, safe, safe, safe, 1.0, safe, None)


@pytest.mark.parametrize("text", ["a\rb", "a\r\nb", "a\nb", " a ", '"', '""', ",", ";", "a;b\tc|d", "'"])
def test_signs_of_the_format_come_back(text, tmp_path):
    write_rows(tmp_path / "x.csv", [Row("", "1", 1, "a", text, text, 1.0)])
    (row,) = rows_of(tmp_path / "x.csv")
    assert (row.truth, row.prediction) == (text, text)


def test_the_columns_stand_in_their_order(tmp_path):
    write_rows(tmp_path / "x.csv", [Row("t", "i", 2, "s", "y", None, None, None, "boom")])
    assert (tmp_path / "x.csv").read_text(encoding="utf-8") == ",".join(COLUMNS) + "\nt,i,2,s,y,,,,boom\n"


def test_rows_of_a_log_are_written_and_compared_alike(tmp_path):
    systems = {"atlas": seeded_answers(1, n_repeats=2), "birch": seeded_answers(2, n_repeats=2)}
    log = tmp_path / "results.json"
    log.write_text(json.dumps(promptfoo_document(promptfoo_results(systems))), encoding="utf-8")
    write_rows(tmp_path / "items.csv", read_log(log).rows())
    with pytest.warns(match="without a score left out"):
        pairs = [pair_logs([read_log(path)], missing="drop")[0] for path in (log, tmp_path / "items.csv")]
    tables = [
        {
            name: {(row.item, row.repeat): row.score for row in rows}
            for name, rows in zip(one.names, one.rows, strict=True)
        }
        for one in pairs
    ]
    assert tables[0] == tables[1]
    assert len(tables[0]["atlas"]) > 30


@pytest.mark.parametrize("kind", FORMATS)
def test_an_error_on_the_way_leaves_the_file_as_it_was(kind, tmp_path):
    path = tmp_path / f"x.{kind}"
    path.write_bytes(b"before")

    def rows():
        yield Row("", "1", 1, "a", score=1.0)
        raise DataError("broken")

    with pytest.raises(DataError, match="broken"):
        write_rows(path, rows())
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_where_rows_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InvalidInputError, match=r"\.csv or \.parquet; got .*x\.xlsx"):
        write_rows(tmp_path / "x.xlsx", [])
    with pytest.raises(UnreadableFileError, match="Cannot write"):
        write_rows(tmp_path / "no folder" / "x.csv", [])


# -- tables of others --------------------------------------------------------------------------------------

TABLE = "task,item,epoch,system,correct\nspell,s1,0,old,0\nspell,s1,1,old,1\nrhyme,s1,0,new,1\n"


def test_epochs_may_begin_at_0(tmp_path):
    rows = rows_of(written(tmp_path, TABLE))
    assert [(row.task, row.system, row.item, row.repeat, row.score) for row in rows] == [
        ("spell", "old", "s1", 0, 0.0),
        ("spell", "old", "s1", 1, 1.0),
        ("rhyme", "new", "s1", 0, 1.0),
    ]


@pytest.mark.parametrize("separator", ["\t", ";", "|"])
def test_any_separator_will_do(separator, tmp_path):
    assert rows_of(written(tmp_path, TABLE.replace(",", separator))) == rows_of(written(tmp_path, TABLE, "b.csv"))


def test_utf_16_is_read(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(TABLE.encode("utf-16"))
    assert rows_of(path) == rows_of(written(tmp_path, TABLE, "b.csv"))


def test_json_of_numbers_and_truth_values_is_read(tmp_path):
    records = [
        {"system": "a", "item": 1, "score": 1, "truth": True, "prediction": False, "extra": {"x": [1]}},
        {"system": "a", "item": 2, "score": 0.5, "truth": True, "prediction": None},
        {"system": "a", "item": 3, "score": float("nan")},
        {"system": "a", "item": 4, "score": True, "repeat": 2},
    ]
    path = written(tmp_path, "\n".join(map(json.dumps, records)), "x.jsonl")
    assert [(row.item, row.repeat, row.truth, row.prediction, row.score) for row in rows_of(path)] == [
        ("1", 1, "true", "false", 1.0),
        ("2", 1, "true", None, 0.5),
        ("3", 1, None, None, None),
        ("4", 1, None, None, 1.0),
    ]


def test_whole_numbers_with_holes_are_whole_numbers(tmp_path):
    text = "system,item,truth,prediction,score\na,1,0,0.0,1\na,2,1,,0\na,3,1,1.0,1\n"
    rows = rows_of(written(tmp_path, text))
    assert [(row.truth, row.prediction) for row in rows] == [("0", "0"), ("1", None), ("1", "1")]
    rows = rows_of(written(tmp_path, text.replace(",,", ",0.5,")))
    assert [row.prediction for row in rows] == ["0.0", "0.5", "1.0"]


def test_an_empty_score_is_none_and_its_error_says_why(tmp_path):
    text = "system,item,score,error\na,1,,timed out\na,2,,\na,3,nan,\na,4,True,\n"
    rows = rows_of(written(tmp_path, text))
    assert [(row.score, row.error) for row in rows] == [
        (None, "timed out"),
        (None, "no score"),
        (None, "no score"),
        (1.0, None),
    ]


def test_both_scores_must_be_chosen_from(tmp_path):
    path = written(tmp_path, "system,item,score,correct\na,1,0.25,1\n")
    with pytest.raises(InvalidInputError, match=r"'score', 'correct'"):
        rows_of(path)
    assert [rows_of(path, scorer=name)[0].score for name in ("score", "correct")] == [0.25, 1.0]


def test_clusters_are_looked_up_in_one_pass_for_all_systems(tmp_path, monkeypatch):
    asked = []
    read = long_table.file_rows
    monkeypatch.setattr(long_table, "file_rows", lambda path, names: asked.append(names) or read(path, names))
    lines = [f"{system},{item},1,c,t{item}" for system in "abcde" for item in (1, 2)]
    path = written(tmp_path, "\n".join(["system,item,score,cluster,topic", *lines, ""]))
    log = read_log(path, cluster="topic")
    for _ in range(2):
        assert [row.cluster for row in log.rows()] == ["t1", "t2"] * 5
    assert len(asked) == 2  # by the column that is called cluster, and by this one


def test_any_column_names_clusters(tmp_path):
    path = written(tmp_path, "system,item,score,cluster,topic\na,1,1,c1,t1\na,2,0,c1,t2\n")
    assert [row.cluster for row in rows_of(path)] == ["c1", "c1"]
    assert [row.cluster for row in rows_of(path, cluster="topic")] == ["t1", "t2"]
    with pytest.raises(DataError, match=r"no column 'tpic'; it has .*'topic'") as caught:
        rows_of(path, cluster="tpic")
    assert "did you mean 'topic'?" in caught.value.hint


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a,1,1,high", "row 2: the score 'high' is no number"),
        ("a,1,1,inf", "row 2: the score 'inf' is no number"),
        ("a,1,one,1", "row 2: the repeat 'one' is not a whole number"),
        ("a,1,0.5,1", "row 2: the repeat '0.5' is not a whole number"),
        ("a,,1,1", "row 2: the item is empty"),
        (",1,1,1", "row 2: the system is empty"),
        ("a,1,1", "line 3: 3 fields where the header has 4"),
        ("a,0,1,1", "answered item '0' twice"),
    ],
)
def test_odd_lines_are_refused(line, problem, tmp_path):
    path = written(tmp_path, f"system,item,repeat,score\na,0,1,1\n{line}\n")
    with pytest.raises(DataError, match=problem) as caught:
        rows_of(path)
    assert caught.value.exit_code == 4


def test_a_header_alone_is_refused(tmp_path):
    path = written(tmp_path, "system,item,score\n")
    with pytest.raises(FileFormatError, match="no rows"):
        rows_of(path)


@pytest.mark.parametrize("header", ["item,score,new", "system,score", "item,system", "Item,System,Score"])
def test_other_columns_are_no_long_table(header, tmp_path):
    assert not is_log(written(tmp_path, f"{header}\n" + ",".join("1" for _ in header.split(",")) + "\n"))


def test_a_damaged_parquet_file_is_no_log(tmp_path):
    write_rows(tmp_path / "x.parquet", [Row("", "1", 1, "a", score=1.0)])
    whole = (tmp_path / "x.parquet").read_bytes()
    (tmp_path / "x.parquet").write_bytes(whole[:-8])
    assert not is_log(tmp_path / "x.parquet")


def test_parquet_is_written_some_rows_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_ROWS_PER_CHUNK", 8)
    sizes = []
    monkeypatch.setattr(writing, "write_chunks", lambda path, chunks: path.write_bytes(taken(chunks, sizes)))
    rows = seeded_rows()
    write_rows(tmp_path / "x.parquet", rows)
    assert sorted(rows_of(tmp_path / "x.parquet")) == sorted(rows)
    assert sum(size > 0 for size in sizes) >= len(rows) // 8 > 2


def taken(chunks, sizes):
    """Return the whole of some chunks, and note how long each is."""
    chunks = list(chunks)
    sizes += map(len, chunks)
    return b"".join(chunks)


# -- groups ------------------------------------------------------------------------------------------------


def test_groups_hold_what_was_added_in_order(monkeypatch):
    for name, value in {"MAX_MEMORY": 64, "RECORDS_PER_PART": 3, "MAX_WAITING": 5}.items():
        monkeypatch.setattr(f"ropewalk.data.logs.groups.{name}", value)
    groups, expected = Groups(), {}
    for number in range(200):
        key = number * number % 7
        groups.add(key, [number, "ü" * (number % 5), None, number / 3])
        expected.setdefault(key, []).append([number, "ü" * (number % 5), None, number / 3])
    assert groups.keys == tuple(expected)
    assert {key: list(groups.records(key)) for key in groups.keys} == expected
    first, second = groups.records(0), groups.records(1)
    assert [next(first), next(second), next(first)] == [expected[0][0], expected[1][0], expected[0][1]]


def test_records_that_find_no_room_say_where(tmp_path, monkeypatch):
    """A bound on the length of files stands for a disk that is full."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("ropewalk.data.logs.groups.MAX_MEMORY", 1 << 10)
    bounds = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, bounds[1]))
    try:
        groups = Groups()
        with pytest.raises(UnreadableFileError, match="Cannot keep the records of a log in") as caught:
            collections.deque((groups.add("a", number) for number in range(1 << 13)), maxlen=0)
        del groups
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, bounds)
    assert str(tmp_path) in caught.value.message
    assert "TMPDIR" in caught.value.hint
