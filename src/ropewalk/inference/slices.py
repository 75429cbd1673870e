"""The same question on every slice of the items, with the answers pooled: where A got worse, and where better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ropewalk._progress import current, shown, track
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws import streams
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.pooling import as_measured, pool_disjoint
from ropewalk.errors import DataError
from ropewalk.inference.answers import draw_comparison, moved, remarks_beside
from ropewalk.inference.bearing import MOVED, MOVED_ERROR
from ropewalk.inference.question import Question, check_pool, select, write_recipe
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import require_bounded
from ropewalk.models import AnyData
from ropewalk.results import Comparison, Recipe
from ropewalk.results.slices import Shift, Slice, Slices, SliceValue
from ropewalk.text.verdicts import Verdict
from ropewalk.typing import FloatArray

SURE: Final = 0.975
"""So probable it must be that A is worse on a slice, after pooling, for the slice to be named where there is no ROPE.

Simulated where nothing differs, any of 20 slices of 50 items was then called worse in 2.5% of data sets; without
pooling in 48% (`docs/explain/calibration.md`).
"""

SAFE_MOVES: Final = 2.0
"""Beyond so many times what half or twice the prior mass moves a difference by, its sign is not the prior's."""

_SHIFTS: Final[Mapping[Verdict, Shift]] = {Verdict.B_BETTER: "worse", Verdict.A_BETTER: "better"}

MAX_DRAWS: Final = 50_000
MIN_DRAWS: Final = 2_000
MAX_RANDOM_NUMBERS: Final = 400_000_000
"""For all slices together, about 20 ns apiece."""


def compare_slices(
    whole: Comparison,
    parts: Mapping[SliceValue, AnyData],
    options: Mapping[str, Any],
    *,
    column: str | None = None,
    threads: int = 1,
) -> Slices:
    """Ask the question of a comparison of every slice of its items; `options` are those of the whole."""
    seeds = np.random.SeedSequence(whole.recipe.seed, spawn_key=(streams.SLICES,)).generate_state(len(parts), np.uint64)
    recipes: dict[SliceValue, Recipe] = {}
    left_out: list[tuple[SliceValue, str]] = []
    for (value, table), seed in zip(parts.items(), seeds.tolist(), strict=True):
        if not table.n_items:
            left_out.append((value, "No item of it has all labels."))
            continue
        about = {**select(options, Question), "pos_label": whole.recipe.pos_label, **classes_of(whole.recipe, table)}
        try:
            recipes[value] = write_recipe((table,), seed=seed >> 11, **about)
        except DataError as error:  # an area needs items of both classes
            left_out.append((value, error.message))
    if not recipes:
        raise DataError(f"The question can be asked of no slice: {left_out[0][1]}", hint="leave the slices out.")
    metric = whole.recipe.metric
    pooled = check_pool(options.get("pool"), len(recipes), default=metric.divisor is None)
    if pooled:
        require_bounded(metric, "differences of slices cannot be pooled")
    recipes = _alike(recipes)
    number = _draws(list(recipes.values()), options["draws"])
    drawn = []
    for recipe in track(recipes.values(), describe="Comparing slices", progress=current()):
        with shown(progress=False):
            drawn.append(draw_comparison(replace(recipe, draws=number), threads=threads))
    none = Evidence(reason="slices have none")
    apart = [replace(c, remarks=remarks_beside(c, draft), evidence=none) for c, draft in drawn]
    together = _together(apart, whole) if pooled else apart
    slices = tuple(
        Slice(value=value, comparison=c, shift=_shift(c, own))
        for value, c, own in zip(recipes, together, apart, strict=True)
    )
    return Slices(slices=slices, column=column, pooled=pooled, left_out=tuple(left_out))


def classes_of(recipe: Recipe, table: AnyData) -> dict[str, Any]:
    """Return the classes that an average runs over in a slice: those of the question that it has items of.

    Of the others the prior alone would speak, and in an average each weighs as much as one that was seen.
    """
    metric = recipe.metric
    if not isinstance(table, Outcomes) or not isinstance(metric, Metric) or metric.average != "macro":
        return {}
    items = table.items_by_class()
    places = range(table.n_labels) if metric.classes is None else metric.classes
    picked = [table.labels[j] for j in places if items[j] and table.labels[j] != NO_ANSWER]
    return {"classes": picked} if picked else {}


def _draws(recipes: Sequence[Recipe], asked: Any) -> int:
    """Return how many draws each slice has: as many as were asked for, else what takes no long time in all."""
    if asked != "auto":
        return int(asked)
    work = sum(posterior.work for recipe in recipes if recipe.sampler is None for posterior in recipe.posteriors())
    affordable = MAX_RANDOM_NUMBERS // max(work, 1) // 1_000 * 1_000
    return min(max(affordable, MIN_DRAWS), MAX_DRAWS)


def _alike(recipes: Mapping[SliceValue, Recipe]) -> dict[SliceValue, Recipe]:
    """Return the recipes with one seed for slices of the same items: they get the same answer."""
    seeds: dict[str, int] = {}
    return {value: replace(r, seed=seeds.setdefault(r.data_hash, r.seed)) for value, r in recipes.items()}


def _together(apart: Sequence[Comparison], whole: Comparison) -> list[Comparison]:
    """Return the comparisons with their differences drawn towards each other, and judged again."""
    number = min(len(c.draws) for c in apart)
    own = np.stack([c.draws.delta()[:number] for c in apart])
    reach = _reach(whole.recipe)
    pooled = pool_disjoint(_measured(own, apart, whole), low=-reach, high=reach, seed=whole.recipe.seed).psi
    return [_surely(moved(c, old, new)) for c, old, new in zip(apart, own, pooled, strict=True)]


def _reach(recipe: Recipe) -> float:
    """Return the largest difference that there can be."""
    metric, declared = recipe.metric, recipe.model.score_range
    reach = metric.high - metric.low
    return reach if declared is None or math.isfinite(reach) else declared[1] - declared[0]


def _surely(c: Comparison) -> Comparison:
    """Return a comparison whose verdict is unstable where with other draws the prior might have taken it away."""
    if c.decision is None or c.drawing.shift is None or c.drawing.shift.moved < MOVED - MOVED_ERROR:
        return c
    return replace(c, decision=replace(c.decision, stable=False))


def _measured(own: FloatArray, apart: Sequence[Comparison], whole: Comparison) -> FloatArray:
    """Return the draws of slices as they are pooled: about what was measured, unless the model is meant to move it."""
    if whole.recipe.model.moves or whole.recipe.model.is_deliberate:
        return own
    observed = np.array([c.mean if c.delta.observed is None else c.delta.observed for c in apart])
    n_items = np.array([float(c.recipe.n_items) for c in apart])
    return as_measured(own, observed, n_items, whole.delta.std**2 * whole.recipe.n_items)


def _shift(c: Comparison, own: Comparison) -> Shift | None:
    """Return whether A got worse or better on a slice: by a stable verdict, else by how sure the sign is.

    The slice's own items must point there too, and a prior must not decide.
    """
    if c.recipe.rope is not None:
        return _SHIFTS.get(c.decision.verdict) if c.decision is not None and c.decision.stable else None
    moved = 0.0 if c.drawing.shift is None else c.drawing.shift.moved
    if abs(own.mean) <= SAFE_MOVES * moved * own.std:
        return None
    up = c.recipe.metric.higher_is_better
    worse, better = (c.prob_below_zero, c.prob_above_zero) if up else (c.prob_above_zero, c.prob_below_zero)
    if max(worse, better) <= SURE or own.mean * c.mean <= 0:
        return None
    return "worse" if worse > SURE else "better"
