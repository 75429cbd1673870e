"""Write files whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ropewalk.errors import RopewalkError, UnreadableFileError
from ropewalk.text.secrets import masked

MAX_SHOWN: Final = 200
"""How much of a path an error shows."""

_WRITE_BITS: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file as UTF-8; a lone surrogate in a name is no reason to fail."""
    write_file(path, text.encode("utf-8", "backslashreplace"))


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file by way of a temporary one, so that an error never leaves half of it."""
    write_chunks(path, [content])


def write_chunks(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """Write a file part by part, by way of a temporary one, so that an error never leaves half of it.

    Where `path` is a link, what it points to is written; a device or a pipe takes the content and stays what it is.
    """
    check_writable(path)
    temporary: Path | None = None
    try:
        if is_special(path):
            with Path(path).open("wb") as handle:
                handle.writelines(chunks)
            return
        target = Path(os.path.realpath(path))
        temporary = target.with_name(f".{target.name[:50]}.{os.urandom(8).hex()}")
        # The system applies the umask of this moment, which Python could ask for only by changing it for all threads.
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as handle:  # noqa: PTH123
            handle.writelines(chunks)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, RopewalkError) or not isinstance(error, OSError | ValueError):
            raise
        raise _cannot_write(path, error) from error


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether there is something that is no regular file and no folder: a device, a pipe, a socket."""
    mode = _mode(path)
    return bool(mode) and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a path can be read only once, from its beginning to its end."""
    mode = _mode(path)
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _mode(path: str | os.PathLike[str]) -> int:
    """Return what a path leads to, as the system codes it; 0 where there is nothing."""
    try:
        return os.stat(path).st_mode  # noqa: PTH116 - the name is as the user wrote it
    except (OSError, ValueError):
        return 0


def first_bytes(path: str | os.PathLike[str], number: int) -> bytes:
    """Return how a file begins; nothing of a pipe, a device, or what has no length: to read it could wait for ever."""
    if is_special(path) or not os.stat(path).st_size:  # noqa: PTH116 - the name is as the user wrote it
        return b""
    with open(path, "rb") as stream:  # noqa: PTH123
        return stream.read(number)


def shorten_path(path: str | os.PathLike[str]) -> str:
    """Return a path as errors show it, without a password if it is a URL; the middle of a very long one is left out.

    Examples
    --------
    >>> shorten_path("a.csv"), len(shorten_path("a" * 5_000))
    ("'a.csv'", 201)
    """
    shown = repr(masked(os.fsdecode(path)))
    return shown if len(shown) <= MAX_SHOWN else f"{shown[: MAX_SHOWN // 2]}…{shown[-MAX_SHOWN // 2 :]}"


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, or must not: a folder, a read-only file, one in a folder that is not there.

    The rights of a file hold for the superuser too, who could pass over them.
    """
    shown = shorten_path(path)
    try:
        if not os.fspath(path) or Path(path).is_dir():
            raise UnreadableFileError(f"Cannot write {shown}: it is a folder.", hint="name a file in it.")
        if is_special(path):
            return
        target = Path(os.path.realpath(path))
        if target.exists() and (not target.stat().st_mode & _WRITE_BITS or not os.access(target, os.W_OK)):
            raise UnreadableFileError(
                f"Cannot write {shown}: the file is read-only.", hint="name another file, or make it writable."
            )
        if target.is_symlink():
            raise UnreadableFileError(f"Cannot write {shown}: the link leads to itself.", hint="name another file.")
        folder = target.parent
        if not folder.is_dir():
            missing = folder if Path(path).is_symlink() else Path(path).parent
            raise UnreadableFileError(
                f"Cannot write {shown}: there is no folder {shorten_path(missing)}.", hint="make it first."
            )
        if not os.access(folder, os.W_OK):
            raise UnreadableFileError(
                f"Cannot write {shown}: the folder {shorten_path(folder)} is read-only.",
                hint="name a file in another folder.",
            )
    except (OSError, ValueError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise _cannot_write(path, error) from error


def _cannot_write(path: str | os.PathLike[str], error: Exception) -> UnreadableFileError:
    """Return what the system said, with what to do about it."""
    problem = getattr(error, "strerror", None) or error
    return UnreadableFileError(
        f"Cannot write {shorten_path(path)}: {problem}.", hint="name a file in another folder, or make room there."
    )
