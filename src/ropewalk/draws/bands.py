"""Credible bands of curves, from draws of whole curves."""

from __future__ import annotations

import numpy as np

from ropewalk.draws.intervals import shortest
from ropewalk.typing import FloatArray


def pointwise(curves: FloatArray, prob: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the HDI at each point; `curves` are (points, draws)."""
    return shortest(np.sort(curves, axis=1), prob)


def simultaneous(curves: FloatArray, prob: float) -> tuple[FloatArray, FloatArray]:
    """Return the band that holds at least `prob` of the curves as a whole (Besag et al., 1995).

    The band runs from the k-th smallest to the k-th largest value at each point, with the largest k that leaves enough
    curves inside everywhere. It knows no more than the order of the draws, so it never leaves the range of the metric.

    Examples
    --------
    >>> curves = np.arange(100.0)[np.newaxis] + np.zeros((3, 1))
    >>> low, high = simultaneous(curves, 0.9)
    >>> low.tolist(), high.tolist()
    ([5.0, 5.0, 5.0], [94.0, 94.0, 94.0])
    """
    ordered = np.sort(curves, axis=1)
    n = curves.shape[1]
    # How far from the outermost draw each curve keeps at its most extreme point, ties in its favour.
    depth = np.full(n, n)
    for row, values in zip(ordered, curves, strict=True):
        below = np.searchsorted(row, values, side="right")
        above = n - np.searchsorted(row, values, side="left")
        np.minimum(depth, np.minimum(below, above), out=depth)
    least = np.sort(depth)[::-1][int(np.ceil(prob * n)) - 1]
    return ordered[:, least - 1], ordered[:, n - least]
