"""The page of two classifiers: on which items and classes they differ, how sure one can be, and what some ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.inference.extras import ClassAgreement, Extras, Mistaken
from ropewalk.report.describe.classical import MEANING, battery_table
from ropewalk.report.document import Answer, Block, Details, Facts, Heading, Picture, Section, Table, Text, name
from ropewalk.report.pictures import Entry, forest
from ropewalk.report.posterior import Panel, panel, posterior_of
from ropewalk.report.words import (
    class_word,
    class_words,
    label_name,
    metric_name,
    metric_title,
    model_text,
    stakes_unit,
    stakes_words,
)
from ropewalk.results import ClassComparisons, Comparison, Confusion, PriorSensitivity
from ropewalk.text.verdicts import verdict_text
from ropewalk.text.writing import brief, count_of, factor, isolated, number, savage_dickey

MIN_DRAWS_FOR_TWO_DECIMALS: Final = 20_000  # of a mean, in standard deviations
MAX_CLASSES_COUNTED: Final = 40
MAX_CLASSES_WITH_INTERVALS: Final = 6  # up to so many every cell has its interval
SHADES: Final = 9
MAX_CLASSES_UNFOLDED: Final = 8
MAX_NAME_LETTERS: Final = 40
MAX_THIN_CLASSES_NAMED: Final = 6
_OF_ITS_OWN: Final = "Each class is a question of its own; ? marks a verdict that other draws may change."
_AS_THEY_STAND: Final = "All of this is counted against the labels as they stand in the data."
_BAYES_FACTOR: Final = (
    "BF01 says how much more likely the data are if the two are equal than if they differ: above 1 it supports "
    "equality. It depends on the prior, and it is not the verdict. Savage-Dickey depends on the bandwidth of a "
    "kernel too, where the prior is dense at 0."
)
_WORTH: Final = (
    "Extrapolated from the posterior. The expected loss of shipping the better-looking one is what it would be worth "
    "to know for certain which is better; more labels save a part of it."
)
_SHADES: Final = (
    "Items, in a stronger colour where they are a larger share of their true class. Each share has an interval by "
    "itself: that of Beta(k + ½, n − k + ½) for k of n items, or of re-weighted clusters."
)


def posterior_panel(c: Comparison) -> Panel:
    """Lay out the posterior of the difference."""
    a, b, metric = isolated(c.a), isolated(c.b), metric_title(c.metric)
    label = f"{metric} of {a} − {metric} of {b}"
    return panel("p1", posterior_of(c), label=label, say=partial(verdict_text, a=a, b=b))


# -- where they differ -------------------------------------------------------------------------------------


def differences_section(c: Comparison, extras: Extras, preset: str, moves: str) -> tuple[Section, ...]:
    """Return where two classifiers differ: on which items, on which classes, and what they take for what."""
    counts: tuple[Block, ...] = _agreement_tables(c, extras.agreement)
    confused = _confused(c, extras.mistaken)
    classes: tuple[Block, ...] = ()
    if extras.classes is not None and len(extras.classes):
        note = _classes_note(extras.classes, extras, exactly=c.diagnostics is not None)
        forest_blocks = class_forest(extras.classes, preset)
        classes = (Heading("The difference on each class"), forest_blocks[0], Text(note), *forest_blocks[1:])
    blocks = (*counts, *classes, *confused)
    if moves and (counts or confused):
        blocks = (*blocks, Text(_AS_THEY_STAND))
    return (Section("Where they differ", blocks),) if blocks else ()


def _agreement_tables(c: Comparison, rows: tuple[ClassAgreement, ...]) -> tuple[Table, ...]:
    """Count who was right, over all items and by true class."""
    if not rows:
        return ()
    a, b = name(c.a), name(c.b)
    both, only_a, only_b, neither = (
        sum(getattr(row, kind) for row in rows) for kind in ("both", "only_a", "only_b", "neither")
    )
    note = "Only the items that one of them got right and the other wrong tell the two apart."
    if len(rows) > 2:  # noqa: PLR2004
        note = "What one of them got right and the other wrong tells the two apart; so may the wrong class predicted."
    whole = Table(
        title=f"Who was right, over all {'predictions' if c.recipe.repeated else 'items'}",
        header=("", f"{b} right", f"{b} wrong"),
        rows=((f"{a} right", f"{both:,}", f"{only_a:,}"), (f"{a} wrong", f"{only_b:,}", f"{neither:,}")),
        ends_in_text=False,
        note=note,
    )
    if not 1 < len(rows) <= MAX_CLASSES_COUNTED:
        return (whole,)
    word = class_word(c.recipe)
    by_class = Table(
        title=f"Who was right, by {word}",
        header=(word, "both", f"only {a}", f"only {b}", "neither"),
        rows=tuple(
            (name(row.label), *(f"{n:,}" for n in (row.both, row.only_a, row.only_b, row.neither))) for row in rows
        ),
        ends_in_text=False,
    )
    return whole, by_class


def class_forest(classes: ClassComparisons, preset: str, *, live: bool = False) -> tuple[Block, ...]:
    """Lay out the difference of every class, and say what the symbols are."""
    first = next((c for c in classes if c.decision is not None), classes[0])
    entries = [
        Entry(
            label=label_name(c.pos_label),
            estimate=c.delta,
            n_draws=c.delta.worth(len(c.draws)),
            decision=c.decision,
            path=c.rope_path,
        )
        for c in classes
    ]
    metric, what = first.recipe.metric, f"{metric_title(first.metric)} of {name(first.a)} − {name(first.b)}"
    rows = forest(entries, first.question, head="class", what=what, live=live, reach=metric.high - metric.low)
    return Picture("forest", rows, "classes", preset), *((Text(_OF_ITS_OWN),) if rows.symbols else ())


def _classes_note(classes: ClassComparisons, extras: Extras, *, exactly: bool) -> str:
    """Describe the question of each class, and how those shown were picked; `exactly`: no chains were run for them."""
    first = classes[0]
    how = ", without Markov chains" if exactly else ""
    text = f"Each class against the rest: {model_text(first.recipe)}, {len(first.draws):,} draws each{how}."
    if first.recipe.rope is None and extras.rope:
        text += " The ROPE is about another metric, so it judges none of these."
    thin = [label_name(c.pos_label) for c in classes if c.warnings]
    if thin:
        text += f" The prior or thin data dominate {len(thin)} of them: {', '.join(thin[:MAX_THIN_CLASSES_NAMED])}"
        unnamed = len(thin) - MAX_THIN_CLASSES_NAMED
        text += f" and {unnamed} more." if unnamed > 0 else "."
    if len(classes) < extras.n_classes:
        text += (
            f" These are the {len(classes)} of {extras.n_classes:,} classes whose observed values differ most: "
            "picked by the data, so that their true differences are probably smaller."
        )
    return text


def _confused(c: Comparison, rows: tuple[Mistaken, ...]) -> tuple[Table, ...]:
    """Return which class is taken for which other one, where the two classifiers differ most."""
    if not rows:
        return ()
    cells = tuple(
        (
            *(name(brief(label, MAX_NAME_LETTERS)) for label in (row.truth, row.said)),
            *(f"{n:,} ({100 * share:.1f}%)" for n, share in zip(row.items, row.shares, strict=True)),
        )
        for row in rows
    )
    word = class_word(c.recipe)
    note = (
        f"Items, and their share of the {word}. Picked by the data as the largest differences, so take them as hints: "
        "chance has made them larger."
    )
    return (
        Table(
            title="Confusions where they differ most",
            header=(word, "taken for", name(c.a), name(c.b)),
            rows=cells,
            text_columns=2,
            ends_in_text=False,
            note=note,
        ),
    )


# -- how sure ----------------------------------------------------------------------------------------------


def sureness_section(picture: Panel, priors: PriorSensitivity | None) -> tuple[Section, ...]:
    """Return what other ROPEs and other priors would say."""
    blocks: tuple[Block, ...] = ()
    if picture.curve:
        blocks = (Heading("Under another ROPE"), Picture("curve", picture))
    if priors is not None:
        answer, first = sensitivity_answer(priors), priors.rows[0][1]
        entries = [Entry(label=which, estimate=c.delta, decision=c.decision) for which, c in priors.rows]
        what = f"{metric_title(first.metric)} of {name(first.a)} − {name(first.b)}"
        rows = forest(entries, first.question, head="prior", what=what)
        note = f" {answer.note[0].upper()}{answer.note[1:]}." if answer.note else ""
        text = f"{answer.headline}. Each other prior has {len(priors.rows[-1][1].draws):,} draws.{note}"
        blocks = (*blocks, Heading("Under another prior"), Picture("forest", rows, "priors"), Text(text))
    return (Section("How sure could we be?", blocks),) if blocks else ()


def stakes_section(c: Comparison) -> tuple[Section, ...]:
    """Return what depends on the choice, what more labels are worth, and what pairing was."""
    blocks: tuple[Block, ...] = ()
    if c.stakes is not None:
        told, unit = stakes_words(c), stakes_unit(c)
        better, other = told.better, told.other
        facts = (
            ("Expected gain", f"{told.gain} {unit}, if {better} is shipped instead of {other}"),
            ("Expected loss", f"{told.loss} {unit}, since {other} may be the better one after all"),
        )
        rows = tuple((f"{n:,}", worth, left) for n, worth, left in told.labels)
        each = " for each" if len(c.recipe.tables) > 1 else ""
        header = (f"more items{each}", "would save", "expected loss left")
        table = Table(header=header, rows=rows, text_columns=0, ends_in_text=False, note=_WORTH)
        blocks = (
            Facts(facts),
            *((replace(table, label="What more labels are worth"),) if rows and not c.conclusive else ()),
        )
    if c.pairing is not None:
        blocks = (*blocks, Text(pairing_text(c.pairing)))
    return (Section("What is at stake?", blocks),) if blocks else ()


def pairing_text(times: float) -> str:
    """Write what it is worth that both classifiers answered the same items.

    Examples
    --------
    >>> pairing_text(2.34)
    'Pairing is worth 2.3 times the items here: so many would separate test sets need for an interval as narrow.'
    """
    return (
        f"Pairing is worth {factor(times)} times the items here: so many would separate test sets need for an interval "
        "as narrow."
    )


def sensitivity_answer(result: PriorSensitivity) -> Answer:
    """Describe how far the answer moves."""
    first, alike, robust = result.rows[0][1], result.alike, result.robust
    moved = f"the mean moves by {moved_text(result)} posterior standard deviations"
    if not first.delta.has_mean:
        moved = "there is no mean that could move"
    headline = f"Under {count_of(len(alike), 'prior')} {moved}"
    if robust is not None:
        headline += ", and the verdict stays the same" if robust else ", and the verdict changes"
        shaky = sum(c.decision is not None and not c.decision.stable for c in alike)
        headline += f" ({shaky} of them unstable: more draws would tell)" if shaky else ""
    about = f"{metric_name(first.metric)} of {name(first.a)} − {name(first.b)}"
    data = f"{count_of(first.recipe.n_items, 'item')}{class_words(first.recipe)} · {about}"
    # The prior part by part: an escape may cut what is long.
    priors = [(name(which), "; ".join(map(name, c.recipe.prior.split("; ")))) for which, c in result.rows]
    sampled = [which for which, c in result.rows if c.recipe.sampler is not None]
    rest = ", the rest drawn exactly" if len(sampled) < len(result.rows) else ""
    return Answer(
        title=f"Does the answer about {name(first.a)} and {name(first.b)} depend on the prior?",
        headline=headline,
        lines=(("Data", data), *priors),
        note=f"by Markov chains: {name(', '.join(sampled))}{rest}" if sampled else "",
    )


def moved_text(result: PriorSensitivity) -> str:
    """Write how far the mean moves at most, with no digit that the draws do not carry."""
    fewest = min(c.delta.worth(len(c.draws)) for c in result.alike)
    if not result.rows[0][1].delta.has_mean:
        return number(None, 0)
    places, moved = 2 if fewest >= MIN_DRAWS_FOR_TWO_DECIMALS else 1, result.moved
    least = 10.0**-places
    return f"less than {least:.{places}f}" if moved < least / 2 else f"at most {moved:.{places}f}"


# -- each classifier, and what some ask for ----------------------------------------------------------------


def classifier_section(c: Comparison, extras: Extras, moves: str, *, scores_known: bool) -> tuple[Section, ...]:
    """Return the score of each classifier, and its confusion matrix."""
    scores = (score_forest(((c.a, c.estimate_a), (c.b, c.estimate_b)), c),) if scores_known else ()
    matrices = matrix_blocks(extras.confusions, moves)
    title = "Each classifier" if scores else "Confusion matrix"
    return (Section(title, (*scores, *matrices)),) if scores or matrices else ()


def score_forest(scores: Any, answer: Any) -> Picture:
    """Lay out the (name, estimate) of classifiers."""
    entries = [Entry(label=name(label), estimate=estimate) for label, estimate in scores]
    what = metric_title(answer.metric)
    return Picture("forest", forest(entries, answer.question, head="classifier", what=what, signed=False), "each")


def matrix_blocks(confusions: tuple[Confusion, ...], moves: str) -> tuple[Block, ...]:
    """Return confusion matrices, folded away where they are large."""
    if not confusions:
        return ()
    note = f"{_SHADES} All are counted against the labels as they stand in the data." if moves else _SHADES
    blocks: tuple[Block, ...] = (*(Picture("matrix", confusion_matrix(matrix)) for matrix in confusions), Text(note))
    if any(len(matrix.labels) > MAX_CLASSES_UNFOLDED for matrix in confusions):
        return (Details("Confusion matrices with uncertainty", blocks),)
    return blocks


def asked_section(c: Comparison) -> tuple[Section, ...]:
    """Return what some readers ask for: Bayes factors and classical tests."""
    factors, battery = _factor_rows(c), c.tests
    blocks: tuple[Block, ...] = (Details("Bayes factor", (Facts(factors), Text(_BAYES_FACTOR))),) if factors else ()
    if battery is not None:
        table = battery_table(battery.tests, "Classical tests")
        blocks = (*blocks, Details("Classical tests", (table, Text(f"{MEANING}."))))
    return (Section("For those who ask", blocks),) if blocks else ()


def _factor_rows(c: Comparison) -> tuple[tuple[str, str], ...]:
    """Return the Bayes factors, and what they are of."""
    evidence = c.bayes_factor
    if evidence is None:
        return ()
    rows = []
    if evidence.rope is not None:
        value = factor(evidence.rope, bound=evidence.rope_bound)
        rows.append(
            ("In the ROPE against outside", f"BF01 {value}: the data change the odds of lying in it {value}-fold")
        )
    if evidence.sd is not None and evidence.density is not None and evidence.prior_density is not None:
        ratio = f"density at 0: prior {factor(evidence.prior_density)} → posterior {factor(evidence.density)}"
        doubt = "" if evidence.sd_reliable else "; few draws lie near 0, so this is rough"
        rows.append(("Savage-Dickey at 0", f"BF01 {savage_dickey(evidence)} ({ratio}){doubt}"))
    if evidence.reason and rows:
        rows.append(("Left out", evidence.reason))
    return tuple(rows)


# -- confusion matrices ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """A confusion matrix: rows are true classes, the last column how often each was found.

    A cell is a count, how dark its ground is, and its rate with the interval in words; in a `small` matrix all are
    shown.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, list[tuple[str, int, str]], str], ...]
    mass: str
    small: bool


def confusion_matrix(matrix: Confusion) -> Matrix:
    """Lay out counts on a ground as dark as the rate, and the share found of each class with its interval."""
    names = [isolated(brief(label_text(label), MAX_NAME_LETTERS)) for label in matrix.labels]
    rows, small = [], len(matrix.labels) <= MAX_CLASSES_WITH_INTERVALS
    for i, right in enumerate(map(matrix.labels.index, matrix.rows)):
        counts, shades = matrix.counts[i].tolist(), np.rint(SHADES * np.nan_to_num(matrix.normalised[i]))
        texts = [rate_text(matrix, i, j) if small or counts[j] else "" for j in range(len(names))]
        cells = list(zip([f"{n:,}" for n in counts], shades.astype(int).tolist(), texts, strict=True))
        rows.append((names[right], cells, rate_text(matrix, i, right)))
    mass = f"{100 * matrix.prob:g}%"
    return Matrix(title=isolated(matrix.name), columns=tuple(names), rows=tuple(rows), mass=mass, small=small)


def rate_text(matrix: Confusion, i: int, j: int) -> str:
    """Write a rate and its interval."""
    rate = matrix.normalised[i, j]
    seen = "–" if np.isnan(rate) else f"{rate:.3f}"
    return f"{seen} [{matrix.low[i, j]:.3f}, {matrix.high[i, j]:.3f}]"
