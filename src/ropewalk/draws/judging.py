"""The difference of two classifiers, from draws to a verdict and to Bayes factors for equality (BF01).

A Bayes factor above 1 supports equal classifiers, below 1 different ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from ropewalk.draws.decision import Decision, Piece, Regions, judge, rope_path
from ropewalk.draws.density import kernel_at_zero, scott
from ropewalk.draws.intervals import Estimate, Interval, count_below, summarise
from ropewalk.text.verdicts import Leaning, Verdict, rope_text, verdict_text
from ropewalk.typing import FloatArray, Rule


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
    """The posterior of a difference A − B, and the verdict on it where there is a ROPE."""

    delta: Estimate
    prob_below_zero: float
    prob_above_zero: float
    regions: Regions | None
    rope_path: tuple[Piece, ...] | None
    decision: Decision | None


def contrast(
    delta: FloatArray, question: Question, *, observed: float | None, names: tuple[str, str], ess: float | None = None
) -> Contrast:
    """Judge draws of a difference; those of Markov chains are worth `ess` independent ones."""
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=observed, ess=ess)
    regions, path, decision = None, None, None
    if question.rope is not None:
        regions, verdict, stable, leaning = judge(estimate, ordered, question.rope, **question.how)
        text = verdict_text(verdict, leaning, rope_text(question.rope), *names)
        decision = Decision(verdict=verdict, stable=stable, leaning=leaning, text=text)
        path = rope_path(estimate, ordered, **question.how)
    return Contrast(
        delta=estimate,
        prob_below_zero=count_below(ordered, 0.0) / ordered.size,
        prob_above_zero=(ordered.size - count_below(ordered, 0.0, inclusive=True)) / ordered.size,
        regions=regions,
        rope_path=path,
        decision=decision,
    )


_OTHER_SIDE: Final = {
    Verdict.EQUIVALENT: Verdict.EQUIVALENT,
    Verdict.A_BETTER: Verdict.B_BETTER,
    Verdict.B_BETTER: Verdict.A_BETTER,
    Verdict.UNDECIDED_LOW: Verdict.UNDECIDED_HIGH,
    Verdict.UNDECIDED_HIGH: Verdict.UNDECIDED_LOW,
}


def mirror(verdict: Verdict) -> Verdict:
    """Return the verdict that B − A has where A − B has this one."""
    return _OTHER_SIDE[verdict]


_OTHER_LEANING: Final[dict[Leaning | None, Leaning | None]] = {"a": "b", "b": "a"}


def mirrored(original: Contrast, rope: Interval | None, names: tuple[str, str]) -> Contrast:
    """Return B − A from A − B: the same answer seen from the other side, the ROPE too; `names` are those of B and A."""
    delta, regions, decision, path = original.delta, original.regions, original.decision, original.rope_path
    if decision is not None and rope is not None:
        verdict, leaning = _OTHER_SIDE[decision.verdict], _OTHER_LEANING.get(decision.leaning, decision.leaning)
        text = verdict_text(verdict, leaning, rope_text(rope.mirrored()), *names)
        decision = Decision(verdict=verdict, stable=decision.stable, leaning=leaning, text=text)
    return Contrast(
        delta=replace(
            delta,
            observed=None if delta.observed is None else -delta.observed,
            mean=-delta.mean,
            hdi=delta.hdi.mirrored(),
            hdi_mc_error=(delta.hdi_mc_error[1], delta.hdi_mc_error[0]),
        ),
        prob_below_zero=original.prob_above_zero,
        prob_above_zero=original.prob_below_zero,
        regions=None if regions is None else Regions(regions.above, regions.inside, regions.below),
        rope_path=None if path is None else tuple(replace(p, verdict=_OTHER_SIDE[p.verdict]) for p in path),
        decision=decision,
    )


def is_settled(delta: FloatArray, question: Question) -> bool:
    """Whether other draws would decide alike; without a ROPE there is nothing to decide."""
    if question.rope is None:
        return True
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=None)
    return judge(estimate, ordered, question.rope, **question.how)[2]


SD_DRAWS: Final = 50_000
"""Savage-Dickey always uses this many posterior and prior draws: the papers' recipe."""

_MIN_DRAWS: Final = 100  # with fewer draws a share or a density is noise
_SD_NOISE: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesFactor:
    """Evidence for equality, in two forms; None where a form does not apply.

    `sd` is the papers' Savage-Dickey ratio at 0; `rope` compares inside with outside the ROPE, and is the one to
    prefer: it is finite and has no bandwidth. Where draws are too few, `rope` is a bound and `rope_bound` says
    on which side. `reason` says why there is no `sd`, or none of the two. `sd` is `density` over `prior_density`,
    those of the posterior and the prior at 0.
    """

    sd: float | None = None
    sd_reliable: bool = False
    rope: float | None = None
    rope_reliable: bool = False
    rope_bound: Literal["upper", "lower"] | None = None
    reason: str = ""
    density: float | None = None
    prior_density: float | None = None


def bayes_factor(
    posterior: FloatArray, prior: FloatArray, *, sd_draws: FloatArray | None, rope: Interval | None, reason: str = ""
) -> BayesFactor:
    """Return both Bayes factors from draws of the difference under the posterior and the prior.

    Without `sd_draws` there is no Savage-Dickey ratio, for the `reason` given.
    """
    factor = BayesFactor() if sd_draws is None else savage_dickey(sd_draws, prior)
    value, bound = (None, None) if rope is None else rope_factor(posterior, prior, rope)
    reliable = value is not None and bound is None
    return replace(factor, rope=value, rope_reliable=reliable, rope_bound=bound, reason=reason)


def savage_dickey(posterior: FloatArray, prior: FloatArray) -> BayesFactor:
    """Return posterior over prior density at 0, by the papers' kernel estimate, and whether to trust it.

    Under the SIGIR paired prior the density of a difference of F1 is infinite at 0 (it grows like −log|δ|), so
    the value depends on the bandwidth; this recipe, and no other, reproduces the published ones.
    """
    width, prior_width = scott(posterior), scott(prior)
    if not width or not prior_width:
        return BayesFactor()
    top, near = kernel_at_zero(posterior, width)
    bottom, _ = kernel_at_zero(prior, prior_width)
    if not bottom:
        return BayesFactor()
    value = top / bottom
    reliable = value >= _SD_NOISE and near >= _MIN_DRAWS
    return BayesFactor(sd=value, sd_reliable=reliable, density=top, prior_density=bottom)


def rope_factor(
    posterior: FloatArray, prior: FloatArray, rope: Interval
) -> tuple[float | None, Literal["upper", "lower"] | None]:
    """Return the odds of lying inside the ROPE, posterior over prior, and the kind of bound if it is one.

    A side with fewer than 100 draws is taken to have 100: the factor then is a bound, not an estimate.
    """
    bounds: set[Literal["upper", "lower"]] = set()
    odds = []
    for draws, few_inside, few_outside in ((posterior, "upper", "lower"), (prior, "lower", "upper")):
        inside = int(((draws >= rope.low) & (draws <= rope.high)).sum())
        if draws.size < 2 * _MIN_DRAWS:
            return None, None
        if inside < _MIN_DRAWS:
            bounds.add(few_inside)  # type: ignore[arg-type]
        elif inside > draws.size - _MIN_DRAWS:
            bounds.add(few_outside)  # type: ignore[arg-type]
        clipped = min(max(inside, _MIN_DRAWS), draws.size - _MIN_DRAWS)
        odds.append(clipped / (draws.size - clipped))
    if len(bounds) > 1:  # too few draws on both sides, in opposite directions: nothing is known
        return None, None
    return odds[0] / odds[1], bounds.pop() if bounds else None
