"""Do Markov chains and the exact engine agree? Data to ask both about, and standard errors to judge the answers by.

Of either side the mean, the standard deviation and both ends of the HDI are compared, each within 4 standard errors of
the difference; the two sides are independent, so squares of standard errors add. With x the draws, m their mean:

- mean: the variance of x over the effective sample size (ESS) of x;
- standard deviation s: s² is the mean of y = (x − m)², so its variance is that of y over the ESS of y, which is not
  that of x (NUTS is antithetic for means, and worse than independent for squares); and the error of s is that of s²
  over 2s;
- HDI ends: they converge like n^(-1/3), so no ESS will do: `hdi_error`, the library's own, takes the spread over 20
  consecutive batches, which are long against the memory of a chain, times 20^(-1/3).
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy import integrate

import ropewalk as rw
from ropewalk.draws.intervals import hdi, hdi_error
from support import need

FOUR_ERRORS = 4.0
LEAST_ESS = 400
NUMBERS = ("mean", "std", "low", "high")


def arviz():
    """Import ArviZ, which announces its next version once a day."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return need("arviz")


# -- data ----------------------------------------------------------------------------------------------------


def two_labels(positive, negative):
    """Return a table from counts of what two classifiers said, (1,1) (1,0) (0,1) (0,0), on items of either class."""
    both = [np.array(counts).reshape(2, 2)[::-1, ::-1] for counts in (negative, positive)]
    return rw.Outcomes.from_counts(np.stack(both), names=["A", "B"])


@cache
def news():
    return rw.examples.news20().outcomes.project(["nb_mult", "svm_l2"])


@cache
def large():
    """Class 8 of 20 newsgroups against the rest: 7,532 items."""
    return news().collapse(8).relabel([0, 1])


@cache
def small():
    return two_labels([8, 4, 2, 3], [2, 3, 4, 14])


@cache
def zeros():
    """Five positive items in a thousand, and most outcomes never seen."""
    return two_labels([3, 0, 2, 0], [0, 1, 0, 994])


@cache
def four():
    """20 newsgroups in four groups of five."""
    counts = np.zeros((4, 4, 4), dtype=np.int64)
    np.add.at(counts, tuple(news().codes.T // 5), news().counts)
    return rw.Outcomes.from_counts(counts, names=["A", "B"])


@cache
def three():
    """90 items, three classes; every outcome type occurs in every class."""
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1, 2], 30)
    said = [np.where(rng.random(90) < right, truth, rng.integers(0, 3, 90)) for right in (0.6, 0.4)]
    return rw.Outcomes.from_arrays(truth.tolist(), *(one.tolist() for one in said), names=["A", "B"])


@cache
def any_of():
    """150 items with any of three labels."""
    rng = np.random.default_rng(7)
    truth = (rng.random((150, 3)) < [0.5, 0.3, 0.15]).astype(int)
    said = [np.where(rng.random((150, 3)) < right, truth, 1 - truth) for right in (0.85, 0.75)]
    return rw.MultilabelOutcomes.from_arrays(truth, *said, names=["A", "B"])


ONE = rw.Outcomes.from_confusion([[70, 8], [9, 33]], labels=[0, 1], name="A")
PAIR = rw.Outcomes.from_arrays([1] * 30 + [0] * 50, [1] * 24 + [0] * 6 + [1] * 5 + [0] * 45,
                               [1] * 20 + [0] * 10 + [0] * 47 + [1] * 3, names=["A", "B"])  # fmt: skip
THREE = rw.Outcomes.from_confusion([[40, 5, 3], [6, 25, 4], [2, 3, 12]], name="A")
DATA = {"large": large, "small": small, "zeros": zeros, "four": four, "twenty": news, "any_of": any_of}
METRICS = {"large": "f1", "small": "f1", "zeros": "f1"}


def ask(data, model, **how):
    """Compare the two classifiers of a data set, whatever warnings there are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        return rw.compare(DATA[data](), metric=METRICS.get(data, "macro_f1"), model=model, **how)


def noisy_pair(n, error, rng, *, mu=0.4, both=(0.55, 0.3, 0.05, 0.1), none=(0.03, 0.02, 0.12, 0.83)):
    """Return a table of two classifiers whose truth was annotated with errors, and their true F1s."""
    truth = rng.random(n) < mu
    outcome = np.where(truth, rng.choice(4, n, p=both), rng.choice(4, n, p=none))
    said_a, said_b = np.isin(outcome, (0, 1)), np.isin(outcome, (0, 2))
    annotated = truth ^ (rng.random(n) < error)
    table = rw.Outcomes.from_arrays(
        annotated.astype(int).tolist(), said_a.astype(int).tolist(), said_b.astype(int).tolist(), names=["A", "B"]
    )

    def f1(one):
        recall, alarm = both[0] + both[one], none[0] + none[one]
        return 2 * mu * recall / (mu + mu * recall + (1 - mu) * alarm)

    return table, f1(1) - f1(2), (f1(1), f1(2))


# -- what draws say, and how surely --------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """The four numbers of a sample, their standard errors, and what the mean is worth in independent draws."""

    values: np.ndarray
    errors: np.ndarray
    ess: float


def told(draws, *, independent=False, prob=0.95):
    """Summarise draws (chains, n)."""
    flat = draws.reshape(-1)
    mean, squares = flat.mean(), (draws - flat.mean()) ** 2
    std = np.sqrt(squares.mean())
    each = [float(flat.size) if independent else effective(x) for x in (draws, squares)]
    ends = hdi(np.sort(flat), prob)
    errors = [
        std / np.sqrt(each[0]),
        squares.std() / np.sqrt(each[1]) / (2 * std),
        *hdi_error(flat, prob, None if independent else each[0]),
    ]
    return Told(np.array([mean, std, ends.low, ends.high]), np.array(errors), each[0])


def effective(draws):
    """Return ArviZ's effective sample size for the mean of draws (chains, n)."""
    return float(arviz().ess(draws, method="mean"))


def of_chains(result):
    return told(result.draws.delta().reshape(result.draws.chains, -1))


@cache
def of_exact(data, model, draws):
    result = ask(data, model, engine="exact", draws=draws, rng=12_345)
    return told(result.draws.delta()[np.newaxis], independent=True)


def z_scores(ours, theirs):
    """Return the differences of the four numbers, in standard errors."""
    return dict(zip(NUMBERS, (ours.values - theirs.values) / np.hypot(ours.errors, theirs.errors), strict=True))


def assert_agrees(result, data, model, *, draws=400_000):
    """Chains must say what the exact engine says, and be worth enough draws for that to mean something."""
    ours = of_chains(result)
    found = z_scores(ours, of_exact(data, model, draws))
    record(data, model, result, ours, found)
    assert ours.ess >= LEAST_ESS
    assert max(map(abs, found.values())) < FOUR_ERRORS, found


def record(data, model, result, ours, found):
    """Add the z-scores to the file that the environment names, if it does."""
    path = os.environ.get("ROPEWALK_CALIBRATION_OUT")
    if path:
        checked = result.diagnostics
        figures = {
            "study": "mcmc agreement", "data": data, "model": str(model), "step": checked.step,
            "engine": checked.engine, "draws": checked.draws, "ess": ours.ess, "rhat": checked.rhat,
            "rhat_of": checked.rhat_of,
            "converged": checked.converged, "divergences": checked.divergences,
            "z": {name: round(float(z), 2) for name, z in found.items()},
        }  # fmt: skip
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(figures) + "\n")


# -- against numbers that are known ---------------------------------------------------------------------------


def assert_moments(estimate, mean, std):
    """Chains must agree with a known posterior, within 4 Monte Carlo standard errors."""
    ess = (estimate.std / estimate.mc_error) ** 2
    assert abs(estimate.mean - mean) < 4 * std / np.sqrt(ess)
    # The standard deviation of a standard deviation is about std / sqrt(2 ESS); skew and the ESS of squares add to it.
    assert abs(estimate.std - std) < 8 * std / np.sqrt(2 * ess)


def moments(log_density):
    """Mean and standard deviation of a density on (0, 1), by quadrature."""
    grid = np.linspace(1e-6, 1 - 1e-6, 20_001)
    mass = np.exp(log_density(grid) - log_density(grid).max())
    total = integrate.simpson(mass, x=grid)
    mean = integrate.simpson(mass * grid, x=grid) / total
    return mean, np.sqrt(integrate.simpson(mass * (grid - mean) ** 2, x=grid) / total)
