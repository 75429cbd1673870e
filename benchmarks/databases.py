"""Rows of a database counted there, beside the database's own GROUP BY, each a process with its start-up."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from reading import usage
from table import Row, installed

ROWS = {"SQLite": 3_000_000, "DuckDB": 150_000_000}
MAX_MEMORY = 300e6
KINDS = {"two whole numbers": "{} % 2", "ten texts": "'label ' || ({} % 10)"}
SELECT = "SELECT {0} AS y, {1} AS a, {2} AS b FROM s"
MODULES = {"SQLite": "sqlite3", "DuckDB": "duckdb"}

BARE = """
import sys, {0}
print({0}.connect(sys.argv[1]).execute("SELECT y, a, b, count(*) FROM preds GROUP BY y, a, b").fetchall())
"""
COUNT = """
import sys, ropewalk as rw
print(rw.read_sql("SELECT * FROM preds", sys.argv[1], truth="y", predictions=["a", "b"]))
"""
STREAM = """
import sys, ropewalk as rw
print(sum(1 for _ in rw.Query("SELECT * FROM preds", sys.argv[1]).rows(["y", "a"])))
"""


def rows() -> Iterator[Row]:
    """Measure SQLite and DuckDB."""
    with tempfile.TemporaryDirectory() as folder:
        for database, module in MODULES.items():
            if not installed(module):
                yield Row(what=f"count rows of {database}", missing=module)
                continue
            for name, label in KINDS.items():
                path = Path(folder, f"{module} {name}")
                write(path, database, label)
                ways = [[sys.executable, "-c", way, str(path)] for way in (BARE.format(module), COUNT)]
                turns = [[usage(way)[0] for way in ways] for _ in range(3)]
                bare, ours = (min(turn[i] for turn in turns) for i in range(2))
                what, peer = (
                    f"count {ROWS[database] // 1_000_000} M rows of {database}, {name}",
                    f"{database}'s GROUP BY",
                )
                yield Row(what=what, measured=ours, peer=peer, peer_measured=bare, max_ratio=1.5)
            if database == "SQLite":  # a process starts with the memory of this one, which DuckDB makes large
                memory = usage([sys.executable, "-c", STREAM, str(path)])[1]
                yield Row(what="  memory of going through them", measured=memory, unit="B", max_measured=MAX_MEMORY)


def write(path: Path, database: str, label: str) -> None:
    """Make a database of three columns of labels."""
    numbers = f"WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {ROWS[database]}) "
    if database == "DuckDB":
        import duckdb

        numbers = f"WITH s(i) AS (SELECT * FROM range({ROWS[database]})) "
        connection = duckdb.connect(str(path))
    else:
        connection = sqlite3.connect(path)
    cells = [label.format(each) for each in ("i", "(i * 7 + i % 13)", "(i * 11 + i % 17)")]
    with closing(connection):
        connection.execute(f"CREATE TABLE preds AS {numbers}{SELECT.format(*cells)}")
        connection.commit()
