"""Scores and differences in the units that people read: shares times a hundred, differences of shares in points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from ropewalk.text.writing import number, visible

_MAX_DECIMALS: Final = 9
CARRIED_UNITS: Final = 2.0
"""How many units of a digit the Monte Carlo error may be."""

_MINUS: Final = str.maketrans("-", "−")

_METRICS: Final = {
    "f1": "F1", "mcc": "MCC", "fpr": "FPR", "fnr": "FNR", "gmean": "G-mean", "roc": "ROC", "pr": "PR", "auc": "AUC",
    "brier": "Brier score", "ece": "ECE", "ap": "AP", "auroc": "AUROC", "auprc": "AUPRC", "tpr": "TPR", "tnr": "TNR",
    "ppv": "PPV", "npv": "NPV", "fdr": "FDR", "lr_plus": "LR+", "lr_minus": "LR−", "youden": "Youden's J",
}  # fmt: skip


def metric_title(metric: str) -> str:
    """Write a metric's name as people say it.

    Examples
    --------
    >>> metric_title("lr_plus"), metric_title("balanced_accuracy"), metric_title("macro_f1")
    ('LR+', 'balanced accuracy', 'macro F1')
    """
    if metric in _METRICS:
        return _METRICS[metric]
    return " ".join([_METRICS.get(word, word) for word in visible(metric).replace("_", " ").split(" ")])


@dataclass(frozen=True, slots=True)
class Unit:
    """What differences are counted in: `scale` of them make one of the metric, and `noun` is what one is called."""

    scale: float
    noun: str = ""

    @property
    def is_points(self) -> bool:
        """Whether it is the hundredth part of a share."""
        return self.noun == "point"

    def counted(self, size: float) -> str:
        """Write a size with what it counts, no more digits than were given.

        Examples
        --------
        >>> POINTS.counted(0.01), POINTS.counted(0.005), AS_IT_IS.counted(0.25)
        ('1 point', '0.5 points', '0.25')
        """
        text = f"{size * self.scale:.6g}"
        return f"{text} {self.noun}{'' if text == '1' else 's'}" if self.noun else text


POINTS: Final = Unit(100.0, "point")
AS_IT_IS: Final = Unit(1.0)
RANKS: Final = Unit(1.0, "rank")


def unit_of(low: float, high: float) -> Unit:
    """Return the unit for a metric by the least and the most that it can be: points for a share or a correlation.

    Examples
    --------
    >>> unit_of(0.0, 1.0) is POINTS, unit_of(-1.0, 1.0) is POINTS, unit_of(0.0, math.inf) is AS_IT_IS
    (True, True, True)
    """
    return POINTS if low in {-1.0, 0.0} and high == 1.0 else AS_IT_IS


@dataclass(frozen=True, slots=True)
class Shown:
    """An estimate as people read it: its mean and the ends of its interval in one unit, all to so many decimals."""

    mean: float
    low: float
    high: float
    places: int

    @classmethod
    def of(cls, estimate: Any, unit: Unit, *, mirror: bool = False) -> Shown:
        """Return an estimate in a unit: two significant digits of half its interval, none that draws do not carry."""
        sign = -unit.scale if mirror else unit.scale
        low, high = sorted((sign * estimate.hdi.low, sign * estimate.hdi.high))
        places = places_of(low, high, unit.scale * max(*estimate.hdi_mc_error, estimate.mc_error))
        return cls(sign * estimate.mean, low, high, places)

    @property
    def has_mean(self) -> bool:
        """Whether there is a mean: a ratio may have none."""
        return not math.isnan(self.mean)

    @property
    def centre(self) -> float:
        """The mean; the middle of the interval where there is none."""
        return self.mean if self.has_mean else (self.low + self.high) / 2

    def value(self, *, sign: bool = True) -> str:
        """Write the mean."""
        return signed(self.mean, self.places, sign=sign)

    def interval(self) -> str:
        """Write the interval, signed unless both ends are positive; an end that is not 0 does not read 0.

        Examples
        --------
        >>> Shown(6.6, 3.5, 9.7, 1).interval(), Shown(0.6, -0.02, 4.1, 1).interval()
        ('[3.5, 9.7]', '[−0.02, +4.1]')
        """
        return f"[{', '.join(self.ends(sign=self.low <= 0))}]"

    def ends(self, *, sign: bool = True) -> tuple[str, str]:
        """Write the two ends."""
        return self._end(self.low, sign=sign), self._end(self.high, sign=sign)

    def text(self) -> str:
        """Write the mean, if there is one, and the interval."""
        return f"{self.value()} {self.interval()}" if self.has_mean else self.interval()

    def _end(self, end: float, *, sign: bool) -> str:
        text = signed(end, self.places, sign=sign)
        if end and math.isfinite(end) and not float(text.translate({ord("−"): "-"})):
            finer = -math.floor(math.log10(abs(end)))
            return signed(end, finer, sign=sign) if finer <= self.places + 1 else text
        return text


def places_of(low: float, high: float, error: float) -> int:
    """Return how many decimals show two significant digits of half an interval, if the Monte Carlo error carries them.

    A digit is carried if two units of it are at least the error: to leave it out would add more than that, since
    rounding to the next one is off by three units on average.

    Examples
    --------
    >>> places_of(3.5, 9.7, 0.15), places_of(-10.0, 20.0, 0.05), places_of(3.5, 9.7, 0.5)
    (1, 0, 0)
    """
    half = (high - low) / 2
    wanted = 1 - math.floor(math.log10(half)) if 0 < half < math.inf else 1
    carried = math.floor(-math.log10(error / CARRIED_UNITS)) if 0 < error < math.inf else wanted
    return min(max(min(wanted, carried), 0), _MAX_DECIMALS)


def signed(value: float, places: int, *, sign: bool = True) -> str:
    """Write a number with a real minus sign.

    Examples
    --------
    >>> signed(-0.95, 1), signed(2.26, 1), signed(2.26, 1, sign=False), signed(-0.01, 1)
    ('−0.9', '+2.3', '2.3', '0.0')
    """
    return number(value, places, sign=sign).translate(_MINUS)
