"""Write files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ropewalk.errors import RopewalkError, UnreadableFileError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file as UTF-8; a lone surrogate in a name is no reason to fail."""
    write_file(path, text.encode("utf-8", "backslashreplace"))


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file by way of a temporary one, so that an error never leaves half of it."""
    write_chunks(path, [content])


def write_chunks(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """Write a file part by part, by way of a temporary one, so that an error never leaves half of it."""
    target = Path(path)
    temporary: Path | None = None
    try:
        if target.exists() and not target.is_file():  # a device or a pipe takes the text, and must not be replaced
            with target.open("wb") as handle:
                handle.writelines(chunks)
            return
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name[:50]}.", delete=False) as whole:
            temporary = Path(whole.name)
            whole.writelines(chunks)
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(target)
    except BaseException as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        if isinstance(error, RopewalkError) or not isinstance(error, OSError | ValueError):
            raise
        problem = getattr(error, "strerror", None) or error
        raise UnreadableFileError(f"Cannot write {os.fspath(path)!r}: {problem}.") from error
