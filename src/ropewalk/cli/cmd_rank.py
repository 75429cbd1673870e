"""`ropewalk rank`."""

from __future__ import annotations

from typing import Annotated

import ropewalk as rw
from ropewalk.cli.output import OutputOptions, emit, quietly
from ropewalk.cli.reading import FileOption, VerbOptions, questions, read_file
from ropewalk.errors import InvalidInputError
from ropewalk.results.options import Option, RankOptions, parse_texts


class Columns(FileOption, total=False):
    """A table, and its columns of predictions."""

    predictions: Annotated[
        list[str],
        Option(group="Data", help="Columns of predictions, separated by commas.", parse=parse_texts, required=True),
    ]


class Options(Columns, RankOptions, VerbOptions, OutputOptions, total=False):
    """What the command takes."""


def run(options: Options) -> None:
    """Rank classifiers."""
    columns = options["predictions"]
    if len(columns) < 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"A ranking needs at least two classifiers; --predictions names {len(columns)}.",
            hint="ropewalk evaluate looks at one.",
        )
    table = read_file(options, columns)
    asked = questions(options, RankOptions, table.labels)
    emit(quietly(lambda: rw.rank(table, **asked)), options)
