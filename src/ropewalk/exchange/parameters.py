"""The tables behind the draws of an answer, drawn again: class shares, recalls and replicated confusion matrices.

An exact answer keeps its seed and not its tables. The same blocks, drawn again, are the same tables bit for bit: so
draw i of a parameter belongs to draw i of the metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.chains import CHUNK, Chains, prior_tables
from ropewalk.metrics.margins import Tables, ratio
from ropewalk.models import measure
from ropewalk.models.multilabel import LabelMargins
from ropewalk.models.protocol import Posterior
from ropewalk.models.replicate import cut, replicate, squares, whole_block
from ropewalk.results import Recipe
from ropewalk.typing import FloatArray, IntArray

Part = tuple[int, int, Tables]
"""Which table of the recipe, which draw comes first, and the draws as tables."""

WEIGHED: Final = "the model weighs its draws after they were made"
_MAX_ROUNDING: Final = 1e-9


class OtherDrawsError(InvalidInputError):
    """The tables that were drawn again are not those of the answer."""


def posterior_parts(recipe: Recipe, chains: Chains | None, number: int) -> Iterator[Part]:
    """Go through the first draws of an answer as tables: the very ones that it was made of."""
    if chains is not None:
        return _chained(chains.chunks(number))
    return _exact(recipe.posteriors(), number, recipe.seed, streams.POSTERIOR)


def prior_parts(recipe: Recipe, tables: Sequence[AnyOutcomes], number: int) -> Iterator[Part]:
    """Go through draws from the prior as tables."""
    empty = [type(table).empty(table.labels, table.names) for table in tables]
    if not recipe.model.exact_for(tables):
        return _chained(prior_tables(recipe.model, empty, number, recipe.seed))
    return _exact([recipe.model.fit(table) for table in empty], number, recipe.seed, streams.PRIOR)


def _exact(posteriors: Sequence[Posterior], number: int, seed: int, stream: int) -> Iterator[Part]:
    for i, posterior in enumerate(posteriors):
        size = posterior.block_size
        for block in range(-(-number // size)):
            yield i, block * size, whole_block(posterior, generator(seed, stream + i, block), size)


def _chained(chunks: Iterable[Sequence[Tables]]) -> Iterator[Part]:
    for chunk, tables in enumerate(chunks):
        for i, table in enumerate(tables):
            yield i, chunk * CHUNK, table


@dataclass(kw_only=True, eq=False)
class Drawn:
    """What is kept of `number` draws as tables.

    `mu` has the shares of the classes, (draws, C), or (draws, tables, C) where there are several tables; `recall` is
    (classifiers, draws, C), and `psi`, the metric, (classifiers, draws). `replicates` has the confusion matrices of
    the draws in `picked`, for each table in runs of (classifiers, draws, …, truth, predicted). What is not wanted is
    empty.
    """

    recipe: Recipe
    tables: tuple[AnyOutcomes, ...]
    number: int
    shares: bool = False
    picked: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    known: FloatArray | None = None
    mu: FloatArray = field(init=False)
    recall: FloatArray = field(init=False)
    psi: FloatArray = field(init=False)
    replicates: list[list[IntArray]] = field(init=False)

    def fill(self, parts: Iterable[Part]) -> Drawn:
        """Take what is kept out of the tables, which are never all there at once."""
        ends = np.cumsum([0, *(table.n_classifiers for table in self.tables)]).tolist()
        n_classes, size = class_places(self.tables[0]).size, self.number if self.shares else 0
        by_table = np.empty((size, len(self.tables), n_classes))
        self.mu = by_table[:, 0] if len(self.tables) == 1 else by_table
        self.recall = np.empty((ends[-1], size, n_classes))
        self.psi = np.empty((ends[-1], self.number if self.known is None else 0))
        self.replicates = [[] for _ in self.tables]
        generators = [generator(self.recipe.seed, streams.REPLICATED + i, 0) for i in range(len(self.tables))]
        for i, start, tables in parts:
            rows = slice(ends[i], ends[i + 1])
            if self.shares:
                margins, places = tables.margins(), class_places(self.tables[i])
                stop = min(start + len(margins.row), self.number)
                by_table[start:stop, i] = ratio(margins.row, margins.total)[: stop - start, places]
                self.recall[rows, start:stop] = ratio(margins.tp, margins.row)[:, : stop - start, places]
            if self.known is None or start == 0:
                psi = measure(self.recipe.metric, tables, self.recipe.prevalence)
                if self.known is None:
                    self.psi[rows, start : start + psi.shape[1]] = psi[:, : self.number - start]
                else:  # a model that weighs its draws afterwards has other tables
                    check_same(self.known[rows, : psi.shape[1]], psi[:, : self.known.shape[1]])
            self._replicate(i, start, tables, generators[i])
        return self

    def _replicate(self, i: int, start: int, tables: Tables, rng: np.random.Generator) -> None:
        here = self.picked[(self.picked >= start) & (self.picked < start + n_draws(tables))] - start
        for run in np.split(here, np.flatnonzero(np.diff(here) > 1) + 1) if here.size else ():
            some = cut(tables, int(run[0]), int(run[-1]) + 1)
            self.replicates[i].append(matrices(replicate(some, self.tables[i].n_items, rng)))

    @property
    def confusion(self) -> IntArray:
        """The replicated matrices, (picked, classifiers, …, truth, predicted)."""
        return np.concatenate([np.concatenate(runs, axis=1) for runs in self.replicates]).swapaxes(0, 1)


def check_same(known: FloatArray | None, again: FloatArray | None) -> None:
    """Refuse draws that are not the known ones."""
    if known is not None and again is not None and not np.allclose(known, again, rtol=0.0, atol=_MAX_ROUNDING):
        raise OtherDrawsError(WEIGHED)


def n_draws(tables: Tables) -> int:
    """Return how many draws there are of a table."""
    part: Any = getattr(tables, "parts", [tables])[0]
    return len(part.known.row) if isinstance(part, LabelMargins) else int(part.weights.shape[1])


def class_places(table: AnyOutcomes) -> IntArray:
    """Return the places of the labels that can be true: "no answer" cannot."""
    if isinstance(table, MultilabelOutcomes):
        return np.arange(table.n_labels)
    return np.flatnonzero(table.can_be_true)


def matrices(tables: Tables) -> IntArray:
    """Return the confusion matrices of data sets, (K, D, M, M), or by label (K, D, labels, 2, 2)."""
    if not isinstance(tables, LabelMargins):
        return np.rint(squares(tables)).astype(np.int64)
    m = tables.known  # of a label's table all four cells are known by their margins
    cells = np.stack([m.tn, m.fp, m.fn, m.tp], axis=-1)
    return np.rint(cells.reshape(*cells.shape[:-1], 2, 2)).astype(np.int64)
