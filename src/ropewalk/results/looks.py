"""One look at an evaluation that grows: the posterior so far, and what may be acted on at every look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ropewalk._checks import published
from ropewalk.draws.intervals import Interval
from ropewalk.results.base import HEAD, Recipe, Rendered, estimate_dict, pick, plain
from ropewalk.results.comparison import Comparison
from ropewalk.results.gates import CONTRARY, EXIT_CODES, REQUIRED, Outcome
from ropewalk.results.scope import Scope
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.units import metric_title
from ropewalk.text.writing import count_of, isolated, visible


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Look(Rendered, Remarked):
    """Is A as required of it, by the items so far? Made by `watch`.

    `interval` holds the mean difference A − B at all looks together: the probability that it ever lies below, or ever
    above, is at most `error` for each. `outcome` is what it says of the requirement, and may be acted on at any look;
    `plain_outcome` is what the posterior of `comparison` says, as if this were the only look. `n` is how many items, or
    clusters of equal size, the difference is a mean over: of a metric of one class, those of that class. `region` is
    what is required of the difference.
    """

    comparison: Comparison = field(repr=False)
    require: str
    margin: float
    region: Interval
    n: int
    interval: Interval
    error: float
    outcome: Outcome
    plain_outcome: Outcome
    rows: Mapping[Any, int] = field(repr=False)
    remarks: tuple[Remark, ...] = ()

    @property
    def a(self) -> str:
        """The candidate's name."""
        return self.comparison.a

    @property
    def b(self) -> str:
        """The base line's name."""
        return self.comparison.b

    @property
    def recipe(self) -> Recipe:
        """What gives the posterior again."""
        return self.comparison.recipe

    @property
    def scope(self) -> Scope:
        """What the comparison is about."""
        return self.comparison.scope

    @property
    def n_items(self) -> int:
        """How many items there are so far."""
        return self.recipe.n_items

    @property
    def decided(self) -> bool:
        """Whether the requirement is met or contradicted, so that nobody needs to look again."""
        return self.outcome != "undecided"

    @property
    def exit_code(self) -> int:
        """What the command exits with after this look: 0 met, 1 contradicted, 3 undecided."""
        return EXIT_CODES[self.outcome]

    @property
    def headline(self) -> str:
        """What may be acted on at this look.

        Examples
        --------
        >>> import ropewalk as rw
        >>> y = [1, 0] * 200
        >>> rw.watch(y, y, [1, 1] * 200, require="better", rng=0).headline
        'MET: A is better than B in accuracy, by 400 items so far'
        """
        words = {"met": REQUIRED, "contradicted": CONTRARY, "undecided": REQUIRED}[self.outcome][self.require]
        size = self.recipe.unit.counted(self.margin)
        by = f" by more than {size}" if self.margin and self.require != "equivalent" else ""
        within = f" within {size}" if self.require == "equivalent" else ""
        a, b = isolated(self.a), isolated(self.b)
        told = f"{a} and {b} are {words}{within}" if self.require == "equivalent" else f"{a} is {words} than {b}{by}"
        open_ = "it is not known yet whether " if self.outcome == "undecided" else ""
        metric = isolated(metric_title(self.recipe.metric.of or self.recipe.metric.title))
        return f"{self.outcome.upper()}: {open_}{told} in {metric}, by {count_of(self.n_items, 'item')} so far"

    def __repr__(self) -> str:
        low, high = self.interval
        so_far = f"{self.n_items} items, [{low:.4g}, {high:.4g}], {self.outcome}"
        return visible(f"Look({self.a} {self.require} than {self.b}: {so_far})")

    def to_dict(self) -> dict[str, Any]:
        """Return the look in plain Python types: exactly the JSON object."""
        c, recipe = self.comparison, self.recipe
        return {
            **HEAD,
            "metric": recipe.metric.name,
            "higher_is_better": recipe.metric.higher_is_better,
            "pos_label": recipe.pos_label_text,
            "model": recipe.model.name,
            "n_items": recipe.n_items,
            "n": self.n,
            **pick(self, "headline a b"),
            "delta": estimate_dict(c.delta, errors=True),
            "prob": recipe.prob,
            "plain_outcome": self.plain_outcome,
            **pick(self, "interval error"),
            "gate": {**pick(self, "require margin"), "region": plain(self.region), "outcome": self.outcome},
            **pick(recipe, "seed data_hash"),
            **pick(self, "notes warnings"),
        }
