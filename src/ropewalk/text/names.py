"""Names and lists as people should read them: visible, short, and counted."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the known name that looks most like `name`, if any does."""
    matches = difflib.get_close_matches(str(name).lower(), [str(k) for k in known], n=1, cutoff=0.5)
    return matches[0] if matches else None


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a question that suggests the nearest known name, to begin a hint with; empty where none looks like it.

    Examples
    --------
    >>> did_you_mean("acuracy", ["accuracy", "f1"])
    "did you mean 'accuracy'? "
    """
    guess = nearest(name, known)
    return f"did you mean {guess!r}? " if guess else ""


def brief(text: str, longest: int = 60) -> str:
    """Return a text cut to a readable length.

    Examples
    --------
    >>> brief("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def visible(text: str) -> str:
    r"""Make control characters, line breaks, bidi overrides and lone surrogates visible instead of active.

    Examples
    --------
    >>> print(visible("red \x1b[31m"))
    red \x1b[31m
    """
    # Cc and Cf hold everything that steers a terminal or the direction of text; Zl and Zp break lines.
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char != "\u200d"
        else char
        for char in text
    )


def few(remarks: Iterable[str], limit: int = 6) -> list[str]:
    """Return distinct remarks, all or the first few and how many more there are.

    Examples
    --------
    >>> few(["a", "b", "a", "c", "d"], limit=3)
    ['a', 'b', '… and 2 more like these.']
    """
    distinct = list(dict.fromkeys(remarks))
    if len(distinct) <= limit:
        return distinct
    return [*distinct[: limit - 1], f"… and {len(distinct) - limit + 1:,} more like these."]


def count_of(number: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count_of(1, "item"), count_of(7532, "item")
    ('1 item', '7,532 items')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shorten(items: Iterable[object], limit: int = 12) -> str:
    """Return a readable list of at most `limit` items."""
    shown = [brief(repr(item)) for item in items]
    more = len(shown) - limit
    return ", ".join(shown[:limit]) + (f", … ({more} more)" if more > 0 else "")
