"""One paired comparison, N = 7,532: ours, the papers' way, and the nearest other library."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count

import numpy as np
from measure import alternate, cpu
from peers import metropolis, unpaired_study
from table import Row, installed

import ropewalk as rw

A, B, CLASS, DRAWS = "nb_mult", "svm_l2", 8, 50_000
REPEATS = 31
MANY_RUNS, FEW_RUNS, ITEMS, DRAWS_OF_RUNS = 40, 10, 2_000, 5_000


def rows() -> Iterator[Row]:
    """Measure `compare`: draws, three HDIs with their errors, Bayes factors and the verdict."""
    outcomes = rw.examples.news20().outcomes
    binary = outcomes.project([A, B]).collapse(CLASS)
    ask = partial(rw.compare, outcomes, a=A, b=B, pos_label=CLASS, rope=0.05, draws=DRAWS)
    ours = partial(ask, rng=0)  # the same seed again: the draws of the prior are kept

    (warm,) = alternate(ours, repeats=REPEATS)
    row = partial(Row, what="compare()", measured=warm, peer="PyMC Metropolis", max_ratio=1 / 400)
    if installed("pymc"):
        yield row(peer_measured=_sampling(binary))
    else:
        yield row(missing="pymc")

    row = partial(Row, what="compare()", measured=warm, peer="prob_conf_mat, unpaired", max_ratio=1.0)
    if installed("prob_conf_mat"):
        theirs = unpaired_study(binary.confusion(A).tolist(), binary.confusion(B).tolist(), DRAWS)
        warm, other = alternate(ours, theirs, repeats=REPEATS)
        yield row(measured=warm, peer_measured=other)
    else:
        yield row(missing="prob_conf_mat")

    seeds = count(1)
    fresh, warm = alternate(lambda: ask(rng=next(seeds)), ours, repeats=REPEATS // 2)
    yield Row(what="compare(), new seed: the prior is drawn too", measured=fresh, peer="compare()", peer_measured=warm)
    yield _runs()


def _runs() -> Row:
    """Measure two methods by many runs beside the same by few, on the same items and draws."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=ITEMS)
    a, b = (np.where(rng.random((MANY_RUNS, ITEMS)) < share, truth, 1 - truth) for share in (0.9, 0.88))
    ask = partial(rw.compare, truth, runs="independent", metric="accuracy", draws=DRAWS_OF_RUNS, rng=0)
    many, few = alternate(lambda: ask(a, b), lambda: ask(a[:FEW_RUNS], b[:FEW_RUNS]), repeats=3)
    return Row(
        what=f"compare(runs=), {MANY_RUNS} runs of each × {ITEMS:,} items",
        measured=many,
        peer=f"{FEW_RUNS} runs of each",
        peer_measured=few,
        max_ratio=1.5 * MANY_RUNS / FEW_RUNS,
    )


def _sampling(binary: rw.Outcomes) -> float:
    """Return the CPU seconds of the papers' draws alone: a run less a run of ten draws, which compiles as much."""
    pairs = [[0] * 4, [0] * 4]
    for (truth, a, b), number in zip(binary.codes.tolist(), binary.counts.tolist(), strict=True):
        pairs[truth][3 - 2 * a - b] = number
    sample = metropolis(positive=pairs[1], negative=pairs[0])
    sample(10)
    compiling = min(cpu(lambda: sample(10)) for _ in range(3))
    return min(cpu(lambda: sample(DRAWS + 10)) for _ in range(2)) - compiling
