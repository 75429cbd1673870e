"""Verdicts: the papers' five symbols, the code that programs read, and what may be said of each, and nothing more."""

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


def side_words(rope: Iterable[float], *, inside: bool) -> tuple[str, str]:
    """Write what lying inside or outside a one-sided ROPE says of A, and by which margin; more is better for A.

    A ROPE with one end asks on which side of a margin the difference lies. Nothing about it is equivalent.

    Examples
    --------
    >>> side_words((-0.02, math.inf), inside=True), side_words((-0.02, math.inf), inside=False)
    (('not worse', ' by more than 0.02'), ('worse', ' by more than 0.02'))
    >>> side_words((-math.inf, 0.02), inside=True), side_words((0.0, math.inf), inside=True)
    (('not better', ' by more than 0.02'), ('not worse', ''))
    """
    low, high = rope
    edge = high if math.isinf(low) else low
    above = math.isinf(high) == inside  # the side of the edge that it lies on
    if edge == 0:
        return ("not " if inside else "") + ("worse" if above == inside else "better"), ""
    word = ("not worse" if above else "worse") if edge < 0 else ("better" if above else "not better")
    return word, f" by more than {abs(edge):g}"


CONCLUSIVE: Final = "conclusive"
GOALS: Final[dict[str, frozenset[Verdict]]] = {
    "A≫B": frozenset({Verdict.A_BETTER}),
    "A≪B": frozenset({Verdict.B_BETTER}),
    "A≈B": frozenset({Verdict.EQUIVALENT}),
    CONCLUSIVE: frozenset(verdict for verdict in Verdict if verdict.conclusive),
    "not_worse": frozenset({Verdict.EQUIVALENT}),
    "better": frozenset({Verdict.A_BETTER}),
    "equivalent": frozenset({Verdict.EQUIVALENT}),
}
"""The verdicts that count as reaching each goal of a study; the last three state a ROPE of their own, by a margin."""

Code = Literal["a_better", "b_better", "equivalent", "undecided", "a_not_worse", "a_worse", "a_not_better"]

_CODES: Final[dict[Verdict, Code]] = {
    Verdict.EQUIVALENT: "equivalent",
    Verdict.A_BETTER: "a_better",
    Verdict.B_BETTER: "b_better",
}
_SIDE_CODES: Final[dict[str, Code]] = {
    "better": "a_better",
    "worse": "a_worse",
    "not worse": "a_not_worse",
    "not better": "a_not_better",
}


def code_of(verdict: Verdict, facing: tuple[float, float]) -> Code:
    """Return a verdict as programs read it, by a ROPE that is oriented so that more is better for A.

    Examples
    --------
    >>> code_of(Verdict.EQUIVALENT, (-0.02, 0.02)), code_of(Verdict.EQUIVALENT, (-0.02, math.inf))
    ('equivalent', 'a_not_worse')
    """
    if not verdict.conclusive:
        return "undecided"
    if not any(map(math.isinf, facing)):
        return _CODES[verdict]
    return _SIDE_CODES[side_words(facing, inside=verdict is Verdict.EQUIVALENT)[0]]


def one_sided_text(  # noqa: PLR0917
    verdict: Verdict, leaning: Leaning | None, rope: tuple[float, float], width: str, who: str, other: str
) -> str:
    """Return a verdict by a ROPE with one end, which is oriented so that more is better, in a sentence."""
    inside = verdict is Verdict.EQUIVALENT if verdict.conclusive else (leaning == "a") == math.isinf(rope[1])
    word, margin = side_words(rope, inside=inside)
    if verdict.conclusive:
        return f"{who} is {word} than {other}{margin}"
    return f"Undecided at {width}; leaning {who} {word} than {other}{margin}; more data needed"


def oriented(rope: Iterable[float], *, higher_is_better: bool) -> tuple[float, float]:
    """Return a ROPE such that more is better, as the verdict sees it."""
    low, high = rope
    return (low, high) if higher_is_better else (-high, -low)


def judged_text(
    verdict: Verdict,
    leaning: Leaning | None,
    rope: Iterable[float],
    a: str,
    b: str,
    *,
    higher_is_better: bool,
    bar: bool = False,
    width: str = "",
) -> str:
    """Return a verdict in a sentence: about two classifiers, or A against the `bar` B.

    `width` is the ROPE as it is written.
    """
    facing = oriented(rope, higher_is_better=higher_is_better)
    width = width or rope_text(rope)
    if math.isinf(facing[0]) or math.isinf(facing[1]):
        return one_sided_text(verdict, leaning, facing, width, a, f"the bar of {b}" if bar else b)
    return (bar_text if bar else verdict_text)(verdict, leaning, width, a, b)


def verdict_text(verdict: Verdict, leaning: Leaning | None, width: str, a: str, b: str) -> str:
    """Return a verdict about two classifiers, at a ROPE with two ends written as `width`, in a sentence."""
    if verdict is Verdict.EQUIVALENT:
        return f"{a} and {b} are practically equivalent at {width}"
    if verdict.conclusive:
        better, worse = (a, b) if verdict is Verdict.A_BETTER else (b, a)
        return f"{better} is better than {worse} by a margin that matters (ROPE {width})"
    lean = {"a": f"{a} better", "b": f"{b} better", "equivalent": "equivalent", None: "nowhere"}[leaning]
    return f"Undecided at {width}; leaning {lean}; more data needed"


def bar_text(verdict: Verdict, leaning: Leaning | None, width: str, name: str, bar: str) -> str:
    """Return a verdict about one classifier against a fixed bar, at a ROPE with two ends, in a sentence."""
    if verdict is Verdict.EQUIVALENT:
        return f"{name} is practically at the bar of {bar} ({width})"
    if verdict.conclusive:
        side = "better" if verdict is Verdict.A_BETTER else "worse"
        return f"{name} is {side} than the bar of {bar} by a margin that matters (ROPE {width})"
    lean = {"a": "better", "b": "worse", "equivalent": "equal", None: "nowhere"}[leaning]
    return f"Undecided against the bar of {bar} at {width}; leaning {lean}; more data needed"
