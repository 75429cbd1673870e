"""Evaluation logs on the command line: what is compared, what must be chosen, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections import Counter

import pytest

from logwriters import (
    deepeval_run,
    dump,
    inspect_header,
    inspect_summary,
    long_records,
    rows_of,
    seeded_answers,
    write_inspect,
    write_inspect_archive,
)
from ropewalk.data.logs import COLUMNS
from support import need

NEW, OLD, THIRD = (seeded_answers(seed, n_errors=0) for seed in (1, 2, 3))
ASK = ("--draws", 200, "--seed", 0)


def mean(answers):
    scores = [one.score for one in answers]
    return sum(scores) / len(scores)


@pytest.fixture
def logs(tmp_path):
    """Two logs of one task, each in a folder of its own."""
    paths = []
    for system, answers in (("new", NEW), ("old", OLD)):
        (tmp_path / system).mkdir()
        paths.append(write_inspect(tmp_path / system, system, answers))
    return paths


def archive(path, system, answers, task="reading"):
    return write_inspect_archive(path, list(map(inspect_summary, answers)), inspect_header(system, task))


def table(path, records):
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        writer.writerows(records)
    return path


@pytest.fixture
def told(run):
    """Ask for JSON, and return it read."""

    def ask(*arguments):
        code, out, err = run(*arguments, *ASK, "--json")
        assert code == 0, err
        return json.loads(out)

    return ask


def assert_refused(answer, code, *words):
    """Nothing is on stdout, and the message says what is wrong."""
    assert answer[:2] == (code, "")
    for word in words:
        assert word in answer[2]
    assert "Error: " in answer[2]


# -- compare -----------------------------------------------------------------------------------------------


def test_the_first_log_is_a(logs, told):
    answer = told("compare", *logs, "--rope", 0.05)
    assert [(answer[side]["name"], answer[side]["observed"]) for side in "ab"] == [
        ("new", pytest.approx(mean(NEW))),
        ("old", pytest.approx(mean(OLD))),
    ]
    assert answer["delta"]["observed"] == pytest.approx(mean(NEW) - mean(OLD))
    assert (answer["n_items"], answer["n_clusters"], answer["seed"]) == (20, None, 0)
    assert answer["decision"] is not None


@pytest.mark.parametrize(
    ("score", "grades", "effect", "rope"),
    [("exact_match", (0.0, 1.0), " points of exact match ", "0.01"), ("grade", (1.0, 10.0), "in mean grade ", "0.1")],
)
def test_the_score_of_a_log_is_named_and_the_rope_suits_its_scale(run, tmp_path, score, grades, effect, rope):
    rows = [(name, i, grades[(i + k) % 3 > 0]) for k, name in enumerate(("new", "old")) for i in range(40)]
    path = tmp_path / "runs.csv"
    path.write_text("".join(f"{a},{b},{c}\n" for a, b, c in [("model", "q", score), *rows]))
    line = ("compare", path, "--system", "model", "--item", "q", "--score", score)
    judged = " ".join(run(*line, "--rope", 0.001, *ASK)[1].split())
    assert effect in judged.partition(" [")[0] + " "
    code, out, err = run(*line, *ASK)
    assert code == 0
    assert f"'s mean {score.replace('_', ' ')} is " in out
    assert f"State it with --rope {rope}." in " ".join(err.split())


def test_what_logs_lack_is_said_in_flags(run, tmp_path):
    one, two = (archive(tmp_path / f"{task}.eval", "m", NEW, task) for task in ("sums", "words"))
    assert_refused(run("compare", one, two), 4, "not of the same tasks", "--task picks one.")
    line = ("--truth", "y", "--a", "p", "--b", "q")
    assert_refused(run("compare", one, *line), 4, "is an evaluation log, not a table", "leave --truth out")


def test_folders_are_logs_too(logs, told):
    answer, of_files = (told("compare", *places) for places in ([path.parent for path in logs], logs))
    for one in (answer, of_files):
        one.pop("version")
    assert answer == of_files


def test_the_same_log_twice_has_two_names(logs, told):
    answer = told("compare", logs[0], logs[0])
    assert [answer[side]["name"] for side in "ab"] == ["new (1)", "new (2)"]
    assert "new (1) and new (2) are the same log: nothing can differ." in answer["notes"]
    assert not any("same log" in one for one in told("compare", *logs)["notes"])
    assert answer["delta"]["observed"] == 0


def test_repeats_are_clusters_and_metadata_may_be(tmp_path, told):
    paths = [
        archive(tmp_path / f"{seed}.eval", f"s{seed}", seeded_answers(seed, 8, n_repeats=3, n_errors=0))
        for seed in (1, 2)
    ]
    answer = told("compare", *paths)
    assert (answer["n_items"], answer["n_clusters"]) == (24, 8)
    groups = {row.cluster for row in rows_of(paths[0], cluster="group")}
    assert told("compare", *paths, "--cluster", "group")["n_clusters"] == len(groups)


def test_labels_of_logs_have_their_metrics(logs, told):
    answer = told("compare", *logs, "--metric", "accuracy")
    assert answer["a"]["observed"] == pytest.approx(sum(one.truth == one.answer for one in NEW) / len(NEW))
    answer = told("compare", *logs, "--metric", "f1", "--pos-label", "refund")
    assert answer["pos_label"] == "refund"


def test_one_log_of_several_systems(tmp_path, run, told):
    tables = {"x": NEW, "y": OLD, "z": seeded_answers(3, n_errors=0)}
    path = table(tmp_path / "long.csv", [one for name, part in tables.items() for one in long_records(name, part)])
    answer = told("compare", path, "--a", "z", "--b", "x")
    assert [answer[side]["observed"] for side in "ab"] == pytest.approx([mean(tables["z"]), mean(NEW)])
    for arguments in ((), ("--a", "x")):
        assert_refused(run("compare", path, *arguments), 2, "'x', 'y', 'z'", "--a")
    assert_refused(run("compare", path, "--a", "x", "--b", "w"), 2, "'x', 'y', 'z'")
    two = table(tmp_path / "two.csv", [one for name in "xy" for one in long_records(name, tables[name])])
    assert [told("compare", two, *chosen)["a"]["name"] for chosen in ((), ("--a", "y"), ("--b", "x"))] == [*"xyy"]


def test_one_log_of_one_system_is_not_enough(logs, run):
    assert_refused(run("compare", logs[0]), 2, "1 system: 'new'", "compare NEW OLD")


def test_scorers_must_be_chosen_from(tmp_path, run, told):
    paths = []
    for system, answers in (("new", NEW), ("old", OLD)):
        paths.append(tmp_path / f"{system}.json")
        paths[-1].write_bytes(dump(deepeval_run(system, answers, metrics=("Correctness", "Tone"))))
    assert_refused(run("compare", *paths), 2, "'Correctness', 'Tone'", "--scorer")
    assert_refused(run("compare", *paths, "--scorer", "tone"), 2, "'Correctness', 'Tone'")
    assert told("compare", *paths, "--scorer", "Tone")["a"]["observed"] == pytest.approx(mean(NEW))


def test_filters_must_be_chosen_from(tmp_path, run, told):
    paths = []
    for system, answers in (("new", NEW), ("old", OLD)):
        lines = [
            {
                "doc_id": number, "doc": {"q": one.question}, "target": one.truth, "resps": [[one.answer]],
                "filtered_resps": [one.answer], "filter": name, "metrics": ["exact_match"], "doc_hash": one.question,
                "prompt_hash": "p", "target_hash": one.truth, "exact_match": one.score if name == "strict" else 1.0,
            }
            for name in ("strict", "loose") for number, one in enumerate(answers)
        ]  # fmt: skip
        (tmp_path / system).mkdir()
        paths.append(tmp_path / system / "samples_sums_2026-11-16T07-51-19.026000.jsonl")
        paths[-1].write_bytes(b"".join(dump(line) + b"\n" for line in lines))
    folders = [path.parent for path in paths]
    assert_refused(run("compare", *folders), 2, "'strict'", "'loose'", "--filter")
    assert told("compare", *folders, "--filter", "strict")["a"]["observed"] == pytest.approx(mean(NEW))
    assert told("compare", *folders, "--filter", "loose")["a"]["observed"] == 1


# -- tasks -------------------------------------------------------------------------------------------------


@pytest.fixture
def suites(tmp_path):
    for system, answers in (("new", NEW), ("old", OLD)):
        archive(tmp_path / system / "1.eval", system, answers[:12], task="sums")
        archive(tmp_path / system / "2.eval", system, answers[12:], task="words")
    return tmp_path / "new", tmp_path / "old"


def test_several_tasks_are_answered_one_by_one(suites, run, told):
    answer = told("compare", *suites)
    assert answer["schema"] == 1
    assert [(one["task"], one["n_items"]) for one in answer["tasks"]] == [("sums", 12), ("words", 8)]
    observed = [(one["a"]["observed"], one["b"]["observed"]) for one in answer["tasks"]]
    assert observed == [
        pytest.approx((mean(NEW[:12]), mean(OLD[:12]))),
        pytest.approx((mean(NEW[12:]), mean(OLD[12:]))),
    ]
    code, out, _ = run("compare", *suites, *ASK)
    assert code == 0
    assert out.index("sums") < out.index("words")


def test_one_task_is_picked_by_its_option_where_several_are_no_question(suites, run):
    assert_refused(run("test", *suites), 2, "pick one by --task; `ropewalk compare` asks about each")
    assert_refused(run("rank", suites[0], "--task", "sums"), 2, "give logs of two systems or more")


def test_several_tasks_are_ranked_and_evaluated_by_their_average(suites, told):
    ranked, scored = told("rank", *suites), told("evaluate", suites[0])
    for answer in (ranked, scored):
        assert [(one["task"], one["n_items"]) for one in answer["tasks"]] == [("sums", 12), ("words", 8)]
    expected = (mean(NEW[:12]) + mean(NEW[12:])) / 2
    assert ranked["models"][0]["observed"] == pytest.approx(expected)
    assert scored["metrics"][0]["observed"] == pytest.approx(expected)


def test_a_task_is_picked(suites, run, told):
    answer = told("compare", *suites, "--task", "words")
    assert (answer["n_items"], "tasks" in answer) == (8, False)
    assert_refused(run("compare", *suites, "--task", "word"), 2, "'sums', 'words'")


def test_what_is_about_one_question_is_refused_for_several_tasks(suites, run, tmp_path):
    out = tmp_path / "out.csv"
    assert_refused(run("compare", *suites, *ASK, "--items", out), 2, "--items", "'sums', 'words'", "--task")
    assert not out.exists()


def test_tasks_of_one_side_only(suites, run, told):
    one = suites[1] / "1.eval"
    assert_refused(run("compare", suites[0], one), 4, "not of the same tasks", "--unmatched")
    answer = told("compare", suites[0], one, "--unmatched", "drop")
    assert [each["task"] for each in answer.get("tasks", [{"task": None}])] in (["sums"], [None])


# -- refusals ----------------------------------------------------------------------------------------------


def test_missing_scores(tmp_path, run, told):
    holes = seeded_answers(5, n_errors=3)
    paths = [archive(tmp_path / "a.eval", "a", holes), archive(tmp_path / "b.eval", "b", NEW)]
    assert_refused(run("compare", *paths), 4, "3 items without a score", "'RuntimeError'", "--missing drop")
    scored = [one for one in holes if one.score is not None]
    answer = told("compare", *paths, "--missing", "drop")
    assert (answer["n_items"], answer["a"]["observed"]) == (17, pytest.approx(mean(scored)))
    assert "3 items left out" in run("compare", *paths, "--missing", "drop", "--sentence", *ASK)[1]
    answer = told("compare", *paths, "--missing", "wrong")
    assert (answer["n_items"], answer["a"]["observed"]) == (20, pytest.approx(mean(scored) * 17 / 20))


def test_unmatched_ids(tmp_path, run, told):
    paths = [archive(tmp_path / "a.eval", "a", NEW), archive(tmp_path / "b.eval", "b", OLD[:15])]
    assert_refused(run("compare", *paths), 4, "5 of 20 answers of 'a' have no match", "--unmatched drop")
    assert told("compare", *paths, "--unmatched", "drop")["n_items"] == 15


def test_other_questions_under_the_same_ids(tmp_path, run):
    other = [one._replace(question=f"Another {one.question}") for one in OLD]
    paths = [archive(tmp_path / "a.eval", "a", NEW), archive(tmp_path / "b.eval", "b", other)]
    assert_refused(run("compare", *paths), 4, "different questions")


def test_logs_that_are_not_finished_or_damaged(tmp_path, run):
    good = archive(tmp_path / "a.eval", "a", NEW)
    failed = write_inspect_archive(tmp_path / "failed.eval", [], inspect_header(status="error"))
    assert_refused(run("compare", good, failed), 4, "not finished", "failed.eval")
    torn = tmp_path / "torn.eval"
    torn.write_bytes(good.read_bytes()[:-30])
    assert_refused(run("compare", good, torn), 4, "torn.eval", "damaged")
    assert_refused(run("compare", good, tmp_path / "none.eval"), 5, "none.eval")
    plain = tmp_path / "plain.csv"
    plain.write_text("y,a,b\n1,1,0\n", encoding="utf-8")
    assert_refused(run("compare", good, plain), 4, "plain.csv", "no evaluation log")
    assert_refused(run("compare", plain, plain), 4, "two tables are compared by --file-a, --file-b")
    lone = run("convert", plain, "-o", tmp_path / "out.csv")
    assert_refused(lone, 4, "a table is asked about by its columns")
    assert "--file-a" not in lone[2]
    (tmp_path / "empty").mkdir()
    assert_refused(run("compare", tmp_path / "empty", good), 4, "holds no evaluation log")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--truth", "y"), ("--id", "k"), ("--prediction", "p"), ("--labels", "a,b"), ("--per-class",),
        ("--weight", "w"), ("--count", "n"), ("--threshold", "0.5"), ("--item", "i"), ("--file-a", "x"),
    ],
)  # fmt: skip
def test_options_of_tables_do_not_go_with_logs(arguments, logs, run):
    code, out, err = run("compare", *logs, *arguments)
    assert (code, out) == (2, "")
    assert arguments[0] in err
    assert err.startswith("Error: ")


@pytest.mark.parametrize("option", ["--scorer", "--filter", "--qrels"])
def test_options_of_logs_do_not_go_with_tables(option, tmp_path, run):
    path = tmp_path / "plain.csv"
    path.write_text("y,a,b\n1,1,0\n0,1,0\n", encoding="utf-8")
    answer = run("compare", path, "--truth", "y", "--a", "a", "--b", "b", option, "x")
    assert answer[0] == 2
    assert_refused(answer, 2, option)


# -- convert -----------------------------------------------------------------------------------------------


def test_a_converted_log_is_the_same_log(tmp_path, run, told):
    tables = [seeded_answers(seed, 6, n_repeats=2, n_errors=1) for seed in (1, 1)]
    paths = [archive(tmp_path / f"{name}.eval", name, one) for name, one in zip("xy", tables, strict=True)]
    out = tmp_path / "items.csv"
    code, stdout, err = run("convert", *paths, "-o", out)
    assert (code, stdout) == (0, "")
    assert "24 rows" in err
    with out.open(newline="", encoding="utf-8") as handle:
        assert next(csv.reader(handle)) == list(COLUMNS)
    known = [row._replace(question=None) for path in paths for row in rows_of(path)]
    assert sorted(rows_of(out)) == sorted(known)
    answers = [told("compare", *data, "--missing", "drop") for data in (paths, [out])]
    assert answers[0]["delta"] == answers[1]["delta"]
    assert [answer["n_clusters"] for answer in answers] == [5, 5]


def test_a_log_may_come_from_standard_input(logs, run, tmp_path, monkeypatch):
    outs = [tmp_path / name for name in ("file.csv", "stdin.csv")]
    assert run("convert", logs[0], "-o", outs[0])[0] == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(logs[0].read_bytes())))
    code, _, err = run("convert", "-", "-o", outs[1])
    assert code == 0, err
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_log_is_not_overwritten_by_its_table(logs, run):
    before = logs[0].read_bytes()
    assert_refused(run("convert", *logs, "-o", logs[0]), 2, str(logs[0]))
    assert logs[0].read_bytes() == before


# -- other commands ----------------------------------------------------------------------------------------


def test_slices_are_keys_of_metadata(logs, told, run):
    answer = told("compare", *logs, "--by", "group")
    sizes = Counter(row.cluster for row in rows_of(logs[0], cluster="group"))
    assert {part["slice"]: part["n_items"] for part in answer["by"]} == sizes
    for part in answer["by"]:
        means = [mean(one for one in table if one.item.endswith(part["slice"][1:])) for table in (NEW, OLD)]
        assert part["delta"]["observed"] == pytest.approx(means[0] - means[1])
    assert_refused(run("compare", *logs, "--by", "groop"), 4, "groop", "group")


def test_slices_follow_the_pairs_that_are_left(tmp_path, told):
    tables = [seeded_answers(seed, 30, n_errors=3) for seed in (1, 2)]
    paths = [archive(tmp_path / f"{seed}.eval", f"s{seed}", table) for seed, table in enumerate(tables)]
    answer = told("compare", *paths, "--by", "group", "--missing", "drop")
    sizes = Counter(f"g{a.item[-1]}" for a, b in zip(*tables, strict=True) if None not in (a.score, b.score))
    assert {part["slice"]: part["n_items"] for part in answer["by"]} == sizes


def test_many_logs_are_ranked(tmp_path, logs, told, run):
    third = archive(tmp_path / "third.eval", "third", THIRD)
    scores = {"new": mean(NEW), "old": mean(OLD), "third": mean(THIRD)}
    for places in ((*logs, third), (tmp_path,), (f"{tmp_path}/**/*.*",)):
        answer = told("rank", *places)
        found = {one["name"]: one["observed"] for one in answer["models"]}
        assert found == pytest.approx(scores)
    assert len(told("rank", tmp_path, "--predictions", "third,old")["models"]) == 2
    assert_refused(run("rank", tmp_path, "--predictions", "third,odl"), 2, "'odl'", "'old'")
    assert_refused(run("rank", logs[0]), 2, "at least two")


def test_one_log_is_evaluated(logs, told, run):
    answer = told("evaluate", logs[0], "--at-least", 0.2)
    assert answer["metrics"][0]["observed"] == pytest.approx(mean(NEW))
    both = logs[0].parents[1]
    assert told("evaluate", both, "--prediction", "old")["metrics"][0]["observed"] == pytest.approx(mean(OLD))
    assert_refused(run("evaluate", both), 2, "'new', 'old'")
    accuracy = told("evaluate", logs[0], "--metric", "accuracy")["metrics"][0]["observed"]
    assert accuracy == pytest.approx(sum(one.truth == one.answer for one in NEW) / len(NEW))


def test_logs_have_classical_tests_of_right_and_wrong(logs, told, run):
    answer = json.loads(run("test", *logs, "--json")[1])
    wins = [sum(a.score > b.score for a, b in zip(*pair, strict=True)) for pair in ((NEW, OLD), (OLD, NEW))]
    exact = need("scipy.stats").binomtest(wins[0], sum(wins)).pvalue
    assert answer["tests"]["sign_items"]["p_value"] == pytest.approx(exact)
    assert answer["tests"]["sign_classes"] is None
    assert answer["n_items"] == len(NEW)
    table = run("convert", *logs, "-o", logs[0].parent / "all.csv")
    assert table[0] == 0
    of_table = json.loads(run("test", logs[0].parent / "all.csv", "--a", "new", "--b", "old", "--json")[1])
    assert of_table["tests"] == answer["tests"]


def test_graded_scores_have_no_tests_of_right_and_wrong(tmp_path, run):
    records = [{"item": i, "system": s, "score": i / 7} for i in range(7) for s in "xy"]
    assert_refused(run("test", table(tmp_path / "graded.csv", records), "--a", "x", "--b", "y"), 4, "right or wrong")


@pytest.mark.parametrize("command", ["rank", "evaluate", "test"])
@pytest.mark.parametrize("option", ["--scorer", "--filter", "--qrels"])
def test_options_of_logs_go_with_logs_only(command, option, tmp_path, run):
    path = tmp_path / "plain.csv"
    path.write_text("y,a,b\n1,1,0\n0,1,0\n", encoding="utf-8")
    assert_refused(run(command, path, "--truth", "y", option, "x"), 2, option)


def test_a_log_without_labels_has_no_positive_class(run, tmp_path):
    (tmp_path / "log.csv").write_text("item,system,score\n" + "".join(f"{i},{s},1\n" for i in range(9) for s in "ab"))
    code, out, err = run("compare", tmp_path / "log.csv", "--pos-label", "yes")
    assert (code, out) == (4, "")
    assert "Hint: they hold no labels: leave it out." in err
