"""Draws of tasks that are independent: seeds of their own, and their average."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ropewalk.draws.blocks import generator
from ropewalk.draws.streams import TASKS
from ropewalk.typing import DrawsLike, FloatArray


def seeds_of(names: Sequence[str], seed: int) -> list[int]:
    """Return a seed for each task, by its name, so that no task shares random numbers with another.

    Examples
    --------
    >>> seeds_of(["sums", "words"], 0) == seeds_of(["words", "sums"], 0)[::-1]
    True
    """
    return [
        int(np.random.SeedSequence(seed, spawn_key=_key(name)).generate_state(1, np.uint64)[0]) >> 11 for name in names
    ]


def _key(name: str) -> tuple[int, ...]:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return TASKS, int.from_bytes(digest[:4]), int.from_bytes(digest[4:])


def average(tasks: Mapping[str, FloatArray], weights: FloatArray, seed: int, draws: DrawsLike = "auto") -> FloatArray:
    """Return the average of the draws of tasks, (K, n) each, all in an order of their own: tasks are independent.

    `weights` are one for each task, or one for each task and draw.
    """
    number = number_of(tasks.values(), draws)
    total = np.zeros((len(next(iter(tasks.values()))), number))
    for (name, psi), weight in zip(tasks.items(), weights, strict=True):
        total += weight * psi[:, generator(seed, *_key(name)).permutation(psi.shape[1])[:number]]
    return total


def widened(psi: FloatArray, n_units: int) -> FloatArray:
    """Return draws (K, n) whose spread is that of means of so many items, which weights drawn on them fall short of.

    Their variance about the observed mean is p(1 − p)/(n + 1), on average (n − 1)/(n + 1) of what a mean of n errs by.

    Examples
    --------
    >>> widened(np.array([[0.4, 0.6]]), 9)
    array([[0.38819..., 0.61180...]])
    """
    means = psi.mean(axis=1, keepdims=True)
    wide: FloatArray = means + (psi - means) * math.sqrt((n_units + 1) / max(n_units - 1, 1))
    return wide


def number_of(psis: Iterable[FloatArray], draws: DrawsLike) -> int:
    """Return how many draws there are of every task, or are wanted."""
    number = min(psi.shape[1] for psi in psis)
    return int(number) if draws == "auto" else min(int(number), int(draws))
