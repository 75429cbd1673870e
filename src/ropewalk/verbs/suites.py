"""Compare two classifiers over a suite of tasks: the average over these, or tasks like these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, Unpack

from ropewalk._checks import check_draws, check_seed, check_threads, checked_keywords, choose, is_real
from ropewalk._progress import current, shown, track
from ropewalk.data.inputs import has_logs, listed
from ropewalk.data.items import slices_of, values_of
from ropewalk.data.logs.systems import pair_data
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.draws.contrast import Question
from ropewalk.draws.evidence import Evidence
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.inference.answers import draw_comparison, remarks_beside
from ropewalk.inference.drawing import LOOKS
from ropewalk.inference.logs import are_of_chances, as_arrays, remarks_on
from ropewalk.inference.opening import open_data, with_remarks
from ropewalk.inference.question import Question as Asked
from ropewalk.inference.question import metrics_of, read_sources, select, write_recipe, write_recipes
from ropewalk.inference.slices import classes_of
from ropewalk.inference.suites import SuiteQuestion, judge_suite, seeds_of
from ropewalk.metrics.resolve import require_bounded
from ropewalk.models.population import MIN_UNITS
from ropewalk.models.suites import OVER, Over
from ropewalk.results import Comparison, Recipe, SuiteComparison
from ropewalk.results.options import SuiteOptions
from ropewalk.text.remarks import Remark, argument, issue, warning, wording
from ropewalk.text.writing import count_of, did_you_mean, shorten, told
from ropewalk.verbs.pooling import wider_question

MAX_TASKS: Final = 2_000
"""More values than these name the items, and not their tasks."""

FEW_DRAWS: Final = 10_000
"""Of tasks that stand for others only means and standard deviations are taken, which so many draws tell to 1%."""

MOST_NUMBERS: Final = 40_000_000
"""So many numbers are kept at most, of the draws of all tasks."""

Pair: TypeAlias = tuple[str | None, str | None]
"""The names of A and B."""

_ALONE: Final = ("by", "flips", "tests", "pool", "scores", "a_scores", "b_scores")
"""What is asked about one test set, and not about many."""

_USAGE: Final = "compare(y_true, pred_a, pred_b, task=tasks), or compare(table, truth=…, a=…, b=…, task=…)."


def compare_suite(data: Sequence[Any], names: Pair, options: Mapping[str, Any]) -> SuiteComparison:
    """Compare two classifiers over the tasks of data, each task by itself first."""
    for name in _ALONE:
        if options.get(name) is not None:
            raise InvalidInputError(
                argument(name) + " is about one test set, and this question is about several tasks.",
                hint="leave it out, or ask about each task.",
            )
    if metrics_of(options)[1:]:
        raise InvalidInputError("A suite of tasks is compared by one metric.", hint=wording("name one metric=."))
    over = _over(options)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    about_each = {**options, "task": None, "over": None, "weights": None}
    read = _tasks_of_logs if has_logs(data) else _tasks_of_table
    tasks = read(data, names, about_each, options.get("task"), seed)
    _check_number(tasks.recipes, over)
    weights, weighted = _weights(options.get("weights"), over, {task: r.n_items for task, r in tasks.recipes.items()})
    first = next(iter(tasks.recipes.values()))
    if over == "tasks":
        require_bounded(first.metric, "tasks have no population")
    asked = SuiteQuestion(
        over=over, question=first.question, weights=weights, weighted=weighted, draws=first.draws, seed=seed
    )
    with shown(options.get("progress")):
        result = _drawn(tasks, asked, threads=check_threads(options["threads"]))
    issue(result.remarks)
    return result


@dataclass(frozen=True, kw_only=True, eq=False)
class _Tasks:
    """One question per task, what is to be said of each, and of all of them."""

    recipes: Mapping[str, Recipe]
    remarks: Mapping[str, tuple[Remark, ...]]
    common: tuple[Remark, ...] = ()


def _tasks_of_table(data: Sequence[Any], names: Pair, options: Mapping[str, Any], task: Any, seed: int) -> _Tasks:
    """Divide a table, or arrays, into tasks."""
    if task is None:
        raise InvalidInputError(
            "Which task is an item of?", hint=wording("task= names the column of tasks, or is an array of them.")
        )
    opened, classifiers, named = open_data(data, names, options)
    sources = read_sources(opened, classifiers, named, usage=_USAGE)
    (tables,) = sources.values()
    if len(tables) > 1:
        raise InvalidInputError(
            "Separate test sets have no tasks in common.",
            hint="give the predictions of both on the same items, or rw.suite the comparisons on each task.",
        )
    if isinstance(tables[0], MultilabelOutcomes):
        raise DataError(
            "Items that have any number of labels cannot be divided into tasks.",
            hint="compare on each task, and give the comparisons to rw.suite.",
        )
    whole = write_recipes(sources, named, seed=seed)[0]
    parts = slices_of(tables[0], task, name="task", most=MAX_TASKS)
    if None in parts:
        raise DataError(f"{count_of(parts[None].n_items, 'item')} without a task.", hint="name the task of every item.")
    texts = {value: str(value) for value in parts}
    about = {**select(named, Asked), "metric": metrics_of(named)[0], "pos_label": whole.pos_label}
    about |= {"rope": whole.rope, "goal": None, "margin": None}
    present = {value: table for value, table in parts.items() if table.n_items}
    own = seeds_of([texts[value] for value in present], seed)
    recipes = {}
    for (value, table), one in zip(present.items(), own, strict=True):
        try:
            recipes[texts[value]] = write_recipe((table,), seed=one, **{**about, **classes_of(whole, table)})
        except DataError as error:
            raise DataError(f"On the task {texts[value]!r}: {error.message}", hint=error.hint) from error
    gone = {str(value) for value in values_of(tables[0], task) if value is not None} - recipes.keys()
    log_remarks = tuple(named.get("log_remarks", ()))
    return _Tasks(recipes=recipes, remarks={}, common=(*_lost(sorted(gone)), *log_remarks))


def _tasks_of_logs(data: Sequence[Any], names: Pair, options: Mapping[str, Any], task: Any, seed: int) -> _Tasks:
    """Take the tasks of evaluation logs."""
    if task is not None:
        raise InvalidInputError(
            "Evaluation logs say themselves which task an item is of.",
            hint=wording("leave task= out; read_log(…, task=…) picks one."),
        )
    pairs = pair_data(data, names, options, chances=are_of_chances(metrics_of(options)))
    present = [paired.task for paired in pairs]
    recipes = {}
    for paired, own in zip(pairs, seeds_of(present, seed), strict=True):
        arrays, asked = as_arrays(paired, options)
        opened, classifiers, named = open_data(arrays, (None, None), asked)
        recipes[paired.task] = write_recipes(read_sources(opened, classifiers, named, usage=_USAGE), named, seed=own)[0]
    gone = {one for log in listed(data) for one in log.tasks} - set(present)
    return _Tasks(
        recipes=recipes, remarks={paired.task: remarks_on(paired) for paired in pairs}, common=_lost(sorted(gone))
    )


def _lost(gone: Sequence[str]) -> tuple[Remark, ...]:
    """Say which tasks are left out, since no item of them has answers of both."""
    if not gone:
        return ()
    return (warning("tasks_left_out", f"Left out, since they lack answers of one of the two: {shorten(gone, 12)}."),)


def _drawn(tasks: _Tasks, asked: SuiteQuestion, *, threads: int) -> SuiteComparison:
    """Draw each task and judge all of them; with "auto" until other draws would decide alike."""
    result = None
    for look in _looks(asked, len(tasks.recipes)):
        comparisons = {}
        for task in track(tasks.recipes, describe="Comparing tasks", progress=current()):
            with shown(progress=False):
                drawn, draft = draw_comparison(replace(tasks.recipes[task], draws=int(look)), threads=threads)
            none = Evidence(reason="tasks of a suite have none")
            own = replace(drawn, remarks=remarks_beside(drawn, draft), evidence=none)
            comparisons[task] = with_remarks(own, {"log_remarks": tasks.remarks.get(task, ())})
        result = judge_suite(comparisons, asked, tasks.common)
        if result.decision is None or result.decision.stable:
            break
    assert result is not None  # noqa: S101 - there is a look
    return result


def _over(options: Mapping[str, Any]) -> Over:
    """Return over which tasks a question is."""
    asked = options.get("over")
    return choose("these" if asked is None else asked, OVER, "over")


def _looks(asked: SuiteQuestion, number: int) -> Sequence[int]:
    """Return how many draws of each task are tried."""
    if asked.draws != "auto":
        return (int(asked.draws),)
    if asked.over == "tasks":
        return (FEW_DRAWS,)
    most = MOST_NUMBERS // (2 * number)
    return [look for look in LOOKS[:2] if look <= most] or [max(most // 1_000, 1) * 1_000]


def _check_number(tasks: Mapping[str, Any], over: Over) -> None:
    """Refuse too few tasks."""
    least = MIN_UNITS if over == "tasks" else 2
    if len(tasks) >= least:
        return
    if over == "tasks":
        raise DataError(
            f"How tasks differ takes at least {MIN_UNITS} of them; got {len(tasks)}.",
            hint=wording('over="these" asks about the average over these.'),
        )
    which = f": {shorten(tasks)}" if tasks else ""
    raise DataError(
        f"A suite takes at least two tasks; got {len(tasks)}{which}.", hint="compare on one task without naming it."
    )


def _weights(weights: Any, over: Over, items: Mapping[str, int]) -> tuple[dict[str, float], bool]:
    """Return what each task weighs, in all 1, and whether some were asked for."""
    even = dict.fromkeys(items, 1 / len(items))
    if weights is None:
        return even, False
    if over == "tasks":
        raise InvalidInputError(
            "Tasks that stand for tasks like them have no weights: their precision says what each tells.",
            hint=wording('leave weights= out, or ask about the average, over="these".'),
        )
    if isinstance(weights, str) and weights == "items":
        return {task: n / sum(items.values()) for task, n in items.items()}, True
    if not isinstance(weights, Mapping):
        raise InvalidInputError(
            wording('`weights` must be "items", or a weight for each task; got {}.', told(weights)),
            hint=wording("leave weights= out, and all tasks count alike."),
        )
    given = {str(task): weight for task, weight in weights.items()}
    for task in given:
        if task not in items:
            raise UnknownNameError(
                argument("weights") + f" names {told(task)}, which is no task: {shorten(items)}.",
                hint=did_you_mean(task, list(items)) + "Name those that there are.",
            )
    lacking = [task for task in items if task not in given]
    bad = [weight for weight in given.values() if not is_real(weight) or not 0 <= weight < math.inf]
    if lacking or bad or not any(given.values()):
        problem = f"lacks {shorten(lacking)}" if lacking else f"holds {told(bad[0])}" if bad else "holds zeros only"
        raise InvalidInputError(
            argument("weights") + f" {problem}.", hint="give every task a number that is not negative, not all 0."
        )
    total = math.fsum(given.values())
    return {task: float(given[task]) / total for task in items}, True


# -- comparisons already made ------------------------------------------------------------------------------


@checked_keywords
def suite(comparisons: Mapping[str, Comparison], /, **options: Unpack[SuiteOptions]) -> SuiteComparison:
    """Put comparisons on several tasks together: the average over these tasks, or tasks like these.

    The comparisons are taken as independent, and their draws are used as they are: they are about other items, by any
    models. Where their metrics differ, all must run from 0 to 1 in the same direction: what is averaged are points, and
    a note says so.

    Parameters
    ----------
    comparisons
        What `compare` gave on each task, by the task's name, of the same two classifiers.
    over
        "these" (default): the average over these tasks; "tasks": the mean over tasks like these, and the next one.
    weights
        For "these": None, so that all tasks count alike; "items", so that all items do; or a weight for each task.
    rope, prob, rule
        How the difference is judged; by default by the ROPE of the comparisons, if all have the same.
    draws, rng, random_state, progress
        As in `compare`; there are at most as many draws as the comparisons have.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y = [1, 0] * 50
    >>> one = rw.compare(y, y, [1, 0, 0, 0] * 25, metric="accuracy", rope=0.01, rng=0)
    >>> two = rw.compare(y, y, [1, 1] * 50, metric="accuracy", rope=0.01, rng=1)
    >>> r = rw.suite({"sums": one, "words": two}, rng=0)
    >>> print(f"{r.mean:.2f} is the average of {one.mean:.2f} and {two.mean:.2f}")
    0.37 is the average of 0.25 and 0.49
    """
    if not isinstance(comparisons, Mapping) or not all(isinstance(c, Comparison) for c in comparisons.values()):
        raise InvalidInputError(
            "A suite is made of comparisons by the names of their tasks.", hint='suite({"mmlu": r1, "gsm": r2}).'
        )
    tasks = {str(task): c for task, c in comparisons.items()}
    over = _over(options)
    _check_number(tasks, over)
    _check_alike(tasks)
    weights, weighted = _weights(options.get("weights"), over, {task: c.recipe.n_items for task, c in tasks.items()})
    asked = SuiteQuestion(
        over=over,
        question=_question(tasks, options),
        weights=weights,
        weighted=weighted,
        draws=check_draws(options["draws"]),
        seed=check_seed(options.get("rng"), options.get("random_state")),
    )
    result = judge_suite(tasks, asked)
    issue(result.remarks)
    return result


def _check_alike(tasks: Mapping[str, Comparison]) -> None:
    """Refuse comparisons of different classifiers, and metrics that cannot be averaged."""
    (task, first), *others = tasks.items()
    for other, c in others:
        if (c.a, c.b) != (first.a, first.b):
            raise InvalidInputError(
                f"{task!r} compares {first.a} with {first.b}, and {other!r} compares {c.a} with {c.b}.",
                hint="give the classifiers the same names, in the same order, in all comparisons.",
            )
        if c.metric == first.metric and c.higher_is_better == first.higher_is_better:
            continue
        shares = all(one.recipe.unit.is_points for one in (first, c))
        if not shares or c.higher_is_better != first.higher_is_better:
            raise InvalidInputError(
                f"{task!r} is measured by {first.metric} and {other!r} by {c.metric}: their average has no meaning.",
                hint="metrics are averaged where all run from 0 to 1, and more is better by all or by none.",
            )


def _question(tasks: Mapping[str, Comparison], options: Any) -> Question:
    """Return how the difference is judged: as the comparisons were, where nothing else is said."""
    first, *others = (c.recipe.question for c in tasks.values())
    if options.get("rope") is not None:
        return wider_question(options, higher_is_better=first.higher_is_better)
    if any(other.rope != first.rope for other in others):
        raise InvalidInputError("The comparisons have different ROPEs.", hint=wording("state one for all: rope=."))
    return replace(wider_question(options, higher_is_better=first.higher_is_better), rope=first.rope)
