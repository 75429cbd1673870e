"""`ropewalk watch`: files, logs, tables and queries that grow between two looks, and what ends the looking."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import sys
import time

import pytest

import ropewalk as rw
from logwriters import inspect_header, inspect_summary, seeded_answers, write_inspect_archive

COLUMNS = ("--truth", "y", "--a", "new", "--b", "old")
FAST = ("--draws", 2_000, "--every", 0)
HEADER = "y,new,old\n"


def lines_of(n, seed=0, better=0.3):
    """Return n lines of a table in which `new` is right more often by a share."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        truth = draw.choice("ab")
        wrong = "b" if truth == "a" else "a"
        new, old = (truth if draw.random() < share else wrong for share in (0.6 + better, 0.6))
        rows.append(f"{truth},{new},{old}\n")
    return "".join(rows)


@pytest.fixture
def growing(tmp_path, monkeypatch):
    """Return a file, and what tells what is written to it between two looks: texts that are added, or functions."""
    path, steps = tmp_path / "preds.csv", []

    def sleep(_):
        step = steps.pop(0) if steps else ""
        if callable(step):
            step()
        else:
            with path.open("a") as file:
                file.write(step)

    monkeypatch.setattr(time, "sleep", sleep)
    return path, steps


def test_it_looks_until_the_requirement_is_met(run, growing):
    path, steps = growing
    path.write_text(HEADER + lines_of(20))
    steps += [lines_of(20, seed) for seed in range(1, 40)]
    code, out, err = run("watch", path, *COLUMNS, "--require", "better", *FAST)
    assert code == 0
    head, *looks = out.splitlines()
    assert head == "accuracy of new − old in points; required: new better"
    assert [line.split()[0] for line in looks] == [str(20 * (i + 1)) for i in range(len(looks))]
    assert all(line.endswith("undecided".upper()) for line in looks[:-1])
    assert looks[-1].endswith(" MET")
    assert 2 < len(looks) < 20
    assert err.count("Act on the bounded outcome only") == 1


def test_json_has_a_line_for_every_look_that_is_what_python_says(run, growing):
    path, steps = growing
    path.write_text(HEADER + lines_of(60, better=0))
    steps += [lines_of(60, 1, better=0), lines_of(60, 2)]
    code, out, err = run("watch", path, *COLUMNS, "--margin", "1%", "--json", "--looks", 2, *FAST)
    assert (code, err) == (3, "")
    looks = [json.loads(line) for line in out.splitlines()]
    assert [look["n_items"] for look in looks] == [60, 120]
    table = rw.read_outcomes(path, truth="y", predictions=["new", "old"])
    ours = rw.watch(table, require="not-worse", margin=0.01, draws=2_000, rng=0)
    assert looks[-1] == ours.to_dict()


@pytest.mark.parametrize(("better", "code"), [(0.35, 0), (-0.35, 1), (0.0, 3)])
def test_the_exit_code_is_that_of_the_bounded_outcome(run, tmp_path, better, code):
    path = tmp_path / "preds.csv"
    path.write_text(HEADER + lines_of(400, better=better))
    found, out, _ = run("watch", path, *COLUMNS, "--require", "better", "--once", *FAST[:2])
    assert found == code
    assert len(out.splitlines()) == 2


def test_a_line_that_is_still_being_written_is_waited_for(run, growing):
    path, steps = growing
    path.write_text(HEADER + lines_of(30) + "a,b")
    steps += [",a\n" + lines_of(10, 1)]
    code, out, err = run("watch", path, *COLUMNS, "--margin", "1%", "--looks", 2, "--json", *FAST)
    assert code == 3
    assert [json.loads(line)["n_items"] for line in out.splitlines()] == [30, 41]
    assert err == f"Note      The last line of '{path}' has no end yet: left out\n"


def test_half_a_number_and_half_a_quoted_cell_are_no_rows(run, growing):
    path, steps = growing
    path.write_text('note,s,t\nx,0.5,0.25\n"two\nlines",0.5,0.75\n"half\n')
    steps += ['a cell",0.125,1\nx,0.2']
    code, out, _ = run(
        "watch", path, "--a", "s", "--b", "t", "--metric", "mean", "--margin", 0.1, "--looks", 2, "--json", *FAST
    )
    assert code == 3
    looks = [json.loads(line) for line in out.splitlines()]
    assert [look["n_items"] for look in looks] == [2, 3]
    assert looks[1]["delta"]["observed"] == pytest.approx((0.25 - 0.25 - 0.875) / 3)


def test_lines_of_json_are_cut_at_whole_records_and_arrays_are_not_cut(run, growing, tmp_path):
    path, steps = growing
    records = [{"y": "a", "new": "a", "old": "ab"[i % 2]} for i in range(12)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records)[:-5])
    steps += [json.dumps(records[-1])[-4:] + "\n"]
    asked = (*COLUMNS, "--require", "better", "--json", "--labels", "a,ab,b", *FAST)
    code, out, _ = run("watch", path, *asked, "--looks", 2)
    assert code == 3
    assert [json.loads(line)["n_items"] for line in out.splitlines()] == [11, 12]
    (tmp_path / "array.json").write_text(json.dumps(records))
    code, out, err = run("watch", tmp_path / "array.json", *asked, "--once")
    assert (code, json.loads(out)["n_items"], err) == (3, 12, "")


def test_a_file_without_rows_is_waited_for_and_refused_at_a_single_look(run, growing):
    path, steps = growing
    path.write_text("y,ne")
    steps += ["w,old\n", lines_of(20)]
    code, out, err = run("watch", path, *COLUMNS, "--margin", "1%", "--looks", 3, "--json", *FAST)
    assert (code, len(out.splitlines())) == (3, 1)
    assert err.count("Waiting   ") == 2
    path.write_text(HEADER)
    code, out, err = run("watch", path, *COLUMNS, "--margin", "1%", "--once")
    assert (code, out) == (4, "")
    assert "no rows" in err


@pytest.mark.parametrize("change", ["shorter", "other"])
def test_items_that_are_gone_or_changed_end_the_watch(run, growing, change):
    path, steps = growing
    path.write_text(HEADER + "a,a,b\n" * 30)
    rows = {"shorter": "a,a,b\n" * 29, "other": "a,a,b\n" * 29 + "a,b,b\n" * 9}[change]
    steps.append(lambda: path.write_text(HEADER + rows))
    code, out, err = run("watch", path, *COLUMNS, "--require", "better", "--margin", "99%", *FAST)
    assert code == 4
    assert len(out.splitlines()) == 2
    assert "1 item of the look before is gone or changed" in err


def test_a_query_is_asked_again_at_every_look(run, tmp_path, monkeypatch):
    place = tmp_path / "preds.sqlite"

    def add(n, seed):
        with sqlite3.connect(place) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS preds (y, new, old)")
            rows = [line.split(",") for line in lines_of(n, seed).splitlines()]
            connection.executemany("INSERT INTO preds VALUES (?, ?, ?)", rows)
        connection.close()

    add(30, 0)
    monkeypatch.setattr(time, "sleep", lambda _: add(20, 1))
    ask = ("watch", place, "--sql", "SELECT * FROM preds", *COLUMNS, "--margin", "1%", "--looks", 2, "--json", *FAST)
    code, out, _ = run(*ask)
    assert code == 3
    assert [json.loads(line)["n_items"] for line in out.splitlines()] == [30, 50]


def test_a_long_table_is_watched_by_its_systems(run, growing):
    path, steps = growing

    def rows(start, stop):
        return "".join(f"{system},{i},{int(i % 5 > k)}\n" for i in range(start, stop) for k, system in enumerate("ab"))

    path.write_text("model,q,ok\n" + rows(0, 25))
    steps += [rows(25, 60)]
    line = ("--system", "model", "--item", "q", "--score", "ok", "--a", "a", "--b", "b", "--margin", "1%")
    code, out, _ = run("watch", path, *line, "--looks", 2, "--json", *FAST)
    looks = [json.loads(line) for line in out.splitlines()]
    assert (code, [look["n_items"] for look in looks], looks[0]["metric"]) == (0, [25, 60], "mean")
    assert looks[1]["delta"]["observed"] == pytest.approx(0.2)


def test_logs_that_are_still_running_are_waited_for(run, tmp_path, monkeypatch):
    def write(name, seed, status):
        rows = [inspect_summary(one) for one in rows_of_answers(seed)]
        head = inspect_header(system=f"org/{name}", status=status)
        return write_inspect_archive(tmp_path / f"{name}.eval", rows, head)

    def rows_of_answers(seed):
        return seeded_answers(seed, n_errors=0)

    old = write("old", 2, "success")
    new = write("new", 1, "started")
    monkeypatch.setattr(time, "sleep", lambda _: write("new", 1, "success"))
    code, out, err = run("watch", new, old, "--margin", "1%", "--looks", 2, "--json", *FAST)
    assert code == 3
    assert [json.loads(line)["n_items"] for line in out.splitlines()] == [20]
    assert "Waiting   " in err
    assert "is not finished" in err
    write("new", 1, "started")
    code, out, err = run("watch", new, old, "--margin", "1%", "--once")
    assert (code, out) == (4, "")
    write("new", 1, "error")
    code, out, err = run("watch", new, old, "--margin", "1%", *FAST)
    assert (code, out) == (4, "")


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        ((), 2, "needs `--margin`"),
        (("--require", "equivalent"), 2, "needs `--margin`"),
        (("--require", "better", "--margin", "-1%"), 2, "at least 0"),
        (("--require", "better", "--margin", "nan"), 2, "--margin"),
        (("--require", "worse", "--margin", "1%"), 2, "`--require` must be one of"),
        (("--require", "better", "--every", "-1"), 2, "--every must be from 0"),
        (("--require", "better", "--looks", "0"), 2, "--looks"),
        (("--require", "better", "--once", "--looks", "2"), 2, "give one of the two"),
        (("--require", "better", "--metric", "f1", "--pos-label", "a"), 2, "no mean over items"),
        (("--require", "better", "--metric", "roc_auc"), 4, "must hold numbers"),
        (("--require", "better", "--pos-label", "c", "--metric", "recall"), 4, "'c'"),
    ],
)
def test_what_cannot_be_watched_is_refused_at_once(run, tmp_path, asked, code, message):
    path = tmp_path / "preds.csv"
    path.write_text(HEADER + lines_of(40))
    found, out, err = run("watch", path, *COLUMNS, *asked)
    assert (found, out) == (code, "")
    assert message in err
    assert "\nHint: " in err


def test_a_file_that_is_not_there_is_refused(run, tmp_path):
    code, out, err = run("watch", tmp_path / "none.csv", *COLUMNS, "--margin", "1%")
    assert (code, out) == (5, "")
    assert "none.csv" in err


def test_a_stream_is_looked_at_once(run, monkeypatch):
    def give(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    give(HEADER + lines_of(40))
    code, out, err = run("watch", "-", *COLUMNS, "--margin", "1%")
    assert (code, out) == (2, "")
    assert "--once" in err
    give(HEADER + lines_of(40, better=0))
    code, out, _ = run("watch", "-", *COLUMNS, "--margin", "1%", "--once")
    assert (code, len(out.splitlines())) == (3, 2)


def test_an_error_names_the_file_and_not_the_copy_that_was_read(run, tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("y,new,other\n" + lines_of(9))
    code, _, err = run("watch", path, *COLUMNS, "--margin", "1%")
    assert code == 4
    assert "'old'" in err
    assert "ropewalk-" not in err


def test_ctrl_c_gives_it_up_undecided(run, growing):
    path, steps = growing
    path.write_text(HEADER + lines_of(30))

    def stop():
        raise KeyboardInterrupt

    steps.append(stop)
    code, out, err = run("watch", path, *COLUMNS, "--margin", "1%", *FAST)
    assert code == 3
    assert len(out.splitlines()) == 2
    assert [line[:8] for line in err.splitlines()] == ["Note    ", ""]
