"""Judge two methods by several runs of each on the same items: draws over items, and what runs add to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from ropewalk.draws.blocks import Draws, difference
from ropewalk.draws.contrast import Contrast, contrast, is_settled
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.intervals import Estimate, summarise
from ropewalk.inference.answers import without_equivalence
from ropewalk.inference.bearing import too_little
from ropewalk.inference.drawing import Draft, capped, draw_recipe
from ropewalk.inference.remarks import remarks_on
from ropewalk.models import observed_psi
from ropewalk.models.runs import (
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
from ropewalk.results.runs import RunsComparison, RunsSummary, scope_of_runs
from ropewalk.text.remarks import Remark, note, warning, wording
from ropewalk.text.writing import number
from ropewalk.typing import FloatArray

Fixed = Literal["items", "runs"]

TOO_FAR: Final = 4.0
"""Median absolute deviations, as standard deviations of a normal, from which on a run is said to be far off."""

_SCALED_MAD: Final = 1.4826
_FEWEST_FOR_FAR: Final = 4
_BISECTIONS: Final = 24
_LARGEST_SD: Final = 20.0  # times how far the difference and the ROPE reach
_THIRD: Final = "A third run of each would make the interval about half as wide."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsAsked:
    """How runs are to be taken: `names` of the two methods, `n_runs` of each, and what is known of them."""

    names: tuple[str, str]
    n_runs: tuple[int, int]
    design: Design
    run_sd: float | HalfNormal | None = None
    deterministic: tuple[int, ...] = ()
    fixed: Fixed | None = None

    def parts(self, values: FloatArray) -> list[FloatArray]:
        """Return rows of all runs as those of A and those of B."""
        return [values[: self.n_runs[0]], values[self.n_runs[0] :]]

    def effects(self, draws: Sequence[FloatArray], observed: Sequence[FloatArray]) -> RunEffects:
        """Return what the runs add."""
        if self.design == "shared":
            found = shared_runs(draws, observed)
        else:
            found = independent_runs(draws, observed, self.deterministic)
        if self.fixed == "runs" or self.design == "samples":
            found = found.known_as(0.0)
            return found if found.common is None else replace(found, common=replace(found.common, known=0.0))
        return found if self.run_sd is None else found.known_as(self.run_sd)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Measured:
    """Draws of both methods, before runs add theirs, and what these add."""

    means: FloatArray
    effects: RunEffects
    parts: list[FloatArray]

    def psi(self, seed: int, effects: RunEffects | None = None) -> FloatArray:
        """Return the draws of both methods."""
        drawn = self.effects if effects is None else effects
        return self.means + drawn.draw(self.means.shape[1], seed)


def run_runs(recipe: Recipe, asked: RunsAsked, *, threads: int = 1) -> RunsComparison:
    """Carry out a recipe whose table has all runs of A and then all of B."""
    seen = observed_psi(recipe.tables, recipe.metric, recipe.prevalence)
    observed = np.array([np.nan if value is None else value for value in seen])

    def measured(psi: FloatArray) -> _Measured:
        parts = asked.parts(psi)
        if asked.fixed == "items":
            parts = [np.repeat(each[:, np.newaxis], psi.shape[1], axis=1) for each in asked.parts(observed)]
        means = np.stack([part.mean(axis=0) for part in parts])
        return _Measured(means=means, effects=asked.effects(parts, asked.parts(observed)), parts=parts)

    def settled(psi: FloatArray) -> bool:
        return is_settled(difference(*measured(psi).psi(recipe.seed)), recipe.question)

    draft = draw_recipe(recipe, seen, settled, threads=threads)
    return _judged(draft, asked, measured(draft.psi), observed)


def _judged(draft: Draft, asked: RunsAsked, made: _Measured, observed: FloatArray) -> RunsComparison:
    """Judge the difference of two methods."""
    recipe, effects = draft.recipe, made.effects
    own = asked.parts(observed)
    psi = made.psi(recipe.seed)
    means = [float(each.mean()) for each in own]
    question = draft.drawing.answerable(recipe.question)
    delta = difference(psi[0], psi[1])
    judged = contrast(delta, question, observed=means[0] - means[1], names=asked.names)
    reason = draft.drawing.no_verdict or _no_verdict(asked, effects) or _too_little(draft, asked, judged)
    drawing = without_equivalence(replace(draft.drawing, no_verdict=reason), recipe, judged.decision)
    limit = None
    if judged.decision is not None and not drawing.no_verdict and not effects.included:
        limit = _holds_below(made, judged, recipe, asked)
    if drawing.no_verdict:
        judged = judged.without_verdict()
    low, high = recipe.metric.low, recipe.metric.high
    estimates = [_estimate(np.clip(row, low, high), recipe, mean) for row, mean in zip(psi, means, strict=True)]
    included = effects.included and asked.fixed != "runs" and asked.design != "samples"
    no_effect = asked.fixed == "runs" or asked.design == "samples"
    parts = None
    if min(asked.n_runs) > 1 and asked.fixed is None:
        parts = components_of(made.parts, effects, recipe.n_items)
    return RunsComparison(
        a=asked.names[0],
        b=asked.names[1],
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        **judged.parts,
        evidence=Evidence(reason="the prior of the spread between runs is improper"),
        draws=Draws(psi=psi, names=asked.names),
        recipe=replace(recipe, model=SeveralRuns(inner=recipe.model, design=asked.design)),
        drawing=drawing,
        remarks=(*_remarks(asked, effects, own, drawing, limit), *_remarks_on_items(draft, asked, estimates, judged)),
        about=scope_of_runs(
            recipe.metric.name,
            design=asked.design,
            fixed=asked.fixed,
            clustered=recipe.n_clusters is not None and not recipe.repeated,
            included=included or no_effect,
        ),
        runs=RunsSummary(
            design=asked.design,
            observed=(tuple(own[0].tolist()), tuple(own[1].tolist())),
            sd_median=() if no_effect else effects.sd_median(),
            df=() if no_effect else tuple(spread.df for spread in effects.distinct if spread.df),
            included=included,
            holds_if_run_sd_below=limit,
        ),
        components=parts,
    )


def _estimate(row: FloatArray, recipe: Recipe, observed: float) -> Estimate:
    return summarise(row, np.sort(row), prob=recipe.prob, observed=observed)


def _too_little(draft: Draft, asked: RunsAsked, judged: Contrast) -> str:
    """Return why the items alone allow no verdict; empty where they do, or are fixed."""
    if asked.fixed == "items" or draft.recipe.rope is None:
        return ""
    signs = [1 / asked.n_runs[0]] * asked.n_runs[0] + [-1 / asked.n_runs[1]] * asked.n_runs[1]
    return too_little(draft.recipe, [float(row.std()) for row in draft.psi], judged.delta.std, signs)


def _no_verdict(asked: RunsAsked, effects: RunEffects) -> str:
    """Return why these runs allow no verdict; empty where they do."""
    if asked.fixed == "runs" or asked.run_sd is not None:
        return ""
    if asked.fixed == "items" and not effects.included:
        return "no verdict, since without a second run nothing is known of others"
    if asked.design == "shared" and asked.n_runs[0] == 2:  # noqa: PLR2004
        return "no verdict, since two shared runs have one degree of freedom"
    return ""


def _holds_below(made: _Measured, judged: Contrast, recipe: Recipe, asked: RunsAsked) -> float | None:
    """Return the standard deviation between runs at which the verdict would change; None where there is none to hold.

    The same random numbers stand for every standard deviation, so that the answer is one number.
    """
    decision = judged.decision
    if decision is None or not decision.conclusive or recipe.rope is None:
        return None

    def same(sd: float) -> bool:
        delta = difference(*made.psi(recipe.seed, made.effects.known_as(sd)))
        other = contrast(delta, recipe.question, observed=None, names=asked.names).decision
        return other is not None and other.verdict is decision.verdict

    ends = [abs(end) for end in recipe.rope if np.isfinite(end)]
    low, high = 0.0, _LARGEST_SD * (max(ends) + abs(judged.delta.mean) + judged.delta.std)
    if same(high):
        return None
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


# -- remarks -------------------------------------------------------------------------------------------------


def _remarks(
    asked: RunsAsked, effects: RunEffects, observed: Sequence[FloatArray], drawing: Drawing, limit: float | None
) -> Iterator[Remark]:
    """Yield what is to be said about the runs."""
    if drawing.no_verdict and _no_verdict(asked, effects) == drawing.no_verdict:
        yield warning("no_verdict", f"{drawing.no_verdict[0].upper()}{drawing.no_verdict[1:]}.")
    if asked.fixed != "runs" and asked.design != "samples":
        yield from _on_few(asked, effects, limit)
    for name, values in zip(asked.names, observed, strict=True):
        yield from _far_off(name, values)


def _on_few(asked: RunsAsked, effects: RunEffects, limit: float | None) -> Iterator[Remark]:
    """Yield what is to be said about few runs, and about different numbers of them."""
    if not effects.included:
        text = "One run each: the spread between runs is not in this interval."
        if limit is not None:
            text += f" The verdict holds if runs have a standard deviation below {number(limit, 4)}."
        yield warning("runs_not_included", text + wording(" run_sd= puts one in; more runs would show it."))
        return
    if asked.run_sd is not None:
        return
    varying = [k for k in (0, 1) if k not in asked.deterministic]
    n_runs = [asked.n_runs[k] for k in varying]
    if asked.design == "independent" and len(set(n_runs)) > 1:
        if min(n_runs) == 1:
            single, other = (asked.names[k] for k in sorted(varying, key=lambda k: asked.n_runs[k]))
            text = f"{single} has one run: the spread of {other}'s runs stands in for that of its own."
            yield warning("borrowed_spread", text + wording(" deterministic= says that it has none."))
        else:
            text = f"{n_runs[0]} runs and {n_runs[1]}: each method has a spread of its own."
            yield note("unequal_runs", text)
    if any(spread.df and spread.df <= 2 and n <= 2 for spread, n in zip(effects.spreads, asked.n_runs, strict=True)):  # noqa: PLR2004
        n = "Two shared runs" if asked.design == "shared" else "Two runs of a method"
        yield warning("few_runs", f"{n} say little of how far runs lie apart, and the interval is wide. {_THIRD}")


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


def _remarks_on_items(
    draft: Draft, asked: RunsAsked, estimates: Sequence[Estimate], judged: Contrast
) -> tuple[Remark, ...]:
    """Return what is to be said about the items."""
    if asked.fixed == "items":
        return ()
    metric, (first, second) = draft.recipe.metric.name, asked.n_runs
    signs = ([1 / first] * first + [0.0] * second, [0.0] * first + [1 / second] * second)
    whose = {f"{metric}, {who}": (e, tuple(s)) for who, e, s in zip(asked.names, estimates, signs, strict=True)}
    stable = judged.decision is None or judged.decision.stable
    found = remarks_on(draft.recipe, draft.drawing, draft.posteriors, whose, judged.decision)
    return (*found, *capped(draft, stable=stable))
