"""Suites of tasks: closed forms, agreement with the population of the same numbers, properties, refusals."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError, PairingError, RopewalkError, UnknownNameError
from ropewalk.models.population import PopulationPrior, Units, fit_population
from support import need, without_warnings

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

TASKS = ("sums", "words", "law", "maps", "chess")
SIZES = (40, 60, 30, 50, 20)
RNG = np.random.default_rng(3)
TASK = np.repeat(TASKS, SIZES)
TRUTH = RNG.integers(0, 2, TASK.size)
RIGHT_A = RNG.random(TASK.size) < np.repeat([0.9, 0.8, 0.7, 0.85, 0.8], SIZES)
RIGHT_B = RNG.random(TASK.size) < np.repeat([0.7, 0.75, 0.7, 0.8, 0.6], SIZES)
A, B = np.where(RIGHT_A, TRUTH, 1 - TRUTH), np.where(RIGHT_B, TRUTH, 1 - TRUTH)
ASKED = {"metric": "accuracy", "rope": 0.01, "draws": 4_000, "rng": 0}
PLAIN = {**ASKED, "rope": None}
HOSTILE = "<script>alert(1)</script>|\n{%}\u202e"


def asked(**options):
    return rw.compare(TRUTH, A, B, **{"task": TASK, **ASKED, **options})


with without_warnings():
    THESE, LIKE = asked(), asked(over="tasks")


def alone(task, share, **options):
    """Return the comparison on one task, whose prior has a share of its mass."""
    here, model = task == TASK, THESE.tasks[task].recipe.model
    return rw.compare(TRUTH[here], A[here], B[here], model=model.scaled(share), **{**ASKED, "rng": 9, **options})


def wider(n):
    """Return by how much the mean of n items errs more than re-weighted items say."""
    return math.sqrt((n + 1) / (n - 1))


def moments(comparisons, weights, factor=wider):
    """Return mean and standard deviation of a weighted sum of independent differences."""
    mean = sum(w * c.mean for w, c in zip(weights, comparisons, strict=True))
    stds = [factor(c.recipe.n_items) * c.std for c in comparisons]
    return mean, math.sqrt(sum((w * std) ** 2 for w, std in zip(weights, stds, strict=True)))


# -- over these ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, dict.fromkeys(TASKS, 0.2)),
        ("items", dict(zip(TASKS, np.array(SIZES) / 200, strict=True))),
        (
            {"sums": 2, "words": 1, "law": 1, "maps": 0, "chess": 0},
            dict(zip(TASKS, (0.5, 0.25, 0.25, 0, 0), strict=True)),
        ),
    ],
)
def test_the_average_has_the_moments_of_independent_tasks(weights, expected):
    r = asked(weights=weights, draws=40_000)
    assert dict(r.weights) == pytest.approx(expected)
    share = sum(weight**2 for weight in expected.values())
    mean, std = moments([alone(task, share, draws=40_000) for task in TASKS], expected.values())
    assert r.mean == pytest.approx(mean, abs=5 * std * math.sqrt(2 / 40_000))
    assert r.std == pytest.approx(std, rel=5 / math.sqrt(40_000))
    seen = {task: RIGHT_A[task == TASK].mean() - RIGHT_B[task == TASK].mean() for task in TASKS}
    assert r.delta.observed == pytest.approx(sum(expected[task] * seen[task] for task in TASKS))
    assert r.delta.mc_error == pytest.approx(std / math.sqrt(40_000), rel=0.05)


def test_a_task_has_the_posterior_that_it_has_alone():
    for task in TASKS:
        here = task == TASK
        alone = rw.compare(TRUTH[here], A[here], B[here], **{**ASKED, "draws": 40_000})
        own = THESE.tasks[task]
        assert own.recipe.data_hash == alone.recipe.data_hash
        assert own.mean == pytest.approx(alone.mean, abs=5 * math.hypot(own.delta.mc_error, alone.delta.mc_error))
        unit = next(unit for unit in THESE.units if unit.name == task)
        assert (unit.n, unit.se, unit.estimate, unit.shrunk_by) == (here.sum(), own.std, own.delta, None)


def test_comparisons_made_before_give_the_same():
    made = dict(zip(THESE.tasks.tasks, THESE.tasks, strict=True))
    for over, whole in (("these", THESE), ("tasks", LIKE)):
        again = rw.suite(dict(reversed(made.items())), over=over, draws=4_000, rng=0)
        assert (again.delta, again.regions, again.next, again.units) == (
            whole.delta,
            whole.regions,
            whole.next,
            whole.units,
        )


def test_comparisons_of_one_seed_are_independent_all_the_same():
    alike = rw.compare(TRUTH, A, B, **{**ASKED, "draws": 40_000})
    r = rw.suite({"x": alike, "y": alike}, rng=0)
    assert r.std == pytest.approx(alike.std / math.sqrt(2), rel=0.03)
    assert r.delta.mc_error == pytest.approx(alike.delta.mc_error)  # what they share, they err by together


# -- over tasks like these -----------------------------------------------------------------------------------------


def test_tasks_like_these_have_the_population_of_the_same_numbers():
    tasks = LIKE.tasks
    errors = np.array([unit.se for unit in LIKE.units])
    factors = errors / np.array([c.std for c in tasks])
    assert factors == pytest.approx(factors[0])
    assert 0.9 < factors[0] <= 1
    units = Units(np.array([c.delta.observed for c in tasks]), errors, np.full(5, np.inf))
    population = fit_population(units, PopulationPrior(form="normal"))
    assert (LIKE.mean, LIKE.std) == pytest.approx((population.mean, population.std), abs=1e-12)
    assert LIKE.next == population.next(Interval(-0.01, 0.01))
    assert LIKE.tau == population.tau_median
    pooled = rw.pool(units.estimates, units.errors, rope=0.01, names=tasks.tasks, draws=4_000, rng=0)
    assert (LIKE.regions, LIKE.most_probable) == (pooled.regions, pooled.most_probable)
    assert [unit.estimate for unit in LIKE.units] == [unit.estimate for unit in pooled.units]


def test_tasks_alike_are_drawn_to_each_other_and_their_mean_is_wider_than_the_average():
    assert max(unit.shrunk_by for unit in LIKE.units if unit.shrunk_by is not None) > 0.2
    assert LIKE.std > THESE.std
    assert sum((LIKE.next.below, LIKE.next.inside, LIKE.next.above)) == pytest.approx(1)


# -- one system, and many ------------------------------------------------------------------------------------------

C = np.where(RNG.random(TASK.size) < 0.75, TRUTH, 1 - TRUTH)

with without_warnings():
    SCORED = rw.evaluate(TRUTH, A, task=TASK, at_least=0.7, **{**ASKED, "metric": ["accuracy", "f1"]})
    RANKED = rw.rank(TRUTH, {"A": A, "B": B, "C": C}, task=TASK, **ASKED)


def test_two_are_ranked_as_they_are_compared():
    two = rw.rank(TRUTH, A, B, task=TASK, **ASKED)
    assert two.pairwise[0].contrast.delta == THESE.delta
    assert two.pairwise[0].decision == THESE.decision
    assert (two["A"].estimate, two["B"].estimate) == (THESE.estimate_a, THESE.estimate_b)
    assert two.scope == THESE.scope


def test_the_average_score_has_the_moments_of_independent_tasks():
    weights = dict.fromkeys(TASKS, 1) | {"sums": 4}
    e = rw.evaluate(TRUTH, A, task=TASK, weights=weights, **{**ASKED, "rope": None})
    shares = {task: weight / 8 for task, weight in weights.items()}
    mass = sum(share**2 for share in shares.values())
    model = next(iter(e.tasks.values()))["accuracy"].recipe.model.scaled(mass)
    each = {t: rw.evaluate(TRUTH[t == TASK], A[t == TASK], model=model, **PLAIN)["accuracy"].estimate for t in TASKS}
    expected = sum(shares[task] * each[task].mean for task in TASKS)
    std = math.sqrt(sum((shares[t] * wider(n) * each[t].std) ** 2 for t, n in zip(TASKS, SIZES, strict=True)))
    found = e["accuracy"].estimate
    assert found.mean == pytest.approx(expected, abs=5 * std * math.sqrt(2 / 4_000))
    assert found.std == pytest.approx(std, rel=5 / math.sqrt(4_000))
    assert found.observed == pytest.approx(sum(shares[t] * RIGHT_A[t == TASK].mean() for t in TASKS))
    assert dict(e.weights) == pytest.approx(shares)


def test_a_score_stands_against_a_bar_on_average_and_on_each_task():
    m = SCORED["accuracy"]
    share = (m.draws.psi[0] >= 0.7).mean()
    assert m.prob_at_least == pytest.approx(share)
    assert m.decision.code == "a_better"
    assert {one.at_least for one in SCORED.tasks.values()} == {0.7}
    assert [m.metric.name for m in SCORED.metrics] == ["accuracy", "f1"]


def test_pooling_is_of_averages():
    apart = rw.rank(TRUTH, {"A": A, "B": B, "C": C}, task=TASK, pool=False, **ASKED)
    spread = [np.ptp([model.estimate.mean for model in r.models]) for r in (RANKED, apart)]
    assert spread[0] < spread[1]
    for who, answers in (("A", A), ("B", B), ("C", C)):
        expected = rw.evaluate(TRUTH, answers, task=TASK, **PLAIN)["accuracy"].estimate
        assert apart[who].estimate.mean == pytest.approx(expected.mean, abs=7 * expected.mc_error)
    assert sum(RANKED.p_best.values()) == pytest.approx(1)


def test_rows_and_threads_do_not_change_averages():
    order = np.random.default_rng(1).permutation(TASK.size)
    systems = {name: one[order] for name, one in (("A", A), ("B", B), ("C", C))}
    again = rw.rank(TRUTH[order], systems, task=TASK[order], threads=3, **ASKED)
    assert again.to_dict() == RANKED.to_dict()


def test_the_json_of_averages_has_each_task():
    for r, beside in ((SCORED, "metrics"), (RANKED, "models")):
        told = json.loads(r.to_json())
        assert told["over"] == "these"
        assert {one["task"]: one["n_items"] for one in told["tasks"]} == dict(zip(TASKS, SIZES, strict=True))
        assert all(one[beside] for one in told["tasks"])
        assert told["fixed"][-1] == "the tasks"
        assert "NaN" not in r.to_json()


def test_every_surface_of_averages():
    for r in (SCORED, RANKED):
        for text in (r.to_text(), r.to_text(details=True), r.to_markdown(), r.to_latex(), r._repr_html_()):
            assert "accuracy" in text
        assert "200 items of 5 tasks" in SCORED.to_text()
        assert "chess" in r.to_text()
        assert "Each task" in r.to_html()
    assert "common centre" in RANKED.to_html()
    with pytest.raises(InvalidInputError, match="several tasks together"):
        RANKED.require_data("listed")


def spread_out(seed=0, n=60, number=8):
    """Return tasks, truth, and predictions of three systems whose accuracies differ from task to task."""
    rng = np.random.default_rng(seed)
    task = np.repeat([f"t{i}" for i in range(number)], n)
    truth = rng.integers(0, 2, task.size)
    level = np.repeat(rng.normal(0.75, 0.05, number), n)
    return (
        task,
        truth,
        {k: np.where(rng.random(task.size) < level + 0.03 * i, truth, 1 - truth) for i, k in enumerate("xyz")},
    )


def test_the_mean_score_over_tasks_like_these_is_that_of_equal_errors():
    task, truth, systems = spread_out()
    e = rw.evaluate(truth, systems["x"], task=task, over="tasks", at_least=0.7, **ASKED)
    right = np.array([(systems["x"] == truth)[task == name].mean() for name in e.tasks])
    spreads = [one["accuracy"].estimate.std for one in e.tasks.values()]
    error = math.sqrt(np.mean(np.square(spreads)))
    pooled = rw.pool(right, [error] * len(right), draws=4_000, rng=0)
    m = e["accuracy"]
    assert (m.estimate.mean, m.estimate.std) == pytest.approx((pooled.mu.mean, pooled.mu.std), rel=0.01)
    assert m.estimate.observed == pytest.approx(right.mean())
    assert m.tau_median == pytest.approx(pooled.tau, rel=0.05)
    assert m.scope.random == ("tasks", "items")
    assert m.prob_at_least == pytest.approx((m.draws.psi[0] >= 0.7).mean())
    told = e.to_dict()
    assert (told["weights"], told["metrics"][0]["tau"]["median"]) == (None, m.tau_median)
    assert "Spread" in e.to_text()
    assert "Each task" in e.to_html()


def test_scores_at_the_end_of_their_scale_have_no_normal_population():
    task, truth, systems = spread_out()
    good = np.where(np.arange(task.size) % 25 == 0, 1 - truth, truth)
    with pytest.raises(DataError, match="end of their scale") as caught:
        rw.evaluate(
            truth, np.where(task == "t0", systems["x"], good), task=task, over="tasks", **{**ASKED, "rope": None}
        )
    assert 'over="these"' in caught.value.hint


def test_pairs_over_tasks_like_these_are_judged_as_two_are_compared():
    task, truth, systems = spread_out()
    two = {name: systems[name] for name in "xz"}
    r = rw.rank(truth, two, task=task, over="tasks", **ASKED)
    c = rw.compare(truth, *two.values(), names=["x", "z"], task=task, over="tasks", **ASKED)
    (pair,) = r.pairwise
    assert (pair.delta, pair.next, pair.most_probable) == (c.delta, c.next, c.most_probable)
    turned = r.pair("z", "x")
    assert (turned.next.below, turned.most_probable.above) == (pair.next.above, pair.most_probable.below)
    assert r.scope == c.scope


def test_who_is_best_on_the_next_task():
    task, truth, systems = spread_out()
    r = rw.rank(truth, systems, task=task, over="tasks", **ASKED)
    for model in r.models:
        here = [one.p_best[model.name] for one in r.tasks.values()]
        assert model.p_best_next == pytest.approx((sum(here) + 1 / 3) / (len(here) + 1))
    assert sum(r.p_best.values()) == pytest.approx(1)
    assert sum(model.p_best_next for model in r.models) == pytest.approx(1)
    these = rw.rank(truth, systems, task=task, pool=False, **ASKED)
    apart = rw.rank(truth, systems, task=task, over="tasks", pool=False, **ASKED)
    assert apart["z"].estimate.mean == pytest.approx(these["z"].estimate.mean, abs=0.005)
    assert apart["z"].estimate.std > these["z"].estimate.std
    told = r.to_dict()
    assert {"p_best_next"} <= set(told["models"][0])
    assert {"next", "most_probable"} <= set(told["pairwise"][0])
    assert "best on the next task" in r.to_text()
    assert "The next task" in r.to_html()
    assert any("common centre" in text for text in r.notes)
    assert not any("common centre" in text for text in apart.notes)


def test_logs_of_several_tasks_are_averaged():
    r = rw.rank(logs(), rope=0.01, draws=1_000, rng=0)
    again = rw.compare(logs(), over="these", rope=0.01, draws=1_000, rng=0)
    assert r.pairwise[0].contrast.delta == again.delta
    e = rw.evaluate(logs(), "new", draws=1_000, rng=0)
    assert e.metrics[0].estimate.observed == pytest.approx(again.estimate_a.observed)
    assert list(e.tasks) == sorted(TASKS)
    with pytest.raises(PairingError, match="not of the same tasks"):
        rw.rank(logs(("old", "maps")), draws=500, rng=0)
    fewer = rw.rank(logs(("old", "maps")), unmatched="drop", draws=500, rng=0)
    assert "tasks_left_out" in codes(fewer)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"over": "tasks", "task": np.where(TASK == "law", "x", "y")}, DataError, "at least 3"),
        ({"over": "tasks", "weights": "items"}, InvalidInputError, "no weights"),
        ({"task": ["one"] * TASK.size}, DataError, "at least two tasks"),
        ({"task": None, "weights": "items"}, InvalidInputError, "Which task"),
        ({"metric": "lr_plus"}, InvalidInputError, "cannot be ranked"),
    ],
)
def test_wrong_questions_about_many_are_a_clear_error(options, error, match):
    with pytest.raises(error, match=match) as caught:
        rw.rank(TRUTH, A, B, **{"task": TASK, **ASKED, "rope": None, **options})
    assert caught.value.hint


# -- several metrics, flips, goals, clusters -------------------------------------------------------------------------


def test_each_of_several_metrics_is_as_if_it_were_alone():
    several = asked(metric=["accuracy", "macro_f1", "error"], rope={"accuracy": 0.01}, flips=True)
    assert (several.delta, several.decision, several.units) == (THESE.delta, THESE.decision, THESE.units)
    assert several["macro_f1"].delta == asked(metric="macro_f1", rope=None).delta
    assert several["error"].mean == pytest.approx(-several.mean, abs=1e-12)
    assert several.prob_all_better("accuracy", "error") == several.prob_better
    assert "macro F1" in several.to_text()
    assert [one["metric"] for one in several.to_dict()["metrics"]] == ["accuracy", "macro_f1", "error"]


def test_metrics_of_labels_and_of_scores_go_together():
    scores = tuple(TRUTH + np.random.default_rng(2).normal(size=(2, TASK.size)))
    both = asked(metric=["accuracy", "roc_auc"], scores=scores, rope=None, draws=500)
    assert [c.metric for c in both.metrics] == ["accuracy", "roc_auc"]


def test_flips_are_those_of_all_items():
    r = asked(flips=True)
    assert r.flips.gained.count == (RIGHT_A & ~RIGHT_B).sum()
    assert r.flips.lost.count == (RIGHT_B & ~RIGHT_A).sum()
    assert r.flips.gained.share.observed == pytest.approx((RIGHT_A & ~RIGHT_B).mean())
    gained, lost = (r.flips.draws.psi[k].mean() for k in (0, 1))
    assert gained - lost == pytest.approx(asked(weights="items").mean, abs=1e-9)
    assert f"{r.flips.gained.count} of 200 answers gained" in r.to_text()
    assert r.tasks["law"].flips.churned.count == (RIGHT_A != RIGHT_B)[TASK == "law"].sum()
    assert asked().flips is None
    assert "difference in accuracy" not in r.to_markdown()


def test_a_goal_of_one_side_is_about_the_average():
    r = asked(goal="not-worse", margin=0.02, rope=None)
    assert r.delta == THESE.delta
    assert r.regions.inside == pytest.approx((r.draws.delta() >= -0.02).mean())
    assert r.decision.code in {"a_not_worse", "undecided"}


def test_a_few_clusters_in_several_tasks_are_warned_of():
    cluster = np.arange(TASK.size)
    cluster[-1] = 0
    for metric, data in (("accuracy", (TRUTH, A, B)), ("mean", (RIGHT_A * 1.0, RIGHT_B * 1.0))):
        r = rw.compare(*data, task=TASK, cluster=cluster, **{**ASKED, "metric": metric, "draws": 500})
        assert "shared_clusters" in codes(r)


# -- properties ----------------------------------------------------------------------------------------------------


def test_neither_rows_nor_threads_nor_forms_change_the_answer():
    order = np.random.default_rng(1).permutation(TASK.size)
    shuffled = rw.compare(TRUTH[order], A[order], B[order], task=TASK[order], threads=3, over="tasks", **ASKED)
    assert shuffled.to_dict() == LIKE.to_dict()
    frame = need("pandas").DataFrame({"y": TRUTH, "A": A, "B": B, "subject": TASK})
    table = rw.compare(frame, truth="y", a="A", b="B", task="subject", over="tasks", **ASKED)
    assert (table.delta, table.units) == (LIKE.delta, LIKE.units)


@pytest.mark.parametrize("over", ["these", "tasks"])
def test_a_and_b_mirror_each_other(over):
    one, two = (
        rw.compare(TRUTH, A, B, task=TASK, over=over, **ASKED),
        rw.compare(TRUTH, B, A, task=TASK, over=over, **ASKED),
    )
    error = 5 * max(c.std for c in one.tasks) / math.sqrt(4_000)
    assert one.mean == pytest.approx(-two.mean, abs=error)
    assert one.regions.above == pytest.approx(two.regions.below, abs=0.05)


@pytest.mark.parametrize("metric", ["f1", "balanced_accuracy", "error"])
def test_any_metric_of_labels(metric):
    r = asked(metric=metric, over="tasks")
    assert r.metric == metric
    assert (r.prob_better > 0.5) == (r.mean > 0) if metric != "error" else r.mean < 0


def test_scores_means_and_clusters():
    noise = np.random.default_rng(2).normal(size=(2, TASK.size))
    scores = TRUTH + noise
    area = rw.compare(TRUTH, *scores, task=TASK, metric="roc_auc", draws=1_000, rng=0)
    assert area.metric == "roc_auc"
    clustered = rw.compare(TRUTH, A, B, task=TASK, cluster=np.arange(TASK.size) // 2, **ASKED)
    assert clustered.scope.random == ("clusters of items",)
    graded = rw.compare(RIGHT_A * 1.0, RIGHT_B * 1.0, task=TASK, over="tasks", **{**ASKED, "metric": "mean"})
    assert graded.mean == pytest.approx(LIKE.mean, abs=0.02)


# -- what is said --------------------------------------------------------------------------------------------------


def test_the_json_says_what_it_is_about():
    told = json.loads(LIKE.to_json())
    assert told["estimand"] == "the difference in accuracy of two trained classifiers, averaged over tasks like these"
    assert (told["random"], told["over"], told["weights"]) == (["tasks", "items"], "tasks", None)
    assert {unit["name"] for unit in told["units"]} == {one["task"] for one in told["tasks"]} == set(TASKS)
    these = json.loads(THESE.to_json())
    assert (these["next"], these["population"], these["random"]) == (None, None, ["items"])
    assert sum(these["weights"].values()) == pytest.approx(1)
    assert "NaN" not in LIKE.to_json() + THESE.to_json()


def test_every_surface():
    for r in (THESE, LIKE):
        assert "tasks like these?" in r.to_html() if r is LIKE else "these 5 tasks?" in r.to_html()
        for text in (
            r.to_text(),
            r.to_text(details=True),
            r.to_markdown(),
            r.to_latex(),
            r.sentence(),
            r._repr_html_(),
        ):
            assert "A" in text
        assert "SuiteComparison" in repr(r)
        with pytest.raises(InvalidInputError, match="nothing can be listed") as caught:
            r.items()
        assert "r.tasks['chess']" in caught.value.hint
        assert (r.pairing is None) == (r is LIKE)
    assert "drawn to the others" not in THESE.to_text()
    assert "Next task" in LIKE.to_text()
    assert "The next task" in LIKE.to_html()
    assert "interval for tasks like these" in LIKE.to_html()
    assert LIKE.to_latex().partition("\n")[0].count("items") == 1
    assert "interval for items like these" in THESE.to_html()
    assert "The next task" not in THESE.to_html()


def test_hostile_names_of_tasks_are_only_text():
    names = np.where(TASK == "law", HOSTILE, TASK)
    for over in ("these", "tasks"):
        page = rw.compare(TRUTH, A, B, task=names, over=over, **{**ASKED, "draws": 500}).to_html()
        assert "<script>alert" not in page
        assert not re.search("\u202e", page)


def codes(r):
    return {remark.code for remark in r.remarks}


def test_warnings_of_few_tasks_and_of_one_that_is_most_of_all():
    assert "few_units" in codes(LIKE)
    assert "one_unit" in codes(asked(weights={"sums": 8, "words": 1, "law": 1, "maps": 1, "chess": 1}))
    assert "one_unit" not in codes(THESE)


def test_tasks_that_clearly_differ_are_no_sample_of_an_average():
    far = np.where(TASK == "sums", 1 - TRUTH, A)
    r = rw.compare(TRUTH, far, B, task=TASK, **ASKED)
    assert "unlike_tasks" in codes(r)
    mixed = np.random.default_rng(0).permutation(TASK)
    assert "unlike_tasks" not in codes(rw.compare(TRUTH, A, B, task=mixed, **ASKED))


def test_tasks_of_few_items_and_tasks_without_a_spread():
    task = TASK.astype("<U9")
    task[:5] = "tiny"
    assert "few_items_of_task" in codes(rw.compare(TRUTH, A, B, task=task, **ASKED))
    same = np.where(TASK == "law", B, A)
    still = {**ASKED, "model": "bootstrap", "metric": "mean"}
    scores = (np.where(x == TRUTH, 1.0, 0.0) for x in (same, B))
    r = rw.compare(*scores, task=TASK, over="tasks", **still)
    assert "no_spread" in codes(r)
    assert math.isfinite(r.mean)
    with pytest.raises(DataError, match="no spread on any task"):
        rw.compare(np.ones(200), np.ones(200), task=TASK, over="tasks", **still)


def test_a_task_that_one_system_lacks_is_named():
    lacking = np.where(TASK == "law", None, A.astype(object))
    with pytest.raises(DataError, match="30"):
        rw.compare(TRUTH, lacking, B, task=TASK, **ASKED)
    for metric in ("accuracy", "mean"):
        data = (TRUTH, lacking, B) if metric == "accuracy" else (np.where(TASK == "law", np.nan, A * 1.0), B * 1.0)
        r = rw.compare(*data, task=TASK, missing="drop", **{**ASKED, "metric": metric})
        (said,) = (remark.text for remark in r.remarks if remark.code == "tasks_left_out")
        assert "law" in said
        assert r.tasks.tasks == ("chess", "maps", "sums", "words")


def logs(without=None):
    columns = {"system": [], "item": [], "score": [], "task": []}
    for i, task in enumerate(TASK):
        for system, right in (("new", RIGHT_A[i]), ("old", RIGHT_B[i])):
            if (system, task) != without:
                for name, value in zip(columns, (system, f"q{i}", int(right), str(task)), strict=True):
                    columns[name].append(value)
    return rw.read_long(need("pandas").DataFrame(columns), score="score", task="task")


def test_evaluation_logs_say_themselves_which_tasks_there_are():
    r = rw.compare(logs(), over="tasks", rope=0.01, draws=4_000, rng=0)
    assert (r.a, r.b, r.tasks.tasks) == ("new", "old", tuple(sorted(TASKS)))
    graded = rw.compare(RIGHT_A * 1.0, RIGHT_B * 1.0, task=TASK, over="tasks", **{**ASKED, "metric": "mean"})
    assert r.mean == pytest.approx(graded.mean, abs=1e-9)
    fewer = rw.compare(logs(("old", "maps")), over="these", unmatched="drop", draws=500, rng=0)
    assert "maps" in next(remark.text for remark in fewer.remarks if remark.code == "tasks_left_out")


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"task": TASK[:-1]}, DataError, "199 values"),
        ({"task": "subject"}, InvalidInputError, "task"),
        ({"task": np.arange(TASK.size)}, InvalidInputError, "looks like an id"),
        ({"task": ["one"] * TASK.size}, DataError, "at least two tasks"),
        ({"task": np.where(TASK == "law", "x", "y"), "over": "tasks"}, DataError, "at least 3"),
        ({"task": [None, *TASK[1:]]}, DataError, "1 item without a task"),
        ({"task": None, "over": "tasks"}, InvalidInputError, "Which task"),
        ({"over": "all"}, UnknownNameError, "over"),
        ({"over": "tasks", "weights": "items"}, InvalidInputError, "no weights"),
        ({"weights": "size"}, InvalidInputError, "weights"),
        ({"weights": {"sums": 1}}, InvalidInputError, "lacks"),
        ({"weights": {**dict.fromkeys(TASKS, 1), "lawn": 1}}, UnknownNameError, "lawn"),
        ({"weights": {**dict.fromkeys(TASKS, 1), "law": -1}}, InvalidInputError, "-1"),
        ({"weights": {**dict.fromkeys(TASKS, 1), "law": math.nan}}, InvalidInputError, "nan"),
        ({"weights": dict.fromkeys(TASKS, 0)}, InvalidInputError, "zeros"),
        ({"by": TASK}, InvalidInputError, "by"),
        ({"metric": ["accuracy", "accuracy"]}, InvalidInputError, "named twice"),
        ({"task": ["", *TASK[1:]]}, DataError, "1 item without a task"),
        ({"cluster": np.arange(TASK.size) % 60}, DataError, "60 clusters hold items of several tasks"),
        ({"tests": True}, InvalidInputError, "tests"),
        ({"metric": "lr_plus", "over": "tasks"}, InvalidInputError, "population"),
    ],
)
def test_wrong_questions_are_a_clear_error(options, error, match):
    with pytest.raises(error, match=match) as caught:
        asked(**options)
    assert caught.value.hint


def test_items_of_many_labels_make_a_suite_of_comparisons():
    tags = [np.eye(3, dtype=int)[np.where(right, 1, 2)] for right in (RIGHT_A | True, RIGHT_A, RIGHT_B)]
    with pytest.raises(DataError, match="divided into tasks") as caught:
        rw.compare(*tags, task=TASK, metric="micro_f1")
    assert "rw.suite" in caught.value.hint
    made = {
        task: rw.compare(*(one[task == TASK] for one in tags), metric="micro_f1", draws=1_000, rng=i)
        for i, task in enumerate(TASKS)
    }
    # In the average each prior has a fifth of its mass.
    light = [c.recipe.model.scaled(0.2) for c in made.values()]
    expected = [
        rw.compare(*(one[task == TASK] for one in tags), metric="micro_f1", model=model, draws=1_000, rng=9)
        for task, model in zip(TASKS, light, strict=True)
    ]
    mean, std = moments(expected, [0.2] * 5)
    assert rw.suite(made, rng=0).mean == pytest.approx(mean, abs=5 * std * math.sqrt(2 / 1_000))


def test_priors_of_many_small_tasks_do_not_add_up():
    """All answers right on 100 tasks of 5 items: the prior of each says less than that, and that of all no more."""
    y, task = np.tile([0, 1, 0, 1, 0], 100), np.repeat(np.arange(100), 5)
    e = rw.evaluate(y, y, task=task, metric="accuracy", draws=500, rng=0)["accuracy"].estimate
    whole = rw.evaluate(y, y, metric="accuracy", draws=500, rng=0)["accuracy"].estimate
    assert 0 < 1 - e.mean < 3 * (1 - whole.mean)


def test_one_label_is_no_certainty():
    y, task = np.ones(12, dtype=int), np.arange(12) % 3
    asked = {"task": task, "metric": "accuracy", "draws": 100, "rng": 0}
    for answer in (rw.compare(y, y, y, **asked), rw.evaluate(y, y, **asked), rw.rank(y, {"A": y, "B": y}, **asked)):
        assert "one_label" in codes(answer)
    assert "one_label" not in codes(rw.evaluate(y, y, labels=[0, 1], **asked))


def test_what_somebody_knows_of_each_task_keeps_its_mass():
    model = rw.models.OwnPriors(theta=((9.0, 3.0, 3.0, 1.0), (1.0, 3.0, 3.0, 9.0)))
    r = rw.compare(TRUTH, A, B, task=TASK, **{**ASKED, "model": model})
    assert r.mean == pytest.approx(moments(r.tasks, [0.2] * 5)[0], abs=1e-12)


def test_folds_of_several_data_sets_say_what_they_are_about():
    def of_folds(*more):
        a, b = [0.8, 0.82, 0.81, *more], [0.7, 0.75, 0.73, *more]
        return {str(i): rw.compare_folds(a, [x + i / 100 for x in b], rho=0.3) for i in range(3)}

    with pytest.raises(DataError, match="no standard deviation"):
        rw.suite(of_folds(), over="tasks")
    made = of_folds(0.7, 0.9)
    r = rw.suite(made, over="tasks", rng=0)
    assert r.scope.random == ("tasks", "training sets", "test sets")
    assert r.scope.estimand.startswith("the difference in score of two algorithms")
    assert "few_items_of_task" not in codes(r)


def test_separate_test_sets_have_no_tasks():
    table = rw.Outcomes.from_confusion([[8, 2], [1, 9]])
    with pytest.raises(InvalidInputError, match="Separate test sets"):
        rw.compare(table, table, task=TASK, metric="accuracy")


def test_suites_of_what_cannot_be_put_together_are_refused():
    x, y = THESE.tasks["sums"], THESE.tasks["law"]
    turned = rw.compare(TRUTH, B, A, names=("B", "A"), **ASKED)
    other = rw.compare(TRUTH, A, B, **{**ASKED, "rope": 0.02})
    error = rw.compare(TRUTH, A, B, **{**ASKED, "metric": "error"})
    f1 = rw.compare(TRUTH, A, B, **{**ASKED, "metric": "f1"})
    for made, match in (
        ({"x": x, "y": turned}, "compares A with B"),
        ({"x": x, "y": other}, "different ROPEs"),
        ({"x": x, "y": error}, "has no meaning"),
        ({"x": x}, "at least two"),
        ([x, y], "by the names"),
        ({"x": x, "y": 3}, "by the names"),
    ):
        with pytest.raises((InvalidInputError, DataError), match=match) as caught:
            rw.suite(made)
        assert caught.value.hint
    assert "several_metrics" in codes(rw.suite({"x": x, "y": f1}, rng=0))
    assert rw.suite({"x": x, "y": other}, rope=0.03, rng=0).rope == Interval(-0.03, 0.03)


def test_hints_about_tasks_and_weights():
    with pytest.raises(RopewalkError) as refused:
        asked(weights="itms")
    assert refused.value.hint.startswith("did you mean 'items'?")
    with pytest.raises(RopewalkError, match="Which task") as refused:
        asked(task=None, over="tasks")
    assert "array" not in refused.value.hint
