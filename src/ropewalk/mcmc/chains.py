"""Chains of draws as a posterior: tables, metrics and diagnostics come out of them as out of the exact engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

import ropewalk.mcmc.noise
import ropewalk.mcmc.own  # noqa: F401 - they register their programs
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.mcmc.diagnostics import Diagnostics, diagnose, effective
from ropewalk.mcmc.programs import Parameters, Program, check_tables, program_of
from ropewalk.mcmc.sampler import Sampled, Sampler, run_chains, run_prior
from ropewalk.metrics.margins import Tables
from ropewalk.models.posterior import AnyMetric
from ropewalk.models.protocol import Model, Posterior
from ropewalk.typing import DrawsLike, FloatArray

CHUNK: Final = 1_000
"""How many draws are turned into tables at once; each chunk has a generator of its own."""

PRIOR_DRAWS: Final = 20_000


@dataclass(frozen=True, eq=False)
class Chains:
    """Draws of a model's parameters by Markov chains, and the tables that they stand for.

    `parameters` are arrays (chains, draws, …), their further axes named by `dims` with the coordinates `coords`.
    """

    model: Model
    tables: tuple[Any, ...]
    sampled: Sampled
    sampler: Sampler
    seed: int

    @cached_property
    def program(self) -> Program:
        """The PyMC model, and the way from its draws to tables; made again where the chains were read from a file."""
        return program_of(self.model, self.tables, self.sampler.form)

    def __getstate__(self) -> dict[str, Any]:
        # A PyMC model and functions made on the way cannot be pickled.
        return {name: value for name, value in self.__dict__.items() if name not in {"program", "_flat"}}

    @property
    def parameters(self) -> dict[str, FloatArray]:
        """The draws of every parameter, (chains, draws, …)."""
        return self.sampled.parameters

    @property
    def shape(self) -> tuple[int, int]:
        """How many chains there are, and how many draws each has."""
        first = next(iter(self.parameters.values()))
        return first.shape[0], first.shape[1]

    def __len__(self) -> int:
        return self.shape[0] * self.shape[1]

    def chunks(self, most: int | None = None) -> Iterator[list[Tables]]:
        """Go through the draws as tables, chain after chain; `most` stops after so many draws, in whole chunks."""
        number = len(self) if most is None else min(most, len(self))
        return _chunks(self.program, self._flat, number, self.seed, streams.FILLED)

    @cached_property
    def _flat(self) -> dict[str, FloatArray]:
        return {name: array.reshape(len(self), *array.shape[2:]) for name, array in self.parameters.items()}

    def psi(self, metric: AnyMetric, prevalence: tuple[float, ...] | None = None) -> FloatArray:
        """Return the draws of a metric, (K, chains × draws)."""
        return _psi(self.chunks(), metric, prevalence)

    def ess(self, draws: FloatArray) -> float:
        """Return how many independent draws tell the mean of a number as well as these."""
        return effective(draws.reshape(self.shape))

    def diagnose(self, more: dict[str, FloatArray]) -> Diagnostics:
        """Judge the run by its parameters and by `more` numbers made of them, each (chains × draws,)."""
        made = {name: array.reshape(self.shape) for name, array in more.items()}
        return diagnose(self.parameters, made, self.sampled.stats, self.sampler, self.sampled.engine)

    def posteriors(self, n_tables: int) -> list[Posterior]:
        """Return what can be drawn from like an exact posterior, one a table: the chains' draws, picked at random."""
        return [_Picked(self, number) for number in range(n_tables)]

    def pick(self, rng: np.random.Generator, size: int) -> list[Tables]:
        """Return tables of draws that are picked at random."""
        rows = rng.integers(0, len(self), size)
        return self.program.tables(rng, {name: array[rows] for name, array in self._flat.items()})


@dataclass(frozen=True, eq=False)
class _Picked:
    """One table's part of the chains."""

    chains: Chains
    number: int

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return sum(int(array[0, 0].size) for array in self.chains.parameters.values())

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return CHUNK

    def block(self, rng: np.random.Generator, size: int) -> Tables:
        """Pick `size` draws."""
        return self.chains.pick(rng, size)[self.number]


def _chunks(program: Program, found: Parameters, number: int, seed: int, stream: int) -> Iterator[list[Tables]]:
    for chunk, start in enumerate(range(0, number, CHUNK)):
        part = {name: array[start : start + CHUNK] for name, array in found.items()}
        yield program.tables(generator(seed, stream, chunk), part)


def prior_tables(model: Model, empty: Sequence[Any], number: int, seed: int) -> Iterator[list[Tables]]:
    """Go through draws from the prior as tables, given tables without items."""
    program = program_of(model, empty, "counts")
    return _chunks(program, run_prior(program, number, seed), number, seed, streams.PRIOR_FILLED)


def prior_psi(
    model: Model, empty: Sequence[Any], metric: AnyMetric, prevalence: tuple[float, ...] | None, seed: int
) -> FloatArray:
    """Return draws of a metric under a prior that cannot be drawn from exactly, given tables without items."""
    return _psi(prior_tables(model, empty, PRIOR_DRAWS, seed), metric, prevalence)


def _psi(chunks: Iterator[list[Tables]], metric: AnyMetric, prevalence: tuple[float, ...] | None) -> FloatArray:
    shares = None if prevalence is None else np.array(prevalence)
    found = []
    for tables in chunks:
        moved = tables if shares is None else [table.at_prevalence(shares) for table in tables]
        found.append(np.concatenate([metric(table) for table in moved]))  # type: ignore[arg-type]
    return np.concatenate(found, axis=1)


def sample(
    model: Model, tables: Sequence[Any], sampler: Sampler, *, draws: DrawsLike, seed: int, cores: int = 1
) -> Chains:
    """Sample the posterior of a model given tables, by Markov chains."""
    check_tables(tables)
    program = program_of(model, tables, sampler.form)
    chains = Chains(model, tuple(tables), run_chains(program, sampler, draws, seed, cores), sampler, seed)
    chains.__dict__["program"] = program  # which need not be made twice
    return chains
