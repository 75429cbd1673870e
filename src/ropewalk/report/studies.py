"""Studies that have not been made yet, as tables."""

from __future__ import annotations

from ropewalk.report.amounts import (
    kind_text,
    mean_text,
    money_text,
    net_text,
    range_text,
    sizes_text,
    sought_text,
    target_text,
    times_text,
)
from ropewalk.report.more import HEADER, SETTLED, goal_text, more_cell, more_table, out_of_reach, undecided
from ropewalk.report.shape import Escape, Table
from ropewalk.results import Design, MoreData, Plan, PowerResult, PowerRow, StoppingResult
from ropewalk.text.numbers import rounded_up, share_interval, share_text

Planned = PowerResult | Plan | MoreData | StoppingResult


def tables(result: Planned, escape: Escape) -> tuple[Table, ...]:
    """Return the answer as a table of one row, where it is more than its rows, and the simulations it rests on."""
    if isinstance(result, Plan):
        return _answer(result, escape), *row_tables(result, escape)
    if isinstance(result, MoreData):
        target = f"{100 * result.target:g}%"
        unit = rounded_up(result.n or 0, result.low, result.high)[1]
        ends = range_text(result.low, result.high, unit) or "–"
        made = "extrapolated" if result.method == "extrapolation" else "simulated"
        header = ("goal", "probability", HEADER, "95% interval", "method")
        row = (goal_text(result.design, escape), *map(escape, (target, more_cell(result), ends, made)))
        return Table(header=tuple(map(escape, header)), rows=(row,)), *row_tables(result, escape)
    return row_tables(result, escape)


def row_tables(result: Planned, escape: Escape) -> tuple[Table, ...]:
    """Return the table of what comes of each number of items, if there is any."""
    if isinstance(result, StoppingResult):
        return (_stopping_table(result, escape),)
    if not result.rows:
        return ()
    if isinstance(result, MoreData):
        return (more_table(result, escape),)
    rows = [(f"{row.n:,}", *_cells(row)) for row in result.rows]
    return (_grid(("items", *_columns(result.design)), rows, escape, text_columns=0),)


def _grid(header: tuple[str, ...], rows: list[tuple[str, ...]], escape: Escape, *, text_columns: int) -> Table:
    return Table(
        header=tuple(map(escape, header)),
        rows=tuple(tuple(map(escape, row)) for row in rows),
        text_columns=text_columns,
        ends_in_text=False,
    )


def _columns(design: Design) -> tuple[str, ...]:
    verdicts = (verdict.value for verdict in SETTLED)
    return (kind_text(design), "95% interval", *verdicts, "undecided", "wrong", "type S", "type M")


def _cells(row: PowerRow) -> tuple[str, ...]:
    n = row.simulations
    shares = (*(row.decisions.get(verdict, 0.0) for verdict in SETTLED), undecided(row), row.wrong)
    found = max(round(n * sum(row.decisions.get(verdict, 0.0) for verdict in (SETTLED[0], SETTLED[-1]))), 1)
    return (
        share_text(row.power, n),
        share_interval(row.low, row.high),
        *(share_text(share, n) for share in shares),
        "–" if row.type_s is None else share_text(row.type_s, found),
        times_text(row.type_m, found),
    )


def _answer(result: Plan, escape: Escape) -> Table:
    design, goal = result.design, goal_text(result.design, escape)
    unit = rounded_up(result.n or 0, result.low, result.high)
    if result.asks == "n":
        beyond = "not reachable" if out_of_reach(design, result.target) else f">{result.max_n:,}"
        about = beyond if result.n is None else f"about {unit[0]:,}"
        header: tuple[str, ...] = ("goal", kind_text(design), "items", "95% interval")
        cells: tuple[str, ...] = (target_text(result), about, range_text(result.low, result.high, unit[1]) or "–")
    elif result.asks == "delta":
        at, low, high = ("not found", "", "") if result.found is None else sizes_text(result)
        header = ("goal", kind_text(design), "items", sought_text(result), "95% interval")
        cells = (target_text(result), f"{result.n:,}", at, f"{low} to {high}" if low else "–")
    else:
        about, net = ("none", "–") if result.n is None else (f"about {unit[0]:,}", f"about {net_text(result)}")
        header = ("goal", "value", "a label", "items", "as good", "net value")
        ends = range_text(result.low, result.high, unit[1]) or "–"
        cells = (money_text(result.value), money_text(result.cost_per_item), about, ends, net)
    return Table(header=tuple(map(escape, header)), rows=((goal, *map(escape, cells)),), ends_in_text=False)


def _stopping_table(result: StoppingResult, escape: Escape) -> Table:
    n = result.simulations
    rows = [
        ("stopped by the rule", mean_text(result), *_cells(result.row), share_text(result.covered, n)),
        ("without a look before", f"{result.max_n:,}", *_cells(result.fixed), share_text(result.fixed_covered, n)),
    ]
    return _grid(("study", "items", *_columns(result.design), "HDI holds the truth"), rows, escape, text_columns=1)
