"""Compare scores in this process: `scores_child.py memory|wall|threads CASE` prints JSON; CASE is JSON, see `Case`."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np
import scipy.sparse
import scipy.special
import scipy.stats  # noqa: F401 - imports are not what is measured
from memory import _resident, peak_growth

import ropewalk as rw
from ropewalk.data.scores import ItemScores
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models import Bootstrap, draw_psi

TOGETHER = 0.6
"""The correlation of two systems' scores within a class."""

SMALL = 2_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """How many items, in how many clusters if in any, what is asked of them, and with how many threads."""

    n_items: int
    metric: str
    draws: int
    threads: int = 1
    clusters: int = 0
    prevalence: float = 0.1
    exact: bool = True

    def options(self) -> dict[str, Any]:
        clusters = {"cluster": np.arange(self.n_items) % self.clusters} if self.clusters else {}
        return {"metric": self.metric, "exact": self.exact, "rng": 0, **clusters}


def binormal(n_items: int, prevalence: float, *, digits: int | None = None) -> tuple[Any, Any, Any]:
    """Return the truth and two systems' scores, normal within each class, positives 1.2 and 1.0 higher."""
    rng = np.random.default_rng(0)
    truth = (rng.random(n_items) < prevalence).astype(np.int64)
    common = np.sqrt(TOGETHER) * rng.standard_normal(n_items)
    scores = []
    for shift in (1.2, 1.0):
        score = rng.standard_normal(n_items)
        score *= np.sqrt(1 - TOGETHER)
        score += common
        score += shift * truth
        scores.append(score if digits is None else score.round(digits))
    return truth, scores[0], scores[1]


def measure_memory(case: Case) -> dict[str, Any]:
    """Measure by how much memory grows beyond the data and the imports, and the whole process at its peak."""
    arrays = binormal(case.n_items, case.prevalence)
    options = case.options()
    some = {name: value[:SMALL] if name == "cluster" else value for name, value in options.items()}
    rw.compare(*(array[:SMALL] for array in arrays), draws=2, **some)
    before = _resident("VmRSS")
    growth, seen = peak_growth(lambda: rw.compare(*arrays, draws=case.draws, threads=case.threads, **options))
    return {"growth": growth, "whole": before + growth, "seen": seen}


def measure_wall(case: Case) -> dict[str, float]:
    """Measure one call: by the clock, and in CPU seconds."""
    arrays = binormal(case.n_items, case.prevalence)
    wall, cpu = perf_counter(), process_time()
    rw.compare(*arrays, draws=case.draws, threads=case.threads, **case.options())
    return {"wall": perf_counter() - wall, "cpu": process_time() - cpu}


def measure_threads(case: Case) -> list[float]:
    """Return the wall-clock seconds of the draws alone with one thread and with two, each the best of five in turns."""
    items = ItemScores.from_arrays(*binormal(case.n_items, case.prevalence), cluster=case.options().get("cluster"))
    posterior, metric = Bootstrap().fit(items), SCORE_METRICS[case.metric]
    best = [float("inf")] * 2
    draw_psi([posterior], metric, stop=1, seed=0)  # what does not depend on the weights is prepared
    for _ in range(5):
        for i in (0, 1):
            start = perf_counter()
            draw_psi([posterior], metric, stop=case.draws, seed=0, threads=i + 1)
            best[i] = min(best[i], perf_counter() - start)
    return best


WAYS: dict[str, Callable[[Case], Any]] = {"memory": measure_memory, "wall": measure_wall, "threads": measure_threads}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(WAYS[sys.argv[1]](Case(**json.loads(sys.argv[2])))))
