"""Predictive checks: replicates have the moments that theory says, p-values are uniform, and misfits are found."""

from __future__ import annotations

import dataclasses
import json
import math
import re

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from hostile import hostile_names
from posteriors import crossed
from ropewalk.data.labels import NO_ANSWER
from ropewalk.errors import DataError, InvalidInputError, RopewalkError, UnknownNameError
from ropewalk.inference import checks
from ropewalk.inference.checks import predictive_check, tables_of
from ropewalk.models import Bootstrap, Flat, Icdm2015, Multilabel, NoisyLabels, Sigir2016, Sigir2016Unpaired, Tree
from ropewalk.models.multilabel import LabelMargins
from ropewalk.models.replicate import LabelTables, agreements, cut, replicate, seen_tables, squares, whole_block
from ropewalk.plots import plot_discrepancy, plot_replicates
from ropewalk.results import PredictiveCheck
from ropewalk.results.base import Drawing

pytestmark = [pytest.mark.usefixtures("untouched_settings", "silent")]

SEEDS = (1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3)))  # one is enough for `make test`
DRAWS = 4_000
HOSTILE = hostile_names("formula and cell", "script", "long", "emoji and text", "hebrew", "red lines", "underscore")
PAIRS = {"positive": (30, 6, 4, 5), "negative": (3, 2, 4, 40)}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def small():
    """45 positive and 49 negative items; the two say the same about 30 + 5 + 3 + 40 = 78 of them."""
    return rw.Outcomes.from_pairs(**PAIRS, names=["a", "b"])


@pytest.fixture(scope="module")
def news_check(news):
    flat = ranked(news, "flat")
    assert any("The prior pulls" in told for told in flat.notes)
    return predictive_check(flat, outcomes=news.outcomes, draws=400)


@pytest.fixture(scope="module")
def many_labels():
    rng = np.random.default_rng(5)
    truth = rng.random((120, 3)) < (0.5, 0.3, 0.1)
    hard = rng.random(truth.shape) < 0.3  # both err on the same items
    says = [np.where(hard, rng.random(truth.shape) < 0.5, truth) for _ in range(2)]
    return rw.MultilabelOutcomes.from_arrays(truth, *says, labels=["x", "y", "z"], names=["a", "b"])


def ranked(news, model=None, names=("nb_mult", "svm_l2"), draws=100):
    """Return an answer about 20 classes; a ranking of two is a comparison that spares the Bayes factor."""
    return rw.rank(news.outcomes.project(names), metric="macro_f1", model=model, draws=draws, rng=0)


def row(check, statistic, label=None, name=None):
    found = [
        r for r in check.rows if r.statistic == statistic and r.label == label and (not name or name in r.classifiers)
    ]
    assert len(found) == 1, found
    return found[0]


def betabinomial_p(n, a, b, seen):
    """P(X > seen) + P(X = seen) / 2 of a beta-binomial count."""
    law = stats.betabinom(n, a, b)
    return float(law.sf(seen) + law.pmf(seen) / 2)


def ratio_p(n, share, inner, seen):
    """Mid-p of tp / row: row ~ beta-binomial(n, *share) is not 0, and tp given row ~ beta-binomial(row, *inner)."""
    rows = np.arange(1, n + 1)
    weights = stats.betabinom(n, *share).pmf(rows)
    total = 0.0
    for size, weight in zip(rows.tolist(), weights.tolist(), strict=True):
        hits = np.arange(size + 1)
        above = np.where(np.isclose(hits / size, seen, rtol=0, atol=1e-12), 0.5, hits / size > seen)
        total += weight * float(stats.betabinom(size, *inner).pmf(hits) @ above)
    return total / float(weights.sum())


def near_p(found, expected):
    """Within five Monte Carlo errors of the expected value."""
    return abs(found.p_value - expected) <= 5 * math.sqrt(expected * (1 - expected) / found.n) + 1e-12


# -- closed forms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", [Sigir2016(mu=(4, 4)), Tree(kappa=4, mu_prior=4)])
def test_agreement_of_two_has_the_moments_of_a_dirichlet_multinomial(small, model, seed):
    """With as much prior mass on a class as on its cells, all eight cells are one Dirichlet(counts + 1)."""
    tables = model.fit(small).block(np.random.default_rng(seed), DRAWS)
    alike = agreements(replicate(tables, 94, np.random.default_rng(seed + 100)))[0]
    law = stats.betabinom(94, 78 + 4, 16 + 4)
    assert abs(alike.mean() - law.mean()) < 5 * law.std() / math.sqrt(DRAWS)
    assert abs(alike.var() / law.var() - 1) < 5 * math.sqrt(2.2 / DRAWS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 7, 500])
def test_cells_of_the_prior_are_those_of_a_dirichlet_multinomial(n, seed):
    empty = rw.Outcomes.empty([0, 1], ["a", "b"])
    tables = Sigir2016(mu=(4, 4)).fit(empty).block(np.random.default_rng(seed), DRAWS)
    data = replicate(tables, n, np.random.default_rng(seed + 100))
    law = stats.betabinom(n, 1, 7)
    for cell in data.weights:
        assert abs(cell.mean() - law.mean()) < 5 * law.std() / math.sqrt(DRAWS)
        spread = (cell - law.mean()) ** 2
        assert abs(spread.mean() - law.var()) < 5 * spread.std() / math.sqrt(DRAWS)
    assert (data.weights.sum(axis=0) == n).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_posterior_p_values_of_two_labels_are_those_of_the_beta_binomial(small, seed):
    check = rw.compare(small, model=Sigir2016(mu=(4, 4)), draws=100, rng=seed).predictive_check(draws=DRAWS)
    assert near_p(row(check, "agreement"), betabinomial_p(94, 82, 20, 78))
    assert near_p(row(check, "class share", 1), betabinomial_p(94, 49, 53, 45))
    # a is right about 36 of 45 positive and 44 of 49 negative items, b about 34 and 43.
    assert near_p(row(check, "accuracy", name="b"), betabinomial_p(94, 77 + 4, 17 + 4, 77))
    assert near_p(row(check, "recall", 1, "a"), ratio_p(94, (49, 53), (38, 11), 36 / 45))
    assert near_p(row(check, "recall", 0, "b"), ratio_p(94, (53, 49), (44, 9), 42 / 49))


@pytest.mark.parametrize("seed", SEEDS)
def test_prior_p_values_of_two_labels_are_those_of_the_beta_binomial(small, seed):
    check = rw.compare(small, model=Sigir2016(mu=(4, 4)), draws=100, rng=seed).predictive_check("prior", draws=DRAWS)
    assert near_p(row(check, "agreement"), betabinomial_p(94, 4, 4, 78))
    assert near_p(row(check, "recall", 1, "a"), ratio_p(94, (4, 4), (2, 2), 36 / 45))


@pytest.mark.parametrize(("model", "shape"), [("paired", 1 / 4), ("sigir2016", 1)])
def test_mean_and_variance_of_replicated_recalls_are_those_of_theory(small, model, shape):
    """a is right about 36 of 45 positive items, and two cells of the prior are right as well."""
    check = rw.compare(small, model=model, draws=100, rng=4).predictive_check(draws=DRAWS)
    positive = check.replicates[:, 0, 1]
    recalls = positive[:, 1] / positive.sum(axis=1)
    sizes = np.arange(1, 95)
    weights = stats.betabinom(94, 46, 50).pmf(sizes)
    a, b = 36 + 2 * shape, 9 + 2 * shape
    within = [stats.betabinom(int(size), a, b).var() / size**2 for size in sizes]
    variance = float(weights @ within / weights.sum())
    assert abs(recalls.mean() - a / (a + b)) < 5 * math.sqrt(variance / DRAWS)
    assert abs(recalls.var() / variance - 1) < 5 * math.sqrt(2.2 / DRAWS)
    assert row(check, "recall", 1, "a").mean == pytest.approx(recalls.mean(), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("model", "inner"), [(Sigir2016Unpaired(), (37, 10)), (Tree(paired=False), (36.5, 9.5)), (Flat(), (37, 10))]
)
def test_p_values_of_a_single_classifier_are_those_of_the_beta_binomial(small, model, inner, seed):
    one = rw.evaluate(small, "a", model=model, draws=100, rng=seed)
    check = one.metrics[0].predictive_check(draws=DRAWS)
    assert near_p(row(check, "recall", 1), ratio_p(94, (46, 50), inner, 36 / 45))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("model", "wrong"), [(Tree(paired=False), (0.5, 0.5)), (Flat(), (1.0, 4.0))])
def test_p_values_with_five_classes_are_those_of_the_beta_binomial(model, wrong, seed):
    """The mass that the tree puts on cells nobody saw counts as wrong, and as items of the class."""
    counts = np.diag([9, 8, 7, 0, 3]) + np.diag([4, 1, 0, 0], 1)
    one = rw.evaluate(rw.Outcomes.from_confusion(counts), "A", model=model, draws=100, rng=seed)
    check = one.metrics[0].predictive_check(draws=DRAWS)
    right, left = wrong
    assert near_p(row(check, "recall", 0), ratio_p(32, (14, 23), (9 + right, 4 + left), 9 / 13))
    assert near_p(row(check, "recall", 2), ratio_p(32, (8, 29), (7 + right, 0 + left), 1.0))
    assert near_p(row(check, "class share", 3), betabinomial_p(32, 1, 36, 0))
    assert not [r for r in check.rows if r.statistic == "recall" and r.label == 3]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_prior_of_icdm2015_has_the_moments_of_its_hierarchy(seed):
    """Given eta ~ Beta(1, 1) a recall is Beta(eta, 1 − eta): mean 1/2, variance 1/6, and 1/12 for each item less."""
    empty = rw.Outcomes.empty(range(4), ["a"])
    tables = Icdm2015().fit(empty).block(np.random.default_rng(seed), DRAWS)
    margins = replicate(tables, 30, np.random.default_rng(seed + 100)).margins()
    known = margins.row[:, 2] > 0
    recalls = margins.tp[0, known, 2] / margins.row[known, 2]
    sizes = np.arange(1, 31)
    weights = stats.betabinom(30, 1, 3).pmf(sizes)
    variance = 1 / 6 + float(weights @ (1 / sizes) / weights.sum()) / 12
    spread = (recalls - 0.5) ** 2
    assert abs(recalls.mean() - 0.5) < 5 * math.sqrt(variance / recalls.size)
    assert abs(spread.mean() - variance) < 5 * spread.std() / math.sqrt(recalls.size)


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_with_four_classes_has_the_mean_of_the_tree(seed):
    """Two agree if both are right or wrong alike: base weights 1/4 and 1/8 a class, with the counts of either type."""
    rows = [(0, 0, 0), (0, 1, 1), (0, 1, 2), (1, 1, 1), (1, 1, 3), (2, 2, 2), (2, 0, 0)]
    counts = [8, 2, 3, 6, 4, 5, 1]
    o = rw.Outcomes.from_rows(rows, counts, names=["a", "b"], labels=range(4))
    tables = Tree().fit(o).block(np.random.default_rng(seed), DRAWS)
    alike = agreements(replicate(tables, 29, np.random.default_rng(seed + 100)))[0] / 29
    items, same = np.array([13, 10, 6, 0]), np.array([10, 6, 6, 0])
    expected = float(((items + 1) / 33) @ ((same + 3 / 8) / (items + 1)))
    assert abs(alike.mean() - expected) < 5 * alike.std() / math.sqrt(DRAWS)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bootstrap_replicates_a_dirichlet_of_the_counts(small, seed):
    check = rw.compare(small, model="bootstrap", draws=100, rng=seed).predictive_check(draws=DRAWS)
    assert near_p(row(check, "agreement"), betabinomial_p(94, 78, 16, 78))
    assert near_p(row(check, "class share", 1), betabinomial_p(94, 45, 49, 45))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("model", "shape"), [("unpaired", 1 / 2), ("sigir2016_unpaired", 1)])
def test_agreement_of_unpaired_models_has_the_mean_of_independence(small, model, shape, seed):
    r = rw.compare(small, model=model, draws=100, rng=seed)
    found = row(predictive_check(r, draws=DRAWS, outcomes=small), "agreement")
    # Posterior means of being right: a is about 36 of 45 and 44 of 49 items, b about 34 and 42.
    right, items = np.array([[36, 34], [44, 42]]), np.array([[45], [49]])
    positive, negative = (right + shape) / (items + 2 * shape)
    both = [p * q + (1 - p) * (1 - q) for p, q in (positive, negative)]
    expected = 46 / 96 * both[0] + 50 / 96 * both[1]
    error = (found.interval.high - found.interval.low) / 3.9 / math.sqrt(DRAWS)
    assert abs(found.mean - expected) < 5 * error
    assert found.observed == 78 / 94


@pytest.mark.parametrize("seed", SEEDS)
def test_p_values_of_labels_are_those_of_the_beta_binomial(many_labels, seed):
    model = Multilabel(kappa=4, mu_prior=4)
    check = rw.compare(many_labels, model=model, draws=100, rng=seed).predictive_check(draws=DRAWS)
    boot = rw.compare(many_labels, model="bootstrap", draws=100, rng=seed).predictive_check(draws=DRAWS)
    for label in "xyz":
        table = many_labels.table(label)
        alike = int(table.counts[table.codes[:, 1] == table.codes[:, 2]].sum())
        size, hits = int(table.confusion("a")[1].sum()), int(table.confusion("a")[1, 1])
        assert row(check, "agreement", label).observed == alike / 120
        assert near_p(row(check, "agreement", label), betabinomial_p(120, alike + 4, 120 - alike + 4, alike))
        assert near_p(row(boot, "agreement", label), betabinomial_p(120, alike, 120 - alike, alike))
        inner = (hits + 2, size - hits + 2)
        expected = ratio_p(120, (size + 4, 120 - size + 4), inner, hits / size)
        assert near_p(row(check, "recall", label, "a"), expected)
        assert near_p(row(boot, "class share", label), betabinomial_p(120, size, 120 - size, size))


def test_margins_of_labels_alone_give_the_same_recalls(many_labels):
    posterior = Multilabel(kappa=4, mu_prior=4).fit(many_labels)
    margins = posterior.block(np.random.default_rng(0), DRAWS)
    assert isinstance(margins, LabelMargins)
    data = replicate(margins, 120, np.random.default_rng(1))
    assert agreements(data) is None
    found = data.margins()
    first = replicate(cut(margins, 0, 9), 120, np.random.default_rng(1)).margins()
    np.testing.assert_array_equal(first.col, found.col[:, :9])
    table = many_labels.table("x").confusion("b")
    (tn, fp), (fn, tp) = table.tolist()
    assert (found.total == 120).all()
    recalls = found.tp[1, :, 0] / found.row[:, 0]
    assert abs(recalls.mean() - (tp + 2) / (tp + fn + 4)) < 5 * recalls.std() / math.sqrt(DRAWS)
    alarms = (found.col - found.tp)[1, :, 0] / (120 - found.row[:, 0])
    assert abs(alarms.mean() - (fp + 2) / (tn + fp + 4)) < 5 * alarms.std() / math.sqrt(DRAWS)


# -- the draws are those of the answer ---------------------------------------------------------------------

MODELS = ["paired", "unpaired", "icdm2015", "flat", "bootstrap"]


@pytest.mark.parametrize("model", MODELS)
def test_tables_are_the_very_draws_of_the_answer(news, model):
    _same_draws(ranked(news, model, draws=900))


@pytest.mark.parametrize("model", ["paired", "unpaired", "bootstrap"])
def test_tables_of_labels_are_the_very_draws_of_the_answer(many_labels, model):
    _same_draws(rw.compare(many_labels, model=model, draws=900, rng=3))


def _same_draws(r):
    source = tables_of(r, "posterior", 900)
    spans = [(start, min(start + source.span, 900)) for start in range(0, 900, source.span)]
    drawn = [np.concatenate([r.recipe.metric(one) for one in source.tables(*span)]) for span in spans]
    np.testing.assert_allclose(np.concatenate(drawn, axis=1), r.draws.psi, rtol=0, atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("kind", ["posterior", "prior"])
def test_fewer_draws_are_a_prefix_and_blocks_leave_no_trace(news, model, kind, monkeypatch):
    if (model, kind) == ("bootstrap", "prior"):
        pytest.skip("it has none")
    r = ranked(news, model)
    joint = None if len(r.recipe.tables) == 1 else news.outcomes
    long = predictive_check(r, kind=kind, draws=50, outcomes=joint)
    short = predictive_check(r, kind=kind, draws=30, outcomes=joint)
    np.testing.assert_array_equal(long.replicates[:30], short.replicates)
    monkeypatch.setattr(checks, "SPANS", (5, 1))
    again = predictive_check(r, kind=kind, draws=50, outcomes=joint)
    assert again.rows == long.rows
    np.testing.assert_array_equal(again.replicates, long.replicates)


@pytest.mark.parametrize("model", ["paired", "unpaired", "bootstrap"])
def test_blocks_leave_no_trace_in_replicated_labels(many_labels, model, monkeypatch):
    r = rw.compare(many_labels, model=model, draws=100, rng=3)
    joint = many_labels if model == "unpaired" else None
    long = predictive_check(r, draws=120, outcomes=joint)
    monkeypatch.setattr(checks, "SPANS", (5, 1))
    assert predictive_check(r, draws=120, outcomes=joint).rows == long.rows


def test_the_seed_decides_the_replicates_and_the_answers_seed_is_the_default(small):
    r = rw.compare(small, draws=100, rng=8)
    first = r.predictive_check(draws=50)
    assert first.seed == 8
    assert predictive_check(r, draws=50, rng=8).rows == first.rows
    assert predictive_check(r, draws=50, random_state=8).rows == first.rows
    assert predictive_check(r, draws=50, rng=9).rows != first.rows
    with pytest.raises(InvalidInputError, match="both"):
        predictive_check(r, rng=1, random_state=1)


def test_statistics_are_those_of_the_kept_confusion_matrices(news):
    r = ranked(news, names=("nb_bern", "nb_mult", "svm_l2"))
    check = r.predictive_check(draws=60)
    assert check.replicates.shape == (60, 3, 20, 20)
    assert (check.replicates.sum(axis=(2, 3)) == 7_532).all()
    for k, name in enumerate(check.names):
        np.testing.assert_array_equal(check.observed[k], news.outcomes.confusion(name))
        matrices = check.replicates[:, k]
        right = matrices[:, 4, 4] / matrices[:, 4].sum(axis=1)
        found = row(check, "recall", 4, name)
        assert found.mean == pytest.approx(right.mean(), rel=1e-12)
        assert found.p_value == ((right > found.observed) + 0.5 * (right == found.observed)).mean()
        accuracy = np.trace(matrices, axis1=1, axis2=2) / 7_532
        assert row(check, "accuracy", name=name).mean == pytest.approx(accuracy.mean(), rel=1e-12)
    shares = check.replicates[:, 0].sum(axis=2)[:, 7] / 7_532
    assert row(check, "class share", 7).interval.high == pytest.approx(np.quantile(shares, 0.975), rel=1e-12)
    # All classifiers see the same replicated items.
    np.testing.assert_array_equal(check.replicates[:, 0].sum(axis=2), check.replicates[:, 2].sum(axis=2))


# -- what a check finds ------------------------------------------------------------------------------------


def test_agreement_beyond_independence_is_flagged_under_a_model_that_does_not_pair(news):
    o = news.outcomes
    for model in ("unpaired", "icdm2015"):
        r = ranked(news, model, ("svm_l1", "svm_l2"))
        check = predictive_check(r, outcomes=o, draws=300)
        assert [found.statistic for found in check.flagged] == ["agreement"]
        assert check.flagged[0].p_value == 0
        assert any("independent given the class" in note for note in check.notes)
        assert not any(found.statistic == "agreement" for found in r.predictive_check(draws=50).rows)
        assert any("outcomes=" in note for note in r.predictive_check(draws=50).notes)
    paired = ranked(news, "paired", ("svm_l1", "svm_l2")).predictive_check(draws=300)
    assert not paired.flagged
    assert 0.1 < row(paired, "agreement").p_value < 0.9


def test_independent_classifiers_agree_as_a_model_that_does_not_pair_expects():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    said = [np.where(rng.random(600) < 0.7, truth, rng.integers(0, 3, 600)) for _ in range(2)]
    o = rw.Outcomes.from_arrays(truth, *said, names=["a", "b"])
    r = rw.compare(o, model="unpaired", draws=100, rng=0)
    assert 0.05 < row(predictive_check(r, outcomes=o), "agreement").p_value < 0.95


def test_a_strong_wrong_prior_is_flagged(small):
    model = Sigir2016(positive=(1, 1, 1, 500))  # items of the positive class are missed by both, it says
    r = rw.compare(small, model=model, draws=100, rng=0)
    for kind in ("posterior", "prior"):
        check = r.predictive_check(kind)
        assert row(check, "recall", 1, "a").p_value < 0.001
        assert row(check, "recall", 1, "b").flagged
        assert not row(check, "class share", 1).flagged
    assert not rw.compare(small, draws=100, rng=0).predictive_check().flagged


def test_a_flat_prior_on_118_classes_is_flagged():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 118, 2_000)
    o = rw.Outcomes.from_arrays(truth, np.where(rng.random(2_000) < 0.8, truth, rng.integers(0, 118, 2_000)))
    flat = rw.evaluate(o, "A", model="flat", draws=100, rng=0).metrics[0].predictive_check(draws=200)
    assert row(flat, "accuracy").p_value == 0
    assert row(flat, "macro_f1").p_value == 0
    assert sum(found.statistic == "recall" for found in flat.flagged) > 59
    tree = rw.evaluate(o, "A", draws=100, rng=0).metrics[0].predictive_check(draws=200)
    assert not any(found.statistic == "recall" for found in tree.flagged)


def test_p_values_under_the_prior_are_uniform_where_the_data_come_from_it():
    """Data drawn by hand from the prior; a check against a prior that is wrong about them is the negative control."""
    rng = np.random.default_rng(12)
    found = {"agreement": [], "recall": [], "class share": []}
    wrong = []
    for seed in range(80):
        mu, cells = rng.beta(1, 1), rng.dirichlet([1, 1, 1, 1], size=2)
        positive = rng.binomial(2_000, mu)
        pairs = {
            "positive": rng.multinomial(positive, cells[0]), "negative": rng.multinomial(2_000 - positive, cells[1])
        }  # fmt: skip
        o = rw.Outcomes.from_pairs(**pairs, names=["a", "b"])
        check = rw.rank(o, model="sigir2016", draws=10, rng=seed).predictive_check("prior", draws=200)
        found["agreement"].append(row(check, "agreement").p_value)
        found["recall"].append(row(check, "recall", 1, "b").p_value)
        found["class share"].append(row(check, "class share", 1).p_value)
        sure = rw.rank(o, model=Sigir2016(positive=(10, 1, 1, 10)), draws=10, rng=seed)
        sure = sure.predictive_check("prior", draws=200)
        wrong.append(row(sure, "recall", 1, "b").p_value)
    for values in found.values():
        assert stats.kstest(values, "uniform").pvalue > 0.01
    assert stats.kstest(wrong, "uniform").pvalue < 0.01


def test_an_average_over_replicates_is_a_feature_too(news):
    r = ranked(news)
    check = r.predictive_check(draws=200)
    found = row(check, "macro_f1", name="nb_mult")
    tp = np.diagonal(check.replicates[:, 0], axis1=1, axis2=2)
    f1 = 2 * tp / (check.replicates[:, 0].sum(axis=1) + check.replicates[:, 0].sum(axis=2))
    assert found.mean == pytest.approx(f1.mean(), rel=1e-12)
    assert found.observed == pytest.approx(r.models[0].estimate.observed, rel=1e-12)
    shifted = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, prevalence=0.5, draws=100, rng=0)
    assert shifted.predictive_check(draws=20).statistics == ("agreement", "accuracy", "recall", "class share")


# -- odd data ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["paired", "unpaired", "icdm2015", "flat"])
def test_a_table_without_items_has_nothing_to_check(model, frugal):
    r = rw.compare([], [], [], labels=[0, 1], model=model, draws=100, rng=0)
    check = r.predictive_check(draws=20)
    assert check.rows == ()
    assert check.replicates.shape == (20, 2, 2, 2)
    assert not check.replicates.any()
    assert "nothing to check" in str(check)
    assert "nothing to check" in check.to_html()
    assert json.loads(check.to_json())["rows"] == []
    with pytest.raises(InvalidInputError, match="nothing to draw"):
        plot_discrepancy(check)
    assert len(plot_replicates(check)) == 4


@pytest.mark.parametrize("model", ["paired", "unpaired", "bootstrap"])
def test_one_class_is_always_reproduced(model):
    check = rw.compare([1] * 5, [1] * 5, [1] * 5, model=model, draws=100, rng=0).predictive_check(draws=20)
    assert {found.p_value for found in check.rows} == {0.5}
    assert check.replicates.tolist() == [[[[5]], [[5]]]] * 20


def test_three_classifiers_have_three_pairs_that_agree(news):
    o = news.outcomes.project(["nb_bern", "nb_mult", "svm_l2"])
    for model in (None, "unpaired"):
        r = rw.rank(o, metric="macro_f1", model=model, draws=100, rng=0)
        check = predictive_check(r, draws=100, outcomes=None if model is None else o)
        pairs = check.of("agreement")
        assert [found.classifiers for found in pairs] == [
            ("nb_bern", "nb_mult"), ("nb_bern", "svm_l2"), ("nb_mult", "svm_l2"),
        ]  # fmt: skip
        alike = o.counts[o.codes[:, 1] == o.codes[:, 3]].sum() / 7_532
        assert pairs[1].observed == alike
        assert all(found.flagged == (model == "unpaired") for found in pairs)


def test_one_against_the_rest_and_a_missing_answer():
    y, a, b = ["x", "y", "z", "x"] * 10, ["x", None, "z", "y"] * 10, ["x", "y", "x", "x"] * 10
    r = rw.compare(y, a, b, missing="wrong", draws=100, rng=0, names=["a", "b"])
    check = r.predictive_check(draws=50)
    assert NO_ANSWER in check.labels
    assert NO_ANSWER not in {found.label for found in check.rows}
    o = rw.Outcomes.from_arrays(y, b, b[::-1], names=["a", "b"])
    for positive in "xz":
        u = rw.compare(o, pos_label=positive, model="unpaired", draws=100, rng=0)
        found = row(predictive_check(u, draws=50, outcomes=o), "agreement")
        one = o.collapse(positive)
        assert found.observed == one.counts[one.codes[:, 1] == one.codes[:, 2]].sum() / 40


def test_eight_classifiers_of_many_labels_are_replicated_one_by_one(many_labels):
    """So many classifiers have types that no class lists; what the prior puts there lies on sticks."""
    rng = np.random.default_rng(0)
    truth = rng.random((30, 2)) < 0.5
    said = [np.where(rng.random(truth.shape) < 0.2, ~truth, truth) for _ in range(8)]
    o = rw.MultilabelOutcomes.from_arrays(truth, *said)
    tables = whole_block(Multilabel().fit(o), np.random.default_rng(0), 20)
    assert any(part.loose is not None for part in tables.parts)
    data = replicate(tables, 30, np.random.default_rng(1))
    assert (data.margins().total == 30).all()
    first = replicate(cut(tables, 0, 7), 30, np.random.default_rng(1))
    np.testing.assert_array_equal(data.margins().tp[:, :7], first.margins().tp)
    assert squares(data).shape == (8, 20, 2, 2, 2)


def test_separate_test_sets_have_their_own_sizes():
    a = rw.Outcomes.from_confusion([[90, 10], [5, 45]], name="a")
    b = rw.Outcomes.from_confusion([[30, 2], [1, 7]], name="b")
    check = rw.compare(a, b, draws=100, rng=0).predictive_check(draws=30)
    assert check.checked == (150, 40)
    assert (check.replicates.sum(axis=(2, 3)) == (150, 40)).all()
    assert row(check, "class share", 1, "b").observed == 8 / 40


def test_clusters_are_said_not_to_be_replicated():
    r = rw.compare([1, 0] * 60, [1, 0] * 60, [1, 1] * 60, cluster=[i // 2 for i in range(120)], draws=100, rng=0)
    check = r.predictive_check(draws=30)
    assert any("clusters" in note for note in check.notes)
    assert not check.flagged


def test_answers_of_many_classes_keep_few_matrices_and_all_statistics():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 500, 3_000)
    said = [np.where(rng.random(3_000) < 0.6, truth, rng.integers(0, 500, 3_000)) for _ in range(2)]
    o = rw.Outcomes.from_arrays(truth, *said, names=["a", "b"], labels=range(500))
    r = rw.compare(o, metric="accuracy", draws=100, rng=0)
    check = r.predictive_check(draws=60)
    assert check.replicates.shape == (8, 2, 500, 500)
    assert sum(found.statistic == "class share" for found in check.rows) == 500
    with pytest.raises(InvalidInputError, match=r"at most .* statistics"):
        r.predictive_check(draws=900_000)


def test_own_metrics_are_checked_where_they_have_a_value(small):
    def harsh(margins):
        """The recall of the last class, which is NaN where a data set has none."""
        with np.errstate(invalid="ignore"):
            return (margins.tp / margins.row)[..., -1]

    o = rw.Outcomes.from_arrays([0] * 30 + [1], [0] * 30 + [1], [0] * 31, names=["a", "b"])
    check = rw.compare(o, metric=harsh, draws=100, rng=0).predictive_check(draws=200)
    assert "harsh" not in check.statistics
    assert any("harsh" in note for note in check.notes)
    assert "harsh" in rw.compare(small, metric=harsh, draws=100, rng=0).predictive_check(draws=50).statistics


class FakeChains:
    """Chains that were sampled by the exact engine, and are worth 100 independent draws."""

    def __init__(self, posterior):
        self.posterior = posterior

    def pick(self, rng, size):
        return [self.posterior.block(rng, size)]

    def ess(self, draws):
        return 100.0


def test_draws_of_chains_are_replicated_and_their_errors_are_larger(small):
    r = rw.compare(small, draws=100, rng=1)
    chains = FakeChains(r.recipe.model.fit(small))
    by_chains = dataclasses.replace(r, drawing=Drawing(chains=chains))
    found = row(by_chains.predictive_check(draws=DRAWS), "class share", 1)
    assert near_p(found, betabinomial_p(94, 46, 50, 45))
    assert found.mc_error == pytest.approx(math.sqrt(0.25 * (1 / DRAWS + 1 / 100)), rel=0.01)
    short = by_chains.predictive_check(draws=300)
    np.testing.assert_array_equal(short.replicates, by_chains.predictive_check(draws=DRAWS).replicates[:300])


def test_the_prior_of_chains_comes_in_chunks_of_any_size(small, monkeypatch):
    r = rw.compare(small, model=Sigir2016(mu=(4, 4)), draws=100, rng=1)
    prior = r.recipe.model.fit(rw.Outcomes.empty([0, 1], ["a", "b"]))

    def chunks(model, empty, number, seed):
        assert [table.n_items for table in empty] == [0]
        rng = np.random.default_rng(seed)
        yield from ([prior.block(rng, min(1_000, number - start))] for start in range(0, number, 1_000))

    monkeypatch.setattr(checks, "prior_tables", chunks)
    by_chains = dataclasses.replace(r, drawing=Drawing(chains=FakeChains(None)))
    check = by_chains.predictive_check("prior", draws=3_700)
    assert len(check.replicates) == check.rows[0].n == 3_700
    assert near_p(row(check, "agreement"), betabinomial_p(94, 4, 4, 78))


# -- errors ------------------------------------------------------------------------------------------------


def test_errors_say_what_to_do(small, news):
    r = rw.compare(small, draws=100, rng=0)
    with pytest.raises(UnknownNameError, match="kind of check 'posteriors'"):
        predictive_check(r, kind="posteriors")
    for draws in (0, -1, 2.5, "auto", True, 10_000_000):
        with pytest.raises(InvalidInputError, match="`draws` must be"):
            predictive_check(r, draws=draws)
    with pytest.raises(InvalidInputError, match=r"no prior to draw from: the bootstrap has no prior(.|\n)*posterior"):
        rw.compare(small, model="bootstrap", draws=100, rng=0).predictive_check("prior")
    pooled = rw.evaluate(news.outcomes, "svm_l2", model=Tree(centre="pooled"), draws=100, rng=0)
    with pytest.raises(InvalidInputError, match=r"has seen the data(.|\n)*unpaired"):
        pooled.metrics[0].predictive_check("prior")
    scores = rw.compare(
        [0, 1, 1, 0] * 20, [0.1, 0.8, 0.9, 0.3] * 20, [0.2, 0.7, 0.4, 0.1] * 20, metric="roc_auc", draws=100, rng=0
    )
    with pytest.raises(InvalidInputError, match=r"nothing to replicate(.|\n)*threshold"):
        scores.predictive_check()
    noisy = dataclasses.replace(r, recipe=dataclasses.replace(r.recipe, model=NoisyLabels(error=0.05)))
    with pytest.raises(InvalidInputError, match=r"about true labels(.|\n)*as they are"):
        noisy.predictive_check()
    with pytest.raises(InvalidInputError, match=r"2 metrics(.|\n)*evaluation\['f1'\]"):
        predictive_check(rw.evaluate(small, "a", metric=["f1", "recall"], draws=100, rng=0))
    with pytest.raises(InvalidInputError, match=r"ClassComparisons cannot be checked(.|\n)*one of its"):
        predictive_check(rw.compare_classes(small, draws=100, rng=0))
    with pytest.raises(InvalidInputError, match="int cannot be checked"):
        predictive_check(3)
    assert all(issubclass(kind, RopewalkError) for kind in (UnknownNameError, InvalidInputError, DataError))


def test_outcomes_must_be_those_of_the_answer(small, many_labels):
    r = rw.compare(small, model="unpaired", draws=100, rng=0)
    with pytest.raises(DataError, match="does not hold the data"):
        predictive_check(r, outcomes=small + small)
    with pytest.raises(InvalidInputError, match="must be an Outcomes; got list"):
        predictive_check(r, outcomes=[1, 2])
    with pytest.raises(DataError, match="There is no classifier 'b'"):
        predictive_check(r, outcomes=small.rename(["a", "c"]))
    with pytest.raises(InvalidInputError, match="has all it needs"):
        predictive_check(rw.compare(small, draws=100, rng=0), outcomes=small)
    one = rw.compare(many_labels, pos_label="y", model="unpaired", draws=100, rng=0)
    assert row(predictive_check(one, outcomes=many_labels, draws=30), "agreement").observed < 1
    with pytest.raises(InvalidInputError, match="cannot be replicated"):
        replicate(object(), 3, np.random.default_rng(0))


def test_evaluations_of_one_metric_and_their_parts_are_checked_alike(small):
    e = rw.evaluate(small, "a", metric="accuracy", draws=100, rng=0)
    assert predictive_check(e, draws=50).rows == e.metrics[0].predictive_check(draws=50).rows
    assert rw.predictive_check is predictive_check
    r = rw.compare(small, draws=100, rng=0)
    assert predictive_check(crossed(r).per_item, draws=50).rows == r.predictive_check(draws=50).rows
    with pytest.raises(InvalidInputError, match=r"r\.per_item"):  # folds have no items to replicate
        predictive_check(crossed(r), draws=50)


# -- how it reads ------------------------------------------------------------------------------------------


def test_a_check_says_what_is_not_reproduced_and_never_calls_it_more(news_check):
    told = "\n".join([
        str(news_check), news_check.to_markdown(), news_check.to_latex(), news_check.sentence(), news_check.to_html(),
        news_check._repr_html_(), repr(news_check), news_check.to_json(),
    ])  # fmt: skip
    assert "signific" not in told.lower()
    assert "reject" not in told.lower()
    off = news_check.flagged
    assert f"does not reproduce the data in {len(off)} of {len(news_check.rows)} features" in str(news_check)
    assert off[0].statistic == "agreement"
    rows = [line.split() for line in str(news_check).splitlines()]
    assert sum(row[-1:] == ["reproduced"] for row in rows) == 1  # the head of the column
    assert sum(row[-1:] == ["no"] for row in rows) == len(off)
    assert "no surprise" in str(news_check)
    assert repr(news_check) == f"PredictiveCheck(posterior, 85 features, {len(off)} not reproduced)"
    assert "61 more fit better than these" in str(news_check)
    assert "<0.008" in str(news_check)  # none of 400 replicates


def test_words_fit_a_prior_and_a_fit(small):
    r = rw.compare(small, draws=100, rng=0)
    assert "look like what the model would show again, in all 11 features" in str(r.predictive_check())
    prior = r.predictive_check("prior")
    assert "Does the prior expect the data?" in prior.to_html()
    assert "5% of the features" in str(prior)


def test_the_json_holds_every_row(news_check):
    told = json.loads(news_check.to_json())
    assert told == news_check.to_dict()
    assert (told["schema"], told["kind"], told["model"], told["draws"], told["checked"]) == (
        1, "posterior", "flat", 400, [7_532, 7_532],
    )  # fmt: skip
    assert len(told["rows"]) == len(news_check.rows) == 85
    first = told["rows"][0]
    assert set(first) == {
        "statistic", "classifiers", "label", "observed", "mean", "interval", "half", "p_value", "mc_error", "n",
        "flagged",
    }  # fmt: skip
    assert first["flagged"]
    assert first["mc_error"] > 0
    assert first["p_value"] == 0


def test_a_check_is_frozen(news_check):
    with pytest.raises(dataclasses.FrozenInstanceError):
        news_check.kind = "prior"
    with pytest.raises(ValueError, match="read-only"):
        news_check.replicates[0] = 0
    with pytest.raises(KeyError, match="There are: 'agreement'"):
        news_check.of("f1")
    assert isinstance(news_check, PredictiveCheck)


def test_rows_stand_class_by_class_with_the_classifiers_next_to_each_other(news_check):
    recalls = [(found.label, found.classifiers[0]) for found in news_check.of("recall")]
    assert recalls[:4] == [(0, "nb_mult"), (0, "svm_l2"), (1, "nb_mult"), (1, "svm_l2")]
    assert news_check.statistics == ("agreement", "accuracy", "macro_f1", "recall", "class share")


def test_the_page_draws_every_statistic(news_check):
    page = news_check.to_html()
    assert page.count('class="seen') == 85
    assert page.count('class="seen off"') == len(news_check.flagged)
    for title in ("Agreement", "Accuracy", "Macro F1", "Recall", "Class share"):
        assert f"<h3>{title}</h3>" in page
    assert "predictive_check(kind=" in page
    picture = page[page.index("Observed among replicated") : page.index("Diamonds were observed")]
    places = [float(place) for place in re.findall(r'\bx[12]?="([^"]*)%"', picture)]
    assert len(places) >= 5 * 85
    assert all(0 <= place <= 100 for place in places)


def hostile_check():
    labels = HOSTILE[:4]
    truth = labels * 10
    o = rw.Outcomes.from_arrays(truth, truth[1:] + truth[:1], truth, names=HOSTILE[1:3])
    return rw.compare(o, model="flat", draws=100, rng=0).predictive_check(draws=100)


def test_hostile_names_are_escaped_everywhere():
    check = hostile_check()
    for html in (check.to_html(), check._repr_html_()):
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert" in html
    assert r"\<script\>" in check.to_markdown() or "&lt;script&gt;" in check.to_markdown()
    assert "<script>alert" not in check.to_markdown()
    assert r"\$x\_1\$" in check.to_latex()
    odd = rw.evaluate(
        ["a\x1b[31m\n\tb", "שלום"] * 9, ["a\x1b[31m\n\tb"] * 18, name="a\x1b[31mb", pos_label="שלום", rng=0
    )
    told = odd.metrics[0].predictive_check(draws=30)
    for text in (str(told), repr(told), told.to_json(), told.to_latex(), told.to_markdown(), told.sentence()):
        assert "\x1b" not in text


# -- pictures ----------------------------------------------------------------------------------------------


def ticks(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_the_discrepancy_of_twenty_classes_is_readable(news_check):
    ax = plot_discrepancy(news_check)
    assert ticks(ax)[:4] == ["agreement", "accuracy", "recall of 0", "recall of 1"]
    assert len(ticks(ax)) == 22
    off = [found for found in news_check.flagged if found.statistic in {"agreement", "accuracy", "recall"}]
    assert ax.get_title().replace("\n", " ") == f"{len(off)} of 43 features are not reproduced by the flat model"
    assert sum(text.get_text().startswith("p") for text in ax.texts) == len(off)
    seen = [line for line in ax.lines if line.get_label() == "_seen"]
    assert sorted(float(line.get_xdata()[0]) for line in seen) == sorted(
        found.observed for found in news_check.rows if found.statistic in {"agreement", "accuracy", "recall"}
    )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "nb_mult", "svm_l2", "observed", "observed, not reproduced",
    ]  # fmt: skip
    assert min(text.get_fontsize() for text in ax.get_yticklabels()) >= 5


def test_one_statistic_may_be_asked_for(news_check, small):
    assert len(ticks(plot_discrepancy(news_check, statistic="class share"))) == 20
    assert ticks(plot_discrepancy(news_check, statistic="macro_f1")) == ["macro F1"]
    fits = plot_discrepancy(rw.compare(small, draws=100, rng=0).predictive_check(draws=50))
    assert fits.get_title().replace("\n", " ") == "The paired model reproduces all 7 features"
    with pytest.raises(UnknownNameError, match="statistic 'precision'"):
        plot_discrepancy(news_check, statistic="precision")
    with pytest.raises(InvalidInputError, match="cannot draw int"):
        plot_discrepancy(3)


def test_of_many_classes_those_that_fit_worst_are_drawn():
    counts = np.diag(np.arange(3, 103))
    counts[7] = np.roll(counts[7], 1)  # every item of class 7 is taken for 8
    r = rw.evaluate(rw.Outcomes.from_confusion(counts), "A", model="flat", draws=100, rng=0)
    ax = plot_discrepancy(r.metrics[0].predictive_check(draws=100), statistic="recall")
    assert len(ticks(ax)) == 40
    assert "40 of 100 lines" in ax.get_xlabel().replace("\n", " ")


def test_replicates_stand_beside_the_observed_matrix(news_check, small):
    check = rw.compare(small, draws=100, rng=0).predictive_check(draws=20)
    panels = plot_replicates(check, name="b", n=2)
    assert [panel.get_title() for panel in panels] == ["observed", "replicate 1", "replicate 2"]
    written = [[text.get_text() for text in panel.texts] for panel in panels]
    assert written[0] == ["42", "7", "11", "34"]
    assert written[2] == [f"{count}" for count in check.replicates[1, 1].reshape(-1)]
    assert panels[0].get_ylabel() == "b: truth"
    _, given = plt.subplots(1, 3)
    assert plot_replicates(check, n=2, ax=given)[0] is given[0]
    assert len(plot_replicates(news_check)) == 4
    for n in (0, 9, 1.5):
        with pytest.raises(InvalidInputError, match="`n` must be"):
            plot_replicates(check, n=n)
    with pytest.raises(InvalidInputError, match="4 axes"):
        plot_replicates(check, ax=given)
    with pytest.raises(DataError, match="no classifier 'c'"):
        plot_replicates(check, name="c")


@pytest.mark.parametrize("model", [None, "multilabel"])
def test_labels_have_no_matrix_to_draw(many_labels, model):
    check = rw.compare(many_labels, model=model, draws=100, rng=0).predictive_check(draws=20)
    assert check.replicates is None
    with pytest.raises(InvalidInputError, match="keeps no confusion matrices"):
        plot_replicates(check)
    first = "agreement" if model == "multilabel" else "recall"  # weighted items have no joint table of two classifiers
    assert ticks(plot_discrepancy(check))[:2] == [f"{first} of x", f"{first} of y"]


def test_hostile_names_can_be_drawn(tmp_path):
    check = hostile_check()
    for i, ax in enumerate((plot_discrepancy(check), plot_replicates(check, n=1)[0])):
        ax.figure.savefig(tmp_path / f"{i}.png")
        assert any("<sc" in text and "ript>" in text for text in ticks(ax)), ticks(ax)  # shortened, and as it is


# -- the parts ---------------------------------------------------------------------------------------------


def test_cells_that_nobody_saw_get_items_too():
    """Under the prior of the tree nothing has been seen, so every item falls on a stick."""
    empty = rw.Outcomes.empty(range(6), ["a", "b", "c"])
    tables = Tree().fit(empty).block(np.random.default_rng(0), 50)
    data = replicate(tables, 40, np.random.default_rng(1))
    margins = data.margins()
    assert (margins.total == 40).all()
    np.testing.assert_array_equal(squares(data).sum(axis=3), np.broadcast_to(margins.row, (3, 50, 6)))
    np.testing.assert_array_equal(np.diagonal(squares(data), axis1=2, axis2=3), margins.tp)
    assert (agreements(data) <= 40).all()


def test_observed_tables_count_what_was_seen(many_labels, small):
    seen = seen_tables(many_labels)
    assert isinstance(seen, LabelTables)
    np.testing.assert_array_equal(seen.margins().row[0], many_labels.items_by_class())
    np.testing.assert_array_equal(squares(seen_tables(small))[0, 0], small.confusion("a"))
    assert Bootstrap().fit(small).block(np.random.default_rng(0), 2).weights.shape == (8, 2)
    for tables in (seen, whole_block(Bootstrap().fit(many_labels), np.random.default_rng(0), 2)):
        with pytest.raises(InvalidInputError, match="one label per item"):
            tables.linear(np.eye(2))
        with pytest.raises(InvalidInputError, match="one label per item"):
            tables.at_prevalence(np.ones(3))
