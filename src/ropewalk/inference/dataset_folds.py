"""Judge classifiers by their folds on many data sets: pair by pair from a population, and which is best on the next."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.data.score_table import ScoreTable
from ropewalk.draws.blocks import block_size, dirichlet, draw_blocks
from ropewalk.draws.contrast import Question
from ropewalk.draws.streams import REPLICATED
from ropewalk.errors import DataError
from ropewalk.inference.population import JudgedPopulation, judge_population
from ropewalk.models.hierarchical import MIN_FOLDS, Folds, Hierarchical, rounding_floor, units_of_folds
from ropewalk.models.population import MIN_UNITS
from ropewalk.text.remarks import wording
from ropewalk.text.writing import shorten
from ropewalk.typing import DrawsLike, FloatArray, IntArray

MAX_DATASETS: Final = 5_000
"""So many data sets take a minute or two."""

_NO_VARIANCE: Final = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldsOfDatasets:
    """The folds of each data set: those with both scores, and which of them show no spread at all.

    A data set on which one of the two has no score at all is `absent`; of others, `lost` folds lack a score.
    """

    names: tuple[str, ...]
    folds: list[Folds]
    floors: FloatArray
    lost: int
    absent: tuple[str, ...]
    without_spread: tuple[str, ...]
    per_pass: tuple[int, ...]


def folds_of_datasets(table: ScoreTable, rho: float | None = None) -> FoldsOfDatasets:
    """Return the folds of each data set of a table of two classifiers; their correlation is 1/k for k folds."""
    assert table.fold is not None  # noqa: S101 - asked only where there are folds
    names, folds, floors, per_pass = [], [], [], []
    absent, thin, lost, everywhere = [], [], 0, _step(table.values)
    for name, rows in zip(table.datasets, table.groups(), strict=True):
        known = np.isfinite(table.values[rows])
        kept = table.values[rows[known.all(axis=1)]]
        if not known.any(axis=0).all():
            absent.append(name)
            continue
        if len(kept) < MIN_FOLDS:
            thin.append(name)
            continue
        lost += len(rows) - len(kept)
        names.append(name)
        per_pass.append(folds_per_pass(table, rows))
        folds.append(Folds(differences=kept[:, 0] - kept[:, 1], rho=rho or 1 / max(per_pass[-1], 2)))
        floors.append(rounding_floor(_step(table.values[rows]) or everywhere))
    between = " and ".join(table.names)
    if len(folds) > MAX_DATASETS:
        raise DataError(
            f"The hierarchical model takes up to {MAX_DATASETS:,} data sets; got {len(folds):,}.",
            hint=wording('model="signed_rank" judges the means of their folds.'),
        )
    if thin:
        raise DataError(
            f"Fewer than {MIN_FOLDS} folds have scores of both {between} on {shorten(thin)}.",
            hint=wording("leave such data sets out; without fold= each data set has one score."),
        )
    if len(folds) < MIN_UNITS:
        raise DataError(
            f"How data sets differ takes at least {MIN_UNITS} of them with scores of both {between}; got {len(folds)}.",
            hint="rw.compare_folds judges the folds of one data set.",
        )
    still = tuple(name for name, one in zip(names, folds, strict=True) if not one.squares())
    if len(still) == len(folds):
        raise DataError(
            f"On every data set all folds show the same difference of {between}, so nothing is known of their spread.",
            hint=wording("without fold= each data set has one score, and no spread of its own is needed."),
        )
    return FoldsOfDatasets(
        names=tuple(names), folds=folds, floors=np.array(floors), lost=lost, absent=tuple(absent),
        without_spread=still, per_pass=tuple(per_pass),
    )  # fmt: skip


def judge_folds_of_datasets(
    given: FoldsOfDatasets,
    model: Hierarchical,
    question: Question,
    *,
    between: tuple[str, str],
    draws: DrawsLike = "auto",
    seed: int = 0,
) -> JudgedPopulation:
    """Judge two classifiers: each data set has its own correlated t, and the data sets come from one population."""
    floors = given.floors
    if model.papers and (edges := [abs(end) for end in question.rope or () if end and math.isfinite(end)]):
        floors = np.full(len(given.folds), min(edges) / 3**0.5)  # noise within the ROPE, in the mean
    units = units_of_folds(given.folds, floors, papers=model.papers)
    largest = max(float(np.abs(one.differences).max()) for one in given.folds)
    return judge_population(
        units,
        question,
        model.population_prior(units.estimates, largest),
        names=given.names,
        sizes=[one.differences.size for one in given.folds],
        between=between,
        observed=float(units.estimates.mean()),
        draws=draws,
        seed=seed,
    )


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


# -- the best on the next data set -----------------------------------------------------------------------------


def best_beyond_folds(
    table: ScoreTable, n_draws: int, seed: int, *, rho: float | None, higher_is_better: bool
) -> FloatArray:
    """Return the probability of each classifier to be the best on the next data set, what folds add to scores removed.

    The next data set is one of these or one like it: their means, re-weighted, and one of their deviations, all
    classifiers together. Deviations of observed scores hold the noise of folds; they are drawn in until their
    covariance is that of the data sets alone, the observed one less the mean one of folds. That is an approximation;
    differences of two are exact in `judge_folds_of_datasets`.
    """
    means, noise = _means_and_noise(table, rho)
    means = means - means.mean(axis=1, keepdims=True)  # how hard a data set is says nothing of who is best
    drawn_in = _drawn_in(means, noise)

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        weights = dirichlet(rng, np.ones(len(means)), size)
        centre = np.einsum("qk,qd->kd", means, weights, optimize=False)
        picked = (np.cumsum(weights, axis=0) < rng.random(size)).sum(axis=0).clip(max=len(means) - 1)
        return np.asarray(centre + np.einsum("kj,jd->kd", drawn_in, means[picked].T - centre, optimize=False))

    size = block_size(len(means))
    drawn = draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=REPLICATED)
    scores = drawn if higher_is_better else -drawn
    top = scores == scores.max(axis=0)
    return np.asarray((top / top.sum(axis=0)).mean(axis=1))


def _means_and_noise(table: ScoreTable, rho: float | None) -> tuple[FloatArray, FloatArray]:
    """Return the mean scores on the data sets that have all, and the mean covariance of their errors by the folds."""
    means, noise = [], []
    for rows in table.groups():
        known = np.isfinite(table.values[rows])
        if not known.any(axis=0).all():
            continue
        kept = table.values[rows[known.all(axis=1)]]
        if len(kept) < MIN_FOLDS:
            continue
        each = rho or 1 / max(folds_per_pass(table, rows), 2)
        means.append(kept.mean(axis=0))
        noise.append(np.cov(kept.T) * (1 / len(kept) + each / (1 - each)))
    return np.array(means), np.mean(noise, axis=0)


def _drawn_in(means: FloatArray, noise: FloatArray) -> FloatArray:
    """Return the matrix that takes deviations of re-weighted means to the covariance without noise.

    At least the share 2 / (q − 1) of a variance is left: of q data sets, no more than that can be said to be noise
    (Morris 1983).
    """
    q, k = means.shape
    values, vectors = np.linalg.eigh(np.cov(means.T))
    known = values > _NO_VARIANCE * max(float(values[-1]), 1e-300)
    spread, axes = np.sqrt(values[known]), vectors[:, known]
    centring = np.eye(k) - 1 / k
    shares, turned = np.linalg.eigh((axes / spread).T @ centring @ noise @ centring @ (axes / spread))
    kept = np.sqrt(np.maximum(1 - shares, 2 / (q - 1)))
    widened = math.sqrt((q + 1) / (q - 1))  # deviations from a re-weighted mean are that much smaller
    return np.asarray(widened * (axes * spread) @ (turned * kept) @ turned.T @ (axes / spread).T)
