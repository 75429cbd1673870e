"""Put tasks together: the average of their draws, what it is about, and what is to be said of the tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np

from ropewalk._progress import current, shown, track
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import block_size, dirichlet, draw_blocks
from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import Decision
from ropewalk.draws.streams import PICKED
from ropewalk.draws.tasks import average, number_of, widened
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.bearing import not_equivalent
from ropewalk.inference.drawing import EARLY_LOOK, LOOKS, Draft
from ropewalk.inference.population import JudgedPopulation, judge_population
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models import draw_psi
from ropewalk.models.population import PopulationPrior, Units
from ropewalk.models.suites import Over, Suite
from ropewalk.results import Recipe
from ropewalk.results.base import Drawing
from ropewalk.results.scope import Scope
from ropewalk.results.suites import scope_of_suite
from ropewalk.text.remarks import Remark, note, warning, wording
from ropewalk.text.units import metric_title
from ropewalk.text.writing import shorten
from ropewalk.typing import DrawsLike, FloatArray

FEW_ITEMS: Final = 10
"""A task of fewer items says little, and its prior much."""

MOVED: Final = 0.5
"""Where other priors move the average by so many of its standard deviations, they have a say."""

HEAVY: Final = 0.5
"""A task with more of the weight than this is most of the answer."""

FEW_DRAWS: Final = 10_000
"""Of tasks that stand for others only means and standard deviations are taken, which so many draws tell to 1%."""

MOST_NUMBERS: Final = 40_000_000
"""So many numbers are kept at most, of the draws of all tasks."""

MANY_TASKS: Final = 10
"""Of more tasks than these fewer draws are tried first: each takes its time."""

E = TypeVar("E")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True, eq=False)
class SuiteQuestion:
    """What is asked about tasks: over which, by what weights, judged how."""

    over: Over
    question: Question
    weights: Mapping[str, float]
    weighted: bool = False
    draws: DrawsLike = "auto"
    seed: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class OnTask:
    """One task: the question, draws of the score of each system (K, n), what they scored, and about what that is."""

    recipe: Recipe
    systems: tuple[str, ...]
    psi: FloatArray
    observed: tuple[float | None, ...]
    scope: Scope
    have_means: tuple[bool, ...]

    def drawn_with(self, share: float) -> FloatArray:
        """Return draws under a share of the prior's mass, which no longer makes up for their narrowness."""
        recipe, model = self.recipe, self.recipe.model_with(share)
        if model is None:
            return self.psi
        posteriors, number = recipe.posteriors_under(model), self.psi.shape[1]
        psi = draw_psi(posteriors, recipe.metric, recipe.prevalence, stop=number, seed=recipe.seed)
        return widened(psi, recipe.n_clusters or recipe.n_items)


@dataclass(frozen=True, eq=False)
class Together:
    """Systems on each task, in the order of the tasks' names, and what is asked about all of them."""

    by_name: Mapping[str, OnTask]
    asked: SuiteQuestion

    @property
    def names(self) -> tuple[str, ...]:
        """What the tasks are called."""
        return tuple(self.by_name)

    @property
    def systems(self) -> tuple[str, ...]:
        """What the systems are called, which are the same on all tasks."""
        return self.each[0].systems

    @property
    def each(self) -> tuple[OnTask, ...]:
        """The tasks."""
        return tuple(self.by_name.values())

    @property
    def recipes(self) -> tuple[Recipe, ...]:
        """The question on each task."""
        return tuple(task.recipe for task in self.each)

    @property
    def weights(self) -> FloatArray:
        """What each task weighs, in all 1."""
        return np.array([self.asked.weights[name] for name in self.names])

    @property
    def share(self) -> float:
        """The share of the mass of one prior that each task has: one by their number, where they weigh alike."""
        return float(self.weights @ self.weights)

    @cached_property
    def drawn(self) -> Mapping[str, FloatArray]:
        """Draws on each task, to be put together.

        The priors of tasks would all pull one way, and together as hard as so many: they share the mass of one.
        """
        return {name: task.drawn_with(self.share) for name, task in self.by_name.items()}

    @cached_property
    def psi(self) -> FloatArray:
        """The average of the tasks' draws, (K, n), each task's in an order of its own: tasks are independent."""
        psi = average(self.drawn, self.weights, self.asked.seed, self.asked.draws)
        return psi.clip(self.ranges.min(), self.ranges.max())

    @property
    def observed(self) -> tuple[float | None, ...]:
        """What each system scores on average on the data themselves."""
        columns = zip(*(task.observed for task in self.each), strict=True)
        return tuple(
            None if None in column else float(self.weights @ np.array(column, dtype=float)) for column in columns
        )

    @property
    def means(self) -> FloatArray:
        """What each scores on each task, (tasks, K): as posterior means."""
        return np.stack([psi.mean(axis=1) for psi in self.drawn.values()])

    @property
    def ranges(self) -> FloatArray:
        """The lowest and the highest score that is possible on each task, (tasks, 2)."""
        return np.array([r.model.score_range or (r.metric.low, r.metric.high) for r in self.recipes])

    @property
    def scope(self) -> Scope:
        """What an answer over these tasks is about."""
        asked, scopes = self.asked, [task.scope for task in self.each]
        title = metric_title(self.recipe.metric.name)
        return scope_of_suite(title, scopes, len(self.systems), over=asked.over, weighted=asked.weighted)

    @cached_property
    def recipe(self) -> Recipe:
        """The question; the scores on tasks stand for the data."""
        first, question = self.recipes[0], self.asked.question
        labels, scores = {r.pos_label for r in self.recipes}, {r.metric.of for r in self.recipes}
        low, high = self.ranges[:, 0].min(), self.ranges[:, 1].max()
        metric = replace(
            SCORE_METRICS["mean"],
            name=first.metric.name if len({r.metric.name for r in self.recipes}) == 1 else "score",
            of=scores.pop() if len(scores) == 1 else "",
            low=float(low), high=float(high), higher_is_better=question.higher_is_better,
        )  # fmt: skip
        table = ItemScores(values=tuple(self.means.T.copy()), names=self.systems, labels=(0, 1), truth=None)
        return Recipe(
            tables=(table,), model=Suite(over=self.asked.over), metric=metric,
            pos_label=labels.pop() if len(labels) == 1 else None,
            rope=question.rope, prob=question.prob, rule=question.rule, draws=self.asked.draws, seed=self.asked.seed,
            data_hash="+".join(r.data_hash for r in self.recipes),
            n_items=sum(r.n_items for r in self.recipes), library=first.library, noun=first.noun,
        )  # fmt: skip

    def draft(self, no_verdict: str = "", *, pool: bool = False) -> Draft:
        """Return the average of the draws, as what is drawn by a recipe; `pool` draws the systems to their centre."""
        have_means = tuple(map(all, zip(*(task.have_means for task in self.each), strict=True)))
        return _Averaged(
            recipe=replace(self.recipe, pool=pool),
            drawing=Drawing(no_verdict=no_verdict),
            posteriors=(),
            psi=self.psi,
            observed=self.observed,
            known_means=have_means,
        )

    def not_equivalent(self, decision: Decision | None) -> str:
        """Return why a verdict cannot say that two are equivalent, if the model of some task cannot."""
        verdict = None if decision is None else decision.verdict
        return next(filter(None, (not_equivalent(recipe, verdict) for recipe in self.recipes)), "")

    # -- tasks like these --------------------------------------------------------------------------------------

    def units(self, estimates: FloatArray, errors: FloatArray) -> Units:
        """Return what the items of each task say, with its error: not 0, but what the step of a mean may hide."""
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
        steps = np.diff(self.ranges)[:, 0] / self.sizes
        floors = np.where(np.isfinite(steps), steps / math.sqrt(12), np.median(errors[errors > 0]))
        return Units(estimates, np.where(errors > 0, errors, floors), np.full(len(self.each), np.inf))

    def without_priors(self, units: Units, signs: Sequence[float]) -> Units:
        """Return units of scores added up by these signs, with errors to which the priors of tasks do not add up.

        What a prior imagines widens the posterior of a task of few items or clusters, up to 1.6 times: caution about
        that task, but many that err by less than they say look alike. So all errors shrink by one factor, to what they
        are on average where the tasks share the mass of one prior.
        """
        own, shared = (
            sum(float(np.einsum("k,kd->d", np.array(signs), psi).var()) for psi in drawn)
            for drawn in ([task.psi for task in self.each], self.drawn.values())
        )
        return replace(units, errors=units.errors * math.sqrt(shared / own)) if 0 < shared < own else units

    @property
    def sizes(self) -> FloatArray:
        """How many items each task has."""
        return np.array([max(r.n_items, 1) for r in self.recipes], dtype=np.float64)

    def like_these(self, signs: Sequence[float]) -> tuple[FloatArray, FloatArray]:
        """Return what the items of each task say of scores added up by these signs, and the error of that."""
        apart = np.array(signs)
        said = []
        for task in self.each:
            drawn = np.einsum("k,kd->d", apart, task.psi)
            model = task.recipe.model
            unseen = None in task.observed or model.moves or model.weights_difference
            estimate = drawn.mean() if unseen else apart @ np.array(task.observed, dtype=float)
            said.append((estimate, drawn.std(ddof=1) if all(task.have_means) else math.nan))
        estimates, errors = np.array(said).T
        return estimates, errors

    @property
    def reweighted(self) -> FloatArray:
        """Draws of the mean scores over tasks like these, (K, n): tasks are re-weighted, as re-drawn ones would be."""
        number, ones = number_of(self.drawn.values(), self.asked.draws), np.ones(len(self.drawn))

        def block(rng: np.random.Generator, size: int) -> FloatArray:
            return dirichlet(rng, ones, size)

        size = block_size(ones.size)
        weights = draw_blocks(block, size=size, start=0, stop=number, seed=self.asked.seed, stream=PICKED)
        return average(self.drawn, weights, self.asked.seed, self.asked.draws)

    def population(self, units: Units, question: Question, **about: Any) -> JudgedPopulation:
        """Judge the population that tasks with these units come from."""
        sizes = [r.n_items for r in self.recipes]
        how: dict[str, Any] = {"draws": self.asked.draws, "seed": self.asked.seed, **about}
        return judge_population(units, question, PopulationPrior(form="normal"), names=self.names, sizes=sizes, **how)

    # -- what is to be said --------------------------------------------------------------------------------

    def on_weights(self) -> Iterator[Remark]:
        """Say where one task is most of the answer."""
        heaviest = int(self.weights.argmax())
        share = float(self.weights[heaviest])
        if share > HEAVY:
            yield note("one_unit", f"One task, {self.names[heaviest]}, has {100 * share:.0f}% of the weight.")

    def on_tasks(self) -> Iterator[Remark]:
        """Say which tasks are small or have one label, and whether they are measured alike."""
        single = [n for n, r in zip(self.names, self.recipes, strict=True) if _has_one_label(r)]
        if single:
            text = f"There is only one label on {shorten(single)}: every metric is what it must be. "
            yield warning("one_label", text + wording("labels= declares more classes."))
        thin = [n for n, r in zip(self.names, self.recipes, strict=True) if r.noun == "item" and r.n_items < FEW_ITEMS]
        if thin:
            text = f"Fewer than {FEW_ITEMS} items: {shorten(thin)}; of these the prior says much."
            yield note("few_items_of_task", text)
        metrics = list(dict.fromkeys(metric_title(r.metric.name) for r in self.recipes))
        if len(metrics) > 1:
            yield note("several_metrics", f"Tasks are measured by different metrics, taken alike: {shorten(metrics)}.")


def _has_one_label(recipe: Recipe) -> bool:
    return any(isinstance(table, Outcomes) and table.n_labels == 1 for table in recipe.tables)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Averaged(Draft):
    """The average of tasks, as a draft; whether it has a mean is known of the tasks."""

    known_means: tuple[bool, ...]

    @property
    def have_means(self) -> tuple[bool, ...]:
        """Whether the average of each has a mean."""
        return self.known_means


def prior_pulls(pull: float, what: str = "The average") -> Iterator[Remark]:
    """Say where the priors of many tasks, which all pull in one direction, add up: to so many standard deviations."""
    if pull >= MOVED:
        text = f"{what} is {pull:.1f} posterior standard deviations from what was observed: each task is small, "
        make = warning if pull >= 2 * MOVED else note
        yield make("prior_pulls", text + "and the prior pulls all of them.")


def prior_decides(moved: float) -> Iterator[Remark]:
    """Say where half or twice the prior mass of every task moves their average by so many standard deviations."""
    if moved >= MOVED:
        text = f"by up to {moved:.1f} of its standard deviations: the tasks are small, and the prior has a say."
        yield warning("prior_decides", f"Half or twice the prior mass of every task moves their average {text}")


def check_alike(measured: Mapping[str, tuple[str, Recipe]]) -> None:
    """Refuse scores that cannot be averaged, given of each task by what it is measured, and the question."""
    (task, (score, first)), *others = measured.items()
    for other, (name, one) in others:
        alike = name == score or (first.unit.is_points and one.unit.is_points)
        if not alike or first.metric.higher_is_better != one.metric.higher_is_better:
            raise InvalidInputError(
                f"{task!r} is measured by {score} and {other!r} by {name}: their average has no meaning.",
                hint="metrics are averaged where all run from 0 to 1, and more is better by all or by none.",
            )


# -- drawing -----------------------------------------------------------------------------------------------


def draw_tasks(
    recipes: Mapping[str, Sequence[Recipe]],
    asked: SuiteQuestion,
    ask: Callable[[str, list[Recipe]], E],
    judge: Callable[[dict[str, E]], R],
    settled: Callable[[R], bool],
) -> R:
    """Draw each task and judge all of them; with "auto" until other draws would decide alike."""
    result = None
    for look in _looks(asked, recipes):
        each = {}
        for task in track(recipes, describe="Drawing tasks", progress=current()):
            with shown(progress=False):
                each[task] = ask(task, [replace(recipe, draws=int(look)) for recipe in recipes[task]])
        result = judge(each)
        if settled(result):
            break
    assert result is not None  # noqa: S101 - there is a look
    return result


def _looks(asked: SuiteQuestion, recipes: Mapping[str, Sequence[Recipe]]) -> Sequence[int]:
    """Return how many draws of each task are tried: fewer of many tasks, and where many systems are ranked."""
    if asked.draws != "auto":
        return (int(asked.draws),)
    if asked.over == "tasks":
        return (FEW_DRAWS,)
    first: list[Any] = list(next(iter(recipes.values())))
    n_systems = len(first[0].names)
    most = MOST_NUMBERS // (sum(len(r.names) for r in first) * len(recipes))
    usual = LOOKS[:2] if n_systems <= 2 and len(recipes) <= MANY_TASKS else (EARLY_LOOK, LOOKS[0])  # noqa: PLR2004
    return [look for look in usual if look <= most] or [max(most // 1_000, 1) * 1_000]
