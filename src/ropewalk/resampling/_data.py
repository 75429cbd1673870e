"""What a resampling works on: items that can be picked by number, one label each, and estimators that can be fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk._optional import require
from ropewalk.data.columns import check_same_order
from ropewalk.data.labels import find_label, usual_positive
from ropewalk.data.rows import check_names
from ropewalk.data.scores import code_labels
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.text.names import brief, count_of
from ropewalk.typing import CodeArray, IntArray, Label

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Items and their true labels: `y` for the estimators, `codes` are the places of the same labels in `labels`."""

    items: Any
    y: Any
    codes: CodeArray
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, rows: IntArray) -> Any:
        """Return some of the items, in the order given and in the form that they came in."""
        return pick(self.items, rows)


def as_labelled(items: Any, y: Any) -> Labelled:
    """Check that there is one label an item, and one item a label."""
    number = count_items(items)
    check_same_order([items, y], ["X", "y"])
    places, labels = code_labels(y, "y")
    if places.size != number:
        raise LengthMismatchError(
            f"X has {count_of(number, 'item')} and y {count_of(places.size, 'label')}.",
            hint="item i of X must have label i of y.",
        )
    if len(labels) < _FEWEST:
        told = f"y holds the single class {brief(repr(labels[0]))}" if labels else "There are no items"
        raise DataError(f"{told}; a classifier needs two classes to tell apart.", hint="is y the column of the labels?")
    codes: CodeArray = places.astype(np.int32)
    return Labelled(items=items, y=np.array(labels)[codes], codes=codes, labels=labels)


def count_items(items: Any) -> int:
    """Return how many items X has, whatever holds them."""
    shape = getattr(items, "shape", None)
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int | np.integer):
        return int(shape[0])
    if isinstance(items, str | bytes | Mapping) or not hasattr(items, "__len__"):
        raise InvalidInputError(
            f"X must be an array, a sparse matrix, a dataframe or a list of items; got {type(items).__name__}.",
            hint="lazy frames and generators must be collected first.",
        )
    return len(items)


def pick(items: Any, rows: IntArray) -> Any:
    """Return some of the items, in the form that they came in.

    Examples
    --------
    >>> pick(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    # scikit-learn's own way to do this is private, and these are all the forms that there are.
    if hasattr(items, "iloc"):
        return items.iloc[rows]
    if isinstance(items, list | tuple):
        return [items[i] for i in rows]
    if hasattr(items, "tocsr"):  # not every sparse format can be indexed
        return items.tocsr()[rows]
    if hasattr(items, "take") and hasattr(items, "column_names"):  # Arrow's table
        return items.take(rows)
    try:
        return items[rows]
    except (TypeError, IndexError, KeyError) as error:
        raise InvalidInputError(
            f"The items of a {type(items).__name__} cannot be picked by number.",
            hint="give an array, a dataframe, a list or a sparse matrix.",
        ) from error


def as_estimators(estimators: Any) -> dict[str, Any]:
    """Return estimators by name, each of which can be cloned, fitted and asked."""
    if isinstance(estimators, Mapping):
        found = dict(estimators)
        if not found:
            raise InvalidInputError("`estimators` is empty; give at least one.", hint='write {"svm": SVC(), …}.')
    elif isinstance(estimators, list | tuple | set):
        raise InvalidInputError(
            "Several estimators need names.", hint='write {"svm": SVC(), "forest": RandomForestClassifier()}.'
        )
    else:
        found = {called(estimators): estimators}
    check_names(list(found), len(found))
    for name, estimator in found.items():
        check_estimator(name, estimator)
    return found


def called(estimator: Any) -> str:
    """Return what to call an estimator: its class, or that of what a pipeline or a search ends in."""
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps:
        return called(steps[-1][1])
    return type(estimator).__name__


def check_estimator(name: str, estimator: Any) -> None:
    """Refuse what cannot be cloned, fitted and asked."""
    if isinstance(estimator, type):
        raise InvalidInputError(
            f"{name!r} is a class, not an estimator.", hint=f"make one first: {estimator.__name__}()."
        )
    absent = [method for method in ("fit", "predict") if not hasattr(estimator, method)]
    if absent:
        raise InvalidInputError(
            f"{name!r} ({type(estimator).__name__}) has no {' and no '.join(absent)}, so it is no classifier.",
            hint="an estimator has fit(X, y) and predict(X), as in scikit-learn.",
        )
    copy(name, estimator)


def copy(name: str, estimator: Any) -> Any:
    """Return an unfitted copy of an estimator, so that the one passed in stays as it is."""
    base = require("sklearn.base", extra="ml", caller="resampling")
    try:
        return base.clone(estimator)
    except (TypeError, RuntimeError) as error:
        raise InvalidInputError(
            f"{name!r} ({type(estimator).__name__}) cannot be cloned, and every fold needs a fresh copy: "
            f"{brief(str(error), 200)}",
            hint="derive it from sklearn.base.BaseEstimator, which has get_params and set_params.",
        ) from error


def positive_of(labels: tuple[Label, ...], pos_label: Any) -> Label | None:
    """Return the positive one of two labels: the one named, else the usual one, else the last; None for more labels."""
    if len(labels) != _FEWEST:
        return None
    if pos_label is None:
        usual = usual_positive(labels)
        return labels[-1] if usual is None else usual
    return find_label(pos_label, labels)
