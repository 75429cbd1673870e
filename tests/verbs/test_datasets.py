"""Algorithms over folds and data sets: published and converged numbers, properties, refusals, every surface."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.data.score_table import ScoreTable, refuse_folds
from ropewalk.errors import ColumnNotFoundError, DataError, InvalidInputError, LengthMismatchError
from ropewalk.inference.dataset_folds import best_beyond_folds
from support import need

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

TWENTY = [
    0.013, 0.039, 0.036, 0.002, 0.006, 0.001, 0.023, 0.011, 0.027, -0.025, 0.043, 0.01, 0.026, 0.009, 0.004, 0.021,
    0.028, 0.008, 0.009, 0.026,
]  # fmt: skip
TWELVE = [-0.008, -0.018, 0.003, 0.016, 0.031, 0.01, -0.003, -0.008, 0.023, 0.041, 0.013, -0.017]
HOSTILE = "<script>alert(1)</script>|\n{%}\u202e"


def regions(found):
    return [found.below, found.inside, found.above]


def by_dataset(z, a="a", b="b", level=0.8):
    return {"data": [f"d{i}" for i in range(len(z))], a: [level + one for one in z], b: [level] * len(z)}


def by_fold(differences, level=0.8):
    q, n = np.shape(differences)
    rng = np.random.default_rng(5)
    base = level + rng.normal(0, 0.03, (q, n))
    return {
        "data": np.repeat([f"d{i}" for i in range(q)], n).tolist(),
        "fold": np.tile(np.arange(n), q).tolist(),
        "a": (base + differences).ravel().tolist(),
        "b": base.ravel().tolist(),
    }


SIX = np.random.default_rng(1).normal(np.array([0.02, -0.01, 0.03, 0.0, 0.015, 0.01])[:, None], 0.02, (6, 10))
FOLDS = by_fold(SIX)
MANY = {
    "data": np.repeat(np.arange(5_001), 3), "fold": np.tile(np.arange(3), 5_001), "a": np.arange(15_003) ** 2 / 3e8,
    "b": np.zeros(15_003),
}  # fmt: skip


def compared(table=None, **options):
    asked = {"dataset": "data", "fold": "fold", "a": "a", "b": "b", "rope": 0.01, "draws": 4_000, "rng": 0}
    return rw.compare_datasets(FOLDS if table is None else table, **{**asked, **options})


# -- folds of one data set -----------------------------------------------------------------------------------------


def test_folds_have_the_correlated_t():
    a = 0.8 + np.array(TWENTY)
    r = rw.compare_folds(a, np.full(20, 0.8), folds=10, repeats=2, rope=0.01)
    expected = (0.00033202503119587483, 0.18437444416149817, 0.8152935308073059)
    assert regions(r.regions) == pytest.approx(expected, abs=1e-9)
    assert (r.mean, *r.hdi) == pytest.approx((0.01585, 0.0025323870649736346, 0.029167612935026364), abs=1e-9)
    assert r.prob_above_zero == pytest.approx(0.9889221624638398, abs=1e-9)
    scale = np.std(TWENTY, ddof=1) * math.sqrt(1 / 20 + 1 / 9)
    assert r.regions.above == pytest.approx(stats.t(19, np.mean(TWENTY), scale).sf(0.01), abs=1e-9)
    assert r.cautious.high - r.cautious.low > r.hdi.high - r.hdi.low


def test_folds_of_uci():
    columns = rw.examples.uci_folds()
    rows = [i for i, name in enumerate(columns["dataset"]) if name == "squash-unstored"]
    a, b = ([columns[name][i] for i in rows] for name in ("nbc", "aode"))
    r = rw.compare_folds(a, b, folds=10, repeats=10, rope=0.01, metric="accuracy", names=["nbc", "aode"])
    assert regions(r.regions) == pytest.approx((0.27075330484658905, 0.6512477646298395, 0.07799893052357144), abs=1e-9)
    assert rw.compare_folds(np.reshape(a, (10, 10)), np.reshape(b, (10, 10)), folds=10, repeats=10, rope=0.01).mean == (
        pytest.approx(-0.004)
    )


def test_sizes_of_splits_and_rho_say_how_folds_overlap():
    a, b = 0.8 + np.array(TWENTY), np.full(20, 0.8)
    whole = rw.compare_folds(a, b, folds=10, repeats=2)
    assert rw.compare_folds(a, b, n_train=90, n_test=10).hdi.low == pytest.approx(whole.hdi.low, abs=1e-12)
    assert rw.compare_folds(a, b, rho=0.1).hdi.low == pytest.approx(whole.hdi.low, abs=1e-12)
    assert whole.rho == pytest.approx(0.1)


def test_folds_that_are_all_alike_have_no_verdict():
    with pytest.warns(rw.errors.DegenerateDataWarning, match="all 10 folds show the same difference"):
        r = rw.compare_folds([0.8] * 10, [0.8] * 10, folds=10, rope=0.01)
    assert regions(r.regions) == pytest.approx((0, 1, 0), abs=1e-9)
    assert r.decision is None
    apart = rw.compare_folds([0.85] * 10, [0.8] * 10, folds=10, rope=0.01)
    assert apart.decision is None
    assert apart.mean == pytest.approx(0.05)
    wider = rw.compare_folds([0.85] * 10, [0.8] * 10, rho=0.1, n_train=90, n_test=10, rope=0.01)
    assert wider.hdi.high - wider.hdi.low > 0.01


@pytest.mark.parametrize(
    ("a", "b", "options", "error", "match"),
    [
        (TWENTY, TWENTY[:5], {"folds": 10}, LengthMismatchError, "A 20, B 5"),
        (TWENTY, TWENTY, {}, InvalidInputError, "overlap"),
        (TWENTY, TWENTY, {"folds": 10}, DataError, "repeats=2"),
        (TWENTY, TWENTY, {"folds": 10, "repeats": 3}, DataError, "20 scores"),
        (TWENTY, TWENTY, {"repeats": 2}, InvalidInputError, "folds"),
        (TWENTY, TWENTY, {"n_train": 5}, InvalidInputError, "together"),
        (TWENTY, TWENTY, {"folds": 20, "n_train": 5, "n_test": 2}, InvalidInputError, "too"),
        (TWENTY, TWENTY, {"rho": 1}, InvalidInputError, "rho"),
        (TWENTY, TWENTY, {"folds": 1, "repeats": 20}, InvalidInputError, "folds"),
        (TWENTY, TWENTY, {"folds": 20, "prob": 2}, InvalidInputError, "prob"),
        (TWENTY, TWENTY, {"folds": 20, "rule": "f"}, InvalidInputError, "rule"),
        (TWENTY, TWENTY, {"folds": 20, "metric": 7}, InvalidInputError, "metric"),
        ([80.0] * 10, [81.0] * 10, {"folds": 10, "rope": 0.01}, InvalidInputError, "per cent"),
        ([0.1, 0.2], [0.1, 0.3], {"folds": 2}, DataError, "2 folds"),
        ([0.1, math.nan, 0.2], [0.1, 0.3, 0.2], {"folds": 3}, DataError, "NaN"),
        (["a", "b", "c"], [0.1, 0.3, 0.2], {"folds": 3}, DataError, "numbers"),
    ],
)
def test_wrong_folds_are_a_clear_error(a, b, options, error, match):
    with pytest.raises(error, match=match) as caught:
        rw.compare_folds(a, b, **options)
    assert caught.value.hint


# -- one score per data set ----------------------------------------------------------------------------------------


def test_twelve_data_sets_by_signed_ranks_and_signs():
    r = rw.compare_datasets(by_dataset(TWELVE), dataset="data", a="a", b="b", rope=0.01, rng=0)
    assert regions(r.next) == pytest.approx((0.10074074074074074, 0.5022222222222221, 0.397037037037037), abs=1e-9)
    for ours, theirs in zip(regions(r.most_probable), (0.004555, 0.6633975, 0.3320475), strict=True):
        assert abs(ours - theirs) < 4.5 * math.sqrt(theirs * (1 - theirs) * (1 / 50_000 + 1 / 400_000))
    assert regions(r.sign.next) == pytest.approx((2 / 13, 6 / 13, 5 / 13), abs=1e-9)
    assert r.decision.code == "undecided"
    assert r.decision.leaning == "equivalent"
    assert "leaning too small to matter on most pairs of data sets" in r.headline
    assert r.to_latex().partition("\n")[0].count("12 data sets") == 1
    assert r.mean == pytest.approx(np.mean(TWELVE), abs=5e-4)
    assert r.recipe.rule == "probability"
    assert r.population is None
    assert r.units == ()


def test_exchanging_the_two_mirrors_the_answer():
    table = by_dataset(TWELVE)
    r, turned = (
        rw.compare_datasets(table, dataset="data", a=a, b=b, rope=0.01, rng=0, draws=2_000) for a, b in ("ab", "ba")
    )
    assert regions(turned.next) == pytest.approx(regions(r.next)[::-1], abs=1e-12)
    assert regions(turned.most_probable) == pytest.approx(regions(r.most_probable)[::-1], abs=1e-12)
    assert turned.decision.leaning == r.decision.leaning
    lower = rw.compare_datasets(table, dataset="data", a="a", b="b", rope=0.01, higher_is_better=False, rng=0)
    assert lower.regions == lower.most_probable
    for called in ("error", "log_loss", "Hinge loss"):
        named = rw.compare_datasets(table, dataset="data", a="a", b="b", rope=0.01, metric=called, rng=0)
        assert named.decision.code == lower.decision.code
    wins = [0.05] * 12
    assert (
        rw.compare_datasets(by_dataset(wins), dataset="data", a="a", b="b", rope=0.01, rng=0).decision.code
        == "a_better"
    )
    lower = rw.compare_datasets(
        by_dataset(wins), dataset="data", a="a", b="b", rope=0.01, higher_is_better=False, rng=0
    )
    assert lower.decision.code == "b_better"


def test_a_data_set_without_a_score_is_left_out_and_told_of():
    table = by_dataset(TWELVE)
    fewer = by_dataset(TWELVE[:11])
    table["a"] = [*table["a"][:11], None]
    r, same = (rw.compare_datasets(t, dataset="data", a="a", b="b", rope=0.01, rng=0) for t in (table, fewer))
    assert r.next == same.next
    assert any("1 of 12 data sets lacks a score" in note for note in r.notes)


@pytest.mark.parametrize(
    ("change", "options", "error", "match"),
    [
        ({"data": ["d0"] * 12}, {}, DataError, "several rows"),
        ({"data": ["d0", None] + [f"d{i}" for i in range(10)]}, {}, DataError, "empty in 1 row, first in row 2"),
        ({"a": ["x"] * 12}, {}, DataError, "must hold numbers"),
        ({"a": [math.inf] * 12}, {}, DataError, "infinite"),
        ({"a": [None] * 8 + [0.8] * 4}, {}, DataError, "4 data sets in common"),
        ({"a": [0.8] * 11}, {}, LengthMismatchError, "same length"),
        ({"a": [80.0] * 12}, {}, InvalidInputError, "per cent"),
        ({}, {"a": "c"}, ColumnNotFoundError, "'c'"),
        ({}, {"a": "b"}, InvalidInputError, "named twice"),
        ({}, {"model": "hierarchical"}, InvalidInputError, "takes scores of folds"),
        ({}, {"model": "t"}, InvalidInputError, "hierarchical"),
        ({}, {"population": "normal"}, InvalidInputError, "population"),
        ({}, {"rule": "hdi"}, InvalidInputError, "most data sets"),
        ({}, {"dataset": 3}, InvalidInputError, "must be a text"),
    ],
)
def test_wrong_data_sets_are_a_clear_error(change, options, error, match):
    asked = {"dataset": "data", "a": "a", "b": "b", "rope": 0.01, **options}
    with pytest.raises(error, match=match) as caught:
        rw.compare_datasets({**by_dataset(TWELVE), **change}, **asked)
    assert caught.value.hint


def test_a_table_may_come_in_any_form(tmp_path):
    table = by_dataset(TWELVE)
    path = tmp_path / "scores.csv"
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    path.write_text("\n".join(lines), encoding="utf-8")
    asked = {"dataset": "data", "a": "a", "b": "b", "rope": 0.01, "rng": 0, "draws": 500}
    expected = rw.compare_datasets(table, **asked).to_dict()
    for form in (path, need("pandas").DataFrame(table), need("polars").DataFrame(table)):
        assert rw.compare_datasets(form, **asked).to_dict() == expected
    for nonsense in (7, [1, 2], None, np.zeros((3, 3))):
        with pytest.raises(InvalidInputError, match="cannot be"):
            rw.compare_datasets(nonsense, **asked)


# -- folds on data sets --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "next_one", "mean"),
    [
        ("hierarchical", (0.176207095479, 0.239205798566, 0.584587105955), 0.015128532583),
        ("corani2017", (0.180021545474, 0.235995465648, 0.583982988878), 0.015227071517),
    ],
)
def test_54_data_sets_of_100_folds(model, next_one, mean):
    r = rw.compare_datasets(
        rw.examples.uci_folds(), dataset="dataset", fold="fold", repeat="repeat", a="hnb", b="nbc", rope=0.01, rng=0,
        model=model,
    )  # fmt: skip
    assert regions(r.next) == pytest.approx(next_one, abs=1e-3)
    assert r.mean == pytest.approx(mean, abs=2e-4)


@pytest.mark.slow
def test_many_data_sets_without_a_spread_are_warned_of():
    table = rw.examples.uci_folds()
    places = {"dataset": "dataset", "fold": "fold", "repeat": "repeat"}
    r = rw.compare_datasets(table, **places, a="j48", b="j48gr", rope=0.01, rng=0)
    assert any("On 14 of 54 data sets all folds show the same difference" in text for text in r.warnings)
    assert r.decision.code == "equivalent"


def test_folds_on_data_sets_have_a_population():
    r = compared()
    assert sum(regions(r.next)) == pytest.approx(1)
    assert sum(regions(r.most_probable)) == pytest.approx(1)
    assert r.delta.observed == pytest.approx(SIX.mean())
    assert [unit.name for unit in r.units] == [f"d{i}" for i in range(6)]
    assert [unit.observed for unit in r.units] == pytest.approx(SIX.mean(axis=1))
    assert [unit.se for unit in r.units] == pytest.approx(SIX.std(axis=1, ddof=1) * math.sqrt(1 / 10 + 1 / 9))
    assert all(unit.n == 10 for unit in r.units)
    centre = r.mean
    for unit in r.units:
        between = sorted([unit.observed, centre])
        assert between[0] - 0.004 < unit.estimate.mean < between[1] + 0.004
    assert np.allclose(r.draws.delta().mean(), r.mean, atol=4 * r.std / math.sqrt(4_000))
    assert r.tau == r.population.tau_median
    assert r.scope.random == ("data sets", "training sets", "test sets")


def test_order_and_unit_of_measurement_do_not_matter():
    r = compared(population="normal")
    order = np.random.default_rng(0).permutation(60)
    shuffled = {name: [column[i] for i in order] for name, column in FOLDS.items()}
    assert regions(compared(shuffled, population="normal").next) == pytest.approx(regions(r.next), abs=1e-9)
    percent = {**FOLDS, **{name: [100 * x for x in FOLDS[name]] for name in "ab"}}
    scaled = compared(percent, population="normal", rope=1.0)
    assert regions(scaled.next) == pytest.approx(regions(r.next), abs=1e-9)
    assert scaled.mean == pytest.approx(100 * r.mean, rel=1e-9)
    turned = compared(population="normal", a="b", b="a")
    assert regions(turned.next) == pytest.approx(regions(r.next)[::-1], abs=2e-4)


def test_lost_and_uneven_folds_are_told_of():
    holes = {**FOLDS, "a": [None if i in {3, 17} else x for i, x in enumerate(FOLDS["a"])]}
    r = compared(holes, population="normal")
    assert [unit.n for unit in r.units] == [9, 9, 10, 10, 10, 10]
    assert any("2 folds without both scores" in note for note in r.notes)
    shorter = {name: column[:55] for name, column in FOLDS.items()}
    r = compared(shorter, population="normal")
    assert r.units[-1].n == 5
    assert any("from 5 to 10 folds" in note for note in r.notes)
    assert r.units[-1].se == pytest.approx(SIX[5, :5].std(ddof=1) * math.sqrt(1 / 5 + 1 / 4))


def test_repeats_are_rows_of_their_own():
    twice = {name: [*column, *column] for name, column in FOLDS.items()}
    twice["rep"] = [1] * 60 + [2] * 60
    r = compared(twice, repeat="rep", population="normal")
    assert all(unit.n == 20 for unit in r.units)
    differences = np.concatenate([SIX[0], SIX[0]])
    assert r.units[0].se == pytest.approx(differences.std(ddof=1) * math.sqrt(1 / 20 + 1 / 9))
    with pytest.raises(DataError, match="same fold twice"):
        compared(twice)


def test_a_data_set_without_a_spread_keeps_its_mean():
    still = SIX.copy()
    still[2] = 0.05
    with pytest.warns(rw.errors.RopewalkWarning, match="1 of 6 data sets all folds"):
        r = compared(by_fold(still), population="normal")
    assert r.units[2].observed == pytest.approx(0.05)
    assert 0 < r.units[2].se < r.units[0].se


@pytest.mark.parametrize(
    ("table", "options", "match"),
    [
        (by_fold(SIX[:2]), {}, "at least 3"),
        (by_fold(SIX[:, :2]), {}, "Fewer than 3 folds"),
        (by_fold(np.zeros((4, 5))), {}, "nothing is known of their spread"),
        ({name: [] for name in FOLDS}, {}, "no rows"),
        (FOLDS, {"rho": 0}, "rho"),
        (FOLDS, {"tau_prior": "flat"}, "tau_prior"),
        (FOLDS, {"model": "corani2017", "population": "normal"}, "population"),
    ],
)
def test_wrong_folds_of_data_sets_are_a_clear_error(table, options, match):
    with pytest.raises(InvalidInputError, match=match) as caught:
        compared(table, **options)
    assert caught.value.hint


def test_every_surface_says_it():
    table = {**FOLDS, "data": [HOSTILE if name == "d0" else name for name in FOLDS["data"]]}
    asked = {"dataset": "data", "a": "a", "b": "b", "rope": 0.01, "rng": 0, "draws": 1_000}
    for r in (
        compared(table, population="normal"),
        rw.compare_datasets(by_dataset(TWELVE), **asked, tests=True),
        rw.compare_folds(FOLDS["a"][:10], FOLDS["b"][:10], folds=10, rope=0.01),
        rw.pool([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], names=[HOSTILE, "b", "c"], rope=0.1),
        rw.rank_datasets({**by_dataset(TWELVE), "c": [0.5] * 12}, dataset="data", scores=["a", "b", "c"], tests=True),
    ):
        told = json.loads(r.to_json())
        assert {"estimand", "random", "fixed"} <= told.keys()
        page = r.to_html()
        assert "<script>alert(1)" not in page
        assert r.scope.random[0] in page
        assert "times the items here" not in page
        for text in (str(r), r.to_text(details=True), r.to_markdown(), r.to_latex(), r.sentence(), r._repr_html_()):
            assert "\u202e" not in text
            assert "nan" not in text.lower().replace("nano", "")


@pytest.mark.parametrize("tau_prior", ["jeffreys", "uniform"])
def test_three_data_sets_are_said_on_every_surface(tau_prior):
    """Their posterior has no standard deviation, under the uniform prior not even a mean."""
    r = compared(by_fold(SIX[:3]), population="normal", tau_prior=tau_prior)
    told = json.loads(r.to_json())
    assert told["delta"]["std"] is None
    assert (told["delta"]["mean"] is None) == (tau_prior == "uniform")
    for text in (str(r), r.to_text(details=True), r.to_html(), r.to_latex(), r.to_markdown(), r.sentence()):
        assert "mostly ignorance" in text or "data sets" in text
        assert "inf" not in text.replace("info", "").replace("inference", "")[:400]
    for estimate in (r.estimate_a, r.estimate_b):
        assert 0 <= estimate.hdi.low < estimate.hdi.high <= 1


def test_a_margin_with_one_end_is_never_equivalence():
    for rope in ((-0.01, math.inf), (-math.inf, 0.01), (0.0, math.inf)):
        r = rw.compare_datasets(by_dataset(TWELVE), dataset="data", a="a", b="b", rope=rope, rng=0, draws=2_000)
        assert "equivalent" not in str(r)
        assert "on most pairs of data sets" in r.headline.lower()


def test_what_takes_items_is_refused_with_a_hint():
    found = compared(population="normal")
    for ask in (found.predictive_check, found.items, found.prior_sensitivity, found.more_data, found.graph):
        with pytest.raises(InvalidInputError) as caught:
            ask()
        assert caught.value.hint


def test_frames_have_the_next_one_and_the_units():
    frame = compared(population="normal").to_frame("polars")
    assert {"next_below", "next_inside", "next_above", "tau"} <= set(frame.columns)
    units = rw.pool([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], names=["x", "y", "z"], rope=0.1).to_frame("polars")
    assert units["unit"].to_list() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("change", "options", "match"),
    [
        (lambda t: {**t, "fold": t["fold"]}, {"fold": None, "repeat": "fold"}, "no column of folds is named"),
        (lambda t: {name: cells[:10] for name, cells in t.items()}, {}, "at least 3 of them.*got 1"),
        (lambda t: {name: cells + cells[:2] for name, cells in t.items()}, {}, "same fold twice of 'd0'"),
        (lambda t: {name: cells[::10] for name, cells in t.items()}, {}, "Fewer than 3 folds"),
        (lambda t: {**t, "a": [0.8] * 60, "b": [0.8] * 60}, {}, "nothing is known of their spread"),
        (lambda t: {**t, "a": [math.nan] * 60}, {}, "got 0"),
        (lambda t: {**t, "a": [math.inf, *t["a"][1:]]}, {}, "infinite"),
        (lambda t: {**t, "a": ["x", *t["a"][1:]]}, {}, "must hold numbers"),
        (lambda _: MANY, {}, "up to 5,000 data sets"),
    ],
)
def test_folds_that_say_too_little_are_a_clear_error(change, options, match):
    with pytest.raises(rw.errors.RopewalkError, match=match) as caught:
        compared(change(FOLDS), **options)
    assert caught.value.hint


def test_noise_within_a_rope_that_ends_at_zero():
    table = {**FOLDS, "a": FOLDS["b"][:10] + FOLDS["a"][10:]}
    r = compared(table, rope=(0, 0.02), model="corani2017")
    assert math.isfinite(r.mean)
    assert any("noise within the ROPE" in text for text in r.warnings)


# -- K classifiers -------------------------------------------------------------------------------------------------


def test_a_ranking_has_the_pairs_of_compare():
    rng = np.random.default_rng(2)
    table = {"data": list(range(20)), **{name: (0.8 + rng.normal(0, 0.03, 20)).tolist() for name in "abc"}}
    r = rw.rank_datasets(table, dataset="data", scores=["a", "b", "c"], rope=0.01, rng=0)
    assert sum(r.p_best.values()) == pytest.approx(1)
    assert sum(model.p_best_next for model in r.models) == pytest.approx(1)
    for pair in r.pairwise:
        alone = rw.compare_datasets(table, dataset="data", a=pair.a, b=pair.b, rope=0.01, rng=0)
        assert pair.next == alone.next
        assert regions(pair.most_probable) == pytest.approx(regions(alone.most_probable), abs=0.02)
        assert pair.n == 20
    wins = np.argmax([table["a"], table["b"], table["c"]], axis=0)
    assert r["a"].p_best_next == pytest.approx(((wins == 0).sum() + 1 / 3) / 21)
    assert r["a"].estimate.mean == pytest.approx(np.mean(table["a"]), abs=1e-3)


def test_a_ranking_by_mean_rank_has_the_ranks_of_each_data_set():
    rng = np.random.default_rng(3)
    scores = np.round(0.8 + rng.normal([0, 0.01, 0.02], 0.03, (20, 3)), 2)
    scores[0] = [0.1, 0.99, 0.5]  # one data set far out moves means, and ranks hardly
    table = {"data": list(range(20)), **dict(zip("abc", scores.T.tolist(), strict=True))}
    asked = {"dataset": "data", "scores": ["a", "b", "c"], "rope": 0.01, "draws": 20_000, "rng": 0}
    r, by_score = rw.rank_datasets(table, by="rank", **asked), rw.rank_datasets(table, **asked)
    ranks = stats.rankdata(-scores, axis=1)
    weighted = ranks.T @ np.random.default_rng(1).dirichlet(np.ones(20), 40_000).T
    best = (weighted == weighted.min(axis=0)).mean(axis=1)
    for k, model in enumerate(r.models):
        assert model.mean_rank.observed == pytest.approx(ranks[:, k].mean())
        assert model.mean_rank.mean == pytest.approx(ranks[:, k].mean(), abs=0.01)
        assert abs(model.p_best - best[k]) < 4.5 * math.sqrt(best[k] * (1 - best[k]) * (1 / 20_000 + 1 / 40_000))
        assert model.expected_loss == pytest.approx((weighted[k] - weighted.min(axis=0)).mean(), abs=0.01)
        assert model.estimate == by_score[model.name].estimate
    assert r.p_best != by_score.p_best
    leader = max(r.p_best, key=r.p_best.get)
    assert f"{leader} had the best mean rank of 3 classifiers with probability" in r.sentence()
    assert "by mean rank" in r.headline
    assert "mean rank" not in by_score.headline
    assert r.scope.estimand == "mean rank of 3 classifiers, over data sets like these"
    assert [pair.next for pair in r.pairwise] == [pair.next for pair in by_score.pairwise]
    written = json.loads(r.to_json())
    assert (written["by"], written["models"][0]["mean_rank"]["mean"]) == ("rank", r.models[0].mean_rank.mean)
    turned = {**table, **{name: [-x for x in table[name]] for name in "abc"}}
    lower = rw.rank_datasets(turned, by="rank", higher_is_better=False, **asked)
    assert lower.p_best == r.p_best


def three_by_folds(q=6, folds=10):
    rng = np.random.default_rng(7)
    centre = rng.normal([0.80, 0.81, 0.83], 0.02, (q, 3))
    scores = centre[:, None] + rng.normal(0, 0.03, (q, folds, 3))
    return {
        "data": np.repeat([f"d{i}" for i in range(q)], folds).tolist(),
        "fold": np.tile(np.arange(folds), q).tolist(),
        **{name: scores[:, :, k].ravel().tolist() for k, name in enumerate("abc")},
    }


def test_folds_are_ranked_pair_by_pair_as_compare_judges_them():
    table = three_by_folds()
    asked = {"dataset": "data", "fold": "fold", "rope": 0.01, "draws": 4_000, "rng": 0, "population": "normal"}
    r = rw.rank_datasets(table, scores=["a", "b", "c"], **asked)
    alone = rw.compare_datasets(table, a="a", b="c", **asked)
    pair = r.pair("a", "c")
    assert (pair.next, pair.most_probable, pair.delta) == (alone.next, alone.most_probable, alone.delta)
    turned = r.pair("c", "a")
    assert regions(turned.next) == regions(pair.next)[::-1]
    assert regions(turned.most_probable) == regions(pair.most_probable)[::-1]
    assert turned.n == pair.n
    assert r.recipe.model.name == "hierarchical"
    assert sum(model.p_best_next for model in r.models) == pytest.approx(1)
    table["a"] = [None if name == "d0" else x for name, x in zip(table["data"], table["a"], strict=True)]
    r = rw.rank_datasets(table, scores=["a", "b", "c"], **asked)
    assert [pair.n for pair in r.pairwise] == [5, 5, 6]
    assert all(math.isnan(model.p_best_next) for model in r.models)
    (said,) = [text for text in (*r.notes, *r.warnings) if "score of a or b" in text]
    assert "1 of 6 data sets lacks" in said
    assert rw.compare_datasets(table, a="a", b="c", **asked).units[0].name == "d1"


def test_the_best_on_the_next_data_set_is_without_the_noise_of_folds():
    """Data sets differ by .01 and folds by .05: the observed best of a data set is mostly that of its folds."""
    rng, q, n, rho = np.random.default_rng(0), 54, 20, 0.1
    centres, spread = np.linspace(0, 0.01, 5), 0.01
    found, seen = [], []
    for study in range(40):
        theta = centres + spread * rng.standard_normal((q, 1, 5))
        common, own = rng.standard_normal((q, 1, 5)), rng.standard_normal((q, n, 5))
        scores = theta + 0.05 * (math.sqrt(rho) * common + math.sqrt(1 - rho) * own)
        table = ScoreTable(
            names=tuple("abcde"), datasets=tuple(map(str, range(q))), dataset=np.repeat(np.arange(q), n),
            values=scores.reshape(-1, 5), fold=np.tile(np.arange(n), q),
        )  # fmt: skip
        found.append(best_beyond_folds(table, 1_000, study, rho=rho, higher_is_better=True))
        seen.append(np.bincount(scores.mean(axis=1).argmax(axis=1), minlength=5) / q)
    further = centres + spread * rng.standard_normal((100_000, 5))
    truth = np.bincount(further.argmax(axis=1), minlength=5) / len(further)
    error = np.std(found, axis=0) / math.sqrt(len(found))
    assert np.abs(np.mean(found, axis=0) - truth).max() < 0.02 + 3 * error.max()
    assert np.mean(seen, axis=0)[-1] < truth[-1] - 0.07


def test_missing_scores_leave_pairs_and_no_best():
    rng = np.random.default_rng(2)
    table = {"data": list(range(20)), **{name: (0.8 + rng.normal(0, 0.03, 20)).tolist() for name in "abc"}}
    table["c"][:6] = [None] * 6
    with pytest.warns(rw.errors.RopewalkWarning):
        r = rw.rank_datasets(table, dataset="data", scores=["a", "b", "c"], rope=0.01, rng=0)
    assert [pair.n for pair in r.pairwise] == [20, 14, 14]
    assert all(math.isnan(p) for p in r.p_best.values())
    assert json.loads(r.to_json())["models"][0]["p_best"] is None
    assert any("P(best)" in text for text in r.warnings)
    (said,) = [text for text in r.warnings if "lack a score" in text]
    assert said.startswith("6 of 20 data sets lack a score of a or c and are left out of that pair; as many of 1 other")
    leader = max("abc", key=lambda name: np.mean(table[name][6:]))
    assert f"{leader} had the best score of 3 classifiers (" in r.sentence()
    alone = rw.compare_datasets(table, dataset="data", a="a", b="c", rope=0.01, rng=0)
    assert r.pair("a", "c").next == alone.next
    table["c"][:16] = [None] * 16
    with pytest.raises(DataError, match="4 data sets in common"):
        rw.rank_datasets(table, dataset="data", scores=["a", "b", "c"], rope=0.01)
    with pytest.raises(InvalidInputError, match="at least two columns"):
        rw.rank_datasets(table, dataset="data", scores=["a"])


def test_the_tests_of_many_stand_beside_it():
    columns = rw.examples.uci_folds()
    means = {name: np.array(columns[name]).reshape(54, 100).mean(axis=1) for name in ("nbc", "aode", "hnb")}
    r = rw.rank_datasets({"d": list(range(54)), **means}, dataset="d", scores=list(means), tests=True, draws=500)
    assert r.classical["friedman"].statistic == pytest.approx(stats.friedmanchisquare(*means.values()).statistic)
    assert r.classical["nemenyi"].ranks == rw.classical.nemenyi(means).ranks


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("fold", True), ("Folds", True), ("fold no", True), ("foldId", True), ("k_fold", True), ("KFold", True),
        ("outer_fold", True), ("cv.split", True), ("Resample", True), ("repetition_id", True), ("folder", False),
        ("twofold", False), ("split", False), ("id", False), ("manifold", False), ("repeated", False),
    ],
)  # fmt: skip
def test_names_of_columns_that_are_of_folds(name, refused):
    frame = need("polars").DataFrame({name: [1, 2], "a": [0.1, 0.2]})
    if not refused:
        return refuse_folds((frame,), {})
    with pytest.raises(InvalidInputError, match="share training items"):
        refuse_folds((frame,), {})
    return refuse_folds((frame,), {"id": name})


# -- what the plain mean refuses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["fold", "Fold #", "repeat", "cv_fold"])
def test_folds_are_no_items_of_a_mean(column):
    frame = need("pandas").DataFrame({column: [0, 1, 2, 3], "a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.2, 0.3, 0.5]})
    for ask in (
        lambda: rw.compare(frame, a="a", b="b", metric="mean"),
        lambda: rw.rank(frame, predictions=["a", "b"], metric="mean"),
        lambda: rw.evaluate(frame, "a", metric="mean"),
    ):
        with pytest.raises(InvalidInputError, match="scores of folds share training items") as caught:
            ask()
        assert "compare_folds" in caught.value.hint
    frame["item"] = list("abcd")
    assert rw.compare(frame, a="a", b="b", metric="mean", id="item", draws=500, rng=0).mean < 0


# -- the engine for estimates made elsewhere -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "s", "options", "match"),
    [
        ([0.1, 0.2], [0.1, 0.1], {}, "at least 3"),
        ([0.1, 0.2, 0.3], [0.1, 0.1], {}, "3 estimates and 2"),
        ([0.1, 0.2, 0.3], [0.1, 0.0, 0.1], {}, "positive"),
        ([0.1, math.nan, 0.3], [0.1, 0.1, 0.1], {}, "finite"),
        ([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], {"df": [1, 2]}, "df"),
        ([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], {"df": 0}, "df"),
        ([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], {"names": ["a", "a", "b"]}, "names"),
        ([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], {"population": "flat"}, "population"),
        ([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], {"rope": -1}, "rope"),
    ],
)
def test_wrong_estimates_are_a_clear_error(m, s, options, match):
    with pytest.raises(InvalidInputError, match=match) as caught:
        rw.pool(m, s, **options)
    assert caught.value.hint


def test_three_units_have_no_standard_deviation():
    r = rw.pool([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], rope=0.1, rng=0)
    assert json.loads(r.to_json())["population"]["mu"]["std"] is None
    assert any("mostly ignorance" in text for text in r.warnings)
    assert rw.pool([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], tau_prior="uniform", rng=0).mu.mean != 0.2  # there is none


@pytest.mark.parametrize("given", [([1.0, 2.0], [1.0, 2.0]), ({"d": ["x"]},)])
def test_what_is_no_table_with_its_columns_named_is_refused(given):
    with pytest.raises(InvalidInputError, match="columns of one table") as refused:
        rw.compare_datasets(*given)
    assert "rw.compare_folds" in refused.value.hint
