"""Run Markov chains, quietly, and the same ones for the same seed."""

from __future__ import annotations

import importlib.util
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk._optional import require
from ropewalk._progress import current, metered
from ropewalk.draws import streams
from ropewalk.mcmc.programs import Program, load_pymc
from ropewalk.mcmc.sampler import Sampler
from ropewalk.typing import DrawsLike, FloatArray


@dataclass(frozen=True, eq=False)
class Sampled:
    """What a run of chains gave: draws of the parameters and statistics of the sampler, (chains, draws, …)."""

    parameters: dict[str, FloatArray]
    dims: dict[str, tuple[str, ...]]
    coords: dict[str, tuple[str, ...]]
    stats: dict[str, Any]
    engine: str


def run_chains(program: Program, sampler: Sampler, draws: DrawsLike, seed: int, cores: int = 1) -> Sampled:
    """Sample the posterior of a program; the same seed gives the same chains, on any number of cores."""
    number, backend = sampler.per_chain(draws), _backend(sampler)
    with hushed():
        run = _by_nutpie if backend == "nutpie" else _by_pymc
        samples, engine = run(program, sampler, number, seed, cores)
    posterior = samples["posterior"]
    if (posterior.sizes["chain"], posterior.sizes["draw"]) != (sampler.n_chains, number):
        raise KeyboardInterrupt  # which samplers take for a wish for fewer draws
    return Sampled(
        parameters={name: np.asarray(posterior[name].values, dtype=np.float64) for name in program.names},
        dims={name: tuple(map(str, posterior[name].dims[2:])) for name in program.names},
        coords={name: tuple(map(str, values)) for name, values in program.model.coords.items()},
        stats=_stats(samples["sample_stats"]),
        engine=engine,
    )


def _stats(stats: Any) -> dict[str, Any]:
    """Return the statistics with one number per draw; of how often steps were accepted, the mean over parameters."""
    every = {str(name): np.asarray(stats[name].values) for name in stats.data_vars}
    kept = {name: values for name, values in every.items() if values.ndim == 2}  # noqa: PLR2004
    if "accepted" in every:  # Metropolis steps parameter by parameter
        kept["accepted"] = every["accepted"].reshape(*every["accepted"].shape[:2], -1).mean(axis=-1)
    return kept


def _backend(sampler: Sampler) -> str:
    if sampler.step == "metropolis":
        return "pymc"
    if sampler.backend == "auto":
        return "pymc" if importlib.util.find_spec("nutpie") is None else "nutpie"
    return sampler.backend


def _seeds(seed: int, number: int) -> list[int]:
    return np.random.SeedSequence(seed, spawn_key=(streams.CHAINS,)).generate_state(number).tolist()  # type: ignore[no-any-return]


def _by_pymc(program: Program, sampler: Sampler, number: int, seed: int, cores: int) -> tuple[Any, str]:
    pm = load_pymc()
    chains, tune = sampler.n_chains or 1, sampler.tune or 0
    with program.model, metered(chains * (number + tune), "Steps of Markov chains", current()) as steps:

        def advance(*, draw: Any, **_: Any) -> None:
            if cores == 1 and draw.chain * (number + tune) > steps.done:
                raise _StoppedError  # PyMC goes on with the next chain
            try:
                steps.step()
            except KeyboardInterrupt:
                raise _StoppedError from None

        how: dict[str, Any] = (
            {"step": pm.Metropolis()} if sampler.step == "metropolis" else {"target_accept": sampler.target_accept}
        )
        try:
            samples = pm.sample(
                number,
                tune=tune,
                chains=chains,
                cores=min(cores, chains),
                random_seed=_seeds(seed, chains),
                progressbar=False,
                compute_convergence_checks=False,
                callback=advance,
                **how,
            )
        except _StoppedError:
            raise KeyboardInterrupt from None
        except ValueError as error:
            if "Not enough samples" in str(error):  # interrupted while it tuned
                raise KeyboardInterrupt from None
            raise
    return samples, f"PyMC {pm.__version__}"


class _StoppedError(Exception):
    """Somebody interrupted; PyMC would let a KeyboardInterrupt pass, and return what it has."""


def _by_nutpie(program: Program, sampler: Sampler, number: int, seed: int, cores: int) -> tuple[Any, str]:
    nutpie = require("nutpie", extra="mcmc", caller='backend="nutpie"')
    with metered(2, "Compiling, then sampling", current()) as steps:
        compiled = nutpie.compile_pymc_model(program.model)
        steps.step()
        samples = nutpie.sample(
            compiled,
            draws=number,
            tune=sampler.tune,
            chains=sampler.n_chains,
            cores=min(cores, sampler.n_chains or 1),
            seed=_seeds(seed, 1)[0],
            progress_bar=False,
            save_warmup=False,
            target_accept=sampler.target_accept,
        )
        steps.step()
    return samples, f"nutpie {nutpie.__version__}"


def run_prior(program: Program, number: int, seed: int) -> dict[str, FloatArray]:
    """Return draws of the parameters under the prior, (draws, …), made by forward sampling."""
    pm = load_pymc()
    with hushed(), program.model:
        seeds = _seeds(seed, 2)
        prior = pm.sample_prior_predictive(number, var_names=list(program.names), random_seed=seeds[1])["prior"]
    return {name: np.asarray(prior[name].values, dtype=np.float64)[0] for name in program.names}


@contextmanager
def hushed() -> Iterator[None]:
    """Keep the samplers' own messages off the screen: what matters of them is said in the result's warnings."""
    loggers = [logging.getLogger(name) for name in ("pymc", "pytensor", "arviz")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
