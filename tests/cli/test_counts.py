"""`count` and `merge`, and files of counts wherever a command reads FILE."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest

import ropewalk as rw

ASKED = ("--rope", "5%", "--draws", "500", "--json")
PLAIN = ("--truth", "y", "--a", "new", "--b", "old")


def write_rows(path, rng, number=240):
    y = rng.integers(0, 2, number)
    new, old = (np.where(rng.random(number) < right, y, 1 - y) for right in (0.9, 0.8))
    lines = [f"{i},{i // 2},{y[i]},{new[i]},{old[i]},{1 + i % 3}" for i in range(number)]
    path.write_text("\n".join(["id,patient,y,new,old,w", *lines, ""]))
    return path


@pytest.fixture
def rows(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    return write_rows(tmp_path / "rows.csv", rng)


@pytest.mark.parametrize("beside", [(), ("--cluster", "patient"), ("--weight", "w"), ("--count", "w"), ("--id", "id")])
def test_the_same_line_on_counts_gives_the_same_answer(run, rows, beside):
    assert run("count", rows, *PLAIN, *beside, "-o", "counts.json")[:2] == (0, "")
    for command, how in (("compare", PLAIN), ("rank", ("--truth", "y", "--predictions", "old,new"))):
        expected = run(command, rows, *how, *beside, *ASKED)
        assert expected[0] == 0
        assert run(command, "counts.json", *how, *beside, *ASKED) == expected
    expected = run("evaluate", rows, "--truth", "y", "--prediction", "old", *beside, *ASKED[2:])
    assert run("evaluate", "counts.json", "--prediction", "old", *ASKED[2:]) == expected
    if not beside:
        assert run("test", "counts.json", *PLAIN, "--json") == run("test", rows, *PLAIN, "--json")
        assert run("compare", "counts.json", *ASKED)[1] == run("compare", rows, *PLAIN, *ASKED)[1]


def test_counts_of_parts_merge_to_those_of_the_whole(run, rows):
    header, *lines = rows.read_text().splitlines()
    for name, part in (("north", lines[:100]), ("south", lines[100:])):
        rows.with_name(f"{name}.csv").write_text("\n".join([header, *part, ""]))
        code, out, err = run("count", f"{name}.csv", *PLAIN, "--cluster", "patient", "--keep-ids", "-o", f"{name}.json")
        assert (code, out) == (0, "")
        assert f"Wrote {name}.json: {len(part)} items in " in err
    assert run("merge", "north.json", "south.json", "-o", "all.json")[:2] == (0, "")
    assert run("count", rows, *PLAIN, "--cluster", "patient", "--keep-ids", "-o", "whole.json")[0] == 0
    assert rows.with_name("all.json").read_bytes() == rows.with_name("whole.json").read_bytes()
    assert run("merge", "south.json", "north.json")[1] == rows.with_name("all.json").read_text()


def test_what_a_file_of_counts_tells(run, rows):
    """No ids of items, those of clusters only if asked, and no class names where they are hidden."""
    for keep in ((), ("--keep-ids",)):
        _, out, _ = run("count", rows, *PLAIN, "--id", "id", "--cluster", "patient", *keep)
        told = json.loads(out)
        assert ("cluster_ids" in told) == bool(keep)
        assert told["columns"] == {"truth": "y", "id": "id", "cluster": "patient"}
    rows.write_text("y,new,old\nill,ill,well\nwell,well,well\n")
    _, out, _ = run("count", rows, *PLAIN, "--labels", "well,ill", "--hide-labels")
    assert "ill" not in out
    assert json.loads(out)["labels"] == [0, 1]
    code, out, err = run("count", rows, *PLAIN, "--hide-labels")
    assert (code, out) == (2, "")
    assert "--labels, which is missing" in err
    code, out, err = run("count", rows, *PLAIN, "--min-cell", "5", "-o", "none.json")
    assert (code, out) == (4, "")
    assert "2 rows of the counts would stand for fewer than 5 items.\nHint: " in err
    assert not rows.with_name("none.json").exists()


def test_other_sources_are_counted_too(run, rows, tmp_path):
    table = rw.read_outcomes(rows, truth="y", predictions=["new", "old"])
    for line in (
        (rows, "--truth", "y", "--predictions", "new,old"),
        ("--file-a", rows, "--file-b", rows, "--id", "id", "--truth", "y", "--prediction", "new"),
    ):
        code, out, err = run("count", *line)
        assert (code, err) == (0, "")
        assert rw.Outcomes.from_json(out).n_items == table.n_items
    assert rw.Outcomes.from_json(run("count", rows, *PLAIN)[1]) == table
    assert rw.Outcomes.from_json(run("count", rows, "--truth", "y", "--prediction", "old")[1]) == table.project(["old"])
    long = tmp_path / "long.csv"
    long.write_text("doc,topic,y,new\n1,tea,1,1\n1,oil,0,1\n2,oil,1,0\n")
    line = (long, "--item", "doc", "--label", "topic", "--truth", "y")
    _, out, _ = run("count", *line, "--predictions", "new")
    (tmp_path / "long.json").write_text(out)
    assert rw.read_counts(tmp_path / "long.json").n_items == 2
    expected = run("evaluate", *line, "--prediction", "new", *ASKED[2:])
    assert run("evaluate", "long.json", *ASKED[2:])[1] == expected[1]


def test_labels_of_any_type_can_be_declared(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rw.Outcomes.from_arrays([1, 0], [1, 1], [0, 0], names=["new", "old"]).save("ints.json")
    code, out, _ = run("merge", "ints.json", "--labels", "2,1,0")
    assert code == 0
    assert json.loads(out)["labels"] == [2, 1, 0]
    assert run("merge", "ints.json", "--labels", "2,1")[0] == 4
    assert run("compare", "ints.json", "--labels", "0,1,2", "--draws", "99")[0] == 0


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        (("compare", "counts.json", "--items", "x.csv"), 2, "--items does not go with counts."),
        (("compare", "counts.json", "--by", "patient"), 2, "--by does not go with counts."),
        (("compare", "counts.json", "--a-scores", "s", "--b-scores", "t"), 2, "--a-scores does not go with counts."),
        (("compare", "counts.json", "--scorer", "s"), 2, "--scorer does not go with counts."),
        (("compare", "counts.json", "--metric", "roc_auc"), 2, "'roc_auc' is a metric of scores"),
        (("evaluate", "counts.json", "--item", "id", "--label", "y"), 2, "--item does not go with counts."),
        (("evaluate", "counts.json"), 2, "Name 1 of the 2 classifiers: new, old."),
        (("rank", "counts.json", "--predictions", "new,newer"), 4, "There is no classifier 'newer' here."),
        (("compare", "counts.json", "--truth", "old"), 4, "'counts.json' holds counts of 'y' as `--truth`."),
        (("compare", "counts.json", "rows.csv"), 4, "is no evaluation log"),
        (("merge", "counts.json", "rows.csv"), 4, "'rows.csv' is not a table of outcomes: "),
        (("merge", "counts.json", "no.json"), 5, "Cannot read 'no.json'"),
        (("count", "rows.csv", "--truth", "y", "--a", "new"), 2, "Missing option --b."),
        (("count", "rows.csv", *PLAIN, "--predictions", "new"), 2, "The classifiers are named twice"),
        (("count", "rows.csv", *PLAIN, "--unmatched", "drop"), 2, "--unmatched does not go with FILE."),
        (("count", "--file-a", "rows.csv", "--file-b", "rows.csv", "--id", "id"), 2, "Missing option --truth, --"),
        (("count", "counts.json", *PLAIN), 2, "'counts.json' holds counts already."),
        (("count",), 2, "Missing argument 'FILE'."),
    ],
)
def test_what_counts_cannot_answer_is_said(run, rows, line, code, told):
    assert run("count", rows, *PLAIN, "-o", "counts.json")[0] == 0
    got, out, err = run(*line)
    assert (got, out) == (code, "")
    assert told in err
    assert "\nHint: " in err


def test_separate_test_sets_may_come_as_counts(run, rows):
    for name in ("new", "old"):
        assert run("count", rows, "--truth", "y", "--prediction", name, "-o", f"{name}.json")[0] == 0
    code, out, err = run("compare", "new.json", "old.json", *ASKED)
    assert (code, err) == (0, "")
    assert json.loads(out)["model"] == "unpaired"


def test_which_classifiers_of_counts_are_meant_is_asked_in_flags(run, rows):
    run("count", rows, *PLAIN, "-o", "counts.json")
    code, out, err = run("compare", "counts.json", "counts.json")
    assert (code, out) == (2, "")
    assert "name one: --a for the first table, --b for the second." in err


def test_an_output_is_whole_or_not_there(run, rows, monkeypatch):
    rows.with_name("counts.json").write_text("before")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    code, out, err = run("count", rows, *PLAIN, "-o", "counts.json")
    assert (code, out) == (5, "")
    assert "No space left on device" in err
    assert rows.with_name("counts.json").read_text() == "before"
    assert sorted(path.name for path in rows.parent.iterdir()) == ["counts.json", "rows.csv"]


@pytest.mark.parametrize("line", [("compare", *ASKED), ("rank", *ASKED), ("test", "--json")])
def test_counts_may_come_by_standard_input(run, rows, monkeypatch, line):
    run("count", rows, *PLAIN, "-o", "counts.json")
    name, *how = line
    expected = run(name, "counts.json", *how)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.with_name("counts.json").read_bytes())))
    assert run(name, "-", *how) == expected
    assert expected[0] == 0


def test_counts_of_standard_input_are_merged(run, rows, monkeypatch):
    _, text, _ = run("count", rows, *PLAIN)
    rows.with_name("counts.json").write_text(text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, out, _ = run("merge", "-", "counts.json")
    assert code == 0
    assert sum(row[-1] for row in json.loads(out)["rows"]) == 480


@pytest.mark.parametrize("beside", [(), ("--cluster", "patient", "--keep-ids")], ids=["items", "clusters"])
def test_sites_of_one_weight_each_are_those_rows_together(run, rows, beside):
    head, *lines = rows.read_text().splitlines()
    sites = {"north": (lines[:100], "5"), "south": (lines[100:], "0.9")}
    weighted = {name: [line.rpartition(",")[0] + "," + w for line in some] for name, (some, w) in sites.items()}
    for name, some in {**weighted, "all": [*weighted["north"], *weighted["south"]]}.items():
        rows.with_name(f"{name}.csv").write_text("\n".join([head, *some, ""]))
        assert run("count", f"{name}.csv", *PLAIN, "--weight", "w", *beside, "-o", f"{name}.json")[0] == 0
    assert run("merge", "north.json", "south.json")[1] == rows.with_name("all.json").read_text()
    for name in sites:  # what a program writes does not name its columns
        rw.read_counts(f"{name}.json").save(f"{name}.json")
    assert run("merge", "north.json", "south.json", "-o", "merged.json")[0] == 0
    assert rw.read_counts("merged.json") == rw.read_counts("all.json")


def test_the_same_file_is_not_merged_twice(run, rows):
    run("count", rows, *PLAIN, "-o", "counts.json")
    rows.with_name("link.json").symlink_to(rows.with_name("counts.json"))
    for again in ("counts.json", "./counts.json", rows.with_name("counts.json"), "link.json"):
        code, out, err = run("merge", "counts.json", again)
        assert (code, out) == (2, "")
        assert "counts.json" in err
        assert "Hint: name each file once" in err
    rows.with_name("copy.json").write_bytes(rows.with_name("counts.json").read_bytes())
    code, out, _ = run("merge", "counts.json", "copy.json")
    assert code == 0
    assert sum(row[-1] for row in json.loads(out)["rows"]) == 480


def test_plans_begin_with_counts_too(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = [[[400, 40], [20, 30]], [[40, 35], [60, 300]]]
    rw.Outcomes.from_counts(pairs, names=["new", "old"]).save("counts.json")
    (tmp_path / "answer.json").write_text(run("compare", "counts.json", "--metric", "accuracy", "--json")[1])
    asked = ("--rope", "5%", "--simulations", "20", "--draws", "100", "--json")
    expected = run("power", "--from", "answer.json", "--n", "900", *asked)
    assert expected[0] == 0
    assert run("power", "--from", "counts.json", "--metric", "accuracy", "--n", "900", *asked) == expected
    code, out, _ = run("power", "counts.json", "--metric", "accuracy", "--n", "900", *asked)
    assert code == 0
    assert json.loads(out)["delta"] == pytest.approx((40 + 60 - 20 - 35) / 925)  # right by new alone, by old alone
    (tmp_path / "three.json").write_text(rw.Outcomes.from_arrays([1], [1], [1], [1]).to_json())
    for line in (("plan", "--from", "three.json"), ("power", "answer.json", "--n", "9"), ("compare", "answer.json")):
        code, out, err = run(*line)
        assert (code in {2, 4}, out) == (True, "")
        assert "\nHint: " in err


def test_a_file_of_counts_is_no_table_of_rows(run, rows):
    run("count", rows, *PLAIN, "-o", "counts.json")
    with pytest.raises(rw.errors.FileFormatError, match=r"'counts\.json' holds counts, and no rows"):
        rw.read_outcomes("counts.json", truth="y", predictions="new")
    joined = ("--file-a", "counts.json", "--file-b", rows, "--id", "id", "--truth", "y", "--prediction", "new")
    code, out, err = run("compare", *joined)
    assert (code, out) == (4, "")
    assert "'counts.json' holds counts, and no rows.\nHint: " in err


def test_a_copy_that_is_merged_is_a_warning(run, tmp_path):
    for name, right in (("one.json", 30), ("other.json", 31)):
        rw.Outcomes.from_pairs(positive=(right, 6, 3, 4), negative=(3, 2, 4, 40)).save(tmp_path / name)
    (tmp_path / "copy.json").write_bytes((tmp_path / "one.json").read_bytes())
    files = [tmp_path / name for name in ("one.json", "other.json", "copy.json")]
    assert "holds the same counts as" in run("merge", *files)[2]
    assert "Warning" not in run("merge", *files[:2])[2]
    code, _, err = run("merge", *files, "--labels", "x,y")
    assert (code, err[:7]) == (4, "Error: ")  # what was not merged is not warned of


def test_hints_of_count_are_about_what_it_takes(run, tmp_path):
    rows = "".join(f"{i % 2},0.{i:03d},0.{i + 100}\n" for i in range(1, 400))
    (tmp_path / "p.csv").write_text(f"y,a,b\n{rows}")
    code, _, err = run("count", tmp_path / "p.csv", "--truth", "y", "--a", "a", "--b", "b")
    assert code == 4
    assert "--threshold" in err
    assert "--metric" not in err
