"""A judge that humans corrected, on the command line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import ropewalk as rw

CELLS = ("--a", "judge_a", "--b", "judge_b", "--human-a", "human_a", "--human-b", "human_b", "--draws", "500")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(2)
    right = rng.random((200, 2)) < 0.7
    says = np.where(rng.random((200, 2)) < 0.9, right, ~right)
    asked = rng.random(200) < 0.4
    lines = ["judge_a,judge_b,human_a,human_b,truth"]
    for judge, human, ask in zip(says.astype(int), right, asked, strict=True):
        cells = ["right" if one else "wrong" for one in human] if ask else ["", ""]
        lines.append(",".join([*map(str, judge), *cells, "x"]))
    path = tmp_path_factory.mktemp("judges") / "judged.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_it_says_what_python_says(run, table, tmp_path):
    page = tmp_path / "page.html"
    code, out, _ = run("compare", table, *CELLS, "--rope", "5%", "--json", "--html", str(page))
    assert code == 0
    asked = {"human_a": "human_a", "human_b": "human_b", "rope": 0.05, "draws": 500, "rng": 0}
    assert json.loads(out) == rw.compare(table, a="judge_a", b="judge_b", **asked).to_dict()
    assert "What the judge gets wrong" in page.read_text(encoding="utf-8")


def test_a_metric_of_labels_that_humans_corrected(run, table):
    columns = ("--truth", "judge_a", "--a", "judge_b", "--b", "truth", "--human", "human")
    right = pd.read_csv(table).replace({"right": 1, "wrong": 0}).assign(truth=0)
    right.rename(columns={"human_a": "human"}).to_csv(f"{table}.labels.csv", index=False)
    code, out, err = run("compare", f"{table}.labels.csv", *columns, "--metric", "accuracy", "--draws", "200", "--json")
    assert code == 0, err
    assert json.loads(out)["metric"] == "accuracy"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (CELLS[:6], "`--human-b` is missing"),
        ((*CELLS[:7], "nobody"), "'nobody' was not found"),
        ((*CELLS[:7], "truth"), "'x' of judge_b's answer, which is neither right nor wrong"),
        ((*CELLS, "--truth", "truth"), "`--truth` does not go with a judge"),
        ((*CELLS, "--by", "truth"), "`--by` does not go with a judge"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments, message, run, table):
    code, _, err = run("compare", table, *arguments)
    assert code in {2, 4}
    assert message in err
