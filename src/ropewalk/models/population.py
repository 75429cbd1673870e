"""Units of a population, data sets or tasks: what their differences have in common, exactly and without chains.

    m_i given theta_i  ~  Student-t(theta_i, s_i, df_i)       an estimate of unit i and its standard error
    theta_i            ~  Student-t(mu, tau, nu) or Normal(mu, tau²)

With equal correlations the folds of a data set enter by their mean and their sum of squares alone, and their standard
deviation integrates out: the likelihood of theta_i is then exactly a Student t. So folds, tasks (df = infinity) and
estimates made elsewhere share this one engine. What is left are mu, tau and nu, whose posterior
is taken on a grid (`models.population_grid`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from scipy import special

from ropewalk.draws.blocks import block_size, draw_blocks, generator
from ropewalk.draws.intervals import Interval, Regions
from ropewalk.draws.streams import FURTHER, POSTERIOR, UNITS
from ropewalk.draws.t_density import legendre, log_kernel
from ropewalk.models.population_grid import Grid, find_grid, quantile_of, shares_of_next
from ropewalk.typing import FloatArray

Form = Literal["student", "normal"]
TauPrior = Literal["jeffreys", "uniform"]

MIN_UNITS: Final = 3
"""Of two units the posterior of the spread has no mean, and of one there is none."""

WORST_GRID_ERROR: Final = 0.01
"""By how much half the grid may change a probability of the next unit; the grid itself errs a thirtieth of that."""

_FINE: Final = (33, 41, 17)
_FINER: Final = 1.5
_REFITS: Final = 2
_UNIT_STEPS: Final = 81
_UNIT_REACH: Final = 8.0
_UNIT_CORE: Final = 0.15
_PRIOR_NODES: Final = 20
_HALF: Final = 0.5
_ALL_MOMENTS: Final = 100
_NUMBERS_PER_DRAW: Final = 8
_TOGETHER: Final = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Estimates of units, their standard errors and the degrees of freedom of these, infinite where they are known."""

    estimates: FloatArray
    errors: FloatArray
    df: FloatArray

    def __len__(self) -> int:
        return self.estimates.size

    def scaled(self, by: float) -> Units:
        """Return the same units in another unit of measurement."""
        return Units(self.estimates / by, self.errors / by, self.df)


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationPrior:
    """What is taken of a population before its units are seen.

    mu is flat, between −`mu_limit` and `mu_limit`; tau is Jeffreys', ∝ sqrt(Σ (tau/(s_i² + tau²))²), or uniform up to
    `tau_limit`; nu − 1 ~ Gamma(a, b) with a ~ U(`nu_shape`) and b ~ U(`nu_rate`), which are integrated out.
    """

    form: Form = "student"
    tau: TauPrior = "jeffreys"
    mu_limit: float = math.inf
    tau_limit: float = math.inf
    nu_shape: tuple[float, float] = (1.0, 2.0)
    nu_rate: tuple[float, float] = (0.01, 0.1)

    def of_tau(self, tau: FloatArray, errors: FloatArray) -> FloatArray:
        """Return the log density of tau up to its limit, beyond which the grid has no nodes."""
        if self.tau == "uniform":
            return np.zeros(tau.size)
        each = tau[:, None] / (errors**2 + tau[:, None] ** 2)
        return np.asarray(np.log((each**2).sum(axis=1)) / 2)

    def of_nu(self, beyond: FloatArray) -> FloatArray:
        """Return the log density of nu − 1, its shape and rate integrated out."""
        nodes, weights = legendre(_PRIOR_NODES)
        shape = self.nu_shape[0] + (self.nu_shape[1] - self.nu_shape[0]) * nodes[:, None]
        rate = self.nu_rate[0] + (self.nu_rate[1] - self.nu_rate[0]) * nodes
        x = beyond[:, None, None]
        logs = shape * np.log(rate) + (shape - 1) * np.log(x) - rate * x - special.gammaln(shape)
        return np.asarray(special.logsumexp(logs, b=weights[:, None] * weights, axis=(1, 2)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PopulationDraws:
    """Draws of the centre mu, the spread tau and the degrees of freedom nu (infinite where it is normal)."""

    mu: FloatArray
    tau: FloatArray
    nu: FloatArray

    def next(self, rope: Interval) -> FloatArray:
        """Return for each draw the probabilities that the next unit lies below, inside and above, (3, n)."""
        return shares_of_next(self.mu, self.tau, self.nu, rope)

    def further(self, seed: int) -> FloatArray:
        """Draw one further unit for each draw."""
        rng, heavy = generator(seed, FURTHER), np.isfinite(self.nu).all()
        z = rng.standard_t(self.nu) if heavy else rng.standard_normal(self.mu.size)
        return np.asarray(self.mu + self.tau * z)


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """The posterior of the population that units are taken from. Made by `fit_population`.

    All but draws are sums over a grid, without Monte Carlo error.
    """

    units: Units
    prior: PopulationPrior
    grid: Grid  # in units of `unit`
    unit: float

    @cached_property
    def _fine(self) -> Grid:
        return self.grid.refined()

    @property
    def n_moments(self) -> int:
        """How many moments mu and tau have: far out the density of tau falls like a power, by one for each unit."""
        if math.isfinite(self.prior.tau_limit) and math.isfinite(self.prior.mu_limit):
            return _ALL_MOMENTS
        return len(self.units) - (2 if self.prior.tau == "jeffreys" else 3)

    def _moment(self, of: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]) -> float:
        weights, mu, tau, nu = self._fine.cells
        return float((weights * of(mu, tau, nu)).sum() / weights.sum())

    @property
    def mean(self) -> float:
        """The posterior mean of mu; NaN where there is none, of three units under a uniform tau."""
        if self.n_moments < 1:
            return math.nan
        return self.unit * self._moment(lambda mu, _tau, _nu: mu)

    @property
    def std(self) -> float:
        """The posterior standard deviation of mu; infinite of three units, and of four under a uniform tau."""
        if self.n_moments < 2:  # noqa: PLR2004
            return math.inf
        mean = self.mean / self.unit
        return self.unit * math.sqrt(self._moment(lambda mu, _tau, _nu: (mu - mean) ** 2))

    @property
    def tau_mean(self) -> float:
        """The posterior mean of tau; of three units it is hardly more than its prior says, if there is one."""
        if self.n_moments < 1:
            return math.nan
        return self.unit * self._moment(lambda _mu, tau, _nu: tau)

    @property
    def tau_median(self) -> float:
        """The posterior median of tau."""
        return self.unit * math.exp(quantile_of(self._fine.log_tau, self._fine.weights.sum(axis=(0, 2)), _HALF))

    @property
    def nu_median(self) -> float:
        """The posterior median of nu; infinite where the population is normal."""
        if self.prior.form == "normal":
            return math.inf
        return 1 + math.exp(quantile_of(self._fine.log_nu, self._fine.weights.sum(axis=(0, 1)), _HALF))

    def next(self, rope: Interval) -> Regions:
        """Return the probabilities that the next unit lies below, inside and above a ROPE."""
        return self._fine.next(_by(rope, self.unit))

    def grid_error(self, rope: Interval) -> float:
        """Return how much half the grid would change a probability of the next unit, at most."""
        rope = _by(rope, self.unit)
        whole, half = self.grid.next(rope), self.grid.halved().next(rope)
        return max(abs(whole.below - half.below), abs(whole.inside - half.inside), abs(whole.above - half.above))

    def draw(self, n_draws: int, seed: int) -> PopulationDraws:
        """Draw mu, tau and nu: refined nodes by their weight, moved within their cell."""
        fine = self._fine
        ends = np.cumsum(fine.weights.ravel())
        steps = [axis[1] - axis[0] if axis.size > 1 else 0.0 for axis in fine.axes]

        def block(rng: np.random.Generator, size: int) -> FloatArray:
            at = np.searchsorted(ends, rng.random(size) * ends[-1], side="right")
            places = np.unravel_index(at, fine.weights.shape)
            moved = [rng.random(size) - rng.random(size) for _ in steps]
            v, log_tau, log_nu = (
                axis[place] + step * move
                for axis, place, step, move in zip(fine.axes, places, steps, moved, strict=True)
            )
            bottom, top = fine.log_tau[0], fine.log_tau[-1]
            log_tau = np.minimum(log_tau, 2 * top - log_tau)
            centre, width = fine.place(np.maximum(log_tau, bottom))
            return np.stack([centre + width * np.sinh(v), np.exp(log_tau), 1 + np.exp(log_nu)])

        size = block_size(_NUMBERS_PER_DRAW)
        mu, tau, nu = draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=POSTERIOR)
        limit = self.prior.mu_limit
        return PopulationDraws(mu=np.clip(self.unit * mu, -limit, limit), tau=self.unit * tau, nu=nu)

    def draw_units(self, drawn: PopulationDraws, seed: int) -> FloatArray:
        """Draw the difference of each unit, shrunk towards the others, (units, draws), given draws of the population.

        The density of theta_i given mu and tau is taken at nodes that are dense around the estimate and around mu, each
        weighted by the inverse of both densities of nodes together: where the two lie far apart, one set sees what the
        other misses.
        """
        units = self.units.scaled(self.unit)
        mu, tau = drawn.mu / self.unit, drawn.tau / self.unit
        found = np.empty((len(units), mu.size))
        for number, given in enumerate(zip(units.estimates, units.errors, units.df, strict=True)):
            rng = generator(seed, UNITS, number)
            if self.prior.form == "normal" and math.isinf(given[2]):
                found[number] = _normal_unit(given, mu, tau, rng.standard_normal(mu.size))
                continue
            shares = rng.random((mu.size, 3)).T
            for start in range(0, mu.size, _TOGETHER):
                part = slice(start, start + _TOGETHER)
                found[number, part] = _draw_unit(given, (mu[part], tau[part], drawn.nu[part]), shares[:, part])
        return self.unit * found


def fit_population(units: Units, prior: PopulationPrior | None = None) -> Population:
    """Return the posterior of the population that at least three units are taken from.

    Examples
    --------
    Eight schools (Rubin 1981): the next school gains with a probability of more than four fifths.

    >>> effects = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    >>> errors = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    >>> schools = Units(effects, errors, np.full(8, np.inf))
    >>> posterior = fit_population(schools, PopulationPrior(form="normal", tau="uniform"))
    >>> print(f"mu {posterior.mean:.2f}, std {posterior.std:.2f}, tau {posterior.tau_mean:.2f}")
    mu 7.93, std 5.18, tau 6.58
    >>> print(f"next above 2: {posterior.next(Interval(-2, 2)).above:.3f}")
    next above 2: 0.793
    """
    prior = PopulationPrior() if prior is None else prior
    unit = float(np.median(units.errors))
    scaled = units.scaled(unit)
    shape = _FINE
    for _ in range(_REFITS + 1):
        grid = find_grid(scaled, prior, unit, shape)
        fitted = Population(units=units, prior=prior, grid=grid, unit=unit)
        if fitted.grid_error(Interval(-unit, unit)) <= WORST_GRID_ERROR:
            break
        v, log_tau, log_nu = (2 * round(_FINER * n / 2) + 1 for n in shape)
        shape = v, log_tau, log_nu
    return fitted


def _normal_unit(given: tuple[float, float, float], mu: FloatArray, tau: FloatArray, z: FloatArray) -> FloatArray:
    """Draw theta of one unit whose estimate and population are normal, by a standard normal number each."""
    estimate, error, _ = given
    scale = np.hypot(error, tau)
    weight = (tau / scale) ** 2
    return np.asarray(mu + weight * (estimate - mu) + error * (tau / scale) * z)


def _draw_unit(
    given: tuple[float, float, float], population: tuple[FloatArray, FloatArray, FloatArray], shares: FloatArray
) -> FloatArray:
    """Draw theta of one unit, once for each draw of its population, by three random shares each."""
    (estimate, error, df), (mu, tau, nu) = given, population
    v = np.linspace(-_UNIT_REACH, _UNIT_REACH, _UNIT_STEPS)[:, None]
    theta = np.concatenate([estimate + _UNIT_CORE * error * np.sinh(v) + 0 * mu, mu + _UNIT_CORE * tau * np.sinh(v)])
    log_density = log_kernel((theta - estimate) / error, df) + log_kernel((theta - mu) / tau, nu)
    nodes = 1 / np.hypot(_UNIT_CORE * error, theta - estimate) + 1 / np.hypot(_UNIT_CORE * tau, theta - mu)
    masses = np.exp(log_density - log_density.max(axis=0)) / nodes
    ends = np.cumsum(masses, axis=0)
    at = (ends < shares[0] * ends[-1]).sum(axis=0)
    around_unit = at < _UNIT_STEPS
    moved = v[at % _UNIT_STEPS, 0] + (v[1, 0] - v[0, 0]) * (shares[1] - shares[2])
    spread = np.sinh(moved) * _UNIT_CORE
    return np.asarray(np.where(around_unit, estimate + error * spread, mu + tau * spread))


def _by(rope: Interval, unit: float) -> Interval:
    return Interval(rope.low / unit, rope.high / unit)
