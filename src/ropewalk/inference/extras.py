"""The same question asked again: under other priors, and class by class; and where two classifiers differ.

A page shows these beyond the answer, on a small budget of draws, so that to write it costs a fraction of a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ropewalk.data.labels import NO_ANSWER, label_text
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import draw_comparison, remarks_beside, run_comparison
from ropewalk.inference.confusions import rates_of
from ropewalk.inference.question import default_model, write_recipe
from ropewalk.metrics.registry import METRICS, Metric
from ropewalk.models import Model, observed_tables, papers_models
from ropewalk.results import ClassComparisons, Comparison, Confusion, PriorSensitivity, Recipe
from ropewalk.typing import Label

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Chains

MAX_RANDOM_NUMBERS: Final = 4_000_000  # for each thing that a page adds to an answer, about 20 ns apiece
MIN_DRAWS: Final = 1_000
MAX_DRAWS: Final = 5_000
MAX_CLASSES_SHOWN: Final = 20
MAX_CLASSES_IN_MATRIX: Final = 25  # larger matrices are of no use on a page
MAX_CONFUSIONS_SHOWN: Final = 8
TWO_LABELS: Final = 2


# -- under other priors ------------------------------------------------------------------------------------


def prior_sensitivity(answer: Comparison, *, threads: int = 1) -> PriorSensitivity:
    """Run the recipe of `answer` with half and twice the prior mass, and with the papers' priors.

    Whatever sampled the answer, the others are drawn exactly where they can be.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0)
    >>> s = r.prior_sensitivity()
    >>> [which for which, _ in s.rows]
    ['as asked', 'half the prior mass', 'twice the prior mass', 'paired, SIGIR 2016', 'unpaired, SIGIR 2016']
    >>> s.robust
    True
    """
    answer.require_data("asked again under another prior")
    recipe = answer.recipe
    others = other_priors(recipe)
    if not others:
        raise InvalidInputError(f"The model {recipe.model.name!r} has no prior to vary.", hint=f"{why_none(recipe)}.")
    rows = [
        (which, run_comparison(under(recipe, model), threads=threads, chains=chains_for(answer, model)))
        for which, model in others
    ]
    return PriorSensitivity(rows=(("as asked", answer), *rows))


def why_none(recipe: Recipe) -> str:
    """Return why there is no other prior to ask under."""
    return recipe.model.no_papers or "there is none to take its place; ask again with another one of your own"


def chains_for(answer: Comparison, model: Model) -> Chains | None:
    """Return the chains of an answer that serve another prior too.

    The prior of the difference weights draws that were sampled without it: so the chains of the model inside are
    those of the answer.
    """
    weighted, tables = answer.recipe.model, answer.recipe.tables
    serves = weighted.weights_difference and weighted.inner is model
    return answer.chains if serves and not model.exact_for(tables) else None


def other_priors(recipe: Recipe, *, same_pairing: bool = False) -> list[tuple[str, Model]]:
    """Return the other priors, each with a name; with `same_pairing` only those of models that pair items alike."""
    model, table = recipe.model, recipe.tables[0]
    others = model.variants()
    if not model.no_papers:
        papers = papers_models(table.n_labels, multilabel=isinstance(table, MultilabelOutcomes))
        separate = len(recipe.tables) > 1 and not model.paired
        known = [model, *(other for _, other in others)]
        others += [(which, paper) for which, paper in papers if paper not in known and not (separate and paper.paired)]
    return [(which, other) for which, other in others if not same_pairing or other.paired == model.paired]


def under(recipe: Recipe, model: Model) -> Recipe:
    """Return the recipe with another model; an unpaired one sees each classifier's own table."""
    tables = recipe.tables
    if not model.paired and len(tables) == 1:
        whole = tables[0]
        tables = tuple(whole.project([name]) for name in whole.names)
    return replace(recipe, tables=tables, model=model, sampler=None if model.exact_for(tables) else recipe.sampler)


# -- what a page shows -------------------------------------------------------------------------------------


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
    if MIN_DRAWS * work > 4 * MAX_RANDOM_NUMBERS:
        return None
    return min(max(MAX_RANDOM_NUMBERS // max(work, 1) // 1_000 * 1_000, MIN_DRAWS), MAX_DRAWS)


def _work(recipe: Recipe) -> int:
    """Return how many random numbers a draw takes."""
    return sum(recipe.model.fit(table).work for table in recipe.tables)


def _left_out(recipe: Recipe, classes: ClassComparisons | None, priors: PriorSensitivity | None) -> tuple[str, ...]:
    """Return what the page of a model does not have that those of others have, a sentence each."""
    sentences = []
    if classes is None and _has_classes(recipe) and recipe.prevalence is None and recipe.model.moves:
        sentences.append("The question class by class, since it would be about the labels as they stand in the data.")
    if priors is None and not recipe.model.exact_for(recipe.tables):
        others = other_priors(recipe, same_pairing=True)
        why = "each would have to be sampled, as r.prior_sensitivity() does" if others else why_none(recipe)
        sentences.append(f"Other priors: {why}.")
    return tuple(sentences)


def _priors(answer: Comparison) -> PriorSensitivity | None:
    """Ask again under other priors of models that pair items in the same way: to drop the pairing is no prior.

    What would have to be sampled by Markov chains is left out, unless the chains are there already.
    """
    others = [
        (which, under(answer.recipe, model), chains_for(answer, model))
        for which, model in other_priors(answer.recipe, same_pairing=True)
    ]
    if not others or any(not r.model.exact_for(r.tables) and chains is None for _, r, chains in others):
        return None
    exact = [recipe for _, recipe, _ in others if recipe.model.exact_for(recipe.tables)]
    # One is fitted, and the others are alike in their work.
    affordable = _affordable(len(exact) * _work(exact[0])) if exact else len(answer.draws)
    if affordable is None:
        return None
    draws = min(affordable, len(answer.draws))
    drawn = [
        draw_comparison(replace(recipe, draws=draws), chains=chains, other_priors=False)[0]
        for _, recipe, chains in others
    ]
    if answer.no_verdict and answer.diagnostics is None:  # other priors cannot mend what the data lack
        drawn = [replace(other, decision=None, rope_path=None) for other in drawn]
    names = [which for which, *_ in others]
    return PriorSensitivity(rows=(("as asked", answer), *zip(names, drawn, strict=True)))


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
    model = recipe.model if recipe.model.reweights_items else None
    shown, n_classes = _shown_classes(tables, recipe, metric)
    recipes = [
        write_recipe(
            tables,
            default=default_model(separate=len(tables) > 1 or not recipe.model.paired),
            metric=metric, pos_label=label, model=model, rope=rope, prob=recipe.prob, rule=recipe.rule,
            draws=1, seed=recipe.seed,
        )
        for label in shown
    ]  # fmt: skip
    affordable = _affordable(len(recipes) * _work(recipes[0])) if recipes else None  # classes are alike in their work
    if affordable is None:
        return None, n_classes
    draws = min(affordable, len(answer.draws))
    drawn = [draw_comparison(replace(one_class, draws=draws)) for one_class in recipes]
    comparisons = (replace(comparison, remarks=remarks_beside(comparison, draft)) for comparison, draft in drawn)
    return ClassComparisons(comparisons=tuple(comparisons)), n_classes


def _has_classes(recipe: Recipe) -> bool:
    """Whether there is more than one question to ask of a class against the rest."""
    table = recipe.tables[0]
    if isinstance(table, ItemScores):
        return False
    return table.n_labels > TWO_LABELS or isinstance(table, MultilabelOutcomes)


def _shown_classes(tables: list[AnyOutcomes], recipe: Recipe, metric: Metric) -> tuple[list[Label], int]:
    """Return the classes of the question, and how many there are; of many, those whose observed values differ most."""
    labels = tables[0].labels
    places = [j for j in recipe.metric.classes or range(len(labels)) if labels[j] != NO_ANSWER]
    shown = places
    if len(places) > MAX_CLASSES_SHOWN:
        average = replace(metric, average="macro", classes=None)
        values = np.concatenate([average.by_label(observed_tables(table))[0][:, 0] for table in tables])
        differ = np.abs(values[0] - values[1])
        shown = sorted(sorted(places, key=lambda j: -differ[j])[:MAX_CLASSES_SHOWN])
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
    if len(singles) < len(tables) or singles[0].n_labels <= TWO_LABELS:
        return ()
    labels, wrong = singles[0].labels, []
    for table, name in zip(singles, (a, b), strict=True):
        codes = table.codes[:, [0, 1 + table.position(name)]]
        off = codes[:, 0] != codes[:, 1]
        wrong.append((codes[off], table.counts[off]))
    cells, place = np.unique(np.concatenate([codes for codes, _ in wrong]), axis=0, return_inverse=True)
    sides = np.split(place.reshape(-1), [len(wrong[0][0])])
    counts = np.stack(
        [np.bincount(side, weights=n, minlength=len(cells)) for side, (_, n) in zip(sides, wrong, strict=True)]
    )
    items = np.stack([table.items_by_class()[cells[:, 0]] for table in singles])
    shares = counts / np.maximum(items, 1)
    # A class that one of them never met tells nothing.
    differ = np.abs(shares[0] - shares[1]) * items.mean(axis=0) * (items > 0).all(axis=0)
    return tuple(
        Mistaken(
            truth=label_text(labels[cells[i, 0]]),
            said=label_text(labels[cells[i, 1]]),
            items=(int(counts[0, i]), int(counts[1, i])),
            shares=(float(shares[0, i]), float(shares[1, i])),
        )
        for i in np.argsort(-differ, kind="stable")[:MAX_CONFUSIONS_SHOWN].tolist()
        if differ[i] > 0
    )


def confusions_of(recipe: Recipe) -> tuple[Confusion, ...]:
    """Return the confusion matrix of every classifier, where an item has one label and the answer is about items."""
    if not recipe.model.is_of_items:
        return ()
    tables = [table for table in recipe.tables if isinstance(table, Outcomes)]
    if len(tables) < len(recipe.tables) or not all(_is_shown(table) for table in tables):
        return ()
    draws = _affordable(sum(table.n_classifiers * (table.n_clusters or 1) for table in tables))
    if draws is None:
        return ()
    how: Any = {"prob": recipe.prob, "seed": recipe.seed, "draws": draws}
    return tuple(rates_of(table.project([name]), **how) for table in tables for name in table.names)


def _is_shown(table: Outcomes) -> bool:
    return 1 < table.n_labels <= MAX_CLASSES_IN_MATRIX and table.n_items > 0
