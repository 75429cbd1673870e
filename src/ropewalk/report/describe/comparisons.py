"""Comparisons in other forms: class by class, under other priors, and by draws made elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ropewalk.draws.intervals import Estimate
from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import comparison, method
from ropewalk.report.describe.chains import class_chain_section
from ropewalk.report.describe.differences import class_forest, sensitivity_answer
from ropewalk.report.document import Answer, Block, Details, Document, Rows, Section, Table, Text, describes, name
from ropewalk.results import ClassComparisons, PriorSensitivity
from ropewalk.results.foreign import ForeignComparison
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import carried, count_of, estimate_text, hdi_text, percent

MAX_CLASSES_IN_WORDS: Final = 50  # of more classes nobody reads a paragraph each; the table has them all
_NOT_KNOWN: Final = (
    "The intervals are credible given the model, the prior and the data behind these draws, which are not known here."
)
_EACH: Final = " · each class against the rest"


# -- class by class ----------------------------------------------------------------------------------------


@describes(ClassComparisons)
def describe_classes(result: ClassComparisons) -> Document:
    """Describe the comparisons of all classes."""
    first, recipe = result[0], result.recipe
    answer = Answer(title=f"Is {name(first.a)} better than {name(first.b)}?", headline=_headline(result))
    tests = comparison.columns_text(first, several=True)
    caption = words.caption_text(words.delta_name(first), *result, classes=_EACH, tests=tests)
    table = comparison.table(result.comparisons, by_class=True)

    def sections(document: Document) -> tuple[Block, ...]:
        call = method.pair_call(first, "compare_classes")
        return (
            *document.answer_sections(note=recipe.model.moves),
            Section("Class by class", class_forest(result, method.preset_text(recipe), live=True)),
            *document.table_section(),
            *_in_words(result),
            *class_chain_section(result),
            method.method_section(document, result.comparisons, call, about=_EACH),
        )

    return Document(
        caption=caption,
        answers=(answer,),
        tables=(table,),
        remarks=method.answer_remarks(
            first, result.comparisons, [c.more for c in result], cautions=comparison.cautions(result.comparisons)
        ),
        sentence=_class_sentence(result),
        terminal=(Text(caption), table),
        card=(table,),
        sections=sections,
    )


def _in_words(result: ClassComparisons) -> tuple[Section, ...]:
    """Return every class in words, folded away."""
    if len(result) > MAX_CLASSES_IN_WORDS:
        return ()
    answers = [comparison.answer(c, by_class=True) for c in result]
    folded = tuple(Details(f"{a.title}{f' {a.symbol}' if a.symbol else ''}", (a,)) for a in answers)
    return (Section("Every class in words", folded),)


def _headline(result: ClassComparisons) -> str:
    """Write on how many classes which of the two is better."""
    counts, n = words.tally(c.decision for c in result), len(result)
    first = result[0]
    a, b = name(first.a), name(first.b)
    if counts.without == n or first.rope is None:
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in result)
        why = first.no_verdict or "whether that matters needs a ROPE"
        metric = words.metric_title(first.metric)
        return f"{a}'s {metric} is more probably above {b}'s than below it on {higher} of {n} classes; {why}"
    without = f", {counts.without} without a verdict" if counts.without else ""
    if first.rope.one_sided:
        inside, outside = words.side_texts(first.recipe)
        rest = f"{outside} on {counts.won + counts.lost}; {counts.undecided} are undecided"
        return f"{a} is {inside[0]} than {b}{inside[1]} on {counts.even} of {n} classes, {rest}{without}"
    better = f"{a} is better on {counts.won} and {b} on {counts.lost} of {n} classes by a margin that matters"
    rest = f"{counts.even} are practically equivalent, {counts.undecided} undecided"
    return f"{better} (ROPE {rope_text(first.rope)}); {rest}{without}"


def _class_sentence(result: ClassComparisons) -> str:
    first, counts = result[0], words.tally(c.decision for c in result)
    a, b, metric = name(first.a), name(first.b), words.metric_title(first.metric)
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
        return comparison.sections(document, c, Extras(), how, scores_known=f.knows_scores)

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
