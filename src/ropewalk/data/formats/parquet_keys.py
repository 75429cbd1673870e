"""How DuckDB names the columns of a Parquet file whose values it reads just as pyarrow does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ropewalk.data.formats.arrow_schema import DURATION, ArrowField, arrow_fields

_SCHEMA: Final = "SELECT name, type, repetition_type, num_children, converted_type, logical_type FROM parquet_schema(?)"
_NOTE: Final = "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'ARROW:schema'::BLOB"
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
    keys = {name: _key(name, nodes, fields) for name in columns}
    return None if None in keys.values() else keys  # type: ignore[return-value]


def _node(rows: Iterator[tuple[Any, ...]]) -> _Node:
    name, kind, repetition, n_children, converted, logical = next(rows)
    children = tuple(_node(rows) for _ in range(n_children or 0))
    return _Node(name, kind, repetition, converted, logical, children)


def _key(name: str, nodes: Sequence[_Node], fields: Sequence[ArrowField] | None) -> str | None:
    """Return how DuckDB, which does not tell a from A, names a column."""
    alike = [node for node in nodes if node.name.casefold() == name.casefold()]
    if len(alike) != 1 or alike[0].name != name or not alike[0].is_certain:
        return None
    noted = None if fields is None else [field for field in fields if field.name == name]
    if noted is not None and (len(noted) != 1 or noted[0].is_extended or noted[0].kind == DURATION):
        return None
    return '"' + name.replace('"', '""') + '"'
