"""Rubin's Bayesian bootstrap: the items themselves, or clusters of them, re-weighted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Final, Literal, Unpack

import numpy as np

from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import GammaRows, block_size, small_block_size
from ropewalk.errors import DataError
from ropewalk.metrics.margins import Cells, Tables, Weighted
from ropewalk.metrics.scores import Plans, WeightedItems
from ropewalk.models.graph import Graph, Size, Sketch
from ropewalk.models.multilabel import ItemTables, label_sums
from ropewalk.models.protocol import Model
from ropewalk.text.remarks import wording
from ropewalk.typing import FloatArray, IntArray

_MIN_UNITS: Final = 10  # of 10 clusters the interval covers 79-89%
_DIGITS: Final = 13
_ROUNDING: Final = 1e-12
_EARLY_DRAWS: Final = 1_000

FEW_CLUSTERS: Final = 50
"""With fewer clusters, or items, to re-weight, the interval covers less than it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap(Model):
    """Rubin's Bayesian bootstrap: weights ~ Dirichlet(1, …, 1) over items or clusters, the same for all classifiers.

    It leaves what belongs together as it came: the labels of an item, the scores of an item, the items of a cluster,
    all of which carry the cluster's weight. There is no prior to speak of, and so no Bayes factor; without items there
    is nothing to draw from. With ``paired=False`` every classifier has items of its own.

    Examples
    --------
    >>> Bootstrap().prior
    'weights ~ Dir(1, …, 1) over items'
    """

    paired: bool = True
    over: Literal["items", "clusters"] = "items"

    name = "bootstrap"
    is_symmetric = True
    no_factor = "the bootstrap has no prior"
    is_multilabel = None
    reweights_items = True
    takes_clusters = True
    takes_scores = True
    min_units = _MIN_UNITS
    no_papers = "it re-weights the items themselves"

    def over_clusters(self, *, paired: bool) -> Bootstrap:
        """Return the bootstrap of clusters."""
        return replace(self, over="clusters", paired=paired)

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return f"weights ~ Dir(1, …, 1) over {self.over}"

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch(f"The Bayesian bootstrap over {self.over}", paired=self.paired, **size)
        if s.form == "counts" and self.over == "items":
            # Rubin's view of it: no prior at all on how often each outcome occurs.
            w, c, total = s.sign("w"), s.sign("c"), s.sign("N")
            s.constant("zero", (-1, 0), "0", "(0, …, 0)")
            s.latent("w", (0, 0), w, f"Dir(0, …, 0); given {c}, Dir(1, …, 1) over the items", "zero")
            s.constant("N", (0, 2), total)
            s.observed("c", (0, 1), c, f"Mult({total}, {w}) over the outcomes that occurred", "w", "N")
            return s.scores("w", column=0)
        unit, total, item = ("cluster g", "G", "gi") if self.over == "clusters" else ("item i", "N", "i")
        s.constant("one", (-1, 0), "1", "(1, …, 1)")
        s.latent("w", (0, 0), s.sign("w", item[0]), f"Dir(1, …, 1) over all {self.over}", "one")
        s.data("x", (1, 0), s.sign("x", item), "the truth of an item and what was said about it")
        if self.over == "clusters":
            s.plate(f"item i = 1 … {s.sign('N', 'g')}")
        s.plate(f"{unit} = 1 … {s.sign(total)}")
        return s.scores("w", "x", column=0.5)

    @property
    def description(self) -> str:
        """The model in a sentence."""
        shared = ", by the same weights for all classifiers" if self.paired else ""
        return f"Rubin's Bayesian bootstrap: {self.over} are re-weighted at random{shared}; others are not known of."

    def summary(self, prior: str, *, alone: bool = False) -> str:  # noqa: ARG002
        """Name the model, which has no prior."""
        return f"Bayesian bootstrap over {self.over}, no prior"

    def steadied(self, psi: FloatArray, metric: Any, observed: Sequence[float | None]) -> FloatArray:
        """Return draws as they are judged: without rounding errors, and those of an ECE without noise.

        Equal scores are not to count as different ones. Noise in the bins makes an observed ECE too large, and
        re-weighting adds about as much again: what it adds is taken off twice.
        """
        if metric.inflated_by_noise:
            # The first draws alone decide, so that fewer draws stay a prefix of more.
            added = psi[:, :_EARLY_DRAWS].mean(axis=1) - np.array(observed, dtype=np.float64)
            psi = np.clip(psi - 2 * added[:, np.newaxis], 0.0, 1.0)
        return steady(psi)

    def fit(self, data: AnyOutcomes | ItemScores) -> BootstrapPosterior | ScorePosterior:
        """Return the posterior of the weights."""
        if not data.n_items:
            raise DataError("The bootstrap re-weights items, and there are none.", hint="other models have a prior.")
        if data.n_clusters == 1:
            raise DataError(
                "All items are in one cluster, so there is nothing to re-weight.",
                hint=wording("a cluster is a part of the items; leave cluster= out where each stands alone."),
            )
        return ScorePosterior(data) if isinstance(data, ItemScores) else BootstrapPosterior(data)


def steady(psi: FloatArray) -> FloatArray:
    """Return draws without rounding errors, so that equal scores do not count as different ones."""
    largest = float(np.abs(psi).max(initial=0.0))
    scale = 10.0 ** math.ceil(math.log10(largest)) if largest > 0 else 1.0
    rounded: FloatArray = np.round(psi / scale, _DIGITS) * scale + 0.0
    for i, j in combinations(range(len(rounded)), 2):  # equal values may have been rounded apart
        close = np.abs(rounded[i] - rounded[j]) <= _ROUNDING * scale
        rounded[j, close] = rounded[i, close]
    return rounded


@dataclass(frozen=True, eq=False)
class BootstrapPosterior:
    """Weights of a table's distinct rows: Dirichlet(how often each occurred), or the sum over their clusters."""

    outcomes: AnyOutcomes

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        table = self.outcomes
        units = table.counts.size if table.units is None else table.units.n + table.units.row.size
        return units + (len(table.bits) if isinstance(table, MultilabelOutcomes) else table.counts.size)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        units = self.outcomes.units
        return block_size(self.outcomes.counts.size + self.outcomes.n_labels + (0 if units is None else units.n))

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self._shapes, kind="stable")

    @cached_property
    def _shapes(self) -> FloatArray:
        """How many items each unit stands for: a row of items that count alike, or one weight of a row."""
        units = self.outcomes.units
        return self.outcomes.counts.astype(np.float64) if units is None else units.shapes

    @cached_property
    def _gammas(self) -> GammaRows:
        return GammaRows.of(self._shapes[self._order])

    @cached_property
    def _spread(self) -> Any:
        """The matrix that turns draws of units into weights of rows, where units are not the rows."""
        units = self.outcomes.units
        return None if units is None else units.matrix(self.outcomes.counts.size)

    @cached_property
    def _tables(self) -> Callable[[FloatArray], Tables]:
        """What turns weights of rows into tables."""
        outcomes = self.outcomes
        if isinstance(outcomes, Outcomes):
            return partial(Weighted, Cells(outcomes.codes, outcomes.n_labels))
        return partial(ItemTables, outcomes, label_sums(outcomes))

    def block(self, rng: np.random.Generator, size: int) -> Tables:
        """Draw `size` weightings of the items."""
        if self.outcomes.clusters is None:
            weights = np.empty((self._shapes.size, size))
            weights[self._order] = self._gammas.draw(rng, size)
            weights = weights if self._spread is None else self._spread @ weights
        else:
            weights = self._spread @ rng.standard_exponential((self._spread.shape[1], size))
        weights /= weights.sum(axis=0)
        return self._tables(weights)


@dataclass(frozen=True, eq=False)
class ScorePosterior:
    """Weights of items, or of their clusters, ~ Dirichlet(1, …, 1) up to a factor that no metric sees."""

    items: ItemScores
    plans: Plans = field(default_factory=Plans)

    @property
    def n_seen(self) -> int:
        """How many units there are, all of which were seen."""
        return self.items.n_units

    @property
    def expected(self) -> FloatArray:
        """The expected weight of every unit."""
        return np.ones(self.items.n_units)

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.items.n_units + self.items.n_items * self.items.n_classifiers // 2

    @property
    def block_size(self) -> int:
        """How many draws a block holds; few where there are many items, so that memory stays bounded."""
        return small_block_size(self.items.n_items)

    def block(self, rng: np.random.Generator, size: int) -> WeightedItems:
        """Draw `size` weightings of the items."""
        weights: FloatArray = rng.standard_exponential((self.items.n_units, size))
        return WeightedItems(self.items, weights, self.plans)
