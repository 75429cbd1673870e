"""Markov chains: the same posteriors as the exact engine, reproducible, quiet, and refused where they did not converge.

Three things could be wrong with a chain, and each is tested by itself. The log density of the PyMC model must be that
of the conjugate posterior, in closed form. The way from its parameters to tables and metrics must be right: perfect
draws of the parameters go through it. And PyMC must sample what it was given: a few short runs here, the long ones in
calibration/test_mcmc_agreement.py.
"""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from agreement import (
    DATA,
    any_of,
    arviz,
    ask,
    assert_agrees,
    effective,
    four,
    large,
    small,
    three,
    two_labels,
)
from densities import Density, assert_constant, log_dirichlet, shares
from laws import assert_same_law
from ropewalk import _progress
from ropewalk._progress import current, shown
from ropewalk.errors import (
    ConvergenceWarning,
    InvalidInputError,
    MissingDependencyError,
    UnknownNameError,
    UnreadableFileError,
)
from ropewalk.inference.answers import run_comparison
from ropewalk.mcmc import Sampler, chains, programs
from ropewalk.mcmc.chains import Diagnostics, diagnose
from ropewalk.mcmc.layout import layout_of, type_text
from ropewalk.mcmc.programs import Program, load_pymc
from ropewalk.mcmc.running import run_chains
from ropewalk.mcmc.sampler import parse_engine
from ropewalk.models import Bootstrap, Flat, Icdm2015, LearnedTree, Multilabel, Sigir2016, Sigir2016Unpaired, Tree
from ropewalk.results.recipes import read_recipe
from sampling import as_sampled, compiled_quickly, perfect
from support import need

NUTS = Sampler(backend="pymc")
SHORT = Sampler(backend="pymc", n_chains=2, tune=250)
QUICK = Sampler(step="metropolis")


@pytest.fixture(autouse=True, scope="module")
def _pymc():
    with compiled_quickly():
        yield


# -- the log density is that of the posterior ----------------------------------------------------------------


def single(table):
    """Return each classifier's own table."""
    return [table.project([name]) for name in table.names]


def cells(table):
    counts = np.zeros((table.n_labels,) * (1 + table.n_classifiers))
    counts[tuple(table.codes.T)] = table.counts
    return counts


def type_counts(table):
    """Count, class by class, the types all right, only A, only B, both wrong alike and, of three labels, both wrong
    differently: one cell after the other."""
    found = np.zeros((table.n_labels, 5))
    for (j, a, b), n in np.ndenumerate(cells(table)):
        kind = 0 if a == b == j else 1 if a == j else 2 if b == j else 3 if a == b else 4
        found[j, kind] += n
    return found if table.n_labels > 2 else found[:, :4]


def test_the_paired_density_is_a_dirichlet_in_closed_form(rng):
    model = Sigir2016(mu=(2, 5), positive=(1, 2, 3, 4), negative=(0.5, 6, 7, 8))
    counts, density = cells(small()), Density(model, [small()])
    # All right, A, B, none: of the negative class these are (0,0) (0,1) (1,0) (1,1).
    shapes = np.stack([counts[0].reshape(-1), counts[1].reshape(-1)[::-1]])
    shapes += [[8, 7, 6, 0.5], [1, 2, 3, 4]]
    found = []
    for _ in range(5):
        mu, theta = shares(rng, 2), shares(rng, 2, 4)
        found.append(density(mu=mu, theta=theta) - log_dirichlet(mu, [23 + 5, 17 + 2]) - log_dirichlet(theta, shapes))
    assert_constant(found)


def test_the_unpaired_density_has_shares_of_its_own_for_either_classifier(rng):
    model = Sigir2016Unpaired(mu=(2, 5), positive=(3, 4), negative=(0.5, 6))
    density = Density(model, single(small()))
    assert density.model.named_vars_to_dims["theta"] == ("classifier", "class", "outcome")
    counts = np.stack([cells(table) for table in single(small())])
    shapes = np.array([[6, 0.5], [3, 4]]) + np.stack([counts[:, 0], counts[:, 1, ::-1]], axis=1)  # right, wrong
    found = []
    for _ in range(5):
        mu, theta = shares(rng, 2, 2), shares(rng, 2, 2, 2)
        found.append(density(mu=mu, theta=theta) - log_dirichlet(mu, [23 + 5, 17 + 2]) - log_dirichlet(theta, shapes))
    assert_constant(found)


@pytest.mark.parametrize("data", ["three", "binary", "large"])
def test_the_density_of_a_tree_is_dirichlet_in_the_types(data, rng):
    table = {"three": three, "binary": small, "large": large}[data]()
    base = [1 / 4, 1 / 4, 1 / 4, 1 / 8, 1 / 8] if table.n_labels > 2 else [1 / 4] * 4
    density = Density(Tree(kappa=3, mu_prior=2), [table])
    shapes = type_counts(table) + 3 * np.array(base)
    found = []
    for _ in range(5):
        mu, theta = shares(rng, table.n_labels), shares(rng, *shapes.shape)
        prior = log_dirichlet(mu, table.items_by_class() + 2)
        found.append(density(mu=mu, theta=theta) - prior - log_dirichlet(theta, shapes))
    assert_constant(found)


def test_the_pooled_centre_is_that_of_the_exact_engine(rng):
    table = three().project(["A"])
    density = Density(Tree(paired=False, centre="pooled"), [table])
    right = table.confusion().diagonal()
    counts = np.stack([right, table.items_by_class() - right], axis=1)
    centre = (counts.sum(axis=0) + 2 * np.array([0.5, 0.5])) / (table.n_items + 2)
    found = []
    for _ in range(5):
        mu, theta = shares(rng, 3), shares(rng, 3, 2)
        prior = log_dirichlet(mu, table.items_by_class() + 1)
        found.append(density(mu=mu, theta=theta) - prior - log_dirichlet(theta, counts + centre))
    assert_constant(found)


def test_the_flat_density_is_dirichlet_in_the_rows(rng):
    tables = single(three())
    density = Density(Flat(theta_prior=0.7, mu_prior=2), tables)
    counts = np.stack([table.confusion() for table in tables])
    found = []
    for _ in range(5):
        mu, theta = shares(rng, 2, 3), shares(rng, 2, 3, 3)
        prior = log_dirichlet(mu, counts.sum(axis=-1) + 2.0)
        found.append(density(mu=mu, theta=theta) - prior - log_dirichlet(theta, counts + 0.7))
    assert_constant(found)


@pytest.mark.parametrize("paired", [True, False])
def test_the_density_of_many_labels_is_a_binary_one_for_each(paired, rng):
    whole = any_of()
    tables = [whole] if paired else single(whole)
    density = Density(Multilabel(kappa=2, mu_prior=3, paired=paired), tables)
    lead = () if paired else ("classifier",)
    assert density.model.named_vars_to_dims["theta"] == (*lead, "label", "class", "outcome")
    each = [table.tables() for table in tables]
    items = np.array([[one.items_by_class() for one in parts] for parts in each])
    if paired:
        counts, items = np.array([type_counts(one) for one in each[0]]), items[0]
    else:
        right = np.array([[one.confusion().diagonal() for one in parts] for parts in each])
        counts = np.stack([right, items - right], axis=-1)
    found = []
    for _ in range(5):
        mu, theta = shares(rng, *items.shape), shares(rng, *counts.shape)
        prior = log_dirichlet(mu, items + 3.0)
        found.append(density(mu=mu, theta=theta) - prior - log_dirichlet(theta, counts + 2 / counts.shape[-1]))
    assert_constant(found)


def test_eta_has_a_product_of_dirichlet_multinomials(rng):
    tables, model = single(three()), Icdm2015(eta_prior=(2, 3), kappa=1.5, mu_prior=2)
    density = Density(model, tables)
    counts = np.stack([table.confusion() for table in tables])
    found = []
    for _ in range(5):
        mu, eta = shares(rng, 2, 3), rng.random(2)
        expected = log_dirichlet(mu, counts.sum(axis=-1) + 2.0) + stats.beta(2, 3).logpdf(eta).sum()
        for t, j in np.ndindex(2, 3):
            omega = np.where(np.arange(3) == j, 1.5 * eta[t], 1.5 * (1 - eta[t]) / 2)
            expected += stats.dirichlet_multinomial(omega, counts[t, j].sum()).logpmf(counts[t, j])
        found.append(density(mu=mu, eta=eta) - expected)
    assert_constant(found)


# -- one item at a time --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "tables"),
    [
        (Sigir2016(mu=(2, 5), positive=(1, 2, 3, 4)), lambda: [small()]),
        (Sigir2016Unpaired(negative=(3, 1)), lambda: single(small())),
        (Tree(), lambda: [three()]),
        (Flat(), lambda: single(three())),
        (Multilabel(), lambda: [any_of()]),
        (Multilabel(paired=False), lambda: single(any_of())),
    ],
    ids=["paired", "unpaired", "tree", "flat", "multilabel", "multilabel-unpaired"],
)
def test_items_one_by_one_have_the_density_of_their_counts(model, tables, rng):
    """The number of ways to order the items is all that the two log densities differ by."""
    counted, listed = (Density(model, tables(), form) for form in ("counts", "items"))
    sizes = counted.sizes()
    found = []
    for _ in range(5):
        point = {name: shares(rng, *size) for name, size in sizes.items()}
        found.append(counted(**point) - listed(**point))
    assert_constant(found)


def test_items_of_icdm2015_keep_their_rows(rng):
    """There theta is a parameter: with it the density is Beta, Dirichlets and a product over the items."""
    tables = single(three())
    density = Density(Icdm2015(eta_prior=(2, 1), kappa=1.5), tables, "items")
    counts = np.stack([table.confusion() for table in tables])
    found = []
    for _ in range(5):
        mu, eta, theta = shares(rng, 2, 3), rng.random(2), shares(rng, 2, 3, 3)
        omega = np.where(np.eye(3, dtype=bool), 1.5 * eta[:, None, None], 1.5 * (1 - eta[:, None, None]) / 2)
        expected = log_dirichlet(mu, counts.sum(axis=-1) + 1.0) + stats.beta(2, 1).logpdf(eta).sum()
        expected += log_dirichlet(theta, omega) + (counts * np.log(theta)).sum()
        found.append(density(mu=mu, eta=eta, theta=theta) - expected)
    assert_constant(found)


# -- from parameters to tables: perfect draws of the parameters ----------------------------------------------


@pytest.fixture
def ideal(monkeypatch):
    """Let every chain be perfect; what remains to test is what is made of its draws."""
    monkeypatch.setattr(chains, "run_chains", perfect)
    return Sampler(backend="pymc")


@pytest.mark.usefixtures("ideal")
def test_an_answer_read_from_json_is_sampled_alike():
    sampler = Sampler(n_chains=3, tune=7, backend="pymc", target_accept=0.95)
    answer = rw.compare(large(), engine=sampler, rope=0.05, draws=3_000, rng=0)
    written = json.loads(answer.to_json())
    assert read_recipe(written).sampler == sampler
    assert run_comparison(read_recipe(written)).to_dict() == written
    del written["recipe"]["sampler"]  # as written before
    assert read_recipe(written).sampler == Sampler()


@pytest.mark.parametrize(
    ("data", "model", "draws"),
    [
        ("large", Sigir2016(positive=(4, 3, 2, 1), negative=(1, 5, 1, 3)), 8_000),
        ("small", Sigir2016Unpaired(mu=(7, 1), positive=(4, 2)), 8_000),
        ("zeros", Sigir2016(), 8_000),
        ("four", Tree(), 8_000),
        ("four", Tree(paired=False, label_mass=3), 8_000),
        ("four", Flat(theta_prior=2), 8_000),
        ("twenty", Tree(), 2_000),
        ("twenty", Tree(paired=False), 2_000),
        ("any_of", Multilabel(), 8_000),
        ("any_of", Multilabel(kappa=2, paired=False), 8_000),
    ],
    ids=[
        "large-paired",
        "small-unpaired",
        "zeros-paired",
        "four-tree",
        "four-unpaired",
        "four-flat",
        "twenty-tree",
        "twenty-unpaired",
        "any-of-paired",
        "any-of-unpaired",
    ],
)
def test_perfect_draws_of_parameters_are_exact_draws_of_metrics(data, model, draws, ideal, frugal):
    ours = ask(data, model, engine=ideal, draws=draws, rng=1)
    theirs = ask(data, model, engine="exact", draws=draws, rng=2)
    assert ours.diagnostics.converged
    assert_same_law(ours.draws.delta(), theirs.draws.delta())
    for k in (0, 1):
        assert_same_law(ours.draws.psi[k], theirs.draws.psi[k])


@pytest.mark.parametrize(("data", "draws"), [("small", 4_000), ("four", 4_000), ("twenty", 1_000)])
def test_perfect_draws_of_eta_are_exact_draws_of_metrics(data, draws, monkeypatch, silent):
    """Given eta the rows are drawn by the exact engine; that it knows eta's posterior is tested elsewhere."""
    posteriors = [Icdm2015().fit(table) for table in single(DATA[data]())]

    def run_chains(program, sampler, draws, seed, cores=1):
        rng, size = np.random.default_rng(seed), (sampler.n_chains, sampler.per_chain(draws))
        mu = np.stack([rng.dirichlet(one.mu, size) for one in posteriors], axis=2)
        eta = np.stack([one.eta.quantile(rng.random(size)) for one in posteriors], axis=2)
        return as_sampled(program.model, {"mu": mu, "eta": eta})

    monkeypatch.setattr(chains, "run_chains", run_chains)
    ours, theirs = (  # rankings, which take no draws of the prior
        rw.rank(DATA[data](), metric="macro_f1", model=Icdm2015(), engine=engine, draws=draws, rng=seed)
        for seed, engine in ((1, NUTS), (2, "exact"))
    )
    assert_same_law(ours.draws.delta(0, 1), theirs.draws.delta(0, 1))
    assert_same_law(ours.draws.psi[0], theirs.draws.psi[0])


@pytest.mark.parametrize("name", ["cost", "prevalence", "classes", "accuracy", "recall", "missing"])
def test_whatever_is_asked_is_asked_of_the_same_tables(name, ideal, silent, frugal):
    how = {
        "cost": {"metric": "cost", "cost_matrix": [[0, 1, 2, 3], [1, 0, 1, 1], [5, 1, 0, 1], [2, 2, 2, 0]]},
        "prevalence": {"metric": "macro_f1", "prevalence": [0.4, 0.3, 0.2, 0.1]},
        "classes": {"metric": "macro_f1", "classes": [1, 3]},
        "accuracy": {"metric": "accuracy"},
        "recall": {"metric": "recall", "pos_label": 2, "prevalence": 0.5},
    }
    data = [four()]
    if name == "missing":  # an empty answer is a label that is never true
        truth = ["a", "b", "c"] * 20
        data = [truth, [None if i % 7 == 0 else one for i, one in enumerate(truth)], ["a"] * 5 + truth[:55]]
        how[name] = {"missing": "wrong", "metric": "macro_f1"}
    ours, theirs = (
        rw.compare(*data, model="tree", engine=engine, draws=8_000, rng=seed, **how[name])
        for seed, engine in ((1, ideal), (2, "exact"))
    )
    assert ours.delta.observed == theirs.delta.observed
    assert_same_law(ours.draws.delta(), theirs.draws.delta())
    assert_same_law(ours.draws.psi[0], theirs.draws.psi[0])


@pytest.mark.parametrize(("model", "shape"), [("tree", 1 / 4), ("paired", 1 / 2), ("sigir2016", 1.0)])
def test_without_items_the_chains_draw_the_prior(model, shape, ideal, rng):
    prior = Sigir2016() if model == "sigir2016" else Tree(kappa=4 * shape)  # recall is a metric of one class
    density, found = Density(prior, [rw.Outcomes.empty([0, 1], ["A", "B"])]), []
    for _ in range(5):
        mu, theta = shares(rng, 2), shares(rng, 2, 4)
        found.append(density(mu=mu, theta=theta) - log_dirichlet(mu, 1.0) - log_dirichlet(theta, shape))
    assert_constant(found)
    how = {"metric": "recall", "model": model, "engine": ideal, "draws": 8_000, "rng": 1}
    with pytest.warns(rw.errors.DegenerateDataWarning, match="this is the prior"):
        drawn = rw.compare([], [], [], labels=[0, 1], pos_label=1, **how)
    assert drawn.delta.observed is None
    # Of A: two of four shares.
    assert_same_law(drawn.draws.psi[0], np.random.default_rng(2).beta(2 * shape, 2 * shape, 8_000))


@pytest.mark.parametrize("model", ["flat", "tree", Tree(paired=False)], ids=["flat", "tree", "unpaired"])
def test_what_can_never_be_true_has_no_class_of_its_own(model, ideal, silent):
    truth = ["a", "b", "c"] * 20
    said = [None if i % 7 == 0 else one for i, one in enumerate(truth)]
    ours, theirs = (
        rw.compare(
            truth, said, truth[1:] + truth[:1], missing="wrong", model=model, engine=engine, draws=8_000, rng=seed
        )
        for seed, engine in ((1, ideal), (2, "exact"))
    )
    assert ours.chains.parameters["mu"].shape[-1] == 3
    assert_same_law(ours.draws.psi[0], theirs.draws.psi[0])


def test_an_evaluation_samples_once_for_all_its_metrics(monkeypatch, silent):
    runs = []

    def counted(*asked):
        runs.append(asked)
        return perfect(*asked)

    monkeypatch.setattr(chains, "run_chains", counted)
    metrics = ["accuracy", "macro_f1", "balanced_accuracy"]
    how = {"metric": metrics, "draws": 8_000, "at_least": 0.7, "rope": 0.01}
    found = rw.evaluate(four(), "A", engine=NUTS, rng=1, **how)
    assert len(runs) == 1
    exact = rw.evaluate(four(), "A", model="tree", rng=2, **how)
    for name in metrics:
        assert found[name].chains is found["accuracy"].chains
        assert found[name].diagnostics.converged
        assert found[name].decision.symbol == exact[name].decision.symbol
        assert_same_law(found[name].draws.psi[0], exact[name].draws.psi[0])


def test_three_classifiers_are_ranked_by_one_table_of_all(ideal, silent):
    table = rw.examples.news20().outcomes.project(["nb_bern", "nb_mult", "svm_l2"]).collapse(8).relabel([0, 1])
    ours, theirs = (
        rw.rank(table, engine=engine, draws=8_000, rng=seed, rope=0.02) for seed, engine in ((1, ideal), (2, "exact"))
    )
    assert ours.diagnostics.converged
    for i, j in ((0, 1), (0, 2), (1, 2)):
        assert_same_law(ours.draws.delta(i, j), theirs.draws.delta(i, j))
    for name, chance in theirs.p_best.items():
        assert ours.p_best[name] == pytest.approx(chance, abs=4 * np.sqrt(2 * 0.25 / 8_000))
    assert [pair.decision.symbol for pair in ours.pairwise] == [pair.decision.symbol for pair in theirs.pairwise]


def test_every_class_against_the_rest_is_a_chain_of_its_own(ideal, silent):
    ours = rw.compare_classes(three(), engine=ideal, draws=8_000, rng=1)
    theirs = rw.compare_classes(three(), draws=8_000, rng=2)
    assert len(ours) == 3
    for one, other in zip(ours, theirs, strict=True):
        assert one.pos_label == other.pos_label
        assert one.to_dict()["engine"] == "pymc"
        assert_same_law(one.draws.delta(), other.draws.delta())


def test_hostile_labels_and_names_are_coordinates_like_any_other(ideal, silent):
    labels = ["chain", "draw\n\x00'\"", "__sample__", "\ud800", "😀" * 500]
    truth = labels * 12
    said = [truth[(i * 7) % 60] if i % 3 == 0 else one for i, one in enumerate(truth)]
    found = rw.compare(truth, said, truth[5:] + truth[:5], names=["class", "<b>\u202e"], engine=ideal, draws=500, rng=0)
    said = {label.replace("\ud800", "\\ud800") for label in labels}  # no UTF-8 can hold it
    assert set(found.chains.sampled.coords["class"]) == said
    assert len(found.chains.sampled.coords["outcome"]) == 5
    json.loads(found.to_json())
    assert "class" in str(found)


# -- PyMC samples what it is given ---------------------------------------------------------------------------


def warned(ask_for):
    """Return a result and what was said of its convergence, whatever else there was to say."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = ask_for()
    return result, [one for one in caught if one.category is ConvergenceWarning]


@cache
def nuts_run():
    """Return an answer that NUTS sampled, for all that look at one."""
    return ask("large", "paired", engine=SHORT, draws=1_000, rng=1, rope=0.05)


def test_chains_agree_with_the_exact_engine():
    found = nuts_run()
    assert found.diagnostics.converged, found.diagnostics
    assert len(found.draws) == found.diagnostics.draws == 1_000
    assert_agrees(found, "large", "paired")


def test_the_error_of_a_mean_is_its_spread_over_the_root_of_its_effective_sample_size():
    found = nuts_run()
    for estimate, draws in ((found.delta, found.draws.delta()), (found.estimate_a, found.draws.psi[0])):
        expected = draws.std(ddof=1) / np.sqrt(effective(draws.reshape(2, -1)))
        assert estimate.mc_error == pytest.approx(expected, rel=1e-12)
        assert estimate.std == pytest.approx(draws.std(ddof=1), rel=1e-12)


@cache
def metropolis_run(form="counts"):
    """Return a short answer by the papers' sampler, and the warnings about its convergence."""
    engine = Sampler(step="metropolis", form=form)
    return warned(lambda: rw.compare(small(), metric="f1", rope=0.05, engine=engine, draws=30, rng=0))


def test_items_one_by_one_take_the_same_steps_as_their_counts():
    """The log densities differ by a constant, so Metropolis accepts the same proposals."""
    counts, items = (metropolis_run(form)[0].chains.parameters for form in ("counts", "items"))
    assert counts.keys() == items.keys()
    for name, array in counts.items():
        assert items[name] == pytest.approx(array, rel=1e-9)


def test_what_pymc_sampled_has_a_page_and_a_file(tmp_path):
    """Elsewhere pages and files are tested with perfect chains, which have what these have."""
    found, pymc = nuts_run(), need("pymc")
    assert f"NUTS by PyMC {pymc.__version__}" in found.to_html()
    assert found.to_arviz()["sample_stats"]["diverging"].shape == (2, 500)
    ideal = perfect(found.chains.program, SHORT, 1_000, seed=0)
    assert found.chains.sampled.dims == ideal.dims
    assert found.chains.sampled.coords == ideal.coords
    assert {name: array.shape for name, array in found.chains.parameters.items()} == {
        name: array.shape for name, array in ideal.parameters.items()
    }
    assert set(ideal.stats) <= set(found.chains.sampled.stats)
    found.to_netcdf(tmp_path / "r.nc")
    again = rw.from_netcdf(tmp_path / "r.nc")
    assert again.to_json() == found.to_json()
    assert np.array_equal(again.chains.parameters["theta"], found.chains.parameters["theta"])


# -- seeds, draws, chains ------------------------------------------------------------------------------------


@cache
def coin():
    """Return the smallest program there is, for what PyMC does alike with all."""
    with need("pymc").Model() as model:
        need("pymc").Beta("p", 2, 3)
    return Program(model, tables=None)


def toss(seed=0, draws=60, n_chains=None, tune=None, step="metropolis", cores=1, progress=False):  # noqa: FBT002 - as in the calls
    """Return chains of a coin, (chains, draws)."""
    sampler = Sampler(step=step, backend="pymc", n_chains=n_chains, tune=tune)
    with shown(progress):
        return run_chains(coin(), sampler, draws, seed, cores).parameters["p"]


def test_the_same_seed_gives_the_same_chains_and_says_nothing(capfd):
    assert np.array_equal(toss(), toss())
    assert capfd.readouterr() == ("", "")
    assert not np.array_equal(toss(), toss(seed=1))


def test_cores_do_not_change_the_chains():
    one, two = (toss(n_chains=2, tune=30, step="nuts", cores=cores) for cores in (1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(*one)  # nor is one chain the other


def test_the_number_of_draws_is_that_of_all_chains_together():
    assert toss(draws=30).shape == (1, 30)
    assert toss(draws=30, n_chains=3).shape == (3, 10)
    assert Sampler().per_chain(10_000) == Sampler().per_chain("auto") == 2_500
    assert Sampler(step="metropolis").per_chain("auto") == 50_000
    assert Sampler(n_chains=4).per_chain(10) == 3  # a chain more rather than a draw less


def test_what_is_asked_of_an_answer_is_asked_of_its_chains(monkeypatch):
    def watch(*run):
        return None

    def spy(program, sampler, draws, seed, cores):
        assert (sampler.n_chains, sampler.tune, draws, seed, cores, current()) == (3, 7, 900, 5, 2, watch)
        return perfect(program, sampler, draws, seed)

    monkeypatch.setattr(chains, "run_chains", spy)
    engine = Sampler(backend="pymc", n_chains=3, tune=7)
    found = ask("small", "paired", engine=engine, draws=900, rng=5, threads=2, progress=watch)
    assert found.chains.shape == (3, 300)
    assert found.draws.chains == 3


# -- quiet ---------------------------------------------------------------------------------------------------


def test_progress_counts_the_steps_of_all_chains():
    told = []
    toss(draws=20, n_chains=2, tune=5, progress=lambda done, total: told.append((done, total)))
    assert told == [(i, 30) for i in range(1, 31)]


def test_progress_is_shown_where_it_is_asked_for(capfd):
    toss(draws=10, progress=True)
    out, err = capfd.readouterr()
    assert not out
    assert "Steps of Markov chains: 10 of 10, done" in err


def test_progress_is_shown_without_a_terminal_too_where_it_takes_long(capfd, monkeypatch):
    monkeypatch.setattr(_progress, "SECONDS_BETWEEN_LINES", 0.0)
    toss(draws=10, progress=None)
    assert "Steps of Markov chains: 10 of 10, done" in capfd.readouterr().err


def test_too_few_draws_are_said_to_be_so_and_by_us_alone(capfd):
    found = ask("small", "paired", engine=QUICK, draws=3, rng=0, progress=False)
    assert capfd.readouterr() == ("", "")
    assert not found.diagnostics.converged
    assert found.to_dict()["diagnostics"]["rhat"] is None


def test_the_exact_engine_never_imports_pymc():
    heavy = ["pymc", "pytensor", "arviz", "xarray", "nutpie", "preliz"]
    code = (
        "import sys, ropewalk as rw; r = rw.compare([1, 0] * 50, [1, 0] * 50, [1, 1] * 50, rope=.1, rng=0, draws=1000);"
        f"rw.Sampler(); str(r); r.to_json(); print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_said_on_import_is_kept_off_the_screen(tmp_path, monkeypatch):
    """ArviZ, which PyMC imports, announces its next version once a day."""
    (tmp_path / "pymc.py").write_text("import warnings; warnings.warn('Here is ArviZ 2', FutureWarning)")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pymc")
    assert load_pymc().__file__ == str(tmp_path / "pymc.py")


@pytest.mark.slow
def test_the_first_import_of_a_day_warns_nobody(tmp_path):
    """ArviZ announces its next version on import, once a day; its stamp is in the user's cache."""
    code = "from ropewalk.mcmc.programs import load_pymc; load_pymc(); print('fine')"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False,
        env={"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout.strip() == "fine", done.stderr


@pytest.mark.parametrize(
    ("n_chains", "tune", "at", "cores"),
    [
        (1, 0, 50, 1),
        (1, 40, 20, 1),
        (3, 0, 90, 1),
        (2, 40, 90, 2),
    ],
    ids=["only chain", "tuning", "second of three", "two cores"],
)
def test_an_interrupt_is_no_wish_for_fewer_draws(n_chains, tune, at, cores):
    """PyMC takes it for one: it would return what it has, or go on with the next chain."""
    told = []

    def interrupt(done, total):
        told.append(done)
        if done == at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        toss(draws=60 * n_chains, n_chains=n_chains, tune=tune, cores=cores, progress=interrupt)
    assert told == list(range(1, at + 1))


def test_an_interrupt_between_the_steps_is_seen_too(monkeypatch):
    """A signal may arrive anywhere in PyMC, which then sees to the next chain."""
    pm = need("pymc")
    step, steps = pm.Metropolis.astep, []

    def interrupted(self, *state):
        steps.append(state)
        if len(steps) == 50:
            raise KeyboardInterrupt
        return step(self, *state)

    monkeypatch.setattr(pm.Metropolis, "astep", interrupted)
    for n_chains in (1, 3):
        steps.clear()
        with pytest.raises(KeyboardInterrupt):
            toss(draws=100 * n_chains, n_chains=n_chains)
        assert len(steps) <= 51  # one more, until it is noticed


# -- what is missing -----------------------------------------------------------------------------------------


def test_without_pymc_the_line_that_installs_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymc", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'ropewalk\[mcmc\]'"):
        rw.compare(small(), engine="pymc", rng=0)
    assert rw.compare(large(), draws=100, rng=0).to_dict()["engine"] == "exact"


def test_without_nutpie_auto_takes_pymc(monkeypatch):
    from ropewalk.mcmc.running import _backend

    monkeypatch.setitem(sys.modules, "nutpie", None)
    assert _backend(Sampler()) == "pymc"
    with pytest.raises(MissingDependencyError, match="nutpie"):
        rw.compare(small(), engine=Sampler(backend="nutpie"), rng=0)


@pytest.fixture
def predictions(tmp_path, write):
    rows = [[j, a, b] for (j, a, b), n in np.ndenumerate(cells(small()).astype(int)) for _ in range(n)]
    return write(tmp_path / "p.csv", [["y", "A", "B"], *rows])


COLUMNS = ("--truth", "y", "--a", "A", "--b", "B", "--pos-label", "1")


def test_the_command_line_without_pymc_exits_5_and_says_what_to_install(run, predictions, monkeypatch):
    monkeypatch.setitem(sys.modules, "pymc", None)
    code, out, err = run("compare", predictions, *COLUMNS, "--engine", "pymc", "--seed", 0)
    assert (code, out) == (5, "")
    assert "pip install 'ropewalk[mcmc]'" in err


def test_the_command_line_samples_and_warns(run, predictions):
    code, out, err = run(
        "compare", predictions, *COLUMNS, "--engine", "pymc", "--step", "metropolis", "--draws", 30, "--seed", 0,
        "--rope", 0.05, "--json",
    )  # fmt: skip
    assert code == 0
    told = json.loads(out)
    assert (told["engine"], told["draws"], told["decision"]) == ("pymc", 30, None)
    assert told["delta"]["mean"] == metropolis_run("counts")[0].mean
    assert told["diagnostics"] == metropolis_run("counts")[0].diagnostics.to_dict()
    assert "have not converged" in err


@pytest.mark.parametrize(
    ("options", "code"), [(("--engine", "exact", "--chains", 2), 2), (("--engine", "stan"), 2), (("--step", "hmc"), 2)]
)
def test_the_command_line_refuses_what_makes_no_sense(options, code, run, predictions):
    found, out, err = run("compare", predictions, *COLUMNS, *options)
    assert (found, out) == (code, "")
    assert err


# -- diagnostics ---------------------------------------------------------------------------------------------


def autoregressive(rng, shape, memory=0.6):
    """Return chains (chains, draws, …) that remember their last state."""
    found = rng.standard_normal(shape)
    for i in range(1, shape[1]):
        found[:, i] = memory * found[:, i - 1] + np.sqrt(1 - memory**2) * found[:, i]
    return found


def judged(parameters, asked, n_chains=4, **how):
    return diagnose(parameters, asked, how.pop("stats", {}), Sampler(n_chains=n_chains), "test")


def test_diagnostics_are_those_of_arviz(rng):
    az = arviz()
    parameters = {"mu": autoregressive(rng, (4, 500, 3)), "theta": autoregressive(rng, (4, 500, 2, 2))}
    asked = {"A": autoregressive(rng, (4, 500), 0.9), "B": autoregressive(rng, (4, 500))}
    found = judged(parameters, asked)
    measured = {name: float(az.rhat(array)) for name, array in asked.items()}
    assert (found.rhat, found.rhat_of) == (pytest.approx(max(measured.values()), rel=1e-12), "A")
    for kind in ("bulk", "tail"):
        expected = {name: float(measure) for name, measure in az.ess(az.convert_to_dataset(asked), method=kind).items()}
        assert getattr(found, f"ess_{kind}") == pytest.approx(min(expected.values()), rel=1e-12)
        assert getattr(found, f"ess_{kind}_of") == "A"
    # Of parameters there are many, and the limit is higher: beside it theirs is no worse.
    shifted = {**parameters, "mu": parameters["mu"] + np.arange(4)[:, None, None] * [0, 0, 0.5]}
    found = judged(shifted, {"B": asked["B"]})
    expected = float(az.rhat(az.convert_to_dataset({"x": shifted["mu"]}))["x"].max())
    assert (found.rhat, found.rhat_of, found.rhat_limit) == (pytest.approx(expected, rel=1e-12), "mu", 1.05)
    assert not found.converged


def test_a_single_chain_is_judged_by_its_quarters(rng):
    az = arviz()
    chain = autoregressive(rng, (1, 1_003), 0.9)
    found = judged({"mu": chain}, {"A": chain}, n_chains=1)
    quarters = chain[:, :1_000].reshape(4, 250)
    assert found.rhat == pytest.approx(float(az.rhat(quarters)), rel=1e-12)
    assert found.ess_bulk == pytest.approx(float(az.ess(quarters, method="bulk")), rel=1e-12)


@pytest.mark.parametrize("n_chains", [1, 4])
def test_a_chain_that_drifts_has_not_converged(n_chains, rng):
    drift = np.cumsum(rng.standard_normal((n_chains, 2_000)), axis=1)
    found = judged({"mu": drift}, {"A": rng.standard_normal((n_chains, 2_000))}, n_chains)
    assert (found.rhat_of, found.converged) == ("mu", False)
    assert found.rhat > 1.1
    found = judged({"mu": rng.standard_normal((n_chains, 2_000))}, {"A": drift}, n_chains)
    assert (found.rhat_of, found.ess_bulk_of, found.ess_tail_of) == ("A", "A", "A")
    assert found.ess_bulk < 100
    assert any("tune and draw longer" in problem for problem in found.problems)
    assert any("take more draws" in problem for problem in found.problems)


def test_a_parameter_that_never_moves_has_not_converged(rng):
    """A Metropolis chain that accepts no step at all would otherwise look perfect."""
    stuck = rng.random((4, 500, 3))
    stuck[..., 1] = 0.25
    found = judged({"mu": rng.random((4, 500)), "theta": stuck}, {"A": rng.random((4, 500))})
    assert (found.rhat_of, found.converged) == ("theta", False)
    assert found.to_dict()["rhat"] is None
    assert any("never moved" in problem for problem in found.problems)


def test_what_was_asked_for_may_be_certain(rng):
    """A recall that is 1 in every draw, or a difference that is 0, is an answer; so is the share of an only class."""
    parameters = {"mu": np.ones((4, 500, 1)), "theta": rng.random((4, 500, 2))}
    found = judged(parameters, {"A": np.zeros((4, 500)), "B": rng.random((4, 500))})
    assert found.converged, found


def test_divergences_are_counted_and_cured(rng):
    stats_ = {"diverging": np.arange(2_000).reshape(4, 500) % 100 == 0, "acceptance_rate": np.full((4, 500), 0.7)}
    found = judged({"mu": rng.random((4, 500))}, {"A": rng.random((4, 500))}, stats=stats_)
    assert (found.divergences, found.acceptance, found.converged) == (20, pytest.approx(0.7), False)
    assert "20 of 2,000 draws diverged" in found.problems[0]
    assert "target_accept" in found.problems[0]


def test_diagnostics_never_write_nan():
    bad = Diagnostics(
        engine="e", step="nuts", chains=4, draws=4, tune=0, rhat=np.inf, rhat_of="mu", rhat_limit=1.05, ess_bulk=np.nan,
        ess_bulk_of="A", ess_tail=0.0, ess_tail_of="A", divergences=0, acceptance=None,
    )  # fmt: skip
    told = json.loads(json.dumps(bad.to_dict(), allow_nan=False))
    assert (told["rhat"], told["ess_bulk"], told["converged"]) == (None, None, False)
    assert len(told["problems"]) == 3


def test_the_acceptance_of_metropolis_is_how_often_its_parameters_moved():
    found, _ = metropolis_run("counts")
    theta = found.chains.parameters["theta"][0]
    mu = found.chains.parameters["mu"][0]
    moved = [np.mean(np.any(np.diff(array, axis=0) != 0, axis=tuple(range(1, array.ndim)))) for array in (mu, theta)]
    assert min(moved) / 7 < found.diagnostics.acceptance < max(moved)


# -- what has not converged is no conclusion -----------------------------------------------------------------


def drifting(program, sampler, draws, seed, cores=1):
    """Stand in for a sampler whose chains wander off: from the posterior to another one, ever further."""
    found = perfect(program, sampler, draws, seed)
    far = np.linspace(0, 1, found.parameters["mu"].shape[1])[:, None]
    mu = found.parameters["mu"] * (1 - far) + far * [0.9, 0.1]
    return as_sampled(program.model, {**found.parameters, "mu": mu})


def assert_refused(result):
    assert result.recipe.rope is not None
    assert (result.conclusive, result.decision, result.rope_path) == (False, None, None)
    told = json.loads(result.to_json())
    assert (told["decision"], told["diagnostics"]["converged"]) == (None, False)
    # The draws may be of something else, so their shares about the ROPE are no probabilities; what was asked stays.
    assert (result.regions, told["regions"], result.stakes) == (None, None, None)
    assert told["rope"] == [result.recipe.rope.low, result.recipe.rope.high]
    assert told["diagnostics"]["problems"]
    assert any("have not converged" in warning for warning in told["warnings"])
    assert "have not converged" in " ".join(str(result).split())
    assert "no verdict" in repr(result)


def test_chains_that_drift_give_no_verdict(monkeypatch):
    monkeypatch.setattr(chains, "run_chains", drifting)
    how = {"metric": "f1", "rope": 0.1, "draws": 4_000, "rng": 0}
    found, (said,) = warned(lambda: rw.compare(large(), engine=NUTS, **how))
    assert said.filename == __file__
    assert "tune and draw longer" in str(said.message)
    assert_refused(found)
    assert rw.compare(large(), **how).conclusive


def test_rank_and_evaluate_give_none_either(monkeypatch):
    monkeypatch.setattr(chains, "run_chains", drifting)
    how = {"metric": "f1", "rope": 0.1, "engine": NUTS, "draws": 4_000, "rng": 0}
    ranked, said = warned(lambda: rw.rank(large(), **how))
    assert len(said) == 1
    assert [(pair.decision, pair.contrast.regions) for pair in ranked.pairwise] == [(None, None)]
    assert not ranked.to_dict()["diagnostics"]["converged"]
    scored, said = warned(lambda: rw.evaluate(large(), "nb_mult", at_least=0.5, **how))
    assert len(said) == 1
    assert (scored["f1"].decision, scored["f1"].regions, scored["f1"].rope_path) == (None, None, None)
    assert not scored.to_dict()["diagnostics"]["converged"]


def test_a_short_run_of_metropolis_gives_no_verdict():
    found, (said,) = metropolis_run("counts")
    assert "take more draws" in str(said.message)
    assert_refused(found)


def test_divergences_give_no_verdict(monkeypatch):
    def diverging(program, sampler, draws, seed, cores=1):
        sampled = perfect(program, sampler, draws, seed)
        sampled.stats["diverging"][1, 5:12] = True
        return sampled

    monkeypatch.setattr(chains, "run_chains", diverging)
    found, (said,) = warned(lambda: rw.compare(large(), metric="f1", engine=NUTS, draws=4_000, rng=0, rope=0.05))
    assert "7 of 4,000 draws diverged: raise target_accept" in str(said.message)
    assert found.diagnostics.divergences == 7
    assert_refused(found)


def test_a_chain_without_a_single_step_gives_no_verdict():
    """Two billion items: of thirty steps of Metropolis's size none is accepted, and it starts at the mode."""
    many = two_labels([250_000_000] * 4, [250_000_000] * 4)
    found, (said,) = warned(lambda: rw.compare(many, metric="f1", rope=0.01, engine=QUICK, draws=30, rng=0))
    assert "never moved" in str(said.message)
    assert found.std == 0
    assert_refused(found)


def test_counts_beyond_32_bits_are_refused_by_name():
    """PyMC keeps what was observed in 32 bits, and lets larger numbers wrap."""
    many = two_labels([10**9] * 4, [10**9] * 4)
    with pytest.raises(InvalidInputError, match="up to 2,147,483,647 items; got 8,000,000,000"):
        rw.compare(many, metric="f1", engine="pymc", rng=0)


# -- what is asked wrongly -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({"step": "gibbs"}, "Unknown step 'gibbs'"),
        ({"backend": "stan"}, "Unknown backend 'stan'"),
        ({"form": "rows"}, "Unknown form 'rows'"),
        ({"n_chains": 0}, "`n_chains` must be a whole number from 1 to 1,000; got 0"),
        ({"n_chains": True}, "`n_chains` must be a whole number"),
        ({"n_chains": 1_001}, "from 1 to 1,000; got 1001"),
        ({"tune": -1}, "`tune` must be a whole number from 0"),
        ({"tune": 1.5}, "`tune` must be a whole number"),
        ({"target_accept": 1}, "`target_accept` must lie between 0 and 1; got 1"),
        ({"target_accept": "high"}, "`target_accept` must lie between 0 and 1"),
    ],
)
def test_a_sampler_that_makes_no_sense_is_refused(said, match):
    with pytest.raises(InvalidInputError, match=match):
        Sampler(**said)


def test_samplers_have_the_papers_settings_unless_said_otherwise():
    assert (Sampler().step, Sampler().n_chains, Sampler().tune) == ("nuts", 4, 1_000)
    papers = Sampler(step="metropolis")
    assert (papers.n_chains, papers.tune) == (1, 0)
    assert parse_engine("pymc", step="metropolis") == papers
    assert parse_engine("auto", n_chains=2) == Sampler(n_chains=2)
    assert parse_engine(Sampler(target_accept=0.8), tune=50) == Sampler(target_accept=0.8, tune=50)
    assert parse_engine("auto") == "auto"


@pytest.mark.parametrize("option", [{"step": "nuts"}, {"n_chains": 2}, {"tune": 10}], ids=["step", "n_chains", "tune"])
def test_the_exact_engine_has_nothing_to_set(option):
    with pytest.raises(InvalidInputError, match=f"`{next(iter(option))}` is about Markov chains"):
        parse_engine("exact", **option)


def test_an_engine_that_does_not_exist_is_refused():
    with pytest.raises(UnknownNameError, match="exact, pymc"):
        rw.compare(small(), metric="f1", engine="stan")


@pytest.mark.parametrize("clustered", [False, True], ids=["items", "clusters"])
@pytest.mark.parametrize("model", ["bootstrap", Bootstrap()], ids=["name", "object"])
def test_the_bootstrap_is_not_for_chains(model, clustered):
    truth, ids = [0, 1] * 20, list(range(20)) * 2 if clustered else None
    with pytest.raises(InvalidInputError, match="bootstrap has no prior"):
        rw.compare(truth, truth, truth[::-1], engine="pymc", cluster=ids, model=model)


def test_clusters_are_not_for_chains():
    truth = [0, 1] * 20
    with pytest.raises(InvalidInputError, match="'items' has no form for PyMC"):
        rw.compare(truth, truth, truth[::-1], engine="pymc", cluster=list(range(20)) * 2)


@pytest.mark.parametrize(
    ("model", "instead"),
    [("paired", 'model="tree"'), ("unpaired", "models.Tree(paired=False)"), (LearnedTree(), 'model="tree"')],
    ids=["paired", "unpaired", "object"],
)
def test_masses_that_are_learned_are_not_for_chains(model, instead):
    with pytest.raises(InvalidInputError, match="paired' has no form for PyMC") as caught:
        rw.compare(three(), metric="macro_f1", model=model, engine="pymc")
    assert f"use {instead}, whose masses are fixed" in str(caught.value)


def test_where_nothing_is_learned_chains_sample_the_tree():
    learned, fixed = (layout_of(model, [small()]) for model in (LearnedTree(), Tree()))
    assert (learned.prior == fixed.prior).all()
    assert (learned.counts == fixed.counts).all()


@pytest.mark.parametrize(
    ("data", "model"), [("small", Tree()), ("four", Tree()), ("any_of", Multilabel())], ids=["two", "many", "any of"]
)
def test_where_no_model_is_named_chains_take_the_tree(data, model, ideal):
    ours = ask(data, None, engine=ideal, draws=2_000, rng=1)
    assert ours.recipe.model == model
    assert_same_law(ours.draws.delta(), ask(data, model, engine="exact", draws=2_000, rng=2).draws.delta())


def test_micro_averages_of_many_labels_are_for_chains_too_but_not_by_the_bootstrap(ideal):
    ours, theirs = (
        rw.compare(any_of(), metric="micro_f1", model=model, engine=engine, draws=2_000, rng=seed)
        for model, engine, seed in ((None, ideal, 1), (Multilabel(), "exact", 2))
    )
    assert_same_law(ours.draws.delta(), theirs.draws.delta())
    with pytest.raises(InvalidInputError, match="bootstrap has no prior") as caught:
        rw.compare(any_of(), metric="micro_f1", model="bootstrap", engine="pymc")
    assert "name a model=" in caught.value.hint


def test_scores_have_no_engine():
    with pytest.raises(InvalidInputError, match="`engine` is about labels, and 'roc_auc' about scores"):
        rw.compare([0, 1] * 10, np.arange(20), np.arange(20)[::-1], metric="roc_auc", engine="pymc")


def test_a_single_label_leaves_nothing_to_sample():
    with pytest.raises(InvalidInputError, match="only one label") as error:
        rw.compare(["a"] * 5, ["a"] * 5, ["a"] * 5, metric="accuracy", engine="pymc")
    assert "labels=" in error.value.hint


def test_too_many_classifiers_are_refused_by_number():
    truth = list(range(3)) * 5
    with pytest.raises(InvalidInputError, match="up to 4 classifiers of one table at once; got 5"):
        rw.rank(truth, *[truth] * 5, engine="pymc")
    with pytest.raises(InvalidInputError, match="up to 6 classifiers of one table at once; got 7"):
        rw.rank([0, 1] * 5, *[[0, 1] * 5] * 7, engine="pymc")


# -- the result ----------------------------------------------------------------------------------------------


def test_a_result_says_how_it_was_drawn(ideal, silent):
    found = ask("small", "paired", engine=ideal, draws=2_000, rng=1, rope=0.05)
    told = found.to_dict()
    assert (told["engine"], told["draws"], told["seed"]) == ("pymc", 2_000, 1)
    assert set(told["diagnostics"]) == {
        "engine", "step", "chains", "draws", "tune", "rhat", "rhat_of", "rhat_limit", "ess_bulk", "ess_bulk_of",
        "ess_tail", "ess_tail_of", "divergences", "acceptance", "converged", "problems",
    }  # fmt: skip
    exact = ask("small", "paired", draws=2_000, rng=1).to_dict()
    assert (exact["engine"], exact["diagnostics"]) == ("exact", None)
    assert list(exact) == list(told)


def test_the_papers_sampler_has_the_papers_bayes_factor(ideal):
    """Savage-Dickey takes 50,000 draws: the papers' chain has them, a shorter one has no such factor."""
    long, short = (ask("large", "sigir2016", engine=ideal, draws=draws, rng=1) for draws in (50_000, 4_000))
    exact = ask("large", "sigir2016", draws=50_000, rng=2)
    # A density at a point by 50,000 draws, at Scott's bandwidth: well within a tenth.
    assert long.bayes_factor.sd == pytest.approx(exact.bayes_factor.sd, rel=0.1)
    assert short.bayes_factor.sd is None
    assert "50,000 draws" in short.bayes_factor.reason


def test_types_are_said_in_words():
    assert [type_text(pattern, ["A", "B"]) for pattern in ([0, 0], [0, 1], [1, 0])] == [
        "all right",
        "A right",
        "B right",
    ]


def test_results_of_chains_can_be_copied(ideal):
    found = ask("small", "paired", engine=ideal, draws=2_000, rng=1)
    assert copy.deepcopy(found).to_dict() == found.to_dict()


def test_results_of_chains_can_be_pickled(ideal):
    found = ask("small", "paired", engine=ideal, draws=2_000, rng=1)
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()


def test_other_priors_are_sampled_anew(ideal, silent):
    """What was drawn under one prior says nothing about another."""
    ours = ask("small", "paired", engine=ideal, draws=8_000, rng=1, rope=0.05).prior_sensitivity()
    theirs = ask("small", "paired", draws=8_000, rng=2, rope=0.05).prior_sensitivity()
    for (which, one), (other, exact) in zip(ours.rows, theirs.rows, strict=True):
        assert which == other
        assert_same_law(one.draws.delta(), exact.draws.delta())


def test_a_home_that_cannot_be_written_is_a_sentence(monkeypatch):
    """PyTensor makes a folder there when it is imported."""

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied", "/home/x/.pytensor")

    monkeypatch.setattr(programs, "require", refused)
    with pytest.raises(UnreadableFileError, match=r"PyMC has no folder .*denied") as caught:
        rw.compare([1, 0, 1], [1, 0, 0], [1, 1, 1], engine="pymc", draws=100)
    assert "base_compiledir" in caught.value.hint
