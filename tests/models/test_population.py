"""The population that units come from: against quadrature, published posteriors, and its own properties."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

import ropewalk as rw
from ropewalk.draws.intervals import Interval
from ropewalk.models.population import PopulationPrior, Units, fit_population
from ropewalk.models.population_grid import UnitQuantiles

NORMAL, STUDENT = PopulationPrior(form="normal"), PopulationPrior()
ROPE = Interval(-0.01, 0.01)
SCHOOLS = [28.0, 8, -3, 7, -1, 1, 18, 12], [15.0, 10, 16, 11, 9, 11, 10, 18]
MIXED = [0.03, -0.02, 0.01, 0.05, 0.0], [0.01, 0.02, 0.004, 0.03, 0.01]

EIGHT_BY_TEN = [
    [0.03, 0.025, 0.057, 0.006, 0.047, 0.011, -0.001, 0.047, 0.011, 0.012],
    [-0.091, -0.008, -0.062, -0.003, 0.029, -0.031, -0.061, -0.015, -0.004, -0.035],
    [0.051, 0.049, 0.037, 0.003, 0.02, 0.035, 0.017, 0.008, 0.005, 0.008],
    [0.002, 0.044, -0.007, 0.037, 0.025, 0.018, -0.007, 0.002, 0.065, 0.017],
    [0.025, 0.035, 0.002, -0.008, 0.006, 0.001, 0.028, 0.013, 0.014, 0.011],
    [0.028, 0.03, 0.076, 0.043, 0.059, 0.022, 0.047, 0.061, 0.002, 0.023],
    [0.046, 0.003, -0.01, -0.029, 0.001, -0.068, -0.01, -0.016, -0.021, 0.047],
    [-0.039, -0.036, -0.024, -0.089, -0.053, -0.086, -0.043, -0.032, -0.033, -0.045],
]  # fmt: skip


def units(estimates, errors, df=math.inf):
    estimates, errors = np.array(estimates, float), np.array(errors, float)
    return Units(estimates, errors, np.broadcast_to(np.array(df, float), estimates.shape))


def of_folds(differences, df_lost):
    """The units of folds with correlation 0.1; where all are alike, the sum of squares is baycomp's, n rope²/3."""
    n, mean = differences.shape[1], differences.mean(axis=1)
    squares = ((differences - mean[:, None]) ** 2).sum(axis=1)
    squares = np.where(squares < 1e-20, n * ROPE.high**2 / 3, squares)
    df = n - df_lost
    return units(mean, np.sqrt(squares * (1 / n + 1 / 9) / df), df)


def corani(differences):
    means = differences.mean(axis=1)
    return PopulationPrior(tau="uniform", mu_limit=np.abs(differences).max(), tau_limit=1000 * means.std())


def shares(regions):
    return [regions.below, regions.inside, regions.above]


# -- the posteriors of other programs ------------------------------------------------------------------------------

# Converged quadrature by an independent implementation; those under Corani's prior agree with PyMC's NUTS too.
UCI = {
    ("hnb", "nbc", "corani2017"): (
        [0.18002154547, 0.23599546565, 0.58398298888], 0.0152270715167, 0.00458888411390, 0.0211889244546,
        [0.00047, 0.002555, 0.996975],
        [0.0216379814983, 0.0167405098421, -0.00696911760266, 0.0167225746234, -0.00700032407306],
        [7.3e-5, 1.5e-4, 1.4e-4, 1.1e-4, 5.2e-4],
    ),
    ("j48", "nbc", "corani2017"): (
        [0.336592287243, 0.223683997068, 0.439723715689], 0.00488958111948, 0.00612024382595, 0.0311095613743,
        [0.1999, 0.0145625, 0.7855375],
        [0.0253437987490, 0.0355841105136, -0.0472291756895, -0.00297977894844, 0.0263507540316],
        [8.9e-5, 3.0e-4, 2.4e-4, 1.4e-4, 4.1e-4],
    ),
    ("hnb", "nbc", "default"): (
        [0.176207095479, 0.239205798566, 0.584587105955], 0.0151285325830, 0.00453362945190, 0.0205337438503,
        [0.0003775, 0.003295, 0.9963275],
        [0.0215847710329, 0.0166683422088, -0.00679034971248, 0.0166797310334, -0.00701711568941],
        [7.3e-5, 1.5e-4, 1.4e-4, 1.1e-4, 5.2e-4],
    ),
}  # fmt: skip


def uci(a, b):
    columns = rw.examples.uci_folds()
    return (np.array(columns[a]) - np.array(columns[b])).reshape(54, 100)


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "prior"), UCI)
def test_54_data_sets_of_100_folds(a, b, prior):
    next_one, mu, sd, tau, most, theta, theta_error = UCI[a, b, prior]
    differences, papers = uci(a, b), prior == "corani2017"
    posterior = fit_population(of_folds(differences, 2 if papers else 1), corani(differences) if papers else STUDENT)
    assert shares(posterior.next(ROPE)) == pytest.approx(next_one, abs=5e-4)
    assert (posterior.mean, posterior.std) == pytest.approx((mu, sd), abs=2e-4)
    assert posterior.tau_median == pytest.approx(tau, abs=2e-4)
    drawn = posterior.draw(50_000, 0)
    found = [float((drawn.next(ROPE).argmax(axis=0) == region).mean()) for region in range(3)]
    for ours, theirs in zip(found, most, strict=True):
        assert abs(ours - theirs) < 4 * math.sqrt(theirs * (1 - theirs) / 50_000) + 1e-3
    few = posterior.draw(3_000, 1)
    first = posterior.draw_units(few, 1)[:5]
    for row, value, error in zip(first, theta, theta_error, strict=True):
        assert abs(row.mean() - value) < 4.5 * math.hypot(row.std() / math.sqrt(3_000), error)


def test_eight_data_sets_of_ten_folds():
    differences = np.array(EIGHT_BY_TEN)
    posterior = fit_population(of_folds(differences, 2), corani(differences))
    assert shares(posterior.next(ROPE)) == pytest.approx([0.283732584, 0.245662185, 0.470605230], abs=5e-4)
    assert (posterior.mean, posterior.std) == pytest.approx((0.007094108824, 0.013324306343), abs=5e-4)
    assert (posterior.tau_median, posterior.tau_mean) == pytest.approx((0.0285788944, 0.0310367962), abs=5e-4)
    low, high = np.quantile(posterior.draw(50_000, 0).mu, [0.025, 0.975])
    assert (low, high) == pytest.approx((-0.020517312, 0.032713640), abs=8e-4)


@pytest.mark.parametrize(
    ("tau", "next_one", "mu", "sd", "tau_mean", "theta"),
    [
        ("uniform", [0.10571624, 0.10088436, 0.7933994], 7.932375, 5.178395, 6.575483, (11.427427, 5.115060)),
        ("jeffreys", [0.13683931, 0.10563711, 0.75752358], 8.009038, 5.437306, 8.227780, (12.585535, 4.332183)),
    ],
)  # fmt: skip
def test_eight_schools(tau, next_one, mu, sd, tau_mean, theta):
    posterior = fit_population(units(*SCHOOLS), PopulationPrior(form="normal", tau=tau))
    assert shares(posterior.next(Interval(-2, 2))) == pytest.approx(next_one, abs=1e-4)
    assert (posterior.mean, posterior.std, posterior.tau_mean) == pytest.approx((mu, sd, tau_mean), abs=1e-3)
    drawn = posterior.draw_units(posterior.draw(20_000, 3), 3)
    for row, value in zip(drawn[[0, 4]], theta, strict=True):
        assert abs(row.mean() - value) < 4 * math.hypot(row.std() / math.sqrt(20_000), 0.03)


# -- brute force ---------------------------------------------------------------------------------------------------


def spread_around(*places):
    """Places that are dense around each centre, as its width has it, and reach far out."""
    v = np.linspace(-11, 11, 1_501)
    return np.sort(np.concatenate([centre + width * np.sinh(v) / 50 for centre, width in places]))


@pytest.mark.parametrize("df", [2.0, math.inf])
@pytest.mark.parametrize("nu", [1.001, 900.0])
def test_the_likelihood_of_units_is_that_of_quadrature(df, nu):
    given = units([0.03, -0.02], [0.01, 0.02], df)
    unit = stats.norm if math.isinf(df) else stats.t(df)
    for tau in (0.003, 0.02, 0.3):
        for mu in (0.0, 0.05):
            expected = 0.0
            for m, s in zip(given.estimates, given.errors, strict=True):
                theta = spread_around((m, s), (mu, tau))
                density = unit.pdf((theta - m) / s) / s * stats.t(nu).pdf((theta - mu) / tau) / tau
                expected += math.log(np.trapezoid(density, theta))
            found = UnitQuantiles.of(given).log_likelihood(np.array([mu]), tau, nu)[0]
            assert found == pytest.approx(expected, abs=0.03)  # with 40 nodes instead of 24: 0.002


@pytest.mark.parametrize(("df", "tau_prior"), [(4.0, "jeffreys"), (math.inf, "jeffreys"), (9.0, "uniform")])
def test_a_normal_population_is_that_of_quadrature(df, tau_prior):
    """Every integral as a plain sum: over the precision of each unit, over mu, and over tau."""
    m, s = np.array([0.03, -0.02, 0.01, 0.02]), np.array([0.01, 0.02, 0.015, 0.01])
    mu, log_tau = np.linspace(-1, 1, 401) ** 3 * 1.5, np.linspace(-14, 1.5, 101)
    precision = np.ones(1) if math.isinf(df) else stats.chi2.ppf((np.arange(150) + 0.5) / 150, df) / df
    log_density = np.empty((mu.size, log_tau.size))
    for column, tau in enumerate(np.exp(log_tau)):
        each = tau / (s**2 + tau**2)
        log_density[:, column] = log_tau[column] + (np.log((each**2).sum()) / 2 if tau_prior == "jeffreys" else 0.0)
        for mean, error in zip(m, s, strict=True):
            scales = np.hypot(error / np.sqrt(precision), tau)
            densities = np.exp(-(((mean - mu[:, None]) / scales) ** 2) / 2) / scales
            log_density[:, column] += np.log(np.maximum(densities.mean(axis=1), 1e-300))
    weights = np.exp(log_density - log_density.max()) * np.gradient(mu)[:, None]
    weights /= weights.sum()
    below = (weights * special.ndtr((ROPE.low - mu[:, None]) / np.exp(log_tau))).sum()
    above = (weights * special.ndtr((mu[:, None] - ROPE.high) / np.exp(log_tau))).sum()
    posterior = fit_population(units(m, s, df), PopulationPrior(form="normal", tau=tau_prior))
    assert shares(posterior.next(ROPE)) == pytest.approx([below, 1 - below - above, above], abs=2e-3)
    assert posterior.mean == pytest.approx((weights.sum(axis=1) * mu).sum(), abs=2e-4)


# -- properties ----------------------------------------------------------------------------------------------------

FORMS = [(NORMAL, math.inf), (NORMAL, 4.0), pytest.param(STUDENT, 9.0, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("prior", "df"), FORMS)
def test_order_sign_and_unit_of_measurement_change_nothing_else(prior, df):
    estimates, errors = map(np.array, MIXED)
    first = fit_population(units(estimates, errors, df), prior)
    order = np.array([3, 0, 4, 2, 1])
    again = fit_population(units(estimates[order], errors[order], df), prior)
    assert shares(again.next(ROPE)) == pytest.approx(shares(first.next(ROPE)), abs=1e-9)
    mirrored = fit_population(units(-estimates, errors, df), prior)
    assert shares(mirrored.next(ROPE)) == pytest.approx(shares(first.next(ROPE))[::-1], abs=1e-4)
    assert mirrored.mean == pytest.approx(-first.mean, abs=1e-4 * first.std)
    percent = fit_population(units(100 * estimates, 100 * errors, df), prior)
    assert shares(percent.next(Interval(-1, 1))) == pytest.approx(shares(first.next(ROPE)), abs=1e-9)
    assert (percent.mean, percent.std, percent.tau_mean, percent.nu_median) == pytest.approx(
        (100 * first.mean, 100 * first.std, 100 * first.tau_mean, first.nu_median), rel=1e-9
    )
    moved = fit_population(units(estimates + 5, errors, df), prior)
    assert moved.mean - 5 == pytest.approx(first.mean, abs=1e-3 * first.std)


def test_a_seed_gives_the_same_draws_and_fewer_are_the_first_of_more():
    posterior = fit_population(units(*MIXED), NORMAL)
    few, many = posterior.draw(100, 7), posterior.draw(300, 7)
    assert np.array_equal(few.mu, many.mu[:100])
    assert not np.array_equal(few.mu, posterior.draw(100, 8).mu)
    assert np.array_equal(posterior.draw_units(few, 7), posterior.draw_units(many, 7)[:, :100])


@pytest.mark.parametrize(("prior", "df"), FORMS)
def test_draws_are_of_the_posterior_that_sums_describe(prior, df):
    posterior = fit_population(units(*MIXED, df), prior)
    n = 40_000
    drawn = posterior.draw(n, 0)
    assert abs(drawn.mu.mean() - posterior.mean) < 4 * drawn.mu.std() / math.sqrt(n) + 0.01 * posterior.std
    assert abs((drawn.tau < posterior.tau_median).mean() - 0.5) < 4 * 0.5 / math.sqrt(n) + 0.002
    probabilities = drawn.next(ROPE)
    assert probabilities.sum(axis=0) == pytest.approx(np.ones(n))
    errors = probabilities.std(axis=1) / math.sqrt(n)
    assert np.all(np.abs(probabilities.mean(axis=1) - shares(posterior.next(ROPE))) < 4 * errors + 5e-4)


def test_shrunk_units_are_those_of_weighted_quadrature():
    """Given mu, tau and nu, theta has the density f g: also where both lie far apart."""
    posterior = fit_population(
        units(*MIXED, 9.0), PopulationPrior(form="normal", tau_limit=1.0)
    )  # only its units matter
    posterior = replace(posterior, prior=STUDENT)
    one = posterior.draw(1, 5)
    for mu, tau, nu in ((0.0, 0.01, 3.0), (0.2, 0.005, 40.0), (-0.5, 0.3, 1.2)):
        fixed = type(one)(mu=np.full(4_000, mu), tau=np.full(4_000, tau), nu=np.full(4_000, nu))
        row = posterior.draw_units(fixed, 0)[0]
        theta = spread_around((0.03, 0.01), (mu, tau))
        density = stats.t(9).pdf((theta - 0.03) / 0.01) * stats.t(nu).pdf((theta - mu) / tau)
        mass = density * np.gradient(theta)
        cdf = np.cumsum(mass) / mass.sum()
        assert stats.kstest(row, lambda x, t=theta, c=cdf: np.interp(x, t, c)).pvalue > 1e-4


@pytest.mark.parametrize("prior", [NORMAL, pytest.param(STUDENT, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("estimates", "errors", "df"),
    [
        ([0.01, 0.03, -0.02], [0.01, 0.02, 0.015], math.inf),
        ([0.01, 0.03, -0.02], [0.01, 0.02, 0.015], 2),
        ([0.01] * 6, [0.01] * 6, 9),
        ([0.0] * 6, [1e-5] * 6, math.inf),
        ([0.01, 0.02, -0.01, 0.03, 5e3], [0.01, 0.01, 0.01, 0.01, 1e4], math.inf),
        ([0.01, 0.02, -0.01, 0.03, 10.0], [0.01] * 5, 9),
        ([1e6, 1e6 + 1, 1e6 - 2, 1e6 + 2], [0.5] * 4, 99),
    ],
    ids=["three", "heavy tails", "all equal", "all zero", "a useless one", "one far out", "far from zero"],
)
@pytest.mark.filterwarnings("error")
def test_odd_units_have_a_posterior_too(estimates, errors, df, prior):
    given = units(estimates, errors, df)
    posterior = fit_population(given, prior)
    rope = Interval(-posterior.unit, posterior.unit)
    regions = posterior.next(rope)
    assert sum(shares(regions)) == pytest.approx(1)
    assert min(shares(regions)) >= 0
    assert posterior.grid_error(rope) < 0.01
    drawn = posterior.draw(2_000, 0)
    assert np.isfinite(drawn.mu).all()
    assert (drawn.tau > 0).all()
    assert (drawn.nu > 1).all()
    assert np.isfinite(posterior.draw_units(drawn, 0)).all()
    assert min(estimates) - max(errors) < posterior.mean < max(estimates) + max(errors)


@pytest.mark.parametrize(
    ("n", "tau", "mean", "std"),
    [
        (3, "jeffreys", True, False),
        (3, "uniform", False, False),
        (4, "uniform", True, False),
        (4, "jeffreys", True, True),
        (5, "uniform", True, True),
    ],
)
def test_moments_that_do_not_exist_are_not_given(n, tau, mean, std):
    posterior = fit_population(units(MIXED[0][:n], MIXED[1][:n]), PopulationPrior(form="normal", tau=tau))
    assert math.isfinite(posterior.mean) == mean
    assert math.isfinite(posterior.std) == std


def test_a_limit_of_mu_holds():
    posterior = fit_population(units(*MIXED), PopulationPrior(form="normal", mu_limit=0.01))
    assert np.abs(posterior.draw(5_000, 0).mu).max() <= 0.01
    free = fit_population(units(*MIXED), PopulationPrior(form="normal", mu_limit=10.0))
    assert free.mean == pytest.approx(fit_population(units(*MIXED), NORMAL).mean, abs=1e-4)


def test_many_units_find_their_population():
    rng = np.random.default_rng(4)
    errors = rng.uniform(0.005, 0.03, 1_000)
    posterior = fit_population(units(rng.normal(rng.normal(0.02, 0.03, 1_000), errors), errors), NORMAL)
    assert abs(posterior.mean - 0.02) < 4 * posterior.std
    assert posterior.std == pytest.approx(0.0343 / math.sqrt(1_000), rel=0.1)
    assert posterior.tau_median == pytest.approx(0.03, rel=0.1)


def test_with_tau_at_infinity_a_unit_is_what_it_is_alone():
    """Units that differ by far more than they are uncertain of are hardly shrunk: each keeps its own Student t."""
    given = units([-50.0, 10.0, 40.0, 90.0], [0.01] * 4, 9.0)
    posterior = fit_population(given, NORMAL)
    rows = posterior.draw_units(posterior.draw(4_000, 0), 0)
    for row, estimate in zip(rows, given.estimates, strict=True):
        assert stats.kstest(row, stats.t(9, estimate, 0.01).cdf).pvalue > 1e-4
