"""Two classifiers: one question, one per class, one under several priors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision, Piece
from ropewalk.draws.evidence import BayesFactor
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.draws.rope import Regions
from ropewalk.draws.stakes import Stakes
from ropewalk.results import base, upwards
from ropewalk.results.base import Drawing, Modelled, OneMetric, Recipe, Rendered
from ropewalk.results.checks import Confusion
from ropewalk.results.classical import Battery
from ropewalk.results.planning import LabelPlan, MoreData
from ropewalk.text.headline import Finding, headline
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.standing import classes_title
from ropewalk.text.units import metric_title
from ropewalk.text.writing import isolated, visible
from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Comparison(OneMetric, Remarked):
    """Is A better than B? The posterior of the difference A − B of a metric, and a verdict.

    Made by `compare`. Printing shows the short verdict, a notebook a card, `to_dict` everything. `prior_draws` are
    those of the difference under the prior, and `sd_draws` those under the posterior, that Savage-Dickey was made of.
    """

    a: str
    b: str
    estimate_a: Estimate
    estimate_b: Estimate
    delta: Estimate
    prob_below_zero: float
    prob_above_zero: float
    regions: Regions | None
    rope_path: tuple[Piece, ...] | None
    decision: Decision | None
    bayes_factor: BayesFactor | None
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)
    drawing: Drawing = field(repr=False, default=Drawing())
    prior_draws: FloatArray | None = field(repr=False, default=None)
    sd_draws: FloatArray | None = field(repr=False, default=None)
    remarks: tuple[Remark, ...] = ()
    tests: Battery | None = None
    more: MoreData | None = None
    stakes: Stakes | None = None

    @property
    def mean(self) -> float:
        """The posterior mean of A − B."""
        return self.delta.mean

    @property
    def std(self) -> float:
        """The posterior standard deviation of A − B."""
        return self.delta.std

    @property
    def hdi(self) -> Interval:
        """The highest density interval of A − B."""
        return self.delta.hdi

    @property
    def expected_gain(self) -> float | None:
        """What shipping A instead of B is expected to gain, E[max(Δ, 0)] with Δ such that more is better for A.

        None, like `expected_loss`, where there can be no verdict.

        Examples
        --------
        >>> import ropewalk as rw
        >>> news = rw.examples.news20()
        >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rng=0)
        >>> r.expected_gain > r.expected_loss, abs(r.expected_gain - r.expected_loss - r.mean) < 1e-9
        (True, True)
        """
        return None if self.stakes is None else self.stakes.gain

    @property
    def expected_loss(self) -> float | None:
        """What shipping A instead of B is expected to lose, E[max(−Δ, 0)]; see `expected_gain`."""
        return None if self.stakes is None else self.stakes.loss

    @property
    def pairing(self) -> float | None:
        """How many times the items separate test sets would need for an interval as narrow; None where none are paired.

        The variance that Δ would have with separate items, var(psi_A) + var(psi_B), over the variance that it has.
        """
        recipe = self.recipe
        spread = float(self.draws.delta().var())
        if not recipe.model.paired or len(recipe.tables) > 1 or not recipe.tables[0].n_items or not spread:
            return None
        return float(self.draws.psi[0].var() + self.draws.psi[1].var()) / spread

    @property
    def rope(self) -> Interval | None:
        """The region of practical equivalence, if one was stated."""
        return self.recipe.rope

    @property
    def conclusive(self) -> bool:
        """Whether the data settle the question; never so without a ROPE."""
        return self.decision is not None and self.decision.conclusive

    def finding(self, a: str, b: str, metric: str) -> Finding:
        """Return what the headline is made of, names and metric as the surface writes them."""
        recipe, decision, regions = self.recipe, self.decision, self.regions
        return Finding(
            a=a,
            b=b,
            metric=metric,
            estimate=self.delta,
            sides=(self.prob_below_zero, self.prob_above_zero),
            n_draws=self.delta.worth(len(self.draws)),
            unit=recipe.unit,
            higher_is_better=recipe.metric.higher_is_better,
            rope=None if recipe.rope is None else (recipe.rope.low, recipe.rope.high),
            regions=None if regions is None else (regions.below, regions.inside, regions.above),
            verdict=None if decision is None else decision.verdict,
            leaning=None if decision is None else decision.leaning,
            stable=decision is None or decision.stable,
            no_verdict=self.no_verdict,
            distrusted=not self.drawing.converged,
            prob=recipe.prob,
            rule=recipe.rule,
        )

    @property
    def headline(self) -> str:
        """Who is better, by how much, with which interval; against what matters, and how probably.

        Examples
        --------
        >>> import ropewalk as rw
        >>> r = rw.compare([1, 0, 1, 1] * 50, [1, 0, 1, 1] * 50, [1, 1, 0, 1] * 50, rope=0.01, rng=0)
        >>> r.headline.startswith("A is better: +")
        True
        """
        return headline(self.finding(isolated(self.a), isolated(self.b), isolated(metric_title(self.metric)))).text

    def prior_sensitivity(self, *, threads: int = 1) -> PriorSensitivity:
        """Ask again with half and twice the prior mass and with the papers' priors: see how far it moves."""
        return upwards.prior_sensitivity(self, threads=threads)

    def more_data(self, *, target: float = 0.8, goal: str = "conclusive", **how: Any) -> MoreData:
        """Estimate how many more items would settle the question: see `planning.more_data` for the options."""
        return upwards.more_data(self, target=target, goal=goal, **how)

    def worth_of_labels(self, *, max_loss: float | None = None, **how: Any) -> LabelPlan:
        """Estimate what more labels are worth, and how many bring the expected loss down: see `planning`."""
        return upwards.worth_of_labels(self, max_loss=max_loss, **how)

    def confusions(self) -> tuple[Confusion, Confusion]:
        """Return the confusion matrices of A and B as rates, each with its interval of mass `recipe.prob`."""
        return upwards.confusions(self)

    def __repr__(self) -> str:
        unsaid = "no ROPE" if self.rope is None else "no verdict"
        verdict = unsaid if self.decision is None else self.decision.symbol
        low, high = self.hdi.low, self.hdi.high
        return visible(
            f"Comparison({self.metric}: {self.a} − {self.b} = {self.mean:+.3f} [{low:+.3f}, {high:+.3f}], {verdict})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        recipe, factor = self.recipe, self.bayes_factor
        sign = 1.0 if recipe.metric.higher_is_better else -1.0
        one_sided = recipe.rope is not None and recipe.rope.one_sided
        side = None if not one_sided else "low" if math.isinf(recipe.rope.high) else "high"
        return {
            **self._head(),
            "a": {"name": self.a, **base.estimate_dict(self.estimate_a)},
            "b": {"name": self.b, **base.estimate_dict(self.estimate_b)},
            "delta": base.delta_dict(self),
            "unit": "points" if recipe.unit.is_points else None,
            "display_name": metric_title(self.metric),
            "improvement": {"mean": sign * self.mean, "hdi": sorted((sign * self.hdi.low, sign * self.hdi.high))},
            **base.verdict_dict(recipe.rope, self.regions, self.decision),
            "rope_side": side,
            "headline": self.headline,
            "rope_path": None
            if self.rope_path is None
            else [{"from": p.start, "to": p.stop, "symbol": p.verdict.value} for p in self.rope_path],
            "bayes_factor": None
            if factor is None
            else {**base.pick(factor, "sd sd_reliable rope rope_reliable rope_bound"), "reason": factor.reason or None},
            "stakes": base.stakes_dict(self.stakes),
            "pairing": self.pairing,
            "tests": None if self.tests is None else base.plain(self.tests.tests),
            "more_data": base.more_dict(self.more),
            "recipe": base.recipe_dict(recipe),
            **base.pick(self, "notes warnings"),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ClassComparisons(Rendered, Modelled):
    """One comparison per class, each class against the rest, in label order. Made by `compare_classes`."""

    comparisons: tuple[Comparison, ...]

    def __iter__(self) -> Any:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, index: int) -> Comparison:
        return self.comparisons[index]

    @property
    def recipe(self) -> Recipe:
        """What gives the first comparison again."""
        return self.comparisons[0].recipe

    @property
    def headline(self) -> str:
        """On how many classes which of the two wins; without verdicts, whose metric is probably higher."""
        return self.told(isolated)

    def told(self, shown: Callable[[str], str]) -> str:
        """Return the headline with names as a surface writes them."""
        first, codes = self.comparisons[0], [None if c.decision is None else c.decision.code for c in self.comparisons]
        a, b = shown(first.a), shown(first.b)
        if any(codes):
            return classes_title(codes, a, b)
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in self.comparisons)
        metric = shown(metric_title(first.metric))
        return f"{a}'s {metric} is probably higher than {b}'s on {higher} of {len(codes)} classes"

    def __repr__(self) -> str:
        first = self.comparisons[0]
        return visible(f"ClassComparisons({first.metric}: {first.a} − {first.b}, {len(self)} classes)")

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        return {"schema": base.SCHEMA, "headline": self.headline, "classes": base.plain(self.comparisons)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PriorSensitivity(Rendered):
    """The same question under other priors: how far do mean, HDI and verdict move? Made by `prior_sensitivity`.

    `rows` are (which prior, the comparison under it); the first is the comparison that was asked about.
    """

    rows: tuple[tuple[str, Comparison], ...]

    @property
    def alike(self) -> tuple[Comparison, ...]:
        """The comparisons that pair items as the answer does: to drop the pairing is another model, not a prior."""
        paired = self.rows[0][1].recipe.model.paired
        return tuple([comparison for _, comparison in self.rows if comparison.recipe.model.paired == paired])

    @property
    def moved(self) -> float:
        """How far the mean moves at most among those `alike`, in posterior standard deviations of the answer."""
        first = self.rows[0][1]
        if first.std == 0:
            return 0.0
        return max(abs(comparison.mean - first.mean) for comparison in self.alike) / first.std

    @property
    def robust(self) -> bool | None:
        """Whether all those `alike` give the same verdict, `<` and `>` both being undecided; None without a ROPE."""
        decisions = [comparison.decision for comparison in self.alike]
        verdicts = {d if d is None else d.verdict if d.conclusive else "undecided" for d in decisions}
        return None if None in verdicts else len(verdicts) == 1

    def __repr__(self) -> str:
        return f"PriorSensitivity({len(self.rows)} priors, mean moves by {self.moved:.2f} std, robust: {self.robust})"

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        return {
            **base.HEAD,
            **base.pick(self, "moved robust"),
            "rows": [{"which": which, **comparison.to_dict()} for which, comparison in self.rows],
        }
