"""Make dataframes: of the library that is asked for, that the data came in, or that is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from ropewalk._checks import choose
from ropewalk._optional import require
from ropewalk.errors import MissingDependencyError

BACKENDS: Final = ("pandas", "polars", "pyarrow")
"""The libraries of dataframes that are known, the first that is installed by default."""


def make_frame(
    columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, type], backend: str | None = None, usual: str = ""
) -> Any:
    """Return columns as a dataframe; `kinds` says which hold str, bool, int or float, and `usual` the data's library.

    Examples
    --------
    >>> make_frame({"item": ["a", "b"], "score": [1, None]}, {"item": str, "score": float}, "polars").rows()
    [('a', 1.0), ('b', None)]
    """
    chosen = _backend(backend, usual)
    import narwhals as nw

    types: dict[type, Any] = {str: nw.String, bool: nw.Boolean, int: nw.Int64, float: nw.Float64}
    plain = {name: [None if v is None else kinds[name](v) for v in values] for name, values in columns.items()}
    return nw.from_dict(plain, {name: types[kinds[name]] for name in columns}, backend=chosen).to_native()


def _backend(backend: str | None, usual: str) -> Any:
    """Return the library that was asked for, or that the data came in, or that there is."""
    if backend is not None:
        chosen = choose(backend, {name: name for name in BACKENDS}, "library of dataframes")
        require(chosen, extra="files" if chosen == "pyarrow" else "all", caller="to_frame")
        return chosen
    installed = [name for name in BACKENDS if find_spec(name) is not None]
    if usual in installed:
        return usual
    if not installed:
        raise MissingDependencyError(
            "to_frame needs pandas, polars or pyarrow, and none of them is installed.", hint="pip install pandas"
        )
    return installed[0]
