"""Carry out the questions about one classifier, one metric after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk.draws.decision import Decision, judge, rope_path
from ropewalk.draws.summary import count_below, summarise
from ropewalk.errors import InvalidInputError
from ropewalk.inference.drawing import UNDRAWN, capped, draw_recipe
from ropewalk.inference.outlook import with_outlook
from ropewalk.inference.remarks import remarks_on
from ropewalk.models.posterior import observed_psi
from ropewalk.results import Evaluation, MetricPosterior, Recipe
from ropewalk.results.base import Drawing
from ropewalk.text.options import argument
from ropewalk.text.remarks import Remark
from ropewalk.text.verdicts import bar_text, rope_text
from ropewalk.typing import FloatArray


def collected(recipes: Sequence[Recipe], bar: float | None, *, threads: int, known: Drawing = UNDRAWN) -> Evaluation:
    """Carry out one recipe per metric and put the answers together; `known` has chains that are not run again."""
    for recipe in recipes:
        if bar is not None and not recipe.metric.low <= bar <= recipe.metric.high:
            raise InvalidInputError(
                argument("at_least") + f" is {bar:g}, and {recipe.metric.name} lies between {recipe.metric.low:g} and "
                f"{recipe.metric.high:g}.",
                hint="write 0.8 for 80%.",
            )
    answers: list[tuple[MetricPosterior, tuple[Remark, ...]]] = []
    for recipe in recipes:
        # Chains that were sampled for one metric serve the others, where their tables are the same.
        shared = next((answer.chains for answer, _ in answers if _same_chains(answer.recipe, recipe)), known.chains)
        answers.append(_posterior(recipe, bar, threads, Drawing(chains=shared)))
    distinct = tuple(dict.fromkeys(remark for _, remarks in answers for remark in remarks))
    posteriors = tuple(posterior for posterior, _ in answers)
    name = recipes[0].tables[0].names[0]
    return Evaluation(name=name, at_least=bar, metrics=posteriors, remarks=distinct)


def _same_chains(known: Recipe, recipe: Recipe) -> bool:
    """Whether chains of one recipe are those of another."""
    alike = known.model == recipe.model and known.sampler == recipe.sampler
    labels = [[table.labels for table in one.tables] for one in (known, recipe)]
    return known.sampler is not None and alike and labels[0] == labels[1]


def _posterior(
    recipe: Recipe, bar: float | None, threads: int, known: Drawing
) -> tuple[MetricPosterior, tuple[Remark, ...]]:
    """Draw one metric's posterior and set it against the bar; return it with the remarks on it."""
    observed = observed_psi(recipe.tables, recipe.metric, recipe.prevalence)
    rope, prob, rule, metric = recipe.rope, recipe.prob, recipe.rule, recipe.metric

    how: Any = {"prob": prob, "rule": rule, "higher_is_better": metric.higher_is_better}

    def settled(psi: FloatArray) -> bool:
        if rope is None or bar is None:
            return True
        ordered = np.sort(psi[0])
        estimate = summarise(psi[0], ordered, prob=prob, observed=None).shifted(-bar)
        return judge(estimate, ordered - bar, rope, **how)[2]

    draft = draw_recipe(recipe, observed, settled, threads=threads, known=known)
    ordered = np.sort(draft.psi[0])
    estimate = draft.estimates(observed)[0]
    regions, decision, path = None, None, None
    drawing = draft.judged([estimate])
    if rope is not None and not drawing.no_verdict and bar is not None:
        above = estimate.shifted(-bar)
        regions, verdict, stable, leaning = judge(above, ordered - bar, rope, **how)
        path = rope_path(above, ordered - bar, **how)
        words = bar_text(verdict, leaning, rope_text(rope), recipe.tables[0].names[0], f"{bar:g}")
        decision = Decision(verdict=verdict, stable=stable, leaning=leaning, text=words)
    found = MetricPosterior(
        metric=metric,
        estimate=estimate,
        prob_at_least=None if bar is None else (ordered.size - count_below(ordered, bar)) / ordered.size,
        regions=regions,
        decision=decision,
        bar=bar,
        rope_path=path,
        draws=draft.draws,
        recipe=recipe,
        drawing=drawing,
    )
    name = recipe.tables[0].names[0]
    whose = {f"{metric.name} of {name}": (estimate, (1.0,))}
    remarks = remarks_on(recipe, drawing, draft.posteriors, whose)
    stopped = capped(draft, stable=decision is None or decision.stable)
    return with_outlook(found), (*remarks, *stopped)
