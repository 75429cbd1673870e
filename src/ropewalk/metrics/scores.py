"""Metrics of scores by name, as objects, or made from a function: the counterpart of `registry`, for scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any, Final, Literal

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.labels import BINARY, label_text
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.metrics.influence import Smooth, SmoothAverage, SmoothMean, smooth
from ropewalk.metrics.items import (
    SURE,
    DecisionCost,
    Plan,
    View,
    average_precision,
    brier,
    ece,
    log_loss,
    mean,
    pr_auc,
    roc_auc,
)
from ropewalk.metrics.registry import METRICS, cost
from ropewalk.text.remarks import wording
from ropewalk.text.writing import did_you_mean, reason, shorten
from ropewalk.typing import FloatArray

_ROUNDING: Final = 1e-6


class Plans:
    """What was prepared for each metric: once, whichever thread asks first."""

    def __init__(self) -> None:
        self._kept: dict[Any, list[Plan]] = {}
        self._lock = Lock()

    def of(self, metric: ScoreMetric, prepare: Callable[[], list[Plan]]) -> list[Plan]:
        """Return the plans of a metric, prepared now if need be."""
        with self._lock:
            if metric not in self._kept:
                self._kept[metric] = prepare()
            return self._kept[metric]


@dataclass(frozen=True)
class WeightedItems:
    """D draws of weights (units, D) on the units of `items`; `plans` keeps what was prepared for a metric."""

    items: ItemScores
    weights: FloatArray
    plans: Plans = field(default_factory=Plans)

    def at_prevalence(self, shares: FloatArray) -> WeightedItems:  # noqa: ARG002
        """Refuse: the class mix of scores is that of the items."""
        raise InvalidInputError(wording("`prevalence` is about labels, not scores."), hint="use sample_weight=.")


@dataclass(frozen=True, slots=True)
class Measured:
    """Draws of one metric (K, D) that were made without weights of the items."""

    psi: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreMetric:
    """A number computed from weighted items, for every system and draw.

    `prepare` makes the plan of one system. `ranks` marks metrics that only look at the order of scores,
    `probabilities` those that need numbers from 0 to 1, `every_class` those that know more than two classes by
    themselves; others take an `average` over each class against the rest. `chance` is the value of scores that know
    nothing, where lower ones point the wrong way; `least` the smallest probability that counts as itself. Noise adds to
    what is `inflated_by_noise`; a function, called once per draw, `is_slow`. `high_of_two` is the most that it can be
    for two classes, where that differs. `of` is what a mean is taken of, where an evaluation log names its score.
    """

    name: str
    prepare: Callable[[View], Plan]
    higher_is_better: bool = True
    low: float = 0.0
    high: float = 1.0
    ranks: bool = False
    probabilities: bool = False
    every_class: bool = False
    needs_truth: bool = True
    average: Literal["macro", "weighted"] | None = None
    chance: float | None = None
    least: float | None = None
    inflated_by_noise: bool = False
    is_slow: bool = False
    right_or_wrong: bool = False
    high_of_two: float | None = None
    of: str = ""

    classes = None
    cost = None
    divisor = None
    n_beside = 0
    pools_labels = False
    positive = None

    @property
    def title(self) -> str:
        """What it is called in a sentence."""
        return f"{self.name} {self.of}" if self.of else self.name

    @property
    def takes_scale(self) -> bool:
        """Whether it is a mean of values whose ends are not known from it: of any numbers, or of log losses."""
        return not self.needs_truth or self.least is not None

    def __call__(self, drawn: WeightedItems | Measured) -> FloatArray:
        """Return the value for each system and draw, (K, D)."""
        if isinstance(drawn, Measured):
            return drawn.psi
        items = drawn.items
        plans = drawn.plans.of(self, lambda: [self._plan(items, k) for k in range(items.n_classifiers)])
        return np.stack([plan(drawn.weights) for plan in plans])

    def observed(self, items: ItemScores) -> FloatArray:
        """Return the value of each system where all items weigh what they do."""
        smooth = self.smooth(items)
        if smooth is None:
            return self(WeightedItems(items, np.ones((items.n_units, 1))))[:, 0]
        mass = np.ones(items.n_items) if items.weight is None else items.weight
        return np.array([metric.value(mass) for metric in smooth])

    def smooth(self, items: ItemScores) -> list[Smooth] | None:
        """Return each system's value as a smooth function of the items' masses; None where it is none."""
        found = [self._smooth(items, k) for k in range(items.n_classifiers)]
        return None if None in found else found  # type: ignore[return-value]

    def item_values(self, items: ItemScores) -> list[FloatArray]:
        """Return what each system's mean is taken of, item by item; empty where the metric is no mean."""
        return [mean.values for mean in self.smooth(items) or () if isinstance(mean, SmoothMean)]

    def _smooth(self, items: ItemScores, k: int) -> Smooth | None:
        whole, views = self._views(items, k)
        parts = [smooth(self.prepare, view) for view in views]
        if None in parts or self.average is None:
            return parts[0]
        return SmoothAverage(tuple(parts), whole.truth if self.average == "weighted" else None)  # type: ignore[arg-type]

    def _views(self, items: ItemScores, k: int) -> tuple[View, list[View]]:
        """Return what a system's value is made from, as a whole and class by class where it is an average."""
        truth = np.zeros(items.n_items, dtype=np.int64) if items.truth is None else items.truth
        whole = View(truth, items.values[k], items.members, items.n_units, items.weight)
        if self.average is None:
            return whole, [whole]
        return whole, [
            replace(whole, truth=(truth == j).astype(np.int64), scores=whole.scores[:, j])
            for j in range(items.n_labels)
        ]

    def _plan(self, items: ItemScores, k: int) -> Plan:
        whole, views = self._views(items, k)
        parts = [self.prepare(view) for view in views]
        if self.average is None:
            return parts[0]
        shares = whole.sums(whole.truth, items.n_labels) if self.average == "weighted" else None

        def average(weights: FloatArray) -> FloatArray:
            values = np.stack([part(weights) for part in parts])
            if shares is None:
                return np.asarray(values.mean(axis=0))
            by_class = shares @ weights
            return np.asarray((values * by_class).sum(axis=0) / by_class.sum(axis=0))

        return average

    def check(self, items: ItemScores) -> None:
        """Refuse data that the metric is not defined on."""
        if self.right_or_wrong:
            check_right_or_wrong(items, self.name)
        if not self.needs_truth:
            return
        if items.truth is None:
            raise InvalidInputError(f"The metric {self.name!r} needs the truth.", hint="only the mean does without it.")
        if not items.n_items:
            return
        by_class = np.bincount(items.truth, weights=items.weight, minlength=items.n_labels)
        if self.ranks and (by_class == 0).any():
            absent = [label_text(items.labels[j]) for j in np.flatnonzero(by_class == 0)]
            there = [label_text(items.labels[j]) for j in np.flatnonzero(by_class)]
            raise DataError(
                f"{self.name} needs items of every class; there is none of {shorten(absent, 4)}, only "
                f"{shorten(there, 4)}.",
                hint="a ranking is judged by whether one class comes before the other.",
            )
        for name, values in zip(items.names, items.values, strict=True):
            if self.ranks and (values == values[0]).all():
                raise DataError(
                    f"All scores of {name!r} are {np.ravel(values)[0]:g}: they rank nothing.",
                    hint="give the scores before they are rounded or cut; is this the right column?",
                )
            if self.probabilities:
                check_probabilities(values, name, self.name)


def check_right_or_wrong(items: ItemScores, metric: str) -> None:
    """Refuse scores that do not say whether an answer is right."""
    for name, values in zip(items.names, items.values, strict=True):
        other = values[~np.isin(values, (0.0, 1.0))]
        if other.size:
            raise DataError(
                f"Without a truth {metric} takes columns of right (1) and wrong (0); {name!r} holds {other[0]:g}.",
                hint=wording('name the true labels as truth=; metric="mean" compares any numbers.'),
            )


def check_probabilities(values: FloatArray, name: str, metric: str) -> None:
    """Refuse scores that are no probabilities."""
    outside = np.flatnonzero((values < -_ROUNDING) | (values > 1 + _ROUNDING))
    if outside.size:
        worst = values.reshape(-1)[outside[0]]
        raise DataError(
            f"{metric} needs probabilities from 0 to 1; {outside.size:,} scores of {name!r} lie outside, such as "
            f"{worst:g}.",
            hint=wording(
                "log-odds and margins rank items: use roc_auc, calibrate them, or for a cost give threshold=."
            ),
        )
    if values.ndim > 1:
        off = np.flatnonzero(np.abs(values.sum(axis=1) - 1) > _ROUNDING)
        if off.size:
            raise DataError(
                f"{metric} needs probabilities that add up to 1 over the classes; those of {name!r} do not for "
                f"{off.size:,} items (a sum of {values[off[0]].sum():g}).",
                hint="columns follow the order of the labels, one for each.",
            )


_loss = partial(ScoreMetric, higher_is_better=False, probabilities=True, every_class=True)

_OTHER_NAMES: Final = {
    "roc_auc": ("auc", "auroc", "auc_roc"),
    "average_precision": ("ap",),
    "pr_auc": ("auc_pr", "auprc"),
    "log_loss": ("logloss",),
    "brier": ("brier_score",),
}
"""What people call metrics too: each name is a metric like any other, and printed as it was given."""

SCORE_METRICS: Final = {
    name: replace(metric, name=name)
    for metric in (
        ScoreMetric(name="roc_auc", prepare=roc_auc, ranks=True, chance=0.5),
        ScoreMetric(name="average_precision", prepare=average_precision, ranks=True),
        ScoreMetric(name="pr_auc", prepare=pr_auc, ranks=True),
        _loss(name="log_loss", prepare=log_loss, high=math.inf, least=SURE),
        _loss(name="brier", prepare=brier, high=2.0, high_of_two=1.0),
        _loss(name="ece", prepare=ece, inflated_by_noise=True),
        ScoreMetric(name="mean", prepare=mean, low=-math.inf, high=math.inf, needs_truth=False),
    )
    for name in (metric.name, *_OTHER_NAMES.get(metric.name, ()))
}
"""Every metric of scores that a name alone describes, by each of its names; macro_ and weighted_ go before those that
rank."""


def is_roc_auc(metric: object) -> bool:
    """Whether a metric is the area under the ROC curve of two classes, by whatever name.

    Examples
    --------
    >>> is_roc_auc(replace(SCORE_METRICS["roc_auc"], name="auc")), is_roc_auc(SCORE_METRICS["brier"])
    (True, False)
    """
    return isinstance(metric, ScoreMetric) and replace(metric, name="roc_auc") == SCORE_METRICS["roc_auc"]


def accuracy_without_truth(name: str) -> ScoreMetric:
    """Return the accuracy of answers of which only is known whether they are right, by the name that it was given."""
    return ScoreMetric(name=name, prepare=mean, needs_truth=False, right_or_wrong=True)


def mean_of(score: str) -> ScoreMetric:
    """Return the mean of a score that has a name.

    Examples
    --------
    >>> mean_of("exact_match").title
    'mean exact_match'
    """
    return replace(SCORE_METRICS["mean"], of=score)


def decision_cost(matrix: Any, threshold: float | None = None) -> ScoreMetric:
    """Return the mean cost of what scores decide: positive from a threshold on, or the decision of minimum risk.

    Rows of `matrix` are the truth, columns the decision, in label order. Without a `threshold` the scores must be
    probabilities, of any number of classes.

    Examples
    --------
    >>> decision_cost([[0, 1], [10, 0]]).higher_is_better
    False
    """
    costs = cost(matrix).cost
    assert costs is not None  # noqa: S101
    if threshold is not None and not (is_real(threshold) and math.isfinite(threshold)):
        raise InvalidInputError(
            wording("`threshold` must be a finite number; got {!r}.", threshold), hint="0.5 is usual for probabilities."
        )
    if threshold is not None and len(costs) != BINARY:
        raise InvalidInputError("A threshold decides between two classes.", hint="leave it out for minimum risk.")
    return ScoreMetric(
        name="cost",
        prepare=DecisionCost(costs, None if threshold is None else float(threshold)),
        higher_is_better=False,
        low=min(map(min, costs)),
        high=max(map(max, costs)),
        probabilities=threshold is None,
        every_class=True,
    )


ScoreMetricLike = str | ScoreMetric | Callable[..., Any]


def parse_score_metric(
    metric: ScoreMetricLike, *, n_labels: int = 2, higher_is_better: bool | None = None
) -> ScoreMetric:
    """Turn a name, a `ScoreMetric` or a function into a `ScoreMetric` for so many labels.

    A function is called as scikit-learn's are, ``f(y_true, y_score, sample_weight=…)``, once per draw. Metrics that
    rank are the mean over each class against the rest where there are more than two.

    Examples
    --------
    >>> parse_score_metric("roc_auc", n_labels=3).name
    'macro_roc_auc'
    """
    if isinstance(metric, ScoreMetric):
        chosen = metric
    elif callable(metric):
        chosen = _from_function(metric)
    elif isinstance(metric, str):
        chosen = _by_name(metric)
    else:
        raise UnknownNameError(wording("`metric` must be a name or a function; got {!r}.", metric), hint=_known())
    if n_labels > BINARY and chosen.average is None and not chosen.every_class and chosen.needs_truth:
        chosen = replace(chosen, name=f"macro_{chosen.name}", average="macro")
    if n_labels <= BINARY and chosen.average is not None:
        raise InvalidInputError(
            f"{chosen.name!r} averages over classes, and there are {n_labels} labels.",
            hint=wording("use metric={!r}.", chosen.name.partition("_")[2]),
        )
    if n_labels <= BINARY and chosen.high_of_two is not None:
        chosen = replace(chosen, high=chosen.high_of_two)
    return chosen if higher_is_better is None else _turned(chosen, higher_is_better)


def less_is_better(name: str) -> bool:
    """Return whether less is better of what has this name: one of our metrics, or else a loss, an error or a cost.

    Examples
    --------
    >>> [less_is_better(name) for name in ("accuracy", "macro_fpr", "log_loss", "Hinge loss", "error", "lossless")]
    [False, True, True, True, True, False]
    """
    bare = name.removeprefix("micro_").removeprefix("macro_").removeprefix("weighted_")
    known = METRICS.get(bare) or SCORE_METRICS.get(bare)
    return name.lower().replace("_", " ").split(" ")[-1] in _LESS if known is None else not known.higher_is_better


_LESS: Final = {"loss", "error", "cost"}
"""What names of such metrics end in, as scikit-learn's do."""


def given_scores(name: Any, scores: FloatArray, *, higher_is_better: Any = None) -> ScoreMetric:
    """Return what scores are that were made elsewhere, by the name that they are given: shares, if all are.

    Examples
    --------
    >>> given_scores("accuracy", np.array([0.9, 0.8])).high, given_scores("loss", np.array([2.0])).high
    (1.0, inf)
    """
    if not isinstance(name, str) or not name:
        raise InvalidInputError(wording("`metric` must be what the scores are called; got {!r}.", name), hint=_CALLED)
    known = scores[np.isfinite(scores)]
    shares = bool(known.size) and float(known.min()) >= 0 and float(known.max()) <= 1
    low, high = (0.0, 1.0) if shares else (-math.inf, math.inf)
    up = not less_is_better(name) if higher_is_better is None else higher_is_better
    return replace(_turned(SCORE_METRICS["mean"], up), name=name, low=low, high=high)


_CALLED: Final = 'a text such as "accuracy": it is shown, and nothing is computed by it.'


def _turned(metric: ScoreMetric, higher_is_better: bool) -> ScoreMetric:  # noqa: FBT001
    if not isinstance(higher_is_better, bool):
        raise InvalidInputError(
            wording("`higher_is_better` must be True or False; got {!r}.", higher_is_better),
            hint="False says that less is better.",
        )
    if metric.name in SCORE_METRICS and metric.needs_truth and metric.higher_is_better != higher_is_better:
        which = "higher" if metric.higher_is_better else "lower"
        raise InvalidInputError(
            f"A {which} {metric.name} is better, always.", hint=wording("leave higher_is_better= out.")
        )
    return replace(metric, higher_is_better=higher_is_better)


def _known() -> str:
    return f"There are: {', '.join(SCORE_METRICS)} and cost; macro_ and weighted_ go before those that rank."


def _by_name(written: str) -> ScoreMetric:
    name = written.lower()
    for average in ("macro", "weighted"):
        base = name.removeprefix(f"{average}_")
        if base != name and base in SCORE_METRICS:
            metric = SCORE_METRICS[base]
            if not metric.ranks:
                raise UnknownNameError(f"{base!r} has no {average} average.", hint=wording("use metric={!r}.", base))
            return replace(metric, name=name, average=average)
    if name in SCORE_METRICS:
        return SCORE_METRICS[name]
    if name.removeprefix("micro_").removeprefix("macro_").removeprefix("weighted_") in METRICS:
        raise UnknownNameError(
            f"Unknown metric of scores {written!r}: it is one of labels.",
            hint="cut the scores at a threshold, and compare the labels.",
        )
    raise UnknownNameError(f"Unknown metric of scores {written!r}.", hint=did_you_mean(name, SCORE_METRICS) + _known())


def _from_function(function: Callable[..., Any]) -> ScoreMetric:
    name = getattr(function, "__name__", type(function).__name__)

    def prepare(view: View) -> Plan:
        def values(weights: FloatArray) -> FloatArray:
            numbers = np.empty(weights.shape[1])
            for d in range(weights.shape[1]):
                weight = weights[view.member, d] * (1.0 if view.weight is None else view.weight)
                try:
                    numbers[d] = function(view.truth, view.scores, sample_weight=weight)
                except Exception as error:
                    raise InvalidInputError(
                        f"The metric {name!r} failed: {reason(error)}.",
                        hint="a metric of scores is called as f(y_true, y_score, sample_weight=weights).",
                    ) from error
            if not np.isfinite(numbers).all():
                raise InvalidInputError(f"The metric {name!r} returned NaN or infinity.", hint="return finite numbers.")
            return numbers

        return values

    return ScoreMetric(
        name=name,
        prepare=prepare,
        low=-math.inf,
        high=math.inf,
        every_class=True,
        higher_is_better=not less_is_better(name),
        is_slow=True,
    )
