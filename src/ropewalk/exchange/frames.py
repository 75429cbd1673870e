"""Results as dataframes: one tidy row per comparison, metric, class, system, pair or number of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.data.making_frames import make_frame
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Estimate, Interval, Regions
from ropewalk.errors import InvalidInputError
from ropewalk.results import (
    Battery,
    ClassComparisons,
    ClassicalTest,
    Comparison,
    Confusion,
    Evaluation,
    Gate,
    LabelPlan,
    MetricPosterior,
    Nemenyi,
    PooledEstimates,
    PopulationComparison,
    PowerRow,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Recipe,
    Slices,
    StoppingResult,
    TaskComparisons,
    Validated,
)
from ropewalk.results.curves import Curve
from ropewalk.results.items import Items as ListedItems
from ropewalk.results.planning import Study
from ropewalk.text.remarks import wording
from ropewalk.text.verdicts import Verdict

Row = dict[str, Any]

TEXTS: Final = ("pos_label", "slice", "decision", "code", "leaning", "label", "reason", "task")
"""Columns of text, also where nothing stands in them."""


def to_frame(result: Any, backend: str | None = None, *, pairs: bool = False) -> Any:
    """Return a result as a dataframe of the caller's library, or of the one that is named.

    By default it is the library that the data came in, else the first of pandas, polars and pyarrow that is installed.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.rank(news.outcomes, metric="macro_f1", rope=0.005, draws=2_000, rng=0)
    >>> to_frame(r, "polars")["name"].to_list()
    ['nb_bern', 'nb_mult', 'svm_l1', 'svm_l2']
    >>> len(to_frame(r, "polars", pairs=True))
    6
    """
    rows = _pairs(result) if pairs else rows_of(result)
    names = [
        *(result.columns.values() if isinstance(result, ListedItems) else ()),
        *(name for row in rows for name in row),
    ]
    columns = {name: [row.get(name) for row in rows] for name in dict.fromkeys(names)}
    usual = getattr(result if isinstance(result, ListedItems) else _recipe_of(result), "library", "")
    return make_frame(columns, {name: _kind(name, values) for name, values in columns.items()}, backend, usual)


def _recipe_of(result: Any) -> Recipe | None:
    """Return what an answer was made from, where it is known."""
    for part in (result, getattr(result, "design", None), getattr(result, "test", None)):
        if isinstance(recipe := getattr(part, "recipe", None), Recipe):
            return recipe
    if isinstance(result, PriorSensitivity):
        return result.rows[0][1].recipe
    return None


def _kind(name: str, values: Sequence[Any]) -> type:
    """Return what a column holds; whole numbers with holes are floats, as NumPy has no others."""
    known = [value for value in values if value is not None]
    if name in TEXTS or any(isinstance(value, str) for value in known):
        return str
    if len(known) == len(values) > 0:
        for kind, accepted in ((bool, (bool, np.bool_)), (int, (int, np.integer))):
            if all(isinstance(value, accepted) for value in known):
                return kind
    return float


# -- rows of each kind -------------------------------------------------------------------------------------


@singledispatch
def rows_of(result: Any) -> list[Row]:
    """Return the rows of a result."""
    raise InvalidInputError(f"There is no table of {type(result).__name__}.", hint="to_dict() has all that it holds.")


def _estimate(estimate: Estimate | None) -> Row:
    if estimate is None:
        return {}
    low, high = estimate.hdi
    return {"observed": estimate.observed, "mean": estimate.mean, "std": estimate.std, "hdi_low": low, "hdi_high": high}


def _verdict(rope: Interval | None, regions: Regions | None, decision: Decision | None) -> Row:
    low, high = (None, None) if rope is None else rope
    masses = ("below", "inside", "above")
    return {
        "rope_low": low,
        "rope_high": high,
        **{name: None if regions is None else getattr(regions, name) for name in masses},
        "decision": None if decision is None else decision.symbol,
        "code": None if decision is None else decision.code,
        "conclusive": decision is not None and decision.conclusive,
        "leaning": None if decision is None else decision.leaning,
    }


def _question(recipe: Recipe) -> Row:
    return {"metric": recipe.metric.name, "pos_label": recipe.pos_label_text}


@rows_of.register
def _(r: Comparison) -> list[Row]:
    return [_comparison(c) for c in r.metrics]


def _comparison(c: Comparison) -> Row:
    scores = {"score_a": c.estimate_a, "score_b": c.estimate_b}
    return {
        **_question(c.recipe),
        "a": c.a,
        "b": c.b,
        **{name: None if estimate is None else estimate.mean for name, estimate in scores.items()},
        **_estimate(c.delta),
        "prob_below_zero": c.prob_below_zero,
        "prob_above_zero": c.prob_above_zero,
        **_verdict(c.rope, c.regions, c.decision),
        "n_items": c.recipe.n_items,
        "model": c.recipe.model.name,
    }


@rows_of.register
def _(r: PopulationComparison) -> list[Row]:
    next_ = {f"next_{name}": getattr(r.next, name, None) for name in ("below", "inside", "above")}
    return [{**_comparison(r), **next_, "tau": r.tau}]


@rows_of.register
def _(r: PooledEstimates) -> list[Row]:
    return [
        {
            "unit": u.name,
            "se": u.se,
            **_estimate(u.estimate),
            **_verdict(r.rope, u.regions, None),
            "shrunk_by": u.shrunk_by,
        }
        for u in r.units
    ]


@rows_of.register
def _(r: ClassComparisons) -> list[Row]:
    return [_comparison(c) for c in r.comparisons]


@rows_of.register
def _(r: TaskComparisons) -> list[Row]:
    return [{"task": task, **_comparison(c)} for task, c in zip(r.tasks, r.comparisons, strict=True)]


@rows_of.register
def _(r: Gate) -> list[Row]:
    return [
        {
            "require": check.requirement.require,
            "margin": check.requirement.margin,
            "task": check.task,
            "outcome": check.outcome,
            "reason": check.reason,
            "chance": check.chance,
            **_comparison(check.comparison),
        }
        for check in r
    ]


@rows_of.register
def _(r: ListedItems) -> list[Row]:
    return [{heading: getattr(item, part) for part, heading in r.columns.items()} for item in r.rows]


@rows_of.register
def _(r: Slices) -> list[Row]:
    return [{"slice": None if s.value is None else str(s.value), **_comparison(s.comparison)} for s in r]


@rows_of.register
def _(r: PriorSensitivity) -> list[Row]:
    return [{"which": which, **_comparison(c)} for which, c in r.rows]


@rows_of.register
def _(m: MetricPosterior) -> list[Row]:
    return [
        {
            "name": m.draws.names[0],
            **_question(m.recipe),
            **_estimate(m.estimate),
            "at_least": m.bar,
            "prob_at_least": m.prob_at_least,
            **_verdict(m.recipe.rope, m.regions, m.decision),
            "n_items": m.recipe.n_items,
            "model": m.recipe.model.name,
        }
    ]


@rows_of.register
def _(r: Evaluation) -> list[Row]:
    return [{**row, "name": r.name} for metric in r.metrics for row in rows_of(metric)]


@rows_of.register
def _(r: Validated) -> list[Row]:
    return [
        {"setting": setting.text, "chosen": i == r.chosen, "metric": r.metric, **_estimate(setting.validation.estimate)}
        for i, setting in enumerate(r.settings)
    ]


@rows_of.register
def _(r: Ranking) -> list[Row]:
    return [
        {
            "name": model.name,
            **_question(r.recipe),
            **_estimate(model.estimate),
            "p_best": model.p_best,
            "expected_rank": model.expected_rank,
            "expected_loss": model.expected_loss,
        }
        for model in r.models
    ]


def _pairs(r: Any) -> list[Row]:
    """Return a row per pair of a ranking."""
    if not isinstance(r, Ranking):
        raise InvalidInputError(
            wording("`pairs` is about rankings, and this is a {}.", type(r).__name__), hint="leave it out."
        )
    return [
        {
            **_question(r.recipe),
            "a": pair.a,
            "b": pair.b,
            **_estimate(pair.delta),
            "prob_below_zero": pair.contrast.prob_below_zero,
            "prob_above_zero": pair.contrast.prob_above_zero,
            **_verdict(r.recipe.rope, pair.contrast.regions, pair.decision),
        }
        for pair in r.pairwise
    ]


def _power(row: PowerRow) -> Row:
    shares = {verdict.name.lower(): float(row.decisions.get(verdict, 0.0)) for verdict in Verdict}
    whole = {"n": row.n, "power": row.power, "low": row.low, "high": row.high, "simulations": row.simulations}
    return {**whole, **shares, "no_verdict": row.no_verdict, "wrong": row.wrong}


@rows_of.register
def _(r: Study) -> list[Row]:
    return [{"goal": r.design.goal, **_power(row)} for row in getattr(r, "rows", ())]


@rows_of.register
def _(r: StoppingResult) -> list[Row]:
    rules = (("stopped", r.row, r.covered), ("plain", r.plain, r.plain_covered), ("fixed", r.fixed, r.fixed_covered))
    return [{"which": which, **_power(row), "covered": covered} for which, row, covered in rules if row is not None]


@rows_of.register
def _(r: LabelPlan) -> list[Row]:
    return [{"a": r.a, "b": r.b, "n": row.n, "worth": row.worth, "loss": row.loss} for row in r.rows]


@rows_of.register
def _(test: ClassicalTest) -> list[Row]:
    effect = {} if test.effect is None else {"effect": test.effect.name, "value": test.effect.value}
    return [{"test": test.name, "statistic": test.statistic, "p_value": test.p_value, "n": test.n, **effect}]


@rows_of.register
def _(r: Battery) -> list[Row]:
    done: Mapping[str, Row] = {key: rows_of(test)[0] for key, test in r.tests.items() if test is not None}
    empty = dict.fromkeys(("statistic", "p_value", "n"))
    return [
        {"a": r.a, "b": r.b, "test": key, **{k: v for k, v in done.get(key, empty).items() if k != "test"}}
        | {"reason": r.reasons.get(key)}
        for key in r.tests
    ]


@rows_of.register
def _(r: Nemenyi) -> list[Row]:
    return [{"a": a, "b": b, "difference": r.ranks[a] - r.ranks[b], "p_value": p} for (a, b), p in r.p_values.items()]


@rows_of.register
def _(r: Confusion) -> list[Row]:
    places = np.argwhere(np.ones(r.counts.shape, dtype=bool)).tolist()
    return [
        {
            "name": r.name,
            "truth": label_text(r.rows[i]),
            "predicted": label_text(r.labels[j]),
            "count": int(r.counts[i, j]),
            **{name: float(getattr(r, name)[i, j]) for name in ("mean", "low", "high")},
        }
        for i, j in places
    ]


@rows_of.register
def _(r: PredictiveCheck) -> list[Row]:
    return [
        {
            "statistic": row.statistic,
            "classifiers": ", ".join(row.classifiers),
            "label": None if row.label is None else label_text(row.label),
            "observed": row.observed,
            "mean": row.mean,
            "low": row.interval.low,
            "high": row.interval.high,
            "p_value": row.p_value,
        }
        for row in r.rows
    ]


@rows_of.register
def _(curve: Curve) -> list[Row]:
    band = curve.band
    names = ("x", "observed", "mean", "low", "high", "all_low", "all_high")
    columns = [np.asarray(getattr(band, name), dtype=np.float64).tolist() for name in names]
    return [{"name": curve.name, **dict(zip(names, row, strict=True))} for row in zip(*columns, strict=True)]
