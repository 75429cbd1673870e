"""Results of promptfoo: what is easy to get wrong in them."""

from __future__ import annotations

import json

import pytest

from logwriters import (
    Answer,
    dump,
    promptfoo_document,
    promptfoo_result,
    promptfoo_results,
    rows_of,
    seeded_answers,
    shuffled,
)
from ropewalk.data.logs import read_log
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, FileFormatError, InvalidInputError

TWO = {"atlas": seeded_answers(1), "birch": seeded_answers(2)}


def written(folder, document):
    path = folder / "results.json"
    path.write_bytes(dump(document))
    return path


def by_system(path, **options):
    found = {}
    for row in rows_of(path, **options):
        found.setdefault(row.system, {})[row.item] = row
    return found


def test_one_file_holds_several_systems(tmp_path):
    path = written(tmp_path, promptfoo_document(promptfoo_results(TWO)))
    found = by_system(path)
    assert sorted(found) == ["atlas", "birch"]
    for system, answers in TWO.items():
        assert [found[system][str(n)].score for n in range(len(answers))] == [one.score for one in answers]


def test_several_prompts_of_a_provider_are_systems_of_their_own(tmp_path):
    path = written(tmp_path, promptfoo_document(promptfoo_results({"atlas": TWO["atlas"]}, n_prompts=2)))
    names = sorted(read_log(path).systems)
    assert names == ["atlas (prompt Route 0: {{ticket}})", "atlas (prompt Route 1: {{ticket}})"]
    assert len(rows_of(path, system=names[0])) == len(TWO["atlas"])


def test_prompts_with_one_label_are_told_apart_by_number(tmp_path):
    results = promptfoo_results({"atlas": TWO["atlas"]}, n_prompts=2)
    for result in results:
        result["prompt"]["label"] = "the same"
    assert sorted(read_log(written(tmp_path, promptfoo_document(results))).systems) == [
        "atlas (prompt 1)",
        "atlas (prompt 2)",
    ]


def test_an_error_is_told_from_a_failure(tmp_path):
    rows = by_system(written(tmp_path, promptfoo_document(promptfoo_results(TWO))))["birch"]
    for number, one in enumerate(TWO["birch"]):
        row = rows[str(number)]
        assert (row.score, row.error) == ((None, "API error") if one.error else (one.score, None))


def test_version_2_has_neither_numbers_nor_reasons(tmp_path):
    results = promptfoo_results(TWO)
    for result in results:
        for key in ("promptIdx", "testIdx", "failureReason", "testCase", "id", "promptId"):
            del result[key]
        result["prompt"] = {"raw": result["prompt"]["raw"], "display": "Route this", "label": "Route this"}
        result["vars"].pop("__repeatIndex")
    found = by_system(written(tmp_path, promptfoo_document(results, version=2)))
    for system, answers in TWO.items():
        scores = sorted(((row.score is None, row.score) for row in found[system].values()), key=str)
        assert scores == sorted(((one.score is None, one.score) for one in answers), key=str)
    assert set(found["atlas"]) == set(found["birch"])
    assert len(found["atlas"]) == len(TWO["atlas"])
    wrong = {item for item, row in found["atlas"].items() if row.score != found["birch"][item].score}
    expected = sum(a.score != b.score for a, b in zip(TWO["atlas"], TWO["birch"], strict=True))
    assert len(wrong) == expected


def test_repeats_are_tests_with_equal_variables(tmp_path):
    answers = seeded_answers(3, n_items=5, n_repeats=4, n_errors=0)
    path = written(tmp_path, promptfoo_document(promptfoo_results({"atlas": answers, "birch": answers})))
    (paired,) = pair_logs([read_log(path)])
    assert len(paired.keys) == 20
    assert len(set(paired.cluster)) == 5


def test_tests_with_other_assertions_are_other_items(tmp_path):
    twice = [promptfoo_result("atlas", 0, n, Answer("x", "the same?", "yes", "yes", 1.0)) for n in range(2)]
    twice[1]["testCase"]["assert"] = [{"type": "llm-rubric", "value": "is polite"}]
    rows = rows_of(written(tmp_path, promptfoo_document(twice)))
    assert [(row.item, row.repeat, row.truth) for row in rows] == [("0", 1, "yes"), ("1", 1, None)]


@pytest.mark.parametrize(
    ("asserts", "truth"),
    [
        ([{"type": "equals", "value": "{{want}}"}], "refund"),
        ([{"type": "equals", "value": "{{ want }}!"}, {"type": "latency", "threshold": 9}], "refund!"),
        ([{"type": "equals", "value": "{{unknown}}"}], None),
        ([{"type": "equals", "value": 3}], "3"),
        ([{"type": "equals", "value": "a"}, {"type": "equals", "value": "b"}], None),
        ([{"type": "contains", "value": "a"}], None),
        ([], None),
        (None, None),
    ],
)
def test_the_truth_is_what_one_assertion_asks_for(asserts, truth, tmp_path):
    result = promptfoo_result("atlas", 0, 0, Answer("x", "Which?", "refund", "refund", 1.0))
    result["testCase"]["assert"] = asserts
    (row,) = rows_of(written(tmp_path, promptfoo_document([result])))
    assert row.truth == truth


def test_named_scores_can_be_chosen(tmp_path):
    results = [
        promptfoo_result("atlas", 0, n, Answer(str(n), f"{n}?", "yes", "yes", 1.0)) | {"namedScores": {"tone": n / 4}}
        for n in range(5)
    ]
    results[4]["namedScores"] = {}
    path = written(tmp_path, promptfoo_document(shuffled(results)))
    assert [row.score for row in rows_of(path, scorer="tone")] == [0.0, 0.25, 0.5, 0.75, None]
    assert {row.score for row in rows_of(path, scorer="score")} == {1.0}
    with pytest.raises(InvalidInputError, match=r"'score', 'tone'"):
        rows_of(path)


def test_clusters_are_variables_or_metadata(tmp_path):
    path = written(tmp_path, promptfoo_document(promptfoo_results(TWO)))
    assert by_system(path, cluster="group")["atlas"]["5"].cluster == "g1"
    assert by_system(path, cluster="want")["atlas"]["1"].cluster == "delivery"
    with pytest.raises(DataError, match=r"has no 'passage' in its metadata; it has .*'group'"):
        rows_of(path, cluster="passage")


def test_other_questions_under_the_same_numbers_are_refused(tmp_path):
    logs = []
    for side, seed in (("a", 1), ("b", 2)):
        answers = [one._replace(question=f"{side}: {one.question}") for one in seeded_answers(seed, n_errors=0)]
        (folder := tmp_path / side).mkdir()
        logs.append(read_log(written(folder, promptfoo_document(promptfoo_results({side: answers})))))
    with pytest.raises(DataError, match="about different questions"):
        pair_logs(logs)


def test_an_object_as_output_is_a_label(tmp_path):
    result = promptfoo_result("atlas", 0, 0, Answer("x", "Which?", "refund", "refund", 1.0))
    result["response"]["output"] = {"b": 1, "a": [2]}
    (row,) = rows_of(written(tmp_path, promptfoo_document([result])))
    assert row.prediction == '{"a": [2], "b": 1}'


def test_results_without_rows_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match="holds no results"):
        rows_of(written(tmp_path, promptfoo_document([])))


def test_a_line_that_is_broken_is_named(tmp_path):
    path = tmp_path / "results.jsonl"
    lines = [dump(result) for result in promptfoo_results(TWO)]
    lines[7] = lines[7][:-9]
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(FileFormatError, match="line 8: not valid JSON"):
        rows_of(path)


def test_odd_values_are_no_scores(tmp_path):
    text = dump(promptfoo_document(promptfoo_results(TWO))).decode().replace('"score": 1.0,', '"score": NaN,')
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    scores = {row.score for row in rows_of(path)}
    assert scores == {0.0, 1.0, None}  # where the score is not a number, success counts
    gone = sum(result["score"] != result["score"] for result in json.loads(text)["results"]["results"])
    assert {run.notes for run in read_log(path).runs} == {
        (f"{gone:,} results without a number as score: success counts 1 there, and failure 0.",)
    }
    assert not any(run.notes for run in read_log(written(tmp_path, promptfoo_document(promptfoo_results(TWO)))).runs)


def test_a_document_of_another_shape_is_not_taken_for_one_result(tmp_path):
    results = promptfoo_results({"atlas": seeded_answers(1)})
    for document in ({"results": {"outputs": results}}, {"rows": results, "version": 1}):
        with pytest.raises(FileFormatError, match="no evaluation log"):
            read_log(written(tmp_path, document))


def test_results_of_the_first_version_are_read_or_named(tmp_path):
    rows = [
        {"prompt": {"raw": "q"}, "vars": {"n": n}, "response": {"output": "x"}, "success": n % 2 == 0} for n in range(4)
    ]
    path = written(tmp_path, {"version": 1, "results": rows, "stats": {}, "table": {}})
    with pytest.raises(FileFormatError, match="seems to hold results of promptfoo's first version"):
        read_log(path)
    path = written(tmp_path, {"version": 1, "results": [{**row, "provider": "atlas"} for row in rows], "stats": {}})
    assert [row.score for row in by_system(path)["atlas"].values()] == [1.0, 0.0, 1.0, 0.0]
