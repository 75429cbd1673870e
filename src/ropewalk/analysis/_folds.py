"""Which items are trained on and which are held out."""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ropewalk._checks import is_real, is_whole
from ropewalk._optional import require
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.resampling.splits import Fold, legacy_seed
from ropewalk.typing import IntArray

_FEWEST: Final = 2


def check_folds(cv: Any, items: Any, labels: npt.NDArray[Any], seed: int, caller: str) -> list[Fold]:
    """Return the folds of one pass of cross-validation, in which every item is held out once."""
    splitters = require("sklearn.model_selection", extra="ml", caller=caller)
    if is_whole(cv):
        if not _FEWEST <= cv <= labels.size:
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
