"""Answers about studies that have not been made yet: how often they would reach their goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from ropewalk._checks import published
from ropewalk.draws.decision import mirror
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.draws.stakes import LabelWorth, Stakes
from ropewalk.results.base import HEAD, Recipe, Rendered, pick, stakes_dict
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.verdicts import GOALS, Verdict
from ropewalk.text.writing import visible

PRACTICAL_TIMES: Final = 10
"""How many times the items that there are somebody may still get, or `PRACTICAL_ITEMS` where there are few."""
PRACTICAL_ITEMS: Final = 10_000


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRow:
    """What comes of test sets of n items: how often the goal is reached, with the 95% interval of that share.

    `decisions` are the shares of the five verdicts, and `no_verdict` is that of studies for which `compare` would give
    none, since their data cannot bear one. `wrong` is the share of conclusive verdicts that are not true. Of those
    which find one classifier better, `type_s` is the share that find the wrong one, and `type_m` how many times too
    large the difference looks; None where nothing was found, or nothing differs.
    """

    n: int
    power: float
    low: float
    high: float
    simulations: int
    decisions: Mapping[Verdict, float]
    no_verdict: float = 0.0
    wrong: float
    type_s: float | None
    type_m: float | None

    @property
    def conclusive(self) -> float:
        """How often the verdict is conclusive."""
        return sum(share for verdict, share in self.decisions.items() if verdict.conclusive)

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain Python types."""
        return pick(self, "n power low high simulations decisions no_verdict wrong type_s type_m")


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """What was simulated: the truth, the question, and how well.

    `truth` says in words what is taken as true, and `delta` is the difference A − B then; None where the truth is drawn
    from a posterior. `ceilings` are the probabilities which the shares of the conclusive verdicts tend to, so far as
    they are known.
    """

    recipe: Recipe = field(repr=False)
    goal: str
    truth: str
    delta: float | None
    names: tuple[str, str]
    draws: int
    seed: int
    ceilings: Mapping[Verdict, float] | None = None

    @property
    def rope(self) -> Interval:
        """The region of practical equivalence."""
        assert self.recipe.rope is not None  # noqa: S101 - no study without one
        return self.recipe.rope

    @property
    def assurance(self) -> bool:
        """Whether the truth is drawn from a posterior, so that power is averaged over what may be true."""
        return self.delta is None

    @property
    def ceiling(self) -> float | None:
        """The most that the probability of the goal can be, however many items; None where it is not known."""
        if self.ceilings is None:
            return None
        return sum(share for verdict, share in self.ceilings.items() if verdict in GOALS[self.goal])

    def to_dict(self) -> dict[str, Any]:
        """Return what was asked in plain Python types."""
        recipe = self.recipe
        return {
            **HEAD,
            "metric": recipe.metric.name,
            "higher_is_better": recipe.metric.higher_is_better,
            "pos_label": recipe.pos_label_text,
            "model": recipe.model.name,
            "prior": recipe.prior,
            "a": self.names[0],
            "b": self.names[1],
            "goal": self.goal,
            **pick(recipe, "rope prob rule"),
            **pick(self, "truth delta assurance ceiling ceilings draws seed"),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Study(Rendered, Remarked):
    """What every answer about a study has; `partial` says that it was stopped early, after so many simulations."""

    json_keys: ClassVar[str]

    design: Design
    simulations: int
    partial: bool = False
    remarks: tuple[Remark, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        return {**self.design.to_dict(), **pick(self, self.json_keys)}


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PowerResult(Study):
    """How often studies of each size would reach their goal. Made by `power`.

    Where it was stopped early, the rows hold the simulations so far.
    """

    json_keys = "simulations partial rows notes"

    rows: tuple[PowerRow, ...]

    def __iter__(self) -> Iterator[PowerRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> PowerRow:
        return self.rows[index]

    @property
    def goal(self) -> str:
        """What counts as success: "A≫B", "A≪B", "A≈B" or "conclusive"."""
        return self.design.goal

    def __repr__(self) -> str:
        rows = ", ".join(f"{row.n}: {row.power:.2f}" for row in self.rows[:6])
        more = ", …" if len(self.rows) > 6 else ""  # noqa: PLR2004
        return f"PowerResult({self.goal}, {{{rows}{more}}}{', partial' if self.partial else ''})"


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Plan(Study):
    """The answer to a question of planning. Made by `plan`.

    `asks` says which: "n", the smallest test set that reaches the power `target`; "delta", the smallest difference that
    n items can find that often (`found` is that difference, or the ROPE for the goal "A≈B"); "value", the test set
    worth most after the cost of labelling; "loss", the smallest test set after which shipping the better-looking one is
    expected to lose at most `max_loss`. `n` is None where no test set below `max_n` reaches it. `low` and `high` are
    a 95% interval of what was looked for, from the error of simulation. `rows` are the simulations it rests on.
    """

    json_keys = (
        "asks target n found low high reachable max_n cost_per_item value net max_loss simulations partial rows notes"
    )

    asks: str
    target: float | None
    n: int | None
    found: float | None = None
    low: float | None
    high: float | None
    rows: tuple[PowerRow, ...]
    max_n: int
    cost_per_item: float | None = None
    value: float | None = None
    net: float | None = None
    max_loss: float | None = None

    @property
    def reachable(self) -> bool:
        """Whether there is an answer."""
        return self.n is not None and (self.asks != "delta" or self.found is not None)

    def __repr__(self) -> str:
        what = "delta" if self.asks == "delta" else "n"
        without = "not worth its labels" if self.asks == "value" else "not reachable"
        answer = (self.found if self.asks == "delta" else self.n) if self.reachable else without
        goal = f"expected loss at most {self.max_loss:g}" if self.asks == "loss" else self.design.goal
        return f"Plan({goal}, {what} = {answer})"


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class MoreData(Study):
    """How many more items would settle an open question? Made by `Comparison.more_data`.

    `rows` say what n *more* items, added to those counted, would lead to: the posterior-predictive probability of each
    verdict. `n` is how many give the goal the probability `target`, and None where that is not reachable: below `max_n`
    items, or ever, since the probability of a goal tends to that of its region, `design.ceiling`. `method` is
    "simulation", or "extrapolation" from the posterior where data cannot be simulated or nobody waits for it.
    """

    json_keys = "target n low high reachable n_items unit max_n method simulations partial rows notes"

    target: float
    n: int | None
    low: int | None
    high: int | None
    n_items: int
    rows: tuple[PowerRow, ...]
    max_n: int
    method: str
    unit: str = "items"

    @property
    def reachable(self) -> bool:
        """Whether some number of items below `max_n` reaches the target."""
        return self.n is not None

    @property
    def is_impractical(self) -> bool:
        """Whether it would take a test set that nobody makes."""
        most = max(PRACTICAL_TIMES * self.n_items, PRACTICAL_ITEMS)
        return self.unit == "items" and self.method == "extrapolation" and (self.n is None or self.n > most)

    def mirrored(self) -> MoreData:
        """Return the same answer about B − A."""
        design, recipe = self.design, self.design.recipe
        a, b = design.names
        goal = {"A≫B": "A≪B", "A≪B": "A≫B"}.get(design.goal, design.goal)
        ceilings = None if design.ceilings is None else {mirror(v): p for v, p in design.ceilings.items()}
        turned = replace(recipe, rope=None if recipe.rope is None else recipe.rope.mirrored())
        rows = (replace(row, decisions={mirror(v): p for v, p in row.decisions.items()}) for row in self.rows)
        return replace(
            self, design=replace(design, recipe=turned, names=(b, a), goal=goal, ceilings=ceilings), rows=tuple(rows)
        )

    def __repr__(self) -> str:
        answer = f"{self.n} more {self.unit}" if self.n is not None else "not reachable"
        return f"MoreData({self.design.goal} with probability {self.target:g}: {answer})"


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class LabelPlan(Rendered, Remarked):
    """What are more labels worth? Made by `Comparison.worth_of_labels`.

    `rows` say what n *more* items would save, and which expected loss of shipping the better-looking one is left then;
    `n` is how many bring it to `max_loss`, and None where none was given, or no number of items below `max_n` does.
    """

    a: str
    b: str
    recipe: Recipe
    delta: Estimate
    stakes: Stakes
    max_loss: float | None
    n: int | None
    max_n: int
    remarks: tuple[Remark, ...] = ()

    @property
    def rows(self) -> tuple[LabelWorth, ...]:
        """What so many more items are worth."""
        return self.stakes.labels

    @property
    def better(self) -> str:
        """The classifier that looks better."""
        return self.a if self.stakes.prefers_a else self.b

    @property
    def reachable(self) -> bool:
        """Whether some number of items below `max_n` leaves no more loss than asked for."""
        return self.n is not None

    def __repr__(self) -> str:
        if self.max_loss is None:
            return visible(f"LabelPlan({self.better}: certainty is worth {self.stakes.certainty:.2g})")
        answer = f"{self.n} more items" if self.n is not None else "not reachable"
        return visible(f"LabelPlan({self.better}: expected loss at most {self.max_loss:g}: {answer})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        recipe, stakes = self.recipe, stakes_dict(self.stakes) or {}
        rows = stakes.pop("labels")
        return {
            **HEAD,
            "metric": recipe.metric.name,
            "higher_is_better": recipe.metric.higher_is_better,
            "pos_label": recipe.pos_label_text,
            "model": recipe.model.name,
            "prior": recipe.prior,
            **pick(self, "a b better"),
            **stakes,
            **pick(self, "max_loss n reachable"),
            "n_items": recipe.n_items,
            "max_n": self.max_n,
            "method": "extrapolation",
            "rows": rows,
            "seed": recipe.seed,
            **pick(self, "notes"),
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class StoppingResult(Study):
    """How a rule for stopping behaves: how many items it takes, and how often it errs. Made by `stopping`.

    `stop` says when it stops, `batch` after how many items each time it looks. `mean_n` is the expected number of
    items, `n_quantiles` the 10th, 50th and 90th percentiles, and `at_most` the share of studies that reach the largest
    number. `row` is what they conclude (its n is the largest), `fixed` what they would at the largest number without
    looking before. `covered` is how often the final HDI holds the truth.

    Of a rule whose error is bounded over all looks it is the confidence sequence that holds it. `plain` is what the
    same studies conclude that stop at the first conclusive verdict instead, `plain_mean_n` how many items these take,
    and `plain_covered` how often their HDI holds the truth; `same_power_n` is how many items have as much power at one
    look, None where the largest number has less.
    """

    stop: str
    batch: int
    min_n: int
    max_n: int
    mean_n: float
    mean_n_error: float
    n_quantiles: tuple[int, int, int]
    at_most: float
    covered: float
    row: PowerRow
    fixed: PowerRow
    fixed_covered: float
    plain: PowerRow | None = None
    plain_covered: float | None = None
    plain_mean_n: float | None = None
    same_power_n: int | None = None

    def __repr__(self) -> str:
        return (
            f"StoppingResult({self.stop}: {self.mean_n:.0f} of {self.max_n} items, "
            f"conclusive {self.row.conclusive:.2f}, wrong {self.row.wrong:.3f})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        return {
            **self.design.to_dict(),
            **pick(self, "stop batch min_n max_n mean_n mean_n_error"),
            "n_quantiles": dict(zip(("10%", "50%", "90%"), self.n_quantiles, strict=True)),
            **pick(self, "at_most covered"),
            "stopped": self.row.to_dict(),
            "fixed": {**self.fixed.to_dict(), "covered": self.fixed_covered},
            **self._beside(),
            **pick(self, "simulations partial notes"),
        }

    def _beside(self) -> dict[str, Any]:
        """Return what stands beside a rule whose error is bounded; nothing beside the others."""
        if self.plain is None:
            return {}
        plain = {**self.plain.to_dict(), "covered": self.plain_covered, "mean_n": self.plain_mean_n}
        return {"plain": plain, "same_power_n": self.same_power_n}
