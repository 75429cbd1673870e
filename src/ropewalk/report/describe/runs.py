"""Two methods by several runs of each: the answer, the runs one by one, and where the doubt comes from."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import comparison, method, pair_page
from ropewalk.report.document import Block, Document, Section, Table, Text, describes, name
from ropewalk.results.runs import RunsComparison
from ropewalk.text.units import Unit, signed
from ropewalk.text.writing import count_of, percent

_NOT_COVERED: Final = (
    "The interval is about the two methods, over runs and items like these. Other training data, another choice of "
    "settings and items from elsewhere are not in it."
)
_DESIGNS: Final = {
    "independent": "with seeds of their own",
    "shared": "shared by both",
    "samples": "sampled item by item",
}
_SOURCES: Final = (
    ("items", "Which items were picked"),
    ("runs", "Which runs were made"),
    ("noise", "What a run does by chance on an item"),
)
_MOST_RUNS: Final = 12
_PLENTY: Final = 1_000  # shares of a variance are known to about a hundredth


@describes(RunsComparison)
def describe_runs(c: RunsComparison) -> Document:
    """Describe a comparison of methods by their runs."""
    whole = comparison.answer(c)
    answer = replace(
        whole,
        lines=tuple(
            row
            for row in (
                *(row for row in whole.lines if row[0] == "Decision"),
                ("Data", f"{data_text(c)}."),
                ("Runs", runs_line(c)),
                ("Doubt", doubt_line(c)),
            )
            if row[1]
        ),
        details=tuple(row for row in whole.details if row[0] != "Pairing"),
    )
    tables = (run_table(c), *source_table(c))

    def sections(document: Document) -> tuple[Block, ...]:
        rows = (
            ("Draws", f"{len(c.draws):,}, independent, seed {c.recipe.seed}"),
            ("Call", f'rw.compare(…, runs="{c.runs.design}")'),
        )
        how = method.wider_section(document, c, data_text(c), *rows, not_covered=_NOT_COVERED)
        *page, last = pair_page.sections(document, c, Extras(), how, not_covered=_NOT_COVERED)
        return (*page, *_run_section(c), last)

    return Document(
        caption=f"{words.caption_text(words.delta_name(c), c)} · {data_text(c)}",
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


def data_text(c: RunsComparison) -> str:
    """Write how many items and runs there were."""
    runs = c.runs
    items = count_of(c.recipe.n_items, "item")
    if not runs.a:
        return f"{items}, {_DESIGNS[runs.design]}"
    number = f"{count_of(runs.a, 'run')} each" if runs.a == runs.b else f"{runs.a} and {count_of(runs.b, 'run')}"
    return f"{items} × {number}, {_DESIGNS[runs.design]}"


def runs_line(c: RunsComparison) -> str:
    """Write what the runs scored, one by one, and how far they lie apart."""
    runs, unit = c.runs, c.recipe.unit
    if not runs.a:
        return ""
    texts = []
    for who, values in zip((c.a, c.b), runs.observed, strict=True):
        shown = [signed(unit.scale * value, _places(c, unit), sign=False) for value in values[:_MOST_RUNS]]
        more = f" and {len(values) - _MOST_RUNS} more" if len(values) > _MOST_RUNS else ""
        texts.append(f"{name(who)} {', '.join(shown)}{more}")
    if runs.sd_median:
        of = " of the difference" if runs.design == "shared" else ""
        each = " and ".join(signed(unit.scale * sd, _places(c, unit) + 1, sign=False) for sd in runs.sd_median)
        texts.append(f"standard deviation between runs{of} about {each}")
    return " · ".join(texts)


def doubt_line(c: RunsComparison) -> str:
    """Write which share of the variance comes from where."""
    if c.components is None:
        return ""
    return ", ".join(f"{source} {percent(share, _PLENTY)}" for source, share in c.components.shares.items())


def _places(c: RunsComparison, unit: Unit) -> int:
    width = unit.scale * (c.delta.hdi.high - c.delta.hdi.low) / 2
    return words.places_of(width, 0, 9)


def run_table(c: RunsComparison) -> Table:
    """Return the runs, one row each."""
    unit, (first, second) = c.recipe.unit, c.runs.observed
    places = _places(c, unit) + 1

    def cell(values: tuple[float, ...], place: int) -> str:
        return signed(unit.scale * values[place], places, sign=False) if place < len(values) else "–"

    title = words.metric_name(c.metric)
    header: tuple[str, ...] = ("run", f"{name(c.a)}, {title}{' × 100' if unit.is_points else ''}", f"{name(c.b)}")
    rows: list[tuple[str, ...]] = [
        (str(i + 1), cell(first, i), cell(second, i)) for i in range(max(len(first), len(second)))
    ]
    if c.runs.design == "shared":
        header = (*header, "A − B")
        rows = [(*row, signed(unit.scale * (x - y), places)) for row, x, y in zip(rows, first, second, strict=True)]
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def source_table(c: RunsComparison) -> tuple[Table, ...]:
    """Return where the variance of the difference comes from; nothing where it cannot be told."""
    parts = c.components
    if parts is None:
        return ()
    unit = c.recipe.unit
    rows = tuple(
        (
            told,
            percent(parts.shares[source], _PLENTY),
            signed(unit.scale * parts.parts[source] ** 0.5, _places(c, unit) + 1, sign=False),
        )
        for source, told in _SOURCES
    )
    return (Table(header=("source of doubt", "share", "standard deviation"), rows=rows, ends_in_text=False),)


def _run_section(c: RunsComparison) -> tuple[Section, ...]:
    """Return the runs and the sources of doubt."""
    if not c.runs.a:
        return ()
    blocks: list[Block] = [run_table(c), *source_table(c)]
    text = "What each run scores on these items."
    if c.components is not None:
        text += (
            " Below, what the width comes from: more items narrow the first part, more runs the second, both the third."
        )
    return (Section("The runs, one by one", (Text(text), *blocks)),)
