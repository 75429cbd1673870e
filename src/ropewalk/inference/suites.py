"""Judge two classifiers over a suite of tasks: the average over these, or the mean over tasks like these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy import stats

from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Contrast, contrast
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.intervals import region_masses, summarise
from ropewalk.inference.datasets import weighted_means
from ropewalk.inference.population import JudgedPopulation
from ropewalk.inference.remarks import no_verdict
from ropewalk.inference.tasks import OnTask, SuiteQuestion, Together, prior_decides, prior_pulls
from ropewalk.models.population import MIN_UNITS, Units
from ropewalk.results import Comparison, SuiteComparison, TaskComparisons
from ropewalk.results.base import Drawing
from ropewalk.results.pooled import PooledUnit
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.text.units import Shown
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import FloatArray

UNLIKE: Final = 0.025
"""Where chance alone makes tasks as unlike as these less often, their average is not that of tasks like these."""


def estimate_of(c: Comparison) -> float:
    """Return what the items of a task say of the difference: as observed, unless the model is about something else."""
    model = c.recipe.model
    if c.delta.observed is None or model.moves or model.weights_difference:
        return c.delta.mean
    return c.delta.observed


def _on_task(c: Comparison) -> OnTask:
    return OnTask(
        recipe=c.recipe,
        systems=(c.a, c.b),
        psi=c.draws.psi,
        observed=(c.estimate_a.observed, c.estimate_b.observed),
        scope=c.scope,
        have_means=(c.estimate_a.has_mean, c.estimate_b.has_mean),
    )


def judge_suite(
    tasks: Mapping[str, Comparison], asked: SuiteQuestion, remarks: Sequence[Remark] = ()
) -> SuiteComparison:
    """Put the posteriors of tasks together, and judge the difference over all of them."""
    return _Tasks(dict(sorted(tasks.items())), asked).judged(remarks)


@dataclass(frozen=True, eq=False)
class _Tasks:
    """The comparison on each task, in the order of their names, and what is asked about all of them."""

    by_name: dict[str, Comparison]
    asked: SuiteQuestion

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    @property
    def each(self) -> tuple[Comparison, ...]:
        return tuple(self.by_name.values())

    @cached_property
    def together(self) -> Together:
        return Together({name: _on_task(c) for name, c in self.by_name.items()}, self.asked)

    @property
    def between(self) -> tuple[str, str]:
        return self.each[0].a, self.each[0].b

    @cached_property
    def units(self) -> Units:
        """Each task's difference as observed, and its posterior standard deviation, not 0 but what steps may hide.

        A posterior mean is drawn a little towards 0 already, on every task: with these, tasks looked more alike than
        they are, and of 250 intervals of the next task 224 held it.
        """
        means = np.array([estimate_of(c) for c in self.each])
        errors = np.array([c.delta.std for c in self.each])
        return self.together.without_priors(self.together.units(means, errors), (1.0, -1.0))

    @property
    def population(self) -> JudgedPopulation:
        """The population that the tasks come from."""
        about = {"between": self.between, "observed": self.observed_difference}
        return self.together.population(self.units, self.asked.question, **about)

    @property
    def observed_difference(self) -> float | None:
        a, b = self.together.observed
        return None if a is None or b is None else a - b

    # -- the answer ----------------------------------------------------------------------------------------

    def judged(self, remarks: Sequence[Remark]) -> SuiteComparison:
        """Judge the difference over all tasks."""
        asked, first = self.asked, self.each[0]
        population = self.population if asked.over == "tasks" else None
        psi = self.together.psi if population is None else self._around(population.drawn.mu)
        judged = self._average(psi) if population is None else population.contrast
        reason = self._no_verdict(judged)
        estimates = [
            summarise(row, np.sort(row), prob=asked.question.prob, observed=seen)
            for row, seen in zip(psi, self.together.observed, strict=True)
        ]
        recipe = self.together.recipe
        return SuiteComparison(
            a=first.a,
            b=first.b,
            estimate_a=estimates[0],
            estimate_b=estimates[1],
            **(judged.without_verdict() if reason else judged).parts,
            evidence=Evidence(reason=recipe.model.no_factor),
            draws=Draws(psi=psi, names=self.between),
            recipe=recipe,
            drawing=Drawing(no_verdict=reason),
            remarks=(*no_verdict(reason), *self._remarks(judged, population), *remarks),
            about=self.together.scope,
            what="task",
            data_text=f"{count_of(recipe.n_items, recipe.noun)} of {count_of(len(self.each), 'task')}",
            next=None if population is None else population.next,
            most_probable=None if population is None else population.most_probable,
            population=None if population is None else population.summary,
            shares=() if population is None else population.shares,
            units=self._units() if population is None else population.units,
            over=asked.over,
            tasks=TaskComparisons(tasks=self.names, comparisons=self.each),
            weights=dict(zip(self.names, self.together.weights.tolist(), strict=True)),
        )  # fmt: skip

    def _average(self, psi: FloatArray) -> Contrast:
        """Judge the average of the tasks' draws; what tasks of one seed share, they err by together."""
        judged = contrast(
            psi[0] - psi[1],
            self.asked.question,
            observed=self.observed_difference,
            names=self.between,
            has_mean=all(c.delta.has_mean for c in self.each),
        )
        if len({c.recipe.seed for c in self.each}) == len(self.each):
            return judged
        together = float(self.together.weights @ np.array([c.delta.mc_error for c in self.each]))
        return replace(judged, delta=replace(judged.delta, mc_error=max(judged.delta.mc_error, together)))

    def _around(self, mu: FloatArray) -> FloatArray:
        """Return draws of both scores over tasks like these, whose difference is mu."""
        level = weighted_means(self.together.means.mean(axis=1, keepdims=True), mu.size, self.asked.seed)[0]
        return np.stack([level + mu / 2, level - mu / 2])

    def _no_verdict(self, judged: Contrast) -> str:
        """Return why there is no verdict, if a task's model or chains cannot bear one."""
        if self.asked.question.rope is None:
            return ""
        lost = [c.no_verdict for c in self.each if not c.drawing.converged]
        return next(iter(lost), "") or self.together.not_equivalent(judged.decision)

    # -- each task -----------------------------------------------------------------------------------------

    def _units(self) -> tuple[PooledUnit, ...]:
        """Return each task by itself."""
        rope = self.asked.question.rope
        return tuple(
            PooledUnit(
                name=name, n=c.recipe.n_items, observed=estimate_of(c), se=c.delta.std, estimate=c.delta,
                regions=None if rope is None else region_masses(np.sort(c.draws.delta()), rope),
                centre=estimate_of(c),
            )
            for name, c in self.by_name.items()
        )  # fmt: skip

    # -- what is to be said --------------------------------------------------------------------------------

    def _remarks(self, judged: Contrast, population: JudgedPopulation | None) -> Iterator[Remark]:
        asked = self.asked
        if population is not None:
            yield from population.remarks("task", "tasks")
        else:
            yield from self.together.on_weights()
            yield from self._on_population()
        yield from self.together.on_tasks()
        still = [name for name, c in self.by_name.items() if not c.delta.std]
        if still:
            how = (
                "" if population is None else " Their standard deviation is taken as what the step of a mean may hide."
            )
            yield note("no_spread", f"The posterior has no spread on {shorten(still)}.{how}")
        delta = judged.delta
        if asked.over == "these" and delta.observed is not None and delta.std:
            yield from prior_pulls(abs(delta.mean - delta.observed) / delta.std)
        if asked.question.rope is not None and delta.std:
            yield from prior_decides(self._moved() / delta.std)

    def _moved(self) -> float:
        """Return how far other priors move the average at most: where they move all tasks in one direction."""
        moves = [0.0 if c.drawing.shift is None else c.drawing.shift.moved * c.delta.std for c in self.each]
        share = self.together.share if self.asked.over == "these" else 1.0
        return share * float(self.together.weights @ np.array(moves))

    def _on_population(self) -> Iterator[Remark]:
        """Say what tasks like these would do, where tasks clearly differ: their average is not about others."""
        if len(self.each) < MIN_UNITS or not all(c.delta.std and math.isfinite(c.delta.std) for c in self.each):
            return
        units = self.units
        precision = units.errors**-2.0
        centre = float(precision @ units.estimates / precision.sum())
        apart = float(precision @ (units.estimates - centre) ** 2)
        if stats.chi2.sf(apart, len(self.each) - 1) >= UNLIKE:
            return
        like = replace(self, asked=replace(self.asked, question=replace(self.asked.question, rope=None))).population
        unit = self.each[0].recipe.unit
        mean = Shown.of(like.contrast.delta, unit).text()
        points = " points" if unit.is_points else ""
        text = f"Tasks differ by more than chance, and this is about these alone: on tasks like these {mean}{points}. "
        yield note("unlike_tasks", text + wording('over="tasks" asks about those.'))
