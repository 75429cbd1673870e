"""Split a budget between more items and more runs, and say what studies of so many of both find."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_prob, is_real
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import Judged, decide_each
from ropewalk.draws.rope import MARGIN_GOALS, parse_question
from ropewalk.errors import FileFormatError, InvalidInputError, UnknownNameError
from ropewalk.inference.goals import n_reached, parse_goal, region_of
from ropewalk.models.runs import Components, Split, best_split
from ropewalk.planning.posing import check_sizes
from ropewalk.results.budget import BudgetPlan, Costs, RunsPower, RunsPowerRow
from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsRanking
from ropewalk.text.remarks import argument, wording
from ropewalk.text.verdicts import CONCLUSIVE, GOALS, VERDICTS
from ropewalk.text.writing import did_you_mean, told

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


def power_of_runs(
    components: Any,
    *,
    n: Any,
    runs: Any,
    delta: Any,
    rope: Any,
    goal: str,
    prob: float | None,
    simulations: int,
    seed: int,
) -> RunsPower:
    """Simulate studies of so many runs and items, and count how often they reach the goal.

    Given the true difference, a study sees one that is off by its items, its runs and their noise, and a spread of its
    runs that is off too; its interval follows from both.

    Examples
    --------
    >>> parts = {"item": 0.15, "run": 0.0004, "noise": 0.1}
    >>> asked = {"delta": 0.05, "rope": 0.01, "goal": "A≫B", "prob": 0.95, "simulations": 1_000, "seed": 0}
    >>> p = power_of_runs(parts, n=500, runs=[3, 20], **asked)
    >>> p[0].power < p[1].power
    True
    """
    if isinstance(components, str | os.PathLike):
        components = _read(Path(components))
    parts, region, wanted = _parts(components), parse_question(rope), parse_goal(goal)
    if region is None or wanted in MARGIN_GOALS:
        raise InvalidInputError(
            "The power over runs is that of a verdict by a ROPE.",
            hint=wording("rope= says the smallest difference that matters; goal= is one of A≫B, A≪B, A≈B, conclusive."),
        )
    if not is_real(delta) or not abs(delta) < math.inf:
        raise InvalidInputError(
            argument("delta") + f" must be the true difference A − B; got {told(delta)}.",
            hint=wording("delta=0.02 where A is better by two points."),
        )
    mass, sizes = 0.95 if prob is None else check_prob(prob, "prob"), check_sizes(n)
    numbers = check_sizes(runs, "runs", "runs")
    if min(numbers) < 2:  # noqa: PLR2004
        raise InvalidInputError("One run says nothing of how far others lie from it.", hint=wording("runs= from 2 on."))
    question = Question(rope=region, prob=mass, rule="hdi", higher_is_better=True)
    design, n_methods = _design(components)
    rows = []
    for n_runs in numbers:
        for n_items in sizes:
            judged = _studies(parts, question, n_runs, n_items, float(delta), design, n_methods, simulations, seed)
            true = region_of(float(delta), region, higher_is_better=True)
            conclusive = np.isin(judged.verdict, [VERDICTS.index(verdict) for verdict in GOALS[CONCLUSIVE]])
            rows.append(
                RunsPowerRow(
                    n_runs=n_runs,
                    n_items=n_items,
                    power=n_reached(judged.verdict, wanted) / simulations,
                    half_width=float((judged.high - judged.low).mean() / 2),
                    wrong=float((conclusive & (judged.verdict != VERDICTS.index(true))).mean()),
                )
            )
    return RunsPower(
        components=parts,
        design=design,
        delta=float(delta),
        rope=region,
        goal=wanted,
        prob=mass,
        simulations=simulations,
        seed=seed,
        rows=tuple(rows),
    )


def _design(components: Any) -> tuple[str, int]:
    """Return how the runs went together that components come from, and whether studies are of one method, or of two."""
    if isinstance(components, Mapping):
        (first, *_) = components.get("metrics") or [components]
        runs = first.get("runs")
    else:
        answer = getattr(components, "runs", None)
        runs = None if answer is None else answer.to_dict()
    if not isinstance(runs, Mapping):
        return "independent", 2
    design, n_runs = runs.get("design"), runs.get("n_runs")
    return design if design in {"shared", "samples"} else "independent", 1 if isinstance(n_runs, int) else 2


def _studies(  # noqa: PLR0917 - one of many, of this size
    parts: Components,
    question: Question,
    n_runs: int,
    n_items: int,
    delta: float,
    design: str,
    n_methods: int,
    simulations: int,
    seed: int,
) -> Judged:
    """Judge studies of one size."""
    from scipy.special import stdtrit

    rng = generator(seed, streams.RUNS, (n_runs << 32) + n_items)
    df = (n_runs - 1) * (n_methods if design == "independent" else 1)
    by_items, noise = parts.item / n_items, parts.noise / n_items
    spread = parts.run + noise
    seen = delta + rng.standard_normal(simulations) * math.sqrt(by_items + spread / n_runs)
    s2 = np.maximum(spread * rng.chisquare(df, simulations) / df, noise)
    upper = (1 + question.prob) / 2
    z, t = float(stdtrit(1e9, upper)), float(stdtrit(df, upper))
    if design == "samples":
        s2, t = np.full(simulations, noise), z
    half = np.sqrt(z**2 * by_items + t**2 * s2 / n_runs)
    assert question.rope is not None  # noqa: S101 - checked where it is asked for
    low, high = seen - half, seen + half
    return Judged(decide_each(low, high, seen, question.rope), seen, low, high)


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
    if isinstance(cost, Mapping):
        for name in cost:
            if name not in _COSTS:
                raise UnknownNameError(
                    argument("cost") + f" names {told(name)}, which is none of {', '.join(_COSTS)}.",
                    hint=did_you_mean(name, _COSTS) + _COST,
                )
    if not isinstance(cost, Mapping) or not all(is_real(value) and 0 <= value < math.inf for value in cost.values()):
        raise InvalidInputError(
            argument("cost") + f" says what an item, a run and an answer cost; got {told(cost)}.", hint=_COST
        )
    costs = Costs(**{name: float(value) for name, value in cost.items()})
    if not costs.item + costs.answer:
        raise InvalidInputError("Items that cost nothing are never enough.", hint=_COST)
    if not costs.run + costs.answer:
        raise InvalidInputError("Runs that cost nothing are never enough.", hint=_COST)
    return costs
