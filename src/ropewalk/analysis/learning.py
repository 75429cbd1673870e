"""Training against held-out scores: by the number of training items, by a parameter, and for a single split."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from ropewalk._checks import as_list, check_draws, check_prob, check_seed, checked_keywords, is_real, is_whole
from ropewalk._progress import check_progress, track
from ropewalk.analysis._training import (
    as_estimator,
    as_items,
    as_targets,
    check_test_size,
    code_together,
    split_once,
    spread_order,
    train_and_predict,
    with_parameter,
)
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.errors import InvalidInputError, RopewalkWarning
from ropewalk.metrics.registry import parse_metric
from ropewalk.metrics.resolve import MetricLike, require_labels, settle
from ropewalk.models import observed_psi
from ropewalk.resampling.splits import as_labelled, hold_out_once, pick_items
from ropewalk.results.base import pick
from ropewalk.results.options import TrainedOptions, TrainingOptions
from ropewalk.text.remarks import Remark, Remarked, few, issue
from ropewalk.text.writing import told
from ropewalk.typing import IntArray, Label
from ropewalk.verbs.evaluation import evaluate

Case = tuple[Any, Any, Sequence[IntArray]]
"""A value along the curve, the estimator to train, and the positions to train on in each fold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The scores at one training size or parameter value.

    `train` is the mean over folds of the score on the very items that were trained on, `train_std` its spread;
    `held_out` the posterior of the score on items that were not, pooled over folds.
    """

    value: Any
    n_train: int
    train: float
    train_std: float
    held_out: Estimate

    @property
    def gap(self) -> float:
        """The training score minus the held-out score as observed."""
        return self.train - self._observed

    @property
    def gap_interval(self) -> Interval:
        """The HDI of the gap, the training score given."""
        low, high = self.held_out.hdi
        return Interval(self.train - high, self.train - low)

    @property
    def _observed(self) -> float:
        return self.held_out.mean if self.held_out.observed is None else self.held_out.observed

    def __str__(self) -> str:
        low, high = self.held_out.hdi
        return f"train {self.train:.3f}, held out {self._observed:.3f} [{low:.3f}, {high:.3f}], gap {self.gap:+.3f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        value = self.value.item() if isinstance(self.value, np.generic) else self.value
        return {
            "value": value if value is None or isinstance(value, int | float | str) else repr(value),
            **pick(self, "n_train train train_std"),
            "held_out": {"observed": self._observed, **pick(self.held_out, "mean hdi")},
            **pick(self, "gap gap_interval"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Remarked):
    """Training and held-out scores along something: see `points`. Made by `learning_curve` and `validation_curve`.

    The intervals are about items like these, given training sets like these: to train again on other items of the
    population is not covered.
    """

    along: str
    metric: str
    higher_is_better: bool
    prob: float
    folds: int
    seed: int
    points: tuple[CurvePoint, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def best(self) -> CurvePoint:
        """The point with the best observed held-out score, which is too good, since it was picked for being best."""
        sign = 1 if self.higher_is_better else -1
        return max(self.points, key=lambda point: sign * (point.train - point.gap))

    def __str__(self) -> str:
        head = [self.along, "train", "held out", f"{100 * self.prob:g}% HDI", "gap"]
        rows = [
            [
                f"{p.value:,}" if is_whole(p.value) else str(p.value), f"{p.train:.3f} ± {p.train_std:.3f}",
                f"{p.train - p.gap:.3f}", f"[{p.held_out.hdi.low:.3f}, {p.held_out.hdi.high:.3f}]", f"{p.gap:+.3f}",
            ]
            for p in self.points
        ]  # fmt: skip
        wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, wide, strict=True)) for row in (head, *rows)]
        return "\n".join([f"{self.metric}, {self.folds} folds", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        return pick(self, "along metric higher_is_better prob folds seed points warnings")


class Scoring:
    """How predictions become scores, by options that are checked once."""

    def __init__(self, options: TrainingOptions, seed: int) -> None:
        check_progress(options.get("progress"))
        require_labels(options.get("metric"))
        self.metric = parse_metric(options["metric"])
        self.prob, self.draws = check_prob(options["prob"]), check_draws(options["draws"])
        self.pos_label, self.seed = options.get("pos_label"), seed
        self.warnings: list[Remark] = []

    def observed(self, truth: npt.NDArray[Any], predicted: npt.NDArray[Any], labels: tuple[Label, ...]) -> float:
        """Return the observed score of these predictions."""
        table = Outcomes.from_arrays(truth, predicted, labels=_all_labels(labels, predicted))
        settled = settle([table], metric=self.metric, pos_label=self.pos_label)
        return float(observed_psi(settled.tables, settled.metric)[0] or 0.0)

    def posterior(self, truth: npt.NDArray[Any], predicted: npt.NDArray[Any], labels: tuple[Label, ...]) -> Estimate:
        """Return the posterior of the score; its warnings are kept, and issued once for all points together."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RopewalkWarning)
            evaluation = evaluate(
                truth, predicted, name="held out", labels=_all_labels(labels, predicted), metric=self.metric,
                pos_label=self.pos_label, prob=self.prob, draws=self.draws, rng=self.seed,
            )  # fmt: skip
        self.warnings += [remark for remark in evaluation.remarks if remark.level == "warning"]
        return evaluation.metrics[0].estimate


def _all_labels(labels: tuple[Label, ...], predicted: npt.NDArray[Any]) -> tuple[Label, ...]:
    """Return the labels of the data, and behind them any that were only predicted."""
    return tuple(dict.fromkeys([*labels, *code_together(predicted)[0]]))


class Study:
    """Items, folds and an estimator; `curve` trains and scores whatever cases are to be compared."""

    def __init__(self, estimator: Any, X: Any, y: Any, cv: Any, options: TrainingOptions) -> None:
        self.estimator, self.data = as_estimator(estimator), as_labelled(as_items(X, "X"), y)
        self.seed = check_seed(options.get("rng"), options.get("random_state"))
        self.scoring, self.progress = Scoring(options, self.seed), options.get("progress")
        self.folds = hold_out_once(self.data, cv, self.seed)

    def streams(self) -> list[np.random.Generator]:
        """Return a source of random numbers for every fold, the same whatever is compared."""
        return [np.random.default_rng(stream) for stream in np.random.SeedSequence(self.seed).spawn(len(self.folds))]

    def curve(self, along: str, cases: Sequence[Case]) -> Curve:
        """Train and score every case in every fold."""
        answers = track(self._answers(along, cases), total=len(cases) * len(self.folds), describe="Training",
                        progress=self.progress)  # fmt: skip
        points, y, labels = [], self.data.y, self.data.labels
        for value, _, train in cases:
            trained, pooled = [], np.empty(len(y), dtype=object)
            for fold, positions in zip(self.folds, train, strict=True):
                seen, unseen = next(answers)
                trained.append(self.scoring.observed(y[positions], seen, labels))
                pooled[fold.test] = unseen
            points.append(
                CurvePoint(
                    value=value, n_train=min(map(len, train)), train=float(np.mean(trained)),
                    train_std=float(np.std(trained, ddof=1)) if len(trained) > 1 else 0.0,
                    held_out=self.scoring.posterior(y, pooled, labels),
                )
            )  # fmt: skip
        next(answers, None)  # lets the progress bar end
        remarks = tuple(few(self.scoring.warnings))
        issue(remarks)
        return Curve(
            along=along, metric=self.scoring.metric.name, higher_is_better=self.scoring.metric.higher_is_better,
            prob=self.scoring.prob, folds=len(self.folds), seed=self.seed, points=tuple(points),
            remarks=remarks,
        )  # fmt: skip

    def _answers(self, along: str, cases: Sequence[Case]) -> Iterator[list[Any]]:
        """Yield the predictions for the training and the held-out items, fold by fold."""
        for value, estimator, train in cases:
            for k, (fold, positions) in enumerate(zip(self.folds, train, strict=True)):
                items, tests = self.data.at(positions), self.data.at(fold.test)
                where = f"fold {k + 1} with {along} = {value!r:.40}"
                pair = items, self.data.y[positions]
                yield train_and_predict(estimator, pair, items, tests, rng=self.streams()[k], where=where)


@checked_keywords
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] | None = None,
    cv: Any = 5,
    **options: Unpack[TrainingOptions],
) -> Curve:
    """Return training and held-out scores of a classifier by the number of training items.

    In one pass of cross-validation every item is held out once, and predicted from `size` items of the other folds;
    the held-out score and its interval are `evaluate` of these predictions. Smaller training sets are part of larger
    ones, and hold the classes in about the shares of all.

    Parameters
    ----------
    estimator
        An object with fit and predict, of which a fresh copy is trained each time, or a function
        ``(X_train, y_train, X_test) -> predictions``.
    X, y
        The items and their labels.
    sizes
        Numbers of training items, or shares of what the folds leave for training; by default 10% to 100%.
    cv
        The number of stratified folds, or a splitter of scikit-learn that holds out every item once.
    **options
        `metric`, `pos_label`, `prob`, `draws`, `rng` and `random_state` as for `evaluate`, by default "accuracy";
        `progress` as for `bias_variance`.

    Examples
    --------
    >>> import numpy as np
    >>> def nearest_mean(X_train, y_train, X_test):
    ...     means = [X_train[y_train == label].mean() for label in (0, 1)]
    ...     return (abs(X_test - means[1]) < abs(X_test - means[0])).astype(int)
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> curve = learning_curve(nearest_mean, y + rng.normal(size=200), y, sizes=[4, 160], rng=0, draws=2000)
    >>> [point.n_train for point in curve.points]
    [4, 160]
    """
    study = Study(estimator, X, y, cv, options)
    room = min(fold.train.size for fold in study.folds)
    codes = study.data.codes
    folds = zip(study.folds, study.streams(), strict=True)
    orders = [fold.train[spread_order(codes[fold.train], rng)] for fold, rng in folds]
    chosen = _sizes(sizes, room, len(study.data.labels))
    return study.curve("items", [(size, study.estimator, [order[:size] for order in orders]) for size in chosen])


@checked_keywords
def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    parameter: str,
    values: Sequence[Any],
    cv: Any = 5,
    **options: Unpack[TrainingOptions],
) -> Curve:
    """Return training and held-out scores of a classifier by the value of one of its parameters.

    Takes what `learning_curve` takes; all values see the same folds. A function takes the parameter as a keyword.
    Where the held-out score of the best value is reported too, use `best.value` on items that had no part in
    choosing it.

    Parameters
    ----------
    parameter, values
        The parameter's name, ``step__name`` in a pipeline of scikit-learn, and the values it takes.

    Examples
    --------
    >>> import numpy as np
    >>> def above(X_train, y_train, X_test, *, cut):
    ...     return (X_test > cut).astype(int)
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> x = y + rng.normal(size=200) / 3
    >>> curve = validation_curve(above, x, y, parameter="cut", values=[0.0, 0.5, 1.0], rng=0, draws=2000)
    >>> curve.best.value
    0.5
    """
    if not isinstance(parameter, str) or not parameter:
        raise InvalidInputError(
            f"`parameter` must be the name of a parameter; got {told(parameter)}.",
            hint='such as "max_depth": estimator.get_params() lists them.',
        )
    chosen = as_list(values)
    if not chosen:
        raise InvalidInputError("`values` must be a list of at least one value.", hint="such as values=[1, 3, 5].")
    study = Study(estimator, X, y, cv, options)
    whole = [fold.train for fold in study.folds]
    return study.curve(parameter, [(v, with_parameter(study.estimator, parameter, v), whole) for v in chosen])


@checked_keywords
def train_test_error(
    estimator: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, test_size: float = 0.25,
    metric: MetricLike = "error", **options: Unpack[TrainedOptions],
) -> CurvePoint:  # fmt: skip
    """Return the training and the test error of a classifier that is trained once (Wu, section 1.1).

    Parameters
    ----------
    X, y
        The training items and their labels; without `X_test` also those of the test set, which is split off.
    X_test, y_test
        A test set that was not used for training.
    test_size
        The share of items that is split off, class by class, or their number.
    metric, **options
        As for `learning_curve`.

    Examples
    --------
    >>> import numpy as np
    >>> def nearest(X_train, y_train, X_test):
    ...     return y_train[abs(np.subtract.outer(X_test, X_train)).argmin(axis=1)]
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> errors = train_test_error(nearest, y + rng.normal(size=200), y, rng=0)
    >>> errors.train, errors.held_out.hdi.low > 0.1
    (0.0, True)
    """
    settings: TrainingOptions = {**options, "metric": metric}
    seed = check_seed(settings.get("rng"), settings.get("random_state"))
    scoring, learner = Scoring(settings, seed), as_estimator(estimator)
    if (X_test is None) != (y_test is None):
        raise InvalidInputError(
            "A test set is items and labels: give both X_test= and y_test=, or none.", hint="give the other one too."
        )
    items = as_items(X, "X")
    targets = as_targets(y, "`y`", items)
    if X_test is None:
        _, (codes,) = code_together(targets)
        train, test = split_once(codes, check_test_size(test_size, targets.size), np.random.default_rng(seed))
        tests, truth = pick_items(items, test), targets[test]
        items, targets = pick_items(items, train), targets[train]
    else:
        tests = as_items(X_test, "X_test")
        truth = as_targets(y_test, "`y_test`", tests)
    labels, _ = code_together(targets, truth)
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    seen, unseen = train_and_predict(learner, (items, targets), items, tests, rng=rng, where="the training set")
    point = CurvePoint(
        value=targets.size, n_train=targets.size, train=scoring.observed(targets, seen, labels), train_std=0.0,
        held_out=scoring.posterior(truth, unseen, labels),
    )  # fmt: skip
    issue(few(scoring.warnings))
    return point


def _sizes(sizes: Any, room: int, n_labels: int) -> list[int]:
    """Return numbers of training items, in order and each once."""
    if sizes is None:
        # too few items would lack a class
        return sorted({min(max(round(share * room), n_labels), room) for share in (0.1, 0.325, 0.55, 0.775, 1.0)})
    wanted = as_list(sizes)
    if not wanted:
        raise InvalidInputError("`sizes` must be a list of numbers or shares.", hint="such as sizes=[0.1, 0.5, 1.0].")
    numbers = set()
    for size in wanted:
        if is_whole(size) and 0 < size <= room:
            numbers.add(int(size))
        elif is_real(size) and not is_whole(size) and 0 < size <= 1:
            numbers.add(max(int(size * room), 1))
        else:
            raise InvalidInputError(
                f"`sizes` must be whole numbers from 1 to {room:,}, or shares up to 1.0; got {told(size)}.",
                hint=f"the folds leave {room:,} items to train on.",
            )
    return sorted(numbers)
