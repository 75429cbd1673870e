"""What more than one test module needs besides fixtures."""

from __future__ import annotations

import importlib
import os
import re
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager
from tempfile import TemporaryFile

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


# What a sentence may call an argument instead of its name.
CALLED = {
    "estimator": "estimator|prediction|[Ll]abel", "y_test": "y_test|[Ll]abel", "y": r"\by\b|[Ll]abel", "name": "names",
    "densities": "[Dd]ensit|distribution|Functions", "cost_matrix": "cost", "labels": "label", "truth": "truth|columns",
}  # fmt: skip


def assert_names_one_of(error, arguments):
    """An error says which of the arguments is at fault."""
    told = str(error)
    assert any(re.search(CALLED.get(name, rf"\b{name}\b"), told) for name in arguments), told


def method_rows(result):
    """Return how an answer was made, as the last section of its page says it: (label, text)."""
    return describe(result).on_page()[-1].blocks[0].rows


@contextmanager
def without_warnings():
    """Let ropewalk's own warnings pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
        yield


@contextmanager
def frugality():
    """Draw little more than is asked for: in smaller blocks, and few for Bayes factors, which may take most time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ropewalk.draws.blocks._TABLE_BYTES", 1 << 19)
        for module in ("answers", "drawing"):
            patch.setattr(f"ropewalk.inference.{module}.SD_DRAWS", 1_000)
        yield


# The command, with a line about every step of long work instead of one in ten seconds.
TALKATIVE = """
from ropewalk import _progress
from ropewalk.cli import main

_progress.SECONDS_BETWEEN_LINES = 0.0
main()
"""


def heed_signals():
    """Let a child hear what whoever runs the tests may ignore, as a shell does in the background and `nohup` does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def interrupted(*arguments):
    """Start the command, stop it by Ctrl-C once it tells of work done, and return exit code, stdout and stderr."""
    command = [sys.executable, "-c", TALKATIVE, *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "100"}
    # What was read of stderr beyond these lines waits in its buffer, where `communicate` would not look.
    with TemporaryFile("w+", encoding="utf-8") as out:
        pipes = {"stdout": out, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=environment, preexec_fn=heed_signals, **pipes) as job:  # noqa: PLW1509
            first = [job.stderr.readline()]
            while ": 0 of " in first[-1]:
                first.append(job.stderr.readline())
            job.send_signal(signal.SIGINT)
            rest = job.stderr.read()
        out.seek(0)
        return job.returncode, out.read(), "".join(first) + rest
