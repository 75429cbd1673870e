"""Units of a population, data sets or tasks: what their differences have in common, exactly and without chains.

    m_i given theta_i  ~  Student-t(theta_i, s_i, df_i)       an estimate of unit i and its standard error
    theta_i            ~  Student-t(mu, tau, nu) or Normal(mu, tau²)

With equal correlations the folds of a data set enter by their mean and their sum of squares alone, and their standard
deviation integrates out: the likelihood of theta_i is then exactly a Student t. So folds, tasks (df = infinity) and
estimates made elsewhere share this one engine. What is left are three unknown numbers, mu, tau and nu, whose posterior
is taken on a grid:

1. The likelihood of a unit, ∫ f(theta) g(theta) d theta with f of the unit and g of the population, is
   E_F[f g/(f + g)] + E_G[f g/(f + g)], by Gauss-Legendre nodes in the quantiles of F and of G: smooth whichever is the
   narrower. Two normal distributions have a closed form.
2. The grid is even in log tau, in log(nu − 1) and in v, where mu = centre(tau) + width(tau) sinh(v): it follows mu as
   tau grows, and reaches far into heavy tails. A few coarse passes find where the density is.
3. Summaries are sums over the grid, its log density refined by cubic splines. Draws are refined grid points by their
   weight, moved within their cell: independent draws of the interpolated density.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np
from scipy import interpolate, special

from ropewalk.draws.blocks import block_size, draw_blocks, generator
from ropewalk.draws.intervals import Interval
from ropewalk.draws.rope import Regions
from ropewalk.draws.streams import POSTERIOR, UNITS
from ropewalk.typing import FloatArray

Form = Literal["student", "normal"]
TauPrior = Literal["jeffreys", "uniform"]
Shape = tuple[int, int, int]
Place = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

MIN_UNITS: Final = 3
"""Of two units the posterior of the spread has no mean, and of one there is none."""

WORST_GRID_ERROR: Final = 0.01
"""By how much half the grid may change a probability of the next unit; the grid itself errs a thirtieth of that."""

_NODES: Final = 24
_COARSE: Final = (21, 21, 11)  # points of v, log tau, log(nu - 1)
_FINE: Final = (33, 41, 17)
_FINER: Final = 1.5
_REFINED: Final = (4, 3, 2)
_PASSES: Final = 6
_REFITS: Final = 2
_SETTLED: Final = 0.7
_NEGLIGIBLE: Final = 1e-8
_REACH: Final = (10.0, 18.0)  # of log tau at first, beyond the smallest and the largest scale of the data
_WIDE: Final = 5.0  # of v at first
_LOG_NU: Final = (-9.0, 7.5)
_ROBUST_STEPS: Final = 30
_ROBUST_DF: Final = 4.0
_UNIT_STEPS: Final = 81
_UNIT_REACH: Final = 8.0
_UNIT_CORE: Final = 0.15
_PRIOR_NODES: Final = 20
_HALF: Final = 0.5
_TINY: Final = 1e-300
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

    def of_tau(self, tau: FloatArray, errors: FloatArray, unit: float) -> FloatArray:
        """Return the log density of tau, both it and the standard errors measured by `unit`."""
        if self.tau == "uniform":
            return np.where(tau * unit <= self.tau_limit, 0.0, -np.inf)
        each = tau[:, None] / (errors**2 + tau[:, None] ** 2)
        return np.asarray(np.log((each**2).sum(axis=1)) / 2)

    def of_nu(self, beyond: FloatArray) -> FloatArray:
        """Return the log density of nu − 1, its shape and rate integrated out."""
        nodes, weights = _legendre(_PRIOR_NODES)
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
        return _next(self.mu, self.tau, self.nu, rope)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Grid:
    """Log densities at nodes of v, log tau and log(nu - 1), and where mu is for a node."""

    v: FloatArray
    log_tau: FloatArray
    log_nu: FloatArray  # one infinite node for a normal population
    place: Place
    log_density: FloatArray
    mu_limit: float

    @property
    def axes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.v, self.log_tau, self.log_nu

    @cached_property
    def mu(self) -> FloatArray:
        """mu at the nodes, (v, tau)."""
        centre, width = self.place(self.log_tau)
        return np.asarray(centre + width * np.sinh(self.v)[:, None])

    @cached_property
    def weights(self) -> FloatArray:
        """What the nodes weigh, (v, tau, nu); they sum to 1."""
        weights: FloatArray = np.exp(self.log_density - self.log_density.max())
        if math.isfinite(self.mu_limit):
            weights *= (np.abs(self.mu) <= self.mu_limit)[:, :, None]
        return weights / weights.sum()

    @cached_property
    def cells(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Weight, mu, tau and nu of the nodes that weigh something, flat."""
        at = np.nonzero(self.weights > _NEGLIGIBLE * self.weights.max())
        return self.weights[at], self.mu[at[:2]], np.exp(self.log_tau[at[1]]), 1 + np.exp(self.log_nu[at[2]])

    def next(self, rope: Interval) -> Regions:
        """Return the probabilities that the next unit lies below, inside and above."""
        weights, mu, tau, nu = self.cells
        below, inside, above = (_next(mu, tau, nu, rope) * weights).sum(axis=1) / weights.sum()
        return Regions(float(below), float(inside), float(above))

    def halved(self) -> _Grid:
        """Return every other node: what a grid of half as many would have said."""
        half = slice(None, None, 2)
        v, log_tau, log_nu = (axis[half] for axis in self.axes)
        return replace(self, v=v, log_tau=log_tau, log_nu=log_nu, log_density=self.log_density[half, half, half])

    def refined(self) -> _Grid:
        """Return the grid with more nodes, the log density between them by cubic splines."""
        density, axes = self.log_density, []
        for number, (axis, times) in enumerate(zip(self.axes, _REFINED, strict=True)):
            if axis.size > 1:
                fine = np.linspace(axis[0], axis[-1], times * (axis.size - 1) + 1)
                density = interpolate.make_interp_spline(axis, density, k=3, axis=number)(fine)
                axis = fine  # noqa: PLW2901
            axes.append(axis)
        return replace(self, v=axes[0], log_tau=axes[1], log_nu=axes[2], log_density=density)


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """The posterior of the population that units are taken from. Made by `fit_population`.

    All but draws are sums over a grid, without Monte Carlo error.
    """

    units: Units
    prior: PopulationPrior
    grid: _Grid  # in units of `unit`
    unit: float

    @cached_property
    def _fine(self) -> _Grid:
        return self.grid.refined()

    def _moment(self, of: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]) -> float:
        weights, mu, tau, nu = self._fine.cells
        return float((weights * of(mu, tau, nu)).sum() / weights.sum())

    @property
    def mean(self) -> float:
        """The posterior mean of mu."""
        return self.unit * self._moment(lambda mu, _tau, _nu: mu)

    @property
    def std(self) -> float:
        """The posterior standard deviation of mu."""
        mean = self.mean / self.unit
        return self.unit * math.sqrt(self._moment(lambda mu, _tau, _nu: (mu - mean) ** 2))

    @property
    def tau_mean(self) -> float:
        """The posterior mean of tau; of three units and Jeffreys' prior it is hardly more than its prior says."""
        return self.unit * self._moment(lambda _mu, tau, _nu: tau)

    @property
    def tau_median(self) -> float:
        """The posterior median of tau."""
        return self.unit * math.exp(_quantile(self._fine.log_tau, self._fine.weights.sum(axis=(0, 2)), _HALF))

    @property
    def nu_median(self) -> float:
        """The posterior median of nu; infinite where the population is normal."""
        if self.prior.form == "normal":
            return math.inf
        return 1 + math.exp(_quantile(self._fine.log_nu, self._fine.weights.sum(axis=(0, 1)), _HALF))

    def next(self, rope: Interval) -> Regions:
        """Return the probabilities that the next unit lies below, inside and above a ROPE."""
        return self._fine.next(_by(rope, self.unit))

    def grid_error(self, rope: Interval) -> float:
        """Return how much half the grid would change a probability of the next unit, at most."""
        rope = _by(rope, self.unit)
        whole, half = self.grid.next(rope), self.grid.halved().next(rope)
        return max(abs(a - b) for a, b in zip(astuple(whole), astuple(half), strict=True))

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
            centre, width = fine.place(np.clip(log_tau, fine.log_tau[0], fine.log_tau[-1]))
            return np.stack([centre + width * np.sinh(v), np.exp(log_tau), 1 + np.exp(log_nu)])

        size = block_size(_NUMBERS_PER_DRAW)
        mu, tau, nu = draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=POSTERIOR)
        return PopulationDraws(mu=self.unit * mu, tau=self.unit * tau, nu=nu)

    def draw_units(self, drawn: PopulationDraws, seed: int) -> FloatArray:
        """Draw the difference of each unit, shrunk towards the others, (units, draws), given draws of the population.

        The density of theta_i given mu and tau is taken at nodes that are dense around the estimate and around mu, each
        weighted by the inverse of both densities of nodes together: where the two lie far apart, one set sees what the
        other misses.
        """
        units = self.units.scaled(self.unit)
        mu, tau = drawn.mu / self.unit, drawn.tau / self.unit
        shares = generator(seed, UNITS).random((len(units), mu.size, 3)).T
        found = np.empty((len(units), mu.size))
        for unit in range(len(units)):
            for start in range(0, mu.size, _TOGETHER):
                part = slice(start, start + _TOGETHER)
                given = units.estimates[unit], units.errors[unit], units.df[unit]
                found[unit, part] = _draw_unit(given, (mu[part], tau[part], drawn.nu[part]), shares[:, part, unit])
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
        grid = _find(scaled, prior, unit, shape)
        fitted = Population(units=units, prior=prior, grid=grid, unit=unit)
        if fitted.grid_error(Interval(-unit, unit)) <= WORST_GRID_ERROR:
            break
        v, log_tau, log_nu = (2 * round(_FINER * n / 2) + 1 for n in shape)
        shape = v, log_tau, log_nu
    return fitted


def _find(units: Units, prior: PopulationPrior, unit: float, shape: Shape) -> _Grid:
    """Return the grid where the density is: coarse grids first, each placed by the one before."""
    least, most = float(units.errors.min()), max(float(units.errors.max()), float(np.ptp(units.estimates)))
    top = min(math.log(most) + _REACH[1], math.log(prior.tau_limit / unit))
    ends = [(-_WIDE, _WIDE), (math.log(least) - _REACH[0], top), _LOG_NU]
    place, n_axes = _placed_by_hand(units), 2 if prior.form == "normal" else 3
    for _ in range(_PASSES):
        grid = _evaluated(units, prior, unit, _axes(ends, _COARSE, prior.form), place)
        seen = [_seen(axis, grid.weights, number) for number, axis in enumerate(grid.axes)]
        if all(new[1] - new[0] >= _SETTLED * (old[1] - old[0]) for new, old in zip(seen[1:n_axes], ends[1:n_axes])):
            break
        ends, place = [ends[0], *seen[1:]], _placed_by(grid)
    return _evaluated(units, prior, unit, _axes(seen, shape, prior.form), place)


def _axes(ends: list[tuple[float, float]], shape: Shape, form: Form) -> tuple[FloatArray, FloatArray, FloatArray]:
    v, log_tau = (np.linspace(*ends[number], shape[number]) for number in range(2))
    return v, log_tau, np.linspace(*ends[2], shape[2]) if form == "student" else np.array([math.inf])


def _seen(axis: FloatArray, weights: FloatArray, number: int) -> tuple[float, float]:
    """Return the ends of the part of an axis where the density is not negligible, with a node more on either side."""
    others = tuple(other for other in range(weights.ndim) if other != number)
    marginal = weights.sum(axis=others)
    at = np.flatnonzero(marginal > _NEGLIGIBLE * marginal.max())
    return float(axis[max(at[0] - 1, 0)]), float(axis[min(at[-1] + 1, axis.size - 1)])


def _evaluated(
    units: Units, prior: PopulationPrior, unit: float, axes: tuple[FloatArray, FloatArray, FloatArray], place: Place
) -> _Grid:
    """Return a grid with its log densities, measured along v, log tau and log(nu - 1)."""
    v, log_tau, log_nu = axes
    tau, nu = np.exp(log_tau), 1 + np.exp(log_nu)
    centre, width = place(log_tau)
    mu = centre + width * np.sinh(v)[:, None]
    likelihood = np.empty((v.size, tau.size, nu.size))
    unit_nodes = _Nodes.of(units)
    for column in range(tau.size):
        for layer in range(nu.size):
            likelihood[:, column, layer] = unit_nodes.log_likelihood(mu[:, column], tau[column], nu[layer])
    measure = np.log(width) + np.log(np.cosh(v))[:, None] + log_tau + prior.of_tau(tau, units.errors, unit)
    density = likelihood + measure[:, :, None]
    if prior.form == "student":
        density += prior.of_nu(nu - 1) + log_nu
    limit = prior.mu_limit / unit
    return _Grid(v=v, log_tau=log_tau, log_nu=log_nu, place=place, log_density=density, mu_limit=limit)


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Quantiles of the units and their densities there."""

    units: Units
    theta: FloatArray  # (q, nodes)
    density: FloatArray
    log_constant: FloatArray  # (q,)

    @classmethod
    def of(cls, units: Units) -> _Nodes:
        z = _t_quantiles(units.df[:, None], _legendre(_NODES)[0])
        constant = _log_constant(units.df)
        density = _t_density(z, units.df[:, None], constant[:, None]) / units.errors[:, None]
        return cls(units, units.estimates[:, None] + units.errors[:, None] * z, density, constant)

    def log_likelihood(self, mu: FloatArray, tau: float, nu: float) -> FloatArray:
        """Return the log likelihood of all units together at values of mu."""
        units = self.units
        if math.isinf(nu) and np.isinf(units.df).all():
            scale = np.hypot(units.errors, tau)
            z = (units.estimates - mu[:, None]) / scale
            return np.asarray(-(z**2 / 2 + np.log(scale)).sum(axis=1))
        constant = float(_log_constant(np.array(nu)))
        shares, weights = _legendre(_NODES)
        z = _t_quantiles(np.array(nu), shares)
        common = _t_density((self.theta - mu[:, None, None]) / tau, nu, constant) / tau
        of_units = _overlap(self.density, common) @ weights
        theta = (mu[:, None] + tau * z)[:, None, :]
        errors, df = units.errors[:, None], units.df[:, None]
        own = _t_density((theta - units.estimates[:, None]) / errors, df, self.log_constant[:, None]) / errors
        of_population = _overlap(own, _t_density(z, nu, constant) / tau) @ weights
        return np.asarray(np.log(of_units + of_population).sum(axis=1))


def _overlap(f: FloatArray, g: FloatArray) -> FloatArray:
    """Return f g/(f + g), 0 where both vanish."""
    return np.asarray(f * (g / np.maximum(f + g, _TINY)))


def _placed_by_hand(units: Units) -> Place:
    """Return centre and width of mu given tau, as a t distribution of few degrees of freedom would have them."""

    def place(log_tau: FloatArray) -> tuple[FloatArray, FloatArray]:
        variances = units.errors**2 + np.exp(2 * log_tau)[:, None]
        centre = np.full(log_tau.size, np.median(units.estimates))
        for _ in range(_ROBUST_STEPS):
            distance = (units.estimates - centre[:, None]) ** 2 / variances
            weights = (_ROBUST_DF + 1) / (_ROBUST_DF + distance) / variances
            centre = (weights * units.estimates).sum(axis=1) / weights.sum(axis=1)
        return centre, 1 / np.sqrt(weights.sum(axis=1))

    return place


def _placed_by(grid: _Grid) -> Place:
    """Return centre and width of mu given tau by the moments that a grid has, between its nodes by splines."""
    weights = grid.log_density - grid.log_density.max(axis=(0, 2), keepdims=True)
    weights = np.exp(weights).sum(axis=2)
    weights /= weights.sum(axis=0)
    centre = (weights * grid.mu).sum(axis=0)
    log_width = np.log((weights * (grid.mu - centre) ** 2).sum(axis=0)) / 2
    spline = interpolate.make_interp_spline(grid.log_tau, np.stack([centre, log_width]), k=3, axis=1)

    def place(log_tau: FloatArray) -> tuple[FloatArray, FloatArray]:
        centre, log_width = spline(log_tau)
        return centre, np.exp(log_width)

    return place


def _next(mu: FloatArray, tau: FloatArray, nu: FloatArray, rope: Interval) -> FloatArray:
    """Return the probabilities that a unit lies below, inside and above, (3, n), each with its own population."""
    below = _t_below((rope.low - mu) / tau, nu)
    above = _t_below((mu - rope.high) / tau, nu)
    return np.stack([below, np.maximum(1 - below - above, 0.0), above])


def _draw_unit(
    given: tuple[float, float, float], population: tuple[FloatArray, FloatArray, FloatArray], shares: FloatArray
) -> FloatArray:
    """Draw theta of one unit, once for each draw of its population, by three random shares each."""
    (estimate, error, df), (mu, tau, nu) = given, population
    v = np.linspace(-_UNIT_REACH, _UNIT_REACH, _UNIT_STEPS)[:, None]
    theta = np.concatenate(
        [estimate + _UNIT_CORE * error * np.sinh(v) + 0 * mu, mu + _UNIT_CORE * tau * np.sinh(v)]
    )
    log_density = _log_kernel((theta - estimate) / error, df) + _log_kernel((theta - mu) / tau, nu)
    nodes = 1 / np.hypot(_UNIT_CORE * error, theta - estimate) + 1 / np.hypot(_UNIT_CORE * tau, theta - mu)
    masses = np.exp(log_density - log_density.max(axis=0)) / nodes
    ends = np.cumsum(masses, axis=0)
    at = (ends < shares[0] * ends[-1]).sum(axis=0)
    around_unit = at < _UNIT_STEPS
    moved = v[at % _UNIT_STEPS, 0] + (v[1, 0] - v[0, 0]) * (shares[1] - shares[2])
    spread = np.sinh(moved) * _UNIT_CORE
    return np.where(around_unit, estimate + error * spread, mu + tau * spread)


def _legendre(n: int) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


def _log_constant(df: FloatArray) -> FloatArray:
    """Return the log of a t density at 0, of a normal one for infinite degrees of freedom."""
    finite = np.where(np.isinf(df), 1.0, df)
    logs = special.gammaln((finite + 1) / 2) - special.gammaln(finite / 2) - np.log(finite * math.pi) / 2
    return np.where(np.isinf(df), -math.log(2 * math.pi) / 2, logs)


def _log_kernel(z: FloatArray, df: FloatArray | float) -> FloatArray:
    """Return the log of a t density over that at 0."""
    if np.all(np.isinf(df)):
        return np.asarray(-(z**2) / 2)
    return np.asarray(-(np.asarray(df) + 1) / 2 * np.log1p(z**2 / df))


def _t_density(z: FloatArray, df: FloatArray | float, log_constant: FloatArray | float) -> FloatArray:
    return np.asarray(np.exp(_log_kernel(z, df) + log_constant))


def _t_quantiles(df: FloatArray, shares: FloatArray) -> FloatArray:
    if np.all(np.isinf(df)):
        return np.asarray(np.broadcast_to(special.ndtri(shares), np.broadcast_shapes(np.shape(df), shares.shape)))
    return np.asarray(special.stdtrit(df, shares))


def _t_below(z: FloatArray, df: FloatArray) -> FloatArray:
    return np.asarray(special.ndtr(z) if np.all(np.isinf(df)) else special.stdtr(df, z))


def _quantile(axis: FloatArray, weights: FloatArray, share: float) -> float:
    """Return where the weights of nodes up to there, half of its own among them, are a share."""
    if axis.size == 1:
        return float(axis[0])
    return float(np.interp(share, (np.cumsum(weights) - weights / 2) / weights.sum(), axis))


def _by(rope: Interval, unit: float) -> Interval:
    return Interval(rope.low / unit, rope.high / unit)
