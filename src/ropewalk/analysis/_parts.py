"""The parts of an expected error, from the predictions of many training sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ropewalk.data.labels import clean, kind_of, label_text, sort_labels, whole_number
from ropewalk.errors import LabelTypeError, MissingLabelsError
from ropewalk.text.names import shorten
from ropewalk.typing import FloatArray, IntArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Average:
    """An average over the test items; `standard_error` is the Monte Carlo error over the training sets."""

    value: float
    standard_error: float | None = None

    def __str__(self) -> str:
        return f"{self.value:.4g}" + ("" if self.standard_error is None else f" ± {self.standard_error:.2g}")

    def to_dict(self) -> dict[str, float | None]:
        """Return the figures in plain Python types."""
        return {"value": self.value, "standard_error": self.standard_error}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SquaredBiasVariance:
    """The parts of the expected squared error, for each test item and on average. Made by `bias_variance`.

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
        bias = self.average_squared_bias
        return {
            "loss": "squared",
            "squared_bias": None if bias is None else bias.to_dict(),
            "variance": self.average_variance.to_dict(),
            "noise": self.average_noise,
            "bias_and_noise": self.average_bias_and_noise.to_dict(),
            "error": self.average_error.to_dict(),
            **_origin(self),
        }


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
        return _table(
            self,
            [
                ("bias", self.average_bias),
                ("+ unbiased variance", self.average_unbiased_variance),
                ("− biased variance", self.average_biased_variance),
                ("error", self.average_error),
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the averages in plain Python types."""
        return {
            "loss": "zero_one",
            "labels": [label_text(label) for label in self.labels],
            "bias": self.average_bias.to_dict(),
            "variance": self.average_variance.to_dict(),
            "unbiased_variance": self.average_unbiased_variance.to_dict(),
            "biased_variance": self.average_biased_variance.to_dict(),
            "error": self.average_error.to_dict(),
            **_origin(self),
        }


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


def code_labels(columns: Sequence[npt.NDArray[Any]]) -> tuple[tuple[Label, ...], list[IntArray]]:
    """Return the labels of all columns, in order, and each column as positions in them."""
    split = []
    for column in columns:
        try:
            values, places = np.unique(column, return_inverse=True)
        except TypeError as error:
            raise LabelTypeError("Labels must be of one type.", hint="is there a None among them?") from error
        plain = [whole_number(clean(value)) for value in values.tolist()]
        if None in plain:
            raise MissingLabelsError("Some labels or predictions are null or NaN.", hint="leave these items out.")
        split.append((plain, places.reshape(-1)))
    known: list[Label] = list({(kind_of(v), v): v for plain, _ in split for v in plain if v is not None}.values())
    if len({kind_of(label) for label in known}) > 1:
        raise LabelTypeError(
            f"Labels and predictions are of different types: {shorten(known, 6)}.",
            hint="1, '1' and True are different labels; convert them to one type.",
        )
    labels = sort_labels(known)
    position = {label: j for j, label in enumerate(labels)}
    return labels, [np.array([position[v] for v in plain if v is not None])[places] for plain, places in split]


def _average(shares: npt.NDArray[np.bool_]) -> Average:
    by_set = shares.mean(axis=1)
    return Average(value=float(shares.mean()), standard_error=_mean_error(by_set))


def _mean_error(values: FloatArray) -> float:
    return float(values.std(ddof=1)) / math.sqrt(values.size)


def _pair_error(sums: FloatArray) -> float:
    """Return the jackknife error of an average over pairs of sets, from each set's sum over its pairs."""
    return 2 * float(sums.std(ddof=1)) / (math.sqrt(sums.size) * (sums.size - 2))


def _origin(found: SquaredBiasVariance | ZeroOneBiasVariance) -> dict[str, Any]:
    return {"sets": found.n_sets, "resampled": found.resampled, "seed": found.seed, "items": int(found.error.size)}


def _table(found: SquaredBiasVariance | ZeroOneBiasVariance, parts: Sequence[tuple[str, object]]) -> str:
    wide = max(len(name) for name, _ in parts)
    kind = "resampled" if found.resampled else "fresh"
    head = f"{found.n_sets:,} {kind} training sets, {found.error.size:,} test items"
    return "\n".join([head, *(f"{name:<{wide}}  {value}" for name, value in parts)])
