"""Methods by several runs of each: the answer, the runs one by one, and where the doubt comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import comparison, evaluation, method, pair_page, ranking
from ropewalk.report.describe.metrics import metric_rows, metric_table, others_by_name
from ropewalk.report.document import Answer, Block, Details, Document, Picture, Section, Table, describes, name
from ropewalk.report.doubt import PLENTY, difference_forest, doubt_bar, run_forest
from ropewalk.report.rows import Forest
from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsPosterior, RunsRanking
from ropewalk.text.units import Unit, signed
from ropewalk.text.writing import count_of, percent

Methods: TypeAlias = RunsComparison | RunsPosterior | RunsRanking
"""What is said about methods by their runs."""

_NOT_COVERED: Final = (
    "The interval is about methods, over runs and items like these. Other training data, another choice of "
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
_MOST_METHODS: Final = 4


@describes(RunsComparison)
def describe_runs(c: RunsComparison) -> Document:
    """Describe a comparison of methods by their runs."""
    answer = comparison.wider_answer(c, data_text(c), ("Runs", runs_line(c)), ("Doubt", doubt_line(c)))
    each: list[Any] = list(c.metrics)
    metrics = metric_table(c)
    runs = tuple(table for one in each if one.runs.a for table in (run_table(one), *source_table(one)))
    beside = runs if metrics is None else (metrics, *runs)

    def sections(document: Document) -> tuple[Block, ...]:
        how = _how(document, c, "compare")
        *page, last = pair_page.sections(document, c, Extras(), how, not_covered=_NOT_COVERED)
        shown = [part for one in each for part in _run_section(one, *difference_forest(one), several=len(each) > 1)]
        return (*page, *shown, last)

    return Document(
        caption=words.caption_text(words.delta_name(c), c, data=data_text(c)),
        about=f"{name(c.a)} against {name(c.b)} · {data_text(c)}",
        answers=(answer,),
        tables=(comparison.answer_table([c]), *beside),
        papers=(comparison.paper_table([c]), *beside),
        remarks=method.answer_remarks(c, [c, *others_by_name(c)], [c.more]),
        sentence=comparison.sentence(
            c, data=f"On {data_text(c)}", judged=f"{words.judged_text(c)}; {words.model_text(c.recipe)}"
        ),
        terminal=(answer, *metric_rows(c)),
        details=runs,
        card=(answer,),
        sections=sections,
    )


@describes(RunsEvaluation)
def describe_method(result: RunsEvaluation) -> Document:
    """Describe how good a method is by its runs."""
    answers = tuple(_score_answer(result, m) for m in result.metrics)
    first = result.metrics[0]
    tables = tuple(table for m in result.metrics if m.runs.a for table in (run_table(m), *source_table(m)))

    def sections(document: Document) -> tuple[Block, ...]:
        pictures = tuple(evaluation.score_picture(f"p{i}", result, m) for i, m in enumerate(result.metrics, start=1))
        return (
            *document.answer_sections(pictures, sliders=tuple(map(evaluation.score_slider, result.metrics))),
            *evaluation.score_sureness(first),
            *(section for m in result.metrics for section in _run_section(m, several=len(result.metrics) > 1)),
            Details("Every metric in numbers", (evaluation.score_table(result),), "mean, spread and interval"),
            _how(document, first, "evaluate"),
        )

    return Document(
        title="" if len(answers) == 1 else f"How good is {name(result.name)}?",
        about=f"{name(result.name)} · {data_text(first)}",
        caption=words.caption_text(name(result.name), *result.metrics, data=data_text(first)),
        answers=answers,
        tables=(evaluation.score_table(result), *tables),
        remarks=method.answer_remarks(
            first, [result], [m.more for m in result.metrics], judged=result.at_least is not None
        ),
        sentence=" ".join(evaluation.score_sentence(result, m, f"On {data_text(m)}") for m in result.metrics),
        terminal=answers,
        details=tables,
        card=answers,
        sections=sections,
    )


def _score_answer(result: RunsEvaluation, m: RunsPosterior) -> Answer:
    """Return how good a run is expected to be by one metric."""
    whole = evaluation.score_answer(result, m)
    beside = (("Data", f"{data_text(m)}."), ("Runs", runs_line(m)), ("Doubt", doubt_line(m)))
    rest = tuple(row for row in whole.lines if row[0] != "Data")
    return replace(whole, lines=(*rest, *(row for row in beside if row[1])))


@describes(RunsRanking)
def describe_methods(result: RunsRanking) -> Document:
    """Describe which method is best by its runs."""
    whole = ranking.describe_ranking(result)
    tables = (run_table(result), *source_table(result)) if result.runs.a else ()
    beside = (("Data", f"{data_text(result)}."), ("Runs", runs_line(result)), ("Doubt", doubt_line(result)))

    def told(answer: Answer) -> Answer:
        rest = (row for row in answer.lines if row[0] != "Data")
        return replace(answer, lines=tuple(row for row in (*beside, *rest) if row[1]))

    def in_sight(blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(told(block) if isinstance(block, Answer) and block.lines else block for block in blocks)

    plain = whole.sections

    def sections(document: Document) -> tuple[Block, ...]:
        assert plain is not None  # noqa: S101 - a ranking has sections of its own
        *page, _ = plain(document)
        folded = [block for block in page if isinstance(block, Details)]
        shown = [block for block in page if not isinstance(block, Details)]
        return (*in_sight(shown), *_run_section(result), *folded, _how(document, result, "rank"))

    items = words.items_text(result.recipe)
    return replace(
        whole,
        about=whole.about.replace(items, data_text(result), 1),
        caption=whole.caption.replace(items, data_text(result), 1),
        sentence=whole.sentence.replace(words.on_data(result.recipe), f"On {data_text(result)}", 1),
        answers=tuple(map(told, whole.answers)),
        tables=(*whole.tables, *tables),
        terminal=in_sight(whole.in_terminal()),
        details=(*whole.details, *tables),
        sections=sections,
    )


def _how(document: Document, c: Methods, verb: str) -> Details:
    """Return how an answer was made."""
    rows = (
        ("Draws", f"{len(c.draws):,}, independent, seed {c.recipe.seed}"),
        ("Call", f'rw.{verb}(…, runs="{c.runs.design}")'),
    )
    return method.wider_section(document, c, data_text(c), *rows, not_covered=_NOT_COVERED)


def data_text(c: Methods) -> str:
    """Write how many items and runs there were."""
    runs = c.runs
    items, design = count_of(c.recipe.n_items, "item"), _DESIGNS[runs.design]
    if len(runs.names) == 1 and runs.design != "samples":
        return f"{items} × {count_of(runs.a, 'run')}"
    if runs.design == "shared" and len(runs.names) > 2:  # noqa: PLR2004
        design = "shared by all"
    if not runs.a:
        return f"{items}, {design}"
    if len(set(runs.n_runs)) == 1:
        return f"{items} × {count_of(runs.a, 'run')}{' each' if len(runs.names) > 1 else ''}, {design}"
    *others, last = map(str, runs.n_runs)
    return f"{items} × {', '.join(others)} and {count_of(int(last), 'run')}, {design}"


def runs_line(c: Methods) -> str:
    """Write what the runs scored, one by one, and how far they lie apart."""
    runs, unit = c.runs, c.recipe.unit
    if not runs.a:
        return ""
    texts = []
    in_line = zip(runs.names, runs.observed, strict=True) if len(runs.names) <= _MOST_METHODS else ()
    for who, values in in_line:
        shown = [signed(unit.scale * value, _places(c, unit), sign=False) for value in values[:_MOST_RUNS]]
        more = f" and {len(values) - _MOST_RUNS} more" if len(values) > _MOST_RUNS else ""
        texts.append(f"{name(who)} {', '.join(shown)}{more}")
    if runs.sd_median:
        of = " of the difference" if runs.design == "shared" and len(runs.names) > 1 else ""
        sds = [signed(unit.scale * sd, _places(c, unit) + 1, sign=False) for sd in runs.sd_median]
        each = " and ".join(sds)
        if len(sds) > 2:  # noqa: PLR2004
            each = ", ".join(f"{sd} ({name(who)})" for who, sd in zip(runs.names, sds, strict=True))
        texts.append(f"standard deviation between runs{of} about {each}")
    return " · ".join(texts)


def doubt_line(c: Methods) -> str:
    """Write which share of the variance comes from where."""
    if c.components is None:
        return ""
    return ", ".join(f"{source} {percent(share, PLENTY)}" for source, share in c.components.shares.items())


def _places(c: Methods, unit: Unit) -> int:
    width = unit.scale * min(estimate.hdi.high - estimate.hdi.low for estimate in c.expected) / 2
    return words.places_of(width, 0, 9)


def run_table(c: Methods) -> Table:
    """Return the runs, one row each."""
    unit, observed = c.recipe.unit, c.runs.observed
    places = _places(c, unit) + 1

    def cell(values: tuple[float, ...], place: int) -> str:
        return signed(unit.scale * values[place], places, sign=False) if place < len(values) else "–"

    title = words.metric_name(c.recipe.metric.name)
    first, *others = map(name, c.runs.names)
    header: tuple[str, ...] = ("run", f"{first}, {title}{' × 100' if unit.is_points else ''}", *others)
    rows: list[tuple[str, ...]] = [
        (str(i + 1), *(cell(values, i) for values in observed)) for i in range(max(map(len, observed)))
    ]
    if c.runs.design == "shared" and len(observed) == 2:  # noqa: PLR2004
        header = (*header, "A − B")
        rows = [(*row, signed(unit.scale * (x - y), places)) for row, x, y in zip(rows, *observed, strict=True)]
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def source_table(c: Methods) -> tuple[Table, ...]:
    """Return where the variance of the difference comes from; nothing where it cannot be told."""
    parts = c.components
    if parts is None:
        return ()
    unit = c.recipe.unit
    rows = tuple(
        (
            told,
            percent(parts.shares[source], PLENTY),
            signed(unit.scale * parts.parts[source] ** 0.5, _places(c, unit) + 1, sign=False),
        )
        for source, told in _SOURCES
    )
    return (Table(header=("source of doubt", "share", "standard deviation"), rows=rows, ends_in_text=False),)


def _run_section(c: Methods, *beside: Forest, several: bool = False) -> tuple[Section, ...]:
    """Return the runs and the sources of doubt."""
    if not c.runs.a:
        return ()
    of = f": {words.metric_name(c.recipe.metric.name)}" if several else ""
    pictures = tuple(Picture("forest", drawn, "runs") for drawn in (run_forest(c), *beside))
    numbers = Details("Each run in numbers", (run_table(c),))
    runs = Section(f"The runs, one by one{of}", (*pictures, numbers), "What each run scores on these items.")
    if c.components is None:
        return (runs,)
    about = "More items narrow the first part of the variance, more runs the second, both the third."
    bar = Picture("doubt", doubt_bar(c.components), "doubt")
    return (runs, Section(f"Where the doubt comes from{of}", (bar, *source_table(c)), about))
