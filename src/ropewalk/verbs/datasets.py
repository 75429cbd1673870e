"""Compare two learning algorithms over many data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_draws, check_seed, checked_keywords, choose
from ropewalk._progress import shown
from ropewalk.classical.pairs import wilcoxon
from ropewalk.data.score_table import ScoreTable, read_score_table
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Question
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.intervals import Estimate, Interval, summarise
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.dataset_folds import FoldsOfDatasets, folds_of_datasets, judge_folds_of_datasets
from ropewalk.inference.datasets import check_common, weigh_datasets, weighted_means
from ropewalk.inference.population import FEW_UNITS, largest_shares
from ropewalk.metrics.scores import ScoreMetric, given_scores
from ropewalk.models.hierarchical import Hierarchical
from ropewalk.models.sign import sign_posterior
from ropewalk.models.signed_rank import SignedRank
from ropewalk.models.unfitted import Unfitted
from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.datasets import (
    DatasetsComparison,
    SignTest,
    scope_of_datasets,
)
from ropewalk.results.options import DatasetsOptions
from ropewalk.text.remarks import Remark, issue, note, warning, wording
from ropewalk.text.units import metric_title
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import DrawsLike, FloatArray
from ropewalk.verbs.folds import check_rho, refuse_per_cent
from ropewalk.verbs.pooling import FORMS, TAU_PRIORS, wider_question

MODELS: Final = ("hierarchical", "corani2017", "signed_rank")
"""By what classifiers are compared over data sets: the first two take folds."""

MANY_WITHOUT_SPREAD: Final = 0.1
MANY_MISSING: Final = 0.2

_ONE_SCORE: Final = wording(
    "name the column of folds, fold=, or leave model= out: one score a data set is judged by signed ranks."
)


@checked_keywords
def compare_datasets(
    table: Any,
    /,
    *more: Any,
    dataset: str | None = None,
    a: str | None = None,
    b: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    **options: Unpack[DatasetsOptions],
) -> DatasetsComparison:
    """Compare two learning algorithms over many data sets: on data sets like these, and on the next one.

    With a row per fold, each data set has its own correlated t, and the data sets come from one population: the mean
    over data sets like these has the verdict, `next` the probabilities for a further data set, and `units` has each of
    these, drawn towards the others. It is exact: no Markov chains. With a row per data set the Bayesian signed-rank
    test answers, judged by how probable it is that most pairs of data sets lie in a region; the sign test is beside it.

    Parameters
    ----------
    table
        A file, a dataframe of any library, a query, or a dict of columns.
    dataset, a, b, fold, repeat
        Its columns: what data set a row is of, the scores of A and of B, and the fold and the repeat, where there is a
        row for each.
    model
        "hierarchical" (default with folds), "corani2017" with the priors of that paper, or "signed_rank" (default
        without; of folds it takes the means).
    population, tau_prior
        For "hierarchical": how data sets differ, by a "student" t with unknown degrees of freedom (default) or
        "normal"; the prior of their spread, "jeffreys" or "uniform".
    rho
        The correlation of the scores of two folds, by default 1/k for k folds.
    metric, higher_is_better
        What the scores are called, and whether more is better: by default not of a loss, an error or a cost.
    tests
        Whether Wilcoxon's signed-rank test stands beside it.
    rope, prob, rule, draws, rng, random_state, progress
        As in `compare`. By signed ranks the rule is "probability".

    Examples
    --------
    >>> import ropewalk as rw
    >>> columns = {
    ...     "data": ["anneal", "audiology", "autos", "breast", "glass", "iris"],
    ...     "nbc": [0.94, 0.73, 0.69, 0.72, 0.71, 0.93],
    ...     "hnb": [0.98, 0.76, 0.75, 0.72, 0.74, 0.94],
    ... }
    >>> r = rw.compare_datasets(columns, dataset="data", a="hnb", b="nbc", rope=0.01, metric="accuracy", rng=0)
    >>> print(f"two further data sets: hnb better {r.next.above:.2f}; the next one: {r.sign.next.above:.2f}")
    two further data sets: hnb better 0.84; the next one: 0.57
    """
    if more or dataset is None or a is None or b is None:
        raise InvalidInputError(
            "Scores over data sets are columns of one table: the data sets, the scores of A and those of B.",
            hint=wording("dataset=, a= and b= name them; rw.compare_folds takes two arrays of folds on one data set."),
        )
    with shown(options.get("progress")):
        return _compared(read_score_table(table, dataset=dataset, scores=[a, b], fold=fold, repeat=repeat), options)


def _compared(read: ScoreTable, options: Any) -> DatasetsComparison:
    model = model_of(options, read)
    metric = given_scores(options["metric"], read.values, higher_is_better=options.get("higher_is_better"))
    question = question_of(options, metric, model)
    refuse_per_cent(read.largest, question.rope)
    how: Any = {
        "draws": check_draws(options["draws"]),
        "seed": check_seed(options.get("rng"), options.get("random_state")),
    }
    if isinstance(model, Hierarchical):
        result = _by_folds(read, folds_of_datasets(read, options.get("rho")), model, question, metric, **how)
    else:
        result = _by_ranks(read, question, metric, **how)
    if options.get("tests"):
        result = _with_tests(result, read)
    issue(result.remarks)
    return result


def model_of(options: Any, read: ScoreTable) -> Hierarchical | SignedRank:
    """Return the model by which a table is judged, its options checked."""
    usual = "signed_rank" if read.fold is None else "hierarchical"
    chosen = choose(options.get("model") or usual, {name: name for name in MODELS}, "model")
    if read.fold is None and chosen != "signed_rank":
        raise InvalidInputError(f"The model {chosen} takes scores of folds.", hint=_ONE_SCORE)
    for name in ("population", "tau_prior", "rho"):
        if options.get(name) is not None and (chosen == "signed_rank" or (chosen == "corani2017" and name != "rho")):
            raise InvalidInputError(
                f"`{name}` is about the model hierarchical, and this is {chosen}.", hint="leave it out."
            )
    if chosen == "signed_rank":
        return SignedRank()
    if options.get("rho") is not None:
        check_rho(options["rho"])
    papers = chosen == "corani2017"
    return Hierarchical(
        population="student" if papers else choose(options.get("population") or "student", FORMS, "population"),
        tau_prior="uniform" if papers else choose(options.get("tau_prior") or "jeffreys", TAU_PRIORS, "tau_prior"),
        papers=papers,
    )


def question_of(options: Any, metric: ScoreMetric, model: Unfitted) -> Question:
    """Return how the difference is judged: by signed ranks there is no interval of what is judged."""
    by_ranks = isinstance(model, SignedRank)
    rule = "probability" if by_ranks else "hdi"
    question = wider_question(options, higher_is_better=metric.higher_is_better, rule=rule)
    if by_ranks and question.rule == "hdi":
        raise InvalidInputError(
            "Signed ranks are judged by how probable it is that most data sets lie in a region.",
            hint=wording("leave rule= out; scores of folds, fold=, are judged by an interval."),
        )
    return question


# -- one score per data set ----------------------------------------------------------------------------------


def _by_ranks(
    read: ScoreTable, question: Question, metric: ScoreMetric, *, draws: DrawsLike, seed: int
) -> DatasetsComparison:
    """Judge one score per data set: by signed ranks, with the sign test beside them."""
    means = read.means()
    check_common(means, read.names)
    both = means[np.isfinite(means).all(axis=1)]
    judged = weigh_datasets(both, read.names, question, draws=draws, seed=seed)
    contrast = judged.contrasts[0]
    sign, shares = None, judged.shares
    if question.rope is not None:
        posterior = sign_posterior(both[:, 0] - both[:, 1], question.rope)
        shares = (*shares, posterior.draw(judged.psi.shape[1], seed))
        sign = SignTest(next=posterior.next, most_probable=largest_shares(shares[-1]))
    first, second = (estimate_of(row, seen, question) for row, seen in zip(judged.psi, both.mean(axis=0), strict=True))
    folds = "" if read.fold is None else ", the means of their folds"
    return DatasetsComparison(
        a=read.names[0],
        b=read.names[1],
        estimate_a=first,
        estimate_b=second,
        **contrast.parts,
        evidence=Evidence(reason=SignedRank().no_factor),
        draws=Draws(psi=judged.psi, names=read.names),
        recipe=recipe_of(both, read, SignedRank(), metric, question, draws=draws, seed=seed),
        remarks=tuple(remarks_on_means(means, read)),
        about=scope_of_datasets(f"where the difference in {metric_title(metric.name)} lies on two data sets, averaged"),
        what="data set",
        data_text=f"{count_of(len(both), 'data set')}{folds}",
        next=judged.next[0],
        most_probable=judged.most_probable[0],
        sign=sign,
        shares=shares,
    )


def remarks_on_means(means: FloatArray, read: ScoreTable) -> Iterator[Remark]:
    """Yield what is to be said about data sets that lack a score, and about few of them."""
    known = np.isfinite(means)
    complete = int(known.all(axis=1).sum())
    if complete <= FEW_UNITS:
        yield warning("few_units", f"Of {complete} data sets the prior and each single one weigh much.")
    pairs: dict[int, list[tuple[str, str]]] = {}
    for i, j in combinations(range(len(read.names)), 2):
        lost = len(means) - int((known[:, i] & known[:, j]).sum())
        if lost:
            pairs.setdefault(lost, []).append((read.names[i], read.names[j]))
    for lost, between in pairs.items():
        yield _missing(lost, len(means), between[0], len(between) - 1)


def _missing(lost: int, number: int, between: Sequence[str], others: int = 0) -> Remark:
    """Return what is to be said about data sets that lack a score of one of two, and how many pairs lack as many."""
    lack, are = ("lacks", "is") if lost == 1 else ("lack", "are")
    more = f"; as many of {count_of(others, 'other pair')}" if others else ""
    text = (
        f"{lost} of {number} data sets {lack} a score of {between[0]} or {between[1]} and {are} left out of that pair"
        f"{more}. What is missing is rarely missing at random."
    )
    return warning("missing_scores", text) if lost > MANY_MISSING * number else note("missing_scores", text)


# -- folds on data sets --------------------------------------------------------------------------------------


def _by_folds(
    read: ScoreTable,
    given: FoldsOfDatasets,
    model: Hierarchical,
    question: Question,
    metric: ScoreMetric,
    **how: Any,
) -> DatasetsComparison:
    """Judge folds of many data sets: each has its own correlated t, and they come from one population."""
    judged = judge_folds_of_datasets(given, model, question, between=read.names, **how)  # type: ignore[arg-type]
    means = read.means()
    means = means[np.isfinite(means).all(axis=1)]
    level = weighted_means(means.mean(axis=1, keepdims=True), judged.drawn.mu.size, how["seed"])[0]
    half = judged.drawn.mu / 2
    psi = np.stack([level + half, level - half])
    first, second = (
        _within(estimate_of(row, seen, question), metric) for row, seen in zip(psi, means.mean(axis=0), strict=True)
    )
    remarks = (
        *judged.remarks("data set", "data sets"),
        *remarks_on_folds(given, model, read.names, judged=question.rope is not None),
    )
    return DatasetsComparison(
        a=read.names[0],
        b=read.names[1],
        estimate_a=first,
        estimate_b=second,
        **judged.contrast.parts,
        evidence=Evidence(reason=model.no_factor),
        draws=Draws(psi=psi, names=read.names),
        recipe=recipe_of(means, read, model, metric, question, **how),
        remarks=remarks,
        about=scope_of_datasets(f"the mean difference in {metric_title(metric.name)} of two algorithms", folds=True),
        what="data set",
        data_text=_folds_text(given),
        next=judged.next,
        most_probable=judged.most_probable,
        population=judged.summary,
        units=judged.units,
        shares=judged.shares,
    )


def _folds_text(given: FoldsOfDatasets) -> str:
    sizes = {one.differences.size for one in given.folds}
    low, high = min(sizes), max(sizes)
    each = f"{low:,} folds each" if low == high else f"{low:,} to {high:,} folds"
    return f"{count_of(len(given.folds), 'data set')}, {each}"


def remarks_on_folds(
    given: FoldsOfDatasets, model: Hierarchical, between: Sequence[str], *, judged: bool
) -> Iterator[Remark]:
    """Yield what is to be said about folds: lost ones, uneven ones, and data sets without a spread.

    Whether there is a ROPE to be `judged` by decides what a missing spread is taken as.
    """
    if given.absent:
        yield _missing(len(given.absent), len(given.absent) + len(given.folds), between)
    if given.lost:
        yield note("missing_scores", f"{count_of(given.lost, 'fold')} without both scores left out.")
    if len(set(given.per_pass)) > 1:
        low, high = min(given.per_pass), max(given.per_pass)
        text = f"Data sets have from {low} to {high} folds in a pass; each has the correlation of its own."
        yield note("uneven_folds", text)
    if given.without_spread:
        n, all_ = len(given.without_spread), len(given.folds)
        how = (
            "noise within the ROPE, as baycomp does"
            if model.papers and judged
            else "what rounding to the step of scores hides"
        )
        text = (
            f"On {n} of {all_} data sets all folds show the same difference ({shorten(given.without_spread, 5)}); "
            f"their standard deviation is taken as {how}."
        )
        many = n > MANY_WITHOUT_SPREAD * all_
        more = " With so many, how much data sets differ follows what is taken."
        yield warning("no_spread", text + more) if many else note("no_spread", text)


# -- shared --------------------------------------------------------------------------------------------------


def estimate_of(draws: FloatArray, observed: float, question: Question) -> Estimate:
    """Return draws of a mean score in numbers."""
    return summarise(draws, np.sort(draws), prob=question.prob, observed=float(observed))


def _within(estimate: Estimate, metric: ScoreMetric) -> Estimate:
    """Return an estimate whose interval ends where scores do."""
    low, high = estimate.hdi
    return replace(estimate, hdi=Interval(max(low, metric.low), min(high, metric.high)))


def recipe_of(
    means: FloatArray,
    read: ScoreTable,
    model: Unfitted,
    metric: ScoreMetric,
    question: Question,
    *,
    draws: DrawsLike,
    seed: int,
) -> Recipe:
    """Return the question; an item is a data set."""
    values = tuple(means[:, k].copy() for k in range(means.shape[1]))
    table = ItemScores(values=values, names=read.names, labels=(0, 1), truth=None)
    return Recipe(
        tables=(table,), model=model, metric=metric, rope=question.rope, prob=question.prob, rule=question.rule,
        draws=draws, seed=seed, data_hash=table.data_hash, n_items=len(means), library=read.library, noun="data set",
    )  # fmt: skip


def _with_tests(result: DatasetsComparison, read: ScoreTable) -> DatasetsComparison:
    """Put Wilcoxon's test of the mean scores beside the answer."""
    means = read.means()
    both = means[np.isfinite(means).all(axis=1)]
    try:
        found: dict[str, Rendered] = {"wilcoxon": wilcoxon(both[:, 0], both[:, 1], names=read.names)}
    except DataError:  # no differences
        found = {}
    return replace(result, classical=found)
