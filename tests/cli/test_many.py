"""The command line with many classes, labels and classifiers."""

from __future__ import annotations

import json

import pytest
from sklearn.metrics import f1_score

import ropewalk as rw
from support import COLUMNS, LONG, NEWS, REUTERS


def test_reproduce_icdm2015_with_the_paired_answer(run, frugal):
    code, out, _ = run("reproduce", "icdm2015", "--draws", 1_000)
    assert code == 0
    for word in ("paper", "ours", "paired"):
        assert out.count(f" {word} ") >= 6
    assert "of 6 decisions agree" in out


def test_rank_as_data_and_as_text(run):
    ask = ("rank", NEWS, "--truth", "y_true", "--predictions", "nb_bern,nb_mult,svm_l2", "--metric", "macro_f1")
    code, out, _ = run(*ask, "--rope", 0.005, "--draws", 1_000, "--json")
    assert code == 0
    told = json.loads(out)
    assert [model["name"] for model in told["models"]] == ["nb_bern", "nb_mult", "svm_l2"]
    assert [(pair["a"], pair["b"]) for pair in told["pairwise"]] == [
        ("nb_bern", "nb_mult"), ("nb_bern", "svm_l2"), ("nb_mult", "svm_l2"),
    ]  # fmt: skip
    code, out, err = run(*ask, "--draws", 1_000)
    assert code == 0
    assert "nb_mult has the best macro F1 with probability" in out
    assert "smallest difference" in err


def test_a_long_table_on_the_command_line(run, frugal):
    ask = ("compare", REUTERS, *COLUMNS, *LONG, "--n-items", 3_299, "--draws", 1_000, "--rope", 0.01, "--json")
    told = {}
    for metric in ("micro_f1", "macro_f1"):
        code, out, _ = run(*ask, "--metric", metric)
        assert code == 0
        told[metric] = json.loads(out)
    assert told["micro_f1"]["model"] == told["macro_f1"]["model"] == "items"
    assert told["micro_f1"]["n_items"] == 3_299
    # ours, by scikit-learn's f1_score(average="micro") on the same indicator matrices
    assert told["micro_f1"]["a"]["observed"] == pytest.approx(0.7609, abs=5e-5)
    code, out, _ = run("evaluate", REUTERS, "--truth", "y_true", "--prediction", "svm_l2", *LONG, "--draws", 1_000)
    assert code == 0
    assert "macro F1" in out


def test_multi_class_averages_on_the_command_line(run, frugal):
    asked = ("--metric", "macro_f1", "--classes", "1,2,3", "--rope", 0.01, "--draws", 500, "--json")
    code, out, _ = run("compare", NEWS, *COLUMNS, *asked)
    assert code == 0
    news = rw.examples.news20()
    expected = f1_score(news.y_true, news.predictions["nb_mult"], labels=[1, 2, 3], average="macro")
    assert json.loads(out)["a"]["observed"] == pytest.approx(expected)
