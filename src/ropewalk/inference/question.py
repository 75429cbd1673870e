"""Read a question: which data are meant, and what is asked about them, checked and written down as a recipe."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, Unpack, cast

from ropewalk._checks import check_draws, check_prob, choose
from ropewalk.data.both import BESIDE_LABELS, read_both
from ropewalk.data.inputs import Kind, Names, guess_kind, read_data, read_one
from ropewalk.data.labels import BINARY
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.probabilities import makes_labels
from ropewalk.data.score_table import refuse_folds
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import Interval
from ropewalk.draws.rope import parse_question
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.mcmc.sampler import Sampler, parse_engine
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.metrics.resolve import (
    choose_metric,
    metric_kind,
    needs_truth,
    of_one_label,
    settle,
    settle_scores,
    takes_scale,
)
from ropewalk.metrics.scores import ScoreMetric, decision_cost
from ropewalk.models import AnyData, AnyMetric, Bootstrap, Items, Multilabel, Tree, name_of, parse_model, suited
from ropewalk.models.items import ITEMS_PER_CLASS, items_of_labels, items_of_scores
from ropewalk.models.protocol import Model
from ropewalk.results import Recipe
from ropewalk.results.options import (
    DecisionOptions,
    DrawsOption,
    EngineOption,
    ExactOption,
    MetricOption,
    ModelOption,
    QuestionOptions,
    options_of,
    with_defaults,
)
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import did_you_mean
from ropewalk.typing import Rule

RULES: Final[dict[str, Rule]] = {"hdi": "hdi", "probability": "probability"}

OF_SCORES_ONLY: Final = ("higher_is_better", "scale")

COMPANIONS: Final = ("accuracy", "precision", "recall")
"""What is shown beside one metric of two labels."""

MAX_LABELS: Final = 20_000
"""With more labels a draw of what happens in each of them takes too long."""

FEWEST_POOLED: Final = 3
"""Fewer scores say nothing of how far they spread."""

Default = Callable[[int, Metric, bool], "str | Model"]
"""The model to take where none is named, given the number of labels, the metric, and whether labels are any-of."""


Sources: TypeAlias = Mapping[Kind, Sequence[AnyData]]
"""The labels that a question is about, the scores, or both."""

Opened: TypeAlias = tuple[Sources, Mapping[str, Any]]
"""Tables, and the options with what the data say of them."""


class Question(
    MetricOption, QuestionOptions, DecisionOptions, ModelOption, EngineOption, DrawsOption, ExactOption, total=False
):
    """What can be asked about data of any form."""


def read_tables(
    data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any], *, usage: str
) -> tuple[AnyData, ...]:
    """Return the tables or scores that a question is about: which of the two is meant follows from its metrics."""
    has_truth = all(map(needs_truth, metrics_of(options)))
    if not has_truth:
        check_taken_wrong(options)
    if "mean" in metrics_of(options):
        refuse_folds(data, options)
    how: dict[str, Any] = {"kind": kind_of_data(options), "has_truth": has_truth, "usage": usage}
    if "name" in options:
        return (read_one(data, options["name"], options, **how),)
    return read_data(data, classifiers, options, **how)


def sources_of(tables: Sequence[AnyData]) -> Sources:
    """Return tables as the labels, or the scores, that a question is about."""
    return {"scores" if isinstance(tables[0], ItemScores) else "labels": tables}


def check_taken_wrong(options: Mapping[str, Any]) -> None:
    """Refuse to take a missing value for wrong where values are not right or wrong."""
    metrics = metrics_of(options)
    if options.get("missing") == "wrong" and not all(getattr(metric, "right_or_wrong", False) for metric in metrics):
        raise InvalidInputError(
            "A missing score is wrong only where scores are right or wrong.",
            hint=wording('metric="accuracy" says that they are; missing="drop" leaves the item out.'),
        )


def metrics_of(options: Mapping[str, Any]) -> Sequence[Any]:
    """Return the metrics of a question, one or several."""
    metric = options.get("metric")
    return metric if isinstance(metric, Sequence) and not isinstance(metric, str) else [metric]


def read_sources(data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any], *, usage: str) -> Sources:
    """Return the labels or scores that a question is about, or both where scores are given beside labels."""
    kinds = kinds_of(options)
    if not any(options.get(name) is not None for name in BESIDE_LABELS):
        if len(kinds) > 1:
            if not makes_labels(data, options.get("threshold")):
                raise _half_of_it(data, classifiers, options)
            return _labels_and_scores(data, classifiers, options, usage=usage)
        return sources_of(read_tables(data, classifiers, options, usage=usage))
    if "scores" not in kinds and options.get("threshold") is None:
        raise InvalidInputError(
            "There are scores beside the labels, and no metric is about scores.",
            hint=wording('leave them out, or name one too, as metric=["f1", "roc_auc"].'),
        )
    labels, items = read_both(data, classifiers or (), options, usage=usage)
    return {"labels": labels, "scores": (items,)}


def _labels_and_scores(
    data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any], *, usage: str
) -> Sources:
    """Return the labels that probabilities say, and the probabilities as the scores beside them."""
    beside = dict(options)
    if isinstance(data[-1], Mapping):
        beside["names"] = list(data[-1])
        data = (*data[:-1], *data[-1].values())
    if len(data) > 1:
        beside["scores"] = tuple(data[1:])
    else:
        beside |= dict(zip(BESIDE_LABELS[1:], classifiers or (), strict=False))
    return read_sources(data, classifiers, beside, usage=usage)


def _half_of_it(data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any]) -> InvalidInputError:
    """Return what is missing where some metrics are about labels and others about scores."""
    here = guess_kind(data, classifiers or ())
    there: Kind = "labels" if here == "scores" else "scores"
    which = next(metric for metric in metrics_of(options) if metric_kind(metric) == there)
    called = which if isinstance(which, str) else getattr(which, "name", getattr(which, "__name__", "one metric"))
    columns = wording("name the columns of scores as a_scores= and b_scores=")
    beside = columns if len(data) == 1 else wording("give the scores as scores=(score_a, score_b)")
    cut = wording("threshold= makes labels of probabilities; or ") if here == "scores" else ""
    return InvalidInputError(
        f"These are {here}, and {called!r} is about {there}: some metrics are about labels, others about scores.",
        hint=cut + "give predicted labels as the predictions; " + beside + " beside them.",
    )


def kinds_of(options: Mapping[str, Any]) -> set[Kind]:
    """Return what the metrics of a question are about, as far as they alone tell."""
    return {kind for metric in metrics_of(options) if (kind := metric_kind(metric)) is not None}


def kind_of_data(options: Mapping[str, Any]) -> Kind | None:
    """Return whether a question is about labels or scores; None where only the data can tell."""
    metrics, kinds = metrics_of(options), kinds_of(options)
    if len(kinds) > 1:
        raise InvalidInputError(
            "Some of these metrics are about labels, others about scores.", hint="ask in two calls."
        )
    if kinds:
        return kinds.pop()
    if "cost" in metrics or options.get("cost_matrix") is not None:
        return None if options.get("threshold") is None else "scores"
    if options.get("threshold") is not None:
        return "labels"
    return None if any(options.get(name) is not None for name in (*OF_SCORES_ONLY, "sample_weight")) else "labels"


def select(options: Mapping[str, Any], wanted: Any) -> Any:
    """Return those options that a typed dictionary declares."""
    return {name: options[name] for name in wanted.__annotations__ if name in options}


def write_recipes(
    sources: Sources, options: Mapping[str, Any], *, default: Default | None = None, seed: int = 0
) -> list[Recipe]:
    """Write one recipe per metric, in the order in which they were named.

    What is about some metrics only goes to these: costs to "cost", `classes` to averages, a scale to means, the model
    of labels to metrics of labels. A `rope` is of all of them, or a mapping from their names.
    """
    metrics, rope, asked = metrics_of(options), options.get("rope"), about_each(sources, options)
    kinds = [kind for kind, _ in asked]
    hashes = {kind: _hash_of(source) if kinds.count(kind) > 1 else "" for kind, source in sources.items()}

    def write(place: int, **changed: Any) -> Recipe:
        kind, about = asked[place]
        about = {**about, **changed, "rope": None if isinstance(rope, Mapping) else rope}
        return write_recipe(sources[kind], default=default, seed=seed, data_hash=hashes[kind], **about)

    recipes = [write(i) for i in range(len(metrics))]
    # A class that is positive for one metric is so for all: else they would measure the same table in two orders.
    of_labels = [i for i, kind in enumerate(kinds) if kind == "labels"]
    positive = next((recipes[i].pos_label for i in of_labels if recipes[i].pos_label is not None), None)
    for i in of_labels if positive is not None else ():
        labels, symmetric = recipes[i].tables[0].labels, recipes[i].metric.average is None
        if recipes[i].pos_label is None and symmetric and len(labels) == BINARY and labels[0] == positive:
            recipes[i] = write(i, pos_label=positive)
    return recipes if not isinstance(rope, Mapping) else _with_ropes(recipes, metrics, rope)


def about_each(sources: Sources, options: Mapping[str, Any]) -> list[tuple[Kind, dict[str, Any]]]:
    """Return of each metric what data it is about, and the options that it takes."""
    question: Question = select(options, Question)
    metrics = metrics_of(options)
    if not metrics:
        raise InvalidInputError(
            wording("`metric` is an empty list; name at least one."), hint="leave it out for the usual one."
        )
    asked = [(metric, _kind_in(sources, metric, question)) for metric in metrics]
    each = []
    for place, (metric, kind) in enumerate(asked):
        others = [other for i, other in enumerate(asked) if i != place]
        each.append((kind, {**question, **_about(metric, kind, others, question), "metric": metric}))
    return each


def usual_companions(recipe: Recipe) -> list[Recipe]:
    """Return the recipes of the usual metrics beside one of two labels; none where a model is not for them."""
    table = recipe.tables[0]
    if not isinstance(table, Outcomes) or table.n_labels != BINARY:
        return []
    if recipe.sampler is not None or recipe.model.weights_difference:
        return []
    about: dict[str, Any] = {
        "model": name_of(recipe.model, recipe.tables, recipe.metric, recipe.prevalence) or recipe.model,
        "prob": recipe.prob,
        "rule": recipe.rule,
        "draws": recipe.draws,
        "pos_label": recipe.pos_label,
        "prevalence": recipe.prevalence,
        "seed": recipe.seed,
        "data_hash": recipe.data_hash,
    }
    recipes = []
    for name in (name for name in COMPANIONS if name != recipe.metric.name):
        try:
            written = write_recipe(recipe.tables, **about, metric=name)
        except InvalidInputError:  # no label is positive, or the class mix has none: accuracy needs none
            continue
        if not _same_metric(written.metric, recipe.metric):
            recipes.append(replace(written, n_items=recipe.n_items))
    return recipes


def _kind_in(sources: Sources, metric: Any, question: Question) -> Kind:
    """Return which of the data a metric is about; costs are of labels, where there is no threshold."""
    if len(sources) == 1:
        return next(iter(sources))
    return metric_kind(metric) or ("labels" if question.get("threshold") is None else "scores")


def check_distinct(recipes: Sequence[Recipe]) -> None:
    """Refuse two metrics of one name, and one metric under two."""
    for i, recipe in enumerate(recipes):
        for other in recipes[:i]:
            one, two = other.metric.name, recipe.metric.name
            if _same_metric(recipe.metric, other.metric):
                told = f"{one!r} is named twice." if one == two else f"{one!r} and {two!r} are the same metric."
                raise InvalidInputError(wording("In `metric` {}", told), hint="name each metric once.")
            if one == two:
                raise InvalidInputError(f"Two metrics are called {one!r}.", hint="give each a name of its own.")


def _same_metric(one: AnyMetric, two: AnyMetric) -> bool:
    """Whether two metrics are the same, whatever they are called."""
    return type(one) is type(two) and replace(one, name="") == replace(two, name="")


def _with_ropes(recipes: Sequence[Recipe], metrics: Sequence[Any], rope: Mapping[Any, Any]) -> list[Recipe]:
    """Return the recipes, each with the ROPE of its metric; one that is not named has none."""
    named = [(recipe.metric.name, metric) for recipe, metric in zip(recipes, metrics, strict=True)]
    for key in rope:
        if not any(key in names for names in named):
            known = [recipe.metric.name for recipe in recipes]
            raise InvalidInputError(
                wording("`rope` is given for {!r}, which is none of the metrics: {}.", key, ", ".join(known)),
                hint=did_you_mean(str(key), known) + "A metric without a ROPE has no verdict.",
            )
    written = []
    for recipe, names in zip(recipes, named, strict=True):
        own = parse_question(next((value for key, value in rope.items() if key in names), None))
        check_reach(own, recipe.metric)
        written.append(replace(recipe, rope=own))
    return written


def _takes_costs(metric: Any, kind: Kind) -> bool:  # noqa: ARG001
    return metric is None or (isinstance(metric, str) and metric == "cost")


def _takes_classes(metric: Any, kind: Kind) -> bool:
    return kind == "labels" and (metric is None or (metric != "cost" and parse_metric(metric).is_average))


def _is_mean(metric: Any, kind: Kind) -> bool:
    return kind == "scores" and not needs_truth(metric)


def _takes_scale(metric: Any, kind: Kind) -> bool:
    return kind == "scores" and takes_scale(metric)


def _takes_direction(metric: Any, kind: Kind) -> bool:
    return _is_mean(metric, kind) or (kind == "scores" and callable(metric) and not isinstance(metric, ScoreMetric))


_TAKEN_BY: Final[Mapping[str, Callable[[Any, Kind], bool]]] = {
    "cost_matrix": _takes_costs,
    "threshold": lambda metric, kind: kind == "labels" or _takes_costs(metric, kind),
    "classes": _takes_classes,
    "scale": _takes_scale,
    "higher_is_better": _takes_direction,
    "pos_label": lambda metric, kind: not _is_mean(metric, kind),
}
"""Which metrics options are about that are not about all."""


def _about(metric: Any, kind: Kind, others: Sequence[tuple[Any, Kind]], question: Question) -> dict[str, Any]:
    """Return the options that this metric does not take and another one does, as if they were not given."""
    idle: dict[str, Any] = {}
    for name, takes in _TAKEN_BY.items():
        given = question.get(name) is not None
        if given and not takes(metric, kind) and any(takes(*other) for other in others):
            idle[name] = None
    if kind == "scores" and any(other == "labels" for _, other in others):
        for name in ("model", "engine"):
            if not _suits_scores(name, question.get(name)):
                idle[name] = options_of(Question)[name].default
    return idle


def write_recipe(
    source: Sequence[AnyData],
    *,
    default: Default | None = None,
    seed: int = 0,
    data_hash: str = "",
    **options: Unpack[Question],
) -> Recipe:
    """Check everything that was asked about the data in `source` and write it down.

    `source` is one table of all classifiers on the same items, or one table of each where they come separately;
    `default` chooses the model where none is named; `data_hash` is that of the data, where it is known already.
    """
    question = cast("Question", with_defaults(options, Question))
    # What is wrong with the call is said before what is wrong with the data.
    common: dict[str, Any] = {
        "prob": check_prob(question["prob"]),
        "rule": choose(question["rule"], RULES, "rule"),
        "draws": check_draws(question["draws"]),
        "exact": _check_exact(question["exact"]),
        "seed": seed,
        "data_hash": data_hash or _hash_of(source),
        "library": source[0].library,
    }
    rope_of(question)
    if isinstance(source[0], ItemScores):
        return _of_scores(source[0], question, common)
    usual = default_model(separate=len(source) > 1) if default is None else default
    return _of_labels(source, usual, question, common)  # type: ignore[arg-type]


def _check_exact(exact: Any) -> bool | None:
    if exact is not None and not isinstance(exact, bool):
        raise InvalidInputError(
            wording("`exact` must be True or False; got {!r}.", exact), hint=wording("leave exact= out.")
        )
    return exact


def _hash_of(source: Sequence[AnyData]) -> str:
    return "+".join(table.data_hash for table in source)


def _of_labels(source: Sequence[AnyOutcomes], default: Default, question: Question, common: dict[str, Any]) -> Recipe:
    metric, model, engine = question["metric"], question["model"], parse_engine(question["engine"])
    if idle := [name for name in OF_SCORES_ONLY if question.get(name) is not None]:
        raise InvalidInputError(
            argument(idle[0]) + " is about scores, and these are labels.",
            hint=wording('leave it out, or name a metric of scores, as metric="mean".'),
        )
    tables, pos_label = of_one_label(source, question["pos_label"])
    several = isinstance(tables[0], MultilabelOutcomes)
    n_labels = tables[0].n_labels if pos_label is None else BINARY
    measure = choose_metric(metric, tables[0], pos_label, question["cost_matrix"])
    if model is None and isinstance(engine, Sampler):  # chains sample the tree with fixed masses
        default = _sampled_default(default)
    chosen = parse_model(
        _over_units(tables, model) or (default(n_labels, measure, several) if model is None else model),
        n_labels=n_labels,
        n_classifiers=tables[0].n_classifiers,
        multilabel=several,
        metric=measure,
    )
    if n_labels > MAX_LABELS and not chosen.reweights_items:
        raise DataError(
            f"{n_labels:,} labels are too many for the model {chosen.name!r}, which draws each: up to {MAX_LABELS:,}.",
            hint=wording('put rare labels together; or weigh the items, whatever their labels, by model="bootstrap".'),
        )
    named = not isinstance(model, Model)
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
        classes=question["classes"],
        pos_label=pos_label,
        prevalence=question["prevalence"],
        needs_positive=not chosen.is_symmetric,
    )
    return Recipe(
        tables=settled.tables,
        rope=rope_of(question, settled.metric),
        model=suited(chosen, settled.tables, settled.metric, settled.prevalence) if named else chosen,
        metric=settled.metric,
        pos_label=settled.positive,
        prevalence=settled.prevalence,
        n_items=sum(table.n_items for table in source),
        sampler=_sampler(chosen, settled.tables, engine),
        **common,
    )


def _of_scores(source: ItemScores, question: Question, common: dict[str, Any]) -> Recipe:
    costs, threshold = question["cost_matrix"], question["threshold"]
    metric = question["metric"] or ("roc_auc" if costs is None else "cost")
    check_score_options(question, metric)
    if metric == "cost":
        if costs is None:
            raise InvalidInputError("The metric `cost` needs a cost matrix.", hint=wording("give it as cost_matrix=."))
        metric = decision_cost(costs, threshold)
    elif costs is not None or threshold is not None:
        raise InvalidInputError(
            "A cost matrix and a threshold go with the metric `cost`.", hint=wording('pass metric="cost".')
        )
    items, measure, positive = settle_scores(
        source, metric, question["pos_label"], higher_is_better=question["higher_is_better"]
    )
    rope, model = rope_of(question, measure), _model_of_scores(items, measure, question)
    if model.score_range == (0.0, 1.0):  # other ends may be merely those seen
        check_reach(rope, measure, "rope" if question.get("goal") is None else "margin", model.score_range)
    return Recipe(
        tables=(items,),
        rope=rope,
        model=model,
        metric=measure,
        pos_label=positive,
        n_items=items.n_items,
        **common,
    )


def _model_of_scores(items: ItemScores, metric: ScoreMetric, question: Question) -> Model:
    """Return the model that was asked for, by default that of seen and imagined items."""
    model, scale = question["model"], question["scale"]
    if isinstance(model, Model) and not model.reweights_items:
        return model
    if isinstance(model, Model) or model == "bootstrap" or metric.inflated_by_noise:
        if scale is not None:
            raise InvalidInputError(
                argument("scale") + " goes with the default model.", hint="the bootstrap knows the items it has."
            )
        return Bootstrap(over="items" if items.cluster is None else "clusters")
    return items_of_scores(items, metric, scale)


def check_score_options(options: Mapping[str, Any], metric: Any) -> None:
    """Refuse what only labels have, where a metric is of scores."""
    for name in ("classes", "prevalence", *_OF_SCORES_TOO):
        if not _suits_scores(name, options.get(name)):
            text = f" is about labels, and {getattr(metric, 'name', metric)!r} about scores."
            raise InvalidInputError(argument(name) + text, hint="leave it out.")


_OF_SCORES_TOO: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("scores", "items", "bootstrap"),
    "engine": ("auto", "exact"),
    "missing": ("error",),
}
"""What options that are about labels may say where a metric is of scores."""


def _suits_scores(name: str, value: Any) -> bool:
    """Whether a value of an option that is about labels suits scores too."""
    usual = isinstance(value, str) and value in _OF_SCORES_TOO.get(name, ())
    return value is None or usual or (isinstance(value, Model) and value.takes_scores)


def default_model(*, separate: bool) -> Default:
    """Return the choice of a model for one shared table, or for separate ones."""

    def choose_model(n_labels: int, metric: Metric, multilabel: bool) -> str | Model:  # noqa: ARG001, FBT001
        if multilabel:  # the labels of an item go together
            return items_of_labels(metric, paired=not separate)
        return "unpaired" if separate else "paired"

    return choose_model


def _sampled_default(default: Default) -> Default:
    """Return the choice of a model that Markov chains can sample."""

    def choose_model(n_labels: int, metric: Metric, multilabel: bool) -> str | Model:  # noqa: FBT001
        usual = default(n_labels, metric, multilabel)
        if n_labels <= BINARY and not multilabel:
            return usual
        paired = usual.paired if isinstance(usual, Model) else usual == "paired"
        return Multilabel(paired=paired) if multilabel else Tree(paired=paired, name="tree")

    return choose_model


def _sampler(model: Model, tables: Sequence[AnyData], engine: Sampler | str) -> Sampler | None:
    """Return the sampler of Markov chains, None for the exact engine; "auto" takes chains only where it must."""
    if isinstance(engine, Sampler):
        if model.reweights_items:
            raise InvalidInputError(
                "The bootstrap has no prior and no likelihood to sample.",
                hint=wording("leave engine= out, or name a model=."),
            )
        return engine
    if model.exact_for(tables):
        return None
    if engine == "exact":
        raise InvalidInputError(
            f"The prior of the model {model.name!r} is not conjugate with these data: it cannot be drawn exactly.",
            hint=wording('use engine="pymc".'),
        )
    return Sampler()


def _over_units(tables: Sequence[AnyOutcomes], model: str | Model | None) -> Model | None:
    """Return the model of weighted or clustered items: those seen and imagined ones, or those seen alone; else None."""
    if all(table.units is None for table in tables):
        return None
    if all(table.clusters is None for table in tables):
        return _of_weighted(tables, model)
    if any(table.clusters is None for table in tables):
        raise DataError(
            "Some tables have clusters and others have none.", hint=wording("give all or none of them cluster=.")
        )
    paired = len(tables) == 1
    if model == "bootstrap":
        return Bootstrap(over="clusters", paired=paired)
    if isinstance(model, Model) and model.takes_clusters:
        return model.over_clusters(paired=paired)
    if model is None or model == "items":
        return Items(over="clusters", paired=paired)
    name = model.name if isinstance(model, Model) else model
    raise InvalidInputError(
        f"The model {name!r} takes items as independent, and these come in clusters.",
        hint=wording("leave model= out: weights over clusters are drawn."),
    )


def rope_of(question: Mapping[str, Any], metric: AnyMetric | None = None) -> Interval | None:
    """Return the ROPE that a question states, as such or by a goal; without a `metric` it is checked only."""
    up = metric is None or metric.higher_is_better
    stated = (question.get(name) for name in ("rope", "goal", "margin"))
    rope = parse_question(*stated, higher_is_better=up)
    if metric is not None:
        check_reach(rope, metric, "rope" if question.get("goal") is None else "margin")
    return rope


def _of_weighted(tables: Sequence[AnyOutcomes], model: str | Model | None) -> Model | None:
    """Return the model of items that count differently: those seen, and imagined ones of every class."""
    paired = len(tables) == 1
    if model is None and isinstance(tables[0], MultilabelOutcomes):
        return None
    if model == "bootstrap":
        return Bootstrap(paired=paired)
    if isinstance(model, Model) and model.takes_clusters:
        return model
    if model is None or model == "items":
        return Items(mass=ITEMS_PER_CLASS, imagined="classes", paired=paired)
    name = model.name if isinstance(model, Model) else model
    raise InvalidInputError(
        f"The model {name!r} takes items as counting alike, and these have weights.",
        hint=wording("leave model= out: weights of items are drawn."),
    )


def check_reach(
    rope: Interval | None, metric: AnyMetric, option: str = "rope", ends: tuple[float, float] | None = None
) -> None:
    """Refuse a ROPE wider than any difference can be, of values between `ends`: 5 for 5%, or a decimal comma."""
    low, high = ends or (metric.low, metric.high)
    reach = high - low
    for end in () if rope is None else (rope.low, rope.high):
        if math.isfinite(end) and abs(end) > reach:
            size = f"reaches to {end:g}" if option == "rope" else f"is {abs(end):g}"
            raise InvalidInputError(
                argument(option) + f" {size}, and no two values of {metric.name} differ by more than {reach:g}.",
                hint="write 0.05 for five points, with a decimal point.",
            )


def check_pool(pool: Any, number: int, *, default: bool = False) -> bool:
    """Return whether so many scores, or differences, are pooled."""
    if pool is not None and not isinstance(pool, bool):
        raise InvalidInputError(
            wording("`pool` must be True or False; got {!r}.", pool),
            hint=wording("pool=False leaves each score alone."),
        )
    if pool and number < FEWEST_POOLED:
        raise InvalidInputError(
            f"Only {number} cannot be pooled: it takes {FEWEST_POOLED} to see how far they spread.",
            hint=wording("leave pool= out."),
        )
    return number >= FEWEST_POOLED and (default if pool is None else pool)
