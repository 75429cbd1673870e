"""`ropewalk merge`: counts of the same systems from several places become one file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypedDict

from ropewalk._files import shorten_path
from ropewalk.cli.counts import write
from ropewalk.cli.output import DATA, OUTPUT, WRITTEN, echo
from ropewalk.cli.reading import as_file, read_declared
from ropewalk.data.counts import Counts, merge_counts, open_counts
from ropewalk.errors import InvalidInputError
from ropewalk.report.terminal import columns_here, labelled
from ropewalk.results.options import TableOptions, options_of
from ropewalk.results.parsing import parse_texts
from ropewalk.text.writing import visible

EXAMPLES: Final = ("north.json south.json west.json -o all.json",)


class Options(TypedDict, total=False):
    """What `ropewalk merge` takes."""

    files: Annotated[
        tuple[str, ...], DATA(help="Files of counts.", flag="FILE", required=True, is_input=True, several=True)
    ]
    labels: Annotated[list[str], DATA(help=options_of(TableOptions)["labels"].help, parse=parse_texts)]
    out: Annotated[str, OUTPUT(help="File to write; else the counts are printed.", flag="-o", metavar=WRITTEN)]
    min_cell: Annotated[int, OUTPUT(help="Refuse to write a row of fewer items than these.", parse=int, minimum=1)]


def run(options: Options) -> None:
    """Add counts up."""
    _refuse_twice(options["files"])
    parts: dict[str, Counts] = {}
    for file in options["files"]:
        with as_file(file) as path:
            parts[file] = open_counts(path)
    write(options, read_declared(options, lambda labels: merge_counts(parts, labels)))
    _warn_of_copies(parts)


def _refuse_twice(files: Sequence[str]) -> None:
    """Refuse a file that is named twice, by whatever names: its items would count twice."""
    named: dict[Any, str] = {}
    for file in files:
        place = _place_of(file)
        if place in named:
            shown = shorten_path(file)
            same = f" is {shorten_path(named[place])} again" if named[place] != file else " is named twice"
            raise InvalidInputError(f"{shown}{same}.", hint="name each file once: its items would count twice.")
        named[place] = file


def _warn_of_copies(parts: Mapping[str, Counts]) -> None:
    """Warn of files that hold the same counts: one may be a copy of the other."""
    first: dict[str, str] = {}
    for file, counts in parts.items():
        same = first.setdefault(counts.table.data_hash, file)
        if same != file:
            text = f"{shorten_path(file)} holds the same counts as {shorten_path(same)}: a copy counts its items twice."
            echo(labelled("Warning", visible(text), columns_here()), err=True)


def _place_of(file: str) -> Any:
    """Return where a file is; what cannot be read says so when it is."""
    try:
        found = os.stat(file)  # noqa: PTH116 - the name is as the user wrote it
    except (OSError, ValueError):
        return file
    return found.st_dev, found.st_ino
