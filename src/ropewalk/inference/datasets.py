"""Judge classifiers on many data sets: by one score each, re-weighted, or by folds, from a population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from ropewalk.data.score_table import ScoreTable
from ropewalk.draws.blocks import block_size, dirichlet, draw_blocks
from ropewalk.draws.contrast import Contrast, Question
from ropewalk.draws.decision import Decision, verdict_and_leaning
from ropewalk.draws.intervals import Regions, count_below, summarise
from ropewalk.draws.streams import PICKED, POSTERIOR
from ropewalk.errors import DataError
from ropewalk.inference.drawing import LOOKS
from ropewalk.inference.population import largest_shares
from ropewalk.models.hierarchical import MIN_FOLDS, Folds, rounding_floor
from ropewalk.models.signed_rank import MIN_DATASETS, PSEUDO_WEIGHT, SignedRankPairs
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import DrawsLike, FloatArray, IntArray

MOST_NUMBERS: Final = 20_000_000
"""So many numbers are kept at most, of all draws of all pairs."""

MOST_WORK: Final = 500_000_000
"""So many weights are added up at most, over data sets, pairs and draws: some ten seconds."""

_ERRORS: Final = 4.0


# -- one score per data set ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class WeightedDatasets:
    """Draws of re-weighted data sets: mean scores `psi` (K, n) on those that have all, and each pair judged.

    `pairs` are the places of A and B; of each pair there is its number of data sets, its draws of the difference, the
    expected shares of pairs of data sets (`next`), and how often each region has the largest. `shares` are their draws,
    (3, n) of each pair; none without a ROPE.
    """

    psi: FloatArray
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
    shapes = np.ones(len(means) + 1)
    shapes[0] = PSEUDO_WEIGHT

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        weights = dirichlet(rng, shapes, size)
        parts = [_mean(weights, means[complete].T, complete)]
        for (i, j), row, region in zip(pairs, rows, regions, strict=True):
            parts.append(_mean(weights, (means[row, i] - means[row, j])[None], row))
            if region is not None:
                some = weights[np.concatenate([[0], row + 1])]
                parts.append(region.shares(some / some.sum(axis=0)))
        return np.concatenate(parts)

    size = block_size(len(means) + 1)
    drawn = draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=POSTERIOR)
    psi, rest = drawn[: len(names)], drawn[len(names) :].reshape(len(pairs), -1, n_draws)
    contrasts, most = [], []
    for (i, j), row, part in zip(pairs, rows, rest, strict=True):
        largest = None if rope is None else largest_shares(part[1:])
        observed = float((means[row, i] - means[row, j]).mean())
        contrasts.append(_contrast(part[0], largest, question, observed, (names[i], names[j])))
        most.append(largest)
    return WeightedDatasets(
        psi=psi,
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


def weighted_level(means: FloatArray, n_draws: int, seed: int) -> FloatArray:
    """Draw the mean level of both classifiers over data sets like these, re-weighted: what their difference is around.

    `means` are their scores, (data sets, 2).
    """
    middle = means.mean(axis=1)

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        return np.asarray((dirichlet(rng, np.ones(middle.size), size) * middle[:, None]).sum(axis=0))

    size = block_size(middle.size)
    return draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=PICKED)


# -- folds on data sets --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldsOfDatasets:
    """The folds of each data set: those with both scores, and which of them show no spread at all."""

    folds: list[Folds]
    floors: FloatArray
    lost: int
    without_spread: tuple[str, ...]
    per_pass: tuple[int, ...]


def folds_of_datasets(table: ScoreTable, rho: float | None = None) -> FoldsOfDatasets:
    """Return the folds of each data set of a table of two classifiers; their correlation is 1/k for k folds."""
    assert table.fold is not None  # noqa: S101 - asked only where there are folds
    folds, lost, thin, per_pass = [], 0, [], []
    for number, name in enumerate(table.datasets):
        rows = table.rows_of(number)
        whole = np.isfinite(table.values[rows]).all(axis=1)
        lost += int((~whole).sum())
        per_pass.append(folds_per_pass(table, rows))
        kept = table.values[rows[whole]]
        if len(kept) < MIN_FOLDS:
            thin.append(name)
            continue
        folds.append(Folds(differences=kept[:, 0] - kept[:, 1], rho=rho or 1 / max(per_pass[-1], 2)))
    if thin:
        raise DataError(
            f"Fewer than {MIN_FOLDS} folds have both scores on {shorten(thin)}.",
            hint=wording("leave such data sets out; without fold= each data set has one score."),
        )
    still = tuple(name for name, one in zip(table.datasets, folds, strict=True) if not one.squares())
    if len(still) == len(folds):
        raise DataError(
            "On every data set all folds show the same difference, so nothing is known of their spread.",
            hint=wording("without fold= each data set has one score, and no spread of its own is needed."),
        )
    everywhere = _step(table.values)
    steps = [_step(table.values[table.rows_of(number)]) or everywhere for number in range(table.n_datasets)]
    floors = np.array(list(map(rounding_floor, steps)))
    return FoldsOfDatasets(folds=folds, floors=floors, lost=lost, without_spread=still, per_pass=tuple(per_pass))


def folds_per_pass(table: ScoreTable, rows: IntArray) -> int:
    """Return how many folds a pass over a data set has, the most of any repeat."""
    assert table.fold is not None  # noqa: S101 - asked only where there are folds
    if table.repeat is None:
        return int(np.unique(table.fold[rows]).size)
    return max(int(np.unique(table.fold[rows][table.repeat[rows] == r]).size) for r in np.unique(table.repeat[rows]))


def _step(values: FloatArray) -> float:
    """Return the usual step between scores; 0 where all are the same."""
    known = np.unique(values[np.isfinite(values)])
    steps = np.diff(known)
    steps = steps[steps > 1e-9 * max(float(np.abs(known).max()), 1e-300)]
    return float(np.median(steps)) if steps.size else 0.0
