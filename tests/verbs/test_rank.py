"""Ranking: two classifiers are `compare`, the probabilities are probabilities, and ties are shared."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk.draws.contrast import Question, contrast, mirrored
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.inference.drawing import MAX_WORK, QUICK_WORK, RANKING_WORK, looks
from ropewalk.inference.ranking import rank_probabilities
from ropewalk.report.document import describe


@pytest.fixture
def thin(rng):
    """Three classifiers of different skill on 300 items of 5 classes, and the truth."""
    y = rng.integers(0, 5, 300)
    return y, {name: np.where(rng.random(300) < p, y, rng.integers(0, 5, 300)) for name, p in
               (("good", 0.9), ("fair", 0.7), ("poor", 0.4))}  # fmt: skip


@pytest.mark.parametrize("metric", ["macro_f1", "accuracy", "kappa"])
@pytest.mark.parametrize("model", [None, "unpaired", "icdm2015"])
def test_two_classifiers_are_compare(thin, metric, model, silent, frugal):
    y, predictions = thin
    two = {name: predictions[name] for name in ("good", "fair")}
    how = {"metric": metric, "rope": 0.02, "rng": 3, "draws": 1_000, "model": model}
    ranking = rw.rank(y, two, **how)
    compared = rw.compare(y, *two.values(), names=list(two), **how)
    assert ranking.pairwise[0].delta == compared.delta
    assert ranking.pairwise[0].decision == compared.decision
    assert ranking["good"].estimate == compared.estimate_a
    assert ranking.p_best["good"] == pytest.approx(compared.prob_above_zero)


def test_two_classifiers_and_labels_are_compare(table):
    ranking = rw.rank(table, rope=0.05, rng=1, draws=5_000)
    compared = rw.compare(table, rope=0.05, rng=1, draws=5_000)
    assert ranking.pairwise[0].delta == compared.delta


def test_probabilities_add_up_and_the_best_is_best(thin):
    y, predictions = thin
    r = rw.rank(y, predictions, metric="macro_f1", rope=0.01, rng=0, draws=4_000)
    shares = np.array([model.rank_probabilities for model in r.models])
    assert shares.sum(axis=0) == pytest.approx(np.ones(3))
    assert shares.sum(axis=1) == pytest.approx(np.ones(3))
    assert sum(r.p_best.values()) == pytest.approx(1)
    assert [model.name for model in r.by_rank] == ["good", "fair", "poor"]
    assert sum(r.expected_rank.values()) == pytest.approx(1 + 2 + 3)
    assert r["good"].expected_loss < r["fair"].expected_loss < r["poor"].expected_loss
    assert [pair.decision.symbol for pair in r.pairwise] == ["≫", "≫", "≫"]


def test_less_is_better_for_errors(thin):
    y, predictions = thin
    r = rw.rank(y, predictions, metric="error", rope=0.01, rng=0, draws=4_000)
    assert r.by_rank[0].name == "good"
    assert r.pair("good", "poor").delta.mean < 0
    assert r.pair("good", "poor").decision.symbol == "≫"
    assert all(model.expected_loss >= 0 for model in r.models)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_identical_classifiers_share_equally(rng, n_labels, silent):
    y = rng.integers(0, n_labels, 200)
    same = np.where(rng.random(200) < 0.8, y, rng.integers(0, n_labels, 200))
    n = 20_000
    r = rw.rank(y, {"a": same, "b": same, "c": same}, metric="accuracy", rng=0, draws=n)
    assert list(r.p_best) == ["a", "b", "c"]
    for share in r.p_best.values():
        assert share == pytest.approx(1 / 3, abs=4.5 * np.sqrt(2 / 9 / n))


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=5))
def test_ties_share_their_ranks_equally(rows):
    psi = np.array(rows, dtype=float)
    shares = rank_probabilities(psi)
    assert shares.sum(axis=0) == pytest.approx(np.ones(len(psi)))
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(psi)))
    for i, j in np.ndindex(len(psi), len(psi)):
        if (psi[i] == psi[j]).all():
            assert shares[i].tolist() == shares[j].tolist()


def test_pairs_of_a_joint_fit_are_those_of_compare(news):
    """On 20 newsgroups every pair of the joint posterior lies within .1 posterior std of its own comparison."""
    how = {"metric": "macro_f1", "model": "tree", "rng": 0, "draws": 3_000}
    joint = rw.rank(news.outcomes, **how, pool=False)
    assert len(joint.pairwise) == 6
    for pair in joint.pairwise:
        alone = rw.compare(news.outcomes, a=pair.a, b=pair.b, **how)
        assert pair.delta.mean == pytest.approx(alone.mean, abs=0.1 * alone.std)
        assert pair.delta.std == pytest.approx(alone.std, rel=0.05)
        ends = (pair.delta.hdi.low, pair.delta.hdi.high)
        assert ends == pytest.approx((alone.hdi.low, alone.hdi.high), abs=0.25 * alone.std)


def test_every_way_in_gives_the_same_answer(thin, tmp_path, write):
    y, predictions = thin
    how = {"metric": "accuracy", "rope": 0.02, "rng": 0, "draws": 1_000}
    outcomes = rw.Outcomes.from_arrays(y, *predictions.values(), names=list(predictions))
    rows = zip(y, *predictions.values(), strict=True)
    path = write(tmp_path / "p.csv", [["y", *predictions], *rows])
    answers = [
        rw.rank(y, predictions, **how),
        rw.rank(y, *predictions.values(), names=list(predictions), **how),
        rw.rank(outcomes, **how),
        rw.rank(outcomes, predictions=list(predictions), **how),
        rw.rank(path, truth="y", predictions=list(predictions), **how),
    ]
    assert len({tuple(r.p_best.items()) for r in answers}) == 1
    apart = [outcomes.project([name]) for name in predictions]
    assert rw.rank(*apart, **how).p_best == rw.rank(outcomes, model="unpaired", **how).p_best


@pytest.mark.parametrize(
    ("data", "options", "told"),
    [
        (([0, 1], [0, 1]), {}, "at least two classifiers"),
        (([0, 1],), {}, "A single argument cannot be a list"),
        (([0, 1], {"a": [0, 1], "b": [1, 1]}), {"names": ["x", "y"]}, "`names` would name them twice"),
        (([0, 1], [0, 1], [1, 1]), {"predictions": ["x", "y"]}, "no columns to name"),
        (("nothing.csv",), {"truth": "y"}, "Name the columns of predictions"),
        ((rw.Outcomes.from_arrays([0, 1], [0, 1]),), {}, "at least two classifiers"),
        ((rw.Outcomes.from_arrays([0, 1], [0, 1]),) * 2, {"model": "paired"}, "these are separate tables"),
        ((rw.Outcomes.from_arrays([0, 1], [0, 1], [0, 1]),), {"predictions": "A"}, "`predictions` must be a list"),
        ((rw.Outcomes.from_arrays([0, 1], [0, 1], [0, 1], [1, 0]),), {"model": rw.models.Sigir2016()}, "got 3"),
    ],
)
def test_a_wrong_call_is_refused(data, options, told):
    with pytest.raises(InvalidInputError, match=told):
        rw.rank(*data, **options)


def test_a_missing_name_is_named(thin):
    r = rw.rank(thin[0], thin[1], metric="accuracy", rng=0, draws=1_000)
    with pytest.raises(KeyError, match="'good', 'fair', 'poor'"):
        r["best"]
    with pytest.raises(KeyError, match=r"no classifier 'best' here.\nHint: There are: 'good', 'fair', 'poor'"):
        r.pair("good", "best")


def test_json_is_the_contract(thin):
    r = rw.rank(*thin, metric="macro_f1", rope=0.01, rng=0, draws=2_000)
    told = r.to_dict()
    assert told["schema"] == 1
    for model in told["models"]:
        assert {"name", "observed", "mean", "std", "hdi", "p_best", "expected_rank", "rank_probabilities"} <= set(model)
    assert [(pair["a"], pair["b"]) for pair in told["pairwise"]] == [
        ("good", "fair"), ("good", "poor"), ("fair", "poor"),
    ]  # fmt: skip
    for pair in told["pairwise"]:
        assert {"delta", "regions", "decision"} <= set(pair)
        assert sum(pair["regions"].values()) == pytest.approx(1)


def test_all_renderings_hold_every_name(thin):
    y, predictions = thin
    r = rw.rank(y, predictions, metric="macro_f1", rope=0.01, rng=0, draws=2_000)
    for text in (str(r), r.to_markdown(), r.to_latex(), r.to_html(), r._repr_html_()):
        assert all(name in text for name in predictions)
    assert "significant" not in str(r)


def test_threads_do_not_change_the_answer(thin):
    how = {"metric": "macro_f1", "rope": 0.01, "rng": 0, "draws": 4_000}
    one, two = (rw.rank(*thin, threads=threads, **how) for threads in (1, 2))
    assert (one.draws.psi == two.draws.psi).all()


def test_many_classifiers_leave_types_unlisted(rng, silent):
    """With six classifiers most of the 877 types are never seen: they are drawn as sticks."""
    y = rng.integers(0, 6, 400)
    skills = np.linspace(0.5, 0.9, 6)
    predictions = {f"m{i}": np.where(rng.random(400) < p, y, rng.integers(0, 6, 400)) for i, p in enumerate(skills)}
    r = rw.rank(y, predictions, metric="accuracy", rng=0, draws=2_000)
    assert [model.name for model in r.by_rank] == [f"m{i}" for i in range(5, -1, -1)]
    for name, column in predictions.items():
        assert r[name].estimate.observed == (y == column).mean()
        # mu and the types weigh one pseudo-item a class each, half of it right: 12 of 412 items
        assert abs(r[name].estimate.mean - (y == column).mean()) < 12 / 412 * 0.5


def test_a_pair_is_a_minus_b_in_the_order_asked(thin):
    y, predictions = thin
    r = rw.rank(y, predictions, metric="accuracy", rope=(-0.02, 0.05), rng=0, draws=2_000)
    there, back = r.pair("good", "poor"), r.pair("poor", "good")
    assert there.delta.mean == pytest.approx(-back.delta.mean)
    assert (there.decision.symbol, back.decision.symbol) == ("≫", "≪")
    columns = [predictions[name] for name in ("poor", "good")]
    with_two = rw.compare(y, *columns, metric="accuracy", rope=(-0.02, 0.05), rng=0, draws=2_000)
    assert back.delta.observed == pytest.approx(with_two.delta.observed)


def test_separate_tables_get_names_and_all_labels(silent):
    tables = [rw.Outcomes.from_confusion(c) for c in ([[5, 1], [0, 6]], [[4, 2], [0, 6]], [[3, 3], [0, 6]])]
    r = rw.rank(*tables, metric="accuracy", rng=0, draws=500)
    assert list(r.p_best) == ["A", "B", "C"]
    odd = [table.rename([name]) for table, name in zip(tables, ["x", "any", "(all)"], strict=True)]
    assert list(rw.rank(*odd, metric="accuracy", rng=0, draws=500).p_best) == ["x", "any", "(all)"]
    wider = rw.Outcomes.from_confusion(np.eye(3, dtype=int) * 5)
    assert (
        rw.rank(tables[0], wider, names=["p", "q"], metric="accuracy", rng=0, draws=500).recipe.tables[0].n_labels == 3
    )


def test_a_pair_that_leaves_too_much_to_the_prior_has_no_verdict(rng, silent):
    y = rng.integers(0, 8, 40)
    a, b = np.where(rng.random(40) < 0.95, y, 0), np.where(rng.random(40) < 0.1, y, 0)
    r = rw.rank(y, {"a": a, "b": b, "c": a}, metric="macro_f1", rope=0.01, rng=0, draws=2_000, model="tree")
    assert r.pair("a", "b").decision is None
    assert any("leave too much to the prior" in told for told in r.warnings)
    assert any("macro_f1, a from " in told for told in r.notes)


def test_many_systems_are_pooled_and_two_are_not(rng):
    scores = {name: (rng.random(200) < 0.8).astype(float) for name in "abcdefgh"}
    how = {"metric": "mean", "draws": 4_000, "rng": 0}
    together, alone = rw.rank(scores, **how), rw.rank(scores, **how, pool=False)
    assert together.to_dict()["pool"] is True
    assert alone.to_dict()["pool"] is False
    means = [[model.estimate.mean for model in r.models] for r in (together, alone)]
    assert np.std(means[0]) < 0.7 * np.std(means[1])
    assert max(m.p_best for m in together.models) < max(m.p_best for m in alone.models)
    two = {name: scores[name] for name in "ab"}
    assert rw.rank(two, **how).recipe.pool is False
    with pytest.raises(rw.errors.InvalidInputError, match="cannot be pooled"):
        rw.rank(two, **how, pool=True)
    with pytest.raises(rw.errors.InvalidInputError, match="True or False"):
        rw.rank(scores, **how, pool="yes")


def test_the_same_systems_on_any_number_of_threads(news):
    how = {"metric": "accuracy", "rng": 0, "draws": 700}
    assert rw.rank(news.outcomes, **how).to_json() == rw.rank(news.outcomes, **how, threads=2).to_json()


@pytest.mark.parametrize("less", [False, True], ids=["more is better", "less is better"])
@pytest.mark.parametrize("middle", [-0.3, -0.06, 0.0, 0.08, 0.4])
@pytest.mark.parametrize("rule", ["hdi", "probability"])
def test_a_mirrored_difference_is_that_of_the_mirrored_draws(rng, middle, rule, less):
    draws = rng.normal(middle, 0.03, 4_000)
    asked = Question(rope=Interval(-0.05, 0.05), prob=0.95, rule=rule, higher_is_better=not less)
    there = contrast(draws, asked, observed=middle, names=("x", "y"))
    back = mirrored(there, asked, ("y", "x"))
    expected = contrast(-draws, asked, observed=-middle, names=("y", "x"))
    assert back.decision == expected.decision
    assert back.regions == expected.regions
    assert back.delta.mean == pytest.approx(expected.delta.mean)
    assert (back.delta.observed, back.delta.std) == (expected.delta.observed, pytest.approx(expected.delta.std))
    assert (back.prob_below_zero, back.prob_above_zero) == (expected.prob_below_zero, expected.prob_above_zero)
    assert tuple(back.delta.hdi) == pytest.approx(tuple(expected.delta.hdi))
    assert back.delta.hdi_mc_error == pytest.approx(expected.delta.hdi_mc_error)
    assert [piece.verdict for piece in back.rope_path] == [piece.verdict for piece in expected.rope_path]


def test_a_pair_without_a_verdict_has_none_from_the_other_side_either(silent):
    y = [0, 1] * 30
    poor = y[:30] + [0] * 30
    how = {"metric": "accuracy", "model": "bootstrap", "rope": (-0.05, 0.1), "rng": 0, "draws": 500, "pool": False}
    k = rw.rank(y, y, y, poor, names=["A", "B", "C"], **how)
    assert k.pair("A", "B").decision is None
    assert k.pair("B", "A").decision is None
    assert k.pair("A", "C").decision.symbol == "≫"
    assert k.pair("C", "A").decision.symbol == "≪"
    assert k.pair("C", "A").decision.text.endswith("(ROPE [-0.1, +0.05])")
    page = k.to_html()
    assert "no verdict" in page


def test_a_ranking_without_any_verdict_says_why(silent):
    y = [0, 1, 1, 0, 1, 0, 1, 1]
    k = rw.rank(y, y, [0] * 8, [1] * 8, metric="accuracy", model="bootstrap", rope=0.05, rng=0, draws=500)
    assert "fewer than 10 items" in str(k)
    assert "fewer than 10 items" in k.sentence()


def test_what_is_said_of_more_items_stands_beside_them(silent):
    """Pairs that are undecided look ahead; what comes of it is told with the table of pairs, and not without it."""
    y, calls = np.array([1, 0] * 14), {name: np.array([1, 0] * 14) for name in "abc"}
    for k, name in enumerate("abc"):
        calls[name][3 * k : 4 * k + 2] ^= 1
    r = rw.rank(y, calls, metric="f1", rope=0.05, rng=0)
    notes = {remark.text for pair in r.pairwise if pair.more for remark in pair.more.remarks}
    assert notes
    for note in notes:
        assert note[:40] not in r.to_text(width=10_000)
        assert note[:40] in r.to_text(width=10_000, details=True)
        assert note[:40] in r.to_html()


def test_one_system_beside_near_copies_of_another_is_not_called_equivalent_to_them(silent):
    """The copies hardly differ, so that pooling takes all skills to be alike; the items of the two know better."""
    rng = np.random.default_rng(1)
    y, right = rng.integers(0, 2, 2_000), rng.random(2_000) < 0.8
    said = [np.where(rng.random(2_000) < 0.85, y, 1 - y)]
    said += [np.where(np.where(rng.random(2_000) < 0.05, rng.random(2_000) < 0.8, right), y, 1 - y) for _ in range(5)]
    board = rw.Outcomes.from_arrays(y, *said, labels=[0, 1])
    ask = {"metric": "accuracy", "rope": 0.04, "draws": 2_000, "rng": 0}
    pairs = [rw.rank(board, pool=pool, **ask).pairwise[0] for pool in (True, False)]
    assert abs(pairs[0].delta.mean) < abs(pairs[1].delta.mean) - pairs[1].delta.std  # pulled
    assert pairs[0].decision is None
    assert pairs[1].decision is not None


def test_no_pair_has_a_verdict_that_its_own_items_do_not_give(news, silent):
    names = ["nb_bern", "nb_mult", "svm_l1", "svm_l2"]
    for rope in (0.003, 0.01, 0.03):
        together, alone = (
            rw.rank(news.outcomes.project(names), pos_label=8, rope=rope, draws=4_000, rng=0, pool=pool).pairwise
            for pool in (True, False)
        )
        for pair, own in zip(together, alone, strict=True):
            if pair.decision is not None and pair.decision.conclusive:
                assert own.decision.symbol == pair.decision.symbol


# -- how many draws ------------------------------------------------------------------------------------------


def test_a_ranking_without_a_doubtful_pair_stops_at_its_first_look(thin):
    r = rw.rank(*thin, metric="accuracy", rope=0.01, rng=0)
    assert all(pair.decision.stable and pair.decision.conclusive for pair in r.pairwise)
    assert len(r.draws) == r.drawing.looks[0] < r.drawing.looks[-1]
    assert all(before < after for before, after in pairwise(r.drawing.looks))


def test_a_pair_close_to_an_edge_is_drawn_on_and_said_to_be_unstable(thin, silent, monkeypatch):
    monkeypatch.setattr("ropewalk.inference.drawing.RANKING_WORK", RANKING_WORK // 3)
    first = rw.rank(*thin, metric="accuracy", rng=0)
    edge = first.pair("good", "fair").delta.hdi.low
    r = rw.rank(*thin, metric="accuracy", rope=edge, rng=0)
    assert len(r.draws) == r.drawing.looks[-1] > len(first.draws)
    assert not r.pair("good", "fair").decision.stable
    assert any(f"Drawing stopped at {len(r.draws):,} draws" in told for told in r.notes)
    for pair in r.pairwise:
        ends = zip(pair.delta.hdi, pair.delta.hdi_mc_error, strict=True)
        far = all(abs(end - side) > 4 * error for end, error in ends for side in (-edge, edge))
        assert far or not pair.decision.stable


@pytest.mark.parametrize("pool", [True, False])
def test_more_draws_go_on_where_fewer_stopped(thin, pool):
    """Also where the look that comes next does not begin with a block."""
    how = {"metric": "accuracy", "pool": pool, "rng": 0}
    automatic, longer = rw.rank(*thin, **how), rw.rank(*thin, **how, draws=12_345)
    n = len(automatic.draws)
    assert n == 10_000
    assert (longer.draws.psi[:, :n] == automatic.draws.psi).all()


def test_two_classifiers_are_looked_at_as_in_compare(thin):
    y, predictions = thin
    two = {name: predictions[name] for name in ("good", "fair")}
    how = {"metric": "accuracy", "rope": 0.01, "rng": 0}
    assert rw.rank(y, two, **how).drawing.looks == rw.compare(y, *two.values(), **how).drawing.looks


@given(work=st.integers(1, 10**9))
def test_a_comparison_looks_early_wherever_all_draws_take_more_than_a_second_or_two(work):
    class Stub:
        def __init__(self):
            self.work = work

    at = looks([Stub()])
    assert all(before < after for before, after in pairwise(at))
    assert at[0] <= 10_000 or at[0] * work <= QUICK_WORK
    assert at[-1] <= 10_000 or at[-1] * work <= MAX_WORK


@given(work=st.integers(1, 10**9), n_classifiers=st.integers(3, 40))
def test_looks_of_a_ranking_grow_and_end_with_its_work(work, n_classifiers):
    class Stub:
        def __init__(self):
            self.work = work

    n_pairs = n_classifiers * (n_classifiers - 1) // 2
    at = looks([Stub()], n_pairs=n_pairs)
    assert at[0] in {2_000, 10_000, 50_000}
    assert all(before < after for before, after in pairwise(at))
    assert at[-1] <= 10_000 or at[-1] * (work + 25 * n_pairs) <= RANKING_WORK


def test_expected_ranks_have_no_digit_that_draws_do_not_carry(rng):
    y = rng.integers(0, 2, 100)
    alike = {name: np.where(rng.random(100) < 0.8, y, 1 - y) for name in "abcde"}
    for draws, decimals in ((300, 1), (5_000, 1), (200, 0)):
        r = rw.rank(y, alike, metric="accuracy", rng=0, draws=draws)
        table = next(table for table in describe(r).tables if "expected rank" in table.header)
        place = table.header.index("expected rank")
        for model, row in zip(r.by_rank, table.rows, strict=True):
            variance = sum(p * (k - model.expected_rank) ** 2 for k, p in enumerate(model.rank_probabilities, 1))
            said = len(row[place].partition(".")[2])
            assert said == 0 or 10.0**-said >= np.sqrt(variance / draws)
            assert float(row[place]) == pytest.approx(model.expected_rank, abs=0.5 * 10.0**-said + 1e-9)
            if draws == 300:
                assert said == decimals


def test_pooled_means_carry_the_error_of_what_pooling_was_learned_from(rng):
    """Means and covariances are those of the first 10,000 draws, so 40,000 draws do not halve the error of a mean."""
    y = rng.integers(0, 2, 300)
    alike = {name: np.where(rng.random(300) < 0.85, y, 1 - y) for name in "abc"}
    how = {"metric": "accuracy", "draws": 40_000}
    several = [rw.rank(y, alike, **how, rng=seed) for seed in range(12)]
    for k in range(3):
        estimates = [r.models[k].estimate for r in several]
        assert estimates[0].mc_error == pytest.approx(estimates[0].std / 100)
        # 12 seeds tell a standard deviation to 21%
        assert np.std([estimate.mean for estimate in estimates], ddof=1) < 1.8 * estimates[0].mc_error
    own = rw.rank(y, alike, **how, rng=0, pool=False).models[0].estimate
    assert own.mc_error == pytest.approx(own.std / 200)
    assert "40,000 draws worth 10,000" in several[0].to_text(details=True)
