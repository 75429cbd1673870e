"""How far does an answer hang on the prior? The same question under other ones."""

from __future__ import annotations

from dataclasses import replace

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import run_comparison
from ropewalk.inference.drawing import FAR_PRIOR, UNCONVERGED
from ropewalk.models import Model, papers_models
from ropewalk.results import Comparison, PriorSensitivity, Recipe
from ropewalk.results.base import Drawing


def prior_sensitivity(
    answer: Comparison, *, draws: int | None = None, threads: int = 1, same_pairing: bool = False
) -> PriorSensitivity:
    """Run the recipe of `answer` with half and twice the prior mass, and with the papers' priors.

    With a number of `draws` the other priors get so many, and no Bayes factors. With `same_pairing` models that do not
    pair items as the answer does are left out. Whatever sampled the answer, the others are drawn exactly where they can
    be.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0)
    >>> s = r.prior_sensitivity()
    >>> [which for which, _ in s.rows]
    ['as asked', 'half the prior mass', 'twice the prior mass', 'unpaired, SIGIR 2016']
    >>> s.robust
    True
    """
    recipe = answer.recipe
    others = other_priors(recipe, same_pairing=same_pairing)
    if not others:
        raise InvalidInputError(f"The model {recipe.model.name!r} has no prior to vary.", hint=f"{why_none(recipe)}.")
    rows = [("as asked", answer)]
    for which, model in others:
        again = under(recipe if draws is None else replace(recipe, draws=draws), model)
        drawn = run_comparison(again, threads=threads, evidence=draws is None, known=known_of(answer, model))
        rows.append((which, drawn))
    return PriorSensitivity(rows=tuple(rows))


def why_none(recipe: Recipe) -> str:
    """Say why there is no other prior to ask under."""
    return recipe.model.no_papers or "there is none to take its place; ask again with another one of your own"


def known_of(answer: Comparison, model: Model | None = None) -> Drawing:
    """Return what of an answer's drawing holds for another prior, or for one class of it.

    That chains did not converge is no reason to give no verdict on exact draws. The prior of the difference weights
    draws that were sampled without it: so the chains of the `model` inside are those of the answer.
    """
    reason = "" if answer.no_verdict in {UNCONVERGED, FAR_PRIOR} else answer.no_verdict
    weighted = answer.recipe.model
    same = model is not None and not model.exact and weighted.weights_difference and weighted.inner is model
    return Drawing(no_verdict=reason, chains=answer.chains if same else None)


def other_priors(recipe: Recipe, *, same_pairing: bool = False) -> list[tuple[str, Model]]:
    """Return the other priors, each with a name; those of models that pair items alike, if so said."""
    model, table = recipe.model, recipe.tables[0]
    others = model.variants()
    if not model.no_papers:
        papers = papers_models(table.n_labels, multilabel=isinstance(table, MultilabelOutcomes))
        separate = len(recipe.tables) > 1 and not model.paired
        known = [model, *(other for _, other in others)]
        others += [(which, paper) for which, paper in papers if paper not in known and not (separate and paper.paired)]
    return [(which, other) for which, other in others if not same_pairing or other.paired == model.paired]


def under(recipe: Recipe, model: Model) -> Recipe:
    """Return the recipe with another model; an unpaired one sees each classifier's own table."""
    tables = recipe.tables
    if not model.paired and len(tables) == 1:
        whole = tables[0]
        tables = tuple(whole.project([name]) for name in whole.names)
    return replace(recipe, tables=tables, model=model, sampler=None if model.exact else recipe.sampler)
