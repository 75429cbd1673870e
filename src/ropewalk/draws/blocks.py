"""Exact random draws in blocks: the same seed gives the same draws, whatever the threads or the number asked for.

Block i of a stream has its own generator, seeded by (seed, stream, i). A block's size depends on the model's
table only, and whole blocks are drawn and cut: n draws are a prefix of n + m draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ropewalk._progress import current, track
from ropewalk.typing import FloatArray

_TABLE_BYTES: Final = 1 << 23
_FEW_EXPONENTIALS: Final = (1.0, 2.0, 3.0)  # Gamma(n) is a sum of n exponentials, which are four times as fast
_ROUNDING: Final = 1e-11
_DIGITS: Final = 11
TINY: Final = 0.1  # shapes below this may underflow to an exact 0 in a plain gamma draw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """Draws of a metric: `psi` (K, n), one row per classifier, and the `names` of the rows.

    Independent ones are one chain; of Markov chains each has its n / `chains` draws, one chain after the other.
    """

    psi: FloatArray = field(repr=False)
    names: tuple[str, ...]
    chains: int = 1

    def __post_init__(self) -> None:
        self.psi.flags.writeable = False

    def __len__(self) -> int:
        return int(self.psi.shape[1])

    def delta(self, a: int = 0, b: int = 1) -> FloatArray:
        """Return the draws of the difference of two rows, a − b."""
        return difference(self.psi[a], self.psi[b])


def difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a − b; where it is the same in every draw but for rounding, it is the same.

    Examples
    --------
    >>> difference(np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6]))
    array([-0.3, -0.3, -0.3])
    """
    delta: FloatArray = a - b
    spread = float(np.ptp(delta)) if delta.size else 0.0
    if 0 < spread <= _ROUNDING * float(max(np.abs(a).max(), np.abs(b).max())):
        delta[:] = float(f"{delta.mean():.{_DIGITS}g}")
    return delta


def block_size(n_cells: int) -> int:
    """Return how many draws a block of a table of `n_cells` holds; it always divides 50,000.

    A block's weights fill about 8 MB, so that they stay in a core's cache and memory is bounded.

    Examples
    --------
    >>> block_size(8), block_size(1_252)
    (12500, 625)
    """
    fitting = _TABLE_BYTES // (8 * max(n_cells, 1))
    divisors = (12_500, 10_000, 6_250, 5_000, 2_500, 2_000, 1_250, 1_000, 625, 500, 250, 200, 125, 100, 50, 25)
    return next((size for size in divisors if size <= fitting), divisors[-1])


def small_block_size(n_units: int) -> int:
    """Return how many draws a block of weights on many units holds; it always divides 50,000, and may be 1.

    Examples
    --------
    >>> small_block_size(200), small_block_size(100_000), small_block_size(1_000_000)
    (2500, 10, 1)
    """
    fitting = _TABLE_BYTES // (8 * max(n_units, 1))
    return next((size for size in (2_500, 1_000, 500, 250, 100, 50, 25, 20, 10, 5, 2) if size <= fitting), 1)


def generator(seed: int, stream: int, *block: int) -> np.random.Generator:
    """Return the generator of one block of one stream; see `ropewalk.draws.streams`."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream, *block))))


def _watched(blocks: Iterable[FloatArray], total: int) -> Iterable[FloatArray]:
    progress = current()
    return blocks if progress is False else track(blocks, total=total, describe="Blocks of draws", progress=progress)


def draw_blocks(
    draw: Callable[[np.random.Generator, int], FloatArray],
    *,
    size: int,
    start: int,
    stop: int,
    seed: int,
    stream: int,
    threads: int = 1,
) -> FloatArray:
    """Return draws `start` … `stop` of a stream; `draw(rng, size)` makes one block, draws along the last axis.

    `start` must be a multiple of the block size: earlier blocks need not be drawn again.
    """
    first, last = start // size, -(-stop // size)

    def drawn(block: int) -> FloatArray:
        return draw(generator(seed, stream, block), size)

    numbers = range(first, last)
    if threads > 1 and len(numbers) > 1:
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(threads)  # standard_gamma releases the GIL
        try:
            blocks = list(_watched(pool.map(drawn, numbers), len(numbers)))
        finally:  # an interrupt does not wait for blocks that have not begun
            pool.shutdown(cancel_futures=True)
    else:
        blocks = list(_watched(map(drawn, numbers), len(numbers)))
    whole = blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=-1)
    return whole[..., : stop - start]


@dataclass(frozen=True, slots=True)
class GammaRows:
    """Gamma draws for many rows of few distinct shapes: rows of one shape are made in one call, twice as fast.

    `runs` are (shape, first row, one past the last); rows are thus in the order of their shapes.
    """

    runs: tuple[tuple[float, int, int], ...]

    @classmethod
    def of(cls, ordered: FloatArray) -> GammaRows:
        """Return the rows of shapes that are given in ascending order.

        Examples
        --------
        >>> GammaRows.of(np.array([1.0, 1.0, 3.0])).runs
        ((1.0, 0, 2), (3.0, 2, 3))
        """
        starts = np.flatnonzero(np.diff(ordered, prepend=-1.0))
        ends = np.append(starts, len(ordered))[1:]
        return cls(tuple(zip(ordered[starts].tolist(), starts.tolist(), ends.tolist(), strict=True)))

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw (rows, size) independent gamma variates."""
        drawn = np.empty((self.runs[-1][2] if self.runs else 0, size))
        for shape, start, stop in self.runs:
            rows = drawn[start:stop]
            if shape in _FEW_EXPONENTIALS:
                rng.standard_exponential(out=rows)
                for _ in range(int(shape) - 1):
                    rows += rng.standard_exponential(rows.shape)
            else:
                rng.standard_gamma(shape, out=rows)
        return drawn


def dirichlet(rng: np.random.Generator, shapes: Sequence[float] | FloatArray, size: int) -> FloatArray:
    """Draw from Dirichlet(shapes): an array (len(shapes), size) whose columns sum to 1.

    Each component is a contiguous row, so sums over components run at memory speed. Gamma(a) underflows to 0
    with probability (5e-324)^a, which is 47% at a = 0.001; so for small shapes the draw is made in logarithms,
    log G(a) = log G(a + 1) + log(U) / a, with the largest taken out before the exponential.

    Examples
    --------
    >>> draws = dirichlet(np.random.default_rng(0), [1e-4, 1e-4], 5)
    >>> bool(np.allclose(draws.sum(axis=0), 1))
    True
    """
    if min(shapes) == 0:  # what cannot happen has no weight
        possible = np.flatnonzero(np.asarray(shapes))
        weights = np.zeros((len(shapes), size))
        weights[possible] = dirichlet(rng, np.asarray(shapes)[possible], size)
        return weights
    if min(shapes) < TINY:
        gammas = log_gammas(rng, np.asarray(shapes, dtype=np.float64), size)
        gammas -= gammas.max(axis=0)
        np.exp(gammas, out=gammas)
    else:
        gammas = np.empty((len(shapes), size))
        ends = np.flatnonzero(np.diff(shapes, append=np.nan)) + 1
        for start, end in zip([0, *ends[:-1]], ends, strict=True):  # rows of one shape, which draw in one call
            # A scalar shape draws about twice as fast as a broadcast one.
            rng.standard_gamma(float(shapes[start]), size=(end - start, size), out=gammas[start:end])
    gammas /= gammas.sum(axis=0)
    return gammas


def log_gammas(rng: np.random.Generator, shapes: FloatArray, size: int) -> FloatArray:
    """Draw logarithms of gamma variates, (len(shapes), size), which tiny shapes cannot make underflow."""
    logs = np.empty((len(shapes), size))
    for row, shape in zip(logs, shapes.tolist(), strict=True):
        rng.standard_gamma(shape + 1.0, size=size, out=row)
    np.log(logs, out=logs)
    for row, shape in zip(logs, shapes.tolist(), strict=True):
        np.subtract(row, rng.standard_exponential(size) / shape, out=row)
    return logs
