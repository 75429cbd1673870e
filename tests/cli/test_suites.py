"""Suites of tasks on the command line: what Python says, and what does not go together."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

COLUMNS = ("--truth", "y", "--a", "new", "--b", "old")
ASKED = ("--metric", "accuracy", "--rope", "1%", "--draws", "1000")
LONG = ("--system", "system", "--item", "item", "--score", "score")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(4)
    rows = ["id,y,new,old,subject"]
    for i in range(240):
        y, a, b = rng.integers(0, 3), rng.random() < 0.8, rng.random() < 0.7
        rows.append(f"{i},{y},{y if a else (y + 1) % 3},{y if b else (y + 2) % 3},s{i % 4}")
    path = tmp_path_factory.mktemp("suite") / "preds.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def long_table(tmp_path_factory):
    rng = np.random.default_rng(5)
    rows = [f"{s},{i},{int(rng.random() < p)},t{i % 3}" for i in range(120) for s, p in (("new", 0.8), ("old", 0.7))]
    path = tmp_path_factory.mktemp("suite") / "long.csv"
    path.write_text("\n".join(["system,item,score,task", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ((), {}),
        (("--over", "tasks"), {"over": "tasks"}),
        (("--weights", "items"), {"weights": "items"}),
        (("--weights", "s0=1,s1=2,s2=0,s3=1"), {"weights": {"s0": 1, "s1": 2, "s2": 0, "s3": 1}}),
    ],
)
def test_it_says_what_python_says(run, table, line, options):
    code, out, _ = run("compare", table, *COLUMNS, "--task", "subject", *line, *ASKED, "--json")
    asked = {"truth": "y", "a": "new", "b": "old", "task": "subject", "metric": "accuracy", "rope": 0.01}
    ours = rw.compare(table, **asked, **options, draws=1_000, rng=0)
    assert code == 0
    assert json.loads(out) == ours.to_dict()


def test_a_long_table_has_tasks_of_its_own(run, long_table):
    code, out, _ = run("compare", long_table, *LONG, "--task", "task", "--over", "tasks", "--draws", "500", "--json")
    told = json.loads(out)
    assert (code, told["over"], [unit["name"] for unit in told["units"]]) == (0, "tasks", ["t0", "t1", "t2"])
    code, out, _ = run("compare", long_table, *LONG, "--task", "task", "--draws", "500", "--json")
    assert (code, len(json.loads(out)["tasks"])) == (0, 3)
    assert "over" not in json.loads(out)


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (("--task", "subjects"), 4, "subject"),
        (("--over", "tasks"), 2, "--task names the column"),
        (("--task", "subject", "--over", "all"), 2, "Unknown over"),
        (("--task", "subject", "--over", "tasks", "--weights", "items"), 2, "leave --weights out"),
        (("--task", "subject", "--weights", "s0=1"), 2, "`--weights` lacks"),
        (("--task", "subject", "--weights", "s0=x"), 2, "--weights"),
        (("--task", "id"), 2, "`--task` has 240 different values"),
        (("--task", "subject", "--by", "subject"), 2, "`--by` is about one test set"),
        (("--task", "subject", "--items", "items.csv"), 2, "--items"),
        (("--task", "subject", "--per-class"), 2, "--task is about one question"),
    ],
)
def test_what_does_not_go_together_is_refused(run, table, line, code, words):
    given, out, err = run("compare", table, *COLUMNS, "--metric", "accuracy", *line)
    assert (given, out) == (code, "")
    assert words in err
    assert "Hint" in err


def test_rank_and_evaluate_say_what_python_says(run, table, long_table):
    code, out, _ = run("rank", table, "--truth", "y", "--predictions", "new,old", "--task", "subject", *ASKED, "--json")
    asked = {"truth": "y", "task": "subject", "metric": "accuracy", "rope": 0.01, "draws": 1_000, "rng": 0}
    assert (code, json.loads(out)) == (0, rw.rank(table, predictions=["new", "old"], **asked).to_dict())
    line = ("--task", "subject", "--weights", "items", "--metric", "accuracy", "--draws", "1000", "--json")
    code, out, _ = run("evaluate", table, "--truth", "y", "--prediction", "new", *line)
    del asked["rope"]
    assert (code, json.loads(out)) == (0, rw.evaluate(table, "new", weights="items", **asked).to_dict())
    for verb in (("rank",), ("evaluate", "--name", "new")):
        code, out, _ = run(verb[0], long_table, *LONG, *verb[1:], "--task", "task", "--draws", "500", "--json")
        assert (code, [one["task"] for one in json.loads(out)["tasks"]]) == (0, ["t0", "t1", "t2"])
    code, out, _ = run("evaluate", long_table, *LONG, "--name", "new", "--task", "t1", "--draws", "500", "--json")
    assert code == 0
    assert "tasks" not in json.loads(out)
