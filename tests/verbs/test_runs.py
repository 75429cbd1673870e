"""Two methods by several runs of each: expected values, properties, refusals, and every surface."""

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import DataError, InvalidInputError, RopewalkError
from ropewalk.models.runs import HalfNormal
from seen_runs import RIGHT_A, RIGHT_B

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")


PLAIN = {"metric": "accuracy", "model": "bootstrap", "rng": 0, "draws": 20_000}
FEW = {"metric": "accuracy", "rng": 0, "draws": 2_000, "rope": 0.05}


@pytest.fixture(scope="module")
def data():
    """A truth, and five runs of two methods whose runs differ."""
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=400)

    def runs(shares):
        return np.stack([np.where(rng.random(400) < share, truth, 1 - truth) for share in shares])

    return truth, runs([0.90, 0.92, 0.88, 0.91, 0.89]), runs([0.80, 0.83, 0.79, 0.81, 0.82])


def test_expected_values_of_runs_and_items():
    r = rw.compare(RIGHT_A, RIGHT_B, runs="independent", **PLAIN)
    assert r.delta.observed == pytest.approx(-0.005555555555555536, abs=1e-12)
    assert r.prob_above_zero == pytest.approx(0.47717, abs=0.018)
    assert r.runs.df == (4,)
    shared = rw.compare(RIGHT_A, RIGHT_B, runs="shared", **PLAIN)
    assert shared.runs.df == (2,)
    low, middle, high = np.quantile(shared.draws.delta(), [0.025, 0.5, 0.975])
    assert (low, middle, high) == pytest.approx((-0.33316, -0.00574, 0.31714), abs=0.03)


def test_one_run_each_is_about_the_items_and_says_so():
    r = rw.compare(RIGHT_A[:1], RIGHT_B[:1], runs="independent", rope=0.01, **PLAIN)
    assert r.delta.observed == pytest.approx(-0.15, abs=1e-12)
    assert r.std == pytest.approx(0.06106969949755207, rel=0.02)
    assert not r.runs.included
    assert r.scope.random == ("items",)
    assert any("the spread between runs is not in this interval" in text for text in r.warnings)


def test_the_verdict_of_one_run_holds_up_to_the_standard_deviation_that_is_told():
    asked = {"runs": "independent", "rope": 0.01, **PLAIN}
    limit = rw.compare(RIGHT_A[:1], RIGHT_B[:1], **asked).runs.holds_if_run_sd_below
    below, above = (rw.compare(RIGHT_A[:1], RIGHT_B[:1], run_sd=limit * times, **asked) for times in (0.98, 1.02))
    assert below.decision.symbol == "≪"
    assert above.decision.symbol == "<"
    assert below.runs.included


def test_runs_that_are_all_alike_leave_the_items_alone(data):
    truth, a, b = data
    same = [np.repeat(each[:1], 3, axis=0) for each in (a, b)]
    many = rw.compare(truth, *same, runs="independent", **FEW)
    one = rw.compare(truth, a[:1], b[:1], runs="independent", **FEW)
    assert np.allclose(many.draws.psi, one.draws.psi, atol=1e-9)
    assert many.components.shares == {"items": pytest.approx(1), "runs": 0, "noise": 0}


@pytest.mark.parametrize("design", ["independent", "shared", "samples"])
def test_swapped_methods_mirror_the_answer(design, data):
    truth, a, b = data
    asked = {**FEW, "draws": 20_000}
    ab, ba = (rw.compare(truth, *pair, runs=design, **asked) for pair in ((a, b), (b, a)))
    assert ab.mean == pytest.approx(-ba.mean, abs=6 * ab.std / 20_000**0.5)
    quartiles = [np.quantile(sign * r.draws.delta(), [0.25, 0.75]) for sign, r in ((1, ab), (-1, ba))]
    assert quartiles[0] == pytest.approx(quartiles[1], abs=0.06 * ab.std)
    assert ab.decision.symbol == {"≪": "≫", "≫": "≪"}.get(ba.decision.symbol, ba.decision.symbol)


def test_runs_are_never_narrower_than_items(data):
    truth, a, b = data
    items = rw.compare(truth, a, b, runs="independent", fixed="runs", **FEW)
    assert items.scope.random == ("items",)
    for design in ("independent", "shared"):
        assert rw.compare(truth, a, b, runs=design, **FEW).std > 0.99 * items.std


def test_fixed_items_are_the_t_of_the_runs(data):
    from scipy import stats

    truth, a, b = data
    r = rw.compare(truth, a, b, runs="independent", fixed="items", **{**PLAIN, "rope": 0.05})
    first, second = ((each == truth).mean(axis=1) for each in (a, b))
    scale = ((first.var(ddof=1) + second.var(ddof=1)) / 5) ** 0.5
    expected = stats.t(8, first.mean() - second.mean(), scale)
    assert stats.kstest(r.draws.delta(), expected.cdf).pvalue > 1e-4
    assert r.scope.random == ("runs",)


def test_a_metric_is_taken_run_by_run(data):
    truth, a, b = data
    r = rw.compare(truth, a, b, runs="independent", **{**FEW, "metric": "f1"})
    alone = [rw.evaluate(truth, run, metric="f1", rng=0, draws=50).metrics[0].estimate.observed for run in a]
    assert r.runs.observed[0] == pytest.approx(alone)
    assert r.estimate_a.observed == pytest.approx(np.mean(alone))


def test_scores_and_clusters_are_compared_too(data):
    truth, a, b = data
    rng = np.random.default_rng(1)
    scores = [each + rng.normal(size=each.shape) for each in (a, b)]
    cluster = np.arange(400) // 4
    r = rw.compare(truth, *scores, runs="shared", metric="roc_auc", cluster=cluster, rng=0, draws=500)
    assert len(r.runs.observed[0]) == 5
    assert r.scope.random == ("clusters of items", "shared runs")
    labelled = rw.compare(truth, a, b, runs="independent", cluster=cluster, **FEW)
    assert labelled.runs.included


def test_samples_have_no_spread_between_runs(data):
    truth, a, b = data
    samples = rw.compare(truth, a, b, runs="samples", **FEW)
    as_clusters = rw.compare(
        np.tile(truth, 5), np.concatenate(a), np.concatenate(b), cluster=np.tile(np.arange(400), 5), **FEW
    )
    assert np.array_equal(samples.draws.psi, as_clusters.draws.psi)
    assert samples.components.run == 0
    assert samples.recipe.n_items == 400
    uneven = rw.compare(truth, a[:2], b[:3], runs="samples", **FEW)
    assert uneven.delta.observed == pytest.approx((a[:2] == truth).mean() - (b[:3] == truth).mean())


def test_unequal_runs_and_single_ones(data):
    truth, a, b = data
    uneven = rw.compare(truth, a, b[:3], runs="independent", **FEW)
    assert uneven.runs.df == (4, 2)
    assert any("spread of its own" in text for text in uneven.notes)
    lent = rw.compare(truth, a, b[0], runs="independent", **FEW)
    assert any("stands in for" in text for text in lent.warnings)
    steady = rw.compare(truth, a, b[0], runs="independent", deterministic="b", **FEW)
    assert steady.std < lent.std
    assert not any("stands in for" in text for text in steady.warnings)


def test_two_runs_are_warned_of_and_two_shared_ones_give_no_verdict(data):
    truth, a, b = data
    two = rw.compare(truth, a[:2], b[:2], runs="independent", **FEW)
    assert two.decision is not None
    assert any("third run" in text for text in two.warnings)
    shared = rw.compare(truth, a[:2], b[:2], runs="shared", **FEW)
    assert shared.decision is None
    assert "one degree of freedom" in shared.no_verdict
    known = rw.compare(truth, a[:2], b[:2], runs="shared", run_sd=0.01, **FEW)
    assert known.decision is not None


def test_a_known_spread_takes_the_place_of_that_of_the_runs(data):
    truth, a, b = data
    none, small, prior, large = (
        rw.compare(truth, a, b, runs="independent", run_sd=sd, **FEW).std for sd in (0, 0.01, HalfNormal(0.02), 0.05)
    )
    assert none < small < large
    assert none < prior < large
    assert rw.models.HalfNormal is HalfNormal


def test_a_run_far_from_the_others_is_named(data):
    truth, a, b = data
    failed = a.copy()
    failed[2] = 1 - truth
    r = rw.compare(truth, failed, b, runs="independent", **FEW)
    assert any(text.startswith("Run 3 (0") and "far from the others" in text for text in r.warnings)


def long_table(truth, a, b):
    rows = [(i, r, truth[i], a[r][i], b[r][i]) for r in range(len(a)) for i in range(len(truth))]
    return dict(zip(("item", "seed", "y", "new", "old"), map(list, zip(*rows, strict=True)), strict=True))


def test_a_long_table_says_what_arrays_say(data):
    truth, a, b = (each[..., :60] for each in data)
    columns = {"truth": "y", "a": "new", "b": "old", "id": "item", "run": "seed"}
    table = long_table(truth, a, b)
    for design in ("independent", "shared", "samples"):
        told = rw.compare(table, **columns, runs=design, **FEW)
        arrays = rw.compare(truth, a, b, runs=design, names=["new", "old"], **FEW)
        assert told.to_dict() == arrays.to_dict()
    rows = np.random.default_rng(0).permutation(len(table["y"]))
    shuffled = {name: [values[i] for i in rows] for name, values in table.items()}
    other = rw.compare(shuffled, **columns, runs="shared", **FEW)
    assert sorted(other.runs.observed[0]) == pytest.approx(sorted((a == truth).mean(axis=1)))


def test_ragged_answers_are_samples(data):
    truth, a, b = (each[..., :60] for each in data)
    table = {name: values[:-7] for name, values in long_table(truth, a, b).items()}
    columns = {"truth": "y", "a": "new", "b": "old", "id": "item"}
    r = rw.compare(table, **columns, runs="samples", **FEW)
    counts = np.full(60, 5)
    counts[-7:] -= 1
    expected = [sum((x[k] == truth) / counts for k in range(5)) for x in (a, b)]
    expected = [
        e - np.where(np.arange(60) >= 53, (x[4] == truth) / counts, 0) for e, x in zip(expected, (a, b), strict=True)
    ]
    assert r.estimate_a.observed == pytest.approx(expected[0].mean())
    with pytest.raises(DataError, match="lacks 7 items"):
        rw.compare(table, **columns, run="seed", runs="independent", **FEW)


def test_a_column_without_some_run_has_fewer_runs(data):
    truth, a, b = (each[..., :40] for each in data)
    table = long_table(truth, a, b)
    table["old"] = [value if run < 3 else None for value, run in zip(table["old"], table["seed"], strict=True)]
    r = rw.compare(table, truth="y", a="new", b="old", id="item", run="seed", runs="independent", **FEW)
    assert (r.runs.a, r.runs.b) == (5, 3)


REFUSED = {
    "nothing said": ({}, "how the runs of the two go together"),
    "unknown word": ({"runs": "seeds"}, "runs"),
    "a metric twice": ({"runs": "shared", "metric": ["f1", "f1"]}, "named twice"),
    "slices": ({"runs": "shared", "by": [1]}, "each slice by itself"),
    "flips": ({"runs": "shared", "flips": True}, "differs from run to run"),
    "tests": ({"runs": "shared", "tests": True}, "is over shared runs and items"),
    "chains": ({"runs": "shared", "engine": "pymc"}, "Markov"),
    "unpaired": ({"runs": "shared", "model": "unpaired"}, "items of their own"),
    "negative spread": ({"runs": "shared", "run_sd": -1}, "run_sd"),
    "infinite spread": ({"runs": "shared", "run_sd": float("inf")}, "run_sd"),
    "spread of samples": ({"runs": "samples", "run_sd": 0.1}, "by design"),
    "no runs": ({"run_sd": 0.1}, "goes with"),
    "nobody": ({"runs": "independent", "deterministic": "c"}, "deterministic"),
    "shared and deterministic": ({"runs": "shared", "deterministic": "b"}, "independent runs"),
    "fixed what": ({"runs": "shared", "fixed": "seeds"}, "fixed"),
}


@pytest.mark.parametrize(("options", "match"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compared_is_refused_with_a_hint(options, match, data):
    with pytest.raises(RopewalkError, match=match) as refused:
        rw.compare(*data, **{"metric": "accuracy", **options})
    assert refused.value.hint


def test_runs_of_different_items_are_refused(data):
    truth, a, b = data
    with pytest.raises(DataError, match="Runs differ in their items"):
        rw.compare(truth, [a[0], a[1][:-1]], b, runs="independent")
    with pytest.raises(DataError, match="Shared runs"):
        rw.compare(truth, a, b[:2], runs="shared")
    with pytest.raises(InvalidInputError, match="any number of labels"):
        rw.compare(np.ones((4, 2), int), np.ones((2, 4, 2), int), np.ones((2, 4, 2), int), runs="shared")


@pytest.mark.parametrize("nonsense", [None, "abc", 5, [], (x for x in [1]), np.float64(1)])
def test_what_are_no_runs_is_refused(nonsense, data):
    truth, _, b = data
    with pytest.raises(RopewalkError) as refused:
        rw.compare(truth, nonsense, b, runs="independent")
    assert refused.value.hint


def test_lists_of_runs_need_a_word_too(data):
    truth, a, b = data
    with pytest.raises(InvalidInputError, match="how the runs of the two go together"):
        rw.compare(truth.tolist(), a.tolist(), list(b))
    with pytest.raises(InvalidInputError, match="Counts do not know"):
        rw.compare(rw.Outcomes.from_arrays(truth, a[0], b[0]), runs="shared")


def test_an_item_twice_in_a_run_is_refused(data):
    truth, a, b = (each[..., :10] for each in data)
    table = {name: [*values, values[0]] for name, values in long_table(truth, a, b).items()}
    with pytest.raises(DataError, match="twice in a run"):
        rw.compare(table, truth="y", a="new", b="old", id="item", run="seed", runs="shared")
    with pytest.raises(InvalidInputError, match="`id` is not given"):
        rw.compare(table, truth="y", a="new", b="old", runs="shared")


def test_every_surface_shows_the_runs(data):
    r = rw.compare(*data, runs="independent", **FEW)
    written = json.loads(r.to_json())
    assert written["random"] == ["items", "runs"]
    assert written["runs"]["df"] == 8
    assert sum(written["components"]["shares"].values()) == pytest.approx(1)
    text = r.to_text(details=True)
    assert "400 items × 5 runs each" in text
    assert "Which runs were made" in text
    page = r.to_html()
    assert "The runs, one by one" in page
    assert "interval for items and runs like these" in page
    for form in (r.to_markdown(), r.to_latex()):
        assert "5 runs each" in form
        assert "400 items · 400" not in form
    for method in (r.items, r.confusions, r.prior_sensitivity):
        with pytest.raises(InvalidInputError, match="several runs"):
            method()


def test_the_same_seed_gives_the_same_answer_on_any_threads(data):
    one, two = (rw.compare(*data, runs="independent", threads=n, **FEW) for n in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_several_metrics_are_each_what_they_are_alone(data):
    for design in ("independent", "samples"):
        asked = {**FEW, "metric": ["accuracy", "f1"], "pos_label": 1, "rope": {"accuracy": 0.05}}
        r = rw.compare(*data, runs=design, **asked)
        alone = [rw.compare(*data, runs=design, **{**FEW, "metric": m, "pos_label": 1}) for m in ("accuracy", "f1")]
        assert [c.metric for c in r.metrics] == ["accuracy", "f1"]
        for one, other in zip(r.metrics, alone, strict=True):
            assert np.array_equal(one.draws.psi, other.draws.psi)
            assert one.runs.observed == other.runs.observed
        assert r.decision.symbol == "≫"
        assert r["f1"].decision is None
        assert json.loads(r.to_json())["metrics"][1]["runs"]["design"] == design
        with pytest.raises(InvalidInputError, match="cannot be combined"):
            r.prob_all_better()
        assert "F1" in r.to_text()


def test_goals_of_one_side_are_judged_over_runs_too(data):
    truth, a, b = data
    r = rw.compare(truth, a, b, runs="independent", metric="accuracy", goal="not-worse", margin=0.02, rng=0)
    assert r.decision.code == "a_not_worse"
    assert rw.compare(truth, b, a, runs="shared", metric="accuracy", goal="not-worse", margin=0.02, rng=0).conclusive


def test_holes_that_made_fractions_of_labels_are_runs_that_are_not_there(data):
    import pandas as pd

    truth, a, b = (each[..., :40] for each in data)
    frame = pd.DataFrame(long_table(truth, a, b))
    frame.loc[frame["seed"] > 2, "old"] = None
    assert frame["old"].dtype == float
    columns = {"truth": "y", "a": "new", "b": "old", "id": "item", "run": "seed"}
    r = rw.compare(frame, **columns, runs="independent", **FEW)
    assert (r.runs.a, r.runs.b) == (5, 3)
    frame.loc[0, "new"] = None
    with pytest.raises(DataError, match="null or NaN label"):
        rw.compare(frame, **columns, runs="independent", **FEW)
    assert rw.compare(frame, **columns, runs="independent", missing="drop", **FEW).recipe.n_items == 39
    frame["new"] = None
    with pytest.raises(DataError, match="empty"):
        rw.compare(frame, **columns, runs="independent", **FEW)


HOSTILE = {
    "constant scores": lambda y, a, b: rw.compare(
        y, np.full((3, 400), 0.5), b[:3] + 0.0, runs="shared", metric="roc_auc"
    ),
    "infinite scores": lambda y, a, b: rw.compare(y, a / 1.0 - [np.inf], b, runs="shared", metric="roc_auc"),
    "no truth of that length": lambda y, a, b: rw.compare(y[:5], a, b, runs="shared"),
    "three dimensions": lambda y, a, b: rw.compare(y, a[np.newaxis], b[np.newaxis], runs="shared"),
    "a run that is none": lambda y, a, b: rw.compare(y, [a[0], None], b, runs="shared"),
    "no runs at all": lambda y, a, b: rw.compare(y, a[:0], b, runs="shared"),
    "nothing": lambda y, a, b: rw.rank(runs="shared"),
    "nothing to compare": lambda y, a, b: rw.compare(runs="shared"),
    "two to evaluate": lambda y, a, b: rw.evaluate(y, a, b, runs="shared", metric="accuracy"),
    "text for runs": lambda y, a, b: rw.compare(y, "ab", "cd", runs="shared"),
    "texts and numbers": lambda y, a, b: rw.compare(y, a.astype(str), b, runs="shared"),
    "a truth without a length": lambda y, a, b: rw.compare(np.array(3), a, b, runs="shared"),
    "a run without a length": lambda y, a, b: rw.compare(y, [a[0], np.array(3)], b, runs="shared"),
    "runs that are lists": lambda y, a, b: rw.evaluate(
        {"q": [1, 2], "s": [[], {}], "p": [0, 1]}, "p", id="q", run="s", runs="shared", metric="accuracy"
    ),
    "cells that are arrays": lambda y, a, b: rw.evaluate(
        {"q": [1, 2], "s": [1, 1], "p": [np.array(3), 1], "y": [0, 1]}, "p", truth="y", id="q", run="s", runs="shared"
    ),
    "counts": lambda y, a, b: rw.evaluate(rw.Outcomes.from_arrays(y, a[0]), runs="shared"),
}


@pytest.mark.parametrize("call", HOSTILE.values(), ids=HOSTILE)
def test_hostile_runs_are_refused_with_a_hint(call, data):
    with pytest.raises(RopewalkError) as refused:
        call(*data)
    assert refused.value.hint


def test_objects_and_hostile_names_are_runs_too(data):
    truth, a, b = data
    names = ["<script>alert(1)</script>", "\u202eevil\n"]
    r = rw.compare(truth.astype(object), a.astype(object), list(b), runs="independent", names=names, **FEW)
    assert r.delta == rw.compare(truth, a, b, runs="independent", **FEW).delta
    assert "<script>alert" not in r.to_html()
    assert "\u202e" not in r.to_text() + r.to_json() + r.to_markdown()


# -- how many more runs --------------------------------------------------------------------------------------


def undecided(data, n_runs, **options):
    truth, a, _ = data
    near = np.where(np.arange(400) < 8, 1 - a, a)  # the same runs, a little worse
    return rw.compare(truth, a[:n_runs], near[:n_runs], runs="independent", **{**FEW, "rope": 0.015, **options})


def test_open_questions_say_how_many_more_runs_would_settle_them(data):
    r = undecided(data, 3)
    assert not r.conclusive
    assert r.more.unit == "runs"
    assert r.more.n_items == 3
    assert "more runs" in r.to_text()
    assert "more runs" in r.to_html()
    (text,) = [note for note in r.more.notes if "narrower" in note]
    assert "more items" in text.lower()
    wanted = r.more_data(n=[1, 4, 40], target=0.5)
    shares = [row.power for row in wanted.rows]
    assert shares == sorted(shares)
    assert wanted.unit == "runs"
    assert rw.compare(*data, runs="independent", **FEW).more is None


def test_a_third_run_halves_the_interval_as_it_really_does(data):
    from scipy import stats

    from ropewalk.inference.more_runs import outlook_of_runs

    two = undecided(data, 2)
    expected = stats.t(4).ppf(0.975) / 3**0.5 / (stats.t(2).ppf(0.975) / 2**0.5)
    assert outlook_of_runs(two).narrowed(1) == pytest.approx(expected, abs=0.06)  # were there no items
    widths = [r.hdi.high - r.hdi.low for r in (two, undecided(data, 3))]
    assert widths[1] < 0.8 * widths[0]


def test_one_run_does_not_say_how_many_more(data):
    one = undecided(data, 1)
    assert one.more is None
    with pytest.raises(InvalidInputError, match="how far others would lie") as refused:
        one.more_data()
    assert "second run" in refused.value.hint


# -- one method ----------------------------------------------------------------------------------------------


def test_one_method_is_the_t_of_its_runs_where_items_are_fixed(data):
    from scipy import stats

    truth, a, _ = data
    e = rw.evaluate(truth, a, runs="independent", metric="accuracy", fixed="items", rng=0, draws=20_000)
    shares = (a == truth).mean(axis=1)
    expected = stats.t(4, shares.mean(), (shares.var(ddof=1) / 5) ** 0.5)
    assert stats.kstest(e.metrics[0].draws.psi[0], expected.cdf).pvalue > 1e-4
    assert e.runs.df == (4,)
    assert e.scope.random == ("runs",)


def test_one_method_has_the_scores_that_it_has_in_a_comparison(data):
    truth, a, b = data
    asked = {**FEW, "rope": None, "draws": 20_000}
    alone = rw.evaluate(truth, a, runs="independent", **asked).metrics[0].estimate
    beside = rw.compare(truth, a, b, runs="independent", **asked).estimate_a
    assert alone.observed == beside.observed
    assert alone.mean == pytest.approx(beside.mean, abs=0.1 * alone.std)
    assert alone.std == pytest.approx(beside.std, rel=0.25)  # the spread is that of four degrees of freedom, not eight


def test_one_method_is_never_surer_than_its_items(data):
    truth, a, _ = data
    same = np.repeat(a[:1], 4, axis=0)
    one, many = (rw.evaluate(truth, runs, runs="independent", **{**FEW, "rope": None}) for runs in (a[:1], same))
    assert np.array_equal(one.metrics[0].draws.psi, many.metrics[0].draws.psi)
    assert one.scope.random == ("items",)
    assert any("the spread between runs is not in this interval" in text for text in one.warnings)
    asked = {"runs": "independent", **FEW, "rope": None}
    whole, items = (rw.evaluate(truth, a, fixed=fixed, **asked).metrics[0].estimate.std for fixed in (None, "runs"))
    assert whole > 0.99 * items


def test_a_method_against_a_bar(data):
    truth, a, _ = data
    asked = {**FEW, "metric": ["accuracy", "f1"], "pos_label": 1, "at_least": 0.8}
    e = rw.evaluate(truth, a, runs="independent", name="new", **asked)
    assert [m.decision.symbol for m in e.metrics] == ["≫", "≫"]
    assert e.metrics[0].headline.startswith("new is better than the bar")
    two = rw.evaluate(truth, a[:2], runs="independent", **asked)
    assert all("one degree of freedom" in m.no_verdict for m in two.metrics)
    assert rw.evaluate(truth, a[:2], runs="independent", run_sd=0.01, **asked).metrics[0].decision is not None
    with pytest.raises(InvalidInputError, match="lies between 0 and 1"):
        rw.evaluate(truth, a, runs="independent", metric="accuracy", at_least=85)


def test_a_long_table_has_one_method_too(data):
    truth, a, b = (each[..., :60] for each in data)
    columns = {"truth": "y", "id": "item", "run": "seed", "rng": 0, "draws": 1_000, "metric": "accuracy"}
    for design in ("independent", "shared", "samples"):
        told = rw.evaluate(long_table(truth, a, b), "new", runs=design, **columns)
        arrays = rw.evaluate(truth, a, name="new", runs=design, metric="accuracy", rng=0, draws=1_000)
        assert told.to_dict() == arrays.to_dict()
    with pytest.raises(RopewalkError, match="prediction"):
        rw.evaluate(long_table(truth, a, b), runs="shared", **columns)


def test_every_surface_shows_the_runs_of_one_method(data):
    e = rw.evaluate(*data[:2], runs="independent", name="<b>new</b>", **{**FEW, "at_least": 0.8})
    (written,) = json.loads(e.to_json())["metrics"]
    assert (written["runs"]["n_runs"], written["runs"]["df"]) == (5, 4)
    assert sum(written["components"]["shares"].values()) == pytest.approx(1)
    assert "400 items × 5 runs" in e.to_text(details=True)
    page = e.to_html()
    assert "The runs, one by one" in page
    assert "<b>new" not in page
    assert "400 items × 5 runs" in e.sentence()
    with pytest.raises(InvalidInputError, match="several runs"):
        e.metrics[0].predictive_check()


def test_a_missing_value_among_runs_is_named_and_not_the_type_it_made():
    truth = np.arange(60) % 2
    runs = np.stack([truth, 1 - truth]).astype(float)
    runs[0, 3] = np.nan
    with pytest.raises(RopewalkError, match="run 1' has missing values"):
        rw.compare(truth, runs, runs, runs="independent", metric="accuracy")
