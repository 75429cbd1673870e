"""How the command line reads its options: once each, in groups, from one list."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import Annotated, TypedDict

import click
import numpy as np
import pytest

from ropewalk.cli.app import COMMANDS, Command, app
from ropewalk.cli.output import OutputOptions
from ropewalk.metrics.registry import METRICS
from ropewalk.results.options import GROUPS, DecisionOptions, Option
from support import COLUMNS, NEWS

MAX_COLUMNS = 80


class Toy(DecisionOptions, OutputOptions, total=False):
    """A copy of a list of options, and one line more."""

    shade: Annotated[str, Option(help="How dark.", group="What matters", default="grey")]


@pytest.fixture
def toy():
    """Return a command with an option of its own, and the list of what it was asked."""
    calls = []
    return Command("toy", "A toy.", Toy, calls.append), calls


def called(command, *arguments):
    with command.make_context("toy", list(arguments), obj={"quiet": False}) as context:
        command.invoke(context)


def test_a_new_option_is_one_line(toy):
    command, calls = toy
    text = command.get_help(click.Context(command, info_name="toy"))
    assert re.search(r"--shade TEXT +How dark\.  \[default: grey\]", text)
    assert text.index("What matters:") < text.index("--shade") < text.index("The answer:")
    called(command, "--shade", "black", "--rope", "-0.1,0.2", "--json")
    assert calls == [{"shade": "black", "rope": [-0.1, 0.2], "json": True}]


def test_what_is_not_set_is_left_to_python(toy):
    command, calls = toy
    called(command)
    assert calls == [{}]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_plain_narrow_and_in_groups(run, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, err = run(name, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= MAX_COLUMNS
    assert "\x1b" not in out
    headings = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    order = ["Examples:", "Arguments:", *(f"{group}:" for group in GROUPS), "Anywhere:"]
    assert headings == [heading for heading in order if heading in headings]
    assert "-h, --help" in out
    assert run(name, "-h") == (code, out, err)
    assert COMMANDS[name].split()[0] in out


def test_a_metric_that_is_added_stands_in_the_help(run, monkeypatch):
    for name in ("compare", "evaluate", "rank", "power"):
        assert "toy_metric" not in run(name, "--help")[1]
    monkeypatch.setitem(METRICS, "toy_metric", METRICS["accuracy"])
    for name in ("compare", "evaluate", "rank", "power"):
        assert "toy_metric" in run(name, "--help")[1]


def test_nothing_at_all_shows_the_commands(run):
    code, out, err = run()
    assert (code, out) == (2, "")
    assert all(f"  {name} " in err for name in COMMANDS)
    assert run("--help")[1] == err


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("compare", NEWS, "--roppe", "0.1"), "There is no option --roppe.", "did you mean --rope?"),
        (("compare", NEWS, "--scores"), "There is no option --scores.", "ropewalk compare --help"),
        (("compare", NEWS, *COLUMNS, "--rope"), "Option '--rope' requires an argument.", "ropewalk compare --help"),
        (("compare", NEWS, *COLUMNS, "--seed", "1.5"), "'1.5' is not a valid integer", "ropewalk compare --help"),
        (("compare", NEWS, *COLUMNS, "--rope", "1", "--rope", "2"), "--rope is given 2 times.", "give it once"),
        (("compare", NEWS, *COLUMNS, "--json", "--json"), "--json is given 2 times.", "give it once"),
        (("compare", NEWS, "too", "many"), "Got unexpected extra argument (many)", "in quotation marks"),
        (("evaluate", "--prediction", "a"), "Missing argument 'FILE'.", "ropewalk evaluate --help"),
        (("comparee", NEWS), "There is no command 'comparee'.", "did you mean 'compare'?"),
        (("--rope", "1", "compare"), "There is no option --rope.", "ropewalk --help"),
    ],
)
def test_mistakes_of_the_line_have_a_sentence_and_a_hint(run, arguments, message, hint):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith("Error: ")
    assert message in first
    assert second.startswith("Hint: ")
    assert hint in second


@pytest.mark.parametrize("option", ["--html", "--htm"])
def test_no_page_overwrites_what_is_read(run, tmp_path, option):
    scenario, link = tmp_path / "scenario.json", tmp_path / "link.html"
    scenario.write_text('{"prevalence": 0.5, "positive": [0.3, 0.3, 0.2, 0.2], "negative": [0.2, 0.2, 0.3, 0.3]}')
    link.symlink_to(scenario)
    before = scenario.read_text()
    code, out, err = run("power", scenario, "--n", 9, "--rope", 0.05, option, link)
    assert (code, out) == (2, "")
    assert ("would overwrite" in err) == (option == "--html")
    assert scenario.read_text() == before


@pytest.mark.parametrize("arguments", [("--help",), ("compare", NEWS, *COLUMNS, "--pos-label", "8", "--draws", "100")])
def test_a_full_disk_behind_stdout_is_a_sentence(arguments):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "ropewalk", *map(str, arguments)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    *before, last = done.stderr.splitlines()
    assert before.pop() == "Error: Cannot write to standard output: No space left on device."
    assert last.startswith("Hint: ")
    assert [line for line in before if line.startswith(("Traceback", "  File", "Exception"))] == []


def test_commands_are_those_of_the_group():
    context = click.Context(app)
    assert app.list_commands(context) == list(COMMANDS)
    for name in COMMANDS:
        assert app.get_command(context, name).help == COMMANDS[name]


def test_the_list_of_commands_needs_no_numbers():
    """Help is there at once: neither NumPy nor the library is imported for it."""
    code = "import sys; sys.argv = ['ropewalk', '--help']\nfrom ropewalk.cli.app import main\ntry: main()\n"
    code += "except SystemExit: print(sorted({'numpy', 'scipy', 'jinja2'} & sys.modules.keys()), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Commands:" in done.stdout


def test_typed_dictionaries_without_options_have_no_commands_options():
    class Empty(TypedDict, total=False): ...

    assert Command("none", "None.", Empty, print).params == []


def test_a_page_goes_into_a_pipe_and_does_not_replace_it(run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        code, _, _ = run("compare", NEWS, *COLUMNS, "--pos-label", "8", "--draws", "100", "--html", pipe)
        page, _ = reader.communicate()
    assert code == 0
    assert page.startswith(b"<!")
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("rows", "options", "hint"),
    [
        ("1,0.25,0.5\n0,0.75,0.1\n1,0.5,0.3\n", ["--metric", "f1"], "as --metric roc_auc"),
        ("1,0.25,0.5\n0,0.75,0.1\n1,0.5,0.3\n", ["--metric", "cost"], "give it as --cost-matrix."),
        ('a,a,a\n"missing=""drop""",a,a\n', [], """--pos-label 'missing="drop"'"""),
    ],
)
def test_hints_are_written_for_the_command_line(run, tmp_path, rows, options, hint):
    path = tmp_path / "data.csv"
    path.write_text(f"y,a,b\n{rows}", encoding="utf-8")
    code, _, err = run("compare", path, "--truth", "y", "--a", "a", "--b", "b", *options)
    assert code in {2, 4}
    assert hint in err


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_stdout_stays_empty_where_the_page_finds_no_room(run, form):
    asked = ("compare", NEWS, *COLUMNS, "--pos-label", "8", "--draws", "200", "--html", "/dev/full")
    code, out, err = run(*asked, *form)
    assert (code, out) == (5, "")
    assert err.startswith("Error: Cannot write '/dev/full'")


# -- what to type ------------------------------------------------------------------------------------------


def pasted(run, err):
    """Run the line that an error suggests."""
    hint = re.search(r"^Hint: ropewalk (.*)$", err, re.MULTILINE)
    return run(*shlex.split(hint[1]))


@pytest.mark.parametrize(
    ("header", "line"),
    [
        (("y", "new", "old"), ("--rope", "5%", "--sentence")),
        (("id", "y", "new", "new_proba", "old"), ("--truth", "y")),
        (("the true label", "my <b>model</b> v2", "Ω α"), ("--goal", "not-worse", "--margin", "5%")),
    ],
)
def test_a_line_without_columns_gets_one_to_paste_that_works(run, tmp_path, write, header, line):
    labels = [(i % 2, i % 2, (i + i // 9) % 2) for i in range(90)]
    beside = {"id": range(90), "new_proba": np.linspace(0, 1, 90)}
    columns = iter(zip(*labels, strict=True))
    table = [beside[name] if name in beside else next(columns) for name in header]
    file = str(write(tmp_path / "preds of today.csv", [header, *zip(*table, strict=True)]))
    code, out, err = run("compare", file, *line)
    assert (code, out) == (2, "")
    assert all(name in err for name in header)
    code, out, _ = pasted(run, err)
    assert code == 0
    if "--sentence" in line:
        assert out.count("\n") == 1
        assert "that matter" in out
    if "--goal" in line:
        assert "worse than Ω α by more than 5 points" in " ".join(out.split())


def test_where_no_column_looks_like_the_truth_the_line_has_places_to_fill(run, tmp_path, write):
    file = str(write(tmp_path / "p.csv", [("one", "two", "three"), (1, 0, 1)]))
    code, _, err = run("compare", file, "--rope", "1%")
    assert code == 2
    assert f"ropewalk compare {shlex.quote(file)} --rope 1% --truth COL --a COL --b COL" in err


def test_a_file_that_is_not_there_is_what_is_wrong_with_the_line(run, tmp_path):
    code, _, err = run("compare", tmp_path / "absent.csv")
    assert code == 5
    assert "absent.csv" in err
    assert "Missing option" not in err


@pytest.mark.parametrize("command", ["plan", "stopping"])
def test_a_study_without_a_scenario_suggests_its_own_command(run, command):
    code, _, err = run(command)
    assert code == 2
    hint = shlex.split(re.search(r"^Hint: ropewalk (.*)$", err, re.MULTILINE)[1])
    assert hint[0] == command
    assert run(*hint, "--simulations", "200", "--draws", "200")[0] == 0


def test_every_help_begins_with_examples_whose_options_exist(run):
    for name in (None, *COMMANDS):
        words = [] if name is None else [name]
        _, out, _ = run(*words, "-h")
        examples = re.findall(r"^  ropewalk (.*)$", out.partition("Examples:")[2].partition("\n\n")[0], re.MULTILINE)
        assert examples, name
        for example in examples:
            command, *rest = shlex.split(example)
            help_text = run(command, "-h")[1]
            assert name in {None, command}
            assert all(f"{word} " in help_text for word in rest if word.startswith("--"))


def test_a_shell_completes_names_of_metrics_and_of_models():
    def completed(line):
        words = line.split(" ")
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_ROPEWALK_COMPLETE": "bash_complete"}
        told = subprocess.run(
            [sys.executable, "-m", "ropewalk"], env={**os.environ, **asked}, capture_output=True, text=True, check=True
        )
        return [line.partition(",")[2] for line in told.stdout.splitlines()]

    assert "accuracy" in completed("ropewalk compare p.csv --metric acc")
    assert "f1,recall" in completed("ropewalk compare p.csv --metric f1,rec")
    assert completed("ropewalk compare p.csv --model icdm") == ["icdm2015"]


def test_the_shell_is_told_nothing_that_only_python_has(run, tmp_path, write):
    few = str(write(tmp_path / "few.csv", [("y", "a", "b"), (1, 1, 0)]))
    means = str(write(tmp_path / "m.csv", [("a", "b"), *((i % 7, i % 5) for i in range(60))]))
    many = str(
        write(tmp_path / "k.csv", [("y", "a", "b", "c"), *((i % 3, i % 3, i % 3, (i + i // 9) % 3) for i in range(90))])
    )
    lines = (
        ("compare", few, "--truth", "y", "--a", "a", "--b", "b", "--rope", "1%"),
        ("compare", means, "--a", "a", "--b", "b", "--metric", "mean", "--rope", "1"),
        ("rank", many, "--truth", "y", "--predictions", "a,b,c", "--rope", "5%", "--draws", "500"),
        ("evaluate", few, "--truth", "y", "--prediction", "a", "--at-least", "0.5", "--rope", "1%"),
    )
    told = []
    for line in lines:
        code, out, err = run(*line)
        assert code == 0
        told.append(" ".join(f"{out} {err}".split()))
        assert not re.search(r"\br\.[a-z_]+\(|\brw\.|\b[a-z_]+=[\w(]", told[-1])
    assert "ropewalk plan --from RESULTS.json simulates it" in told[0]
    assert "--scale low,high" in told[1]
    assert "--no-pool gives each its own" in told[2]
