"""Counting 10 million rows of three integer columns: time, and memory beyond the data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from measure import child
from table import Row, installed

CHILD = Path(__file__).with_name("counting_child.py")
CASES = [(source, "int64", classes) for source in ("numpy", "polars", "pyarrow") for classes in (2, 20)]
FOR_INFORMATION = [("numpy", "int8", 2), ("numpy", "int8", 20)]


def rows() -> Iterator[Row]:
    """Measure each kind of input in a process of its own."""
    for case in (*CASES, *FOR_INFORMATION):
        source, dtype, classes = case
        what = f"count 10 M rows, {source} {dtype}, {classes} classes"
        if not installed(source):
            yield Row(what=what, missing=source)
            continue
        output, _ = child(str(CHILD), source, dtype, str(classes))
        found = json.loads(output)
        yield Row(
            what=what,
            measured=found["cpu"],
            peer=found["peer"],
            peer_measured=found["peer_cpu"],
            max_measured=1.0 if case in CASES else None,
        )
        yield Row(
            what=f"  memory beyond the input ({found['seen']})",
            measured=found["growth"],
            unit="B",
            peer="input",
            peer_measured=found["input"],
            max_ratio=0.5 if case in CASES else None,
        )
