"""One classifier, two or many over several tasks: the average of these, or tasks like these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from ropewalk._checks import published
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.models.suites import Over
from ropewalk.results import base
from ropewalk.results.comparison import Comparison
from ropewalk.results.evaluation import Evaluation, MetricPosterior, Ranking
from ropewalk.results.pooled import PopulationComparison
from ropewalk.results.scope import Scope, Wider
from ropewalk.results.tasks import TaskComparisons
from ropewalk.text.writing import count_of

_NOT_COVERED: Final = (
    "The interval is about more items like these, of these tasks. Other tasks, and training, are not in it."
)
_NOT_COVERED_LIKE: Final = (
    "The interval is about the mean over tasks like these, as if these had been picked from them at random. Tasks of "
    "another kind, and training, are not in it."
)


class _OverTasks(Wider):
    """An answer about several tasks together."""

    __slots__ = ()

    over: Over
    tasks: Any
    weights: Mapping[str, float]

    @property
    def not_covered(self) -> str:
        """What the intervals do not hold."""
        return _NOT_COVERED if self.over == "these" else _NOT_COVERED_LIKE

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes the items of one test set, and point to the tasks."""
        raise InvalidInputError(
            f"This answer is about several tasks together, so nothing can be {doing}.",
            hint=f"r.tasks[{next(iter(self.weights))!r}] is the answer on one of them, and can.",
        )

    def on_tasks(self) -> dict[str, Any]:
        """Return over which tasks it is, by which weights, and the scores on each, in plain Python types."""
        tasks = [{"task": task, "n_items": one.recipe.n_items, **self.on_task(one)} for task, one in self.tasks.items()]
        return {"over": self.over, "weights": dict(self.weights) if self.over == "these" else None, "tasks": tasks}

    def on_task(self, one: Any) -> dict[str, Any]:
        """Return the scores on one task, in plain Python types."""
        raise NotImplementedError


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SuiteComparison(_OverTasks, PopulationComparison):
    """Is A better than B over a suite of tasks? Made by `compare` with ``task=``, and by `suite`.

    ``over="these"`` is about the average over these tasks, by the `weights` of each; ``over="tasks"`` about the mean
    over tasks like these, with `next`, `population` and `tau`, and the tasks in `units` drawn towards each other.
    `tasks` has the comparison on each task by itself: ``r.tasks["arithmetic"]``.
    """

    over: Over
    tasks: TaskComparisons
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_of_most(self) -> bool:
        """Whether it is judged where most tasks lie: it is judged by their mean."""
        return False

    @property
    def where(self) -> str:
        """Where A may be better than B, as the title asks."""
        return "tasks like these" if self.over == "tasks" else f"these {count_of(len(self.tasks), 'task')}"

    def is_joint_with(self, other: Comparison) -> bool:
        """Whether the draws of both are of the same weighted tables of every task, over these tasks."""
        if not isinstance(other, SuiteComparison) or "tasks" in (self.over, other.over):
            return self is other
        pairs = zip(self.tasks, other.tasks, strict=True)
        return self.weights == other.weights and all(one.is_joint_with(two) for one, two in pairs)

    @property
    def pairing(self) -> float | None:
        """How many times the items separate test sets would need; None over tasks like these, whose number counts."""
        return Comparison.pairing.fget(self) if self.over == "these" else None  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with what is said about tasks, and each of them by itself, added."""
        tasks = [
            {"task": task, **one.as_row()} for task, one in zip(self.tasks.tasks, self.tasks.comparisons, strict=True)
        ]
        weights = dict(self.weights) if self.over == "these" else None
        return {**PopulationComparison.to_dict(self), **base.pick(self, "over"), "weights": weights, "tasks": tasks}


def scope_of_suite(metric: str, each: Sequence[Scope], n_systems: int, *, over: Over, weighted: bool) -> Scope:
    """Return the scope of an answer over tasks about so many systems, given that on each.

    Examples
    --------
    >>> from ropewalk.results.scope import scope_of_items
    >>> each = [scope_of_items("accuracy", 2, clustered=False)] * 3
    >>> print(scope_of_suite("accuracy", each, 2, over="these", weighted=False).estimand)
    the difference in accuracy of two trained classifiers, averaged over these 3 tasks
    >>> print(scope_of_suite("accuracy", each, 2, over="tasks", weighted=False).line)
    random: tasks, items · fixed: the trained classifiers, how the tasks were chosen
    >>> print(scope_of_suite("accuracy", each, 5, over="these", weighted=True).estimand)
    the accuracy of 5 trained classifiers, averaged by their weights over these 3 tasks
    """
    inside = tuple(dict.fromkeys(source for scope in each for source in scope.random))
    who = each[0].fixed[0]
    several = who.removeprefix("the ")
    if n_systems == 1:
        what = f"the {metric} of {who}"
    elif n_systems == 2:  # noqa: PLR2004
        what = f"the difference in {metric} of two {several}"
    else:
        what = f"the {metric} of {n_systems} {several}"
    if over == "tasks":
        return Scope(
            estimand=f"{what}, averaged over tasks like these",
            random=("tasks", *inside),
            fixed=(who, "how the tasks were chosen"),
        )
    mean = "averaged by their weights over" if weighted else "averaged over"
    return Scope(
        estimand=f"{what}, {mean} these {count_of(len(each), 'task')}", random=inside, fixed=(who, "the tasks")
    )


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SuitePosterior(Wider, MetricPosterior):
    """One metric of one classifier over several tasks; over tasks like these, `tau_median` says how far they differ."""

    about: Scope
    tau_median: float | None = None
    tau_hdi: Interval | None = None

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes the items of one test set."""
        raise InvalidInputError(
            f"This answer is about several tasks together, so nothing can be {doing}.",
            hint="ask the evaluation on one of them: e.tasks has each.",
        )


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SuiteEvaluation(_OverTasks, Evaluation):
    """How good is one classifier over a suite of tasks? Made by `evaluate`, with ``task=`` or of logs of several tasks.

    ``over="these"``: its metrics are averages over these tasks, by the `weights` of each; ``over="tasks"``: means over
    tasks like these, each with the spread tau between them. `tasks` has the evaluation on each task by itself:
    ``e.tasks["arithmetic"]``.
    """

    metrics: tuple[SuitePosterior, ...]
    about: Scope
    over: Over
    tasks: Mapping[str, Evaluation]
    weights: Mapping[str, float]

    def on_task(self, one: Evaluation) -> dict[str, Any]:
        """Return the scores on one task, in plain Python types."""
        metrics = [
            {"metric": m.metric.name, **base.estimate_dict(m.estimate), "prob_at_least": m.prob_at_least}
            for m in one.metrics
        ]
        return {"metrics": metrics}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of an evaluation, with the scores on each task added."""
        whole = Evaluation.to_dict(self)
        for written, m in zip(whole["metrics"], self.metrics, strict=True):
            written["tau"] = None if m.tau_hdi is None else {"median": m.tau_median, "hdi": list(m.tau_hdi)}
        return {**whole, **self.on_tasks()}


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SuiteRanking(_OverTasks, Ranking):
    """Which of K classifiers is best over a suite of tasks? Made by `rank`, with ``task=`` or of logs of several tasks.

    ``over="these"``: scores are averages over these tasks, by the `weights` of each; ``over="tasks"``: means over tasks
    like these, where every pair is judged as `compare` does, and `p_best_next` of each is about the next task. `tasks`
    has the ranking on each task by itself: ``r.tasks["arithmetic"]``.
    """

    about: Scope
    over: Over
    tasks: Mapping[str, Ranking]
    weights: Mapping[str, float]

    def on_task(self, one: Ranking) -> dict[str, Any]:
        """Return the scores on one task, in plain Python types."""
        models = [
            {"name": m.name, **base.estimate_dict(m.estimate), **base.pick(m, "p_best expected_rank")}
            for m in one.models
        ]
        return {"models": models}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a ranking, with the scores on each task added."""
        return {**Ranking.to_dict(self), **self.on_tasks()}
