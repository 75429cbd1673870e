"""Split a budget between more items and more runs."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ropewalk._checks import is_real
from ropewalk.errors import FileFormatError, InvalidInputError
from ropewalk.models.runs import Components, Split, best_split
from ropewalk.results.budget import BudgetPlan, Costs
from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsRanking
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import told

_PARTS: Final = ("item", "run", "noise")
_COSTS: Final = ("item", "run", "answer")
_COMPONENTS: Final = wording(
    "components= takes a comparison of several runs, its `components`, its JSON, or a mapping of item, run and noise."
)
_COST: Final = wording("cost= says what each costs in the money of budget=: item 1, run 40 and answer 0.05, say.")


def plan_budget(components: Any, *, budget: Any, cost: Any) -> BudgetPlan:
    """Return how many runs and items leave the least variance of a difference for a budget.

    Examples
    --------
    >>> plan_budget({"item": 0.15, "run": 0.0004, "noise": 0.1}, budget=1_000, cost={"item": 1, "run": 40})
    BudgetPlan(7 runs × 720 items: the difference has std 0.0169)
    """
    parts, costs = _parts(components), _costs(cost)
    if not is_real(budget) or not 0 < budget < math.inf:
        raise InvalidInputError(argument("budget") + f" must be a positive number; got {told(budget)}.", hint=_COST)
    how: dict[str, Any] = {"budget": float(budget), "c_item": costs.item, "c_run": costs.run, "c_answer": costs.answer}
    splits: list[Split] = []
    for run in (parts.run, parts.run_low, parts.run_high):
        split = best_split(parts, run=run, **how)
        if split is None:
            raise InvalidInputError(
                f"A budget of {budget:g} does not buy one run of one item.",
                hint=wording("raise budget=, or check cost=."),
            )
        splits.append(split)
    best, low, high = splits
    return BudgetPlan(components=parts, cost=costs, budget=float(budget), best=best, low=low, high=high)


def _parts(components: Any) -> Components:
    """Return components, from whatever holds them."""
    if isinstance(components, RunsComparison | RunsEvaluation | RunsRanking):
        components = components.components
        if components is None:
            raise InvalidInputError(
                "One run of each does not tell the components.", hint="make a second run, or say what they are."
            )
    if isinstance(components, Components):
        return components
    if isinstance(components, str | os.PathLike):
        components = _read(Path(components))
    if not isinstance(components, Mapping):
        raise InvalidInputError(f"Components cannot be {told(components)}.", hint=_COMPONENTS)
    (first, *_) = components.get("metrics") or [components]  # an evaluation has them in each of its metrics
    values = dict(first.get("components", first) or {})
    found: dict[str, Any] = {name: values.get(name) for name in _PARTS}
    if not all(is_real(value) and 0 <= value < math.inf for value in found.values()):
        raise InvalidInputError(
            f"Components must be variances of item, run and noise; got {told(found)}.", hint=_COMPONENTS
        )
    low, high = values.get("run_quartiles") or (found["run"], found["run"])
    return Components(
        **{name: float(value) for name, value in found.items()},
        n_items=int(values.get("n_items", 1)),
        n_runs=float(values.get("n_runs", 1)),
        run_low=float(low),
        run_high=float(high),
    )


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileFormatError(
            f"{path.name} is no JSON of a comparison of runs.", hint="write it by `ropewalk compare … --runs … --json`."
        ) from error


def _costs(cost: Any) -> Costs:
    """Return what things cost."""
    known = isinstance(cost, Mapping) and set(cost) <= set(_COSTS)
    if not known or not all(is_real(value) and 0 <= value < math.inf for value in cost.values()):
        raise InvalidInputError(
            argument("cost") + f" says what an item, a run and an answer cost; got {told(cost)}.", hint=_COST
        )
    costs = Costs(**{name: float(value) for name, value in cost.items()})
    if not costs.item + costs.answer:
        raise InvalidInputError("Items that cost nothing are never enough.", hint=_COST)
    if not costs.run + costs.answer:
        raise InvalidInputError("Runs that cost nothing are never enough.", hint=_COST)
    return costs
