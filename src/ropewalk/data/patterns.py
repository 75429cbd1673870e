"""Files that a pattern names, such as `logs/*.eval`, where no shell has looked for them, and those of a folder."""

from __future__ import annotations

import glob
import os
from itertools import islice
from pathlib import Path
from typing import Final

from ropewalk._files import shorten_path
from ropewalk.errors import FileFormatError, UnreadableFileError
from ropewalk.text.writing import count_of, reason

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
        raise UnreadableFileError(
            f"Cannot look for {shown}: {reason(error)}.", hint="name a file or a folder."
        ) from error
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


def tables_in(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a path stands for: itself, or those of a folder or a pattern, sorted.

    In a folder what begins with a dot or an underscore is left out: it is about the tables beside it.
    """
    files = [
        file
        for found in files_of(path)
        for file in (files_below(found, (".", "_")) if os.path.isdir(found) else [found])  # noqa: PTH112 - a name as the user wrote it
    ]
    if not files:
        raise UnreadableFileError(
            f"The directory {shorten_path(path)} holds no file.", hint="name a file, or a folder of tables."
        )
    return files


def files_below(folder: str | os.PathLike[str], hidden: tuple[str, ...] = (".",)) -> list[str]:
    """Return the files of a folder and of the folders in it, sorted, without those whose names begin with `hidden`."""
    files: list[str] = []
    for place, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith(hidden))
        files += [os.path.join(place, name) for name in sorted(names) if not name.startswith(hidden)]  # noqa: PTH118 - as written
        if len(files) > MAX_FILES:
            raise FileFormatError(
                f"{shorten_path(folder)} holds more than {count_of(MAX_FILES, 'file')}.",
                hint="name a folder inside it.",
            )
    return [file for file in files if os.path.isfile(file)]  # noqa: PTH113


def _refuse(error: OSError) -> None:
    problem = f"Cannot read the folder {shorten_path(error.filename)}: {error.strerror}."
    raise UnreadableFileError(problem, hint="name a folder that you may read.") from error
