"""Exchange with ArviZ: what goes out belongs together, what comes back is the same, and anybody's draws are judged."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from hostile import hostile_names
from ropewalk.draws.intervals import hdi
from ropewalk.errors import (
    ConvergenceWarning,
    DataError,
    DegenerateDataWarning,
    FileFormatError,
    InvalidInputError,
    MissingDependencyError,
    UnknownNameError,
    UnreadableFileError,
)
from ropewalk.exchange import groups
from ropewalk.mcmc import chains
from ropewalk.results.foreign import ForeignComparison
from sampling import compiled_quickly, perfect
from support import need

with warnings.catch_warnings():  # ArviZ 0.23 announces ArviZ 1 when it is imported
    warnings.simplefilter("ignore")
    az, xr = need("arviz"), need("xarray")

NEW = int(az.__version__.partition(".")[0]) >= 1
CALM = rw.Sampler(backend="pymc")
HOSTILE = hostile_names("nul", "turned surrogate")
pytestmark = [
    pytest.mark.filterwarnings("ignore::ropewalk.errors.PriorDominanceWarning"),
    pytest.mark.usefixtures("frugal_throughout"),
]


class Inexact(rw.models.Sigir2016):
    """The papers' prior, as if it had no closed form."""

    exact = False


@pytest.fixture(scope="module")
def answer(table):
    return rw.compare(table, metric="f1", rope=0.05, draws=2_000, rng=0)


@pytest.fixture(scope="module")
def out(answer):
    return answer.to_arviz()


@pytest.fixture(scope="module")
def written(answer, tmp_path_factory):
    """The file of the answer, not to be changed."""
    path = tmp_path_factory.mktemp("written") / "r.nc"
    answer.to_netcdf(path)
    return path


@pytest.fixture(scope="module")
def three():
    """Three classes, 300 items, two classifiers."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 300)
    said = [np.where(rng.random(300) < error, rng.integers(0, 3, 300), truth) for error in (0.2, 0.4)]
    return rw.Outcomes.from_arrays(truth, *said, names=["good", "bad"])


@pytest.fixture(scope="module")
def several():
    """Three labels, any number per item."""
    rng = np.random.default_rng(2)
    truth = (rng.random((200, 3)) < 0.4).astype(int)
    said = [np.where(rng.random(truth.shape) < error, 1 - truth, truth) for error in (0.1, 0.2)]
    return rw.MultilabelOutcomes.from_arrays(truth, *said, names=["good", "bad"], labels=["x", "y", "z"])


@pytest.fixture(autouse=True, scope="module")
def _pymc():
    with compiled_quickly():
        yield


@pytest.fixture(scope="module")
def chained(table):
    """An answer by chains that stand in for those of PyMC, which are written and read in mcmc/."""
    with mock.patch.object(chains, "run_chains", perfect):
        return rw.compare(table, metric="f1", rope=0.05, draws=2_000, rng=0, engine=CALM)


@pytest.fixture(scope="module")
def unusual(table):
    with mock.patch.object(chains, "run_chains", perfect):
        return rw.compare(table, metric="f1", rope=0.05, draws=2_000, rng=0, engine=CALM, model=Inexact())


@pytest.fixture(scope="module")
def weighted(table):
    """The papers' prior, with a prior of the difference itself on top: draws are made first and weighted then."""
    near = need("scipy.stats").norm(0, 0.01)
    model = rw.models.DeltaPrior(model=rw.models.Sigir2016(), delta=near)
    return rw.compare(table, metric="f1", rope=0.05, draws=2_000, rng=0, model=model)


@pytest.fixture(scope="module")
def scored(news):
    scores = news.scores_class8
    return rw.compare(
        scores["y_true"], scores["nb_mult"], scores["svm_l2"], metric="roc_auc", rope=0.01, draws=500, rng=0
    )


@pytest.fixture
def draws():
    """Two scores of four chains that have converged, as a vector over models."""
    rng = np.random.default_rng(3)
    return rng.normal([0.85, 0.80], 0.01, size=(4, 1_000, 2))


def groups_of(data):
    return {name.strip("/") for name in (data.children if NEW else data.groups())}


def as_arviz(**parts):
    """Return datasets as what the installed ArviZ works with."""
    return xr.DataTree.from_dict(parts) if NEW else az.InferenceData(**parts)


def dataset(coords=("new", "old"), **variables):
    return xr.Dataset(
        {name: (("chain", "draw", "model")[: np.ndim(x)], x) for name, x in variables.items()},
        coords={"model": list(coords)},
    )


# -- out ---------------------------------------------------------------------------------------------------


def test_the_object_is_the_one_that_the_installed_arviz_works_with(out):
    assert isinstance(out, xr.DataTree if NEW else az.InferenceData)
    assert groups_of(out) == {"posterior", "prior", "posterior_predictive", "observed_data"}


def test_axes_have_the_names_of_classifiers_and_classes(out, table):
    posterior = out["posterior"]
    assert posterior["psi"].dims == ("chain", "draw", "classifier")
    assert posterior["delta"].dims == ("chain", "draw")
    assert posterior["mu"].dims == ("chain", "draw", "class")
    assert posterior["recall"].dims == ("chain", "draw", "classifier", "class")
    assert posterior["psi"].coords["classifier"].values.tolist() == list(table.names)
    assert posterior["mu"].coords["class"].values.tolist() == ["0", "1"]


def test_the_draws_are_those_of_the_answer(out, answer):
    assert np.array_equal(out["posterior"]["psi"].values[0].T, answer.draws.psi)
    assert np.array_equal(out["posterior"]["delta"].values[0], answer.draws.delta())


def test_parameters_belong_to_the_draws_of_the_metric_by_the_formula_of_f1(out, answer):
    mu, recall = out["posterior"]["mu"].values[0], out["posterior"]["recall"].values[0]
    hits = mu[:, np.newaxis, 1] * recall[..., 1]
    false = mu[:, np.newaxis, 0] * (1 - recall[..., 0])
    f1 = 2 * hits / (mu[:, np.newaxis, 1] + hits + false)
    assert np.allclose(f1.T, answer.draws.psi, rtol=0, atol=1e-12)


@pytest.mark.parametrize("model", ["paired", "unpaired", "icdm2015", "flat", "pooled", "bootstrap"])
def test_accuracy_is_the_mean_recall_by_class_share(three, model):
    r = rw.compare(three, metric="accuracy", model=model, draws=700, rng=1)
    posterior = r.to_arviz()["posterior"]
    mean = (posterior["mu"] * posterior["recall"]).sum("class").transpose("chain", "draw", "classifier")
    assert np.allclose(mean.values[0].T, r.draws.psi, rtol=0, atol=1e-12)
    own = not r.recipe.model.paired
    assert posterior["mu"].dims == ("chain", "draw", *(["classifier"] if own else []), "class")


def test_labels_of_many_have_recalls_of_their_own(several):
    r = rw.compare(several, metric="macro_recall", draws=600, rng=1)
    posterior = r.to_arviz()["posterior"]
    assert posterior["recall"].dims == ("chain", "draw", "classifier", "label")
    assert np.allclose(posterior["recall"].mean("label").values[0].T, r.draws.psi, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("model", "shape"), [("paired", 1 / 4), ("sigir2016", 1)])
def test_the_prior_is_that_of_the_model(table, model, shape):
    """Under Dir(a, a, a, a) on the outcome pairs a recall is Beta(2a, 2a), and the share of a class uniform."""
    answer = rw.compare(table, metric="f1", rope=0.05, draws=1_000, rng=0, model=model)
    prior, variance = answer.to_arviz()["prior"], 1 / (4 * (4 * shape + 1))
    n = prior.sizes["draw"]
    assert n == 1_000
    recall, mu = prior["recall"].values[0], prior["mu"].values[0, :, 1]
    assert np.all(np.abs(recall.mean(axis=0) - 1 / 2) < 5 * math.sqrt(variance / n))
    assert np.all(np.abs(recall.var(axis=0) - variance) < 5 * variance * math.sqrt(2 / n))
    assert abs(mu.mean() - 1 / 2) < 5 * math.sqrt(1 / 12 / n)
    assert np.array_equal(prior["delta"].values[0], answer.prior_draws[:n])
    assert np.array_equal(prior["psi"].values[0, :, 0] - prior["psi"].values[0, :, 1], prior["delta"].values[0])


@pytest.mark.parametrize("model", ["bootstrap", rw.models.Tree(centre="pooled")], ids=["bootstrap", "pooled centre"])
def test_what_has_no_prior_has_no_group_of_it_and_says_why(three, model):
    found = rw.compare(three, model=model, draws=500, rng=0).to_arviz()
    assert "prior" not in groups_of(found)
    assert found.attrs["left_out"].startswith("prior: the ")


def test_replicates_have_as_many_items_and_the_class_shares_of_the_draws(out, table):
    predicted, posterior = out["posterior_predictive"], out["posterior"]
    confusion, sizes = predicted["confusion"], predicted["class_counts"].values[0]
    assert confusion.dims == ("chain", "draw", "classifier", "truth", "predicted")
    assert confusion.sizes["draw"] == 500
    assert (confusion.sum(("truth", "predicted")) == table.n_items).all()
    assert np.array_equal(confusion.sum("predicted").values[0, :, 0], sizes)
    mu = posterior["mu"].values[0, :500]
    error = np.sqrt((table.n_items * mu * (1 - mu)).sum(axis=0))  # of a sum of 500 independent binomials
    assert np.all(np.abs((sizes - table.n_items * mu).sum(axis=0)) < 5 * error)


def test_replicates_are_those_of_the_predictive_check(out, answer):
    checked = answer.predictive_check(draws=500).replicates
    assert np.array_equal(out["posterior_predictive"]["confusion"].values[0], checked)


def test_observed_data_are_the_counts(three):
    found = rw.compare(three, draws=500, rng=0).to_arviz()["observed_data"]
    assert found["confusion"].dims == ("classifier", "truth", "predicted")
    for i, name in enumerate(three.names):
        assert np.array_equal(found["confusion"].values[i], three.confusion(name))
    assert found["class_counts"].values.tolist() == three.confusion("good").sum(axis=1).tolist()


def test_attributes_say_what_was_asked_and_hold_the_answer(out, answer, table):
    told = out.attrs
    expected = {
        "inference_library": "ropewalk",
        "inference_library_version": rw.__version__,
        "metric": "f1",
        "higher_is_better": 1,
        "model": "paired",
        "rope": [-0.05, 0.05],
        "prob": 0.95,
        "rule": "hdi",
        "seed": 0,
        "data_hash": table.data_hash,
    }
    assert {name: told[name] for name in expected} == expected
    assert json.loads(told["ropewalk"]) == answer.to_dict()
    assert all(isinstance(value, str | int | float | list) for value in told.values())
    assert out["posterior"].attrs["metric"] == "f1"


def test_a_seed_beyond_64_bits_is_text(table):
    assert rw.compare(table, draws=100, rng=2**90).to_arviz().attrs["seed"] == str(2**90)


@pytest.mark.parametrize("draws", [1, 500])
def test_the_first_draws_alone(answer, draws):
    found = answer.to_arviz(draws=draws)
    assert found["posterior"].sizes["draw"] == draws
    assert np.array_equal(found["posterior"]["psi"].values[0].T, answer.draws.psi[:, :draws])
    whole = answer.to_arviz()["posterior"]["recall"].values[:, :draws]
    assert np.array_equal(found["posterior"]["recall"].values, whole)


@pytest.mark.parametrize("draws", [0, -1, 1.5, True, "all"])
def test_a_number_of_draws_that_is_none_is_refused(answer, draws):
    with pytest.raises(InvalidInputError, match="`draws`"):
        answer.to_arviz(draws=draws)


def test_parameters_that_take_too_much_memory_are_left_out_and_said(answer, monkeypatch):
    monkeypatch.setattr(groups, "_MAX_BYTES", 8 * 2_000 * 6 - 1)  # 2 shares and 4 recalls a draw
    found = answer.to_arviz()
    assert set(found["posterior"].data_vars) == {"psi", "delta"}
    assert found.attrs["left_out"].startswith("mu and recall of 2,000 draws")
    assert "mu" in answer.to_arviz(draws=1_999)["posterior"].data_vars


def test_tables_that_are_not_those_of_the_draws_are_left_out_and_said(answer):
    other = replace(answer, recipe=replace(answer.recipe, seed=1), evidence=None)
    found = other.to_arviz()
    assert set(found["posterior"].data_vars) == {"psi", "delta"}
    assert "posterior_predictive" not in groups_of(found)
    assert "weighs its draws" in found.attrs["left_out"]


def test_draws_that_are_weighted_afterwards_have_no_tables(weighted):
    found = weighted.to_arviz()
    assert set(found["posterior"].data_vars) == {"psi", "delta"}
    assert set(found["prior"].data_vars) == {"delta"}
    assert np.array_equal(found["prior"]["delta"].values[0], weighted.prior_draws[:2_000])
    assert "posterior_predictive" not in groups_of(found)
    assert found.attrs["left_out"].count("weighs its draws") == 3


def test_a_ranking_and_a_single_metric_go_out_too(three):
    ranking = rw.rank(three, metric="accuracy", rope=0.05, draws=500, rng=0)
    found = ranking.to_arviz()["posterior"]
    assert set(found.data_vars) == {"psi", "mu", "recall"}
    assert np.array_equal(found["psi"].values[0].T, ranking.draws.psi)
    single = rw.evaluate(three, "good", metric=["accuracy", "macro_f1"], draws=500, rng=0)["accuracy"]
    told = single.to_arviz()
    assert np.array_equal(told["posterior"]["psi"].values[0, :, 0], single.draws.psi[0])
    assert json.loads(told.attrs["ropewalk"])["metrics"][0]["metric"] == "accuracy"


def test_scores_have_draws_and_class_counts(scored):
    found = scored.to_arviz()
    assert groups_of(found) == {"posterior", "prior", "observed_data"}
    assert found["observed_data"]["class_counts"].values.sum() == scored.recipe.n_items
    assert set(found["prior"].data_vars) == {"delta"}
    assert np.array_equal(found["prior"]["delta"].values[0], scored.prior_draws[:500])


def test_scores_that_are_reweighted_have_no_prior(news):
    scores = news.scores_class8
    how = {"metric": "roc_auc", "rope": 0.01, "model": "bootstrap", "draws": 500, "rng": 0}
    found = rw.compare(scores["y_true"], scores["nb_mult"], scores["svm_l2"], **how).to_arviz()
    assert groups_of(found) == {"posterior", "observed_data"}
    assert found.attrs["left_out"].startswith("prior: the bootstrap")


def test_chains_go_out_with_all_their_parameters(chained):
    found = chained.to_arviz()
    posterior, parameters = found["posterior"], chained.chains.parameters
    assert groups_of(found) == {"posterior", "prior", "posterior_predictive", "sample_stats", "observed_data"}
    for name, array in parameters.items():
        assert np.array_equal(posterior[name].values, array)
        assert posterior[name].dims[2:] == chained.chains.sampled.dims[name]
    assert posterior["psi"].shape == (4, 500, 2)
    assert np.array_equal(posterior["psi"].values.reshape(-1, 2).T, chained.draws.psi)
    theta = posterior["theta"]
    right = theta.sel(outcome="all right") + theta.sel(outcome="nb_mult right")
    assert np.allclose(right, posterior["recall"].sel(classifier="nb_mult"), rtol=0, atol=1e-12)
    assert found["sample_stats"]["diverging"].shape == (4, 500)
    assert found["posterior_predictive"]["confusion"].shape == (4, 125, 2, 2, 2)


def test_a_prior_without_closed_form_is_drawn_forwards(unusual):
    assert len(unusual.prior_draws) == 20_000
    prior = unusual.to_arviz()["prior"]
    n = prior.sizes["draw"]
    recall = prior["recall"].values[0]
    assert np.all(np.abs(recall.mean(axis=0) - 1 / 2) < 5 * math.sqrt(1 / 20 / n))
    assert np.array_equal(prior["delta"].values[0], unusual.prior_draws[:n])


def test_arviz_finds_the_same_interval_and_the_same_names(out, answer, chained):
    low, high = az.hdi(out["posterior"]["delta"].values[0], **{"prob" if NEW else "hdi_prob": 0.95})
    assert (low, high) == (answer.hdi.low, answer.hdi.high)
    told = az.summary(chained.to_arviz(), var_names=["psi", "delta"], round_to="none")
    assert list(told.index) == ["psi[nb_mult]", "psi[svm_l2]", "delta"]
    assert np.allclose(told["mean"].astype(float).iloc[-1], chained.mean, rtol=0, atol=1e-12)


def test_importing_ropewalk_imports_nothing_of_all_this():
    code = "import sys, ropewalk; print([m for m in ('arviz', 'xarray', 'pymc', 'h5netcdf') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


# -- files -------------------------------------------------------------------------------------------------

QUESTIONS = {
    "one class": {"pos_label": 2, "tests": True},
    "macro F1": {"tests": True},
    "unpaired": {"model": "unpaired"},
    "bootstrap": {"model": "bootstrap", "rope": (-0.02, math.inf)},
    "class mix": {"prevalence": [0.2, 0.3, 0.5]},
    "no ROPE": {"rope": None, "pos_label": 2},
    "by probability": {"rule": "probability", "prob": 0.8, "pos_label": 2},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_comes_back_from_a_file_as_it_was(three, tmp_path, name):
    r = rw.compare(three, **{"rope": 0.01, "draws": 800, "rng": 3, **QUESTIONS[name]})
    r.to_netcdf(tmp_path / "r.nc")
    again = rw.from_netcdf(tmp_path / "r.nc")
    assert type(again) is rw.Comparison
    assert np.array_equal(again.draws.psi, r.draws.psi)
    assert (again.hdi, again.decision, again.bayes_factor) == (r.hdi, r.decision, r.bayes_factor)
    assert str(again) == str(r)
    assert again.to_json() == r.to_json()
    assert again.to_html() == r.to_html()
    assert again.recipe.tables == r.recipe.tables


def test_labels_names_and_items_left_out_come_back_as_they_were(tmp_path):
    truth, a, b = [1, 0, 1, 0, None] * 30, [1, 0, 0, 0, 1] * 30, [0, 0, 1, 1, 1] * 30
    with pytest.warns(rw.errors.RopewalkWarning):
        r = rw.compare(truth, a, b, names=HOSTILE, missing="drop", rope=0.01, draws=500, rng=0)
    r.to_netcdf(tmp_path / "r.nc")
    again = rw.from_netcdf(str(tmp_path / "r.nc"))
    assert (again.a, again.b) == tuple(HOSTILE)
    assert again.recipe.tables[0].labels == (0, 1)
    assert again.recipe.tables[0].left_out == 30
    assert str(again) == str(r)
    assert again.to_json() == r.to_json()


def test_rankings_and_single_metrics_come_back(three, tmp_path):
    ranking = rw.rank(three, rope=0.01, draws=500, rng=0)
    ranking.to_netcdf(tmp_path / "k.nc")
    assert rw.from_netcdf(tmp_path / "k.nc").to_json() == ranking.to_json()
    single = rw.evaluate(three, "good", at_least=0.8, rope=0.01, draws=500, rng=0).metrics[0]
    single.to_netcdf(tmp_path / "m.nc")
    again = rw.from_netcdf(tmp_path / "m.nc")
    assert (again.estimate, again.decision, again.prob_at_least) == (
        single.estimate,
        single.decision,
        single.prob_at_least,
    )


def test_chains_come_back_without_being_run_again(chained, tmp_path, monkeypatch):
    chained.to_netcdf(tmp_path / "r.nc")
    monkeypatch.setattr("ropewalk.mcmc.chains.run_chains", None)
    again = rw.from_netcdf(tmp_path / "r.nc")
    assert again.to_json() == chained.to_json()
    assert str(again) == str(chained)
    assert again.diagnostics == chained.diagnostics
    assert np.array_equal(again.chains.parameters["theta"], chained.chains.parameters["theta"])


def test_an_answer_that_was_cut_for_arviz_comes_back_whole(answer, tmp_path):
    answer.to_netcdf(tmp_path / "r.nc", draws=100)
    assert rw.from_netcdf(tmp_path / "r.nc").to_json() == answer.to_json()


def test_what_is_in_memory_comes_back_too(out, answer):
    assert rw.from_arviz(out).to_json() == answer.to_json()


def test_arviz_reads_the_file(answer, written):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = az.from_netcdf(str(written))
    assert groups_of(found) == {"posterior", "prior", "posterior_predictive", "observed_data"}
    assert np.array_equal(found["posterior"]["delta"].values[0], answer.draws.delta())
    assert json.loads(found.attrs["ropewalk"]) == answer.to_dict()
    found.close()


@pytest.mark.parametrize("kind", ["scored", "several", "clusters", "unusual", "own metric", "weighted"])
def test_what_has_no_recipe_comes_back_from_its_draws(request, three, several, tmp_path, kind):
    if kind == "several":
        r = rw.compare(several, metric="macro_f1", rope=0.02, draws=500, rng=0)
    elif kind == "clusters":
        truth = np.arange(120) % 3
        said = [np.where(np.arange(120) % k, truth, 0) for k in (7, 5)]
        r = rw.compare(truth, *said, cluster=np.arange(120) // 2, rope=0.02, draws=500, rng=0)
    elif kind == "own metric":
        own = lambda m: m.tp.sum(axis=-1) / m.total[..., 0]  # noqa: E731
        r = rw.compare(three.collapse(2), metric=own, rope=0.02, draws=500, rng=0)
    else:
        r = request.getfixturevalue(kind)
    r.to_netcdf(tmp_path / "r.nc")
    again = rw.from_netcdf(tmp_path / "r.nc")
    assert type(again) is ForeignComparison
    assert np.array_equal(again.draws.psi, r.draws.psi)
    assert (again.a, again.b, again.metric) == (r.a, r.b, r.metric)
    assert (again.estimate_a, again.delta) == (r.estimate_a, r.delta)
    assert (again.regions, again.decision, again.rope_path) == (r.regions, r.decision, r.rope_path)
    assert again.to_dict()["bayes_factor"] == r.to_dict()["bayes_factor"]
    assert again.to_dict()["n_items"] == r.recipe.n_items
    assert "from its draws alone" in str(again)
    again.to_netcdf(tmp_path / "f.nc")
    assert rw.from_netcdf(tmp_path / "f.nc").to_json() == again.to_json()


def test_draws_that_the_recipe_does_not_give_are_believed(answer, written, tmp_path):
    """As those of another version might be: the file is what was found, not the program that reads it."""
    shutil.copy(written, tmp_path)
    _change(tmp_path / "r.nc", lambda psi: psi + 1e-6)
    again = rw.from_netcdf(tmp_path / "r.nc")
    assert isinstance(again, ForeignComparison)
    assert np.allclose(again.draws.psi, answer.draws.psi + 1e-6, rtol=0, atol=1e-15)


def _change(path, change):
    h5py = need("h5py")
    with h5py.File(path, "r+") as file:
        file["posterior/psi"][...] = change(file["posterior/psi"][...])


def test_a_ranking_without_a_recipe_says_what_can_be_done(tmp_path, news):
    scores = news.scores_class8
    ranking = rw.rank(scores["y_true"], scores["nb_mult"], scores["svm_l2"], metric="roc_auc", draws=100, rng=0)
    ranking.to_netcdf(tmp_path / "k.nc")
    with pytest.raises(FileFormatError, match="This Ranking cannot be made again") as caught:
        rw.from_netcdf(tmp_path / "k.nc")
    assert "from_arviz(data, a=('psi', {'classifier': 'A'}), b=('psi', {'classifier': 'B'}))" in caught.value.hint


def test_a_verdict_that_was_refused_stays_refused(tmp_path):
    truth, a, b = [0, 1] * 4, [0, 1] * 3 + [1, 1], [0, 0] * 4
    with pytest.warns(DegenerateDataWarning):
        r = rw.compare(truth, a, b, model="bootstrap", cluster=range(8), rope=0.05, draws=500, rng=0)
    assert r.decision is None
    r.to_netcdf(tmp_path / "r.nc")
    again = rw.from_netcdf(tmp_path / "r.nc")
    assert isinstance(again, ForeignComparison)
    assert again.decision is None
    assert again.rope == r.rope
    assert again.no_verdict == r.no_verdict


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"", "is empty"), (b"a,b\n1,2\n", "no netCDF file"), (b"CDF\x01" + bytes(40), "classic format")],
    ids=["empty", "text", "classic"],
)
def test_other_files_are_refused_with_a_sentence(tmp_path, content, told):
    path = tmp_path / "x.nc"
    path.write_bytes(content)
    for read in (rw.from_netcdf, rw.from_arviz):
        with pytest.raises(FileFormatError, match=told):
            read(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_torn_file_is_refused(written, tmp_path, share):
    path, whole = tmp_path / "r.nc", written.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(FileFormatError, match=r"cannot be read|no netCDF"):
        rw.from_netcdf(path)


def test_files_that_are_not_there_or_not_ours_are_refused(tmp_path, draws):
    for path in (tmp_path / "none.nc", tmp_path):
        with pytest.raises(UnreadableFileError, match="Cannot read"):
            rw.from_netcdf(path)
    dataset(acc=draws).to_netcdf(tmp_path / "f.nc", group="posterior", engine="h5netcdf")
    with pytest.raises(FileFormatError, match="no answer of ropewalk"):
        rw.from_netcdf(tmp_path / "f.nc")
    with pytest.raises(InvalidInputError, match="`path` must be a path"):
        rw.from_netcdf(5)


@pytest.mark.parametrize(
    "broken",
    ["{", "[]", "{}", '{"schema": 1, "tests": null}', "null"],
)
def test_a_broken_answer_is_refused_with_a_sentence(out, broken):
    for name in (groups.ANSWER, groups.MORE):
        other = out.copy()
        other.attrs[name] = broken
        with pytest.raises(FileFormatError, match=r"cannot be (read|made)"):
            rw.from_arviz(other)


@pytest.mark.parametrize("name", ["n_items", "seed"])
@pytest.mark.parametrize("value", ["x", [], -5, True, 1.5, math.inf])
def test_a_number_of_a_kept_answer_that_is_none_is_refused(out, name, value):
    other = out.copy()
    other.attrs[groups.ANSWER] = json.dumps(json.loads(out.attrs[groups.ANSWER]) | {name: value})
    with pytest.raises(FileFormatError, match=rf"cannot be read: .*{name}"):
        rw.from_arviz(other)


def test_a_failed_write_leaves_what_was_there(answer, tmp_path, monkeypatch):
    path = tmp_path / "r.nc"
    path.write_bytes(b"before")

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("xarray.Dataset.to_netcdf", fail)
    with pytest.raises(UnreadableFileError, match="No space left"):
        answer.to_netcdf(path)
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["r.nc"]


def test_a_folder_that_is_not_there_is_said(answer, tmp_path):
    with pytest.raises(UnreadableFileError, match="Cannot write"):
        answer.to_netcdf(tmp_path / "nowhere" / "r.nc")


def test_a_large_answer_fits_into_an_attribute(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 40, 7_000)
    said = [np.where(rng.random(truth.size) < 0.7, rng.integers(0, 40, truth.size), truth) for _ in range(2)]
    r = rw.compare(truth, *said, metric="accuracy", draws=200, rng=0)
    assert len(r.to_json()) > 2**16  # what a plain attribute of HDF5 may hold
    r.to_netcdf(tmp_path / "r.nc")
    assert rw.from_netcdf(tmp_path / "r.nc").to_json() == r.to_json()


@pytest.mark.parametrize("module", ["arviz", "xarray"])
def test_without_arviz_the_line_that_installs_it_is_said(answer, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=r"ropewalk\[mcmc\]"):
        answer.to_arviz()


def test_without_arviz_nobody_tells_the_worth_of_draws(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(MissingDependencyError, match=r"ropewalk\[mcmc\]"):
        rw.from_arviz({"d": np.random.default_rng(0).normal(size=(4, 100))}, delta="d")


def test_without_a_reader_of_netcdf_the_line_that_installs_it_is_said(answer, written, tmp_path, monkeypatch):
    for module in ("h5netcdf", "netCDF4"):
        monkeypatch.setitem(sys.modules, module, None)
    for call in (lambda: answer.to_netcdf(tmp_path / "s.nc"), lambda: rw.from_netcdf(written)):
        with pytest.raises(MissingDependencyError, match=r"h5netcdf.*\n.*ropewalk\[mcmc\]"):
            call()


# -- anybody's draws ---------------------------------------------------------------------------------------


def test_two_scores_are_compared(draws):
    r = rw.from_arviz({"a": draws[..., 0], "b": draws[..., 1]}, a="a", b="b", metric="accuracy", rope=0.01)
    delta = (draws[..., 0] - draws[..., 1]).reshape(-1)
    assert (r.a, r.b, r.decision.symbol, r.conclusive) == ("a", "b", "≫", True)
    assert r.mean == pytest.approx(delta.mean(), abs=1e-15)
    assert r.estimate_a.mean == pytest.approx(draws[..., 0].mean(), abs=1e-15)
    assert r.prob_above_zero == (delta > 0).mean()
    assert r.regions.inside == (np.abs(delta) <= 0.01).mean()
    assert np.array_equal(r.draws.delta(), delta)
    assert r.draws.chains == 4


def test_errors_are_by_the_effective_sample_size():
    """An autoregression of .9 has an effective size of 1 − .9 over 1 + .9 of its length."""
    rng = np.random.default_rng(0)
    x = np.empty((4, 20_000))
    x[:, 0] = rng.normal(size=4)
    noise = rng.normal(scale=math.sqrt(1 - 0.81), size=x.shape)
    for i in range(1, x.shape[1]):
        x[:, i] = 0.9 * x[:, i - 1] + noise[:, i]
    r = rw.from_arviz({"d": x}, delta="d", rope=0.5)
    assert r.delta.mc_error == pytest.approx(1 / math.sqrt(80_000 * 0.1 / 1.9), rel=0.15)
    assert r.diagnostics.ess_bulk == pytest.approx(80_000 * 0.1 / 1.9, rel=0.15)


def _forms(draws, tmp_path):
    posterior = dataset(acc=draws)
    posterior.to_netcdf(tmp_path / "f.nc", group="posterior", engine="h5netcdf")
    whole = as_arviz(posterior=posterior)
    return {
        "mapping": {"acc": draws},
        "groups": {"posterior": {"acc": draws}},
        "lists": {"acc": draws.tolist()},
        "dataset": posterior,
        "arviz": whole,
        "a branch": whole["posterior"],
        "path": tmp_path / "f.nc",
        "text": str(tmp_path / "f.nc"),
    }


def test_all_forms_give_the_same_answer(draws, tmp_path):
    answers = [
        rw.from_arviz(data, a="acc[0]", b="acc[1]", names=["new", "old"], rope=0.01).to_dict()
        for data in _forms(draws, tmp_path).values()
    ]
    for answer in answers:
        del answer["source"]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    ("a", "b", "names"),
    [
        ("acc[new]", "acc[old]", ("new", "old")),
        (("acc", {"model": "new"}), ("acc", {"model": "old"}), ("new", "old")),
        ("acc[0]", "acc[1]", ("new", "old")),
        ("acc[-2]", "acc[-1]", ("new", "old")),
    ],
)
def test_a_component_is_picked_by_coordinate_or_place(draws, a, b, names):
    r = rw.from_arviz(dataset(acc=draws), a=a, b=b)
    assert (r.a, r.b) == names
    assert np.array_equal(r.draws.psi, np.moveaxis(draws, 2, 0).reshape(2, -1))


def test_a_number_is_a_coordinate_before_it_is_a_place(draws):
    r = rw.from_arviz(dataset(coords=(1, 0), acc=draws), a="acc[0]", b=("acc", {"model": 1}))
    assert np.array_equal(r.draws.psi[0], draws[..., 1].reshape(-1))
    assert (r.a, r.b) == ("acc[0]", "acc[1]")
    with pytest.raises(UnknownNameError, match="no component"):
        rw.from_arviz(dataset(coords=(1, 2), acc=draws), a="acc[0]", b="acc[1]")


def test_a_component_of_a_matrix_is_picked_by_both_coordinates(draws):
    wide = np.stack([draws, draws + 0.1], axis=-1)
    data = xr.Dataset(
        {"acc": (("chain", "draw", "model", "task"), wide)}, coords={"model": ["new", "old"], "task": ["x", "y, z"]}
    )
    r = rw.from_arviz(data, a="acc[new, x]", b=("acc", {"task": "y, z", "model": "old"}))
    assert np.array_equal(r.draws.psi[1], wide[:, :, 1, 1].reshape(-1))
    assert (r.a, r.b) == ("new, x", "old, y, z")


def test_names_with_brackets_of_their_own_are_names(draws):
    r = rw.from_arviz({"acc[1]": draws[..., 0], "acc[2]": draws[..., 1]}, a="acc[1]", b="acc[2]")
    assert np.array_equal(r.draws.psi[1], draws[..., 1].reshape(-1))


def test_extracted_draws_find_their_chains_again(draws):
    data = dataset(acc=draws)
    flat = data.stack(sample=("chain", "draw"))
    assert rw.from_arviz(flat, a="acc[new]", b="acc[old]").draws.chains == 4
    assert rw.from_arviz(data.isel(chain=0), a="acc[new]", b="acc[old]").draws.chains == 1


def test_arrays_with_named_axes_are_read_by_their_names(draws):
    turned = {name: dataset(acc=draws)["acc"].sel(model=name).transpose("draw", "chain") for name in ("new", "old")}
    r = rw.from_arviz(turned, a="new", b="old")
    assert np.array_equal(r.draws.psi, np.moveaxis(draws, 2, 0).reshape(2, -1))


def test_an_array_that_lies_the_wrong_way_round_is_noticed(draws):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rw.from_arviz({"a": draws[..., 0].T, "b": draws[..., 1].T}, a="a", b="b")
    assert "more chains (1,000) than draws in each (4)" in str(told[0].message)


def test_ropewalks_own_draws_give_its_own_verdict(out, answer):
    r = rw.from_arviz(out, a="psi[nb_mult]", b="psi[svm_l2]", metric="f1", rope=0.05)
    assert (r.hdi, r.regions, r.decision) == (answer.hdi, answer.regions, answer.decision)
    assert r.rope_path == answer.rope_path
    assert r.bayes_factor.rope == pytest.approx(answer.bayes_factor.rope, rel=0.2)  # of 2,000 prior draws


def test_the_bayes_factor_takes_the_prior_of_the_same_variables(draws):
    rng = np.random.default_rng(4)
    near, prior = rng.normal(0.0, 0.01, (4, 1_000)), rng.normal(0.0, 0.05, (1, 4_000))
    data = as_arviz(posterior=dataset(d=near), prior=dataset(d=prior))
    p, q = (np.abs(near) <= 0.01).mean(), (np.abs(prior) <= 0.01).mean()
    found = rw.from_arviz(data, delta="d", rope=0.01).bayes_factor
    assert found.rope == pytest.approx((p / (1 - p)) / (q / (1 - q)), rel=1e-12)
    assert found.sd is None
    assert "papers" in found.reason
    for other in (as_arviz(posterior=dataset(d=near)), as_arviz(posterior=dataset(d=near), prior=dataset(e=prior))):
        lacks = rw.from_arviz(other, delta="d", rope=0.01).bayes_factor
        assert lacks.rope is None
        assert "under the prior" in lacks.reason


def test_draws_of_the_prior_that_failed_are_left_out_and_said():
    rng = np.random.default_rng(4)
    prior = rng.normal(0.0, 0.05, (1, 4_000))
    prior[0, 5] = np.nan
    data = {"posterior": {"d": rng.normal(0.0, 0.01, (4, 1_000))}, "prior": {"d": prior}}
    r = rw.from_arviz(data, delta="d", rope=0.01)
    assert r.bayes_factor.rope is None
    assert r.notes[0].startswith("The draws of the prior are left out. 1 of 4,000 draws of 'd' are NaN or infinite")


def test_less_is_better_where_it_is_said_or_known(draws):
    data = {"a": draws[..., 0], "b": draws[..., 1]}
    signs = [
        rw.from_arviz(data, a="a", b="b", rope=0.01, **how).decision.symbol
        for how in ({}, {"higher_is_better": False}, {"metric": "error"}, {"metric": "brier"}, {"metric": "cost"})
    ]
    assert signs == ["≫", "≪", "≪", "≪", "≪"]
    assert rw.from_arviz(data, a="a", b="b", rope=0.01, metric="error", higher_is_better=True).decision.symbol == "≫"


def test_a_known_metric_may_come_in_per_cent(draws):
    data = {"a": 100 * draws[..., 0], "b": 100 * draws[..., 1]}
    assert rw.from_arviz(data, a="a", b="b", rope=1, metric="accuracy").decision.symbol == "≫"
    with pytest.raises(InvalidInputError, match="no two values of accuracy"):
        rw.from_arviz({"a": draws[..., 0], "b": draws[..., 1]}, a="a", b="b", rope=5, metric="accuracy")


def test_chains_that_disagree_get_no_verdict(draws):
    apart = draws + np.array([0, 0, 0, 0.1])[:, np.newaxis, np.newaxis] * np.array([1, 0])
    with pytest.warns(ConvergenceWarning, match="R-hat"):
        r = rw.from_arviz(dataset(acc=apart), a="acc[new]", b="acc[old]", rope=0.01)
    assert r.decision is None
    assert r.regions is None
    assert not r.diagnostics.converged
    assert "since the Markov chains have not converged" in " ".join(str(r).split())


def test_a_chain_that_drifts_gets_no_verdict(draws):
    drift = draws[:1] + np.linspace(0, 0.1, 1_000)[:, np.newaxis] * np.array([1, 0])
    with pytest.warns(ConvergenceWarning, match="parts of the chain"):
        assert rw.from_arviz(dataset(acc=drift), a="acc[new]", b="acc[old]", rope=0.01).decision is None


def test_divergences_get_no_verdict(draws):
    diverging = np.zeros((4, 1_000), dtype=bool)
    diverging[1, :7] = True
    stats = xr.Dataset({"diverging": (("chain", "draw"), diverging)})
    for data in (
        as_arviz(posterior=dataset(acc=draws), sample_stats=stats),
        {"posterior": {"acc": draws}, "sample_stats": {"diverging": diverging}},
    ):
        with pytest.warns(ConvergenceWarning, match="7 of 4,000 draws diverged"):
            r = rw.from_arviz(data, a="acc[0]", b="acc[1]", rope=0.01)
        assert r.decision is None
        assert r.diagnostics.divergences == 7


@pytest.mark.parametrize("number", [1, 2, 5, 50])
def test_few_draws_get_no_verdict(number):
    few = np.random.default_rng(0).normal(size=number)
    with pytest.warns(ConvergenceWarning):
        r = rw.from_arviz({"d": few}, delta="d", rope=0.1)
    assert r.decision is None
    assert len(r.draws) == number
    assert '"decision": null' in r.to_json()


def test_a_difference_that_never_moves_is_said():
    with pytest.warns(DegenerateDataWarning, match="same in every draw"):
        r = rw.from_arviz({"d": np.full((4, 500), 0.02)}, delta="d", rope=0.01)
    assert (r.hdi.low, r.hdi.high, r.std) == (0.02, 0.02, 0.0)


def test_of_a_difference_alone_the_scores_stay_unknown(draws):
    r = rw.from_arviz({"d": draws[..., 0] - draws[..., 1]}, delta="d", names=["new", "old"], rope=0.01)
    assert r.decision.symbol == "≫"
    assert (r.estimate_a, r.estimate_b) == (None, None)
    told = r.to_dict()
    assert told["a"] == {"name": "new", "observed": None, "mean": None, "std": None, "hdi": None}
    with pytest.raises(InvalidInputError, match="Only the difference"):
        _ = r.draws.psi
    with pytest.raises(InvalidInputError, match="Only the difference"):
        rw.plots.plot_joint(r)
    both = rw.from_arviz({"a": draws[..., 0], "b": draws[..., 1]}, a="a", b="b", names=["new", "old"], rope=0.01)
    assert both.hdi == r.hdi
    assert "Both scores" in both.to_html()
    assert "Both scores" not in r.to_html()
    found = r.to_arviz()["posterior"]
    assert set(found.data_vars) == {"delta"}
    assert rw.from_arviz(r.to_arviz()).to_json() == r.to_json()


BAD = {
    "no such variable": ({"acc": np.zeros((4, 9))}, {"delta": "ac"}, UnknownNameError, "did you mean 'acc'"),
    "no such group": ({"acc": np.zeros((4, 9))}, {"delta": "acc", "group": "prior"}, UnknownNameError, "'posterior'"),
    "nothing named": ({"acc": np.zeros((4, 9))}, {}, InvalidInputError, "'acc'"),
    "one of two": ({"acc": np.zeros((4, 9))}, {"a": "acc"}, InvalidInputError, "`b` was not"),
    "all three": ({"x": np.zeros(9)}, {"a": "x", "b": "x", "delta": "x"}, InvalidInputError, "already"),
    "the same twice": ({"x": np.zeros(9)}, {"a": "x", "b": "x"}, InvalidInputError, "both 'x'"),
    "a vector": ({"x": np.zeros((4, 9, 3))}, {"delta": "x"}, DataError, r"3 components(.|\n)*\('x', \{'dim_0': 0\}\)"),
    "no such component": ({"x": np.zeros((4, 9, 3))}, {"delta": "x[3]"}, UnknownNameError, "0, 1, 2"),
    "no components": ({"x": np.zeros((4, 9))}, {"delta": "x[0]"}, DataError, "no components"),
    "no such axis": ({"x": np.zeros((4, 9, 3))}, {"delta": ("x", {"m": 0})}, UnknownNameError, "'dim_0'"),
    "not a name": ({"x": np.zeros((4, 9))}, {"delta": 3}, InvalidInputError, "name of a variable"),
    "NaN": ({"x": np.array([[0.1, np.nan]])}, {"delta": "x"}, DataError, "1 of 2 draws.*chain 0, draw 1"),
    "infinity": ({"x": np.array([[np.inf, 0.1]])}, {"delta": "x"}, DataError, "infinite"),
    "counts": ({"x": np.zeros((4, 9), dtype=int)}, {"delta": "x"}, DataError, "int64.*discrete"),
    "yes and no": ({"x": np.zeros((4, 9), dtype=bool)}, {"delta": "x"}, DataError, "discrete"),
    "complex": ({"x": np.zeros((4, 9), dtype=complex)}, {"delta": "x"}, DataError, "real numbers; got complex128"),
    "text": ({"x": ["a", "b"]}, {"delta": "x"}, DataError, "real numbers"),
    "ragged": ({"x": [[0.1], [0.1, 0.2]]}, {"delta": "x"}, DataError, "ragged"),
    "masked": ({"x": np.ma.masked_array([0.1, 0.2], [True, False])}, {"delta": "x"}, DataError, "masked"),
    "a number": ({"x": 0.1}, {"delta": "x"}, DataError, "single number"),
    "no draws": ({"x": np.zeros((4, 0))}, {"delta": "x"}, DataError, "no draws"),
    "unequal": ({"x": np.zeros((4, 9)), "y": np.zeros((4, 8))}, {"a": "x", "b": "y"}, DataError, r"\(4, 9\).*\(4, 8\)"),
    "empty": ({}, {"delta": "x"}, InvalidInputError, "an empty mapping"),
    "an array": (np.zeros((4, 9)), {"delta": "x"}, InvalidInputError, "got ndarray"),
    "nothing": (None, {"delta": "x"}, InvalidInputError, "got NoneType"),
    "names": ({"x": np.zeros((4, 9))}, {"delta": "x", "names": "ab"}, InvalidInputError, "two names"),
    "equal names": ({"x": np.zeros((4, 9))}, {"delta": "x", "names": ["a", "a"]}, InvalidInputError, "different names"),
    "metric": ({"x": np.zeros((4, 9))}, {"delta": "x", "metric": 3}, InvalidInputError, "`metric`"),
    "direction": ({"x": np.zeros((4, 9))}, {"delta": "x", "higher_is_better": 1}, InvalidInputError, "True or False"),
    "rope": ({"x": np.zeros((4, 9))}, {"delta": "x", "rope": 0}, InvalidInputError, "rope"),
    "prob": ({"x": np.zeros((4, 9))}, {"delta": "x", "prob": 95}, InvalidInputError, "prob"),
    "rule": ({"x": np.zeros((4, 9))}, {"delta": "x", "rule": "p"}, UnknownNameError, "rule"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_judged_is_refused_with_a_sentence(name):
    data, how, kind, told = BAD[name]
    with pytest.raises(kind, match=told):
        rw.from_arviz(data, **how)


def test_a_variable_without_draws_is_refused():
    with pytest.raises(DataError, match="has no draws"):
        rw.from_arviz(xr.Dataset({"y": (("item",), np.zeros(3))}), delta="y")


def test_what_takes_the_data_is_refused(draws):
    r = rw.from_arviz({"d": draws[..., 0] - draws[..., 1]}, delta="d", rope=0.01)
    functions = rw.planning.more_data, rw.analysis.confusions, rw.predictive_check
    for call in (r.prior_sensitivity, r.more_data, r.confusions, r.predictive_check):
        with pytest.raises(InvalidInputError, match="came without data"):
            call()
    for function in functions:
        with pytest.raises(InvalidInputError, match="came without data"):
            function(r)


@pytest.mark.parametrize("alone", [False, True], ids=["two scores", "a difference"])
@pytest.mark.parametrize("rope", [None, 0.01, (-0.3, 0.2)], ids=["no ROPE", "better", "equivalent"])
def test_it_is_shown_as_any_comparison(draws, alone, rope):
    data = {"a": draws[..., 0], "b": draws[..., 1], "d": draws[..., 0] - draws[..., 1]}
    picks = {"delta": "d"} if alone else {"a": "a", "b": "b"}
    r = rw.from_arviz(data, **picks, names=HOSTILE, metric="accuracy", rope=rope)
    for text in (str(r), repr(r), r.to_markdown(), r.to_latex(), r.sentence(), r.to_html(), r._repr_html_()):
        assert not set("\x00\x1b\u202e\ud800").intersection(text)
        assert "0 items" not in text
    assert "<b>|$" not in r.to_html()
    assert "4,000 draws in 4 chains" in str(r)
    assert "R-hat at most 1.00" in str(r)
    assert "divergences not reported" in " ".join(str(r).split())
    assert "accuracy" in r.to_latex().splitlines()[0]
    assert " accuracy of " in r.to_markdown().splitlines()[-1]
    told = json.loads(r.to_json())
    assert told == json.loads(json.dumps(r.to_dict()))
    assert told["schema"] == 1
    assert told["n_items"] is None
    assert "by the draws of " in r.sentence()
    for plot in (rw.plots.plot_posterior, rw.plots.plot_trace, rw.plots.plot_rope_curve):
        plot(r)


def test_the_page_is_written(draws, tmp_path):
    r = rw.from_arviz(dataset(acc=draws), a="acc[new]", b="acc[old]", rope=0.01)
    assert (tmp_path / "r.html").exists() is False
    page = r.to_html(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    assert "Content-Security-Policy" in page
    assert "acc[new] and acc[old] of the group posterior" in page
    rw.plots.plot_joint(r)


def test_a_plain_mapping_needs_no_xarray():
    code = (
        "import sys; sys.modules['xarray'] = None; import numpy as np, ropewalk as rw\n"
        "from ropewalk.exchange.foreign import ForeignOptions, material\n"
        "from ropewalk.results.options import with_defaults\n"
        "x = {'posterior': {'d': np.random.default_rng(0).normal(size=(4, 500))}}\n"
        "m = material(x, {'delta': 'd'}, with_defaults({'rope': 1}, ForeignOptions))\n"
        "print(m.delta.shape)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "(4, 500)"


# -- the same interval -------------------------------------------------------------------------------------


def arviz_hdis(values, prob):
    """Return the interval by every way that the installed ArviZ has: `nearest` is the default of ArviZ 1."""
    ways = [need("arviz_stats.base").array_stats.hdi(values, prob=prob, method="nearest")]
    ways.append(az.hdi(values, prob=prob, method="nearest") if NEW else az.hdi(values, hdi_prob=prob))
    return [tuple(map(float, way)) for way in ways]


SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "two heaps": lambda rng, n: rng.normal(size=n) + 5 * rng.integers(0, 2, n),
    "ties": lambda rng, n: rng.integers(0, 5, n) / 4,
    "share": lambda rng, n: rng.beta(0.5, 0.5, n),
}


@given(
    n=st.integers(5, 10_000),
    prob=st.one_of(st.floats(0.5, 0.99), st.integers(50, 99).map(lambda percent: percent / 100)),
    shape=st.sampled_from(sorted(SHAPES)),
    seed=st.integers(0, 2**32),
)
def test_the_hdi_is_that_of_arviz(n, prob, shape, seed):
    """Not one that is close: the same two draws, for ArviZ too takes floor(prob · n) + 1 of them."""
    values = SHAPES[shape](np.random.default_rng(seed), n)
    found = hdi(np.sort(values), prob)
    for low, high in arviz_hdis(values, prob):
        assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize(
    ("prob", "n", "steps"),
    [
        (0.5, 10, 5),
        (0.9, 10, 9),
        (0.95, 20, 19),
        (0.95, 50_000, 47_500),
        (0.95, 3_200_000, 3_040_000),
        (0.99, 100, 99),
        (0.57, 100, 56),  # 0.57 · 100 is 56.99999999999999 to a computer, and 57 to everybody else
        (0.94, 2_150, 2_020),  # 2,021 on paper
    ],
)
def test_where_the_product_is_whole_rounding_bites_all_alike(prob, n, steps):
    """So many steps between draws, one less than draws inside: floor(prob · n), as floating-point numbers have it."""
    values = np.arange(float(n))
    found = hdi(values, prob)
    assert found.high - found.low == steps
    if n <= 50_000:
        assert all(high - low == steps for low, high in arviz_hdis(values, prob))
