"""`ropewalk rank`: many classifiers."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.output import ADVANCED, DATA, OutputOptions, answer
from ropewalk.cli.reading import FileOption, VerbOptions, questions, read_file, require_columns_of, truth_of
from ropewalk.errors import InvalidInputError
from ropewalk.results.options import RankOptions, parse_texts


class RankColumns(FileOption, total=False):
    """A table, and its columns of predictions."""

    predictions: Annotated[list[str], DATA(help="Columns of predictions, separated by commas.", parse=parse_texts)]


EXAMPLES: Final = ("preds.csv --truth y --predictions new,old,base --rope 2%",)


class Options(RankColumns, RankOptions, VerbOptions, OutputOptions, total=False):
    """What `ropewalk rank` takes."""

    no_pool: Annotated[bool, ADVANCED(help="Each one's own posterior, not drawn towards the others.", parse=bool)]


def run(options: Options) -> None:
    """Rank classifiers."""
    require_columns_of(options, "rank", (*truth_of(options), "predictions"))
    columns = options["predictions"]
    if len(columns) == 1:
        raise InvalidInputError(
            "A ranking needs at least two classifiers; --predictions names 1.", hint="ropewalk evaluate looks at one."
        )
    table = read_file(options, columns)
    asked = questions(options, RankOptions, table.labels)
    if options.get("no_pool"):
        asked["pool"] = False
    answer(options, rw.rank, table, **asked)
