"""The note in a Parquet file on the table of Arrow that it was written from: pyarrow, pandas and polars leave one.

It is a schema of Arrow, as a flat buffer in base64. It is read here since to load pyarrow takes longer than to count
a million rows.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from typing import Final

_CONTINUES: Final = b"\xff\xff\xff\xff"
_HEADER_OF_MESSAGE, _COLUMNS_OF_SCHEMA, _TYPE_OF_COLUMN = 2, 1, 2
_DURATION: Final = 18


def says_more(note: bytes) -> bool:
    """Whether a table of Arrow has columns that Parquet stores as numbers or texts, and that are no such thing.

    Durations are stored as whole numbers, and what extends Arrow as anything.
    """
    try:
        content = base64.b64decode(note)
        return b"ARROW:extension" in content or _DURATION in _types(content)
    except (ValueError, IndexError, struct.error):  # a damaged note
        return True


def _types(content: bytes) -> Iterator[int]:
    """Yield the numbers of the types of the columns that are inside no other."""
    message = _at(content, 8 if content.startswith(_CONTINUES) else 4)
    schema = _at(content, _field(content, message, _HEADER_OF_MESSAGE))
    columns = _at(content, _field(content, schema, _COLUMNS_OF_SCHEMA))
    for i in range(_number(content, columns)):
        yield content[_field(content, _at(content, columns + 4 + 4 * i), _TYPE_OF_COLUMN)]


def _field(content: bytes, table: int, number: int) -> int:
    """Return where a field of a table stands, which begins with the way back to a list of where its fields are."""
    places = table - _number(content, table, "<i")
    offset = _number(content, places + 4 + 2 * number, "<H")
    if not offset or 4 + 2 * number >= _number(content, places, "<H"):
        raise ValueError(f"field {number} is not there")
    return table + offset


def _at(content: bytes, place: int) -> int:
    """Return where that stands which is referred to from a place."""
    return place + _number(content, place)


def _number(content: bytes, place: int, form: str = "<I") -> int:
    (number,) = struct.unpack_from(form, content, place)
    return int(number)
