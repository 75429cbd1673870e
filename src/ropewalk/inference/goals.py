"""What a study is to show, and whether it can."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from ropewalk.draws.decision import Regions
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.text.options import wording
from ropewalk.text.verdicts import Verdict, rope_text

CONCLUSIVE: Final = "conclusive"
GOALS: Final[dict[str, frozenset[Verdict]]] = {
    "A≫B": frozenset({Verdict.A_BETTER}),
    "A≪B": frozenset({Verdict.B_BETTER}),
    "A≈B": frozenset({Verdict.EQUIVALENT}),
    CONCLUSIVE: frozenset(verdict for verdict in Verdict if verdict.conclusive),
}
"""The verdicts that count as reaching each goal."""

_WRITTEN: Final = {"≫": "A≫B", ">>": "A≫B", "≪": "A≪B", "<<": "A≪B", "≈": "A≈B", "~": "A≈B", "~=": "A≈B", "=": "A≈B"}
EDGE: Final = 1e-9
"""How close to an edge of the ROPE a difference lies on it."""


def parse_goal(goal: Any) -> str:
    """Return the goal under its own name; signs may be typed, and A and B left out.

    Examples
    --------
    >>> parse_goal(">>"), parse_goal("A≪B"), parse_goal("a ~ b"), parse_goal("conclusive")
    ('A≫B', 'A≪B', 'A≈B', 'conclusive')
    """
    if isinstance(goal, str):
        said = "".join(goal.split())
        if said.lower() == CONCLUSIVE:
            return CONCLUSIVE
        sign = said[1:-1] if said[:1] in {"A", "a"} and said[-1:] in {"B", "b"} else said
        if sign in _WRITTEN:
            return _WRITTEN[sign]
    raise UnknownNameError(
        f"Unknown goal {goal!r}.",
        hint="choose from: A≫B (>>), A≪B (<<), A≈B (~), conclusive; ≫ means that A is better.",
    )


def region_of(delta: float, rope: Interval, *, higher_is_better: bool) -> Verdict:
    """Return the verdict that is true of a difference A − B; edges of the ROPE count as inside."""
    edges = [end for end in (rope.low, rope.high) if math.isfinite(end)]
    if rope.low <= delta <= rope.high or any(abs(delta - end) <= EDGE for end in edges):
        return Verdict.EQUIVALENT
    return Verdict.A_BETTER if (delta > rope.high) == higher_is_better else Verdict.B_BETTER


def check_goal(goal: str, delta: float, rope: Interval, *, higher_is_better: bool) -> None:
    """Refuse a goal that no number of items reaches, given the true difference."""
    true = region_of(delta, rope, higher_is_better=higher_is_better)
    edge = any(abs(delta - end) <= EDGE for end in (rope.low, rope.high))
    if goal == CONCLUSIVE:
        return
    if true in GOALS[goal] and not (edge and true is Verdict.EQUIVALENT):
        return
    where = "on the edge of" if edge else "inside" if true is Verdict.EQUIVALENT else "outside"
    reached = "" if edge else f"; more data lead to A{true.value}B"
    raise InvalidInputError(
        f"The goal {goal} is not reachable: the true difference A − B is {delta:+.4g}, {where} the ROPE "
        f"{rope_text(rope)}{reached}.",
        hint=wording(
            'change the scenario, the ROPE or the goal; goal="conclusive" tells how often each verdict, also a '
            "wrong one, is given."
        ),
    )


def ceilings_of(regions: Regions, *, higher_is_better: bool) -> Mapping[Verdict, float]:
    """Return what the probability of each conclusive verdict tends to: the posterior mass of its region."""
    better, worse = (regions.above, regions.below) if higher_is_better else (regions.below, regions.above)
    return {Verdict.EQUIVALENT: regions.inside, Verdict.B_BETTER: worse, Verdict.A_BETTER: better}
