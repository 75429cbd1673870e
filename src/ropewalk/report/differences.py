"""Where two classifiers differ: on which items, on which classes, and what they take for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk._validate import brief, visible
from ropewalk.data.labels import label_text
from ropewalk.report.extras import ClassAgreement, Extras
from ropewalk.report.forest import Entry, Forest, forest
from ropewalk.report.shape import Table, metric_title
from ropewalk.results import ClassComparisons, Comparison, Confusion

_CONFUSED: Final = 8
_AGREED: Final = 40
_BINARY: Final = 2
_NAME: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Captioned:
    """A table, a picture or a matrix, under the words that say what it shows."""

    title: str
    body: Table
    note: str = ""


def agreement_tables(c: Comparison, rows: tuple[ClassAgreement, ...]) -> tuple[Captioned, ...]:
    """Count who was right, over all items and by true class."""
    if not rows:
        return ()
    a, b = visible(c.a), visible(c.b)
    both, only_a, only_b, neither = (
        sum(getattr(row, kind) for row in rows) for kind in ("both", "only_a", "only_b", "neither")
    )
    whole = Table(
        header=("", f"{b} right", f"{b} wrong"),
        rows=((f"{a} right", f"{both:,}", f"{only_a:,}"), (f"{a} wrong", f"{only_b:,}", f"{neither:,}")),
        ends_in_text=False,
    )
    told = "Only the items that one of them got right and the other wrong tell the two apart."
    found = [Captioned(title="Who was right, over all items", body=whole, note=told)]
    if 1 < len(rows) <= _AGREED:
        cells = tuple(
            (visible(row.label), *(f"{n:,}" for n in (row.both, row.only_a, row.only_b, row.neither))) for row in rows
        )
        header = ("true class", "both", f"only {a}", f"only {b}", "neither")
        found.append(
            Captioned(title="Who was right, by true class", body=Table(header=header, rows=cells, ends_in_text=False))
        )
    return tuple(found)


def _entries(result: ClassComparisons) -> list[Entry]:
    return [
        Entry(
            label=visible(label_text("" if c.pos_label is None else c.pos_label)),
            estimate=c.delta,
            decision=c.decision,
            path=c.rope_path,
        )
        for c in result
    ]


def by_class(classes: ClassComparisons | None, *, live: bool = False) -> Forest | None:
    """Lay out the difference of every class."""
    if classes is None or not len(classes):
        return None
    first = classes[0]
    what = f"{metric_title(first.metric)} of {visible(first.a)} − {visible(first.b)}"
    return forest(_entries(classes), first.recipe.question, head="class", what=what, live=live)


def classes_note(extras: Extras) -> str:
    """Say which classes are shown, and how they were picked."""
    if extras.classes is None:
        return ""
    told = f"Each class against the rest, {len(extras.classes[0].draws):,} draws each."
    if len(extras.classes) < extras.n_classes:
        told += (
            f" The {len(extras.classes)} of {extras.n_classes:,} classes whose observed values differ most: picked by "
            "the data, so that their true differences are probably smaller."
        )
    return told


def confused(confusions: tuple[Confusion, ...]) -> Captioned | None:
    """Return which class is taken for which other one, where the two classifiers differ most."""
    if len(confusions) != _BINARY or len(confusions[0].rows) <= _BINARY:
        return None
    a, b = confusions
    off = np.array([[row != label for label in a.labels] for row in a.rows])
    rates = np.abs(np.nan_to_num(a.normalised) - np.nan_to_num(b.normalised))
    differ = np.where(off, rates * a.counts.sum(axis=1, keepdims=True), -1.0)
    order = np.argsort(-differ, axis=None, kind="stable")[:_CONFUSED]
    rows = []
    for i, j in zip(*np.unravel_index(order, differ.shape), strict=True):
        if differ[i, j] <= 0:
            break
        names = (brief(visible(label_text(label)), _NAME) for label in (a.rows[i], a.labels[j]))
        seen = [f"{one.counts[i, j]:,} ({100 * one.normalised[i, j]:.1f}%)" for one in confusions]
        rows.append((*names, *seen))
    if not rows:
        return None
    header = ("true class", "taken for", visible(a.name), visible(b.name))
    return Captioned(
        title="Confusions where they differ most",
        body=Table(header=header, rows=tuple(rows), text_columns=2, ends_in_text=False),
        note="Items, and their share of the true class.",
    )
