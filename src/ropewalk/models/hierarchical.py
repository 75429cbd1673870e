"""The hierarchical model of folds on data sets: each has its own correlated t, and they come from one population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.models.population import PopulationPrior, Units
from ropewalk.models.unfitted import Unfitted
from ropewalk.typing import FloatArray

MIN_FOLDS: Final = 3
"""Of fewer folds the spread of a data set is not known."""

_PAPERS_LIMIT: Final = 1000.0  # standard deviations of the means


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchical(Unfitted):
    """Folds of many data sets, whose differences are taken from a population; `papers` has the prior of Corani et al.

    `population` is "student" or "normal", `tau_prior` "jeffreys" or "uniform".
    """

    population: str = "student"
    tau_prior: str = "jeffreys"
    papers: bool = False

    fitted_to = "scores of folds on data sets"
    fitted_by = "rw.compare_datasets"

    @property
    def name(self) -> str:
        """What `model=` and the JSON call it."""
        return "corani2017" if self.papers else "hierarchical"

    @property
    def title(self) -> str:
        """The name as people say it."""
        return "hierarchical (Corani et al. 2017)" if self.papers else "hierarchical"

    @property
    def prior(self) -> str:
        """The prior in one line of formulas."""
        common = "theta_i ~ t_nu(mu, tau)" if self.population == "student" else "theta_i ~ N(mu, tau²)"
        nu = "; nu − 1 ~ Gamma(a, b), a ~ U(1, 2), b ~ U(0.01, 0.1)" if self.population == "student" else ""
        if self.papers:
            return f"{common}; sigma_i, mu and tau uniform between wide limits of the data{nu}"
        tau = "Jeffreys" if self.tau_prior == "jeffreys" else "uniform"
        return f"{common}; sigma_i ∝ 1/sigma_i; mu flat, tau {tau}{nu}"

    @property
    def description(self) -> str:
        """Who thought of it, and what it takes as unknown."""
        return (
            "On each data set the mean difference and the spread of its folds are unknown, and folds correlate as in "
            "the correlated t; the mean differences of data sets come from one population, whose centre, spread and "
            "tails are unknown (Corani, Benavoli, Demšar, Mangili and Zaffalon 2017). Exact, on a grid, without chains."
        )

    def population_prior(self, means: FloatArray, largest: float) -> PopulationPrior:
        """Return the prior of the population, given the mean differences and the largest difference of a fold."""
        if not self.papers:
            return PopulationPrior(form=self.population, tau=self.tau_prior)  # type: ignore[arg-type]
        spread = float(means.std()) or largest
        return PopulationPrior(tau="uniform", mu_limit=largest, tau_limit=_PAPERS_LIMIT * spread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
    """Differences A − B of the folds of one data set, and the correlation `rho` that they are taken to have."""

    differences: FloatArray
    rho: float

    def squares(self) -> float:
        """Return their sum of squares about their mean, 0 where it is nothing but rounding."""
        spread = self.differences - self.differences.mean()
        found = float((spread**2).sum())
        return found if found > 1e-24 * max(float((self.differences**2).sum()), 1e-300) else 0.0


def units_of_folds(folds: list[Folds], floors: FloatArray, *, papers: bool) -> Units:
    """Return data sets as units: with correlated folds the likelihood of the mean is a Student t.

    Its degrees of freedom are n − 1 under p(sigma) ∝ 1/sigma, and n − 2 under the `papers`' flat sigma. Where folds do
    not differ, their sum of squares is n times the squared floor, standard deviations that rounding may hide.
    """
    n = np.array([one.differences.size for one in folds], dtype=np.float64)
    means = np.array([float(one.differences.mean()) for one in folds])
    squares = np.array([one.squares() for one in folds])
    squares = np.where(squares > 0, squares, n * floors**2)
    rho = np.array([one.rho for one in folds])
    df = n - (2 if papers else 1)
    return Units(means, np.sqrt(squares * (1 / n + rho / (1 - rho)) / df), df)


def rounding_floor(step: float) -> float:
    """Return the standard deviation of what was rounded to steps of this size.

    Examples
    --------
    >>> round(rounding_floor(0.01), 5)
    0.00289
    """
    return step / math.sqrt(12)
