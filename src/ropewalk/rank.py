"""Rank K classifiers by one joint posterior: which is best, and how sure can we be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ropewalk._asking import default_model, write_recipe
from ropewalk._door import as_outcomes, same_labels
from ropewalk._engine import capped, draw_recipe, issue, no_verdict
from ropewalk._progress import ProgressLike, shown
from ropewalk._remarks import remarks
from ropewalk._settle import MetricLike
from ropewalk._validate import check_seed, check_threads
from ropewalk.contrast import contrast, is_settled
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.rows import check_names
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.sampler import Engine, Step, parse_engine
from ropewalk.models.posterior import Model, observed_psi
from ropewalk.results import Pair, Ranked, Ranking, Recipe
from ropewalk.sampling import difference
from ropewalk.typing import DrawsLike, FloatArray, Label, Missing, RopeLike, Rule, SeedLike

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
    issue(ranking.warnings)
    return ranking


def run(recipe: Recipe, *, threads: int = 1) -> Ranking:
    """Carry out a recipe: the same recipe gives the same answer, bit for bit."""
    from ropewalk.planning.outlook import with_outlook

    names = tuple(name for table in recipe.tables for name in table.names)
    observed = observed_psi(recipe.tables, recipe.metric, recipe.prevalence)
    pairs = list(combinations(range(len(names)), 2))

    def settled(psi: FloatArray) -> bool:
        return all(is_settled(difference(psi[i], psi[j]), recipe.question) for i, j in pairs)

    drawn = draw_recipe(recipe, observed, settled, threads=threads, n_pairs=len(pairs))
    recipe, psi = drawn.recipe, drawn.psi
    estimates = drawn.estimates(observed)
    pairwise, reasons = [], []
    for i, j in pairs:
        ends = observed[i], observed[j]
        seen = None if ends[0] is None or ends[1] is None else ends[0] - ends[1]
        delta = difference(psi[i], psi[j])
        found = contrast(delta, recipe.question, observed=seen, names=(names[i], names[j]), ess=drawn.ess(delta))
        reasons.append(no_verdict(recipe, (estimates[i], estimates[j])))
        if reasons[-1]:
            found = replace(found, regions=None, rope_path=None, decision=None)
        pairwise.append(Pair(a=names[i], b=names[j], contrast=found))
    if all(reasons):
        recipe = replace(recipe, no_verdict=reasons[0])
    better = psi if recipe.metric.higher_is_better else -psi
    shares = rank_probabilities(better)
    loss = (better.max(axis=0) - better).mean(axis=1)
    signs = np.eye(len(names)).tolist()
    whose = {f"{recipe.metric.name}, {name}": (e, s) for name, e, s in zip(names, estimates, signs, strict=True)}
    (i, j), worst = max(zip(pairs, pairwise, strict=True), key=lambda one: abs(one[1].delta.pull))
    versus = [float(k == i) - float(k == j) for k in range(len(names))]
    whose[f"{recipe.metric.name}, {worst.a} − {worst.b}"] = (worst.delta, versus)
    notes, alarms = remarks(recipe, drawn.posteriors, whose, drawn.diagnostics)
    stable = all(pair.decision is None or pair.decision.stable for pair in pairwise)
    ranking = Ranking(
        models=tuple(
            Ranked(
                name=name,
                estimate=estimate,
                p_best=float(share[0]),
                expected_rank=float((share * np.arange(1, len(names) + 1)).sum()),
                rank_probabilities=tuple(share.tolist()),
                expected_loss=float(lost),
            )
            for name, estimate, share, lost in zip(names, estimates, shares, loss, strict=True)
        ),
        pairwise=tuple(pairwise),
        draws=drawn.draws,
        recipe=recipe,
        notes=(*notes, *capped(recipe, psi.shape[1], drawn.at, stable=stable)),
        warnings=alarms,
        diagnostics=drawn.diagnostics,
    )
    return with_outlook(ranking)


def rank_probabilities(psi: FloatArray) -> FloatArray:
    """Return P(row k has rank r), (K, K): the largest value has rank 1, and ties share their ranks equally.

    Examples
    --------
    >>> rank_probabilities(np.array([[3.0, 1.0], [3.0, 2.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75, 0.0], [0.75, 0.25, 0.0], [0.0, 0.0, 1.0]]
    """
    n_rows, n_draws = psi.shape
    places = np.arange(n_rows)[:, np.newaxis]
    shares = np.empty((n_rows, n_rows))
    for k, row in enumerate(psi):
        above = (psi > row).sum(axis=0)
        tied = (psi == row).sum(axis=0)  # itself among them
        within = (places >= above) & (places < above + tied)
        shares[k] = (within / tied).sum(axis=1) / n_draws
    return shares


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
        raise InvalidInputError("`predictions` must be a list of names.", hint=_USAGE)
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
