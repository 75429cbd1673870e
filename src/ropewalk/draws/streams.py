"""The random streams of a seed: one number each, so that no two kinds of draws repeat each other's random numbers.

A generator is seeded by (seed, stream, block). What has several tables takes the numbers from its stream on, one per
table, so streams lie at least `WIDTH` apart. What is seeded by `SeedSequence.spawn` instead has a key of one number,
which none of these generators has.
"""

from __future__ import annotations

from typing import Final

WIDTH: Final = 1 << 20
"""How many tables a stream has room for."""

POSTERIOR: Final = 0
"""Draws from the posterior: the answer itself."""

PRIOR: Final = 1 << 20
"""Draws from the prior, for Bayes factors and checks."""

STUDIES: Final = 1 << 21
"""Simulated test sets of power and plans, keyed by their size and batch."""

CHAINS: Final = 1 << 22
"""Seeds of Markov chains, and of their prior."""

FILLED: Final = 5 << 20
"""What is drawn exactly given the draws of Markov chains, the posterior's."""

PRIOR_FILLED: Final = 6 << 20
"""What is drawn exactly given draws from a prior that has no closed form."""

PICKED: Final = 7 << 20
"""Which draws of Markov chains a predictive check takes."""

REPLICATED: Final = 1 << 23
"""Data sets replicated from the posterior."""

PRIOR_REPLICATED: Final = REPLICATED + PRIOR
"""Data sets replicated from the prior."""

OTHER: Final = 10 << 20
"""Draws under half and twice the prior mass, to see how far they move."""

POOLED: Final = 11 << 20
"""The spread of scores that are pooled."""

POOLED_NOISE: Final = 12 << 20
"""Where scores that are pooled lie around their centre."""

POOLED_TAIL: Final = 13 << 20
"""How far out in the tails of their distribution differences that are pooled lie."""

SLICES: Final = 14 << 20
"""Seeds of slices, so that what is independent has random numbers of its own."""

CHECKED: Final = 15 << 20
"""Exact draws that a first order is checked against."""

WEIGHTED: Final = 1 << 24
"""Which draws are taken how often, where a prior of the difference weights them; the prior's own draws come next."""

UNITS: Final = 19 << 20
"""Differences of units, given draws of the population that they are taken from."""

RUNS: Final = 18 << 20
"""What runs add to draws over items: their variance, and where their mean lies."""

FURTHER: Final = 21 << 20
"""One further unit for each draw of the population."""

TASKS: Final = 20 << 20
"""Seeds of tasks, and the order of their draws, so that tasks are independent."""

JUDGED: Final = 22 << 20
"""What a judge says beside what is true, to see what it gets wrong."""
