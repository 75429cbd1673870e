"""The probability of every (truth, prediction of A, prediction of B), also from margins and how often they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.tally import distinct_rows
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.text.writing import told
from ropewalk.typing import CodeArray, FloatArray, Label

NAMES: Final = ("A", "B")
_MAX_CLASSES: Final = 200
_MAX_ROUNDING: Final = 1e-9


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

    def expected(self, n: int) -> Outcomes:
        """Return the table of `n` items as it comes out on average, in whole items."""
        counts = np.rint(n * self.probs).astype(np.int64)
        return Outcomes.empty(self.labels, self.names) + Outcomes(
            self.codes[counts > 0], counts[counts > 0], self.labels, self.names
        )

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

        Where they are alike, each of them answers half of the time as A does here, half of the time as B does. How
        often they agree, and which classes there are, stays the same all along.
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


def check_classes(n: int) -> int:
    """Refuse more classes than a table of all triples of them has room for."""
    if n > _MAX_CLASSES:
        raise InvalidInputError(
            f"A scenario of {n:,} classes is too large: it may have {_MAX_CLASSES}.",
            hint="an Outcomes as a JointScenario takes any number.",
        )
    return n


def share(value: Any, what: str) -> float:
    """Return a number from 0 to 1."""
    if not is_real(value) or not 0 <= value <= 1:
        raise InvalidInputError(f"{what} must be a number from 0 to 1; got {told(value)}.", hint="write 0.6 for 60%.")
    return float(value)


def couple(mu: FloatArray, a: FloatArray, b: FloatArray, agreement: object) -> FloatArray:
    """Return the M × M × M table whose classifiers have the rows `a` and `b` and agree that often.

    Within a class the two are taken as independent, and then pulled towards the coupling that agrees most, or
    least, by the same fraction of the way in every class.
    """
    free = mu[:, np.newaxis, np.newaxis] * a[:, :, np.newaxis] * b[:, np.newaxis, :]
    closest = np.stack([weight * _closest(p, q) for weight, p, q in zip(mu, a, b, strict=True)])
    # Fréchet's bounds, and how often they agree if they err independently.
    least = float(mu @ [max(0.0, float((p + q).max()) - 1) for p, q in zip(a, b, strict=True)])
    independent, most = _agreeing(free), _agreeing(closest)
    wanted = _within(agreement, least, independent, most)
    if wanted >= independent:
        towards, reach = closest, most - independent
    else:
        towards = np.stack([weight * _furthest(p, q) for weight, p, q in zip(mu, a, b, strict=True)])
        reach = independent - least
    way = 0.0 if reach <= _MAX_ROUNDING else min(abs(wanted - independent) / reach, 1.0)
    table: FloatArray = (1 - way) * free + way * towards
    return table


def _within(agreement: object, least: float, independent: float, most: float) -> float:
    # With four digits, rounded so that a bound may be typed in again.
    low, high = np.ceil(least * 1e4 - _MAX_ROUNDING) / 1e4, np.floor(most * 1e4 + _MAX_ROUNDING) / 1e4
    bounds = f"from {low:g} to {high:g} ({independent:.3g} if independent)"
    if agreement is None:
        raise InvalidInputError(
            f"How often do the two classifiers agree? With these scores the `agreement` lies {bounds}.",
            hint="the share of items on which they say the same; similar classifiers agree far more than independent "
            "ones.",
        )
    wanted = share(agreement, "`agreement`")
    if not least - _MAX_ROUNDING <= wanted <= most + _MAX_ROUNDING:
        raise InvalidInputError(
            f"Two classifiers with these scores cannot agree on {wanted:g} of the items: "
            f"`agreement` must lie {bounds}.",
            hint="change the agreement or the scores.",
        )
    return wanted


def _agreeing(table: FloatArray) -> float:
    return float(np.einsum("jkk->", table))


def _closest(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the coupling of two distributions that agrees most: what they share lies on the diagonal."""
    common = np.minimum(p, q)
    rest = 1 - common.sum()
    table = np.diag(common)
    if rest > _MAX_ROUNDING:
        table += np.outer(p - common, q - common) / rest
    return table


def _furthest(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return a coupling of two distributions that agrees least: a transport that pays for the diagonal only."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, kron, vstack

    n = len(p)
    ones, identity = csr_array(np.ones((1, n))), csr_array(np.eye(n))
    margins = vstack([kron(identity, ones), kron(ones, identity)])
    # The last margin follows from the others, and rounding must not make it contradict them.
    solved: Any = linprog(  # type: ignore[call-overload]
        np.eye(n).reshape(-1), A_eq=margins.tocsr()[:-1], b_eq=np.concatenate([p, q])[:-1], bounds=(0, 1)
    )
    table: FloatArray = np.maximum(solved.x, 0.0).reshape(n, n)
    return table
