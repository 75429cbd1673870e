"""Reproduce the papers' tables from the bundled predictions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ropewalk.compare import compare
from ropewalk.data import examples
from ropewalk.results import Comparison
from ropewalk.typing import DrawsLike

ROPE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """One row of Tables 4-6 of Zhang et al. (SIGIR 2016), as printed, and our answer to the same question."""

    table: int
    category: int
    mean: float
    std: float
    bf_sd: float
    prob_below_zero: float
    prob_in_rope: float
    hdi: tuple[float, float]
    decision: str
    ours: Comparison

    @property
    def agrees(self) -> bool:
        """Whether our verdict is the published one."""
        return self.ours.decision is not None and self.ours.decision.symbol == self.decision

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain Python types."""
        published = {
            "mean": self.mean,
            "std": self.std,
            "bf_sd": self.bf_sd,
            "prob_below_zero": self.prob_below_zero,
            "prob_in_rope": self.prob_in_rope,
            "hdi": list(self.hdi),
            "decision": self.decision,
        }
        return {
            "table": self.table, "category": self.category, "published": published, "agrees": self.agrees,
            "ours": self.ours.to_dict(),
        }  # fmt: skip


def sigir2016(*, draws: DrawsLike = "auto", seed: int = 0, threads: int = 1) -> Iterator[PublishedRow]:
    """Go through the 60 comparisons of Tables 4, 5 and 6: F1 of every newsgroup, ROPE ±0.05, paired model.

    Examples
    --------
    >>> row = next(sigir2016(draws=10_000))
    >>> row.table, row.category, row.decision, row.agrees
    (4, 0, '<', True)
    """
    outcomes = examples.news20().outcomes
    for row in examples.sigir2016_tables():
        yield PublishedRow(
            table=int(row["table"]),
            category=int(row["category"]),
            mean=float(row["mean"]),
            std=float(row["std"]),
            bf_sd=float(row["bf_sd"]),
            prob_below_zero=float(row["prob_below_zero"]),
            prob_in_rope=float(row["prob_in_rope"]),
            hdi=(float(row["hdi_low"]), float(row["hdi_high"])),
            decision=row["decision"],
            ours=compare(
                outcomes,
                a=row["a"],
                b=row["b"],
                pos_label=int(row["category"]),
                rope=ROPE,
                draws=draws,
                rng=seed,
                threads=threads,
            ),
        )
