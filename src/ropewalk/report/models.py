"""What a page calls the data under a model, and the Python that chooses the engine."""

from __future__ import annotations

from dataclasses import fields

from ropewalk.mcmc.sampler import Sampler
from ropewalk.results import Recipe


def observed_word(recipe: Recipe) -> str:
    """Return what to call the value that the data themselves have."""
    return "observed" if recipe.model.takes_labels_as_true else "observed as annotated"


def class_word(recipe: Recipe) -> str:
    """Return what to call the class that an item has in the data."""
    return "true class" if recipe.model.takes_labels_as_true else "class as annotated"


def sampler_call(recipe: Recipe) -> str | None:
    """Write the Python that chooses the engine; None where it is the one that is chosen anyhow."""
    sampler = recipe.sampler
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
    return "'pymc'" if recipe.model.exact else None
