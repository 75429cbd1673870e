"""What Arrow remembers in a Parquet file: the types that its columns had, which Parquet's own do not always tell.

A length of time is written as an integer, and only this note says so. It is a flatbuffer in base64
(https://arrow.apache.org/docs/format/Columnar.html), read here so that to count a file needs no pyarrow.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from typing import Final

STRUCT: Final = 13
DURATION: Final = 18
"""Types of Arrow by their number in its schema."""

_PREFIX: Final = 8
_EXTENSION: Final = b"ARROW:extension:name"


@dataclass(frozen=True, slots=True)
class ArrowField:
    """A column as Arrow has it: its name, the number of its type, and what stands inside a structure."""

    name: str
    kind: int
    is_extended: bool
    children: tuple[ArrowField, ...]


def arrow_fields(note: bytes) -> tuple[ArrowField, ...]:
    """Return the columns that the note lists.

    Raises `ValueError` if it cannot be read.
    """
    try:
        message = base64.b64decode(note, validate=True)
        schema = _Table.root(message[_PREFIX:] if message[:4] == b"\xff\xff\xff\xff" else message[4:]).table(2)
        return tuple(_field(field) for field in schema.tables(1))
    except (binascii.Error, struct.error, IndexError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError("this is no schema of Arrow") from error


def _field(table: _Table) -> ArrowField:
    is_extended = any(pair.text(0) == _EXTENSION for pair in table.tables(6))
    return ArrowField(table.text(0).decode(), table.byte(2), is_extended, tuple(map(_field, table.tables(5))))


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a flatbuffer: its parts are found through numbered slots."""

    content: bytes
    start: int

    @classmethod
    def root(cls, content: bytes) -> _Table:
        return cls(content, _number("I", content, 0))

    def _place(self, slot: int) -> int:
        """Return where a part stands, 0 where it is left out."""
        slots = self.start - _number("i", self.content, self.start)
        at = 4 + 2 * slot
        if at >= _number("H", self.content, slots):
            return 0
        offset = _number("H", self.content, slots + at)
        return self.start + offset if offset else 0

    def _target(self, slot: int) -> int:
        place = self._place(slot)
        return place + _number("I", self.content, place) if place else 0

    def byte(self, slot: int) -> int:
        place = self._place(slot)
        return self.content[place] if place else 0

    def text(self, slot: int) -> bytes:
        target = self._target(slot)
        return self.content[target + 4 : target + 4 + _number("I", self.content, target)] if target else b""

    def table(self, slot: int) -> _Table:
        return _Table(self.content, self._target(slot))

    def tables(self, slot: int) -> list[_Table]:
        target = self._target(slot)
        places = range(target + 4, target + 4 + 4 * _number("I", self.content, target), 4) if target else ()
        return [_Table(self.content, place + _number("I", self.content, place)) for place in places]


def _number(kind: str, content: bytes, place: int) -> int:
    if place < 0:
        raise IndexError(place)
    return int(struct.unpack_from(f"<{kind}", content, place)[0])
