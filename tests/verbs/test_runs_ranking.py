"""Many methods by several runs of each: what `compare` says of two, joint answers, and every surface."""

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import InvalidInputError, RopewalkError
from ropewalk.models.runs import independent_runs, shared_runs

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

FEW = {"metric": "accuracy", "rng": 0, "draws": 2_000, "rope": 0.02}
SHARES = {"new": 0.9, "old": 0.8, "base": 0.7, "first": 0.6}


@pytest.fixture(scope="module")
def data():
    """A truth, and four runs of four methods."""
    rng = np.random.default_rng(8)
    truth = rng.integers(2, size=300)

    def runs(share):
        levels = rng.normal(share, 0.01, size=(4, 1))
        return np.where(rng.random((4, 300)) < levels, truth, 1 - truth)

    return truth, {name: runs(share) for name, share in SHARES.items()}


@pytest.mark.parametrize("design", ["independent", "shared", "samples"])
def test_two_are_ranked_as_they_are_compared(design, data):
    truth, runs = data
    names = ["new", "old"]
    pair = [runs[name] for name in names]
    ranked = rw.rank(truth, *pair, names=names, runs=design, **FEW)
    compared = rw.compare(truth, *pair, names=names, runs=design, **FEW)
    assert np.array_equal(ranked.draws.psi, compared.draws.psi)
    assert ranked.pair("new", "old").delta == compared.delta
    assert ranked.scope.random == compared.scope.random


@pytest.mark.parametrize("design", ["independent", "shared"])
def test_many_are_ranked_by_joint_draws(design, data):
    truth, runs = data
    r = rw.rank(truth, runs, runs=design, **FEW)
    assert [model.name for model in r.by_rank] == list(SHARES)
    assert sum(r.p_best.values()) == pytest.approx(1)
    assert len(r.pairwise) == 6
    assert r.runs.n_runs == (4,) * 4
    assert r.runs.df == ((12,) if design == "independent" else (9,))
    assert r["new"].estimate.observed == pytest.approx((runs["new"] == truth).mean())
    assert r.pair("new", "first").decision.symbol == "≫"
    assert rw.rank(truth, runs, runs=design, threads=2, **FEW).to_dict() == r.to_dict()


def test_fixed_items_are_the_t_of_the_runs_of_all(data):
    from scipy import stats

    truth, runs = data
    asked = {**FEW, "rope": None, "draws": 20_000, "fixed": "items", "pool": False}
    r = rw.rank(truth, runs, runs="independent", **asked)
    shares = np.array([(each == truth).mean(axis=1) for each in runs.values()])
    scale = (shares.var(axis=1, ddof=1).mean() / 4) ** 0.5
    for k, own in enumerate(shares):
        assert stats.kstest(r.draws.psi[k], stats.t(12, own.mean(), scale).cdf).pvalue > 1e-4


def test_a_system_whose_runs_lie_far_apart_has_a_spread_of_its_own():
    rng = np.random.default_rng(3)
    seen = [rng.normal(0.8, sd, 5) for sd in (0.01, 0.01, 0.01, 0.2)]
    drawn = [np.repeat(each[:, np.newaxis], 10, axis=1) for each in seen]
    for made in (independent_runs(drawn, seen), shared_runs(drawn, seen)):
        assert made.spreads[0] is made.spreads[1] is made.spreads[2]
        assert made.spreads[3] is not made.spreads[0]
        assert made.spreads[3].df == 4
        assert made.spreads[3].s2 > made.spreads[0].s2
    alike = [seen[0] + shift for shift in (0.0, 0.01, 0.02, 0.03)]
    flat = [np.repeat(each[:, np.newaxis], 10, axis=1) for each in alike]
    assert len(independent_runs(flat, alike).distinct) == 1
    assert len(independent_runs(drawn[2:], seen[2:]).distinct) == 1  # of two a difference has the spread of both


def test_unequal_runs_known_spreads_and_those_that_have_none(data):
    truth, runs = data
    uneven = {"new": runs["new"], "old": runs["old"][:3], "base": runs["base"][:1]}
    r = rw.rank(truth, uneven, runs="independent", **FEW)
    assert r.runs.n_runs == (4, 3, 1)
    assert r.runs.df == (3, 2, 5)
    assert any("base has one run" in text for text in r.warnings)
    steady = rw.rank(truth, uneven, runs="independent", deterministic=["base", "old"], **FEW)
    assert steady.runs.df == (3, 0, 0)
    narrow, wide = (rw.rank(truth, runs, runs="independent", run_sd=sd, pool=False, **FEW) for sd in (0.0, 0.1))
    assert narrow["new"].estimate.std < wide["new"].estimate.std
    single = rw.rank(truth, {name: each[0] for name, each in runs.items()}, runs="independent", **FEW)
    assert single.scope.random == ("items",)


def test_a_long_table_is_ranked_as_arrays_are(data):
    truth, runs = (data[0][:60], {name: each[:, :60] for name, each in data[1].items()})
    table = {"item": list(range(60)) * 4, "seed": np.repeat(list("abcd"), 60).tolist(), "y": truth.tolist() * 4}
    table |= {name: each.ravel().tolist() for name, each in runs.items()}
    columns = {"truth": "y", "id": "item", "run": "seed", "predictions": list(runs)}
    told = rw.rank(table, runs="independent", **columns, **FEW)
    assert told.to_dict() == rw.rank(truth, runs, runs="independent", **FEW).to_dict()
    for wrong in (None, "new", ["new"]):
        with pytest.raises(RopewalkError) as refused:
            rw.rank(table, runs="independent", **{**columns, "predictions": wrong}, **FEW)
        assert refused.value.hint


def test_every_surface_shows_the_runs(data):
    truth, runs = data
    r = rw.rank(truth, {f"<i>{name}": each for name, each in runs.items()}, runs="shared", **FEW)
    written = json.loads(r.to_json())
    assert written["random"] == ["items", "shared runs"]
    assert written["runs"]["n_runs"] == [4] * 4
    assert sum(written["components"]["shares"].values()) == pytest.approx(1)
    text = r.to_text(details=True)
    assert "300 items × 4 runs each, shared by all" in text
    assert "Which runs were made" in text
    page = r.to_html()
    assert "The runs, one by one" in page
    assert "<i>new" not in page
    assert "4 runs each" in r.sentence()
    with pytest.raises(InvalidInputError, match="several runs"):
        r.predictive_check()


REFUSED = {
    "several names": ({"predictions": ["new"]}, "no columns to name"),
    "tasks": ({"task": np.zeros(300, int)}, "does not go with several runs"),
    "unknown": ({"deterministic": "nobody"}, "deterministic"),
    "named twice": ({"names": list("abcd")}, "names of their methods"),
    "pool": ({"pool": 3}, "pool"),
}


@pytest.mark.parametrize(("options", "match"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_ranked_is_refused_with_a_hint(options, match, data):
    with pytest.raises(RopewalkError, match=match) as refused:
        rw.rank(*data, runs="independent", metric="accuracy", **options)
    assert refused.value.hint
