"""Distributions that users bring, as variables of a PyMC model."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ropewalk._optional import require
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.programs import load_pymc
from ropewalk.mcmc.sampler import hushed
from ropewalk.models.distributions import describe, is_preliz, shapes_of

_LOOKED_AT: Final = 200  # draws of a prior, to see whether it lies where it must
_ROUNDING: Final = 1e-6


def share(prior: Any, name: str, *, batch: tuple[int, ...], most: float = 1.0) -> Any:
    """Add a variable between 0 and 1, or the `most` it may be, to the current model; independent ones, if in a `batch`.

    Pseudo-counts are of the share itself and of the rest.
    """
    made = _made(prior, name)
    if made.ndim:
        raise InvalidInputError(f"`{name}` must be one number a draw, between 0 and 1; got {describe(prior)}.")
    if most == 1:
        return _registered(made, name, batch, None, "logodds")
    if _drawn(made).max() >= most:
        made = _below(made, prior, name, most)
    pm = load_pymc()
    # A chain must not get beyond, however little of the prior lies there.
    within = pm.distributions.transforms.Interval(0.0, most)
    start = np.full(batch, most / 4)  # a mean may lie at the very end, which has no logit
    return pm.modelcontext(None).register_rv(
        _sized(made, batch), name, transform=within, default_transform=None, initval=start
    )


def _below(made: Any, prior: Any, name: str, most: float) -> Any:
    """Return a distribution cut off at the most that it may be."""
    pm = load_pymc()
    try:
        cut = pm.Truncated.dist(made, lower=0.0, upper=most)
        pm.logp(cut, most / 2).eval()
    except NotImplementedError as error:
        raise InvalidInputError(
            f"`{name}` must lie below {most:.3g}, and {describe(prior)} cannot be cut off there.",
            hint="use a Beta, or a distribution that lies below.",
        ) from error
    return cut


def simplex(prior: Any, name: str, size: int, *, batch: tuple[int, ...], hint: str, dims: Any = None) -> Any:
    """Add a variable of `size` shares that add up to 1 to the current model; independent ones, if in a `batch`.

    Where there are two, a distribution of one number is that of the first, and the second is the rest.
    """
    pm = load_pymc()
    made = _made(prior, name)
    if made.ndim == 0 and size == 2:  # noqa: PLR2004
        first = _registered(made, f"{name}_share", batch, None, "logodds")
        return pm.math.stack([first, 1 - first], axis=-1)
    found = _drawn(made).shape[-1] if made.ndim == 1 else 0
    if found != size:
        raise InvalidInputError(f"`{name}` must be over {size} shares; got {describe(prior)}.", hint=hint)
    return _registered(made, name, batch, dims, "simplex")


def _made(prior: Any, name: str) -> Any:
    """Return a prior as an unnamed PyMC distribution that lies between 0 and 1."""
    pm = load_pymc()
    shapes = shapes_of(prior)
    if shapes is not None:
        made = pm.Beta.dist(*shapes) if len(shapes) == 2 else pm.Dirichlet.dist(np.array(shapes))  # noqa: PLR2004
    elif is_preliz(prior):
        kind = getattr(pm, type(prior).__name__, None)
        if kind is None:
            raise InvalidInputError(f"PyMC knows no distribution {type(prior).__name__!r}, which `{name}` is of.")
        made = kind.dist(**dict(zip(prior.param_names, prior.params, strict=True)))  # both use the same names
    else:
        made = prior
    values = _drawn(made)
    off = values[~((values >= 0) & (values <= 1))]
    if off.size:
        raise InvalidInputError(
            f"`{name}` must lie between 0 and 1, and {describe(prior)} gives {off.flat[0]:.3g}.",
            hint="truncate it, or use a Beta, LogitNormal or Dirichlet.",
        )
    if values.ndim > 1 and not np.allclose(values.sum(axis=-1), 1, atol=_ROUNDING):
        raise InvalidInputError(f"`{name}` must be shares that add up to 1; those of {describe(prior)} do not.")
    return made


def _drawn(made: Any) -> Any:
    with hushed():
        return np.asarray(load_pymc().draw(made, draws=_LOOKED_AT, random_seed=0), dtype=np.float64)


def _registered(made: Any, name: str, batch: tuple[int, ...], dims: Any, transform: str) -> Any:
    """Add copies of a distribution to the current model, on an unbounded scale whether PyMC knows one for it or not."""
    pm = load_pymc()
    with pm.Model(model=None) as trial:  # which belongs to no other
        known = trial.rvs_to_transforms[trial.register_rv(_sized(made, batch), name)]
    how = {} if known is not None else {"transform": getattr(pm.distributions.transforms, transform)}
    return pm.modelcontext(None).register_rv(_sized(made, batch), name, dims=dims, **how)


def _sized(made: Any, batch: tuple[int, ...]) -> Any:
    if not batch:
        return made
    shape_utils = require("pymc.distributions.shape_utils", extra="mcmc", caller="a prior")
    return shape_utils.change_dist_size(made, batch)
