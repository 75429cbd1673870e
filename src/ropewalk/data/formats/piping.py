"""Give what is read here to a library that wants a path: through a pipe, and looked at on the way."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Final, TypeVar

T = TypeVar("T")
Feed = Callable[[Callable[[bytes], object]], bool]
"""Writes all of a text by the function that it is given, and returns whether the text is as it should be."""

_OPEN_FILES: Final = Path("/dev/fd")


def read_through_pipe(feed: Feed, ask: Callable[[str], T]) -> T | None:
    """Return what `ask` makes of a path at which it finds what `feed` writes.

    None where `feed` fails or finds fault with the text, or where open files have no path, as on Windows.

    Examples
    --------
    >>> read_through_pipe(lambda write: write(b"y,a") == 3, lambda path: Path(path).read_bytes())
    b'y,a'
    """
    if not _OPEN_FILES.is_dir():
        return None
    read, write = os.pipe()
    found: list[bool] = []

    def run() -> None:
        with contextlib.suppress(Exception), open(write, "wb") as pipe:  # noqa: PTH123 - it has no path
            found.append(feed(pipe.write))

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        answer = ask(f"{_OPEN_FILES}/{read}")
    finally:
        os.close(read)  # who still writes is told so
        thread.join()
    return answer if found == [True] else None
