"""The paired permutation test of macro F1, N = 7,532, 20 classes: ours and mlxtend's; and the battery of other tests.

mlxtend goes through the items in Python and calls a function of both classifiers' answers a round, so it is measured
on few rounds, and its time is scaled to as many as ours; with `run.py --large` it is measured on all of them too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from measure import alternate, cpu
from multiclass import LARGE
from peers import counted_macro_f1, shuffling, sklearn_macro_f1, swapping
from table import Row, installed

import ropewalk as rw

A, B = "nb_mult", "svm_l2"
MANY, FEW = 10_000, 500
REPEATS, FEW_REPEATS = 15, 3
PEER, ENOUGH = "mlxtend", 1 / 30


def rows() -> Iterator[Row]:
    """Measure `permutation` from raw arrays and from counts, beside the peer, and `battery`."""
    news = rw.examples.news20()
    arrays = (news.y_true, news.predictions[A], news.predictions[B])
    ask = partial(rw.classical.permutation, metric="macro_f1", n_permutations=MANY, rng=0)
    ours = partial(ask, *arrays)

    raw, counted = alternate(ours, partial(ask, news.outcomes, a=A, b=B), repeats=REPEATS)
    yield Row(what=f"permutation(), macro F1, {MANY:,}: raw arrays", measured=raw, max_measured=1.2)
    yield Row(what="  from counted Outcomes", measured=counted, peer="raw arrays", peer_measured=raw, max_measured=1.2)
    for name, make in (("scikit-learn's f1_score", sklearn_macro_f1), ("macro F1 by bincount", counted_macro_f1)):
        row = partial(Row, what=f"  beside {PEER} with {name}", measured=raw, max_ratio=ENOUGH)
        few, many = f"{PEER}, {FEW} rounds × {MANY // FEW}", f"{PEER}, {MANY:,} rounds"
        if not installed(PEER):
            yield row(peer=few, missing=PEER)
            continue
        truth, a, b = arrays
        score = make(truth)
        seen, expected = ours().statistic, score(a) - score(b)
        if abs(seen - expected) > 1e-12:
            raise RuntimeError(f"Expected the same difference by {name}; got {seen} and {expected}.")
        # The observed difference is scaled along with the rounds, where a longer run has it once: 1 in 500.
        again, some = alternate(ours, swapping(a, b, score, rounds=FEW), repeats=FEW_REPEATS)
        yield row(measured=again, peer=few, peer_measured=some * (MANY // FEW))
        if os.environ.get(LARGE):
            yield row(measured=again, peer=many, peer_measured=cpu(swapping(a, b, score, rounds=MANY)))
        else:
            yield row(measured=again, peer=many, skipped="it takes a minute or so; --large asks for it")

    by_hand = shuffling(arrays[1], arrays[2], counted_macro_f1(arrays[0]), rounds=MANY)
    again, hand = alternate(ours, by_hand, repeats=FEW_REPEATS)
    yield Row(what="  beside a loop of NumPy calls", measured=again, peer="by hand, bincount", peer_measured=hand)

    (battery,) = alternate(partial(rw.classical.battery, news.outcomes, a=A, b=B), repeats=REPEATS)
    yield Row(what="battery(): nine tests, no permutations", measured=battery)
