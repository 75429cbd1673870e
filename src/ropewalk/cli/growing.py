"""Files that are being written: what of them is whole, and what is still to come."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import click

from ropewalk._files import first_bytes, shorten_path
from ropewalk.data.opening import parse_json
from ropewalk.errors import RopewalkError, UnfinishedError, UnreadableFileError
from ropewalk.text.writing import visible

_COPIED_AT_ONCE: Final = 1 << 20
_HEAD: Final = 1 << 12
_NO_ROWS: Final = "is the program that writes it running?"


@contextmanager
def whole_lines(options: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield options whose FILE is a copy of the lines that are whole, where it is a table that lines are added to.

    Its last line may be half a line, which could be read as another number. What is no text is yielded as it is.
    """
    file = options.get("file")
    if not isinstance(file, str) or not _is_of_lines(file):
        yield options
        return
    folder = tempfile.mkdtemp(prefix="ropewalk-")
    copy = os.path.join(folder, Path(file).name)  # noqa: PTH118 - what errors say is looked for as a text
    try:
        if _copy_lines(file, copy):
            click.echo(f"Note      The last line of {visible(shorten_path(file))} has no end yet: left out", err=True)
        yield {**options, "file": copy}
    except RopewalkError as error:
        message = error.message.replace(repr(copy), repr(file))
        raise type(error)(message, hint=error.hint) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_of_lines(file: str) -> bool:
    """Whether a file is plain text with a record on each line: CSV, TSV or JSON lines."""
    if not Path(file).is_file():
        return False
    head = first_bytes(file, _HEAD)
    if not head:  # to read what has no length could wait for ever
        return False
    if b"\0" in head or head[:2] == b"\x1f\x8b" or head[:4] in {b"\x28\xb5\x2f\xfd", b"\xfd7zX"} or head[:3] == b"BZh":
        return False
    start = head.lstrip()[:1]
    return start != b"[" and (start != b"{" or _is_object(head.lstrip().partition(b"\n")[0], cut=len(head) == _HEAD))


def _is_object(line: bytes, *, cut: bool) -> bool:
    """Whether the first line is a JSON object, and not the beginning of one; of a long one only its beginning is here.

    Examples
    --------
    >>> _is_object(b'{"y": 1}', cut=False), _is_object(b"{", cut=False)
    (True, False)
    """
    if cut and len(line) > _HEAD // 2:
        return True
    try:
        parse_json(line.decode())
    except ValueError:
        return False
    return True


def _copy_lines(file: str, copy: str) -> bool:
    """Copy the lines that are whole, and no half of a quoted cell; return whether something was left out."""
    try:
        with Path(file).open("rb") as source, Path(copy).open("wb+") as target:
            shutil.copyfileobj(source, target, _COPIED_AT_ONCE)
            size = target.tell()
            quotes = _count_quotes(target) if first_bytes(file, 1) != b"{" else 0
            end = _end_of_lines(target, size, quotes)
            target.truncate(end)
    except OSError as error:
        text = f"Cannot copy {shorten_path(file)}: {error.strerror or error}."
        raise UnreadableFileError(text, hint="let TMPDIR name a folder with room.") from error
    if not end:
        raise UnfinishedError(f"{shorten_path(file)} has no whole line so far.", hint=_NO_ROWS)
    return end < size


def _count_quotes(target: IO[bytes]) -> int:
    target.seek(0)
    number = 0
    while part := target.read(_COPIED_AT_ONCE):
        number += part.count(b'"')
    return number


def _end_of_lines(target: IO[bytes], size: int, quotes: int) -> int:
    """Return where the last line ends that is whole and not within quotes; there are so many before the end."""
    end, rest = size, b""
    while end:
        start = max(end - _COPIED_AT_ONCE, 0)
        target.seek(start)
        rest = target.read(end - start)
        while (place := rest.rfind(b"\n")) >= 0:
            if not (quotes - rest.count(b'"', place + 1)) % 2:
                return start + place + 1
            quotes -= rest.count(b'"', place)
            rest = rest[:place]
        quotes -= rest.count(b'"')
        end = start
    return 0
