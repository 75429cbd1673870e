"""One classifier: how good it is by each metric, and against a bar."""

from __future__ import annotations

from ropewalk.data.scores import ItemScores
from ropewalk.inference.extras import confusions_of
from ropewalk.report import words
from ropewalk.report.describe.amounts import more_line
from ropewalk.report.describe.comparison import chains_line, error_note, region_shares
from ropewalk.report.describe.differences import matrix_blocks, sureness_section
from ropewalk.report.describe.method import (
    answer_remarks,
    call_text,
    chain_section,
    method_rows,
    model_graph,
    positive_of,
    preset_text,
    score_traces,
)
from ropewalk.report.document import Answer, Block, Document, Section, Share, Table, describes, name, remark_lines
from ropewalk.report.pictures.posterior import Panel, panel, posterior_of
from ropewalk.results import Evaluation, MetricPosterior, Validated
from ropewalk.text.names import count_of, isolated, visible
from ropewalk.text.numbers import decimals, estimate_text, interval, number, percent
from ropewalk.text.verdicts import Leaning, Verdict, bar_text, rope_text


@describes(Evaluation)
def describe_evaluation(result: Evaluation) -> Document:
    """Describe an evaluation."""
    answers, first = tuple(_answer(result, m) for m in result.metrics), result.metrics[0]
    recipe = first.recipe
    runs, moves = words.runs_of(*result.metrics), recipe.model.moves

    def sections(document: Document) -> tuple[Block, ...]:
        options = [
            ("", visible(result.name)),
            ("metric", [m.metric.name for m in result.metrics]),
            ("pos_label", positive_of(recipe)),
            ("at_least", result.at_least),
        ]
        n_draws, recipes = [len(m.draws) for m in result.metrics], [m.recipe for m in result.metrics]
        rows = method_rows(first, call_text("evaluate", recipe, options), runs, n_draws, recipes=recipes)
        panels = tuple(_panel(f"p{i}", result, m) for i, m in enumerate(result.metrics, start=1))
        matrices = matrix_blocks(confusions_of(recipe), moves)
        return (
            *document.answer_sections(panels, preset=preset_text(recipe), note=moves),
            *(sureness_section(panels[0], None) if len(panels) == 1 else ()),
            *document.table_section(),
            *((Section("Confusion matrix", matrices),) if matrices else ()),
            *chain_section(result.metrics, score_traces([(m, m.metric.name) for m in result.metrics])),
            document.method_section(rows, *model_graph(first)),
        )

    return Document(
        title=answers[0].title if len(answers) == 1 else f"How good is {name(result.name)}?",
        caption=words.caption_text(name(result.name), recipe, runs),
        answers=answers,
        tables=(_table(result),),
        remarks=answer_remarks(first, [result], [m.more for m in result.metrics], judged=result.at_least is not None),
        sentence=" ".join(_sentence(result, m) for m in result.metrics),
        terminal=answers,
        sections=sections,
    )


def _answer(result: Evaluation, m: MetricPosterior) -> Answer:
    who, metric, n = name(result.name), words.metric_name(m.metric.name), m.estimate.worth(len(m.draws))
    worth, table = estimate_text(m.estimate), m.recipe.tables[0]
    counts = words.class_counts(table) if isinstance(table, ItemScores) else ""
    places = decimals(m.estimate, m.estimate.mc_error)
    observed = f"{words.observed_word(m.recipe)} {number(m.estimate.observed, places)}"
    lines = [
        ("Data", f"{words.items_text(m.recipe)}{words.class_words(m.recipe)}{counts}"),
        (metric, f"{who} {worth} · {words.mass_text(m.recipe)} HDI · {observed}"),
        *chains_line(m),
    ]
    headline, symbol, note, bar = f"{who}'s {metric} is {worth}", "", "", result.at_least
    shares: tuple[Share, ...] = ()
    if bar is not None and m.prob_at_least is not None:
        chance = percent(m.prob_at_least, n)
        why = f"; {m.no_verdict}" if m.no_verdict and m.recipe.rope is not None else ""
        lines.append(("Bar", f"P({metric} ≥ {bar:g}) {chance}"))
        headline = f"{who}'s {metric} is at least {bar:g} with probability {chance}{why}"
        if m.decision is not None and m.recipe.rope is not None:
            headline = bar_text(m.decision.verdict, m.decision.leaning, rope_text(m.recipe.rope), who, f"{bar:g}")
            symbol = m.decision.symbol
            phrases = ("better than the bar", "at the bar", "worse than the bar")
            shares = region_shares(m.regions, phrases, n, higher_is_better=m.metric.higher_is_better)
            note = error_note(m.estimate, len(m.draws), m.decision, m.recipe.rule)
    return Answer(
        title=f"How good is {who}'s {metric}?",
        symbol=symbol,
        headline=headline,
        lines=tuple(lines),
        shares=shares,
        note=note,
        more=more_line(m.more, m.recipe, bar=True),
        stable=m.decision is None or m.decision.stable,
    )


def _table(result: Evaluation) -> Table:
    bar = result.at_least
    header: tuple[str, ...] = ("metric", "observed", "mean", "std", "HDI")
    if bar is not None:
        header = (*header, f"P(≥ {bar:g})", "decision")
    rows = []
    for m in result.metrics:
        row = [name(m.metric.name), *words.estimate_cells(m.estimate)]
        if m.prob_at_least is not None:
            row += [percent(m.prob_at_least, m.estimate.worth(len(m.draws))), words.decision_text(m.decision)]
        rows.append(tuple(row))
    return Table(header=header, rows=tuple(rows), ends_in_text=bar is not None)


def _panel(key: str, result: Evaluation, m: MetricPosterior) -> Panel:
    """Lay out the posterior of a score; against a bar, its difference from it."""
    who, bar = isolated(result.name), 0.0 if m.bar is None else m.bar

    def phrases(verdict: Verdict, leaning: Leaning | None, width: str) -> str:
        return bar_text(verdict, leaning, width, who, f"{bar:g}")

    return panel(key, posterior_of(m), label=f"{words.metric_title(m.metric.name)} of {who}", say=phrases)


def _sentence(result: Evaluation, m: MetricPosterior) -> str:
    recipe, n, runs = m.recipe, m.estimate.worth(len(m.draws)), words.runs_of(m)
    mean = number(m.estimate.mean, decimals(m.estimate, m.estimate.mc_error))
    hdi = interval(m.estimate.hdi.low, m.estimate.hdi.high, decimals(m.estimate))
    fact = f"{name(result.name)}'s {words.metric_title(m.metric.name)} was {mean}"
    lead = f"{words.on_data(recipe)}, {fact} ({words.mass_text(recipe)} HDI {hdi}"
    model = words.by_model(recipe, len(m.draws), runs)
    if m.bar is None or m.prob_at_least is None:
        return f"{lead}; {model})."
    chance = words.chance_text(f"≥ {m.bar:g}", m.prob_at_least, n)
    if m.decision is None:
        return f"{lead}; {chance}; {model})."
    method = words.by_method(m, len(m.draws), runs)
    return f"{lead}; {chance}; {method}): {name(m.decision.text)}{words.doubt_text(m.decision)}."


# -- a chosen setting --------------------------------------------------------------------------------------


@describes(Validated)
def describe_validated(result: Validated) -> Document:
    """Describe which setting was chosen, and how good it is."""
    who, metric, mass = (
        name(result.name),
        words.metric_name(result.metric),
        words.mass_text(result.test.metrics[0].recipe),
    )
    best, test = result.best.validation.estimate, result.estimate
    sizes = " · ".join(
        f"{count_of(len(items), 'item')} to {what}"
        for items, what in ((result.train, "train"), (result.validation, "choose"), (result.test_items, "test"))
    )
    lines = [("Data", sizes), ("Chosen", f"{name(result.best.text)}, of {count_of(len(result.settings), 'setting')}")]
    for label, estimate in (("Validation", best), ("Test", test)):
        observed = number(estimate.observed, decimals(estimate, estimate.mc_error))
        lines.append((label, f"{metric} {estimate_text(estimate)} · {mass} HDI · observed {observed}"))
    answer = Answer(
        title=f"How good is {who} with the setting that was chosen?",
        headline=f"{who}'s {metric} with {name(result.best.text)} is {estimate_text(test)}, on items it never met",
        lines=tuple(lines),
    )
    rows = [
        (name(setting.text), *words.estimate_cells(setting.validation.estimate), "chosen" if i == result.chosen else "")
        for i, setting in enumerate(result.settings)
    ]
    tested = f"{name(estimate_text(test))} on the test set of {count_of(len(result.test_items), 'item')}"
    items = count_of(len(result.validation), "item")
    return Document(
        title=answer.title,
        caption=f"{metric} of {who} on the validation set of {items} · the chosen setting: {tested}",
        answers=(answer,),
        tables=(Table(header=("setting", "observed", "mean", "std", "HDI", ""), rows=tuple(rows)),),
        remarks=remark_lines(dict.fromkeys((*result.remarks, *result.test.remarks))),
    )
