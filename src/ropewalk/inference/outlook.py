"""What is still open, and how many more items would settle it: extrapolated, for every inconclusive verdict.

It is a shortcut that needs the posterior alone, and no simulation. With N items counted and n more to come, the
variance of the posterior falls to about N / (N + n) of what it is, and what it loses is how far its mean may still
move. So the next posterior is the present one, shrunk around a mean that is drawn on its way from the present mean
towards the truth (the "moment matching" of Heath et al. 2019).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Final, TypeVar

import numpy as np

from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import Draws, difference
from ropewalk.draws.decision import (
    NO_VERDICT,
    Decision,
    Judged,
    decide_each,
    decide_each_by_probability,
    undecided_sides,
    verdict_and_leaning,
)
from ropewalk.draws.intervals import Estimate, Regions, hdi, region_masses
from ropewalk.draws.stakes import LabelWorth, Learning
from ropewalk.errors import InvalidInputError
from ropewalk.inference.bearing import not_equivalent
from ropewalk.inference.goals import Batch, ceilings_of, count, n_reached, without_verdict
from ropewalk.results import Comparison, MetricPosterior, Pair, Ranking, Recipe
from ropewalk.results.planning import Design, MoreData
from ropewalk.text.remarks import Mention, Remark, Wording, note
from ropewalk.text.verdicts import CONCLUSIVE, GOALS, VERDICTS, Verdict
from ropewalk.typing import FloatArray

R = TypeVar("R", Comparison, MetricPosterior, Ranking)

MOST: Final = 10_000_000
TARGET: Final = 0.8
MAX_TRUTHS: Final = 4_000  # draws of the posterior that are taken for the truth in turn
MULTIPLES_OF_NEEDED: Final = (0.25, 0.5, 1.0, 2.0, 4.0)  # where to look
MULTIPLES_OF_COUNTED: Final = (0.5, 1.0, 2.0, 4.0, 8.0)  # where no number of items reaches the target
ITEMS_AT_FIRST: Final = 1_000  # where nothing has been counted there is nothing to extrapolate from
STEPS_OF_SEARCH: Final = 200  # an answer to half a percent is fine enough
MAX_ITEMS_NOT_ROUNDED: Final = 10
MIN_ITEMS: Final = 50
OFF: Final = 0.05
"""How far an extrapolated probability may be off: within five points of simulations, as the tests hold it to."""
MIN_ITEMS_OF_RARER_CLASS: Final = 20  # of two
ROUGH: Final = (
    "What more items would say is extrapolated from few (under 50, or under 20 of a class), and may be off by ten "
    "points and more"
)


@dataclass(frozen=True, eq=False)
class Outlook:
    """The probability of a goal against the number of new items, extrapolated from the draws of a difference.

    Classifiers with items of their own are parts of their own, with `counted` items and a share `variances` of the
    variance each; on shared items the difference is one part. `settled` says that the goal has been reached already;
    `draws` and `seed` are those of simulations, if any.
    """

    recipe: Recipe
    names: tuple[str, str]
    delta: FloatArray
    estimate: Estimate
    regions: Regions
    variances: tuple[float, ...]
    counted: tuple[int, ...]
    goal: str = CONCLUSIVE
    most: int = MOST
    settled: bool = False
    draws: int = 0
    seed: int | None = None

    @classmethod
    def of(cls, recipe: Recipe, draws: Draws, names: tuple[str, str], posterior: tuple[Estimate, Regions]) -> Outlook:
        """Return the outlook of the difference of two classifiers, given its posterior and the regions' masses."""
        delta = difference(*(draws.psi[draws.names.index(name)] for name in names))
        return cls(recipe, names, delta, *posterior, *_parts(recipe, draws, names))

    @classmethod
    def of_comparison(cls, result: Comparison, recipe: Recipe) -> Outlook:
        """Return the outlook of a comparison, by the ROPE, mass and rule of another recipe if they are asked for."""
        names = (result.a, result.b)
        if recipe is result.recipe and result.regions is not None:
            return cls.of(recipe, result.draws, names, (result.delta, result.regions))
        assert recipe.rope is not None  # noqa: S101 - checked where it is asked for
        ordered = np.sort(result.draws.delta())
        estimate = replace(result.delta, hdi=hdi(ordered, recipe.prob))
        return cls.of(recipe, result.draws, names, (estimate, region_masses(ordered, recipe.rope)))

    @cached_property
    def design(self) -> Design:
        """What is asked."""
        return Design(
            recipe=self.recipe,
            goal=self.goal,
            truth=f"drawn from the posterior given {self.given}",
            delta=None,
            names=self.names,
            draws=self.draws or self.delta.size,
            seed=self.recipe.seed if self.seed is None else self.seed,
            ceilings=ceilings_of(self.regions, self.recipe),
        )

    @cached_property
    def _shares(self) -> dict[int, float]:
        return {}

    @cached_property
    def _truths(self) -> FloatArray:
        return self.delta[:: max(self.delta.size // MAX_TRUTHS, 1)]

    @cached_property
    def _never_equivalent(self) -> str:
        return not_equivalent(self.recipe, Verdict.EQUIVALENT)

    @cached_property
    def _ordered(self) -> FloatArray:
        return np.sort(self.delta)

    @property
    def reached_already(self) -> bool:
        """Whether the data so far reach the goal."""
        question = self.recipe.question
        assert question.rope is not None  # noqa: S101 - checked where it is asked for
        verdict, _ = verdict_and_leaning(self.estimate, self.regions, question.rope, **question.how)
        return verdict in GOALS[self.goal]

    unit: ClassVar[str] = "items"
    """What there may be more of."""

    @property
    def given(self) -> str:
        """What the posterior is given."""
        return f"{self.recipe.n_items:,} items"

    @property
    def is_thin(self) -> bool:
        """Whether there are too few items for the posterior to shrink as that of a mean does."""
        return is_thin(self.recipe, self.counted)

    def remaining(self, n: int) -> float:
        """Return the share of the variance that is left after n more items for each part."""
        return remaining(self.variances, self.counted, n)

    def narrowed(self, n: int) -> float:
        """Return the share of the interval's width that is left after n more items for each part."""
        return math.sqrt(self.remaining(n))

    def after(self, n: int) -> Batch:
        """Judge what comes of n more items, draws of the posterior being taken for the truth in turn."""
        judged = self._judged(n)
        # Other reasons for no verdict are not there now, and fade with more items.
        why = np.where(judged.verdict == NO_VERDICT, self._never_equivalent, "")
        return Batch.of(judged, self._truths, why)

    def _judged(self, n: int) -> Judged:
        question, left = self.recipe.question, self.remaining(n)
        assert question.rope is not None  # noqa: S101 - checked where it is asked for
        mean, hdi = self.estimate.mean, self.estimate.hdi
        middle, shrink = mean + np.sqrt(1 - left) * (self._truths - mean), self.narrowed(n)
        low, high = middle + shrink * (hdi.low - mean), middle + shrink * (hdi.high - mean)
        if question.higher_is_better:
            facing = (low, high, middle, question.rope)
        else:
            facing = (-high, -low, -middle, question.rope.mirrored())
        codes = decide_each(*facing)
        if question.rule == "probability":
            size = self._ordered.size
            edges = [mean + (end - middle) / max(shrink, 1e-300) for end in question.rope]
            below = np.searchsorted(self._ordered, edges[0], side="left") / size
            upto = np.searchsorted(self._ordered, edges[1], side="right") / size
            outside = [below, 1 - upto] if question.higher_is_better else [1 - upto, below]
            masses = np.stack([upto - below, *outside])
            codes = decide_each_by_probability(masses, question.prob, undecided_sides(*facing))
        if self._never_equivalent:
            codes = np.where(codes == VERDICTS.index(Verdict.EQUIVALENT), NO_VERDICT, codes)
        return Judged(codes, middle, low, high)

    def share(self, n: int) -> float:
        """Return the probability of the goal after n more items."""
        if n not in self._shares:
            self._shares[n] = n_reached(self._judged(n).verdict, self.goal) / self._truths.size
        return self._shares[n]

    def needed(self, target: float) -> int | None:
        """Return how many items give the goal the target, from then on; None where none below the most do."""
        if self.settled:
            return 0
        if self._beyond(target) or not min(self.counted):
            return None
        stop = self.most
        if self.share(stop) < target:
            return None
        start = stop // 2
        while start and self.share(start) >= target:  # from above: a few items may do by luck, and more of them not
            start, stop = start // 2, start
        while stop - start > max(1, start // STEPS_OF_SEARCH):
            middle = (start + stop) // 2
            start, stop = (middle, stop) if self.share(middle) < target else (start, middle)
        return int(stop)

    def hopeless(self, target: float) -> bool:
        """Whether no number of items below the most reaches the target, as far as can be told."""
        return self._beyond(target) or (min(self.counted) > 0 and self.needed(target) is None)

    def _beyond(self, target: float) -> bool:
        ceiling = self.design.ceiling
        return ceiling is not None and ceiling < target

    def around(self, needed: int | None) -> tuple[int, ...]:
        """Return numbers of items worth looking at: around those needed, or multiples of those counted."""
        if not min(self.counted):
            return self.near(ITEMS_AT_FIRST)
        if needed:
            return self.near(needed)
        return self._whole(share * max(self.counted) for share in MULTIPLES_OF_COUNTED)

    def near(self, n: float) -> tuple[int, ...]:
        """Return numbers of items around n."""
        return self._whole(share * n for share in MULTIPLES_OF_NEEDED)

    def _whole(self, sizes: Iterable[float]) -> tuple[int, ...]:
        return tuple(sorted({min(max(_rounded(size), 1), self.most) for size in sizes}))

    def _rough(self) -> Remark:
        if not self.recipe.model.can_be_simulated:
            return note("rough_extrapolation", f"{ROUGH}.")
        simulated = Mention("more_data", "r.more_data()")
        return note("rough_extrapolation", Wording(f"{ROUGH}; ", simulated, " simulates it."))

    def extrapolated(
        self, target: float, sizes: Iterable[int] | None = None, remarks: tuple[Remark, ...] = ()
    ) -> MoreData:
        """Return the answer without simulating anything."""
        if not min(self.counted):
            raise InvalidInputError(
                "Nothing has been counted, so there is nothing to extrapolate from.", hint="label a few items first."
            )
        needed = self.needed(target)
        low, high = (self.needed(target + off) if 0 < target + off < 1 else None for off in (-OFF, OFF))
        batches = {size: self.after(size) for size in sizes or self.around(needed)}
        question = self.recipe.question
        rows = tuple(count(question, size, batch, self.goal, exact=True) for size, batch in batches.items())
        remarks = (*remarks, *without_verdict(batches))
        return MoreData(
            design=self.design,
            target=target,
            n=needed,
            low=None if needed is None else low,
            high=None if needed is None else high,
            n_items=min(self.counted) if self.unit != "items" else self.recipe.n_items,
            rows=rows,
            max_n=self.most,
            method="extrapolation",
            unit=self.unit,
            simulations=0,
            remarks=(*remarks, self._rough()) if self.is_thin else remarks,
        )


def _rounded(size: float) -> int:
    """Round to two digits: nobody plans for 1,237 items."""
    if size < MAX_ITEMS_NOT_ROUNDED:
        return round(size)
    unit = int(10 ** (math.floor(math.log10(size)) - 1))
    return round(size / unit) * unit


def is_thin(recipe: Recipe, counted: tuple[int, ...]) -> bool:
    """Whether there are too few items for the posterior to shrink as that of a mean does."""
    tables = [t for t in recipe.tables if isinstance(t, Outcomes) and t.n_labels == BINARY]
    rarest = min((int(table.items_by_class().min()) for table in tables), default=MIN_ITEMS_OF_RARER_CLASS)
    return min(counted) < MIN_ITEMS or rarest < MIN_ITEMS_OF_RARER_CLASS


def remaining(variances: tuple[float, ...], counted: tuple[int, ...], n: int) -> float:
    """Return the share of the variance that is left after n more items for each part, which has so many counted.

    Examples
    --------
    >>> remaining((1.0,), (100,), 300), remaining((1.0, 3.0), (100, 100), 100)
    (0.25, 0.5)
    """
    left = [v * many / (many + n) for v, many in zip(variances, counted, strict=True)]
    return sum(left) / sum(variances) if sum(variances) > 0 else 1.0


def _parts(recipe: Recipe, draws: Draws, names: tuple[str, str]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the variances and counted items of the parts of a difference: classifiers with items of their own."""
    own = [table for table in recipe.tables if not set(names).isdisjoint(table.names)]
    places = [draws.names.index(name) for name in names]
    variances = (1.0,) if len(own) == 1 else tuple(float(draws.psi[k].var()) for k in places)
    return variances, tuple(table.n_items for table in own)


@dataclass(frozen=True, eq=False)
class Labels:
    """What more items are worth to who ships the better-looking of two classifiers, extrapolated from the draws.

    `most` is the number of items at which to give up.
    """

    learning: Learning
    variances: tuple[float, ...]
    counted: tuple[int, ...]
    most: int = MOST

    @classmethod
    def of(cls, result: Comparison, most: int = MOST) -> Labels:
        """Return the worth of labels for a comparison; it takes no ROPE."""
        return cls(Learning(result.draws.delta()), *_parts(result.recipe, result.draws, (result.a, result.b)), most)

    def after(self, n: int) -> LabelWorth:
        """Return what n more items are worth, and the expected loss that is left then."""
        worth = self.learning.worth(1 - remaining(self.variances, self.counted, n))
        return LabelWorth(n, worth, max(self.learning.certainty - worth, 0.0))

    def needed(self, max_loss: float) -> int | None:
        """Return how many items leave no more than this expected loss; None where none below the most do.

        The loss that is left falls with every item, so it is found by halving.
        """
        if self.after(0).loss <= max_loss:
            return 0
        if not min(self.counted) or self.after(self.most).loss > max_loss:
            return None
        start, stop = 0, self.most
        while stop - start > 1:
            middle = (start + stop) // 2
            start, stop = (start, middle) if self.after(middle).loss <= max_loss else (middle, stop)
        return stop

    def around(self, needed: int | None = None) -> tuple[int, ...]:
        """Return numbers of items worth looking at: around those needed, or multiples of those counted."""
        wanted = [share * max(self.counted) for share in MULTIPLES_OF_COUNTED]
        if needed:
            wanted = [share * needed for share in MULTIPLES_OF_NEEDED]
        return tuple(sorted({min(max(_rounded(size), 1), self.most) for size in wanted}))


def with_labels(result: Comparison) -> Comparison:
    """Return the comparison with what more labels are worth, where there are items to extrapolate from."""
    if result.stakes is None or not all(table.n_items for table in result.recipe.tables):
        return result
    labels = Labels.of(result)
    return replace(result, stakes=replace(result.stakes, labels=tuple(map(labels.after, labels.around()))))


def with_outlook(result: R) -> R:
    """Return the result with `more` filled in wherever a verdict is inconclusive: how many more items would settle it.

    Everything is extrapolated, which takes a few milliseconds per verdict.
    """
    if isinstance(result, Ranking):
        return replace(result, pairwise=tuple(_opened_pair(result, pair) for pair in result.pairwise))
    if not _is_open(result.decision, result.recipe) or result.regions is None:
        return result
    if isinstance(result, Comparison):
        return replace(result, more=Outlook.of_comparison(result, result.recipe).extrapolated(TARGET))
    bar, estimate, recipe = result.bar or 0.0, result.estimate, result.recipe
    outlook = Outlook(
        recipe, (recipe.tables[0].names[0], "the bar"), result.draws.psi[0] - bar, estimate.shifted(-bar),
        result.regions, (1.0,), (recipe.tables[0].n_items,),
    )  # fmt: skip
    return replace(result, more=outlook.extrapolated(TARGET))


def _opened_pair(result: Ranking, pair: Pair) -> Pair:
    contrast, recipe = pair.contrast, result.recipe
    if not _is_open(pair.decision, recipe) or contrast.regions is None:
        return pair
    outlook = Outlook.of(recipe, result.draws, (pair.a, pair.b), (contrast.delta, contrast.regions))
    return replace(pair, more=outlook.extrapolated(TARGET))


def _is_open(decision: Decision | None, recipe: Recipe) -> bool:
    return decision is not None and not decision.conclusive and all(table.n_items for table in recipe.tables)
