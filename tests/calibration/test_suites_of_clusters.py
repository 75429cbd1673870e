"""Coverage over tasks like these where the prior widens the posterior of each task: areas, and items in clusters.

Thirty tasks of 150 items in clusters of ten, which have half of their variance in common, and other settings in which
a task says less than usual. With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from calibration.test_multiclass import record
from ropewalk.draws.intervals import hdi
from ropewalk.models.population import PopulationPrior, Units, fit_population

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

LEVEL, OWN, MEAN = 0.8, 0.6, 0.1
STUDIES = 80
SETTINGS = {  # metric, items of each task, cluster size, share of positives, spread of the tasks' differences in level
    "area, clusters": ("roc_auc", [150] * 30, 10, 0.5, 0.13),
    "F1, clusters": ("f1", [150] * 30, 10, 0.5, 0.15),
    "accuracy, tasks of 6 and of 60 items": ("accuracy", [6] * 6 + [60] * 6, 1, 0.5, 0.4),
    "F1, tasks without positives": ("f1", [8] * 6 + [60] * 6, 1, 0.15, 0.4),
}


def true_score(level, metric, positives):
    """What a system of this level scores on infinitely many items."""
    right = stats.norm.cdf(level / math.hypot(1, OWN))
    if metric == "roc_auc":
        return stats.norm.cdf(math.sqrt(2) * level / math.hypot(1, OWN))
    return (
        right if metric == "accuracy" else 2 * positives * right / (positives * right + 1 - right + positives * right)
    )


def difference(apart, metric, positives):
    return true_score(LEVEL + apart / 2, metric, positives) - true_score(LEVEL - apart / 2, metric, positives)


def answers(rng, n_items, apart, metric, size, positives):
    """Return truth and predictions of both on one task: scores for an area, else labels; and the items' clusters."""
    cluster = np.arange(n_items) // size
    truth = (rng.random(n_items) < positives).astype(int)

    def common():
        shared = 0.0 if size == 1 else math.sqrt(0.5) * rng.normal(size=cluster.max() + 1)[cluster]
        return shared + (1.0 if size == 1 else math.sqrt(0.5)) * rng.normal(size=n_items)

    easy = common()
    scores = [(2 * truth - 1) * (LEVEL + sign * apart / 2 + easy + OWN * common()) for sign in (1, -1)]
    return truth, *(one if metric == "roc_auc" else (one > 0).astype(int) for one in scores), cluster


def intervals(estimates, errors, rng):
    """Return the intervals of the mean and of the next task, of tasks known so well, and how far these differ."""
    units = Units(np.array(estimates), np.array(errors), np.full(len(errors), np.inf))
    posterior = fit_population(units, PopulationPrior(form="normal"))
    drawn = posterior.draw(4_000, 0)
    following = drawn.mu + drawn.tau * rng.standard_normal(drawn.mu.size)
    return [hdi(np.sort(draws), 0.95) for draws in (drawn.mu, following)], posterior.tau_median


@cache
def shares(setting):
    """Return how often both intervals hold, and tau in true ones; the same by the posterior s.d. of each task."""
    metric, sizes, size, positives, spread = SETTINGS[setting]
    around = np.linspace(-6, 6, 121)
    there, weights = difference(MEAN + spread * around, metric, positives), stats.norm.pdf(around)
    mean = np.average(there, weights=weights)
    tau = math.sqrt(np.average((there - mean) ** 2, weights=weights))
    rows = []
    for seed in range(STUDIES):
        rng = np.random.default_rng([seed, list(SETTINGS).index(setting)])
        apart = rng.normal(MEAN, spread, len(sizes) + 1)
        tasks = [answers(rng, n, d, metric, size, positives) for n, d in zip(sizes, apart[:-1], strict=True)]
        truth, a, b, cluster = (np.concatenate(part) for part in zip(*tasks, strict=True))
        where = np.repeat(np.arange(len(sizes)), sizes)
        asked = {"metric": metric, "over": "tasks", "draws": 1_000, "rng": seed}
        asked |= {"cluster": 1_000 * where + cluster} if size > 1 else {}
        asked |= {} if metric == "accuracy" else {"pos_label": 1}
        r = rw.compare(truth, a, b, task=[f"t{i:02d}" for i in where], **asked)
        truths = mean, difference(apart[-1], metric, positives)
        for errors in ([unit.se for unit in r.units], [c.std for c in r.tasks]):
            found, apart_by = intervals([unit.observed for unit in r.units], errors, rng)
            rows += [low <= true <= high for (low, high), true in zip(found, truths, strict=True)]
            rows.append(apart_by / tau)
    figures = np.reshape(rows, (STUDIES, 6)).mean(axis=0).tolist()
    record("suites of clusters", setting=setting, studies=STUDIES, shares=figures)
    return figures


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_mean_and_the_next_task_are_held(setting):
    least = 0.92 - 2 * math.sqrt(0.92 * 0.08 / STUDIES)
    assert min(shares(setting)[:2]) >= least


def test_the_next_task_is_held_on_average():
    found = np.mean([shares(setting)[1] for setting in SETTINGS])
    assert found >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / STUDIES / len(SETTINGS))


@pytest.mark.parametrize("setting", ["area, clusters", "F1, clusters"])
def test_errors_that_a_prior_has_widened_make_tasks_look_alike(setting):
    """The negative control: by the posterior standard deviations of the tasks, as they were taken before."""
    _, _, after, _, _, before = shares(setting)
    assert 0.75 < after < 1.25
    assert before < 0.75
