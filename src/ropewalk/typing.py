"""The types that ropewalk's signatures speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Label: TypeAlias = int | str | bool
"""A class label. `1`, `"1"` and `True` are three different labels."""

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
StrArray: TypeAlias = npt.NDArray[np.str_]
CodeArray: TypeAlias = npt.NDArray[np.int32]

RopeLike: TypeAlias = float | Sequence[float]
"""`0.01` for (−0.01, +0.01), or a pair."""

SeedLike: TypeAlias = int | np.integer[Any] | np.random.Generator | np.random.SeedSequence | None

Rule: TypeAlias = Literal["hdi", "probability"]
Missing: TypeAlias = Literal["error", "drop", "wrong"]
DrawsLike: TypeAlias = int | Literal["auto"]

Kernel: TypeAlias = Callable[[Any], Any]
"""A function of `Margins` that returns one number for each classifier and draw."""
