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

Slices are disjoint sets of items, so their differences are independent, and one of them may be far from all others,
which is what slices are looked at for. `pool_disjoint` therefore takes them from a distribution with heavy tails, and
one in twenty from anywhere in the range of the metric:

    difference k ~ centre + spread · Student-t(3)      probability .95
                   centre + Normal(0, wide²)           probability .05

A slice that stands apart is then left where its own items put it, and one of which that is not certain has an interval
that reaches from there to the others. The tails alone do not see to that: they are as wide as the others are spread,
and others that are many and alike are hardly spread at all (`docs/explain/calibration.md`).

Priors of many small slices pull all the same way, and pooled that pull would look like what they have in common.
`as_measured` takes it out first.
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
_APART: Final = 0.05  # the share of differences that may lie anywhere
_WIDE: Final = 8.0  # so many of their standard deviations fit into the range of differences
_WIDE_ERRORS: Final = 4.0  # and where it has no end, so many standard errors is their standard deviation
_DEGREES: Final = 3.0  # of freedom
_LIKE_THE_OTHERS: Final = 30.0  # so many items of the whole say how uncertain one of a slice is, beside its own
_VARIANCES: Final = 2.0 ** np.arange(-3, 9)  # of Normals whose mixture is a Student-t
_COARSE_SPREADS: Final = 60
_CENTRES: Final = 61
_ENOUGH_CENTRES: Final = 25  # with a noticeable share, so that their steps do not show
_NOTICEABLE: Final = 1e-5
_LOOKS: Final = 4


def worth(n_draws: int) -> int:
    """Return how many draws that many pooled ones are worth: all of them share the error of the early ones.

    Examples
    --------
    >>> worth(4_000), worth(50_000)
    (4000, 10000)
    """
    return min(n_draws, EARLY_DRAWS)


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Pooled draws, and the posterior mean and quartiles of the `spread` of the scores."""

    psi: FloatArray
    spread: float
    spread_low: float
    spread_high: float


def pool(psi: FloatArray, *, low: float, high: float, seed: int) -> Pooled:
    """Pool draws of K scores (K, n), which lie from `low` to `high`; either may be infinite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> psi = np.array([[0.80], [0.81], [0.82]]) + 0.01 * rng.standard_normal((3, 4_000))
    >>> pooled = pool(psi, low=0.0, high=1.0, seed=0).psi.mean(axis=1)
    >>> bool(0.80 < pooled[0] < pooled[1] < pooled[2] < 0.82)
    True
    """
    centre, values, vectors = _moments(psi[:, :EARLY_DRAWS])
    if values[-1] <= 0:  # nothing varies
        return Pooled(psi, 0.0, 0.0, 0.0)
    spreads, shares = _spreads(centre, values, vectors)
    below = np.cumsum(shares)
    places = np.searchsorted(below[:-1], generator(seed, streams.POOLED).random(psi.shape[1]))
    noise = generator(seed, streams.POOLED_NOISE).standard_normal((psi.shape[1], len(psi))).T
    pooled = np.clip(_shrunk(psi, spreads[places], noise, values, vectors), low, high)
    quartiles = spreads[np.searchsorted(below[:-1], [0.25, 0.75])]
    return Pooled(pooled, float((spreads * shares).sum()), float(quartiles[0]), float(quartiles[1]))


def _moments(y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the means, and the eigenvalues and eigenvectors of the covariance."""
    centre = y.mean(axis=1)
    apart = y - centre[:, np.newaxis]
    # No BLAS, whose sums may depend on the machine.
    covariance = np.einsum("id,jd->ij", apart, apart) / max(y.shape[1] - 1, 1)
    values, vectors = np.linalg.eigh(covariance)
    return centre, np.maximum(values, _LEAST_EIGENVALUE * values[-1]), vectors


def _spreads(centre: FloatArray, values: FloatArray, vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a grid of the spread, and its posterior probabilities; the common centre is integrated out."""
    unit = math.sqrt(float(values.mean()))
    most = _MAX_SPREADS * (float(centre.std()) + unit)
    steps = np.linspace(0.0, math.log1p(most / unit), _POINTS)
    spreads = unit * np.expm1(steps)
    one, y = vectors.sum(axis=0), np.einsum("ki,k->i", vectors, centre)
    variances = values + spreads[:, np.newaxis] ** 2  # (points, K)
    a, b, c = ((part / variances).sum(axis=1) for part in (one**2, one * y, y**2))
    logs = -0.5 * (np.log(variances).sum(axis=1) + np.log(a) + c - b**2 / a) + steps  # equal steps of log(unit + t)
    logs -= np.log1p((spreads / (_PRIOR_SCALE * unit)) ** 2)
    shares = np.exp(logs - logs.max())
    return spreads, shares / shares.sum()


def _shrunk(
    y: FloatArray, spread: FloatArray, noise: FloatArray, values: FloatArray, vectors: FloatArray
) -> FloatArray:
    """Return the draws given the spread of each; noise is standard normal, (K, n)."""
    one, lam = vectors.sum(axis=0)[:, np.newaxis], values[:, np.newaxis]
    variances = lam + spread**2
    u = np.einsum("ki,kd->id", vectors, y - spread * noise) / variances
    mean = (one * u).sum(axis=0) / (one**2 / variances).sum(axis=0)
    moved = lam * (u - one / variances * mean)
    return np.asarray(y - np.einsum("ki,id->kd", vectors, moved))


# -- what is independent ------------------------------------------------------------------------------------


def as_measured(psi: FloatArray, observed: FloatArray, n_items: FloatArray, item_variance: float) -> FloatArray:
    """Return draws of K differences (K, n) that stand for what the items say, without the pull of each prior.

    They are moved to the `observed` differences. Few items that happen to agree look surer than they are, and the
    mean of many such differences would lean towards them: an item is taken to vary at least about as much as one of
    all items does, by `item_variance`, the less the more `n_items` a difference has.

    Examples
    --------
    >>> psi = 0.3 + 0.1 * np.random.default_rng(0).standard_normal((1, 4_000))
    >>> moved = as_measured(psi, np.array([0.5]), np.array([10.0]), item_variance=0.4)
    >>> f"{moved.mean():.2f} ± {moved.std():.2f}"
    '0.50 ± 0.18'
    """
    mean, own = psi.mean(axis=1), psi.var(axis=1)
    smoothed = (n_items * own + _LIKE_THE_OTHERS * item_variance / n_items) / (n_items + _LIKE_THE_OTHERS)
    apart = psi - mean[:, np.newaxis]
    wider = np.sqrt(np.maximum(smoothed, own) / np.where(own > 0, own, 1.0))
    return np.asarray(observed[:, np.newaxis] + apart * wider[:, np.newaxis])


def pool_disjoint(psi: FloatArray, *, low: float, high: float, seed: int) -> Pooled:
    """Pool draws of K differences (K, n) of disjoint sets of items, some of which may be unlike all others.

    A Student-t is a mixture of Normals of different variances, and one more Normal is wide. Given the centre, the
    spread and which of these Normals a difference comes from, its posterior is Normal; centre and spread are drawn from
    a grid, and then a Normal each. Rows with the same draws stay the same.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> psi = np.array([[0.0], [0.0], [0.0], [0.0], [-0.5]]) + 0.05 * rng.standard_normal((5, 4_000))
    >>> pooled = pool_disjoint(psi, low=-1.0, high=1.0, seed=0).psi.mean(axis=1)
    >>> bool(-0.52 < pooled[4] < -0.45)
    True
    """
    early = psi[:, :EARLY_DRAWS]
    y, variances = early.mean(axis=1), early.var(axis=1, ddof=min(1, early.shape[1] - 1))
    if variances.max() <= 0:  # nothing varies
        return Pooled(psi, 0.0, 0.0, 0.0)
    variances = np.maximum(variances, _LEAST_EIGENVALUE * variances.max())
    unit = math.sqrt(float(variances.mean()))
    wide = (high - low) / _WIDE if math.isfinite(high - low) else _WIDE_ERRORS * unit
    centres, spreads, shares = _centres_and_spreads(y, variances, wide, unit)
    below = np.cumsum(shares)
    chance = generator(seed, streams.POOLED).random((psi.shape[1], 2))
    spread_of, centre_of = np.divmod(np.searchsorted(below[:-1], chance[:, 0]), centres.size)
    centre = centres[centre_of] + (centres[1] - centres[0]) * (chance[:, 1] - 0.5)
    spread = spreads[spread_of]
    noise = generator(seed, streams.POOLED_NOISE).standard_normal((psi.shape[1], len(psi))).T
    picks = generator(seed, streams.POOLED_TAIL).random((psi.shape[1], len(psi))).T
    pooled, first = np.empty_like(psi), dict[bytes, int]()
    for k, own in enumerate(psi):
        if (same := first.setdefault(own.tobytes(), k)) < k:
            pooled[k] = pooled[same]
            continue
        around = _around(spread, wide)
        likely = np.cumsum(_likelihoods(y[k], centre[:, np.newaxis], variances[k] + around), axis=1)
        normal = (picks[k][:, np.newaxis] * likely[:, -1:] > likely[:, :-1]).sum(axis=1)
        around_one = around[np.arange(normal.size), normal]
        share = variances[k] / (variances[k] + around_one)
        pooled[k] = own - share * (own - centre - np.sqrt(around_one) * noise[k])
    by_spread = shares.reshape(spreads.size, centres.size).sum(axis=1)
    quartiles = spreads[np.searchsorted(np.cumsum(by_spread)[:-1], [0.25, 0.75])]
    mean = float((spreads * by_spread).sum())
    return Pooled(np.clip(pooled, low, high), mean, float(quartiles[0]), float(quartiles[1]))


def _around(spread: FloatArray, wide: float) -> FloatArray:
    """Return the variances of the Normals of the mixture, the last axis, around the centre; the last one is wide."""
    tail = np.square(spread)[..., np.newaxis] * _VARIANCES
    return np.concatenate([tail, np.full((*spread.shape, 1), wide**2)], axis=-1)


def _likelihoods(y: float, centre: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the density at y of each Normal of the mixture, with its weight; the last axis is the Normals."""
    precision = 1 / _VARIANCES
    logs = _DEGREES / 2 * (np.log(precision) - precision)  # the density of the logarithm of a Gamma variable
    tail = np.exp(logs - logs.max())
    weights = np.append(tail / tail.sum() * (1 - _APART), _APART)
    return np.asarray(weights * np.exp(-0.5 * (y - centre) ** 2 / variances) / np.sqrt(variances))


def _centres_and_spreads(
    y: FloatArray, variances: FloatArray, wide: float, unit: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return grids of the centre and the spread, and the posterior probabilities of their pairs, spread by spread."""
    most = _MAX_SPREADS * (float(y.std()) + unit)
    steps = np.linspace(0.0, math.log1p(most / unit), _COARSE_SPREADS)
    spreads = unit * np.expm1(steps)
    prior = steps - np.log1p((spreads / (_PRIOR_SCALE * unit)) ** 2)  # equal steps of log(unit + t)
    around = _around(spreads, wide)[:, np.newaxis]
    low, high = float(y.min()) - unit, float(y.max()) + unit
    for _ in range(_LOOKS):
        centres = np.linspace(low, high, _CENTRES)
        logs = np.broadcast_to(prior[:, np.newaxis], (spreads.size, centres.size)).copy()
        for mean, variance in zip(y.tolist(), variances.tolist(), strict=True):
            density = _likelihoods(mean, centres[:, np.newaxis], variance + around).sum(axis=-1)
            logs += np.log(np.maximum(density, np.finfo(float).tiny))
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        seen = np.flatnonzero(shares.sum(axis=0) > _NOTICEABLE)
        if seen[-1] - seen[0] >= _ENOUGH_CENTRES:
            break
        low, high = centres[max(seen[0] - 1, 0)], centres[min(seen[-1] + 1, centres.size - 1)]
    return centres, spreads, shares.reshape(-1)
