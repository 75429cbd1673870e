"""The hierarchical model against PyMC's NUTS of the same model, every unknown a variable: three tables, both priors.

One table has data sets of the bundled folds, one has data sets that lie thirty times further apart than their folds
leave in doubt, one has five data sets with one far from the others. Variables are centred: theta itself is a variable.
Drawn as mu + tau z, NUTS diverges on all three and has a tenth of the effective draws.
With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

import math
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from calibration.test_multiclass import record
from ropewalk.draws.intervals import hdi, hdi_error
from support import need

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

RHO, ROPE, PROB = 0.1, 0.01, 0.95
CHAINS, DRAWS = 4, 6_000
FOUR_MOMENTS = 6
"""Data sets from which on mu has four moments under Jeffreys' prior of tau, so that the error of its std is finite."""


def tables():
    """Return differences of ten folds each, (data sets, folds)."""
    columns = rw.examples.uci_folds()
    ten = (np.array(columns["hnb"]) - np.array(columns["nbc"])).reshape(54, 10, 10)[:, 0]
    rng = np.random.default_rng(5)
    return {
        "bundled": ten[ten.std(axis=1) > 0][::6],
        "far apart": rng.normal(rng.normal(0.01, 0.06, (8, 1)), 0.002, (8, 10)),
        "one far out": rng.normal(np.array([[0.002], [-0.004], [0.005], [0.012], [0.15]]), 0.01, (5, 10)),
    }


def sufficient(x):
    """Return the mean of each row and its sum of squares."""
    means = x.mean(axis=1)
    return means, ((x - means[:, None]) ** 2).sum(axis=1)


def of_sufficient(x, theta, sigma):
    """The log likelihood of folds by what is sufficient, as PyMC gets it."""
    n = x.shape[1]
    means, squares = sufficient(x)
    of_means = stats.norm(theta, sigma * math.sqrt((1 - RHO) / n + RHO)).logpdf(means)
    return of_means + stats.gamma((n - 1) / 2, scale=2 * (1 - RHO) * sigma**2).logpdf(squares)


def test_mean_and_sum_of_squares_are_sufficient():
    """The premise of what follows: with equal correlations nothing else of the folds depends on theta and sigma."""
    x = tables()["bundled"][:1]
    n = x.shape[1]
    both = []
    for theta, sigma in ((0.0, 0.01), (0.03, 0.02), (-0.1, 0.3)):
        covariance = sigma**2 * ((1 - RHO) * np.eye(n) + RHO)
        whole = stats.multivariate_normal(np.full(n, theta), covariance).logpdf(x[0])
        both.append(whole - of_sufficient(x, theta, sigma)[0])
    assert both == pytest.approx([both[0]] * 3, abs=1e-9)


@cache
def chains(name, model):
    """Draw mu, tau and nu by NUTS, (chains, draws) each."""
    pm, pt = need("pymc"), need("pytensor.tensor")
    x = tables()[name]
    q, n = x.shape
    unit = x.std(axis=1).mean()  # baycomp scales by it; here it keeps the steps of NUTS of one size too
    means, squares = sufficient(x / unit)
    with pm.Model(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if model == "corani2017":
            largest = np.abs(x).max() / unit
            sigma = pm.Uniform("sigma", 0, 1000, shape=q)
            mu, tau = pm.Uniform("mu", -largest, largest), pm.Uniform("tau", 0, 1000 * means.std())
        else:
            sigma = pt.exp(pm.Flat("log_sigma", shape=q))
            mu, log_tau = pm.Flat("mu"), pm.Flat("log_tau")
            tau = pm.Deterministic("tau", pt.exp(log_tau))
            variances = squares * (1 / n + RHO / (1 - RHO)) / (n - 1)
            pm.Potential("jeffreys", log_tau + pt.log(pt.sum((tau / (variances + tau**2)) ** 2)) / 2)
        a, b = pm.Uniform("a", 1, 2), pm.Uniform("b", 0.01, 0.1)
        beyond = pm.Gamma("beyond", a, b)
        theta = pm.StudentT("theta", nu=1 + beyond, mu=mu, sigma=tau, shape=q)
        pm.Normal("mean", theta, sigma * math.sqrt((1 - RHO) / n + RHO), observed=means)
        pm.Gamma("squares", (n - 1) / 2, 1 / (2 * (1 - RHO) * sigma**2), observed=squares)
        trace = pm.sample(
            DRAWS, tune=2_000, chains=CHAINS, cores=1, target_accept=0.95, random_seed=3, progressbar=False
        )
    assert not trace.sample_stats["diverging"].any()
    drawn = trace.posterior
    return unit * drawn["mu"].to_numpy(), unit * drawn["tau"].to_numpy(), 1 + drawn["beyond"].to_numpy()


@cache
def exact(name, model):
    """Return the answer that takes no chains, with enough draws for the ends of its HDI."""
    x = tables()[name]
    q, n = x.shape
    columns = {
        "data": np.repeat(np.arange(q), n).tolist(),
        "fold": np.tile(np.arange(n), q).tolist(),
        "a": x.ravel().tolist(),
        "b": [0.0] * x.size,
    }
    asked = {"dataset": "data", "fold": "fold", "a": "a", "b": "b", "metric": "difference"}
    return rw.compare_datasets(columns, **asked, rope=ROPE, prob=PROB, model=model, draws=400_000, rng=1)


def error_of(draws, method):
    """The Monte Carlo error of a mean or a standard deviation of chains, by ArviZ."""
    measures = need("arviz_stats.base").array_stats
    return float(measures.mcse(draws, method=method, chain_axis=0, draw_axis=1))


@pytest.mark.parametrize("model", ["hierarchical", "corani2017"])
@pytest.mark.parametrize("name", tables())
def test_nuts_of_the_same_model_agrees(name, model):
    """The ends of an HDI by batches of the chains and of our own draws; all else of ours is a sum without draws."""
    r, (mu, tau, nu) = exact(name, model), chains(name, model)
    found = {"mean": (r.mean, mu.mean(), error_of(mu, "mean"))}
    if model == "corani2017" or len(tables()[name]) >= FOUR_MOMENTS:
        found["std"] = (r.std, mu.std(), error_of(mu, "sd"))
    ess = float(need("arviz_stats.base").array_stats.ess(mu, chain_axis=0, draw_axis=1))
    theirs = zip(hdi(np.sort(mu, axis=None), PROB), hdi_error(mu.ravel(), PROB, ess), strict=True)
    own_errors = hdi_error(r.draws.delta(), PROB)
    for end, ours, own_error, (value, error) in zip(("low", "high"), r.hdi, own_errors, theirs, strict=True):
        found[end] = ours, value, math.hypot(own_error, error)
    law = stats.t(nu)
    below, above = law.cdf((-ROPE - mu) / tau), law.sf((ROPE - mu) / tau)
    for part, draws in {"below": below, "inside": 1 - below - above, "above": above}.items():
        found[part] = getattr(r.next, part), draws.mean(), error_of(draws, "mean")
    errors_off = {what: (ours - value) / error for what, (ours, value, error) in found.items()}
    record("population by NUTS", table=name, model=model, ess=ess, errors_off=errors_off, found=found)
    assert errors_off == pytest.approx(dict.fromkeys(found, 0), abs=4)
    assert ess > DRAWS * CHAINS / 20


@pytest.mark.parametrize("name", tables())
def test_another_prior_would_be_seen(name):
    """The negative control: both priors differ by more than the errors that are allowed."""
    r, (mu, tau, nu) = exact(name, "hierarchical"), chains(name, "corani2017")
    inside = stats.t(nu).cdf((ROPE - mu) / tau) - stats.t(nu).cdf((-ROPE - mu) / tau)
    assert abs(r.next.inside - inside.mean()) > 4 * error_of(inside, "mean")
