"""What more data would say, from the posterior alone: a shortcut that needs no simulation.

With N items counted and n more to come, the variance of the posterior falls to about N / (N + n) of what it is, and
what it loses is how far its mean may still move. So the next posterior is the present one, shrunk around a mean that
is drawn on its way from the present mean towards the truth (the "moment matching" of Heath et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from ropewalk.draws.decision import Judged, decide_each, decide_each_by_probability, undecided_sides
from ropewalk.draws.judging import Question
from ropewalk.draws.summary import Estimate
from ropewalk.inference.counting import Batch
from ropewalk.typing import FloatArray

_LEAST: Final = 1e-300
_TRUTHS: Final = 4_000  # draws of the posterior that are taken for the truth in turn


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Draws of a difference, `delta`, its posterior in numbers, and how a later one is judged.

    Classifiers with items of their own are parts of their own, with `counted` items and a share `variances` of the
    variance each; on shared items the difference is one part.
    """

    delta: FloatArray
    estimate: Estimate
    variances: tuple[float, ...]
    counted: tuple[int, ...]
    question: Question

    @cached_property
    def _truths(self) -> FloatArray:
        return self.delta[:: max(self.delta.size // _TRUTHS, 1)]

    @cached_property
    def _ordered(self) -> FloatArray:
        return np.sort(self.delta)

    def remaining(self, n: int) -> float:
        """Return the share of the variance that is left after n more items for each part."""
        left = [v * many / (many + n) for v, many in zip(self.variances, self.counted, strict=True)]
        total = sum(self.variances)
        return sum(left) / total if total > 0 else 1.0

    def after(self, n: int) -> Batch:
        """Judge what comes of n more items, draws of the posterior being taken for the truth in turn."""
        question, left = self.question, self.remaining(n)
        assert question.rope is not None  # noqa: S101 - checked where it is asked for
        mean, hdi = self.estimate.mean, self.estimate.hdi
        middle, shrink = mean + np.sqrt(1 - left) * (self._truths - mean), float(np.sqrt(left))
        low, high = middle + shrink * (hdi.low - mean), middle + shrink * (hdi.high - mean)
        if question.higher_is_better:
            facing = (low, high, middle, question.rope)
        else:
            facing = (-high, -low, -middle, question.rope.mirrored())
        codes = decide_each(*facing)
        if question.rule == "probability":
            size = self._ordered.size
            edges = [mean + (end - middle) / max(shrink, _LEAST) for end in question.rope]
            below = np.searchsorted(self._ordered, edges[0], side="left") / size
            upto = np.searchsorted(self._ordered, edges[1], side="right") / size
            outside = [below, 1 - upto] if question.higher_is_better else [1 - upto, below]
            masses = np.stack([upto - below, *outside])
            codes = decide_each_by_probability(masses, question.prob, undecided_sides(*facing))
        return Batch(Judged(codes, middle, low, high), self._truths)
