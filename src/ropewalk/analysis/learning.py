"""Training against held-out scores: by the number of training items, by a parameter, and for a single split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_seed, checked_keywords, is_real, is_whole
from ropewalk.analysis._curves import Curve, CurvePoint, Scoring, Study
from ropewalk.analysis._folds import check_test_size, split_once, spread_order
from ropewalk.analysis._parts import code_labels
from ropewalk.analysis._training import as_items, as_learner, as_targets
from ropewalk.errors import InvalidInputError
from ropewalk.resampling.splits import pick
from ropewalk.results.options import TrainingOptions
from ropewalk.text.remarks import few, issue

_SHARES: Final = (0.1, 0.325, 0.55, 0.775, 1.0)


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
        Numbers of training items, or shares of what the folds leave for training; 10% to 100% unless said.
    cv
        The number of stratified folds, or a splitter of scikit-learn that holds out every item once.
    **options
        `metric`, `pos_label`, `prob`, `draws`, `rng` and `random_state` as for `evaluate`, "accuracy" unless said;
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
    study = Study(estimator, (X, y), cv, "learning_curve", options)
    room = min(fold.train.size for fold in study.folds)
    orders = [
        spread_order(study.codes[fold.train], rng) for fold, rng in zip(study.folds, study.streams(), strict=True)
    ]
    cases = [
        (size, study.learner, [fold.train[order[:size]] for fold, order in zip(study.folds, orders, strict=True)])
        for size in _sizes(sizes, room, len(study.labels))
    ]
    curve = study.curve("items", cases)
    issue(curve.remarks)
    return curve


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
        raise InvalidInputError(f"`parameter` must be the name of a parameter; got {parameter!r}.")
    chosen: Any = values
    if isinstance(chosen, np.ndarray):
        chosen = chosen.tolist()
    if isinstance(chosen, str) or not isinstance(chosen, Sequence | range) or not len(chosen):
        raise InvalidInputError("`values` must be a list of at least one value.", hint="such as values=[1, 3, 5].")
    study = Study(estimator, (X, y), cv, "validation_curve", options)
    whole = [fold.train for fold in study.folds]
    curve = study.curve(parameter, [(v, study.learner.with_parameter(parameter, v), whole) for v in chosen])
    issue(curve.remarks)
    return curve


@checked_keywords
def train_test_error(
    estimator: Any, X: Any, y: Any, X_test: Any = None, y_test: Any = None, *, test_size: float = 0.25,
    **options: Unpack[TrainingOptions],
) -> CurvePoint:  # fmt: skip
    """Return the training and the test error of a classifier that is trained once (Wu, section 1.1).

    Parameters
    ----------
    X, y
        The training items and their labels; without `X_test` also those of the test set, which is split off.
    X_test, y_test
        A test set that nothing was learned from.
    test_size
        The share of items that is split off, class by class, or their number.
    **options
        As for `learning_curve`, but the metric is "error" unless said.

    Examples
    --------
    >>> import numpy as np
    >>> def nearest(X_train, y_train, X_test):
    ...     return y_train[abs(np.subtract.outer(X_test, X_train)).argmin(axis=1)]
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> found = train_test_error(nearest, y + rng.normal(size=200), y, rng=0)
    >>> found.train, found.held_out.hdi.low > 0.1
    (0.0, True)
    """
    settings: TrainingOptions = {"metric": "error", **options}
    seed = check_seed(settings.get("rng"), settings.get("random_state"))
    scoring, learner = Scoring(settings, seed), as_learner(estimator)
    if (X_test is None) != (y_test is None):
        raise InvalidInputError("A test set is items and labels: give both X_test= and y_test=, or none.")
    items = as_items(X, "X")
    targets = as_targets(y, "y", items, "X")
    if X_test is None:
        _, (codes,) = code_labels([targets])
        train, test = split_once(codes, check_test_size(test_size, targets.size), np.random.default_rng(seed))
        tests, right = pick(items, test), targets[test]
        items, targets = pick(items, train), targets[train]
    else:
        tests = as_items(X_test, "X_test")
        right = as_targets(y_test, "y_test", tests, "X_test")
    labels, _ = code_labels([targets, right])
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    seen, unseen = learner.predict((items, targets), items, tests, rng=rng, where="the training set")
    found = CurvePoint(
        value=targets.size, n_train=targets.size, train=scoring.observed(targets, seen, labels), train_std=0.0,
        held_out=scoring.posterior(right, unseen, labels),
    )  # fmt: skip
    issue(few(scoring.warnings))
    return found


def _sizes(sizes: Any, room: int, n_labels: int) -> list[int]:
    """Return numbers of training items, in order and each once."""
    if sizes is None:
        # too few items would lack a class
        return sorted({min(max(round(share * room), n_labels), room) for share in _SHARES})
    given = sizes.tolist() if isinstance(sizes, np.ndarray) else sizes
    if isinstance(given, str) or not isinstance(given, Sequence | range) or not len(given):
        raise InvalidInputError("`sizes` must be a list of numbers or shares.", hint="such as sizes=[0.1, 0.5, 1.0].")
    found = set()
    for size in given:
        if is_whole(size) and 0 < size <= room:
            found.add(int(size))
        elif is_real(size) and not is_whole(size) and 0 < size <= 1:
            found.add(max(int(size * room), 1))
        else:
            raise InvalidInputError(
                f"`sizes` must be whole numbers from 1 to {room:,}, or shares up to 1.0; got {size!r}.",
                hint=f"the folds leave {room:,} items to train on.",
            )
    return sorted(found)
