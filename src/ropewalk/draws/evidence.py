"""Bayes factors for equality (BF01), from draws of a difference: above 1 they support equal classifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

from ropewalk._progress import shown
from ropewalk.draws.density import kernel_at_zero, scott
from ropewalk.draws.intervals import Interval
from ropewalk.typing import FloatArray

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


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Bayes factors that are measured when they are first asked for, since that takes draws of the prior.

    `prior` are those of the difference, or what draws them; without them there are no factors, for the `reason` given.
    `delta` are those under the posterior, and `posterior` those that Savage-Dickey is made of, or what draws them.
    `known` factors were measured already.
    """

    prior: FloatArray | Callable[[], FloatArray] | None = None
    delta: FloatArray | None = None
    posterior: FloatArray | Callable[[], FloatArray] | None = None
    rope: Interval | None = None
    reason: str = ""
    known: BayesFactor | None = None

    @cached_property
    def prior_draws(self) -> FloatArray | None:
        """The draws of the difference under the prior."""
        with shown(progress=False):  # whoever asks now is not the one who waits for the answer
            return self.prior() if callable(self.prior) else self.prior

    @cached_property
    def sd_draws(self) -> FloatArray | None:
        """The draws of the difference under the posterior that Savage-Dickey is made of."""
        with shown(progress=False):
            return self.posterior() if callable(self.posterior) else self.posterior

    @cached_property
    def factor(self) -> BayesFactor:
        """The Bayes factors."""
        if self.known is not None:
            return self.known
        if self.delta is None or self.prior_draws is None:
            return BayesFactor(reason=self.reason)
        return bayes_factor(self.delta, self.prior_draws, sd_draws=self.sd_draws, rope=self.rope, reason=self.reason)


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
