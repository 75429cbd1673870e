"""The sentence for the paper: what was found, with everything that a reader needs to weigh it."""

from __future__ import annotations

from ropewalk._validate import count_of, visible
from ropewalk.decision import Verdict
from ropewalk.report.numbers import decimals, estimate_text, interval, number, percent
from ropewalk.report.resampled import plain
from ropewalk.report.shape import class_words, items_text, metric_title
from ropewalk.report.view import caption, view
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    CrossComparison,
    Evaluation,
    MetricPosterior,
    Ranking,
    Recipe,
    Rendered,
)
from ropewalk.wording import rope_text


def sentence(result: Rendered) -> str:
    """Return a result in one sentence, or one a metric for an evaluation."""
    if isinstance(result, CrossComparison):
        return _comparison(plain(result))
    if isinstance(result, Comparison):
        return _comparison(result)
    if isinstance(result, ClassComparisons):
        return _classes(result)
    if isinstance(result, Evaluation):
        return " ".join(_metric(result, one) for one in result.metrics)
    if isinstance(result, Ranking):
        return _ranking(result)
    headline, about = view(result, visible)[0].headline, caption(result, visible)
    return f"{headline}." if headline == about else f"{headline} ({about})."


def _comparison(c: Comparison) -> str:
    a, b, name, n = visible(c.a), visible(c.b), metric_title(c.metric), len(c.draws)
    size = number(abs(c.mean), decimals(c.delta, c.delta.mc_error))
    way = "exceeded" if c.mean > 0 else "fell short of"
    fact = f"{a}'s {name} {way} {b}'s by {size}" if float(size) else f"{a}'s and {b}'s {name} differed by {size}"
    hdi = interval(c.hdi.low, c.hdi.high, decimals(c.delta), sign=True)
    lead = f"{_data(c.recipe)}, {fact} ({_mass(c.recipe)} HDI of the difference {hdi}"
    method = _method(c.recipe, n)
    if c.decision is None or c.regions is None or c.rope is None:
        return f"{lead}; {_chance('Δ > 0', c.prob_above_zero, n)}; {method})."
    below = _chance(f"Δ < {c.rope.low:g}", c.regions.below, n)
    inside = _chance("Δ in ROPE", c.regions.inside, n)
    above = _chance(f"Δ > {c.rope.high:g}", c.regions.above, n)
    if c.decision.verdict is Verdict.EQUIVALENT:
        return f"{lead}; {inside}; {method}): the two are practically equivalent."
    if c.decision.conclusive:
        return f"{lead}; {above if c.mean > c.rope.middle else below}; {method}): a margin that matters."
    return f"{lead}; {below}, {inside}, {above}; {method}), which leaves the question undecided."


def _classes(result: ClassComparisons) -> str:
    first = result[0]
    a, b, name = visible(first.a), visible(first.b), metric_title(first.metric)
    lead = f"On {_items(first.recipe)} of {len(result)} classes, each class against the rest"
    method = _method(first.recipe, max(len(c.draws) for c in result))
    verdicts = [c.decision.verdict for c in result if c.decision is not None]
    if len(verdicts) < len(result):
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in result)
        return f"{lead}, {a}'s {name} was more probably above {b}'s than below it on {higher} ({method})."
    won, lost, even = (verdicts.count(v) for v in (Verdict.A_BETTER, Verdict.B_BETTER, Verdict.EQUIVALENT))
    told = f"{a} was better than {b} in {name} on {won}, worse on {lost} and practically equivalent on {even}"
    rest = len(verdicts) - won - lost - even
    return f"{lead}, {told}, with {rest} undecided ({_mass(first.recipe)} HDI; {method})."


def _metric(result: Evaluation, m: MetricPosterior) -> str:
    mean = number(m.estimate.mean, decimals(m.estimate, m.estimate.mc_error))
    hdi = interval(m.estimate.hdi.low, m.estimate.hdi.high, decimals(m.estimate))
    fact = f"{visible(result.name)}'s {metric_title(m.metric.name)} was {mean} ({_mass(m.recipe)} HDI {hdi}"
    if result.at_least is not None and m.prob_at_least is not None:
        fact += f"; {_chance(f'≥ {result.at_least:g}', m.prob_at_least, len(m.draws))}"
    return f"{_data(m.recipe)}, {fact}; {_model(m.recipe, len(m.draws))})."


def _ranking(result: Ranking) -> str:
    best = max(result.models, key=lambda model: model.p_best)
    chance = percent(best.p_best, len(result.draws))
    fact = f"{visible(best.name)} had the best {metric_title(result.metric)} of {len(result.models)} classifiers"
    worth = f"{estimate_text(best.estimate)}, {_mass(result.recipe)} HDI"
    decisions = [pair.decision for pair in result.pairwise]
    settled = sum(decision is not None and decision.conclusive for decision in decisions)
    verdicts = "" if None in decisions else f"; {settled} of {count_of(len(decisions), 'pair')} settled"
    method = _method(result.recipe, len(result.draws))
    return f"{_data(result.recipe)}, {fact} with probability {chance} ({worth}{verdicts}; {method})."


def _data(recipe: Recipe) -> str:
    words = class_words(recipe, visible).removeprefix(" · ")
    return f"On {_items(recipe)}" + (f" ({words})" if words else "")


def _items(recipe: Recipe) -> str:
    """Say how many items there are, and whether all classifiers saw the same ones."""
    count, _, rest = items_text(recipe).partition(" ")
    alone = sum(len(table.names) for table in recipe.tables) == 1
    return f"{count} {rest}" if alone or not recipe.model.paired else f"{count} paired {rest}"


def _mass(recipe: Recipe) -> str:
    return f"{100 * recipe.prob:g}%"


def _chance(event: str, share: float, n_draws: int) -> str:
    told = percent(share, n_draws)
    return f"P({event}) {told[0]} {told[1:]}" if told[0] in "<>" else f"P({event}) = {told}"


def _method(recipe: Recipe, n_draws: int) -> str:
    rope = "no ROPE" if recipe.rope is None else f"ROPE {rope_text(recipe.rope)}"
    return f"{rope}; {_model(recipe, n_draws)}"


def _model(recipe: Recipe, n_draws: int) -> str:
    return f"{recipe.model.name} model, prior {recipe.model.prior}, {n_draws:,} draws"
