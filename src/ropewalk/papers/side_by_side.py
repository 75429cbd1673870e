"""The papers' tables beside ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from ropewalk.papers.tables import PublishedPower, PublishedRow
from ropewalk.report.describe.classical import paper_columns
from ropewalk.report.document import Table
from ropewalk.report.render.text import aligned
from ropewalk.report.words import decision_text
from ropewalk.results import Comparison
from ropewalk.text.numbers import decimals, interval, number, percent, savage_dickey
from ropewalk.text.verdicts import rope_text

_HEADER = ("sign-test", "t-test", "mean", "std", "BF", "P(Δ<0)", "in ROPE", "HDI", "decision")


def published_tables(rows: Sequence[PublishedRow]) -> str:
    """Return the tables of a paper, two lines a question, published and ours; three where a paired answer exists."""
    parts = []
    for name, group in groupby(rows, key=lambda row: row.table):
        members = list(group)
        lines = [line for row in members for line in _lines(row)]
        what = "question" if members[0].paired is not None else "category"
        agree = sum(row.agrees for row in members)
        parts.append(
            f"Table {name}: {_title(members)}\n\n"
            + aligned(Table(header=(what, "", *_HEADER), rows=tuple(lines), text_columns=2))
            + f"\n\n{agree} of {len(members)} decisions agree."
        )
    agree = sum(row.agrees for row in rows)
    shaky = [row for row in rows if row.ours.decision is not None and not row.ours.decision.stable]
    if len(parts) > 1:
        parts.append(f"{agree} of {len(rows)} decisions agree with the paper.")
    for row in shaky:
        where = row.question if row.category is None else f"category {row.category}"
        ours = "–" if row.ours.decision is None else row.ours.decision.symbol
        end = "other draws may say otherwise" if row.agrees else f"{row.decision} (the paper) or {ours} is a coin toss"
        parts.append(f"Table {row.table}, {where} is unstable: an HDI end lies on the ROPE edge; {end}.")
    if any(row.paired is not None for row in rows):
        parts.append(
            "paired: the same question put to the predictions themselves, which tell what both classifiers said about "
            "the same documents. The paper's Bayes factors come from another prior and are left out."
        )
    return "\n\n".join(parts)


def power_table(cells: Sequence[PublishedPower]) -> str:
    """Return the paper's table of power, published and ours, and how far they are apart in each column."""
    by_model = {(cell.scenario, cell.n, cell.model): cell for cell in cells}
    rows, apart = [], []
    for name, goal in dict.fromkeys((cell.scenario, cell.goal) for cell in cells):
        for n in dict.fromkeys(cell.n for cell in cells if cell.scenario == name):
            pair = [by_model[name, n, model] for model in ("unpaired", "paired")]
            told = [(f"{c.published:.2f}", f"{c.ours.power:.2f}") for c in pair]
            far = " ✗" if any(abs(c.difference) > 4 * c.error for c in pair) else ""
            rows.append((f"({name})", goal, f"{n:,}", *told[0], told[1][0], told[1][1] + far))
        for model in ("unpaired", "paired"):
            column = [cell.difference for cell in cells if (cell.scenario, cell.model) == (name, model)]
            rms = math.sqrt(sum(d * d for d in column) / len(column))
            apart.append(f"({name}) {model} {rms:.3f}")
    header = ("scenario", "goal", "items", "unpaired, paper", "ours", "paired, paper", "ours")
    first, far_off = cells[0].ours, any(row[-1].endswith("✗") for row in rows)
    return (
        "Table 3: power, F1, ROPE ±0.05\n\n"
        + aligned(Table(header=header, rows=tuple(rows), text_columns=2, ends_in_text=False))
        + f"\n\nThe paper has 100 simulations a cell, we have {first.simulations:,}. Root mean square difference by "
        + f"column: {', '.join(apart)}.\n"
        + ("✗ marks a row" if far_off else "No row has a cell")
        + " over 4 standard errors away from the paper."
    )


def _title(rows: Sequence[PublishedRow]) -> str:
    first = rows[0].ours
    rope = "" if first.rope is None else f", ROPE {rope_text(first.rope)}"
    return f"average F1{rope}" if rows[0].paired is not None else f"F1 of {first.a} − {first.b}{rope}"


def _lines(row: PublishedRow) -> list[tuple[str, ...]]:
    published = (
        f"{row.sign_test:.3f}",
        f"{row.t_test:.3f}",
        number(row.mean, 3, sign=True),
        number(row.std, 3),
        "–" if row.bf_sd is None else f"{row.bf_sd:.3f}",
        f"{100 * row.prob_below_zero:.1f}%",
        f"{100 * row.prob_in_rope:.1f}%",
        interval(*row.hdi, 3, sign=True),
        row.decision,
    )
    ours = _columns(row.ours)
    lines = [(row.question, "paper", *published), ("", "ours", *ours[:-1], ours[-1] + ("" if row.agrees else "  ✗"))]
    return lines if row.paired is None else [*lines, ("", "paired", *_columns(row.paired))]


def _columns(found: Comparison) -> tuple[str, ...]:
    n, places = found.delta.worth(len(found.draws)), decimals(found.delta, found.delta.mc_error)
    return (
        *paper_columns(found),
        number(found.mean, places, sign=True),
        number(found.std, places),
        savage_dickey(found.bayes_factor),
        percent(found.prob_below_zero, n),
        "–" if found.regions is None else percent(found.regions.inside, n),
        interval(found.hdi.low, found.hdi.high, decimals(found.delta), sign=True),
        decision_text(found.decision),
    )
