"""Answers of Markov chains, one number after the other: what pictures of chains are drawn of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ropewalk.draws.summary import Estimate
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.diagnostics import Diagnostics
from ropewalk.plots._style import of_kind, short
from ropewalk.plots._subject import NAME, delta_words, metric_words
from ropewalk.report.chains import chain_values, delta_values, divergent
from ropewalk.results import Comparison, MetricPosterior, Ranking
from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chained:
    """One number's draws (chains, draws), in words that are safe to draw, and what is known of it."""

    label: str
    values: FloatArray
    estimate: Estimate
    signed: bool


def chained_of(result: Any, caller: str) -> tuple[list[Chained], Diagnostics, Any]:
    """Return the numbers of an answer, how far its chains can be trusted, and which draws diverged, if that is known.

    Of a comparison the difference comes first, and then both scores, unless they are not known.
    """
    found = of_kind(result, (Comparison, MetricPosterior, Ranking), caller, 'compare, rank or evaluate(…)["f1"]')
    run = found.diagnostics
    if run is None:
        raise InvalidInputError(
            "These draws are independent, so there is no chain to trace.",
            hint='plot_draws shows them in order; engine="pymc" samples by Markov chains.',
        )
    told: list[Chained] = []
    estimates: list[Estimate | None]
    if isinstance(found, Comparison):
        delta = delta_values(found)[0]
        told.append(Chained(label=delta_words(found), values=delta, estimate=found.delta, signed=True))
        estimates = [found.estimate_a, found.estimate_b]
    else:
        estimates = [found.estimate] if isinstance(found, MetricPosterior) else [one.estimate for one in found.models]
    if all(estimate is not None for estimate in estimates):
        words = metric_words(found.recipe)
        for name, values, estimate in zip(found.draws.names, chain_values(found)[0], estimates, strict=True):
            assert estimate is not None  # noqa: S101
            label = f"{words} of {short(name, NAME)}"
            told.append(Chained(label=label, values=values, estimate=estimate, signed=False))
    return told, run, divergent(found)
