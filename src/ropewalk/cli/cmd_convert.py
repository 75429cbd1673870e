"""`ropewalk convert`: evaluation logs become one table, a row per system, item and repeat."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Final

import click

from ropewalk.cli.logs import LogOptions, read_logs
from ropewalk.cli.output import DATA, OUTPUT
from ropewalk.cli.reading import as_file
from ropewalk.data.logs.reading import chosen_in, joined
from ropewalk.data.logs.writing import write_rows
from ropewalk.text.writing import count_of, visible

EXAMPLES: Final = ("logs/ -o items.csv", "samples_gsm8k.jsonl -o items.parquet --filter strict-match")


class Options(LogOptions, total=False):
    """What `ropewalk convert` takes."""

    logs: Annotated[
        tuple[str, ...],
        DATA(help="Logs, or folders of logs; - is stdin.", flag="LOG", required=True, is_input=True, several=True),
    ]
    cluster: Annotated[str, DATA(help="Key of the items' metadata that says which belong together.")]
    out: Annotated[str, OUTPUT(help="Table to write: .csv or .parquet.", flag="-o", metavar="OUT", required=True)]


def run(options: Options) -> None:
    """Write the rows of the logs."""
    with ExitStack() as stack:
        files = [stack.enter_context(as_file(file)) for file in options["logs"]]
        log = joined(read_logs(options, files))
        number = write_rows(options["out"], log.rows())
    for _, notes in chosen_in(log).values():
        for note in notes:
            click.echo(f"Note      {visible(note)}", err=True)
    click.echo(f"Wrote {count_of(number, 'row')} to {visible(options['out'])}", err=True)
