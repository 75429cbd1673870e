"""Judge classifiers on many data sets by one score on each, re-weighted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from scipy import stats

from ropewalk.draws.blocks import block_size, dirichlet, draw_blocks
from ropewalk.draws.contrast import Contrast, Question
from ropewalk.draws.decision import Decision, verdict_and_leaning
from ropewalk.draws.intervals import Regions, count_below, summarise
from ropewalk.draws.streams import PICKED, POSTERIOR
from ropewalk.errors import DataError
from ropewalk.inference.drawing import LOOKS
from ropewalk.inference.population import largest_shares
from ropewalk.models.signed_rank import MIN_DATASETS, PSEUDO_WEIGHT, SignedRankPairs
from ropewalk.text.writing import count_of
from ropewalk.typing import DrawsLike, FloatArray, IntArray

MOST_NUMBERS: Final = 20_000_000
"""So many numbers are kept at most, of all draws of all pairs."""

MOST_WORK: Final = 500_000_000
"""So many weights are added up at most, over data sets, pairs and draws: some ten seconds."""

_ERRORS: Final = 4.0


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedDatasets:
    """Draws of re-weighted data sets: means of scores and ranks (K, n) on those that have all, and each pair judged.

    `pairs` are the places of A and B; of each pair there is its number of data sets, its draws of the difference, the
    expected shares of pairs of data sets (`next`), and how often each region has the largest. `shares` are their draws,
    (3, n) of each pair; none without a ROPE.
    """

    psi: FloatArray
    ranks: FloatArray
    pairs: tuple[tuple[int, int], ...]
    numbers: tuple[int, ...]
    contrasts: tuple[Contrast, ...]
    next: tuple[Regions | None, ...]
    most_probable: tuple[Regions | None, ...]
    shares: tuple[FloatArray, ...]


def weigh_datasets(
    means: FloatArray, names: Sequence[str], question: Question, *, draws: DrawsLike = "auto", seed: int = 0
) -> WeightedDatasets:
    """Judge all pairs of classifiers by one score per data set, (data sets, K), NaN where there is none.

    Examples
    --------
    >>> from ropewalk.draws.intervals import Interval
    >>> scores = np.array([[0.9, 0.8], [0.8, 0.75], [0.7, 0.69], [0.95, 0.9], [0.6, 0.5], [0.85, 0.8]])
    >>> question = Question(rope=Interval(-0.01, 0.01), prob=0.95, rule="probability", higher_is_better=True)
    >>> judged = weigh_datasets(scores, ["new", "old"], question)
    >>> print(judged.contrasts[0].decision.text)
    new is better than old by a margin that matters (ROPE ±0.01)
    """
    scores, found = _Scores(means, tuple(names)), None
    for n in _looks(draws, scores):
        found = _judged(scores, question, n, seed)
        if all(one.decision is None or one.decision.stable for one in found.contrasts):
            break
    assert found is not None  # noqa: S101 - there is a look
    return found


@dataclass(frozen=True, eq=False)
class _Scores:
    """Scores on data sets, (data sets, K), all pairs of classifiers, and the data sets that have scores of both."""

    means: FloatArray
    names: tuple[str, ...]

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        return tuple(combinations(range(len(self.names)), 2))

    @property
    def complete(self) -> IntArray:
        return np.flatnonzero(np.isfinite(self.means).all(axis=1))

    @property
    def rows(self) -> list[IntArray]:
        return [np.flatnonzero(np.isfinite(self.means[:, pair]).all(axis=1)) for pair in map(list, self.pairs)]


def _looks(draws: DrawsLike, scores: _Scores) -> tuple[int, ...]:
    """Return after how many draws it is looked whether more would decide otherwise."""
    if draws != "auto":
        return (int(draws),)
    n_pairs = len(scores.pairs)
    most = min(MOST_NUMBERS // (len(scores.names) + 4 * n_pairs), MOST_WORK // (n_pairs * len(scores.means)))
    return tuple(look for look in LOOKS[:3] if look <= most) or (max(most // 1_000 * 1_000, 1_000),)


def _judged(scores: _Scores, question: Question, n_draws: int, seed: int) -> WeightedDatasets:
    """Judge all pairs by so many draws of weights, which they share."""
    means, names, pairs, rows, complete = scores.means, scores.names, scores.pairs, scores.rows, scores.complete
    rope = question.rope
    regions = [
        None if rope is None else SignedRankPairs.of(means[row, i] - means[row, j], rope)
        for (i, j), row in zip(pairs, rows, strict=True)
    ]
    whole = np.hstack([means[complete], ranks_of(means[complete], higher_is_better=question.higher_is_better)]).T
    shapes = np.ones(len(means) + 1)
    shapes[0] = PSEUDO_WEIGHT

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        weights = dirichlet(rng, shapes, size)
        parts = [_mean(weights, whole, complete)]
        for (i, j), row, region in zip(pairs, rows, regions, strict=True):
            parts.append(_mean(weights, (means[row, i] - means[row, j])[None], row))
            if region is not None:
                some = weights if row.size == len(means) else weights[np.concatenate([[0], row + 1])]
                parts.append(region.shares(some) / some.sum(axis=0) ** 2)
        return np.concatenate(parts)

    size = block_size(len(means) + 1)
    drawn = draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=POSTERIOR)
    (psi, ranks), rest = np.split(drawn[: len(whole)], 2), drawn[len(whole) :].reshape(len(pairs), -1, n_draws)
    contrasts, most = [], []
    for (i, j), row, part in zip(pairs, rows, rest, strict=True):
        largest = None if rope is None else largest_shares(part[1:])
        observed = float((means[row, i] - means[row, j]).mean())
        contrasts.append(_contrast(part[0], largest, question, observed, (names[i], names[j])))
        most.append(largest)
    return WeightedDatasets(
        psi=psi,
        ranks=ranks,
        pairs=pairs,
        numbers=tuple(row.size for row in rows),
        contrasts=tuple(contrasts),
        next=tuple(None if region is None else region.expected() for region in regions),
        most_probable=tuple(most),
        shares=() if rope is None else tuple(part[1:] for part in rest),
    )


def _mean(weights: FloatArray, values: FloatArray, rows: IntArray) -> FloatArray:
    """Return the means of values (K, rows) by the weights of their rows, the pseudo data set left out."""
    own = weights[rows + 1]
    return np.asarray(np.einsum("kq,qd->kd", values, own, optimize=False) / own.sum(axis=0))


def _contrast(
    delta: FloatArray, regions: Regions | None, question: Question, observed: float, names: tuple[str, str]
) -> Contrast:
    """Judge a pair by how probable it is that most data sets lie in a region."""
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=question.prob, observed=observed)
    decision = None
    if question.rope is not None and regions is not None:
        verdict, leaning = verdict_and_leaning(estimate, regions, question.rope, **question.how)
        top = max(regions.below, regions.inside, regions.above)
        error = math.sqrt(max(top * (1 - top), 1 / delta.size) / delta.size)
        stable = abs(top - question.prob) > _ERRORS * error
        up = question.higher_is_better
        decision = Decision.of(verdict, leaning, question.rope, names, higher_is_better=up, stable=stable)
    return Contrast(
        delta=estimate,
        prob_below_zero=count_below(ordered, 0.0) / ordered.size,
        prob_above_zero=(ordered.size - count_below(ordered, 0.0, inclusive=True)) / ordered.size,
        regions=regions,
        rope_path=None,
        decision=decision,
    )


def ranks_of(means: FloatArray, *, higher_is_better: bool) -> FloatArray:
    """Return the rank of each classifier on each data set, 1 for the best; ties share theirs.

    Examples
    --------
    >>> ranks_of(np.array([[0.9, 0.8, 0.8], [0.7, 0.6, 0.9]]), higher_is_better=True).tolist()
    [[1.0, 2.5, 2.5], [2.0, 3.0, 1.0]]
    """
    return np.asarray(stats.rankdata(-means if higher_is_better else means, axis=1))


def best_on_next(means: FloatArray, *, higher_is_better: bool) -> FloatArray:
    """Return the probability of each to be the best on the next data set: its share of these, and of a pseudo one.

    Ties share a data set; on the pseudo data set all are equal.

    Examples
    --------
    >>> best_on_next(np.array([[0.9, 0.8], [0.7, 0.6], [0.5, 0.5]]), higher_is_better=True).tolist()
    [0.75, 0.25]
    """
    scores = means if higher_is_better else -means
    top = scores == scores.max(axis=1, keepdims=True)
    shares = (top / top.sum(axis=1, keepdims=True)).sum(axis=0)
    return np.asarray((shares + 1 / means.shape[1]) / (len(means) + 1))


def check_common(means: FloatArray, names: Sequence[str]) -> None:
    """Refuse pairs that share too few data sets."""
    known = np.isfinite(means)
    for i, j in combinations(range(len(names)), 2):
        both = int((known[:, i] & known[:, j]).sum())
        if both < MIN_DATASETS:
            raise DataError(
                f"{names[i]} and {names[j]} have scores on {count_of(both, 'data set')} in common; it takes "
                f"{MIN_DATASETS}.",
                hint="add data sets, or leave one of them out; with scores of folds, three data sets will do.",
            )


def weighted_means(values: FloatArray, n_draws: int, seed: int) -> FloatArray:
    """Draw means over data sets like these, (K, n), of values (data sets, K): one set of weights for all.

    Examples
    --------
    >>> weighted_means(np.array([[0.9, 0.5], [0.7, 0.3], [0.8, 0.4]]), 1_000, 0).mean(axis=1).round(2).tolist()
    [0.8, 0.4]
    """

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        weights = dirichlet(rng, np.ones(len(values)), size)
        return np.asarray(np.einsum("qk,qd->kd", values, weights, optimize=False))

    size = block_size(len(values))
    return draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=PICKED)
