"""Where error comes from: bias, variance and noise, by training again and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypedDict, Unpack, overload

import numpy as np

from ropewalk._checks import check_seed, checked_keywords, choose, is_real
from ropewalk._progress import ProgressLike, check_progress, track
from ropewalk.analysis._parts import (
    SquaredBiasVariance,
    ZeroOneBiasVariance,
    code_labels,
    split_squared,
    split_zero_one,
)
from ropewalk.analysis._training import Learner, as_items, as_learner, as_targets, check_number_of, check_numbers
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.resampling.splits import pick
from ropewalk.typing import FloatArray, SeedLike

Loss = Literal["squared", "zero_one"]
Sample = Callable[[np.random.Generator], tuple[Any, Any]]

_LOSSES: Final[dict[str, Loss]] = {"squared": "squared", "zero_one": "zero_one"}
_MOST: Final = 1e100  # squares of larger numbers may overflow
_FEWEST: Final = 3  # the error of a variance needs three training sets
_PAIR: Final = 2


class _Options(TypedDict, total=False):
    sample: Sample | None
    truth: Any
    noise: Any
    n_sets: int
    rng: SeedLike
    random_state: SeedLike
    progress: ProgressLike


@overload
def bias_variance(
    estimator: Any, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None, *,
    loss: Literal["squared"] = "squared", **options: Unpack[_Options],
) -> SquaredBiasVariance: ...  # fmt: skip
@overload
def bias_variance(
    estimator: Any, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None, *,
    loss: Literal["zero_one"], **options: Unpack[_Options],
) -> ZeroOneBiasVariance: ...  # fmt: skip


@checked_keywords
def bias_variance(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    *,
    loss: Loss = "squared",
    sample: Sample | None = None,
    truth: Any = None,
    noise: Any = None,
    n_sets: int = 100,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    progress: ProgressLike = None,
) -> SquaredBiasVariance | ZeroOneBiasVariance:
    """Split the expected error into bias, variance and noise, by training on many training sets.

    For the squared loss E[(y − f)²] = (F − E f)² + Var f + σ² (Wu, Equation 28); for the 0-1 loss the parts of
    Domingos (2000): error = bias + unbiased variance − biased variance, where the noise is part of the bias.

    Parameters
    ----------
    estimator
        An object with fit and predict, of which a fresh copy is trained each time, or a function
        ``(X_train, y_train, X_test) -> predictions``. A random_state of scikit-learn that is None is set from `rng`;
        one that is a number stays, and then only the training set varies.
    X, y
        Training items, resampled with replacement for every training set. All sets then share the items of one data
        set: the parts are those of the bootstrap, which stand in for those of fresh sets, no more.
    X_test, y_test
        The test items and their labels; where they are among the training items, the error is too small.
    loss
        "squared" or "zero_one".
    sample
        Instead of `X` and `y`: a function of a NumPy Generator that draws a fresh training set ``(X, y)``.
    truth, noise
        For the squared loss, instead of `y_test`: F at the test items, or F itself, a function of `X_test`; and the
        variance σ² of the labels about it, one number or one an item (0 if not said: the error is then that
        against F). From `y_test` alone noise cannot be told from squared bias, and they come together.
    n_sets
        How many training sets.
    progress
        None draws a bar on a terminal if it takes long, True always, False never; a function is called with
        (done, n_sets) after each training.

    Examples
    --------
    >>> import numpy as np
    >>> def line(X_train, y_train, X_test):
    ...     return np.polyval(np.polyfit(X_train, y_train, 1), X_test)
    >>> def curve(x):
    ...     return 3 * (x - 0.2) ** 2 - 7 * (x - 0.2) + 4.2
    >>> def fresh(rng):
    ...     x = rng.uniform(-1, 2, 20)
    ...     return x, curve(x) + rng.normal(size=20)
    >>> parts = bias_variance(line, sample=fresh, X_test=np.linspace(-1, 2, 50), truth=curve, noise=1, rng=0)
    >>> bool(parts.average_squared_bias.value > 4 * parts.average_variance.value)
    True
    >>> total = parts.squared_bias + parts.variance + parts.noise
    >>> bool(np.allclose(total, parts.error))
    True
    """
    learner, kind = as_learner(estimator), choose(loss, _LOSSES, "loss")
    n_sets = check_number_of(n_sets, "n_sets", _FEWEST)
    check_progress(progress)
    draw = _source(X, y, sample)
    if X_test is None:
        raise InvalidInputError("There are no test items.", hint="give them as X_test=.")
    tests, seed = as_items(X_test, "X_test"), check_seed(rng, random_state)
    resampled = sample is None

    def rows() -> list[Any]:
        return _train(learner, draw, tests, np.random.SeedSequence(seed).spawn(n_sets), progress)

    if kind == "squared":
        target, known = _target(tests, y_test, truth, noise)
        if draw is not sample:
            check_numbers(y, "`y`", _MOST)
        predictions = np.stack([check_numbers(row, "The predictions", _MOST) for row in rows()])
        return split_squared(predictions, target, known, resampled=resampled, seed=seed)
    if truth is not None or noise is not None:
        raise InvalidInputError(
            "`truth` and `noise` are for the squared loss.",
            hint="give the labels as y_test=; noise is part of the bias.",
        )
    if y_test is None:
        raise InvalidInputError("The 0-1 loss needs the labels of the test items.", hint="give them as y_test=.")
    right = as_targets(y_test, "y_test", tests, "X_test")
    labels, codes = code_labels([right, *rows()])
    return split_zero_one(codes[1:], codes[0], labels, resampled=resampled, seed=seed)


def _source(X: Any, y: Any, sample: Any) -> Sample:
    """Return a function that draws a training set: the user's own, or one that resamples the items."""
    if sample is not None:
        if X is not None or y is not None:
            raise InvalidInputError("`sample` draws the training sets, and there are `X` and `y` too; give one form.")
        if not callable(sample):
            raise InvalidInputError(
                f"`sample` must be a function of a NumPy Generator; got {type(sample).__name__}.",
                hint="it returns a training set (X, y).",
            )
        return sample  # type: ignore[no-any-return]
    if X is None or y is None:
        raise InvalidInputError("There are no training sets.", hint="give X and y to resample, or sample=.")
    items = as_items(X, "X")
    targets = as_targets(y, "y", items, "X")

    def resample(rng: np.random.Generator) -> tuple[Any, Any]:
        index = rng.integers(targets.size, size=targets.size)
        return pick(items, index), targets[index]

    return resample


def _train(
    learner: Learner, draw: Sample, tests: Any, streams: Sequence[np.random.SeedSequence], progress: ProgressLike
) -> list[Any]:
    """Return the predictions of each training set; set i is the same however many there are."""
    rows = []
    for i, stream in enumerate(track(streams, describe="Training", progress=progress), start=1):
        rng = np.random.default_rng(stream)
        train = draw(rng)
        if not isinstance(train, tuple | list) or len(train) != _PAIR:
            raise InvalidInputError("`sample` must return a pair (X, y).")
        items = as_items(train[0], "X")
        pair = items, as_targets(train[1], "y", items, "X")
        rows.append(learner.predict(pair, tests, rng=rng, where=f"training set {i:,}")[0])
    return rows


def _target(tests: Any, y_test: Any, truth: Any, noise: Any) -> tuple[FloatArray, FloatArray | None]:
    """Return what predictions are held against, and the variance of the labels about it where it is known."""
    if (truth is None) == (y_test is None):
        raise InvalidInputError(
            "Predictions are held against the truth or against labels: give one of `truth` and `y_test`.",
            hint="labels are the truth with noise; with both known, give truth= and noise=.",
        )
    if truth is None:
        if noise is not None:
            raise InvalidInputError(
                "`noise` goes with `truth`.", hint="from the average of bias_and_noise you may subtract it yourself."
            )
        return check_numbers(as_targets(y_test, "y_test", tests, "X_test"), "`y_test`", _MOST), None
    try:
        values = truth(tests) if callable(truth) else truth
    except Exception as error:
        raise DataError(f"`truth` failed on `X_test`: {type(error).__name__}: {error}") from error
    target = check_numbers(as_targets(values, "truth", tests, "X_test"), "`truth`", _MOST)
    if noise is None or is_real(noise):
        variance = np.full(target.size, 0.0 if noise is None else float(noise))
    else:
        variance = check_numbers(as_targets(noise, "noise", tests, "X_test"), "`noise`", _MOST)
    if not all(0 <= value < math.inf for value in variance.tolist()):
        raise InvalidInputError("`noise` is a variance: it must be finite and at least 0.", hint="σ², not σ.")
    return target, variance
