"""Confusion matrices, as rows of plain strings."""

from __future__ import annotations

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.report.shape import Escape, Table, View
from ropewalk.results.confusion import Confusion
from ropewalk.text.names import brief, count_of
from ropewalk.typing import Label

_COLUMNS = 6  # more classes are not printed cell by cell


def confusion_table(found: Confusion, escape: Escape) -> Table:
    """Return the rates of few classes cell by cell; of many, how often each is found and what it is taken for."""
    items = [f"{n:,}" for n in found.counts.sum(axis=1).tolist()]
    few = len(found.labels) <= _COLUMNS
    header = ["truth", "items", *([_name(x) for x in found.labels] if few else ["right", "most often taken for", ""])]
    rows = []
    for i, label in enumerate(found.rows):
        cells = [_cell(found, i, j) for j in range(len(found.labels))] if few else _short(found, i, label)
        rows.append(tuple(map(escape, (_name(label), items[i], *cells))))
    return Table(header=tuple(map(escape, header)), rows=tuple(rows), ends_in_text=False)


def confusion_view(found: Confusion, escape: Escape) -> View:
    """Say what the rates are of."""
    about = f"{escape(found.name)}: rate of each prediction, by true class, with its {100 * found.prob:g}% HDI"
    data = f"{count_of(int(found.counts.sum()), 'item')}, {len(found.rows)} classes"
    title = f"Confusion matrix of {escape(found.name)}"
    return View(title=title, symbol="", headline=about, lines=(("Data", data),), shares=(), note="")


def _cell(found: Confusion, i: int, j: int) -> str:
    rate = found.normalised[i, j]
    return f"{'–' if np.isnan(rate) else f'{rate:.3f}'} [{found.low[i, j]:.3f}, {found.high[i, j]:.3f}]"


def _short(found: Confusion, i: int, label: Label) -> list[str]:
    """Return how often a class is found, and what it is taken for most often."""
    right = found.labels.index(label)
    others = found.counts[i].copy()
    others[right] = -1
    worst = int(others.argmax())
    taken = [_name(found.labels[worst]), _cell(found, i, worst)] if others[worst] > 0 else ["–", ""]
    return [_cell(found, i, right), *taken]


def _name(label: Label) -> str:
    return brief(label_text(label), 24)
