"""A confusion matrix as rates, each with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ropewalk._version import __version__
from ropewalk.data.labels import find_label, label_text
from ropewalk.draws.intervals import Interval
from ropewalk.results.base import SCHEMA, Rendered
from ropewalk.text.names import visible
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.typing import FloatArray, IntArray, Label


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Confusion(Rendered, Remarked):
    """How often each class is taken for each other one: counts, rates and intervals. Made by `confusion`.

    Rows are true classes (`rows`), columns predicted ones (`labels`), which are the same unless missing predictions
    count as wrong. `normalised` is each row over its sum, NaN where a class has no items; `mean`, `low` and `high`
    are of the posterior of each rate, and `interval` gives one.
    """

    name: str
    labels: tuple[Label, ...]
    rows: tuple[Label, ...]
    counts: IntArray = field(repr=False)
    normalised: FloatArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    low: FloatArray = field(repr=False)
    high: FloatArray = field(repr=False)
    prior: FloatArray = field(repr=False)
    prob: float
    remarks: tuple[Remark, ...] = ()

    def interval(self, truth: Label, predicted: Label) -> Interval:
        """Return the HDI of the rate at which items of class `truth` are predicted to be `predicted`."""
        i = self.rows.index(find_label(truth, self.rows, what="truth"))
        j = self.labels.index(find_label(predicted, self.labels, what="predicted"))
        return Interval(float(self.low[i, j]), float(self.high[i, j]))

    def __repr__(self) -> str:
        return visible(f"Confusion({self.name}, {len(self.rows)} classes, {int(self.counts.sum()):,} items)")

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types; the rates of a class without items are None."""
        rates = np.where(np.isnan(self.normalised), None, self.normalised)  # type: ignore[call-overload]
        return {
            "schema": SCHEMA,
            "version": __version__,
            "name": self.name,
            "labels": [label_text(label) for label in self.labels],
            "rows": [label_text(label) for label in self.rows],
            "counts": self.counts.tolist(),
            "normalised": rates.tolist(),
            "mean": self.mean.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "prior": self.prior.tolist(),
            "prob": self.prob,
            "notes": list(self.notes),
        }
