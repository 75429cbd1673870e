"""The posterior by influence values against all weights drawn exactly, and against closed forms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from laws import assert_same_law
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import generator
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models import Bootstrap, Items, draw_psi, influence
from ropewalk.models.influence import InfluencePosterior, by_influence, is_large, posterior_of
from ropewalk.models.items import items_of_scores

NAMES = ("roc_auc", "average_precision", "pr_auc", "log_loss", "brier", "mean")
DRAWS = 3_000


@cache
def scored(n=3_000, *, share=0.3, clusters=0, weighted=False, seed=0):
    """Return probabilities of two systems, one of them noisier."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    logits = 2.0 * truth - 1.5 + rng.normal(size=n)
    scores = [1 / (1 + np.exp(-logits - noise * rng.normal(size=n))) for noise in (0.5, 0.8)]
    beside = {"cluster": rng.integers(0, clusters, n)} if clusters else {}
    if weighted:
        beside["sample_weight"] = rng.gamma(2.0, size=n)
    return ItemScores.from_arrays(truth, *scores, **beside)


def posteriors(items, name, model=None):
    """Return the posterior of all weights, and that by influence values."""
    metric = SCORE_METRICS[name]
    items = items if metric.needs_truth else replace(items, truth=None, labels=())
    exact = (model or items_of_scores(items, metric)).fit(items)
    return exact, by_influence(exact, metric), metric


def assert_agree(items, name, model=None, draws=DRAWS):
    exact, fast, metric = posteriors(items, name, model)
    ours, theirs = (draw_psi([posterior], metric, stop=draws, seed=seed) for seed, posterior in ((1, fast), (2, exact)))
    for a, b in zip((*ours, ours[0] - ours[1]), (*theirs, theirs[0] - theirs[1]), strict=True):
        assert_same_law(a, b)


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "mean"])
@pytest.mark.parametrize("beside", [{}, {"clusters": 150}, {"weighted": True}], ids=["items", "clusters", "weights"])
def test_it_agrees_with_all_weights_drawn(name, beside):
    assert_agree(scored(**beside), name)


@pytest.mark.parametrize("name", ["average_precision", "pr_auc"])
def test_precision_agrees_where_its_first_order_is_close(name):
    assert_agree(scored(20_000, share=0.5), name, draws=300)


@pytest.mark.parametrize("name", ["roc_auc", "brier"])
def test_the_bootstrap_agrees_too(name):
    assert_agree(scored(), name, Bootstrap())


def test_auc_of_few_positives_agrees():
    """Only the negatives are many: the positives are drawn one by one."""
    assert_agree(scored(4_000, share=0.005), "roc_auc")


def test_a_few_enormous_losses_are_drawn_one_by_one():
    rng = np.random.default_rng(3)
    values = rng.exponential(size=2_000)
    values[:3] = 1e4, 3e3, -2e3
    assert_agree(ItemScores.from_arrays(None, values, np.roll(values, 1)), "mean", Bootstrap())


def test_the_mean_of_zeros_and_ones_is_a_beta():
    n, k = 5_000, 40
    items = ItemScores.from_arrays(None, np.arange(n) < k)
    _, fast, metric = posteriors(items, "mean", Items(ends=(0.0, 1.0)))
    draws = draw_psi([fast], metric, stop=30_000, seed=5)[0]
    assert stats.kstest(draws, stats.beta(k + 1, n - k + 1).cdf).pvalue > 1e-4


def test_the_mean_of_auc_is_that_of_the_expected_weights():
    """Weights within a class are a Dirichlet, and independent of those within the other."""
    exact, fast, metric = posteriors(scored(), "roc_auc")
    mass = exact.expected
    expected = [smooth.value(mass) for smooth in metric.smooth(exact.items)]
    draws = draw_psi([fast], metric, stop=40_000, seed=6)
    assert draws.mean(axis=1) == pytest.approx(expected, abs=0.03 * draws.std())


def test_average_precision_of_few_positives_is_drawn_exactly():
    exact, fast, _ = posteriors(scored(4_000, share=0.005), "average_precision")
    assert fast is None
    metric = SCORE_METRICS["average_precision"]
    assert type(posterior_of(Bootstrap(), exact.items, metric, exact=False)).__name__ == "ScorePosterior"


@pytest.mark.parametrize(("n", "noise"), [(20_000, 0.0), (20_000, 0.05), (100_000, 0.0)])
def test_average_precision_of_near_copies_is_drawn_exactly(n, noise):
    """Their difference is what imagined items make of it, and that has a long tail: its first order was 8% too wide."""
    rng = np.random.default_rng(0)
    truth = (rng.random(n) < 0.3).astype(int)
    scores = rng.normal(size=n) + 1.4 * truth
    copies = ItemScores.from_arrays(truth, scores, scores + noise * rng.normal(size=n))
    assert posteriors(copies, "average_precision")[1] is None


def test_the_spread_of_near_copies_is_that_of_all_weights():
    rng = np.random.default_rng(1)
    truth = (rng.random(20_000) < 0.3).astype(int)
    scores = rng.normal(size=truth.size) + 1.4 * truth
    exact, fast, metric = posteriors(
        ItemScores.from_arrays(truth, scores, scores + 0.05 * rng.normal(size=truth.size)), "roc_auc"
    )
    (a, b), (c, d) = (draw_psi([p], metric, stop=600, seed=seed) for seed, p in enumerate((fast, exact)))
    # Of n draws a log standard deviation has the variance (kurtosis + 2) / 4n, the kurtosis being 0 if they are normal.
    error = np.sqrt(sum((stats.kurtosis(x) + 2) / (4 * x.size) for x in (a - b, c - d)))
    assert abs(np.log((a - b).std() / (c - d).std())) < 4 * error


@pytest.mark.parametrize(("checked_items", "checks"), [(0, 4), (28_000, 9), (10**9, 50)])
def test_at_least_as_many_exact_draws_check_it_as_are_cheap(monkeypatch, checked_items, checks):
    drawn = []
    monkeypatch.setattr(influence, "CHECKED_ITEMS", checked_items)
    monkeypatch.setattr(influence, "MAX_REST", 0.0)  # it gives up as soon as it may
    monkeypatch.setattr(influence, "generator", lambda *path: drawn.append(path) or generator(*path))
    assert posteriors(scored(3_000, share=0.005), "average_precision")[1] is None
    assert len(drawn) == checks


def test_scores_are_large_by_their_number_or_as_asked(monkeypatch):
    items = scored()
    assert not is_large(items, exact=None)
    assert is_large(items, exact=False)
    monkeypatch.setattr(influence, "LARGE", items.n_items)
    assert is_large(items, exact=None)
    assert not is_large(items, exact=True)
    assert not is_large(rw.Outcomes.from_arrays([0, 1], [0, 1], [1, 1]), exact=False)


def test_systems_that_rank_alike_have_a_difference_of_nothing():
    items = scored()
    alike = replace(items, values=(items.values[0], items.values[0] ** 3))
    _, fast, metric = posteriors(alike, "roc_auc", Bootstrap())  # imagined items may tell them apart
    psi = draw_psi([fast], metric, stop=100, seed=1)
    assert psi[0] == pytest.approx(psi[1], abs=1e-12)


def test_draws_are_a_prefix_of_more_and_do_not_depend_on_threads():
    _, fast, metric = posteriors(scored(), "roc_auc")
    few = draw_psi([fast], metric, stop=500, seed=8)
    many = draw_psi([fast], metric, stop=30_000, seed=8, threads=3)
    assert np.array_equal(few, many[:, :500])


def test_another_prior_mass_moves_it_as_it_moves_all_weights():
    items, metric = scored(3_000, share=0.01), SCORE_METRICS["roc_auc"]
    model = items_of_scores(items, metric)
    fast = posterior_of(model, items, metric, exact=False)
    assert isinstance(fast, InfluencePosterior)
    heavier = draw_psi([fast.scaled(4.0)], metric, stop=20_000, seed=9)
    exact = draw_psi([model.scaled(4.0).fit(items)], metric, stop=2_000, seed=10)
    assert heavier.mean(axis=1) == pytest.approx(exact.mean(axis=1), abs=0.15 * exact.std())
    assert abs(heavier.mean() - draw_psi([fast], metric, stop=20_000, seed=9).mean()) > 0.15 * exact.std()


def test_an_answer_says_how_it_was_taken():
    items = scored()
    fast, exact = (rw.compare(items, metric="roc_auc", rope=0.01, rng=0, draws=1_000, exact=e) for e in (False, True))
    assert [remark.code for remark in fast.remarks] == ["by_influence"]
    assert "3,000 items are taken by their influence values" in str(fast)
    assert "influence" not in str(exact)
    assert fast.delta.mean == pytest.approx(exact.delta.mean, abs=0.3 * exact.delta.std)
    assert fast.delta.observed == exact.delta.observed


def test_a_ranking_and_an_evaluation_say_so_too():
    items = scored()
    ranking = rw.rank(items, metric="brier", rope=0.01, rng=0, draws=1_000, exact=False)
    alone = rw.evaluate(items, "A", metric=["log_loss", "ece"], rng=0, draws=200, exact=False)
    assert "by_influence" in [remark.code for remark in ranking.remarks]
    told = {remark.code: remark.text for remark in alone.remarks}
    assert told["by_influence"].startswith("3,000 items are taken by their influence values")
    assert told["every_weight"].startswith("The ECE of these items is no sum")  # it has kinks


def test_a_ranking_of_two_is_the_comparison():
    items = scored()
    compared = rw.compare(items, metric="roc_auc", rope=0.01, rng=0, draws=500, exact=False)
    ranked = rw.rank(items, metric="roc_auc", rope=0.01, rng=0, draws=500, exact=False)
    assert ranked.pairwise[0].delta.mean == pytest.approx(compared.delta.mean)


def test_exact_is_true_or_false():
    with pytest.raises(rw.errors.InvalidInputError, match="`exact` must be True or False"):
        rw.compare(scored(), metric="roc_auc", exact="yes")
