"""Curves and costs: points against scikit-learn, bands as what they promise, thresholds against brute force."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.draws.intervals import pointwise, simultaneous
from ropewalk.metrics.registry import parse_metric
from support import need

COSTS = [[0.0, 1.0], [5.0, 0.0]]


@pytest.fixture(params=[1, 9])
def scored(request, rng):
    y = rng.integers(0, 2, 150)
    return y, np.round(np.clip(0.3 * y + 0.7 * rng.random(150), 0, 1), request.param)


def inside(band):
    return bool((band.all_low <= band.low).all() and (band.high <= band.all_high).all())


# -- points -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_points_are_those_of_scikit_learn(scored, rng, weighted):
    m = need("sklearn.metrics")
    y, s = scored
    w = rng.gamma(1.0, size=y.size) if weighted else None
    fpr, tpr, thresholds = m.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    curve = rw.curves.roc(y, s, sample_weight=w, draws=50, rng=0)
    assert curve.fpr == pytest.approx(fpr, abs=1e-12)
    assert curve.tpr == pytest.approx(tpr, abs=1e-12)
    assert curve.thresholds.tolist() == thresholds.tolist()
    assert curve.auc == pytest.approx(m.roc_auc_score(y, s, sample_weight=w), abs=1e-12)


def test_pr_points_are_those_of_scikit_learn(scored):
    m = need("sklearn.metrics")
    y, s = scored
    precision, recall, thresholds = m.precision_recall_curve(y, s)
    curve = rw.curves.pr(y, s, draws=50, rng=0)
    assert curve.precision == pytest.approx(precision[::-1], abs=1e-12)
    assert curve.recall == pytest.approx(recall[::-1], abs=1e-12)
    assert curve.thresholds[1:].tolist() == thresholds[::-1].tolist()


def test_calibration_points_are_those_of_scikit_learn(scored):
    reference = need("sklearn.calibration").calibration_curve
    y, s = scored
    happened, predicted = reference(y, s, n_bins=7, strategy="quantile")
    curve = rw.curves.calibration(y, s, n_bins=7, draws=50, rng=0)
    assert curve.happened == pytest.approx(happened, abs=1e-12)
    assert curve.predicted == pytest.approx(predicted, abs=1e-12)
    assert curve.counts.sum() == y.size


def test_the_hull_is_concave_and_above_the_curve(scored):
    """Its points are those of the isotonic regression of the truth on the scores."""
    y, s = scored
    curve = rw.curves.roc(y, s, draws=20, rng=0)
    slopes = np.diff(curve.hull_tpr) / np.maximum(np.diff(curve.hull_fpr), 1e-300)
    assert (np.diff(slopes) < 0).all()
    assert (np.interp(curve.fpr, curve.hull_fpr, curve.hull_tpr) >= curve.tpr - 1e-12).all()
    assert (curve.hull_fpr[[0, -1]].tolist(), curve.hull_tpr[[0, -1]].tolist()) == ([0, 1], [0, 1])
    isotonic = need("sklearn.isotonic").IsotonicRegression().fit(s, y).predict(s)
    assert len(np.unique(isotonic)) == len(curve.hull_fpr) - 1


def test_the_observed_band_is_the_curve_at_the_grid(scored):
    y, s = scored
    curve = rw.curves.roc(y, s, draws=20, rng=0, grid=[0.0, 0.25, 0.5, 1.0])
    for x, height in zip(curve.band.x, curve.band.observed, strict=True):
        # The top of a vertical step, or the line between two points.
        on = curve.tpr[np.abs(curve.fpr - x) < 1e-12]
        expected = on.max() if on.size else np.interp(x, curve.fpr, curve.tpr)
        assert height == pytest.approx(expected, abs=1e-12)
    whole = rw.curves.pr(y, s, draws=20, rng=0)
    for x, height in zip(whole.band.x, whole.band.observed, strict=True):
        assert height == whole.precision[1:][whole.recall[1:] >= x - 1e-12][0]
    start = rw.curves.pr(y, s, draws=20, rng=0, grid=[0.0, 1.0]).band.observed
    assert start.tolist() == [whole.precision[1:][whole.recall[1:] > 0][0], whole.precision[whole.recall >= 1][0]]


# -- bands --------------------------------------------------------------------------------------------------------


def test_a_simultaneous_band_holds_whole_curves(rng):
    curves = np.cumsum(rng.normal(size=(30, 2_000)), axis=0)
    low, high, said = simultaneous(curves, 0.9)
    held = ((curves >= low[:, None]) & (curves <= high[:, None])).all(axis=0).mean()
    assert 0.9 <= said <= held < 0.92
    each = [((row >= a) & (row <= b)).mean() for row, a, b in zip(curves, *pointwise(curves, 0.9), strict=True)]
    assert min(each) >= 0.9
    joint = ((curves >= pointwise(curves, 0.9)[0][:, None]) & (curves <= pointwise(curves, 0.9)[1][:, None])).all(
        axis=0
    )
    assert joint.mean() < 0.85


def test_a_simultaneous_band_holds_other_curves_as_well(rng):
    """Many points that know nothing of each other: a band of 500 draws is nearly the outermost of them at each."""
    held, said = [], []
    for _ in range(40):
        low, high, promise = simultaneous(rng.normal(size=(20, 500)), 0.9)
        # The probability of a band of independent normals is known.
        held.append(np.prod(stats.norm.cdf(high) - stats.norm.cdf(low)))
        said.append(promise)
    error = np.std(held) / math.sqrt(40)
    assert np.mean(held) >= 0.9 - 3 * error
    assert np.mean(held) == pytest.approx(np.mean(said), abs=3 * math.hypot(error, np.std(said) / math.sqrt(40)))


def test_draws_that_are_too_few_for_a_band_are_noted(scored):
    y, s = scored
    codes = [
        [remark.code for remark in rw.curves.calibration(y, s, prob=prob, draws=1_000, rng=0).remarks]
        for prob in (0.95, 0.999)
    ]
    assert codes == [[], ["rough_band"]]
    assert simultaneous(np.arange(10.0)[np.newaxis], 0.95)[2] == 0.8  # eight of ten lie between two others


def test_a_single_point_needs_no_correction(rng):
    curves = rng.normal(size=(1, 4_000))
    low, high, held = simultaneous(curves, 0.95)
    assert (low, high) == pointwise(curves, 0.95)
    # An 0.025 quantile of n draws has the standard error √(0.025 · 0.975 / n) / density.
    error = math.sqrt(0.025 * 0.975 / 4_000) / stats.norm.pdf(stats.norm.ppf(0.025))
    assert (low[0], high[0]) == pytest.approx(stats.norm.ppf([0.025, 0.975]), abs=4 * error)
    assert held == 0.95


@pytest.mark.parametrize("make", ["roc", "pr", "calibration", "threshold"])
def test_every_curve_has_two_bands_and_json(make, scored):
    y, s = scored
    curve = getattr(rw.curves, make)(y, s, draws=300, rng=0, name="svm")
    assert inside(curve.band)
    assert (curve.band.low <= curve.band.high).all()
    told = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert (told["curve"], told["name"], told["n_items"]) == (make, "svm", 150)
    assert len(told["band"]["all_low"]) == len(told["band"]["x"])
    assert "svm" in repr(curve)
    again = getattr(rw.curves, make)(y, s, draws=300, rng=0, name="svm", threads=2)
    assert again.to_dict() == curve.to_dict()
    grouped = getattr(rw.curves, make)(y, s, draws=100, rng=0, cluster=np.arange(150) // 2)
    assert grouped.n_clusters == 75


def test_a_bin_without_clusters_is_a_beta(rng):
    y, p = np.array([0] * 40 + [1] * 10), np.linspace(0.01, 0.4, 50)
    curve = rw.curves.calibration(y, p, n_bins=1, draws=50_000, rng=0)
    law = stats.beta(10.5, 40.5)
    assert curve.band.mean[0] == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(50_000))
    mass = law.cdf(curve.band.high[0]) - law.cdf(curve.band.low[0])
    assert mass == pytest.approx(0.95, abs=0.01)
    never = rw.curves.calibration([0] * 30 + [1] * 30, np.repeat([0.1, 0.9], 30), n_bins=2, draws=2_000, rng=0)
    assert never.band.high[0] > 0.02  # a bin in which nothing happened is not sure that nothing ever will


def test_a_band_is_open_where_no_positive_was_missed():
    """Perfect ranking of n positives: the rate is Beta(n + 1/2, 1/2) but for what is imagined on top."""
    y, s = np.repeat([0, 1], 40), np.arange(80.0)
    curve = rw.curves.roc(y, s, draws=20_000, rng=0, grid=[0.5])
    law = stats.beta(40.5, 0.5)
    assert curve.band.observed[0] == 1
    assert curve.band.mean[0] == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(20_000))
    assert law.cdf(curve.band.low[0]) == pytest.approx(0.025, abs=5 * math.sqrt(0.025 * 0.975 / 20_000))
    assert curve.band.high[0] == 1
    top = rw.curves.pr(y, s, draws=4_000, rng=0, grid=[0.5, 0.9])
    assert top.band.observed.tolist() == [1, 1]
    assert (top.band.low < 0.995).all()
    assert top.band.low[1] > top.band.low[0]  # the more were found without an error, the surer


def test_a_cluster_is_imagined_where_clusters_are_re_weighted():
    """The same items five times over, in clusters, are as sure as once."""
    y, s = np.repeat([0, 1], 40), np.arange(80.0)
    once = rw.curves.roc(y, s, draws=4_000, rng=0, grid=[0.5]).band
    many = rw.curves.roc(
        np.tile(y, 5), np.tile(s, 5), cluster=np.tile(np.arange(80), 5), draws=4_000, rng=0, grid=[0.5]
    ).band
    assert many.low[0] == pytest.approx(once.low[0], abs=0.01)
    p = np.linspace(0.01, 0.05, 100)
    shares = [
        rw.curves.calibration([1] + [0] * 99, p, n_bins=2, cluster=cluster, draws=4_000, rng=0).band.high[1]
        for cluster in (None, np.arange(100))
    ]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    assert shares[0] > 0.02


SMALL = {
    "perfect": ([0] * 30 + [1] * 30, np.arange(60.0)),
    "worst": ([1] * 30 + [0] * 30, np.arange(60.0)),
    "one positive": ([0] * 30 + [1], np.r_[np.arange(30.0), 20.5]),
    "one negative": ([1] * 30 + [0], np.r_[np.arange(30.0), 20.5]),
    "two items": ([0, 1], [0.0, 1.0]),
    "two values": ([0, 0, 1, 1] * 5, [0.0, 0.0, 0.0, 1.0] * 5),
}


@pytest.mark.parametrize("make", ["roc", "pr", "threshold", "calibration"])
@pytest.mark.parametrize("case", SMALL)
def test_a_band_holds_the_observed_curve_and_has_a_width(make, case):
    y, s = SMALL[case]
    s = np.asarray(s) / np.max(s)
    band = getattr(rw.curves, make)(y, s, pos_label=1, draws=500, rng=0).band
    assert inside(band)
    assert ((band.low <= band.observed) & (band.observed <= band.high)).all()
    assert ((band.low >= 0) & (band.all_high <= 1)).all()
    uncertain = np.isfinite(band.x)  # F1 is 0 where nothing is called positive
    assert (band.high - band.low > 1e-4)[uncertain].all()


@pytest.mark.parametrize("make", ["roc", "pr"])
def test_a_band_is_wider_where_fewer_items_show_the_curve(make):
    """At 1% false positives 30 negatives show next to nothing: the first of them decides."""
    y, s = np.repeat([0, 1], 30), np.r_[np.arange(30.0), np.arange(30.0) + 20.5]
    widths = []
    for copies in (1, 10, 100):
        band = getattr(rw.curves, make)(np.tile(y, copies), np.tile(s, copies), draws=500, rng=0).band
        widths.append(band.all_high - band.all_low)
    assert (widths[0] > widths[1]).all()
    assert (widths[1] > widths[2]).all()
    assert widths[0][0] > 0.5


def test_both_rates_are_beta():
    """At a threshold below k of n positives and m of l negatives: Beta(k + 1/2, n - k + 1/2), and so for negatives."""
    y, s = np.repeat([0, 1, 0, 1], [27, 5, 3, 15]), np.repeat([0.0, 1.0], [32, 18])
    for metric, k, n in (("recall", 15, 20), ("specificity", 27, 30)):
        band = rw.curves.threshold(y, s, metric=metric, thresholds=[1.0], draws=20_000, rng=0).band
        law = stats.beta(k + 0.5, n - k + 0.5)
        assert band.mean[0] == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(20_000))
        assert law.cdf(band.high[0]) - law.cdf(band.low[0]) == pytest.approx(0.95, abs=0.01)


def test_what_is_imagined_has_the_size_of_what_was_seen():
    """Clusters of many negatives and one positive, and weights: half a cluster counts one positive, as others do."""
    rng = np.random.default_rng(5)
    clusters, per = 40, 10
    y = np.tile([1] + [0] * (per - 1), clusters)
    s = rng.normal(1.5 * y)
    grouped = rw.curves.threshold(
        y, s, metric="recall", thresholds=[0.0], cluster=np.arange(y.size) // per, draws=20_000, rng=0
    ).band
    k = int((s[y == 1] >= 0).sum())
    law = stats.beta(k + 0.5, clusters - k + 0.5)
    assert grouped.mean[0] == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(20_000))
    weighted = rw.curves.threshold(
        y, s, metric="recall", thresholds=[0.0], sample_weight=np.where(y == 1, 0.01, 1.0), draws=20_000, rng=0
    ).band
    assert weighted.mean[0] == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(20_000))


def test_what_is_imagined_weighs_as_one_of_the_usual_size():
    """None of the positives found: the mean rate is about (1/2) / (n + 1), n clusters of that size being all items."""
    sizes = np.repeat([1, 9], 30)
    y = np.r_[np.ones(sizes.sum()), np.zeros(60)].astype(int)
    cluster = np.r_[np.repeat(np.arange(60), sizes), 60 + np.arange(60)]
    band = rw.curves.threshold(
        y, np.zeros(y.size), metric="recall", thresholds=[1.0], cluster=cluster, draws=20_000, rng=0
    ).band
    n = sizes.sum() / np.sqrt((sizes**3).sum() / sizes.sum())
    assert band.mean[0] == pytest.approx(0.5 / (n + 1), rel=0.1)


def test_bins_of_clusters_are_imagined_as_large_as_they_are():
    """Every cluster has one item in every bin: half a cluster counts one item there, not ten."""
    p = np.tile(np.linspace(0.05, 0.95, 10), 40)
    y = np.tile([0, 0, 0, 0, 1, 0, 1, 1, 1, 1], 40)
    band = rw.curves.calibration(y, p, n_bins=10, cluster=np.arange(400) // 10, draws=20_000, rng=0).band
    law = stats.beta(0.5, 40.5)
    assert band.mean[0] == pytest.approx(law.mean(), abs=5 * law.std() / math.sqrt(20_000))


@pytest.mark.parametrize(
    ("make", "grid", "noted"),
    [
        ("roc", None, False),
        ("roc", [0.01, 0.5, 1.0], False),
        ("roc", [0.0, 0.5], True),
        ("roc", [0.5, 0.999], True),
        ("pr", [0.01, 0.99], False),
        ("pr", [0.5, 1.0], True),
        ("pr", [0.005], True),
    ],
)
def test_a_grid_beyond_the_items_is_noted(make, grid, noted):
    y, s = np.repeat([0, 1], 60), np.random.default_rng(1).normal(size=120)
    curve = getattr(rw.curves, make)(y, s, grid=grid, draws=2_000, rng=0)
    assert [remark.code for remark in curve.remarks] == ["grid_beyond_items"] * noted


def test_a_fine_grid_is_shown_by_many_items():
    y, s = np.repeat([0, 1], [5_000, 60]), np.random.default_rng(1).normal(size=5_060)
    assert rw.curves.roc(y, s, grid=[1 / 5_000], draws=1_000, rng=0).notes == ()
    assert "Closer than 0.0002 to a" in rw.curves.roc(y, s, grid=[1e-4], draws=1_000, rng=0).notes[0]


def test_a_wider_mass_is_a_wider_band(scored):
    y, s = scored
    narrow, wide = (rw.curves.roc(y, s, prob=prob, draws=1_000, rng=0).band for prob in (0.5, 0.95))
    assert (wide.high - wide.low).sum() > 1.5 * (narrow.high - narrow.low).sum()
    assert wide.at(0.2).low <= narrow.at(0.2).low


# -- thresholds and costs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["f1", "fbeta(2)", "precision", "recall", "accuracy", "mcc", "kappa", "cost"])
def test_a_threshold_makes_labels(scored, metric):
    y, s = scored
    costs = COSTS if metric == "cost" else None
    curve = rw.curves.threshold(y, s, metric=metric, cost_matrix=costs, draws=30, rng=0)
    assert curve.thresholds[-1] == math.inf
    assert curve.metric == metric
    parsed = parse_metric(metric, costs).at(1)
    from ropewalk.models import observed_psi

    for t, value in list(zip(curve.thresholds, curve.band.observed, strict=True))[::7]:
        table = rw.Outcomes.from_arrays(y, (s >= t).astype(int), labels=[0, 1])
        assert value == pytest.approx(observed_psi([table], parsed)[0], abs=1e-12)


def test_the_best_threshold_and_its_regret(rng):
    """Against every threshold by hand: the mean cost under each of the weights that were drawn."""
    from ropewalk.draws.blocks import generator
    from ropewalk.models import Bootstrap

    y = rng.integers(0, 2, 80)
    s = np.round(0.5 * y + rng.random(80), 1)
    curve = rw.costs.curve(y, s, cost_matrix=COSTS, draws=400, rng=3)
    items = rw.ItemScores.from_arrays(y, s)
    posterior, rng = Bootstrap().fit(items), generator(3, 0, 0)
    real = rng.standard_exponential((80, posterior.block_size))
    weights = np.concatenate([real, rng.standard_gamma(0.5, (4, posterior.block_size))])[:, :400]
    # Half an item of each class above and below all others.
    truth = np.append(items.truth, [1, 1, 0, 0])
    scores = np.append(items.values[0], [1e300, -math.inf, 1e300, -math.inf])
    costs = []
    for t in curve.thresholds:
        each = np.array(COSTS)[truth, (scores >= t).astype(int)]
        costs.append(each @ weights / weights.sum(axis=0))
    costs = np.array(costs)
    assert curve.band.mean == pytest.approx(costs.mean(axis=1), abs=1e-12)
    assert curve.best == curve.thresholds[costs.mean(axis=1).argmin()]
    assert curve.regret == pytest.approx((costs - costs.min(axis=0)).mean(axis=1), abs=1e-12)
    assert curve.regret_of(curve.best) == pytest.approx(curve.regret.min())
    assert curve.regret_of(1e9) == pytest.approx(curve.regret[-1])
    winners = np.sort(curve.thresholds[costs.argmin(axis=0)])
    assert curve.best_interval.low == winners[10]
    assert curve.best_interval.high == winners[-11]


def test_nothing_is_called_positive_where_alarms_cost_too_much(rng):
    y, s = rng.integers(0, 2, 200), rng.random(200)
    curve = rw.costs.curve(y, s, cost_matrix=[[0, 100], [1, 0]], draws=200, rng=0)
    assert curve.best == math.inf
    assert curve.to_dict()["best"] is None
    assert curve.band.observed[-1] == pytest.approx(y.mean())


def test_calibrated_scores_have_the_closed_form_as_their_best_threshold(rng):
    """With Pr[y | x] = score, the cost is least at (c01 − c00) / (c01 − c00 + c10 − c11)."""
    p = rng.random(40_000)
    y = (rng.random(40_000) < p).astype(int)
    costs = [[0.0, 1.0], [4.0, 0.0]]
    curve = rw.costs.curve(y, p, cost_matrix=costs, draws=200, rng=0)
    assert rw.costs.optimal_threshold(costs) == pytest.approx(0.2)
    assert curve.best_interval.low - 0.01 <= 0.2 <= curve.best_interval.high + 0.01


def test_thresholds_lie_between_the_scores():
    """Every way of cutting the items once, and none at a score, but for the lowest, from which on all are positive."""
    s = np.array([0.2, 0.9, 0.4, 0.4, 1.0, np.nextafter(1.0, 2.0)])
    curve = rw.curves.threshold([0, 1, 0, 1, 1, 1], s, draws=50, rng=0)
    assert curve.thresholds == pytest.approx([0.2, 0.3, 0.65, 0.95, 1.0, math.inf], abs=1e-12)
    assert [(s >= t).sum() for t in curve.thresholds] == [6, 5, 3, 2, 1, 0]


def test_rare_positives_have_thresholds_of_their_own(news):
    s = news.scores_class8
    curve = rw.curves.threshold(s["y_true"], s["svm_l2"], draws=20, rng=0)
    among = s["svm_l2"][s["y_true"] == 1]
    assert ((curve.thresholds >= among.min()) & (curve.thresholds <= among.max())).sum() >= 100
    assert any("chosen on these items" in note for note in curve.notes)


def test_thin_data_are_said(rng):
    y = np.array([1] * 4 + [0] * 100)
    curve = rw.curves.roc(y, rng.random(104), draws=50, rng=0)
    assert any("only in 4 items" in note for note in curve.notes)
    assert any("rough" in note for note in curve.notes)


@pytest.mark.parametrize(
    ("positives", "options", "noted"),
    [
        (9, {}, "Class '1' occurs only in 9 items"),
        (10, {}, None),
        (19, {"cluster": np.arange(60)}, "Class '1' occurs only in 19 clusters"),
        (20, {"cluster": np.arange(60)}, None),
        (20, {"cluster": np.arange(60) // 2}, "Class '1' occurs only in 10 clusters"),
        (20, {"sample_weight": np.r_[10.0, np.ones(59)]}, "Class '1' is worth only 7 items"),  # 29² / 119
    ],
)
def test_few_items_of_a_class_are_noted(positives, options, noted):
    y, s = np.arange(60) < positives, np.random.default_rng(0).random(60)
    notes = rw.curves.roc(y.astype(int), s, pos_label=1, draws=1_000, rng=0, **options).notes
    assert [note.split(":")[0] for note in notes] == ([] if noted is None else [noted])


def test_prevalence_reweights_the_classes(scored):
    y, s = scored
    curve = rw.curves.threshold(y, s, metric="precision", prevalence=0.1, thresholds=[0.5], draws=20, rng=0)
    tpr, fpr = (s[y == 1] >= 0.5).mean(), (s[y == 0] >= 0.5).mean()
    assert curve.band.observed[0] == pytest.approx(0.1 * tpr / (0.1 * tpr + 0.9 * fpr), abs=1e-12)


def test_minimum_risk_by_hand(rng):
    p = rng.dirichlet(np.ones(3), 50)
    costs = rng.random((3, 3))
    found = rw.costs.minimum_risk(p, costs, labels=["a", "b", "c"])
    for i in range(50):
        risks = [sum(p[i, y] * costs[y, d] for y in range(3)) for d in range(3)]
        assert found.decisions[i] == "abc"[int(np.argmin(risks))]
        assert found.risk[i] == pytest.approx(min(risks), abs=1e-12)
    assert found.mean_risk == pytest.approx(found.risks.min(axis=1).mean())
    plain = rw.costs.minimum_risk([0.3, 0.7], [[0, 1], [1, 0]])
    assert plain.decisions == (0, 1)
    utility = rw.costs.minimum_risk([0.3, 0.7], [[-1, 0], [0, -1]])
    assert utility.decisions == (0, 1)


def test_the_cost_of_decisions_is_a_metric_of_scores(rng):
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    q = np.clip(p + 0.2 * rng.normal(size=400), 0, 1)
    r = rw.compare(y, p, q, metric="cost", cost_matrix=COSTS, rope=0.05, draws=500, rng=0)
    decided = [(score >= 1 / 6).astype(int) for score in (p, q)]
    expected = [np.array(COSTS)[y, d].mean() for d in decided]
    assert (r.estimate_a.observed, r.estimate_b.observed) == pytest.approx(expected, abs=1e-12)
    assert not r.to_dict()["higher_is_better"]
    at = rw.compare(y, p, q, metric="cost", cost_matrix=COSTS, threshold=0.5, draws=50, rng=0)
    assert at.estimate_a.observed == pytest.approx(np.array(COSTS)[y, (p >= 0.5).astype(int)].mean(), abs=1e-12)
    labels = rw.compare(y, *decided, metric="cost", cost_matrix=COSTS, model="bootstrap", draws=50, rng=0)
    assert labels.delta.observed == pytest.approx(r.delta.observed, abs=1e-12)


def test_one_cost_matrix_means_the_same_everywhere(rng):
    """Labels 1 and 2, of which 1 is positive: label order puts the positive class first."""
    y = rng.integers(1, 3, 200)
    p = rng.random(200)
    costs = [[0.0, 10.0], [1.0, 0.0]]
    said = {"cost_matrix": costs, "draws": 20, "rng": 0}
    at = rw.evaluate(y, p, metric="cost", threshold=0.5, **said)["cost"].estimate.observed
    assert rw.costs.curve(y, p, thresholds=[0.5], **said).band.observed[0] == pytest.approx(at, abs=1e-12)
    labels = np.where(p >= 0.5, 1, 2)
    assert rw.evaluate(y, labels, metric="cost", **said)["cost"].estimate.observed == pytest.approx(at, abs=1e-12)


def test_costs_come_in_label_order_whichever_is_positive(rng):
    y = rng.integers(1, 3, 100)  # labels 1 and 2, and 1 is the usual positive one
    p = rng.random(100)
    costs = [[0.0, 7.0], [1.0, 0.0]]  # truth 1 taken for 2 costs 7
    e = rw.evaluate(y, p, metric="cost", cost_matrix=costs, draws=20, rng=0)["cost"].estimate
    decided = np.where(7 * p > 1 - p, 0, 1)
    assert e.observed == pytest.approx(np.array(costs)[y - 1, decided].mean(), abs=1e-12)


def test_the_cost_of_many_classes(rng):
    y, p = rng.integers(0, 3, 200), rng.dirichlet(np.ones(3), 200)
    costs = rng.random((3, 3)) * (1 - np.eye(3))
    e = rw.evaluate(y, p, metric="cost", cost_matrix=costs, draws=20, rng=0)["cost"].estimate
    places = rw.costs.minimum_risk(p, costs).places
    assert e.observed == pytest.approx(costs[y, places].mean(), abs=1e-12)


# -- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda y, s: rw.curves.roc(np.ones(150, dtype=int), s), "both classes"),
        (lambda y, s: rw.curves.roc(y, np.ones(150)), "rank nothing"),
        (lambda y, s: rw.curves.roc(y, s, grid=[2.0]), "rates from 0 to 1"),
        (lambda y, s: rw.curves.roc(y, s, draws=0), "draws"),
        (lambda y, s: rw.curves.roc(y, s, draw=5), "did you mean 'draws'"),
        (lambda y, s: rw.curves.roc(y), "positional|single argument"),
        (lambda y, s: rw.curves.roc(np.arange(150) % 3, np.eye(3)[np.arange(150) % 3]), "two classes"),
        (lambda y, s: rw.curves.roc(y, s, draws=50, rng=0).band.at(1.7), "grid goes from"),
        (lambda y, s: rw.curves.threshold(y, s, thresholds=[]), "empty"),
        (lambda y, s: rw.curves.roc(y, s, cluster=np.zeros(150)), "one cluster"),
        (lambda y, s: rw.curves.calibration(y, s * 5), "probabilities"),
        (lambda y, s: rw.curves.calibration(y, s, n_bins=0), "bins"),
        (lambda y, s: rw.curves.threshold(y, s, metric="macro_f1"), "two classes"),
        (lambda y, s: rw.curves.threshold(y, s, metric="cost"), "cost matrix"),
        (lambda y, s: rw.costs.curve(y, s, cost_matrix=np.ones((3, 3))), "2 × 2"),
        (lambda y, s: rw.costs.curve(y, s, cost_matrix=[[0, 1]]), "square"),
        (lambda y, s: rw.costs.curve(y, s, cost_matrix=[[0, math.nan], [1, 0]]), "finite"),
        (lambda y, s: rw.costs.optimal_threshold(np.ones((3, 3))), "two classes"),
        (lambda y, s: rw.costs.optimal_threshold([[1, 0], [0, 1]]), "cost less"),
        (lambda y, s: rw.costs.minimum_risk(s, np.ones((3, 3))), "2 classes"),
        (lambda y, s: rw.costs.minimum_risk(s * 9, COSTS), "between 0 and 1"),
        (lambda y, s: rw.costs.minimum_risk([[0.5, 0.2]], COSTS), "add up to 1"),
        (lambda y, s: rw.costs.minimum_risk(s, COSTS, labels=["a"]), "1 labels"),
        (lambda y, s: rw.costs.minimum_risk(s, [[0, 1], [2]]), "cost matrix"),
        (lambda y, s: rw.compare(y, s, s[::-1], metric="cost", cost_matrix=np.ones((3, 3))), "3 × 3"),
        (lambda y, s: rw.compare(y, s, s[::-1], metric="cost", cost_matrix=COSTS, threshold="x"), "finite"),
        (lambda y, s: rw.compare(y, s, s[::-1], metric="roc_auc", threshold=0.5), "metric `cost`"),
    ],
)
def test_what_is_wrong_is_said(rng, call, match):
    y = rng.integers(0, 2, 150)
    with pytest.raises(rw.errors.RopewalkError, match=match):
        call(y, rng.random(150))


# -- words --------------------------------------------------------------------------------------------------------


def as_words(curve):
    return " ".join(str(curve).split())


def test_a_curve_is_described_by_what_it_holds(scored):
    y, s = scored
    pr = rw.curves.pr(y, s, name="mine", draws=200, rng=0)
    middle = int(np.abs(pr.band.x - 0.5).argmin())
    assert f"mine's precision is {pr.band.observed[middle]:.2f} [" in as_words(pr)
    assert f"at a recall of {pr.band.x[middle]:.2f}" in as_words(pr)
    best = rw.curves.threshold(y, s, metric="f1", name="mine", draws=200, rng=0)
    assert f"if items are called positive from a score of {best.best:.4g} on" in as_words(best)
    assert "mine's F1 is best, " in as_words(best)


@pytest.mark.parametrize(("shift", "n_off"), [(0.0, 0), (0.3, 5)])
def test_probabilities_that_do_not_come_true_are_counted(shift, n_off):
    chance = np.tile([0.1, 0.2, 0.3, 0.4, 0.5], 400)
    y = (np.arange(chance.size) // 5 % 10 < 10 * chance).astype(int)  # exactly as often as said
    curve = rw.curves.calibration(y, chance + shift, n_bins=5, name="mine", draws=500, rng=0)
    counted = f"In {n_off} of 5 bins mine's probability" if n_off else "In none of 5 bins is mine off"
    assert counted in as_words(curve)
    assert as_words(curve).count(" off") == (n_off or 1)
