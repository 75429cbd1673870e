"""Open a file of a log: look through its compression, and say what is wrong with it."""

from __future__ import annotations

import contextlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, cast

from ropewalk.data.json_records import json_records
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.opening import opened as opened  # noqa: PLC0414 - readers of logs take it from here
from ropewalk.errors import FileFormatError

HEAD_BYTES: Final = 1 << 16  # by which a format is recognised
_BEGINNING_BYTES: Final = 1 << 23  # by which the keys of a long first line are


def head_of(path: Path) -> bytes:
    """Return the first bytes of a file, without a byte-order mark and white space before the first sign."""
    with opened(path) as stream:
        return stream.read(HEAD_BYTES).removeprefix(BOM_UTF8).lstrip()


def is_object_with(pattern: re.Pattern[bytes], _path: Path, head: bytes) -> bool:
    """Whether a file begins as a JSON object that holds something by which it is known."""
    return head[:1] == b"{" and pattern.search(head) is not None


def first_keys(path: Path) -> list[str]:
    """Return the keys of the first JSON object of a file, on a line or in an array, as far as its beginning tells."""
    keys: list[str] = []
    with opened(path) as stream, contextlib.suppress(FileFormatError, UnicodeDecodeError):
        document = JsonStream(cast("IO[bytes]", _Beginning(stream)), repr(str(path)))
        for _ in document.elements() if document.kind() == "[" else [None]:
            for key in document.keys():  # noqa: SIM118 - it is no mapping
                keys.append(key)
                document.skip()
            break
    return keys


class _Beginning:
    """The first bytes of a stream, read as they are asked for."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._left = stream, _BEGINNING_BYTES

    def read(self, size: int) -> bytes:
        """Read some bytes."""
        part = self._stream.read(min(size, self._left))
        self._left -= len(part)
        return part


def records_in(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file, one per line or in one array."""
    with opened(path) as stream:
        yield from (record for _, record in json_records(stream, repr(str(path))))


def json_document(path: Path) -> Any:
    """Return a JSON document that is known to be small."""
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        value = document.value()
        document.close()
        return value


def json_array(path: Path) -> Iterator[Any]:
    """Yield the values of a JSON document that is one array."""
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        yield from document.items()
        document.close()


def without_answers(path: Path) -> FileFormatError:
    """Return the error of a log that has its form, and nothing in it."""
    return FileFormatError(f"{str(path)!r} holds no answers.", hint="the file may be cut off: copy or write it again.")
