"""Curves and confusion matrices: points, rates and their bands."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.report.document import Answer, Document, Table, describes, name, remark_lines
from ropewalk.report.words import metric_name, metric_title
from ropewalk.results.checks import Confusion
from ropewalk.results.curves import Band, CalibrationCurve, Curve, PrCurve, RocCurve, ThresholdCurve
from ropewalk.text.names import brief, count_of
from ropewalk.text.numbers import interval, number
from ropewalk.typing import Label

MAX_POINTS: Final = 11
MAX_CLASSES_BY_CELL: Final = 6  # more classes are not printed cell by cell
MAX_LABEL_LETTERS: Final = 24


# -- curves ------------------------------------------------------------------------------------------------


def _document(
    curve: Curve, title: str, axes: tuple[str, str], headline: str, columns: tuple[tuple[str, list[str]], ...] = ()
) -> Document:
    """Describe some points of a curve with both of its bands; `columns` are (header, cells of all points) to add."""
    band, items = curve.band, count_of(curve.n_items, "item")
    clusters = "" if curve.n_clusters is None else f" in {count_of(curve.n_clusters, 'cluster')}"
    places, mass = _places(band), f"{100 * band.prob:g}%"
    spread = np.unique(np.linspace(0, band.x.size - 1, min(MAX_POINTS, band.x.size)).round().astype(int))
    rows = [
        (
            number(band.x[i], 3) if math.isfinite(band.x[i]) else "∞",
            number(band.observed[i], places),
            interval(band.low[i], band.high[i], places),
            interval(band.all_low[i], band.all_high[i], places),
            *(cells[i] for _, cells in columns),
        )
        for i in spread.tolist()
    ]
    header = (*axes, f"{mass} at each point", f"{mass} at all points at once", *(head for head, _ in columns))
    data = f"{items}{clusters} · {band.draws:,} draws of the curve · seed {curve.seed}"
    answer = Answer(title=f"{title} of {name(curve.name)}", headline=headline, lines=(("Data", data),))
    return Document(
        title=answer.title,
        caption=f"{answer.title} · {items} · {band.draws:,} draws",
        answers=(answer,),
        tables=(Table(header=header, rows=tuple(rows), text_columns=0, ends_in_text=False),),
        remarks=remark_lines(curve.remarks),
    )


def _places(band: Band) -> int:
    """Return how many decimals show two digits of the width of the band."""
    width = float(np.median(band.high - band.low))
    return min(max(1 - math.floor(math.log10(width)), 0), 6) if width > 0 else 3


def _value_at(curve: Curve, axes: tuple[str, str], at: float) -> str:
    """Write what a curve is worth nearest to a place on its axis."""
    band, places = curve.band, _places(curve.band)
    i = int(np.abs(band.x - at).argmin())
    worth = f"{number(band.observed[i], places)} {interval(band.low[i], band.high[i], places)}"
    return f"{name(curve.name)}'s {axes[1]} is {worth} at a {axes[0]} of {band.x[i]:.2f}"


@describes(RocCurve)
def describe_roc(curve: RocCurve) -> Document:
    """Describe a ROC curve."""
    axes = ("false positive rate", "true positive rate")
    headline = f"{_value_at(curve, axes, 0.1)}; the area under it is {number(curve.auc, 4)}"
    return _document(curve, "ROC curve", axes, headline)


@describes(PrCurve)
def describe_pr(curve: PrCurve) -> Document:
    """Describe a curve of precision and recall."""
    axes = ("recall", "precision")
    return _document(curve, "Precision and recall", axes, _value_at(curve, axes, 0.5))


@describes(CalibrationCurve)
def describe_calibration(curve: CalibrationCurve) -> Document:
    """Describe how far probabilities come true."""
    band, who, mass = curve.band, name(curve.name), f"{100 * curve.band.prob:g}%"
    off = (band.x < band.all_low) | (band.x > band.all_high)
    bins, n_off = count_of(band.x.size, "bin"), int(off.sum())
    headline = f"In none of {bins} is {who} off by more than the band of all bins at once ({mass})"
    if n_off:
        headline = f"In {n_off} of {bins} {who}'s probability lies outside the band of all bins at once ({mass})"
    columns = (("items", [f"{n:,}" for n in curve.counts]), ("", ["off" if is_off else "" for is_off in off]))
    return _document(curve, "Calibration", ("predicted", "happened"), headline, columns)


@describes(ThresholdCurve)
def describe_threshold(curve: ThresholdCurve) -> Document:
    """Describe a metric against the threshold."""
    band, places = curve.band, _places(curve.band)
    i = int(np.searchsorted(curve.thresholds, curve.best))
    cut = "never" if math.isinf(curve.best) else f"from a score of {curve.best:.4g} on"
    ends = interval(curve.best_interval.low, curve.best_interval.high, 3)
    worth = f"{number(band.mean[i], places)} {interval(band.low[i], band.high[i], places)}"
    best = f"{name(curve.name)}'s {metric_name(curve.metric)} is best, {worth}, if positive is said {cut}"
    headline = f"{best} ({100 * band.prob:g}% interval of the best threshold {ends})"
    metric = metric_title(curve.metric)
    return _document(curve, f"{metric} against the threshold", ("threshold", metric), headline)


# -- confusion matrices ------------------------------------------------------------------------------------


@describes(Confusion)
def describe_confusion(matrix: Confusion) -> Document:
    """Describe a confusion matrix as rates."""
    about = f"{name(matrix.name)}: rate of each prediction, by true class, with its {100 * matrix.prob:g}% HDI"
    data = f"{count_of(int(matrix.counts.sum()), 'item')}, {len(matrix.rows)} classes"
    answer = Answer(title=f"Confusion matrix of {name(matrix.name)}", headline=about, lines=(("Data", data),))
    table = _rates(matrix)
    return Document(
        title=answer.title,
        caption=about,
        answers=(answer,),
        tables=(table,),
        remarks=remark_lines(matrix.remarks),
        terminal=(Table(header=table.header, rows=table.rows, ends_in_text=False, title=about),),
    )


def _rates(matrix: Confusion) -> Table:
    """Return the rates of few classes cell by cell; of many, how often each is found and what it is taken for."""
    items = [f"{n:,}" for n in matrix.counts.sum(axis=1).tolist()]
    few = len(matrix.labels) <= MAX_CLASSES_BY_CELL
    columns = [_name(label) for label in matrix.labels] if few else ["right", "most often taken for", ""]
    rows = []
    for i, label in enumerate(matrix.rows):
        cells = [_rate(matrix, i, j) for j in range(len(matrix.labels))] if few else _short(matrix, i, label)
        rows.append((_name(label), items[i], *cells))
    return Table(header=("truth", "items", *columns), rows=tuple(rows), ends_in_text=False)


def _rate(matrix: Confusion, i: int, j: int) -> str:
    rate = matrix.normalised[i, j]
    return f"{'–' if np.isnan(rate) else f'{rate:.3f}'} [{matrix.low[i, j]:.3f}, {matrix.high[i, j]:.3f}]"


def _short(matrix: Confusion, i: int, label: Label) -> list[str]:
    """Return how often a class is found, and what it is taken for most often."""
    right = matrix.labels.index(label)
    others = matrix.counts[i].copy()
    others[right] = -1
    worst = int(others.argmax())
    taken = [_name(matrix.labels[worst]), _rate(matrix, i, worst)] if others[worst] > 0 else ["–", ""]
    return [_rate(matrix, i, right), *taken]


def _name(label: Label) -> str:
    return name(brief(label_text(label), MAX_LABEL_LETTERS))
