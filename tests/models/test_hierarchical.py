"""The models of confusion matrices: eta by quadrature, rows by brute force, the papers' table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, special, stats

import brute
import ropewalk as rw
from laws import assert_same_law, sparse_margins
from ropewalk.metrics import parse_metric
from ropewalk.models import Flat, Icdm2015, Tree, draw_psi

MATRICES = {
    "mixed": [[30, 2, 0, 1], [4, 20, 0, 0], [0, 0, 9, 1], [1, 0, 2, 3]],
    "thin": [[1, 0, 0], [0, 0, 1], [0, 0, 0]],
    "all right": [[20, 0, 0], [0, 5, 0], [0, 0, 9]],
    "all wrong": [[0, 4, 0], [0, 0, 9], [7, 0, 0]],
    "two labels": [[40, 3], [2, 11]],
    "no items": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
}


def density(counts, alpha, beta, mass):
    """The marginal of eta, from the Dirichlet-multinomial of every row written out in full."""
    m = len(counts)

    def log_density(eta):
        omega = np.full((m, m), mass * (1 - eta) / (m - 1))
        np.fill_diagonal(omega, mass * eta)
        rows = special.gammaln(counts + omega).sum() - special.gammaln(omega).sum()
        return rows + (alpha - 1) * np.log(eta) + (beta - 1) * np.log1p(-eta)

    grid = np.linspace(0.001, 0.999, 999)
    top = max(map(log_density, grid))
    return lambda eta: np.exp(log_density(eta) - top)


@pytest.mark.parametrize("options", [{}, {"eta_prior": (2.5, 4.0)}, {"eta_prior": (1.5, 1), "kappa": 3.0}])
@pytest.mark.parametrize("name", MATRICES)
def test_eta_is_that_of_quadrature(name, options):
    counts = np.array(MATRICES[name])
    model = Icdm2015(**options)
    eta = model.fit(rw.Outcomes.from_confusion(counts)).eta
    f = density(counts, *model.eta_prior, model.kappa)
    moments = [integrate.quad(lambda x, p=p: f(x) * x**p, 0, 1, limit=500, epsabs=1e-12)[0] for p in range(3)]
    mean = moments[1] / moments[0]
    assert eta.mean == pytest.approx(mean, abs=1e-6)
    assert eta.std == pytest.approx((moments[2] / moments[0] - mean**2) ** 0.5, abs=1e-6)
    for q in (0.025, 0.5, 0.975):
        below = integrate.quad(f, 0, float(eta.quantile(q)), limit=500, epsabs=1e-12)[0] / moments[0]
        assert below == pytest.approx(q, abs=1e-4)


def test_without_items_eta_is_its_beta_prior():
    eta = Icdm2015(eta_prior=(0.3, 0.7)).fit(rw.Outcomes.empty(range(5), ["a"])).eta
    assert eta.mean == pytest.approx(0.3, abs=1e-4)
    assert eta.std == pytest.approx(stats.beta(0.3, 0.7).std(), abs=1e-4)


@pytest.mark.parametrize("name", ["mixed", "thin", "no items"])
def test_rows_are_those_of_brute_force(name):
    counts, size = np.array(MATRICES[name]), 40_000
    m = len(counts)
    rng = np.random.default_rng(5)
    f = density(counts, 1.0, 1.0, 1.0)
    # eta by rejection-free sampling on a fine grid of its own, every row a Dirichlet with all its cells listed
    grid = (np.arange(20_000) + 0.5) / 20_000
    weights = np.array([f(x) for x in grid])
    eta = rng.choice(grid, size, p=weights / weights.sum())
    mu = rng.dirichlet(counts.sum(axis=1) + 1, size).T
    drawn = np.empty((m * m, size))
    for j in range(m):
        shapes = counts[j][:, None] + np.where(np.arange(m)[:, None] == j, eta, (1 - eta) / (m - 1))
        logs = np.log(rng.standard_gamma(shapes + 1)) + np.log(rng.random(shapes.shape)) / shapes
        share = np.exp(logs - logs.max(axis=0))
        drawn[j * m : (j + 1) * m] = mu[j] * share / share.sum(axis=0)
    theirs = brute.margins(np.array(list(np.ndindex(m, m))), drawn, m)
    ours = sparse_margins(Icdm2015().fit(rw.Outcomes.from_confusion(counts)), 3, size)
    for margin in ours:
        assert_same_law(ours[margin], theirs[margin], errors=4.5)


def table_four(seed, draws):
    matrices, rows = rw.examples.icdm2015_matrices(), rw.examples.icdm2015_table()
    assert len(rows) == 6
    for row in rows:
        a, b = matrices[row["a"]], matrices[row["b"]]
        yield row, rw.compare(a, b, model="icdm2015", metric=row["metric"], rope=0.005, draws=draws, rng=seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_table_four_of_icdm_2015_at_400_000_draws(seed):
    for row, ours in table_four(seed, 400_000):
        assert ours.decision.symbol == row["decision"], row
        assert ours.mean == pytest.approx(float(row["mean"]), abs=0.001)
        assert ours.std == pytest.approx(0.008, abs=0.0005)
        ends = float(row["hdi_low"]), float(row["hdi_high"])
        assert (ours.hdi.low, ours.hdi.high) == pytest.approx(ends, abs=0.002)
        assert ours.prob_below_zero == pytest.approx(float(row["prob_below_zero"]), abs=0.003)
        assert ours.regions.inside == pytest.approx(float(row["prob_in_rope"]), abs=0.006)


def test_table_four_of_icdm_2015(frugal):
    """The same with fewer draws: the tolerances of the printed table, plus the Monte Carlo error of a share."""
    draws = 10_000

    def error(share):
        return 4 * np.sqrt(share * (1 - share) / draws)

    for row, ours in table_four(0, draws):
        below, inside = float(row["prob_below_zero"]), float(row["prob_in_rope"])
        assert ours.mean == pytest.approx(float(row["mean"]), abs=0.001)
        assert ours.std == pytest.approx(0.008, abs=0.0005)
        assert ours.prob_below_zero == pytest.approx(below, abs=0.003 + error(below))
        assert ours.regions.inside == pytest.approx(inside, abs=0.006 + error(inside))
        if row["metric"] == "macro_f1":  # an HDI end of the micro row of the SVMs lies within its error of the edge
            assert ours.decision.symbol == row["decision"]


def test_a_flat_row_is_a_dirichlet():
    counts = np.array(MATRICES["mixed"])
    m = draw(Flat(), counts, "recall", 3)
    right, n = counts[3, 3], counts[3].sum()
    assert stats.kstest(m, stats.beta(1 + right, 3 + n - right).cdf).pvalue > 1e-4


@pytest.mark.parametrize("j", range(4))
def test_a_recall_of_the_unpaired_tree_is_beta_one_half(j):
    counts = np.array(MATRICES["mixed"])
    recall = draw(Tree(paired=False), counts, "recall", j)
    right, wrong = counts[j, j], counts[j].sum() - counts[j, j]
    assert stats.kstest(recall, stats.beta(0.5 + right, 0.5 + wrong).cdf).pvalue > 1e-4


def draw(model, counts, metric, positive, n=40_000):
    posterior = model.fit(rw.Outcomes.from_confusion(counts))
    return draw_psi([posterior], parse_metric(metric).at(positive), stop=n, seed=8)[0]


def test_a_recall_of_the_paired_tree_is_beta_one_half_too(news):
    """Who is right about an item is a coin a priori, so types add up to Beta(1/2, 1/2)."""
    pair = news.outcomes.project(["nb_mult", "svm_l2"])
    posterior = Tree().fit(pair)
    for k, name in enumerate(pair.names):
        matrix = pair.confusion(name)
        recall = draw_psi([posterior], parse_metric("recall").at(0), stop=5_000, seed=1)[k]
        right, wrong = matrix[0, 0], matrix[0].sum() - matrix[0, 0]
        assert stats.kstest(recall, stats.beta(0.5 + right, 0.5 + wrong).cdf).pvalue > 1e-4


def test_pairing_narrows_the_interval_by_a_third(news, frugal):
    """NB_Mult − SVM_L2, macro F1: the paired posterior's std is at most .70 of the hierarchical, unpaired one's."""
    how = {"a": "nb_mult", "b": "svm_l2", "metric": "macro_f1", "rng": 0, "draws": 5_000}
    paired = rw.compare(news.outcomes, **how)
    apart = rw.compare(news.outcomes, model="icdm2015", **how)
    assert paired.std <= 0.70 * apart.std
    assert paired.mean == pytest.approx(apart.mean, abs=0.2 * apart.std)


def test_eta_is_not_an_accuracy():
    """The same accuracy, the errors spread over more cells: eta falls. All items tenfold: eta hardly moves."""
    few = np.array([[80, 20, 0, 0], [20, 80, 0, 0], [0, 0, 80, 20], [0, 0, 20, 80]])
    spread = np.array([[80, 7, 7, 6], [7, 80, 7, 6], [7, 7, 80, 6], [7, 7, 6, 80]])
    one, more, other = (Icdm2015().fit(rw.Outcomes.from_confusion(c)).eta.mean for c in (few, 10 * few, spread))
    assert np.trace(few) == np.trace(spread)
    assert other < one - 0.2
    assert abs(more - one) < (one - other) / 2


@pytest.mark.parametrize("model", [Icdm2015(), Flat()])
def test_they_take_one_classifier_at_a_time(model, news):
    with pytest.raises(rw.errors.InvalidInputError, match="1 classifier; got 4"):
        model.fit(news.outcomes)


def test_small_classes_are_warned_about(news, frugal):
    y, a, b = news.y_true[:300], news.predictions["nb_mult"][:300], news.predictions["svm_l2"][:300]
    with pytest.warns(rw.errors.RopewalkWarning) as caught:
        rw.compare(y, a, b, model="icdm2015", rng=0, draws=2_000)
    assert any("fewer than 30 items" in str(w.message) for w in caught)


def test_tiny_pseudo_counts_do_not_underflow():
    """Flat with 0.001 a cell: an empty row is nearly one-hot, P(.4 < recall < .6) = .0004."""
    table = Flat(theta_prior=1e-3).fit(rw.Outcomes.empty(range(2), ["a"])).block(np.random.default_rng(0), 20_000)
    m = table.margins()
    recall = m.tp[0, :, 1] / m.row[:, 1]
    assert ((recall > 0.4) & (recall < 0.6)).mean() < 0.003
    assert recall.mean() == pytest.approx(0.5, abs=4.5 * 0.5 / np.sqrt(20_000))


def test_a_correlation_stays_within_its_bounds():
    outcomes = rw.Outcomes.from_confusion([[1_000, 0, 0], [0, 0, 0], [0, 0, 0]])
    posterior = Flat(mu_prior=0.05, theta_prior=0.05).fit(outcomes)
    psi = draw_psi([posterior], parse_metric("mcc"), stop=20_000, seed=0)
    assert -1 <= psi.min() <= psi.max() <= 1


def test_a_rare_class_keeps_its_law_in_a_large_table():
    """At a mix that upweights it, a class with 3 of 2,000,003 items has the accuracy of its own Dirichlet."""
    counts = np.array([[10**6, 0, 0], [0, 10**6, 0], [1, 0, 2]])
    model = Icdm2015(eta_prior=(30, 30))
    posterior = model.fit(rw.Outcomes.from_confusion(counts))
    metric = parse_metric("recall").at(2)
    psi = draw_psi([posterior], metric, stop=100_000, seed=0)[0]
    eta = posterior.eta.quantile(np.random.default_rng(1).random(100_000))
    exact = np.random.default_rng(2).beta(2 + eta, 1 + 1 - eta)
    assert_same_law(psi, exact)
