"""The region of practical equivalence: read from what users write, and how much of the posterior it holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ropewalk._arguments import read_some
from ropewalk._checks import is_real
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import wording
from ropewalk.text.writing import did_you_mean

_QUESTION = wording("what is the smallest difference you would act on? rope=0.01 means (-0.01, +0.01).")


def parse_rope(rope: Any) -> Interval | None:
    """Turn a half-width or a pair into an interval; None stays None.

    Examples
    --------
    >>> parse_rope(0.01), parse_rope((-0.02, float("inf")))
    (Interval(low=-0.01, high=0.01), Interval(low=-0.02, high=inf))
    """
    if isinstance(rope, np.ndarray):
        rope = rope.tolist()
    if rope is None:
        return None
    if is_real(rope):
        return _half_width(rope)
    return _pair((rope.low, rope.high) if isinstance(rope, Interval) else rope)


def _half_width(rope: float) -> Interval:
    if rope == 0:
        raise InvalidInputError(
            wording("`rope` must not be 0: no two classifiers are exactly equal, so nothing could ever be equivalent."),
            hint=_QUESTION,
        )
    if not 0 < rope < math.inf:
        raise InvalidInputError(wording("`rope` must be a positive, finite number; got {!r}.", rope), hint=_QUESTION)
    return Interval(-float(rope), float(rope))


def _pair(rope: Any) -> Interval:
    ends = read_some(rope, 2) if isinstance(rope, Sequence) and not isinstance(rope, str) else None
    if ends is None or len(ends) != 2:  # noqa: PLR2004
        raise InvalidInputError(
            wording("`rope` must be a number or a pair (low, high); got {!r}.", rope), hint=_QUESTION
        )
    if not all(is_real(end) and not math.isnan(end) for end in ends):
        raise InvalidInputError(wording("The ends of `rope` must be numbers; got {!r}.", rope), hint=_QUESTION)
    low, high = map(float, ends)
    if low >= high:
        raise InvalidInputError(
            wording("`rope` must run from its low to its high end; got ({:g}, {:g}).", low, high),
            hint=f"did you mean ({high:g}, {low:g})?" if low > high else _QUESTION,
        )
    if math.isinf(low) and math.isinf(high):
        raise InvalidInputError(wording("`rope` must have at least one finite end."), hint=_QUESTION)
    return Interval(low, high)


# -- goals with a margin -----------------------------------------------------------------------------------


MARGIN_GOALS: Final = ("not_worse", "better", "equivalent")
"""What can be asked of A with a margin: not worse than B by more than it, better by more than it, or within it."""


def parse_margin_goal(goal: Any) -> str | None:
    """Return the name of a goal with a margin, None for what is none; a space or a dash may stand in it.

    Examples
    --------
    >>> parse_margin_goal("not-worse"), parse_margin_goal("A≫B")
    ('not_worse', None)
    """
    name = goal.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(goal, str) else ""
    return name if name in MARGIN_GOALS else None


def parse_question(
    rope: Any, goal: Any = None, margin: Any = None, *, higher_is_better: bool = True
) -> Interval | None:
    """Return the ROPE that a question states, as such or by a goal and its margin, which look at what is better.

    Examples
    --------
    >>> parse_question(None, "not_worse", 0.02), parse_question(None, "not_worse", 0.02, higher_is_better=False)
    (Interval(low=-0.02, high=inf), Interval(low=-inf, high=0.02))
    >>> parse_question(None, "better"), parse_question(None, "equivalent", 0.02)
    (Interval(low=-inf, high=0.0), Interval(low=-0.02, high=0.02))
    """
    if goal is None:
        if margin is not None:
            raise InvalidInputError(
                wording("`margin` goes with a goal."), hint=wording('goal="not_worse", or state rope= instead.')
            )
        return parse_rope(rope)
    if rope is not None:
        raise InvalidInputError(
            wording("`rope` and `goal` both say what matters; give one of the two."),
            hint=wording("goal= takes its size as margin=."),
        )
    name = parse_margin_goal(goal)
    if name is None:
        listed = ", ".join(MARGIN_GOALS)
        raise InvalidInputError(
            wording("`goal` must be one of {}; got {!r}.", listed, goal),
            hint=did_you_mean(goal, MARGIN_GOALS) + wording('goal="better" needs no margin.'),
        )
    if name == "equivalent":
        if margin is None:
            raise InvalidInputError(wording("The goal {!r} needs `margin`.", name), hint=_MARGIN)
        size = _margin(margin)
        if size == 0:
            raise InvalidInputError(
                wording("The goal {!r} needs a `margin` above 0: no two classifiers are exactly equal.", name),
                hint=wording("how large a difference does not matter? margin=0.02 says 2 points."),
            )
        return parse_rope(size)
    if margin is None and name == "not_worse":
        raise InvalidInputError(wording("The goal {!r} needs `margin`.", name), hint=_MARGIN)
    size = 0.0 if margin is None else _margin(margin)
    facing = Interval(-size, math.inf) if name == "not_worse" else Interval(-math.inf, size)
    facing = Interval(facing.low + 0.0, facing.high + 0.0)  # no -0.0
    return facing if higher_is_better else facing.mirrored()


_MARGIN: Final = wording("how much worse may it be? margin=0.02 allows for 0.02; margin=0 for nothing.")


def _margin(margin: Any) -> float:
    if not is_real(margin) or not 0 <= margin < math.inf:
        raise InvalidInputError(
            wording("`margin` must be a finite number of at least 0; got {!r}.", margin),
            hint="it is a size: the goal says in which direction it counts.",
        )
    return float(margin)
