"""`ropewalk merge`: counts of the same systems from several places become one file."""

from __future__ import annotations

from typing import Annotated, Final, TypedDict

from ropewalk.cli.cmd_count import write
from ropewalk.cli.output import DATA, OUTPUT, WRITTEN
from ropewalk.cli.reading import as_file, read_declared
from ropewalk.data.counts import Counts, merge_counts, open_counts
from ropewalk.results.options import TableOptions, options_of
from ropewalk.results.parsing import parse_texts

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
    parts: dict[str, Counts] = {}
    for file in options["files"]:
        with as_file(file) as path:
            parts[file] = open_counts(path)
    write(options, read_declared(options, lambda labels: merge_counts(parts, labels)))
