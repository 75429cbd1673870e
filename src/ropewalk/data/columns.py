"""Columns of any kind: lists, arrays and numbers, checked, and their distinct rows counted."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ropewalk._arguments import array_of, listed
from ropewalk.data.labels import kind_of, plain_labels
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    PairingError,
)
from ropewalk.text.writing import count_of, did_you_mean, reason, shorten, told
from ropewalk.typing import FloatArray, Label

Rows = dict[tuple[Label | None, ...], int]

DISTINCT_CAP: Final = 1 << 24
"""How many different rows are counted, of all the columns that are asked for."""

ROWS_PER_CHUNK: Final = 1 << 17  # counted at a time: temporary arrays stay near 1 MB each, whatever the input
MAX_DENSE_CELLS: Final = 1 << 22  # up to which a count array is cheaper than sorting keys
MAX_LABEL_SPAN: Final = 1 << 16  # up to which `label - min` is the code

LIBRARIES: Final = ("pandas", "polars", "pyarrow")
"""Libraries whose dataframes can be given back; narwhals reads more of them."""

MAX_SCORE: Final = 1e100  # beyond it, and below its inverse, squares overflow or vanish
LABEL_FORMS: Final = "give one label per item, or 0/1 arrays of items × labels where an item has any number of them."
SCORE_FORMS: Final = "give two sequences, a mapping from name to scores, a dataframe, or a rows × classifiers array."


# -- labels, counted in memory -----------------------------------------------------------------------------


def count_columns(columns: Sequence[Any], names: Sequence[str]) -> Rows:
    """Count the distinct rows of equally long columns, NumPy integers without a Python loop.

    Examples
    --------
    >>> count_columns([[1, 1, 0], [1, 1, 1]], ["y", "a"])
    {(1, 1): 2, (0, 1): 1}
    """
    plain = [as_column(column, name) for column, name in zip(columns, names, strict=True)]
    check_same_length(dict(zip(names, plain, strict=True)))
    if len(plain[0]) and all(isinstance(column, np.ndarray) for column in plain):
        kinds = {column.dtype.kind == "b" for column in plain}
        if len(kinds) == 1:
            counted = _count_integers(plain)
            if counted is not None:
                return {tuple(map(bool, row)): n for row, n in counted.items()} if kinds == {True} else counted
    return _count_objects([c.tolist() if isinstance(c, np.ndarray) else c for c in plain], names)


def check_distinct(number: int, shown: str) -> None:
    """Refuse more different rows than labels have."""
    if number > DISTINCT_CAP:
        raise DataError(
            f"There are over {DISTINCT_CAP:,} different rows in {shown}.", hint="is one of these columns an id?"
        )


def check_same_length(columns: Mapping[str, Any]) -> None:
    """Refuse columns of different lengths, given by their names."""
    if len({len(column) for column in columns.values()}) > 1:
        sizes = ", ".join(f"{name} {len(column):,}" for name, column in columns.items())
        raise LengthMismatchError(
            f"All columns must have the same length; got {sizes}.",
            hint="every classifier must have answered every item, in the same order; files with ids can be joined.",
        )


def check_same_order(columns: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse pandas columns that hold the same index in another order: items are matched by position."""
    indexed = [(c.index, name) for c, name in zip(columns, names, strict=True) if hasattr(c, "iloc")]
    for (index, name), (other, other_name) in pairwise(indexed):
        if len(index) == len(other) and not index.equals(other) and index.isin(other).all():
            raise PairingError(
                f"{other_name} has the index of {name} in another order, and items are matched by position.",
                hint="sort both alike, or put them into one dataframe.",
            )


def as_column(column: Any, name: str, of: str = "labels", hint: str = LABEL_FORMS) -> Any:
    """Return a 1-D integer or boolean array where that is what came, else a list of plain values."""
    if isinstance(column, str | bytes | Mapping | set | frozenset) or not (
        isinstance(column, Iterable) or hasattr(column, "__array__")
    ):
        raise InvalidInputError(f"{name} must be a sequence of {of}; got {type(column).__name__}.", hint=hint)
    if not isinstance(column, np.ndarray | list | tuple | range):
        try:
            column = _from_series(column)
        except ValueError as error:
            raise InvalidInputError(f"{name} cannot be read: {reason(error)}.", hint=hint) from error
    if isinstance(column, np.ndarray):
        if column.ndim == 2 and column.shape[1] == 1:  # noqa: PLR2004
            column = column[:, 0]
        if column.ndim != 1:
            raise InvalidInputError(f"{name} must be one-dimensional; got shape {column.shape}.", hint=hint)
        if np.ma.isMaskedArray(column) and np.ma.is_masked(column):
            return column.tolist()  # masked entries become None
        if column.dtype.kind in "bi" or (column.dtype.kind == "u" and column.dtype.itemsize < 8):  # noqa: PLR2004
            return np.asarray(column)
        return column.tolist()
    return listed(column, name)


def _from_series(column: Any) -> Any:
    """Turn a column of any dataframe library, or anything array-like, into an array or a list."""
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return array_of(column) if hasattr(column, "__array__") else listed(column, "A column")
    if (series.dtype.is_integer() or series.dtype == nw.Boolean) and not series.null_count():
        return series.to_numpy()
    return series.to_list()


def _count_integers(columns: list[npt.NDArray[Any]]) -> Rows | None:
    """Count integer rows chunk by chunk; None if the labels are too many for 64-bit keys."""
    levels = [_levels(column) for column in columns]
    sizes = [level if isinstance(level, int) else len(level) for level, _ in levels]
    total = math.prod(sizes)
    if total >= 1 << 62:
        return None
    dense = np.zeros(total, dtype=np.int64) if total <= MAX_DENSE_CELLS else None
    sparse: Counter[int] = Counter()
    for start in range(0, len(columns[0]), ROWS_PER_CHUNK):
        key = np.zeros(min(ROWS_PER_CHUNK, len(columns[0]) - start), dtype=np.int64)
        for column, (level, low), size in zip(columns, levels, sizes, strict=True):
            part = column[start : start + ROWS_PER_CHUNK]
            key *= size
            if isinstance(level, int):
                np.add(key, part, out=key)
                key -= low
            else:
                key += np.searchsorted(level, part)
        if dense is not None:
            dense += np.bincount(key, minlength=total)
        else:
            keys, numbers = np.unique(key, return_counts=True)
            sparse.update(dict(zip(keys.tolist(), numbers.tolist(), strict=True)))
    if dense is not None:
        cells = np.flatnonzero(dense)
        sparse.update(dict(zip(cells.tolist(), dense[cells].tolist(), strict=True)))
    rows: Rows = {}
    for code, number in sparse.items():
        rest, row = code, []
        for (level, low), size in zip(reversed(levels), reversed(sizes), strict=True):
            rest, digit = divmod(rest, size)
            row.append(digit + low if isinstance(level, int) else int(level[digit]))
        rows[tuple(reversed(row))] = number
    return rows


def _levels(column: npt.NDArray[Any]) -> tuple[int | npt.NDArray[Any], int]:
    """Return (size, minimum) for a small range of labels, else (sorted distinct labels, 0)."""
    low, high = int(column.min()), int(column.max())
    if high - low < MAX_LABEL_SPAN:
        return high - low + 1, low
    chunks = [np.unique(column[i : i + ROWS_PER_CHUNK]) for i in range(0, len(column), ROWS_PER_CHUNK)]
    return np.unique(np.concatenate(chunks)), 0


def _count_objects(columns: list[list[Any]], names: Sequence[str]) -> Rows:
    """Count rows of any labels; each column must hold one kind, since `1`, `1.0` and `True` hash alike."""
    cleaned = [one_kind(column, name) for column, name in zip(columns, names, strict=True)]
    return dict(Counter(zip(*cleaned, strict=True)))


def one_kind(column: list[Any], name: str) -> list[Any]:
    """Return a column of labels, null and NaN as None, if it holds one kind of them.

    Examples
    --------
    >>> one_kind([1, None, float("nan")], "y")
    [1, None, None]
    """
    types = set(map(type, column))
    if not types <= {str, int, bool}:
        column = plain_labels(column, name)
        types = {type(value) for value in column} - {type(None)}
    if len(types) > 1:
        examples = {kind_of(value): value for value in reversed(column) if value is not None}
        raise LabelTypeError(
            f"{name} mixes labels of different types ({shorten(examples.values())}).",
            hint="1, '1', 1.0 and True are different labels; convert them to one type.",
        )
    return column


# -- numbers: scores, losses, probabilities ---------------------------------------------------------------


def as_array(values: Any, what: str) -> Any:
    """Return an array; refuse rows of different lengths."""
    try:
        return array_of(values)
    except ValueError as error:
        raise LengthMismatchError(f"The rows of {what} differ in length.", hint="every row needs the same.") from error


def as_numbers(
    values: Any, name: str, *, what: str | None = None, holes: bool = False, hint: str | None = None
) -> FloatArray:
    """Return one classifier's scores if they are finite numbers; a table of repeats × folds keeps its shape.

    `what` is what an error calls them, where they are no scores. With `holes` what is missing is NaN, and no error.
    `hint` is what to do about missing ones.
    """
    title = f"The scores of {name!r}" if what is None else what
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidInputError(
            f"{title} must be a sequence of numbers; got {type(values).__name__}.",
            hint=SCORE_FORMS if what is None else "give one number per item.",
        )
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    array = as_array(values if hasattr(values, "__len__") else listed(values, title), f"the scores of {name!r}")
    if array.dtype.kind in "OU":
        array = as_floats(_scored(array))
    if array.size and array.dtype.kind not in "iufb":
        raise DataError(
            f"{title} must be numbers; got {told(_first_text(array))}.",
            hint="leave out columns that are no scores, and turn text into numbers first."
            if what is None
            else "turn text into numbers first.",
        )
    with np.errstate(over="ignore"):
        floats: FloatArray = array.astype(np.float64)
    if masked is not None:
        floats[masked] = np.nan
    bad = np.flatnonzero(np.isinf(floats) if holes else ~np.isfinite(floats))
    if bad.size:
        raise DataError(
            f"{title} must be finite; NaN, infinity or nothing in {count_of(int(bad.size), 'row')}, "
            f"first in row {int(bad[0]) // max(math.prod(floats.shape[1:]), 1) + 1}.",
            hint=hint or "leave the row out for all classifiers, or find out why it failed."
            if what is None
            else "leave these items out, or find out what their numbers are.",
        )
    largest = float(np.nanmax(np.abs(floats), initial=0.0) if holes else np.abs(floats).max(initial=0.0))
    if largest > MAX_SCORE or 0 < largest < 1 / MAX_SCORE:
        raise DataError(f"{title} reach {largest:g}.", hint="scale them to a size of about 1.")
    return floats


def _scored(array: Any) -> Any:
    """Return an array in which words for right and wrong are the scores 1 and 0; all else stays as it is."""
    cells = [RIGHT_OR_WRONG.get(x.strip().lower(), x) if isinstance(x, str) else x for x in array.reshape(-1).tolist()]
    scored = np.empty(len(cells), dtype=object)
    scored[:] = cells
    return scored.reshape(array.shape)


def number_in(cell: str) -> float | None:
    """Return the number that a text is, None where it is none; 1_0, which Python reads as 10, is none.

    Examples
    --------
    >>> number_in("0.50"), number_in("1_0"), number_in("low")
    (0.5, None, None)
    """
    try:
        return float(cell) if "_" not in cell else None
    except ValueError:
        return None


RIGHT_OR_WRONG: Final = {
    "true": 1.0, "right": 1.0, "correct": 1.0, "pass": 1.0, "passed": 1.0,
    "false": 0.0, "wrong": 0.0, "incorrect": 0.0, "fail": 0.0, "failed": 0.0,
}  # fmt: skip
"""Words that say whether an answer is right, as the scores that they are."""


def score_in(cell: str) -> float | None:
    """Return the score that a text is, as a number or as a word for right or wrong; None where it is none.

    Examples
    --------
    >>> score_in("0.50"), score_in("Pass"), score_in("wrong"), score_in("low")
    (0.5, 1.0, 0.0, None)
    """
    number = number_in(cell)
    return RIGHT_OR_WRONG.get(cell.strip().lower()) if number is None else number


def number_hint(cell: str) -> str:
    """Return what to do about a cell that holds no number, or not as it is written.

    Examples
    --------
    >>> number_hint("0,25"), number_hint("90%")
    ('write decimals with a point: 0.25, not 0,25.', 'write shares without a per cent sign: 0.9, not 90%.')
    """
    if number_in(cell.replace(",", ".", 1)) is not None:
        return "write decimals with a point: 0.25, not 0,25."
    if cell.strip().endswith("%"):
        return "write shares without a per cent sign: 0.9, not 90%."
    return "right and wrong are 1 and 0, or words such as pass and fail; leave it empty where there is none."


def numbers_in(column: Sequence[Any], name: str, before: int = 0) -> list[Any]:
    """Return the cells of a text file as numbers; other columns as they are. `before` rows came before these."""
    numbers = [score_in(cell) if isinstance(cell, str) else cell for cell in column]
    for i, (cell, number) in enumerate(zip(column, numbers, strict=True), before + 1):
        if isinstance(cell, str) and number is None:
            raise DataError(
                f"Column {name!r} must hold numbers; got {told(cell)} in row {i}.",
                hint=number_hint(cell),
            )
    return numbers


def _first_text(array: Any) -> Any:
    """Return the first value that is no number, in any writing."""
    for value in array.reshape(-1).tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return array.reshape(-1).tolist()[0]


def as_floats(cells: Any) -> Any:
    """Return Python's own numbers as an array of floats; None is NaN, and what is no number stays as it is."""
    array = cells if isinstance(cells, np.ndarray) else np.array(cells, dtype=object)
    values = []
    for value in array.flat:
        if value is not None and not isinstance(value, numbers.Real | Decimal | np.bool_):
            return cells
        try:
            values.append(math.nan if value is None else float(value))
        except ValueError:  # Decimal has a NaN that signals
            values.append(math.nan)
        except OverflowError:
            values.append(math.inf)
    return np.array(values, dtype=np.float64).reshape(array.shape)


# -- columns of a table, by name and in parts -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Batches:
    """Dataframes of the same columns that follow each other: a table that is too long to be held at once."""

    frames: Iterator[Any]


def column_rows(columns: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield columns of any kind, given by their names, row by row."""
    plain = {name: as_column(column, name) for name, column in columns.items()}
    check_same_length(plain)
    for start in range(0, len(next(iter(plain.values()))), ROWS_PER_CHUNK):
        parts = [column[start : start + ROWS_PER_CHUNK] for column in plain.values()]
        yield from zip(*(p.tolist() if isinstance(p, np.ndarray) else p for p in parts), strict=True)


def require_columns(present: Sequence[Any], wanted: Sequence[str], where: str = "the table") -> None:
    """Raise for the first column that is not there, naming the nearest one."""
    for name in wanted:
        if name not in present:
            alike = [column for column in present if not isinstance(column, str) and str(column) == name]
            raise ColumnNotFoundError(
                f"Column {name!r} was not found in {where}.",
                hint=f"there is a column {alike[0]!r}, whose name is no text: rename it, with frame.columns.map(str)."
                if alike
                else did_you_mean(name, present) + f"The columns are: {shorten(present)}.",
            )


def is_indicators(data: Any) -> bool:
    """Whether `data` is a 2-D array with at least two columns: one row per item, one column per label."""
    shape = getattr(data, "shape", None)
    if shape is None and isinstance(data, list | tuple) and data and isinstance(data[0], list | tuple | np.ndarray):
        shape = (len(data), len(data[0])) if np.ndim(data[0]) else ()
    return isinstance(shape, tuple) and len(shape) == 2 and shape[1] >= 2  # noqa: PLR2004


def library_of(data: Iterable[Any]) -> str:
    """Return the library of the first dataframe, or column of one, among data; empty where there is none."""
    for part in data:
        library = type(part).__module__.partition(".")[0]
        if library in LIBRARIES:
            return library
    return ""


def series_name(column: Any) -> str | None:
    """Return the name of a column of a dataframe; None where it has none, and for arrays and lists."""
    if isinstance(column, np.ndarray | list | tuple | str | Mapping) or column is None:
        return None
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    name = series.name if isinstance(series, nw.Series) else None
    return name if isinstance(name, str) and name else None
