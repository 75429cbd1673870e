"""Models: priors and counts make a posterior that is drawn exactly.

Here are the table of the models that a name describes, which `model=`, `--model` and the JSON of a recipe read, and
what turns posteriors into draws of a metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np

from ropewalk._checks import check_whole, checked_keywords, choose, publish
from ropewalk.data.labels import BINARY
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws import streams
from ropewalk.draws.blocks import draw_blocks
from ropewalk.errors import InvalidInputError, RopewalkError, UnknownNameError
from ropewalk.metrics.margins import Cells, Tables, Weighted
from ropewalk.metrics.registry import MAX_RATIO, Metric
from ropewalk.metrics.resolve import leans_on_one_class
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models.binary import Sigir2016, Sigir2016Unpaired
from ropewalk.models.bootstrap import Bootstrap
from ropewalk.models.confusion import Flat, Icdm2015, Pooled
from ropewalk.models.delta import DeltaPrior
from ropewalk.models.items import Items, items_of_labels
from ropewalk.models.learned import LearnedTree
from ropewalk.models.multilabel import Multilabel, observed_margins
from ropewalk.models.noisy import NoisyLabels
from ropewalk.models.own import OwnPriors
from ropewalk.models.power_prior import PowerPrior
from ropewalk.models.protocol import Model, Posterior
from ropewalk.models.runs import HalfNormal
from ropewalk.models.sampled import LogitNormal
from ropewalk.models.tree import Tree
from ropewalk.text.remarks import wording
from ropewalk.typing import FloatArray

__all__ = [
    "MODELS",
    "Bootstrap",
    "DeltaPrior",
    "Flat",
    "HalfNormal",
    "Icdm2015",
    "Items",
    "LearnedTree",
    "LogitNormal",
    "Model",
    "Multilabel",
    "NoisyLabels",
    "OwnPriors",
    "Pooled",
    "Posterior",
    "PowerPrior",
    "Sigir2016",
    "Sigir2016Unpaired",
    "Tree",
    "model_names",
    "papers_models",
    "parse_model",
    "register",
]

publish(globals())

AnyData = AnyOutcomes | ItemScores
"""What a model is fitted to: counted labels, or scores item by item."""

AnyMetric = Metric | ScoreMetric


# -- models by name ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Named:
    """How a name makes a model: of so many labels and classifiers, and for a metric where labels are any number."""

    single: Callable[[int, int], Model] | None
    multilabel: Callable[[AnyMetric | None], Model] | None


MODELS: Final[dict[str, Named]] = {}
"""The models by name, in the order in which they are listed."""

_KINDS: Final[dict[str, type[Model]]] = {}


@checked_keywords
def register(
    kind: type[Model],
    name: str | None = None,
    *,
    single: Callable[[int, int], Model] | None = None,
    multilabel: Callable[[AnyMetric | None], Model] | None = None,
) -> None:
    """Let a name stand for a model, by default for `kind()` under the name that the class has.

    `single` makes the model of so many labels and classifiers, where that decides the prior; `multilabel` that of
    items with any number of labels, for a metric if it is known. A class for such items alone has no `single`.
    """
    if name is None:
        name = cast("Any", kind.name)
        if not isinstance(name, str):
            raise InvalidInputError(
                f"The name of {kind.__name__} is not to be read from the class.",
                hint='write name = "…" in the class, as no field, or register it under a name.',
            )
    only_multilabel = vars(kind).get("is_multilabel", False)
    if single is None and not only_multilabel:
        single = lambda *_: kind()  # noqa: E731
    if multilabel is None and only_multilabel:
        multilabel = lambda _: kind()  # noqa: E731
    MODELS[name] = Named(single, multilabel)
    _KINDS[kind.__name__] = kind


@checked_keywords
def model_names(*, multilabel: bool = False) -> tuple[str, ...]:
    """Return the names that `model=` knows, where items have one label or any number of them."""
    return tuple(name for name, made in MODELS.items() if (made.multilabel if multilabel else made.single))


@checked_keywords
def parse_model(
    model: str | Model,
    *,
    n_labels: int = 2,
    n_classifiers: int = 2,
    multilabel: bool = False,
    metric: AnyMetric | None = None,
) -> Model:
    """Turn a name into the model with the default prior for so many labels, and the metric; an object stays itself.

    Examples
    --------
    >>> parse_model("sigir2016_unpaired")
    Sigir2016Unpaired(mu=(1.0, 1.0), positive=(1.0, 1.0), negative=(1.0, 1.0))
    >>> parse_model("tree", n_labels=20).prior
    'mu ~ Dir(1, …); types ~ Dir(1·base); labels of a type ~ Dir, mass 1'
    """
    if isinstance(model, str):
        here, there = model_names(multilabel=multilabel), model_names(multilabel=not multilabel)
        if model in there and model not in here and not multilabel:
            raise InvalidInputError(
                f"The model {model!r} is for items with any number of labels.", hint=wording("use model='paired'.")
            )
        if model in there and model not in here:
            raise InvalidInputError(
                f"The model {model!r} needs one label per item; these items have any number of labels.",
                hint=f"use one of {', '.join(here)}.",
            )
        named = choose(model, {name: MODELS[name] for name in here}, "model")
        if named.multilabel is not None and multilabel:
            return named.multilabel(metric)
        assert named.single is not None  # noqa: S101 - it is among the names of one label
        return named.single(n_labels, n_classifiers)
    given: Any = model
    if not isinstance(given, Model):
        raise UnknownNameError(
            wording("`model` must be a name or a model object; got {!r}.", given),
            hint=f"{list(model_names())}; a class of your own inherits from models.Model.",
        )
    if model.is_multilabel not in {None, multilabel}:
        raise InvalidInputError(
            f"The model {model!r} is for items with {'one label' if multilabel else 'any number of labels'}.",
            hint="leave model= out for the one that fits.",
        )
    return model


def suited(
    model: Model, tables: Sequence[AnyData], metric: AnyMetric, prevalence: tuple[float, ...] | None = None
) -> Model:
    """Return the model as it is for a metric of these tables: of two labels, its mass may depend on that.

    Examples
    --------
    >>> from ropewalk.metrics.registry import METRICS
    >>> spam = Outcomes.from_confusion([[80, 10], [5, 5]])
    >>> [suited(LearnedTree(), [spam], METRICS[name].at(1)).kappa for name in ("f1", "recall")]
    [1.0, 2.0]
    """
    counted = [table for table in tables if isinstance(table, Outcomes) and table.n_labels <= BINARY]
    if not counted or not isinstance(metric, Metric):
        return model
    items = np.sum([table.items_by_class() for table in counted], axis=0)
    return model.suited(leans=leans_on_one_class(metric, items, prevalence))


def name_of(
    model: Model, tables: Sequence[AnyData], metric: AnyMetric, prevalence: tuple[float, ...] | None = None
) -> str | None:
    """Return the name of a model, where that alone makes it for these tables and this metric."""
    several = isinstance(tables[0], MultilabelOutcomes)
    n_labels, n_classifiers = tables[0].n_labels, sum(len(table.names) for table in tables)
    try:
        made = parse_model(
            model.name, n_labels=n_labels, n_classifiers=n_classifiers, multilabel=several, metric=metric
        )
    except RopewalkError:
        return None
    return model.name if suited(made, tables, metric, prevalence) == model else None


def model_dict(model: Model) -> dict[str, Any] | None:
    """Return a model as JSON has it; None where its class has no name and could not be found again."""
    return model.to_dict() if type(model) in _KINDS.values() else None


def read_model(values: Mapping[str, Any]) -> Model:
    """Return the model that `model_dict` wrote."""
    return _KINDS[values["kind"]](**{name: value for name, value in values.items() if name != "kind"})


def _sigir2016(n_labels: int, n_classifiers: int) -> Model:  # noqa: ARG001
    """Return the papers' paired model, and for more than two classifiers the tree that has its prior for each pair."""
    return Sigir2016() if n_classifiers == 2 else Tree(kappa=4.0, name="sigir2016")  # noqa: PLR2004


@checked_keywords
def papers_models(n_labels: int, *, multilabel: bool = False) -> list[tuple[str, Model]]:
    """Return the papers' models of so many labels, each with a name: what another prior is compared with."""
    check_whole(n_labels, "n_labels")
    if multilabel:
        return [
            ("paired, SIGIR 2016", Multilabel(kappa=4.0)),
            ("unpaired, SIGIR 2016", Multilabel(kappa=2.0, paired=False)),
        ]
    if n_labels > 2:  # noqa: PLR2004
        return [("hierarchical, ICDM 2015", Icdm2015()), ("flat", Flat())]
    return [("paired, SIGIR 2016", Sigir2016()), ("unpaired, SIGIR 2016", Sigir2016Unpaired())]


register(LearnedTree, "paired", multilabel=lambda _: Multilabel())
register(
    LearnedTree,
    "unpaired",
    single=lambda *_: LearnedTree(paired=False, name="unpaired"),
    multilabel=lambda _: Multilabel(paired=False),
)
register(Tree, "tree")
register(Sigir2016, "sigir2016", single=_sigir2016)
register(Sigir2016Unpaired, "sigir2016_unpaired")
register(Pooled)
register(Icdm2015)
register(Flat)
register(Multilabel, "multilabel")
register(Items, "items", multilabel=items_of_labels)
register(Bootstrap, multilabel=lambda _: Bootstrap())


# -- draws of a metric -------------------------------------------------------------------------------------


def measure(metric: AnyMetric, tables: Any, prevalence: tuple[float, ...] | None = None) -> FloatArray:
    """Return a metric of tables, (K, draws), at another class mix where one is named."""
    return metric(tables if prevalence is None else tables.at_prevalence(np.array(prevalence)))


def draw_psi(
    posteriors: Sequence[Posterior],
    metric: AnyMetric,
    prevalence: tuple[float, ...] | None = None,
    **how: Any,
) -> FloatArray:
    """Return draws of one metric, (K, n); see `draw_psis`."""
    return draw_psis(posteriors, [metric], prevalence, **how)[0]


def draw_psis(
    posteriors: Sequence[Posterior],
    metrics: Sequence[AnyMetric],
    prevalence: tuple[float, ...] | None = None,
    *,
    start: int = 0,
    stop: int,
    seed: int,
    stream: int = streams.POSTERIOR,
    threads: int = 1,
    largest_block: int | None = None,
    stops: Sequence[int] = (),
) -> list[FloatArray]:
    """Return draws `start` … `stop` of each metric, (K, n): classifiers of one posterior after those of the next.

    One posterior of K classifiers makes paired draws, K posteriors of one classifier independent ones. All metrics
    measure the same tables. Whole blocks are drawn and cut, so that more can follow: where none will, `largest_block`
    spares what would be cut off. A metric that wants draws up to its own one of the `stops` is not measured on others.
    """
    wanted = stops or [stop] * len(metrics)
    parts = []
    for number, posterior in enumerate(posteriors):

        def draw(rng: np.random.Generator, size: int, posterior: Posterior = posterior) -> FloatArray:
            begin = size * rng.bit_generator.seed_seq.spawn_key[-1]  # type: ignore[attr-defined]  # the number of the block
            tables = posterior.block(rng, size)
            measured = [measure(m, tables, prevalence) for m, end in zip(metrics, wanted, strict=True) if begin < end]
            rows = iter(measured)
            blank = np.empty_like(measured[0])
            return np.stack([next(rows) if begin < end else blank for end in wanted])

        size = posterior.block_size if largest_block is None else min(posterior.block_size, largest_block)
        first = start // size * size
        drawn = draw_blocks(draw, size=size, start=first, stop=stop, seed=seed, stream=stream + number, threads=threads)
        parts.append(drawn[..., start - first :])
    whole = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
    return [psi[:, : end - start] for psi, end in zip(whole, wanted, strict=True)]


def observed_tables(table: AnyOutcomes) -> Tables:
    """Return the counts themselves, as a single draw."""
    if isinstance(table, MultilabelOutcomes):
        return observed_margins(table)
    return Weighted(Cells(table.codes, table.n_labels), table.row_weights[:, np.newaxis])


def observed_psi(
    tables: Sequence[AnyData], metric: AnyMetric, prevalence: tuple[float, ...] | None = None
) -> tuple[float | None, ...]:
    """Return the metric of the counts themselves, one number per classifier.

    None where nothing was observed: no items, or at another `prevalence` a class of which there is none.
    """
    values: list[float | None] = []
    for table in tables:
        if not table.n_items:
            values += [None] * table.n_classifiers
            continue
        if isinstance(table, ItemScores):
            values += metric.observed(table).tolist()  # type: ignore[union-attr]
            continue
        empty = table.items_by_class() == 0
        unseen = prevalence is not None and any(share > 0 and empty[j] for j, share in enumerate(prevalence))
        if unseen:
            values += [None] * table.n_classifiers
            continue
        seen = measure(metric, observed_tables(table), prevalence)[:, 0]
        if metric.divisor is not None:  # draws end somewhere; what is divided by 0 does not
            seen = np.where(seen >= MAX_RATIO, np.inf, seen)
        values += seen.tolist()
    return tuple(values)
