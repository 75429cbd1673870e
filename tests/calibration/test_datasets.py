"""Coverage of answers over data sets, by simulation: the mean, the next data set, and wrong verdicts by signed ranks.

`python tests/calibration/test_datasets.py` prints the tables of docs/howto/data-sets.md.
"""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from scipy import stats

from ropewalk.draws.contrast import Question
from ropewalk.draws.intervals import Interval, hdi
from ropewalk.draws.student import paired_correlated_t
from ropewalk.inference.datasets import weigh_datasets
from ropewalk.models.hierarchical import Folds, Hierarchical, units_of_folds
from ropewalk.models.population import fit_population

pytestmark = pytest.mark.slow

ROPE, PROB, MEAN, RHO, FOLDS = Interval(-0.01, 0.01), 0.95, 0.01, 0.1, 10


EXCESS = 0.3
"""By how much, over the number of data sets, equal algorithms are called better more often than promised, per side."""


def correlated(rng, centres, sigma, rho, n=FOLDS):
    """Return differences of folds, (data sets, n), that correlate by rho on a data set."""
    common, own = rng.standard_normal((centres.size, 1)), rng.standard_normal((centres.size, n))
    return centres[:, None] + sigma[:, None] * (math.sqrt(rho) * common + math.sqrt(1 - rho) * own)


def exact_coverage(n, rho, taken=RHO):
    """How often the correlated t holds the mean where folds correlate by rho, and another correlation is taken."""
    wider = math.sqrt((1 / n + taken / (1 - taken)) / (1 / n + rho / (1 - rho)))
    return 2 * stats.t(n - 1).cdf(stats.t(n - 1).ppf((1 + PROB) / 2) * wider) - 1


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("n", [10, 100])
def test_the_correlated_t_holds_what_the_correlation_allows(n, rho):
    studies, rng = 2_000, np.random.default_rng(n)
    z = correlated(rng, np.full(studies, MEAN), np.full(studies, 0.05), rho, n)
    held = 0
    for row in z:
        low, high = paired_correlated_t(np.stack([row, np.zeros(n)]), RHO / (1 - RHO), resolution=1e-5).difference.hdi(
            PROB
        )
        held += low <= MEAN <= high
    expected = exact_coverage(n, rho)
    assert abs(held / studies - expected) < 4 * math.sqrt(max(expected * (1 - expected), 1e-3) / studies)


def covered(number, tau, heavy, studies):
    """How often the 95% intervals of the mean and of the next data set hold, of folds on so many data sets."""
    hits = np.zeros(2)
    for study in range(studies):
        rng = np.random.default_rng([number, study])
        law = stats.t(3) if heavy else stats.norm
        *theta, further = MEAN + tau * law.rvs(size=number + 1, random_state=rng)
        z = correlated(rng, np.array(theta), rng.uniform(0.01, 0.05, number), RHO)
        units = units_of_folds([Folds(differences=row, rho=RHO) for row in z], np.full(number, 1e-3), papers=False)
        posterior = fit_population(units, Hierarchical().population_prior(units.estimates, float(np.abs(z).max())))
        low, high = hdi(np.sort(posterior.draw(4_000, study).mu), PROB)
        below = posterior.next(Interval(further, math.inf)).below
        hits += [low <= MEAN <= high, (1 - PROB) / 2 <= below <= (1 + PROB) / 2]
    return hits / studies


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("tau", [0.0, 0.02])
@pytest.mark.parametrize(("number", "studies"), [(3, 150), (5, 150), (10, 100), (30, 40)])
def test_the_mean_and_the_next_data_set_are_held(number, tau, heavy, studies):
    assert covered(number, tau, heavy, studies).min() >= 0.92 - 2 * math.sqrt(PROB * (1 - PROB) / studies)


def wrong_verdicts(number, tau, studies):
    """How often equal algorithms are called better, per side, and how often equivalent, by signed ranks."""
    question = Question(rope=ROPE, prob=PROB, rule="probability", higher_is_better=True)
    said = []
    for study in range(studies):
        z = np.random.default_rng([number, study]).normal(0, tau, number)
        means = np.stack([0.8 + z, np.full(number, 0.8)], axis=1)
        judged = weigh_datasets(means, ("A", "B"), question, draws=2_000, seed=study)
        said.append(judged.contrasts[0].decision.code)
    return [said.count(code) / studies for code in ("a_better", "b_better", "equivalent")]


@pytest.mark.parametrize("tau", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("number", [6, 12, 54])
def test_equal_algorithms_are_called_better_about_as_often_as_promised(number, tau):
    studies = 300
    a, b, _ = wrong_verdicts(number, tau, studies)
    promised = 1 - PROB + EXCESS / number
    assert max(a, b) <= promised + 2 * math.sqrt(promised * (1 - promised) / studies)


if __name__ == "__main__":
    for n in (10, 100):
        shares = " ".join(f"{exact_coverage(n, rho):.3f}" for rho in (0.0, 0.05, 0.1, 0.2, 0.3))
        sys.stdout.write(f"correlated t, {n} folds: {shares}\n")
    for number in (6, 12, 30, 54):
        for tau in (0.005, 0.02, 0.1):
            found = wrong_verdicts(number, tau, 400)
            sys.stdout.write(f"signed rank {number} {tau} " + " ".join(f"{share:.3f}" for share in found) + "\n")
            sys.stdout.flush()
    for number, studies in ((3, 200), (5, 200), (10, 150), (30, 60)):
        for tau, heavy in ((0.0, False), (0.02, False), (0.02, True)):
            found = covered(number, tau, heavy, studies)
            sys.stdout.write(f"folds {number} {tau} {heavy} {studies} " + " ".join(f"{s:.3f}" for s in found) + "\n")
            sys.stdout.flush()
