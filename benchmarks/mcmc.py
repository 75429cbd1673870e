"""What a posterior costs: CPU seconds for a thousand effective draws, exactly and by Markov chains.

Exact draws are independent, so each counts as one; those of a chain count as their effective sample size for the mean
of the difference says (ArviZ). All is measured in one process and on one thread, the exact engine before and after
each sampler. Every figure is that of draws of the difference, metric included. A chain pays for its tuning; compiling
its program is measured beside it, from PyTensor's cache of compiled code where it has one.

    python benchmarks/mcmc.py

prints the table of docs/explain/exact-or-mcmc.md.
"""

from __future__ import annotations

import resource
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import process_time
from typing import Any

from table import Row, installed

import ropewalk as rw
from ropewalk.mcmc.chains import sample
from ropewalk.metrics.registry import parse_metric
from ropewalk.models import Icdm2015, Model, Sigir2016, Tree, draw_psi

A, B, CLASS = "nb_mult", "svm_l2", 8
THOUSAND = 1_000
PAPERS = "the papers' Metropolis"
LEAST_FASTER = 20_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """A question, and how many draws each way of answering it takes."""

    name: str
    tables: Callable[[], Sequence[rw.Outcomes]]
    model: Model
    metric: str
    exact: int
    nuts: int
    metropolis: int
    max_ratio: float | None = None


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What draws by one sampler cost, and what they are worth."""

    sampler: str
    draws: int
    ess: float
    drawing: float
    compiling: float
    exact: float

    @property
    def cost(self) -> float:
        """CPU seconds for a thousand effective draws."""
        return THOUSAND * self.drawing / self.ess

    @property
    def whole_cost(self) -> float:
        """The same with compiling."""
        return THOUSAND * (self.drawing + self.compiling) / self.ess


def binary() -> Sequence[rw.Outcomes]:
    return [rw.examples.news20().outcomes.project([A, B]).collapse(CLASS).relabel([0, 1])]


def twenty() -> Sequence[rw.Outcomes]:
    return [rw.examples.news20().outcomes.project([A, B])]


def matrices() -> Sequence[rw.Outcomes]:
    found = rw.examples.icdm2015_matrices()
    return [found[A], found[B]]


CASES = (
    Case(
        name="paired, two labels, F1", tables=binary, model=Sigir2016(), metric="f1",
        exact=1_000_000, nuts=10_000, metropolis=50_000, max_ratio=1 / LEAST_FASTER,
    ),
    Case(
        name="tree, 20 classes, macro F1", tables=twenty, model=Tree(), metric="macro_f1",
        exact=20_000, nuts=2_000, metropolis=20_000,
    ),
    Case(
        name="icdm2015, 20 classes, macro F1", tables=matrices, model=Icdm2015(), metric="macro_f1",
        exact=20_000, nuts=2_000, metropolis=20_000,
    ),
)  # fmt: skip


def rows() -> Iterator[Row]:
    """Measure every case: the exact engine's cost of a thousand effective draws beside that of chains."""
    if not installed("pymc"):
        yield Row(what="exact draws beside Markov chains", missing="pymc")
        return
    for case in CASES:
        for found in figures(case):
            limit = case.max_ratio if found.sampler == PAPERS else None
            what = f"1,000 effective draws: {case.name}"
            yield Row(
                what=what, measured=found.exact, peer=found.sampler, peer_measured=found.cost, max_ratio=limit
            )  # fmt: skip
            yield Row(what="  compiling counted", measured=found.exact, peer="", peer_measured=found.whole_cost)
        if not installed("nutpie"):
            yield Row(what=f"1,000 effective draws: {case.name}", peer="NUTS of nutpie", missing="nutpie")


def figures(case: Case) -> Iterator[Figure]:
    """Measure the samplers of a case, one after the other."""
    samplers = [
        (PAPERS, rw.Sampler(step="metropolis"), case.metropolis),
        ("NUTS of PyMC", rw.Sampler(backend="pymc"), case.nuts),
    ]
    if installed("nutpie"):
        samplers.append(("NUTS of nutpie", rw.Sampler(backend="nutpie"), case.nuts))
    for name, sampler, draws in samplers:
        yield figure(case, name, sampler, draws)


def figure(case: Case, name: str, sampler: rw.Sampler, draws: int) -> Figure:
    tables, metric = case.tables(), parse_metric(case.metric)
    if case.metric == "f1":
        metric = metric.at(1)

    def exact() -> None:
        draw_psi([case.model.fit(table) for table in tables], metric, stop=case.exact, seed=0)

    def run(how: rw.Sampler, number: int) -> Any:
        with warnings.catch_warnings(action="ignore"):
            chains = sample(case.model, tables, how, draws=number, seed=0)
            psi = chains.psi(metric)
        return chains.ess(psi[0] - psi[1])

    exact()
    before = [_cpu(exact)[0] for _ in range(3)]
    short = replace(sampler, n_chains=1, tune=0 if sampler.step == "metropolis" else 10)
    run(short, 10)  # from here on PyTensor finds its compiled code in the cache
    compiling = min(_cpu(lambda: run(short, 10))[0] for _ in range(2))
    whole, ess = _cpu(lambda: run(sampler, draws))
    after = [_cpu(exact)[0] for _ in range(3)]
    cost = THOUSAND * median([*before, *after]) / case.exact
    return Figure(
        sampler=name, draws=draws, ess=ess, drawing=whole - compiling, compiling=compiling, exact=cost
    )  # fmt: skip


def _cpu(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, those of compilers that it starts among them, and what it returned."""
    start = _now()
    found = function()
    return _now() - start, found


def _now() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def markdown() -> Iterator[str]:
    """Yield the lines of a table of effective draws a CPU second."""
    yield "| posterior | sampler | draws | effective | CPU s | compiling | effective a CPU s | exact is faster |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for case in CASES:
        for found in figures(case):
            rate, faster = THOUSAND / found.cost, found.cost / found.exact
            whole = found.whole_cost / found.exact
            yield (
                f"| {case.name} | {found.sampler} | {found.draws:,} | {found.ess:,.0f} | {found.drawing:.1f} | "
                f"{found.compiling:.1f} s | {_three(rate)} | {_three(faster)} × ({_three(whole)} × with compiling) |"
            )
        exact = THOUSAND / found.exact
        yield f"| {case.name} | **exact** | any | all | {found.exact:.2g} a thousand | – | {_three(exact)} | 1 |"


def _three(value: float) -> str:
    """Write a number to two digits, large ones with commas."""
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 10 else f"{value:.2g}"


if __name__ == "__main__":
    for line in markdown():
        print(line, flush=True)
