"""How DuckDB names the columns of a Parquet file whose values it reads just as pyarrow does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ropewalk.data.formats.arrow_schema import DURATION, STRUCT, ArrowField, arrow_fields
from ropewalk.data.nested import path_in

_SCHEMA: Final = "SELECT name, type, repetition_type, num_children, converted_type, logical_type FROM parquet_schema(?)"
_NOTE: Final = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'ARROW:schema'::BLOB"
_TEXT: Final = "'"
_PLAIN: Final = frozenset({"BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE"})
_INTEGERS: Final = frozenset(f"{sign}INT_{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64))


@dataclass(frozen=True, slots=True)
class _Node:
    """A column of Parquet, or a structure of columns."""

    name: str
    kind: str | None
    repetition: str
    converted: str | None
    logical: str | None
    children: tuple[_Node, ...]

    @property
    def is_structure(self) -> bool:
        """Whether this has columns inside, once in each row."""
        return bool(self.children) and self.repetition != "REPEATED" and self.converted is None and self.logical is None

    @property
    def is_certain(self) -> bool:
        """Whether this holds truths, numbers or texts, whatever reads it."""
        if self.repetition == "REPEATED":
            return False
        if self.kind in _PLAIN and self.converted is None:
            return self.logical is None
        if self.kind in {"INT32", "INT64"}:
            return self.converted in _INTEGERS and (self.logical or "IntType").startswith("IntType")
        return self.kind == "BYTE_ARRAY" and self.converted == "UTF8" and self.logical in {None, "StringType()"}


def parquet_keys(connection: Any, path: str, columns: Sequence[str]) -> dict[str, str] | None:
    """Return how DuckDB names some columns, None where one is absent, or may be read otherwise elsewhere."""
    rows = iter(connection.execute(_SCHEMA, [path]).fetchall())
    _, _, _, n_children, *_ = next(rows)
    nodes = [_node(rows) for _ in range(n_children or 0)]
    note = connection.execute(_NOTE, [path]).fetchone()
    try:
        fields = None if note is None else arrow_fields(note[0])
    except ValueError:
        return None
    tree = _tree(nodes)
    paths = {name: path_in(tree, name) for name in columns}
    keys = {name: path and _key(path, nodes, fields) for name, path in paths.items()}
    return None if None in keys.values() else keys  # type: ignore[return-value]


def _node(rows: Iterator[tuple[Any, ...]]) -> _Node:
    name, kind, repetition, n_children, converted, logical = next(rows)
    children = tuple(_node(rows) for _ in range(n_children or 0))
    return _Node(name, kind, repetition, converted, logical, children)


def _key(
    path: Sequence[str], nodes: Sequence[_Node], fields: Sequence[ArrowField] | None, within: str = ""
) -> str | None:
    """Return how DuckDB, which does not tell a from A, names a column or what is inside one."""
    name, *rest = path
    alike = [node for node in nodes if node.name.casefold() == name.casefold()]
    noted = [None] if fields is None else [field for field in fields if field.name == name]
    if len(alike) != 1 or len(noted) != 1:
        return None
    node, field = alike[0], noted[0]
    if field is not None and (field.is_extended or field.kind == DURATION or bool(rest) != (field.kind == STRUCT)):
        return None
    key = f"struct_extract({within}, {_quoted(name, _TEXT)})" if within else _quoted(name, '"')
    if rest:
        return _key(rest, node.children, None if field is None else field.children, key) if node.is_structure else None
    return key if node.is_certain else None


def _tree(nodes: Sequence[_Node]) -> dict[str, Any]:
    """Return the names of columns, and of what is inside structures."""
    return {node.name: _tree(node.children) if node.is_structure else None for node in nodes}


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, quote * 2) + quote
