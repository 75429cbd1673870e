"""What studies would find and more items would bring: in words, tables and pictures.

No text has a digit that simulations do not carry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ropewalk.draws.intervals import Estimate
from ropewalk.draws.rope import MARGIN_GOALS
from ropewalk.report.document import Block, Details, Picture, Table, name
from ropewalk.report.pictures import LETTER_PX, Axis, Tick, area, line, round_step
from ropewalk.results import Design, MoreData, Plan, PowerRow, StoppingResult
from ropewalk.text.units import metric_title
from ropewalk.text.verdicts import Verdict, oriented, rope_text, side_words
from ropewalk.text.writing import first_digit, number, percent, rounded_up, share_text
from ropewalk.typing import FloatArray

HEADER: Final = "more items"
SETTLED: Final = (Verdict.A_BETTER, Verdict.EQUIVALENT, Verdict.B_BETTER)
ROUGH_SIMULATIONS: Final = 1_000  # that an extrapolated probability is printed like, however many draws it rests on
TOP_PX: Final = 10  # above the picture
HEIGHT_PX: Final = 160
MIN_FACTOR_OF_LOG_AXIS: Final = 10  # from so many times the fewest items on, the axis is one of factors
MARGIN: Final = 0.03
SCREENS_PX: Final = ((300.0, True), (640.0, False))  # across, and whether a narrow screen still shows the tick
TICK_GAP_PX: Final = 10.0
MAX_SIZE_TICKS: Final = 6
_CLASSES: Final = ("high", "mid", "low", "open")
_AN: Final = ("8", "11", "18")
_SPREAD: Final = 0.25  # of differences that were found, about their mean, at most
_Z95: Final = 1.96


# -- what planning finds -----------------------------------------------------------------------------------


def level_text(share: float, n_draws: int) -> str:
    """Write a probability for the middle of a sentence.

    Examples
    --------
    >>> level_text(0.06, 2_000), level_text(0.0, 2_000)
    ('6%', 'under 1%')
    """
    return percent(share, n_draws).replace("<", "under ").replace(">", "over ")


def at_most(share: float, n_draws: int) -> str:
    """Write the most that a probability can be.

    Examples
    --------
    >>> at_most(0.94, 2_000), at_most(0.0, 2_000)
    ('at most 94%', 'under 1%')
    """
    level = level_text(share, n_draws)
    return level if level.startswith("under") else "at most 100%" if level.startswith("over") else f"at most {level}"


def kind_text(design: Design) -> str:
    """Name what the share of successes is."""
    return "assurance" if design.assurance else "power"


def target_text(result: Plan) -> str:
    """Write the wanted power."""
    return f"{100 * (result.target or 0):g}%"


def range_text(low: float | None, high: float | None, unit: int) -> str:
    """Write an interval of numbers of items, rounded outwards; empty where there is none."""
    if low is None or high is None:
        return ""
    return f"{math.floor(low / unit) * unit:,} to {math.ceil(high / unit) * unit:,}"


def sizes_text(result: Plan) -> tuple[str, str, str]:
    """Write the smallest difference or ROPE and its interval, with the decimals that the interval carries."""
    size, low, high = result.found or 0.0, result.low, result.high
    half = 0.0 if low is None or high is None else (high - low) / 2
    unit = first_digit(half) if half > 0 else first_digit(abs(size) or 1.0) / 100
    places = max(-round(math.log10(unit)), 0)
    rope = result.design.goal == "A≈B"

    def write(value: float) -> str:
        return f"±{number(value, places)}" if rope else number(value, places, sign=True)

    at = math.copysign(math.ceil(abs(size) / unit - 1e-9) * unit, size)  # never smaller than what was found
    if low is None or high is None:
        return write(at), "", ""
    return write(at), write(math.floor(low / unit) * unit), write(math.ceil(high / unit) * unit)


def money_text(sum_of: float | None) -> str:
    """Write a sum of money as it was given."""
    return "–" if sum_of is None else f"{sum_of:,.10g}"


def net_text(result: Plan) -> str:
    """Write the net value with the digits that the simulations near the best size carry: about a quarter of all."""
    net, value, cost, n = result.net or 0.0, result.value or 0.0, result.cost_per_item or 0.0, result.n or 0
    share = min(max((net + cost * n) / value, 0.0), 1.0) if value else 0.0
    half = _Z95 * value * math.sqrt(max(share * (1 - share), 1e-4) / max(result.simulations / 4, 1.0))
    unit = first_digit(half)
    return f"{round(net / unit) * unit:,.{max(-round(math.log10(unit)), 0)}f}"


def mean_text(result: StoppingResult) -> str:
    """Write the expected number of items and its error, with the digits that the error carries."""
    error = result.mean_n_error
    if error <= 0:
        return f"{result.mean_n:,.0f}"
    unit = first_digit(error)
    places = max(-round(math.log10(unit)), 0)
    return f"{round(result.mean_n / unit) * unit:,.{places}f} ± {round(error / unit) * unit:,.{places}f}"


def times_text(factor: float | None, n_found: int) -> str:
    """Write how many times too large a difference looks; a decimal, or the number itself, only if it is carried."""
    if factor is None:
        return "–"
    error = _SPREAD * factor / math.sqrt(n_found)
    if error > 1:
        return "–"
    return f"{factor:.{1 if error <= 0.1 else 0}f}×"  # noqa: PLR2004


# -- what more items bring ---------------------------------------------------------------------------------


def goal_text(design: Design) -> str:
    """Write the goal with the names of the classifiers."""
    if design.goal == "conclusive":
        return "a conclusive verdict"
    a, b = map(name, design.names)
    if design.goal in MARGIN_GOALS:
        facing = oriented(design.rope, higher_is_better=design.recipe.metric.higher_is_better)
        if design.rope.one_sided:
            word, margin = side_words(facing, inside=math.isinf(facing[1]))
            unit, metric = design.recipe.unit, design.recipe.metric.name
            edge = abs(facing[0] if math.isinf(facing[1]) else facing[1])
            of = f" of {name(metric_title(metric))}" if unit.is_points else ""
            return f"{a} {word} than {b}" + (f" by more than {unit.counted(edge)}{of}" if margin else "")
        return f"{a} and {b} equivalent at {rope_text(design.rope)}"
    return f"{a}{design.goal[1]}{b}"


def out_of_reach(design: Design, target: float | None) -> bool:
    """Whether no number of items makes the goal so probable, since its region is not."""
    return design.ceiling is not None and target is not None and design.ceiling < target


def chance_words(target: float) -> str:
    """Write a wanted probability with its article.

    Examples
    --------
    >>> chance_words(0.8), chance_words(0.95)
    ('an 80% chance', 'a 95% chance')
    """
    text = f"{100 * target:g}"
    spoken = text.partition(".")[0]
    article = "an" if spoken[0] == _AN[0] or spoken in _AN else "a"
    return f"{article} {text}% chance"


def wanted_text(more: MoreData) -> str:
    """Write what the items are to make probable, and how probable."""
    finding = "" if more.design.goal == "conclusive" else "finding "
    return f"{chance_words(more.target)} of {finding}{goal_text(more.design)}"


AT_THE_EDGE: Final = "The difference sits at the edge of what matters: no practical test set will settle this"
INSTEAD: Final = "decide by cost, or state another margin."


def more_line(more: MoreData | None, delta: Estimate) -> str:
    """Write in one sentence how many more items settle the question about `delta`; empty where nothing is open."""
    if more is None:
        return ""
    if more.is_impractical:
        near = min(abs(delta.mean - edge) for edge in more.design.rope) <= delta.std
        return f"{AT_THE_EDGE if near else 'No practical test set will settle this'}; {INSTEAD}"
    if more.n is None:
        wanted = wanted_text(more)
        return f"{wanted[:1].upper()}{wanted[1:]} is not reachable below {more.max_n:,} more {more.unit}."
    items = more_items(more)
    return f"{items[0].upper()}{items[1:]} would probably ({100 * more.target:g}%) settle it{_between(more)}."


def more_items(more: MoreData) -> str:
    """Write how many more items it takes: about 200 more items, or about 1 more item."""
    number, unit = _rounded(more)
    return f"about {number:,} more {unit}"


def _rounded(more: MoreData) -> tuple[int, str]:
    """Return how many items are needed, to one digit where that is extrapolated, and what they are called."""
    needed = more.n or 0
    number = one_digit(needed) if more.method == "extrapolation" else rounded_up(needed, more.low, more.high)[0]
    return number, more.unit.removesuffix("s") if number == 1 else more.unit


def _between(more: MoreData) -> str:
    if more.low is None:
        return ""
    high = "many more" if more.high is None else f"{one_digit(more.high):,}"
    ends = f"{one_digit(more.low):,} to {high}"
    return f" ({ends}, {'extrapolated' if more.method == 'extrapolation' else 'simulated'})"


def one_digit(number: float) -> int:
    """Round to one significant digit.

    Examples
    --------
    >>> one_digit(1839), one_digit(95), one_digit(4)
    (2000, 100, 4)
    """
    unit = first_digit(number) if number >= 1 else 1.0
    return int(round(number / unit) * unit)


def more_cell(more: MoreData | None) -> str:
    """Write how many more items settle a question where there is little room."""
    if more is None:
        return "–"
    if more.is_impractical:
        return "no practical number"
    if more.n is None:
        return "not reachable" if out_of_reach(more.design, more.target) else f">{more.max_n:,}"
    return f"about {_rounded(more)[0]:,}"


def more_table(more: MoreData) -> Table:
    """Return the probability of each verdict after so many more items."""
    none = lacks_some(more.rows)
    settled = settled_words(more.design)
    rows = [(f"{row.n:,}", *shares_text(verdict_shares(row, settled, none=none), row, more)) for row in more.rows]
    header = (f"more {more.unit}", *verdict_header(more.design, none=none))
    return Table(header=header, rows=tuple(rows), text_columns=0, ends_in_text=False)


def prospect_section(more: MoreData, table: Table) -> tuple[Details, ...]:
    """Return the picture and the table of what more items would bring to an answer."""
    title = f"How many more {more.unit}?"
    picture = verdict_picture(more, head=title)
    pictures: tuple[Block, ...] = () if picture is None else (Picture("prospect", picture),)
    label = f"Probability of each verdict after more {more.unit}"
    return (Details(title, (*pictures, replace(table, label=label)), "chance of each verdict"),)


# -- against the number of items ---------------------------------------------------------------------------


def is_wide(sizes: Sequence[float]) -> bool:
    """Whether numbers of items lie so far apart that their axis is one of factors.

    Examples
    --------
    >>> is_wide([100, 500]), is_wide([100, 5_000])
    (False, True)
    """
    return max(sizes) >= MIN_FACTOR_OF_LOG_AXIS * min(sizes)


def stacked(shares: FloatArray) -> FloatArray:
    """Return the edges of shares (rows, kinds) that are stacked upon each other: (kinds + 1, rows), from 0 up to 1.

    Examples
    --------
    >>> stacked(np.array([[0.25, 0.5]])).T.tolist()
    [[0.0, 0.25, 0.75]]
    """
    tops = np.minimum(np.cumsum(shares, axis=1), 1.0)
    return np.concatenate([np.zeros((len(shares), 1)), tops], axis=1).T


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """One picture; what is empty is left out. `description` is what it shows, for those who do not see it.

    A point is a number of items: where it stands in per cent, and its share and interval in pixels from the top.
    """

    head: str
    description: str
    caption: str
    axis_name: str
    ticks: tuple[Tick, ...]
    areas: tuple[tuple[str, str], ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    band: str = ""
    line: str = ""
    points: tuple[tuple[float, float, float, float], ...] = ()
    target: float | None = None
    target_text: str = ""
    answer: float | None = None


@dataclass(frozen=True, slots=True)
class _Sizes(Axis):
    """An axis of numbers of items; of factors where they are far apart, and then its ends are logarithms."""

    factors: bool

    @classmethod
    def of(cls, sizes: Sequence[int], margin: float) -> _Sizes:
        factors = is_wide(sizes)
        ends = [math.log10(size) if factors else float(size) for size in (sizes[0], sizes[-1])]
        room = margin * (ends[1] - ends[0])
        return cls(ends[0] - room, ends[1] + room, factors)

    def at(self, size: float) -> float:
        """Return where a number of items stands, in per cent."""
        return Axis.at(self, math.log10(size) if self.factors else size)

    def holds(self, size: float) -> bool:
        """Whether a number of items is on the axis."""
        return size > 0 and Axis.holds(self, math.log10(size) if self.factors else size)

    def size_ticks(self) -> tuple[Tick, ...]:
        """Return round numbers, as many as have room; first those that a narrow screen has room for."""
        placed: dict[float, tuple[str, bool]] = {}
        for width, major in SCREENS_PX:
            for size in self._round():
                text, at = f"{size:,.0f}", self.at(size)
                # At the ends of the axis a text stands beside its place, so half as much again is kept free.
                if all(
                    abs(at - other) / 100 * width >= 0.75 * LETTER_PX * (len(text) + len(taken)) + TICK_GAP_PX
                    for other, (taken, _) in placed.items()
                ):
                    placed[at] = text, major
        return tuple(Tick(at, *placed[at]) for at in sorted(placed))

    def _round(self) -> list[float]:
        if self.factors:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            # Powers of ten come first, where there is no room for all.
            rounds = [step * 10.0**power for step in (1, 2, 5) for power in powers]
        else:
            step = max(round_step((self.high - self.low) / MAX_SIZE_TICKS), 1.0)
            rounds = self.multiples(step)
        return [size for size in rounds if self.holds(size)]


def shares_text(shares: Iterable[float], row: PowerRow, more: MoreData) -> list[str]:
    """Write probabilities of a row, no finer than simulations carry, or than an extrapolation deserves."""
    if more.method == "extrapolation":
        return [percent(share, ROUGH_SIMULATIONS) for share in shares]
    return [share_text(share, row.simulations) for share in shares]


def lacks_some(rows: Iterable[PowerRow]) -> bool:
    """Whether some studies get no verdict."""
    return any(row.no_verdict > 0 for row in rows)


def settled_words(design: Design) -> dict[Verdict, str]:
    """Return the settled verdicts that there can be, as tables call them: symbols, or for one margin words.

    Such a margin has two sides, and nothing about it is equivalent.
    """
    if not design.rope.one_sided:
        return {verdict: verdict.value for verdict in SETTLED}
    facing = oriented(design.rope, higher_is_better=design.recipe.metric.higher_is_better)
    inside, outside = (side_words(facing, inside=is_inside)[0] for is_inside in (True, False))
    if math.isinf(facing[1]):
        return {Verdict.EQUIVALENT: inside, Verdict.B_BETTER: outside}
    return {Verdict.A_BETTER: outside, Verdict.EQUIVALENT: inside}


def verdict_header(design: Design, *, none: bool) -> list[str]:
    """Return what `verdict_shares` are the shares of."""
    return [*settled_words(design).values(), "undecided", *(("no verdict",) if none else ())]


def verdict_shares(row: PowerRow, settled: Iterable[Verdict] = SETTLED, *, none: bool = False) -> list[float]:
    """Return the shares of the settled verdicts, then of the others, and with `none` of studies without any."""
    shares = (row.decisions.get(verdict, 0.0) for verdict in settled)
    return [*shares, undecided(row), *((row.no_verdict,) if none else ())]


def undecided(row: PowerRow) -> float:
    """Return the share of inconclusive verdicts."""
    return sum(share for verdict, share in row.decisions.items() if verdict not in SETTLED)


def power_picture(
    rows: Sequence[PowerRow], kind: str, goal: str, *, target: float | None = None, answer: int | None = None
) -> Prospect | None:
    """Draw how often the goal is reached against the number of items; None where there is but one."""
    rows = sorted(rows, key=lambda row: row.n)
    if len(rows) < 2:  # noqa: PLR2004
        return None
    axis = _Sizes.of([row.n for row in rows], MARGIN)
    what = f"{kind.capitalize()}: how often {goal} is reached"
    x = np.array([axis.at(row.n) for row in rows]) / 100
    low, share, high = (np.array([getattr(row, part) for row in rows]) for part in ("low", "power", "high"))
    first, last = (f"{share_text(row.power, row.simulations)} with {row.n:,}" for row in (rows[0], rows[-1]))
    caption = f"{what}. Dots are simulated; the bars, and the band, are their 95% intervals."
    if target is not None:
        caption += " The dotted line is what was asked for"
        caption += "." if answer is None else ", the dashed one the answer."
    elif answer is not None:
        caption += " The dashed line is the answer."
    return Prospect(
        head=f"{kind.capitalize()} against the number of items",
        description=f"{what}, against the number of items: from {first} to {last}",
        caption=caption,
        axis_name="items",
        ticks=axis.size_ticks(),
        band=area(x, low, high),
        line=line(x, share),
        points=tuple((axis.at(row.n), _down(row.power), _down(row.low), _down(row.high)) for row in rows),
        target=None if target is None else _down(target),
        target_text="" if target is None else f"{100 * target:g}%",
        answer=axis.at(answer) if answer and axis.holds(answer) else None,
    )


def verdict_picture(more: MoreData, *, head: str = "") -> Prospect | None:
    """Draw the probability of each verdict against the number of new items; None where there is but one number."""
    rows = sorted(more.rows, key=lambda row: row.n)
    if len(rows) < 2:  # noqa: PLR2004
        return None
    axis = _Sizes.of([row.n for row in rows], 0.0)
    x = np.array([axis.at(row.n) for row in rows]) / 100
    shares = np.array([verdict_shares(row) for row in rows])
    edges = stacked(shares)
    a, b = map(name, more.design.names)
    words = (f"{a} better", "practically equivalent", f"{b} better", "undecided")
    if more.design.rope.one_sided:
        words = ("above the ROPE", "inside it", "below it", "undecided")
        if not more.design.recipe.metric.higher_is_better:
            words = (words[2], words[1], words[0], words[3])
    last = rows[-1]
    rough = more.method == "extrapolation"
    ends = ", ".join(map(" ".join, zip(words, shares_text(shares[-1], last, more), strict=True)))
    caption = f"Probability of each verdict after more {more.unit}, {'extrapolated' if rough else 'simulated'}."
    if lacks_some(rows):
        caption += " What is left white gets no verdict."
    answer = axis.at(more.n) if more.n and axis.holds(more.n) else None
    return Prospect(
        head=head or f"Verdicts against the number of new {more.unit}",
        description=f"Probability of each verdict against the number of new {more.unit}. After {last.n:,}: {ends}",
        caption=caption if answer is None else f"{caption} The dashed line is the answer.",
        axis_name=f"more {more.unit}",
        ticks=axis.size_ticks(),
        areas=tuple(
            (kind, area(x, below, above)) for kind, below, above in zip(_CLASSES, edges[:-1], edges[1:], strict=True)
        ),
        legend=tuple(zip(_CLASSES, words, strict=True)),
        answer=answer,
    )


def _down(share: float) -> float:
    return round(TOP_PX + HEIGHT_PX * (1 - share), 2)
