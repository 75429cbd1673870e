"""The same table in every library and engine: the same counts, or the same error."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import os
import re
from dataclasses import replace
from decimal import Decimal
from functools import partial

import pytest

import ropewalk as rw
from backends import BACKENDS, by_name
from ropewalk.data import columns, databases, engines, frames, ids
from ropewalk.data.databases import base
from ropewalk.data.gathering import Gathered
from ropewalk.errors import ColumnNotFoundError, DataError, EngineError, FileFormatError, LabelTypeError, PairingError
from support import need, without_warnings

SLOW = [backend for backend in BACKENDS if backend.is_slow]
MARKED = [pytest.param(b, marks=pytest.mark.slow) if b.is_slow else b for b in BACKENDS]
NAN = math.nan
_ALIKE = "every row would count as wrong: 1, '1', 1.0 and True are different labels; convert them to one type."

# The values of y, a and b, with the name of an Arrow type where Arrow would choose another.
LABELS = {
    "integers": ([1, 0, 1, 1, 1], [1, 0, 0, 1, 1], [0, 0, 1, 1, 0]),
    "holes": ([1, 0, 1, 1], [1, None, 0, 1], [0, 0, None, 1]),
    "small integers": ([-128, 127, 0], [127, 127, 0], [0, -128, 0], "int8"),
    "unsigned integers": ([255, 0, 3], [3, 255, 0], [0, 0, 0], "uint8"),
    "beyond the signed integers": ([2**64 - 1, 0], [2**63, 0], [0, 2**63], "uint64"),
    "beyond the whole floats": ([2**53, 2**53 + 1, 2**63 - 1], [2**53 + 1, 2**53, 2**63 - 2], [0, -(2**63), 0]),
    "whole floats": ([1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, -0.0, 1.0]),
    "narrow floats": ([1.0, 0.0, 7.0], [1.0, 1.0, 0.0], [0.0, 0.0, 7.0], "float32"),
    "NaN and null": ([1.0, 0.0, 1.0, 0.0], [1.0, NAN, None, 0.0], [0.0, 1.0, 1.0, 0.0]),
    "booleans": ([True, False, True], [True, None, False], [True, True, True]),
    "decimals": ([Decimal(1), Decimal(0), None], [Decimal(1), Decimal(1), Decimal(0)], [Decimal(0)] * 3),
    "texts": (["cat", "dog", "cat"], ["cat", None, "dog"], ["dog", "dog", "cat"]),
    "empty texts": (["", "a", "a"], ["", None, "a"], ["a", "", "a"]),
    "alike texts": (
        ["é", "e\u0301", "İ", "ß", "\U0001f600", "\u200b"],
        ["é", "é", "i", "ss", "\U0001f600", ""],
        ["x ", "x", " x", "x\t", "X", "x\n"],
    ),
    "a byte of nothing": (["a\0b", "a", "b"], ["a", "a\0", "b"], ["a", "a", "b"]),
    "categories": (["x", "y", "x"], ["x", None, "z"], ["z", "y", "y"], "categories"),
    "numbered categories": ([3, 4, 3], [3, None, 4], [3, 3, 4], "categories"),
    "the other type": (["1", "0"], ["1", "1"], ["0", "0"], "large_string"),
}

_DATES = [dt.date(2026, 1, 2), dt.date(2026, 1, 1)]
_TIMES = [dt.datetime(2026, 1, 2, 3, 4), dt.datetime(2026, 1, 1)]  # noqa: DTZ001 - a naive one
_NO_LABEL = "a holds {}, and must hold text, whole numbers or booleans."
_TWO = [1, 0], [0, 1]
REFUSED = {
    "numbers and texts": (
        (_TWO[0], ["1", "0"], _TWO[1]),
        "y uses {0, 1} (int); a uses {'0', '1'} (text); b uses {0, 1} (int).",
    ),
    "numbers and booleans": (
        (_TWO[0], [True, False], _TWO[1]),
        "y uses {0, 1} (int); a uses {False, True} (bool); b uses {0, 1} (int).",
    ),
    "whole floats without a hole": (
        (_TWO[0], [1.0, 0.0], _TWO[1]),
        "y uses {0, 1} (int); a uses {0.0, 1.0} (float); b uses {0, 1} (int).",
    ),
    "fractions": ((_TWO[0], [0.5, 0.0], _TWO[1]), "a holds fractions such as 0.5."),
    "fractions of decimals": ((_TWO[0], [Decimal("1.5"), Decimal("0.5")], _TWO[1]), "a holds fractions such as 1.5."),
    "dates": ((_TWO[0], _DATES, _TWO[1]), _NO_LABEL.format("dates")),
    "times": ((_TWO[0], _TIMES, _TWO[1]), _NO_LABEL.format("times")),
    "times of day": ((_TWO[0], [moment.time() for moment in _TIMES], _TWO[1]), _NO_LABEL.format("times")),
    "lengths of time": ((_TWO[0], [dt.timedelta(1)] * 2, _TWO[1]), _NO_LABEL.format("lengths of time")),
    "bytes": ((_TWO[0], [b"a", b"b"], _TWO[1]), _NO_LABEL.format("bytes")),
    "lists": ((_TWO[0], [[1], [2, 3]], _TWO[1]), _NO_LABEL.format("lists or structures")),
    "structures": ((_TWO[0], [{"x": 1}, {"x": 2}], _TWO[1]), _NO_LABEL.format("lists or structures")),
}

NAMES = (
    "a.b", "c.d.e", 'q"q', "it's", " a", "a ", "a`b", "ünï", "数", "a;--", "%s", "a\nb", "*", "sum(x)", "[0]", "{x}",
    "$1", "?", "\\", "/", "index", "level_0", "0", "a,b", "(", "count", "len", "n", "c0", "c1", "select",
)  # fmt: skip

UNABLE = {
    "beyond the signed integers": {"spark", "spark-connect", "sqlframe", "sqlite", "postgres"},
    "unsigned integers": {"sqlframe", "spark", "spark-connect"},
    "numbered categories": {"sqlite", "postgres"},
    "a byte of nothing": {"postgres"},
    "booleans": {"sqlite"},
    "numbers and booleans": {"sqlite"},
    "decimals": {"sqlite"},
    "fractions of decimals": {"sqlite"},
    **{key: {"sqlite"} for key in ("dates", "times", "lists", "structures")},
    "times of day": {"spark", "spark-connect", "sqlite"},
    "lengths of time": {"sqlite", "sqlframe"},
}
"""Tables that an engine has no types for."""


def typed(values, kind=None):
    """Return an Arrow column; categories come with one that no row has."""
    pa = need("pyarrow")
    if kind != "categories":
        return pa.array(values, getattr(pa, kind)() if kind else None)
    distinct = sorted({value for value in values if value is not None})
    spare = "unused" if isinstance(distinct[0], str) else 99
    codes = pa.array([None if value is None else distinct.index(value) for value in values], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array([*distinct, spare]))


def table_of(y, a, b, kind=None):
    return need("pyarrow").table({name: typed(values, kind) for name, values in (("y", y), ("a", a), ("b", b))})


@pytest.fixture(params=MARKED, ids=repr)
def backend(request):
    if request.param.name == "postgres":
        return replace(request.param, put=partial(request.param.put, connection=request.getfixturevalue("postgres")))
    return request.param


def read(data, **how):
    return rw.read_outcomes(data, **{"truth": "y", "predictions": ["a", "b"], "missing": "drop"} | how)


def plain(column):
    """Return values as a list without NaN."""
    return [None if value is not None and value != value else value for value in column]  # noqa: PLR0124


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_the_same_counts_everywhere(backend, case):
    if backend.name in UNABLE.get(case, ()):
        return
    columns = list(map(plain, LABELS[case][:3]))
    expected = rw.Outcomes.from_arrays(*columns, names=["a", "b"], missing="drop")
    counted = read(backend.put(table_of(*LABELS[case])))
    assert counted == expected
    assert counted.labels == expected.labels
    assert counted.left_out == expected.left_out


@pytest.mark.parametrize("backend", SLOW, ids=repr)
def test_the_same_counts_on_every_engine_that_is_slow_to_ask(backend):
    """One table for all that the quick tests have time for."""
    columns = {"y.true": ["x", "y", "x", "y"], "len": ["x", None, "z", ""], "b": ["z", "y", "y", "y"]}
    with without_warnings():
        expected = rw.Outcomes.from_arrays(*columns.values(), names=["len", "b"], missing="drop")
        frame = backend.put(need("pyarrow").table(columns))
        assert rw.read_outcomes(frame, truth="y.true", predictions=["len", "b"], missing="drop") == expected


@pytest.mark.parametrize("case", REFUSED)
def test_the_same_error_everywhere(backend, case):
    if backend.name in UNABLE.get(case, ()):
        return
    columns, message = REFUSED[case]
    with pytest.raises(LabelTypeError) as refused:
        read(backend.put(table_of(*columns)))
    assert refused.value.message == message
    assert refused.value.hint


def test_names_are_only_names(backend):
    """All of them in one table: what an engine might read into a name is another column then."""
    names = [name for name in NAMES if name not in backend.unable_names]
    columns = {name: [i >> k & 1 for i in range(64)] for k, name in enumerate(names)}
    frame = backend.put(need("pyarrow").table(columns))
    for truth, a, b in zip(names, names[1:], [*names[2:], names[0]], strict=False):
        counted = rw.read_outcomes(frame, truth=truth, predictions=[a, b])
        assert counted == rw.Outcomes.from_arrays(columns[truth], columns[a], columns[b], names=[a, b])


def test_a_table_without_rows_is_refused_everywhere(backend):
    for kind in ("int64", "string"):
        with pytest.raises(FileFormatError, match=r"^The table has no rows\.\nHint"):
            read(backend.put(table_of([], [], [], kind)))
    assert read(backend.put(table_of([], [], [], "int64")), labels=[0, 1]).n_items == 0


def test_a_column_that_is_not_there_is_named_everywhere(backend):
    frame = backend.put(table_of([1], [0], [1]))
    with pytest.raises(ColumnNotFoundError) as refused:
        read(frame, predictions=["a", "B2"])
    assert re.fullmatch(r"Column 'B2' was not found in the (table|rows of the query)\.", refused.value.message)
    assert refused.value.hint.endswith("The columns are: 'y', 'a', 'b'.")


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "dask"])
def test_columns_of_the_same_name_are_refused(kind):
    pa, pandas = need("pyarrow"), need("pandas")
    frame = pandas.DataFrame([[1, 1, 0]], columns=["y", "a", "a"])
    if kind == "pyarrow":
        frame = pa.Table.from_arrays([pa.array([1])] * 3, names=["y", "a", "a"])
    elif kind == "dask":
        frame = need("dask.dataframe").from_pandas(frame, npartitions=1)
    with pytest.raises(DataError, match="cannot be used: several columns are called 'a'"):
        read(frame)


def test_columns_that_ibis_would_confuse_are_refused():
    frame = need("ibis").memtable(need("pyarrow").table({"y": [1, 0], "A": [1, 1], "a": [0, 1]}))
    with pytest.raises(DataError, match="but for small and large letters called 'a'"):
        read(frame, predictions=["A", "a"])


def test_objects_of_several_types_are_refused():
    pandas, polars = need("pandas"), need("polars")
    columns = {"y": [1, 1, 1, 0], "a": [1, "1", True, None]}
    for frame in (
        pandas.DataFrame(columns),
        polars.DataFrame(columns, schema={"y": polars.Int64, "a": polars.Object}),
        polars.DataFrame(columns, schema={"y": polars.Int64, "a": polars.Object}).lazy(),
    ):
        with pytest.raises(LabelTypeError, match=r"^a mixes labels of different types \("):
            read(frame, predictions="a")


def test_what_a_library_holds_and_cannot_group_is_counted_all_the_same():
    pa, pandas = need("pyarrow"), need("pandas")
    columns = {"y": [1, 0, 1, 0], "a": [1, 1, 0, 0]}
    expected = rw.Outcomes.from_arrays(*columns.values(), names=["a"])
    assert read(pandas.DataFrame(columns).astype("float16"), predictions="a") == expected
    texts = {name: [*map(str, values), None] for name, values in columns.items()}
    views = pandas.DataFrame(texts).astype(pandas.ArrowDtype(pa.string_view()))
    with pytest.warns(rw.errors.DroppedItemsWarning, match="1 of 5 items"):
        assert read(views, predictions="a").counts.tolist() == expected.counts.tolist()


@pytest.mark.slow
def test_frames_that_were_worked_on_are_read_as_others():
    """A filter, a join or a new column is a part of the query that sqlframe and Spark send."""
    pa = need("pyarrow")
    table = pa.table({"k": list(range(9)), "y": [1, 0, 1] * 3, "a": [1, 1, 0] * 3, "b": [0, 0, 1] * 3})
    for name in ("sqlframe", "spark", "spark-connect"):
        frame = by_name(name).put(table)
        asked = {"k": list(range(5)), "y": [1, 0, 1, 1, 0], "a": [1, 1, 0, 1, 1], "b": [0, 0, 1, 0, 0]}
        expected = rw.Outcomes.from_arrays(asked["y"], asked["a"], asked["b"], names=["a", "b"])
        few = frame.where("k < 5")
        assert read(few) == expected
        assert read(few.withColumnRenamed("a", "z"), predictions=["z", "b"]) == expected.rename(["z", "b"])
        assert read(frame.select("k", "y", "a").join(few.select("k", "b"), on="k")) == expected
        with pytest.raises(FileFormatError, match="no rows"):
            read(frame.where("k < 0"))


def test_a_name_that_is_no_text_is_explained():
    pandas = need("pandas")
    frame = pandas.DataFrame([[1, 1, 0]])
    for data in (frame, need("dask.dataframe").from_pandas(frame, npartitions=1)):
        with pytest.raises(ColumnNotFoundError, match=r"(?s)Column '0' was not found.*there is a column 0"):
            read(data, truth="0", predictions=["1", "2"])


# -- ids ------------------------------------------------------------------------------------------------------

IDS = {"integers": [7, 3, 10, 9, 1], "texts": ["u", "v", "w", "x", "é"], "categories": ["u", "v", "w", "x", "é"]}


def sided(ids, y, p, kind=None):
    columns = {"id": typed(ids, "categories" if kind == "categories" else None), "y.true": y, "p": p, "g": [1] * len(y)}
    return need("pyarrow").table(columns)


def join(a, b, **how):
    asked = {"id": "id", "truth": "y.true", "prediction": "p", "names": ["old", "new"]}
    return rw.join_outcomes(a, b, **asked | how)


@pytest.fixture
def two(backend):
    """Put two tables where they are held: PostgreSQL and SQLite have one here, and the other in Python."""
    if backend.name in {"sqlite", "postgres"}:
        return lambda a, b: (backend.put(a), by_name("polars").put(b))
    return lambda a, b: (backend.put(a), backend.put(b))


@pytest.mark.parametrize("kind", IDS)
def test_items_are_paired_by_ids_everywhere(two, kind):
    ids = IDS[kind]
    a = sided(ids, [1, 0, 1, None, 0], [1, 1, 0, 0, None], kind)
    b = sided(ids[::-1], [0, None, 1, 0, 1], [0, 0, 1, 1, 1], kind)
    expected = rw.Outcomes.from_arrays([1, 0, 1], [1, 1, 0], [1, 1, 1], names=["old", "new"])
    with without_warnings():
        assert join(*two(a, b), missing="drop") == expected
        grouped = join(*two(a, b), missing="drop", cluster="g")
    assert grouped.clusters.n == 1


def test_ids_that_do_not_pair_are_refused_alike_everywhere(two):
    a = sided([3, 1, 2], [1, 0, 1], [1, 1, 0])
    cases = [
        (
            sided([2, 5, 4, 3], [1, 1, 1, 1], [0, 0, 0, 0]),
            "1 of 3 ids of 'old' have no match in 'new' (first: 1).",
        ),
        (
            sided([2, 5, 4, 3, 1], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1]),
            "2 of 5 ids of 'new' have no match in 'old' (first: 4, 5).",
        ),
        (sided(["1", "2"], [1, 0], [0, 0]), "3 of 3 ids of 'old' have no match in 'new' (first: 1, 2, 3)."),
        (
            sided([3, 1, 2, 3, 1], [1] * 5, [1] * 5),
            "2 ids in column 'id' of the data of 'new' occur more than once (first: 1, 3).",
        ),
        (sided([3, 1, None], [1] * 3, [1] * 3), "1 item without an id in column 'id' of the data of 'new'."),
        (
            sided([1, 2, 3], [1, 0, 1], [1, 0, 0]),
            "The two tables disagree about the truth of 2 items (first: id 1 is 0 and 1).",
        ),
        (
            sided([1, 2, 3], ["0", "1", "1"], [1, 0, 0]),
            "The two tables disagree about the truth of 3 items (first: id 1 is 0 and '0').",
        ),
    ]
    for b, message in cases:
        with pytest.raises(PairingError) as refused:
            join(*two(a, b))
        assert refused.value.message == message
        assert refused.value.hint
    with pytest.warns(rw.errors.DroppedItemsWarning, match="3 ids without a match left out; 2 items remain"):
        kept = join(*two(a, cases[0][0]), unmatched="drop")
    assert kept == rw.Outcomes.from_arrays([1, 1], [1, 0], [0, 0], names=["old", "new"])


def test_ids_are_checked_everywhere(backend):
    columns = {"id": [3, 1, 1, 2], "y": [1, 0, 0, 1], "a": [1, 1, 1, 0], "g": ["s", "t", "t", "s"]}
    pa = need("pyarrow")
    asked = {"predictions": "a", "id": "id"}
    with pytest.raises(PairingError, match=r"1 id in column 'id' of .* occur more than once \(first: 1\)"):
        read(backend.put(pa.table(columns)), **asked)
    assert read(backend.put(pa.table(columns)), **asked, cluster="g").n_items == 4
    with pytest.raises(PairingError, match="1 item without an id in column 'id'"):
        read(backend.put(pa.table(columns | {"id": [3, 1, None, 2]})), **asked)
    counted = read(backend.put(pa.table(columns | {"id": [3, 1, 4, 2]})), **asked)
    assert counted == rw.Outcomes.from_arrays(columns["y"], columns["a"], names=["a"])


def test_tables_of_two_engines_are_paired_too():
    a = sided([7, 3, 1], [1, 0, 1], [1, 1, 0])
    b = sided([1, 3, 7], [1, 0, 1], [0, 0, 1])
    expected = rw.Outcomes.from_arrays([1, 0, 1], [1, 1, 0], [1, 0, 0], names=["old", "new"])
    for first, other in itertools.permutations(["pandas", "polars-lazy", "duckdb", "sqlite", "ibis"], 2):
        assert join(by_name(first).put(a), by_name(other).put(b)) == expected


def scored(ids, y, p):
    return need("pyarrow").table({"id": ids, "y": y, "p": p, "g": [1, 1, *range(2, len(y))]})


def test_scores_are_paired_by_ids_everywhere(two):
    y, old, new = [1, 0, 1, 0, 1], [0.9, 0.2, 0.6, 0.7, 0.5], [0.8, 0.1, 0.4, 0.6, 0.7]
    expected = rw.ItemScores.from_arrays(y, old, new, names=["old", "new"])
    asked = {"id": "id", "truth": "y", "prediction": "p", "names": ["old", "new"]}
    for keys in ([7, 3, 10, 9, 1], ["u", "v", "w", "x", "y"]):
        a, b = scored(keys, y, old), scored(keys[::-1], y[::-1], new[::-1])
        assert rw.join_scores(*two(a, b), **asked).data_hash == expected.data_hash
        grouped = rw.join_scores(*two(a, b), **asked, cluster="g")
        assert grouped.n_clusters == 4
        losses = rw.join_scores(*two(a, b), **asked | {"truth": None})
        assert losses.data_hash == rw.ItemScores.from_arrays(None, old, new, names=["old", "new"]).data_hash
    for b, message in [
        (scored([7, 3], [1, 0], [0.1, 0.2]), "3 of 5 ids of 'old' have no match in 'new' (first: 1, 9, 10)."),
        (scored([7, 3, 10, 9, 9], y, new), "1 id in column 'id' of the data of 'new' occur more than once (first: 9)."),
        (
            scored([7, 3, 10, 9, 1], [1, 0, 0, 0, 0], new),
            "The two tables disagree about the truth of 2 items (first: id 1 is 1 and 0).",
        ),
    ]:
        with pytest.raises(PairingError) as refused:
            rw.join_scores(*two(scored([7, 3, 10, 9, 1], y, old), b), **asked)
        assert refused.value.message == message


@pytest.fixture
def parts(monkeypatch):
    """Return a list of how many rows came at a time, when four are as many as may."""
    sizes = []
    add = Gathered.add

    def added(self, part):
        sizes.append(len(part[0]))
        add(self, part)

    monkeypatch.setattr(Gathered, "add", added)
    for module, name in ((frames, "ROWS_PER_GROUPING"), (frames, "ROWS_PER_CHUNK"), (base, "ROWS_AT_ONCE")):
        monkeypatch.setattr(module, name, 4)
    return sizes


def test_scores_come_in_parts_as_those_of_arrays(backend, parts):
    n = 50
    y, a, b = ([f"{i % 3 % 2}" for i in range(n)], [i / 7 for i in range(n)], [float(i % 11) for i in range(n)])
    frame = backend.put(need("pyarrow").table({"fat": ["x" * 999] * n, "y": y, "a": a, "b": b}))
    read = rw.ItemScores.read(frame, truth="y", predictions=["a", "b"])
    assert read.data_hash == rw.ItemScores.from_arrays(y, a, b, names=["a", "b"]).data_hash
    if backend.is_lazy and not backend.name.startswith("dask"):  # which hands over its partitions
        assert max(parts) == 4
        assert sum(parts) >= n


# -- what stays in the engine ---------------------------------------------------------------------------------


@pytest.fixture
def handed_over(monkeypatch):
    """Return a list of how many rows engines handed over, one number per question."""
    sizes = []
    whole = engines.collected

    def collected(lazy):
        table = whole(lazy)
        sizes.append(len(table))
        return table

    for module in (engines, frames, ids):
        monkeypatch.setattr(module, "collected", collected)
    return sizes


def test_only_counts_leave_an_engine(backend, handed_over):
    if not backend.is_lazy or backend.name in {"sqlite", "postgres"}:
        return
    n = 1000
    y, p, q = [i % 2 for i in range(n)], [i % 3 % 2 for i in range(n)], [i // 2 % 2 for i in range(n)]
    pa = need("pyarrow")
    a, b = (
        backend.put(pa.table({"id": list(range(n)), "y": y, "p": x, "g": [i % 5 for i in range(n)]})) for x in (p, q)
    )
    expected = rw.Outcomes.from_arrays(y, p, q, names=["A", "B"])
    assert read(a, predictions="p", id="id").n_items == n
    assert rw.join_outcomes(a, b, id="id", truth="y", prediction="p") == expected
    assert max(handed_over) <= 8
    assert rw.join_outcomes(a, b, id="id", truth="y", prediction="p", cluster="g").clusters.n == 5
    half = backend.put(pa.table({"id": list(range(0, n, 2)), "y": y[::2], "p": q[::2]}))
    with pytest.raises(PairingError, match="500 of 1,000 ids of 'A' have no match"):
        rw.join_outcomes(a, half, id="id", truth="y", prediction="p")
    assert max(handed_over) <= 8 * 5


@pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning")  # of DuckDB, by ibis
@pytest.mark.parametrize("library", ["duckdb", "ibis"])
def test_two_connections_of_one_engine_are_joined_here(library, tmp_path):
    y, p, q = [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]
    sides = []
    for x in (p, q):
        path = tmp_path / f"{len(sides)}.parquet"
        need("pyarrow.parquet").write_table(need("pyarrow").table({"id": range(4), "y": y, "p": x}), path)
        engine = need(library)
        connection = engine.connect() if library == "duckdb" else engine.duckdb.connect()
        ask = connection.sql if library == "duckdb" else connection.raw_sql
        ask(f"CREATE TABLE t AS SELECT * FROM '{path}'")  # under the same name in both
        sides.append(connection.table("t"))
    joined = rw.join_outcomes(*sides, id="id", truth="y", prediction="p")
    assert joined == rw.Outcomes.from_arrays(y, p, q, names=["A", "B"])


def test_so_many_different_rows_are_no_labels(backend, handed_over, monkeypatch):
    for module in (columns, frames, databases.base):
        monkeypatch.setattr(module, "DISTINCT_CAP", 5)
    frame = backend.put(need("pyarrow").table({"y": list(range(50)), "p": [1] * 50}))
    with pytest.raises(DataError, match="over 5 different rows in ") as caught:
        read(frame, predictions="p")
    assert "id?" in caught.value.hint
    assert not backend.is_lazy or max(handed_over, default=0) <= 6


def test_what_an_engine_says_is_one_line_with_a_hint(tmp_path):
    duckdb, polars = need("duckdb"), need("polars")
    connection = duckdb.connect()
    lost = duckdb.connect()
    closed = lost.sql("SELECT 1 AS y, 1 AS a, 1 AS b")
    lost.close()
    wrong = connection.sql("SELECT range AS y, range AS a, error('no\nmore\nmemory') AS b FROM range(3)")
    failing = polars.LazyFrame({"y": [1], "a": [1], "b": [1]}).map_batches(lambda frame: frame.select("none of them"))
    cases = [
        (polars.scan_parquet(tmp_path / "gone.parquet"), "polars failed with FileNotFoundError: ", "without ropewalk"),
        (closed, "duckdb failed with ConnectionException: ", "start it again"),
        (wrong, "duckdb failed with InvalidInputException: Invalid Input Error: no.", "without ropewalk"),
        (failing, "polars failed with ColumnNotFoundError: ", "without ropewalk"),
    ]
    for frame, message, hint in cases:
        with pytest.raises(EngineError) as caught:
            read(frame)
        assert caught.value.message.startswith(message)
        assert "\n" not in caught.value.message
        assert hint in caught.value.hint
        assert caught.value.exit_code == 4


@pytest.mark.slow
def test_a_worker_of_dask_that_dies_is_said_in_one_line():
    dask, distributed = need("dask"), need("distributed")
    frame = by_name("dask-cluster").put(table_of([1, 0, 1], [1, 1, 0], [0, 0, 1]))
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        assert distributed.default_client() is not None
    dying = frame.map_partitions(lambda part: os._exit(1) if len(part) else part, meta=frame._meta)
    with pytest.raises(EngineError, match=r"^dask failed with KilledWorker: [^\n]*\nHint: give the engine more memory"):
        read(dying)


@pytest.mark.slow
def test_what_spark_says_is_one_line():
    for name in ("spark", "spark-connect"):
        frame = by_name(name).put(table_of([1, 0, 1], [1, 1, 0], [0, 0, 1]))
        broken = frame.selectExpr("y", "a", "CAST(raise_error('no such thing') AS INT) AS b")
        with pytest.raises(EngineError, match=r"^pyspark failed with [^\n]*\nHint: "):
            read(broken)
