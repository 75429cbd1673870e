"""How DuckDB names the columns of a Parquet file whose values it reads just as pyarrow does."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ropewalk.data.engines import quoted_name
from ropewalk.data.nested import Tree, path_in

_ALIKE: Final = {
    "bool": "BOOLEAN",
    **{f"int{bits}": name for bits, name in ((8, "TINYINT"), (16, "SMALLINT"), (32, "INTEGER"), (64, "BIGINT"))},
    **{f"uint{bits}": name for bits, name in ((8, "UTINYINT"), (16, "USMALLINT"), (32, "UINTEGER"), (64, "UBIGINT"))},
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "large_string": "VARCHAR",
}
"""Types of Arrow whose values are labels, and what DuckDB calls them."""

_TYPES: Final = "DESCRIBE SELECT {} FROM read_parquet(?, hive_partitioning = false)"
_TEXT: Final = "'"


def parquet_keys(connection: Any, path: str, columns: Sequence[str]) -> dict[str, str] | None:
    """Return how DuckDB names some columns, None where one is absent, or may be read otherwise elsewhere."""
    try:
        fields = importlib.import_module("pyarrow.parquet").read_schema(path)
    except (ImportError, OSError, ValueError, NotImplementedError, KeyError):  # pyarrow's errors derive from these
        return None
    tree = tree_of(fields)
    keys: dict[str, str] = {}
    kinds: list[str] = []
    for name in dict.fromkeys(columns):
        key, kind = _key(fields, path_in(tree, name) or ())
        if kind not in _ALIKE:
            return None
        keys[name] = key
        kinds.append(_ALIKE[kind])
    found = connection.execute(_TYPES.format(", ".join(keys.values())), [path]).fetchall()
    return keys if [kind for _, kind, *_ in found] == kinds else None


def tree_of(fields: Iterable[Any]) -> Tree:
    """Return the names of columns of Arrow, and of what is inside structures."""
    return {field.name: tree_of(field.type) if str(field.type).startswith("struct<") else None for field in fields}


def _key(fields: Any, path: Sequence[str]) -> tuple[str, str]:
    """Return how DuckDB, which does not tell a from A, names a column or what is inside one, and its type in Arrow."""
    key = kind = ""
    for name in path:
        alike = [field for field in fields if field.name.casefold() == name.casefold()]
        if len(alike) != 1:
            return "", ""
        fields = alike[0].type
        kind = str(fields.value_type if str(fields).startswith("dictionary<") else fields)
        key = f"struct_extract({key}, {quoted_name(name, _TEXT)})" if key else quoted_name(name)
    return key, kind
