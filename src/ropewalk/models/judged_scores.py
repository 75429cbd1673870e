"""A judge's scores of two systems, corrected by those items on which a human's are known too: a regression, exact.

    (human A, human B) = B' (1, judge A, judge B) + errors ~ Normal(0, Σ),   p(B, Σ) ∝ |Σ|^(-3/2)
    the means: B' (1, mean of judge A, mean of judge B), at the judge's means over all items

So the judge may score too high or too low, on another scale and in favour of one of the two: what is used is only that
its scores go along with a human's. Where they do not, the human scores alone are left, with a Student t.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from ropewalk.data.scores import ItemScores
from ropewalk.metrics.scores import Measured
from ropewalk.models.judged import Judged
from ropewalk.models.protocol import Model, Posterior
from ropewalk.typing import FloatArray

MIN_SCORED: Final = 8
"""Items that humans scored, at least: a regression on two scores takes three of them, and two errors two more."""

_IMAGINED: Final = 0.125  # items on which a human lies as far from what is expected as human scores from each other

_DIFFERENCE: Final = np.array([1.0, -1.0])
_NOTHING: Final = 1e-9  # of how far apart scores are


def _like_equals(values: FloatArray, reach: float = 1.0) -> float:
    """Return like how many values of one size these weigh around their mean: (Σ v²)² / Σ v⁴.

    Examples
    --------
    >>> _like_equals(np.array([1.0, -1.0, 1.0, -1.0])), round(_like_equals(np.array([8.0] + [0.0] * 7)), 2)
    (4.0, 1.3)
    """
    squares = (values - values.mean()) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum()) if squares.max() > (_NOTHING * reach) ** 2 else 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoresPosterior(Posterior):
    """Means of human scores of two systems: `judge` (n, 2) and `human` (n, 2) where both are known.

    `means` (2,) and `covariance` (2, 2) are those of the judge's scores of all `n_items`.
    """

    judge: FloatArray
    human: FloatArray
    means: FloatArray
    covariance: FloatArray
    n_items: int

    work = 10

    @cached_property
    def _design(self) -> FloatArray:
        return np.column_stack([np.ones(len(self.judge)), self.judge])

    @cached_property
    def _inverse(self) -> FloatArray:
        return np.asarray(np.linalg.pinv(self._design.T @ self._design))

    @cached_property
    def _slopes(self) -> FloatArray:
        return np.asarray(self._inverse @ self._design.T @ self.human)

    @cached_property
    def _errors(self) -> FloatArray:
        """The sums of squares and products of the errors, (2, 2)."""
        left = self.human - self._design @ self._slopes
        return np.asarray(left.T @ left + _IMAGINED * self._reach**2 * np.eye(2))

    @property
    def _reach(self) -> float:
        """How far human scores are apart."""
        return float(np.ptp(self.human)) or 1.0

    @property
    def _freedom(self) -> int:
        return len(self.judge) - 3

    def block(self, rng: np.random.Generator, size: int) -> Measured:
        """Draw `size` pairs of means."""
        return Measured(self.both(rng, size)[1])

    def both(self, rng: np.random.Generator, size: int) -> tuple[FloatArray, FloatArray]:
        """Draw `size` pairs of the judge's means over items like these, and of a human's, (2, size) each."""
        spread, axes = np.linalg.eigh(self.covariance / self.n_items)  # one is 0 where the judge scores both alike
        root = axes * np.sqrt(np.maximum(spread, 0.0))
        judged = self.means[:, np.newaxis] + root @ rng.standard_normal((2, size))
        at = np.concatenate([np.ones((1, size)), judged])
        reach = np.sqrt((at * (self._inverse @ at)).sum(axis=0))
        lower = np.linalg.cholesky(np.linalg.inv(self._errors))
        first, second = (np.sqrt(rng.chisquare(self._freedom - k, size)) for k in (0, 1))
        below, z = rng.standard_normal(size), rng.standard_normal((2, size))
        # The errors' covariance is that of (lower · [[first, 0], [below, second]])'⁻¹ z.
        half = np.stack([(z[0] - below * z[1] / second) / first, z[1] / second])
        noise = np.linalg.solve(lower.T, half)
        return judged, np.asarray(self._slopes.T @ at + reach * noise)

    # -- how many items it rests on ------------------------------------------------------------------------

    @property
    def carriers(self) -> float:
        """Like how many items of one size the differences of human scores weigh: few where large ones are rare."""
        return _like_equals(self.human @ _DIFFERENCE, self._reach)

    @property
    def carriers_of_errors(self) -> float:
        """Like how many the judge's errors weigh; none where it has none on these items."""
        return _like_equals((self.human - self._design @ self._slopes) @ _DIFFERENCE, self._reach)

    # -- what labels are worth -----------------------------------------------------------------------------

    @property
    def n_human(self) -> int:
        """How many items humans scored."""
        return len(self.human)

    @property
    def left(self) -> int:
        """How many they did not."""
        return self.n_items - self.n_human

    @cached_property
    def _parts(self) -> tuple[float, float, float]:
        """Variances of an item's difference: of the error, of what the judge explains, and as humans see it."""
        error = float(_DIFFERENCE @ self._errors @ _DIFFERENCE) / max(self._freedom - 3, 1)
        slope = self._slopes[1:] @ _DIFFERENCE
        return error, float(slope @ self.covariance @ slope), float((self.human @ _DIFFERENCE).var(ddof=1))

    def after(self, more: int) -> float:
        """Return the variance of the difference that so many more human scores are expected to leave."""
        error, explained, _ = self._parts
        return error / (self.n_human + more) + explained / self.n_items

    after_best = after
    after_any = after

    @property
    def variance(self) -> float:
        """The variance of the difference."""
        return self.after(0)

    @property
    def without_judge(self) -> float:
        """The variance that the human scores alone would leave."""
        return self._parts[2] / self.n_human

    @property
    def worth(self) -> float:
        """How many human scores would tell as much without the judge."""
        return self._parts[2] / self.variance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedScores(Judged):
    """A judge's scores of two systems, and a human's of some of the items: `judge` and `human` are (n, 2) there.

    `ends` are the lowest and the highest score that is possible; `assumed` says that they are merely those seen.
    """

    judge: FloatArray = field(repr=False)
    human: FloatArray = field(repr=False)
    ends: tuple[float, float]
    assumed: bool = False

    name = "judged_scores"
    takes_scores = True
    no_papers = "the models of the papers are of labels"
    no_factor = "the prior of a regression is improper"
    moves = "The observed values are the judge's scores; the posterior is about a human's."
    prior = "human = slopes · judge + error ~ Normal(0, Σ); p(slopes, Σ) ∝ |Σ|^(-3/2)"

    @property
    def score_range(self) -> tuple[float, float]:
        """The lowest and the highest value that an item can have."""
        return self.ends

    @property
    def no_equivalence(self) -> str:
        """Why no verdict can say that two are equivalent; empty where the scale is known."""
        if not self.assumed:
            return ""
        low, high = self.ends
        return f"scores beyond those seen ({low:.4g} to {high:.4g}) may be rare and large, and would make a difference"

    @property
    def description(self) -> str:
        """The model in a sentence or two."""
        return (
            "Human scores of both systems are regressed on the judge's, and taken at the judge's means over all items; "
            "slopes and errors are unknown, and the posterior is a Student t."
        )

    def variants(self) -> list[tuple[str, Model]]:
        """Return no other: the prior has no mass."""
        return []

    def fit(self, outcomes: Any) -> ScoresPosterior:
        """Return the posterior of the judge's scores of all items."""
        items: ItemScores = outcomes
        scores = np.stack(items.values).astype(np.float64)
        return ScoresPosterior(
            judge=np.asarray(self.judge, dtype=np.float64),
            human=np.asarray(self.human, dtype=np.float64),
            means=scores.mean(axis=1),
            covariance=np.asarray(np.cov(scores)),
            n_items=scores.shape[1],
        )
