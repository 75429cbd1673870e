"""Differences below each other: one row a class or a prior, with its HDI, its mean and its verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Interval
from ropewalk.plots._band import rope_band, rope_words
from ropewalk.plots._letters import fitted, folded, plain_ticks, room_of, width_of, with_signs
from ropewalk.plots._style import SMALL, TEXT, quieten, rule
from ropewalk.report.pictures.axes import ABOVE, BELOW, INK, INSIDE, LINE, QUIET
from ropewalk.report.pictures.axes import view as span
from ropewalk.results import Comparison
from ropewalk.text.verdicts import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST: Final = 5.0  # points: smaller letters are not read
_FILL: Final = 0.9  # of a row's height that its letters may take
_NAMES: Final = 0.36  # of the width that the names may take
_STICKY: Final = "\u00a0"  # a space at which no line is broken
_PAD: Final = 2.0
_HEAD: Final = 10.0  # points above the axes, for the name of the ROPE


@dataclass(frozen=True, slots=True)
class Row:
    """A name that is safe to draw, and the comparison it stands for."""

    name: str
    comparison: Comparison


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
    if _FILL * pitch >= _LEAST:
        return Lettering(min(_FILL * pitch, SMALL), 1, 1)
    every = max(math.ceil(_LEAST / (2 * _FILL * pitch)), 1)
    return Lettering(min(max(2 * _FILL * pitch, _LEAST), SMALL), 2, every)


def tone(c: Comparison) -> str:
    """Return the colour of a verdict, by where the difference lies; ink where nothing is settled."""
    if c.decision is None or not c.decision.conclusive:
        return INK
    if c.decision.verdict is Verdict.EQUIVALENT:
        return INSIDE
    return ABOVE if (c.decision.verdict is Verdict.A_BETTER) == c.recipe.metric.higher_is_better else BELOW


def symbol(decision: Decision | None) -> str:
    """Return the symbol of a verdict; a question mark says that other draws may decide otherwise."""
    return "–" if decision is None else decision.symbol + ("" if decision.stable else "?")


def forest(ax: Axes, rows: Sequence[Row], *, title: str, label: str) -> None:
    """Draw rows from top to bottom, their ROPE as a band, and their verdicts on the right."""
    first = rows[0].comparison
    rope = first.rope if any(row.comparison.decision is not None for row in rows) else None
    hdis = [row.comparison.hdi for row in rows]
    hull = Interval(min(hdi.low for hdi in hdis), max(hdi.high for hdi in hdis))
    view = span(hull, [0.0, *(rope or ())])
    ax.set_xlim(view.low, view.high)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    width, _ = room_of(ax)
    above = _HEAD * (rope is not None)
    ax.set_xlabel(label)
    ax.set_title(folded(title, width, TEXT), fontsize=TEXT, pad=4.0 + above)
    quieten(ax)
    ax.spines["left"].set_visible(False)
    pitch = room_of(ax, above=above)[1] / len(rows)
    letters = lettering(pitch)
    left, right = _name_rows(ax, rows, letters, _NAMES * width), _judge_rows(ax, rows, letters)
    inner = max(width - left - right, width / 3)
    ax.title.set_x(0.5 + (right - left) / 2 / inner)  # over the whole picture, names and verdicts included
    thinned = "" if letters.every == 1 else f" (one class in {letters.every} is named)"
    ax.set_xlabel(folded(label + thinned, inner, TEXT))
    plain_ticks(ax, "x", inner)
    _draw_rows(ax, rows, pitch)
    rule(ax, 0.0)
    if rope is not None:
        rope_band(ax, rope, view)
        _name_rope(ax, rope, view)
    with_signs(ax)


def _draw_rows(ax: Axes, rows: Sequence[Row], pitch: float) -> None:
    places = np.arange(len(rows))
    tones = [tone(row.comparison) for row in rows]
    hdis = [row.comparison.hdi for row in rows]
    thick, dot = min(1.6, pitch / 3), min(3.6, 0.75 * pitch)
    lows, highs = [hdi.low for hdi in hdis], [hdi.high for hdi in hdis]
    ax.hlines(places, lows, highs, colors=tones, linewidth=thick, zorder=2, label="HDI")
    settled = [row.comparison.decision is None or row.comparison.decision.conclusive for row in rows]
    fills = [tone if filled else "white" for tone, filled in zip(tones, settled, strict=True)]
    means = [row.comparison.mean for row in rows]
    ax.scatter(
        means, places, s=dot**2, c=fills, edgecolors=tones, linewidths=min(0.8, pitch / 6), zorder=3, label="mean"
    )


def _name_rows(ax: Axes, rows: Sequence[Row], letters: Lettering, room: float) -> float:
    """Write the names on the left, in one column or two, and return how many points they take."""
    shown = list(range(0, len(rows), letters.every))
    names = {k: fitted(rows[k].name, room / letters.columns, letters.size) for k in shown}
    near = shown[:: letters.columns]
    far = shown[1::2] if letters.columns > 1 else []
    look: dict[str, Any] = {"labelsize": letters.size, "labelcolor": INK, "color": LINE, "width": 0.4}
    ax.set_yticks(near, [names[k] for k in near])
    ax.tick_params(axis="y", length=_PAD, pad=_PAD, **look)
    column = max((width_of(names[k], letters.size) for k in near), default=0.0) + 2 * _PAD
    if not far:
        ax.grid(axis="y", color=LINE, linewidth=0.3)
        ax.set_axisbelow(True)
        return column + _PAD
    # Names that step aside hang on longer ticks.
    ax.set_yticks(far, [names[k] for k in far], minor=True)
    ax.tick_params(axis="y", which="minor", length=column + _PAD, pad=_PAD, **look)
    ax.grid(axis="y", which="both", color=LINE, linewidth=0.3)
    ax.set_axisbelow(True)
    return column + max(width_of(names[k], letters.size) for k in far) + 3 * _PAD


def _judge_rows(ax: Axes, rows: Sequence[Row], letters: Lettering) -> float:
    """Write the verdicts of the rows that are named on the right, and return how many points they take."""
    if all(row.comparison.decision is None for row in rows):
        return 0.0
    column = width_of("≫?", letters.size) + _PAD
    for place, k in enumerate(range(0, len(rows), letters.every)):
        shift = _PAD + column * (place % letters.columns)
        ax.annotate(
            symbol(rows[k].comparison.decision), (1.0, k), (shift, 0.0), xycoords=ax.get_yaxis_transform(),
            textcoords="offset points", ha="left", va="center", fontsize=letters.size, color=tone(rows[k].comparison),
        )  # fmt: skip
    return _PAD + column * letters.columns


def _name_rope(ax: Axes, rope: Interval, view: Interval) -> None:
    low, high = (min(max(end, view.low), view.high) for end in rope)
    place = ((low + high) / 2 - view.low) / (view.high - view.low)
    side = "left" if place < 0.1 else "right" if place > 0.9 else "center"  # noqa: PLR2004
    ax.annotate(
        rope_words(rope, view), (place, 1.0), (0.0, 1.0), xycoords="axes fraction", textcoords="offset points",
        ha=side, va="bottom", fontsize=SMALL, color=QUIET,
    )  # fmt: skip


def tally(rows: Sequence[Row], a: str, b: str) -> str:
    """Count the verdicts: ≫ A better: 3 · ≈ equivalent: 9 …, with a key to the symbols by the way."""
    decisions = [row.comparison.decision for row in rows if row.comparison.decision is not None]
    meanings = (
        (f"≫ {a} better", [Verdict.A_BETTER]),
        ("≈ equivalent", [Verdict.EQUIVALENT]),
        (f"≪ {b} better", [Verdict.B_BETTER]),
        ("< > undecided", [Verdict.UNDECIDED_LOW, Verdict.UNDECIDED_HIGH]),
    )
    counts = [(what, sum(decision.verdict in kinds for decision in decisions)) for what, kinds in meanings]
    told = [f"{what}: {count}" for what, count in counts if count]
    shaky = sum(not decision.stable for decision in decisions)
    parts = [*told, *([f"? unstable: {shaky}"] if shaky else [])]
    return f"{_STICKY}· ".join(part.replace(" ", _STICKY) for part in parts)
