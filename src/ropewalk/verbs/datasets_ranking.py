"""Rank learning algorithms over many data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_draws, check_seed, checked_keywords, choose
from ropewalk._progress import current, shown, track
from ropewalk.classical.many import friedman, nemenyi
from ropewalk.data.score_table import ScoreTable, read_score_table
from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Question
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.dataset_folds import best_beyond_folds, folds_of_datasets, judge_folds_of_datasets
from ropewalk.inference.datasets import best_on_next, check_common, ranks_of, weigh_datasets, weighted_means
from ropewalk.inference.drawing import LOOKS
from ropewalk.inference.ranking import rank_probabilities
from ropewalk.metrics.scores import given_scores
from ropewalk.models.hierarchical import Hierarchical
from ropewalk.models.population import MIN_UNITS
from ropewalk.models.signed_rank import SignedRank
from ropewalk.results.base import Rendered
from ropewalk.results.datasets import DatasetsPair, DatasetsRanked, DatasetsRanking
from ropewalk.results.options import DatasetsRankOptions
from ropewalk.text.remarks import Remark, issue, warning, wording
from ropewalk.text.writing import shorten
from ropewalk.typing import DrawsLike, FloatArray
from ropewalk.verbs.datasets import estimate_of, model_of, question_of, recipe_of, remarks_on_folds, remarks_on_means
from ropewalk.verbs.folds import refuse_per_cent

BY: Final = {"score": "score", "rank": "rank"}
"""What the classifiers are ranked by: their mean score, or their mean rank on each data set."""


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

    Pairs are judged as `compare_datasets` does: by folds each pair has a population of its own, exactly, else the
    Bayesian signed-rank test answers. `p_best` is about the mean over data sets like these, and each model's
    `p_best_next` about the next one: joint draws of all classifiers, by one set of weights over the data sets.

    Parameters
    ----------
    table
        A file, a dataframe of any library, a query, or a dict of columns.
    dataset, scores, fold, repeat
        Its columns: what data set a row is of, the scores of each algorithm, and the fold and the repeat, where there
        is a row for each.
    by
        What "best" and "expected_loss" are about: "score" (default) is the mean score, "rank" the mean rank, which all
        data sets weigh alike in, whatever their scores spread. Pairs are judged by scores, as the ROPE is.
    model, population, tau_prior, rho
        As in `compare_datasets`.
    metric, higher_is_better
        What the scores are called, and whether more is better: by default not of a loss, an error or a cost.
    tests
        Whether the tests of Friedman and Nemenyi stand beside it.
    rope, prob, rule, draws, rng, random_state, progress
        As in `compare_datasets`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> folds = rw.examples.uci_folds()
    >>> r = rw.rank_datasets(folds, dataset="dataset", scores=["nbc", "aode", "hnb"], fold="fold", repeat="repeat",
    ...                      model="signed_rank", rope=0.01, metric="accuracy", draws=10_000, rng=0)
    >>> [model.name for model in r.by_rank]
    ['hnb', 'aode', 'nbc']
    >>> r.pair("aode", "nbc").decision.symbol
    '>'
    """
    columns = _columns(scores)
    with shown(options.get("progress")):
        read = read_score_table(table, dataset=dataset, scores=columns, fold=fold, repeat=repeat)
        return _ranked(read, options)


def _ranked(read: ScoreTable, options: Any) -> DatasetsRanking:
    by, model = choose(options["by"], BY, "by"), model_of(options, read)
    metric = given_scores(options["metric"], read.values, higher_is_better=options.get("higher_is_better"))
    question = question_of(options, metric, model)
    refuse_per_cent(read.largest, question.rope)
    means = read.means()
    complete = means[np.isfinite(means).all(axis=1)]
    if isinstance(model, SignedRank):
        check_common(means, read.names)
    if len(complete) < MIN_UNITS:
        raise DataError(
            f"A ranking takes at least {MIN_UNITS} data sets with scores of all {len(read.names)}; there are "
            f"{len(complete)}.",
            hint="leave out the one whose scores are missing most, or compare two with compare_datasets.",
        )
    how: Any = {
        "draws": check_draws(options["draws"]),
        "seed": check_seed(options.get("rng"), options.get("random_state")),
    }
    if isinstance(model, Hierarchical):
        found = _by_folds(read, means, model, options.get("rho"), question, **how)
    else:
        found = _by_ranks(read, means, question, **how)
    remarks = list(found.remarks)
    whole = len(complete) == len(means)
    if not whole:
        text = f"P(best) needs scores of all on every data set; {len(complete)} of {len(means)} have them."
        remarks.append(warning("no_best", f"{text} Ranks and means are those of the complete ones."))
    result = DatasetsRanking(
        models=_models(found, complete, read.names, question, by=by, whole=whole),
        pairwise=found.pairwise,
        draws=Draws(psi=found.psi, names=read.names),
        recipe=recipe_of(complete, read, model, metric, question, **how),
        remarks=tuple(remarks),
        by=by,
        n_datasets=len(means),
        n_complete=len(complete),
        classical=_tests_of_many(complete, read.names, question) if options.get("tests") else {},
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


@dataclass(frozen=True, kw_only=True, eq=False)
class _Judged:
    """All pairs, joint draws of mean scores and of mean ranks (K, n), and who is the best on the next data set."""

    pairwise: tuple[DatasetsPair, ...]
    psi: FloatArray
    ranks: FloatArray
    best_on_next: FloatArray
    remarks: tuple[Remark, ...]


def _by_ranks(read: ScoreTable, means: FloatArray, question: Question, *, draws: DrawsLike, seed: int) -> _Judged:
    """Judge all pairs by one score per data set."""
    judged = weigh_datasets(means, read.names, question, draws=draws, seed=seed)
    pairwise = tuple(
        DatasetsPair(a=read.names[i], b=read.names[j], contrast=contrast, n=n, next=next_, most_probable=most)
        for (i, j), contrast, n, next_, most in zip(
            judged.pairs, judged.contrasts, judged.numbers, judged.next, judged.most_probable, strict=True
        )
    )
    complete = means[np.isfinite(means).all(axis=1)]
    return _Judged(
        pairwise=pairwise,
        psi=judged.psi,
        ranks=judged.ranks,
        best_on_next=best_on_next(complete, higher_is_better=question.higher_is_better),
        remarks=tuple(remarks_on_means(means, read)),
    )


def _by_folds(
    read: ScoreTable,
    means: FloatArray,
    model: Hierarchical,
    rho: float | None,
    question: Question,
    *,
    draws: DrawsLike,
    seed: int,
) -> _Judged:
    """Judge each pair by a population of its own, and all together by one set of weights over the data sets."""
    up, asked = question.higher_is_better, question.rope is not None
    pairwise: list[DatasetsPair] = []
    said: dict[Remark, list[str]] = {}
    pairs = list(combinations(range(len(read.names)), 2))
    for i, j in track(pairs, describe="Comparing pairs", progress=current()):
        names = read.names[i], read.names[j]
        given = folds_of_datasets(read.of(i, j), rho)
        judged = judge_folds_of_datasets(given, model, question, between=names, draws=draws, seed=seed)
        pairwise.append(
            DatasetsPair(
                a=names[0], b=names[1], contrast=judged.contrast, n=len(given.folds), next=judged.next,
                most_probable=judged.most_probable,
            )
        )  # fmt: skip
        for remark in (*judged.remarks("data set", "data sets"), *remarks_on_folds(given, model, names, judged=asked)):
            said.setdefault(remark, []).append(" − ".join(names))
    complete = means[np.isfinite(means).all(axis=1)]
    both = np.hstack([complete, ranks_of(complete, higher_is_better=up)])
    n_draws = LOOKS[0] if draws == "auto" else int(draws)
    psi, ranks = np.split(weighted_means(both, n_draws, seed), 2)
    best = best_beyond_folds(read, n_draws, seed, rho=rho, higher_is_better=up)
    remarks = tuple(
        remark if len(of) == len(pairs) else replace(remark, text=f"{shorten(of, 3)}: {remark.text}")
        for remark, of in said.items()
    )
    return _Judged(pairwise=tuple(pairwise), psi=psi, ranks=ranks, best_on_next=best, remarks=remarks)


def _models(
    found: _Judged, complete: FloatArray, names: Sequence[str], question: Question, *, by: str, whole: bool
) -> tuple[DatasetsRanked, ...]:
    """Return each classifier in the ranking; `by` says whether scores or ranks are ranked."""
    up = question.higher_is_better
    seen = ranks_of(complete, higher_is_better=up).mean(axis=0)
    better = -found.ranks if by == "rank" else found.psi if up else -found.psi
    shares, loss = rank_probabilities(better), (better.max(axis=0) - better).mean(axis=1)
    places = np.arange(1, len(names) + 1)
    return tuple(
        DatasetsRanked(
            name=name,
            estimate=estimate_of(found.psi[k], float(complete[:, k].mean()), question),
            p_best=float(shares[k, 0]) if whole else math.nan,
            expected_rank=float((shares[k] * places).sum()),
            rank_probabilities=tuple(shares[k].tolist()),
            expected_loss=float(loss[k]),
            p_best_next=float(found.best_on_next[k]) if whole else math.nan,
            mean_rank=estimate_of(found.ranks[k], float(seen[k]), question),
            by=by,
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
