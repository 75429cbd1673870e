"""The rule for stopping whose error is bounded over all looks: what it is, what it takes, and what it is beside."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.classical.betting import bounds
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.planning import bounded
from ropewalk.planning.bounded import AT_ONCE, concluded_each, count_each, follow_bounded
from ropewalk.planning.posing import pose

ALIKE = "accuracy .80 against .80 at agreement .9"
BETTER = "accuracy .85 against .80 at agreement .9"
OPTIONS = {"goal": "conclusive", "draws": 200, "threads": 1, "rng": 0}
QUICK = {"simulations": 40, "draws": 390, "rng": 0}


def test_the_rule_says_what_it_is():
    rule = rw.StopWhen(bounded=True, max_n=2_000)
    assert rule.text == "stop when conclusive at any look, from 100 to 2,000 items"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"bounded": 1}, "`bounded` must be True or False; got 1"),
        ({"bounded": True, "conclusive": True}, "three rules: give one"),
        ({"bounded": True, "width": 0.1}, "three rules: give one"),
    ],
)
def test_rules_exclude_each_other(said, message):
    with pytest.raises(InvalidInputError, match=message):
        rw.StopWhen(**said)


@pytest.mark.parametrize("require", ["better", "not-worse", "equivalent"])
@pytest.mark.parametrize("wins", [45, 65, 90, 140])
def test_it_stops_a_real_study_where_a_look_decides(require, wins):
    table = rw.Outcomes.from_pairs(positive=(500, wins, 45, 100), negative=(0, 0, 0, 300))
    margin = 0.04
    look = rw.watch(table, require=require, margin=margin, draws=1_000, rng=0)
    r = rw.compare(table, metric="accuracy", goal=require, margin=margin, draws=1_000, rng=0)
    rule = rw.StopWhen(bounded=True, min_n=1)
    assert rule.stops(r) is look.decided
    assert rw.StopWhen(bounded=True, min_n=1, max_n=table.n_items).stops(r)
    assert not rw.StopWhen(bounded=True, min_n=table.n_items + 1).stops(r)


@pytest.mark.parametrize("metric", ["accuracy", "error"])
@pytest.mark.parametrize(
    "asked", [{"rope": 0.03}, {"goal": "better", "margin": 0.02}, {"goal": "not-worse", "margin": 0.01}]
)
def test_simulated_studies_stop_where_their_bounds_lie_inside_or_outside_of_the_rope(metric, asked):
    study = pose(f"{metric} .20 against .26 at agreement .9", possible=False, **{**OPTIONS, **asked}).study
    (truth,) = study.source.truths(np.random.default_rng(0), 1)
    tables = [truth.draw(np.random.default_rng(seed), n)[0] for seed in range(12) for n in (150, 600, 2_400)]
    found = []
    for table in tables:
        right = table.codes[:, 1:] == table.codes[:, :1]
        each = (right[:, 0].astype(float) - right[:, 1]) * (1 if metric == "accuracy" else -1)
        low, high = bounds(each, table.counts, Interval(-1.0, 1.0), 0.025)
        inside = study.rope.low <= low and high <= study.rope.high
        found.append(inside or high <= study.rope.low or low >= study.rope.high)
    assert concluded_each(study, *count_each(study.recipe.metric, tables)).tolist() == found
    assert 0 < sum(found) < len(found)


def test_without_a_difference_the_plain_rule_errs_far_more_often_than_the_bounded_one():
    rule = rw.StopWhen(bounded=True, min_n=40, max_n=2_000)
    r = rw.stopping(ALIKE, rule, batch=40, rope=0.004, **QUICK)
    assert r.row.wrong <= 0.025
    assert r.plain.wrong > 0.1
    assert r.plain_mean_n < r.mean_n
    assert r.covered > 0.95
    assert r.same_power_n is None


def test_a_real_difference_takes_as_many_items_as_one_look_of_the_same_power_by_and_large():
    rule = rw.StopWhen(bounded=True, min_n=50, max_n=3_000)
    r = rw.stopping(BETTER, rule, batch=50, goal="better", margin=0, **QUICK)
    assert r.row.power > 0.9
    assert r.row.type_s == 0
    assert 0.4 < r.mean_n / r.same_power_n < 1.5
    assert r.same_power_n % 50 == 0
    assert r.same_power_n <= 3_000
    assert r.plain_mean_n < r.mean_n < r.max_n


def test_one_look_has_the_same_power_at_the_number_that_is_named_and_less_before():
    rule = rw.StopWhen(bounded=True, min_n=200, max_n=1_000)
    r = rw.stopping(BETTER, rule, batch=200, goal="better", margin=0, **QUICK)
    at = [rw.power(BETTER, n, goal="better", margin=0, **QUICK)[0].power for n in (200, 400, 600, 800, 1_000)]
    first = next(i for i, power in enumerate(at) if power >= min(r.row.power, 1 - 1 / 40))
    assert r.same_power_n == 200 * (first + 1)


def test_the_plain_rule_stops_as_it_does_alone():
    """The streams differ, since each rule judges other studies: shares of 200 agree within five standard errors."""
    asked = {"batch": 100, "rope": 0.03, "simulations": 200, "draws": 390, "rng": 0}
    beside = rw.stopping(ALIKE, rw.StopWhen(bounded=True, max_n=1_500), **asked)
    alone = rw.stopping(ALIKE, rw.StopWhen(conclusive=True, max_n=1_500), **asked)
    assert abs(beside.plain_mean_n - alone.mean_n) < 5 * math.sqrt(2) * alone.mean_n_error
    assert beside.plain.conclusive == pytest.approx(alone.row.conclusive, abs=5 * math.sqrt(0.5 / 200))


def test_a_study_is_followed_from_the_first_look_to_the_last():
    study = pose(BETTER, possible=False, **{**OPTIONS, "rope": 0.01}).study
    paths = follow_bounded(study, rw.StopWhen(bounded=True, min_n=100, max_n=450), 100, 0)
    assert set(paths.items.tolist()) <= {100, 200, 300, 400, 450}
    assert len(paths.ends) == len(paths.whole) == paths.items.size == AT_ONCE
    early = paths.items < 450
    assert early.any()
    low, high = paths.ends.judged.low, paths.ends.judged.high
    assert (low[early] >= 0.01).all()
    assert ((low <= paths.ends.judged.mean) & (paths.ends.judged.mean <= high)).all()


@pytest.mark.parametrize("scenario", ["F1 .6 against .5 at agreement .7", {"model": "unpaired", "scenario": ALIKE}])
def test_what_has_no_bound_is_refused_before_anything_is_simulated(scenario):
    asked = {"model": "unpaired"} if isinstance(scenario, dict) else {}
    truth = scenario["scenario"] if asked else scenario
    with pytest.raises(InvalidInputError, match=r"no mean over items|separate test sets"):
        rw.stopping(truth, rw.StopWhen(bounded=True), rope=0.05, **asked, **QUICK)


def test_the_answer_is_the_same_in_threads_and_says_both_rules(run):
    rule = rw.StopWhen(bounded=True, max_n=400)
    asked = {"batch": 100, "rope": 0.05, **QUICK}
    one, two = (rw.stopping(BETTER, rule, threads=threads, **asked).to_dict() for threads in (1, 2))
    assert one == two
    assert set(one["plain"]) >= {"wrong", "covered", "mean_n", "decisions"}
    line = ("--bounded", "--max-n", 400, "--rope", 0.05, "--simulations", 40, "--draws", 390)
    code, out, _ = run("stopping", BETTER, *line, "--json")
    assert (code, json.loads(out)) == (0, one)
    code, out, _ = run("stopping", BETTER, *line)
    told = " ".join(out.split())
    assert "the bounded interval holds the truth in" in told
    assert "the plain rule is wrong in" in told
    code, _, err = run("stopping", BETTER, *line, "--conclusive")
    assert code == 2
    assert "three rules" in err


def test_other_rules_say_nothing_of_it():
    r = rw.stopping(BETTER, rw.StopWhen(conclusive=True, max_n=300), rope=0.05, **QUICK)
    assert r.plain is None
    assert not {"plain", "same_power_n"} & r.to_dict().keys()


def test_a_frame_has_a_row_for_the_plain_rule():
    pytest.importorskip("pandas")
    r = rw.stopping(BETTER, rw.StopWhen(bounded=True, max_n=300), rope=0.05, **QUICK)
    assert r.to_frame("pandas")["which"].tolist() == ["stopped", "plain", "fixed"]


@pytest.mark.parametrize("asked", [{"goal": "better", "margin": 0}, {"rope": 0.02, "rule": "probability"}])
def test_studies_that_are_not_judged_by_draws_would_have_gone_on(monkeypatch, asked):
    """What draws decide at an edge differs either way: on average the plain rule stops at the same number of items."""
    study = pose(BETTER, possible=False, **{**OPTIONS, "draws": 1_000, **asked}).study
    rule = rw.StopWhen(bounded=True, min_n=50, max_n=800)
    quick = follow_bounded(study, rule, 50, 0)
    monkeypatch.setattr(bounded, "_may_conclude", lambda _study, _values, counts: np.ones(len(counts), dtype=bool))
    whole = follow_bounded(study, rule, 50, 0)
    assert (quick.items == whole.items).all()
    apart = quick.plain[0] - whole.plain[0]
    assert abs(apart.mean()) <= 5 * apart.std() / math.sqrt(apart.size)
    assert (apart == 0).mean() > 0.6


def test_truths_from_a_posterior_are_followed_too_and_the_interval_holds_them():
    pilot = rw.compare(
        rw.Outcomes.from_pairs(positive=(60, 20, 12, 8), negative=(5, 8, 7, 80)), metric="accuracy", rope=0.05, rng=0
    )
    r = rw.stopping(pilot, rw.StopWhen(bounded=True, min_n=50, max_n=600), batch=50, **QUICK)
    assert r.covered >= 0.95
    assert r.plain_mean_n < r.mean_n
