"""Verdicts in words: what may be said, and nothing more."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ropewalk.decision import Leaning, Piece, Verdict
from ropewalk.intervals import Interval

_ROUNDING = 1e-9


def rope_text(rope: Interval) -> str:
    """Write a ROPE as ±r where it is symmetric.

    Examples
    --------
    >>> rope_text(Interval(-0.01, 0.01)), rope_text(Interval(-0.02, math.inf))
    ('±0.01', '[-0.02, +∞]')
    """
    if rope.low == -rope.high:
        return f"±{rope.high:g}"
    ends = [f"{'+' if end > 0 else '-'}∞" if math.isinf(end) else f"{end:+g}" for end in (rope.low, rope.high)]
    return f"[{ends[0]}, {ends[1]}]"


def verdict_text(verdict: Verdict, leaning: Leaning | None, width: str, a: str, b: str) -> str:
    """Say a verdict about two classifiers, at a ROPE written as `width`, in a sentence."""
    if verdict is Verdict.EQUIVALENT:
        return f"{a} and {b} are practically equivalent at {width}"
    if verdict.conclusive:
        better, worse = (a, b) if verdict is Verdict.A_BETTER else (b, a)
        return f"{better} is better than {worse} by a margin that matters (ROPE {width})"
    lean = {"a": f"{a} better", "b": f"{b} better", "equivalent": "equivalent", None: "nowhere"}[leaning]
    return f"Undecided at {width}; leaning {lean}; more data needed"


def bar_text(verdict: Verdict, leaning: Leaning | None, width: str, name: str, bar: str) -> str:
    """Say a verdict about one classifier against a fixed bar, at a ROPE written as `width`, in a sentence."""
    if verdict is Verdict.EQUIVALENT:
        return f"{name} is practically at the bar of {bar} ({width})"
    if verdict.conclusive:
        side = "better" if verdict is Verdict.A_BETTER else "worse"
        return f"{name} is {side} than the bar of {bar} by a margin that matters (ROPE {width})"
    lean = {"a": "better", "b": "worse", "equivalent": "equal", None: "nowhere"}[leaning]
    return f"Undecided against the bar of {bar} at {width}; leaning {lean}; more data needed"


def path_text(path: Sequence[Piece], places: int) -> str:
    """Say up to and from which ROPE each verdict holds, to so many decimals: rounded to where it does hold."""
    parts, unit = [], 10.0**places
    for piece in path:
        if piece.verdict in {Verdict.A_BETTER, Verdict.B_BETTER} and piece.stop is not None:
            stop = math.floor(piece.stop * unit + _ROUNDING) / unit
            if stop > 0:
                parts.append(f"{piece.verdict.value} holds up to ±{stop:.{places}f}")
        elif piece.verdict is Verdict.EQUIVALENT:
            parts.append(f"≈ holds from ±{math.ceil(piece.start * unit - _ROUNDING) / unit:.{places}f} on")
    return "; ".join(parts)
