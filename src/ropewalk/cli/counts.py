"""Files of counts that the shell names in place of rows, and the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click

from ropewalk.cli.output import answer
from ropewalk.cli.reading import named_files, questions, read_declared
from ropewalk.data.counts import Counts, small_cells, write_counts
from ropewalk.data.inputs import Names, read_outcomes_of
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.errors import DataError
from ropewalk.inference.remarks import left_out
from ropewalk.results import Rendered
from ropewalk.text.writing import count_of, visible

Options = Mapping[str, Any]

_USAGE: Final = "--a and --b, --prediction or --predictions name them."


def read_counted(options: Options, systems: Names | None) -> tuple[AnyOutcomes, ...]:
    """Read one file of counts, or one of each system from separate test sets; `systems` are those that are meant."""
    return read_declared(
        options,
        lambda labels: read_outcomes_of(named_files(options), systems, {**options, "labels": labels}, usage=_USAGE),
    )


def ask_counts(
    options: Options, kind: type, verb: Callable[..., Rendered], systems: Sequence[str | None] | None, **chosen: Any
) -> None:
    """Ask about the counts that a line names."""
    tables = read_counted(options, systems)
    answer(options, verb, *tables, **chosen, **questions(options, kind, tables[0].labels))


def write(options: Options, counts: Counts) -> None:
    """Write or print counts, and say how small the smallest are."""
    table = counts.table
    if "min_cell" in options and (few := small_cells(table, options["min_cell"])):
        raise DataError(
            f"{count_of(few, 'row')} of the counts would stand for fewer than {options['min_cell']:,} items.",
            hint="count fewer systems or classes at once, or without --cluster, or let --min-cell be less.",
        )
    if table.left_out:
        click.echo(f"Note      {left_out(table.left_out).text}", err=True)
    if "out" not in options:
        click.echo(table.to_json(counts.columns))
        return
    write_counts(options["out"], counts)
    alone = small_cells(table, 2)
    told = f", {alone:,} of which stand for a single item" if alone else ""
    rows = f"{count_of(table.n_items, 'item')} in {count_of(table.counts.size, 'row')}"
    click.echo(f"Wrote {visible(options['out'])}: {rows}{told}", err=True)
