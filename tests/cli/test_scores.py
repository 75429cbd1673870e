"""The command line on scores and clusters."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw

SCORES = str(rw.examples.bundled("news20_scores_class8.csv.gz"))
COLUMNS = ("--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2", "--draws", "500")


@pytest.fixture
def predictions(tmp_path, write, rng):
    y = rng.integers(0, 2, 120)
    a, b = (np.where(rng.random(120) < share, y, 1 - y) for share in (0.8, 0.7))
    p, q = np.round(rng.random(120), 3), np.round(rng.random(120), 3)
    rows = [("y", "a", "b", "p", "q", "who"), *zip(y, a, b, p, q, (f"u{i % 60}" for i in range(120)), strict=True)]
    return write(tmp_path / "p.csv", rows)


def test_comparing_by_scores(run, news):
    code, out, err = run("compare", SCORES, *COLUMNS, "--metric", "roc_auc", "--rope", "0.01", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    s = news.scores_class8
    r = rw.compare(
        s["y_true"].astype(int).astype(str), s["nb_mult"], s["svm_l2"], metric="roc_auc",
        names=["nb_mult", "svm_l2"], rope=0.01, draws=500, rng=0,
    )  # fmt: skip
    assert told == r.to_dict()
    assert (told["decision"]["symbol"], told["model"], told["pos_label"]) == ("≫", "scores", "1")
    assert 0 < told["tests"]["delong"]["p_value"] < 0.001


def test_text_markdown_latex_and_html(run, tmp_path):
    page = tmp_path / "page.html"
    code, out, _ = run(
        "compare", SCORES, *COLUMNS, "--metric", "roc_auc", "--rope", "0.01", "--details", "--html", page
    )
    assert code == 0
    assert "ROC AUC" in out
    assert "DeLong" in out
    assert page.stat().st_size > 1_000
    for way in ("--markdown", "--latex"):
        assert run("compare", SCORES, *COLUMNS, "--metric", "average_precision", way)[0] == 0


def test_evaluating_and_ranking_by_scores(run, predictions):
    code, out, _ = run(
        "evaluate", predictions, "--truth", "y", "--prediction", "p", "--metric", "roc_auc,brier",
        "--at-least", "0.4", "--draws", "300", "--json",
    )  # fmt: skip
    assert code == 0
    assert [m["metric"] for m in json.loads(out)["metrics"]] == ["roc_auc", "brier"]
    code, out, _ = run(
        "rank", predictions, "--truth", "y", "--predictions", "p,q", "--metric", "brier", "--draws", "300",
        "--json", "--cluster", "who",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["n_clusters"] == 60


def test_one_score_per_item_may_be_of_one_class_against_the_rest(run, write, tmp_path):
    rows = [("xyz"[i % 3], (i % 3 == 0) * 0.3 + (i * 7 % 20) / 20, (i * 11 % 20) / 20) for i in range(60)]
    asked = ("--truth", "y", "--a", "p", "--b", "q", "--metric", "roc_auc", "--draws", "200", "--json")
    several = write(tmp_path / "several.csv", [("y", "p", "q"), *rows])
    two = write(tmp_path / "two.csv", [("y", "p", "q"), *((y if y == "x" else "other", p, q) for y, p, q in rows)])
    answers = [json.loads(run("compare", file, *asked, "--pos-label", "x")[1]) for file in (several, two)]
    assert answers[0]["delta"] == answers[1]["delta"]
    code, out, err = run("compare", several, *asked)
    assert (code, out) == (4, "")
    assert "name the class that they are scores of with --pos-label" in err


def test_a_mean_needs_no_truth_and_may_be_a_loss(run, predictions):
    asked = ("compare", predictions, "--a", "p", "--b", "q", "--metric", "mean", "--draws", "300", "--json")
    up, down = (json.loads(run(*asked, *more)[1]) for more in ((), ("--lower-is-better",)))
    assert up["delta"] == down["delta"]
    assert up["higher_is_better"]
    assert not down["higher_is_better"]


def test_costs_of_scores(run, predictions, tmp_path, write):
    costs = write(tmp_path / "c.csv", [(0, 1), (5, 0)])
    asked = ("evaluate", predictions, "--truth", "y", "--prediction", "p", "--cost-matrix", costs)
    told = json.loads(run(*asked, "--metric", "cost,roc_auc", "--draws", "100", "--json")[1])
    assert [m["metric"] for m in told["metrics"]] == ["cost", "roc_auc"]
    code, out, _ = run("compare", predictions, "--truth", "y", "--a", "p", "--b", "q", "--cost-matrix", costs,
                       "--draws", "100", "--json")  # fmt: skip
    assert (code, json.loads(out)["metric"]) == (0, "cost")
    code, _, err = run("compare", predictions, "--truth", "y", "--a", "a", "--b", "b", "--lower-is-better")
    assert code == 2
    assert "--metric mean" in err


def test_a_threshold_decides_what_is_positive(run, predictions, tmp_path, write):
    costs = write(tmp_path / "c.csv", [(0, 1), (5, 0)])
    asked = ("evaluate", predictions, "--truth", "y", "--prediction", "p", "--metric", "cost", "--cost-matrix", costs)
    all_positive, none = (
        json.loads(run(*asked, "--threshold", bar, "--draws", "100", "--json")[1])["metrics"][0]["observed"]
        for bar in (0, 2)
    )
    n_positive = sum(line.startswith("1,") for line in predictions.read_text().splitlines())
    assert (all_positive, none) == (pytest.approx((120 - n_positive) / 120), pytest.approx(5 * n_positive / 120))


def test_clusters_of_labels(run, predictions):
    asked = ("--truth", "y", "--metric", "accuracy", "--draws", "300", "--json", "--cluster", "who")
    told = json.loads(run("compare", predictions, "--a", "a", "--b", "b", *asked)[1])
    assert (told["n_clusters"], told["model"]) == (60, "items")
    assert json.loads(run("evaluate", predictions, "--prediction", "a", *asked)[1])["n_clusters"] == 60
    assert json.loads(run("rank", predictions, "--predictions", "a,b", *asked)[1])["n_clusters"] == 60
    repeated = ("compare", predictions, "--truth", "y", "--a", "a", "--b", "b", "--id", "who", "--draws", "300")
    code, out, err = run(*repeated)
    assert (code, out) == (4, "")
    assert "--cluster who" in err
    assert run(*repeated, "--cluster", "who")[0] == 0


@pytest.mark.parametrize(
    ("more", "code", "match"),
    [
        (("--per-class",), 2, "--per-class is about labels"),
        (("--missing", "drop"), 2, "`--missing` is about labels"),
        (("--model", "paired"), 2, "`--model` is about labels"),
        (("--metric", "log_loss"), 4, "probabilities from 0 to 1"),
        (("--metric", "f1"), 4, "scores"),
        (("--pos-label", "7"), 4, "not a label"),
        (("--cluster", "dox"), 4, "did you mean 'doc'"),
        (("--rope", "2"), 2, "no two values of roc_auc"),
        (("--id", "y_true"), 4, "more than once"),
    ],
)
def test_a_mistake_is_a_sentence_and_an_exit_code(run, more, code, match):
    metric = () if "--metric" in more else ("--metric", "roc_auc")
    found, out, err = run("compare", SCORES, *COLUMNS, *metric, *more)
    assert (found, out) == (code, "")
    assert match in err


def test_a_column_of_words_is_no_score(run, predictions):
    code, _, err = run("compare", predictions, "--truth", "y", "--a", "p", "--b", "who", "--metric", "roc_auc")
    assert code == 4
    assert "'who' must hold numbers" in err
    assert run("compare", predictions, "--a", "p", "--b", "q", "--metric", "roc_auc")[0] == 2
    assert run("compare", predictions, "--truth", "y", "--a", "p", "--b", "q", "--scores")[0] == 2
    assert run("rank", predictions, "--predictions", "a,b")[0] == 2


def test_a_wrong_scale_is_named_as_the_shell_spells_it(run, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    code, out, err = run("compare", path, "--metric", "mean", "--a", "a", "--b", "b", "--scale", "5,1")
    assert (code, out) == (2, "")
    assert "`--scale` must be the lowest and the highest value" in err
    code, out, err = run("compare", path, "--metric", "mean", "--a", "a", "--b", "b", "--scale", "1,3")
    assert (code, out) == (4, "")
    assert "beyond the scale from 1 to 3" in err
