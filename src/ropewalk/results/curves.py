"""Curves with credible bands: ROC, precision and recall, calibration, and any metric against the threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ropewalk._checks import is_real, published
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.results.base import HEAD, Rendered, pick, plain
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.writing import count_of, told, visible
from ropewalk.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Band:
    """A curve on a grid `x`: its observed value, posterior mean, and two bands of mass `prob`.

    At each point alone the curve lies between `low` and `high` with probability `prob`; it lies between `all_low` and
    `all_high` at all points at once with that probability.
    """

    x: FloatArray
    observed: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    all_low: FloatArray
    all_high: FloatArray
    prob: float
    draws: int

    def at(self, x: float) -> Interval:
        """Return the pointwise interval at the nearest point of the grid; outside of it there is none."""
        if not is_real(x) or not self.x[0] <= x <= self.x[-1]:
            raise InvalidInputError(
                f"The grid goes from {self.x[0]:g} to {self.x[-1]:g}; got {told(x)}.",
                hint="give a grid= that holds it.",
            )
        place = int(np.abs(self.x - x).argmin())
        return Interval(float(self.low[place]), float(self.high[place]))

    def to_dict(self) -> dict[str, Any]:
        """Return the band in plain Python types."""
        return pick(self, "x observed mean low high all_low all_high prob draws")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Curve(Rendered, Remarked):
    """What every curve has: whose it is, how many items it is made of, and its band."""

    name: str
    n_items: int
    n_clusters: int | None
    band: Band
    seed: int
    remarks: tuple[Remark, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the curve in plain Python types; a threshold above all scores is null."""
        figures: dict[str, Any] = {**HEAD, "curve": self.kind}
        for field in fields(self):
            name = "notes" if field.name == "remarks" else field.name
            figures[name] = plain(getattr(self, name))
        return figures

    @property
    def kind(self) -> str:
        """What curve it is."""
        return type(self).__name__.removesuffix("Curve").lower()

    def __repr__(self) -> str:
        items = count_of(self.n_items, "item")
        return visible(f"{type(self).__name__}({self.name}, {items}, {self.band.draws:,} draws)")


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RocCurve(Curve):
    """True against false positive rate, from the highest threshold down. Made by `curves.roc`.

    The `hull` is the least concave curve above it: what the same scores reach where thresholds are mixed. Its band is
    that of the true positive rate at each false positive rate.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    hull_fpr: FloatArray
    hull_tpr: FloatArray
    hull_thresholds: FloatArray

    @property
    def auc(self) -> float:
        """The area under the observed curve."""
        return float(((self.tpr[1:] + self.tpr[:-1]) / 2 * np.diff(self.fpr)).sum())


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PrCurve(Curve):
    """Precision against recall, from the highest threshold down. Made by `curves.pr`.

    Its band is that of the precision where each recall is first reached.
    """

    recall: FloatArray
    precision: FloatArray
    thresholds: FloatArray


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CalibrationCurve(Curve):
    """How often it happens against how probable it was said to be, in bins of equal mass. Made by `curves.calibration`.

    The band is over the bins: `band.x` are their mean probabilities.
    """

    predicted: FloatArray
    happened: FloatArray
    counts: IntArray


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ThresholdCurve(Curve):
    """A metric against the threshold that scores are cut at. Made by `curves.threshold` and `costs.curve`.

    An item is called positive if its score is at least the threshold; `thresholds` ascend, and the last, ∞, calls
    nothing positive. `best` is the threshold with the best posterior mean; in `best_interval` the best one lies with
    probability `band.prob` (equal tails). `regret` is how much worse than the best one a threshold is on average:
    E[best over thresholds − this one].
    """

    metric: str
    higher_is_better: bool
    thresholds: FloatArray
    best: float
    best_interval: Interval
    regret: FloatArray

    def regret_of(self, threshold: float) -> float:
        """Return the expected regret of a threshold: that of the next one of the grid."""
        if not is_real(threshold) or math.isnan(threshold):
            raise InvalidInputError(f"A threshold is a number; got {told(threshold)}.", hint="such as 0.5.")
        place = int(np.searchsorted(self.thresholds, threshold))
        return float(self.regret[min(place, self.regret.size - 1)])
