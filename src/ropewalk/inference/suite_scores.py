"""Judge the scores of one classifier, or of K, averaged over a suite of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Contrast
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError
from ropewalk.inference.answers import against_bar
from ropewalk.inference.population import JudgedPopulation, few_units
from ropewalk.inference.ranking import RankingDraft, judge_ranking, pooled, pooled_scores, ranked
from ropewalk.inference.remarks import no_verdict
from ropewalk.inference.tasks import OnTask, SuiteQuestion, Together, prior_decides, prior_pulls
from ropewalk.results import Evaluation, MetricPosterior, Ranked, Ranking
from ropewalk.results.base import Drawing
from ropewalk.results.pooled import PopulationPair, PopulationRanked
from ropewalk.results.suites import SuiteEvaluation, SuitePosterior, SuiteRanking
from ropewalk.text.remarks import Remark, wording
from ropewalk.text.units import metric_title

REACH: Final = 2.0
"""Where so many standard deviations between tasks reach an end of the scale, scores on tasks are not normal."""


def judge_evaluations(
    tasks: Mapping[str, Evaluation], questions: Sequence[SuiteQuestion], bar: float | None, remarks: Sequence[Remark]
) -> SuiteEvaluation:
    """Put the evaluations of one classifier on tasks together; there is one question per metric."""
    tasks = dict(sorted(tasks.items()))
    found, said = [], []
    for place, asked in enumerate(questions):
        each = {name: one.metrics[place] for name, one in tasks.items()}
        together = Together({name: _on_task(tasks[name], m) for name, m in each.items()}, asked)
        judged = _judged(together, each, bar)
        found.append((together, judged))
        said += [*no_verdict(judged.no_verdict), *_remarks_on_score(together, each, judged)]
    first, metrics = found[0][0], tuple(judged for _, judged in found)
    return SuiteEvaluation(
        name=first.systems[0],
        at_least=bar,
        metrics=metrics,
        remarks=tuple(dict.fromkeys((*said, *remarks))),
        about=first.scope,
        over=first.asked.over,
        tasks=tasks,
        weights=dict(zip(first.names, first.weights.tolist(), strict=True)),
    )


def _on_task(one: Evaluation, m: MetricPosterior) -> OnTask:
    return OnTask(
        recipe=m.recipe,
        systems=(one.name,),
        psi=m.draws.psi,
        observed=(m.estimate.observed,),
        scope=m.scope,
        have_means=(m.estimate.has_mean,),
    )


def _judged(together: Together, each: Mapping[str, MetricPosterior], bar: float | None) -> SuitePosterior:
    """Set the score over all tasks against the bar, if there is one."""
    draft, name = together.draft(), together.systems[0]
    population = _population(together) if together.asked.over == "tasks" else None
    if population is None:
        estimate, psi = draft.estimates(draft.observed)[0], draft.psi
    else:
        low, high = draft.recipe.metric.low, draft.recipe.metric.high
        estimate, psi = population.summary.mu, np.clip(population.drawn.mu, low, high)[np.newaxis]
        ends = Interval(max(estimate.hdi.low, low), min(estimate.hdi.high, high))
        estimate = replace(estimate, hdi=ends)
    lost = [m.no_verdict for m in each.values() if not m.drawing.converged]
    drawing = replace(draft.drawing, no_verdict=next(iter(lost), "") if bar is not None else "")
    judged, drawing = against_bar(psi[0], estimate, draft.recipe, drawing, bar, name=name)
    reason = together.not_equivalent(judged["decision"])
    if reason:
        drawing, judged = replace(drawing, no_verdict=reason), {**judged, "decision": None, "rope_path": None}
    return SuitePosterior(
        metric=draft.recipe.metric,
        estimate=estimate,
        **judged,
        bar=bar,
        draws=Draws(psi=psi, names=together.systems),
        recipe=draft.recipe,
        drawing=drawing,
        about=together.scope,
        tau_median=None if population is None else population.summary.tau_median,
        tau_hdi=None if population is None else population.summary.tau_hdi,
    )


def _population(together: Together) -> JudgedPopulation:
    """Return the population of the scores on tasks, or refuse where it cannot be normal.

    Scores near an end of their scale have small errors: weighed by these, tasks that came out high would decide, and
    of 120 intervals of the mean of 30 tasks 5 held it. So the error of an item is taken as the same on all tasks.
    """
    estimates, errors = together.like_these([1.0])
    units = together.units(estimates, np.sqrt((errors**2 * together.sizes).mean() / together.sizes))
    low, high = together.recipe.metric.low, together.recipe.metric.high
    reach = REACH * float(estimates.std(ddof=1))
    if estimates.mean() - reach < low or estimates.mean() + reach > high:
        raise DataError(
            f"The scores on these tasks reach the end of their scale ({low:g} to {high:g}), so those on tasks like "
            "these have no normal distribution.",
            hint=wording('over="these" asks about the average over these tasks.'),
        )
    question = replace(together.asked.question, rope=None)
    return together.population(units, question, observed=together.observed[0])


def _remarks_on_score(
    together: Together, each: Mapping[str, MetricPosterior], judged: MetricPosterior
) -> Iterator[Remark]:
    estimate, like = judged.estimate, together.asked.over == "tasks"
    if like:
        yield from few_units(len(each), "tasks")
    else:
        yield from together.on_weights()
    yield from together.on_tasks()
    if not like and estimate.observed is not None and estimate.std:
        what = f"The average {metric_title(judged.metric.name)}"
        yield from prior_pulls(abs(estimate.mean - estimate.observed) / estimate.std, what)
    moves = [m.drawing.shift.moved * m.estimate.std if m.drawing.shift else 0.0 for m in each.values()]
    if judged.recipe.rope is not None and estimate.std:
        yield from prior_decides(together.share * float(together.weights @ np.array(moves)) / estimate.std)


# -- K classifiers -------------------------------------------------------------------------------------------


def judge_rankings(
    tasks: Mapping[str, RankingDraft], asked: SuiteQuestion, remarks: Sequence[Remark], *, pool: bool
) -> SuiteRanking:
    """Put the rankings of K classifiers on tasks together: their average scores, and every pair of them."""
    tasks = dict(sorted(tasks.items()))
    together = Together({name: _of_draft(one) for name, one in tasks.items()}, asked)
    judged = _like_these if asked.over == "tasks" else _averaged
    ranking, said = judged(together, tasks, pool=pool)
    known = {name: getattr(ranking, name) for name in Ranking.__dataclass_fields__}
    known["remarks"] = (*no_verdict(ranking.no_verdict), *said, *together.on_tasks(), *ranking.remarks, *remarks)
    return SuiteRanking(
        **known,
        about=together.scope,
        over=asked.over,
        tasks={name: one.ranking for name, one in tasks.items()},
        weights=dict(zip(together.names, together.weights.tolist(), strict=True)),
    )


def _averaged(together: Together, tasks: Mapping[str, RankingDraft], *, pool: bool) -> tuple[Ranking, list[Remark]]:
    """Rank by the average over these tasks."""
    moved, pulls = _moved(together, tasks), [0.0]

    def bear(judged: Sequence[Contrast], alone: Sequence[Contrast]) -> list[Drawing]:
        deltas = [one.delta for one in alone]
        pulls.extend(abs(d.mean - d.observed) / d.std for d in deltas if d.observed is not None and d.std)
        return [_borne(together, tasks, pair, one) for pair, one in enumerate(judged)]

    ranking = judge_ranking(together.draft(pool=pool), bear).ranking
    said = [*together.on_weights(), *prior_pulls(max(pulls), "An average difference")]
    if together.asked.question.rope is not None:
        spreads = [pair.delta.std for pair in ranking.pairwise]
        said += prior_decides(max((m / std for m, std in zip(moved, spreads, strict=True) if std), default=0.0))
    return ranking, said


def _like_these(together: Together, tasks: Mapping[str, RankingDraft], *, pool: bool) -> tuple[Ranking, list[Remark]]:
    """Rank by the mean over tasks like these: every pair by the population of its differences."""
    draft, names = together.draft(pool=pool), together.systems
    draft = replace(draft, psi=pooled(draft.recipe, together.reweighted))
    pairwise = []
    for pair, (i, j) in enumerate(combinations(range(len(names)), 2)):
        signs = [float(k == i) - float(k == j) for k in range(len(names))]
        units = together.without_priors(together.units(*together.like_these(signs)), signs)
        first, second = together.observed[i], together.observed[j]
        seen = None if first is None or second is None else first - second
        about = {"between": (names[i], names[j]), "observed": seen}
        found = together.population(units, together.asked.question, **about)
        reason = _borne(together, tasks, pair, found.contrast).no_verdict
        told = found.contrast.without_verdict() if reason else found.contrast
        pairwise.append(
            PopulationPair(a=names[i], b=names[j], contrast=told, next=found.next, most_probable=found.most_probable)
        )
    on_next = np.mean([*([m.p_best for m in one.ranking.models] for one in tasks.values()), _even(names)], axis=0)
    ranking = Ranking(
        models=tuple(
            PopulationRanked(
                **{name: getattr(one, name) for name in Ranked.__dataclass_fields__}, p_best_next=float(best)
            )
            for one, best in zip(ranked(draft), on_next, strict=True)
        ),
        pairwise=tuple(pairwise),
        draws=draft.draws,
        recipe=draft.recipe,
        drawing=draft.drawing,
        remarks=tuple(pooled_scores(draft.recipe)),
    )
    return ranking, list(few_units(len(tasks), "tasks"))


def _even(names: Sequence[str]) -> list[float]:
    """Return the chances of each to be the best on a task of which nothing is known."""
    return [1 / len(names)] * len(names)


def _borne(together: Together, tasks: Mapping[str, RankingDraft], pair: int, judged: Contrast) -> Drawing:
    """Return why there is no verdict on a pair, if a task's chains or model cannot bear one."""
    own = [task.drawings[pair] for task in tasks.values()]
    lost = [drawing.no_verdict for drawing in own if not drawing.converged]
    return Drawing(no_verdict=next(iter(lost), "") or together.not_equivalent(judged.decision))


def _of_draft(one: RankingDraft) -> OnTask:
    return OnTask(
        recipe=one.apart.recipe,
        systems=one.ranking.recipe.names,
        psi=one.apart.psi,
        observed=tuple(one.apart.observed),
        scope=one.ranking.scope,
        have_means=one.apart.have_means,
    )


def _moved(together: Together, tasks: Mapping[str, RankingDraft]) -> list[float]:
    """Return how far other priors move the average difference of each pair at most."""
    n_pairs = len(list(combinations(together.systems, 2)))
    moves = np.zeros((len(tasks), n_pairs))
    for row, one in zip(moves, tasks.values(), strict=True):
        for pair, (drawing, found) in enumerate(zip(one.drawings, one.ranking.pairwise, strict=True)):
            row[pair] = 0.0 if drawing.shift is None else drawing.shift.moved * found.delta.std
    return [together.share * float(move) for move in together.weights @ moves]
