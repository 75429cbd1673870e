"""The gate: which outcome a difference has, for whom it is asked, and what a program reads of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.inference.caution import Reach, mass_beyond
from ropewalk.results.gates import worst_of
from support import without_warnings

Y = [1, 0] * 100


def wrong_on(n_items, first=0):
    """Predictions that are wrong on so many items."""
    return [1 - label if first <= i < first + n_items else label for i, label in enumerate(Y)]


def ask(a, b, require, margin=None, **how):
    return rw.gate(Y, a, b, require=require, margin=margin, metric="accuracy", **{"rng": 0, "draws": 4_000, **how})


@pytest.mark.parametrize(
    ("wrong_a", "wrong_b", "require", "margin", "outcome"),
    [
        (0, 60, "better", None, "met"),
        (0, 60, "better", 0.1, "met"),
        (0, 60, "better", 0.5, "contradicted"),
        (60, 0, "better", None, "contradicted"),
        (0, 60, "not-worse", 0.02, "met"),
        (60, 0, "not-worse", 0.02, "contradicted"),
        (60, 0, "not-worse", 0.6, "met"),
        (0, 60, "equivalent", 0.05, "contradicted"),
        (60, 0, "equivalent", 0.05, "contradicted"),
        (10, 10, "equivalent", 0.2, "met"),
        (11, 10, "better", None, "undecided"),
        (11, 10, "not-worse", 0.005, "undecided"),
    ],
)
def test_clear_cases(wrong_a, wrong_b, require, margin, outcome):
    g = ask(wrong_on(wrong_a), wrong_on(wrong_b, first=wrong_a), require, margin)
    assert g.outcome == outcome
    assert g.exit_code == {"met": 0, "contradicted": 1, "undecided": 3}[outcome]
    assert g.tag == {"met": "PASS", "contradicted": "FAIL", "undecided": "UNDECIDED"}[outcome]


def test_lower_is_better_where_it_is():
    good, bad = Y, wrong_on(60)
    for metric, outcome in (("error", "met"), ("accuracy", "met")):
        assert rw.gate(Y, good, bad, metric=metric, require="better", draws=4_000, rng=0).outcome == outcome
        assert rw.gate(Y, bad, good, metric=metric, require="better", draws=4_000, rng=0).outcome == "contradicted"


def test_an_undecided_gate_fails_warns_or_passes():
    alike = wrong_on(11), wrong_on(10, first=50)
    codes = {on: ask(*alike, "better", on_undecided=on).exit_code for on in ("fail", "warn", "pass")}
    assert codes == {"fail": 3, "warn": 0, "pass": 0}
    assert ask(wrong_on(60), Y, "better", on_undecided="pass").exit_code == 1
    with pytest.raises(UnknownNameError):
        ask(Y, Y, "better", on_undecided="ignore")


def test_without_width_or_verdict_nothing_is_decided():
    with without_warnings():
        same = rw.gate(Y, Y, Y, metric="accuracy", require="not-worse", margin=0.1, model="bootstrap", draws=500, rng=0)
    assert same.outcome == "undecided"
    assert same.checks[0].reason


def test_few_draws_leave_it_undecided_within_monte_carlo_error():
    data = Y, wrong_on(30), wrong_on(30, first=100)
    c = rw.compare(*data, metric="accuracy", draws=50_000, rng=0)
    margin = -c.hdi.low  # an end of the interval
    g = rw.gate(*data, metric="accuracy", require="not-worse", margin=margin, draws=50_000, rng=0)
    assert g.outcome == "undecided"
    assert "Monte Carlo error" in g.checks[0].reason


def test_the_json_is_that_of_the_comparison_with_the_gate_added():
    how = {"metric": "accuracy", "draws": 2_000, "rng": 3}
    g = rw.gate(Y, Y, wrong_on(60), require="not-worse", margin=0.02, **how)
    c = rw.compare(Y, Y, wrong_on(60), goal="not-worse", margin=0.02, **how)
    told, bare = json.loads(g.to_json()), json.loads(c.to_json())
    gate = told.pop("gate")
    assert {key: gate[key] for key in ("require", "margin", "outcome")} == {
        "require": "not-worse", "margin": 0.02, "outcome": "met",
    }  # fmt: skip
    for key in ("headline", "notes", "warnings"):
        told.pop(key), bare.pop(key)
    assert told == bare


def test_several_requirements_have_a_row_each():
    g = rw.gate(
        Y, wrong_on(11), wrong_on(60), require=["f1 better 0.01", "recall not-worse 0.02", "better 0.1"], rng=0,
        metric="accuracy", pos_label=1, draws=4_000,
    )  # fmt: skip
    rows = g.to_dict()["gate"]["requirements"]
    assert [(row["metric"], row["require"], row["margin"], row["task"]) for row in rows] == [
        ("f1", "better", 0.01, None), ("recall", "not-worse", 0.02, None), ("accuracy", "better", 0.1, None),
    ]  # fmt: skip
    assert all(row["outcome"] in {"met", "contradicted", "undecided"} for row in rows)
    assert [m["metric"] for m in g.to_dict()["metrics"]] == ["f1", "recall", "accuracy"]


def test_the_worst_outcome_counts():
    assert worst_of(("met", "undecided", "contradicted")) == "contradicted"
    g = ask(Y, wrong_on(60), ["better", "better 0.9"])
    assert [check.outcome for check in g] == ["met", "contradicted"]
    assert g.exit_code == 1


def test_candidate_and_base_line_exchanged_mirror_the_outcome():
    a, b = wrong_on(20), wrong_on(60)
    for margin in (0.0, 0.1, 0.2, 0.35):
        better = ask(a, b, "better", margin, draws=20_000).outcome
        worse = ask(b, a, "not-worse", margin, draws=20_000).outcome
        mirrored = {"met": "contradicted", "contradicted": "met", "undecided": "undecided"}
        assert worse == mirrored[better]


def test_an_interval_that_is_plainly_across_a_margin_says_so():
    g = ask(wrong_on(40), wrong_on(40, first=100), "equivalent", 0.0601)
    assert (g.outcome, g.checks[0].reason) == ("undecided", "the interval reaches across the margin")


# -- few items that tell the two apart ---------------------------------------------------------------------


def test_few_items_that_differ_do_not_prove_that_little_is_lost():
    """Of 125 items at a true loss of 2 points 8% have no item at all on which the two differ."""
    for n, outcome in ((125, "undecided"), (150, "undecided"), (300, "met")):
        right = [1.0] * (n - 10) + [0.0] * 10
        g = rw.gate(right, right, metric="mean", scale=(0, 1), require="not-worse", margin=0.02, rng=0)
        assert g.outcome == outcome
    assert g.to_dict()["gate"]["outcome"] == "met"


def test_half_an_item_more_is_the_exact_bound_of_a_rate():
    """Clopper and Pearson: of n items without a loss the bound is the M at which (1 − M)^n is 2.5%."""
    n, draws = 400, 400_000
    rng = np.random.default_rng(3)
    lost = -rng.beta(0.5, n, draws)  # the posterior of a loss that was never seen
    reach = Reach(n_apart=0, n_units=n, down=1.0, up=1.0)
    bound = 1 - 0.025 ** (1 / n)
    for margin, above in ((bound * 0.93, True), (bound * 1.07, False)):
        mass = mass_beyond(np.sort(lost), Interval(-margin, np.inf), reach)
        assert (mass > 0.025) == above


def test_the_mass_beyond_either_margin_counts():
    ordered = np.sort(np.random.default_rng(0).normal(0, 1, 100_000))
    for claimed, mass in (
        (Interval(-2, np.inf), 0.02275),
        (Interval(-np.inf, 1.5), 0.0668),
        (Interval(-2, 1.5), 0.0668),
    ):
        assert abs(mass_beyond(ordered, claimed, None) - mass) < 5 * np.sqrt(mass / 100_000)


# -- tasks -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suite():
    rng = np.random.default_rng(5)
    tasks = [task for task in ("asks", "maps", "sums") for _ in range(120)]
    truth = np.tile([0, 1], 180)
    old = np.where(rng.random(360) < 0.5, truth, 1 - truth)
    new = old.copy()
    new[:120] = truth[:120]  # far better on the first task, the same on the others
    return {"task": tasks, "y": truth, "new": new, "old": old}


COLUMNS = {"truth": "y", "a": "new", "b": "old", "task": "task", "metric": "accuracy", "rng": 0, "draws": 2_000}


def test_a_requirement_is_asked_of_each_task(suite):
    g = rw.gate(suite, require="better", **COLUMNS)
    assert [(check.task, check.outcome) for check in g] == [
        ("asks", "met"), ("maps", "undecided"), ("sums", "undecided"),
    ]  # fmt: skip
    told = g.to_dict()
    assert [(one["task"], one["gate"]["outcome"]) for one in told["tasks"]] == [
        ("asks", "met"), ("maps", "undecided"), ("sums", "undecided"),
    ]  # fmt: skip


def test_each_task_is_judged_as_it_would_be_alone(suite):
    g = rw.gate(suite, require="better", **COLUMNS)
    alone = {name: np.array(values)[:120] for name, values in suite.items()}
    one = rw.gate(alone, require="better", **{**COLUMNS, "task": None})
    here, there = g.checks[0].comparison.delta, one.checks[0].comparison.delta
    assert abs(here.mean - there.mean) < 6 * np.hypot(here.mc_error, there.mc_error)


def test_some_requirements_are_of_all_tasks_together(suite):
    g = rw.gate(suite, require=["better overall", "not-worse 0.3 on each task", "better on asks"], **COLUMNS)
    assert [check.task for check in g] == [None, "asks", "maps", "sums", "asks"]
    assert [check.outcome for check in g] == ["met"] * 5
    told = g.to_dict()
    assert told["gate"]["outcome"] == "met"
    assert len(told["tasks"]) == 3
    assert len(told["tasks"][0]["gate"]["requirements"]) == 2
    assert told["delta"]["mean"] == g.checks[0].comparison.mean


def test_a_task_that_is_named_beside_logs_is_refused_and_not_passed_over(tmp_path):
    path = tmp_path / "answers.csv"
    rows = [f"{task},{i},{system},{i % 2}" for task in ("maps", "sums") for i in range(20) for system in ("new", "old")]
    path.write_text("\n".join(["task,item,system,correct", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="say themselves which task"):
        rw.gate(rw.read_log(path), a="new", b="old", require="better", task="sums", rng=0, draws=500)


def test_over_asks_of_all_tasks_together(suite):
    (check,) = rw.gate(suite, require="better", over="these", **COLUMNS)
    assert (check.task, check.outcome) == (None, "met")


def test_tasks_that_are_not_there_are_refused(suite):
    with pytest.raises(UnknownNameError, match="no task"):
        rw.gate(suite, require="better on map", **COLUMNS)
    with pytest.raises(InvalidInputError, match="have no tasks"):
        ask(Y, Y, "better on sums")
