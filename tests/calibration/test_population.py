"""The population of units at length: ranks of the truth, coverage of the mean and of the next unit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from ropewalk.draws.intervals import Interval
from ropewalk.models.hierarchical import Folds, Hierarchical, units_of_folds
from ropewalk.models.population import PopulationPrior, Units, fit_population

pytestmark = pytest.mark.slow

ODD_MEAN_LIMIT, ODD_TAU_LIMIT = 3.0, 2.0


def is_uniform(shares, bins):
    """Whether shares are spread evenly, by chi-squared."""
    counts = np.histogram(shares, bins=bins, range=(0, 1))[0]
    return stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize(
    ("form", "df", "repeats"), [("normal", math.inf, 600), ("normal", 4.0, 400), ("student", 9.0, 150)]
)
def test_ranks_of_the_truth_are_uniform(form, df, repeats):
    """Under a proper prior, mu and tau uniform and nu as it is learned, the truth may have any rank."""
    rng = np.random.default_rng(11)
    prior = PopulationPrior(form=form, tau="uniform", mu_limit=ODD_MEAN_LIMIT, tau_limit=ODD_TAU_LIMIT)
    ranks = {"mu": [], "tau": [], "next": [], "unit": []}
    for repeat in range(repeats):
        q = int(rng.integers(3, 12))
        mu, tau = rng.uniform(-ODD_MEAN_LIMIT, ODD_MEAN_LIMIT), rng.uniform(0, ODD_TAU_LIMIT)
        nu = 1 + rng.gamma(rng.uniform(1, 2), 1 / rng.uniform(0.01, 0.1)) if form == "student" else math.inf
        law = stats.norm() if math.isinf(nu) else stats.t(nu)
        theta, further = (mu + tau * law.rvs(size, random_state=rng) for size in (q, 1))
        errors = rng.uniform(0.2, 1.5, q)
        noise = (
            stats.norm.rvs(size=q, random_state=rng) if math.isinf(df) else stats.t.rvs(df, size=q, random_state=rng)
        )
        posterior = fit_population(Units(theta + errors * noise, errors, np.full(q, df)), prior)
        drawn = posterior.draw(400, repeat)
        ranks["mu"].append((drawn.mu < mu).mean())
        ranks["tau"].append((drawn.tau < tau).mean())
        ranks["next"].append(posterior.next(Interval(further[0], math.inf)).below)
        ranks["unit"].append((posterior.draw_units(drawn, repeat)[0] < theta[0]).mean())
    for shares in ranks.values():
        assert is_uniform(np.clip(shares, 0, 1 - 1e-9), 10)


def covered(q, tau_over_error, repeats, prior, rng):
    """How often the 95% intervals of the mean and of the next unit hold the truth, of q units known to ± 1."""
    hits = np.zeros(2)
    for repeat in range(repeats):
        theta, further = rng.normal(0, tau_over_error, q), rng.normal(0, tau_over_error)
        posterior = fit_population(Units(rng.normal(theta, 1), np.ones(q), np.full(q, np.inf)), prior)
        mu = posterior.draw(2_000, repeat)
        low, high = np.quantile(mu.mu, [0.025, 0.975])
        hits[0] += low < 0 < high
        hits[1] += 0.025 < posterior.next(Interval(further, math.inf)).below < 0.975
    return hits / repeats


SIZES, SPREADS = (3, 5, 12), (0.0, 0.5, 1.0, 3.0)


@pytest.mark.parametrize("q", SIZES)
@pytest.mark.parametrize("tau", SPREADS)
def test_jeffreys_prior_covers(q, tau):
    """Of 24 shares the lowest is looked at: all of them together fail by chance once in a hundred times."""
    repeats = 1_000
    found = covered(q, tau, repeats, PopulationPrior(form="normal"), np.random.default_rng([q, round(10 * tau)]))
    errors = stats.norm.isf(0.01 / (2 * len(SIZES) * len(SPREADS)))
    assert found.min() > 0.95 - errors * math.sqrt(0.95 * 0.05 / repeats)


def test_the_fixed_mean_does_not_cover_other_units():
    """The negative control: an interval about these units alone, read as one about units like these."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(500):
        estimates = rng.normal(rng.normal(0, 3.0, 5), 1)
        hits += abs(estimates.mean()) < 1.96 / math.sqrt(5)
    assert hits / 500 < 0.7


@pytest.mark.parametrize(
    ("q", "correlation", "repeats"),
    [(3, 0.1, 120), (5, 0.1, 120), (10, 0.1, 120), (10, 0.0, 120), (10, 0.3, 120), (50, 0.1, 40), (50, 0.3, 40)],
)
def test_folds_of_data_sets_cover(q, correlation, repeats):
    """Folds on data sets from a population, end to end; also where they correlate by other than what is taken."""
    rng, n = np.random.default_rng([q, round(100 * correlation)]), 10
    hits = np.zeros(2)
    for repeat in range(repeats):
        theta, further = 0.01 + 0.02 * rng.standard_t(5, q), 0.01 + 0.02 * rng.standard_t(5)
        sigma = rng.uniform(0.01, 0.05, q)
        common, own = rng.standard_normal((q, 1)), rng.standard_normal((q, n))
        x = theta[:, None] + sigma[:, None] * (math.sqrt(correlation) * common + math.sqrt(1 - correlation) * own)
        folds = [Folds(differences=row, rho=0.1) for row in x]
        model = Hierarchical()
        units = units_of_folds(folds, np.full(q, 1e-3), papers=False)
        posterior = fit_population(units, model.population_prior(units.estimates, float(np.abs(x).max())))
        low, high = np.quantile(posterior.draw(4_000, repeat).mu, [0.025, 0.975])
        hits[0] += low < 0.01 < high
        hits[1] += 0.025 < posterior.next(Interval(further, math.inf)).below < 0.975
    assert (hits / repeats).min() >= 0.92 - 2 * math.sqrt(0.92 * 0.08 / repeats)
