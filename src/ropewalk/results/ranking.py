"""K classifiers: a ranking, and every pair."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Interval
from ropewalk.draws.judging import Contrast, mirrored
from ropewalk.draws.summary import Estimate
from ropewalk.results.base import (
    Drawing,
    OneMetric,
    Recipe,
    delta_dict,
    estimate_dict,
    rope_dict,
    verdict_dict,
)
from ropewalk.results.planning import MoreData
from ropewalk.text.names import visible
from ropewalk.text.remarks import Remark, Remarked


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

    def __getitem__(self, name: str) -> Ranked:
        for model in self.models:
            if model.name == name:
                return model
        raise KeyError(f"{name}; there are: {', '.join(model.name for model in self.models)}")

    def pair(self, a: str, b: str) -> Pair:
        """Return the difference a − b of two classifiers, whichever came first in the data.

        A ROPE is about the order of the data: seen from the other side it is mirrored, and so is the verdict.
        """
        for pair in self.pairwise:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                turned = mirrored(pair.contrast, self.recipe.rope, (a, b))
                return Pair(a=a, b=b, contrast=turned, more=None if pair.more is None else pair.more.mirrored())
        unknown = next((name for name in (a, b) if name not in self.p_best), a)
        raise KeyError(f"{unknown} against {b if unknown == a else a}; there are: {', '.join(self.p_best)}")

    def __repr__(self) -> str:
        told = ", ".join(f"{model.name} {model.p_best:.2f}" for model in self.by_rank)
        return visible(f"Ranking({self.metric}, P(best): {told})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        recipe = self.recipe
        return {
            **self._asked(),
            "rope": rope_dict(recipe.rope),
            "models": [
                {
                    "name": model.name,
                    **estimate_dict(model.estimate, errors=True),
                    "p_best": model.p_best,
                    "expected_rank": model.expected_rank,
                    "rank_probabilities": list(model.rank_probabilities),
                    "expected_loss": model.expected_loss,
                }
                for model in self.models
            ],
            "pairwise": [
                {"a": pair.a, "b": pair.b, "delta": delta_dict(pair.contrast), **_pair_verdict(pair, recipe.rope)}
                for pair in self.pairwise
            ],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


def _pair_verdict(pair: Pair, rope: Interval | None) -> dict[str, Any]:
    told = verdict_dict(rope, pair.contrast.regions, pair.decision)
    del told["rope"]  # it is the same for all pairs
    return {**told, "more_data": None if pair.more is None else pair.more.brief(rows=False)}
