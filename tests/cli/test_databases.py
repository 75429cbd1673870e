"""`--sql` asks a database for the rows, and no password of one is shown anywhere."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from servers import PASSWORD
from support import NEWS, need

COLUMNS = ("--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2", "--metric", "accuracy", "--draws", "1000")
SQL = ("--sql", "SELECT * FROM preds WHERE doc < 2000")
ENDLESS = "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s) SELECT i % 2 AS y, 1 AS a FROM s"

# The command, with a line as soon as it asks a database.
TALKATIVE = """
import sys
from ropewalk.cli import main
from ropewalk.data.databases.base import Database
from ropewalk.data.databases.sessions import Session

def loud(function):
    def call(*arguments):
        print("asking", file=sys.stderr, flush=True)
        return function(*arguments)
    return call

Database.count, Session.count = loud(Database.count), loud(Session.count)
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the bundled predictions as a CSV file, and as databases of SQLite and DuckDB."""
    folder = tmp_path_factory.mktemp("databases")
    frame = need("pandas").read_csv(NEWS, dtype=str).astype({"doc": int}).query("doc < 3000")
    with sqlite3.connect(folder / "preds.sqlite") as connection:
        frame.to_sql("preds", connection, index=False)
    connection.close()
    frame.query("doc < 2000").to_csv(folder / "preds.csv", index=False)
    with need("duckdb").connect(folder / "preds.duckdb") as connection:
        connection.execute("CREATE TABLE preds AS SELECT * FROM frame")
    return folder


@pytest.fixture
def url(postgres_server, postgres, folder):
    """Return the URL, with its password, of a server that has the same rows."""
    with sqlite3.connect(folder / "preds.sqlite") as connection:
        rows = connection.execute("SELECT doc, y_true, nb_mult, svm_l2 FROM preds").fetchall()
    connection.close()
    postgres.execute("CREATE TABLE preds (doc integer, y_true text, nb_mult text, svm_l2 text)")
    with postgres.cursor().copy("COPY preds FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
    return postgres_server.secret_url


def test_every_database_gives_the_answer_of_the_file(folder, url, run):
    asked = ("--truth", "y_true", "--prediction", "svm_l2", "--metric", "macro_f1", "--draws", "500", "--json")
    expected = run("evaluate", folder / "preds.csv", *asked)
    assert expected[0] == 0
    places = [(folder / "preds.sqlite",), (folder / "preds.duckdb",), ("--db", f"sqlite:///{folder}/preds.sqlite")]
    for place in (*places, ("--db", url)):
        assert run("evaluate", *place, *SQL, *asked) == expected


def test_items_and_slices_are_found_again_in_a_server(folder, url, run, tmp_path, frugal):
    query = "SELECT doc, CAST(y_true AS integer) / 10 AS y_true, nb_mult = '8' AS nb, svm_l2 = '8' AS svm FROM preds"
    query = f"SELECT doc, y_true AS half, nb, svm, (y_true = 0) AS truth FROM ({query}) AS two WHERE doc < 200"
    asked = ("--truth", "truth", "--a", "nb", "--b", "svm", "--metric", "accuracy", "--draws", "500", "--id", "doc")
    page, items = tmp_path / "page.html", tmp_path / "items.csv"
    code, out, _ = run(
        "compare", "--db", url, "--sql", query, *asked, "--by", "half", "--items", items, "--html", page, "--json"
    )
    assert code == 0
    assert [part["slice"] for part in json.loads(out)["by"]] == ["0", "1"]
    assert PASSWORD not in page.read_text() + out
    rows = need("duckdb").connect(folder / "preds.duckdb").execute(query).fetchall()
    assert len(items.read_text().splitlines()) == 1 + sum(nb != svm for _, _, nb, svm, _ in rows)


def test_every_verb_takes_a_query_and_a_line_without_columns_lists_those_of_the_query(folder, run):
    place = (folder / "preds.sqlite", *SQL)
    assert run("rank", *place, "--truth", "y_true", "--predictions", "nb_mult,svm_l2", "--draws", "500")[0] == 0
    assert run("test", *place, *COLUMNS[:6])[0] == 0
    counted = run("count", *place, *COLUMNS[:6])
    assert counted == run("count", folder / "preds.csv", *COLUMNS[:6])
    assert counted[0] == 0
    code, out, _ = run("evaluate", *place, "--truth", "y_true", "--prediction", "svm_l2", "--draws", "500", "--json")
    assert (code, json.loads(out)["n_items"]) == (0, len((folder / "preds.csv").read_text().splitlines()) - 1)
    code, out, err = run("compare", *place)
    assert (code, out) == (2, "")
    assert "The query has the columns doc, y_true," in err
    assert "SELECT * FROM preds WHERE doc < 2000" in err


def test_no_message_shows_the_password(url, run):
    wrong = url.replace("s3cret", "an0ther").replace("word", "phrase")
    for line in (
        ("compare", "--db", url, *SQL),
        ("evaluate", "--db", url, "--sql", "SELECT nothere FROM preds", "--truth", "a", "--prediction", "b"),
        ("evaluate", "--db", url, "--sql", "SELECT * FROM nothere", "--truth", "a", "--prediction", "b"),
        ("evaluate", "--db", wrong, "--sql", "SELECT 1", "--truth", "a", "--prediction", "b", "--debug"),
        ("evaluate", "--db", url),
        ("compare", url, *COLUMNS[:6]),
        ("compare", url, "new.eval"),
        ("compare", "old.eval", url),
        ("convert", url, "-o", "items.csv"),
        ("doctor", url),
        ("merge", url),
        ("evaluate", "--db", url.replace("postgresql", "mysql"), "--sql", "SELECT 1"),
        ("evaluate", "--db", url.replace("%2F", "/"), "--sql", "SELECT 1"),
    ):
        code, out, err = run(*line)
        assert code in {2, 4, 5}
        assert out == ""
        assert "Hint: " in err
        assert not any(part in err for part in ("s3cret", "an0ther", "phrase"))


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        (("preds.sqlite",), 4, ("is a database of SQLite", "--sql", "'preds'")),
        (("preds.duckdb",), 4, ("is a database of DuckDB", "--sql", "'preds'")),
        (("--db", "sqlite:///preds.sqlite"), 2, ("--db needs --sql", "'preds'")),
        (("--sql", "SELECT 1"), 2, ("--sql needs a database", "--db URL")),
        (("preds.csv", "--sql", "SELECT 1 AS y_true, 1 AS nb_mult, 1 AS svm_l2"), 4, ("is not a database",)),
        (("preds.sqlite", "--db", "sqlite:///preds.sqlite", *SQL), 2, ("FILE and --db are both given",)),
        (("-", *SQL), 2, ("a stream is none",)),
        (("preds.sqlite", "preds.sqlite", *SQL), 2, ("several files",)),
        (("preds.sqlite", "--sql", "DELETE FROM preds"), 2, ("must be a SELECT",)),
        (("preds.sqlite", "--sql", "SELECT * FROM pred"), 4, ("no such table: pred", "'preds'")),
        (("preds.sqlite", "--sql", "SELECT * FROM preds WHERE doc < 0"), 4, ("no rows",)),
        (("preds.duckdb", "--sql", "SELECT * FROM 'preds.csv'"), 4, ("refuses the query",)),
        (("nothere.sqlite", *SQL), 5, ("nothere.sqlite",)),
        (("preds.sqlite", *SQL, "--html", "preds.sqlite"), 2, ("would overwrite the data",)),
        (("--db", "sqlite:///preds.sqlite", *SQL, "--html", "preds.sqlite"), 2, ("would overwrite the data",)),
        (("--db", "duckdb:///preds.duckdb", *SQL, "--items", "preds.duckdb"), 2, ("would overwrite the data",)),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(line, code, told, folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    result, out, err = run("compare", *line, *COLUMNS)
    assert (result, out) == (code, "")
    assert all(part in err for part in (*told, "Hint: "))
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def started(*arguments):
    """Start the command in a process of its own, and return it once it asks its database."""
    command = [sys.executable, "-c", TALKATIVE, *map(str, arguments), "--truth", "y", "--prediction", "a"]
    job = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ})
    assert job.stderr.readline() == "asking\n"
    return job


@pytest.mark.parametrize("place", ["preds.sqlite", "preds.duckdb", "server"])
def test_ctrl_c_ends_a_query_that_never_ends(place, folder, request):
    where = ("--db", request.getfixturevalue("url")) if place == "server" else (folder / place,)
    with started("evaluate", *where, "--sql", ENDLESS) as job:
        job.send_signal(signal.SIGINT)
        out, err = job.communicate()
    assert (job.returncode, out) == (130, "")
    assert err.endswith("Interrupted: there is no answer, and no file was left half-written.\n")


def test_a_server_that_goes_away_during_a_query_is_told_in_a_sentence(postgres_server, url, tmp_path):
    page = tmp_path / "page.html"
    psycopg = need("psycopg")
    with started("evaluate", "--db", url, "--sql", ENDLESS, "--html", page) as job:
        with psycopg.connect(postgres_server.url, autocommit=True) as other:
            running = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH ropewalk_rows%'"
            while other.execute(running).fetchone() is None:
                assert job.poll() is None
        postgres_server.kill()
        out, err = job.communicate()
    postgres_server.start()
    assert (job.returncode, out) == (5, "")
    assert [line.split(": ")[0] for line in err.splitlines()] == ["Error", "Hint"]
    assert "The database cannot be reached" in err
    assert PASSWORD not in err
    assert not page.exists()
