"""Names and lists as people should read them: visible, short, counted, and escaped; until then they are hostile."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the known name that looks most like `name`, if any does."""
    matches = difflib.get_close_matches(str(name).lower(), [str(k) for k in known], n=1, cutoff=0.5)
    return matches[0] if matches else None


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a question that suggests the nearest known name, to begin a hint with; empty where none looks like it.

    Examples
    --------
    >>> did_you_mean("accurate", ["accuracy", "f1"])
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


_MAX_CHARS_IN_TERMINAL: Final = 60
_LEFTWARDS: Final = ("R", "AL", "AN")
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]~|#])")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "@": "&#64;", "://": "&#58;//"}
_ENTITY: Final = re.compile("|".join(map(re.escape, _ENTITIES)))
_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "-": "{-}", "[": "{[}", "]": "{]}", "*": "{*}",
    "≈": r"$\approx$", "≪": r"$\ll$", "≫": r"$\gg$", "±": r"$\pm$", "−": r"$-$", "∞": r"$\infty$",
    "–": r"\textendash{}", "Δ": r"$\Delta$", "≥": r"$\geq$", "…": r"\dots{}", "β": r"$\beta$", "·": r"$\cdot$",
}  # fmt: skip


def isolated(text: str) -> str:
    r"""Make a name safe for plain text and HTML; one that is read from right to left turns nothing around it.

    Examples
    --------
    >>> isolated("svm"), isolated("\u05d0")
    ('svm', '\u2068\u05d0\u2069')
    """
    shown = text if text.isprintable() else visible(text)
    leftwards = any(unicodedata.bidirectional(char) in _LEFTWARDS for char in shown)
    return f"\u2068{shown}\u2069" if leftwards else shown


def terminal(text: str) -> str:
    """Make a name safe for a terminal, and short."""
    shown = visible(text)
    return isolated(brief(shown, _MAX_CHARS_IN_TERMINAL))


def markdown(text: str) -> str:
    r"""Make a name safe for Markdown, GitHub's tables and formulas included.

    Examples
    --------
    >>> print(markdown("a|b <i> $x$"))
    a\|b &lt;i&gt; &#36;x&#36;
    """
    escaped = _MARKDOWN.sub(r"\\\1", visible(text))
    return _ENTITY.sub(lambda match: _ENTITIES[match[0]], escaped)


def latex(text: str) -> str:
    r"""Make a name safe for LaTeX text mode.

    Characters that plain pdfLaTeX has no glyph for are written as their code points.

    Examples
    --------
    >>> latex("50% <b> \\input{x}")
    '50\\% \\textless{}b\\textgreater{} \\textbackslash{}input\\{x\\}'
    """
    parts = []
    for char in visible(text):
        if char in _LATEX:
            parts.append(_LATEX[char])
        elif ord(char) < 0x180:  # noqa: PLR2004 - the letters that T1-less pdfLaTeX knows by UTF-8
            parts.append(char)
        else:
            parts.append(rf"\texttt{{U+{ord(char):04X}}}")
    return "".join(parts)
