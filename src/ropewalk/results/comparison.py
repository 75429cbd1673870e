"""Two classifiers: one question, one per class, one under several priors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np

from ropewalk._checks import check_threads, published
from ropewalk.data.labels import label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision, Piece
from ropewalk.draws.evidence import BayesFactor, Evidence
from ropewalk.draws.intervals import Estimate, Interval, Regions
from ropewalk.draws.stakes import Stakes
from ropewalk.errors import InvalidInputError
from ropewalk.results import base, upwards
from ropewalk.results.base import Drawing, Modelled, OneMetric, Recipe, Rendered
from ropewalk.results.recipes import recipe_dict
from ropewalk.text.headline import Finding, Headline, headline
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.standing import parts_title
from ropewalk.text.units import metric_title
from ropewalk.text.writing import isolated, number, visible
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from ropewalk.results.checks import Confusion
    from ropewalk.results.classical import Battery
    from ropewalk.results.flips import Flips
    from ropewalk.results.items import Items
    from ropewalk.results.planning import LabelPlan, MoreData
    from ropewalk.results.slices import Slices

N_DOTS: Final = 100
"""Middles of equal parts of the posterior: each is one chance in a hundred."""

N_QUANTILES: Final = 201
"""Quantiles of the posterior that are dense at both ends, for who draws or asks on."""

QUANTILE_DIGITS: Final = 6
_OF_ONE: Final = ("dots", "quantiles")

Change = Literal["lost", "gained", "both wrong"]


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """A usual metric beside the one that was asked for: by how much A is better, from few draws and without a verdict.

    `observed_a` and `observed_b` are its values on the data; `improvement` is positive where A is better.
    """

    metric: str
    higher_is_better: bool
    observed_a: float | None
    observed_b: float | None
    improvement: Estimate
    prob_better: float
    n_draws: int


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Comparison(OneMetric, Remarked):
    """Is A better than B? The posterior of the difference A − B of a metric, and a verdict.

    Made by `compare`. Printing shows the short verdict, a notebook a card, `to_dict` everything.
    `by` has the answer on every slice of the items, where slices were asked for; `flips` the answers that A gained and
    lost, of evaluation logs and where they were asked for.
    `others` are the comparisons by the other metrics that were asked for; `companions` the usual metrics beside one of
    two labels, which have no verdict.
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
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)
    drawing: Drawing = field(repr=False, default=Drawing())
    evidence: Evidence | None = field(repr=False, default=None)
    remarks: tuple[Remark, ...] = ()
    tests: Battery | None = None
    more: MoreData | None = None
    stakes: Stakes | None = None
    by: Slices | None = None
    flips: Flips | None = None
    others: tuple[Comparison, ...] = field(repr=False, default=())
    companions: tuple[Companion, ...] = field(repr=False, default=())
    rests_on_items: ClassVar[bool] = True
    """Whether all that it rests on are items drawn at random: its recipe alone gives it again."""

    @property
    def bayes_factor(self) -> BayesFactor | None:
        """The Bayes factors for equality, measured when they are first asked for."""
        return None if self.evidence is None else self.evidence.factor

    @property
    def prior_draws(self) -> FloatArray | None:
        """The draws of the difference under the prior, drawn when they are first asked for."""
        return None if self.evidence is None else self.evidence.prior_draws

    @property
    def sd_draws(self) -> FloatArray | None:
        """The draws of the difference that Savage-Dickey is made of, drawn when they are first asked for."""
        return None if self.evidence is None else self.evidence.sd_draws

    @property
    def metrics(self) -> tuple[Comparison, ...]:
        """One comparison per metric that was asked for; the first is the answer itself.

        Examples
        --------
        >>> import ropewalk as rw
        >>> news = rw.examples.news20()
        >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, metric=["f1", "recall"], rng=0)
        >>> [c.metric for c in r.metrics], r.metrics[0] is r
        (['f1', 'recall'], True)
        """
        return (self, *self.others)

    def __getitem__(self, metric: str) -> Comparison:
        """Return the comparison by one of the metrics that were asked for."""
        return base.part_of({comparison.metric: comparison for comparison in self.metrics}, metric)

    @property
    def joint(self) -> tuple[tuple[str, ...], ...]:
        """The metrics, in groups that measure the same draws of the same tables: these can be combined draw by draw.

        Metrics come apart where they call for another prior: of two labels those that look at the errors in one class
        above all (recall, specificity), and scores by what can be imagined of them.
        """
        groups: list[list[Comparison]] = []
        for comparison in self.metrics:
            alike = [group for group in groups if group[0].is_joint_with(comparison)]
            if alike:
                alike[0].append(comparison)
            else:
                groups.append([comparison])
        return tuple(tuple(comparison.metric for comparison in group) for group in groups)

    def is_joint_with(self, other: Comparison) -> bool:
        """Whether the draws of both are of the same weighted tables, so that they can be combined draw by draw."""
        return self.recipe.shares_tables(other.recipe) and not self.recipe.model.weights_difference

    def prob_all_better(self, *metrics: str) -> float:
        """Return the probability that A is better by all of these metrics at once, by default all that are `joint`.

        Examples
        --------
        >>> import ropewalk as rw
        >>> news = rw.examples.news20()
        >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, metric=["f1", "accuracy"], rng=0)
        >>> r.prob_all_better() <= min(r["f1"].prob_better, r["accuracy"].prob_better)
        True
        """
        chosen = [self[name] for name in metrics] or list(self.metrics)
        apart = next((c for c in chosen[1:] if not chosen[0].is_joint_with(c)), None)
        if apart is not None:
            groups = "; ".join(", ".join(group) for group in self.joint)
            raise InvalidInputError(
                f"{chosen[0].metric} and {apart.metric} have different priors, or runs, and cannot be combined.",
                hint=f"these can be: {groups}.",
            )
        number = min(len(c.draws) for c in chosen)
        better = [c.direction * c.draws.delta()[:number] > 0 for c in chosen]
        return float(np.logical_and.reduce(better).mean())

    @property
    def higher_is_better(self) -> bool:
        """Whether more of the metric is better."""
        return self.recipe.metric.higher_is_better

    @property
    def direction(self) -> int:
        """1 where more of the metric is better, else −1: what turns a difference into an improvement."""
        return 1 if self.higher_is_better else -1

    @property
    def improvement(self) -> Estimate:
        """The posterior of how much better A is, ± Δ: positive where A is better, also where less of a metric is.

        Examples
        --------
        >>> import ropewalk as rw
        >>> news = rw.examples.news20()
        >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, metric="error", draws=2_000, rng=0)
        >>> r.improvement.mean == -r.mean
        True
        """
        return self.delta if self.higher_is_better else self.delta.mirrored()

    @property
    def prob_better(self) -> float:
        """The probability that A is better at all."""
        return self.prob_above_zero if self.higher_is_better else self.prob_below_zero

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
        spread = float(self.draws.delta().var()) if self.delta.has_mean else 0.0
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

    def finding(self, shown: Callable[[str], str]) -> Finding:
        """Return what the headline is made of; `shown` writes a name as the surface has it."""
        recipe, decision, regions = self.recipe, self.decision, self.regions
        return Finding(
            a=shown(self.a),
            b=shown(self.b),
            metric=shown(metric_title(recipe.metric.title)),
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
            of=shown(metric_title(recipe.metric.of)) if recipe.metric.of else "",
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
        return self.told(isolated).text

    def told(self, shown: Callable[[str], str]) -> Headline:
        """Return the headline with names as a surface writes them."""
        return headline(self.finding(shown))

    @property
    def discordant(self) -> dict[str, Any] | None:
        """How many items only A has right (gained) and only B (lost), in all and by class; None of separate tests.

        Examples
        --------
        >>> import ropewalk as rw
        >>> rw.compare([1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 1, 0], draws=100, rng=0).discordant
        {'gained': 1, 'lost': 1, 'by_class': [{'class': '0', 'gained': 1, 'lost': 1}]}
        """
        table = self.recipe.tables[0]
        if not isinstance(table, Outcomes) or len(self.recipe.tables) > 1:
            return None
        truth = table.codes[:, 0]
        right_a, right_b = (table.codes[:, 1 + table.position(name)] == truth for name in (self.a, self.b))
        by_class = [
            np.bincount(truth, weights=table.counts * which, minlength=table.n_labels).astype(np.int64)
            for which in (right_a & ~right_b, right_b & ~right_a)
        ]
        rows = [
            {"class": label_text(label), "gained": int(gained), "lost": int(lost)}
            for label, gained, lost in zip(table.labels, *by_class, strict=True)
            if gained or lost
        ]
        gained, lost = (int(counts.sum()) for counts in by_class)
        return {"gained": gained, "lost": lost, "by_class": rows}

    def as_row(self) -> dict[str, Any]:
        """Return the JSON object without the quantiles, for which a list of classes has no room."""
        short = {key: value for key, value in self.to_dict().items() if key not in _OF_ONE}
        if "metrics" in short:
            short["metrics"] = [{k: v for k, v in one.items() if k not in _OF_ONE} for one in short["metrics"]]
        return short

    def _quantiles(self, shares: FloatArray) -> list[float] | None:
        """Return quantiles of A − B, to so many digits as a picture needs; None where some draws have no end."""
        delta = self.draws.delta()
        if not delta.size or not np.isfinite(delta).all():
            return None
        values = np.interp(shares * (delta.size - 1), np.arange(delta.size), np.sort(delta))
        return [float(f"{x:.{QUANTILE_DIGITS}g}") for x in values.tolist()]

    def prior_sensitivity(self, *, threads: int = 1) -> PriorSensitivity:
        """Ask again with half and twice the prior mass and with the papers' priors: see how far it moves."""
        return upwards.prior_sensitivity(self, threads=check_threads(threads))

    def more_data(self, *, target: float = 0.8, goal: str = "conclusive", **how: Any) -> MoreData:
        """Estimate how many more items would settle the question: see `planning.more_data` for the options."""
        return upwards.more_data(self, target=target, goal=goal, **how)

    def worth_of_labels(self, *, max_loss: float | None = None, **how: Any) -> LabelPlan:
        """Estimate what more labels are worth, and how many bring the expected loss down: see `planning`."""
        return upwards.worth_of_labels(self, max_loss=max_loss, **how)

    def confusions(self) -> tuple[Confusion, Confusion]:
        """Return the confusion matrices of A and B as rates, each with its interval of mass `recipe.prob`."""
        return upwards.confusions(self)

    def items(self, *, only: Change | None = None, limit: int | None = None) -> Items:
        """Return the items on which A and B differ, one by one, read again from where the data are.

        Of labels those come first that A lost (A is wrong, B was right), then those that it gained, then those that
        both have wrong in different ways, each in the order of the data. Of scores the largest differences come first;
        lost means that A's score lies farther from what is right than B's. An item has its id, where the comparison was
        told of ids, else its position in the data, counted from 0.

        Parameters
        ----------
        only
            "lost", "gained" or "both wrong": these items alone.
        limit
            So many items at most, the first of the list; the counts stay those of all.

        Examples
        --------
        >>> import ropewalk as rw
        >>> r = rw.compare([2, 2, 0, 1], [2, 0, 0, 0], [0, 2, 0, 2], metric="accuracy", draws=500, rng=0)
        >>> [(item.key, item.truth, item.a, item.b, item.change) for item in r.items()]
        [(1, 2, 0, 2, 'lost'), (0, 2, 2, 0, 'gained'), (3, 1, 0, 2, 'both wrong')]
        >>> len(r.items(only="lost")), r.items().counts["gained"]
        (1, 1)
        """
        return upwards.items(self, only=only, limit=limit)

    def __repr__(self) -> str:
        unsaid = "no ROPE" if self.rope is None else "no verdict"
        verdict = unsaid if self.decision is None else self.decision.symbol
        low, high = self.hdi.low, self.hdi.high
        mean = f"{self.mean:+.3f}" if self.delta.has_mean else "–"
        what, kind = f"{self.metric}: {self.a} − {self.b}", type(self).__name__
        return visible(f"{kind}({what} = {mean} [{low:+.3f}, {high:+.3f}], {verdict})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        recipe, factor = self.recipe, self.bayes_factor
        sign = 1.0 if recipe.metric.higher_is_better else -1.0
        rope = recipe.rope
        side = None if rope is None or not rope.one_sided else "low" if math.isinf(rope.high) else "high"
        written = {
            **self._head(),
            "a": {"name": self.a, **base.estimate_dict(self.estimate_a)},
            "b": {"name": self.b, **base.estimate_dict(self.estimate_b)},
            "delta": base.delta_dict(self),
            "unit": "points" if recipe.unit.is_points else None,
            "display_name": metric_title(self.metric),
            "improvement": {
                "mean": base.plain(sign * self.mean),
                "hdi": sorted((sign * self.hdi.low, sign * self.hdi.high)),
            },
            **base.verdict_dict(recipe.rope, self.regions, self.decision),
            "rope_side": side,
            "headline": self.headline,
            "dots": self._quantiles((np.arange(N_DOTS) + 0.5) / N_DOTS),
            "quantiles": self._quantiles((1 - np.cos(np.pi * np.arange(N_QUANTILES) / (N_QUANTILES - 1))) / 2),
            "discordant": self.discordant,
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
            "recipe": recipe_dict(recipe),
            **base.pick(self, "notes warnings"),
            **({} if self.flips is None else {"flips": self.flips.to_dict()}),
            **({} if self.by is None else {"by": self.by.to_list()}),
        }
        several = {"metrics": [written, *(other.to_dict() for other in self.others)]} if self.others else {}
        return {**written, **several}


@published
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
            return parts_title(codes, a, b)
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in self.comparisons)
        metric = shown(metric_title(first.metric))
        return f"{a}'s {metric} is probably higher than {b}'s on {higher} of {len(codes)} classes"

    def __repr__(self) -> str:
        first = self.comparisons[0]
        return visible(f"ClassComparisons({first.metric}: {first.a} − {first.b}, {len(self)} classes)")

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        classes = [comparison.as_row() for comparison in self.comparisons]
        return {"schema": base.SCHEMA, "headline": self.headline, "classes": classes}


@published
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
        moved = number(self.moved, 2)
        return f"PriorSensitivity({len(self.rows)} priors, mean moves by {moved} std, robust: {self.robust})"

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        return {
            **base.HEAD,
            **base.pick(self, "moved robust"),
            "rows": [{"which": which, **comparison.as_row()} for which, comparison in self.rows],
        }
