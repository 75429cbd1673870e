"""How the command line reads its options: once each, in groups, from one list."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Annotated, TypedDict

import click
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
        (("compare", NEWS, "too", "many"), "Got unexpected extra arguments (too many)", "ropewalk compare --help"),
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
    assert last.startswith("Error: Cannot write: ")
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
