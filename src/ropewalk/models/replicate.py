"""Replicated data sets: what a model would show if as many items came again.

A draw of a posterior, or of a prior, is a table of weights on the cells (truth, prediction 1, …, prediction K). Items
that come again fall into the cells as those weights say: a multinomial. So a replicated data set is a table as well,
with counts for weights, and everything that can be computed from the observed table can be computed from it.

Draws are replicated one after the other from one generator. So n data sets are a prefix of n + m, however the draws
were cut into blocks on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Loose, Margins, Sums, Tables, Weighted, ratio
from ropewalk.metrics.scores import Measured, WeightedItems
from ropewalk.models import observed_tables
from ropewalk.models.multilabel import ItemTables, LabelMargins, LabelTables, StackPosterior
from ropewalk.models.protocol import Posterior
from ropewalk.typing import FloatArray, IntArray

# -- tables to replicate -----------------------------------------------------------------------------------


def whole_block(posterior: Posterior, rng: np.random.Generator, size: int) -> Tables:
    """Draw a block, the very draws of `posterior.block`, and keep what metrics do not need: the cells of each label."""
    if isinstance(posterior, StackPosterior):
        return LabelTables(tuple(_cells_of(part.block(rng, size)) for part in posterior.parts))  # type: ignore[arg-type]
    tables = posterior.block(rng, size)
    assert not isinstance(tables, WeightedItems | Measured)  # noqa: S101 - labels are replicated, not scores
    return tables


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
        m = tables.known
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
    >>> from ropewalk import Outcomes
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
        return _replicate_margins(tables.known, n_items, rng)
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
        return LabelTables(tuple(Weighted(part.cells, drawn) for part, drawn in zip(parts, counts, strict=True)))
    n_draws = parts[0].weights.shape[1]
    drawn = [[_replicate_cells(_cut_cells(part, d, d + 1), n_items, rng) for part in parts] for d in range(n_draws)]
    return LabelTables(tuple(_together(column) for column in zip(*drawn, strict=True)))


def _together(draws: Sequence[Weighted]) -> Weighted:
    """Put single draws of one table side by side."""
    weights = np.concatenate([draw.weights for draw in draws], axis=1)
    loose = [(d, draw.loose) for d, draw in enumerate(draws) if draw.loose is not None]
    if not loose:
        return Weighted(draws[0].cells, weights)
    sticks = Loose(
        np.concatenate([part.codes for _, part in loose], axis=1),
        np.concatenate([part.draw + d for d, part in loose]),
        np.concatenate([part.weights for _, part in loose]),
    )
    return Weighted(draws[0].cells, weights, sticks)


def _replicate_margins(m: Margins, n_items: int, rng: np.random.Generator) -> LabelMargins:
    """Draw who has each label, then who was said to have it."""
    shares = np.clip(m.row / m.total, 0.0, 1.0)
    hits, alarms = (np.clip(ratio(part, whole), 0.0, 1.0) for part, whole in ((m.tp, m.row), (m.fp, m.fp + m.tn)))
    row, tp, col = np.empty_like(m.row), np.empty_like(m.tp), np.empty_like(m.col)
    for d in range(len(row)):
        row[d] = rng.binomial(n_items, shares[d])
        tp[:, d] = rng.binomial(row[d].astype(np.int64), hits[:, d])
        col[:, d] = tp[:, d] + rng.binomial((n_items - row[d]).astype(np.int64), alarms[:, d])
    return LabelMargins(Margins(tp, col, row, np.full((len(row), 1), float(n_items))))


# -- what is computed from them ----------------------------------------------------------------------------


def agreements(tables: Tables) -> FloatArray | None:
    """Return the weight of items on which classifiers k and l say the same, for every pair k < l.

    An array (pairs, D), and of tables by label (pairs, D, labels); None where the margins alone are known.

    Examples
    --------
    >>> from ropewalk import Outcomes
    >>> seen = seen_tables(Outcomes.from_arrays([0, 1, 1, 2], [0, 1, 2, 2], [0, 1, 2, 0]))
    >>> agreements(seen).tolist()
    [[3.0]]
    """
    if isinstance(tables, LabelTables):
        return np.stack([_agreements(part) for part in tables.parts], axis=-1)
    return None if isinstance(tables, LabelMargins) else _agreements(_cells_of(tables))


def _agreements(tables: Weighted) -> FloatArray:
    predicted, n_draws, loose = tables.cells.codes.T[1:], tables.weights.shape[1], tables.loose
    pairs = list(combinations(range(len(predicted)), 2))
    agreed = np.empty((len(pairs), n_draws))
    for i, (k, other) in enumerate(pairs):
        agreed[i] = tables.weights[predicted[k] == predicted[other]].sum(axis=0)
        if loose is not None:
            alike = loose.codes[1 + k] == loose.codes[1 + other]
            agreed[i] += np.bincount(loose.draw[alike], loose.weights[alike], minlength=n_draws)
    return agreed


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
    matrices = []
    for k, predicted in enumerate(tables.cells.codes.T[1:]):
        sums: FloatArray = (
            Sums(truth * size + predicted, np.arange(len(truth)), (size * size, len(truth))) @ tables.weights
        )
        square = np.ascontiguousarray(sums.T)
        if loose is not None:
            places = (loose.draw * size + loose.codes[0]) * size + loose.codes[1 + k]
            square += np.bincount(places, loose.weights, minlength=square.size).reshape(square.shape)
        matrices.append(square.reshape(n_draws, size, size))
    return np.stack(matrices)


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
