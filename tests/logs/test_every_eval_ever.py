"""Records of Every Eval Ever: every row of a written table comes back, and what misleads is seen."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import pytest

from answer_logs import TEXTS, answers, assert_same, rows_of, write_json, write_lines
from ropewalk.data.logs import Score, read_log
from ropewalk.data.logs.every_eval_ever import EVERY_EVAL_EVER
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, FileFormatError, InvalidInputError

NAME = "e691c4b1"


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def line(answer, *, model="org/atlas", task="tides", result="tides::accuracy", score=None):
    """One line as the schema 0.3.0 has it."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{task}/{model}/1790000000",
        "model_id": model,
        "evaluation_name": task,
        "evaluation_result_id": result,
        "sample_id": f"sample {answer.item}",
        "sample_hash": digest(answer.question + answer.truth),
        "interaction_type": "single_turn",
        "input": {"raw": answer.question, "formatted": None, "reference": [answer.truth], "choices": None},
        "output": {"raw": [f"I would say {answer.prediction}."], "reasoning_trace": None},
        "messages": None,
        "answer_attribution": [
            {"turn_idx": 0, "source": "output.raw", "extracted_value": "no answer yet", "is_terminal": False},
            {"turn_idx": 1, "source": "output.raw", "extracted_value": answer.prediction, "is_terminal": True},
        ],
        "evaluation": {"score": answer.score if score is None else score, "is_correct": answer.score == 1},
        "error": None,
        "metadata": {"group": answer.group},
    }


def sums(*results, n_lines=None, model="org/atlas", file_path=f"{NAME}_samples.jsonl"):
    """The sums as the schema 0.3.0 has them: results are (task, metric, least, highest, whether less is better)."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"tides/{model}/1790000000",
        "source_metadata": {"source_type": "evaluation_run", "source_organization_name": "demo"},
        "eval_library": {"name": "demo", "version": "1.0"},
        "model_info": {"name": model, "id": model},
        "evaluation_results": [
            {
                "evaluation_result_id": f"{task}::{metric}",
                "evaluation_name": task,
                "metric_config": {"metric_id": metric, "lower_is_better": less, "min_score": low, "max_score": high},
                "score_details": {"score": 0.5},
                "generation_config": {"generation_args": {"temperature": 0.7}},
            }
            for task, metric, low, high, less in results
        ],
        "detailed_evaluation_results": {"format": "jsonl", "file_path": file_path, "total_rows": n_lines},
    }


ACCURACY = ("tides", "accuracy", 0.0, 1.0, False)


def write_run(folder, lines, *results, **more):
    """Write the two files of an export."""
    write_json(folder / f"{NAME}.json", sums(*(results or [ACCURACY]), n_lines=more.pop("n_lines", len(lines)), **more))
    return write_lines(folder / f"{NAME}_samples.jsonl", lines)


def by_hash(table):
    return [replace(one, item=digest(one.question + one.truth)) for one in table]


def test_every_answer_comes_back_by_the_hash_of_its_question(tmp_path):
    table = answers(3, 40)
    path = write_run(tmp_path, [line(one) for one in table])
    rows = rows_of(path, cluster="group")
    assert_same(rows, by_hash(table), cluster=lambda answer: answer.group)
    assert {(row.system, row.task) for row in rows.values()} == {("org/atlas", "tides")}


def test_a_folder_its_sums_and_its_samples_are_the_same_log(tmp_path):
    path = write_run(tmp_path, [line(one) for one in answers(1, 5)])
    logs = [list(read_log(place).rows()) for place in (tmp_path, path, tmp_path / f"{NAME}.json")]
    assert logs[0] == logs[1] == logs[2]
    assert len(logs[0]) == 5


def test_exports_that_write_ids_differently_are_paired(tmp_path):
    table = answers(1, 9)
    first = read_log(write_run(tmp_path / "a", [line(one) for one in table]))
    others = [line(one, model="org/birch") | {"sample_id": f"{one.item}/tides"} for one in reversed(table)]
    second = read_log(write_run(tmp_path / "b", others, model="org/birch"))
    paired = pair_logs([first, second])[0]
    assert [key for key, _ in paired.keys] == [one.item for one in by_hash(table)]
    assert [row.truth for row in paired.rows[1]] == [one.truth for one in table]


def test_without_hashes_the_ids_count(tmp_path):
    table = answers(1, 5)
    lines = [line(one) | {"sample_hash": None} for one in table]
    assert_same(rows_of(write_run(tmp_path, lines)), [replace(one, item=f"sample {one.item}") for one in table])


def test_the_same_question_again_is_a_repeat(tmp_path):
    table = answers(2, 6, n_repeats=3)
    assert_same(rows_of(write_run(tmp_path, [line(one) for one in table])), by_hash(table))


def test_a_sample_has_a_line_per_result(tmp_path):
    table = answers(4, 8)
    lines = []
    for one in table:
        lines += [line(one), line(one, result="tides::length", score=one.marks["length"])]
    path = write_run(tmp_path, lines, ACCURACY, ("tides", "length", 1, 9, True))
    assert read_log(path).runs[0].scores == (
        Score(name="accuracy", low=0.0, high=1.0),
        Score(name="length", higher_is_better=False, low=1.0, high=9.0),
    )
    assert_same(rows_of(path, scorer="accuracy"), by_hash(table))
    assert_same(rows_of(path, scorer="length"), by_hash(table), score=lambda answer: answer.marks["length"])
    with pytest.raises(InvalidInputError, match="'accuracy', 'length'"):
        rows_of(path)


def test_results_of_one_metric_are_told_by_their_ids(tmp_path):
    one = answers(1, 1)[0]
    lines = [line(one, result=result) for result in ("easy", "hard")]
    path = write_run(tmp_path, lines)
    document = sums(ACCURACY, ACCURACY)
    for result, name in zip(document["evaluation_results"], ("easy", "hard"), strict=True):
        result["evaluation_result_id"] = name
    write_json(tmp_path / f"{NAME}.json", document)
    assert read_log(path).scores == ("easy", "hard")


def test_a_file_may_hold_several_tasks_and_models(tmp_path):
    table = answers(4, 5)
    lines = []
    for one in table:
        lines += [line(one, task="sums", result="sums::accuracy"), line(one), line(one, model="org/birch")]
    log = read_log(write_run(tmp_path, lines, ACCURACY, ("sums", "accuracy", 0, 1, False)))
    assert (log.systems, log.tasks) == (("org/atlas", "org/birch"), ("sums", "tides"))
    assert [row.score for row in log.only(system="org/birch").rows()] == [one.score for one in table]
    assert [row.score for row in log.only(task="sums").rows()] == [one.score for one in table]


def test_old_lines_without_a_result_and_without_sums_have_one_score(tmp_path):
    table = answers(4, 5)
    lines = [line(one) for one in table]
    for one in lines:
        del one["evaluation_result_id"]
    path = write_lines(tmp_path / "x_samples.jsonl", lines)
    assert read_log(path).scores == ("score",)
    assert_same(rows_of(path), by_hash(table))


def test_what_differs_between_runs_of_a_model_is_told(tmp_path):
    path = write_run(tmp_path, [line(one) for one in answers(4, 5)])
    facts = read_log(path).runs[0].facts
    assert (facts["temperature"], facts["library"]) == ("0.7", "demo 1.0")


# -- rows without a score ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"error": "API error: 503"}, "API error"),
        ({"error": "\x1b[31mtimed\nout"}, "timed"),
        ({"evaluation": {"score": math.nan, "is_correct": False}}, "no score"),
        ({"evaluation": None}, "no score"),
        ({"evaluation": {"score": "high"}}, "no score"),
    ],
)
def test_a_row_with_an_error_or_no_number_has_no_score(change, error, tmp_path):
    lines = [line(one) for one in answers(4, 2)]
    lines[1] |= change
    rows = list(rows_of(write_run(tmp_path, lines)).values())
    assert (rows[1].score, rows[1].error) == (None, error)
    assert (rows[0].score, rows[0].error) == (answers(4, 2)[0].score, None)


def test_where_there_is_no_score_right_or_wrong_is_one(tmp_path):
    lines = [line(one) | {"evaluation": {"score": None, "is_correct": True}} for one in answers(4, 2)]
    assert [row.score for row in rows_of(write_run(tmp_path, lines)).values()] == [1, 1]


# -- refusals ----------------------------------------------------------------------------------------------


def test_sums_without_samples_are_refused_with_the_reason(tmp_path):
    write_json(tmp_path / f"{NAME}.json", sums(ACCURACY))
    with pytest.raises(DataError, match="no file beside it its answers"):
        read_log(tmp_path)


def test_sums_read_no_file_outside_their_folder(tmp_path):
    write_lines(tmp_path / "secret_samples.jsonl", [line(one) for one in answers(1, 3)])
    path = write_json(tmp_path / "in" / f"{NAME}.json", sums(ACCURACY, file_path="../secret_samples.jsonl"))
    with pytest.raises(DataError, match="no file beside it its answers"):
        read_log(path)


def test_fewer_lines_than_the_sums_are_of_is_a_file_cut_off(tmp_path):
    path = write_run(tmp_path, [line(one) for one in answers(1, 8)], n_lines=9)
    with pytest.raises(FileFormatError, match="cut off: it has 8 of 9 lines"):
        read_log(path)


def test_a_file_with_nothing_in_it_is_refused_where_the_sums_name_it(tmp_path):
    write_run(tmp_path, [])
    with pytest.raises(FileFormatError, match="holds no answers"):
        read_log(tmp_path)


@pytest.mark.parametrize("kept", [0, 5, 100])
def test_sums_cut_off_are_refused(kept, tmp_path):
    path = write_run(tmp_path, [line(one) for one in answers(1, 9)])
    sums_file = path.with_name(f"{NAME}.json")
    sums_file.write_bytes(sums_file.read_bytes()[:kept])
    with pytest.raises(FileFormatError, match=rf"{NAME}\.json.*not valid JSON"):
        read_log(path)


def test_a_line_cut_off_is_named(tmp_path):
    path = write_run(tmp_path, [line(one) for one in answers(1, 9)])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileFormatError, match="line 9: not valid JSON"):
        read_log(path)


def test_an_unknown_key_of_clusters_is_refused_with_the_keys(tmp_path):
    path = write_run(tmp_path, [line(one) for one in answers(1, 3)])
    with pytest.raises(DataError, match="no 'topic' in its metadata; it has 'group'"):
        rows_of(path, cluster="topic")


# -- what else there is in files ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_may_be_an_answer(text, tmp_path):
    one = replace(answers(1, 1)[0], truth=text, prediction=text, question=text, group=text)
    row = next(iter(rows_of(write_run(tmp_path, [line(one)]), cluster="group").values()))
    assert (row.truth, row.prediction, row.cluster, row.score) == (text, text, text, one.score)


@pytest.mark.parametrize("key", ["input", "answer_attribution", "metadata", "model_id", "evaluation_name"])
@pytest.mark.parametrize("value", [None, 3, "x", [], [3], {"raw": 3, "reference": 4}])
def test_a_line_of_another_shape_still_has_its_score(key, value, tmp_path):
    path = write_run(tmp_path, [line(one) | {key: value} for one in answers(1, 2)])
    assert [row.score for row in read_log(path).rows()] == [one.score for one in answers(1, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "evaluation_id,model_id,evaluation_name,sample_id\n",
        '{"sample_id": 1, "model_id": "x", "truth": "y"}\n',
        '{"truth": "evaluation_id model_id evaluation_name sample_id"}\n',
        '{"schema_version": 2, "evaluation_results": []}',
    ],
)
def test_plain_tables_are_no_logs(text, tmp_path):
    assert not EVERY_EVAL_EVER.recognises(tmp_path / "x.jsonl", text.encode())


@pytest.mark.parametrize("name", ["x" * 5_000, "a\0b", "\ud800", "..", "/", 7])
def test_a_name_that_no_file_can_have_names_none(name, tmp_path):
    path = write_json(tmp_path / f"{NAME}.json", sums(ACCURACY, file_path=name))
    with pytest.raises(DataError, match="no file beside it"):
        read_log(path)
