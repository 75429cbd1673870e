"""Two classifiers: the answer in words, as a row of the papers' table, as a sentence, and as a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.decision import path_text
from ropewalk.draws.intervals import FEW_DRAWS, Estimate, knows_ends
from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.describe.decisions import callout, decision_line, labels_line, stakes_line
from ropewalk.report.describe.flips import flips_line, flips_table
from ropewalk.report.describe.metrics import metric_rows, metric_table, others_by_name
from ropewalk.report.describe.prospects import HEADER, more_cell
from ropewalk.report.describe.slices import headline as slices_headline
from ropewalk.report.describe.slices import slices_table
from ropewalk.report.document import Answer, Block, Document, Late, Share, Table, describes, name
from ropewalk.report.rows import verdict_words
from ropewalk.report.sketch import sketch_of
from ropewalk.results import Comparison, Recipe
from ropewalk.text import verdicts, writing
from ropewalk.text.remarks import Remark
from ropewalk.text.units import Shown, signed
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import carried, percent

if TYPE_CHECKING:
    from ropewalk.results import ClassicalTest

PAPER_TESTS: Final = ("sign-test", "t-test")
_OF_AREAS: Final = {"delong": "DeLong", "obuchowski_rockette": "Obuchowski-Rockette"}
"""The columns of p-values in the papers' tables."""

_SURPRISE: Final = "how surprising if there were no difference, not how probable one is"


@describes(Comparison)
def describe_comparison(c: Comparison) -> Document:
    """Describe a comparison."""
    answers, call, metrics = (answer(c),), method.pair_call(c, "compare"), metric_table(c)
    by_slice = () if c.by is None else (slices_table(c.by),)
    flips = () if c.flips is None else (flips_table(c, c.flips),)
    blocks = (*answers, *metric_rows(c), *by_slice)

    def page(document: Document) -> tuple[Block, ...]:
        from ropewalk.inference.extras import gather  # a page alone needs these, and terminals start sooner
        from ropewalk.report.describe import pair_page

        extras = gather(c)
        how = method.method_section(document, c.metrics, call, left_out=extras.left_out)
        return pair_page.sections(replace(document, tables=document.papers), c, extras, how)

    said = [remark for remark in c.remarks if remark.code == "no_verdict"]  # by the headline
    caption, tables = words.caption_text(words.delta_name(c), c, tests=columns_text(c)), [answer_table([c])]
    if metrics is not None and c.others:
        tables.append(metrics)
    return Document(
        caption=caption,
        about=about(c),
        answers=answers,
        tables=(*tables, *flips, *by_slice),
        papers=Late(lambda: (paper_table([c]),)),
        remarks=[
            remark
            for remark in method.answer_remarks(c, [c, *others_by_name(c)], [c.more], cautions=cautions([c]))
            if remark not in said
        ],
        sentence=sentence(c),
        terminal=blocks,
        card=answers,
        sections=page,
    )


def about(c: Comparison) -> str:
    """Write whom an answer is about, and which items."""
    items = f" · {words.items_text(c.recipe)}" if c.recipe.n_items else ""
    return f"{name(c.a)} against {name(c.b)}{items}"


# -- the answer in words -----------------------------------------------------------------------------------


def answer(c: Comparison, *, by_class: bool = False) -> Answer:
    """Describe whether A is better than B, on one class if `by_class`."""
    a, b, n = name(c.a), name(c.b), c.delta.worth(len(c.draws))
    told = c.told(name)
    return Answer(
        title=f"Is {a} better than {b}{f' on {name(str(c.pos_label))}' if by_class else ''}?",
        headline=told.title,
        lede=told.lede,
        symbol="" if c.decision is None else c.decision.symbol,
        sketch=sketch_of(c),
        shares=region_shares(c, (f"{a} better", "too small to matter", f"{b} better"), n, who=a),
        scores=_scores(c),
        lines=(
            ("Decision", decision_line(c)),
            ("Slices", "" if c.by is None else f"{_capital(slices_headline(c.by))}."),
            ("Data", _data(c, a, b)),
            ("Flips", "" if c.flips is None else flips_line(c, c.flips)),
            ("Tests", tests_line(c) if by_papers(c) else ""),  # they were asked for
        ),
        details=Late(lambda: _details(c, n)),
        stable=c.decision is None or c.decision.stable,
        callout=callout(c),
        tones=((a, "a"), (b, "b")),
        mark="" if c.decision is None else verdict_words(c.decision, a, b)[0],
    )


def wider_answer(c: Comparison, data: str, *rows: tuple[str, str]) -> Answer:
    """Return the answer to a question about more than pairs of items, with lines of its own in place of theirs."""
    whole = answer(c)
    decision = (row for row in whole.lines if row[0] == "Decision")
    return replace(
        whole,
        lines=tuple(row for row in (*decision, ("Data", f"{data}."), *rows) if row[1]),
        details=tuple(row for row in whole.details if row[0] != "Pairing"),
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _scores(c: Comparison) -> Table:
    """Return what each classifier scores: what was measured, and the interval."""
    unit, title = c.recipe.unit, words.metric_name(c.metric)
    rows = [(name(who), Shown.of(e, unit), e) for who, e in ((c.a, c.estimate_a), (c.b, c.estimate_b))]
    places = min(shown.places for _, shown, _ in rows)
    return Table(
        header=(
            f"{title} × 100" if unit.is_points else title,
            "measured" if c.recipe.model.takes_labels_as_true else f"as {c.recipe.model.labels_are}",
            f"{words.mass_text(c.recipe)} interval",
        ),
        rows=tuple(
            (
                who,
                "–" if e.observed is None else signed(unit.scale * e.observed, places, sign=False),
                f"[{signed(shown.low, places, sign=False)}, {signed(shown.high, places, sign=False)}]",
            )
            for who, shown, e in rows
        ),
        ends_in_text=False,
        bare=True,
    )


def _data(c: Comparison, a: str, b: str) -> str:
    recipe, table = c.recipe, c.recipe.tables[0]
    facts = f"{words.class_words(recipe)}{words.class_counts(table)}".replace(" · ", ", ")
    text = f"{words.paired_items(recipe)}{facts}"
    if not isinstance(table, Outcomes) or table.names != (c.a, c.b):
        return f"{text}."
    agree = table.agreement(*table.names)
    return (
        f"{text}; {agree['only_a']:,} right by {a} only, {agree['only_b']:,} by {b} only, {agree['both']:,} by both, "
        f"{agree['neither']:,} by neither."
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
    regions, (good, close, bad), recipe, tone = answer.regions, phrases, answer.recipe, ""
    if regions is None:
        return ()
    if recipe.rope.one_sided:
        facing = verdicts.oriented(recipe.rope, higher_is_better=recipe.metric.higher_is_better)
        close, outside = (f"{who} {verdicts.side_words(facing, inside=inside)[0]}" for inside in (True, False))
        good, bad = ("", outside) if math.isinf(facing[1]) else (outside, "")
        tone = "a" if math.isinf(facing[1]) else "b"  # below the margin lies what speaks for B, as in the pictures
    worse, inside, better = (regions.below, regions.inside, regions.above)
    if not recipe.metric.higher_is_better:
        worse, better = better, worse
    masses = ((bad, worse, "b"), (close, inside, tone), (good, better, "a"))
    by = _by_text(recipe)
    return tuple(
        [
            Share(word, mass, percent(mass, n_draws), of, by if of or recipe.rope.one_sided else "")
            for word, mass, of in masses
        ]
    )


def _by_text(recipe: Recipe) -> str:
    """Write by how much one of the two is better in the regions that matter."""
    rope, unit = recipe.rope, recipe.unit
    assert rope is not None  # noqa: S101 - there are no regions without
    if rope.one_sided:
        edge = rope.low if math.isfinite(rope.low) else rope.high
        return f"by more than {unit.counted(abs(edge))}" if edge else ""
    return f"by more than {unit.counted(rope.high)}" if rope.low == -rope.high else ""


def _details(c: Comparison, n_draws: int) -> tuple[tuple[str, str], ...]:
    """Return how the answer was made, for those who ask."""
    verdict = "" if c.decision is None else f"{words.symbol_or_words(c.decision)}, {_rope_words(c)}"
    path = path_text(c.rope_path or (), writing.decimals(c.delta))
    return (
        ("Verdict", verdict),
        ("Δ", f"{writing.estimate_text(c.delta, sign=True)} · P(Δ > 0) {percent(c.prob_above_zero, n_draws)}"),
        ("Every ROPE", path),
        ("Stakes", stakes_line(c) if c.conclusive else labels_line(c)),
        ("BF01", _evidence(c)),
        ("Scope", c.scope.line),
        ("Method", f"{words.model_text(c.recipe)}, {words.mass_text(c.recipe)} HDI, seed {c.recipe.seed}"),
        ("Draws", error_note(c, c.delta)),
        ("Chains", words.chains_text(c)),
        ("Tests", "" if by_papers(c) else tests_line(c)),
    )


def _rope_words(c: Comparison) -> str:
    assert c.rope is not None and c.decision is not None  # noqa: S101, PT018 - asked only where there is a verdict
    doubt = "" if c.decision.stable else ", unstable"
    return f"ROPE {name(rope_text(c.rope))}, by {'the HDI' if c.recipe.rule == 'hdi' else 'mass'}{doubt}"


def error_note(answer: Any, estimate: Estimate, path: str = "") -> str:
    """Write the Monte Carlo error of the HDI, the verdicts at other ROPEs, and why a verdict is unstable."""
    n_draws = len(answer.draws)
    error = f"±{max(estimate.hdi_mc_error):.1g}" if n_draws > 1 else "of unknown error"
    text = f"HDI ends are {error} (Monte Carlo, {words.worth_text(n_draws, estimate)})"
    if estimate.is_exact:
        text = "HDI and probabilities are exact"
    if path:
        text += f"; {path}"
    if answer.decision is not None and not answer.decision.stable:
        text += f"; unstable: {_cause(answer.recipe, estimate.worth(n_draws))}, so other draws may say otherwise"
    return text


def _cause(recipe: Recipe, worth: int) -> str:
    """Return why a verdict is unstable."""
    if worth < FEW_DRAWS:
        return "too few draws"
    if recipe.rule == "probability":
        return "a region's mass lies on the bar"
    return "an HDI end lies on a ROPE edge" if knows_ends(worth, recipe.prob) else "too few draws beyond the HDI"


# -- tables ------------------------------------------------------------------------------------------------


Parts: TypeAlias = tuple[str, Sequence[str]]
"""What the parts are that comparisons are about, as classes or tasks, and the label of each."""


def answer_table(comparisons: Sequence[Comparison], parts: Parts | None = None) -> Table:
    """Return one row per comparison: what was measured, by how much A is better, how probably, and the verdict."""
    head, labels = parts or ("metric", [words.metric_name(c.metric) for c in comparisons])
    first = comparisons[0]
    a, b, mass = name(first.a), name(first.b), words.mass_text(first.recipe)
    tested, judged = any(by_papers(c) for c in comparisons), first.rope is not None
    two_sided = judged and first.rope is not None and not first.rope.one_sided
    more = parts is not None and any(c.more is not None for c in comparisons)
    rows = []
    for c, label in zip(comparisons, labels, strict=True):
        unit, n = c.recipe.unit, c.delta.worth(len(c.draws))
        shown = Shown.of(c.delta, unit, mirror=not c.recipe.metric.higher_is_better)
        seen = (
            "–" if e.observed is None else signed(unit.scale * e.observed, shown.places, sign=False)
            for e in (c.estimate_a, c.estimate_b)
        )
        better = c.prob_above_zero if c.recipe.metric.higher_is_better else c.prob_below_zero
        close = "–" if c.regions is None else percent(c.regions.inside, n)
        rows.append(
            (
                label,
                *seen,
                *(paper_columns(c) if tested else ()),
                shown.text(),
                percent(better, n),
                *([close] if two_sided else []),
                *([more_cell(c.more)] if more else []),
                *([verdict_words(c.decision, a, b)[1] or "no verdict"] if judged else []),
            )
        )
    points = " in points" if first.recipe.unit.is_points else ""
    header = (
        head,
        f"{a} measured",
        f"{b} measured",
        *(PAPER_TESTS if tested else ()),
        f"improvement{points} [{mass}]",
        f"P({a} better)",
        *(["too small"] if two_sided else []),
        *([HEADER] if more else []),
        *(["verdict"] if judged else []),
    )
    return Table(header=header, rows=tuple(rows), ends_in_text=judged)


def paper_table(comparisons: Sequence[Comparison], parts: Parts | None = None) -> Table:
    """Return the papers' columns, one row per comparison; the Bayes factor is that of the ROPE, not that at 0."""
    head, labels = parts or ("difference", [f"{name(c.a)} − {name(c.b)}" for c in comparisons])
    tested = any(by_papers(c) for c in comparisons)
    more = parts is not None and any(c.more is not None for c in comparisons)
    rows = []
    for c, label in zip(comparisons, labels, strict=True):
        n = c.delta.worth(len(c.draws))
        rows.append(
            (
                label,
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
    lead = head, *(PAPER_TESTS if tested else ())
    end = *([HEADER] if more else []), "decision"
    return Table(header=(*lead, "mean", "std", "ROPE BF", "LG pct", "ROPE pct", "HDI", *end), rows=tuple(rows))


# -- the sentence ------------------------------------------------------------------------------------------


def sentence(c: Comparison, how: str = "", *, data: str | None = None, judged: str | None = None) -> str:
    """Write the headline, data and method; `how`, `data` and `judged` are how it was made, where that is special."""
    told = c.told(name)
    begin = words.on_data(c.recipe) if data is None else data
    made = how + (words.by_method(c) if judged is None else judged)
    seen = f"{words.mass_text(c.recipe)} HDI of the difference {writing.hdi_text(c.delta, sign=True)}"
    gone = "".join(f" {remark.text}" for remark in c.remarks if remark.code == "items_left_out")
    return f"{told.text.removesuffix('.')} ({begin[:1].lower()}{begin[1:]}; {seen}; {made}).{gone}"


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
        found = {} if c.tests is None else {name: c.tests.tests.get(key) for key, name in _OF_AREAS.items()}
        named = next(((name, test) for name, test in found.items() if test is not None), None)
        if named is None:
            return ""
        from ropewalk.report.describe.classical import effect_text

        name, test = named
        return f"{name} {effect_text(test)}, {writing.p_equals(test.p_value)} (classical, of the ROC AUC; {_SURPRISE})"
    text = " · ".join(f"{title} {writing.p_equals(test.p_value)}" for title, test in tests)
    if c.recipe.metric.average == "macro" and not isinstance(c.recipe.tables[0], MultilabelOutcomes):
        text += "; they reject too often where an item has one label: classical.permutation does not"
    return f"{text} (classical, of {_of(c)}: {_SURPRISE})"
