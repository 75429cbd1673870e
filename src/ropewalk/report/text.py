"""Results as text for a terminal, Markdown and LaTeX."""

from __future__ import annotations

import textwrap
import unicodedata

from ropewalk.report import checks, studies
from ropewalk.report.remarks import remarks
from ropewalk.report.shape import Share, Table, View
from ropewalk.report.view import caption, table, tables, view
from ropewalk.results import (
    Battery,
    ClassComparisons,
    Confusion,
    Curve,
    Nemenyi,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Rendered,
    Validated,
)
from ropewalk.text import escape
from ropewalk.text.names import visible
from ropewalk.text.numbers import savage_dickey

_BAR = 45
_BLOCKS = "░▒█"
_LABEL = 9


def text(result: Rendered) -> str:
    """Return the answer and all remarks."""
    return "\n".join([body(result), *remark_lines(result)])


def body(result: Rendered) -> str:
    """Return the short verdict, or for classes the table of all of them."""
    if isinstance(result, Ranking | PriorSensitivity | Battery | Curve | Nemenyi | Validated):
        return _with_tables(result, tables(result, escape.terminal))
    if isinstance(result, studies.Planned):  # the words say the answer, so its table is left out
        return _with_tables(result, studies.row_tables(result, escape.terminal))
    if isinstance(result, PredictiveCheck):
        return _with_tables(result, checks.short_tables(result, escape.terminal))
    if isinstance(result, Confusion):
        return "\n".join([caption(result, escape.terminal), aligned(table(result, escape.terminal))])
    if not isinstance(result, ClassComparisons):
        return "\n\n".join(_paragraph(one) for one in view(result, escape.terminal))
    lines = [caption(result, escape.terminal), "", aligned(table(result, escape.terminal))]
    doubtful = any(c.bayes_factor is not None and savage_dickey(c.bayes_factor).endswith("?") for c in result)
    if doubtful:
        lines.append("BF is Savage-Dickey at 0; ? marks one with few draws near 0")
    return "\n".join(lines)


def _with_tables(result: Rendered, grids: tuple[Table, ...]) -> str:
    paragraphs = [_paragraph(one) for one in view(result, escape.terminal)]
    return "\n\n".join([*paragraphs, *map(aligned, grids)])


def remark_lines(result: Rendered, kinds: tuple[str, ...] = ("Hint", "Assumes", "Note", "Warning")) -> list[str]:
    """Return hints, assumptions, notes and warnings as labelled lines."""
    return [_labelled(kind, told) for kind, told in remarks(result, visible) if kind in kinds]


def _paragraph(one: View) -> str:
    width = max([_LABEL, *(len(label) + 2 for label, _ in one.lines)])
    lines = [_labelled(label, says, width) for label, says in one.lines]
    verdict = f"{one.headline}  [{one.symbol}]" if one.symbol else one.headline
    lines += [*([""] if lines else []), _labelled("Verdict" if one.symbol else "Answer", verdict, width)]
    if one.shares:
        told = " · ".join(f"{s.words} {s.text}" for s in one.shares)
        lines += [" " * width + _bar(one.shares), " " * width + told]
    if one.note:
        lines.append(_labelled("Note", one.note, width))
    if one.more:
        lines.append(_labelled("More", one.more, width))
    if one.tests:
        lines.append(_labelled("Tests", one.tests, width))
    return "\n".join(lines)


def _labelled(label: str, says: str, width: int = _LABEL) -> str:
    return textwrap.fill(
        says, 110, initial_indent=f"{label:<{width}}", subsequent_indent=" " * width, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _bar(shares: tuple[Share, ...]) -> str:
    """Draw the three regions in the order of the axis; rounding never hides a region of a full step."""
    edges = [0.0]
    for share in shares:
        edges.append(edges[-1] + share.share)
    marks = [round(edge * _BAR) for edge in edges]
    return (
        "▕" + "".join(block * (high - low) for block, low, high in zip(_BLOCKS, marks, marks[1:], strict=False)) + "▏"
    )


def aligned(data: Table) -> str:
    """Lay out a table in columns of equal width."""
    rows = [data.header, *data.rows]
    widths = [max(_width(row[i]) for row in rows) for i in range(len(data.header))]
    lines = []
    for row in rows:
        cells = []
        for i, cell in enumerate(row):
            gap = " " * (widths[i] - _width(cell))
            is_text = i < data.text_columns or (data.ends_in_text and i == len(row) - 1)
            cells.append(cell + gap if is_text else gap + cell)
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(lines)


def _width(cell: str) -> int:
    """How many terminal columns a text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in cell
    )


def markdown(result: Rendered) -> str:
    """Return the tables of a result as GitHub-flavoured Markdown."""
    lines = []
    for data in tables(result, escape.markdown):
        last = len(data.header) - 1 if data.ends_in_text else None
        align = ["---" if i < data.text_columns or i == last else "---:" for i in range(len(data.header))]
        lines += ["| " + " | ".join(row) + " |" for row in (data.header, tuple(align), *data.rows)]
        lines.append("")
    return "\n".join([*lines, caption(result, escape.markdown)]) + "\n"


def latex(result: Rendered) -> str:
    """Return the tables of a result as LaTeX tabulars; they need the packages booktabs and textcomp."""
    lines = [
        rf"% {caption(result, visible)}",
        r"% \usepackage[T1]{fontenc} \usepackage{booktabs,textcomp}",
    ]
    for i, data in enumerate(tables(result, escape.latex)):
        columns = "l" * data.text_columns + "r" * (len(data.header) - data.text_columns)
        columns = columns[:-1] + "l" if data.ends_in_text else columns
        # In numbers the hyphen is a minus sign.
        rows = [
            (*row[: data.text_columns], *(cell.replace("{-}", "$-$") for cell in row[data.text_columns :]))
            for row in data.rows
        ]
        lines += [
            *(["", r"\medskip", ""] if i else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(data.header) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    return "\n".join(lines) + "\n"
