"""What a format of files is, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from ropewalk.data.columns import Rows
from ropewalk.data.formats.duck_session import DuckSession
from ropewalk.data.labels import kind_of

FIELD_CAP: Final = 1 << 20
"""The longest field that is read, in bytes of UTF-8; a longer one is a torn quote, not a label."""

TOO_LONG: Final = f"a field is longer than {FIELD_CAP:,} bytes"
ZIP_MARK: Final = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: its name for people, how its first bytes look, and how some of its columns are read.

    `read(stream, columns, shown)` returns a dataframe, or `Batches` of them, or yields a tuple of labels per item;
    `shown` is what errors call the file. `names(stream, shown)` returns what its columns are called, for hints.
    `count(stream, columns, shown, session)` returns their distinct rows where that is faster, None where `read` has to
    say; so does `arrays(stream, columns, numbers, shown, session)` columns, as arrays where they are among `numbers`,
    else as lists. `session` is one for all files that are read together. `needs` is a library that must
    be installed.
    """

    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[[IO[bytes], Sequence[str], str], Any]
    names: Callable[[IO[bytes], str], list[str]] = lambda _stream, _shown: []
    count: Callable[[IO[bytes], Sequence[str], str, DuckSession], Rows | None] = lambda *_: None
    arrays: Callable[[IO[bytes], Sequence[str], Collection[str], str, DuckSession], list[Any] | None] = lambda *_: None
    needs: str | None = None


def broad_kind(label: Any) -> str:
    """Return the kind of a value; whole numbers may be written with and without a point."""
    return "a number" if isinstance(label, int | float) and not isinstance(label, bool) else kind_of(label)


def is_too_long(cell: str) -> bool:
    """Whether a cell is longer than a field may be."""
    # A character takes at most 4 bytes: encode only what may be too long.
    return len(cell) > FIELD_CAP // 4 and len(cell.encode("utf-8", "surrogatepass")) > FIELD_CAP


def is_log_archive(head: bytes) -> bool:
    """Whether a file that begins so is an evaluation log of Inspect, which is a zip archive."""
    return head.startswith(ZIP_MARK) and (b"_journal/" in head or b"samples/" in head)
