"""Where two classifiers differ: on which items, on which classes, and what they take for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ropewalk.data.labels import label_text
from ropewalk.inference.extras import ClassAgreement, Extras, Mistaken
from ropewalk.report.models import class_word
from ropewalk.report.pictures.tables import Entry, Forest, forest
from ropewalk.report.shape import Table, metric_title, model_text
from ropewalk.results import ClassComparisons, Comparison
from ropewalk.text.escape import isolated
from ropewalk.text.names import brief

_AGREED: Final = 40
_BINARY: Final = 2
_NAME: Final = 40
_NAMED: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioned:
    """A table under the words that say what it shows."""

    title: str
    body: Table
    note: str = ""


def agreement_tables(c: Comparison, rows: tuple[ClassAgreement, ...]) -> tuple[Captioned, ...]:
    """Count who was right, over all items and by true class."""
    if not rows:
        return ()
    a, b = isolated(c.a), isolated(c.b)
    both, only_a, only_b, neither = (
        sum(getattr(row, kind) for row in rows) for kind in ("both", "only_a", "only_b", "neither")
    )
    whole = Table(
        header=("", f"{b} right", f"{b} wrong"),
        rows=((f"{a} right", f"{both:,}", f"{only_a:,}"), (f"{a} wrong", f"{only_b:,}", f"{neither:,}")),
        ends_in_text=False,
    )
    told = "Only the items that one of them got right and the other wrong tell the two apart."
    if len(rows) > _BINARY:
        told = "What one of them got right and the other wrong tells the two apart; so may which wrong class was said."
    what = "predictions" if c.recipe.repeated else "items"
    found = [Captioned(title=f"Who was right, over all {what}", body=whole, note=told)]
    if 1 < len(rows) <= _AGREED:
        cells = tuple(
            (isolated(row.label), *(f"{n:,}" for n in (row.both, row.only_a, row.only_b, row.neither))) for row in rows
        )
        word = class_word(c.recipe)
        header = (word, "both", f"only {a}", f"only {b}", "neither")
        found.append(
            Captioned(title=f"Who was right, by {word}", body=Table(header=header, rows=cells, ends_in_text=False))
        )
    return tuple(found)


def _label(c: Comparison) -> str:
    return isolated(label_text("" if c.pos_label is None else c.pos_label))


def _entries(result: ClassComparisons) -> list[Entry]:
    return [
        Entry(
            label=_label(c),
            estimate=c.delta,
            n_draws=c.delta.worth(len(c.draws)),
            decision=c.decision,
            path=c.rope_path,
        )
        for c in result
    ]


def by_class(classes: ClassComparisons | None, *, live: bool = False) -> Forest | None:
    """Lay out the difference of every class."""
    if classes is None or not len(classes):
        return None
    first = next((c for c in classes if c.decision is not None), classes[0])
    what = f"{metric_title(first.metric)} of {isolated(first.a)} − {isolated(first.b)}"
    metric = first.recipe.metric
    return forest(_entries(classes), first.question, head="class", what=what, live=live, reach=metric.high - metric.low)


def classes_note(extras: Extras, *, exactly: bool = False) -> str:
    """Say what is asked of each class, and how those shown were picked; `exactly`, that no chains were run for them."""
    if extras.classes is None:
        return ""
    first = extras.classes[0]
    how = ", without Markov chains" if exactly else ""
    told = f"Each class against the rest: {model_text(first.recipe)}, {len(first.draws):,} draws each{how}."
    if first.recipe.rope is None and extras.rope:
        told += " The ROPE is about another metric, so it judges none of these."
    thin = [_label(c) for c in extras.classes if c.warnings]
    if thin:
        told += f" The prior or thin data weigh on {len(thin)} of them: {', '.join(thin[:_NAMED])}"
        told += f" and {len(thin) - _NAMED} more." if len(thin) > _NAMED else "."
    if len(extras.classes) < extras.n_classes:
        told += (
            f" These are the {len(extras.classes)} of {extras.n_classes:,} classes whose observed values differ most: "
            "picked by the data, so that their true differences are probably smaller."
        )
    return told


def confused(c: Comparison, rows: tuple[Mistaken, ...]) -> Captioned | None:
    """Return which class is taken for which other one, where the two classifiers differ most."""
    if not rows:
        return None
    cells = tuple(
        (
            *(isolated(brief(name, _NAME)) for name in (row.truth, row.said)),
            *(f"{n:,} ({100 * share:.1f}%)" for n, share in zip(row.items, row.shares, strict=True)),
        )
        for row in rows
    )
    word = class_word(c.recipe)
    header = (word, "taken for", isolated(c.a), isolated(c.b))
    return Captioned(
        title="Confusions where they differ most",
        body=Table(header=header, rows=cells, text_columns=2, ends_in_text=False),
        note=f"Items, and their share of the {word}. Picked by the data as the largest differences, so take them as "
        "hints: chance has made them larger.",
    )
