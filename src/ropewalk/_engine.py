"""What `compare`, `evaluate` and `rank` share: settle the question, then draw until the answer stands."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ropewalk._remarks import PULLS
from ropewalk._validate import brief, check_draws, check_prevalence, check_prob, choose, is_real, shorten
from ropewalk.data.labels import NO_ANSWER, find_label, label_text
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.decision import parse_rope
from ropewalk.errors import (
    DataError,
    DegenerateDataWarning,
    InvalidInputError,
    PosLabelError,
    PriorDominanceWarning,
)
from ropewalk.evidence import SD_DRAWS
from ropewalk.intervals import Interval
from ropewalk.metrics.margins import Margins
from ropewalk.metrics.registry import METRICS, Metric, parse_metric
from ropewalk.models import parse_model
from ropewalk.models.posterior import Model, Posterior, draw_psi
from ropewalk.report.escape import visible
from ropewalk.results import Recipe
from ropewalk.sampling import PRIOR_STREAM
from ropewalk.typing import DrawsLike, FloatArray, Label, RopeLike, Rule

LOOKS: Final = (50_000, 200_000, 800_000, 3_200_000)
"""Where `draws="auto"` looks at the verdict; each look is a prefix of the next."""

RULES: Final[dict[str, Rule]] = {"hdi": "hdi", "probability": "probability"}

_BINARY: Final = 2
_AFFORDABLE: Final = 1_000_000_000  # random numbers, at about 20 ns each: 20 s
_FEWEST: Final = 10_000
_PRIOR_WORK: Final = 500_000
_SORTING: Final = 10  # to sort the differences of a pair costs as much as so many random numbers a draw

MetricLike = str | Metric | Callable[[Margins], Any]


Default = Callable[[int, Metric, bool], "str | Model"]
"""The model to take where none is named, given the number of labels, the metric, and whether labels are any-of."""


def write_recipe(
    source: Sequence[AnyOutcomes],
    *,
    default: Default,
    metric: MetricLike | None = None,
    classes: Any = None,
    pos_label: Any = None,
    model: str | Model | None = None,
    prevalence: Any = None,
    cost_matrix: Any = None,
    rope: RopeLike | None = None,
    prob: float = 0.95,
    rule: str = "hdi",
    draws: DrawsLike = "auto",
    seed: int = 0,
) -> Recipe:
    """Check everything that was said about the data in `source` and write it down.

    `source` is one table of all classifiers on the same items, or one table of each where they come separately.
    """
    # What is wrong with the call is said before what is wrong with the data.
    interval, mass, way, number = parse_rope(rope), check_prob(prob), choose(rule, RULES, "rule"), check_draws(draws)
    tables = list(source)
    if pos_label is not None and isinstance(tables[0], MultilabelOutcomes):
        pos_label = find_label(pos_label, tables[0].labels)
        tables = [table.table(pos_label) for table in tables if isinstance(table, MultilabelOutcomes)]
    several = isinstance(tables[0], MultilabelOutcomes)
    n_labels = tables[0].n_labels if pos_label is None else _BINARY
    if metric is None:
        metric = "cost" if cost_matrix is not None else "macro_f1" if several or n_labels > _BINARY else "f1"
    measure = parse_metric(metric, cost_matrix)
    chosen = parse_model(
        default(n_labels, measure, several) if model is None else model,
        n_labels=n_labels,
        n_classifiers=tables[0].n_classifiers,
        multilabel=several,
    )
    if len(tables) > 1 and chosen.paired:
        raise InvalidInputError(
            f"The model {chosen.name!r} needs to know which items the classifiers share; these are separate tables.",
            hint='use model="unpaired", or give the predictions item by item.',
        )
    if len(tables) == 1 and not chosen.paired and tables[0].n_classifiers > 1:
        tables = [tables[0].project([name]) for name in tables[0].names]
    shaped, measure, positive, shares = _settle_question(
        tables, metric=measure, pos_label=pos_label, model=chosen, prevalence=prevalence
    )
    measure = _settle_classes(measure, classes, shaped[0].labels, positive)
    _check_reach(interval, measure)
    return Recipe(
        tables=shaped,
        model=chosen,
        metric=measure,
        pos_label=positive,
        prevalence=shares,
        rope=interval,
        prob=mass,
        rule=way,
        draws=number,
        seed=seed,
        data_hash="+".join(table.data_hash for table in source),
        n_items=sum(table.n_items for table in source),
    )


def _settle_classes(metric: Metric, classes: Any, labels: Sequence[Label], positive: Label | None) -> Metric:
    """Find the classes that an average runs over: those named, or all that can be a right answer."""
    if classes is None:
        answers = tuple(j for j, label in enumerate(labels) if label != NO_ANSWER)
        return replace(metric, classes=answers) if metric.is_average and len(answers) < len(labels) else metric
    if positive is not None or not metric.is_average:
        raise InvalidInputError(
            f"`classes` picks the classes of an average, and {metric.name!r} is none.",
            hint="use an average such as macro_f1, or pos_label= for one class against the rest.",
        )
    if isinstance(classes, str) or not isinstance(classes, Iterable):
        raise InvalidInputError(f"`classes` must be a list of labels; got {classes!r}.")
    places = tuple(sorted({labels.index(find_label(label, labels, what="classes")) for label in classes}))
    if not places:
        raise InvalidInputError("`classes` is empty; name at least one, or leave it out for all.")
    return replace(metric, classes=places)


def _check_reach(rope: Interval | None, metric: Metric) -> None:
    """Refuse a ROPE wider than any difference can be: 5 for 5%, or 0,05 with a decimal comma."""
    reach = metric.high - metric.low
    for end in () if rope is None else (rope.low, rope.high):
        if math.isfinite(end) and abs(end) > reach:
            raise InvalidInputError(
                f"`rope` reaches to {end:g}, and no two values of {metric.name} differ by more than {reach:g}.",
                hint="write 0.05 for five points, with a decimal point.",
            )


def _settle_question(
    tables: Sequence[AnyOutcomes], *, metric: Metric, pos_label: Any, model: Model, prevalence: Any
) -> tuple[tuple[AnyOutcomes, ...], Metric, Label | None, tuple[float, ...] | None]:
    """Find the positive class and the class mix that were meant, and bring the tables into shape.

    A `pos_label` makes the tables one-vs-rest, the positive label last. Without one, two labels have 1, True or
    "1" as the positive one, where the metric or the prior needs to know.
    """
    labels, chosen = tables[0].labels, metric
    if isinstance(tables[0], MultilabelOutcomes):
        _check_multilabel(chosen, prevalence)
        return tuple(tables), chosen, None, None
    singles = [table for table in tables if isinstance(table, Outcomes)]
    if pos_label is not None and chosen.average is not None:
        raise InvalidInputError(
            f"One class was picked, and {chosen.name!r} averages over all of them.",
            hint=f"use metric={chosen.name.partition('_')[2]!r} with pos_label=, or leave pos_label= out.",
        )
    positive = _positive(labels, pos_label, chosen, needed=not model.is_symmetric or is_real(prevalence))
    if positive is not None and (pos_label is not None or len(labels) > 1):
        singles = [table.collapse(positive) for table in singles]
        if len(labels) == _BINARY and positive == labels[0]:
            # Costs and shares come in label order, and the positive label is last from here on.
            if chosen.cost is not None:
                chosen = replace(chosen, cost=tuple(row[::-1] for row in chosen.cost[::-1]))
            if isinstance(prevalence, Sequence | np.ndarray) and np.ndim(prevalence) == 1:
                prevalence = prevalence[::-1]
    known = singles[0].labels
    if chosen.cost is not None and len(chosen.cost) != len(known):
        raise DataError(
            f"The cost matrix is {len(chosen.cost)} × {len(chosen.cost)}, and there are {len(known)} labels "
            f"({shorten(map(label_text, known), 6)}).",
            hint="rows (truth) and columns (prediction) follow the order of the labels.",
        )
    return tuple(singles), chosen.at(len(known) - 1), positive, check_prevalence(prevalence, known)


def _check_multilabel(metric: Metric, prevalence: Any) -> None:
    """Refuse what makes no sense where an item has any number of labels."""
    if prevalence is not None:
        raise InvalidInputError("`prevalence` needs one label an item; these items have any number of labels.")
    if (metric.average is None and metric.kernel is not None and metric.name in METRICS) or metric.cost is not None:
        raise InvalidInputError(
            f"The metric {metric.name!r} is about items with one label; these have any number of labels.",
            hint="use an average such as micro_f1 or macro_f1, or pos_label= for one label.",
        )


def _positive(labels: Sequence[Label], pos_label: Any, metric: Metric, *, needed: bool) -> Label | None:
    """Return the positive label: the one named, or the usual one where the metric or the prior needs one."""
    if pos_label is not None:
        return find_label(pos_label, labels)
    if not (metric.needs_positive or (needed and len(labels) <= _BINARY)):
        return None
    if len(labels) > _BINARY:
        raise PosLabelError(
            f"The metric {metric.name!r} is about one class, and these data have {len(labels)} labels "
            f"({shorten(map(label_text, labels), 6)}).",
            hint=f"average over them as in metric='macro_{metric.name}', name one with pos_label=, or compare them all "
            "with compare_classes (--per-class).",
        )
    for label in labels:
        if label in (1, "1"):  # True == 1
            return label
    if len(labels) == 1:
        return labels[0]
    raise PosLabelError(
        f"Which label is positive? {metric.name!r} needs to know, and the labels are {shorten(labels)}.",
        hint=f"pass pos_label={brief(repr(labels[-1]))}.",
    )


def looks(posteriors: Sequence[Posterior], n_pairs: int = 1) -> tuple[int, ...]:
    """Return where to look at the verdict; for large tables fewer draws must do, by their work and not by the clock."""
    most = _AFFORDABLE // (sum(posterior.work for posterior in posteriors) + _SORTING * n_pairs)
    within = tuple(look for look in LOOKS if look <= most)
    return within or (max(most // 1_000 * 1_000, _FEWEST),)


def collect(
    draw: Callable[[int, int], FloatArray],
    draws: DrawsLike,
    settled: Callable[[FloatArray], bool],
    at_least: int = 0,
    at: Sequence[int] = LOOKS,
) -> tuple[FloatArray, FloatArray]:
    """Draw as many as asked, or until `settled`; return these draws and the first `at_least` ones.

    `draw(start, stop)` returns draws along the last axis. A fixed number is honoured exactly; the additional
    draws for `at_least` continue the same stream.
    """
    if draws != "auto":
        whole = draw(0, max(draws, at_least))
        return whole[:, :draws], whole[:, :at_least]
    whole = draw(0, at[0])
    for look in at[1:]:
        if settled(whole):
            break
        whole = np.concatenate([whole, draw(whole.shape[1], look)], axis=1)
    if whole.shape[1] < at_least:
        return whole, np.concatenate([whole, draw(whole.shape[1], at_least)], axis=1)
    return whole, whole[:, :at_least]


def takes_long(posteriors: Sequence[Posterior]) -> bool:
    """Whether the draws that Savage-Dickey takes, of posterior and prior, are too much work for a by-product."""
    return 2 * SD_DRAWS * sum(posterior.work for posterior in posteriors) > _AFFORDABLE


def capped(recipe: Recipe, n_draws: int, at: Sequence[int], *, stable: bool) -> tuple[str, ...]:
    """Say that drawing stopped for the work it takes, where more draws might have settled the verdict."""
    if recipe.draws != "auto" or stable or at[-1] == LOOKS[-1]:
        return ()
    told = f"Drawing stopped at {n_draws:,} draws, about 20 s of work for a table of this size; draws= asks for more."
    return (told,)


def prior_delta(recipe: Recipe, *, fewer: bool = False) -> FloatArray:
    """Return draws of the difference of two classifiers under the prior: the same for all data, and so kept.

    The papers' recipe takes 50,000. `fewer` will do for many classes where only the mass in the ROPE is asked for.
    """
    table = recipe.tables[0]
    number = min(SD_DRAWS, max(_PRIOR_WORK // table.n_labels, 1)) if fewer else SD_DRAWS
    labels: tuple[Label, ...] = tuple(range(table.n_labels))
    if NO_ANSWER in table.labels:
        labels = (*labels[:-1], NO_ANSWER)
    question = (recipe.model, type(table), labels, recipe.metric, recipe.prevalence, recipe.seed, number)
    try:
        return _prior_delta(*question)  # type: ignore[arg-type]
    except TypeError:  # a model or function that cannot be hashed is drawn every time
        return _prior_delta.__wrapped__(*question)


@lru_cache(maxsize=32)
def _prior_delta(  # noqa: PLR0917 - what the cache is keyed by
    model: Model,
    kind: type[AnyOutcomes],
    labels: tuple[Label, ...],
    metric: Metric,
    prevalence: tuple[float, ...] | None,
    seed: int,
    number: int,
) -> FloatArray:
    groups = [("A", "B")] if model.paired else [("A",), ("B",)]
    posteriors = [model.fit(kind.empty(labels, names)) for names in groups]
    psi = draw_psi(posteriors, metric, prevalence, stop=number, seed=seed, stream=PRIOR_STREAM)
    delta: FloatArray = psi[0] - psi[1]
    delta.flags.writeable = False
    return delta


def issue(alarms: Iterable[str]) -> None:
    """Issue the warnings of a result so that they point at the line that called the facade."""
    for alarm in alarms:
        category = PriorDominanceWarning if alarm.startswith(PULLS) else DegenerateDataWarning
        warnings.warn(visible(alarm), category, stacklevel=3)
