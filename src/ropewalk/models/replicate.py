"""Replicated data sets: what a model would show if as many items came again.

A draw of a posterior, or of a prior, is a table of weights on the cells (truth, prediction 1, …, prediction K). Items
that come again fall into the cells as those weights say: a multinomial. So a replicated data set is a table as well,
with counts for weights, and everything that can be computed from the observed table can be computed from it.

Draws are replicated one after the other from one generator. So n data sets are a prefix of n + m, however the draws
were cut into blocks on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Loose, Margins, Sums, Tables, Weighted, ratio
from ropewalk.models.bootstrap import BootstrapPosterior
from ropewalk.models.multilabel import LabelMargins, StackPosterior
from ropewalk.models.posterior import observed_tables
from ropewalk.models.protocol import Posterior
from ropewalk.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class LabelTables:
    """Tables of items with any number of labels: a binary table for each, over the labels 0 (not so) and 1."""

    parts: tuple[Weighted, ...]

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return len(self.parts)

    def margins(self) -> Margins:
        """Return the margins by label."""
        found = [part.margins() for part in self.parts]
        tp, col, row = (np.stack([getattr(m, of)[..., 1] for m in found], axis=-1) for of in ("tp", "col", "row"))
        return Margins(tp, col, row, found[0].total)

    def linear(self, cost: FloatArray) -> FloatArray:
        """Refuse, as where only the margins are known."""
        return LabelMargins(self.margins()).linear(cost)

    def at_prevalence(self, shares: FloatArray) -> LabelMargins:
        """Refuse, as where only the margins are known."""
        return LabelMargins(self.margins()).at_prevalence(shares)


@dataclass(frozen=True, slots=True)
class ItemTables:
    """D weightings (C, D) of the distinct items of a multi-label table: the labels of an item stay together."""

    outcomes: MultilabelOutcomes
    weights: FloatArray

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.outcomes.n_labels

    def by_label(self) -> LabelTables:
        """Return the table of each label."""
        from scipy.sparse import csr_array

        table, n_draws = self.outcomes, self.weights.shape[1]
        n_labels, n_patterns = table.n_labels, 1 << (1 + table.n_classifiers)
        # An item lists the labels that are true of it or were said of it; of all others every bit is 0.
        shape = (n_labels * n_patterns, table.counts.size)
        listed = (np.ones(table.bits.size), (table.indices * n_patterns + table.bits, table.item_of))
        sums = np.asarray(csr_array(listed, shape=shape) @ self.weights).reshape(n_labels, n_patterns, n_draws)
        sums[:, 0] = self.weights.sum(axis=0) - sums[:, 1:].sum(axis=1)
        codes = (np.arange(n_patterns)[:, np.newaxis] >> np.arange(1 + table.n_classifiers)) & 1
        cells = Cells(codes.astype(np.int32), 2)
        return LabelTables(tuple(Weighted(cells, part) for part in sums))

    def margins(self) -> Margins:
        """Return the margins by label."""
        return self.by_label().margins()

    def linear(self, cost: FloatArray) -> FloatArray:
        """Refuse, as where only the margins are known."""
        return self.by_label().linear(cost)

    def at_prevalence(self, shares: FloatArray) -> LabelMargins:
        """Refuse, as where only the margins are known."""
        return self.by_label().at_prevalence(shares)


# -- tables to replicate -----------------------------------------------------------------------------------


def whole_block(posterior: Posterior, rng: np.random.Generator, size: int) -> Tables:
    """Draw a block, the very draws of `posterior.block`, and keep what metrics do not need: the cells of each label."""
    if isinstance(posterior, StackPosterior):
        return LabelTables(tuple(part.block(rng, size) for part in posterior.parts))
    outcomes = getattr(posterior, "outcomes", None)
    if isinstance(posterior, BootstrapPosterior) and isinstance(outcomes, MultilabelOutcomes):
        # Weights do not depend on what an item holds, so those of empty items are the same.
        blank = np.zeros((outcomes.counts.size, 1 + outcomes.n_classifiers), dtype=np.int32)
        items = Outcomes(blank, outcomes.counts, outcomes.labels, outcomes.names, clusters=outcomes.clusters)
        weighted = BootstrapPosterior(items).block(rng, size)
        assert isinstance(weighted, Weighted)  # noqa: S101
        return ItemTables(outcomes, weighted.weights)
    drawn: Any = posterior.block(rng, size)
    return drawn  # type: ignore[no-any-return]


def seen_tables(outcomes: AnyOutcomes) -> Tables:
    """Return the observed counts as a data set of one draw, with the cells of each label."""
    if isinstance(outcomes, MultilabelOutcomes):
        parts = [observed_tables(table) for table in outcomes.tables()]
        return LabelTables(tuple(part for part in parts if isinstance(part, Weighted)))
    return observed_tables(outcomes)


def cut(tables: Tables, start: int, stop: int) -> Tables:
    """Return the draws from `start` up to `stop`."""
    some = slice(start, stop)
    if isinstance(tables, LabelTables):
        return LabelTables(tuple(_cut_cells(part, start, stop) for part in tables.parts))
    if isinstance(tables, ItemTables):
        return replace(tables, weights=tables.weights[:, some])
    if isinstance(tables, LabelMargins):
        m = tables.found
        return LabelMargins(Margins(m.tp[:, some], m.col[:, some], m.row[some], m.total[some]))
    return _cut_cells(_cells_of(tables), start, stop)


def _cut_cells(tables: Weighted, start: int, stop: int) -> Weighted:
    loose = tables.loose
    if loose is not None:
        here = (loose.draw >= start) & (loose.draw < stop)
        loose = Loose(loose.codes[:, here], loose.draw[here] - start, loose.weights[here])
    shares = None if tables.shares is None else tables.shares[:, start:stop]
    return Weighted(tables.cells, tables.weights[:, start:stop], loose, shares)


def _cells_of(tables: Tables) -> Weighted:
    if not isinstance(tables, Weighted):
        raise InvalidInputError(
            f"Tables of the kind {type(tables).__name__} cannot be replicated.",
            hint="a model of your own must draw `Weighted` tables.",
        )
    return tables


# -- data sets ---------------------------------------------------------------------------------------------


def replicate(tables: Tables, n_items: int, rng: np.random.Generator) -> Tables:
    """Draw a data set of `n_items` items from each of D tables: tables again, with counts for weights.

    Class sizes are replicated too, for nobody fixed them. Where only margins of labels are known (`LabelMargins`), the
    classifiers are drawn independently given the label: right for each of them, and silent about their agreement.

    Examples
    --------
    >>> from ropewalk.models import Sigir2016
    >>> tables = Sigir2016().fit(Outcomes.empty([0, 1], ["a", "b"])).block(np.random.default_rng(0), 3)
    >>> data = replicate(tables, 10, np.random.default_rng(1))
    >>> data.margins().row.sum(axis=1).tolist()
    [10.0, 10.0, 10.0]
    """
    if isinstance(tables, ItemTables):
        counts = _multinomials(tables.weights.T, n_items, rng).T
        return replace(tables, weights=counts).by_label()
    if isinstance(tables, LabelTables):
        return _replicate_labels(tables, n_items, rng)
    if isinstance(tables, LabelMargins):
        return _replicate_margins(tables.found, n_items, rng)
    return _replicate_cells(_cells_of(tables), n_items, rng)


def _multinomials(weights: FloatArray, n_items: int, rng: np.random.Generator) -> FloatArray:
    """Let `n_items` fall into cells of these weights, which lie along the last axis."""
    shares = weights / weights.sum(axis=-1, keepdims=True)
    return rng.multinomial(n_items, shares).astype(np.float64)


def _replicate_cells(tables: Weighted, n_items: int, rng: np.random.Generator) -> Weighted:
    loose = tables.loose
    if loose is None:
        return Weighted(tables.cells, np.ascontiguousarray(_multinomials(tables.weights.T, n_items, rng).T))
    n_cells, n_draws = tables.weights.shape
    order = np.argsort(loose.draw, kind="stable")
    ends = np.searchsorted(loose.draw[order], np.arange(n_draws + 1)).tolist()
    sticks, columns = loose.weights[order], np.ascontiguousarray(tables.weights.T)
    counts, fallen = np.empty((n_draws, n_cells)), np.empty(sticks.size)
    for d, column in enumerate(columns):
        here = slice(ends[d], ends[d + 1])
        drawn = _multinomials(np.concatenate([column, sticks[here]]), n_items, rng)
        counts[d], fallen[here] = drawn[:n_cells], drawn[n_cells:]
    hit = np.flatnonzero(fallen)  # most sticks are so short that no item falls on them
    places = order[hit]
    return Weighted(
        tables.cells, np.ascontiguousarray(counts.T), Loose(loose.codes[:, places], loose.draw[places], fallen[hit])
    )


def _replicate_labels(tables: LabelTables, n_items: int, rng: np.random.Generator) -> LabelTables:
    parts = tables.parts
    if len({part.weights.shape for part in parts}) == 1 and all(part.loose is None for part in parts):
        weights = np.stack([part.weights for part in parts])  # labels, cells, draws
        counts = _multinomials(weights.transpose(2, 0, 1), n_items, rng).transpose(1, 2, 0)
        return LabelTables(tuple(Weighted(part.cells, found) for part, found in zip(parts, counts, strict=True)))
    n_draws = parts[0].weights.shape[1]
    drawn = [[_replicate_cells(_cut_cells(part, d, d + 1), n_items, rng) for part in parts] for d in range(n_draws)]
    return LabelTables(tuple(_together(column) for column in zip(*drawn, strict=True)))


def _together(draws: Sequence[Weighted]) -> Weighted:
    """Put single draws of one table side by side."""
    weights = np.concatenate([one.weights for one in draws], axis=1)
    loose = [(d, one.loose) for d, one in enumerate(draws) if one.loose is not None]
    if not loose:
        return Weighted(draws[0].cells, weights)
    sticks = Loose(
        np.concatenate([one.codes for _, one in loose], axis=1),
        np.concatenate([one.draw + d for d, one in loose]),
        np.concatenate([one.weights for _, one in loose]),
    )
    return Weighted(draws[0].cells, weights, sticks)


def _replicate_margins(found: Margins, n_items: int, rng: np.random.Generator) -> LabelMargins:
    """Draw who has each label, then who was said to have it."""
    n_draws = len(found.row)
    shares = np.clip(found.row / found.total, 0.0, 1.0)
    hits, alarms = (np.clip(ratio(a, b), 0.0, 1.0) for a, b in ((found.tp, found.row), (found.fp, found.fp + found.tn)))
    row, tp, col = np.empty_like(found.row), np.empty_like(found.tp), np.empty_like(found.col)
    for d in range(n_draws):
        row[d] = rng.binomial(n_items, shares[d])
        tp[:, d] = rng.binomial(row[d].astype(np.int64), hits[:, d])
        col[:, d] = tp[:, d] + rng.binomial((n_items - row[d]).astype(np.int64), alarms[:, d])
    return LabelMargins(Margins(tp, col, row, np.full((n_draws, 1), float(n_items))))


# -- what is computed from them ----------------------------------------------------------------------------


def agreements(tables: Tables) -> FloatArray | None:
    """Return the weight of items on which classifiers k and l say the same, for every pair k < l.

    An array (pairs, D), and of tables by label (pairs, D, labels); None where the margins alone are known.

    Examples
    --------
    >>> seen = seen_tables(Outcomes.from_arrays([0, 1, 1, 2], [0, 1, 2, 2], [0, 1, 2, 0]))
    >>> agreements(seen).tolist()
    [[3.0]]
    """
    if isinstance(tables, LabelTables):
        return np.stack([_agreements(part) for part in tables.parts], axis=-1)
    return None if isinstance(tables, LabelMargins) else _agreements(_cells_of(tables))


def _agreements(tables: Weighted) -> FloatArray:
    said, n_draws, loose = tables.cells.codes.T[1:], tables.weights.shape[1], tables.loose
    pairs = list(combinations(range(len(said)), 2))
    found = np.empty((len(pairs), n_draws))
    for i, (k, other) in enumerate(pairs):
        found[i] = tables.weights[said[k] == said[other]].sum(axis=0)
        if loose is not None:
            alike = loose.codes[1 + k] == loose.codes[1 + other]
            found[i] += np.bincount(loose.draw[alike], loose.weights[alike], minlength=n_draws)
    return found


def squares(tables: Tables) -> FloatArray:
    """Return confusion matrices, rows the truth: (K, D, M, M), and of tables by label (K, D, labels, 2, 2).

    They take K·D·M² numbers: cut the draws before where there are many classes.
    """
    if isinstance(tables, LabelTables):
        return np.stack([_squares(part) for part in tables.parts], axis=2)
    return _squares(_cells_of(tables))


def _squares(tables: Weighted) -> FloatArray:
    size, n_draws, loose = tables.n_labels, tables.weights.shape[1], tables.loose
    truth = tables.cells.codes[:, 0].astype(np.int64)
    found = []
    for k, said in enumerate(tables.cells.codes.T[1:]):
        sums: FloatArray = Sums(truth * size + said, np.arange(len(truth)), (size * size, len(truth))) @ tables.weights
        square = np.ascontiguousarray(sums.T)
        if loose is not None:
            places = (loose.draw * size + loose.codes[0]) * size + loose.codes[1 + k]
            square += np.bincount(places, loose.weights, minlength=square.size).reshape(square.shape)
        found.append(square.reshape(n_draws, size, size))
    return np.stack(found)


def meetings(counts: Tables, other: Tables, rng: np.random.Generator) -> IntArray:
    """Draw on how many items a second classifier says what the first one said, were they the same items.

    `counts` are data sets of one classifier, `other` tables of a second one that was modelled on its own: given the
    class of an item, the two then know nothing of each other. An array (D,), or (D, labels).
    """
    first, second = squares(counts)[0], squares(other)[0]
    chance = np.clip(ratio(second, second.sum(axis=-1, keepdims=True)), 0.0, 1.0)
    alike = np.zeros(first.shape, dtype=np.int64)
    filled = first > 0
    alike[filled] = rng.binomial(first[filled].astype(np.int64), chance[filled])
    total: IntArray = alike.sum(axis=(-2, -1))
    return total
