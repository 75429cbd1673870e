"""Scores of items: point values against scikit-learn, the bootstrap against brute force, clear errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.draws.blocks import generator
from ropewalk.metrics.resolve import metric_kind
from ropewalk.metrics.scores import SCORE_METRICS, WeightedItems, parse_score_metric
from ropewalk.models import Bootstrap
from support import need

BINARY = ["roc_auc", "average_precision", "pr_auc", "log_loss", "brier", "ece"]
LABELS = [1, 2, 1, 1, 2, 1, 2, 2, 1, 2]  # Wu, Table 3
SCORES = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]


def sample(rng, n=200, digits=2):
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    a, b = (np.round(np.clip(0.3 * y + 0.7 * rng.random(n), 0, 1), digits) for _ in range(2))
    return y, a, b


def by_sklearn(name, y, s, w=None):
    m = need("sklearn.metrics")
    if name == "pr_auc":
        precision, recall, _ = m.precision_recall_curve(y, s, sample_weight=w)
        return m.auc(recall, precision)
    functions = {
        "roc_auc": m.roc_auc_score,
        "average_precision": m.average_precision_score,
        "log_loss": m.log_loss,
        "brier": m.brier_score_loss,
    }
    return functions[name](y, s, sample_weight=w)


# -- point values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in BINARY if name != "ece"])
@pytest.mark.parametrize("digits", [1, 2, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_point_values_are_those_of_scikit_learn(rng, name, digits, weighted):
    for n in (5, 40, 300):
        y, s, _ = sample(rng, n, digits)
        w = rng.gamma(1.0, size=n) if weighted else None
        assert rw.metrics.score(y, s, name, sample_weight=w) == pytest.approx(by_sklearn(name, y, s, w), abs=1e-12)


def test_weights_are_the_same_as_repeated_items(rng):
    y, s, _ = sample(rng, 60)
    w = rng.integers(1, 4, 60)
    for name in BINARY[:5]:
        again = rw.metrics.score(np.repeat(y, w), np.repeat(s, w), name)
        assert rw.metrics.score(y, s, name, sample_weight=w) == pytest.approx(again, abs=1e-12)


def test_many_classes_are_those_of_scikit_learn(rng):
    m = need("sklearn.metrics")
    y = rng.integers(0, 4, 300)
    p = np.round(rng.dirichlet(np.ones(4), 300) + 0.5 * (y[:, None] == np.arange(4)), 2)
    p /= p.sum(axis=1, keepdims=True)
    w = rng.gamma(1.0, size=300)
    for average in ("macro", "weighted"):
        expected = m.roc_auc_score(y, p, multi_class="ovr", average=average, sample_weight=w)
        assert rw.metrics.score(y, p, f"{average}_roc_auc", sample_weight=w) == pytest.approx(expected, abs=1e-12)
        hot = y[:, None] == np.arange(4)
        expected = m.average_precision_score(hot, p, average=average, sample_weight=w)
        found = rw.metrics.score(y, p, f"{average}_average_precision", sample_weight=w)
        assert found == pytest.approx(expected, abs=1e-12)
    assert rw.metrics.score(y, p, sample_weight=w) == rw.metrics.score(y, p, "macro_roc_auc", sample_weight=w)
    assert rw.metrics.score(y, p, "log_loss", sample_weight=w) == pytest.approx(m.log_loss(y, p, sample_weight=w))
    several = ((p - (y[:, None] == np.arange(4))) ** 2).sum(axis=1)
    assert rw.metrics.score(y, p, "brier", sample_weight=w) == pytest.approx(np.average(several, weights=w))
    one = rw.metrics.score(y, p, "roc_auc", pos_label=2)
    assert one == pytest.approx(m.roc_auc_score(y == 2, p[:, 2]), abs=1e-12)


def test_exercise_5_of_wu():
    """Precision and recall with class 1 as the positive one, and after the labels of rows 9 and 10 are exchanged."""
    assert f"{rw.metrics.score(LABELS, SCORES, 'pr_auc'):.6f}" == "0.690556"
    assert f"{rw.metrics.score(LABELS, SCORES, 'average_precision'):.6f}" == "0.727778"
    exchanged = [*LABELS[:8], 2, 1]
    assert f"{rw.metrics.score(exchanged, SCORES, 'pr_auc'):.6f}" == "0.679444"
    assert f"{rw.metrics.score(exchanged, SCORES, 'average_precision'):.6f}" == "0.716667"


@pytest.mark.parametrize("digits", [1, 9])
def test_ece_is_the_gap_in_the_bins_of_scikit_learn(rng, digits):
    curve = need("sklearn.calibration").calibration_curve
    y, s, _ = sample(rng, 500, digits)
    share, predicted = curve(y, s, n_bins=15, strategy="quantile")
    edges = np.percentile(s, np.linspace(0, 1, 16) * 100)
    counts = np.bincount(np.searchsorted(edges[1:-1], s), minlength=15)
    expected = (np.abs(share - predicted) * counts[counts > 0]).sum() / 500
    assert rw.metrics.score(y, s, "ece") == pytest.approx(expected, abs=1e-12)


def test_ece_of_many_classes_is_that_of_the_most_probable(rng):
    y = rng.integers(0, 3, 400)
    p = rng.dirichlet(np.ones(3), 400)
    hit, top = p.argmax(axis=1) == y, p.max(axis=1)
    assert rw.metrics.score(y, p, "ece") == pytest.approx(rw.metrics.score(hit.astype(int), top, "ece"), abs=1e-12)


def test_labels_of_any_kind_and_two_columns_of_probabilities(rng):
    y, s, _ = sample(rng)
    words = np.where(y == 1, "spam", "ham")
    expected = rw.metrics.score(y, s)
    assert rw.metrics.score(words, s, pos_label="spam") == expected
    assert rw.metrics.score(words, 1 - s, pos_label="ham") == pytest.approx(expected, abs=1e-12)
    assert rw.metrics.score(y.astype(bool), s) == expected
    assert rw.metrics.score(y.astype(float), np.stack([1 - s, s], axis=1)) == expected
    assert rw.metrics.score(y * 2 - 1, s) == expected  # -1 and 1


# -- draws --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("clustered", [False, True])
def test_a_draw_is_the_metric_under_its_weights(rng, name, clustered):
    """Each draw against scikit-learn (or a plain formula) with the very weights that were drawn."""
    y, a, b = sample(rng, 80, 1)
    cluster = rng.integers(0, 12, 80) if clustered else None
    w = rng.gamma(1.0, size=80)
    items = rw.ItemScores.from_arrays(y, a, b, cluster=cluster, sample_weight=w)
    metric = parse_score_metric(name)
    drawn = Bootstrap().fit(items).block(generator(0, 0, 0), 6)
    found = metric(drawn)
    for d in range(6):
        each = drawn.weights[items.members, d] * items.weight
        for k in range(2):
            if name == "ece":
                edges = np.quantile(items.values[k], np.linspace(0, 1, 16)[1:-1])
                gaps = np.bincount(
                    np.searchsorted(edges, items.values[k]), weights=each * (items.values[k] - items.truth)
                )
                expected = np.abs(gaps).sum() / each.sum()
            else:
                expected = by_sklearn(name, items.truth, items.values[k], each)
            assert found[k, d] == pytest.approx(expected, abs=1e-12)


def test_the_posterior_of_a_mean_has_rubins_moments(rng):
    """Under Dirichlet(1, …, 1) weights a mean has mean x̄ and variance Σ(x − x̄)² / (n (n + 1))."""
    x = rng.normal(size=60)
    e = rw.evaluate(x, metric="mean", model="bootstrap", draws=40_000, rng=0)["mean"].estimate
    spread = math.sqrt(((x - x.mean()) ** 2).sum() / (60 * 61))
    assert e.observed == pytest.approx(x.mean(), abs=1e-12)
    assert e.mean == pytest.approx(x.mean(), abs=4.5 * spread / 200)
    assert e.std == pytest.approx(spread, rel=4.5 / math.sqrt(2 * 40_000))


def test_clusters_have_the_moments_of_their_sums(rng):
    """With clusters of equal size the mean of items is that of cluster means, whose bootstrap has closed moments."""
    x, cluster = rng.normal(size=300), np.repeat(np.arange(60), 5)
    means = x.reshape(60, 5).mean(axis=1)
    spread = math.sqrt(((means - means.mean()) ** 2).sum() / (60 * 61))
    how = {"metric": "mean", "cluster": cluster, "model": "bootstrap", "draws": 40_000}
    e = rw.evaluate(x, **how, rng=0)["mean"].estimate
    assert e.std == pytest.approx(spread, rel=4.5 / math.sqrt(2 * 40_000))


def test_pairing_uses_the_same_weights(rng):
    y, a, _ = sample(rng, 300, 9)
    r = rw.compare(y, a, a + 1e-9 * rng.random(300), metric="roc_auc", model="bootstrap", draws=500, rng=0)
    assert r.std < 1e-6 < r.estimate_a.std
    same = rw.compare(y, a, a, metric="roc_auc", model="bootstrap", draws=500, rng=0)
    assert (same.draws.delta() == 0).all()
    beside = rw.compare(y, a, a, metric="roc_auc", draws=500, rng=0)  # imagined items tell the two apart
    assert 0 < beside.std < beside.estimate_a.std


def test_the_order_of_items_leaves_no_trace(silent, rng):
    y, a, b = sample(rng, 150)
    cluster = rng.integers(0, 60, 150)
    order = rng.permutation(150)
    one = rw.compare(y, a, b, metric="roc_auc", cluster=cluster, draws=300, rng=0)
    two = rw.compare(y[order], a[order], b[order], metric="roc_auc", cluster=cluster[order], draws=300, rng=0)
    assert one.to_dict() == two.to_dict()


def test_threads_and_prefixes_give_the_same_draws(rng):
    y, a, b = sample(rng, 4_000)
    whole = rw.compare(y, a, b, metric="roc_auc", draws=1_000, rng=3).draws.psi
    assert np.array_equal(rw.compare(y, a, b, metric="roc_auc", draws=1_000, rng=3, threads=2).draws.psi, whole)
    assert np.array_equal(rw.compare(y, a, b, metric="roc_auc", draws=600, random_state=3).draws.psi, whole[:, :600])


def test_exchanging_the_systems_mirrors_the_answer(rng):
    y, a, b = sample(rng, 200)
    one = rw.compare(y, a, b, metric="brier", rope=0.01, draws=4_000, rng=0)
    two = rw.compare(y, b, a, metric="brier", rope=0.01, draws=4_000, rng=0)
    assert one.mean == pytest.approx(-two.mean, abs=5 * math.hypot(one.delta.mc_error, two.delta.mc_error))


def test_lower_is_better_for_losses(rng):
    y = rng.integers(0, 2, 2_000)
    good, bad = np.where(y == 1, 0.9, 0.1), np.where(y == 1, 0.6, 0.4)
    noise = 0.05 * rng.random((2, 2_000))
    for name in ("brier", "log_loss"):
        r = rw.compare(y, good + noise[0], bad - noise[1], metric=name, rope=0.01, draws=1_000, rng=0)
        assert r.decision.symbol == "≫"
        assert r.mean < 0
        assert not r.to_dict()["higher_is_better"]


# -- forms --------------------------------------------------------------------------------------------------------


def test_a_mean_needs_no_truth(rng):
    a, b = rng.random(100), rng.random(100)
    said = {"metric": "mean", "draws": 500, "rng": 0}
    one = rw.compare(a, b, **said)
    assert one.to_dict() == rw.compare(None, a, b, **said).to_dict()
    assert one.delta.observed == pytest.approx((a - b).mean(), abs=1e-12)
    loss = rw.compare(a, b + 1, higher_is_better=False, rope=0.1, **said)
    assert loss.decision.symbol == "≫"
    assert rw.compare(rng.integers(0, 2, 100), a, b, **said).delta.observed == one.delta.observed


def test_ranking_two_systems_is_comparing_them(rng):
    y, a, b = sample(rng, 300)
    compared = rw.compare(y, a, b, metric="roc_auc", names=["x", "y"], rope=0.05, draws=2_000, rng=0)
    ranked = rw.rank(y, {"x": a, "y": b}, metric="roc_auc", rope=0.05, draws=2_000, rng=0)
    assert ranked.pair("x", "y").delta == compared.delta
    assert sum(ranked.p_best.values()) == pytest.approx(1)
    assert rw.rank(y, a, b, metric="roc_auc", draws=10, rng=0).models[0].name == "A"


def test_dataframes_of_every_kind(frame, rng):
    y, a, b = sample(rng, 120)
    table = frame({"y": y.tolist(), "a": a.tolist(), "b": b.tolist(), "who": [f"w{i % 60}" for i in range(120)]})
    said = {"draws": 200, "rng": 0}
    r = rw.compare(table, metric="roc_auc", truth="y", a="a", b="b", cluster="who", **said)
    by_hand = rw.compare(
        y, a, b, metric="roc_auc", names=["a", "b"], cluster=[f"w{i % 60}" for i in range(120)], **said
    )
    assert r.to_dict() == by_hand.to_dict()
    assert r.to_dict()["n_clusters"] == 60
    e = rw.evaluate(table, "a", truth="y", metric=["roc_auc", "brier"], **said)
    assert e["brier"].estimate.observed == pytest.approx(((a - y) ** 2).mean(), abs=1e-12)
    k = rw.rank(table, metric="roc_auc", truth="y", predictions=["b", "a"], **said)
    assert [model.name for model in k.models] == ["b", "a"]


def test_files_hold_scores_as_text(tmp_path, write, rng):
    y, a, b = sample(rng, 80)
    path = write(tmp_path / "s.csv", [("y", "a", "b"), *zip(y, a, b, strict=True)])
    r = rw.compare(path, metric="roc_auc", truth="y", a="a", b="b", draws=200, rng=0)
    assert r.delta.observed == pytest.approx(rw.metrics.score(y, a) - rw.metrics.score(y, b), abs=1e-12)
    bad = write(tmp_path / "t.csv", [("y", "a"), (0, 0.5), (1, "high")])
    with pytest.raises(rw.errors.DataError, match="'high' in row 2"):
        rw.evaluate(bad, name="a", metric="roc_auc", truth="y")


def test_a_function_is_a_metric(rng):
    m = need("sklearn.metrics")
    y, a, b = sample(rng, 5_000)  # so many that blocks of draws are small: a function is called for every draw of one
    said = {"draws": 60, "rng": 0, "model": "bootstrap"}
    ours = rw.compare(y, a, b, metric="roc_auc", **said)
    theirs = rw.compare(y, a, b, metric=m.roc_auc_score, **said)
    assert np.allclose(ours.draws.psi, theirs.draws.psi, atol=1e-12)
    assert theirs.metric == "roc_auc_score"
    loss = rw.compare(y, a, b, metric=m.brier_score_loss, **said)
    assert not loss.recipe.metric.higher_is_better
    assert np.allclose(loss.draws.psi, rw.compare(y, a, b, metric="brier", **said).draws.psi, atol=1e-12)
    with pytest.raises(rw.errors.InvalidInputError, match="sample_weight"):
        rw.compare(y, a, b, metric=lambda y, s: 1.0, **said)


def test_everything_that_a_result_can_become(rng, tmp_path):
    y, a, b = sample(rng, 200)
    r = rw.compare(y, a, b, metric="roc_auc", names=["<b>&", "$x_1$"], rope=0.05, draws=2_000, rng=0)
    assert "ROC AUC" in str(r)
    assert "DeLong" in r.to_text(details=True)
    assert r.to_dict()["tests"]["delong"]["p_value"] == r.tests["delong"].p_value
    assert r.to_dict()["bayes_factor"]["rope"] > 1
    assert "<b>&" not in r.to_html(tmp_path / "r.html")
    assert not any("$x_1$" in line for line in r.to_latex().splitlines() if not line.startswith("%"))
    assert "x\\_1" in r.to_markdown()
    rows = r.prior_sensitivity().rows
    assert [which for which, _ in rows] == ["as asked", "half the prior mass", "twice the prior mass"]
    assert rows[1][1].std < r.std < rows[2][1].std
    e = rw.evaluate(y, a, metric=["roc_auc", "log_loss"], at_least=0.5, draws=1_000, rng=0)
    assert [m["metric"] for m in e.to_dict()["metrics"]] == ["roc_auc", "log_loss"]
    assert {"observed", "mean", "std", "hdi", "prob_at_least"} <= set(e.to_dict()["metrics"][0])
    assert rw.rank(y, {"a": a, "b": b}, metric="roc_auc", draws=500, rng=0).to_markdown().startswith("| classifier |")


def test_costs_among_other_metrics(rng):
    y, a, _ = sample(rng, 200)
    e = rw.evaluate(y, a, metric=["roc_auc", "cost"], cost_matrix=[[0, 1], [3, 0]], draws=50, rng=0)
    expected = np.where(a >= 0.25, 1 - y, 3 * y).mean()
    assert e["cost"].estimate.observed == pytest.approx(expected, abs=1e-12)
    with pytest.raises(rw.errors.InvalidInputError, match="metric `cost`"):
        rw.evaluate(y, a, metric=["roc_auc", "brier"], cost_matrix=[[0, 1], [3, 0]])


def test_the_bundled_scores_of_class_8(news):
    """nb_mult ranks motorcycles better than svm_l2 by a margin that matters, and DeLong agrees about the interval."""
    s = news.scores_class8
    r = rw.compare(s["y_true"], s["nb_mult"], s["svm_l2"], metric="roc_auc", rope=0.01, rng=0)
    assert r.decision.symbol == "≫"
    assert r.decision.stable
    m = need("sklearn.metrics")
    expected = m.roc_auc_score(s["y_true"], s["nb_mult"]) - m.roc_auc_score(s["y_true"], s["svm_l2"])
    assert r.delta.observed == pytest.approx(expected, abs=1e-12)
    ends = r.tests["delong"].effect.interval
    assert r.hdi.low == pytest.approx(ends.low, abs=0.05 * (ends.high - ends.low))
    assert r.hdi.high == pytest.approx(ends.high, abs=0.05 * (ends.high - ends.low))


# -- DeLong -------------------------------------------------------------------------------------------------------


def delong_by_definition(y, *scores):
    """Areas and covariance straight from DeLong et al.: the kernel of all pairs, its row and column means."""
    rows, columns, areas = [], [], []
    for score in map(np.asarray, scores):
        x, z = score[y == 1], score[y == 0]
        psi = (x[:, None] > z) + 0.5 * (x[:, None] == z)
        areas.append(psi.mean())
        rows.append(psi.mean(axis=1))
        columns.append(psi.mean(axis=0))
    return np.array(areas), np.cov(rows) / len(rows[0]) + np.cov(columns) / len(columns[0])


@pytest.mark.parametrize("digits", [1, 9])
@pytest.mark.parametrize("n", [8, 50, 301])
def test_delong_is_its_definition(rng, n, digits):
    y, a, b = sample(rng, n, digits)
    y[:4] = 0, 0, 1, 1
    areas, covariance = delong_by_definition(y, a, b)
    test = rw.classical.delong(y, a, b, prob=0.9)
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert test.effect.value == pytest.approx(areas[0] - areas[1], abs=1e-12)
    assert test.statistic == pytest.approx((areas[0] - areas[1]) / error, rel=1e-9)
    assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(areas[0] - areas[1]) / error), abs=1e-12)
    reach = stats.norm.ppf(0.95) * error
    assert test.effect.interval.low == pytest.approx(areas[0] - areas[1] - reach, abs=1e-12)
    one = rw.classical.delong_interval(y, a)
    assert one.value == pytest.approx(areas[0], abs=1e-12)
    expected = max(areas[0] - stats.norm.ppf(0.975) * math.sqrt(covariance[0, 0]), 0)
    assert one.interval.low == pytest.approx(expected, abs=1e-12)
    greater, less = (rw.classical.delong(y, a, b, alternative=side).p_value for side in ("greater", "less"))
    assert greater + less == pytest.approx(1)


def test_delong_of_equal_scores_is_no_evidence(rng):
    y, a, _ = sample(rng, 40)
    assert rw.classical.delong(y, a, a).p_value == 1
    with pytest.raises(rw.errors.DataError, match="two items of each class"):
        rw.classical.delong([1, 0, 0], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1])
    with pytest.raises(rw.errors.DataError, match="do not vary"):
        rw.classical.delong([0, 0, 1, 1], [1, 1, 2, 2], [2, 2, 1, 1])


# -- errors and warnings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said", "match"),
    [
        ({"a": 0.5}, {}, "rank nothing"),
        ({"y": 1}, {}, "both classes"),
        ({"a0": math.nan}, {}, "finite"),
        ({"a0": math.inf}, {}, "finite"),
        ({"a0": 1.5}, {"metric": "log_loss"}, "probabilities from 0 to 1"),
        ({"a0": -0.5}, {"metric": "brier"}, "probabilities from 0 to 1"),
        ({"a0": 2.0}, {"metric": "ece"}, "probabilities from 0 to 1"),
        ({}, {"metric": "rok_auc"}, "did you mean 'roc_auc'"),
        ({}, {"metric": "macro_roc_auc"}, "averages over classes"),
        ({}, {"metric": "weighted_brier"}, "no weighted average"),
        ({}, {"metric": 3}, "a name, a Metric or a function"),
        ({}, {"metric": "f1"}, "name a metric of scores"),
        ({}, {"metric": "roc_auc", "higher_is_better": False}, "always"),
        ({}, {"metric": "mean", "higher_is_better": 1}, "True or False"),
        ({}, {"metric": "mean", "pos_label": 1}, "no positive class"),
        ({}, {"cluster": [1, 2]}, "2 ids for 50 items"),
        ({}, {"cluster": [None] * 50}, "without an id"),
        ({}, {"cluster": [math.nan] * 50}, "without an id"),
        ({}, {"cluster": "who"}, "sequence of ids"),
        ({}, {"id": [1] * 50}, "more than once"),
        ({}, {"id": [1] * 50, "cluster": range(50)}, "more than one cluster"),
        ({}, {"sample_weight": [-1.0] * 50}, "negative"),
        ({}, {"sample_weight": [0.0] * 50}, "0 throughout"),
        ({}, {"sample_weight": [1.0]}, "1 weights for 50"),
        ({}, {"pos_label": 7}, "not a label"),
        ({}, {"rope": 3}, "differ by more than"),
        ({}, {"rope": 0}, "smallest difference"),
        ({}, {"draws": 0}, "draws"),
        ({}, {"roppe": 0.1}, "did you mean 'rope'"),
        ({}, {"metric": "cost"}, "needs a cost matrix"),
        ({}, {"cost_matrix": [[0, 1], [1, 0]]}, "metric `cost`"),
        ({}, {"labels": [0, 2]}, "does not declare"),
    ],
)
def test_what_is_wrong_is_said(rng, change, said, match):
    y, a, b = sample(rng, 50)
    if "a0" in change:
        a[0] = change["a0"]
    a = np.full(50, change["a"]) if "a" in change else a
    y = np.full(50, change["y"]) if "y" in change else y
    with pytest.raises(rw.errors.RopewalkError, match=match) as caught:
        rw.compare(y, a, b, **{"metric": "roc_auc", **said})
    assert caught.value.message


def test_wrong_forms_are_refused(rng):
    y, a, b = sample(rng, 50)
    with pytest.raises(rw.errors.LengthMismatchError, match="y_true 50"):
        rw.compare(y, a[:9], b, metric="roc_auc")
    with pytest.raises(rw.errors.InvalidInputError, match="positional"):
        rw.compare(y, a, metric="roc_auc")
    with pytest.raises(rw.errors.MissingLabelsError, match="row 1"):
        rw.compare([None, *y[1:].tolist()], a, b, metric="roc_auc")
    with pytest.raises(rw.errors.PosLabelError, match="high scores mean"):
        rw.compare(np.where(y == 1, "x", "y"), a, b, metric="roc_auc")
    with pytest.raises(rw.errors.PosLabelError, match="one number"):
        rw.compare(np.arange(50) % 3, a, b, metric="roc_auc")
    with pytest.raises(rw.errors.LengthMismatchError, match="3 columns"):
        rw.compare(y, np.ones((50, 3)), np.ones((50, 3)), metric="roc_auc")
    with pytest.raises(rw.errors.DataError, match="add up to 1"):
        rw.compare(np.arange(50) % 3, rng.random((50, 3)), rng.random((50, 3)), metric="log_loss")
    with pytest.raises(rw.errors.DataError, match="none of '3'"):
        rw.compare(np.arange(50) % 3, rng.random((50, 4)), rng.random((50, 4)), metric="roc_auc", labels=[0, 1, 2, 3])
    with pytest.raises(rw.errors.LengthMismatchError, match="no items"):
        rw.compare([], [], [], metric="roc_auc")
    with pytest.raises(rw.errors.DataError, match="must be numbers"):
        rw.compare(y, ["a"] * 50, b, metric="roc_auc")
    with pytest.raises(rw.errors.InvalidInputError, match="at least two"):
        rw.rank(y, {"a": a}, metric="roc_auc")


def test_few_items_of_a_class_are_warned_about(rng):
    y = np.array([1] * 8 + [0] * 100)
    a, b = rng.random(108), rng.random(108)
    with pytest.warns(rw.errors.DegenerateDataWarning, match="Class '1' occurs only in 8 items"):
        rw.compare(y, a, b, metric="roc_auc", draws=100, rng=0)


def test_no_verdict_where_nothing_moves(silent, rng):
    """The bootstrap knows the items it has; where they are all alike, it knows nothing of others."""
    y = np.repeat([0, 1], 60)
    perfect, noisy = y + rng.random(120) / 2, rng.random(120)
    how = {"metric": "roc_auc", "rope": 0.01, "draws": 500, "rng": 0}
    both = rw.compare(y, perfect, perfect + rng.random(120) / 4, model="bootstrap", **how)
    assert both.decision is None
    assert "no verdict" in str(both)
    assert repr(both).endswith("no verdict)")
    for model in (None, "bootstrap"):
        assert rw.compare(y, perfect, noisy, model=model, **how).decision.symbol == "≫"
    assert rw.compare(y, noisy, noisy, model="bootstrap", **how).decision is None
    ranked = rw.rank(
        y, {"p": perfect, "q": perfect + 1, "n": noisy}, **how | {"rope": 0.2}, model="bootstrap", pool=False
    )
    assert [pair.decision is None for pair in ranked.pairwise] == [True, False, False]
    constant = rw.compare([1 / 3] * 60, [0.1] * 60, metric="mean", model="bootstrap", rope=0.1, draws=500, rng=0)
    assert constant.decision is None
    assert constant.std == 0
    with pytest.raises(rw.errors.DataError, match="one cluster"):
        rw.compare(y, noisy, noisy[::-1], metric="roc_auc", cluster=np.zeros(120))


@pytest.mark.parametrize(("n", "decided"), [(2, False), (9, False), (10, True)])
def test_a_handful_of_items_or_clusters_decides_nothing(silent, rng, n, decided):
    a = rng.random(n)
    said = {"metric": "mean", "rope": 0.1, "draws": 200, "rng": 0, "model": "bootstrap"}
    r = rw.compare(a + 5 + rng.random(n), a, **said)
    assert (r.decision is not None) == decided
    assert any("too few to re-weight" in told for told in r.warnings) != decided
    values = rng.random(20 * n)
    grouped = rw.compare(values + 5 + rng.random(20 * n), values, cluster=np.tile(np.arange(n), 20), **said)
    assert (grouped.decision is not None) == decided


def test_equal_systems_have_no_rounding_between_them(silent, rng):
    a = rng.random(90)
    b = a.reshape(3, 30)[:, ::-1].reshape(-1)  # the same values within each cluster, in another order
    how = {"metric": "mean", "cluster": np.repeat([0, 1, 2], 30), "draws": 2_000, "rng": 0}
    r = rw.compare(a, b, model="bootstrap", **how)
    assert (r.prob_above_zero, r.prob_below_zero) == (0, 0)


def test_items_of_no_weight_are_not_there(rng):
    y, s, t = sample(rng, 160)
    w = rng.integers(0, 3, 160)
    w[np.argmax(s)] = 0
    for name in BINARY:
        kept = w > 0
        expected = rw.metrics.score(y[kept], s[kept], name, sample_weight=w[kept])
        assert rw.metrics.score(y, s, name, sample_weight=w) == pytest.approx(expected, abs=1e-12)
    assert rw.compare(y, s, t, metric="roc_auc", sample_weight=w, draws=20, rng=0).recipe.n_items == int((w > 0).sum())


def test_one_heavy_item_is_warned_about(rng):
    y, a, b = sample(rng, 200)
    w = np.ones(200)
    w[0] = 1e9
    with pytest.warns(rw.errors.DegenerateDataWarning, match="^200 items tell as much as 1 that count alike: with"):
        rw.compare(y, a, b, metric="brier", sample_weight=w, draws=50, rng=0)


def test_few_clusters_of_a_class_are_warned_about(rng):
    cluster = np.arange(3_000) // 10
    y = (cluster < 6).astype(int)
    with pytest.warns(rw.errors.DegenerateDataWarning, match="Class '1' occurs only in 6 clusters"):
        rw.compare(y, rng.random(3_000), rng.random(3_000), metric="roc_auc", cluster=cluster, draws=20, rng=0)


def test_reversed_scores_are_noticed(rng):
    y, a, b = sample(rng, 300)
    r = rw.compare(y, -a, -b, metric="roc_auc", draws=300, rng=0)
    assert any("other class" in note for note in r.notes)


def test_a_missing_delong_test_is_no_failure(silent, rng):
    y = np.array([1] + [0] * 60)
    r = rw.compare(y, rng.random(61), rng.random(61), metric="roc_auc", draws=50, rng=0)
    assert r.tests is None
    assert any("No DeLong test" in note for note in r.notes)
    y[:5] = 1
    assert rw.compare(y, rng.random(61), rng.random(61), metric="roc_auc", draws=50, rng=0, tests=False).tests is None


def test_a_ranking_of_means(rng):
    a, b = rng.random(100), rng.random(100)
    said = {"metric": "mean", "draws": 100, "rng": 0}
    one = rw.rank({"a": a, "b": b}, **said)
    assert one.to_dict() == rw.rank(None, {"a": a, "b": b}, **said).to_dict()
    assert one["a"].estimate.observed == pytest.approx(a.mean())
    assert (
        rw.rank(rng.integers(0, 2, 100), {"a": a, "b": b}, **said)["a"].estimate.observed == one["a"].estimate.observed
    )
    with pytest.raises(rw.errors.InvalidInputError, match="truth"):
        rw.rank(rng.integers(0, 2, 100), a, b, **said)


def test_metrics_of_labels_and_of_scores_point_to_each_other(rng):
    y, a, b = sample(rng, 50)
    with pytest.raises(rw.errors.LabelTypeError, match="name a metric of scores"):
        rw.compare(y, a, b, metric="macro_f1")
    with pytest.raises(rw.errors.UnknownNameError, match="compare the labels"):
        rw.compare(rw.ItemScores.from_arrays(y, a, b), metric="macro_f1")
    outcomes = rw.Outcomes.from_arrays(y, y, y)
    for metric in ("roc_auc", "auc", SCORE_METRICS["brier"], need("sklearn.metrics").roc_auc_score):
        with pytest.raises(rw.errors.UnknownNameError, match="scores, and these are labels"):
            rw.compare(outcomes, metric=metric)


def test_scores_among_labels_are_noticed(tmp_path, write, rng, silent):
    """In Python and in a file, where all is text: fractions that are never true are no labels."""
    y, a, b = sample(rng, 60, 3)
    with pytest.raises(rw.errors.LabelTypeError, match="name a metric of scores"):
        rw.compare(y, a, b)
    path = write(tmp_path / "s.csv", [("y", "a", "b"), *zip(y, a, b, strict=True)])
    with pytest.raises(rw.errors.LabelTypeError, match="name a metric of scores"):
        rw.compare(path, truth="y", a="a", b="b")
    grades = [("y", "a", "b"), *[("0.5", "0.5", "1.5"), ("1.5", "2.5", "0.5"), ("2.5", "2.5", "2.5")] * 20]
    assert rw.compare(write(tmp_path / "g.csv", grades), truth="y", a="a", b="b", draws=50, rng=0).recipe.n_items == 60


def test_names_are_harmless_in_a_repr(rng):
    y, a, b = sample(rng, 80)
    names = ["\x1b[31m", "b\u202e"]
    for found in (
        rw.compare(y, a, b, metric="roc_auc", names=names, draws=50, rng=0),
        rw.rank(y, dict(zip(names, (a, b), strict=True)), metric="roc_auc", draws=50, rng=0),
        rw.evaluate(y, a, metric="roc_auc", name=names[0], draws=50, rng=0),
        rw.curves.roc(y, a, name=names[0], draws=50, rng=0),
    ):
        assert "\x1b" not in repr(found)
        assert "\u202e" not in repr(found)


def test_data_go_by_position(rng):
    y, a, b = sample(rng, 50)
    with pytest.raises(rw.errors.InvalidInputError, match="by position"):
        rw.compare(y_true=y, score_a=a, score_b=b)


def test_probabilities_of_single_precision_may_be_off_by_rounding(rng):
    y, a, _ = sample(rng, 60)
    p = a.astype(np.float32)
    p[0] = np.nextafter(np.float32(1), np.float32(2))
    assert rw.metrics.score(y, p, "brier") == pytest.approx(((p - y) ** 2).mean(), rel=1e-6)


def test_labels_given_as_scores_are_noticed(rng):
    y, a, b = sample(rng, 200)
    r = rw.compare(y, a > 0.5, b, metric="roc_auc", draws=50, rng=0)
    assert any("are they labels" in note for note in r.notes)


def test_perfect_separation_is_warned_about(silent, rng):
    y = np.repeat([0, 1], 50)
    e = rw.evaluate(y, y + rng.random(100) / 2, metric="roc_auc", model="bootstrap", draws=500, rng=0)
    assert any("has no width" in told for told in e.warnings)


def test_a_probability_of_zero_for_the_truth_is_warned_about(silent, rng):
    y, a, b = sample(rng, 100)
    a = a.copy()
    a[y == 1] = 0.0
    r = rw.compare(y, a, b, metric="log_loss", draws=200, rng=0)
    assert any("gave a probability below 2e-16" in told for told in r.warnings)
    assert r.estimate_a.observed == pytest.approx(by_sklearn("log_loss", y, a), rel=1e-12)


def test_an_ece_is_drawn_without_the_noise_that_re_weighting_adds(rng):
    """Calibrated probabilities: the posterior lies below the observed value, and fewer draws are a prefix of more."""
    p = rng.random(2_000)
    y = (rng.random(2_000) < p).astype(int)
    e = rw.evaluate(y, p, metric="ece", draws=3_000, rng=0)
    assert e["ece"].estimate.mean < e["ece"].estimate.observed
    assert any("too large" in note for note in e.notes)
    few = rw.evaluate(y, p, metric="ece", draws=1_200, rng=0)["ece"].draws.psi
    assert np.array_equal(few, e["ece"].draws.psi[:, :1_200])
    raw = parse_score_metric("ece")(Bootstrap().fit(rw.ItemScores.from_arrays(y, p)).block(generator(0, 0, 0), 500))[0]
    shift = 2 * (raw.mean() - e["ece"].estimate.observed)
    assert e["ece"].estimate.mean == pytest.approx(raw.mean() - shift, abs=6 * raw.std() / math.sqrt(500))


def test_ece_has_no_verdict_on_few_items(silent, rng):
    y = rng.integers(0, 2, 1_000)
    p, q = rng.random(1_000), rng.random(1_000)
    said = {"metric": "ece", "rope": 0.01, "draws": 300, "rng": 0}
    few = rw.compare(y[:999], p[:999], q[:999], **said)
    assert few.decision is None
    assert any("fewer than 1,000" in told for told in few.warnings)
    assert "no verdict" in str(few)
    assert rw.compare(y, p, q, **said).decision is not None
    assert rw.evaluate(y[:99], p[:99], metric="ece", at_least=0.1, rope=0.01, draws=99, rng=0)["ece"].decision is None


def test_every_metric_of_scores_has_a_direction_and_a_range():
    for name, metric in SCORE_METRICS.items():
        assert metric.name == name
        assert metric.low < metric.high


def test_the_weights_of_a_draw_are_exponential(rng):
    items = rw.ItemScores.from_arrays(None, rng.random(400))
    weights = Bootstrap().fit(items).block(generator(1, 0, 0), 100).weights
    assert stats.kstest(weights.reshape(-1), "expon").pvalue > 1e-4
    assert isinstance(Bootstrap().fit(items).block(generator(1, 0, 0), 1), WeightedItems)


# -- labels or scores ---------------------------------------------------------------------------------------------


def of_margins(margins):
    return margins.tp.sum(axis=-1) / margins.row.sum(axis=-1)


def of_scores(y_true, y_score, sample_weight=None):
    return float(np.average(y_score * y_true, weights=sample_weight))


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("f1", "labels"),
        ("micro_precision", "labels"),
        ("fbeta(2)", "labels"),
        (rw.metrics.fbeta(2), "labels"),
        (of_margins, "labels"),
        ("auc", "scores"),
        ("weighted_average_precision", "scores"),
        ("mean", "scores"),
        ("logloss", "scores"),
        (SCORE_METRICS["ece"], "scores"),
        (of_scores, "scores"),
        (lambda truth, scores: 0.0, "scores"),
        ("rok_auc", "scores"),
        ("f11", "labels"),
        ("cost", None),
        (None, None),
    ],
)
def test_the_metric_says_whether_labels_or_scores_are_meant(metric, kind):
    assert metric_kind(metric) == kind


def test_a_cost_is_of_scores_where_numbers_are_not_whole(tmp_path, write, rng):
    y, a, b = sample(rng, 200)
    asked = {"metric": "cost", "cost_matrix": [[0, 1], [3, 0]], "draws": 50, "rng": 0}
    of_labels = rw.compare(y, (a > 0.5).astype(int), (b > 0.6).astype(int), **asked)
    assert isinstance(of_labels.recipe.tables[0], rw.Outcomes)
    path = write(tmp_path / "s.csv", [("y", "a", "b"), *zip(y, a, b, strict=True)])
    expected = np.where(a >= 0.25, 1 - y, 3 * y).mean()  # minimum risk calls positive from 1 / (1 + 3) on
    for r in (
        rw.compare(y, a, b, **asked),
        rw.compare(path, truth="y", a="a", b="b", pos_label="1", **asked),
        rw.compare(rw.ItemScores.from_arrays(y, a, b), **asked),
        rw.compare(y, a, b, **{**asked, "metric": None}),
    ):
        assert r.metric == "cost"
        assert r.estimate_a.observed == pytest.approx(expected, abs=1e-12)
    whole = rw.compare(y, np.round(a), np.round(b), threshold=1, **asked)  # a threshold is about scores
    assert whole.estimate_a.observed == pytest.approx(np.where(np.round(a) >= 1, 1 - y, 3 * y).mean(), abs=1e-12)


def test_a_function_of_margins_and_one_of_scores_look_at_other_data(rng):
    y, a, b = sample(rng, 200)
    scored = rw.compare(y, a, b, metric=of_scores, draws=50, rng=0)
    assert scored.estimate_a.observed == pytest.approx((a * y).mean(), abs=1e-12)
    counted = rw.compare(y == 1, a > 0.5, b > 0.5, metric=of_margins, draws=50, rng=0)
    assert counted.estimate_a.observed == pytest.approx(((a > 0.5) == y).mean(), abs=1e-12)
    with pytest.raises(rw.errors.LabelTypeError, match="name a metric of scores"):
        rw.compare(y, a, b, metric=of_margins)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"metric": "roc_auc", "model": "flat"}, "`model` is about labels"),
        ({"metric": "roc_auc", "engine": "pymc"}, "`engine` is about labels"),
        ({"metric": "roc_auc", "classes": [0]}, "`classes` is about labels"),
        ({"metric": "roc_auc", "prevalence": 0.5}, "`prevalence` is about labels"),
        ({"metric": "roc_auc", "missing": "drop"}, "`missing` is about labels"),
        ({"metric": "f1", "higher_is_better": True}, "`higher_is_better` is about scores"),
        ({"metric": "f1", "threshold": 0.5}, "`threshold` is about scores"),
    ],
)
def test_what_is_about_the_other_kind_of_data_is_refused(rng, options, match):
    y, a, b = sample(rng, 200)
    data = (y, a, b) if options["metric"] == "roc_auc" else (y, y, 1 - y)
    with pytest.raises(rw.errors.InvalidInputError, match=match):
        rw.compare(*data, **options)


def test_one_call_is_about_labels_or_about_scores(rng):
    y, a, _ = sample(rng, 200)
    with pytest.raises(rw.errors.InvalidInputError, match="ask in two calls"):
        rw.evaluate(y, a, metric=["f1", "roc_auc"])


def test_a_name_picks_a_column_or_calls_an_array(rng):
    y, a, b = sample(rng, 200)
    items = rw.ItemScores.from_arrays(y, a, b, names=["old", "new"])
    few = {"draws": 50, "rng": 0}
    assert rw.evaluate(items, "new", **few).to_dict() == rw.evaluate(items, name="new", **few).to_dict()
    assert (
        rw.evaluate(y, b, name="new", metric="roc_auc", **few).to_dict() == rw.evaluate(items, "new", **few).to_dict()
    )
    assert rw.curves.roc(items, "new", **few).name == "new"
    with pytest.raises(rw.errors.InvalidInputError, match="named twice"):
        rw.evaluate(items, "new", name="old")
    assert [model.name for model in rw.rank(items, predictions=["new", "old"], **few).models] == ["new", "old"]


def test_every_class_has_its_own_scores(rng):
    y = np.arange(180) % 3
    p, q = (rng.dirichlet(np.ones(3), 180) + 0.5 * (y[:, None] == np.arange(3)) for _ in range(2))
    table = rw.compare_classes(y, p, q, metric="roc_auc", draws=50, rng=0)
    for j, one in enumerate(table):
        expected = rw.metrics.score(y == j, p[:, j])
        assert one.estimate_a.observed == pytest.approx(expected, abs=1e-12)
    with pytest.raises(rw.errors.InvalidInputError, match="scores of its own"):
        rw.compare_classes(y == 1, p[:, 1], q[:, 1], metric="roc_auc")


@pytest.mark.parametrize("option", [{"higher_is_better": False}, {"threshold": 0.5}])
def test_an_option_of_scores_does_not_make_scores_of_labels(option):
    y, a, b = [0, 1] * 20, [0, 1] * 18 + [1, 0] * 2, [0, 1] * 20
    with pytest.raises(
        rw.errors.InvalidInputError, match=f"`{next(iter(option))}` is about scores, and these are labels"
    ):
        rw.compare(y, a, b, **option)
