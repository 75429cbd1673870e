"""Which answers changed between two systems, and how many more would: measured on the draws of their comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import Draws
from ropewalk.draws.intervals import summarise
from ropewalk.draws.tasks import average, widened
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.flips import FlipShares, is_right_or_wrong
from ropewalk.metrics.resolve import needs_truth
from ropewalk.models import draw_psi, observed_psi
from ropewalk.models.influence import posterior_of, posterior_under
from ropewalk.results import Comparison, Flip, Flips, Recipe
from ropewalk.text.remarks import wording
from ropewalk.typing import FloatArray

_KINDS: Final = ("gained", "lost", "both_wrong")
_MAX_WORK: Final = 40_000_000  # random numbers, the work of less than a second: flips stand beside the answer
_FEWEST_DRAWS: Final = 2_000


def with_flips(answer: Comparison, asked: bool | None, *, usual: bool, threads: int = 1) -> Comparison:  # noqa: FBT001
    """Return a comparison with its flips: where they were asked for, or are `usual` and there can be any."""
    if asked is not None and not isinstance(asked, bool):
        raise InvalidInputError(
            wording("`flips` must be True or False; got {!r}.", asked),
            hint=wording("flips=True shows the answers gained and lost."),
        )
    reason = _no_flips(answer.recipe)
    if asked and reason:
        raise InvalidInputError(f"There are no flips: {reason}.", hint=wording("leave flips= out."))
    if reason or not (usual if asked is None else asked):
        return answer
    return replace(answer, flips=flips_of(answer, threads=threads))


def _no_flips(recipe: Recipe) -> str:
    """Return why answers cannot be said to have flipped; empty where they can."""
    table, model = recipe.tables[0], recipe.model
    if len(recipe.tables) > 1:
        return "the answers of the two are not paired, so none has changed into another"
    if isinstance(table, MultilabelOutcomes):
        return "items have any number of labels, and are neither right nor wrong as a whole"
    if isinstance(table, ItemScores) and needs_truth(recipe.metric):
        return f"{recipe.metric.name} is about all scores together, and none of them is right or wrong"
    if model.weights_difference:
        return "the prior is one of the difference alone"
    return ""


def flips_of(answer: Comparison, *, threads: int = 1) -> Flips:
    """Return the flips of a comparison: of all its draws if their number was asked for, else of the first of them."""
    recipe = answer.recipe
    table, measure = recipe.tables[0], _measure(recipe)
    shares = _draw(answer, measure, threads)
    observed = observed_psi([table], measure, recipe.prevalence)  # type: ignore[arg-type]
    counts = measure.count(table)  # type: ignore[arg-type]
    kinds = _KINDS[: len(shares)]

    def flip(draws: FloatArray, count: int, seen: float | None) -> Flip:
        ess = None if answer.chains is None else answer.chains.ess(draws)
        return Flip(count=count, share=summarise(draws, np.sort(draws), prob=recipe.prob, observed=seen, ess=ess))

    seen = list(observed) if None not in observed else [None] * len(kinds)
    each = {kind: flip(*of) for kind, of in zip(kinds, zip(shares, counts, seen, strict=True), strict=True)}
    return Flips(
        gained=each["gained"],
        lost=each["lost"],
        both_wrong=each.get("both_wrong"),
        churned=flip(shares.sum(axis=0), sum(counts), None if None in seen else sum(seen)),  # type: ignore[arg-type]
        of="answers" if measure.right_or_wrong else "scores",
        draws=Draws(psi=shares, names=kinds, chains=answer.draws.chains),
    )


def flips_together(tasks: Mapping[str, Comparison], seed: int) -> Flips | None:
    """Return the flips of all items of several tasks: counts add up, and so do shares, by the items of each.

    None where those of some task are not known.
    """
    each = {name: c.flips for name, c in sorted(tasks.items()) if c.flips is not None}
    if len(each) < len(tasks) or len({(flips.of, tuple(flips.rows)) for flips in each.values()}) > 1:
        return None
    first, prob = next(iter(each.values())), next(iter(tasks.values())).recipe.prob
    items = np.array([tasks[name].recipe.n_items for name in each])
    weights = items / items.sum()
    psi = average({name: _drawn_with(tasks[name], float(weights @ weights)) for name in each}, weights, seed).clip(0, 1)

    def together(kind: str, draws: FloatArray) -> Flip:
        flips = [getattr(one, kind) for one in each.values()]
        seen = [flip.share.observed for flip in flips]
        observed = None if None in seen else float(np.array(seen) @ weights)
        share = summarise(draws, np.sort(draws), prob=prob, observed=observed)
        return Flip(count=sum(flip.count for flip in flips), share=share)

    kinds = first.draws.names
    rows = {kind: together(kind, draws) for kind, draws in zip(kinds, psi, strict=True)}
    return Flips(
        gained=rows["gained"],
        lost=rows["lost"],
        both_wrong=rows.get("both_wrong"),
        churned=together("churned", psi.sum(axis=0)),
        of=first.of,
        draws=Draws(psi=psi, names=kinds),
        n_tasks=len(tasks),
    )


def _drawn_with(answer: Comparison, share: float) -> FloatArray:
    """Return draws of the flips on a task, whose prior has a share of its mass."""
    recipe, drawn = answer.recipe, answer.flips.draws.psi  # type: ignore[union-attr]
    model = recipe.model_with(share)
    if model is None:
        return drawn
    measure = _measure(recipe)
    posteriors = [posterior_under(model, recipe.model, table, measure, exact=recipe.exact) for table in recipe.tables]
    psi = draw_psi(posteriors, measure, recipe.prevalence, stop=drawn.shape[1], seed=recipe.seed)  # type: ignore[arg-type]
    return widened(psi, recipe.n_clusters or recipe.n_items)


def _measure(recipe: Recipe) -> FlipShares:
    table = recipe.tables[0]
    known = not isinstance(table, ItemScores) or is_right_or_wrong(table)
    return FlipShares(recipe.metric.higher_is_better, known)


def _draw(answer: Comparison, measure: FlipShares, threads: int) -> FloatArray:
    """Measure the flips on the draws of an answer, which are the same if they are drawn again."""
    recipe = answer.recipe
    if answer.chains is not None:
        return answer.chains.psi(measure, recipe.prevalence)  # type: ignore[arg-type]
    posteriors = [posterior_of(recipe.model, table, measure, exact=recipe.exact) for table in recipe.tables]
    number = len(answer.draws)
    if recipe.draws == "auto":
        work = max(sum(posterior.work for posterior in posteriors), 1)
        quick = max(_MAX_WORK // work, _FEWEST_DRAWS)
        number = min(number, answer.drawing.looks[0], quick)
    how = {"stop": number, "seed": recipe.seed, "threads": threads}
    return draw_psi(posteriors, measure, recipe.prevalence, **how)  # type: ignore[arg-type]
