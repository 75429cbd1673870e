"""Find where a simulated probability crosses a target, and spend simulations near there.

Every look at a point x costs simulations and tells a share of successes. The probability is taken to be
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

_PILOT: Final = 2 * BATCH  # simulations at each step of the way to the neighbourhood of the answer
_SURE: Final = 20 * BATCH  # simulations that must speak against a bound before the search gives up on it
_STEP: Final = 4.0
_WINDOW: Final = 1.6  # how far from the answer a look still counts, as a factor of s(x)
_SPREAD: Final = (-0.1, 0.1)  # where to look around the answer, as shares of s(x): this tells the slope, too
_ROUNDS: Final = 4
_SAME: Final = 0.02
_RIDGE: Final = 1e-3
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
class Found:
    """Where the target is reached, with a 95% interval; `x` is None where it is not reached below the bound."""

    x: float | None
    low: float | None = None
    high: float | None = None


Look = Callable[[float, int], tuple[int, int]]
"""Simulate at x so many times; return successes and simulations, fewer where somebody stopped it."""


def fit_probit(design: FloatArray, hits: FloatArray, trials: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of Φ(design · coefficients) that are most likely, and their covariance."""
    from scipy.optimize import minimize
    from scipy.special import log_ndtr, ndtri

    def surprise(beta: FloatArray) -> tuple[float, FloatArray]:
        eta = design @ beta
        up, down = _hazards(eta)
        slopes = hits * up - (trials - hits) * down
        # A trace of a penalty keeps the coefficients finite where all simulations agree.
        value = -(hits @ log_ndtr(eta) + (trials - hits) @ log_ndtr(-eta)) + _RIDGE * (beta @ beta) / 2
        return float(value), _RIDGE * beta - design.T @ slopes

    start = np.zeros(design.shape[1])
    start[0] = ndtri((hits.sum() + 0.5) / (trials.sum() + 1.0))
    beta: FloatArray = np.asarray(minimize(surprise, start, jac=True, method="BFGS").x, dtype=np.float64)
    up, down = _hazards(design @ beta)
    information = (design.T * (trials * up * down)) @ design + _RIDGE * np.eye(len(beta))
    covariance: FloatArray = np.linalg.inv(information).astype(np.float64)
    return beta, covariance


def _hazards(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return φ(η)/Φ(η) and φ(η)/Φ(−η), which neither tail makes 0/0."""
    from scipy.special import log_ndtr

    log_density = -0.5 * eta**2 - 0.5 * math.log(2 * math.pi)
    return np.exp(log_density - log_ndtr(eta)), np.exp(log_density - log_ndtr(-eta))


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale on which the probit of the probability is nearly straight."""

    to: Callable[[float], float]
    back: Callable[[float], float]


ROOT: Final = Scale(math.sqrt, lambda s: s * s)
PLAIN: Final = Scale(float, float)


def crossing(looks: Looks, target: float, scale: Scale, near: float) -> Found:
    """Return where the fitted probability crosses the target, from the looks in a window around `near`."""
    from scipy.special import ndtri

    centre = scale.to(near)
    points = [x for x in looks.trials if centre / _WINDOW <= scale.to(x) <= centre * _WINDOW]
    if len(points) < 2:  # noqa: PLR2004
        points = sorted(looks.trials, key=lambda x: abs(scale.to(x) - centre))[:3]
    s = np.array([scale.to(x) / centre - 1 for x in points])
    hits, trials = (np.array([kind[x] for x in points], dtype=np.float64) for kind in (looks.hits, looks.trials))
    beta, covariance = fit_probit(np.column_stack([np.ones_like(s), s]), hits, trials)
    slope = max(float(beta[1]), 0.05)  # the probability rises with x; noise may hide that for a while
    at = (float(ndtri(target)) - float(beta[0])) / slope
    gradient = np.array([-1.0, -at]) / slope
    error = math.sqrt(float(gradient @ covariance @ gradient))
    ends = [scale.back(centre * max(1 + at + sign * _Z95 * error, 0.0)) for sign in (-1, 1)]
    return Found(scale.back(centre * max(1 + at, 0.0)), ends[0], ends[1])


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
) -> Found:
    """Look for the smallest x from `least` to `most` whose probability reaches the target, within a budget.

    A few simulations at points ever further away lead to the neighbourhood of the answer; the rest are spent there,
    around the crossing of the curve fitted so far.
    """

    def ask(x: float, simulations: int) -> float:
        place = min(max(float(round(x)) if whole else x, least), most)
        # A place next to one looked at before is that place: its simulations add up.
        near_by = [old for old in looks.trials if abs(old / place - 1) < _SAME]
        place = min(near_by, key=lambda old: abs(old - place)) if near_by else place
        spare = min(simulations, budget - looks.spent)
        if spare > 0:
            looks.add(place, *look(place, spare))
        return place

    x = ask(start, _PILOT)
    rising = looks.share(x) < target
    edge = most if rising else least
    while (looks.share(x) < target) == rising:
        if x == edge:
            sure = ask(x, _SURE)
            if (looks.share(sure) < target) != rising:
                break
            return Found(None) if rising else Found(edge, edge, edge)
        further = x * _STEP if rising else x / _STEP
        x = ask(min(further, most) if rising else max(further, least), _PILOT)
    near = x / math.sqrt(_STEP) if rising else x * math.sqrt(_STEP)
    for left in range(_ROUNDS, 0, -1):
        each = max((budget - looks.spent) // (left * len(_SPREAD)) // BATCH * BATCH, BATCH)
        for shift in _SPREAD:
            ask(scale.back(scale.to(near) * (1 + shift)), each)
        near = _clipped(crossing(looks, target, scale, near).x, near, least, most)
    return _within(crossing(looks, target, scale, near), least, most)


def _clipped(x: float | None, near: float, least: float, most: float) -> float:
    """Return the next place to look: not further away than a step, since a fit may go astray."""
    wanted = near if x is None else x
    return min(max(wanted, near / _STEP, least), near * _STEP, most)


def _within(found: Found, least: float, most: float) -> Found:
    assert found.x is not None  # noqa: S101
    assert found.low is not None  # noqa: S101
    assert found.high is not None  # noqa: S101
    if found.x > most:
        return Found(None)
    return Found(max(found.x, least), max(found.low, least), min(found.high, most))


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
