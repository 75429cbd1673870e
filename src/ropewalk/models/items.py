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
from typing import Any, Final, Literal, Unpack

import numpy as np

from ropewalk.data.clusters import usual_size
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models.bootstrap import steady
from ropewalk.models.graph import Graph, Size, Sketch
from ropewalk.models.item_weights import ClusterPosterior, LabelPosterior, ScoredPosterior, signs_of
from ropewalk.models.protocol import Model, check_masses
from ropewalk.models.scale import check_scale, scale_of
from ropewalk.text.remarks import argument, wording
from ropewalk.typing import BoolArray, FloatArray, IntArray

Imagined = Literal["items", "classes"]

ITEMS_IN_ALL: Final = 2.0
"""How many items are imagined where classes do not matter: one at either end of a system's scale."""

ITEMS_PER_CLASS: Final = 1.0
"""How many items are imagined per class: half a one at either end of a system's scale."""

CLUSTERS_PER_CLASS: Final = 2.0
"""How many are imagined per class where a metric ranks: one at either end, since clusters differ more than items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(Model):
    """Items, or clusters of them: those seen weigh one each, and `mass` imagined ones lie at the `ends` of the scale.

    The weights are the same for all systems, and what belongs together stays together: the scores of an item, its
    labels, the items of a cluster. An imagined item has every system at the low or the high end of the scale; with
    ``imagined="classes"`` there are `mass` of them in every class. Of labels the ends are right and wrong. An imagined
    cluster has as many items as the cluster of an item that is picked at random; by default of all classes where
    clusters are mixed, and with ``imagined="classes"`` of one. An imagined item weighs as much as one that is picked at
    random, by weight.

    `assumed` says that the ends were read from the data, which then may hold more than was seen: no verdict says that
    two systems are equivalent. `losses` are the least and the largest log loss of an item, where the scores are
    probabilities and the metric is the mean of their losses.

    `systems` numbers the systems that columns are runs of: what is imagined is alike for all runs of one system. By
    default every column is a system of its own.

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
    losses: tuple[float, float] | None = None
    systems: tuple[int, ...] | None = field(default=None, repr=False)
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
        ends = self.losses or self.ends
        return None if ends is None or math.isinf(ends[0]) else ends

    @property
    def has_assumed_scale(self) -> bool:
        """Whether the ends are those of values seen."""
        return self.assumed

    @property
    def no_factor(self) -> str:
        """Why there is no Bayes factor, if so."""
        return "the scale was read from the data" if self.assumed else ""

    @property
    def no_equivalence(self) -> str:
        """Why two systems cannot be found equivalent, if so."""
        ends = self.losses or self.ends
        if not self.assumed or ends is None:
            return ""
        return (
            f"values beyond those seen ({ends[0]:.4g} to {ends[1]:.4g}) may be rare and large, and would make a "
            "difference"
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

    def of_systems(self, systems: tuple[int, ...]) -> Items:
        """Return the model in which what is imagined of a system is so of all its columns."""
        return replace(self, systems=systems)

    def scaled(self, factor: float) -> Items:
        """Return the model with so many times the prior mass."""
        return replace(self, mass=self.mass * factor)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch(f"{self.over.capitalize()}, seen and imagined", paired=self.paired, **size)
        unit, total, item = ("cluster g", "G", "gi") if self.over == "clusters" else ("item i", "N", "i")
        per = "per class" if self.imagined == "classes" else "in all"
        s.constant(
            "a", (-1, 0), "a", f"{self.mass:g} {per} for those imagined together, beside 1 for each that was seen"
        )
        law = f"Dir(1, …, 1, a/r, …, a/r) over all {self.over}, seen and r imagined"
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
        whole = self.imagined == "items" and self.over == "clusters"  # such a cluster has items of all classes
        per_class = whole or self.imagined == "classes"
        spread = 1 if per_class else max(int(np.count_nonzero(data.can_be_true)), 1)
        return ClusterPosterior(data, self.mass / spread, whole=whole, systems=self.systems)

    def _fit_scores(self, items: ItemScores) -> ScoredPosterior:
        if self.ends is None:
            raise InvalidInputError(
                "A model of scores needs the ends of their scale.", hint="for example models.Items(ends=(0, 1))."
            )
        signs = signs_of(self.systems, items.n_classifiers)
        classes = np.arange(1 if items.truth is None else items.n_labels)
        per_class = self.mass if self.imagined == "classes" else self.mass / classes.size
        truth, rows = np.repeat(classes, len(signs)), np.tile(np.arange(len(signs)), classes.size)
        values = [self._imagined_values(items, k, truth, signs[rows, k]) for k in range(items.n_classifiers)]
        weight, cluster = items.weight, items.cluster
        if cluster is not None or weight is not None:
            one = np.ones(items.n_items) if weight is None else weight
            unit = np.arange(items.n_items) if cluster is None else cluster
            alone = items.truth is not None and self.imagined == "classes"
            among = [items.truth == j if alone else slice(None) for j in classes]
            sizes = [usual_size(unit[some], one[some]) for some in among]
            weight = np.concatenate([one, np.repeat(sizes, len(signs))])
        if cluster is not None:
            cluster = np.concatenate([cluster, items.n_units + np.arange(truth.size)])
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
        said = np.where(high, truth, (truth + 1) % items.n_labels)
        values = np.full((truth.size, items.values[k].shape[1]), low)
        values[np.arange(truth.size), said] = top
        return values


def items_of_labels(metric: Metric | ScoreMetric | None = None, *, paired: bool = True) -> Items:
    """Return the model of items with any number of labels: what is imagined is of each label, or of all together.

    Where a metric pools the labels, whole items are imagined; by default there are some of every label.
    """
    if metric is not None and metric.pools_labels:
        return Items(paired=paired)
    return Items(mass=ITEMS_PER_CLASS, imagined="classes", paired=paired)


def items_of_scores(items: ItemScores, metric: ScoreMetric, scale: Any = None) -> Items:
    """Return the model of a metric of scores: what can be imagined depends on what the metric looks at.

    Metrics that rank have items above and below all others, in every class; those of probabilities 0 and 1; a mean has
    the ends of its scale, which are known if declared, and for values from 0 to 1. The log loss is a mean too.
    """
    over: Literal["items", "clusters"] = "items" if items.cluster is None else "clusters"
    name = "scores"
    if scale is not None and not metric.takes_scale:
        raise InvalidInputError(
            argument("scale") + f" is the range of a mean, and {metric.name} has one of its own.", hint="leave it out."
        )
    if metric.ranks:
        mass = ITEMS_PER_CLASS if items.cluster is None else CLUSTERS_PER_CLASS
        return Items(mass=mass, ends=(-math.inf, math.inf), imagined="classes", over=over, name=name)
    declared = None if scale is None else check_scale(scale, "scale")
    if metric.probabilities:
        model = Items(ends=(0.0, 1.0), over=over, name=name)
        return model if metric.least is None else _of_losses(model, items, metric, metric.least, declared)
    if metric.needs_truth and math.isfinite(metric.high):  # decisions at a threshold
        return Items(ends=(-math.inf, math.inf), over=over, name=name)
    ends, assumed = scale_of(np.concatenate([np.ravel(array) for array in items.values]), declared)
    return Items(ends=ends, over=over, name=name, assumed=assumed and not metric.needs_truth)


def _of_losses(
    model: Items, items: ItemScores, metric: ScoreMetric, least: float, declared: tuple[float, float] | None
) -> Items:
    """Return the model of a mean of log losses: its scale ends where a probability counts as its `least`, or before.

    What is imagined is as wrong as the smallest probability that was given to anything, or as was declared.
    """
    if declared is not None:
        losses, _ = scale_of(np.concatenate(metric.item_values(items)), declared)
        floor = max(math.exp(-losses[1]), least)
        if floor >= 0.5:  # noqa: PLR2004
            raise InvalidInputError(
                argument("scale") + f" of {metric.name} must end above 0.693, the loss of a coin; got {losses[1]:g}.",
                hint="0 and 4.61 where no probability is below 0.01.",
            )
        return replace(model, ends=(floor, 1.0 - floor), losses=losses)
    given = [
        float(array.min() if items.by_class else min(array.min(), 1.0 - array.max()))
        for array in items.values
        if array.size
    ]
    floor = max(min(given, default=0.0), least)
    return replace(
        model,
        ends=(floor, max(1.0 - floor, math.nextafter(floor, 1.0))),  # they coincide where all say 1/2
        losses=(-math.log1p(-floor), -math.log(floor)),
        assumed=floor > least,
    )
