"""Judge a suite of tasks: the average over these, or the mean over tasks like these."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from scipy import stats

from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import Draws, generator
from ropewalk.draws.contrast import Contrast, Question, contrast
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.intervals import region_masses, summarise
from ropewalk.draws.streams import TASKS
from ropewalk.errors import DataError
from ropewalk.inference.bearing import not_equivalent
from ropewalk.inference.datasets import weighted_level
from ropewalk.inference.population import JudgedPopulation, judge_population
from ropewalk.inference.remarks import no_verdict
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models.population import MIN_UNITS, PopulationPrior, Units
from ropewalk.models.suites import Over, Suite
from ropewalk.results import Comparison, Recipe, SuiteComparison, TaskComparisons
from ropewalk.results.base import Drawing
from ropewalk.results.pooled import PooledUnit
from ropewalk.results.suites import scope_of_suite
from ropewalk.text.remarks import Remark, note, warning, wording
from ropewalk.text.units import Shown, metric_title
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import DrawsLike, FloatArray

FEW_ITEMS: Final = 10
"""A task of fewer items says little, and its prior much."""

MOVED: Final = 0.5
"""Where other priors move the average by so many of its standard deviations, they have a say."""

HEAVY: Final = 0.5
"""A task with more of the weight than this is most of the answer."""

UNLIKE: Final = 0.025
"""Where chance alone makes tasks as unlike as these less often, their average is not that of tasks like these."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SuiteQuestion:
    """What is asked about tasks: over which, by what weights, judged how."""

    over: Over
    question: Question
    weights: Mapping[str, float]
    weighted: bool = False
    draws: DrawsLike = "auto"
    seed: int = 0


def seeds_of(names: Sequence[str], seed: int) -> list[int]:
    """Return a seed for each task, by its name, so that no task shares random numbers with another.

    Examples
    --------
    >>> seeds_of(["sums", "words"], 0) == seeds_of(["words", "sums"], 0)[::-1]
    True
    """
    return [
        int(np.random.SeedSequence(seed, spawn_key=_key(name)).generate_state(1, np.uint64)[0]) >> 11 for name in names
    ]


def _key(name: str) -> tuple[int, ...]:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return TASKS, int.from_bytes(digest[:4]), int.from_bytes(digest[4:])


def estimate_of(c: Comparison) -> float:
    """Return what the items of a task say of the difference: as observed, unless the model is about something else."""
    model = c.recipe.model
    if c.delta.observed is None or model.moves or model.weights_difference:
        return c.delta.mean
    return c.delta.observed


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

    @property
    def weights(self) -> FloatArray:
        return np.array([self.asked.weights[name] for name in self.names])

    @cached_property
    def psi(self) -> FloatArray:
        """The average of the tasks' draws, (2, n), each task's in an order of its own: tasks are independent."""
        number = min(len(c.draws) for c in self.each)
        if self.asked.draws != "auto":
            number = min(number, int(self.asked.draws))
        total = np.zeros((2, number))
        for name, weight, c in zip(self.names, self.weights, self.each, strict=True):
            order = generator(self.asked.seed, *_key(name)).permutation(len(c.draws))[:number]
            total += weight * c.draws.psi[:, order]
        return total

    @property
    def observed(self) -> tuple[float | None, float | None]:
        """What both score on average on the data themselves."""
        seen = [(c.estimate_a.observed, c.estimate_b.observed) for c in self.each]
        a, b = (
            None if None in column else float(self.weights @ np.array(column, dtype=float))
            for column in zip(*seen, strict=True)
        )
        return a, b

    @property
    def between(self) -> tuple[str, str]:
        return self.each[0].a, self.each[0].b

    @property
    def means(self) -> FloatArray:
        """What both score on each task, (tasks, 2): as posterior means."""
        return np.array([(c.estimate_a.mean, c.estimate_b.mean) for c in self.each])

    @property
    def ranges(self) -> FloatArray:
        """The lowest and the highest score that is possible on each task, (tasks, 2)."""
        return np.array([c.recipe.model.score_range or (c.recipe.metric.low, c.recipe.metric.high) for c in self.each])

    @cached_property
    def units(self) -> Units:
        """Each task's difference as observed, and its posterior standard deviation, not 0 but what steps may hide.

        A posterior mean is drawn a little towards 0 already, on every task: with these, tasks looked more alike than
        they are, and of 250 intervals of the next task 224 held it.
        """
        means = np.array([estimate_of(c) for c in self.each])
        errors = np.array([c.delta.std for c in self.each])
        endless = [name for name, error in zip(self.names, errors, strict=True) if not math.isfinite(error)]
        if endless:
            raise DataError(
                f"The posterior has no standard deviation on {shorten(endless)}, so how tasks differ cannot be told.",
                hint=wording('over="these" asks about the average, which has an interval all the same.'),
            )
        if not errors.any():
            raise DataError(
                "The posterior has no spread on any task, so nothing is known of how tasks differ.",
                hint=wording("leave model= out: the default model is never without a spread."),
            )
        steps = np.diff(self.ranges)[:, 0] / np.array([max(c.recipe.n_items, 1) for c in self.each])
        floors = np.where(np.isfinite(steps), steps / math.sqrt(12), np.median(errors[errors > 0]))
        return Units(means, np.where(errors > 0, errors, floors), np.full(len(self.each), np.inf))

    @property
    def population(self) -> JudgedPopulation:
        """The population that the tasks come from."""
        return judge_population(
            self.units,
            self.asked.question,
            PopulationPrior(form="normal"),
            names=self.names,
            sizes=[c.recipe.n_items for c in self.each],
            between=self.between,
            observed=self.observed_difference,
            draws=self.asked.draws,
            seed=self.asked.seed,
        )

    @property
    def observed_difference(self) -> float | None:
        a, b = self.observed
        return None if a is None or b is None else a - b

    # -- the answer ----------------------------------------------------------------------------------------

    def judged(self, remarks: Sequence[Remark]) -> SuiteComparison:
        """Judge the difference over all tasks."""
        asked, first = self.asked, self.each[0]
        population = self.population if asked.over == "tasks" else None
        psi = self.psi if population is None else self._around(population.drawn.mu)
        judged = self._average(psi) if population is None else population.contrast
        reason = self._no_verdict(judged)
        estimates = [
            summarise(row, np.sort(row), prob=asked.question.prob, observed=seen)
            for row, seen in zip(psi, self.observed, strict=True)
        ]
        recipe = self._recipe()
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
            about=scope_of_suite(
                metric_title(recipe.metric.name), [c.scope for c in self.each], over=asked.over, weighted=asked.weighted
            ),
            what="task",
            data_text=f"{count_of(recipe.n_items, recipe.noun)} of {count_of(len(self.each), 'task')}",
            next=None if population is None else population.next,
            most_probable=None if population is None else population.most_probable,
            population=None if population is None else population.summary,
            units=self._units() if population is None else population.units,
            over=asked.over,
            tasks=TaskComparisons(tasks=self.names, comparisons=self.each),
            weights=dict(zip(self.names, self.weights.tolist(), strict=True)),
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
        together = float(self.weights @ np.array([c.delta.mc_error for c in self.each]))
        return replace(judged, delta=replace(judged.delta, mc_error=max(judged.delta.mc_error, together)))

    def _around(self, mu: FloatArray) -> FloatArray:
        """Return draws of both scores over tasks like these, whose difference is mu."""
        level = weighted_level(self.means, mu.size, self.asked.seed)
        return np.stack([level + mu / 2, level - mu / 2])

    def _no_verdict(self, judged: Contrast) -> str:
        """Return why there is no verdict, if a task's model or chains cannot bear one."""
        if self.asked.question.rope is None:
            return ""
        verdict = None if judged.decision is None else judged.decision.verdict
        lost = [c.no_verdict for c in self.each if not c.drawing.converged]
        return next(filter(None, (*lost, *(not_equivalent(c.recipe, verdict) for c in self.each))), "")

    def _recipe(self) -> Recipe:
        """Return the question; the scores on tasks stand for the data."""
        first, question = self.each[0].recipe, self.asked.question
        titles = dict.fromkeys(c.metric for c in self.each)
        labels = {c.pos_label for c in self.each}
        scores = {c.recipe.metric.of for c in self.each}
        low, high = self.ranges[:, 0].min(), self.ranges[:, 1].max()
        metric = replace(
            SCORE_METRICS["mean"], name=first.metric.name if len(titles) == 1 else "score",
            of=scores.pop() if len(scores) == 1 else "", higher_is_better=question.higher_is_better,
            low=float(low), high=float(high),
        )  # fmt: skip
        table = ItemScores(values=tuple(self.means.T.copy()), names=self.between, labels=(0, 1), truth=None)
        return Recipe(
            tables=(table,), model=Suite(over=self.asked.over), metric=metric,
            pos_label=labels.pop() if len(labels) == 1 else None,
            rope=question.rope, prob=question.prob, rule=question.rule, draws=self.asked.draws, seed=self.asked.seed,
            data_hash="+".join(c.recipe.data_hash for c in self.each),
            n_items=sum(c.recipe.n_items for c in self.each), library=first.library, noun=first.noun,
        )  # fmt: skip

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
            yield from self._on_weights()
            yield from self._on_population()
        thin = [name for name, c in self.by_name.items() if c.recipe.noun == "item" and c.recipe.n_items < FEW_ITEMS]
        if thin:
            yield note(
                "few_items_of_task", f"Fewer than {FEW_ITEMS} items: {shorten(thin)}; of these the prior says much."
            )
        still = [name for name, c in self.by_name.items() if not c.delta.std]
        if still:
            how = (
                "" if population is None else " Their standard deviation is taken as what the step of a mean may hide."
            )
            yield note("no_spread", f"The posterior has no spread on {shorten(still)}.{how}")
        metrics = list(dict.fromkeys(metric_title(c.metric) for c in self.each))
        if len(metrics) > 1:
            yield note("several_metrics", f"Tasks are measured by different metrics, taken alike: {shorten(metrics)}.")
        yield from self._pulled(judged)
        moved = self._moved() / judged.delta.std if judged.delta.std else 0.0
        if moved >= MOVED and asked.question.rope is not None:
            text = f"by up to {moved:.1f} of its standard deviations: the tasks are small, and the prior has a say."
            yield warning("prior_decides", f"Half or twice the prior mass of every task moves their average {text}")

    def _pulled(self, judged: Contrast) -> Iterator[Remark]:
        """Say where the priors of many tasks, which all pull in one direction, add up."""
        delta = judged.delta
        if self.asked.over == "tasks" or delta.observed is None or not delta.std:
            return
        pull = abs(delta.mean - delta.observed) / delta.std
        if pull >= MOVED:
            text = (
                f"The average is {pull:.1f} posterior standard deviations from what was observed: each task is small, "
            )
            make = warning if pull >= 2 * MOVED else note
            yield make("prior_pulls", text + "and the prior pulls all of them.")

    def _moved(self) -> float:
        """Return how far other priors move the average at most: where they move all tasks in one direction."""
        moves = [0.0 if c.drawing.shift is None else c.drawing.shift.moved * c.delta.std for c in self.each]
        return float(self.weights @ np.array(moves))

    def _on_weights(self) -> Iterator[Remark]:
        heaviest = int(self.weights.argmax())
        share = float(self.weights[heaviest])
        if share > HEAVY:
            yield note("one_unit", f"One task, {self.names[heaviest]}, has {100 * share:.0f}% of the weight.")

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
