"""Resolve a question: which metric, of which classes, with which positive one, at which class mix."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_prevalence, checked_keywords, is_real
from ropewalk.data.inputs import Kind
from ropewalk.data.labels import BINARY, NO_ANSWER, find_label, find_places, label_text, usual_positive
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, InvalidInputError, PosLabelError, UnknownNameError
from ropewalk.metrics.items import DecisionCost, turned
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.metrics.registry import METRICS, SEVERAL, Metric, parse_metric
from ropewalk.metrics.scores import (
    SCORE_METRICS,
    ScoreMetric,
    ScoreMetricLike,
    WeightedItems,
    check_probabilities,
    parse_score_metric,
)
from ropewalk.text.remarks import wording
from ropewalk.text.writing import brief, nearest, shorten
from ropewalk.typing import FloatArray, Label

RARE_ERRORS: Final = 0.01
"""How many errors, of the items of the rarer class, are few."""

LEANS: Final = 1.5
"""A metric leans on a class if an error in it changes the metric so many times as much as one in the other."""

MetricLike = str | Metric | ScoreMetric | Callable[..., Any]


def metric_kind(metric: Any) -> Kind | None:
    """Return whether a metric is of labels or of scores; None where only the data can tell: for "cost", or for none.

    A function of one argument takes `Margins`; one that takes a truth and scores, as scikit-learn's do, is of scores.

    Examples
    --------
    >>> metric_kind("macro_f1"), metric_kind("macro_roc_auc"), metric_kind("cost")
    ('labels', 'scores', None)
    """
    if metric is None or (isinstance(metric, str) and metric == "cost"):
        return None
    if isinstance(metric, str):
        return "scores" if _is_score_name(metric) or _resembles_scores(metric) else "labels"
    if not callable(metric):
        raise UnknownNameError(
            wording("`metric` must be a name, a Metric or a function; got {!r}.", metric), hint=SEVERAL
        )
    of_scores = isinstance(metric, ScoreMetric) or (not isinstance(metric, Metric) and _takes_scores(metric))
    return "scores" if of_scores else "labels"


def _is_score_name(name: str) -> bool:
    """Whether a name, or what an average is taken of, is that of a metric of scores."""
    base = name.lower()
    for average in ("macro_", "weighted_"):
        base = base.removeprefix(average)
    return base in SCORE_METRICS


def _resembles_scores(name: str) -> bool:
    """Whether a misspelt name is nearer to a metric of scores than to any of labels."""
    try:
        parse_metric(name)
    except UnknownNameError:
        return nearest(name, [*METRICS, *SCORE_METRICS]) in SCORE_METRICS
    return False


def _takes_scores(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a compiled function that does not say
        return False
    needed = [p for p in parameters.values() if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    return "sample_weight" in parameters or sum(p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD} for p in needed) > 1


def require_labels(metric: Any) -> None:
    """Refuse a metric of scores where there are labels."""
    if _is_score_name(metric) if isinstance(metric, str) else metric_kind(metric) == "scores":
        name = getattr(metric, "name", getattr(metric, "__name__", metric))
        raise UnknownNameError(
            f"{name!r} is a metric of scores, and these are labels.",
            hint="give the scores of every item in place of labels.",
        )


def needs_truth(metric: Any) -> bool:
    """Whether a metric compares with the truth; a mean of values does not."""
    metric = SCORE_METRICS.get(metric) if isinstance(metric, str) else metric
    return metric.needs_truth if isinstance(metric, ScoreMetric) else True


def takes_scale(metric: Any) -> bool:
    """Whether a metric is a mean whose scale can be declared: of any numbers, or of log losses."""
    metric = SCORE_METRICS.get(metric) if isinstance(metric, str) else metric
    return isinstance(metric, ScoreMetric) and metric.takes_scale


def require_bounded(metric: Metric | ScoreMetric, why: str) -> None:
    """Refuse a ratio that may be infinite; `why` says what that makes impossible."""
    if metric.divisor is not None:
        raise InvalidInputError(
            f"{metric.name!r} may be infinite: {why}.",
            hint="take the rates that it is made of: recall, specificity.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A metric that can be computed from `tables` as they are: `positive` is the last label, where there is one."""

    tables: tuple[AnyOutcomes, ...]
    metric: Metric
    positive: Label | None
    prevalence: tuple[float, ...] | None


def of_one_label(tables: Sequence[AnyOutcomes], pos_label: Any) -> tuple[list[AnyOutcomes], Any]:
    """Return the tables of one label of multi-label data, where one was named; other tables as they are."""
    if pos_label is None or not isinstance(tables[0], MultilabelOutcomes):
        return list(tables), pos_label
    label = find_label(pos_label, tables[0].labels)
    return [table.table(label) for table in tables if isinstance(table, MultilabelOutcomes)], label


def choose_metric(metric: MetricLike | None, table: AnyOutcomes, pos_label: Any, cost_matrix: Any) -> Metric:
    """Return the metric that was named, or the usual one: F1 of one class, macro F1 of several."""
    require_labels(metric)
    if metric is None:
        several = isinstance(table, MultilabelOutcomes) or (pos_label is None and table.is_multiclass)
        metric = "cost" if cost_matrix is not None else "macro_f1" if several else "f1"
    return parse_metric(metric, cost_matrix)


def settle(
    tables: Sequence[AnyOutcomes],
    *,
    metric: Metric,
    classes: Any = None,
    pos_label: Any = None,
    prevalence: Any = None,
    needs_positive: bool = False,
) -> Settled:
    """Find the positive class and the class mix that were meant, and bring the tables into shape.

    A `pos_label` makes the tables one-vs-rest, the positive label last. Without one, two labels have 1, True or
    "1" as the positive one, where the metric or the prior (`needs_positive`) must know.
    """
    labels, chosen = tables[0].labels, metric
    if isinstance(tables[0], MultilabelOutcomes):
        _check_multilabel(chosen, prevalence)
        averaged = _over_classes(chosen, classes, labels, None)
        return Settled(tables=tuple(tables), metric=averaged, positive=None, prevalence=None)
    singles = [table for table in tables if isinstance(table, Outcomes)]
    if pos_label is not None and chosen.average is not None:
        raise InvalidInputError(
            f"One class was picked, and {chosen.name!r} averages over all of them.",
            hint=wording("use metric={!r} with pos_label=, or leave pos_label= out.", chosen.name.partition("_")[2]),
        )
    positive = _positive(labels, pos_label, chosen, needed=needs_positive or is_real(prevalence))
    if positive is not None and (pos_label is not None or len(labels) > 1):
        singles = [table.collapse(positive) for table in singles]
        if len(labels) == BINARY and positive == labels[0]:
            # Costs and shares come in label order, and the positive label is last from here on.
            if chosen.cost is not None:
                chosen = replace(chosen, cost=turned(chosen.cost))
            if isinstance(prevalence, Sequence | np.ndarray) and np.ndim(prevalence) == 1:
                prevalence = prevalence[::-1]
    known = singles[0].labels
    if chosen.cost is not None and len(chosen.cost) != len(known):
        raise DataError(
            f"The cost matrix is {len(chosen.cost)} × {len(chosen.cost)}, and there are {len(known)} labels "
            f"({shorten(map(label_text, known), 6)}).",
            hint="rows (truth) and columns (prediction) follow the order of the labels.",
        )
    averaged = _over_classes(chosen.at(len(known) - 1), classes, known, positive)
    shares = check_prevalence(prevalence, known)
    if shares is not None:
        _check_divisible(averaged, dict(zip(known, shares, strict=True)))
    return Settled(tables=tuple(singles), metric=averaged, positive=positive, prevalence=shares)


def leans_on_one_class(
    metric: Metric, counts: Sequence[float] | FloatArray, prevalence: tuple[float, ...] | None = None
) -> bool:
    """Whether an error in one of two classes changes a metric by far more than one in the other.

    It is asked of a classifier that is nearly always right, on so many items of each class, since an item or two decide
    there. Where a class is empty both are taken to be alike.

    Examples
    --------
    >>> from ropewalk.metrics.registry import METRICS
    >>> [name for name in ("accuracy", "f1", "mcc", "recall", "balanced_accuracy")
    ...  if leans_on_one_class(METRICS[name].at(1), (900, 100))]
    ['recall', 'balanced_accuracy']
    """
    if len(counts) < BINARY:
        return False
    shares = np.asarray(counts, dtype=np.float64)
    shares = shares / shares.sum() if shares.all() else np.full(BINARY, 1 / BINARY)
    few = RARE_ERRORS * shares.min()
    errors = np.array([[few, 2 * few, few], [few, few, 2 * few]])  # of each class, in three tables
    cells = Cells(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32), BINARY)
    tables = Weighted(cells, np.stack([shares[0] - errors[0], errors[0], errors[1], shares[1] - errors[1]]))
    try:
        values = metric(tables if prevalence is None else tables.at_prevalence(np.array(prevalence)))[0]
    except InvalidInputError:  # a metric of the user's own that cannot do with such a table
        return False
    least, most = sorted(np.abs(values[1:] - values[0]))
    return bool(most > LEANS * least)


_OF_NEGATIVES: Final = ("specificity", "fpr")
"""Metrics that divide by the items which are not of the positive class."""


def _check_divisible(metric: Metric, shares: Mapping[Label, float]) -> None:
    """Refuse a class mix without items of a class whose own value is asked for: it would be 0/0."""
    if metric.average not in (None, "macro") or not (metric.by_class or metric.over_classes):
        return
    places = list(range(len(shares)) if metric.classes is None else metric.classes)
    if metric.positive is not None:
        places = [place for place in places if (place == metric.positive) != (metric.name in _OF_NEGATIVES)]
    for label in [list(shares)[place] for place in places]:
        if shares[label] == 0.0:
            raise InvalidInputError(
                wording("`prevalence` leaves no items of {!r}, and {} would be 0/0 there.", label, metric.name),
                hint="give a rare class a small share, such as 0.001.",
            )


def _check_multilabel(metric: Metric, prevalence: Any) -> None:
    """Refuse what makes no sense where an item has any number of labels."""
    if prevalence is not None:
        raise InvalidInputError(
            wording("`prevalence` needs one label per item; these items have any number of labels."),
            hint="leave it out.",
        )
    if (metric.average is None and metric.kernel is not None and metric.name in METRICS) or metric.cost is not None:
        raise InvalidInputError(
            f"The metric {metric.name!r} is about items with one label; these have any number of labels.",
            hint=wording("use an average such as micro_f1 or macro_f1, or pos_label= for one label."),
        )


def _positive(labels: Sequence[Label], pos_label: Any, metric: Metric, *, needed: bool) -> Label | None:
    """Return the positive label: the one named, or the usual one where the metric or the prior needs one."""
    if pos_label is not None:
        return find_label(pos_label, labels)
    if not (metric.needs_positive or (needed and len(labels) <= BINARY)):
        return None
    if len(labels) > BINARY:
        raise PosLabelError(
            f"The metric {metric.name!r} is about one class, and these data have {len(labels)} labels "
            f"({shorten(map(label_text, labels), 6)}).",
            hint=wording(
                "{}name one with pos_label=, or compare them all with compare_classes (ropewalk compare --per-class).",
                wording("average over them as in metric={!r}, ", f"macro_{metric.name}") if metric.has_averages else "",
            ),
        )
    question = f"Which label is positive? {metric.name!r} needs to know, and the"
    return labels[0] if len(labels) == 1 else _usual_positive(labels, question)


def _over_classes(metric: Metric, classes: Any, labels: Sequence[Label], positive: Label | None) -> Metric:
    """Find the classes that an average runs over: those named, or all that can be a right answer."""
    if classes is None:
        answers = tuple(j for j, label in enumerate(labels) if label != NO_ANSWER)
        return replace(metric, classes=answers) if metric.is_average and len(answers) < len(labels) else metric
    if positive is not None or not metric.is_average:
        raise InvalidInputError(
            wording("`classes` picks the classes of an average, and {!r} is none.", metric.name),
            hint=wording("use an average such as macro_f1, or pos_label= for one class against the rest."),
        )
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise InvalidInputError(
            wording("`classes` must be a list of labels; got {!r}.", classes), hint='classes=["spam", "ham"]'
        )
    places = find_places(classes, labels, what="classes")
    if not places:
        raise InvalidInputError(
            wording("`classes` is empty; name at least one, or leave it out for all."),
            hint="the average then runs over all classes.",
        )
    return replace(metric, classes=places)


@checked_keywords
def score(
    y_true: Any, y_score: Any, metric: ScoreMetricLike = "roc_auc", *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    """Return the value of a metric of scores on these items, without a posterior.

    Examples
    --------
    >>> labels = [1, 2, 1, 1, 2, 1, 2, 2, 1, 2]
    >>> scores = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    >>> f"{score(labels, scores, 'pr_auc'):.6f} {score(labels, scores, 'average_precision'):.6f}"
    '0.690556 0.727778'
    """
    items = ItemScores.from_arrays(y_true, y_score, sample_weight=sample_weight)
    items, chosen, _ = settle_scores(items, metric, pos_label)
    return float(chosen(WeightedItems(items, np.ones((items.n_units, 1))))[0, 0])


def settle_scores(
    items: ItemScores, metric: ScoreMetricLike, pos_label: Any = None, *, higher_is_better: bool | None = None
) -> tuple[ItemScores, ScoreMetric, Any]:
    """Find the positive class that was meant and check the data against the metric.

    Returns the items in the shape that the metric takes, the metric, and the positive label (None where there is none).
    """
    chosen = parse_score_metric(metric, n_labels=BINARY if pos_label is not None else max(items.n_labels, BINARY))
    if items.truth is None or not chosen.needs_truth:
        if pos_label is not None:
            raise InvalidInputError(
                f"The metric {chosen.name!r} has no positive class.", hint=wording("leave pos_label= out.")
            )
        settled = parse_score_metric(metric, higher_is_better=higher_is_better)
        settled.check(items)
        return (items if items.truth is None else replace(items, truth=None, labels=()).canonical()), settled, None
    positive = _positive_of_scores(items, chosen, pos_label)
    costs = chosen.prepare
    if isinstance(costs, DecisionCost):
        if positive is not None and items.labels == (positive, items.labels[-1]):
            # Costs come in label order, and the positive label is last from here on.
            metric = replace(chosen, prepare=DecisionCost(turned(costs.matrix), costs.threshold))
        n_classes = BINARY if positive is not None else items.n_labels
        if len(costs.matrix) != n_classes:
            raise DataError(
                f"The cost matrix is {len(costs.matrix)} × {len(costs.matrix)}, and there are {n_classes} classes.",
                hint="rows (truth) and columns (decision) follow the order of the labels.",
            )
    if chosen.probabilities and items.by_class:
        for name, values in zip(items.names, items.values, strict=True):
            check_probabilities(values, name, chosen.name)
    if positive is not None:
        items = items.against_rest(positive)
    settled = parse_score_metric(metric, n_labels=items.n_labels, higher_is_better=higher_is_better)
    settled.check(items)
    return items, settled, positive


def _positive_of_scores(items: ItemScores, metric: ScoreMetric, pos_label: Any) -> Any:
    """Return the positive label: the one named, or the usual one of two; None where all classes are meant."""
    if pos_label is not None:
        return find_label(pos_label, items.labels)
    if items.by_class and items.is_multiclass:
        return None
    if items.is_multiclass:
        raise PosLabelError(
            f"The scores of an item are one number, and there are {items.n_labels} labels "
            f"({shorten(map(label_text, items.labels), 6)}).",
            hint=wording("name the class that they are scores of with pos_label=, or give one column per class."),
        )
    if items.n_labels < BINARY:
        raise DataError(
            f"{metric.name} needs items of both classes; all are {label_text(items.labels[0])!r}.",
            hint="is this the right column of the truth?",
        )
    return _usual_positive(items.labels, "Which label do high scores mean? The")


def _usual_positive(labels: Sequence[Label], question: str) -> Label:
    """Return the label that is positive by default; where there is none, ask."""
    usual, last = usual_positive(labels), labels[-1]
    if usual is None:
        hint = wording("pass pos_label={!r}.", brief(last) if isinstance(last, str) else last)
        raise PosLabelError(f"{question} labels are {shorten(labels)}.", hint=hint)
    return usual
