"""Plan a study: the smallest test set, the smallest difference, or the test set that is worth most."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Unpack, cast, overload

import numpy as np

from ropewalk._checks import check_prob, check_whole, checked_keywords, is_real
from ropewalk._progress import Steps, metered
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import (
    Batch,
    count,
    joined,
    parse_goal,
    reached,
    region_of,
    without_verdict,
)
from ropewalk.planning.budget import plan_budget
from ropewalk.planning.labels import check_loss
from ropewalk.planning.posing import MAX_ITEMS, MAX_SIMULATIONS, Posed, pose
from ropewalk.planning.search import PLAIN, ROOT, Looks, curve, find, halve
from ropewalk.planning.simulation import Workers, check_workers, keep_if_stopped, simulate
from ropewalk.planning.study import BATCH, Study, too_few_draws
from ropewalk.results import Comparison
from ropewalk.results.budget import BudgetPlan
from ropewalk.results.options import PlanningOptions, PlanOptions
from ropewalk.results.planning import Plan
from ropewalk.text.remarks import argument, note, wording
from ropewalk.text.verdicts import GOALS
from ropewalk.text.writing import told

_FIRST_SIZE: Final = 200
_ANY_ROPE: Final = 0.01
_POINTS: Final = 12  # sizes on the way to the most valuable one, twice
_SHARE_TO_JUDGE: Final = 4  # one simulation of so many judges the ROPE that the others found
_MAX_ROUNDING: Final = 1e-9
_Z95: Final = 1.959963984540054


@overload
def plan(*, components: Any, cost: Any, budget: float) -> BudgetPlan: ...
@overload
def plan(
    scenario: Any,
    *,
    target: float = 0.8,
    n: int | None = None,
    cost_per_item: float | None = None,
    value: float | None = None,
    max_n: int = 10_000_000,
    simulations: int = 4_000,
    **options: Unpack[PlanOptions],
) -> Plan: ...


@checked_keywords
def plan(
    scenario: Any = None,
    *,
    target: float = 0.8,
    n: int | None = None,
    cost_per_item: float | None = None,
    value: float | None = None,
    max_n: int = 10_000_000,
    simulations: int = 4_000,
    components: Any = None,
    cost: Any = None,
    budget: float | None = None,
    **options: Unpack[PlanOptions],
) -> Plan | BudgetPlan:
    """Find the smallest test set that reaches the goal with a wanted power, or answer one of two other questions.

    Parameters
    ----------
    scenario, goal, rope, metric, model, pos_label, classes, cost_matrix, prob, rule
        As in `power`.
    target
        The wanted power: how often the goal is to be reached.
    n
        With a number of items: find the smallest difference that they show with this power. The scenario's two
        classifiers are moved apart, or together, while they agree as often as before. For the goal "A≈B" it is the
        smallest ROPE, ±r, within which they are found equivalent.
    cost_per_item, value
        With both: find the test set that is worth most, where reaching the goal is worth `value` and each label costs
        `cost_per_item` of the same money. `target` is then not used.
    max_loss
        Instead of a goal: find the smallest test set after which shipping the better-looking one is expected to lose no
        more than this, in the metric: the true difference times the probability that the worse one looks better. It
        needs no ROPE.
    max_n
        The number of items at which to give up: "not reachable below n = …".
    simulations
        How many test sets to simulate in all. They are spent near the answer.
    components, cost, budget
        Instead of a scenario: how a budget is best split between items and runs. `components` are a comparison of
        several runs, its JSON, or a mapping of "item", "run" and "noise"; `cost` says what an "item" costs, a "run" of
        both methods, and an "answer" of one run to one item.
    draws, rng, random_state, threads, n_jobs, progress
        As in `power`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> p = rw.plan("F1 .60 against .50 at agreement .7", goal="A≫B", rope=0.05, simulations=600, rng=0)
    >>> 500 < p.n < 2000, p.reachable
    (True, True)
    """
    if components is not None or cost is not None or budget is not None:
        if scenario is not None:
            raise InvalidInputError(wording("`components` stand in place of a scenario."), hint="give one of the two.")
        return plan_budget(components, budget=budget, cost=cost)
    target, effort = check_prob(target, "target"), check_whole(simulations, "simulations", 10 * BATCH, MAX_SIMULATIONS)
    most = check_whole(max_n, "max_n", 10, MAX_ITEMS)
    workers, worth = check_workers(options), _check_worth(cost_per_item, value, n)
    max_loss = _check_loss(options.pop("max_loss", None), scenario, n=n, worth=worth)
    finds_rope = n is not None and parse_goal(options["goal"]) == "A≈B"
    any_rope = (finds_rope or max_loss is not None) and options.get("rope") is None
    if any_rope:  # it is what is looked for
        options["rope"] = _ANY_ROPE
    posed = pose(scenario, possible=n is None and max_loss is None, **cast("PlanningOptions", options))
    if finds_rope and posed.study.recipe.rule != "hdi":
        raise InvalidInputError(
            wording("The smallest ROPE is that of the HDI; it is not known for rule='probability'."),
            hint=wording('take rule="hdi".'),
        )
    number = None if n is None else check_whole(n, "n", 1, MAX_ITEMS)
    with metered(effort // BATCH, "Searching", options.get("progress")) as steps:
        search = _Search(posed, workers, steps, budget=effort, target=target, most=most, any_rope=any_rope)
        if max_loss is not None:
            return search.smallest_loss(max_loss)
        if worth is not None:
            return search.most_valuable(*worth)
        return search.smallest_test_set() if number is None else search.smallest_difference(number)


def _check_worth(cost: Any, value: Any, n: Any) -> tuple[float, float] | None:
    if cost is None and value is None:
        return None
    if cost is None or value is None:
        raise InvalidInputError(
            wording(
                "`cost_per_item` and `value` go together: what a label costs, and what it is worth to reach the goal."
            ),
            hint="give both, in one unit.",
        )
    if n is not None:
        raise InvalidInputError(
            wording("`n` asks for a difference, `cost_per_item` and `value` for a test set; give one."),
            hint="leave the others out.",
        )
    for name, amount in (("cost_per_item", cost), ("value", value)):
        if not is_real(amount) or not 0 < amount < math.inf:
            raise InvalidInputError(
                argument(name) + f" must be a positive number; got {told(amount)}.",
                hint="give both amounts in one unit of money.",
            )
    return float(cost), float(value)


def _check_loss(max_loss: Any, scenario: Any, *, n: Any, worth: Any) -> float | None:
    if max_loss is None:
        return None
    if n is not None or worth is not None:
        raise InvalidInputError(
            wording("`max_loss` asks for a test set of its own; leave `n`, `cost_per_item` and `value` out."),
            hint="it weighs what a wrong choice loses.",
        )
    if isinstance(scenario, Comparison):
        raise InvalidInputError(
            wording("`max_loss` is about a scenario; a result has items already, and asks for more of them."),
            hint="r.worth_of_labels(max_loss=…), or plan --from … --max-loss without --fresh, says how many.",
        )
    return check_loss(max_loss)


class _Search:
    """Simulations at points of the search's choosing, and what they have shown so far."""

    def __init__(
        self, posed: Posed, workers: Workers, steps: Steps, *, budget: int, target: float, most: int, any_rope: bool
    ) -> None:
        self.posed, self.workers, self.steps = posed, workers, steps
        self.budget, self.target, self.most, self.any_rope = budget, target, most, any_rope
        self.goal = posed.design.goal
        self.looks = Looks()
        self.batches: dict[int, Batch] = {}

    @property
    def partial(self) -> bool:
        """Whether it was stopped."""
        return self.steps.stopped

    def _run(self, study: Study, n: int, simulations: int, start: int) -> Batch | None:
        """Simulate test sets of n items, from simulation `start` on; None where it was stopped."""
        if self.partial:
            return None
        whole = -(-simulations // BATCH) * BATCH
        batches: dict[int, Batch] = {}
        with keep_if_stopped(self.steps, self.looks.trials):
            batches = simulate(study, [n], whole, goal=self.goal, workers=self.workers, steps=self.steps, start=start)
        return batches.get(n)

    def _look(self, x: float, simulations: int, hits: Callable[[Batch], int] | None = None) -> tuple[int, int]:
        n = int(x)
        fresh = self._run(self.posed.study, n, simulations, start=len(self.batches.get(n, ())))
        if fresh is None:
            return 0, 0
        self.batches[n] = fresh if n not in self.batches else joined([self.batches[n], fresh])
        return reached(fresh, self.goal) if hits is None else hits(fresh), len(fresh)

    def _answer(self, asks: str, n: int | None, ends: tuple[Any, Any] = (None, None), **more: Any) -> Plan:
        question = self.posed.study.recipe.question
        rows = tuple(count(question, size, self.batches[size], self.goal) for size in sorted(self.batches))
        usual = {"rows": rows, "simulations": self.looks.spent, "target": self.target}
        if more.get("max_loss") is None:  # which needs no verdict
            more["remarks"] = (
                *more.get("remarks", ()),
                *without_verdict(self.batches),
                *too_few_draws(self.posed.study),
            )
        return Plan(
            asks=asks, design=self.posed.design, n=n, low=ends[0], high=ends[1], max_n=self.most,
            partial=self.partial, **{**usual, **more},
        )  # fmt: skip

    def smallest_test_set(self) -> Plan:
        """Find the smallest number of items that reaches the power."""
        ceiling = self.posed.design.ceiling
        if ceiling is not None and ceiling < self.target:
            text = (
                f"However many items, {self.goal} is reached with a probability of at most {ceiling:.3g}: that of its "
                "region, given the data so far."
            )
            return self._answer("n", None, remarks=(note("goal_out_of_reach", text),))
        least = self.posed.study.recipe.model.min_units
        answer = find(
            self._look, self.target, start=min(_FIRST_SIZE, self.most), least=least, most=self.most, budget=self.budget,
            scale=ROOT, whole=True, looks=self.looks,
        )  # fmt: skip
        if answer.x is None:
            text = f"With {self.most:,} items {self.goal} is not reached with a power of {self.target:g}."
            return self._answer("n", None, remarks=() if self.partial else (note("power_not_reached", text),))
        return self._answer("n", math.ceil(answer.x - _MAX_ROUNDING), answer.ends)

    def smallest_loss(self, max_loss: float) -> Plan:
        """Find the smallest test set after which picking the better-looking one is expected to lose at most this.

        With a given truth the loss is the difference, wherever the worse one looks better: so the share of right picks
        must reach 1 − loss / difference.
        """
        design = self.posed.design
        gap, up = abs(design.delta or 0.0), design.recipe.metric.higher_is_better
        self.posed = replace(self.posed, design=replace(design, recipe=replace(design.recipe, rope=None)))
        asked: dict[str, Any] = {"max_loss": max_loss, "target": None, "rows": ()}
        if max_loss >= gap / 2:
            text = f"No test set is needed: to pick one by chance is expected to lose {gap / 2:.3g}."
            return self._answer("loss", 0, remarks=(note("loss_small_already", text),), **asked)
        sign = math.copysign(1.0, (design.delta or 0.0) if up else -(design.delta or 0.0))

        def right(batch: Batch) -> int:
            return int((sign * (batch.judged.mean if up else -batch.judged.mean) > 0).sum())

        answer = find(
            partial(self._look, hits=right), 1 - max_loss / gap, start=min(_FIRST_SIZE, self.most),
            least=self.posed.study.recipe.model.min_units, most=self.most, budget=self.budget, scale=ROOT, whole=True,
            looks=self.looks,
        )  # fmt: skip
        if answer.x is None:
            text = f"With {self.most:,} items the expected loss is not down to {max_loss:g}."
            return self._answer(
                "loss", None, remarks=() if self.partial else (note("loss_not_reached", text),), **asked
            )
        return self._answer("loss", math.ceil(answer.x - _MAX_ROUNDING), answer.ends, **asked)

    def smallest_difference(self, n: int) -> Plan:
        """Find the smallest difference, or for the goal A≈B the smallest ROPE, that n items find with the power."""
        if self.posed.scenario is None:
            raise InvalidInputError(
                "The smallest difference is about a scenario; a result has the differences that its data leave open.",
                hint=wording("describe a scenario, or leave `n` out."),
            )
        if self.goal == "A≈B":
            return self._smallest_rope(n)
        if self.goal not in {"A≫B", "A≪B"}:
            raise InvalidInputError(
                "The smallest difference needs a goal of its own.",
                hint=wording('goal="A≫B", goal="A≪B" or goal="A≈B".'),
            )
        study, up = self.posed.study, self.posed.study.recipe.metric.higher_is_better
        assert study.delta is not None  # noqa: S101
        if study.delta == 0:
            raise InvalidInputError(
                "The scenario's classifiers do not differ, so it does not say in which way they might.",
                hint="give one in which they differ; how much does not matter.",
            )
        # On the line through the scenario, on the side of the goal.
        side = 1.0 if ((study.delta > 0) == up) == (self.goal == "A≫B") else -1.0
        furthest = self.posed.scenario.joint.furthest()

        def look(x: float, simulations: int) -> tuple[int, int]:
            # Each place has simulations of its own: their numbers go on where those of the last place ended.
            start = -(-self.looks.spent // BATCH) * BATCH
            done = self._run(self.posed.tilted(side * x), n, simulations, start)
            if done is not None:  # what is said of studies without a verdict is said of the last place, the nearest
                self.batches[n] = done
            return (0, 0) if done is None else (reached(done, self.goal), len(done))

        edge = study.rope.high if (self.goal == "A≫B") == up else study.rope.low
        even = region_of(self._delta(0.0), study.rope, higher_is_better=up)
        least = 0.0 if even in GOALS[self.goal] else self._tilt_to(edge, side, furthest)
        if least is None or not math.isfinite(furthest):
            return self._answer("delta", n, rows=())
        answer = find(
            look, self.target, start=min((least + furthest) / 2, 2 * least or furthest / 2),
            least=max(least, _MAX_ROUNDING), most=furthest, budget=self.budget, scale=PLAIN, whole=False,
            looks=self.looks,
        )  # fmt: skip
        if answer.x is None:
            return self._answer("delta", n, rows=())
        tilts = (min(x or 0.0, furthest) for x in (answer.x, answer.low, answer.high))
        delta, *ends = (self._delta(side * tilt) for tilt in tilts)
        low, high = sorted(ends)
        return self._answer("delta", n, (low, high), found=delta, rows=())

    def _delta(self, tilt: float) -> float:
        """Return the true difference so far along the line."""
        return self.posed.tilted(tilt).delta or 0.0

    def _tilt_to(self, delta: float, side: float, furthest: float) -> float | None:
        """Return how far to go along the line until the difference is `delta`; None where it never is."""
        stop, sign = min(furthest, 1e6), math.copysign(1.0, delta - self._delta(0.0))
        if sign * (self._delta(side * stop) - delta) <= 0:
            return None
        return halve(lambda tilt: sign * (self._delta(side * tilt) - delta) >= 0, 0.0, stop, steps=60)

    def _smallest_rope(self, n: int) -> Plan:
        """Return the half-width that holds the HDI as often as the power says: a quantile over the simulations."""
        study, judging = self.posed.study, max(self.budget // _SHARE_TO_JUDGE // BATCH, 1) * BATCH
        searched = self.budget - judging
        batches = simulate(study, [n], searched, goal=self.goal, workers=self.workers, steps=self.steps)
        widths = np.sort(np.maximum(np.abs(batches[n].judged.low), np.abs(batches[n].judged.high)))
        total = len(widths)
        half = _Z95 * math.sqrt(self.target * (1 - self.target) * total)
        places = [self.target * total, self.target * total - half, self.target * total + half]
        at, low, high = (float(widths[min(max(math.ceil(place) - 1, 0), total - 1)]) for place in places)
        text = f"The smallest ROPE, ±r, that holds the HDI of {n:,} items in {self.target:.0%} of the simulations."
        remarks = [note("smallest_rope", text)]
        if not self.any_rope:
            text = "The ROPE that was given plays no part: the smallest one is looked for."
            remarks.append(note("rope_ignored", text))
        # The rows are judged by the ROPE that was found, whatever was given: on it depends whether data bear a verdict.
        found = replace(study, recipe=replace(study.recipe, rope=Interval(-at, at)), rope=Interval(-at, at))
        self.looks.add(float(n), 0, total)
        again = self._run(found, n, judging, start=-(-total // BATCH) * BATCH)
        self.batches = {} if again is None else {n: again}
        self.looks.add(float(n), 0, 0 if again is None else len(again))
        self.posed = replace(self.posed, study=found, design=replace(self.posed.design, recipe=found.recipe))
        return self._answer("delta", n, (low, high), found=at, remarks=tuple(remarks))

    def most_valuable(self, cost: float, value: float) -> Plan:
        """Find the number of items that is worth most: the value of the goal times its probability, less the labels."""
        worth: dict[str, Any] = {"target": None, "cost_per_item": cost, "value": value}
        cap = min(value / cost, float(self.most))  # beyond it the labels cost more than there is to gain
        if cap < 1:
            remark = note("labels_cost_too_much", "A single label costs more than the goal is worth.")
            return self._answer("value", None, remarks=(remark,), **worth)
        self._look_at(np.geomspace(max(cap / 4096, 1.0), cap, _POINTS), self.budget // (3 * _POINTS))
        best = 1 if self.partial else self._best(cost, value, cap)[0]
        left = self.budget - self.looks.spent
        self._look_at(np.geomspace(max(best / 3, 1.0), min(best * 3, cap), _POINTS), left // _POINTS)
        if self.partial:  # a curve of a few sizes only would be taken for an answer
            return self._answer("value", None, **worth)
        n, net, error, low, high = self._best(cost, value, cap)
        if net <= 0:
            text = "No test set is worth its labels: its cost exceeds what reaching the goal adds."
            return self._answer("value", None, remarks=(note("labels_cost_too_much", text),), **worth)
        off = _Z95 * error
        text = f"Expected net value ±{off:.2g}; any n within [low, high] is as good as the simulations can tell."
        return self._answer("value", n, (low, high), net=net, remarks=(note("net_value_error", text),), **worth)

    def _look_at(self, sizes: Sequence[float] | np.ndarray, simulations: int) -> None:
        """Simulate test sets of these sizes, each as often as said, in whole batches and at least one."""
        least, simulations = self.posed.study.recipe.model.min_units, max(simulations // BATCH * BATCH, BATCH)
        for n in sorted({max(round(float(size)), least) for size in sizes}):
            if not self.partial and self.looks.spent < self.budget:
                self.looks.add(float(n), *self._look(n, simulations))

    def _best(self, cost: float, value: float, cap: float) -> tuple[int, float, float, float, float]:
        """Return the best n, its net value and error, and the range of n that is as good within that error."""
        points = [x for x, trials in self.looks.trials.items() if trials]
        at = np.unique(np.round(np.geomspace(min(points), min(max(points), cap), 2_000)))
        share, error = curve(points, self.looks, at)
        net = value * share - cost * at
        top = int(net.argmax())
        near = np.flatnonzero(net >= net[top] - _Z95 * value * error[top])
        return int(at[top]), float(net[top]), float(value * error[top]), float(at[near[0]]), float(at[near[-1]])
