"""Reproduce the papers' tables from the bundled predictions and confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ropewalk._progress import ProgressLike
from ropewalk.data import examples
from ropewalk.planning import BinaryScenario, power
from ropewalk.results import Comparison
from ropewalk.results.planning import PowerRow
from ropewalk.typing import DrawsLike
from ropewalk.verbs.comparison import compare

SIGIR_ROPE = 0.05
ICDM_ROPE = 0.005
SIGIR_SCENARIOS: Final = {
    "a": BinaryScenario(prevalence=0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3)),
    "b": BinaryScenario(prevalence=0.5, positive=(0.3, 0.2, 0.2, 0.3), negative=(0.3, 0.2, 0.2, 0.3)),
}
"""The scenarios of SIGIR 2016, section 4.1: F1 of .6 against .5, and of .5 each."""

_PAPER_SIMULATIONS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """One row of a paper's table as printed, and our answer to the same question.

    `paired` is the answer that the paper could not give: that of the paired model, from the predictions themselves.
    """

    table: int
    category: int | None
    sign_test: float
    t_test: float
    mean: float
    std: float
    bf_sd: float | None
    prob_below_zero: float
    prob_in_rope: float
    hdi: tuple[float, float]
    decision: str
    ours: Comparison
    paired: Comparison | None = None

    @property
    def question(self) -> str:
        """What is asked: a category of a table about one pair, or a metric of a pair."""
        if self.category is not None:
            return str(self.category)
        return f"{self.ours.metric} of {self.ours.a} − {self.ours.b}"

    @property
    def agrees(self) -> bool:
        """Whether our verdict is the published one."""
        return self.ours.decision is not None and self.ours.decision.symbol == self.decision

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain Python types."""
        published = {
            "sign_test": self.sign_test,
            "t_test": self.t_test,
            "mean": self.mean,
            "std": self.std,
            "bf_sd": self.bf_sd,
            "prob_below_zero": self.prob_below_zero,
            "prob_in_rope": self.prob_in_rope,
            "hdi": list(self.hdi),
            "decision": self.decision,
        }
        told = {
            "table": self.table, "category": self.category, "published": published, "agrees": self.agrees,
            "ours": self.ours.to_dict(),
        }  # fmt: skip
        return told if self.paired is None else {**told, "paired": self.paired.to_dict()}


def sigir2016(*, draws: DrawsLike = "auto", seed: int = 0, threads: int = 1) -> Iterator[PublishedRow]:
    """Go through the 60 comparisons of Tables 4, 5 and 6: F1 of every newsgroup, ROPE ±0.05, paired model.

    Beside each stand the sign and t tests of accuracy that the tables print.

    Examples
    --------
    >>> row = next(sigir2016(draws=10_000))
    >>> row.table, row.category, row.decision, row.agrees
    (4, 0, '<', True)
    """
    outcomes = examples.news20().outcomes
    how: dict[str, Any] = {"rope": SIGIR_ROPE, "draws": draws, "rng": seed, "threads": threads, "tests": True}
    for row in examples.sigir2016_tables():
        ours = compare(outcomes, a=row["a"], b=row["b"], pos_label=int(row["category"]), **how)
        yield _published(row, int(row["table"]), int(row["category"]), ours)


def icdm2015(*, draws: DrawsLike = "auto", seed: int = 0, threads: int = 1) -> Iterator[PublishedRow]:
    """Go through the six comparisons of Table IV: micro and macro F1, ROPE ±0.005, hierarchical model.

    The confusion matrices are the published ones; the paired answer comes from the bundled predictions, and so do the
    sign and t tests of Table III that pair documents. The Bayes factors of the table are no target: they come from a
    flat prior, not from the hierarchical one.

    Examples
    --------
    >>> row = next(icdm2015(draws=10_000))
    >>> row.question, row.decision, row.agrees
    ('micro_f1 of nb_bern − nb_mult', '≪', True)
    """
    matrices, outcomes = examples.icdm2015_matrices(), examples.news20().outcomes
    how: dict[str, Any] = {"rope": ICDM_ROPE, "draws": draws, "rng": seed, "threads": threads, "tests": True}
    for row in examples.icdm2015_table():
        a, b, metric = row["a"], row["b"], row["metric"]
        ours = compare(matrices[a], matrices[b], model="icdm2015", metric=metric, **how)
        paired = compare(outcomes, a=a, b=b, metric=metric, **how)
        yield _published(row, 4, None, ours, paired)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPower:
    """One cell of the table of power as printed, and our own simulations of the same study."""

    scenario: str
    goal: str
    model: str
    n: int
    published: float
    ours: PowerRow

    @property
    def difference(self) -> float:
        """How much more often we reach the goal."""
        return self.ours.power - self.published

    @property
    def error(self) -> float:
        """The standard error of the printed share of 100 simulations, at least one of their steps."""
        return max(math.sqrt(self.published * (1 - self.published) / _PAPER_SIMULATIONS), 1 / _PAPER_SIMULATIONS)

    def to_dict(self) -> dict[str, Any]:
        """Return the cell in plain Python types."""
        return {
            "scenario": self.scenario, "goal": self.goal, "model": self.model, "n": self.n,
            "published": self.published, "ours": self.ours.to_dict(),
        }  # fmt: skip


def sigir2016_power(
    *, simulations: int = 1_000, draws: int = 2_000, seed: int = 0, threads: int = 1, progress: ProgressLike = None
) -> Iterator[PublishedPower]:
    """Go through the 28 cells of Table 3: how often the paired and the unpaired model reach their goal, F1, ROPE ±0.05.

    Examples
    --------
    >>> cell = next(sigir2016_power(simulations=100))
    >>> cell.scenario, cell.goal, cell.model, cell.n, cell.published
    ('a', 'A≫B', 'unpaired', 500, 0.26)
    """
    rows = examples.sigir2016_power()
    for name, scenario in SIGIR_SCENARIOS.items():
        mine = [row for row in rows if row["scenario"] == name]
        for model in ("unpaired", "paired"):
            found = power(
                scenario, [int(row["n"]) for row in mine], goal=mine[0]["goal"], rope=SIGIR_ROPE, model=model,
                simulations=simulations, draws=draws, rng=seed, threads=threads, progress=progress,
            )  # fmt: skip
            for row, ours in zip(mine, found, strict=True):
                yield PublishedPower(
                    scenario=name, goal=found.goal, model=model, n=ours.n, published=float(row[model]), ours=ours
                )


def _published(
    row: dict[str, str], table: int, category: int | None, ours: Comparison, paired: Comparison | None = None
) -> PublishedRow:
    return PublishedRow(
        table=table,
        category=category,
        sign_test=float(row["sign_test"]),
        t_test=float(row["t_test"]),
        mean=float(row["mean"]),
        std=float(row["std"]),
        bf_sd=float(row["bf_sd"]) if paired is None else None,
        prob_below_zero=float(row["prob_below_zero"]),
        prob_in_rope=float(row["prob_in_rope"]),
        hdi=(float(row["hdi_low"]), float(row["hdi_high"])),
        decision=row["decision"],
        ours=ours,
        paired=paired,
    )
