"""Two classifiers over several tasks: the average of these, or tasks like these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ropewalk._checks import published
from ropewalk.errors import InvalidInputError
from ropewalk.models.suites import Over
from ropewalk.results import base
from ropewalk.results.comparison import Comparison
from ropewalk.results.pooled import PopulationComparison
from ropewalk.results.scope import Scope
from ropewalk.results.tasks import TaskComparisons
from ropewalk.text.writing import count_of


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SuiteComparison(PopulationComparison):
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

    @property
    def not_covered(self) -> str:
        """What the interval does not hold."""
        if self.over == "tasks":
            return PopulationComparison.not_covered.fget(self)  # type: ignore[attr-defined, no-any-return]
        return "The interval is about more items like these, of these tasks. Other tasks, and training, are not in it."

    @property
    def pairing(self) -> float | None:
        """How many times the items separate test sets would need; None over tasks like these, whose number counts."""
        return Comparison.pairing.fget(self) if self.over == "these" else None  # type: ignore[attr-defined]

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes the items of one test set, and point to the tasks."""
        raise InvalidInputError(
            f"This answer is about several tasks together, so nothing can be {doing}.",
            hint=f"r.tasks[{self.tasks.tasks[0]!r}] is the comparison on one of them, and can.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with what is said about tasks, and each of them by itself, added."""
        tasks = [
            {"task": task, **one.as_row()} for task, one in zip(self.tasks.tasks, self.tasks.comparisons, strict=True)
        ]
        weights = dict(self.weights) if self.over == "these" else None
        return {**PopulationComparison.to_dict(self), **base.pick(self, "over"), "weights": weights, "tasks": tasks}


def scope_of_suite(metric: str, each: Sequence[Scope], *, over: Over, weighted: bool) -> Scope:
    """Return the scope of an answer over tasks, given that of the comparison on each.

    Examples
    --------
    >>> from ropewalk.results.scope import scope_of_items
    >>> each = [scope_of_items("accuracy", 2, clustered=False)] * 3
    >>> print(scope_of_suite("accuracy", each, over="these", weighted=False).estimand)
    the difference in accuracy of two trained classifiers, averaged over these 3 tasks
    >>> print(scope_of_suite("accuracy", each, over="tasks", weighted=False).line)
    random: tasks, items · fixed: the trained classifiers, how the tasks were chosen
    """
    inside = tuple(dict.fromkeys(source for scope in each for source in scope.random))
    who = each[0].fixed[0]
    what = f"the difference in {metric} of two {who.removeprefix('the ')}"
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
