"""Verdicts in words: what may be said, and nothing more."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Literal

Leaning = Literal["a", "b", "equivalent"]


class Verdict(StrEnum):
    """The papers' five symbols; the last two say that more data are needed."""

    EQUIVALENT = "≈"
    B_BETTER = "≪"
    A_BETTER = "≫"
    UNDECIDED_LOW = "<"
    UNDECIDED_HIGH = ">"

    @property
    def conclusive(self) -> bool:
        """Whether the data settle the question."""
        return self in {Verdict.EQUIVALENT, Verdict.A_BETTER, Verdict.B_BETTER}


VERDICTS: Final = tuple(Verdict)
"""The verdicts in the order of their codes, where many are given at once."""


def rope_text(rope: Iterable[float]) -> str:
    """Write a ROPE as ±r where it is symmetric.

    Examples
    --------
    >>> rope_text((-0.01, 0.01)), rope_text((-0.02, math.inf))
    ('±0.01', '[-0.02, +∞]')
    """
    low, high = rope
    if low == -high:
        return f"±{high:g}"
    ends = [f"{'+' if end > 0 else '-'}∞" if math.isinf(end) else f"{end:+g}" for end in (low, high)]
    return f"[{ends[0]}, {ends[1]}]"


def verdict_text(verdict: Verdict, leaning: Leaning | None, width: str, a: str, b: str) -> str:
    """Return a verdict about two classifiers, at a ROPE written as `width`, in a sentence."""
    if verdict is Verdict.EQUIVALENT:
        return f"{a} and {b} are practically equivalent at {width}"
    if verdict.conclusive:
        better, worse = (a, b) if verdict is Verdict.A_BETTER else (b, a)
        return f"{better} is better than {worse} by a margin that matters (ROPE {width})"
    lean = {"a": f"{a} better", "b": f"{b} better", "equivalent": "equivalent", None: "nowhere"}[leaning]
    return f"Undecided at {width}; leaning {lean}; more data needed"


def bar_text(verdict: Verdict, leaning: Leaning | None, width: str, name: str, bar: str) -> str:
    """Return a verdict about one classifier against a fixed bar, at a ROPE written as `width`, in a sentence."""
    if verdict is Verdict.EQUIVALENT:
        return f"{name} is practically at the bar of {bar} ({width})"
    if verdict.conclusive:
        side = "better" if verdict is Verdict.A_BETTER else "worse"
        return f"{name} is {side} than the bar of {bar} by a margin that matters (ROPE {width})"
    lean = {"a": "better", "b": "worse", "equivalent": "equal", None: "nowhere"}[leaning]
    return f"Undecided against the bar of {bar} at {width}; leaning {lean}; more data needed"
