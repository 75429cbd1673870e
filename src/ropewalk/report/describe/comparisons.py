"""Comparisons in other forms: class by class, under other priors, and by draws made elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import comparison, method, pair_page
from ropewalk.report.describe.chains import class_chain_section
from ropewalk.report.describe.differences import by_difference, class_forest, sensitivity_answer
from ropewalk.report.document import (
    Answer,
    Block,
    Callout,
    Document,
    Picture,
    Rows,
    Table,
    Text,
    describes,
    name,
    plain,
)
from ropewalk.report.pictures import Axis, hull
from ropewalk.report.rows import Forest, mirrored_draws, row_data, short
from ropewalk.report.slider import MarginSlider, margin_slider
from ropewalk.results import ClassComparisons, Comparison, PriorSensitivity
from ropewalk.results.foreign import ForeignComparison
from ropewalk.text.standing import listed
from ropewalk.text.units import Shown, metric_title
from ropewalk.text.verdicts import oriented, rope_text, side_words
from ropewalk.text.writing import carried, count_of, estimate_text, hdi_text, isolated, percent

MIN_CLASSES_TO_FIND: Final = 8
MAX_CLASSES_LEANING: Final = 60  # of more classes a page does not carry the draws by which another margin leans
_FILLED: Final = (
    " Filled dot: settled. Hollow dot: undecided, with the most probable outcome; ? elsewhere: other draws may say "
    "otherwise."
)
_SAID: Final = "{}, as set in the call. Move it and the verdicts follow; the headline keeps to the pre-set value."
_NOT_KNOWN: Final = (
    "The intervals are credible given the model, the prior and the data behind these draws, which are not known here."
)
_GAINS: Final = ("a_better", "a_not_worse")
_LOSSES: Final = ("b_better", "a_worse", "a_not_better")
_EACH: Final = " · each class against the rest"


# -- class by class ----------------------------------------------------------------------------------------


@describes(ClassComparisons)
def describe_classes(result: ClassComparisons) -> Document:
    """Describe the comparisons of all classes."""
    first, recipe = result[0], result.recipe
    a, b = name(first.a), name(first.b)
    headline = result.told(name)
    answer = Answer(
        title=f"Is {a} better than {b}?",
        headline=headline,
        lede=_lede(result),
        callout=class_callout(result),
        tones=((a, "a"), (b, "b")),
    )
    tests = comparison.columns_text(first, several=True)
    caption = words.caption_text(words.delta_name(first), *result, classes=_EACH, tests=tests)
    parts = ("class", [words.label_name(c.pos_label) for c in result])
    papers = (comparison.paper_table(result.comparisons, parts),)
    rows = class_rows(result)

    def sections(document: Document) -> tuple[Block, ...]:
        call = method.pair_call(first, "compare_classes")
        return (
            *document.answer_sections((Picture("forest", rows, "classes"),), note=recipe.model.moves),
            *replace(document, tables=papers).folded_tables("Every class in numbers", "the papers' columns"),
            *class_chain_section(result),
            method.method_section(document, result.comparisons, call, about=_EACH),
        )

    return Document(
        caption=caption,
        about=comparison.about(first),
        answers=(answer,),
        tables=(comparison.answer_table(result.comparisons, parts),),
        papers=papers,
        remarks=method.answer_remarks(
            first, result.comparisons, [c.more for c in result], cautions=comparison.cautions(result.comparisons)
        ),
        sentence=_class_sentence(result),
        terminal=(answer, Picture("forest", rows, "classes"), *(papers if first.tests is not None else ())),
        details=(Text(caption), *(papers if first.tests is None else ())),
        card=(answer,),
        sections=sections,
    )


def _lede(result: ClassComparisons) -> str:
    """Name the classes with the largest gain and the largest loss."""
    first, unit = result[0], result.recipe.unit
    mirror, metric = not first.recipe.metric.higher_is_better, words.metric_name(first.metric)
    shown = [Shown.of(c.delta, unit, mirror=mirror) for c in result]
    best, worst = (pick(range(len(shown)), key=lambda i: shown[i].mean) for pick in (max, min))
    what = f" {metric} points" if unit.is_points else f" in {metric}"
    told: list[str] = []
    for verb, i, sign in (("gains", best, 1), ("loses", worst, -1)):
        if sign * shown[i].mean > 0:
            where = words.label_name(result[i].pos_label)
            told.append(f"{verb} most on {where}: {shown[i].value()}{'' if told else what} {shown[i].interval()}")
    return f"{name(first.a)} {'; it '.join(told)}." if told else ""


def class_callout(result: ClassComparisons) -> Callout | None:
    """Return what the verdicts on the classes mean for a decision; None where there are none."""
    first = result[0]
    on: dict[str, list[str]] = {}
    for c in by_difference(result):
        if c.decision is not None:
            on.setdefault(c.decision.code, []).append(words.label_name(c.pos_label))
    if not on or first.rope is None:
        return None
    a, b, open_ones = name(first.a), name(first.b), on.get("undecided", [])
    gains, losses = ([where for code in codes for where in on.get(code, [])] for codes in (_GAINS, _LOSSES))
    sides = ((f"{a} better", gains), (f"{b} better", losses))
    if first.rope.one_sided:
        inside, (outside, by) = (side_words(_facing(first), inside=inside) for inside in (True, False))
        sides = ((f"{a} {inside[0]}{by}", gains), (f"{a} {outside}{by}", losses))
    rows = tuple((f"{what} on", listed(where)) for what, where in sides if where)
    if open_ones:
        many = (
            f"the {len(open_ones)} undecided classes" if len(open_ones) > 1 else f"the undecided class {open_ones[0]}"
        )
        text = "For these the test set cannot tell a difference that matters from one that does not."
        return Callout(tone="wait", title=f"For a decision: do not treat {many} as equal", text=text, rows=rows)
    if gains and losses:
        title = "For a decision: neither is the better choice for every class"
        return Callout(tone="wait", title=title, text="What one of them gains here it loses there.", rows=rows)
    if losses:
        return Callout(tone="no", title=f"For a decision: {b} loses nowhere what matters", rows=rows)
    if gains:
        return Callout(tone="ok", title=f"For a decision: {a} loses nowhere what matters", rows=rows)
    return Callout(tone="ok", title="For a decision: either will do", text="Choose by cost, speed or risk.")


def _facing(c: Comparison) -> tuple[float, float]:
    assert c.rope is not None  # noqa: S101 - asked only where there is one
    return oriented(c.rope, higher_is_better=c.recipe.metric.higher_is_better)


def class_rows(result: ClassComparisons) -> Forest:
    """Lay out the differences of all classes, largest first, with what a page needs to judge another margin."""
    first, unit, up = result[0], result.recipe.unit, result.recipe.metric.higher_is_better
    ordered = by_difference(result)
    rows = class_forest(ordered)
    judged = next((c for c in result if c.decision is not None), None)
    a, b = name(first.a), name(first.b)
    one_sided = first.rope is not None and first.rope.one_sided
    counts = Counter(row.tone for row in rows.rows)
    left, right = short(a, b)
    sides = (
        {"a": "not worse", "b": "worse"}
        if one_sided
        else {"a": f"{left} better", "b": f"{right} better", "e": "equivalent"}
    )
    chips = tuple((tone, text, counts[tone]) for tone, text in {**sides, "u": "undecided"}.items()) if judged else ()
    slider = None if judged is None else _class_slider(result, judged, rows.axis)
    n, scale = len(result), ", × 100" if unit.is_points else ""
    of_each = f"{words.metric_name(first.metric)} of each class against the rest{scale}"
    note = f"{of_each}, {a} − {b}."
    if not up:
        note = f"Improvement in {of_each}: + means that {a} is better."
    if judged is not None:
        note += _band_text(judged) + _FILLED
    missed = round(n * (1 - first.recipe.prob))
    note += " Each class is a question of its own"
    note += f"; of {n} intervals about {missed} may miss." if missed else "."
    return replace(
        rows,
        rows=tuple(
            replace(
                row, data="" if slider is None or c.decision is None else _row_data(c, few=n <= MAX_CLASSES_LEANING)
            )
            for row, c in zip(rows.rows, ordered, strict=True)
        ),
        chips=chips,
        find=n > MIN_CLASSES_TO_FIND,
        note=note,
        slider=slider,
    )


def _band_text(judged: Comparison) -> str:
    """Say what the band in the picture is."""
    assert judged.rope is not None  # noqa: S101 - asked only where there is one
    unit = judged.recipe.unit
    if judged.rope.one_sided:
        return " Shaded: less than was asked for."
    size = f" (±{unit.counted(judged.rope.high)})" if judged.rope.low == -judged.rope.high else ""
    return f" Grey band: too small to matter{size}."


def _row_data(c: Comparison, *, few: bool) -> str:
    unit, mirror = c.recipe.unit, not c.recipe.metric.higher_is_better
    ordered = mirrored_draws(c.draws.delta(), unit, mirror=mirror) if few else np.zeros(0)
    return row_data(c.delta, unit, ordered, c.rope_path, c.delta.worth(len(c.draws)), mirror=mirror)


def _class_slider(result: ClassComparisons, judged: Comparison, axis: Axis) -> MarginSlider | None:
    unit, metric = judged.recipe.unit, judged.recipe.metric
    if judged.rope is not None and judged.rope.one_sided:
        say = {"≈": "not worse", "≪": "worse", "u": "undecided"}
        tally = [["a", "not worse"], ["b", "worse"], ["u", "undecided"]]
    else:
        a, b = (isolated(plain(who, str)) for who in short(name(judged.a), name(judged.b)))
        say = {"≫": f"{a} better", "≪": f"{b} better", "≈": "equivalent", "u": "undecided", "a": a, "b": b}
        say["equivalent"] = "equivalent"
        tally = [["a", f"for {a}"], ["b", f"for {b}"], ["e", "equivalent"], ["u", "undecided"]]
    ends = hull(c.delta.hdi for c in result)
    reach = Interval(ends.low * unit.scale, ends.high * unit.scale)
    data = {"kind": "rows", "say": say, "tally": tally, "axis": [axis.low, axis.high]}
    return margin_slider(judged.question, reach, unit, metric.high - metric.low, said=_SAID, data=data)


def _class_sentence(result: ClassComparisons) -> str:
    first, counts = result[0], words.tally(c.decision for c in result)
    a, b, metric = name(first.a), name(first.b), metric_title(first.metric)
    lead = f"On {words.paired_items(first.recipe)} of {len(result)} classes, each class against the rest"
    made_by = words.by_method(*result, has_verdict=counts.without < len(result))
    if counts.without == len(result):
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in result)
        return f"{lead}, {a}'s {metric} was more probably above {b}'s than below it on {higher} ({made_by})."
    if first.rope is not None and first.rope.one_sided:
        inside, outside = words.side_texts(first.recipe)
        rest = f"{counts.undecided} undecided" + (f" and {counts.without} without a verdict" if counts.without else "")
        told = f"{a}'s {metric} was {inside[0]} than {b}'s{inside[1]} on {counts.even}, {outside}"
        many = counts.won + counts.lost
        return f"{lead}, {told} on {many}, with {rest} ({words.mass_text(first.recipe)} HDI; {made_by})."
    won = f"{a} was better than {b} in {metric} on {counts.won}, worse on {counts.lost} and practically equivalent"
    rest = f"{counts.undecided} undecided" + (f" and {counts.without} without a verdict" if counts.without else "")
    return f"{lead}, {won} on {counts.even}, with {rest} ({words.mass_text(first.recipe)} HDI; {made_by})."


# -- under other priors ------------------------------------------------------------------------------------


@describes(PriorSensitivity)
def describe_sensitivity(result: PriorSensitivity) -> Document:
    """Describe how far an answer depends on the prior."""
    first = result.rows[0][1]
    call = f"{method.pair_call(first, 'compare')}.prior_sensitivity()"
    return Document(
        caption=words.caption_text(words.delta_name(first), first),
        answers=(sensitivity_answer(result),),
        tables=(_table(result),),
        remarks=method.answer_remarks(first, [first], [], cautions=comparison.cautions([first])),
        sections=lambda document: (
            *document.answer_sections(),
            *document.table_section(),
            method.method_section(document, [first], call, graph=False),
        ),
    )


def _table(result: PriorSensitivity) -> Table:
    """Return one row per prior."""
    rows = [
        (
            name(which),
            carried(c.mean, c.delta, sign=True),
            carried(c.std, c.delta),
            hdi_text(c.delta, sign=True),
            "–" if c.regions is None else percent(c.regions.inside, c.delta.worth(len(c.draws))),
            words.decision_text(c.decision),
        )
        for which, c in result.rows
    ]
    return Table(header=("prior", "mean", "std", "HDI", "in ROPE", "decision"), rows=tuple(rows))


# -- by draws made elsewhere -------------------------------------------------------------------------------


@describes(ForeignComparison)
def describe_foreign(f: ForeignComparison) -> Document:
    """Describe a comparison of draws made elsewhere: where they came from stands in place of the data."""
    c, recipe = f.plain(), f.recipe
    whole = comparison.describe_comparison(c)
    lines = [("Draws", _draws(f)), ("Chains", _chains(f))]
    if f.estimate_a is not None and f.estimate_b is not None:
        scores = [_score(who, estimate) for who, estimate in ((f.a, f.estimate_a), (f.b, f.estimate_b))]
        lines.append((words.metric_name(f.metric), f"{scores[0]} · {scores[1]} · {words.mass_text(recipe)} HDI"))
    answers = (replace(whole.answers[0], lines=(*lines, *whole.answers[0].lines[2:])),)

    def sections(document: Document) -> tuple[Block, ...]:
        how = document.method_section(_method(f), not_covered=_NOT_KNOWN)
        return pair_page.sections(document, c, Extras(), how, scores_known=f.knows_scores, not_covered=_NOT_KNOWN)

    return replace(
        whole,
        caption=f"{words.delta_name(f)} · {words.rope_words(recipe)} · {words.mass_text(recipe)} HDI · {_draws(f)}",
        answers=answers,
        sentence=_foreign_sentence(f),
        terminal=answers,
        card=answers,
        sections=sections,
    )


def _score(who: str, estimate: Estimate) -> str:
    text = f"{name(who)} {estimate_text(estimate)}"
    if estimate.observed is None:
        return text
    return f"{text}, observed {carried(estimate.observed, estimate)}"


def _draws(f: ForeignComparison) -> str:
    origin = f.origin
    text = f"{count_of(len(f.draws), 'draw')} in {count_of(f.draws.chains, 'chain')} · {name(origin.what)}"
    if origin.library:
        text += f" · by {name(origin.library)}"
    return text if origin.n_items is None else f"{text} · {count_of(origin.n_items, 'item')}"


def _chains(f: ForeignComparison) -> str:
    run, lost = f.diagnostics, f.origin.divergences
    if run is None:
        return ""
    divergent = "divergences not reported" if lost is None else f"{lost:,} divergent" if lost else "none divergent"
    rhat = f"R-hat at most {words.rhat_text(run.rhat)} ({name(run.rhat_of)})"
    return f"{rhat} · effective size at least {min(run.ess_bulk, run.ess_tail):,.0f} · {divergent}"


def _foreign_sentence(f: ForeignComparison) -> str:
    origin = f.origin
    library = f" ({name(origin.library)})" if origin.library else ""
    data = f"By the draws of {name(origin.what)}{library}"
    if origin.n_items is not None:
        data = f"On {count_of(origin.n_items, 'item')}"
    return comparison.sentence(f, data=data, judged=words.by_method(f, has_model=origin.model is not None))


def _method(f: ForeignComparison) -> Rows:
    """Return where the draws came from, and how they were judged."""
    origin, recipe = f.origin, f.recipe
    known = f"{name(origin.model or '')}, prior {name(origin.prior or '')}"
    return (
        ("Draws", _draws(f)),
        ("Draws hash", recipe.data_hash),
        ("Model", "not known here" if origin.model is None else known),
        ("Chains", _chains(f)),
        ("ROPE", "none" if recipe.rope is None else f"{rope_text(recipe.rope)}, as stated in the call"),
        ("Judged by", method.judged_by(recipe, f.no_verdict)),
    )
