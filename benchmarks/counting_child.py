"""Count one kind of input in this process: `counting_child.py numpy|polars|pyarrow DTYPE CLASSES` prints JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import alternate
from memory import peak_growth

import ropewalk as rw

ROWS = 10_000_000
CHUNK = 10_000
NAMES = ["y", "a", "b"]

Ways = tuple[Callable[[], Any], Callable[[], Any], str]
"""Our way to count a table, the library's own, and what to call that."""


def columns(n: int, dtype: str, classes: int) -> np.ndarray:
    """Return the truth and two classifiers that are right four times in five, made in small pieces.

    Large temporary arrays would leave free memory behind, in which the growth to be measured could hide.
    """
    rng = np.random.default_rng(0)
    table = np.empty((3, n), dtype=dtype)
    for start in range(0, n, CHUNK):
        piece = table[:, start : start + CHUNK]
        piece[:] = rng.integers(classes, size=piece.shape)
        piece[1:] = np.where(rng.random(piece[1:].shape) < 0.8, piece[0], piece[1:])
    return table


def of_numpy(table: np.ndarray, classes: int) -> Ways:
    return (
        lambda: rw.Outcomes.from_arrays(*table),
        lambda: np.bincount(np.ravel_multi_index(tuple(table), (classes,) * 3), minlength=classes**3),
        "ravel_multi_index, bincount",
    )


def of_polars(table: np.ndarray, _: int) -> Ways:
    import polars as pl

    frame = pl.DataFrame(dict(zip(NAMES, table, strict=True)))
    return lambda: read(frame), lambda: frame.group_by(NAMES).len(), "polars group_by"


def of_pyarrow(table: np.ndarray, _: int) -> Ways:
    import pyarrow as pa

    pa.set_cpu_count(1)
    frame = pa.table(dict(zip(NAMES, table, strict=True)))
    return lambda: read(frame), lambda: frame.group_by(NAMES).aggregate([([], "count_all")]), "pyarrow group_by"


def read(frame: Any) -> rw.Outcomes:
    return rw.read_outcomes(frame, truth="y", predictions=["a", "b"])


SOURCES = {"numpy": of_numpy, "polars": of_polars, "pyarrow": of_pyarrow}


def main(source: str, dtype: str, classes: int) -> None:
    prepare = SOURCES[source]
    warm_up, _, _ = prepare(columns(1_000, dtype, classes), classes)
    warm_up()  # imports are not what is measured
    table = columns(ROWS, dtype, classes)
    size = table.nbytes
    ours, theirs, peer = prepare(table, classes)
    del table
    growth, seen = peak_growth(ours)
    seconds, peer_seconds = alternate(ours, theirs, repeats=5)
    found = {
        "cpu": seconds, "peer": peer, "peer_cpu": peer_seconds, "growth": growth, "input": size, "seen": seen,
    }  # fmt: skip
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
