"""Metrics by name, as objects, or made from a function."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from ropewalk._arguments import array_of
from ropewalk._checks import checked_keywords, is_real
from ropewalk.data.matrices import MAX_NUMBER
from ropewalk.errors import InvalidInputError, RopewalkError, UnknownNameError
from ropewalk.metrics import margins as kernels
from ropewalk.metrics.margins import Margins, Tables, Weighted, ratio
from ropewalk.text.remarks import wording
from ropewalk.text.writing import nearest, reason, told
from ropewalk.typing import FloatArray, Kernel

Average = Literal["micro", "macro", "weighted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number computed from a weighted table, for every classifier and draw.

    `by_class` marks a kernel that gives a value for every class: it then needs an `average`, or a positive class
    `positive` (its place among the labels). `over_classes` marks one that averages by itself. `classes` are the places
    of the classes that an average runs over, all if None. `low` and `high` are the least and the most that it can be.
    `cost` replaces the kernel by the mean cost of a cell. `divisor` is the part of the margins that a ratio without
    bound is divided by: the ratio is infinite where that is 0, and has no mean where it is of few items.
    """

    name: str
    kernel: Kernel | None = None
    higher_is_better: bool = True
    by_class: bool = False
    average: Average | None = None
    positive: int | None = None
    over_classes: bool = False
    classes: tuple[int, ...] | None = None
    low: float = -math.inf
    high: float = math.inf
    cost: tuple[tuple[float, ...], ...] | None = None
    divisor: Literal["fp", "tn"] | None = None

    ranks = inflated_by_noise = is_slow = False
    chance = None
    of = ""

    @property
    def title(self) -> str:
        """What it is called in a sentence."""
        return self.name

    @property
    def needs_positive(self) -> bool:
        """Whether a positive class must be chosen before the metric can be computed."""
        return self.by_class and self.average is None

    @property
    def pools_labels(self) -> bool:
        """Whether the counts of all labels are added up first, so that rare ones hardly matter: a micro average."""
        return self.average == "micro"

    @property
    def is_average(self) -> bool:
        """Whether the metric is an average over classes, which may be over some of them."""
        return self.average is not None or self.over_classes

    @property
    def has_averages(self) -> bool:
        """Whether the values of all classes can be averaged: not of a ratio, which a single class makes infinite."""
        return self.by_class and self.divisor is None

    def at(self, positive: int) -> Metric:
        """Return the metric of one class."""
        return replace(self, positive=positive) if self.needs_positive else self

    def __post_init__(self) -> None:
        if (self.kernel is None) == (self.cost is None):
            raise InvalidInputError(
                f"The metric {self.name!r} needs a kernel or costs, and not both.", hint="give one of the two."
            )

    def __call__(self, table: Tables) -> FloatArray:
        """Return the value for each classifier and draw, (K, D)."""
        if self.kernel is None:
            return table.linear(np.array(self.cost))
        margins = table.margins()
        if (
            isinstance(table, Weighted)
            and table.n_labels == 1
            and METRICS.get(self.name.removeprefix(f"{self.average}_")) is not None
        ):
            # A single label leaves nothing to get wrong, whatever 0/0 a formula makes of it.
            return np.full(margins.tp.shape[:2], float(self.higher_is_better))
        try:
            return self._checked(self._values(self.kernel, self._of_interest(margins)), margins)
        except (RopewalkError, MemoryError):
            raise
        except Exception as error:
            raise InvalidInputError(
                f"The metric {self.name!r} failed: {reason(error)}.",
                hint=wording("a metric is a function of Margins; those of scikit-learn go by name, as metric='f1'."),
            ) from error

    def divided_by(self, table: Tables) -> FloatArray | None:
        """Return the weights of the items that a ratio is divided by, (K, D); None where it is no such ratio."""
        if self.divisor is None:
            return None
        part: FloatArray = getattr(table.margins().only(self.positive or 0), self.divisor)
        return part[..., 0]

    def by_label(self, table: Tables) -> tuple[FloatArray, FloatArray]:
        """Return the value of every class and its weight in an average, (K, D, classes) both.

        What is no average of a class metric is taken as one of the recalls.
        """
        margins = self._of_interest(table.margins())
        kernel: Kernel = kernels.recall
        if self.kernel is not None and self.by_class and self.average in {"macro", "weighted"}:
            kernel = self.kernel
        values: FloatArray = kernel(margins)
        if self.average == "macro" or self.over_classes:
            return values, np.full(values.shape, 1.0 / values.shape[-1])
        weights = ratio(margins.row, margins.row.sum(axis=-1, keepdims=True))
        return values, np.broadcast_to(weights, values.shape)

    def _of_interest(self, margins: Margins) -> Margins:
        return margins if self.classes is None else margins.of(self.classes)

    def _values(self, kernel: Kernel, margins: Margins) -> Any:
        if not self.by_class:
            return kernel(margins)
        if self.pools_labels:
            return kernel(margins.pooled())[..., 0]
        values = kernel(margins if self.positive is None else margins.only(self.positive))
        if self.average == "macro":
            return values.mean(axis=-1)
        if self.average == "weighted":
            return ratio((values * margins.row).sum(axis=-1), margins.row.sum(axis=-1))
        return values[..., 0]

    def _checked(self, values: Any, margins: Margins) -> FloatArray:
        """Return a kernel's values if they are one finite number for each classifier and draw."""
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"The metric {self.name!r} must return numbers; got {told(values)}.",
                hint="return an array with a value for every classifier and draw.",
            ) from error
        if array.shape != margins.tp.shape[:2]:
            raise InvalidInputError(
                f"The metric {self.name!r} must return an array of shape {margins.tp.shape[:2]} "
                f"(classifiers, draws); got {array.shape}.",
                hint="margins.tp[..., -1] are the true positives of the last class, for each classifier and draw.",
            )
        if self.divisor is not None:  # infinite where nothing is divided by
            return np.clip(array, self.low, MAX_RATIO)
        if not np.isfinite(array).all():
            raise InvalidInputError(
                f"The metric {self.name!r} returned NaN or infinity.",
                hint="ropewalk.metrics.ratio(a, b) divides and counts 0/0 as 0.",
            )
        return np.clip(array, self.low, self.high)  # rounding may carry a share beyond 0 or 1


@checked_keywords
def fbeta(beta: float) -> Metric:
    """Return F-beta: recall counts β times as much as precision; any β ≥ 0.

    Examples
    --------
    >>> fbeta(2).name
    'fbeta(2)'
    """
    if not is_real(beta) or not 0 <= beta < float("inf"):
        raise InvalidInputError(
            f"`beta` must be a finite number of at least 0; got {told(beta)}.",
            hint="beta=2 weighs recall more, beta=0.5 precision.",
        )
    return _share(name=f"fbeta({float(beta):g})", kernel=kernels.FBeta(float(beta)), by_class=True)


@checked_keywords
def cost(matrix: Any) -> Metric:
    """Return the expected cost of an item under a matrix of costs (rows = truth, columns = prediction).

    Rows and columns follow the order of the labels. Negative costs are utilities.

    Examples
    --------
    >>> cost([[0, 1], [5, 0]]).higher_is_better
    False
    """
    try:
        array = array_of(matrix, np.float64)
    except ValueError as error:
        raise InvalidInputError(
            "The cost matrix must hold numbers, in rows of equal length.",
            hint="[[0, 1], [5, 0]]: rows are the truth, columns the decision.",
        ) from error
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:  # noqa: PLR2004
        raise InvalidInputError(
            f"The cost matrix must be square; got shape {array.shape}.", hint="rows are the truth, columns predictions."
        )
    if not (np.abs(array) <= MAX_NUMBER).all():
        raise InvalidInputError(
            f"The cost matrix must hold finite numbers, of at most {MAX_NUMBER:g}.",
            hint="write 0 where a decision costs nothing, or count in a larger unit.",
        )
    return Metric(name="cost", higher_is_better=False, cost=tuple(map(tuple, array.tolist())))


MAX_RATIO: Final = 1e12
"""Where draws of a ratio end that has no bound: weights that add up to 1 carry no more digits."""

_share = partial(Metric, low=0.0, high=1.0)
_ratio = partial(Metric, low=0.0, by_class=True)

_OTHER_NAMES: Final = {
    "accuracy": ("acc",),
    "precision": ("ppv",),
    "recall": ("sensitivity", "tpr"),
    "specificity": ("tnr",),
}
"""What people call metrics too: each name is a metric like any other, and printed as it was given."""

METRICS: Final = {
    name: replace(metric, name=name)
    for metric in (
        _share(name="accuracy", kernel=kernels.accuracy),
        _share(name="error", kernel=kernels.error, higher_is_better=False),
        _share(name="balanced_accuracy", kernel=kernels.balanced_accuracy, over_classes=True),
        _share(name="gmean", kernel=kernels.gmean, over_classes=True),
        _share(name="mcc", kernel=kernels.mcc, low=-1.0),
        _share(name="kappa", kernel=kernels.kappa, low=-1.0),
        _share(name="precision", kernel=kernels.precision, by_class=True),
        _share(name="recall", kernel=kernels.recall, by_class=True),
        _share(name="specificity", kernel=kernels.specificity, by_class=True),
        _share(name="npv", kernel=kernels.npv, by_class=True),
        _share(name="fpr", kernel=kernels.fpr, by_class=True, higher_is_better=False),
        _share(name="fnr", kernel=kernels.fnr, by_class=True, higher_is_better=False),
        _share(name="fdr", kernel=kernels.fdr, by_class=True, higher_is_better=False),
        _share(name="youden", kernel=kernels.youden, by_class=True, low=-1.0),
        _ratio(name="lr_plus", kernel=kernels.lr_plus, divisor="fp"),
        _ratio(name="lr_minus", kernel=kernels.lr_minus, divisor="tn", higher_is_better=False),
        _share(name="f1", kernel=kernels.FBeta(1.0), by_class=True),
        _share(name="jaccard", kernel=kernels.jaccard, by_class=True),
    )
    for name in (metric.name, *_OTHER_NAMES.get(metric.name, ()))
}
"""Every metric that a name alone describes, by each of its names; `fbeta(β)` and `cost` take an argument."""

_FULL_NAMES: Final = {
    "matthews_corrcoef": "mcc",
    "cohen_kappa": "kappa",
    "true_positive_rate": "tpr",
    "true_negative_rate": "tnr",
    "false_positive_rate": "fpr",
    "false_negative_rate": "fnr",
    "false_discovery_rate": "fdr",
    "positive_predictive_value": "ppv",
    "negative_predictive_value": "npv",
    "positive_likelihood_ratio": "lr_plus",
    "negative_likelihood_ratio": "lr_minus",
    "youden_index": "youden",
    "informedness": "youden",
    "iou": "jaccard",
    "exact_match": "accuracy",
}
"""What metrics are called elsewhere; a hint says their names here."""

_AVERAGES: Final[tuple[Average, ...]] = ("micro", "macro", "weighted")
_FBETA: Final = re.compile(r"fbeta\(\s*([0-9.eE+-]+)\s*\)")


SEVERAL: Final = wording('several metrics are a list: metric=["f1", "recall"].')


@checked_keywords
def parse_metric(metric: Any, cost_matrix: Any = None) -> Metric:
    """Turn a name, a `Metric` or a function of `Margins` into a `Metric`.

    Examples
    --------
    >>> parse_metric("macro_fbeta(0.5)").name
    'macro_fbeta(0.5)'
    >>> parse_metric("macro_sensitivity").name
    'macro_sensitivity'
    """
    if cost_matrix is not None and not (isinstance(metric, str) and metric == "cost"):
        raise InvalidInputError("A cost matrix goes with the metric `cost`.", hint=wording('pass metric="cost".'))
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return Metric(name=getattr(metric, "__name__", type(metric).__name__), kernel=metric)
    if not isinstance(metric, str):
        raise UnknownNameError(
            wording("`metric` must be a name, a Metric or a function; got {!r}.", metric), hint=SEVERAL
        )
    if metric == "cost":
        if cost_matrix is None:
            raise InvalidInputError("The metric `cost` needs a cost matrix.", hint=wording("give it as cost_matrix=."))
        return cost(cost_matrix)
    for average in _AVERAGES:
        if metric.startswith(f"{average}_"):
            base = _single(metric.removeprefix(f"{average}_"), metric)
            if not base.has_averages:
                why = "it is one number for the whole table" if base.divisor is None else "it may be infinite"
                raise UnknownNameError(
                    f"{base.name!r} has no {average} average: {why}.", hint=wording("use metric={!r}.", base.name)
                )
            return replace(base, name=f"{average}_{base.name}", average=average)
    return _single(metric, metric)


def _elsewhere(written: str) -> str | None:
    """Return our name of what others call a metric: scikit-learn, its scorers and people in full words.

    Examples
    --------
    >>> _elsewhere("f1_score"), _elsewhere("f1_macro"), _elsewhere("true positive rate"), _elsewhere("f1 scor")
    ('f1', 'macro_f1', 'tpr', None)
    """
    name = "_".join(written.lower().split())
    name = name.removesuffix("_score")
    for average in _AVERAGES:
        if name.endswith(f"_{average}"):
            name = f"{average}_{name.removesuffix(f'_{average}')}"
    name = _FULL_NAMES.get(name, name)
    base = name.split("_", 1)[1] if name.startswith(tuple(f"{average}_" for average in _AVERAGES)) else name
    return name if base in METRICS else None


def _single(name: str, written: str) -> Metric:
    match = _FBETA.fullmatch(name)
    if match:
        try:
            beta = float(match[1])
        except ValueError as error:
            raise UnknownNameError(f"Unknown metric {written!r}.", hint="write fbeta(2) or fbeta(0.5).") from error
        return fbeta(beta)
    if name in METRICS:
        return METRICS[name]
    if "," in written and (parts := [part.strip() for part in written.split(",")]):
        raise UnknownNameError(
            f"Unknown metric {written!r}.", hint=wording("several metrics are a list: metric={!r}.", parts)
        )
    number, prefix = re.fullmatch(r"f([0-9.]+)", name), written.removesuffix(name)
    usual = _elsewhere(written)
    close = f"fbeta({number[1]})" if number else nearest(name, METRICS)
    guess = f"did you mean {usual or prefix + str(close)!r}? " if usual or close else ""
    by_class = ", ".join(name for name, metric in METRICS.items() if metric.has_averages)
    raise UnknownNameError(
        f"Unknown metric {written!r}.",
        hint=f"{guess}Choose from: {', '.join(METRICS)}. Also fbeta(β) and cost; micro_, macro_ and weighted_ go "
        f"before a class metric ({by_class}, fbeta(β)).",
    )
