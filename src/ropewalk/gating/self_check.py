"""Is a gate sane? Simulate how often it passes and fails on data like those it was asked about.

Each truth is one in which the difference is known (`ropewalk.gating.worlds`); its test sets are judged as the gate
judges, by the same model, metric and rule, each by a few draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._progress import ProgressLike, Steps, metered
from ropewalk.data.labels import BINARY
from ropewalk.draws.decision import NO_VERDICT, Judged
from ropewalk.gating.worlds import Population, World, population_of
from ropewalk.inference.caution import allowed_beyond, claimed_by, mass_beyond, reach_of
from ropewalk.inference.goals import Batch, n_reached
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models.binary import DirichletPosterior
from ropewalk.models.influence import ItemWeights, by_influence
from ropewalk.models.protocol import Model, Posterior
from ropewalk.planning.search import ROOT, Looks, find
from ropewalk.planning.simulation import Workers, check_workers, simulate
from ropewalk.planning.study import BATCH, Study
from ropewalk.results import Comparison, Recipe
from ropewalk.results.gates import Check, Requirement
from ropewalk.results.self_check import TARGET, Kind, SelfCheck, SimulatedCheck, SimulatedStudies
from ropewalk.text.verdicts import CONCLUSIVE, VERDICTS, Verdict
from ropewalk.typing import FloatArray

STUDIES: Final = 1_000
"""How many test sets of each truth are simulated, where they are cheap."""

FEWEST_STUDIES: Final = 100
"""How many where they are not."""

DRAWS: Final = 2_000
"""By how many draws each is judged."""

FEWER_DRAWS: Final = 1_000

SEARCHED: Final = 600
"""How many test sets the search for the number of items takes."""

_SECONDS: Final = 12.0  # of work per requirement and task, by the estimate below; it is no clock
_SECONDS_IN_ALL: Final = 60.0
_SECONDS_PER_NUMBER: Final = 1.5e-8
_SECONDS_PER_GAMMA: Final = 6e-8
_SECONDS_PER_RANK: Final = 8e-8
_SECONDS_PER_TABLE: Final = 0.002  # to put a test set of scores or clusters together, and to look at other priors
_SECONDS_PER_FIT: Final = 0.025  # of a model of many labels, with those of other priors
_MANY_ROWS: Final = 64  # of distinct scores: with more, the weights of items are drawn one by one
_LARGE: Final = 2_000  # items of scores, from which on a mean is drawn by its first order
_MOST_TIMES: Final = 1_000  # as many items as there are
_MOST_ITEMS: Final = 10_000_000
_Z: Final = (1.959963984540054, 0.8416212335729143, 1.2815515655446004)  # of 97.5%, 80% and 90%
_STATED: Final = (0.01, 0.02)  # gains of a share that are looked at where no margin says how large they matter
_EDGE: Final = 1e-9


def self_check(
    checks: Sequence[Check], *, seed: int, threads: int = 1, studies: int = STUDIES, progress: ProgressLike = None
) -> SelfCheck:
    """Simulate how often each check of a gate would be met, contradicted or undecided, where what is true is known."""
    workers = check_workers({"threads": threads})
    seconds = min(_SECONDS, _SECONDS_IN_ALL / max(len(checks), 1))
    plans = [_plan(check, seed, studies, seconds) for check in checks]
    steps_in_all = sum(plan.steps for plan in plans if isinstance(plan, _Plan))
    with metered(steps_in_all, "Checking the gate", progress) as steps:
        done = [plan.run(workers, steps) if isinstance(plan, _Plan) else plan for plan in plans]
    return SelfCheck(checks=tuple(done), seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Truth:
    """A truth that is simulated: by how much A is better in it, and whether the requirement holds there."""

    kind: Kind
    better_by: float
    holds: bool
    world: World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Plan:
    """What is simulated of one check."""

    check: Check
    recipe: Recipe
    population: Population
    truths: tuple[_Truth, ...]
    left_out: tuple[float, ...]
    power_at: _Truth | None
    studies: int
    draws: int

    @property
    def steps(self) -> int:
        """How many batches are simulated, without those of the search."""
        return len(self.truths) * -(-self.studies // BATCH)

    @property
    def goal(self) -> str:
        """The requirement as studies know it."""
        return self.check.requirement.require.replace("-", "_")

    def study(self, world: World) -> GateStudy:
        """Return the study of a truth."""
        assert self.recipe.rope is not None  # noqa: S101 - a requirement states one
        return GateStudy(source=world, recipe=self.recipe, rope=self.recipe.rope, draws=self.draws)

    def run(self, workers: Workers, steps: Steps) -> SimulatedCheck:
        """Simulate every truth, and look for the number of items."""
        n, batches = self.population.n, dict[_Truth, Batch]()
        for truth in self.truths:
            study = self.study(truth.world)
            batches[truth] = simulate(
                study, [n], self.studies, goal=self.goal, workers=workers, steps=steps, what="passes"
            )[n]
        worlds = [
            SimulatedStudies(
                kind=truth.kind,
                better_by=truth.better_by,
                holds=truth.holds,
                studies=len(batch),
                met=met_in(batch, self.goal),
                contradicted=contradicted_in(batch, self.goal),
            )
            for truth, batch in batches.items()
        ]
        needed = {} if self.power_at is None else self._needed(self.power_at, batches.get(self.power_at), workers)
        return SimulatedCheck(
            **_head(self.check),
            noun=self.population.unit,
            n_units=n,
            draws=self.draws,
            promised=promised(self.recipe),
            worlds=tuple(worlds),
            left_out=self.left_out,
            **needed,
        )

    def _needed(self, truth: _Truth, batch: Batch | None, workers: Workers) -> dict[str, Any]:
        """Return how many units it takes to pass in 80% of the studies of a truth."""
        most = min(_MOST_TIMES * self.population.n, _MOST_ITEMS)
        guess = self._guess(truth, batch)
        asked: dict[str, Any] = {"needed_at": truth.better_by, "n_most": most}
        if guess is None:
            return {}
        cost = _cost(self.recipe, self.draws) * max(guess / self.population.n, 1.0)
        alone = self.recipe.is_of_scores or self.recipe.tables[0].n_clusters is not None or self.recipe.is_weighted
        if guess > most:
            return asked
        if SEARCHED * (cost if alone else _cost(self.recipe, self.draws)) > _SECONDS:
            return {**asked, "n_needed": math.ceil(guess)}
        study, looks = self.study(truth.world), Looks()
        used: dict[int, int] = {}

        def look(x: float, number: int) -> tuple[int, int]:
            size, start = round(x), used.get(round(x), 0)
            with metered(None, "Searching", progress=False) as silent:
                found = simulate(study, [size], number, goal=self.goal, workers=workers, steps=silent, start=start)[
                    size
                ]
            used[size] = start + -(-number // BATCH) * BATCH
            return met_in(found, self.goal), len(found)

        least = max(self.recipe.model.min_units, 2)
        found = find(
            look, TARGET, start=min(max(guess, least), most), least=least, most=most, budget=SEARCHED, scale=ROOT,
            whole=True, looks=looks,
        )  # fmt: skip
        if found.x is None:
            return asked
        low, high = found.ends
        return {**asked, "n_needed": math.ceil(found.x - _EDGE), "low": low, "high": high}

    def _guess(self, truth: _Truth, batch: Batch | None) -> float | None:
        """Return about how many units it takes, as the width of intervals goes with the root of their number."""
        if batch is None:
            return None
        wide = batch.judged.high - batch.judged.low
        wide = wide[np.isfinite(wide) & (wide > 0)]
        margin, gain = self.check.requirement.margin, truth.better_by
        room = {"not-worse": gain + margin, "better": gain - margin}.get(
            self.check.requirement.require, margin - abs(gain)
        )
        if not wide.size or room <= _EDGE:
            return None
        certain, power = _Z[0], _Z[2] if self.check.requirement.require == "equivalent" else _Z[1]
        return float(self.population.n * ((certain + power) * wide.mean() / (2 * certain * room)) ** 2)


def _plan(check: Check, seed: int, studies: int, seconds: float) -> _Plan | SimulatedCheck:
    """Return what is to be simulated of a check, or a check that says why nothing is."""
    comparison = check.comparison
    recipe = replace(comparison.recipe, seed=seed)
    if not comparison.rests_on_items:
        reason = "an answer about runs, tasks together, folds or judges rests on more than items drawn at random"
        return SimulatedCheck(**_head(check), reason=reason)
    population = population_of(recipe)
    if isinstance(population, str):
        return SimulatedCheck(**_head(check), reason=population)
    truths, left_out, power_at = _truths(check, population)
    draws = DRAWS
    number = _number(recipe, draws, len(truths), seconds, studies)
    if number < studies:
        draws = FEWER_DRAWS
        number = _number(recipe, draws, len(truths), seconds, studies)
    return _Plan(
        check=check,
        recipe=recipe,
        population=population,
        truths=tuple(truths),
        left_out=tuple(left_out),
        power_at=power_at,
        studies=number,
        draws=draws,
    )


def _head(check: Check) -> dict[str, Any]:
    recipe = check.comparison.recipe
    metric = recipe.metric.of or recipe.metric.title
    head = {"requirement": check.requirement, "metric": metric, "task": check.task}
    return {**head, "a": check.comparison.a, "unit": recipe.unit}


def promised(recipe: Recipe) -> float:
    """Return how often a gate may pass wrongly, at the margin: what an interval leaves out on one side."""
    return round((1 - recipe.prob) / (2 if recipe.rule == "hdi" else 1), 12)


def _cost(recipe: Recipe, draws: int) -> float:
    """Return about how many seconds it takes to judge a test set: a function of the data, so that no clock decides."""
    posteriors = [recipe.model.fit(table) for table in recipe.tables]
    if recipe.is_of_scores:
        drawn = rows_of(recipe, posteriors[0])
        work = posteriors[0].work if drawn is None else _SECONDS_PER_GAMMA / _SECONDS_PER_NUMBER * len(drawn[1])
        each = _SECONDS_PER_RANK if getattr(recipe.metric, "ranks", False) else _SECONDS_PER_NUMBER
        return work * draws * each + _SECONDS_PER_TABLE
    plain = all(isinstance(fitted, DirichletPosterior) for fitted in posteriors)
    fits = 0.0 if plain else _SECONDS_PER_TABLE if recipe.tables[0].n_labels == BINARY else _SECONDS_PER_FIT
    return sum(fitted.work for fitted in posteriors) * draws * _SECONDS_PER_NUMBER + fits


def _number(recipe: Recipe, draws: int, n_truths: int, seconds: float, studies: int) -> int:
    """Return how many test sets of each truth there is time for."""
    number = int(seconds / (_cost(recipe, draws) * max(n_truths, 1)))
    return min(max(number // BATCH * BATCH, min(FEWEST_STUDIES, studies)), studies)


# -- which truths ------------------------------------------------------------------------------------------


def _truths(check: Check, population: Population) -> tuple[list[_Truth], list[float], _Truth | None]:
    """Return the truths to simulate, what is out of reach, and the truth for which a number of items is looked for."""
    requirement, up = check.requirement, check.comparison.higher_is_better
    truths, left_out = [], []
    rerun = population.rerun()
    if rerun is not None:
        truths.append(_Truth(kind="rerun", better_by=0.0, holds=_holds(requirement, 0.0), world=rerun))
    for kind, better_by in _wanted(check):
        world = population.at(better_by if up else -better_by)
        if world is not None:
            holds = _holds(requirement, better_by)
            truths.append(_Truth(kind=kind, better_by=better_by, holds=holds, world=world))
        else:
            left_out.append(better_by)
    able = [truth for truth in truths if truth.holds and truth.kind != "rerun"]
    return truths, left_out, able[-1] if able else None


def _wanted(check: Check) -> list[tuple[Kind, float]]:
    """Return by how much A is better in each truth."""
    require, margin = check.requirement.require, check.requirement.margin
    same: list[tuple[Kind, float]] = [("same", 0.0)]
    if require == "not-worse":
        return [*same, ("margin", -margin)] if margin else same
    if require == "equivalent":
        return [*same, ("margin", -margin), ("margin", margin)]
    if margin:
        return [*same, ("margin", margin), ("beyond", 2 * margin)]
    return [*same, *(("beyond", gain) for gain in _gains(check.comparison))]


def _gains(comparison: Comparison) -> tuple[float, ...]:
    """Return gains to look at where none is stated: points of a share, or else the width of the interval."""
    if comparison.recipe.unit.is_points:
        return _STATED
    wide = comparison.hdi.high - comparison.hdi.low
    return (float(f"{wide:.2g}"),) if math.isfinite(wide) and wide > 0 else ()


def _holds(requirement: Requirement, better_by: float) -> bool:
    """Whether a requirement is true where A is better by so much; at the margin it is not."""
    if requirement.require == "equivalent":
        return abs(better_by) < requirement.margin - _EDGE
    return better_by > (requirement.margin if requirement.require == "better" else -requirement.margin) + _EDGE


# -- judging -----------------------------------------------------------------------------------------------


def met_in(batch: Batch, goal: str) -> int:
    """Return how many studies met the requirement; an interval of no width is undecided, as in a gate."""
    return n_reached(_codes(batch), goal)


def contradicted_in(batch: Batch, goal: str) -> int:
    """Return how many studies contradicted it."""
    return n_reached(_codes(batch), CONCLUSIVE) - met_in(batch, goal)


def _codes(batch: Batch) -> Any:
    wide = batch.judged.high - batch.judged.low
    return np.where(np.isfinite(wide) & (wide > 0), batch.judged.verdict, NO_VERDICT)


@dataclass(frozen=True, kw_only=True, eq=False)
class GateStudy(Study):
    """A study as planning has it, also of scores.

    A mean of few distinct scores, such as right and wrong, needs one weight for all items that are alike; of very many
    items their sums are drawn.
    """

    def _judged(self, ordered: FloatArray, tables: Sequence[Any]) -> Judged:
        """Judge each test set as a gate does: undecided too where too much lies beyond what a verdict claims."""
        judged, allowed, recipe = super()._judged(ordered, tables), allowed_beyond(self.recipe), self.recipe
        if allowed is None:
            return judged
        codes, up = judged.verdict.copy(), recipe.metric.higher_is_better
        for i, code in enumerate(codes.tolist()):
            verdict = VERDICTS[code]
            if verdict.conclusive:
                claimed = claimed_by(verdict, self.rope, higher_is_better=up)
                if mass_beyond(ordered[i], claimed, reach_of(recipe, tables[i])) > allowed:
                    codes[i] = VERDICTS.index(Verdict.UNDECIDED_HIGH)
        return replace(judged, verdict=codes)

    def _scores(self, rng: np.random.Generator, model: Model, tables: Sequence[Any], draws: int) -> FloatArray:
        """Draw the scores of both systems for every test set, (2, test sets, draws)."""
        if not self.recipe.is_of_scores:
            return super()._scores(rng, model, tables, draws)
        parts = []
        for (items,) in tables:
            posterior = model.fit(items)
            alike = rows_of(self.recipe, posterior)
            if alike is not None:
                values, shapes = alike
                weights = rng.standard_gamma(shapes[:, np.newaxis], (shapes.size, draws))
                # A sum without BLAS does not depend on threads.
                sums = np.stack([(row[:, np.newaxis] * weights).sum(axis=0) for row in values])
                parts.append(sums / weights.sum(axis=0))
                continue
            metric = self.recipe.metric
            if items.n_items >= _LARGE and isinstance(posterior, ItemWeights) and isinstance(metric, ScoreMetric):
                posterior = by_influence(posterior, metric) or posterior
            parts.append(self._psi(rng, [posterior], draws))
        psi = model.steadied(np.concatenate(parts, axis=1), self.recipe.metric, (None, None))
        return psi.reshape(2, len(tables), draws)


def rows_of(recipe: Recipe, posterior: Posterior) -> tuple[FloatArray, FloatArray] | None:
    """Return the distinct values (2, rows) of a mean and the shapes of their weights; None where there are many."""
    metric = recipe.metric
    if not isinstance(posterior, ItemWeights) or not isinstance(metric, ScoreMetric):
        return None
    items = posterior.items
    if items.cluster is not None or items.weight is not None or not (values := metric.item_values(items)):
        return None
    both, place = np.unique(values[0] + 1j * values[1], return_inverse=True)
    if both.size > _MANY_ROWS:
        return None
    shapes = np.bincount(place.reshape(-1), weights=posterior.expected, minlength=both.size)
    return np.stack([both.real, both.imag]), shapes.astype(np.float64)
