"""The posterior of a population's centre mu, spread tau and degrees of freedom nu, on a grid that finds its place.

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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import interpolate

from ropewalk.draws.intervals import Interval, Regions
from ropewalk.draws.t_density import legendre, log_constant, t_below, t_density, t_quantiles
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from ropewalk.models.population import PopulationPrior, Units

Shape = tuple[int, int, int]
Place = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_NODES: Final = 24
_COARSE: Final = (21, 21, 11)  # points of v, log tau, log(nu - 1)
_REFINED: Final = (4, 3, 2)
_PASSES: Final = 6
_SETTLED: Final = 0.7
_NEGLIGIBLE: Final = 1e-8
_REACH: Final = (10.0, 18.0)  # of log tau at first, beyond the smallest and the largest scale of the data
_WIDE: Final = 5.0  # of v at first
_LOG_NU: Final = (-9.0, 7.5)
_ROBUST_STEPS: Final = 30
_ROBUST_DF: Final = 4.0
_TINY: Final = 1e-300


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """Log densities at nodes of v, log tau and log(nu - 1), and where mu is for a node."""

    v: FloatArray
    log_tau: FloatArray
    log_nu: FloatArray  # one infinite node for a normal population
    place: Place
    log_density: FloatArray
    mu_limit: float

    @property
    def axes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The nodes along each axis."""
        return self.v, self.log_tau, self.log_nu

    @cached_property
    def mu(self) -> FloatArray:
        """The values of mu at the nodes, (v, tau)."""
        centre, width = self.place(self.log_tau)
        return np.asarray(centre + width * np.sinh(self.v)[:, None])

    @cached_property
    def weights(self) -> FloatArray:
        """What the nodes weigh, (v, tau, nu); they sum to 1. Cells end where tau does, and mu."""
        weights: FloatArray = np.exp(self.log_density - self.log_density.max())
        weights[:, [0, -1]] /= 2
        if math.isfinite(self.mu_limit):
            weights *= self._inside[:, :, None]
        return np.asarray(weights / weights.sum())

    @property
    def _inside(self) -> FloatArray:
        """Which part of a cell of mu lies within its limit."""
        centre, width = self.place(self.log_tau)
        half = (self.v[1] - self.v[0]) / 2
        low, high = (centre + width * np.sinh(self.v + side)[:, None] for side in (-half, half))
        within = np.minimum(high, self.mu_limit) - np.maximum(low, -self.mu_limit)
        return np.asarray(np.clip(within / (high - low), 0, 1))

    @cached_property
    def cells(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Weight, mu, tau and nu of the nodes that weigh something, flat."""
        at = np.nonzero(self.weights > _NEGLIGIBLE * self.weights.max())
        return self.weights[at], self.mu[at[:2]], np.exp(self.log_tau[at[1]]), 1 + np.exp(self.log_nu[at[2]])

    def next(self, rope: Interval) -> Regions:
        """Return the probabilities that the next unit lies below, inside and above."""
        weights, mu, tau, nu = self.cells
        below, inside, above = (shares_of_next(mu, tau, nu, rope) * weights).sum(axis=1) / weights.sum()
        return Regions(float(below), float(inside), float(above))

    def halved(self) -> Grid:
        """Return every other node: what a grid of half as many would have said."""
        half = slice(None, None, 2)
        v, log_tau, log_nu = (axis[half] for axis in self.axes)
        return replace(self, v=v, log_tau=log_tau, log_nu=log_nu, log_density=self.log_density[half, half, half])

    def refined(self) -> Grid:
        """Return the grid with more nodes, the log density between them by cubic splines."""
        density, axes = self.log_density, []
        for number, (axis, times) in enumerate(zip(self.axes, _REFINED, strict=True)):
            if axis.size > 1:
                fine = np.linspace(axis[0], axis[-1], times * (axis.size - 1) + 1)
                density = interpolate.make_interp_spline(axis, density, k=3, axis=number)(fine)
                axis = fine  # noqa: PLW2901
            axes.append(axis)
        return replace(self, v=axes[0], log_tau=axes[1], log_nu=axes[2], log_density=density)


def find_grid(units: Units, prior: PopulationPrior, unit: float, shape: Shape) -> Grid:
    """Return the grid where the density is: coarse grids first, each placed by the one before."""
    least, most = float(units.errors.min()), max(float(units.errors.max()), float(np.ptp(units.estimates)))
    top = min(math.log(most) + _REACH[1], math.log(prior.tau_limit / unit))
    ends = [(-_WIDE, _WIDE), (min(math.log(least), top) - _REACH[0], top), _LOG_NU]
    place, n_axes = _placed_by_hand(units), 2 if prior.form == "normal" else 3
    for _ in range(_PASSES):
        grid = _evaluated(units, prior, unit, _axes(ends, _COARSE, prior.form), place)
        seen = [_seen(axis, grid.weights, number) for number, axis in enumerate(grid.axes)]
        both = zip(seen[1:n_axes], ends[1:n_axes], strict=True)
        if all(new[1] - new[0] >= _SETTLED * (old[1] - old[0]) for new, old in both):
            break
        ends, place = [ends[0], *seen[1:]], _placed_by(grid)
    return _evaluated(units, prior, unit, _axes(seen, shape, prior.form), place)


def _axes(ends: list[tuple[float, float]], shape: Shape, form: str) -> tuple[FloatArray, FloatArray, FloatArray]:
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
) -> Grid:
    """Return a grid with its log densities, measured along v, log tau and log(nu - 1)."""
    v, log_tau, log_nu = axes
    tau, nu = np.exp(log_tau), 1 + np.exp(log_nu)
    centre, width = place(log_tau)
    mu = centre + width * np.sinh(v)[:, None]
    likelihood = np.empty((v.size, tau.size, nu.size))
    unit_nodes = UnitQuantiles.of(units)
    for column in range(tau.size):
        for layer in range(nu.size):
            likelihood[:, column, layer] = unit_nodes.log_likelihood(mu[:, column], tau[column], nu[layer])
    measure = np.log(width) + np.log(np.cosh(v))[:, None] + log_tau + prior.of_tau(tau, units.errors)
    density = likelihood + measure[:, :, None]
    if prior.form == "student":
        density += prior.of_nu(nu - 1) + log_nu
    limit = prior.mu_limit / unit
    return Grid(v=v, log_tau=log_tau, log_nu=log_nu, place=place, log_density=density, mu_limit=limit)


@dataclass(frozen=True, eq=False)
class UnitQuantiles:
    """Quantiles of the units and their densities there."""

    units: Units
    theta: FloatArray  # (q, nodes)
    density: FloatArray
    log_constant: FloatArray  # (q,)

    @classmethod
    def of(cls, units: Units) -> UnitQuantiles:
        """Return those of some units."""
        z = t_quantiles(units.df[:, None], legendre(_NODES)[0])
        constant = log_constant(units.df)
        density = t_density(z, units.df[:, None], constant[:, None]) / units.errors[:, None]
        return cls(units, units.estimates[:, None] + units.errors[:, None] * z, density, constant)

    def log_likelihood(self, mu: FloatArray, tau: float, nu: float) -> FloatArray:
        """Return the log likelihood of all units together at values of mu."""
        units = self.units
        if math.isinf(nu) and np.isinf(units.df).all():
            scale = np.hypot(units.errors, tau)
            z = (units.estimates - mu[:, None]) / scale
            return np.asarray(-(z**2 / 2 + np.log(scale)).sum(axis=1))
        constant = float(log_constant(np.array(nu)))
        shares, weights = legendre(_NODES)
        z = t_quantiles(np.array(nu), shares)
        common = t_density((self.theta - mu[:, None, None]) / tau, nu, constant) / tau
        of_units = _overlap(self.density, common) @ weights
        theta = (mu[:, None] + tau * z)[:, None, :]
        errors, df = units.errors[:, None], units.df[:, None]
        own = t_density((theta - units.estimates[:, None]) / errors, df, self.log_constant[:, None]) / errors
        of_population = _overlap(own, t_density(z, nu, constant) / tau) @ weights
        return np.asarray(np.log(np.maximum(of_units + of_population, _TINY)).sum(axis=1))


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


def _placed_by(grid: Grid) -> Place:
    """Return centre and width of mu given tau by the moments that a grid has, between its nodes by splines."""
    weights = grid.log_density - grid.log_density.max(axis=(0, 2), keepdims=True)
    weights = np.exp(weights).sum(axis=2)
    weights /= weights.sum(axis=0)
    centre = (weights * grid.mu).sum(axis=0)
    within = (grid.place(grid.log_tau)[1] * (grid.v[1] - grid.v[0])) ** 2 / 12  # all the weight may be in one cell
    log_width = np.log((weights * (grid.mu - centre) ** 2).sum(axis=0) + within) / 2
    spline = interpolate.make_interp_spline(grid.log_tau, np.stack([centre, log_width]), k=3, axis=1)

    def place(log_tau: FloatArray) -> tuple[FloatArray, FloatArray]:
        centre, log_width = spline(log_tau)
        return centre, np.exp(log_width)

    return place


def shares_of_next(mu: FloatArray, tau: FloatArray, nu: FloatArray, rope: Interval) -> FloatArray:
    """Return the probabilities that a unit lies below, inside and above, (3, n), each with its own population."""
    below = t_below((rope.low - mu) / tau, nu)
    above = t_below((mu - rope.high) / tau, nu)
    return np.stack([below, np.maximum(1 - below - above, 0.0), above])


def quantile_of(axis: FloatArray, weights: FloatArray, share: float) -> float:
    """Return where the weights of nodes up to there, half of its own among them, are a share."""
    if axis.size == 1:
        return float(axis[0])
    return float(np.interp(share, (np.cumsum(weights) - weights / 2) / weights.sum(), axis))
