"""The suite: what stands where an answer over several tasks names its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from ropewalk.models.unfitted import Unfitted

Over = Literal["these", "tasks"]

OVER: Final[dict[str, Over]] = {"these": "these", "tasks": "tasks"}
"""An average over these tasks, or over tasks like these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite(Unfitted):
    """Tasks, each by a model of its own: their average, or the population that they come from."""

    over: Over = "these"

    name = "suite"
    fitted_to = "the posteriors of several tasks"
    fitted_by = "rw.compare with task=, or rw.suite,"

    @property
    def title(self) -> str:
        """The name as people say it."""
        return "average of tasks" if self.over == "these" else "population of tasks"

    @property
    def prior(self) -> str:
        """The prior in one line of formulas."""
        if self.over == "these":
            return "of each task its own, with a share of its mass; averaged draw by draw, tasks independent"
        return "of each task its own; Δ_t ~ N(mu, tau²); mu flat, tau Jeffreys"

    @property
    def no_factor(self) -> str:
        """Why there is no Bayes factor."""
        return "a suite has none" if self.over == "these" else "the prior of mu and tau is improper"

    @property
    def description(self) -> str:
        """What it takes as unknown."""
        each = "Each task has its own items and its own posterior"
        if self.over == "these":
            return (
                f"{each}, and the answer is the average of draws, one from each task independently. The priors of all "
                "tasks would pull one way: in the average they share the mass of one."
            )
        return (
            f"{each}, whose standard deviation is the error of what was observed; the tasks come from one normal "
            "population, whose centre and spread are unknown. Exact, on a grid, without chains."
        )
