"""Fixtures that more than one test module uses."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import ropewalk as rw
from browser import SWITCHES, find_chromium
from ropewalk.cli.app import main
from servers import NO_POSTGRES, PostgresServer, find_programs
from support import REQUIRE_ALL, frugality, need, without_warnings

# No test looks at a clock, not even Hypothesis: another program may have the processor. The quick tests try the same
# examples each time, the long ones new ones.
_NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", max_examples=40, derandomize=True, **_NO_CLOCK)
settings.register_profile("long", max_examples=300, **_NO_CLOCK)
settings.load_profile("short")

# Tests raise signals that whoever runs them may ignore, as a shell does in the background and `nohup` does.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, usual)

os.environ["COLUMNS"] = "80"  # what is printed is as wide as the terminal

collect_ignore = ["toys.py", "models/toy.py"]  # to import one registers it

NO_BROWSER = "There is no Chromium here: install your system's package, or set ROPEWALK_CHROMIUM to its path."


@pytest.fixture
def rng():
    return np.random.default_rng(42)


@pytest.fixture(scope="session")
def news():
    return rw.examples.news20()


@pytest.fixture(scope="session")
def table(news):
    """Class 8 of the bundled predictions against the rest, two classifiers, as labels 0 and 1."""
    return news.outcomes.project(["nb_mult", "svm_l2"]).collapse(8).relabel([0, 1])


@pytest.fixture(params=["dict", "pandas", "polars", "polars-lazy", "pyarrow", "duckdb"])
def frame(request):
    """Return a function that makes a dataframe of one kind from a dict of columns."""
    kind = request.param

    def make(columns):
        if kind == "dict":
            return columns
        if kind == "pandas":
            return need("pandas").DataFrame(columns)
        if kind.startswith("polars"):
            made = need("polars").DataFrame(columns, strict=False)
            return made.lazy() if kind == "polars-lazy" else made
        arrow = need("pyarrow").table(columns)
        return need("duckdb").from_arrow(arrow) if kind == "duckdb" else arrow

    make.kind = kind
    return make


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process; return exit code, stdout and stderr."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["ropewalk", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        return stopped.value.code or 0, out, err

    return call


@pytest.fixture
def no_running_loop():
    """Playwright leaves a loop running in this thread, in which nothing else that is asynchronous could run."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium of the system; where there is none the tests that need it are skipped, loudly."""
    path = find_chromium()
    if path is None:
        pytest.skip(NO_BROWSER)
    with need("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        browser.new_page(permissions=["clipboard-read", "clipboard-write"])  # the one that `opened` uses
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server; where none can be had the tests that need it are skipped, loudly, unless all is promised."""
    need("psycopg")
    programs = find_programs()
    if programs is None:
        assert not REQUIRE_ALL, NO_POSTGRES
        pytest.skip(NO_POSTGRES)
    server = PostgresServer(programs)
    yield server
    server.close()


@pytest.fixture
def postgres(postgres_server):
    """A connection to an empty database of the server; what a test writes there is gone after it."""
    psycopg = need("psycopg")
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        yield connection
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


LOUD = {NO_BROWSER: "THE REPORT WAS NOT TESTED IN A BROWSER", NO_POSTGRES: "POSTGRESQL WAS NOT TESTED"}


def pytest_terminal_summary(terminalreporter):
    """Say in large letters what was not tested for want of a program."""
    for reason, heading in LOUD.items():
        skipped = [report for report in terminalreporter.stats.get("skipped", []) if reason in str(report.longrepr)]
        if skipped:
            terminalreporter.section(heading, red=True, bold=True)
            terminalreporter.line(f"{len(skipped)} tests skipped. {reason}")


@pytest.fixture
def untouched_settings():
    """No picture changes matplotlib's own settings."""
    settings = need("matplotlib").rcParams
    before = dict(settings)
    yield
    assert dict(settings) == before


@pytest.fixture
def silent():
    """Let ropewalk's own warnings pass: the test is about something else."""
    with without_warnings():
        yield


@pytest.fixture
def frugal():
    """Draw little more than is asked for: the test is about something else."""
    with frugality():
        yield


@pytest.fixture(scope="module")
def frugal_throughout():
    """Draw little more than is asked for in a whole module, its own fixtures included."""
    with frugality():
        yield


@pytest.fixture(scope="session")
def write():
    """Return a function that writes rows as CSV and returns the path."""

    def make(path, rows, separator=","):
        path.write_text("\n".join(separator.join(map(str, row)) for row in rows) + "\n", encoding="utf-8")
        return path

    return make
