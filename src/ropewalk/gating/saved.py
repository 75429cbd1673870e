"""A base line that was measured before: its counts come from a saved result, and only the candidate is read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ropewalk._files import shorten_path
from ropewalk.data.labels import label_text
from ropewalk.data.opening import parse_json, read_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, UnknownNameError
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.results import Comparison, Recipe, Rendered
from ropewalk.results.recipes import read_recipe
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.text.writing import did_you_mean, reason, shorten, told
from ropewalk.verbs.evaluation import read_one_system

MAX_RESULT_BYTES: Final = 1 << 26
"""The longest file of a saved result."""

_WRITE_ONE: Final = "write one by `ropewalk evaluate … --json`, `ropewalk compare … --json` or to_json()."
_IDLE: Final = ("task", "over", "weights", "runs", "run", "human", "human_a", "human_b", "unmatched")
"""What goes with two systems on the same items."""

_OF_READING: Final = ("labels", "names", "truth", "count", "id", "missing", "sample_weight", "cluster", "threshold")
"""What was asked of data when they were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedBaseline:
    """A saved result: the recipe behind each metric, and the system of it that is the base line."""

    name: str
    recipes: Mapping[str, Recipe]

    @classmethod
    def read(cls, saved: Any, name: str | None) -> SavedBaseline:
        """Read a file, the JSON object of a result, or a result; `name` picks one of its systems."""
        rows = _rows(_document(saved))
        recipes = {recipe.metric.name: recipe for recipe in map(read_recipe, rows)}
        if any("fingerprint" not in row["recipe"] for row in rows):  # by which an edited count is found
            raise FileFormatError("The recipe in this file was edited: its `fingerprint` is missing.", hint=_WRITE_ONE)
        names = list(dict.fromkeys(system for recipe in recipes.values() for system in recipe.names))
        if name is None and len(names) > 1:
            raise InvalidInputError(
                f"The saved result is about {shorten(names)}.",
                hint=wording("name the base line of them as b={!r}.", names[0]),
            )
        if name is not None and name not in names:
            raise UnknownNameError(
                f"The saved result is about {shorten(names)}, and not about {told(name)}.",
                hint=did_you_mean(name, names) + wording("name one of them as b=."),
            )
        return cls(name=names[0] if name is None else name, recipes=recipes)

    def recipe_for(self, metric: Any) -> Recipe:
        """Return the recipe of the metric that is asked for; the only one there is, where none is named."""
        if metric is None:
            if len(self.recipes) > 1:
                raise InvalidInputError(
                    f"The saved result is about {shorten(self.recipes)}.", hint=wording("name one of them: metric=.")
                )
            return next(iter(self.recipes.values()))
        name = parse_metric(metric).name if isinstance(metric, str) else getattr(metric, "name", told(metric))
        if name not in self.recipes:
            raise DataError(
                f"The base line was asked another question: its saved result is about {shorten(self.recipes)}, and the "
                f"gate about {told(name)}.",
                hint="evaluate the base line again by this metric, or require what was measured.",
            )
        return self.recipes[name]


def pair_with_saved(
    data: Sequence[Any], a: str | None, saved: SavedBaseline, metric: Any, options: Mapping[str, Any]
) -> tuple[tuple[Outcomes, Outcomes], dict[str, Any], tuple[Remark, ...]]:
    """Return the tables of candidate and base line, how they are asked, and what is to be known of them."""
    for name in _IDLE:
        if (value := options.get(name)) is not None and not (isinstance(value, str) and value == "error"):
            raise InvalidInputError(
                wording("`{}` does not go with a saved base line.", name), hint="leave it out, or give both systems."
            )
    recipe = saved.recipe_for(metric)
    asked = {**options, "metric": recipe.metric.name, "pos_label": None, "classes": None}
    if (label := options.get("pos_label")) is not None and label_text(label) != recipe.pos_label:
        raise _asked_otherwise("positive class", label_text(label), recipe.pos_label)
    sources, named = read_one_system(data, a, asked)
    tables = [table for kind in sources.values() for table in kind]
    table = tables[0]
    if not isinstance(table, Outcomes) or table.units is not None or table.score is not None:
        raise DataError(
            "A saved base line is of labels, each item counting alike; these data are scores, clusters or weighted.",
            hint="give the data of both systems: they are paired item by item then, which tells more.",
        )
    old = _table_of(recipe, saved.name).project([saved.name])
    new = _like(table.relabel(tuple(map(label_text, table.labels))), old, recipe)
    if new.names == old.names:
        old = old.rename([f"{saved.name} (saved)"])
    how = {name: value for name, value in named.items() if name not in _OF_READING}
    how |= {"pos_label": recipe.pos_label, "classes": _picked(recipe, options)}
    if isinstance(recipe.metric, Metric) and recipe.metric.cost is not None and options.get("cost_matrix") is None:
        how["cost_matrix"] = recipe.metric.cost
    return (new, old), how, (note("saved_baseline", _told_of(new, old)),)


def check_same_question(comparison: Comparison, recipe: Recipe) -> None:
    """Refuse a saved base line that was measured otherwise than the candidate."""
    here = comparison.recipe
    pairs = {
        "metric": (here.metric.name, recipe.metric.name),
        "positive class": (here.pos_label_text, recipe.pos_label_text),
        "class mix": (here.prevalence, recipe.prevalence),
        "classes of the average": (here.picked_texts, recipe.picked_texts),
        "costs": (getattr(here.metric, "cost", None), getattr(recipe.metric, "cost", None)),
    }
    for what, (now, then) in pairs.items():
        if now != then:
            raise _asked_otherwise(what, now, then)


def _asked_otherwise(what: str, now: Any, then: Any) -> DataError:
    return DataError(
        f"The base line was asked another question: its {what} is {told(then)}, and that of the gate {told(now)}.",
        hint="evaluate the base line again, or ask as it was asked.",
    )


def _document(saved: Any) -> Mapping[str, Any]:
    """Return the JSON object of a saved result."""
    if isinstance(saved, Rendered):
        return saved.to_dict()
    if isinstance(saved, Mapping):
        return saved
    if not isinstance(saved, str | os.PathLike):
        raise InvalidInputError(f"`baseline` cannot be {told(saved)}.", hint=f"it is a saved result: {_WRITE_ONE}")
    try:
        document = parse_json(read_text(saved, MAX_RESULT_BYTES))
    except FileFormatError:
        raise
    except ValueError as error:
        raise FileFormatError(f"{shorten_path(saved)} is no JSON: {reason(error)}.", hint=_WRITE_ONE) from error
    if not isinstance(document, Mapping):
        raise FileFormatError(f"{shorten_path(saved)} is no saved result.", hint=_WRITE_ONE)
    return document


def _rows(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the answers by single metrics that a result holds, each with its question."""
    rows = document.get("metrics")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, Mapping) for row in rows):
        return [document]
    return [{**document, **row, **_class_of(document, row)} for row in rows]


def _class_of(document: Mapping[str, Any], row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the positive class of a metric, which is that of the document where the metric has one."""
    recipe = row.get("recipe")
    label = recipe.get("pos_label") if isinstance(recipe, Mapping) else None
    return {"pos_label": None} if label is None and "pos_label" not in row and "pos_label" in document else {}


def _table_of(recipe: Recipe, name: str) -> Outcomes:
    return next(table for table in recipe.tables if isinstance(table, Outcomes) and name in table.names)


def _like(table: Outcomes, old: Outcomes, recipe: Recipe) -> Outcomes:
    """Return the candidate's table over the labels of the base line."""
    if recipe.pos_label in table.labels and not set(table.labels) <= set(old.labels):
        one_class = table.collapse(recipe.pos_label)
        table = one_class if set(one_class.labels) == set(old.labels) else table
    strangers = [label for label in table.labels if label not in old.labels]
    if strangers:
        raise DataError(
            f"The candidate's data have labels that the base line's have not: {shorten(strangers)}.",
            hint="both must be measured on the same classes; evaluate the base line again on these data.",
        )
    return table.over(old.labels)


def _picked(recipe: Recipe, options: Mapping[str, Any]) -> Any:
    chosen = options.get("classes")
    return recipe.picked if chosen is None else [label_text(label) for label in chosen]


def _told_of(new: Outcomes, old: Outcomes) -> str:
    """Say what a saved base line lacks: which answers were to the same items."""
    same = new.items_by_class().tolist() == old.items_by_class().tolist()
    text = "The base line comes from a saved result, which does not say which answers were to the same items: the two "
    text += "are compared as if on separate test sets, and the interval is wider than if both were given."
    if not same:
        text += " The base line was measured on other items: differences between the test sets are in the interval "
        text += "only if both were drawn from the same source."
    return text
