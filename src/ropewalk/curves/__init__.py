"""Curves of scores with credible bands: `roc`, `pr`, `calibration`, and any metric against the `threshold`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_prevalence, check_whole, checked_keywords, publish
from ropewalk.curves.drawing import ABOVE, System, threshold_sums, threshold_tables
from ropewalk.data.columns import as_numbers
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.items import View, equal_mass_bins, turned
from ropewalk.metrics.margins import ratio
from ropewalk.metrics.resolve import MetricLike, choose_metric, require_bounded
from ropewalk.models import measure
from ropewalk.results.curves import CalibrationCurve, PrCurve, RocCurve, ThresholdCurve
from ropewalk.results.options import CurveOptions
from ropewalk.text.remarks import note
from ropewalk.typing import FloatArray

__all__ = ["calibration", "pr", "roc", "threshold"]

publish(globals())

_CHOSEN_HERE: Final = (
    "The best threshold was chosen on these items, so what it reaches here is too good, the more so the fewer they "
    "are: test it on others."
)
_DEFAULT_GRID: Final = np.linspace(0.01, 0.99, 99)
_MAX_BINS: Final = 200
_MAX_THRESHOLDS: Final = 200
_MAX_ROUNDING: Final = 1e-12
_MIN_RECALL: Final = float(np.finfo(np.float64).tiny)


@checked_keywords
def roc(*data: Any, grid: Any = None, **options: Unpack[CurveOptions]) -> RocCurve:
    """Return the ROC curve of one system, its hull, and credible bands of the true positive rate.

    Parameters
    ----------
    *data
        ``(y_true, score)``; or an `ItemScores` and the name of one of its classifiers; or a file or dataframe and the
        name of the column of scores, with `truth` for that of the true labels.
    grid
        False positive rates at which the bands are given; by default 99 of them from 0.01 to 0.99. Nearer to 0 or
        1, and than one item of n, the band depends on single items, and a note says so.
    pos_label, cluster, id, sample_weight
        As in `compare`.
    prob, draws, rng, threads
        Mass of the bands, how many curves are drawn (2,000), the seed, and threads to draw with.

    The curves are drawn by re-weighting the items, and half an item of each class above all others and below them: at
    any threshold both rates are Beta(k + 1/2, n − k + 1/2), so that the band is open where no positive was missed, and
    at false positive rates that n negatives are too few to show. Both bands hold the observed curve.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> curve = rw.curves.roc(s["y_true"], s["nb_mult"], draws=200, rng=0)
    >>> print(f"{curve.auc:.4f}")
    0.9762
    """
    system = System(data, options, ranks=True)
    x = _grid(grid, system, 0, "false positive rate")
    distinct = np.unique(system.view.scores)[::-1]
    sums = (threshold_sums(system.view, distinct) @ system.ones).reshape(2, -1)[:, :-1]
    rates = np.cumsum(sums, axis=1) / sums.sum(axis=1, keepdims=True)
    tpr, fpr = np.concatenate([np.zeros((2, 1)), np.minimum(rates, 1.0)], axis=1)
    thresholds = np.append(np.inf, distinct)
    system.imagine_ends()
    matrix = threshold_sums(system.view, np.append(ABOVE, distinct))

    def curve(weights: FloatArray) -> FloatArray:
        sums = matrix @ weights
        n = len(sums) // 2
        rows = np.cumsum(sums.reshape(2, n, -1), axis=1)
        rates = rows / rows[:, -1:]
        return np.stack([_height(up, across, x) for up, across in zip(rates[0].T, rates[1].T, strict=True)], axis=1)

    hull, band = _hull(fpr.tolist(), tpr.tolist()), system.band(curve, x)
    return RocCurve(
        **system.facts,
        band=band,
        fpr=fpr,
        tpr=tpr,
        thresholds=thresholds,
        hull_fpr=fpr[hull],
        hull_tpr=tpr[hull],
        hull_thresholds=thresholds[hull],
    )


@checked_keywords
def pr(*data: Any, grid: Any = None, **options: Unpack[CurveOptions]) -> PrCurve:
    """Return the precision-recall curve of one system, and credible bands of the precision at each recall.

    Takes what `roc` takes; the `grid` holds recalls. Half an item of each class above all others and below them keeps
    the band open where none was wrongly called positive and where all were found.

    Examples
    --------
    >>> labels, scores = [1, 2, 1, 1, 2], [1.0, 0.9, 0.8, 0.7, 0.6]
    >>> curve = pr(labels, scores, draws=100, rng=0)
    >>> [f"{p:.3f}" for p in curve.precision]
    ['1.000', '1.000', '0.500', '0.667', '0.750', '0.600']
    """
    system = System(data, options, ranks=True)
    x = _grid(grid, system, 1, "recall")
    distinct = np.unique(system.view.scores)[::-1]
    tables = threshold_tables(threshold_sums(system.view, distinct) @ system.ones)
    recall, precision = (tables.tp / tables.positives)[:, 0], ratio(tables.tp, tables.called)[:, 0]
    system.imagine_ends()
    matrix = threshold_sums(system.view, np.append(ABOVE, distinct))
    reached = np.maximum(x - _MAX_ROUNDING, _MIN_RECALL)

    def curve(weights: FloatArray) -> FloatArray:
        drawn = threshold_tables(matrix @ weights)
        recalls, precisions = drawn.tp / drawn.positives, ratio(drawn.tp, drawn.called)
        # The first threshold at which a recall is reached, rounding apart.
        places = [np.minimum(np.searchsorted(column, reached), column.size - 1) for column in recalls.T]
        return np.stack([column[at] for at, column in zip(places, precisions.T, strict=True)], axis=1)

    band = system.band(curve, x)
    return PrCurve(
        **system.facts,
        band=band,
        recall=np.append(0.0, recall),
        precision=np.append(1.0, precision),
        thresholds=np.append(np.inf, distinct),
    )


@checked_keywords
def calibration(*data: Any, n_bins: int = 10, **options: Unpack[CurveOptions]) -> CalibrationCurve:
    """Return how often predicted events happen, in bins of equal mass of their probability, with credible bands.

    Takes what `roc` takes, with probabilities for scores. The items are re-weighted together with half a one that
    happened and half a one that did not in every bin: its share is Beta(k + 1/2, n − k + 1/2). Of clusters, half a one
    with as many items in the bin as is usual.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2_000)
    >>> curve = calibration(rng.random(2_000) < p, p, n_bins=5, draws=1_000, rng=0)
    >>> bool(((curve.band.all_low < curve.predicted) & (curve.predicted < curve.band.all_high)).all())
    True
    """
    number = check_whole(n_bins, "n_bins", 1, _MAX_BINS)
    system = System(data, options, probabilities=True)
    bins, place = np.unique(equal_mass_bins(system.view.scores, number), return_inverse=True)
    place, n = place.reshape(-1), bins.size
    weight = np.ones(place.size) if system.view.weight is None else system.view.weight
    total = np.bincount(place, weights=weight, minlength=n)
    predicted = ratio(np.bincount(place, weights=weight * system.view.scores, minlength=n), total)
    counts = np.bincount(place, minlength=n)
    sizes = [system.usual_size(place == i) for i in range(n)]
    system.imagine(truth=(1, 0) * n, scores=np.repeat(predicted, 2).tolist(), sizes=np.repeat(sizes, 2).tolist())
    view, bin_of = system.view, np.append(place, np.repeat(np.arange(n), 2))
    matrix = view.sums(bin_of + n * (view.truth == 0), 2 * n)

    def shares(weights: FloatArray) -> FloatArray:
        yes, no = (matrix @ weights).reshape(2, n, -1)
        return ratio(yes, yes + no)

    band = system.band(shares, predicted)
    return CalibrationCurve(**system.facts, band=band, predicted=predicted, happened=band.observed, counts=counts)


@checked_keywords
def threshold(
    *data: Any,
    metric: MetricLike | None = None,
    cost_matrix: Any = None,
    prevalence: Any = None,
    thresholds: Any = None,
    **options: Unpack[CurveOptions],
) -> ThresholdCurve:
    """Return a metric against the threshold that scores are cut at, with bands, the best threshold and regrets.

    Parameters
    ----------
    *data, **options
        As in `roc`.
    metric, cost_matrix
        Any metric of two classes that `compare` takes: "f1" (default), "fbeta(2)", "mcc", "cost" with a cost matrix
        (rows = truth, columns = decision, in label order).
    prevalence
        Evaluate at another share of positives.
    thresholds
        Where to look; by default halfway between neighbouring scores, 200 of them at most, and at the lowest one.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> curve = rw.curves.threshold(s["y_true"], s["svm_l2"], metric="f1", draws=200, rng=0)
    >>> curve.best_interval.low <= curve.best <= curve.best_interval.high
    True
    """
    system = System(data, options)
    table = Outcomes.empty(system.items.labels, ["A"])
    chosen = choose_metric(metric, table, system.items.labels[1], cost_matrix)
    if chosen.average is not None or (chosen.cost is not None and len(chosen.cost) != 2):  # noqa: PLR2004
        raise DataError(
            f"A threshold makes two classes, and {chosen.name!r} is not for two.",
            hint="give a metric of one class, or a 2 × 2 cost matrix.",
        )
    require_bounded(chosen, "at some thresholds it divides by nothing")
    chosen = chosen.at(1)
    if system.turned:  # costs and shares come in label order, and the positive label is last here
        chosen = chosen if chosen.cost is None else replace(chosen, cost=turned(chosen.cost))
        prevalence = prevalence[::-1] if isinstance(prevalence, Sequence | np.ndarray) else prevalence
    shares = check_prevalence(prevalence, system.items.labels)
    cuts = _cuts(system.view, thresholds)
    system.imagine_ends()
    matrix = threshold_sums(system.view, cuts[::-1])

    def curve(weights: FloatArray) -> FloatArray:
        return measure(chosen, threshold_tables(matrix @ weights), shares)[::-1]

    values = system.draw(curve)
    band = system.band(curve, cuts, values=values)
    sign = 1.0 if chosen.higher_is_better else -1.0
    best = (sign * values).max(axis=0)
    winners = cuts[np.sort((sign * values).argmax(axis=0))]
    tail = (1 - system.prob) / 2
    ends = winners[[int(tail * winners.size), winners.size - 1 - int(tail * winners.size)]]
    return ThresholdCurve(
        **system.facts | {"remarks": (*system.remarks, note("threshold_chosen_here", _CHOSEN_HERE))},
        band=band,
        metric=chosen.name,
        higher_is_better=chosen.higher_is_better,
        thresholds=cuts,
        best=float(cuts[(sign * band.mean).argmax()]),
        best_interval=Interval(float(ends[0]), float(ends[1])),
        regret=(best - sign * values).mean(axis=1),
    )


def _grid(grid: Any, system: System, label: int, rate: str) -> FloatArray:
    """Return the rates at which a curve is drawn, and note where they go beyond those at which bands were validated.

    `label` is the class whose items make the rate. A ROC curve ends at (1, 1) whatever the items are.
    """
    if grid is None:
        return _DEFAULT_GRID
    rates = np.unique(as_numbers(grid, "grid", what="`grid`"))
    if not rates.size or rates[0] < 0 or rates[-1] > 1:
        raise InvalidInputError("`grid` must hold rates from 0 to 1.", hint="grid=[0.01, 0.05, 0.1]")
    n_units = np.unique(system.view.member[system.view.truth == label]).size
    least = min(float(_DEFAULT_GRID[0]), 1 / n_units)
    known = ((rates >= least - _MAX_ROUNDING) & (rates <= 1 - least + _MAX_ROUNDING)) | ((label == 0) & (rates == 1))
    if not known.all():
        text = f"Closer than {least:.2g} to a {rate} of 0 or 1 the band depends on single items, and was not validated."
        system.remarks = (*system.remarks, note("grid_beyond_items", text))
    return rates


def _cuts(view: View, thresholds: Any) -> FloatArray:
    """Return ascending thresholds and ∞: the user's, or one between any two scores; of many, as many of each class.

    Halfway between scores, since a score as its own threshold counts as called positive although as many of its like
    lie below it: between them the rates are Beta(k + 1/2, n − k + 1/2), at a score Beta(k, n − k + 1).
    """
    if thresholds is not None:
        cuts = np.unique(as_numbers(thresholds, "thresholds", what="`thresholds`"))
        if not cuts.size:
            raise InvalidInputError(
                "`thresholds` is empty; name at least one, or leave it out.", hint="thresholds=[0.5] looks at one."
            )
        return np.append(cuts, np.inf)
    distinct = np.unique(view.scores)
    halfway = distinct[:-1] / 2 + distinct[1:] / 2
    # Between scores that differ in their last digit there is nothing.
    cuts = np.append(distinct[0], np.where(halfway > distinct[:-1], halfway, distinct[1:]))
    if distinct.size > _MAX_THRESHOLDS:
        parts = []
        for j in (0, 1):
            scores = np.unique(view.scores[view.truth == j])
            n = min(_MAX_THRESHOLDS // 2, scores.size)
            parts.append(scores[np.unique(np.linspace(0, scores.size - 1, n).astype(np.int64))])
        cuts = cuts[np.searchsorted(distinct, np.unique(np.concatenate(parts)))]
    return np.append(cuts, np.inf)


def _height(up: FloatArray, across: FloatArray, x: FloatArray) -> FloatArray:
    """Return the height of a ROC curve at `x`: the top of a vertical step, a line where scores are equal."""
    at = np.minimum(np.searchsorted(across, x, side="right"), across.size - 1)
    before = np.maximum(at - 1, 0)
    start = np.where(at > 0, across[before], 0.0)
    bottom = np.where(at > 0, up[before], 0.0)
    share = np.clip(ratio(x - start, across[at] - start), 0.0, 1.0)
    return np.where(x >= 1, 1.0, bottom + share * (up[at] - bottom))


def _hull(fpr: Sequence[float], tpr: Sequence[float]) -> Any:
    """Return the places of the points of the least concave curve above the points (Andrew's monotone chain)."""
    kept: list[int] = []
    for i, (x, y) in enumerate(zip(fpr, tpr, strict=True)):
        while len(kept) > 1:
            (x0, x1), (y0, y1) = ((rates[kept[-2]], rates[kept[-1]]) for rates in (fpr, tpr))
            if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0) - _MAX_ROUNDING:
                break
            kept.pop()
        kept.append(i)
    return np.array(kept)
