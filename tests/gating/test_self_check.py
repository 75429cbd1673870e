"""Is a gate sane? What is simulated of it is like the data, and comes out as closed forms say."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

import ropewalk as rw
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.gating.self_check import GateStudy, contradicted_in, met_in, promised, rows_of, self_check
from ropewalk.gating.worlds import population_of, power_for
from ropewalk.models import observed_psi
from ropewalk.planning.study import BATCH
from ropewalk.report.describe.self_check import self_check_blocks
from ropewalk.report.document import Alarm, Table
from ropewalk.results import Gate
from ropewalk.results.gates import Requirement
from ropewalk.results.self_check import SelfCheck, Share, SimulatedCheck, SimulatedStudies
from ropewalk.text.units import POINTS

FIVE = 5.0  # standard errors


def labels(n=400, score=0.85, agreement=0.92, n_labels=2, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    a = np.where(rng.random(n) < score, y, rng.integers(0, n_labels, n))
    b = np.where(rng.random(n) < agreement, a, rng.integers(0, n_labels, n))
    return y, a, b


def graded(n=300, seed=2):
    rng = np.random.default_rng(seed)
    a = (rng.random(n) < 0.8).astype(float)
    return a, np.where(rng.random(n) < 0.93, a, 1 - a)


def population(*data, metric="accuracy", **how):
    recipe = rw.compare(*data, metric=metric, goal="not_worse", margin=0.02, draws=1_000, rng=0, **how).recipe
    return recipe, population_of(recipe)


def difference(recipe, tables):
    psi = observed_psi(tables, recipe.metric, recipe.prevalence)
    return psi[0] - psi[1]


def checked(*data, studies=100, require="not-worse", margin=0.03, metric="accuracy", **how):
    gate = rw.gate(*data, require=require, margin=margin, metric=metric, draws=2_000, rng=0, **how)
    return self_check(gate.checks, seed=0, studies=studies)


# -- truths ------------------------------------------------------------------------------------------------


def scores_with_truth(n=300):
    rng = np.random.default_rng(3)
    y = (rng.random(n) < 0.4).astype(int)
    a = rng.normal(size=n) + y
    return y, a, 0.7 * a + 0.5 * rng.normal(size=n) + 0.3 * y


CLUSTERS = np.repeat(np.arange(80), 5)
CASES = {
    "accuracy": (labels(), {"metric": "accuracy"}),
    "F1": (labels(), {"metric": "f1"}),
    "error": (labels(), {"metric": "error"}),
    "macro-F1": (labels(n_labels=4), {"metric": "macro_f1"}),
    "another class mix": (labels(), {"metric": "precision", "prevalence": 0.2}),
    "separate test sets": (labels(), {"metric": "accuracy", "model": "unpaired"}),
    "clusters": (labels(), {"metric": "accuracy", "cluster": CLUSTERS}),
    "weights": (labels(), {"metric": "accuracy", "sample_weight": np.linspace(0.5, 2, 400)}),
    "scores": ((None, *graded()), {"metric": "mean"}),
    "clustered scores": ((None, *graded(400)), {"metric": "mean", "cluster": CLUSTERS}),
    "areas": (scores_with_truth(), {"metric": "roc_auc"}),
}


@pytest.mark.parametrize("delta", [0.0, 0.03, -0.03])
@pytest.mark.parametrize("case", CASES)
def test_a_large_test_set_of_a_truth_has_just_its_difference(case, delta):
    data, how = CASES[case]
    recipe, found = population(*data, **how)
    world, rng = found.at(delta), np.random.default_rng(4)
    size = 10_000
    seen = [difference(recipe, world.draw(rng, size)) for _ in range(12)]
    error = np.std(seen, ddof=1) / math.sqrt(len(seen))
    assert world.delta == delta
    # A metric that is no mean is off by a part of its variance.
    assert np.mean(seen) == pytest.approx(delta, abs=FIVE * error + 2e-4)


def test_without_a_difference_the_law_is_the_same_with_answers_exchanged():
    _, found = population(*labels())
    codes, probs = found.even
    law = {tuple(code): p for code, p in zip(codes.tolist(), probs, strict=True)}
    assert all(law[t, a, b] == pytest.approx(law[t, b, a], rel=1e-12) for t, a, b in law)


def test_classes_stay_as_frequent_however_far_the_systems_differ():
    _, found = population(*labels(n_labels=3), metric="macro_f1")
    rng, n = np.random.default_rng(0), 200_000
    shares = found.table.items_by_class() / found.table.n_items
    seen = found.at(0.06).draw(rng, n)[0].items_by_class() / n
    assert np.abs(seen - shares).max() < FIVE * 0.5 / math.sqrt(n)


def test_of_labels_alone_the_tilt_is_that_of_the_closed_form():
    """By the tilt exp(±x) of the two kinds of items on which just one is right, in classes that are alike."""
    table = Outcomes.from_pairs(positive=(400, 40, 40, 20), negative=(20, 40, 40, 400))
    recipe, found = population(table)
    counts = found.at(0.03).draw(np.random.default_rng(1), 2_000_000)[0]
    right = counts.codes[:, 1:] == counts.codes[:, [0]]
    only = [counts.counts[right[:, k] & ~right[:, 1 - k]].sum() / counts.n_items for k in (0, 1)]
    share = np.mean([80.5, 80.5]) / 1_001  # of either kind before, with half an item unseen
    x = power_for(lambda x: share * 2 * math.sinh(x) / (1 - 2 * share + 2 * share * math.cosh(x)), 0.03)
    whole = 1 - 2 * share + 2 * share * math.cosh(x)
    wanted = [share * math.exp(sign * x) / whole for sign in (1, -1)]
    assert only == pytest.approx(wanted, abs=5 * math.sqrt(0.1 / 2e6))
    assert recipe.rope.low == -0.02


def test_two_that_never_differ_could_differ_on_items_not_seen():
    y, a, _ = labels()
    recipe, found = population(y, a, a)
    world = found.at(-0.02)
    assert difference(recipe, world.draw(np.random.default_rng(0), 500_000)) == pytest.approx(-0.02, abs=0.001)
    assert found.even[1][[t != a or t != b for t, a, b in found.even[0]]].sum() < 0.3  # and hardly more often


def test_a_difference_that_no_such_data_show_is_out_of_reach():
    _, found = population(None, *graded(), metric="mean")
    assert found.at(0.9) is None
    same = np.linspace(0, 1, 50)
    assert population(None, same, same, metric="mean")[1].at(0.02) is None


def test_clusters_stay_whole():
    y, a, b = labels()
    recipe, found = population(y, a, b, cluster=CLUSTERS)

    def contents(table):
        held = {}
        parts = table.clusters
        for row, cluster, count in zip(parts.row, parts.cluster, parts.counts, strict=True):
            held.setdefault(int(cluster), []).append((*table.codes[row].tolist(), int(count)))
        return [tuple(sorted(rows)) for rows in held.values()]

    known = set(contents(recipe.tables[0]))
    known |= {tuple(sorted((t, q, p, n) for t, p, q, n in rows)) for rows in known}
    drawn = contents(found.at(0.02).draw(np.random.default_rng(0), 60)[0])
    assert len(drawn) == 60
    assert set(drawn) <= known


def repeated(kind):
    """Return 120 items with four repeats each; A is always right and B never."""
    item = np.repeat(np.arange(120), 4)
    one, none = np.ones(480), np.zeros(480)
    if kind == "scores":
        items = ItemScores.from_arrays(None, one, none, cluster=item)
        recipe = rw.compare(items, metric="mean", goal="not_worse", margin=0.02, draws=1_000, rng=0).recipe
    else:
        table = Outcomes.from_arrays(one.astype(int), one.astype(int), none.astype(int), cluster=item, labels=[0, 1])
        recipe = rw.compare(table, metric="accuracy", goal="not_worse", margin=0.02, draws=1_000, rng=0).recipe
    return replace(recipe, repeated=True)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("kind", ["scores", "labels"])
def test_repeats_are_halved_and_both_halves_are_of_one_system(kind):
    world, rng = population_of(repeated(kind)).rerun(), np.random.default_rng(0)
    tables = [world.draw(rng, 50)[0] for _ in range(20)]
    recipe = repeated(kind)
    scores = np.array([observed_psi((table,), recipe.metric) for table in tables])
    assert (scores[:, 0] == scores[:, 1]).all()
    assert set(scores[:, 0]) == {0.0, 1.0}  # now the one system, now the other
    assert all(table.n_items == 100 and table.n_clusters == 50 for table in tables)


def test_without_repeats_nothing_was_run_twice():
    assert population(*labels(), cluster=CLUSTERS)[1].rerun() is None


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("metric", ["accuracy", "mean"])
@pytest.mark.parametrize(("each", "twice"), [(1, True), (2, False)])
def test_clusters_are_repeats_where_each_is_one_item(metric, each, twice):
    y, a, b = (list(map(int, column)) for column in labels(n=200))
    truth, ids = y if metric == "accuracy" else None, [f"item {i // 4}" for i in range(200)]
    recipe, found = population(truth, a, b, metric=metric, id=ids, cluster=[i // 4 // each for i in range(200)])
    assert (found.rerun() is not None) is twice
    assert recipe.n_clusters == 50 // each


def test_a_system_that_was_run_twice_is_said_first():
    a, b = graded(400)
    ids = [i // 4 for i in range(400)]
    (one,) = checked(None, a, b, metric="mean", id=ids, cluster=ids, studies=20)
    assert [world.kind for world in one] == ["rerun", "same", "margin"]
    first, second = one.told(str)[:2]
    assert first.startswith("If the same system had been run twice, with half as many")
    assert second.startswith("If nothing set the two apart")


# -- what comes of them ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_power_and_the_number_of_items_are_those_of_the_normal_approximation():
    table = Outcomes.from_pairs(positive=(400, 20, 20, 60), negative=(60, 20, 20, 400))  # 8% on one alone
    gate = rw.gate(table, require="not-worse", margin=0.025, metric="accuracy", rng=0)
    (one,) = self_check(gate.checks, seed=0, studies=400)
    std = math.sqrt(0.08 / 1_000)
    power = ndtr(0.025 / std - 1.96)
    same = one.of("same")
    assert same.passes.share == pytest.approx(power, abs=FIVE * math.sqrt(power * (1 - power) / 400))
    assert one.n_needed == pytest.approx(0.08 * ((1.96 + 0.8416) / 0.025) ** 2, rel=0.25)
    assert one.low < one.n_needed < one.high


def test_at_the_margin_it_passes_about_as_often_as_promised():
    table = Outcomes.from_pairs(positive=(400, 40, 40, 20), negative=(20, 40, 40, 400))
    gate = rw.gate(table, require="not-worse", margin=0.03, metric="accuracy", rng=0)
    (one,) = self_check(gate.checks, seed=1, studies=600)
    margin = one.of("margin")
    assert (margin.better_by, margin.holds, one.promised) == (-0.03, False, 0.025)
    assert margin.passes.share == pytest.approx(0.025, abs=FIVE * math.sqrt(0.025 * 0.975 / 600))
    assert one.sane


@pytest.mark.slow
def test_where_less_is_better_worse_is_more():
    (one,) = checked(*labels(), metric="error", studies=40)
    assert one.of("margin").better_by == -0.03
    better, worse = checked(*labels(), metric="accuracy", studies=40).checks[0], one
    assert worse.of("same").passes.share == pytest.approx(better.of("same").passes.share, abs=0.4)


@pytest.mark.parametrize(
    ("require", "margin", "kinds"),
    [
        ("not-worse", 0.03, {("same", 0.0): True, ("margin", -0.03): False}),
        ("not-worse", 0.0, {("same", 0.0): False}),
        ("better", 0.0, {("same", 0.0): False, ("beyond", 0.01): True, ("beyond", 0.02): True}),
        ("better", 0.02, {("same", 0.0): False, ("margin", 0.02): False, ("beyond", 0.04): True}),
        ("equivalent", 0.05, {("same", 0.0): True, ("margin", -0.05): False, ("margin", 0.05): False}),
    ],
)
def test_the_truths_of_each_requirement(require, margin, kinds):
    (one,) = checked(*labels(n=100), require=require, margin=margin, studies=20)
    assert {(world.kind, world.better_by): world.holds for world in one} == kinds
    assert (one.needed_at is None) == (margin == 0 and require == "not-worse")


@pytest.mark.slow
def test_a_gain_that_no_margin_states_is_looked_at_in_the_units_of_the_scores():
    rng = np.random.default_rng(0)
    data = (None, rng.normal(50, 10, 100), rng.normal(50, 10, 100))
    (one,) = checked(*data, require="better", margin=0.0, metric="mean", scale=(0, 100), studies=20)
    assert one.of("beyond").better_by > 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same_answer_on_any_number_of_threads():
    gate = rw.gate(*labels(), require="not-worse", margin=0.03, metric="accuracy", draws=2_000, rng=0)
    once, again = (self_check(gate.checks, seed=7, studies=60, threads=threads) for threads in (1, 2))
    assert once.to_dict() == again.to_dict()
    assert once.to_dict() != self_check(gate.checks, seed=8, studies=60).to_dict()


def test_right_and_wrong_need_one_weight_for_all_items_alike():
    """The variance of the mean is that of a Dirichlet over the four kinds of items and those imagined."""
    recipe, found = population(None, *graded(), metric="mean")
    values, shapes = rows_of(recipe, recipe.model.fit(found.items))
    assert shapes.size == 4
    assert shapes.sum() == pytest.approx(302)
    study = GateStudy(source=found.at(0.0), recipe=recipe, rope=recipe.rope, draws=1)
    psi = study._scores(np.random.default_rng(0), recipe.model, [(found.items,)], 40_000)[:, 0]
    d, mean = values[0] - values[1], (shapes / shapes.sum()) @ (values[0] - values[1])
    std = math.sqrt((shapes / shapes.sum()) @ (d - mean) ** 2 / (shapes.sum() + 1))
    delta = psi[0] - psi[1]
    assert delta.mean() == pytest.approx(mean, abs=FIVE * std / 200)
    assert delta.std() == pytest.approx(std, rel=FIVE / math.sqrt(2 * 40_000))


def test_an_interval_of_no_width_is_undecided():
    recipe, found = population(None, *graded(), metric="mean")
    study = GateStudy(source=found.at(0.0), recipe=recipe, rope=recipe.rope, draws=200)
    batch = study.batch((300, 0))
    flat = replace(batch, judged=replace(batch.judged, low=batch.judged.high, verdict=np.zeros(BATCH, dtype=int)))
    assert met_in(flat, "not_worse") == contradicted_in(flat, "not_worse") == 0


@pytest.mark.parametrize(("how", "share"), [({}, 0.025), ({"prob": 0.9}, 0.05), ({"rule": "probability"}, 0.05)])
def test_what_is_promised_follows_from_the_interval(how, share):
    recipe = rw.compare(*labels(), metric="accuracy", goal="better", draws=500, rng=0, **how).recipe
    assert promised(recipe) == share


# -- what cannot be simulated ------------------------------------------------------------------------------


def test_what_cannot_be_simulated_says_why_and_gives_no_number():
    rng = np.random.default_rng(0)
    many = [(rng.random((100, 3)) < 0.5).astype(int) for _ in range(3)]
    (one,) = checked(*many, metric="micro_f1")
    assert "any number of labels" in one.reason
    assert (one.worlds, one.sane, one.n_needed) == ((), None, None)
    assert one.told(str) == [f"Not simulated: {one.reason}."]
    assert set(one.to_dict()) == {"metric", "require", "margin", "task", "reason"}


def test_answers_about_runs_say_that_they_are_not_simulated():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 60)
    new, old = (np.where(rng.random((3, 60)) < right, truth, 1 - truth) for right in (0.9, 0.6))
    asked = {"metric": "accuracy", "runs": "independent", "require": "better", "draws": 500, "rng": 0}
    (one,) = rw.gate(truth, new, old, self_check=True, **asked).self_check
    assert "runs" in one.reason
    assert not one.worlds


def test_a_truth_out_of_reach_is_named():
    same = np.linspace(0, 1, 60)
    (one,) = checked(None, same, same, metric="mean", studies=20)
    assert one.left_out == (-0.03,)
    assert any("which no data like these show" in line for line in one.told(str))


# -- what is said ------------------------------------------------------------------------------------------


def simulated(met, **fields):
    world = SimulatedStudies(kind="margin", better_by=-0.02, holds=False, studies=1_000, met=met, contradicted=15)
    requirement = Requirement(require="not-worse", margin=0.02)
    return SimulatedCheck(requirement=requirement, metric="accuracy", worlds=(world,), n_units=925, **fields)


@pytest.mark.parametrize(("met", "sane"), [(0, True), (25, True), (33, True), (60, False)])
def test_a_gate_is_sane_unless_it_passes_wrongly_beyond_doubt_more_often_than_promised(met, sane):
    check = SelfCheck(checks=(simulated(met),), seed=0)
    assert check.sane is sane
    alarms = [block for block in self_check_blocks(check)[0].blocks if isinstance(block, Alarm)]
    assert bool(alarms) is not sane


def test_a_share_of_none_is_a_bound():
    assert (Share(0, 1_000).text, Share(1_000, 1_000).text) == ("<0.3%", ">99.7%")
    assert (Share(19, 1_000).text, Share(620, 1_000).text) == ("1.9%", "62%")
    assert Share(19, 1_000).with_interval == "1.9% [1.2, 2.9]"


def test_the_sentences_say_who_and_how_much():
    check = simulated(25, a="new", needed_at=0.0, n_needed=1_472, low=1_440, high=1_504, unit=POINTS)
    assert check.told(str) == [
        "If new were worse by exactly 2 points, it would wrongly pass 2.5% [1.6, 3.6] of the time (2.5% promised).",
        "To pass 80% of the time with no difference it needs about 1,480 items; there are 925.",
    ]
    assert check.titled(str) == "accuracy not-worse 2 points"
    more = replace(check, n_needed=None, n_most=925_000, worlds=())
    assert more.told(str) == [
        "To pass 80% of the time with no difference it needs more than 925,000 items; there are 925."
    ]


@pytest.mark.slow
def test_the_answer_of_a_gate_holds_it_on_every_surface():
    gate = rw.gate(*labels(n=100), metric="accuracy", require="not-worse", margin=0.05, rng=0, draws=2_000)
    gate = replace(gate, self_check=self_check(gate.checks, seed=0, studies=20))
    assert isinstance(gate, Gate)
    written = json.loads(gate.to_json())["self_check"]
    assert [world["kind"] for world in written["checks"][0]["studies"]] == ["same", "margin"]
    assert written["checks"][0]["n"] == 100
    for text in (str(gate), gate.to_html(), gate.to_markdown()):
        assert "no difference" in text
    assert "If nothing had changed, this gate would pass" in " ".join(str(gate).split())


def test_hostile_names_are_escaped_on_the_page():
    y, a, b = labels(n=100)
    bad = "<script>alert(1)</script>"
    gate = rw.gate(y, {bad: a, "old": b}, metric="accuracy", require="better", rng=0, draws=2_000)
    gate = replace(gate, self_check=self_check(gate.checks, seed=0, studies=20))
    assert bad not in gate.to_html()
    (section,) = self_check_blocks(gate.self_check)
    assert any(isinstance(block, Table) for block in section.blocks)


def test_it_is_asked_for_by_an_option(monkeypatch):
    asked = {}

    def simulate(checks, **how):
        asked.update(how, number=len(checks))
        return SelfCheck(checks=(simulated(25),), seed=how["seed"])

    monkeypatch.setattr("ropewalk.gating.self_check.self_check", simulate)
    how = {"metric": "accuracy", "rng": 3, "draws": 500, "threads": 2}
    gate = rw.gate(*labels(n=60), require=["better", "not-worse 2%"], self_check=True, **how)
    assert gate.self_check.seed == 3
    assert asked == {"seed": 3, "threads": 2, "number": 2}
    assert rw.gate(*labels(n=60), require="better", **how).self_check is None


# -- exchanging A and B ------------------------------------------------------------------------------------

MIRRORED = {"met": "contradicted", "contradicted": "met", "undecided": "undecided"}


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@settings(max_examples=20)
@given(
    st.lists(st.integers(0, 60), min_size=8, max_size=8).filter(lambda counts: sum(counts) > 20),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_exchanging_the_systems_mirrors_the_outcome(counts, margin):
    table = Outcomes.from_pairs(positive=counts[:4], negative=counts[4:])
    how = {"metric": "accuracy", "margin": margin, "rng": 0, "draws": 5_000}

    def outcome(require, a, b):
        return rw.gate(table, a=a, b=b, require=require, **how).outcome

    # Draws of the two differ, so that one of them may lie within Monte Carlo error of the margin: it is undecided then.
    for one, other in (("not-worse", "better"), ("better", "not-worse")):
        pair = outcome(one, "A", "B"), MIRRORED[outcome(other, "B", "A")]
        assert pair[0] == pair[1] or "undecided" in pair
    pair = outcome("equivalent", "A", "B"), outcome("equivalent", "B", "A")
    assert pair[0] == pair[1] or "undecided" in pair


@pytest.mark.parametrize("shift", [0, 150, 300])
def test_far_from_the_margin_exchanging_mirrors_exactly(shift):
    table = Outcomes.from_pairs(positive=(400, 20 + shift, 20, 60), negative=(60, 20, 20 + shift, 400))
    how = {"metric": "accuracy", "margin": 0.1, "rng": 0}
    ours = rw.gate(table, a="A", b="B", require="better", **how).outcome
    theirs = rw.gate(table, a="B", b="A", require="not-worse", **how).outcome
    assert ours == MIRRORED[theirs] == ("met" if shift else "contradicted")


# -- seeds -------------------------------------------------------------------------------------------------


def exit_codes(seeds, draws, off):
    """Return what a gate says by seed whose interval ends `off` beside the margin, as far as 200,000 draws tell."""
    table = Outcomes.from_pairs(positive=(400, 30, 35, 60), negative=(60, 35, 30, 400))
    margin = off - rw.compare(table, metric="accuracy", rng=99, draws=200_000).hdi.low
    how = {"metric": "accuracy", "require": "not-worse", "margin": round(margin, 6), "draws": draws}
    return [rw.gate(table, **how, rng=seed).exit_code for seed in range(seeds)]


@pytest.mark.parametrize("off", [0.0, 5e-4, -5e-4])
def test_the_same_data_never_pass_by_one_seed_and_fail_by_another(off):
    assert len(set(exit_codes(12, 10_000, off)) - {3}) <= 1


@pytest.mark.slow
def test_two_hundred_seeds_give_one_exit_code_or_undecided():
    """Where some of them settle the question, and others say that draws could decide."""
    assert set(exit_codes(200, "auto", 5e-4)) == {0, 3}
