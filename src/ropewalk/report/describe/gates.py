"""A gate: first whether its requirements are met, then the comparison behind it, or a row per requirement and task."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from ropewalk.draws.decision import Decision
from ropewalk.report import gate_facts, words
from ropewalk.report.describe import comparison, method
from ropewalk.report.describe.decisions import decision_line
from ropewalk.report.describe.metrics import LOWER
from ropewalk.report.describe.pair_page import dots, slider_of
from ropewalk.report.describe.prospects import more_line
from ropewalk.report.document import (
    MARKS,
    Alarm,
    Answer,
    AnswerSection,
    Banner,
    Block,
    Details,
    Document,
    Facts,
    Held,
    Picture,
    Section,
    Table,
    Text,
    describe,
    describes,
    name,
)
from ropewalk.report.page_remarks import Line
from ropewalk.report.pictures import Entry
from ropewalk.report.rows import Forest, forest, parts_forest
from ropewalk.report.sketch import sketch_of
from ropewalk.results import Check, Comparison, Gate, Requirement
from ropewalk.results.gates import (
    REACHES_ACROSS,
    WITHIN_ERROR,
    Outcome,
    brief_words,
    check_words,
    measured,
    required_words,
    worst_of,
)
from ropewalk.text.headline import NOT_EQUIVALENT
from ropewalk.text.remarks import Remark, few
from ropewalk.text.units import POINTS, Shown, signed
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import count_of, visible

MAX_ANSWERS: Final = 6
"""So many requirements have a picture of their own on a page; a table has them all."""

MAX_TOLD: Final = 2
"""Of so many undecided checks it is said what would settle them."""

MAX_ON_CARD: Final = 12
"""Rows of a card."""

MAX_IN_SENTENCE: Final = 6
"""Checks that a sentence names."""

USUAL_PROB: Final = 0.95

Group: TypeAlias = tuple[Requirement, tuple[Check, ...]]
"""A requirement, and its checks: one per task where there are tasks."""

_TONES: Final[dict[Outcome, str]] = {"met": "ok", "contradicted": "no", "undecided": "wait"}
_NOTES: Final = {"warn": "Undecided is only a warning, as asked.", "pass": "Undecided passes, as asked."}
_EXITS: Final = "0 met · 1 contradicted · 3 undecided · 2, 4, 5 wrong usage, data or files"


@describes(Gate)
def describe_gate(gate: Gate) -> Document:
    """Describe a gate."""
    return _alone(gate) if len(gate.checks) == 1 else _several(gate)


# -- the banner --------------------------------------------------------------------------------------------


def banner(gate: Gate, *, leads: bool = False) -> Banner:
    """Return what a gate says first."""
    groups = gate.by_requirement
    rows = (
        [_reason_row(gate.checks[0])] if len(gate.checks) == 1 else [_requirement_row(checks) for _, checks in groups]
    )
    return Banner(
        tone=_TONES[gate.outcome],
        tag=gate.tag,
        text=gate.told(name),
        end=f"exit code {gate.exit_code}",
        rows=tuple(rows),
        note=_NOTES.get(gate.on_undecided, "") if gate.outcome == "undecided" else "",
        leads=leads,
    )


def _reason_row(check: Check) -> Held:
    """Return why the only requirement came out as it did: the sentence says which it is."""
    return Held(tone=_TONES[check.outcome], word=check.outcome, text=reason_text(check), chance=_chance(check))


def _requirement_row(checks: tuple[Check, ...]) -> Held:
    outcome = worst_of(tuple(check.outcome for check in checks))
    text, chance = required_words(checks, name), _chance(checks[0])
    if len(checks) > 1:
        chance = f"{sum(check.outcome == 'met' for check in checks)} of {len(checks)} clear"
    why = list(dict.fromkeys(_short_reason(check) for check in checks if check.reason not in {"", REACHES_ACROSS}))
    return Held(tone=_TONES[outcome], word=outcome, text=f"{text}{f' ({why[0]})' if why else ''}", chance=chance)


def _short_reason(check: Check) -> str:
    """Write why a requirement is undecided where there is little room."""
    return WITHIN_ERROR if _is_within_error(check) else visible(check.reason)


def _is_within_error(check: Check) -> bool:
    """Whether other draws may say otherwise."""
    decision = check.comparison.decision
    return check.reason.startswith(WITHIN_ERROR) or (decision is not None and not decision.stable)


def reason_text(check: Check) -> str:
    """Write why a requirement is met, contradicted or undecided."""
    recipe = check.comparison.recipe
    if check.outcome == "undecided":
        return visible(check.reason)
    if recipe.rule == "probability":
        return f"the chance that it is {'met' if check.outcome == 'met' else 'not'} reaches {words.mass_text(recipe)}"
    return f"the whole {words.mass_text(recipe)} interval lies where it must{'' if check.outcome == 'met' else ' not'}"


def _chance(check: Check) -> str:
    """Write how probable it is that the difference is as required."""
    return f"chance {gate_facts.chance(check)}" if check.chance is not None else ""


# -- one requirement ---------------------------------------------------------------------------------------


def _alone(gate: Gate) -> Document:
    """Describe a gate of one requirement: the banner above the comparison."""
    check = gate.checks[0]
    c, inner, said = check.comparison, describe(_as_gated(check)), banner(gate)
    whole, checked = _answer(check, inner), self_check(gate)
    short = replace(
        whole,
        shares=(),
        scores=None,
        callout=None,
        lines=(("Decision", _decision(check)), ("Data", dict(whole.lines).get("Data", "")), _drawn(gate)),
    )
    caption = f"{inner.caption} · seed {gate.seed}"
    told = whole.headline if check.outcome != "undecided" else f"{said.text}, {_shown(check).text()}"

    def sections(document: Document) -> tuple[Block, ...]:
        assert inner.sections is not None  # noqa: S101 - comparisons of all kinds have sections of their own
        *shown, how = inner.sections(document)
        return (said, *shown, *checked, again(gate), how)

    return replace(
        inner,
        caption=caption,
        title=f"May {name(c.a)} replace {name(c.b)}?",
        answers=(whole,),
        tables=(check_table(gate), *inner.tables[1:], *_tables_in(checked)),
        sentence=f"{gate.tag}: {told} ({caption}).",
        terminal=(said, short, *checked),
        card=(said, whole),
        sections=sections,
        banner=said,
    )


def _as_gated(check: Check) -> Comparison:
    """Return the comparison with the verdict that a gate takes it for: none where other draws may say otherwise."""
    c = check.comparison
    if check.outcome != "undecided" or not c.conclusive or c.rope is None:
        return c
    undecided = Decision.of(
        Verdict.UNDECIDED_LOW, None, c.rope, (c.a, c.b), higher_is_better=c.higher_is_better, stable=False
    )
    return replace(c, decision=undecided)


def _answer(check: Check, inner: Document) -> Answer:
    """Return the answer of a comparison as a gate has it: the banner says already why it is undecided."""
    c, answer = check.comparison, inner.answers[0]
    if check.outcome != "undecided" or c.decision is None:
        return replace(answer, lede=answer.lede.replace(NOT_EQUIVALENT, "A loss"))
    one_sided = c.rope is not None and c.rope.one_sided
    callout = answer.callout
    if callout is not None and check.reason != REACHES_ACROSS:
        why = f"{visible(check.reason)[:1].upper()}{visible(check.reason)[1:]}."
        callout = replace(callout, text=" ".join(filter(None, (why, _open(check), callout.text))))
    return replace(answer, lede="" if one_sided else answer.lede, callout=callout, stable=True)


def _decision(check: Check) -> str:
    """Write what the answer means for who decides by this metric."""
    if check.outcome != "undecided":
        return decision_line(check.comparison)
    usual = "" if check.comparison.conclusive else decision_line(check.comparison)
    return " ".join(filter(None, (_open(check), usual)))


def _open(check: Check) -> str:
    """Write what would help where Monte Carlo error leaves it open."""
    c = check.comparison
    if not _is_within_error(check):
        return ""
    if c.recipe.draws != "auto":
        return "More draws may settle it: by default as many are taken as it needs."
    return "" if c.more is not None else "More items would move the interval off the margin, to one side or the other."


def _drawn(gate: Gate) -> tuple[str, str]:
    """Return how many draws there are, and the seed that gives them again."""
    sizes = [len(check.comparison.draws) for check in gate.checks]
    few_, many = min(sizes), max(sizes)
    return "Draws", f"{f'{few_:,} to ' if few_ < many else ''}{many:,}, seed {gate.seed}"


# -- several requirements, or tasks ------------------------------------------------------------------------


def _several(gate: Gate) -> Document:
    """Describe a gate of several checks: the banner, and what lies behind each row of it."""
    first, groups, checked = gate.checks[0].comparison, gate.by_requirement, self_check(gate)
    a, b = name(first.a), name(first.b)
    singles = [checks[0] for _, checks in groups if len(checks) == 1]
    on_tasks = [group for group in groups if len(group[1]) > 1]
    said, question = banner(gate), f"May {a} replace {b}?"
    facts = (*_more_rows(gate), ("Data", _data(gate)), _drawn(gate))
    inner = {id(check): describe(_as_gated(check)) for check in gate.checks}
    about = comparison.about(first) if not gate.tasks else f"{a} against {b} · {_data(gate)}"
    caption = f"{a} − {b} · {words.mass_text(first.recipe)} HDI · seed {gate.seed}"
    table = check_table(gate)

    def sections(document: Document) -> tuple[Block, ...]:
        pressing = document.answer_sections()[0]
        assert isinstance(pressing, AnswerSection)  # noqa: S101 - the first section is the answer
        titled = [_section(check, inner[id(check)], f"p{i}") for i, check in enumerate(singles[:MAX_ANSWERS], start=1)]
        of_tasks = [_task_section(gate, checks, f"tasks{i}") for i, (_, checks) in enumerate(on_tasks, start=1)]
        call = gate_call(gate)
        how = method.method_section(
            document,
            [check.comparison for check in gate.checks],
            call,
            about="",
            graph=False,
            independent=not gate.tasks,
        )
        in_numbers = Details("Every requirement in numbers", (replace(table, label="Every requirement"),))
        return (
            replace(said, leads=True),
            *pressing.remarks,
            *titled,
            *of_tasks,
            *checked,
            in_numbers,
            again(gate),
            how,
        )

    return Document(
        caption=caption,
        title=question,
        about=about,
        answers=(Answer(title=question, headline=said.text, lines=facts, tones=((a, "a"), (b, "b"))),),
        tables=(table, *_tables_in(checked)),
        remarks=_remarks(inner.values(), all_of=not on_tasks),
        sentence=f"{gate.tag}: {said.text} ({'; '.join((*_in_sentence(gate), caption))}).",
        terminal=(
            said,
            *_singles_in_terminal(singles, inner),
            *(Picture("forest", _titled(task_forest(checks, short=True), checks, groups)) for _, checks in on_tasks),
            Facts(facts),
            *checked,
        ),
        card=(said, _short_table(gate.checks)),
        sections=sections,
        banner=said if on_tasks else replace(said, rows=()),  # the table has the same
    )


def _title(checks: tuple[Check, ...]) -> str:
    text = required_words(checks, name)
    return f"{text[:1].upper()}{text[1:]}"


def _titled(drawn: Forest, checks: tuple[Check, ...], groups: Sequence[Group]) -> Forest:
    """Return rows under the requirement that they are about, where there are several."""
    return replace(drawn, title=_title(checks)) if len(groups) > 1 else drawn


def _remarks(documents: Iterable[Document], *, all_of: bool) -> tuple[Line | Remark, ...]:
    """Return the remarks on several comparisons, each once; of many tasks the warnings, and what logs say."""
    seen = [remark for document in documents for remark in document.remarks]
    lines = dict.fromkeys(remark for remark in seen if isinstance(remark, Line))
    remarks = [remark for remark in seen if isinstance(remark, Remark)]
    notes = [remark for remark in remarks if remark.level == "note" and (all_of or remark.code == "log")]
    return (*lines, *few(notes), *few(remark for remark in remarks if remark.level == "warning"))


def _data(gate: Gate) -> str:
    """Count the items, and the tasks that they come in."""
    first = next((check.comparison for check in gate.checks if check.task is None), None)
    if first is not None:
        return visible(getattr(first, "data_text", "")) or words.items_text(first.recipe)
    recipes = {check.task: check.comparison.recipe for check in gate.checks}
    n = sum(recipe.n_items for recipe in recipes.values())
    return f"{count_of(n, gate.recipe.noun)} of {count_of(len(recipes), 'task')}"


def _more_rows(gate: Gate, checks: Sequence[Check] | None = None) -> tuple[tuple[str, str], ...]:
    """Return what would settle each of the first undecided checks, by default of all."""
    told, labels = [], _labels(gate.checks)
    for check in gate.checks if checks is None else checks:
        c = check.comparison
        if check.outcome != "undecided":
            continue
        text = " ".join(filter(None, (_open(check), "" if c.conclusive else more_line(c.more, c.delta))))
        if text:
            told.append((f"{labels[id(check)]}: " if len(gate.checks) > 1 else "") + text)
    rest = f" And {count_of(len(told) - MAX_TOLD, 'other')} like that." if len(told) > MAX_TOLD else ""
    return (("More", " ".join(told[:MAX_TOLD]) + rest),)


def _labels(checks: Sequence[Check]) -> dict[int, str]:
    """Name checks in a word or two: by their tasks, else by their metrics; by what is required too where these repeat.

    They are found by the identity of a check.
    """
    plain = [_metric_label(check) if check.task is None else name(check.task) for check in checks]
    labels = {}
    for check, label in zip(checks, plain, strict=True):
        alike = [other for other, said in zip(checks, plain, strict=True) if said == label]
        of = "" if check.task is None or measured(alike) is not None else f"{_measured(check)} "
        labels[id(check)] = label if len(alike) == 1 else f"{label}, {of}{brief_words(check)}"
    return labels


def _section(check: Check, inner: Document, key: str) -> AnswerSection:
    """Return the section of a page about one of several requirements: what it means alone is no decision."""
    c, sketch, answer = _as_gated(check), sketch_of(check.comparison), _answer(check, inner)
    callout = answer.callout if check.outcome == "undecided" else None
    return AnswerSection(
        answer=replace(answer, title=_title((check,)), callout=callout, lines=()),
        picture=None if sketch is None else Picture("dots", dots(c, sketch, key), key),
        slider=None if sketch is None else slider_of(c, sketch),
        titled=True,
    )


def _task_section(gate: Gate, checks: tuple[Check, ...], key: str) -> Section:
    """Return the section of a page about a requirement on each task."""
    more = dict(_more_rows(gate, checks)).get("More", "")
    blocks = (Picture("forest", task_forest(checks), key), *((Text(more),) if more else ()))
    return Section(_title(checks), blocks)


def _singles_in_terminal(singles: list[Check], inner: Mapping[int, Document]) -> tuple[Block, ...]:
    """Return the requirements that are not asked of each task: a headline of one, rows of several."""
    if not singles:
        return ()
    if len(singles) == 1:
        answer = _answer(singles[0], inner[id(singles[0])])
        return (Answer(title=answer.title, headline=answer.headline, lede=answer.lede),)
    if {check.comparison.recipe.unit for check in singles} != {POINTS}:
        points = "" if all(check.comparison.recipe.unit != POINTS for check in singles) else "Shares in points. "
        note = f"{points}Signed so that + is better for {name(singles[0].comparison.a)}."
        return (replace(_short_table(singles), note=note),)
    return (Picture("forest", metric_forest(singles)),)


# -- rows --------------------------------------------------------------------------------------------------


def metric_forest(checks: Sequence[Check]) -> Forest:
    """Lay out improvements by several metrics on one axis, each with its outcome."""
    first = checks[0].comparison
    question = replace(first.question, higher_is_better=True, rope=None)
    labels = [_metric_label(check) for check in checks]
    labels = [
        f"{label}, {brief_words(check)}" if labels.count(label) > 1 else label
        for label, check in zip(labels, checks, strict=True)
    ]
    entries = [
        Entry(label=label, estimate=check.comparison.improvement, decision=check.comparison.decision, asked=True)
        for label, check in zip(labels, checks, strict=True)
    ]
    names = (name(first.a), name(first.b))
    drawn = forest(entries, question, head="metric", what="improvement", unit=POINTS, names=names)
    note = f"In points; + is better for {name(first.a)}. {_legend(checks)}"
    return _with_outcomes(replace(drawn, number=f"improvement [{words.mass_text(first.recipe)}]", note=note), checks)


def _metric_label(check: Check) -> str:
    c = check.comparison
    where = "" if check.task is None else f" on {name(check.task)}"
    if getattr(c, "over", None) is not None:  # of tasks together
        where = " on average"
    return f"{_measured(check)}{'' if c.higher_is_better else LOWER}{where}"


def _measured(check: Check) -> str:
    """Name the metric, or what it is a mean of."""
    metric = check.comparison.recipe.metric
    return words.metric_name(metric.of or metric.title)


def task_forest(checks: Sequence[Check], *, short: bool = False) -> Forest:
    """Lay out the differences on several tasks, the largest first, each with its outcome; in signs alone if `short`."""
    ordered = sorted(checks, key=lambda check: -check.comparison.improvement.mean)
    first = ordered[0].comparison
    drawn = parts_forest([_as_gated(check) for check in ordered], [name(str(check.task)) for check in ordered], "task")
    what = "the score of each task" if measured(checks) is None else _measured(checks[0])
    points = " in points" if first.recipe.unit.is_points else ""
    shaded = " Shaded: worse than allowed." if drawn.bad else " Grey band: too small to matter."
    if checks[0].requirement.require == "better":
        shaded = " Shaded: less than was asked for."
    note = f"Differences in {what}{points}; right is where {name(first.a)} is better.{shaded if drawn.band else ''}"
    legend = f" {_legend(checks)}" if short else ""
    return _with_outcomes(replace(drawn, note=f"{note}{legend}"), ordered, short=short)


def _with_outcomes(drawn: Forest, checks: Sequence[Check], *, short: bool = True) -> Forest:
    """Return rows that say in the last column what the gate makes of them; what it leaves open is hollow."""
    rows = []
    for row, check in zip(drawn.rows, checks, strict=True):
        tone = _TONES[check.outcome]
        said = MARKS[tone] if short else f"{MARKS[tone]} {check.outcome}"
        rows.append(replace(row, tone="u" if check.outcome == "undecided" else row.tone, verdict=said, outcome=tone))
    return replace(drawn, rows=tuple(rows), verdicts="gate")


def _legend(checks: Sequence[Check]) -> str:
    """Say what the signs mean, those that there are."""
    there = {check.outcome for check in checks}
    return ", ".join(f"{MARKS[tone]} {outcome}" for outcome, tone in _TONES.items() if outcome in there) + "."


def _short_table(checks: Sequence[Check]) -> Table:
    """Return the first checks, in as few columns as say what came out: a card is narrow."""
    on_tasks = len({check.requirement for check in checks}) == 1
    labels = [name(str(check.task)) if on_tasks else check_words(check, name) for check in checks]
    rows = [
        (label, f"{MARKS[_TONES[check.outcome]]} {check.outcome}", _shown(check).text())
        for label, check in zip(labels, checks, strict=True)
    ]
    rest = len(rows) - MAX_ON_CARD
    mass = words.mass_text(checks[0].comparison.recipe)
    return Table(
        header=("task" if on_tasks else "requirement", "outcome", f"improvement [{mass}]"),
        rows=tuple(rows[:MAX_ON_CARD]),
        text_columns=2,
        ends_in_text=False,
        note=f"and {rest:,} more" if rest > 0 else "",
    )


def check_table(gate: Gate) -> Table:
    """Return one row per requirement and task: the outcome, its chance, the scores, and by how much A is better."""
    checks, first = gate.checks, gate.checks[0].comparison
    why = len(checks) > 1 and any(check.reason not in {"", REACHES_ACROSS} for check in checks)
    rows = []
    for check in checks:
        c = check.comparison
        unit, shown = c.recipe.unit, _shown(check)
        seen = (
            "–" if e is None or e.observed is None else signed(unit.scale * e.observed, shown.places, sign=False)
            for e in (c.estimate_a, c.estimate_b)
        )
        cells = (check_words(check, name), check.outcome, gate_facts.chance(check), *seen, shown.text())
        rows.append((*cells, visible(check.reason)) if why else cells)
    a, b, points = name(first.a), name(first.b), any(check.comparison.recipe.unit.is_points for check in checks)
    header = (
        "requirement",
        "outcome",
        "chance",
        f"{a} measured",
        f"{b} measured",
        f"improvement [{words.mass_text(first.recipe)}]",
    )
    scaled = "Shares × 100, differences of them in points. " if points else ""
    return Table(
        header=(*header, "why") if why else header,
        rows=tuple(rows),
        text_columns=2,
        ends_in_text=why,
        note=f"{scaled}Signed so that + is better for {a}. {dict(_more_rows(gate)).get('More', '')}".strip(),
    )


# -- the same again ----------------------------------------------------------------------------------------


def gate_call(gate: Gate) -> str:
    """Write the call that makes a gate; … stands for options that only say how the data are read."""
    options: dict[str, object] = {"a": visible(gate.a), "b": visible(gate.b), "require": _requirements(gate)}
    options |= _unusual(gate) | {"rng": gate.seed}
    texts = [f"{option}={value!r}" for option, value in options.items()]
    return f"rw.gate(data, {', '.join([*texts, *(['task=…'] if gate.tasks else [])])})"


def _unusual(gate: Gate) -> dict[str, object]:
    """Return the options that a gate has otherwise than by default."""
    recipe = gate.recipe
    label = {} if recipe.pos_label is None else {"pos_label": method.positive_of(recipe)}
    values = {
        "on_undecided": (gate.on_undecided, "fail"),
        "prob": (recipe.prob, USUAL_PROB),
        "rule": (recipe.rule, "hdi"),
        "draws": (recipe.draws, "auto"),
    }
    return label | {option: value for option, (value, usual) in values.items() if value != usual}


def _requirements(gate: Gate) -> str | list[str]:
    texts = [visible(requirement.text) for requirement, _ in gate.by_requirement]
    return texts[0] if len(texts) == 1 else texts


def again(gate: Gate) -> Details:
    """Return how to ask the same again, and what the exit codes mean."""
    asked = _requirements(gate)
    required = [asked] if isinstance(asked, str) else asked
    options = [("require", text) for text in required] + [*_unusual(gate).items(), ("seed", gate.seed)]
    line = [f"--{option.replace('_', '-')} {shlex.quote(str(value))}" for option, value in options]
    shell = " ".join(["ropewalk gate …", *line])
    rows = (("Shell", name(shell)), ("Python", name(gate_call(gate))), ("Exit codes", _EXITS))
    return Details("Get the same again", (Facts(rows),), "command, exit codes")


def _in_sentence(gate: Gate) -> list[str]:
    """Write what each check says; of many no sentence has room."""
    if len(gate.checks) > MAX_IN_SENTENCE:
        return []
    return [f"{check_words(check, name)}: {check.outcome}, {_shown(check).text()}" for check in gate.checks]


def _shown(check: Check) -> Shown:
    """Return by how much A is better, as people read it."""
    c = check.comparison
    return Shown.of(c.delta, c.recipe.unit, mirror=not c.higher_is_better)


# -- how often it errs -------------------------------------------------------------------------------------


def self_check(gate: Gate) -> tuple[Block, ...]:
    """Return how often this gate would err on data like these, where that was asked for."""
    if gate.self_check is None:
        return ()
    from ropewalk.report.describe.self_check import self_check_blocks

    return self_check_blocks(gate.self_check)


def _tables_in(blocks: Iterable[Block]) -> tuple[Table, ...]:
    """Return the tables in sections, each with what is said above it: papers have tables alone."""
    found: list[Table] = []
    for section in blocks:
        parts = section.blocks if isinstance(section, Section) else (section,)
        said = " ".join(part.text for part in parts if isinstance(part, Text | Alarm))
        for table in parts:
            if isinstance(table, Table):
                found.append(replace(table, note=f"{said} {table.note}".strip()))
                said = ""
    return tuple(found)
