"""Predictions for items that classifiers were not trained on, fold by fold, and the comparison that they allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from ropewalk._checks import published
from ropewalk.data.labels import BINARY, find_label
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.source import Source
from ropewalk.data.tally import place_of
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.resolve import MetricLike, choose_metric, metric_kind, needs_truth, settle, settle_scores
from ropewalk.metrics.scores import WeightedItems, parse_score_metric
from ropewalk.models import observed_psi
from ropewalk.results import upwards
from ropewalk.results.base import pick, plain
from ropewalk.results.classical import ClassicalTest
from ropewalk.results.comparison import Comparison
from ropewalk.results.evaluation import Evaluation
from ropewalk.results.options import CompareOptions, EvaluateOptions
from ropewalk.results.scope import Scope, scope_of_folds
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.units import metric_title
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import CodeArray, FloatArray, IntArray, Label


class Which(TypedDict, total=False):
    """Which classes a score is about."""

    classes: Any
    pos_label: Any
    cost_matrix: Any
    prevalence: Any


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class CrossPredictions(Remarked):
    """What classifiers said about items that they were not trained on, fold by fold and repeat by repeat.

    Made by `resampling.cross_predict`. There is one row for each time that an item was tested, ordered by repeat and
    then by item: where each repeat tests all items, the first `n_items` rows are those of X in its order.

    `codes` are the true label (first column) and the predictions, as places in `labels`; `item` is the number of the
    item in X, `repeat` how often it was tested before, `fold` the number of the fold over all repeats. `scores` are
    those of the positive class `pos_label` for two labels, else one column per label. `group` numbers the groups that
    were given. `train_sizes` and `test_sizes` have one entry per fold.
    """

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    codes: CodeArray = field(repr=False)
    item: IntArray = field(repr=False)
    repeat: IntArray = field(repr=False)
    fold: IntArray = field(repr=False)
    train_sizes: IntArray
    test_sizes: IntArray
    n_items: int
    scores: Mapping[str, FloatArray] | None = None
    pos_label: Label | None = None
    group: IntArray | None = None
    words: str = ""
    seed: int = 0
    remarks: tuple[Remark, ...] = ()

    def __post_init__(self) -> None:
        arrays = (self.codes, self.item, self.repeat, self.fold, self.train_sizes, self.test_sizes, self.group)
        for array in (*arrays, *(self.scores or {}).values()):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return (
            f"CrossPredictions({self.n_items:,} items, {self.words}, {count_of(len(self), 'prediction')} of "
            f"{shorten(self.names, 6)})"
        )

    @property
    def n_folds(self) -> int:
        """How many folds there are, over all repeats."""
        return len(self.train_sizes)

    @property
    def n_repeats(self) -> int:
        """How often the item that was tested most was tested."""
        return int(self.repeat.max()) + 1

    @property
    def n_train(self) -> float:
        """The mean size of a training set, as `classical.corrected_t` wants it."""
        return float(self.train_sizes.mean())

    @property
    def n_test(self) -> float:
        """The mean size of a test set."""
        return float(self.test_sizes.mean())

    @property
    def complete(self) -> bool:
        """Whether every repeat tests the same items."""
        sizes = np.bincount(self.repeat)
        return bool(sizes.min() == sizes.max())

    @property
    def y_true(self) -> npt.NDArray[Any]:
        """The true label of each row."""
        return np.array(self.labels)[self.codes[:, 0]]

    @property
    def predictions(self) -> dict[str, npt.NDArray[Any]]:
        """The predicted label of each row, by classifier."""
        known = np.array(self.labels)
        return {name: known[self.codes[:, 1 + k]] for k, name in enumerate(self.names)}

    @property
    def cluster(self) -> IntArray | None:
        """What belongs together: the group where groups were given, the item where items repeat, else None."""
        if self.group is not None:
            return self.group
        return self.item if self.n_repeats > 1 else None

    @property
    def outcomes(self) -> Outcomes:
        """The predictions as counts, in clusters where items repeat or groups were given."""
        places = range(len(self.labels))
        table = Outcomes.from_arrays(*self.codes.T, names=self.names, labels=places, cluster=self.cluster)
        known = {"names": self.names, "labels": self.labels, "missing": "error", "cluster": self.cluster}
        source = Source.of("arrays", (self.y_true, *self.predictions.values()), len(self.names), **known)
        assert source is not None  # noqa: S101 - arrays can be read again
        return replace(table.relabel(self.labels), source=replace(source, id=self.item))

    def position(self, name: str) -> int:
        """Return the place of a classifier among `names`."""
        return place_of(name, self.names)

    def compare(self, a: str | None = None, b: str | None = None, **options: Unpack[CompareOptions]) -> Comparison:
        """Compare two of the classifiers: `compare` of these predictions, or of these scores."""
        return upwards.compare_predictions(self, a, b, **options)

    def evaluate(self, name: str | None = None, **options: Unpack[EvaluateOptions]) -> Evaluation:
        """Evaluate one of the classifiers: `evaluate` of these predictions."""
        return upwards.evaluate_predictions(self, name, **options)

    def fold_scores(self, metric: MetricLike = "accuracy", **which: Unpack[Which]) -> dict[str, FloatArray]:
        """Return one score per fold for each classifier, in the order of the folds.

        Takes any metric of `compare`, with its `classes`, `pos_label`, `cost_matrix` and `prevalence`; names of scores
        such as ``"roc_auc"`` where scores were kept. What is 0/0 in a fold counts as 0, as everywhere; what a fold
        cannot say at all (an area with one class, a class mix that needs a class it lacks) is NaN.

        `classical.corrected_t`, `classical.repeated` and, for five repeats of two folds, `classical.cv5x2_t` take
        these as they are.
        """
        return self._scores_by(self.fold, metric, which)

    def repeat_scores(self, metric: MetricLike = "accuracy", **which: Unpack[Which]) -> dict[str, FloatArray]:
        """Return one score per repeat for each classifier, over all items of the repeat: see `fold_scores`.

        Where repeats test different items (not `complete`), their scores are of different items too.
        """
        return self._scores_by(self.repeat, metric, which)

    def _scores_by(self, part: IntArray, metric: MetricLike, which: Which) -> dict[str, FloatArray]:
        order = np.argsort(part, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
        observed: Any = self._scored if is_of_scores(metric) else self._counted
        values = [observed(rows, metric, **which) for rows in parts]
        return dict(zip(self.names, np.array(values, dtype=np.float64).T.copy(), strict=True))

    def _counted(
        self,
        rows: IntArray,
        metric: MetricLike,
        *,
        classes: Any = None,
        pos_label: Any = None,
        cost_matrix: Any = None,
        prevalence: Any = None,
    ) -> Sequence[float | None]:
        table = Outcomes(self.codes[rows], np.ones(rows.size, dtype=np.int64), self.labels, self.names)
        chosen = choose_metric(metric, table, pos_label, cost_matrix)
        settled = settle([table], metric=chosen, classes=classes, pos_label=pos_label, prevalence=prevalence)
        return observed_psi(settled.tables, settled.metric, settled.prevalence)

    def _scored(self, rows: IntArray, metric: Any, *, pos_label: Any = None, **idle: Any) -> Sequence[float | None]:
        if any(value is not None for value in idle.values()):
            raise InvalidInputError(
                f"`{next(iter(idle))}` is about labels, and {metric!r} about scores.", hint="leave it out."
            )
        scores, positive = self.scores_of(pos_label), self.pos_label if pos_label is None else pos_label
        parse_score_metric(metric, n_labels=len(self.labels) if positive is None else BINARY)  # unknown is no NaN
        values = [scores[name][rows] for name in self.names]
        try:
            items = ItemScores.from_arrays(self.y_true[rows], *values, names=self.names, labels=self.labels)
            items, chosen, _ = settle_scores(items, metric, positive)
        except DataError:  # a fold of one class has no area
            return [None] * len(self.names)
        return chosen(WeightedItems(items, np.ones((items.n_units, 1))))[:, 0].tolist()  # type: ignore[no-any-return]

    def scores_of(self, pos_label: Any = None) -> Mapping[str, FloatArray]:
        """Return the scores, if some were kept and they are those of the class that is meant."""
        if self.scores is None:
            raise InvalidInputError(
                "Only labels were kept, and this metric is about scores.",
                hint='cross_predict(…, method="predict_proba") keeps scores too.',
            )
        if pos_label is not None and self.pos_label not in {None, find_label(pos_label, self.labels)}:
            raise InvalidInputError(
                f"The scores kept are those of {self.pos_label!r}, not of {pos_label!r}.",
                hint=f"cross_predict(…, pos_label={pos_label!r}) keeps the others.",
            )
        return self.scores


def is_of_scores(metric: Any) -> bool:
    """Whether a metric compares scores, instead of labels, with the truth.

    Examples
    --------
    >>> is_of_scores("roc_auc"), is_of_scores("macro_f1")
    (True, False)
    """
    return metric_kind(metric) == "scores" and needs_truth(metric)


def spread_dict(values: FloatArray) -> dict[str, float | int | None]:
    """Return how many values there are, their mean, sample standard deviation and range."""
    known = values[np.isfinite(values)]
    if not known.size:
        return {"n": 0, "mean": None, "std": None, "low": None, "high": None}
    return {
        "n": int(known.size),
        "mean": float(known.mean()),
        "std": float(known.std(ddof=1)) if known.size > 1 else None,
        "low": float(known.min()),
        "high": float(known.max()),
    }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class OfFolds(Comparison):
    """A comparison of two learning algorithms by their scores on folds; `by_item` says what compares their answers."""

    rests_on_items: ClassVar[bool] = False
    cautious: Interval
    fold_differences: FloatArray
    corrected_t: ClassicalTest | None

    by_item: ClassVar[str]

    @property
    def scope(self) -> Scope:
        """What it is about: the algorithms, by folds of one data set."""
        return scope_of_folds(metric_title(self.metric))

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes items, and point to what has them."""
        raise InvalidInputError(
            f"This answer is about two learning algorithms, by their scores on folds, so nothing can be {doing}.",
            hint=self.by_item,
        )


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class CrossComparison(OfFolds):
    """Is learning algorithm A better than B? Made by `cross_compare`.

    The posterior is the correlated t of the folds, exact: of the mean difference of the two *algorithms*, trained on
    sets of this size from this source. Single scores and differences are means over folds. `per_item` is another
    question, answered beside it: which of the classifiers *as they were trained* is better on more such items; it is an
    ordinary comparison of the `predictions`, with confusion matrices, other priors, predictive checks and so on, which
    folds do not have.

    `cautious` is an interval by which a verdict must hold too. It has the degrees of freedom of a single pass over the
    items, k − 1 for k folds and at least four, since repeats are no new items; and the variance that the items show
    beyond the folds, which all have the class mix of these data.

    Beside both stand the differences A − B of the repeats (empty where repeats test different items) and of the folds
    (NaN for a fold without a score), and the corrected resampled t test of the latter, None where it cannot be made.
    """

    per_item: Comparison
    predictions: CrossPredictions
    repeat_differences: FloatArray

    by_item = "r.per_item is about the predictions, item by item, and can."

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with the keys "items" and "resampling" added."""
        predictions = self.predictions
        cluster = "item" if predictions.cluster is not None else None
        return {
            **Comparison.to_dict(self),
            "items": self.per_item.to_dict(),
            "resampling": {
                "splits": predictions.words,
                **pick(predictions, "seed n_items n_folds n_repeats n_train n_test"),
                "cluster": cluster if predictions.group is None else "group",
                "repeats": spread_dict(self.repeat_differences),
                "repeat_differences": plain(self.repeat_differences),
                "folds": spread_dict(self.fold_differences),
                **pick(self, "fold_differences cautious corrected_t"),
            },
        }
