"""To and from xarray: ArviZ's InferenceData before its version 1, xarray's DataTree from then on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ropewalk._optional import require
from ropewalk.exchange.groups import ANSWER, MORE, Contents, Group
from ropewalk.mcmc.sampler import hushed

_NEW: Final = 1  # the major version of ArviZ from which on there are trees


def load(module: str, caller: str) -> Any:
    """Import a module of the ArviZ world, without what it has to say about its own future."""
    with hushed():
        return require(module, extra="mcmc", caller=caller)


def datasets(contents: Contents, caller: str) -> dict[str, Any]:
    """Return the groups as xarray's datasets."""
    xr = load("xarray", caller)
    short = {name: value for name, value in contents.attrs.items() if name not in {ANSWER, MORE}}
    return {name: _dataset(xr, group, short) for name, group in contents.groups.items()}


def _dataset(xr: Any, group: Group, attrs: Mapping[str, Any]) -> Any:
    used = {dim for dims, _ in group.variables.values() for dim in dims}
    coords: dict[str, Any] = {dim: (dim, np.array(values)) for dim, values in group.coords.items() if dim in used}
    for dims, values in group.variables.values():
        for dim, size in zip(dims, np.shape(values), strict=True):
            if dim in {"chain", "draw"}:
                coords[dim] = np.arange(size)
    return xr.Dataset(dict(group.variables), coords=coords, attrs=dict(attrs))


def as_arviz(contents: Contents, caller: str) -> Any:
    """Return what the installed ArviZ works with."""
    az, xr = load("arviz", caller), load("xarray", caller)
    found = datasets(contents, caller)
    if int(az.__version__.partition(".")[0]) < _NEW:
        with hushed():
            return az.InferenceData(attrs=dict(contents.attrs), **found)
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs=dict(contents.attrs)), **found})


def is_dataset(data: Any) -> bool:
    """Whether something is a dataset of xarray, or a branch of a tree that has no further branches."""
    return hasattr(data, "data_vars") and not getattr(data, "children", None)


def is_tree(data: Any) -> bool:
    """Whether something is a DataTree."""
    return hasattr(data, "data_vars") and hasattr(data, "children")


def is_inference_data(data: Any) -> bool:
    """Whether something is an InferenceData."""
    return callable(getattr(data, "groups", None)) and hasattr(data, "extend")
