"""Scenarios as people say or write them: a sentence, or a JSON file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from ropewalk.errors import FileFormatError, InvalidInputError, RopewalkError
from ropewalk.planning.scenarios import BinaryScenario, ConfusionScenario, JointScenario, MetricScenario, Scenario
from ropewalk.text.names import brief, nearest

_LONGEST: Final = 300  # letters of a sentence
EXAMPLE: Final = "F1 .60 against .50 at agreement .7"
_NUMBER: Final = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*%?)"
_SAID: Final = re.compile(
    rf"\s*(?P<metric>[a-z][a-z_ 0-9]*?(?:\([^)]*\))?)\s*(?:of\s+|=\s*|:\s*)?{_NUMBER}\s*"
    rf"(?:against|versus|vs\.?|v\.?|and|to|over|,)\s*{_NUMBER}(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ASIDE: Final = re.compile(
    rf"[\s,;]*(?:(?:at|with|and|an?|the|of)\s+)*(?:"
    rf"(?P<what>agreement|prevalence)\s*(?:of|=|:)?\s*{_NUMBER}|(?P<classes>\d+)\s+(?:classes|labels))",
    re.IGNORECASE,
)
_FORMS: Final[dict[str, tuple[type, tuple[str, ...], tuple[str, ...]]]] = {
    "positive and negative": (BinaryScenario, ("positive", "negative"), ("prevalence", "names")),
    "a, b and metric": (MetricScenario, ("metric", "a", "b"), ("agreement", "prevalence", "n_classes", "names")),
    "confusion_a and confusion_b": (
        ConfusionScenario, ("confusion_a", "confusion_b"), ("agreement", "prevalence", "labels", "names"),
    ),
    "joint": (JointScenario, ("joint",), ("labels", "names")),
}  # fmt: skip
_CALLED: Final = {"confusion_a": "a", "confusion_b": "b", "joint": "table"}


def from_words(text: str) -> MetricScenario:
    """Read a difference of a metric as people say it.

    Examples
    --------
    >>> s = from_words("F1 .60 against .50 at agreement .7 and prevalence 20%")
    >>> s.metric, s.a, s.b, s.agreement, s.prevalence
    ('f1', 0.6, 0.5, 0.7, 0.2)
    """
    match = _SAID.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise InvalidInputError(f"Cannot read the scenario {brief(text)!r}.", hint=f"say it as {EXAMPLE!r}.")
    said: dict[str, Any] = {
        "metric": re.sub(r"\s+", "_", match["metric"].strip().lower()),
        "a": _number(match[2]),
        "b": _number(match[3]),
    }
    rest, end = match["rest"].strip(), 0
    while end < len(rest):
        aside = _ASIDE.match(rest, end)
        if aside is None:
            raise InvalidInputError(
                f"Cannot read {brief(rest[end:].strip())!r} in the scenario {brief(text)!r}.",
                hint=f"say it as {EXAMPLE!r}; also 'prevalence .2' or '10 classes'.",
            )
        name = "n_classes" if aside["classes"] else aside["what"].lower()
        if name in said:
            raise InvalidInputError(f"The scenario {brief(text)!r} says its {name} twice.")
        said[name] = int(aside["classes"]) if aside["classes"] else _number(aside[2])
        end = aside.end()
        if not rest[end:].strip(" .;,"):
            break
    return MetricScenario(**said)


def _number(text: str) -> float:
    text = text.strip()
    if text.endswith("%"):
        return round(float(text[:-1]) / 100, 12)
    return float(text)


def from_mapping(told: Any) -> Scenario:
    """Make a scenario from the object of a JSON file, or one like it.

    Examples
    --------
    >>> from_mapping({"prevalence": 0.5, "positive": [0.3, 0.3, 0.2, 0.2], "negative": [0.2, 0.2, 0.3, 0.3]}).prevalence
    0.5
    """
    if isinstance(told, str):
        return from_words(told)
    if not isinstance(told, Mapping):
        raise FileFormatError("A scenario is a JSON object.", hint=_hint())
    given = {key: value for key, value in told.items() if key != "schema"}
    inner = given.get("scenario")
    if set(given) == {"scenario"} and not (isinstance(inner, Mapping) and "scenario" in inner):
        return from_mapping(inner)
    for kind, needed, also in _FORMS.values():
        if all(key in given for key in needed):
            known = (*needed, *also)
            for key in given:
                if key not in known:
                    guess = nearest(key, known)
                    raise FileFormatError(
                        f"A scenario with {', '.join(needed)} has no {key!r}.",
                        hint=(f"did you mean {guess!r}? " if guess else "") + f"It may hold: {', '.join(known)}.",
                    )
            made: Scenario = kind(**{_CALLED.get(key, key): value for key, value in given.items()})
            return made
    raise FileFormatError(
        f"This object is no scenario: it has {', '.join(map(repr, given)) or 'no keys'}.", hint=_hint()
    )


def from_json(text: str) -> Scenario:
    """Read a scenario from JSON."""
    try:
        return from_mapping(json.loads(text))
    except (ValueError, RecursionError) as error:
        if isinstance(error, RopewalkError):
            raise
        raise FileFormatError(f"This is no JSON: {error}.", hint=_hint()) from error


def _hint() -> str:
    return f"a scenario has {'; or '.join(_FORMS)}; or it is said in words: {EXAMPLE!r}."
