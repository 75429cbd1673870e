"""The papers' tables beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ropewalk.report.numbers import decimals, interval, number, percent, savage_dickey
from ropewalk.report.text import aligned
from ropewalk.report.view import Table, decision_text
from ropewalk.reproduce import PublishedRow

_HEADER = ("category", "", "mean", "std", "BF", "P(Δ<0)", "in ROPE", "HDI", "decision")


def published_tables(rows: Sequence[PublishedRow]) -> str:
    """Return Tables 4-6 of SIGIR 2016, two lines a category: published, then ours."""
    parts = []
    for number_, group in groupby(rows, key=lambda row: row.table):
        members = list(group)
        first = members[0].ours
        lines = [line for row in members for line in (_published(row), _ours(row))]
        agree = sum(row.agrees for row in members)
        parts.append(
            f"Table {number_}: F1 of {first.a} − {first.b}, ROPE ±0.05\n\n"
            + aligned(Table(header=_HEADER, rows=tuple(lines), text_columns=2))
            + f"\n\n{agree} of {len(members)} decisions agree."
        )
    agree = sum(row.agrees for row in rows)
    shaky = [row for row in rows if row.ours.decision is not None and not row.ours.decision.stable]
    parts.append(f"{agree} of {len(rows)} decisions agree with the paper.")
    parts += [
        f"Table {row.table}, category {row.category} is unstable: an HDI end lies on the ROPE edge, so the paper's "
        f"{row.decision} and our {row.ours.decision.symbol if row.ours.decision else '–'} are a coin toss."
        for row in shaky
    ]
    return "\n\n".join(parts)


def _published(row: PublishedRow) -> tuple[str, ...]:
    return (
        str(row.category),
        "paper",
        number(row.mean, 3, sign=True),
        number(row.std, 3),
        f"{row.bf_sd:.3f}",
        f"{100 * row.prob_below_zero:.1f}%",
        f"{100 * row.prob_in_rope:.1f}%",
        interval(*row.hdi, 3, sign=True),
        row.decision,
    )


def _ours(row: PublishedRow) -> tuple[str, ...]:
    ours, n = row.ours, len(row.ours.draws)
    places = decimals(ours.delta, ours.delta.mc_error)
    return (
        "",
        "ours",
        number(ours.mean, places, sign=True),
        number(ours.std, places),
        savage_dickey(ours.bayes_factor),
        percent(ours.prob_below_zero, n),
        "–" if ours.regions is None else percent(ours.regions.inside, n),
        interval(ours.hdi.low, ours.hdi.high, decimals(ours.delta), sign=True),
        decision_text(ours.decision) + ("" if row.agrees else "  ✗"),
    )
