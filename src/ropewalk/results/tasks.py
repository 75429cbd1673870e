"""The same question on several tasks: one comparison per task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ropewalk._checks import published
from ropewalk.results import base
from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.comparison import Comparison
from ropewalk.text.standing import parts_title
from ropewalk.text.units import metric_title
from ropewalk.text.writing import isolated, shorten, visible


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class TaskComparisons(Rendered):
    """One comparison per task, each task a question of its own, in the order of the data. Made by `compare_tasks`.

    It iterates over comparisons; `tasks` are what they are called, and `r["arithmetic"]` is the comparison on one.
    `scores` are the logs' own scores whose means were compared, one per task; empty where a metric was named.
    """

    tasks: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    scores: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, task: str) -> Comparison:
        if task not in self.tasks:
            raise KeyError(f"{task!r}; there are: {shorten(self.tasks)}")
        return self.comparisons[self.tasks.index(task)]

    @property
    def recipe(self) -> Recipe:
        """What gives the first comparison again."""
        return self.comparisons[0].recipe

    @property
    def headline(self) -> str:
        """On how many tasks which of the two wins; without verdicts, whose metric is probably higher."""
        return self.told(isolated)

    def told(self, shown: Callable[[str], str]) -> str:
        """Return the headline with names as a surface writes them."""
        first, codes = self.comparisons[0], [None if c.decision is None else c.decision.code for c in self.comparisons]
        a, b = shown(first.a), shown(first.b)
        if any(codes):
            return parts_title(codes, a, b, "task", "tasks")
        higher = sum(c.prob_better > 1 / 2 for c in self.comparisons)
        titles = {c.recipe.metric.title for c in self.comparisons}
        metric = shown(metric_title(titles.pop() if len(titles) == 1 else first.metric))
        return f"{a} is probably better than {b} in {metric} on {higher} of {len(codes)} tasks"

    def __repr__(self) -> str:
        first = self.comparisons[0]
        return visible(f"TaskComparisons({first.metric}: {first.a} − {first.b}, {len(self)} tasks)")

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        tasks = [{"task": task, **c.to_dict()} for task, c in zip(self.tasks, self.comparisons, strict=True)]
        return {"schema": base.SCHEMA, "headline": self.headline, "tasks": tasks}
