"""Decide on anybody's draws: two scores, or one difference, by HDI and ROPE."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_prob, choose
from ropewalk.draws.blocks import Draws, difference
from ropewalk.draws.decision import parse_rope
from ropewalk.draws.evidence import BayesFactor, bayes_factor
from ropewalk.draws.intervals import Estimate, Interval, summarise
from ropewalk.draws.judging import contrast
from ropewalk.errors import DataError, InvalidInputError, RopewalkError
from ropewalk.exchange.picking import Picked, group_of, holds, pick_draws
from ropewalk.inference.drawing import UNCONVERGED
from ropewalk.inference.question import RULES, check_reach
from ropewalk.inference.remarks import not_converged
from ropewalk.mcmc.chains import Diagnostics, diagnose, effective
from ropewalk.mcmc.sampler import Sampler
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.results import Recipe
from ropewalk.results.base import Drawing
from ropewalk.results.comparison import (
    DeltaDraws,
    ForeignComparison,
    Origin,
    UnknownModel,
    fingerprint,
    no_data,
    unknown_metric,
)
from ropewalk.text.names import visible
from ropewalk.text.remarks import Remark, note, warning
from ropewalk.typing import FloatArray, RopeLike, Rule

_PAIR: Final = 2
_NO_PRIOR: Final = "no draws of these variables under the prior came with them"
_LESS: Final = ("cost",)  # lower is better, whatever the matrix


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """Draws (chains, draws) of two scores, or of their difference alone, and what is asked about them.

    `worth` is how many independent draws weighted ones are worth, where that is known beforehand.
    """

    scores: tuple[FloatArray, FloatArray] | None
    delta: FloatArray
    prior: FloatArray | None
    names: tuple[str, str]
    metric: Metric
    rope: Interval | None
    prob: float
    rule: Rule
    origin: Origin
    observed: tuple[float | None, float | None] = (None, None)
    stats: Mapping[str, Any] | None = None
    factor: BayesFactor | None = None
    worth: float | None = None
    data_hash: str = ""
    no_verdict: str = ""
    remarks: tuple[Remark, ...] = ()

    @property
    def chains(self) -> int:
        """How many chains there are."""
        return int(self.delta.shape[0])


def judge_draws(m: Material) -> ForeignComparison:
    """Judge draws as any comparison is judged; chains that have not converged get no verdict."""
    diagnostics = None if m.origin.independent else _diagnosed(m)
    unsaid, remarks = m.no_verdict, list(m.remarks)
    if diagnostics is not None and not diagnostics.converged:
        unsaid = unsaid or UNCONVERGED
        if not any(remark.code == "chains_not_converged" for remark in remarks):  # what was kept may say it already
            remarks.append(not_converged(diagnostics))
    if m.delta.size > 1 and not np.ptp(m.delta):
        text = "The difference is the same in every draw, so its interval has no width."
        remarks.append(warning("no_width", text))
    recipe, drawing = _recipe(m), Drawing(diagnostics=diagnostics, no_verdict=unsaid)
    observed = None if None in m.observed else m.observed[0] - m.observed[1]  # type: ignore[operator]
    flat = m.delta.reshape(-1)
    found = contrast(
        flat,
        replace(recipe.question, rope=None) if unsaid else recipe.question,
        observed=observed,
        names=m.names,
        ess=_worth(m, m.delta),
    )
    return ForeignComparison(
        a=m.names[0],
        b=m.names[1],
        estimate_a=_estimate(m, 0),
        estimate_b=_estimate(m, 1),
        delta=found.delta,
        prob_below_zero=found.prob_below_zero,
        prob_above_zero=found.prob_above_zero,
        regions=found.regions,
        rope_path=found.rope_path,
        decision=found.decision,
        bayes_factor=_factor(m, recipe),
        draws=_draws(m),
        prior_draws=None if m.prior is None else m.prior.reshape(-1),
        recipe=recipe,
        remarks=tuple(dict.fromkeys(remarks)),
        drawing=drawing,
        origin=m.origin,
    )


def _recipe(m: Material) -> Recipe:
    model = UnknownModel() if m.origin.model is None else UnknownModel(name=m.origin.model, prior=m.origin.prior or "")
    return Recipe(
        tables=(no_data(m.names),),
        model=model,
        metric=m.metric,
        rope=m.rope,
        prob=m.prob,
        rule=m.rule,
        draws=m.delta.size,
        data_hash=m.data_hash or fingerprint(*(m.scores or (m.delta,))),
    )


def _draws(m: Material) -> Draws:
    if m.scores is None:
        return DeltaDraws(m.delta.reshape(-1), m.names, m.chains)
    return Draws(psi=np.stack([one.reshape(-1) for one in m.scores]), names=m.names, chains=m.chains)


def _worth(m: Material, draws: FloatArray) -> float | None:
    """Return how many independent draws these are worth; None where they are independent."""
    return m.worth if m.origin.independent else effective(draws)


def _estimate(m: Material, which: int) -> Estimate | None:
    if m.scores is None:
        return None
    draws, seen = m.scores[which], m.observed[which]
    flat = draws.reshape(-1)
    return summarise(flat, np.sort(flat), prob=m.prob, observed=seen, ess=_worth(m, draws))


def _diagnosed(m: Material) -> Diagnostics:
    """Judge the chains by the numbers that are asked about; how they were made is known only as far as it was said."""
    numbers = {f"{m.names[0]} − {m.names[1]}": m.delta}
    if m.scores is not None:
        numbers = {m.names[0]: m.scores[0], m.names[1]: m.scores[1], **numbers}
    found = diagnose({}, numbers, m.stats or {}, Sampler(), m.origin.library or "not said")
    return replace(found, step="not said", tune=0, divergences=m.origin.divergences or 0)


def _factor(m: Material, recipe: Recipe) -> BayesFactor:
    if m.factor is not None:
        return m.factor
    if m.prior is None:
        return BayesFactor(reason=_NO_PRIOR)
    delta, prior = m.delta.reshape(-1), m.prior.reshape(-1)
    return bayes_factor(delta, prior, sd_draws=None, rope=recipe.rope, reason=recipe.model.no_savage_dickey)


# -- from what somebody gave -------------------------------------------------------------------------------


def material(
    groups: Mapping[str, Any],
    *,
    picks: Sequence[Any],
    group: str,
    names: Sequence[str] | None,
    metric: Any,
    higher_is_better: bool | None,
    rope: RopeLike | None,
    prob: float,
    rule: Any,
) -> Material:
    """Check what was said about draws, and pick them: two scores, or one difference."""
    interval, mass, way = parse_rope(rope), check_prob(prob), choose(rule, RULES, "rule")
    if not isinstance(metric, str) or not metric:
        raise InvalidInputError(f"`metric` must be a name; got {metric!r}.", hint='metric="accuracy".')
    called = check_pair(names)
    source = group_of(groups, group)
    found = [pick_draws(source, pick, what) for pick, what in zip(picks, _parameters(picks), strict=True)]
    _check_shapes(found)
    stats = groups.get("sample_stats") if group == "posterior" else None
    scores = None if len(found) == 1 else (found[0].draws, found[1].draws)
    delta = found[0].draws if scores is None else _apart(*scores)
    measure = known_metric(metric, scores, higher_is_better=higher_is_better)
    check_reach(interval, measure)
    prior, remarks = _prior(groups, picks) if group == "posterior" else (None, ())
    return Material(
        scores=scores,
        delta=delta,
        prior=prior,
        names=called or _called(found),
        metric=measure,
        rope=interval,
        prob=mass,
        rule=way,
        origin=Origin(
            what=" and ".join(one.label for one in found) + f" of the group {group}",
            library=_library(source),
            divergences=_divergences(stats),
        ),
        stats=_plain_stats(stats),
        remarks=(*remarks, *_turned(*delta.shape)),
    )


def _parameters(picks: Sequence[Any]) -> tuple[str, ...]:
    return ("delta",) if len(picks) == 1 else ("a", "b")


def check_pair(names: Any) -> tuple[str, str] | None:
    """Return what A and B are called, None where nobody said."""
    if names is None:
        return None
    if isinstance(names, str) or len(names) != _PAIR or not all(isinstance(name, str) and name for name in names):
        raise InvalidInputError(f"`names` must be two names, of A and of B; got {names!r}.")
    if names[0] == names[1]:
        raise InvalidInputError(f"A and B must have different names; both are {names[0]!r}.")
    return names[0], names[1]


def _check_shapes(found: Sequence[Picked]) -> None:
    shapes = [one.draws.shape for one in found]
    if len(set(shapes)) > 1:
        told = " and ".join(f"{one.label!r} {shape}" for one, shape in zip(found, shapes, strict=True))
        raise DataError(
            f"A and B must come in pairs of draws; their chains and draws differ: {told}.",
            hint="draws of one run belong together; those of two runs do not.",
        )
    if len(found) == _PAIR and found[0].label == found[1].label:
        raise InvalidInputError(f"A and B are both {found[0].label!r}.", hint="name two variables, or two components.")


def _apart(a: FloatArray, b: FloatArray) -> FloatArray:
    return difference(a.reshape(-1), b.reshape(-1)).reshape(a.shape)


def _called(found: Sequence[Picked]) -> tuple[str, str]:
    """Return what to call A and B: their components where these tell them apart, else the variables."""
    if len(found) == 1:
        return "A", "B"
    parts = [one.component for one in found]
    same = found[0].label.partition("[")[0] == found[1].label.partition("[")[0]
    texts = parts if same and all(parts) and parts[0] != parts[1] and not any(p.isdecimal() for p in parts) else None
    first, second = texts or [visible(one.label) for one in found]
    return first, second


def known_metric(name: str, scores: Sequence[FloatArray] | None, *, higher_is_better: bool | None = None) -> Metric:
    """Return the metric of that name: what it can be is known of ours, as long as the draws do not say otherwise."""
    try:
        known: Any = SCORE_METRICS.get(name) or parse_metric(name)
    except RopewalkError:
        known = None
    if higher_is_better is not None and not isinstance(higher_is_better, bool):
        raise InvalidInputError(f"`higher_is_better` must be True or False; got {higher_is_better!r}.")
    usual = name not in _LESS if known is None else bool(known.higher_is_better)
    low, high = (-math.inf, math.inf) if known is None else (known.low, known.high)
    if any(one.min() < low or one.max() > high for one in scores or ()):  # in per cent, say
        low, high = -math.inf, math.inf
    return unknown_metric(
        name, higher_is_better=usual if higher_is_better is None else higher_is_better, low=low, high=high
    )


def _turned(chains: int, length: int) -> tuple[Remark, ...]:
    """Say that an array may lie the wrong way round."""
    if chains <= length:
        return ()
    text = f"There are more chains ({chains:,}) than draws in each ({length:,}): arrays are (chain, draw)."
    return (warning("more_chains_than_draws", text),)


def _prior(groups: Mapping[str, Any], picks: Sequence[Any]) -> tuple[FloatArray | None, tuple[Remark, ...]]:
    """Return the difference under the prior, where its group has the same variables, and what is wrong with it."""
    group = groups.get("prior")
    if group is None or not all(holds(group, pick) for pick in picks):
        return None, ()
    try:
        found = [pick_draws(group, pick, what) for pick, what in zip(picks, _parameters(picks), strict=True)]
        _check_shapes(found)
    except RopewalkError as error:
        return None, (note("prior_left_out", f"The draws of the prior are left out. {error.message}"),)
    return (found[0].draws if len(found) == 1 else _apart(found[0].draws, found[1].draws)), ()


def _library(source: Any) -> str:
    """Return the program that made the draws, if they say so."""
    attrs = getattr(source, "attrs", {})
    told = [str(attrs[key]) for key in ("inference_library", "inference_library_version") if key in attrs]
    return visible(" ".join(told))


def _divergences(stats: Any) -> int | None:
    found = _stat(stats, "diverging")
    return None if found is None else int(found.sum())


def _plain_stats(stats: Any) -> dict[str, Any]:
    names = ("acceptance_rate", "mean_tree_accept", "accepted")
    found = {name: _stat(stats, name) for name in names}
    return {name: array for name, array in found.items() if array is not None}


def _stat(stats: Any, name: str) -> Any:
    """Return a statistic of the sampler, None where there is none that can be counted."""
    if stats is None or name not in (stats.data_vars if hasattr(stats, "data_vars") else stats):
        return None
    array = np.asarray(getattr(stats[name], "values", stats[name]))
    return array if array.dtype.kind in "biuf" and array.size else None
