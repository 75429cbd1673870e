"""How a budget is best spent between items and runs, and what studies of so many of both find."""

from __future__ import annotations

from typing import Final

from ropewalk.report.budget_map import drawing
from ropewalk.report.document import Answer, Block, Document, Picture, Section, Table, describes
from ropewalk.report.doubt import doubt_bar
from ropewalk.results.budget import BudgetPlan, RunsPower
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import percent

_PLENTY: Final = 1_000
_ABOUT: Final = (
    "Few runs say little of how far runs lie apart: where the quartiles differ much, another run tells most."
)


@describes(BudgetPlan)
def describe_budget(plan: BudgetPlan) -> Document:
    """Describe how a budget is split."""
    costs = ", ".join(f"{name} {getattr(plan.cost, name):,.10g}" for name in ("item", "run", "answer"))
    shares = ", ".join(f"{name} {percent(share, _PLENTY)}" for name, share in plan.components.shares.items())
    rows = tuple(
        (told, f"{split.n_runs:,}", f"{split.n_items:,}", f"{split.std:.3g}", f"{split.cost:,.10g}")
        for told, split in (
            ("the median", plan.best),
            ("the lower quartile", plan.low),
            ("the upper quartile", plan.high),
        )
    )
    table = Table(header=("run spread at", "runs", "items", "std of Δ", "cost"), rows=rows, ends_in_text=False)
    answer = Answer(
        title="More items or more runs?",
        headline=plan.headline,
        lines=(
            ("Budget", f"{plan.budget:,.10g}; costs: {costs}"),
            ("So far", shares),
            ("Note", _ABOUT),
        ),
    )

    def sections(document: Document) -> tuple[Block, ...]:
        about = "More items, or more runs: what the same money buys, and how sure the difference then is."
        chart = Section("Items and runs", (Picture("budget", drawing(plan), "budget"), table), about)
        share = Section("Where the doubt comes from", (Picture("doubt", doubt_bar(plan.components), "doubt"),))
        return (*document.answer_sections(), chart, share, document.method_section())

    return Document(
        caption=f"budget {plan.budget:,.10g}; costs: {costs}",
        about="A budget for items and runs",
        answers=(answer,),
        tables=(table,),
        terminal=(answer, table),
        sections=sections,
    )


@describes(RunsPower)
def describe_power(power: RunsPower) -> Document:
    """Describe how often studies over runs and items reach their goal."""
    shares = ", ".join(f"{name} {percent(share, _PLENTY)}" for name, share in power.components.shares.items())
    n = power.simulations
    rows = []
    for row in power.rows:
        shares_of = (percent(row.power, n), f"±{row.half_width:.3g}", percent(row.wrong, n))
        rows.append((f"{row.n_runs:,}", f"{row.n_items:,}", *shares_of))
    header = ("runs of each", "items", "power", "interval", "wrong verdicts")
    table = Table(header=header, rows=tuple(rows), text_columns=0, ends_in_text=False)
    study = f"true difference {power.delta:+g} · ROPE {rope_text(power.rope)} · {100 * power.prob:g}% interval"
    so_far = shares if power.components.n_items > 1 else ""  # of variances alone nothing has been seen
    lines = (("Study", study), ("So far", so_far), ("Made by", f"{n:,} studies of each size · seed {power.seed}"))
    answer = Answer(title="How often is it found?", headline=power.headline, lines=lines)
    return Document(
        caption=study, about="Studies over runs and items", answers=(answer,), tables=(table,), terminal=(answer, table)
    )
