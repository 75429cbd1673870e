"""Reports of SWE-bench, EvalPlus and Harbor: what is easy to get wrong in them."""

from __future__ import annotations

import json

import pytest

from logwriters import Answer, evalplus_results, harbor_trial, rows_of, seeded_answers, swebench_report, write_harbor
from ropewalk.data.logs import read_log
from ropewalk.data.logs.registry import is_log
from ropewalk.errors import DataError, FileFormatError, InvalidInputError

ANSWERS = seeded_answers(1, n_errors=4)


def written(folder, document, name):
    path = folder / name
    path.write_text(json.dumps(document, indent=4), encoding="utf-8")
    return path


# -- SWE-bench ---------------------------------------------------------------------------------------------


def test_failures_of_the_infrastructure_are_no_failures_of_the_system(tmp_path):
    report = swebench_report(ANSWERS)
    rows = {row.item: row for row in rows_of(written(tmp_path, report, "atlas-7b.nightly-0.json"))}
    broken = {one.item for one in ANSWERS if one.error}
    assert broken & {*report["unresolved_ids"], *report["error_ids"]} == broken
    assert {item for item, row in rows.items() if row.score is None} == broken
    assert {rows[item].error for item in broken} == {"infra_failure", "ambiguous_failure"}
    assert {item for item, row in rows.items() if row.score == 1} == set(report["resolved_ids"])


def test_the_system_is_the_name_up_to_the_first_dot(tmp_path):
    assert read_log(written(tmp_path, swebench_report(ANSWERS), "org__atlas-7b.run.1.json")).systems == (
        "org__atlas-7b",
    )


def test_instances_without_a_prediction_have_no_score(tmp_path):
    report = swebench_report(ANSWERS) | {"incomplete_ids": ["left-1"]}
    report["submitted_ids"].append("odd-1")
    rows = {row.item: row for row in rows_of(written(tmp_path, report, "a.json"))}
    assert (rows["left-1"].score, rows["left-1"].error) == (None, "incomplete")
    assert (rows["odd-1"].score, rows["odd-1"].error) == (None, "not evaluated")


def test_older_reports_list_no_unresolved_instances(tmp_path):
    newer = swebench_report(ANSWERS)
    gone = {"schema_version", "unresolved_ids", "infra_failure_ids", "ambiguous_failure_ids"}
    older = {key: value for key, value in newer.items() if key not in gone}
    rows = {row.item: row.score for row in rows_of(written(tmp_path, older, "a.json"))}
    assert set(rows) == {one.item for one in ANSWERS}
    assert {item for item, score in rows.items() if score == 1} == set(newer["resolved_ids"])
    assert set(rows.values()) == {0.0, 1.0}


def test_reports_of_the_first_harness_are_read(tmp_path):
    first = {
        "no_generation": ["a__a-1"],
        "generated": ["a__a-2", "a__a-3"],
        "with_logs": ["a__a-2"],
        "resolved": ["a__a-3"],
    }
    rows = rows_of(written(tmp_path, first, "results.json"), cluster="repo")
    assert [(row.item, row.score, row.cluster) for row in rows] == [
        ("a__a-1", 0.0, "a__a"),
        ("a__a-2", 0.0, "a__a"),
        ("a__a-3", 1.0, "a__a"),
    ]


def test_instances_have_a_repository_and_nothing_else(tmp_path):
    path = written(tmp_path, swebench_report(ANSWERS), "a.json")
    assert {row.cluster for row in rows_of(path)} == {None}
    assert {row.cluster for row in rows_of(path, cluster="repo")} == {"item"}
    with pytest.raises(DataError, match="have no 'topic'; they have 'repo'"):
        rows_of(path, cluster="topic")


def write_instances(folder, answers):
    """Write a folder per instance, as the harness does: a log, and a report where the evaluation came to an end."""
    for one in answers:
        place = folder / one.item
        place.mkdir(parents=True)
        (place / "run_instance.log").write_text("done", encoding="utf-8")
        if one.error is None:
            report = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": True}
            outcome = {**report, "resolved": one.score == 1, "tests_status": {}}
            (place / "report.json").write_text(json.dumps({one.item: outcome}), encoding="utf-8")
    return folder


def test_reports_of_single_instances_are_one_log(run, tmp_path):
    answers = seeded_answers(3)
    folder = write_instances(tmp_path / "org__atlas", answers)
    log = read_log(folder)
    assert log.systems == ("org__atlas",)
    found = {row.item: row.score for row in log.rows()}
    assert found == {one.item: None if one.error else float(one.score == 1) for one in answers}
    first = next(one for one in answers if not one.error).item
    assert list(read_log(folder / first / "report.json").rows()) == list(log.rows())
    other = write_instances(tmp_path / "org__birch", seeded_answers(4))
    code, out, _ = run("compare", folder, other, "--missing", "wrong", "--draws", 50, "--json")
    assert (code, json.loads(out)["n_items"]) == (0, len(answers))
    (folder / first / "report.json").write_text(json.dumps({first: {"patch_exists": True}}), encoding="utf-8")
    with pytest.raises(FileFormatError, match="does not say whether"):
        list(read_log(folder).rows())


def test_a_report_of_counts_alone_is_refused(tmp_path):
    counts = {key: value for key, value in swebench_report(ANSWERS).items() if not key.endswith("_ids")}
    with pytest.raises(FileFormatError, match="lists no instances"):
        rows_of(written(tmp_path, counts, "a.json"))


# -- EvalPlus ----------------------------------------------------------------------------------------------


def test_the_extra_tests_count_only_with_the_base_tests(tmp_path):
    path = written(tmp_path, evalplus_results(ANSWERS), "atlas_eval_results.json")
    base, plus = (
        {row.item.removeprefix("HumanEval/"): row.score for row in rows_of(path, scorer=name)}
        for name in ("base", "plus")
    )
    assert base == plus == {one.item: one.score for one in ANSWERS}
    text = path.read_text(encoding="utf-8").replace('"plus_status": "pass"', '"plus_status": "timeout"')
    path.write_text(text, encoding="utf-8")
    assert {row.score for row in rows_of(path, scorer="plus")} == {0.0, None}
    with pytest.raises(InvalidInputError, match=r"'base', 'plus'"):
        rows_of(path)


def test_base_tests_alone_are_one_score(tmp_path):
    results = evalplus_results(ANSWERS)
    for samples in results["eval"].values():
        for sample in samples:
            sample["plus_status"] = None
    assert len(rows_of(written(tmp_path, results, "a_eval_results.json"))) == len(ANSWERS)


def test_results_of_2023_are_lists_of_statuses(tmp_path):
    old = {
        "date": "2023-09-01 10:00",
        "hash": "x",
        "eval": {
            "HumanEval/0": {
                "nfiles": 2,
                "base": [["success", [True]], ["failed", [False]]],
                "plus": [["failed", [False]], ["success", [True]]],
            }
        },
    }
    path = written(tmp_path, old, "a_eval_results.json")
    assert [row.score for row in rows_of(path, scorer="base")] == [1.0, 0.0]
    assert [row.score for row in rows_of(path, scorer="plus")] == [0.0, 0.0]


@pytest.mark.parametrize("name", ["atlas_eval_results.json", "atlas/eval_results.json"])
def test_the_system_is_named_by_the_file_or_its_folder(name, tmp_path):
    (tmp_path / "atlas").mkdir()
    log = read_log(written(tmp_path, evalplus_results(ANSWERS, "Mbpp"), name))
    assert (log.systems, log.tasks) == (("atlas",), ("Mbpp",))


# -- Harbor ------------------------------------------------------------------------------------------------


def test_a_folder_of_a_job_is_one_log(tmp_path):
    write_harbor(tmp_path, "terminus m", ANSWERS)
    rows = rows_of(tmp_path)
    assert {row.item: row.score for row in rows} == {one.item: one.score for one in ANSWERS}
    assert {(row.system, row.task) for row in rows} == {("terminus m", "terminal-bench")}
    assert {row.error for row in rows if row.score is None} == {"VerifierTimeoutError"}


def test_trials_inside_the_job_are_read_too(tmp_path):
    path = write_harbor(tmp_path, "terminus m", [])
    job = json.loads(path.read_text(encoding="utf-8"))
    job["trial_results"] = [harbor_trial("terminus", one) for one in ANSWERS]
    rows = rows_of(written(tmp_path, job, "result.json"))
    assert {row.item: row.score for row in rows} == {one.item: one.score for one in ANSWERS}


def test_an_agent_that_ran_out_of_time_has_failed(tmp_path):
    path = write_harbor(tmp_path, "terminus m", [Answer("t", "?", "", "", 0.0)])
    trial = tmp_path / "trial-0" / "result.json"
    late = {"exception_type": "AgentTimeoutError", "exception_message": "late"}
    trial.write_text(
        json.dumps(json.loads(trial.read_text(encoding="utf-8")) | {"exception_info": late}), encoding="utf-8"
    )
    (row,) = rows_of(path)
    assert (row.score, row.error) == (0.0, None)


def test_a_job_that_runs_is_not_finished(tmp_path):
    path = write_harbor(tmp_path, "terminus m", ANSWERS)
    text = path.read_text(encoding="utf-8").replace('"finished_at": "2026-11-16T08:51:19"', '"finished_at": null')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="not finished"):
        rows_of(path)


def test_trials_that_are_missing_are_noticed(tmp_path):
    path = write_harbor(tmp_path, "terminus m", ANSWERS)
    (tmp_path / "trial-3" / "result.json").unlink()
    with pytest.raises(DataError, match="19 of 20 trials"):
        rows_of(path)
    assert not is_log(tmp_path / "trial-2" / "result.json")
