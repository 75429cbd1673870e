"""Two classifiers: the answer in words, as a row of the papers' table, as a sentence, and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.decision import path_text
from ropewalk.draws.intervals import FEW_DRAWS, Estimate, knows_ends
from ropewalk.inference.extras import Extras, gather
from ropewalk.report import words
from ropewalk.report.describe import differences, method
from ropewalk.report.describe.chains import chain_section, delta_trace
from ropewalk.report.describe.classical import effect_text
from ropewalk.report.describe.metrics import metric_section, metric_table, others_by_name
from ropewalk.report.describe.prospects import HEADER, more_cell, more_line, more_table, prospect_section
from ropewalk.report.document import Answer, Block, Document, Section, Share, Table, describes, name
from ropewalk.results import ClassicalTest, Comparison, Recipe
from ropewalk.text import writing
from ropewalk.text.remarks import Remark
from ropewalk.text.writing import Verdict, carried, percent

PAPER_TESTS: Final = ("sign-test", "t-test")
"""The columns of p-values in the papers' tables."""

_SURPRISE: Final = "how surprising if there were no difference, not how probable one is"


@describes(Comparison)
def describe_comparison(c: Comparison) -> Document:
    """Describe a comparison."""
    answers, call, metrics = (answer(c),), method.pair_call(c, "compare"), metric_table(c)
    blocks = (*answers, *([metrics] if metrics else []))

    def page(document: Document) -> tuple[Block, ...]:
        extras = gather(c)
        how = method.method_section(document, c.metrics, call, left_out=extras.left_out)
        return sections(replace(document, tables=document.tables[:1]), c, extras, how)

    caption, tables = words.caption_text(words.delta_name(c), c, tests=columns_text(c)), [table([c])]
    if metrics is not None and c.others:
        tables.append(metrics)
    return Document(
        caption=caption,
        answers=answers,
        tables=tuple(tables),
        remarks=method.answer_remarks(c, [c, *others_by_name(c)], [c.more], cautions=cautions([c])),
        sentence=sentence(c),
        terminal=blocks,
        card=blocks,
        sections=page,
    )


# -- the page ----------------------------------------------------------------------------------------------


def sections(
    document: Document, c: Comparison, extras: Extras, how: Section, *, scores_known: bool = True
) -> tuple[Block, ...]:
    """Return the sections of a page about two classifiers; the last says how the answer was made."""
    panel, preset, moves = differences.posterior_panel(c), method.preset_text(c.recipe), c.recipe.model.moves
    untested = replace(document, answers=tuple(replace(part, tests="") for part in document.answers))
    return (
        *untested.answer_sections((panel,), preset=preset, note=moves),
        *metric_section(c),
        *differences.differences_section(c, extras, preset, moves),
        *differences.sureness_section(panel, extras.priors),
        *differences.stakes_section(c),
        *(() if c.more is None else prospect_section(c.more, more_table(c.more))),
        *document.table_section(),
        *differences.classifier_section(c, extras, moves, scores_known=scores_known),
        *differences.asked_section(c),
        *(() if c.diagnostics is None else chain_section([c], delta_trace(c))),
        how,
    )


# -- the answer in words -----------------------------------------------------------------------------------


def answer(c: Comparison, *, by_class: bool = False) -> Answer:
    """Describe whether A is better than B, on one class if `by_class`."""
    a, b, n = name(c.a), name(c.b), c.delta.worth(len(c.draws))
    metric = words.metric_name(c.metric)
    singles = []
    for label, estimate in ((a, c.estimate_a), (b, c.estimate_b)):
        observed = f"{words.observed_word(c.recipe)} {carried(estimate.observed, estimate)}"
        singles.append(f"{label} {writing.estimate_text(estimate)}, {observed}")
    lines = (
        ("Data", _data(c, a, b)),
        (metric, f"{singles[0]} · {singles[1]} · {words.mass_text(c.recipe)} HDI"),
        ("Δ", f"{writing.estimate_text(c.delta, sign=True)} · P(Δ > 0) {percent(c.prob_above_zero, n)}"),
        ("Stakes", stakes_line(c)),
        ("Chains", words.chains_text(c)),
    )
    title = f"Is {a} better than {b}{f' on {name(str(c.pos_label))}' if by_class else ''}?"
    tests = tests_line(c)
    if c.decision is None or c.rope is None:
        return Answer(title=title, headline=words.sign_text(c, a, b, metric), lines=lines, tests=tests)
    return Answer(
        title=title,
        symbol=c.decision.symbol,
        headline=_verdict(c, a, b),
        lines=(*lines, ("BF01", _evidence(c))),
        shares=region_shares(c, (f"{a} better", "too close", f"{b} better"), n, who=a),
        note=error_note(c, c.delta, path_text(c.rope_path or (), writing.decimals(c.delta))),
        more=more_line(c.more, c.recipe),
        tests=tests,
        stable=c.decision.stable,
    )


def _verdict(c: Comparison, a: str, b: str) -> str:
    """Return the verdict in a sentence, the classifiers so written."""
    assert c.decision is not None and c.rope is not None  # noqa: S101, PT018 - asked only where there is one
    up = c.recipe.metric.higher_is_better
    return writing.judged_text(c.decision.verdict, c.decision.leaning, c.rope, a, b, higher_is_better=up)


def stakes_line(c: Comparison) -> str:
    """Write what shipping the better-looking one gains and loses; where it is open, what as many items again save."""
    if c.stakes is None:
        return ""
    told = words.stakes_words(c)
    text = (
        f"shipping {told.better} instead of {told.other} gains {told.gain} and loses {told.loss} on average, "
        f"{words.unit_text(c.metric)}"
    )
    if c.conclusive or not told.labels or told.loss.startswith("under"):
        return text
    counted = max(table.n_items for table in c.recipe.tables)
    n, worth, _ = min(told.labels, key=lambda row: abs(row[0] - counted))  # as many again
    each = " for each" if len(c.recipe.tables) > 1 else ""
    return f"{text}; {n:,} more items{each} would save {worth} of that loss"


def _data(c: Comparison, a: str, b: str) -> str:
    recipe, table = c.recipe, c.recipe.tables[0]
    text = f"{words.items_text(recipe)}, {name(words.model_name(recipe))}"
    text += words.class_words(recipe) + words.class_counts(table)
    if not isinstance(table, Outcomes) or len(recipe.tables) > 1:
        return text
    agree = table.agreement(*table.names)
    return (
        f"{text} · both right {agree['both']:,} · only {a} right {agree['only_a']:,}"
        f" · only {b} right {agree['only_b']:,} · both wrong {agree['neither']:,}"
    )


def _evidence(c: Comparison) -> str:
    """Write the Bayes factor of the ROPE; that at 0 is for those who ask, on the page and in the JSON."""
    if c.bayes_factor is None or c.bayes_factor.rope is None:
        return ""
    return f"the data change the odds of lying in the ROPE {_rope_factor(c)}-fold"


def _rope_factor(c: Comparison) -> str:
    factor = c.bayes_factor
    return "–" if factor is None else writing.factor(factor.rope, bound=factor.rope_bound)


def region_shares(answer: Any, phrases: tuple[str, str, str], n_draws: int, *, who: str) -> tuple[Share, ...]:
    """Return the masses of the three regions; `phrases` are for the better, the close and the worse one.

    A ROPE with one end has two regions, which say something else of `who`; the third has no words.
    """
    regions, (good, close, bad), recipe = answer.regions, phrases, answer.recipe
    if regions is None:
        return ()
    if recipe.rope.one_sided:
        facing = writing.oriented(recipe.rope, higher_is_better=recipe.metric.higher_is_better)
        close, outside = (f"{who} {writing.side_words(facing, inside=inside)[0]}" for inside in (True, False))
        good, bad = ("", outside) if math.isinf(facing[1]) else (outside, "")
    low, high = (bad, good) if recipe.metric.higher_is_better else (good, bad)
    masses = ((low, regions.below), (close, regions.inside), (high, regions.above))
    return tuple([Share(word, mass, percent(mass, n_draws)) for word, mass in masses])


def error_note(answer: Any, estimate: Estimate, path: str = "") -> str:
    """Write the Monte Carlo error of the HDI, the verdicts at other ROPEs, and why a verdict is unstable."""
    n_draws = len(answer.draws)
    text = f"HDI ends are ±{max(estimate.hdi_mc_error):.1g} (Monte Carlo, {words.worth_text(n_draws, estimate)})"
    if estimate.is_exact:
        text = "HDI and probabilities are exact"
    if path:
        text += f"; {path}"
    if not answer.decision.stable:
        text += f"; unstable: {_cause(answer.recipe, estimate.worth(n_draws))}, so other draws may say otherwise"
    return text


def _cause(recipe: Recipe, worth: int) -> str:
    """Return why a verdict is unstable."""
    if worth < FEW_DRAWS:
        return "too few draws"
    if recipe.rule == "probability":
        return "a region's mass lies on the bar"
    return "an HDI end lies on a ROPE edge" if knows_ends(worth, recipe.prob) else "too few draws beyond the HDI"


# -- the papers' table -------------------------------------------------------------------------------------


def table(comparisons: Sequence[Comparison], *, by_class: bool = False) -> Table:
    """Return the papers' columns, one row per comparison; the Bayes factor is that of the ROPE, not that at 0."""
    tested = any(by_papers(c) for c in comparisons)
    more = by_class and any(c.more is not None for c in comparisons)
    rows = []
    for c in comparisons:
        n = c.delta.worth(len(c.draws))
        rows.append(
            (
                words.label_name(c.pos_label) if by_class else f"{name(c.a)} − {name(c.b)}",
                *(paper_columns(c) if tested else ()),
                carried(c.mean, c.delta, sign=True),
                carried(c.std, c.delta),
                _rope_factor(c),
                f"{percent(c.prob_below_zero, n)} < 0 < {percent(c.prob_above_zero, n)}",
                "–" if c.regions is None else percent(c.regions.inside, n),
                writing.hdi_text(c.delta, sign=True),
                *([more_cell(c.more)] if more else []),
                words.decision_text(c.decision),
            )
        )
    lead = "class" if by_class else "difference", *(PAPER_TESTS if tested else ())
    end = *([HEADER] if more else []), "decision"
    return Table(header=(*lead, "mean", "std", "ROPE BF", "LG pct", "ROPE pct", "HDI", *end), rows=tuple(rows))


# -- the sentence ------------------------------------------------------------------------------------------


def sentence(c: Comparison, how: str = "", *, data: str | None = None, judged: str | None = None) -> str:
    """Write a comparison in one sentence; `how`, `data` and `judged` are how it was made, where that is special."""
    a, b, metric, n = name(c.a), name(c.b), words.metric_title(c.metric), c.delta.worth(len(c.draws))
    size = carried(abs(c.mean), c.delta)
    way = "exceeded" if c.mean > 0 else "was below"
    fact = f"{a}'s {metric} {way} {b}'s by {size}" if float(size) else f"{a}'s and {b}'s {metric} differed by {size}"
    begin = words.on_data(c.recipe) if data is None else data
    lead = f"{begin}, {fact} ({words.mass_text(c.recipe)} HDI of the difference {writing.hdi_text(c.delta, sign=True)}"
    made = how + (words.by_method(c) if judged is None else judged)
    if c.decision is None or c.regions is None or c.rope is None:
        return f"{lead}; {words.chance_text('Δ > 0', c.prob_above_zero, n)}; {made})."
    below, inside, above = (
        words.chance_text(f"Δ < {c.rope.low:g}", c.regions.below, n),
        words.chance_text("Δ in ROPE", c.regions.inside, n),
        words.chance_text(f"Δ > {c.rope.high:g}", c.regions.above, n),
    )
    doubt = words.doubt_text(c.decision)
    if c.decision.conclusive and c.rope.one_sided:
        shown = inside if c.decision.verdict is Verdict.EQUIVALENT else below if math.isinf(c.rope.high) else above
        return f"{lead}; {shown}; {made}): {_verdict(c, a, b)}{doubt}."
    if c.decision.verdict is Verdict.EQUIVALENT:
        return f"{lead}; {inside}; {made}): the two are practically equivalent{doubt}."
    if c.decision.conclusive:
        side = above if c.mean > c.rope.middle else below
        better = a if c.decision.verdict is Verdict.A_BETTER else b
        return f"{lead}; {side}; {made}): a margin that matters, in favour of {better}{doubt}."
    known = [text for text, edge in ((below, c.rope.low), (inside, 0.0), (above, c.rope.high)) if math.isfinite(edge)]
    return f"{lead}; {', '.join(known)}; {made}), which leaves the question undecided{doubt}."


# -- classical tests beside it -----------------------------------------------------------------------------


def by_papers(c: Comparison) -> bool:
    """Whether the papers' tests of labels stand beside a comparison."""
    return c.tests is not None and "sign_items" in c.tests.tests


def _paper_tests(c: Comparison) -> tuple[ClassicalTest | None, ClassicalTest | None]:
    """Return the sign and t tests that the papers print beside a comparison: over classes for macro averages."""
    if c.tests is None or not by_papers(c):
        return None, None
    level = "classes" if c.recipe.metric.average == "macro" else "items"
    return c.tests.tests[f"sign_{level}"], c.tests.tests[f"t_{level}"]


def paper_columns(c: Comparison) -> tuple[str, str]:
    """Return the p-values of the papers' sign and t tests."""
    sign, t = ("–" if test is None else writing.p_value(test.p_value) for test in _paper_tests(c))
    return sign, t


def cautions(comparisons: Sequence[Comparison]) -> list[Remark]:
    """Return what is wrong with the tests that stand beside comparisons."""
    tests = [test for c in comparisons for test in _paper_tests(c) if test is not None]
    remarks = dict.fromkeys(remark for test in tests for remark in test.remarks)
    return [
        replace(remark, level="note", text=f"sign-test and t-test: {remark.text}")
        for remark in remarks
        if remark.level == "warning"
    ]


def columns_text(c: Comparison, *, several: bool = False) -> str:
    """Describe the columns of p-values, where a table of one or `several` such comparisons has them."""
    if not by_papers(c):
        return ""
    many = ", not adjusted for their number" if several else ""
    return f"sign-test and t-test: classical p-values of {_of(c)}{many}"


def _of(c: Comparison) -> str:
    what = "per-class F1" if c.recipe.metric.average == "macro" else "accuracy, item by item"
    return what if c.recipe.prevalence is None else f"{what}, at the class mix of the data"


def tests_line(c: Comparison) -> str:
    """Write the p-values that the papers would print, and of what they are; empty without tests."""
    tests = [(title, test) for title, test in zip(PAPER_TESTS, _paper_tests(c), strict=True) if test]
    if not tests:
        test = None if c.tests is None else c.tests.tests.get("delong")
        if test is None:
            return ""
        return f"DeLong {effect_text(test)}, {writing.p_equals(test.p_value)} (classical, of the ROC AUC; {_SURPRISE})"
    text = " · ".join(f"{title} {writing.p_equals(test.p_value)}" for title, test in tests)
    if c.recipe.metric.average == "macro" and not isinstance(c.recipe.tables[0], MultilabelOutcomes):
        text += "; they reject too often where an item has one label: classical.permutation does not"
    return f"{text} (classical, of {_of(c)}: {_SURPRISE})"
