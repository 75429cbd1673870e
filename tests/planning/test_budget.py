"""A budget for items and runs."""

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import RopewalkError

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

PARTS = {"item": 0.15, "run": 0.0004, "noise": 0.1}
COST = {"item": 1, "run": 40}


def compared(runs):
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=200)
    a, b = (np.stack([np.where(rng.random(200) < p, truth, 1 - truth) for p in ps[:runs]]) for ps in SHARES)
    return rw.compare(truth, a, b, runs="independent", metric="accuracy", rng=0, draws=1_000)


SHARES = [(0.9, 0.8, 0.85), (0.7, 0.8, 0.75)]


@pytest.mark.parametrize(
    ("parts", "budget", "cost", "expected"),
    [
        ((0.15, 0.0, 0.2), 500, {"item": 1, "answer": 0.05}, (5, 400)),
        ((0.15, 0.0004, 0.1), 1_000, COST, (7, 720)),
        ((0.2, 0.0002, 0.15), 2_000, {"item": 0.5, "run": 60, "answer": 0.01}, (7, 2771)),
    ],
)
def test_expected_splits(parts, budget, cost, expected):
    p = rw.plan(components=dict(zip(PARTS, parts, strict=True)), budget=budget, cost=cost)
    assert (p.n_runs, p.n_items) == expected
    assert p.best.cost <= budget


def test_no_other_split_is_better():
    p = rw.plan(components=PARTS, budget=1_000, cost=COST)
    assert "Budget    1,000; costs" in p.to_text()
    variances = [p.components.variance(r, (1_000 - 40 * r) // 1) for r in range(1, 25)]
    assert p.best.variance == pytest.approx(min(variances))


def test_a_comparison_its_components_and_its_json_say_the_same(tmp_path):
    r = compared(3)
    path = tmp_path / "results.json"
    path.write_text(r.to_json(), encoding="utf-8")
    plans = [rw.plan(components=one, budget=500, cost=COST).to_dict() for one in (r, r.components, path, r.to_dict())]
    assert plans[1:] == plans[:-1]
    assert plans[0]["low"]["n_runs"] <= plans[0]["best"]["n_runs"] <= plans[0]["high"]["n_runs"]


@pytest.mark.parametrize(
    ("n_items", "budget", "expected"), [(200, 1_000, (33, 30)), (12, 1_000, (83, 12)), (200, 20, (1, 20))]
)
def test_items_that_hardly_differ_are_not_left_out(n_items, budget, expected):
    parts = {"item": 0, "run": 0.001, "noise": 0.1, "n_items": n_items, "n_runs": 3}
    p = rw.plan(components=parts, cost={"answer": 1}, budget=budget)
    assert (p.n_runs, p.n_items) == expected


def test_what_costs_nothing_known_is_named():
    with pytest.raises(RopewalkError, match="'answers', which is none of item, run, answer") as refused:
        rw.plan(components=PARTS, budget=500, cost={"answers": 1})
    assert "answer" in refused.value.hint.partition("?")[0]


def test_one_run_has_no_components():
    with pytest.raises(RopewalkError, match="second run"):
        rw.plan(components=compared(1), budget=500, cost=COST)


@pytest.mark.parametrize(
    "asked",
    [
        {"budget": 0, "cost": COST},
        {"budget": float("nan"), "cost": COST},
        {"budget": 10, "cost": COST},
        {"budget": 100, "cost": {"item": -1, "run": 1}},
        {"budget": 100, "cost": {"seed": 1}},
        {"budget": 100, "cost": {"item": 1}},
        {"budget": 100, "cost": {"run": 1}},
        {"budget": 100, "cost": None},
        {"budget": None, "cost": COST},
        {"components": {"item": 1}, "budget": 100, "cost": COST},
        {"components": "no such file", "budget": 100, "cost": COST},
        {"components": 7, "budget": 100, "cost": COST},
        {"components": None, "budget": 100, "cost": COST},
    ],
)
def test_nonsense_is_refused_with_a_hint(asked):
    with pytest.raises(RopewalkError) as refused:
        rw.plan(**{"components": PARTS, **asked})
    assert refused.value.hint


def test_the_command_says_what_python_says(run, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(compared(3).to_json(), encoding="utf-8")
    asked = ("--components", str(path), "--budget", "500", "--cost", "item=1,run=40")
    code, out, err = run("plan", *asked, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == rw.plan(components=path, budget=500, cost=COST).to_dict()
    code, out, _ = run("plan", *asked)
    assert code == 0
    assert "upper quartile" in out
    for bad in (asked[:2], (*asked, "--n", "5"), (*asked[:-1], "item=x"), ("--budget", "5")):
        code, out, err = run("plan", *bad)
        assert (code, out) == (2, "")
        assert "Hint" in err


# -- power -----------------------------------------------------------------------------------------------------

ASKED = {"components": PARTS, "n": [500, 2_000], "runs": [2, 3, 20], "delta": 0.05, "rope": 0.01, "goal": ">>"}


def test_power_grows_with_runs_and_items():
    p = rw.power(**ASKED, rng=0)
    powers = np.array([row.power for row in p.rows]).reshape(3, 2)
    assert (np.diff(powers, axis=0) > 0).all()
    assert (np.diff(powers, axis=1) > 0).all()
    assert [(row.n_runs, row.n_items) for row in p.rows[:3]] == [(2, 500), (2, 2_000), (3, 500)]
    assert rw.power(**ASKED, rng=0).to_dict() == p.to_dict()
    alone = rw.power(**{**ASKED, "n": 2_000, "runs": 3}, rng=0)
    assert alone[0] == p[3]
    assert json.loads(p.to_json())["rows"][0]["n_runs"] == 2
    assert "runs of each" in str(p)


def test_power_of_many_runs_has_a_closed_form():
    from scipy.stats import norm

    p = rw.power(**{**ASKED, "n": 1_000, "runs": 2_000}, rng=0, simulations=20_000)
    std = (0.15 / 1_000 + (0.0004 + 0.1 / 1_000) / 2_000) ** 0.5
    expected = norm.sf(0.01 + 1.96 * std, 0.05, std)
    assert p[0].power == pytest.approx(expected, abs=5 * (expected * (1 - expected) / 20_000) ** 0.5)
    assert p[0].half_width == pytest.approx(1.96 * std, rel=0.01)


def test_the_runs_of_one_method_say_as_much_of_their_spread_as_shared_runs_of_two():
    one, shared = (
        rw.power(**{**ASKED, "components": {**PARTS, "runs": runs}}, rng=0).rows
        for runs in ({"design": "independent", "n_runs": 3}, {"design": "shared"})
    )
    assert one == shared


def test_methods_that_are_alike_are_found_different_no_more_often_than_promised():
    for design in ("independent", "shared"):
        parts = {**PARTS, "runs": {"design": design}}
        p = rw.power(**{**ASKED, "components": parts, "delta": 0.0, "rope": 0.0001, "goal": "conclusive"}, rng=0)
        assert max(row.wrong for row in p.rows) <= 0.05 + 3 * (0.05 * 0.95 / 1_000) ** 0.5


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"rope": None}, "by a ROPE"),
        ({"goal": "not-worse"}, "by a ROPE"),
        ({"delta": None}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"runs": 1}, "One run"),
        ({"runs": None}, "`runs` must be"),
        ({"runs": []}, "`runs` is empty"),
        ({"runs": [3, 3]}, "repeats one"),
        ({"n": "many"}, "`n` must be"),
        ({"components": None}, "Components cannot be"),
        ({"components": {"item": -1}}, "variances"),
        ({"scenario": "F1 .6 against .5 at agreement .7"}, "in place of a scenario"),
    ],
)
def test_what_has_no_power_is_refused_with_a_hint(changed, match):
    with pytest.raises(RopewalkError, match=match) as refused:
        rw.power(**{**ASKED, **changed})
    assert refused.value.hint
