"""Models: priors and counts make a posterior that is drawn exactly."""

from __future__ import annotations

from typing import Any, Final

from ropewalk._validate import choose
from ropewalk.errors import UnknownNameError
from ropewalk.models.binary import Paired, Unpaired
from ropewalk.models.flat import Flat
from ropewalk.models.hierarchical import Icdm2015
from ropewalk.models.posterior import Model, Posterior
from ropewalk.models.tree import Tree

__all__ = ["MODELS", "Flat", "Icdm2015", "Model", "Paired", "Posterior", "Tree", "Unpaired", "parse_model"]

MODELS: Final = ("paired", "unpaired", "icdm2015", "flat")
"""The models that a name alone describes."""


def parse_model(model: str | Model, *, n_labels: int = 2, n_classifiers: int = 2) -> Model:
    """Turn a name into the model with the default prior for so many labels; a model object stays itself.

    Two labels have the papers' prior, which for two classifiers is a model of its own and for more the tree with the
    same prior for every pair.

    Examples
    --------
    >>> parse_model("unpaired")
    Unpaired(mu=(1.0, 1.0), positive=(1.0, 1.0), negative=(1.0, 1.0))
    >>> parse_model("paired", n_labels=20).prior
    'mu ~ Dir(1, …); types ~ Dir(1·base); labels of a type ~ Dir, mass 1'
    """
    if isinstance(model, str):
        binary = n_labels <= 2  # noqa: PLR2004
        known: dict[str, Model] = {
            "paired": (Paired() if n_classifiers == 2 else Tree(kappa=4.0)) if binary else Tree(),  # noqa: PLR2004
            "unpaired": Unpaired() if binary else Tree(paired=False),
            "icdm2015": Icdm2015(),
            "flat": Flat(),
        }
        return choose(model, known, "model")
    if isinstance(model, type) or not all(hasattr(model, part) for part in ("fit", "name", "paired", "prior")):
        found: Any = model
        raise UnknownNameError(f"`model` must be a name or a model object; got {found!r}.", hint=f"{list(MODELS)}.")
    return model
