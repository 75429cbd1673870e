"""The page of two classifiers: on which items and classes they differ, how sure one can be, and what some ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.inference.extras import ClassAgreement, Extras, Mistaken
from ropewalk.report.describe.classical import MEANING, battery_table
from ropewalk.report.describe.flips import flips_table
from ropewalk.report.document import Answer, Block, Details, Facts, Heading, Picture, Section, Table, Text, name
from ropewalk.report.pictures import Entry
from ropewalk.report.rows import Forest, forest, parts_forest
from ropewalk.report.words import class_word, class_words, label_name, metric_name, stakes_unit, stakes_words
from ropewalk.results import ClassComparisons, Comparison, Confusion, PriorSensitivity
from ropewalk.text.units import metric_title
from ropewalk.text.writing import brief, count_of, factor, isolated, number, savage_dickey

MIN_DRAWS_FOR_TWO_DECIMALS: Final = 20_000  # of a mean, in standard deviations
MAX_CLASSES_COUNTED: Final = 40
MAX_CLASSES_WITH_INTERVALS: Final = 6  # up to so many every cell has its interval
SHADES: Final = 9
MAX_SQUARES: Final = 60
MAX_ROWS_IN_SIGHT: Final = 6
MAX_NAME_LETTERS: Final = 40
MAX_THIN_CLASSES_NAMED: Final = 6
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


# -- where they differ -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What one classifier gained and lost on each part of the items: squares where they are few, else bars.

    A row is a label, how many items it has, how many were gained and lost, and these as shares of the longest row.
    """

    rows: tuple[tuple[str, str, int, int, float, float], ...]
    squares: bool
    note: str = ""


def differences_section(c: Comparison, extras: Extras, moves: str) -> tuple[Section, ...]:
    """Return where two classifiers differ: on which items, and on which classes."""
    told = _agreement_text(c, extras.agreement)
    few = len(extras.agreement) <= MAX_ROWS_IN_SIGHT
    flips = () if c.flips is None else (flips_table(c, c.flips),)
    blocks: tuple[Block, ...] = (*flips, *(_flips(c, extras.agreement) if few else ()))
    if extras.classes is not None and len(extras.classes):
        note = _classes_note(extras.classes, extras, exactly=c.diagnostics is not None)
        rows = replace(class_forest(by_difference(extras.classes)), note=note)
        blocks = (*blocks, Heading("The difference on each class"), Picture("forest", rows, "classes"))
    if moves and extras.agreement:
        blocks = (*blocks, Text(_AS_THEY_STAND))
    return (Section("Where they differ", blocks, told),) if blocks or told else ()


def flip_details(c: Comparison, extras: Extras) -> tuple[Details, ...]:
    """Return what was gained and lost class by class, where the classes are many."""
    if len(extras.agreement) <= MAX_ROWS_IN_SIGHT:
        return ()
    blocks = _flips(c, extras.agreement)
    return (Details("Gained and lost", blocks, f"by {class_word(c.recipe)}"),) if blocks else ()


def _agreement_text(c: Comparison, rows: tuple[ClassAgreement, ...]) -> str:
    """Count who was right, over all items."""
    if not rows:
        return ""
    a, b, what = name(c.a), name(c.b), "prediction" if c.recipe.repeated else "item"
    both, only_a, only_b, neither = (
        sum(getattr(row, kind) for row in rows) for kind in ("both", "only_a", "only_b", "neither")
    )
    apart, whole = only_a + only_b, count_of(both + only_a + only_b + neither, what)
    told = f"Both are right on {both:,} of {whole} and both wrong on {neither:,}. "
    if not apart:
        wrong = "; the wrong class predicted may tell them apart" if len(rows) > 2 else ""  # noqa: PLR2004
        return f"{told}There is none on which only one of them is right{wrong}."
    told += f"On the other {apart:,}, {a} is right {_times(only_a)} and {b} {_times(only_b)}."
    if len(rows) > 2:  # noqa: PLR2004
        return f"{told} These tell the two apart; so may the wrong class predicted."
    return f"{told} Only these {what}s tell the two apart."


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def _flips(c: Comparison, rows: tuple[ClassAgreement, ...]) -> tuple[Block, ...]:
    """Lay out what A gained and lost against B, by true class."""
    if not 1 < len(rows) <= MAX_CLASSES_COUNTED or not any(row.only_a + row.only_b for row in rows):
        return ()
    most = max(row.only_a + row.only_b for row in rows)
    flips = Flips(
        rows=tuple(
            (
                name(row.label),
                count_of(row.both + row.only_a + row.only_b + row.neither, "item"),
                row.only_a,
                row.only_b,
                round(100 * row.only_a / most, 2),
                round(100 * row.only_b / most, 2),
            )
            for row in rows
        ),
        squares=most <= MAX_SQUARES and len(rows) <= MAX_ROWS_IN_SIGHT,
    )
    a, b = name(c.a), name(c.b)
    note = f"By {class_word(c.recipe)}: gained are the items that only {a} got right, lost those that only {b} did."
    return (Picture("flips", replace(flips, note=note)),)


def class_forest(classes: Sequence[Comparison]) -> Forest:
    """Lay out the difference of every class, in this order."""
    return parts_forest(classes, [label_name(c.pos_label) for c in classes], "class")


def by_difference(classes: Iterable[Comparison]) -> list[Comparison]:
    """Return the comparisons of classes, the largest gain of A first."""
    return sorted(classes, key=lambda c: -c.mean if c.recipe.metric.higher_is_better else c.mean)


def _classes_note(classes: ClassComparisons, extras: Extras, *, exactly: bool) -> str:
    """Describe the question of each class, and how those shown were picked; `exactly`: no chains were run for them."""
    first = classes[0]
    how = ", without Markov chains" if exactly else ""
    text = f"Each class against the rest, by {len(first.draws):,} draws each{how}."
    if first.recipe.rope is None and extras.rope:
        text += " The margin is about another metric, so it judges none of these."
    thin = [label_name(c.pos_label) for c in classes if c.warnings]
    if thin:
        named = ", ".join(thin[:MAX_THIN_CLASSES_NAMED])
        text += f" Thin data leave much to the model's assumptions in {len(thin)} of them: {named}"
        unnamed = len(thin) - MAX_THIN_CLASSES_NAMED
        text += f" and {unnamed} more." if unnamed > 0 else "."
    if len(classes) < extras.n_classes:
        text += (
            f" These are the {len(classes)} of {extras.n_classes:,} classes whose observed values differ most: "
            "picked by the data, so that their true differences are probably smaller."
        )
    return text


def confused_details(c: Comparison, rows: tuple[Mistaken, ...]) -> tuple[Details, ...]:
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
    table = Table(
        header=(word, "taken for", name(c.a), name(c.b)),
        rows=cells,
        text_columns=2,
        ends_in_text=False,
        label="Confusions where they differ most",
        note=note,
    )
    return (Details("What they take for what", (table,), "the largest differences"),)


# -- how sure ----------------------------------------------------------------------------------------------


def prior_details(priors: PriorSensitivity | None) -> tuple[Details, ...]:
    """Return what other priors would say."""
    if priors is None:
        return ()
    answer, first = sensitivity_answer(priors), priors.rows[0][1]
    entries = [
        Entry(label=which, estimate=c.delta, decision=c.decision, asked=c.rope is not None) for which, c in priors.rows
    ]
    what = f"{metric_title(first.metric)} of {name(first.a)} − {name(first.b)}"
    names = (name(first.a), name(first.b))
    rows = forest(entries, first.question, head="prior", what=what, unit=first.recipe.unit, names=names)
    note = f" {answer.note[0].upper()}{answer.note[1:]}." if answer.note else ""
    text = f"{answer.headline}. Each other prior has {len(priors.rows[-1][1].draws):,} draws.{note}"
    return (Details("Other priors", (Picture("forest", rows, "priors"), Text(text)), "would the answer change?"),)


def stakes_details(c: Comparison) -> tuple[Details, ...]:
    """Return what depends on the choice, and what more labels are worth."""
    if c.stakes is None:
        return ()
    told, unit = stakes_words(c), stakes_unit(c)
    better, other = told.better, told.other
    facts = (
        ("Expected gain", f"{told.gain} {unit}, if {better} is shipped instead of {other}"),
        ("Expected loss", f"{told.loss} {unit}, since {other} may be the better one after all"),
    )
    rows = tuple((f"{n:,}", worth, left) for n, worth, left in told.labels)
    each = " for each" if len(c.recipe.tables) > 1 else ""
    header = (f"more items{each}", "would save", "expected loss left")
    label = "What more labels are worth"
    table = Table(header=header, rows=rows, text_columns=0, ends_in_text=False, note=_WORTH, label=label)
    blocks: tuple[Block, ...] = (Facts(facts), *((table,) if rows and not c.conclusive else ()))
    return (Details("What is at stake", blocks, "gain and loss on average"),)


def pairing_text(times: float, noun: str = "item") -> str:
    """Write what it is worth that both classifiers answered the same items, or have scores on the same data sets.

    Examples
    --------
    >>> pairing_text(2.34)
    'Pairing is worth 2.3 times the items here: with items of its own for each, an interval as narrow takes so many.'
    """
    return (
        f"Pairing is worth {factor(times)} times the {noun}s here: with {noun}s of its own for each, an interval as "
        "narrow takes so many."
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


def matrix_blocks(confusions: tuple[Confusion, ...], moves: str) -> tuple[Block, ...]:
    """Return confusion matrices, folded away where they are large."""
    if not confusions:
        return ()
    note = f"{_SHADES} All are counted against the labels as they stand in the data." if moves else _SHADES
    blocks: tuple[Block, ...] = (*(Picture("matrix", confusion_matrix(matrix)) for matrix in confusions), Text(note))
    return blocks


def matrix_details(confusions: tuple[Confusion, ...], moves: str) -> tuple[Details, ...]:
    """Return confusion matrices, folded away."""
    blocks, several = matrix_blocks(confusions, moves), len(confusions) > 1
    title = "Confusion matrices" if several else "Confusion matrix"
    return (Details(title, blocks, "counts and rates, with intervals"),) if blocks else ()


def asked_details(c: Comparison) -> tuple[Details, ...]:
    """Return what some readers ask for: Bayes factors and classical tests."""
    factors, battery = _factor_rows(c), c.tests
    found: tuple[Details, ...] = ()
    if factors:
        found = (Details("Bayes factor", (Facts(factors), Text(_BAYES_FACTOR)), "for those who ask for one"),)
    if battery is not None:
        table = battery_table(battery.tests, "Classical tests")
        found = (*found, Details("Classical tests", (table, Text(f"{MEANING}.")), "p-values"))
    return found


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
