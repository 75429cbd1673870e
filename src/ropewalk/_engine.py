"""What `compare` and `evaluate` share: settle the question, then draw until the answer stands."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from ropewalk._validate import brief, check_draws, check_prevalence, check_prob, choose, count_of, is_real, shorten
from ropewalk.data.labels import find_label, label_text
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
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.models.posterior import Model, draw_psi
from ropewalk.report.escape import visible
from ropewalk.results import Recipe
from ropewalk.sampling import PRIOR_STREAM
from ropewalk.summary import NOTE_PULL, WARN_PULL, Estimate
from ropewalk.typing import DrawsLike, FloatArray, Label, RopeLike, Rule

LOOKS: Final = (50_000, 200_000, 800_000, 3_200_000)
"""Where `draws="auto"` looks at the verdict; each look is a prefix of the next."""

RULES: Final[dict[str, Rule]] = {"hdi": "hdi", "probability": "probability"}

_BINARY: Final = 2
_PULLS: Final = "The prior pulls"

MetricLike = str | Metric | Callable[[Margins], Any]


def write_recipe(
    tables: Sequence[Outcomes],
    *,
    source: Sequence[Outcomes],
    metric: MetricLike | None,
    pos_label: Any,
    model: Model,
    prevalence: Any,
    cost_matrix: Any,
    rope: RopeLike | None,
    prob: float,
    rule: str,
    draws: DrawsLike,
    seed: int,
) -> Recipe:
    """Check everything that was said and write it down; `tables` are what the model takes, `source` the data."""
    # What is wrong with the call is said before what is wrong with the data.
    interval, mass, way, number = parse_rope(rope), check_prob(prob), choose(rule, RULES, "rule"), check_draws(draws)
    shaped, measure, positive, shares = _settle_question(
        tables, metric=metric, pos_label=pos_label, model=model, prevalence=prevalence, cost_matrix=cost_matrix
    )
    _check_reach(interval, measure)
    return Recipe(
        tables=shaped,
        model=model,
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
    tables: Sequence[Outcomes],
    *,
    metric: MetricLike | None,
    pos_label: Any,
    model: Model,
    prevalence: Any,
    cost_matrix: Any,
) -> tuple[tuple[Outcomes, ...], Metric, Label | None, tuple[float, ...] | None]:
    """Find the metric, the positive class and the class mix that were meant, and bring the tables into shape.

    A `pos_label` makes the tables one-vs-rest, the positive label last. Without one, two labels have 1, True or
    "1" as the positive one, where the metric or the prior needs to know.
    """
    labels = tables[0].labels
    if metric is None:
        single = "f1" if len(labels) == _BINARY or pos_label is not None else "macro_f1"
        metric = single if cost_matrix is None else "cost"
    chosen = parse_metric(metric, cost_matrix)
    if pos_label is not None and chosen.average is not None:
        raise InvalidInputError(
            f"One class was picked, and {chosen.name!r} averages over all of them.",
            hint=f"use metric={chosen.name.partition('_')[2]!r} with pos_label, or leave pos_label out.",
        )
    positive = _positive(labels, pos_label, chosen, needed=not model.is_symmetric or is_real(prevalence))
    if positive is not None and (pos_label is not None or len(labels) > 1):
        tables = [table.collapse(positive) for table in tables]
        if len(labels) == _BINARY and positive == labels[0]:
            # Costs and shares come in label order, and the positive label is last from here on.
            if chosen.cost is not None:
                chosen = replace(chosen, cost=tuple(row[::-1] for row in chosen.cost[::-1]))
            if isinstance(prevalence, Sequence | np.ndarray) and np.ndim(prevalence) == 1:
                prevalence = prevalence[::-1]
    if chosen.cost is not None and len(chosen.cost) != tables[0].n_labels:
        raise DataError(
            f"The cost matrix is {len(chosen.cost)} × {len(chosen.cost)}, and there are {tables[0].n_labels} labels "
            f"({shorten(map(label_text, tables[0].labels), 6)}).",
            hint="rows (truth) and columns (prediction) follow the order of the labels.",
        )
    shares = check_prevalence(prevalence, tables[0].labels)
    return tuple(tables), chosen.at(tables[0].n_labels - 1), positive, shares


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
            hint="name the class with pos_label=, or compare them all with compare_classes (--per-class).",
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


def collect(
    draw: Callable[[int, int], FloatArray],
    draws: DrawsLike,
    settled: Callable[[FloatArray], bool],
    at_least: int = 0,
) -> tuple[FloatArray, FloatArray]:
    """Draw as many as asked, or until `settled`; return these draws and the first `at_least` ones.

    `draw(start, stop)` returns draws along the last axis. A fixed number is honoured exactly; the additional
    draws for `at_least` continue the same stream.
    """
    if draws != "auto":
        whole = draw(0, max(draws, at_least))
        return whole[:, :draws], whole[:, :at_least]
    whole = draw(0, LOOKS[0])
    for look in LOOKS[1:]:
        if settled(whole):
            break
        whole = np.concatenate([whole, draw(whole.shape[1], look)], axis=1)
    return whole, whole[:, :at_least]


def prior_delta(
    model: Model, n_labels: int, metric: Metric, prevalence: tuple[float, ...] | None, seed: int
) -> FloatArray:
    """Return 50,000 draws of the difference under the prior, the same for all data and so kept."""
    try:
        return _prior_delta(model, n_labels, metric, prevalence, seed)
    except TypeError:  # a model or function that cannot be hashed is drawn every time
        return _prior_delta.__wrapped__(model, n_labels, metric, prevalence, seed)


@lru_cache(maxsize=32)
def _prior_delta(
    model: Model, n_labels: int, metric: Metric, prevalence: tuple[float, ...] | None, seed: int
) -> FloatArray:
    groups = [("A", "B")] if model.paired else [("A",), ("B",)]
    posteriors = [model.fit(Outcomes.empty(range(n_labels), names)) for names in groups]
    psi = draw_psi(posteriors, metric, prevalence, stop=SD_DRAWS, seed=seed, stream=PRIOR_STREAM)
    delta: FloatArray = psi[0] - psi[1]
    delta.flags.writeable = False
    return delta


def remarks(
    tables: Sequence[Outcomes], metric: Metric, estimates: dict[str, Estimate]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes and warnings: thin data, and a prior that speaks louder than it should."""
    alarms = [told for table in tables for told in _thin_data(table, metric)]
    strong = {what: e for what, e in estimates.items() if abs(e.pull) >= WARN_PULL}
    weak = {what: e for what, e in estimates.items() if NOTE_PULL <= abs(e.pull) < WARN_PULL}
    if strong:
        alarms.append(
            f"{_pulls(strong)} A 95% interval then covers less than it says: weaken the prior or get more items."
        )
    notes = [_pulls(weak)] if weak else []
    gone = max((table.left_out for table in tables), default=0)
    if gone:
        notes.append(f"{count_of(gone, 'item')} left out, as was asked for: no label, or no match.")
    return tuple(notes), tuple(dict.fromkeys(alarms))


def _pulls(estimates: dict[str, Estimate]) -> str:
    told = [f"{what} by {e.pull:+.2f} ({e.observed:.4f} to {e.mean:.4f})" for what, e in estimates.items()]
    return f"{_PULLS}, in posterior standard deviations (from the observed value to the mean): {'; '.join(told)}."


def _thin_data(table: Outcomes, metric: Metric) -> list[str]:
    if not table.n_items:
        return ["There are no items: this is the prior, not an answer."]
    if table.n_labels == 1:
        only = label_text(table.labels[0])
        return [f"There is only one label, {only!r}: every metric is what it must be. labels= declares more classes."]
    told = []
    present = np.bincount(table.codes[:, 0], weights=table.counts, minlength=table.n_labels)
    empty = [label_text(table.labels[j]) for j in np.flatnonzero(present == 0)]
    if empty:
        told.append(f"No item belongs to {shorten(empty, 6)}: what happens there is known from the prior alone.")
    watched = [metric.positive] if metric.positive is not None else range(table.n_labels) if metric.by_class else []
    for k, name in enumerate(table.names):
        predicted = np.bincount(table.codes[:, 1 + k], weights=table.counts, minlength=table.n_labels)
        never = [label_text(table.labels[j]) for j in watched if predicted[j] == 0]
        if never:
            told.append(f"{name} never predicts {shorten(never, 6)}: its observed precision is 0/0 and counts 0.")
    return told


def issue(alarms: Iterable[str]) -> None:
    """Issue the warnings of a result so that they point at the line that called the facade."""
    for alarm in alarms:
        category = PriorDominanceWarning if alarm.startswith(_PULLS) else DegenerateDataWarning
        warnings.warn(visible(alarm), category, stacklevel=3)
