"""Many labels: found at once, compared as a whole, and refused where a table of all pairs would be written out."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.data.labels import check_declared, find_places
from ropewalk.errors import DataError, LabelTypeError, PosLabelError, UndeclaredLabelError
from ropewalk.inference.extras import _mistaken

MANY = 50_000


class Counted(str):
    """A label that counts how often it is compared with another one."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)


def test_labels_are_looked_up_and_not_compared_with_all(monkeypatch):
    monkeypatch.setattr(Counted, "compared", 0)
    declared = [Counted(i) for i in range(1_000)]
    check_declared([Counted(i) for i in range(1_000)], declared)
    assert Counted.compared < 10_000
    with pytest.raises(UndeclaredLabelError, match="1000"):
        check_declared(["1000"], declared)


def test_places_are_those_of_the_labels_that_are_named():
    labels = tuple(range(MANY))
    assert find_places(np.arange(0, MANY, 3)[::-1], labels, what="classes") == tuple(range(0, MANY, 3))
    assert find_places([7.0, 7], labels, what="classes") == (7,)
    with pytest.raises(PosLabelError, match="classes"):
        find_places(["7"], labels, what="classes")
    with pytest.raises(LabelTypeError, match="classes"):
        find_places([[7]], labels, what="classes")


@pytest.fixture(scope="module")
def many():
    """Three thousand classes of two items each."""
    y = np.arange(3_000).repeat(2)
    a, b = y.copy(), y.copy()
    a[::7], b[::5] = 0, 1
    return rw.Outcomes.from_arrays(y, a, b, names=["a", "b"])


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table.confusion("a"),
        lambda table: rw.compare(table, model="flat", draws=10, rng=0),
        lambda table: rw.compare_classes(table, draws=10, rng=0),
    ],
    ids=["counts", "flat", "classes"],
)
def test_a_table_of_all_pairs_of_many_classes_is_refused_before_it_is_made(many, ask):
    with pytest.raises(DataError, match="3,000") as caught:
        ask(many)
    assert caught.value.exit_code == 4
    assert "pos_label" in caught.value.hint


def test_the_mistakes_that_differ_most_are_those_of_the_whole_matrix(rng):
    """What is counted without the matrix is what the matrix holds."""
    y, a, b = rng.integers(0, 12, (3, 400))
    table = rw.Outcomes.from_arrays(y, a, b, names=["a", "b"])
    one, other = (table.confusion(name) for name in "ab")
    found = _mistaken(rw.compare(table, model="bootstrap", draws=10, rng=0).recipe, "a", "b")
    assert found
    differ = np.abs(one - other) * ~np.eye(12, dtype=bool)
    for row in found:
        i, j = int(row.truth), int(row.said)
        assert row.items == (one[i, j], other[i, j])
        assert row.shares == (one[i, j] / one[i].sum(), other[i, j] / other[i].sum())
    assert (
        sorted((abs(r.items[0] - r.items[1]) for r in found), reverse=True)
        == np.sort(differ, axis=None)[::-1][: len(found)].tolist()
    )
