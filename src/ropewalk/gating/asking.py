"""Ask what a requirement asks: one comparison, or one per task, each held against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ropewalk._checks import check_threads
from ropewalk.data.both import BESIDE_LABELS
from ropewalk.data.inputs import has_logs
from ropewalk.data.logs.systems import shared_tasks
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.inference.answers import run_comparison
from ropewalk.inference.drawing import LOOKS, MAX_WORK
from ropewalk.inference.outcomes import outcome_of
from ropewalk.inference.question import kinds_of
from ropewalk.inference.task_recipes import check_no_task
from ropewalk.results import Comparison
from ropewalk.results.gates import EACH, OVERALL, WITHIN_ERROR, Check, Requirement
from ropewalk.results.suites import SuiteComparison
from ropewalk.text.remarks import wording
from ropewalk.text.writing import did_you_mean, shorten, told
from ropewalk.verbs.comparison import compare, compare_tasks


def settled(comparison: Comparison, require: str, *, threads: int) -> Comparison:
    """Return a comparison with as many draws as it takes, where they may be any, to know what lies beyond a margin."""
    answer, recipe = comparison, comparison.recipe
    if recipe.draws != "auto" or recipe.sampler is not None:
        return answer
    work = sum(posterior.work for posterior in recipe.posteriors())
    looks = [look for look in LOOKS if len(comparison.draws) < look <= MAX_WORK / max(work, 1)]
    while looks and outcome_of(answer, require)[1].startswith(WITHIN_ERROR):
        again = run_comparison(replace(recipe, draws=looks.pop(0)), threads=threads)
        answer = replace(again, remarks=comparison.remarks, flips=comparison.flips)
    return answer


def checks_of(
    requirement: Requirement, data: Sequence[Any], pair: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Check]:
    """Ask what a requirement asks of data, and hold the answers against it; `pair` names the two systems."""
    asked = {**options, "metric": requirement.metric, "goal": requirement.require, "margin": requirement.margin}
    if "scores" not in kinds_of(asked):  # what stands beside labels is for other requirements
        asked |= dict.fromkeys(BESIDE_LABELS)
    return [
        _check(requirement, comparison, task, check_threads(options["threads"]))
        for task, comparison in _comparisons(requirement.on, data, {**pair, **asked})
    ]


def _check(requirement: Requirement, comparison: Comparison, task: str | None, threads: int) -> Check:
    if comparison.rests_on_items:
        comparison = settled(comparison, requirement.require, threads=threads)
    outcome, reason = outcome_of(comparison, requirement.require)
    return Check(requirement=requirement, comparison=comparison, outcome=outcome, reason=reason, task=task)


def _comparisons(on: str | None, data: Sequence[Any], asked: dict[str, Any]) -> list[tuple[str | None, Comparison]]:
    """Return the comparisons that are held against a requirement, each with its task."""
    logs = has_logs(data)
    if logs:
        check_no_task(asked)
    tasks = shared_tasks(data, (asked.get("a"), asked.get("b"))) if logs else []
    if len(tasks) <= 1 if logs else asked.get("task") is None:
        if on is not None and not (logs and on in {OVERALL, EACH, *tasks}):
            raise _unknown_task(on, tasks)
        return [(None, compare(*data, **asked))]
    together = asked.get("over") is not None or asked.get("weights") is not None
    if on == OVERALL or (on is None and together):
        over = asked.get("over") or "these"
        return [(None, compare(*data, **{**asked, "over": over}))]
    alone = {name: value for name, value in asked.items() if name not in {"over", "weights"}}
    each = _on_each(data, alone, logs=logs)
    if on in {None, EACH}:
        return list(each.items())
    if on not in each:
        raise _unknown_task(str(on), list(each))
    return [(on, each[str(on)])]


def _on_each(data: Sequence[Any], asked: dict[str, Any], *, logs: bool) -> dict[str, Comparison]:
    """Return the comparison on each task, with as many draws as it takes."""
    if logs:
        of_tasks = compare_tasks(*data, **{name: value for name, value in asked.items() if name != "task"})
        return dict(zip(of_tasks.tasks, of_tasks.comparisons, strict=True))
    suite = compare(*data, **asked)
    if not isinstance(suite, SuiteComparison):
        raise InvalidInputError("These data have no tasks.", hint="leave out what names a task.")
    threads = check_threads(asked["threads"])
    pairs = zip(suite.tasks.tasks, suite.tasks.comparisons, strict=True)
    # A suite draws until it is settled as a whole: each task may need more.
    return {task: run_comparison(one.recipe, threads=threads) for task, one in pairs}


def _unknown_task(task: str, tasks: Sequence[str]) -> InvalidInputError:
    if not tasks:
        which = {OVERALL: "tasks overall", EACH: "each task"}.get(task, f"the task {told(task)}")
        return InvalidInputError(
            f"A requirement is about {which}, and the data have no tasks.",
            hint=wording("name their column as task=, or leave the task out of the requirement."),
        )
    return UnknownNameError(
        f"A requirement is about {told(task)}, which is no task: {shorten(tasks)}.",
        hint=did_you_mean(task, tasks) + "Name one of them.",
    )
