"""`--items`: the file, from every form of the data, and what is refused."""

import csv
import subprocess
import sys

import pytest

ROWS = [("id", "y", "a", "b", "lang"), ("=x", 1, 1, 0, "en"), ("d2", 0, 1, 0, "en"), ("d3", 1, 0, 1, "de")]
ROWS += [("d4", 0, 0, 0, "de"), ("d5", 1, 1, 1, "de")]
COLUMNS = ("--truth", "y", "--a", "a", "--b", "b", "--metric", "accuracy", "--draws", 50, "--model", "bootstrap")
LISTED = [["d2", "0", "1", "0", "lost"], ["d3", "1", "0", "1", "lost"], ["'=x", "1", "1", "0", "gained"]]


@pytest.fixture
def file(tmp_path, write):
    return write(tmp_path / "p.csv", ROWS)


def read(path):
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def test_the_items_that_differ_are_written(run, tmp_path, file):
    out = tmp_path / "items.csv"
    code, _, err = run("compare", file, *COLUMNS, "--id", "id", "--items", out)
    assert code == 0
    assert f"Wrote {out}" in err
    assert read(out) == [["id", "truth", "a", "b", "change"], *LISTED]
    run("compare", file, *COLUMNS, "--items", out)
    assert [row[0] for row in read(out)] == ["position", "1", "2", "0"]


def test_standard_input_is_there_until_the_end(tmp_path, file):
    out = tmp_path / "items.csv"
    line = [sys.executable, "-m", "ropewalk", "compare", "-", *map(str, COLUMNS), "--id", "id", "--items", str(out)]
    with file.open("rb") as stdin:
        assert subprocess.run(line, stdin=stdin, capture_output=True, check=False).returncode == 0
    assert read(out)[1:] == LISTED


def test_two_files_and_scores(run, tmp_path, write):
    first = write(tmp_path / "a.csv", [("id", "y", "p"), *((row[0], row[1], row[2]) for row in ROWS[1:])])
    other = write(tmp_path / "b.csv", [("id", "y", "p"), *((row[0], row[1], row[3]) for row in reversed(ROWS[1:]))])
    two = ("--file-a", first, "--file-b", other, "--id", "id", "--truth", "y", "--prediction", "p")
    out = tmp_path / "items.csv"
    assert run("compare", *two, *COLUMNS[6:], "--items", out)[0] == 0
    assert read(out)[1:] == LISTED
    scores = write(tmp_path / "s.csv", [("u", "v"), (0.5, 0.75), (1, 0), (0.5, 0.5)])
    mean = ("--a", "u", "--b", "v", "--metric", "mean", "--draws", 50)
    assert run("compare", scores, *mean, "--items", out)[0] == 0
    assert read(out)[1:] == [["1", "1.0", "0.0", "gained", "1.0"], ["0", "0.5", "0.75", "lost", "-0.25"]]


def test_what_cannot_be_is_refused_before_any_work(run, tmp_path, file, write):
    before = file.read_bytes()
    code, out, err = run("compare", file, *COLUMNS, "--items", file)
    assert (code, out) == (2, "")
    assert "--items" in err
    assert "would overwrite the data" in err
    assert file.read_bytes() == before
    code, _, err = run("compare", file, *COLUMNS, "--items", tmp_path / "x", "--html", tmp_path / "x")
    assert code == 2
    assert "name the same file" in err
    assert run("compare", file, *COLUMNS[:6], "--per-class", "--items", tmp_path / "x")[0] == 2
    matrix = write(tmp_path / "m.csv", [(9, 1), (2, 8)])
    code, _, err = run("compare", "--confusion-a", matrix, "--confusion-b", matrix, "--items", tmp_path / "x")
    assert code == 2
    assert "--items does not go with" in err
    assert not (tmp_path / "x").exists()
