"""Rank K classifiers by one joint posterior: which is best, and how sure can we be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ropewalk._checks import check_seed, check_threads, checked_keywords
from ropewalk._progress import shown
from ropewalk.data.inputs import has_logs
from ropewalk.errors import InvalidInputError
from ropewalk.inference.opening import are_of_tasks, open_data, remarks_in, with_remarks
from ropewalk.inference.question import Opened, Question, check_pool, read_tables, select, sources_of, write_recipe
from ropewalk.inference.ranking import run_ranking
from ropewalk.models import AnyData
from ropewalk.results import Ranking
from ropewalk.results.options import RankOptions, SeveralRunsOptions, asks_about
from ropewalk.text.remarks import issue

_USAGE = (
    "rank(y_true, pred_1, pred_2, …, names=[…]), rank(y_true, {'name': pred, …}), rank(outcomes), "
    "rank(table, truth=…, predictions=[…]), or rank(outcomes_1, outcomes_2, …) of one classifier each."
)


@checked_keywords
def rank(*data: Any, predictions: Sequence[str] | None = None, **options: Unpack[RankOptions]) -> Ranking:
    """Rank two or more classifiers by one joint posterior of all of them.

    Parameters
    ----------
    *data
        ``(y_true, pred_1, pred_2, …)``, or ``(y_true, {"name": pred, …})``, with labels or scores as in `compare`; or
        one `Outcomes`, `ItemScores`, file or dataframe; or one `Outcomes` per classifier, from separate test sets or
        confusion matrices; or a list of evaluation logs (`read_log`). For ``metric="mean"`` the mapping alone will do.
    predictions
        Which classifiers of an `Outcomes` or columns of a table to rank; by default all of an `Outcomes`.

    pool
        From three classifiers on, scores are drawn towards their common centre, the more the less they differ: without
        it, the best-looking of many is said to be the best far too often. False gives each its own posterior.

    draws
        With "auto", three classifiers and more take about a second: 10,000 draws or 50,000, and more only where a
        verdict depends on them. A pair that is still in doubt then is not stable; a number asks for as many.

    task, over, weights
        Tasks of the items, as in `compare`: scores are then averages over these tasks, each with its own posterior,
        or means over tasks like these. Evaluation logs of several tasks have theirs. `r.tasks` has the ranking on each.

    runs, run
        Several runs of each method, as in `compare`: the ranking is of what a run of each is expected to score, over
        runs and items. See `RunsRanking`.

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
    if asks_about(SeveralRunsOptions, options):
        from ropewalk.verbs.runs import rank_runs  # which other questions need not wait for

        return rank_runs(data, predictions, options)
    if are_of_tasks(data, predictions, options):
        from ropewalk.verbs.suites import rank_suite  # which other questions need not wait for

        return rank_suite(data, predictions, options, _read)
    tables, named = _tables(data, predictions, options)
    if len(tables) == 1 and tables[0].n_classifiers < 2:  # noqa: PLR2004
        usage = "give logs of two systems or more; `evaluate` looks at one." if has_logs(data) else _USAGE
        raise InvalidInputError("A ranking needs at least two classifiers.", hint=usage)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    recipe = write_recipe(tables, seed=seed, **select(named, Question))
    recipe = replace(recipe, pool=check_pool(options.get("pool"), len(recipe.names), default=True))
    with shown(options.get("progress")):
        ranking = run_ranking(recipe, threads=check_threads(options["threads"]))
    ranking = with_remarks(ranking, remarks_in(named))
    issue(ranking.remarks)
    return ranking


def _tables(
    data: Sequence[Any], predictions: Any, options: Mapping[str, Any]
) -> tuple[tuple[AnyData, ...], Mapping[str, Any]]:
    """Make one table of the data of all classifiers, or one of each."""
    asked, classifiers, named = open_data(data, predictions, options)
    return read_tables(asked, classifiers, named, usage=_USAGE), named


def _read(data: Sequence[Any], predictions: Any, options: Mapping[str, Any]) -> Opened:
    tables, named = _tables(data, predictions, options)
    return sources_of(tables), named
