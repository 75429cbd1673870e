"""The order of many items by content: what a sort by several columns gives, sooner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ropewalk.typing import IntArray

_CODES: Final = 1 << 16


def distinct_codes(column: Any) -> tuple[Any, IntArray]:
    """Return the distinct values in ascending order, and the place of each row's among them.

    Examples
    --------
    >>> [part.tolist() for part in distinct_codes(np.array([7, 5, 7]))]
    [[5, 7], [1, 0, 1]]
    """
    if column.size and column.dtype.kind in "biu":
        low = int(column.min())
        if low > -_CODES and column.max() < _CODES:  # small whole numbers are counted, not sorted
            shifted = column.astype(np.int64) - low
            there = np.bincount(shifted) > 0
            return (np.flatnonzero(there) + low).astype(column.dtype), np.asarray((np.cumsum(there) - 1)[shifted])
    distinct, codes = np.unique(column, return_inverse=True)
    return distinct, codes.reshape(-1)


def lexical_order(columns: Sequence[Any]) -> IntArray:
    """Return the order of rows by the last column, of equal ones by the column before it, and so on.

    Rows that are equal in all columns come in any order.

    Examples
    --------
    >>> lexical_order([np.array([0.3, 0.1, 0.2]), np.array([1, 1, 0])]).tolist()
    [2, 1, 0]
    """
    *others, last = columns
    if others and last.size and last.dtype.kind == "i" and last.min() >= 0 and last.max() < _CODES:
        order = lexical_order(others)  # few codes: numpy sorts short integers in one pass, and stably
        return order[np.argsort(last[order].astype(np.uint16), kind="stable")]
    order = np.asarray(np.argsort(last), dtype=np.int64)
    if not others:
        return order
    ordered = last[order]
    equal = ordered[1:] == ordered[:-1]
    tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
    if tied.size:
        rows = order[tied]
        order[tied] = rows[np.lexsort([*(column[rows] for column in others), last[rows]])]
    return order
