"""The difference of two classifiers, from draws to a verdict: what `compare` and every pair of `rank` share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ropewalk.decision import Decision, Piece, Regions, judge, rope_path
from ropewalk.intervals import Interval
from ropewalk.summary import Estimate, count_below, summarise
from ropewalk.typing import FloatArray, Rule
from ropewalk.wording import rope_text, verdict_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """How a difference is judged."""

    rope: Interval | None
    prob: float
    rule: Rule
    higher_is_better: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The posterior of a difference A − B, and the verdict on it where there is a ROPE."""

    delta: Estimate
    prob_below_zero: float
    prob_above_zero: float
    regions: Regions | None
    rope_path: tuple[Piece, ...] | None
    decision: Decision | None


def contrast(delta: FloatArray, question: Question, *, observed: float | None, names: tuple[str, str]) -> Contrast:
    """Judge draws of a difference."""
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=observed)
    regions, path, decision = None, None, None
    if question.rope is not None:
        how = {"prob": question.prob, "rule": question.rule, "higher_is_better": question.higher_is_better}
        regions, verdict, stable, leaning = judge(estimate, ordered, question.rope, **how)  # type: ignore[arg-type]
        text = verdict_text(verdict, leaning, rope_text(question.rope), *names)
        decision = Decision(verdict=verdict, stable=stable, leaning=leaning, text=text)
        path = rope_path(estimate, ordered, **how)  # type: ignore[arg-type]
    return Contrast(
        delta=estimate,
        prob_below_zero=count_below(ordered, 0.0) / ordered.size,
        prob_above_zero=(ordered.size - count_below(ordered, 0.0, inclusive=True)) / ordered.size,
        regions=regions,
        rope_path=path,
        decision=decision,
    )


def is_settled(delta: FloatArray, question: Question) -> bool:
    """Whether other draws would decide alike; without a ROPE there is nothing to decide."""
    if question.rope is None:
        return True
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=None)
    return judge(
        estimate,
        ordered,
        question.rope,
        prob=question.prob,
        rule=question.rule,
        higher_is_better=question.higher_is_better,
    )[2]
