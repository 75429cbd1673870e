"""Write files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ropewalk.errors import UnreadableFileError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file by way of a temporary one, so that an error never leaves half of it."""
    target = Path(path)
    temporary = ""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as handle:
            temporary = handle.name
            handle.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # noqa: PTH101
        os.replace(temporary, target)  # noqa: PTH105
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise UnreadableFileError(f"Cannot write {os.fspath(path)!r}: {error.strerror}.") from error
