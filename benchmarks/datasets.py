"""Many data sets and tasks: signed ranks beside baycomp and the plain sum over pairs, folds, rankings and suites."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from statistics import median

import numpy as np
from measure import cpu
from table import Row, installed

import ropewalk as rw

DATASETS, DRAWS, ROPE = 54, 50_000, 0.01
CLASSIFIERS, MANY, TASKS, ITEMS = 12, 1_000, 50, 200
PLAIN_DRAWS = 1_000  # of the plain sum, whose cost is scaled up


def rows() -> Iterator[Row]:
    """Measure each question once, after a short one that imports what is needed."""
    warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
    columns = rw.examples.uci_folds()
    nbc, hnb = (np.array(columns[name]).reshape(DATASETS, -1).mean(axis=1) for name in ("nbc", "hnb"))
    means = {"data": list(range(DATASETS)), "nbc": nbc, "hnb": hnb}
    asked = partial(rw.compare_datasets, dataset="data", a="nbc", b="hnb", rope=ROPE, rng=0)
    asked(means, draws=100)
    signed = median(cpu(lambda: asked(means, draws=DRAWS)) for _ in range(3))
    row = partial(Row, what=f"signed rank: {DATASETS} data sets × {DRAWS:,} draws", measured=signed)
    plain = _plain(nbc - hnb) * DRAWS / PLAIN_DRAWS
    yield row(peer="plain sum over pairs, NumPy", peer_measured=plain, max_ratio=1 / 3)
    if installed("baycomp"):
        from baycomp import two_on_multiple

        theirs = cpu(lambda: two_on_multiple(nbc, hnb, rope=ROPE, nsamples=DRAWS))
        yield row(peer="baycomp", peer_measured=theirs, max_ratio=1 / 5)
    else:
        yield row(missing="baycomp")

    folds = {"dataset": "dataset", "fold": "fold", "repeat": "repeat", "rope": ROPE, "rng": 0}
    whole = cpu(lambda: rw.compare_datasets(columns, a="hnb", b="nbc", **folds))
    yield Row(what=f"hierarchical: {DATASETS} data sets × 100 folds", measured=whole, max_measured=5.0)

    rng = np.random.default_rng(0)
    names = [f"c{k}" for k in range(CLASSIFIERS)]
    table = {"data": list(range(MANY)), **{name: 0.8 + rng.normal(0, 0.05, MANY) for name in names}}
    ranked = cpu(lambda: rw.rank_datasets(table, dataset="data", scores=names, rope=ROPE, rng=0))
    yield Row(
        what=f"rank_datasets(): {CLASSIFIERS} classifiers × {MANY:,} data sets", measured=ranked, max_measured=15.0
    )

    tasks = np.repeat([f"t{k}" for k in range(TASKS)], ITEMS)
    right = {name: (rng.random(tasks.size) < share).astype(int) for name, share in (("a", 0.8), ("b", 0.78))}
    items = {"task": tasks.tolist(), "truth": [1] * tasks.size, **{name: one.tolist() for name, one in right.items()}}
    suite = partial(rw.compare, task="task", truth="truth", a="a", b="b", metric="accuracy", rope=ROPE, rng=0)
    for over in ("these", "tasks"):
        taken = cpu(lambda over=over: suite(_frame(items), over=over))
        yield Row(what=f"suite of {TASKS} tasks × {ITEMS} items, {over}", measured=taken)


def _frame(columns: dict[str, list[object]]) -> object:
    from polars import DataFrame

    return DataFrame(columns)


def _plain(z: np.ndarray) -> float:
    """Return the CPU seconds of signed ranks by all pairs of data sets, draw by draw."""
    z = np.concatenate([[0.0], z])
    middle = (z[:, None] + z) / 2
    above, below = (middle > ROPE).astype(float), (middle < -ROPE).astype(float)
    rng = np.random.default_rng(0)

    def draw() -> None:
        weights = rng.dirichlet(np.r_[0.5, np.ones(z.size - 1)], PLAIN_DRAWS)
        for one in weights:
            pairs = np.outer(one, one)
            (pairs * above).sum(), (pairs * below).sum()

    return cpu(draw)
