"""What units, data sets or tasks, have in common: the population they come from, the next one, and each of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, NoReturn, Self

from ropewalk._checks import published
from ropewalk.draws.contrast import Contrast, Question
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Estimate, Interval, Regions
from ropewalk.errors import InvalidInputError
from ropewalk.results import base
from ropewalk.results.base import Rendered
from ropewalk.results.comparison import Comparison
from ropewalk.results.evaluation import Pair, Ranked
from ropewalk.results.scope import Scope, Wider
from ropewalk.text.headline import Headline, headline_on_most
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import count_of, estimate_text, number, visible
from ropewalk.typing import FloatArray

_NEAR: Final = 0.1  # standard errors


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledUnit:
    """One data set or task: what was `observed` of it, its standard error `se`, and what the others make of it.

    `n` counts what it was observed on, folds or items, None where that is not known. `estimate` is its difference,
    drawn towards those of the others as far as they are alike, and `regions` what that says about the ROPE.
    """

    name: str
    n: int | None
    observed: float
    se: float
    estimate: Estimate
    regions: Regions | None
    centre: float

    @property
    def shrunk_by(self) -> float | None:
        """Which part of the way to the centre of all it was drawn; None where it lies there already.

        Examples
        --------
        >>> at = Estimate(observed=0.4, mean=0.3, std=0.1, mc_error=0.0, hdi=Interval(0.1, 0.5), hdi_mc_error=(0, 0))
        >>> PooledUnit(name="iris", n=100, observed=0.4, se=0.2, estimate=at, regions=None, centre=0.0).shrunk_by
        0.25
        """
        way = self.observed - self.centre
        if not abs(way) > _NEAR * self.se:
            return None
        return round((self.observed - self.estimate.mean) / way, 9)

    def to_dict(self) -> dict[str, Any]:
        """Return the unit in plain Python types."""
        return {
            **base.pick(self, "name n observed se"),
            **base.pick(self.estimate, "mean hdi"),
            **base.pick(self, "regions shrunk_by"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationSummary:
    """The population that units come from: its centre mu, its spread tau, and how heavy its tails are.

    `next_hdi` is the interval of the next unit: wider than that of mu by how much units differ.
    `form` is "student" or "normal", `tau_prior` what was taken of tau before; `grid_error` is by how much half the grid
    would change a probability of the next unit: the grid itself is off by far less.
    """

    mu: Estimate
    tau_median: float
    tau_hdi: Interval
    nu_median: float
    next_hdi: Interval
    form: str
    tau_prior: str
    grid_error: float

    def to_dict(self) -> dict[str, Any]:
        """Return the population in plain Python types."""
        return {
            "mu": base.estimate_dict(self.mu, errors=True),
            "tau": {"median": self.tau_median, "hdi": list(self.tau_hdi)},
            **base.pick(self, "nu_median next_hdi form tau_prior grid_error"),
        }


def pooled_dict(answer: Any) -> dict[str, Any]:
    """Return what an answer about a population says beside its mean: the next unit, and each of these."""
    return {
        **base.pick(answer, "next most_probable population"),
        "units": [unit.to_dict() for unit in answer.units],
    }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PopulationComparison(Wider, Comparison):
    """Is A better than B on units, data sets or tasks, like these? The difference is the mean over all such units.

    `next` has the probabilities that the next unit lies below, inside and above the ROPE; `most_probable` how probable
    it is that each of the three regions is the largest, which is what the papers and baycomp report. `population` says
    how the units differ, and `units` has each of them. A model without a population of units has None and none: its
    `regions` are `most_probable`. `what` one unit is called, "data set" or "task". `shares` are the draws behind each
    two of `chances`: the shares of units below, inside and above the ROPE, (3, draws).
    """

    rests_on_items: ClassVar[bool] = False
    about: Scope
    what: str
    data_text: str = ""
    next: Regions | None = None
    most_probable: Regions | None = None
    population: PopulationSummary | None = None
    units: tuple[PooledUnit, ...] = field(default=(), repr=False)
    shares: tuple[FloatArray, ...] = field(default=(), repr=False)

    def told(self, shown: Callable[[str], str]) -> Headline:
        """Return the headline with names as a surface writes them."""
        if not self.is_of_most:
            return Comparison.told(self, shown)
        return headline_on_most(self.finding(shown), f"pairs of {self.what}s")

    @property
    def chances(self) -> tuple[tuple[str, Regions | None], ...]:
        """What is said beside the mean, each with what it is called: of the next unit, and of most of them."""
        return ((f"Next {self.what}", self.next), (f"Most {self.what}s", self.most_probable))

    @property
    def tau(self) -> float | None:
        """The posterior median of how much units differ: the population's spread."""
        return None if self.population is None else self.population.tau_median

    @property
    def between(self) -> tuple[str, str]:
        """What A and B are called."""
        return self.a, self.b

    @property
    def is_of_most(self) -> bool:
        """Whether it is judged where most units lie, since its model has no mean over all such units."""
        return self.population is None

    @property
    def where(self) -> str:
        """Where A may be better than B, as the title asks."""
        return f"{self.what}s like these"

    @property
    def not_covered(self) -> str:
        """What the interval does not hold."""
        return (
            f"The interval is about the mean over {self.where}, as if these had been picked from them at random. "
            f"{self.what.capitalize()}s of another kind, and what was the same for all of them, are not in it."
        )

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes items."""
        raise InvalidInputError(
            f"This answer is about {self.about.random[0]} as a whole, so nothing can be {doing}.",
            hint="compare the predictions on one of them, item by item.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with what is said about the next unit and each of these added."""
        return {**Comparison.to_dict(self), **pooled_dict(self)}


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRanked(Ranked):
    """One classifier in a ranking over units like these; `p_best_next`, how probably it is best on the next one."""

    p_best_next: float

    def to_dict(self) -> dict[str, Any]:
        """Return the classifier in plain Python types."""
        return {**Ranked.to_dict(self), **base.pick(self, "p_best_next")}


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationPair(Pair):
    """Two classifiers over units like these: where the `next` one lies, and which region is the `most_probable`."""

    next: Regions | None
    most_probable: Regions | None

    def turned(self, contrast: Contrast) -> Self:
        """Return the same two the other way round, with the contrast of B − A."""
        return replace(
            Pair.turned(self, contrast),
            next=None if self.next is None else self.next.mirrored(),
            most_probable=None if self.most_probable is None else self.most_probable.mirrored(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the pair in plain Python types."""
        return {**Pair.to_dict(self), **base.pick(self, "next most_probable")}


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PooledEstimates(Rendered, Remarked):
    """What estimates of units, made elsewhere, have in common. Made by `pool`.

    `mu` is the mean over all such units, judged by the ROPE, `tau` the median of their spread; `next` and
    `most_probable` are about the next unit, and `shares` the draws behind them, as in `PopulationComparison`.
    """

    contrast: Contrast
    population: PopulationSummary
    question: Question
    units: tuple[PooledUnit, ...]
    next: Regions | None
    most_probable: Regions | None
    seed: int
    n_draws: int
    draws: FloatArray = field(repr=False)
    shares: tuple[FloatArray, ...] = field(default=(), repr=False)
    remarks: tuple[Remark, ...] = ()

    @property
    def rope(self) -> Interval | None:
        """The region of practical equivalence of the mean, and of the next unit."""
        return self.question.rope

    @property
    def prob(self) -> float:
        """The mass of the intervals."""
        return self.question.prob

    @property
    def mu(self) -> Estimate:
        """The posterior of the mean over units like these."""
        return self.population.mu

    delta = mu
    what: ClassVar[str] = "unit"
    where: ClassVar[str] = "units like these"
    between: ClassVar[None] = None

    @property
    def tau(self) -> float:
        """The posterior median of how much the units differ."""
        return self.population.tau_median

    @property
    def chances(self) -> tuple[tuple[str, Regions | None], ...]:
        """What is said beside the mean, each with what it is called."""
        return (("Next unit", self.next), ("Most units", self.most_probable))

    @property
    def grid_error(self) -> float:
        """By how much half the grid would change a probability of the next unit."""
        return self.population.grid_error

    @property
    def decision(self) -> Decision | None:
        """The verdict on the mean, where there is a ROPE."""
        return self.contrast.decision

    @property
    def regions(self) -> Regions | None:
        """The probabilities that the mean lies below, inside and above the ROPE."""
        return self.contrast.regions

    @property
    def scope(self) -> Scope:
        """What it is about."""
        return Scope(
            estimand="the mean of what was estimated, over units like these",
            random=("units", "the estimate of each"),
            fixed=("how the estimates were made",),
        )

    @property
    def headline(self) -> str:
        """The mean over units like these, and what the ROPE says about it."""
        told = f"The mean over units like these {len(self.units)} is {estimate_text(self.mu, sign=True)}"
        if self.decision is None:
            return told
        says = {
            Verdict.EQUIVALENT: "within the ROPE",
            Verdict.A_BETTER: "above the ROPE",
            Verdict.B_BETTER: "below the ROPE",
        }
        return f"{told}: {says.get(self.decision.verdict, 'undecided against the ROPE')}"

    def __repr__(self) -> str:
        mean, tau = number(self.mu.mean, 4, sign=True), number(self.tau, 4)
        return visible(f"PooledEstimates({count_of(len(self.units), 'unit')}: mu = {mean}, tau = {tau})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        return {
            **base.HEAD,
            **self.scope.to_dict(),
            "n_units": len(self.units),
            "draws": self.n_draws,
            **base.pick(self, "seed prob"),
            "delta": base.delta_dict(self.contrast),
            **base.verdict_dict(self.rope, self.regions, self.decision),
            "headline": self.headline,
            **pooled_dict(self),
            **base.pick(self, "notes warnings"),
        }
