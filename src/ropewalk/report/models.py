"""Models in words, one sentence each, and as the Python that makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final

import numpy as np

from ropewalk._checks import is_real
from ropewalk.mcmc.sampler import Sampler
from ropewalk.models import (
    Bootstrap,
    DeltaPrior,
    Flat,
    Icdm2015,
    LogitNormal,
    Model,
    Multilabel,
    NoisyLabels,
    OwnPriors,
    Paired,
    Pooled,
    PowerPrior,
    Tree,
    Unpaired,
)
from ropewalk.models.noise import is_pair
from ropewalk.results import Recipe
from ropewalk.text.names import count_of, visible

_SIGIR: Final = "Zhang et al., SIGIR 2016"
_ICDM: Final = "Zhang et al., ICDM 2015"
_LEFT_OUT: Final = "…"
_BY_ITSELF: Final = "each classifier by itself"


def observed_word(recipe: Recipe) -> str:
    """Return what to call the value that the data themselves have."""
    return "observed as annotated" if _is_noisy(recipe) else "observed"


def class_word(recipe: Recipe) -> str:
    """Return what to call the class that an item has in the data."""
    return "class as annotated" if _is_noisy(recipe) else "true class"


def _is_noisy(recipe: Recipe) -> bool:
    return isinstance(recipe.model.model if isinstance(recipe.model, DeltaPrior) else recipe.model, NoisyLabels)


def meaning(model: Any) -> str:
    """Say in a sentence or two what a model takes as unknown, and who thought of it."""
    for kind, say in _MEANINGS:
        if isinstance(model, kind):
            return say(model)
    return _own(model)


def _own(model: Any) -> str:
    """Say of somebody's own class what it says of itself, if that is more than its fields."""
    name, doc = visible(type(model).__name__), (type(model).__doc__ or "").strip()
    first = visible(doc.partition("\n")[0]).rstrip(".")
    return f"A model of one's own, {name}." if not first or first.startswith(f"{name}(") else f"{name}: {first}."


def _tree(model: Tree) -> str:
    told = (
        "In each class, who is right and which of the wrong ones agree has a Dirichlet prior, and so have the labels "
        "that are said then"
        if model.paired
        else f"In each class, being right has a Beta prior, and the labels said in error a Dirichlet one, {_BY_ITSELF}"
    )
    return (
        f"{told}; the priors are centred on what was seen in all classes." if model.centre == "pooled" else f"{told}."
    )


def _own_priors(model: OwnPriors) -> str:
    within = {
        "rho": "of what each classifier does in a class",
        "theta": "of what the classifiers do together in a class",
    }
    told = [*(["of the class shares"] if model.mu is not None else [])]
    name, given = model.within
    told += [within[name]] if given is not None else []
    if not told:
        return "The usual prior of labels, since none was given in its place."
    return f"The prior {' and '.join(told)} was given with the question; all else has the usual one."


def _logit_normal(model: LogitNormal) -> str:
    what = "how often the classifiers are right or wrong together" if model.paired else "the recalls"
    told = f"On the logit scale, {what} of the classes are normal"
    if model.pooled:
        told += ", around a centre and with a spread that are learned, so that small classes borrow from the others"
    if model.correlation != 0:
        told += ", and correlated across classifiers"
    return f"{told}."


def _noisy(model: NoisyLabels) -> str:
    given = model.drift is None and _is_given(model.error)
    rate = "at a rate that was given" if given else "at a rate that has a prior of its own"
    return (
        f"Annotators took an item's true class for another one {rate}, whatever the classifiers say; the truth is not "
        "known and is summed out, and scores are against it."
    )


def _is_given(error: Any) -> bool:
    """Whether an error rate is known, and not a distribution."""
    if isinstance(error, list) or is_pair(error):
        return all(_is_given(one) for one in error)
    return is_real(error) or isinstance(error, np.ndarray)


def _power(model: PowerPrior) -> str:
    items = count_of(model.earlier.n_items, "earlier item")
    each = "" if model.discount == 1 else f", each of which counts as {model.discount:g} of an item"
    return f"{meaning(model.model)} The prior has also seen {items}{each} (a power prior: Ibrahim and Chen 2000)."


def _delta(model: DeltaPrior) -> str:
    return (
        f"{meaning(model.model)} The prior of the difference itself was given with the question: each draw is weighted "
        "by its density over that of the model's own."
    )


def _bootstrap(model: Bootstrap) -> str:
    shared = ", by the same weights for all classifiers" if model.paired else ""
    return f"Rubin's Bayesian bootstrap: {model.over} are re-weighted at random{shared}; others are not known of."


_MEANINGS: Final[tuple[tuple[type, Callable[[Any], str]], ...]] = (
    (
        Paired,
        lambda _: (
            "What the two say together about a positive item has a Dirichlet prior, and so has what they say about "
            f"a negative one ({_SIGIR})."
        ),
    ),
    (
        Unpaired,
        lambda _: (
            "How often a classifier calls a positive item positive has a Beta prior, and so has how often it calls "
            f"a negative one so, {_BY_ITSELF} ({_SIGIR})."
        ),
    ),
    (Tree, _tree),
    (Flat, lambda _: f"Each row of a confusion matrix has a Dirichlet prior, the same for all cells, {_BY_ITSELF}."),
    (
        Icdm2015,
        lambda _: (
            f"The rows of a confusion matrix have Dirichlet priors that share a parameter eta, {_BY_ITSELF} ({_ICDM})."
        ),
    ),
    (
        Pooled,
        lambda _: (
            "The recalls of the classes lie around a centre, as closely as the data say: partial pooling, by the "
            "uniform shrinkage prior (Christiansen and Morris 1997; Daniels 1999)."
        ),
    ),
    (Multilabel, lambda _: "Every label is a table of its own: who is right about it has a Dirichlet prior."),
    (Bootstrap, _bootstrap),
    (OwnPriors, _own_priors),
    (LogitNormal, _logit_normal),
    (NoisyLabels, _noisy),
    (PowerPrior, _power),
    (DeltaPrior, _delta),
)


# -- as Python ---------------------------------------------------------------------------------------------


def model_call(model: Any) -> str:
    """Write the Python that makes a model; … stands for what cannot be written in a line.

    Examples
    --------
    >>> model_call(Tree(kappa=3)), model_call(OwnPriors(mu=(2, 38)))
    ('rw.models.Tree(kappa=3.0)', 'rw.models.OwnPriors(mu=(2.0, 38.0))')
    """
    name = visible(type(model).__name__)
    if not _is_ours(model):
        return f"{name}({_LEFT_OUT})"
    said = []
    for field in fields(model):
        value = getattr(model, field.name)
        if field.default is MISSING or not _same(value, field.default):
            said.append(f"{field.name}={_written(value)}")
    if isinstance(model, OwnPriors) and (model.rho is None) == model.paired:
        said = [one for one in said if not one.startswith("paired=")]  # it follows from the others
    return f"rw.models.{name}({', '.join(said)})"


def _is_ours(model: Any) -> bool:
    return is_dataclass(model) and type(model).__module__.startswith("ropewalk.models")


def _same(value: Any, default: Any) -> bool:
    """Whether a field has its default: only plain values can be compared."""
    return value is default or (
        isinstance(value, str | int | float) and type(value) is type(default) and value == default
    )


def _written(value: Any) -> str:
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return visible(repr(value))
    if isinstance(value, tuple | list):
        inner = [_written(one) for one in value]
        if isinstance(value, list):
            return f"[{', '.join(inner)}]"
        return f"({', '.join(inner)}{',' if len(inner) == 1 else ''})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_written(label)}: {_written(one)}' for label, one in value.items())}}}"
    return model_call(value) if _is_ours(value) else _LEFT_OUT


def sampler_call(recipe: Recipe) -> str | None:
    """Write the Python that chooses the engine; None where it is the one that is chosen anyhow."""
    sampler, model = recipe.sampler, recipe.model
    if sampler is None:
        return None
    usual = Sampler(step=sampler.step)
    said = [
        f"{field.name}={getattr(sampler, field.name)!r}"
        for field in fields(sampler)
        if getattr(sampler, field.name) != (field.default if field.name == "step" else getattr(usual, field.name))
    ]
    if said:
        return f"rw.Sampler({', '.join(said)})"
    return "'pymc'" if _is_exact(model) else None


def _is_exact(model: Model) -> bool:
    return bool(getattr(model, "exact", True))
