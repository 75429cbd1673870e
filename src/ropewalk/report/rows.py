"""Rows of intervals on one axis for a page: right is where A is better, filled is settled, hollow is undecided."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Estimate
from ropewalk.report.document import name, plain
from ropewalk.report.pictures import BARS_PX, Axis, Entry, Span, Tick, decimals_of, forest_axis, round_step, text_width
from ropewalk.report.slider import MarginSlider
from ropewalk.results import Comparison
from ropewalk.text.units import Shown, Unit, metric_title, signed
from ropewalk.text.verdicts import Verdict, oriented
from ropewalk.text.writing import cut_apart, isolated, visible
from ropewalk.typing import FloatArray

ROW_QUANTILES: Final = 40
TICK_PX: Final = 38
TICK_LETTER_PX: Final = 12.5
MAX_LETTERS: Final = 13  # of a name above an axis
MAX_ROW_LETTERS: Final = 24  # of a name in a verdict

TONES: Final = {Verdict.A_BETTER: "a", Verdict.B_BETTER: "b", Verdict.EQUIVALENT: "e"}
"""Colours of what is settled; what is not is "u"."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What a row shows of a bar that joins rows: its column, where it begins and ends in per cent, and its looks."""

    column: int
    top: int
    foot: int
    is_member: bool
    settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One interval: its colour, its places in per cent, its numbers and its verdict in words.

    `seen` is where the measured value stands; `start` where it was observed before it was drawn to the others, or on
    which side of the picture that lies `beyond` it, −1 or 1. `joins` are the bars that join it to others, and `joined`
    says so in words. `dots` are places of single runs. `cells` stand before the interval, and `data` is what the
    script of the page judges it by. `outcome` is "ok", "no" or "wait" where the verdict is that of a gate.
    """

    label: str
    tone: str
    low: float
    high: float
    at: float
    value: str
    interval: str
    verdict: str = ""
    seen: float | None = None
    start: float | None = None
    beyond: int = 0
    joins: tuple[Piece, ...] = ()
    joined: str = ""
    dots: tuple[float, ...] = ()
    cells: tuple[str, ...] = ()
    data: str = ""
    strong: bool = False
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Rows on one axis; `head` says what the first column holds, `what` what is drawn, `number` what the numbers are.

    `chips` count the verdicts: (colour, words, how many). With `find` the rows can be searched and sorted. `data` is
    what the rows share for the script of the page. The first `totals` rows are about all others, and `spans` are
    further bands behind the rows: (look, place). Bars that join rows have `joins` columns. `verdicts` is what the last
    column holds. `title` and `about`, which explains the columns, are for a terminal.
    """

    head: str
    what: str
    number: str
    rows: tuple[Row, ...]
    axis: Axis
    ticks: tuple[Tick, ...]
    zero: float | None = None
    band: Span | None = None
    bad: bool = False
    totals: int = 0
    spans: tuple[tuple[str, Span], ...] = ()
    joins: int = 0
    left: str = ""
    right: str = ""
    columns: tuple[str, ...] = ()
    chips: tuple[tuple[str, str, int], ...] = ()
    find: bool = False
    note: str = ""
    title: str = ""
    about: str = ""
    slider: MarginSlider | None = None
    data: str = ""
    verdicts: str = "verdict"


def verdict_words(decision: Decision | None, a: str, b: str) -> tuple[str, str]:
    """Return the colour of a verdict, and what it says in as few words as fit in a row."""
    if decision is None:
        return "u", ""
    doubt = "" if decision.stable else "?"
    if not decision.conclusive:
        lean = {"a": a, "b": b, "equivalent": "equivalent", None: ""}[decision.leaning]
        return "u", f"undecided, {lean}?" if lean else "undecided"
    words = {
        "a_better": f"{a} better", "b_better": f"{b} better", "equivalent": "equivalent", "a_not_worse": "not worse",
        "a_worse": "worse", "a_not_better": "not better",
    }  # fmt: skip
    tones = {"a_not_worse": "a", "a_worse": "b", "a_not_better": "b"}
    return tones.get(decision.code, TONES[decision.verdict]), words[decision.code] + doubt


def common_places(shown: Sequence[Shown]) -> int:
    """Return one number of decimals for a column: that of most rows."""
    return Counter(one.places for one in shown).most_common(1)[0][0] if shown else 1


def forest(
    entries: Sequence[Entry],
    question: Question,
    *,
    head: str,
    what: str,
    unit: Unit,
    names: tuple[str, str] = ("A", "B"),
    is_difference: bool = True,
    places: int | None = None,
    axis: Axis | None = None,
) -> Forest:
    """Lay out intervals of improvements, or of scores that are no difference, in the unit that people read.

    All have as many decimals: `places`, or those that most of them need. `axis` is what is shown of the raw numbers:
    all intervals, by default.
    """
    mirror = is_difference and not question.higher_is_better
    rope = question.rope if is_difference else None
    raw = forest_axis(entries, rope, signed=is_difference) if axis is None else axis
    low, high = sorted((end * (-unit.scale if mirror else unit.scale)) for end in raw)
    axis = Axis(low, high)
    shown = [Shown.of(entry.estimate, unit, mirror=mirror) for entry in entries]
    places = common_places(shown) if places is None else places
    rows = tuple(
        _row(entry, replace(one, places=places), axis, unit, names, is_difference=is_difference)
        for entry, one in zip(entries, shown, strict=True)
    )
    directions = _directions(*names) if is_difference else ("", "")
    facing = None if rope is None else oriented(rope, higher_is_better=question.higher_is_better)
    return Forest(
        head=head,
        what=what,
        number=f"{'difference' if is_difference else 'score'} [{100 * question.prob:g}%]",
        rows=rows,
        axis=axis,
        ticks=unit_ticks(axis, sign=is_difference),
        zero=axis.at(0.0) if is_difference and axis.holds(0.0) else None,
        band=None if facing is None else band_of(facing, axis, unit),
        bad=facing is not None and any(map(math.isinf, facing)),
        left=directions[0],
        right=directions[1],
    )


def parts_forest(parts: Sequence[Comparison], labels: Sequence[str], head: str) -> Forest:
    """Lay out the differences on parts of the data that have a label each: classes, tasks or slices."""
    first = next((c for c in parts if c.decision is not None), parts[0])
    entries = [
        Entry(
            label=label,
            estimate=c.delta,
            n_draws=c.delta.worth(len(c.draws)),
            decision=c.decision,
            path=c.rope_path,
            asked=c.rope is not None,
        )
        for c, label in zip(parts, labels, strict=True)
    ]
    what = f"{metric_title(first.metric)} of {name(first.a)} − {name(first.b)}"
    names = (name(first.a), name(first.b))
    return forest(entries, first.question, head=head, what=what, unit=first.recipe.unit, names=names)


def _directions(a: str, b: str) -> tuple[str, str]:
    """Write which direction is better for whom, above an axis that may be narrow."""
    a, b = map(isolated, cut_apart([visible(plain(who, str)) for who in (a, b)], MAX_LETTERS).values())
    left, right = f"← {b} better", f"{a} better →"
    if text_width(left + right, TICK_LETTER_PX) > BARS_PX - TICK_PX:
        left, right = f"← {b}", f"{a} →"
    return left, right


def short(*names: str) -> list[str]:
    """Return marked names as they stand in a row: in full elsewhere, here cut in the middle where they are long."""
    texts = [visible(plain(who, str)) for who in names]
    cut = cut_apart(texts, MAX_ROW_LETTERS)
    return [name(cut[text]) for text in texts]


def _row(entry: Entry, shown: Shown, axis: Axis, unit: Unit, names: tuple[str, str], *, is_difference: bool) -> Row:
    tone, words = verdict_words(entry.decision, *short(*names))
    if entry.decision is None:
        tone, words = ("u", "no verdict") if entry.asked else ("i", "")
    observed = None if is_difference else entry.estimate.observed
    return Row(
        label=entry.label,
        tone=tone,
        low=axis.at(shown.low),
        high=axis.at(shown.high),
        at=axis.at(shown.centre),
        value=shown.value(sign=is_difference),
        interval=f"[{', '.join(shown.ends())}]" if is_difference else shown.interval(),
        verdict=words,
        seen=None if observed is None else axis.at(observed * unit.scale),
    )


def band_of(facing: tuple[float, float], axis: Axis, unit: Unit) -> Span:
    """Return where the band lies: too small to matter, or of a ROPE with one end what is worse than that."""
    low, high = (end * unit.scale for end in facing)
    if math.isinf(high):
        return Span(low=0.0, high=axis.at(low))
    return Span(low=axis.at(low), high=axis.at(high))


def unit_ticks(axis: Axis, *, sign: bool = True, width: int = BARS_PX) -> tuple[Tick, ...]:
    """Return round numbers along an axis of so many pixels, with a real minus sign."""
    span = axis.high - axis.low
    step = round_step(span / max(width // TICK_PX, 2))
    places, values = decimals_of(step), axis.multiples(step)
    return tuple(Tick(axis.at(value), signed(value, places, sign=sign)) for value in values)


def cosine_quantiles(ordered: FloatArray, count: int, digits: int) -> list[float]:
    """Return `count` + 1 quantiles of sorted draws, dense at both ends; the script of the page has the same formula."""
    spread = (1 - np.cos(np.pi * np.arange(count + 1) / count)) / 2
    values = np.interp(spread * (ordered.size - 1), np.arange(ordered.size), ordered)
    return [round(x, digits) + 0.0 for x in values.tolist()]


def row_data(estimate: Estimate, unit: Unit, ordered: FloatArray, path: Any, n_draws: int, *, mirror: bool) -> str:
    """Return what the page's script judges one row by."""
    shown = Shown.of(estimate, unit, mirror=mirror)
    numbers = {
        "hdi": [significant(shown.low), significant(shown.high)],
        "err": [significant(unit.scale * error) for error in estimate.hdi_mc_error],
        "worth": n_draws,
        "mean": significant(shown.mean),
        "path": [[significant(unit.scale * piece.start), piece.verdict.value] for piece in path or ()],
        "x": cosine_quantiles(ordered, ROW_QUANTILES, shown.places + 2) if ordered.size else [],
    }
    return json.dumps(numbers, separators=(",", ":"))


def significant(value: float) -> float:
    """Return a number with as many digits as a script needs."""
    return float(f"{value:.9g}")


def mirrored_draws(delta: FloatArray, unit: Unit, *, mirror: bool) -> FloatArray:
    """Return sorted draws of the improvement in the unit that people read."""
    ordered = np.sort(delta) * unit.scale
    return -ordered[::-1] if mirror else ordered
