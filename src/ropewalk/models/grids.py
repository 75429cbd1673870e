"""Parameters that tie the classes together, drawn from a grid of their posterior: no Markov chain is needed.

`Eta` is that of ICDM 2015: with the rows of the confusion matrix integrated out it has a density in one dimension, a
product of Dirichlet-multinomials over the non-zero cells.

`Recalls` are the centre m of the classes' recalls, and kappa, how closely they lie around it:

    m ~ Beta(alpha, beta)                        the typical recall of a class
    kappa / (kappa + scale) ~ Uniform(0, 1)      how many items of a class the other classes are worth
    rho_j ~ Beta(m·kappa, (1 − m)·kappa)         the recall of class j, of which right_j and wrong_j were counted

With the recalls integrated out (m, kappa) has a product of beta-binomials over the classes: two dimensions. Given
kappa every factor is log-concave in m, so the density of logit(m) has one peak; each kappa has a row of points of its
own just there, be the peak as narrow as a billion items make it, or as wide as a prior.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ropewalk.typing import FloatArray, IntArray

_MAX_LOGIT_ETA: Final = 700.0  # logit of the smallest and largest eta that a float can tell from 0 and 1
_ETA_POINTS: Final = (281, 281, 281, 2_049)
_ETA_DEPTH: Final = 45.0  # log density below its maximum at which the grid may end

_MAX_LOGIT_CENTRE: Final = 600.0  # logit of the smallest and largest centre: beyond, a count divided by it overflows
_LOG_KAPPA_RANGE: Final = (-70.0, 110.0)  # logs of the smallest and largest kappa / scale
_DEPTH: Final = 30.0  # log density below its maximum at which a row may end: 1e-13 of the mass is beyond
_COARSE_POINTS: Final = 17  # points per row, and rows, while the mass is looked for
_MAX_LOOKS: Final = 15  # each of which looks eight times closer: after so many a float has no more digits
_MIN_POINTS: Final = 65  # points per row, and rows, of the grid itself
_MAX_STEPS: Final = (0.5, 0.25)  # of logit(m) and log(kappa), where nothing is narrower than a prior
_FINE_POINTS: Final = 1_024  # points of a row whose steps are halved, by interpolation, before draws are taken
_STIRLING: Final = 16.0  # from here on four terms of Stirling's series have all digits
_BISECTIONS: Final = 60
_MAX_VALUES_AT_ONCE: Final = 1 << 15
_ALMOST_MINUS_ONE: Final = 1e-16 - 1.0
_TINY: Final = 1e-200


@dataclass(frozen=True, kw_only=True, eq=False)
class Eta:
    """The posterior of eta: what share of its one pseudo-document the prior of a row puts on the diagonal.

    Not an accuracy, nor an estimate of one: with a row's prior mass fixed at 1, eta follows the number of non-zero
    cells off the diagonal. It is about 0.08 on 20 newsgroups, where two thirds of the documents are classified right.
    """

    right: IntArray
    wrong: IntArray
    n_labels: int
    alpha: float
    beta: float
    mass: float

    def log_density(self, logit: FloatArray) -> FloatArray:
        """Return the log density of logit(eta), up to a constant."""
        from scipy.special import expit, gammaln, log_expit

        eta, rest = self.mass * expit(logit), self.mass * expit(-logit) / max(self.n_labels - 1, 1)
        value: FloatArray = self.alpha * log_expit(logit) + self.beta * log_expit(-logit)
        for counts, omega in ((self.right, eta), (self.wrong, rest)):
            for count, number in zip(*np.unique(counts, return_counts=True), strict=True):
                value += number * (gammaln(count + omega) - gammaln(omega))
        return value

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray]:
        """Points of logit(eta), evenly spaced, and their probabilities by the trapezoidal rule."""
        low, high = -_MAX_LOGIT_ETA, _MAX_LOGIT_ETA
        for number in _ETA_POINTS:  # look closer at where the mass is
            points = np.linspace(low, high, number)
            heights = self.log_density(points)
            inside = np.flatnonzero(heights > heights.max() - _ETA_DEPTH)
            low, high = points[max(inside[0] - 1, 0)], points[min(inside[-1] + 1, number - 1)]
        density = np.exp(heights - heights.max())
        return points, density / density.sum()

    @property
    def mean(self) -> float:
        """The posterior mean of eta."""
        return _moments(*self._grid)[0]

    @property
    def std(self) -> float:
        """The posterior standard deviation of eta."""
        return _moments(*self._grid)[1]

    def quantile(self, share: FloatArray | float) -> FloatArray:
        """Return the value of eta below which so much of the posterior lies."""
        from scipy.special import expit

        points, shares = self._grid
        return np.asarray(expit(np.interp(share, np.cumsum(shares) - shares / 2, points)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Recalls:
    """The posterior of the centre and of kappa, given how many items of each class were `right` and `wrong`.

    The centre **is** the typical recall of a class: the mean of the distribution that recalls are drawn from, and what
    to expect of a class that nobody has tested yet. Every class counts once, however many items it has; so the centre
    is near the macro recall, and near the accuracy where classes are of a size. `fineness` divides the grid's steps.
    """

    right: FloatArray
    wrong: FloatArray
    alpha: float = 1.0
    beta: float = 1.0
    scale: float = 1.0
    fineness: int = 1

    def log_density(self, logit: FloatArray, log_kappa: FloatArray) -> FloatArray:
        """Return the log density of (logit(m), log(kappa)), up to a constant.

        A class adds log B(right + m·kappa, wrong + (1 − m)·kappa) − log B(m·kappa, (1 − m)·kappa). Gamma functions
        are taken apart by Stirling's formula, and what is large in them is put together before it is computed: where
        kappa or the counts are large it would cancel, and take all digits with it.
        """
        from scipy.special import expit, log_expit

        m, rest, kappa = expit(logit), expit(-logit), np.exp(log_kappa)
        log_m, log_rest = log_expit(logit), log_expit(-logit)
        value: FloatArray = self.alpha * log_m + self.beta * log_rest + log_kappa
        value -= 2 * np.logaddexp(math.log(self.scale), log_kappa)
        right, wrong, number = self._counts
        for part in _chunks(number.size, value.size):
            apart = _divergences(right[part], wrong[part], m, rest, kappa)
            value -= (apart * number[part, np.newaxis, np.newaxis]).sum(axis=0)
        value += _remainders(right, number, log_m + log_kappa) + _remainders(wrong, number, log_rest + log_kappa)
        value -= _remainders(right + wrong, number, log_kappa)
        return value

    @cached_property
    def _counts(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The distinct pairs (right, wrong) of classes that have items, and how many classes have each."""
        pairs = np.stack([self.right, self.wrong], axis=1).astype(np.float64)
        distinct, times = np.unique(pairs[pairs.sum(axis=1) > 0], axis=0, return_counts=True)
        return distinct[:, 0], distinct[:, 1], times.astype(np.float64)

    # -- the grid --------------------------------------------------------------------------------------------

    def _rows(self, log_kappa: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Find where logit(m) has its mass given each kappa: the ends, and the log of the mass, roughly."""
        ends = np.full(log_kappa.size, _MAX_LOGIT_CENTRE)
        points, heights = look_closer(-ends, ends, lambda logit: self.log_density(logit, log_kappa[:, np.newaxis]))
        return points[:, 0], points[:, -1], _log_sums(heights, points)

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Find where log(kappa) has its mass."""
        low, high = (np.array([end + math.log(self.scale)]) for end in _LOG_KAPPA_RANGE)
        points, _ = look_closer(low, high, lambda log_kappa: self._rows(log_kappa[0])[2][np.newaxis])
        return float(points[0, 0]), float(points[0, -1])

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points of log(kappa), for each a row of points of logit(m), and the log density there."""
        low, high = self._range
        kappas = np.linspace(low, high, self._number(high - low, _MAX_STEPS[1]))
        starts, stops, _ = self._rows(kappas)
        rows = np.linspace(starts, stops, self._number(float((stops - starts).max()), _MAX_STEPS[0]), axis=1)
        return kappas, rows, self.log_density(rows, kappas[:, np.newaxis])

    def _number(self, width: float, step: float) -> int:
        return self.fineness * max(_MIN_POINTS - 1, math.ceil(width / step)) + 1

    @cached_property
    def _shares(self) -> FloatArray:
        """The probabilities of the points of the grid, by the trapezoidal rule."""
        _, rows, heights = self._grid
        density = np.exp(heights - heights.max()) * (rows[:, 1] - rows[:, 0])[:, np.newaxis]
        return np.asarray(density / density.sum())

    @cached_property
    def _fine(self) -> tuple[FloatArray, FloatArray]:
        """The rows with their steps halved, and the log density there."""
        _, rows, heights = self._grid
        heights = halved(heights)
        return np.linspace(rows[:, 0], rows[:, -1], heights.shape[1], axis=1), heights

    @cached_property
    def _below(self) -> FloatArray:
        """The distribution function of logit(m) along each fine row."""
        return _cumulated(self._fine[1])

    @cached_property
    def _stacked(self) -> FloatArray:
        """The same, every row raised above the one before, so that one search serves them all."""
        return (self._below + np.arange(len(self._below))[:, np.newaxis]).reshape(-1)

    @cached_property
    def _kappas(self) -> tuple[FloatArray, FloatArray]:
        """Points of log(kappa) with their steps halved, and the distribution function there."""
        kappas, rows, heights = self._grid
        sums = halved(_log_sums(heights, rows)[np.newaxis])
        return np.linspace(kappas[0], kappas[-1], sums.shape[1]), _cumulated(sums)[0]

    # -- what is asked of it -----------------------------------------------------------------------------------

    @property
    def centre_mean(self) -> float:
        """The posterior mean of the centre."""
        return _moments(self._grid[1], self._shares)[0]

    @property
    def centre_std(self) -> float:
        """The posterior standard deviation of the centre."""
        return _moments(self._grid[1], self._shares)[1]

    def centre_quantile(self, share: FloatArray | float) -> FloatArray:
        """Return the value of the centre below which so much of the posterior lies."""
        from scipy.special import expit

        wanted = np.asarray(share, dtype=np.float64)
        low, high = (np.full(wanted.size, end) for end in (self._fine[0].min(), self._fine[0].max()))
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            less = self._centre_below(middle) < wanted.reshape(-1)
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return np.asarray(expit((low + high) / 2)).reshape(wanted.shape)

    def _centre_below(self, logit: FloatArray) -> FloatArray:
        """Return how much of the posterior lies below each logit(m): a mixture of the rows."""
        points, below = self._fine[0], self._below
        steps = (points[:, 1] - points[:, 0])[:, np.newaxis]
        place = np.clip((logit - points[:, :1]) / steps, 0.0, points.shape[1] - 1.0)
        left = np.minimum(place.astype(np.int64), points.shape[1] - 2)
        row = np.arange(len(points))[:, np.newaxis]
        shares = below[row, left] + (place - left) * (below[row, left + 1] - below[row, left])
        return np.asarray((self._shares.sum(axis=1, keepdims=True) * shares).sum(axis=0))

    def kappa_quantile(self, share: FloatArray | float) -> FloatArray:
        """Return the value of kappa below which so much of the posterior lies; of its mean there may be none."""
        points, below = self._kappas
        return np.asarray(np.exp(np.interp(share, below, points)))

    def draw(self, rng: np.random.Generator, size: int) -> tuple[FloatArray, FloatArray]:
        """Draw `size` pairs of a centre and a kappa, by inverting distribution functions."""
        from scipy.special import expit

        log_kappa = np.log(self.kappa_quantile(rng.random(size)))
        share, kappas = rng.random(size), self._grid[0]
        place = np.clip((log_kappa - kappas[0]) / (kappas[1] - kappas[0]), 0.0, kappas.size - 1.0)
        # Between rows lies a distribution whose quantiles lie between theirs: on a cubic through four of them.
        row = np.clip(place.astype(np.int64) - 1, 0, kappas.size - 4)
        x = place - row
        weights = -(x - 1) * (x - 2) * (x - 3) / 6, x * (x - 2) * (x - 3) / 2, -x * (x - 1) * (x - 3) / 2
        logit = sum(weight * self._quantile(row + i, share) for i, weight in enumerate(weights))
        return np.asarray(expit(logit + x * (x - 1) * (x - 2) / 6 * self._quantile(row + 3, share))), np.exp(log_kappa)

    def _quantile(self, row: IntArray, share: FloatArray) -> FloatArray:
        """Return the quantiles of logit(m), each in a row of its own."""
        points, below = self._fine[0], self._below
        width = points.shape[1]
        place = np.clip(np.searchsorted(self._stacked, row + share, side="right") - row * width, 1, width - 1)
        start, low, high = points[row, place - 1], below[row, place - 1], below[row, place]
        part = np.divide(share - low, high - low, out=np.zeros(share.size), where=high > low)
        return np.asarray(start + np.clip(part, 0.0, 1.0) * (points[row, place] - start))


def _moments(logits: FloatArray, shares: FloatArray) -> tuple[float, float]:
    """Return the mean and the standard deviation of what has these logits, with these probabilities."""
    from scipy.special import expit

    mean, square = (float((shares * expit(logits) ** power).sum()) for power in (1, 2))
    return mean, float(max(square - mean**2, 0.0) ** 0.5)


def _chunks(number: int, n_points: int) -> Iterator[slice]:
    """Split so many counts into slices that, each at all points, stay in a core's cache."""
    size = max(_MAX_VALUES_AT_ONCE // max(n_points, 1), 1)
    for start in range(0, number, size):
        yield slice(start, start + size)


def _divergences(
    right: FloatArray, wrong: FloatArray, m: FloatArray, rest: FloatArray, kappa: FloatArray
) -> FloatArray:
    """Return n·KL(p | q) + kappa·KL(m | q), where p = right / n, and q = (right + m·kappa) / (n + kappa) lies between.

    Both are counts times logarithms of ratios, which are near 1 where counts are large: so the distance from 1 is
    computed, and not the ratio. The result has an axis of the counts before those of the points.
    """
    r, w = right[:, np.newaxis, np.newaxis], wrong[:, np.newaxis, np.newaxis]
    n = r + w
    apart = m * w - rest * r  # n·(m − p)
    of_counts, of_prior = apart * (kappa / (n + kappa)), apart / (n + kappa)  # n·(q − p) and m − q
    none = -np.log1p(n / kappa)  # log(q / m) where nothing was counted on a side
    value: FloatArray = np.zeros(apart.shape)
    for count, sign, share in ((r, 1.0, m), (w, -1.0, rest)):
        value -= count * np.log1p(np.maximum(sign * of_counts / np.maximum(count, _TINY), _ALMOST_MINUS_ONE))
        change = np.log1p(np.maximum(-sign * of_prior / share, _ALMOST_MINUS_ONE))
        value -= share * kappa * np.where(count > 0, change, none)
    return value


def _remainders(counts: FloatArray, times: FloatArray, log_x: FloatArray) -> FloatArray:
    """Sum over the counts what Stirling's formula leaves of log Γ(x + count) − log Γ(x)."""
    some = counts > 0
    distinct, place = np.unique(counts[some], return_inverse=True)
    number = np.bincount(place.reshape(-1), weights=times[some], minlength=distinct.size)[:, np.newaxis, np.newaxis]
    x = np.exp(log_x)
    value: FloatArray = -number.sum() * _remainder(x, log_x)
    for part in _chunks(distinct.size, x.size):
        sums = x + distinct[part, np.newaxis, np.newaxis]
        value += (_remainder(sums, np.log(sums)) * number[part]).sum(axis=0)
    return value


def _remainder(x: FloatArray, log_x: FloatArray) -> FloatArray:
    """Return log Γ(x) − x·log x + x − log(2π)/2; `log_x` is known where x has vanished."""
    from scipy.special import gammaln

    inverse = 1 / np.maximum(x, _STIRLING)
    square = inverse**2
    value: FloatArray = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) - log_x / 2
    small = x < _STIRLING
    if small.any():
        few, log_few = x[small], log_x[small]
        value[small] = gammaln(1 + few) - (1 + few) * log_few + few - math.log(2 * math.pi) / 2
    return value


def look_closer(
    low: FloatArray, high: FloatArray, log_density: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return points of each row, from `low` to `high` or where its mass is in between, and the log density there."""
    row = np.arange(low.size)
    for _ in range(_MAX_LOOKS):
        points = np.linspace(low, high, _COARSE_POINTS, axis=1)
        heights = log_density(points)
        first, last = _inside(heights)
        if (last - first > _COARSE_POINTS // 2).all():
            break
        low, high = points[row, first], points[row, last]
    return points, heights


def _inside(heights: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last place of each row that holds mass, and one more on either side."""
    holds = heights >= heights.max(axis=1, keepdims=True) - _DEPTH
    width = heights.shape[1]
    first, last = holds.argmax(axis=1), width - 1 - holds[:, ::-1].argmax(axis=1)
    return np.maximum(first - 1, 0), np.minimum(last + 1, width - 1)


def _log_sums(heights: FloatArray, points: FloatArray) -> FloatArray:
    """Return the log of the mass of each row, by the trapezoidal rule."""
    top = heights.max(axis=1)
    return np.asarray(top + np.log(np.exp(heights - top[:, np.newaxis]).sum(axis=1) * (points[:, 1] - points[:, 0])))


def halved(heights: FloatArray) -> FloatArray:
    """Return smooth rows at points so much closer: a cubic through four of them gives the one in the middle."""
    for _ in range(max(math.ceil(math.log2(_FINE_POINTS / heights.shape[1])), 2)):
        fine = np.empty((len(heights), 2 * heights.shape[1] - 1))
        fine[:, ::2] = heights
        fine[:, 3:-2:2] = (9 * (heights[:, 1:-2] + heights[:, 2:-1]) - heights[:, :-3] - heights[:, 3:]) / 16
        fine[:, 1] = (3 * heights[:, 0] + 6 * heights[:, 1] - heights[:, 2]) / 8
        fine[:, -2] = (3 * heights[:, -1] + 6 * heights[:, -2] - heights[:, -3]) / 8
        heights = fine
    return heights


def _cumulated(heights: FloatArray) -> FloatArray:
    """Return the distribution function along each row, from 0 to 1."""
    density = np.exp(heights - heights.max(axis=1, keepdims=True))
    below = np.zeros(density.shape)
    np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1, out=below[:, 1:])
    return np.asarray(below / below[:, -1:])
