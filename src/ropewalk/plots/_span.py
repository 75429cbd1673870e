"""Which part of an axis a picture shows: all that was drawn, and 0 and the ROPE where they are not too far away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ropewalk.draws.intervals import Interval
from ropewalk.report.geometry import widened
from ropewalk.typing import FloatArray

_BEYOND: Final = 2.0  # lengths of the HDI: what lies farther from it is a tail that would squeeze the rest
_REACH: Final = 3.5  # how many times as wide as the draws a picture may get


def bulk(ordered: FloatArray, hdi: Interval) -> Interval:
    """Return the range of sorted draws, without tails that go far beyond their HDI.

    Examples
    --------
    >>> import numpy as np
    >>> bulk(np.array([-1.0, 0.0, 1.0, 99.0]), Interval(-1.0, 1.0))
    Interval(low=-1.0, high=5.0)
    """
    room = _BEYOND * (hdi.high - hdi.low)
    if room <= 0:
        return Interval(float(ordered[0]), float(ordered[-1]))
    return Interval(max(float(ordered[0]), hdi.low - room), min(float(ordered[-1]), hdi.high + room))


def span(shown: Interval, wanted: Iterable[float] = (), *, margin: float = 0.03) -> Interval:
    """Widen what must be shown to what is worth seeing, nearest first, as long as the first stays visible.

    Examples
    --------
    >>> span(Interval(1.0, 2.0), [0.0, 100.0], margin=0.0)
    Interval(low=0.0, high=2.0)
    """
    return widened(shown, wanted, reach=_REACH, margin=margin)


def clipped(part: Interval, view: Interval) -> Interval | None:
    """Return what a view shows of an interval; None where it shows nothing of it.

    Examples
    --------
    >>> import math
    >>> clipped(Interval(-0.02, math.inf), Interval(-1.0, 1.0)), clipped(Interval(2.0, 3.0), Interval(-1.0, 1.0))
    (Interval(low=-0.02, high=1.0), None)
    """
    low, high = max(part.low, view.low), min(part.high, view.high)
    return Interval(low, high) if low < high else None
