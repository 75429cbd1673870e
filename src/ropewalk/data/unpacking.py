"""Look through the compression of a file, a part at a time: gzip, bzip2, xz and Zstandard, told by the first bytes."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Final, cast

from ropewalk._optional import require
from ropewalk.errors import FileFormatError

MEMORY_CAP: Final = 1 << 28
"""How much memory xz may take to unpack; Zstandard takes less by itself."""

_PART_BYTES: Final = 1 << 16
_ZSTD_STARTS: Final = frozenset({0x28, *range(0x50, 0x60)})  # frames, and frames to be skipped
_GZIP: Final = b"\x1f\x8b"
_AGAIN: Final = "copy or download it again."
_OVER_CAP: Final = "Memory usage limit exceeded"  # as xz says it


@dataclass(frozen=True, slots=True)
class Packing:
    """A kind of compression: its name for people, how files begin, and what unpacks one stream of it."""

    title: str
    recognises: Callable[[bytes], bool]
    unpacker: Callable[[], Any]


def _bzip2() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _xz() -> Any:
    import lzma

    return lzma.LZMADecompressor(memlimit=MEMORY_CAP)


def _zstd() -> Any:
    library = "backports.zstd" if sys.version_info < (3, 14) else "compression.zstd"
    return require(library, extra="files", caller="Reading Zstandard").ZstdDecompressor()


PACKINGS: Final = [
    Packing("bzip2", lambda head: head[:3] == b"BZh", _bzip2),
    Packing("xz", lambda head: head[:6] == b"\xfd7zXZ\0", _xz),
    Packing("Zstandard", lambda head: head[1:4] in {b"\xb5\x2f\xfd", b"*M\x18"} and head[0] in _ZSTD_STARTS, _zstd),
]
"""The compressions that are known besides gzip, which Python reads in a way of its own."""


def unpacked(raw: IO[bytes], shown: str) -> IO[bytes]:
    """Return what a file holds, unpacked where it is compressed.

    Examples
    --------
    >>> import bz2
    >>> unpacked(io.BytesIO(bz2.compress(b"y,a")), "a file").read()
    b'y,a'
    """
    head = raw.read(6)
    raw.seek(0)
    if head[:2] == _GZIP:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    packing = next((packing for packing in PACKINGS if packing.recognises(head)), None)
    return raw if packing is None else io.BufferedReader(_Unpacked(raw, packing, shown), _PART_BYTES)


def packing_of(head: bytes) -> str | None:
    """Return how a file is compressed, by its first bytes; None where it is not.

    Examples
    --------
    >>> packing_of(b"BZh9"), packing_of(b"y,a")
    ('bzip2', None)
    """
    if head[:2] == _GZIP:
        return "gzip"
    return next((packing.title for packing in PACKINGS if packing.recognises(head)), None)


def is_unpacked(stream: IO[bytes]) -> bool:
    """Whether a stream is what `unpacked` has made of a compressed file, which has no end to begin from."""
    any_stream: Any = stream
    return isinstance(any_stream, gzip.GzipFile) or isinstance(getattr(any_stream, "raw", None), _Unpacked)


class _Unpacked(io.RawIOBase):
    """The content of a compressed file, of one or several streams that follow each other."""

    def __init__(self, raw: IO[bytes], packing: Packing, shown: str) -> None:
        self._raw, self._packing, self._shown = raw, packing, shown
        self._place, self._rest, self._one = 0, b"", packing.unpacker()

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seekable(self) -> bool:
        """Say that it can be read again."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the beginning, or stay."""
        if whence == io.SEEK_CUR and not offset:
            return self._place
        if whence != io.SEEK_SET or offset:
            raise io.UnsupportedOperation("a compressed file is read from its beginning")
        self._raw.seek(0)
        self._place, self._rest, self._one = 0, b"", self._packing.unpacker()
        return 0

    def tell(self) -> int:
        """Return how many bytes were read."""
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Unpack some bytes."""
        part = self._part(len(buffer))
        buffer[: len(part)] = part
        self._place += len(part)
        return len(part)

    def _part(self, size: int) -> bytes:
        """Return some bytes, none at the end."""
        while True:
            if self._one.eof:
                self._rest = (self._one.unused_data or self._raw.read(_PART_BYTES)).lstrip(b"\0")
                while not self._rest:  # zeros may fill up to a whole block
                    if not (more := self._raw.read(_PART_BYTES)):
                        return b""
                    self._rest = more.lstrip(b"\0")
                self._one = self._packing.unpacker()
            elif self._one.needs_input and not self._rest:
                self._rest = self._raw.read(_PART_BYTES)
                if not self._rest:
                    raise self._damaged("it is cut off")
            fed, self._rest = self._rest, b""
            try:
                part: bytes = self._one.decompress(fed, size)
            except MemoryError:
                raise
            except Exception as error:  # each library has errors of its own
                raise self._refused(str(error).rstrip(".") or "unknown data") from error
            if part:
                return part

    def _refused(self, problem: str) -> FileFormatError:
        if problem != _OVER_CAP:
            return self._damaged(problem)
        return FileFormatError(
            f"{self._shown} takes over {MEMORY_CAP >> 20} MiB of memory to unpack.",
            hint="pack it again by xz -9, which needs less.",
        )

    def _damaged(self, problem: str) -> FileFormatError:
        return FileFormatError(f"{self._shown} is a damaged {self._packing.title} file: {problem}.", hint=_AGAIN)
