"""Weights and counts that stand beside items: importance weights of labels, and rows that are grouped already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_counts
from ropewalk.data.clusters import kish, usual_weight
from ropewalk.data.columns import as_column, as_numbers, number_in
from ropewalk.errors import CountsError, DataError, LengthMismatchError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of, told
from ropewalk.typing import FloatArray, IntArray

MAX_ITEMS_KEPT: Final = 10_000_000
"""So many items at most are kept one by one, where scores come in groups."""

_COUNT_HINT: Final = "a count says how many items a row stands for."


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """How much the items of a table count: `counts[i]` items of row `row[i]` have the weight `weight[i]` each.

    Only ratios of weights matter. They are importance weights: an item that weighs three times as much is not seen
    three times, so the weights of items are drawn as if all counted alike, and multiplied with these.
    """

    row: IntArray
    weight: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, row: Any, weight: Any, counts: Any) -> Weights:
        """Return the weights that occur, each pair of row and weight once."""
        row, counts = np.asarray(row, dtype=np.int64), np.asarray(counts, dtype=np.int64)
        levels, place = np.unique(np.asarray(weight, dtype=np.float64), return_inverse=True)
        size = max(levels.size, 1)
        keys, inverse = np.unique(row * size + place.reshape(-1), return_inverse=True)
        merged = np.zeros(keys.size, dtype=np.int64)
        np.add.at(merged, inverse.reshape(-1), counts)
        rows, places = np.divmod(keys, size)
        return cls(rows, levels[places], merged)

    @property
    def n(self) -> int:
        """How many pairs of row and weight there are."""
        return self.row.size

    @property
    def shapes(self) -> FloatArray:
        """Return how many items each pair stands for, the shape of what it is drawn as."""
        return self.counts.astype(np.float64)

    @property
    def effective(self) -> float:
        """How many items that count alike would tell as much (Kish 1965).

        Examples
        --------
        >>> Weights.of([0, 0, 1], [1.0, 1.0, 2.0], [1, 1, 1]).effective  # 4² / 6
        2.6666666666666665
        """
        return kish(self.weight, self.counts)

    def usual(self, chosen: Any = slice(None)) -> float:
        """Return the weight of an item that is picked at random by weight, as a root mean square."""
        return usual_weight(self.weight[chosen], self.counts[chosen])

    def merged(self, inverse: IntArray) -> Weights:
        """Return the weights of a table in which row i has become row `inverse[i]`."""
        return Weights.of(inverse[self.row], self.weight, self.counts)

    def beside(self, other: Weights, n_rows: int) -> Weights:
        """Return the weights of two tables, one below the other."""
        rows = np.concatenate([self.row, other.row + n_rows])
        return Weights.of(
            rows, np.concatenate([self.weight, other.weight]), np.concatenate([self.counts, other.counts])
        )

    def matrix(self, n_rows: int) -> Any:
        """Return the sparse matrix that turns draws of the pairs into weights of rows."""
        from scipy.sparse import csr_array

        return csr_array((self.weight, (self.row, np.arange(self.n))), shape=(n_rows, self.n))


def check_weights(weights: Any, n_items: int | None = None) -> FloatArray:
    """Return weights of items as numbers; they are not negative, and some are not 0."""
    numbers = as_numbers(weights, "sample_weight", what="`sample_weight`")
    if numbers.ndim > 1 and numbers.shape[1:] != (1,):
        raise LengthMismatchError(
            argument("sample_weight") + f" must be one number per item; got shape {numbers.shape}.",
            hint="give one weight per item.",
        )
    numbers = numbers.reshape(-1)
    if n_items is not None and numbers.size != n_items:
        raise LengthMismatchError(
            argument("sample_weight") + f" has {numbers.size:,} weights for {count_of(n_items, 'item')}.",
            hint="give one weight per item.",
        )
    if (numbers < 0).any() or (numbers.size and not numbers.any()):
        raise DataError(
            argument("sample_weight") + " must not be negative, nor 0 throughout.",
            hint="weights say how much each item counts.",
        )
    return numbers


def common_weight(weights: FloatArray) -> float | None:
    """Return what every item weighs; None where some weigh more than others.

    Examples
    --------
    >>> common_weight(np.array([2.0, 2.0])), common_weight(np.array([2.0, 1.0])), common_weight(np.array([]))
    (2.0, None, 1.0)
    """
    if not weights.size:
        return 1.0
    return float(weights[0]) if (weights == weights[0]).all() else None


def split_weights(
    keys: Sequence[tuple[Any, ...]], counts: Sequence[int]
) -> tuple[list[tuple[Any, ...]], list[int], FloatArray]:
    """Return rows without their last entry, their counts, and the weights that the last entries are.

    What weighs nothing is not there: its count becomes 0.
    """
    weight = check_weights(numbers_of([key[-1] for key in keys], "sample_weight"))
    many = [n if w else 0 for n, w in zip(counts, weight.tolist(), strict=True)]
    return [key[:-1] for key in keys], many, weight


def numbers_of(cells: Sequence[Any], name: str) -> list[Any]:
    """Return the cells of a column as numbers, also those of a text file."""
    numbers = [number_in(cell) if isinstance(cell, str) else cell for cell in cells]
    for cell, number in zip(cells, numbers, strict=True):
        if number is None and cell is not None:
            raise DataError(
                argument(name) + f" must hold numbers; got {told(cell)}.", hint="a weight says how much an item counts."
            )
    return numbers


def times_count(rows: Mapping[tuple[Any, ...], int]) -> dict[tuple[Any, ...], int]:
    """Return rows without their last entry, which says how many items each stands for.

    Examples
    --------
    >>> times_count({(1, 1, 30): 1, (1, 1, 5): 2, (0, 1, 4): 1})
    {(1, 1): 40, (0, 1): 4}
    """
    numbers = check_count([key[-1] for key in rows]).tolist()
    total: dict[tuple[Any, ...], int] = {}
    for (*key, _), many, number in zip(rows, rows.values(), numbers, strict=True):
        if number:
            total[tuple(key)] = total.get(tuple(key), 0) + many * number
    return total


def check_count(column: Any, n_items: int | None = None) -> IntArray:
    """Return the numbers of items that rows stand for, whole and not negative."""
    cells = as_column(column, "`count`", "whole numbers", _COUNT_HINT)
    if n_items is not None and len(cells) != n_items:
        raise LengthMismatchError(
            argument("count") + f" has {len(cells):,} numbers for {count_of(n_items, 'row')}.", hint=_COUNT_HINT
        )
    if not isinstance(cells, np.ndarray):
        cells = numbers_of(cells, "count")
        if holes := sum(cell is None for cell in cells):
            raise CountsError(f"{count_of(holes, 'row')} without a " + argument("count") + ".", hint=_COUNT_HINT)
    return check_counts(cells, "column of counts") if len(cells) else np.zeros(0, dtype=np.int64)


def check_alone(count: Any, ids: Any) -> None:
    """Refuse ids of items where rows stand for several."""
    if count is not None and ids is not None:
        raise DataError(
            wording("`id` and `count` do not go together: an item with an id is one item."),
            hint="leave one of them out.",
        )


def repeated(n_rows: int, count: Any) -> IntArray:
    """Return the place of the row of every item, where each row stands for so many.

    Examples
    --------
    >>> repeated(3, [2, 0, 1]).tolist()
    [0, 0, 2]
    """
    numbers = check_count(count, n_rows)
    total = int(numbers.sum())
    if total > MAX_ITEMS_KEPT:
        raise DataError(
            f"The rows stand for {total:,} items, and more than {MAX_ITEMS_KEPT:,} are not kept one by one.",
            hint="give a part of them.",
        )
    return np.repeat(np.arange(n_rows), numbers)
