"""How far does an answer hang on the prior? The same question under other ones."""

from __future__ import annotations

from dataclasses import replace

from ropewalk.compare import run
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.errors import InvalidInputError
from ropewalk.models import Bootstrap, Flat, Icdm2015, Model, Multilabel, Paired, Unpaired
from ropewalk.results import Comparison, PriorSensitivity, Recipe


def prior_sensitivity(
    answer: Comparison, *, draws: int | None = None, threads: int = 1, same_pairing: bool = False
) -> PriorSensitivity:
    """Run the recipe of `answer` with half and twice the prior mass, and with the papers' priors.

    With a number of `draws` the other priors get so many, and no Bayes factors. With `same_pairing` models that do not
    pair items as the answer does are left out.

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
        raise InvalidInputError(
            f"The model {recipe.model.name!r} has no prior to vary.", hint="it re-weights the items themselves."
        )
    rows = [("as asked", answer)]
    for which, model in others:
        again = _under(recipe if draws is None else replace(recipe, draws=draws), model)
        rows.append((which, run(again, threads=threads, evidence=draws is None)))
    return PriorSensitivity(rows=tuple(rows))


def other_priors(recipe: Recipe, *, same_pairing: bool = False) -> list[tuple[str, Model]]:
    """Return the other priors, each with a name; those of models that pair items alike, if so said."""
    model, table = recipe.model, recipe.tables[0]
    if isinstance(model, Bootstrap):  # it has no prior, and what it is drawn for the papers' models cannot take
        return []
    found: list[tuple[str, Model]] = []
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
    found += [(which, paper) for which, paper in papers if paper != model and not (separate and paper.paired)]
    return [(which, other) for which, other in found if not same_pairing or other.paired == model.paired]


def _under(recipe: Recipe, model: Model) -> Recipe:
    """Return the recipe with another model; an unpaired one sees each classifier's own table."""
    tables = recipe.tables
    if not model.paired and len(tables) == 1:
        whole = tables[0]
        tables = tuple(whole.project([name]) for name in whole.names)
    return replace(recipe, tables=tables, model=model)
