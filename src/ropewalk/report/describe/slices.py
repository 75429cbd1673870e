"""Slices of the items: on which A is worse, on which better, as a line, a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.document import Answer, Block, Document, Picture, Section, Table, Text, describes, name
from ropewalk.report.rows import parts_forest, verdict_words
from ropewalk.results import Comparison, Slices
from ropewalk.results.slices import SliceValue, slice_text
from ropewalk.text.remarks import few
from ropewalk.text.units import Shown
from ropewalk.text.writing import brief, count_of, percent

MAX_SLICES_NAMED: Final = 5
MAX_NAME_LETTERS: Final = 40
_POOLED: Final = "Differences are pooled over slices; a verdict must hold for the slice's own items too."
_APART: Final = "Each slice stands for itself: of many, some look worse by chance alone."


@describes(Slices)
def describe_slices(result: Slices) -> Document:
    """Describe slices without the whole."""
    first = result.slices[0].comparison
    a, b = name(first.a), name(first.b)
    told = headline(result)
    answer = Answer(title=f"Where is {a} better or worse than {b}?", headline=told[0].upper() + told[1:])
    drawn = [s.comparison for s in result.slices]
    table = slices_table(result)

    def sections(document: Document) -> tuple[Block, ...]:
        call = f"{method.pair_call(first, 'compare')[:-1]}, by=…)"
        how = method.method_section(document, drawn, call, graph=False)
        return (*document.answer_sections(), *slices_section(result), *document.table_section(), how)

    return Document(
        caption=words.caption_text(words.delta_name(first), *drawn),
        answers=(answer,),
        tables=(table,),
        remarks=tuple(few(remark for c in drawn for remark in c.remarks if remark.level == "warning")),
        terminal=(answer, table),
        card=(answer, table),
        sections=sections,
    )


def headline(result: Slices) -> str:
    """Write on how many slices A is worse, on how many better, and name them."""
    first, n = result.slices[0].comparison, len(result)
    a, b = name(first.a), name(first.b)
    worse, better = (f"{len(part)} ({_named(part)})" if part else "none" for part in (result.worse, result.better))
    how = "beyond chance" if first.rope is None else "by a margin that matters"
    return f"of {count_of(n, 'slice')}, {a} is worse than {b} on {worse} and better on {better}, {how}"


def _named(values: Sequence[SliceValue]) -> str:
    names = [_label(value) for value in values[:MAX_SLICES_NAMED]]
    more = len(values) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _label(value: SliceValue) -> str:
    return name(brief(slice_text(value), MAX_NAME_LETTERS))


def slices_table(result: Slices) -> Table:
    """Return one row per slice, that where A does worst first."""
    rows = []
    for s in result.by_difference:
        c = s.comparison
        n = c.delta.worth(len(c.draws))
        shown = Shown.of(c.delta, c.recipe.unit, mirror=not c.recipe.metric.higher_is_better)
        worse = c.prob_below_zero if c.recipe.metric.higher_is_better else c.prob_above_zero
        rows.append(
            (
                _label(s.value),
                f"{c.recipe.n_items:,}",
                shown.text(),
                percent(worse, n),
                _verdict(c) if c.rope is not None else s.shift or "–",
            )
        )
    first = result.slices[0].comparison
    a = name(first.a)
    last = "verdict" if first.rope is not None else f"{a} is"
    column = "slice" if result.column is None else name(brief(result.column, MAX_NAME_LETTERS))
    counted = "improvement in points" if first.recipe.unit.is_points else "improvement"
    header = column, "items", f"{counted} [{words.mass_text(first.recipe)}]", f"P({a} worse)", last
    return Table(header=header, rows=tuple(rows), note=_note(result))


def _verdict(c: Comparison) -> str:
    return verdict_words(c.decision, name(c.a), name(c.b))[1] or "no verdict"


def _note(result: Slices) -> str:
    text = _POOLED if result.pooled else _APART
    if result.left_out:
        reason, named = result.left_out[0][1], _named([value for value, _ in result.left_out])
        text += f" Left out: {named}, since {name(reason[0].lower() + reason[1:])}"
    return text


def slices_section(result: Slices) -> tuple[Section, ...]:
    """Return the section of a page: the difference on every slice, that where A does worst first."""
    drawn = result.by_difference
    rows = parts_forest([s.comparison for s in drawn], [_label(s.value) for s in drawn], "slice")
    title = "Slice by slice" if result.column is None else f"By {name(brief(result.column, MAX_NAME_LETTERS))}"
    told = headline(result)
    blocks = Text(f"{told[0].upper()}{told[1:]}."), Picture("forest", rows, "slices"), Text(_note(result))
    return (Section(title, blocks),)
