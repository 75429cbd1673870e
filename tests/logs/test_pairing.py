"""Evaluation logs are paired item by item, task by task, and questions about them are questions about arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss

import ropewalk as rw
from ropewalk.data.logs import Log
from ropewalk.data.logs.pairing import labels_of, pair_logs, scores_of
from ropewalk.data.logs.rows import Choice, Row, Run, Score
from ropewalk.errors import (
    DataError,
    DroppedItemsWarning,
    InvalidInputError,
    MissingLabelsError,
    PairingError,
    UnknownNameError,
)

pytestmark = pytest.mark.usefixtures("silent")

SCORE = Score(name="correct", low=0.0, high=1.0)


def row(item, score=1.0, repeat=1, **known):
    error = {} if score is not None else {"error": "TimeoutError"}
    return Row(task="t", item=str(item), repeat=repeat, system="", score=score, **{**error, **known})


def run(system, rows, *, task="t", score=SCORE, **more):
    return Run(system=system, task=task, scores=(score,), rows=lambda _choice: iter(rows), **more)


def log(*runs, path="logs"):
    return Log(runs=runs, choice=Choice(), path=path)


def of(system, scores, **more):
    """A log of one system and one task, with a score per item."""
    return log(run(system, [row(item, score) for item, score in enumerate(scores)]), **more)


def paired(*logs, **options):
    (found,) = pair_logs(logs, **options)
    return found


ASK = {"draws": 200, "rng": 0}


# -- names -------------------------------------------------------------------------------------------------


def named(*facts, paths=None):
    paths = paths or ["logs/x.eval"] * len(facts)
    logs = [log(run("m", [row(1)], facts=each), path=path) for each, path in zip(facts, paths, strict=True)]
    return paired(*logs).names


def test_systems_of_one_name_are_told_apart_by_the_first_fact_that_differs():
    facts = [{"solver": "plain", "shots": "0", "seed": "1"}, {"solver": "plain", "shots": "5", "seed": "2"}]
    assert named(*facts) == ("m (shots 0)", "m (shots 5)")


def test_a_fact_that_only_one_of_them_has_tells_too():
    assert named({"tags": "night"}, {}) == ("m (tags night)", "m (no tags)")


def test_a_fact_must_tell_all_of_them_apart():
    facts = [{"a": "1", "b": "1"}, {"a": "1", "b": "2"}, {"a": "2", "b": "3"}]
    assert named(*facts) == ("m (b 1)", "m (b 2)", "m (b 3)")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["logs/new/x.eval", "logs/old/x.eval"], ("m (log new)", "m (log old)")),
        (["logs/1.eval", "logs/2.eval"], ("m (log 1.eval)", "m (log 2.eval)")),
        (["logs/1.eval", "logs/1.eval"], ("m (1)", "m (2)")),
        (["logs", "logs/1.eval"], ("m (1)", "m (2)")),
    ],
)
def test_without_such_a_fact_their_places_tell(paths, names):
    assert named({}, {}, paths=paths) == names


def test_only_alike_names_are_changed():
    logs = [log(run(name, [row(1)], facts={"k": str(k)})) for k, name in enumerate(["m", "other", "m"])]
    assert paired(*logs).names == ("m (k 0)", "other", "m (k 2)")


def test_names_may_be_given():
    logs = [of("m", [1.0]), of("m", [0.0])]
    assert paired(*logs, names=["new", "old"]).names == ("new", "old")
    for names in (["new"], ["new", "new"], "ab", ["new", ""]):
        with pytest.raises(InvalidInputError, match="names"):
            pair_logs(logs, names=names)


# -- items -------------------------------------------------------------------------------------------------


def test_items_are_paired_by_id_and_repeat_in_the_order_of_the_first_log():
    a = log(run("a", [row("x", 1.0), row("y", 0.5, 2), row("y", 0.0, 1)]))
    b = log(run("b", [row("y", 0.1, 1), row("y", 0.2, 2), row("x", 0.3)]))
    both = paired(a, b)
    assert both.keys == (("x", 1), ("y", 2), ("y", 1))
    assert [list(scores) for scores in scores_of(both)] == [[1.0, 0.5, 0.0], [0.3, 0.2, 0.1]]


def test_an_answer_without_a_match_is_an_error_unless_it_is_left_out():
    a, b = log(run("a", [row(1), row(2), row(3, repeat=2)])), log(run("b", [row(1), row(4)]))
    with pytest.raises(PairingError, match=r"2 of 3 answers of 'a' have no match \(first: '2', '3 \(repeat 2\)'\)"):
        pair_logs([a, b])
    with pytest.warns(DroppedItemsWarning, match="3 answers without a match left out; 1 pair remain"):
        both = paired(a, b, unmatched="drop")
    assert (both.keys, both.left_out) == ((("1", 1),), 3)
    with pytest.raises(PairingError, match="share no item"):
        pair_logs([a, log(run("b", [row(9)]))], unmatched="drop")
    with pytest.raises(InvalidInputError, match="unmatched"):
        pair_logs([a, b], unmatched="keep")


def test_an_item_that_comes_twice_is_an_error():
    with pytest.raises(PairingError, match="twice"):
        pair_logs([log(run("a", [row(1), row(1)])), of("b", [1.0])])


def test_a_log_without_items_is_an_error():
    with pytest.raises(DataError, match="no items"):
        pair_logs([of("a", []), of("b", [1.0])])


@pytest.mark.parametrize(
    ("first", "other", "is_same"),
    [
        ({"question": "q", "truth": "1"}, {"question": "q", "truth": "1"}, True),
        ({"question": "q"}, {"question": "p"}, False),
        ({"question": "q", "truth": "long, cut"}, {"question": "q", "truth": "long"}, True),  # the question holds it
        ({"truth": "1"}, {"truth": "2"}, False),
        ({"truth": "1", "question": "q"}, {"truth": "2"}, False),
        ({"truth": "1"}, {"truth": None}, True),  # an answer with an error may lack it
        ({}, {}, True),
    ],
)
def test_the_same_id_must_be_the_same_question(first, other, is_same):
    logs = [log(run("a", [row(1, **first)])), log(run("b", [row(1, **other)]))]
    if is_same:
        assert len(paired(*logs).keys) == 1
        return
    with pytest.raises(PairingError, match="1 item of 'a' and 'b' with the same id are about different"):
        pair_logs(logs)


# -- missing scores ----------------------------------------------------------------------------------------


def test_a_missing_score_is_an_error_that_says_how_many_and_why():
    a, b = of("a", [1.0, None, 0.0, 1.0]), of("b", [None, None, 1.0, 0.0])
    with pytest.raises(MissingLabelsError, match=r"2 items without a score: 1 of 'a' \('TimeoutError'\); 2 of 'b'"):
        pair_logs([a, b])


def test_pairs_without_a_score_may_be_left_out_or_counted_wrong():
    a, b = of("a", [1.0, None, 0.0, 1.0]), of("b", [None, None, 1.0, 0.5])
    with pytest.warns(DroppedItemsWarning, match="2 items without a score left out"):
        both = paired(a, b, missing="drop")
    assert [list(scores) for scores in scores_of(both)] == [[0.0, 1.0], [1.0, 0.5]]
    wrong = scores_of(paired(a, b, missing="wrong"))
    assert [list(scores) for scores in wrong] == [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5]]
    with pytest.raises(MissingLabelsError, match="No item has a score"):
        pair_logs([of("a", [None]), of("b", [1.0])], missing="drop")


def test_where_less_is_better_a_missing_score_cannot_count_0():
    loss = Score(name="loss", higher_is_better=False)
    logs = [log(run(name, [row(1, 0.3), row(2, None)], score=loss)) for name in "ab"]
    with pytest.raises(InvalidInputError, match="less of it is better"):
        rw.compare(*logs, missing="wrong", **ASK)


def test_an_answer_without_a_score_predicts_nothing():
    rows = [row(1, 1.0, truth="x", prediction="x"), row(2, None, truth="y", prediction="y")]
    truth, predicted = labels_of(paired(log(run("a", rows)), missing="wrong"))
    assert (truth, predicted) == (["x", "y"], ["x", None])


# -- scores ------------------------------------------------------------------------------------------------


def test_systems_must_be_scored_alike():
    a = log(run("a", [row(1)], score=Score(name="exact")))
    for other in (Score(name="judge"), Score(name="exact", higher_is_better=False)):
        with pytest.raises(PairingError, match="'a' is scored by 'exact' and 'b' by"):
            pair_logs([a, log(run("b", [row(1)], score=other))])


@pytest.mark.parametrize(
    ("ends", "expected"),
    [([(0, 1), (0, 1)], (0, 1)), ([(0, 1), (-1, 0.5)], (-1, 1)), ([(0, 1), (None, None)], (None, None))],
)
def test_the_scale_is_that_of_all_systems(ends, expected):
    logs = [log(run("m", [row(1, 0.5)], score=Score(name="s", low=low, high=high))) for low, high in ends]
    score = paired(*logs).score
    assert (score.low, score.high) == expected


def test_the_log_says_what_is_better_and_the_scale():
    grades = Score(name="grade", higher_is_better=False, low=1.0, high=6.0)
    logs = [log(run(name, [row(k, 2.5 + k / 10) for k in range(9)], score=grades)) for name in "ab"]
    asked = rw.compare(*logs, rope=0.1, **ASK)
    values = [2.5 + k / 10 for k in range(9)]
    by_hand = rw.compare(values, values, metric="mean", scale=(1, 6), higher_is_better=False, rope=0.1, **ASK)
    assert asked.recipe.metric.higher_is_better is False
    assert (asked.mean, tuple(asked.hdi)) == (by_hand.mean, tuple(by_hand.hdi))
    assert rw.compare(*logs, higher_is_better=True, **ASK).recipe.metric.higher_is_better is True


# -- clusters ----------------------------------------------------------------------------------------------


def test_repeats_make_items_the_clusters():
    rows = [row(item, 1.0, repeat) for item in range(4) for repeat in (1, 2)]
    logs = [log(run(name, rows)) for name in "ab"]
    told = rw.compare(*logs, **ASK).to_dict()
    assert (told["n_items"], told["n_clusters"]) == (8, 4)
    told = rw.compare(of("a", [1.0, 0.0]), of("b", [0.0, 0.0]), **ASK).to_dict()
    assert (told["n_items"], told["n_clusters"]) == (2, None)


def test_the_metadata_may_say_what_belongs_together():
    rows = [row(item, 1.0, repeat, cluster=f"p{item // 3}") for item in range(6) for repeat in (1, 2)]
    told = rw.compare(*(log(run(name, rows)) for name in "ab"), **ASK).to_dict()
    assert (told["n_items"], told["n_clusters"]) == (12, 2)


def test_an_item_that_belongs_nowhere_stands_alone():
    rows = [row(1, cluster="p"), row(2, cluster="p"), row(3)]
    assert paired(log(run("a", rows)), log(run("b", rows))).cluster == ["p", "p", "item 3"]


def test_any_of_the_logs_may_say_what_an_item_belongs_to_and_they_must_agree():
    some = [row(1, cluster="p"), row(2), row(3)]
    others = [row(1), row(2, cluster="p"), row(3)]
    for one, two in ((some, others), (others, some)):
        assert paired(log(run("a", one)), log(run("b", two))).cluster == ["p", "p", "item 3"]
    with pytest.raises(DataError, match="disagree about the cluster of item '1': 'p' by 'a', 'q' by 'b'"):
        _ = paired(log(run("a", some)), log(run("b", [row(1, cluster="q"), *others[1:]]))).cluster


# -- questions ---------------------------------------------------------------------------------------------


def labelled(system, seed, n_items=30):
    """A log with labels and chances of three classes; the score is the distance of prediction and truth."""
    draw = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        truth = item % 3
        chances = draw.dirichlet([1, 1, 1]) + np.eye(3)[truth] * 0.3
        chances /= chances.sum()
        said = int(chances.argmax())
        known = {"truth": str(truth), "prediction": str(said), "chances": dict(zip("012", chances, strict=True))}
        rows.append(row(item, 1 - abs(said - truth) / 2, **known))
    return log(run(system, rows)), rows


A, ROWS_A = labelled("a", 1)
B, ROWS_B = labelled("b", 2)
TRUTH = [each.truth for each in ROWS_A]


def test_the_logs_own_score_is_compared_by_default():
    r = rw.compare(A, B, **ASK)
    told = r.to_dict()
    for side, rows in (("a", ROWS_A), ("b", ROWS_B)):
        assert told[side]["name"] == side
        assert told[side]["observed"] == pytest.approx(math.fsum(each.score for each in rows) / len(rows))
    assert told["delta"]["observed"] == pytest.approx(told["a"]["observed"] - told["b"]["observed"])
    assert told["metric"] == "mean"


def test_metrics_of_labels_are_about_truth_and_predictions():
    told = rw.compare(A, B, metric="macro_f1", **ASK).to_dict()
    for side, rows in (("a", ROWS_A), ("b", ROWS_B)):
        expected = f1_score(TRUTH, [each.prediction for each in rows], average="macro")
        assert told[side]["observed"] == pytest.approx(expected)


def test_metrics_of_chances_are_about_those_of_the_log():
    told = rw.compare(A, B, metric="log_loss", **ASK).to_dict()
    for side, rows in (("a", ROWS_A), ("b", ROWS_B)):
        assert told[side]["observed"] == pytest.approx(log_loss(TRUTH, [list(each.chances.values()) for each in rows]))


def test_a_log_without_labels_or_chances_has_no_metric_of_them():
    logs = of("a", [1.0, 0.0]), of("b", [1.0, 1.0])
    with pytest.raises(DataError, match="no true labels"):
        rw.compare(*logs, metric="macro_f1", **ASK)
    rows = [row(1, truth="x", prediction="x"), row(2, truth="y", prediction="x")]
    with pytest.raises(DataError, match="'a' has no probabilities of the labels"):
        rw.compare(log(run("a", rows)), log(run("b", rows)), metric="log_loss", **ASK)


def test_items_on_which_two_systems_differ_have_their_ids():
    a, b = log(run("a", [row("x", 1.0), row("y", 0.0)])), log(run("b", [row("x", 1.0), row("y", 1.0)]))
    listed = rw.compare(a, b, **ASK).items()
    assert "y" in str(listed)
    r = rw.compare(A, B, metric="macro_f1", **ASK)
    differing = {one.item for one, other in zip(ROWS_A, ROWS_B, strict=True) if one.prediction != other.prediction}
    assert {str(each["id"]) for each in r.items().to_dict()["items"]} == differing


def test_one_log_of_two_systems_is_a_comparison_of_them():
    both = log(*A.runs, *B.runs)
    means = {"a": np.mean([each.score for each in ROWS_A]), "b": np.mean([each.score for each in ROWS_B])}
    for named, order in (({}, "ab"), ({"a": "b", "b": "a"}, "ba"), ({"a": "b"}, "ba"), ({"b": "a"}, "ba")):
        told = rw.compare(both, **named, **ASK).to_dict()
        assert (told["a"]["name"], told["b"]["name"]) == tuple(order)
        assert told["a"]["observed"] == pytest.approx(means[order[0]])
    with pytest.raises(UnknownNameError, match="'a', 'b'"):
        rw.compare(both, a="a", b="c", **ASK)


def test_the_number_of_systems_must_be_that_of_the_question():
    c, _ = labelled("c", 3)
    three = log(*A.runs, *B.runs, *c.runs)
    for data in ((A,), (A, B, c), (three,), (three, A)):
        with pytest.raises(InvalidInputError, match="2 systems"):
            rw.compare(*data, **ASK)
    with pytest.raises(InvalidInputError, match="2 systems"):
        rw.compare(three, a="a", **ASK)
    assert rw.compare(three, a="c", b="a", **ASK).to_dict()["a"]["name"] == "c"
    assert rw.compare(three, A, a="b", **ASK).to_dict()["a"]["name"] == "b"


@pytest.mark.parametrize("data", [(A, [1, 0]), (A, "file.csv"), ([1, 0], A, B)])
def test_logs_do_not_go_with_other_data(data):
    with pytest.raises(InvalidInputError, match="cannot be compared with other data"):
        rw.compare(*data, **ASK)


@pytest.mark.parametrize("option", [{"truth": "y"}, {"cluster": [1, 2]}, {"id": [1, 2]}, {"labels": ["0", "1"]}])
def test_what_a_log_says_itself_is_not_an_option(option):
    with pytest.raises(InvalidInputError, match="does not go with evaluation logs"):
        rw.compare(A, B, **option, **ASK)


def test_unmatched_is_about_logs():
    with pytest.raises(InvalidInputError, match="unmatched"):
        rw.compare([1, 0], [1, 0], [1, 1], unmatched="drop", **ASK)


@pytest.mark.parametrize("listed", [True, False])
def test_any_number_of_logs_is_ranked(listed):
    c, rows_c = labelled("c", 3)
    logs = [A, B, c]
    told = rw.rank(*([logs] if listed else logs), **ASK).to_dict()
    assert [model["name"] for model in told["models"]] == ["a", "b", "c"]
    for model, rows in zip(told["models"], (ROWS_A, ROWS_B, rows_c), strict=True):
        assert model["observed"] == pytest.approx(np.mean([each.score for each in rows]))
    with pytest.raises(InvalidInputError, match="at least two"):
        rw.rank([A], **ASK)


def test_one_system_is_evaluated():
    expected = np.mean([each.score for each in ROWS_B])
    both = log(*A.runs, *B.runs)
    for asked in ((B,), (both, "b")):
        e = rw.evaluate(*asked, at_least=0.5, **ASK)
        assert e["mean"].estimate.observed == pytest.approx(expected)
        assert e.to_dict()["metrics"][0]["prob_at_least"] is not None
    assert rw.evaluate(both, name="b", **ASK)["mean"].estimate.observed == pytest.approx(expected)
    e = rw.evaluate(B, metric=["macro_f1", "accuracy"], **ASK)
    predicted = [each.prediction for each in ROWS_B]
    assert e["macro_f1"].estimate.observed == pytest.approx(f1_score(TRUTH, predicted, average="macro"))
    e = rw.evaluate(B, metric="log_loss", **ASK)
    assert e["log_loss"].estimate.observed == pytest.approx(
        log_loss(TRUTH, [list(each.chances.values()) for each in ROWS_B])
    )


def test_which_system_is_evaluated_must_be_said():
    both = log(*A.runs, *B.runs)
    for asked in ((both,), (A, B)):
        with pytest.raises(InvalidInputError, match="about 1 system"):
            rw.evaluate(*asked, **ASK)
    with pytest.raises(UnknownNameError, match="'a', 'b'"):
        rw.evaluate(both, "c", **ASK)
    with pytest.raises(InvalidInputError, match="named twice"):
        rw.evaluate(both, "a", name="b", **ASK)


# -- tasks -------------------------------------------------------------------------------------------------


def of_tasks(system, **tasks):
    runs = [run(system, [row(k, score) for k, score in enumerate(scores)], task=task) for task, scores in tasks.items()]
    return log(*runs)


NEW = of_tasks("new", sums=[1.0, 1.0, 0.0], words=[0.0, 1.0])
OLD = of_tasks("old", words=[0.0, 0.0], sums=[1.0, 0.0, 0.0])


def test_several_tasks_are_several_questions():
    with pytest.raises(InvalidInputError, match="2 tasks: 'sums', 'words'") as caught:
        rw.compare(NEW, OLD, **ASK)
    assert "over=" in caught.value.hint
    told = rw.compare_tasks(NEW, OLD, **ASK).to_dict()
    assert told["schema"] == 1
    assert [(one["task"], one["n_items"]) for one in told["tasks"]] == [("sums", 3), ("words", 2)]
    assert [one["a"]["observed"] for one in told["tasks"]] == pytest.approx([2 / 3, 1 / 2])
    assert [one["b"]["observed"] for one in told["tasks"]] == pytest.approx([1 / 3, 0])


def test_several_tasks_are_averaged_where_nothing_else_is_asked():
    for answer in (rw.rank([NEW, OLD], **ASK), rw.evaluate(NEW, **ASK)):
        assert list(answer.tasks) == ["sums", "words"]
    assert answer.metrics[0].estimate.observed == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_a_task_may_be_picked():
    told = rw.compare(NEW.only(task="words"), OLD.only(task="words"), **ASK).to_dict()
    assert told["n_items"] == 2
    tasks = rw.compare_tasks(NEW.only(task="words"), OLD.only(task="words"), **ASK)
    assert tasks.tasks == ("words",)
    assert tasks["words"].to_dict() == tasks.comparisons[0].to_dict()


def test_tasks_of_one_side_are_an_error_unless_they_are_left_out():
    with pytest.raises(PairingError, match=r"not of the same tasks: 'new' has 'sums', 'words'; 'old' has 'sums'"):
        rw.compare_tasks(NEW, OLD.only(task="sums"), **ASK)
    assert rw.compare_tasks(NEW, OLD.only(task="sums"), unmatched="drop", **ASK).tasks == ("sums",)
    with pytest.raises(PairingError, match="not of the same tasks"):
        rw.compare_tasks(NEW.only(task="words"), OLD.only(task="sums"), unmatched="drop", **ASK)


def test_tasks_are_those_of_logs():
    with pytest.raises(InvalidInputError, match="evaluation logs"):
        rw.compare_tasks([1, 0], [1, 0], [1, 1], **ASK)


def test_notes_of_a_log_are_passed_on():
    noted = [log(run(name, [row(1), row(2, 0.0)], notes=("Means of epochs are compared.",))) for name in "ab"]
    assert paired(*noted).notes == ("Means of epochs are compared.",)
    for r in (rw.compare(*noted, **ASK), rw.rank(noted, **ASK), rw.evaluate(noted[0], **ASK)):
        assert "Means of epochs are compared." in r.notes
    assert "Means of epochs are compared." in rw.compare_tasks(*noted, **ASK)["t"].notes


def test_an_item_that_two_of_three_have_is_one_that_is_left_out():
    logs = [
        log(run(name, [row(item) for item in items])) for name, items in (("a", (1, 2)), ("b", (1, 2)), ("c", (1,)))
    ]
    with pytest.warns(DroppedItemsWarning, match="2 answers without a match"):
        (found,) = pair_logs(logs, unmatched="drop")
    assert found.left_out == 1


def test_an_answer_says_how_many_items_were_left_out():
    a, b = of("a", [1.0, None, 0.0, 1.0]), of("b", [None, 1.0, 1.0])
    r = rw.compare(a, b, missing="drop", unmatched="drop", **ASK)
    assert "items_left_out" in [remark.code for remark in r.remarks]
    assert any(text.startswith("3 items left out") for text in r.notes)
    assert "items_left_out" not in [remark.code for remark in rw.compare(A, B, **ASK).remarks]


def test_what_logs_cannot_be_asked_says_what_can(tmp_path):
    (tmp_path / "a.csv").write_text("item,system,score\n1,x,1\n1,y,0\n", encoding="utf-8")
    log = rw.read_log(tmp_path / "a.csv")
    with pytest.raises(InvalidInputError, match="pos_label="):
        rw.compare_classes(log, a="x", b="y")
    with pytest.raises(InvalidInputError, match="name='x'"):
        rw.evaluate(log)
