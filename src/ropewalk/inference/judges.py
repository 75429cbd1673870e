"""Judge two systems by a judge's verdicts that humans corrected: the answer, the judge's bias, and more labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from statistics import NormalDist
from typing import Final

import numpy as np

from ropewalk.draws import streams
from ropewalk.draws.blocks import difference, generator
from ropewalk.draws.intervals import hdi
from ropewalk.inference.answers import draw_comparison, remarks_beside
from ropewalk.models import measure
from ropewalk.models.judged import JudgedPosterior
from ropewalk.models.judged_scores import ScoresPosterior
from ropewalk.models.labelling import Labelling
from ropewalk.results import Comparison, Recipe
from ropewalk.results.judges import JudgeBias, JudgeCell, JudgedComparison, JudgeSummary, MoreLabels
from ropewalk.text.remarks import Remark, note, warning
from ropewalk.text.units import metric_title, signed
from ropewalk.text.writing import count_of
from ropewalk.typing import FloatArray

MIN_HUMAN: Final = 30
"""Fewer items that humans judged allow no verdict: simulated, intervals of 10 covered .88 at worst, of 30 .90."""

MIN_CARRIERS: Final = 5
"""Human grades whose differences weigh like fewer items allow no verdict: simulated, as little as .80 covered."""

MIN_CARRIERS_OF_ERRORS: Final = 2
"""Nor do errors of the judge that weigh like fewer: of a judge that misses one failure in twelve, .90 covered."""

MAX_UNSEEN: Final = 0.05
"""From this share of the items on, those without any human label where the judge says the same are told of."""

FAVOURS: Final = 0.975
"""So probable it must be that the judge favours one of the two, to be told."""

_SAID_OTHERWISE: Final = {"class_without_items", "moved_by_design", "by_influence", "right_or_wrong"}
_BIAS_DRAWS: Final = 10_000
_BLOCK: Final = 1_000
_NEXT: Final = 100  # labels, for which it is said where they belong
_STEPS: Final = (25, 50, 100, 200, 500, 1_000, 2_000, 5_000)
_LEAST_VARIANCE: Final = 1e-30
_HALF: Final = 0.5


def run_judged(recipe: Recipe, *, threads: int = 1, remarks: Sequence[Remark] = ()) -> JudgedComparison:
    """Carry out a recipe whose table has the judge's verdicts, and whose model those of humans."""
    answer, draft = draw_comparison(recipe, threads=threads)
    posterior = draft.posteriors[0]
    assert isinstance(posterior, JudgedPosterior | ScoresPosterior)  # noqa: S101 - what these models make
    worth = posterior if isinstance(posterior, ScoresPosterior) else _labelling(posterior, recipe)
    reason = too_few(worth)
    if not answer.drawing.no_verdict and recipe.rope is not None and reason:
        drawing = replace(answer.drawing, no_verdict=f"no verdict, since {reason}")
        answer = replace(answer, drawing=drawing, rope_path=None, decision=None, stakes=None)
    summary = _summary(answer, posterior, worth)
    usual = [remark for remark in remarks_beside(answer, draft) if remark.code not in _SAID_OTHERWISE]
    own = (*_remarks(answer, summary), *remarks)
    known = {field.name: getattr(answer, field.name) for field in fields(Comparison)}
    return JudgedComparison(**{**known, "remarks": (*usual, *own)}, judge=summary)


def too_few(worth: Labelling | ScoresPosterior) -> str:
    """Return why what humans judged is too little for a verdict; empty where it is not."""
    if worth.n_human < MIN_HUMAN:
        return f"humans judged {count_of(worth.n_human, 'item')}, and fewer than {MIN_HUMAN} say too little"
    if not isinstance(worth, ScoresPosterior):
        return ""
    if worth.carriers < MIN_CARRIERS:
        return (
            f"few items make the difference: the {worth.n_human:,} that humans graded weigh like "
            f"{worth.carriers:.1f} of one size (it takes {MIN_CARRIERS}), and how rare large ones are is not known"
        )
    if worth.left and worth.carriers_of_errors < MIN_CARRIERS_OF_ERRORS:
        return (
            f"the judge's errors are known from few items: those on the {worth.n_human:,} that humans graded weigh "
            f"like {worth.carriers_of_errors:.1f} of one size (it takes {MIN_CARRIERS_OF_ERRORS})"
        )
    return ""


def _labelling(posterior: JudgedPosterior, recipe: Recipe) -> Labelling:
    """Return what labels are worth, by the first order of the difference."""
    return Labelling.of(posterior, lambda true: difference(*measure(recipe.metric, true, recipe.prevalence)))


def _summary(
    answer: Comparison, posterior: JudgedPosterior | ScoresPosterior, worth: Labelling | ScoresPosterior
) -> JudgeSummary:
    """Put together what the judge says, what it gets wrong, and what the human labels are worth."""
    of_a, of_b = _bias_draws(posterior, answer.recipe)
    prob = answer.recipe.prob
    wider = math.sqrt(worth.without_judge / worth.variance) if worth.variance else 1.0
    return JudgeSummary(
        n_human=worth.n_human,
        alone=float(answer.delta.observed or 0.0),
        bias_a=_bias(of_a, prob),
        bias_b=_bias(of_b, prob),
        favour=_bias(of_a - of_b, prob),
        prob_favours_a=float((answer.direction * (of_a - of_b) > 0).mean()),
        width_without=(answer.hdi.high - answer.hdi.low) * wider,
        worth=worth.worth,
        cells=_cells(posterior, worth),
        more=tuple(_more(answer, worth)),
    )


def _bias_draws(posterior: JudgedPosterior | ScoresPosterior, recipe: Recipe) -> FloatArray:
    """Draw by how much the judge scores both systems too high, (2, draws)."""
    parts = []
    for block in range(_BIAS_DRAWS // _BLOCK):
        both = posterior.both(generator(recipe.seed, streams.JUDGED, block), _BLOCK)
        judged, true = (
            each if isinstance(each, np.ndarray) else measure(recipe.metric, each, recipe.prevalence) for each in both
        )
        parts.append(judged - true)
    return np.concatenate(parts, axis=1)


def _bias(draws: FloatArray, prob: float) -> JudgeBias:
    return JudgeBias(mean=float(draws.mean()), hdi=hdi(np.sort(draws), prob))


def _cells(
    posterior: JudgedPosterior | ScoresPosterior, labelling: Labelling | ScoresPosterior
) -> tuple[JudgeCell, ...]:
    """Return the cells that have items, those first that further labels should come from; of scores there are none."""
    if isinstance(posterior, ScoresPosterior) or isinstance(labelling, ScoresPosterior):
        return ()
    best = labelling.best(min(_NEXT, labelling.left))
    shares = best / max(best.sum(), 1.0)
    known = posterior.sorted
    values = zip(known.texts, known.counted, known.labelled, posterior.gains, shares, strict=True)
    cells = [
        JudgeCell(said=said, n_items=int(n), n_human=int(n_human), difference=float(value), next_labels=float(share))
        for said, n, n_human, value, share in values
        if n
    ]
    return tuple(sorted(cells, key=lambda cell: (-cell.next_labels, -cell.n_items)))


def _more(answer: Comparison, worth: Labelling | ScoresPosterior) -> Iterator[MoreLabels]:
    """Yield what further labels are expected to give."""
    left, now = worth.left, worth.variance
    if not left or not now:
        return
    width = (answer.hdi.high - answer.hdi.low) / math.sqrt(now)
    for n in dict.fromkeys([*(step for step in _STEPS if step < left), left]):
        after = worth.after_best(n)
        yield MoreLabels(
            n=n,
            width=width * math.sqrt(after),
            prob_conclusive=_prob_conclusive(answer, now - after, width * math.sqrt(after) / 2),
            at_random=width * math.sqrt(worth.after_any(n)),
        )


def _prob_conclusive(answer: Comparison, moves: float, reach: float) -> float | None:
    """Return how probable it is that the interval, with this reach, lies inside the ROPE or outside.

    Its middle lies around today's mean, as far away as the variance that is to go says.
    """
    rope = answer.rope
    if rope is None or answer.recipe.rule != "hdi":
        return None
    middle = NormalDist(answer.mean, math.sqrt(max(moves, _LEAST_VARIANCE)))

    def below(value: float) -> float:
        return float(value > 0) if math.isinf(value) else middle.cdf(value)

    inside = max(below(rope.high - reach) - below(rope.low + reach), 0.0)
    return inside + below(rope.low - reach) + 1 - below(rope.high + reach)


def _remarks(answer: Comparison, summary: JudgeSummary) -> Iterator[Remark]:
    """Yield what is to be said of the judge and of the human labels."""
    unit = answer.recipe.unit
    places, points = (1, " points") if unit.is_points else (3, "")
    alone = signed(unit.scale * summary.alone, places)
    yield note("judge_alone", f"The judge alone would say {alone}{points}; humans judged {summary.n_human:,} items.")
    chance = summary.prob_favours_a
    if max(chance, 1 - chance) >= FAVOURS:
        who = answer.a if chance > _HALF else answer.b
        by = signed(unit.scale * abs(summary.favour.mean), places, sign=False)
        of = "" if answer.metric == "mean" else f" of {metric_title(answer.metric)}"
        yield warning("judge_favours", f"The judge favours {who}, by about {by}{points}{of}.")
    unseen = sum(cell.n_items for cell in summary.cells if not cell.n_human)
    share = unseen / max(answer.recipe.n_items, 1)
    if share >= MAX_UNSEEN:
        yield warning(
            "unlabelled_cells",
            f"{100 * share:.0f}% of the items are such that humans judged none of which the judge says the same: what "
            "they would say of these is known from the prior alone.",
        )
