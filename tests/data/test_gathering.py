"""Columns that come in parts are what they would be in one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ropewalk.data import gathering
from ropewalk.data.clusters import code_ids
from ropewalk.data.gathering import Coded, Gathered
from ropewalk.data.scores import code_labels
from ropewalk.errors import DataError, RopewalkError
from support import need

CELLS = st.one_of(st.none(), st.text("ab", max_size=2), st.sampled_from([0, 1, 1.0, True, False, 2**70]))
PARTS = st.lists(st.lists(CELLS, max_size=4), max_size=5)


def gathered(parts, **options):
    found = Gathered(["y"], **options)
    for part in parts:
        found.add([part])
    (column,) = found.columns()
    return column


def typed(column):
    return [(type(value), value) for value in column]


def answer(function, *args):
    try:
        codes, labels = function(*args)
    except RopewalkError as error:
        return type(error), error.message
    return codes.tolist(), typed(labels)


@settings(deadline=None)
@given(PARTS)
def test_rows_keep_their_values_and_types_however_they_come(parts):
    whole = [value for part in parts for value in part]
    column = gathered(parts)
    assert typed(column) == typed(whole)
    kinds = {type(value) for value in whole} - {type(None)}
    assert isinstance(column, Coded) == (bool(whole) and len(kinds) < 2 and kinds <= {str, int, bool})
    for code in (code_labels, code_ids):
        assert answer(code, column, "y") == answer(code, whole, "y")


def test_columns_of_many_values_are_ids_and_no_codes(monkeypatch):
    monkeypatch.setattr(gathering, "MANY_VALUES", 3)
    ids = [[f"{i}" for i in range(start, start + 4)] for start in range(0, 12, 4)]
    assert gathered(ids) == [f"{i}" for i in range(12)]
    assert isinstance(gathered([["a", "b", "c", "d"] * 3] * 4), Coded)


def test_parts_of_several_kinds_are_a_list():
    assert typed(gathered([np.array([1, 2]), ["a", None], np.array([True])])) == typed([1, 2, "a", None, True])
    assert gathered([np.array([1, 2]), [], np.array([3])]).tolist() == [1, 2, 3]
    assert gathered([]) == []


def test_a_text_that_is_no_number_is_found_in_its_row():
    with pytest.raises(DataError, match="'high' in row 5"):
        gathered([["1", None], np.array([0.5]), [2, "high"]], numbers=["y"])


def test_codes_of_arrow_are_its_values():
    arrow = need("pyarrow")
    texts = arrow.array(["b", None, "a", "b"])
    for column in (texts, texts.dictionary_encode(), texts.dictionary_encode()[1:], texts.cast("large_string")):
        assert list(Coded.of_arrow(column)) == column.to_pylist()
    unused = Coded(np.array([1, 1]), ["a", "b"])
    assert (unused.pruned().values, list(unused[np.array([0])]), list(unused.mapped("xy"))) == (
        ["b"],
        ["b"],
        ["y", "y"],
    )
