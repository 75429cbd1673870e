"""Models: priors and counts make a posterior that is drawn exactly."""

from __future__ import annotations

from typing import Any, Final

from ropewalk._checks import checked_keywords, choose
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.models.binary import Paired, Unpaired
from ropewalk.models.bootstrap import Bootstrap
from ropewalk.models.delta import DeltaPrior
from ropewalk.models.flat import Flat
from ropewalk.models.hierarchical import Icdm2015
from ropewalk.models.logit import LogitNormal
from ropewalk.models.multilabel import Multilabel
from ropewalk.models.noise import NoisyLabels
from ropewalk.models.own import OwnPriors
from ropewalk.models.pooled import Pooled
from ropewalk.models.posterior import Model, Posterior
from ropewalk.models.power_prior import PowerPrior
from ropewalk.models.tree import Tree
from ropewalk.text.options import wording

__all__ = [
    "MODELS",
    "Bootstrap",
    "DeltaPrior",
    "Flat",
    "Icdm2015",
    "LogitNormal",
    "Model",
    "Multilabel",
    "NoisyLabels",
    "OwnPriors",
    "Paired",
    "Pooled",
    "Posterior",
    "PowerPrior",
    "Tree",
    "Unpaired",
    "parse_model",
]


def __dir__() -> list[str]:
    """List what is public."""
    return __all__


MODELS: Final = ("paired", "unpaired", "pooled", "icdm2015", "flat", "bootstrap")
"""The models that a name alone describes, where an item has one label."""

MULTILABEL_MODELS: Final = ("paired", "unpaired", "multilabel", "bootstrap")
"""The models that a name alone describes, where an item has any number of labels; "multilabel" is "paired"."""


@checked_keywords
def parse_model(model: str | Model, *, n_labels: int = 2, n_classifiers: int = 2, multilabel: bool = False) -> Model:
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
        binary, pair = n_labels <= 2, n_classifiers == 2  # noqa: PLR2004
        single: dict[str, Model] = {
            "paired": Tree() if not binary else Paired() if pair else Tree(kappa=4.0),
            "unpaired": Unpaired() if binary else Tree(paired=False),
            "pooled": Pooled(),
            "icdm2015": Icdm2015(),
            "flat": Flat(),
            "bootstrap": Bootstrap(),
        }
        several: dict[str, Model] = {
            "paired": Multilabel(),
            "unpaired": Multilabel(paired=False),
            "multilabel": Multilabel(),
            "bootstrap": Bootstrap(),
        }
        if model in several and model not in single and not multilabel:
            raise InvalidInputError(
                f"The model {model!r} is for items with any number of labels.", hint=wording("use model='paired'.")
            )
        if model in single and model not in several and multilabel:
            raise InvalidInputError(
                f"The model {model!r} needs one label an item; these items have any number of labels.",
                hint=f"use one of {', '.join(MULTILABEL_MODELS)}.",
            )
        return choose(model, several if multilabel else single, "model")
    if isinstance(model, type) or not all(hasattr(model, part) for part in ("fit", "name", "paired", "prior")):
        found: Any = model
        raise UnknownNameError(
            wording("`model` must be a name or a model object; got {!r}.", found), hint=f"{list(MODELS)}."
        )
    ours = type(model).__module__.startswith(__name__) and not isinstance(model, Bootstrap)
    several_labels = model.is_multilabel if isinstance(model, PowerPrior) else isinstance(model, Multilabel)
    if ours and multilabel != several_labels:
        raise InvalidInputError(
            f"The model {model!r} is for items with {'one label' if multilabel else 'any number of labels'}."
        )
    return model
