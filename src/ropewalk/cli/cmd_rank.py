"""`ropewalk rank`: many classifiers."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.counts import are_counts, ask_counts
from ropewalk.cli.logs import OF_LOGS, LogOptions, LongOptions, are_logs, ask_logs, refuse
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
from ropewalk.errors import InvalidInputError
from ropewalk.results.options import RankOptions
from ropewalk.results.parsing import parse_texts


class RankColumns(FileOption, total=False):
    """A table, and its columns of predictions; or evaluation logs, and their systems."""

    others: Annotated[
        tuple[str, ...], DATA(help="Logs of other systems; FILE is one then.", flag="LOG", is_input=True, several=True)
    ]
    predictions: Annotated[
        list[str], DATA(help="Columns of predictions, separated by commas; of logs, systems.", parse=parse_texts)
    ]
    prediction: Annotated[str, DATA(help="With --system: column of predictions.")]


EXAMPLES: Final = (
    "preds.csv --truth y --predictions new,old,base --rope 2%",
    "logs/*.eval --rope 1%",
)


class Options(RankColumns, LongOptions, LogOptions, RankOptions, VerbOptions, OutputOptions, total=False):
    """What `ropewalk rank` takes."""

    no_pool: Annotated[bool, ADVANCED(help="Each one's own posterior, not drawn towards the others.", parse=bool)]


def run(options: Options) -> None:
    """Rank classifiers."""
    pool = {"pool": False} if options.get("no_pool") else {}
    if are_counts(options):
        ask_counts(options, RankOptions, rw.rank, options.get("predictions"), **pool)
        return
    if are_logs(options):
        named = {"predictions": options["predictions"]} if "predictions" in options else {}
        ask_logs(options, RankOptions, rw.rank, **named, **pool)
        return
    refuse(options, (*OF_LOGS, "unmatched", "prediction"), "FILE")
    options = with_accuracy(options, options.get("predictions", [None]))
    require_columns_of(options, (*truth_of(options), "predictions"))
    columns = options["predictions"]
    if len(columns) == 1:
        raise InvalidInputError(
            "A ranking needs at least two classifiers; --predictions names 1.", hint="ropewalk evaluate looks at one."
        )
    table = read_file(options, columns)
    answer(options, rw.rank, table, **questions(options, RankOptions, table.labels), **pool)
