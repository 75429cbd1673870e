"""`compare`: forms of input, properties of the posterior, edge cases."""

from __future__ import annotations

import ast
import inspect
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk import Outcomes
from ropewalk.errors import (
    ColumnNotFoundError,
    DegenerateDataWarning,
    InvalidInputError,
    PosLabelError,
    UnknownNameError,
)
from strategies import pair_counts

Y = [1, 0, 1, 1, 0, 1, 0, 0] * 40
A = [1, 0, 1, 0, 0, 1, 0, 1] * 40
B = [1, 1, 0, 1, 0, 1, 1, 0] * 40


def same(one, two):
    return np.array_equal(one.draws.psi, two.draws.psi)


def alike(one, two, *, sign=1.0):
    """Two posteriors of delta agree in law: mean, spread and tail masses within 5 standard errors."""
    n = len(one.draws)
    scale = max(one.std, two.std)
    assert abs(one.mean - sign * two.mean) <= 5 * scale * np.sqrt(2 / n) + 1e-15
    assert abs(one.std - two.std) <= 5 * scale * np.sqrt(4 / n) + 1e-15
    below, above = (two.prob_below_zero, two.prob_above_zero)[:: 1 if sign > 0 else -1]
    for p, q in ((one.prob_below_zero, below), (one.prob_above_zero, above)):
        assert abs(p - q) <= 5 * np.sqrt(max(p * (1 - p), q * (1 - q), 1 / n) * 2 / n)


# -- forms of input ---------------------------------------------------------------------------------------------


def test_every_form_of_input_gives_the_same_draws(tmp_path, frame):
    options = {"rope": 0.05, "rng": 3, "draws": 2_000}
    expected = rw.compare(Y, A, B, names=["a", "b"], **options)
    table = frame({"y": Y, "a": A, "b": B})
    o = rw.read_outcomes(table, truth="y", predictions=["a", "b"])
    o.save(tmp_path / "o.json")
    forms = [
        rw.compare(np.array(Y), np.array(A), np.array(B), names=["a", "b"], **options),
        rw.compare(o, a="a", b="b", **options),
        rw.compare(o, **options),
        rw.compare(table, truth="y", a="a", b="b", **options),
        rw.compare(Outcomes.load(tmp_path / "o.json"), **options),
    ]
    assert all(same(expected, r) for r in forms)
    assert all(expected.to_dict() == r.to_dict() for r in forms)


def test_two_confusion_matrices_are_compared_unpaired():
    ca, cb = [[50, 10], [5, 35]], [[45, 15], [9, 31]]
    r = rw.compare(Outcomes.from_confusion(ca), Outcomes.from_confusion(cb), rope=0.05, rng=0, draws=5_000)
    assert r.recipe.model.name == "unpaired"
    assert (r.a, r.b) == ("A", "B")
    assert r.to_dict()["n_items"] == 200


def test_the_unpaired_model_of_one_table_is_that_of_its_two_tables(table):
    joint = rw.compare(table, model="unpaired", rng=0, draws=5_000)
    apart = rw.compare(table.project(["nb_mult"]), table.project(["svm_l2"]), rng=0, draws=5_000)
    assert same(joint, apart)


def test_two_test_sets_may_lack_different_classes(silent):
    one = Outcomes.from_arrays(["x", "y", "y"], ["x", "y", "x"])
    two = Outcomes.from_arrays(["x", "z"], ["x", "x"])
    r = rw.compare(one, two, pos_label="z", draws=100, rng=0)
    assert [t.n_items for t in r.recipe.tables] == [3, 2]


@pytest.mark.parametrize(
    "call",
    [
        rw.compare,
        lambda: rw.compare(Y, A),
        lambda: rw.compare(Y),
        lambda: rw.compare(Y, A, B, a="a"),
        lambda: rw.compare(Y, A, B, names=["x"]),
        lambda: rw.compare(Y, A, B, truth="y"),
        lambda: rw.compare("file.csv", a="a", b="b"),
        lambda: rw.compare(Outcomes.from_arrays(Y, A, B, Y)),
        lambda: rw.compare(Outcomes.from_arrays(Y, A, B), labels=[0, 1]),
        lambda: rw.compare(Y, A, B, rng=1, random_state=1),
        lambda: rw.compare(Y, A, B, rng=-1),
        lambda: rw.compare(Y, A, B, rng="0"),
        lambda: rw.compare(Y, A, B, rng=1.5),
        lambda: rw.compare(Y, A, B, prob=1.0),
        lambda: rw.compare(Y, A, B, prob=0),
        lambda: rw.compare(Y, A, B, prob=float("nan")),
        lambda: rw.compare(Y, A, B, prob="0.9"),
        lambda: rw.compare(Y, A, B, draws=0),
        lambda: rw.compare(Y, A, B, draws=-5),
        lambda: rw.compare(Y, A, B, draws=10.0),
        lambda: rw.compare(Y, A, B, draws="many"),
        lambda: rw.compare(Y, A, B, draws=True),
        lambda: rw.compare(Y, A, B, threads=0),
        lambda: rw.compare(Y, A, B, rule="hdi2"),
        lambda: rw.compare(Y, A, B, missing="ignore"),
        lambda: rw.compare(Y, A, B, prevalence=1.5),
        lambda: rw.compare(Y, A, B, prevalence=[0.5, 0.6]),
        lambda: rw.compare(Y, A, B, prevalence={0: 0.5, 2: 0.5}),
        lambda: rw.compare(Y, A, B, metric=["f1", "f1"]),
        lambda: rw.compare(Y, A, B, rope=np.array([0.1, 0.2, 0.3])),
        lambda: rw.compare(Y, A, B, pos_label=float("inf")),
        lambda: rw.compare(Y, A, B, rope=5),
        lambda: rw.compare(Y, A, B, rope=(0, 2.5), metric="mcc"),
        lambda: rw.compare(Y, A, B, metric=lambda y, p: 0),
        lambda: rw.compare(Outcomes.from_arrays(Y, A, B), Outcomes.from_arrays(Y, A)),
        lambda: rw.compare_classes(Y, A, B, prevalence=0.1),
        lambda: rw.compare(["spam", "not spam"], ["spam", "spam"], ["spam", "spam"]),
    ],
)
def test_a_wrong_call_is_a_clear_value_error(call):
    """The error names what is wrong: one of the options that the call gives, if it gives any."""
    with pytest.raises(ValueError) as caught:
        call()
    assert isinstance(caught.value, InvalidInputError)
    sentence, _, hint = str(caught.value).partition("\nHint: ")
    assert re.fullmatch(r"[A-Z0-9`'\"].{15,}[.?]", sentence, re.DOTALL), sentence
    assert hint
    assert "\n" not in hint
    given = options_in(call)
    named = [name for name in given if re.search(rf"\b{name}\b", sentence.replace("_", " "))]
    assert named or not given or re.search("`[a-z_]+`", sentence), sentence


def options_in(call):
    """Return the options that the one call in a function gives, as words; none where it is no function of the test."""
    tree = ast.parse(inspect.getsource(call).strip().rstrip(",") if call.__name__ == "<lambda>" else "lambda: f()")
    outer = next(node for node in ast.walk(tree) if isinstance(node, ast.Lambda))
    return [keyword.arg.replace("_", " ") for keyword in outer.body.keywords]


@pytest.mark.parametrize(
    ("metric", "guess"),
    [("F1", "f1"), ("macro_recal", "macro_recall"), ("macro_f2", "macro_fbeta(2)"), ("kapa", "kappa")],
)
def test_a_guess_keeps_the_average(news, metric, guess):
    with pytest.raises(UnknownNameError, match=re.escape(f"did you mean '{guess}'?")):
        rw.compare(news.outcomes, a="nb_mult", b="svm_l2", metric=metric)


def test_errors_name_the_nearest_choice(news):
    with pytest.raises(ColumnNotFoundError, match="did you mean 'svm_l2'"):
        rw.compare(news.outcomes, a="nb_mult", b="svm_2")
    with pytest.raises(PosLabelError, match="did you mean 8"):
        rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label="8")
    with pytest.raises(PosLabelError, match="Which label is positive"):
        rw.compare(["ham", "spam"], ["ham", "spam"], ["spam", "spam"])
    with pytest.raises(UnknownNameError, match="Choose from: hdi, probability"):
        rw.compare(Y, A, B, rule="HDI!")


@pytest.mark.parametrize(
    ("labels", "positive"), [((0, 1), 1), ((False, True), True), (("0", "1"), "1"), ((-1, 1), 1), ((1, 2), 1)]
)
def test_the_usual_positive_label(labels, positive):
    def convert(column):
        return [labels[v] for v in column]

    r = rw.compare(*map(convert, (Y, A, B)), draws=100, rng=0)
    assert r.pos_label == positive
    assert type(r.pos_label) is type(positive)
    named = rw.compare(*map(convert, (Y, A, B)), draws=100, rng=0, pos_label=positive)
    assert same(r, named)
    assert r.metric == "f1"


# -- properties -------------------------------------------------------------------------------------------------


def test_permuting_the_items_is_bit_identical(rng):
    order = rng.permutation(len(Y))
    shuffled = [[column[i] for i in order] for column in (Y, A, B)]
    assert same(rw.compare(Y, A, B, rng=1, draws=2_000), rw.compare(*shuffled, rng=1, draws=2_000))


@given(pair_counts, pair_counts)
@settings(max_examples=20)
def test_merging_is_bit_identical_to_counting_together(one, two):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        merged = rw.compare(Outcomes.from_counts(one) + Outcomes.from_counts(two), rng=0, draws=500)
        together = rw.compare(Outcomes.from_counts(one + two), rng=0, draws=500)
    assert same(merged, together)


@pytest.mark.parametrize("metric", ["f1", "accuracy", "precision", "mcc", "error"])
@pytest.mark.parametrize("model", ["paired", "unpaired"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_exchanging_a_and_b_flips_the_sign_in_law(metric, model, seed):
    options = {"metric": metric, "model": model, "draws": 50_000, "rng": seed}
    alike(rw.compare(Y, A, B, **options), rw.compare(Y, B, A, **options), sign=-1)


@pytest.mark.parametrize("metric", ["accuracy", "mcc", "kappa", "balanced_accuracy", "gmean"])
def test_exchanging_the_labels_changes_nothing_for_symmetric_metrics(metric):
    def flip(column):
        return [1 - v for v in column]

    options = {"metric": metric, "draws": 50_000, "rng": 0}
    alike(rw.compare(Y, A, B, **options), rw.compare(*map(flip, (Y, A, B)), **options))


def test_recall_of_one_label_is_specificity_of_the_other():
    one = rw.compare(Y, A, B, metric="recall", pos_label=1, draws=50_000, rng=0)
    two = rw.compare(Y, A, B, metric="specificity", pos_label=0, draws=50_000, rng=1)
    alike(one, two)


def test_renaming_labels_is_bit_identical_when_their_order_stays():
    def names(column):
        return [("ham", "spam")[v] for v in column]

    one = rw.compare(Y, A, B, draws=500, rng=0)
    two = rw.compare(*map(names, (Y, A, B)), pos_label="spam", draws=500, rng=0)
    assert same(one, two)


def test_more_data_make_a_narrower_posterior_around_the_same_difference():
    few, many = (rw.compare(Y * k, A * k, B * k, rng=0, draws=20_000) for k in (1, 16))
    assert many.std == pytest.approx(few.std / 4, rel=0.05)
    assert abs(many.mean - many.delta.observed) < abs(few.mean - few.delta.observed)


def test_a_wider_prob_gives_a_wider_hdi():
    widths = [np.diff(list(vars_of(rw.compare(Y, A, B, rng=0, draws=5_000, prob=p).hdi)))[0] for p in (0.5, 0.9, 0.99)]
    assert widths == sorted(widths)


def vars_of(interval):
    return interval.low, interval.high


# -- edge cases -------------------------------------------------------------------------------------------------


def test_no_items_give_the_prior():
    with pytest.warns(DegenerateDataWarning, match="no items"):
        r = rw.compare([], [], [], labels=[0, 1], metric="recall", rope=0.1, rng=0, draws=50_000)
    assert r.delta.observed is r.estimate_a.observed is None
    # Each recall is Beta(1/2, 1/2) under Dir(1/4, …), and the difference is symmetric.
    assert abs(r.estimate_a.mean - 0.5) <= 5 * np.sqrt(0.125 / 50_000)
    assert abs(r.mean) <= 5 * r.delta.mc_error
    assert r.to_dict()["a"]["observed"] is None
    assert r.bayes_factor.sd == pytest.approx(1, abs=0.1)


def test_one_item_works():
    with pytest.warns(rw.errors.RopewalkWarning):
        r = rw.compare([1], [1], [0], labels=[0, 1], metric="recall", rope=0.1, rng=0, draws=50_000)
    # theta+ ~ Dir(1/2, 3/2, 1/2, 1/2): recalls Beta(2, 1) and Beta(1, 2).
    assert abs(r.mean - 1 / 3) <= 5 * r.delta.mc_error
    assert r.to_dict()["n_items"] == 1


def test_perfect_classifiers_are_equivalent_with_enough_items():
    y = [0, 1] * 500
    r = rw.compare(y, y, y, rope=0.05, rng=0)
    assert r.decision.symbol == "≈"
    assert r.delta.observed == 0
    assert r.estimate_a.observed == 1


def test_identical_classifiers_differ_by_nothing_but_the_prior():
    r = rw.compare(Y * 10, A * 10, A * 10, rope=0.05, rng=0)
    assert r.decision.symbol == "≈"
    assert abs(r.prob_above_zero - 0.5) <= 5 * np.sqrt(0.25 / len(r.draws))


def test_an_empty_class_keeps_its_prior_and_is_reported():
    with pytest.warns() as caught:
        r = rw.compare([0] * 50, [0] * 50, [0] * 49 + [1], labels=[0, 1], metric="recall", rng=0, draws=50_000)
    assert "No item belongs to '1'" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert abs(r.estimate_a.mean - 0.5) <= 5 * np.sqrt(0.125 / 50_000)  # Beta(1/2, 1/2)


def test_a_never_predicted_class_counts_0_and_is_reported():
    with pytest.warns() as caught:
        r = rw.compare(Y * 5, A * 5, [0] * 5 * len(Y), metric="precision", rng=0, draws=1_000)
    assert "B never predicts '1'" in str(caught[0].message)
    assert DegenerateDataWarning in {w.category for w in caught}
    assert r.estimate_b.observed == 0


def test_a_class_that_a_metric_does_not_look_at_may_go_unpredicted(silent):
    r = rw.compare(Y * 5, [1] * 5 * len(Y), B * 5, metric="recall", rng=0, draws=1_000)
    assert not any("never predicts" in w for w in r.warnings)


def test_no_answer_is_not_a_class(silent):
    y = ["x", "y", "z"] * 20
    table = rw.compare_classes(y, ["x", None, "z"] * 20, y, missing="wrong", rope=0.1, rng=0, draws=100)
    assert [c.pos_label for c in table] == ["x", "y", "z"]


def test_the_name_left_out_is_the_one_that_remains():
    o = Outcomes.from_arrays(Y, A, B, names=["a", "b"])
    r = rw.compare(o, a="b", draws=100, rng=0)
    assert (r.a, r.b) == ("b", "a")


def test_numpy_numbers_are_numbers():
    one = rw.compare(Y, A, B, rope=np.array(0.05), prevalence=np.array(0.3), draws=np.int64(100), rng=np.uint8(3))
    two = rw.compare(Y, A, B, rope=0.05, prevalence=0.3, draws=100, rng=3)
    assert one.to_dict() == two.to_dict()


def test_the_headline_without_a_rope_names_the_classifier_that_is_probably_higher(silent):
    o = Outcomes.from_pairs(positive=(0, 3, 0, 1), negative=(30, 48, 0, 0))
    r = rw.compare(o, metric="precision", model="sigir2016", rng=0)
    assert r.mean < 0 < r.prob_above_zero - 0.5
    assert f"A's precision is higher with probability {round(100 * r.prob_above_zero)}%" in str(r)


def test_a_single_label_gives_metrics_of_1():
    with pytest.warns(DegenerateDataWarning, match="only one label"):
        r = rw.compare(["x"] * 5, ["x"] * 5, ["x"] * 5, rope=0.1, rng=0)
    assert r.estimate_a.mean == r.estimate_b.mean == 1
    assert (r.mean, r.std, r.decision.symbol, r.decision.stable) == (0, 0, "≈", True)
    r.to_json()
    str(r)


@pytest.mark.parametrize("draws", [1, 5, 20, 999])
def test_few_draws_work_but_settle_nothing(draws):
    r = rw.compare(Y, A, B, rope=0.05, draws=draws, rng=0)
    assert not r.decision.stable
    assert not r.warnings  # what few draws show of the prior's pull is noise
    r.to_json()
    str(r)


def test_millions_of_items_are_no_harder():
    big = Outcomes.from_pairs(positive=(10**9, 10**8, 10**8 + 5, 10**7), negative=(10**8, 10**7, 10**7, 10**9))
    r = rw.compare(big, rope=0.001, rng=0, draws=50_000)
    assert r.decision.symbol == "≈"


# -- the prior ----------------------------------------------------------------------------------------------------


FEW = [[1] * 6 + [0] * 60, [1] * 6 + [0] * 60, [0, 1] * 3 + [0] * 60]


def test_a_prior_that_moves_the_answer_allows_no_verdict(rng, silent):
    y = rng.integers(0, 30, 90)
    a, b = (np.where(rng.random(90) < right, y, (y + 1) % 30) for right in (0.9, 0.4))
    r = rw.compare(y, a, b, model="flat", metric="macro_f1", rope=0.01, rng=0, draws=5_000)
    assert r.decision is None
    assert r.drawing.shift.moved >= 0.5
    assert "half or twice the prior mass moves" in r.no_verdict
    assert r.regions.below + r.regions.inside + r.regions.above == pytest.approx(1)
    told = r.to_dict()
    assert told["decision"] is None
    assert told["rope"] == [-0.01, 0.01]
    assert told["warnings"] == list(r.warnings)


def test_how_far_a_prior_moves_is_that_of_the_same_question_asked_again(silent):
    r = rw.compare(*FEW, rope=0.01, rng=0, draws=20_000)
    others = [
        rw.compare(*FEW, model=rw.models.Tree(kappa=k, mu_prior=k, label_mass=k), rng=1, draws=20_000)
        for k in (0.5, 2.0)
    ]
    expected = max(abs(other.mean - r.mean) for other in others) / r.std
    assert r.drawing.shift.moved == pytest.approx(expected, abs=4 * (1 / np.sqrt(2_000) + 1 / np.sqrt(20_000)))


def test_scores_that_are_pulled_are_a_note_and_a_difference_a_warning(silent):
    y = [0, 1] * 60
    same = rw.compare(y, y, y, rng=0, draws=5_000)  # both scores lie on the edge, the posterior beside it
    assert not same.warnings
    assert any("The prior pulls" in told for told in same.notes)
    strong = rw.models.Sigir2016(positive=(1, 400, 1, 1), negative=(1, 1, 400, 1))
    biased, plain = (rw.compare(Y, A, B, model=model, rng=0, draws=5_000) for model in (strong, None))
    assert biased.mean > plain.mean + 0.2
    assert any("The prior pulls" in told for told in biased.warnings)
    assert "400" in biased.to_dict()["prior"]


def test_where_there_are_many_items_no_prior_matters(news):
    r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0)
    assert r.drawing.shift.moved < 0.25
    assert not r.warnings


def test_an_asymmetric_prior_needs_a_positive_label():
    model = rw.models.Sigir2016(mu=(5, 1))
    with pytest.raises(PosLabelError):
        rw.compare(["n", "y"], ["n", "y"], ["n", "n"], metric="accuracy", model=model)


# -- prevalence ----------------------------------------------------------------------------------------------------


def test_prevalence_can_be_a_number_a_sequence_or_a_mapping():
    results = [
        rw.compare(Y, A, B, metric="precision", prevalence=p, rng=0, draws=500)
        for p in (0.1, np.array([0.9, 0.1]), {1: 0.1, 0: 0.9})
    ]
    assert same(results[0], results[1])
    assert same(results[0], results[2])
    assert results[0].to_dict()["prevalence"] == pytest.approx([0.9, 0.1])


def test_shares_follow_the_order_of_the_labels_whatever_is_positive():
    """Three ways to say that 90% are ham, with ham, the first label, as the positive one."""

    def names(column):
        return [("ham", "spam")[v] for v in column]

    results = [
        rw.compare(*map(names, (Y, A, B)), pos_label="ham", metric="precision", prevalence=p, rng=0, draws=500)
        for p in (0.9, [0.9, 0.1], {"ham": 0.9, "spam": 0.1})
    ]
    assert np.allclose(results[0].draws.psi, results[1].draws.psi)
    assert np.allclose(results[0].draws.psi, results[2].draws.psi)
    assert results[0].to_dict()["prevalence"] == pytest.approx([0.1, 0.9])


def test_prevalence_at_the_observed_mix_changes_the_observed_value_not():
    share = sum(Y) / len(Y)
    plain = rw.compare(Y, A, B, rng=0, draws=500)
    moved = rw.compare(Y, A, B, rng=0, draws=500, prevalence=share)
    assert moved.delta.observed == pytest.approx(plain.delta.observed)


def test_an_unobserved_class_has_no_observed_value_at_another_mix():
    with pytest.warns(DegenerateDataWarning):
        r = rw.compare([1] * 9, [1] * 9, [1] * 8 + [0], labels=[0, 1], prevalence=0.5, rng=0, draws=500)
    assert r.delta.observed is None


# -- results -------------------------------------------------------------------------------------------------------


def test_a_rope_may_reach_as_far_as_differences_do():
    assert rw.compare(Y, A, B, rope=1, rng=0, draws=2_000).decision.symbol == "≈"
    assert rw.compare(Y, A, B, rope=2, metric="kappa", rng=0, draws=2_000).decision.symbol == "≈"
    assert rw.compare(Y, A, B, rope=50, metric="cost", cost_matrix=[[0, 9], [99, 0]], rng=0, draws=2_000).decision


def test_an_hdi_unpacks(table):
    r = rw.compare(table, rope=0.05, rng=0, draws=2_000)
    low, high = r.hdi
    assert (low, high) == (r.hdi.low, r.hdi.high)


def test_results_do_not_change(table):
    r = rw.compare(table, rope=0.05, rng=0, draws=500)
    with pytest.raises(AttributeError):
        r.a = "other"
    before = r.to_json()
    str(r), repr(r), r._repr_html_(), r.to_markdown(), r.to_latex()
    assert r.to_json() == before


def test_a_recipe_runs_again_to_the_same_answer(table):
    from ropewalk.inference.answers import run_comparison

    r = rw.compare(table, rope=0.05, rng=9)
    assert run_comparison(r.recipe).to_dict() == r.to_dict()


def test_the_contract_of_the_json(table):
    told = rw.compare(table, rope=0.05, rng=0, draws=1_000).to_dict()
    assert set(told) >= {
        "schema", "version", "metric", "higher_is_better", "pos_label", "model", "prior", "n_items", "draws", "seed",
        "prob", "rule", "data_hash", "a", "b", "delta", "rope", "regions", "rope_path", "decision", "bayes_factor",
        "tests", "warnings",
    }  # fmt: skip
    assert set(told["a"]) >= {"name", "observed", "mean", "std", "hdi"}
    assert set(told["delta"]) >= {
        "observed", "mean", "std", "mc_error", "hdi", "hdi_mc_error", "prob_below_zero", "prob_above_zero",
    }  # fmt: skip
    assert set(told["decision"]) == {"symbol", "code", "conclusive", "stable", "leaning", "text"}
    assert set(told["bayes_factor"]) >= {"sd", "sd_reliable", "rope", "rope_reliable"}
    assert told["pos_label"] == "1"
    assert sum(told["regions"].values()) == pytest.approx(1)
    assert told["rope_path"][0]["from"] == 0
    assert told["rope_path"][-1]["to"] is None


def test_classes_come_in_label_order_with_their_own_answers(news):
    o = news.outcomes.project(["nb_mult", "svm_l2"])
    table = rw.compare_classes(o, rope=0.05, rng=0, draws=2_000)
    assert [c.pos_label for c in table] == list(range(20))
    single = rw.compare(o, pos_label=7, rope=0.05, rng=0, draws=2_000)
    assert same(table[7], single)
    assert [c["pos_label"] for c in table.to_dict()["classes"]] == [str(i) for i in range(20)]


@given(st.sampled_from(["f1", "recall", "accuracy", "jaccard"]), pair_counts)
@settings(max_examples=25)
def test_summaries_are_consistent_on_any_table(metric, counts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = rw.compare(Outcomes.from_counts(counts), metric=metric, rope=0.1, rng=0, draws=2_000)
    delta = r.draws.delta()
    assert np.array_equal(delta, r.draws.psi[0] - r.draws.psi[1])
    assert r.mean == pytest.approx(delta.mean())
    assert r.hdi.low <= np.median(delta) <= r.hdi.high
    assert r.regions.inside == np.mean((delta >= -0.1) & (delta <= 0.1))
    assert r.prob_above_zero == np.mean(delta > 0)
    assert ((delta >= r.hdi.low) & (delta <= r.hdi.high)).sum() >= 1_901
