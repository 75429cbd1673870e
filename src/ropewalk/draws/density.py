"""Densities of draws: Gaussian kernels, nearest neighbours, and histograms whose bins end where they should."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from ropewalk.draws.intervals import Interval, hdi
from ropewalk.typing import FloatArray

MIN_BINS: Final = 5
MAX_BINS: Final = 150
MAX_BINS_PER_STD: Final = 6.0  # finer ones show noise
STEPS_PER_BANDWIDTH: Final = 20  # of the fine grid of a kernel
MAX_STEPS: Final = 200_000
REACH: Final = 6  # bandwidths after which a kernel is nothing
DENSEST: Final = 0.25  # of the draws, by which their spread is measured where they lie in heaps
NORMAL_DENSEST_LENGTH: Final = 0.6373  # of the shortest interval with a quarter of a standard normal
NEIGHBOURS: Final = 0.005  # of the draws, over which a density at a point is taken
MIN_NEIGHBOURS: Final = 10


def scott(draws: FloatArray) -> float:
    """Return Scott's bandwidth; 0 for draws that are all alike."""
    if draws.size < 2 or draws.min() == draws.max():  # noqa: PLR2004
        return 0.0
    return float(draws.std(ddof=1)) * float(draws.size ** (-1 / 5))


def bandwidth(ordered: FloatArray) -> float:
    """Return Scott's bandwidth for sorted draws, but by their densest quarter where that is narrower."""
    spread = _spread(ordered)
    return spread * float(ordered.size ** (-1 / 5)) if spread > 0 else scott(ordered)


def _spread(ordered: FloatArray) -> float:
    """Return the standard deviation of sorted draws, or that of a normal as dense as their densest quarter.

    Two heaps far apart have a large standard deviation, and would be smeared into each other by it.
    """
    densest = hdi(ordered, DENSEST)
    std = float(ordered.std(ddof=1)) if ordered.size > 1 else 0.0
    return min(std, (densest.high - densest.low) / NORMAL_DENSEST_LENGTH)


def kernel_at_zero(draws: FloatArray, width: float) -> tuple[float, int]:
    """Return the Gaussian kernel density of draws at 0, summed draw by draw, and how many lie within a bandwidth."""
    scaled = draws / width
    density = float(np.exp(-0.5 * scaled * scaled).mean()) / (width * math.sqrt(2 * math.pi))
    return density, int((np.abs(scaled) <= 1).sum())


def kernel(draws: FloatArray, at: FloatArray, width: float) -> FloatArray:
    """Return the Gaussian kernel density of draws at some points.

    Draws are shared out between the neighbours on a fine grid, so that millions of them cost no more than a sum.

    Examples
    --------
    >>> kernel(np.array([0.0]), np.array([0.0, 1.0]), 1.0).round(3).tolist()
    [0.399, 0.242]
    """
    low = float(draws.min()) - REACH * width
    length = float(draws.max()) + REACH * width - low
    step = max(width / STEPS_PER_BANDWIDTH, length / MAX_STEPS)
    size = math.ceil(length / step) + 1
    places = (draws - low) / step
    left = places.astype(np.int64)
    share = places - left
    weights = np.bincount(left, 1.0 - share, size + 1) + np.bincount(left + 1, share, size + 1)
    wing = math.ceil(REACH * width / step)
    bell = np.exp(-0.5 * (np.arange(-wing, wing + 1) * step / width) ** 2)
    heights = np.convolve(weights, bell, mode="same") / (draws.size * width * math.sqrt(2 * math.pi))
    return np.interp(at, low + step * np.arange(size + 1), heights, left=0.0, right=0.0)


def smooth(ordered: FloatArray, at: FloatArray) -> FloatArray:
    """Return a smooth density of sorted draws at some points; nothing is smeared beyond the first and last draw.

    What a kernel would put there is reflected, so that a heap at the end of a scale keeps its height.
    """
    width = bandwidth(ordered)
    low, high = float(ordered[0]), float(ordered[-1])
    reach = REACH * width
    mirrored = (2 * low - ordered[ordered <= low + reach], 2 * high - ordered[ordered >= high - reach])
    more = np.concatenate([ordered, *mirrored])
    return kernel(more, at, width) * (more.size / ordered.size)


def neighbour_density(draws: FloatArray, at: FloatArray) -> FloatArray:
    """Return the density of draws at some points: how closely the nearest of them lie.

    Unlike a kernel of one width this follows a peak as sharp as that of the SIGIR prior at 0.

    Examples
    --------
    >>> uniform = np.linspace(0, 1, 10_001)
    >>> neighbour_density(uniform, np.array([0.25, 0.5])).round(6).tolist()
    [1.0, 1.0]
    """
    ordered = np.sort(draws)
    near = max(int(NEIGHBOURS * ordered.size), MIN_NEIGHBOURS)
    place = np.searchsorted(ordered, at)
    low = np.clip(place - near // 2, 0, max(ordered.size - 1 - near, 0))
    high = np.minimum(low + near, ordered.size - 1)
    width = np.maximum(ordered[high] - ordered[low], np.finfo(np.float64).tiny)
    density: FloatArray = (high - low) / (ordered.size - 1) / width
    return density


class Bars(NamedTuple):
    """The heights of a histogram, and the edges of its bins, one more."""

    edges: FloatArray
    heights: FloatArray


def bin_width(ordered: FloatArray, shown: Interval) -> float:
    """Return a width of bins for sorted draws: Freedman and Diaconis' rule, but neither a comb nor a block."""
    length, spread = shown.high - shown.low, _spread(ordered)
    wanted = max(2.7 * spread * float(ordered.size ** (-1 / 3)), spread / MAX_BINS_PER_STD)
    return min(max(wanted, length / MAX_BINS), length / MIN_BINS)


def bins(low: float, high: float, width: float) -> FloatArray:
    """Return the edges of equal bins of about a width, that start and end exactly at these ends.

    Examples
    --------
    >>> bins(0.0, 1.0, 0.3).round(2).tolist()
    [0.0, 0.33, 0.67, 1.0]
    """
    return np.linspace(low, high, max(round((high - low) / width), 1) + 1)


def bars(part: FloatArray, ordered: FloatArray, *, region: Interval, shown: Interval) -> Bars:
    """Return the histogram of the sorted draws of one region; its area is their share of all sorted draws.

    Bins end exactly at the ends of the region. Beyond what is `shown`, long tails are one wide bin each.

    Examples
    --------
    >>> draws, whole = np.linspace(0, 1, 101), Interval(0.0, 1.0)
    >>> edges, heights = bars(draws, draws, region=whole, shown=whole)
    >>> round(float(heights @ np.diff(edges)), 6)
    1.0
    """
    width = bin_width(ordered, shown)
    low = min(max(region.low, float(ordered[0])), float(part[0]))
    high = max(min(region.high, float(ordered[-1])), float(part[-1]))
    if low >= high:  # draws at a single value, such as exactly 0
        low, high = float(part[0]) - width / 2, float(part[0]) + width / 2
    seen_low, seen_high = max(low, shown.low), min(high, shown.high)
    inner = bins(seen_low, seen_high, width).tolist() if seen_low < seen_high else []
    edges = np.unique([low, *inner, high])
    return Bars(edges, np.histogram(part, edges)[0] / (ordered.size * np.diff(edges)))
