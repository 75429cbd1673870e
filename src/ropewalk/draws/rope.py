"""The region of practical equivalence: read from what users write, and how much of the posterior it holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ropewalk._checks import is_real
from ropewalk.draws.intervals import Interval, count_below
from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import wording
from ropewalk.typing import FloatArray

_QUESTION = wording("what is the smallest difference you would act on? rope=0.01 means (-0.01, +0.01).")


def parse_rope(rope: Any) -> Interval | None:
    """Turn a half-width or a pair into an interval; None stays None.

    Examples
    --------
    >>> parse_rope(0.01), parse_rope((-0.02, float("inf")))
    (Interval(low=-0.01, high=0.01), Interval(low=-0.02, high=inf))
    """
    if isinstance(rope, np.ndarray):
        rope = rope.tolist()
    if rope is None:
        return None
    if is_real(rope):
        return _half_width(rope)
    return _pair((rope.low, rope.high) if isinstance(rope, Interval) else rope)


def _half_width(rope: float) -> Interval:
    if rope == 0:
        raise InvalidInputError(
            wording("`rope` must not be 0: no two classifiers are exactly equal, so nothing could ever be equivalent."),
            hint=_QUESTION,
        )
    if not 0 < rope < math.inf:
        raise InvalidInputError(wording("`rope` must be a positive, finite number; got {!r}.", rope), hint=_QUESTION)
    return Interval(-float(rope), float(rope))


def _pair(rope: Any) -> Interval:
    if isinstance(rope, str) or not isinstance(rope, Sequence) or len(rope) != 2:  # noqa: PLR2004
        raise InvalidInputError(
            wording("`rope` must be a number or a pair (low, high); got {!r}.", rope), hint=_QUESTION
        )
    if not all(is_real(end) and not math.isnan(end) for end in rope):
        raise InvalidInputError(wording("The ends of `rope` must be numbers; got {!r}.", rope), hint=_QUESTION)
    low, high = float(rope[0]), float(rope[1])
    if low >= high:
        raise InvalidInputError(
            wording("`rope` must run from its low to its high end; got ({:g}, {:g}).", low, high),
            hint=f"did you mean ({high:g}, {low:g})?" if low > high else _QUESTION,
        )
    if math.isinf(low) and math.isinf(high):
        raise InvalidInputError(wording("`rope` must have at least one finite end."), hint=_QUESTION)
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class Regions:
    """Posterior mass below, inside (edges included) and above the ROPE, on the axis of A − B."""

    below: float
    inside: float
    above: float


def region_masses(ordered: FloatArray, rope: Interval) -> Regions:
    """Return the shares of sorted draws below, inside and above the ROPE."""
    n = ordered.size
    below = count_below(ordered, rope.low)
    upto = count_below(ordered, rope.high, inclusive=True)
    return Regions(below / n, (upto - below) / n, (n - upto) / n)


class RopeMasses(NamedTuple):
    """The masses of the three regions at every half-width of a symmetric ROPE."""

    widths: FloatArray
    below: FloatArray
    inside: FloatArray
    above: FloatArray


def rope_masses(ordered: FloatArray, top: float, n_points: int) -> RopeMasses:
    """Return the masses of the regions of sorted differences, for half-widths from 0 to `top`.

    Examples
    --------
    >>> rope_masses(np.array([-1.0, 0.0, 0.5, 3.0]), 2.0, 2).inside.tolist()
    [0.25, 0.75]
    """
    widths = np.linspace(0.0, top, n_points)
    below = np.searchsorted(ordered, -widths, side="left") / ordered.size
    above = 1.0 - np.searchsorted(ordered, widths, side="right") / ordered.size
    return RopeMasses(widths, below, 1.0 - below - above, above)
