"""How a budget is best spent between items and runs, and what studies of so many of both find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ropewalk._checks import published
from ropewalk.draws.intervals import Interval
from ropewalk.models.runs import Components, Split
from ropewalk.results.base import HEAD, Rendered, pick
from ropewalk.results.runs import components_dict
from ropewalk.text.writing import count_of, percent


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What an item costs, a run, and an answer of one run to one item, in the same money."""

    item: float = 0.0
    run: float = 0.0
    answer: float = 0.0


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class BudgetPlan(Rendered):
    """So many runs and items leave the least variance of a difference for this budget. Made by `plan`.

    `best` is the split, `low` and `high` those at the quartiles of the spread between runs, of which few runs say
    little. `n_runs` and `n_items` are those of `best`.
    """

    components: Components
    cost: Costs
    budget: float
    best: Split
    low: Split
    high: Split

    @property
    def n_runs(self) -> int:
        """How many runs of each method to make."""
        return self.best.n_runs

    @property
    def n_items(self) -> int:
        """How many items to take."""
        return self.best.n_items

    @property
    def headline(self) -> str:
        """How the budget is best spent, in a sentence."""
        std = f"{self.best.std:.3g}"
        return f"{count_of(self.n_runs, 'run')} × {count_of(self.n_items, 'item')}: the difference has std {std}"

    def __repr__(self) -> str:
        return f"BudgetPlan({self.headline})"

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in plain Python types: exactly the JSON object."""
        return {
            **HEAD,
            "headline": self.headline,
            **pick(self, "budget n_runs n_items"),
            "cost": pick(self.cost, "item run answer"),
            "components": components_dict(self.components),
            **{name: _split(getattr(self, name)) for name in ("best", "low", "high")},
        }


def _split(split: Split) -> dict[str, Any]:
    return pick(split, "n_runs n_items variance std cost")


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class RunsPowerRow:
    """What comes of studies of so many runs of each method and items: how often the goal is reached, and how widely.

    `half_width` is that of the interval on average, `wrong` how often a conclusive verdict is not true.
    """

    n_runs: int
    n_items: int
    power: float
    half_width: float
    wrong: float


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RunsPower(Rendered):
    """How often studies over runs and items reach their goal. Made by `power` with ``components=``."""

    components: Components
    design: str
    delta: float
    rope: Interval
    goal: str
    prob: float
    simulations: int
    seed: int
    rows: tuple[RunsPowerRow, ...]

    def __getitem__(self, place: int) -> RunsPowerRow:
        return self.rows[place]

    @property
    def headline(self) -> str:
        """How often the first and the last study reach the goal, in a sentence."""
        texts = [
            f"{percent(row.power, self.simulations)} with {count_of(row.n_runs, 'run')} × "
            f"{count_of(row.n_items, 'item')}"
            for row in dict.fromkeys((self.rows[0], self.rows[-1]))
        ]
        return f"A difference of {self.delta:+g} is found ({self.goal}) in {' and '.join(texts)}"

    def __repr__(self) -> str:
        return f"RunsPower({self.headline})"

    def to_dict(self) -> dict[str, Any]:
        """Return the power in plain Python types: exactly the JSON object."""
        return {
            **HEAD,
            **pick(self, "headline goal delta rope prob design simulations seed"),
            "components": components_dict(self.components),
            "rows": [pick(row, "n_runs n_items power half_width wrong") for row in self.rows],
        }
