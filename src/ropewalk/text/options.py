"""Options that a sentence names, remembered so that the command line can spell them its own way."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

SHARED: Final = frozenset({
    "at_least", "batch", "classes", "cluster", "conclusive", "cost_matrix", "cost_per_item", "draws", "goal", "id",
    "labels", "max_n", "metric", "min_n", "missing", "model", "n", "n_items", "n_jobs", "permutations", "pos_label",
    "power", "predictions", "prevalence", "prob", "rope", "rule", "simulations", "threads", "unmatched", "value",
    "width",
})  # fmt: skip
"""Options that Python and the command line share, but for the dashes."""

_MENTION: Final = re.compile(r"`([a-z_]+)`|\b([a-z_]+)=(\"[^\"]*\"|'[^']*'|-?[0-9](?:[\w.]*\w)?)?")


@dataclass(frozen=True, slots=True)
class Option:
    """An option, and the value that a sentence proposes for it; None where it names the option alone."""

    name: str
    value: str | None = None

    @property
    def in_shell(self) -> str:
        """The option as a command line has it.

        Examples
        --------
        >>> Option("missing", "drop").in_shell, Option("pos_label").in_shell
        ('--missing drop', '--pos-label')
        """
        name = f"--{self.name.replace('_', '-')}"
        return name if self.value is None else f"{name} {self.value}"


@dataclass(frozen=True, slots=True)
class _Mention:
    """Where a sentence names an option, as Python spells it."""

    start: int
    stop: int
    option: Option


class Wording(str):
    """A sentence that remembers where it names options: `+` keeps that, f-strings and `join` forget it.

    What has forgotten is still right in Python, and the command line prints it as it is.
    """

    __slots__ = ("mentions",)

    mentions: tuple[_Mention, ...]

    def __new__(cls, text: str, mentions: tuple[_Mention, ...] = ()) -> Self:
        """Return `text`, which names options at `mentions`."""
        wording = super().__new__(cls, text)
        wording.mentions = mentions
        return wording

    def __add__(self, other: str) -> Wording:
        return _joined(self, other)

    def __radd__(self, other: str) -> Wording:
        return _joined(other, self)


def _joined(first: str, second: str) -> Wording:
    shift = len(first)
    moved = tuple(_Mention(m.start + shift, m.stop + shift, m.option) for m in _mentions(second))
    return Wording(f"{first}{second}", (*_mentions(first), *moved))


def _mentions(text: str) -> tuple[_Mention, ...]:
    return text.mentions if isinstance(text, Wording) else ()


def with_options(text: str) -> Wording:
    r"""Return a sentence of ours that remembers the options it names: `rope`, rope=, rope=0.01 or rule="hdi".

    `text` must be written in the source: what users named goes in by `+`, so that a class that is called rope= is not
    taken for an option.

    Examples
    --------
    >>> in_shell(with_options('leave items out by missing="drop", or declare them by labels=.'))
    'leave items out by --missing drop, or declare them by --labels.'
    >>> in_shell("no class 'rope='; " + with_options("see labels=."))
    "no class 'rope='; see --labels."
    """
    mentions = []
    for match in _MENTION.finditer(text):
        argument, name, value = match.groups()
        if (argument or name) in SHARED:
            option = Option(argument or name, None if value is None else value.strip("'\""))
            start, stop = match.span(1) if argument else match.span()
            mentions.append(_Mention(start, stop, option))
    return Wording(text, tuple(mentions))


def option_text(name: str, value: object) -> Wording:
    """Return an option with a value that users named, as Python spells it.

    Examples
    --------
    >>> print("pass " + option_text("pos_label", "spam"))
    pass pos_label='spam'
    """
    text = f"{name}={value!r}"
    return Wording(text, (_Mention(0, len(text), Option(name, str(value))),))


def options_in(text: str) -> tuple[Option, ...]:
    """Return the options that a sentence remembers."""
    return tuple(mention.option for mention in _mentions(text))


def in_shell(text: str) -> str:
    """Return a sentence with its options spelled as on a command line."""
    parts, stop = [], 0
    for mention in _mentions(text):
        parts += [text[stop : mention.start], mention.option.in_shell]
        stop = mention.stop
    return "".join([*parts, text[stop:]])
