"""Rows in databases are counted where they are, and what a database refuses is said in our words."""

from __future__ import annotations

import gc
import pickle
import signal
import sqlite3
import threading
import tracemalloc
from contextlib import closing
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.data.databases import sessions
from ropewalk.data.databases.interrupting import interruptible
from ropewalk.data.databases.statements import check_query
from ropewalk.data.items import label_rows
from ropewalk.text.secrets import masked, without_secrets
from servers import PASSWORD, USER
from support import need

NAMES = ("y", "new", 'a "quoted" näme', "count", "len", "id", "score", "group of")
SQL = "SELECT * FROM preds -- all of them;"
PREDICTIONS = ["new", 'a "quoted" näme', "count"]


@pytest.fixture(scope="module")
def rows():
    """Return 300 rows: texts, numbers and holes."""
    draw = np.random.default_rng(3)
    labels = draw.choice(["cat", "dog", "it's", "ü;--"], size=(4, 300), p=[0.4, 0.3, 0.2, 0.1]).tolist()
    return [
        (*row, number, item, score, group)
        for *row, number, item, score, group in zip(
            *labels, draw.integers(1, 4, 300).tolist(), range(300), draw.normal(size=300).tolist(),
            draw.integers(0, 40, 300).tolist(), strict=True,
        )
    ]  # fmt: skip


@pytest.fixture(scope="module")
def frame(rows):
    return need("pandas").DataFrame(rows, columns=NAMES)


def fill(execute, rows, placeholder, types):
    columns = ", ".join(
        '"{}" {}'.format(name.replace('"', '""'), kind) for name, kind in zip(NAMES, types, strict=True)
    )
    execute(f"CREATE TABLE preds ({columns})")
    values = ", ".join([placeholder] * len(NAMES))
    for row in rows:
        execute(f"INSERT INTO preds VALUES ({values})", row)


SQLITE_TYPES = ("TEXT", "TEXT", "TEXT", "TEXT", "INTEGER", "INTEGER", "REAL", "INTEGER")
OTHER_TYPES = ("text", "text", "text", "text", "bigint", "integer", "double precision", "integer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, rows):
    """Return a folder with the rows as a file of SQLite and one of DuckDB."""
    folder = tmp_path_factory.mktemp("databases")
    with sqlite3.connect(folder / "preds.sqlite") as connection:
        fill(connection.execute, rows, "?", SQLITE_TYPES)
    connection.close()
    with need("duckdb").connect(folder / "preds.duckdb") as connection:
        fill(connection.execute, rows, "?", OTHER_TYPES)
    return folder


KINDS = ("sqlite", "sqlite file", "sqlite url", "adbc sqlite", "duckdb", "duckdb file", "psycopg", "adbc", "url")


@pytest.fixture(params=KINDS)
def connection(request, folder, rows):
    """Whatever a query can be asked of, with the same rows."""
    kind = request.param
    if kind in {"psycopg", "adbc", "url"}:
        server = request.getfixturevalue("postgres_server")
        writer = request.getfixturevalue("postgres")
        fill(writer.execute, rows, "%s", OTHER_TYPES)
        if kind == "url":
            yield server.secret_url
            return
        module = need("psycopg" if kind == "psycopg" else "adbc_driver_postgresql.dbapi")
        with module.connect(server.url) as connection:
            yield connection
        return
    file = folder / ("preds.sqlite" if "sqlite" in kind else "preds.duckdb")
    if kind.endswith(("file", "url")):
        yield f"sqlite:///{file}" if kind.endswith("url") else file
        return
    opened = {
        "sqlite": lambda: sqlite3.connect(file),
        "adbc sqlite": lambda: need("adbc_driver_sqlite.dbapi").connect(str(file)),
        "duckdb": lambda: need("duckdb").connect(str(file)),
    }[kind]()
    yield opened
    opened.close()


def test_every_connection_gives_the_counts_and_scores_of_the_same_dataframe(connection, frame):
    query = rw.Query(SQL, connection)
    weighted = {"id": "id", "cluster": "group of", "sample_weight": "len"}
    for asked in ({}, weighted, {"count": "len"}):
        expected = rw.read_outcomes(frame, truth="y", predictions=PREDICTIONS, **asked)
        assert rw.read_sql(SQL, connection, truth="y", predictions=PREDICTIONS, **asked) == expected
        assert rw.read_outcomes(query, truth="y", predictions=PREDICTIONS, **asked).data_hash == expected.data_hash
    scored = {"truth": None, "predictions": ["score", "len"], "id": "id", "cluster": "group of"}
    assert rw.ItemScores.read(query, **scored).data_hash == rw.ItemScores.read(frame, **scored).data_hash
    assert query.names() == list(NAMES)


def test_every_connection_is_told_what_is_wrong_in_our_words(connection):
    asked = {"truth": "y", "predictions": ["new"]}
    with pytest.raises(rw.errors.QueryError, match="nothere") as caught:
        rw.read_sql("SELECT * FROM nothere", connection, **asked)
    assert caught.value.exit_code == 4
    assert caught.value.hint
    assert PASSWORD not in str(caught.value)
    if hasattr(connection, "adbc_get_info"):
        connection.rollback()  # after an error ADBC waits for it
    with pytest.raises(rw.errors.ColumnNotFoundError, match="'yy'") as caught:
        rw.read_sql(SQL, connection, truth="yy", predictions=["new"])
    assert "did you mean 'y'" in caught.value.hint
    with pytest.raises(rw.errors.DataError, match="2 columns named 'new'"):
        rw.read_sql("SELECT y, new, y AS new FROM preds", connection, **asked)
    with pytest.raises(rw.errors.FileFormatError, match="no rows"):
        rw.read_sql("SELECT * FROM preds WHERE id < 0", connection, **asked)


@pytest.mark.parametrize("connection", ["duckdb file", "url"], indirect=True)
def test_verbs_take_a_query_and_find_its_items_again(connection, frame, frugal):
    columns = {"truth": "y", "a": "new", "b": "count", "metric": "accuracy", "id": "id"}
    results = [rw.compare(data, **columns, draws=500, rng=0) for data in (rw.Query(SQL, connection), frame)]
    assert results[0].to_dict() == results[1].to_dict()
    items = [sorted(label_rows(result.recipe.tables[0].source, "group of")) for result in results]
    assert items[0] == items[1]


class Shuffling:
    """A connection by the letter of DB-API 2, whose rows come in another order each time, as those of a cluster may."""

    def __init__(self, file):
        self._connection, self._draw = sqlite3.connect(file), np.random.default_rng(5)

    def cursor(self):
        return self

    def execute(self, *asked):
        self._cursor = self._connection.execute(*asked)
        self.description, self._rows = self._cursor.description, self._cursor.fetchall()
        self._draw.shuffle(self._rows)

    def fetchmany(self, size):
        part, self._rows = self._rows[:size], self._rows[size:]
        return [dict(zip([column[0] for column in self.description], row, strict=True)) for row in part]

    def close(self):
        self.closed = True


def test_columns_that_nobody_asks_for_stay_in_the_database(frugal):
    """A chunk of these rows would be 80 MB."""
    with closing(sqlite3.connect(":memory:")) as connection:
        numbered = "WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t WHERE i < 799)"
        fat = f"{numbered} SELECT i % 3 AS a, hex(zeroblob(50000)) AS fat, i % 2 AS y FROM t"
        tracemalloc.start()
        scores = rw.ItemScores.read(rw.Query(fat, connection), truth="y", predictions=["a"])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4e6
        expected = rw.ItemScores.from_arrays([i % 2 for i in range(800)], [i % 3 for i in range(800)], names=["a"])
        assert scores.data_hash == expected.data_hash
        ordered = rw.Query(f"SELECT i AS a, -i AS b FROM ({numbered} SELECT i FROM t) ORDER BY i % 7, i", connection)
        assert ordered.arrays(["a"])[0][:3].tolist() == [0, 7, 14]


@pytest.mark.parametrize("scored", [False, True])
def test_rows_need_no_order_of_their_own(scored, folder, frame, frugal, silent):
    asked = {"truth": "y", "a": "new", "b": "count", "metric": "accuracy", "sample_weight": "len"}
    if scored:
        asked = {"a": "score", "b": "len", "metric": "mean", "cluster": "group of"}
    asked |= {"id": "id", "by": 'a "quoted" näme', "draws": 500, "rng": 0}
    connection = Shuffling(folder / "preds.sqlite")
    results = [rw.compare(data, **asked) for data in (rw.Query(SQL, connection), frame)]
    assert results[0].to_dict() == results[1].to_dict()
    items = [sorted((item.key, item.a, item.b) for item in result.items()) for result in results]
    assert items[0] == items[1]
    assert connection.closed


def test_what_sqlalchemy_wraps_is_asked_and_an_engine_gets_its_connection_back(folder, frame):
    of_driver = sqlite3.connect(folder / "preds.sqlite")
    given_back = []
    wrapper = SimpleNamespace(driver_connection=of_driver, close=lambda: given_back.append(1))
    wrapped = type("Connection", (), {"__module__": "sqlalchemy.engine.base", "connection": wrapper})()
    engine = type("Engine", (), {"__module__": "sqlalchemy.engine.base", "raw_connection": lambda _: wrapper})()
    asked = {"truth": "y", "predictions": ["new"]}
    expected = rw.read_outcomes(frame, **asked)
    assert rw.read_sql(SQL, wrapped, **asked) == expected
    assert not given_back
    assert rw.read_sql(SQL, engine, **asked) == expected
    assert given_back == [1]
    of_driver.close()


def test_an_engine_that_cannot_connect_is_said_to_be_unreachable():
    def refused(_):
        raise OSError("connection refused")

    engine = type("Engine", (), {"__module__": "sqlalchemy.engine.base", "raw_connection": refused})()
    with pytest.raises(rw.errors.UnreachableDatabaseError, match=r"cannot be reached: connection refused\.") as caught:
        rw.read_sql(SQL, engine, truth="y", predictions=["new"])
    assert caught.value.hint


def test_a_mistake_of_ours_is_not_blamed_on_the_query(monkeypatch):
    def mistaken(*_):
        raise AttributeError("ours")

    monkeypatch.setattr(sessions, "frame_columns", mistaken)
    with need("duckdb").connect() as connection, pytest.raises(AttributeError, match="ours"):
        rw.Query("SELECT 1 AS y", connection).lists(["y"])


# -- what is a query ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1; SELECT 2",
        "INSERT INTO preds VALUES (1)",
        "WITH gone AS (DELETE FROM preds RETURNING *) SELECT * FROM gone",
        "WITH x AS (SELECT 1) DELETE FROM preds",
        "WITH x AS (UPDATE preds SET y = 1 RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO preds SELECT 1 RETURNING *) TABLE x",
        "SELECT * INTO copied FROM preds",
        "COPY preds TO 'out.csv'",
        "PRAGMA table_info(preds)",
        "ATTACH 'other.db' AS other",
        "SELECT 1) t; DELETE FROM preds; SELECT * FROM (SELECT 1",
        "SELECT 1) UNION (SELECT 2",
        "SELECT (1",
        "SELECT 'it''s",
        "SELECT 1 /* for ever",
        "SELECT 1 /* /* */; DELETE FROM preds -- */",
        "SELECT $tag$ never closed; DELETE FROM preds",
        "SELECT 1\0",
        "preds",
        "",
        " -- nothing",
        None,
        7,
    ],
)
def test_what_is_not_one_select_never_reaches_the_database(query):
    with pytest.raises(rw.errors.InvalidInputError) as caught:
        rw.read_sql(query, sqlite3.Connection, truth="y", predictions=["new"])
    assert caught.value.exit_code == 2
    assert caught.value.hint


@pytest.mark.parametrize(
    "query",
    [
        "select ';' as \"a;b\" from t;",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 9) SELECT * FROM s",
        "VALUES (1, 2)",
        "FROM preds",
        "SELECT $$; DELETE FROM preds$$ AS text",
        r"SELECT E'it\'s; fine' AS text",
        "SELECT max(update), (delete), set FROM edits",
        "SELECT y -- a; comment\nFROM preds",
        "SELECT y /* a; comment */ FROM preds",
        "SELECT a[1], '{\"x\": [1]}' FROM preds",
        "SELECT updated, deleted FROM inserted",
    ],
)
def test_one_select_passes_however_it_is_written(query):
    assert check_query(query) == query.strip().rstrip(";")


# -- types -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", [[1, "1", 1], [1, 1.0, 1], ["1", 1.0, None]])
@pytest.mark.parametrize("driver", ["sqlite", "adbc"])
def test_a_column_of_several_types_in_sqlite_is_an_error(column, driver, tmp_path):
    path = str(tmp_path / "mixed.db")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE preds (y, a)")
        connection.executemany("INSERT INTO preds VALUES (?, 1)", [[value] for value in column])
    connection.close()
    connection = (sqlite3 if driver == "sqlite" else need("adbc_driver_sqlite.dbapi")).connect(path)
    with pytest.raises(rw.errors.LabelTypeError, match="y mixes labels of different types"):
        rw.read_sql("SELECT * FROM preds", connection, truth="y", predictions=["a"])
    connection.close()


def test_labels_that_sqlite_calls_equal_are_told_apart():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE preds (y TEXT COLLATE NOCASE, a TEXT COLLATE NOCASE)")
    connection.executemany("INSERT INTO preds VALUES (?, ?)", [("Yes", "Yes"), ("yes", "yes"), ("yes", "YES ")])
    table = rw.Query("SELECT * FROM preds", connection).count(["y", "a"])
    assert table == {("Yes", "Yes"): 1, ("yes", "yes"): 1, ("yes", "YES "): 1}
    connection.close()


def test_cells_of_every_type_are_read_as_pandas_reads_them(postgres):
    postgres.execute(
        "CREATE TABLE preds AS SELECT * FROM (VALUES"
        " (1::numeric, true, 1::smallint, 'NaN'::float8, DATE '2026-01-31', '\\x00'::bytea, 1e21::numeric),"
        " (0::numeric, false, 0::smallint, 1, DATE '2026-02-01', '\\x01'::bytea, 1e21 + 1),"
        " (NULL, NULL, NULL, NULL, NULL, NULL, NULL)) AS v(whole, yes, small, real, day, bytes, big)"
    )
    query = rw.Query("SELECT * FROM preds", postgres)
    assert query.count(["whole"]) == {(1,): 1, (0,): 1, (None,): 1}
    assert query.count(["yes"]) == {(True,): 1, (False,): 1, (None,): 1}
    assert query.count(["real"]) == {(None,): 2, (1.0,): 1}
    assert query.count(["big"]) == {(10**21,): 1, (10**21 + 1,): 1, (None,): 1}
    assert query.lists(["whole", "small"]) == [[1, 0, None], [1, 0, None]]
    assert [cell for (cell,) in query.rows(["day"])] == [date(2026, 1, 31), date(2026, 2, 1), None]
    for column in ("day", "bytes"):
        with pytest.raises(rw.errors.LabelTypeError, match=f"{column} holds"):
            query.count([column])
    (numbers,) = query.arrays(["whole"], ["whole"])
    assert np.isnan(numbers[2])
    assert numbers.dtype == np.float64


def test_values_are_bound(folder, frame, postgres):
    asked = {"truth": "y", "predictions": ["new"]}
    expected = rw.read_outcomes(frame[frame["y"] == "it's"], **asked)
    query = "SELECT * FROM preds WHERE y = ?"
    for file in ("preds.sqlite", "preds.duckdb"):
        assert rw.read_sql(query, folder / file, params=["it's"], **asked) == expected
    postgres.execute("CREATE TABLE preds AS SELECT 'it''s' AS y, 'dog%' AS new")
    table = rw.read_sql(
        "SELECT * FROM preds WHERE y = %(y)s AND new LIKE '%%'", postgres, params={"y": "it's"}, **asked
    )
    assert table.n_items == 1
    assert rw.read_sql("SELECT * FROM preds WHERE new LIKE '%'", postgres, **asked) == table


# -- what was there stays as it was -----------------------------------------------------------------------


def test_a_transaction_of_the_user_is_neither_ended_nor_lost(postgres_server, postgres):
    psycopg = need("psycopg")
    postgres.execute("CREATE TABLE preds AS SELECT 1 AS y, 1 AS a")
    status = psycopg.pq.TransactionStatus
    asked = {"truth": "y", "predictions": ["a"]}
    with psycopg.connect(postgres_server.url) as mine:
        rw.read_sql("SELECT * FROM preds", mine, **asked)
        assert mine.info.transaction_status == status.IDLE
        mine.execute("INSERT INTO preds VALUES (0, 1)")
        assert rw.read_sql("SELECT * FROM preds", mine, **asked).n_items == 2
        with pytest.raises(rw.errors.QueryError, match="division by zero"):
            rw.read_sql("SELECT y / (y - 1) AS y, a FROM preds", mine, **asked)
        with pytest.raises(rw.errors.QueryError, match="read-only transaction"):
            rw.read_sql(
                "SELECT nextval(c.oid) AS y, 1 AS a FROM pg_class c, setval('s', 1)", mine, **asked
            ) if mine.execute("CREATE SEQUENCE s") else None
        assert mine.info.transaction_status == status.INTRANS
        mine.execute("INSERT INTO preds VALUES (0, 0)")  # it may write again
        mine.commit()
        with pytest.raises(psycopg.errors.SyntaxError):
            mine.execute("selec")
        with pytest.raises(rw.errors.QueryError, match="has failed") as caught:
            rw.read_sql("SELECT * FROM preds", mine, **asked)
        assert "rollback()" in caught.value.hint
        mine.rollback()
        mine.execute("SET statement_timeout = 1")
        with pytest.raises(rw.errors.QueryError, match="timeout"):
            rw.read_sql("SELECT 1 AS y, 1 AS a FROM generate_series(1, 100000000)", mine, **asked)
    assert postgres.execute("SELECT count(*) FROM preds").fetchone() == (3,)


def test_a_connection_of_sqlite_keeps_its_settings_and_its_transaction():
    mine = sqlite3.connect(":memory:")
    mine.row_factory, mine.text_factory = sqlite3.Row, bytes
    mine.execute("CREATE TABLE preds AS SELECT 'x' AS y, 'x' AS a")
    mine.execute("INSERT INTO preds VALUES ('z', 'x')")
    open_cursor = mine.execute("SELECT * FROM preds")
    table = rw.read_sql("SELECT * FROM preds", mine, truth="y", predictions=["a"])
    assert table.labels == ("x", "z")
    assert (mine.row_factory, mine.text_factory, mine.in_transaction) == (sqlite3.Row, bytes, True)
    assert [tuple(row) for row in open_cursor] == [(b"x", b"x"), (b"z", b"x")]
    mine.close()


def test_files_are_opened_for_reading_only_and_nothing_is_left_beside_them(tmp_path):
    path = tmp_path / "logged.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE preds AS SELECT 1 AS y, 1 AS a")
    connection.close()
    before = path.read_bytes()
    path.chmod(0o444)
    assert rw.read_sql("SELECT * FROM preds", path, truth="y", predictions=["a"]).n_items == 1
    assert [file.name for file in tmp_path.iterdir()] == ["logged.db"]
    assert path.read_bytes() == before


# -- what goes wrong ---------------------------------------------------------------------------------------


def test_a_password_is_shown_nowhere(postgres_server):
    url = postgres_server.secret_url
    query = rw.Query("SELECT 1 AS y", url)
    assert PASSWORD not in repr(query)
    assert "***" in repr(query)
    assert not query.is_remembered
    for right, wrong in (("s3cret", "guessed"), ("/postgres", "/nothere"), ("127.0.0.1", "::::")):
        with pytest.raises(rw.errors.UnreachableDatabaseError) as caught:
            rw.Query("SELECT 1 AS y", url.replace(right, wrong)).names()
        assert caught.value.exit_code == 5
        assert "word" not in str(caught.value).replace("password", "")
    with pytest.raises(rw.errors.InvalidInputError, match="holds a sign") as caught:
        rw.Query("SELECT 1", "postgresql://ann:pa/ss@host/db")
    assert "pa" not in caught.value.message.replace("password", "")
    assert masked("sqlite:///a.db") == "sqlite:///a.db"
    assert (
        without_secrets("auth of s3 failed: s3/x", "postgresql://ann:s3%2Fx@db?password=s3")
        == "auth of *** failed: ***"
    )


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of psycopg, about a cursor that could not be closed
def test_a_server_that_goes_away_is_told_from_a_wrong_query(postgres_server, postgres):
    psycopg = need("psycopg")
    postgres.execute("CREATE TABLE preds AS SELECT i % 2 AS y, 1 AS a FROM generate_series(1, 100000) AS s(i)")
    mine = psycopg.connect(postgres_server.url)
    rows = rw.Query("SELECT * FROM preds", mine).rows(["y", "a"])
    assert next(rows) == (1, 1)
    other = psycopg.connect(postgres_server.url)
    left = rw.Query("SELECT * FROM preds", other).rows(["y", "a"])
    assert next(left) == (1, 1)
    postgres_server.kill()
    try:
        with pytest.raises(rw.errors.UnreachableDatabaseError):
            left.close()
        gc.collect()
        with pytest.raises(rw.errors.UnreachableDatabaseError, match="cannot be reached") as caught:
            list(rows)
        assert caught.value.exit_code == 5
        with pytest.raises(rw.errors.UnreachableDatabaseError):
            rw.read_sql("SELECT * FROM preds", mine, truth="y", predictions=["a"])
        with pytest.raises(rw.errors.UnreachableDatabaseError):
            rw.read_sql("SELECT * FROM preds", postgres_server.secret_url, truth="y", predictions=["a"])
    finally:
        mine.close()
        other.close()
        postgres_server.start()
    assert (
        rw.read_sql("SELECT * FROM preds", postgres_server.secret_url, truth="y", predictions=["a"]).n_items == 100_000
    )


def test_a_query_on_a_file_is_remembered_in_a_pickle(folder, monkeypatch):
    monkeypatch.chdir(folder)
    table = rw.read_sql(SQL, "preds.sqlite", truth="y", predictions=["new", "count"], id="id")
    monkeypatch.chdir("/")
    again = pickle.loads(pickle.dumps(table))
    assert list(label_rows(again.source)) == list(label_rows(table.source))


@pytest.mark.parametrize(
    ("connection", "kind", "match"),
    [
        ("mysql://ann:secret@db/eval", rw.errors.InvalidInputError, "mysql:// are not known"),
        ("sqlite://", rw.errors.InvalidInputError, "names no file"),
        ("nothere.db", rw.errors.UnreadableFileError, "nothere.db"),
        (7, rw.errors.InvalidInputError, "needs a connection; got int"),
        (sqlite3, rw.errors.InvalidInputError, "got module"),
        (SimpleNamespace(execute=print), rw.errors.InvalidInputError, "got SimpleNamespace"),
        (None, rw.errors.InvalidInputError, "got NoneType"),
    ],
)
def test_what_is_no_database_is_refused(connection, kind, match):
    with pytest.raises(kind, match=match) as caught:
        rw.Query("SELECT 1 AS y", connection).names()
    assert "secret" not in str(caught.value)
    assert caught.value.hint


def test_files_that_are_no_database_or_are_one_are_told_apart(tmp_path, folder):
    (tmp_path / "preds.csv").write_text("y,a\n1,1\n")
    with pytest.raises(rw.errors.FileFormatError, match="is not a database"):
        rw.Query("SELECT 1 AS y", tmp_path / "preds.csv").names()
    for file in ("preds.sqlite", "preds.duckdb"):
        with pytest.raises(rw.errors.FileFormatError, match="is a database of") as caught:
            rw.read_outcomes(folder / file, truth="y", predictions=["new"])
        assert "'preds'" in caught.value.hint
    torn = tmp_path / "torn.db"
    torn.write_bytes((folder / "preds.sqlite").read_bytes()[:4097] + b"x" * 5000)
    with pytest.raises(rw.errors.FileFormatError, match=r"torn.db' is damaged: .* malformed") as caught:
        rw.read_sql(SQL, torn, truth="y", predictions=["new"])
    assert "cut off" in caught.value.hint
    with pytest.raises(rw.errors.QueryError, match="malformed JSON"):  # of a query, and not of the file
        rw.read_sql("SELECT json('{') AS y, 1 AS new", folder / "preds.sqlite", truth="y", predictions=["new"])


@pytest.mark.parametrize(
    "settings", ["host=localhost port=1 password=hunter2", "password='hunter2 x' host=db", "Server=db;Pwd=hunter2"]
)
def test_settings_of_a_driver_are_told_from_urls_without_their_password(settings):
    with pytest.raises(rw.errors.InvalidInputError, match="a URL is taken") as caught:
        rw.Query("SELECT 1 AS y", settings).names()
    assert "hunter2" not in str(caught.value)
    assert "postgresql://" in caught.value.hint


def test_the_server_of_the_tests_asks_for_its_password_and_can_be_killed(postgres_server, postgres):
    psycopg = need("psycopg")
    postgres.execute("CREATE TABLE kept AS SELECT 1 AS x")
    with psycopg.connect(postgres_server.secret_url) as other:
        assert other.execute("SELECT current_user").fetchone() == (USER,)
    wrong = postgres_server.secret_url.replace("s3cret", "guess")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed") as caught:
        psycopg.connect(wrong)
    assert PASSWORD not in str(caught.value)


def test_decimals_are_numbers(postgres):
    postgres.execute("CREATE TABLE preds AS SELECT 1 AS y, 0.25::numeric AS score UNION ALL SELECT 0, 0.75")
    items = rw.ItemScores.read(rw.Query("SELECT * FROM preds", postgres), truth="y", predictions=["score"])
    assert sorted(items.values[0].tolist()) == [0.25, 0.75]
    (cells,) = rw.Query("SELECT * FROM preds", postgres).lists(["score"])
    assert not any(isinstance(cell, Decimal) for cell in cells)


def test_whole_numbers_of_type_numeric_are_integers_by_every_driver(postgres_server, postgres):
    query = "SELECT 1::numeric AS y, 1 AS a UNION ALL SELECT 0, 1 UNION ALL SELECT NULL, 1 UNION ALL SELECT 'NaN', 0"
    with need("adbc_driver_postgresql.dbapi").connect(postgres_server.url) as arrow:
        for connection in (postgres, arrow):
            with pytest.warns(rw.errors.DroppedItemsWarning, match="2 of 4 items"):
                counted = rw.read_sql(query, connection, truth="y", predictions="a", missing="drop")
            assert counted == rw.Outcomes.from_arrays([1, 0], [1, 1], names=["a"])
            with pytest.raises(rw.errors.QueryError, match=r"^The database refuses the query: division by zero\."):
                rw.read_sql(
                    "SELECT 1 / (2 - i) AS y, 1 AS a FROM generate_series(1, 3) i",
                    connection,
                    truth="y",
                    predictions="a",
                )


def test_an_interrupt_that_comes_before_the_query_is_repeated():
    ended, main = threading.Event(), threading.get_ident()
    asked = []

    def begin():
        signal.pthread_kill(main, signal.SIGINT)
        ended.wait()

    def interrupt():
        asked.append("end")
        if len(asked) > 1:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        interruptible(begin, interrupt)
    assert len(asked) > 1
