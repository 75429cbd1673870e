"""Train a fresh copy of any estimator on any form of items; which items are trained on and which are held out."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ropewalk._checks import is_real, is_whole
from ropewalk._optional import require
from ropewalk.data.labels import clean, kind_of, sort_labels, whole_number
from ropewalk.errors import (
    DataError,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    MissingLabelsError,
    RopewalkError,
)
from ropewalk.resampling.splits import Fold, legacy_seed
from ropewalk.text.names import brief, shorten
from ropewalk.typing import IntArray, Label

_MAX_SEED: Final = 2**31 - 1  # what scikit-learn takes as a random_state
_FORMS: Final = "give an object with fit and predict, or a function (X_train, y_train, X_test) -> predictions."


@dataclass(frozen=True, slots=True)
class Learner:
    """Anything that learns: `estimator` is an object with fit and predict, or a function of three arguments."""

    estimator: Any
    is_function: bool

    def predict(self, train: tuple[Any, Any], *tests: Any, rng: np.random.Generator, where: str) -> list[Any]:
        """Train a fresh copy on `train`, and return its predictions for each of `tests`."""
        try:
            if self.is_function:
                answers = [self.estimator(*train, test) for test in tests]
            else:
                trained = self._fresh(rng)
                trained.fit(*train)
                answers = [trained.predict(test) for test in tests]
        except RopewalkError:
            raise
        except Exception as error:
            raise DataError(
                f"The estimator failed on {where}: {type(error).__name__}: {brief(str(error), 200)}",
                hint="does it learn from the whole data? A small training set may lack a class.",
            ) from error
        columns = [_column(answer, f"The predictions on {where} must be one an item.") for answer in answers]
        for column, n in zip(columns, map(count, tests), strict=True):
            if column.shape != (n,):
                raise LengthMismatchError(
                    f"The estimator must predict one value an item; got shape {column.shape} for {n:,} items on "
                    f"{where}.",
                    hint=_FORMS,
                )
        return columns

    def with_parameter(self, name: str, value: Any) -> Learner:
        """Return the same learner with one parameter set."""
        if self.is_function:
            return Learner(partial(self.estimator, **{name: value}), is_function=True)
        other = _copy(self.estimator)
        try:
            if hasattr(other, "set_params"):
                other.set_params(**{name: value})
            elif hasattr(other, name):
                setattr(other, name, value)
            else:
                raise InvalidInputError(
                    f"{type(other).__name__} has no parameter {name!r}.", hint="name one of its attributes."
                )
        except (AttributeError, TypeError, ValueError) as error:
            if isinstance(error, RopewalkError):
                raise
            raise InvalidInputError(
                f"{name!r} cannot be set to {brief(repr(value))}: {brief(str(error), 200)}",
                hint="write step__parameter for the step of a pipeline.",
            ) from error
        return Learner(other, is_function=False)

    def _fresh(self, rng: np.random.Generator) -> Any:
        """Return an untrained copy; where it leaves its random_state open, it gets one from `rng`."""
        other = _copy(self.estimator)
        if hasattr(other, "get_params") and hasattr(other, "set_params"):
            names = [name for name in sorted(other.get_params(deep=True)) if name.split("__")[-1] == "random_state"]
            free = {name: int(rng.integers(_MAX_SEED)) for name in names if other.get_params(deep=True)[name] is None}
            if free:
                other.set_params(**free)
        return other


def as_learner(estimator: Any) -> Learner:
    """Return the learner that an argument stands for."""
    if isinstance(estimator, type):
        raise InvalidInputError(
            f"`estimator` must be an object; got the class {estimator.__name__}.", hint=f"write {estimator.__name__}()."
        )
    if callable(getattr(estimator, "fit", None)) and callable(getattr(estimator, "predict", None)):
        return Learner(estimator, is_function=False)
    if callable(estimator):
        return Learner(estimator, is_function=True)
    raise InvalidInputError(f"`estimator` cannot be a {type(estimator).__name__}.", hint=_FORMS)


def _copy(estimator: Any) -> Any:
    """Return an untrained copy: scikit-learn's own way for its estimators, a deep copy for others."""
    if hasattr(estimator, "get_params"):
        try:
            from sklearn.base import clone  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            pass
        else:
            try:
                return clone(estimator)
            except (TypeError, RuntimeError) as error:
                raise InvalidInputError(
                    f"{type(estimator).__name__} cannot be cloned: {brief(str(error), 200)}", hint=_FORMS
                ) from error
    return copy.deepcopy(estimator)


def count(items: Any) -> int:
    """Return the number of items of an array, a dataframe, a sparse matrix or a list."""
    shape = getattr(items, "shape", None)
    return int(shape[0]) if shape else len(items)


def as_items(items: Any, name: str) -> Any:
    """Return items that can be picked by position: numbers as an array, anything else as it is."""
    if isinstance(items, list | tuple | range):
        try:
            array = np.asarray(items)
        except ValueError as error:
            raise LengthMismatchError(f"The rows of `{name}` have different lengths.") from error
        items = array if array.dtype.kind in "biuf" else list(items)
    shape = getattr(items, "shape", None)
    if isinstance(items, str | bytes | dict | set) or shape == () or not (shape or hasattr(items, "__len__")):
        raise InvalidInputError(
            f"`{name}` must be an array, a dataframe or a list of items; got {type(items).__name__}."
        )
    if count(items) == 0:
        raise LengthMismatchError(f"`{name}` is empty.", hint="give at least one item.")
    return items


def as_targets(targets: Any, name: str, items: Any, what: str) -> npt.NDArray[Any]:
    """Return one target for each of `items`, as an array."""
    if np.ma.is_masked(targets):
        raise MissingLabelsError(f"Some of `{name}` are masked.", hint="leave these items out.")
    array = _column(targets, f"`{name}` must hold one target an item.")
    if array.ndim != 1:
        raise InvalidInputError(f"`{name}` must be one-dimensional; got shape {array.shape}.")
    if array.size != count(items):
        raise LengthMismatchError(
            f"`{name}` and `{what}` must have the same length; got {array.size:,} and {count(items):,}."
        )
    return array


def as_list(values: Any) -> list[Any]:
    """Return a sequence or an array as a list; anything else gives an empty one."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return list(values) if isinstance(values, Sequence) and not isinstance(values, str) else []


def _column(values: Any, message: str) -> npt.NDArray[Any]:
    """Return an array, of a table with a single column that column; `message` is about rows of unequal length."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise LengthMismatchError(message) from error
    return array[:, 0] if array.ndim > 1 and array.shape[1:] == (1,) else array


def check_numbers(values: Any, name: str, most: float) -> npt.NDArray[np.float64]:
    """Return finite numbers that can be squared."""
    try:
        if np.asarray(values).dtype.kind in "cSUMm":
            raise TypeError(name)  # noqa: TRY301 - text that looks like numbers is refused too
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{name} must be numbers for the squared loss.", hint='labels go with loss="zero_one".'
        ) from error
    bad = ~(np.abs(array) < most)  # NaN compares as False
    if bad.any():
        raise DataError(f"{name} must be finite numbers below {most:g}; got {array[bad].flat[0].item()!r}.")
    return array


def check_number_of(value: Any, name: str, least: int) -> int:
    """Return a whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise InvalidInputError(f"`{name}` must be a whole number of at least {least}; got {value!r}.")
    return int(value)


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


def all_labels(labels: tuple[Label, ...], predicted: npt.NDArray[Any]) -> tuple[Label, ...]:
    """Return the labels of the data, and behind them any that were only predicted."""
    all_predicted, _ = code_labels([predicted])
    return (*labels, *(label for label in all_predicted if label not in labels))


def check_folds(cv: Any, items: Any, labels: npt.NDArray[Any], seed: int, caller: str) -> list[Fold]:
    """Return the folds of one pass of cross-validation, in which every item is held out once."""
    splitters = require("sklearn.model_selection", extra="ml", caller=caller)
    if is_whole(cv):
        if not 2 <= cv <= labels.size:  # noqa: PLR2004
            raise InvalidInputError(
                f"`cv` must be from 2 to the number of items, {labels.size:,}; got {cv!r}.", hint="5 and 10 are usual."
            )
        most = int(np.unique(labels, return_counts=True)[1].max())
        kind = splitters.StratifiedKFold if cv <= most else splitters.KFold
        splitter = kind(n_splits=int(cv), shuffle=True, random_state=legacy_seed(seed))
    elif callable(getattr(cv, "split", None)):
        splitter = cv
    else:
        raise InvalidInputError(
            f"`cv` must be a number of folds or a splitter of scikit-learn; got {cv!r:.60}.", hint="such as cv=5."
        )
    try:
        with warnings.catch_warnings():
            # a class with fewer items than folds: its score says so by itself
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            pairs = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(items, labels)]
    except (TypeError, ValueError) as error:
        raise DataError(
            f"The items cannot be split: {error}", hint="use fewer folds, and a splitter without groups."
        ) from error
    held_out = np.sort(np.concatenate([test for _, test in pairs])) if pairs else np.zeros(0)
    if not np.array_equal(held_out, np.arange(labels.size)):
        raise DataError(
            "The splitter must hold out every item exactly once.",
            hint="use KFold or StratifiedKFold; random splits and repeats count some items twice or never.",
        )
    folds = [Fold(train.astype(np.int64), test.astype(np.int64)) for train, test in pairs]
    if min(fold.train.size for fold in folds) == 0:
        raise DataError("A fold leaves no items to train on.", hint="use more folds.")
    return folds


def spread_order(labels: npt.NDArray[Any], rng: np.random.Generator) -> IntArray:
    """Return a random order in which every beginning holds the classes in about their shares, one of each first.

    Examples
    --------
    >>> y = np.array([0] * 90 + [1] * 10)
    >>> first = y[spread_order(y, np.random.default_rng(0))[:20]]
    >>> int(first.sum())
    2
    """
    shuffled = rng.permutation(labels.size)
    keys = np.empty(labels.size)
    for label in np.unique(labels).tolist():
        places = np.flatnonzero(labels[shuffled] == label)
        keys[places] = np.arange(places.size) / places.size
    order: IntArray = shuffled[np.argsort(keys, kind="stable")]
    return order


def split_once(labels: npt.NDArray[Any], n_test: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return positions of training and test items; both hold the classes in about the shares of all.

    Examples
    --------
    >>> y = np.array([0] * 80 + [1] * 20)
    >>> train, test = split_once(y, 25, np.random.default_rng(0))
    >>> int(y[train].sum()), int(y[test].sum())
    (15, 5)
    """
    # Class after class, each in random order: equal steps through them take the same share of each.
    order = np.lexsort((rng.random(labels.size), labels))
    places = np.floor((np.arange(n_test) + rng.random()) * labels.size / n_test).astype(np.int64)
    return np.delete(order, places), order[places]


def check_test_size(value: Any, n: int) -> int:
    """Return the number of items to split off: `value` itself, or that share."""
    size = int(value) if is_whole(value) else round(float(value) * n) if is_real(value) and 0 < value < 1 else 0
    if not 0 < size < n:
        raise InvalidInputError(
            f"`test_size` must be a share between 0 and 1, or a number of items below {n:,}; got {value!r}."
        )
    return size
