"""Results in, text out; nothing here computes a statistic.

A result is described once, in blocks (`document`), by the function that is registered for its kind (`describe`), and
every surface (`render`) arranges these blocks in its own way.
"""

from __future__ import annotations

import os

from ropewalk._files import write_text
from ropewalk.report import describe as _kinds  # noqa: F401 - registers the kinds of results
from ropewalk.report import document as _document
from ropewalk.report import render as _render
from ropewalk.results import Rendered

__all__ = ["body", "card", "html", "latex", "markdown", "remark_lines", "sentence", "text"]


def text(result: Rendered) -> str:
    """Return the answer and all remarks, for a terminal."""
    return _render.text(_document.describe(result))


def body(result: Rendered) -> str:
    """Return the answer without remarks, for a terminal."""
    return _render.body(_document.describe(result))


def remark_lines(result: Rendered, kinds: tuple[str, ...] = ("Hint", "Assumes", "Note", "Warning")) -> list[str]:
    """Return hints, assumptions, notes and warnings as labelled lines."""
    return _render.remark_lines(_document.describe(result), kinds)


def markdown(result: Rendered) -> str:
    """Return the tables of a result as GitHub-flavoured Markdown."""
    return _render.markdown(_document.describe(result))


def latex(result: Rendered) -> str:
    """Return the tables of a result as LaTeX tabulars; they need the packages booktabs and textcomp."""
    return _render.latex(_document.describe(result))


def sentence(result: Rendered) -> str:
    """Return a result in one sentence, or one per metric for an evaluation."""
    return _render.sentence(_document.describe(result))


def card(result: Rendered) -> str:
    """Return a fragment for a notebook."""
    return _render.card(_document.describe(result))


def html(result: Rendered, path: str | os.PathLike[str] | None = None) -> str:
    """Return one self-contained page, and write it to `path` if given."""
    page = _render.page(_document.describe(result), result.to_json())
    if path is not None:
        write_text(path, page)
    return page
