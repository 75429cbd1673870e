"""A base line that was measured before: what its saved result gives, and when it is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, UnknownNameError, UnreadableFileError

Y = ["spam", "ham", "ham"] * 80
OLD = ["ham"] * 60 + Y[60:]
NEW = Y
HOW = {"draws": 4_000, "rng": 0}


def saved(tmp_path, result):
    path = tmp_path / "base.json"
    path.write_text(result.to_json(), encoding="utf-8")
    return path


@pytest.fixture
def evaluated(tmp_path):
    result = rw.evaluate(Y, OLD, name="old", metric=["accuracy", "f1"], pos_label="spam", draws=500, rng=1)
    return saved(tmp_path, result)


def test_a_saved_evaluation_stands_in_for_the_base_line(evaluated):
    g = rw.gate(Y, NEW, baseline=evaluated, metric="accuracy", require="not-worse", margin=0.02, **HOW)
    assert (g.outcome, g.b) == ("met", "old")
    assert any("as if on separate test sets" in note for note in g.notes)


def test_the_answer_is_that_of_two_separate_test_sets(evaluated):
    g = rw.gate(Y, NEW, baseline=evaluated, metric="f1", require="better", **HOW)
    apart = rw.compare(
        rw.Outcomes.from_arrays(Y, NEW, names=["B"]), rw.Outcomes.from_arrays(Y, OLD, names=["old"]),
        metric="f1", pos_label="spam", goal="better", **HOW,
    )  # fmt: skip
    ours = g.checks[0].comparison
    assert np.array_equal(ours.draws.psi, apart.draws.psi)


def test_results_and_their_objects_will_do_too():
    result = rw.evaluate(Y, OLD, name="old", metric="accuracy", draws=500, rng=1)
    one, two = (
        rw.gate(Y, NEW, baseline=base, require="better", **HOW) for base in (result, json.loads(result.to_json()))
    )
    assert one.to_dict() == two.to_dict()


def test_a_system_of_a_saved_comparison_is_named(tmp_path):
    path = saved(tmp_path, rw.compare(Y, OLD, NEW, names=["old", "best"], metric="accuracy", draws=500, rng=0))
    with pytest.raises(InvalidInputError, match="about 'old', 'best'"):
        rw.gate(Y, NEW, baseline=path, require="better", **HOW)
    with pytest.raises(UnknownNameError, match="not about 'bet'"):
        rw.gate(Y, NEW, baseline=path, b="bet", require="better", **HOW)
    assert rw.gate(Y, NEW, baseline=path, b="old", require="better", **HOW).outcome == "met"
    assert rw.gate(Y, NEW, baseline=path, b="best", require="better", **HOW).outcome == "undecided"


def test_numbers_and_texts_name_the_same_classes():
    y, old = np.array([0, 1, 2] * 60), np.array([0, 1, 1, 0, 1, 2] * 30)
    base = json.loads(rw.evaluate(y, old, name="old", metric="macro_f1", draws=500, rng=0).to_json())
    assert rw.gate(y, y, baseline=base, require="better", **HOW).outcome == "met"


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ({"metric": "macro_f1"}, "about 'accuracy', 'f1'"),
        ({"metric": "f1", "pos_label": "ham"}, "positive class"),
        ({"metric": "accuracy", "prevalence": {"spam": 0.5, "ham": 0.5}}, "class mix"),
    ],
)
def test_another_question_is_refused(evaluated, question, problem):
    with pytest.raises(DataError, match=problem) as raised:
        rw.gate(Y, NEW, baseline=evaluated, require="better", **question, **HOW)
    assert raised.value.exit_code == 4


def test_other_classes_are_refused(evaluated):
    with pytest.raises(DataError, match="eggs"):
        rw.gate([*Y, "eggs"], [*NEW, "eggs"], baseline=evaluated, metric="accuracy", require="better", **HOW)


def test_what_is_no_saved_result_is_refused(tmp_path):
    for content, kind in (
        ("", FileFormatError), ("{", FileFormatError), ("[]", FileFormatError), ('{"schema": 1}', FileFormatError),
    ):  # fmt: skip
        path = tmp_path / "base.json"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(kind):
            rw.gate(Y, NEW, baseline=path, require="better", **HOW)
    with pytest.raises(UnreadableFileError):
        rw.gate(Y, NEW, baseline=tmp_path / "none.json", require="better", **HOW)
    with pytest.raises(InvalidInputError, match="cannot be 3"):
        rw.gate(Y, NEW, baseline=3, require="better", **HOW)


def test_an_edited_result_is_refused(evaluated):
    document = json.loads(evaluated.read_text(encoding="utf-8"))
    for row in document["metrics"]:
        row["recipe"]["tables"] = [text.replace(",60]", ",6]") for text in row["recipe"]["tables"]]
    with pytest.raises(FileFormatError, match="edited"):
        rw.gate(Y, NEW, baseline=document, metric="accuracy", require="better", **HOW)


def test_what_takes_both_systems_is_refused(evaluated):
    with pytest.raises(InvalidInputError, match="does not go with a saved base line"):
        rw.gate(Y, NEW, baseline=evaluated, metric="accuracy", require="better", task=["x"] * len(Y), **HOW)
