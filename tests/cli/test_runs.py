"""Several runs on the command line: a table with a row per item and run."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw

COLUMNS = ("--truth", "y", "--a", "new", "--b", "old")
CELLS = (*COLUMNS, "--id", "item", "--run", "seed")
QUICK = ("--metric", "f1", "--pos-label", "yes", "--rope", "5%", "--draws", "500")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(2)
    truth = rng.choice(["yes", "no"], size=80)
    lines = ["item,seed,y,new,old"]
    for seed in "abc":
        said = [np.where(rng.random(80) < share, truth, rng.choice(["yes", "no"], size=80)) for share in (0.8, 0.6)]
        lines += [f"{i},{seed},{truth[i]},{said[0][i]},{said[1][i]}" for i in range(80)]
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("design", ["independent", "shared", "samples"])
def test_it_says_what_python_says(design, run, table):
    code, out, _ = run("compare", table, *CELLS, "--runs", design, *QUICK, "--json")
    assert code == 0
    asked = {"metric": "f1", "pos_label": "yes", "rope": 0.05, "draws": 500, "rng": 0}
    ours = rw.compare(table, truth="y", a="new", b="old", id="item", run="seed", runs=design, **asked)
    assert json.loads(out) == ours.to_dict()


def test_a_page_has_the_runs(run, table, tmp_path):
    page = tmp_path / "page.html"
    code, out, _ = run(
        "compare", table, *CELLS, "--runs", "independent", *QUICK, "--run-sd", "0.01", "--html", str(page)
    )
    assert code == 0
    assert "80 items × 3 runs each" in out
    assert "The runs, one by one" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (CELLS, "`--run` goes with `--runs`"),
        ((*COLUMNS, "--run", "seed", "--runs", "shared"), "`--id` is not given"),
        ((*CELLS, "--runs", "seeds"), "Choose from: independent, shared, samples"),
        ((*CELLS, "--runs", "shared", "--by", "y"), "does not go with several runs"),
        ((*CELLS, "--runs", "shared", "--per-class"), "--per-class"),
        ((*CELLS, "--runs", "independent", "--run-sd", "-1"), "--run-sd"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments, message, run, table):
    code, out, err = run("compare", table, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_one_method_is_evaluated_as_in_python(run, table):
    cells = ("--truth", "y", "--prediction", "new", "--id", "item", "--run", "seed", "--runs", "independent")
    code, out, _ = run("evaluate", table, *cells, "--metric", "f1", "--pos-label", "yes", "--draws", "500", "--json")
    assert code == 0
    asked = {"metric": "f1", "pos_label": "yes", "draws": 500, "rng": 0}
    ours = rw.evaluate(table, "new", truth="y", id="item", run="seed", runs="independent", **asked)
    assert json.loads(out) == ours.to_dict()


def test_many_are_ranked_as_in_python(run, table):
    cells = ("--truth", "y", "--predictions", "new,old", "--id", "item", "--run", "seed", "--runs", "shared")
    code, out, _ = run("rank", table, *cells, *QUICK, "--json")
    assert code == 0
    asked = {"metric": "f1", "pos_label": "yes", "rope": 0.05, "draws": 500, "rng": 0, "predictions": ["new", "old"]}
    ours = rw.rank(table, truth="y", id="item", run="seed", runs="shared", **asked)
    assert json.loads(out) == ours.to_dict()


def test_power_over_runs_is_that_of_python(run, table, tmp_path):
    code, out, _ = run("compare", table, *CELLS, "--runs", "shared", *QUICK, "--json")
    path = tmp_path / "results.json"
    path.write_text(out, encoding="utf-8")
    asked = ("--components", str(path), "--n", "200,900", "--runs", "3,9", "--delta", "5%", "--rope", "1%")
    code, out, _ = run("power", *asked, "--goal", ">>", "--json")
    assert code == 0
    ours = rw.power(components=path, n=[200, 900], runs=[3, 9], delta=0.05, rope=0.01, goal=">>", rng=0)
    assert json.loads(out) == ours.to_dict()
    assert ours.design == "shared"
    for line in (asked[:-2], (*asked, "--metric", "f1"), (*asked[:1], table, *asked[2:])):
        code, out, err = run("power", *line)
        assert code in {2, 4}
        assert "Hint" in err
