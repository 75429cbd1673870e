"""Items, or clusters of them, seen and imagined: a Dirichlet process, for scores and whatever belongs together.

The items that were seen weigh one each, as in Rubin's bootstrap. A few imagined ones stand beside them, at the ends of
the scale: without these, twelve items that are all alike would prove that all items are. What is imagined of several
systems is balanced: each lies at either end as often, and so does each pair at each of the four combinations, so that
the prior of a pair does not depend on how many systems there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, Unpack

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.clusters import effective_number, usual_size
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import GammaRows, block_size, dirichlet, small_block_size
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.margins import Cells, Loose, Margins, Weighted
from ropewalk.metrics.scores import Plans, ScoreMetric, WeightedItems
from ropewalk.models.bootstrap import steady
from ropewalk.models.cells import place_labels
from ropewalk.models.graph import Graph, Size, Sketch
from ropewalk.models.multilabel import LabelMargins, label_sums, stacked
from ropewalk.models.protocol import Model, check_masses
from ropewalk.text.remarks import argument, wording
from ropewalk.typing import BoolArray, FloatArray, IntArray

Imagined = Literal["items", "classes"]

ITEMS_IN_ALL: Final = 2.0
"""How many items are imagined where classes do not matter: one at either end of a system's scale."""

ITEMS_PER_CLASS: Final = 1.0
"""How many items are imagined per class: half a one at either end of a system's scale."""

CLUSTERS_PER_CLASS: Final = 2.0
"""How many clusters are imagined per class: one at either end, since clusters differ more than items."""

_MAX_GRADES: Final = 21  # from 0 to 20, or from 1 to 10 in halves

MIN_UNITS: Final = 5
"""With fewer effective clusters, or weighted items, there is no verdict."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(Model):
    """Items, or clusters of them: those seen weigh one each, and `mass` imagined ones lie at the `ends` of the scale.

    The weights are the same for all systems, and what belongs together stays together: the scores of an item, its
    labels, the items of a cluster. An imagined item has every system at the low or the high end of the scale; with
    ``imagined="classes"`` there are `mass` of them in every class. Of labels the ends are right and wrong. An imagined
    cluster has as many items as the cluster of an item that is picked at random.

    `assumed` says that the ends were read from the data, which then may hold more than was seen: no verdict says that
    two systems are equivalent.

    Examples
    --------
    >>> Items(ends=(0.0, 1.0)).prior
    'items ~ DP: one each, and 2 imagined ones, each score at 0 or 1'
    """

    mass: float = ITEMS_IN_ALL
    ends: tuple[float, float] | None = None
    imagined: Imagined = "items"
    over: Literal["items", "clusters"] = "items"
    paired: bool = True
    assumed: bool = False
    name: str = field(default="items", repr=False, compare=False)

    is_symmetric = True
    is_multilabel = None
    takes_clusters = True
    takes_scores = True
    no_papers = "it weighs the items themselves"

    def __post_init__(self) -> None:
        check_masses(self, "mass")
        if self.ends is not None:
            object.__setattr__(self, "ends", check_scale(self.ends, "ends", infinite=True))

    @property
    def prior(self) -> str:
        """The prior in one line."""
        number = f"{self.mass:g} imagined {'one' if self.mass == 1 else 'ones'}"
        per = " per class" if self.imagined == "classes" else ""
        return f"{self.over} ~ DP: one each, and {number}{per}, {self._extremes}"

    @property
    def _extremes(self) -> str:
        """What is said about those imagined, in words."""
        if self.ends is None:
            return "all right or all wrong"
        if math.isinf(self.ends[0]):
            return "each score below or above all others"
        return f"each score at {self.ends[0]:.4g} or {self.ends[1]:.4g}"

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest value that an item can have."""
        return None if self.ends is None or math.isinf(self.ends[0]) else self.ends

    @property
    def no_factor(self) -> str:
        """Why there is no Bayes factor, if so."""
        return "the scale was read from the data" if self.assumed else ""

    @property
    def no_equivalence(self) -> str:
        """Why two systems cannot be found equivalent, if so."""
        if not self.assumed or self.ends is None:
            return ""
        return (
            f"values beyond those seen ({self.ends[0]:.4g} to {self.ends[1]:.4g}) may be rare and large, and would "
            "make a difference"
        )

    @property
    def title(self) -> str:
        """The name as people say it."""
        return "paired" if self.paired else "unpaired"

    @property
    def description(self) -> str:
        """The model in a sentence."""
        shared = ", by the same weights for all classifiers" if self.paired else ""
        return (
            f"A Dirichlet process: the {self.over} are weighted at random{shared}, beside a few imagined ones at the "
            "ends of the scale, which stand for what was not seen."
        )

    def over_clusters(self, *, paired: bool) -> Items:  # noqa: ARG002
        """Return the model of clusters, paired as it is."""
        return replace(self, over="clusters")

    def scaled(self, factor: float) -> Items:
        """Return the model with so many times the prior mass."""
        return replace(self, mass=self.mass * factor)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch(f"{self.over.capitalize()}, seen and imagined", paired=self.paired, **size)
        unit, total, item = ("cluster g", "G", "gi") if self.over == "clusters" else ("item i", "N", "i")
        per = "per class" if self.imagined == "classes" else "in all"
        s.constant("a", (-1, 0), "a", f"{self.mass:g} {per} for those imagined, beside 1 for each that was seen")
        law = f"Dir(1, …, 1, a, …, a) over all {self.over}, seen and imagined"
        s.latent("w", (0, 0), s.sign("w", item[0]), law, "a")
        s.data("x", (1, 0), s.sign("x", item), "the truth of an item and what was said about it")
        s.constant("imagined", (2.5, -0.35), "x^*", f"{self.over} imagined, {self._extremes}; weighted too")
        if self.over == "clusters":
            s.plate(f"item i = 1 … {s.sign('N', 'g')}")
        s.plate(f"{unit} = 1 … {s.sign(total)}")
        return s.scores("w", "x", "imagined", column=1)

    def steadied(self, psi: FloatArray, metric: Any, observed: Sequence[float | None]) -> FloatArray:  # noqa: ARG002
        """Return draws without rounding errors: equal scores are not to count as different ones."""
        return steady(psi)

    def fit(self, data: AnyOutcomes | ItemScores) -> ScoredPosterior | ClusterPosterior | LabelPosterior:
        """Return the posterior of the weights; no items give the prior."""
        if data.n_clusters == 1:
            raise DataError(
                "All items are in one cluster, so nothing tells how clusters differ.",
                hint=wording("a cluster is a part of the items; leave cluster= out where each stands alone."),
            )
        if isinstance(data, ItemScores):
            return self._fit_scores(data)
        if isinstance(data, MultilabelOutcomes):
            return LabelPosterior(data, self.mass, per_label=self.imagined == "classes")
        spread = 1 if self.imagined == "classes" else max(int(np.count_nonzero(data.can_be_true)), 1)
        return ClusterPosterior(data, self.mass / spread)

    def _fit_scores(self, items: ItemScores) -> ScoredPosterior:
        if self.ends is None:
            raise InvalidInputError(
                "A model of scores needs the ends of their scale.", hint="for example models.Items(ends=(0, 1))."
            )
        signs = balanced_signs(items.n_classifiers)
        classes = np.arange(1 if items.truth is None else items.n_labels)
        per_class = self.mass if self.imagined == "classes" else self.mass / classes.size
        truth, rows = np.repeat(classes, len(signs)), np.tile(np.arange(len(signs)), classes.size)
        values = [self._imagined_values(items, k, truth, signs[rows, k]) for k in range(items.n_classifiers)]
        weight, cluster = items.weight, items.cluster
        if cluster is not None:
            one = np.ones(items.n_items) if weight is None else weight
            whole = usual_size(cluster, one)
            sizes = [
                usual_size(cluster[items.truth == j], one[items.truth == j])
                if items.truth is not None and self.imagined == "classes"
                else whole
                for j in classes
            ]
            weight = np.concatenate([one, np.repeat(sizes, len(signs))])
            cluster = np.concatenate([cluster, items.n_units + np.arange(truth.size)])
        elif weight is not None:
            weight = np.concatenate([weight, np.ones(truth.size)])
        both = replace(
            items,
            values=tuple(np.concatenate(pair) for pair in zip(items.values, values, strict=True)),
            truth=None if items.truth is None else np.concatenate([items.truth, truth]),
            cluster=cluster,
            weight=weight,
        )
        return ScoredPosterior(both, items.n_units, np.full(truth.size, per_class / len(signs)))

    def _imagined_values(self, items: ItemScores, k: int, truth: IntArray, high: BoolArray) -> FloatArray:
        """Return what a system is imagined to say: the low or the high end, or of classes the right or the next one."""
        assert self.ends is not None  # noqa: S101
        low, top = self.ends
        if not items.by_class:
            return np.where(high, top, low)
        n_labels = items.n_labels
        said = np.where(high, truth, (truth + 1) % n_labels)
        others = low if math.isinf(low) else (1.0 - top) / (n_labels - 1)
        values = np.full((truth.size, items.values[k].shape[1]), others)
        values[np.arange(truth.size), said] = top
        return values


def items_of_scores(items: ItemScores, metric: ScoreMetric, scale: Any = None) -> Items:
    """Return the model of a metric of scores: what can be imagined depends on what the metric looks at.

    Metrics that rank have items above and below all others, in every class; those of probabilities the least and the
    most that was given to anything; a mean has the ends of its scale, which are known if declared, for values from 0
    to 1, and for a few whole numbers (grades).
    """
    over: Literal["items", "clusters"] = "items" if items.cluster is None else "clusters"
    name = "scores"
    if scale is not None and (metric.needs_truth or metric.ranks):
        raise InvalidInputError(
            argument("scale") + f" is the range of a mean, and {metric.name} has one of its own.", hint="leave it out."
        )
    if metric.ranks:
        mass = ITEMS_PER_CLASS if items.cluster is None else CLUSTERS_PER_CLASS
        return Items(mass=mass, ends=(-math.inf, math.inf), imagined="classes", over=over, name=name)
    values = np.concatenate([np.ravel(array) for array in items.values])
    if metric.probabilities:
        least = 0.0
        if metric.least is not None and values.size:
            least = max(float(min(values.min(), (1.0 - values).min() if not items.by_class else 1.0)), metric.least)
        return Items(ends=(least, 1.0 - least), over=over, name=name)
    if metric.needs_truth and math.isfinite(metric.high):  # decisions at a threshold
        return Items(ends=(-math.inf, math.inf), over=over, name=name)
    ends, assumed = _scale_of(values, None if scale is None else check_scale(scale, "scale"))
    return Items(ends=ends, over=over, name=name, assumed=assumed and not metric.needs_truth)


def _scale_of(values: FloatArray, declared: tuple[float, float] | None) -> tuple[tuple[float, float], bool]:
    """Return the ends of the scale of a mean, and whether they were merely seen."""
    if not values.size:
        if declared is None:
            raise DataError(
                "There are no items, and nothing says what values they could have.", hint=wording("give scale=(0, 1).")
            )
        return declared, False
    low, high = float(values.min()), float(values.max())
    if declared is not None:
        if low < declared[0] or high > declared[1]:
            raise DataError(
                f"There are values from {low:g} to {high:g}, beyond the scale from {declared[0]:g} to {declared[1]:g}.",
                hint=wording("scale= must hold every value that is possible."),
            )
        return declared, False
    if low >= 0 and high <= 1:
        return (0.0, 1.0), False
    if low == high:  # nothing tells how far apart values can be
        return (low, math.nextafter(low, math.inf)), True
    distinct = np.unique(values)
    grades = distinct.size <= _MAX_GRADES and bool((distinct == np.round(distinct)).all())
    return (low, high), not grades


def check_scale(scale: Any, name: str, *, infinite: bool = False) -> tuple[float, float]:
    """Return the two ends of a scale, the lower one first."""
    pair = scale.tolist() if isinstance(scale, np.ndarray) else scale
    good = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2  # noqa: PLR2004
    if not good or not all(is_real(end) and (infinite or math.isfinite(end)) for end in pair) or not pair[0] < pair[1]:
        raise InvalidInputError(
            argument(name) + f" must be the lowest and the highest value that is possible; got {scale!r}.",
            hint="1 and 5 for grades from 1 to 5.",
        )
    return float(pair[0]), float(pair[1])


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
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.n_seen + self.shapes.size + self.items.n_items * self.items.n_classifiers // 2

    @property
    def block_size(self) -> int:
        """How many draws a block holds; few where there are many items, so that memory stays bounded."""
        return small_block_size(self.items.n_items)

    def block(self, rng: np.random.Generator, size: int) -> WeightedItems:
        """Draw `size` weightings of the items."""
        if not self.n_seen:  # all shapes are tiny, and gammas would underflow
            return WeightedItems(self.items, dirichlet(rng, self.shapes, size), self.plans)
        weights = np.empty((self.n_seen + self.shapes.size, size))
        rng.standard_exponential(out=weights[: self.n_seen])
        weights[self.n_seen :] = rng.standard_gamma(self.shapes[:, np.newaxis], (self.shapes.size, size))
        return WeightedItems(self.items, weights, self.plans)


@dataclass(frozen=True, eq=False)
class ClusterPosterior:
    """Weights of clusters ~ Gamma(1), and of clusters imagined in every class, which are all right or all wrong."""

    outcomes: Outcomes
    mass: float

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self._units + self.outcomes.counts.size + self._shapes.size * (1 + self.outcomes.n_classifiers)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.outcomes.counts.size + self._units + self._shapes.size)

    @cached_property
    def _spread(self) -> Any:
        """The matrix that turns weights of units into weights of rows."""
        from scipy.sparse import csr_array

        clusters, counts = self.outcomes.clusters, self.outcomes.counts
        if clusters is not None:
            return clusters.matrix(counts.size)
        return csr_array((np.ones(counts.size), (np.arange(counts.size),) * 2), shape=(counts.size,) * 2)

    @cached_property
    def _units(self) -> int:
        return int(self._spread.shape[1])

    @cached_property
    def _gammas(self) -> tuple[IntArray, GammaRows]:
        """The order of the units, and their gammas."""
        return _unit_gammas(self.outcomes, self._units)

    @cached_property
    def _signs(self) -> BoolArray:
        return balanced_signs(self.outcomes.n_classifiers)

    @cached_property
    def _classes(self) -> IntArray:
        return np.repeat(np.flatnonzero(self.outcomes.can_be_true), len(self._signs))

    @cached_property
    def _shapes(self) -> FloatArray:
        return np.full(self._classes.size, self.mass / len(self._signs))

    @cached_property
    def _sizes(self) -> FloatArray:
        """How many items an imagined cluster of each class has."""
        table, clusters = self.outcomes, self.outcomes.clusters
        if clusters is None:
            return np.ones(table.n_labels)
        truth = table.codes[clusters.row, 0]
        sizes = [usual_size(clusters.cluster[truth == j], clusters.counts[truth == j]) for j in range(table.n_labels)]
        return np.array(sizes)

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.outcomes.codes, self.outcomes.n_labels)

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` weightings of the items."""
        order, gammas = self._gammas
        drawn = np.empty((self._units, size))
        drawn[order] = gammas.draw(rng, size)
        weights = np.asarray(self._spread @ drawn)
        if self._units:
            fresh = rng.standard_gamma(self._shapes[:, np.newaxis], (self._shapes.size, size))
        else:
            fresh = dirichlet(rng, self._shapes, size)
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
        return self.outcomes.n_clusters or self.outcomes.counts.size

    @cached_property
    def _sums(self) -> Any:
        """The matrix that sums weights of units into row, tp and col by label, and last all of them."""
        from scipy.sparse import csr_array, vstack

        clusters, n_rows = self.outcomes.clusters, self.outcomes.counts.size
        by_item = vstack([label_sums(self.outcomes), csr_array(np.ones((1, n_rows)))])
        return (by_item if clusters is None else by_item @ clusters.matrix(n_rows)).tocsr()

    @cached_property
    def _gammas(self) -> tuple[IntArray, GammaRows]:
        return _unit_gammas(self.outcomes, self._units)

    @cached_property
    def _size(self) -> float:
        clusters = self.outcomes.clusters
        return 1.0 if clusters is None else usual_size(clusters.cluster, clusters.counts)

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
        weights = (
            rng.standard_gamma(shapes[:, np.newaxis], (len(signs), size))
            if self._units
            else dirichlet(rng, shapes, size)
        )
        weights = self._size * weights
        usual = table.items_by_class() / table.n_items if table.n_items else np.full(table.n_labels, 0.5)
        row = weights.sum(axis=0)[:, np.newaxis] * usual
        right = (weights * signs.T[:, :, np.newaxis]).sum(axis=1)  # systems, draws
        tp = right[:, :, np.newaxis] * usual
        # Whoever is wrong says as many labels, others: where few items have one, one that hardly any of them has.
        wrong = (weights.sum(axis=0) - right)[:, :, np.newaxis]
        col = tp + wrong * np.minimum(usual, 1 - usual)
        return Margins(tp, col, row, np.broadcast_to(weights.sum(axis=0)[:, np.newaxis], row.shape))


def _unit_gammas(outcomes: AnyOutcomes, n_units: int) -> tuple[IntArray, GammaRows]:
    """Return the order of the units, and their gammas: a row of items without clusters is as many as it counts."""
    worth = outcomes.counts if outcomes.clusters is None else np.ones(n_units)
    order = np.argsort(worth, kind="stable")
    return order, GammaRows.of(worth[order].astype(np.float64))


def _parts(margins: Margins) -> tuple[FloatArray, FloatArray, FloatArray]:
    return margins.row, margins.tp, margins.col


def effective_units(data: AnyOutcomes | ItemScores) -> float | None:
    """Return how many clusters, or weighted items, of one size tell as much; None where all items count alike."""
    if isinstance(data, ItemScores):
        alike = data.cluster is None and data.weight is None
        return None if alike else effective_number(data.members, data.weight)
    clusters = data.clusters
    return None if clusters is None else effective_number(clusters.cluster, clusters.counts)
