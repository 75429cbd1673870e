"""Whether a text of rows is so plain that every reader of CSV understands it alike."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO, Final

import numpy as np
import numpy.typing as npt

PART_BYTES: Final = 1 << 16

_QUOTE: Final = ord('"')
_LINE_END: Final = ord("\n")
_RETURN: Final = ord("\r")


def is_well_formed(stream: IO[bytes], separator: str, width: int) -> bool:
    """Whether all lines end alike, quotes enclose whole fields, and no row has empty fields too many.

    Readers differ about everything else, such as `a "b"`; what is refused here may still be a table. A row of another
    number of fields than `width` that does not end in an empty one is refused by all readers.
    """
    decode = codecs.getincrementaldecoder("utf-8")().decode
    edges = np.isin(np.arange(256), [*f'{separator}\r\n"'.encode()])
    returns = line_ends = n_quotes = 0
    ends_empty = False
    for before, part, after in _parts(stream):
        try:
            decode(part)
        except UnicodeDecodeError:
            return False
        if b"\0" in part:
            return False
        around = np.frombuffer(before + part + after, dtype=np.uint8)
        ends = np.flatnonzero(around[1:] == _LINE_END)  # of lines, each after the byte that is here at its place
        line_ends += ends.size - int(after == b"\n")
        if b"\r" in part:
            places = np.flatnonzero(around[1:-1] == _RETURN) + 1
            if (around[places + 1] != _LINE_END).any():
                return False
            returns += places.size
            ends_empty = ends_empty or bool((around[places - 1] == ord(separator)).any())
        ends_empty = ends_empty or bool((around[ends] == ord(separator)).any())
        if b'"' in part:
            places = np.flatnonzero(around[1:-1] == _QUOTE) + 1
            opening, closing = places[n_quotes % 2 :: 2], places[1 - n_quotes % 2 :: 2]
            if not (edges[around[opening - 1]].all() and edges[around[closing + 1]].all()):
                return False
            n_quotes += places.size
    if n_quotes % 2 or returns not in {0, line_ends}:
        return False
    return not ends_empty or _has_width(stream, separator, width)


def _parts(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield a stream in parts, each with the byte before and after it; outside there are line ends."""
    stream.seek(0)
    before, part = b"\n", stream.read(PART_BYTES)
    while part:
        after = stream.read(PART_BYTES)
        yield before, part, after[:1] or b"\n"
        before, part = part[-1:], after


def _has_width(stream: IO[bytes], separator: str, width: int) -> bool:
    """Whether rows have so many fields, or are empty."""
    n_quotes = carried = 0
    for _, part, _ in _parts(stream):
        letters = np.frombuffer(part, dtype=np.uint8)
        marks: npt.NDArray[np.bool_] = (letters == ord(separator)) | (letters == _LINE_END)
        if b'"' in part or n_quotes % 2:
            quotes = np.cumsum(letters == _QUOTE)
            marks &= (quotes + n_quotes) % 2 == 0
            n_quotes += int(quotes[-1])
        is_end = letters[marks] == _LINE_END
        ends = np.flatnonzero(is_end)
        widths = np.diff(ends, prepend=-1)
        widths[:1] += carried
        if not np.isin(widths, (1, width)).all():
            return False
        carried = is_end.size - int(ends[-1]) - 1 if ends.size else carried + is_end.size
    return carried in {0, width - 1}
