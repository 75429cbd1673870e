"""DuckDB counts files where it can: with the answer, or the error, of the readers that it stands in for."""

from __future__ import annotations

import base64
import bz2
import csv
import datetime as dt
import decimal
import gzip
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ropewalk.data import columns, files, formats
from ropewalk.data.formats import duck, duck_session
from ropewalk.data.formats.arrow_note import says_more
from ropewalk.data.formats.piping import read_through_pipe
from ropewalk.data.formats.well_formed import is_well_formed
from ropewalk.errors import DataError, FileFormatError, RopewalkError
from support import need

duckdb, arrow, parquet = need("duckdb"), need("pyarrow"), need("pyarrow.parquet")

CONNECTION = duckdb.connect(config={"temp_directory": ""})

QUICKLY = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def counted(monkeypatch):
    """Count a file with and without DuckDB, which must agree; return whether DuckDB has the answer."""
    monkeypatch.setattr(duck, "MIN_TEXT_BYTES", 0)
    monkeypatch.setattr(duckdb, "connect", lambda **_: CONNECTION.cursor())  # to start one takes time
    answers = []
    monkeypatch.setattr(duck, "_counted", lambda *a, count=duck._counted: answers.append(count(*a)) or answers[-1])

    def count(path, columns):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                rows = files.count_file(path, columns)
            except (RopewalkError, Warning) as error:
                return type(error), str(error)
        return {tuple((type(label), label) for label in row): n for row, n in rows.items()}

    def agreed(path, columns):
        answers.clear()
        found = count(path, columns)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "duckdb", None)
            assert found == count(path, columns)
        return bool(answers)

    return agreed


@pytest.fixture
def fetched(monkeypatch):
    """Take columns of a file with and without DuckDB, which must agree; return whether DuckDB gave them."""
    monkeypatch.setattr(duck, "MIN_TEXT_BYTES", 0)
    monkeypatch.setattr(duckdb, "connect", lambda **_: CONNECTION.cursor())
    given = []
    monkeypatch.setattr(duck, "_cells", lambda column, cells=duck._cells: given.append(column) or cells(column))

    def arrays(path):
        try:
            y, s, t = files.file_arrays(path, ["y", "s", "t"], ["s", "t"])
        except RopewalkError as error:
            return type(error), str(error)
        return list(y), [part.tobytes() if hasattr(part, "tobytes") else part for part in (s, t)]

    def agreed(path):
        given.clear()
        found = arrays(path)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "duckdb", None)
            assert found == arrays(path)
        return bool(given)

    return agreed


def write(path, columns):
    parquet.write_table(arrow.table(columns), path)
    return path


KINDS = {
    "int8": [3, -1, None], "uint8": [255, 0, None], "uint64": [2**64 - 1, 0, None], "int64": [2**63 - 1, -(2**63), 5],
    "bool_": [True, False, None], "float32": [0.5, 1.0, None], "float64": [float("nan"), 1.0, 0.0, -0.0, None, 2.0],
    "string": ["", "a", None, "é\0", "NaN", "1.0"], "large_string": ["b", "x'\"y", None],
}  # fmt: skip
SURE = {name: arrow.array(values, getattr(arrow, name)()) for name, values in KINDS.items()}
SURE["texts"], SURE["numbers"] = SURE["string"].dictionary_encode(), SURE["int8"].dictionary_encode()
SURE["whole"] = arrow.array([1.0, None, 0.0, 1.0])
UNSURE = {
    "binary": arrow.array([b"a", b"\xff"]),
    "null": arrow.nulls(2),
    "float16": arrow.array([1.0, 2.0], arrow.float16()),
    "date": arrow.array([dt.date(2020, 1, 1)]),
    "duration": arrow.array([dt.timedelta(1)]),
    "time": arrow.array([1], arrow.timestamp("us")),
    "decimal": arrow.array([decimal.Decimal("1.5")]),
    "struct": arrow.array([{"x": 1}]),
    "list": arrow.array([[1], []]),
    "map": arrow.array([[("a", 1)]], arrow.map_(arrow.string(), arrow.int8())),
}


@pytest.mark.parametrize("kind", [*SURE, *UNSURE])
def test_every_type_of_parquet_is_counted_alike_or_left_to_the_reader(kind, counted, tmp_path):
    column = {**SURE, **UNSURE}[kind]
    path = write(tmp_path / "p.parquet", {"y": column, "a": column})
    assert counted(path, ["y", "a", "y"]) == (kind in SURE)


@pytest.mark.parametrize("version", ["1.0", "2.6"])
def test_a_note_of_arrow_says_more_where_numbers_are_durations_or_of_added_types(version, tmp_path):
    fields = {kind: arrow.field(kind, column.type) for kind, column in {**SURE, **UNSURE}.items()}
    fields["added"] = arrow.field("y", arrow.string(), metadata={"ARROW:extension:name": "of somebody"})
    fields["within"] = arrow.field("y", arrow.struct([fields["duration"]]))
    for kind, field in fields.items():
        table = arrow.schema([arrow.field("z", arrow.int64()), field]).empty_table()
        parquet.write_table(table, tmp_path / "p.parquet", version=version)
        note = parquet.read_metadata(tmp_path / "p.parquet").metadata[b"ARROW:schema"]
        assert says_more(note) == (kind in {"duration", "added"})
        content = base64.b64decode(note)
        assert says_more(base64.b64encode(content[: len(content) // 2]))  # damaged


def test_names_of_columns_are_told_apart(counted, tmp_path):
    plain = ['a"b', "count", "len", "count_star()", "it's", "x.y", "SELECT"]
    names = [*plain, "y", "Y", "filename", "file_row_number"]
    (tmp_path / "y=7").mkdir()  # which is no column
    path = write(tmp_path / "y=7" / "p.parquet", {name: [i, 2, i] for i, name in enumerate(names)})
    for name in names:
        counted(path, [name, 'a"b'])
        counted(path, [name.upper(), "y"])
    assert counted(path, plain)
    parquet.write_table(arrow.table([[1], [2], [3]], names=["y", "y", "a"]), path)
    assert not counted(path, ["y", "a"])
    assert not counted(path, ["absent", "a"])


def test_a_path_is_one_path_and_nothing_is_left_beside_it(counted, tmp_path, monkeypatch):
    names = ["ab.parquet", "a*.parquet", "[a].parquet", "a?.parquet", "it's.parquet", "ä.parquet", "s3:x"]
    for i, name in enumerate(names):
        counted(write(tmp_path / name, {"y": [1, i], "a": [1, 1]}), ["y", "a"])
    monkeypatch.chdir(tmp_path)
    assert counted("it's.parquet", ["y", "a"])
    assert {path.name for path in tmp_path.iterdir()} == set(names)


@pytest.mark.parametrize("cut", [4, 12, 100, -1, -4, -8])
def test_a_damaged_parquet_file_is_refused_alike(cut, counted, tmp_path):
    path = write(tmp_path / "p.parquet", {"y": [1, 0] * 50, "a": ["x", "y"] * 50})
    content = path.read_bytes()
    path.write_bytes(content[:cut])
    assert not counted(path, ["y", "a"])
    path.write_bytes(content.replace(b"x", b"\xff"))
    assert not counted(path, ["y", "a"])


def test_a_file_that_holds_other_rows_than_it_says_is_left_to_the_reader(counted, tmp_path):
    path = write(tmp_path / "p.parquet", {"y": [1, 0] * 150, "a": ["x", "y"] * 150})
    content = path.read_bytes()
    place = content.index(b"\xd8\x04", len(content) - 8 - int.from_bytes(content[-8:-4], "little"))
    path.write_bytes(content[:place] + b"\xda\x04" + content[place + 2 :])  # 301, where there are 300
    with path.open("rb") as stream, duck_session.DuckSession(0) as session:
        assert duck.count_parquet(stream, ["y", "a"], "p.parquet", session) is None
    counted(path, ["y", "a"])


def test_a_number_of_a_text_that_is_not_there_is_a_damaged_file(tmp_path, monkeypatch):
    """As pyarrow gives them, where a page is damaged."""
    texts = arrow.DictionaryArray.from_arrays(arrow.array([0, 9], arrow.int32()), arrow.array(["a"]), safe=False)
    parquet.write_table(arrow.table({"y": ["a", "b"], "a": ["a", "b"]}), tmp_path / "p.parquet")
    monkeypatch.setattr(formats.parquet, "_reached", lambda _batch, _path: texts)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(FileFormatError, match="damaged Parquet file"):
        files.count_file(tmp_path / "p.parquet", ["y", "a"])


PIECES = st.one_of(
    st.sampled_from([*',,,\n\n\n\r"10 \t;é\0', "\r\n", '"a"', '""']),
    st.characters(codec="utf-8"),
)


PACKINGS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress}


@settings(QUICKLY, max_examples=60)
@given(
    st.lists(PIECES, max_size=25),
    st.sampled_from(["y,a\n", "y,a,b\n", "\ufeffy,a\r\n", '"y",a\n', "y;a\n"]),
    st.sampled_from(sorted(PACKINGS)),
)
def test_any_text_is_counted_alike(counted, tmp_path, pieces, header, packing):
    (tmp_path / "t.csv").write_bytes(PACKINGS[packing]((header + "".join(pieces)).encode()))
    counted(tmp_path / "t.csv", ["y", "a"])


CELL = st.one_of(st.sampled_from(["1", "0", "1.0", "", "NA", "a b", " a", "é", '"', '""', "'"]), st.text(max_size=3))


@settings(QUICKLY, max_examples=30)
@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(",\t;|"),
)
def test_a_table_as_programs_write_it_is_counted_alike(counted, tmp_path, rows, quoting, end, separator):
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=end, delimiter=separator, quoting=quoting)
        writer.writerows([("y", "a", "text"), *rows])
    by_duckdb = counted(tmp_path / "t.csv", ["y", "a"])
    assert by_duckdb or any(letter in cell for row in rows for cell in row for letter in "\0\r\n")


@pytest.mark.parametrize("part", [1, 2, 7, 1 << 20])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y,a\n1,0\n", True), ("y,a\r\n1,0\r\n", True), ("y,a\r\n1,0\n", False), ("y,a\n1,0\r\n", False),
        ("y,a\r1,0", False), ('y,a\n"1","x""y, z"\n', True), ('y,a\n"1" ,0\n', False), ('y,a\n 1,"0\n', False),
        ('y,a\n1, "0"\n', False), ('y,a\n1,0"\n', False), ('y,a\n"",""\n', True), ("y,a\n1,\n\n0,1", True),
        ("y,a\n1,,\n", False), ('y,a\n",",\n', True), ('y,a\n",",,\n', False), ("y,a\n1,0,", False),
        ("y,a\n1,", True), ('y,a\n"a\nb",\n', True), ("y,a\né,0\n", True), ("y,a\n\0,0\n", False),
        ("y,a\r\n1,,\r\n", False), ("y,a\n1,0\r", False), ("y,a\r\n1,\r\n", True),
    ],
)  # fmt: skip
def test_what_is_well_formed_does_not_follow_from_where_a_text_is_cut(text, expected, part, monkeypatch, tmp_path):
    monkeypatch.setattr("ropewalk.data.formats.well_formed.PART_BYTES", part)
    (tmp_path / "t.csv").write_bytes(text.encode())
    with (tmp_path / "t.csv").open("rb") as stream:
        assert is_well_formed(stream, ",", 2) is expected


def test_a_line_that_duckdb_would_leave_out_is_not_for_it(tmp_path):
    """It drops lines that are longer than its buffer, without a word."""
    text = b"y,a\n1,0\n"
    for longest in (2, formats.form.FIELD_CAP - 2, formats.form.FIELD_CAP + (1 << 18)):
        (tmp_path / "t.csv").write_bytes(text + b"1," + b"x" * (longest - 2))
        with (tmp_path / "t.csv").open("rb") as stream:
            assert is_well_formed(stream, ",", 2) is (longest < formats.form.FIELD_CAP)


@pytest.mark.parametrize(
    "content",
    [
        "y,a\né,1\n".encode("latin-1"), "y,a\n1,0\n".encode("utf-16"), b"y,a\n" + b"x" * (1 << 21) + b",1\n",
        gzip.compress(b"y,a\n1,0\n")[:-4], "y,a\n1,é".encode()[:-1],
        b"y,a" + b",x" * 2000 + b"\n" + b"," * 2001 + b"\n",
    ],
    ids=["latin", "wide", "long", "cut gzip", "cut", "many columns"],
)  # fmt: skip
def test_a_text_that_is_anything_special_is_left_to_the_reader(content, counted, tmp_path):
    (tmp_path / "t").write_bytes(content)
    assert not counted(tmp_path / "t", ["y", "a"])


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=list(PACKINGS))
def test_a_packed_table_is_counted_on_its_way_through_a_pipe(pack, counted, tmp_path):
    rows = "".join(f'{i % 3},{i % 2},"text, and\n""more"""\n' for i in range(20_000))
    (tmp_path / "t").write_bytes(pack(f"y,a,text\n{rows}".encode()))
    assert counted(tmp_path / "t", ["y", "a"])


def test_a_pipe_ends_when_either_side_is_done():
    def write_some(write):
        return [write(b"x" * 100_000) for _ in range(9)] != []

    def read_little(path):
        with Path(path).open("rb") as stream:
            return stream.read(3)

    assert read_through_pipe(write_some, lambda path: Path(path).read_bytes()) == b"x" * 900_000
    assert read_through_pipe(write_some, read_little) is None
    assert read_through_pipe(lambda write: write_some(write) and 1 / 0, lambda path: Path(path).read_bytes()) is None
    with pytest.raises(KeyError, match="dev"):
        read_through_pipe(write_some, {}.__getitem__)


def test_threads_do_not_change_the_answer(tmp_path, monkeypatch):
    table = arrow.table({"y": [i % 7 for i in range(9000)], "a": [f"{i % 5}" for i in range(9000)]})
    parquet.write_table(table, tmp_path / "p.parquet", row_group_size=500)
    found = []
    for threads in (1, 3):
        monkeypatch.setattr(duck_session, "MAX_THREADS", threads)
        found.append(list(files.count_file(tmp_path / "p.parquet", ["y", "a"]).items()))
    assert found[0] == found[1] == sorted(found[0])


def test_ctrl_c_while_duckdb_counts_is_ctrl_c(counted, tmp_path, monkeypatch):
    def interrupted(*_):
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(duck, "_counted", interrupted)
    with pytest.raises(KeyboardInterrupt):
        counted(write(tmp_path / "p.parquet", {"y": [1], "a": [1]}), ["y", "a"])


def test_what_else_fails_within_duckdb_is_left_to_the_reader(counted, tmp_path, monkeypatch):
    def too_deep(*_):
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(duck, "_counted", too_deep)
    assert not counted(write(tmp_path / "p.parquet", {"y": [1], "a": [1]}), ["y", "a"])


@pytest.mark.parametrize("header", ["y", "y,a"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_blank_line_is_no_row(header, end, counted, tmp_path):
    row = "1" + ",0" * header.count(",")
    (tmp_path / "t.csv").write_bytes(end.join([header, "", row, "", "", row, "", ""]).encode())
    counted(tmp_path / "t.csv", ["y"])
    assert files.count_file(tmp_path / "t.csv", ["y"]) == {("1",): 2}


@pytest.mark.parametrize("name", ["t.csv", "p.parquet"])
def test_so_many_different_rows_are_no_labels(name, counted, tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "DISTINCT_CAP", 5)
    path = write(tmp_path / "p.parquet", {"y": list(range(7)), "a": [1] * 7})
    if name == "t.csv":
        path = tmp_path / name
        path.write_text("y,a\n" + "".join(f"{i},1\n" for i in range(7)))
    counted(path, ["y", "a"])
    with pytest.raises(DataError, match=f"over 5 different rows in '.*{name}'"):
        files.count_file(path, ["y", "a"])


META = {
    "meta": [
        {"label": 1, "in": {"x": "t", "len": 0.0}},
        None,
        {"label": None, "in": None},
        {"label": 1, "in": {"x": None}},
    ],
    "meta.id": [1, 2, 3, 4],
    "it's": [{"a.b": True, 'q"': 1}] * 4,
    "spans": [[{"label": 1}], [], None, []],
}


def test_what_is_inside_structures_is_named_by_paths(counted, tmp_path):
    path = write(tmp_path / "p.parquet", META)
    assert counted(path, ["meta.label", "meta.in.x", "meta.in.len", "meta.id", "it's.a.b", "it's.q\""])
    assert files.count_file(path, ["meta.label", "meta.in.x"]) == {(1, "t"): 1, (None, None): 2, (1, None): 1}
    assert files.file_columns(path, ["meta.in.x", "meta.id"]) == [["t", None, None, None], [1, 2, 3, 4]]
    for strange in ("meta", "meta.in", "meta.LABEL", "spans.label", "meta.label.x", "meta.", ".meta"):
        assert not counted(path, [strange, "meta.id"])
    names = ["meta.label", "meta.in.len", "meta.in.x", "meta.id", "it's.a.b", "it's.q\"", "spans"]
    assert set(files.column_names(path)) == set(names)


def test_structures_without_the_note_of_arrow(counted, tmp_path):
    parquet.write_table(arrow.table(META), tmp_path / "p.parquet", store_schema=False)
    assert counted(tmp_path / "p.parquet", ["meta.label", "meta.in.x"])
    assert not counted(tmp_path / "p.parquet", ["meta", "meta.in.x"])


NUMBER = st.one_of(
    st.floats().map(repr),
    st.sampled_from(["", "0.1", "1e5", "+1.", ".5", "1e400", "-0", "1_0", " 1", "nan", "inf", "low", "1e", "0x1", "٣"]),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
)


@settings(QUICKLY, max_examples=60)
@given(st.lists(st.tuples(CELL, NUMBER, NUMBER)))
def test_scores_in_a_text_are_the_same_numbers(fetched, tmp_path, rows):
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("t", "y", "s"), *((t, y, s) for y, s, t in rows)])
    fetched(tmp_path / "t.csv")


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=list(PACKINGS))
def test_plain_scores_are_taken_from_duckdb_in_their_order(pack, fetched, tmp_path, monkeypatch):
    monkeypatch.setattr(duck, "ROWS_PER_CHUNK", 2048)
    rows = [f"{i % 3 or ''},{i / 7!r},{i * 1e-300!r}" for i in range(5000)]
    (tmp_path / "t.csv").write_bytes(pack("\n".join(["y,s,t", *rows]).encode()))
    assert fetched(tmp_path / "t.csv")
    y, s, _ = files.file_arrays(tmp_path / "t.csv", ["y", "s", "t"], ["s", "t"])
    assert s.tolist() == [i / 7 for i in range(5000)]
    assert list(y) == [str(i % 3) if i % 3 else None for i in range(5000)]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_header_that_comes_again_is_no_item(counted, fetched, tmp_path, mark):
    part = f"{mark}y,s,t\n" + "a,1,2\nb,2,3\n" * 3
    path = tmp_path / "twice.csv"
    path.write_text(part + part, encoding="utf-8")
    counted(path, ["y", "s"])
    fetched(path)
    for read in (lambda: files.count_file(path, ["y", "s"]), lambda: files.file_arrays(path, ["y", "s"], [])):
        with pytest.raises(FileFormatError, match="line 8 repeats the header"):
            read()
    path.write_text(part + "y,s,0\n", encoding="utf-8")  # labels that are called as their columns are
    assert files.count_file(path, ["y", "s"])["y", "s"] == 1


@pytest.mark.parametrize(("end", "hint"), [("b,", "cut off"), ("b,\nb,2,3\n", "quoted"), ("b,1,2,3,4", "quoted")])
def test_a_short_last_row_may_be_cut_off(tmp_path, end, hint):
    path = tmp_path / "cut.csv"
    path.write_text("y,s,t\na,1,2\n" + end)
    with pytest.raises(FileFormatError, match=r"line 3: \d fields where") as caught:
        files.count_file(path, ["y", "s"])
    assert hint in caught.value.hint
