"""Power: the whole of SIGIR Table 3, on one thread and on two, and by the papers' own sampler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from measure import cpu
from peers import metropolis
from table import Row, installed

import ropewalk as rw
from ropewalk.papers import SIGIR_SCENARIOS, sigir2016_power

CELLS, SIMULATIONS, CHAIN = 28, 1_000, 50_000
HANDFUL = 3
BEST_OF = 5


def rows() -> Iterator[Row]:
    """Measure 28 cells × 1,000 simulations × 2,000 draws."""
    list(sigir2016_power(simulations=20, progress=False))
    whole = cpu(lambda: list(sigir2016_power(simulations=SIMULATIONS, progress=False)))
    yield Row(what="Table 3: 28 cells × 1,000 × 2,000 draws", measured=whole, max_measured=25.0)
    row = partial(
        Row, what="Table 3", measured=whole, peer=f"PyMC Metropolis, from {HANDFUL} of 28,000", max_ratio=1 / 500
    )
    yield row(peer_measured=CELLS * SIMULATIONS * _chain()) if installed("pymc") else row(missing="pymc")

    power = partial(rw.power, SIGIR_SCENARIOS["a"], [500, 1_000, 2_000], goal="A≫B", rope=0.05, rng=0, progress=False)
    one, two = (min(_wall(partial(power, threads=threads)) for _ in range(BEST_OF)) for threads in (1, 2))
    yield Row(
        what="power(), two threads, wall clock", measured=two, peer="one thread", peer_measured=one, max_ratio=1 / 1.6
    )
    asked = partial(rw.plan, SIGIR_SCENARIOS["a"], goal="A≫B", rope=0.05, rng=0, progress=False)
    yield Row(what="plan(): n for 80% power, 4,000 simulations", measured=median(cpu(asked) for _ in range(3)))


def _wall(function: Callable[[], Any]) -> float:
    start = perf_counter()
    function()
    return perf_counter() - start


def _chain() -> float:
    """Return the CPU seconds of one chain of the papers' length, the mean of a handful; compiling is not counted."""
    rng = np.random.default_rng(0)
    scenario, taken = SIGIR_SCENARIOS["a"], []
    for n in (500, 2_000, 3_500)[:HANDFUL]:
        positives = int(rng.binomial(n, scenario.prevalence))
        split = ((positives, scenario.positive), (n - positives, scenario.negative))
        counts = [rng.multinomial(k, pairs).tolist() for k, pairs in split]
        sample = metropolis(positive=counts[0], negative=counts[1])
        sample(10)
        taken.append(cpu(lambda sample=sample: sample(CHAIN + 10)) - cpu(lambda sample=sample: sample(10)))
    return float(np.mean(taken))
