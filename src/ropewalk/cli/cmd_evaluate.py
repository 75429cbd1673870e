"""`ropewalk evaluate`."""

from __future__ import annotations

from typing import Annotated

import ropewalk as rw
from ropewalk.cli.output import OutputOptions, emit, quietly
from ropewalk.cli.reading import FileOption, VerbOptions, questions, read_file
from ropewalk.results.options import EvaluateOptions, Option


class Columns(FileOption, total=False):
    """A table, and its columns of predictions."""

    prediction: Annotated[str, Option(group="Data", help="Column of predicted labels, or of scores.", required=True)]


class Options(Columns, EvaluateOptions, VerbOptions, OutputOptions, total=False):
    """What the command takes."""


def run(options: Options) -> None:
    """Evaluate one classifier."""
    table = read_file(options, [options["prediction"]])
    asked = questions(options, EvaluateOptions, table.labels)
    emit(quietly(lambda: rw.evaluate(table, **asked)), options)
