"""Known densities, whatever form they come in, and where the best decision changes along a line.

Everything is done with logarithms of prior × density, so that decisions far out in the tails are right too. Subtracting
the smallest cost of a row changes no decision; what is compared are these regrets, which are never negative.
"""

from __future__ import annotations

import contextlib
import math
import struct
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.writing import reason
from ropewalk.typing import FloatArray, IntArray

LogDensities = Callable[[FloatArray], FloatArray]
"""Points in, log(prior × density) out, one row per class; −inf where there is none."""

_EPS: Final = float(np.finfo(np.float64).eps)
_TIED_SHARE: Final = 1e-10  # decisions whose regrets differ by less than this share are tied
_MAX_LOG_DENSITY: Final = 1e13  # beyond such log densities their differences are rounding errors
_STEPS_PER_GAP: Final = 4  # points between two quantiles
_POINTS_PER_STRETCH: Final = 65  # points across a stretch between ends of supports, however short
_POINTS_PER_SUPPORT: Final = 4001  # points across the support of densities that are plain functions
_DOUBLINGS: Final = 60
_SECTIONS_PER_STEP: Final = 32
_MIN_FLOAT: Final = 1e-290  # smaller numbers have fewer digits, and logarithms of densities go astray
_MIN_LOG_DENSITY: Final = -600.0
_TAIL_LEVELS: Final = np.concatenate([10.0 ** -np.arange(300.0, 20.0, -2.0), 10.0 ** -np.arange(20.0, 3.0, -0.25)])
_MIDDLE_LEVELS: Final = np.linspace(0.001, 0.999, 333)
_PANELS_PER_PIECE: Final = 9
_MAX_MASS_ERROR: Final = 1e-6  # how far from 1 the integral of a density may be

Piece = tuple[float, float, int]
_MAX_ROUNDING_OF_MASS: Final = 1e-12

Kind = Literal["frozen", "function", "many"]

FORMS: Final = (
    "give frozen distributions of scipy.stats such as norm(-1, 0.5), functions of a number with support=(low, high), "
    "or for more dimensions objects with pdf and rvs such as multivariate_normal(mean, cov)."
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What decides: densities weighted by their priors, and the costs of truth (rows) and decision (columns).

    `used` are the classes whose prior is not 0.
    """

    logs: LogDensities
    cost: FloatArray
    used: IntArray

    def weigh(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the posteriors (classes, points), NaN where there is no density, and the largest logarithms."""
        logs = self.logs(x)
        most = logs.max(axis=0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
            # an infinite density beats every finite one, and shares with its like
            weights = np.where(np.isposinf(most), np.isposinf(logs), np.exp(logs - most))
            posterior: FloatArray = weights / weights.sum(axis=0)
        return np.where(np.isneginf(most), np.nan, posterior), most

    def regrets(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the expected regret of every decision (decisions, points), and what part of it may be rounding."""
        posterior, most = self.weigh(x)
        regret = self.cost - self.cost.min(axis=1, keepdims=True)
        blurred = np.where(np.isfinite(most), np.abs(most), 0.0)
        return np.einsum("yd,yn->dn", regret, posterior), _TIED_SHARE + 8 * _EPS * blurred


def find_pieces(problem: Problem, breaks: Sequence[float], points: FloatArray) -> list[Piece]:
    """Return the stretches (low, high, decision) from the first of `breaks` to the last.

    `breaks` are the ends of supports, where a density may jump; `points` are looked at, and must lie so close that
    no decision begins and ends between two of them. Of tied decisions the one to the left stays.
    """
    x = _grid(breaks, points)
    regrets, slack = problem.regrets(x)
    logs = problem.logs(x)
    most = logs.max(axis=0)
    # Some distributions of scipy.stats take the logarithm of a density that has become 0: there nothing is known.
    lost = np.isneginf(logs[problem.used]).any(axis=0) & (most < _MIN_LOG_DENSITY)
    seen = ~np.isnan(regrets[0]) & ~lost & (~(np.abs(most) > _MAX_LOG_DENSITY) | np.isposinf(most))
    if not seen.any():
        raise DataError("No density is above 0 anywhere.", hint="do the densities and `support` belong together?")
    x, regrets, slack = x[seen], regrets[:, seen], slack[seen]
    current, cuts = -1, []
    for i in range(x.size):
        best = float(regrets[:, i].min())
        if current >= 0 and _tied(float(regrets[current, i]), best, float(slack[i])):
            continue
        following = _first_best(regrets[:, i], float(slack[i]))
        if current >= 0:
            cuts += _cuts(problem, (float(x[i - 1]), float(x[i])), (current, following), breaks)
        else:
            cuts.append((breaks[0], following))
        current = following
    scale = float(np.median(np.abs(points)))
    cuts = [cuts[0], *((_tidy(cut, scale), decision) for cut, decision in cuts[1:])]
    ends = [cut for cut, _ in cuts[1:]] + [breaks[-1]]
    return [(start, end, decision) for (start, decision), end in zip(cuts, ends, strict=True) if end > start]


def _tidy(cut: float, scale: float) -> float:
    """Return a short number instead, where the difference is that of rounding: 0.5 for 0.49999999999999994."""
    if not (0 < scale < math.inf):
        return cut
    short = round(cut, 12 - math.floor(math.log10(scale))) + 0.0
    return short if abs(short - cut) <= 4 * _EPS * scale else cut


def _tied(regret: float, best: float, slack: float) -> bool:
    return regret - best <= slack * (regret + best)


def _first_best(regrets: FloatArray, slack: float) -> int:
    best = float(regrets.min())
    return next(d for d, regret in enumerate(regrets.tolist()) if _tied(regret, best, slack))


def _cuts(
    problem: Problem, ends: tuple[float, float], change: tuple[int, int], breaks: Sequence[float]
) -> list[tuple[float, int]]:
    """Return where one decision becomes another between the two `ends`, with what comes between."""
    (low, high), (left, right) = ends, change
    inside = [end for end in breaks if low < end < high]
    if inside:  # a jump, or a stretch without any density: then halfway
        return [((inside[0] + inside[-1]) / 2, right)]

    def gain(x: FloatArray) -> FloatArray:
        regrets, _ = problem.regrets(x)
        return np.asarray(np.nan_to_num(regrets[left] - regrets[right]))  # NaN where all densities underflow

    if gain(np.array([low]))[0] >= 0:
        return [(low, right)]
    cut = _first_float(gain, low, high)
    regrets, slack = problem.regrets(np.array([cut]))
    if np.isnan(regrets).any():
        return [(cut, right)]
    between = _first_best(regrets[:, 0], float(slack[0]))
    if between in {left, right} or _tied(float(regrets[left, 0]), float(regrets[:, 0].min()), float(slack[0])):
        return [(cut, right)]
    before = _cuts(problem, (low, cut), (left, between), breaks)
    return [*before, *_cuts(problem, (cut, high), (between, right), breaks)]


def _first_float(gain: Callable[[FloatArray], FloatArray], low: float, high: float) -> float:
    """Return the first number after `low` where `gain` is no longer negative, to the last bit.

    The search halves the numbers that floats can be, not the distance: it ends after a few steps however far apart the
    ends are.
    """
    start, stop = _place(low), _place(high)
    while stop - start > 1:
        step = max((stop - start) // _SECTIONS_PER_STEP, 1)
        places = list(range(start + step, stop, step))[:_SECTIONS_PER_STEP]
        fine = np.flatnonzero(gain(np.array([_at(place) for place in places])) >= 0)
        if fine.size:
            first = int(fine[0])
            start, stop = (places[first - 1] if first else start), places[first]
        else:
            start = places[-1]
    return _at(stop)


def _place(x: float) -> int:
    """Return where a float stands among all floats, 0 being in the middle."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _at(place: int) -> float:
    value: float = struct.unpack("<d", struct.pack("<q", abs(place)))[0]
    return value if place >= 0 else -value


def _grid(breaks: Sequence[float], points: FloatArray) -> FloatArray:
    """Return all points to look at: `points`, some between them, and both sides of every break."""
    known = np.unique(np.concatenate([points, [end for end in breaks if np.isfinite(end)]]))
    steps = np.arange(_STEPS_PER_GAP) / _STEPS_PER_GAP
    filled = [(known[:-1, np.newaxis] * (1 - steps) + known[1:, np.newaxis] * steps).reshape(-1), known]
    ends = np.array([end for end in breaks if np.isfinite(end)])
    for low, high in pairwise(breaks):
        if np.isfinite(low) and np.isfinite(high):
            filled.append(np.linspace(low, high, _POINTS_PER_STRETCH))
    span = float(np.ptp(known)) or 1.0
    # Beyond the last quantile a prior or a cost may still turn the scale.
    reach = span * 2.0 ** np.arange(-6, _DOUBLINGS)
    with np.errstate(over="ignore"):
        filled += [known[0] - reach, known[-1] + reach]
    beside = np.maximum(4 * _EPS * np.abs(ends), _MIN_FLOAT)
    filled += [ends - beside, ends + beside]
    x = np.unique(np.concatenate(filled))
    return np.asarray(x[np.isfinite(x) & ~np.isin(x, ends) & (x > breaks[0]) & (x < breaks[-1])])


def spread_points(low: float, high: float) -> FloatArray:
    """Return points all over a support, be it infinite: (−1, 1) is mapped onto it."""
    t = np.linspace(-1, 1, _POINTS_PER_SUPPORT + 2)[1:-1]
    if np.isfinite(low) and np.isfinite(high):
        x = low + (high - low) * (t + 1) / 2
    elif np.isfinite(low):
        x = low + (1 + t) / (1 - t)
    elif np.isfinite(high):
        x = high - (1 - t) / (1 + t)
    else:
        x = t / (1 - t**2)
    return np.asarray(x[np.isfinite(x)])


def masses(density: Callable[[float], float], pieces: Sequence[Piece], points: FloatArray, name: str) -> FloatArray:
    """Return the mass of a density in every piece, by quadrature; it must be 1 in all."""
    from scipy import integrate

    low, high = pieces[0][0], pieces[-1][1]
    heights = np.array([density(x) for x in points.tolist()])
    # Quadrature overlooks a narrow peak in the middle of a wide stretch, not one at its end.
    marks = [
        float(points[heights.argmax()]),
        *np.quantile(points, np.linspace(0, 1, _PANELS_PER_PIECE + 1)[1:-1]).tolist(),
    ]
    sums = []
    for start, end, _ in pieces:
        stops = [start, *sorted({m for m in marks if start < m < end}), end]
        parts = [
            integrate.quad(density, a, b, epsabs=1e-13, epsrel=1e-11, limit=200, full_output=1)[0]
            for a, b in pairwise(stops)
        ]
        sums.append(sum(parts))
    total = float(sum(sums))
    if not abs(total - 1) <= _MAX_MASS_ERROR:
        raise DataError(
            f"{name} integrates to {total:.6g} over [{low:g}, {high:g}], and a density must to 1.",
            hint="give the support that holds all of it, and no more, as support=(low, high).",
        )
    return np.array(sums) / total


def decide_at(problem: Problem, x: FloatArray) -> IntArray:
    """Return the best decision at each point, the first of a tie, −1 where there is no density."""
    regrets, _ = problem.regrets(x)
    missing = np.isnan(regrets[0])
    return np.where(missing, -1, np.where(missing, 0.0, regrets).argmin(axis=0))


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


def log_densities(densities: Sequence[Any], priors: FloatArray, ends: tuple[float, float]) -> LogDensities:
    """Return the function of points that gives log(prior × density), one row per class."""

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
                        f"Density {i} failed: {reason(error)}",
                        hint="do all densities have the same dimension?",
                    ) from error
        if x.ndim == 1:
            rows[:, (x < ends[0]) | (x > ends[1])] = -np.inf
        return rows

    return logs


def _log_density(density: Any, x: FloatArray) -> FloatArray:
    if hasattr(density, "logpdf"):
        logs = np.asarray(density.logpdf(x), dtype=np.float64)
    elif hasattr(density, "pdf"):
        logs = np.log(np.asarray(density.pdf(x), dtype=np.float64))
    else:
        logs = np.log(_heights(density, x))
    if logs.size == 1 == len(x):  # some squeeze a single point
        logs = logs.reshape(1)
    if logs.shape != (len(x),):
        raise DataError(
            f"A density must give one number per point; got shape {logs.shape} for {len(x):,} points.", hint=FORMS
        )
    return np.where(np.isnan(logs), -np.inf, logs)


def _heights(function: Callable[[Any], Any], x: FloatArray) -> FloatArray:
    """Return a function's values, all at once where it takes arrays."""
    heights = np.zeros(0)
    if x.size > 1:  # NumPy lets a function of one number take an array of one, and warns
        with contextlib.suppress(TypeError, ValueError):
            heights = np.asarray(function(x), dtype=np.float64)
    if heights.shape != x.shape:
        heights = np.array([float(np.asarray(function(value), dtype=np.float64).reshape(())) for value in x.tolist()])
    if np.isnan(heights).any() or (heights < 0).any():
        place = float(x[np.isnan(heights) | (heights < 0)][0])
        raise DataError(
            f"A density must be a number of at least 0; it is not at {place:g}.",
            hint="is it a log density? Then exponentiate it.",
        )
    return heights


def frozen_axis(distributions: Sequence[Any]) -> tuple[list[float], FloatArray]:
    """Return the ends of all supports, and points where the mass lies, far out into both tails."""
    breaks: set[float] = set()
    points = []
    for distribution in distributions:
        ends = np.asarray(distribution.support(), dtype=np.float64)
        if ends.shape != (2,):
            raise InvalidInputError("A class has one distribution, not an array of them.", hint=FORMS)
        quantile = getattr(distribution, "ppf", None) or distribution.icdf
        upper = getattr(distribution, "isf", None) or distribution.iccdf
        where = np.concatenate([quantile(_TAIL_LEVELS), quantile(_MIDDLE_LEVELS), upper(_TAIL_LEVELS)])
        where = where[np.isfinite(where)]
        if np.isnan(ends).any() or not where.size:
            raise DataError("A distribution has parameters out of range.", hint="scales must be above 0.")
        breaks |= set(ends.tolist())
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


def piece_masses(density: Any, pieces: Sequence[Piece], points: FloatArray, name: str, *, exact: bool) -> FloatArray:
    """Return the mass of a density in every piece: `exact` by its own functions, unless they contradict themselves."""
    if exact:
        shares = np.array([mass_between(density, low, high) for low, high, _ in pieces])
        if abs(float(shares.sum()) - 1) <= _MAX_ROUNDING_OF_MASS:
            return shares
    if hasattr(density, "pdf") and hasattr(density, "cdf"):
        return masses(lambda x: float(density.pdf(x)), pieces, points, name)
    return masses(lambda x: float(_heights(density, np.array([x]))[0]), pieces, points, name)
