"""What more than one test module needs besides fixtures."""

from __future__ import annotations

import importlib
import os
import time
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk.report.document import describe

NEWS = str(rw.examples.news20_path())
REUTERS = str(rw.examples.reuters90_path())
LONG = ("--item", "newid", "--label", "topic")
COLUMNS = ("--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2")
REQUIRE_ALL = os.environ.get("ROPEWALK_REQUIRE_ALL_DEPS") == "1"


def need(module: str):
    """Import an optional dependency; skip without it, but fail where all of them are promised."""
    try:
        return importlib.import_module(module)
    except ImportError:
        if REQUIRE_ALL:
            raise
        pytest.skip(f"{module} is not installed")


def method_rows(result):
    """Return how an answer was made, as the last section of its page says it: (label, text)."""
    return describe(result).on_page()[-1].blocks[0].rows


def wait_for_work(job, seconds=2.5):
    """Wait until a process is well into its drawing, by the processor time it took: imports and reading take one."""
    usage = Path(f"/proc/{job.pid}/stat")
    if not usage.exists():
        time.sleep(8)
        return
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and job.poll() is None:
        fields = usage.read_text(encoding="utf-8").rpartition(")")[2].split()
        if (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") >= seconds:
            return
        time.sleep(0.05)
