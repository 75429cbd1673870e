"""The fixture for pytest, in runs of pytest of their own: what passes, fails, warns and cannot be asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import ropewalk as rw
from gates import HERE, THERE, TRUTH, WRONG

DATA = f"""
Y, WRONG, HERE, THERE = [1, 0] * 200, [1, 1] * 200, {HERE}, {THERE}
HOW = {{"metric": "accuracy", "require": "better", "draws": 4_000}}
"""
PLUGIN = "ropewalk.pytest_plugin"
INSTALLED = any(point.value == PLUGIN for point in entry_points(group="pytest11"))


class Ran:
    """A run of pytest: its exit code, what it printed, and the numbers of its last line."""

    def __init__(self, done):
        self.code, self.text = done.returncode, done.stdout + done.stderr
        last = re.findall(r"(\d+) (passed|failed|errors?|warnings?|skipped)", self.text.strip().splitlines()[-1])
        self.numbers = {word.removesuffix("s"): int(number) for number, word in last}


@pytest.fixture
def ran_by_pytest(tmp_path):
    """Return a function that runs tests of this text with pytest, without the plugins of others."""

    def run(text, *arguments, installed=False):
        file = tmp_path / "test_gate.py"
        file.write_text(f"import pytest\n{DATA}\n{text}", encoding="utf-8")
        plugins = ["-p", "no:zarr"] if installed else ["-p", PLUGIN]
        line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, *arguments]
        environment = {**os.environ, "COLUMNS": "120", "PYTHONUTF8": "1", "PYTEST_ADDOPTS": ""}
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "" if installed else "1"}
        done = subprocess.run(
            [*line, "--basetemp", str(tmp_path / "base"), str(file)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Ran(done)

    return run


CONTRADICTED = "def test_it(ropewalk_gate):\n    ropewalk_gate(Y, WRONG, Y, **HOW)\n"
UNDECIDED = "def test_it(ropewalk_gate):\n    ropewalk_gate(Y, HERE, THERE, on_undecided={!r}, **HOW)\n"


def test_a_gate_that_is_met_passes_and_returns_its_answer(ran_by_pytest):
    ran = ran_by_pytest(
        "def test_it(ropewalk_gate):\n"
        "    g = ropewalk_gate(Y, Y, WRONG, **HOW)\n"
        "    assert (g.outcome, g.exit_code, g.seed) == ('met', 0, 0)\n"
    )
    assert (ran.code, ran.numbers) == (0, {"passed": 1}), ran.text
    assert "ropewalk gate" not in ran.text


def test_what_is_contradicted_fails_at_the_line_of_the_test_and_shows_the_report(ran_by_pytest, tmp_path):
    ran = ran_by_pytest(CONTRADICTED)
    assert (ran.code, ran.numbers) == (1, {"failed": 1}), ran.text
    assert ">       ropewalk_gate(Y, WRONG, Y, **HOW)" in ran.text
    assert "E       Failed: FAIL: " in ran.text
    for part in ("Difference   A − B: −", "95% HDI", "contradicted", "seed 0", " Captured ropewalk gate call "):
        assert part in ran.text
    assert "pytest_plugin.py" not in ran.text
    (page,) = tmp_path.rglob("*.html")
    assert f"The page: {page}" in ran.text
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("on_undecided", "code", "numbers"),
    [("fail", 1, {"failed": 1}), ("warn", 0, {"passed": 1, "warning": 1}), ("pass", 0, {"passed": 1})],
)
def test_what_is_undecided_fails_warns_or_passes(on_undecided, code, numbers, ran_by_pytest):
    ran = ran_by_pytest(UNDECIDED.format(on_undecided))
    assert (ran.code, ran.numbers) == (code, numbers), ran.text
    assert ("the interval reaches across the margin" in ran.text) == (on_undecided != "pass")
    warned = re.search(r"test_gate\.py:(\d+): RopewalkWarning: UNDECIDED: ", ran.text)
    assert (warned is not None) == (on_undecided == "warn")


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        ("ropewalk_gate(Y, Y[:-1], Y, **HOW)", "LengthMismatchError", "Hint: every classifier must"),
        ("ropewalk_gate(Y, Y, WRONG, require='not-worse')", "InvalidInputError", "margin=0.02 says 2 points"),
        (
            "ropewalk_gate(Y, Y, WRONG, metric='acuracy', require='better')",
            "UnknownNameError",
            "did you mean 'accuracy'",
        ),
        ("ropewalk_gate('new.eval', 'old.eval', require='better')", "UnreadableFileError", "Cannot read 'new.eval'"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_sentence_without_what_lies_within(call, error, told, ran_by_pytest):
    ran = ran_by_pytest(f"def test_it(ropewalk_gate):\n    {call}\n")
    assert (ran.code, ran.numbers) == (1, {"failed": 1}), ran.text
    assert f"E       ropewalk.errors.{error}: " in ran.text
    assert told in ran.text
    assert "src/ropewalk" not in ran.text
    assert len(re.findall(r"^test_gate.py:\d+: ", ran.text, re.MULTILINE)) == 1


def test_a_test_may_expect_the_error_or_the_failure(ran_by_pytest):
    ran = ran_by_pytest(
        "from ropewalk.errors import LengthMismatchError\n"
        "def test_data(ropewalk_gate):\n"
        "    with pytest.raises(LengthMismatchError):\n        ropewalk_gate(Y, Y[:-1], Y, **HOW)\n"
        "def test_gate(ropewalk_gate):\n"
        "    with pytest.raises(pytest.fail.Exception, match='FAIL'):\n        ropewalk_gate(Y, WRONG, Y, **HOW)\n"
    )
    assert ran.numbers == {"passed": 2}, ran.text


def test_tables_and_paths_of_tables_and_of_logs_are_taken(ran_by_pytest, tmp_path):
    rows = [f"{y},{a},{b}" for y, a, b in zip(TRUTH, TRUTH, WRONG, strict=True)]
    (tmp_path / "preds.csv").write_text("\n".join(["y,new,old", *rows]) + "\n")
    for system, answers in (("new", TRUTH), ("old", WRONG)):
        right = [int(a == y) for a, y in zip(answers, TRUTH, strict=True)]
        lines = [f"q{i},{system},{score}" for i, score in enumerate(right)]
        (tmp_path / f"{system}.csv").write_text("\n".join(["item,system,score", *lines]) + "\n")
    ran = ran_by_pytest(
        "from pathlib import Path\n"
        "COLUMNS = dict(truth='y', a='new', b='old')\n"
        "def test_path(ropewalk_gate):\n    assert ropewalk_gate('preds.csv', **COLUMNS, **HOW).a == 'new'\n"
        "def test_table(ropewalk_gate):\n"
        "    ropewalk_gate({'y': Y, 'new': Y, 'old': WRONG}, **COLUMNS, **HOW)\n"
        "def test_logs(ropewalk_gate):\n"
        "    g = ropewalk_gate('new.csv', Path('old.csv'), require='better', draws=4_000)\n"
        "    assert (g.a, g.b) == ('new', 'old')\n"
    )
    assert ran.numbers == {"passed": 3}, ran.text


@pytest.mark.slow
def test_the_seed_is_0_unless_another_is_given(ran_by_pytest):
    ran = ran_by_pytest(
        "def test_it(ropewalk_gate):\n"
        "    assert ropewalk_gate(Y, Y, WRONG, **HOW).seed == 0\n"
        "    assert ropewalk_gate(Y, Y, WRONG, rng=5, **HOW).seed == 5\n"
        "    assert ropewalk_gate(Y, Y, WRONG, random_state=6, **HOW).seed == 6\n"
    )
    assert ran.numbers == {"passed": 1}, ran.text


@pytest.mark.slow
def test_pages_go_into_the_folder_that_is_asked_for_one_for_each_test(ran_by_pytest, tmp_path):
    several = (
        "@pytest.mark.parametrize('name', ['a/b', '<b>', 'x' * 300])\n"
        "def test_it(ropewalk_gate, name):\n    ropewalk_gate(Y, WRONG, Y, **HOW)\n"
    )
    ran = ran_by_pytest(several, "--ropewalk-report", "my pages")
    pages = list((tmp_path / "my pages").iterdir())
    assert (ran.numbers, len(pages)) == ({"failed": 3}, 3), ran.text
    assert all(re.fullmatch(r"[A-Za-z0-9-]{1,100}\.html", page.name) for page in pages)
    (tmp_path / "pytest.ini").write_text("[pytest]\nropewalk_report = kept\n")
    ran_by_pytest(CONTRADICTED)
    assert len(list((tmp_path / "kept").iterdir())) == 1


@pytest.mark.slow
def test_a_page_that_cannot_be_written_hides_nothing(ran_by_pytest, tmp_path):
    (tmp_path / "taken").write_text("")
    ran = ran_by_pytest(CONTRADICTED, "--ropewalk-report", "taken")
    assert ran.numbers == {"failed": 1}
    assert "Failed: FAIL: " in ran.text
    assert "The page could not be written: " in ran.text


@pytest.mark.slow
def test_it_works_with_several_workers(ran_by_pytest, tmp_path):
    several = "@pytest.mark.parametrize('i', range(4))\ndef test_it(ropewalk_gate, i):\n"
    ran = ran_by_pytest(
        f"{several}    ropewalk_gate(Y, *(Y, WRONG) if i % 2 else (WRONG, Y), **HOW)\n", "-p", "xdist.plugin", "-n", "2"
    )
    assert ran.numbers == {"passed": 2, "failed": 2}, ran.text
    assert ran.text.count(" Captured ropewalk gate call ") == 2
    assert len(list(tmp_path.rglob("*.html"))) == 2


@pytest.mark.slow
def test_it_reports_to_junit_with_the_text_of_the_answer(ran_by_pytest, tmp_path):
    ran_by_pytest(CONTRADICTED, "--junit-xml", "x.xml")
    assert "FAIL: " in (tmp_path / "x.xml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_names_are_shown_and_never_obeyed(ran_by_pytest):
    ran = ran_by_pytest(
        "def test_it(ropewalk_gate):\n"
        "    a, b = 'red \\x1b[31m\\n', '<b>\\u202e'\n"
        "    ropewalk_gate({'y': Y, a: WRONG, b: Y}, truth='y', a=a, b=b, **HOW)\n"
    )
    assert ran.numbers == {"failed": 1}
    assert r"red \x1b[31m\n" in ran.text
    assert not set(ran.text) & {"\x1b", "\u202e"}


@pytest.mark.skipif(not INSTALLED, reason="it was installed before it had a plugin: pip install -e . --no-deps")
def test_it_is_there_where_ropewalk_is_installed_and_can_be_switched_off(ran_by_pytest):
    assert ran_by_pytest(CONTRADICTED, installed=True).numbers == {"failed": 1}
    ran = ran_by_pytest(CONTRADICTED, "-p", "no:ropewalk", installed=True)
    assert ran.numbers == {"error": 1}
    assert "fixture 'ropewalk_gate' not found" in ran.text


@pytest.mark.slow
def test_the_fixture_says_what_it_does(ran_by_pytest):
    ran = ran_by_pytest("", "--fixtures", "-v")
    assert re.search(r"ropewalk_gate.*\n.*Hold a candidate against its base line", ran.text)


def test_a_run_that_does_not_ask_for_it_imports_nothing_for_it():
    code = f"import sys, {PLUGIN}; print([m for m in sys.modules if m.split('.')[0] in ('numpy', 'ropewalk', 'click')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(eval(done.stdout)) == ["ropewalk", "ropewalk._version", PLUGIN]


PAGE = Path(__file__).parent.parent / "docs" / "howto" / "gate-in-ci.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the pages are not here")
def test_the_tests_that_the_page_shows_do_what_it_says(ran_by_pytest, tmp_path):
    shutil.copy(rw.examples.news20_path(), tmp_path / "predictions.csv.gz")
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    ran = ran_by_pytest(block, "-k", "new_classifier")
    assert ran.numbers["passed"] == 1, ran.text
