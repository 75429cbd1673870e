"""What is required, in any of the forms in which it can be said."""

from __future__ import annotations

import math

import pytest

from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.gating.requirements import read_requirements
from ropewalk.results.gates import EACH, OVERALL, Requirement


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("better", (None, "better", 0.0, None)),
        ("not-worse 0.02", (None, "not-worse", 0.02, None)),
        ("Not Worse by 2%", (None, "not-worse", 0.02, None)),
        ("not_worse 0", (None, "not-worse", 0.0, None)),
        ("f1 better 0.01", ("f1", "better", 0.01, None)),
        ("fbeta(2) equivalent within 5%", ("fbeta(2)", "equivalent", 0.05, None)),
        ("recall not-worse 2% on each task", ("recall", "not-worse", 0.02, EACH)),
        ("not-worse .05 on sums, long ones", (None, "not-worse", 0.05, "sums, long ones")),
        ("better overall", (None, "better", 0.0, OVERALL)),
        ("accuracy better 1e-3 overall", ("accuracy", "better", 0.001, OVERALL)),
    ],
)
def test_words_are_read(words, parts):
    (read,) = read_requirements(words)
    assert (read.metric, read.require, read.margin, read.on) == parts


def test_a_requirement_that_is_written_is_read_again():
    asked = ["f1 better 0.01", "recall not-worse 0.02 on each task", "equivalent 0.1 overall", "better 0 on a b"]
    assert [one.text for one in read_requirements(asked)] == asked


def test_mappings_and_values_say_the_same_as_words():
    parts = {"metric": "f1", "require": "not_worse", "margin": "2%", "task": "sums"}
    assert read_requirements(parts) == read_requirements("f1 not-worse 0.02 on sums")
    assert read_requirements([{"require": "better", "task": "overall"}]) == read_requirements("better overall")
    value = Requirement(require="better", margin=0.0)
    assert read_requirements([value]) == [value]


def test_several_metrics_are_several_requirements():
    read = read_requirements("not-worse", 0.02, ["f1", "accuracy"])
    assert [one.text for one in read] == ["f1 not-worse 0.02", "accuracy not-worse 0.02"]


def test_a_margin_goes_to_the_requirements_without_one():
    read = read_requirements(["f1 better 0.01", "recall not-worse"], 0.05)
    assert [one.margin for one in read] == [0.01, 0.05]


@pytest.mark.parametrize(
    ("require", "margin", "problem"),
    [
        ("not-worse", None, "needs `margin`"),
        ("equivalent", None, "needs `margin`"),
        ("equivalent", 0, "above 0"),
        ("not-worse", -0.02, "at least 0"),
        ("better", math.nan, "at least 0"),
        ("better", math.inf, "at least 0"),
        ("better", True, "at least 0"),
        ("better", "0.02", "at least 0"),
        ("better -0.02", None, "at least 0"),
        ("better nan", None, "takes a number"),
        ("not-worse 0,02", None, "decimal comma"),
        ("not-worse 0,5", None, "one number"),
        ("worse 0.02", None, "must say"),
        ("", None, "must say"),
        ("f1", None, "must say"),
        ("not-worse 0.02 0.03", None, "Cannot read '0.03'"),
        ("not-worse 0.02 at sums", None, "Cannot read"),
        ([], 0.02, "must be a requirement"),
        (None, 0.02, "must be a requirement"),
        (3, 0.02, "must be a requirement"),
        ([3], 0.02, "cannot be 3"),
        ({"margin": 0.02}, None, "says what is required"),
        ({"require": "better", "metrik": "f1"}, None, "no part 'metrik'"),
        ({"require": "better", "metric": 3}, None, "must be a name"),
        (["better 0.01"], 0.02, "margin of its own"),
        (["better", "better"], 0.02, "given twice"),
        (["better 0", "better"], None, "given twice"),
    ],
)
def test_what_is_no_requirement_is_refused(require, margin, problem):
    with pytest.raises(InvalidInputError, match=problem) as raised:
        read_requirements(require, margin)
    assert raised.value.exit_code == 2
    assert raised.value.hint


def test_a_metric_beside_requirements_that_name_theirs_is_refused():
    with pytest.raises(InvalidInputError, match="names a metric of its own"):
        read_requirements("f1 better", None, ["recall"])


def test_a_misspelt_requirement_is_guessed():
    with pytest.raises(UnknownNameError) as raised:
        read_requirements("equivalnt", 0.02)
    assert "equivalent" in raised.value.hint
