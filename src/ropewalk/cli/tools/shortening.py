"""The JSON of an answer as an assistant takes it: without what only a program draws from, and never too long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ropewalk.results.base import json_text
from ropewalk.text.writing import cut_middle

MAX_LETTERS: Final = 40_000
"""How long the JSON of an answer may be, and its text."""

MAX_TEXT: Final = 2_000  # letters of a single text in it
MAX_NAME: Final = 60
MAX_NAMES: Final = 20

_BULKY: Final = {"dots", "quantiles", "recipe", "rank_probabilities", "hdi_mc_error", "rope_path"}
_OF_LISTS: Final = {
    "schema", "version", "prior", "engine", "draws", "seed", "prob", "rule", "data_hash", "diagnostics", "scale",
    "exact", "pool", "estimand", "random", "fixed", "prevalence", "classes", "rows", "by_class",
}  # fmt: skip
"""What answers in a list may have alike: then the first of them says it."""

_ROWS: Final = (50, 20, 5)
"""How many entries of a list are shown: the first of these numbers with which an answer is short enough."""


def shortened(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object of an answer without its bulky parts; `left_out` counts entries of lists that were cut.

    Examples
    --------
    >>> shortened({"headline": "A leads", "dots": [0.1] * 100, "pairwise": [{"a": k} for k in range(60)]})["left_out"]
    {'pairwise': 10}
    """
    for most in _ROWS:
        left_out: dict[str, int] = {}
        short: dict[str, Any] = _short(document, most, "", left_out)
        if left_out:
            short["left_out"] = left_out
        if len(json_text(short)) <= MAX_LETTERS:
            return short
    return _within(short, MAX_LETTERS)


def _within(document: Mapping[str, Any], letters: int) -> dict[str, Any]:
    """Return the parts of an object for which there is room, those that are short first; `left_out` names the rest."""
    lengths = {key: len(key) + len(json_text(part)) for key, part in document.items()}
    kept, room = set(), letters
    for key in sorted(lengths, key=lengths.__getitem__):
        room -= lengths[key]
        if room > 0:
            kept.add(key)
    left_out = [cut_middle(key, MAX_NAME) for key in document if key not in kept][:MAX_NAMES]
    return {**{key: document[key] for key in document if key in kept}, "left_out": dict.fromkeys(left_out, "too long")}


def cut(text: str, letters: int = MAX_LETTERS) -> str:
    r"""Return a text that is not too long, cut at the end of a line.

    Examples
    --------
    >>> cut("one\ntwo\nthree", 9)
    'one\ntwo\n… (6 more letters)'
    """
    if len(text) <= letters:
        return text
    head = text[:letters].rpartition("\n")[0] or text[:letters]
    return f"{head}\n… ({len(text) - len(head):,} more letters)"


def _short(value: Any, most: int, name: str, left_out: dict[str, int]) -> Any:
    if isinstance(value, Mapping):
        return {key: _short(part, most, key, left_out) for key, part in value.items() if key not in _BULKY}
    if isinstance(value, str):
        return cut_middle(value, MAX_TEXT)
    if isinstance(value, list):
        if len(value) > most:
            left_out[name] = left_out.get(name, 0) + len(value) - most
        return [
            _short(_own(part, value[0]) if k else part, most, name, left_out) for k, part in enumerate(value[:most])
        ]
    return value


def _own(part: Any, first: Any) -> Any:
    """Return what an entry of a list says otherwise than the first."""
    if not isinstance(part, Mapping) or not isinstance(first, Mapping):
        return part
    return {key: value for key, value in part.items() if key not in _OF_LISTS or first.get(key) != value}
