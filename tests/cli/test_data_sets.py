"""`ropewalk datasets`: tables of scores on the command line."""

from __future__ import annotations

import json

import pytest

import ropewalk as rw

UCI = str(rw.examples.uci_folds_path())
PLACES = ("--dataset", "dataset", "--fold", "fold", "--repeat", "repeat")
RANKS = ("--model", "signed_rank", "--draws", "2000")


def test_it_says_what_python_says(run):
    code, out, err = run("datasets", UCI, *PLACES, "--a", "hnb", "--b", "nbc", "--rope", "1%", *RANKS, "--json")
    assert (code, err) == (0, "")
    named = {"dataset": "dataset", "fold": "fold", "repeat": "repeat", "a": "hnb", "b": "nbc"}
    ours = rw.compare_datasets(UCI, **named, rope=0.01, model="signed_rank", draws=2_000, rng=0)
    assert json.loads(out) == ours.to_dict()


def test_it_ranks(run, tmp_path):
    page = tmp_path / "page.html"
    ask = ("--scores", "nbc,aode,hnb", "--rope", "1%", *RANKS, "--metric", "accuracy", "--tests", "--by", "rank")
    code, out, err = run("datasets", UCI, *PLACES, *ask, "--html", str(page))
    assert code == 0, err
    assert "Two models share the top: aode and hnb" in out
    assert "54 paired data sets" in out
    assert "Ranked by mean rank" in out
    assert "best on the next data set: hnb" in out
    assert "Friedman  p <0.001" in out
    assert "ranks on average against the best" in out
    told = page.read_text(encoding="utf-8")
    assert "Nemenyi" in told
    assert "rw.rank_datasets(…)" in told


def test_without_data_sets_the_rows_are_folds(run, tmp_path):
    path = tmp_path / "folds.csv"
    path.write_text("fold,a,b\n" + "\n".join(f"{i},{0.8 + 0.01 * (i % 3)},0.8" for i in range(10)), encoding="utf-8")
    code, out, err = run("datasets", str(path), "--fold", "fold", "--a", "a", "--b", "b", "--rope", "0.02", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["resampling"]["folds"] == 10
    assert told["model"] == "correlated_t"
    code, out, err = run("datasets", str(path), "--rho", "0.1", "--a", "a", "--b", "b", "--lower-is-better", "--json")
    assert code == 0
    assert json.loads(out)["higher_is_better"] is False


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (("--dataset", "dataset", "--a", "hnb", "--b", "nbc"), 4, "--fold names the column of folds"),
        (("--a", "hnb", "--b", "nbc"), 2, "how these overlap is not said"),
        (("--dataset", "data", "--a", "hnb", "--b", "nbc"), 4, "did you mean 'dataset'"),
        (PLACES, 2, "Missing option --a, --b"),
        ((*PLACES, "--scores", "nbc,hnb", "--a", "nbc"), 2, "give either"),
        (("--scores", "nbc,hnb"), 2, "--scores needs --dataset"),
        ((*PLACES, "--scores", "nbc,hnb", "--n-train", "9"), 2, "--n-train does not go"),
        ((*PLACES, "--a", "hnb", "--b", "nbc", "--by", "rank"), 2, "--by does not go"),
        ((*PLACES, "--scores", "nbc,hnb", "--by", "loss"), 2, "Choose from: score, rank"),
        ((*PLACES, "--a", "hnb", "--b", "nbc", "--n-train", "9"), 2, "--n-train does not go"),
        ((*PLACES, "--a", "hnb", "--b", "nbc", "--rope", "x"), 2, "rope"),
        ((*PLACES, "--a", "hnb", "--b", "dataset"), 2, "named twice"),
    ],
)
def test_a_wrong_line_is_a_clear_error(run, line, code, words):
    found, out, err = run("datasets", UCI, *line)
    assert (found, out) == (code, "")
    assert words in err
    assert "Hint:" in err


def test_folds_are_no_items_of_a_mean(run):
    code, out, err = run("compare", UCI, "--a", "hnb", "--b", "nbc", "--metric", "mean")
    assert (code, out) == (2, "")
    assert "ropewalk datasets FILE --fold fold" in err
