"""What planning finds and more items bring, as texts with no digit that simulations do not carry."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from ropewalk.data.outcomes import Outcomes
from ropewalk.report.document import Block, Picture, Section, Table, name
from ropewalk.report.pictures.lines import SETTLED, shown_share, undecided, verdict_picture
from ropewalk.results import Design, MoreData, Plan, PowerRow, Recipe, StoppingResult
from ropewalk.text.numbers import first_digit, number, percent, rounded_up

HEADER: Final = "more items"
MAX_FACTOR_ALIKE: Final = 1.5  # a number of items this close to the answer says the same again
_AN: Final = ("8", "11", "18")
_OPEN: Final = "How many more items?"
_SPREAD: Final = 0.25  # of differences that were found, about their mean, at most
_Z95: Final = 1.96


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


# -- more items --------------------------------------------------------------------------------------------


def goal_text(design: Design) -> str:
    """Write the goal with the names of the classifiers."""
    if design.goal == "conclusive":
        return "a conclusive verdict"
    a, b = map(name, design.names)
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


def more_line(more: MoreData | None, recipe: Recipe, *, bar: bool = False) -> str:
    """Write in one line how many more items settle a question; empty where nothing is open."""
    if more is None:
        return ""
    wanted = wanted_text(more)
    if more.n is None:
        parts = [f"{wanted} is not reachable below {more.max_n:,} more {more.unit}"]
    else:
        parts = [f"about {rounded_up(more.n, more.low, more.high)[0]:,} more {more.unit} for {wanted}"]
    rough = more.method == "extrapolation"
    for i, row in enumerate(_ends(more)):
        share = shown_share(row.power, row, rough=rough)
        parts.append(f"{row.n:,} {share}" if i else f"after {row.n:,} more {share}")
    made = "extrapolated" if rough else "simulated"
    better = "; r.more_data() and ropewalk plan --from simulate" if rough and not bar and _can_simulate(recipe) else ""
    return f"{' · '.join(parts)} ({made}{better})"


def _ends(more: MoreData) -> list[PowerRow]:
    """Return the smallest and the largest number of items looked at, but none that the answer itself stands for."""
    n, near = more.n, MAX_FACTOR_ALIKE
    far = [row for row in more.rows if n is None or not n / near <= row.n <= n * near]
    return far[:: max(len(far) - 1, 1)]


def _can_simulate(recipe: Recipe) -> bool:
    """Whether items like these can be simulated, and the model fitted to each of thousands of them."""
    if not recipe.model.can_be_simulated:
        return False
    return all(isinstance(table, Outcomes) and table.clusters is None for table in recipe.tables)


def more_cell(more: MoreData | None) -> str:
    """Write how many more items settle a question where there is little room."""
    if more is None:
        return "–"
    if more.n is None:
        return "not reachable" if out_of_reach(more.design, more.target) else f">{more.max_n:,}"
    return f"about {rounded_up(more.n, more.low, more.high)[0]:,}"


def more_table(more: MoreData) -> Table:
    """Return the probability of each verdict after so many more items."""
    rough = more.method == "extrapolation"
    rows = [
        (
            f"{row.n:,}",
            *(shown_share(row.decisions.get(verdict, 0.0), row, rough=rough) for verdict in SETTLED),
            shown_share(undecided(row), row, rough=rough),
        )
        for row in more.rows
    ]
    header = (f"more {more.unit}", *(verdict.value for verdict in SETTLED), "undecided")
    return Table(header=header, rows=tuple(rows), text_columns=0, ends_in_text=False)


def prospect_section(more: MoreData, table: Table) -> tuple[Section, ...]:
    """Return the picture and the table of what more items would bring to an answer."""
    picture = verdict_picture(more, head=_OPEN)
    pictures: tuple[Block, ...] = () if picture is None else (Picture("prospect", picture),)
    label = "Probability of each verdict after more items"
    return (Section(_OPEN, (*pictures, replace(table, label=label))),)
