"""Make dataframes of whichever library is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from ropewalk.data.columns import is_frame
from ropewalk.errors import MissingDependencyError

_EAGER: Final = ("pandas", "polars", "pyarrow", "modin", "cudf")
_INSTEAD: Final = {"dask": "pandas", "duckdb": "pyarrow"}
_USUAL: Final = ("pandas", "polars", "pyarrow")


def kind_of_frame(*data: Any) -> str | None:
    """Return the name of the library of the first dataframe, or column of one, among some data; None without any."""
    import narwhals as nw

    for part in data:
        if is_frame(part) or hasattr(part, "__dataframe__") or type(part).__module__.split(".")[0] in _EAGER:
            native = nw.from_native(part, allow_series=True, pass_through=True)
            if native is not part:
                return str(native.implementation.name.lower())
    return None


def make_frame(columns: Mapping[str, list[Any]], kind: str | None = None) -> Any:
    """Return a dataframe of this library, or of the nearest one that is installed.

    Examples
    --------
    >>> make_frame({"x": [1, 2]}, "polars").columns
    ['x']
    """
    import narwhals as nw

    wanted = _INSTEAD.get(kind or "", kind or "")
    found = next((name for name in (wanted, *_USUAL) if name in _EAGER and find_spec(name)), None)
    if found is None:
        raise MissingDependencyError("A dataframe takes pandas, polars or pyarrow.", hint="pip install pandas")
    return nw.from_dict(dict(columns), backend=found).to_native()  # type: ignore[arg-type]
