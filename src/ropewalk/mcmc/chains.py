"""Chains of draws as a posterior: tables, metrics and diagnostics come out of them as out of the exact engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

import numpy as np

import ropewalk.mcmc.noise
import ropewalk.mcmc.own  # noqa: F401 - they register their programs
from ropewalk._optional import require
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.mcmc.programs import Parameters, Program, check_tables, program_of
from ropewalk.mcmc.running import Sampled, hushed, run_chains, run_prior
from ropewalk.mcmc.sampler import Sampler
from ropewalk.metrics.margins import Tables
from ropewalk.models import AnyMetric
from ropewalk.models.protocol import Model, Posterior
from ropewalk.text.remarks import wording
from ropewalk.typing import DrawsLike, FloatArray

MOST_RHAT: Final = 1.01
"""From here on chains disagree about a number that was asked for."""

MOST_RHAT_OF_MANY: Final = 1.05
"""The same for a parameter: there may be hundreds, and the largest R-hat of so many is above 1.01 by chance."""

LEAST_ESS: Final = 400
_ACCEPTANCE: Final = ("acceptance_rate", "mean_tree_accept", "accepted")  # as samplers call it
_MIN_DRAWS_PER_CHAIN: Final = 4  # with fewer, ArviZ has no diagnostics
_N_PIECES: Final = 4  # a single chain is cut into so many, which must agree as chains would


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """How far a run of Markov chains can be trusted.

    `rhat` is the worst over all parameters and over what was asked for, measured against its `rhat_limit`; `ess_bulk`
    and `ess_tail` are the worst over what was asked for, whose Monte Carlo error they decide. Whose they are stands
    beside them.
    """

    engine: str
    step: str
    chains: int
    draws: int
    tune: int
    rhat: float
    rhat_of: str
    rhat_limit: float
    ess_bulk: float
    ess_bulk_of: str
    ess_tail: float
    ess_tail_of: str
    divergences: int
    acceptance: float | None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, each with what to do about it."""
        problems = []
        longer = wording("tune and draw longer (tune=, draws=).")
        if self.divergences:
            cure = "raise target_accept (Sampler(target_accept=0.99)), or use a prior with less sharp corners"
            problems.append(f"{self.divergences:,} of {self.draws:,} draws diverged: {cure}.")
        if not np.isfinite(self.rhat):
            text = f"R-hat cannot be told for {self.rhat_of}, which never moved or has too few draws: "
            problems.append(text + longer)
        elif self.rhat > self.rhat_limit:
            chains = "the chains disagree" if self.chains > 1 else "parts of the chain disagree"
            text = f"R-hat is {self.rhat:.3f} for {self.rhat_of}, above {self.rhat_limit}: {chains}; "
            problems.append(text + longer)
        for kind, value, of in (("bulk", self.ess_bulk, self.ess_bulk_of), ("tail", self.ess_tail, self.ess_tail_of)):
            if not value >= LEAST_ESS:
                text = f"The {kind} effective sample size is {value:,.0f} for {of}, below {LEAST_ESS}: "
                problems.append(text + wording("take more draws (draws=)."))
        return tuple(problems)

    @property
    def converged(self) -> bool:
        """Whether the run has no problems."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in plain Python types, none of them NaN or infinite."""
        values = asdict(self)
        unknown = {name: None for name, value in values.items() if isinstance(value, float) and not np.isfinite(value)}
        return {**values, **unknown, "converged": self.converged, "problems": list(self.problems)}


def diagnose(
    parameters: Mapping[str, FloatArray],
    numbers: Mapping[str, FloatArray],
    stats: Mapping[str, Any],
    sampler: Sampler,
    engine: str,
) -> Diagnostics:
    """Judge chains by their parameters and by the `numbers` made of them, each (chains, draws, …)."""
    n_chains, n_draws = next(iter(numbers.values())).shape[:2]
    rhat, rhat_of, limit = _worst_rhat(parameters, numbers)
    pieces = {name: _pieces(array) for name, array in numbers.items()}
    bulk, tail = (_least({name: _measure(kind, array) for name, array in pieces.items()}) for kind in ("bulk", "tail"))
    diverging = stats.get("diverging")
    accepted = next((stats[name] for name in _ACCEPTANCE if name in stats), None)
    return Diagnostics(
        engine=engine,
        step=sampler.step,
        chains=n_chains,
        draws=n_chains * n_draws,
        tune=sampler.tune or 0,
        rhat=rhat,
        rhat_of=rhat_of,
        rhat_limit=limit,
        ess_bulk=bulk[0],
        ess_bulk_of=bulk[1],
        ess_tail=tail[0],
        ess_tail_of=tail[1],
        divergences=0 if diverging is None else int(np.asarray(diverging).sum()),
        acceptance=None if accepted is None else float(np.mean(accepted)),
    )


def _worst_rhat(parameters: Mapping[str, FloatArray], numbers: Mapping[str, FloatArray]) -> tuple[float, str, float]:
    """Return the R-hat that is worst beside its limit, whose it is, and the limit; one that is not known is worst."""
    rhats = []
    for arrays, limit in ((numbers, MOST_RHAT), (parameters, MOST_RHAT_OF_MANY)):
        for name, array in arrays.items():
            values = _measure("rhat", _pieces(array))
            lost = not np.isfinite(values).all() or (arrays is parameters and _is_stuck(array))
            rhats.append((np.inf if lost else float(values.max()), name, limit))
    return max(rhats, key=lambda rhat: (rhat[0] - 1) / (rhat[2] - 1))


def _is_stuck(parameter: FloatArray) -> bool:
    """Whether part of a parameter never moved: what was asked for may be constant, but no parameter is certain."""
    still = np.ptp(parameter, axis=(0, 1)) == 0
    return bool((still & ~np.isin(parameter[0, 0], (0.0, 1.0))).any())  # the share of an only class is 1


def effective(values: FloatArray, kind: str = "mean") -> float:
    """Return how many independent draws tell the mean of a number as well as these (chains, draws) do."""
    size = float(_measure(kind, values).reshape(-1)[0])
    return size if np.isfinite(size) and size > 0 else float(values.size)


def _pieces(array: FloatArray) -> FloatArray:
    """Return a single chain as a few shorter ones: drift shows as their disagreement."""
    if array.shape[0] > 1 or array.shape[1] < 2 * _N_PIECES:
        return array
    length = array.shape[1] // _N_PIECES
    return array[:, : _N_PIECES * length].reshape(_N_PIECES, length, *array.shape[2:])


def _measure(kind: str, array: FloatArray) -> FloatArray:
    """Return a diagnostic of every component; those that never move have nothing to diagnose."""
    az = require("arviz", extra="mcmc", caller="the diagnostics of Markov chains")
    flat = array.reshape(*array.shape[:2], -1)
    if flat.shape[1] < _MIN_DRAWS_PER_CHAIN or (kind == "rhat" and flat.shape[0] == 1):
        return np.full(flat.shape[2], np.nan)
    moving = np.ptp(flat, axis=(0, 1)) > 0
    values = np.full(flat.shape[2], 1.0 if kind == "rhat" else float(flat.shape[0] * flat.shape[1]))
    if moving.any():
        with hushed():
            data = az.convert_to_dataset({"x": flat[:, :, moving]})
            measured = az.rhat(data) if kind == "rhat" else az.ess(data, method=kind)
        values[moving] = np.asarray(measured["x"].values, dtype=np.float64)
    return values


def _least(sizes: Mapping[str, FloatArray]) -> tuple[float, str]:
    """Return the least value of all and whose it is; one that is not known counts as 0."""
    least = [(float(np.nan_to_num(values, nan=0.0).min()), name) for name, values in sizes.items()]
    return min(least, key=itemgetter(0))


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
        """Return what can be drawn from like an exact posterior, one per table: the chains' draws, picked at random."""
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


def _chunks(program: Program, draws: Parameters, number: int, seed: int, stream: int) -> Iterator[list[Tables]]:
    for chunk, start in enumerate(range(0, number, CHUNK)):
        part = {name: array[start : start + CHUNK] for name, array in draws.items()}
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
    parts = []
    for tables in chunks:
        moved = tables if shares is None else [table.at_prevalence(shares) for table in tables]
        parts.append(np.concatenate([metric(table) for table in moved]))  # type: ignore[arg-type]
    return np.concatenate(parts, axis=1)


def sample(
    model: Model, tables: Sequence[Any], sampler: Sampler, *, draws: DrawsLike, seed: int, cores: int = 1
) -> Chains:
    """Sample the posterior of a model given tables, by Markov chains."""
    check_tables(tables)
    program = program_of(model, tables, sampler.form)
    chains = Chains(model, tuple(tables), run_chains(program, sampler, draws, seed, cores), sampler, seed)
    chains.__dict__["program"] = program  # which need not be made twice
    return chains
