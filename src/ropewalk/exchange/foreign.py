"""Decide on draws made elsewhere: two scores, or one difference, by HDI and ROPE."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import numpy as np

from ropewalk._arguments import read_some
from ropewalk._checks import check_prob, choose
from ropewalk.draws.blocks import Draws, difference
from ropewalk.draws.contrast import contrast
from ropewalk.draws.evidence import BayesFactor, Evidence
from ropewalk.draws.intervals import Estimate, Interval, summarise
from ropewalk.errors import DataError, InvalidInputError, RopewalkError
from ropewalk.exchange.picking import Picked, group_of, holds, names_in, pick_draws
from ropewalk.inference.drawing import UNCONVERGED
from ropewalk.inference.question import RULES, rope_of
from ropewalk.inference.remarks import not_converged
from ropewalk.mcmc.chains import Diagnostics, diagnose, effective
from ropewalk.mcmc.sampler import Sampler
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.metrics.scores import SCORE_METRICS, less_is_better
from ropewalk.results import Recipe
from ropewalk.results.base import Drawing
from ropewalk.results.foreign import (
    DeltaDraws,
    ForeignComparison,
    Origin,
    UnknownModel,
    fingerprint,
    no_data,
    unknown_metric,
)
from ropewalk.results.options import DecisionOptions, Option
from ropewalk.text.remarks import Remark, note, warning
from ropewalk.text.writing import told, visible
from ropewalk.typing import FloatArray, Rule

_NO_PRIOR: Final = "no draws of these variables under the prior came with them"
_SAMPLER_STATS: Final = ("acceptance_rate", "mean_tree_accept", "accepted")


class ForeignOptions(DecisionOptions, total=False):
    """Options about draws made elsewhere."""

    group: Annotated[str, Option(help="Where the variables are.", default="posterior")]
    names: Annotated[Sequence[str] | None, Option(help="What to call A and B.")]
    metric: Annotated[str, Option(help="What to call the score.", default="score")]
    higher_is_better: Annotated[bool | None, Option(help="Whether more of it is better.")]


@dataclass(frozen=True, kw_only=True, eq=False)
class Material:
    """Draws (chains, draws) of two scores, or of their difference alone, and the question about them.

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
    flat, chains = m.delta.reshape(-1), len(m.delta)
    draws: Draws = DeltaDraws(flat, m.names, chains)
    if m.scores is not None:
        draws = Draws(psi=np.stack([scores.reshape(-1) for scores in m.scores]), names=m.names, chains=chains)
    question = replace(recipe.question, rope=None) if unsaid else recipe.question
    contrasted = contrast(flat, question, observed=observed, names=m.names, ess=_worth(m, m.delta))
    if unsaid:
        contrasted = contrasted.without_verdict()
    return ForeignComparison(
        a=m.names[0],
        b=m.names[1],
        estimate_a=_estimate(m, 0),
        estimate_b=_estimate(m, 1),
        **contrasted.parts,
        evidence=_evidence(m, recipe),
        draws=draws,
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


def _worth(m: Material, draws: FloatArray) -> float | None:
    """Return how many independent draws these are worth; None where they are independent."""
    return m.worth if m.origin.independent else effective(draws)


def _estimate(m: Material, which: int) -> Estimate | None:
    if m.scores is None:
        return None
    draws = m.scores[which]
    flat = draws.reshape(-1)
    return summarise(flat, np.sort(flat), prob=m.prob, observed=m.observed[which], ess=_worth(m, draws))


def _diagnosed(m: Material) -> Diagnostics:
    """Judge the chains by the numbers of the question; how they were made is known only as far as they say."""
    numbers = {f"{m.names[0]} − {m.names[1]}": m.delta}
    if m.scores is not None:
        numbers = {m.names[0]: m.scores[0], m.names[1]: m.scores[1], **numbers}
    diagnostics = diagnose({}, numbers, m.stats or {}, Sampler(), m.origin.library or "not said")
    return replace(diagnostics, step="not said", tune=0, divergences=m.origin.divergences or 0)


def _evidence(m: Material, recipe: Recipe) -> Evidence:
    return Evidence(
        prior=None if m.prior is None else m.prior.reshape(-1),
        delta=m.delta.reshape(-1),
        rope=recipe.rope,
        reason=_NO_PRIOR if m.prior is None else recipe.model.no_savage_dickey,
        known=m.factor,
    )


# -- from users --------------------------------------------------------------------------------------------


def material(groups: Mapping[str, Any], picks: Mapping[str, Any], options: ForeignOptions) -> Material:
    """Check the options about draws, and pick those of `picks`: `a` and `b`, or `delta`."""
    prob = check_prob(options["prob"])
    rule, metric = choose(options["rule"], RULES, "rule"), options["metric"]
    if not isinstance(metric, str) or not metric:
        raise InvalidInputError(f"`metric` must be a name; got {told(metric)}.", hint='metric="accuracy".')
    names, group = check_pair(options.get("names")), options["group"]
    source = group_of(groups, group)
    picked, delta = _picked(source, picks)
    scores = None if len(picked) == 1 else (picked[0].draws, picked[1].draws)
    measure = known_metric(metric, scores, higher_is_better=options.get("higher_is_better"))
    interval = rope_of(options, measure)
    prior, stats = None, None
    remarks: list[Remark] = []
    if group == "posterior":
        stats = groups.get("sample_stats")
        prior, remarks = _prior(groups.get("prior"), picks)
    chains, length = delta.shape
    if chains > length:
        text = f"There are more chains ({chains:,}) than draws in each ({length:,}): arrays are (chain, draw)."
        remarks.append(warning("more_chains_than_draws", text))
    diverging, known_stats = _stat(stats, "diverging"), {name: _stat(stats, name) for name in _SAMPLER_STATS}
    return Material(
        scores=scores,
        delta=delta,
        prior=prior,
        names=names or _called(picked),
        metric=measure,
        rope=interval,
        prob=prob,
        rule=rule,
        origin=Origin(
            what=" and ".join(variable.label for variable in picked) + f" of the group {group}",
            library=_library(source),
            divergences=None if diverging is None else int(diverging.sum()),
        ),
        stats={name: array for name, array in known_stats.items() if array is not None},
        remarks=tuple(remarks),
    )


def check_pair(names: Any) -> tuple[str, str] | None:
    """Return what A and B are called; None stays None."""
    if names is None:
        return None
    pair = None if isinstance(names, str | bytes) else read_some(names, 2)
    if pair is None or len(pair) != 2 or not all(isinstance(name, str) and name for name in pair):  # noqa: PLR2004
        raise InvalidInputError(
            f"`names` must be two names, of A and of B; got {told(names)}.", hint='names=("new", "old")'
        )
    if pair[0] == pair[1]:
        raise InvalidInputError(
            f"A and B must have different names; both are {pair[0]!r}.", hint="give each a name of its own."
        )
    return pair[0], pair[1]


def _picked(group: Any, picks: Mapping[str, Any]) -> tuple[list[Picked], FloatArray]:
    """Return the variables of a group that were picked, and the difference that they make."""
    picked = [pick_draws(group, pick, what) for what, pick in picks.items()]
    if len(picked) == 1:
        return picked, picked[0].draws
    a, b = picked
    if a.draws.shape != b.draws.shape:
        shapes = " and ".join(f"{variable.label!r} {variable.draws.shape}" for variable in picked)
        raise DataError(
            f"A and B must come in pairs of draws; their chains and draws differ: {shapes}.",
            hint="draws of one run belong together; those of two runs do not.",
        )
    if a.label == b.label:
        raise InvalidInputError(f"A and B are both {a.label!r}.", hint="name two variables, or two components.")
    return picked, difference(a.draws.reshape(-1), b.draws.reshape(-1)).reshape(a.draws.shape)


def _called(picked: Sequence[Picked]) -> tuple[str, str]:
    """Return what to call A and B: their components where these tell them apart, else the variables."""
    if len(picked) == 1:
        return "A", "B"
    a, b = picked
    same = a.label.partition("[")[0] == b.label.partition("[")[0] and a.component != b.component
    if same and all(part and not part.isdecimal() for part in (a.component, b.component)):
        return a.component, b.component
    return visible(a.label), visible(b.label)


def known_metric(name: str, scores: Sequence[FloatArray] | None, *, higher_is_better: bool | None = None) -> Metric:
    """Return the metric of that name: what it can be is known of ours, as long as the draws do not say otherwise."""
    try:
        known: Any = SCORE_METRICS.get(name) or parse_metric(name)
    except RopewalkError:
        known = None
    if higher_is_better is None:
        higher_is_better = not less_is_better(name) if known is None else bool(known.higher_is_better)
    elif not isinstance(higher_is_better, bool):
        raise InvalidInputError(
            f"`higher_is_better` must be True or False; got {told(higher_is_better)}.",
            hint="False says that less is better.",
        )
    low, high = (-math.inf, math.inf) if known is None else (known.low, known.high)
    if any(values.min() < low or values.max() > high for values in scores or ()):  # in per cent, say
        low, high = -math.inf, math.inf
    return unknown_metric(name, higher_is_better=higher_is_better, low=low, high=high)


def _prior(group: Any, picks: Mapping[str, Any]) -> tuple[FloatArray | None, list[Remark]]:
    """Return the difference under the prior, where its group has the same variables, and what is wrong with it."""
    if group is None or not all(holds(group, pick) for pick in picks.values()):
        return None, []
    try:
        return _picked(group, picks)[1], []
    except RopewalkError as error:
        return None, [note("prior_left_out", f"The draws of the prior are left out. {error.message}")]


def _library(source: Any) -> str:
    """Return the program that made the draws, if they say so."""
    attrs = getattr(source, "attrs", {})
    parts = [str(attrs[key]) for key in ("inference_library", "inference_library_version") if key in attrs]
    return visible(" ".join(parts))


def _stat(stats: Any, name: str) -> Any:
    """Return a statistic of the sampler, None where there is none that can be counted."""
    if stats is None or name not in names_in(stats):
        return None
    array = np.asarray(getattr(stats[name], "values", stats[name]))
    return array if array.dtype.kind in "biuf" and array.size else None
