"""The scale of a mean: its two ends, declared, from 0 to 1, or merely seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk._checks import is_real
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray


def scale_of(values: FloatArray, declared: tuple[float, float] | None) -> tuple[tuple[float, float], bool]:
    """Return the ends of the scale of a mean, and whether they were merely seen."""
    if not values.size:
        if declared is None:
            raise DataError(
                "There are no items, and nothing says what values they could have.", hint=wording("give scale=(0, 1).")
            )
        return declared, False
    low, high = float(values.min()), float(values.max())
    if declared is not None:
        if low < declared[0] or high > declared[1]:
            raise DataError(
                f"There are values from {low:g} to {high:g}, beyond the scale from {declared[0]:g} to {declared[1]:g}.",
                hint=wording("scale= must hold every value that is possible."),
            )
        return declared, False
    if low >= 0 and high <= 1:
        return (0.0, 1.0), False
    if low == high:  # nothing tells how far apart values can be
        return (low, math.nextafter(low, math.inf)), True
    return (low, high), True


def check_scale(scale: Any, name: str, *, infinite: bool = False) -> tuple[float, float]:
    """Return the two ends of a scale, the lower one first."""
    pair = scale.tolist() if isinstance(scale, np.ndarray) else scale
    good = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2  # noqa: PLR2004
    if not good or not all(is_real(end) and (infinite or math.isfinite(end)) for end in pair) or not pair[0] < pair[1]:
        raise InvalidInputError(
            argument(name) + f" must be the lowest and the highest value that is possible; got {told(scale)}.",
            hint="1 and 5 for grades from 1 to 5.",
        )
    return float(pair[0]), float(pair[1])
