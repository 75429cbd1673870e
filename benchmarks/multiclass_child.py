"""Draw in this process: `multiclass_child.py draw|threads|peer CASE DRAWS` prints JSON."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse
import scipy.special  # noqa: F401 - imports are not what is measured
from measure import alternate, cpu
from memory import peak_growth
from peers import macro_study

import ropewalk as rw
from ropewalk.metrics.registry import parse_metric
from ropewalk.models import Bootstrap, Icdm2015, Model, Multilabel, Tree, draw_psi

A, B = "nb_mult", "svm_l2"
SLOW = 5.0
"""CPU seconds from which once is enough."""

Tables = Sequence[rw.Outcomes | rw.MultilabelOutcomes]
Case = tuple[Tables, Callable[..., Any]]
"""The data, and the function of them and of `draws` and `threads` that is measured."""


def draw(tables: Tables, *, model: Model, metric: str = "macro_f1", draws: int, threads: int = 1) -> Any:
    posteriors = [model.fit(table) for table in tables]
    return draw_psi(posteriors, parse_metric(metric), stop=draws, seed=0, threads=threads)


def compare(tables: Tables, *, draws: int, threads: int = 1) -> Any:
    return rw.compare(
        *tables, model="icdm2015", metric="macro_f1", rope=0.005, draws=draws, threads=threads, rng=next(SEEDS)
    )


def rank(tables: Tables, *, draws: int) -> Any:  # noqa: ARG001 - as many as it takes by default
    return rw.rank(*tables, metric="macro_f1", rope=0.01, rng=next(SEEDS))


SEEDS = iter(range(1_000))
"""A new seed each time, lest the draws of the prior be kept."""


def matrices() -> Tables:
    """Return the published confusion matrices of two classifiers, 20 classes."""
    found = rw.examples.icdm2015_matrices()
    return [found[A], found[B]]


def zipf(n_labels: int, n_items: int) -> rw.Outcomes:
    """Make two classifiers that are right 65 times in 100, for classes of which the j-th has a share of about 1/j.

    A wrong label is the k-th neighbour of the right one, again with a probability of about 1/k.
    """
    rng = np.random.default_rng(0)
    shares = 1.0 / np.arange(1, n_labels + 1)
    truth = rng.choice(n_labels, n_items, p=shares / shares.sum())
    predictions = []
    for _ in range(2):
        away = 1 + rng.choice(n_labels - 1, n_items, p=shares[:-1] / shares[:-1].sum())
        predictions.append(np.where(rng.random(n_items) < 0.65, truth, (truth + away) % n_labels))
    return rw.Outcomes.from_arrays(truth, *predictions, names=["A", "B"], labels=range(n_labels))


def five(n_labels: int, n_items: int = 900) -> Tables:
    """Make five classifiers that are right 85 to 95 times in 100, more often together than by chance."""
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, n_labels, n_items), rng.random(n_items)
    predictions = []
    for accuracy in np.linspace(0.85, 0.95, 5):
        trouble = 0.6 * hard + 0.4 * rng.random(n_items)
        right = trouble < np.quantile(trouble, accuracy)
        predictions.append(np.where(right, truth, (truth + rng.integers(1, n_labels, n_items)) % n_labels))
    return [rw.Outcomes.from_arrays(truth, *predictions, names=list("ABCDE"), labels=range(n_labels))]


def separate(outcomes: rw.Outcomes) -> Tables:
    return [outcomes.project([name]) for name in outcomes.names]


def news(*names: str) -> Tables:
    outcomes = rw.examples.news20().outcomes
    return [outcomes.project(names) if names else outcomes]


def reuters(*names: str) -> Tables:
    outcomes = rw.examples.reuters90()
    return [outcomes.project(names) if names else outcomes]


hierarchical = partial(draw, model=Icdm2015())
tree = partial(draw, model=Tree())
per_label = partial(draw, model=Multilabel())
bootstrap = partial(draw, model=Bootstrap(), metric="micro_f1")

CASES: dict[str, Callable[[], Case]] = {
    "icdm2015": lambda: (matrices(), hierarchical),
    "compare": lambda: (matrices(), compare),
    "icdm2015-118": lambda: (separate(zipf(118, 3_299)), hierarchical),
    "news2": lambda: (news(A, B), tree),
    "news4": lambda: (news(), tree),
    "sparse-100": lambda: ([zipf(100, 100_000)], tree),
    "sparse-300": lambda: ([zipf(300, 100_000)], tree),
    "sparse-1000": lambda: ([zipf(1_000, 100_000)], tree),
    "rank5-2": lambda: (five(2), rank),
    "rank5-10": lambda: (five(10), rank),
    "labels2": lambda: (reuters(A, B), per_label),
    "labels4": lambda: (reuters(), per_label),
    "bootstrap2": lambda: (reuters(A, B), bootstrap),
    "bootstrap4": lambda: (reuters(), bootstrap),
}


def measure_draws(case: str, draws: int) -> dict[str, Any]:
    """Measure the memory of a first run, which is the first to draw anything, and then the time."""
    tables, function = CASES[case]()
    ours = partial(function, tables, draws=draws)
    first = []
    growth, seen = peak_growth(lambda: first.append(cpu(ours)))
    seconds = first[0] if first[0] > SLOW else alternate(ours, repeats=3)[0]
    cells = sum(table.counts.size if isinstance(table, rw.Outcomes) else len(table.bits) for table in tables)
    return {"cpu": seconds, "growth": growth, "seen": seen, "cells": cells}


def measure_threads(case: str, draws: int) -> list[float]:
    """Return the wall-clock seconds of one thread and of two, each the best of five that take turns."""
    tables, function = CASES[case]()
    best = [float("inf")] * 2
    for _ in range(5):
        for i in (0, 1):
            start = perf_counter()
            function(tables, draws=draws, threads=i + 1)
            best[i] = min(best[i], perf_counter() - start)
    return best


def measure_peer(case: str, draws: int) -> dict[str, Any]:
    """Measure the peer's time and memory in a single run."""
    tables, _ = CASES[case]()
    warm_up = [[[2, 1], [1, 2]]] * 2
    macro_study(*warm_up, draws=100)()
    theirs = macro_study(*(table.confusion() for table in tables), draws=draws)
    seconds = []
    growth, seen = peak_growth(lambda: seconds.append(cpu(theirs)))
    return {"cpu": seconds[0], "growth": growth, "seen": seen}


WAYS = {"draw": measure_draws, "threads": measure_threads, "peer": measure_peer}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(WAYS[sys.argv[1]](sys.argv[2], int(sys.argv[3]))))
