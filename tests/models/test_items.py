"""Items seen and imagined: moments in closed form, the same prior for every pair, and never a zero width."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.data.clusters import effective_number, usual_size
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.metrics import parse_metric
from ropewalk.models import Items, Multilabel, draw_psi
from ropewalk.models.item_weights import balanced_signs

DRAWS = 40_000


@pytest.mark.parametrize("n_systems", [1, 2, 3, 4, 7, 8, 20, 33])
def test_imagined_items_are_balanced_for_every_pair(n_systems):
    signs = balanced_signs(n_systems)
    assert signs.shape[1] == n_systems
    assert (signs.mean(axis=0) == 0.5).all()
    for i in range(n_systems):
        for j in range(i):
            corners = [(signs[:, i] == a) & (signs[:, j] == b) for a in (0, 1) for b in (0, 1)]
            assert [corner.mean() for corner in corners] == [0.25] * 4


def dirichlet_moments(values, shapes):
    """Return the mean and the variance of a mean of `values` with Dirichlet weights."""
    total = sum(shapes)
    mean = np.dot(values, shapes) / total
    return mean, (np.dot(np.square(values), shapes) / total - mean**2) / (total + 1)


@pytest.mark.parametrize("n", [1, 12, 200])
def test_the_difference_of_means_has_dirichlet_moments(rng, n):
    a, b = rng.random((2, n))
    r = rw.compare(a, b, metric="mean", draws=DRAWS, rng=0)
    d = np.concatenate([a - b, [0, -1, 1, 0]])  # half an item at each combination of the ends 0 and 1
    mean, variance = dirichlet_moments(d, [1] * n + [0.5] * 4)
    assert r.mean == pytest.approx(mean, abs=4.5 * math.sqrt(variance / DRAWS))
    assert r.std == pytest.approx(math.sqrt(variance), rel=0.03)


def test_0_and_1_are_a_beta():
    e = rw.evaluate([1.0] * 30 + [0.0] * 10, metric="mean", draws=DRAWS, rng=0)
    mean, variance = 31 / 42, 31 * 11 / 42**2 / 43  # Beta(31, 11)
    estimate = e.metrics[0].estimate
    assert estimate.mean == pytest.approx(mean, abs=4.5 * math.sqrt(variance / DRAWS))
    assert estimate.std == pytest.approx(math.sqrt(variance), rel=0.03)


def test_twelve_items_that_are_alike_prove_nothing():
    r = rw.compare([1.0] * 12, [1.0] * 12, metric="mean", rope=0.001, rng=0)
    assert r.hdi.low < -0.1 < 0.1 < r.hdi.high
    assert r.decision.symbol != "≈"


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_without_a_scale_items_that_are_alike_have_no_verdict():
    r = rw.compare([3.0] * 12, [3.0] * 12, metric="mean", rope=0.001, rng=0)
    assert r.decision is None
    assert "all items are alike" in r.no_verdict
    told = rw.compare([3.0] * 12, [3.0] * 12, metric="mean", rope=0.001, scale=(1, 5), rng=0)
    assert told.decision.symbol in "<>"
    assert told.hdi.high > 0.3


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_no_items_give_the_prior():
    r = rw.compare([], [], metric="mean", scale=(0, 1), rope=0.1, draws=DRAWS, rng=0)
    mean, variance = dirichlet_moments([0, -1, 1, 0], [0.5] * 4)
    assert r.mean == pytest.approx(mean, abs=4.5 * math.sqrt(variance / DRAWS))
    assert r.std == pytest.approx(math.sqrt(variance), rel=0.03)
    assert r.to_dict()["a"]["observed"] is None
    area = rw.compare([], [], [], metric="roc_auc", labels=[0, 1], draws=2_000, rng=0)
    assert area.hdi.high - area.hdi.low > 1
    with pytest.raises(rw.errors.DataError, match="what values"):
        rw.compare([], [], metric="mean")


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "brier", "log_loss"])
def test_perfect_scores_leave_room(metric):
    y = np.arange(60) % 2
    p = np.where(y == 1, 0.9, 0.1)
    e = rw.evaluate(y, p, metric=metric, draws=2_000, rng=0).metrics[0].estimate
    assert e.hdi.high - e.hdi.low > 0.01


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_a_pair_of_many_has_the_prior_of_two(rng):
    scores = {name: rng.random(15) for name in "abcde"}
    pairs = rw.rank(scores, metric="mean", draws=DRAWS, rng=0, pool=False)
    alone = rw.compare(scores["a"], scores["b"], metric="mean", draws=DRAWS, rng=1)
    delta = pairs.pair("a", "b").delta
    assert delta.mean == pytest.approx(alone.mean, abs=6 * alone.delta.mc_error)
    assert delta.std == pytest.approx(alone.std, rel=0.03)


@pytest.mark.parametrize(
    ("values", "scale", "assumed"),
    [
        ([0.2, 0.9], (0, 1), False),
        ([1, 5, 3], (1, 5), True),
        ([0.5, 7.25, 3], (0.5, 7.25), True),
        (list(range(40)), (0, 39), True),
    ],
)
def test_the_scale_of_a_mean(values, scale, assumed):
    r = rw.compare(np.array(values, dtype=float), np.array(values, dtype=float), metric="mean", draws=100, rng=0)
    assert r.recipe.model.ends == scale
    assert r.recipe.model.assumed is assumed
    assert r.to_dict()["scale"] == list(scale)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_a_scale_that_was_merely_seen_makes_nothing_equivalent(rng):
    a = rng.normal(0, 1, 400)
    b = a + rng.normal(0, 0.01, 400)
    r = rw.compare(a, b, metric="mean", rope=0.2, draws=5_000, rng=0)
    assert r.decision is None
    assert "beyond those seen" in r.no_verdict
    assert r.regions.inside > 0.99
    assert rw.compare(a, b, metric="mean", rope=0.2, scale=(-5, 5), draws=5_000, rng=0).decision.symbol == "≈"
    better = rw.compare(a + 1, b, metric="mean", rope=0.2, draws=5_000, rng=0)
    assert better.decision.symbol == "≫"


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_heavy_tails_have_no_verdict(rng):
    heavy = rw.compare(rng.lognormal(0, 1.5, 500), np.ones(500), metric="mean", rope=0.2, draws=2_000, rng=0)
    assert heavy.decision is None
    assert "a few large values" in heavy.no_verdict
    few = rw.compare(rng.normal(9, 1, 12), rng.normal(0, 1, 12), metric="mean", rope=0.2, draws=2_000, rng=0)
    assert few.decision is None
    assert "12 items" in few.no_verdict


# -- the log loss is a mean of losses ------------------------------------------------------------------------------


def log_losses(truth, given):
    """Return the losses of a forecaster, and its probabilities of class 1, by what it `given` to what came true."""
    return -np.log(given), np.where(truth == 1, given, 1 - given)


@pytest.fixture(scope="module")
def forecasts():
    rng = np.random.default_rng(1)
    return (rng.random(400) < 0.5).astype(int), np.where(rng.random(400) < 0.9, 0.9, 0.1)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("missed", "told", "said"),
    [
        ([], 0.1, "beyond those seen (0.1054 to 2.303)"),  # the two are the same, so far as was seen
        ([7], 1e-13, "a few large values"),
        (range(150), 0.1, ""),
    ],
)
def test_a_log_loss_is_judged_as_a_mean_of_its_losses(forecasts, missed, told, said, exact):
    truth, given = forecasts
    worse = given.copy()
    worse[missed] = told
    (loss_a, a), (loss_b, b) = log_losses(truth, given), log_losses(truth, worse)
    ask = {"rope": 0.15, "draws": 4_000, "rng": 0, "exact": exact}
    whole = rw.compare(truth, a, b, metric="log_loss", **ask)
    as_mean = rw.compare(loss_a, loss_b, metric="mean", higher_is_better=False, **ask)
    assert said in whole.no_verdict
    assert whole.no_verdict[:40] == as_mean.no_verdict[:40]
    assert (whole.decision and whole.decision.symbol) == (as_mean.decision and as_mean.decision.symbol)
    assert (whole.decision is None) == bool(said)
    assert "scale=(low, high)" in " ".join(whole.notes)
    assert "Brier" in " ".join(whole.notes)
    assert whole.to_dict()["scale"][1] == pytest.approx(as_mean.to_dict()["scale"][1], rel=1e-2)


def test_a_log_loss_of_a_declared_scale_can_be_equivalent(forecasts):
    truth, given = forecasts
    _, p = log_losses(truth, given)
    r = rw.compare(truth, p, p, metric=["log_loss", "brier"], scale=(0, 5), rope=0.15, draws=4_000, rng=0)
    assert r.decision.symbol == "≈"
    assert r.to_dict()["scale"] == [0, 5]
    assert not r.notes
    with pytest.raises(rw.errors.DataError, match="beyond the scale from 0 to 2"):
        rw.compare(truth, p, p, metric="log_loss", scale=(0, 2))
    with pytest.raises(rw.errors.InvalidInputError, match="the loss of a coin"):
        rw.compare([0, 1], [0.4, 0.6], [0.4, 0.6], metric="log_loss", scale=(0, 0.6))
    with pytest.raises(rw.errors.InvalidInputError, match="brier has one of its own"):
        rw.compare(truth, p, p, metric="brier", scale=(0, 5))


def test_a_probability_of_0_is_the_end_of_the_scale(forecasts):
    truth, given = forecasts
    _, p = log_losses(truth, np.where(given == 0.9, 1.0, 0.1))
    r = rw.compare(truth, p, p, metric="log_loss", draws=500, rng=0)
    assert not r.recipe.model.assumed
    assert r.to_dict()["scale"] == pytest.approx([0, -math.log(2**-52)])


@pytest.mark.parametrize("n_classes", [2, 5])
def test_what_is_imagined_has_the_declared_losses(n_classes):
    rng = np.random.default_rng(2)
    truth, worst = np.arange(300) % n_classes, 4.0
    a, b = rng.dirichlet(np.full(n_classes, 20.0), (2, 300))
    d = np.log(b[np.arange(300), truth]) - np.log(a[np.arange(300), truth])
    reach = worst + math.log1p(-math.exp(-worst))
    mean, variance = dirichlet_moments(np.concatenate([d, [0, -reach, reach, 0]]), [1] * 300 + [0.5] * 4)
    said = (a, b) if n_classes > 2 else (a[:, 1], b[:, 1])
    r = rw.compare(truth, *said, metric="log_loss", scale=(0, worst), draws=DRAWS, rng=0)
    assert r.mean == pytest.approx(mean, abs=4.5 * math.sqrt(variance / DRAWS))
    assert r.std == pytest.approx(math.sqrt(variance), rel=0.03)


def test_a_scale_must_hold_the_values():
    with pytest.raises(rw.errors.DataError, match="beyond the scale"):
        rw.compare([1.0, 7.0], [2.0, 3.0], metric="mean", scale=(1, 5))
    for wrong in ((5, 1), 3, "ab", (0, math.inf), (1, 2, 3)):
        with pytest.raises(rw.errors.InvalidInputError, match="lowest and the highest"):
            rw.compare([1.0, 2.0], [2.0, 3.0], metric="mean", scale=wrong)
    with pytest.raises(rw.errors.InvalidInputError, match="one of its own"):
        rw.compare([0, 1], [0.1, 0.2], [0.3, 0.4], metric="roc_auc", scale=(0, 1))
    with pytest.raises(rw.errors.InvalidInputError, match="about scores"):
        rw.compare([0, 1], [0, 1], [1, 1], scale=(0, 1))


# -- clusters ------------------------------------------------------------------------------------------------


def test_sizes_of_clusters():
    cluster = np.repeat(np.arange(3), (1, 1, 4))
    assert usual_size(cluster) == pytest.approx(
        np.sqrt(66 / 6)
    )  # of six items, two are in clusters of 1, four in one of 4
    assert effective_number(cluster) == pytest.approx(36 / 18)


def test_clusters_of_labels_are_a_ratio_of_gammas(rng):
    """One class, one system: the accuracy is (Σ w right + size·g) / (Σ w n + size·(g + h)), by brute force."""
    sizes, right = np.array([2, 3, 7]), np.array([1, 3, 5])
    cluster = np.repeat(np.arange(3), sizes)
    predicted = np.concatenate([np.repeat([1, 0], [r, n - r]) for r, n in zip(right, sizes, strict=True)])
    o = rw.Outcomes.from_arrays(np.ones(12, dtype=int), predicted, labels=[0, 1], cluster=cluster)
    ours = draw_psi(
        [Items(mass=1.0, imagined="classes", over="clusters").fit(o)], parse_metric("recall").at(1), stop=DRAWS, seed=0
    )[0]
    w, (g, h) = rng.standard_exponential((3, DRAWS)), 62 / 12 * rng.standard_gamma(0.5, (2, DRAWS))
    theirs = (right @ w + g) / (sizes @ w + g + h)
    for power in (1, 2):
        error = math.sqrt(((ours**power).var() + (theirs**power).var()) / DRAWS)
        assert (ours**power).mean() == pytest.approx((theirs**power).mean(), abs=4.5 * error)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_few_effective_clusters_have_no_verdict(rng):
    cluster = np.concatenate([np.zeros(300, dtype=int), np.arange(1, 60)])
    y = rng.integers(0, 2, cluster.size)
    o = rw.Outcomes.from_arrays(y, y, 1 - y, labels=[0, 1], cluster=cluster)
    r = rw.compare(o, metric="accuracy", rope=0.01, draws=2_000, rng=0)
    assert r.decision is None
    assert "tell as much as 1.4" in r.no_verdict


# -- any number of labels ------------------------------------------------------------------------------------


def test_every_label_by_itself_has_the_posterior_of_its_own_table(rng):
    truth, a, b = (rng.random((40, 4)) < 0.3 for _ in range(3))
    o = MultilabelOutcomes.from_arrays(*(x.astype(int) for x in (truth, a, b)))
    metric = parse_metric("macro_f1")
    for label in range(4):
        one = np.zeros(4, dtype=bool)
        one[label] = True
        from dataclasses import replace

        chosen = replace(metric, classes=(label,))
        ours = draw_psi([Items(mass=1.0, imagined="classes").fit(o)], chosen, stop=DRAWS, seed=0)
        theirs = draw_psi([Multilabel().fit(o)], chosen, stop=DRAWS, seed=1)
        for x, y in zip(ours, theirs, strict=True):
            assert x.mean() == pytest.approx(y.mean(), abs=4.5 * math.sqrt((x.var() + y.var()) / DRAWS))
            assert x.std() == pytest.approx(y.std(), rel=0.03)


def test_labels_that_err_together_make_a_wider_interval(rng):
    n = 150
    truth = rng.random((n, 8)) < 0.4
    bad = rng.random(n) < 0.3
    a = np.where(bad[:, np.newaxis], ~truth, truth)
    b = truth ^ (rng.random((n, 8)) < 0.3)
    data = [x.astype(int) for x in (truth, a, b)]
    ours, apart = (rw.compare(*data, metric="macro_f1", model=m, draws=4_000, rng=0) for m in (None, "multilabel"))
    assert ours.recipe.model.name == "items"
    assert ours.std > 1.3 * apart.std


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("metric", ["macro_f1", "micro_f1"])
def test_no_items_of_many_labels_give_the_prior(metric):
    empty = MultilabelOutcomes.empty(["x", "y"], ["a", "b"])
    r = rw.compare(empty, metric=metric, draws=2_000, rng=0)
    assert r.mean == pytest.approx(0, abs=5 * r.delta.mc_error)
    assert r.hdi.high - r.hdi.low > 0.5
