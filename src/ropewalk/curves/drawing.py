"""One system's scores, draws of curves made of them, and the tables that thresholds make: what all curves share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_prob, check_seed, check_threads, check_whole
from ropewalk.data.clusters import usual_size
from ropewalk.data.inputs import read_one
from ropewalk.data.labels import label_text
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import units_of
from ropewalk.draws import streams
from ropewalk.draws.blocks import draw_blocks
from ropewalk.draws.intervals import pointwise, simultaneous
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.items import View
from ropewalk.metrics.margins import Margins
from ropewalk.metrics.resolve import settle_scores
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models.bootstrap import Bootstrap, ScorePosterior
from ropewalk.results.curves import Band
from ropewalk.results.options import CurveOptions
from ropewalk.text.remarks import Remark, note
from ropewalk.text.writing import brief, count_of
from ropewalk.typing import BoolArray, FloatArray

ABOVE: Final = float(np.finfo(np.float64).max)
"""Above all scores, and below the threshold that calls nothing positive."""

_HALF_AN_ITEM: Final = 0.5
_ROUNDING: Final = 1e-9
_MAX_DRAWS: Final = 100_000
_MIN_DRAWS: Final = 1_000
_MIN_PER_CLASS: Final = {"item": 10, "cluster": 20}  # the fewest of a class with which bands were validated

Weigh = Callable[[FloatArray], FloatArray]
"""Weights of units (units, draws) in, a curve for each draw (points, draws) out."""


class System:
    """One system's scores, checked, and how its curves are drawn."""

    def __init__(
        self, data: Sequence[Any], options: CurveOptions, *, ranks: bool = False, probabilities: bool = False
    ) -> None:
        usage = "curves.roc(y_true, score), or curves.roc(table, 'column', truth=…)."
        source = read_one(data, options.get("name"), options, kind="scores", usage=usage)
        if not isinstance(source, ItemScores):
            raise InvalidInputError("A curve is about scores, and these are labels.", hint=usage)
        metric = replace(SCORE_METRICS["roc_auc"], name="the curve", ranks=ranks, probabilities=probabilities)
        items, _, positive = settle_scores(source, metric, options.get("pos_label"))
        if items.n_labels > 2:  # noqa: PLR2004
            raise DataError("A curve is about two classes.", hint="name one of them with pos_label=.")
        if not (items.items_by_class() > 0).all():
            raise DataError("A curve needs items of both classes.", hint="is this the right column of the truth?")
        self.items, self.draws = items, check_whole(options["draws"], "draws", 1, _MAX_DRAWS)
        self.seed = check_seed(options.get("rng"), options.get("random_state"))
        self.prob, self.threads = check_prob(options["prob"]), check_threads(options["threads"])
        self.turned = source.n_labels == 2 and positive == source.labels[0]  # noqa: PLR2004
        self.remarks: tuple[Remark, ...] = tuple(_few_of_a_class(items))
        assert items.truth is not None  # noqa: S101
        self.view = View(items.truth, items.values[0], items.members, items.n_units, items.weight)

    def imagine_ends(self) -> None:
        """Add half an item of each class above all others and below them to what is re-weighted.

        Where there are clusters, half a cluster with as many items of the class as is usual. What was observed stays
        as it is.
        """
        sizes = [self.usual_size(self.view.truth == j) for j in (1, 1, 0, 0)]
        self.imagine(truth=(1, 1, 0, 0), scores=(ABOVE, -np.inf) * 2, sizes=sizes)

    def usual_size(self, among: BoolArray) -> float:
        """Return how much of these items the cluster of the usual one of them holds; where all stand alone, an item."""
        return usual_size(self.view.member[among], None if self.view.weight is None else self.view.weight[among])

    def imagine(self, truth: Sequence[int], scores: Sequence[float], sizes: Sequence[float]) -> None:
        """Add half an item, or half a cluster, of these sizes at each of these scores to what is re-weighted."""
        view, extra = self.view, len(scores)
        weight = np.ones(view.truth.size) if view.weight is None else view.weight
        self.view = View(
            np.append(view.truth, truth),
            np.append(view.scores, scores),
            np.append(view.member, view.n_units + np.arange(extra)),
            view.n_units + extra,
            np.append(weight, sizes),
        )

    @property
    def ones(self) -> FloatArray:
        """The weights of what was observed."""
        weights = np.zeros((self.view.n_units, 1))
        weights[: self.items.n_units] = 1.0
        return weights

    @property
    def facts(self) -> dict[str, Any]:
        """What every curve holds beside its points."""
        items = self.items
        sizes = {"n_items": items.n_items, "n_clusters": items.n_clusters}
        return {"name": items.names[0], **sizes, "seed": self.seed, "remarks": self.remarks}

    def draw(self, curve: Weigh) -> FloatArray:
        """Draw curves, (points, draws), by re-weighting the items."""
        posterior = Bootstrap().fit(self.items)
        assert isinstance(posterior, ScorePosterior)  # noqa: S101
        extra = self.view.n_units - self.items.n_units

        def block(rng: np.random.Generator, size: int) -> FloatArray:
            weights = posterior.block(rng, size).weights
            return curve(np.concatenate([weights, rng.standard_gamma(_HALF_AN_ITEM, (extra, size))]))

        return draw_blocks(
            block,
            size=posterior.block_size,
            start=0,
            stop=self.draws,
            seed=self.seed,
            stream=streams.POSTERIOR,
            threads=self.threads,
        )

    def band(self, curve: Weigh, x: FloatArray, *, values: FloatArray | None = None) -> Band:
        """Return the bands of a curve, from draws of it; both hold the curve that was observed.

        Where it has reached the end of its range, such as a true positive rate of 1, so does the band: draws come
        close to the end and never quite there. Draws that are too few for the band are noted.
        """
        values = self.draw(curve) if values is None else values
        observed = curve(self.ones)[:, 0]
        low, high = pointwise(values, self.prob)
        low, high = np.minimum(low, observed), np.maximum(high, observed)
        all_low, all_high, held = simultaneous(values, self.prob)
        if self.draws < _MIN_DRAWS:
            text = f"With {self.draws:,} draws the band is rough: 2,000 are usual."
            self.remarks = (note("rough_band", text), *self.remarks)
        elif held < self.prob - _ROUNDING:
            text = (
                f"With {self.draws:,} draws the band at all points at once is {100 * held:.1f}%, and not "
                f"{100 * self.prob:g}%: take more of them."
            )
            self.remarks = (note("rough_band", text), *self.remarks)
        return Band(
            x=x,
            observed=observed,
            mean=values.mean(axis=1),
            low=low,
            high=high,
            all_low=np.minimum(all_low, low),
            all_high=np.maximum(all_high, high),
            prob=self.prob,
            draws=values.shape[1],
        )


def _few_of_a_class(items: ItemScores) -> list[Remark]:
    """Return a note where a class has fewer items, or clusters, than bands were validated with.

    Unequal ones count as Kish's effective number.
    """
    assert items.truth is not None  # noqa: S101
    weight = np.ones(items.n_items) if items.weight is None else items.weight
    unit = units_of(items)[1]
    sums = [np.bincount(items.members, weights=weight * (items.truth == j)) for j in (0, 1)]
    counts = [int(each.sum() ** 2 / (each**2).sum() + _ROUNDING) for each in sums]
    rarest = int(np.argmin(counts))
    if counts[rarest] >= _MIN_PER_CLASS[unit]:
        return []
    worth = "occurs only in" if (sums[rarest] > 0).sum() == counts[rarest] else "is worth only"
    text = (
        f"Class {brief(repr(label_text(items.labels[rarest])))} {worth} {count_of(counts[rarest], unit)}: with fewer "
        f"than {_MIN_PER_CLASS[unit]} the band depends on what is imagined beside them, and was not validated."
    )
    return [note("rare_classes", text)]


@dataclass(frozen=True, slots=True)
class ThresholdTables:
    """Weights of true positives and of all that is called positive, (thresholds, draws), and of the two classes.

    To a metric the thresholds look like classifiers, so every metric of two classes can be drawn against them.
    """

    tp: FloatArray
    called: FloatArray
    positives: FloatArray
    negatives: FloatArray

    @property
    def n_labels(self) -> int:
        """Two: negative and positive."""
        return 2

    def margins(self) -> Margins:
        """Return the margins of both classes, the positive one last."""
        total = self.positives + self.negatives
        tn = np.maximum(total - self.positives - self.called + self.tp, 0.0)
        return Margins(
            tp=np.stack([tn, self.tp], axis=-1),
            col=np.stack([total - self.called, self.called], axis=-1),
            row=np.stack([self.negatives, self.positives], axis=-1),
            total=total[:, np.newaxis],
        )

    def linear(self, cost: FloatArray) -> FloatArray:
        """Return the mean cost per item, (thresholds, draws)."""
        fp = self.called - self.tp
        sums = cost[1, 1] * self.tp + cost[0, 1] * fp
        sums += cost[1, 0] * (self.positives - self.tp) + cost[0, 0] * (self.negatives - fp)
        return np.asarray(sums / (self.positives + self.negatives))

    def at_prevalence(self, shares: FloatArray) -> ThresholdTables:
        """Return the tables with the class mix replaced and all else equal."""
        up, down = shares[1] / self.positives, shares[0] / self.negatives
        tp = self.tp * up
        called = tp + (self.called - self.tp) * down
        return ThresholdTables(tp, called, np.full_like(self.positives, shares[1]), np.full_like(up, shares[0]))


def threshold_sums(view: View, thresholds: FloatArray) -> Any:
    """Return the sparse matrix of sums between thresholds (descending): positives, then negatives, the rest last."""
    place = np.searchsorted(-thresholds, -view.scores)  # an item is called positive from this threshold on
    n = thresholds.size + 1
    return view.sums(place + n * (view.truth == 0), 2 * n)


def threshold_tables(sums: FloatArray) -> ThresholdTables:
    """Return the tables of all thresholds from the sums between them."""
    n = len(sums) // 2
    hits, misses = np.cumsum(sums[:n], axis=0), np.cumsum(sums[n:], axis=0)
    return ThresholdTables(hits[:-1], hits[:-1] + misses[:-1], hits[-1], misses[-1])
