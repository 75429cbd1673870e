"""Test runs of DeepEval: what is easy to get wrong in them."""

from __future__ import annotations

import pytest

from logwriters import Answer, deepeval_run, dump, rows_of, seeded_answers
from ropewalk.data.logs import read_log
from ropewalk.errors import DataError, FileFormatError, InvalidInputError

ANSWERS = seeded_answers(1)


def written(folder, document, name="test_run_20261116_075100.json"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(dump(document))
    return path


def test_the_two_layouts_hold_the_same_rows(tmp_path):
    run = deepeval_run("atlas", ANSWERS)
    wrapped = written(tmp_path, {"testRunData": run, "testRunLink": "https://x.example"}, ".latest_test_run.json")
    assert rows_of(wrapped) == rows_of(written(tmp_path, run))
    assert len(rows_of(wrapped)) == len(ANSWERS)


def test_the_system_is_named_by_identifier_or_model_or_place(tmp_path):
    run = deepeval_run("atlas", ANSWERS)
    named = written(tmp_path, run | {"identifier": "nightly"}, "a.json")
    (one,) = read_log(named).runs
    assert (one.system, one.facts) == ("nightly", {"model": "atlas", "prompt template": "short"})
    run = {key: value for key, value in run.items() if key != "hyperparameters"}
    assert read_log(written(tmp_path, run)).systems == ("test_run_20261116_075100",)
    assert read_log(written(tmp_path / "new" / ".deepeval", run, ".latest_test_run.json")).systems == ("new",)


def test_several_metrics_must_be_chosen_from(tmp_path):
    path = written(tmp_path, deepeval_run("atlas", ANSWERS, metrics=("Correctness", "Tone")))
    assert read_log(path).scores == ("Correctness", "Tone")
    with pytest.raises(InvalidInputError, match=r"'Correctness', 'Tone'"):
        rows_of(path)
    assert len(rows_of(path, scorer="Tone")) == len(ANSWERS)


def test_a_metric_that_raised_is_no_failure(tmp_path):
    rows = {row.item: row for row in rows_of(written(tmp_path, deepeval_run("atlas", ANSWERS)))}
    for one in ANSWERS:
        assert (rows[one.item].score, rows[one.item].error) == (one.score, "ValueError" if one.error else None)


def test_a_case_without_metrics_has_no_score(tmp_path):
    run = deepeval_run("atlas", ANSWERS)
    del run["testCases"][3]["metricsData"]
    row = rows_of(written(tmp_path, run))[3]
    assert (row.score, row.error) == (None, "no Correctness")


def test_cases_of_one_name_are_told_apart_by_what_they_ask(tmp_path):
    answers = [Answer("test_it", question, "yes", "yes", 1.0) for question in ("first?", "second?", "first?")]
    rows = rows_of(written(tmp_path, deepeval_run("atlas", answers)))
    assert [(row.item, row.repeat) for row in rows] == [("test_it", 1), ("test_it (2)", 1), ("test_it", 2)]


def test_conversations_are_test_cases_too(tmp_path):
    case = {"name": "talk", "success": True, "scenario": "a refund", "expectedOutcome": "refunded", "turns": []}
    case["metricsData"] = [{"name": "Correctness", "score": 0.5, "success": True}]
    (row,) = rows_of(written(tmp_path, {"testCases": [], "conversationalTestCases": [case]}))
    assert (row.item, row.truth, row.prediction, row.score) == ("talk", "refunded", None, 0.5)


def test_clusters_are_metadata_of_the_case(tmp_path):
    path = written(tmp_path, deepeval_run("atlas", ANSWERS))
    assert [row.cluster for row in rows_of(path, cluster="group")][:5] == ["g0"] * 4 + ["g1"]
    with pytest.raises(DataError, match="has no 'topic' in its metadata"):
        rows_of(path, cluster="topic")


def test_a_run_without_cases_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match="holds no test cases"):
        rows_of(written(tmp_path, {"testRunData": {"testCases": []}}))
