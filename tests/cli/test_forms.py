"""Options go with some forms of the data: commands refuse them with others, and their help says so."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

import ropewalk as rw
from ropewalk.results.forms import COUNTS, FILE, FORMS, JOINED, LOGS, LONG, MATRICES
from ropewalk.results.options import PYTHON_ONLY, options_of

NEWS = rw.examples.news20_path()
COMMANDS = ("compare", "evaluate", "rank", "test", "count")


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """Lines of `compare` with data of every form."""
    folder = tmp_path_factory.mktemp("forms")
    matrix, counts, log = folder / "matrix.csv", folder / "counts.json", folder / "log.csv"
    matrix.write_text("9,1\n2,8\n")
    rw.Outcomes.from_pairs(positive=(30, 6, 3, 4), negative=(3, 2, 4, 40), names=["new", "old"]).save(counts)
    log.write_text("task,item,system,score\n" + "".join(f"t,{i // 2},{'ab'[i % 2]},{i % 3 % 2}\n" for i in range(40)))
    return {
        FILE: (NEWS, "--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2"),
        JOINED: ("--file-a", log, "--file-b", log, "--id", "item", "--prediction", "score", "--metric", "mean"),
        MATRICES: ("--confusion-a", matrix, "--confusion-b", matrix),
        LOGS: (log, log),  # with one and --truth it is a table
        LONG: (log, "--system", "system", "--item", "item", "--score", "score"),
        COUNTS: (counts,),
    }


def options_in(command):
    return options_of(import_module(f"ropewalk.cli.cmd_{command}").Options)


def refused(form):
    """Return the options of `compare` that do not go with a form, with a value that can be read."""
    known = {name: option for name, option in options_in("compare").items() if option.flag != PYTHON_ONLY}
    makes = {"file_a", "file_b", "confusion_a", "confusion_b", "system", "other"}
    for name, option in known.items():
        if form not in option.forms and name not in makes:
            flag = option.flag or f"--{name.replace('_', '-')}"
            yield (flag,) if option.parse is bool else (flag, "task=1" if name == "weights" else "1")


@pytest.mark.parametrize("form", FORMS)
def test_options_of_other_forms_are_refused(run, lines, form):
    options = list(refused(form))
    assert options
    for option in options:
        code, out, err = run("compare", *lines[form], *option)
        assert (code, out) == (2, ""), option
        assert re.search(rf"{option[0]} (does not go with {form}\.|is given 2 times)", err), (option, err)
        assert "\nHint: it goes with " in err or "2 times" in err
        assert form not in err.partition("Hint:")[2].partition("leave")[0].split(", ")


def test_hints_name_only_forms_that_the_command_takes(run, lines):
    code, _, err = run("count", *lines[LOGS], "--hide-labels", "--labels", "0,1")
    assert code == 2
    assert f"it goes with {FILE} or {JOINED};" in err or f"it goes with {FILE}, {JOINED};" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_says_what_an_option_is_about(run, command):
    told = " ".join(run(command, "--help")[1].split())
    for name, option in options_in(command).items():
        if option.forms == (LOGS,) and not option.several:
            assert f"With evaluation logs: {option.help}" in told, name
        if option.forms == (LONG,) and name != "system":
            assert f"With --system: {option.help}" in told, name
