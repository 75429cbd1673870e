"""Carry out the question about K classifiers by one joint posterior."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from ropewalk.draws.blocks import difference
from ropewalk.draws.judging import contrast, is_settled
from ropewalk.inference.drawing import UNDRAWN, capped, draw_recipe
from ropewalk.inference.outlook import with_outlook
from ropewalk.inference.remarks import remarks_on
from ropewalk.models.posterior import observed_psi
from ropewalk.results import Pair, Ranked, Ranking, Recipe
from ropewalk.results.base import Drawing
from ropewalk.typing import FloatArray


def run(recipe: Recipe, *, threads: int = 1, known: Drawing = UNDRAWN) -> Ranking:
    """Carry out a recipe: the same recipe gives the same answer, bit for bit. `known` has chains not to run again."""
    names = tuple(name for table in recipe.tables for name in table.names)
    observed = observed_psi(recipe.tables, recipe.metric, recipe.prevalence)
    pairs = list(combinations(range(len(names)), 2))

    def settled(psi: FloatArray) -> bool:
        return all(is_settled(difference(psi[i], psi[j]), recipe.question) for i, j in pairs)

    draft = draw_recipe(recipe, observed, settled, threads=threads, n_pairs=len(pairs), known=known)
    psi, drawing = draft.psi, draft.drawing
    estimates = draft.estimates(observed)
    pairwise, reasons = [], []
    for i, j in pairs:
        ends = observed[i], observed[j]
        seen = None if ends[0] is None or ends[1] is None else ends[0] - ends[1]
        delta = difference(psi[i], psi[j])
        found = contrast(delta, recipe.question, observed=seen, names=(names[i], names[j]), ess=draft.ess(delta))
        reasons.append(draft.judged((estimates[i], estimates[j])).no_verdict)
        if reasons[-1]:
            found = replace(found, regions=None, rope_path=None, decision=None)
        pairwise.append(Pair(a=names[i], b=names[j], contrast=found))
    if all(reasons):
        drawing = replace(drawing, no_verdict=reasons[0])
    better = psi if recipe.metric.higher_is_better else -psi
    shares = rank_probabilities(better)
    loss = (better.max(axis=0) - better).mean(axis=1)
    signs = np.eye(len(names)).tolist()
    whose = {f"{recipe.metric.name}, {name}": (e, s) for name, e, s in zip(names, estimates, signs, strict=True)}
    (i, j), worst = max(zip(pairs, pairwise, strict=True), key=lambda one: abs(one[1].delta.pull))
    versus = [float(k == i) - float(k == j) for k in range(len(names))]
    whose[f"{recipe.metric.name}, {worst.a} − {worst.b}"] = (worst.delta, versus)
    beside = remarks_on(recipe, drawing, draft.posteriors, whose)
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
        draws=draft.draws,
        recipe=recipe,
        drawing=drawing,
        remarks=(*beside, *capped(draft, stable=stable)),
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
