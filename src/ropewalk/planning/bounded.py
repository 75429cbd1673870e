"""Studies that stop when a confidence sequence is conclusive, beside the same studies under the plain rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from ropewalk.classical.betting import bounds, rejects_at_most
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.decision import Judged, decide
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import Batch, joined
from ropewalk.inference.looks import Differences, cell_differences, check_mean, differences_of, error_of
from ropewalk.metrics.registry import Metric
from ropewalk.planning.study import Fixed, Study, Tables, added, keep_memory
from ropewalk.results import Recipe
from ropewalk.text.verdicts import VERDICTS
from ropewalk.typing import BoolArray, FloatArray, IntArray

PATH: Final = 1
"""Sets the generators of whole paths apart from those of single test sets."""

AT_ONCE: Final = 100
"""How many studies are followed side by side."""

_SLACK: Final = 0.25  # standard errors that the end of an HDI may lie from that of a normal
_MANY: Final = 30  # items that differ, from which on it does
_CONCLUSIVE_CODES: Final = [code for code, verdict in enumerate(VERDICTS) if verdict.conclusive]


class Rule(Protocol):
    """From how many items on a rule looks, and where it ends."""

    @property
    def min_n(self) -> int: ...  # noqa: D102
    @property
    def max_n(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Studies that were followed: after how many items each stopped, what it said then, and without stopping.

    `plain` has the items and the ends of the same studies by the plain rule, where another one was followed.
    """

    items: IntArray
    ends: Batch
    whole: Batch
    plain: tuple[IntArray, Batch] | None = None

    @classmethod
    def joined(cls, parts: Sequence[Paths]) -> Paths:
        """Return the studies of all parts, one after the other."""
        plain = [part.plain for part in parts if part.plain is not None]
        return cls(
            np.concatenate([part.items for part in parts]),
            joined([part.ends for part in parts]),
            joined([part.whole for part in parts]),
            (np.concatenate([at for at, _ in plain]), joined([ends for _, ends in plain])) if plain else None,
        )

    def first(self, n: int) -> Paths:
        """Return the first n studies."""
        plain = None if self.plain is None else (self.plain[0][:n], self.plain[1].first(n))
        return Paths(self.items[:n], self.ends.first(n), self.whole.first(n), plain)


def check_bounded(recipe: Recipe) -> None:
    """Refuse what has no bound over all looks."""
    check_mean(recipe.metric)
    if len(recipe.tables) > 1 or recipe.prevalence is not None:
        raise InvalidInputError(
            "The bound is on differences item by item, and this model takes separate test sets.",
            hint="leave the model out.",
        )


def bounds_of(recipe: Recipe) -> Interval:
    """Return the interval of the data of a recipe that holds at every look."""
    seen = differences_of(recipe)
    return bounds(seen.values, seen.counts, seen.scale, error_of(recipe))


def is_conclusive(interval: Interval, rope: Interval | None) -> bool:
    """Whether an interval lies inside or outside of a ROPE."""
    assert rope is not None  # noqa: S101 - no study without one
    return decide(interval, rope, interval.middle).conclusive


class _Streams:
    """Test sets that grow side by side, one for each truth: their counts of differences, and their tables if asked for.

    Where all truths are the same, cells are counted for all test sets at once.
    """

    def __init__(self, study: Study, rng: np.random.Generator) -> None:
        self.truths = study.source.truths(rng, AT_ONCE)
        self._metric, self._rng, self._n = study.recipe.metric, rng, 0
        self._source = study.source if isinstance(study.source, Fixed) else None
        self._tables = [study.no_items] * AT_ONCE
        self._cells = np.zeros((AT_ONCE, 0 if self._source is None else len(self._source.joint.probs)), dtype=np.int64)

    def grow(self, n: int) -> None:
        """Let every test set grow to n items."""
        more, self._n = n - self._n, n
        if self._source is not None:
            self._cells += self._rng.multinomial(more, self._source.joint.probs, AT_ONCE)
            return
        new = [truth.draw(self._rng, more) for truth in self.truths]
        self._tables = [added(table, part) for table, part in zip(self._tables, new, strict=True)]

    def tables(self, i: int) -> Tables:
        """Return the table of test set i, as a model takes it."""
        return self._tables[i] if self._source is None else self._source.tables(self._cells[i])

    def differences(self) -> tuple[FloatArray, IntArray, Interval]:
        """Return the differences that there are, how often each test set has which, and the ends of their scale."""
        if self._source is None:
            return count_each(self._metric, [tables[0] for tables in self._tables])
        ((codes, place, _),) = self._source.views
        each, some, scale = cell_differences(_of_labels(self._metric), codes)
        values, which = np.unique(each, return_inverse=True)
        belongs = np.zeros((len(place), values.size), dtype=np.int64)
        belongs[np.arange(len(place)), which.reshape(-1)[place]] = some[place]
        return values, self._cells @ belongs, scale


def follow_bounded(study: Study, rule: Rule, size: int, number: int) -> Paths:
    """Follow one batch of studies, look by look, by the bounded rule and by the plain one."""
    keep_memory()
    rng, posteriors = study.generator(rule.max_n, number, PATH).spawn(2)  # how they are judged changes no stream
    streams = _Streams(study, rng)
    bounded_ends: dict[int, Batch] = {}
    plain_ends: dict[int, Batch] = {}
    at, plain_at = np.zeros(AT_ONCE, dtype=np.int64), np.zeros(AT_ONCE, dtype=np.int64)
    for n in [*range(rule.min_n, rule.max_n, size), rule.max_n]:
        streams.grow(n)
        last, (values, counts, scale) = n == rule.max_n, streams.differences()
        for i in np.flatnonzero(last | concluded_each(study, values, counts, scale)).tolist():
            if i not in bounded_ends:
                seen = Differences(values, counts[i], scale)
                at[i], bounded_ends[i] = n, _bounded_end(study, seen, streams.truths[i].delta)
        # Studies that have stopped are followed only for the end that they would have come to.
        likely = last | _may_conclude(study, values, counts)
        followed = [i for i in np.flatnonzero(likely).tolist() if last or i not in plain_ends]
        if not followed:
            continue
        looked = study.judge(posteriors, [streams.tables(i) for i in followed], [streams.truths[i] for i in followed])
        concluded = np.isin(looked.judged.verdict, _CONCLUSIVE_CODES) | last
        for place, i in enumerate(followed):
            if concluded[place] and i not in plain_ends:
                plain_at[i], plain_ends[i] = n, looked.only(place)
    ends, plain = (joined([found[i] for i in range(AT_ONCE)]) for found in (bounded_ends, plain_ends))
    return Paths(at, ends, looked, (plain_at, plain))


def _may_conclude(study: Study, values: FloatArray, counts: IntArray) -> BoolArray:
    """Return which studies may be conclusive by the plain rule: the others need not be judged by draws.

    Where many items differ, the posterior is close to a normal: an edge of the ROPE that lies well within the interval
    of that one lies within the HDI.
    """
    from scipy.special import ndtri

    n = np.maximum(counts.sum(axis=1), 1)
    mean = counts @ values / n
    error = np.sqrt(np.maximum(counts @ values**2 / n - mean**2, 0.0) / n)
    prob = study.recipe.prob
    reach = float(ndtri((1 + prob) / 2 if study.recipe.rule == "hdi" else prob)) - _SLACK
    few = counts[:, values != 0].sum(axis=1) < _MANY
    edges = [edge for edge in study.rope if np.isfinite(edge)]
    return np.asarray(few | np.all([np.abs(mean - edge) >= reach * error for edge in edges], axis=0))


def concluded_each(study: Study, values: FloatArray, counts: IntArray, scale: Interval) -> BoolArray:
    """Return which of many tables of differences are conclusive by bounds: inside of the ROPE, or outside of it."""
    low, high, error = study.rope.low, study.rope.high, error_of(study.recipe)

    def above(edge: float) -> BoolArray:
        return rejects_at_most(values, counts, edge, scale, error)

    def below(edge: float) -> BoolArray:
        return rejects_at_most(-values, counts, -edge, scale.mirrored(), error)

    return np.asarray((above(low) & below(high)) | below(low) | above(high))


def _of_labels(metric: object) -> Metric:
    assert isinstance(metric, Metric)  # noqa: S101 - only labels are simulated
    return metric


def count_each(metric: object, tables: Sequence[Outcomes]) -> tuple[FloatArray, IntArray, Interval]:
    """Return the differences that any of the test sets has, how often each has which, and the ends of their scale."""
    sizes = [len(table.codes) for table in tables]
    each, some, scale = cell_differences(_of_labels(metric), np.concatenate([table.codes for table in tables]))
    counts = np.concatenate([table.counts for table in tables]) * some
    values, place = np.unique(each, return_inverse=True)
    which = np.repeat(np.arange(len(tables)), sizes)
    flat = np.bincount(which * values.size + place.reshape(-1), weights=counts, minlength=len(tables) * values.size)
    return values, flat.reshape(len(tables), values.size).astype(np.int64), scale


def _bounded_end(study: Study, seen: Differences, delta: float) -> Batch:
    """Return what the bounds of one test set say."""
    recipe = study.recipe
    low, high = bounds(seen.values, seen.counts, seen.scale, error_of(recipe))
    mean = float(seen.values @ seen.counts / seen.n) if seen.n else seen.scale.middle
    interval, rope, centre = Interval(low, high), study.rope, mean
    if not recipe.metric.higher_is_better:
        interval, rope, centre = interval.mirrored(), rope.mirrored(), -mean
    verdict = np.array([VERDICTS.index(decide(interval, rope, centre))])
    judged = Judged(verdict, np.array([mean]), np.array([low]), np.array([high]))
    return Batch.of(judged, np.array([delta]), [""])
