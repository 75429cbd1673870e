"""Heights for pictures of draws: bins that end where they should, and a Gaussian kernel."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Interval, hdi
from ropewalk.typing import FloatArray

_BINS: Final = (5, 150)
_SMOOTH: Final = 6.0  # bins in a standard deviation at most: finer ones show noise
_FINE: Final = 20  # steps of the fine grid in a bandwidth
_STEPS: Final = 200_000  # of the fine grid at most
_WINGS: Final = 6  # bandwidths after which a kernel is nothing
_QUARTER: Final = 0.25
_NORMAL_QUARTER: Final = 0.6373  # how long the shortest interval with a quarter of a standard normal is


def bin_width(ordered: FloatArray, shown: Interval) -> float:
    """Return a width of bins for sorted draws: Freedman and Diaconis' rule, but neither a comb nor a block."""
    length = shown.high - shown.low
    scale = _scale(ordered)
    wanted = max(2.7 * scale * float(ordered.size ** (-1 / 3)), scale / _SMOOTH)
    return min(max(wanted, length / _BINS[1]), length / _BINS[0])


def bins(low: float, high: float, width: float) -> FloatArray:
    """Return the edges of equal bins of about a width, that start and end exactly at these ends.

    Examples
    --------
    >>> bins(0.0, 1.0, 0.3).round(2).tolist()
    [0.0, 0.33, 0.67, 1.0]
    """
    return np.linspace(low, high, max(round((high - low) / width), 1) + 1)


def scott(draws: FloatArray) -> float:
    """Return Scott's bandwidth, as the Savage-Dickey ratio has it; 0 for draws that are all alike."""
    if draws.size < 2 or draws.min() == draws.max():  # noqa: PLR2004
        return 0.0
    return float(draws.std(ddof=1)) * float(draws.size ** (-1 / 5))


def bandwidth(ordered: FloatArray) -> float:
    """Return Scott's bandwidth for sorted draws, but by their densest quarter where that is narrower."""
    scale = _scale(ordered)
    return scale * float(ordered.size ** (-1 / 5)) if scale > 0 else scott(ordered)


def _scale(ordered: FloatArray) -> float:
    """Return the standard deviation of sorted draws, or that of a normal as dense as their densest quarter.

    Two heaps far apart have a large standard deviation, and would be smeared into each other by it.
    """
    quarter = hdi(ordered, _QUARTER)
    spread = float(ordered.std(ddof=1)) if ordered.size > 1 else 0.0
    return min(spread, (quarter.high - quarter.low) / _NORMAL_QUARTER)


def smooth(ordered: FloatArray, at: FloatArray) -> FloatArray:
    """Return a smooth density of sorted draws at some points; nothing is smeared beyond the first and last draw.

    What a kernel would put there is reflected, so that a heap at the end of a scale keeps its height.
    """
    width = bandwidth(ordered)
    low, high = float(ordered[0]), float(ordered[-1])
    reach = _WINGS * width
    mirrored = (2 * low - ordered[ordered <= low + reach], 2 * high - ordered[ordered >= high - reach])
    more = np.concatenate([ordered, *mirrored])
    return kernel(more, at, width) * (more.size / ordered.size)


def kernel(draws: FloatArray, at: FloatArray, width: float) -> FloatArray:
    """Return the Gaussian kernel density of draws at some points.

    Draws are shared out between the neighbours on a fine grid, so that millions of them cost no more than a sum.

    Examples
    --------
    >>> kernel(np.array([0.0]), np.array([0.0, 1.0]), 1.0).round(3).tolist()
    [0.399, 0.242]
    """
    low = float(draws.min()) - _WINGS * width
    length = float(draws.max()) + _WINGS * width - low
    step = max(width / _FINE, length / _STEPS)
    size = math.ceil(length / step) + 1
    places = (draws - low) / step
    left = places.astype(np.int64)
    share = places - left
    weights = np.bincount(left, 1.0 - share, size + 1) + np.bincount(left + 1, share, size + 1)
    wing = math.ceil(_WINGS * width / step)
    bell = np.exp(-0.5 * (np.arange(-wing, wing + 1) * step / width) ** 2)
    heights = np.convolve(weights, bell, mode="same") / (draws.size * width * math.sqrt(2 * math.pi))
    return np.interp(at, low + step * np.arange(size + 1), heights, left=0.0, right=0.0)
