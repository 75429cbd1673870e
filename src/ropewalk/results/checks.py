"""Confusion matrices as rates, and predictive checks: do data that a model replicates look like those observed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ropewalk._checks import published
from ropewalk.data.labels import find_label, label_text
from ropewalk.draws.intervals import Interval
from ropewalk.results.base import HEAD, Recipe, Rendered, part_of, pick
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.writing import count_of, visible
from ropewalk.typing import FloatArray, IntArray, Label

CheckKind = Literal["posterior", "prior"]

TAIL: Final = 0.025
"""A Bayesian p-value below this, or above one less this, says that a feature of the data is not reproduced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One feature of the data, and the same feature of replicated data sets.

    `p_value` is the share of replicates with at least the observed value, those with just that value counted half, and
    `mc_error` its Monte Carlo error. `interval` holds the middle 95% of the replicates, `half` the middle 50%. `n` are
    the replicates that have the feature at all: a class without items has no recall.
    """

    statistic: str
    classifiers: tuple[str, ...]
    label: Label | None
    observed: float
    mean: float
    interval: Interval
    half: Interval
    p_value: float
    mc_error: float
    n: int

    @property
    def flagged(self) -> bool:
        """Whether the model does not reproduce this feature: its p-value is near 0 or 1."""
        return not TAIL <= self.p_value <= 1 - TAIL

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain Python types."""
        return {
            **pick(self, "statistic classifiers"),
            "label": None if self.label is None else label_text(self.label),
            **pick(self, "observed mean interval half p_value mc_error n flagged"),
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PredictiveCheck(Rendered, Remarked):
    """Does the model reproduce the data? Observed features beside those of replicated data sets.

    Made by `predictive_check`. `observed` (K, M, M) are the confusion matrices of the classifiers `names` over
    `labels`, rows the truth, and `replicates` (n, K, M, M) those of the first n replicated data sets, as many as fit
    into 32 MB; both None where items have any number of labels or the matrices would be too large. All
    `draws` replicates count in the `rows`. `checked` is how many items each data set has, one number per table.
    """

    kind: CheckKind
    names: tuple[str, ...]
    labels: tuple[Label, ...]
    rows: tuple[CheckRow, ...]
    draws: int
    seed: int
    checked: tuple[int, ...]
    recipe: Recipe = field(repr=False)
    observed: IntArray | None = field(repr=False, default=None)
    replicates: IntArray | None = field(repr=False, default=None)
    remarks: tuple[Remark, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.observed, self.replicates):
            if array is not None:
                array.flags.writeable = False

    @property
    def flagged(self) -> tuple[CheckRow, ...]:
        """The features that the model does not reproduce, those with the most extreme p-values first."""
        return tuple(sorted((row for row in self.rows if row.flagged), key=extremity))

    @property
    def statistics(self) -> tuple[str, ...]:
        """What was checked, in the order of the rows."""
        return tuple(dict.fromkeys(row.statistic for row in self.rows))

    def of(self, statistic: str) -> tuple[CheckRow, ...]:
        """Return the rows of one statistic, such as "recall"."""
        rows = {name: tuple(row for row in self.rows if row.statistic == name) for name in self.statistics}
        return part_of(rows, statistic)

    def __repr__(self) -> str:
        features = count_of(len(self.rows), "feature")
        return visible(f"PredictiveCheck({self.kind}, {features}, {len(self.flagged)} not reproduced)")

    def to_dict(self) -> dict[str, Any]:
        """Return the check in plain Python types: exactly the JSON object, without the confusion matrices."""
        recipe = self.recipe
        return {
            **HEAD,
            "kind": self.kind,
            "model": recipe.model.name,
            "prior": recipe.prior,
            "pos_label": recipe.pos_label_text,
            "names": list(self.names),
            "labels": [label_text(label) for label in self.labels],
            **pick(recipe, "n_items n_clusters"),
            **pick(self, "checked draws seed"),
            "data_hash": recipe.data_hash,
            **pick(self, "rows notes"),
        }


def extremity(row: CheckRow) -> float:
    """Return how far a p-value is from its nearer end: the smallest is the least well reproduced."""
    return min(row.p_value, 1 - row.p_value)


@published
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
        return {
            **HEAD,
            "name": self.name,
            "labels": [label_text(label) for label in self.labels],
            "rows": [label_text(label) for label in self.rows],
            **pick(self, "counts normalised mean low high prior prob notes"),
        }
