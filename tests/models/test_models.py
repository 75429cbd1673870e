"""The exact posteriors against closed forms and quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

import ropewalk as rw
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.metrics import parse_metric
from ropewalk.models import draw_psi, observed_tables
from ropewalk.models.binary import block_of_each

N = 100_000
TABLES = {
    "papers": rw.Outcomes.from_pairs(positive=(300, 60, 35, 40), negative=(30, 20, 40, 400)),
    "small": rw.Outcomes.from_pairs(positive=(3, 1, 0, 1), negative=(0, 2, 1, 9)),
    "one": rw.Outcomes.from_pairs(positive=(1, 0, 0, 0), negative=(0, 0, 0, 0)),
    "none": rw.Outcomes.from_pairs(positive=(0, 0, 0, 0), negative=(0, 0, 0, 0)),
    "perfect": rw.Outcomes.from_pairs(positive=(40, 0, 0, 0), negative=(0, 0, 0, 60)),
    "no-positives": rw.Outcomes.from_pairs(positive=(0, 0, 0, 0), negative=(1, 2, 3, 30)),
    "never-predicted": rw.Outcomes.from_pairs(positive=(0, 0, 5, 20), negative=(0, 0, 3, 50)),
}
MODELS = {
    "papers": rw.models.Sigir2016(),
    "custom": rw.models.Sigir2016(mu=(3, 0.5), positive=(5, 0.5, 2, 1), negative=(0.25, 0.25, 0.25, 4)),
}


def psi(model, table, metric, n=N, seed=0):
    return draw_psi([model.fit(table)], parse_metric(metric).at(1), stop=n, seed=seed)


def shapes(model, table):
    """Posterior pseudo-counts by the papers' notation: mu (positive, negative) and the two outcome Dirichlets."""
    cube = np.zeros((2, 2, 2))
    cube[tuple(table.codes.T)] = table.counts
    positive = np.array([cube[1, 1, 1], cube[1, 1, 0], cube[1, 0, 1], cube[1, 0, 0]]) + model.positive
    negative = np.array([cube[0, 1, 1], cube[0, 1, 0], cube[0, 0, 1], cube[0, 0, 0]]) + model.negative
    mu = np.array([cube[1].sum(), cube[0].sum()]) + model.mu
    return mu, positive, negative


def difference_moments(alpha, plus, minus):
    """Mean and second moment of theta[plus] − theta[minus] under Dirichlet(alpha)."""
    s = alpha.sum()
    second = (alpha[plus] * (alpha[plus] + 1) + alpha[minus] * (alpha[minus] + 1) - 2 * alpha[plus] * alpha[minus]) / (
        s * (s + 1)
    )
    return (alpha[plus] - alpha[minus]) / s, second


def within(values, mean, std):
    assert abs(values.mean() - mean) <= 5 * std / np.sqrt(values.size) + 1e-12
    fourth = ((values - mean) ** 4).mean()
    assert abs(values.var() - std**2) <= 5 * np.sqrt(fourth / values.size) + 1e-12


@pytest.mark.parametrize("model", [MODELS["custom"], rw.models.Sigir2016(positive=(0.05, 1, 1, 1))], ids=["", "tiny"])
def test_posteriors_that_are_drawn_together_have_their_own_means(model):
    """E[cell] = E[share of its class] · E[its share of the class], table by table; some shapes are below 0.1."""
    posteriors, size = [model.fit(TABLES[name]) for name in ("papers", "small", "no-positives")], 5_000
    block = block_of_each(np.random.default_rng(2), posteriors, size)
    margins = block.margins()
    for i, posterior in enumerate(posteriors):
        shares = posterior.mu / posterior.mu.sum()
        expected = np.concatenate([share * t / t.sum() for share, t in zip(shares, posterior.theta, strict=True)])
        drawn = block.weights[:, i * size : (i + 1) * size]
        assert drawn.sum(axis=0) == pytest.approx(1, abs=1e-12)
        assert (np.abs(drawn.mean(axis=1) - expected) <= 4.5 * drawn.std(axis=1) / np.sqrt(size)).all()
        assert margins.row[i * size : (i + 1) * size, 1] == pytest.approx(drawn[4:].sum(axis=0), abs=1e-12)


def test_margins_of_any_number_of_labels_are_sums_over_items():
    rng = np.random.default_rng(3)
    truth, a, b = (rng.random((40, 3)) < 0.4 for _ in range(3))
    outcomes = rw.MultilabelOutcomes.from_arrays(truth.astype(int), a.astype(int), b.astype(int))
    seen, drawn = observed_tables(outcomes), rw.models.Bootstrap().fit(outcomes).block(rng, 200)
    m = seen.margins()
    expected = {
        "row": truth,
        "tp": np.stack([truth & a, truth & b]),
        "col": np.stack([a, b]),
        "total": np.ones((40, 1)),
    }
    for name, items in expected.items():
        assert getattr(m, name) == pytest.approx(items.mean(axis=-2, keepdims=True), abs=1e-12)
    # Draws by item and the tables of each label that are made of them have the same margins.
    one, other = drawn.margins(), drawn.by_label().margins()
    for name in ("row", "tp", "col", "total"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-12)
    assert (np.abs(one.row.mean(axis=0) - truth.mean(axis=0)) <= 4.5 * one.row.std(axis=0) / np.sqrt(200)).all()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", TABLES)
def test_accuracy_differences_have_the_closed_form_moments(model, name):
    """delta = mu (θ+10 − θ+01) + (1 − mu)(θ−01 − θ−10), a product of independent Beta and Dirichlet moments."""
    mu, positive, negative = shapes(MODELS[model], TABLES[name])
    u1, u2 = difference_moments(positive, 1, 2)
    v1, v2 = difference_moments(negative, 2, 1)
    m, s = mu[0] / mu.sum(), mu.sum()
    mm = mu[0] * (mu[0] + 1) / (s * (s + 1))
    nn = mu[1] * (mu[1] + 1) / (s * (s + 1))
    mn = mu[0] * mu[1] / (s * (s + 1))
    mean = m * u1 + (1 - m) * v1
    second = mm * u2 + nn * v2 + 2 * mn * u1 * v1
    drawn = psi(MODELS[model], TABLES[name], "accuracy")
    within(drawn[0] - drawn[1], mean, np.sqrt(second - mean**2))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("which", [0, 1])
def test_recall_and_specificity_are_beta_distributed(model, name, which):
    _, positive, negative = shapes(MODELS[model], TABLES[name])
    yes = [0, 1] if which == 0 else [0, 2]
    no = [i for i in range(4) if i not in yes]
    for metric, a, b in (
        ("recall", positive[yes].sum(), positive[no].sum()),
        ("specificity", negative[no].sum(), negative[yes].sum()),
    ):
        drawn = psi(MODELS[model], TABLES[name], metric)[which]
        law = stats.beta(a, b)
        within(drawn, law.mean(), law.std())
        for q in (0.025, 0.25, 0.5, 0.75, 0.975):
            share = (drawn <= law.ppf(q)).mean()
            assert abs(share - q) <= 5 * np.sqrt(q * (1 - q) / N)


def f1_cdf(f, mu, positive, negative):
    """P(F1 ≤ f) of the unpaired model by quadrature over mu and rho−; rho+ integrates to a Beta CDF."""
    law_mu, law_fp, law_tp = stats.beta(*mu), stats.beta(*negative), stats.beta(*positive)

    def inner(v, u):
        m, s = law_mu.ppf(u), law_fp.ppf(v)
        return law_tp.cdf(f * (m + (1 - m) * s) / (m * (2 - f)))

    nodes, weights = np.polynomial.legendre.leggauss(80)
    u, w = (nodes + 1) / 2, weights / 2
    return float(np.einsum("i,j,ij->", w, w, inner(u[None, :], u[:, None])))


@pytest.mark.parametrize("matrix", [[[440, 50], [75, 360]], [[9, 3], [2, 4]], [[0, 0], [0, 0]], [[50, 0], [0, 10]]])
def test_f1_of_the_unpaired_model_has_the_law_that_quadrature_gives(matrix):
    model = rw.models.Sigir2016Unpaired()
    (tn, fp), (fn, tp) = matrix
    drawn = psi(model, rw.Outcomes.from_confusion(matrix), "f1")[0]
    for q in np.quantile(drawn, [0.05, 0.3, 0.5, 0.7, 0.95]):
        exact = f1_cdf(q, (1 + tp + fn, 1 + tn + fp), (1 + tp, 1 + fn), (1 + fp, 1 + tn))
        share = (drawn <= q).mean()
        assert abs(share - exact) <= 5 * np.sqrt(exact * (1 - exact) / N) + 2e-5  # the quadrature itself


def test_the_prior_of_the_paired_model_is_what_no_items_give():
    drawn = psi(MODELS["papers"], TABLES["none"], "recall")
    assert stats.kstest(drawn[0], stats.beta(2, 2).cdf).pvalue > 1e-4
    share = (drawn[0] > drawn[1]).mean()
    assert abs(share - 0.5) <= 5 * 0.5 / np.sqrt(N)


def test_the_prior_of_the_unpaired_model_is_uniform():
    drawn = psi(rw.models.Sigir2016Unpaired(), rw.Outcomes.from_confusion(np.zeros((2, 2))), "recall")
    assert stats.kstest(drawn[0], "uniform").pvalue > 1e-4


def test_prevalence_replaces_mu_by_a_number():
    """At a fixed class mix accuracy is a fixed mix of two Betas, with closed-form moments."""
    model, table = MODELS["papers"], TABLES["papers"]
    _, positive, negative = shapes(model, table)
    share = 0.1
    drawn = draw_psi([model.fit(table)], parse_metric("accuracy"), (1 - share, share), stop=N, seed=1)[0]
    recall = stats.beta(positive[[0, 1]].sum(), positive[[2, 3]].sum())
    specificity = stats.beta(negative[[2, 3]].sum(), negative[[0, 1]].sum())
    mean = share * recall.mean() + (1 - share) * specificity.mean()
    within(drawn, mean, np.sqrt(share**2 * recall.var() + (1 - share) ** 2 * specificity.var()))


def test_unpaired_draws_of_two_classifiers_are_independent():
    table = TABLES["papers"]
    fits = [rw.models.Sigir2016Unpaired().fit(table.project([name])) for name in table.names]
    drawn = draw_psi(fits, parse_metric("f1").at(1), stop=N, seed=0)
    assert abs(np.corrcoef(drawn)[0, 1]) <= 5 / np.sqrt(N)


def test_pairing_narrows_the_difference_when_the_classifiers_agree():
    table = TABLES["papers"]
    paired = rw.compare(table, rng=0, draws=50_000)
    unpaired = rw.compare(table, rng=0, draws=50_000, model="unpaired")
    assert paired.std < 0.8 * unpaired.std


def test_expected_cost_has_the_closed_form_mean():
    """E[cost] = Σ c(j,k) E[mu_j] E[theta_jk]."""
    mu, positive, negative = shapes(MODELS["papers"], TABLES["papers"])
    drawn = draw_psi([MODELS["papers"].fit(TABLES["papers"])], parse_metric("cost", [[0, 1], [5, 0]]), stop=N, seed=2)
    share = mu[0] / mu.sum()
    fpr_a, fnr_a = negative[[0, 1]].sum() / negative.sum(), positive[[2, 3]].sum() / positive.sum()
    expected = (1 - share) * fpr_a + 5 * share * fnr_a
    assert abs(drawn[0].mean() - expected) <= 5 * drawn[0].std() / np.sqrt(N)


def test_small_pseudo_counts_are_drawn_without_nan():
    model = rw.models.Sigir2016(mu=(1e-4, 1e-4), positive=(1e-3,) * 4, negative=(1e-3,) * 4)
    drawn = psi(model, TABLES["none"], "f1", n=50_000)
    assert np.isfinite(drawn).all()
    assert drawn.min() >= 0
    assert drawn.max() <= 1


def test_a_share_that_underflows_does_not_take_its_class_along():
    """With mu near 0 for the positive class its recall is still Beta(1, 1)."""
    model = rw.models.Sigir2016Unpaired(mu=(1e-3, 1e-3))
    table = rw.Outcomes.from_counts([[15, 5], [0, 0]])
    drawn = psi(model, table, "recall")
    assert abs(drawn[0].mean() - 0.5) <= 5 * np.sqrt(1 / 12 / N)
    moved = draw_psi([model.fit(table)], parse_metric("f1").at(1), (0.5, 0.5), stop=N, seed=0)
    plain = draw_psi([rw.models.Sigir2016Unpaired().fit(table)], parse_metric("f1").at(1), (0.5, 0.5), stop=N, seed=1)
    assert abs(moved.mean() - plain.mean()) <= 5 * np.sqrt(moved.var() / N + plain.var() / N)


@pytest.mark.parametrize(
    "options",
    [{"mu": (1, 0)}, {"mu": (1, -1)}, {"mu": (1,)}, {"positive": (1, 1, 1)}, {"negative": "1111"},
     {"positive": (1, 1, 1, float("nan"))}, {"positive": (1, 1, 1, float("inf"))}, {"mu": 3}],
)  # fmt: skip
def test_bad_pseudo_counts_are_refused(options):
    with pytest.raises(InvalidInputError, match="positive numbers"):
        rw.models.Sigir2016(**options)


def test_models_take_what_they_are_made_for(news, table):
    with pytest.raises(DataError, match="two labels; these data have 20"):
        rw.compare(news.outcomes, a="nb_mult", b="svm_l2", metric="accuracy", model=rw.models.Sigir2016())
    with pytest.raises(UnknownNameError, match="Choose from: paired, unpaired"):
        rw.compare(table, model="peired")
    with pytest.raises(UnknownNameError, match="model object"):
        rw.compare(table, model=3)
    with pytest.raises(InvalidInputError, match="separate tables"):
        rw.compare(table.project(["nb_mult"]), table.project(["svm_l2"]), model="paired")


def test_the_quadrature_itself_integrates_to_one():
    assert f1_cdf(1 - 1e-9, (5, 5), (3, 4), (2, 9)) == pytest.approx(1, abs=1e-6)
    exact, _ = integrate.quad(lambda x: stats.beta(3, 4).pdf(x), 0, 1)
    assert exact == pytest.approx(1)
