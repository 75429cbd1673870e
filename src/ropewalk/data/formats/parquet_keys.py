"""How DuckDB names the columns of a Parquet file whose values it reads just as pyarrow does."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from ropewalk.data.engines import quoted_name
from ropewalk.data.formats.arrow_note import says_more
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

_PLAIN: Final[dict[tuple[str, str | None], str]] = {
    ("BOOLEAN", None): "BOOLEAN",
    ("INT32", None): "INTEGER",
    ("INT64", None): "BIGINT",
    ("FLOAT", None): "FLOAT",
    ("DOUBLE", None): "DOUBLE",
    ("BYTE_ARRAY", "UTF8"): "VARCHAR",
    **{(f"INT{max(bits, 32)}", f"INT_{bits}"): _ALIKE[f"int{bits}"] for bits in (8, 16, 32, 64)},
    **{(f"INT{max(bits, 32)}", f"UINT_{bits}"): _ALIKE[f"uint{bits}"] for bits in (8, 16, 32, 64)},
}
"""Types of Parquet, stored and as annotated, whose values are labels, and what DuckDB calls them."""

_ANNOTATIONS: Final = ("IntType(", "StringType(")
"""How DuckDB begins what it says of the newer annotations that repeat these."""

_SCHEMA: Final = "SELECT name, num_children, type, converted_type, logical_type FROM parquet_schema(?)"
_NOTE: Final = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'ARROW:schema'::BLOB"
_TYPES: Final = "DESCRIBE SELECT {} FROM read_parquet(?, hive_partitioning = false)"
_TEXT: Final = "'"


def parquet_keys(connection: Any, path: str, columns: Sequence[str]) -> dict[str, str] | None:
    """Return how DuckDB names some columns, None where one is absent, or may be read otherwise elsewhere."""
    wanted = list(dict.fromkeys(columns))
    kinds = _plain_kinds(connection, path, wanted)
    keys = {name: quoted_name(name) for name in wanted}
    if kinds is None:
        found = _by_arrow(path, wanted)
        if found is None:
            return None
        keys, kinds = found
    described = connection.execute(_TYPES.format(", ".join(keys.values())), [path]).fetchall()
    return keys if [kind for _, kind, *_ in described] == kinds else None


def _plain_kinds(connection: Any, path: str, columns: Sequence[str]) -> list[str] | None:
    """Return what DuckDB calls the types of columns, None where Arrow has to say them: it takes time to load."""
    fields = list(_outermost(connection.execute(_SCHEMA, [path]).fetchall()))
    kinds = []
    for wanted in columns:
        alike = [kind for name, kind in fields if name.casefold() == wanted.casefold()]
        if len(alike) != 1 or (wanted, alike[0]) not in fields or alike[0] is None:
            return None
        kinds.append(alike[0])
    notes = connection.execute(_NOTE, [path]).fetchall()
    return None if any(says_more(note) for (note,) in notes) else kinds


def _outermost(schema: Iterable[Sequence[Any]]) -> Iterator[tuple[str, str | None]]:
    """Yield the columns that are inside no other and their types, None where it may be no label.

    What is inside a column follows it, after the table itself.
    """
    inside = 0
    for name, children, stored, converted, logical in islice(schema, 1, None):
        if not inside:
            sure = logical is None or (converted is not None and logical.startswith(_ANNOTATIONS))
            yield name, _PLAIN.get((stored, converted)) if sure and not children else None
        inside += (children or 0) - bool(inside)


def _by_arrow(path: str, columns: Sequence[str]) -> tuple[dict[str, str], list[str]] | None:
    """Return how DuckDB names columns and their types, None where Arrow reads them otherwise, or is not there."""
    try:
        fields = importlib.import_module("pyarrow.parquet").read_schema(path)
    except (ImportError, OSError, ValueError, NotImplementedError, KeyError):  # pyarrow's errors derive from these
        return None
    tree = tree_of(fields)
    found = {name: _key(fields, path_in(tree, name) or ()) for name in columns}
    if any(kind not in _ALIKE for _, kind in found.values()):
        return None
    return {name: key for name, (key, _) in found.items()}, [_ALIKE[kind] for _, kind in found.values()]


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
