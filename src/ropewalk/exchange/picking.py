"""Find one number for each draw in draws made elsewhere: by group, by name, and of a vector by component."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.text.writing import did_you_mean, shorten, told, visible
from ropewalk.typing import FloatArray

Pick = str | tuple[str, Mapping[str, Any]]
"""A variable: its name, ``"name[component]"``, or the name with a coordinate for each of its axes."""

_CHAINED: Final = ("chain", "draw")
_KINDS: Final = "InferenceData, DataTree, Dataset, the path of a netCDF file, or a mapping of arrays (chain, draw)"


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """Values (chains, draws, …), and the further axes: their names and coordinates, 0, 1, … where they have none."""

    name: str
    values: Any
    coords: Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """Draws (chains, draws) of one number, what it is called, and the component that was picked, in words."""

    draws: FloatArray
    label: str
    component: str


def groups_of(data: Any) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the groups of something that holds draws, and the attributes of the whole.

    Draws without groups are those of the posterior.
    """
    if callable(getattr(data, "groups", None)) and hasattr(data, "extend"):  # an InferenceData
        return {name: data[name] for name in data.groups()}, dict(data.attrs)
    if _is_dataset(data):
        return {"posterior": data}, dict(data.attrs)
    if hasattr(data, "data_vars") and hasattr(data, "children"):  # a DataTree
        return {str(name): node for name, node in data.children.items()}, dict(data.attrs)
    if isinstance(data, Mapping) and data:
        if all(isinstance(value, Mapping) or _is_dataset(value) for value in data.values()):
            return {str(name): group for name, group in data.items()}, {}
        return {"posterior": data}, {}
    what = "an empty mapping" if isinstance(data, Mapping) else type(data).__name__
    raise InvalidInputError(
        f"`data` must be {_KINDS}; got {what}.", hint='of two arrays make {"a": array_a, "b": array_b}.'
    )


def _is_dataset(data: Any) -> bool:
    """Whether something is a dataset of xarray, or a branch of a tree that has no further branches."""
    return hasattr(data, "data_vars") and not getattr(data, "children", None)


def group_of(groups: Mapping[str, Any], name: str) -> Any:
    """Return one group, or say which ones there are."""
    if name in groups:
        return groups[name]
    raise UnknownNameError(f"There is no group {name!r} here.", hint=f"there are: {shorten(groups)}.")


def names_in(group: Any) -> list[str]:
    """Return the names of the variables of a group."""
    return [str(name) for name in (group.data_vars if hasattr(group, "data_vars") else group)]


def holds(group: Any, pick: Pick) -> bool:
    """Whether a group has the variable of a pick."""
    return _name_of(pick, names_in(group)) in names_in(group)


def pick_draws(group: Any, pick: Any, what: str) -> Picked:
    """Return the draws of one number, `what` being the parameter that names it."""
    _check(pick, what)
    known = names_in(group)
    name = _name_of(pick, known)
    if name not in known:
        raise UnknownNameError(
            f"There is no variable {name!r} here.", hint=did_you_mean(name, known) + f"There are: {shorten(known)}."
        )
    variable = _variable(group, name)
    wanted = _wanted(pick, variable)
    places = [_place(variable, dim, value) for dim, value in zip(variable.coords, wanted, strict=True)]
    values = variable.values[(slice(None), slice(None), *places)]
    picked = zip(variable.coords.values(), places, strict=True)
    component = ", ".join(visible(str(coordinates[place])) for coordinates, place in picked)
    label = f"{name}[{component}]" if wanted else name
    return Picked(_numbers(values, label), label, component)


def _check(pick: Any, what: str) -> None:
    shape = (str, Mapping)
    pair = isinstance(pick, tuple) and len(pick) == len(shape) and all(map(isinstance, pick, shape))
    if not isinstance(pick, str) and not pair:
        raise InvalidInputError(
            f"`{what}` must be the name of a variable, or a name with coordinates; got {told(pick)}.",
            hint=f'{what}="acc", {what}="acc[svm]" or {what}=("acc", {{"model": "svm"}}).',
        )


def _name_of(pick: Pick, known: Sequence[str]) -> str:
    """Return the name of the variable, which may have brackets of its own."""
    if isinstance(pick, tuple):
        return pick[0]
    if pick in known or not pick.endswith("]"):
        return pick
    return pick.partition("[")[0]


# -- variables ---------------------------------------------------------------------------------------------


def _variable(group: Any, name: str) -> Variable:
    array = group[name]
    if not hasattr(group, "data_vars") and not {"draw", "sample"}.intersection(getattr(array, "dims", ())):
        return _plain(array, name)
    if "sample" in array.dims and "chain" not in array.dims:  # ArviZ's extract() lays the chains end to end
        array = array.unstack("sample") if "chain" in array.coords else array.rename(sample="draw")
    if "draw" not in array.dims:
        raise DataError(
            f"The variable {name!r} has no draws: its axes are {shorten(array.dims)}.",
            hint="draws lie along the axes chain and draw.",
        )
    if "chain" not in array.dims:
        array = array.expand_dims("chain")
    array = array.transpose(*_CHAINED, ...)
    sizes = zip(array.dims[2:], array.shape[2:], strict=True)
    coords = {str(d): array.coords[d].values.tolist() if d in array.coords else range(size) for d, size in sizes}
    return Variable(name, array.values, coords)


def _plain(values: Any, name: str) -> Variable:
    """Return a plain array as a variable; one axis alone is a single chain."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DataError(
            f"The draws of {name!r} are ragged.", hint="every chain needs the same number of draws."
        ) from error
    if np.ma.is_masked(values):
        raise DataError(f"Some draws of {name!r} are masked.", hint="leave them out, in all variables alike.")
    if array.ndim == 0:
        raise DataError(f"{name!r} is a single number, and no draws.", hint="give an array (chain, draw).")
    array = array[np.newaxis] if array.ndim == 1 else array
    return Variable(name, array, {f"dim_{i}": range(size) for i, size in enumerate(array.shape[2:])})


def _wanted(pick: Pick, variable: Variable) -> list[Any]:
    """Return what was named of each axis."""
    dims = tuple(variable.coords)
    if isinstance(pick, tuple):
        coordinates = {str(dim): value for dim, value in pick[1].items()}
        unknown = [dim for dim in coordinates if dim not in dims]
        if unknown:
            raise UnknownNameError(
                f"The variable {variable.name!r} has no axis {unknown[0]!r}.",
                hint=_axes(variable) or "it has no axes but draws.",
            )
        wanted = [coordinates[dim] for dim in dims if dim in coordinates]
    elif pick == variable.name:
        wanted = []
    else:
        inside = pick[len(variable.name) + 1 : -1]
        whole = len(dims) == 1  # a coordinate of one axis may have commas
        wanted = [inside] if whole else [part.strip() for part in inside.split(",")]
    if len(wanted) == len(dims):
        return wanted
    if not dims:
        raise DataError(
            f"The variable {variable.name!r} is one number per draw and has no components.", hint="leave out […]."
        )
    n_components = math.prod(variable.values.shape[2:])
    first = {dim: coordinates[0] for dim, coordinates in variable.coords.items() if coordinates}
    raise DataError(
        f"The variable {variable.name!r} has {n_components:,} components for each draw, and one is wanted.",
        hint=f"{_axes(variable)} Name one: ({variable.name!r}, {first!r}).",
    )


def _axes(variable: Variable) -> str:
    axes = "; ".join(f"{dim!r}: {shorten(coordinates, 6)}" for dim, coordinates in variable.coords.items())
    return f"its axes are {axes}." if axes else ""


def _place(variable: Variable, dim: str, wanted: Any) -> int:
    """Return the place of a coordinate on an axis: by its value or how it is written, else by its number."""
    values = list(variable.coords[dim])
    size = len(values)
    same = [i for i, value in enumerate(values) if type(value) is type(wanted) and value == wanted]
    same = same or [i for i, value in enumerate(values) if str(value) == str(wanted)]
    if len(same) == 1:
        return same[0]
    named = not all(isinstance(value, int | float) for value in values)
    text = str(wanted).strip()
    if named and not same and text.lstrip("-").isdecimal() and -size <= int(text) < size:
        return int(text) % size
    what = "more than one" if same else "no"
    raise UnknownNameError(
        f"The variable {variable.name!r} has {what} component {wanted!r} along {dim!r}.", hint=_axes(variable)
    )


def _numbers(values: Any, label: str) -> FloatArray:
    """Return draws as numbers, or say why they are none."""
    array = np.asarray(values)
    if not array.size:
        raise DataError(
            f"There are no draws of {label!r}: its chains and draws are {array.shape}.", hint="sample it first."
        )
    if array.dtype.kind in "iub":
        raise DataError(
            f"The draws of {label!r} are {array.dtype.name}: a discrete number has no density, and so no HDI.",
            hint="a score is a share or a mean: divide counts by their total.",
        )
    if array.dtype.kind != "f":
        raise DataError(
            f"The draws of {label!r} must be real numbers; got {array.dtype.name}.",
            hint="give the draws of the metric itself.",
        )
    numbers: FloatArray = array.astype(np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        chain, draw = (int(i) for i in np.argwhere(bad)[0])
        raise DataError(
            f"{int(bad.sum()):,} of {bad.size:,} draws of {label!r} are NaN or infinite, first in chain {chain}, "
            f"draw {draw}.",
            hint="they are draws that failed: find out why before you leave them out.",
        )
    return numbers
