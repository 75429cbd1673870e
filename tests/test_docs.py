"""The pages tell the truth: their Python runs, their commands print what they say, their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
import warnings
from functools import cache
from pathlib import Path

import click
import pytest

import ropewalk as rw
from ropewalk.cli.app import COMMANDS, app
from support import need, without_warnings

ROOT = Path(__file__).parent.parent
if not (ROOT / "docs").exists():
    pytest.skip("the pages are not here", allow_module_level=True)


def script(name):
    """Return a script of the pages as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


examples = script("run_examples")
PAGES = examples.PAGES
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
SLOW_PAGES = [page for page in PAGES if examples.is_slow(page)]
CONSOLE_PAGES = [page for page in PAGES if any(examples.blocks(page, "console"))]


@pytest.fixture
def folder(tmp_path, monkeypatch, no_running_loop):
    examples.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


EXTRAS = {"mlflow.md": "mlflow", "assistants.md": "mcp"}
"""What a page needs that is no part of `all`."""


def run_python(page, *, slow):
    pytest.importorskip("pandas")
    if page.name in EXTRAS:
        need(EXTRAS[page.name])
    names = {}
    with without_warnings():
        warnings.filterwarnings("ignore", "More than 20 figures")  # the page of pictures opens them all
        for block in examples.blocks(page, "python", slow=slow):
            exec(compile(block[2], str(page), "exec"), names)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
        for block in examples.blocks(page, "pycon", slow=slow):
            test = doctest.DocTestParser().get_doctest(block[2], names, page.name, str(page), 0)
            runner.run(test, clear_globs=False)
            names.update(test.globs)
    assert runner.failures == 0


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_the_python_of_a_page_runs(page, folder):
    run_python(page, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW_PAGES, ids=lambda p: p.name)
def test_the_long_examples_of_a_page_run(page, folder):
    run_python(page, slow=True)


@pytest.mark.parametrize("page", CONSOLE_PAGES, ids=lambda p: p.name)
def test_the_commands_of_a_page_print_what_it_says(page, folder, run):
    for block in examples.blocks(page, "console", slow=False):
        assert examples.printed(block[2], folder, run) == block[2]


@pytest.mark.slow
@pytest.mark.parametrize("page", CONSOLE_PAGES, ids=lambda p: p.name)
def test_the_commands_of_a_page_print_the_same_in_a_shell(page, folder):
    for block in examples.blocks(page, "console"):
        assert examples.printed(block[2], folder) == block[2]


@cache
def anchors(page):
    """Return the anchors of the headings of a page, as the site and GitHub make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain}


def test_the_links_of_pages_lead_somewhere():
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                to = page.parent / target if target else page
                assert to.exists(), f"{page}: {target}"
                assert not anchor or to.suffix != ".md" or anchor in anchors(to), f"{page}: {target}#{anchor}"


def test_no_figure_of_a_page_was_forgotten():
    assert [page for page in PAGES if re.findall(r"@[A-Z]+@", page.read_text(encoding="utf-8"))] == []


def test_every_picture_is_on_a_page():
    shown = {path for page in PAGES for path in re.findall(r"img/([\w.-]+)", page.read_text(encoding="utf-8"))}
    assert {path.name for path in (ROOT / "docs" / "img").iterdir()} == shown


def test_graphs_of_models_are_drawn_as_the_models_are_now(tmp_path, monkeypatch):
    graphs = script("graphs")
    monkeypatch.setattr(graphs, "IMG", tmp_path)
    graphs.main()
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "img").glob("model-*")}
    assert drawn.keys() == kept.keys()
    assert [name for name in drawn if drawn[name] != kept[name]] == []  # else run docs/graphs.py


def test_no_line_within_an_item_starts_as_a_list_would():
    """A number with a full stop at the start of an indented line makes the site end the sentence there."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert re.findall(r"^ {1,3}\d+[.)] .*", text, re.MULTILINE) == [], page


def test_every_metric_and_model_is_documented():
    metrics = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
    assert [name for name in rw.metrics.METRICS if f"`{name}`" not in metrics] == []
    api = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert [name for name in rw.__all__ if f"`{name}" not in api and not name.startswith("_")] == []


def test_every_option_of_the_command_line_is_documented():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    commands = [app, *(app.get_command(click.Context(app), name) for name in COMMANDS)]
    options = {flag for command in commands for param in command.params for flag in param.opts if flag[:2] == "--"}
    assert len(options) >= 60
    assert [option for option in sorted(options) if f"`{option}" not in page] == []
    assert set(re.findall(r"`(--[a-z-]+)", page)) - options <= {"--debug", "--quiet", "--help"}
