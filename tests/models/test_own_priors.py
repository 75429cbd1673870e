"""Priors of your own: conjugate ones exactly, all others by Markov chains, against quadrature and simulation."""

import sys

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_expit, logit

import ropewalk as rw
from agreement import ONE, PAIR, THREE, assert_moments, moments, noisy_pair
from densities import Density, assert_constant, log_dirichlet, shares
from ropewalk.draws.density import neighbour_density
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.mcmc import chains
from ropewalk.models import (
    DeltaPrior,
    LogitNormal,
    NoisyLabels,
    OwnPriors,
    PowerPrior,
    Sigir2016,
    Sigir2016Unpaired,
    Tree,
)
from ropewalk.models.delta import resample
from sampling import as_sampled, compiled_quickly
from support import need

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.PriorDominanceWarning")  # that is what they are for
CHAINS = rw.Sampler(backend="pymc")


@pytest.fixture(autouse=True, scope="module")
def pm():
    """PyMC, which is imported where these tests run only: it takes seconds."""
    with compiled_quickly():
        yield need("pymc")


def kumaraswamy(x):
    """Return the log density of the first of the two shapes."""
    return np.log(6 * x * (1 - x**2) ** 2)


def logit_normal(x):
    return stats.norm.logpdf(logit(x), -1, 0.7) - np.log(x * (1 - x))


def shapes(posterior):
    """Class and type shapes, class by class."""
    return posterior.mu, posterior.types.reshape(posterior.n_labels, -1)


class TestConjugate:
    def test_papers_priors_are_the_papers_models(self):
        own = OwnPriors(mu=(2, 5), theta=((1, 2, 3, 4), (5, 6, 7, 8)))
        exact = Sigir2016(mu=(2, 5), positive=(1, 2, 3, 4), negative=(5, 6, 7, 8)).fit(PAIR)
        mu, types = shapes(own.fit(PAIR))
        assert mu.tolist() == exact.mu.tolist()
        assert types[1].tolist() == exact.theta[1][::-1].tolist()  # from all right to all wrong
        assert types[0].tolist() == exact.theta[0].tolist()

    def test_rho_is_the_probability_to_be_called_positive(self):
        mu, types = shapes(OwnPriors(mu=(2, 38), rho=((8, 2), (1, 9))).fit(ONE))
        assert mu.tolist() == [78 + 38, 42 + 2]
        assert types.tolist() == [[70 + 9, 8 + 1], [33 + 8, 9 + 2]]

    def test_recalls_of_many_classes(self):
        mu, types = shapes(OwnPriors(mu=(1, 2, 3), rho=(6, 2)).fit(THREE))
        assert mu.tolist() == [49, 37, 20]
        assert types.tolist() == [[46, 10], [31, 12], [18, 7]]

    def test_some_classes_by_label(self):
        _, types = shapes(OwnPriors(rho={1: (6, 2)}).fit(THREE))
        usual = shapes(Tree(paired=False).fit(THREE))[1]
        assert types[1].tolist() == [31, 12]
        assert types[[0, 2]].tolist() == usual[[0, 2]].tolist()

    def test_beta_of_pymc_is_read(self, pm):
        own = OwnPriors(mu=pm.Beta.dist(2, 38), rho=(pm.Beta.dist(mu=0.8, sigma=0.1), pm.Beta.dist(1, 9)))
        assert own.exact
        assert own.prior == "mu ~ Beta(2, 38); rho+ ~ Beta(12, 3); rho- ~ Beta(1, 9)"

    @pytest.mark.parametrize(("model", "shape"), [("paired", 1 / 4), ("sigir2016", 1)])
    def test_goes_to_the_exact_engine(self, model, shape):
        table, *_ = noisy_pair(1_000, 0.0, np.random.default_rng(0))
        own = OwnPriors(theta=((shape,) * 4, (shape,) * 4))
        found = rw.compare(table, a="A", b="B", model=own, rope=0.05, rng=0)
        assert found.recipe.engine == "exact"
        usual = rw.compare(table, a="A", b="B", model=model, rope=0.05, rng=1)
        assert abs(found.mean - usual.mean) < 5 * np.hypot(found.delta.mc_error, usual.delta.mc_error)

    def test_what_is_not_said_is_as_usual(self):
        """The tree: Dir(1/4, 1/4, 1/4, 1/4) for two classifiers, Beta(1/2, 1/2) for one."""
        mu, types = shapes(OwnPriors(mu=(1, 1)).fit(PAIR))
        exact = Sigir2016(positive=(1 / 4,) * 4, negative=(1 / 4,) * 4).fit(PAIR)
        assert mu.tolist() == exact.mu.tolist()
        assert types[0].tolist() == exact.theta[0].tolist()
        assert types[1].tolist() == exact.theta[1][::-1].tolist()
        single = shapes(OwnPriors(mu=(1, 1), paired=False).fit(ONE))[1]
        assert single.tolist() == [[70.5, 8.5], [33.5, 9.5]]


class TestDensity:
    """Chains are run on the posterior; that they sample it is seen below, and in calibration/ at length."""

    def test_two_shapes_of_a_recall(self, pm, rng):
        own = OwnPriors(rho=(pm.Kumaraswamy.dist(2, 3), pm.LogitNormal.dist(-1, 0.7)))
        assert not own.exact
        density, found = Density(own, [ONE]), []
        for _ in range(4):
            at = {"shares": shares(rng, 2), "rho_plus_share": rng.random(), "rho_minus_share": rng.random()}
            plus, minus = at["rho_plus_share"], at["rho_minus_share"]
            expected = log_dirichlet(at["shares"], np.array([78 + 1, 42 + 1]))
            expected += kumaraswamy(plus) + 33 * np.log(plus) + 9 * np.log1p(-plus)
            expected += logit_normal(minus) + 8 * np.log(minus) + 70 * np.log1p(-minus)
            found.append(density(**at) - expected)
        assert_constant(found)
        assert density.made(**at)["theta"] == pytest.approx(np.array([[1 - minus, minus], [plus, 1 - plus]]))

    def test_partial_pooling_of_logits(self, rng):
        density = Density(LogitNormal(location=0.5, scale=1.0, pooled=True, spread=0.8), [THREE])
        right, wrong, found = np.array([40, 25, 12]), np.array([8, 10, 5]), []
        for _ in range(4):
            mu, centre, spread, offset = shares(rng, 3), rng.normal(), rng.random(), rng.normal(size=3)
            logits = centre + spread * offset
            expected = log_dirichlet(mu, right + wrong + 1.0) + stats.norm.logpdf(centre, 0.5, 1)
            expected += stats.halfnorm.logpdf(spread, scale=0.8) + stats.norm.logpdf(offset).sum()
            expected += (right * log_expit(logits) + wrong * log_expit(-logits)).sum()
            at = {"mu": mu, "centre": centre, "spread": spread, "logit_offset": offset}
            found.append(density(**at) - expected)
        assert_constant(found)
        assert density.made(**at)["theta"] == pytest.approx(np.stack([expit(logits), expit(-logits)], axis=-1))

    @pytest.mark.parametrize("known", [0.8, -0.4, "learned"])
    def test_logits_of_classifiers_are_correlated_as_was_said(self, known, rng):
        tables = [rw.Outcomes.from_confusion(ONE.confusion(), labels=[0, 1], name=name) for name in "ABC"]
        density = Density(LogitNormal(location=0.5, scale=1.5, correlation=known), tables)
        right, wrong, found = np.array([70, 33]), np.array([8, 9]), []
        for rho in (0.3, -0.2) if known == "learned" else (known,) * 2:
            steps = rng.normal(size=(3, 2))
            root = np.linalg.cholesky(np.full((3, 3), rho) + (1 - rho) * np.eye(3))
            logits = 0.5 + 1.5 * root @ steps
            at = {"mu": shares(rng, 3, 2), **{f"logit_{k}_offset": step for k, step in enumerate(steps)}}
            if known == "learned":
                at["correlation"] = rho
            expected = log_dirichlet(at["mu"], np.array([79, 43])) + stats.norm.logpdf(steps).sum()
            expected += (right * log_expit(logits) + wrong * log_expit(-logits)).sum()
            found.append(density(**at) - expected)
            assert density.made(**at)["rho"] == pytest.approx(expit(logits))
        assert_constant(found)

    def test_earlier_items_count_alike_in_both_engines(self, rng):
        earlier = rw.Outcomes.from_confusion([[50, 50], [20, 80]], labels=[0, 1], name="A")
        model = PowerPrior(Sigir2016Unpaired(), earlier, discount=0.3)
        classes = np.array([78 + 30 + 1, 42 + 30 + 1])
        types = np.array([[70 + 15 + 1, 8 + 15 + 1], [33 + 24 + 1, 9 + 6 + 1]])  # right and wrong
        density, found = Density(model, [ONE]), []
        for _ in range(4):
            mu, theta = shares(rng, 2), shares(rng, 2, 2)
            found.append(density(mu=mu, theta=theta) - log_dirichlet(mu, classes) - log_dirichlet(theta, types))
        assert_constant(found)
        exact = model.fit(ONE)
        assert exact.mu == pytest.approx(classes)
        assert np.sort(exact.theta, axis=1) == pytest.approx(np.sort(types, axis=1))


def test_chains_of_logit_normal_recalls_agree_with_quadrature():
    """The one run of PyMC's here; tolerances are standard errors, so that a short one checks as honestly as a long."""
    engine = rw.Sampler(backend="pymc", n_chains=2, tune=250)
    model = LogitNormal(location=0.5, scale=0.8)
    found = rw.evaluate(THREE, metric="macro_recall", model=model, engine=engine, draws=1_000, rng=2)["macro_recall"]
    assert found.diagnostics.converged
    recalls = [
        moments(
            lambda x, n=n, m=m: (n - 1) * np.log(x) + (m - 1) * np.log1p(-x) + stats.norm.logpdf(logit(x), 0.5, 0.8)
        )
        for n, m in ((40, 8), (25, 10), (12, 5))
    ]
    means, stds = np.array(recalls).T
    assert_moments(found.estimate, means.mean(), np.sqrt((stds**2).sum()) / 3)


# -- labels that may be wrong --------------------------------------------------------------------------------


def error_matrix(plus, minus):
    """Return how often annotators take the one for the other, truth × annotated; of positive and of negative items."""
    return np.array([[1 - minus, minus], [plus, 1 - plus]])


def log_seen(table, mu, error, cell):
    """Return the log probability of what was annotated and said, the true class y of every item being summed out."""
    return sum(
        n * np.log(sum(mu[y] * error[y, annotated] * cell(y, said) for y in range(table.n_labels)))
        for (annotated, *said), n in zip(table.codes.tolist(), table.counts.tolist(), strict=True)
    )


HALVES = (rw.Outcomes.from_arrays([1, 1, 0, 0] * 5, [1, 0] * 10, [1, 1, 1, 0] * 5, names=["A", "B"]), PAIR)
"""Two batches of annotated items."""

RATES = {"error": (5, 95), "error_1": (5, 95), "error_plus": (5, 95), "error_minus": (1, 3)}
"""The Betas of rates that are not known, by their names in the model."""

NOISES = {
    "known": (NoisyLabels(error=0.15), lambda at: [(0.15, 0.15)]),
    "by class": (NoisyLabels(error=(0.1, 0.2)), lambda at: [(0.1, 0.2)]),
    "unknown": (NoisyLabels(error=(5, 95)), lambda at: [(at["error"], at["error"])]),
    "unknown by class": (
        NoisyLabels(error=((5, 95), (1, 3))),  # the latter is cut off where annotators would be guessing
        lambda at: [(at["error_plus"], at["error_minus"])],
    ),
    "by batch": (
        NoisyLabels(error=[(0.1, 0.2), (5, 95)], batches=HALVES),
        lambda at: [(0.1, 0.2), (at["error_1"], at["error_1"])],
    ),
    "drifting": (
        NoisyLabels(error=0.1, batches=HALVES, drift=0.7),
        lambda at: [(0.1, 0.1), (0.5 * expit(logit(0.2) + 0.7 * at["step_1"]),) * 2],
    ),
}
"""A model, and the error rates on positive and negative items of each batch, given its parameters."""


TRUTH = {"mu": np.array([0.6, 0.4]), "theta": np.array([[0.83, 0.12, 0.02, 0.03], [0.55, 0.3, 0.05, 0.1]])}
"""What the items of `noisy_pair` are drawn from: all right, A right, B right, none."""


class TestNoise:
    def test_without_errors_it_is_the_plain_model(self, rng):
        noisy, plain = Density(NoisyLabels(error=0.0), [PAIR]), Density(Tree(), [PAIR])
        points = [{"mu": shares(rng, 2), "theta": shares(rng, 2, 4)} for _ in range(4)]
        assert_constant([noisy(**at) - plain(**at) for at in points])

    @pytest.mark.parametrize("name", NOISES)
    def test_the_truth_of_two_labels_is_summed_out(self, name, rng):
        model, rates_at = NOISES[name]
        batches = model.batches or (PAIR,)
        density, found = Density(model, [sum(batches[1:], start=batches[0])]), []
        for _ in range(4):
            at = {"mu": shares(rng, 2), "theta": shares(rng, 2, 4)}
            expected = log_dirichlet(at["theta"], np.full((2, 4), 1 / 4))  # the shares have one of ones, a constant
            for other in density.sizes().keys() - at.keys():
                at[other] = rng.random() / 2
                law = stats.norm if other == "step_1" else stats.beta(*RATES[other])
                expected += law.logpdf(at[other])
            for batch, (plus, minus) in zip(batches, rates_at(at), strict=True):
                # All right, A right, B right, none.
                expected += log_seen(
                    batch,
                    at["mu"],
                    error_matrix(plus, minus),
                    lambda y, said, theta=at["theta"]: theta[y, 2 * (said[0] != y) + (said[1] != y)],
                )
            found.append(density(**at) - expected)
        assert_constant(found)
        assert density.made(**at)["cells"] == pytest.approx(np.stack([at["theta"][0], at["theta"][1, ::-1]]))

    def test_the_truth_of_three_labels_is_summed_out(self, rng):
        errors = np.array([[0.9, 0.06, 0.04], [0.05, 0.85, 0.1], [0.1, 0.1, 0.8]])
        density, found = Density(NoisyLabels(error=errors, paired=False), [THREE]), []
        for _ in range(4):
            at = {"mu": shares(rng, 3), "theta": shares(rng, 3, 2), "labels_1": shares(rng, 3, 2)}
            matrix = np.zeros((3, 3))  # of the classifier: what is said of each class
            for y in range(3):
                matrix[y, y] = at["theta"][y, 0]
                matrix[y, np.arange(3) != y] = at["theta"][y, 1] * at["labels_1"][y]
            assert density.made(**at)["cells"] == pytest.approx(matrix)
            prior = sum(log_dirichlet(at[name], np.full((3, 2), 0.5)) for name in ("theta", "labels_1"))
            seen = log_seen(THREE, at["mu"], errors, lambda y, said, m=matrix: m[y, said[0]])
            found.append(density(**at) - prior - seen)
        assert_constant(found)

    def test_the_truth_is_the_mode_where_the_plain_model_is_biased(self, rng):
        """The data are the expected ones, and so many that no prior matters: nothing is likelier than the truth."""
        mu, theta = TRUTH["mu"], TRUTH["theta"]
        said = np.stack([mu[0] * theta[0].reshape(2, 2), mu[1] * theta[1, ::-1].reshape(2, 2)])  # truth × A × B
        counts = np.tensordot(error_matrix(0.15, 0.15), said, axes=(0, 0))
        table = rw.Outcomes.from_counts(np.rint(100_000 * counts).astype(int), names=["A", "B"])
        density = Density(NoisyLabels(error=0.15), [table])
        for _ in range(20):
            near = theta * np.exp(0.05 * rng.normal(size=theta.shape))
            assert density(mu=mu, theta=near / near.sum(axis=-1, keepdims=True)) < density(**TRUTH)
        plain = rw.compare(table, a="A", b="B", draws=2_000, rng=0)
        _, delta, (f1, _) = noisy_pair(10, 0.15, rng)
        assert abs(plain.mean - delta) > 4 * plain.std
        assert abs(plain.estimate_a.mean - f1) > 20 * plain.estimate_a.std

    def test_scores_are_against_the_truth(self, monkeypatch):
        """Chains that found the truth stand in for a sampler."""

        def run_chains(program, sampler, draws, seed, cores=1):
            rng, size = np.random.default_rng(seed), (sampler.n_chains, sampler.per_chain(draws))
            mu, *theta = (rng.dirichlet(1e6 * row, size) for row in (TRUTH["mu"], *TRUTH["theta"]))
            cells = np.stack([theta[0], theta[1][..., ::-1]], axis=2)
            return as_sampled(program.model, {"mu": mu, "theta": np.stack(theta, axis=2), "cells": cells})

        monkeypatch.setattr(chains, "run_chains", run_chains)
        table, delta, (f1, _) = noisy_pair(500, 0.15, np.random.default_rng(6))
        found = rw.compare(table, a="A", b="B", model=NoisyLabels(error=0.15), engine=CHAINS, draws=800, rng=6)
        assert abs(found.mean - delta) < 5 * found.delta.mc_error
        assert abs(found.estimate_a.mean - f1) < 5 * found.estimate_a.mc_error
        assert found.std < 0.01
        assert any("as annotated" in note for note in found.notes)

    def test_batches_must_be_the_data(self):
        table, *_ = noisy_pair(500, 0.1, np.random.default_rng(8))
        model = NoisyLabels(error=[0.1, 0.2], batches=[table, table])
        with pytest.raises(DataError, match="batches hold 1,000 items, and the data 500"):
            rw.compare(table, a="A", b="B", model=model, engine=CHAINS, rng=8)


class TestDelta:
    def test_without_items_the_difference_has_the_prior_that_was_said(self):
        own = stats.norm(0.1, 0.05)
        none = rw.Outcomes.empty([0, 1], ["A", "B"])
        with pytest.warns(rw.errors.DegenerateDataWarning):
            found = rw.compare(none, a="A", b="B", model=DeltaPrior(model=Sigir2016(), delta=own), draws=200_000, rng=9)
        # The density that is divided out is an estimate of 250 draws at a point: good to about 6%.
        assert abs(found.mean - 0.1) < 0.003
        assert abs(found.std / 0.05 - 1) < 0.05
        assert abs(np.mean(found.draws.delta() < 0.1) - 0.5) < 0.02

    def test_against_convolution_of_two_betas(self):
        a = rw.Outcomes.from_confusion([[40, 10], [12, 38]], labels=[0, 1], name="A")
        b = rw.Outcomes.from_confusion([[40, 10], [20, 30]], labels=[0, 1], name="B")
        own = stats.norm(0, 0.05)
        model = DeltaPrior(model=Sigir2016Unpaired(), delta=own)
        with pytest.warns(rw.errors.PriorDominanceWarning):  # as it should
            found = rw.compare(a, b, metric="recall", model=model, draws=400_000, rng=10)
        grid = np.linspace(0, 1, 2_001)
        delta = np.linspace(-1, 1, 4_001)
        posterior = np.convolve(stats.beta.pdf(grid, 39, 13), stats.beta.pdf(grid, 31, 21)[::-1])
        prior = np.convolve(np.ones_like(grid), np.ones_like(grid))
        mass = posterior * own.pdf(delta) / prior
        mass /= mass.sum()
        mean = (mass * delta).sum()
        std = np.sqrt((mass * (delta - mean) ** 2).sum())
        ess = (found.std / found.delta.mc_error) ** 2
        assert ess < 200_000  # weights cost
        # 4 standard errors, and 2% of the spread for the estimated density of the old prior.
        assert abs(found.mean - mean) < 4 * std / np.sqrt(ess) + 0.02 * std
        assert abs(found.std / std - 1) < 4 / np.sqrt(2 * ess) + 0.02

    def test_a_prior_far_from_the_data_gives_no_verdict(self):
        model = DeltaPrior(model=Sigir2016(), delta=stats.norm(0.9, 0.01))
        table, *_ = noisy_pair(2_000, 0.0, np.random.default_rng(11))
        with pytest.warns(rw.errors.RopewalkWarning, match="too far"):
            found = rw.compare(table, a="A", b="B", model=model, rope=0.05, draws=50_000, rng=11)
        assert found.decision is None
        assert not found.conclusive

    def test_only_a_difference_has_such_a_prior(self):
        model = DeltaPrior(model=Sigir2016Unpaired(), delta=stats.norm(0, 0.1))
        with pytest.raises(InvalidInputError, match="two classifiers"):
            rw.evaluate(ONE, model=model)

    def test_density_follows_a_peak(self):
        draws = np.random.default_rng(12).standard_normal(400_000)
        at = np.array([-2.0, 0.0, 1.0])
        assert neighbour_density(draws, at) == pytest.approx(stats.norm.pdf(at), rel=0.1)

    def test_resampling_takes_each_as_often_as_its_weight_says(self):
        weights = np.array([0.5, 0.25, 0.25, 0.0])
        picked = np.bincount(resample(weights, np.random.default_rng(0)), minlength=4)
        assert picked.tolist() == [2, 1, 1, 0]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: OwnPriors(rho=((1, 1), (1, 1)), theta=((1, 1, 1, 1), (1, 1, 1, 1))), "give one of them"),
        (lambda: OwnPriors(rho=((1, 1), (1, 1)), paired=True), "one classifier at a time"),
        (lambda: OwnPriors(mu="beta"), "must be a distribution"),
        (lambda: OwnPriors(mu=(1, -1)), "positive pseudo-counts"),
        (lambda: LogitNormal(correlation=1), "between -1 and 1"),
        (lambda: LogitNormal(scale=0), "scale"),
        (lambda: LogitNormal(paired=True, correlation=0.5), "share already"),
        (lambda: NoisyLabels(error=1.5), "probability below 1"),
        (lambda: NoisyLabels(error=np.ones((2, 2))), "adding up to 1"),
        (lambda: NoisyLabels(error=[0.1, 0.2]), "number of batches is 0"),
        (lambda: NoisyLabels(error=0.1, drift=0.5), "batch to batch"),
        (lambda: DeltaPrior(model="paired", delta=stats.norm()), "model object"),
        (lambda: DeltaPrior(model=Sigir2016(), delta=0.1), "must be a distribution"),
        (lambda: DeltaPrior(model=DeltaPrior(model=Sigir2016(), delta=stats.norm()), delta=stats.norm()), "already"),
    ],
    ids=range(14),
)
def test_a_prior_that_makes_no_sense_is_refused(make, match):
    with pytest.raises(InvalidInputError, match=match):
        make()


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (OwnPriors(rho=(1, 1)), "must be a pair"),
        (OwnPriors(theta=((1, 1), (1, 1))), "over 4 outcomes"),
        (OwnPriors(mu=(1, 1, 1)), "over 2 classes"),
        (OwnPriors(theta={"no": (1, 1, 1, 1)}), "must be a pair"),
    ],
    ids=range(4),
)
def test_a_prior_that_does_not_fit_the_data_is_refused(model, match):
    with pytest.raises(InvalidInputError, match=match):
        rw.compare(PAIR, a="A", b="B", model=model)


def test_a_prior_outside_of_0_and_1_is_refused(pm):
    model = OwnPriors(rho=(pm.Normal.dist(0.5, 1), (1, 1)))
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        rw.evaluate(ONE, model=model)


def test_exact_engine_is_refused_where_there_is_none():
    with pytest.raises(InvalidInputError, match="not conjugate"):
        rw.evaluate(ONE, model=LogitNormal(), engine="exact")


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="PreliZ for Python 3.11 cannot be imported beside matplotlib 3.11"
)
class TestPreliz:
    def test_conjugate_ones_are_drawn_exactly(self):
        import preliz as pz

        own = OwnPriors(mu=pz.Beta(2, 38), rho=(pz.Beta(8, 2), pz.Beta(1, 9)))
        assert own.exact
        assert own.prior == "mu ~ Beta(2, 38); rho+ ~ Beta(8, 2); rho- ~ Beta(1, 9)"
        pseudo = OwnPriors(mu=(2, 38), rho=((8, 2), (1, 9)))
        assert [part.tolist() for part in shapes(own.fit(ONE))] == [part.tolist() for part in shapes(pseudo.fit(ONE))]

    def test_a_dirichlet_is_read(self):
        import preliz as pz

        assert OwnPriors(mu=pz.Dirichlet([1, 2, 3])).fit(THREE).mu.tolist() == [49, 37, 20]

    def test_others_are_those_of_pymc(self, rng):
        import preliz as pz

        density, found = Density(OwnPriors(rho=(pz.Kumaraswamy(2, 3), (1, 1))), [ONE]), []
        for _ in range(4):
            mu, plus, minus = shares(rng, 2), rng.random(), rng.random()
            expected = log_dirichlet(mu, np.array([79, 43])) + 8 * np.log(minus) + 70 * np.log1p(-minus)
            expected += kumaraswamy(plus) + 33 * np.log(plus) + 9 * np.log1p(-plus)
            found.append(density(shares=mu, rho_plus_share=plus, rho_minus_share=minus) - expected)
        assert_constant(found)

    def test_the_difference_may_have_one(self):
        import preliz as pz

        none = rw.Outcomes.empty([0, 1], ["A", "B"])
        with pytest.warns(rw.errors.DegenerateDataWarning):
            found = rw.compare(
                none,
                a="A",
                b="B",
                model=DeltaPrior(model=Sigir2016(), delta=pz.Normal(0.1, 0.05)),
                draws=200_000,
                rng=9,
            )
        assert abs(found.mean - 0.1) < 0.003
