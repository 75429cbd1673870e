"""The command line: what goes where, and what an error looks like."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import ropewalk as rw
from support import COLUMNS, LONG, NEWS, REUTERS, need


def test_compare_prints_the_verdict(run):
    code, out, err = run("compare", NEWS, *COLUMNS, "--pos-label", 8, "--rope", 0.05)
    assert code == 0
    assert out.startswith("nb_mult and svm_l2 are practically equivalent: +0.6 F1 points [")
    assert "They differ by less than the 5 points that matter, with probability 99" in out
    assert err == ""


def test_json_is_what_python_says(run, news):
    code, out, _ = run(
        "compare", NEWS, *COLUMNS, "--pos-label", 8, "--rope", 0.05, "--draws", 5000, "--seed", 4, "--json"
    )
    assert code == 0
    ours = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, draws=5_000, rng=4)
    assert json.loads(out) == ours.to_dict()


def test_per_class_json(run, frugal):
    code, out, _ = run("compare", NEWS, *COLUMNS, "--per-class", "--rope", 0.05, "--draws", 2000, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["schema"] == 1
    assert [c["pos_label"] for c in told["classes"]] == [str(i) for i in range(20)]


@pytest.mark.parametrize(
    ("option", "start"),
    [("--markdown", "| metric |"), ("--latex", "% F1 of nb_mult − svm_l2 · class 8 against the rest")],
)
def test_tables(run, option, start):
    code, out, _ = run("compare", NEWS, *COLUMNS, "--pos-label", 8, "--rope", 0.05, "--draws", 2000, option)
    assert code == 0
    assert out.startswith(start)


def test_a_mass_that_two_regions_could_hold_is_a_usage_error(run):
    rule = ("--rule", "probability", "--prob", 0.4)
    code, out, err = run("compare", NEWS, *COLUMNS, "--pos-label", 8, "--rope", 0.05, *rule)
    assert (code, out) == (2, "")
    assert "`--prob` must be at least 0.5 with --rule probability" in err


def test_without_a_rope_the_hint_goes_to_stderr(run):
    code, out, err = run("compare", NEWS, *COLUMNS, "--pos-label", 8, "--draws", 2000)
    assert code == 0
    assert "Verdict" not in out
    assert "smallest difference" in err


def test_warnings_go_to_stderr(run, tmp_path, write):
    path = write(tmp_path / "p.csv", [("y", "a", "b"), (1, 1, 0), (0, 0, 0), (1, 0, 0)])
    code, out, err = run("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--rope", 0.1, "--json")
    assert code == 0
    assert "Warning" in err
    assert json.loads(out)["warnings"]


def test_evaluate(run):
    code, out, _ = run(
        "evaluate", NEWS, "--truth", "y_true", "--prediction", "svm_l2", "--metric", "f1, recall,fbeta(2)",
        "--pos-label", 8, "--at-least", 0.7, "--draws", 2000, "--json",
    )  # fmt: skip
    assert code == 0
    told = json.loads(out)
    assert [m["metric"] for m in told["metrics"]] == ["f1", "recall", "fbeta(2)"]
    assert all(0 <= m["prob_at_least"] <= 1 for m in told["metrics"])


def test_two_files_with_ids(run, tmp_path, write):
    left = write(tmp_path / "old.csv", [("id", "y", "p"), *((i, i % 2, i % 2) for i in range(80))])
    right = write(tmp_path / "new.csv", [("id", "y", "p"), *((i, i % 2, int(i % 3 == 0)) for i in range(80))])
    code, out, _ = run(
        "compare", "--file-a", left, "--file-b", right, "--id", "id", "--truth", "y", "--prediction", "p",
        "--rope", 0.05, "--draws", 1000, "--json",
    )  # fmt: skip
    assert code == 0
    told = json.loads(out)
    assert (told["a"]["name"], told["b"]["name"], told["model"]) == ("old", "new", "paired")


def test_two_confusion_matrices(run, tmp_path, write):
    one = write(tmp_path / "a.csv", [(440, 50), (75, 360)])
    two = write(tmp_path / "b.csv", [(420, 70), (100, 335)])
    code, out, _ = run("compare", "--confusion-a", one, "--confusion-b", two, "--rope", 0.01, "--draws", 1000, "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["model"], told["pos_label"]) == ("unpaired", "1")
    assert told["a"]["observed"] == pytest.approx(720 / 845)


def test_cost_matrix_prevalence_and_labels(run, tmp_path, write):
    costs = write(tmp_path / "costs.csv", [(0, 1), (5, 0)])
    path = write(tmp_path / "p.csv", [("y", "a", "b"), *[("no", "no", "yes"), ("yes", "yes", "yes")] * 40])
    common = ("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--draws", 500, "--json")
    code, out, _ = run(*common, "--metric", "cost", "--cost-matrix", costs, "--labels", "no,yes")
    assert code == 0
    assert json.loads(out)["b"]["observed"] == 0.5
    for text in ("0.25", "0.75,0.25", "no=0.75,yes=0.25"):
        code, out, _ = run(*common, "--pos-label", "yes", "--prevalence", text)
        assert code == 0
        assert json.loads(out)["prevalence"] == [0.75, 0.25]


def test_json_lines_labels_match_by_text(run, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"y": 7, "a": 7, "b": 3}\n{"y": 3, "a": 7, "b": 3}\n' * 30)
    code, out, _ = run(
        "compare", path, "--truth", "y", "--a", "a", "--b", "b", "--pos-label", 7, "--labels", "3,7,9", "--json"
    )
    assert code == 0
    assert json.loads(out)["pos_label"] == "7"


def test_html_is_written_besides(run, tmp_path):
    out_file = tmp_path / "r.html"
    code, out, _ = run("compare", NEWS, *COLUMNS, "--pos-label", 8, "--rope", 0.05, "--draws", 2000, "--html", out_file)
    assert code == 0
    assert "practically equivalent" in out
    assert out_file.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_may_have_a_title_and_a_note_of_ones_own(run, tmp_path):
    out_file, asked = tmp_path / "r.html", ("compare", NEWS, *COLUMNS, "--pos-label", 8, "--draws", 200)
    code, _, _ = run(*asked, "--html", out_file, "--title", "Choice <b>of</b> a model", "--note", "Draft & more")
    page = out_file.read_text(encoding="utf-8")
    assert code == 0
    assert "<title>Choice &lt;b&gt;of&lt;/b&gt; a model – ropewalk</title>" in page
    assert '<p class="note">Draft &amp; more</p>' in page
    code, out, err = run(*asked, "--title", "x")
    assert code == 2
    assert (out, "--html" in err) == ("", True)


def test_the_demo_ends_with_the_verdict_table_and_hands_out_its_data(run, tmp_path):
    code, out, _ = run("demo", "--html", tmp_path / "demo.html", "--data", tmp_path / "p.csv.gz")
    assert code == 0
    assert "8 of 20 classes are settled" in out  # as the paper says of its Table 6
    assert (tmp_path / "demo.html").exists()
    assert rw.read_outcomes(tmp_path / "p.csv.gz", truth="y_true", predictions="svm_l2").n_items == 7_532


def test_version_and_help(run):
    assert run("--version")[1].strip() == f"ropewalk {rw.__version__}"
    code, out, _ = run("compare", "--help")
    assert code == 0
    assert "--rope" in out


def test_warnings_spell_options_as_the_shell_does(run, tmp_path):
    (tmp_path / "one.csv").write_text("y,a,b\n" + "x,x,x\n" * 40, encoding="utf-8")
    code, _, err = run("compare", tmp_path / "one.csv", "--truth", "y", "--a", "a", "--b", "b", "--draws", "500")
    assert code == 0
    assert "--labels declares more classes" in " ".join(err.split())


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("compare", NEWS, "--truth", "y_tru", "--a", "nb_mult", "--b", "svm_l2"), 4, "did you mean 'y_true'"),
        (("compare", NEWS, *COLUMNS, "--metric", "macro_f1", "--classes", "77"), 4, "not a label"),
        (("compare", NEWS, *COLUMNS, "--metric", "accuracy", "--classes", "7"), 2, "average"),
        (("compare", NEWS, *COLUMNS, "--model", "multilabel"), 2, "any number of labels"),
        (("compare", NEWS, *COLUMNS, "--item", "doc"), 2, "--item and --label go together"),
        (("compare", REUTERS, *COLUMNS, *LONG, "--metric", "accuracy"), 2, "one label"),
        (("compare", REUTERS, *COLUMNS, *LONG, "--model", "flat"), 2, "one label"),
        (("compare", REUTERS, *COLUMNS, *LONG, "--n-items", "5"), 4, "at least the 3,110 items"),
        (("compare", REUTERS, *COLUMNS, *LONG, "--id", "newid"), 2, "--id"),
        (("compare", NEWS, *COLUMNS, "--item", "y_true", "--label", "y_true"), 2, "named twice"),
        (("compare", NEWS, *COLUMNS, "--item", "doc", "--label", "nb_bern"), 4, "0 and 1"),
        (("rank", NEWS, "--truth", "y_true", "--predictions", "nb_mult"), 2, "at least two"),
        (("rank", NEWS, "--truth", "y_true", "--predictions", "nb_mult,nb_mult"), 2, "must differ"),
        (("rank", NEWS, "--truth", "y_true", "--predictions", "nb_mult,nb_mul"), 4, "did you mean 'nb_mult'"),
        (("rank", NEWS, "--truth", "y_true"), 2, "--predictions"),
        (("rank", "nowhere.csv", "--truth", "y", "--predictions", "a,b"), 5, "No such file"),
        (("compare", NEWS, *COLUMNS, "--metric", "f1"), 4, "--pos-label"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "x"), 4, "not a label"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--per-class"), 2, "give one"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--rope", "0"), 2, "must not be 0"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--rope", "-0.1"), 2, "positive"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--rope", "0.1,-0.1"), 2, "did you mean (-0.1, 0.1)"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--rope", "nan"), 2, "finite"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--rope", "wide"), 2, "--rope takes a number"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--prob", "1"), 2, "between 0 and 1"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--prob", "x"), 2, "prob"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--draws", "0"), 2, "positive integer"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--draws", "1.5"), 2, "positive integer"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--draws", "1000000000000"), 2, "at most 100,000,000"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--seed", "-1"), 2, "--seed"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--metric", "f11"), 2, "Choose from"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--model", "x"), 2, "Choose from: paired, unpaired"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--rule", "x"), 2, "Choose from: hdi, probability"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--missing", "x"), 2, "error, drop, wrong"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--json", "--latex"), 2, "exclude each other"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--html", "/nowhere/at/all.html"), 5, "Cannot write"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--cost-matrix", NEWS), 4, "not a number"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--chains", "0"), 2, "`--chains` must be"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--chains", "2000"), 2, "from 1 to 1,000; got 2000"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--tune", "-1"), 2, "`--tune` must be"),
        (("compare", NEWS, *COLUMNS, "--pos-label", "8", "--step", "x"), 2, "Choose from: nuts, metropolis"),
        (("compare", NEWS, *COLUMNS, "--model", "bootstrap", "--chains", "2"), 2, "leave --engine out"),
        (("compare", NEWS, *COLUMNS, "--model", "sigir2016"), 4, "--model tree takes any number"),
        (("compare", NEWS, *COLUMNS, "--per-class", "--classes", "8"), 2, "`--classes` picks"),
        (("evaluate", NEWS, "--truth", "y_true", "--prediction", "nb_mult", "--model", "paired"), 2, "unpaired"),
        (("test", NEWS, *COLUMNS, "--metric", "roc_auc"), 2, "metric of scores, and these are labels"),
        (("compare", NEWS, "--truth", "y_true", "--a", "nb_mult"), 2, "--b"),
        (("compare", NEWS, "--truth", "y_true", "--a", "nb_mult", "--b", "nb_mult"), 2, "must differ"),
        (("compare", NEWS, "--truth", "y_true", "--a", "y_true", "--b", "nb_mult"), 2, "both as the truth"),
        (("compare", "nowhere.csv", *COLUMNS), 5, "No such file"),
        (("compare", "https://example.org/preds.csv", *COLUMNS), 5, "download it"),
        (("compare", *COLUMNS), 2, "exactly one of"),
        (("compare", NEWS, "--confusion-a", NEWS, *COLUMNS), 2, "exactly one of"),
        (("compare", "--confusion-a", NEWS), 2, "--confusion-b"),
        (("compare", "--nonsense"), 2, "nonsense"),
        (("evaluate", NEWS, "--truth", "y_true"), 2, "--prediction"),
        (("reproduce", "nature2020"), 2, "sigir2016, icdm2015"),
        (("nonsense",), 2, "nonsense"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence_and_an_exit_code(run, arguments, code, told):
    stopped, out, err = run(*arguments)
    assert stopped == code
    assert told in err
    assert out == ""


def test_options_that_would_be_passed_over_are_refused(run, tmp_path, write):
    one = write(tmp_path / "a.csv", [(4, 5), (7, 3)])
    three = write(tmp_path / "c.csv", [(4, 5, 0), (7, 3, 0), (0, 0, 1)])
    odd = write(tmp_path / "d.csv", [("1_0", 2), (3, 4)])
    for arguments, code, told in (
        ((NEWS, *COLUMNS, "--prediction", "x"), 2, "does not go with FILE"),
        ((NEWS, *COLUMNS, "--unmatched", "drop"), 2, "does not go with FILE"),
        (("--confusion-a", one, "--confusion-b", one, "--missing", "drop"), 2, "does not go with"),
        (("--confusion-a", one, "--confusion-b", three), 4, "2 and 3 rows"),
        (("--confusion-a", odd, "--confusion-b", one), 4, "not a number"),
        ((NEWS, *COLUMNS, "--labels", "0,1"), 4, "does not declare"),
        ((NEWS, *COLUMNS, "--labels", "0,,1"), 2, "empty part"),
    ):
        stopped, out, err = run("compare", *arguments, "--rope", 0.1)
        assert (stopped, out) == (code, ""), err
        assert told in err


def test_items_left_out_are_mentioned(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + "1,1,0\n0,0,0\n" * 20 + "1,,1\n")
    line = (path, "--truth", "y", "--a", "a", "--b", "b", "--missing", "drop")
    for verb in (("compare", *line, "--rope", 0.1), ("test", *line), ("count", *line), ("compare", *line, "--json")):
        code, out, err = run(*verb)
        assert code == 0
        assert (out + err).count("left out") == 1, verb  # said once
        assert "1 item left out" in out + err
    assert "1 item left out" in " ".join(json.loads(out)["notes"])


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_column_of_counts_that_nobody_named_is_mentioned(run, tmp_path, write, kind):
    rows = [("y", "a", "b", "n"), (1, 1, 1, 30), (1, 1, 0, 10), (0, 0, 0, 40), (0, 1, 0, 5)]
    path = write(tmp_path / "cells.csv", rows)
    if kind != "csv":
        frame, path = need("polars").read_csv(path), tmp_path / f"cells.{kind}"
        frame.write_json(path) if kind == "json" else frame.write_parquet(path)
    line = ("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--draws", 100)
    assert "the column 'n' is not used" in run(*line)[2]
    assert "name it as --count." in run(*line)[2]
    assert "is not used" not in run(*line, "--count", "n")[2]
    path = write(tmp_path / "items.csv", [*rows, *rows[1:]])  # items come again: these are no groups
    assert "is not used" not in run("compare", path, *line[2:])[2]


def test_one_file_of_counts_given_twice_is_noticed(run, tmp_path, write):
    paths = []
    for name, last in (("one", 0), ("two", 1)):
        path = write(tmp_path / f"{name}.csv", [("y", "p"), *[(1, 1), (0, 0), (1, 0), (0, last)] * 5])
        paths.append(tmp_path / f"{name}.json")
        assert run("count", path, "--truth", "y", "--prediction", "p", "-o", paths[-1])[0] == 0
    assert "is it one file, given twice?" in " ".join(run("compare", paths[0], paths[0], "--draws", 100)[1].split())
    assert "given twice" not in run("compare", *paths, "--draws", 100)[1]


def test_the_page_never_overwrites_the_data(run, tmp_path, write):
    path = write(tmp_path / "p.csv", [("y", "a", "b"), (1, 1, 0), (0, 0, 0)])
    before = path.read_bytes()
    code, out, err = run("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--html", path)
    assert (code, out) == (2, "")
    assert "would overwrite" in err
    assert path.read_bytes() == before


def test_a_bar_without_a_rope_gets_the_hint(run):
    options = ("--pos-label", 8, "--at-least", 0.7, "--draws", 1000)
    code, _, err = run("evaluate", NEWS, "--truth", "y_true", "--prediction", "svm_l2", *options)
    assert code == 0
    assert "smallest difference" in err


def test_a_decimal_comma_is_not_taken_for_a_pair(run):
    for rope in ("0,05", "-0,05", "5"):
        code, out, err = run("compare", NEWS, *COLUMNS, "--pos-label", 8, "--rope", rope)
        assert (code, out) == (2, "")
        assert "decimal point" in err


def test_many_classes_do_not_bury_the_table_in_warnings(run, tmp_path, rng, frugal):
    path = tmp_path / "p.csv"
    rows = rng.integers(0, 60, (300, 3))
    rows[:, 2] %= 30  # which b never predicts
    path.write_text("y,a,b\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    columns = ("--truth", "y", "--a", "a", "--b", "b")
    code, _, err = run("compare", path, *columns, "--per-class", "--rope", 0.1, "--draws", 1000)
    assert code == 0
    assert "more like these" in err
    assert len(err.splitlines()) < 40


def test_labels_with_commas_can_be_quoted(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('y,a,b\n"x,1","x,1",z\nz,z,z\n' * 1 + '"x,1",z,z\nz,z,"x,1"\n' * 20)
    common = ("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--pos-label", "x,1", "--json")
    code, out, _ = run(*common, "--labels", '"x,1",z,"w, 2"')
    assert code == 0
    code, out, _ = run(*common, "--prevalence", '"x,1=0.3",z=0.7')
    assert code == 0
    assert json.loads(out)["prevalence"] == pytest.approx([0.7, 0.3])


def test_messages_speak_the_language_of_the_shell(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n1,,1\n0,1,1\n")
    _, _, err = run("compare", path, "--truth", "y", "--a", "a", "--b", "b")
    assert "use --missing drop to leave" in err
    _, _, err = run("compare", NEWS, *COLUMNS, "--pos-label", "8", "--prob", "2")
    assert "`--prob` must be" in err


def test_a_class_that_looks_like_an_option_is_not_spelled_as_one(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text('y,a,b\n"missing=""drop""",rope=,rope=\nrope=,rope=,rope=\n')
    code, _, err = run("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--pos-label", "x")
    assert code == 4
    assert "`--pos-label` 'x' is not a label" in err
    assert """The labels are: 'missing="drop"', 'rope='. --labels declares""" in err


def test_huge_labels_do_not_flood_the_terminal(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a,b\n" + f"{'x' * 400_000},{'z' * 400_000},{'x' * 400_000}\n" * 3)
    common = ("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--rope", 0.1)
    assert len(run(*common)[2]) < 2_000
    code, out, err = run(*common, "--per-class")
    assert code == 0
    assert len(out + err) < 10_000


def test_a_lone_surrogate_is_no_reason_to_fail(run, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"y": "\\ud800", "a": "\\ud800", "b": "n"}\n{"y": "n", "a": "n", "b": "n"}\n' * 9)
    page = tmp_path / "r.html"
    code, _, _ = run(
        "compare", path, "--truth", "y", "--a", "a", "--b", "b", "--per-class", "--rope", 0.1, "--html", page
    )
    assert code == 0
    assert "ud800" in page.read_text(encoding="utf-8")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", "r.html"]


def test_bad_files_exit_with_4_and_write_nothing(run, tmp_path):
    cases = {
        "empty.csv": b"", "header.csv": b"y,a,b\n", "binary.csv": b"\x00\x01" * 50, "torn.csv": b'y,a,b\n1,"1,1\n',
        "null.csv": b"y,a,b\n1,,1\n0,1,1\n", "huge.csv": b"y,a,b\n1,1," + b"x" * 2_000_000,
    }  # fmt: skip
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        code, out, err = run(
            "compare", tmp_path / name, "--truth", "y", "--a", "a", "--b", "b", "--html", tmp_path / "r.html"
        )
        assert (code, out) == (4, ""), name
        assert err.startswith("Error: ")
        assert "Hint: " in err
    assert not (tmp_path / "r.html").exists()


def test_hostile_file_names_and_columns_are_inert_in_messages(run, tmp_path):
    path = tmp_path / "a\x1b[31mb.csv"
    path.write_text("y,\x1b[2J\n1,1\n")
    code, _, err = run("compare", path, "--truth", "y", "--a", "x\x1b]0;", "--b", "z")
    assert code == 4
    assert "\x1b" not in err


def test_debug_shows_the_traceback_and_keeps_the_exit_code(monkeypatch, capsys):
    from ropewalk.cli.app import main

    for arguments in (("--debug", "compare", "nowhere.csv"), ("compare", "nowhere.csv", "--debug")):
        monkeypatch.setattr(sys, "argv", ["ropewalk", *arguments, *COLUMNS])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 5
        assert "Traceback" in capsys.readouterr().err


def test_the_installed_command_reads_standard_input():
    command = [sys.executable, "-m", "ropewalk", "compare", "-", "--truth", "y", "--a", "a", "--b", "b", "--json"]
    data = "y,a,b\n" + "1,1,0\n0,0,0\n" * 30
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["n_items"] == 60


def test_standard_input_is_named_in_errors_and_may_be_closed():
    command = f"{sys.executable} -m ropewalk compare - --truth y --a a --b b"
    done = subprocess.run(command, shell=True, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "standard input is empty" in done.stderr
    done = subprocess.run(f"{command} <&-", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (5, "")
    assert "There is no standard input to read." in done.stderr


def test_an_error_leaves_stdout_empty_in_the_demo_too(run):
    code, out, err = run("demo", "--html", "/nowhere/at/all.html")
    assert (code, out) == (5, "")
    assert "Cannot write" in err


def test_a_closed_pipe_is_no_mistake():
    ropewalk = f"{sys.executable} -m ropewalk compare {NEWS} {' '.join(COLUMNS)} --pos-label 8 --rope 0.05 --draws 500"
    command = f'{{ {ropewalk}; echo "code $?" >&2; }} | true'  # which is long gone when there is something to read
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "code 0\n")


def test_reproduce_prints_the_tables_beside_ours(run, frugal):
    code, out, _ = run("reproduce", "sigir2016", "--draws", 5_000)
    assert code == 0
    for number, pair in ((4, "nb_bern − nb_mult"), (5, "svm_l1 − svm_l2"), (6, "nb_mult − svm_l2")):
        assert f"Table {number}: F1 of {pair}, ROPE ±0.05" in out
    assert out.count("paper") >= 60
    assert "of 60 decisions agree with the paper" in out
    assert "Table 5, category 4 is unstable" in out


def test_reproduce_as_data(run, frugal):
    code, out, _ = run("reproduce", "sigir2016", "--draws", 500, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["of"] == len(told["rows"]) == 60
    assert told["rows"][0]["published"]["decision"] == "<"


@pytest.mark.parametrize(
    ("out", "told"),
    [("{}", "it is a folder"), ("{}/no/such/r.html", "there is no folder"), ("", "it is a folder")],
    ids=["folder", "no folder", "empty"],
)
def test_a_page_that_cannot_be_written_is_refused_before_any_work(run, tmp_path, monkeypatch, out, told):
    monkeypatch.setattr("ropewalk.cli.cmd_compare.rw.compare", None)
    code, stdout, err = run(
        "compare", rw.examples.news20_path(), "--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2",
        "--pos-label", "8", "--rope", "0.05", "--html", out.format(tmp_path),
    )  # fmt: skip
    assert (code, stdout) == (rw.errors.UnreadableFileError.exit_code, "")
    assert told in err


def test_names_that_people_type_are_printed_as_they_were_typed(run, tmp_path, write):
    rows = [("y", "a", "b"), *[(1, 1, 0)] * 9, *[(0, 0, 1)] * 9, *[(1, 0, 1)] * 3]
    path = write(tmp_path / "p.csv", rows)
    names = "acc,sensitivity,tpr,tnr,ppv,npv,fdr,youden,lr_plus,lr_minus"
    code, out, _ = run("evaluate", path, "--truth", "y", "--prediction", "a", "--metric", names, "--json")
    assert code == 0
    found = {metric["metric"]: metric["observed"] for metric in json.loads(out)["metrics"]}
    assert list(found) == names.split(",")
    assert found == pytest.approx(
        {"acc": 18 / 21, "sensitivity": 0.75, "tpr": 0.75, "tnr": 1, "ppv": 1, "npv": 0.75, "fdr": 0, "youden": 0.75,
         "lr_plus": None, "lr_minus": 0.25}
    )  # fmt: skip
    code, out, err = run("compare", path, "--truth", "y", "--a", "a", "--b", "b", "--metric", "lr_plus", "--rope", 1)
    assert code == 0
    assert "∞" in out
    assert "a has 0 false positives" in " ".join(out.split())
    assert err == ""  # it is said once
