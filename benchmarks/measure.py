"""CPU seconds: of a function, of two side by side, and of a fresh process."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any


def cpu(function: Callable[[], Any]) -> float:
    """Return the CPU seconds of one call, over all threads of this process."""
    start = process_time()
    function()
    return process_time() - start


def alternate(*functions: Callable[[], Any], repeats: int) -> list[float]:
    """Return each function's median CPU seconds; they take turns, and a first turn to warm up does not count."""
    turns = [[cpu(function) for function in functions] for _ in range(1 + repeats)]
    return [median(times) for times in zip(*turns[1:], strict=True)]


def child(*arguments: str) -> tuple[str, float]:
    """Run Python in a fresh process; return what it printed, and its CPU seconds with start-up and imports."""
    before = _cpu_of_children()
    done = subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout, _cpu_of_children() - before


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
