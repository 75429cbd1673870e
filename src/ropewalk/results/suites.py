"""Two classifiers over several tasks: the average of these, or tasks like these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ropewalk._checks import published
from ropewalk.models.suites import Over
from ropewalk.results import base
from ropewalk.results.pooled import PopulationComparison
from ropewalk.results.scope import TRAINED, Scope
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

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with what is said about tasks, and each of them by itself, added."""
        tasks = [
            {"task": task, **one.as_row()} for task, one in zip(self.tasks.tasks, self.tasks.comparisons, strict=True)
        ]
        weights = dict(self.weights) if self.over == "these" else None
        return {**PopulationComparison.to_dict(self), **base.pick(self, "over"), "weights": weights, "tasks": tasks}


def scope_of_suite(metric: str, number: int, *, over: Over, clustered: bool, weighted: bool) -> Scope:
    """Return the scope of an answer over so many tasks.

    Examples
    --------
    >>> print(scope_of_suite("accuracy", 3, over="these", clustered=False, weighted=False).estimand)
    the difference in accuracy of two trained classifiers, averaged over these 3 tasks
    >>> print(scope_of_suite("accuracy", 3, over="tasks", clustered=False, weighted=False).line)
    random: tasks, items · fixed: the trained classifiers, how the tasks were chosen
    """
    items, what = (
        "clusters of items" if clustered else "items",
        f"the difference in {metric} of two trained classifiers",
    )
    if over == "tasks":
        return Scope(
            estimand=f"{what}, averaged over tasks like these",
            random=("tasks", items),
            fixed=(TRAINED, "how the tasks were chosen"),
        )
    mean = "averaged by their weights over" if weighted else "averaged over"
    return Scope(
        estimand=f"{what}, {mean} these {count_of(number, 'task')}", random=(items,), fixed=(TRAINED, "the tasks")
    )
