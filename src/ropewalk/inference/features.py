"""Features of data sets, observed or replicated alike: agreement, accuracy, recall, class shares; their p-values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, TypeAlias

import numpy as np

from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Tables
from ropewalk.metrics.registry import Metric
from ropewalk.models.replicate import agreements, cut, meetings, seen_tables
from ropewalk.results.checks import CheckRow
from ropewalk.typing import FloatArray, IntArray, Label

Key: TypeAlias = tuple[str, tuple[str, ...], Label | None]
"""Which statistic, of which classifiers, of which class."""

_GRID: Final = 2_000_000  # cells of confusion matrices that are looked at together
_ENDS: Final = (0.025, 0.25, 0.75, 0.975)
_ALIKE: Final = 1e-12  # values of a metric that differ by rounding only are the same
_ORDER: Final = ("agreement", "accuracy", "", "recall", "class share")  # a metric's own name in the third place


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is measured of data sets: one of `tables`, which hold a classifier each or all of them together.

    `metric` is one more statistic, if it is not among the others by its name.
    """

    tables: tuple[AnyOutcomes, ...]
    metric: Metric | None

    def seen(self, joint: AnyOutcomes | None) -> dict[Key, float]:
        """Return every statistic of the observed data; what a class without items has none of is NaN.

        `joint` are all classifiers on the same items, where the tables do not show on what they agree.
        """
        found: dict[Key, FloatArray] = {}
        for table in self.tables:
            found |= self.measure(seen_tables(table), table)
        if joint is not None:
            data = seen_tables(joint)
            found |= _agreed(agreements(data), data.margins().total[:, 0], joint.names, joint.labels)
        return {key: float(value[0]) for key, value in found.items()}

    def measure(self, data: Tables, table: AnyOutcomes) -> dict[Key, FloatArray]:
        """Return statistics of D data sets like `table`, each (D,), NaN where there are none."""
        margins, names, labels, metric = data.margins(), table.names, table.labels, self.metric
        total = margins.total[:, 0]
        found: dict[Key, FloatArray] = _agreed(agreements(data), total, names, labels)
        if not isinstance(table, MultilabelOutcomes):
            right = margins.tp.sum(axis=-1)
            found |= {("accuracy", (name,), None): _share(right[k], total) for k, name in enumerate(names)}
        if metric is not None and metric.name not in _ORDER:
            found |= {
                (metric.name, (name,), None): value for name, value in zip(names, _scores(metric, data), strict=False)
            }
        possible = [(j, label) for j, label in enumerate(labels) if label != NO_ANSWER]
        for k, name in enumerate(names):
            recalls = _share(margins.tp[k], margins.row)
            found |= {("recall", (name,), label): recalls[:, j] for j, label in possible}
        shares, whose = _share(margins.row, margins.total), names if len(self.tables) > 1 else ()
        return found | {("class share", whose, label): shares[:, j] for j, label in possible}

    def meet(
        self, data: Sequence[Tables], drawn: Sequence[Tables], generators: Sequence[np.random.Generator]
    ) -> dict[Key, FloatArray]:
        """Return the agreement that models of single classifiers expect, had they seen the same items.

        The items are those of the first of a pair, whose `data` was replicated; to each of them the second one says
        what its own model, as `drawn`, makes it say about an item of that class.
        """
        found: dict[Key, FloatArray] = {}
        first = self.tables[0]
        n_draws = len(data[0].margins().row)
        step = max(_GRID // (first.n_labels * (4 if isinstance(first, MultilabelOutcomes) else first.n_labels)), 1)
        for rng, (a, b) in zip(generators, combinations(range(len(self.tables)), 2), strict=True):
            parts = [
                meetings(cut(data[a], start, start + step), cut(drawn[b], start, start + step), rng)
                for start in range(0, n_draws, step)
            ]
            total = np.full(n_draws, float(self.tables[a].n_items))
            pair = (self.tables[a].names[0], self.tables[b].names[0])
            found |= _agreed(np.concatenate(parts)[np.newaxis], total, pair, first.labels)
        return found


def _scores(metric: Metric, data: Tables) -> Sequence[FloatArray]:
    """Return the metric of each classifier; nothing where somebody's own cannot do with an empty class."""
    try:
        values = metric(data)
    except InvalidInputError:
        return ()
    return list(np.where(data.margins().total[:, 0] > 0, values, np.nan))


def _agreed(
    alike: FloatArray | IntArray | None, total: FloatArray, names: Sequence[str], labels: Sequence[Label]
) -> dict[Key, FloatArray]:
    """Return the shares of items on which each pair says the same, by label where items have any number of them."""
    found: dict[Key, FloatArray] = {}
    if alike is None:
        return found
    for pair, weights in zip(combinations(names, 2), alike, strict=True):
        if weights.ndim == 1:
            found["agreement", pair, None] = _share(weights, total)
        else:
            shares = _share(weights, total[:, np.newaxis])
            found |= {("agreement", pair, label): shares[:, j] for j, label in enumerate(labels)}
    return found


def _share(part: Any, whole: Any) -> FloatArray:
    """Divide, leaving NaN where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(part, whole)
    found: FloatArray = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return found


# -- beside each other -------------------------------------------------------------------------------------


def beside(
    seen: Mapping[Key, float], values: Mapping[Key, FloatArray], *, ess: float = math.inf
) -> tuple[CheckRow, ...]:
    """Set each statistic beside its replicates, where both have it: see `CheckRow`.

    `ess` is how many independent draws the replicates come from, where that is not one each.

    Examples
    --------
    >>> key = ("accuracy", ("svm",), None)
    >>> row = beside({key: 0.8}, {key: np.array([0.7, 0.8, 0.8, 0.9])})[0]
    >>> row.p_value, row.n
    (0.5, 4)
    """
    keys = [key for key in values if not math.isnan(seen.get(key, math.nan)) and np.isfinite(values[key]).any()]
    labels = {label: place for place, label in enumerate(dict.fromkeys(label for _, _, label in values))}
    # Class by class, with the classifiers next to each other.
    keys.sort(key=lambda key: (_ORDER.index(key[0] if key[0] in _ORDER else ""), labels[key[2]]))
    return tuple(_row(key, seen[key], values[key][np.isfinite(values[key])], ess=ess) for key in keys)


def _row(key: Key, observed: float, values: FloatArray, *, ess: float) -> CheckRow:
    near = _ALIKE * max(abs(observed), 1.0)
    above = np.where(np.abs(values - observed) <= near, 0.5, values > observed)
    ends = np.quantile(values, _ENDS).tolist()
    return CheckRow(
        statistic=key[0],
        classifiers=key[1],
        label=key[2],
        observed=observed,
        mean=float(values.mean()),
        interval=Interval(ends[0], ends[3]),
        half=Interval(ends[1], ends[2]),
        p_value=float(above.mean()),
        mc_error=_mc_error(above, ess=ess),
        n=values.size,
    )


def _mc_error(above: FloatArray, *, ess: float) -> float:
    """Return the standard error of a p-value; that of 0 or 1 is not 0, since more draws might show other values."""
    share = (float(above.sum()) + 1.0) / (above.size + 2.0)
    return math.sqrt(share * (1.0 - share) * (1.0 / above.size + 1.0 / ess))
