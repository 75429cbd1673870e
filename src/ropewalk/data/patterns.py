"""Files that a pattern names, such as `logs/*.eval`, where no shell has looked for them."""

from __future__ import annotations

import glob
import os
from itertools import islice
from pathlib import Path
from typing import Final

from ropewalk._files import shorten_path
from ropewalk.errors import UnreadableFileError
from ropewalk.text.writing import count_of

MAX_FILES: Final = 10_000
"""How many files one pattern or one folder may name."""


def is_pattern(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pattern with `*`, `?` or `[…]`; the name of something that is there is none.

    Examples
    --------
    >>> is_pattern("logs/*.eval"), is_pattern("part-[01].csv"), is_pattern("preds.csv")
    (True, True, False)
    """
    text = os.fspath(path)
    return glob.has_magic(text) and "\0" not in text and not os.path.lexists(text)


def files_of(path: str | os.PathLike[str]) -> list[str]:
    """Return the files and folders that a pattern names, sorted; any other path alone.

    `**` stands for any number of folders. Names that begin with a point are left out, unless the pattern has the point.
    """
    if not is_pattern(path):
        return [os.fspath(path)]
    shown = shorten_path(path)
    try:
        found = sorted(islice(glob.iglob(os.fspath(path), recursive=True), MAX_FILES + 1))  # noqa: PTH207 - a pattern may start anywhere
    except (OSError, ValueError, RecursionError) as error:
        raise UnreadableFileError(f"Cannot look for {shown}: {error}.", hint="name a file or a folder.") from error
    if not found:
        raise UnreadableFileError(
            f"No file is called like {shown}.",
            hint=f"patterns are looked up from the folder {shorten_path(Path.cwd())}.",
        )
    if len(found) > MAX_FILES:
        raise UnreadableFileError(
            f"{shown} names more than {count_of(MAX_FILES, 'file')}.", hint="name fewer of them at a time."
        )
    return found
