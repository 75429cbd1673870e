"""Two systems by a judge's verdicts, corrected by those items that humans judged too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

from ropewalk._checks import published
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.results import base
from ropewalk.results.comparison import Comparison
from ropewalk.results.scope import SOURCE, Scope
from ropewalk.text.remarks import wording
from ropewalk.text.units import metric_title


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBias:
    """By how much the judge scores too high: the posterior mean, and its HDI."""

    mean: float
    hdi: Interval


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCell:
    """The items of which the judge says the same: how many there are, and how many of them humans judged.

    `said` is what the judge says of A and of B; or the judge's label, and those of A and B, of more than two labels
    letters that tell which are equal. `difference` is by how much more often A is right than B, as humans see it.
    `next_labels` is which share of further labels belongs here,
    for the narrowest interval.
    """

    said: tuple[str, ...]
    n_items: int
    n_human: int
    difference: float
    next_labels: float


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class MoreLabels:
    """What `n` further human labels are expected to give, each where it tells most; `at_random` where that is not so.

    `width` is that of the interval, and `prob_conclusive` how probable a conclusive verdict is then; None without a
    ROPE.
    """

    n: int
    width: float
    prob_conclusive: float | None
    at_random: float


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """What the judge says, what it gets wrong, and what the human labels are worth.

    `alone` is the difference that the judge alone would give, on the data. `bias_a` and `bias_b` are by how much it
    scores either too high, `favour` by how much more it favours A, and `prob_favours_a` how probable it is that it
    does. `width_without` is the width of the interval by the human labels alone, had their items been picked at random,
    and `worth` how many such labels would make an interval as narrow as the answer's. `cells` are the items by what the
    judge says of them, and `more` is what further labels would give.
    """

    n_human: int
    alone: float
    bias_a: JudgeBias
    bias_b: JudgeBias
    favour: JudgeBias
    prob_favours_a: float
    width_without: float
    worth: float
    cells: tuple[JudgeCell, ...]
    more: tuple[MoreLabels, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain Python types."""
        names = "n_human alone bias_a bias_b favour prob_favours_a width_without worth"
        return {
            **{name: base.plain(value) for name, value in base.pick(self, names).items()},
            "cells": [base.plain(cell) for cell in self.cells],
            "more_labels": [base.plain(row) for row in self.more],
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class JudgedComparison(Comparison):
    """Is A better than B, as humans see it, by a judge's verdicts on all items? Made by `compare` with human labels.

    The observed values are the judge's; the posterior is about what humans say. `judge` has what the judge alone would
    say, what it gets wrong, and what more human labels would be worth.
    """

    rests_on_items: ClassVar[bool] = False
    judge: JudgeSummary

    @property
    def scope(self) -> Scope:
        """What it is about, which chances are in its interval, and what it takes as it is."""
        return Scope(
            estimand=f"the difference in {metric_title(self.metric)} of these two systems by human judgement, on items "
            "like these",
            random=("items", "human labels"),
            fixed=("the judge", "the two systems", SOURCE),
        )

    @property
    def pairing(self) -> None:
        """None: the judge's part in the width has nothing to do with pairs."""
        return

    @property
    def discordant(self) -> None:
        """None: on which items only one is right is the judge's word."""
        return

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes the truth of every item."""
        raise InvalidInputError(
            f"This answer is of a judge that humans corrected on some items, so nothing can be {doing}.",
            hint=wording("r.judge.more has what further human labels would give."),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with the judge added."""
        return {**Comparison.to_dict(self), "judge": self.judge.to_dict()}
