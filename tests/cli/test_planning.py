"""Power, plan and stopping on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk.errors import RopewalkError
from support import interrupted

PAIRS = {"prevalence": 0.5, "positive": [0.3, 0.3, 0.2, 0.2], "negative": [0.2, 0.2, 0.3, 0.3]}
WORDS = "F1 .60 against .50 at agreement .7"
QUICK = ("--simulations", "40", "--draws", "500")


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(PAIRS), encoding="utf-8")
    return str(path)


@pytest.fixture
def results(tmp_path):
    """Return the file of an open comparison, as `compare --json` writes it."""
    table = rw.Outcomes.from_pairs(positive=(300, 60, 35, 40), negative=(30, 20, 40, 400))
    path = tmp_path / "results.json"
    path.write_text(rw.compare(table, rope=0.03, rng=0).to_json(), encoding="utf-8")
    return str(path)


def test_a_plan_by_the_expected_loss_takes_no_rope(run, scenario):
    ask = ("--max-loss", 0.02, "--simulations", 400, "--draws", 500, "--json")
    code, out, err = run("plan", scenario, *ask)
    assert (code, err) == (0, "")
    ours = rw.plan(rw.BinaryScenario(**PAIRS), max_loss=0.02, rng=0, simulations=400, draws=500)
    assert json.loads(out) == ours.to_dict()


def test_from_results_the_expected_loss_says_how_many_more_labels(run, results):
    code, out, err = run("plan", "--from", results, "--max-loss", 1e-7)
    assert (code, err) == (0, "")
    told = " ".join(out.split())
    assert "more items bring the expected loss of shipping the better-looking one down to 1e-07" in told
    code, out, err = run("plan", "--from", results, "--max-loss", 0.002, "--rope", 0.1)
    assert (code, out) == (2, "")
    assert "--rope does not go with --max-loss" in err
    code, out, err = run("plan", "--from", results, "--max-loss", 0.002, "--fresh")
    assert (code, out) == (2, "")
    assert "about a scenario" in err


def test_power_in_json_is_what_python_says(run, scenario):
    code, out, err = run(
        "power", scenario, "--n", "1000,500", "--goal", ">>", "--rope", 0.05, "--seed", 4, *QUICK, "--json"
    )
    assert (code, err) == (0, "")
    ours = rw.power(rw.BinaryScenario(**PAIRS), [1_000, 500], goal="A≫B", rope=0.05, rng=4, simulations=40, draws=500)
    told = json.loads(out)
    assert told == ours.to_dict()
    assert told["schema"] == 1
    assert [row["n"] for row in told["rows"]] == [1_000, 500]
    assert {"n", "power", "low", "high", "decisions"} <= set(told["rows"][0])


def test_results_come_by_standard_input(run, results, monkeypatch):
    line = ("plan", "--max-loss", 1e-7, "--json", "--from")
    expected = run(*line, results)
    assert expected[0] == 0
    with Path(results).open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run(*line, "-") == expected


def test_a_scenario_may_be_said_in_words(run):
    code, out, _ = run("power", WORDS, "--n", 200, "--rope", 0.05, *QUICK, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["delta"] == pytest.approx(0.1)
    assert told["metric"] == "f1"


@pytest.mark.parametrize("option", ["--markdown", "--latex", None])
def test_power_prints_a_row_for_every_size(run, scenario, option):
    code, out, _ = run(
        "power", scenario, "--n", "500,1500", "--goal", "conclusive", "--rope", 0.05, *QUICK,
        *([] if option is None else [option]),
    )  # fmt: skip
    assert code == 0
    assert "500" in out
    assert "1,500" in out


def test_assurance_comes_from_a_file_of_results(run, results):
    code, out, _ = run("power", "--from", results, "--n", 300, "--goal", "conclusive", *QUICK, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["assurance"] is True
    assert told["rope"] == [-0.03, 0.03]
    assert told["ceiling"] == pytest.approx(1.0)


def test_a_plan_from_results_counts_more_items(run, results):
    code, out, _ = run("plan", "--from", results, *QUICK, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["n_items"] == 925
    assert told["method"] == "simulation"
    assert told["target"] == 0.8
    code, out, _ = run("plan", "--from", results, "--goal", "~", *QUICK)
    assert code == 0
    assert "not reachable" in out


def test_a_plan_of_a_fresh_test_set(run, results):
    code, out, _ = run("plan", "--from", results, "--fresh", "--simulations", 200, "--draws", 500, "--json")
    assert code == 0
    assert json.loads(out)["asks"] == "n"


def test_results_of_every_class_need_a_class(run, tmp_path, news):
    table = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, draws=2_000, rng=0)
    path = tmp_path / "classes.json"
    path.write_text(table.to_json(), encoding="utf-8")
    code, out, err = run("plan", "--from", str(path), *QUICK)
    assert (code, out) == (2, "")
    assert "--pos-label" in err
    code, out, _ = run("plan", "--from", str(path), "--pos-label", 1, *QUICK, "--json")
    assert code == 0
    assert json.loads(out)["pos_label"] == "1"


def test_plan_answers_its_three_questions(run, scenario):
    said = ("--goal", ">>", "--rope", "0.05", "--simulations", "400", "--draws", "500", "--json")
    code, out, _ = run("plan", scenario, *said)
    assert code == 0
    assert json.loads(out)["asks"] == "n"
    code, out, _ = run("plan", scenario, "--n", 1500, *said)
    assert code == 0
    assert 0.05 < json.loads(out)["found"] < 0.2
    code, out, _ = run("plan", scenario, "--value", 1000, "--cost-per-item", 0.1, *said)
    assert code == 0
    assert json.loads(out)["net"] > 0


def test_stopping(run, scenario):
    code, out, _ = run("stopping", scenario, "--conclusive", "--max-n", 400, "--rope", 0.05, *QUICK, "--json")
    assert code == 0
    told = json.loads(out)
    assert 100 <= told["mean_n"] <= 400
    assert told["max_n"] == 400


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["power", WORDS, "--n", "0", "--rope", "0.05"], 2, "`--n` must be a whole number from 1"),
        (["power", WORDS, "--n", "10.5", "--rope", "0.05"], 2, "--n takes whole numbers"),
        (["power", WORDS, "--n", "inf", "--rope", "0.05"], 2, "--n takes whole numbers"),
        (["power", WORDS, "--n", "many", "--rope", "0.05"], 2, "--n takes a number"),
        (["power", WORDS, "--rope", "0.05"], 2, "--n"),
        (["power", WORDS, "--n", "100"], 2, "ROPE"),
        (["power", WORDS, "--n", "100", "--rope", "0.05", "--goal", "~"], 2, "not reachable"),
        (["power", WORDS, "--n", "100", "--rope", "0.1", "--goal", ">>"], 2, "on the edge"),
        (["power", WORDS, "--n", "100", "--rope", "0.05", "--goal", "finer"], 2, "Unknown goal"),
        (["power", "F1 .6 against .5 at agreement .99", "--n", "9", "--rope", "0.05"], 2, "cannot agree on 0.99"),
        (["power", "F1 .6 against .5 at agreement -.1", "--n", "9", "--rope", "0.05"], 2, "from 0 to 1"),
        (["power", "F1 .6 against .5", "--n", "9", "--rope", "0.05"], 2, "How often do the two classifiers agree?"),
        (["power", "is it better?", "--n", "9", "--rope", "0.05"], 2, "Cannot read the scenario"),
        (["power", "absent.json", "--n", "9", "--rope", "0.05"], 5, "absent.json"),
        (["power", "--n", "9", "--rope", "0.05"], 2, "Give a SCENARIO or --from"),
        (["power", WORDS, "--from", "x.json", "--n", "9"], 2, "not both"),
        (["plan", WORDS, "--rope", "0.05", "--fresh"], 2, "--fresh"),
        (["plan", WORDS, "--rope", "0.05", "--value", "5"], 2, "go together"),
        (["stopping", WORDS, "--rope", "0.05", "--width", "0.1", "--conclusive"], 2, "give one of the two"),
        (["reproduce", "icdm2015", "--power"], 2, "--power"),
    ],
    ids=lambda value: None if isinstance(value, int) else value[-1] if isinstance(value, list) else "says",
)
def test_mistakes_are_sentences(run, arguments, code, says):
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert says in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "no JSON"),
        ("[1, 2]", "JSON object"),
        ('{"positive": [1, 0, 0, 0]}', "no scenario"),
        ('{"positive": [0.3, 0.3, 0.2, 0.3], "negative": [0.2, 0.2, 0.3, 0.3]}', "add up to 1"),
        ('{"positive": [1.3, -0.3, 0, 0], "negative": [0.2, 0.2, 0.3, 0.3]}', "from 0 to 1"),
        ('{"positive": ["x", 0, 0, 0], "negative": [0.2, 0.2, 0.3, 0.3]}', "must be numbers"),
        ('{"positive": [1, 0, 0, 0], "negative": [0, 0, 0, 1], "prevalance": 0.5}', "did you mean 'prevalence'"),
    ],
    ids=["torn", "list", "half", "sum", "negative", "text", "misspelt"],
)
def test_bad_scenario_files_are_refused(run, tmp_path, content, says):
    path = tmp_path / "scenario.json"
    path.write_text(content, encoding="utf-8")
    code, out, err = run("power", str(path), "--n", 9, "--rope", 0.05)
    assert code in {2, 4}
    assert out == ""
    assert says in err


@pytest.mark.parametrize("threads", ["1", "2"])
def test_control_c_prints_what_there_is(scenario, threads):
    asked = ("power", scenario, "--n", "500,1000", "--rope", "0.05", "--simulations", "1000000", "--threads", threads)
    code, stdout, stderr = interrupted(*asked, "--json")
    assert code == 130, stderr
    assert re.fullmatch(r"(Simulating: .*\n)+", stderr), stderr
    told = json.loads(stdout)
    assert told["partial"] is True
    assert told["simulations"] == 1_000_000
    assert 0 < told["rows"][0]["simulations"] < 1_000_000


def test_the_table_of_the_paper_stands_beside_ours(monkeypatch, run):
    import ropewalk.cli.cmd_reproduce as module

    few = module.sigir2016_power
    monkeypatch.setattr(module, "sigir2016_power", lambda **how: few(**{**how, "simulations": 20, "draws": 200}))
    code, out, _ = run("reproduce", "sigir2016", "--power")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith(("(a) ", "(b) "))]
    published = rw.examples.sigir2016_power()
    assert [row[3] for row in rows] == [f"{float(row['unpaired']):.2f}" for row in published]
    assert [row[5] for row in rows] == [f"{float(row['paired']):.2f}" for row in published]


def test_hostile_names_do_not_reach_the_terminal(run, tmp_path):
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({**PAIRS, "names": ["\x1b[31mred", "<b>"]}), encoding="utf-8")
    code, out, err = run("power", str(path), "--n", 50, "--rope", 0.05, *QUICK)
    assert code == 0
    assert "\x1b" not in out + err


def test_errors_are_ours():
    with pytest.raises(RopewalkError, match="Cannot read the scenario 'hello'"):
        rw.power("hello", 10, rope=0.1)
