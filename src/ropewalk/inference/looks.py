"""Look at an evaluation that grows: differences item by item, and what they say whenever they are looked at."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk.classical.betting import bounds
from ropewalk.data.labels import label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import Interval
from ropewalk.draws.rope import MARGIN_GOALS, parse_margin_goal, parse_question
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.outcomes import outcome_of as gate_outcome_of
from ropewalk.metrics import margins as kernels
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models import AnyMetric
from ropewalk.results import Comparison, Recipe
from ropewalk.results.gates import Outcome
from ropewalk.results.looks import Look
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, did_you_mean
from ropewalk.typing import BoolArray, CodeArray, FloatArray, IntArray

_MEANS: Final = "accuracy, error, recall, specificity, fpr, fnr, cost, brier, and mean"
_OTHERWISE: Final = wording("metric={!r} is; such metrics are {}. A single look may be by any.", "accuracy", _MEANS)


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """Differences A − B of items, or of clusters of equal size: each value, how often it came, and the ends."""

    values: FloatArray
    counts: IntArray
    scale: Interval

    @property
    def n(self) -> int:
        """How many there are."""
        return int(self.counts.sum())

    @classmethod
    def of(cls, each: FloatArray, scale: Interval, counts: IntArray | None = None) -> Differences:
        """Return the distinct ones of differences, each of which came so often."""
        values, place = np.unique(each, return_inverse=True)
        how_often = np.bincount(place.reshape(-1), weights=counts, minlength=values.size).astype(np.int64)
        some = how_often > 0
        return cls(values[some], how_often[some], scale)


# -- what a metric is the mean of --------------------------------------------------------------------------


def _right(truth: CodeArray, predicted: CodeArray, _: int) -> BoolArray:
    return np.equal(truth, predicted)


def _called(_truth: CodeArray, predicted: CodeArray, positive: int) -> BoolArray:
    return np.equal(predicted, positive)


def _all(truth: CodeArray, _: int) -> BoolArray:
    return np.ones(truth.shape, dtype=np.bool_)


def _positive(truth: CodeArray, positive: int) -> BoolArray:
    return np.equal(truth, positive)


def _negative(truth: CodeArray, positive: int) -> BoolArray:
    return np.not_equal(truth, positive)


@dataclass(frozen=True, slots=True)
class _Share:
    """A metric that is a share of some items: which these are, which of them it counts, and whether the others."""

    among: Callable[[CodeArray, int], BoolArray]
    counts: Callable[[CodeArray, CodeArray, int], BoolArray]
    others: bool = False


_SHARES: Final[Mapping[Any, _Share]] = {
    kernels.accuracy: _Share(_all, _right),
    kernels.error: _Share(_all, _right, others=True),
    kernels.recall: _Share(_positive, _called),
    kernels.fnr: _Share(_positive, _called, others=True),
    kernels.fpr: _Share(_negative, _called),
    kernels.specificity: _Share(_negative, _called, others=True),
}
"""Metrics of labels that are means over items, or over those that the truth picks."""


def check_mean(metric: AnyMetric) -> None:
    """Refuse a metric that is no mean over items, or over those that the truth picks."""
    name, of_items = metric.name, wording("metric={!r} is the mean over items", "accuracy")
    if isinstance(metric, ScoreMetric):
        if metric.ranks or metric.average is not None or metric.inflated_by_noise or metric.is_slow:
            raise InvalidInputError(
                f"{name} is no mean over items, so its error over all looks cannot be bounded.", hint=_OTHERWISE
            )
        return
    if metric.average is not None or metric.over_classes:
        raise InvalidInputError(
            f"{name} is an average over classes, and no mean over items: its error over all looks cannot be bounded.",
            hint=of_items + wording("; metric={!r} with pos_label= is about one class.", "recall"),
        )
    if metric.cost is None and metric.kernel not in _SHARES:
        raise InvalidInputError(
            f"{name} is no mean over items, or over those that the truth picks, so its error over all looks cannot be "
            "bounded.",
            hint=_OTHERWISE,
        )


def cell_differences(metric: Metric, codes: CodeArray) -> tuple[FloatArray, BoolArray, Interval]:
    """Return of rows (truth, A, B) the difference A − B, which of them the metric is about, and the ends of its scale.

    Examples
    --------
    >>> from ropewalk.metrics.registry import METRICS
    >>> rows = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 1]])
    >>> cell_differences(METRICS["accuracy"], rows)[0].tolist()
    [1.0, 0.0, -1.0]
    """
    check_mean(metric)
    truth, a, b = codes[:, 0], codes[:, 1], codes[:, 2]
    if metric.cost is not None:
        costs = np.array(metric.cost)
        width = float((costs.max(axis=1) - costs.min(axis=1)).max())
        return costs[truth, a] - costs[truth, b], _all(truth, 0), Interval(-width, width)
    share, positive = _SHARES[metric.kernel], -1 if metric.positive is None else metric.positive
    gained = share.counts(truth, a, positive).astype(np.float64) - share.counts(truth, b, positive)
    return -gained + 0.0 if share.others else gained, share.among(truth, positive), Interval(-1.0, 1.0)


def differences_of(recipe: Recipe) -> Differences:
    """Return what the metric of two systems on the same items is a mean of, item by item or cluster by cluster."""
    metric = recipe.metric
    check_mean(metric)
    if len(recipe.tables) > 1:
        raise InvalidInputError(
            "The bound is on differences item by item, and these are separate test sets.",
            hint="give the answers of both systems to the same items.",
        )
    if recipe.prevalence is not None:
        raise InvalidInputError(
            wording("At another `prevalence` a metric is no mean over items."), hint="leave it out."
        )
    table = recipe.tables[0]
    if recipe.is_weighted:
        raise InvalidInputError(
            "The bound takes items that count alike, and these have weights.", hint="leave them out."
        )
    if isinstance(table, ItemScores):
        assert isinstance(metric, ScoreMetric)  # noqa: S101
        return _of_scores(table, metric, recipe)
    if not isinstance(table, Outcomes):
        raise InvalidInputError(
            "Items with any number of labels each have no bound over all looks.",
            hint="ask about one label, as 0 and 1.",
        )
    assert isinstance(metric, Metric)  # noqa: S101
    each, counted, scale = cell_differences(metric, table.codes)
    if table.clusters is None:
        return Differences.of(each[counted], scale, table.counts[counted])
    clusters = table.clusters
    some = counted[clusters.row]
    place, counts = clusters.cluster[some], clusters.counts[some]
    return _by_cluster(each[clusters.row[some]], place, counts, scale)


def _of_scores(items: ItemScores, metric: ScoreMetric, recipe: Recipe) -> Differences:
    values = metric.item_values(items)
    if len(values) != 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"{metric.name} is no mean over items, so its error over all looks cannot be bounded.", hint=_OTHERWISE
        )
    low, high = metric.low, metric.high if items.n_labels != 2 else metric.high_of_two or metric.high  # noqa: PLR2004
    if not math.isfinite(high - low) or (metric.takes_scale and not metric.right_or_wrong):
        ends = recipe.model.score_range
        if ends is None or recipe.model.has_assumed_scale:
            raise InvalidInputError(
                f"The bound of a {metric.name} needs its scale: a value beyond those seen may be rare and large.",
                hint=wording("scale=(0, 5) says what its values can be."),
            )
        low, high = ends
    width = high - low
    each = values[0] - values[1]
    if each.size and np.abs(each).max() > width * (1 + 1e-9):
        raise DataError(
            f"Some values of {metric.name} lie outside of its scale, {low:g} to {high:g}.",
            hint=wording("scale= says what its values can be."),
        )
    scale = Interval(-width, width)
    if items.cluster is None:
        return Differences.of(each, scale)
    return _by_cluster(each, items.cluster, np.ones(each.size, dtype=np.int64), scale)


def _by_cluster(each: FloatArray, cluster: IntArray, counts: IntArray, scale: Interval) -> Differences:
    """Return the mean difference of every cluster that has items; they must be as many in each."""
    sizes = np.bincount(cluster, weights=counts)
    present = sizes > 0
    sizes = sizes[present]
    if np.unique(sizes).size > 1:
        raise DataError(
            f"Clusters, or repeats of an item, must be of equal size for a bound over all looks; these have "
            f"{sizes.min():.0f} to {sizes.max():.0f} items.",
            hint="wait until every item has all its repeats; rw.compare takes clusters of any size, at one look.",
        )
    sums = np.bincount(cluster, weights=each * counts)[present]
    return Differences.of(np.round(sums / sizes, 12), scale)


# -- the look ----------------------------------------------------------------------------------------------


def check_require(require: Any) -> str:
    """Return what is required under the name that options have: better, not-worse or equivalent.

    Examples
    --------
    >>> check_require("not_worse")
    'not-worse'
    """
    name = parse_margin_goal(require)
    if name is None:
        listed = [goal.replace("_", "-") for goal in MARGIN_GOALS]
        raise InvalidInputError(
            wording("`require` must be one of {}; got {!r}.", ", ".join(listed), require),
            hint=did_you_mean(require, listed) + wording("each but better needs a margin= too."),
        )
    return name.replace("_", "-")


def region_of(require: str, margin: float | None, *, higher_is_better: bool) -> Interval:
    """Return what is required of the difference A − B.

    Examples
    --------
    >>> region_of("better", None, higher_is_better=True), region_of("not-worse", 0.02, higher_is_better=False)
    (Interval(low=0.0, high=inf), Interval(low=-inf, high=0.02))
    """
    rope = parse_question(None, require, margin, higher_is_better=higher_is_better)
    assert rope is not None  # noqa: S101 - a goal has one
    if parse_margin_goal(require) != "better":
        return rope
    return Interval(rope.high, math.inf) if higher_is_better else Interval(-math.inf, rope.low + 0.0)  # no -0.0


def outcome_of(interval: Interval, region: Interval) -> Outcome:
    """Return whether an interval lies in the region, outside of it, or on both sides of an edge.

    Examples
    --------
    >>> seen = Interval(-0.01, 0.03)
    >>> outcome_of(seen, Interval(-0.02, math.inf)), outcome_of(seen, Interval(0.0, math.inf))
    ('met', 'undecided')
    """
    if region.low <= interval.low and interval.high <= region.high:
        return "met"
    return "contradicted" if interval.high <= region.low or interval.low >= region.high else "undecided"


def error_of(recipe: Recipe) -> float:
    """Return the error over all looks, on each side: half of what the HDI leaves out."""
    return round((1 - recipe.prob) / 2, 12)  # 0.025, not 0.025000000000000022


def look_at(comparison: Comparison, require: str, margin: float | None, *, before: Look | None = None) -> Look:
    """Return what a comparison by a goal and its margin says, and what may be said at every look; items only grow."""
    recipe = comparison.recipe
    differences, rows = differences_of(recipe), rows_of(recipe)
    if before is not None:
        _check_grown(before, recipe, rows)
    region = region_of(require, margin, higher_is_better=recipe.metric.higher_is_better)
    error = error_of(recipe)
    interval = bounds(differences.values, differences.counts, differences.scale, error)
    return Look(
        comparison=comparison,
        require=check_require(require),
        margin=0.0 if margin is None else float(margin),
        region=region,
        n=differences.n,
        interval=interval,
        error=error,
        outcome=outcome_of(interval, region),
        plain_outcome=gate_outcome_of(comparison, check_require(require))[0],
        rows=rows,
        remarks=comparison.remarks,
    )


def rows_of(recipe: Recipe) -> Mapping[Any, int]:
    """Return how often each combination of truth and answers came."""
    table: Any = recipe.tables[0]
    if isinstance(table, Outcomes):
        texts = [label_text(label) for label in table.labels]
        coded = zip(table.codes.tolist(), table.counts.tolist(), strict=True)
        return {tuple([texts[code] for code in row]): n for row, n in coded}
    texts = [label_text(label) for label in table.labels]
    values = np.column_stack([*table.values])
    rows = map(bytes, np.ascontiguousarray(values, dtype=np.float64))
    if table.truth is None:
        return Counter(rows)
    return Counter(zip([texts[code] for code in table.truth.tolist()], rows, strict=True))


def _check_grown(before: Look, recipe: Recipe, rows: Mapping[Any, int]) -> None:
    """Refuse data that lack what was there at the look before."""
    was = before.recipe
    if (before.a, before.b) != recipe.names or was.metric.name != recipe.metric.name:
        raise InvalidInputError(
            wording("`before` is a look at {}, {} and {}.", before.recipe.metric.name, before.a, before.b),
            hint="give the look before this one.",
        )
    gone = sum(max(n - rows.get(row, 0), 0) for row, n in before.rows.items())
    if gone:
        raise DataError(
            f"{count_of(gone, 'item')} of the look before {'is' if gone == 1 else 'are'} gone or changed: "
            f"{before.n_items:,} then, {recipe.n_items:,} now.",
            hint="an error over all looks is bounded where items are only added; start anew on data that stay.",
        )
