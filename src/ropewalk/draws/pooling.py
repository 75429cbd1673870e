"""Partial pooling: many systems, or classes, whose scores are spread around a common centre, by a spread to be learned.

    score k ~ Normal(centre, spread²)      centre flat, spread ~ half-Cauchy(two standard errors of a score)

Posteriors one by one are right if each is read alone. The best-looking of twenty was lucky, though: its own posterior
does not know of the others, and says too often that it is the best. What the scores have in common is known from all
of them together, and draws each towards the centre, the more the less its own items say.

The draws under flat priors stand for what the items say, with mean y and covariance S. Given the spread t the posterior
is Normal, and a draw of it is made of a draw y_d and of noise z_d,

    y_d − S P (y_d − t z_d),   P = V − V 1 1' V / (1' V 1),   V = (S + t² I)⁻¹,

so that scores far apart keep their own draws, skew and all. The spread is drawn from a grid of its marginal posterior.
A flat prior of the spread says .61 for the best of three where .51 is true (a spread of half a standard error); the
half-Cauchy says .57, and both are right where systems differ by more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.typing import FloatArray

EARLY_DRAWS: Final = 10_000
"""Mean and covariance are taken from so many draws alone: so fewer draws stay a prefix of more."""

_POINTS: Final = 400
_PRIOR_SCALE: Final = 2.0  # of the spread, in standard errors of a score
_MAX_SPREADS: Final = 20.0  # where the grid ends, in units of how far the scores are apart
_LEAST_EIGENVALUE: Final = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Pooled draws, and the posterior mean and quartiles of the `spread` of the scores."""

    psi: FloatArray
    spread: float
    spread_low: float
    spread_high: float


def pool(psi: FloatArray, *, low: float, high: float, seed: int, independent: bool = False) -> Pooled:
    """Pool draws of K scores (K, n), which lie from `low` to `high`; either may be infinite.

    `independent` ones, such as those of disjoint sets of items, have no covariance: that which their draws have by
    chance is left out, so that there may be many.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> psi = np.array([[0.80], [0.81], [0.82]]) + 0.01 * rng.standard_normal((3, 4_000))
    >>> pooled = pool(psi, low=0.0, high=1.0, seed=0).psi.mean(axis=1)
    >>> bool(0.80 < pooled[0] < pooled[1] < pooled[2] < 0.82)
    True
    """
    early = psi[:, :EARLY_DRAWS]
    centre, values, vectors = (*_variances(early), None) if independent else _moments(early)
    if values.max() <= 0:  # nothing varies
        return Pooled(psi, 0.0, 0.0, 0.0)
    spreads, shares = _spreads(centre, values, vectors)
    below = np.cumsum(shares)
    places = np.searchsorted(below[:-1], generator(seed, streams.POOLED).random(psi.shape[1]))
    noise = generator(seed, streams.POOLED_NOISE).standard_normal((psi.shape[1], len(psi))).T
    pooled = np.clip(_shrunk(psi, spreads[places], noise, values, vectors), low, high)
    quartiles = spreads[np.searchsorted(below[:-1], [0.25, 0.75])]
    return Pooled(pooled, float((spreads * shares).sum()), float(quartiles[0]), float(quartiles[1]))


def _variances(y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means and the variances of independent scores."""
    values = y.var(axis=1, ddof=min(1, y.shape[1] - 1))
    return y.mean(axis=1), np.maximum(values, _LEAST_EIGENVALUE * values.max())


def _turned(y: FloatArray, vectors: FloatArray | None) -> FloatArray:
    """Return scores in the directions of the eigenvectors; independent scores (None) have their own."""
    return y if vectors is None else np.einsum("ki,k...->i...", vectors, y)


def _moments(y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the means, and the eigenvalues and eigenvectors of the covariance."""
    centre = y.mean(axis=1)
    apart = y - centre[:, np.newaxis]
    # No BLAS, whose sums may depend on the machine.
    covariance = np.einsum("id,jd->ij", apart, apart) / max(y.shape[1] - 1, 1)
    values, vectors = np.linalg.eigh(covariance)
    return centre, np.maximum(values, _LEAST_EIGENVALUE * values[-1]), vectors


def _spreads(centre: FloatArray, values: FloatArray, vectors: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return a grid of the spread, and its posterior probabilities; the common centre is integrated out."""
    unit = math.sqrt(float(values.mean()))
    most = _MAX_SPREADS * (float(centre.std()) + unit)
    steps = np.linspace(0.0, math.log1p(most / unit), _POINTS)
    spreads = unit * np.expm1(steps)
    one, y = _turned(np.ones(len(centre)), vectors), _turned(centre, vectors)
    variances = values + spreads[:, np.newaxis] ** 2  # (points, K)
    a, b, c = ((part / variances).sum(axis=1) for part in (one**2, one * y, y**2))
    logs = -0.5 * (np.log(variances).sum(axis=1) + np.log(a) + c - b**2 / a) + steps  # equal steps of log(unit + t)
    logs -= np.log1p((spreads / (_PRIOR_SCALE * unit)) ** 2)
    shares = np.exp(logs - logs.max())
    return spreads, shares / shares.sum()


def _shrunk(
    y: FloatArray, spread: FloatArray, noise: FloatArray, values: FloatArray, vectors: FloatArray | None
) -> FloatArray:
    """Return the draws given the spread of each; noise is standard normal, (K, n)."""
    one, lam = _turned(np.ones(len(y)), vectors)[:, np.newaxis], values[:, np.newaxis]
    variances = lam + spread**2
    u = _turned(y - spread * noise, vectors) / variances
    mean = (one * u).sum(axis=0) / (one**2 / variances).sum(axis=0)
    moved = lam * (u - one / variances * mean)
    return np.asarray(y - (moved if vectors is None else np.einsum("ki,id->kd", vectors, moved)))
