"""Carry out the question about two classifiers: draw, judge, remark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ropewalk.data.labels import label_text
from ropewalk.draws.blocks import difference
from ropewalk.draws.evidence import SD_DRAWS, BayesFactor, bayes_factor
from ropewalk.draws.judging import contrast, is_settled
from ropewalk.inference.drawing import UNCONVERGED, UNDRAWN, capped, draw_recipe, prior_delta, takes_long
from ropewalk.inference.outlook import with_outlook
from ropewalk.inference.remarks import remarks_on
from ropewalk.models.posterior import observed_psi
from ropewalk.models.protocol import Posterior
from ropewalk.results import Comparison, Recipe
from ropewalk.results.base import Drawing
from ropewalk.text.names import brief
from ropewalk.typing import FloatArray


def run(recipe: Recipe, *, threads: int = 1, evidence: bool = True, known: Drawing = UNDRAWN) -> Comparison:
    """Carry out a recipe: the same recipe gives the same answer, bit for bit.

    Without `evidence` there is no Bayes factor, whose own draws may be more work than the answer's, and no outlook.
    What is `known` of the drawing beforehand are chains, which are then not run again, and why there is no verdict.
    """
    metric = recipe.metric
    names = tuple(name for table in recipe.tables for name in table.names)
    observed = observed_psi(recipe.tables, metric, recipe.prevalence)
    differ = None if None in observed else observed[0] - observed[1]  # type: ignore[operator]
    no_sd = recipe.model.no_savage_dickey

    def for_savage_dickey(posteriors: Sequence[Posterior]) -> int:
        return 0 if no_sd or not evidence or takes_long(posteriors) else SD_DRAWS

    draft = draw_recipe(
        recipe,
        observed,
        lambda psi: is_settled(difference(psi[0], psi[1]), recipe.question),
        threads=threads,
        at_least=for_savage_dickey,
        known=known,
    )
    converged = draft.drawing.no_verdict != UNCONVERGED
    if not no_sd and draft.first.shape[1] < SD_DRAWS:
        no_sd = _too_few(recipe, converged=converged)
    delta = difference(draft.psi[0], draft.psi[1])
    estimates = draft.estimates(observed)
    found = contrast(delta, recipe.question, observed=differ, names=names, ess=draft.ess(delta))  # type: ignore[arg-type]
    drawing = draft.judged(estimates)
    if drawing.no_verdict:
        found = replace(found, regions=None, rope_path=None, decision=None)
    where = "" if recipe.pos_label is None else f" of class {brief(label_text(recipe.pos_label))}"
    whose = (*names, f"{names[0]} − {names[1]}")
    each = zip(whose, ((1.0, 0.0), (0.0, 1.0), (1.0, -1.0)), (*estimates, found.delta), strict=True)
    pulls = {f"{metric.name}{where}, {who}": (estimate, signs) for who, signs, estimate in each}
    beside = remarks_on(recipe, drawing, draft.posteriors, pulls)
    stable = found.decision is None or found.decision.stable
    # Where there is no Bayes factor to measure, the prior draws are spared.
    measured = evidence and converged and not recipe.model.no_factor and not (no_sd and recipe.rope is None)
    prior = prior_delta(recipe, fewer=bool(no_sd)) if measured else None
    sd_draws = None if prior is None or no_sd else difference(draft.first[0], draft.first[1])
    answer = Comparison(
        a=names[0],
        b=names[1],
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        delta=found.delta,
        prob_below_zero=found.prob_below_zero,
        prob_above_zero=found.prob_above_zero,
        regions=found.regions,
        rope_path=found.rope_path,
        decision=found.decision,
        bayes_factor=_bayes_factor(recipe, delta, sd_draws, prior, no_sd) if evidence else None,
        draws=draft.draws,
        prior_draws=prior,
        sd_draws=sd_draws,
        recipe=recipe,
        drawing=drawing,
        remarks=(*beside, *capped(draft, stable=stable)),
    )
    return with_outlook(answer) if evidence else answer


def _too_few(recipe: Recipe, *, converged: bool) -> str:
    """Say why there are no draws for Savage-Dickey."""
    if not converged:
        return "the Markov chains have not converged"
    if recipe.sampler is not None:
        return f"it takes {SD_DRAWS:,} draws of the posterior, and the Markov chains have fewer"
    return f"{SD_DRAWS:,} draws of posterior and prior would take too long for a table of this size"


def _bayes_factor(
    recipe: Recipe, delta: FloatArray, sd_draws: FloatArray | None, prior: FloatArray | None, no_sd: str
) -> BayesFactor:
    reason = recipe.model.no_factor or no_sd
    if prior is None:
        return BayesFactor(reason=reason)
    return bayes_factor(delta, prior, sd_draws=sd_draws, rope=recipe.rope, reason=reason)
