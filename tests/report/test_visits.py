"""How many modules an answer and its page pass through: a reader who follows either must not get lost."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw

ROOT = Path(rw.__file__).parent
MOST = {"compare": 38, "to_html": 34}
"""Modules: fewer than 39 for an answer; for a page fewer than half of the 69 that it took at first."""


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    return truth, *(np.where(rng.random(200) < share, truth, 1 - truth) for share in (0.85, 0.8))


def visited(call):
    """Return the modules of the package in which a function is called: templates and imports are none of them."""
    modules = set()

    def look(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.endswith(".py") and code.co_name != "<module>":
            modules.add(Path(code.co_filename))

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {str(path.relative_to(ROOT)) for path in modules if path.is_relative_to(ROOT)}


def test_an_answer_and_its_page_pass_through_few_modules(data):
    calls = {"compare": lambda: rw.compare(*data, pos_label=1, rope=0.05, rng=0, draws=2_000)}
    answer = calls["compare"]()
    calls["to_html"] = answer.to_html
    for name, call in calls.items():
        call()  # what is made once and kept counts no more
        modules = visited(call)
        assert len(modules) <= MOST[name], sorted(modules)


def test_a_page_is_seen_to_pass_through_the_modules_that_make_it(data):
    answer = rw.compare(*data, pos_label=1, rope=0.05, rng=0, draws=2_000)
    assert {"report/render.py", "results/base.py", "draws/decision.py", "text/writing.py"} <= visited(answer.to_html)
