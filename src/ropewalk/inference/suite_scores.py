"""Judge the scores of one classifier, or of K, averaged over a suite of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ropewalk.draws.contrast import Contrast
from ropewalk.inference.answers import against_bar
from ropewalk.inference.ranking import RankingDraft, judge_ranking
from ropewalk.inference.remarks import no_verdict
from ropewalk.inference.tasks import OnTask, SuiteQuestion, Together, prior_decides, prior_pulls
from ropewalk.results import Evaluation, MetricPosterior, Ranking
from ropewalk.results.base import Drawing
from ropewalk.results.suites import SuiteEvaluation, SuiteRanking
from ropewalk.text.remarks import Remark
from ropewalk.text.units import metric_title


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


def _judged(together: Together, each: Mapping[str, MetricPosterior], bar: float | None) -> MetricPosterior:
    """Set the average score against the bar, if there is one."""
    draft, name = together.draft(), together.systems[0]
    lost = [m.no_verdict for m in each.values() if not m.drawing.converged]
    drawing = replace(draft.drawing, no_verdict=next(iter(lost), "") if bar is not None else "")
    estimate = draft.estimates(draft.observed)[0]
    judged, drawing = against_bar(draft.psi[0], estimate, draft.recipe, drawing, bar, name=name)
    reason = together.not_equivalent(judged["decision"])
    if reason:
        drawing, judged = replace(drawing, no_verdict=reason), {**judged, "decision": None, "rope_path": None}
    return MetricPosterior(
        metric=draft.recipe.metric,
        estimate=estimate,
        **judged,
        bar=bar,
        draws=draft.draws,
        recipe=draft.recipe,
        drawing=drawing,
    )


def _remarks_on_score(
    together: Together, each: Mapping[str, MetricPosterior], judged: MetricPosterior
) -> Iterator[Remark]:
    yield from together.on_weights()
    yield from together.on_tasks()
    estimate = judged.estimate
    if estimate.observed is not None and estimate.std:
        what = f"The average {metric_title(judged.metric.name)}"
        yield from prior_pulls(abs(estimate.mean - estimate.observed) / estimate.std, what)
    moves = [m.drawing.shift.moved * m.estimate.std if m.drawing.shift else 0.0 for m in each.values()]
    if judged.recipe.rope is not None and estimate.std:
        yield from prior_decides(float(together.weights @ np.array(moves)) / estimate.std)


# -- K classifiers -------------------------------------------------------------------------------------------


def judge_rankings(
    tasks: Mapping[str, RankingDraft], asked: SuiteQuestion, remarks: Sequence[Remark], *, pool: bool
) -> SuiteRanking:
    """Put the rankings of K classifiers on tasks together: their average scores, and every pair of them."""
    tasks = dict(sorted(tasks.items()))
    together = Together({name: _of_draft(one) for name, one in tasks.items()}, asked)
    moved, pulls = _moved(together, tasks), [0.0]

    def bear(judged: Sequence[Contrast], alone: Sequence[Contrast]) -> list[Drawing]:
        deltas, drawings = [one.delta for one in alone], []
        pulls.extend(abs(d.mean - d.observed) / d.std for d in deltas if d.observed is not None and d.std)
        for pair, one in enumerate(judged):
            own = [task.drawings[pair] for task in tasks.values()]
            lost = [drawing.no_verdict for drawing in own if not drawing.converged]
            drawings.append(Drawing(no_verdict=next(iter(lost), "") or together.not_equivalent(one.decision)))
        return drawings

    made = judge_ranking(together.draft(pool=pool), bear)
    ranking = made.ranking
    said = [*no_verdict(ranking.no_verdict), *together.on_weights(), *together.on_tasks()]
    said += prior_pulls(max(pulls), "An average difference")
    if asked.question.rope is not None:
        spreads = [pair.delta.std for pair in ranking.pairwise]
        said += prior_decides(max((m / std for m, std in zip(moved, spreads, strict=True) if std), default=0.0))
    known = {name: getattr(ranking, name) for name in Ranking.__dataclass_fields__}
    known["remarks"] = (*said, *ranking.remarks, *remarks)
    return SuiteRanking(
        **known,
        about=together.scope,
        over=asked.over,
        tasks={name: one.ranking for name, one in tasks.items()},
        weights=dict(zip(together.names, together.weights.tolist(), strict=True)),
    )


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
    return [float(move) for move in together.weights @ moves]
