"""`ropewalk rank`: many classifiers."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.counts import ask_counts
from ropewalk.cli.forms import form_of, refuse_idle
from ropewalk.cli.logs import OTHER, LogOptions, LongOptions, TaskColumn, ask_logs
from ropewalk.cli.output import ADVANCED, DATA, OutputOptions, answer
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
from ropewalk.errors import InvalidInputError
from ropewalk.results.forms import COUNTS, LONG, OF_LOGS
from ropewalk.results.options import RankOptions, SeveralRunsOptions, asks_about
from ropewalk.results.parsing import parse_texts


class RankColumns(FileOption, total=False):
    """A table, and its columns of predictions; or evaluation logs, and their systems."""

    others: Annotated[tuple[str, ...], OTHER(help="those of other systems; FILE is one then.", several=True)]
    predictions: Annotated[
        list[str], DATA(help="Columns of predictions, separated by commas; of logs, systems.", parse=parse_texts)
    ]
    prediction: Annotated[str, DATA(help="column of predictions.", forms=(LONG,))]


EXAMPLES: Final = (
    "preds.csv --truth y --predictions new,old,base --rope 2%",
    "logs/*.eval --rope 1%",
)


class Options(RankColumns, LongOptions, LogOptions, RankOptions, TaskColumn, VerbOptions, OutputOptions, total=False):
    """What `ropewalk rank` takes."""

    no_pool: Annotated[bool, ADVANCED(help="Each one's own posterior, not drawn towards the others.", parse=bool)]


def run(options: Options) -> None:
    """Rank classifiers."""
    pool = {"pool": False} if options.get("no_pool") else {}
    form = form_of(options)
    refuse_idle(options, form)
    if form == COUNTS:
        ask_counts(options, RankOptions, rw.rank, options.get("predictions"), **pool)
        return
    if form in OF_LOGS:
        named = {"predictions": options["predictions"]} if "predictions" in options else {}
        ask_logs(options, RankOptions, rw.rank, **named, **pool)
        return
    options = with_accuracy(options, options.get("predictions", [None]))
    require_columns_of(options, (*truth_of(options), "predictions"))
    columns = options["predictions"]
    if len(columns) == 1:
        raise InvalidInputError(
            "A ranking needs at least two classifiers; --predictions names 1.", hint="ropewalk evaluate looks at one."
        )
    if asks_about(SeveralRunsOptions, options):
        (file,), beside = runs_of(options, ("predictions",))
        asked = questions(options, RankOptions, beside.pop("known", ()))
        answer(options, rw.rank, file, **beside, **asked, **pool)
        return
    table = read_file(options, columns)
    answer(options, rw.rank, table, **questions(options, RankOptions, table.labels), **pool)
