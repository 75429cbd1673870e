"""What may turn out to be true: scenarios in every form, how their classifiers are coupled, and what is refused."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import linprog

import ropewalk as rw
from ropewalk.draws.intervals import Interval
from ropewalk.errors import FileFormatError, InvalidInputError, RopewalkError, UnknownNameError
from ropewalk.inference.goals import ceilings_of, check_goal, parse_goal, region_of
from ropewalk.planning.joint import couple
from ropewalk.planning.posing import as_scenario, from_json, from_mapping, from_words

PAIRS = {"positive": (0.3, 0.3, 0.2, 0.2), "negative": (0.2, 0.2, 0.3, 0.3)}
CONFUSIONS = {"a": [[90, 10], [20, 80]], "b": [[85, 15], [25, 75]]}
TABLE = [[[0.4, 0.05], [0.02, 0.03]], [[0.04, 0.06], [0.1, 0.3]]]
INFINITY = float("inf")


def cube(scenario):
    """Return the M × M × M array of a scenario's probabilities."""
    joint = scenario.joint
    table = np.zeros((len(joint.labels),) * 3)
    table[tuple(joint.codes.T)] = joint.probs
    return table


def told(error):
    return error.value.message, error.value.hint


# -- two labels -----------------------------------------------------------------------------------------------


def test_pairs_come_in_the_order_of_the_papers():
    scenario = rw.BinaryScenario(prevalence=0.2, positive=(0.4, 0.3, 0.2, 0.1), negative=(0.05, 0.15, 0.25, 0.55))
    table = cube(scenario)
    assert table[1].tolist() == pytest.approx(np.array([[0.02, 0.04], [0.06, 0.08]]))  # (0,0) (0,1) / (1,0) (1,1)
    assert table[0] == pytest.approx(np.array([[0.44, 0.2], [0.12, 0.04]]))
    assert scenario.joint.agreement == pytest.approx(0.2 * 0.5 + 0.8 * 0.6)


def test_the_papers_scenario_has_the_f1_they_say():
    """SIGIR 2016, Table 3 (a): F1 .6 against .5, by hand 2TP / (2TP + FP + FN) = .6 / (.6 + .2 + .2)."""
    r = rw.power(rw.BinaryScenario(**PAIRS), 10, rope=0.05, simulations=20, draws=100, rng=0)
    assert r.design.delta == 0.6 - 0.5 or r.design.delta == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("share", [0, 1])
def test_a_class_that_never_occurs_leaves_a_scenario(share):
    table = cube(rw.BinaryScenario(prevalence=share, **PAIRS))
    assert table[1 - share].sum() == 0
    assert table.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["positive", "negative"])
@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((0.3, 0.3, 0.2, 0.1), "must add up to 1; they add up to 0.9"),
        ((0.5, 0.5, 0.5, -0.5), "one of them is -0.5"),
        ((0.5, 0.5, 0.5, math.nan), "one of them is nan"),
        ((INFINITY, 0, 0, 0), "one of them is inf"),
        ((0.5, 0.5), "must be 4 numbers"),
        (("a", "b", "c", "d"), "must be numbers"),
        ("wide", "must be"),
        (None, "must be"),
        ((10**400, 0, 0, 0), "must be"),
    ],
    ids=["sum", "negative", "nan", "infinite", "two", "letters", "text", "none", "huge"],
)
def test_pairs_that_are_no_probabilities_are_refused(name, pairs, said):
    with pytest.raises(InvalidInputError) as error:
        rw.BinaryScenario(**{**PAIRS, name: pairs})
    message, hint = told(error)
    assert f"`{name}`" in message
    assert said in message
    assert "(1,1) (1,0) (0,1) (0,0)" in hint


@pytest.mark.parametrize(
    "prevalence", [-0.1, 1.1, math.nan, True, "half", None], ids=["below", "above", "nan", "bool", "text", "none"]
)
def test_a_prevalence_is_a_share(prevalence):
    with pytest.raises(InvalidInputError, match=r"`prevalence` must be a number from 0 to 1; got "):
        rw.BinaryScenario(prevalence=prevalence, **PAIRS)


@pytest.mark.parametrize("names", ["AB", ["A"], ["A", "A"], ["", "B"]], ids=["text", "one", "alike", "empty"])
def test_two_names_that_differ(names):
    with pytest.raises(InvalidInputError, match="name"):
        rw.BinaryScenario(names=names, **PAIRS)


def test_probabilities_with_published_digits_are_made_whole():
    thirds = (0.3333333, 0.3333333, 0.3333333, 0.0)
    assert cube(rw.BinaryScenario(positive=thirds, negative=thirds)).sum() == pytest.approx(1, abs=1e-15)


# -- how often two classifiers agree -------------------------------------------------------------------------


@st.composite
def couples(draw):
    """Draw class shares and the rows of two classifiers; some probabilities are exactly 0 or 1."""
    n = draw(st.integers(2, 4))
    weights = st.one_of(st.just(0.0), st.floats(0.01, 1.0))

    def rows(shape):
        some = draw(hnp.arrays(np.float64, shape, elements=weights))
        some[..., 0] += (some.sum(axis=-1) == 0) * 1.0
        return some / some.sum(axis=-1, keepdims=True)

    return rows((n,)), rows((n, n)), rows((n, n))


def frechet(mu, a, b):
    """Return the least and the most agreement: of each class max(0, max(p + q) − 1) and Σ min(p, q)."""
    least = sum(m * max(0.0, (p + q).max() - 1) for m, p, q in zip(mu, a, b, strict=True))
    most = sum(m * np.minimum(p, q).sum() for m, p, q in zip(mu, a, b, strict=True))
    return least, most


@given(couples(), st.floats(0, 1))
@settings(max_examples=60)
def test_any_agreement_within_the_bounds_keeps_the_margins(given_rows, place):
    mu, a, b = given_rows
    least, most = frechet(mu, a, b)
    wanted = min(max(least + place * (most - least), 0.0), 1.0)
    table = couple(mu, a, b, wanted)
    assert (table >= 0).all()
    assert table.sum(axis=2) == pytest.approx(mu[:, None] * a, abs=1e-8)
    assert table.sum(axis=1) == pytest.approx(mu[:, None] * b, abs=1e-8)
    assert np.einsum("jkk->", table) == pytest.approx(wanted, abs=1e-8)


@given(couples())
@settings(max_examples=25)
def test_the_bounds_are_those_of_a_transport_problem(given_rows):
    mu, a, b = given_rows
    n = len(mu)
    found = []
    for sign in (1, -1):
        ends = [
            linprog(
                sign * np.eye(n).reshape(-1),
                A_eq=np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))]),
                b_eq=np.concatenate([p, q]),
                bounds=(0, 1),
            ).fun
            for p, q in zip(a, b, strict=True)
        ]
        found.append(sign * float(mu @ ends))
    assert frechet(mu, a, b) == pytest.approx(tuple(found), abs=1e-7)


@given(couples())
@settings(max_examples=40)
def test_beyond_the_bounds_nobody_agrees(given_rows):
    mu, a, b = given_rows
    least, most = frechet(mu, a, b)
    for beyond in (least - 1e-4, most + 1e-4):
        if 0 <= beyond <= 1:
            with pytest.raises(InvalidInputError, match="cannot agree on"):
                couple(mu, a, b, beyond)


@given(st.floats(0.01, 0.99), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_bounds_of_two_labels_in_closed_form(mu, p, q, s, t):
    """Two coins agree on |p + q − 1| at least and 1 − |p − q| at most."""
    shares, a, b = np.array([1 - mu, mu]), np.array([[1 - p, p], [1 - s, s]]), np.array([[1 - q, q], [1 - t, t]])
    least = (1 - mu) * abs(p + q - 1) + mu * abs(s + t - 1)
    most = (1 - mu) * (1 - abs(p - q)) + mu * (1 - abs(s - t))
    assert frechet(shares, a, b) == pytest.approx((least, most), abs=1e-12)
    middle = couple(shares, a, b, min((least + most) / 2, 1.0))
    assert np.einsum("jkk->", middle) == pytest.approx((least + most) / 2, abs=1e-8)


def test_independent_classifiers_are_left_independent():
    mu, a, b = np.array([0.4, 0.6]), np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.7, 0.3], [0.4, 0.6]])
    free = mu[:, None, None] * a[:, :, None] * b[:, None, :]
    assert couple(mu, a, b, float(np.einsum("jkk->", free))) == pytest.approx(free, abs=1e-9)


def test_the_bounds_that_are_told_may_be_typed_in_again():
    with pytest.raises(InvalidInputError) as error:
        rw.ConfusionScenario(a=[[2, 1], [1, 2]], b=[[6, 1], [2, 5]])
    words = error.value.message.split()
    least, most = float(words[words.index("from") + 1]), float(words[words.index("to") + 1])
    for end in (least, most):
        rw.ConfusionScenario(a=[[2, 1], [1, 2]], b=[[6, 1], [2, 5]], agreement=end)
    assert least == pytest.approx((abs(2 / 3 + 6 / 7 - 1) + abs(2 / 3 + 5 / 7 - 1)) / 2, abs=1.01e-4)
    assert most == pytest.approx((2 - abs(2 / 3 - 6 / 7) - abs(2 / 3 - 5 / 7)) / 2, abs=1.01e-4)


# -- confusion matrices and joint tables ----------------------------------------------------------------------


def test_confusion_matrices_keep_their_rates_and_shares():
    scenario = rw.ConfusionScenario(**CONFUSIONS, agreement=0.9, prevalence=[0.7, 0.3])
    table = cube(scenario)
    assert table.sum(axis=2) == pytest.approx(np.array([[0.63, 0.07], [0.06, 0.24]]))
    assert table.sum(axis=1) == pytest.approx(np.array([[0.595, 0.105], [0.075, 0.225]]))
    assert scenario.joint.agreement == pytest.approx(0.9)


def test_a_class_of_no_share_needs_no_row():
    scenario = rw.ConfusionScenario(a=[[90, 10], [0, 0]], b=[[85, 15], [0, 0]], agreement=0.9)
    assert cube(scenario)[1].sum() == 0


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ({"agreement": -0.1}, "`agreement` must be a number from 0 to 1; got -0.1"),
        ({"agreement": 1.5}, "`agreement` must be a number from 0 to 1; got 1.5"),
        ({"agreement": True}, "`agreement` must be a number from 0 to 1"),
        ({"agreement": math.nan}, "`agreement` must be a number from 0 to 1"),
        ({"agreement": 0.96}, "cannot agree on 0.96 of the items: `agreement` must lie from 0.65 to 0.95"),
        ({"agreement": 0.64}, "cannot agree on 0.64 of the items: `agreement` must lie from 0.65 to 0.95"),
        ({}, "How often do the two classifiers agree? With these scores the `agreement` lies from 0.65 to 0.95"),
        ({"a": [[1, 2, 3], [4, 5, 6]]}, "must be square"),
        ({"a": [[1, 2], [3]]}, "must be numbers"),
        ({"a": [[0, 0], [0, 0]]}, "is empty"),
        ({"a": [[90, -10], [20, 80]]}, "-10"),
        ({"a": [[90, math.nan], [20, 80]]}, "nan"),
        ({"a": np.eye(3)}, "3 and 2 classes"),
        ({"a": [[90, 10], [0, 0]], "agreement": 0.9}, "Row 2 of a confusion matrix holds no items"),
        ({"prevalence": [0.5, 0.6], "agreement": 0.9}, "must add up to 1"),
        ({"prevalence": 0.3, "agreement": 0.9}, "must be 2 numbers"),
        ({"labels": ["a"], "agreement": 0.9}, "1 labels were given for 2 classes"),
    ],
    ids=[
        "negative", "above", "bool", "nan", "too-much", "too-little", "none", "oblong", "ragged", "empty", "minus",
        "nan-count", "sizes", "no-row", "shares", "one-share", "labels",
    ],
)  # fmt: skip
def test_confusion_matrices_that_say_nothing_are_refused(given_as, said):
    with pytest.raises(InvalidInputError) as error:
        rw.ConfusionScenario(**{**CONFUSIONS, **given_as})
    assert said in error.value.message


def test_a_joint_table_is_taken_as_it_is():
    scenario = rw.JointScenario(table=TABLE, labels=["ham", "spam"], names=["x", "y"])
    assert cube(scenario) == pytest.approx(np.array(TABLE))
    assert (scenario.joint.labels, scenario.joint.names) == (("ham", "spam"), ("x", "y"))


def test_counts_of_a_table_are_taken_for_the_truth(table):
    scenario = rw.JointScenario(table=table)
    assert scenario.joint.names == table.names
    assert cube(scenario)[1].sum() == pytest.approx(table.items_by_class()[1] / table.n_items)


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ([[0.5, 0.5]], "must be M × M × M"),
        (np.zeros((2, 2, 3)), "must be M × M × M"),
        (np.full((2, 2, 2), 0.2), "must add up to 1"),
        (np.full((2, 2, 2), np.nan), "nan"),
        ("abc", "must be M × M × M"),
        (None, "must be M × M × M"),
        ([[[0.4, 0.05], [0.02]], [[0.04, 0.06], [0.1, 0.3]]], "must be"),
        (np.zeros((0, 0, 0)), "must be M × M × M"),
    ],
    ids=["flat", "oblong", "sum", "nan", "text", "none", "ragged", "empty"],
)
def test_joint_tables_that_are_none_are_refused(given_as, said):
    with pytest.raises(InvalidInputError) as error:
        rw.JointScenario(table=given_as)
    assert said in error.value.message


def test_outcomes_of_no_items_or_of_three_classifiers_are_no_scenario(news):
    with pytest.raises(InvalidInputError, match="no items"):
        rw.JointScenario(table=rw.Outcomes.empty([0, 1], ["a", "b"]))
    with pytest.raises(InvalidInputError, match="two classifiers; this table has 4"):
        rw.JointScenario(table=news.outcomes)


# -- a difference of a metric ---------------------------------------------------------------------------------


def by_hand(metric, table):
    """Return the score of a confusion matrix of shares, by its definition."""
    (tn, fp), (fn, tp) = table
    return {
        "accuracy": tp + tn,
        "error": fp + fn,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "recall": tp / (tp + fn),
        "precision": tp / (tp + fp),
        "specificity": tn / (tn + fp),
        "fpr": fp / (fp + tn),
        "jaccard": tp / (tp + fp + fn),
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "kappa": 1 - (fp + fn) / ((tp + fn) * (fp + tn) + (tp + fp) * (fn + tn))
        if (tp + fn) * (fp + tn) + (tp + fp) * (fn + tn)
        else 0.0,
    }[metric]


METRICS = [
    "accuracy", "error", "f1", "recall", "precision", "specificity", "fpr", "jaccard", "balanced_accuracy", "kappa",
]  # fmt: skip


@pytest.mark.parametrize("metric", METRICS)
@given(a=st.floats(0.55, 0.98), b=st.floats(0.55, 0.98), prevalence=st.floats(0.1, 0.9), place=st.floats(0, 1))
@settings(max_examples=5)
def test_a_metric_scenario_has_the_scores_that_were_said(metric, a, b, prevalence, place):
    if metric in {"error", "fpr"}:
        a, b = 1 - a, 1 - b
    if metric in {"accuracy", "error", "specificity", "fpr"}:  # of these a rare class leaves only the upper ones
        rarer = 2 * min(prevalence, 1 - prevalence)
        a, b = ((1 - rarer * x / 2) if metric in {"accuracy", "specificity"} else rarer * x / 2 for x in (a, b))
    low, high = -1.0, 2.0
    try:
        rw.MetricScenario(metric=metric, a=a, b=b, prevalence=prevalence)
    except InvalidInputError as error:
        words = error.message.split()
        if "from" not in words or not words[0].startswith("How"):
            return  # out of this family's reach
        low, high = float(words[words.index("from") + 1]), float(words[words.index("to") + 1])
    agreement = low + place * (high - low)
    table = cube(rw.MetricScenario(metric=metric, a=a, b=b, prevalence=prevalence, agreement=agreement))
    assert by_hand(metric, table.sum(axis=2)) == pytest.approx(a, abs=1e-7)
    assert by_hand(metric, table.sum(axis=1)) == pytest.approx(b, abs=1e-7)
    assert table[1].sum() == pytest.approx(prevalence)
    assert np.einsum("jkk->", table) == pytest.approx(agreement, abs=1e-7)


def test_many_classes_are_equally_common_and_confused_alike():
    """Macro F1 and accuracy are the same thing there."""
    table = cube(rw.MetricScenario(metric="macro_f1", a=0.6, b=0.5, agreement=0.7, n_classes=5))
    own = table.sum(axis=2)
    assert own.sum(axis=1) == pytest.approx(np.full(5, 0.2))
    assert np.diag(own) == pytest.approx(np.full(5, 0.12))
    assert own[0, 1:] == pytest.approx(np.full(4, 0.02))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"metric": "f2"}, "Unknown metric 'f2'"),
        ({"a": 1.2}, "has a f1 of 1.2: here it lies from 0 to 1"),
        ({"b": -0.1}, "has a f1 of -0.1"),
        ({"a": math.nan}, "has a f1 of nan"),
        ({"a": "much"}, "`a` must be a number; got 'much'"),
        ({"b": True}, "`b` must be a number; got True"),
        ({"prevalence": 0}, "`prevalence` must lie between 0 and 1, and not on them"),
        ({"prevalence": 1}, "`prevalence` must lie between 0 and 1, and not on them"),
        ({"n_classes": 1}, "`n_classes` must be a whole number"),
        ({"n_classes": 2.5}, "`n_classes` must be a whole number"),
        ({"n_classes": 3}, "'f1' is about one class of 3"),
        ({"metric": "accuracy", "n_classes": 3, "prevalence": 0.5}, "`prevalence` is for two labels"),
        ({"agreement": 0.95}, "cannot agree on 0.95"),
    ],
    ids=[
        "metric", "above", "below", "nan", "text", "bool", "never", "always", "one", "half", "class", "shares", "bound",
    ],
)  # fmt: skip
def test_scores_that_nobody_has_are_refused(said, message):
    with pytest.raises(InvalidInputError) as error:
        rw.MetricScenario(**{"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7, **said})
    assert message in error.value.message


@pytest.mark.parametrize("n_classes", [10**6, 10**30], ids=["million", "nonsense"])
def test_more_classes_than_a_table_can_hold_are_refused(n_classes):
    """An M × M × M table of only 2,000 classes would take 64 GB: a sentence must not end a process."""
    with pytest.raises(InvalidInputError, match="classes"):
        rw.MetricScenario(metric="accuracy", a=0.6, b=0.5, agreement=0.7, n_classes=n_classes)


# -- in words, as mappings, as JSON -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "F1 .60 against .50 at agreement .7",
        "f1 60% versus 50 % with agreement 70%",
        "F1 of 0.6 over 0.5, agreement of 0.7",
        "F1=.6 vs. .5; agreement: .7",
        "  f1 6e-1 and 5e-1 at an agreement of 7e-1.  ",
        "F1\n.6\nagainst\n.5\nat agreement\n.7",
    ],
    ids=["brief", "percent", "of", "signs", "exponents", "lines"],
)
def test_a_sentence_is_read(text):
    said = from_words(text)
    assert (said.metric, said.a, said.b, said.agreement, said.prevalence, said.n_classes) == (
        "f1", 0.6, 0.5, 0.7, None, 2,
    )  # fmt: skip


def test_asides_are_read_in_any_order():
    said = from_words("F1 .6 against .5, prevalence 20% and agreement .8")
    assert (said.prevalence, said.agreement) == (0.2, 0.8)
    assert from_words("Macro F1 .6 against .5 with 10 classes at agreement .6").n_classes == 10
    assert from_words("fbeta(2) .6 against .5 at agreement .7").metric == "fbeta(2)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Cannot read the scenario ''"),
        ("F1 .6", "Cannot read the scenario 'F1 .6'"),
        ("F1 .6 against .5 at agreement .7 on Tuesdays", "Cannot read 'on Tuesdays' in the scenario"),
        ("F1 .6 against .5 at agreement .7 at agreement .8", "says its agreement twice"),
        ("F1 60 against 50 at agreement .7", "has a f1 of 60"),
        ("F1 .6 against .5", "How often do the two classifiers agree?"),
        ("F1 .6 against .5 at agreement -.7", "`agreement` must be a number from 0 to 1"),
        ("shoe size .6 against .5 at agreement .7", "Unknown metric 'shoe_size'"),
        ("F1 nan against .5 at agreement .7", "Cannot read the scenario"),
        ("F1 1e999 against .5 at agreement .7", "has a f1 of inf"),
        ("accuracy .6 against .5 at agreement .6, 1 classes", "`n_classes` must be"),
        ("accuracy .6 against .5 at agreement .6, " + "9" * 5_000 + " classes", "Cannot read"),
        ("f1 .6 against .5 at agreement .7\x1b[31m\u202e", "Cannot read"),
    ],
    ids=[
        "empty", "half", "more", "twice", "points", "no-agreement", "negative", "metric", "nan", "infinite", "one",
        "digits", "controls",
    ],
)  # fmt: skip
def test_a_sentence_that_cannot_be_read_says_why(text, message):
    with pytest.raises(InvalidInputError) as error:
        from_words(text)
    assert message in error.value.message
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize("text", ["'f' + '1' * 4_000", "'f' + ' ' * 200_000"], ids=["digits", "blanks"])
def test_a_long_sentence_does_not_hang(text):
    """A pattern that tries every way to cut it takes half an hour for these; ten minutes are there to end that."""
    code = f"from ropewalk.planning.posing import from_words; from_words({text})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert "InvalidInputError: Cannot read the scenario" in ran.stderr


@given(st.text(max_size=80))
def test_no_text_does_anything_but_raise_our_error(text):
    try:
        from_words(text)
    except RopewalkError as error:
        assert error.message  # noqa: PT017 - either way is fine


@pytest.mark.parametrize(
    ("told_as", "kind"),
    [
        ({**PAIRS, "prevalence": 0.4}, rw.BinaryScenario),
        ({"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7}, rw.MetricScenario),
        ({"confusion_a": CONFUSIONS["a"], "confusion_b": CONFUSIONS["b"], "agreement": 0.9}, rw.ConfusionScenario),
        ({"joint": TABLE, "names": ["x", "y"], "schema": 1}, rw.JointScenario),
        ({"scenario": {"joint": TABLE}}, rw.JointScenario),
        ({"scenario": "F1 .60 against .50 at agreement .7"}, rw.MetricScenario),
    ],
    ids=["pairs", "metric", "confusions", "joint", "nested", "words"],
)
def test_mappings_and_json_make_the_same_scenario(told_as, kind):
    one, two = from_mapping(told_as), from_json(json.dumps(told_as))
    assert isinstance(one, kind)
    assert cube(one) == pytest.approx(cube(two), abs=0)
    assert cube(as_scenario(told_as)) == pytest.approx(cube(one), abs=0)


def nested(depth):
    inner = {}
    for _ in range(depth):
        inner = {"scenario": inner}
    return inner


@pytest.mark.parametrize(
    ("told_as", "message", "hint"),
    [
        ({}, "it has no keys", "positive and negative"),
        ({"positives": [1, 0, 0, 0], "negative": [1, 0, 0, 0]}, "is no scenario", "positive and negative"),
        ({**PAIRS, "prevalance": 0.5}, "has no 'prevalance'", "did you mean 'prevalence'?"),
        ([1, 2], "A scenario is a JSON object", "positive and negative"),
        (7, "A scenario is a JSON object", "positive and negative"),
        (nested(50_000), "", "positive and negative"),
    ],
    ids=["empty", "misspelt", "extra", "list", "number", "deep"],
)
def test_what_is_no_scenario_says_what_one_is(told_as, message, hint):
    with pytest.raises(FileFormatError) as error:
        from_mapping(told_as)
    assert message in error.value.message
    assert hint in error.value.hint


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, "nonsense", '{"positive": 1' + "0" * 5_000 + "}"],
    ids=["empty", "torn", "deep", "words", "digits"],
)
def test_what_is_no_json_is_told_so(text):
    with pytest.raises(FileFormatError, match="This is no JSON"):
        from_json(text)


@pytest.mark.parametrize(
    "thing", [None, 7, [0.5], rw.power, b"F1 .6"], ids=["none", "number", "list", "function", "bytes"]
)
def test_other_things_are_no_scenario(thing):
    with pytest.raises(InvalidInputError, match="`scenario` cannot be a") as error:
        rw.power(thing, 100, rope=0.05)
    assert "BinaryScenario" in error.value.hint


def test_a_path_is_told_to_be_read_first(tmp_path):
    with pytest.raises(InvalidInputError) as error:
        rw.power(tmp_path, 100, rope=0.05)
    assert "json.load" in error.value.hint


# -- goals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("A≫B", "A≫B"), (">>", "A≫B"), ("≫", "A≫B"), ("a >> b", "A≫B"), ("A≪B", "A≪B"), ("<<", "A≪B"), ("A≈B", "A≈B"),
        ("~", "A≈B"), ("a ~ b", "A≈B"), ("conclusive", "conclusive"), (" Conclusive ", "conclusive"),
    ],
)  # fmt: skip
def test_goals_may_be_typed(said, goal):
    assert parse_goal(said) == goal


@pytest.mark.parametrize(
    "said",
    [">", "A>B", "B≫A", "", "A", "AB", None, 1, ["≫"]],
    ids=["one", "undecided", "swapped", "empty", "a", "ab", "none", "number", "list"],
)
def test_other_goals_are_refused(said):
    with pytest.raises(UnknownNameError) as error:
        parse_goal(said)
    assert "Unknown goal" in error.value.message
    assert "A≫B (>>), A≪B (<<), A≈B (~), conclusive" in error.value.hint


@given(st.floats(-1, 1), st.floats(-0.5, 0.5), st.floats(0.001, 0.5))
def test_a_difference_has_one_true_verdict_and_its_mirror_the_other(delta, low, width):
    rope = Interval(low, low + width)
    mirror = {"≈": "≈", "≫": "≪", "≪": "≫"}
    up = region_of(delta, rope, higher_is_better=True)
    assert mirror[up.value] == region_of(delta, rope, higher_is_better=False).value
    assert mirror[up.value] == region_of(-delta, rope.mirrored(), higher_is_better=True).value


@pytest.mark.parametrize(
    ("goal", "delta", "rope", "up", "where"),
    [
        ("A≫B", 0.0, (-0.05, 0.05), True, "inside"),
        ("A≫B", 0.05, (-0.05, 0.05), True, "on the edge of"),
        ("A≈B", 0.05, (-0.05, 0.05), True, "on the edge of"),
        ("A≈B", -0.05, (-0.05, 0.05), True, "on the edge of"),
        ("A≈B", 0.1, (-0.05, 0.05), True, "outside"),
        ("A≫B", -0.1, (-0.05, 0.05), True, "outside"),
        ("A≫B", 0.1, (-0.05, 0.05), False, "outside"),
        ("A≪B", -0.1, (-0.05, 0.05), False, "outside"),
        ("A≫B", 0.9, (-0.05, INFINITY), True, "inside"),
        ("A≪B", -0.9, (-INFINITY, 0.05), True, "inside"),
        ("A≈B", 0.0, (0.0, INFINITY), True, "on the edge of"),
    ],
)
def test_goals_that_no_number_of_items_reaches(goal, delta, rope, up, where):
    with pytest.raises(InvalidInputError) as error:
        check_goal(goal, delta, Interval(*rope), higher_is_better=up)
    message, hint = told(error)
    assert f"The goal {goal} is not reachable" in message
    assert f"{where} the ROPE" in message
    assert 'goal="conclusive"' in hint


@pytest.mark.parametrize(
    ("goal", "delta", "up", "out_of_reach"),
    [("A≫B", 0.06, True, -0.06), ("A≪B", 0.06, False, -0.06), ("A≈B", 0.04, True, 0.06)],
)
def test_goals_that_can_be_reached_pass(goal, delta, up, out_of_reach):
    assert check_goal(goal, delta, Interval(-0.05, 0.05), higher_is_better=up) is None
    with pytest.raises(InvalidInputError, match="not reachable"):
        check_goal(goal, out_of_reach, Interval(-0.05, 0.05), higher_is_better=up)


def test_a_conclusion_can_always_be_reached():
    for delta in (-0.05, 0.0, 0.05, 0.06):
        assert check_goal("conclusive", delta, Interval(-0.05, 0.05), higher_is_better=True) is None


def test_ceilings_face_the_way_of_the_metric():
    from ropewalk.draws.intervals import Regions
    from ropewalk.text.verdicts import Verdict

    regions = Regions(below=0.2, inside=0.3, above=0.5)
    y = [0, 1] * 4
    for metric, share in (("accuracy", 0.5), ("error", 0.2)):
        recipe = rw.compare(y * 10, y * 10, y * 10, metric=metric, draws=100, rng=0).recipe
        assert ceilings_of(regions, recipe)[Verdict.A_BETTER] == share


def test_a_number_that_no_float_holds_is_refused():
    for score in (10**400, True, "0.6"):
        with pytest.raises(InvalidInputError, match="`a` must be a number; got"):
            from_mapping({"metric": "f1", "a": score, "b": 0.5, "agreement": 0.7})


@pytest.mark.parametrize("text", ['{"a":' * 100_000, "[" * 100_000])
def test_a_scenario_that_is_nested_too_deeply_is_said_to_be_so(text):
    with pytest.raises(FileFormatError, match="nested too deeply"):
        from_json(text)
