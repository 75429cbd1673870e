"""Remarks as a page has them: each once, in plain words, and without the options that only who asks can set.

A warning stands in sight; notes, and what speaks of the machinery, stand under how it was computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from ropewalk.text.remarks import without_options


class Line(NamedTuple):
    """A remark as it is printed: under a label, by which a surface knows how urgent it is."""

    label: str
    text: str
    code: str = ""


_MACHINERY: Final = re.compile(r"\b(ROPE|HDI|BF01|[Pp]riors?|posterior|R-hat|ESS)\b|Δ")
_PLAIN: Final = {
    "prior_decides": (
        "The verdict depends on the assumptions that the model starts from: others that are as reasonable may give "
        "another one. More items would settle it."
    ),
    "prior_pulls": (
        "With so few items the assumptions that the model starts from move the estimates away from what was measured."
    ),
    "chains_not_converged": "The sampler has not come to rest, so means, intervals and chances may be wrong.",
}
"""Warnings that speak of the machinery, as a page says them."""


def _is_technical(line: Line) -> bool:
    """Whether a warning speaks of the machinery; what a study assumes may."""
    return line.label == "Warning" and _MACHINERY.search(line.text) is not None


def on_page(lines: Iterable[Line], urgent: tuple[str, ...]) -> tuple[list[Line], list[Line]]:
    """Return the remarks that stand in sight, and those that are folded away; what is about all else comes first.

    Examples
    --------
    >>> lines = [Line("Warning", "4 rows have no answer."), Line("Note", "The prior moves it by 0.3 deviations.")]
    >>> [[line.label for line in part] for part in on_page(lines, ("Warning",))]
    [['Warning'], ['Note']]
    """
    seen: dict[str, Line] = {}
    for line in sorted(lines, key=lambda line: line.code != "chains_not_converged"):
        text = _PLAIN.get(line.code, "") if line.label in urgent else ""
        text = text or without_options(line.text)
        if text:
            seen.setdefault(text, line._replace(text=text))
    in_sight = [line for line in seen.values() if line.label in urgent and not _is_technical(line)]
    return in_sight, [line for line in seen.values() if line not in in_sight]
