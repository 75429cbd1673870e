"""Priors of your own: conjugate ones exactly, all others by Markov chains, against quadrature and simulation."""

import sys

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit, log_expit, logit

import ropewalk as rw
from ropewalk.draws.density import neighbour_density
from ropewalk.errors import DataError, InvalidInputError
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

pm = pytest.importorskip("pymc")
pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.PriorDominanceWarning")  # that is what they are for
CHAINS = rw.Sampler(backend="pymc")
# Tolerances are in standard errors of the draws made: fewer draws check as honestly, and less sharply.
SHORT = {"engine": rw.Sampler(backend="pymc", n_chains=2, tune=400), "draws": 1_200}
LONG = {"engine": CHAINS, "draws": 8_000}
ONE = rw.Outcomes.from_confusion([[70, 8], [9, 33]], labels=[0, 1], name="A")
PAIR = rw.Outcomes.from_arrays([1] * 30 + [0] * 50, [1] * 24 + [0] * 6 + [1] * 5 + [0] * 45,
                               [1] * 20 + [0] * 10 + [0] * 47 + [1] * 3, names=["A", "B"])  # fmt: skip
THREE = rw.Outcomes.from_confusion([[40, 5, 3], [6, 25, 4], [2, 3, 12]], name="A")


def shapes(posterior):
    """Class and type shapes, class by class."""
    return posterior.mu, posterior.types.reshape(posterior.n_labels, -1)


@pytest.fixture(params=[SHORT, pytest.param(LONG, marks=pytest.mark.slow)], ids=["short", "long"])
def sampling(request):
    """How to sample: a short run, or with the tests that take long the usual one."""
    return request.param


def agrees(estimate, mean, std):
    """Whether chains agree with a known posterior, within 4 Monte Carlo standard errors."""
    ess = (estimate.std / estimate.mc_error) ** 2
    assert abs(estimate.mean - mean) < 4 * std / np.sqrt(ess)
    # The standard deviation of a standard deviation is about std / sqrt(2 ESS); skew and the ESS of squares add to it.
    assert abs(estimate.std - std) < 8 * std / np.sqrt(2 * ess)


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

    def test_beta_of_pymc_is_read(self):
        own = OwnPriors(mu=pm.Beta.dist(2, 38), rho=(pm.Beta.dist(mu=0.8, sigma=0.1), pm.Beta.dist(1, 9)))
        assert own.exact
        assert own.prior == "mu ~ Beta(2, 38); rho+ ~ Beta(12, 3); rho- ~ Beta(1, 9)"

    def test_goes_to_the_exact_engine(self):
        table, *_ = noisy_pair(1_000, 0.0, np.random.default_rng(0))
        found = rw.compare(table, a="A", b="B", model=OwnPriors(theta=((1, 1, 1, 1), (1, 1, 1, 1))), rope=0.05, rng=0)
        assert found.recipe.engine == "exact"
        usual = rw.compare(table, a="A", b="B", rope=0.05, rng=1)
        assert abs(found.mean - usual.mean) < 5 * np.hypot(found.delta.mc_error, usual.delta.mc_error)

    def test_what_is_not_said_is_as_usual(self):
        mu, types = shapes(OwnPriors(mu=(1, 1)).fit(PAIR))
        exact = Sigir2016().fit(PAIR)
        assert mu.tolist() == exact.mu.tolist()
        assert types[0].tolist() == exact.theta[0].tolist()
        single = shapes(OwnPriors(mu=(1, 1), paired=False).fit(ONE))[1]
        assert single.tolist() == [theta.tolist() for theta in Sigir2016Unpaired().fit(ONE).theta[:1]] + [[34, 10]]


class TestChains:
    def test_two_shapes_of_a_recall_against_quadrature(self, sampling):
        own = OwnPriors(rho=(pm.Kumaraswamy.dist(2, 3), pm.LogitNormal.dist(-1, 0.7)))
        assert not own.exact
        found = rw.evaluate(ONE, metric=["recall", "specificity"], model=own, **sampling, rng=1)

        def kumaraswamy(x):
            return np.log(6 * x * (1 - x**2) ** 2)

        def logit_normal(x):
            return stats.norm.logpdf(logit(x), -1, 0.7) - np.log(x * (1 - x))

        for metric, hits, misses, prior, flip in (
            ("recall", 33, 9, kumaraswamy, False),
            ("specificity", 8, 70, logit_normal, True),
        ):
            mean, std = moments(lambda x, h=hits, m=misses, p=prior: h * np.log(x) + m * np.log1p(-x) + p(x))
            agrees(found[metric].estimate, 1 - mean if flip else mean, std)

    def test_partial_pooling_of_logits_against_quadrature(self, sampling):
        model = LogitNormal(location=0.5, scale=1.0, pooled=True, spread=0.8)
        found = rw.evaluate(THREE, metric="macro_recall", model=model, **sampling, rng=2)
        right, wrong = np.array([40, 25, 12]), np.array([8, 10, 5])
        centres, spreads = np.linspace(-3, 4, 141), np.linspace(0.005, 4, 160)
        nodes, weights = np.polynomial.hermite_e.hermegauss(101)
        logits = centres[:, None, None, None] + spreads[None, :, None, None] * nodes
        rho = expit(logits)
        like = np.exp(right[:, None] * log_expit(logits) + wrong[:, None] * log_expit(-logits) + 50)
        each = (like * weights).sum(-1)  # centre × spread × class
        first, second = ((like * rho**k * weights).sum(-1) / each for k in (1, 2))
        mass = np.prod(each / each.max(), axis=-1) * stats.norm.pdf(centres, 0.5, 1)[:, None]
        mass *= stats.halfnorm.pdf(spreads, scale=0.8)
        mass /= mass.sum()
        mean = (mass * first.mean(-1)).sum()
        inner = (second - first**2).sum(-1) / 9
        var = (mass * (inner + first.mean(-1) ** 2)).sum() - mean**2
        agrees(found["macro_recall"].estimate, mean, np.sqrt(var))

    def test_a_correlated_classifier_tells_of_the_other(self, sampling):
        # A's recalls are known for certain; B has no items: its logits are normal around what A's say.
        many = rw.Outcomes.from_confusion([[800_000, 200_000], [100_000, 900_000]], labels=[0, 1], name="A")
        none = rw.Outcomes.empty([0, 1], ["B"])
        model = LogitNormal(location=0, scale=1.5, correlation=0.8)
        with pytest.warns(rw.errors.RopewalkWarning):
            found = rw.compare(many, none, metric="recall", model=model, **sampling, rng=3)
        logits = logit(found.draws.psi[1])
        ess = found.chains.ess(logits)
        std = 1.5 * np.sqrt(1 - 0.8**2)
        assert abs(logits.mean() - 0.8 * logit(0.9)) < 4 * std / np.sqrt(ess)
        assert abs(logits.std() - std) < 8 * std / np.sqrt(2 * ess)

    def test_earlier_items_count_alike_in_both_engines(self, sampling):
        model = PowerPrior(
            Sigir2016Unpaired(), rw.Outcomes.from_confusion([[50, 50], [20, 80]], labels=[0, 1], name="A"), discount=0.3
        )
        chain = rw.evaluate(ONE, metric="f1", model=model, **sampling, rng=4)["f1"].estimate
        exact = rw.evaluate(ONE, metric="f1", model=model, draws=200_000, rng=4)["f1"].estimate
        agrees(chain, exact.mean, exact.std)


def moments(log_density):
    """Mean and standard deviation of a density on (0, 1), by quadrature."""
    grid = np.linspace(1e-6, 1 - 1e-6, 20_001)
    mass = np.exp(log_density(grid) - log_density(grid).max())
    total = integrate.simpson(mass, x=grid)
    mean = integrate.simpson(mass * grid, x=grid) / total
    return mean, np.sqrt(integrate.simpson(mass * (grid - mean) ** 2, x=grid) / total)


def noisy_pair(n, error, rng, *, mu=0.4, both=(0.55, 0.3, 0.05, 0.1), none=(0.03, 0.02, 0.12, 0.83)):
    """Return a table of two classifiers whose truth was annotated with errors, and their true F1s."""
    truth = rng.random(n) < mu
    outcome = np.where(truth, rng.choice(4, n, p=both), rng.choice(4, n, p=none))
    said_a, said_b = np.isin(outcome, (0, 1)), np.isin(outcome, (0, 2))
    annotated = truth ^ (rng.random(n) < error)
    table = rw.Outcomes.from_arrays(
        annotated.astype(int).tolist(), said_a.astype(int).tolist(), said_b.astype(int).tolist(), names=["A", "B"]
    )

    def f1(one):
        recall, alarm = both[0] + both[one], none[0] + none[one]
        return 2 * mu * recall / (mu + mu * recall + (1 - mu) * alarm)

    return table, f1(1) - f1(2), (f1(1), f1(2))


class TestNoise:
    def test_without_errors_it_is_the_plain_model(self, sampling):
        found = rw.compare(PAIR, a="A", b="B", model=NoisyLabels(error=0.0), **sampling, rng=5)
        exact = rw.compare(PAIR, a="A", b="B", draws=200_000, rng=5)
        agrees(found.delta, exact.mean, exact.std)

    def test_recovers_the_truth_where_the_plain_model_is_biased(self, sampling):
        table, delta, (f1, _) = noisy_pair(8_000, 0.15, np.random.default_rng(6))
        plain = rw.compare(table, a="A", b="B", rng=6)
        noisy = rw.compare(table, a="A", b="B", model=NoisyLabels(error=0.15), **sampling, rng=6)
        assert abs(plain.mean - delta) > 4 * plain.std
        assert abs(plain.estimate_a.mean - f1) > 20 * plain.estimate_a.std
        assert abs(noisy.mean - delta) < 3 * noisy.std
        assert abs(noisy.estimate_a.mean - f1) < 3 * noisy.estimate_a.std
        assert any("as annotated" in note for note in noisy.notes)

    def test_three_labels_against_the_inverse_of_the_errors(self, sampling):
        # Given the true class, annotators' errors are independent of the classifier's; so the matrix of counts is
        # errors' transpose times the true one, and for many items its inverse gives the truth.
        true = np.array([[0.30, 0.05, 0.05], [0.02, 0.25, 0.03], [0.06, 0.04, 0.20]])
        errors = np.array([[0.9, 0.06, 0.04], [0.05, 0.85, 0.1], [0.1, 0.1, 0.8]])
        counts = np.rint(20_000 * errors.T @ true).astype(int)
        table = rw.Outcomes.from_confusion(counts, name="A")
        model = NoisyLabels(error=errors, paired=False)
        found = rw.evaluate(table, metric="accuracy", model=model, **sampling, rng=7)["accuracy"]
        assert found.estimate.std < 0.02
        assert abs(found.estimate.mean - np.trace(true)) < 0.75 * found.estimate.std  # the data are the expected ones

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


def test_a_prior_outside_of_0_and_1_is_refused():
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

    def test_others_are_sampled(self, sampling):
        import preliz as pz

        own = OwnPriors(rho=(pz.Kumaraswamy(2, 3), (1, 1)))
        found = rw.evaluate(ONE, metric="recall", model=own, **sampling, rng=1)["recall"]
        mean, std = moments(lambda x: 33 * np.log(x) + 9 * np.log1p(-x) + np.log(6 * x * (1 - x**2) ** 2))
        agrees(found.estimate, mean, std)

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
