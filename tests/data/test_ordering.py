"""The order of rows by content, beside NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest

from ropewalk.data.ordering import distinct_codes, lexical_order


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize("codes", [1, 3, 100_000])
@pytest.mark.parametrize("n", [0, 1, 2, 500])
def test_rows_come_in_the_order_of_lexsort(n, codes, digits):
    rng = np.random.default_rng(n + codes + digits)
    columns = [*rng.random((2, n)).round(digits), rng.integers(0, codes, n)]
    for picked in (columns, columns[:2], columns[:1], [columns[2], columns[0]]):
        ours, theirs = lexical_order(picked), np.lexsort(picked)
        for column in picked:
            assert np.array_equal(column[ours], column[theirs])
        assert np.array_equal(np.sort(ours), np.arange(n))


def test_negative_numbers_are_no_codes():
    column = np.array([3, -1, 2])
    assert lexical_order([np.zeros(3), column]).tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    "column",
    [
        np.array([3, -1, 3, 7]),
        np.array([True, False, True]),
        np.array([True, True]),
        np.array([250, 3, 250], dtype=np.uint8),
        np.array([-128, 127], dtype=np.int8),
        np.array([2**63 - 1, -(2**63)]),
        np.array([2**64 - 1, 2**64 - 3], dtype=np.uint64),
        np.array([0.5, 0.25]),
        np.array(["b", "a", "b"]),
        np.array([], dtype=np.int64),
    ],
    ids=str,
)
def test_distinct_values_are_those_of_unique(column):
    ours, theirs = distinct_codes(column), np.unique(column, return_inverse=True)
    for mine, other in zip(ours, theirs, strict=True):
        assert np.array_equal(mine, other)
    assert ours[0].dtype == column.dtype
