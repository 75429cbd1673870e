"""One difference, judged: its posterior, the verdict by a question, and what depends on it; seen from either side."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from ropewalk.draws.decision import Decision, Piece, agreed_path, judge, mirror, rope_path
from ropewalk.draws.intervals import Estimate, Interval, Regions, count_below, summarise
from ropewalk.draws.stakes import Stakes, stakes_of
from ropewalk.text.verdicts import Leaning, Verdict
from ropewalk.typing import FloatArray, Rule

_OTHER_LEANING: Final[dict[Leaning | None, Leaning | None]] = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How a difference is judged."""

    rope: Interval | None
    prob: float
    rule: Rule
    higher_is_better: bool

    @property
    def how(self) -> dict[str, Any]:
        """All but the ROPE, as keywords."""
        return {"prob": self.prob, "rule": self.rule, "higher_is_better": self.higher_is_better}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The posterior of a difference A − B, what depends on it, and the verdict on it where there is a ROPE."""

    delta: Estimate
    prob_below_zero: float
    prob_above_zero: float
    regions: Regions | None
    rope_path: tuple[Piece, ...] | None
    decision: Decision | None
    stakes: Stakes | None = None

    @property
    def parts(self) -> dict[str, Any]:
        """All that it holds, by name: as a comparison holds it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def agreed_with(self, alone: Contrast) -> Contrast:
        """Return what holds without pooling too: a ROPE of the reader's own has a verdict where both give it."""
        if self.rope_path is None or alone.rope_path is None or self.decision is None or alone.decision is None:
            return self
        side = Verdict.UNDECIDED_HIGH if self.delta.mean > 0 else Verdict.UNDECIDED_LOW
        stable = self.decision.stable and alone.decision.stable
        return replace(
            self,
            rope_path=agreed_path(self.rope_path, alone.rope_path, side),
            decision=replace(self.decision, stable=stable),
        )

    def without_verdict(self) -> Contrast:
        """Return what is left where the model can bear no verdict: no choice should rest on it."""
        return replace(self, rope_path=None, decision=None, stakes=None)


def contrast(
    delta: FloatArray,
    question: Question,
    *,
    observed: float | None,
    names: tuple[str, str],
    ess: float | None = None,
    has_mean: bool = True,
) -> Contrast:
    """Judge draws of a difference; those of Markov chains are worth `ess` independent ones.

    Where a difference has no mean, nothing can be expected of a choice either.
    """
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=observed, ess=ess)
    regions, path, decision = None, None, None
    if question.rope is not None:
        regions, verdict, stable, leaning = judge(estimate, ordered, question.rope, **question.how)
        up = question.higher_is_better
        decision = Decision.of(verdict, leaning, question.rope, names, higher_is_better=up, stable=stable)
        # Where the ROPE has one end only, no half-width is the reader's own.
        path = None if question.rope.one_sided else rope_path(estimate, ordered, **question.how)
    worth = estimate.worth(delta.size)
    return Contrast(
        delta=estimate if has_mean else estimate.without_moments(),
        prob_below_zero=count_below(ordered, 0.0) / ordered.size,
        prob_above_zero=(ordered.size - count_below(ordered, 0.0, inclusive=True)) / ordered.size,
        regions=regions,
        rope_path=path,
        decision=decision,
        stakes=stakes_of(delta, higher_is_better=question.higher_is_better, worth=worth) if has_mean else None,
    )


def mirrored(original: Contrast, question: Question, names: tuple[str, str]) -> Contrast:
    """Return B − A from A − B: the same answer seen from the other side, the ROPE too; `names` are those of B and A."""
    rope, up = question.rope, question.higher_is_better
    delta, regions, decision, path = original.delta, original.regions, original.decision, original.rope_path
    if decision is not None and rope is not None:
        verdict, leaning = mirror(decision.verdict), _OTHER_LEANING.get(decision.leaning, decision.leaning)
        stable = decision.stable
        decision = Decision.of(verdict, leaning, rope.mirrored(), names, higher_is_better=up, stable=stable)
    return Contrast(
        delta=delta.mirrored(),
        prob_below_zero=original.prob_above_zero,
        prob_above_zero=original.prob_below_zero,
        regions=None if regions is None else regions.mirrored(),
        rope_path=None if path is None else tuple(replace(p, verdict=mirror(p.verdict)) for p in path),
        decision=decision,
        stakes=None if original.stakes is None else original.stakes.mirrored(),
    )


def is_settled(delta: FloatArray, question: Question) -> bool:
    """Whether other draws would decide alike; without a ROPE there is nothing to decide."""
    if question.rope is None:
        return True
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=None)
    return judge(estimate, ordered, question.rope, **question.how)[2]
