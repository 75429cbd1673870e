"""One statement that only reads: what else a query might do is refused before it reaches a database.

Databases that ropewalk opens itself are opened for reading only as well; these rules make the message clear, and hold
for connections that others opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ropewalk.errors import InvalidInputError
from ropewalk.text.writing import brief

READS: Final = frozenset({"select", "with", "values", "table", "from"})
"""The words that a query may begin with; DuckDB lets one begin with FROM."""

_HINT: Final = "give one SELECT, such as: SELECT truth, a, b FROM predictions."
_PIECE: Final = re.compile(
    r"""
    (?P<space>    \s+ | --[^\n]* )
  | (?P<comment>  /\*.*?\*/ )
  | (?P<text>     [eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | (?P<tag>\$\w*\$).*?(?P=tag) )
  | (?P<name>     "(?:[^"]|"")*" | `[^`]*` )
  | (?P<word>     [^\W\d]\w* )
  | (?P<open>     '|"|`|/\* )
  | (?P<sign>     . )
    """,
    re.VERBOSE | re.DOTALL,
)


def check_query(query: str) -> str:
    """Return a query without the semicolon at its end, if it is one statement that only reads.

    Examples
    --------
    >>> check_query("SELECT y, a FROM preds WHERE note <> ';' -- all; of them")
    "SELECT y, a FROM preds WHERE note <> ';' -- all; of them"
    >>> check_query("TABLE preds; ")
    'TABLE preds'
    """
    if not isinstance(query, str):
        raise InvalidInputError(f"A query must be a text; got {type(query).__name__}.", hint=_HINT)
    words: list[str] = []  # of what is neither space nor comment; texts and quoted names are one sign each
    depth, end = 0, len(query)
    for kind, piece, start in _pieces(query):
        if end < len(query):
            raise InvalidInputError("The query holds several statements.", hint=_HINT)
        if piece == ";":
            end = start
            continue
        depth += (piece == "(") - (piece == ")")
        if depth < 0:
            raise InvalidInputError("The query closes a parenthesis that it never opens.", hint=_HINT)
        words.append(piece.lower() if kind == "word" else piece if kind == "sign" else "'")
    if depth:
        raise InvalidInputError("The query never closes a parenthesis.", hint=_HINT)
    _check_words(words, query)
    return query[:end].strip()


def is_ordered(query: str) -> bool:
    """Whether a query says in which order its rows, or some rows inside it, come.

    Examples
    --------
    >>> is_ordered("SELECT * FROM preds ORDER BY id"), is_ordered('SELECT "order" FROM preds -- in order')
    (True, False)
    """
    return any(kind == "word" and piece.lower() == "order" for kind, piece, _ in _pieces(query))


def _pieces(query: str) -> Iterator[tuple[str, str, int]]:
    """Yield what counts in a query: kind, text and place."""
    for match in _PIECE.finditer(query):
        kind, piece = str(match.lastgroup), match.group()
        kind = "text" if kind == "tag" else kind
        if kind == "open":
            raise InvalidInputError(f"The query opens {piece} and never closes it.", hint=_HINT)
        if "\0" in piece:
            raise InvalidInputError("The query holds a null character.", hint=_HINT)
        if kind == "comment" and "/*" in piece[2:]:  # databases differ in where it ends
            raise InvalidInputError("The query holds a comment in a comment.", hint="leave the comments out.")
        if kind not in {"space", "comment"}:
            yield kind, piece, match.start()


def _check_words(words: list[str], query: str) -> None:
    """Refuse what writes: by its first word, by INTO, or as a DELETE or UPDATE beside a WITH."""
    first = next((word for word in words if word != "("), "")
    if first not in READS:
        if len(words) == 1 and words[0] not in {"'", ";"}:
            hint = f"for all rows of a table: SELECT * FROM {query.strip()}."  # noqa: S608
            raise InvalidInputError(f"{brief(repr(query.strip()))} is not a query.", hint=hint)
        name = first.upper() if first.isidentifier() else brief(repr(query.strip()))
        text = f"A query must be a SELECT; got {name}." if words else "The query is empty."
        raise InvalidInputError(text, hint=_HINT)
    writes = "into" in words or any(
        (before in {"(", ")"} and (verb, after) == ("delete", "from")) or (verb == "update" and _sets(words[place:]))
        for place, (before, verb, after) in enumerate(zip(words, words[1:], words[2:], strict=False), 1)
        if before in {"(", ")"}
    )
    if writes:
        raise InvalidInputError("The query would write into the database.", hint=_HINT)


def _sets(words: list[str]) -> bool:
    """Whether UPDATE is followed by SET before its parenthesis ends."""
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if depth < 0:
            return False
        if word == "set" and not depth:
            return words[1] not in {",", ".", "=", "+", "-", "*", "/", "<", ">", "is", "and", "or", "as", "in"}
    return False
