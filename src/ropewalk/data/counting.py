"""Count the distinct rows of columns held in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ropewalk.data.labels import clean, kind_of
from ropewalk.errors import InvalidInputError, LabelTypeError, LengthMismatchError, PairingError
from ropewalk.text.names import shorten
from ropewalk.typing import Label

Rows = dict[tuple[Label | None, ...], int]

CHUNK = 1 << 17  # rows counted at a time: temporary arrays stay near 1 MB each, whatever the input
_DENSE = 1 << 22  # cells up to which a count array is cheaper than sorting keys
_SPAN = 1 << 16  # label ranges up to which `label - min` is the code


def count_columns(columns: Sequence[Any], names: Sequence[str]) -> Rows:
    """Count the distinct rows of equally long columns, NumPy integers without a Python loop.

    Examples
    --------
    >>> count_columns([[1, 1, 0], [1, 1, 1]], ["y", "a"])
    {(1, 1): 2, (0, 1): 1}
    """
    plain = [as_column(column, name) for column, name in zip(columns, names, strict=True)]
    lengths = [len(column) for column in plain]
    if len(set(lengths)) > 1:
        told = ", ".join(f"{name} {length:,}" for name, length in zip(names, lengths, strict=True))
        raise LengthMismatchError(
            f"All columns must have the same length; got {told}.",
            hint="every classifier must have answered every item, in the same order; files with ids can be joined.",
        )
    if lengths[0] and all(isinstance(column, np.ndarray) for column in plain):
        kinds = {column.dtype.kind == "b" for column in plain}
        if len(kinds) == 1:
            counted = _count_integers(plain)
            if counted is not None:
                return {tuple(map(bool, row)): n for row, n in counted.items()} if kinds == {True} else counted
    return _count_objects([c.tolist() if isinstance(c, np.ndarray) else c for c in plain], names)


def check_same_order(columns: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse pandas columns that hold the same index in another order: items are matched by position."""
    indexed = [(c.index, name) for c, name in zip(columns, names, strict=True) if hasattr(c, "iloc")]
    for (index, name), (other, other_name) in pairwise(indexed):
        if len(index) == len(other) and not index.equals(other) and index.isin(other).all():
            raise PairingError(
                f"{other_name} has the index of {name} in another order, and items are matched by position.",
                hint="sort both alike, or put them into one dataframe.",
            )


def as_column(column: Any, name: str) -> Any:
    """Return a 1-D integer or boolean array where that is what came, else a list of plain values."""
    if isinstance(column, str | bytes | Mapping | set | frozenset) or not (
        isinstance(column, Iterable) or hasattr(column, "__array__")
    ):
        raise InvalidInputError(f"{name} must be a sequence of labels; got {type(column).__name__}.")
    if not isinstance(column, np.ndarray | list | tuple | range):
        column = _from_series(column)
    if isinstance(column, np.ndarray):
        if column.ndim == 2 and column.shape[1] == 1:  # noqa: PLR2004
            column = column[:, 0]
        if column.ndim != 1:
            raise InvalidInputError(
                f"{name} must be one-dimensional; got shape {column.shape}.",
                hint="give one label an item, or 0/1 arrays of items × labels where an item has any number of them.",
            )
        if np.ma.isMaskedArray(column) and np.ma.is_masked(column):
            return column.tolist()  # masked entries become None
        if column.dtype.kind in "bi" or (column.dtype.kind == "u" and column.dtype.itemsize < 8):  # noqa: PLR2004
            return np.asarray(column)
        return column.tolist()
    return list(column)


def _from_series(column: Any) -> Any:
    """Turn a column of any dataframe library, or anything array-like, into an array or a list."""
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(column) if hasattr(column, "__array__") else list(column)
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
    dense = np.zeros(total, dtype=np.int64) if total <= _DENSE else None
    sparse: Counter[int] = Counter()
    for start in range(0, len(columns[0]), CHUNK):
        key = np.zeros(min(CHUNK, len(columns[0]) - start), dtype=np.int64)
        for column, (level, low), size in zip(columns, levels, sizes, strict=True):
            part = column[start : start + CHUNK]
            key *= size
            if isinstance(level, int):
                np.add(key, part, out=key)
                key -= low
            else:
                key += np.searchsorted(level, part)
        if dense is not None:
            dense += np.bincount(key, minlength=total)
        else:
            found, numbers = np.unique(key, return_counts=True)
            sparse.update(dict(zip(found.tolist(), numbers.tolist(), strict=True)))
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
    if high - low < _SPAN:
        return high - low + 1, low
    chunks = [np.unique(column[i : i + CHUNK]) for i in range(0, len(column), CHUNK)]
    return np.unique(np.concatenate(chunks)), 0


def _count_objects(columns: list[list[Any]], names: Sequence[str]) -> Rows:
    """Count rows of any labels; each column must hold one kind, since `1`, `1.0` and `True` hash alike."""
    cleaned = []
    for column, name in zip(columns, names, strict=True):
        types = set(map(type, column))
        if not types <= {str, int, bool}:
            column = [clean(value) for value in column]  # noqa: PLW2901
            types = {type(value) for value in column} - {type(None)}
        if len(types) > 1:
            examples = {kind_of(value): value for value in reversed(column) if value is not None}
            raise LabelTypeError(
                f"{name} mixes labels of different types ({shorten(examples.values())}).",
                hint="1, '1', 1.0 and True are different labels; convert them to one type.",
            )
        cleaned.append(column)
    return dict(Counter(zip(*cleaned, strict=True)))
