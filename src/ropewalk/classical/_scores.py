"""Scores per data set, fold or topic: any form of a table, classifiers as columns, becomes `Scores`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypedDict

import numpy as np

from ropewalk._checks import choose
from ropewalk.data.columns import SCORE_FORMS, as_array, as_frame, as_numbers, frame_columns, is_frame
from ropewalk.data.rows import check_names
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    DependentFoldsWarning,
    InvalidInputError,
    LengthMismatchError,
    warn_caller,
)
from ropewalk.text.names import shorten
from ropewalk.text.remarks import Remark, warning
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
        """The differences of the first two classifiers, A − B."""
        difference: FloatArray = self.values[:, 0] - self.values[:, 1]
        return difference

    @property
    def largest(self) -> float:
        """The size of the largest score: what rounding errors are measured by."""
        return float(np.abs(self.values).max(initial=0.0))

    @property
    def rounded(self) -> FloatArray:
        """The scores to twelve digits of the largest of their row, so that ties are ties.

        Examples
        --------
        >>> Scores(("A", "B"), np.array([[0.3, 0.1 + 0.2], [0.5, 0.6]])).rounded.tolist()
        [[0.3, 0.3], [0.5, 0.6]]
        """
        return _to_digits(self.values, self.values)

    @property
    def rounded_differences(self) -> FloatArray:
        """The differences to twelve digits of the scores of their row: 0.81 − 0.78 is 0.80 − 0.77."""
        return _to_digits(self.differences[:, np.newaxis], self.values[:, :2])[:, 0]


def _to_digits(values: FloatArray, rows: FloatArray) -> FloatArray:
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scale = 10.0 ** np.ceil(np.log10(np.where(largest > 0, largest, 1.0)))[:, np.newaxis]
    return np.asarray(np.round(values / scale, _DIGITS) * scale + 0.0)  # + 0.0 turns -0.0 into 0.0


def as_scores(data: Sequence[Any], *, names: Any = None, columns: Any = None) -> Scores:
    """Return the scores of a mapping, a dataframe, an array (rows × classifiers), or one sequence a classifier."""
    if isinstance(columns, str) or isinstance(names, str):
        raise InvalidInputError("`columns` and `names` are lists of names, not a text.", hint='write ["A", "B", "C"].')
    if len(data) == 1:
        found, values = _from_table(data[0], names, columns)
    else:
        if columns is not None:
            raise InvalidInputError("Separate sequences have no columns to pick.", hint="call them by names=.")
        found, values = check_names(names, len(data)), list(data)
    found = check_names(found, len(found))
    numbers_of = [as_numbers(value, name) for name, value in zip(found, values, strict=True)]
    shapes = {column.shape for column in numbers_of}
    if len(shapes) > 1:
        told = ", ".join(f"{name!r} {_size(column)}" for name, column in zip(found, numbers_of, strict=True))
        raise LengthMismatchError(
            f"The classifiers have different numbers of scores: {told}.",
            hint="row i must be the same data set, fold or topic for all of them.",
        )
    if not numbers_of or not numbers_of[0].size:
        raise LengthMismatchError("There are no scores.", hint="give one number a data set, fold or topic.")
    return Scores(found, np.stack([column.reshape(-1) for column in numbers_of], axis=1))


def _size(column: FloatArray) -> str:
    return " × ".join(map(str, column.shape))


def as_pair(data: Sequence[Any], pick: Pick) -> Scores:
    """Return the scores of two classifiers: the two there are, or those that `a` and `b` name."""
    wanted = [str(name) for name in (pick.get("a"), pick.get("b")) if name is not None]
    if len(wanted) == 1 or len(set(wanted)) < len(wanted):
        raise InvalidInputError("Name two different classifiers, a= and b=, or neither.")
    if len(data) > 1 and wanted:
        raise InvalidInputError("Separate sequences have no columns to name.", hint="call them by names=.")
    scores = as_scores(data, names=pick.get("names"), columns=wanted or None)
    if len(scores.names) != 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"Two classifiers are compared, and there are {len(scores.names)}: {shorten(scores.names, 6)}.",
            hint="name two of them with a= and b=; friedman and anova take all of them.",
        )
    return scores


def _from_table(table: Any, names: Sequence[str] | None, columns: Any) -> tuple[Sequence[str], list[Any]]:
    if isinstance(table, Mapping):
        found, values = [str(name) for name in table], list(table.values())
    elif is_frame(table):
        found, values = _from_frame(table, columns)
    else:
        array = as_array(table, "the table of scores")
        if array.ndim != _PLANE:
            raise InvalidInputError(
                f"A single argument must be a table with classifiers as columns; got {array.ndim} dimension(s).",
                hint=SCORE_FORMS,
            )
        found, values = list(check_names(names, array.shape[1])), list(array.T)
        names = None
    if columns is not None:
        wanted = [str(name) for name in columns]
        absent = [name for name in wanted if name not in found]
        if absent:
            raise ColumnNotFoundError(f"There is no column {absent[0]!r}.", hint=f"the columns are: {shorten(found)}.")
        found, values = wanted, [values[found.index(name)] for name in wanted]
    return (found if names is None else check_names(names, len(found))), values


def _from_frame(table: Any, columns: Any) -> tuple[list[str], list[Any]]:
    native = list(table.columns) if hasattr(table, "iloc") else []
    if not all(isinstance(name, str) for name in native):
        return [str(name) for name in native], list(table.to_numpy().T)  # pandas calls them 0, 1, 2 unless told
    if len(set(native)) < len(native):
        raise DataError(f"Some columns go by the same name: {shorten(native)}.", hint="column names must differ.")
    found = as_frame(table).collect_schema().names() if columns is None else [str(name) for name in columns]
    return list(found), frame_columns(table, found)


def caution(of: str, remedy: str) -> tuple[Remark, ...]:
    """Warn where rows depend on each other; `remedy` says what to do instead."""
    if choose(of, _KINDS, "kind of rows") not in _DEPENDENT:
        return ()
    told = (
        f"The {of} of one data set share training items, so their scores are not independent: the spread is too "
        f"small and the p-value or interval too sure. {remedy}"
    )
    warn_caller(told, DependentFoldsWarning)
    return (warning("dependent_rows", told),)
