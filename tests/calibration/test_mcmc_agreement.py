"""Markov chains against the exact engine, at length: every conjugate model, both samplers, both forms, both backends.

What agreement means, and why by these standard errors, stands in tests/agreement.py. With
ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file, one JSON object a line.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from agreement import (
    FOUR_ERRORS,
    LEAST_ESS,
    arviz,
    ask,
    assert_agrees,
    effective,
    of_chains,
    record,
    small,
    three,
    told,
    two_labels,
    z_scores,
)
from ropewalk.errors import ConvergenceWarning
from ropewalk.mcmc import Sampler
from ropewalk.models import Sigir2016, Tree
from support import need

pytestmark = pytest.mark.slow

NUTS = Sampler(backend="pymc")
CAREFUL = Sampler(backend="pymc", target_accept=0.99)  # shapes of 1/4 and no items: at .9 a draw or two diverge
PAPERS = Sampler(step="metropolis")
PAPERS_DRAWS = 50_000
BINARY = ("large", "small", "zeros")
OF_PAPERS = ("sigir2016", "sigir2016_unpaired", "flat", "icdm2015")
OF_TWO = ("paired", "unpaired", *OF_PAPERS)
OF_MANY = ("tree", Tree(paired=False), "flat", "icdm2015")  # chains take no masses that are learned
CASES = [*((data, model) for data in BINARY for model in OF_TWO), *(("four", model) for model in OF_MANY)]
PAPERS_CASES = [*((data, model) for data in BINARY for model in OF_PAPERS), *(("four", model) for model in OF_MANY)]


@pytest.fixture(autouse=True)
def _pymc():
    arviz()
    need("pymc")


@pytest.mark.parametrize(("data", "model"), CASES)
def test_nuts_agrees(data, model):
    engine = CAREFUL if data == "zeros" and model in {"paired", "unpaired"} else NUTS
    found = ask(data, model, engine=engine, draws=8_000, rng=CASES.index((data, model)))
    assert found.diagnostics.converged, found.diagnostics
    assert_agrees(found, data, model, draws=800_000 if data in BINARY else 200_000)


@pytest.mark.parametrize(("data", "model"), PAPERS_CASES)
def test_the_papers_sampler_agrees(data, model):
    """One chain of 50,000 steps, untuned, from wherever it starts: the start is forgotten soon enough."""
    found = ask(data, model, engine=PAPERS, draws=PAPERS_DRAWS, rng=100 + PAPERS_CASES.index((data, model)))
    assert_agrees(found, data, model, draws=800_000 if data in BINARY else 200_000)


@pytest.mark.parametrize("model", ["paired", "unpaired"])
@pytest.mark.parametrize(("engine", "draws"), [(NUTS, 6_000), (PAPERS, PAPERS_DRAWS)], ids=["nuts", "metropolis"])
def test_any_of_labels_agree(engine, draws, model):
    found = ask("any_of", model, engine=engine, draws=draws, rng=3)
    assert_agrees(found, "any_of", model)


@pytest.mark.parametrize("model", OF_MANY)
def test_twenty_classes_agree_by_nuts(model):
    found = ask("twenty", model, engine=NUTS, draws=2_000, rng=4)
    assert found.diagnostics.divergences == 0
    assert_agrees(found, "twenty", model, draws=50_000)


@pytest.mark.parametrize("model", ["tree", "icdm2015"])
def test_twenty_classes_agree_by_the_papers_sampler(model):
    found = ask("twenty", model, engine=PAPERS, draws=PAPERS_DRAWS, rng=5)
    assert_agrees(found, "twenty", model, draws=50_000)


def test_without_items_the_chains_draw_the_prior():
    with pytest.warns(rw.errors.DegenerateDataWarning, match="this is the prior"):
        found = rw.compare([], [], [], labels=[0, 1], pos_label=1, model="sigir2016", engine=NUTS, draws=4_000, rng=1)
    assert found.delta.observed is None
    mu, theta = found.chains.parameters["mu"], found.chains.parameters["theta"]
    recall = theta[:, :, 1, :2].sum(axis=-1)  # of A: two of four uniform shares
    for draws, law in ((recall, stats.beta(2, 2)), (mu[..., 1], stats.beta(1, 1))):
        ess = effective(draws)
        assert abs(draws.mean() - law.mean()) < 4 * law.std() / np.sqrt(ess)
        assert abs(draws.std() - law.std()) < 4 * law.std() / np.sqrt(2 * effective((draws - draws.mean()) ** 2))


def test_divergences_are_seen_and_give_no_verdict():
    """Shapes of 1/1000 and no items of most outcomes: the density has corners that no step size fits."""
    model = Sigir2016(positive=(1e-3,) * 4, negative=(1e-3,) * 4)
    engine = Sampler(backend="pymc", target_accept=0.1, n_chains=1, tune=200)
    data = two_labels([3, 0, 0, 0], [0, 0, 0, 9])
    with pytest.warns(ConvergenceWarning, match="of 300 draws diverged: raise target_accept"):
        found = rw.compare(data, metric="f1", model=model, engine=engine, draws=300, rng=0, rope=0.05)
    assert found.diagnostics.divergences > 100
    assert found.decision is None


# -- forms and backends --------------------------------------------------------------------------------------


def assert_same(ours, theirs, name):
    """Two samples agree, of whatever numbers; `ours` and `theirs` are (chains, n)."""
    found = z_scores(told(ours), told(theirs))
    assert min(effective(ours), effective(theirs)) >= LEAST_ESS
    assert max(map(abs, found.values())) < FOUR_ERRORS, (name, found)


@pytest.mark.parametrize("model", ["paired", "unpaired"])
def test_items_one_by_one_agree(model):
    found = ask("small", model, engine=Sampler(backend="pymc", form="items"), draws=6_000, rng=6)
    assert_agrees(found, "small", model)


def test_items_of_icdm2015_agree_though_they_keep_their_rows():
    """There theta is sampled and not integrated out; eta and the difference must come out as they do without it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        counts, items = (
            rw.compare(
                three(),
                metric="macro_f1",
                model="icdm2015",
                engine=Sampler(backend="pymc", form=form, target_accept=0.95),
                draws=8_000,
                rng=7,
            )
            for form in ("counts", "items")
        )
        exact = rw.compare(three(), metric="macro_f1", model="icdm2015", draws=400_000, rng=8)
    parts = [one.model.fit(table).eta for one in [exact.recipe] for table in exact.recipe.tables]
    for result in (counts, items):
        found = z_scores(of_chains(result), told(exact.draws.delta()[np.newaxis], independent=True))
        record("three", f"icdm2015, {result.recipe.sampler.form}", result, of_chains(result), found)
        assert max(map(abs, found.values())) < FOUR_ERRORS, found
        for k, eta in enumerate(parts):
            draws = result.chains.parameters["eta"][..., k]
            error = draws.std() / np.sqrt(effective(draws))
            assert effective(draws) >= LEAST_ESS
            assert abs(draws.mean() - eta.mean) < FOUR_ERRORS * error


@pytest.mark.parametrize(("data", "model"), [("large", "paired"), ("four", "tree")])
def test_nutpie_agrees_and_repeats_itself(data, model):
    need("nutpie")
    engine = Sampler(backend="nutpie")
    found = ask(data, model, engine=engine, draws=8_000, rng=9)
    assert found.diagnostics.engine.startswith("nutpie")
    assert found.diagnostics.converged, found.diagnostics
    assert found.diagnostics.acceptance is not None
    assert_agrees(found, data, model)
    again = ask(data, model, engine=engine, draws=8_000, rng=9, threads=2)
    assert np.array_equal(found.draws.psi, again.draws.psi)
    assert_same(
        found.draws.delta().reshape(4, -1),
        ask(data, model, engine=NUTS, draws=8_000, rng=10).draws.delta().reshape(4, -1),
        "nutpie and PyMC",
    )


def test_nutpie_takes_hostile_labels():
    need("nutpie")
    labels = ["chain", "draw\n\x00'\"", "\ud800", "😀" * 500]
    truth = labels * 15
    said = [truth[(i * 7) % 60] if i % 3 == 0 else one for i, one in enumerate(truth)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        found = rw.compare(
            truth, said, truth[4:] + truth[:4], names=["class", "<b>\u202e"],
            engine=Sampler(backend="nutpie", n_chains=2, tune=200), draws=500, rng=0,
        )  # fmt: skip
    assert np.isfinite(found.draws.psi).all()


# -- the errors are errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "draws"), [(NUTS, 4_000), (PAPERS, 10_000)], ids=["nuts", "metropolis"])
def test_z_scores_over_seeds_are_standard(engine, draws):
    """If the standard errors were too small or the posteriors apart, z-scores over seeds would spread or shift."""
    exact = ask("small", "sigir2016", engine="exact", draws=3_200_000, rng=99)
    theirs = told(exact.draws.delta()[np.newaxis], independent=True)
    found = [ask("small", "sigir2016", engine=engine, draws=draws, rng=seed) for seed in range(200, 212)]
    scores = np.array([list(z_scores(of_chains(one), theirs).values()) for one in found])
    assert np.abs(scores.mean(axis=0) * np.sqrt(12)).max() < FOUR_ERRORS
    # 12 squares of standard normals exceed 32.9 once in a thousand; of t with 19 degrees (HDI ends) each is 12% larger.
    assert ((scores**2).sum(axis=0) < 32.9 * 1.12).all()


def test_another_prior_is_seen_to_be_another():
    """The negative control: a posterior that is a little off must be seen to be so."""
    ours = ask("small", "sigir2016", engine=NUTS, draws=8_000, rng=11)
    other = rw.models.Sigir2016(positive=(1, 1.5, 1, 1), negative=(1, 1, 1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        exact = rw.compare(small(), metric="f1", model=other, draws=400_000, rng=12)
    found = z_scores(of_chains(ours), told(exact.draws.delta()[np.newaxis], independent=True))
    assert abs(found["mean"]) > FOUR_ERRORS
