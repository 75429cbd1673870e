"""What `import ropewalk` costs, next to what it is built on."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from measure import child
from table import Row

REPEATS = 15
IMPORTS = ("ropewalk", "numpy, scipy.special, narwhals", "numpy")


def rows() -> Iterator[Row]:
    """Measure the statements in fresh processes that take turns; the first turn warms the disk's cache."""
    turns = [[_seconds(modules) for modules in IMPORTS] for _ in range(1 + REPEATS)]
    ours, stack, numpy = (median(times) for times in zip(*turns[1:], strict=True))
    yield Row(
        what="import ropewalk",
        measured=ours,
        peer="numpy, scipy.special, narwhals",
        peer_measured=stack,
        max_ratio=1.25,
    )
    yield Row(what="import ropewalk", measured=ours, peer="numpy", peer_measured=numpy)


def _seconds(modules: str) -> float:
    """Return the CPU seconds of the import statement alone, without Python's own start."""
    code = f"from time import process_time; start = process_time(); import {modules}; print(process_time() - start)"
    return float(child("-c", code)[0])
