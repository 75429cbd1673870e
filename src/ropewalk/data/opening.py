"""Open a file to read: look through its compression, stay within bounds of memory, and say what is wrong with it."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, cast

from ropewalk._arguments import as_path
from ropewalk._files import is_pipe, is_special, shorten_path
from ropewalk.data.unpacking import unpacked
from ropewalk.errors import FileFormatError, UnreadableFileError
from ropewalk.text.writing import reason

TEXT_CAP: Final = 1 << 30
"""The longest document that is read whole, in bytes."""

UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
"""What a text in UTF-16 begins with."""

PARSED_CAP: Final = 1 << 29
"""About how much memory the objects and lists of one JSON text may take, in bytes."""

_SIZES: Final = {"{": 240, "[": 96, ",": 48}
_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_HEAD_BYTES: Final = 1 << 16
_ONCE: Final = "save it as a file first; on the command line, - reads standard input."
_NO_FILE: Final = "give the name of a file; on the command line, - reads standard input."
_URL: Final = "files are read from this machine: download it; a database is asked by ropewalk compare --db URL --sql …"
_LIKE_A_URL: Final = re.compile(r"\w{2,}:/")


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file, through its compression; what goes wrong inside is about this file."""
    path = as_path(path, "path")
    shown = shorten_path(path)
    _refuse_endless(path, shown)
    try:
        with Path(path).open("rb") as raw:
            if not os.fstat(raw.fileno()).st_size:  # some files of /proc have no length, and to read them waits
                yield io.BytesIO()
                return
            if not raw.seekable():
                raise UnreadableFileError(f"Cannot read {shown}: it can be read only once.", hint=_ONCE)
            yield unpacked(raw, shown)
    except MemoryError as error:
        raise FileFormatError(
            f"{shown} needs more memory than there is.", hint="is this the right file? Else read a part of it."
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(
            f"{shown} is a damaged gzip file: {reason(error)}.", hint="copy or download it again."
        ) from error
    except UnicodeEncodeError as error:
        raise UnreadableFileError(f"Cannot read {shown}: {error.reason}.", hint="give the name of a file.") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{shown} is not {error.encoding.upper()} text ({error.reason}).",
            hint="save it as UTF-8; a binary file is known by its first bytes.",
        ) from error
    except OSError as error:
        if isinstance(error, UnreadableFileError):
            raise
        problem = error.strerror or error
        hint = _URL if _LIKE_A_URL.match(os.fsdecode(path)) else "give the name of a file."
        raise UnreadableFileError(f"Cannot read {shown}: {problem}.", hint=hint) from error


def _refuse_endless(path: str | os.PathLike[str], shown: str) -> None:
    """Refuse what is no path of a file: to open a pipe or a device would wait for who writes it."""
    if "\0" in str(path):
        raise UnreadableFileError(
            f"Cannot read {shown}: a path holds no null character.", hint="give the name of a file."
        )
    if is_pipe(path):
        raise UnreadableFileError(f"Cannot read {shown}: a pipe can be read only once.", hint=_ONCE)
    if is_special(path):
        raise FileFormatError(f"{shown} is a device, and no file of data.", hint=_NO_FILE)


class Metered(io.BufferedIOBase):
    """A stream of text that refuses what never ends: more than `cap` bytes since `since` was last set to 0.

    It refuses null characters too, which no text in UTF-8 holds.
    """

    def __init__(self, stream: IO[bytes], shown: str, cap: int, *, wide: bool) -> None:
        self._stream, self._shown, self._cap, self._wide = cast("Any", stream), shown, cap, wide
        self.since = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that it can be read again."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go back, and begin to count anew."""
        self.since = 0
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        """Return how many bytes were read."""
        return int(self._stream.tell())

    def read1(self, size: int = -1) -> bytes:
        """Read some bytes."""
        part: bytes = self._stream.read1(size)
        self.since += len(part)
        if self.since > self._cap:
            raise FileFormatError(
                f"{self._shown} has a row of over {self._cap:,} bytes.",
                hint="look for a quotation mark that is never closed; is this a table?",
            )
        if not self._wide and b"\0" in part:
            raise FileFormatError(
                f"{self._shown} holds a null character: it is no text.", hint="write or copy it again."
            )
        return part


@contextlib.contextmanager
def as_text(stream: IO[bytes]) -> Iterator[io.TextIOWrapper]:
    """Look at a stream as text, in UTF-16 where it begins with its mark."""
    encoding = "utf-16" if is_wide(stream) else "utf-8-sig"
    text = io.TextIOWrapper(cast("Any", stream), encoding=encoding, newline="")
    try:
        yield text
    finally:
        text.detach()  # the stream belongs to who opened it


def is_wide(stream: IO[bytes]) -> bool:
    """Whether a text is written in UTF-16."""
    mark = stream.read(2)
    stream.seek(0)
    return mark in UTF16_MARKS


def read_text(path: str | os.PathLike[str], cap: int = TEXT_CAP) -> str:
    """Read a text file of at most `cap` bytes, without the mark that Windows puts first."""
    shown = shorten_path(path)
    with opened(path) as stream:
        head = stream.read(_HEAD_BYTES)
        if b"\0" in head:
            raise FileFormatError(f"{shown} is not a text file.", hint="is this the right file?")
        content = head + stream.read(cap + 1 - len(head))
        if len(content) > cap:
            raise FileFormatError(f"{shown} is longer than {cap:,} bytes.", hint="is this the right file?")
        return content.decode("utf-8-sig")


def parse_json(text: str) -> Any:
    """Return a JSON document; a key that comes twice in one object is refused, since either could be meant.

    So are `NaN` and `Infinity`, which Python would read and JSON does not have.
    """
    check_parts(text)
    try:
        return json.loads(text, object_pairs_hook=as_object, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("values are nested too deeply") from error


def check_parts(text: str) -> None:
    """Refuse JSON of so many small parts that it would take too much memory: an empty object takes 64 bytes or more.

    Examples
    --------
    >>> check_parts("[" + "{}," * 10 + "{}]")
    """
    if len(text) * max(_SIZES.values()) < PARSED_CAP:
        return
    if _memory_of(text) > PARSED_CAP and _memory_of(_STRINGS.sub("", text)) > PARSED_CAP:
        raise ValueError(f"its objects and lists would take over {PARSED_CAP >> 20} MiB of memory")


def _memory_of(text: str) -> int:
    """Return about how many bytes the parts of a JSON text take, if it has no strings."""
    return sum(size * text.count(sign) for sign, size in _SIZES.items())


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs of a JSON object as a mapping, if their keys differ.

    Examples
    --------
    >>> as_object([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    whole = dict(pairs)
    if len(whole) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice!r} comes twice in one object")
    return whole
