"""Gates whose outcomes are known, for what shows them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import ropewalk as rw
from ropewalk.results.gates import Gate
from support import without_warnings

TRUTH = [1, 0] * 200
WRONG = [1, 1] * 200
"""Answers of which half are wrong."""

HERE = [1, 0] * 190 + [1, 1] * 10
THERE = [1, 0] * 190 + [0, 0] * 10
"""Answers that are wrong as often, on other items."""

PAIRS = {"met": (TRUTH, WRONG), "contradicted": (WRONG, TRUTH), "undecided": (HERE, THERE)}
"""The predictions of candidate and base line, by what comes out for "better"."""


@cache
def gate_of(outcome, on_undecided="fail"):
    """Return a gate of one requirement that comes out so."""
    with without_warnings():
        pair = PAIRS[outcome]
        return rw.gate(TRUTH, *pair, metric="accuracy", require="better", on_undecided=on_undecided, draws=4_000, rng=0)


def gate_on_tasks(tasks, on_undecided="fail"):
    """Return a gate with a check per task, from a mapping of tasks to outcomes."""
    checks = [replace(gate_of(outcome).checks[0], task=task) for task, outcome in tasks.items()]
    return Gate(checks=tuple(checks), on_undecided=on_undecided)


def renamed(gate, a, b):
    """Return a gate whose candidate and base line are called otherwise."""
    checks = [replace(check, comparison=replace(check.comparison, a=a, b=b)) for check in gate]
    return replace(gate, checks=tuple(checks))
