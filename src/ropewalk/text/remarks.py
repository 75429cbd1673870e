"""Sentences that remember the options they name, and remarks made of them.

The command line spells options its own way: what a sentence remembers is all that it changes. A remark is a value: what
is worth knowing about an answer (a note), or what is wrong with it (a warning).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from shlex import quote
from string import Formatter
from typing import Final, Literal, Self

from ropewalk.errors import (
    ConvergenceWarning,
    DegenerateDataWarning,
    DependentFoldsWarning,
    DependentItemsWarning,
    PriorDominanceWarning,
    warn_caller,
)
from ropewalk.text.writing import few as few_texts
from ropewalk.text.writing import told, visible

# -- options that a sentence names -------------------------------------------------------------------------


_MENTION: Final = re.compile(
    r"`([a-z_]+)`|\b([a-z_]+)=(\"[^\"]*\"|'[^']*'|\{[^}]*\}|\([^)]*\)|True|False|-?[0-9](?:[\w.]*\w)?)?"
    r"(?![\w\[(…])"
)


_LONGEST: Final = 200  # letters of a value that a sentence shows
_OPTION: Final = "\ufdd2"  # stands for an option; Unicode keeps it out of all texts
_SENTENCE: Final = re.compile(r"(?<=[.?!;:])\s+")


@dataclass(frozen=True, slots=True)
class Mention:
    """An option that a sentence names, as Python spells it in `text`, and the value that it proposes, if any."""

    name: str
    text: str
    value: str | None = None

    def in_shell(self, flags: Mapping[str, str]) -> str:
        """Return the option as a command line has it, where it has a flag."""
        if self.value == "False" and f"no_{self.name}" in flags:
            return flags[f"no_{self.name}"]
        if self.name not in flags:
            return self.text
        if self.value == "True":
            return flags[self.name]
        return flags[self.name] if self.value is None else f"{flags[self.name]} {self.value}"


class Wording(str):
    """A sentence that remembers the options it names: `+` and `wording` keep them, f-strings and `join` forget them.

    What has forgotten is still right in Python, and the command line prints it as it is.
    """

    __slots__ = ("pieces",)

    pieces: tuple[str | Mention, ...]

    def __new__(cls, *pieces: str | Mention) -> Self:
        """Return the sentence that is made of these pieces."""
        sentence = super().__new__(cls, "".join(piece if isinstance(piece, str) else piece.text for piece in pieces))
        sentence.pieces = pieces
        return sentence

    def __add__(self, other: str) -> Wording:
        return Wording(*self.pieces, *_pieces(other))

    def __radd__(self, other: str) -> Wording:
        return Wording(*_pieces(other), *self.pieces)


def _pieces(text: str) -> tuple[str | Mention, ...]:
    return text.pieces if isinstance(text, Wording) else (text,)


def mentions_in(text: str) -> tuple[Mention, ...]:
    """Return the options that a sentence remembers."""
    return tuple(piece for piece in _pieces(text) if isinstance(piece, Mention))


def wording(template: str, *values: object) -> Wording:
    r"""Return a sentence that remembers the options it names: `rope`, rope=, rope=0.01, rule="hdi" or pos_label={!r}.

    The template must be written in the source, with a field for every value: what users named is never read, so that a
    class that is called rope= is not taken for an option.

    Examples
    --------
    >>> flags = {"missing": "--missing", "labels": "--labels"}
    >>> in_shell(wording('no class {!r}; use missing="drop", or labels=.', "labels="), flags)
    "no class 'labels='; use --missing drop, or --labels."
    """
    pieces: list[str | Mention] = []
    rest, stop = iter(values), 0
    for match in _MENTION.finditer(template):
        argument, name, value = match.groups()
        pieces += _filled(template[stop : match.start()], rest)
        if argument:
            pieces += ["`", Mention(argument, argument), "`"]
        elif value is None:
            pieces.append(Mention(name, f"{name}="))
        elif value.startswith("{"):
            chosen = next(rest)
            pieces.append(Mention(name, f"{name}={value.format(chosen)}", quote(str(chosen))))
        else:
            filled = Wording(*_filled(value, rest))
            plain = filled.strip("()").replace(" ", "") if filled.startswith("(") else filled.strip("'\"")
            pieces.append(Mention(name, f"{name}={filled}", plain))
        stop = match.end()
    return Wording(*pieces, *_filled(template[stop:], rest))


def _filled(template: str, values: Iterator[object]) -> Iterator[str | Mention]:
    """Yield the pieces of a part of a template, its fields filled."""
    for literal, field, spec, conversion in Formatter().parse(template):
        yield literal
        if field is not None:
            value = next(values)
            if isinstance(value, Wording) and not spec and not conversion:
                yield from value.pieces
            else:
                yield told(value, _LONGEST) if conversion == "r" and not spec else format(value, spec or "")


def argument(name: str) -> Wording:
    """Return the name of an argument as errors have it.

    Examples
    --------
    >>> in_shell(argument("max_n") + " must be a number.", {"max_n": "--max-n"})
    '`--max-n` must be a number.'
    """
    return Wording("`", Mention(name, name), "`")


def in_shell(text: str, flags: Mapping[str, str]) -> str:
    """Return a sentence with the options that have a flag spelled as on a command line."""
    return "".join(piece if isinstance(piece, str) else piece.in_shell(flags) for piece in _pieces(text))


def for_shell(text: str, flags: Mapping[str, str]) -> str:
    """Return a text as a command says it: without the sentences that name what only Python has.

    Examples
    --------
    >>> advice = wording("The best was lucky too. pool=False gives each its own. See also scale=(low, high).")
    >>> for_shell(advice, {"no_pool": "--no-pool", "scale": "--scale"})
    'The best was lucky too. --no-pool gives each its own. See also --scale low,high.'
    >>> for_shell("Few items: rough. " + wording("More is known by draws=50."), {})
    'Few items: rough.'
    """
    known = [
        _OPTION if isinstance(piece, Mention) and piece.in_shell(flags) == piece.text else piece
        for piece in _pieces(text)
    ]
    if _OPTION not in known:
        return in_shell(text, flags)
    spelled = "".join(piece if isinstance(piece, str) else piece.in_shell(flags) for piece in known)
    return _without_marked(spelled) or in_shell(text, flags)


def without_options(text: str) -> str:
    """Return a text without the sentences that name options: readers of a page have none to set.

    Examples
    --------
    >>> without_options(wording('4 rows have no answer. Count them as errors by missing="wrong".'))
    '4 rows have no answer.'
    """
    whole = "".join(piece if isinstance(piece, str) else _OPTION for piece in _pieces(text))
    return _without_marked(whole)


def _without_marked(whole: str) -> str:
    """Return a text without the sentences that hold an option."""
    if _OPTION not in whole:
        return whole
    kept = [part for part in _SENTENCE.split(whole) if _OPTION not in part]
    left = " ".join(kept).rstrip(" :;,")
    return left if not left or left.endswith((".", "?", "!")) else f"{left}."


# -- remarks -----------------------------------------------------------------------------------------------


Level = Literal["note", "warning"]

_CATEGORIES: Final[Mapping[str, type[UserWarning]]] = {
    "prior_decides": PriorDominanceWarning,
    "prior_pulls": PriorDominanceWarning,
    "dependent_rows": DependentFoldsWarning,
    "dependent_items": DependentItemsWarning,
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
    def category(self) -> type[UserWarning]:
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
