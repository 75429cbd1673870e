"""The items on which two classifiers differ: how many, and the first of them."""

from __future__ import annotations

from typing import Any, Final

from ropewalk.report.document import Answer, Document, Table, describes, name
from ropewalk.results.items import BOTH_WRONG, GAINED, LOST, Items
from ropewalk.text.writing import brief, count_of

MAX_ITEMS_SHOWN: Final = 20
MAX_CELL_LETTERS: Final = 40
_OTHERS: Final = "to_csv and to_frame have them all"


@describes(Items)
def describe_items(result: Items) -> Document:
    """Describe a list of items."""
    a, b, total = name(result.a), name(result.b), sum(result.counts.values())
    headline = f"{a} and {b} differ on {count_of(total, 'item')}" if total else f"{a} and {b} differ on no item"
    headline += f": {_kinds(result, a, b)}" if total else ""
    answer = Answer(title=f"Where do {a} and {b} differ?", headline=headline)
    tables = (_table(result),) if len(result) else ()
    return Document(
        caption=headline,
        answers=(answer,),
        tables=tables,
        terminal=(answer, *tables),
        card=(answer, *tables),
    )


def _kinds(result: Items, a: str, b: str) -> str:
    counts = result.counts
    if result.of_scores:
        return f"{b}'s score is nearer to what is right on {counts[LOST]:,}, {a}'s on {counts[GAINED]:,}"
    return f"{counts[LOST]:,} lost, {counts[GAINED]:,} gained, {counts[BOTH_WRONG]:,} wrong in both, differently"


def _table(result: Items) -> Table:
    """Return the first items."""
    columns = result.columns
    rows = [tuple(_cell(getattr(item, part)) for part in columns) for item in result.rows[:MAX_ITEMS_SHOWN]]
    more = len(result) - len(rows)
    return Table(
        header=tuple(map(name, columns.values())),
        rows=tuple(rows),
        text_columns=len(columns),
        ends_in_text=False,
        note=f"… and {more:,} more: {_OTHERS}." if more > 0 else "",
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    return "–" if value is None else name(brief(str(value), MAX_CELL_LETTERS))
