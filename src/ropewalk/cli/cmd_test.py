"""`ropewalk test`: the classical tests."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.counts import ask_counts
from ropewalk.cli.forms import form_of, refuse_idle
from ropewalk.cli.logs import OTHER, LogOptions, LongOptions, ask_logs
from ropewalk.cli.output import DATA, QUESTION, OutputOptions, answer
from ropewalk.cli.reading import FileOption, LongTableOptions, questions, read_file, require_columns_of
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.resolve import require_labels
from ropewalk.results.forms import COUNTS, FILE, LONG, OF_LOGS
from ropewalk.results.options import ClassOptions, SeedOption, TableOptions


class BatteryOptions(ClassOptions, SeedOption, total=False):
    """What `classical.battery` takes."""

    metric: Annotated[str, QUESTION(help="Add a permutation test of this metric.")]
    n_permutations: Annotated[
        int, QUESTION(help="How many the permutation test draws.", flag="--permutations", default=10_000, parse=int)
    ]


class Columns(FileOption, total=False):
    """A table, and its columns; or evaluation logs, and their systems."""

    other: Annotated[str, OTHER(help="that of the other system; FILE is then A's.")]
    a: Annotated[str, DATA(help="Column of classifier A; of several systems in a log, or with --system, its name.")]
    b: Annotated[str, DATA(help="Column of classifier B.")]
    prediction: Annotated[str, DATA(help="column of predictions.", forms=(LONG,))]


EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old",
    "logs/new.eval logs/old.eval",
    "runs.csv --system model --item q --score ok --a new --b old",
)


class Options(
    Columns, LongOptions, LogOptions, TableOptions, LongTableOptions, BatteryOptions, OutputOptions, total=False
):
    """What `ropewalk test` takes."""

    id: Annotated[str, DATA(help="Column of item ids.", forms=(FILE, COUNTS))]


def run(options: Options) -> None:
    """Run the classical tests."""
    if "n_permutations" in options and "metric" not in options and "cost_matrix" not in options:
        raise InvalidInputError("--permutations is about the permutation test of a metric.", hint="name a --metric.")
    require_labels(options.get("metric"))
    form = form_of(options)
    refuse_idle(options, form)
    if form == COUNTS:
        ask_counts(options, BatteryOptions, rw.classical.battery, [options.get("a"), options.get("b")])
        return
    if form in OF_LOGS:
        named = {name: options[name] for name in ("a", "b") if name in options}
        ask_logs(options, BatteryOptions, rw.classical.battery, **named)
        return
    require_columns_of(options, ("truth", "a", "b"))
    table = read_file(options, [options["a"], options["b"]])
    answer(options, rw.classical.battery, table, **questions(options, BatteryOptions, table.labels))
