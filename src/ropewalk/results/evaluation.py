"""The posterior of scores: of one classifier, of a setting chosen by them, and of K classifiers in a ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from ropewalk._checks import published
from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Contrast, mirrored
from ropewalk.draws.decision import Decision, Piece
from ropewalk.draws.intervals import Estimate, Regions
from ropewalk.draws.stakes import Stakes
from ropewalk.errors import UnknownPartError
from ropewalk.models import AnyMetric
from ropewalk.results import base, upwards
from ropewalk.results.base import Drawing, Drawn, Modelled, OneMetric, Recipe, Rendered
from ropewalk.results.planning import MoreData
from ropewalk.results.recipes import recipe_dict
from ropewalk.results.scope import Scope, Wider
from ropewalk.text.headline import Finding, Headline, headline
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.standing import Group, Standing, groups_of, rank_headline
from ropewalk.text.units import Shown, Unit, metric_title
from ropewalk.text.verdicts import Code
from ropewalk.text.writing import estimate_text, isolated, number, percent, shorten, visible
from ropewalk.typing import IntArray


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricPosterior(Modelled, Drawn):
    """The posterior of one metric of one classifier, and how it stands against a `bar`, if there is one."""

    metric: AnyMetric
    estimate: Estimate
    prob_at_least: float | None
    regions: Regions | None
    decision: Decision | None
    bar: float | None = None
    rope_path: tuple[Piece, ...] | None = None
    more: MoreData | None = None
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)
    drawing: Drawing = field(repr=False, default=Drawing())

    def finding(self, shown: Callable[[str], str]) -> Finding:
        """Return what the headline on a verdict is made of; `shown` writes a name as the surface has it."""
        recipe, decision, regions = self.recipe, self.decision, self.regions
        assert self.bar is not None and self.prob_at_least is not None  # noqa: S101, PT018 - asked only with a bar
        return Finding(
            a=shown(self.whose),
            b=f"the bar of {self.bar:g}",
            metric=shown(metric_title(self.metric.title)),
            estimate=self.estimate.shifted(-self.bar),
            sides=(1 - self.prob_at_least, self.prob_at_least),
            n_draws=self.estimate.worth(len(self.draws)),
            unit=recipe.unit,
            higher_is_better=self.metric.higher_is_better,
            rope=None if recipe.rope is None else (recipe.rope.low, recipe.rope.high),
            regions=None if regions is None else (regions.below, regions.inside, regions.above),
            verdict=None if decision is None else decision.verdict,
            leaning=None if decision is None else decision.leaning,
            stable=decision is None or decision.stable,
            prob=recipe.prob,
            rule=recipe.rule,
            is_bar=True,
            of=shown(metric_title(self.metric.of)) if self.metric.of else "",
        )

    @property
    def whose(self) -> str:
        """Which classifier has it."""
        return self.recipe.names[0]

    def told(self, shown: Callable[[str], str]) -> Headline:
        """Return how good the classifier is, or how it stands against the bar, with names as a surface writes them.

        Without a verdict the score itself is said, in its own decimals.
        """
        name, metric = shown(self.whose), shown(metric_title(self.metric.title))
        worth = estimate_text(self.estimate)
        if self.bar is None or self.prob_at_least is None:
            return Headline(f"{name}'s {metric} is {worth}", "")
        if self.decision is not None:
            return headline(self.finding(shown))
        chance = percent(self.prob_at_least, self.estimate.worth(len(self.draws)))
        why = f"There is no verdict: {self.no_verdict.removeprefix('no verdict, since ')}." if self.no_verdict else ""
        why = why if self.recipe.rope is not None else ""
        return Headline(f"{name}'s {metric} is at least {self.bar:g} with probability {chance}: {worth}", why)

    @property
    def headline(self) -> str:
        """How good the classifier is by this metric; against a bar, how it stands, by how much and how probably."""
        return self.told(isolated).text

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the posterior as a dataframe of one row: see `Evaluation.to_frame`."""
        return upwards.to_frame(self, backend)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the posterior with Matplotlib, and return its axes."""
        return upwards.plot(self, ax)


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Evaluation(Rendered, Modelled, Remarked):
    """How good is one classifier? The posterior of each metric. Made by `evaluate`."""

    name: str
    at_least: float | None
    metrics: tuple[MetricPosterior, ...]
    remarks: tuple[Remark, ...] = ()

    def __getitem__(self, metric: str) -> MetricPosterior:
        return base.part_of({posterior.metric.name: posterior for posterior in reversed(self.metrics)}, metric)

    @property
    def recipe(self) -> Recipe:
        """What gives the posterior of the first metric again."""
        return self.metrics[0].recipe

    @property
    def scope(self) -> Scope:
        """What it is about, which chances are in its interval, and what it takes as it is."""
        return self.recipe.scope

    def __repr__(self) -> str:
        metrics = ", ".join(
            f"{m.metric.name} = {number(m.estimate.mean, 3)} [{m.estimate.hdi.low:.3f}, {m.estimate.hdi.high:.3f}]"
            for m in self.metrics
        )
        return visible(f"Evaluation({self.name}: {metrics})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        first = self.metrics[0]
        head = base.provenance(first.recipe, max(len(m.draws) for m in self.metrics), first.diagnostics)
        for key in ("metric", "higher_is_better"):  # each metric has its own
            del head[key]
        return {
            **base.HEAD,
            "name": self.name,
            **head,
            **self.scope.to_dict(),
            "pos_label": next((text for m in self.metrics if (text := m.recipe.pos_label_text) is not None), None),
            "at_least": self.at_least,
            "metrics": [
                {
                    "metric": m.metric.name,
                    "higher_is_better": m.metric.higher_is_better,
                    **base.estimate_dict(m.estimate, errors=True),
                    "model": m.recipe.model.name,
                    "prior": m.recipe.prior,
                    "draws": len(m.draws),
                    "prob_at_least": m.prob_at_least,
                    **base.verdict_dict(m.recipe.rope, m.regions, m.decision),
                    "headline": m.headline,
                    "more_data": base.more_dict(m.more),
                    "recipe": None if isinstance(m, Wider) else recipe_dict(m.recipe),
                }
                for m in self.metrics
            ],
            **base.pick(self, "notes warnings"),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """One setting of the hyper-parameters, and the posterior of its score on the validation set."""

    params: Mapping[str, Any]
    validation: MetricPosterior

    @property
    def text(self) -> str:
        """The setting in words.

        Examples
        --------
        >>> Setting(params={"C": 0.1, "kernel": "rbf"}, validation=None).text  # type: ignore[arg-type]
        "C=0.1, kernel='rbf'"
        """
        return ", ".join(f"{name}={value!r}" for name, value in self.params.items()) or "as it is"


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Validated(Rendered, Remarked):
    """A setting chosen on a validation set, and how good it is on a test set. Made by `train_validation_test`.

    `train`, `validation` and `test_items` are numbers of items; `estimator` is the fitted one that was tested, on the
    training set alone unless `refit`.
    """

    name: str
    settings: tuple[Setting, ...]
    chosen: int
    test: Evaluation
    estimator: Any = field(repr=False)
    train: IntArray = field(repr=False)
    validation: IntArray = field(repr=False)
    test_items: IntArray = field(repr=False)
    refit: bool
    seed: int
    remarks: tuple[Remark, ...] = ()

    @property
    def best(self) -> Setting:
        """The setting with the best observed score on the validation set."""
        return self.settings[self.chosen]

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.best.validation.metric.name

    @property
    def estimate(self) -> Estimate:
        """The posterior of the chosen setting's score on the test set."""
        return self.test.metrics[0].estimate

    def __repr__(self) -> str:
        low, high = self.estimate.hdi
        return visible(
            f"Validated({self.name}, {self.best.text} of {len(self.settings)}: test {self.metric} = "
            f"{number(self.estimate.mean, 3)} [{low:.3f}, {high:.3f}])"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        return {
            **base.HEAD,
            **base.pick(self, "name metric seed refit"),
            "n_train": len(self.train),
            "n_validation": len(self.validation),
            "n_test": len(self.test_items),
            "chosen": self.chosen,
            "settings": [
                {"params": {k: _value(v) for k, v in s.params.items()}, **base.estimate_dict(s.validation.estimate)}
                for s in self.settings
            ],
            **base.pick(self, "test notes warnings"),
        }


def _value(value: Any) -> Any:
    """Return a value of a hyper-parameter as JSON can hold it, else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One classifier in a ranking.

    `rank_probabilities[r]` is the probability of rank r + 1, ties shared equally; `expected_loss` is how much worse
    than the best of them it is on average, if picked: E[max psi − psi].
    """

    name: str
    estimate: Estimate
    p_best: float
    expected_rank: float
    rank_probabilities: tuple[float, ...]
    expected_loss: float

    @property
    def ranked(self) -> Estimate:
        """What it is ranked by."""
        return self.estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the classifier in plain Python types."""
        return {
            "name": self.name,
            **base.estimate_dict(self.estimate, errors=True),
            **base.pick(self, "p_best expected_rank rank_probabilities expected_loss"),
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two classifiers of a ranking, the posterior of their difference and the verdict."""

    a: str
    b: str
    contrast: Contrast
    more: MoreData | None = None

    @property
    def delta(self) -> Estimate:
        """The posterior of A − B."""
        return self.contrast.delta

    @property
    def decision(self) -> Decision | None:
        """The verdict, where there is a ROPE."""
        return self.contrast.decision

    @property
    def stakes(self) -> Stakes | None:
        """What shipping A instead of B is expected to gain and to lose; None where there can be no verdict."""
        return self.contrast.stakes

    def turned(self, contrast: Contrast) -> Self:
        """Return the same two the other way round, with the contrast of B − A."""
        return replace(
            self, a=self.b, b=self.a, contrast=contrast, more=None if self.more is None else self.more.mirrored()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the pair in plain Python types; the ROPE is that of the ranking."""
        verdict = base.verdict_dict(None, self.contrast.regions, self.decision)
        del verdict["rope"]
        more = base.more_dict(self.more, rows=False)
        return {
            "a": self.a,
            "b": self.b,
            "delta": base.delta_dict(self.contrast),
            **verdict,
            "stakes": base.stakes_dict(self.stakes, labels=False),
            "more_data": more,
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Ranking(OneMetric, Remarked):
    """Which of K classifiers is best? One joint posterior of all of them. Made by `rank`.

    `models` come in the order of the data; `by_rank` has them best first.
    """

    models: tuple[Ranked, ...]
    pairwise: tuple[Pair, ...]
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)
    drawing: Drawing = field(repr=False, default=Drawing())
    remarks: tuple[Remark, ...] = ()

    @property
    def p_best(self) -> dict[str, float]:
        """The probability that each classifier is the best; they add up to 1."""
        return {model.name: model.p_best for model in self.models}

    @property
    def expected_rank(self) -> dict[str, float]:
        """The expected rank of each classifier; 1 is best."""
        return {model.name: model.expected_rank for model in self.models}

    @property
    def by_rank(self) -> tuple[Ranked, ...]:
        """The classifiers, best expected rank first."""
        return tuple(sorted(self.models, key=lambda model: model.expected_rank))

    @property
    def ranked_by(self) -> str:
        """What they are ranked by, in words."""
        return metric_title(self.metric)

    @property
    def unit_of_loss(self) -> Unit:
        """What the expected loss is counted in."""
        return self.recipe.unit

    @property
    def groups(self) -> tuple[Group, ...]:
        """Groups of classifiers: a new one starts where the leader above wins by more than the margin.

        They are about leaders only. Empty where no pair has a verdict, and for a ROPE with one end.

        Examples
        --------
        >>> import ropewalk as rw
        >>> y = [1, 0, 1, 1] * 100
        >>> r = rw.rank(y, y, [1] + y[1:], [0, 0, 1, 1] * 100, metric="accuracy", rope=0.05, rng=0)
        >>> [sorted(group.settled) for group in r.groups]
        [['A', 'B'], ['C']]
        """
        rope = self.recipe.rope
        if rope is None or rope.one_sided or all(pair.decision is None for pair in self.pairwise):
            return ()

        def code(a: str, b: str) -> Code | None:
            decision = self.pair(a, b).decision
            return None if decision is None else decision.code

        return groups_of([model.name for model in self.by_rank], code)

    def standing(self) -> Standing:
        """Return what the headline is made of."""
        leader, recipe, groups = self.by_rank[0], self.recipe, self.groups
        ahead = ""
        if groups and len(groups[0].settled) == 1 and not groups[0].undecided:
            following = self.by_rank[1].name
            mirror = not recipe.metric.higher_is_better
            noun = " points" if recipe.unit.is_points else ""
            shown = Shown.of(self.pair(leader.name, following).delta, recipe.unit, mirror=mirror)
            ahead = f"{shown.value()}{noun} {shown.interval()} ahead of the next"
        return Standing(
            leader=leader.name,
            n_models=len(self.models),
            metric=metric_title(recipe.metric.title),
            chance="" if math.isnan(leader.p_best) else percent(leader.p_best, leader.estimate.worth(len(self.draws))),
            groups=groups,
            margin=0.0 if recipe.rope is None else max(abs(end) for end in recipe.rope),
            unit=recipe.unit,
            ahead=ahead,
            why=self.no_verdict,
            distrusted=not self.drawing.converged,
        )

    @property
    def headline(self) -> str:
        """Which classifiers share the top, or who leads; who cannot be ruled out."""
        return rank_headline(self.standing(), isolated).text

    def __getitem__(self, name: str) -> Ranked:
        return base.part_of({model.name: model for model in self.models}, name)

    def to_frame(self, backend: str | None = None, *, pairs: bool = False) -> Any:
        """Return the ranking as a dataframe, a row per classifier, or per pair with ``pairs=True``."""
        return upwards.to_frame(self, backend, pairs=pairs)

    def pair(self, a: str, b: str) -> Pair:
        """Return the difference a − b of two classifiers, whichever came first in the data.

        A ROPE is about the order of the data: seen from the other side it is mirrored, and so is the verdict.
        """
        for pair in self.pairwise:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                turned = mirrored(pair.contrast, self.recipe.question, (a, b))
                return pair.turned(turned)
        known = [name for name in (a, b) if name in self.p_best]
        if len(known) == 2:  # noqa: PLR2004
            raise UnknownPartError(f"A pair is of two classifiers; got {a!r} twice.", hint="name another.")
        raise UnknownPartError(
            f"There is no classifier {a if b in known else b!r} here.", hint=f"There are: {shorten(self.p_best)}."
        )

    def __repr__(self) -> str:
        shares = ", ".join(f"{model.name} {model.p_best:.2f}" for model in self.by_rank)
        return visible(f"Ranking({self.metric}, P(best): {shares})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        recipe = self.recipe
        return {
            **self._head(),
            "rope": base.plain(recipe.rope),
            "models": [model.to_dict() for model in self.models],
            "headline": self.headline,
            "groups": [
                {"leader": group.leader, "equivalent": list(group.alike), "undecided": list(group.undecided)}
                for group in self.groups
            ],
            "pairwise": [pair.to_dict() for pair in self.pairwise],
            **base.pick(self, "notes warnings"),
        }
