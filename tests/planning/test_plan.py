"""Plans: the smallest test set, the smallest difference, what is worth its labels, more data, and when to stop."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

import ropewalk as rw
from ropewalk.errors import InvalidInputError
from ropewalk.planning.search import PLAIN, ROOT, Looks, fit_probit
from ropewalk.planning.search import find as search
from ropewalk.text.verdicts import Verdict
from support import assert_names_one_of, without_warnings

SCENARIO = rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
Z, Z80 = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
INFINITY = float("inf")
# One seed of each is enough for `make test`.
SEEDS = pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
POSITIVE, NEGATIVE = (60, 18, 10, 12), (10, 8, 14, 68)


def accuracies(only_a, only_b, both=0.6):
    """Return a scenario in which A alone, B alone and both are right on these shares of the items."""
    pairs = (both, only_a, only_b, 1 - both - only_a - only_b)
    return rw.BinaryScenario(positive=pairs, negative=pairs[::-1])


def spread(only_a, only_b, n=1):
    """Return the standard deviation of an observed difference of accuracies."""
    return math.sqrt((only_a + only_b - (only_a - only_b) ** 2) / n)


def error(p, simulations):
    """Return 4.5 standard errors of a simulated share, and a point for the Monte Carlo error of the HDI."""
    return 4.5 * math.sqrt(max(p * (1 - p), 0.25 / simulations) / simulations) + 0.01


def stop_after(batches):
    def told(done, total):
        if done == batches:
            raise KeyboardInterrupt

    return told


@pytest.fixture(scope="module")
def pilot():
    return rw.compare(rw.Outcomes.from_pairs(positive=POSITIVE, negative=NEGATIVE), rope=0.05, rng=0, draws=20_000)


# -- the search alone, on curves that are known ---------------------------------------------------------------------


def coin(curve, rng):
    """Return a look at a curve of probabilities."""

    def look(x, simulations):
        return int(rng.binomial(simulations, curve(x))), simulations

    return look


def test_a_probit_is_fitted_where_it_is_known():
    rng = np.random.default_rng(0)
    x = np.linspace(-1, 1, 9)
    trials = np.full(9, 100_000.0)
    design = np.column_stack([np.ones_like(x), x])
    beta, covariance = fit_probit(design, rng.binomial(100_000, stats.norm.cdf(0.3 + 1.2 * x)).astype(float), trials)
    assert beta == pytest.approx([0.3, 1.2], abs=0.02)
    density = stats.norm.pdf(0.3 + 1.2 * x) ** 2 / (stats.norm.cdf(0.3 + 1.2 * x) * stats.norm.sf(0.3 + 1.2 * x))
    fisher = np.linalg.inv((design.T * (trials * density)) @ design)
    assert covariance == pytest.approx(fisher, rel=0.05)


TARGETS = (0.5, 0.8, 0.95)


@pytest.mark.parametrize(
    ("answer", "slope", "target"),
    # Each answer meets each slope, at one target after the other; `make test-slow` has all three ways.
    [
        pytest.param(answer, slope, target, marks=() if (i + j) % len(TARGETS) == k else pytest.mark.slow)
        for i, answer in enumerate((7, 90, 1_234, 50_000, 2_000_000))
        for j, slope in enumerate((1.5, 3.0, 6.0))
        for k, target in enumerate(TARGETS)
    ],
)
def test_the_search_finds_a_known_crossing(answer, slope, target):
    """Φ(z + slope · (√(x / answer) − 1)) is the target exactly at the answer."""
    found, z = [], ndtri(target)
    for seed in range(20):
        looks = Looks()
        curve = lambda x: ndtr(z + slope * (math.sqrt(x / answer) - 1))  # noqa: E731
        at = search(
            coin(curve, np.random.default_rng(seed)), target, start=200, least=1, most=10**7, budget=4_000, scale=ROOT,
            whole=True, looks=looks,
        )  # fmt: skip
        assert looks.spent <= 4_020
        found.append(at)
    x = np.array([one.x for one in found])
    # The error of √x from 4,000 looks at the answer, as a share: √(p(1−p)/4000) / (φ(z)·slope).
    best = math.sqrt(target * (1 - target) / 4_000) / (stats.norm.pdf(stats.norm.ppf(target)) * slope)
    assert np.abs(x / answer - 1).max() < 2 * 6 * best + 0.6 / answer
    held = np.mean([one.low - 0.5 <= answer <= one.high + 0.5 for one in found])
    assert held >= 0.75  # a 95% interval, 20 times: fewer than 15 comes of one in 30,000


@pytest.mark.parametrize("slope", [5, 20, 60], ids=["gentle", "usual", "steep"])
def test_the_search_does_not_jump_over_a_steep_crossing(slope):
    """On the plain scale a look at ±10% may see nothing but successes on one side, and nothing but failures on one."""
    for seed in range(20):
        curve = lambda x: ndtr(Z80 + slope * (x - 1.3))  # noqa: E731
        at = search(
            coin(curve, np.random.default_rng(seed)), 0.8, start=1.0, least=0.5, most=5.0, budget=4_000, scale=PLAIN,
            whole=False, looks=Looks(),
        )  # fmt: skip
        assert at.x == pytest.approx(1.3, abs=0.15 / math.sqrt(slope))


def test_what_lies_beyond_the_bounds_is_said_so():
    how = {"start": 200, "least": 1, "most": 1_000, "budget": 4_000, "scale": ROOT, "whole": True}
    rng = np.random.default_rng(0)
    assert search(coin(lambda _: 0.3, rng), 0.8, looks=Looks(), **how).x is None
    assert search(coin(lambda _: 0.97, rng), 0.8, looks=Looks(), **how).x == 1


@pytest.mark.parametrize("budget", [200, 220, 260, 300, 400])
def test_a_small_budget_ends_in_an_answer_too(budget):
    for chance in (0.0, 0.1, 0.5, 1.0):
        looks = Looks()
        search(
            coin(lambda _, chance=chance: chance, np.random.default_rng(0)), 0.8, start=200, least=1, most=10**7,
            budget=budget, scale=ROOT, whole=True, looks=looks,
        )  # fmt: skip
        assert looks.spent <= budget


# -- the smallest test set ------------------------------------------------------------------------------------------


@SEEDS
def test_the_smallest_test_set_is_that_of_normal_theory(seed):
    """n = σ² (1.96 + .84)² / (δ − r)²."""
    p = rw.plan(
        accuracies(0.15, 0.05), goal=">>", rope=0.05, metric="accuracy", simulations=1_500, draws=1_000, rng=seed
    )
    expected = (spread(0.15, 0.05) * (Z + Z80) / 0.05) ** 2
    assert p.reachable
    assert p.n == pytest.approx(expected, rel=0.15)
    assert p.low <= p.n <= p.high
    assert p.simulations <= 1_500
    assert p.simulations == sum(row.simulations for row in p.rows)
    assert (p.asks, p.target) == ("n", 0.8)


@SEEDS
def test_the_smallest_test_set_for_equivalence(seed):
    """Both ends must lie inside: n = σ² (1.96 + 1.28)² / r²."""
    p = rw.plan(accuracies(0.1, 0.1), goal="~", rope=0.03, metric="accuracy", simulations=1_500, draws=1_000, rng=seed)
    assert p.n == pytest.approx((spread(0.1, 0.1) * (Z + stats.norm.ppf(0.9)) / 0.03) ** 2, rel=0.15)


@pytest.mark.parametrize("power", [0.05, 0.5, 0.99])
def test_any_power_may_be_asked_for(power):
    p = rw.plan(
        accuracies(0.15, 0.05), goal=">>", rope=0.05, metric="accuracy", target=power, simulations=1_000, draws=390,
        rng=0,
    )  # fmt: skip
    if power >= 0.5:  # where n is large
        assert p.n == pytest.approx((spread(0.15, 0.05) * (Z + stats.norm.ppf(power)) / 0.05) ** 2, rel=0.25)
    row = rw.power(
        accuracies(0.15, 0.05), p.n, goal=">>", rope=0.05, metric="accuracy", simulations=1_000, draws=390, rng=1
    )[0]
    assert row.power == pytest.approx(power, abs=error(power, 1_000) + 0.02)


def test_what_is_found_at_once_takes_as_few_items_as_compare_asks_for(silent):
    p = rw.plan(
        rw.BinaryScenario(positive=(0, 1, 0, 0), negative=(0, 0, 1, 0)), goal=">>", rope=0.05, simulations=600,
        draws=500, rng=0,
    )  # fmt: skip
    assert p.n <= 30
    for n, settled in ((p.n // 2, False), (2 * p.n, True)):
        y = np.arange(n) % 2
        assert rw.compare(y, y, 1 - y, metric="f1", rope=0.05, rng=0, draws=4_000).conclusive is settled


@pytest.mark.parametrize("simulations", [200, 300, 1_000])
def test_a_test_set_that_nobody_can_pay_for_is_not_reachable(simulations):
    p = rw.plan(SCENARIO, goal=">>", rope=0.0999, simulations=simulations, draws=200, max_n=20_000, rng=0)
    assert (p.n, p.reachable, p.low, p.high, p.max_n) == (None, False, None, None, 20_000)
    assert "not reachable" in repr(p)


@pytest.mark.parametrize("simulations", [200, 240, 300])
def test_on_the_edge_nothing_is_conclusive_however_few_simulations(simulations):
    p = rw.plan(accuracies(0.15, 0.1), rope=0.05, metric="accuracy", simulations=simulations, draws=200, rng=0)
    assert not p.reachable


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"target": 0}, "`target` must be a number strictly between 0 and 1"),
        ({"target": 1}, "`target` must be a number strictly between 0 and 1"),
        ({"target": 80}, "`target` must be a number strictly between 0 and 1"),
        ({"simulations": 10}, "`simulations` must be a whole number from 200"),
        ({"max_n": 5}, "`max_n` must be a whole number from 10"),
        ({"goal": "<<"}, "The goal A≪B is not reachable"),
        ({"cost_per_item": 1}, "go together"),
        ({"value": 1}, "go together"),
        ({"value": 1, "cost_per_item": 0}, "`cost_per_item` must be a positive number"),
        ({"value": math.inf, "cost_per_item": 1}, "`value` must be a positive number"),
        ({"value": True, "cost_per_item": 1}, "`value` must be a positive number"),
        ({"value": 9, "cost_per_item": 1, "n": 100}, "give one"),
        ({"n": 0}, "`n` must be a whole number from 1"),
        ({"n": [100]}, "`n` must be a whole number from 1"),
        ({"n": 100, "goal": "conclusive"}, "The smallest difference needs a goal of its own"),
    ],
    ids=[
        "never", "always", "percent", "few", "max", "goal", "cost", "value", "free", "infinite", "bool", "both", "zero",
        "list", "conclusive",
    ],
)  # fmt: skip
def test_plans_that_cannot_be_made(said, message):
    with pytest.raises(InvalidInputError) as refused:
        rw.plan(SCENARIO, **{"goal": ">>", "rope": 0.05, "draws": 100, **said})
    assert message in refused.value.message


def test_a_plan_is_the_same_in_threads():
    how = {"goal": ">>", "rope": 0.05, "simulations": 600, "draws": 200, "rng": 3}
    assert rw.plan(SCENARIO, threads=2, **how).to_dict() == rw.plan(SCENARIO, **how).to_dict()


@pytest.mark.parametrize("batches", [1, 2, 3, 4, 5, 8, 20])
@pytest.mark.parametrize(
    "question",
    [{"goal": ">>"}, {"goal": ">>", "n": 1_000}, {"goal": "~", "n": 500}, {"value": 9_000, "cost_per_item": 1}],
    ids=["n", "difference", "rope", "value"],
)
def test_control_c_keeps_what_has_been_simulated(batches, question):
    p = rw.plan(SCENARIO, rope=0.05, simulations=1_000, draws=200, rng=0, progress=stop_after(batches), **question)
    assert p.partial
    assert p.simulations == 20 * batches
    assert json.loads(p.to_json())["partial"] is True


# -- the plan of a result -------------------------------------------------------------------------------------------


def test_above_its_ceiling_a_goal_is_not_simulated(pilot):
    assert pilot.regions.below < 0.05
    p = rw.plan(pilot, goal="<<", target=0.8, rng=0)
    assert (p.n, p.reachable, p.simulations) == (None, False, 0)
    assert any("at most" in note for note in p.notes)
    assert p.design.ceiling == pilot.regions.below


def test_assurance_reaches_the_target_at_the_plan(pilot):
    p = rw.plan(pilot, target=0.6, simulations=1_500, draws=390, rng=0)
    row = rw.power(pilot, p.n, simulations=1_500, draws=390, rng=1)[0]
    assert row.power == pytest.approx(0.6, abs=error(0.6, 1_500) + 0.03)  # the plan has an error of its own


@SEEDS
def test_a_curve_that_rises_slowly_does_not_lead_astray(seed):
    """Assurance creeps towards 1: a share of .3 at 200 items and of .85 at 6,000 must not end in "not reachable"."""
    counted = rw.Outcomes.from_pairs(positive=(30, 10, 5, 5), negative=(5, 5, 8, 40))
    r = rw.compare(counted, metric="cost", cost_matrix=[[0, 1], [5, 0]], rope=0.05, rng=0, draws=2_000)
    p = rw.plan(r, simulations=1_000, draws=200, rng=seed)
    assert p.n is not None
    row = rw.power(r, p.n, simulations=400, draws=200, rng=9)[0]
    assert row.power == pytest.approx(0.8, abs=error(0.8, 400) + 0.05)


def test_the_smallest_difference_is_no_question_to_a_result(pilot):
    with pytest.raises(InvalidInputError, match="The smallest difference is about a scenario"):
        rw.plan(pilot, goal=">>", n=100)


# -- the smallest difference and the smallest ROPE ------------------------------------------------------------------


def smallest(disagreement, rope, n):
    """Solve δ = r + 2.80 √((D − δ²)/n), where the two disagree on D."""
    delta = rope
    for _ in range(100):
        delta = rope + (Z + Z80) * math.sqrt((disagreement - delta**2) / n)
    return delta


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
@pytest.mark.parametrize(("goal", "side"), [(">>", 1), ("<<", -1)], ids=["better", "worse"])
def test_the_smallest_difference_is_that_of_normal_theory(goal, side, seed):
    p = rw.plan(SCENARIO, goal=goal, rope=0.05, metric="accuracy", n=1_000, simulations=1_000, draws=390, rng=seed)
    expected = side * smallest(0.5, 0.05, 1_000)
    assert (p.asks, p.n) == ("delta", 1_000)
    assert p.found == pytest.approx(expected, abs=0.015)
    assert p.low <= p.found <= p.high
    assert p.high - p.low < 0.06


def test_of_an_error_rate_less_is_found():
    how = {"n": 2_000, "simulations": 1_000, "draws": 390, "rng": 1, "rope": 0.05, "goal": ">>"}
    assert rw.plan(SCENARIO, metric="error", **how).found == pytest.approx(-smallest(0.5, 0.05, 2_000), abs=0.012)


def test_a_difference_that_so_few_items_never_find():
    p = rw.plan(SCENARIO, goal=">>", rope=0.05, n=2, simulations=400, draws=200, rng=0)
    assert (p.found, p.reachable) == (None, False)


def test_a_rope_that_leaves_out_zero_can_be_passed_without_a_difference():
    """Whoever is not much worse is better than a ROPE of −.2 to −.15 allows: no difference at all is enough."""
    p = rw.plan(SCENARIO, goal=">>", rope=(-0.2, -0.15), metric="accuracy", n=2_000, simulations=400, draws=200, rng=0)
    assert p.reachable
    assert p.found == pytest.approx(0, abs=1e-6)


def test_classifiers_that_do_not_differ_point_nowhere():
    with pytest.raises(InvalidInputError, match="do not differ") as refused:
        rw.plan(accuracies(0.1, 0.1), goal=">>", rope=0.05, metric="accuracy", n=100)
    assert "give one in which they differ" in refused.value.hint


@pytest.mark.parametrize("seed", range(2))
def test_the_smallest_rope_is_that_of_normal_theory(seed):
    """Of equal classifiers: |difference| + 1.96 σ stays below r in 80% of the studies where r = (1.28 + 1.96) σ."""
    p = rw.plan(
        accuracies(0.1, 0.1), goal="~", rope=0.05, metric="accuracy", n=1_000, simulations=1_000, draws=1_000, rng=seed
    )
    assert p.found == pytest.approx((stats.norm.ppf(0.9) + Z) * spread(0.1, 0.1, 1_000), rel=0.06)
    assert p.low <= p.found <= p.high


def test_the_smallest_rope_is_told_without_one():
    """Who asks for the smallest ROPE has none to state."""
    p = rw.plan(accuracies(0.1, 0.1), goal="~", metric="accuracy", n=1_000, simulations=200, draws=200, rng=0)
    assert p.found == pytest.approx((stats.norm.ppf(0.9) + Z) * spread(0.1, 0.1, 1_000), rel=0.15)


def test_the_smallest_rope_is_that_of_the_hdi():
    with pytest.raises(InvalidInputError, match="that of the HDI"):
        rw.plan(accuracies(0.1, 0.1), goal="~", metric="accuracy", n=1_000, rule="probability", simulations=200)


# -- worth ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3_000, 30_000])
def test_the_most_valuable_test_set_is_that_of_normal_theory(value):
    sd, cost = spread(0.15, 0.05), 1.0
    p = rw.plan(
        accuracies(0.15, 0.05), goal=">>", rope=0.05, metric="accuracy", value=value, cost_per_item=cost,
        simulations=3_000, draws=390, rng=0,
    )  # fmt: skip

    def net(n):
        return value * stats.norm.cdf(0.05 * np.sqrt(n) / sd - Z) - cost * n

    best = net(np.arange(1, 20_000)).max()
    assert net(p.n) >= best - 0.03 * value
    assert p.net == pytest.approx(best, abs=0.04 * value)
    assert p.low <= p.n <= p.high
    assert (p.asks, p.cost_per_item, p.value, p.target) == ("value", cost, value, None)


@pytest.mark.parametrize(("value", "told"), [(0.5, "costs more than the goal is worth"), (30, "is worth its labels")])
def test_some_goals_are_not_worth_a_label(value, told):
    p = rw.plan(SCENARIO, goal=">>", rope=0.05, value=value, cost_per_item=1, simulations=600, draws=200, rng=0)
    assert (p.n, p.reachable) == (None, False)
    assert told in p.notes[0]


# -- more data ------------------------------------------------------------------------------------------------------


def test_more_data_are_posterior_predictive(pilot, frugal):
    """Truths from the posterior, 300 new items of each, added to the old counts and compared: all by hand."""
    rng = np.random.default_rng(5)
    verdicts = []
    old = pilot.recipe.tables[0]
    for _ in range(100):
        mu = rng.beta(101, 101)
        n = rng.binomial(300, mu)
        new = rw.Outcomes.from_pairs(
            positive=rng.multinomial(n, rng.dirichlet(np.array(POSITIVE) + 1)),
            negative=rng.multinomial(300 - n, rng.dirichlet(np.array(NEGATIVE) + 1)),
        )
        verdicts.append(rw.compare(old + new, rope=0.05, rng=0, draws=2_000).decision.verdict)
    row = pilot.more_data(n=300, simulations=1_000, draws=390, rng=2, method="simulation").rows[0]
    for verdict in Verdict:
        p, q = row.decisions[verdict], np.mean([v is verdict for v in verdicts])
        pooled = (p * 1_000 + q * 100) / 1_100
        assert p == pytest.approx(q, abs=4.5 * math.sqrt(pooled * (1 - pooled) * (1 / 1_000 + 1 / 100)) + 0.01)


def test_the_number_that_is_needed_reaches_the_target(pilot):
    m = pilot.more_data(target=0.6, simulations=400, draws=390, rng=0, method="simulation")
    assert m.reachable
    assert m.low <= m.n <= m.high
    row = pilot.more_data(n=m.n, simulations=800, draws=390, rng=1, method="simulation").rows[0]
    assert row.conclusive == pytest.approx(0.6, abs=error(0.6, 800) + 0.04)


def test_one_verdict_is_as_probable_as_its_region_at_most(pilot):
    m = pilot.more_data(goal="A≪B", target=0.8, simulations=100, draws=200, rng=0)
    assert (m.n, m.reachable) == (None, False)
    assert m.design.ceiling == pilot.regions.below
    assert "not reachable" in repr(m)
    far = pilot.more_data(goal="A≫B", n=10**8, simulations=600, draws=200, rng=0, method="simulation").rows[0]
    assert far.power == pytest.approx(pilot.regions.above, abs=error(pilot.regions.above, 600))


@pytest.mark.parametrize("n", [50, 200, 1_000, 20_000])
def test_extrapolation_is_close_to_simulation(pilot, n):
    one, two = (
        pilot.more_data(n=n, simulations=800, draws=390, rng=0, method=method).rows[0].decisions
        for method in ("simulation", "extrapolation")
    )
    for verdict in Verdict:
        assert one[verdict] == pytest.approx(two[verdict], abs=error(two[verdict], 800) + 0.02)


@pytest.mark.parametrize("method", ["simulation", "extrapolation"])
def test_separate_tables_of_different_sizes_shrink_at_different_rates(silent, method):
    """Normal theory: with N_a and N_b items, n more of each leave v_a·N_a/(N_a+n) + v_b·N_b/(N_b+n) of the variance."""
    large, small = (
        rw.Outcomes.from_confusion(m, name=name)
        for m, name in (([[1_700, 300], [300, 1_700]], "x"), ([[165, 35], [35, 165]], "y"))
    )
    r = rw.compare(large, small, metric="accuracy", rope=0.05, rng=0, draws=50_000)
    n, p, q = 400, 0.85, 0.825
    before = [p * (1 - p) / 4_000, q * (1 - q) / 400]
    left = [before[0] * 4_000 / (4_000 + n), before[1] * 400 / (400 + n)]
    mean, moves, sd = p - q, math.sqrt(sum(before) - sum(left)), math.sqrt(sum(left))
    wins = stats.norm.sf((0.05 + Z * sd - mean) / moves)
    alike = stats.norm.cdf((0.05 - Z * sd - mean) / moves) - stats.norm.cdf((Z * sd - 0.05 - mean) / moves)
    row = r.more_data(n=n, simulations=1_000, draws=390, rng=0, method=method).rows[0]
    assert row.decisions[Verdict.A_BETTER] == pytest.approx(wins, abs=error(wins, 1_000) + 0.02)
    assert row.decisions[Verdict.EQUIVALENT] == pytest.approx(alike, abs=error(alike, 1_000) + 0.02)


def test_a_settled_question_needs_nothing(silent):
    r = rw.compare([0, 1] * 200, [0, 1] * 200, [1, 0] * 200, rope=0.05, rng=0, draws=2_000)
    m = r.more_data(method="extrapolation")
    assert (m.n, m.notes[0]) == (0, "The verdict is conclusive already.")


@pytest.mark.parametrize("counted", [([[90, 10], [5, 45]], None), (None, None)], ids=["one-empty", "both-empty"])
def test_where_nothing_was_counted_it_can_still_be_simulated(silent, counted):
    tables = [
        rw.Outcomes.empty([0, 1], [name]) if m is None else rw.Outcomes.from_confusion(m, name=name)
        for m, name in zip(counted, "xy", strict=True)
    ]
    r = rw.compare(*tables, rope=0.05, rng=0, draws=2_000)
    with pytest.raises(InvalidInputError, match="Nothing has been counted"):
        r.more_data(method="extrapolation")
    m = r.more_data(simulations=200, draws=200, rng=0)
    assert m.reachable  # a vast test set settles everything
    row = rw.power(r, m.n, simulations=400, draws=200, rng=1)[0] if counted == (None, None) else None
    if row is not None:
        assert row.power == pytest.approx(0.8, abs=error(0.8, 400) + 0.05)


def test_clusters_are_extrapolated(silent):
    r = rw.compare(
        [0, 1] * 60, [0, 1, 1, 1] * 30, [0, 1, 1, 0] * 30, cluster=[*range(60)] * 2, rope=0.05, rng=0, draws=2_000
    )
    m = r.more_data()
    assert m.method == "extrapolation"
    assert any("not simulated" in note for note in m.notes) or r.conclusive
    with pytest.raises(InvalidInputError, match="can be simulated"):
        r.more_data(method="simulation")


def test_a_comparison_without_a_verdict_is_told_why(silent, pilot):
    bare = rw.compare(pilot.recipe.tables[0], rng=0, draws=1_000)
    with pytest.raises(InvalidInputError, match="there is no verdict here") as refused:
        bare.more_data()
    assert "rope=" in refused.value.hint
    few = rw.compare([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [0, 1, 1, 0, 0], model="bootstrap", rope=0.05, rng=0, draws=390)
    with pytest.raises(InvalidInputError) as refused:
        few.more_data()
    assert "too few to re-weight" in refused.value.hint
    with pytest.raises(InvalidInputError, match="is about a comparison; got str"):
        rw.planning.more_data("F1 .6 against .5 at agreement .7")


@pytest.mark.parametrize(
    "said",
    [{"target": 0}, {"target": 1}, {"goal": "win"}, {"n": 0}, {"max_n": 1}, {"simulations": 0}, {"method": "magic"}],
    ids=["never", "always", "goal", "zero", "max", "none", "method"],
)
def test_more_data_checks_what_it_is_told(pilot, said):
    with pytest.raises(InvalidInputError) as refused:
        pilot.more_data(**said)
    assert_names_one_of(refused.value, said)


@pytest.mark.parametrize("batches", [1, 2, 6])
def test_more_data_keep_what_there_is_when_stopped(pilot, batches):
    m = pilot.more_data(simulations=60, draws=200, rng=0, method="simulation", progress=stop_after(batches))
    assert m.partial
    assert m.simulations == 20 * batches


# -- when to stop ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [pytest.param(0.08, marks=pytest.mark.slow), 0.12])
def test_a_width_is_reached_when_normal_theory_says(width):
    """n = σ² (2 · 1.96 / w)², rounded up to a batch; noise in the ends stops some a little before."""
    rule = rw.StopWhen(width=width, min_n=50, max_n=5_000)
    r = rw.stopping(
        accuracies(0.12, 0.08), rule, batch=25, rope=0.05, metric="accuracy", simulations=40, draws=4_000, rng=0
    )
    expected = (spread(0.12, 0.08) * 2 * Z / width) ** 2
    assert r.mean_n == pytest.approx(expected, rel=0.15)
    assert r.at_most == 0
    assert r.n_quantiles[0] <= r.n_quantiles[1] <= r.n_quantiles[2]
    assert all(n % 25 == 0 for n in r.n_quantiles)


@pytest.mark.parametrize(("width", "ends"), [(2.5, 150), (1e-6, 400)], ids=["at-once", "never"])
def test_no_study_stops_before_the_least_or_after_the_most(width, ends):
    rule = rw.StopWhen(width=width, min_n=150, max_n=400)
    r = rw.stopping(SCENARIO, rule, batch=70, rope=0.05, simulations=60, draws=200, rng=0)
    assert (r.mean_n, r.mean_n_error, r.n_quantiles) == (ends, 0, (ends, ends, ends))
    assert r.at_most == (ends == 400)
    assert (r.min_n, r.max_n) == (150, 400)
    if ends == 400:
        assert r.row == r.fixed
        assert r.covered == r.fixed_covered


def test_one_look_is_a_fixed_study():
    rule = rw.StopWhen(conclusive=True, min_n=500, max_n=500)
    r = rw.stopping(SCENARIO, rule, rope=0.05, simulations=1_000, draws=390, rng=0)
    assert r.row == r.fixed
    p = rw.power(SCENARIO, 500, rope=0.05, simulations=1_000, draws=390, rng=1)[0]
    for verdict in Verdict:
        a, b = r.fixed.decisions[verdict], p.decisions[verdict]
        assert a == pytest.approx(b, abs=4.5 * math.sqrt((a * (1 - a) + b * (1 - b) + 1e-3) / 1_000))


def test_looking_often_errs_more_often():
    """On the edge of the ROPE a single look finds A better in 2.5%; twenty looks give luck twenty chances."""
    simulations = 200
    how = {"batch": 100, "rope": 0.05, "metric": "accuracy", "simulations": simulations, "draws": 390, "rng": 0}
    r = rw.stopping(accuracies(0.15, 0.1), rw.StopWhen(conclusive=True, max_n=2_000), **how)
    assert r.fixed.wrong == pytest.approx(0.025, abs=error(0.025, simulations))
    assert r.row.wrong > r.fixed.wrong + 4 * math.sqrt(0.025 / simulations)
    assert r.mean_n < 2_000
    assert r.covered < r.fixed_covered
    careful = rw.stopping(accuracies(0.15, 0.1), rw.StopWhen(width=0.06, max_n=2_000), **how)
    assert careful.row.wrong < r.row.wrong
    assert careful.covered == pytest.approx(0.95, abs=error(0.05, simulations) + 0.01)


def test_a_fixed_hdi_covers_what_it_says():
    r = rw.stopping(
        SCENARIO, rw.StopWhen(conclusive=True, min_n=200, max_n=1_000), batch=400, rope=0.05, simulations=1_000,
        draws=390, rng=3,
    )  # fmt: skip
    assert r.fixed_covered == pytest.approx(0.95, abs=error(0.05, 1_000))


def test_a_posterior_is_calibrated_however_often_one_looks(pilot):
    """With truths from the posterior itself, used as the prior by hand: coverage after stopping stays what it was.

    The study's own prior is flat and not the pilot's posterior, so that this holds nearly, for wide rules.
    """
    r = rw.stopping(pilot, rw.StopWhen(width=0.15, min_n=50, max_n=800), batch=50, simulations=200, draws=390, rng=0)
    assert r.design.assurance
    assert r.covered == pytest.approx(0.95, abs=error(0.05, 200) + 0.02)


def test_simulated_stopping_follows_the_rule_of_real_comparisons(frugal):
    """Studies followed by hand, with `compare` and `stops`, take as many items."""
    rule = rw.StopWhen(width=0.2, min_n=100, max_n=500)
    rng = np.random.default_rng(0)
    took = []
    for _ in range(25):
        table, n = None, 0
        while True:
            fresh = 100 if n == 0 else 50
            n += fresh
            positive = rng.binomial(fresh, 0.5)
            new = rw.Outcomes.from_pairs(
                positive=rng.multinomial(positive, SCENARIO.positive),
                negative=rng.multinomial(fresh - positive, SCENARIO.negative),
            )
            table = new if table is None else table + new
            with without_warnings():
                if rule.stops(rw.compare(table, rope=0.05, rng=0, draws=2_000)):
                    break
        took.append(n)
    r = rw.stopping(SCENARIO, rule, batch=50, rope=0.05, simulations=200, draws=2_000, rng=0)
    assert r.mean_n == pytest.approx(np.mean(took), abs=4.5 * np.std(took) / 5 + 10)


def test_a_rule_looks_at_results(pilot):
    n = pilot.recipe.n_items
    wide = pilot.hdi.high - pilot.hdi.low
    assert rw.StopWhen(width=wide * 1.01, min_n=n).stops(pilot)
    assert not rw.StopWhen(width=wide * 0.99, min_n=n).stops(pilot)
    assert not rw.StopWhen(width=wide * 1.01, min_n=n + 1).stops(pilot)
    assert rw.StopWhen(width=wide * 0.5, min_n=1, max_n=n).stops(pilot)
    assert rw.StopWhen(conclusive=True, min_n=1).stops(pilot) is pilot.conclusive
    bare = rw.compare(pilot.recipe.tables[0], rng=0, draws=1_000)
    for rule in (rw.StopWhen(conclusive=True, min_n=1), rw.StopWhen(min_n=1)):
        with pytest.raises(InvalidInputError, match="depends on the ROPE"):
            rule.stops(bare)
    rope = pilot.rope.high - pilot.rope.low
    assert rw.StopWhen(min_n=1).stops(pilot) is (wide < 0.5 * rope)
    one_sided = rw.compare(pilot.recipe.tables[0], rope=(-0.01, math.inf), rng=0, draws=1_000)
    with pytest.raises(InvalidInputError, match="open end"):
        rw.StopWhen(min_n=1).stops(one_sided)


def test_items_of_separate_tables_count_once(silent):
    """In `stopping` n is the size of each table; a rule that looks at 150 items of each must not see 300."""
    x, y = (rw.Outcomes.from_confusion([[70, 5], [5, 70]], name=name) for name in "xy")
    r = rw.compare(x, y, rope=0.05, rng=0, draws=1_000)
    assert not rw.StopWhen(width=1e-6, min_n=10, max_n=200).stops(r)


def test_no_verdict_is_no_missing_rope(silent):
    """Of five items the bootstrap says nothing, ROPE or not: one goes on labelling."""
    few = rw.compare([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [0, 1, 1, 0, 0], model="bootstrap", rope=0.05, rng=0, draws=390)
    assert rw.StopWhen(conclusive=True, min_n=1).stops(few) is False


@pytest.mark.parametrize(
    "said",
    [
        {"width": 0.1, "conclusive": True}, {"width": 0}, {"width": -1}, {"width": math.nan}, {"width": "wide"},
        {"width": True}, {"width": 0.1, "min_n": 0}, {"width": 0.1, "min_n": 500, "max_n": 100}, {"conclusive": 1},
    ],
    ids=["both", "zero", "negative", "nan", "text", "bool", "least", "crossed", "one"],
)  # fmt: skip
def test_rules_that_are_none(said):
    with pytest.raises(InvalidInputError) as refused:
        rw.StopWhen(**said)
    assert_names_one_of(refused.value, said)


@pytest.mark.parametrize(
    ("said", "message"),
    [({"stop": "soon"}, "`stop` must be a StopWhen; got 'soon'"), ({"batch": 0}, "`batch` must be a whole number")],
    ids=["rule", "batch"],
)
def test_stopping_checks_what_it_is_told(said, message):
    with pytest.raises(InvalidInputError) as refused:
        rw.stopping(SCENARIO, **{"stop": rw.StopWhen(width=0.1), "rope": 0.05, **said})
    assert message in refused.value.message


def test_stopping_is_the_same_in_threads_and_when_stopped_early():
    rule = rw.StopWhen(conclusive=True, min_n=50, max_n=300)
    how = {"batch": 50, "rope": 0.05, "draws": 200, "rng": 0}
    one, two = (rw.stopping(SCENARIO, rule, simulations=60, threads=t, **how).to_dict() for t in (1, 2))
    assert one == two
    early = rw.stopping(SCENARIO, rule, simulations=60, progress=stop_after(2), **how)
    assert early.partial
    fewer = rw.stopping(SCENARIO, rule, simulations=40, **how)
    assert early.row == fewer.row
    assert early.simulations == fewer.simulations == 40
