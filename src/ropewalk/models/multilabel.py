"""Items with any number of labels: a binary table for each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Unpack

import numpy as np

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.draws.blocks import block_size
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Margins, Tables, Weighted
from ropewalk.models.binary import binary_graph
from ropewalk.models.graph import Graph, Size, Sketch
from ropewalk.models.protocol import Conjugate, Posterior
from ropewalk.models.tree import Tree
from ropewalk.text.remarks import wording
from ropewalk.typing import FloatArray

RARE: Final = 10
"""Labels with fewer positives are rare: the prior weighs heavily on them."""


class _ManyLabels:
    """What all tables of items with any number of labels refuse."""

    __slots__ = ()

    def linear(self, cost: FloatArray) -> FloatArray:  # noqa: ARG002
        """Refuse: a cost of (truth, prediction) needs a single label per item."""
        raise InvalidInputError(
            "`cost` needs one label per item; these items have any number of labels.",
            hint="take another metric, such as micro_f1.",
        )

    def at_prevalence(self, shares: FloatArray) -> Tables:  # noqa: ARG002
        """Refuse: labels that overlap have no mix that adds up to 1."""
        raise InvalidInputError(
            wording("`prevalence` needs one label per item; these items have any number of labels."),
            hint="leave it out.",
        )


@dataclass(frozen=True, slots=True)
class LabelMargins(_ManyLabels):
    """D draws of tables that are known by their margins: `total` is 1 (all items) for every label."""

    known: Margins

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return int(self.known.row.shape[-1])

    def margins(self) -> Margins:
        """Return the margins by label."""
        return self.known


@dataclass(frozen=True, slots=True)
class LabelTables(_ManyLabels):
    """D draws of a binary table for each label, over the labels 0 (not so) and 1."""

    parts: tuple[Weighted, ...]

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return len(self.parts)

    def margins(self) -> Margins:
        """Return the margins by label."""
        parts = [part.margins() for part in self.parts]
        tp, col, row = (np.stack([getattr(m, of)[..., 1] for m in parts], axis=-1) for of in ("tp", "col", "row"))
        return Margins(tp, col, row, parts[0].total)


@dataclass(frozen=True, slots=True)
class ItemTables(_ManyLabels):
    """D weightings (C, D) of the distinct items: the labels of an item stay together. `sums` are its `label_sums`."""

    outcomes: MultilabelOutcomes
    sums: Any
    weights: FloatArray

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.outcomes.n_labels

    def margins(self) -> Margins:
        """Return the margins by label."""
        return stacked(self.sums @ self.weights, self.outcomes).known

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Multilabel(Conjugate):
    """A binary model for each label: mu ~ Beta(mu_prior, mu_prior), outcomes of either side ~ Dir(kappa · 2^−K).

    The default kappa = 1 is Dir(1/4, …) for two classifiers; kappa = 4 (2 with ``paired=False``) is the papers' prior,
    which ruins averages over many rare labels. Labels are taken as independent, so micro averages, which the common
    labels of one item tie together, are better left to `Bootstrap`.

    Examples
    --------
    >>> Multilabel().prior
    'per label: mu ~ Beta(1, 1); theta+, theta- ~ Dir(1·2^-K, …)'
    """

    kappa: float = 1.0
    mu_prior: float = 1.0
    paired: bool = True

    is_symmetric = True
    is_multilabel = True
    description = "Every label is a table of its own: who is right about it has a Dirichlet prior."

    @property
    def name(self) -> str:
        """What the JSON calls it."""
        return "multilabel" if self.paired else "multilabel_unpaired"

    @property
    def prior(self) -> str:
        """The prior in one line."""
        mu, half = self.mu_prior, self.kappa / 2
        if not self.paired:
            return f"per label: mu ~ Beta({mu:g}, {mu:g}); rho+, rho- ~ Beta({half:g}, {half:g})"
        return f"per label: mu ~ Beta({mu:g}, {mu:g}); theta+, theta- ~ Dir({self.kappa:g}·2^-K, …)"

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Items with any number of labels: two outcomes per label", paired=self.paired, **size)
        outcomes = 2**s.n_classifiers if self.paired else 2
        shapes = s.even(self.kappa / outcomes, outcomes)
        return binary_graph(s, [self.mu_prior] * 2, shapes, shapes, per_label=True)

    def fit(self, outcomes: MultilabelOutcomes) -> StackPosterior:
        """Return the posterior: one binary table per label."""
        tree = Tree(kappa=self.kappa, mu_prior=self.mu_prior)
        return StackPosterior(tuple(tree.fit(table) for table in outcomes.tables()), outcomes.n_classifiers)


@dataclass(frozen=True, eq=False)
class StackPosterior:
    """Independent posteriors of binary tables, one per label."""

    parts: tuple[Posterior, ...]
    n_classifiers: int

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return sum(part.work for part in self.parts)

    @property
    def block_size(self) -> int:
        """How many draws a block holds: a label's table is gone once its margins are taken."""
        return block_size(16 * (1 + 2 * self.n_classifiers) + len(self.parts))

    def block(self, rng: np.random.Generator, size: int) -> LabelMargins:
        """Draw `size` tables per label."""
        return stack_margins([part.block(rng, size).margins() for part in self.parts])  # type: ignore[union-attr]


def stack_margins(parts: Sequence[Margins]) -> LabelMargins:
    """Return the margins of binary tables, one per label, as those of one multi-label table."""
    tp, col, row = (np.stack([getattr(m, of)[..., 1] for m in parts], axis=-2) for of in ("tp", "col", "row"))
    total = np.ones((row.shape[-1], 1))
    return LabelMargins(Margins(tp.swapaxes(-1, -2), col.swapaxes(-1, -2), row.T, total))


def label_sums(outcomes: MultilabelOutcomes) -> Any:
    """Return the sparse matrix that sums weights of items into row, then tp, then col, each by label."""
    from scipy.sparse import csr_array

    n_labels, n_classifiers = outcomes.n_labels, outcomes.n_classifiers
    truly = (outcomes.bits & 1).astype(bool)
    called = [((outcomes.bits >> (1 + k)) & 1).astype(bool) for k in range(n_classifiers)]
    parts = [truly, *(truly & positive for positive in called), *called]
    rows = np.concatenate([outcomes.indices[part] + i * n_labels for i, part in enumerate(parts)])
    items = np.concatenate([outcomes.item_of[part] for part in parts])
    shape = (len(parts) * n_labels, outcomes.counts.size)
    return csr_array((np.ones(rows.size), (rows, items)), shape=shape)


def observed_margins(outcomes: MultilabelOutcomes) -> LabelMargins:
    """Return the shares of items themselves, as a single draw."""
    shares = outcomes.row_weights[:, np.newaxis] / max(outcomes.n_items, 1)
    return stacked(label_sums(outcomes) @ shares, outcomes)


def stacked(sums: FloatArray, outcomes: MultilabelOutcomes) -> LabelMargins:
    """Return sums of `label_sums` as margins."""
    n_labels, n_classifiers = outcomes.n_labels, outcomes.n_classifiers
    row, both = sums[:n_labels], sums[n_labels:].reshape(2, n_classifiers, n_labels, -1)
    tp, col = both.swapaxes(-1, -2)
    return LabelMargins(Margins(tp, col, row.T, np.ones((row.shape[1], 1))))
