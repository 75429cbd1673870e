"""Methods by several runs of each on the same items: draws over items, what runs add to them, and what to say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np

from ropewalk.draws.intervals import Estimate, summarise
from ropewalk.inference.bearing import too_little
from ropewalk.inference.drawing import Draft, Order, draw_orders
from ropewalk.models import observed_psi
from ropewalk.models.runs import (
    Components,
    Design,
    HalfNormal,
    RunEffects,
    components_of,
    independent_runs,
    shared_runs,
)
from ropewalk.models.several_runs import SeveralRuns
from ropewalk.results import Recipe
from ropewalk.results.base import Drawing
from ropewalk.results.runs import RunsSummary, scope_of_runs
from ropewalk.results.scope import Scope
from ropewalk.text.remarks import Remark, note, warning, wording
from ropewalk.text.writing import number
from ropewalk.typing import FloatArray

Fixed = Literal["items", "runs"]

TOO_FAR: Final = 4.0
"""Median absolute deviations, as standard deviations of a normal, from which on a run is said to be far off."""

_SCALED_MAD: Final = 1.4826
_FEWEST_FOR_FAR: Final = 4
_THIRD: Final = "A third run of each would make the interval about half as wide."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsAsked:
    """How runs are to be taken: the `names` of methods, `n_runs` of each, and what is known of them."""

    names: tuple[str, ...]
    n_runs: tuple[int, ...]
    design: Design
    run_sd: float | HalfNormal | None = None
    deterministic: tuple[int, ...] = ()
    fixed: Fixed | None = None

    @property
    def without_spread(self) -> bool:
        """Whether runs add nothing by design: they are those that are meant, or samples."""
        return self.fixed == "runs" or self.design == "samples"

    def parts(self, values: FloatArray) -> list[FloatArray]:
        """Return rows of all runs as those of each method."""
        return np.split(values, np.cumsum(self.n_runs)[:-1])

    def signs(self, weights: Sequence[float]) -> list[float]:
        """Return the weight of every run in what is made of so much of each method."""
        return [weight / n for weight, n in zip(weights, self.n_runs, strict=True) for _ in range(n)]

    def effects(self, draws: Sequence[FloatArray], observed: Sequence[FloatArray]) -> RunEffects:
        """Return what the runs add."""
        if self.design == "shared" and len(self.names) > 1:
            found = shared_runs(draws, observed)
        else:
            found = independent_runs(draws, observed, self.deterministic)
        if self.without_spread:
            found = found.known_as(0.0)
            return found if found.common is None else replace(found, common=replace(found.common, known=0.0))
        return found if self.run_sd is None else found.known_as(self.run_sd)


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsDraft:
    """Draws of a metric of every run, on the way to an answer about methods: `parts` of each, and what was `seen`."""

    draft: Draft
    asked: RunsAsked
    parts: list[FloatArray]
    seen: list[FloatArray]

    @property
    def recipe(self) -> Recipe:
        """What was drawn."""
        return self.draft.recipe

    @cached_property
    def means(self) -> FloatArray:
        """The mean over the runs of each method, before further runs are thought of."""
        return np.stack([part.mean(axis=0) for part in self.parts])

    @cached_property
    def effects(self) -> RunEffects:
        """What runs add."""
        return self.asked.effects(self.parts, self.seen)

    @cached_property
    def psi(self) -> FloatArray:
        """The draws of the methods."""
        return self.psi_given(self.effects)

    def psi_given(self, effects: RunEffects) -> FloatArray:
        """Return the draws of the methods where runs add this."""
        return self.means + effects.draw(self.means.shape[1], self.recipe.seed)

    @property
    def observed(self) -> list[float]:
        """The mean of what the runs of each method scored."""
        return [float(each.mean()) for each in self.seen]

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The expected score of a run of each method; no score lies beyond the ends of the metric."""
        recipe, (low, high) = self.recipe, (self.recipe.metric.low, self.recipe.metric.high)
        clipped = [np.clip(row, low, high) for row in self.psi]
        return [
            summarise(row, np.sort(row), prob=recipe.prob, observed=mean)
            for row, mean in zip(clipped, self.observed, strict=True)
        ]

    @property
    def included(self) -> bool:
        """Whether the spread between runs is in the interval."""
        return self.effects.included and not self.asked.without_spread

    def no_verdict(self, judged: float, weights: Sequence[float]) -> str:
        """Return why runs or items allow no verdict on what has so much of each method; empty where they do.

        `judged` is its standard deviation.
        """
        return (
            self.draft.drawing.no_verdict or no_verdict(self.asked, self.effects) or self._too_little(judged, weights)
        )

    def _too_little(self, judged: float, weights: Sequence[float]) -> str:
        if self.asked.fixed == "items" or self.recipe.rope is None:
            return ""
        singles = [float(row.std()) for row in self.draft.psi]
        return too_little(self.recipe, singles, judged, self.asked.signs(weights))

    @property
    def of_methods(self) -> Recipe:
        """The recipe with a column per method, that of its first run."""
        (table,), n_runs = self.recipe.tables, self.asked.n_runs
        first = [table.names[sum(n_runs[:k])] for k in range(len(n_runs))]
        return replace(self.recipe, tables=(table.project(first).rename(self.asked.names),))

    @property
    def told_recipe(self) -> Recipe:
        """The recipe with the names of the methods, and what stands for its model."""
        return replace(self.of_methods, model=SeveralRuns(inner=self.recipe.model, design=self.asked.design))

    @property
    def scope(self) -> Scope:
        """What the answer is about."""
        return scope_of_runs(
            self.recipe.metric.name,
            n_methods=len(self.asked.names),
            design=self.asked.design,
            fixed=self.asked.fixed,
            clustered=self.recipe.n_clusters is not None and not self.recipe.repeated,
            included=self.effects.included,
        )

    def summary(self, limit: float | None = None) -> RunsSummary:
        """Return the runs; `limit` is the standard deviation between them up to which a verdict holds."""
        effects, without = self.effects, self.asked.without_spread
        spreads = effects.distinct
        if len(self.asked.names) > 2 and len(spreads) > 1:  # noqa: PLR2004
            spreads = effects.spreads
        return RunsSummary(
            design=self.asked.design,
            names=self.asked.names,
            observed=tuple(tuple(each.tolist()) for each in self.seen),
            sd_median=() if without else effects.sd_median(spreads),
            df=() if without else tuple(s.df for s in spreads if s.df or len(spreads) > 2),  # noqa: PLR2004
            included=self.included,
            holds_if_run_sd_below=limit,
        )

    @cached_property
    def components(self) -> Components | None:
        """Where the variance comes from; None where that cannot be told."""
        if min(self.asked.n_runs) < 2 or self.asked.fixed is not None:  # noqa: PLR2004
            return None
        return components_of(self.parts, self.effects, self.recipe.n_items)

    def remarks(self, drawing: Drawing, limit: float | None = None) -> Iterator[Remark]:
        """Yield what is to be said about the runs."""
        asked = self.asked
        if drawing.no_verdict and no_verdict(asked, self.effects) == drawing.no_verdict:
            yield warning("no_verdict", f"{drawing.no_verdict[0].upper()}{drawing.no_verdict[1:]}.")
        if not asked.without_spread:
            yield from _on_few(asked, self.effects, limit)
        for name, values in zip(asked.names, self.seen, strict=True):
            yield from _far_off(name, values)


def draw_runs(
    recipes: Sequence[Recipe],
    asked: RunsAsked,
    settled: Callable[[RunsDraft], bool],
    *,
    threads: int = 1,
    n_pairs: int = 1,
) -> list[RunsDraft]:
    """Draw recipes whose table has all runs of one method after those of another, until each is `settled`."""
    orders, seen = [], []

    def made(recipe: Recipe, values: FloatArray, psi: FloatArray) -> RunsDraft:
        own, parts = asked.parts(values), asked.parts(psi)
        if asked.fixed == "items":
            parts = [np.repeat(each[:, np.newaxis], psi.shape[1], axis=1) for each in own]
        draft = Draft(recipe=recipe, drawing=Drawing(), posteriors=(), psi=psi)
        return RunsDraft(draft=draft, asked=asked, parts=parts, seen=own)

    for recipe in recipes:
        found = observed_psi(recipe.tables, recipe.metric, recipe.prevalence)
        values = np.array([np.nan if value is None else value for value in found])
        seen.append(values)

        def enough(psi: FloatArray, recipe: Recipe = recipe, values: FloatArray = values) -> bool:
            return settled(made(recipe, values, psi))

        orders.append(Order(recipe=recipe, observed=found, settled=enough))
    drafts = draw_orders(orders, threads=threads, n_pairs=n_pairs)
    return [replace(made(d.recipe, values, d.psi), draft=d) for d, values in zip(drafts, seen, strict=True)]


def no_verdict(asked: RunsAsked, effects: RunEffects) -> str:
    """Return why these runs allow no verdict; empty where they do."""
    if asked.without_spread or asked.run_sd is not None:
        return ""
    if asked.fixed == "items" and not effects.included:
        return "no verdict, since without a second run nothing is known of others"
    if effects.included and max((spread.df for spread in effects.distinct), default=0) == 1:
        shared = "shared " if asked.design == "shared" and len(asked.names) > 1 else ""
        return f"no verdict, since two {shared}runs have one degree of freedom"
    return ""


# -- remarks -------------------------------------------------------------------------------------------------


def _on_few(asked: RunsAsked, effects: RunEffects, limit: float | None) -> Iterator[Remark]:
    """Yield what is to be said about few runs, and about different numbers of them."""
    several = len(asked.names) > 1
    if not effects.included:
        text = f"One run{' each' if several else ''}: the spread between runs is not in this interval."
        if limit is not None:
            text += f" The verdict holds if runs have a standard deviation below {number(limit, 4)}."
        yield warning("runs_not_included", text + wording(" run_sd= puts one in; more runs would show it."))
        return
    if asked.run_sd is not None:
        return
    varying = [k for k in range(len(asked.names)) if k not in asked.deterministic]
    n_runs = [asked.n_runs[k] for k in varying]
    if asked.design == "independent" and len(set(n_runs)) > 1:
        if min(n_runs) == 1:
            singles = [asked.names[k] for k in varying if asked.n_runs[k] == 1]
            others = [asked.names[k] for k in varying if asked.n_runs[k] > 1]
            text = (
                f"{few_names(singles)} ha{'s' if len(singles) == 1 else 've'} one run: the spread of "
                f"{few_names(others)}'s runs stands in for {'that of its own' if len(singles) == 1 else 'their own'}."
            )
            yield warning("borrowed_spread", text + wording(" deterministic= says that it has none."))
        else:
            counts = f"{n_runs[0]} runs and {n_runs[1]}" if len(n_runs) == 2 else f"{min(n_runs)} to {max(n_runs)} runs"  # noqa: PLR2004
            yield note("unequal_runs", f"{counts}: each method has a spread of its own.")
    if len(asked.names) > 2 and len(effects.distinct) > 1 and len(set(n_runs)) == 1:  # noqa: PLR2004
        whole = max(effects.spreads, key=lambda spread: spread.df)
        apart = [name for name, spread in zip(asked.names, effects.spreads, strict=True) if spread is not whole]
        text = f"The runs of {few_names(apart)} lie further apart than those of the others: "
        yield note("own_spread", text + ("it has" if len(apart) == 1 else "each has") + " a spread of its own.")
    if any(spread.df and spread.df <= 2 and n <= 2 for spread, n in zip(effects.spreads, asked.n_runs, strict=True)):  # noqa: PLR2004
        who = "Two shared runs" if asked.design == "shared" and several else "Two runs of a method"
        third = _THIRD if several else "A third one would make the interval much narrower."
        yield warning("few_runs", f"{who} say little of how far runs lie apart, and the interval is wide. {third}")


def few_names(names: Sequence[str]) -> str:
    """Write a few names, and how many more there are.

    Examples
    --------
    >>> few_names(["a"]), few_names(["a", "b"]), few_names(["a", "b", "c"])
    ('a', 'a and b', 'a and 2 more')
    """
    if len(names) <= 2:  # noqa: PLR2004
        return " and ".join(names)
    return f"{names[0]} and {len(names) - 1} more"


def _far_off(name: str, values: FloatArray) -> Iterator[Remark]:
    """Yield a warning where one run lies far from the others."""
    if len(values) < _FEWEST_FOR_FAR:
        return
    off = np.abs(values - np.median(values))
    spread = _SCALED_MAD * float(np.median(off))
    far = np.flatnonzero(off > TOO_FAR * spread) if spread > 0 else np.array([], dtype=np.int64)
    if 0 < far.size <= len(values) // 4:
        runs = ", ".join(f"{place + 1} ({number(float(values[place]), 4)})" for place in far)
        which = "Run" if far.size == 1 else "Runs"
        text = f"{which} {runs} of {name} lie{'s' if far.size == 1 else ''} far from the others: look at the runs."
        yield warning("far_run", text)
