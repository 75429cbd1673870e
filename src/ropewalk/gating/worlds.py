"""Truths like some data, in which the difference of two systems is known: nothing, or as much as a margin allows.

The answers of the two systems are exchanged first, so that nothing sets them apart; then items that favour one of them
are made more frequent, by exponential weights, until the metric differs by exactly as much as is wanted. So a truth is
the one nearest to data without a difference, in the sense of Kullback and Leibler, in which there is that difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from ropewalk.data.clusters import Clusters
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import distinct_rows
from ropewalk.data.weights import Weights
from ropewalk.inference.caution import slopes_of
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models import measure
from ropewalk.results import Recipe
from ropewalk.typing import BoolArray, CodeArray, FloatArray, IntArray

Tables: TypeAlias = "tuple[Any, ...]"
"""One test set: a table for each that the model takes."""

MAX_LABELS: Final = 200
"""With more labels a table of all errors of a class that none was seen of has too many cells."""

_MAX_TILT: Final = 12.0  # by the power of e: how much more frequent the item that moves the metric most can become
_MIN_EFFECTIVE: Final = 0.2  # of the units, by weight: where fewer count, a truth is no longer like the data
_EXACT: Final = 1e-9
_UNSEEN: Final = 0.5  # items on which one system is right and the other wrong, beside those that were seen
_MIN_SPLIT: Final = 0.5  # of the items that have two answers of a system at least


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A truth: `sample` draws a test set of so many units, of which A − B is `delta` on average."""

    delta: float
    sample: Callable[[np.random.Generator, int], Tables]

    def truths(self, rng: np.random.Generator, size: int) -> Sequence[World]:  # noqa: ARG002
        """Return the one truth, so many times."""
        return [self] * size

    def draw(self, rng: np.random.Generator, n: int) -> Tables:
        """Draw a test set of n units: one table for each that the model takes."""
        return self.sample(rng, n)


class Population(Protocol):
    """What data say of items like theirs: a truth for every difference within reach."""

    @property
    def n(self) -> int:
        """How many units there are in the data."""

    @property
    def unit(self) -> str:
        """What a unit is: an item or a cluster."""

    def at(self, delta: float) -> World | None:
        """Return the truth in which A − B is so large; None where no truth like these data has it."""

    def rerun(self) -> World | None:
        """Return a truth in which both systems are one, that was run twice; None where no system answered twice."""


def population_of(recipe: Recipe) -> Population | str:
    """Return the population behind a question, or why it cannot be simulated."""
    return _why_not(recipe) or _population(recipe)


def _why_not(recipe: Recipe) -> str:
    if recipe.sampler is not None or not recipe.model.can_be_simulated:
        return f"the model {recipe.model.name!r} needs chains, annotators or weights for every simulated test set"
    if recipe.metric.is_slow:
        return "the metric is a function that is called once per draw"
    if any(isinstance(table, MultilabelOutcomes) for table in recipe.tables):
        return "items that have any number of labels are not simulated"
    return "" if all(table.n_items for table in recipe.tables) else "there are no items"


def _population(recipe: Recipe) -> Population | str:
    tables = recipe.tables
    if len(tables) == 1 and len(tables[0].names) == 2:  # noqa: PLR2004 - a pair
        table = tables[0]
        if isinstance(table, ItemScores):
            return ScoredUnits(recipe, table)
        assert isinstance(table, Outcomes)  # noqa: S101
        if table.units is not None:
            return LabelledUnits(recipe, table)
        return _with_few_labels(table) or PairedCells(recipe, table)
    plain = [table for table in tables if isinstance(table, Outcomes) and table.units is None]
    if len(plain) < len(tables):
        return "test sets of their own whose items are scores, clusters or weighted are not simulated"
    return _with_few_labels(plain[0]) or SeparateCells(recipe, plain[0], plain[1])


def _with_few_labels(table: Outcomes) -> str:
    return "" if table.n_labels <= MAX_LABELS else f"tables of more than {MAX_LABELS} labels are not simulated"


def are_repeats(recipe: Recipe) -> bool:
    """Whether clusters are the answers to one item each, so that every system answered items several times."""
    source = recipe.tables[0].source if isinstance(recipe.tables[0], ItemScores | Outcomes) else None
    if recipe.repeated or source is None or source.left_behind:
        return recipe.repeated
    cluster, ids = source.options.get("cluster"), source.id if source.id is not None else source.options.get("id")
    if cluster is None or ids is None or source.is_table:
        return cluster is not None and isinstance(ids, str) and cluster == ids
    pairs = set(zip(map(str, cluster), map(str, ids), strict=False))
    return len(pairs) == len({group for group, _ in pairs})


# -- how far to tilt ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tilted:
    """Probabilities made larger for what favours one of the two systems, by the power of e, within each group."""

    probs: FloatArray
    slopes: FloatArray
    group: IntArray

    def at(self, power: float) -> FloatArray:
        """Return the probabilities; each group keeps its own."""
        wide = power * self.slopes
        raised = self.probs * np.exp(wide - wide.max(initial=0.0))
        number = int(self.group.max(initial=0)) + 1
        before, after = (np.bincount(self.group, weights=x, minlength=number) for x in (self.probs, raised))
        return np.asarray(raised * np.divide(before, after, out=np.zeros(number), where=after > 0)[self.group])


def tilt_of(probs: FloatArray, slopes: FloatArray, group: IntArray) -> Tilted | None:
    """Return the tilt along slopes of a difference; None where it has none."""
    number = int(group.max(initial=0)) + 1
    mass = np.bincount(group, weights=probs, minlength=number)
    mean = np.bincount(group, weights=probs * slopes, minlength=number)
    centred = slopes - np.divide(mean, mass, out=np.zeros(number), where=mass > 0)[group]
    most = np.abs(centred[probs > 0]).max(initial=0.0)
    return Tilted(probs, centred / most, group) if np.isfinite(most) and most > _EXACT else None


def power_for(delta_at: Callable[[float], float], wanted: float) -> float | None:
    """Return the power of a tilt at which the difference is as wanted; None where it is out of reach."""
    from scipy.optimize import brentq

    if abs(delta_at(0.0) - wanted) <= _EXACT:
        return 0.0
    sign = 1.0 if wanted > delta_at(0.0) else -1.0
    low, high = 0.0, 0.125 * sign
    while sign * (delta_at(high) - wanted) < 0:
        if abs(high) >= _MAX_TILT:
            return None
        low, high = high, sign * min(2 * abs(high), _MAX_TILT)
    power = float(brentq(lambda x: delta_at(x) - wanted, low, high, xtol=_EXACT))
    return power if abs(delta_at(power) - wanted) <= 1e3 * _EXACT else None


# -- labels, each item alone -------------------------------------------------------------------------------


def exchanged(codes: CodeArray) -> CodeArray:
    """Return cells (truth, A, B) with the answers of A and B exchanged."""
    return codes[:, [0, 2, 1]]


def merged(codes: CodeArray, mass: FloatArray, n_labels: int) -> tuple[CodeArray, FloatArray]:
    """Return distinct cells in sorted order, and what each has."""
    first, place = distinct_rows(codes, n_labels)
    return codes[first], np.bincount(place, weights=mass, minlength=len(first)).astype(np.float64)


def counted(codes: CodeArray, counts: IntArray, like: Outcomes, names: tuple[str, ...]) -> Outcomes:
    """Return a table of sorted cells, without those that did not occur."""
    some = counts > 0
    return Outcomes(codes[some], counts[some], like.labels, names)


def error_shares(codes: CodeArray, mass: FloatArray, table: Outcomes) -> tuple[CodeArray, FloatArray]:
    """Return pairs (truth, wrong answer) and their shares of all errors; where there are none, all are alike."""
    wrong = [codes[:, [0, k]][codes[:, 0] != codes[:, k]] for k in range(1, codes.shape[1])]
    weight = [mass[codes[:, 0] != codes[:, k]] for k in range(1, codes.shape[1])]
    pairs, many = merged(np.concatenate(wrong), np.concatenate(weight), table.n_labels)
    if not many.size:
        shares = table.items_by_class() / table.n_items
        every = np.argwhere(~np.eye(table.n_labels, dtype=bool)).astype(np.int32)
        pairs, many = every, shares[every[:, 0]] / max(table.n_labels - 1, 1)
        pairs, many = pairs[many > 0], many[many > 0]
    return pairs, many / many.sum() if many.size else many


@dataclass(frozen=True, eq=False)
class PairedCells:
    """Items of one label each that both systems answered, as cells (truth, A, B)."""

    recipe: Recipe
    table: Outcomes
    unit = "item"

    @property
    def n(self) -> int:
        """How many items there are."""
        return self.table.n_items

    @cached_property
    def even(self) -> tuple[CodeArray, FloatArray]:
        """The cells and their probabilities where nothing sets the systems apart.

        Half an item on which one of them errs alone stands beside those that were seen: that there are none among
        these items does not say that there are none.
        """
        codes, counts = self.table.codes, self.table.counts.astype(np.float64)
        pairs, shares = error_shares(codes, counts, self.table)
        alone = np.column_stack([pairs[:, 0], pairs[:, 0], pairs[:, 1]])
        every = np.concatenate([codes, exchanged(codes), alone, exchanged(alone)]).astype(np.int32)
        mass = np.concatenate([counts, counts, _UNSEEN * shares, _UNSEEN * shares]) / 2
        cells, probs = merged(every, mass, self.table.n_labels)
        return cells, probs / probs.sum()

    def _delta(self, probs: FloatArray) -> float:
        cells = Weighted(Cells(self.even[0], self.table.n_labels), probs[:, np.newaxis])
        psi = measure(self.recipe.metric, cells, self.recipe.prevalence)[:, 0]
        return float(psi[0] - psi[1])

    @cached_property
    def _tilt(self) -> Tilted | None:
        codes, probs = self.even
        slopes = slopes_of(self.recipe, codes, probs, self.table.n_labels)
        return tilt_of(probs, slopes[0] - slopes[1], codes[:, 0].astype(np.int64))

    def at(self, delta: float) -> World | None:
        """Return the truth in which A − B is so large, and classes are as frequent as here."""
        codes, probs = self.even
        if delta:
            tilt = self._tilt
            power = None if tilt is None else power_for(lambda x: self._delta(tilt.at(x)), delta)
            if tilt is None or power is None:
                return None
            probs = tilt.at(power)

        def sample(rng: np.random.Generator, n: int) -> Tables:
            return (counted(codes, rng.multinomial(n, probs), self.table, self.table.names),)

        return World(delta, sample)

    def rerun(self) -> World | None:
        """Return None: each system answered once."""
        return None


@dataclass(frozen=True, eq=False)
class SeparateCells:
    """Items of one label each, of which each system has a test set of its own, as cells (truth, answer)."""

    recipe: Recipe
    a: Outcomes
    b: Outcomes
    unit = "item"

    @property
    def n(self) -> int:
        """How many items A has."""
        return self.a.n_items

    @cached_property
    def even(self) -> tuple[CodeArray, FloatArray]:
        """The cells of both and their probabilities where nothing sets the systems apart; half an error is added."""
        pairs, shares = error_shares(self.a.codes, self.a.counts.astype(np.float64), self.a)
        parts = [(table.codes, table.counts / table.n_items) for table in (self.a, self.b)]
        unseen = _UNSEEN / (self.a.n_items + self.b.n_items)
        codes = np.concatenate([*(codes for codes, _ in parts), pairs]).astype(np.int32)
        mass = np.concatenate([*(share / 2 for _, share in parts), unseen * shares])
        cells, probs = merged(codes, mass, self.a.n_labels)
        return cells, probs / probs.sum()

    def _psi(self, probs: FloatArray) -> float:
        cells = Weighted(Cells(self.even[0], self.a.n_labels), probs[:, np.newaxis])
        return float(measure(self.recipe.metric, cells, self.recipe.prevalence)[0, 0])

    def at(self, delta: float) -> World | None:
        """Return the truth in which A − B is so large: each lies half of it away from what both have in common."""
        codes, probs = self.even
        own = (probs, probs)
        if delta:
            slopes = slopes_of(self.recipe, codes, probs, self.a.n_labels)[0]
            tilt = tilt_of(probs, slopes, codes[:, 0].astype(np.int64))
            if tilt is None:
                return None
            power = power_for(lambda x: self._psi(tilt.at(x)) - self._psi(tilt.at(-x)), delta)
            if power is None:
                return None
            own = (tilt.at(power), tilt.at(-power))

        def sample(rng: np.random.Generator, n: int) -> Tables:
            sizes = (n, max(round(n * self.b.n_items / self.a.n_items), 1))
            return tuple(
                counted(codes, rng.multinomial(size, shares), table, table.names)
                for size, shares, table in zip(sizes, own, (self.a, self.b), strict=True)
            )

        return World(delta, sample)

    def rerun(self) -> World | None:
        """Return None: each system answered once."""
        return None


# -- units that are drawn whole: clusters, weighted items, scores ------------------------------------------


@dataclass(frozen=True, eq=False)
class Units:
    """Rows of a table, each of some unit; the second half of `pool` has the answers of A and B exchanged.

    `start` and `size` say where the rows of each unit lie in `order`, and `many` how often a unit occurs.
    """

    order: IntArray
    start: IntArray
    size: IntArray
    many: FloatArray

    @classmethod
    def of(cls, unit: IntArray, many: FloatArray) -> Units:
        """Return units by the one that each row is of."""
        size = np.bincount(unit, minlength=many.size)
        return cls(np.argsort(unit, kind="stable"), np.concatenate([[0], np.cumsum(size)[:-1]]), size, many)

    @property
    def pool(self) -> FloatArray:
        """The probability of every unit as it is, and of every unit with its answers exchanged."""
        return np.asarray(np.tile(self.many, 2) / (2 * self.many.sum()))

    def drawn(self, rng: np.random.Generator, n: int, probs: FloatArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Draw n units; return their rows, which of the n units each is of, and whether that is exchanged."""
        ends = np.cumsum(probs)
        picked = np.searchsorted(ends, rng.random(n) * ends[-1], side="right").clip(max=probs.size - 1)
        turned, place = np.divmod(picked, self.size.size)
        sizes = self.size[place]
        of = np.repeat(np.arange(n), sizes)
        within = np.arange(of.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.order[self.start[place][of] + within], of, (turned == 1)[of]

    def tilt(self, slopes: FloatArray) -> Tilted | None:
        """Return the tilt of the pool along the slopes of its units."""
        return tilt_of(self.pool, slopes, np.zeros(slopes.size, dtype=np.int64))

    def is_like(self, probs: FloatArray) -> bool:
        """Whether enough units count that a truth is still like the data."""
        both = probs[: self.size.size] + probs[self.size.size :]
        usual = self.many / self.many.sum()
        return float(1 / (both**2).sum()) >= _MIN_EFFECTIVE / float((usual**2).sum())


@dataclass(frozen=True, eq=False)
class LabelledUnits:
    """Items of one label each, in clusters that stay whole, or of unequal weight."""

    recipe: Recipe
    table: Outcomes

    @property
    def unit(self) -> str:
        """What a unit is."""
        return "item" if self.table.clusters is None else "cluster"

    @property
    def n(self) -> int:
        """How many units there are."""
        return self.table.n_items if self.table.clusters is None else self.table.clusters.n

    @cached_property
    def _rows(self) -> tuple[CodeArray, IntArray]:
        """The cells that can occur, and for each of the table's as it is, and exchanged, its place among them."""
        codes = self.table.codes
        both = np.concatenate([codes, exchanged(codes)])
        first, place = distinct_rows(both, self.table.n_labels)
        return both[first], place.reshape(2, -1)

    @cached_property
    def _parts(self) -> tuple[Units, IntArray, FloatArray, IntArray]:
        """The units; of each entry the row of the table, what it weighs in all, and how many items it is."""
        clusters, weights = self.table.clusters, self.table.weights
        if clusters is not None:
            units = Units.of(clusters.cluster, np.ones(clusters.n))
            return units, clusters.row, clusters.load, clusters.counts
        assert weights is not None  # noqa: S101
        units = Units.of(np.arange(weights.n), weights.counts.astype(np.float64))
        return units, weights.row, weights.weight, np.ones(weights.n, dtype=np.int64)

    def _cell_mass(self, probs: FloatArray) -> FloatArray:
        units, row, load, _ = self._parts
        codes, place = self._rows
        of = np.empty(row.size, dtype=np.int64)
        of[units.order] = np.repeat(np.arange(units.size.size), units.size)
        mass = [
            np.bincount(place[side][row], weights=share[of] * load, minlength=len(codes))
            for side, share in enumerate(probs.reshape(2, -1))
        ]
        whole: FloatArray = np.asarray(mass[0] + mass[1], dtype=np.float64)
        return np.asarray(whole / whole.sum())

    def _delta(self, probs: FloatArray) -> float:
        cells = Weighted(Cells(self._rows[0], self.table.n_labels), self._cell_mass(probs)[:, np.newaxis])
        psi = measure(self.recipe.metric, cells, self.recipe.prevalence)[:, 0]
        return float(psi[0] - psi[1])

    def _slopes(self) -> FloatArray:
        """Return how the difference moves with the probability of each unit of the pool."""
        units, row, load, _ = self._parts
        codes, place = self._rows
        by_system = slopes_of(self.recipe, codes, self._cell_mass(units.pool), self.table.n_labels)
        by_cell = by_system[0] - by_system[1]
        of = np.empty(row.size, dtype=np.int64)
        of[units.order] = np.repeat(np.arange(units.size.size), units.size)
        return np.concatenate(
            [np.bincount(of, weights=by_cell[place[side][row]] * load, minlength=units.size.size) for side in (0, 1)]
        )

    def at(self, delta: float) -> World | None:
        """Return the truth in which A − B is so large: units that favour one of them are more frequent."""
        units = self._parts[0]
        probs = _tilted_to(delta, units, self._slopes, self._delta)
        return None if probs is None else World(delta, lambda rng, n: (self._sample(rng, n, probs),))

    def _sample(self, rng: np.random.Generator, n: int, probs: FloatArray) -> Outcomes:
        units, rows, load, counts = self._parts
        entries, of, turned = units.drawn(rng, n, probs)
        place = self._rows[1][turned.astype(np.int64), rows[entries]]
        return self._table(place, of, counts[entries], load[entries])

    def _table(self, place: IntArray, of: IntArray, counts: IntArray, load: FloatArray) -> Outcomes:
        """Return the table of entries in these cells and units."""
        codes, table = self._rows[0], self.table
        many = np.bincount(place, weights=counts, minlength=len(codes)).astype(np.int64)
        there = many > 0
        row = (np.cumsum(there) - 1)[place]
        clusters, weights = None, None
        if table.clusters is not None:
            uneven = None if table.clusters.weight is None else load
            clusters = Clusters.of(row, of, counts, tuple(range(int(of.max(initial=-1)) + 1)), uneven)
        else:
            weights = Weights.of(row, load, counts)
        return Outcomes(codes[there], many[there], table.labels, table.names, clusters=clusters, weights=weights)

    def rerun(self) -> World | None:
        """Return the truth in which a system's repeats of an item are halved, and the halves stand for two systems."""
        clusters = self.table.clusters
        if clusters is None or clusters.weight is not None or not are_repeats(self.recipe):
            return None
        row = np.repeat(clusters.row, clusters.counts)
        item, codes, names = np.repeat(clusters.cluster, clusters.counts), self.table.codes[row], self.table.names
        halves = Halves.of(item)
        if halves is None:
            return None

        def sample(rng: np.random.Generator, n: int) -> Tables:
            system = 1 + int(rng.integers(2))
            first, second, of = halves.split(rng, n)
            said = np.column_stack([codes[first, 0], codes[first, system], codes[second, system]])
            distinct, place = distinct_rows(said, self.table.n_labels)
            ones = np.ones(of.size, dtype=np.int64)
            grouped = Clusters.of(place, of, ones, tuple(range(n)))
            many = np.bincount(place, minlength=len(distinct)).astype(np.int64)
            return (Outcomes(said[distinct].astype(np.int32), many, self.table.labels, names, clusters=grouped),)

        return World(0.0, sample)


def _tilted_to(
    delta: float, units: Units, slopes: Callable[[], FloatArray], delta_at: Callable[[FloatArray], float]
) -> FloatArray | None:
    """Return the probabilities of the pool at which A − B is so large; None where no truth like the data has it."""
    if not delta:
        return units.pool
    tilt = units.tilt(slopes())
    power = None if tilt is None else power_for(lambda x: delta_at(tilt.at(x)), delta)
    if tilt is None or power is None:
        return None
    probs = tilt.at(power)
    return probs if units.is_like(probs) else None


@dataclass(frozen=True, eq=False)
class ScoredUnits:
    """Scores of items, or of clusters of them that stay whole."""

    recipe: Recipe
    items: ItemScores

    @property
    def unit(self) -> str:
        """What a unit is."""
        return "item" if self.items.cluster is None else "cluster"

    @property
    def n(self) -> int:
        """How many units there are."""
        return self.items.n_units

    @cached_property
    def _units(self) -> Units:
        return Units.of(self.items.members, np.ones(self.n))

    def _taken(self, rows: IntArray, of: IntArray, turned: BoolArray) -> ItemScores:
        """Return some rows, some of them with the scores of A and B exchanged."""
        items = self.items
        a, b = (values[rows] for values in items.values)
        side = turned[:, np.newaxis] if items.by_class else turned
        return replace(
            items,
            values=(np.where(side, b, a), np.where(side, a, b)),
            truth=None if items.truth is None else items.truth[rows],
            weight=None if items.weight is None else items.weight[rows],
            cluster=None if items.cluster is None else of,
            source=None,
        )

    @cached_property
    def _smooth(self) -> Any:
        """The metric of both systems on the pool, as functions of the masses of its items; None where it has none."""
        n, metric = self.items.n_items, self.recipe.metric
        assert isinstance(metric, ScoreMetric)  # noqa: S101
        rows, turned = np.tile(np.arange(n), 2), np.repeat([False, True], n)
        of = np.concatenate([self.items.members, self.items.members + self.n])
        return metric.smooth(replace(self._taken(rows, of, turned), weight=None))

    def _mass(self, probs: FloatArray) -> FloatArray:
        own = probs.reshape(2, -1)[:, self.items.members]
        return np.asarray((own if self.items.weight is None else own * self.items.weight).reshape(-1))

    def _delta(self, probs: FloatArray) -> float:
        mass = self._mass(probs) * probs.size
        return float(self._smooth[0].value(mass) - self._smooth[1].value(mass))

    def _slopes(self) -> FloatArray:
        mass = self._mass(self._units.pool) * 2 * self.n
        by_item = self._smooth[0].gradient(mass) - self._smooth[1].gradient(mass)
        if self.items.weight is not None:
            by_item *= np.tile(self.items.weight, 2)
        members = np.concatenate([self.items.members, self.items.members + self.n])
        return np.bincount(members, weights=by_item, minlength=2 * self.n).astype(np.float64)

    def at(self, delta: float) -> World | None:
        """Return the truth in which A − B is so large: units that favour one of them are more frequent."""
        if delta and self._smooth is None:
            return None
        probs = _tilted_to(delta, self._units, self._slopes, self._delta)
        if probs is None:
            return None
        return World(delta, lambda rng, n: (self._taken(*self._units.drawn(rng, n, probs)),))

    def rerun(self) -> World | None:
        """Return the truth in which a system's repeats of an item are halved, and the halves stand for two systems."""
        items = self.items
        halves = Halves.of(items.members) if items.weight is None and are_repeats(self.recipe) else None
        if halves is None:
            return None

        def sample(rng: np.random.Generator, n: int) -> Tables:
            values = items.values[int(rng.integers(2))]
            first, second, of = halves.split(rng, n)
            truth = None if items.truth is None else items.truth[first]
            both = (values[first], values[second])
            return (replace(items, values=both, truth=truth, cluster=of, source=None),)

        return World(0.0, sample)


@dataclass(frozen=True, eq=False)
class Halves:
    """Repeats of items, in the order of their items: where those of each start, and how many there are."""

    order: IntArray
    start: IntArray
    size: IntArray

    @classmethod
    def of(cls, item: IntArray) -> Halves | None:
        """Return the repeats that can be halved; None where few items have two."""
        size = np.bincount(item)
        enough = size > 1
        if not size.size or enough.mean() < _MIN_SPLIT:
            return None
        start = np.concatenate([[0], np.cumsum(size)[:-1]])
        return cls(np.argsort(item, kind="stable"), start[enough], size[enough])

    def split(self, rng: np.random.Generator, n: int) -> tuple[IntArray, IntArray, IntArray]:
        """Draw n items and split the repeats of each at random; return the rows of either half, and of which item."""
        place = rng.integers(self.size.size, size=n)
        sizes = self.size[place]
        of = np.repeat(np.arange(n), sizes)
        within = np.arange(of.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = self.order[self.start[place][of] + within]
        rows = rows[np.lexsort((rng.random(of.size), of))]  # of an odd number any one is left out
        half = (sizes // 2)[of]
        left, right = within < half, (within >= half) & (within < 2 * half)
        return rows[left], rows[right], of[left]
