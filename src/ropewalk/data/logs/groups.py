"""Records sorted into groups in one pass over a file, in memory while they are few and in a temporary file beyond."""

from __future__ import annotations

import json
import tempfile
import weakref
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from ropewalk._files import shorten_path
from ropewalk.errors import UnreadableFileError

MAX_MEMORY: Final = 1 << 26  # bytes that are kept in memory
RECORDS_PER_PART: Final = 1 << 9  # of one group, written together
MAX_WAITING: Final = 1 << 16  # records of all groups that wait to be written


class Groups:
    """Records by the group that they belong to: a file of many runs is read once, whatever the order of its lines.

    Records are anything that JSON can hold. They come back in the order in which they were added.

    Examples
    --------
    >>> groups = Groups()
    >>> for system, item in [("a", 1), ("b", 1), ("a", 2)]:
    ...     groups.add(system, item)
    >>> groups.keys, list(groups.records("a"))
    (('a', 'b'), [1, 2])
    """

    def __init__(self) -> None:
        self._spool = tempfile.SpooledTemporaryFile(max_size=MAX_MEMORY)  # noqa: SIM115 - it lives as long as the object
        weakref.finalize(self, _close, self._spool)
        self._parts: dict[Hashable, list[tuple[int, int]]] = {}
        self._waiting: dict[Hashable, list[Any]] = {}
        self._n_waiting, self._end = 0, 0

    @property
    def keys(self) -> tuple[Any, ...]:
        """The groups, in the order in which they came."""
        return tuple(self._parts)

    def add(self, key: Hashable, record: Any) -> None:
        """Add a record to a group."""
        self._parts.setdefault(key, [])
        waiting = self._waiting.setdefault(key, [])
        waiting.append(record)
        self._n_waiting += 1
        if len(waiting) >= RECORDS_PER_PART:
            self._write(key)
        elif self._n_waiting >= MAX_WAITING:
            for each in list(self._waiting):
                self._write(each)

    def records(self, key: Hashable) -> Iterator[Any]:
        """Yield the records of a group."""
        for start, size in self._parts.get(key, ()):
            with _spooling():
                self._spool.seek(start)
                part = self._spool.read(size)
            yield from json.loads(part)
        yield from self._waiting.get(key, ())

    def _write(self, key: Hashable) -> None:
        records = self._waiting.pop(key)
        self._n_waiting -= len(records)
        part = json.dumps(records).encode()
        with _spooling():
            self._spool.seek(self._end)
            self._spool.write(part)
        self._parts[key].append((self._end, len(part)))
        self._end += len(part)


@contextmanager
def _spooling() -> Iterator[None]:
    """Say where there is no room: the system's error names no file."""
    try:
        yield
    except OSError as error:
        folder = shorten_path(tempfile.gettempdir())
        raise UnreadableFileError(
            f"Cannot keep the records of a log in {folder}: {error.strerror or error}.",
            hint="let TMPDIR name a folder with room.",
        ) from error


def _close(spool: IO[bytes]) -> None:
    with suppress(OSError):  # what is still to be written is not needed
        spool.close()
