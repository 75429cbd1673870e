"""Rank learning algorithms over many data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from ropewalk._checks import check_draws, check_seed, checked_keywords
from ropewalk.classical.many import friedman, nemenyi
from ropewalk.data.score_table import read_score_table
from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Question
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.datasets import best_on_next, check_common, weigh_datasets
from ropewalk.inference.ranking import rank_probabilities
from ropewalk.metrics.scores import given_scores
from ropewalk.models.population import MIN_UNITS
from ropewalk.models.signed_rank import SignedRank
from ropewalk.results.base import Rendered
from ropewalk.results.datasets import DatasetsPair, DatasetsRanked, DatasetsRanking
from ropewalk.results.options import DatasetsRankOptions
from ropewalk.text.remarks import issue, warning, wording
from ropewalk.text.writing import count_of
from ropewalk.typing import FloatArray
from ropewalk.verbs.datasets import estimate_of, question_of, recipe_of, remarks_on_means
from ropewalk.verbs.folds import refuse_per_cent


@checked_keywords
def rank_datasets(
    table: Any,
    /,
    *,
    dataset: str,
    scores: Sequence[str],
    fold: str | None = None,
    repeat: str | None = None,
    **options: Unpack[DatasetsRankOptions],
) -> DatasetsRanking:
    """Rank two or more learning algorithms over many data sets, by one set of weights over these.

    Pairs are judged by the Bayesian signed-rank test, as `compare_datasets` does; `p_best` is about the mean score over
    data sets like these, and each model's `p_best_next` about the next one.

    Parameters
    ----------
    table
        A file, a dataframe of any library, a query, or a dict of columns.
    dataset, scores, fold, repeat
        Its columns: what data set a row is of, the scores of each algorithm, and the fold and the repeat, where there
        is a row for each; their means are taken.
    metric, higher_is_better
        What the scores are called, and whether more is better.
    tests
        Whether the tests of Friedman and Nemenyi stand beside it.
    rope, prob, rule, draws, rng, random_state, progress
        As in `compare_datasets`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> folds = rw.examples.uci_folds()
    >>> r = rw.rank_datasets(folds, dataset="dataset", scores=["nbc", "aode", "hnb"], fold="fold", repeat="repeat",
    ...                      rope=0.01, metric="accuracy", draws=10_000, rng=0)
    >>> [model.name for model in r.by_rank]
    ['hnb', 'aode', 'nbc']
    >>> r.pair("aode", "nbc").decision.symbol
    '>'
    """
    columns = _columns(scores)
    read = read_score_table(table, dataset=dataset, scores=columns, fold=fold, repeat=repeat)
    metric = given_scores(options["metric"], read.values, higher_is_better=options["higher_is_better"])
    question = question_of(options, metric, by_ranks=True)
    refuse_per_cent(read.largest, question)
    means = read.means()
    check_common(means, columns)
    complete = means[np.isfinite(means).all(axis=1)]
    if len(complete) < MIN_UNITS:
        raise DataError(
            f"{count_of(len(complete), 'data set')} has scores of all {len(columns)}.",
            hint="leave out the one whose scores are missing most, or compare two with compare_datasets.",
        )
    draws, seed = check_draws(options["draws"]), check_seed(options.get("rng"), options.get("random_state"))
    judged = weigh_datasets(means, columns, question, draws=draws, seed=seed)
    whole = len(complete) == len(means)
    pairwise = tuple(
        DatasetsPair(a=columns[i], b=columns[j], contrast=contrast, n=n, next=next_, most_probable=most)
        for (i, j), contrast, n, next_, most in zip(
            judged.pairs, judged.contrasts, judged.numbers, judged.next, judged.most_probable, strict=True
        )
    )
    remarks = [*remarks_on_means(means, read)]
    if not whole:
        text = f"P(best) needs scores of all on every data set; {len(complete)} of {len(means)} have them."
        remarks.append(warning("no_best", f"{text} Ranks and means are those of the complete ones."))
    result = DatasetsRanking(
        models=_ranked(judged.psi, complete, columns, question, whole=whole),
        pairwise=pairwise,
        draws=Draws(psi=judged.psi, names=tuple(columns)),
        recipe=recipe_of(complete, read, SignedRank(), metric, question, draws=draws, seed=seed),
        remarks=tuple(remarks),
        n_datasets=len(means),
        n_complete=len(complete),
        classical=_tests_of_many(complete, columns, question) if options.get("tests") else {},
    )
    issue(result.remarks)
    return result


def _columns(scores: Any) -> list[str]:
    columns = list(scores) if isinstance(scores, Sequence) and not isinstance(scores, str) else []
    if len(columns) < 2:  # noqa: PLR2004
        raise InvalidInputError(
            wording("`scores` must name at least two columns."), hint=wording('scores=["nbc", "aode", "hnb"].')
        )
    return columns


def _ranked(
    psi: FloatArray, complete: FloatArray, names: Sequence[str], question: Question, *, whole: bool
) -> tuple[DatasetsRanked, ...]:
    """Return each classifier in the ranking."""
    up = question.higher_is_better
    better = psi if up else -psi
    shares, loss = rank_probabilities(better), (better.max(axis=0) - better).mean(axis=1)
    places, next_ = np.arange(1, len(names) + 1), best_on_next(complete, higher_is_better=up)
    return tuple(
        DatasetsRanked(
            name=name,
            estimate=estimate_of(psi[k], float(complete[:, k].mean()), question),
            p_best=float(shares[k, 0]) if whole else float("nan"),
            expected_rank=float((shares[k] * places).sum()),
            rank_probabilities=tuple(shares[k].tolist()),
            expected_loss=float(loss[k]),
            p_best_next=float(next_[k]),
        )
        for k, name in enumerate(names)
    )


def _tests_of_many(complete: FloatArray, names: Sequence[str], question: Question) -> dict[str, Rendered]:
    """Return the tests of Friedman and Nemenyi on the complete data sets."""
    table = dict(zip(names, complete.T, strict=True))
    try:
        return {
            "friedman": friedman(table),
            "nemenyi": nemenyi(table, higher_is_better=question.higher_is_better),
        }
    except DataError:
        return {}
