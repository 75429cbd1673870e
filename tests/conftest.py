"""Fixtures that more than one test module uses."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.cli import main
from support import need


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


@pytest.fixture(params=["pandas", "polars", "polars-lazy", "pyarrow", "duckdb"])
def frame(request):
    """Return a function that makes a dataframe of one kind from a dict of columns."""
    kind = request.param

    def make(columns):
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
def silent():
    """Let ropewalk's own warnings pass: the test is about something else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        yield


@pytest.fixture(scope="session")
def write():
    """Return a function that writes rows as CSV and returns the path."""

    def make(path, rows, separator=","):
        path.write_text("\n".join(separator.join(map(str, row)) for row in rows) + "\n", encoding="utf-8")
        return path

    return make
