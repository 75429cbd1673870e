"""The sentence for the paper: what was found, with everything that a reader needs to weigh it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ropewalk.draws.decision import Decision
from ropewalk.mcmc.diagnostics import Diagnostics
from ropewalk.report import planning, studies
from ropewalk.report.drawn import drawn_text, runs_of
from ropewalk.report.shape import UNSTABLE, class_words, items_text, metric_title, model_text, tally
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
from ropewalk.results.base import Drawn
from ropewalk.text.escape import isolated
from ropewalk.text.names import count_of
from ropewalk.text.numbers import decimals, estimate_text, interval, number, percent
from ropewalk.text.verdicts import Verdict, rope_text


def sentence(result: Rendered) -> str:
    """Return a result in one sentence, or one a metric for an evaluation."""
    if isinstance(result, CrossComparison):
        return _comparison(result.comparison, f"{isolated(result.predictions.words)}; ")
    if isinstance(result, Comparison):
        return _comparison(result)
    if isinstance(result, ClassComparisons):
        return _classes(result)
    if isinstance(result, Evaluation):
        return " ".join(_metric(result, one) for one in result.metrics)
    if isinstance(result, Ranking):
        return _ranking(result)
    if isinstance(result, studies.Planned):
        return planning.sentence(result, isolated)
    headline, about = view(result, isolated)[0].headline, caption(result, isolated)
    return f"{headline}." if headline == about else f"{headline} ({about})."


def _comparison(c: Comparison, how: str = "") -> str:
    a, b, name, n = isolated(c.a), isolated(c.b), metric_title(c.metric), c.delta.worth(len(c.draws))
    size = number(abs(c.mean), decimals(c.delta, c.delta.mc_error))
    way = "exceeded" if c.mean > 0 else "was below"
    fact = f"{a}'s {name} {way} {b}'s by {size}" if float(size) else f"{a}'s and {b}'s {name} differed by {size}"
    hdi = interval(c.hdi.low, c.hdi.high, decimals(c.delta), sign=True)
    lead = f"{_data(c.recipe)}, {fact} ({_mass(c.recipe)} HDI of the difference {hdi}"
    method = how + _method(c, len(c.draws), runs_of(c))
    if c.decision is None or c.regions is None or c.rope is None:
        return f"{lead}; {_chance('Δ > 0', c.prob_above_zero, n)}; {method})."
    below, inside, above = (
        _chance(f"Δ < {c.rope.low:g}", c.regions.below, n),
        _chance("Δ in ROPE", c.regions.inside, n),
        _chance(f"Δ > {c.rope.high:g}", c.regions.above, n),
    )
    doubt = _doubt(c.decision)
    if c.decision.verdict is Verdict.EQUIVALENT:
        return f"{lead}; {inside}; {method}): the two are practically equivalent{doubt}."
    if c.decision.conclusive:
        side = above if c.mean > c.rope.middle else below
        better = a if c.decision.verdict is Verdict.A_BETTER else b
        return f"{lead}; {side}; {method}): a margin that matters, in favour of {better}{doubt}."
    known = [told for told, edge in ((below, c.rope.low), (inside, 0.0), (above, c.rope.high)) if math.isfinite(edge)]
    return f"{lead}; {', '.join(known)}; {method}), which leaves the question undecided{doubt}."


def _classes(result: ClassComparisons) -> str:
    first, found = result[0], tally(c.decision for c in result)
    a, b, name = isolated(first.a), isolated(first.b), metric_title(first.metric)
    lead = f"On {_items(first.recipe)} of {len(result)} classes, each class against the rest"
    most = max(len(c.draws) for c in result)
    method = _method(first, most, runs_of(result), asked=found.without < len(result))
    if min(len(c.draws) for c in result) < most:
        method = method.replace(f"{most:,} draws", f"up to {most:,} draws")
    if found.without == len(result):
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in result)
        return f"{lead}, {a}'s {name} was more probably above {b}'s than below it on {higher} ({method})."
    told = f"{a} was better than {b} in {name} on {found.won}, worse on {found.lost} and practically equivalent on"
    rest = f"{found.undecided} undecided" + (f" and {found.without} without a verdict" if found.without else "")
    return f"{lead}, {told} {found.even}, with {rest} ({_mass(first.recipe)} HDI; {method})."


def _metric(result: Evaluation, m: MetricPosterior) -> str:
    recipe, n = m.recipe, m.estimate.worth(len(m.draws))
    runs = () if m.diagnostics is None or recipe.sampler is None else (m.diagnostics,)
    model = _model(recipe, len(m.draws), runs)
    mean = number(m.estimate.mean, decimals(m.estimate, m.estimate.mc_error))
    hdi = interval(m.estimate.hdi.low, m.estimate.hdi.high, decimals(m.estimate))
    fact = f"{isolated(result.name)}'s {metric_title(m.metric.name)} was {mean}"
    lead = f"{_data(recipe)}, {fact} ({_mass(recipe)} HDI {hdi}"
    if m.bar is None or m.prob_at_least is None:
        return f"{lead}; {model})."
    chance = _chance(f"≥ {m.bar:g}", m.prob_at_least, n)
    if m.decision is None:
        return f"{lead}; {chance}; {model})."
    verdict = isolated(m.decision.text)
    return f"{lead}; {chance}; {_method(m, len(m.draws), runs)}): {verdict}{_doubt(m.decision)}."


def _ranking(result: Ranking) -> str:
    best = max(result.models, key=lambda model: model.p_best)
    chance = percent(best.p_best, best.estimate.worth(len(result.draws)))
    fact = f"{isolated(best.name)} had the best {metric_title(result.metric)} of {len(result.models)} classifiers"
    worth = f"{estimate_text(best.estimate)}, {_mass(result.recipe)} HDI"
    found, pairs = tally(pair.decision for pair in result.pairwise), len(result.pairwise)
    settled = f"; {found.won + found.lost + found.even} of {count_of(pairs, 'pair')} settled"
    verdicts = "" if found.without == pairs else settled
    method = _method(result, len(result.draws), runs_of(result))
    return f"{_data(result.recipe)}, {fact} with probability {chance} ({worth}{verdicts}; {method})."


def _data(recipe: Recipe) -> str:
    words = class_words(recipe, isolated).removeprefix(" · ").replace(" · ", ", ")
    return f"On {_items(recipe)}" + (f" ({words})" if words else "")


def _items(recipe: Recipe) -> str:
    """Say how many items there are, and whether all classifiers saw the same ones."""
    count, _, rest = items_text(recipe).partition(" ")
    if sum(len(table.names) for table in recipe.tables) == 1:
        return f"{count} {rest}"
    separate = len(recipe.tables) > 1 and sum(table.n_items for table in recipe.tables) == recipe.n_items
    if separate:
        return f"{count} {rest} of separate test sets"
    return f"{count} paired {rest}" if recipe.model.paired else f"{count} {rest}"


def _mass(recipe: Recipe) -> str:
    return f"{100 * recipe.prob:g}%"


def _chance(event: str, share: float, n_draws: int) -> str:
    told = percent(share, n_draws)
    return f"P({event}) {told[0]} {told[1:]}" if told[0] in "<>" else f"P({event}) = {told}"


def _doubt(decision: Decision) -> str:
    return "" if decision.stable else f" ({UNSTABLE})"


def _method(answer: Drawn, n_draws: int, runs: Sequence[Diagnostics], *, asked: bool = True) -> str:
    """Say how it was judged: by which ROPE and rule, or why not at all."""
    recipe = answer.recipe
    if recipe.rope is None:
        judged = "no ROPE"
    elif answer.no_verdict or not asked:
        judged = answer.no_verdict or "no verdict"
    else:
        by_mass = f", judged by a region's mass of at least {_mass(recipe)}" if recipe.rule == "probability" else ""
        judged = f"ROPE {rope_text(recipe.rope)}{by_mass}"
    return f"{judged}; {_model(recipe, n_draws, runs)}"


def _model(recipe: Recipe, n_draws: int, runs: Sequence[Diagnostics]) -> str:
    return f"{model_text(recipe)}, {drawn_text(recipe, n_draws, runs)}"
