"""`ropewalk gate`: exit codes, what is printed and written, and what a repository keeps in TOML."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import ropewalk as rw
from logwriters import inspect_header, inspect_summary, seeded_answers, write_inspect, write_inspect_archive
from support import COLUMNS, NEWS

ASK = ("--draws", 4000)
N_ITEMS = 200


@pytest.fixture
def preds(tmp_path):
    """A table where `new` is right on all items, `old` on 70%, and `same` nearly as often as `old`."""
    path = tmp_path / "preds.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["y", "new", "old", "same", "task"])
        for i in range(N_ITEMS):
            y = i % 2
            old = y if i % 10 >= 3 else 1 - y
            same = y if i % 10 < 7 else 1 - y
            rows.writerow([y, y, old, same, "first" if i < N_ITEMS // 2 else "second"])
    return path


def line(preds, a="new", b="old", *more):
    return ("gate", preds, "--truth", "y", "--a", a, "--b", b, "--metric", "accuracy", *ASK, *more)


@pytest.mark.parametrize(
    ("a", "b", "more", "code"),
    [
        ("new", "old", ("--require", "better"), 0),
        ("new", "old", ("--margin", "2%"), 0),
        ("old", "new", ("--margin", "2%"), 1),
        ("old", "new", ("--require", "better"), 1),
        ("new", "old", ("--require", "equivalent", "--margin", 0.02), 1),
        ("old", "same", ("--require", "better"), 3),
        ("old", "same", ("--require", "better", "--on-undecided", "warn"), 0),
        ("old", "same", ("--require", "better", "--on-undecided", "pass"), 0),
        ("old", "new", ("--require", "better", "--on-undecided", "pass"), 1),
        ("new", "old", ("--require", "better", "--require", "not-worse 1%"), 0),
        ("new", "old", ("--require", "better", "--require", "better 90%"), 1),
        ("new", "old", ("--require", "better on first", "--require", "better overall", "--task", "task"), 0),
    ],
)
def test_the_exit_code_says_the_outcome(run, preds, a, b, more, code):
    exit_code, out, err = run(*line(preds, a, b, *more))
    assert (exit_code, "Traceback" in err) == (code, False)
    assert out.lstrip().startswith({0: "PASS", 1: "FAIL", 3: "UNDECIDED"}[code]) or "--on-undecided" in more
    assert "seed 0" in out
    assert "significant" not in out


def test_a_gate_of_one_side_never_says_equivalent(run, preds):
    for form in ((), ("--markdown",), ("--details",)):
        _, out, err = run(*line(preds, "new", "old", "--margin", "2%", *form))
        assert "equivalent" not in (out + err).lower()


@pytest.mark.parametrize(
    ("more", "code", "problem"),
    [
        ((), 2, "needs `--margin`"),
        (("--require", "equivalent"), 2, "needs `--margin`"),
        (("--require", "equivalent", "--margin", 0), 2, "above 0"),
        (("--margin", -0.02), 2, "at least 0"),
        (("--margin", "nan"), 2, "takes a number"),
        (("--margin", "0,02"), 2, "decimal comma"),
        (("--require", "better -1%"), 2, "at least 0"),
        (("--require", "finer"), 2, "must say"),
        (("--require", "better", "--on-undecided", "shrug"), 2, "Unknown way to treat"),
        (("--require", "better", "--rope", 0.1), 2, "no option --rope"),
        (("--require", "better on third", "--task", "task"), 2, "no task"),
        (("--require", "better on third"), 2, "no tasks"),
        (("--require", "better on each task"), 2, "no tasks"),
        (("--require", "better overall"), 2, "no tasks"),
        (("--margin", 5), 2, "`--margin` is 5"),
        (("--require", "better", "--config", "none.toml"), 5, "none.toml"),
        (("--require", "better", "--github"), 2, "GITHUB_STEP_SUMMARY"),
    ],
)
def test_a_wrong_line_is_refused_before_anything_is_written(run, preds, tmp_path, monkeypatch, more, code, problem):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    junit, page = tmp_path / "gate.xml", tmp_path / "gate.html"
    exit_code, out, err = run(*line(preds, "new", "old", "--junit", junit, "--html", page, *more))
    assert (exit_code, out) == (code, "")
    assert problem in err
    assert "Hint: " in err
    assert not junit.exists()
    assert not page.exists()


def test_an_unknown_metric_is_refused(run, preds):
    code, out, err = run("gate", preds, "--truth", "y", "--a", "new", "--b", "old", "--require", "f11 better")
    assert (code, out) == (2, "")
    assert "f11" in err


def test_metrics_of_requirements_are_read(run, preds):
    code, out, _ = run(
        "gate", preds, "--truth", "y", "--a", "new", "--b", "old", "--json", *ASK,
        "--require", "f1 better 0.01", "--require", "recall not-worse 0.02",
    )  # fmt: skip
    assert code == 0
    rows = json.loads(out)["gate"]["requirements"]
    assert [(row["metric"], row["require"], row["margin"], row["outcome"]) for row in rows] == [
        ("f1", "better", 0.01, "met"), ("recall", "not-worse", 0.02, "met"),
    ]  # fmt: skip


def test_json_is_what_python_says(run, news):
    code, out, _ = run("gate", NEWS, *COLUMNS, "--metric", "accuracy", "--margin", "1%", *ASK, "--json")
    ours = rw.gate(news.outcomes, a="nb_mult", b="svm_l2", metric="accuracy", margin=0.01, draws=4_000, rng=0)
    assert code == ours.exit_code
    assert json.loads(out) == ours.to_dict()


def test_answers_known_to_be_right_need_no_truth(run, tmp_path):
    path = tmp_path / "right.csv"
    path.write_text("new,old\n" + "1,1\n" * 60 + "1,0\n" * 40, encoding="utf-8")
    code, _, _ = run("gate", path, "--a", "new", "--b", "old", "--require", "accuracy better 10%", *ASK)
    assert code == 0


# -- logs --------------------------------------------------------------------------------------------------

NEW = seeded_answers(1, n_errors=0)


def archive(path, system, answers, task="reading"):
    return write_inspect_archive(path, list(map(inspect_summary, answers)), inspect_header(system, task))


def test_logs_are_held_against_each_other(run, tmp_path):
    paths = []
    for system in ("new", "old"):
        (tmp_path / system).mkdir()
        paths.append(write_inspect(tmp_path / system, system, NEW))
    code, out, _ = run("gate", *paths, "--require", "not-worse", "--margin", "30%", "--json", *ASK)
    told = json.loads(out)
    assert (code, told["gate"]["outcome"], told["delta"]["observed"]) == (0, "met", 0)


def test_each_task_of_logs_has_an_outcome_and_the_worst_counts(run, tmp_path):
    for system in ("new", "old"):
        (tmp_path / system).mkdir()
        for task in ("reading", "sums"):
            archive(tmp_path / system / f"{task}.eval", system, NEW, task)
    junit = tmp_path / "gate.xml"
    code, out, _ = run(
        "gate", tmp_path / "new", tmp_path / "old", "--require", "not-worse 30% on reading",
        "--require", "better on sums", "--json", "--junit", junit, *ASK,
    )  # fmt: skip
    told = json.loads(out)
    assert [(one["task"], one["gate"]["outcome"]) for one in told["tasks"]] == [
        ("reading", "met"),
        ("sums", "undecided"),
    ]
    assert (code, told["gate"]["outcome"]) == (3, "undecided")
    suite = ET.parse(junit).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_one_task_of_logs_is_picked_by_name(run, tmp_path):
    for system in ("new", "old"):
        (tmp_path / system).mkdir()
        for task in ("reading", "sums"):
            archive(tmp_path / system / f"{task}.eval", system, NEW, task)
    ask = ("gate", tmp_path / "new", tmp_path / "old", "--margin", "30%", *ASK)
    code, out, _ = run(*ask, "--task", "sums", "--json")
    assert (code, "tasks" in json.loads(out), json.loads(out)["gate"]["outcome"]) == (0, False, "met")
    code, out, err = run(*ask, "--task", "maps")
    assert (code, out) == (2, "")
    assert "maps" in err


def test_an_unfinished_log_is_bad_data_and_writes_nothing(run, tmp_path):
    good = archive(tmp_path / "new.eval", "new", NEW)
    torn = tmp_path / "old.eval"
    torn.write_bytes(good.read_bytes()[:500])
    junit = tmp_path / "gate.xml"
    code, out, _ = run("gate", good, torn, "--margin", "2%", "--junit", junit)
    assert (code in {4, 5}, out, junit.exists()) == (True, "", False)


def test_one_file_of_two_systems_must_name_the_candidate(run, tmp_path):
    path = tmp_path / "answers.csv"
    rows = [(f"q{i}", system, int(i % 10 < right)) for i in range(200) for system, right in (("old", 9), ("new", 6))]
    path.write_text("item,system,correct\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), encoding="utf-8")
    code, out, err = run("gate", path, "--margin", "5%", *ASK)
    assert (code, out) == (2, "")
    assert "which of them is the candidate" in err
    assert run("gate", path, "--margin", "5%", "--a", "new", *ASK)[0] == 1
    assert run("gate", path, "--margin", "5%", "--a", "old", *ASK)[0] == 0
    assert run("gate", path, "--margin", 5, "--a", "old", *ASK)[0] == 2  # a per cent sign was left out
    assert run("watch", path, "--margin", "5%", "--once", *ASK)[0] == 2


# -- surfaces ----------------------------------------------------------------------------------------------


def test_github_gets_a_summary_and_annotations(run, preds, tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("# Earlier\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    expected = {
        ("new", "old", "fail"): (0, ()),
        ("old", "new", "fail"): (1, ("::error",)),
        ("old", "same", "fail"): (3, ("::error",)),
        ("old", "same", "warn"): (0, ("::warning",)),
        ("old", "same", "pass"): (0, ()),
    }
    for (a, b, on), (code, starts) in expected.items():
        exit_code, out, _ = run(*line(preds, a, b, "--require", "better", "--on-undecided", on, "--github"))
        told = [row for row in out.splitlines() if row.startswith("::")]
        assert (exit_code, [row[: len(start)] for row, start in zip(told, starts, strict=True)]) == (code, list(starts))
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Earlier\n")
    assert text.count("PASS") >= 1
    assert text.count("FAIL") >= 1
    assert text.count("UNDECIDED") >= 3


def test_a_summary_that_cannot_be_written_is_refused_before_any_work(run, preds, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "nowhere" / "summary.md"))
    code, out, _ = run(*line(preds, "new", "old", "--require", "better", "--github"))
    assert (code, out) == (5, "")


def test_with_json_annotations_do_not_stand_in_it(run, preds, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    _, out, err = run(*line(preds, "old", "new", "--require", "better", "--github", "--json"))
    assert json.loads(out)["gate"]["outcome"] == "contradicted"
    assert "::error" in err


def test_markdown_begins_with_the_headline(run, preds):
    _, out, _ = run(*line(preds, "new", "old", "--require", "better", "--markdown"))
    assert "PASS" in out.splitlines()[0]


def test_outputs_do_not_overwrite_inputs(run, preds):
    before = preds.read_bytes()
    code, out, _ = run(*line(preds, "new", "old", "--require", "better", "--junit", preds))
    assert (code, out, preds.read_bytes()) == (2, "", before)


# -- a saved base line -------------------------------------------------------------------------------------


@pytest.fixture
def saved(run, preds, tmp_path):
    """The base line's accuracy, as `evaluate --json` prints it."""
    _, out, _ = run("evaluate", preds, "--truth", "y", "--prediction", "old", "--metric", "accuracy", "--json", *ASK)
    path = tmp_path / "old.json"
    path.write_text(out, encoding="utf-8")
    return path


def test_a_saved_base_line_will_do(run, preds, saved):
    ask = ("gate", preds, "--truth", "y", "--a", "new", "--baseline", saved, *ASK)
    code, out, _ = run(*ask, "--require", "better 5%", "--json")
    told = json.loads(out)
    assert (code, told["metric"], told["b"]["name"], told["a"]["observed"]) == (0, "accuracy", "old", 1.0)
    assert run(*ask, "--require", "f1 better")[0] == 4
    assert run(*ask, "--require", "better", "--b", "other")[0] == 2
    assert run(*ask[:-2], "--junit", saved, "--require", "better")[0] == 2
    assert run("gate", preds, "--truth", "y", "--baseline", saved, "--require", "better")[0] == 2
    assert run(*ask[:6], "--baseline", preds.with_name("none.json"), "--require", "better")[0] == 5


def test_a_saved_base_line_of_logs_is_refused_with_the_reason(run, tmp_path):
    log = archive(tmp_path / "new.eval", "new", NEW)
    _, out, _ = run("evaluate", log, "--json", *ASK)
    (tmp_path / "old.json").write_text(out, encoding="utf-8")
    code, out, err = run("gate", log, "--baseline", tmp_path / "old.json", "--require", "better")
    assert (code, out) == (4, "")
    assert "give both" in err


# -- configuration -----------------------------------------------------------------------------------------


@pytest.fixture
def project(preds, monkeypatch):
    """Write a section into `pyproject.toml`, and work in a folder below it."""
    below = preds.parent / "jobs"
    below.mkdir()
    monkeypatch.chdir(below)

    def write(section, file="pyproject.toml"):
        path = preds.parent / file
        path.write_text(f"[tool.ropewalk.gate]\n{section}\n", encoding="utf-8")
        return path

    return write


def test_a_repository_keeps_its_requirements(run, preds, project):
    project('truth = "y"\na = "new"\nb = "old"\ndraws = 4000\nrequire = ["f1 better 0.01", "recall not-worse 2%"]')
    code, out, err = run("gate", preds, "--json")
    told = json.loads(out)
    assert (code, [row["metric"] for row in told["gate"]["requirements"]]) == (0, ["f1", "recall"])
    assert "[tool.ropewalk.gate]" in err


def test_the_file_may_name_the_data_too(run, preds, project):
    project(f'file = "{preds}"\ntruth = "y"\na = "new"\nb = "old"\ndraws = 4000\nrequire = "better"')
    assert run("gate")[0] == 0


def test_tables_of_requirements_and_flags_are_read(run, preds, project):
    path = project(
        'truth = "y"\na = "old"\nb = "same"\ndraws = 4000\non-undecided = "warn"\njson = true\n'
        '[[tool.ropewalk.gate.require]]\nmetric = "accuracy"\nrequire = "better"\nmargin = 0.01',
        "gate.toml",
    )
    code, out, _ = run("gate", preds, "--config", path)
    gate = json.loads(out)["gate"]
    assert (code, gate["outcome"], gate["margin"]) == (0, "undecided", 0.01)


def test_the_line_counts_more_than_the_file(run, preds, project):
    project('truth = "y"\na = "old"\nb = "new"\ndraws = 4000\nmargin = 0.5\nrequire = ["accuracy better"]')
    code, out, _ = run("gate", preds, "--a", "new", "--b", "old", "--require", "accuracy not-worse 2%", "--json")
    assert (code, json.loads(out)["gate"]["margin"]) == (0, 0.02)


@pytest.mark.parametrize(
    ("section", "code", "problem"),
    [
        ('require = ["f11 better"]', 2, "f11"),
        ('requires = ["better"]', 2, "did you mean 'require'"),
        ('require = ["not-worse"]', 2, "needs `--margin`"),
        ('require = ["better"]\nmargin = -1', 2, "at least 0"),
        ('require = ["not-worse"]\nmargin = nan', 2, "takes a number"),
        ("require = []", 2, "empty list"),
        ("require = 3", 2, "must say"),
        ("require = [[1]]", 2, "cannot be"),
        ('github = "yes"', 2, "true or false"),
        ('config = "other.toml"', 2, "no such option"),
        ("require = [", 4, "no TOML"),
    ],
)
def test_a_wrong_file_is_refused(run, preds, project, section, code, problem):
    path = project(section)
    exit_code, out, err = run("gate", preds, "--truth", "y", "--a", "new", "--b", "old", "--config", path)
    assert (exit_code, out) == (code, "")
    assert problem in err
    assert "Hint: " in err
    path.unlink()


def test_a_project_that_is_no_toml_stops_only_who_named_it(run, preds, project):
    project("require = [")
    code, _, err = run(*line(preds, "new", "old", "--require", "better"))
    assert (code, "passed over" in err) == (0, True)


def test_what_the_requirements_of_a_line_say_is_not_taken_from_the_file(run, preds, project):
    project('truth = "y"\na = "new"\nb = "old"\ndraws = 4000\nmetric = "accuracy"\nmargin = "2%"')
    code, out, _ = run("gate", preds, "--require", "f1 better 1%", "--json")
    assert (code, json.loads(out)["metric"]) == (0, "f1")
    code, out, _ = run("gate", preds, "--require", "not-worse", "--json")
    told = json.loads(out)
    assert (code, told["metric"], told["gate"]["margin"]) == (0, "accuracy", 0.02)


def test_files_that_a_file_names_lie_beside_it(run, preds, project):
    project('file = "preds.csv"\ntruth = "y"\na = "new"\nb = "old"\ndraws = 4000\nrequire = "better"\njunit = "g.xml"')
    code, _, err = run("gate")
    assert (code, (preds.parent / "g.xml").exists()) == (0, True), err


def test_a_file_without_a_section_is_refused_where_it_is_named(run, preds, project):
    path = project("")
    path.write_text("[tool.other]\n", encoding="utf-8")
    assert run("gate", preds, "--config", path)[0] == 4
    code, out, _ = run(*line(preds, "new", "old", "--require", "better"))  # a project that is not about gates
    assert (code, "PASS" in out) == (0, True)


def test_the_same_line_prints_the_same(run, preds):
    first = run(*line(preds, "old", "same", "--require", "better", "--json"))
    assert run(*line(preds, "old", "same", "--require", "better", "--json", "--threads", 2))[:2] == first[:2]


# -- what hostile testing broke ----------------------------------------------------------------------------


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize(("a", "b", "code"), [("old", "new", 1), ("old", "same", 3)])
def test_a_closed_pipe_is_no_pass(preds, stream, a, b, code):
    """Where nobody reads what is printed, the exit code is that of the gate."""
    arguments = [str(part) for part in line(preds, a, b, "--require", "better")]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "ropewalk", *arguments], check=False,
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: write},
    )  # fmt: skip
    os.close(write)
    assert done.returncode == code


def test_a_base_line_whose_counts_were_edited_is_refused_without_its_fingerprint_too(run, preds, saved):
    document = json.loads(saved.read_text(encoding="utf-8"))
    del document["metrics"][0]["recipe"]["fingerprint"]
    saved.write_text(json.dumps(document), encoding="utf-8")
    code, out, err = run("gate", preds, "--truth", "y", "--a", "new", "--baseline", saved, "--require", "better")
    assert (code, out, "edited" in err) == (4, "", True)


def test_a_base_line_without_metrics_is_refused(run, preds, saved):
    saved.write_text('{"schema": 1, "metrics": []}', encoding="utf-8")
    code, out, _ = run("gate", preds, "--truth", "y", "--a", "new", "--baseline", saved, "--require", "better")
    assert (code, out) == (4, "")


@pytest.mark.parametrize("metrics", ["accuracy,f1", "f1,accuracy", "f1,recall"])
def test_a_base_line_may_have_metrics_of_a_class_and_of_all(run, preds, tmp_path, metrics):
    _, out, _ = run("evaluate", preds, "--truth", "y", "--prediction", "old", "--metric", metrics, "--json", *ASK)
    (tmp_path / "two.json").write_text(out, encoding="utf-8")
    ask = ("gate", preds, "--truth", "y", "--a", "new", "--baseline", tmp_path / "two.json", *ASK)
    for metric in metrics.split(","):
        assert run(*ask, "--require", f"{metric} better")[0] == 0


def test_a_key_that_comes_twice_in_two_spellings_is_refused(run, preds, project):
    project('on-undecided = "pass"\non_undecided = "fail"')
    code, _, err = run(*line(preds, "old", "same", "--require", "better"))
    assert (code, "twice" in err) == (2, True)


def test_the_project_file_that_was_read_is_not_overwritten(run, preds, project):
    path = project('require = "better"')
    before = path.read_bytes()
    code, out, _ = run(*line(preds, "new", "old", "--html", path))
    assert (code, out, path.read_bytes()) == (2, "", before)


def test_a_format_of_the_line_replaces_that_of_the_file(run, preds, project):
    project('markdown = true\nrequire = "better"')
    code, out, _ = run(*line(preds, "new", "old", "--json"))
    assert (code, json.loads(out)["gate"]["outcome"]) == (0, "met")


def test_keys_of_many_parts_are_refused_at_once(run, preds, project):
    path = project("margin = 0.1")
    path.write_text(".".join(["a"] * 50_000) + " = 1\n[tool.ropewalk.gate]\nmargin = 0.1\n", encoding="utf-8")
    assert run("gate", preds, "--config", path)[0] == 4


@pytest.mark.parametrize("variable", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
def test_nothing_is_appended_to_the_data(run, preds, tmp_path, monkeypatch, variable):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv(variable, str(preds))
    before = preds.read_bytes()
    code, out, _ = run(*line(preds, "new", "old", "--require", "better", "--github"))
    assert (code, out, preds.read_bytes()) == (2, "", before)


def test_outputs_that_cannot_be_written_are_refused_before_any_work(run, preds, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "nowhere" / "out"))
    junit = tmp_path / "gate.xml"
    code, out, _ = run(*line(preds, "new", "old", "--require", "better", "--github", "--junit", junit))
    assert (code, out, junit.exists(), (tmp_path / "summary.md").exists()) == (5, "", False, False)
