"""How far does an answer hang on the prior? The same question under other ones."""

from __future__ import annotations

from dataclasses import replace

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.errors import InvalidInputError
from ropewalk.inference.comparison import run
from ropewalk.inference.drawing import FAR_PRIOR, UNCONVERGED
from ropewalk.models import (
    Bootstrap,
    DeltaPrior,
    Flat,
    Icdm2015,
    Model,
    Multilabel,
    NoisyLabels,
    Paired,
    PowerPrior,
    Unpaired,
)
from ropewalk.results import Comparison, PriorSensitivity, Recipe


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
        rows.append((which, run(again, threads=threads, evidence=draws is None)))
    return PriorSensitivity(rows=tuple(rows))


def why_none(recipe: Recipe) -> str:
    """Say why there is no other prior to ask under."""
    if isinstance(recipe.model, Bootstrap):
        return "it re-weights the items themselves"
    if isinstance(recipe.model, NoisyLabels):
        return "the models of the papers take the labels for the truth; ask again with another error="
    return "there is none to take its place; ask again with another one of your own"


def exactly(recipe: Recipe) -> Recipe:
    """Return the recipe for the exact engine; that chains did not converge is then no reason to give no verdict."""
    said = "" if recipe.no_verdict in {UNCONVERGED, FAR_PRIOR} else recipe.no_verdict
    return replace(recipe, sampler=None, chains=None, no_verdict=said)


def other_priors(recipe: Recipe, *, same_pairing: bool = False) -> list[tuple[str, Model]]:
    """Return the other priors, each with a name; those of models that pair items alike, if so said."""
    model, table = recipe.model, recipe.tables[0]
    if isinstance(model, Bootstrap):  # it has no prior, and what it is drawn for the papers' models cannot take
        return []
    found: list[tuple[str, Model]] = []
    if isinstance(model, DeltaPrior):
        return [("without the prior of the difference", model.model)]
    if isinstance(model, NoisyLabels):  # the papers' models know of no noise: they are more than other priors
        return []
    if isinstance(model, PowerPrior):
        found += [("earlier items at half the weight", replace(model, discount=model.discount / 2))]
        found += [("earlier items in full", replace(model, discount=1.0))] if model.discount < 1 else []
        found += [("without the earlier items", model.model)]
    if hasattr(model, "scaled"):
        found += [("half the prior mass", model.scaled(0.5)), ("twice the prior mass", model.scaled(2.0))]
    if isinstance(table, MultilabelOutcomes):
        papers: list[tuple[str, Model]] = [
            ("paired, SIGIR 2016", Multilabel(kappa=4.0)),
            ("unpaired, SIGIR 2016", Multilabel(kappa=2.0, paired=False)),
        ]
    elif table.n_labels <= 2:  # noqa: PLR2004
        papers = [("paired, SIGIR 2016", Paired()), ("unpaired, SIGIR 2016", Unpaired())]
    else:
        papers = [("hierarchical, ICDM 2015", Icdm2015()), ("flat", Flat())]
    separate = len(recipe.tables) > 1 and not model.paired
    known = [model, *(other for _, other in found)]
    found += [(which, paper) for which, paper in papers if paper not in known and not (separate and paper.paired)]
    return [(which, other) for which, other in found if not same_pairing or other.paired == model.paired]


def under(recipe: Recipe, model: Model) -> Recipe:
    """Return the recipe with another model; an unpaired one sees each classifier's own table."""
    tables = recipe.tables
    if not model.paired and len(tables) == 1:
        whole = tables[0]
        tables = tuple(whole.project([name]) for name in whole.names)
    again = replace(exactly(recipe), tables=tables, model=model)
    if getattr(model, "exact", True):
        return again
    # The prior of the difference weights draws that were sampled without it: so the chains are those without it.
    same = isinstance(recipe.model, DeltaPrior) and recipe.model.model is model
    return replace(again, sampler=recipe.sampler, chains=recipe.chains if same else None)
