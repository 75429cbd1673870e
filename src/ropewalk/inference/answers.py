"""Carry out recipes: draw, judge, remark. The same recipe gives the same answer, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ropewalk.draws.blocks import difference
from ropewalk.draws.contrast import contrast, is_settled
from ropewalk.draws.decision import Decision, judge, rope_path
from ropewalk.draws.evidence import SD_DRAWS, Evidence
from ropewalk.draws.intervals import Estimate, count_below, summarise
from ropewalk.draws.pooling import pool
from ropewalk.errors import InvalidInputError
from ropewalk.inference.bearing import not_equivalent, prior_shift, too_pooled
from ropewalk.inference.drawing import (
    Draft,
    Order,
    capped,
    draw_orders,
    posterior_delta,
    prior_delta,
    takes_long,
)
from ropewalk.inference.outlook import with_labels, with_outlook
from ropewalk.inference.remarks import no_verdict, remarks_on
from ropewalk.models import observed_psi
from ropewalk.results import Companion, Comparison, Evaluation, MetricPosterior, Recipe
from ropewalk.results.base import Drawing
from ropewalk.text.remarks import Remark, argument
from ropewalk.text.writing import brief
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Chains

COMPANION_DRAWS: Final = 10_000
"""How many draws the metrics have that nobody asked for: they stand beside the answer, and must not slow it down."""


def run_comparison(recipe: Recipe, *, threads: int = 1, chains: Chains | None = None) -> Comparison:
    """Carry out a recipe: the same recipe gives the same answer, bit for bit. `chains` are not run again."""
    return run_comparisons([recipe], threads=threads, chains=chains)


def run_comparisons(
    recipes: Sequence[Recipe], *, companions: Sequence[Recipe] = (), threads: int = 1, chains: Chains | None = None
) -> Comparison:
    """Carry out one recipe per metric; the first is the answer, and holds the others.

    Each is what it would be alone. `companions` are measured beside them, on fewer draws, and not judged. `chains` are
    not run again.
    """
    orders = [_order(recipe) for recipe in recipes]
    beside = [replace(_order(_with_few_draws(recipe)), quiet=True) for recipe in companions]
    drafts = draw_orders([*orders, *beside], threads=threads, chains=chains)
    first, *others = map(_completed, drafts[: len(orders)])
    return replace(first, others=tuple(others), companions=tuple(map(_companion, drafts[len(orders) :])))


def _with_few_draws(recipe: Recipe) -> Recipe:
    draws = COMPANION_DRAWS if recipe.draws == "auto" else min(recipe.draws, COMPANION_DRAWS)
    return replace(recipe, rope=None, draws=draws)


def _companion(draft: Draft) -> Companion:
    """Measure how much better A is, without a verdict."""
    up, observed = draft.recipe.metric.higher_is_better, draft.observed
    better = difference(draft.psi[0], draft.psi[1]) * (1 if up else -1)
    seen = None if None in observed else (observed[0] - observed[1]) * (1 if up else -1)  # type: ignore[operator]
    ordered = np.sort(better)
    return Companion(
        metric=draft.recipe.metric.name,
        higher_is_better=up,
        observed_a=observed[0],
        observed_b=observed[1],
        improvement=summarise(better, ordered, prob=draft.recipe.prob, observed=seen),
        prob_better=(ordered.size - count_below(ordered, 0.0, inclusive=True)) / ordered.size,
        n_draws=ordered.size,
    )


def _no_savage_dickey(draft: Draft) -> str:
    """Return why there is no Bayes factor by Savage-Dickey; empty where there is one."""
    recipe = draft.recipe
    if recipe.metric.divisor is not None:
        return "a kernel of the prior's draws needs their standard deviation, and a ratio without bound has none"
    if recipe.model.no_savage_dickey:
        return recipe.model.no_savage_dickey
    if recipe.sampler is None:
        too_long = f"{SD_DRAWS:,} draws of posterior and prior would take too long for a table of this size"
        return too_long if takes_long(draft.posteriors) else ""
    if not draft.drawing.converged:
        return "the Markov chains have not converged"
    too_few = f"it takes {SD_DRAWS:,} draws of the posterior, and the Markov chains have fewer"
    return too_few if draft.psi.shape[1] < SD_DRAWS else ""


def _for_savage_dickey(draft: Draft) -> FloatArray | Callable[[], FloatArray]:
    """Return the draws that Savage-Dickey takes, or what draws them where fewer were asked for."""
    if draft.psi.shape[1] < SD_DRAWS:
        return partial(posterior_delta, draft.recipe)
    return difference(draft.psi[0, :SD_DRAWS], draft.psi[1, :SD_DRAWS])


def _completed(draft: Draft) -> Comparison:
    """Judge a draft, with remarks, Bayes factors and outlook."""
    recipe, no_sd = draft.recipe, _no_savage_dickey(draft)
    answer = judge_draft(draft)
    # Where there is no Bayes factor to measure, the prior draws are spared.
    measured = draft.drawing.converged and not recipe.model.no_factor and not (no_sd and recipe.rope is None)
    if recipe.metric.is_slow:  # one call of a function per draw
        measured, no_sd = False, "the prior's draws would take as many calls of the metric"
    draw_prior = partial(prior_delta, recipe, fewer=bool(no_sd)) if measured else None
    exact = recipe.model.exact_for(recipe.tables)
    evidence = Evidence(
        prior=draw_prior if draw_prior is None or exact else draw_prior(),  # chains take long, and may fail
        delta=answer.draws.delta() if measured else None,
        posterior=_for_savage_dickey(draft) if measured and not no_sd else None,
        rope=recipe.rope,
        reason=recipe.model.no_factor or no_sd,
    )
    whole = replace(answer, evidence=evidence, remarks=remarks_beside(answer, draft))
    return with_outlook(with_labels(whole))


def draw_comparison(
    recipe: Recipe,
    *,
    threads: int = 1,
    chains: Chains | None = None,
    other_priors: bool = True,
) -> tuple[Comparison, Draft]:
    """Draw a difference and judge it, without remarks, Bayes factors and outlook; return also what was drawn.

    Without `other_priors` it is not asked what they would say: where they are listed anyway.
    """
    draft = draw_orders([_order(recipe)], threads=threads, chains=chains)[0]
    return judge_draft(draft, other_priors=other_priors), draft


def _order(recipe: Recipe) -> Order:
    """Order the difference of two classifiers."""
    return Order(
        recipe=recipe,
        observed=observed_psi(recipe.tables, recipe.metric, recipe.prevalence),
        settled=lambda psi: is_settled(difference(psi[0], psi[1]), recipe.question),
    )


def judge_draft(draft: Draft, *, other_priors: bool = True) -> Comparison:
    """Judge the difference that was drawn, without remarks, Bayes factors and outlook."""
    recipe, names, observed = draft.recipe, draft.recipe.names, draft.observed
    differ = None if None in observed else observed[0] - observed[1]  # type: ignore[operator]
    delta = difference(draft.psi[0], draft.psi[1])
    estimates = draft.estimates(observed)
    question = draft.drawing.answerable(recipe.question)
    judged = contrast(
        delta,
        question,
        observed=differ,
        names=names,  # type: ignore[arg-type]
        ess=draft.ess(delta),
        has_mean=all(draft.have_means),
    )
    drawing = draft.drawing
    if other_priors:
        shift = prior_shift(recipe, judged.delta, partial(between, i=0, j=1), recipe.question)
        drawing = draft.bearing(estimates, judged.delta, (1.0, -1.0), shift)
    drawing = without_equivalence(drawing, recipe, judged.decision)
    if drawing.no_verdict:
        judged = judged.without_verdict()
    return Comparison(
        a=names[0],
        b=names[1],
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        **judged.parts,
        draws=draft.draws,
        recipe=recipe,
        drawing=drawing,
    )


def without_equivalence(drawing: Drawing, recipe: Recipe, decision: Decision | None) -> Drawing:
    """Return the drawing with a reason where the verdict says that two are equivalent, and the model cannot."""
    reason = not_equivalent(recipe, None if decision is None else decision.verdict)
    return replace(drawing, no_verdict=drawing.no_verdict or reason)


def remarks_beside(answer: Comparison, draft: Draft) -> tuple[Remark, ...]:
    """Return the remarks on a comparison, made of this draft."""
    recipe, label = answer.recipe, answer.recipe.pos_label_text
    what = f"{answer.metric}{'' if label is None else f' of class {brief(label)}'}"
    estimates = {
        f"{what}, {answer.a}": (answer.estimate_a, (1.0, 0.0)),
        f"{what}, {answer.b}": (answer.estimate_b, (0.0, 1.0)),
        f"{what}, {answer.a} − {answer.b}": (answer.delta, (1.0, -1.0)),
    }
    stable = answer.decision is None or answer.decision.stable
    remarks = remarks_on(recipe, answer.drawing, draft.posteriors, estimates, answer.decision)
    return (*remarks, *capped(draft, stable=stable))


def run_evaluation(
    recipes: Sequence[Recipe], bar: float | None, *, threads: int = 1, chains: Chains | None = None
) -> Evaluation:
    """Carry out one recipe per metric and put the answers together; `chains` are not run again."""
    check_bars(recipes, bar)

    def settled(recipe: Recipe, psi: FloatArray) -> bool:
        return bar is None or is_settled(psi[0] - bar, recipe.question)

    orders = [
        Order(
            recipe=recipe,
            observed=observed_psi(recipe.tables, recipe.metric, recipe.prevalence),
            settled=partial(settled, recipe),
        )
        for recipe in recipes
    ]
    answers = [_posterior(draft, bar) for draft in draw_orders(orders, threads=threads, chains=chains)]
    distinct = tuple(dict.fromkeys(remark for _, remarks in answers for remark in remarks))
    posteriors = tuple(posterior for posterior, _ in answers)
    name = recipes[0].tables[0].names[0]
    return Evaluation(name=name, at_least=bar, metrics=posteriors, remarks=distinct)


def check_bars(recipes: Sequence[Recipe], bar: float | None) -> None:
    """Refuse a bar that no score can be at."""
    for recipe in recipes:
        if bar is not None and not recipe.metric.low <= bar <= recipe.metric.high:
            raise InvalidInputError(
                argument("at_least") + f" is {bar:g}, and {recipe.metric.name} lies between {recipe.metric.low:g} and "
                f"{recipe.metric.high:g}.",
                hint="write 0.8 for 80%.",
            )


def _posterior(draft: Draft, bar: float | None) -> tuple[MetricPosterior, tuple[Remark, ...]]:
    """Set one metric's posterior against the bar; return it with the remarks on it."""
    recipe, metric = draft.recipe, draft.recipe.metric
    estimate = draft.estimates(draft.observed)[0]
    drawing = draft.drawing
    if bar is not None:
        above = estimate.shifted(-bar)
        shift = prior_shift(recipe, above, lambda psi: psi[0] - bar, recipe.question)
        drawing = draft.bearing([estimate], above, (1.0,), shift)
    name = recipe.tables[0].names[0]
    judged, drawing = against_bar(draft.psi[0], estimate, recipe, drawing, bar, name=name)
    posterior = MetricPosterior(
        metric=metric,
        estimate=estimate,
        **judged,
        bar=bar,
        draws=draft.draws,
        recipe=recipe,
        drawing=drawing,
    )
    whose = {f"{metric.name} of {name}": (estimate, (1.0,))}
    decision = posterior.decision
    remarks = remarks_on(recipe, drawing, draft.posteriors, whose, decision)
    stopped = capped(draft, stable=decision is None or decision.stable)
    return with_outlook(posterior), (*remarks, *stopped)


def against_bar(
    draws: FloatArray, estimate: Estimate, recipe: Recipe, drawing: Drawing, bar: float | None, *, name: str
) -> tuple[dict[str, Any], Drawing]:
    """Return how draws of a score stand against a bar, and the drawing with the reason why there is no verdict."""
    if bar is None:
        return dict.fromkeys(("prob_at_least", "regions", "decision", "rope_path")), drawing
    ordered, rope = np.sort(draws), drawing.answerable(recipe.question).rope
    regions, decision, path = None, None, None
    if rope is not None:
        above, how = estimate.shifted(-bar), recipe.question.how
        regions, verdict, stable, leaning = judge(above, ordered - bar, rope, **how)
        up, bars = recipe.metric.higher_is_better, (name, f"{bar:g}")
        decision = Decision.of(verdict, leaning, rope, bars, higher_is_better=up, stable=stable, bar=True)
        drawing = without_equivalence(drawing, recipe, decision)
        path = None if rope.one_sided else rope_path(above, ordered - bar, **how)
        if drawing.no_verdict:
            decision, path = None, None
    at_least = (ordered.size - count_below(ordered, bar)) / ordered.size
    return {"prob_at_least": at_least, "regions": regions, "decision": decision, "rope_path": path}, drawing


def between(psi: FloatArray, *, i: int, j: int) -> FloatArray:
    """Return the difference of two scores, as a function of the draws of all."""
    return difference(psi[i], psi[j])


def pool_classes(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Draw the differences of many classes towards their centre, as far as they are alike, and judge them again.

    The scores of the two classifiers in a class keep their middle; only how far they are apart changes.
    """
    number = min(len(comparison.draws) for comparison in comparisons)
    apart = np.stack([comparison.draws.delta()[:number] for comparison in comparisons])
    metric = comparisons[0].recipe.metric
    reach = metric.high - metric.low
    together = pool(apart, low=-reach, high=reach, seed=comparisons[0].recipe.seed).psi
    return tuple(moved(c, old, new) for c, old, new in zip(comparisons, apart, together, strict=True))


def moved(c: Comparison, old: FloatArray, new: FloatArray) -> Comparison:
    """Return a comparison with pooled draws of its difference in place of its own, judged by both."""
    half = (new - old) / 2
    psi = c.draws.psi[:, : old.size] + np.stack([half, -half])
    judged, alone = (
        contrast(draws, c.drawing.answerable(c.recipe.question), observed=c.delta.observed, names=(c.a, c.b))
        for draws in (new, old)
    )
    reason = c.no_verdict or too_pooled(alone, judged)
    judged = judged.without_verdict() if reason else judged.agreed_with(alone)
    return replace(
        c,
        **judged.parts,
        drawing=replace(c.drawing, no_verdict=reason),
        remarks=(*c.remarks, *([] if c.no_verdict else no_verdict(reason))),
        evidence=Evidence(reason="differences that are pooled have a prior that has seen the others"),
        draws=replace(c.draws, psi=psi),
        recipe=replace(c.recipe, pool=True),
        more=None,
    )
