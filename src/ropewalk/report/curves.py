"""Curves, as rows of plain strings."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ropewalk.report.shape import Escape, Table, View, metric_title
from ropewalk.results.curves import Band, CalibrationCurve, Curve, PrCurve, RocCurve, ThresholdCurve
from ropewalk.text.names import count_of
from ropewalk.text.numbers import interval, number

_ROWS: Final = 11
_AT: Final = 0.1
_HALF: Final = 0.5


def curve_table(curve: Curve, escape: Escape) -> Table:
    """Return some points of a curve with both of its bands."""
    band = curve.band
    places, mass = _places(band), f"{100 * band.prob:g}%"
    spread = np.unique(np.linspace(0, band.x.size - 1, min(_ROWS, band.x.size)).round().astype(int))
    rows: list[tuple[str, ...]] = [
        (
            number(band.x[i], 3) if math.isfinite(band.x[i]) else "∞",
            number(band.observed[i], places),
            interval(band.low[i], band.high[i], places),
            interval(band.all_low[i], band.all_high[i], places),
        )
        for i in spread
    ]
    across, up = _axes(curve)
    header: tuple[str, ...] = (across, up, f"{mass} at each point", f"{mass} at all points at once")
    if isinstance(curve, CalibrationCurve):
        off = (band.x < band.all_low) | (band.x > band.all_high)
        rows = [(*row, f"{curve.counts[i]:,}", "off" if off[i] else "") for i, row in zip(spread, rows, strict=True)]
        header = (*header, "items", "")
    return Table(
        header=tuple(map(escape, header)),
        rows=tuple(tuple(map(escape, row)) for row in rows),
        text_columns=0,
        ends_in_text=False,
    )


def curve_view(curve: Curve, escape: Escape) -> View:
    """Say what a curve shows."""
    band = curve.band
    items = count_of(curve.n_items, "item")
    if curve.n_clusters is not None:
        items += f" in {count_of(curve.n_clusters, 'cluster')}"
    return View(
        title=f"{_title(curve)} of {escape(curve.name)}",
        symbol="",
        headline=_headline(curve, escape),
        lines=(("Data", f"{items} · {band.draws:,} draws of the curve · seed {curve.seed}"),),
        shares=(),
        note="",
    )


def curve_caption(curve: Curve, escape: Escape) -> str:
    """Say what the table is about."""
    return f"{_title(curve)} of {escape(curve.name)} · {count_of(curve.n_items, 'item')} · {curve.band.draws:,} draws"


def _title(curve: Curve) -> str:
    if isinstance(curve, ThresholdCurve):
        return f"{metric_title(curve.metric)} against the threshold"
    return {"roc": "ROC curve", "pr": "Precision and recall", "calibration": "Calibration"}[curve.kind]


def _axes(curve: Curve) -> tuple[str, str]:
    if isinstance(curve, ThresholdCurve):
        return "threshold", metric_title(curve.metric)
    axes = {
        "roc": ("false positive rate", "true positive rate"),
        "pr": ("recall", "precision"),
        "calibration": ("predicted", "happened"),
    }
    return axes[curve.kind]


def _headline(curve: Curve, escape: Escape) -> str:
    band, name, mass = curve.band, escape(curve.name), f"{100 * curve.band.prob:g}%"
    places = _places(band)
    if isinstance(curve, RocCurve | PrCurve):
        at, (across, up) = (_AT if isinstance(curve, RocCurve) else _HALF), _axes(curve)
        i = int(np.abs(band.x - at).argmin())
        worth = f"{number(band.observed[i], places)} {interval(band.low[i], band.high[i], places)}"
        area = f"; the area under it is {number(curve.auc, 4)}" if isinstance(curve, RocCurve) else ""
        return f"{name}'s {up} is {worth} at a {across} of {band.x[i]:.2f}{area}"
    if isinstance(curve, CalibrationCurve):
        off = int(((band.x < band.all_low) | (band.x > band.all_high)).sum())
        bins = count_of(band.x.size, "bin")
        if not off:
            return f"In none of {bins} is {name} off by more than the band of all bins at once ({mass})"
        return f"In {off} of {bins} {name}'s probability lies outside the band of all bins at once ({mass})"
    assert isinstance(curve, ThresholdCurve)  # noqa: S101
    i = int(np.searchsorted(curve.thresholds, curve.best))
    cut = "never" if math.isinf(curve.best) else f"from a score of {curve.best:.4g} on"
    ends = interval(curve.best_interval.low, curve.best_interval.high, 3)
    worth = f"{number(band.mean[i], places)} {interval(band.low[i], band.high[i], places)}"
    told = f"{name}'s {escape(metric_title(curve.metric))} is best, {worth}, if positive is said {cut}"
    return f"{told} ({mass} interval of the best threshold {ends})"


def _places(band: Band) -> int:
    """Return how many decimals show two digits of the width of the band."""
    width = float(np.median(band.high - band.low))
    return min(max(1 - math.floor(math.log10(width)), 0), 6) if width > 0 else 3
