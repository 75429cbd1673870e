"""How many modules an answer and its page pass through: a reader who follows either must not get lost."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw

ROOT = str(Path(rw.__file__).parent) + os.sep
MOST = {"compare": (44, 232), "to_html": (55, 415)}
"""Modules, and passages from one to another, each counted once however often a loop takes it.

A page took 69 modules at first. The metrics beside an answer, the headline and the line of what to decide are
modules of their own; a page of two labels lists the tree and the papers' priors beside it, which live in two more.
Logs, counts and answers without a truth are asked for in one module, and what opens them is passed only by those.
What is random and what is fixed is said in one.
"""


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    return truth, *(np.where(rng.random(200) < share, truth, 1 - truth) for share in (0.85, 0.8))


def visited(call):
    """Return the modules of the package whose functions are called, one after the other; templates are none of them."""
    paths = []

    def look(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.endswith(".py") and code.co_name != "<module>":
            paths.append(code.co_filename)

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [path.removeprefix(ROOT) for path in paths if path.startswith(ROOT)]


def test_an_answer_and_its_page_pass_through_few_modules(data):
    calls = {"compare": lambda: rw.compare(*data, pos_label=1, rope=0.05, rng=0, draws=2_000)}
    answer = calls["compare"]()
    calls["to_html"] = answer.to_html
    for name, call in calls.items():
        call()  # what is made once and kept counts no more
        modules = visited(call)
        most, most_passages = MOST[name]
        assert len(set(modules)) <= most, sorted(set(modules))
        passages = {(module, following) for module, following in pairwise(modules) if module != following}
        assert len(passages) <= most_passages


def test_a_page_is_seen_to_pass_through_the_modules_that_make_it(data):
    answer = rw.compare(*data, pos_label=1, rope=0.05, rng=0, draws=2_000)
    makers = {"report/render.py", "results/base.py", "draws/decision.py", "text/writing.py"}
    assert makers <= set(visited(answer.to_html))
