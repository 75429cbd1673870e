"""Calibration of scores and clusters: intervals cover what they say, and wrong ones are found out.

Coverage of 95% from 1,000 data sets is known to ±0.7 points (one standard error), from 2,000 to ±0.5.
With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file, one JSON object a line.
"""

from __future__ import annotations

import json
import math
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, special, stats

import ropewalk as rw
from ropewalk.classical.items import Placements
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import hdi
from ropewalk.metrics import parse_metric
from ropewalk.metrics.items import equal_mass_bins
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models import Bootstrap, Sigir2016

pytestmark = pytest.mark.slow

N_ITEMS = 1_000
REPEATS, DRAWS = 1_000, 1_000
SHIFTS, TOGETHER = (1.2, 1.0), 0.6
PER_CLUSTER, WITHIN = 5, 0.5


def record(study, **figures):
    """Add figures to the file that the environment names, if it does."""
    path = os.environ.get("ROPEWALK_CALIBRATION_OUT")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"study": study, **figures}) + "\n")


class Tally:
    """Counts, by name, how often an interval held the truth, and sums up their widths."""

    def __init__(self, study, **setting):
        self.study, self.setting = study, setting
        self.hits, self.widths = {}, {}

    def hit(self, name, held):
        self.hits.setdefault(name, []).append(bool(held))

    def note(self, name, ends, truth):
        low, high = ends
        self.hit(name, low <= truth <= high)
        self.widths.setdefault(name, []).append(high - low)

    def draws(self, name, draws, truth):
        self.note(name, hdi(np.sort(draws), 0.95), truth)

    def coverage(self):
        found = {name: float(np.mean(hits)) for name, hits in self.hits.items()}
        widths = {name: float(np.mean(each)) for name, each in self.widths.items()}
        repeats = {name: len(hits) for name, hits in self.hits.items()}
        record(self.study, **self.setting, repeats=repeats, coverage=found, width=widths)
        return found, widths


def within(share, low=0.93, high=0.97):
    return low <= share <= high


# -- two systems whose scores are normal in either class ---------------------------------------------------------


def binormal(rng, n_items, prevalence, shifts=SHIFTS, together=TOGETHER):
    """Return the truth and (n_items, 2) scores: unit normals correlated by `together`, positives higher by `shifts`."""
    truth = (rng.random(n_items) < prevalence).astype(np.int64)
    common = np.sqrt(together) * rng.standard_normal((n_items, 1))
    own = np.sqrt(1 - together) * rng.standard_normal((n_items, 2))
    return truth, common + own + truth[:, np.newaxis] * np.array(shifts)


def true_auc(shift):
    return float(stats.norm.cdf(shift / np.sqrt(2)))


@cache
def true_average_precision(shift, prevalence):
    """Return the integral of the precision over the recall, by quadrature over the threshold."""

    def slope(cut):
        hits = prevalence * special.ndtr(shift - cut)
        found = hits + (1 - prevalence) * special.ndtr(-cut)
        return stats.norm.pdf(cut - shift) * hits / found

    return float(integrate.quad(slope, -12, 12 + shift, epsabs=1e-12, limit=200)[0])


def drawn(rng, items, *names, draws=DRAWS):
    """Draw every metric of the same weights, each (K, draws)."""
    weighted = Bootstrap().fit(items).block(rng, draws)
    return [SCORE_METRICS[name](weighted) for name in names]


@cache
def areas(prevalence):
    """Return coverage and mean widths of areas and their differences, by the bootstrap and by DeLong."""
    rng = np.random.default_rng([1, round(100 * prevalence)])
    drawing = rng.spawn(1)[0]  # of its own, so that the data stay the same whatever the sampler does
    auc = [true_auc(shift) for shift in SHIFTS]
    ap = [true_average_precision(shift, prevalence) for shift in SHIFTS]
    tally = Tally("areas", n_items=N_ITEMS, prevalence=prevalence, auc=auc, average_precision=ap)
    for _ in range(2 * REPEATS):
        truth, scores = binormal(rng, N_ITEMS, prevalence)
        items = ItemScores.from_arrays(truth, *scores.T)
        by_auc, by_ap = drawn(drawing, items, "roc_auc", "average_precision")
        tally.draws("delta auc", by_auc[0] - by_auc[1], auc[0] - auc[1])
        tally.draws("auc", by_auc[0], auc[0])
        tally.draws("delta ap", by_ap[0] - by_ap[1], ap[0] - ap[1])
        tally.draws("ap", by_ap[0], ap[0])
        found = Placements.of(items)
        seen, covariance = found.areas, found.covariance()
        for name, mixed in (("delong", 2 * covariance[0, 1]), ("delong without pairs", 0.0)):
            reach = stats.norm.ppf(0.975) * np.sqrt(covariance.trace() - mixed)
            tally.note(name, (seen[0] - seen[1] - reach, seen[0] - seen[1] + reach), auc[0] - auc[1])
        # Draws of A and of B from weights of their own: what not knowing the pairs would cost.
        tally.draws("delta auc without pairs", by_auc[0] - drawing.permutation(by_auc[1]), auc[0] - auc[1])
    return tally.coverage()


PREVALENCES = [0.1, 0.3]


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_the_95_percent_hdi_covers_the_true_areas_and_their_differences(prevalence):
    found, _ = areas(prevalence)
    assert within(found["delta auc"]), found
    assert within(found["auc"]), found
    assert within(found["delta ap"], 0.92), found


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_the_interval_is_about_that_of_delong(prevalence):
    found, widths = areas(prevalence)
    assert abs(found["delta auc"] - found["delong"]) <= 0.015, found
    assert 0.93 <= widths["delta auc"] / widths["delong"] <= 1.02, widths


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_pairing_is_what_makes_the_interval_narrow(prevalence):
    """Correlation .6 between the scores: without pairs the interval is 35 to 60% wider than it need be."""
    found, widths = areas(prevalence)
    for name in ("delta auc", "delong"):
        assert 1.35 <= widths[f"{name} without pairs"] / widths[name] <= 1.60, widths
        assert found[f"{name} without pairs"] > 0.98, found


def test_the_interval_of_the_whole_call_covers_too():
    rng = np.random.default_rng(2)
    truth = true_auc(SHIFTS[0]) - true_auc(SHIFTS[1])
    tally = Tally("compare by scores", n_items=N_ITEMS, prevalence=0.1)
    for seed in range(REPEATS):
        y, scores = binormal(rng, N_ITEMS, 0.1)
        for model in ("scores", "bootstrap"):
            r = rw.compare(y, *scores.T, metric="roc_auc", model=model, draws=DRAWS, rng=seed)
            tally.note(model, r.hdi, truth)
        tally.note("delong", r.tests["delong"].effect.interval, truth)
    found, widths = tally.coverage()
    assert within(found["scores"]), found
    assert within(found["bootstrap"]), found
    assert 0.93 <= widths["bootstrap"] / widths["delong"] <= 1.02, widths
    # One imagined item beside 100 positive ones lies ten times as far from the mean as those, in squares: 10% at most.
    assert 1.0 <= widths["scores"] / widths["bootstrap"] <= 1.05, widths


def test_counting_every_item_twice_is_found_out_and_naming_the_repeats_mends_it():
    """The negative control of coverage: intervals √2 too narrow."""
    rng = np.random.default_rng(3)
    drawing = rng.spawn(1)[0]
    truth = true_auc(SHIFTS[0]) - true_auc(SHIFTS[1])
    tally = Tally("every item twice", n_items=N_ITEMS, prevalence=0.3)
    twice = np.tile(np.arange(N_ITEMS), 2)
    for _ in range(REPEATS):
        y, scores = binormal(rng, N_ITEMS, 0.3)
        for name, ids in (("plain", None), ("clustered", twice)):
            items = ItemScores.from_arrays(y[twice], *scores[twice].T, cluster=ids)
            (psi,) = drawn(drawing, items, "roc_auc")
            tally.draws(name, psi[0] - psi[1], truth)
    found, _ = tally.coverage()
    assert found["plain"] < 0.88, found
    assert within(found["clustered"]), found


# -- clusters ----------------------------------------------------------------------------------------------------


def of_cluster(rng, n_clusters):
    """Return where each item comes from, such that any function of an item is correlated by `WITHIN` in a cluster.

    An item is a copy of its cluster's first one with probability √WITHIN, and one of its own otherwise: two items of a
    cluster are the same with probability WITHIN, independent otherwise, and each by itself is like any other. So the
    correlation is exactly WITHIN for a score, for being right, for the difference of two systems in being right, and
    for what an item adds to F1 or to an area.
    """
    n_items = n_clusters * PER_CLUSTER
    ids = np.repeat(np.arange(n_clusters), PER_CLUSTER)
    own = n_clusters + np.arange(n_items)
    return ids, np.where(rng.random(n_items) < np.sqrt(WITHIN), ids, own)


@cache
def clustered_means(n_clusters):
    """The difference of an item is the sum of its cluster's part and its own, both normal."""
    rng = np.random.default_rng([4, n_clusters])
    drawing = rng.spawn(1)[0]
    ids = np.repeat(np.arange(n_clusters), PER_CLUSTER)
    tally = Tally("clustered means", n_clusters=n_clusters, per_cluster=PER_CLUSTER, correlation=WITHIN)
    for _ in range(2 * REPEATS):
        difference = np.sqrt(WITHIN) * rng.standard_normal(n_clusters)[ids]
        difference += np.sqrt(1 - WITHIN) * rng.standard_normal(ids.size)
        base = rng.standard_normal(ids.size)
        for name, cluster in (("clustered", ids), ("plain", None)):
            items = ItemScores.from_arrays(None, base + 0.3 + difference, base, cluster=cluster)
            (psi,) = drawn(drawing, items, "mean")
            tally.draws(name, psi[0] - psi[1], 0.3)
    return tally.coverage()[0]


def test_an_interval_of_clusters_covers_and_one_that_ignores_them_does_not():
    found = clustered_means(200)
    assert within(found["clustered"]), found
    assert found["plain"] < 0.80, found


@pytest.mark.parametrize(("n_clusters", "low", "high"), [(10, 0.82, 0.90), (30, 0.90, 0.945)])
def test_few_clusters_cover_less_than_they_say(n_clusters, low, high):
    """What the warning below 50 clusters is about."""
    found = clustered_means(n_clusters)
    assert low <= found["clustered"] <= high, found
    assert found["plain"] < found["clustered"] - 0.05, found


LABELS = {  # shares of (truth, A, B)
    (1, 1, 1): 0.18, (1, 1, 0): 0.06, (1, 0, 1): 0.03, (1, 0, 0): 0.03,
    (0, 0, 0): 0.53, (0, 0, 1): 0.06, (0, 1, 0): 0.04, (0, 1, 1): 0.07,
}  # fmt: skip


def test_labels_in_clusters():
    rng = np.random.default_rng(5)
    drawing = rng.spawn(1)[0]
    rows, shares = np.array(list(LABELS)), np.array(list(LABELS.values()))
    metrics = {"accuracy": parse_metric("accuracy"), "f1": parse_metric("f1").at(1)}
    whole = rw.Outcomes.from_rows({row: round(100 * share) for row, share in LABELS.items()}, names=["A", "B"])
    truth = {name: float(np.subtract(*rw.models.observed_psi([whole], m))) for name, m in metrics.items()}
    tally = Tally("clustered labels", n_clusters=200, per_cluster=PER_CLUSTER, correlation=WITHIN, delta=truth)
    for seed in range(REPEATS):
        ids, places = of_cluster(rng, 200)
        data = rows[rng.choice(len(rows), places.max() + 1, p=shares)][places]
        plain = rw.Outcomes.from_arrays(*data.T, labels=[0, 1])
        for name, metric in metrics.items():
            r = rw.compare(*data.T, labels=[0, 1], pos_label=1, metric=name, cluster=ids, draws=DRAWS, rng=seed)
            tally.note(f"clustered {name}", r.hdi, truth[name])
            for ignoring in (Sigir2016(), Bootstrap()):
                psi = metric(ignoring.fit(plain).block(drawing, DRAWS))
                tally.draws(f"{ignoring.name} {name}", psi[0] - psi[1], truth[name])
    found, _ = tally.coverage()
    for name in metrics:
        assert within(found[f"clustered {name}"]), found
        assert found[f"sigir2016 {name}"] < 0.80, found
        assert found[f"bootstrap {name}"] < 0.80, found


def test_areas_in_clusters():
    rng = np.random.default_rng(6)
    drawing = rng.spawn(1)[0]
    truth = true_auc(SHIFTS[0]) - true_auc(SHIFTS[1])
    tally = Tally("clustered areas", n_clusters=200, per_cluster=PER_CLUSTER, correlation=WITHIN, prevalence=0.3)
    for _ in range(REPEATS):
        ids, places = of_cluster(rng, 200)
        y, scores = binormal(rng, places.max() + 1, 0.3)
        for name, cluster in (("clustered", ids), ("plain", None)):
            items = ItemScores.from_arrays(y[places], *scores[places].T, cluster=cluster)
            (psi,) = drawn(drawing, items, "roc_auc")
            tally.draws(name, psi[0] - psi[1], truth)
    found, _ = tally.coverage()
    assert within(found["clustered"]), found
    assert found["plain"] < 0.80, found


# -- probabilities -----------------------------------------------------------------------------------------------


def forecasts(rng, n_items):
    """Return the truth and two systems' probabilities: A sees the log-odds with noise, B overstates them."""
    odds = rng.normal(-1.0, 1.5, n_items)
    truth = (rng.random(n_items) < special.expit(odds)).astype(np.int64)
    a = special.expit(odds + 0.5 * rng.standard_normal(n_items))
    b = special.expit(1.5 * odds + 0.5 * rng.standard_normal(n_items))
    return truth, a, b


LOSSES = ["brier", "log_loss", "ece"]


@cache
def true_losses():
    """Return the losses of both systems, (3, 2), from 10 million items in batches; the ECE has each batch's bins."""
    rng = np.random.default_rng(7)
    parts = []
    for _ in range(10):
        truth, *said = forecasts(rng, 1_000_000)
        parts.append([_losses(truth, p) for p in said])
    return np.mean(parts, axis=0).T


def _losses(truth, p):
    gaps = np.abs(np.bincount(equal_mass_bins(p), weights=p - truth)).sum() / truth.size
    given = np.where(truth == 1, p, 1 - p)
    return ((p - truth) ** 2).mean(), -np.log(given).mean(), gaps


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("exact", [True, False])
def test_a_log_loss_with_a_rare_catastrophe_is_not_called_equivalent(exact):
    """B is as good as A, but says 1e-15 of the truth so rarely that many data sets have no such item."""
    n_items, rate, rope, repeats = 2_000, 4e-4, 0.01, 400
    rng = np.random.default_rng(21)
    true = rate * (math.log(1e-15) - 0.9 * math.log(0.9) - 0.1 * math.log(0.1))
    assert true < -rope
    tally = Tally("rare catastrophe", n_items=n_items, rate=rate, rope=rope, exact=exact)
    for seed in range(repeats):
        truth = rng.integers(0, 2, n_items)
        given = np.where(rng.random(n_items) < 0.9, 0.9, 0.1)
        other = np.where(rng.random(n_items) < rate, 1e-15, given)
        a, b = (np.where(truth == 1, p, 1 - p) for p in (given, other))
        for name, scale in (("seen", None), ("declared", (0, 35))):
            r = rw.compare(truth, a, b, metric="log_loss", scale=scale, rope=rope, exact=exact, draws=DRAWS, rng=seed)
            tally.note(f"{name} interval", r.hdi, true)
            tally.hit(f"{name} wrong", r.decision is not None and r.decision.symbol in {"≈", "≪"})
    found, _ = tally.coverage()
    assert found["seen interval"] < 0.8, found  # so that verdicts by it would be wrong
    assert found["seen wrong"] == 0, found
    assert found["declared interval"] > 0.93, found
    assert found["declared wrong"] < 0.01, found


def test_losses_of_probabilities():
    rng = np.random.default_rng(8)
    drawing = rng.spawn(1)[0]
    true = true_losses()[:2]
    tally = Tally("losses", n_items=N_ITEMS, true=true.tolist())
    for _ in range(2 * REPEATS):
        items = ItemScores.from_arrays(*forecasts(rng, N_ITEMS))
        for name, psi, (a, b) in zip(LOSSES, drawn(drawing, items, *LOSSES[:2]), true, strict=False):
            tally.draws(f"delta {name}", psi[0] - psi[1], a - b)
            tally.draws(name, psi[0], a)
    found, _ = tally.coverage()
    assert all(map(within, found.values())), found


def test_the_calibration_error_is_drawn_without_its_noise():
    """The gaps of bins do not cancel out: noise adds to the observed error, and re-weighting adds as much again.

    Without what it adds, taken off twice, a system that is nearly calibrated has an interval that is of some use at
    1,000 items and a fair one from 4,000 on; as they are drawn, the intervals at 1,000 items never hold the truth.
    """
    rng = np.random.default_rng(11)
    drawing = rng.spawn(1)[0]
    true = true_losses()[2]
    found = {}
    for n_items, repeats in ((1_000, 400), (4_000, 400), (16_000, 200)):
        tally = Tally("ece", n_items=n_items, true=true.tolist())
        for seed in range(repeats):
            truth, *said = forecasts(rng, n_items)
            r = rw.compare(truth, *said, metric="ece", draws=1_000, rng=seed)
            tally.note("delta ece", (r.hdi.low, r.hdi.high), true[0] - true[1])
            tally.note("ece", (r.estimate_a.hdi.low, r.estimate_a.hdi.high), true[0])
            if n_items == N_ITEMS:
                tally.draws("as drawn", drawn(drawing, ItemScores.from_arrays(truth, *said), "ece")[0][0], true[0])
        found[n_items], _ = tally.coverage()
    for n_items, one, both in ((1_000, 0.78, 0.80), (4_000, 0.84, 0.88), (16_000, 0.86, 0.90)):
        assert found[n_items]["ece"] > one, found
        assert found[n_items]["delta ece"] > both, found
    assert found[1_000]["as drawn"] < 0.10, found  # the negative control
