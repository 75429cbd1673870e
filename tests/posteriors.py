"""Results with draws of one's own choosing: what a model would never, or only rarely, draw."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

import ropewalk as rw
from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import contrast
from ropewalk.draws.intervals import summarise
from ropewalk.draws.rope import parse_rope
from ropewalk.results import CrossComparison
from support import without_warnings


@functools.cache
def plain():
    with without_warnings():
        y = [1, 0] * 50
        return rw.compare(y, [1, 0] * 45 + [0, 1] * 5, [1, 0] * 40 + [0, 1] * 10, rope=0.05, rng=0, draws=2_000)


def compared(psi, rope=0.05, names=("A", "B"), base=None, **said):
    """Return a comparison with these draws: of both scores, or of the difference to a B that is always 0."""
    base = plain() if base is None else base
    psi = np.asarray(psi, dtype=np.float64)
    if psi.ndim == 1:
        psi = np.stack([psi, np.zeros_like(psi)])
    recipe = dataclasses.replace(base.recipe, rope=parse_rope(rope), **said)
    found = contrast(psi[0] - psi[1], recipe.question, observed=None, names=names)
    single = [summarise(row, np.sort(row), prob=recipe.prob, observed=None) for row in psi]
    return dataclasses.replace(
        base,
        a=names[0],
        b=names[1],
        estimate_a=single[0],
        estimate_b=single[1],
        draws=Draws(psi=psi, names=names),
        recipe=recipe,
        **{each.name: getattr(found, each.name) for each in dataclasses.fields(found)},
    )


def crossed(c):
    """Return a comparison as if it had come from folds, of which nothing is known; it stands for the items too."""
    values = {field.name: getattr(c, field.name) for field in dataclasses.fields(c)}
    nothing = np.empty(0)
    return CrossComparison(
        **values,
        per_item=c,
        cautious=c.hdi,
        predictions=None,
        repeat_differences=nothing,
        fold_differences=nothing,
        corrected_t=None,
    )


def worse_if_more(c):
    """Return the recipe's metric as one of which less is better."""
    return dataclasses.replace(c.recipe.metric, higher_is_better=False)
