"""Names are hostile until escaped: one function for each place that text may end up in."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ropewalk.text.names import visible

_LONGEST: Final = 60
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
    return isolated(shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…")


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
