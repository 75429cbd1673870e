"""Runs of systems on the same items: what the spread between runs adds to draws over items.

Given are draws of the metric of every run under weights of the items that all runs share, and the observed metric of
every run. With S² the variance of the observed metrics over R runs, and kappa² the part of it that each run has from
its own noise on these items, E S² = tau² + kappa². So

    omega ~ df · max(S², kappa²) / chi²(df)          the variance of observed runs (Jeffreys)
    tau²  = max(omega − kappa², 0)                   the variance between runs
    psi   = the mean of the runs' draws + Normal(0, tau²/R)

An S² below kappa² is luck and no evidence. The noise of the runs on these items is in the draws over items already, so
nothing is counted twice; and what comes out is never narrower than the items alone make it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ropewalk._checks import is_real, published
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray

Design: TypeAlias = Literal["independent", "shared", "samples"]
"""How the runs of several systems go together."""

EARLY_DRAWS: Final = 50_000
"""The first draws alone say how noisy runs are on these items, so that fewer draws stay a prefix of more."""

BY_CHANCE: Final = 0.05
"""Of many systems, one whose runs lie so far apart in fewer cases has a spread of its own."""

BY_CHANCE_OF_TWO: Final = 0.2
"""The same for two runs each, which hardly show it."""

_ROUNDING: Final = 1e-12
_GRID: Final = 2_049
_TAIL: Final = 8.5  # scales of a half-normal: beyond lies 1e-17
_VARIANCE, _MEAN = 0, 1 << 10
"""Places in the stream: of each variance, and of each mean."""


@published
@dataclass(frozen=True, slots=True)
class HalfNormal:
    """What is known of the standard deviation between runs: about `scale`, or less; hardly ever twice as much.

    Examples
    --------
    >>> HalfNormal(0.005)
    HalfNormal(scale=0.005)
    """

    scale: float

    def __post_init__(self) -> None:
        check_spread(self.scale, "scale")


def check_spread(value: Any, name: str, *, least: float = np.finfo(np.float64).tiny) -> float:
    """Return a standard deviation between runs, which is positive, or at `least` what may be."""
    if not is_real(value) or not least <= value < math.inf:
        raise InvalidInputError(
            argument(name) + f" must be a standard deviation between runs; got {told(value)}.",
            hint=wording("0.004 where scores of runs lie about so far from their mean; or models.HalfNormal(0.005)."),
        )
    return float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpread:
    """How the observed metrics of runs spread: `s2` their variance with `df` degrees of freedom, `kappa2` their noise.

    `known` is the standard deviation between runs, where it is known, or its prior. Without degrees of freedom, and
    with nothing known, the spread cannot be told, and counts as none.
    """

    kappa2: float
    s2: float
    df: int
    known: float | HalfNormal | None = None

    @property
    def is_known(self) -> bool:
        """Whether anything tells how far runs lie apart."""
        return self.df > 0 or self.known is not None

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw the variance tau² between runs."""
        if isinstance(self.known, HalfNormal):
            return self._given(self.known).draw(rng, size)
        if self.known is not None or not self.df:
            return np.full(size, (self.known or 0.0) ** 2)
        chi2 = 2.0 * rng.standard_gamma(self.df / 2, size)
        with np.errstate(divide="ignore"):
            omega = self.df * max(self.s2, self.kappa2) / chi2
        return np.maximum(omega - self.kappa2, 0.0)

    def quantiles(self, shares: Sequence[float]) -> FloatArray:
        """Return quantiles of tau², exactly."""
        if isinstance(self.known, HalfNormal):
            return self._given(self.known).at(np.asarray(shares))
        if self.known is not None or not self.df:
            return np.full(len(shares), (self.known or 0.0) ** 2)
        from scipy.special import chdtri

        omega = self.df * max(self.s2, self.kappa2) / chdtri(self.df, np.asarray(shares))
        return np.maximum(omega - self.kappa2, 0.0)

    def _given(self, prior: HalfNormal) -> _Grid:
        """Return tau² under a prior, given the spread of the runs."""
        tau = np.linspace(0.0, _TAIL * prior.scale, _GRID)
        log_density = -0.5 * (tau / prior.scale) ** 2
        if self.df:
            omega = np.maximum(tau**2 + self.kappa2, np.finfo(np.float64).tiny)
            log_density -= 0.5 * self.df * (np.log(omega) + self.s2 / omega)
        density = np.exp(log_density - log_density.max())
        below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
        return _Grid(tau, below / below[-1])


@dataclass(frozen=True, slots=True)
class _Grid:
    """A standard deviation on a grid, and how much lies below each point."""

    tau: FloatArray
    below: FloatArray

    def at(self, shares: FloatArray) -> FloatArray:
        return np.asarray(np.interp(shares, self.below, self.tau)) ** 2

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        return self.at(rng.random(size))


def run_spread(draws: FloatArray, observed: FloatArray) -> RunSpread:
    """Return the spread of R runs, given draws of each, (R, D), under weights that they share, and what was observed.

    Examples
    --------
    >>> draws = np.array([[0.1, 0.3], [0.2, 0.0]])
    >>> spread = run_spread(draws, np.array([0.2, 0.1]))
    >>> print(f"{spread.kappa2:.3f} {spread.s2:.3f} {spread.df}")
    0.020 0.005 1
    """
    n_runs = len(observed)
    if n_runs == 1:
        return RunSpread(kappa2=0.0, s2=0.0, df=0)
    early = draws[:, :EARLY_DRAWS]
    # The mean variance less the mean covariance of runs is the mean, over draws, of the variance over runs.
    off = early - early.mean(axis=1, keepdims=True)
    kappa2, s2 = float(off.var(axis=0, ddof=1).mean()), float(observed.var(ddof=1))
    least = (_ROUNDING * float(np.abs(early).max(initial=0.0))) ** 2
    return RunSpread(kappa2=kappa2 if kappa2 > least else 0.0, s2=s2 if s2 > least else 0.0, df=n_runs - 1)


def pooled_spread(spreads: Sequence[RunSpread]) -> RunSpread:
    """Return one spread for all: of systems with as many runs each."""
    return RunSpread(
        kappa2=float(np.mean([spread.kappa2 for spread in spreads])),
        s2=float(np.mean([spread.s2 for spread in spreads])),
        df=sum(spread.df for spread in spreads),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class RunEffects:
    """What runs add to the mean of their draws: how far each system's mean lies from that of further runs.

    `spreads` has one per system, which may be the same object: then one variance is drawn for those. Of shared runs
    they are about how systems differ in a run, and `common` about what a run does to all of them.
    """

    n_runs: tuple[int, ...]
    spreads: tuple[RunSpread, ...]
    common: RunSpread | None = None

    @property
    def distinct(self) -> tuple[RunSpread, ...]:
        """The spreads that are drawn."""
        return tuple({id(spread): spread for spread in self.spreads}.values())

    @property
    def included(self) -> bool:
        """Whether the runs of every system are in the interval."""
        return all(spread.is_known for spread in self.spreads)

    def known_as(self, sd: float | HalfNormal) -> RunEffects:
        """Return the effects with a known standard deviation of runs, or a prior of it; of shared runs of differences.

        What was known before stays.
        """
        if self.common is not None:  # each of two has half the variance of their difference
            sd = HalfNormal(sd.scale / math.sqrt(2)) if isinstance(sd, HalfNormal) else sd / math.sqrt(2)
        changed = {id(s): s if s.known is not None else replace(s, known=sd) for s in self.distinct}
        return replace(self, spreads=tuple(changed[id(spread)] for spread in self.spreads))

    def sd_median(self, spreads: Sequence[RunSpread] | None = None) -> tuple[float, ...]:
        """Return the posterior median of the standard deviation between runs; of shared runs of differences."""
        times = 1.0 if self.common is None else 2.0
        asked = self.distinct if spreads is None else spreads
        return tuple(math.sqrt(times * float(s.quantiles((0.5,))[0])) for s in asked if s.is_known)

    def draw(self, size: int, seed: int) -> FloatArray:
        """Draw what is added to the mean of every system, (K, D); fewer draws are a prefix of more."""
        variance = {
            id(spread): spread.draw(generator(seed, streams.RUNS, _VARIANCE + i), size)
            for i, spread in enumerate(self.distinct)
        }
        added = np.empty((len(self.n_runs), size))
        for k, (number, spread) in enumerate(zip(self.n_runs, self.spreads, strict=True)):
            normal = generator(seed, streams.RUNS, _MEAN + k).standard_normal(size)
            added[k] = normal * np.sqrt(variance[id(spread)] / number)
        if self.common is not None:
            last = len(self.n_runs)
            together = self.common.draw(generator(seed, streams.RUNS, _VARIANCE + last), size)
            normal = generator(seed, streams.RUNS, _MEAN + last).standard_normal(size)
            added += normal * np.sqrt(together / self.n_runs[0])
        return added


def independent_runs(
    draws: Sequence[FloatArray], observed: Sequence[FloatArray], deterministic: Sequence[int] = ()
) -> RunEffects:
    """Return what independent runs of K systems add, given draws (R, D) and observed metrics of each system's runs.

    Systems with as many runs share one variance, but of more than two those whose runs lie clearly further apart than
    those of the others, which have their own. A system of one run borrows it from the others, and those that are
    `deterministic`, by their places, have none.
    """
    n_runs = tuple(len(each) for each in observed)
    spreads = [run_spread(*each) for each in zip(draws, observed, strict=True)]
    if deterministic:
        others = [k for k in range(len(spreads)) if k not in deterministic]
        rest = independent_runs([draws[k] for k in others], [observed[k] for k in others]).spreads if others else ()
        own = dict(zip(others, rest, strict=True))
        steady = RunSpread(kappa2=0.0, s2=0.0, df=0, known=0.0)
        return RunEffects(n_runs=n_runs, spreads=tuple(own.get(k, steady) for k in range(len(spreads))))
    seen = [spread for spread in spreads if spread.df]
    if len(set(n_runs)) == 1 or not seen:
        return RunEffects(n_runs=n_runs, spreads=_alike_or_own(spreads, pooled_spread(spreads)))
    lent = seen[0] if len(seen) == 1 else pooled_spread(seen)
    return RunEffects(n_runs=n_runs, spreads=tuple(spread if spread.df else lent for spread in spreads))


def shared_runs(draws: Sequence[FloatArray], observed: Sequence[FloatArray]) -> RunEffects:
    """Return what runs add that all K systems share: the same seed, prompt or reader for each.

    A difference then varies by how systems differ from run to run, and what a run does to all of them drops out.
    """
    n_systems, n_runs = len(observed), len(observed[0])
    middle = np.mean(np.stack(draws), axis=0)
    centre = np.mean(np.stack(observed), axis=0)
    spreads = [run_spread(each - middle, seen - centre) for each, seen in zip(draws, observed, strict=True)]
    whole, freed = pooled_spread(spreads), n_systems / max(n_systems - 1, 1)
    freely = [RunSpread(kappa2=each.kappa2 * freed, s2=each.s2 * freed, df=each.df) for each in spreads]
    own = RunSpread(kappa2=whole.kappa2 * freed, s2=whole.s2 * freed, df=(n_systems - 1) * (n_runs - 1))
    return RunEffects(
        n_runs=(n_runs,) * n_systems, spreads=_alike_or_own(freely, own), common=run_spread(middle, centre)
    )


def _alike_or_own(spreads: Sequence[RunSpread], whole: RunSpread) -> tuple[RunSpread, ...]:
    """Return for each of many systems the spread of all, or its own where its runs lie clearly further apart.

    With the spread of all, systems that differ more from run to run than others do would be taken for too sure.
    """
    if len(spreads) < 3 or not whole.df:  # noqa: PLR2004 - of two a difference has the spread of both
        return (whole,) * len(spreads)
    from scipy.special import fdtrc

    seen = np.array([max(spread.s2, spread.kappa2) for spread in spreads])
    others = (seen.sum() - seen) / (len(seen) - 1)
    df = spreads[0].df
    by_chance = fdtrc(df, (len(seen) - 1) * df, seen / np.maximum(others, np.finfo(np.float64).tiny))
    apart = by_chance < (BY_CHANCE if df > 1 else BY_CHANCE_OF_TWO)
    return tuple(spread if far else whole for spread, far in zip(spreads, apart, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Where the variance of a difference, or of a score, comes from: Var = item/N + run/R + noise/(N·R).

    `run_low` and `run_high` are the quartiles of `run`, whose median it is; `n_items` and `n_runs` are N and R of the
    data. Of unequal runs R is their harmonic mean.
    """

    item: float
    run: float
    noise: float
    n_items: int
    n_runs: float
    run_low: float
    run_high: float

    @property
    def parts(self) -> dict[str, float]:
        """The variance of the difference as it is, by where it comes from."""
        return {
            "items": self.item / self.n_items,
            "runs": self.run / self.n_runs,
            "noise": self.noise / (self.n_items * self.n_runs),
        }

    @property
    def shares(self) -> dict[str, float]:
        """Which share of the variance comes from where; all 0 where there is none."""
        total = sum(self.parts.values())
        return {name: part / total if total else 0.0 for name, part in self.parts.items()}

    def variance(self, n_runs: float, n_items: float, *, run: float | None = None) -> float:
        """Return the variance of the difference with so many runs and items.

        Examples
        --------
        >>> parts = Components(item=0.15, run=0, noise=0.2, n_items=100, n_runs=2, run_low=0, run_high=0)
        >>> print(f"{parts.variance(5, 400):.6f}")
        0.000475
        """
        between = self.run if run is None else run
        return self.item / n_items + between / n_runs + self.noise / (n_items * n_runs)


def components_of(draws: Sequence[FloatArray], effects: RunEffects, n_items: int) -> Components:
    """Return where the variance comes from, given draws (R, D) of the runs of each system.

    It is that of a score, of one system; of two that of their difference; of more that of a difference, on average.
    """
    means = np.stack([each[:, :EARLY_DRAWS].mean(axis=0) for each in draws])
    n_systems, times = len(means), 1.0
    if n_systems > 1:
        means, times = means - means.mean(axis=0), 2.0
    whole = times * float(means.var(axis=1).sum()) / max(n_systems - 1, 1)
    per_run = sum(1 / n for n in effects.n_runs) / n_systems
    own = list(zip(effects.spreads, effects.n_runs, strict=True))
    noise = times * sum(spread.kappa2 / n for spread, n in own) / n_systems
    between = times * sum(spread.quantiles((0.25, 0.5, 0.75)) / n for spread, n in own) / n_systems
    low, run, high = sorted((np.asarray(between) / per_run).tolist())
    return Components(
        item=max(whole - noise, 0.0) * n_items,
        run=run,
        noise=noise / per_run * n_items,
        n_items=n_items,
        n_runs=1 / per_run,
        run_low=low,
        run_high=high,
    )


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How a budget is spent: so many runs and items, and the standard deviation that the difference then has."""

    n_runs: int
    n_items: int
    variance: float
    cost: float

    @property
    def std(self) -> float:
        """The standard deviation of the difference."""
        return math.sqrt(self.variance)


def best_split(
    parts: Components, *, budget: float, c_item: float, c_run: float, c_answer: float, run: float | None = None
) -> Split | None:
    """Return the number of runs and items that leave the least variance; None where the budget buys no item.

    A run costs `c_run`, an item `c_item`, and an answer, of one run to one item, `c_answer`. Items are at least
    `FEWEST_ITEMS`, where the study had so many and one run could: that items hardly differ is seldom quite so.

    Examples
    --------
    >>> parts = Components(item=0.15, run=0.0004, noise=0.1, n_items=100, n_runs=2, run_low=0, run_high=0)
    >>> split = best_split(parts, budget=1000, c_item=1, c_run=40, c_answer=0)
    >>> split.n_runs, split.n_items
    (7, 720)
    """
    n_runs = np.arange(1, _most_runs(budget, c_item, c_run, c_answer) + 1, dtype=np.float64)
    if not n_runs.size:
        return None
    per_item = c_item + c_answer * n_runs
    n_items = np.floor((budget - c_run * n_runs) / per_item * (1 + 1e-12))
    n_runs, n_items = n_runs[n_items >= 1], n_items[n_items >= 1]
    if not n_runs.size:
        return None
    enough = n_items >= min(FEWEST_ITEMS, parts.n_items, n_items[0])
    n_runs, n_items = n_runs[enough], n_items[enough]
    between = parts.run if run is None else run
    variances = parts.item / n_items + between / n_runs + parts.noise / (n_items * n_runs)
    best = int(variances.argmin())
    runs, items = int(n_runs[best]), int(n_items[best])
    return Split(
        n_runs=runs,
        n_items=items,
        variance=float(variances[best]),
        cost=c_item * items + c_run * runs + c_answer * items * runs,
    )


FEWEST_ITEMS: Final = 30
"""A plan has so many items, where they can be paid: of fewer, no interval over items is worth much."""

MOST_RUNS: Final = 1_000_000
"""So many runs are tried at most."""


def _most_runs(budget: float, c_item: float, c_run: float, c_answer: float) -> int:
    """Return how many runs of a single item the budget buys."""
    per_run = c_run + c_answer
    return 0 if budget < c_item else min(int((budget - c_item) / per_run * (1 + 1e-12)) if per_run else 1, MOST_RUNS)
