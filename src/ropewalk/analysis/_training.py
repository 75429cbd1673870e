"""Estimators and items, whatever form they come in: train a fresh copy, get its predictions."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ropewalk._checks import is_whole
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError, MissingLabelsError, RopewalkError
from ropewalk.text.names import brief

_SEEDS: Final = 2**31 - 1  # what scikit-learn takes as a random_state
_MATRIX: Final = 2
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
        return [_column(answer, count(test), where) for answer, test in zip(answers, tests, strict=True)]

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
            free = {name: int(rng.integers(_SEEDS)) for name in names if other.get_params(deep=True)[name] is None}
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
    try:
        array = np.asarray(targets)
    except ValueError as error:
        raise LengthMismatchError(f"`{name}` must hold one target an item.") from error
    if array.ndim == _MATRIX and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InvalidInputError(f"`{name}` must be one-dimensional; got shape {array.shape}.")
    if array.size != count(items):
        raise LengthMismatchError(
            f"`{name}` and `{what}` must have the same length; got {array.size:,} and {count(items):,}."
        )
    return array


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


def _column(answer: Any, n: int, where: str) -> npt.NDArray[Any]:
    """Return one prediction an item."""
    try:
        array = np.asarray(answer)
    except ValueError as error:
        raise LengthMismatchError(f"The predictions on {where} must be one an item.") from error
    if array.ndim == _MATRIX and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        raise LengthMismatchError(
            f"The estimator must predict one value an item; got shape {array.shape} for {n:,} items on {where}.",
            hint=_FORMS,
        )
    return array
