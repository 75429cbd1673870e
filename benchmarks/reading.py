"""Files counted by the whole command, beside DuckDB's own GROUP BY of them, each a process with its start-up."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from table import Row, installed

COLUMNS = "y, a, b"
LABELS = {
    "two int64 labels": ("({} % 2)::BIGINT", 1.4),
    "five labels as text": ("'label ' || ({} % 5)", 1.6),
}
"""What is in the columns, and how many times as long as the bare engine the whole command may take.

Rows cost what they cost DuckDB: the rest is Python, NumPy and the modules of an answer, and 50,000 draws of every cell.
"""

PARQUET_ROWS = 100_000_000
CSV_ROWS = 1_000_000
WITH_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
MAX_MEMORY = 500e6

MAKE = """
import sys, duckdb
n, label, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
right = "CASE WHEN {0} % 10 < 8 THEN h ELSE {0} // 16 END"
columns = [label.format(f"({e})") for e in ("h", right.format("h2"), right.format("h3"))]
duckdb.execute("SET preserve_insertion_order = false; SET memory_limit = '2GB'")
duckdb.execute(f'''COPY (
    SELECT i AS id, {columns[0]} AS y, {columns[1]} AS a, {columns[2]} AS b, h2 / 2e19 AS score, 'x' || h % 1000 AS t
    FROM (SELECT i, hash(i) AS h, hash(i + 1000000007) AS h2, hash(i + 2000000011) AS h3 FROM range({n}) AS t(i))
) TO '{path}' ({'FORMAT PARQUET' if path.endswith('parquet') else 'FORMAT CSV'})''')
"""
BARE = f"""
import sys, duckdb
print(duckdb.sql(f"SELECT {COLUMNS}, count(*) FROM '{{sys.argv[1]}}' GROUP BY ALL").fetchall())
"""
COUNT = """
import sys, ropewalk as rw
print(rw.read_outcomes(sys.argv[1], truth="y", predictions=["a", "b"]))
"""


def rows() -> Iterator[Row]:
    """Measure Parquet of two kinds of labels, and a CSV file."""
    if not installed("duckdb"):
        yield Row(what="count files", missing="duckdb")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, (label, max_whole) in LABELS.items():
            path = Path(folder, "table.parquet")
            usage([sys.executable, "-c", MAKE, str(PARQUET_ROWS), label, str(path)])
            yield from beside(path, f"100 M rows of Parquet, {name}", max_ratio=1.3, max_whole=max_whole)
            path.unlink()
        path = Path(folder, "table.csv")
        usage([sys.executable, "-c", MAKE, str(CSV_ROWS), LABELS["two int64 labels"][0], str(path)])
        yield from beside(path, "1 M rows of CSV", max_ratio=1.5)
        packed = path.with_suffix(".csv.gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        yield from beside(packed, "1 M rows of CSV, by gzip", max_ratio=1.5)


def beside(path: Path, what: str, *, max_ratio: float, max_whole: float | None = None) -> Iterator[Row]:
    """Measure the command and the Python call beside the bare engine; each starts once to warm up."""
    command = [sys.executable, "-m", "ropewalk", "compare", str(path), "--truth", "y", "--a", "a", "--b", "b"]
    command += ["--metric", "accuracy", "--seed", "0"]
    ways = [[sys.executable, "-c", BARE, str(path)], [sys.executable, "-c", COUNT, str(path)], command]
    turns = [[usage(way) for way in ways] for _ in range(3)]
    bare, count, whole = (min(turn[i][0] for turn in turns) for i in range(3))
    peer = "DuckDB's GROUP BY"
    yield Row(what=f"count {what}", measured=count, peer=peer, peer_measured=bare, max_ratio=max_ratio)
    yield Row(
        what="  the whole command, to the answer", measured=whole, peer=peer, peer_measured=bare, max_ratio=max_whole
    )
    memory = max(turn[2][1] for turn in turns)
    yield Row(what="  its memory", measured=memory, unit="B", max_measured=MAX_MEMORY)


def usage(command: list[str]) -> tuple[float, float]:
    """Run a command; return its CPU seconds and its memory at most, in bytes."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=WITH_BYTECODE)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[:3]} failed with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024.0
