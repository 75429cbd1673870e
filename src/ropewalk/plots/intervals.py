"""Differences below each other: one row per class, slice or prior, with its HDI, its mean and its verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.data.labels import label_text
from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import Decision
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes
from ropewalk.plots._cells import MIN_LETTER_SIZE
from ropewalk.plots._subject import NAME, delta_words
from ropewalk.report.describe.differences import moved_text
from ropewalk.report.pictures import INK, LINE, Entry, forest_axis, tone
from ropewalk.report.words import side_texts, symbol_text
from ropewalk.results import ClassComparisons, Comparison, PriorSensitivity, Recipe
from ropewalk.text.units import metric_title
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import count_of

CLASS_ROW: Final = 0.16  # inches
PRIOR_ROW: Final = 0.2  # inches
MAX_HEIGHT: Final = 9.0  # inches: a page
FILL: Final = 0.9  # of a row's height that its letters may take
NAMES_SHARE: Final = 0.36  # of the width that the names may take
PAD: Final = 2.0  # points
HEAD: Final = 10.0  # points above the axes, for the name of the ROPE
STICKY: Final = "\u00a0"  # a space at which no line is broken


@checked_keywords
def plot_per_class(result: ClassComparisons, *, ax: Axes | None = None) -> Axes:
    """Draw the difference A − B on every class: mean, HDI and verdict, in label order.

    The band is the ROPE. A full dot is a settled verdict, in the colour of its side of the ROPE; a hollow one is
    undecided; a question mark says that other draws may decide otherwise. The figure grows with the number of classes,
    up to a page; then names stand in two columns, and of very many classes not all are named.

    Parameters
    ----------
    result
        What `compare_classes` returns.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_per_class
    >>> news = rw.examples.news20()
    >>> table = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, draws=2_000, rng=0)
    >>> ax = plot_per_class(table)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_yticklabels()][:3]
    ('Δ F1: nb_mult − svm_l2', ['0', '1', '2'])
    """
    table = canvas.of_kind(result, ClassComparisons, "plot_per_class", "compare_classes")
    rows = [("" if c.pos_label is None else label_text(c.pos_label), c) for c in table]
    return draw_differences(rows, ("class", "classes"), "plot_per_class", ax)


def draw_differences(
    rows: Sequence[tuple[str, Comparison]], of: tuple[str, str], caller: str, ax: Axes | None = None
) -> Axes:
    """Draw comparisons by one metric below each other; `of` says what they are of, one and several."""
    first = rows[0][1]
    ax = canvas.axes(ax, caller, height=min(0.95 + CLASS_ROW * len(rows), MAX_HEIGHT))
    entries = [_entry(label, c) for label, c in rows]
    a, b, metric = canvas.short(first.a, NAME), canvas.short(first.b, NAME), canvas.words(metric_title(first.metric))
    title = _tally([entry.decision for entry in entries if entry.decision is not None], a, b, first.recipe)
    if not title:
        why = next((c.no_verdict for _, c in rows if c.no_verdict), "whether they matter needs a ROPE")
        title = f"The differences on {len(rows):,} {of[len(rows) > 1]}; {why}"
    _forest(ax, entries, first.recipe.question, title=title, label=f"Δ {metric}: {a} − {b}", one=of[0])
    return ax


@checked_keywords
def plot_prior_sensitivity(result: PriorSensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw the same question under several priors: mean, HDI and verdict of each, that of the answer first.

    Parameters
    ----------
    result
        What the method `prior_sensitivity` of a comparison returns.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_prior_sensitivity
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0)
    >>> ax = plot_prior_sensitivity(r.prior_sensitivity())
    >>> ax.get_yticklabels()[0].get_text()
    'as asked'
    """
    sensitivity = canvas.of_kind(result, PriorSensitivity, "plot_prior_sensitivity", "Comparison.prior_sensitivity")
    ax = canvas.axes(ax, "plot_prior_sensitivity", height=1.0 + PRIOR_ROW * len(sensitivity.rows))
    entries = [_entry(which, c) for which, c in sensitivity.rows]
    title = f"Under {count_of(len(sensitivity.alike), 'prior')} the mean moves by {moved_text(sensitivity)} std"
    if sensitivity.robust is not None:
        title += "; the verdict stays the same" if sensitivity.robust else "; the verdict changes"
    first = sensitivity.rows[0][1]
    _forest(ax, entries, first.recipe.question, title=title, label=delta_words(first))
    return ax


def _entry(name: str, c: Comparison) -> Entry:
    return Entry(label=canvas.short(name, 40), estimate=c.delta, decision=c.decision)


@dataclass(frozen=True, slots=True)
class Lettering:
    """The size of the names in points, in how many columns they stand, and which share of the rows is named."""

    size: float
    columns: int
    every: int


def lettering(pitch: float) -> Lettering:
    """Choose letters for rows so many points apart.

    Where rows are too close for one column of names, every other name steps aside; where two columns are too close,
    names are left out.

    Examples
    --------
    >>> lettering(12.0), lettering(3.0)
    (Lettering(size=7.0, columns=1, every=1), Lettering(size=5.4, columns=2, every=1))
    >>> lettering(1.0)
    Lettering(size=5.0, columns=2, every=3)
    """
    if FILL * pitch >= MIN_LETTER_SIZE:
        return Lettering(min(FILL * pitch, SMALL), 1, 1)
    every = max(math.ceil(MIN_LETTER_SIZE / (2 * FILL * pitch)), 1)
    return Lettering(min(max(2 * FILL * pitch, MIN_LETTER_SIZE), SMALL), 2, every)


def _forest(ax: Axes, rows: Sequence[Entry], question: Question, *, title: str, label: str, one: str = "row") -> None:
    """Draw rows from top to bottom, their ROPE as a band, and their verdicts on the right."""
    rope = question.rope if any(row.decision is not None for row in rows) else None
    view = forest_axis(rows, rope)
    ax.set_xlim(view.low, view.high)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    width, _ = canvas.room_of(ax)
    above = HEAD * (rope is not None)
    ax.set_xlabel(label)
    ax.set_title(canvas.folded(title, width, TEXT), fontsize=TEXT, pad=4.0 + above)
    canvas.quieten(ax)
    ax.spines["left"].set_visible(False)
    pitch = canvas.room_of(ax, above=above)[1] / len(rows)
    letters = lettering(pitch)
    tones = [tone(row.decision, higher_is_better=question.higher_is_better) for row in rows]
    left, right = (
        name_rows(ax, [row.label for row in rows], letters, NAMES_SHARE * width),
        _judge_rows(ax, rows, tones, letters),
    )
    inner = max(width - left - right, width / 3)
    ax.title.set_x(0.5 + (right - left) / 2 / inner)  # over the whole picture, names and verdicts included
    thinned = "" if letters.every == 1 else f" (one {one} in {letters.every} is named)"
    ax.set_xlabel(canvas.folded(label + thinned, inner, TEXT))
    canvas.plain_ticks(ax, "x", inner)
    _draw_rows(ax, rows, tones, pitch)
    canvas.rule(ax, 0.0)
    if rope is not None:
        canvas.rope_band(ax, rope, view)
        canvas.name_above(ax, canvas.rope_words(rope, view), rope, view, inner, va="bottom")
    canvas.with_signs(ax)


def _draw_rows(ax: Axes, rows: Sequence[Entry], tones: Sequence[str], pitch: float) -> None:
    places, estimates = np.arange(len(rows)), [row.estimate for row in rows]
    thick, dot = min(1.6, pitch / 3), min(3.6, 0.75 * pitch)
    lows, highs = [e.hdi.low for e in estimates], [e.hdi.high for e in estimates]
    ax.hlines(places, lows, highs, colors=tones, linewidth=thick, zorder=2, label="HDI")
    settled = [row.decision is None or row.decision.conclusive for row in rows]
    fills = [colour if filled else "white" for colour, filled in zip(tones, settled, strict=True)]
    ax.scatter(
        [e.mean for e in estimates], places, s=dot**2, c=fills, edgecolors=tones, linewidths=min(0.8, pitch / 6),
        zorder=3, label="mean",
    )  # fmt: skip


def name_rows(ax: Axes, labels: Sequence[str], letters: Lettering, room: float) -> float:
    """Write the names on the left, in one column or two, and return how many points they take."""
    shown = list(range(0, len(labels), letters.every))
    names = {k: canvas.fitted(labels[k], room / letters.columns, letters.size) for k in shown}
    near = shown[:: letters.columns]
    far = shown[1::2] if letters.columns > 1 else []
    look: dict[str, Any] = {"labelsize": letters.size, "labelcolor": INK, "color": LINE, "width": 0.4}
    ax.set_yticks(near, [names[k] for k in near])
    ax.tick_params(axis="y", length=PAD, pad=PAD, **look)
    column = max((canvas.width_of(names[k], letters.size) for k in near), default=0.0) + 2 * PAD
    if far:  # names that step aside have longer ticks
        ax.set_yticks(far, [names[k] for k in far], minor=True)
        ax.tick_params(axis="y", which="minor", length=column + PAD, pad=PAD, **look)
        column += max(canvas.width_of(names[k], letters.size) for k in far) + 2 * PAD
    ax.grid(axis="y", which="both" if far else "major", color=LINE, linewidth=0.3)
    ax.set_axisbelow(True)
    return column + PAD


def _judge_rows(ax: Axes, rows: Sequence[Entry], tones: Sequence[str], letters: Lettering) -> float:
    """Write the verdicts of the rows that are named on the right, and return how many points they take."""
    if all(row.decision is None for row in rows):
        return 0.0
    column = canvas.width_of("≫?", letters.size) + PAD
    for place, k in enumerate(range(0, len(rows), letters.every)):
        shift = PAD + column * (place % letters.columns)
        look: dict[str, Any] = {"fontsize": letters.size, "color": tones[k]}
        canvas.note(
            ax, symbol_text(rows[k].decision), (1.0, k), (shift, 0.0), xycoords=ax.get_yaxis_transform(), **look
        )
    return PAD + column * letters.columns


def _tally(decisions: Sequence[Decision], a: str, b: str, recipe: Recipe) -> str:
    """Count the verdicts: ≫ A better: 3 · ≈ equivalent: 9 …, with a key to the symbols by the way."""
    better, even, worse = f"{a} better", "equivalent", f"{b} better"
    if recipe.rope is not None and recipe.rope.one_sided:
        inside, outside = side_texts(recipe)
        better, even, worse = f"{a} {outside}", f"{a} {inside[0]}", f"{a} {outside}"
    meanings = (
        (f"≫ {better}", [Verdict.A_BETTER]),
        (f"≈ {even}", [Verdict.EQUIVALENT]),
        (f"≪ {worse}", [Verdict.B_BETTER]),
        ("< > undecided", [Verdict.UNDECIDED_LOW, Verdict.UNDECIDED_HIGH]),
    )
    counts = [(what, sum(decision.verdict in kinds for decision in decisions)) for what, kinds in meanings]
    counts.append(("? unstable", sum(not decision.stable for decision in decisions)))
    parts = [f"{what}: {count}" for what, count in counts if count]
    return f"{STICKY}· ".join(part.replace(" ", STICKY) for part in parts)
