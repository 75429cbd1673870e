"""Scores: the Bayesian bootstrap of AUC and average precision of two systems, in CPU seconds and in memory.

The peer is the loop that one writes around scikit-learn's roc_auc_score: it is measured on few rounds, and its time is
scaled to as many as ours. With `run.py --large` a million items are drawn 2,000 times, which takes a minute or so, and
ten million are taken by their influence values.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import alternate, child
from multiclass import LARGE
from reading import usage
from scores_child import binormal
from table import Row, installed

import ropewalk as rw
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import generator
from ropewalk.models import Bootstrap

CHILD = Path(__file__).with_name("scores_child.py")
AREAS = {"roc_auc": "AUC", "average_precision": "AP"}
PEER, ENOUGH = "sklearn", 1 / 30

N_ITEMS, DRAWS, NANOSECONDS = 100_000, 200, 90
LARGE_ITEMS, LARGE_DRAWS, LARGE_SECONDS = 1_000_000, 2_000, 360.0
MOST_BYTES = 400e6
FEW, MANY = 40, 2_000  # rounds of the peer, and draws of ours
N_CLUSTERS = 200

MAKE = """
import sys, duckdb
n, folder = int(sys.argv[1]), sys.argv[2]
connection = duckdb.connect(folder + "/t.duckdb")
connection.execute("SET preserve_insertion_order = false; SET memory_limit = '2GB'")
connection.execute(f'''CREATE TABLE t AS
    SELECT i AS id, repeat('text ', 9) || h % 7 AS t, CASE WHEN p THEN 'yes' ELSE 'no' END AS y,
        .80 * h2 / 1.9e19 + CASE WHEN p THEN .20 ELSE 0 END AS a,
        .85 * h3 / 1.9e19 + CASE WHEN p THEN .15 ELSE 0 END AS b
    FROM (SELECT i, hash(i) AS h, hash(i) % 10 < 3 AS p, hash(i + 1000000007) AS h2, hash(i + 2000000011) AS h3
          FROM range({n}) AS t(i))''')
for name in ("parquet", "csv"):
    connection.execute(f"COPY t TO '{folder}/t.{name}' (FORMAT {name})")
"""

Arrays = tuple[Any, Any, Any]
"""The truth, and the scores of two systems."""


def rows() -> Iterator[Row]:
    """Measure the time a draw, the memory, the peer, and what clusters add."""
    yield from _areas()
    yield from _memory()
    yield from _large()
    yield from _at_scale()
    yield from _beside_peer("10,000 items", binormal(10_000, 0.1))
    scores = rw.examples.news20().scores_class8
    yield from _beside_peer("7,532 newsgroup items", (scores["y_true"], scores["nb_mult"], scores["svm_l2"]))
    yield from _clusters()


def compare(*arrays: Any, draws: int, **options: Any) -> None:
    """Compare two systems by both areas, the weights of all items drawn."""
    for metric in AREAS:
        rw.compare(*arrays, metric=metric, draws=draws, exact=True, rng=0, **options)


def per_draw(seconds: float, draws: int = DRAWS) -> str:
    return f"{seconds / (N_ITEMS * draws) * 1e9:.0f} ns an item a draw"


def _areas() -> Iterator[Row]:
    """Both areas of two systems, the whole call: what is sorted and checked beforehand is in it."""
    for prevalence in (0.01, 0.1, 0.5):
        for digits in (None, 2):
            arrays = binormal(N_ITEMS, prevalence, digits=digits)
            (seconds,) = alternate(partial(compare, *arrays, draws=DRAWS), repeats=3)
            ties = "" if digits is None else ", ties"
            yield Row(
                what=f"AUC + AP, {prevalence:.0%} positive{ties}: {per_draw(seconds)}",
                measured=seconds,
                max_measured=NANOSECONDS * 1e-9 * N_ITEMS * DRAWS,
            )


def _ask(way: str, **case: Any) -> Any:
    return json.loads(child(str(CHILD), way, json.dumps(case))[0])


def _memory() -> Iterator[Row]:
    """A million items; then clusters, whose weights are few, and whose items are many all the same."""
    for metric, short in AREAS.items():
        for threads, draws in ((1, 10), (1, 100), (2, 10), (4, 10)):
            found = _ask("memory", n_items=LARGE_ITEMS, metric=metric, draws=draws, threads=threads)
            what = f"{short}, 10⁶ items, {draws} draws, {threads} thread{'s' * (threads > 1)}"
            yield Row(what=f"{what}: memory", measured=found["growth"], unit="B", max_measured=MOST_BYTES)
            yield Row(what="  of the whole process", measured=found["whole"], unit="B")
        found = _ask("memory", n_items=N_ITEMS, metric=metric, draws=10, clusters=N_CLUSTERS)
        yield Row(
            what=f"{short}, 10⁵ items in {N_CLUSTERS} clusters: memory",
            measured=found["growth"],
            unit="B",
            max_measured=MOST_BYTES,
        )


def _large() -> Iterator[Row]:
    what, more = "  wall-clock of two threads, draws alone", f"AUC, 10⁶ items, {LARGE_DRAWS:,} draws, 2 threads: wall"
    if len(os.sched_getaffinity(0)) == 1:
        yield Row(what=what, skipped="there is a single core")
    else:
        for metric, short in AREAS.items():
            one, two = _ask("threads", n_items=LARGE_ITEMS, metric=metric, draws=60)
            yield Row(what=f"{what}: {short}", measured=two, peer="one thread", peer_measured=one)
    if not os.environ.get(LARGE):
        yield Row(what=more, skipped="it takes a minute or so; --large asks for it")
        return
    for metric, short in AREAS.items():
        found = _ask("wall", n_items=LARGE_ITEMS, metric=metric, draws=LARGE_DRAWS, threads=2)
        yield Row(what=more.replace("AUC", short), measured=found["wall"], max_measured=LARGE_SECONDS)
        yield Row(what="  CPU", measured=found["cpu"])


def _at_scale() -> Iterator[Row]:
    """Influence values beside all weights, which are drawn a hundredth as often and scaled; then ten million items."""
    arrays = binormal(N_ITEMS, 0.1)
    for metric, short in AREAS.items():
        few, many = (partial(rw.compare, *arrays, metric=metric, rng=0, exact=exact) for exact in (False, True))
        ours, theirs = alternate(partial(few, draws=50_000), partial(many, draws=500), repeats=3)
        yield Row(
            what=f"{short}, 10⁵ items, 50,000 draws by influence values",
            measured=ours,
            peer="all weights drawn, 500 × 100",
            peer_measured=100 * theirs,
            max_ratio=1 / 50,
        )
    if not os.environ.get(LARGE):
        yield Row(what="AUC, 10⁷ items", skipped="it takes 2 GB; --large asks for it")
        return
    found = _ask("wall", n_items=10_000_000, metric="roc_auc", draws=50_000, exact=False)
    yield Row(what="AUC, 10⁷ items, 50,000 draws: CPU", measured=found["cpu"], max_measured=20.0)
    yield from _from_files()


def _from_files() -> Iterator[Row]:
    """AUC of ten million items by the whole command, from files of which most is not asked for."""
    if not installed("duckdb"):
        yield Row(what="AUC, 10⁷ rows of files", missing="duckdb")
        return
    with tempfile.TemporaryDirectory() as folder:
        usage([sys.executable, "-c", MAKE, "10000000", folder])
        for name, more in (("t.parquet", []), ("t.csv", []), ("t.duckdb", ["--sql", "SELECT * FROM t"])):
            command = [sys.executable, "-m", "ropewalk", "compare", str(Path(folder, name)), *more, "--truth", "y"]
            command += ["--pos-label", "yes", "--a", "a", "--b", "b", "--metric", "roc_auc", "--seed", "0", "--json"]
            seconds, memory = usage(command)
            yield Row(what=f"AUC, 10⁷ rows of {name}: CPU", measured=seconds, max_measured=20.0)
            yield Row(what="  its memory", measured=memory, unit="B", max_measured=2.5e9)


def weighting(arrays: Arrays, rounds: int) -> Callable[[], Any]:
    """Return the Bayesian bootstrap as a loop: weights are drawn, and scikit-learn is called with them."""
    from sklearn.metrics import roc_auc_score

    truth, a, b = arrays

    def loop() -> list[float]:
        rng = np.random.default_rng(0)
        found = []
        for _ in range(rounds):
            weight = rng.standard_exponential(truth.size)
            found.append(roc_auc_score(truth, a, sample_weight=weight) - roc_auc_score(truth, b, sample_weight=weight))
        return found

    return loop


def resampling(arrays: Arrays, rounds: int) -> Callable[[], Any]:
    """Return the classical bootstrap as a loop: items are drawn, and scikit-learn is called with them."""
    from sklearn.metrics import roc_auc_score

    truth, a, b = arrays

    def loop() -> list[float]:
        rng = np.random.default_rng(0)
        found = []
        for _ in range(rounds):
            items = rng.integers(0, truth.size, truth.size)
            found.append(roc_auc_score(truth[items], a[items]) - roc_auc_score(truth[items], b[items]))
        return found

    return loop


def by_hand(arrays: Arrays, rounds: int) -> Callable[[], Any]:
    """Return the loop of one who knows: items are sorted once, and a draw is a cumulative sum; ties are let pass."""
    truth, *scores = arrays

    def loop() -> list[float]:
        rng = np.random.default_rng(0)
        ordered = []
        for score in scores:
            order = np.argsort(-score)
            ordered.append((order, truth[order] == 1))
        found = []
        for _ in range(rounds):
            weight = rng.standard_exponential(truth.size)
            areas = []
            for order, positive in ordered:
                mine = weight[order]
                above = np.cumsum(np.where(positive, mine, 0.0))
                lost = np.where(positive, 0.0, mine)
                areas.append((above @ lost) / (above[-1] * lost.sum()))
            found.append(areas[0] - areas[1])
        return found

    return loop


def _check(arrays: Arrays) -> None:
    """Make sure that the draws of the whole call are what scikit-learn makes of the same weights."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    items = ItemScores.from_arrays(*arrays)
    posterior = Bootstrap().fit(items)
    weights = posterior.block(generator(0, 0, 0), posterior.block_size).weights[:, :5]
    for metric, theirs in (("roc_auc", roc_auc_score), ("average_precision", average_precision_score)):
        drawn = rw.compare(*arrays, metric=metric, draws=DRAWS, rng=0).draws.psi[:, :5]
        expected = [[theirs(items.truth, each, sample_weight=w) for w in weights.T] for each in items.values]
        if not np.allclose(drawn, expected, rtol=0, atol=1e-12):
            raise RuntimeError(f"Expected the same {metric} for the same weights; got {drawn} and {expected}.")


def _beside_peer(whose: str, arrays: Arrays) -> Iterator[Row]:
    ours = partial(rw.compare, *arrays, metric="roc_auc", draws=MANY, rng=0)
    row = partial(Row, what=f"AUC, {whose}, {MANY:,} draws", max_ratio=ENOUGH)
    ways = {f"{PEER}, weights": weighting, f"{PEER}, resampled": resampling}
    if not installed(PEER):
        for name in ways:
            yield row(peer=name, missing="scikit-learn")
    else:
        _check(arrays)
        for name, way in ways.items():
            mine, theirs = alternate(ours, way(arrays, FEW), repeats=3)
            yield row(measured=mine, peer=f"{name}, {FEW} × {MANY // FEW}", peer_measured=theirs * (MANY // FEW))
    mine, theirs = alternate(ours, by_hand(arrays, MANY), repeats=3)
    yield Row(what="  beside a loop of NumPy calls", measured=mine, peer="by hand, no ties", peer_measured=theirs)


def _clusters() -> Iterator[Row]:
    """Whole clusters are re-weighted: fewer random numbers, the same sums."""
    arrays = binormal(N_ITEMS, 0.1)
    ids = np.arange(N_ITEMS) % N_CLUSTERS
    for draws in (DRAWS, 2_500):
        together, alone = alternate(
            partial(compare, *arrays, draws=draws, cluster=ids), partial(compare, *arrays, draws=draws), repeats=3
        )
        yield Row(
            what=f"{N_CLUSTERS} clusters, {draws:,} draws: {per_draw(together, draws)}",
            measured=together,
            peer=f"items, {per_draw(alone, draws)}",
            peer_measured=alone,
        )
