"""Train a fresh copy of any estimator on any form of items, and pick which items are trained on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ropewalk._checks import is_real, is_whole
from ropewalk.data.scores import code_labels
from ropewalk.errors import (
    DataError,
    InvalidInputError,
    LengthMismatchError,
    MissingDependencyError,
    MissingLabelsError,
    RopewalkError,
)
from ropewalk.resampling.splits import clone, count_items
from ropewalk.text.writing import reason, told
from ropewalk.typing import IntArray, Label

_MAX_SEED: Final = 2**31 - 1  # what scikit-learn takes as a random_state


@dataclass(slots=True)
class _OfFunction:
    """An estimator made of a function (X_train, y_train, X_test) -> predictions."""

    function: Callable[..., Any]
    train: tuple[Any, ...] = ()

    def fit(self, items: Any, targets: Any) -> None:
        self.train = items, targets

    def predict(self, items: Any) -> Any:
        return self.function(*self.train, items)

    def set_params(self, **parameters: Any) -> None:
        self.function = partial(self.function, **parameters)

    def __deepcopy__(self, _: Any) -> _OfFunction:
        return _OfFunction(self.function)


def as_estimator(estimator: Any) -> Any:
    """Return an object with fit and predict: the one that came, or one made of a function."""
    if isinstance(estimator, type):
        raise InvalidInputError(
            f"`estimator` must be an object; got the class {estimator.__name__}.", hint=f"write {estimator.__name__}()."
        )
    if callable(getattr(estimator, "fit", None)) and callable(getattr(estimator, "predict", None)):
        return estimator
    if callable(estimator):
        return _OfFunction(estimator)
    raise InvalidInputError(
        f"`estimator` cannot be a {type(estimator).__name__}.",
        hint="give an object with fit and predict, or a function (X_train, y_train, X_test) -> predictions.",
    )


def with_parameter(estimator: Any, name: str, value: Any) -> Any:
    """Return a copy of an estimator with one parameter set."""
    other = _copy(estimator)
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
            f"{name!r} cannot be set to {told(value)}: {reason(error)}",
            hint="write step__parameter for the step of a pipeline.",
        ) from error
    return other


def _copy(estimator: Any) -> Any:
    """Return an untrained copy: scikit-learn's own way for its estimators, a deep copy for others."""
    if hasattr(estimator, "get_params"):
        with contextlib.suppress(MissingDependencyError):
            return clone(type(estimator).__name__, estimator)
    return deepcopy(estimator)


def train_and_predict(
    estimator: Any, train: tuple[Any, Any], *tests: Any, rng: np.random.Generator, where: str
) -> list[Any]:
    """Train a fresh copy, and return its predictions for each of `tests`.

    Where the estimator leaves its random_state open, the copy gets one from `rng`.
    """
    try:
        fresh = _copy(estimator)
        if hasattr(fresh, "get_params") and hasattr(fresh, "set_params"):
            known = fresh.get_params(deep=True)
            free = [name for name in sorted(known) if name.split("__")[-1] == "random_state" and known[name] is None]
            if free:
                fresh.set_params(**{name: int(rng.integers(_MAX_SEED)) for name in free})
        fresh.fit(*train)
        answers = [fresh.predict(test) for test in tests]
    except RopewalkError:
        raise
    except Exception as error:
        raise DataError(
            f"The estimator failed on {where}: {type(error).__name__}: {reason(error)}",
            hint="does it learn from the whole data? A small training set may lack a class.",
        ) from error
    name = f"The predictions on {where}"
    return [as_targets(answer, name, test) for answer, test in zip(answers, tests, strict=True)]


def as_items(items: Any, name: str) -> Any:
    """Return items that can be picked by position: numbers as an array, anything else as it is."""
    if isinstance(items, list | tuple | range):
        try:
            array = np.asarray(items)
        except ValueError as error:
            raise LengthMismatchError(
                f"The rows of `{name}` have different lengths.", hint="give every item the same number of features."
            ) from error
        items = array if array.dtype.kind in "biuf" else list(items)
    if count_items(items, name) == 0:
        raise LengthMismatchError(f"`{name}` is empty.", hint="give at least one item.")
    return items


def as_targets(targets: Any, name: str, items: Any) -> npt.NDArray[Any]:
    """Return one value for each of `items`, as an array; a table with a single column is that column."""
    if np.ma.is_masked(targets):
        raise MissingLabelsError(f"{name}: some are masked.", hint="leave these items out.")
    number = count_items(items)
    try:
        array = np.asarray(targets)
    except ValueError as error:
        raise LengthMismatchError(
            f"{name} must be one value per item; got rows of different lengths.", hint="give a flat array."
        ) from error
    if array.shape == (number, 1):
        array = array[:, 0]
    if array.shape != (number,):
        raise LengthMismatchError(
            f"{name} must be one value per item, {number:,} in all; got shape {array.shape}.",
            hint="give an array as long as the items.",
        )
    return array


def code_together(*columns: npt.NDArray[Any]) -> tuple[tuple[Label, ...], list[IntArray]]:
    """Return the labels of all columns, in order, and each column as positions in them."""
    numeric = all(column.dtype.kind in "iuf" for column in columns)  # where 1.0 is 1, but no "1" and no True
    joined = np.concatenate(columns if numeric else [column.astype(object) for column in columns])
    places, labels = code_labels(joined, "labels and predictions")
    return labels, np.split(places, np.cumsum([column.size for column in columns])[:-1])


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
            f"`test_size` must be a share between 0 and 1, or a number of items below {n:,}; got {told(value)}.",
            hint="0.25 keeps a quarter of the items for the test.",
        )
    return size
