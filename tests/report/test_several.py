"""Several metrics on every surface: one table, signed so that + is better for A."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.report.describe.metrics import NOT_INDEPENDENT, metric_table
from ropewalk.report.document import describe, plain
from support import NEWS, method_rows, without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")

FIVE = ["f1", "error", "recall", "roc_auc", "brier"]


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    scores = [np.clip(weight * y + (1 - weight) * rng.random(300), 0, 1) for weight in (0.35, 0.2)]
    return y, [(score > 0.5).astype(int) for score in scores], scores


def ask(arrays, *, metric, names=("new", "old"), **options):
    y, labels, scores = arrays
    given = {"scores": scores} if "brier" in metric else {}
    with without_warnings():
        return rw.compare(y, *labels, names=list(names), metric=metric, draws=1_000, rng=0, **given, **options)


@pytest.fixture(scope="module")
def five(arrays):
    return ask(arrays, metric=FIVE, rope={"f1": 0.02, "brier": 0.05, "roc_auc": (-0.01, np.inf)})


def cells(table):
    return [[plain(cell, str) for cell in row] for row in table.rows]


def test_the_table_has_a_row_per_metric_and_its_sign_is_that_of_an_improvement(five):
    rows = cells(metric_table(five))
    assert [row[0] for row in rows] == ["F1", "error ↓", "recall", "ROC AUC", "Brier score ↓"]
    for row, c in zip(rows, five.metrics, strict=True):
        shown = [float(cell.partition(" ")[0].replace("−", "-")) for cell in (row[1], row[3])]
        assert shown == pytest.approx([100 * c.estimate_a.observed, 100 * c.improvement.mean], abs=1)
    assert rows[0][-1].startswith("undecided, new?")  # as its verdict says
    assert five.decision.symbol == ">"
    assert five["roc_auc"].decision.symbol == "≈"
    assert rows[3][-1].startswith("new not worse")
    assert rows[1][-1].startswith("P(new better) ")  # no ROPE, no verdict


def test_every_surface_has_the_table_and_says_that_the_metrics_are_not_independent(five):
    for text in (str(five), five.to_markdown(), five.to_latex()):
        assert text.count("Brier score") == " ".join(text.split()).count(NOT_INDEPENDENT) == 1
    page = five.to_html().partition("</section>")[2]
    assert page.index("Brier score") < page.index(NOT_INDEPENDENT) < page.index("How sure")
    assert r"Brier score $\downarrow$" in five.to_latex()
    assert "| Brier score ↓ |" in five.to_markdown()
    assert five.sentence() == replace(five, others=()).sentence()


def test_the_page_is_small_and_names_the_whole_question(five):
    assert len(five.to_html().encode()) < 150_000
    rows = dict(method_rows(five))
    call = rows["Call"]
    assert f"metric={FIVE}" in call
    assert "rope={'f1': 0.02, 'roc_auc': (-0.01, inf), 'brier': 0.05}" in call
    assert "scores=…" in call
    assert len([label for label, _ in method_rows(five) if label == "Model"]) == 4  # recall and Brier have their own
    assert "±0.02 for" in rows["ROPE"]


def test_a_remark_comes_once_and_under_the_name_of_its_metric(arrays):
    r = ask(arrays, metric=["f1", "accuracy", "recall"], rope=0.02)
    texts = [line.text for line in describe(r).lines]
    assert len(texts) == len(set(texts))
    own = {remark.text for remark in r.remarks}
    for c in r.others:
        for remark in c.remarks:
            assert remark.text in own or any(remark.text in text for text in texts)
    assert r.remarks == ask(arrays, metric="f1", rope=0.02).remarks


def test_companions_stand_on_screens_and_not_in_papers(arrays):
    r = ask(arrays, metric="f1", rope=0.02)
    for text in (str(r), r.to_html()):
        assert "precision" in text
        assert NOT_INDEPENDENT in " ".join(text.split())
    for text in (r._repr_html_(), r.to_markdown(), r.to_latex(), r.to_json()):  # a card has the answer alone
        assert "precision" not in text
    assert [row[-1].split()[0] for row in cells(metric_table(r))[1:]] == ["P(new"] * 3


def test_names_cannot_break_out_of_the_table(arrays):
    def evil(margins):
        return margins.tp[..., -1] / margins.total[..., 0]

    evil.__name__ = "<b>|&\\\x1b[31m"
    r = ask(arrays, metric=["f1", evil], names=("<i>a|", "b$_%"), rope=0.02)
    for text in (r.to_html(), r._repr_html_()):
        assert "<b>|" not in text
        assert "<i>a" not in text
    assert "\x1b" not in str(r) + r.to_markdown() + r.to_latex() + r.to_html()
    row = next(line for line in r.to_markdown().splitlines() if "&lt;b" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 6


# -- in the shell ---------------------------------------------------------------------------------------------


SHELL = ("compare", NEWS, "--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2", "--pos-label", "8", "--draws", "500")


def test_the_shell_takes_several_metrics_and_a_rope_for_each(run):
    code, out, err = run(*SHELL, "--metric", "f1,recall,error", "--rope", "f1=0.05,error=0.01", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert [(one["metric"], one["rope"]) for one in told["metrics"]] == [
        ("f1", [-0.05, 0.05]),
        ("recall", None),
        ("error", [-0.01, 0.01]),
    ]
    code, out, err = run(*SHELL, "--metric", "f1,roc_auc")
    assert (code, out) == (2, "")
    assert "--a-scores and --b-scores" in err
    code, out, err = run(*SHELL[:8], "--draws", "500", "--per-class", "--metric", "f1,recall")
    assert (code, out) == (2, "")
    assert "one metric" in err
    assert run(*SHELL, "--metric", "f1", "--rope", "f2=0.1")[0] == 2


def test_the_shell_takes_scores_beside_labels(run, tmp_path, write, arrays):
    y, (a, b), (p, q) = arrays
    rows = [("y", "new", "old", "p", "q"), *zip(*(column.tolist() for column in (y, a, b, p, q)), strict=True)]
    file = str(write(tmp_path / "both.csv", rows))
    how = ("--truth", "y", "--a", "new", "--b", "old", "--draws", "1000", "--metric", ",".join(FIVE))
    beside = ("--a-scores", "p", "--b-scores", "q")
    code, out, _ = run("compare", file, *how, *beside)
    assert code == 0
    rows = [line.strip().split("  ")[0] for line in out.partition("\nMetrics\n")[2].splitlines()]
    assert rows[1:6] == ["F1", "error ↓", "recall", "ROC AUC", "Brier score ↓"]
    for wrong, told in (
        (("--a-scores", "p"), "--a-scores and --b-scores"),
        ((*beside, "--item", "y"), "one row per item"),
        ((*beside, "--per-class"), "--per-class"),
        (("--a-scores", "p", "--b-scores", "nothing"), "nothing"),
    ):
        code, out, err = run("compare", file, *how, *wrong)
        assert code in {2, 4}
        assert out == ""
        assert told in err
