"""Remarks on an answer: thin data, a prior that dominates it, and what re-weighting items cannot know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ropewalk.data.label_columns import MIN_IDS
from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import units_of
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import NOTE_PULL, Estimate
from ropewalk.inference.bearing import LEAST_FOR_MEAN, MOVED, effective_units, steep_text
from ropewalk.metrics.items import chance_of_truth
from ropewalk.metrics.margins import (
    fdr,
    fnr,
    fpr,
    lr_minus,
    lr_plus,
    npv,
    precision,
    ratio,
    recall,
    specificity,
    youden,
)
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models import AnyData, observed_tables
from ropewalk.models.bootstrap import FEW_CLUSTERS
from ropewalk.models.influence import InfluencePosterior, is_large
from ropewalk.models.multilabel import RARE
from ropewalk.models.protocol import Posterior
from ropewalk.results import Recipe
from ropewalk.results.base import Drawing
from ropewalk.text.remarks import Remark, note, warning, wording
from ropewalk.text.units import metric_title, signed
from ropewalk.text.writing import brief, count_of, shorten
from ropewalk.typing import FloatArray, Label

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Diagnostics

WARN_PULL: Final = 1.0  # posterior standard deviations between an observed difference and its mean
NOTE_MOVED: Final = 0.25  # posterior standard deviations by which another prior moves an answer
MAX_DRAWS_FOR_CAUSES: Final = 2_000  # to see which classes are pulled
MAX_CAUSES_NAMED: Final = 4  # classes
MAX_LABELS_NAMED: Final = 6
MIN_UNITS_PER_CLASS: Final = 30  # items or clusters, to re-weight scores
MIN_UNTRUE_LABELS_LIKE_SCORES: Final = 50
_IGNORE_PREDICTIONS: Final = (recall, fnr, specificity, fpr, youden)  # whatever is predicted how often
_OF_THE_REST: Final = (npv, lr_minus)  # 0/0 where nothing but the class is predicted
_OF_PREDICTIONS: Final = (precision, fdr, lr_plus, *_OF_THE_REST)  # 0/0 themselves, and not by their precision

Estimates = Mapping[str, tuple[Estimate, Sequence[float]]]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the rules look at; `estimates` are described at `remarks_on`."""

    recipe: Recipe
    drawing: Drawing
    posteriors: Sequence[Posterior]
    estimates: Estimates
    verdict: Decision | None

    @property
    def reweights(self) -> bool:
        """Whether the model re-weights the items, and so has no prior that could pull."""
        return self.recipe.model.reweights_items


def remarks_on(
    recipe: Recipe,
    drawing: Drawing,
    posteriors: Sequence[Posterior],
    estimates: Estimates,
    verdict: Decision | None = None,
) -> tuple[Remark, ...]:
    """Return the remarks on an answer and its `verdict`, each once.

    `estimates` are the numbers of the answer by their names, each with its coefficients over the classifiers: (1, −1)
    is the difference of the first two.
    """
    answer = _Answer(recipe, drawing, posteriors, estimates, verdict)
    return tuple(dict.fromkeys(remark for rule in _RULES for remark in rule(answer)))


# -- rules about the drawing -------------------------------------------------------------------------------


def not_converged(diagnostics: Diagnostics) -> Remark:
    """Return the warning about Markov chains that cannot be trusted."""
    text = "The Markov chains have not converged."
    for problem in diagnostics.problems:
        text += " " + problem
    return warning("chains_not_converged", text)


def _convergence(answer: _Answer) -> Iterator[Remark]:
    if answer.drawing.diagnostics is not None and not answer.drawing.converged:
        yield not_converged(answer.drawing.diagnostics)


def _no_verdict(answer: _Answer) -> Iterator[Remark]:
    if answer.drawing.converged:
        yield from no_verdict(answer.drawing.no_verdict)


def no_verdict(reason: str) -> Iterator[Remark]:
    """Say why there is no verdict, if there is none."""
    if reason:
        yield warning("no_verdict", f"{reason[0].upper()}{reason[1:]}.")


def _moved_by_design(answer: _Answer) -> Iterator[Remark]:
    if moves := answer.recipe.model.moves:
        yield note("moved_by_design", moves)


def _by_influence(answer: _Answer) -> Iterator[Remark]:
    recipe = answer.recipe
    if not (recipe.is_of_scores and any(is_large(table, exact=recipe.exact) for table in recipe.tables)):
        return
    units, unit = units_of(recipe.tables[0])
    if any(isinstance(posterior, InfluencePosterior) for posterior in answer.posteriors):
        text = f"{units:,} {unit}s are taken by their influence values: sums of what each adds are drawn, not every "
        yield note("by_influence", text + wording("weight. exact=True draws them all, and takes long."))
    else:
        yield note(
            "every_weight",
            f"The {metric_title(recipe.metric.name)} of these items is no sum of what each adds, or not closely: the "
            f"weights of all {units:,} {unit}s are drawn, which takes longer.",
        )


# -- rules about re-weighted items -------------------------------------------------------------------------


def _two_valued_scores(answer: _Answer) -> Iterator[Remark]:
    items = answer.recipe.tables[0]
    if not isinstance(items, ItemScores) or not answer.recipe.metric.ranks:
        return
    flat = [name for name, values in zip(items.names, items.values, strict=True) if _has_two_values(values)]
    if flat:
        yield note("scores_like_labels", f"The scores of {', '.join(flat)} have two values only: are they labels?")


def _right_or_wrong(answer: _Answer) -> Iterator[Remark]:
    metric = answer.recipe.metric
    if isinstance(metric, ScoreMetric) and metric.right_or_wrong:
        yield note("right_or_wrong", "No truth was named: 1 is taken for a right answer, and 0 for a wrong one.")


def _has_two_values(values: FloatArray) -> bool:
    low, high = values.min(initial=math.inf), values.max(initial=-math.inf)
    return bool(low < high and ((values == low) | (values == high)).all())


def _inflated_by_noise(answer: _Answer) -> Iterator[Remark]:
    metric = answer.recipe.metric
    if answer.reweights and metric.inflated_by_noise:
        yield note(
            "ece_without_noise",
            f"Noise makes an observed {metric.name.upper()} too large. The posterior is without it, so far as "
            "re-weighting shows it, and lies below what was observed.",
        )


def _reweighted_estimates(answer: _Answer) -> Iterator[Remark]:
    if not answer.reweights:
        return
    metric = answer.recipe.metric
    for name, (estimate, signs) in answer.estimates.items():
        single = -1.0 not in signs
        if not estimate.std and single:
            yield warning(
                "no_width",
                f"{name}: every re-weighting of the items gives the same value, so the interval has no width. Other "
                "items may give another.",
            )
        if abs(estimate.pull) >= NOTE_PULL and not metric.inflated_by_noise:
            yield warning(
                "reweighting_moves",
                f"Re-weighting moves {name} by {estimate.pull:+.2f} posterior standard deviations "
                f"({estimate.observed:.4f} to {estimate.mean:.4f}): it adds noise to what is not linear in the items, "
                "and the interval covers less than it says.",
            )


def _below_chance(answer: _Answer) -> Iterator[Remark]:
    chance = answer.recipe.metric.chance if isinstance(answer.recipe.tables[0], ItemScores) else None
    for name, (estimate, signs) in answer.estimates.items():
        if -1.0 not in signs and chance is not None and estimate.hdi.high < chance:
            text = f"{name} lies below {chance}: do high scores mean the other class? See "
            yield note("below_chance", text + wording("pos_label=, and the order of columns."))


# -- rules about the prior ---------------------------------------------------------------------------------


def _prior_moves(answer: _Answer) -> Iterator[Remark]:
    shift, deliberate = answer.drawing.shift, answer.recipe.model.is_deliberate
    if shift is None or (answer.drawing.no_verdict and shift.moved >= MOVED):  # the reason is said
        return
    if shift.moved >= MOVED and (deliberate or answer.recipe.rope is None):
        how = "Less or more of the prior" if deliberate else "Half or twice the prior mass"
        text = f"{how} moves the answer by {shift.moved:.1f} posterior standard deviations: it has a large say in it."
        yield note("prior_moves", text) if answer.recipe.rope is None else warning("prior_decides", text)
    elif answer.verdict is not None and shift.differs_from(answer.verdict):
        others = " and ".join(dict.fromkeys(shift.verdicts))
        yield warning(
            "prior_decides",
            f"The prior has a say in the verdict: with half or twice its mass it is {others}. More items would settle "
            "it.",
        )
    elif shift.moved >= NOTE_MOVED:
        yield note(
            "prior_moves",
            f"Half or twice the prior mass moves the answer by {shift.moved:.2f} posterior standard deviations.",
        )


def _prior_pulls(answer: _Answer) -> Iterator[Remark]:
    if answer.reweights or any(_moved_by_design(answer)):
        return
    pulls = {name: abs(estimate.pull) for name, (estimate, _) in answer.estimates.items()}
    strong = [name for name, pull in pulls.items() if pull >= NOTE_PULL]
    if not strong:
        return
    causes = _causes(answer, answer.estimates[max(pulls, key=pulls.__getitem__)][1])
    text = f"{_pulls_text(strong, answer.estimates)}{causes}"
    # Of two scores that are pulled alike the difference is not; and a prior so heavy that half of it still dominates
    # does not move.
    far = any(pulls[name] >= WARN_PULL for name, (_, signs) in answer.estimates.items() if -1.0 in signs)
    yield warning("prior_pulls", text) if far else note("prior_pulls", text)


def _pulls_text(names: Sequence[str], estimates: Estimates) -> str:
    pulls = []
    for name in names:
        estimate = estimates[name][0]
        moved = f"from {signed(estimate.observed or 0.0, 4, sign=False)} to {signed(estimate.mean, 4, sign=False)}"
        pulls.append(f"{name} {moved} ({signed(estimate.pull, 2)} posterior standard deviations)")
    return f"The prior pulls what is estimated away from what was measured: {'; '.join(pulls)}."


def _causes(answer: _Answer, signs: Sequence[float]) -> str:
    """Name the classes whose part of the metric the prior moves most."""
    recipe = answer.recipe
    table, metric = recipe.tables[0], recipe.metric
    if isinstance(table, ItemScores):
        return ""
    items = np.mean([table.items_by_class() for table in recipe.tables], axis=0).astype(np.int64)
    labels = range(table.n_labels) if metric.classes is None else metric.classes
    if not table.is_multiclass and not isinstance(table, MultilabelOutcomes):
        rarest = int(np.argmin(items))
        return f" The rarer class, {_quoted(table.labels[rarest])}, has {count_of(int(items[rarest]), 'item')}."
    shifts = _shifts_by_class(answer, signs)
    shifts *= np.sign(shifts.sum()) or 1.0
    order = np.argsort(-shifts, kind="stable")
    n_half = int(np.searchsorted(np.cumsum(shifts[order]), shifts[shifts > 0].sum() / 2)) + 1
    first = [labels[j] for j in order[: min(n_half, MAX_CAUSES_NAMED)]]
    names = ", ".join(f"{_quoted(table.labels[j])} ({count_of(int(items[j]), 'item')})" for j in first)
    if n_half <= MAX_CAUSES_NAMED:
        return f" Most of it comes from {names}."
    return f" Half of it comes from {n_half:,} classes, first of all {names}."


def _quoted(label: Label) -> str:
    return brief(repr(label_text(label)))


def _shifts_by_class(answer: _Answer, signs: Sequence[float]) -> FloatArray:
    """Return how far the prior moves each class's part of the metric.

    A class moves an average by a change of its own value, and by the weight that it gains from the others.
    """
    recipe, parts = answer.recipe, []
    shares = None if recipe.prevalence is None else np.array(recipe.prevalence)
    metric = recipe.metric
    assert isinstance(metric, Metric)  # noqa: S101 - scores have no prior
    for table, posterior in zip(recipe.tables, answer.posteriors, strict=True):
        size = min(posterior.block_size, MAX_DRAWS_FOR_CAUSES)
        drawn: Any = posterior.block(generator(recipe.seed, streams.POSTERIOR, 0), size)
        observed: Any = observed_tables(table)  # type: ignore[arg-type]
        if shares is not None:
            drawn, observed = drawn.at_prevalence(shares), observed.at_prevalence(shares)
        value, weight = (x[:, 0] for x in metric.by_label(observed))
        new_value, new_weight = (x.mean(axis=1) for x in metric.by_label(drawn))
        gain = np.maximum(new_weight - weight, 0.0)
        loss = np.maximum(weight - new_weight, 0.0)
        lost_value = ratio((loss * new_value).sum(axis=-1, keepdims=True), loss.sum(axis=-1, keepdims=True))
        parts.append(weight * (new_value - value) + gain * (new_value - lost_value))
    return np.asarray((np.array(signs)[:, np.newaxis] * np.concatenate(parts)).sum(axis=0))


def _without_mean(answer: _Answer) -> Iterator[Remark]:
    text = steep_text(answer.recipe, LEAST_FOR_MEAN)
    if text and not answer.drawing.no_verdict:
        yield warning("no_mean", f"There is no mean or standard deviation to be known: {text}.")


def _range_assumed(answer: _Answer) -> Iterator[Remark]:
    model, metric = answer.recipe.model, answer.recipe.metric
    if model.no_equivalence and model.score_range is not None:
        low, high = model.score_range
        if math.isclose(low, high):
            return
        text = f"Only values from {low:.4g} to {high:.4g} are allowed for, read from the data. "
        advice = wording("If there can be others, give scale=(low, high).")
        of_losses = isinstance(metric, ScoreMetric) and metric.least is not None
        yield note("scale_seen", text + advice + (" The Brier score needs none." if of_losses else ""))


# -- rules about the data ----------------------------------------------------------------------------------


def _left_out(answer: _Answer) -> Iterator[Remark]:
    if n_items := max((table.left_out for table in answer.recipe.tables), default=0):
        yield left_out(n_items)


def _same_counts(answer: _Answer) -> Iterator[Remark]:
    tables = [table for table in answer.recipe.tables if isinstance(table, Outcomes) and table.n_items]
    for one, other in combinations(tables, 2):
        if np.array_equal(one.codes, other.codes) and np.array_equal(one.counts, other.counts):
            names = " and ".join(brief(table.names[0]) for table in (one, other))
            yield note("same_counts", f"{names} have the same counts in every cell: is it one file, given twice?")


def _taken_wrong(answer: _Answer) -> Iterator[Remark]:
    n_items = sum(table.taken_wrong for table in answer.recipe.tables if isinstance(table, ItemScores))
    if n_items:
        yield note("taken_wrong", f"{count_of(n_items, 'item')} with a missing answer, which counts as wrong.")


def left_out(n_items: int) -> Remark:
    """Return the note about items that were left out."""
    why = "no label, score, weight or match"
    return note("items_left_out", f"{count_of(n_items, 'item')} left out, as was asked for: {why}.")


def _thin_data(answer: _Answer) -> Iterator[Remark]:
    for table in answer.recipe.tables:
        if not table.n_items:
            yield warning("no_items", "There are no items: this is the prior, not an answer.")
            continue
        if answer.reweights or answer.recipe.model.takes_clusters:
            few = few_units(table, imagined=not answer.reweights)
            yield from few or weighted_units(table)
        if isinstance(table, ItemScores):
            yield from thin_scores(table, imagined=not answer.reweights)
            yield from _cut_probabilities(table, answer.recipe.metric)
        elif isinstance(table, Outcomes):
            yield from _thin_classes(table, answer)
        elif not answer.reweights and not answer.recipe.metric.pools_labels:
            yield from _rare_labels(table, answer.recipe.metric.classes)


def _thin_classes(table: Outcomes, answer: _Answer) -> Iterator[Remark]:
    items, metric = table.items_by_class(), answer.recipe.metric
    if table.n_labels == 1:
        text = f"There is only one label, {_quoted(table.labels[0])}: every metric is what it must be. "
        yield warning("one_label", text + wording("labels= declares more classes."))
        return
    assert isinstance(metric, Metric)  # noqa: S101 - what labels are judged by
    if empty := [label_text(table.labels[j]) for j in np.flatnonzero((items == 0) & table.can_be_true)]:
        known = "what happens there is known from the prior alone."
        scores = " So many labels that are never true may be scores: " + wording(
            'name a metric of scores, as metric="roc_auc".'
        )
        yield warning(
            "class_without_items",
            f"No item belongs to {shorten(empty, MAX_LABELS_NAMED)}: "
            + ("its recall is 0/0 and counts as 0." if answer.reweights else known)
            + (scores if len(empty) > MIN_UNTRUE_LABELS_LIKE_SCORES else ""),
        )
    once = int((items == 1).sum())
    if once >= MIN_IDS and 2 * once > int((items > 0).sum()):
        yield warning(
            "labels_like_ids",
            f"{once:,} of {int((items > 0).sum()):,} true classes occur once, so hardly anything is known of each: is "
            "this the column of true labels, or one of ids or free text?",
        )
    prior, least = answer.recipe.model.name, answer.recipe.model.min_items_per_class
    if n_rare := int((items < least).sum()):
        yield warning(
            "rare_classes",
            f"{n_rare} of {table.n_labels:,} classes have fewer than {least} items: the {prior} prior then "
            "dominates each score, whose interval covers less than it says.",
        )
    for k, name in enumerate(table.names):
        predicted = np.bincount(table.codes[:, 1 + k], weights=table.counts, minlength=table.n_labels)
        of_rest = metric.kernel in _OF_THE_REST
        if of_rest:
            predicted = predicted.sum() - predicted
        never = [label_text(table.labels[j]) for j in _precision_labels(metric, table.n_labels) if predicted[j] == 0]
        if never:
            does = "predicts nothing but" if of_rest else "never predicts"
            what = metric.name.removeprefix(f"{metric.average}_") if metric.kernel in _OF_PREDICTIONS else "precision"
            text = f"{name} {does} {shorten(never, MAX_LABELS_NAMED)}: its observed {what} is 0/0 and counts 0."
            yield warning("class_never_predicted", text)


def _precision_labels(metric: Metric, n_labels: int) -> Sequence[int]:
    """Return the labels whose precision the metric depends on."""
    if metric.kernel in _IGNORE_PREDICTIONS:
        return []
    if metric.positive is not None:
        return [metric.positive]
    if not metric.by_class:
        return []
    return range(n_labels) if metric.classes is None else metric.classes


def few_units(table: AnyData, *, imagined: bool = False) -> list[Remark]:
    """Return a warning where there are too few items, or clusters, to weigh; their sizes make some count as fewer.

    Beside `imagined` ones items that stand alone may be few.
    """
    units, unit = units_of(table)
    worth = effective_units(table)
    if imagined and worth is None:
        return []
    worth = float(units) if worth is None else worth
    if worth >= FEW_CLUSTERS:
        return []
    alike = f"tell as much as {worth:.0f} that count alike"
    count = count_of(units, unit) + (f", which {alike}" if worth < units else "")
    few = f"There are only {count}" if units < FEW_CLUSTERS else f"{count_of(units, unit)} {alike}"
    text = (
        f"{few}: with fewer than {FEW_CLUSTERS} the imagined ones make the interval wide."
        if imagined
        else f"The bootstrap re-weights {count}, and knows of no others: with fewer than {FEW_CLUSTERS} its interval "
        "covers less than it says."
    )
    return [warning("few_items" if unit == "item" else "few_clusters", text)]


def weighted_units(table: AnyData) -> list[Remark]:
    """Return a note on how much weighted items tell; none where all count alike."""
    if not table.is_weighted:
        return []
    units, unit = units_of(table)
    worth = effective_units(table)
    text = f"The weights differ: {count_of(units, unit)} tell as much as {worth:,.0f} that count alike."
    return [note("effective_number", text)]


def thin_scores(items: ItemScores, *, imagined: bool = False) -> list[Remark]:
    """Return a warning where a class has too few items, or clusters of items, to be re-weighted.

    Beside `imagined` ones few will do, which then weigh all the more.
    """
    if items.truth is None:
        return []
    unit = units_of(items)[1]
    here = (items.truth == j for j in range(items.n_labels))
    counts = [int(some.sum()) if items.cluster is None else np.unique(items.cluster[some]).size for some in here]
    rarest = int(np.argmin(counts))
    if counts[rarest] >= MIN_UNITS_PER_CLASS:
        return []
    where = f"only in {count_of(counts[rarest], unit)}" if counts[rarest] else f"in no {unit}"
    text = f"Class {_quoted(items.labels[rarest])} occurs {where}: with fewer than {MIN_UNITS_PER_CLASS} "
    text += "the imagined ones make the interval wide." if imagined else "the interval covers less than it says."
    return [warning("rare_classes", text)]


def _cut_probabilities(items: ItemScores, metric: Any) -> Iterator[Remark]:
    if metric.least is None:
        return
    for name, values in zip(items.names, items.values, strict=True):
        if n_items := int((chance_of_truth(values, items.truth) < metric.least).sum()):  # type: ignore[arg-type]
            yield warning(
                "probability_cut",
                f"{name} gave a probability below {metric.least:.1g} to what is true of {count_of(n_items, 'item')}: "
                f"the {metric.name.replace('_', ' ')} counts it as that.",
            )


def _rare_labels(table: MultilabelOutcomes, classes: Sequence[int] | None) -> Iterator[Remark]:
    places = range(table.n_labels) if classes is None else classes
    items = table.items_by_class()
    if rare := [label_text(table.labels[j]) for j in places if items[j] < RARE]:
        yield warning(
            "rare_labels",
            f"{len(rare)} of {len(places)} labels have fewer than {RARE} positive items "
            f"({shorten(rare, MAX_LABELS_NAMED)}): the prior dominates them, most of all in a single classifier's "
            "average, less in a difference.",
        )


_RULES: Final[Sequence[Callable[[_Answer], Iterator[Remark]]]] = (
    _thin_data,
    _convergence,
    _by_influence,
    _two_valued_scores,
    _right_or_wrong,
    _inflated_by_noise,
    _no_verdict,
    _reweighted_estimates,
    _below_chance,
    _moved_by_design,
    _prior_moves,
    _prior_pulls,
    _without_mean,
    _range_assumed,
    _left_out,
    _same_counts,
    _taken_wrong,
)
