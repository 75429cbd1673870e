"""`ropewalk evaluate`: one classifier."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.counts import ask_counts
from ropewalk.cli.forms import form_of, refuse_idle
from ropewalk.cli.logs import LogOptions, LongOptions, TaskColumn, ask_logs
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
from ropewalk.cli.runs import runs_of
from ropewalk.results.forms import COUNTS, LOGS, OF_LOGS
from ropewalk.results.options import EvaluateOptions, SeveralRunsOptions, asks_about


class EvaluateColumns(FileOption, total=False):
    """A table, and its column of predictions; or an evaluation log, and its system, which `prediction` may name too."""

    prediction: Annotated[
        str, DATA(help="Column of predicted labels, or of scores; of a log with several systems, one.")
    ]
    name: Annotated[str, DATA(help="the system that is meant, of several.", forms=OF_LOGS)]


EXAMPLES: Final = (
    "preds.csv --truth y --prediction new --metric accuracy,f1",
    "preds.csv --truth y --prediction new --at-least 0.9",
    "logs/new.eval --at-least 0.9",
    "runs.csv --system model --item q --score ok --name new",
)


class Options(
    EvaluateColumns, LongOptions, LogOptions, EvaluateOptions, TaskColumn, VerbOptions, OutputOptions, total=False
):
    """What `ropewalk evaluate` takes."""


def run(options: Options) -> None:
    """Evaluate one classifier."""
    form = form_of(options)
    refuse_idle(options, form)
    if form == COUNTS:
        ask_counts(options, EvaluateOptions, rw.evaluate, [options.get("prediction")])
        return
    if form in OF_LOGS:
        named = [options["name"]] if "name" in options else []
        if "prediction" in options and form == LOGS:
            named.append(options["prediction"])
        ask_logs(options, EvaluateOptions, rw.evaluate, *named)
        return
    options = with_accuracy(options, [options.get("prediction")])
    require_columns_of(options, (*truth_of(options), "prediction"))
    if asks_about(SeveralRunsOptions, options):
        (file,), beside = runs_of(options, ())
        asked = questions(options, EvaluateOptions, beside.pop("known", ()))
        answer(options, rw.evaluate, file, **beside, **asked, name=options["prediction"])
        return
    table = read_file(options, [options["prediction"]])
    answer(options, rw.evaluate, table, **questions(options, EvaluateOptions, table.labels))
