"""Two classifiers that agree so often: joint distributions with given margins and a given agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk.errors import InvalidInputError
from ropewalk.planning.joint import share
from ropewalk.typing import FloatArray

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Range:
    """How often two classifiers agree at least, at most (Fréchet's bounds), and if they err independently."""

    least: float
    independent: float
    most: float

    def __str__(self) -> str:
        return f"from {_down(self.least, up=True)} to {_down(self.most)} ({self.independent:.3g} if independent)"


def _down(value: float, *, up: bool = False) -> str:
    """Write a bound with four digits, so rounded that it may be typed in again."""
    scaled = np.ceil(value * 1e4 - _ROUNDING) if up else np.floor(value * 1e4 + _ROUNDING)
    return f"{scaled / 1e4:g}"


def couple(mu: FloatArray, a: FloatArray, b: FloatArray, agreement: object) -> FloatArray:
    """Return the M × M × M table whose classifiers have the rows `a` and `b` and say the same that often.

    Within a class the two are taken as independent, and pulled from there towards the coupling that agrees most, or
    least, by the same fraction of the way in every class.
    """
    free = mu[:, np.newaxis, np.newaxis] * a[:, :, np.newaxis] * b[:, np.newaxis, :]
    closest = np.stack([weight * _closest(p, q) for weight, p, q in zip(mu, a, b, strict=True)])
    least = [max(0.0, float((p + q).max()) - 1) for p, q in zip(a, b, strict=True)]
    bounds = Range(float(mu @ least), _agreeing(free), _agreeing(closest))
    wanted = _within(agreement, bounds)
    if wanted >= bounds.independent:
        towards, reach = closest, bounds.most - bounds.independent
    else:
        towards = np.stack([weight * _furthest(p, q) for weight, p, q in zip(mu, a, b, strict=True)])
        reach = bounds.independent - bounds.least
    way = 0.0 if reach <= _ROUNDING else min(abs(wanted - bounds.independent) / reach, 1.0)
    table: FloatArray = (1 - way) * free + way * towards
    return table


def _within(agreement: object, bounds: Range) -> float:
    if agreement is None:
        raise InvalidInputError(
            f"How often do the two classifiers agree? With these scores the `agreement` lies {bounds}.",
            hint="the share of items on which they say the same; similar classifiers agree far more than independent "
            "ones.",
        )
    wanted = share(agreement, "`agreement`")
    if not bounds.least - _ROUNDING <= wanted <= bounds.most + _ROUNDING:
        raise InvalidInputError(
            f"Two classifiers with these scores cannot agree on {wanted:g} of the items: `agreement` must lie {bounds}."
        )
    return wanted


def _agreeing(table: FloatArray) -> float:
    return float(np.einsum("jkk->", table))


def _closest(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the coupling of two distributions that agrees most: what they share lies on the diagonal."""
    common = np.minimum(p, q)
    rest = 1 - common.sum()
    table = np.diag(common)
    if rest > _ROUNDING:
        table += np.outer(p - common, q - common) / rest
    return table


def _furthest(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return a coupling of two distributions that agrees least: a transport that pays for the diagonal only."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, kron, vstack

    n = len(p)
    one = csr_array(np.ones((1, n)))
    each = csr_array(np.eye(n))
    margins = vstack([kron(each, one), kron(one, each)])
    # The last margin follows from the others, and rounding must not make it contradict them.
    solved: Any = linprog(  # type: ignore[call-overload]
        np.eye(n).reshape(-1), A_eq=margins.tocsr()[:-1], b_eq=np.concatenate([p, q])[:-1], bounds=(0, 1)
    )
    table: FloatArray = np.maximum(solved.x, 0.0).reshape(n, n)
    return table
