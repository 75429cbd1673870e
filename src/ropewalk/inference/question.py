"""Settle a question: check everything that was said about the data, and write it down as a recipe."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from ropewalk._checks import check_draws, check_prob, choose
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.draws.decision import parse_rope
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.mcmc.sampler import Sampler
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import MetricLike, choose_metric, of_one_label, settle
from ropewalk.models import Bootstrap, parse_model
from ropewalk.models.posterior import AnyMetric, Model
from ropewalk.results import Recipe
from ropewalk.text.options import argument, wording
from ropewalk.typing import DrawsLike, RopeLike, Rule

RULES: Final[dict[str, Rule]] = {"hdi": "hdi", "probability": "probability"}

_BINARY: Final = 2

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
    engine: Sampler | str = "auto",
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
    sampler = _sampler(chosen, engine)
    if len(tables) > 1 and chosen.paired:
        raise InvalidInputError(
            f"The model {chosen.name!r} needs to know which items the classifiers share; these are separate tables.",
            hint=wording('use model="unpaired", or give the predictions item by item.'),
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
        sampler=sampler,
    )


def default_model(*, separate: bool) -> Default:
    """Return the choice of a model for one shared table, or for separate ones."""

    def choose_model(n_labels: int, metric: Metric, multilabel: bool) -> str | Model:  # noqa: ARG001, FBT001
        if multilabel and metric.average == "micro":
            # The labels of an item go together, and a micro average is made of such items.
            return Bootstrap(paired=not separate)
        return "unpaired" if separate else "paired"

    return choose_model


def _sampler(model: Model, engine: Sampler | str) -> Sampler | None:
    """Return the sampler of Markov chains, None for the exact engine; "auto" takes chains only where it must."""
    exact = getattr(model, "exact", True)
    if isinstance(engine, Sampler):
        if isinstance(model, Bootstrap):
            raise InvalidInputError(
                "The bootstrap has no prior and no likelihood to sample.",
                hint=wording("leave engine= out, or name a model=."),
            )
        return engine
    if exact:
        return None
    if engine == "exact":
        raise InvalidInputError(
            f"The prior of the model {model.name!r} is not conjugate, so it cannot be drawn exactly.",
            hint='use engine="pymc".',
        )
    return Sampler()


def _over_clusters(tables: Sequence[AnyOutcomes], model: str | Model | None) -> Model | None:
    """Return the model of clustered items, which is the bootstrap of clusters and no other; None without clusters."""
    if all(table.clusters is None for table in tables):
        return None
    if any(table.clusters is None for table in tables):
        raise DataError(
            "Some tables have clusters and others have none.", hint=wording("give all or none of them cluster=.")
        )
    if model is None or model == "bootstrap" or isinstance(model, Bootstrap):
        return Bootstrap(over="clusters", paired=len(tables) == 1)
    raise InvalidInputError(
        f"The model {getattr(model, 'name', model)!r} takes items as independent, and these come in clusters.",
        hint=wording("leave model= out: weights over clusters are drawn."),
    )


def check_reach(rope: Interval | None, metric: AnyMetric) -> None:
    """Refuse a ROPE wider than any difference can be: 5 for 5%, or 0,05 with a decimal comma."""
    reach = metric.high - metric.low
    for end in () if rope is None else (rope.low, rope.high):
        if math.isfinite(end) and abs(end) > reach:
            raise InvalidInputError(
                argument("rope")
                + f" reaches to {end:g}, and no two values of {metric.name} differ by more than {reach:g}.",
                hint="write 0.05 for five points, with a decimal point.",
            )
