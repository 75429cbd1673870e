"""Known densities, whatever form they come in: frozen distributions, functions, or objects that draw."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

import numpy as np

from ropewalk._checks import is_real
from ropewalk.analysis._boundaries import LogDensities, Piece, Problem, masses, quantile_points
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.names import brief
from ropewalk.typing import FloatArray

Kind = Literal["frozen", "function", "many"]

FORMS: Final = (
    "give frozen distributions of scipy.stats such as norm(-1, 0.5), functions of a number with support=(low, high), "
    "or for more dimensions objects with pdf and rvs such as multivariate_normal(mean, cov)."
)
_ENDS: Final = 2
_WHOLE: Final = 1e-12


@contextmanager
def quiet() -> Iterator[None]:
    """Silence what overflows and underflows in the tails: NumPy's way, and that of scipy's compiled functions."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def kind_of_density(density: Any) -> Kind:
    """Return what can be done with a density: "frozen" has quantiles, "many" draws, a "function" is integrated."""
    from scipy import stats

    if isinstance(density, stats.rv_histogram):
        return "frozen"
    if isinstance(density, stats.rv_continuous | stats.rv_discrete | type):
        raise InvalidInputError("A density needs its parameters.", hint="write norm(-1, 0.5), not norm.")
    discrete = any(base.__name__ == "DiscreteDistribution" for base in type(density).__mro__)
    if discrete or (hasattr(density, "pmf") and not hasattr(density, "pdf")):
        raise InvalidInputError(
            "A discrete distribution has no density.", hint="list Pr(x, label) and use bayes_error_table."
        )
    if hasattr(density, "pdf") and hasattr(density, "cdf") and (hasattr(density, "ppf") or hasattr(density, "icdf")):
        return "frozen"
    if hasattr(density, "pdf") and hasattr(density, "rvs"):
        return "many"
    if callable(density):
        return "function"
    raise InvalidInputError(f"A density cannot be a {type(density).__name__}.", hint=FORMS)


def check_support(support: Any, *, needed: bool) -> tuple[float, float]:
    """Return the two ends of the support of functions, or all numbers where there are none."""
    if not needed:
        if support is not None:
            raise InvalidInputError("`support` is for functions; distributions know theirs.", hint="leave it out.")
        return -math.inf, math.inf
    if support is None:
        raise InvalidInputError("Functions need a `support` to be integrated over.", hint="such as support=(0, 1).")
    ends = list(support) if isinstance(support, Sequence | np.ndarray) and not isinstance(support, str) else []
    if len(ends) != _ENDS or not all(map(is_real, ends)) or not ends[0] < ends[1]:
        raise InvalidInputError(
            f"`support` must be two numbers, the lower first; got {support!r:.60}.", hint="they may be infinite."
        )
    return float(ends[0]), float(ends[1])


def log_densities(densities: Sequence[Any], priors: FloatArray, ends: tuple[float, float]) -> LogDensities:
    """Return the function of points that gives log(prior × density), one row a class."""

    def logs(x: FloatArray) -> FloatArray:
        rows = np.full((len(densities), len(x)), -np.inf)
        with quiet():
            for i, density in enumerate(densities):
                if priors[i] <= 0:
                    continue
                try:
                    rows[i] = _log_density(density, x) + math.log(priors[i])
                except (TypeError, ValueError, ArithmeticError) as error:
                    if isinstance(error, DataError):
                        raise
                    raise DataError(
                        f"Density {i} failed: {brief(str(error), 200)}",
                        hint="do all densities have the same dimension?",
                    ) from error
        if x.ndim == 1:
            rows[:, (x < ends[0]) | (x > ends[1])] = -np.inf
        return rows

    return logs


def _log_density(density: Any, x: FloatArray) -> FloatArray:
    if hasattr(density, "logpdf"):
        found = np.asarray(density.logpdf(x), dtype=np.float64)
    elif hasattr(density, "pdf"):
        found = np.log(np.asarray(density.pdf(x), dtype=np.float64))
    else:
        found = np.log(_heights(density, x))
    if found.size == 1 == len(x):  # some squeeze a single point
        found = found.reshape(1)
    if found.shape != (len(x),):
        raise DataError(
            f"A density must give one number a point; got shape {found.shape} for {len(x):,} points.", hint=FORMS
        )
    return np.where(np.isnan(found), -np.inf, found)


def _heights(function: Callable[[Any], Any], x: FloatArray) -> FloatArray:
    """Return a function's values, all at once where it takes arrays."""
    found = np.zeros(0)
    if x.size > 1:  # NumPy lets a function of one number take an array of one, and warns
        with contextlib.suppress(TypeError, ValueError):
            found = np.asarray(function(x), dtype=np.float64)
    if found.shape != x.shape:
        found = np.array([float(np.asarray(function(value), dtype=np.float64).reshape(())) for value in x.tolist()])
    if np.isnan(found).any() or (found < 0).any():
        place = float(x[np.isnan(found) | (found < 0)][0])
        raise DataError(f"A density must be a number of at least 0; it is not at {place:g}.")
    return found


def as_function(density: Any) -> Callable[[float], float]:
    """Return a density as a function of one number, for quadrature."""
    if hasattr(density, "pdf") and hasattr(density, "cdf"):
        return lambda x: float(density.pdf(x))
    return lambda x: float(_heights(density, np.array([x]))[0])


def frozen_axis(distributions: Sequence[Any]) -> tuple[list[float], FloatArray]:
    """Return the ends of all supports, and points where the mass lies."""
    breaks: set[float] = set()
    points = []
    for distribution in distributions:
        found = np.asarray(distribution.support(), dtype=np.float64)
        if found.shape != (_ENDS,):
            raise InvalidInputError("A class has one distribution, not an array of them.", hint=FORMS)
        quantile = getattr(distribution, "ppf", None) or distribution.icdf
        upper = getattr(distribution, "isf", None) or distribution.iccdf
        where = quantile_points(quantile, upper)
        if np.isnan(found).any() or not where.size:
            raise DataError("A distribution has parameters out of range.", hint="scales must be above 0.")
        breaks |= set(found.tolist())
        points.append(where)
    return sorted(breaks), np.concatenate(points)


def mass_between(distribution: Any, low: float, high: float) -> float:
    """Return the mass between two points, without loss of digits in either tail."""
    above = getattr(distribution, "sf", None) or distribution.ccdf
    below_low, above_high = float(distribution.cdf(low)), float(above(high))
    if below_low > 0.5:  # noqa: PLR2004
        return max(float(above(low)) - above_high, 0.0)
    if above_high > 0.5:  # noqa: PLR2004
        return max(float(distribution.cdf(high)) - below_low, 0.0)
    return max(1 - below_low - above_high, 0.0)


def piece_masses(distribution: Any, pieces: Sequence[Piece], points: FloatArray, name: str) -> FloatArray:
    """Return the mass of a distribution in every piece, by quadrature where its own functions contradict themselves."""
    found = np.array([mass_between(distribution, low, high) for low, high, _ in pieces])
    whole = abs(float(found.sum()) - 1) <= _WHOLE
    return found if whole else masses(as_function(distribution), pieces, points, name)


def risk_by_draws(
    densities: Sequence[Any], priors: FloatArray, problem: Problem, draws: int, seed: int
) -> tuple[float, float]:
    """Return the risk and its standard error: the mean of the smallest expected cost, class by class.

    Given x the expected cost is known, so only x is drawn; the classes get equal shares of the draws.
    """
    used = [i for i, share in enumerate(priors) if share > 0]
    n = max(draws // len(used), 2)
    risk, variance = 0.0, 0.0
    for i, stream in zip(used, np.random.SeedSequence(seed).spawn(len(used)), strict=True):
        x = np.asarray(densities[i].rvs(size=n, random_state=np.random.default_rng(stream)), dtype=np.float64)
        posterior, _ = problem.weigh(x.reshape(n, -1))
        costs = np.einsum("yd,yn->dn", problem.cost, posterior).min(axis=0)
        if np.isnan(costs).any():
            raise DataError(f"Density {i} draws points where it is 0 itself.", hint="do its pdf and rvs agree?")
        risk += priors[i] * float(costs.mean())
        variance += priors[i] ** 2 * float(costs.var(ddof=1)) / n
    return risk, math.sqrt(variance)
