"""How many more items would settle an open question, as plain strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ropewalk.data.outcomes import Outcomes
from ropewalk.report.shape import Escape, Table
from ropewalk.results import Design, MoreData, PowerRow, Recipe
from ropewalk.text.numbers import percent, rounded_up, share_text
from ropewalk.text.verdicts import Verdict

HEADER: Final = "more items"
SETTLED: Final = (Verdict.A_BETTER, Verdict.EQUIVALENT, Verdict.B_BETTER)
_ROUGH: Final = 1_000  # simulations that an extrapolated probability is printed like, however many draws it rests on
_NEAR: Final = 1.5  # as a factor: what is this close to the answer says the same again
_AN: Final = ("8", "11", "18")


def goal_text(design: Design, escape: Escape) -> str:
    """Write the goal with the names of the classifiers."""
    if design.goal == "conclusive":
        return "a conclusive verdict"
    a, b = map(escape, design.names)
    return f"{a}{escape(design.goal[1])}{b}"


def out_of_reach(design: Design, target: float | None) -> bool:
    """Whether no number of items makes the goal so probable, since its region is not."""
    return design.ceiling is not None and target is not None and design.ceiling < target


def chance_text(target: float) -> str:
    """Write a wanted probability with its article.

    Examples
    --------
    >>> chance_text(0.8), chance_text(0.95)
    ('an 80% chance', 'a 95% chance')
    """
    told = f"{100 * target:g}"
    spoken = told.partition(".")[0]
    article = "an" if spoken[0] == _AN[0] or spoken in _AN else "a"
    return f"{article} {told}% chance"


def wanted_text(more: MoreData, escape: Escape) -> str:
    """Say what the items are to make probable, and how probable."""
    finding = "" if more.design.goal == "conclusive" else "finding "
    return f"{chance_text(more.target)} of {finding}{goal_text(more.design, escape)}"


def shown_share(share: float, row: PowerRow, *, rough: bool) -> str:
    """Write a probability of a row, no finer than simulations carry, or than an extrapolation deserves."""
    return percent(share, _ROUGH) if rough else share_text(share, row.simulations)


def undecided(row: PowerRow) -> float:
    """Return the share of inconclusive verdicts."""
    return sum(share for verdict, share in row.decisions.items() if not verdict.conclusive)


def more_line(more: MoreData | None, recipe: Recipe, escape: Escape, *, bar: bool = False) -> str:
    """Say in one line how many more items settle a question; empty where nothing is open."""
    if more is None:
        return ""
    wanted = wanted_text(more, escape)
    if more.n is None:
        told = [f"{wanted} is not reachable below {more.max_n:,} more {more.unit}"]
    else:
        n = rounded_up(more.n, more.low, more.high)[0]
        told = [f"about {n:,} more {more.unit} for {wanted}"]
    rough = more.method == "extrapolation"
    for i, row in enumerate(_telling(more)):
        told.append(
            f"{'' if i else 'after '}{row.n:,}{'' if i else ' more'} {shown_share(row.power, row, rough=rough)}"
        )
    made = "extrapolated" if rough else "simulated"
    better = "; r.more_data() and ropewalk plan --from simulate" if rough and not bar and _counts(recipe) else ""
    return f"{' · '.join(told)} ({made}{better})"


def _telling(more: MoreData) -> list[PowerRow]:
    """Return the smallest and the largest number of items looked at, but none that the answer itself stands for."""
    n = more.n
    far = [row for row in more.rows if n is None or not n / _NEAR <= row.n <= n * _NEAR]
    return far[:: max(len(far) - 1, 1)]


def _counts(recipe: Recipe) -> bool:
    """Whether items like these can be simulated, and the model fitted to each of thousands of them."""
    if not recipe.model.can_be_simulated:
        return False
    return all(isinstance(table, Outcomes) and table.clusters is None for table in recipe.tables)


def has_more(found: Iterable[MoreData | None]) -> bool:
    """Whether any question of a table is open, and says how many items would settle it."""
    return any(more is not None for more in found)


def more_cell(more: MoreData | None) -> str:
    """Write how many more items settle a question where there is little room."""
    if more is None:
        return "–"
    if more.n is None:
        return "not reachable" if out_of_reach(more.design, more.target) else f">{more.max_n:,}"
    return f"about {rounded_up(more.n, more.low, more.high)[0]:,}"


def more_table(more: MoreData, escape: Escape) -> Table:
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
    return Table(
        header=tuple(map(escape, header)),
        rows=tuple(tuple(map(escape, row)) for row in rows),
        text_columns=0,
        ends_in_text=False,
    )
