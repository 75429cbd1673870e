"""Columns of numbers: scores, losses, probabilities, checked before anything is computed from them."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

import numpy as np

from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.text.names import brief, count_of
from ropewalk.typing import FloatArray

SCORE_FORMS: Final = "give two sequences, a mapping from name to scores, a dataframe, or a rows × classifiers array."
_HUGE: Final = 1e100  # beyond it, and below its inverse, squares overflow or vanish


def as_array(values: Any, what: str) -> Any:
    """Return an array, or say that its rows differ in length."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise LengthMismatchError(f"The rows of {what} differ in length.", hint="every row needs the same.") from error


def as_numbers(values: Any, name: str, *, what: str | None = None) -> FloatArray:
    """Return one classifier's scores if they are finite numbers; a table of repeats × folds keeps its shape.

    `what` is what an error calls them, where they are no scores.
    """
    told = f"The scores of {name!r}" if what is None else what
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidInputError(
            f"{told} must be a sequence of numbers; got {type(values).__name__}.",
            hint=SCORE_FORMS if what is None else None,
        )
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    array = as_array(values if hasattr(values, "__len__") else list(values), f"the scores of {name!r}")
    if array.dtype.kind == "O":
        array = _plain(array)
    if array.size and array.dtype.kind not in "iufb":
        raise DataError(
            f"{told} must be numbers; got {brief(repr(_first_text(array)))}.",
            hint="leave out columns that are no scores, and turn text into numbers first.",
        )
    found: FloatArray = array.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(found) if masked is None else ~np.isfinite(found) | masked)
    if bad.size:
        raise DataError(
            f"{told} must be finite; NaN, infinity or nothing in {count_of(int(bad.size), 'row')}, "
            f"first in row {int(bad[0]) // max(found[0].size, 1) + 1}.",
            hint="leave the row out for all classifiers, or find out why it failed." if what is None else None,
        )
    largest = float(np.abs(found).max(initial=0.0))
    if largest > _HUGE or 0 < largest < 1 / _HUGE:
        raise DataError(f"{told} reach {largest:g}.", hint="scale them to a size of about 1.")
    return found


def _first_text(array: Any) -> Any:
    """Return the first value that is no number, in any writing."""
    for value in array.reshape(-1).tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return array.reshape(-1).tolist()[0]


def _plain(array: Any) -> Any:
    """Return an array of Python's own numbers as floats; None is NaN, and what is no number stays as it is."""
    values = []
    for value in array.flat:
        if value is not None and not isinstance(value, numbers.Real | Decimal | np.bool_):
            return array
        try:
            values.append(math.nan if value is None else float(value))
        except OverflowError:
            values.append(math.inf)
    return np.array(values, dtype=np.float64).reshape(array.shape)
