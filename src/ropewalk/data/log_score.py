"""What a score of an evaluation log is called, and what values it can have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Self

RIGHT: Final = "right"
WRONG: Final = "wrong"
"""What answers with the scores 1 and 0 are called, where only right and wrong are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A number that a log holds for every item: its name, whether more is better, and its least and highest value.

    One that is `of_labels` was made of truth and prediction: metrics of labels tell more.
    """

    name: str
    higher_is_better: bool = True
    low: float | None = None
    high: float | None = None
    of_labels: bool = False

    @property
    def of_right(self) -> float:
        """The score of a right answer, where only right and wrong are told apart."""
        return float(self.higher_is_better)

    def to_dict(self) -> dict[str, Any]:
        """Return what a file of counts says of it."""
        return {"name": self.name, "higher_is_better": self.higher_is_better, "low": self.low, "high": self.high}

    @classmethod
    def from_dict(cls, said: Any) -> Self:
        """Read what `to_dict` wrote, with suspicion."""
        known = {"name": str, "higher_is_better": bool, "low": float | int | None, "high": float | int | None}
        if not isinstance(said, dict) or not all(isinstance(said.get(key), kind) for key, kind in known.items()):
            raise TypeError("its score must have a name, a direction and ends")
        low, high = said["low"], said["high"]
        if None not in {low, high} and not (-math.inf < low <= 0 and 1 <= high < math.inf):
            raise ValueError("its score cannot be 0 and 1")
        return cls(**{key: said[key] for key in known})
