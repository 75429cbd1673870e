"""Remarks beside an answer, as values: what is worth knowing about it (notes) and what is wrong with it (warnings)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from ropewalk.errors import (
    ConvergenceWarning,
    DegenerateDataWarning,
    PriorDominanceWarning,
    RopewalkWarning,
    warn_caller,
)
from ropewalk.text.names import few as few_texts
from ropewalk.text.names import visible
from ropewalk.text.options import Mention, mentions_in

Level = Literal["note", "warning"]

_CATEGORIES: Final[Mapping[str, type[RopewalkWarning]]] = {
    "prior_pulls": PriorDominanceWarning,
    "chains_not_converged": ConvergenceWarning,
}


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence beside an answer; `code` names what it is about and stays the same when the wording changes.

    All codes are listed in docs/reference/remarks.md.
    """

    code: str
    level: Level
    text: str

    @property
    def options(self) -> tuple[Mention, ...]:
        """The options that the text names."""
        return mentions_in(self.text)

    @property
    def category(self) -> type[RopewalkWarning]:
        """The class of the warning that Python issues for it."""
        return _CATEGORIES.get(self.code, DegenerateDataWarning)


def note(code: str, text: str) -> Remark:
    """Return what is worth knowing about an answer."""
    return Remark(code, "note", text)


def warning(code: str, text: str) -> Remark:
    """Return what is wrong with an answer, its data or its question."""
    return Remark(code, "warning", text)


def as_notes(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Return remarks as notes, for answers that have no verdict to be wary of."""
    return tuple(replace(remark, level="note") for remark in remarks)


def few(remarks: Iterable[Remark], limit: int = 6) -> list[Remark]:
    """Return distinct remarks of one level, all or the first few and how many more there are.

    Examples
    --------
    >>> [remark.text for remark in few((note("letter", text) for text in "abacd"), limit=3)]
    ['a', 'b', '… and 2 more like these.']
    """
    by_text = {remark.text: remark for remark in remarks}
    level: Level = next((remark.level for remark in by_text.values()), "note")
    return [by_text.get(text) or Remark("more_like_these", level, text) for text in few_texts(by_text, limit)]


def issue(remarks: Iterable[Remark]) -> None:
    """Issue the warnings among remarks, so that they point at the line that called the verb."""
    for remark in remarks:
        if remark.level == "warning":
            warn_caller(visible(remark.text), remark.category)


class Remarked:
    """An answer with remarks, whose sentences can be read by level."""

    __slots__ = ()

    remarks: tuple[Remark, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing about the answer."""
        return tuple(remark.text for remark in self.remarks if remark.level == "note")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the answer, its data or its question."""
        return tuple(remark.text for remark in self.remarks if remark.level == "warning")
