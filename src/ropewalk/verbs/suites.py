"""Ask over a suite of tasks: the average over these, or tasks like these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Unpack

from ropewalk._checks import check_draws, check_seed, check_threads, checked_keywords
from ropewalk.data.inputs import has_logs
from ropewalk.draws.contrast import Question
from ropewalk.draws.evidence import Evidence
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import draw_comparison, remarks_beside, run_evaluation
from ropewalk.inference.flips import flips_together, with_flips
from ropewalk.inference.opening import open_data, with_remarks
from ropewalk.inference.question import Default, Opened, check_distinct, check_pool, read_sources
from ropewalk.inference.ranking import RankingDraft, draw_ranking
from ropewalk.inference.suite_scores import judge_evaluations, judge_rankings
from ropewalk.inference.suites import judge_suite
from ropewalk.inference.task_recipes import Reader, Suite, check_number, over_of, weights_of
from ropewalk.inference.tasks import SuiteQuestion, check_alike
from ropewalk.metrics.resolve import require_bounded
from ropewalk.results import Comparison, Evaluation, Recipe, SuiteComparison
from ropewalk.results.options import SuiteOptions
from ropewalk.results.suites import SuiteEvaluation, SuiteRanking
from ropewalk.text.remarks import argument, issue, wording
from ropewalk.verbs.pooling import wider_question

_ALONE: Final = ("by", "tests", "pool")
"""What is asked about one test set, and not about many."""

_USAGE: Final = "compare(y_true, pred_a, pred_b, task=tasks), or compare(table, truth=…, a=…, b=…, task=…)."


def compare_suite(
    data: Sequence[Any], names: tuple[str | None, str | None], options: Mapping[str, Any]
) -> SuiteComparison:
    """Compare two classifiers over the tasks of data, each task by itself first."""
    for name in _ALONE:
        if options.get(name) is not None:
            raise InvalidInputError(
                argument(name) + " is about one test set, and this question is about several tasks.",
                hint="leave it out, or ask about each task.",
            )
    suite = Suite.read(data, names, options, _read)
    check_distinct(next(iter(suite.tasks.recipes.values())))
    threads, usual = check_threads(options["threads"]), has_logs(data)

    def ask(task: str, recipes: list[Recipe]) -> tuple[Comparison, ...]:
        first, *others = (_on_task(recipe, threads) for recipe in recipes)
        first = with_remarks(first, suite.tasks.remarks.get(task, ()))
        return (with_flips(first, options.get("flips"), usual=usual, threads=threads), *others)

    def judge(each: dict[str, tuple[Comparison, ...]]) -> SuiteComparison:
        first, *others = (
            judge_suite({task: one[place] for task, one in each.items()}, asked, suite.tasks.common)
            for place, asked in enumerate(suite.questions)
        )
        flips = flips_together({task: one[0] for task, one in each.items()}, suite.questions[0].seed)
        return replace(first, others=tuple(others), flips=flips)

    result = suite.answered(ask, judge, options, parts="metrics")
    issue(dict.fromkeys(remark for each in result.metrics for remark in each.remarks))
    return result


def _on_task(recipe: Recipe, threads: int) -> Comparison:
    """Compare two classifiers on one task."""
    drawn, draft = draw_comparison(recipe, threads=threads)
    return replace(drawn, remarks=remarks_beside(drawn, draft), evidence=Evidence(reason="tasks of a suite have none"))


def evaluate_suite(
    data: Sequence[Any], name: str | None, options: Mapping[str, Any], read: Reader, default: Default
) -> SuiteEvaluation:
    """Evaluate one classifier over the tasks of data, each task by itself first."""
    bar = None if options.get("at_least") is None else float(options["at_least"])
    logs: Sequence[Any] = [each for each in data if not isinstance(each, str)]
    systems: Any = name
    if has_logs(logs):
        data, systems = logs, [each for each in (*data, name) if isinstance(each, str)] or [None]
    suite = Suite.read(data, systems, options, read, default=default)
    threads = check_threads(options["threads"])

    def ask(task: str, recipes: list[Recipe]) -> Evaluation:
        own = run_evaluation(recipes, bar, threads=threads)
        return with_remarks(own, suite.tasks.remarks.get(task, ()))

    def judge(each: dict[str, Evaluation]) -> SuiteEvaluation:
        return judge_evaluations(each, suite.questions, bar, suite.tasks.common)

    result = suite.answered(ask, judge, options, parts="metrics")
    issue(result.remarks)
    return result


def rank_suite(
    data: Sequence[Any], predictions: Sequence[str] | None, options: Mapping[str, Any], read: Reader
) -> SuiteRanking:
    """Rank classifiers over the tasks of data, each task by itself first."""
    suite = Suite.read(data, predictions, options, read)
    names = suite.first.names
    if len(names) < 2:  # noqa: PLR2004
        raise InvalidInputError("A ranking needs at least two classifiers.", hint="`evaluate` looks at one.")
    require_bounded(suite.first.metric, "averages of tasks cannot be ranked")
    pool, threads = check_pool(options.get("pool"), len(names), default=True), check_threads(options["threads"])

    def ask(task: str, recipes: list[Recipe]) -> RankingDraft:
        made = draw_ranking(replace(recipes[0], pool=pool), threads=threads)
        return replace(made, ranking=with_remarks(made.ranking, suite.tasks.remarks.get(task, ())))

    def judge(each: dict[str, RankingDraft]) -> SuiteRanking:
        return judge_rankings(each, suite.questions[0], suite.tasks.common, pool=pool)

    result = suite.answered(ask, judge, options, parts="pairwise")
    issue(result.remarks)
    return result


def _read(data: Sequence[Any], pair: Any, options: Mapping[str, Any]) -> Opened:
    """Make tables of data of two classifiers."""
    opened, classifiers, named = open_data(data, pair, options)
    return read_sources(opened, classifiers, named, usage=_USAGE), named


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
    over = over_of(options)
    check_number(tasks, over)
    _check_alike(tasks)
    weights, weighted = weights_of(options.get("weights"), over, {task: c.recipe.n_items for task, c in tasks.items()})
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
    check_alike({task: (c.metric, c.recipe) for task, c in tasks.items()})


def _question(tasks: Mapping[str, Comparison], options: Any) -> Question:
    """Return how the difference is judged: as the comparisons were, where nothing else is said."""
    first, *others = (c.recipe.question for c in tasks.values())
    if options.get("rope") is not None:
        return wider_question(options, higher_is_better=first.higher_is_better)
    if any(other.rope != first.rope for other in others):
        raise InvalidInputError("The comparisons have different ROPEs.", hint=wording("state one for all: rope=."))
    return replace(wider_question(options, higher_is_better=first.higher_is_better), rope=first.rope)
