"""Markov chains for tests: PyMC's own, compiled in seconds, and perfect ones, which stand in for a sampler."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from unittest import mock

import numpy as np

from ropewalk.mcmc.running import Sampled
from support import need


@contextmanager
def compiled_quickly():
    """Let PyMC build what it samples from in seconds, where its own way takes a C compiler a minute.

    By default every operation of a density becomes a C program of its own, after much thought about which operations to
    take. Here functions are run by Python as they are written, but for the one that NUTS calls ten thousand times: it
    becomes a single program, not optimised. Some densities cannot (those of items one by one, for one): NUTS is for the
    others, and for the tests that take long.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ announces its next version once a day
        pm = need("pymc")
    pytensor, sample = need("pytensor"), pm.sample
    modes = pytensor.compile.mode
    python = need("pytensor.link.vm").VMLinker(use_cloop=False, c_thunks=False)
    as_written = modes.Mode(linker=python, optimizer="merge")
    one_program = "c" if pytensor.__version__ < "3" else "numba"  # by then not all of a density can be written in C
    whole = modes.Mode(linker=one_program if pytensor.config.cxx else python, optimizer="fast_compile")

    def sample_quickly(*args, **options):
        return sample(*args, compile_kwargs={"mode": whole}, **options)

    with (
        mock.patch.dict(modes.predefined_modes, FAST_COMPILE=as_written),
        pytensor.config.change_flags(mode="FAST_COMPILE", gcc__cxxflags="-O0", traceback__limit=0),
        mock.patch.object(pm, "sample", sample_quickly),
    ):
        yield


def perfect(program, sampler, draws, seed, cores=1, *, repeats=1):
    """Stand in for a sampler: independent draws of the Dirichlets that a PyMC model stands for.

    With `repeats` a chain stays so often where it is, as Metropolis does: its law is the same, its worth is less.
    """
    rng, model = np.random.default_rng(seed), program.model
    size = (sampler.n_chains, sampler.per_chain(draws))
    moves = (size[0], -(-size[1] // repeats))
    found = {}
    for name, seen in (("mu", "classes"), ("theta", "outcomes")):
        prior = model[name].owner.inputs[-1].eval()
        shapes = prior + model.rvs_to_values[model[seen]].data
        gammas = rng.standard_gamma(np.broadcast_to(shapes, (*moves, *shapes.shape)))
        shares = gammas / gammas.sum(axis=-1, keepdims=True)
        found[name] = np.repeat(shares, repeats, axis=1)[:, : size[1]]
    return as_sampled(model, found)


def as_sampled(model, parameters):
    """Return arrays (chains, draws, …) as what a run of NUTS without any trouble would give."""
    size = next(iter(parameters.values())).shape[:2]
    return Sampled(
        parameters=parameters,
        dims={name: tuple(model.named_vars_to_dims.get(name, ())) for name in parameters},
        coords={name: tuple(map(str, values)) for name, values in model.coords.items()},
        stats={"diverging": np.zeros(size, dtype=bool), "acceptance_rate": np.full(size, 0.9)},
        engine="a stand-in",
    )
