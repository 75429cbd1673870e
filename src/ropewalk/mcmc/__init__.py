"""Markov chains: the papers' own engine, for priors that the exact one cannot take. Needs the extra `mcmc`."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.mcmc.sampler import Sampler

__all__ = ["Sampler"]

publish(globals())
