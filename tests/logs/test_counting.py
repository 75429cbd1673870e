"""Counts of evaluation logs: they answer as the logs do, bit by bit, and refuse what they cannot hold."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import ropewalk as rw
from logwriters import seeded_answers, write_inspect, write_swebench
from ropewalk.errors import DataError, FileFormatError, InvalidInputError

ASKED = {"draws": 300, "rng": 0, "rope": 0.02}


def runs(n_items=40, n_repeats=1, seed=3, values=(0, 1), systems=("new", "old", "base")):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        [
            {"system": system, "item": f"q{item}", "repeat": repeat, "group": item // 4, "truth": item % 3}
            for system in systems
            for item in range(n_items)
            for repeat in range(n_repeats)
        ]
    )
    return frame.assign(ok=rng.choice(values, len(frame)), said=rng.integers(0, 3, len(frame)))


SCORED = {
    "items": ({}, {"score": "ok"}),
    "repeats": ({"n_repeats": 3}, {"score": "ok"}),
    "clusters": ({"n_repeats": 2}, {"score": "ok", "cluster": "group"}),
    "all right": ({"values": (1,)}, {"score": "ok"}),
}


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("case", SCORED)
def test_counts_of_right_and_wrong_answer_as_the_log_does(case, tmp_path):
    made, columns = SCORED[case]
    log = rw.read_long(runs(**made).drop(columns=["truth"]), **columns)
    path = tmp_path / "counts.json"
    rw.count_logs(log).without_ids().save(path)
    for name in ("q7", "group"):
        assert name not in path.read_text()
    pair = {"a": "old", "b": "new"}
    for counts in (str(path), rw.read_counts(path)):
        assert rw.compare(counts, **pair, **ASKED).to_dict() == rw.compare(log, **pair, **ASKED).to_dict()
        assert rw.rank(counts, **ASKED).to_dict() == rw.rank(log, **ASKED).to_dict()
        evaluation = rw.evaluate(counts, "base", draws=300, rng=0)
        assert evaluation.to_dict() == rw.evaluate(log, "base", draws=300, rng=0).to_dict()
        assert rw.classical.battery(counts, **pair).to_dict() == rw.classical.battery(log, **pair).to_dict()


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("n_repeats", [1, 2])
def test_counts_of_labels_answer_as_the_log_does(n_repeats):
    log = rw.read_long(runs(n_repeats=n_repeats, systems=("new", "old")), truth="truth", prediction="said")
    counts = rw.Outcomes.from_json(rw.count_logs(log).to_json())
    assert rw.compare(counts, flips=True, **ASKED).to_dict() == rw.compare(log, **ASKED).to_dict()
    assert rw.classical.battery(counts).to_dict() == rw.classical.battery(log).to_dict()
    assert counts.score is None


def test_a_metric_counts_labels_where_the_log_has_a_score_too(tmp_path):
    logs = [
        rw.read_log(write_inspect(tmp_path, name, seeded_answers(seed, n_errors=0))) for seed, name in enumerate("ab")
    ]
    counts = rw.count_logs(*logs, metric="macro_f1")
    asked = {"metric": "macro_f1", **ASKED}
    assert rw.compare(counts, flips=True, **asked).to_dict() == rw.compare(*logs, **asked).to_dict()
    scored = rw.count_logs(*logs)
    assert set(scored.labels) <= {"right", "wrong"}
    with pytest.raises(DataError, match="'macro_f1' needs more"):
        rw.compare(scored, metric="macro_f1")


def test_less_may_be_better(tmp_path):
    log = rw.read_long(runs(systems=("new", "old")), score="ok")
    table = rw.count_logs(log)
    swapped = json.loads(table.to_json())
    swapped["score"]["higher_is_better"] = False
    r, other = (
        rw.compare(rw.Outcomes.from_json(json.dumps(x)), **ASKED) for x in (json.loads(table.to_json()), swapped)
    )
    assert not other.recipe.metric.higher_is_better
    assert other.delta.observed == pytest.approx(-r.delta.observed)


def test_parts_add_up_and_kinds_do_not_mix():
    frame = runs(systems=("new", "old"))
    parts = [rw.count_logs(rw.read_long(frame[here], score="ok")) for here in (frame["group"] < 4, frame["group"] >= 4)]
    whole = rw.count_logs(rw.read_long(frame, score="ok"))
    assert sum(parts) == whole
    assert sum(parts).score == whole.score
    with pytest.raises(DataError, match="do not add up"):
        _ = parts[0] + rw.Outcomes.from_arrays(["right"], ["right"], ["wrong"], names=["new", "old"])


def test_the_command_counts_logs_and_the_answer_is_that_of_the_logs(run, tmp_path):
    a, b = (str(write_swebench(tmp_path, name, seeded_answers(seed))) for seed, name in enumerate(("new", "old")))
    out, missing = tmp_path / "counts.json", ("--missing", "wrong")
    assert run("count", a, b, *missing, "-o", out)[:2] == (0, "")
    how = ("--draws", 300, "--json")
    assert run("compare", out, *how)[1] == run("compare", a, b, *missing, *how)[1]
    assert run("test", out, "--json")[1] == run("test", a, b, *missing, "--json")[1]


def test_the_doctor_and_plans_know_counts_of_right_and_wrong(run, tmp_path):
    out = tmp_path / "counts.json"
    counts = rw.count_logs(rw.read_long(runs(systems=("new", "old")), score="ok"))
    counts.save(out)
    found = json.loads(run("doctor", out, "--json")[1])
    (file,) = found.get("files", [found])
    assert file["facts"]["scored by"] == "'ok'"
    for command in file["commands"]:
        assert "--pos-label" not in command["arguments"]
        assert run(*command["arguments"], *(["--draws", 50] if command["arguments"][0] != "doctor" else []))[0] == 0
    power = rw.power(counts, 100, rope=0.1, simulations=10, rng=0)
    assert power.design.recipe.metric.name == "accuracy"
    how = ("--n", 100, "--rope", 0.1, "--simulations", 10, "--json")
    assert json.loads(run("power", out, *how)[1]) == power.to_dict()


def test_a_permutation_of_right_and_wrong_is_of_the_accuracy():
    log = rw.read_long(runs(systems=("new", "old")), score="ok")
    for data in (log, rw.count_logs(log)):
        asked = {"n_permutations": 200, "rng": 0}
        found = rw.classical.permutation(data, **asked)
        assert found.to_dict() == rw.classical.permutation(data, metric="accuracy", **asked).to_dict()
        assert found.effect.value == pytest.approx(rw.compare(data, **ASKED).delta.observed)
        for others in ({"metric": "f1"}, {"cost_matrix": [[0, 1], [2, 0]]}):
            with pytest.raises(DataError, match="right or wrong, by 'ok', and that metric needs more"):
                rw.classical.battery(data, **others, **asked)


def test_counts_of_right_and_wrong_know_no_other_labels(run, tmp_path):
    counts = rw.count_logs(rw.read_long(runs(systems=("new", "old")), score="ok"))
    assert counts.relabel(["yes", "no"]).score is None  # else no answer would be right
    assert rw.Outcomes.from_json(counts.over(["wrong", "right"]).to_json()).score == counts.score
    with pytest.raises(DataError, match="by 'ok', and know no other labels"):
        counts.over(["right", "wrong", "maybe"])
    names = [tmp_path / f"{name}.json" for name in ("north", "south")]
    for name in names:
        counts.save(name)
    code, out, err = run("merge", *names, "--labels", "right,wrong,maybe")
    assert (code, out) == (4, "")
    assert "know no other labels" in err
    assert "Hint: leave --labels out." in err


def test_the_command_counts_long_tables(run, tmp_path):
    file, out = tmp_path / "runs.csv", tmp_path / "counts.json"
    runs(n_repeats=2).to_csv(file, index=False)
    long = ("--system", "system", "--item", "item", "--score", "ok")
    assert run("count", file, *long, "--a", "old", "--b", "new", "-o", out)[:2] == (0, "")
    how = ("--draws", 300, "--json")
    assert run("compare", out, *how)[1] == run("compare", file, *long, "--a", "old", "--b", "new", *how)[1]
    assert "q7" not in out.read_text()
    assert run("count", file, *long, "--keep-ids", "-o", out)[0] == 0
    assert "q7" in out.read_text()


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        (("--score", "grade"), 4, "'grade' says more than right or wrong"),
        (("--score", "ok", "--metric", "log_loss"), 2, "'log_loss' is about scores"),
        (("--score", "ok", "--metric", "macro_f1"), 4, "no true labels"),
        (("--score", "ok", "--task", "part"), 2, "The logs hold 2 tasks"),
        (("--score", "ok", "--hide-labels", "--labels", "a"), 2, "does not go with"),
        (("--score", "ok", "--a", "new", "--predictions", "old"), 2, "named twice"),
        (("--score", "ok", "--a", "nobody"), 2, "'nobody'"),
    ],
)
def test_what_cannot_be_counted_is_refused(run, tmp_path, line, code, reason):
    file = tmp_path / "runs.csv"
    frame = runs().drop(columns="truth")
    frame.assign(grade=np.arange(len(frame)) % 10, part=frame["group"] % 2).to_csv(file, index=False)
    found, out, err = run("count", file, "--system", "system", "--item", "item", *line)
    assert (found, out) == (code, "")
    assert reason in err
    assert "Hint" in err


def test_options_of_logs_are_refused_with_tables(run, tmp_path):
    file = tmp_path / "p.csv"
    runs().to_csv(file, index=False)
    found, _, err = run("count", file, "--truth", "truth", "--prediction", "said", "--metric", "f1")
    assert found == 2
    assert "--metric does not go with FILE" in err


def test_what_is_no_log_and_what_has_no_classes_are_refused():
    for data in ((), ([],), (runs(),)):
        with pytest.raises(InvalidInputError, match="Give the evaluation logs"):
            rw.count_logs(*data)
    counts = rw.count_logs(rw.read_long(runs(systems=("new", "old")), score="ok"))
    with pytest.raises(DataError, match="know no classes"):
        rw.compare_classes(counts)


def test_logs_that_were_counted_apart_cannot_be_paired():
    log = rw.read_long(runs(), score="ok")
    parts = [rw.count_logs(log, predictions=[name]) for name in ("new", "old")]
    with pytest.raises(InvalidInputError, match="counted apart"):
        rw.compare(*parts)


@pytest.mark.parametrize(
    "change",
    [
        {"score": 1},
        {"score": {"name": "x"}},
        {"score": {"name": 1, "higher_is_better": True, "low": None, "high": None}},
        {"score": {"name": "x", "higher_is_better": True, "low": 5, "high": 9}},
        {"labels": ["right", "0"]},
        {"labels": ["wrong", "right"]},
        {"weights": [[0, 1], [1.0, 2.0], [3, 4]]},
    ],
)
def test_files_that_contradict_themselves_are_refused(change):
    content = {
        "schema": 1, "kind": "ropewalk.outcomes", "labels": ["right", "wrong"], "names": ["new"],
        "rows": [[0, 0, 3], [0, 1, 4]], "score": {"name": "x", "higher_is_better": True, "low": 0.0, "high": 1.0},
    }  # fmt: skip
    assert rw.Outcomes.from_json(json.dumps(content)).score.name == "x"
    with pytest.raises(FileFormatError):
        rw.Outcomes.from_json(json.dumps(content | change))


def test_counts_of_more_items_than_memory_holds_are_refused():
    content = {
        "schema": 1, "kind": "ropewalk.outcomes", "labels": ["right", "wrong"], "names": ["new", "old"],
        "rows": [[0, 0, 1, 10**15]], "score": {"name": "x", "higher_is_better": True, "low": None, "high": None},
    }  # fmt: skip
    table = rw.Outcomes.from_json(json.dumps(content))
    with pytest.raises(DataError, match="looked at one by one"):
        rw.compare(table, **ASKED)
    assert rw.classical.battery(table)["mcnemar_exact"].p_value < 1e-9
