"""What the tests and the examples in the docstrings share."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest

# Workers share the cores: threads of their libraries would only fight for them. NumPy reads this when it is imported.
for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")  # no test speaks to the network


def pytest_collection_finish() -> None:
    """Look for garbage in what tests make, and less often: all that is there by now stays until the end."""
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    """Close what a test or an example drew: matplotlib warns of many open figures."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _examples_write_elsewhere(request: pytest.FixtureRequest) -> None:
    """Let the examples in the docstrings write their files into a temporary folder."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
