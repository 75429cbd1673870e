"""Find where a simulated probability crosses a target, and spend simulations near there.

Every look at a point x costs simulations and gives a share of successes. The probability is taken to be
Φ(a + b·s(x)) near the answer, with s = √x for numbers of items: exact for a normal estimate, and near enough in a
window around the answer for any smooth curve.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ropewalk.planning.study import BATCH
from ropewalk.typing import FloatArray

_PILOT_SIMULATIONS: Final = 2 * BATCH  # simulations at each step of the way to the neighbourhood of the answer
_SIMULATIONS_AT_BOUND: Final = 20 * BATCH  # simulations that must contradict a bound before the search gives up on it
_STEP_FACTOR: Final = 4.0
_MAX_STEPS: Final = 8  # steps to the bound
_WINDOW_FACTOR: Final = 1.5  # how far beyond the bracket a look still counts, as a factor of s(x)
_NARROW_FACTOR: Final = 1.3  # a bracket of this factor of s(x) is narrow enough for a curve to be fitted
_AMPLE_BUDGET: Final = 1_000
_MAX_SHIFT: Final = 0.1  # how far from the answer to look, as a share of s(x), …
_PROBIT_SHIFT: Final = 0.5  # … or less: where the probit of the probability differs by this
_RARE_SHARE: Final = 0.1
_MAX_HALVINGS: Final = 10
_ROUNDS: Final = 4
_SAME_PLACE: Final = 0.01
_RIDGE_PENALTY: Final = 1e-3
_Z95: Final = 1.959963984540054


@dataclass(slots=True)
class Looks:
    """Successes and simulations at each point looked at."""

    hits: dict[float, int] = field(default_factory=dict)
    trials: dict[float, int] = field(default_factory=dict)

    def add(self, x: float, hits: int, trials: int) -> None:
        """Remember what simulations at x have shown."""
        self.hits[x] = self.hits.get(x, 0) + hits
        self.trials[x] = self.trials.get(x, 0) + trials

    @property
    def spent(self) -> int:
        """How many simulations there were."""
        return sum(self.trials.values())

    def share(self, x: float) -> float:
        """Return the share of successes at x."""
        return self.hits[x] / self.trials[x]


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where the target is reached, with a 95% interval; `x` is None where it is not reached below the bound.

    `steepness` is how fast the probit of the probability rises there, as s(x) rises by its own size.
    """

    x: float | None
    low: float | None = None
    high: float | None = None
    steepness: float = 0.0

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """The whole numbers around the interval; None where nothing is reached."""
        return (None, None) if self.x is None else (math.floor(self.low or 0.0), math.ceil(self.high or 0.0))


Look = Callable[[float, int], tuple[int, int]]
"""Simulate at x so many times; return successes and simulations, fewer where it was stopped."""


def fit_probit(design: FloatArray, hits: FloatArray, trials: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of Φ(design · coefficients) that are most likely, and their covariance."""
    from scipy.optimize import minimize
    from scipy.special import log_ndtr, ndtri

    def surprise(beta: FloatArray) -> tuple[float, FloatArray]:
        eta = design @ beta
        up, down = _hazards(eta)
        slopes = hits * up - (trials - hits) * down
        # A trace of a penalty keeps the coefficients finite where all simulations agree.
        value = -(hits @ log_ndtr(eta) + (trials - hits) @ log_ndtr(-eta)) + _RIDGE_PENALTY * (beta @ beta) / 2
        return float(value), _RIDGE_PENALTY * beta - design.T @ slopes

    start = np.zeros(design.shape[1])
    start[0] = ndtri((hits.sum() + 0.5) / (trials.sum() + 1.0))
    beta: FloatArray = np.asarray(minimize(surprise, start, jac=True, method="BFGS").x, dtype=np.float64)
    up, down = _hazards(design @ beta)
    information = (design.T * (trials * up * down)) @ design + _RIDGE_PENALTY * np.eye(len(beta))
    covariance: FloatArray = np.linalg.inv(information).astype(np.float64)
    return beta, covariance


def _hazards(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return φ(η)/Φ(η) and φ(η)/Φ(−η), which neither tail makes 0/0."""
    from scipy.special import log_ndtr

    log_density = -0.5 * eta**2 - 0.5 * math.log(2 * math.pi)
    return np.exp(log_density - log_ndtr(eta)), np.exp(log_density - log_ndtr(-eta))


def halve(reached: Callable[[float], bool], start: float, stop: float, steps: int) -> float:
    """Return about where between `start` and `stop` something is reached first, by halving."""
    for _ in range(steps):
        middle = (start + stop) / 2
        start, stop = (start, middle) if reached(middle) else (middle, stop)
    return stop


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale on which the probit of the probability is nearly straight."""

    to: Callable[[float], float]
    back: Callable[[float], float]


ROOT: Final = Scale(math.sqrt, lambda s: s * s)
PLAIN: Final = Scale(float, float)


def bracket(looks: Looks, target: float) -> tuple[float, float]:
    """Return the neighbours between which the probability reaches the target, as far as noise lets them tell.

    Shares that fall where they should rise are averaged first (isotonic regression).
    """
    points = sorted(looks.trials)
    blocks: list[list[float]] = []  # successes, simulations and points of runs with one share
    for x in points:
        blocks.append([looks.hits[x], looks.trials[x], 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [sum(pair) for pair in zip(blocks[-1], last, strict=True)]
    below = sum(int(size) for hits, trials, size in blocks if hits < target * trials)
    return points[max(below - 1, 0)], points[min(below, len(points) - 1)]


def crossing(looks: Looks, target: float, scale: Scale) -> Crossing:
    """Return where the probability crosses the target, fitted to the looks at and around the bracket."""
    from scipy.special import ndtri

    low, high = (scale.to(x) for x in bracket(looks, target))
    centre = (low + high) / 2
    points = [x for x in looks.trials if low / _WINDOW_FACTOR <= scale.to(x) <= high * _WINDOW_FACTOR]
    s = np.array([scale.to(x) / centre - 1 for x in points])
    hits, trials = (np.array([kind[x] for x in points], dtype=np.float64) for kind in (looks.hits, looks.trials))
    beta, covariance = fit_probit(np.column_stack([np.ones_like(s), s]), hits, trials)
    slope = float(beta[1])
    if slope <= math.sqrt(float(covariance[1, 1])):  # all but flat: it crosses somewhere among the looks
        return Crossing(scale.back(centre), scale.back(centre * (1 + s.min())), scale.back(centre * (1 + s.max())))
    at = (float(ndtri(target)) - float(beta[0])) / slope
    gradient = np.array([-1.0, -at]) / slope
    error = _Z95 * math.sqrt(float(gradient @ covariance @ gradient))
    # A crossing beyond the looks that it rests on does not count.
    ends = (float(s.min()), float(s.max()))
    places = [min(max(at + shift, ends[0]), ends[1]) for shift in (0.0, -error, error)]
    answer, least, most = (scale.back(centre * (1 + place)) for place in places)
    return Crossing(answer, least, most, slope * (1 + at))


def find(
    look: Look,
    target: float,
    *,
    start: float,
    least: float,
    most: float,
    budget: int,
    scale: Scale,
    whole: bool,
    looks: Looks,
) -> Crossing:
    """Look for the smallest x from `least` to `most` whose probability reaches the target, within a budget.

    A few simulations at points ever further away, then at points between, lead to the neighbourhood of the answer; the
    rest are spent there, around the crossing of the curve fitted so far. If stopped, it returns what is known by then.
    """
    pilot = _PILOT_SIMULATIONS if budget >= _AMPLE_BUDGET else BATCH

    def ask(x: float, simulations: int = pilot) -> float | None:
        """Simulate at x, or next to it; None where there are no simulations left, or they were stopped."""
        place = min(max(float(round(x)) if whole else x, least), most)
        # A place next to one looked at before is that place: its simulations add up.
        near_by = [old for old in looks.trials if abs(old / place - 1) < _SAME_PLACE]
        place = min(near_by, key=lambda old: abs(old - place)) if near_by else place
        hits, trials = look(place, min(simulations, budget - looks.spent)) if looks.spent < budget else (0, 0)
        if trials:
            looks.add(place, hits, trials)
        return place if trials else None

    ended = _lead(ask, looks, target, start, (least, most))
    if ended is not None:
        return ended
    for _ in range(_MAX_HALVINGS):
        low, high = bracket(looks, target)
        apart = looks.share(low) < _RARE_SHARE and looks.share(high) > 1 - _RARE_SHARE
        if not apart and scale.to(high) <= scale.to(low) * _NARROW_FACTOR:
            break
        if ask(scale.back((scale.to(low) + scale.to(high)) / 2)) is None:
            break
    for left in range(_ROUNDS, 0, -1):
        simulations = max((budget - looks.spent) // (2 * left) // BATCH * BATCH, BATCH)
        answer = crossing(looks, target, scale)
        # On both sides of the answer, so that the slope can be told: where it is steep not far from it.
        shift = min(_MAX_SHIFT, _PROBIT_SHIFT / max(answer.steepness, _PROBIT_SHIFT))
        for sign in (-1, 1):
            ask(scale.back(scale.to(answer.x or most) * (1 + sign * shift)), simulations)
    return crossing(looks, target, scale)


def _lead(
    ask: Callable[..., float | None], looks: Looks, target: float, start: float, bounds: tuple[float, float]
) -> Crossing | None:
    """Go up or down in large steps until the target lies between two looks; return an answer if it ends there."""
    (least, most), at = bounds, ask(start)
    rising = at is not None and looks.share(at) < target
    # So that even the fewest simulations get as far as the bound before anything is called out of reach.
    step = max(_STEP_FACTOR, (most / start) ** (1 / _MAX_STEPS))
    edge, factor = (most, step) if rising else (least, 1 / step)
    while at is not None and (looks.share(at) < target) == rising:
        if at == edge:
            ask(at, _SIMULATIONS_AT_BOUND)
            if (looks.share(at) < target) == rising:
                return Crossing(None) if rising else Crossing(edge, edge, edge)
            return None
        at = ask(min(max(at * factor, least), most))
    return Crossing(None) if at is None else None


def curve(points: Sequence[float], looks: Looks, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the probability at points x, and its standard error: a cubic in log x fitted to all looks."""
    from scipy.special import ndtr

    hits, trials = (np.array([kind[x] for x in points], dtype=np.float64) for kind in (looks.hits, looks.trials))
    logs = np.log(np.array(points))
    middle, width = logs.mean(), max(float(logs.std()), 1e-9)
    powers = np.arange(4)
    beta, covariance = fit_probit(((logs[:, np.newaxis] - middle) / width) ** powers, hits, trials)
    design = ((np.log(at)[:, np.newaxis] - middle) / width) ** powers
    eta = design @ beta
    spread = np.sqrt(np.einsum("ij,jk,ik->i", design, covariance, design))
    density = np.exp(-0.5 * eta**2) / math.sqrt(2 * math.pi)
    return ndtr(eta), density * spread
