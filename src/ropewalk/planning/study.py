"""A study that has not been made yet: draw its test set from a truth, fit the model to it, and judge.

Simulations come in batches of a fixed size. Batch i at n items has its own generator, seeded by (seed, n, i): the same
seed gives the same answer on any number of threads, processes or machines, and more simulations begin with the fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.data.tally import distinct_rows
from ropewalk.draws import streams
from ropewalk.draws.blocks import difference, generator
from ropewalk.draws.decision import Judged, judge_each
from ropewalk.draws.intervals import Estimate, Interval, summarise
from ropewalk.errors import InvalidInputError
from ropewalk.inference.bearing import (
    LEAST_DRAWS,
    MOVED,
    MOVED_ENDS,
    NEAR,
    UNLEARNED,
    draws_of_another,
    not_equivalent,
    other_priors,
    shift_between,
    too_far,
    too_little,
)
from ropewalk.inference.goals import Batch
from ropewalk.metrics.margins import Weighted
from ropewalk.models import measure
from ropewalk.models.binary import DirichletPosterior, block_of_each
from ropewalk.models.protocol import Model, Posterior
from ropewalk.planning.joint import Joint
from ropewalk.results import Recipe
from ropewalk.results.base import PriorShift
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.text.verdicts import VERDICTS
from ropewalk.typing import BoolArray, CodeArray, FloatArray, IntArray

BATCH: Final = 20
"""How many simulations have a generator in common."""

_BYTES_KEPT: Final = 1 << 24  # more than any array here
_GLANCE_DRAWS: Final = 200  # by which to see that another prior hardly matters; an end of an interval is off by .2
_SIGNS: Final = (1.0, -1.0)  # of A and B in A − B


Tables: TypeAlias = "tuple[Outcomes, ...]"
"""One test set: a table for each that the model takes."""


class Truth(Protocol):
    """What is true in one simulation: the difference A − B, and the test sets that may come of it."""

    @property
    def delta(self) -> float:
        """The difference A − B."""

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Any, ...]:
        """Draw a test set of n items: one table for each that the model takes."""


class Source(Protocol):
    """Where the truths of simulations come from."""

    def truths(self, rng: np.random.Generator, size: int) -> Sequence[Truth]:
        """Return so many truths."""


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A truth that is the same in every simulation: a scenario, and both classifiers on the same items.

    `views` are the tables that the model takes: their cells, and to which of them each cell of the scenario belongs.
    """

    joint: Joint
    delta: float
    views: tuple[tuple[CodeArray, IntArray, tuple[str, ...]], ...]

    def truths(self, rng: np.random.Generator, size: int) -> Sequence[Truth]:  # noqa: ARG002
        """Return the one truth, so many times."""
        return [self] * size

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Outcomes, ...]:
        """Draw a test set of n items: one table for each that the model takes."""
        return self.tables(rng.multinomial(n, self.joint.probs))

    def tables(self, counts: IntArray) -> tuple[Outcomes, ...]:
        """Return the table for each that the model takes, of how often each cell of the scenario came."""
        tables = []
        for codes, place, names in self.views:
            merged = np.bincount(place, weights=counts, minlength=len(codes)).astype(np.int64)
            some = merged > 0
            tables.append(Outcomes(codes[some], merged[some], self.joint.labels, names))
        return tuple(tables)


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Truths drawn from the posterior given the data so far, a new one for every simulation: power becomes assurance.

    `tables` are those of the data; classifiers of separate tables get separate new items.
    """

    recipe: Recipe
    tables: tuple[Outcomes, ...]
    posteriors: tuple[Posterior, ...]

    def truths(self, rng: np.random.Generator, size: int) -> Sequence[Truth]:
        """Return so many draws from the posterior."""
        blocks = [posterior.block(rng, size) for posterior in self.posteriors]
        psi = np.concatenate([measure(self.recipe.metric, block, self.recipe.prevalence) for block in blocks])
        return [
            Drawn(self.tables, tuple(_cells_of(block, i) for block in blocks), float(delta))
            for i, delta in enumerate(psi[0] - psi[1])
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One draw from a posterior: the cells of each table, and their probabilities."""

    tables: tuple[Outcomes, ...]
    cells: tuple[tuple[CodeArray, FloatArray], ...]
    delta: float

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Outcomes, ...]:
        """Draw a test set of n items: one table for each that the model takes."""
        tables = []
        for table, (codes, probs) in zip(self.tables, self.cells, strict=True):
            counts = rng.multinomial(n, probs)
            some = counts > 0
            raw = Outcomes(codes[some], counts[some], table.labels, table.names)
            # Adding sorts, and merges cells that come twice.
            tables.append(Outcomes.empty(table.labels, table.names) + raw)
        return tuple(tables)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """What is simulated: where the truth comes from, how its test sets are judged, and what was counted `before`."""

    source: Source
    recipe: Recipe
    rope: Interval
    draws: int
    before: tuple[Outcomes, ...] | None = None

    @property
    def no_items(self) -> tuple[Outcomes, ...]:
        """The tables that the model takes, before anything is counted."""
        return self.recipe.tables  # type: ignore[return-value]

    @property
    def delta(self) -> float | None:
        """The true difference A − B, where it is the same in every simulation."""
        return self.source.delta if isinstance(self.source, Fixed) else None

    def batch(self, task: tuple[int, int]) -> Batch:
        """Simulate one batch of test sets; the task is how many items they have, and the batch's number."""
        keep_memory()
        n, number = task
        rng = self.generator(n, number)
        truths = self.source.truths(rng, BATCH)
        tables = [truth.draw(rng, n) for truth in truths]
        if self.before is not None:
            tables = [added(self.before, new) for new in tables]
        return self.judge(rng, tables, truths)

    def generator(self, *key: int) -> np.random.Generator:
        """Return the generator of one batch."""
        return generator(self.recipe.seed, streams.STUDIES, *key)

    def judge(self, rng: np.random.Generator, tables: Sequence[Tables], truths: Sequence[Truth]) -> Batch:
        """Fit the model to every test set, draw the difference, and judge it as `compare` does."""
        recipe = self.recipe
        scores = self._scores(rng, recipe.model, tables, self.draws)
        delta = difference_of_each(scores)
        ordered = np.sort(delta, axis=1)
        judged = self._judged(ordered, tables)
        spreads, spread = np.stack([_spread(psi) for psi in scores]), _spread(ordered)
        why = []
        # Other priors have a generator of their own, so that asking them changes nothing of the rest.
        for i, shift in enumerate(self._shifts(rng.spawn(1)[0], tables, delta, ordered)):
            asked = replace(recipe, tables=tables[i])
            reason = too_little(asked, spreads[:, i].tolist(), float(spread[i]), _SIGNS)
            if not reason and shift is not None:
                reason = too_far(asked, *shift)
            why.append(reason or not_equivalent(asked, VERDICTS[judged.verdict[i]]))
        return Batch.of(judged, np.array([truth.delta for truth in truths]), why)

    def _judged(self, ordered: FloatArray, tables: Sequence[Tables]) -> Judged:  # noqa: ARG002
        """Judge the sorted draws of the difference on each of these test sets."""
        recipe = self.recipe
        up = recipe.metric.higher_is_better
        return judge_each(ordered, self.rope, prob=recipe.prob, rule=recipe.rule, higher_is_better=up)

    def _shifts(
        self, rng: np.random.Generator, tables: Sequence[Tables], delta: FloatArray, ordered: FloatArray
    ) -> list[tuple[PriorShift | None, Estimate] | None]:
        """Return how far other priors move each difference, and its estimate; None where that is far from too far."""
        shifts: list[tuple[PriorShift | None, Estimate] | None] = [None] * len(tables)
        if self.draws < LEAST_DRAWS or self.recipe.model.is_deliberate:
            return shifts
        others = other_priors(self.recipe)
        if not others:
            return shifts
        asked = [model for model in (*others, self.recipe.model.unlearned()) if model is not None]
        limits = [(MOVED, MOVED_ENDS)] * len(others) + [(UNLEARNED, math.inf)] * (len(asked) - len(others))
        near = np.flatnonzero(self._near(rng, asked, limits, tables, ordered)).tolist()
        some = [tables[i] for i in near]
        number = min((draws_of_another([self.recipe.model.fit(t) for t in each]) for each in some), default=0)
        if not number:
            return shifts
        drawn = [difference_of_each(self._scores(rng, model, some, number)) for model in asked]
        for place, i in enumerate(near):
            estimate = summarise(delta[i], ordered[i], prob=self.recipe.prob, observed=None)
            moved = [other[place] for other in drawn]
            shift = shift_between(estimate, moved[: len(others)], self.recipe.question, unlearned=moved[len(others) :])
            shifts[i] = shift, estimate
        return shifts

    def _near(
        self,
        rng: np.random.Generator,
        others: Sequence[Model],
        limits: Sequence[tuple[float, float]],
        tables: Sequence[Tables],
        ordered: FloatArray,
    ) -> BoolArray:
        """Return where another prior may matter: by a few draws, it moves a mean or an end half as far as its limits.

        Most studies are far from it, and need not be asked again with as many draws as `compare` takes. Here an end is
        a quantile, which a few draws tell better than they tell the shortest interval.
        """
        tails = [(1 - self.recipe.prob) / 2, (1 + self.recipe.prob) / 2]
        mean, ends = ordered.mean(axis=1), np.quantile(ordered, tails, axis=1)
        near, spread = np.zeros(len(ordered), dtype=np.bool_), _spread(ordered)
        for model, (most, most_ends) in zip(others, limits, strict=True):
            other = difference_of_each(self._scores(rng, model, tables, min(_GLANCE_DRAWS, self.draws)))
            moved, apart = np.abs(other.mean(axis=1) - mean), np.abs(np.quantile(other, tails, axis=1) - ends)
            near |= (moved > NEAR * most * spread) | (apart.max(axis=0) > NEAR * most_ends * spread)
        return near

    def _scores(self, rng: np.random.Generator, model: Model, tables: Sequence[Tables], draws: int) -> FloatArray:
        """Fit a model to every test set and draw the scores of both classifiers, (2, test sets, draws)."""
        fitted = [[model.fit(table) for table in simulated] for simulated in tables]
        psi = np.concatenate([self._psi(rng, column, draws) for column in zip(*fitted, strict=True)])
        return model.steadied(psi, self.recipe.metric, (None, None)).reshape(2, len(tables), draws)

    def _psi(self, rng: np.random.Generator, posteriors: Sequence[Posterior], draws: int) -> FloatArray:
        """Draw from one posterior after the other, (K, simulations · draws)."""
        metric, prevalence = self.recipe.metric, self.recipe.prevalence
        alike = [posterior for posterior in posteriors if isinstance(posterior, DirichletPosterior)]
        if len(alike) == len(posteriors):
            return measure(metric, block_of_each(rng, alike, draws), prevalence)
        parts = []
        for posterior in posteriors:
            size = posterior.block_size
            for start in range(0, draws, size):
                block = posterior.block(rng, min(size, draws - start))
                parts.append(measure(metric, block, prevalence))
        return np.concatenate(parts, axis=1)


def difference_of_each(scores: FloatArray) -> FloatArray:
    """Return the differences of the scores (2, test sets, draws) of two classifiers, for each test set alone."""
    return np.stack([difference(*pair) for pair in zip(*scores, strict=True)])


def _spread(draws: FloatArray) -> FloatArray:
    """Return the standard deviation of each row; draws that are all alike have none, whatever rounding makes of it."""
    return np.where(draws.min(axis=1) < draws.max(axis=1), draws.std(axis=1, ddof=1), 0.0)


@lru_cache(maxsize=1)
def keep_memory() -> None:
    """Let the C library keep the memory of arrays that come and go thousands of times, instead of asking for it anew.

    glibc hands large blocks back to the system when they are freed, until it has seen a larger one freed: to fault
    their pages in again takes a third of the time of a simulation. Elsewhere this does nothing.
    """
    np.empty(_BYTES_KEPT // 8)


def added(before: tuple[Outcomes, ...], new: tuple[Outcomes, ...]) -> tuple[Outcomes, ...]:
    """Return the tables of both together."""
    return tuple(old + fresh for old, fresh in zip(before, new, strict=True))


def _cells_of(table: object, i: int) -> tuple[CodeArray, FloatArray]:
    """Return the cells of draw i of a posterior and their probabilities, loose ones too."""
    assert isinstance(table, Weighted)  # noqa: S101
    codes, weights = table.cells.codes, table.weights[:, i]
    if table.loose is not None:
        here = table.loose.draw == i
        codes = np.concatenate([codes, table.loose.codes[:, here].T])
        weights = np.concatenate([weights, table.loose.weights[here]])
    return codes, weights / weights.sum()


def of_scenario(joint: Joint, recipe: Recipe, *, draws: int) -> Study:
    """Return the study of a scenario, asked as the recipe says; its tables hold labels and names, and no items."""
    check_model(recipe)
    labels = recipe.tables[0].labels
    if labels != joint.labels and recipe.pos_label is not None:
        joint = joint.collapse(recipe.pos_label, labels[0])
    psi = measure(recipe.metric, joint.weighted(), recipe.prevalence)
    delta = float(f"{psi[0, 0] - psi[1, 0]:.12g}")  # .6 − .5 is to be .1
    views = []
    for table in recipe.tables:
        codes = joint.codes[:, [0, *(1 + joint.names.index(name) for name in table.names)]]
        first, place = distinct_rows(codes, len(joint.labels))
        views.append((codes[first], place, table.names))
    source = Fixed(joint, delta, tuple(views))
    return Study(source=source, recipe=recipe, rope=_rope(recipe), draws=draws)


def of_result(recipe: Recipe, *, draws: int, seed: int, more: bool = False) -> Study:
    """Return the study of a new test set given the data of a recipe, or of `more` items beside them."""
    tables = tuple(table for table in recipe.tables if isinstance(table, Outcomes) and table.units is None)
    if len(tables) < len(recipe.tables):
        raise InvalidInputError(
            "Only items with one label, each standing alone and counting alike, can be simulated; these are scores, "
            "clusters, weighted items or items with any number of labels.",
            hint="more_data() extrapolates from the posterior of such data.",
        )
    check_model(recipe)
    # Whatever sampled the answer, thousands of simulated test sets are drawn exactly; chains would go to every worker.
    recipe = replace(recipe, sampler=None, seed=seed)
    posteriors = tuple(recipe.model.fit(table) for table in tables)
    return Study(
        source=Fitted(recipe, tables, posteriors),
        recipe=replace(recipe, tables=tuple(Outcomes.empty(table.labels, table.names) for table in tables)),
        rope=_rope(recipe),
        draws=draws,
        before=tables if more else None,
    )


def check_model(recipe: Recipe) -> None:
    """Refuse a model that cannot be simulated."""
    if not recipe.model.can_be_simulated:
        raise InvalidInputError(
            f"The model {recipe.model.name!r} with this prior cannot be simulated: each of thousands of test sets "
            "would need Markov chains, weights, or annotators, of its own.",
            hint="more_data() extrapolates from the posterior; or plan with a model that is drawn exactly.",
        )


def _rope(recipe: Recipe) -> Interval:
    if recipe.rope is None:
        raise InvalidInputError(
            "Whether a study is conclusive depends on the ROPE, and none was stated.",
            hint=wording("what is the smallest difference you would act on? rope=0.01 means (-0.01, +0.01)."),
        )
    return recipe.rope


def too_few_draws(study: Study) -> tuple[Remark, ...]:
    """Say that with so few draws it is not seen whether other priors take the verdict from a study."""
    if study.draws >= LEAST_DRAWS or study.recipe.model.is_deliberate or not other_priors(study.recipe):
        return ()
    text = (
        f"With fewer than {LEAST_DRAWS} draws it is not asked whether half or twice the prior mass takes the verdict "
        "from a study; compare asks."
    )
    return (note("other_priors_not_asked", text),)


def check_size(study: Study, n: int) -> None:
    """Refuse test sets that are too small for the model."""
    least = study.recipe.model.min_units
    if least > 1 and n < least:  # where compare gives no verdict
        raise InvalidInputError(
            f"Fewer than {least} items are too few to re-weight; got n = {n}.", hint="ask for more items."
        )
