"""JSON: an object per item, one per line or all in an array, with columns named by keys or by paths of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import IO, Any, Final

from ropewalk.data.columns import require_columns
from ropewalk.data.formats.form import FIELD_CAP, TOO_LONG, Format, as_text, broad_kind, is_too_long
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.labels import clean
from ropewalk.data.nested import leaf_names, value_at
from ropewalk.data.opening import as_object
from ropewalk.errors import DataError, FileFormatError, LabelTypeError

LINE_CAP: Final = 64 * FIELD_CAP
"""The longest line of JSON that is read: its other fields may be long, and memory is bounded all the same."""


def _json_records(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[Any, ...]]:
    """Yield the wanted values of each object; an absent key is null, like an explicit one."""
    seen: set[str] = set()
    kinds: dict[str, str] = {}
    for where, record in _json_objects(stream, shown):
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
    return next((leaf_names(record) for _, record in _json_objects(stream, shown)), [])


def _json_objects(stream: IO[bytes], shown: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object of JSON lines, or of an array, and where it stands."""
    with as_text(stream) as text:
        start = text.read(1)
        while start.isspace():
            start = text.read(1)
    stream.seek(0)
    for where, record in _array_objects(stream, shown) if start == "[" else _line_objects(stream, shown):
        if not isinstance(record, dict):
            raise FileFormatError(f"{where}: not a JSON object.", hint='write {"truth": …, "a": …}.')
        yield where, record


def _array_objects(stream: IO[bytes], shown: str) -> Iterator[tuple[str, Any]]:
    array = JsonStream(stream, shown, unique=True)
    for number, record in enumerate(array.items(), 1):
        yield f"{shown}, item {number}", record
    array.close()


def _line_objects(stream: IO[bytes], shown: str) -> Iterator[tuple[str, Any]]:
    with as_text(stream) as text:
        for number, line in enumerate(iter(partial(text.readline, LINE_CAP), ""), 1):
            if len(line) >= LINE_CAP:
                raise FileFormatError(
                    f"{shown} has a line of over {LINE_CAP:,} characters.", hint="write one object per line."
                )
            if not line.strip():
                continue
            where = f"{shown}, line {number}"
            try:
                record = json.loads(line, object_pairs_hook=as_object)
            except (ValueError, RecursionError) as error:
                if line.strip() == "{":
                    raise FileFormatError(
                        f"{shown} holds an object of JSON over several lines, and no table.",
                        hint="write one object per line, or one array of objects; ropewalk doctor says what a file is.",
                    ) from error
                problem = f"{where}: not valid JSON ({getattr(error, 'msg', error)})."
                raise FileFormatError(problem, hint="write one object per line, or one array of objects.") from error
            yield where, record


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
