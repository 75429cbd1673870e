"""`ropewalk evaluate`: one classifier."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.counts import are_counts, ask_counts
from ropewalk.cli.logs import OF_LOGS, LogOptions, LongOptions, are_logs, ask_logs, refuse
from ropewalk.cli.output import DATA, OutputOptions, answer
from ropewalk.cli.reading import (
    FileOption,
    VerbOptions,
    questions,
    read_file,
    require_columns_of,
    truth_of,
    with_accuracy,
)
from ropewalk.results.options import EvaluateOptions


class EvaluateColumns(FileOption, total=False):
    """A table, and its column of predictions; or an evaluation log, and its system, which `prediction` may name too."""

    prediction: Annotated[
        str, DATA(help="Column of predicted labels, or of scores; of a log with several systems, one.")
    ]
    name: Annotated[str, DATA(help="Of several systems in a log, or with --system, the one that is meant.")]


EXAMPLES: Final = (
    "preds.csv --truth y --prediction new --metric accuracy,f1",
    "preds.csv --truth y --prediction new --at-least 0.9",
    "logs/new.eval --at-least 0.9",
    "runs.csv --system model --item q --score ok --name new",
)


class Options(EvaluateColumns, LongOptions, LogOptions, EvaluateOptions, VerbOptions, OutputOptions, total=False):
    """What `ropewalk evaluate` takes."""


def run(options: Options) -> None:
    """Evaluate one classifier."""
    if are_counts(options):
        ask_counts(options, EvaluateOptions, rw.evaluate, [options.get("prediction")])
        return
    if are_logs(options):
        named = [options["name"]] if "name" in options else []
        if "prediction" in options and "system" not in options:
            named.append(options["prediction"])
        ask_logs(options, EvaluateOptions, rw.evaluate, *named)
        return
    refuse(options, (*OF_LOGS, "name"), "FILE")
    options = with_accuracy(options, [options.get("prediction")])
    require_columns_of(options, (*truth_of(options), "prediction"))
    table = read_file(options, [options["prediction"]])
    answer(options, rw.evaluate, table, **questions(options, EvaluateOptions, table.labels))
