"""Judge methods by several runs of each on the same items: one against a bar, two by their difference, or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import combinations
from typing import Final

import numpy as np

from ropewalk.draws.blocks import Draws, difference
from ropewalk.draws.contrast import Contrast, contrast, is_settled
from ropewalk.draws.decision import Decision
from ropewalk.draws.evidence import Evidence
from ropewalk.inference.answers import against_bar, check_bars, without_equivalence
from ropewalk.inference.drawing import capped
from ropewalk.inference.more_runs import score_with_more_runs, with_more_runs
from ropewalk.inference.ranking import are_settled, judge_ranking
from ropewalk.inference.remarks import remarks_on
from ropewalk.inference.runs import RunsAsked, RunsDraft, draw_runs
from ropewalk.results import Ranking, Recipe
from ropewalk.results.base import Drawing
from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsPosterior, RunsRanking
from ropewalk.text.remarks import Remark

_BISECTIONS: Final = 24
_LARGEST_SD: Final = 20.0  # times how far the difference and the ROPE reach


# -- two -----------------------------------------------------------------------------------------------------


def run_runs(recipes: Sequence[Recipe], asked: RunsAsked, *, threads: int = 1) -> RunsComparison:
    """Carry out one recipe per metric, whose table has all runs of A and then all of B; the first holds the others."""

    def settled(made: RunsDraft) -> bool:
        return is_settled(difference(*made.psi), made.recipe.question)

    first, *others = map(_judged, draw_runs(recipes, asked, settled, threads=threads))
    return replace(with_more_runs(first), others=tuple(others))


def _judged(made: RunsDraft) -> RunsComparison:
    """Judge the difference of two methods."""
    recipe, asked, draft = made.recipe, made.asked, made.draft
    first, second = made.observed
    question = draft.drawing.answerable(recipe.question)
    names = (asked.names[0], asked.names[1])
    judged = contrast(difference(*made.psi), question, observed=first - second, names=names)
    reason = made.no_verdict(judged.delta.std, (1.0, -1.0))
    drawing = without_equivalence(replace(draft.drawing, no_verdict=reason), recipe, judged.decision)
    limit = None
    if judged.decision is not None and not drawing.no_verdict and not made.effects.included:
        limit = _holds_below(made, judged)
    if drawing.no_verdict:
        judged = judged.without_verdict()
    estimates = made.estimates
    weights = dict(zip(names, ((1.0, 0.0), (0.0, 1.0)), strict=True))
    return RunsComparison(
        a=names[0],
        b=names[1],
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        **judged.parts,
        evidence=Evidence(reason="the prior of the spread between runs is improper"),
        draws=Draws(psi=made.psi, names=names),
        recipe=made.told_recipe,
        drawing=drawing,
        remarks=(*made.remarks(drawing, limit), *_on_items(made, drawing, weights, judged.decision)),
        about=made.scope,
        runs=made.summary(limit),
        components=made.components,
    )


def _holds_below(made: RunsDraft, judged: Contrast) -> float | None:
    """Return the standard deviation between runs at which the verdict would change; None where there is none to hold.

    The same random numbers stand for every standard deviation, so that the answer is one number.
    """
    decision, recipe = judged.decision, made.recipe
    if decision is None or not decision.conclusive or recipe.rope is None:
        return None
    names = (made.asked.names[0], made.asked.names[1])

    def same(sd: float) -> bool:
        delta = difference(*made.psi_given(made.effects.known_as(sd)))
        other = contrast(delta, recipe.question, observed=None, names=names).decision
        return other is not None and other.verdict is decision.verdict

    ends = [abs(end) for end in recipe.rope if np.isfinite(end)]
    low, high = 0.0, _LARGEST_SD * (max(ends) + abs(judged.delta.mean) + judged.delta.std)
    if same(high):
        return None
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if same(middle) else (low, middle)
    return low


def _on_items(
    made: RunsDraft,
    drawing: Drawing,
    weights: Mapping[str, Sequence[float]],
    decision: Decision | None = None,
    *,
    stable: bool = True,
) -> tuple[Remark, ...]:
    """Return what is to be said about the items; `weights` are those of each method in the score of each."""
    if made.asked.fixed == "items":
        return ()
    recipe = made.recipe
    whose = {
        f"{recipe.metric.name}, {who}": (estimate, tuple(made.asked.signs(weight)))
        for (who, weight), estimate in zip(weights.items(), made.estimates, strict=True)
    }
    found = remarks_on(recipe, drawing, made.draft.posteriors, whose, decision)
    return (*found, *capped(made.draft, stable=stable and (decision is None or decision.stable)))


# -- one -----------------------------------------------------------------------------------------------------


def evaluate_method(
    recipes: Sequence[Recipe], asked: RunsAsked, bar: float | None, *, threads: int = 1
) -> RunsEvaluation:
    """Carry out one recipe per metric, whose table has the runs of one method."""
    check_bars(recipes, bar)

    def settled(made: RunsDraft) -> bool:
        return bar is None or is_settled(made.psi[0] - bar, made.recipe.question)

    answers = [_posterior(made, bar) for made in draw_runs(recipes, asked, settled, threads=threads)]
    distinct = tuple(dict.fromkeys(remark for _, remarks in answers for remark in remarks))
    posteriors = tuple(posterior for posterior, _ in answers)
    return RunsEvaluation(name=asked.names[0], at_least=bar, metrics=posteriors, remarks=distinct)


def _posterior(made: RunsDraft, bar: float | None) -> tuple[RunsPosterior, tuple[Remark, ...]]:
    """Set the expected score of a run against the bar; return it with the remarks on it."""
    recipe, name = made.recipe, made.asked.names[0]
    (estimate,) = made.estimates
    row = np.clip(made.psi[0], recipe.metric.low, recipe.metric.high)
    drawing = made.draft.drawing
    if bar is not None:
        drawing = replace(drawing, no_verdict=made.no_verdict(estimate.std, (1.0,)))
    judged, drawing = against_bar(row, estimate, recipe, drawing, bar, name=name)
    posterior = score_with_more_runs(
        RunsPosterior(
            metric=recipe.metric,
            estimate=estimate,
            **judged,
            bar=bar,
            draws=Draws(psi=row[np.newaxis], names=made.asked.names),
            recipe=made.told_recipe,
            drawing=drawing,
            about=made.scope,
            runs=made.summary(),
            components=made.components,
        )
    )
    on_items = _on_items(made, drawing, {name: (1.0,)}, posterior.decision)
    return posterior, (*made.remarks(drawing), *on_items)


# -- many ----------------------------------------------------------------------------------------------------


def rank_methods(recipe: Recipe, asked: RunsAsked, *, threads: int = 1) -> RunsRanking:
    """Carry out a recipe whose table has the runs of one method after those of another."""
    pairs = list(combinations(range(len(asked.names)), 2))

    def settled(made: RunsDraft) -> bool:
        return are_settled(recipe, made.psi)

    made = draw_runs([recipe], asked, settled, threads=threads, n_pairs=len(pairs))[0]
    draft = replace(made.draft, recipe=made.of_methods, psi=made.psi, observed=made.observed)

    def bear(judged: Sequence[Contrast], alone: Sequence[Contrast]) -> list[Drawing]:
        drawings = []
        for (i, j), one, own in zip(pairs, judged, alone, strict=True):
            signs = [float(k == i) - float(k == j) for k in range(len(asked.names))]
            drawing = replace(draft.drawing, no_verdict=made.no_verdict(own.delta.std, signs))
            drawings.append(without_equivalence(drawing, recipe, one.decision))
        return drawings

    ranking = judge_ranking(draft, bear).ranking
    stable = all(pair.decision is None or pair.decision.stable for pair in ranking.pairwise)
    weights = dict(zip(asked.names, np.eye(len(asked.names)).tolist(), strict=True))
    said = (*made.remarks(ranking.drawing), *ranking.remarks, *_on_items(made, ranking.drawing, weights, stable=stable))
    known = {each.name: getattr(ranking, each.name) for each in fields(Ranking)}
    if not recipe.pool:  # pooled scores lie on their scale already
        known["models"] = tuple(
            replace(model, estimate=estimate) for model, estimate in zip(ranking.models, made.estimates, strict=True)
        )
    known |= {"recipe": made.told_recipe, "remarks": tuple(dict.fromkeys(said))}
    return RunsRanking(**known, about=made.scope, runs=made.summary(), components=made.components)
