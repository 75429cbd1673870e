"""Where error comes from: bias, variance and noise, by training again and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, Unpack, get_args, overload

import numpy as np
import numpy.typing as npt

from ropewalk._checks import check_seed, check_whole, checked_keywords, choose, is_real
from ropewalk._progress import ProgressLike, check_progress, track
from ropewalk.analysis._training import as_estimator, as_items, as_targets, code_together, train_and_predict
from ropewalk.data.labels import label_text
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.resampling.splits import pick_items
from ropewalk.results.base import pick, plain
from ropewalk.results.options import Option, SeedOptions
from ropewalk.text.writing import reason
from ropewalk.typing import FloatArray, IntArray, Label

Loss = Literal["squared", "zero_one"]
Sample = Callable[[np.random.Generator], tuple[Any, Any]]

_MAX_VALUE: Final = 1e100  # squares of larger numbers may overflow
_MIN_SETS: Final = 3  # the error of a variance needs three training sets


@dataclass(frozen=True, slots=True, kw_only=True)
class Average:
    """An average over the test items; `standard_error` is the Monte Carlo error over the training sets."""

    value: float
    standard_error: float | None = None

    def __str__(self) -> str:
        return f"{self.value:.4g}" + ("" if self.standard_error is None else f" ± {self.standard_error:.2g}")

    def to_dict(self) -> dict[str, float | None]:
        """Return the figures in plain Python types."""
        return pick(self, "value standard_error")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SquaredBiasVariance:
    """The parts of the expected squared error, per test item and on average. Made by `bias_variance`.

    `error` = `squared_bias` + `variance` + `noise`, exactly, where `error` is the mean squared error over the same
    training sets plus the noise. `variance` divides by sets − 1, and `squared_bias` is (F − mean f)² − variance/sets,
    for (F − mean f)² alone is too large by that much on average; so at an item with little bias it may be
    negative. `bias` is F − mean f itself. Where only labels are known, `bias`, `squared_bias` and `noise` are None and
    `bias_and_noise` has both. The standard errors are those of the jackknife over training sets, the test items given.
    """

    mean_prediction: FloatArray = field(repr=False)
    bias: FloatArray | None = field(repr=False)
    squared_bias: FloatArray | None = field(repr=False)
    variance: FloatArray = field(repr=False)
    noise: FloatArray | None = field(repr=False)
    bias_and_noise: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    average_squared_bias: Average | None
    average_variance: Average
    average_noise: float | None
    average_bias_and_noise: Average
    average_error: Average
    n_sets: int
    resampled: bool
    seed: int
    predictions: FloatArray = field(repr=False)

    def __str__(self) -> str:
        parts: list[tuple[str, object]] = [("bias² + noise", self.average_bias_and_noise)]
        if self.average_squared_bias is not None and self.average_noise is not None:
            parts = [("bias²", self.average_squared_bias), ("noise", f"{self.average_noise:.4g}")]
        parts.insert(1, ("variance", self.average_variance))
        return _table(self, [*parts, ("error", self.average_error)])

    def to_dict(self) -> dict[str, Any]:
        """Return the averages in plain Python types."""
        return {"loss": "squared", **_averages(self, "squared_bias variance noise bias_and_noise error")}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZeroOneBiasVariance:
    """The parts of the expected 0-1 error (Domingos 2000), for each test item and on average.

    The main prediction of an item is its most frequent one (of a tie, the first in label order); `bias` is 1 where
    that is wrong, and holds the noise of the labels too. `variance` is the share of training sets that differ from the
    main prediction: `unbiased_variance` where the main prediction is right and to differ adds error;
    `biased_variance` where it is wrong, and counts those that are right instead (with two classes all that differ).
    `error` = `bias` + `unbiased_variance` − `biased_variance`, exactly. The averages of the variances have standard
    errors that take the main predictions as given; that of the bias has none.
    """

    labels: tuple[Label, ...]
    main_prediction: tuple[Label, ...] = field(repr=False)
    bias: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    unbiased_variance: FloatArray = field(repr=False)
    biased_variance: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    average_bias: Average
    average_variance: Average
    average_unbiased_variance: Average
    average_biased_variance: Average
    average_error: Average
    n_sets: int
    resampled: bool
    seed: int

    def __str__(self) -> str:
        parts = [("bias", self.average_bias), ("+ unbiased variance", self.average_unbiased_variance)]
        return _table(
            self, [*parts, ("− biased variance", self.average_biased_variance), ("error", self.average_error)]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the averages in plain Python types."""
        labels = [label_text(label) for label in self.labels]
        parts = "bias variance unbiased_variance biased_variance error"
        return {"loss": "zero_one", "labels": labels, **_averages(self, parts)}


def split_squared(
    predictions: FloatArray, target: FloatArray, noise: FloatArray | None, *, resampled: bool, seed: int
) -> SquaredBiasVariance:
    """Split the squared error of (sets, items) predictions."""
    n = len(predictions)
    mean = predictions.mean(axis=0)
    bias, away, off = target - mean, predictions - mean, target - predictions
    variance = (away**2).sum(axis=0) / (n - 1)
    squared = bias**2 - variance / n
    extra = np.zeros_like(target) if noise is None else noise
    # Both parts are averages over pairs of training sets; the sums over the pairs of one set give the jackknife.
    far = (away**2).mean(axis=1)
    spread = (n * far + far.sum()) / 2
    crossed = (off * (n * bias - off)).mean(axis=1)
    of_bias = _pair_error(crossed)
    losses = (off**2).mean(axis=1)
    together = Average(value=float((squared + extra).mean()), standard_error=of_bias)
    known = noise is not None
    return SquaredBiasVariance(
        mean_prediction=mean, bias=bias if known else None, squared_bias=squared if known else None, variance=variance,
        noise=noise, bias_and_noise=squared + extra, error=(off**2).mean(axis=0) + extra,
        average_squared_bias=Average(value=float(squared.mean()), standard_error=of_bias) if known else None,
        average_variance=Average(value=float(variance.mean()), standard_error=_pair_error(spread)),
        average_noise=None if noise is None else float(noise.mean()), average_bias_and_noise=together,
        average_error=Average(value=float(losses.mean() + extra.mean()), standard_error=_mean_error(losses)),
        n_sets=n, resampled=resampled, seed=seed, predictions=predictions,
    )  # fmt: skip


def split_zero_one(
    predicted: Sequence[IntArray], right: IntArray, labels: tuple[Label, ...], *, resampled: bool, seed: int
) -> ZeroOneBiasVariance:
    """Split the 0-1 error of (sets, items) predictions, written as positions in `labels`."""
    answers, n = np.stack(predicted), len(predicted)
    # bincount over items × labels at once; argmax takes the first label of a tie
    cells = np.arange(right.size) * len(labels) + answers
    votes = np.bincount(cells.reshape(-1), minlength=right.size * len(labels)).reshape(right.size, len(labels))
    main = votes.argmax(axis=1)
    wrong = main != right
    differs, correct = answers != main, answers == right
    unbiased, biased = differs & ~wrong, correct & wrong
    return ZeroOneBiasVariance(
        labels=labels, main_prediction=tuple(labels[j] for j in main.tolist()), bias=wrong.astype(np.float64),
        variance=differs.mean(axis=0), unbiased_variance=unbiased.mean(axis=0), biased_variance=biased.mean(axis=0),
        error=(~correct).mean(axis=0), average_bias=Average(value=float(wrong.mean())),
        average_variance=_average(differs), average_unbiased_variance=_average(unbiased),
        average_biased_variance=_average(biased), average_error=_average(~correct), n_sets=n, resampled=resampled,
        seed=seed,
    )  # fmt: skip


def _average(shares: npt.NDArray[np.bool_]) -> Average:
    return Average(value=float(shares.mean()), standard_error=_mean_error(shares.mean(axis=1)))


def _mean_error(values: FloatArray) -> float:
    return float(values.std(ddof=1)) / math.sqrt(values.size)


def _pair_error(sums: FloatArray) -> float:
    """Return the jackknife error of an average over pairs of sets, from each set's sum over its pairs."""
    return 2 * float(sums.std(ddof=1)) / (math.sqrt(sums.size) * (sums.size - 2))


def _averages(split: SquaredBiasVariance | ZeroOneBiasVariance, parts: str) -> dict[str, Any]:
    """Return the averages of these parts in plain Python types, and what they were made of."""
    averages = {part: plain(getattr(split, f"average_{part}")) for part in parts.split()}
    return {**averages, "sets": split.n_sets, **pick(split, "resampled seed"), "items": int(split.error.size)}


def _table(split: SquaredBiasVariance | ZeroOneBiasVariance, parts: Sequence[tuple[str, object]]) -> str:
    wide = max(len(name) for name, _ in parts)
    kind = "resampled" if split.resampled else "fresh"
    head = f"{split.n_sets:,} {kind} training sets, {split.error.size:,} test items"
    return "\n".join([head, *(f"{name:<{wide}}  {value}" for name, value in parts)])


class _Options(SeedOptions, total=False):
    sample: Sample | None
    truth: Any
    noise: Any
    n_sets: Annotated[int, Option(help="How many training sets.", default=100)]


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
    **options: Unpack[_Options],
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
        set: the parts are those of the bootstrap, which only approximate those of fresh sets.
    X_test, y_test
        The test items and their labels; where they are among the training items, the error is too small.
    loss
        "squared" or "zero_one".
    sample
        Instead of `X` and `y`: a function of a NumPy Generator that draws a fresh training set ``(X, y)``.
    truth, noise
        For the squared loss, instead of `y_test`: F at the test items, or F itself, a function of `X_test`; and the
        variance σ² of the labels about it, one number or one per item (by default 0: the error is then
        that against F). From `y_test` alone noise cannot be told from squared bias, and they are reported together.
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
    learner, kind = as_estimator(estimator), choose(loss, {kind: kind for kind in get_args(Loss)}, "loss")
    n_sets = check_whole(options["n_sets"], "n_sets", _MIN_SETS)
    sample, truth, noise = options.get("sample"), options.get("truth"), options.get("noise")
    progress = options.get("progress")
    check_progress(progress)
    draw = _source(X, y, sample)
    if X_test is None:
        raise InvalidInputError("There are no test items.", hint="give them as X_test=.")
    tests, seed = as_items(X_test, "X_test"), check_seed(options.get("rng"), options.get("random_state"))
    resampled = sample is None

    def rows() -> list[Any]:
        return _train(learner, draw, tests, np.random.SeedSequence(seed).spawn(n_sets), progress)

    if kind == "squared":
        target, known = _target(tests, y_test, truth, noise)
        if draw is not sample:
            _as_numbers(y, "`y`", X)
        predictions = np.stack([_as_numbers(row, "The predictions", tests) for row in rows()])
        return split_squared(predictions, target, known, resampled=resampled, seed=seed)
    if truth is not None or noise is not None:
        raise InvalidInputError(
            "`truth` and `noise` are for the squared loss.",
            hint="give the labels as y_test=; noise is part of the bias.",
        )
    if y_test is None:
        raise InvalidInputError("The 0-1 loss needs the labels of the test items.", hint="give them as y_test=.")
    labels, (truths, *predicted) = code_together(as_targets(y_test, "`y_test`", tests), *rows())
    return split_zero_one(predicted, truths, labels, resampled=resampled, seed=seed)


def _source(X: Any, y: Any, sample: Any) -> Sample:
    """Return a function that draws a training set: the user's own, or one that resamples the items."""
    if sample is not None:
        if X is not None or y is not None:
            raise InvalidInputError(
                "`sample` draws the training sets, and there are `X` and `y` too; give one form.",
                hint="leave X and y out, or sample=.",
            )
        if not callable(sample):
            raise InvalidInputError(
                f"`sample` must be a function of a NumPy Generator; got {type(sample).__name__}.",
                hint="it returns a training set (X, y).",
            )
        return sample  # type: ignore[no-any-return]
    if X is None or y is None:
        raise InvalidInputError("There are no training sets.", hint="give X and y to resample, or sample=.")
    items = as_items(X, "X")
    targets = as_targets(y, "`y`", items)

    def resample(rng: np.random.Generator) -> tuple[Any, Any]:
        index = rng.integers(targets.size, size=targets.size)
        return pick_items(items, index), targets[index]

    return resample


def _train(
    estimator: Any, draw: Sample, tests: Any, streams: Sequence[np.random.SeedSequence], progress: ProgressLike
) -> list[Any]:
    """Return the predictions of each training set; set i is the same however many there are."""
    rows = []
    for i, stream in enumerate(track(streams, describe="Training", progress=progress), start=1):
        rng = np.random.default_rng(stream)
        train = draw(rng)
        if not isinstance(train, tuple | list) or len(train) != 2:  # noqa: PLR2004
            raise InvalidInputError(
                "`sample` must return a pair (X, y).", hint="return the items and their labels or values."
            )
        items = as_items(train[0], "X")
        pair = items, as_targets(train[1], "`y`", items)
        rows += train_and_predict(estimator, pair, tests, rng=rng, where=f"training set {i:,}")
    return rows


def _target(tests: Any, y_test: Any, truth: Any, noise: Any) -> tuple[FloatArray, FloatArray | None]:
    """Return what predictions are compared with, and the variance of the labels about it where it is known."""
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
        return _as_numbers(y_test, "`y_test`", tests), None
    try:
        values = truth(tests) if callable(truth) else truth
    except Exception as error:
        raise DataError(
            f"`truth` failed on `X_test`: {type(error).__name__}: {reason(error)}", hint="try truth(X_test) by itself."
        ) from error
    target = _as_numbers(values, "`truth`", tests)
    if noise is None or is_real(noise):
        variance = np.full(target.size, 0.0 if noise is None else float(noise))
    else:
        variance = _as_numbers(noise, "`noise`", tests)
    if not all(0 <= value < math.inf for value in variance.tolist()):
        raise InvalidInputError("`noise` is a variance: it must be finite and at least 0.", hint="σ², not σ.")
    return target, variance


def _as_numbers(values: Any, name: str, items: Any) -> FloatArray:
    """Return one finite number for each of `items`, which can be squared."""
    column = as_targets(values, name, items)
    try:
        if column.dtype.kind in "cSUMm":
            raise TypeError(name)  # noqa: TRY301 - text that looks like numbers is refused too
        array = column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name} must be numbers for the squared loss.", hint='labels go with loss="zero_one".'
        ) from error
    bad = ~(np.abs(array) < _MAX_VALUE)  # NaN compares as False
    if bad.any():
        raise DataError(
            f"{name} must be finite numbers below {_MAX_VALUE:g}; got {array[bad][0].item()!r}.",
            hint="give the values in a larger unit.",
        )
    return array
