"""Rank K classifiers by one joint posterior: which is best, and how sure can we be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ropewalk._checks import check_seed, check_threads
from ropewalk._progress import ProgressLike, shown
from ropewalk.data.inputs import as_outcomes, same_labels
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.rows import check_names
from ropewalk.errors import InvalidInputError
from ropewalk.inference.question import default_model, write_recipe
from ropewalk.inference.ranking import run
from ropewalk.mcmc.sampler import Engine, Step, parse_engine
from ropewalk.metrics.resolve import MetricLike
from ropewalk.models.posterior import Model
from ropewalk.results import Ranking
from ropewalk.text.options import wording
from ropewalk.text.remarks import issue
from ropewalk.typing import DrawsLike, Label, Missing, RopeLike, Rule, SeedLike

_USAGE = (
    "rank(y_true, pred_1, pred_2, …, names=[…]), rank(y_true, {'name': pred, …}), rank(outcomes), "
    "rank(table, truth=…, predictions=[…]), or rank(outcomes_1, outcomes_2, …) of one classifier each."
)


def rank(
    *data: Any,
    predictions: Sequence[str] | None = None,
    truth: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    cluster: Any = None,
    id: Any = None,  # noqa: A002
    metric: MetricLike | None = None,
    classes: Iterable[Label] | None = None,
    pos_label: Label | None = None,
    cost_matrix: Any = None,
    prevalence: Any = None,
    rope: RopeLike | None = None,
    prob: float = 0.95,
    rule: Rule = "hdi",
    model: str | Model | None = None,
    engine: Engine = "auto",
    step: Step | None = None,
    chains: int | None = None,
    tune: int | None = None,
    draws: DrawsLike = "auto",
    rng: SeedLike = None,
    random_state: SeedLike = None,
    threads: int = 1,
    progress: ProgressLike = None,
) -> Ranking:
    """Rank two or more classifiers by one joint posterior of all of them.

    Parameters
    ----------
    *data
        ``(y_true, pred_1, pred_2, …)``, or ``(y_true, {"name": pred, …})``; or one `Outcomes`, file or dataframe; or
        one `Outcomes` a classifier, from separate test sets or confusion matrices.
    predictions
        Which classifiers of an `Outcomes` or columns of a table to rank; all of an `Outcomes` unless said.

    The other parameters are those of `compare`, and with two classifiers the answer is that of `compare`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.rank(news.outcomes, metric="macro_f1", rope=0.005, draws=2_000, rng=0)
    >>> [model.name for model in r.by_rank]
    ['nb_mult', 'svm_l2', 'svm_l1', 'nb_bern']
    >>> r.pair("nb_mult", "nb_bern").decision.symbol
    '≫'
    """
    outcomes = _tables(
        data, predictions, truth=truth, names=names, labels=labels, missing=missing, cluster=cluster, id=id
    )
    recipe = write_recipe(
        outcomes,
        default=default_model(separate=len(outcomes) > 1),
        metric=metric,
        classes=classes,
        pos_label=pos_label,
        model=model,
        prevalence=prevalence,
        cost_matrix=cost_matrix,
        rope=rope,
        prob=prob,
        rule=rule,
        draws=draws,
        seed=check_seed(rng, random_state),
        engine=parse_engine(engine, step, chains, tune),
    )
    with shown(progress):
        ranking = run(recipe, threads=check_threads(threads))
    issue(ranking.remarks)
    return ranking


def _tables(
    data: Sequence[Any],
    predictions: Sequence[str] | None,
    *,
    truth: str | None,
    names: Sequence[str] | None,
    labels: Iterable[Label] | None,
    missing: Missing,
    cluster: Any,
    id: Any,  # noqa: A002
) -> tuple[AnyOutcomes, ...]:
    """Return one table of all classifiers, or one of each where they come separately."""
    if len(data) > 1 and all(isinstance(table, Outcomes | MultilabelOutcomes) for table in data):
        if any(said is not None for said in (labels, truth, predictions, cluster, id)):
            raise InvalidInputError("An Outcomes has its truth, labels and classifiers already.", hint=_USAGE)
        return _separate(data, names)
    if len(data) == 2 and isinstance(data[1], Mapping):  # noqa: PLR2004
        if names is not None:
            raise InvalidInputError("The predictions come with their names; `names` would name them twice.")
        names, data = list(data[1]), (data[0], *data[1].values())
    if isinstance(predictions, str):
        raise InvalidInputError(wording("`predictions` must be a list of names."), hint=_USAGE)
    columns: Sequence[str | None]
    if len(data) == 1 and isinstance(data[0], Outcomes | MultilabelOutcomes):
        columns = data[0].names if predictions is None else predictions
    else:
        columns = [None] * (len(data) - 1) if predictions is None else predictions
    if len(data) == 1 and predictions is None and not isinstance(data[0], Outcomes | MultilabelOutcomes):
        raise InvalidInputError("Name the columns of predictions.", hint=_USAGE)
    if len(columns) < 2:  # noqa: PLR2004
        raise InvalidInputError("A ranking needs at least two classifiers.", hint=_USAGE)
    table = as_outcomes(
        data,
        columns=columns,
        truth=truth,
        names=names,
        labels=labels,
        missing=missing,
        usage=_USAGE,
        cluster=cluster,
        id=id,
    )
    return (table,)


def _separate(data: Sequence[AnyOutcomes], names: Sequence[str] | None) -> tuple[AnyOutcomes, ...]:
    """Return tables of one classifier each, over the same labels and under different names."""
    many = [table for table in data if table.n_classifiers != 1]
    if many:
        raise InvalidInputError(f"Each table must hold one classifier; got {', '.join(many[0].names)}.", hint=_USAGE)
    called = [table.names[0] for table in data] if names is None else names
    if names is None and len(set(called)) < len(called):
        called = check_names(None, len(data))
    named = [table.rename([name]) for table, name in zip(data, check_names(called, len(data)), strict=True)]
    return same_labels(named)
