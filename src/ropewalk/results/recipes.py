"""Recipes as JSON: what an answer was made of, so that a file of results can be asked further questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from ropewalk._checks import check_draws, check_prevalence, check_prob, check_seed, choose
from ropewalk.data.labels import label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.decision import parse_rope
from ropewalk.draws.intervals import Interval
from ropewalk.errors import FileFormatError, RopewalkError
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.models.registry import model_dict, read_model
from ropewalk.results.base import SCHEMA, Recipe
from ropewalk.typing import Rule


def recipe_dict(recipe: Recipe) -> dict[str, Any] | None:
    """Return what a JSON file must hold to get the answer again, beside what it says anyway.

    Tables are what `Outcomes.to_json` writes, their labels as text: so the answer is the same from arrays and from a
    text file. None where the data are too many (scores, clusters), or where a model or
    metric is somebody's own.
    """
    tables = [table for table in recipe.tables if isinstance(table, Outcomes) and table.clusters is None]
    metric = recipe.metric
    if len(tables) < len(recipe.tables) or not isinstance(metric, Metric):
        return None
    model = model_dict(recipe.model)
    if model is None:
        return None
    told = {
        "model": model,
        "classes": None if metric.classes is None else list(metric.classes),
        "cost_matrix": None if metric.cost is None else [list(row) for row in metric.cost],
        "pos_label": None if recipe.pos_label is None else label_text(recipe.pos_label),
        "draws": recipe.draws,
        "tables": [replace(table, labels=tuple(map(label_text, table.labels))).to_json() for table in tables],
    }
    try:
        same = _metric(metric.name, told, tables[0].n_labels) == metric
    except RopewalkError:
        same = False
    return told if same else None


def read_recipe(answer: Any) -> Recipe:
    """Return the recipe of an answer that was written as JSON."""
    told = answer.get("recipe") if isinstance(answer, Mapping) and answer.get("schema") == SCHEMA else None
    if not isinstance(told, Mapping):
        raise FileFormatError(
            "This is no comparison that can be asked again: it holds no recipe.",
            hint="write one with `ropewalk compare … --json`, or to_json(); scores, clusters, items of many labels and "
            "metrics of your own have none.",
        )
    try:
        tables = tuple(Outcomes.from_json(text) for text in told["tables"])
        rope = answer["rope"]
        ends = None if rope is None else Interval(*(_end(end, sign) for end, sign in zip(rope, (-1, 1), strict=True)))
        shares = answer["prevalence"]
        return Recipe(
            tables=tables,
            model=read_model(told["model"]),
            metric=_metric(answer["metric"], told, tables[0].n_labels),
            pos_label=told["pos_label"],
            prevalence=check_prevalence(shares, tables[0].labels),
            rope=parse_rope(ends),
            prob=check_prob(answer["prob"]),
            rule=choose(answer["rule"], {name: name for name in get_args(Rule)}, "rule"),
            draws=check_draws(told["draws"]),
            seed=check_seed(answer["seed"]),
            data_hash=str(answer["data_hash"]),
            n_items=int(answer["n_items"]),
        )
    except FileFormatError:
        raise
    except RopewalkError as error:
        raise FileFormatError(f"The recipe in this file cannot be used: {error.message}") from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FileFormatError(f"The recipe in this file cannot be read: {type(error).__name__}: {error}.") from error


def _metric(name: str, told: Mapping[str, Any], n_labels: int) -> Metric:
    found = parse_metric(name, told["cost_matrix"]).at(n_labels - 1)
    return found if told["classes"] is None else replace(found, classes=tuple(told["classes"]))


def _end(end: float | None, sign: int) -> float:
    return sign * float("inf") if end is None else float(end)
