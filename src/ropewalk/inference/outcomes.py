"""Whether a comparison meets what is required of it, contradicts it, or leaves it undecided, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ropewalk.data.logs import Log
from ropewalk.errors import InvalidInputError
from ropewalk.inference.caution import ERRORS, allowed_beyond, claimed_by, mass_beyond, reach_of, reason_for
from ropewalk.results import Comparison
from ropewalk.results.gates import REACHES_ACROSS, WITHIN_ERROR, Outcome, has_no_width
from ropewalk.text.remarks import wording
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import shorten

_MET: Final = {"better": {Verdict.A_BETTER}, "not-worse": {Verdict.EQUIVALENT}, "equivalent": {Verdict.EQUIVALENT}}
"""The verdicts by which each requirement is met; any other conclusive one contradicts it."""


def outcome_of(comparison: Comparison, require: str) -> tuple[Outcome, str]:
    """Return whether a comparison meets what it was asked for, and why it is undecided, where it is.

    Undecided is also what has no verdict, or lies within Monte Carlo error of an edge, or has an interval of no width.
    """
    decision = comparison.decision
    if decision is None:
        return "undecided", comparison.no_verdict or "there is no verdict"
    if has_no_width(comparison):
        return "undecided", "the interval has no width, so the data say nothing of chance"
    if not decision.conclusive and _is_across(comparison):
        return "undecided", REACHES_ACROSS
    if not decision.stable:
        return "undecided", f"{WITHIN_ERROR} of the margin, after {len(comparison.draws):,} draws"
    if not decision.conclusive and comparison.recipe.rule == "probability":
        return "undecided", f"neither side has the {100 * comparison.recipe.prob:g}% that were asked for"
    if not decision.conclusive:
        return "undecided", REACHES_ACROSS
    if doubt := _doubt(comparison):
        return "undecided", doubt
    return ("met" if decision.verdict in _MET[require] else "contradicted"), ""


def check_direction(data: Sequence[Any], names: tuple[str | None, str | None]) -> None:
    """Refuse one log of several systems that names none: which of them is the candidate must not depend on its rows."""
    (log, *others) = data or (None,)
    if not others and isinstance(log, Log) and len(log.systems) > 1 and names == (None, None):
        raise InvalidInputError(
            f"The log holds the systems {shorten(log.systems, 12)}, and does not say which of them is the candidate.",
            hint=wording("name it as a={!r}, or the base line as b=.", log.systems[0]),
        )


def _doubt(comparison: Comparison) -> str:
    """Return why too much of the posterior lies beyond what a conclusive verdict claims; empty where it does not."""
    recipe, decision, allowed = comparison.recipe, comparison.decision, allowed_beyond(comparison.recipe)
    if decision is None or recipe.rope is None or allowed is None:
        return ""
    reach = reach_of(recipe, recipe.tables) if comparison.rests_on_items else None
    claimed = claimed_by(decision.verdict, recipe.rope, higher_is_better=comparison.higher_is_better)
    mass = mass_beyond(np.sort(comparison.draws.delta()), claimed, reach)
    n_draws = comparison.delta.worth(len(comparison.draws))
    if mass > allowed:
        return reason_for(mass, allowed, reach)
    if mass + ERRORS * math.sqrt(mass * (1 - mass) / n_draws) > allowed:
        return f"{WITHIN_ERROR} of the margin, after {len(comparison.draws):,} draws"
    return ""


def _is_across(comparison: Comparison) -> bool:
    """Whether the interval reaches across a margin by more than Monte Carlo error, whatever its other end does."""
    hdi, errors, rope = comparison.hdi, comparison.delta.hdi_mc_error, comparison.recipe.rope
    if rope is None or comparison.recipe.rule != "hdi":
        return False
    low, high = hdi.low + ERRORS * errors[0], hdi.high - ERRORS * errors[1]
    return any(low < edge < high for edge in rope if math.isfinite(edge))
