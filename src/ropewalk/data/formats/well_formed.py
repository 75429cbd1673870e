"""Whether a text of rows is so plain that every reader of CSV understands it alike."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from ropewalk.data.formats.form import FIELD_CAP

PART_BYTES: Final = 1 << 16

_QUOTE: Final = ord('"')
_LINE_END: Final = ord("\n")
_RETURN: Final = ord("\r")


def is_well_formed(stream: IO[bytes], separator: str, width: int, write: Callable[[bytes], object] = len) -> bool:
    """Whether all lines end alike, quotes enclose whole fields, and no row has empty fields too many.

    Readers differ about everything else, such as `a "b"`; what is refused here may still be a table. A row of another
    number of fields than `width` that does not end in an empty one is refused by all readers. A line of over
    `FIELD_CAP` bytes is refused too: DuckDB leaves one out that is longer than its buffer. `write` is given the text as
    it passes by.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    edges = np.isin(np.arange(256), [*f'{separator}\r\n"'.encode()])
    returns = returned = line_ends = n_quotes = since_end = 0
    ends_empty, end = False, b""
    for before, part, after in _parts(stream):
        write(part)
        end = part[-1:]
        since_end = 0 if b"\n" in part else since_end + len(part)
        if since_end > FIELD_CAP:
            return False
        try:
            if not part.isascii() or decoder.getstate()[0]:
                decoder.decode(part)
        except UnicodeDecodeError:
            return False
        if b"\0" in part:
            return False
        around = np.frombuffer(before + part + after, dtype=np.uint8)
        letters, last, last_but_one = around[2:-1], around[1:-2], around[:-3]
        is_end = letters == _LINE_END
        line_ends += int(np.count_nonzero(is_end))
        ends_empty = ends_empty or bool((is_end & (last == ord(separator))).any())
        if b"\r" in part or before[1:] == b"\r":
            is_end &= last == _RETURN
            returns += int(np.count_nonzero(letters == _RETURN))
            returned += int(np.count_nonzero(is_end))
            ends_empty = ends_empty or bool((is_end & (last_but_one == ord(separator))).any())
        if b'"' in part:
            places = np.flatnonzero(letters == _QUOTE)
            opening, closing = places[n_quotes % 2 :: 2], places[1 - n_quotes % 2 :: 2]
            if not (edges[last[opening]].all() and edges[around[3:][closing]].all()):
                return False
            n_quotes += places.size
    if n_quotes % 2 or returns != returned or returns not in {0, line_ends}:
        return False
    return not (ends_empty or end == separator.encode()) or _has_width(stream, separator, width)


def _parts(stream: IO[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield a stream in parts, each with two bytes before and one after it; outside there are line ends."""
    stream.seek(0)
    before, part = b"\n\n", stream.read(PART_BYTES)
    while part:
        after = stream.read(PART_BYTES)
        yield before, part, after[:1] or b"\n"
        before, part = (before + part)[-2:], after


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
