"""Judge units of a population: the mean over units like these, the next one, and each of these drawn to the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from ropewalk.draws.contrast import Contrast, Question, contrast, is_settled
from ropewalk.draws.intervals import Interval, Regions, hdi, region_masses, summarise
from ropewalk.inference.drawing import LOOKS
from ropewalk.models.population import Population, PopulationDraws, PopulationPrior, Units, fit_population
from ropewalk.results.pooled import PooledUnit, PopulationSummary
from ropewalk.text.remarks import Remark, note, warning
from ropewalk.typing import DrawsLike, FloatArray

FEW_UNITS: Final = 5
"""Up to so many units the width of the interval is mostly ignorance of how they differ."""

WORTH_A_NOTE: Final = 0.01
"""A grid error from which on it is noted."""

_MOST: Final = 0.5
_UNIT_DRAWS: Final = (1_000, 4_000)
_UNIT_NUMBERS: Final = 100_000


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedPopulation:
    """The posterior of units, judged by a question; what is drawn for each unit is drawn when it is asked for."""

    posterior: Population
    question: Question
    names: tuple[str, ...]
    sizes: tuple[int | None, ...]
    drawn: PopulationDraws
    contrast: Contrast
    summary: PopulationSummary
    seed: int

    @property
    def rope(self) -> Interval | None:
        """The region of practical equivalence."""
        return self.question.rope

    @property
    def next(self) -> Regions | None:
        """The probabilities that the next unit lies below, inside and above the ROPE."""
        return None if self.rope is None else self.posterior.next(self.rope)

    @property
    def most_probable(self) -> Regions | None:
        """How probable it is that each of the three regions is the one where most units lie."""
        return largest_shares(self.shares[0]) if self.shares else None

    @cached_property
    def shares(self) -> tuple[FloatArray, ...]:
        """Draws of the probabilities that a unit lies below, inside and above the ROPE, (3, n); none without one."""
        return () if self.rope is None else (self.drawn.next(self.rope),)

    @cached_property
    def units(self) -> tuple[PooledUnit, ...]:
        """Each unit, drawn towards the others."""
        units, least_most = self.posterior.units, _UNIT_DRAWS
        n = min(max(_UNIT_NUMBERS // len(units), least_most[0]), least_most[1], self.drawn.mu.size)
        some = PopulationDraws(mu=self.drawn.mu[:n], tau=self.drawn.tau[:n], nu=self.drawn.nu[:n])
        return tuple(self._units(self.posterior.draw_units(some, self.seed)))

    def _units(self, drawn: FloatArray) -> Iterator[PooledUnit]:
        units, prob, centre = self.posterior.units, self.question.prob, self.contrast.delta.mean
        for place, (name, size, draws) in enumerate(zip(self.names, self.sizes, drawn, strict=True)):
            ordered, observed = np.sort(draws), float(units.estimates[place])
            yield PooledUnit(
                name=name,
                n=size,
                observed=observed,
                se=float(units.errors[place]),
                estimate=summarise(draws, ordered, prob=prob, observed=observed),
                regions=None if self.rope is None else region_masses(ordered, self.rope),
                centre=centre,
            )

    def remarks(self, what: str, plural: str) -> Iterator[Remark]:
        """Yield what is to be said about units that are called `what`, and `plural` where there are several."""
        units = self.posterior.units
        yield from few_units(len(units), plural)
        weights = 1 / (units.errors**2 + self.summary.tau_median**2)
        heaviest = int(weights.argmax())
        if weights[heaviest] > _MOST * weights.sum():
            share = f"{100 * weights[heaviest] / weights.sum():.0f}%"
            text = f"One {what}, {self.names[heaviest]}, has {share} of all precision, so the others say little."
            yield note("one_unit", text)
        if self.summary.grid_error > WORTH_A_NOTE:
            text = f"Half the grid would change a probability of the next {what} by {self.summary.grid_error:.2g}."
            yield note("grid_error", f"{text} The {plural} lie in groups far apart.")
        if not math.isfinite(self.contrast.delta.std):
            lacks = "no standard deviation" if self.posterior.n_moments else "neither a mean nor a standard deviation"
            text = f"Of {len(units)} {plural} the posterior of the mean has {lacks}: read the interval."
            yield note("no_moments", text)


def few_units(number: int, plural: str) -> Iterator[Remark]:
    """Say that so few units tell little of how they differ."""
    if number <= FEW_UNITS:
        text = f"Of {number} {plural} the width of the interval is mostly ignorance of how {plural} differ."
        yield warning("few_units", text)


def largest_shares(shares: FloatArray) -> Regions:
    """Return how often each of three rows is the largest; what is even is shared.

    Examples
    --------
    >>> largest_shares(np.array([[0.2, 0.5], [0.7, 0.5], [0.1, 0.0]]))
    Regions(below=0.25, inside=0.75, above=0.0)
    """
    top = shares == shares.max(axis=0)
    below, inside, above = (top / top.sum(axis=0)).mean(axis=1).tolist()
    return Regions(below, inside, above)


def judge_population(
    units: Units,
    question: Question,
    prior: PopulationPrior,
    *,
    names: Sequence[str],
    sizes: Sequence[int | None] | None = None,
    between: tuple[str, str] = ("A", "B"),
    observed: float | None = None,
    draws: DrawsLike = "auto",
    seed: int = 0,
) -> JudgedPopulation:
    """Fit the population that units come from, and judge its mean, a difference `between` two.

    Examples
    --------
    >>> effects, errors = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    >>> schools = Units(effects, errors, np.full(8, np.inf))
    >>> question = Question(rope=Interval(-2, 2), prob=0.95, rule="hdi", higher_is_better=True)
    >>> judged = judge_population(schools, question, PopulationPrior(form="normal"), names="ABCDEFGH")
    >>> print(judged.contrast.decision.text)
    Undecided at ±2; leaning A better; more data needed
    >>> print(f"the next one above: {judged.next.above:.3f}; most above: {judged.most_probable.above:.2f}")
    the next one above: 0.758; most above: 0.93
    """
    posterior = fit_population(units, prior)
    drawn = posterior.draw(_how_many(posterior, question, draws, seed), seed)
    judged = contrast(drawn.mu, question, observed=observed, names=between, has_mean=posterior.n_moments > 0)
    judged = replace(judged, stakes=None)  # nobody ships a mean over data sets
    if posterior.n_moments > 0:  # sums over the grid have no Monte Carlo error
        judged = replace(judged, delta=replace(judged.delta, mean=posterior.mean, std=posterior.std, mc_error=0.0))
    rope = question.rope or Interval(-posterior.unit, posterior.unit)
    return JudgedPopulation(
        posterior=posterior,
        question=question,
        names=tuple(names),
        sizes=(None,) * len(units) if sizes is None else tuple(sizes),
        drawn=drawn,
        contrast=judged,
        summary=PopulationSummary(
            mu=judged.delta,
            tau_median=posterior.tau_median,
            tau_hdi=hdi(np.sort(drawn.tau), question.prob),
            nu_median=posterior.nu_median,
            next_hdi=hdi(np.sort(drawn.further(seed)), question.prob),
            form=prior.form,
            tau_prior=prior.tau,
            grid_error=posterior.grid_error(rope),
        ),
        seed=seed,
    )


def _how_many(posterior: Population, question: Question, draws: DrawsLike, seed: int) -> int:
    """Return how many draws are wanted: with "auto", until other draws would decide alike."""
    if draws != "auto":
        return int(draws)
    return next((n for n in LOOKS[:2] if is_settled(posterior.draw(n, seed).mu, question)), LOOKS[1])
