"""`ropewalk test` and `--tests`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import ropewalk as rw

KEYS = [
    "sign_items", "t_items", "sign_classes", "t_classes", "mcnemar_exact", "mcnemar_midp", "mcnemar_chi2",
    "mcnemar_chi2_corrected", "wilcoxon",
]  # fmt: skip
PAIR = ("--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2")


@pytest.fixture(scope="module")
def file():
    return str(rw.examples.news20_path())


def test_json_is_the_battery(run, file, news):
    code, out, err = run("test", file, *PAIR, "--json")
    told = json.loads(out)
    assert (code, err, told["schema"]) == (0, "", 1)
    assert list(told["tests"]) == KEYS
    own = rw.classical.battery(news.outcomes, a="nb_mult", b="svm_l2").to_dict()
    assert told["tests"] == own["tests"]
    for test in told["tests"].values():
        assert {"statistic", "p_value", "n"} <= set(test)


def test_a_class_has_no_tests_over_classes(run, file):
    code, out, _ = run("test", file, *PAIR, "--pos-label", "8", "--json")
    told = json.loads(out)
    assert code == 0
    assert [key for key in KEYS if told["tests"][key] is None] == ["sign_classes", "t_classes", "wilcoxon"]
    assert told["pos_label"] == "8"
    assert set(told["reasons"]) == {"sign_classes", "t_classes", "wilcoxon"}


def test_text_names_the_tests_and_says_what_p_is(run, file):
    code, out, _ = run("test", file, *PAIR, "--metric", "macro_f1", "--permutations", "500", "--seed", "3")
    assert code == 0
    assert "t test over classes" in out
    assert "0.138" in out
    assert "permutation test of macro_f1" in out
    assert "not how probable it is" in out


@pytest.mark.parametrize(("flag", "mark"), [("--markdown", "| test |"), ("--latex", r"\toprule")])
def test_tables(run, file, flag, mark):
    code, out, _ = run("test", file, *PAIR, flag)
    assert code == 0
    assert mark in out


def test_a_page(run, file, tmp_path):
    code, _, _ = run("test", file, *PAIR, "--html", tmp_path / "t.html")
    assert code == 0
    assert "McNemar" in (tmp_path / "t.html").read_text(encoding="utf-8")


def test_the_same_seed_the_same_json(run, file):
    asked = ("test", file, *PAIR, "--metric", "f1", "--pos-label", "3", "--permutations", "300", "--json")
    assert run(*asked)[1] == run(*asked)[1]


def test_multilabel_tables(run):
    code, out, _ = run(
        "test", rw.examples.reuters90_path(), "--item", "newid", "--label", "topic", "--n-items", "3299", *PAIR,
        "--metric", "micro_f1", "--permutations", "200", "--json",
    )  # fmt: skip
    told = json.loads(out)
    assert code == 0
    assert told["tests"]["sign_items"] is None
    assert told["tests"]["t_classes"]["n"] == 90
    assert told["tests"]["permutation"]["p_value"] > 0


def test_compare_puts_the_papers_columns_beside_its_own(run, file):
    asked = ("compare", file, *PAIR, "--rope", "0.05", "--draws", "300")
    code, out, _ = run(*asked, "--per-class", "--tests", "--markdown", "--papers")
    assert code == 0
    assert out.startswith("| class | sign-test | t-test | mean |")
    code, out, _ = run(*asked, "--pos-label", "8", "--tests", "--json")
    told = json.loads(out)
    assert list(told["tests"]) == KEYS
    code, out, _ = run(*asked, "--pos-label", "8", "--json")
    assert json.loads(out)["tests"] is None


def test_confusion_matrices_have_the_tests_that_need_no_pairs(run, tmp_path, write):
    a, b = write(tmp_path / "a.csv", [(40, 10), (5, 45)]), write(tmp_path / "b.csv", [(35, 15), (10, 40)])
    code, out, _ = run("compare", "--confusion-a", a, "--confusion-b", b, "--metric", "macro_f1", "--tests", "--json")
    told = json.loads(out)["tests"]
    assert code == 0
    assert told["sign_items"] is None
    assert told["mcnemar_exact"] is None
    assert told["t_items"]["p_value"] > 0


@pytest.mark.parametrize(("arguments", "code", "says"), [
    (("nowhere.csv", *PAIR), 5, "nowhere.csv"),
    (("FILE", "--truth", "y", "--a", "nb_mult", "--b", "svm_l2"), 4, "'y'"),
    (("FILE", *PAIR, "--pos-label", "99"), 4, "99"),
    (("FILE", *PAIR, "--metric", "f9"), 2, "f9"),
    (("FILE", *PAIR, "--metric", "macro_f1", "--permutations", "0"), 2, "permutations"),
    (("FILE", *PAIR, "--permutations", "50"), 2, "--metric"),
    (("FILE", *PAIR, "--metric", "f1"), 4, "ropewalk compare --per-class"),
    (("FILE", *PAIR, "--json", "--latex"), 2, "exclude"),
    (("FILE", "--truth", "y_true", "--a", "nb_mult"), 2, "--b"),
])  # fmt: skip
def test_mistakes_are_a_sentence_and_an_exit_code(run, file, arguments, code, says):
    found, out, err = run("test", *(file if argument == "FILE" else argument for argument in arguments))
    assert (found, out) == (code, "")
    assert says in err


def test_nothing_but_scipy_is_needed(file):
    """A plain install has no statsmodels; what needs it says so."""
    code = (
        "import sys; sys.modules['statsmodels'] = None; sys.modules['pandas'] = None\n"
        "import ropewalk as rw; o = rw.examples.news20().outcomes\n"
        "rw.classical.battery(o, a='nb_mult', b='svm_l2', metric='macro_f1', n_permutations=100, rng=0)\n"
        "rw.classical.nemenyi([1, 2, 3], [3, 1, 2], [2, 3, 1])\n"
        "try: rw.classical.adjust([0.1, 0.2])\n"
        "except rw.errors.MissingDependencyError as error: print(error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "pip install 'ropewalk[stats]'"
