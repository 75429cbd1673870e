"""Calibration of curves: bands hold the true curve as often as they say, on the grid that is drawn by default.

A share of 500 data sets is known to ±1 point (one standard error) at 95%; two of them are allowed. With
ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file, one JSON object a line.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import ropewalk as rw
from calibration.test_scores import PER_CLUSTER, of_cluster, record
from ropewalk.curves.drawing import ABOVE, System

pytestmark = pytest.mark.slow

REPEATS, DRAWS = 500, 2_000  # draws as by default: a band of fewer is wider
MANY = 30  # items of the smaller class from which a band is to cover 93%, and not 91%
SIZES = [  # positives, negatives, area under the curve, decimals of the scores
    (10, 10, 0.7, None),
    (10, 10, 0.98, None),
    (30, 30, 0.7, None),
    (30, 30, 0.98, None),
    (30, 30, 0.85, 0),
    (30, 300, 0.85, None),
    (300, 30, 0.85, None),
    (300, 30, 0.98, None),
    (300, 30, 0.85, 0),
    (100, 100, 0.85, None),
    (1_000, 1_000, 0.85, None),
]
LEVEL = 1e-9  # a curve that is 1 but for rounding lies in a band that ends at 1


def shift_of(area):
    """Return how far apart two unit normals are whose ROC curve has this area."""
    return math.sqrt(2) * float(special.ndtri(area))


def true_rates(area, decimals):
    """Return the false and true positive rates of all thresholds, from the highest down; of many without ties."""
    step = 10.0 ** -(4 if decimals is None else decimals)
    cuts = (np.round(np.arange(-9, 13, step), 4) - step / 2)[::-1]
    return special.ndtr(-cuts), special.ndtr(shift_of(area) - cuts)


def true_roc(x, area, decimals):
    return np.interp(x, *(np.concatenate([[0.0], rates, [1.0]]) for rates in true_rates(area, decimals)))


def true_pr(x, area, decimals, prevalence):
    """Return the precision at the threshold where each recall is first reached."""
    fpr, tpr = true_rates(area, decimals)
    hits, alarms = prevalence * tpr, (1 - prevalence) * fpr
    precision = hits / np.maximum(hits + alarms, np.finfo(np.float64).tiny)
    return precision[np.minimum(np.searchsorted(tpr, x - 1e-12), tpr.size - 1)]


class Held:
    """Counts how often bands held the truth: as a whole, at each point, and the pointwise band as a whole."""

    def __init__(self):
        self.whole, self.each, self.pointwise, self.widths = [], [], [], []

    def note(self, band, truth):
        each = (band.low - LEVEL <= truth) & (truth <= band.high + LEVEL)
        self.whole.append(bool(((band.all_low - LEVEL <= truth) & (truth <= band.all_high + LEVEL)).all()))
        self.each.append(each)
        self.pointwise.append(bool(each.all()))
        self.widths.append([(band.all_high - band.all_low).mean(), (band.high - band.low).mean()])

    def shares(self, study, **setting):
        """Return the shares, and record them."""
        points = np.mean(np.concatenate(self.each))
        widths = np.mean(self.widths, axis=0).tolist()
        shares = {"whole": np.mean(self.whole), "each": points, "pointwise, whole": np.mean(self.pointwise)}
        if len({each.size for each in self.each}) == 1:
            shares["worst point"] = np.mean(self.each, axis=0).min()
        shares = {name: float(share) for name, share in shares.items()}
        record(study, **setting, repeats=len(self.whole), coverage=shares, width=widths)
        return shares


def at_least(share, bound, repeats=REPEATS):
    """Return whether a share is at least as large as its bound, but for two standard errors of the simulation."""
    return share >= bound - 2 * math.sqrt(bound * (1 - bound) / repeats)


def bound_of(*class_sizes):
    return 0.93 if min(class_sizes) >= MANY else 0.91


def simulated(make, positives, negatives, area, decimals, *, in_clusters=False):
    """Return how often the bands hold the true curve; the classes of a PR curve are as large as chance makes them."""
    rng = np.random.default_rng([11, positives, negatives, round(1_000 * area), len(make)])
    held, n_items = Held(), positives + negatives
    prevalence = positives / n_items
    for seed in range(REPEATS):
        n_positive = positives
        if make == "pr":
            n_positive = min(max(int(rng.binomial(n_items, prevalence)), 1), n_items - 1)
        y = np.repeat([1, 0], [n_positive, n_items - n_positive])
        scores = rng.normal(shift_of(area) * y)
        options = {}
        if in_clusters:
            options["cluster"], source = of_cluster(rng, n_items // PER_CLUSTER)
            y = (rng.random(source.max() + 1) < prevalence).astype(np.int64)
            y, scores = y[source], rng.normal(shift_of(area) * y)[source]
        scores = scores if decimals is None else np.round(scores, decimals)
        band = getattr(rw.curves, make)(y, scores, pos_label=1, draws=DRAWS, rng=seed, **options).band
        truth = true_roc(band.x, area, decimals)
        if make == "pr":
            truth = true_pr(band.x, area, decimals, prevalence)
        held.note(band, truth)
    setting = {"positives": positives, "negatives": negatives, "area": area, "decimals": decimals}
    return held.shares(make, **setting, in_clusters=in_clusters)


@pytest.mark.parametrize(("positives", "negatives", "area", "decimals"), SIZES)
@pytest.mark.parametrize("make", ["roc", "pr"])
def test_bands_of_rates(make, positives, negatives, area, decimals):
    shares = simulated(make, positives, negatives, area, decimals)
    assert at_least(shares["whole"], bound_of(positives, negatives)), shares
    assert at_least(shares["each"], bound_of(positives, negatives)), shares
    assert shares["worst point"] >= 0.85, shares
    # The negative control: a pointwise band is none for the whole curve. Not so of 20 items.
    if area < 0.9 and min(positives, negatives) >= MANY:
        assert shares["pointwise, whole"] < shares["whole"] - 0.05, shares


def test_bands_without_imagined_negatives_are_found_out(monkeypatch):
    """The negative control: half a positive above and below all others, as it was first."""

    def positives_alone(system):
        system.imagine(truth=(1, 1), scores=(ABOVE, -np.inf), sizes=(1.0, 1.0))

    monkeypatch.setattr(System, "imagine_ends", positives_alone)
    assert simulated("roc", 300, 30, 0.85, None)["whole"] < 0.7


@pytest.mark.parametrize(("clusters", "bound"), [(60, 0.93), (20, 0.91)])
def test_bands_of_clusters(clusters, bound):
    n_items = PER_CLUSTER * clusters
    shares = simulated("roc", n_items // 2, n_items - n_items // 2, 0.85, None, in_clusters=True)
    assert at_least(shares["whole"], bound), shares


@pytest.mark.parametrize(
    ("n_items", "centre", "n_bins"),
    [(30, -1.0, 10), (100, -1.0, 10), (100, -3.0, 10), (1_000, -1.0, 10), (100, 0.0, 5)],
)
def test_bands_of_calibration_curves(n_items, centre, n_bins):
    """Of calibrated probabilities: what happens in a bin has the mean of its probabilities. Each bin alone, too."""
    rng = np.random.default_rng([10, n_items, n_bins])
    held, overstated = Held(), []
    for seed in range(REPEATS):
        p = special.expit(rng.normal(centre, 1.5, n_items))
        for chance in (p, special.expit(special.logit(p) / 1.5)):
            y = (rng.random(n_items) < chance).astype(np.int64)
            if y.min() == y.max():  # nothing to draw a curve of
                continue
            band = rw.curves.calibration(y, p, n_bins=n_bins, pos_label=1, draws=DRAWS, rng=seed).band
            if chance is p:
                held.note(band, band.x)
            else:
                overstated.append(bool(((band.all_low <= band.x) & (band.x <= band.all_high)).all()))
    shares = held.shares("calibration", n_items=n_items, centre=centre, n_bins=n_bins)
    assert at_least(shares["whole"], 0.93), shares
    assert at_least(shares["each"], 0.93), shares
    assert at_least(shares["worst point"], 0.93), shares
    if n_items >= 1_000:
        assert np.mean(overstated) < 0.5  # the negative control


@pytest.mark.parametrize("clusters", [40, 100])
def test_bands_of_calibration_curves_of_clusters(clusters):
    """Clusters have from none to all of their items in a bin: what is imagined there must weigh as they do."""
    rng = np.random.default_rng([13, clusters])
    held = Held()
    for seed in range(REPEATS):
        ids, source = of_cluster(rng, clusters)
        p = special.expit(rng.normal(-1.0, 1.5, source.max() + 1))
        y = (rng.random(p.size) < p).astype(np.int64)
        band = rw.curves.calibration(y[source], p[source], cluster=ids, pos_label=1, draws=DRAWS, rng=seed).band
        held.note(band, band.x)
    shares = held.shares("calibration", clusters=clusters)
    assert at_least(shares["whole"], 0.93), shares
    assert at_least(shares["each"], 0.93), shares


@pytest.mark.parametrize("metric", ["f1", "cost"])
@pytest.mark.parametrize(("positives", "negatives", "area"), [(10, 10, 0.85), (30, 30, 0.85), (30, 300, 0.85)])
def test_bands_of_thresholds(positives, negatives, area, metric):
    """At thresholds that were fixed before, and at those between the scores of the items, where it looks by default."""
    rng = np.random.default_rng([12, positives, negatives])
    held, prevalence = {"fixed": Held(), "between": Held()}, positives / (positives + negatives)
    costs, n_items = [[0.0, 1.0], [5.0, 0.0]] if metric == "cost" else None, positives + negatives
    fixed = np.linspace(-2.5, 2.5 + shift_of(area), 60)
    for seed in range(REPEATS):
        n_positive = min(max(int(rng.binomial(n_items, prevalence)), 1), n_items - 1)
        y = np.repeat([1, 0], [n_positive, n_items - n_positive])
        scores = rng.normal(shift_of(area) * y)
        options = {"metric": metric, "cost_matrix": costs, "pos_label": 1, "draws": DRAWS, "rng": seed}
        for name, thresholds in (("fixed", fixed), ("between", None)):
            band = rw.curves.threshold(y, scores, thresholds=thresholds, **options).band
            hits = prevalence * special.ndtr(shift_of(area) - band.x)
            alarms = (1 - prevalence) * special.ndtr(-band.x)
            f1, cost = 2 * hits / (hits + alarms + prevalence), alarms + 5 * (prevalence - hits)
            held[name].note(band, f1 if metric == "f1" else cost)
    setting = {"positives": positives, "negatives": negatives, "area": area, "metric": metric}
    shares = {name: each.shares(f"threshold, {name}", **setting) for name, each in held.items()}
    for each in shares.values():
        assert at_least(each["whole"], bound_of(positives, negatives)), shares
        assert at_least(each["each"], bound_of(positives, negatives)), shares
