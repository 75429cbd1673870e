"""Many classes, many labels, many classifiers: draws of an average, in CPU seconds on one thread and in memory.

prob_conf_mat needs about 17 GB for what it is asked here, so it is asked with `run.py --large` only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import child
from table import Row, installed

LARGE = "ROPEWALK_BENCH_LARGE"
"""The environment variable that `--large` sets."""

CHILD = Path(__file__).with_name("multiclass_child.py")
PEER, PEER_BYTES = "prob_conf_mat", 18e9
ENOUGH_THREADS = 1 / 1.6
FEW, MANY = 10_000, 50_000


def rows() -> Iterator[Row]:
    """Measure every case in a process of its own."""
    yield from _draws("icdm2015", "icdm2015, 20 classes, macro F1", most_seconds=1.5, most_bytes=250e6)
    yield _threads("icdm2015")
    yield from _draws("compare", "  the whole compare(), prior and all")

    ours = _measure("icdm2015-118", MANY)
    yield from _rows_of(ours, "icdm2015, 118 classes, macro F1", most_seconds=10.0, most_bytes=300e6)
    yield from _beside_peer(ours)

    yield from _draws("news2", "paired tree, 20 classes, macro F1", most_seconds=5.0)
    yield _threads("news2")
    for n_classes in (100, 300):
        yield from _draws(f"sparse-{n_classes}", f"paired tree, {n_classes} classes, 10,000 draws", draws=FEW)
    yield from _draws(
        "sparse-1000", "paired tree, 1000 classes, 10,000 draws", draws=FEW, most_seconds=60.0, most_bytes=600e6
    )
    yield from _draws("news4", "tree of 4 classifiers, 20 classes, macro F1")
    for n_classes in (2, 10):
        what = f"rank of 5 classifiers, 900 items, {n_classes} classes"
        yield from _draws(f"rank5-{n_classes}", what, most_seconds=2.0)
    yield from _draws("labels2", "90 labels, per label, macro F1")
    yield from _draws("labels4", "90 labels, per label, 4 classifiers, macro F1")
    yield from _draws("bootstrap2", "90 labels, bootstrap, micro F1")
    yield from _draws("bootstrap4", "90 labels, bootstrap, 4 classifiers, micro F1")


def _measure(case: str, draws: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(child(str(CHILD), "draw", case, str(draws))[0])
    return found


def _draws(
    case: str, what: str, draws: int = MANY, most_seconds: float | None = None, most_bytes: float | None = None
) -> Iterator[Row]:
    yield from _rows_of(_measure(case, draws), what, most_seconds, most_bytes)


def _rows_of(
    found: dict[str, Any], what: str, most_seconds: float | None = None, most_bytes: float | None = None
) -> Iterator[Row]:
    yield Row(what=what, measured=found["cpu"], max_measured=most_seconds)
    yield Row(
        what=f"  memory ({found['seen']}); {found['cells']:,} cells",
        measured=found["growth"],
        unit="B",
        max_measured=most_bytes,
    )


def _threads(case: str) -> Row:
    """Return the wall-clock time of two threads beside that of one; other work on the machine would show in it."""
    what = "  wall-clock of two threads"
    if len(os.sched_getaffinity(0)) == 1:
        return Row(what=what, skipped="there is a single core")
    one, two = json.loads(child(str(CHILD), "threads", case, str(MANY))[0])
    return Row(what=what, measured=two, peer="one thread", peer_measured=one, max_ratio=ENOUGH_THREADS)


def _beside_peer(ours: dict[str, Any]) -> Iterator[Row]:
    """Measure the same question asked of prob_conf_mat under its flat prior, once: it takes minutes."""
    labels = {"peer": f"{PEER}, flat prior"}
    time = {**labels, "what": "  beside the peer", "measured": ours["cpu"], "max_ratio": 1 / 12}
    space = {**labels, "what": "  memory beside the peer", "measured": ours["growth"], "unit": "B", "max_ratio": 1 / 40}
    reason = {}
    if not installed(PEER):
        reason = {"missing": PEER}
    elif not os.environ.get(LARGE):
        reason = {"skipped": "it needs 17 GB of memory and minutes; --large asks for it"}
    elif _available() < PEER_BYTES:
        reason = {"skipped": f"it needs 18 GB of memory, and {_available() / 1e9:.0f} GB are available"}
    if reason:
        yield Row(**time, **reason)
        yield Row(**space, **reason)
        return
    theirs = json.loads(child(str(CHILD), "peer", "icdm2015-118", str(MANY))[0])
    yield Row(**time, peer_measured=theirs["cpu"])
    yield Row(**space, peer_measured=theirs["growth"])


def _available() -> int:
    """Return how many bytes of memory are available."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
