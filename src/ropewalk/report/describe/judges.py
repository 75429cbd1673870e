"""Two systems by a judge that humans corrected: the answer, what the judge gets wrong, and what more labels give."""

from __future__ import annotations

from typing import Final

from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import comparison, method, pair_page
from ropewalk.report.document import Block, Document, Section, Table, Text, describes, name
from ropewalk.results.judges import JudgeBias, JudgedComparison
from ropewalk.text.units import signed
from ropewalk.text.writing import count_of, percent

_NOT_COVERED: Final = (
    "The interval is about what humans like these say of items like these. What they overlook, another judge and items "
    "from elsewhere are not in it."
)
_MOST_CELLS: Final = 12
_PLENTY: Final = 1_000  # shares that are known to about a hundredth


@describes(JudgedComparison)
def describe_judged(c: JudgedComparison) -> Document:
    """Describe a comparison by a judge that humans corrected."""
    answer = comparison.wider_answer(c, data_text(c), ("Judge", judge_line(c)), ("Labels", labels_line(c)))
    tables = (*cell_table(c), *more_table(c))

    def sections(document: Document) -> tuple[Block, ...]:
        drawn = f"{len(c.draws):,}, independent, seed {c.recipe.seed}"
        rows = (("Draws", drawn), ("Call", f"rw.compare(…, {_given(c)})"))
        how = method.wider_section(document, c, data_text(c), *rows, not_covered=_NOT_COVERED)
        *page, last = pair_page.sections(document, c, Extras(), how, not_covered=_NOT_COVERED)
        return (*page, *_judge_sections(c), last)

    return Document(
        caption=words.caption_text(words.delta_name(c), c, data=data_text(c)),
        about=f"{name(c.a)} against {name(c.b)} · {data_text(c)}",
        answers=(answer,),
        tables=(comparison.answer_table([c]), *tables),
        papers=(comparison.paper_table([c]), *tables),
        remarks=method.answer_remarks(c, [c], []),
        sentence=comparison.sentence(
            c, data=f"On {data_text(c)}", judged=f"{words.judged_text(c)}; {words.model_text(c.recipe)}"
        ),
        terminal=(answer,),
        details=tables,
        card=(answer,),
        sections=sections,
    )


def _given(c: JudgedComparison) -> str:
    of_labels = c.judge.cells and len(c.judge.cells[0].said) > 2  # noqa: PLR2004 - the judge's own label too
    return "human=…" if of_labels else "human_a=…, human_b=…"


def data_text(c: JudgedComparison) -> str:
    """Write how many items there are, and on how many of them humans were asked."""
    return f"{count_of(c.recipe.n_items, 'item')} scored by a judge, {c.judge.n_human:,} of them by humans too"


def judge_line(c: JudgedComparison) -> str:
    """Write what the judge alone would say, and what it gets wrong."""
    judge = c.judge
    each = f"{_bias(c, judge.bias_a)} for {name(c.a)}, {_bias(c, judge.bias_b)} for {name(c.b)}"
    return f"alone {_shown(c, judge.alone)}; scores too high by {each}; favours {name(c.a)} by {_bias(c, judge.favour)}"


def labels_line(c: JudgedComparison) -> str:
    """Write what the human labels are worth, and what more of them would give."""
    judge, now = c.judge, c.hdi.high - c.hdi.low
    worth = f"{judge.n_human:,} human labels tell as much as {judge.worth:,.0f} without the judge"
    if not judge.more or not now:
        return worth
    row = next((row for row in judge.more if row.n >= judge.n_human), judge.more[-1])
    return f"{worth}; {row.n:,} more would narrow the interval to {percent(row.width / now, _PLENTY)} of its width"


def _places(c: JudgedComparison) -> int:
    return words.places_of(c.recipe.unit.scale * (c.hdi.high - c.hdi.low) / 2, 0, 9)


def _shown(c: JudgedComparison, value: float, *, sign: bool = True) -> str:
    return signed(c.recipe.unit.scale * value, _places(c) + (0 if sign else 1), sign=sign)


def _bias(c: JudgedComparison, bias: JudgeBias) -> str:
    return f"{_shown(c, bias.mean)} [{_shown(c, bias.hdi.low)}, {_shown(c, bias.hdi.high)}]"


def cell_table(c: JudgedComparison) -> tuple[Table, ...]:
    """Return the items by what the judge says of them; nothing where it scores them."""
    if not c.judge.cells:
        return ()
    heads: tuple[str, ...] = (f"{name(c.a)}, judged", f"{name(c.b)}, judged")
    if len(c.judge.cells[0].said) > len(heads):
        heads = ("judge", name(c.a), name(c.b))
    rows = [
        (
            *map(name, cell.said),
            f"{cell.n_items:,}",
            f"{cell.n_human:,}",
            _shown(c, cell.difference),
            percent(cell.next_labels, _PLENTY),
        )
        for cell in c.judge.cells[:_MOST_CELLS]
    ]
    table = Table(
        header=(*heads, "items", "by humans", "A − B right, by humans", "of the next labels"),
        rows=tuple(rows),
        ends_in_text=False,
    )
    return (table,)


def more_table(c: JudgedComparison) -> tuple[Table, ...]:
    """Return what more labels would give; nothing where there is no item left."""
    if not c.judge.more:
        return ()
    judged = c.rope is not None and c.judge.more[0].prob_conclusive is not None
    header = ("more human labels", "width", "picked at random", *(("P(conclusive)",) if judged else ()))
    rows = [
        (
            f"{row.n:,}",
            _shown(c, row.width, sign=False),
            _shown(c, row.at_random, sign=False),
            *((percent(row.prob_conclusive or 0.0, _PLENTY),) if judged else ()),
        )
        for row in c.judge.more
    ]
    return (Table(header=header, rows=tuple(rows), ends_in_text=False),)


def _judge_sections(c: JudgedComparison) -> tuple[Section, ...]:
    """Return what the judge gets wrong, and what more labels would give."""
    cells = Text(
        "What humans say where the judge says what. The last column is where further labels narrow the interval most; "
        "every row is corrected by its own labels, so they need not be spread at random."
    )
    letters = Text("Equal letters stand for equal labels.")
    by_letters = bool(c.judge.cells) and {"x"} == {cell.said[0] for cell in c.judge.cells}
    table = (cells, *((letters,) if by_letters else ()), *cell_table(c)) if c.judge.cells else ()
    what = Section("What the judge gets wrong", (Text(f"The judge: {judge_line(c)}."), *table))
    if not c.judge.more:
        return (what,)
    text = Text(f"{labels_line(c)}. The width is that of the interval, with labels where they tell most.")
    return (what, Section("What more human labels would give", (text, *more_table(c))))
