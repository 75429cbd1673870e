"""How the next test set comes about: the probability of every (truth, prediction of A, prediction of B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.rows import distinct_rows
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.text.names import brief
from ropewalk.typing import CodeArray, FloatArray, Label

NAMES: Final = ("A", "B")
_MOST_CLASSES: Final = 200
_WHOLE: Final = 1e-6  # how far from 1 a sum of probabilities may be, as of published digits


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Probabilities of cells (truth, prediction of A, prediction of B), written as places in `labels`."""

    codes: CodeArray
    probs: FloatArray
    labels: tuple[Label, ...]
    names: tuple[str, str] = NAMES

    @classmethod
    def of(cls, table: FloatArray, labels: Sequence[Label], names: tuple[str, str] = NAMES) -> Joint:
        """Return the joint distribution that an M × M × M array of probabilities describes."""
        codes = np.argwhere(table > 0).astype(np.int32)
        return cls(codes, table[table > 0] / table.sum(), tuple(labels), names)

    def weighted(self) -> Weighted:
        """Return the distribution as a table, of which any metric can be taken."""
        return Weighted(Cells(self.codes, len(self.labels)), self.probs[:, np.newaxis])

    def collapse(self, positive: Label, rest: Label) -> Joint:
        """Return the distribution of one class against the rest, the positive label last."""
        codes = (self.codes == self.labels.index(positive)).astype(np.int32)
        first, place = distinct_rows(codes, 2)
        merged: FloatArray = np.bincount(place, weights=self.probs, minlength=len(first)).astype(np.float64)
        return Joint(codes[first], merged, (rest, positive), self.names)

    @property
    def agreement(self) -> float:
        """How often the two say the same."""
        return float(self.probs[self.codes[:, 1] == self.codes[:, 2]].sum())

    def tilted(self, share: float) -> Joint:
        """Return a distribution on the line from one where A and B are alike (0) through this one (1) and on.

        Where they are alike each of them is half of the time what A is here, half of the time what B is. How often they
        agree, and which classes there are, stays the same all along.
        """
        table = self._cube()
        even = (table + table.swapaxes(1, 2)) / 2
        return Joint.of(np.maximum(even + share * (table - even), 0.0), self.labels, self.names)

    def furthest(self) -> float:
        """Return how far `tilted` can go before a probability would be negative."""
        table = self._cube()
        even, apart = (table + table.swapaxes(1, 2)) / 2, (table - table.swapaxes(1, 2)) / 2
        falling = apart < 0
        return float((even[falling] / -apart[falling]).min()) if falling.any() else np.inf

    def _cube(self) -> FloatArray:
        check_classes(len(self.labels))
        table = np.zeros((len(self.labels),) * 3)
        table[tuple(self.codes.T)] = self.probs
        return table

    def renamed(self, names: tuple[str, str]) -> Joint:
        """Return the same distribution under other classifier names."""
        return replace(self, names=names)


def probabilities(values: Any, what: str, shape: tuple[int, ...] | None = None, *, whole: bool = True) -> FloatArray:
    """Return numbers that are probabilities and, where `whole`, add up to 1; `what` names them in an error."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{what} must be numbers; got {brief(repr(values))}.") from None
    if shape is not None and array.shape != shape:
        told = " × ".join(map(str, shape))
        raise InvalidInputError(f"{what} must be {told} numbers; got {brief(repr(values))}.")
    wrong = ~np.isfinite(array) | (array < 0)
    if whole:
        wrong |= array > 1 + _WHOLE
    if wrong.any():
        must = "probabilities from 0 to 1" if whole else "finite and not negative"
        raise InvalidInputError(f"{what} must be {must}; one of them is {array[wrong][0]:g}.")
    total = float(array.sum())
    if whole and abs(total - 1) > _WHOLE:
        raise InvalidInputError(
            f"{what} must add up to 1; they add up to {total:.6g}.", hint="divide counts by their sum."
        )
    return array / total if whole else array


def check_classes(n: int) -> int:
    """Refuse more classes than a table of all triples of them has room for."""
    if n > _MOST_CLASSES:
        raise InvalidInputError(
            f"A scenario of {n:,} classes is too large: it may have {_MOST_CLASSES}.",
            hint="an Outcomes as a JointScenario takes any number.",
        )
    return n


def share(value: Any, what: str) -> float:
    """Return a number from 0 to 1."""
    if not is_real(value) or not 0 <= value <= 1:
        raise InvalidInputError(f"{what} must be a number from 0 to 1; got {value!r}.")
    return float(value)
