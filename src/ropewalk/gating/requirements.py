"""What is required of a candidate: read from words, mappings or values, and checked before any data are read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ropewalk._arguments import read_some
from ropewalk._checks import is_real
from ropewalk.draws.rope import parse_margin_goal
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.results.gates import EACH, OVERALL, Requirement
from ropewalk.results.parsing import parse_share
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import did_you_mean, told

KINDS: Final = ("better", "not-worse", "equivalent")
"""What can be required."""

MAX_REQUIREMENTS: Final = 1_000
_KEYS: Final = ("metric", "require", "margin", "task")
_SENTENCE: Final = re.compile(
    r"(?:(?P<metric>\S.*?)\s+)??(?P<kind>better|not[-_ ]worse|equivalent)(?P<rest>(?:\s.*)?)",
    re.IGNORECASE | re.DOTALL,
)
_REST: Final = re.compile(
    r"\s*(?:(?:by|within)\s+)?(?P<margin>[-+]?(?:[0-9.]\S*|inf\S*|nan\S*))?\s*(?P<where>\S.*)?",
    re.IGNORECASE | re.DOTALL,
)
_EXAMPLE: Final = wording('write it as "not-worse 0.02", "f1 better 0.01", "recall not-worse 2% on each task".')


def read_requirements(require: Any, margin: Any = None, metrics: Sequence[Any] = (None,)) -> list[Requirement]:
    """Return the requirements of a gate; those without a margin, or without a metric, take the ones beside them.

    Examples
    --------
    >>> [r.text for r in read_requirements(["f1 better", "recall not-worse 2% overall"])]
    ['f1 better 0', 'recall not-worse 0.02 overall']
    >>> [r.text for r in read_requirements("equivalent", 0.05, ["f1", "accuracy"])]
    ['f1 equivalent 0.05', 'accuracy equivalent 0.05']
    """
    given = _listed(require)
    read = [_read(one) for one in given]
    if margin is not None and all(size is not None for _, size in read):
        raise InvalidInputError(
            argument("margin") + " is given, and every requirement has a margin of its own.", hint="leave one out."
        )
    named = [metric for metric in metrics if metric is not None]
    if named and all(requirement.metric is not None for requirement, _ in read):
        raise InvalidInputError(
            argument("metric") + " is given, and every requirement names a metric of its own.", hint="leave one out."
        )
    requirements = [
        replace(one, margin=_margin(one.require, margin if size is None else size), metric=metric)
        for one, size in read
        for metric in ([one.metric] if one.metric is not None or not named else named)
    ]
    for place, one in enumerate(requirements):
        if one in requirements[:place]:
            raise InvalidInputError(f"The requirement {told(one.text)} is given twice.", hint="give it once.")
    return requirements


def all_state(require: Any, part: str) -> bool:
    """Whether every one of some requirements states its own "margin", or "metric".

    Examples
    --------
    >>> all_state(["f1 better 0.01", "not-worse 2%"], "margin"), all_state(["f1 better", "not-worse 2%"], "metric")
    (True, False)
    """
    read = [_read(one) for one in _listed(require)]
    return all((size if part == "margin" else requirement.metric) is not None for requirement, size in read)


def _listed(require: Any) -> list[Any]:
    """Return requirements as a list; one may stand alone."""
    if isinstance(require, str | Mapping | Requirement):
        return [require]
    listed = read_some(require, MAX_REQUIREMENTS) if isinstance(require, Iterable) else None
    if not listed:
        raise InvalidInputError(
            argument("require") + f" must be a requirement, or a list of them; got {told(require)}.", hint=_EXAMPLE
        )
    return list(listed)


def _read(one: Any) -> tuple[Requirement, Any]:
    """Return one requirement and the margin that it states, if any."""
    if isinstance(one, Requirement):
        return replace(one, require=_kind(one.require)), one.margin
    if isinstance(one, Mapping):
        return _of_mapping(one)
    if not isinstance(one, str):
        raise InvalidInputError(f"A requirement cannot be {told(one)}.", hint=_EXAMPLE)
    return _of_words(one)


def _of_mapping(parts: Mapping[Any, Any]) -> tuple[Requirement, Any]:
    """Read {"metric": …, "require": …, "margin": …, "task": …}."""
    for key in parts:
        if key not in _KEYS:
            hint = did_you_mean(str(key), _KEYS) + f"It may hold: {', '.join(_KEYS)}."
            raise InvalidInputError(f"A requirement has no part {told(key)}.", hint=hint)
    if "require" not in parts:
        raise InvalidInputError(
            f"A requirement says what is required, and this one does not: {told(dict(parts))}.",
            hint=f"require is one of {', '.join(KINDS)}.",
        )
    for key in ("metric", "task"):
        if not isinstance(parts.get(key), str | None):
            raise InvalidInputError(
                f"The {key} of a requirement must be a name; got {told(parts[key])}.", hint="give it as text."
            )
    stated = parts.get("margin")
    size = parse_share(stated, "margin") if isinstance(stated, str) else stated
    where = {"each": EACH, "overall": OVERALL}.get(parts.get("task") or "", parts.get("task"))
    return Requirement(require=_kind(parts["require"]), margin=0.0, metric=parts.get("metric"), on=where), size


def _of_words(text: str) -> tuple[Requirement, Any]:
    """Read "[METRIC] KIND [MARGIN] [on TASK | on each task | overall]"."""
    match = _SENTENCE.fullmatch(text.strip())
    rest = None if match is None else _REST.fullmatch(match["rest"])
    if match is None or rest is None:
        known = ", ".join(KINDS)
        raise UnknownNameError(
            argument("require") + f" must say {known}; got {told(text)}.",
            hint=did_you_mean(text.strip(), KINDS) + _EXAMPLE,
        )
    size = None if rest["margin"] is None else parse_share(rest["margin"], "margin")
    return Requirement(require=_kind(match["kind"]), margin=0.0, metric=match["metric"], on=_where(rest["where"])), size


def _where(text: str | None) -> str | None:
    """Read on which task, or that it is each, or all together."""
    if text is None:
        return None
    plain = " ".join(text.split())
    if plain.lower() == "overall":
        return OVERALL
    if plain.lower() in {"on each task", "on each"}:
        return EACH
    task = re.fullmatch(r"on\s+(\S.*)", text.strip(), re.IGNORECASE | re.DOTALL)
    if task is None:
        raise InvalidInputError(f"Cannot read {told(text)} at the end of a requirement.", hint=_EXAMPLE)
    return task[1]


def _kind(kind: Any) -> str:
    name = parse_margin_goal(kind)
    if name is None:
        raise UnknownNameError(
            argument("require") + f" must be one of {', '.join(KINDS)}; got {told(kind)}.",
            hint=did_you_mean(kind, KINDS) + _EXAMPLE,
        )
    return name.replace("_", "-")


def _margin(kind: str, margin: Any) -> float:
    """Return the margin of a requirement; only "better" has one by default."""
    if margin is None:
        if kind == "better":
            return 0.0
        much = "how much worse may it be?" if kind == "not-worse" else "how large a difference does not matter?"
        raise InvalidInputError(
            wording("The requirement {!r} needs `margin`.", kind), hint=much + wording(" margin=0.02 says 2 points.")
        )
    if not is_real(margin) or not 0 <= margin < math.inf:
        raise InvalidInputError(
            wording("`margin` must be a finite number of at least 0; got {!r}.", margin),
            hint="it is a size: the requirement says in which direction it counts.",
        )
    if kind == "equivalent" and margin == 0:
        raise InvalidInputError(
            wording("The requirement 'equivalent' needs a `margin` above 0: no two systems are exactly equal."),
            hint=wording("how large a difference does not matter? margin=0.02 says 2 points."),
        )
    return float(margin) + 0.0
