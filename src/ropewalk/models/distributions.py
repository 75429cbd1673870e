"""Distributions that users bring, from PyMC, PreliZ or SciPy: read without importing any of these libraries.

A prior may be given as pseudo-counts (a Beta or Dirichlet), as an unnamed PyMC distribution (`pm.Beta.dist(2, 8)`), as
one of PreliZ (`pz.Beta(2, 8)`), or, where a density is all that is needed, as one of SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ropewalk._checks import is_real
from ropewalk.errors import InvalidInputError
from ropewalk.typing import FloatArray

_CONJUGATE: Final = ("Beta", "Dirichlet")
_KINDS: Final = "pseudo-counts such as (2, 8), pm.Beta.dist(2, 8), or pz.Beta(2, 8)"


def is_preliz(prior: Any) -> bool:
    """Whether this is a distribution of PreliZ."""
    return type(prior).__module__.partition(".")[0] == "preliz" and hasattr(prior, "params")


def is_pymc(prior: Any) -> bool:
    """Whether this is an unnamed distribution of PyMC: a random variable of PyTensor."""
    owner = getattr(prior, "owner", None)
    return owner is not None and hasattr(owner.op, "dist_params")


def is_counts(prior: Any) -> bool:
    """Whether this is a list of numbers."""
    return (
        isinstance(prior, Sequence | np.ndarray)
        and not isinstance(prior, str)
        and len(prior) > 1
        and all(is_real(value) for value in prior)
    )


def check_prior(prior: Any, name: str) -> Any:
    """Return a prior that can be read, pseudo-counts as a tuple; or say what it should be."""
    if is_counts(prior):
        if not all(math.isfinite(value) and value > 0 for value in prior):
            raise InvalidInputError(f"`{name}` must be positive pseudo-counts; got {prior!r}.", hint=f"{_KINDS}.")
        return tuple(float(value) for value in prior)
    if not (is_preliz(prior) or is_pymc(prior)):
        raise InvalidInputError(f"`{name}` must be a distribution; got {prior!r}.", hint=f"use {_KINDS}.")
    return prior


def shapes_of(prior: Any) -> tuple[float, ...] | None:
    """Return the pseudo-counts of a Beta or Dirichlet; None for what is neither.

    Examples
    --------
    >>> shapes_of((2.0, 8.0))
    (2.0, 8.0)
    """
    if is_counts(prior):
        return tuple(float(value) for value in prior)
    name, values = kind_of(prior), numbers_of(prior)
    if name not in _CONJUGATE or values is None:
        return None
    return tuple(float(value) for value in np.concatenate([np.ravel(value) for value in values]))


def kind_of(prior: Any) -> str:
    """Return what a distribution is called."""
    if is_preliz(prior):
        return type(prior).__name__
    return type(prior.owner.op).__name__.removesuffix("RV")


def numbers_of(prior: Any) -> list[Any] | None:
    """Return the parameters of a distribution as numbers; None where they are not known, being random themselves."""
    if is_preliz(prior):
        return list(prior.params)
    from ropewalk._optional import require

    fold = require("pymc.pytensorf", extra="mcmc", caller="a PyMC distribution").constant_fold
    found = fold(prior.owner.op.dist_params(prior.owner), raise_not_constant=False)
    return [np.asarray(value) for value in found] if all(isinstance(value, np.ndarray) for value in found) else None


def describe(prior: Any, beta: str = "Beta") -> str:
    """Write a distribution as one would on paper.

    Examples
    --------
    >>> describe((2.0, 8.0))
    'Beta(2, 8)'
    """
    if is_counts(prior):
        return f"{beta if len(prior) == 2 else 'Dir'}({', '.join(f'{value:g}' for value in prior)})"  # noqa: PLR2004
    values = numbers_of(prior)
    if values is None:
        return f"{kind_of(prior)}(…)"
    told = [f"{value:g}" for array in values for value in np.ravel(np.asarray(array, dtype=np.float64))]
    return f"{kind_of(prior)}({', '.join(told)})"


def log_density(prior: Any, values: FloatArray) -> FloatArray:
    """Return the log density of a distribution of PyMC, PreliZ or SciPy, or of a function that gives one."""
    if is_pymc(prior):
        from ropewalk._optional import require

        pm = require("pymc", extra="mcmc", caller="a PyMC distribution")
        found = pm.logp(prior, values).eval()
    elif hasattr(prior, "logpdf"):
        found = prior.logpdf(values)
    else:
        found = prior(values)
    return np.asarray(found, dtype=np.float64)
