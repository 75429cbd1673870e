"""The gate: how often it passes where what is required is just not true, and how often where it is, beside other rules.

2,000 studies of each truth: a share of 2.5% is known to .35 points (one standard error), and two of them are allowed.
With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from calibration.test_multiclass import record
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.gating.self_check import GateStudy, contradicted_in, met_in
from ropewalk.gating.worlds import PairedCells, World
from ropewalk.inference.goals import joined
from ropewalk.planning.study import BATCH

pytestmark = pytest.mark.slow

STUDIES, DRAWS = 2_000, 4_000
PROMISED = 0.025
SIZES = (30, 100, 500, 2_000)
MARGIN = 0.05

TRUTHS = {  # metric, score of B, agreement, prevalence
    "accuracy .85": ("accuracy", 0.85, 0.90, 0.5),
    "accuracy .98": ("accuracy", 0.98, 0.97, 0.5),
    "near-copies": ("accuracy", 0.85, 0.98, 0.5),
    "F1 .80": ("f1", 0.80, 0.90, 0.3),
    "F1 .80, rare": ("f1", 0.80, 0.96, 0.1),
}


def delta_at(place, margin):
    return {"same": 0.0, "low": -margin, "high": margin}[place]


def binary_world(setting, delta):
    """Return a truth of two labels by its scores, how often the two agree and how common the positive class is."""
    metric, score, agreement, prevalence = TRUTHS[setting]
    agreement = min(agreement, 1 - abs(delta))
    a, b = (score + delta, score) if delta < 0 else (score, score - delta)
    scenario = rw.planning.MetricScenario(metric=metric, a=a, b=b, agreement=agreement, prevalence=prevalence)
    joint = scenario.joint

    def sample(rng, n):
        counts = rng.multinomial(n, joint.probs)
        return (Outcomes(joint.codes[counts > 0], counts[counts > 0], joint.labels, joint.names),)

    return World(delta, sample)


def recipe_of(table, require, margin, **how):
    return rw.compare(table, goal=require.replace("-", "_"), margin=margin, rng=0, draws=1_000, **how).recipe


def judged(recipe, world, n, studies=STUDIES, draws=DRAWS):
    """Return the simulated studies of a truth, judged as a gate judges."""
    study = GateStudy(source=world, recipe=recipe, rope=recipe.rope, draws=draws)
    return joined([study.batch((n, number)) for number in range(-(-studies // BATCH))]).first(studies)


@cache
def share_of_passes(setting, require, place, n, margin=MARGIN):
    metric, _, _, _ = TRUTHS[setting]
    world = binary_world(setting, delta_at(place, margin))
    table = world.draw(np.random.default_rng(0), 10_000)[0]
    recipe = recipe_of(table, require, None if require == "better" else margin, metric=metric)
    batch = judged(recipe, world, n)
    goal = require.replace("-", "_")
    shares = met_in(batch, goal) / STUDIES, contradicted_in(batch, goal) / STUDIES
    record("gate", setting=setting, require=require, place=place, n=n, margin=margin, passes=shares[0], fails=shares[1])
    return shares


def allowed(require):
    """The most of wrong passes: two standard errors of the simulation (3.2%), and three at both ends of a region."""
    errors = 3 if require == "equivalent" else 2
    return PROMISED + errors * math.sqrt(PROMISED * (1 - PROMISED) / STUDIES)


PLACES = [("better", "same"), ("not-worse", "low"), ("equivalent", "low"), ("equivalent", "high")]


@pytest.mark.parametrize(("require", "place"), PLACES)
@pytest.mark.parametrize("setting", TRUTHS)
def test_a_gate_passes_wrongly_no_more_often_than_promised(setting, require, place):
    for n in SIZES:
        passes, _ = share_of_passes(setting, require, place, n)
        assert passes <= allowed(require), (n, passes)


def test_at_no_difference_as_many_are_found_better_as_not():
    for setting in TRUTHS:
        for n in SIZES:
            passes, fails = share_of_passes(setting, "better", "same", n)
            error = math.sqrt((passes + fails) / STUDIES)
            assert abs(passes - fails) <= 4 * error + 1e-9


# -- right and wrong answers of logs, and averages over classes --------------------------------------------


def log_table(won, lost, n):
    """Return 0/1 scores of n items, of which A alone is right on `won` and B alone on `lost`."""
    counts = (n - won - lost, won, lost)
    values = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    return ItemScores(tuple(values[:, np.repeat(np.arange(3), counts)]), ("A", "B"), (), None)


@cache
def share_of_log_passes(apart, require, place, n, margin=MARGIN):
    """Return how often a gate on 0/1 scores passes, summed over all data sets: without any error of simulation.

    `apart` is how often just one of the two is right; which of them it is decides, whatever both are right on.
    """
    delta, goal = delta_at(place, margin), require.replace("-", "_")
    apart = max(apart, abs(delta))
    how = {"metric": "mean", "goal": goal, "margin": None if require == "better" else margin}
    recipe = rw.compare(log_table(n // 8, n // 8, n), **how, rng=0, draws=1_000).recipe
    world = World(delta, lambda rng, n: ())
    study = GateStudy(source=world, recipe=recipe, rope=recipe.rope, draws=20_000 if n < 300 else DRAWS)
    won = np.arange(n + 1)
    chance = stats.binom.pmf(won, n, (apart + delta) / 2)
    total, doubtful = 0.0, []
    for x in won[chance > 1e-6]:
        y = np.arange(n - x + 1)
        both = chance[x] * stats.binom.pmf(y, n - x, (apart - delta) / 2 / (1 - (apart + delta) / 2))
        for lost in y[both > 1e-6]:
            std = math.sqrt(x + lost + 1)
            edges = {"better": [0.0], "not-worse": [-margin * n], "equivalent": [-margin * n, margin * n]}[require]
            away = [(x - lost - edge) / std * (1 if edge == edges[0] else -1) for edge in edges]
            if min(away) > 4:
                total += both[lost]
            elif min(away) > 1:
                doubtful.append((int(x), int(lost), both[lost]))
    rng = np.random.default_rng(0)
    for start in range(0, len(doubtful), BATCH):
        some = doubtful[start : start + BATCH]
        batch = study.judge(rng, [(log_table(x, y, n),) for x, y, _ in some], [world] * len(some))
        total += sum(p * met_in(batch.only(i), goal) for i, (_, _, p) in enumerate(some))
    record("gate exact", apart=apart, require=require, place=place, n=n, margin=margin, passes=total)
    return total


EXACT = [  # how often just one is right, items, margin
    ("better", 0.1, 30, 0.0),
    ("better", 0.1, 100, 0.0),
    ("better", 0.02, 500, 0.0),
    ("better", 0.1, 500, 0.0),
    ("not-worse", 0.1, 100, 0.05),
    ("not-worse", 0.1, 500, 0.05),
    ("not-worse", 0.1, 1_000, 0.02),
    ("not-worse", 0.05, 100, 0.05),  # from here on B is right wherever just one is
    ("not-worse", 0.05, 300, 0.05),
    ("not-worse", 0.02, 125, 0.02),
    ("not-worse", 0.02, 185, 0.02),
    ("not-worse", 0.02, 300, 0.02),
    ("not-worse", 0.02, 1_000, 0.02),
    ("not-worse", 0.02, 2_000, 0.02),
    ("equivalent", 0.1, 500, 0.05),
    ("equivalent", 0.02, 300, 0.02),
    ("equivalent", 0.02, 1_000, 0.02),
    ("equivalent", 0.02, 2_000, 0.02),
]
MOST = 0.03  # counts are whole: no rule hits 2.5%


@pytest.mark.parametrize(("require", "apart", "n", "margin"), EXACT)
def test_of_right_and_wrong_answers_the_rate_of_wrong_passes_is_known_exactly(require, apart, n, margin):
    place = "same" if require == "better" else "low"
    passes = share_of_log_passes(apart, require, place, n, margin)
    assert passes <= MOST, passes


@pytest.mark.parametrize(("n", "margin"), [(30, 0.1), (100, 0.05), (125, 0.02), (300, 0.02), (1_000, 0.02)])
def test_a_gain_of_exactly_the_margin_is_neither_passed_nor_failed_too_often(n, margin):
    """A is right wherever just one is; summed over all data sets."""
    how = {"metric": "mean", "goal": "better", "margin": margin}
    recipe = rw.compare(log_table(n // 8, n // 8, n), **how, rng=0, draws=1_000).recipe
    world = World(margin, lambda rng, n: ())
    study = GateStudy(source=world, recipe=recipe, rope=recipe.rope, draws=20_000)
    won = np.arange(n + 1)
    chance = stats.binom.pmf(won, n, margin)
    shares = np.zeros(2)
    for x in won[chance > 1e-6]:
        batch = study.judge(np.random.default_rng(0), [(log_table(x, 0, n),)], [world])
        shares += chance[x] * np.array([met_in(batch, "better"), contradicted_in(batch, "better")])
    assert (shares <= MOST).all(), shares


@cache
def share_of_macro_passes(require, place, n, margin=MARGIN):
    """Return how often a gate on the macro-F1 of five classes passes, whose cells are those of random data."""
    rng = np.random.default_rng(5)
    truth = rng.choice(5, 20_000, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    a = np.where(rng.random(truth.size) < 0.8, truth, rng.integers(0, 5, truth.size))
    b = np.where(rng.random(truth.size) < 0.9, a, rng.integers(0, 5, truth.size))
    table = Outcomes.from_arrays(truth, a, b, names=["A", "B"])
    recipe = recipe_of(table, require, None if require == "better" else margin, metric="macro_f1")
    world = PairedCells(recipe, table).at(delta_at(place, margin))
    passes = met_in(judged(recipe, world, n, draws=1_000), require.replace("-", "_")) / STUDIES
    record("gate", setting="macro F1", require=require, place=place, n=n, margin=margin, passes=passes)
    return passes


@pytest.mark.parametrize(("require", "place"), [*PLACES[:2], PLACES[3]])
@pytest.mark.parametrize("n", [100, 500])
def test_a_gate_on_an_average_over_classes_does_too(n, require, place):
    passes = share_of_macro_passes(require, place, n)
    assert passes <= allowed(require), passes


# -- beside other rules ------------------------------------------------------------------------------------

RULES = ("better", "new > old", "new >= old", "McNemar p < .05", "not-worse", "new >= old - 2 points")
GAINS = (-0.02, 0.0, 0.02, 0.04)


@cache
def shares_by_rule(n, gain):
    """Return how often each rule passes where A is better by `gain`: accuracy about .85, two that agree on 90%."""
    world = binary_world("accuracy .85", gain)
    table = world.draw(np.random.default_rng(0), 10_000)[0]
    passes, tables = {}, []
    for require, margin in (("better", None), ("not-worse", 0.02)):
        recipe = recipe_of(table, require, margin, metric="accuracy")
        study = GateStudy(source=world, recipe=recipe, rope=recipe.rope, draws=DRAWS)
        batches = [study.batch((n, number)) for number in range(STUDIES // BATCH)]
        passes[require] = met_in(joined(batches), require.replace("-", "_")) / STUDIES
    for number in range(STUDIES // BATCH):  # the same test sets
        rng = study.generator(n, number)
        tables += [world.draw(rng, n)[0] for _ in range(BATCH)]
    alone = np.array([[t.counts[(t.codes[:, k] == t.codes[:, 0]) & (t.codes[:, 3 - k] != t.codes[:, 0])].sum()
                       for k in (1, 2)] for t in tables])  # fmt: skip
    won, lost = alone.T
    p = stats.binom.cdf(np.minimum(won, lost), won + lost, 0.5) * 2 - stats.binom.pmf(won, won + lost, 0.5)
    passes |= {
        "new > old": float((won > lost).mean()),
        "new >= old": float((won >= lost).mean()),
        "McNemar p < .05": float(((p < 0.05) & (won > lost)).mean()),  # mid-p
        "new >= old - 2 points": float((won - lost >= -0.02 * n - 1e-9).mean()),
    }
    record("gate rules", n=n, gain=gain, studies=STUDIES, **{rule: passes[rule] for rule in RULES})
    return passes


@pytest.mark.parametrize("n", [100, 500, 2_000])
def test_other_rules_pass_what_is_not_better_and_a_gate_finds_what_is_as_often_as_a_test(n):
    same, better = shares_by_rule(n, 0.0), shares_by_rule(n, 0.04)
    assert same["better"] <= allowed("better")
    assert same["new > old"] > 0.35
    assert same["new >= old"] > 0.5
    assert abs(better["better"] - better["McNemar p < .05"]) < 0.05
    worse = shares_by_rule(n, -0.02)
    assert worse["not-worse"] <= allowed("not-worse")
    assert worse["new >= old - 2 points"] > 0.45
