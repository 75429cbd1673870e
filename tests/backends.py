"""Every library and engine that can hold a table, each with a way to put one there."""

from __future__ import annotations

import atexit
import logging
import os
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from shutil import which
from typing import Any

import pytest

import ropewalk as rw
from support import REQUIRE_ALL, need

SPARK = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.log.level": "OFF",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
}
"""Little of everything: one Java process that is a local cluster and a server for Spark Connect at once."""


@dataclass(frozen=True)
class Backend:
    """A library or an engine: `put` takes an Arrow table and returns what a user of it would hold."""

    name: str
    put: Callable[[Any], Any]
    is_lazy: bool = False
    is_slow: bool = False
    unable_names: tuple[str, ...] = ()
    """Names that its own makers of tables cannot give to a column."""

    def __repr__(self) -> str:
        return self.name


def pandas_numpy(table):
    return table.to_pandas()


def pandas_nullable(table):
    pandas = need("pandas")
    sizes = [(sign, size) for sign in ("Int", "UInt") for size in (8, 16, 32, 64)]
    kinds = {f"{sign}{size}".lower(): getattr(pandas, f"{sign}{size}Dtype")() for sign, size in sizes}
    kinds |= {"bool": pandas.BooleanDtype(), "double": pandas.Float64Dtype(), "float": pandas.Float32Dtype()}
    kinds |= {"string": pandas.StringDtype(), "large_string": pandas.StringDtype()}
    return table.to_pandas(types_mapper=lambda kind: kinds.get(str(kind)))


def pandas_arrow(table):
    return table.to_pandas(types_mapper=need("pandas").ArrowDtype)


def pandas_index(kind):
    """Return a maker of pandas frames whose index says nothing about the rows."""

    def put(table):
        frame = table.to_pandas()
        pandas, n = need("pandas"), len(frame)
        index = {
            "odd": lambda: pandas.Index([f"row {7 * i % 5}" for i in range(n)], name="y"),
            "duplicate": lambda: pandas.Index([0] * n),
            "multi": lambda: pandas.MultiIndex.from_arrays([range(n), [None] * n], names=["a", None]),
        }[kind]()
        return frame.set_axis(index, axis=0)

    return put


def polars_eager(table):
    return need("polars").from_arrow(table)


def polars_lazy(table):
    return polars_eager(table).lazy()


def arrow(table):
    return table


def duckdb(table):
    return need("duckdb").from_arrow(table)


def ibis_duckdb(table):
    return need("ibis").memtable(table)


@cache
def sqlframe_session():
    session = need("sqlframe.duckdb").DuckDBSession(conn=need("duckdb").connect())
    atexit.register(vars(session).clear)  # it is kept for good, and DuckDB would report its connection as lost
    return session


def sqlframe(table):
    session = sqlframe_session()
    name = f"t{next(_NUMBERS)}"
    session._conn.register("arriving", table)
    session._conn.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")
    return session.table(name)


def _count():
    number = 0
    while True:
        number += 1
        yield number


_NUMBERS = _count()


def sqlite(table):
    connection = need("sqlite3").connect(":memory:")
    return rw.Query("SELECT * FROM preds", _filled(connection, table, "?", {"decimal": "NUMERIC"}))


def postgres(table, connection):
    """Return a maker of queries to a PostgreSQL server, by a connection to it."""
    kinds = {
        "int": "bigint", "uint": "bigint", "float": "real", "double": "double precision", "bool": "boolean",
        "string": "text", "large_string": "text", "dictionary<values=string, indices=int32, ordered=0>": "text",
        "date": "date", "time": "time", "timestamp": "timestamp", "duration": "interval", "binary": "bytea",
        "decimal": "numeric", "list<item: int64>": "bigint[]", "struct<x: int64>": "jsonb",
    }  # fmt: skip
    return rw.Query("SELECT * FROM preds", _filled(connection, table, "%s", kinds))


def _filled(connection, table, mark, kinds):
    """Make a table of a database from an Arrow table."""
    import json

    cursor = connection.cursor()
    quoted = ['"' + name.replace('"', '""') + '"' for name in table.column_names]
    of = [kinds.get(str(k), kinds.get(re.split(r"[\d\[(]", str(k))[0], "")) for k in table.schema.types]
    cursor.execute("DROP TABLE IF EXISTS preds")
    cursor.execute(f"CREATE TABLE preds ({', '.join(f'{n} {k}' for n, k in zip(quoted, of, strict=True))})")
    rows = [
        [
            json.dumps(v) if isinstance(v, dict) else str(v) if mark == "?" and type(v).__name__ == "Decimal" else v
            for v in row.values()
        ]
        for row in table.to_pylist()
    ]
    if rows:
        cursor.executemany(f"INSERT INTO preds VALUES ({', '.join([mark] * len(quoted))})", rows)
    return connection


def dask_threads(table):
    pandas = need("pandas")  # of NumPy's objects Dask would make text
    frame = table.to_pandas(types_mapper=lambda k: None if "dictionary" in str(k) else pandas.ArrowDtype(k))
    return need("dask.dataframe").from_pandas(frame, npartitions=3, sort=False)


@cache
def dask_client():
    """Start a cluster of two processes on this machine."""
    distributed = need("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1", protocol="tcp"
    )
    return distributed.Client(cluster)


def dask_cluster(table):
    dask_client()
    return dask_threads(table)


def _java():
    if which("java") is None:
        text = "Spark needs Java"
        if REQUIRE_ALL:
            pytest.fail(text)
        pytest.skip(text)


@cache
def spark_sessions():
    """Start Spark, and return a session inside it and one through Connect."""
    need("pyspark")
    _java()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = need("pyspark.sql").SparkSession.builder.master("local[1]")
        for key, value in {**SPARK, "spark.connect.grpc.binding.port": str(port)}.items():
            builder = builder.config(key, value)
        classic = builder.getOrCreate()
        logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)
        connect = need("pyspark.sql.connect.session").SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    return classic, connect


def spark(table):
    return spark_sessions()[0].createDataFrame(table)


def spark_connect(table):
    session = spark_sessions()[1]
    return session.createDataFrame(table) if len(table) else session.createDataFrame([], schema=spark(table).schema)


BACKENDS = (
    Backend("pandas", pandas_numpy),
    Backend("pandas-nullable", pandas_nullable),
    Backend("pandas-arrow", pandas_arrow),
    Backend("pandas-odd-index", pandas_index("odd")),
    Backend("pandas-duplicate-index", pandas_index("duplicate")),
    Backend("pandas-multi-index", pandas_index("multi")),
    Backend("polars", polars_eager),
    Backend("polars-lazy", polars_lazy, is_lazy=True),
    Backend("pyarrow", arrow),
    Backend("duckdb", duckdb, is_lazy=True),
    Backend("ibis", ibis_duckdb, is_lazy=True),
    Backend("sqlframe", sqlframe, is_lazy=True, is_slow=True, unable_names=("a`b", "0", "select")),
    Backend("sqlite", sqlite, is_lazy=True),
    Backend("postgres", postgres, is_lazy=True),
    Backend("dask", dask_threads, is_lazy=True, is_slow=True),
    Backend("dask-cluster", dask_cluster, is_lazy=True, is_slow=True),
    Backend("spark", spark, is_lazy=True, is_slow=True),
    Backend("spark-connect", spark_connect, is_lazy=True, is_slow=True),
)


def by_name(name):
    return next(backend for backend in BACKENDS if backend.name == name)
