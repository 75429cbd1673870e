"""Weights of items, or clusters of them, seen and imagined: the posteriors of `models.items`.

The weights of what was seen are Gamma(1), those of what is imagined have a smaller shape: divided by their sum they are
a draw of a Dirichlet process. There is a posterior of scores, of labels and of items with any number of labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np

from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import GammaRows, block_size, dirichlet, small_block_size
from ropewalk.metrics.margins import Cells, Loose, Margins, Weighted
from ropewalk.metrics.scores import Plans, WeightedItems
from ropewalk.models.cells import place_labels
from ropewalk.models.multilabel import LabelMargins, label_sums, observed_margins, stacked
from ropewalk.typing import BoolArray, FloatArray, IntArray

_FEW_COLUMNS: Final = 8
_COLUMNS_A_NUMBER: Final = 12  # so many columns of a cell are measured in the time of a random number


@lru_cache(maxsize=64)
def balanced_signs(n_systems: int) -> BoolArray:
    """Return rows of n signs in which each column, and each pair of columns, has every combination equally often.

    The columns of a Hadamard matrix but for its first one: there are hardly more rows than systems.

    Examples
    --------
    >>> balanced_signs(2).astype(int).tolist()
    [[1, 1], [0, 1], [1, 0], [0, 0]]
    >>> balanced_signs(20).shape
    (32, 20)
    """
    rows = np.ones((1, 1), dtype=np.int64)
    while len(rows) <= n_systems:
        rows = np.block([[rows, rows], [rows, -rows]])
    signs: BoolArray = rows[:, 1 : n_systems + 1] > 0
    return signs


def signs_of(systems: tuple[int, ...] | None, n_columns: int) -> BoolArray:
    """Return the balanced signs of columns, which are alike for those of one system; by default each is its own.

    Examples
    --------
    >>> signs_of((0, 0, 1), 3).astype(int).tolist()
    [[1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
    """
    return balanced_signs(n_columns) if systems is None else balanced_signs(max(systems) + 1)[:, list(systems)]


def _unit_gammas(outcomes: AnyOutcomes) -> tuple[IntArray, GammaRows]:
    """Return the order of the units, and their gammas: a row of items that stand alone is as many as it counts."""
    worth = outcomes.counts if outcomes.units is None else outcomes.units.shapes
    order = np.argsort(worth, kind="stable")
    return order, GammaRows.of(worth[order].astype(np.float64))


def _imagined_weights(rng: np.random.Generator, shapes: FloatArray, size: int, *, alone: bool) -> FloatArray:
    """Draw the weights of what is imagined; `alone`, beside nothing seen, gammas of tiny shapes would all underflow."""
    return dirichlet(rng, shapes, size) if alone else rng.standard_gamma(shapes[:, np.newaxis], (shapes.size, size))


@dataclass(frozen=True, eq=False)
class ScoredPosterior:
    """Weights of seen units ~ Gamma(1), of imagined ones ~ Gamma(`shapes`), up to a factor that no metric sees.

    `items` are the seen ones, then those imagined.
    """

    items: ItemScores
    n_seen: int
    shapes: FloatArray
    plans: Plans = field(default_factory=Plans)

    @property
    def expected(self) -> FloatArray:
        """The expected weight of every unit."""
        return np.concatenate([np.ones(self.n_seen), self.shapes])

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.n_seen + self.shapes.size + self.items.n_items * self.items.n_classifiers // 2

    @property
    def block_size(self) -> int:
        """How many draws a block holds; few where there are many items, so that memory stays bounded."""
        return small_block_size(self.items.n_items)

    def block(self, rng: np.random.Generator, size: int) -> WeightedItems:
        """Draw `size` weightings of the items."""
        weights = np.empty((self.n_seen + self.shapes.size, size))
        rng.standard_exponential(out=weights[: self.n_seen])
        weights[self.n_seen :] = _imagined_weights(rng, self.shapes, size, alone=not self.n_seen)
        return WeightedItems(self.items, weights, self.plans)


MAX_TIMES_USUAL: Final = 1.75
"""By so many times an imagined cluster of items of all classes may be larger than the usual one."""


@dataclass(frozen=True, eq=False)
class ClusterPosterior:
    """Weights of clusters ~ Gamma(1), and of imagined ones, which are all right or all wrong.

    Those imagined are of one class each, of `mass` in every class; `whole` ones have items of all classes, where those
    seen have.
    """

    outcomes: Outcomes
    mass: float
    whole: bool = False
    systems: tuple[int, ...] | None = None

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        table = self.outcomes
        columns = max(table.n_classifiers - _FEW_COLUMNS, 0)  # of many, to measure each takes longer than to draw
        cells = table.counts.size * (1 + columns // _COLUMNS_A_NUMBER)
        return self._units + cells + self._shapes.size * (1 + table.n_classifiers)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.outcomes.counts.size + self._units + self._shapes.size)

    @cached_property
    def _spread(self) -> Any:
        """The matrix that turns weights of units into weights of rows."""
        from scipy.sparse import csr_array

        units, counts = self.outcomes.units, self.outcomes.counts
        if units is not None:
            return units.matrix(counts.size)
        return csr_array((np.ones(counts.size), (np.arange(counts.size),) * 2), shape=(counts.size,) * 2)

    @cached_property
    def _units(self) -> int:
        return int(self._spread.shape[1])

    @cached_property
    def _gammas(self) -> tuple[IntArray, GammaRows]:
        """The order of the units, and their gammas."""
        return _unit_gammas(self.outcomes)

    @cached_property
    def _signs(self) -> BoolArray:
        return signs_of(self.systems, self.outcomes.n_classifiers)

    @cached_property
    def _classes(self) -> IntArray:
        return np.repeat(np.flatnonzero(self.outcomes.can_be_true), len(self._signs))

    @cached_property
    def _shapes(self) -> FloatArray:
        patterns, rows = len(self._signs), self._classes.size
        return np.full(min(patterns, rows) if self._mixed else rows, self.mass / patterns)

    @cached_property
    def _mixed(self) -> bool:
        """Whether clusters have items of several classes, so that one of each class together is about a usual one."""
        units = self.outcomes.units
        if not self.whole or units is None or not self._units:
            return self.whole
        return bool(self._sizes.sum() < MAX_TIMES_USUAL * units.usual())

    @cached_property
    def _sizes(self) -> FloatArray:
        """How many items an imagined cluster of each class has."""
        table, units = self.outcomes, self.outcomes.units
        if units is None:
            return np.ones(table.n_labels)
        truth = table.codes[units.row, 0]
        # Of a class without items the usual one stands in: weights have a scale of their own.
        here = [truth == j for j in range(table.n_labels)]
        return np.array([units.usual(some) if some.any() else units.usual() for some in here])

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.outcomes.codes, self.outcomes.n_labels)

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` weightings of the items."""
        order, gammas = self._gammas
        drawn = np.empty((self._units, size))
        drawn[order] = gammas.draw(rng, size)
        weights = np.asarray(self._spread @ drawn)
        fresh = _imagined_weights(rng, self._shapes, size, alone=not self._units)
        fresh = np.tile(fresh, (self._classes.size // max(len(fresh), 1), 1))
        fresh *= self._sizes[self._classes, np.newaxis]
        total = weights.sum(axis=0) + fresh.sum(axis=0)
        weights /= total
        fresh /= total
        n_labels = self.outcomes.n_labels
        truth = np.repeat(self._classes.astype(np.int32), size)
        patterns = np.tile((~self._signs).astype(np.int64), (self._classes.size // len(self._signs), 1))
        if n_labels == 1:
            patterns = np.zeros_like(patterns)
        codes = place_labels(rng, truth, patterns, np.repeat(np.arange(self._classes.size), size), n_labels)
        loose = Loose(codes, np.tile(np.arange(size), self._classes.size), fresh.reshape(-1))
        return Weighted(self._cells, weights, loose)


@dataclass(frozen=True, eq=False)
class LabelPosterior:
    """Weights of items that have any number of labels, and imagined ones: of every label, or of all labels together.

    With `per_label` each label has `mass` imagined items that have it and as many that have it not. So each label by
    itself has the posterior of `Multilabel`; what ties labels together is that they share the items. Otherwise the
    imagined items have as much of each label as the usual one, and are all right or all wrong.
    """

    outcomes: MultilabelOutcomes
    mass: float
    per_label: bool

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self._units + len(self.outcomes.bits) + (self.outcomes.n_labels if self.per_label else 1) * self._n

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        wide = 2 * self.outcomes.n_labels * (1 + self.outcomes.n_classifiers)
        return block_size(self.outcomes.counts.size + self._units + wide)

    @property
    def _n(self) -> int:
        return 2 * len(balanced_signs(self.outcomes.n_classifiers))

    @property
    def _units(self) -> int:
        return self.outcomes.counts.size if self.outcomes.units is None else self.outcomes.units.n

    @cached_property
    def _sums(self) -> Any:
        """The matrix that sums weights of units into row, tp and col by label, and last all of them."""
        from scipy.sparse import csr_array, vstack

        units, n_rows = self.outcomes.units, self.outcomes.counts.size
        by_item = vstack([label_sums(self.outcomes), csr_array(np.ones((1, n_rows)))])
        return (by_item if units is None else by_item @ units.matrix(n_rows)).tocsr()

    @cached_property
    def _gammas(self) -> tuple[IntArray, GammaRows]:
        return _unit_gammas(self.outcomes)

    @cached_property
    def _size(self) -> float:
        return 1.0 if self.outcomes.units is None else self.outcomes.units.usual()

    def block(self, rng: np.random.Generator, size: int) -> LabelMargins:
        """Draw `size` weightings of the items, as margins by label."""
        order, gammas = self._gammas
        drawn = np.empty((self._units, size))
        drawn[order] = gammas.draw(rng, size)
        sums = np.asarray(self._sums @ drawn)
        total = sums[-1]
        known = stacked(sums[:-1], self.outcomes).known
        extra = self._imagined_labels(rng, size) if self.per_label else self._imagined_items(rng, size)
        whole = (total[:, np.newaxis] + extra.total).clip(min=np.finfo(np.float64).tiny)
        row, tp, col = ((seen + new) / whole for seen, new in zip(_parts(known), _parts(extra), strict=True))
        return LabelMargins(Margins(tp, col, row, np.ones((size, 1))))

    def _imagined_labels(self, rng: np.random.Generator, size: int) -> Margins:
        """Return items imagined of every label, as many with it as without it."""
        signs, n_labels = balanced_signs(self.outcomes.n_classifiers), self.outcomes.n_labels
        shape = np.full(2 * len(signs) * n_labels, self.mass / len(signs))
        if self._units:
            gammas = rng.standard_gamma(shape[:, np.newaxis], (shape.size, size))
            weights = self._size * gammas.reshape(2, len(signs), n_labels, size)
        else:
            each = [dirichlet(rng, shape[: 2 * len(signs)], size) for _ in range(n_labels)]
            weights = np.stack(each, axis=1).reshape(2, len(signs), n_labels, size)
        having, lacking = weights.swapaxes(-1, -2)  # signs, draws, labels
        right = signs.T[:, :, np.newaxis, np.newaxis]
        tp = (having * right).sum(axis=1)
        col = tp + (lacking * ~right).sum(axis=1)
        row = having.sum(axis=0)
        return Margins(tp, col, row, row + lacking.sum(axis=0))

    def _imagined_items(self, rng: np.random.Generator, size: int) -> Margins:
        """Return items imagined of all labels together: with as much of each as the usual item, all right or wrong."""
        signs, table = balanced_signs(self.outcomes.n_classifiers), self.outcomes
        shapes = np.full(len(signs), self.mass / len(signs))
        weights = self._size * _imagined_weights(rng, shapes, size, alone=not self._units)
        usual = observed_margins(table).known.row[0] if table.n_items else np.full(table.n_labels, 0.5)
        row = weights.sum(axis=0)[:, np.newaxis] * usual
        right = (weights * signs.T[:, :, np.newaxis]).sum(axis=1)  # systems, draws
        tp = right[:, :, np.newaxis] * usual
        # Whoever is wrong says as many labels, others: where few items have one, one that hardly any of them has.
        wrong = (weights.sum(axis=0) - right)[:, :, np.newaxis]
        col = tp + wrong * np.minimum(usual, 1 - usual)
        return Margins(tp, col, row, np.broadcast_to(weights.sum(axis=0)[:, np.newaxis], row.shape))


def _parts(margins: Margins) -> tuple[FloatArray, FloatArray, FloatArray]:
    return margins.row, margins.tp, margins.col
