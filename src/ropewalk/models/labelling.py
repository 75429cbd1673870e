"""What more human labels would be worth, in closed form: how much narrower they are expected to make an answer.

The weights of a table are p_c · q_ch (`models.judged`), and a difference is taken by its first order, Σ p_c q_ch f_ch,
which for an accuracy is the difference itself. With s_c pseudo-counts and counts in a cell and V_c the variance of
Σ_h q_ch f_ch, m more labels there are expected to leave V_c · s_c / (s_c + m).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Self

import numpy as np

from ropewalk.metrics.margins import Weighted, ratio
from ropewalk.models.judged import JudgedPosterior
from ropewalk.typing import FloatArray

_STEP: Final = 1e-5  # of all weight, by which an outcome is made to count more and less
_BISECTIONS: Final = 60
_NEXT_TO_NOTHING: Final = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Labelling:
    """The first order of a difference: `values` (C, S) of true outcomes, `shares` (C,) and `human` (C, S) as drawn.

    `open` (C,) is how many items of each cell have no human label yet.

    Examples
    --------
    >>> shares, human, left = np.array([10.0]), np.full((1, 2), 5.0), np.array([90.0])
    >>> cell = Labelling(values=np.array([[1.0, -1.0]]), shares=shares, human=human, open=left, n_human=10)
    >>> round(cell.variance, 4), round(cell.after(np.array([11.0])), 4)
    (0.0909, 0.0433)
    """

    values: FloatArray
    shares: FloatArray
    human: FloatArray
    open: FloatArray
    n_human: int

    @classmethod
    def of(cls, posterior: JudgedPosterior, measure: Callable[[Weighted], FloatArray]) -> Self:
        """Take the first order of what `measure` makes of tables, (D,)."""
        weights, known = posterior.expected, posterior.sorted
        step = _STEP * np.eye(weights.size)
        more, less = (measure(Weighted(posterior.cells, weights[:, np.newaxis] + by)) for by in (step, -step))
        place = known.group * known.human.shape[1] + known.outcome
        mass, gained = (
            np.bincount(place, weights=by, minlength=known.human.size)
            for by in (weights, weights * (more - less) / (2 * _STEP))
        )
        return cls(
            values=ratio(gained, mass).reshape(known.human.shape),
            shares=known.shares,
            human=known.human,
            open=known.counted - known.labelled,
            n_human=int(known.labelled.sum()),
        )

    @cached_property
    def _cells(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """How much each cell is labelled, and the mean of its values and the variance of that mean."""
        known = self.human.sum(axis=1)
        chances = self.human / known[:, np.newaxis]
        means = (chances * self.values).sum(axis=1)
        spread = (chances * (self.values - means[:, np.newaxis]) ** 2).sum(axis=1)
        return known, means, spread / (known + 1)

    @cached_property
    def _shares(self) -> tuple[FloatArray, float]:
        """The expected shares of the cells, and how much they weigh."""
        total = float(self.shares.sum())
        return self.shares / total, total

    @property
    def variance(self) -> float:
        """The variance of the difference."""
        return self.after(np.zeros(len(self.shares)))

    def after(self, more: FloatArray) -> float:
        """Return the variance that so many more labels in each cell are expected to leave."""
        known, means, spread = self._cells
        shares, total = self._shares
        of_shares = shares * (1 - shares) / (total + 1)
        between = shares @ (means - float(shares @ means)) ** 2 / (total + 1)
        return float(shares**2 @ (spread * known / (known + more)) + of_shares @ spread + between)

    def best(self, number: int) -> FloatArray:
        """Return how many of `number` more labels each cell should get: those that leave the least variance."""
        known, _, spread = self._cells
        weight = np.maximum(self._shares[0] * np.sqrt(spread * known), _NEXT_TO_NOTHING)
        low, high = 0.0, float(((known + self.open) / weight).max())

        def given(level: float) -> FloatArray:
            return np.clip(level * weight - known, 0.0, self.open)

        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if given(middle).sum() < number else (low, middle)
        return given(high)

    def at_random(self, number: int) -> FloatArray:
        """Return how many of `number` more labels each cell gets, where items are picked at random."""
        return np.asarray(self.open * min(number / max(float(self.open.sum()), 1.0), 1.0))

    @cached_property
    def spread_of_items(self) -> float:
        """The variance of the values of items."""
        shares = self._shares[0][:, np.newaxis] * self.human / self._cells[0][:, np.newaxis]
        mean = float((shares * self.values).sum())
        return float((shares * (self.values - mean) ** 2).sum())

    @property
    def left(self) -> int:
        """How many items have no human label yet."""
        return int(self.open.sum())

    def after_best(self, number: int) -> float:
        """Return the variance that so many more labels are expected to leave where they tell most."""
        return self.after(self.best(number))

    def after_any(self, number: int) -> float:
        """Return the variance that so many more labels are expected to leave, of items picked at random."""
        return self.after(self.at_random(number))

    @property
    def without_judge(self) -> float:
        """The variance that the labelled items alone would leave, had they been picked at random."""
        return self.spread_of_items / (float(self.human.sum()) + 1)

    @property
    def worth(self) -> float:
        """How many labelled items would tell as much without the judge."""
        if not self.variance:
            return float(self.n_human)
        prior = float(self.human.sum()) - self.n_human
        return max(self.spread_of_items / self.variance - 1 - prior, 0.0)
