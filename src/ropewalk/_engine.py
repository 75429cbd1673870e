"""What `compare`, `evaluate` and `rank` share: settle the question, then draw until the answer stands."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, Final

import numpy as np

from ropewalk._remarks import PULLS
from ropewalk._settle import MetricLike, choose_metric, of_one_label, settle
from ropewalk._validate import check_draws, check_prob, choose, visible
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.decision import parse_rope
from ropewalk.errors import (
    DataError,
    DegenerateDataWarning,
    InvalidInputError,
    PriorDominanceWarning,
)
from ropewalk.evidence import SD_DRAWS
from ropewalk.intervals import Interval
from ropewalk.metrics.registry import Metric
from ropewalk.models import Bootstrap, parse_model
from ropewalk.models.posterior import AnyMetric, Model, Posterior, draw_psi
from ropewalk.results import Recipe
from ropewalk.sampling import PRIOR_STREAM
from ropewalk.summary import Estimate
from ropewalk.typing import DrawsLike, FloatArray, Label, RopeLike, Rule

LOOKS: Final = (50_000, 200_000, 800_000, 3_200_000)
"""Where `draws="auto"` looks at the verdict; each look is a prefix of the next."""

RULES: Final[dict[str, Rule]] = {"hdi": "hdi", "probability": "probability"}

_BINARY: Final = 2
_AFFORDABLE: Final = 1_000_000_000  # random numbers, at about 20 ns each: 20 s
_BRISK: Final = 200_000_000  # the work of a second or two
_EARLY: Final = 10_000
_FEWEST: Final = 10_000
_DIGITS: Final = 13
_ALIKE: Final = 1e-12
_LEAST_UNITS: Final = 10  # of 10 clusters the interval covers 79-89%
_EARLY_DRAWS: Final = 1_000
_VAST: Final = 500_000  # of so much work a draw, fewer must do
_PRIOR_WORK: Final = 500_000
_SORTING: Final = 10  # to sort the differences of a pair costs as much as so many random numbers a draw

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
    tables, pos_label = of_one_label(source, pos_label)
    several = isinstance(tables[0], MultilabelOutcomes)
    n_labels = tables[0].n_labels if pos_label is None else _BINARY
    measure = choose_metric(metric, tables[0], pos_label, cost_matrix)
    chosen = parse_model(
        _over_clusters(tables, model) or (default(n_labels, measure, several) if model is None else model),
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
    settled = settle(
        tables,
        metric=measure,
        classes=classes,
        pos_label=pos_label,
        prevalence=prevalence,
        needs_positive=not chosen.is_symmetric,
    )
    check_reach(interval, settled.metric)
    return Recipe(
        tables=settled.tables,
        model=chosen,
        metric=settled.metric,
        pos_label=settled.positive,
        prevalence=settled.prevalence,
        rope=interval,
        prob=mass,
        rule=way,
        draws=number,
        seed=seed,
        data_hash="+".join(table.data_hash for table in source),
        n_items=sum(table.n_items for table in source),
    )


def _over_clusters(tables: Sequence[AnyOutcomes], model: str | Model | None) -> Model | None:
    """Return the model of clustered items, which is the bootstrap of clusters and no other; None without clusters."""
    if all(table.clusters is None for table in tables):
        return None
    if any(table.clusters is None for table in tables):
        raise DataError("Some tables have clusters and others have none.", hint="give all or none of them cluster=.")
    if model is None or model == "bootstrap" or isinstance(model, Bootstrap):
        return Bootstrap(over="clusters", paired=len(tables) == 1)
    raise InvalidInputError(
        f"The model {getattr(model, 'name', model)!r} takes items as independent, and these come in clusters.",
        hint="leave model= out: weights over clusters are drawn.",
    )


def check_reach(rope: Interval | None, metric: AnyMetric) -> None:
    """Refuse a ROPE wider than any difference can be: 5 for 5%, or 0,05 with a decimal comma."""
    reach = metric.high - metric.low
    for end in () if rope is None else (rope.low, rope.high):
        if math.isfinite(end) and abs(end) > reach:
            raise InvalidInputError(
                f"`rope` reaches to {end:g}, and no two values of {metric.name} differ by more than {reach:g}.",
                hint="write 0.05 for five points, with a decimal point.",
            )


def looks(posteriors: Sequence[Posterior], n_pairs: int = 1) -> tuple[int, ...]:
    """Return where to look at the verdict; for large tables fewer draws must do, by their work and not by the clock."""
    work = sum(posterior.work for posterior in posteriors) + _SORTING * n_pairs
    most = _AFFORDABLE // work
    within = tuple(look for look in LOOKS if look <= most)
    if within and within[0] * work > _BRISK:  # an early look, for an answer within a second or two
        return (_EARLY, *within)
    fewest = _FEWEST if work < _VAST else _FEWEST // 5
    return within or (max(most // 1_000 * 1_000, fewest),)


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


def steadied(psi: FloatArray, recipe: Recipe, observed: Sequence[float | None]) -> FloatArray:
    """Return draws as they are judged: those of a bootstrap without rounding errors, those of an ECE without noise.

    Equal scores are not to count as different ones. Noise in the bins makes an observed ECE too large, and re-weighting
    adds about as much again: what it adds is taken off twice.
    """
    if not isinstance(recipe.model, Bootstrap):
        return psi
    if recipe.metric.name == "ece":
        # The first draws alone decide, so that fewer draws stay a prefix of more.
        added = psi[:, :_EARLY_DRAWS].mean(axis=1) - np.array(observed, dtype=np.float64)
        psi = np.clip(psi - 2 * added[:, np.newaxis], 0.0, 1.0)
    largest = float(np.abs(psi).max(initial=0.0))
    scale = 10.0 ** math.ceil(math.log10(largest)) if largest > 0 else 1.0
    steady: FloatArray = np.round(psi / scale, _DIGITS) * scale + 0.0
    for i, j in combinations(range(len(steady)), 2):  # equal values may have been rounded apart
        close = np.abs(steady[i] - steady[j]) <= _ALIKE * scale
        steady[j, close] = steady[i, close]
    return steady


def no_verdict(recipe: Recipe, singles: Sequence[Estimate]) -> str:
    """Return why no verdict is given on what was drawn, whatever the ROPE; empty where there is one.

    Re-weighting knows the items it has: where there are hardly any, or where no score moves at all, its draws say
    nothing of other items.
    """
    if recipe.no_verdict or not isinstance(recipe.model, Bootstrap):
        return recipe.no_verdict
    units = min(table.n_items if table.n_clusters is None else table.n_clusters for table in recipe.tables)
    if units < _LEAST_UNITS:
        what = "items" if recipe.n_clusters is None else "clusters"
        return f"no verdict, since fewer than {_LEAST_UNITS} {what} are too few to re-weight"
    if all(single.std == 0 for single in singles):
        return "no verdict, since no re-weighting of the items changes a score"
    return ""


def takes_long(posteriors: Sequence[Posterior]) -> bool:
    """Whether the draws that Savage-Dickey takes, of posterior and prior, are too much work for a by-product."""
    return 2 * SD_DRAWS * sum(posterior.work for posterior in posteriors) > _AFFORDABLE


def capped(recipe: Recipe, n_draws: int, at: Sequence[int], *, stable: bool) -> tuple[str, ...]:
    """Say that drawing stopped for the work it takes, where more draws might have settled the verdict."""
    if recipe.draws != "auto" or stable or at[-1] == LOOKS[-1]:
        return ()
    told = f"Drawing stopped at {n_draws:,} draws, for the work that data of this size take; draws= asks for more."
    return (told,)


def prior_delta(recipe: Recipe, *, fewer: bool = False) -> FloatArray:
    """Return draws of the difference of two classifiers under the prior: the same for all data, and so kept.

    The papers' recipe takes 50,000. `fewer` will do for many classes where only the mass in the ROPE is asked for.
    """
    table = recipe.tables[0]
    assert not isinstance(table, ItemScores)  # noqa: S101 - they have no prior
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
