"""How draws were made, in words: independently or by Markov chains, and how many independent ones they are worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ropewalk.draws.summary import Estimate
from ropewalk.mcmc.diagnostics import Diagnostics
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    CrossComparison,
    Evaluation,
    PriorSensitivity,
    Ranking,
    Recipe,
    Rendered,
)
from ropewalk.text.names import count_of, visible
from ropewalk.text.numbers import first_digit

_STEPS: Final = {"nuts": "NUTS", "metropolis": "Metropolis"}


def runs_of(result: Rendered) -> tuple[Diagnostics, ...]:
    """Return the diagnostics of every run of our Markov chains behind a result; none where it was drawn exactly.

    Of draws from elsewhere somebody else has to say how they were made.
    """
    parts: Sequence[object] = ()
    if isinstance(result, CrossComparison):
        parts = (result.comparison,)
    elif isinstance(result, PriorSensitivity):
        parts = (result.rows[0][1],)
    elif isinstance(result, Evaluation):
        parts = result.metrics
    elif isinstance(result, ClassComparisons):
        parts = result.comparisons
    elif isinstance(result, Comparison | Ranking):
        parts = (result,)
    ours = [part for part in parts if part.recipe.sampler is not None]  # type: ignore[attr-defined]
    return tuple(part.diagnostics for part in ours if part.diagnostics is not None)  # type: ignore[attr-defined]


def step_text(step: str) -> str:
    """Name a way to step as people do; one that nobody said has no name."""
    return _STEPS.get(step, "")


def can_diverge(run: Diagnostics) -> bool:
    """Whether there is something to say about divergence: Metropolis has none, and others may not say."""
    return run.step == "nuts" or run.divergences > 0


def rhat_text(value: float) -> str:
    """Write an R-hat; chains that never moved, or moved beyond all bounds, have none."""
    return f"{value:.3f}" if math.isfinite(value) else "not known"


def made_by(runs: Sequence[Diagnostics]) -> str:
    """Say by what draws were made, and whether it can be trusted; empty where there is nothing to say.

    Examples
    --------
    >>> from ropewalk.mcmc.diagnostics import Diagnostics
    >>> told = dict(rhat_of="mu", rhat_limit=1.05, ess_bulk_of="f1", ess_tail_of="f1", divergences=0, acceptance=0.9)
    >>> one = Diagnostics(engine="PyMC 5.28.5", step="nuts", chains=4, draws=4_000, tune=1_000, rhat=1.0018,
    ...                   ess_bulk=3869.2, ess_tail=2762.6, **told)
    >>> print(made_by([one]))
    NUTS (PyMC 5.28.5, 4 chains after 1,000 tuning steps each; R-hat 1.002, bulk ESS 3,869, tail ESS 2,763)
    """
    if not runs:
        return ""
    first = runs[0]
    worst = max(runs, key=lambda run: (run.rhat - 1) / (run.rhat_limit - 1))
    bulk, tail = min(run.ess_bulk for run in runs), min(run.ess_tail for run in runs)
    tuned = f"after {count_of(first.tune, 'tuning step')} each" if first.tune else "not tuned"
    lead = "" if len(runs) == 1 else f"the worst of {len(runs)} runs: "
    trust = f"{lead}R-hat {rhat_text(worst.rhat)}, bulk ESS {bulk:,.0f}, tail ESS {tail:,.0f}"
    lost = sum(run.divergences for run in runs)
    trust += f", {count_of(lost, 'divergence')}" if lost else ""
    how = step_text(first.step) or "Markov chains"
    return f"{how} ({visible(first.engine)}, {count_of(first.chains, 'chain')} {tuned}; {trust})"


def drawn_text(recipe: Recipe, n_draws: int, runs: Sequence[Diagnostics]) -> str:
    """Say how many draws there are; those of Markov chains, by what; weighted ones, that they are."""
    told = count_of(n_draws, "draw")
    if runs:
        told += f" by {made_by(runs)}"
    return f"{told}, weighted by the prior of the difference" if recipe.model.weights_difference else told


def worth_text(n_draws: int, estimate: Estimate) -> str:
    """Say how many draws a number rests on, and what they are worth where that is less: to two digits.

    Examples
    --------
    >>> from ropewalk.draws.intervals import Interval
    >>> one = Estimate(observed=None, mean=0, std=1, mc_error=1 / 3869**0.5, hdi=Interval(-2, 2), hdi_mc_error=(0, 0))
    >>> worth_text(4_000, one)
    '4,000 draws worth 3,900'
    """
    told, worth = count_of(n_draws, "draw"), estimate.worth(n_draws)
    unit = max(int(first_digit(worth)) // 10, 1)
    rounded = round(worth / unit) * unit
    return told if rounded >= n_draws else f"{told} worth {rounded:,}"
