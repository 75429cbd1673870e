"""Coverage of suites, by simulation: the average over these tasks, the mean over tasks like these, and the next one."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.draws.intervals import hdi
from ropewalk.inference.answers import draw_comparison
from ropewalk.inference.question import write_recipe
from ropewalk.models.population import PopulationPrior, Units, fit_population

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

ITEMS, LEVEL, ALIKE = 50, 0.75, 0.5
PROB = 0.95
LIKE = {"over": "tasks", "metric": "mean", "scale": (0, 1), "draws": 1_000}


def study(number, mean, tau, seed):
    """Return which of three intervals hold, and on which side of 0 those of the two means lie.

    Items of a task are independent; A and B agree on half of them by their difficulty.
    """
    rng = np.random.default_rng(seed)
    thetas = rng.normal(mean, tau, number)
    made = {}
    for task, theta in enumerate(thetas):
        shared, own = rng.random(ITEMS), rng.random(ITEMS)
        hard = np.where(rng.random(ITEMS) < ALIKE, shared, own)
        scores = ((one < LEVEL + sign * theta / 2) * 1.0 for one, sign in ((shared, 1), (hard, -1)))
        items = rw.ItemScores.from_arrays(None, *scores, names=["A", "B"])
        recipe = write_recipe((items,), metric="mean", draws=2_000, seed=int(rng.integers(1 << 40)))
        made[str(task)] = draw_comparison(recipe, other_priors=False)[0]
    these = rw.suite(made, rng=seed).hdi
    means, errors = np.array([(u.observed, u.se) for u in rw.suite(made, over="tasks", draws=100, rng=seed).units]).T
    units = Units(means, errors, np.full(number, np.inf))
    drawn = fit_population(units, PopulationPrior(form="normal")).draw(4_000, seed)
    mu = hdi(np.sort(drawn.mu), PROB)
    following = hdi(np.sort(drawn.mu + drawn.tau * rng.standard_normal(drawn.mu.size)), PROB)
    truths = (thetas.mean(), mean, rng.normal(mean, tau))
    held = [low <= truth <= high for (low, high), truth in zip((these, mu, following), truths, strict=True)]
    return [*held, these.low > 0, these.high < 0, mu.low > 0, mu.high < 0]


def coverage(number, mean, tau, studies):
    return np.mean([study(number, mean, tau, seed) for seed in range(studies)], axis=0)


@pytest.mark.parametrize("tau", [0.0, 0.05, 0.15])
@pytest.mark.parametrize(("number", "studies"), [(3, 200), (6, 200), (12, 150), (50, 60)])
def test_intervals_hold_what_they_promise(number, studies, tau):
    these, mean, following = coverage(number, 0.02, tau, studies)[:3]
    error = math.sqrt(PROB * (1 - PROB) / studies)
    for share in (these, mean, following):
        assert share >= 0.92 - 2 * error
    assert these <= 0.985 + 2 * error


@pytest.mark.parametrize("number", [6, 12])
def test_equal_systems_are_called_different_no_more_often_than_promised(number):
    sides = coverage(number, 0.0, 0.0, 200)[3:]
    assert sides.max() <= 0.025 + 2 * math.sqrt(0.025 * 0.975 / 200)


def scores(level, spread, number, seed):
    """Return 0/1 scores of one system on tasks whose means are Beta, and a draw of these."""
    rng = np.random.default_rng(seed)
    size = level * (1 - level) / spread**2 - 1
    thetas = rng.beta(level * size, (1 - level) * size, number)
    return (rng.random((number, ITEMS)) < thetas[:, np.newaxis]).ravel() * 1.0


@pytest.mark.parametrize(("level", "spread"), [(0.6, 0.15), (0.75, 0.1), (0.85, 0.05)])
def test_means_of_scores_over_tasks_like_these_hold(level, spread):
    held = []
    for seed in range(150):
        task = np.repeat(np.arange(10), ITEMS)
        try:
            e = rw.evaluate(
                scores(level, spread, 10, seed),
                task=task,
                over="tasks",
                metric="mean",
                scale=(0, 1),
                draws=1_000,
                rng=seed,
            )
        except rw.errors.DataError:  # they reach the end of the scale
            continue
        low, high = e["mean"].estimate.hdi
        held.append(low <= level <= high)
    assert len(held) > 50
    assert np.mean(held) >= 0.93 - 2 * math.sqrt(PROB * (1 - PROB) / len(held))


@pytest.mark.parametrize(("level", "spread"), [(0.97, 0.03), (0.85, 0.15)])
def test_scores_that_lean_to_an_end_are_refused(level, spread):
    refused = 0
    for seed in range(40):
        task = np.repeat(np.arange(10), ITEMS)
        try:
            rw.evaluate(
                scores(level, spread, 10, seed),
                task=task,
                over="tasks",
                metric="mean",
                scale=(0, 1),
                draws=500,
                rng=seed,
            )
        except rw.errors.DataError:
            refused += 1
    assert refused >= 36


@pytest.mark.parametrize(("spread", "apart"), [(0.0, 0.0), (0.03, 0.06)])
def test_who_is_said_to_be_best_is_best_as_often(spread, apart):
    """Of those who are said to be best with more than 60%, as many are, on average and on the next task."""
    said, best, next_said, next_best = [], [], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        means, level = rng.normal(0.72, spread, 3), rng.normal(0, 0.08, 8)
        thetas = means + level[:, np.newaxis] + rng.normal(0, apart, (8, 3))
        values = {name: (rng.random((8, ITEMS)) < thetas[:, [k]]).ravel() * 1.0 for k, name in enumerate("abc")}
        r = rw.rank(values, task=np.repeat(np.arange(8), ITEMS), over="tasks", metric="mean", draws=1_000, rng=seed)
        chances = np.array([[m.p_best, m.p_best_next] for m in r.models])
        truth = means.argmax(), (means + rng.normal(0, apart, 3)).argmax()
        said.append(chances[:, 0].max())
        best.append(chances[:, 0].argmax() == truth[0])
        next_said.append(chances[:, 1].max())
        next_best.append(chances[:, 1].argmax() == truth[1])
    error = 2 * math.sqrt(0.25 / 60)
    if spread:
        assert np.mean(best) >= np.mean(said) - error
    else:
        assert np.mean(np.array(said) > 0.9) <= 0.1
    assert np.mean(next_best) >= np.mean(next_said) - 0.15 - error


def averages(number, items, skills, metric, seed):
    """Return whether the interval of the average difference holds it, and that of the first system's score."""
    rng = np.random.default_rng(seed)
    task, y = np.repeat(np.arange(number), items), rng.integers(0, 2, number * items)
    a, b = (np.where(rng.random(y.size) < skill, y, 1 - y) for skill in skills)
    # Of even classes that are found alike, F1 is what is right, and so is accuracy.
    r = rw.compare(y, a, b, task=task, metric=metric, draws=1_000, rng=seed)
    return [
        r.hdi.low <= skills[0] - skills[1] <= r.hdi.high,
        r.estimate_a.hdi.low <= skills[0] <= r.estimate_a.hdi.high,
    ]


@pytest.mark.parametrize("items", [20, 50])
@pytest.mark.parametrize("skills", [(0.6, 0.6), (0.95, 0.75), (0.98, 0.9)])
@pytest.mark.parametrize(("number", "studies"), [(3, 200), (12, 150), (50, 100)])
def test_averages_hold_where_systems_are_far_from_chance_and_from_each_other(number, studies, skills, items):
    """The priors of many tasks pull to chance no harder than one: each with its whole mass, intervals held .1 to .7."""
    shares = np.mean([averages(number, items, skills, "accuracy", seed) for seed in range(studies)], axis=0)
    assert shares.min() >= 0.92 - 2 * math.sqrt(0.92 * 0.08 / studies)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    for number, studies in ((3, 400), (12, 300), (50, 150)):
        for items in (10, 20, 50):
            for skills in ((0.6, 0.6), (0.95, 0.75), (0.98, 0.9)):
                for metric in ("accuracy", "f1"):
                    held = np.mean([averages(number, items, skills, metric, seed) for seed in range(studies)], axis=0)
                    sys.stdout.write(f"average {number} {items} {skills} {metric} {held}\n")
                    sys.stdout.flush()
    for number, studies in ((3, 400), (6, 400), (12, 300), (50, 150)):
        for tau in (0.0, 0.05, 0.15):
            found = coverage(number, 0.02, tau, studies)
            sys.stdout.write(f"{number} {tau} {studies} " + " ".join(f"{share:.3f}" for share in found) + "\n")
            sys.stdout.flush()
        found = coverage(number, 0.0, 0.0, studies)
        sys.stdout.write(f"A/A {number} {studies} " + " ".join(f"{share:.3f}" for share in found) + "\n")
        sys.stdout.flush()
