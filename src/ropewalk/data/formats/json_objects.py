"""JSON: an object per item, one per line or all in an array, with columns named by keys or by paths of keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any, Final

from ropewalk.data.columns import require_columns
from ropewalk.data.formats.form import TOO_LONG, Format, broad_kind, is_too_long
from ropewalk.data.json_records import json_records
from ropewalk.data.labels import clean
from ropewalk.data.nested import leaf_names, value_at
from ropewalk.errors import DataError, FileFormatError, LabelTypeError


def _json_records(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[Any, ...]]:
    """Yield the wanted values of each object; an absent key is null, like an explicit one."""
    seen: set[str] = set()
    kinds: dict[str, str] = {}
    for where, record in json_records(stream, shown, unique=True):
        seen.update(record)
        cells = []
        for name in columns:
            found, value = value_at(record, name)
            if found:
                seen.add(name)
            cells.append(_json_label(value, name, kinds, where))
        yield tuple(cells)
    if seen:
        require_columns(sorted(seen), columns, shown)


def _json_names(stream: IO[bytes], shown: str) -> list[str]:
    return next((leaf_names(record) for _, record in json_records(stream, shown, unique=True)), [])


def _json_label(value: Any, name: str, kinds: dict[str, str], where: str) -> Any:
    """Return a label, of the kind that its column began with: counting takes 1, 1.0 and true for one."""
    try:
        label = clean(value)
    except DataError as error:
        raise type(error)(f"{where}: {error.message}", hint=error.hint) from error
    if isinstance(label, str) and is_too_long(label):
        raise FileFormatError(f"{where}: {TOO_LONG}.", hint="labels are short.")
    if label is not None and (kind := broad_kind(label)) != kinds.setdefault(name, kind):
        raise LabelTypeError(
            f"{where}: {name} is {kind} here and {kinds[name]} before.",
            hint="1, '1' and true are different labels; write them as one type.",
        )
    return label


def _first_sign(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


JSON: Final = Format(
    "JSON", lambda head: b"\x00" not in head and _first_sign(head) in {b"[", b"{"}, _json_records, _json_names
)
