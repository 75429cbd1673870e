"""The same question on every slice of the items, with the answers pooled: where A got worse, and where better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ropewalk._progress import shown
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws import streams
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.pooling import pool_disjoint
from ropewalk.errors import DataError
from ropewalk.inference.answers import draw_comparison, moved, remarks_beside
from ropewalk.inference.question import Question, check_pool, select, write_recipe
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import require_bounded
from ropewalk.models import AnyData
from ropewalk.results import Comparison, Recipe
from ropewalk.results.slices import Shift, Slice, Slices, SliceValue
from ropewalk.text.verdicts import Verdict

SURE: Final = 0.975
"""So probable it must be that A is worse on a slice, after pooling, for the slice to be named where there is no ROPE.

Simulated where nothing differs, any of 20 slices of 50 items was then called worse in 2% of data sets; without pooling
in 48% (`docs/explain/calibration.md`).
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
    number = _draws(list(recipes.values()), options["draws"])
    with shown(progress=False):
        drawn = [draw_comparison(replace(recipe, draws=number), threads=threads) for recipe in recipes.values()]
    none = Evidence(reason="slices have none")
    apart = [replace(c, remarks=remarks_beside(c, draft), evidence=none) for c, draft in drawn]
    together = _together(apart, whole.recipe.seed) if pooled else apart
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


def _together(apart: Sequence[Comparison], seed: int) -> list[Comparison]:
    """Return the comparisons with their differences drawn towards each other, and judged again."""
    number = min(len(c.draws) for c in apart)
    own = np.stack([c.draws.delta()[:number] for c in apart])
    metric = apart[0].recipe.metric
    reach = metric.high - metric.low
    pooled = pool_disjoint(own, low=-reach, high=reach, seed=seed).psi
    return [moved(c, old, new) for c, old, new in zip(apart, own, pooled, strict=True)]


def _shift(c: Comparison, own: Comparison) -> Shift | None:
    """Return whether A got worse or better on a slice: by the verdict, else by how sure the sign is.

    The slice's own items must point there too, and a prior must not decide.
    """
    if c.recipe.rope is not None:
        return None if c.decision is None else _SHIFTS.get(c.decision.verdict)
    moved = 0.0 if c.drawing.shift is None else c.drawing.shift.moved
    if abs(own.mean) <= SAFE_MOVES * moved * own.std:
        return None
    up = c.recipe.metric.higher_is_better
    worse, better = (c.prob_below_zero, c.prob_above_zero) if up else (c.prob_above_zero, c.prob_below_zero)
    if max(worse, better) <= SURE or own.mean * c.mean <= 0:
        return None
    return "worse" if worse > SURE else "better"
