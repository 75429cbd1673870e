"""Files that are no tables: answers of ropewalk, scenarios of test sets to come, and relevance judgements."""

from __future__ import annotations

import os
from typing import Any, Final

from ropewalk.data.opening import opened, parse_json

ANSWERS: Final = {
    "delta": "a comparison",
    "pairwise": "a ranking",
    "metrics": "an evaluation",
    "classes": "comparisons of every class",
    "tests": "classical tests",
}
"""What an answer is, by a key that no other kind of answer has."""

_SCENARIOS: Final = (("positive", "negative"), ("metric", "a", "b"), ("confusion_a", "confusion_b"), ("joint",))
_QREL_FIELDS: Final = 4
_LINES_TRIED: Final = 5
_CAP: Final = 1 << 22  # an answer, or a scenario, is much shorter


def is_answer(path: str | os.PathLike[str], head: bytes) -> bool:
    """Whether a file that begins so is an answer that was written as JSON."""
    return _may_have(head, ("schema",)) and _is_answer(short_document(path))


def is_scenario(path: str | os.PathLike[str], head: bytes) -> bool:
    """Whether a file that begins so is a scenario."""
    if not any(_may_have(head, keys) for keys in _SCENARIOS):
        return False
    document = short_document(path)
    return not _is_answer(document) and any(all(key in document for key in keys) for keys in _SCENARIOS)


def is_qrels(head: bytes) -> bool:
    r"""Whether a file that begins so lists relevance judgements: topic, iteration, document and grade on each line.

    Examples
    --------
    >>> is_qrels(b"301 0 FR940202 1\n301 0 FR940203 0\n"), is_qrels(b"y,a,b\n1,1,0\n")
    (True, False)
    """
    lines = [line.split() for line in head.splitlines()[:_LINES_TRIED] if line.strip()]
    return bool(lines) and all(
        len(line) == _QREL_FIELDS and line[1].isdigit() and line[3].lstrip(b"-").isdigit() for line in lines
    )


def short_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return a short JSON object, and an empty one for anything else."""
    with opened(path) as stream:
        content = stream.read(_CAP + 1)
    try:
        document = parse_json(content.decode("utf-8-sig")) if len(content) <= _CAP else None
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _is_answer(document: dict[str, Any]) -> bool:
    return document.get("schema") == 1 and not ANSWERS.keys().isdisjoint(document)


def _may_have(head: bytes, keys: tuple[str, ...]) -> bool:
    """Whether a text that begins so may be an object with some keys."""
    return head[:1] == b"{" and all(f'"{key}"'.encode() in head for key in keys)
