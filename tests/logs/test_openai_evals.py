"""Logs of openai/evals: what is easy to get wrong in them."""

from __future__ import annotations

import pytest

from logwriters import dump, openai_lines, rows_of, seeded_answers, shuffled
from ropewalk.data.logs import read_log
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, FileFormatError, InvalidInputError

ANSWERS = seeded_answers(1)


def written(folder, lines, name="log.jsonl"):
    path = folder / name
    path.write_bytes(b"".join(dump(line) + b"\n" for line in lines))
    return path


def event(item, kind, **data):
    return {"run_id": "r", "event_id": 0, "sample_id": item, "type": kind, "data": data}


def test_the_header_names_system_and_task(tmp_path):
    (run,) = read_log(written(tmp_path, openai_lines("atlas", ANSWERS))).runs
    assert (run.system, run.task) == ("atlas", "route.dev.v0")
    assert run.facts["seed"] == "20220722"


@pytest.mark.parametrize(
    ("spec", "system"),
    [
        ({"completion_fns": ["a", "judge"]}, "a"),
        ({"model_names": {"completions": ["b"]}}, "b"),
        ({"model_name": "c"}, "c"),
        ({"eval_name": "e"}, "log"),
    ],
)
def test_older_headers_name_the_system_otherwise(spec, system, tmp_path):
    first, *rest = openai_lines("atlas", ANSWERS)
    keys = {"completion_fns", "model_name", "model_names"}
    kept = {key: value for key, value in first["spec"].items() if key not in keys}
    (run,) = read_log(written(tmp_path, [{"spec": {**kept, **spec}}, *rest])).runs
    assert run.system == system


def test_a_run_without_a_final_report_is_not_finished(tmp_path):
    path = written(tmp_path, openai_lines("atlas", ANSWERS)[:-1])
    with pytest.raises(DataError, match="not finished: it has no final_report") as caught:
        rows_of(path)
    assert caught.value.exit_code == 4


def test_the_final_report_may_stand_anywhere(tmp_path):
    spec, *rest = openai_lines("atlas", ANSWERS)
    whole, mixed = (written(tmp_path, [spec, *lines], name) for lines, name in ((rest, "a"), (shuffled(rest, 5), "b")))
    assert {row.item: row.score for row in rows_of(whole)} == {row.item: row.score for row in rows_of(mixed)}


def test_a_sample_that_raised_has_no_score(tmp_path):
    rows = {row.item: row for row in rows_of(written(tmp_path, openai_lines("atlas", ANSWERS)))}
    broken = {one.item for one in ANSWERS if one.error}
    assert {item for item, row in rows.items() if row.score is None} == broken
    assert {rows[item].error for item in broken} == {"ValueError"}


def test_a_sample_without_a_match_has_no_score(tmp_path):
    spec, *rest, report = openai_lines("atlas", ANSWERS)
    path = written(tmp_path, [spec, *rest, event("lost", "sampling", prompt="?", sampled=["a"]), report])
    (lost,) = (row for row in rows_of(path) if row.item == "lost")
    assert (lost.score, lost.error) == (None, "no match")


def test_an_answer_outside_the_options_is_still_an_answer(tmp_path):
    lines = [event("s", "match", correct=False, expected=["yes"], picked=None, sampled="perhaps")]
    (row,) = rows_of(written(tmp_path, [{"spec": {"eval_name": "e"}}, *lines, {"final_report": {}}]))
    assert (row.truth, row.prediction, row.score) == ("yes", "perhaps", 0.0)


def test_several_matches_of_a_sample_are_repeats(tmp_path):
    lines = [event("s", "match", correct=right, expected="yes", picked="yes") for right in (True, False, True)]
    rows = rows_of(written(tmp_path, [{"spec": {"eval_name": "e"}}, *lines, {"final_report": {}}]))
    assert [(row.item, row.repeat, row.score) for row in rows] == [("s", 1, 1.0), ("s", 2, 0.0), ("s", 3, 1.0)]


def test_metrics_are_scores_to_choose_from(tmp_path):
    lines = [
        event("s", "match", correct=True, expected="yes", picked="yes"),
        event("s", "metrics", f1_score=0.25, accuracy=True, note="text"),
        event("t", "metrics", f1_score=0.75),
        event("t", "raw_sample", input="x"),
    ]
    path = written(tmp_path, [{"spec": {"eval_name": "e"}}, *lines, {"final_report": {}}])
    assert read_log(path).scores == ("match", "f1_score", "accuracy")
    with pytest.raises(InvalidInputError, match=r"'match', 'f1_score', 'accuracy'"):
        rows_of(path)
    assert {row.item: row.score for row in rows_of(path, scorer="f1_score")} == {"s": 0.25, "t": 0.75}
    assert {row.item: row.score for row in rows_of(path, scorer="accuracy")} == {"s": 1.0, "t": None}
    assert next(row.truth for row in rows_of(path, scorer="f1_score") if row.item == "s") == "yes"


def test_other_questions_are_refused_and_other_instructions_are_not(tmp_path):
    plain = seeded_answers(1, n_errors=0)
    logs = {
        "same": read_log(written(tmp_path, openai_lines("birch", plain), "same.jsonl")),
        "a": read_log(written(tmp_path, openai_lines("atlas", plain), "a.jsonl")),
        "other": read_log(
            written(tmp_path, openai_lines("c", [one._replace(question="Why?") for one in plain]), "other.jsonl")
        ),
    }
    (paired,) = pair_logs([logs["a"], logs["same"]])
    assert len(paired.keys) == len(plain)
    with pytest.raises(DataError, match="about different questions"):
        pair_logs([logs["a"], logs["other"]])


def test_there_is_nothing_to_cluster_by(tmp_path):
    with pytest.raises(DataError, match="no 'topic' to cluster by"):
        rows_of(written(tmp_path, openai_lines("atlas", ANSWERS)), cluster="topic")


def test_a_log_without_samples_is_refused(tmp_path):
    with pytest.raises(FileFormatError, match="holds no samples"):
        rows_of(written(tmp_path, [{"spec": {"eval_name": "e"}}, {"final_report": {}}]))
