"""Values inside values, named by a path: `meta.label` is the `label` of `meta`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MAX_NESTED_NAMES: Final = 4
"""How deep the names inside nested objects are listed."""


def value_at(record: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Return whether a record has a value of this name, and the value; a dotted name that is no key is a path.

    Examples
    --------
    >>> value_at({"meta": {"label": 1}}, "meta.label"), value_at({"meta.label": 2}, "meta.label"), value_at({}, "y")
    ((True, 1), (True, 2), (False, None))
    """
    if name in record:
        return True, record[name]
    for dot in (place for place, letter in enumerate(name) if letter == "."):
        inner = record.get(name[:dot])
        if isinstance(inner, Mapping):
            found, value = value_at(inner, name[dot + 1 :])
            if found:
                return True, value
    return False, None


Tree = Mapping[str, "Tree | None"]
"""What columns are called, and what stands inside those that are structures."""


def path_in(tree: Tree, name: str) -> tuple[str, ...] | None:
    """Return the names that lead to a column; a dotted name that is no column is a path, as for `value_at`.

    Examples
    --------
    >>> tree = {"y": None, "meta": {"label": None, "a.b": None}, "meta.id": None}
    >>> path_in(tree, "meta.label"), path_in(tree, "meta.a.b"), path_in(tree, "meta.id"), path_in(tree, "meta.x")
    (('meta', 'label'), ('meta', 'a.b'), ('meta.id',), None)
    """
    if name in tree:
        return (name,)
    for dot in (place for place, letter in enumerate(name) if letter == "."):
        inner = tree.get(name[:dot])
        rest = None if inner is None else path_in(inner, name[dot + 1 :])
        if rest is not None:
            return (name[:dot], *rest)
    return None


def leaf_names(record: Mapping[str, Any], before: str = "") -> list[str]:
    """List what may be named in a record, paths included.

    Examples
    --------
    >>> leaf_names({"id": 1, "meta": {"label": 1, "source": {"url": ""}}})
    ['id', 'meta.label', 'meta.source.url']
    """
    names: list[str] = []
    for key, value in record.items():
        inner = isinstance(value, Mapping) and before.count(".") < MAX_NESTED_NAMES
        names += leaf_names(value, f"{before}{key}.") if inner else [f"{before}{key}"]
    return names
