"""What a page shows beyond the answer: the question class by class, under other priors, and where the two differ.

All on a small budget of draws, so that to write a page costs a fraction of a second.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

import numpy as np

from ropewalk import report
from ropewalk._engine import write_recipe
from ropewalk.analysis.confusion import confusion
from ropewalk.compare import default_model, run
from ropewalk.data.labels import NO_ANSWER, label_text
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.metrics.registry import METRICS, Metric
from ropewalk.models import Bootstrap
from ropewalk.models.posterior import observed_tables
from ropewalk.report.extras import ClassAgreement, Extras
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    Confusion,
    CrossComparison,
    Evaluation,
    PriorSensitivity,
    Ranking,
    Recipe,
    Rendered,
)
from ropewalk.sensitivity import other_priors, prior_sensitivity

_WORK: Final = 4_000_000  # random numbers for all that a page adds to an answer, each about 20 ns
_DRAWS: Final = (1_000, 10_000)
_TOO_MUCH: Final = 4 * _WORK
_CLASSES: Final = 20
_BINARY: Final = 2
_MATRIX: Final = 200  # classes: larger matrices are of no use to anybody


def html(result: Rendered, path: str | os.PathLike[str] | None = None) -> str:
    """Return one self-contained page about a result, and write it to `path` if given."""
    return report.html(result, path, extras=gather(result))


def gather(result: Rendered) -> Extras:
    """Return what the page of a result shows beside it."""
    if isinstance(result, CrossComparison):
        return gather(result.comparison)
    if isinstance(result, Comparison):
        shown = _classes(result)
        return Extras(
            classes=shown,
            n_classes=result.recipe.tables[0].n_labels,
            priors=_priors(result),
            agreement=_agreement(result.recipe, result.a, result.b),
            confusions=_confusions(result.recipe),
        )
    if isinstance(result, Ranking):
        return Extras(confusions=_confusions(result.recipe))
    if isinstance(result, Evaluation):
        return Extras(confusions=_confusions(result.metrics[0].recipe))
    return Extras()


def _affordable(work: int, runs: int) -> int | None:
    """Return how many draws each of so many runs gets; None where even the fewest are too many."""
    least, most = _DRAWS
    if least * work * runs > _TOO_MUCH:
        return None
    return min(max(_WORK // max(work * runs, 1) // 1_000 * 1_000, least), most)


def _priors(answer: Comparison) -> PriorSensitivity | None:
    recipe = answer.recipe
    others = other_priors(recipe)
    if not others:
        return None
    work = sum(recipe.model.fit(table).work for table in recipe.tables)
    draws = _affordable(work, len(others))
    return None if draws is None else prior_sensitivity(answer, draws=min(draws, len(answer.draws)))


def _of_a_class(metric: Metric) -> Metric:
    """Return the metric that each class has of its own: what an average is over, else the recall."""
    if metric.by_class and metric.average is not None:
        return replace(metric, name=metric.name.removeprefix(f"{metric.average}_"), average=None, classes=None)
    return METRICS["recall"]


def _classes(answer: Comparison) -> ClassComparisons | None:
    """Ask the same of every class against the rest, or of those where the two differ most on the data."""
    recipe = answer.recipe
    tables = [table for table in recipe.tables if not isinstance(table, ItemScores)]
    if not tables or tables[0].n_labels <= _BINARY or recipe.prevalence is not None:
        return None
    metric = _of_a_class(recipe.metric)  # type: ignore[arg-type]
    draws = min(_DRAWS[1] // 2, len(answer.draws))
    model = Bootstrap(paired=len(tables) == 1) if isinstance(recipe.model, Bootstrap) else None
    rope = None if recipe.rope is None else tuple(recipe.rope)
    found = []
    for label in _most_different(tables, recipe, metric):
        asked = write_recipe(
            tables,
            default=default_model(separate=len(tables) > 1 or not recipe.model.paired),
            metric=metric, pos_label=label, model=model, rope=rope, prob=recipe.prob, rule=recipe.rule,
            draws=draws, seed=recipe.seed,
        )  # fmt: skip
        found.append(run(replace(asked, no_verdict=recipe.no_verdict), evidence=False))
    return ClassComparisons(comparisons=tuple(found))


def _most_different(tables: list[AnyOutcomes], recipe: Recipe, metric: Metric) -> list[object]:
    """Return the classes of the question, at most 20: those whose observed values differ most, in label order."""
    labels = tables[0].labels
    places = [j for j in recipe.metric.classes or range(len(labels)) if labels[j] != NO_ANSWER]
    if len(places) > _CLASSES:
        average = replace(metric, average="macro", classes=None)
        values = np.concatenate([average.by_label(observed_tables(table))[0][:, 0] for table in tables])
        differ = np.abs(values[0] - values[1])
        places = sorted(sorted(places, key=lambda j: -differ[j])[:_CLASSES])
    return [labels[j] for j in places]


def _agreement(recipe: Recipe, a: str, b: str) -> tuple[ClassAgreement, ...]:
    """Count who was right, by true class, where both classifiers saw the same items."""
    table = recipe.tables[0]
    if len(recipe.tables) > 1 or not isinstance(table, Outcomes):
        return ()
    truth = table.codes[:, 0]
    right_a, right_b = (table.codes[:, 1 + table.position(name)] == truth for name in (a, b))
    kinds = [right_a & right_b, right_a & ~right_b, ~right_a & right_b, ~right_a & ~right_b]
    by_class = [np.bincount(truth[k], weights=table.counts[k], minlength=table.n_labels) for k in kinds]
    return tuple(
        ClassAgreement(
            label=label_text(label),
            both=int(by_class[0][j]),
            only_a=int(by_class[1][j]),
            only_b=int(by_class[2][j]),
            neither=int(by_class[3][j]),
        )
        for j, label in enumerate(table.labels)
        if label != NO_ANSWER
    )


def _confusions(recipe: Recipe) -> tuple[Confusion, ...]:
    """Return the confusion matrix of every classifier, where an item has one label."""
    found = []
    for table in recipe.tables:
        if not isinstance(table, Outcomes) or not 1 < table.n_labels <= _MATRIX or not table.n_items:
            return ()
        found += [confusion(table, name, prob=recipe.prob, rng=recipe.seed) for name in table.names]
    return tuple(found)
