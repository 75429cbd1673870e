"""What is still open, and how many more items would settle it: extrapolated, for every inconclusive verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeVar

import numpy as np

from ropewalk.decision import Decision, region_masses
from ropewalk.errors import InvalidInputError
from ropewalk.planning.counting import count, reached
from ropewalk.planning.extrapolate import Extrapolation
from ropewalk.planning.goals import CONCLUSIVE, ceilings_of
from ropewalk.results import ClassComparisons, Comparison, Evaluation, MetricPosterior, Pair, Ranking, Recipe, Rendered
from ropewalk.results.power import Design, MoreData
from ropewalk.sampling import Draws, difference
from ropewalk.typing import FloatArray

R = TypeVar("R", bound=Rendered)

MOST: Final = 10_000_000
TARGET: Final = 0.8
_AROUND: Final = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the answer: where to look
_SHOWN: Final = (0.5, 1.0, 2.0, 4.0, 8.0)  # of the items so far, where no number of items reaches the target
_BLIND: Final = 1_000  # where nothing has been counted there is nothing to extrapolate from
_GRID: Final = 80
_FEW: Final = 10
_THIN: Final = 50
_ROUGH: Final = f"Extrapolated from fewer than {_THIN} items, these probabilities may be off by several points."


@dataclass(frozen=True, eq=False)
class Outlook:
    """The probability of a goal against the number of new items, extrapolated from the draws of a difference."""

    recipe: Recipe
    names: tuple[str, str]
    delta: FloatArray
    variances: tuple[float, ...]
    counted: tuple[int, ...]
    goal: str = CONCLUSIVE
    most: int = MOST
    settled: bool = False
    draws: int = 0
    seed: int | None = None

    @classmethod
    def of(cls, draws: Draws, recipe: Recipe, names: tuple[str, str]) -> Outlook:
        """Return the outlook of the difference of two classifiers."""
        a, b = (draws.names.index(name) for name in names)
        own = [table for table in recipe.tables if not set(names).isdisjoint(table.names)]
        variances = (1.0,) if len(own) == 1 else tuple(float(draws.psi[k].var()) for k in (a, b))
        return cls(recipe, names, difference(draws.psi[a], draws.psi[b]), variances, tuple(t.n_items for t in own))

    @cached_property
    def design(self) -> Design:
        """What is asked."""
        assert self.recipe.rope is not None  # noqa: S101 - checked where it is asked for
        regions = region_masses(np.sort(self.delta), self.recipe.rope)
        return Design(
            recipe=self.recipe,
            goal=self.goal,
            truth=f"drawn from the posterior given {self.recipe.n_items:,} items",
            delta=None,
            names=self.names,
            draws=self.draws or self.delta.size,
            seed=self.recipe.seed if self.seed is None else self.seed,
            ceilings=ceilings_of(regions, higher_is_better=self.recipe.metric.higher_is_better),
        )

    @cached_property
    def _extrapolation(self) -> Extrapolation:
        return Extrapolation(self.delta, self.variances, self.counted, self.recipe.question)

    def share(self, n: int) -> float:
        """Return the probability of the goal after n more items."""
        batch = self._extrapolation.after(n)
        return reached(batch, self.goal) / len(batch)

    def needed(self, target: float) -> int | None:
        """Return how many items give the goal the target, from then on; None where none below the most do."""
        if self.settled:
            return 0
        if self._beyond(target) or not min(self.counted):
            return None
        sizes = np.unique(np.round(np.geomspace(1, self.most, _GRID)).astype(int)).tolist()
        short = [i for i, size in enumerate(sizes) if self.share(size) < target]
        if not short:
            return 1
        if short[-1] == len(sizes) - 1:
            return None
        start, stop = sizes[short[-1]], sizes[short[-1] + 1]
        while stop - start > max(1, start // 200):
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
            return self.near(_BLIND)
        if needed:
            return self.near(needed)
        return self._whole(share * max(self.counted) for share in _SHOWN)

    def near(self, n: float) -> tuple[int, ...]:
        """Return numbers of items around n."""
        return self._whole(share * n for share in _AROUND)

    def _whole(self, sizes: Iterable[float]) -> tuple[int, ...]:
        return tuple(sorted({min(max(_rounded(size), 1), self.most) for size in sizes}))

    def extrapolated(self, target: float, sizes: Iterable[int] | None = None, notes: tuple[str, ...] = ()) -> MoreData:
        """Return the answer without simulating anything."""
        if not min(self.counted):
            raise InvalidInputError("Nothing has been counted, so there is nothing to extrapolate from.")
        needed = self.needed(target)
        rows = tuple(
            count(self.recipe.question, size, self._extrapolation.after(size), self.goal)
            for size in sizes or self.around(needed)
        )
        return MoreData(
            design=self.design,
            target=target,
            n=needed,
            low=None,
            high=None,
            n_items=self.recipe.n_items,
            rows=rows,
            most=self.most,
            method="extrapolation",
            simulations=0,
            notes=notes if min(self.counted) >= _THIN else (*notes, _ROUGH),
        )


def _rounded(size: float) -> int:
    """Round to two digits: nobody plans for 1,237 items."""
    if size < _FEW:
        return round(size)
    unit = int(10 ** (math.floor(math.log10(size)) - 1))
    return round(size / unit) * unit


def with_outlook(result: R) -> R:
    """Return the result with `more` filled in wherever a verdict is inconclusive: how many more items would settle it.

    Everything is extrapolated, which takes a few milliseconds a verdict.
    """
    if isinstance(result, Comparison):
        return _opened(result)  # type: ignore[return-value]
    if isinstance(result, ClassComparisons):
        return replace(result, comparisons=tuple(_opened(one) for one in result.comparisons))
    if isinstance(result, Ranking):
        return replace(result, pairwise=tuple(_opened_pair(result, pair) for pair in result.pairwise))
    if isinstance(result, Evaluation):
        return replace(result, metrics=tuple(_opened_bar(result.name, one) for one in result.metrics))
    return result


def _is_open(decision: Decision | None, recipe: Recipe) -> bool:
    return decision is not None and not decision.conclusive and all(table.n_items for table in recipe.tables)


def _opened(result: Comparison) -> Comparison:
    if result.more is not None or not _is_open(result.decision, result.recipe):
        return result
    return replace(result, more=Outlook.of(result.draws, result.recipe, (result.a, result.b)).extrapolated(TARGET))


def _opened_pair(result: Ranking, pair: Pair) -> Pair:
    if not _is_open(pair.decision, result.recipe):
        return pair
    return replace(pair, more=Outlook.of(result.draws, result.recipe, (pair.a, pair.b)).extrapolated(TARGET))


def _opened_bar(name: str, one: MetricPosterior) -> MetricPosterior:
    if one.bar is None or not _is_open(one.decision, one.recipe):
        return one
    counted = (one.recipe.tables[0].n_items,)
    outlook = Outlook(one.recipe, (name, "the bar"), one.draws.psi[0] - one.bar, (1.0,), counted)
    return replace(one, more=outlook.extrapolated(TARGET))
