"""Markov chains: the papers' own engine, for priors that the exact one cannot take. Needs the extra `mcmc`."""

from __future__ import annotations

from ropewalk._checks import check_public_classes
from ropewalk.mcmc.sampler import Sampler

__all__ = ["Sampler"]

check_public_classes(globals())
