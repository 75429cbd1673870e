"""Rank K classifiers by one recipe: draw all scores jointly, judge every pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.draws.blocks import difference
from ropewalk.draws.contrast import Contrast, contrast, is_settled
from ropewalk.draws.intervals import Estimate
from ropewalk.draws.pooling import pool, worth
from ropewalk.inference.answers import between, without_equivalence
from ropewalk.inference.bearing import gist, shifts, too_pooled
from ropewalk.inference.drawing import Draft, capped, draw_recipe
from ropewalk.inference.outlook import with_outlook
from ropewalk.inference.remarks import remarks_on
from ropewalk.models import observed_psi
from ropewalk.models.bootstrap import steady
from ropewalk.results import Pair, Ranked, Ranking, Recipe
from ropewalk.results.base import Drawing, PriorShift
from ropewalk.text.remarks import Remark, note, warning, wording
from ropewalk.typing import FloatArray

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Chains


Bearing = Callable[[Sequence[Contrast], Sequence[Contrast]], Sequence[Drawing]]
"""What the verdict on each pair can bear, given the pairs as judged, and as they are before scores are pooled."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RankingDraft:
    """A ranking without outlook, the scores as drawn, each by its own posterior, and what each pair's verdict bears."""

    ranking: Ranking
    apart: Draft
    drawings: tuple[Drawing, ...]


def run_ranking(recipe: Recipe, *, threads: int = 1, chains: Chains | None = None) -> Ranking:
    """Carry out a recipe: the same recipe gives the same answer, bit for bit. `chains` are not run again."""
    return with_outlook(draw_ranking(recipe, threads=threads, chains=chains).ranking)


def draw_ranking(recipe: Recipe, *, threads: int = 1, chains: Chains | None = None) -> RankingDraft:
    """Draw all scores jointly and judge every pair, without an outlook."""
    names, question = recipe.names, recipe.question
    pairs = list(combinations(range(len(names)), 2))

    def settled(psi: FloatArray) -> bool:
        return are_settled(recipe, psi)

    observed = observed_psi(recipe.tables, recipe.metric, recipe.prevalence)
    draft = draw_recipe(recipe, observed, settled, threads=threads, n_pairs=len(pairs), chains=chains)
    draft = replace(draft, observed=observed)
    apiece = draft.estimates(observed)

    def bear(judged: Sequence[Contrast], alone: Sequence[Contrast]) -> list[Drawing]:
        moved: list[PriorShift | None] = [None] * len(pairs)
        if question.rope is not None:  # without a verdict there is nothing that other priors could change
            each = [partial(between, i=i, j=j) for i, j in pairs]
            deltas = [pair.delta for pair in judged]
            moved = shifts(recipe, deltas, each, question, as_judged=partial(pooled, recipe))
        drawings = []
        for (i, j), one, own, shift in zip(pairs, judged, alone, moved, strict=True):
            signs = [float(k == i) - float(k == j) for k in range(len(names))]
            drawing = draft.bearing((apiece[i], apiece[j]), own.delta, signs, shift)
            drawings.append(without_equivalence(drawing, recipe, one.decision))
        return drawings

    made = judge_ranking(draft, bear)
    signs_of_each = np.eye(len(names)).tolist()
    # What the prior does to a score is told before the scores are pooled.
    whose = {f"{recipe.metric.name}, {n}": (e, s) for n, e, s in zip(names, apiece, signs_of_each, strict=True)}
    beside = remarks_on(recipe, made.ranking.drawing, draft.posteriors, whose)
    stable = all(pair.decision is None or pair.decision.stable for pair in made.ranking.pairwise)
    remarks = (*beside, *made.ranking.remarks, *capped(draft, stable=stable))
    return replace(made, ranking=replace(made.ranking, remarks=remarks))


def are_settled(recipe: Recipe, psi: FloatArray) -> bool:
    """Whether other draws of all scores would decide every pair alike, pooled and apart."""
    pairs = combinations(range(len(psi)), 2)
    each = (psi, pooled(recipe, psi)) if recipe.pool else (psi,)
    return all(is_settled(difference(scores[i], scores[j]), recipe.question) for i, j in pairs for scores in each)


def judge_ranking(draft: Draft, bear: Bearing) -> RankingDraft:
    """Judge every pair of scores that were drawn each by its own posterior, pooled where the recipe says so."""
    recipe, names, drawing = draft.recipe, draft.recipe.names, draft.drawing
    together = replace(draft, psi=pooled(recipe, draft.psi))
    judged = _contrasts(together)
    alone = _contrasts(draft) if recipe.pool else judged
    pairwise, drawings = [], []
    places = combinations(range(len(names)), 2)
    for (i, j), one, own, borne in zip(places, judged, alone, bear(judged, alone), strict=True):
        if recipe.pool and not borne.no_verdict:
            borne = replace(borne, no_verdict=too_pooled(own, one))  # noqa: PLW2901
        drawings.append(borne)
        told = one.without_verdict() if borne.no_verdict else one.agreed_with(own)
        told = replace(told, delta=_with_error(recipe, told.delta, draft.psi.shape[1]))
        pairwise.append(Pair(a=names[i], b=names[j], contrast=told))
    if all(borne.no_verdict for borne in drawings):
        drawing = drawings[0]
    ranking = Ranking(
        models=ranked(together),
        pairwise=tuple(pairwise),
        draws=together.draws,
        recipe=recipe,
        drawing=drawing,
        remarks=(*_of_pairs(pairwise, drawings), *pooled_scores(recipe)),
    )
    return RankingDraft(ranking=ranking, apart=draft, drawings=tuple(drawings))


def _contrasts(draft: Draft) -> list[Contrast]:
    """Judge the differences of all pairs of scores."""
    psi, names, observed = draft.psi, draft.recipe.names, draft.observed
    asked = draft.drawing.answerable(draft.recipe.question)
    judged = []
    for i, j in combinations(range(len(names)), 2):
        ends, delta = (observed[i], observed[j]), difference(psi[i], psi[j])
        seen = None if ends[0] is None or ends[1] is None else ends[0] - ends[1]
        how: dict[str, Any] = {"ess": draft.ess(delta), "has_mean": draft.have_means[i] and draft.have_means[j]}
        judged.append(contrast(delta, asked, observed=seen, names=(names[i], names[j]), **how))
    return judged


def ranked(draft: Draft) -> tuple[Ranked, ...]:
    """Return each classifier in a ranking by these draws: its score, its chances of each rank, and what it loses."""
    psi, names, recipe = draft.psi, draft.recipe.names, draft.recipe
    better = psi if recipe.metric.higher_is_better else -psi
    shares, places = rank_probabilities(better), np.arange(1, len(names) + 1)
    loss = (better.max(axis=0) - better).mean(axis=1) if all(draft.have_means) else np.full(len(names), np.nan)
    return tuple(
        Ranked(
            name=name,
            estimate=_with_error(recipe, estimate, psi.shape[1]),
            p_best=float(share[0]),
            expected_rank=float((share * places).sum()),
            rank_probabilities=tuple(share.tolist()),
            expected_loss=float(lost),
        )
        for name, estimate, share, lost in zip(names, draft.estimates(draft.observed), shares, loss, strict=True)
    )


def pooled(recipe: Recipe, psi: FloatArray) -> FloatArray:
    """Return the draws of all scores, drawn towards their centre where the recipe pools them."""
    if not recipe.pool:
        return psi
    if recipe.metric.divisor is not None and psi.min() > 0:  # the logarithm of a ratio has a mean, and nearly a normal
        return np.exp(steady(pool(np.log(psi), low=-math.inf, high=math.inf, seed=recipe.seed).psi))
    return steady(pool(psi, low=recipe.metric.low, high=recipe.metric.high, seed=recipe.seed).psi)


def _with_error(recipe: Recipe, estimate: Estimate, n_draws: int) -> Estimate:
    """Return an estimate from pooled draws with an error that does not fall below that of what they share."""
    if not recipe.pool or worth(n_draws) == n_draws:
        return estimate
    return replace(estimate, mc_error=max(estimate.mc_error, estimate.std / worth(n_draws) ** 0.5))


def pooled_scores(recipe: Recipe) -> Iterator[Remark]:
    """Say that scores are drawn towards their centre, where they are."""
    if recipe.pool:
        text = "Scores are drawn towards their common centre, as far as they are alike: the best one was lucky too. "
        yield note("scores_pooled", text + wording("pool=False gives each its own."))


def _of_pairs(pairs: Sequence[Pair], drawings: Sequence[Drawing]) -> Iterator[Remark]:
    """Say which pairs have no verdict, where others have one, and on which the prior has a say."""
    both = list(zip(pairs, drawings, strict=True))
    lost = [(pair, own.no_verdict) for pair, own in both if own.no_verdict]
    if 0 < len(lost) < len(pairs):
        for common in dict.fromkeys(gist(reason) for _, reason in lost):
            alike = [(pair, reason) for pair, reason in lost if gist(reason) == common]
            reason = alike[0][1] if len(alike) == 1 else f"no verdict, since {common}"
            yield warning("no_verdict", f"{_named([pair for pair, _ in alike])}: {reason}.")
    leant = [pair for pair, own in both if own.shift is not None and own.shift.differs_from(pair.decision)]
    if leant:
        yield warning(
            "prior_decides",
            f"The prior has a say in the verdict on {_named(leant)}: half or twice its mass changes it.",
        )


def _named(pairs: Sequence[Pair]) -> str:
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    return f"{pairs[0].a} against {pairs[0].b}{more}"


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
