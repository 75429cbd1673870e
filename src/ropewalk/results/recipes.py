"""What a JSON file must hold to get an answer again: read with suspicion, since somebody may have edited it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, get_args

from ropewalk._checks import check_draws, check_prevalence, check_prob, check_seed, choose, is_whole
from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.intervals import Interval
from ropewalk.draws.rope import parse_rope
from ropewalk.errors import FileFormatError, RopewalkError
from ropewalk.mcmc.sampler import Sampler
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.models import model_dict, read_model
from ropewalk.models.protocol import Model
from ropewalk.results.base import SCHEMA, Recipe
from ropewalk.text.writing import reason, told
from ropewalk.typing import Rule

_AGAIN: Final = "write it again by rw.compare(…).to_json(), or `ropewalk compare … --json`."


def recipe_dict(recipe: Recipe) -> dict[str, Any] | None:
    """Return what a JSON file must hold to get the answer again, beside what it says anyway.

    Tables are what `Outcomes.to_json` writes, their labels as text: so the answer is the same from arrays and from a
    text file. None where the data are too many (scores, clusters, weights), or a model or metric is the user's own.
    """
    tables = [table for table in recipe.tables if isinstance(table, Outcomes) and table.units is None]
    metric = recipe.metric
    if len(tables) < len(recipe.tables) or not isinstance(metric, Metric):
        return None
    model = model_dict(recipe.model)
    if model is None:
        return None
    written = {
        "model": model,
        "classes": None if metric.classes is None else list(metric.classes),
        "cost_matrix": None if metric.cost is None else [list(row) for row in metric.cost],
        "pos_label": recipe.pos_label_text,
        "draws": recipe.draws,
        "tables": [replace(table, labels=tuple(map(label_text, table.labels))).to_json() for table in tables],
        **({} if recipe.sampler is None else {"sampler": asdict(recipe.sampler)}),
    }
    written["fingerprint"] = _fingerprint(tables, recipe.data_hash, recipe.n_items)
    try:
        same = _metric(metric.name, written, tables[0].n_labels) == metric
    except RopewalkError:
        same = False
    return written if same else None


def read_recipe(answer: Any) -> Recipe:
    """Return the recipe of an answer that was written as JSON."""
    written = answer.get("recipe") if isinstance(answer, Mapping) and answer.get("schema") == SCHEMA else None
    if not isinstance(written, Mapping):
        raise FileFormatError(
            "This is not a comparison that can be asked again: it holds no recipe.",
            hint="write one with `ropewalk compare … --json`, or to_json(); scores, clusters, weighted items, "
            "items of many labels and metrics of your own have none.",
        )
    try:
        tables = _tables(written["tables"])
        model = read_model(written["model"])
        _check_shape(model, tables)
        rope = answer["rope"]
        if rope is not None:
            low, high = rope
            rope = Interval(-math.inf if low is None else float(low), math.inf if high is None else float(high))
        recipe = Recipe(
            tables=tables,
            model=model,
            metric=_metric(answer["metric"], written, tables[0].n_labels),
            pos_label=_pos_label(answer, written, tables),
            prevalence=check_prevalence(answer["prevalence"], tables[0].labels),
            rope=parse_rope(rope),
            prob=check_prob(answer["prob"]),
            rule=choose(answer["rule"], {name: name for name in get_args(Rule)}, "rule"),
            draws=check_draws(written["draws"]),
            seed=check_seed(answer["seed"]),
            data_hash=_data_hash(answer["data_hash"], tables, ordered=written["pos_label"] is not None),
            n_items=_n_items(answer["n_items"], tables),
            sampler=Sampler(**written.get("sampler", {})) if answer["engine"] == "pymc" else None,
        )
    except FileFormatError:
        raise
    except RopewalkError as error:
        raise FileFormatError(f"The recipe in this file cannot be used: {reason(error)}.", hint=_AGAIN) from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
        problem = f"{type(error).__name__}: {reason(error)}"
        raise FileFormatError(f"The recipe in this file cannot be read: {problem}.", hint=_AGAIN) from error
    if written.get("fingerprint", known := _fingerprint(tables, recipe.data_hash, recipe.n_items)) != known:
        raise _edited("its counts, `n_items` or `data_hash` are not those that were compared")
    return recipe


def _fingerprint(tables: Iterable[AnyOutcomes], data_hash: str, n_items: int) -> str:
    """Return what tells whether the counts, or what is said of the data that they come from, were edited."""
    content = [[table.data_hash for table in tables], data_hash, n_items]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def _edited(problem: str) -> FileFormatError:
    return FileFormatError(f"The recipe in this file was edited: {problem}.", hint=_AGAIN)


def _tables(texts: Any) -> tuple[Outcomes, ...]:
    """Read the tables, which are of the same labels."""
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise _edited(f"`tables` must be texts; got {told(texts)}")
    tables = tuple(map(Outcomes.from_json, texts))
    if len({table.labels for table in tables}) > 1:
        raise _edited("its tables have different labels")
    return tables


def _check_shape(model: Model, tables: Sequence[Outcomes]) -> None:
    """Check that there is one table of all classifiers for a paired model, and one of each for others."""
    alone = len(tables) > 1 or not model.paired
    if alone and any(table.n_classifiers > 1 for table in tables):
        raise _edited("its tables are not of one classifier each")


def _pos_label(answer: Mapping[str, Any], written: Mapping[str, Any], tables: Sequence[Outcomes]) -> str | None:
    """Return the positive class, which the answer names too."""
    label: str | None = written["pos_label"]
    if label is not None and label not in tables[0].labels:
        raise _edited(f"the positive class {told(label)} is no label of its tables")
    if answer["pos_label"] != label:
        raise _edited(f"`pos_label` is {told(answer['pos_label'])} in the answer, and {told(label)} in the recipe")
    return label


def _n_items(n_items: Any, tables: Sequence[Outcomes]) -> int:
    """Return how many items there are: those of all tables, or of each where they stand for the same items."""
    counts = [table.n_items for table in tables]
    if not is_whole(n_items) or n_items not in {sum(counts), max(counts) if len(set(counts)) == 1 else sum(counts)}:
        raise _edited(f"`n_items` is {told(n_items)}, and its tables hold {sum(counts):,}")
    return int(n_items)


def _data_hash(data_hash: Any, tables: Sequence[Outcomes], *, ordered: bool) -> str:
    """Return the fingerprint of the data: that of the table, unless it was taken apart, or `ordered` by a class."""
    known = tables[0].data_hash
    if not isinstance(data_hash, str) or (len(tables) == 1 and not ordered and data_hash != known):
        raise _edited(f"`data_hash` is {told(data_hash)}, and that of its table is {known}")
    return data_hash


def _metric(name: str, written: Mapping[str, Any], n_labels: int) -> Metric:
    """Return the metric that was written, with its classes."""
    metric, classes = parse_metric(name, written["cost_matrix"]).at(n_labels - 1), written["classes"]
    if classes is None:
        return metric
    if not metric.is_average or not isinstance(classes, list) or not classes or len(set(classes)) < len(classes):
        raise _edited(f"`classes` are {told(classes)}")
    if not all(is_whole(place) and 0 <= place < n_labels for place in classes):
        raise _edited(f"`classes` are {told(classes)}, and there are {n_labels} labels")
    return replace(metric, classes=tuple(classes))
