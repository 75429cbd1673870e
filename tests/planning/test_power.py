"""Power: what simulated test sets come to, against normal theory, brute force, and itself in other orders."""

from __future__ import annotations

import itertools
import json
import math
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import ropewalk as rw
from ropewalk.draws.decision import judge, judge_each
from ropewalk.draws.intervals import Interval, summarise
from ropewalk.errors import InvalidInputError, PosLabelError, RopewalkError
from ropewalk.inference.goals import share_interval
from ropewalk.planning.posing import pose
from ropewalk.text.verdicts import VERDICTS, Verdict
from support import frugality, need, without_warnings

SCENARIO = rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
Z = stats.norm.ppf(0.975)
INFINITY = float("inf")
FEW = {"simulations": 60, "draws": 200, "rng": 0}


def accuracies(only_a, only_b, both=0.6):
    """Return a scenario in which A alone, B alone and both are right on these shares of the items."""
    pairs = (both, only_a, only_b, 1 - both - only_a - only_b)
    return rw.BinaryScenario(positive=pairs, negative=pairs[::-1])


def spread(only_a, only_b, n):
    """Return the standard deviation of an observed difference of accuracies."""
    return math.sqrt((only_a + only_b - (only_a - only_b) ** 2) / n)


def error(share, simulations):
    """Return 4.5 standard errors of a simulated share, and a point for the Monte Carlo error of the HDI."""
    return 4.5 * math.sqrt(max(share * (1 - share), 0.25 / simulations) / simulations) + 0.01


def counts(row):
    return {verdict: round(share * row.simulations) for verdict, share in row.decisions.items()}


# -- many verdicts at once ------------------------------------------------------------------------------------

draws = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(2, 60)), elements=st.floats(-1, 1, width=16))
ropes = st.tuples(st.floats(-0.5, 0.375, width=16), st.floats(0.01, 0.5)).map(lambda r: Interval(r[0], r[0] + r[1]))
open_ropes = st.sampled_from([Interval(-INFINITY, 0.05), Interval(-0.05, INFINITY), Interval(0.0, 0.5)])


@given(draws, st.one_of(ropes, open_ropes), st.floats(0.05, 0.99), st.sampled_from(["hdi", "probability"]))
def test_many_at_once_are_judged_as_each_alone(delta, rope, prob, rule):
    ordered = np.sort(delta, axis=1)
    for up in (True, False):
        how = {"prob": prob, "rule": rule, "higher_is_better": up}
        judged = judge_each(ordered, rope, **how)
        for i, row in enumerate(ordered):
            estimate = summarise(delta[i], row, prob=prob, observed=None)
            assert VERDICTS[judged.verdict[i]] is judge(estimate, row, rope, **how)[1]
            assert (judged.low[i], judged.high[i]) == (estimate.hdi.low, estimate.hdi.high)
            assert judged.mean[i] == pytest.approx(estimate.mean, abs=1e-12)


@pytest.mark.parametrize(("hits", "trials"), [(0, 20), (3, 20), (10, 20), (20, 20), (260, 1_000)])
def test_the_interval_of_a_share_is_the_shortest_that_holds_it(hits, trials):
    low, high = share_interval(hits, trials)
    beta = stats.beta(hits + 1, trials - hits + 1)
    assert beta.cdf(high) - beta.cdf(low) == pytest.approx(0.95, abs=1e-6)
    assert low <= hits / trials <= high
    starts = np.linspace(0, 0.05, 2_001)
    assert high - low <= (beta.ppf(starts + 0.95) - beta.ppf(starts)).min() + 1e-6


# -- the rows ---------------------------------------------------------------------------------------------------


def test_rows_follow_the_order_of_n_and_add_up():
    r = rw.power(SCENARIO, n=[800, 100, 400], goal="A≫B", rope=0.05, **FEW)
    assert [row.n for row in r] == [800, 100, 400]
    for row in r:
        assert sum(row.decisions.values()) == pytest.approx(1)
        assert row.power == row.decisions[Verdict.A_BETTER]
        assert row.low <= row.power <= row.high
        assert row.wrong == pytest.approx(row.decisions[Verdict.EQUIVALENT] + row.decisions[Verdict.B_BETTER])
        assert row.simulations == 60


@pytest.mark.parametrize("signs", [("A≫B", ">>"), ("A≪B", "<<"), ("A≈B", "~")], ids=["more", "less", "alike"])
def test_signs_may_be_typed(signs):
    scenario = {"A≫B": SCENARIO, "A≪B": accuracies(0.1, 0.3, 0.5), "A≈B": accuracies(0.1, 0.1)}[signs[0]]
    one, two = (rw.power(scenario, 300, goal=sign, rope=0.05, metric="accuracy", **FEW) for sign in signs)
    assert one.to_dict() == two.to_dict()


def test_the_conclusive_goal_counts_three_verdicts():
    row = rw.power(SCENARIO, 500, rope=0.05, **FEW)[0]
    three = [row.decisions[v] for v in (Verdict.EQUIVALENT, Verdict.A_BETTER, Verdict.B_BETTER)]
    assert row.power == pytest.approx(sum(three))
    assert row.conclusive == pytest.approx(row.power)


def test_a_row_does_not_know_the_other_rows():
    alone = rw.power(SCENARIO, 300, rope=0.05, **FEW)[0]
    assert rw.power(SCENARIO, [50, 300, 1_000], rope=0.05, **FEW)[1] == alone
    assert rw.power(SCENARIO, [1_000, 300], rope=0.05, **FEW)[1] == alone


def test_more_simulations_begin_with_the_fewer():
    rows = [rw.power(SCENARIO, 300, rope=0.05, simulations=s, draws=200, rng=3)[0] for s in (7, 20, 35, 61, 200)]
    for fewer, more in itertools.pairwise(rows):
        assert all(counts(fewer)[v] <= counts(more)[v] for v in Verdict)
    assert [row.simulations for row in rows] == [7, 20, 35, 61, 200]


def test_simulations_of_one_size_differ_from_one_another():
    study = pose(SCENARIO, goal="conclusive", rope=0.05, rng=0, draws=200).study
    means = np.concatenate([study.batch((300, i)).judged.mean for i in range(5)])
    assert len(np.unique(means)) == 100
    assert np.corrcoef(means[:-1], means[1:])[0, 1] == pytest.approx(0, abs=4.5 / math.sqrt(99))


def test_another_seed_gives_another_answer():
    tables = [rw.power(SCENARIO, 500, rope=0.05, rng=seed, simulations=100, draws=200)[0] for seed in (0, 1)]
    assert tables[0].decisions != tables[1].decisions
    generated = rw.power(SCENARIO, 500, rope=0.05, random_state=0, simulations=100, draws=200)[0]
    assert generated == tables[0]


# -- against normal theory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["paired", "unpaired", "icdm2015", "flat", "bootstrap"])
@pytest.mark.parametrize("classes", [2, 3])
def test_power_of_many_items_is_that_of_normal_theory(model, classes):
    """Of accuracies: the observed difference is normal, and the HDI lies 1.96 posterior deviations around it.

    On the same items the data vary as paired ones whatever the model; the unpaired posterior is wider than that.
    """
    only_a, only_b, both, n, rope = 0.12, 0.04, 0.6, 2_000, 0.053
    scenario = accuracies(only_a, only_b, both)
    if classes == 3:
        cube = np.zeros((3, 3, 3))
        for j in range(3):
            wrong = (j + 1) % 3
            cube[j, j, j], cube[j, j, wrong], cube[j, wrong, j] = both / 3, only_a / 3, only_b / 3
            cube[j, wrong, wrong] = (1 - both - only_a - only_b) / 3
        scenario = rw.JointScenario(table=cube)
    simulations = 200
    row = rw.power(
        scenario, n, goal=">>", rope=rope, metric="accuracy", model=model, simulations=simulations, draws=390, rng=1
    )[0]
    moves = spread(only_a, only_b, n)
    shares = [both + only_a, both + only_b]
    wide = moves if model in {"paired", "bootstrap"} else math.sqrt(sum(p * (1 - p) for p in shares) / n)
    expected = stats.norm.cdf((only_a - only_b - rope - Z * wide) / moves)
    assert 0.05 < expected < 0.95
    assert row.power == pytest.approx(expected, abs=error(expected, simulations) + 0.01)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_equivalence_in_normal_theory(seed):
    n, rope, simulations = 2_500, 0.03, 1_000
    row = rw.power(
        accuracies(0.1, 0.1), n, goal="~", rope=rope, metric="accuracy", simulations=simulations, draws=1_000, rng=seed
    )[0]
    expected = 2 * stats.norm.cdf(rope / spread(0.1, 0.1, n) - Z) - 1
    assert row.power == pytest.approx(expected, abs=error(expected, simulations) + 0.01)
    assert row.type_s is None or row.type_s == pytest.approx(0)  # nothing differs, so nothing has a sign


@pytest.mark.parametrize("seed", [0])
def test_errors_of_sign_and_size_are_those_of_a_truncated_normal(seed):
    """Gelman and Carlin's design: a difference of half its standard error, and a ROPE of next to nothing."""
    only_a, only_b, n, rope, simulations = 0.105, 0.095, 500, 0.0002, 2_000
    row = rw.power(
        accuracies(only_a, only_b), n, rope=rope, metric="accuracy", simulations=simulations, draws=1_000, rng=seed
    )[0]
    truth, sd = only_a - only_b, spread(only_a, only_b, n)
    cut = rope + Z * sd
    up, down = stats.norm.sf((cut - truth) / sd), stats.norm.cdf((-cut - truth) / sd)
    size = truth * (up - down) + sd * (stats.norm.pdf((cut - truth) / sd) + stats.norm.pdf((-cut - truth) / sd))
    found = up + down
    type_s, type_m = down / found, size / found / truth
    assert row.type_s == pytest.approx(
        type_s, abs=4.5 * math.sqrt(type_s * (1 - type_s) / (found * simulations)) + 0.01
    )
    assert row.type_m == pytest.approx(type_m, rel=0.07)
    assert row.wrong == pytest.approx(row.decisions[Verdict.B_BETTER] + row.decisions[Verdict.EQUIVALENT])


def test_on_the_edge_a_verdict_is_wrong_as_often_as_its_hdi_misses():
    simulations = 1_000
    row = rw.power(
        accuracies(0.15, 0.1), 2_000, rope=0.05, metric="accuracy", simulations=simulations, draws=1_000, rng=0
    )[0]
    assert row.decisions[Verdict.A_BETTER] == pytest.approx(0.025, abs=error(0.025, simulations))
    assert row.wrong == row.decisions[Verdict.A_BETTER] + row.decisions[Verdict.B_BETTER]  # the edge counts as inside


# -- symmetries ---------------------------------------------------------------------------------------------------


def test_exchanging_the_classifiers_exchanges_the_verdicts_in_law():
    mirror = rw.BinaryScenario(positive=(0.3, 0.2, 0.3, 0.2), negative=(0.2, 0.3, 0.2, 0.3))
    simulations = 1_000
    one = rw.power(SCENARIO, 600, rope=(-0.02, 0.05), simulations=simulations, draws=390, rng=0)
    two = rw.power(mirror, 600, rope=(-0.05, 0.02), simulations=simulations, draws=390, rng=1)
    assert one.design.delta == pytest.approx(-two.design.delta)
    for verdict, other in [("≫", "≪"), ("≪", "≫"), ("≈", "≈"), (">", "<"), ("<", ">")]:
        p, q = one[0].decisions[Verdict(verdict)], two[0].decisions[Verdict(other)]
        assert p == pytest.approx(q, abs=4.5 * math.sqrt((p * (1 - p) + q * (1 - q) + 1e-3) / simulations))


def test_less_is_better_is_the_mirror_image():
    one = rw.power(SCENARIO, [200, 900], rope=(-0.02, 0.05), metric="accuracy", simulations=200, draws=390, rng=0)
    two = rw.power(SCENARIO, [200, 900], rope=(-0.05, 0.02), metric="error", simulations=200, draws=390, rng=0)
    assert two.design.delta == pytest.approx(-one.design.delta)
    for p, q in zip(one, two, strict=True):
        assert counts(p) == counts(q)
        assert (p.wrong, p.type_s) == (q.wrong, q.type_s)
        assert p.type_m == pytest.approx(q.type_m)


def test_costs_do_not_hang_on_which_label_is_positive():
    how = {"metric": "cost", "cost_matrix": [[0, 1], [5, 0]], "rope": 0.05, **FEW}
    deltas = [rw.power(SCENARIO, 50, pos_label=label, **how).design.delta for label in (None, 0, 1)]
    # A: misses .4 of the half positives at 5 each, and calls .4 of the half negatives at 1; B misses .5 and calls .5.
    assert deltas == pytest.approx([0.5 * (5 * 0.4 + 0.4) - 0.5 * (5 * 0.5 + 0.5)] * 3)


@pytest.mark.parametrize("label", ["x", "y", "z"])
def test_one_class_of_three_against_the_rest(label):
    cube = np.random.default_rng(1).dirichlet(np.ones(27)).reshape(3, 3, 3)
    place = "xyz".index(label)
    scenario = rw.JointScenario(table=cube, labels=["x", "y", "z"])
    r = rw.power(scenario, 100, rope=0.01, pos_label=label, **FEW)
    tp = [cube[place, place].sum(), cube[place, :, place].sum()]
    said = [cube[:, place].sum(), cube[:, :, place].sum()]
    f1 = [2 * t / (cube[place].sum() + s) for t, s in zip(tp, said, strict=True)]
    assert r.design.delta == pytest.approx(f1[0] - f1[1])
    assert r.design.recipe.pos_label == label


@pytest.mark.parametrize("model", ["paired", "unpaired", "icdm2015", "flat", "bootstrap", "pooled", "trees"])
def test_every_model_makes_five_shares_of_several_classes(model):
    cube = np.random.default_rng(1).dirichlet(np.ones(27)).reshape(3, 3, 3)
    cube[2] = 0  # a class that never occurs, and is predicted
    own = {"pooled": rw.models.Tree(centre="pooled"), "trees": rw.models.Tree(paired=False)}
    r = rw.power(rw.JointScenario(table=cube / cube.sum()), [20, 50], rope=0.05, model=own.get(model, model), **FEW)
    assert r.design.recipe.metric.name == "macro_f1"
    assert all(sum(row.decisions.values()) == pytest.approx(1) for row in r)


# -- odd scenarios ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 10**9])
@pytest.mark.parametrize("prevalence", [0, 0.5, 1])
@pytest.mark.parametrize("metric", ["f1", "mcc", "precision", "accuracy"])
def test_tiny_huge_and_one_sided_test_sets_have_an_answer(n, prevalence, metric):
    pairs = {"positive": SCENARIO.positive, "negative": SCENARIO.negative}
    r = rw.power(rw.BinaryScenario(prevalence=prevalence, **pairs), n, rope=0.03, metric=metric, **FEW)
    assert sum(r[0].decisions.values()) == pytest.approx(1)
    json.loads(r.to_json())
    if n > 2 and prevalence == 0.5:
        assert r[0].decisions[Verdict.A_BETTER] == 1


def test_classifiers_that_always_agree_are_found_equivalent():
    alike = rw.BinaryScenario(positive=(0.7, 0, 0, 0.3), negative=(0.3, 0, 0, 0.7))
    assert rw.power(alike, 2_000, goal="~", rope=0.05, **FEW)[0].power == 1
    with pytest.raises(InvalidInputError, match=r"A≫B is not reachable: the true difference A − B is \+0, inside"):
        rw.power(alike, 2_000, goal=">>", rope=0.05, **FEW)


def test_a_single_class_leaves_nothing_to_doubt():
    for how in ({}, {"metric": "accuracy"}):
        r = rw.power(rw.JointScenario(table=[[[1.0]]], labels=["x"]), 30, rope=0.05, **how, **FEW)
        assert r[0].decisions[Verdict.EQUIVALENT] == 1


def test_an_open_rope_asks_whether_a_is_not_worse():
    n, simulations = 2_000, 400
    scenario = accuracies(0.1, 0.1)
    row = rw.power(
        scenario, n, goal="~", rope=(-0.03, INFINITY), metric="accuracy", simulations=simulations, draws=390, rng=0
    )[0]
    expected = stats.norm.cdf(0.03 / spread(0.1, 0.1, n) - Z)
    assert row.power == pytest.approx(expected, abs=error(expected, simulations) + 0.02)
    assert row.decisions[Verdict.A_BETTER] == 0


def test_the_rule_of_probability_in_normal_theory():
    """With half the mass enough, A is found better whenever more than half of the posterior lies beyond the ROPE."""
    n, simulations = 2_000, 600
    scenario = accuracies(0.12, 0.07)
    row = rw.power(
        scenario, n, goal=">>", rope=0.04, metric="accuracy", prob=0.5, rule="probability", simulations=simulations,
        draws=1_000, rng=0,
    )[0]  # fmt: skip
    expected = stats.norm.cdf((0.05 - 0.04) / spread(0.12, 0.07, n))
    assert row.power == pytest.approx(expected, abs=error(expected, simulations))


def test_equal_scores_do_not_differ_by_rounding(silent):
    """Draws of −1e-17 must count as 0, as they do in `compare`: of two that are alike the bootstrap knows nothing.

    Where they differ at all, A is ahead in every draw, and not worse by a ROPE that begins at 0.
    """
    cube = np.zeros((3, 3, 3))
    for j, wrong in enumerate((1, 2, 0)):
        cube[j, j, j], cube[j, wrong, wrong] = 0.29, 0.04  # both alike
    cube[0, 0, 1] = 0.01  # but on one item of a hundred
    cube /= cube.sum()
    how = {"metric": "accuracy", "model": "bootstrap", "rope": (0.0, 0.5)}
    rng = np.random.default_rng(0)
    numbers = []
    for _ in range(60):
        counts = rng.multinomial(40, cube.reshape(-1)).reshape(3, 3, 3)
        r = rw.compare(rw.Outcomes.from_counts(counts), draws=1_000, rng=0, **how)
        numbers.append(int(counts[0, 0, 1]))
        assert r.conclusive == (numbers[-1] > 0)
        assert ("alike on all items" in r.no_verdict) == (numbers[-1] == 0)
    assert 0 < sum(number > 0 for number in numbers) < 60
    row = rw.power(rw.JointScenario(table=cube), 40, simulations=200, draws=1_000, rng=0, **how)[0]
    differ = 1 - (1 - cube[0, 0, 1]) ** 40
    assert row.conclusive == pytest.approx(differ, abs=error(differ, 200))


def test_where_compare_gives_no_verdict_there_is_none_to_count(silent):
    """Of scores that no re-weighting changes, the bootstrap says nothing: neither may a simulated study."""
    perfect = rw.BinaryScenario(positive=(1, 0, 0, 0), negative=(0, 0, 0, 1))
    y = [0, 1] * 15
    assert rw.compare(y, y, y, model="bootstrap", rope=0.05, rng=0, draws=1_000).decision is None
    assert rw.power(perfect, 30, model="bootstrap", rope=0.05, **FEW)[0].conclusive == 0


# -- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"n": 0}, "`n` must be a whole number from 1 to 1,000,000,000; got 0"),
        ({"n": [100, -1]}, "got -1"),
        ({"n": 1.5}, "`n` must be a number of items, or a list of them; got 1.5"),
        ({"n": [2.0]}, "got 2.0"),
        ({"n": "500"}, "got '500'"),
        ({"n": b"ab"}, "`n` must be"),
        ({"n": None}, "got None"),
        ({"n": True}, "got True"),
        ({"n": []}, "`n` is empty"),
        ({"n": [5, 5]}, "repeats"),
        ({"n": 10**10}, "got 10000000000"),
        ({"simulations": 0}, "`simulations` must be a whole number"),
        ({"draws": 99}, "`draws` must be a whole number from 100"),
        ({"goal": "win"}, "Unknown goal 'win'"),
        ({"rope": None}, "depends on the ROPE, and none was stated"),
        ({"rope": 0}, "`rope` must not be 0"),
        ({"rope": 5}, "no two values of f1 differ by more than 1"),
        ({"goal": "<<"}, "The goal A≪B is not reachable"),
        ({"goal": "~"}, "The goal A≈B is not reachable"),
        ({"goal": ">>", "rope": 0.1}, "on the edge of the ROPE"),
        ({"metric": "shoe"}, "Unknown metric"),
        ({"model": "shoe"}, "Unknown model"),
        ({"prob": 1}, "`prob` must be"),
        ({"rule": "coin"}, "Unknown rule"),
        ({"threads": 0}, "`threads` must be"),
        ({"n_jobs": 0}, "`n_jobs` must be"),
        ({"n_jobs": 2, "threads": 2}, "both given"),
        ({"rng": 0, "random_state": 0}, "both given"),
        ({"rng": -1}, "`rng` must be"),
        ({"progress": "yes"}, "`progress` must be"),
        ({"model": "bootstrap", "n": 9}, "Fewer than 10 items"),
        ({"classes": [0]}, "`classes` picks the classes of an average"),
    ],
    ids=[
        "zero", "negative", "half", "float", "text", "bytes", "none", "bool", "empty", "twice", "huge", "no-simulation",
        "draws", "goal", "no-rope", "rope-0", "rope-5", "worse", "alike", "edge", "metric", "model", "prob", "rule",
        "threads", "jobs", "both", "seeds", "seed", "progress", "bootstrap", "classes",
    ],
)  # fmt: skip
def test_what_cannot_be_simulated_is_refused(said, message):
    with pytest.raises(InvalidInputError) as error:
        rw.power(SCENARIO, **{"n": 100, "rope": 0.05, "simulations": 20, "draws": 100, **said})
    assert message in error.value.message


def test_a_label_that_there_is_not():
    with pytest.raises(PosLabelError, match="'z' is not a label"):
        rw.power(rw.JointScenario(table=np.full((3, 3, 3), 1 / 27), labels=["a", "b", "c"]), 9, rope=0.1, pos_label="z")


def test_clusters_and_items_of_many_labels_are_not_simulated(silent):
    clustered = rw.compare(
        [0, 1] * 20, [0, 1, 1, 1] * 10, [0, 1, 0, 1] * 10, cluster=[*range(20)] * 2, rope=0.05, rng=0, draws=1_000
    )
    with pytest.raises(RopewalkError) as error:
        rw.power(clustered, 100)
    assert "cannot" in error.value.message or "can be simulated" in error.value.message
    assert "more_data()" in error.value.hint


# -- wherever it runs ---------------------------------------------------------------------------------------------


def asked(scenario=SCENARIO, **where):
    r = rw.power(scenario, [300, 100], goal=">>", rope=0.05, simulations=130, draws=200, rng=7, **where)
    return r.to_dict()


def test_threads_do_not_change_the_table():
    assert asked(threads=2) == asked() == asked(threads=3)


def test_processes_do_not_change_the_table():
    joblib = need("joblib")
    assert asked(n_jobs=1) == asked(n_jobs=2) == asked()
    with joblib.parallel_config(backend="threading"):
        assert asked(n_jobs=2) == asked()


@pytest.mark.slow
def test_a_cluster_does_not_change_the_table(tmp_path):
    """A process of its own, since whoever starts a cluster must be importable, and its logs are not ours."""
    need("distributed")
    need("joblib")
    script = tmp_path / "cluster.py"
    script.write_text(
        textwrap.dedent("""
        import json, joblib, ropewalk as rw
        from dask.distributed import Client, LocalCluster

        def asked(**where):
            s = rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
            return rw.power(s, [300, 100], goal=">>", rope=0.05, simulations=130, draws=200, rng=7, **where).to_dict()

        if __name__ == "__main__":
            with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
                with joblib.parallel_config(backend="dask"):
                    print(json.dumps(asked(n_jobs=-1)))
        """),
        encoding="utf-8",
    )
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1]) == json.loads(json.dumps(asked()))


def test_a_result_is_simulated_alike_everywhere(silent, table):
    r = rw.compare(table, rope=0.05, rng=0, draws=1_000)
    how = {"n": [200], "simulations": 60, "draws": 200, "rng": 1}
    assert rw.power(r, threads=2, **how).to_dict() == rw.power(r, **how).to_dict()


def test_whoever_watches_is_told_of_every_batch():
    told = []
    watched = asked(progress=lambda done, total: told.append((done, total)))
    assert told == [(i, 14) for i in range(1, 15)]  # 2 sizes × 130 simulations in batches of 20
    assert watched == asked()


@pytest.mark.parametrize("threads", ["1", "2"])
def test_control_c_returns_what_there_is(tmp_path, threads):
    """A million simulations are minutes of work; a real signal comes as soon as three batches are done."""
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent("""
        import sys, ropewalk as rw

        def told(done, total):
            if done == 3:
                print("begun", flush=True)

        s = rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
        r = rw.power(s, [300, 100], rope=0.05, simulations=1_000_000, draws=200, rng=7, threads=int(sys.argv[1]),
                     progress=told)
        print(r.to_json(indent=None), flush=True)
        """),
        encoding="utf-8",
    )
    job = subprocess.Popen([sys.executable, str(script), threads], stdout=subprocess.PIPE, text=True)
    assert job.stdout.readline() == "begun\n"
    job.send_signal(signal.SIGINT)
    out, _ = job.communicate(timeout=600)
    assert job.returncode == 0
    said = json.loads(out)
    assert said["partial"] is True
    assert [row["n"] for row in said["rows"]] == [300, 100]
    for row in said["rows"]:
        assert 20 <= row["simulations"] < 1_000_000
        fewer = rw.power(SCENARIO, row["n"], rope=0.05, simulations=min(row["simulations"], 400), draws=200, rng=7)
        if row["simulations"] <= 400:
            assert fewer[0].to_dict() == row


@pytest.mark.parametrize("after", [1, 2, 3, 7])
def test_an_interrupted_table_is_marked(after):
    def stop(done, total):
        if done == after:
            raise KeyboardInterrupt

    r = rw.power(SCENARIO, [100, 200], rope=0.05, simulations=200, draws=200, rng=0, progress=stop)
    assert r.partial
    assert sum(row.simulations for row in r) == 20 * after
    assert "partial" in repr(r)


# -- assurance ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pilot():
    counted = rw.Outcomes.from_pairs(positive=(60, 22, 8, 10), negative=(8, 5, 17, 70))
    return rw.compare(counted, rope=0.05, rng=0, draws=20_000)


@pytest.fixture(scope="module")
def predicted():
    """Truths drawn from the pilot's posterior, a new test set of 150 of each, compared: all by hand."""
    rng = np.random.default_rng(11)
    verdicts = []
    for _ in range(120):
        mu = rng.beta(101, 101)
        positive = rng.dirichlet(np.array([60, 22, 8, 10]) + 1)
        negative = rng.dirichlet(np.array([8, 5, 17, 70]) + 1)
        n = rng.binomial(150, mu)
        drawn = rw.Outcomes.from_pairs(
            positive=rng.multinomial(n, positive), negative=rng.multinomial(150 - n, negative)
        )
        with without_warnings(), frugality():
            verdicts.append(rw.compare(drawn, rope=0.05, rng=0, draws=2_000).decision.verdict)
    return {verdict: np.mean([v is verdict for v in verdicts]) for verdict in Verdict}


def test_assurance_is_posterior_predictive(pilot, predicted):
    simulations = 1_000
    r = rw.power(pilot, 150, simulations=simulations, draws=1_000, rng=5)
    assert r.design.assurance
    assert r.design.delta is None
    for verdict, q in predicted.items():
        p = r[0].decisions[verdict]
        pooled = (p * simulations + q * 120) / (simulations + 120)
        assert p == pytest.approx(q, abs=4.5 * math.sqrt(pooled * (1 - pooled) * (1 / simulations + 1 / 120)) + 0.01)


def test_assurance_tends_to_the_posterior_mass_of_the_regions(pilot):
    r = rw.power(pilot, 10**9, goal=">>", simulations=1_000, draws=200, rng=2)
    assert r.design.ceilings == {
        Verdict.EQUIVALENT: pilot.regions.inside,
        Verdict.B_BETTER: pilot.regions.below,
        Verdict.A_BETTER: pilot.regions.above,
    }
    assert r.design.ceiling == pilot.regions.above
    for verdict, share in r.design.ceilings.items():
        assert r[0].decisions[verdict] == pytest.approx(share, abs=error(share, 1_000))
    assert r[0].wrong == 0
    assert rw.power(pilot, 100, **FEW).design.ceiling == pytest.approx(1)


def test_a_result_may_be_asked_with_another_rope(pilot):
    r = rw.power(pilot, 10**9, rope=0.15, simulations=500, draws=200, rng=2)
    inside = np.mean(np.abs(pilot.draws.delta()) <= 0.15)
    assert r.design.ceilings[Verdict.EQUIVALENT] == pytest.approx(inside)
    assert r[0].decisions[Verdict.EQUIVALENT] == pytest.approx(inside, abs=error(inside, 500))


@pytest.mark.parametrize("said", [{"metric": "accuracy"}, {"model": "unpaired"}, {"pos_label": 1}, {"classes": [1]}])
def test_a_result_has_its_question_already(pilot, said):
    name = next(iter(said))
    with pytest.raises(InvalidInputError, match=f"has its {name} already") as error:
        rw.power(pilot, 100, **said)
    assert error.value.hint


def test_a_result_without_a_rope_needs_one(pilot):
    bare = rw.compare(pilot.recipe.tables[0], rng=0, draws=1_000)
    with pytest.raises(InvalidInputError, match="depends on the ROPE"):
        rw.power(bare, 100)
    assert rw.power(bare, 100, rope=0.05, **FEW)[0].simulations == 60


@pytest.mark.parametrize("model", ["icdm2015", "flat", "bootstrap", "paired", "unpaired", "pooled"])
def test_every_model_has_a_posterior_to_draw_truths_from(silent, frugal, model):
    """After a vast new test set the verdict is that of the truth: the share of each is its region's."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 4, 150)
    a, b = (np.where(rng.random(150) < p, y, rng.integers(0, 4, 150)) for p in (0.75, 0.7))
    own = {"pooled": rw.models.Tree(centre="pooled")}
    r = rw.compare(y, a, b, metric="accuracy", rope=0.05, model=own.get(model, model), rng=0, draws=4_000)
    row = rw.power(r, 10**8, simulations=200, draws=100, rng=0)[0]
    for verdict, share in ((Verdict.EQUIVALENT, r.regions.inside), (Verdict.A_BETTER, r.regions.above)):
        assert row.decisions[verdict] == pytest.approx(share, abs=error(share, 200) + 0.02)


def test_missing_answers_and_separate_tables_can_be_simulated(silent, frugal):
    y = [0, 1, 2, 0, 1, 2] * 10
    holes = rw.compare(
        y, [0, 1, 2, 0, None, 1] * 10, [0, 1, 1, 0, 1, 2] * 10, missing="wrong", rope=0.05, rng=0, draws=2_000
    )
    large, small = (
        rw.Outcomes.from_confusion(m, name=name) for m, name in (([[180, 20], [10, 90]], "x"), ([[9, 1], [2, 8]], "y"))
    )
    apart = rw.compare(large, small, rope=0.05, rng=0, draws=20_000)
    nothing = rw.compare(rw.Outcomes.empty([0, 1], ["x", "y"]), rope=0.05, rng=0, draws=2_000)
    for r in (holes, apart, nothing):
        row = rw.power(r, 10**8, simulations=200, draws=200, rng=0)[0]
        assert row.decisions[Verdict.A_BETTER] == pytest.approx(r.regions.above, abs=error(r.regions.above, 200))


def test_a_prior_that_pulls_is_named():
    """A flat prior of 20 classes weighs 400 pseudo-items; 200 real ones do not stand up to it, 2,000,000 do."""
    scenario = rw.MetricScenario(metric="accuracy", a=0.9, b=0.5, agreement=0.5, n_classes=20)
    found = rw.power(scenario, [200, 2_000_000], model="flat", rope=0.05, simulations=40, draws=200, rng=0)
    (pulls,) = (told for told in found.notes if told.startswith("The prior pulls"))
    assert " 200 (-" in pulls  # the difference is made to look smaller
    assert "2,000,000" not in pulls
