"""Scenarios of two classifiers: what may be true, in the forms in which users know it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ropewalk._arguments import array_of
from ropewalk._checks import check_probabilities, check_whole, is_real
from ropewalk.data.labels import labels_or_numbers
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.tally import check_names
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.metrics.resolve import require_labels
from ropewalk.planning.joint import NAMES, Joint, check_classes, couple, share
from ropewalk.planning.search import halve
from ropewalk.text.remarks import wording
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray, Label

_TWO_CLASSES: Final = 2
_PAIRS: Final = "the order of the pairs (A, B) is (1,1) (1,0) (0,1) (0,0)."


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryScenario:
    """Two labels: how common the positive one is, and how the two classifiers answer on items of either.

    `positive` and `negative` are the probabilities of the pairs of answers (1,1) (1,0) (0,1) (0,0) of A and B on items
    that are positive, and on items that are not.

    Examples
    --------
    >>> s = BinaryScenario(prevalence=0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    >>> s.joint.agreement
    0.5
    """

    prevalence: float = 0.5
    positive: Sequence[float]
    negative: Sequence[float]
    names: Sequence[str] = NAMES

    def __post_init__(self) -> None:
        object.__setattr__(self, "prevalence", share(self.prevalence, "`prevalence`"))
        for name in ("positive", "negative"):
            try:
                pairs = check_probabilities(getattr(self, name), f"The probabilities in `{name}`", (4,))
            except InvalidInputError as error:
                raise InvalidInputError(error.message, hint=_PAIRS) from None
            object.__setattr__(self, name, tuple(pairs.tolist()))
        object.__setattr__(self, "names", _pair_of_names(self.names))

    @property
    def joint(self) -> Joint:
        """The probability of every (truth, prediction of A, prediction of B)."""
        pairs = np.stack([(1 - self.prevalence) * np.array(self.negative), self.prevalence * np.array(self.positive)])
        return Joint.of(pairs[:, ::-1].reshape(2, 2, 2), (0, 1), self.names)  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        """The scenario in words."""
        positive, negative = (", ".join(f"{p:g}" for p in pairs) for pairs in (self.positive, self.negative))
        return f"prevalence {self.prevalence:g}, pairs of answers ({positive}) on positives, ({negative}) on negatives"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConfusionScenario:
    """Two confusion matrices (rows = truth), of counts or of rates, and how often the two classifiers agree.

    Rows are made into rates; `prevalence` is the share of each class, by default that of the rows of `a` and `b`
    together. Labels are 0 … M−1 by default. Without an `agreement`, the error message says within which bounds it lies.

    Examples
    --------
    >>> s = ConfusionScenario(a=[[90, 10], [20, 80]], b=[[85, 15], [25, 75]], agreement=0.9)
    >>> round(s.joint.agreement, 9)
    0.9
    """

    a: Any
    b: Any
    agreement: float | None = None
    prevalence: Sequence[float] | None = None
    labels: Iterable[Label] | None = None
    names: Sequence[str] = NAMES
    joint: Joint = field(init=False, repr=False)

    def __post_init__(self) -> None:
        matrices = [_matrix(self.a, "A"), _matrix(self.b, "B")]
        if matrices[0].shape != matrices[1].shape:
            sizes = " and ".join(str(len(matrix)) for matrix in matrices)
            raise InvalidInputError(f"The confusion matrices have {sizes} classes.", hint="both see the same classes.")
        rows = [matrix.sum(axis=1) for matrix in matrices]
        if self.prevalence is None:
            mu = sum(row / row.sum() for row in rows) / 2
        else:
            mu = check_probabilities(self.prevalence, "The shares in `prevalence`", (len(rows[0]),))
        empty = np.flatnonzero((mu > 0) & ((rows[0] == 0) | (rows[1] == 0)))
        if empty.size:
            raise InvalidInputError(
                f"Row {int(empty[0]) + 1} of a confusion matrix holds no items of a class that there are.",
                hint="it says how the classifier answers on items of that class.",
            )
        rates = [matrix / np.where(row > 0, row, 1)[:, np.newaxis] for matrix, row in zip(matrices, rows, strict=True)]
        known = mu > 0
        for rate in rates:  # a class that does not occur needs some row to couple
            rate[~known] = 1 / len(mu)
        labels = labels_or_numbers(self.labels, len(mu))
        table = couple(mu, rates[0], rates[1], self.agreement)
        object.__setattr__(self, "joint", Joint.of(table, labels, _pair_of_names(self.names)))

    @property
    def text(self) -> str:
        """The scenario in words."""
        return f"two confusion matrices of {len(self.joint.labels)} classes, agreement {self.joint.agreement:g}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointScenario:
    """The probability of every (truth, prediction of A, prediction of B): an M × M × M table that adds up to 1.

    An `Outcomes` of two classifiers will do too: its counts are then taken as the truth. Labels are 0 … M−1 by default.

    Examples
    --------
    >>> s = JointScenario(table=[[[0.4, 0.05], [0.02, 0.03]], [[0.04, 0.06], [0.1, 0.3]]])
    >>> round(s.joint.agreement, 9)
    0.77
    """

    table: Any
    labels: Iterable[Label] | None = None
    names: Sequence[str] | None = None
    joint: Joint = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.table, Outcomes):
            object.__setattr__(self, "joint", _of_outcomes(self.table, self.names))
            return
        shape = _shape(self.table)
        if not shape or not shape[0] or shape != (shape[0],) * 3:
            raise InvalidInputError(
                f"The joint table must be M × M × M: truth, prediction of A, prediction of B; got shape {shape}.",
                hint="Outcomes may stand for it too.",
            )
        table = check_probabilities(self.table, "The probabilities of the joint table")
        names = _pair_of_names(NAMES if self.names is None else self.names)
        object.__setattr__(self, "joint", Joint.of(table, labels_or_numbers(self.labels, shape[0]), names))

    @property
    def text(self) -> str:
        """The scenario in words."""
        return f"a joint table of {len(self.joint.labels)} classes, agreement {self.joint.agreement:.4g}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricScenario:
    """A difference of a metric: A scores `a`, B scores `b`, and they agree on a share `agreement` of the items.

    A score does not say which mistakes are made. So of two labels either classifier is taken to call the positive one
    as often as it occurs; `n_classes` of more than two are equally common, and confused with one another alike.

    Examples
    --------
    >>> s = MetricScenario(metric="f1", a=0.6, b=0.5, agreement=0.7, prevalence=0.2)
    >>> round(s.joint.agreement, 9), s.joint.labels
    (0.7, (0, 1))
    """

    metric: str | Metric
    a: float
    b: float
    agreement: float | None = None
    prevalence: float | None = None
    n_classes: int = 2
    names: Sequence[str] = NAMES
    joint: Joint = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_labels(self.metric)
        metric = parse_metric(self.metric)
        n = check_classes(check_whole(self.n_classes, "n_classes", _TWO_CLASSES))
        if n > _TWO_CLASSES and metric.needs_positive:
            average = f"macro_{metric.name}" if metric.has_averages else "macro_recall"
            raise InvalidInputError(
                f"{metric.name!r} is about one class of {n}.", hint=f"average over them: {average!r}."
            )
        if n > _TWO_CLASSES and self.prevalence is not None:
            raise InvalidInputError(
                wording("`prevalence` is for two labels; more are taken as equally common."), hint="leave it out."
            )
        mu = share(0.5 if self.prevalence is None else self.prevalence, "`prevalence`")
        if not 0 < mu < 1:
            raise InvalidInputError(
                wording("`prevalence` must lie between 0 and 1, and not on them; got {:g}.", mu),
                hint="write 0.2 for 20%.",
            )
        shares = np.array([1 - mu, mu]) if n == _TWO_CLASSES else np.full(n, 1 / n)
        rows = [_rows_of(metric.at(n - 1), score, name, shares) for score, name in ((self.a, "a"), (self.b, "b"))]
        table = couple(shares, rows[0], rows[1], self.agreement)
        object.__setattr__(self, "joint", Joint.of(table, tuple(range(n)), _pair_of_names(self.names)))

    @property
    def text(self) -> str:
        """The scenario in words."""
        name = self.metric if isinstance(self.metric, str) else self.metric.name
        mix = f"{self.n_classes} classes"
        if self.n_classes == _TWO_CLASSES:
            mix = f"prevalence {0.5 if self.prevalence is None else self.prevalence:g}"
        return f"{name} {self.a:g} against {self.b:g}, agreement {self.agreement:g}, {mix}"


Scenario = BinaryScenario | ConfusionScenario | JointScenario | MetricScenario
"""A truth from which test sets can be drawn: `joint`, and in words `text`."""


def _rows_of(metric: Metric, score: Any, name: str, shares: FloatArray) -> FloatArray:
    """Return the confusion rates of a classifier that scores so much, by halving how often it is right."""
    if not is_real(score):
        raise InvalidInputError(f"`{name}` must be a number; got {told(score)}.", hint="write 0.6 for 60%.")

    def value(skill: float) -> float:
        return _value(metric, shares, _confused(shares, skill))

    worst, best = value(0.0), value(1.0)
    low, high = sorted([worst, best])
    if not low <= score <= high:
        raise InvalidInputError(
            f"No classifier of this kind has a {metric.name} of {score:g}: here it lies from {low:.3g} to {high:.3g}.",
            hint="the scenario is of classifiers that call each class as often as it occurs.",
        )
    return _confused(shares, halve(lambda skill: (value(skill) < score) != (best >= worst), 0.0, 1.0, steps=200))


def _confused(shares: FloatArray, skill: float) -> FloatArray:
    """Return confusion rates that call each class as often as it occurs; `skill` 1 is perfect, 0 the worst of them."""
    n = len(shares)
    if n > _TWO_CLASSES:
        return np.full((n, n), (1 - skill) / (n - 1)) + (skill - (1 - skill) / (n - 1)) * np.eye(n)
    # As many positives are missed as negatives are called positive: a mass of at most the rarer class.
    swapped = (1 - skill) * shares.min()
    miss = swapped / shares
    return np.array([[1 - miss[0], miss[0]], [miss[1], 1 - miss[1]]])


def _value(metric: Metric, shares: FloatArray, rows: FloatArray) -> float:
    cells = Cells(np.argwhere(np.ones_like(rows)).astype(np.int32), len(shares))
    return float(metric(Weighted(cells, (shares[:, np.newaxis] * rows).reshape(-1, 1)))[0, 0])


def _matrix(matrix: Any, name: str) -> FloatArray:
    array = check_probabilities(matrix, f"The confusion matrix of {name}", whole=False)
    if not array.size or array.ndim != 2 or array.shape[0] != array.shape[1]:  # noqa: PLR2004
        raise InvalidInputError(
            f"The confusion matrix of {name} must be square; got shape {array.shape}.",
            hint="rows are the truth, columns the predictions.",
        )
    if not array.sum() > 0:
        raise InvalidInputError(f"The confusion matrix of {name} is empty.", hint="give one row and column per class.")
    check_classes(len(array))
    return array


def _shape(table: Any) -> tuple[int, ...]:
    try:
        return () if isinstance(table, str) else array_of(table).shape
    except ValueError:  # ragged
        return ()


def _of_outcomes(outcomes: Outcomes, names: Sequence[str] | None) -> Joint:
    if outcomes.n_classifiers != len(NAMES):
        raise InvalidInputError(
            f"A scenario is of two classifiers; this table has {outcomes.n_classifiers}.", hint="use project()."
        )
    if not outcomes.n_items:
        raise InvalidInputError(
            "The table holds no items, so it says nothing about what is true.", hint="give the counts of a test set."
        )
    called = _pair_of_names(outcomes.names if names is None else names)
    return Joint(outcomes.codes, outcomes.counts / outcomes.counts.sum(), outcomes.labels, called)


def _pair_of_names(names: Sequence[str]) -> tuple[str, str]:
    first, second = check_names(names, 2)
    return first, second
