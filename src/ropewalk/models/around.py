"""What a prior that is put around another model takes over from it."""

from __future__ import annotations

from typing import Any

from ropewalk.models.posterior import Model


class Around:
    """A model that changes the prior of the `model` inside, and is like it in all else."""

    __slots__ = ()

    model: Model

    @property
    def name(self) -> str:
        """What `model=` and the JSON call it: the name of the model inside."""
        return self.model.name

    @property
    def paired(self) -> bool:
        """Whether the model takes all classifiers at once."""
        return self.model.paired

    @property
    def is_symmetric(self) -> bool:
        """Whether no positive class is needed."""
        return self.model.is_symmetric

    @property
    def exact(self) -> bool:
        """Whether the model inside is drawn exactly."""
        return getattr(self.model, "exact", True)

    @property
    def moves(self) -> str:
        """What moves the posterior away from the observed values by design, if anything does."""
        return getattr(self.model, "moves", "")

    @property
    def no_factor(self) -> str:
        """Why there is no Bayes factor at all, if so."""
        return self.model.no_factor


def moves_of(model: Any) -> str:
    """Say why what was observed is not what the posterior is about, where a model is made for that."""
    found: str = getattr(model, "moves", "")
    return found or (moves_of(model.model) if hasattr(model, "model") else "")
