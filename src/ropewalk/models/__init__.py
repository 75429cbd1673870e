"""Models: priors and counts make a posterior that is drawn exactly."""

from __future__ import annotations

from typing import Any, Final

from ropewalk._validate import choose
from ropewalk.errors import UnknownNameError
from ropewalk.models.binary import Paired, Unpaired
from ropewalk.models.posterior import Model, Posterior

__all__ = ["MODELS", "Model", "Paired", "Posterior", "Unpaired", "parse_model"]

MODELS: Final[dict[str, type[Model]]] = {"paired": Paired, "unpaired": Unpaired}
"""The models that a name alone describes."""


def parse_model(model: str | Model) -> Model:
    """Turn a name into a model with the papers' prior; a model object stays itself.

    Examples
    --------
    >>> parse_model("paired")
    Paired(mu=(1.0, 1.0), positive=(1.0, 1.0, 1.0, 1.0), negative=(1.0, 1.0, 1.0, 1.0))
    """
    if isinstance(model, str):
        return choose(model, MODELS, "model")()
    if isinstance(model, type) or not all(hasattr(model, part) for part in ("fit", "name", "paired", "prior")):
        found: Any = model
        raise UnknownNameError(f"`model` must be a name or a model object; got {found!r}.", hint=f"{list(MODELS)}.")
    return model
