"""What a page shows beyond the answer: the question class by class, under other priors, and where the two differ.

All on a small budget of draws, so that to write a page costs a fraction of a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk.data.labels import NO_ANSWER, label_text
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.inference.answers import run_comparison
from ropewalk.inference.confusions import confusion
from ropewalk.inference.question import default_model, write_recipe
from ropewalk.inference.sensitivity import known_of, other_priors, prior_sensitivity, under, why_none
from ropewalk.metrics.registry import METRICS, Metric
from ropewalk.models import Bootstrap
from ropewalk.models.posterior import observed_tables
from ropewalk.results import ClassComparisons, Comparison, Confusion, PriorSensitivity, Recipe
from ropewalk.typing import Label

_WORK: Final = 4_000_000  # random numbers for each thing that a page adds to an answer, about 20 ns apiece
_DRAWS: Final = (1_000, 5_000)
_CLASSES: Final = 20
_BINARY: Final = 2
_MATRIX: Final = 25  # classes: larger matrices are of no use on a page
_CONFUSED: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAgreement:
    """How many items of a true class both, only A, only B and neither classified right."""

    label: str
    both: int
    only_a: int
    only_b: int
    neither: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistaken:
    """How often each of the two took a true class for another one: items, and their share of the class."""

    truth: str
    said: str
    items: tuple[int, int]
    shares: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """The same question class by class and under other priors, where the two agree, and their confusion matrices.

    `n_classes` is how many classes the question is about; `classes` may hold only those with the largest observed
    differences; `rope` is whether the answer was judged by one. `mistaken` are the confusions in which the two differ
    most. `left_out` says what is not on the page, and why, in a sentence each.
    """

    classes: ClassComparisons | None = None
    n_classes: int = 0
    rope: bool = False
    priors: PriorSensitivity | None = None
    agreement: tuple[ClassAgreement, ...] = ()
    mistaken: tuple[Mistaken, ...] = ()
    confusions: tuple[Confusion, ...] = ()
    left_out: tuple[str, ...] = ()


def gather(answer: Comparison) -> Extras:
    """Return what the page of a comparison shows beside it."""
    recipe = answer.recipe
    classes, n_classes = _classes(answer)
    priors = _priors(answer)
    return Extras(
        classes=classes,
        n_classes=n_classes,
        rope=recipe.rope is not None,
        priors=priors,
        agreement=_agreement(recipe, answer.a, answer.b),
        mistaken=_mistaken(recipe, answer.a, answer.b),
        confusions=confusions_of(recipe),
        left_out=_left_out(recipe, classes, priors),
    )


def _affordable(work: int) -> int | None:
    """Return how many draws of so much work there may be; None where even the fewest are too many."""
    least, most = _DRAWS
    if least * work > 4 * _WORK:
        return None
    return min(max(_WORK // max(work, 1) // 1_000 * 1_000, least), most)


def _work(recipe: Recipe) -> int:
    """Return how many random numbers a draw takes."""
    return sum(recipe.model.fit(table).work for table in recipe.tables)


def _left_out(recipe: Recipe, classes: ClassComparisons | None, priors: PriorSensitivity | None) -> tuple[str, ...]:
    """Say what the page of a model does not have that those of others have."""
    told = []
    if classes is None and _has_classes(recipe) and recipe.prevalence is None and recipe.model.moves:
        told.append("The question class by class, since it would be about the labels as they stand in the data.")
    if priors is None and not recipe.model.exact:
        some = other_priors(recipe, same_pairing=True)
        why = "each would have to be sampled, as r.prior_sensitivity() does" if some else why_none(recipe)
        told.append(f"Other priors: {why}.")
    return tuple(told)


def _priors(answer: Comparison) -> PriorSensitivity | None:
    """Ask again under other priors of models that pair items in the same way: to drop the pairing is no prior.

    What would have to be sampled by Markov chains is left out, unless the chains are there already.
    """
    recipe = answer.recipe
    models = [model for _, model in other_priors(recipe, same_pairing=True)]
    if not models or any(not model.exact and known_of(answer, model).chains is None for model in models):
        return None
    exact = [under(recipe, model) for model in models if model.exact]
    # One is fitted, and the others are alike in their work.
    draws = _affordable(len(exact) * _work(exact[0])) if exact else len(answer.draws)
    if draws is None:
        return None
    return prior_sensitivity(answer, draws=min(draws, len(answer.draws)), same_pairing=True)


def _of_a_class(metric: Metric) -> Metric | None:
    """Return the metric that each class has of its own: what an average is over. None where it is no such average."""
    if metric.by_class and metric.average is not None:
        return replace(metric, name=metric.name.removeprefix(f"{metric.average}_"), average=None, classes=None)
    return None


def _classes(answer: Comparison) -> tuple[ClassComparisons | None, int]:
    """Ask of every class against the rest, or of those where the two differ most; return also how many there are.

    Where the metric is no average over classes each one has its recall, and a ROPE of another metric judges none.
    """
    recipe = answer.recipe
    tables = [table for table in recipe.tables if not isinstance(table, ItemScores)]
    if not _has_classes(recipe) or recipe.prevalence is not None or recipe.model.moves:
        return None, 0
    own = _of_a_class(recipe.metric)  # type: ignore[arg-type]
    rope = None if own is None or recipe.rope is None else tuple(recipe.rope)
    metric = own or METRICS["recall"]
    model = Bootstrap(paired=len(tables) == 1) if recipe.model.reweights_items else None
    shown, n_classes = _shown_classes(tables, recipe, metric)
    asked = [
        write_recipe(
            tables,
            default=default_model(separate=len(tables) > 1 or not recipe.model.paired),
            metric=metric, pos_label=label, model=model, rope=rope, prob=recipe.prob, rule=recipe.rule,
            draws=1, seed=recipe.seed,
        )
        for label in shown
    ]  # fmt: skip
    draws = _affordable(len(asked) * _work(asked[0])) if asked else None  # classes of the same items are alike in it
    if draws is None:
        return None, n_classes
    draws = min(draws, len(answer.draws))
    known = known_of(answer)
    found = [run_comparison(replace(one, draws=draws), evidence=False, known=known) for one in asked]
    return ClassComparisons(comparisons=tuple(found)), n_classes


def _has_classes(recipe: Recipe) -> bool:
    """Whether there is more than one question to ask of a class against the rest."""
    table = recipe.tables[0]
    if isinstance(table, ItemScores):
        return False
    return table.n_labels > _BINARY or isinstance(table, MultilabelOutcomes)


def _shown_classes(tables: list[AnyOutcomes], recipe: Recipe, metric: Metric) -> tuple[list[Label], int]:
    """Return the classes of the question, and how many there are; of many, those whose observed values differ most."""
    labels = tables[0].labels
    places = [j for j in recipe.metric.classes or range(len(labels)) if labels[j] != NO_ANSWER]
    shown = places
    if len(places) > _CLASSES:
        average = replace(metric, average="macro", classes=None)
        values = np.concatenate([average.by_label(observed_tables(table))[0][:, 0] for table in tables])
        differ = np.abs(values[0] - values[1])
        shown = sorted(sorted(places, key=lambda j: -differ[j])[:_CLASSES])
    return [labels[j] for j in shown], len(places)


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


def _mistaken(recipe: Recipe, a: str, b: str) -> tuple[Mistaken, ...]:
    """Return which class is taken for which other one, where the two classifiers differ most."""
    tables = recipe.tables if len(recipe.tables) > 1 else recipe.tables * 2
    singles = [table for table in tables if isinstance(table, Outcomes)]
    if len(singles) < len(tables) or singles[0].n_labels <= _BINARY:
        return ()
    labels = singles[0].labels
    counts = np.stack([table.confusion(name) for table, name in zip(singles, (a, b), strict=True)])
    items = counts.sum(axis=2, keepdims=True)
    seen = (items > 0).all(axis=0)[:, 0]  # a class that one of them never met tells nothing
    shares = counts / np.maximum(items, 1)
    differ = np.abs(shares[0] - shares[1]) * items.mean(axis=0) * seen[:, np.newaxis]
    np.fill_diagonal(differ, 0.0)
    places = np.argsort(-differ, axis=None, kind="stable")[:_CONFUSED]
    return tuple(
        Mistaken(
            truth=label_text(labels[i]),
            said=label_text(labels[j]),
            items=(int(counts[0, i, j]), int(counts[1, i, j])),
            shares=(float(shares[0, i, j]), float(shares[1, i, j])),
        )
        for i, j in zip(*np.unravel_index(places, differ.shape), strict=True)
        if differ[i, j] > 0
    )


def confusions_of(recipe: Recipe) -> tuple[Confusion, ...]:
    """Return the confusion matrix of every classifier, where an item has one label."""
    tables = [table for table in recipe.tables if isinstance(table, Outcomes)]
    if len(tables) < len(recipe.tables) or not all(1 < t.n_labels <= _MATRIX and t.n_items for t in tables):
        return ()
    draws = _affordable(sum(table.n_classifiers * (table.n_clusters or 1) for table in tables))
    if draws is None:
        return ()
    how: Any = {"prob": recipe.prob, "rng": recipe.seed, "draws": draws}
    return tuple(confusion(table, name, **how) for table in tables for name in table.names)
