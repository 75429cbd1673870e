"""How a budget is best spent between items and runs."""

from __future__ import annotations

from typing import Final

from ropewalk.report.budget_map import drawing
from ropewalk.report.document import Answer, Block, Document, Picture, Section, Table, describes
from ropewalk.report.doubt import doubt_bar
from ropewalk.results.budget import BudgetPlan
from ropewalk.text.writing import percent

_PLENTY: Final = 1_000
_ABOUT: Final = (
    "Few runs say little of how far runs lie apart: where the quartiles differ much, another run tells most."
)


@describes(BudgetPlan)
def describe_budget(plan: BudgetPlan) -> Document:
    """Describe how a budget is split."""
    costs = ", ".join(f"{name} {getattr(plan.cost, name):g}" for name in ("item", "run", "answer"))
    shares = ", ".join(f"{name} {percent(share, _PLENTY)}" for name, share in plan.components.shares.items())
    rows = tuple(
        (told, f"{split.n_runs:,}", f"{split.n_items:,}", f"{split.std:.3g}", f"{split.cost:g}")
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
        lines=(("Budget", f"{plan.budget:g}; costs: {costs}"), ("So far", shares), ("Note", _ABOUT)),
    )

    def sections(document: Document) -> tuple[Block, ...]:
        about = "More items, or more runs: what the same money buys, and how sure the difference then is."
        chart = Section("Items and runs", (Picture("budget", drawing(plan), "budget"), table), about)
        share = Section("Where the doubt comes from", (Picture("doubt", doubt_bar(plan.components), "doubt"),))
        return (*document.answer_sections(), chart, share, document.method_section())

    return Document(
        caption=f"budget {plan.budget:g}; costs: {costs}",
        about="A budget for items and runs",
        answers=(answer,),
        tables=(table,),
        terminal=(answer, table),
        sections=sections,
    )
