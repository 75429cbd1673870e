"""Partial pooling of recalls: against sums of logarithms, quadrature and brute force, and its edges."""

from __future__ import annotations

import dataclasses
import decimal
import json
import math

import numpy as np
import pytest
from scipy import special, stats

import brute
import ropewalk as rw
from laws import assert_same_law, sparse_margins
from ropewalk.inference.answers import run_comparison
from ropewalk.inference.extras import other_priors
from ropewalk.metrics import parse_metric
from ropewalk.models import Pooled, Tree, draw_psi, parse_model
from ropewalk.models.grids import Recalls
from ropewalk.results.recipes import read_recipe

TABLES = {
    "mixed": ([30, 20, 9, 3], [3, 4, 1, 3]),
    "thin": ([1, 0, 0], [0, 1, 0]),
    "one class": ([7], [3]),
    "all right": ([20, 5, 9], [0, 0, 0]),
    "all wrong": ([0, 0, 0], [4, 9, 7]),
    "either": ([6, 0, 5, 0], [0, 6, 0, 5]),
    "fractions": ([2.5, 0.1, 0.0], [0.3, 0.2, 0.7]),
    "no items": ([], []),
}
PRIORS = [{}, {"alpha": 2.5, "beta": 4.0, "scale": 7.0}, {"alpha": 0.6, "scale": 0.3}]


def recalls(counts, **options):
    right, wrong = (np.array(one, dtype=float) for one in counts)
    return Recalls(right=right, wrong=wrong, **options)


# -- the density -------------------------------------------------------------------------------------------------


def log_density(counts, m, kappa, *, alpha=1.0, beta=1.0, scale=1.0):
    """The density of (logit m, log kappa): a rising factorial is a sum of logarithms."""
    value = alpha * math.log(m) + beta * math.log1p(-m) + math.log(scale * kappa) - 2 * math.log(scale + kappa)
    for r, w in zip(*counts, strict=True):
        value += math.fsum(math.log(m * kappa + i) for i in range(r))
        value += math.fsum(math.log((1 - m) * kappa + i) for i in range(w))
        value -= math.fsum(math.log(kappa + i) for i in range(r + w))
    return value


@pytest.mark.parametrize("options", PRIORS)
@pytest.mark.parametrize("name", ["mixed", "thin", "all right", "either"])
def test_the_density_is_a_product_of_rising_factorials(name, options):
    """At kappas from 1e-12 to 1e18, where log-gamma functions differ by less than their last digit."""
    points = [(m, 10.0**e) for m in (0.001, 0.02, 0.5, 0.7, 0.999) for e in (-12, -3, 0, 1, 2, 5, 9, 18)]
    logit, log_kappa = np.array([[special.logit(m), math.log(kappa)] for m, kappa in points]).T[:, :, np.newaxis]
    ours = recalls(TABLES[name], **options).log_density(logit, log_kappa)[:, 0]
    theirs = [log_density(TABLES[name], m, k, **options) for m, k in points]
    assert ours - ours[0] == pytest.approx(np.array(theirs) - theirs[0], rel=1e-10, abs=1e-9)


def decimal_gammaln(x):
    """Stirling's series with 60 digits, far out where it has them all."""
    x, shift = decimal.Decimal(x), decimal.Decimal(0)
    while x < 60:
        shift += x.ln()
        x += 1
    tau = decimal.Decimal("6.28318530717958647692528676655900576839433879875021164194989")
    terms = [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156)]
    series = sum(decimal.Decimal(a) / b / x ** (2 * i + 1) for i, (a, b) in enumerate(terms))
    return (x - decimal.Decimal("0.5")) * x.ln() - x + tau.ln() / 2 + series - shift


@pytest.mark.parametrize("kappa", [1e-3, 4.0, 1e6, 1e9, 1e13])
def test_a_billion_items_lose_no_digits(kappa):
    """Within a few standard deviations of the mode, against 60 digits; log-gammas of floats are off by 1e-5 there."""
    counts = [700_000_000], [300_000_000]
    width = math.sqrt(1 / 1e9 + 1 / max(kappa, 1.0))
    near = [0.7 + shift * width * 0.4 for shift in (-0.4, -0.1, 0.0, 0.2, 0.5)]
    ours, theirs = [], []
    with decimal.localcontext(prec=60):
        for m in near:
            logit = special.logit(m)
            share = 1 / (1 + decimal.Decimal(-logit).exp())
            a, b = share * decimal.Decimal(kappa), (1 - share) * decimal.Decimal(kappa)
            ways = [(a + counts[0][0], 1), (b + counts[1][0], 1), (a + b + 10**9, -1), (a, -1), (b, -1), (a + b, 1)]
            found = sum(sign * decimal_gammaln(x) for x, sign in ways)
            theirs.append(found + share.ln() + (1 - share).ln())
            ours.append(recalls(counts).log_density(np.array([[logit]]), np.array([[math.log(kappa)]]))[0, 0])
    expected = [float(one - theirs[0]) for one in theirs]
    assert np.array(ours) - ours[0] == pytest.approx(expected, rel=1e-8, abs=3e-7)


def test_at_an_infinite_kappa_all_classes_are_one():
    """The density of m is then that of a Beta with all counts in one heap."""
    counts = TABLES["mixed"]
    logit = np.linspace(-3, 4, 15)[np.newaxis]
    ours = recalls(counts, alpha=2.0).log_density(logit, np.array([[80.0]]))[0]
    m = special.expit(logit[0])
    theirs = (2.0 + sum(counts[0])) * np.log(m) + (1 + sum(counts[1])) * np.log1p(-m)
    assert ours - ours[0] == pytest.approx(theirs - theirs[0], rel=1e-11, abs=1e-10)


# -- against quadrature --------------------------------------------------------------------------------------------


def lattice(counts, *, alpha=1.0, beta=1.0, scale=1.0, nodes=400):
    """The posterior on Gauss-Legendre points of (m, kappa / (kappa + scale)) in the unit square.

    Points are crowded at the edges by x = sin²(πt/2), since a Beta prior may be steep there.
    """
    t, weights = np.polynomial.legendre.leggauss(nodes)
    t, weights = (t + 1) / 2, weights / 2
    x, slope = np.sin(np.pi * t / 2) ** 2, np.pi * np.sin(np.pi * t) / 2
    m, kappa = x[:, None], (scale * x / (1 - x))[None, :]
    a, b = m * kappa, (1 - m) * kappa
    value = (alpha - 1) * np.log(m) + (beta - 1) * np.log1p(-m) - len(counts[0]) * special.betaln(a, b)
    for r, w in zip(*counts, strict=True):
        value += special.betaln(r + a, w + b)
    shares = np.exp(value - value.max()) * np.outer(weights * slope, weights * slope)
    return m, kappa, shares / shares.sum()


@pytest.mark.parametrize("options", PRIORS)
@pytest.mark.parametrize("name", TABLES)
def test_centre_and_kappa_are_those_of_quadrature(name, options):
    ours = recalls(TABLES[name], **options)
    m, kappa, shares = lattice(TABLES[name], **options)
    mean = (shares * m).sum()
    assert ours.centre_mean == pytest.approx(mean, abs=1e-5)
    assert ours.centre_std == pytest.approx(((shares * m**2).sum() - mean**2) ** 0.5, abs=1e-5)
    for q in (0.025, 0.5, 0.975):
        # A lattice knows a share to about the mass of its largest line.
        below = (shares * (kappa < ours.kappa_quantile(q))).sum()
        assert below == pytest.approx(q, abs=shares.sum(axis=0).max() + 1e-4)
        below = (shares * (m < ours.centre_quantile(q))).sum()
        assert below == pytest.approx(q, abs=shares.sum(axis=1).max() + 1e-4)


@pytest.mark.parametrize("name", ["mixed", "thin", "all right", "either"])
def test_recalls_have_the_moments_of_quadrature(name):
    """E[rho_j] = E[(r + m·kappa) / (n + kappa)], and so for its square; the last class has no items."""
    right, wrong = (np.array([*one, 0]) for one in TABLES[name])
    n_labels, size = len(right), 50_000
    matrix = np.diag(right)
    matrix[np.arange(n_labels), (np.arange(n_labels) + 1) % n_labels] += wrong
    posterior = Pooled().fit(rw.Outcomes.from_confusion(matrix))
    rng = np.random.default_rng(1)
    rho = posterior.draw_recalls(rng, *posterior.recalls.draw(rng, size))
    m, kappa, shares = lattice(TABLES[name])
    for j in range(n_labels):
        a, total = right[j] + m * kappa, right[j] + wrong[j] + kappa
        first = (shares * a / total).sum()
        second = (shares * a * (a + 1) / total / (total + 1)).sum()
        assert rho[j].mean() == pytest.approx(first, abs=4 * rho[j].std() / np.sqrt(size))
        assert (rho[j] ** 2).mean() == pytest.approx(second, abs=4 * (rho[j] ** 2).std() / np.sqrt(size))


@pytest.mark.parametrize("name", ["mixed", "thin", "two labels", "no items"])
def test_tables_are_those_of_brute_force(name):
    """The centre and kappa from a lattice, every recall a Beta, every wrong label a cell of a Dirichlet."""
    matrices = {
        "mixed": [[30, 2, 0, 1], [4, 20, 0, 0], [0, 0, 9, 1], [1, 0, 2, 3]],
        "thin": [[1, 0, 0], [0, 0, 1], [0, 0, 0]],
        "two labels": [[40, 3], [2, 11]],
        "no items": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    }
    counts, size, rng = np.array(matrices[name]), 30_000, np.random.default_rng(5)
    n_labels, right = len(counts), np.diag(counts)
    wrong = counts.sum(axis=1) - right
    m, kappa, shares = lattice((right, wrong), nodes=700)
    row, column = np.divmod(rng.choice(shares.size, size, p=shares.reshape(-1)), shares.shape[1])
    centre, kappa = m[row, 0], kappa[0, column]
    mu = rng.dirichlet(counts.sum(axis=1) + 1, size).T
    drawn = np.empty((n_labels, n_labels, size))
    for j in range(n_labels):
        rho = rng.beta(right[j] + centre * kappa, wrong[j] + (1 - centre) * kappa)
        others = np.delete(np.arange(n_labels), j)
        drawn[j, j] = mu[j] * rho
        labels = brute.log_dirichlet(rng, counts[j, others] + 1 / others.size, size)
        drawn[j, others] = mu[j] * (1 - rho) * labels
    theirs = brute.margins(np.array(list(np.ndindex(n_labels, n_labels))), drawn.reshape(-1, size), n_labels)
    ours = sparse_margins(Pooled().fit(rw.Outcomes.from_confusion(counts)), 3, size)
    for margin in ours:
        assert_same_law(ours[margin], theirs[margin], errors=4.5)


class Even:
    """In place of random numbers, all pairs of so many even steps."""

    def __init__(self, steps):
        even = (np.arange(steps) + 0.5) / steps
        self.calls = [np.repeat(even, steps), np.tile(even, steps)]

    def random(self, size):
        return self.calls.pop(0)


@pytest.mark.parametrize("name", [*TABLES, "alike", "a billion", "unlike"])
def test_half_the_step_of_the_grid_changes_next_to_nothing(name):
    rng = np.random.default_rng(2)
    n = rng.integers(20, 60, 40)
    more = {
        "alike": ([70] * 20, [30] * 20),
        "a billion": ([7e8] * 20, [3e8] * 20),
        "unlike": (hits := rng.binomial(n, rng.beta(3, 2, 40)), n - hits),
    }
    counts = {**TABLES, **more}[name]
    moments = []
    for fineness in (1, 2):
        centre, kappa = recalls(counts, fineness=fineness).draw(Even(400), 160_000)
        moments.append([[x.mean(), x.std()] for x in (centre, np.log(kappa))])
    coarse, fine = np.array(moments)
    assert np.abs((coarse - fine) / fine[:, 1:]).max() < 1e-3


# -- what pooling does ---------------------------------------------------------------------------------------------


def test_without_items_it_is_the_prior():
    ours = recalls(([], []), alpha=0.3, beta=0.7, scale=5.0)
    assert ours.centre_mean == pytest.approx(0.3, abs=1e-6)
    assert ours.centre_std == pytest.approx(stats.beta(0.3, 0.7).std(), abs=1e-6)
    shares = np.array([0.01, 0.3, 0.9])
    assert ours.kappa_quantile(shares) == pytest.approx(5 * shares / (1 - shares), rel=1e-3)
    assert ours.centre_quantile(shares) == pytest.approx(stats.beta(0.3, 0.7).ppf(shares), rel=1e-2)


def test_the_centre_is_a_recall_where_eta_is_none():
    """The same accuracy, the errors spread over more cells, then all items tenfold: the centre stays at 0.8."""
    few = np.array([[80, 20, 0, 0], [20, 80, 0, 0], [0, 0, 80, 20], [0, 0, 20, 80]])
    spread = np.array([[80, 7, 7, 6], [7, 80, 7, 6], [7, 7, 80, 6], [7, 7, 6, 80]])
    one, more, other = (
        Pooled().fit(rw.Outcomes.from_confusion(c)).recalls.centre_mean for c in (few, 10 * few, spread)
    )
    assert other == pytest.approx(one, abs=1e-12)
    assert one == pytest.approx(0.8, abs=0.03)
    assert more == pytest.approx(0.8, abs=0.02)


def test_without_items_the_centre_and_kappa_have_their_priors():
    """The centre ~ Beta(3, 1), so recalls average 3/4 whatever kappa is; the median of kappa is its scale."""
    posterior = Pooled(centre_prior=(3, 1), kappa_scale=2).fit(rw.Outcomes.empty(range(3), ["a"]))
    assert posterior.recalls.centre_mean == pytest.approx(0.75, abs=1e-6)
    assert posterior.recalls.kappa_quantile(0.5) == pytest.approx(2, rel=1e-3)
    m = posterior.block(np.random.default_rng(0), 4_000).margins()
    recall = (m.tp[0] / m.row)[:, 0]
    assert recall.mean() == pytest.approx(0.75, abs=4.5 * recall.std() / np.sqrt(4_000))


def test_classes_that_are_alike_are_drawn_together_and_others_are_not():
    alike = recalls(([40] * 10, [10] * 10))
    apart = recalls(([49, 2] * 5, [1, 48] * 5))
    assert alike.kappa_quantile(0.5) > 50  # worth more than the items of a class
    assert apart.kappa_quantile(0.95) < 3


def test_an_empty_class_has_the_recall_of_the_others_as_uncertain_as_they_differ():
    table = np.diag([45, 40, 42, 0]) + np.roll(np.diag([5, 10, 8, 0]), 1, axis=1)
    posterior = Pooled().fit(rw.Outcomes.from_confusion(table))
    empty = draw_psi([posterior], parse_metric("recall").at(3), stop=50_000, seed=0)[0]
    assert empty.mean() == pytest.approx(posterior.recalls.centre_mean, abs=4.5 * empty.std() / np.sqrt(50_000))
    alone = draw_psi(
        [Tree(paired=False).fit(rw.Outcomes.from_confusion(table))], parse_metric("recall").at(3), stop=50_000, seed=0
    )[0]
    assert empty.std() < 0.6 * alone.std()


def test_the_order_of_classes_holds_in_law(news):
    matrix = news.outcomes.confusion("nb_mult") // 20
    order = np.random.default_rng(1).permutation(20)
    one, other = (Pooled().fit(rw.Outcomes.from_confusion(c)) for c in (matrix, matrix[np.ix_(order, order)]))
    assert one.recalls.centre_mean == pytest.approx(other.recalls.centre_mean, rel=1e-12)
    psi = [draw_psi([p], parse_metric("macro_f1"), stop=20_000, seed=s)[0] for s, p in enumerate((one, other))]
    assert_same_law(*psi)


def test_given_shares_and_recalls_only_labels_are_drawn():
    matrix = np.array([[8, 1, 1], [0, 5, 5], [2, 0, 3]])
    rng = np.random.default_rng(0)
    mu, rho = rng.dirichlet(np.ones(3), 50).T, rng.random((3, 50))
    margins = Pooled().fit(rw.Outcomes.from_confusion(matrix)).fill(rng, mu, rho).margins()
    assert np.abs(margins.row.T - mu).max() < 1e-15
    assert np.abs(margins.tp[0].T - mu * rho).max() < 1e-15
    assert margins.col[0].sum(axis=1) == pytest.approx(np.ones(50), abs=1e-12)


def test_what_cannot_be_true_is_left_out_of_the_pool():
    truth = ["a"] * 10 + ["b"] * 8 + ["c"] * 5
    said = ["a"] * 7 + ["b"] * 2 + [None] + ["b"] * 8 + ["c"] * 4 + [None]
    table = rw.Outcomes.from_arrays(truth, said, missing="wrong")
    posterior = Pooled().fit(table)
    assert table.n_labels == 4
    expected = recalls(([7, 8, 4], [3, 0, 1]))
    assert posterior.recalls.centre_mean == pytest.approx(expected.centre_mean, rel=1e-12)
    assert posterior.recalls.right.size == 3
    margins = posterior.block(np.random.default_rng(0), 100).margins()
    assert margins.row[:, 3] == pytest.approx(0, abs=1e-200)


# -- edges -----------------------------------------------------------------------------------------------------------


HOSTILE = {
    "one label": [[5]],
    "two labels": [[9, 1], [2, 3]],
    "no items": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    "all right": np.diag([10**9, 3, 1]).tolist(),
    "all wrong": [[0, 10**9, 0], [0, 0, 7], [1, 0, 0]],
    "a billion": [[10**9, 10**8, 1], [10**7, 10**9, 0], [0, 3, 10**9]],
    "uneven": [[10**12, 10**3, 1], [0, 1, 0], [1, 0, 0]],
    "right or wrong": [[10**6, 0, 0], [10**6, 0, 0], [0, 0, 10**6]],
}


@pytest.mark.parametrize(
    "options", [{}, {"centre_prior": (0.01, 0.01), "kappa_scale": 0.01}, {"kappa_scale": 1e9, "centre_prior": (1e9, 1)}]
)
@pytest.mark.parametrize("name", HOSTILE)
def test_every_draw_is_a_table(name, options):
    posterior = Pooled(**options).fit(rw.Outcomes.from_confusion(HOSTILE[name]))
    margins = posterior.block(np.random.default_rng(0), 2_000).margins()
    for part in (margins.tp, margins.col, margins.row):
        assert np.isfinite(part).all()
        assert part.min() >= 0
    assert (margins.tp[0] <= margins.row * (1 + 1e-9)).all()
    assert margins.col[0].sum(axis=1) == pytest.approx(np.ones(2_000), abs=1e-9)
    assert 0 <= posterior.recalls.centre_mean <= 1
    assert posterior.recalls.centre_quantile(0.1) <= posterior.recalls.centre_quantile(0.9)


def test_of_one_label_all_is_right():
    posterior = Pooled().fit(rw.Outcomes.from_confusion([[5]]))
    assert (draw_psi([posterior], parse_metric("macro_f1"), stop=100, seed=0) == 1).all()


def test_a_billion_items_leave_nothing_to_pool():
    """Each recall is then what was counted: their own Beta, whatever the others are."""
    counts = np.array([[9, 1, 0], [5, 5, 0], [0, 2, 8]]) * 10**8
    posterior = Pooled().fit(rw.Outcomes.from_confusion(counts))
    for j in range(3):
        recall = draw_psi([posterior], parse_metric("recall").at(j), stop=5_000, seed=1)[0]
        alone = stats.beta(counts[j, j] + 0.5, counts[j].sum() - counts[j, j] + 0.5)
        assert stats.kstest(recall, alone.cdf).pvalue > 1e-4


def test_a_thousand_classes():
    rng = np.random.default_rng(0)
    n = rng.integers(5, 200, 1_000)
    right = rng.binomial(n, rng.beta(8, 2, 1_000))
    ours = recalls((right, n - right))
    assert ours.centre_mean == pytest.approx(0.8, abs=4 * np.sqrt(0.16 / 11 / 1_000) + 0.002)
    low, high = ours.kappa_quantile([0.001, 0.999])
    assert low < 10 < high < 20


@pytest.mark.parametrize("field", ["kappa_scale", "mu_prior", "label_mass"])
@pytest.mark.parametrize("bad", [0, -1.0, math.inf, math.nan, "1", None, True])
def test_a_prior_of_nothing_is_refused(field, bad):
    with pytest.raises(rw.errors.InvalidInputError, match=f"`{field}` must be a positive, finite number"):
        Pooled(**{field: bad})
    with pytest.raises(rw.errors.InvalidInputError, match="`centre_prior` must be 2 positive numbers"):
        Pooled(centre_prior=(1, bad))


@pytest.mark.parametrize("field", ["first", "second", "kappa_scale"])
@pytest.mark.parametrize("bad", [1e-3, 1e10])
def test_a_prior_beyond_what_floats_can_tell_is_refused(field, bad):
    options = {"first": {"centre_prior": (bad, 1)}, "second": {"centre_prior": (1, bad)}, "kappa_scale": {field: bad}}
    name = next(iter(options[field]))
    with pytest.raises(rw.errors.InvalidInputError, match=rf"`{name}` must be from 0.01 to 1,000,000,000; got"):
        Pooled(**options[field])


def test_a_prior_too_heavy_to_break_is_refused():
    with pytest.raises(rw.errors.InvalidInputError, match="`label_mass` must be at most 50"):
        Pooled(label_mass=60).fit(rw.Outcomes.empty(range(3), ["a"]))


def test_it_takes_one_classifier_at_a_time(news):
    with pytest.raises(rw.errors.InvalidInputError, match="1 classifier; got 4"):
        Pooled().fit(news.outcomes)


def test_it_is_a_value():
    model = Pooled(centre_prior=(2, 1), kappa_scale=3)
    assert model == Pooled(centre_prior=(2.0, 1.0), kappa_scale=3.0)
    assert len({model, Pooled(centre_prior=(2, 1), kappa_scale=3), Pooled()}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.kappa_scale = 3.0
    assert model.scaled(2) == Pooled(centre_prior=(4, 2), kappa_scale=6, mu_prior=2, label_mass=2)
    assert "m ~ Beta(2, 1)" in model.prior
    assert "kappa/(kappa + 3)" in model.prior


# -- through the front door --------------------------------------------------------------------------------------------


def test_its_name_is_enough(news):
    assert parse_model("pooled", n_labels=20) == Pooled()
    with pytest.raises(rw.errors.InvalidInputError, match="one label per item"):
        parse_model("pooled", multilabel=True)
    e = rw.evaluate(news.outcomes, "nb_mult", model="pooled", metric="macro_f1", draws=2_000, rng=0)
    assert e.metrics[0].estimate.observed == pytest.approx(e.metrics[0].estimate.mean, abs=0.01)


def test_it_has_a_bayes_factor_but_no_savage_dickey_ratio(news):
    r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", model="pooled", rope=0.05, draws=3_000, rng=0)
    assert r.bayes_factor.rope > 3
    assert r.bayes_factor.sd is None
    assert "papers' priors" in r.bayes_factor.reason


def test_an_answer_is_read_back_from_json(news):
    how = {"a": "nb_mult", "b": "svm_l2", "model": Pooled(kappa_scale=4), "rope": 0.05, "draws": 1_000, "rng": 0}
    told = json.loads(rw.compare(news.outcomes, **how).to_json())
    assert told["model"] == "pooled"
    assert json.loads(run_comparison(read_recipe(told)).to_json()) == told


def test_more_draws_go_on_from_fewer_and_threads_change_nothing(news):
    pair = news.outcomes.project(["nb_mult", "svm_l2"])
    how = {"metric": "macro_f1", "model": "pooled", "rng": 5}
    few = rw.compare(pair, draws=333, **how).draws.psi
    many = rw.compare(pair, draws=1_200, threads=2, **how).draws.psi
    assert (few == many[:, :333]).all()


def test_other_priors_are_half_and_twice_as_heavy_and_those_of_the_papers(news):
    r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", model="pooled", rope=0.05, draws=1_000, rng=0)
    found = dict(other_priors(r.recipe))
    assert list(found) == ["half the prior mass", "twice the prior mass", "hierarchical, ICDM 2015", "flat"]
    assert found["half the prior mass"] == Pooled().scaled(0.5)
