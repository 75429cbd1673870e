"""Scores per data set, fold or topic: any form of a table, classifiers as columns, becomes `Scores`."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict

import numpy as np

from ropewalk._validate import choose, count_of, shorten
from ropewalk.data.frames import as_frame, frame_columns, is_frame
from ropewalk.data.rows import check_names
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    DependentFoldsWarning,
    InvalidInputError,
    LengthMismatchError,
)
from ropewalk.typing import FloatArray

Rows = Literal["datasets", "topics", "folds", "splits"]
"""What a row of scores is: folds and splits of one data set share training items, and so depend on each other."""

_KINDS: Final[dict[str, Rows]] = {"datasets": "datasets", "topics": "topics", "folds": "folds", "splits": "splits"}
_DEPENDENT: Final = ("folds", "splits")
_PLANE: Final = 2
_DIGITS: Final = 12


class Pick(TypedDict, total=False):
    """Which two columns of a table of scores to compare."""

    a: str | None
    b: str | None
    names: Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Scores:
    """`values` (n, K): one row a data set, fold or topic, one column a classifier."""

    names: tuple[str, ...]
    values: FloatArray

    @property
    def differences(self) -> FloatArray:
        """The differences of the first two classifiers, A − B; 0 where all of them are rounding errors."""
        difference: FloatArray = self.values[:, 0] - self.values[:, 1]
        return difference if self.rounded.any() else np.zeros_like(difference)

    @property
    def rounded(self) -> FloatArray:
        """The differences to twelve digits of the largest score, so that ties are ties.

        Examples
        --------
        >>> Scores(("A", "B"), np.array([[0.81, 0.78], [0.80, 0.77], [0.3, 0.1 + 0.2]])).rounded.tolist()
        [0.03, 0.03, 0.0]
        """
        largest = float(np.abs(self.values[:, :2]).max(initial=0.0))
        if not largest:
            return np.zeros(len(self.values))
        scale = 10.0 ** math.ceil(math.log10(largest))
        return np.asarray(np.round((self.values[:, 0] - self.values[:, 1]) / scale, _DIGITS) * scale + 0.0)


def as_scores(
    data: Sequence[Any], *, names: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> Scores:
    """Return the scores of a mapping, a dataframe, an array (rows × classifiers), or one sequence a classifier."""
    if len(data) == 1:
        found, values = _from_table(data[0], names, columns)
    else:
        if columns is not None:
            raise InvalidInputError("Separate sequences have no columns to pick.", hint="call them by names=.")
        found, values = check_names(names, len(data)), list(data)
    numbers = [as_numbers(value, name) for name, value in zip(found, values, strict=True)]
    lengths = {len(column) for column in numbers}
    if len(lengths) > 1:
        told = ", ".join(f"{name!r} {len(column)}" for name, column in zip(found, numbers, strict=True))
        raise LengthMismatchError(
            f"The classifiers have different numbers of scores: {told}.",
            hint="row i must be the same data set, fold or topic for all of them.",
        )
    if not lengths or lengths == {0}:
        raise LengthMismatchError("There are no scores.", hint="give one number a data set, fold or topic.")
    return Scores(found, np.stack(numbers, axis=1))


def as_pair(data: Sequence[Any], pick: Pick) -> Scores:
    """Return the scores of two classifiers: the two there are, or those that `a` and `b` name."""
    wanted = [name for name in (pick.get("a"), pick.get("b")) if name is not None]
    if len(wanted) == 1:
        raise InvalidInputError("Name both classifiers, a= and b=, or neither.")
    if len(data) > 1 and wanted:
        raise InvalidInputError("Separate sequences have no columns to name.", hint="call them by names=.")
    scores = as_scores(data, names=pick.get("names"), columns=wanted or None)
    if len(scores.names) != 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"Two classifiers are compared, and there are {len(scores.names)}: {shorten(scores.names, 6)}.",
            hint="name two of them with a= and b=; friedman and anova take all of them.",
        )
    return scores


def _from_table(
    table: Any, names: Sequence[str] | None, columns: Sequence[str] | None
) -> tuple[tuple[str, ...], list[Any]]:
    if isinstance(table, Mapping):
        found, values = tuple(str(name) for name in table), list(table.values())
    elif is_frame(table):
        frame = as_frame(table)
        found = tuple(frame.collect_schema().names()) if columns is None else tuple(columns)
        values = frame_columns(table, found)
    else:
        array = _array(table, "the table of scores")
        if array.ndim != _PLANE:
            raise InvalidInputError(
                f"A single argument must be a table with classifiers as columns; got {array.ndim} dimension(s).",
                hint="give two sequences, a mapping from name to scores, a dataframe, or a rows × classifiers array.",
            )
        found, values = check_names(names, array.shape[1]), list(array.T)
        names = None
    if columns is not None:
        absent = [name for name in columns if name not in found]
        if absent:
            raise ColumnNotFoundError(f"There is no column {absent[0]!r}.", hint=f"the columns are: {shorten(found)}.")
        values = [values[found.index(name)] for name in columns]
        found = tuple(columns)
    return (found if names is None else check_names(names, len(found))), values


def _array(values: Any, what: str) -> Any:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise LengthMismatchError(f"The rows of {what} differ in length.", hint="every row needs the same.") from error


def as_numbers(values: Any, name: str) -> FloatArray:
    """Return one classifier's scores if they are finite numbers; a table of repeats × folds is read row by row."""
    array = _array(values if hasattr(values, "__len__") else list(values), f"the scores of {name!r}")
    if array.dtype.kind == "O" and all(value is None or isinstance(value, int | float) for value in array.flat):
        array = np.array([np.nan if value is None else float(value) for value in array.flat]).reshape(array.shape)
    if array.size and array.dtype.kind not in "iufb":
        raise DataError(
            f"The scores of {name!r} must be numbers; got {array.dtype.name} values, first {array.reshape(-1)[0]!r}.",
            hint="leave out columns that are no scores: pick the classifiers with a= and b=, or columns=.",
        )
    flat: FloatArray = array.astype(np.float64).reshape(-1)
    bad = np.flatnonzero(~np.isfinite(flat))
    if bad.size:
        raise DataError(
            f"The scores of {name!r} must be finite; NaN or infinity in {count_of(int(bad.size), 'row')}, first in row "
            f"{int(bad[0]) + 1}.",
            hint="leave the row out for all classifiers, or find out why it failed.",
        )
    return flat


def caution(of: str, remedy: str, stacklevel: int = 3) -> tuple[str, ...]:
    """Warn where rows depend on each other; `remedy` says what to do instead."""
    if choose(of, _KINDS, "kind of rows") not in _DEPENDENT:
        return ()
    told = (
        f"The {of} of one data set share training items, so their scores are not independent: the spread is too "
        f"small and the p-value or interval too sure. {remedy}"
    )
    warnings.warn(told, DependentFoldsWarning, stacklevel=stacklevel)
    return (told,)
