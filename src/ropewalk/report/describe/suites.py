"""Scores over a suite of tasks: the answers about their average, and the scores on each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.describe.evaluation import describe_evaluation
from ropewalk.report.describe.population import spread_rows
from ropewalk.report.describe.ranking import describe_ranking
from ropewalk.report.document import Answer, Block, Details, Document, Section, Table, describes, name
from ropewalk.results.pooled import PopulationRanked
from ropewalk.results.suites import SuiteEvaluation, SuitePosterior, SuiteRanking
from ropewalk.text.writing import brief, count_of, estimate_text, percent, visible

MAX_IN_TERMINAL: Final = 12
"""So many tasks are listed on a terminal without being asked for."""

MAX_SYSTEMS: Final = 6
"""Of so many systems each score has an interval in a table of tasks; of more the means alone."""

_MAX_NAME_LETTERS: Final = 40
_HEAD: Final = ("task", "items", "weight")


@describes(SuiteEvaluation)
def describe_suite_evaluation(result: SuiteEvaluation) -> Document:
    """Describe how good a classifier is on average over tasks, and on each."""
    document = describe_evaluation(result)
    answers = tuple(
        replace(answer, lines=(*answer.lines, *spread_rows(m.tau_median, m.tau_hdi, m.recipe.unit)))
        for answer, m in zip(document.answers, result.metrics, strict=True)
    )
    asked = [("", visible(result.name)), ("metric", [m.metric.name for m in result.metrics])]
    call = _call("evaluate", result, [*asked, ("at_least", result.at_least)])
    document = replace(document, answers=answers, terminal=answers)
    return _with_tasks(document, result, result.metrics[0], call, _scores(result))


@describes(SuiteRanking)
def describe_suite_ranking(result: SuiteRanking) -> Document:
    """Describe which classifier is best on average over tasks, and what each scores on each."""
    call = _call("rank", result, [("metric", result.metric)])
    return _with_tasks(describe_ranking(result), result, result, call, *_next_table(result), _league(result))


def _call(verb: str, result: SuiteEvaluation | SuiteRanking, options: Sequence[tuple[str, object]]) -> str:
    """Write the call that makes an answer."""
    over = () if result.over == "these" else (f"over={result.over!r}",)
    weights = ("weights=…",) if len(set(result.weights.values())) > 1 else ()
    positive = ("pos_label", method.positive_of(result.recipe))
    return method.call_text(verb, result.recipe, [*options, positive], given=("task=…", *over, *weights))


def _with_tasks(
    document: Document,
    result: SuiteEvaluation | SuiteRanking,
    answer: SuitePosterior | SuiteRanking,
    call: str,
    *tables: Table,
) -> Document:
    """Say over which tasks a result is, whose first answer this is, and add what was found on each."""
    of_tasks = f" of {count_of(len(result.tasks), 'task')}"
    counted = (words.paired_items(result.recipe), words.items_text(result.recipe))

    def of_all(text: str) -> str:
        count = next((count for count in counted if count in text), None)
        return text if count is None else text.replace(count, count + of_tasks, 1)

    def in_sight(blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(told(block) if isinstance(block, Answer) else block for block in blocks)

    def told(answer: Answer) -> Answer:
        lines = tuple((label, of_all(text) if label == "Data" else text) for label, text in answer.lines)
        callout = answer.callout
        if callout is not None and result.over == "tasks":
            callout = replace(callout, text=callout.text.replace("More items", "More tasks"))
        return replace(answer, lines=lines, callout=callout)

    plain = document.sections

    def sections(document: Document) -> tuple[Block, ...]:
        assert plain is not None  # noqa: S101 - both kinds have sections of their own
        blocks = plain(document)
        shown = [block for block in blocks if not isinstance(block, Details)]
        *folded, _ = (block for block in blocks if isinstance(block, Details))
        data = of_all(words.items_text(result.recipe))
        drawn = f"{len(answer.draws):,}, independent, seed {result.recipe.seed}"
        how = (("Draws", drawn), ("Call", call))
        made = method.wider_section(document, answer, data, *how, not_covered=result.not_covered)
        about = f"What was found on each of the {count_of(len(result.tasks), 'task')}, by itself."
        if answer.recipe.pool:
            about += " Scores on a task are drawn towards their common centre, as far as they are alike."
        *before, table = tables
        each: Block = Section("Each task", (table,), about)
        if len(result.tasks) > MAX_IN_TERMINAL:
            each = Details("Each task", (table,), about, list=True)
        return (*shown, *(Section("The next task", (one,)) for one in before), each, *folded, made)

    short = tables if len(result.tasks) <= MAX_IN_TERMINAL else tables[:-1]
    return replace(
        document,
        caption=of_all(document.caption),
        about=of_all(document.about),
        sentence=of_all(document.sentence),
        answers=tuple(map(told, document.answers)),
        tables=(*document.tables, *tables),
        terminal=(*in_sight(document.in_terminal()), *short),
        details=(*document.details, *tables[len(short) :]),
        card=in_sight(document.on_card()),
        sections=sections,
    )


def _head_of(result: SuiteEvaluation | SuiteRanking, task: str) -> list[str]:
    """Return the first cells of a row: what the task is called, how many items it has, and what it weighs."""
    cells = [name(brief(task, _MAX_NAME_LETTERS)), f"{result.tasks[task].recipe.n_items:,}"]
    return [*cells, f"{100 * result.weights[task]:.3g}%"] if result.over == "these" else cells


def _scores(result: SuiteEvaluation) -> Table:
    """Return one row per task: its items, the score by each metric, and against a bar the chance to reach it."""
    bar = result.at_least
    header = list(_HEAD if result.over == "these" else _HEAD[:2])
    for m in result.metrics:
        header += [words.metric_name(m.metric.name), *([] if bar is None else [f"P(≥ {bar:g})"])]
    rows = []
    for task, one in result.tasks.items():
        row = _head_of(result, task)
        for found in one.metrics:
            row.append(estimate_text(found.estimate))
            if found.prob_at_least is not None:
                row.append(percent(found.prob_at_least, found.estimate.worth(len(found.draws))))
        rows.append(tuple(row))
    return Table(header=tuple(header), rows=tuple(rows), ends_in_text=False)


def _league(result: SuiteRanking) -> Table:
    """Return one row per task, and in it the score of every classifier, the best on average first."""
    order = [model.name for model in result.by_rank]
    short = len(order) > MAX_SYSTEMS
    rows = []
    for task, one in result.tasks.items():
        cells = [estimate_text(one[who].estimate) for who in order]
        if short:
            cells = [cell.partition(" ")[0] for cell in cells]
        rows.append((*_head_of(result, task), *cells))
    header = (*(_HEAD if result.over == "these" else _HEAD[:2]), *map(name, order))
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def _next_table(result: SuiteRanking) -> tuple[Table, ...]:
    """Return how probably each is the best on the next task, and of each pair where that lies; only over such tasks."""
    if result.over == "these":
        return ()
    chances = {model.name: model.p_best_next for model in result.models if isinstance(model, PopulationRanked)}
    n = min(len(one.draws) for one in result.tasks.values())
    rows = tuple((name(model.name), percent(chances[model.name], n)) for model in result.by_rank)
    return (Table(header=("classifier", "best on the next task"), rows=rows, ends_in_text=False),)
