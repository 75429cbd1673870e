"""The gate and a look of watch beside the comparison that they ask, the self-check, and pytest with the plugin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measure import alternate, child, cpu
from table import Row

import ropewalk as rw

N_ITEMS = 1_000
REPEATS = 9
NOTHING = "import pytest"
PLUGIN = "import pytest, ropewalk.pytest_plugin, sys; assert 'numpy' not in sys.modules"


def rows() -> Iterator[Row]:
    """Measure on a thousand items of two labels, and on right and wrong answers."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, N_ITEMS)
    new, old = (np.where(rng.random(N_ITEMS) < right, truth, 1 - truth) for right in (0.9, 0.85))
    table = rw.Outcomes.from_arrays(truth, new, old, names=["new", "old"])
    asked = {"metric": "accuracy", "margin": 0.02, "rng": 0}
    gate, compared = alternate(
        lambda: rw.gate(table, require="not-worse", **asked),
        lambda: rw.compare(table, goal="not-worse", **asked),
        repeats=REPEATS,
    )
    yield Row(what="gate, 1,000 items", measured=gate, peer="compare", peer_measured=compared, max_ratio=1.5)
    look, compared = alternate(
        lambda: rw.watch(table, require="not-worse", **asked),
        lambda: rw.compare(table, goal="not-worse", **asked),
        repeats=REPEATS,
    )
    yield Row(what="watch, one look", measured=look, peer="compare", peer_measured=compared, max_ratio=1.5)
    whole = cpu(lambda: rw.gate(table, require="not-worse", self_check=True, **asked))
    yield Row(what="gate --self-check, 2 truths × 1,000 studies", measured=whole, max_measured=15.0)
    plugin = min(child("-c", PLUGIN)[1] for _ in range(5))
    bare = min(child("-c", NOTHING)[1] for _ in range(5))
    yield Row(what="pytest plugin, unused", measured=plugin, peer="pytest alone", peer_measured=bare, max_ratio=1.3)
