"""Get an answer back from what it was written to: the same answer where it can be made again, else from its draws."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_prob, choose
from ropewalk.classical.battery import run_battery
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import difference
from ropewalk.draws.decision import parse_rope
from ropewalk.draws.evidence import BayesFactor
from ropewalk.errors import FileFormatError, InvalidInputError, RopewalkError
from ropewalk.exchange.foreign import Material, check_pair, judge_draws
from ropewalk.exchange.groups import ANSWER, MORE, Answer
from ropewalk.inference.answers import run_comparison, run_evaluation, run_ranking
from ropewalk.inference.question import RULES
from ropewalk.mcmc.chains import Chains
from ropewalk.mcmc.programs import program_of
from ropewalk.mcmc.sampler import Sampled, Sampler
from ropewalk.results import Comparison, Recipe
from ropewalk.results.base import Drawing, read_recipe
from ropewalk.results.comparison import ForeignComparison, Origin, unknown_metric
from ropewalk.text.remarks import Remark, note
from ropewalk.typing import FloatArray

_SAME: Final = 1e-12  # the last digits of a logarithm differ from machine to machine
_ALONE: Final = note(
    "data_not_in_file", "The answer was read from its draws alone: its data, or its model, are not in the file."
)
_TESTS: Final = note("tests_not_in_file", "The classical tests that it came with are not in the file either.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Kept:
    """What was kept of an answer: its JSON, what else it takes, and the groups of draws."""

    kind: str
    told: Mapping[str, Any]
    more: Mapping[str, Any]
    groups: Mapping[str, Any]

    def values(self, group: str, name: str) -> Any:
        """Return a variable as an array, None where there is none."""
        found = self.groups.get(group)
        return None if found is None or name not in found.data_vars else found[name].values

    @property
    def psi(self) -> FloatArray | None:
        """The draws of the metric, (chains, draws, classifiers)."""
        found = self.values("posterior", "psi")
        return None if found is None else np.asarray(found, dtype=np.float64)


def is_ours(attrs: Mapping[str, Any]) -> bool:
    """Whether an answer of ropewalk was kept here."""
    return ANSWER in attrs and MORE in attrs


def restore(groups: Mapping[str, Any], attrs: Mapping[str, Any]) -> Answer:
    """Return the answer that was kept."""
    try:
        told, more = (json.loads(str(attrs[name])) for name in (ANSWER, MORE))
        kept = Kept(kind=str(attrs["kind"]), told=told, more=more, groups=groups)
        if kept.kind == "ForeignComparison":
            return _from_draws(kept, Origin(**more["origin"]))
        again = _again(kept)
        if again is not None:
            return again
        if kept.kind == "Comparison":
            return _from_draws(kept, _origin(kept))
    except RopewalkError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise FileFormatError(
            f"The answer in here cannot be read: {type(error).__name__}: {error}.", hint=_foreign_hint(groups)
        ) from error
    raise FileFormatError(
        f"This {kept.kind} cannot be made again: its data, or its model, are not in here.", hint=_foreign_hint(groups)
    )


def _foreign_hint(groups: Mapping[str, Any]) -> str:
    known = "a=…, b=…"
    if "posterior" in groups and "psi" in groups["posterior"].data_vars:
        names = np.atleast_1d(groups["posterior"]["psi"]["classifier"].values).tolist()
        first = [("psi", {"classifier": name}) for name in names[:2]]
        known = ", ".join(f"{which}={pick!r}" for which, pick in zip("ab", first, strict=False))
    return f"its draws can be judged: from_arviz(data, {known})."


# -- made again --------------------------------------------------------------------------------------------


def _again(kept: Kept) -> Answer | None:
    """Carry the recipe out again; None where there is none, or where it gives other draws than were kept."""
    recipe = _recipe(kept)
    if recipe is None or kept.psi is None:
        return None
    known = Drawing(chains=None if recipe.sampler is None else _chains(recipe, recipe.sampler, kept))
    if recipe.sampler is not None and known.chains is None:
        return None
    makers: dict[str, Callable[[Recipe], Answer]] = {
        "Comparison": lambda recipe: _tested(run_comparison(recipe, known=known), kept),
        "Ranking": lambda recipe: run_ranking(recipe, known=known),
        "MetricPosterior": lambda recipe: run_evaluation([recipe], kept.more["bar"], threads=1, known=known).metrics[0],
    }
    if kept.kind not in makers:
        return None
    found = makers[kept.kind](recipe)
    psi = found.draws.psi.reshape(len(found.draws.names), found.draws.chains, -1)
    chains, length, _ = kept.psi.shape
    same = psi.shape[1] == chains and psi.shape[2] >= length
    close = same and np.allclose(psi[:, :, :length], np.moveaxis(kept.psi, 2, 0), rtol=0.0, atol=_SAME)
    return found if close else None


def _recipe(kept: Kept) -> Recipe | None:
    told = dict(kept.told)
    if kept.kind == "MetricPosterior":
        told["metric"] = told["metrics"][0]["metric"]
    try:
        recipe = read_recipe({**told, "recipe": kept.more["recipe"], "rope": kept.more["rope"]})
    except FileFormatError:
        return None
    tables = [
        replace(table, labels=tuple(labels), left_out=gone)
        for table, labels, gone in zip(recipe.tables, kept.more["labels"], kept.more["left_out"], strict=True)
        if isinstance(table, Outcomes)
    ]
    sampler = None if kept.more["sampler"] is None else Sampler(**kept.more["sampler"])
    return replace(recipe, tables=tuple(tables), pos_label=kept.more["pos_label"], sampler=sampler)


def _chains(recipe: Recipe, sampler: Sampler, kept: Kept) -> Chains | None:
    """Return the chains that were kept, which are not run again."""
    program = program_of(recipe.model, recipe.tables, sampler.form)
    arrays = {name: kept.values("posterior", name) for name in program.names}
    if any(array is None for array in arrays.values()) or kept.told["diagnostics"] is None:
        return None
    stats = kept.groups["sample_stats"].data_vars if "sample_stats" in kept.groups else {}
    posterior = kept.groups["posterior"]
    sampled = Sampled(
        parameters={name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()},
        dims={name: tuple(map(str, posterior[name].dims[2:])) for name in program.names},
        coords={name: tuple(map(str, values)) for name, values in program.model.coords.items()},
        stats={str(name): np.asarray(values.values) for name, values in stats.items()},
        engine=kept.told["diagnostics"]["engine"],
    )
    return Chains(recipe.model, recipe.tables, sampled, sampler, recipe.seed)


def _tested(found: Comparison, kept: Kept) -> Comparison:
    """Return the comparison with the classical tests, where it had them."""
    if kept.told["tests"] is None:
        return found
    tables = [table for table in found.recipe.tables if isinstance(table, Outcomes)]
    battery = run_battery(tables, found.recipe.pos_label, found.recipe.metric.classes, prob=found.recipe.prob)
    return replace(found, tests=battery)


# -- from the draws alone ----------------------------------------------------------------------------------


def _origin(kept: Kept) -> Origin:
    told = kept.told
    diagnostics = told["diagnostics"]
    return Origin(
        what="psi as it was kept",
        library=f"ropewalk {told['version']}",
        model=told["model"],
        prior=told["prior"],
        n_items=told["n_items"],
        seed=told["seed"],
        independent=diagnostics is None,
        divergences=None if diagnostics is None else diagnostics["divergences"],
    )


def _from_draws(kept: Kept, origin: Origin) -> ForeignComparison:
    told, more, psi = kept.told, kept.more, kept.psi
    scores = None if psi is None else (psi[..., 0].copy(), psi[..., 1].copy())
    if scores is None:
        delta = np.array(kept.values("posterior", "delta"), dtype=np.float64)
    else:
        delta = difference(scores[0].reshape(-1), scores[1].reshape(-1)).reshape(scores[0].shape)
    if delta.size == 0 or not np.isfinite(delta).all():
        raise InvalidInputError("The draws that were kept are not all numbers.")
    prior = kept.values("prior", "delta")
    low, high = _ends(more["range"])
    names = check_pair((told["a"]["name"], told["b"]["name"]))
    assert names is not None  # noqa: S101
    return judge_draws(
        Material(
            scores=scores,
            delta=delta,
            prior=None if prior is None else np.array(prior, dtype=np.float64),
            names=names,
            metric=unknown_metric(str(told["metric"]), higher_is_better=told["higher_is_better"], low=low, high=high),
            rope=None if more["rope"] is None else parse_rope(_ends(more["rope"])),
            prob=check_prob(told["prob"]),
            rule=choose(told["rule"], RULES, "rule"),
            origin=origin,
            observed=(told["a"]["observed"], told["b"]["observed"]),
            factor=_factor(told["bayes_factor"]),
            worth=_worth(told["delta"], delta.size),
            data_hash=told["data_hash"],
            no_verdict=str(more["no_verdict"]),
            remarks=(*(Remark(*remark) for remark in more["remarks"]), *_lost(kept)),
        )
    )


def _lost(kept: Kept) -> list[Remark]:
    """Say what the answer had and has no longer."""
    if kept.kind != "Comparison":
        return []
    return [_ALONE] if kept.told["tests"] is None else [_ALONE, _TESTS]


def _worth(told: Mapping[str, Any], number: int) -> float | None:
    """Return how many independent draws weighted ones are worth, by the error of their mean."""
    if not told["mc_error"]:
        return None
    worth = float((told["std"] / told["mc_error"]) ** 2)
    return worth if worth < (1 - _SAME) * number else None


def _factor(told: Mapping[str, Any] | None) -> BayesFactor | None:
    """Return the Bayes factors as they were kept."""
    return None if told is None else BayesFactor(**{**told, "reason": told["reason"] or ""})


def _ends(pair: Any) -> tuple[float, float]:
    """Return the ends of an interval; JSON has null for an open one."""
    low, high = pair
    return (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
