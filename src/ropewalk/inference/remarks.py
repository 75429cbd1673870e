"""What must be said beside an answer: thin data, and a prior that speaks louder than it should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.draws.summary import NOTE_PULL, WARN_PULL, Estimate
from ropewalk.mcmc.diagnostics import Diagnostics
from ropewalk.metrics import confusion
from ropewalk.metrics.losses import SURE, chance_of_truth
from ropewalk.metrics.margins import ratio
from ropewalk.metrics.registry import Metric
from ropewalk.models.bootstrap import FEW_CLUSTERS, Bootstrap
from ropewalk.models.hierarchical import FEW_ITEMS, Icdm2015
from ropewalk.models.multilabel import RARE
from ropewalk.models.posterior import AnyData, Posterior, observed_tables
from ropewalk.results import Recipe
from ropewalk.text.names import brief, count_of, shorten
from ropewalk.typing import FloatArray, Label

_BLIND: Final = (confusion.recall, confusion.fnr)  # they do not look at how often a class is predicted
PULLS: Final = "The prior pulls"
CHAINS: Final = "The Markov chains"
_ENOUGH: Final = 2_000  # draws to see which classes are pulled
_BY_PRIOR: Final = "what happens there is known from the prior alone."
_NAMED: Final = 4
_MANY: Final = 50
_FEW_POSITIVES: Final = 30
_CHANCE: Final = 0.5


def remarks(
    recipe: Recipe,
    posteriors: Sequence[Posterior],
    estimates: Mapping[str, tuple[Estimate, Sequence[float]]],
    diagnostics: Diagnostics | None = None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes and warnings.

    `estimates` are the numbers that were asked for, each with its coefficients over the classifiers: (1, −1) is the
    difference of the first two.
    """
    alarms = [told for table in recipe.tables for told in thin_data(table, recipe)]
    if diagnostics is not None and not diagnostics.converged:
        alarms.append(f"{CHAINS} have not converged. {' '.join(diagnostics.problems)}")
    pulls = {what: abs(estimate.pull) for what, (estimate, _) in estimates.items()}
    notes: list[str] = []
    if isinstance(recipe.model, Bootstrap):  # it has no prior that could pull
        told, alarmed = _reweighted(recipe, estimates)
        pulls, notes, alarms = {}, told, alarms + alarmed
    if moves := getattr(recipe.model, "moves", ""):  # by design, away from what was observed
        pulls, notes = {}, [*notes, moves]
    if recipe.no_verdict and not isinstance(recipe.model, Bootstrap) and (diagnostics is None or diagnostics.converged):
        alarms.append(f"{recipe.no_verdict[0].upper()}{recipe.no_verdict[1:]}.")
    strong = [what for what, pull in pulls.items() if pull >= WARN_PULL]
    weak = [what for what, pull in pulls.items() if NOTE_PULL <= pull < WARN_PULL]
    causes = ""
    if strong or weak:
        most = max(pulls, key=pulls.__getitem__)
        causes = _causes(recipe, posteriors, estimates[most][1])
    if strong:
        alarms.append(
            f"{_pulls(strong, estimates)} An interval then covers less than it says: weaken the prior or get more "
            f"items.{causes}"
        )
    if weak:
        notes.append(f"{_pulls(weak, estimates)}{'' if strong else causes}")
    gone = max((table.left_out for table in recipe.tables), default=0)
    if gone:
        notes.append(f"{count_of(gone, 'item')} left out, as was asked for: no label, or no match.")
    return tuple(notes), tuple(dict.fromkeys(alarms))


def _reweighted(
    recipe: Recipe, estimates: Mapping[str, tuple[Estimate, Sequence[float]]]
) -> tuple[list[str], list[str]]:
    """Return notes and warnings about what re-weighting the items cannot tell."""
    notes, alarms = [], []
    items = recipe.tables[0]
    if isinstance(items, ItemScores) and getattr(recipe.metric, "ranks", False):
        flat = [name for name, values in zip(items.names, items.values, strict=True) if np.unique(values).size == 2]  # noqa: PLR2004
        if flat:
            notes.append(f"The scores of {', '.join(flat)} have two values only: are they labels?")
    if recipe.metric.name == "ece":
        notes.append(
            "Noise makes an observed ECE too large. The posterior is without it, so far as re-weighting shows it, and "
            "lies below what was observed."
        )
    if recipe.no_verdict:
        alarms.append(f"{recipe.no_verdict[0].upper()}{recipe.no_verdict[1:]}.")
    for what, (estimate, signs) in estimates.items():
        if not estimate.std and -1.0 not in signs:
            alarms.append(
                f"{what}: every re-weighting of the items gives the same value, so the interval has no width. Other "
                "items may give another."
            )
        if abs(estimate.pull) >= WARN_PULL and recipe.metric.name != "ece":
            alarms.append(
                f"Re-weighting moves {what} by {estimate.pull:+.2f} posterior standard deviations "
                f"({estimate.observed:.4f} to {estimate.mean:.4f}): it adds noise to what is not linear in the items, "
                "and the interval covers less than it says."
            )
        if recipe.metric.name.endswith("roc_auc") and estimate.hdi.high < _CHANCE and -1.0 not in signs:
            notes.append(
                f"{what} lies below 0.5: do the scores speak for the other class? See pos_label=, and the order of "
                "columns."
            )
    return notes, alarms


def _pulls(whose: Sequence[str], estimates: Mapping[str, tuple[Estimate, Sequence[float]]]) -> str:
    told = []
    for what in whose:
        estimate = estimates[what][0]
        told.append(f"{what} by {estimate.pull:+.2f} ({estimate.observed:.4f} to {estimate.mean:.4f})")
    return f"{PULLS}, in posterior standard deviations (from the observed value to the mean): {'; '.join(told)}."


def _causes(recipe: Recipe, posteriors: Sequence[Posterior], signs: Sequence[float]) -> str:
    """Name the classes whose part of the metric the prior moves most."""
    table, metric = recipe.tables[0], recipe.metric
    items = np.mean([one.items_by_class() for one in recipe.tables], axis=0).astype(np.int64)
    labels = range(table.n_labels) if metric.classes is None else metric.classes
    if table.n_labels <= 2 and not isinstance(table, MultilabelOutcomes):  # noqa: PLR2004
        rarest = int(np.argmin(items))
        return f" The rarer class, {_called(table.labels[rarest])}, has {count_of(int(items[rarest]), 'item')}."
    moved = _moved(recipe, posteriors, signs)
    moved *= np.sign(moved.sum()) or 1.0
    order = np.argsort(-moved, kind="stable")
    enough = int(np.searchsorted(np.cumsum(moved[order]), moved[moved > 0].sum() / 2)) + 1
    named = [f"{_called(table.labels[labels[j]])} ({count_of(int(items[labels[j]]), 'item')})" for j in order[:_NAMED]]
    share = "Most of it comes from" if enough <= _NAMED else f"Half of it comes from {enough:,} classes, first of all"
    return f" {share} {', '.join(named[: max(enough, 1)])}."


def _called(label: Label) -> str:
    return brief(repr(label_text(label)))


def _moved(recipe: Recipe, posteriors: Sequence[Posterior], signs: Sequence[float]) -> FloatArray:
    """How far the prior moves each class's part of the metric.

    A class moves an average by a change of its own value, and by the weight that it gains from the others.
    """
    parts = []
    shares = None if recipe.prevalence is None else np.array(recipe.prevalence)
    metric = recipe.metric
    assert isinstance(metric, Metric)  # noqa: S101 - scores have no prior
    for table, posterior in zip(recipe.tables, posteriors, strict=True):
        drawn: Any = posterior.block(generator(recipe.seed, streams.POSTERIOR, 0), min(posterior.block_size, _ENOUGH))
        found: Any = observed_tables(table)  # type: ignore[arg-type]
        if shares is not None:
            drawn, found = drawn.at_prevalence(shares), found.at_prevalence(shares)
        value, weight = (x[:, 0] for x in metric.by_label(found))
        new_value, new_weight = (x.mean(axis=1) for x in metric.by_label(drawn))
        gain = np.maximum(new_weight - weight, 0.0)
        lost = np.maximum(weight - new_weight, 0.0)
        given_up = ratio((lost * new_value).sum(axis=-1, keepdims=True), lost.sum(axis=-1, keepdims=True))
        parts.append(weight * (new_value - value) + gain * (new_value - given_up))
    return np.asarray((np.array(signs)[:, np.newaxis] * np.concatenate(parts)).sum(axis=0))


def thin_data(table: AnyData, recipe: Recipe) -> list[str]:
    """Say what the data are too few for."""
    if not table.n_items:
        return ["There are no items: this is the prior, not an answer."]
    few = few_units(table) if isinstance(recipe.model, Bootstrap) else []
    if isinstance(table, ItemScores):
        return few + _thin_scores(table, recipe)
    if isinstance(table, MultilabelOutcomes):
        return few if isinstance(recipe.model, Bootstrap) else _rare_labels(table, recipe)
    return few + _thin_classes(table, recipe)


def _thin_classes(table: Outcomes, recipe: Recipe) -> list[str]:
    items = table.items_by_class()
    if table.n_labels == 1:
        only = _called(table.labels[0])
        return [f"There is only one label, {only}: every metric is what it must be. labels= declares more classes."]
    told, metric = [], recipe.metric
    assert isinstance(metric, Metric)  # noqa: S101 - what labels are judged by
    empty = [label_text(table.labels[j]) for j in np.flatnonzero((items == 0) & table.can_be_true)]
    if empty:
        scores = " So many labels that are never true may be scores: see compare_scores (--scores)."
        told.append(
            f"No item belongs to {shorten(empty, 6)}: "
            + ("its recall is 0/0 and counts 0." if isinstance(recipe.model, Bootstrap) else _BY_PRIOR)
            + (scores if len(empty) > _MANY else "")
        )
    if isinstance(recipe.model, Icdm2015) and (few := int((items < FEW_ITEMS).sum())):
        told.append(
            f"{few} of {table.n_labels:,} classes have fewer than {FEW_ITEMS} items: the icdm2015 prior then "
            "weighs on each score, whose interval covers less than it says."
        )
    for k, name in enumerate(table.names):
        predicted = np.bincount(table.codes[:, 1 + k], weights=table.counts, minlength=table.n_labels)
        never = [label_text(table.labels[j]) for j in _watched(metric, table.n_labels) if predicted[j] == 0]
        if never:
            told.append(f"{name} never predicts {shorten(never, 6)}: its observed precision is 0/0 and counts 0.")
    return told


def _watched(metric: Metric, n_labels: int) -> Sequence[int]:
    if metric.positive is not None and metric.kernel not in _BLIND:
        return [metric.positive]
    if not metric.by_class or metric.kernel in _BLIND:
        return []
    return range(n_labels) if metric.classes is None else metric.classes


def few_units(table: AnyData, *, clusters_only: bool = False) -> list[str]:
    """Say that there are too few items, or clusters, to re-weight; weights make some count as fewer."""
    if clusters_only and table.n_clusters is None:
        return []
    units = table.n_items if table.n_clusters is None else table.n_clusters
    if isinstance(table, ItemScores) and table.weight is not None:
        worth = np.bincount(table.members, weights=table.weight, minlength=units)
        units = int(worth.sum() ** 2 / (worth**2).sum())  # Kish's effective number
    if units >= FEW_CLUSTERS:
        return []
    what = count_of(units, "item" if table.n_clusters is None else "cluster")
    told = (
        f"The bootstrap re-weights {what} and knows of no others: with fewer than {FEW_CLUSTERS} its interval covers "
        "less than it says."
    )
    return [told]


def thin_scores(items: ItemScores) -> list[str]:
    """Say which class has too few items, or clusters of items, to be re-weighted."""
    if items.truth is None:
        return []
    unit = "item" if items.cluster is None else "cluster"
    counts = [np.unique(items.members[items.truth == j]).size for j in range(items.n_labels)]
    rare = int(np.argmin(counts))
    if counts[rare] >= _FEW_POSITIVES:
        return []
    few = f"only in {count_of(counts[rare], unit)}" if counts[rare] else f"in no {unit}"
    where = f"Class {_called(items.labels[rare])} occurs {few}"
    return [f"{where}: with fewer than {_FEW_POSITIVES} the interval covers less than it says."]


def _thin_scores(items: ItemScores, recipe: Recipe) -> list[str]:
    told = thin_scores(items) if recipe.metric.name != "mean" else []
    if recipe.metric.name == "log_loss":
        for name, values in zip(items.names, items.values, strict=True):
            given = chance_of_truth(values, items.truth)  # type: ignore[arg-type]
            if sure := int((given < SURE).sum()):
                told.append(
                    f"{name} gave a probability below {SURE:.1g} to what is true of {count_of(sure, 'item')}: the log "
                    "loss counts it as that."
                )
    return told


def _rare_labels(table: MultilabelOutcomes, recipe: Recipe) -> list[str]:
    places = range(table.n_labels) if recipe.metric.classes is None else recipe.metric.classes
    items = table.items_by_class()
    rare = [label_text(table.labels[j]) for j in places if items[j] < RARE]
    if not rare:
        return []
    told = (
        f"{len(rare)} of {len(places)} labels have fewer than {RARE} positive items ({shorten(rare, 6)}): the prior "
        "weighs on them, most of all in a single classifier's average, less in a difference."
    )
    return [told]
